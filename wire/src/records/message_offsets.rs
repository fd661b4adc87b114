//! MessageOffsets (`0x49`, §7.5).
//!
//! ```text
//! chunk_offset u64    absolute, of the chunk's opcode byte
//! entry_size   u32    the stride; 4 in version 1
//! entry_count  u32
//! offsets:
//!   0     4  message_offset  from the start of the blob, strictly ascending
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::error::Fault;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// Where each message of one chunk begins (§7.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageOffsets {
    /// Absolute offset of the chunk's opcode byte.
    pub chunk_offset: u64,
    /// Bytes from the start of the blob to each message.
    pub offsets: Vec<u32>,
}

impl MessageOffsets {
    /// This version's `entry_size`.
    pub const ENTRY_BYTES: u32 = 4;
}

impl Record for MessageOffsets {
    const OPCODE: u8 = op::MESSAGE_OFFSETS;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u64("chunk_offset", self.chunk_offset);
        out.table(
            "offsets",
            Self::ENTRY_BYTES,
            &self.offsets,
            |out, offset| {
                out.u32("message_offset", *offset);
                Ok(())
            },
        )
    }

    /// # Errors
    /// Besides those of reading, [`Fault::NotAscending`] for an entry that does
    /// not come after the one before it.
    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        let chunk_offset = cursor.u64("chunk_offset")?;
        let mut previous = None;
        let offsets = cursor.table("offsets", Self::ENTRY_BYTES, |cursor| {
            let start = cursor.offset();
            let value = cursor.u32("message_offset")?;
            match previous.replace(value) {
                Some(previous) if previous >= value => {
                    let fault = Fault::NotAscending {
                        previous: u64::from(previous),
                        value: u64::from(value),
                    };
                    Err(cursor.fault_at(start, "message_offset", fault))
                }
                _ => Ok(value),
            }
        })?;
        Ok(MessageOffsets {
            chunk_offset,
            offsets,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{decodes, golden, hex};

    #[test]
    fn golden_bytes() {
        let table = MessageOffsets {
            chunk_offset: 70,
            offsets: vec![0, 5, 256],
        };
        golden(
            &table,
            "46 00 00 00 00 00 00 00 \
             04 00 00 00 03 00 00 00 \
             00 00 00 00 05 00 00 00 00 01 00 00",
        );
    }

    #[test]
    fn a_larger_stride_is_stepped_over_and_a_smaller_one_rejected() {
        let bytes = hex("00 00 00 00 00 00 00 00 05 00 00 00 02 00 00 00 \
             01 00 00 00 ee 02 00 00 00 ee");
        decodes(
            &MessageOffsets {
                chunk_offset: 0,
                offsets: vec![1, 2],
            },
            &bytes,
        );
        let bytes = hex("00 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00");
        let error = MessageOffsets::from_content(&bytes, 0).unwrap_err();
        assert_eq!(error.fault, Fault::EntrySize { found: 3, least: 4 });
    }

    #[test]
    fn entries_strictly_ascend() {
        for value in [0u32, 4, 5] {
            let mut bytes = hex("00 00 00 00 00 00 00 00 04 00 00 00 02 00 00 00 05 00 00 00");
            bytes.extend(value.to_le_bytes());
            let error = MessageOffsets::from_content(&bytes, 0).unwrap_err();
            let value = u64::from(value);
            assert_eq!(error.fault, Fault::NotAscending { previous: 5, value });
            assert_eq!(error.field, "MessageOffsets.offsets[1].message_offset");
            assert_eq!(error.offset, 20);
        }
    }
}
