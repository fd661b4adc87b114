//! A chunk's messages, back to back (§6.1, §6.2).
//!
//! ```text
//! len          varint   bytes behind it, for this message
//! stamp_delta  varint
//! bit 0        varint   record_ts_ns, a delta
//! bit 1        varint   wall_clock_ns: 0 absent, else 1 + zigzag skew
//! bit 2        varint   source_timestamp_ns: 0 absent, else 1 + zigzag
//! bit 3        varint   sequence: 0 absent, else 1 + zigzag
//! bits 8-15    varint   one each, stepped over
//! payload      what is left of len
//! ```

mod encode;
mod latest;
mod quick;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(crate) use encode::count;
pub use encode::{chunk_header, encode_chunk, write_messages};

use crate::compress::{self, Expander};
use crate::error::Fault;
use crate::message::{Bases, Message};
use crate::records::ChunkHeader;
use crate::width::wide;
use crate::{Budget, Cursor, FieldMask, Trace, WireError, crc};

/// A chunk whose blob is checked against its header and decompressed.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    /// The header.
    pub header: ChunkHeader,
    /// The messages' bytes.
    pub blob: Cow<'a, [u8]>,
    /// Absolute offset of the blob as stored.
    pub blob_offset: u64,
    /// Whether the blob came out of compressed bytes.
    is_expanded: bool,
}

impl<'a> Rows<'a> {
    /// Opens a whole chunk content that lies at absolute offset
    /// `content_offset`; decompressed bytes are spent from the budget.
    ///
    /// # Errors
    /// In this order: a header that is cut short or whose `records_length` is
    /// not what follows, an unassigned codec, a reserved mask bit, a checksum
    /// that does not hold, a blob that does not decompress to
    /// `uncompressed_bytes`.
    pub fn open(
        content: &'a [u8],
        content_offset: u64,
        budget: &mut Budget,
    ) -> Result<Self, WireError> {
        Rows::opened(content, content_offset, |stored, length| {
            compress::expand(stored, length, budget).map(Cow::Owned)
        })
    }

    /// The same, with the decompressor and the room of an earlier chunk.
    ///
    /// # Errors
    /// Those of [`Rows::open`].
    pub fn open_in(
        content: &'a [u8],
        content_offset: u64,
        budget: &mut Budget,
        expander: &'a mut Expander,
    ) -> Result<Self, WireError> {
        Rows::opened(content, content_offset, expander.each(budget))
    }

    fn opened(
        content: &'a [u8],
        content_offset: u64,
        mut expand: impl FnMut(&[u8], u64) -> Result<Cow<'a, [u8]>, Fault>,
    ) -> Result<Self, WireError> {
        let (header, stored) = ChunkHeader::split(content, content_offset)?;
        let fault = |field: u64, name: &str, fault: Fault| {
            WireError::new(
                content_offset.saturating_add(field),
                format!("Chunk.{name}"),
                fault,
            )
        };
        let is_expanded = header
            .codec
            .compresses()
            .map_err(|found| fault(4, "codec", found))?;
        header
            .field_mask
            .without(FieldMask::MUST_UNDERSTAND)
            .map_err(|found| fault(5, "field_mask", found))?;
        let (stated, computed) = (header.records_crc32c, crc::crc32c(stored));
        if stated != computed {
            return Err(fault(65, "records_crc32c", Fault::Crc { stated, computed }));
        }
        let blob_offset = content_offset.saturating_add(ChunkHeader::BYTES);
        let blob = if is_expanded {
            expand(stored, header.uncompressed_bytes)
                .map_err(|found| fault(ChunkHeader::BYTES, "records", found))?
        } else {
            // Reading G50: `uncompressed_bytes` binds compressed blobs alone.
            Cow::Borrowed(stored)
        };
        Ok(Rows {
            header,
            blob,
            blob_offset,
            is_expanded,
        })
    }

    /// The messages, one at a time.
    pub fn messages(&self) -> Messages<'_> {
        Messages::over(self.cursor(), &self.header)
    }

    /// A cursor at the start of the blob.
    fn cursor(&self) -> Cursor<'_> {
        if self.is_expanded {
            Cursor::pinned(&self.blob, self.blob_offset, "Chunk")
        } else {
            Cursor::new(&self.blob, self.blob_offset, "Chunk")
        }
    }

    /// Bytes that [`Rows::open`] spent from the budget.
    pub fn spent(&self) -> u64 {
        if self.is_expanded {
            wide(self.blob.len())
        } else {
            0
        }
    }
}

/// The messages of a blob in stored order, each decoded when asked for.
///
/// A fault ends the iteration; so does the last message, behind which nothing
/// may be left.
#[derive(Clone, Debug)]
pub struct Messages<'a> {
    cursor: Cursor<'a>,
    bases: Bases,
    count: u32,
    state: State,
}

/// Where an iteration stands.
#[derive(Clone, Copy, Debug)]
enum State {
    /// In front of the message of that index.
    Before(u32),
    /// At the end, or behind a fault.
    Done,
}

impl<'a> Messages<'a> {
    /// The messages of an uncompressed blob that lies at absolute offset
    /// `blob_offset`; a reserved mask bit is the first thing to be reported.
    pub fn new(header: &ChunkHeader, blob: &'a [u8], blob_offset: u64) -> Self {
        Messages::over(Cursor::new(blob, blob_offset, "Chunk"), header)
    }

