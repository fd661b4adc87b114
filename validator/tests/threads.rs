//! Chunks that are judged side by side: the report is the same as one after another.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

use std::num::NonZeroUsize;

use ca3_reader::l1::BytesSource;
use ca3_reports::{FileReport, Limits, Severity};
use ca3_schema::frames::Catalogue;
use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_validate::{DEFAULT_LIMITS, validate_in};
use ca3_vectors::Corpus;
use ca3_wire::frame::framed;
use ca3_wire::records::{ChunkHeader, Header, Record, Stream};
use ca3_wire::rows::encode_chunk;
use ca3_wire::{Codec, OwnedMessage};

fn on(threads: usize, bytes: &[u8], limits: Limits) -> FileReport {
    let threads = NonZeroUsize::new(threads).unwrap();
    let mut source = BytesSource(bytes);
    validate_in(&mut source, "a.ca3", limits, Catalogue::bundled(), threads)
}

#[test]
fn every_vector_has_the_same_report_on_several_threads() {
    let mut files = 0;
    for case in Corpus::embedded().cases().unwrap() {
        for bytes in [&case.valid, &case.invalid].into_iter().flatten() {
            let one = on(1, bytes, DEFAULT_LIMITS);
            assert_eq!(on(3, bytes, DEFAULT_LIMITS), one, "{}", case.sidecar.id);
            files += 1;
        }
    }
    assert!(files > 1000, "{files}");
}

/// A chunk of three messages, in either codec; every hundredth is large enough to be
/// worth waiting by itself, and so begins a batch.
fn chunk(number: u64, codec: Codec) -> (ChunkHeader, Vec<u8>) {
    let mut random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut noise = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        random.to_le_bytes()[7]
    };
    let length = if number.is_multiple_of(100) {
        30_000
    } else {
        40
    };
    let messages: Vec<OwnedMessage> = (0..3)
        .map(|index| OwnedMessage {
            monotonic_timestamp_ns: 1_000 * (number + 1) + index,
            payload: (0..length).map(|_| noise()).collect(),
            ..OwnedMessage::default()
        })
        .collect();
    encode_chunk(1, codec, &messages).unwrap()
}

fn record((header, blob): (ChunkHeader, Vec<u8>)) -> Vec<u8> {
    let content = [header.content().unwrap(), blob].concat();
    framed(op::CHUNK, &content)
}

/// An unfinished file of 9,000 chunks, more than wait at a time: every seventh has
/// another checksum, every eleventh another least stamp, every thirteenth a bit that is
/// reserved.
fn spoilt() -> Vec<u8> {
    let header = Header {
        required_features: 1,
        monotonic_source: "CLOCK_BOOTTIME".to_owned(),
        ..Header::default()
    };
    let stream = Stream {
        stream_ref: 1,
        ..Stream::default()
    };
    let mut bytes = MAGIC.to_vec();
    bytes.extend(framed(op::HEADER, &header.content().unwrap()));
    bytes.extend(framed(op::STREAM, &stream.content().unwrap()));
    for number in 0..9_000 {
        let codec = if number % 2 == 0 {
            Codec::NONE
        } else {
            Codec::ZSTD
        };
        let (mut header, blob) = chunk(number, codec);
        if number % 7 == 0 {
            header.records_crc32c ^= 1;
        }
        if number % 11 == 0 {
            header.max_stamp_ns += 1;
        }
        if number % 13 == 0 {
            header.flags |= 0x10;
        }
        bytes.extend(record((header, blob)));
    }
    bytes
}

#[test]
fn what_is_shown_and_what_is_counted_does_not_depend_on_threads() {
    let bytes = spoilt();
    for findings_per_rule in [1, 10, 10_000] {
        let limits = Limits {
            findings_per_rule,
            ..DEFAULT_LIMITS
        };
        let one = on(1, &bytes, limits);
        for threads in [2, 5] {
            assert_eq!(on(threads, &bytes, limits), one, "{threads} threads");
        }
        let total = |rule: &str| {
            let total = one.totals.iter().find(|total| total.rule == rule);
            total.map(|total| (total.severity, total.total, total.shown))
        };
        let shown = |count: u64| count.min(findings_per_rule);
        // 9000 / 7, 9000 / 11 and 9000 / 13, rounded up; of the second, those that are
        // also the first are not looked into: 9000 / 77.
        for (rule, severity, count) in [
            ("CA3-6.1-05", Severity::Error, 1286),
            ("CA3-6.1-12", Severity::Error, 819 - 117),
            ("CA3-6.1-18", Severity::Warning, 693),
        ] {
            assert_eq!(total(rule), Some((severity, count, shown(count))), "{rule}");
        }
    }
}

#[test]
fn a_memory_limit_ends_at_the_same_place_on_several_threads() {
    let bytes = spoilt();
    for memory in [0, 1_000, 20_000, 100_000, 1_000_000] {
        let limits = Limits {
            memory,
            ..DEFAULT_LIMITS
        };
        let one = on(1, &bytes, limits);
        assert!(!one.scan_complete, "{memory}");
        assert_eq!(on(4, &bytes, limits), one, "{memory}");
    }
}
