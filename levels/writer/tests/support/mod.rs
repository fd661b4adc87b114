//! Small recordings, and what the reader and the validator make of them.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "each test program uses a part of it, and a test may fail"
)]

mod files;
mod full;

use std::num::NonZeroU32;

use ca3_reader::l1::BytesSource;
use ca3_reports::FileReport;
use ca3_spec::protocol::MessageView;
use ca3_wire::OwnedMessage;
use ca3_wire::records::{Header, Stream};
use ca3_writer::{Layout, Options, Writer};

pub use files::{clock, read, records};
pub use full::Full;

pub fn number(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

pub fn options(chunk_messages: u32) -> Options {
    Options {
        chunk_messages: number(chunk_messages),
        checkpoint_chunks: None,
        ..Options::default()
    }
}

/// Of the recorder's own host, with both clock sources (§4.3).
pub fn header() -> Header {
    Header {
        library: "a test".to_owned(),
        host_id: "host".to_owned(),
        host_clock_epoch: "boot".to_owned(),
        monotonic_source: "clock_gettime(CLOCK_BOOTTIME)".to_owned(),
        anchor_monotonic_ns: 5,
        anchor_wall_unix_ns: 1_700_000_000_000_000_000,
        anchor_wall_source: "clock_gettime(CLOCK_REALTIME)".to_owned(),
        ..Header::default()
    }
}

pub fn stream(stream_ref: u32) -> Stream {
    Stream {
        stream_ref,
        topic: format!("topic/{stream_ref}"),
        node: "node".to_owned(),
        origin: 1,
        source_clock_domain: "device".to_owned(),
        host_id: "host".to_owned(),
        host_clock_epoch: "boot".to_owned(),
        ..Stream::default()
    }
}

pub fn at(stamp: u64, payload: &[u8]) -> OwnedMessage {
    OwnedMessage {
        monotonic_timestamp_ns: stamp,
        payload: payload.to_vec(),
        ..OwnedMessage::default()
    }
}

/// A file with stream 1 and these messages.
pub fn written(options: Options, messages: &[OwnedMessage]) -> Vec<u8> {
    let mut writer = Writer::create(Vec::new(), header(), options).unwrap();
    writer.stream(&stream(1), Layout::Rows).unwrap();
    for message in messages {
        writer.message(1, message.clone()).unwrap();
    }
    writer.seal().unwrap().sink
}

pub fn owned(view: &MessageView) -> OwnedMessage {
    OwnedMessage {
        monotonic_timestamp_ns: view.monotonic_timestamp_ns.0,
        record_ts_ns: view.record_ts_ns.map(|it| it.0),
        wall_clock_ns: view.wall_clock_ns.map(|it| it.0),
        source_timestamp_ns: view.source_timestamp_ns.map(|it| it.0),
        sequence: view.sequence,
        payload: view.payload.0.clone(),
    }
}

/// The messages of a stream, in stored order.
pub fn messages(bytes: &[u8], stream_ref: u32) -> Vec<OwnedMessage> {
    let read = read(bytes);
    let own = read.messages.iter();
    own.filter(|message| message.stream_ref == stream_ref)
        .map(owned)
        .collect()
}

pub fn judge(bytes: &[u8]) -> FileReport {
    ca3_validate::validate(
        &mut BytesSource(bytes),
        "file.ca3",
        ca3_validate::DEFAULT_LIMITS,
    )
}

/// What the validator finds, a line each.
pub fn findings(bytes: &[u8]) -> Vec<String> {
    let report = judge(bytes);
    assert!(report.scan_complete, "{:?}", report.incomplete);
    let line = |it: &ca3_reports::Finding| {
        format!(
            "{} {} at {}: {} {:?}",
            it.rule, it.field, it.offset, it.message, it.evidence
        )
    };
    report.findings.iter().map(line).collect()
}

/// The contents of the records of an opcode.
pub fn contents(bytes: &[u8], opcode: u8) -> Vec<Vec<u8>> {
    let of_opcode = records(bytes).into_iter().filter(|it| it.0 == opcode);
    of_opcode.map(|it| it.2).collect()
}
