//! SummaryOffset (`0x48`, §13.4; layout by reading G09).
//!
//! ```text
//! opcode  u8     of the group
//! start   u64    absolute offset of the group's first record
//! length  u64    of the group's records with their framing
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// Where one summary group lies (§13.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SummaryOffset {
    /// The opcode that the group's records share.
    pub opcode: u8,
    /// Absolute offset of its first record.
    pub start: u64,
    /// Bytes of its records with their framing.
    pub length: u64,
}

impl Record for SummaryOffset {
    const OPCODE: u8 = op::SUMMARY_OFFSET;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u8("opcode", self.opcode);
        out.u64("start", self.start);
        out.u64("length", self.length);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(SummaryOffset {
            opcode: cursor.u8("opcode")?,
            start: cursor.u64("start")?,
            length: cursor.u64("length")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let offset = SummaryOffset {
            opcode: 0x08,
            start: 0x0100,
            length: 0x0302,
        };
        golden(
            &offset,
            "08 00 01 00 00 00 00 00 00 02 03 00 00 00 00 00 00",
        );
    }
}
