//! What a whole file gives back.

use super::build::{chunk_content, schema, stream};
use super::*;
use ca3_spec::opcode::op;
use ca3_spec::protocol::{CalendarTime, Decimal, Hex, SkippedView};
use ca3_wire::records::{
    Attachment, Checkpoint, ClockBlock, Header, MessageOffsets, Metadata, Record, Schema, Session,
    Stream,
};
use ca3_wire::{Codec, Map};

#[test]
fn the_smallest_sealed_file_is_whole_and_empty() {
    let result = accepted(&File::new().sealed());
    assert!(result.sealed && result.complete);
    assert_eq!(result.stopped_at, None);
    assert_eq!(result.calendar_time, CalendarTime::Known);
    assert_eq!(result.header.host_id, "host");
    assert_eq!(result.header.attributes["a"], "b");
    assert_eq!(result.session, None);
    assert!(result.schemas.is_empty() && result.streams.is_empty());
    assert!(result.messages.is_empty() && result.skipped.is_empty());
    assert!(result.problems.is_empty());
}

#[test]
fn no_wall_anchor_means_no_calendar_time() {
    let mut file = File::magic();
    file.record(&Header {
        anchor_monotonic_ns: 5,
        ..Header::default()
    });
    assert_eq!(accepted(&file.sealed()).calendar_time, CalendarTime::None);
}

#[test]
fn messages_of_every_layout_and_codec_come_back_in_file_order() {
    let mut file = File::with_stream();
    file.chunk(1, 9);
    file.raw(op::CHUNK, &chunk_content(1, Codec::ZSTD, 3));
    file.columnar(1, Codec::NONE, 7);
    file.columnar(1, Codec::ZSTD, 5);
    let result = accepted(&file.sealed());
    assert_eq!(payloads(&result), [9, 9, 3, 3, 7, 7, 5, 5]);
    let message = &result.messages[0];
    assert_eq!(message.stream_ref, 1);
    assert_eq!(message.monotonic_timestamp_ns, Decimal(1_009));
    assert_eq!(message.record_ts_ns, None);
    assert_eq!(message.wall_clock_ns, Some(Decimal(5_000)));
    assert_eq!(message.source_timestamp_ns, None);
    assert_eq!(message.sequence, Some(10));
    assert_eq!(message.payload, Hex(vec![9]));
}

#[test]
fn definitions_are_listed_once_and_ascending() {
    let mut file = File::with_features(0);
    file.record(&stream(7, 0));
    file.record(&stream(2, 3));
    file.record(&schema(3));
    file.record(&schema(1));
    file.chunk(2, 1);
    let file = file.sealed_with(|file| {
        for schema_ref in [1, 3] {
            file.record(&schema(schema_ref));
        }
        file.record(&stream(2, 3));
        file.record(&stream(7, 0));
    });
    let result = accepted(&file);
    let schemas: Vec<_> = result
        .schemas
        .iter()
        .map(|schema| schema.schema_ref)
        .collect();
    let streams: Vec<_> = result
        .streams
        .iter()
        .map(|stream| stream.stream_ref)
        .collect();
    assert_eq!((schemas, streams), (vec![1, 3], vec![2, 7]));
    // SHA-256 of 01 02 03, computed apart from this crate.
    let digest = "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81";
    assert_eq!(result.schemas[0].descriptor_sha256.to_string(), digest);
    assert_eq!(result.schemas[0].schema_id, "a.B1");
    assert!(result.problems.is_empty());
}

#[test]
fn a_definition_that_stands_only_in_a_checkpoint_counts() {
    let mut file = File::new();
    let checkpoint = Checkpoint {
        schemas: vec![schema(1).content().unwrap()],
        streams: vec![stream(1, 1).content().unwrap()],
        clock_block: ClockBlock::default().content().unwrap(),
        ..Checkpoint::default()
    };
    file.record(&checkpoint);
    file.chunk(1, 4);
    let result = accepted(&file.sealed());
    assert_eq!(payloads(&result), [4, 4]);
    assert_eq!((result.schemas.len(), result.streams.len()), (1, 1));
}

#[test]
fn bytes_that_are_not_defined_are_read_as_the_document_says() {
    let mut file = File::new();
    for (stream_ref, operator_asserted_by, schema_conformance, origin) in
        [(1, 0, 0, 3), (2, 4, 1, 9), (3, 5, 2, 0), (4, 255, 3, 0)]
    {
        file.record(&Stream {
            operator_asserted_by,
            schema_conformance,
            origin,
            ..stream(stream_ref, 0)
        });
    }
    file.record(&Session {
        operator_asserted_by: 7,
        ..Session::default()
    });
    let result = accepted(&file.sealed());
    let read: Vec<_> = result
        .streams
        .iter()
        .map(|stream| {
            (
                stream.operator_asserted_by,
                stream.schema_conformance,
                stream.origin,
            )
        })
        .collect();
    assert_eq!(read, [(0, 0, 3), (4, 1, 9), (0, 1, 0), (0, 0, 0)]);
    assert_eq!(result.session.unwrap().operator_asserted_by, 0);
}

#[test]
fn the_last_session_is_in_force_whole() {
    let mut file = File::new();
    let session = |study: &str, operator: &str| Session {
        study: study.to_owned(),
        operator: operator.to_owned(),
        ..Session::default()
    };
    file.record(&session("A", "x"));
    file.record(&session("B", ""));
    let read = accepted(&file.sealed()).session.unwrap();
    assert_eq!((read.study.as_str(), read.operator.as_str()), ("B", ""));
}

