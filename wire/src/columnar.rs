//! A chunk's messages, in columns (§6.5).
//!
//! ```text
//! column region, message_count cells each:
//!   stamp                8   stamp_delta
//!   bit 0 record_ts_ns   8   a delta
//!   bit 1 wall_clock_ns  8   0 absent, else 1 + zigzag skew
//!   bit 2 source_...     8   0 absent, else 1 + zigzag
//!   bit 3 sequence       4   0 absent, else 1 + zigzag
//! block region:
//!   payload i at block_bytes * i
//! ```
//!
//! The wall, source and sequence cells hold §6.3's codes (reading G36).

mod encode;
mod latest;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use encode::{columnar_header, encode_columnar, write_columns};

use crate::compress::{self, Expander};
use crate::error::Fault;
use crate::message::{Bases, Message};
use crate::records::ColumnarHeader;
use crate::width::wide;
use crate::{Budget, FieldMask, Trace, WireError, crc};

/// A columnar chunk whose regions are checked against its header.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    /// The header.
    pub header: ColumnarHeader,
    /// The column region.
    pub columns: Cow<'a, [u8]>,
    /// The block region.
    pub blocks: Cow<'a, [u8]>,
    /// Absolute offset of the column region as stored.
    pub columns_offset: u64,
    /// Absolute offset of the block region as stored.
    pub blocks_offset: u64,
    /// Whether the regions came out of compressed bytes.
    is_expanded: bool,
    bases: Bases,
    /// Where each of [`COLUMNS`] begins in the region, were it there.
    starts: [u64; COLUMNS.len()],
}

/// A column: its name, its mask bit where it has one, and its cells' width.
struct Column {
    /// Its place in [`COLUMNS`].
    place: usize,
    name: &'static str,
    bit: Option<FieldMask>,
    width: u64,
}

/// The columns in the order in which those present stand.
const COLUMNS: [Column; 5] = [
    Column {
        place: 0,
        name: "stamp",
        bit: None,
        width: 8,
    },
    Column {
        place: 1,
        name: "record_ts_ns",
        bit: Some(FieldMask::RECORD_TS),
        width: 8,
    },
    Column {
        place: 2,
        name: "wall_clock_ns",
        bit: Some(FieldMask::WALL_CLOCK),
        width: 8,
    },
    Column {
        place: 3,
        name: "source_timestamp_ns",
        bit: Some(FieldMask::SOURCE_TIMESTAMP),
        width: 8,
    },
    Column {
        place: 4,
        name: "sequence",
        bit: Some(FieldMask::SEQUENCE),
        width: 4,
    },
];

/// Mask bits that have no column: must-understand, or without a width.
const NO_COLUMN: FieldMask = FieldMask::MUST_UNDERSTAND.or(FieldMask::SKIPPABLE);

fn present(mask: FieldMask) -> impl Iterator<Item = &'static Column> {
    COLUMNS
        .iter()
        .filter(move |column| column.bit.is_none_or(|bit| mask.has(bit)))
}

/// Bytes that the columns of one message take.
fn row_width(mask: FieldMask) -> u64 {
    present(mask).map(|column| column.width).sum()
}

/// Where the columns begin, of `count` cells each.
fn starts(mask: FieldMask, count: u64) -> [u64; COLUMNS.len()] {
    let mut next = 0u64;
    COLUMNS.map(|column| {
        let start = next;
        if column.bit.is_none_or(|bit| mask.has(bit)) {
            next = next.saturating_add(column.width.saturating_mul(count));
        }
        start
    })
}

impl<'a> Columns<'a> {
    /// Opens a whole content that lies at absolute offset `content_offset`;
    /// decompressed bytes are spent from the budget.
    ///
    /// # Errors
    /// In this order: a header that is cut short or whose two lengths are not
    /// what follows, an unassigned codec, a reserved mask bit, a checksum that
    /// does not hold, a region that does not decompress, and a region whose
    /// length disagrees with the widths and `message_count`.
    pub fn open(
        content: &'a [u8],
        content_offset: u64,
        budget: &mut Budget,
    ) -> Result<Self, WireError> {
        Columns::opened(content, content_offset, |stored, length| {
            compress::expand(stored, length, budget).map(Cow::Owned)
        })
    }

