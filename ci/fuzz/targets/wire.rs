//! Every record's page over any bytes: an opcode, then a content.
//!
//! Decoding never panics; what decodes is encoded to the same bytes where the
//! record says all that its bytes say, and in any case to bytes that decode to
//! the same value.

#![no_main]

use std::fmt::Debug;

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::annotate::annotate;
use ca3_wire::columnar::{Columns, write_columns};
use ca3_wire::frame::framed;
use ca3_wire::records::{
    Annotations, Attachment, Checkpoint, ChunkHeader, ChunkIndex, ClockBlock, ColumnarHeader,
    Footer, Header, MessageOffsets, Metadata, Record, Schema, Session, Statistics, Stream,
    StreamDirectory, SummaryOffset,
};
use ca3_wire::rows::{Messages, Rows, write_messages};
use ca3_wire::{Budget, Codec, Cursor, Encoder, OwnedMessage, Trace, WireError};
use libfuzzer_sys::fuzz_target;

/// Where the content lies.
const BASE: u64 = 1 << 20;
/// What decompression may come to.
const BUDGET: u64 = 16 << 20;
/// Bits of a field mask that version 1 steps over: their values are not kept.
const UNKNOWN_BITS: u16 = 0xFF00;

fn placed(error: &WireError, content: &[u8]) {
    let end = BASE + content.len() as u64;
    assert!(
        (BASE..=end).contains(&error.offset),
        "a fault outside the content: {error:?}"
    );
}

/// Whether a table of the content has entries of another size than version 1's,
/// of which only the known part is kept.
fn has_wide_entries<R: Record>(content: &[u8]) -> bool {
    let known = match R::OPCODE {
        op::CHUNK_INDEX | op::CHECKPOINT => "56",
        op::STREAM_DIRECTORY => "73",
        op::STATISTICS | op::ANNOTATIONS => "40",
        _ => "4",
    };
    let trace = Trace::default();
    let _ = R::decode(&mut Cursor::traced(content, 0, "", &trace));
    let spans = trace.into_spans();
    let mut strides = spans
        .iter()
        .filter(|span| span.field.ends_with("entry_size"));
    strides.any(|span| span.value != known)
}

fn page<R: Record + PartialEq + Debug>(content: &[u8], keeps_all: impl FnOnce(&R) -> bool) {
    let record = match R::from_content(content, BASE) {
        Ok(record) => record,
        Err(error) => return placed(&error, content),
    };
    let encoded = record.content().expect("what was decoded has an encoding");
    let again = R::from_content(&encoded, BASE).expect("what was encoded decodes");
    if keeps_all(&record) {
        assert_eq!(again, record, "decoded, encoded, decoded");
        if encoded.len() == content.len() && !has_wide_entries::<R>(content) {
            assert_eq!(encoded, content, "decoded and encoded");
        }
    }
}

/// A chunk's header, behind which its messages follow.
fn header_of<R: Record>(header: &R, content: &[u8]) {
    let encoded = header.content().expect("what was decoded has an encoding");
    assert!(
        content.starts_with(&encoded),
        "a header decoded and encoded"
    );
}

/// The messages, where all of them decode.
fn messages<'a, I>(found: I, content: &[u8]) -> Option<Vec<OwnedMessage>>
where
    I: Iterator<Item = Result<ca3_wire::Message<'a>, WireError>>,
{
    let mut owned = Vec::new();
    // A chunk claims as many empty messages as it likes: a few thousand will do.
    for message in found.take(4096) {
        match message {
            Ok(message) => owned.push(message.to_owned()),
            Err(error) => {
                placed(&error, content);
                return None;
            }
        }
    }
    (owned.len() < 4096).then_some(owned)
}

