//! Footer (`0x02`, §13.1): the one record of fixed size.
//!
//! ```text
//! offset size
//!   0     8  summary_start          0: no summary
//!   8     8  summary_offset_start   0: none
//!  16     8  last_checkpoint_offset 0: none
//!  24     4  summary_crc            CRC-32C over the summary section
//!  28
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// Where the sections of a sealed file begin (§13.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Absolute offset of the summary section; 0 for none.
    pub summary_start: u64,
    /// Absolute offset of the summary offset section; 0 for none.
    pub summary_offset_start: u64,
    /// Absolute offset of the last Checkpoint's opcode byte; 0 for none.
    pub last_checkpoint_offset: u64,
    /// CRC-32C over the summary section, the offset section left out.
    pub summary_crc: u32,
}

impl Record for Footer {
    const OPCODE: u8 = op::FOOTER;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u64("summary_start", self.summary_start);
        out.u64("summary_offset_start", self.summary_offset_start);
        out.u64("last_checkpoint_offset", self.last_checkpoint_offset);
        out.u32("summary_crc", self.summary_crc);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Footer {
            summary_start: cursor.u64("summary_start")?,
            summary_offset_start: cursor.u64("summary_offset_start")?,
            last_checkpoint_offset: cursor.u64("last_checkpoint_offset")?,
            summary_crc: cursor.u32("summary_crc")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let footer = Footer {
            summary_start: 1,
            summary_offset_start: 2,
            last_checkpoint_offset: 3,
            summary_crc: 0x0807_0605,
        };
        golden(
            &footer,
            "01 00 00 00 00 00 00 00 \
             02 00 00 00 00 00 00 00 \
             03 00 00 00 00 00 00 00 \
             05 06 07 08",
        );
    }
}
