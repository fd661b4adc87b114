//! A record's frame (§3).
//!
//! ```text
//! offset size
//!   0     1  opcode          u8
//!   1     8  content_length  u64   of the content alone
//!   9        the content
//! ```

use ca3_spec::FRAME_BYTES;

use crate::error::Fault;
use crate::{Cursor, WireError};

/// The nine bytes in front of a content, and where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordFrame {
    /// What the record is.
    pub opcode: u8,
    /// Absolute offset of the opcode byte.
    pub offset: u64,
    /// Bytes of content.
    pub content_length: u64,
}

impl RecordFrame {
    /// Bytes of a frame.
    pub const BYTES: u64 = FRAME_BYTES;

    /// The nine bytes.
    pub fn encode(&self) -> [u8; 9] {
        let [a, b, c, d, e, f, g, h] = self.content_length.to_le_bytes();
        [self.opcode, a, b, c, d, e, f, g, h]
    }

    /// The frame that begins at absolute offset `offset`, out of its nine bytes.
    ///
    /// # Errors
    /// [`Fault::Short`] for fewer than nine bytes.
    pub fn decode(bytes: &[u8], offset: u64) -> Result<Self, WireError> {
        let mut cursor = Cursor::new(bytes, offset, "frame");
        Ok(RecordFrame {
            opcode: cursor.u8("opcode")?,
            offset,
            content_length: cursor.u64("content_length")?,
        })
    }

    /// Absolute offset of the content.
    ///
    /// # Errors
    /// [`Fault::Range`] where 64 bits do not hold it.
    pub fn content_offset(&self) -> Result<u64, WireError> {
        self.at(0)
    }

    /// Absolute offset of the byte behind the record.
    ///
    /// # Errors
    /// [`Fault::Range`] where 64 bits do not hold it.
    pub fn end(&self) -> Result<u64, WireError> {
        self.at(self.content_length)
    }

    /// Bytes of the framed record, where 64 bits hold them.
    pub fn record_length(&self) -> Option<u64> {
        self.content_length.checked_add(FRAME_BYTES)
    }

    /// The same, checked to lie before `limit`, the end of what encloses it.
    ///
    /// # Errors
    /// [`Fault::Short`] where the record reaches past `limit`, however far.
    pub fn end_within(&self, limit: u64) -> Result<u64, WireError> {
        match self.end() {
            Ok(end) if end <= limit => Ok(end),
            _ => {
                let start = self.offset.saturating_add(FRAME_BYTES);
                let left = limit.saturating_sub(start);
                let fault = Fault::Short {
                    needed: self.content_length,
                    left,
                };
                Err(WireError::new(self.offset, "frame.content_length", fault))
            }
        }
    }

    fn at(&self, length: u64) -> Result<u64, WireError> {
        self.offset
            .checked_add(FRAME_BYTES)
            .and_then(|start| start.checked_add(length))
            .ok_or_else(|| {
                let value = i128::from(self.offset) + i128::from(FRAME_BYTES) + i128::from(length);
                WireError::new(self.offset, "frame.content_length", Fault::Range { value })
            })
    }
}

/// A whole record: frame and content.
pub fn framed(opcode: u8, content: &[u8]) -> Vec<u8> {
    let content_length = crate::width::wide(content.len());
    let mut bytes = RecordFrame {
        opcode,
        offset: 0,
        content_length,
    }
    .encode()
    .to_vec();
    bytes.extend_from_slice(content);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_bytes() {
        let frame = RecordFrame {
            opcode: 0x05,
            offset: 70,
            content_length: 0x0201,
        };
        let bytes = [5, 1, 2, 0, 0, 0, 0, 0, 0];
        assert_eq!(frame.encode(), bytes);
        assert_eq!(RecordFrame::decode(&bytes, 70), Ok(frame));
        assert_eq!(frame.content_offset(), Ok(79));
        assert_eq!(frame.end(), Ok(592));
        assert_eq!(frame.record_length(), Some(522));
        assert_eq!(framed(0x4A, &[7, 7]), [0x4A, 2, 0, 0, 0, 0, 0, 0, 0, 7, 7]);
        for cut in 0..bytes.len() {
            assert!(RecordFrame::decode(&bytes[..cut], 70).is_err());
        }
    }

    #[test]
    fn an_end_past_the_limit_or_past_64_bits_is_a_fault() {
        let frame = RecordFrame {
            opcode: 5,
            offset: 8,
            content_length: 83,
        };
        assert_eq!(frame.end_within(100), Ok(100));
        let error = frame.end_within(99).unwrap_err();
        assert_eq!(
            (error.offset, error.fault),
            (
                8,
                Fault::Short {
                    needed: 83,
                    left: 82
                }
            )
        );
        for content_length in [u64::MAX, u64::MAX - 8, u64::MAX - 16] {
            let frame = RecordFrame {
                content_length,
                ..frame
            };
            assert!(matches!(
                frame.end().unwrap_err().fault,
                Fault::Range { .. }
            ));
            assert!(frame.end_within(u64::MAX).is_err());
        }
    }
}
