//! ChunkIndex (`0x08`, §7.1).
//!
//! ```text
//! entry_size   u32    the stride; 56 in version 1
//! entry_count  u32
//! entries:
//!   offset size
//!     0     8  chunk_offset        absolute, of the opcode byte
//!     8     8  chunk_length        9 + content_length
//!    16     8  min_stamp_ns
//!    24     8  max_stamp_ns
//!    32     8  prefix_max_stamp_ns
//!    40     4  message_count
//!    44     4  stream_ref
//!    48     4  seq_first           0: absent
//!    52     4  seq_last            0: absent
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// Where every chunk lies and what it spans (§7.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChunkIndex {
    /// In order of `(stream_ref, min_stamp_ns)`.
    pub entries: Vec<IndexEntry>,
}

/// One chunk's place and span (§7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexEntry {
    /// Absolute offset of the chunk's opcode byte.
    pub chunk_offset: u64,
    /// Bytes of the framed chunk.
    pub chunk_length: u64,
    /// The chunk's least stamp.
    pub min_stamp_ns: u64,
    /// The chunk's greatest stamp.
    pub max_stamp_ns: u64,
    /// The greatest `max_stamp_ns` of this stream's entries up to this one.
    pub prefix_max_stamp_ns: u64,
    /// Messages in the chunk.
    pub message_count: u32,
    /// The stream that the chunk belongs to.
    pub stream_ref: u32,
    /// The first sequence; 0 for none.
    pub seq_first: u32,
    /// The last sequence; 0 for none.
    pub seq_last: u32,
}

impl Record for ChunkIndex {
    const OPCODE: u8 = op::CHUNK_INDEX;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.table("entries", IndexEntry::BYTES, &self.entries, |out, entry| {
            entry.encode(out)
        })
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(ChunkIndex {
            entries: cursor.table("entries", IndexEntry::BYTES, IndexEntry::decode)?,
        })
    }
}

impl IndexEntry {
    /// This version's `entry_size`.
    pub const BYTES: u32 = 56;

    pub(super) fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u64("chunk_offset", self.chunk_offset);
        out.u64("chunk_length", self.chunk_length);
        out.u64("min_stamp_ns", self.min_stamp_ns);
        out.u64("max_stamp_ns", self.max_stamp_ns);
        out.u64("prefix_max_stamp_ns", self.prefix_max_stamp_ns);
        out.u32("message_count", self.message_count);
        out.u32("stream_ref", self.stream_ref);
        out.u32("seq_first", self.seq_first);
        out.u32("seq_last", self.seq_last);
        Ok(())
    }

    pub(super) fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(IndexEntry {
            chunk_offset: cursor.u64("chunk_offset")?,
            chunk_length: cursor.u64("chunk_length")?,
            min_stamp_ns: cursor.u64("min_stamp_ns")?,
            max_stamp_ns: cursor.u64("max_stamp_ns")?,
            prefix_max_stamp_ns: cursor.u64("prefix_max_stamp_ns")?,
            message_count: cursor.u32("message_count")?,
            stream_ref: cursor.u32("stream_ref")?,
            seq_first: cursor.u32("seq_first")?,
            seq_last: cursor.u32("seq_last")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;
    use crate::records::{decodes, golden, hex};

    const ENTRY: IndexEntry = IndexEntry {
        chunk_offset: 70,
        chunk_length: 96,
        min_stamp_ns: 3,
        max_stamp_ns: 4,
        prefix_max_stamp_ns: 5,
        message_count: 6,
        stream_ref: 7,
        seq_first: 8,
        seq_last: 9,
    };
    const ENTRY_HEX: &str = "46 00 00 00 00 00 00 00 \
             60 00 00 00 00 00 00 00 \
             03 00 00 00 00 00 00 00 \
             04 00 00 00 00 00 00 00 \
             05 00 00 00 00 00 00 00 \
             06 00 00 00 \
             07 00 00 00 \
             08 00 00 00 \
             09 00 00 00";

    #[test]
    fn golden_bytes() {
        let index = ChunkIndex {
            entries: vec![ENTRY, ENTRY],
        };
        golden(
            &index,
            &format!("38 00 00 00 02 00 00 00 {ENTRY_HEX} {ENTRY_HEX}"),
        );
    }

    #[test]
    fn a_larger_stride_is_stepped_over() {
        let text = format!("3a 00 00 00 02 00 00 00 {ENTRY_HEX} ee ee {ENTRY_HEX} ee ee");
        decodes(
            &ChunkIndex {
                entries: vec![ENTRY, ENTRY],
            },
            &hex(&text),
        );
    }

    #[test]
    fn a_smaller_stride_is_rejected() {
        for found in [0u32, 1, 55] {
            let bytes = [found.to_le_bytes(), [0; 4]].concat();
            let error = ChunkIndex::from_content(&bytes, 40).unwrap_err();
            assert_eq!(error.fault, Fault::EntrySize { found, least: 56 });
            assert_eq!(
                (error.offset, error.field.as_str()),
                (40, "ChunkIndex.entry_size")
            );
        }
    }

    #[test]
    fn entries_that_do_not_fit_are_one_fault() {
        let bytes = hex("38 00 00 00 ff ff ff ff 00");
        let error = ChunkIndex::from_content(&bytes, 0).unwrap_err();
        let needed = 56 * u64::from(u32::MAX);
        assert_eq!(error.fault, Fault::Short { needed, left: 1 });
    }
}
