//! Item 3: records that a reader may ignore change no message (§7.5, §12, §13).

use ca3_spec::opcode::op;
use ca3_wire::Map;
use ca3_wire::records::{
    AnnotationEntry, Annotations, Attachment, MessageOffsets, Metadata, Record,
};

use super::{Page, between_chunks, later_chunk, one_stream, plan, small};
use crate::draft::Draft;
use crate::plan::{Chunk, Plan, crc32c, stream};

/// An Attachment whose checksum holds (reading G08).
pub(super) fn attachment() -> Attachment {
    let data = b"calibration".to_vec();
    Attachment {
        name: "calibration.bin".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        created_unix_ns: 1,
        data_crc32c: crc32c(&data),
        data,
    }
}

fn metadata() -> Metadata {
    Metadata {
        name: "notes".to_owned(),
        entries: Map::sorted([("a", "1"), ("b", "2")]),
    }
}

/// A chunk's messages by their places in the blob: `one` takes 5 bytes (len,
/// delta, payload), and `two` follows.
fn message_offsets(chunk_offset: u64) -> MessageOffsets {
    MessageOffsets {
        chunk_offset,
        offsets: vec![0, 5],
    }
}

fn annotations(first_chunk_offset: u64) -> Annotations {
    Annotations {
        keys: vec!["trial".to_owned()],
        values: vec!["1".to_owned()],
        entries: vec![AnnotationEntry {
            stream_ref: 1,
            start_stamp_ns: 2_000,
            end_stamp_ns: 2_010,
            first_chunk_offset,
            ..AnnotationEntry::default()
        }],
    }
}

/// A file with every skippable record that version 1 defines.
pub(super) fn all_defined(plan: Plan) -> Plan {
    let plan = plan.stream(stream(1)).chunk(Chunk::two(1));
    let offset = plan.offset_of("Chunk 1");
    plan.annotation(&metadata())
        .annotation(&attachment())
        .annotation(&annotations(offset))
        .record(op::PADDING, b"padding")
        .chunk(later_chunk())
        .group(
            op::MESSAGE_OFFSETS,
            &message_offsets(offset).content().unwrap_or_default(),
        )
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let v = page.values("message-offsets");
    let plan_of = small(&v);
    let offset = plan_of.offset_of("Chunk 1");
    let table = message_offsets(offset).content().unwrap_or_default();
    let offsets = Draft::new(
        "message-offsets",
        &["CA3-7.5-01"],
        "MessageOffsets changes no message",
    )
    .valid(plan_of.group(op::MESSAGE_OFFSETS, &table))
    .wrong_answer("fewer messages than without the table, or a refusal");

    let v = page.values("annotations");
    let with = small(&v);
    let table = annotations(with.offset_of("Chunk 1"));
    let annotated = Draft::new(
        "annotations",
        &["CA3-12-01"],
        "Annotations change no message",
    )
    .valid(with.annotation(&table).chunk(later_chunk()))
    .may_report_any()
    .wrong_answer("fewer messages than without the index, or a refusal");

    let v = page.values("statistics-of-another-layout");
    let statistics = Draft::new(
        "statistics-of-another-layout",
        &["CA3-13.2-01"],
        "Statistics whose content has a layout of its own change no message",
    )
    .valid(small(&v).statistics_content(&[0xFF; 61]))
    .may_report_any()
    .wrong_answer("a refusal, from parsing a record that may be ignored");

    let v = page.values("metadata-and-attachment");
    let free = Draft::new(
        "metadata-and-attachment",
        &["CA3-13.3-01"],
        "Metadata and Attachment between chunks change no message",
    )
    .valid(
        small(&v)
            .annotation(&metadata())
            .annotation(&attachment())
            .chunk(later_chunk()),
    )
    .may_report_any()
    .wrong_answer("fewer messages than without them, or a refusal");

    let v = page.values("padding-anywhere");
    let filler: Vec<u8> = [&ca3_spec::MAGIC[..], b"CA3POINT", &ca3_spec::MAGIC[..]].concat();
    let padded = plan(&v)
        .record(op::PADDING, &filler)
        .stream(stream(1))
        .record(op::PADDING, &[])
        .chunk(Chunk::two(1))
        .record(op::PADDING, &filler)
        .chunk(later_chunk())
        .record(op::PADDING, &filler)
        .group(op::PADDING, &filler);
    let padding = Draft::new(
        "padding-anywhere",
        &["CA3-13.4-02"],
        "Padding among all records, holding magic and sentinel bytes",
    )
    .valid(padded)
    .wrong_answer("its bytes are taken for the end of the file or for a checkpoint");

    let v = page.values("no-messages");
    let empty = Draft::new(
        "no-messages",
        &["CA3-2.4-01"],
        "streams without a message, and Padding for company",
    )
    .valid(
        one_stream(&v)
            .stream(stream(2))
            .record(op::PADDING, &[0; 32]),
    )
    .wrong_answer("a refusal, or an invented message");

    let v = page.values("skippable-between-chunks");
    let private = Draft::new(
        "skippable-between-chunks",
        &["CA3-3.1-06"],
        "a private skippable record of a kilobyte between two chunks",
    )
    .valid(between_chunks(&v, 0xD0, &[0x05; 1024]))
    .wrong_answer("fewer messages than without it");
    vec![
        offsets, annotated, statistics, free, padding, empty, private,
    ]
}
