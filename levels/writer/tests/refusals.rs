//! What no conforming writer may write is refused, and nothing of it is written.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::records::{Schema, Stream};
use ca3_wire::{Codec, OwnedMessage};
use ca3_writer::{Layout, Observed, Options, WriteError, Writer};
use support::{at, contents, findings, header, options, stream};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WriteError>, expected: Kind) {
    match result {
        Err(WriteError::Refused { kind, .. }) => assert_eq!(kind, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_no_writer_may_write_is_refused_and_nothing_of_it_is_written() {
    let mut writer = Writer::create(Vec::new(), header(), options(2)).unwrap();
    let schema = |schema_ref| Schema {
        schema_ref,
        ..Schema::default()
    };
    writer.schema(&schema(1)).unwrap();
    writer.stream(&stream(1), Layout::Rows).unwrap();
    let described = Stream {
        schema_ref: 9,
        ..stream(2)
    };
    writer.stream(&described, Layout::Rows).unwrap();
    let before = writer.offset();
    refused(writer.schema(&schema(0)), Kind::ZeroReference);
    refused(writer.schema(&schema(1)), Kind::DuplicateReference);
    refused(writer.stream(&stream(0), Layout::Rows), Kind::ZeroReference);
    refused(
        writer.stream(&stream(1), Layout::Rows),
        Kind::DuplicateReference,
    );
    for (block_alignment, block_offset) in [(3, 0), (8192, 0), (0, 1)] {
        let crooked = Stream {
            block_alignment,
            block_offset,
            ..stream(3)
        };
        refused(writer.stream(&crooked, Layout::Rows), Kind::BadAlignment);
    }
    refused(
        writer.stream(&stream(3), Layout::Columns),
        Kind::UnsupportedFeature,
    );
    refused(writer.message(7, at(1, b"")), Kind::UnresolvedReference);
    refused(writer.message(2, at(1, b"")), Kind::UnresolvedReference);
    refused(writer.flush(7), Kind::UnresolvedReference);
    refused(
        writer.observed(7, Observed::default()),
        Kind::UnresolvedReference,
    );
    let zero = OwnedMessage {
        sequence: Some(0),
        ..at(1, b"")
    };
    assert!(matches!(
        writer.message(1, zero),
        Err(WriteError::Encode(_))
    ));
    for opcode in [
        0x00, 0x01, 0x02, 0x05, 0x07, 0x08, 0x0B, 0x0E, 0x30, 0x44, 0x48, 0x49,
    ] {
        refused(writer.record(opcode, &[]), Kind::Other);
    }
    assert_eq!(writer.offset(), before);
    // What another application needs, and what may be stepped over, goes.
    for opcode in [0x46, 0x60, 0x80, 0xC5] {
        writer.record(opcode, b"theirs").unwrap();
    }
    let mut unassigned = header();
    unassigned.required_features = 1 << 9;
    refused(
        Writer::create(Vec::new(), unassigned, options(1)),
        Kind::UnsupportedFeature,
    );
    let codec = Options {
        codec: Codec(2),
        ..options(1)
    };
    assert!(matches!(
        Writer::create(Vec::new(), header(), codec),
        Err(WriteError::Encode(_))
    ));
}

#[test]
fn columns_refuse_what_breaks_a_boundary_and_close_at_another_length() {
    let mut claimed = header();
    claimed.required_features = 1 << 2;
    let mut writer = Writer::create(Vec::new(), claimed, options(4)).unwrap();
    let aligned = Stream {
        block_alignment: 16,
        ..stream(1)
    };
    writer.stream(&aligned, Layout::Columns).unwrap();
    refused(writer.message(1, at(1, &[0; 17])), Kind::BadAlignment);
    for (stamp, length) in [(1, 16), (2, 16), (3, 32), (4, 32)] {
        writer.message(1, at(stamp, &vec![7; length])).unwrap();
    }
    let bytes = writer.seal().unwrap().sink;
    assert_eq!(contents(&bytes, op::COLUMNAR_CHUNK).len(), 2);
    assert_eq!(findings(&bytes), Vec::<String>::new());
}
