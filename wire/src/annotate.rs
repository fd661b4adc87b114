//! A whole file, field by field, for a person.
//!
//! The walk goes from the leading magic through every record, judges nothing
//! and survives anything: a record whose content does not decode is noted with
//! its fault and stepped over, since its frame says where it ends. Only a frame
//! that leads past the end of the file stops it.

use ca3_spec::MAGIC;
use ca3_spec::opcode::{self, op};

use crate::columnar::Columns;
use crate::error::Fault;
use crate::frame::RecordFrame;
use crate::records::{
    Annotations, Attachment, Checkpoint, ChunkHeader, ChunkIndex, ClockBlock, ColumnarHeader,
    Footer, Header, MessageOffsets, Metadata, Record, Schema, Session, Statistics, Stream,
    StreamDirectory, SummaryOffset,
};
use crate::rows::{Messages, Rows};
use crate::width::wide;
use crate::{Budget, Cursor, Span, Trace, WireError};

/// The most records that are annotated; the walk stops behind them.
pub const MAX_RECORDS: usize = 100_000;
/// The most spans kept of one record; its content is decoded all the same.
pub const MAX_SPANS: usize = 10_000;
/// The most bytes that one compressed chunk may come to while it is checked.
pub const MAX_DECOMPRESSED: u64 = 64 << 20;

/// One stretch of a file: a magic, a record, or a tail that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotated {
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// The record's opcode; `None` for a magic or a tail.
    pub opcode: Option<u8>,
    /// The record's name, `magic`, `tail`, or empty where version 1 has no
    /// name for the opcode.
    pub name: &'static str,
    /// Bytes of content; the whole length of a magic or a tail.
    pub content_length: u64,
    /// Its fields in the order of their bytes, frame first; [`MAX_SPANS`] and
    /// the frame at most.
    pub spans: Vec<Span>,
    /// What keeps it from being decoded.
    pub error: Option<WireError>,
}

/// Annotates a whole file.
pub fn annotate(file: &[u8]) -> Vec<Annotated> {
    let mut pieces = vec![leading(file)];
    let mut offset = wide(MAGIC.len()).min(wide(file.len()));
    while let Some(rest) = from(file, offset).filter(|rest| !rest.is_empty()) {
        if pieces.len() > MAX_RECORDS {
            break;
        }
        if rest == MAGIC {
            pieces.push(piece("magic", offset, rest, None));
            break;
        }
        match record(file, rest, offset) {
            Ok((annotated, end)) => {
                pieces.push(annotated);
                offset = end;
            }
            Err(error) => {
                pieces.push(piece("tail", offset, rest, Some(error)));
                break;
            }
        }
    }
    pieces
}

fn from(file: &[u8], offset: u64) -> Option<&[u8]> {
    file.get(usize::try_from(offset).ok()?..)
}

fn piece(name: &'static str, offset: u64, bytes: &[u8], error: Option<WireError>) -> Annotated {
    let trace = Trace::default();
    Cursor::traced(bytes, offset, "", &trace).rest(name);
    let (content_length, spans) = (wide(bytes.len()), trace.into_spans());
    Annotated {
        offset,
        opcode: None,
        name,
        content_length,
        spans,
        error,
    }
}

fn leading(file: &[u8]) -> Annotated {
    let magic = file.get(..MAGIC.len()).unwrap_or(file);
    let fault = || {
        WireError::new(
            0,
            "magic",
            Fault::Magic {
                found: magic.to_vec(),
            },
        )
    };
    piece("magic", 0, magic, (magic != MAGIC).then(fault))
}

