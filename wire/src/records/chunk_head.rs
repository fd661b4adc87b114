//! What the headers of both layouts of a chunk state alike (§6.1, §6.5).

use ca3_spec::opcode::op;

use super::{ChunkHeader, ColumnarHeader, IndexEntry, Record};
use crate::message::Bases;
use crate::{Codec, Cursor, WireError, sequence};

/// A chunk's header, whichever its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHead {
    /// The one stream that the chunk belongs to.
    pub stream_ref: u32,
    /// How what follows is compressed.
    pub codec: Codec,
    /// How many messages.
    pub message_count: u32,
    /// What messages are counted from.
    pub bases: Bases,
    /// Bytes of the record's content, by what the header states of its parts.
    pub content_length: u64,
}

impl ChunkHead {
    /// Bytes of the header of a Chunk or a ColumnarChunk.
    pub const fn bytes(opcode: u8) -> u64 {
        match opcode {
            op::COLUMNAR_CHUNK => ColumnarHeader::BYTES,
            _ => ChunkHeader::BYTES,
        }
    }

    /// Decodes the header of a chunk of that opcode, [`op::CHUNK`] or
    /// [`op::COLUMNAR_CHUNK`].
    ///
    /// # Errors
    /// Those of decoding.
    pub fn decode(opcode: u8, cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        match opcode {
            op::COLUMNAR_CHUNK => ColumnarHeader::decode(cursor).map(|header| (&header).into()),
            _ => ChunkHeader::decode(cursor).map(|header| (&header).into()),
        }
    }

    /// Whether messages carry sequences of their own, so that the header does
    /// not tell the last one (§6.4).
    pub const fn has_sequences(&self) -> bool {
        self.bases.field_mask.has_sequence()
    }

    /// The index entry of the chunk, alone of its stream (§7.1); `seq_last` is
    /// counted from `seq_first`, which is right unless messages carry sequences.
    pub fn entry(&self, chunk_offset: u64, chunk_length: u64) -> IndexEntry {
        let Bases {
            min_stamp_ns,
            max_stamp_ns,
            seq_first,
            ..
        } = self.bases;
        let last = sequence::implied(seq_first, self.message_count.saturating_sub(1));
        IndexEntry {
            chunk_offset,
            chunk_length,
            min_stamp_ns,
            max_stamp_ns,
            prefix_max_stamp_ns: max_stamp_ns,
            message_count: self.message_count,
            stream_ref: self.stream_ref,
            seq_first,
            seq_last: last.unwrap_or_default(),
        }
    }
}

impl From<&ChunkHeader> for ChunkHead {
    fn from(header: &ChunkHeader) -> Self {
        ChunkHead {
            stream_ref: header.stream_ref,
            codec: header.codec,
            message_count: header.message_count,
            bases: header.into(),
            content_length: ChunkHeader::BYTES.saturating_add(header.records_length),
        }
    }
}

impl From<&ColumnarHeader> for ChunkHead {
    fn from(header: &ColumnarHeader) -> Self {
        ChunkHead {
            stream_ref: header.stream_ref,
            codec: header.codec,
            message_count: header.message_count,
            bases: header.into(),
            content_length: ColumnarHeader::BYTES
                .saturating_add(header.columns_length)
                .saturating_add(header.blocks_length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldMask;

    #[test]
    fn both_headers_make_the_same_entry() {
        let rows = ChunkHeader {
            stream_ref: 7,
            message_count: 3,
            min_stamp_ns: 10,
            max_stamp_ns: 30,
            seq_first: u32::MAX,
            records_length: 100,
            ..ChunkHeader::default()
        };
        let columns = ColumnarHeader {
            stream_ref: 7,
            message_count: 3,
            min_stamp_ns: 10,
            max_stamp_ns: 30,
            seq_first: u32::MAX,
            columns_length: 24,
            blocks_length: 60,
            field_mask: FieldMask::SEQUENCE,
            ..ColumnarHeader::default()
        };
        // §6.4: behind 4294967295 come 1 and 2.
        let entry = IndexEntry {
            chunk_offset: 40,
            chunk_length: 186,
            min_stamp_ns: 10,
            max_stamp_ns: 30,
            prefix_max_stamp_ns: 30,
            message_count: 3,
            stream_ref: 7,
            seq_first: u32::MAX,
            seq_last: 2,
        };
        for (opcode, content, length, sequences) in [
            (op::CHUNK, rows.content().unwrap(), 177, false),
            (op::COLUMNAR_CHUNK, columns.content().unwrap(), 165, true),
        ] {
            assert_eq!(
                content.len(),
                usize::try_from(ChunkHead::bytes(opcode)).unwrap()
            );
            let mut cursor = Cursor::new(&content, 49, "Chunk");
            let head = ChunkHead::decode(opcode, &mut cursor).unwrap();
            assert_eq!(head.entry(40, 186), entry);
            assert_eq!(
                (head.content_length, head.has_sequences()),
                (length, sequences)
            );
        }
    }

    #[test]
    fn a_chunk_without_sequences_has_no_last_one() {
        let head = ChunkHead::from(&ChunkHeader::default());
        assert_eq!(head.entry(0, 0).seq_last, 0);
    }
}
