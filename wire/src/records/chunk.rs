//! Chunk (`0x05`, §6.1): the header in front of the records blob.
//!
//! ```text
//! offset size
//!   0     4  stream_ref         u32
//!   4     1  codec              u8    0 none, 1 zstd
//!   5     2  field_mask         u16   §6.3
//!   7     2  flags              u16   bit 0: sorted
//!   9     4  message_count      u32
//!  13     8  min_stamp_ns       u64   what stamp deltas count from
//!  21     8  max_stamp_ns       u64
//!  29     8  record_ts_base_ns  u64
//!  37     8  wall_base_ns       u64
//!  45     8  source_base_ns     u64
//!  53     4  seq_first          u32   0: absent, §6.4
//!  57     8  uncompressed_bytes u64
//!  65     4  records_crc32c     u32   over the blob as stored
//!  69     8  records_length     u64
//!  77        the blob
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::error::Fault;
use crate::{Codec, Cursor, EncodeError, Encoder, FieldMask, WireError};

/// What stands in front of a chunk's messages (§6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkHeader {
    /// The one stream that the chunk belongs to.
    pub stream_ref: u32,
    /// How the blob is compressed.
    pub codec: Codec,
    /// The fields that messages carry, as a union.
    pub field_mask: FieldMask,
    /// Bit 0: messages are in non-decreasing order of stamp.
    pub flags: u16,
    /// How many messages.
    pub message_count: u32,
    /// The least stamp, from which the deltas count.
    pub min_stamp_ns: u64,
    /// The greatest stamp.
    pub max_stamp_ns: u64,
    /// The least `record_ts_ns`; 0 where no message carries one.
    pub record_ts_base_ns: u64,
    /// The least `wall_clock_ns - stamp_delta`; 0 where no message carries one.
    pub wall_base_ns: u64,
    /// The least `source_timestamp_ns`; 0 where no message carries one.
    pub source_base_ns: u64,
    /// What sequences count from; 0 for none (§6.4).
    pub seq_first: u32,
    /// Bytes of the blob before compression.
    pub uncompressed_bytes: u64,
    /// CRC-32C over the blob as stored.
    pub records_crc32c: u32,
    /// Bytes of the blob as stored.
    pub records_length: u64,
}

impl ChunkHeader {
    /// Bytes of the header, and so the blob's place within the content.
    pub const BYTES: u64 = 77;
    /// Bit 0 of `flags`: messages are in non-decreasing order of stamp.
    pub const SORTED: u16 = 1;

    /// Whether the writer stated that messages are in order of stamp.
    pub const fn is_sorted(&self) -> bool {
        self.flags & Self::SORTED != 0
    }

    /// Splits a whole content, which lies at absolute offset `content_offset`,
    /// into its header and its blob as stored.
    ///
    /// # Errors
    /// Those of decoding, and [`Fault::Disagrees`] where `records_length` is
    /// not what follows the header (reading G50).
    pub fn split(content: &[u8], content_offset: u64) -> Result<(Self, &[u8]), WireError> {
        Self::split_from(&mut Cursor::new(content, content_offset, "Chunk"))
    }

    pub(crate) fn split_from<'a>(cursor: &mut Cursor<'a>) -> Result<(Self, &'a [u8]), WireError> {
        let header = Self::decode(cursor)?;
        let actual = cursor.left();
        if header.records_length != actual {
            let fault = Fault::Disagrees {
                stated: header.records_length,
                actual,
            };
            return Err(cursor.fault_at(
                cursor.offset().saturating_sub(8),
                "records_length",
                fault,
            ));
        }
        Ok((header, cursor.peek(actual).unwrap_or_default()))
    }
}

impl Record for ChunkHeader {
    const OPCODE: u8 = op::CHUNK;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("stream_ref", self.stream_ref);
        out.u8("codec", self.codec.0);
        out.u16("field_mask", self.field_mask.0);
        out.u16("flags", self.flags);
        out.u32("message_count", self.message_count);
        out.u64("min_stamp_ns", self.min_stamp_ns);
        out.u64("max_stamp_ns", self.max_stamp_ns);
        out.u64("record_ts_base_ns", self.record_ts_base_ns);
        out.u64("wall_base_ns", self.wall_base_ns);
        out.u64("source_base_ns", self.source_base_ns);
        out.u32("seq_first", self.seq_first);
        out.u64("uncompressed_bytes", self.uncompressed_bytes);
        out.u32("records_crc32c", self.records_crc32c);
        out.u64("records_length", self.records_length);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(ChunkHeader {
            stream_ref: cursor.u32("stream_ref")?,
            codec: Codec(cursor.u8("codec")?),
            field_mask: FieldMask(cursor.u16("field_mask")?),
            flags: cursor.u16("flags")?,
            message_count: cursor.u32("message_count")?,
            min_stamp_ns: cursor.u64("min_stamp_ns")?,
            max_stamp_ns: cursor.u64("max_stamp_ns")?,
            record_ts_base_ns: cursor.u64("record_ts_base_ns")?,
            wall_base_ns: cursor.u64("wall_base_ns")?,
            source_base_ns: cursor.u64("source_base_ns")?,
            seq_first: cursor.u32("seq_first")?,
            uncompressed_bytes: cursor.u64("uncompressed_bytes")?,
            records_crc32c: cursor.u32("records_crc32c")?,
            records_length: cursor.u64("records_length")?,
        })
    }

    /// The header of a whole content; see [`ChunkHeader::split`].
    fn from_content(content: &[u8], content_offset: u64) -> Result<Self, WireError> {
        Self::split(content, content_offset).map(|(header, _)| header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let header = ChunkHeader {
            stream_ref: 1,
            codec: Codec(7),
            field_mask: FieldMask(0x810F),
            flags: 3,
            message_count: 4,
            min_stamp_ns: 5,
            max_stamp_ns: 6,
            record_ts_base_ns: 7,
            wall_base_ns: 8,
            source_base_ns: 9,
            seq_first: 10,
            uncompressed_bytes: 11,
            records_crc32c: 0x1234_5678,
            records_length: 0,
        };
        golden(
            &header,
            "01 00 00 00 \
             07 \
             0f 81 \
             03 00 \
             04 00 00 00 \
             05 00 00 00 00 00 00 00 \
             06 00 00 00 00 00 00 00 \
             07 00 00 00 00 00 00 00 \
             08 00 00 00 00 00 00 00 \
             09 00 00 00 00 00 00 00 \
             0a 00 00 00 \
             0b 00 00 00 00 00 00 00 \
             78 56 34 12 \
             00 00 00 00 00 00 00 00",
        );
        assert!(header.is_sorted());
    }

    #[test]
    fn the_blob_is_exactly_records_length() {
        let header = ChunkHeader {
            records_length: 3,
            ..ChunkHeader::default()
        };
        let mut content = header.content().unwrap();
        content.extend(b"abc");
        assert_eq!(
            ChunkHeader::split(&content, 9).unwrap(),
            (header, b"abc".as_slice())
        );
        for stated in [0, 2, 4, u64::MAX] {
            content[69..77].copy_from_slice(&stated.to_le_bytes());
            let error = ChunkHeader::split(&content, 9).unwrap_err();
            assert_eq!(error.field, "Chunk.records_length");
            assert_eq!(error.offset, 9 + 69);
            assert_eq!(error.fault, Fault::Disagrees { stated, actual: 3 });
        }
    }
}
