//! Annotations (`0x45`, §12).
//!
//! ```text
//! keys         array of string
//! values       array of string
//! entry_size   u32    the stride; 40 in version 1
//! entry_count  u32
//! entries:
//!   offset size
//!     0     4  key_index          into keys
//!     4     4  value_index        into values
//!     8     4  stream_ref
//!    12     4  reserved           zero
//!    16     8  start_stamp_ns     in the stream's own domain
//!    24     8  end_stamp_ns
//!    32     8  first_chunk_offset
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// An index over the intervals during which an attribute held a value (§12).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The attribute keys that are indexed.
    pub keys: Vec<String>,
    /// The distinct values observed.
    pub values: Vec<String>,
    /// The intervals.
    pub entries: Vec<AnnotationEntry>,
}

/// One interval (§12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnnotationEntry {
    /// Which of `keys`.
    pub key_index: u32,
    /// Which of `values`.
    pub value_index: u32,
    /// The stream that the events were on.
    pub stream_ref: u32,
    /// Zero.
    pub reserved: u32,
    /// When it began, in the stream's own domain.
    pub start_stamp_ns: u64,
    /// When it ended.
    pub end_stamp_ns: u64,
    /// The first chunk concerned.
    pub first_chunk_offset: u64,
}

impl Record for Annotations {
    const OPCODE: u8 = op::ANNOTATIONS;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.array("keys", &self.keys, |out, key| out.string("", key))?;
        out.array("values", &self.values, |out, value| out.string("", value))?;
        out.table(
            "entries",
            AnnotationEntry::BYTES,
            &self.entries,
            |out, entry| entry.encode(out),
        )
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Annotations {
            keys: cursor.array("keys", |cursor| Ok(cursor.string("")?.to_owned()))?,
            values: cursor.array("values", |cursor| Ok(cursor.string("")?.to_owned()))?,
            entries: cursor.table("entries", AnnotationEntry::BYTES, AnnotationEntry::decode)?,
        })
    }
}

impl AnnotationEntry {
    /// This version's `entry_size`.
    pub const BYTES: u32 = 40;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("key_index", self.key_index);
        out.u32("value_index", self.value_index);
        out.u32("stream_ref", self.stream_ref);
        out.u32("reserved", self.reserved);
        out.u64("start_stamp_ns", self.start_stamp_ns);
        out.u64("end_stamp_ns", self.end_stamp_ns);
        out.u64("first_chunk_offset", self.first_chunk_offset);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(AnnotationEntry {
            key_index: cursor.u32("key_index")?,
            value_index: cursor.u32("value_index")?,
            stream_ref: cursor.u32("stream_ref")?,
            reserved: cursor.u32("reserved")?,
            start_stamp_ns: cursor.u64("start_stamp_ns")?,
            end_stamp_ns: cursor.u64("end_stamp_ns")?,
            first_chunk_offset: cursor.u64("first_chunk_offset")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let annotations = Annotations {
            keys: vec!["k".to_owned()],
            values: vec!["v".to_owned(), String::new()],
            entries: vec![AnnotationEntry {
                key_index: 0,
                value_index: 1,
                stream_ref: 2,
                reserved: 3,
                start_stamp_ns: 4,
                end_stamp_ns: 5,
                first_chunk_offset: 6,
            }],
        };
        golden(
            &annotations,
            "01 00 00 00 01 00 00 00 6b \
             02 00 00 00 01 00 00 00 76 00 00 00 00 \
             28 00 00 00 01 00 00 00 \
             00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 \
             04 00 00 00 00 00 00 00 \
             05 00 00 00 00 00 00 00 \
             06 00 00 00 00 00 00 00",
        );
    }
}