    /// The same, noting every field in `trace` as `message[3].stamp_delta`,
    /// without the record's name in front.
    pub fn traced(
        header: &ChunkHeader,
        blob: &'a [u8],
        blob_offset: u64,
        trace: &'a Trace,
    ) -> Self {
        Messages::over(Cursor::traced(blob, blob_offset, "", trace), header)
    }

    fn over(cursor: Cursor<'a>, header: &ChunkHeader) -> Self {
        let (bases, count) = (Bases::from(header), header.message_count);
        Messages {
            cursor,
            bases,
            count,
            state: State::Before(0),
        }
    }

    /// Hands out every message that is left, until a fault: the same as the iteration,
    /// in less time.
    ///
    /// # Errors
    /// The fault that ends it.
    pub fn each(mut self, mut take: impl FnMut(&Message<'a>)) -> Result<(), WireError> {
        let is_plain = self.bases.field_mask == FieldMask(0);
        while let Some(message) = self.next() {
            take(&message?);
            if is_plain {
                self.stretch::<true>(&mut take);
            } else {
                self.stretch::<false>(&mut take);
            }
        }
        Ok(())
    }

    /// As many messages as follow with which nothing is wrong.
    fn stretch<const PLAIN: bool>(&mut self, take: &mut impl FnMut(&Message<'a>)) {
        let (State::Before(mut index), Some(bytes)) = (self.state, self.cursor.untraced()) else {
            return;
        };
        let (bases, origin) = (self.bases, self.cursor.position());
        let mut place = 0;
        while index < self.count
            && let Some(rest) = bytes.get(place..)
            && let start = origin.saturating_add(wide(place))
            && let Some((message, used)) = quick::quick::<PLAIN>(rest, start, &bases, index)
        {
            take(&message);
            place = place.saturating_add(used);
            index = index.saturating_add(1);
        }
        self.cursor.pass(place);
        self.state = State::Before(index);
    }

    fn advance(&mut self, index: u32) -> Result<Option<Message<'a>>, WireError> {
        if index == 0 {
            let header = self.cursor.offset().saturating_sub(ChunkHeader::BYTES);
            self.bases
                .field_mask
                .without(FieldMask::MUST_UNDERSTAND)
                .map_err(|fault| {
                    self.cursor
                        .fault_at(header.saturating_add(5), "field_mask", fault)
                })?;
        }
        if index == self.count {
            self.cursor.finish("records")?;
            return Ok(None);
        }
        let bases = &self.bases;
        self.cursor
            .element("message", u64::from(index), |cursor| {
                read_message(cursor, bases, index)
            })
            .map(Some)
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<Message<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        let State::Before(index) = self.state else {
            return None;
        };
        let item = self.advance(index).transpose();
        self.state = match item {
            Some(Ok(_)) => State::Before(index.saturating_add(1)),
            _ => State::Done,
        };
        item
    }
}

fn read_message<'a>(
    cursor: &mut Cursor<'a>,
    bases: &Bases,
    index: u32,
) -> Result<Message<'a>, WireError> {
    let start = cursor.position();
    if cursor.is_empty() {
        return Err(cursor.fault_at(cursor.offset(), "len", Fault::Short { needed: 1, left: 0 }));
    }
    let length = cursor.varint("len")?;
    let body_start = cursor.position();
    let mut body = cursor.fence(length)?;
    let mask = bases.field_mask;
    let stamp = value(&mut body, "stamp_delta", |delta| {
        Ok((delta, bases.stamp(delta)?))
    })?;
    let (stamp_delta, monotonic_timestamp_ns) = stamp;
    let mut message = Message {
        index,
        monotonic_timestamp_ns,
        record_ts_ns: None,
        wall_clock_ns: None,
        source_timestamp_ns: None,
        sequence: None,
        payload: &[],
        start,
        payload_start: 0,
    };
    if mask.has_record_ts() {
        message.record_ts_ns = value(&mut body, "record_ts_ns", |delta| {
            bases.record_ts(delta).map(Some)
        })?;
    }
    if mask.has_wall_clock() {
        message.wall_clock_ns = value(&mut body, "wall_clock_ns", |code| {
            bases.wall_clock(code, stamp_delta)
        })?;
    }
    if mask.has_source_timestamp() {
        message.source_timestamp_ns = value(&mut body, "source_timestamp_ns", |code| {
            bases.source_timestamp(code)
        })?;
    }
    let sequence = if mask.has_sequence() {
        Some(body.varint("sequence")?)
    } else {
        None
    };
    message.sequence = bases.sequence(index, sequence);
    for bit in 8..16u16 {
        if mask.has(FieldMask(1 << bit)) {
            body.varint(format_args!("(bit {bit})"))?;
        }
    }
    message.payload_start = body_start.saturating_add(body.position());
    message.payload = body.rest("payload");
    Ok(message)
}

/// One varint and what it stands for; the varint is at fault where that
/// leaves 64 bits.
fn value<T>(
    body: &mut Cursor<'_>,
    field: &str,
    decode: impl FnOnce(u64) -> Result<T, Fault>,
) -> Result<T, WireError> {
    let start = body.offset();
    let code = body.varint(field)?;
    decode(code).map_err(|fault| body.fault_at(start, field, fault))
}