    /// The same, with the decompressor and the room of an earlier chunk.
    ///
    /// # Errors
    /// Those of [`Columns::open`].
    pub fn open_in(
        content: &'a [u8],
        content_offset: u64,
        budget: &mut Budget,
        expander: &'a mut Expander,
    ) -> Result<Self, WireError> {
        Columns::opened(content, content_offset, expander.each(budget))
    }

    fn opened(
        content: &'a [u8],
        content_offset: u64,
        mut expand: impl FnMut(&[u8], u64) -> Result<Cow<'a, [u8]>, Fault>,
    ) -> Result<Self, WireError> {
        let (header, columns, blocks) = ColumnarHeader::split(content, content_offset)?;
        let fault = |field: u64, name: &str, fault: Fault| {
            let offset = content_offset.saturating_add(field);
            WireError::new(offset, format!("ColumnarChunk.{name}"), fault)
        };
        let is_expanded = header
            .codec
            .compresses()
            .map_err(|found| fault(4, "codec", found))?;
        header
            .field_mask
            .without(NO_COLUMN)
            .map_err(|found| fault(5, "field_mask", found))?;
        let stated = header.payload_crc32c;
        let computed = crc::append(crc::crc32c(columns), blocks);
        if stated != computed {
            return Err(fault(77, "payload_crc32c", Fault::Crc { stated, computed }));
        }
        // Both fit: a count of 32 bits times a width of 32 bits.
        let count = u64::from(header.message_count);
        let columns_length = row_width(header.field_mask).saturating_mul(count);
        let blocks_length = u64::from(header.block_bytes).saturating_mul(count);
        let columns_offset = content_offset.saturating_add(ColumnarHeader::BYTES);
        let blocks_offset = columns_offset.saturating_add(header.columns_length);
        // Reading G22: each region is one frame, checked once decompressed.
        let mut region = |stored: &'a [u8], length: u64, field: u64, name: &str| {
            let bytes = if !is_expanded {
                Cow::Borrowed(stored)
            } else if length == 0 && stored.is_empty() {
                // Reading G79: nothing at all stands for an empty region too.
                Cow::Borrowed(stored)
            } else {
                expand(stored, length).map_err(|found| fault(field, name, found))?
            };
            match wide(bytes.len()) {
                actual if actual == length => Ok(bytes),
                stated => Err(fault(
                    field,
                    name,
                    Fault::Disagrees {
                        stated,
                        actual: length,
                    },
                )),
            }
        };
        let columns = region(columns, columns_length, 61, "columns_length")?;
        let blocks = region(blocks, blocks_length, 69, "blocks_length")?;
        let bases = Bases::from(&header);
        let starts = starts(header.field_mask, count);
        Ok(Columns {
            header,
            columns,
            blocks,
            columns_offset,
            blocks_offset,
            is_expanded,
            bases,
            starts,
        })
    }

    /// Bytes that [`Columns::open`] spent from the budget.
    pub fn spent(&self) -> u64 {
        if !self.is_expanded {
            return 0;
        }
        wide(self.columns.len()).saturating_add(wide(self.blocks.len()))
    }

    /// The payload of message `index`, or `None` where there is no such message.
    pub fn block(&self, index: u32) -> Option<&[u8]> {
        if index >= self.header.message_count {
            return None;
        }
        let length = u64::from(self.header.block_bytes);
        slice(
            &self.blocks,
            length.saturating_mul(u64::from(index)),
            length,
        )
    }

    /// The cell of a message in a column: its value, its place in the region.
    fn cell(&self, column: &Column, index: u32) -> Option<(u64, u64)> {
        let before = self.starts.get(column.place)?;
        let start = before.saturating_add(column.width.saturating_mul(u64::from(index)));
        let mut bytes = [0; 8];
        let stored = slice(&self.columns, start, column.width)?;
        bytes.get_mut(..stored.len())?.copy_from_slice(stored);
        Some((u64::from_le_bytes(bytes), start))
    }

    /// Message `index`, or `None` where there is no such message.
    ///
    /// # Errors
    /// [`Fault::Range`] where stamp arithmetic leaves 64 bits.
    pub fn message(&self, index: u32) -> Option<Result<Message<'_>, WireError>> {
        let payload = self.block(index)?;
        Some(self.decode(index, payload))
    }

    fn decode<'s>(&'s self, index: u32, payload: &'s [u8]) -> Result<Message<'s>, WireError> {
        let [stamp, record_ts, wall_clock, source, sequence] = &COLUMNS;
        let bases = &self.bases;
        let start = u64::from(self.header.block_bytes).saturating_mul(u64::from(index));
        let (stamp_delta, place) = self.cell(stamp, index).unwrap_or_default();
        let monotonic_timestamp_ns = bases
            .stamp(stamp_delta)
            .map_err(|fault| self.fault_in(stamp, index, place, fault))?;
        let value = |column: &Column, decode: &dyn Fn(u64) -> Result<Option<u64>, Fault>| {
            if !column.bit.is_some_and(|bit| bases.field_mask.has(bit)) {
                return Ok(None);
            }
            let (code, place) = self.cell(column, index).unwrap_or_default();
            decode(code).map_err(|fault| self.fault_in(column, index, place, fault))
        };
        let sequence_code = if bases.field_mask.has_sequence() {
            self.cell(sequence, index).map(|(code, _)| code)
        } else {
            None
        };
        Ok(Message {
            index,
            monotonic_timestamp_ns,
            record_ts_ns: value(record_ts, &|delta| bases.record_ts(delta).map(Some))?,
            wall_clock_ns: value(wall_clock, &|code| bases.wall_clock(code, stamp_delta))?,
            source_timestamp_ns: value(source, &|code| bases.source_timestamp(code))?,
            sequence: bases.sequence(index, sequence_code),
            payload,
            start,
            payload_start: start,
        })
    }

    #[cold]
    fn fault_in(&self, column: &Column, index: u32, place: u64, fault: Fault) -> WireError {
        let within = if self.is_expanded { 0 } else { place };
        let offset = self.columns_offset.saturating_add(within);
        WireError::new(
            offset,
            format!("ColumnarChunk.{}[{index}]", column.name),
            fault,
        )
    }

    /// Every message in stored order.
    pub fn messages(&self) -> impl Iterator<Item = Result<Message<'_>, WireError>> {
        (0..self.header.message_count).map_while(|index| self.message(index))
    }

    /// Notes the cells and blocks of an uncompressed chunk in `trace`, as
    /// `message[3].wall_clock_ns`, until the trace is full.
    pub fn trace(&self, trace: &Trace) {
        for index in 0..self.header.message_count {
            if trace.is_full() {
                break;
            }
            for column in present(self.header.field_mask) {
                if let Some((value, place)) = self.cell(column, index) {
                    let offset = self.columns_offset.saturating_add(place);
                    let field = format!("message[{index}].{}", column.name);
                    trace.note(field, offset, column.width, value.to_string());
                }
            }
            if let Some(block) = self.block(index) {
                let place = u64::from(self.header.block_bytes).saturating_mul(u64::from(index));
                let offset = self.blocks_offset.saturating_add(place);
                let field = format!("message[{index}].payload");
                trace.note(
                    field,
                    offset,
                    wide(block.len()),
                    crate::cursor::summary(block),
                );
            }
        }
    }
}

fn slice(region: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    region.get(start..end)
}
