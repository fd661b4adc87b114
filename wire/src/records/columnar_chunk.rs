//! ColumnarChunk (`0x0E`, §6.5): the header in front of the two regions.
//!
//! ```text
//! offset size
//!   0     4  stream_ref         u32
//!   4     1  codec              u8    0 none, 1 zstd
//!   5     2  field_mask         u16   each bit a column
//!   7     2  flags              u16   bit 0: sorted
//!   9     4  message_count      u32
//!  13     8  min_stamp_ns       u64   what the stamp column counts from
//!  21     8  max_stamp_ns       u64
//!  29     8  record_ts_base_ns  u64
//!  37     8  wall_base_ns       u64
//!  45     8  source_base_ns     u64
//!  53     4  seq_first          u32   §6.4
//!  57     4  block_bytes        u32   payload bytes of each message
//!  61     8  columns_length     u64   as stored
//!  69     8  blocks_length      u64   as stored
//!  77     4  payload_crc32c     u32   over columns then blocks, as stored
//!  81        the column region, then the block region
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::error::Fault;
use crate::{Codec, Cursor, EncodeError, Encoder, FieldMask, WireError};

/// What stands in front of a columnar chunk's regions (§6.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnarHeader {
    /// The one stream that the chunk belongs to.
    pub stream_ref: u32,
    /// How each of the two regions is compressed.
    pub codec: Codec,
    /// The fields that messages carry, each a column.
    pub field_mask: FieldMask,
    /// Bit 0: messages are in non-decreasing order of stamp.
    pub flags: u16,
    /// How many messages.
    pub message_count: u32,
    /// The least stamp, from which the stamp column counts.
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
    /// Payload bytes of each message.
    pub block_bytes: u32,
    /// Bytes of the column region as stored.
    pub columns_length: u64,
    /// Bytes of the block region as stored.
    pub blocks_length: u64,
    /// CRC-32C over columns then blocks, as stored.
    pub payload_crc32c: u32,
}

impl ColumnarHeader {
    /// Bytes of the header, and so the column region's place within the content.
    pub const BYTES: u64 = 81;
    /// Bit 0 of `flags`: messages are in non-decreasing order of stamp.
    pub const SORTED: u16 = 1;

    /// Whether the writer stated that messages are in order of stamp.
    pub const fn is_sorted(&self) -> bool {
        self.flags & Self::SORTED != 0
    }

    /// Splits a whole content, which lies at absolute offset `content_offset`,
    /// into its header, its column region and its block region, as stored.
    ///
    /// # Errors
    /// Those of decoding, and [`Fault::Disagrees`] where the two stated lengths
    /// are not what follows the header.
    pub fn split(content: &[u8], content_offset: u64) -> Result<(Self, &[u8], &[u8]), WireError> {
        Self::split_from(&mut Cursor::new(content, content_offset, "ColumnarChunk"))
    }

    pub(crate) fn split_from<'a>(
        cursor: &mut Cursor<'a>,
    ) -> Result<(Self, &'a [u8], &'a [u8]), WireError> {
        let header = Self::decode(cursor)?;
        let start = cursor.offset();
        let left = cursor.left();
        let both = header.columns_length.checked_add(header.blocks_length);
        let regions = both.filter(|both| *both == left).and_then(|_| {
            let columns = usize::try_from(header.columns_length).ok()?;
            cursor.peek(left)?.split_at_checked(columns)
        });
        let Some((columns, blocks)) = regions else {
            let fault = Fault::Disagrees {
                stated: both.unwrap_or(u64::MAX),
                actual: left,
            };
            return Err(cursor.fault_at(start.saturating_sub(20), "columns_length", fault));
        };
        Ok((header, columns, blocks))
    }
}

impl Record for ColumnarHeader {
    const OPCODE: u8 = op::COLUMNAR_CHUNK;

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
        out.u32("block_bytes", self.block_bytes);
        out.u64("columns_length", self.columns_length);
        out.u64("blocks_length", self.blocks_length);
        out.u32("payload_crc32c", self.payload_crc32c);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(ColumnarHeader {
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
            block_bytes: cursor.u32("block_bytes")?,
            columns_length: cursor.u64("columns_length")?,
            blocks_length: cursor.u64("blocks_length")?,
            payload_crc32c: cursor.u32("payload_crc32c")?,
        })
    }

    /// The header of a whole content; see [`ColumnarHeader::split`].
    fn from_content(content: &[u8], content_offset: u64) -> Result<Self, WireError> {
        Self::split(content, content_offset).map(|(header, _, _)| header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let header = ColumnarHeader {
            stream_ref: 1,
            codec: Codec::ZSTD,
            field_mask: FieldMask(0x000F),
            flags: 1,
            message_count: 4,
            min_stamp_ns: 5,
            max_stamp_ns: 6,
            record_ts_base_ns: 7,
            wall_base_ns: 8,
            source_base_ns: 9,
            seq_first: 10,
            block_bytes: 11,
            columns_length: 0,
            blocks_length: 0,
            payload_crc32c: 0x1234_5678,
        };
        golden(
            &header,
            "01 00 00 00 \
             01 \
             0f 00 \
             01 00 \
             04 00 00 00 \
             05 00 00 00 00 00 00 00 \
             06 00 00 00 00 00 00 00 \
             07 00 00 00 00 00 00 00 \
             08 00 00 00 00 00 00 00 \
             09 00 00 00 00 00 00 00 \
             0a 00 00 00 \
             0b 00 00 00 \
             00 00 00 00 00 00 00 00 \
             00 00 00 00 00 00 00 00 \
             78 56 34 12",
        );
    }

    #[test]
    fn the_regions_are_exactly_what_follows() {
        let header = ColumnarHeader {
            columns_length: 2,
            blocks_length: 3,
            ..Default::default()
        };
        let mut content = header.content().unwrap();
        content.extend(b"cobbb");
        let regions = (header, b"co".as_slice(), b"bbb".as_slice());
        assert_eq!(ColumnarHeader::split(&content, 9).unwrap(), regions);
        for (columns, blocks) in [(2, 2), (2, 4), (u64::MAX, 6), (5, 1), (0, 0)] {
            content[61..69].copy_from_slice(&u64::to_le_bytes(columns));
            content[69..77].copy_from_slice(&u64::to_le_bytes(blocks));
            let error = ColumnarHeader::split(&content, 9).unwrap_err();
            assert_eq!(error.offset, 9 + 61, "{columns} {blocks}");
            assert!(matches!(error.fault, Fault::Disagrees { actual: 5, .. }));
        }
    }
}
