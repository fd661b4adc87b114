//! Schema (`0x03`, §5.1).
//!
//! ```text
//! schema_ref  u32       1 and up; 0 means "no schema"
//! schema_id   string
//! encoding    string
//! descriptor  bytes64
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// What the payloads of streams are made of (§5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The reference by which streams name it.
    pub schema_ref: u32,
    /// The protobuf fully-qualified message name.
    pub schema_id: String,
    /// `protobuf`, or empty for a payload that is not described.
    pub encoding: String,
    /// A serialized `FileDescriptorSet`.
    pub descriptor: Vec<u8>,
}

impl Record for Schema {
    const OPCODE: u8 = op::SCHEMA;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("schema_ref", self.schema_ref);
        out.string("schema_id", &self.schema_id)?;
        out.string("encoding", &self.encoding)?;
        out.bytes64("descriptor", &self.descriptor);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Schema {
            schema_ref: cursor.u32("schema_ref")?,
            schema_id: cursor.string("schema_id")?.to_owned(),
            encoding: cursor.string("encoding")?.to_owned(),
            descriptor: cursor.bytes64("descriptor")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let schema = Schema {
            schema_ref: 258,
            schema_id: "a.B".to_owned(),
            encoding: "protobuf".to_owned(),
            descriptor: vec![0x0A, 0x00, 0xFF],
        };
        golden(
            &schema,
            "02 01 00 00 \
             03 00 00 00 61 2e 42 \
             08 00 00 00 70 72 6f 74 6f 62 75 66 \
             03 00 00 00 00 00 00 00 0a 00 ff",
        );
    }
}