#[test]
fn skippable_records_are_reported_by_opcode_offset_and_name() {
    let mut file = File::with_stream();
    // What is inside is never looked at.
    let unknown = file.raw(0x7F, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0x89, b'C', b'A', b'3']);
    let reserved = file.raw(op::METADATA_INDEX, &[]);
    file.chunk(1, 2);
    let private = file.raw(0xC0, b"x");
    file.raw(op::PADDING, &[0xFF; 300]);
    let result = accepted(&file.sealed());
    let skipped = |opcode, offset, name: Option<&str>| SkippedView {
        opcode,
        offset: Decimal(offset),
        name: name.map(str::to_owned),
    };
    let expected = [
        skipped(0x7F, unknown, None),
        skipped(0x41, reserved, Some("MetadataIndex")),
        skipped(0xC0, private, None),
    ];
    assert_eq!(result.skipped, expected);
    assert_eq!(payloads(&result), [2, 2]);
    assert!(result.complete);
}

#[test]
fn records_that_only_annotate_change_no_message() {
    let mut file = File::with_stream();
    file.record(&Metadata {
        name: "n".to_owned(),
        entries: Map::sorted([("k", "v")]),
    });
    file.record(&Attachment {
        data: vec![1],
        ..Attachment::default()
    });
    file.raw(op::STATISTICS, b"a layout of somebody's own");
    file.chunk(1, 2);
    file.record(&MessageOffsets {
        chunk_offset: 1,
        offsets: vec![0, 9],
    });
    let result = accepted(&file.sealed());
    assert_eq!(payloads(&result), [2, 2]);
    assert!(result.problems.is_empty() && result.skipped.is_empty());
}

/// Reading G52: the file is read all the same.
#[test]
fn a_fault_inside_a_skippable_record_is_named_and_no_more() {
    let mut file = File::with_stream();
    let mut content = Metadata {
        name: "n".to_owned(),
        ..Metadata::default()
    }
    .content()
    .unwrap();
    content[4] = 0xFF;
    let metadata = file.raw(op::METADATA, &content);
    let mut table = MessageOffsets {
        chunk_offset: 1,
        offsets: vec![4, 5],
    }
    .content()
    .unwrap();
    table[20] = 4;
    let offsets = file.raw(op::MESSAGE_OFFSETS, &table);
    let annotations = file.raw(op::ANNOTATIONS, &[0xFF; 20]);
    file.chunk(1, 2);
    let result = accepted(&file.sealed());
    assert!(result.sealed && result.complete);
    assert_eq!(payloads(&result), [2, 2]);
    let expected = [
        (Kind::BadUtf8, Some(metadata)),
        (Kind::BadOrder, Some(offsets)),
        (Kind::BadLength, Some(annotations)),
    ];
    assert_eq!(problems(&result), expected);
}

#[test]
fn records_that_may_grow_are_read_when_they_have() {
    let mut file = File::magic();
    let grown = |content: Vec<u8>| [content, vec![0xEE; 5]].concat();
    file.raw(op::HEADER, &grown(Header::default().content().unwrap()));
    file.raw(op::SCHEMA, &grown(schema(1).content().unwrap()));
    file.raw(op::STREAM, &grown(stream(1, 1).content().unwrap()));
    file.raw(op::SESSION, &grown(Session::default().content().unwrap()));
    file.chunk(1, 6);
    let result = accepted(&file.sealed());
    assert_eq!(payloads(&result), [6, 6]);
    assert!(result.session.is_some());
}

#[test]
fn an_over_declared_feature_is_no_fault() {
    assert!(accepted(&File::with_features(0b101).sealed()).complete);
}

#[test]
fn a_stream_without_its_last_two_fields_claims_no_alignment() {
    let mut file = File::new();
    let mut content = stream(1, 0).content().unwrap();
    content.truncate(content.len() - 8);
    file.raw(op::STREAM, &content);
    let aligned = Stream {
        block_alignment: 4096,
        block_offset: 3,
        ..stream(2, 0)
    };
    file.record(&aligned);
    let result = accepted(&file.sealed());
    let read: Vec<_> = result
        .streams
        .iter()
        .map(|stream| (stream.block_alignment, stream.block_offset))
        .collect();
    assert_eq!(read, [(0, 0), (4096, 3)]);
}

/// Reading G98: what a writer must not state is no ground for a reader's refusal.
#[test]
fn a_block_offset_without_an_alignment_is_passed_on() {
    let mut file = File::new();
    file.record(&Stream {
        block_offset: 5,
        ..stream(1, 0)
    });
    let result = accepted(&file.sealed());
    let read: Vec<_> = result
        .streams
        .iter()
        .map(|stream| (stream.block_alignment, stream.block_offset))
        .collect();
    assert_eq!(read, [(0, 5)]);
}

#[test]
fn a_chunk_of_no_messages_gives_none() {
    let mut file = File::with_stream();
    file.raw(op::CHUNK, &super::build::blob_content(1, 0, 0, &[]));
    assert!(accepted(&file.sealed()).messages.is_empty());
}

#[test]
fn an_unused_schema_may_be_empty() {
    let mut file = File::new();
    file.record(&Schema {
        schema_ref: 9,
        ..Schema::default()
    });
    assert_eq!(accepted(&file.sealed()).schemas.len(), 1);
}