/// The record at the start of `rest`, and the offset behind it.
fn record(file: &[u8], rest: &[u8], offset: u64) -> Result<(Annotated, u64), WireError> {
    let frame = RecordFrame::decode(rest, offset)?;
    let end = frame.end_within(wide(file.len()))?;
    let head = Trace::default();
    let mut cursor = Cursor::traced(rest, offset, "", &head);
    cursor.u8("opcode")?;
    cursor.u64("content_length")?;
    let start = cursor.offset();
    let content = cursor.peek(frame.content_length).unwrap_or_default();

    let trace = Trace::with_limit(MAX_SPANS);
    let error = decode(frame.opcode, content, start, &trace).err();
    let mut spans = trace.into_spans();
    spans.sort_by_key(|span| span.offset);
    let annotated = Annotated {
        offset,
        opcode: Some(frame.opcode),
        name: opcode::entry(frame.opcode).map_or("", |entry| entry.name),
        content_length: frame.content_length,
        spans: head.into_spans().into_iter().chain(spans).collect(),
        error,
    };
    Ok((annotated, end))
}

fn decode(opcode: u8, content: &[u8], offset: u64, trace: &Trace) -> Result<(), WireError> {
    match opcode {
        op::HEADER => fields::<Header>(content, offset, trace),
        op::FOOTER => fields::<Footer>(content, offset, trace),
        op::SCHEMA => fields::<Schema>(content, offset, trace),
        op::STREAM => fields::<Stream>(content, offset, trace),
        op::CHUNK => rows(content, offset, trace),
        op::SESSION => fields::<Session>(content, offset, trace),
        op::CHECKPOINT => fields::<Checkpoint>(content, offset, trace),
        op::CHUNK_INDEX => fields::<ChunkIndex>(content, offset, trace),
        op::STREAM_DIRECTORY => fields::<StreamDirectory>(content, offset, trace),
        op::CLOCK_BLOCK => fields::<ClockBlock>(content, offset, trace),
        op::COLUMNAR_CHUNK => columns(content, offset, trace),
        op::METADATA => fields::<Metadata>(content, offset, trace),
        op::ATTACHMENT => fields::<Attachment>(content, offset, trace),
        op::STATISTICS => fields::<Statistics>(content, offset, trace),
        op::ANNOTATIONS => fields::<Annotations>(content, offset, trace),
        op::SUMMARY_OFFSET => fields::<SummaryOffset>(content, offset, trace),
        op::MESSAGE_OFFSETS => fields::<MessageOffsets>(content, offset, trace),
        _ => {
            Cursor::traced(content, offset, "", trace).rest("content");
            Ok(())
        }
    }
}

/// A record's known fields, and what follows them.
fn fields<R: Record>(content: &[u8], offset: u64, trace: &Trace) -> Result<(), WireError> {
    let mut cursor = Cursor::traced(content, offset, "", trace);
    if R::decode(&mut cursor).is_ok() {
        cursor.rest("(unknown)");
    }
    // A second time for the fault alone, with the record's name in its path.
    R::from_content(content, offset).map(|_| ())
}

fn rows(content: &[u8], offset: u64, trace: &Trace) -> Result<(), WireError> {
    let mut cursor = Cursor::traced(content, offset, "", trace);
    if let Ok((header, blob)) = ChunkHeader::split_from(&mut cursor) {
        if header.codec.compresses() == Ok(false) {
            let blob_offset = cursor.offset();
            Messages::traced(&header, blob, blob_offset, trace)
                .take_while(|_| !trace.is_full())
                .for_each(drop);
        } else {
            cursor.rest("records");
        }
    }
    let rows = Rows::open(content, offset, &mut Budget::new(MAX_DECOMPRESSED))?;
    rows.messages().try_for_each(|message| message.map(|_| ()))
}

fn columns(content: &[u8], offset: u64, trace: &Trace) -> Result<(), WireError> {
    let mut cursor = Cursor::traced(content, offset, "", trace);
    let header = ColumnarHeader::split_from(&mut cursor).map(|(header, _, _)| header);
    let columns = Columns::open(content, offset, &mut Budget::new(MAX_DECOMPRESSED));
    match (&header, &columns) {
        (Ok(header), Ok(columns)) if header.codec.compresses() == Ok(false) => {
            columns.trace(trace);
        }
        (Ok(header), _) => {
            cursor.raw("columns", header.columns_length)?;
            cursor.rest("blocks");
        }
        (Err(_), _) => {}
    }
    columns?
        .messages()
        .try_for_each(|message| message.map(|_| ()))
}

#[cfg(test)]
mod tests;