fn rows(content: &[u8]) {
    if let Ok((header, _)) = ChunkHeader::split(content, BASE) {
        header_of(&header, content);
    }
    let rows = match Rows::open(content, BASE, &mut Budget::new(BUDGET)) {
        Ok(rows) => rows,
        Err(error) => return placed(&error, content),
    };
    let Some(messages) = messages(rows.messages(), content) else {
        return;
    };
    if rows.header.field_mask.0 & UNKNOWN_BITS != 0 {
        return;
    }
    let mut out = Encoder::plain();
    if write_messages(&rows.header, &messages, &mut out).is_ok() {
        let blob = out.into_bytes();
        // A sequence is a code modulo 2^32: more than one stands for it.
        if rows.header.field_mask.has_sequence() {
            let again =
                Messages::new(&rows.header, &blob, BASE).map(|it| it.map(|it| it.to_owned()));
            assert_eq!(
                again.collect::<Result<Vec<_>, _>>(),
                Ok(messages),
                "messages, encoded and decoded"
            );
        } else {
            assert_eq!(blob, *rows.blob, "messages decoded and encoded");
        }
    }
}

fn columns(content: &[u8]) {
    if let Ok((header, _, _)) = ColumnarHeader::split(content, BASE) {
        header_of(&header, content);
    }
    let columns = match Columns::open(content, BASE, &mut Budget::new(BUDGET)) {
        Ok(columns) => columns,
        Err(error) => return placed(&error, content),
    };
    let Some(messages) = messages(columns.messages(), content) else {
        return;
    };
    let header = &columns.header;
    if header.codec != Codec(0) || header.field_mask.0 & UNKNOWN_BITS != 0 {
        return;
    }
    let Ok((_, stored, blocks)) = ColumnarHeader::split(content, BASE) else {
        return;
    };
    let mut out = Encoder::plain();
    if write_columns(header, &messages, &mut out).is_ok() {
        // As in rows, a sequence has more than one code.
        if !header.field_mask.has_sequence() {
            assert_eq!(out.into_bytes(), stored, "columns decoded and encoded");
        }
        let payloads: Vec<u8> = messages.iter().flat_map(|it| it.payload.clone()).collect();
        assert_eq!(payloads, blocks, "blocks decoded and encoded");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((opcode, content)) = bytes.split_first() else {
        return;
    };
    match *opcode {
        op::HEADER => page::<Header>(content, |_| true),
        op::FOOTER => page::<Footer>(content, |_| true),
        op::SCHEMA => page::<Schema>(content, |_| true),
        op::STREAM => page::<Stream>(content, |_| true),
        op::CHUNK => rows(content),
        op::SESSION => page::<Session>(content, |_| true),
        // Reading G42: the trailer's copy of the number is not written from itself.
        op::CHECKPOINT => page::<Checkpoint>(content, |checkpoint| {
            checkpoint.trailer_checkpoint_seq == checkpoint.checkpoint_seq
        }),
        op::CHUNK_INDEX => page::<ChunkIndex>(content, |_| true),
        op::STREAM_DIRECTORY => page::<StreamDirectory>(content, |_| true),
        op::CLOCK_BLOCK => page::<ClockBlock>(content, |_| true),
        op::COLUMNAR_CHUNK => columns(content),
        op::METADATA => page::<Metadata>(content, |_| true),
        op::ATTACHMENT => page::<Attachment>(content, |_| true),
        op::STATISTICS => page::<Statistics>(content, |_| true),
        op::ANNOTATIONS => page::<Annotations>(content, |_| true),
        op::SUMMARY_OFFSET => page::<SummaryOffset>(content, |_| true),
        op::MESSAGE_OFFSETS => page::<MessageOffsets>(content, |_| true),
        _ => {}
    }
    let file = [&MAGIC[..], &framed(*opcode, content)].concat();
    let covered: u64 = annotate(&file)
        .iter()
        .map(|piece| piece.content_length + if piece.opcode.is_some() { 9 } else { 0 })
        .sum();
    assert_eq!(covered, file.len() as u64, "every byte is annotated once");
});
