//! Column-wise chunks (§6.5).

use ca3_spec::protocol::MessageView;
use ca3_wire::records::{ColumnarHeader, Record};
use ca3_wire::{Codec, EncodeError, Encoder, FieldMask};

use super::chunk::{Chunk, Decoded, Sample, crc32c};
use crate::zstd_frame;

/// One message of a columnar chunk: its column values and its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The stamp column's value.
    pub stamp_delta: u64,
    /// The value of each further column, ascending by bit.
    pub columns: Vec<u64>,
    /// The payload.
    pub block: Vec<u8>,
    /// What it decodes to.
    pub decoded: Decoded,
}

/// A columnar chunk in the making: what is `None` is computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Columnar {
    pub stream_ref: u32,
    pub codec: u8,
    pub field_mask: u16,
    pub flags: u16,
    pub message_count: Option<u32>,
    pub min_stamp_ns: u64,
    pub record_ts_base_ns: u64,
    pub wall_base_ns: u64,
    pub source_base_ns: u64,
    pub seq_first: u32,
    pub block_bytes: u32,
    pub columns_length: Option<u64>,
    pub blocks_length: Option<u64>,
    pub payload_crc32c: Option<u32>,
    /// The messages.
    pub rows: Vec<Row>,
    /// Width of the sequence column, four bytes unless a case says otherwise.
    pub sequence_width: Option<usize>,
    /// The column region before compression, where it is not the rows'.
    pub columns: Option<Vec<u8>>,
    /// The block region before compression, where it is not the rows'.
    pub blocks: Option<Vec<u8>>,
    /// The block region as stored under codec 1, where it is not a frame of it.
    pub stored_blocks: Option<Vec<u8>>,
    /// Bytes between the regions.
    pub gap: Vec<u8>,
}

impl Columnar {
    /// An empty columnar chunk, sorted, with a delta base and a block size.
    pub fn new(stream_ref: u32, min_stamp_ns: u64, block_bytes: u32) -> Self {
        Columnar {
            stream_ref,
            min_stamp_ns,
            block_bytes,
            flags: 1,
            ..Columnar::default()
        }
    }

    /// With these mask bits.
    pub fn mask(self, field_mask: u16) -> Self {
        Columnar { field_mask, ..self }
    }

    /// With a base for bits 0, 1 and 2.
    pub fn bases(self, record_ts: u64, wall: u64, source: u64) -> Self {
        Columnar {
            record_ts_base_ns: record_ts,
            wall_base_ns: wall,
            source_base_ns: source,
            ..self
        }
    }

    /// With a first sequence.
    pub fn seq_first(self, seq_first: u32) -> Self {
        Columnar { seq_first, ..self }
    }

    /// With one more message.
    pub fn row(mut self, delta: u64, columns: &[u64], block: &[u8], decoded: Decoded) -> Self {
        let columns = columns.to_vec();
        self.rows.push(Row {
            stamp_delta: delta,
            columns,
            block: block.to_vec(),
            decoded,
        });
        self
    }

    /// Both regions stored as one zstd frame each.
    pub fn zstd(self) -> Self {
        Columnar {
            codec: Codec::ZSTD.0,
            ..self
        }
    }

    /// Whole messages with payloads of one length, coded as §6.5 prescribes:
    /// the bases, mask and values of the row-wise form, in columns.
    pub fn of(stream_ref: u32, samples: &[Sample]) -> Self {
        let rows = Chunk::of(stream_ref, samples);
        let block_bytes = samples.first().map_or(0, |sample| sample.payload.len());
        let mut chunk = Columnar::new(
            stream_ref,
            rows.min_stamp_ns,
            u32::try_from(block_bytes).unwrap_or(u32::MAX),
        )
        .mask(rows.field_mask)
        .bases(
            rows.record_ts_base_ns,
            rows.wall_base_ns,
            rows.source_base_ns,
        )
        .seq_first(rows.seq_first);
        chunk.flags = rows.flags;
        for (index, sample) in (0u64..).zip(samples) {
            let delta = sample.decoded.stamp.saturating_sub(rows.min_stamp_ns);
            let columns = rows.code(index, &sample.decoded);
            chunk = chunk.row(delta, &columns, &sample.payload, sample.decoded);
        }
        chunk
    }

    /// The column region that the rows make, before compression.
    pub fn column_region(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for row in &self.rows {
            out.extend_from_slice(&row.stamp_delta.to_le_bytes());
        }
        let columns = self
            .rows
            .iter()
            .map(|row| row.columns.len())
            .max()
            .unwrap_or_default();
        let mut bits = (0u16..16).filter(|bit| self.field_mask >> bit & 1 == 1);
        for column in 0..columns {
            let width = match bits.next() {
                Some(3) => self.sequence_width.unwrap_or(4),
                _ => 8,
            };
            for row in &self.rows {
                let value = row.columns.get(column).copied().unwrap_or_default();
                out.extend(value.to_le_bytes().iter().take(width));
            }
        }
        out
    }

    fn block_region(&self) -> Vec<u8> {
        self.rows
            .iter()
            .flat_map(|row| row.block.iter().copied())
            .collect()
    }

    pub(crate) fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        let columns = self.columns.clone().unwrap_or_else(|| self.column_region());
        let blocks = self.blocks.clone().unwrap_or_else(|| self.block_region());
        let (columns, blocks) = match Codec(self.codec) {
            Codec::ZSTD => (
                zstd_frame::raw(&columns),
                self.stored_blocks
                    .clone()
                    .unwrap_or_else(|| zstd_frame::raw(&blocks)),
            ),
            _ => (columns, blocks),
        };
        let wide = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let header = ColumnarHeader {
            stream_ref: self.stream_ref,
            codec: Codec(self.codec),
            field_mask: FieldMask(self.field_mask),
            flags: self.flags,
            message_count: self.count(),
            min_stamp_ns: self.min_stamp_ns,
            max_stamp_ns: self.max_stamp(),
            record_ts_base_ns: self.record_ts_base_ns,
            wall_base_ns: self.wall_base_ns,
            source_base_ns: self.source_base_ns,
            seq_first: self.seq_first,
            block_bytes: self.block_bytes,
            columns_length: self.columns_length.unwrap_or(wide(&columns)),
            blocks_length: self.blocks_length.unwrap_or(wide(&blocks)),
            payload_crc32c: self
                .payload_crc32c
                .unwrap_or(crc32c(&[columns.as_slice(), &blocks].concat())),
        };
        header.encode(out)?;
        out.raw("columns", &columns);
        if !self.gap.is_empty() {
            out.raw("gap", &self.gap);
        }
        out.raw("blocks", &blocks);
        Ok(())
    }

    pub(crate) fn count(&self) -> u32 {
        self.message_count
            .unwrap_or(u32::try_from(self.rows.len()).unwrap_or(u32::MAX))
    }

    pub(crate) fn max_stamp(&self) -> u64 {
        self.rows
            .iter()
            .map(|row| row.decoded.stamp)
            .max()
            .unwrap_or_default()
    }

    pub(crate) fn views(&self) -> Vec<MessageView> {
        self.rows
            .iter()
            .map(|row| row.decoded.view(self.stream_ref, &row.block))
            .collect()
    }
}
