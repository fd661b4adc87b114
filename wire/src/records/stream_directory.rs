//! StreamDirectory (`0x09`, §7.3).
//!
//! ```text
//! entry_size   u32    of the fixed prefix alone; 73 in version 1
//! entry_count  u32
//! entries:
//!   offset size
//!     0     4  stream_ref
//!     4     4  flags               bit 0: chunks_overlap
//!     8     4  first_index
//!    12     4  index_count
//!    16     8  message_count
//!    24     8  chunk_count
//!    32     8  first_stamp_ns      in the stream's own domain
//!    40     8  last_stamp_ns
//!    48     8  dropped_by_queue
//!    56     8  never_arrived
//!    64     8  reordered
//!    72     1  sync_quality
//!    73        behind entry_size bytes: sync_domain, a string
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::error::Fault;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// Where each stream's index entries lie, and how its capture went (§7.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamDirectory {
    /// One a stream.
    pub entries: Vec<DirectoryEntry>,
}

/// One stream's row (§7.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The stream.
    pub stream_ref: u32,
    /// Bit 0: chunks of the stream overlap in time.
    pub flags: u32,
    /// Index of the stream's first ChunkIndex entry.
    pub first_index: u32,
    /// How many entries it has.
    pub index_count: u32,
    /// Messages of the stream.
    pub message_count: u64,
    /// Chunks of the stream.
    pub chunk_count: u64,
    /// Its first stamp, in its own domain.
    pub first_stamp_ns: u64,
    /// Its last stamp, in its own domain.
    pub last_stamp_ns: u64,
    /// Messages that the recorder discarded after they arrived.
    pub dropped_by_queue: u64,
    /// Messages missing in the sequence that the recorder never saw.
    pub never_arrived: u64,
    /// Messages that arrived behind a later-stamped one.
    pub reordered: u64,
    /// Quality of the mapping that it is under.
    pub sync_quality: u8,
    /// Domain of that mapping.
    pub sync_domain: String,
}

impl Record for StreamDirectory {
    const OPCODE: u8 = op::STREAM_DIRECTORY;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.table(
            "entries",
            DirectoryEntry::FIXED_BYTES,
            &self.entries,
            |out, entry| entry.encode(out),
        )
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        let least = DirectoryEntry::FIXED_BYTES;
        let (stride, count) = cursor.table_head(least)?;
        // Each entry is the prefix and at least the count of its string.
        let needed = u64::from(count).saturating_mul(u64::from(stride).saturating_add(4));
        if needed > cursor.left() {
            let fault = Fault::Short {
                needed,
                left: cursor.left(),
            };
            return Err(cursor.fault_at(cursor.offset(), "entries", fault));
        }
        let unknown = u64::from(stride.saturating_sub(least));
        let mut entries = Vec::new();
        for index in 0..count {
            entries.push(cursor.element("entries", u64::from(index), |cursor| {
                DirectoryEntry::decode(cursor, unknown)
            })?);
        }
        Ok(StreamDirectory { entries })
    }
}

impl DirectoryEntry {
    /// This version's `entry_size`: the prefix in front of `sync_domain`.
    pub const FIXED_BYTES: u32 = 73;
    /// Bit 0 of `flags`: chunks of the stream overlap in time (§7.2).
    pub const CHUNKS_OVERLAP: u32 = 1;

    /// Whether the stream's chunks are declared to overlap in time.
    pub const fn chunks_overlap(&self) -> bool {
        self.flags & Self::CHUNKS_OVERLAP != 0
    }

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("stream_ref", self.stream_ref);
        out.u32("flags", self.flags);
        out.u32("first_index", self.first_index);
        out.u32("index_count", self.index_count);
        out.u64("message_count", self.message_count);
        out.u64("chunk_count", self.chunk_count);
        out.u64("first_stamp_ns", self.first_stamp_ns);
        out.u64("last_stamp_ns", self.last_stamp_ns);
        out.u64("dropped_by_queue", self.dropped_by_queue);
        out.u64("never_arrived", self.never_arrived);
        out.u64("reordered", self.reordered);
        out.u8("sync_quality", self.sync_quality);
        out.string("sync_domain", &self.sync_domain)
    }

    fn decode(cursor: &mut Cursor<'_>, unknown: u64) -> Result<Self, WireError> {
        let mut entry = DirectoryEntry {
            stream_ref: cursor.u32("stream_ref")?,
            flags: cursor.u32("flags")?,
            first_index: cursor.u32("first_index")?,
            index_count: cursor.u32("index_count")?,
            message_count: cursor.u64("message_count")?,
            chunk_count: cursor.u64("chunk_count")?,
            first_stamp_ns: cursor.u64("first_stamp_ns")?,
            last_stamp_ns: cursor.u64("last_stamp_ns")?,
            dropped_by_queue: cursor.u64("dropped_by_queue")?,
            never_arrived: cursor.u64("never_arrived")?,
            reordered: cursor.u64("reordered")?,
            sync_quality: cursor.u8("sync_quality")?,
            sync_domain: String::new(),
        };
        if unknown > 0 {
            cursor.raw("(unknown)", unknown)?;
        }
        cursor
            .string("sync_domain")?
            .clone_into(&mut entry.sync_domain);
        Ok(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{decodes, golden, hex};

    const PREFIX_HEX: &str = "01 00 00 00 \
         01 00 00 00 \
         02 00 00 00 \
         03 00 00 00 \
         04 00 00 00 00 00 00 00 \
         05 00 00 00 00 00 00 00 \
         06 00 00 00 00 00 00 00 \
         07 00 00 00 00 00 00 00 \
         08 00 00 00 00 00 00 00 \
         09 00 00 00 00 00 00 00 \
         0a 00 00 00 00 00 00 00 \
         02";

    fn directory() -> StreamDirectory {
        let entry = DirectoryEntry {
            stream_ref: 1,
            flags: DirectoryEntry::CHUNKS_OVERLAP,
            first_index: 2,
            index_count: 3,
            message_count: 4,
            chunk_count: 5,
            first_stamp_ns: 6,
            last_stamp_ns: 7,
            dropped_by_queue: 8,
            never_arrived: 9,
            reordered: 10,
            sync_quality: 2,
            sync_domain: "dom".to_owned(),
        };
        assert!(entry.chunks_overlap());
        StreamDirectory {
            entries: vec![
                entry.clone(),
                DirectoryEntry {
                    sync_domain: String::new(),
                    ..entry
                },
            ],
        }
    }

    #[test]
    fn golden_bytes() {
        golden(
            &directory(),
            &format!(
                "49 00 00 00 02 00 00 00 {PREFIX_HEX} 03 00 00 00 64 6f 6d {PREFIX_HEX} 00 00 00 00"
            ),
        );
    }

    #[test]
    fn unknown_fixed_fields_are_stepped_over() {
        let text = format!(
            "4b 00 00 00 02 00 00 00 {PREFIX_HEX} ee ee 03 00 00 00 64 6f 6d {PREFIX_HEX} ee ee 00 00 00 00"
        );
        decodes(&directory(), &hex(&text));
    }

    #[test]
    fn a_smaller_prefix_is_rejected() {
        let error = StreamDirectory::from_content(&hex("48 00 00 00 00 00 00 00"), 0).unwrap_err();
        assert_eq!(
            error.fault,
            Fault::EntrySize {
                found: 72,
                least: 73
            }
        );
    }
}
