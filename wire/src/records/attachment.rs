//! Attachment (`0x42`, §13.3; layout by reading G08).
//!
//! ```text
//! name            string
//! media_type      string
//! created_unix_ns u64
//! data            bytes64
//! data_crc32c     u32      over the data, behind it
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// A file carried beside the streams (§13.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// When it was made, in nanoseconds since 1970.
    pub created_unix_ns: u64,
    /// Its bytes.
    pub data: Vec<u8>,
    /// CRC-32C over `data`, as stated: decoding does not compare it.
    pub data_crc32c: u32,
}

impl Record for Attachment {
    const OPCODE: u8 = op::ATTACHMENT;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.string("name", &self.name)?;
        out.string("media_type", &self.media_type)?;
        out.u64("created_unix_ns", self.created_unix_ns);
        out.bytes64("data", &self.data);
        out.u32("data_crc32c", self.data_crc32c);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Attachment {
            name: cursor.string("name")?.to_owned(),
            media_type: cursor.string("media_type")?.to_owned(),
            created_unix_ns: cursor.u64("created_unix_ns")?,
            data: cursor.bytes64("data")?.to_owned(),
            data_crc32c: cursor.u32("data_crc32c")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let attachment = Attachment {
            name: "f".to_owned(),
            media_type: "a/b".to_owned(),
            created_unix_ns: 2,
            data: vec![1, 2, 3],
            data_crc32c: 0x0403_0201,
        };
        golden(
            &attachment,
            "01 00 00 00 66 \
             03 00 00 00 61 2f 62 \
             02 00 00 00 00 00 00 00 \
             03 00 00 00 00 00 00 00 01 02 03 \
             01 02 03 04",
        );
    }
}
