//! Schemas of a file, the claims of its streams, and payloads beside both.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_reader::l1::BytesSource;
use ca3_reports::{FileReport, Limits, Severity};
use ca3_validate::{DEFAULT_LIMITS, validate};
use ca3_wire::records::{Schema, Stream};
use support::recording::Recording;

fn counted(number: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![
        number << 3 | 2,
        u8::try_from(body.len() & 0x7F).unwrap() | 0x80,
    ];
    out.push(u8::try_from(body.len() >> 7).unwrap());
    out.extend_from_slice(body);
    out
}

/// A set of `message M { float x = 1; repeated float y = 2; }` without any option.
fn unannotated(message: &str) -> Vec<u8> {
    let field = |name: &str, number: u8, label: u8| {
        counted(
            2,
            &[
                counted(1, name.as_bytes()),
                vec![3 << 3, number, 4 << 3, label, 5 << 3, 2],
            ]
            .concat(),
        )
    };
    let declared = [
        counted(1, message.as_bytes()),
        field("x", 1, 1),
        field("y", 2, 3),
    ]
    .concat();
    let file = [
        counted(1, b"m.proto"),
        counted(2, b"p"),
        counted(4, &declared),
        counted(12, b"proto3"),
    ]
    .concat();
    counted(1, &file)
}

fn schema(schema_ref: u32, name: &str) -> Schema {
    Schema {
        schema_ref,
        schema_id: format!("p.{name}"),
        encoding: "protobuf".to_owned(),
        descriptor: unannotated(name),
    }
}

fn stream(stream_ref: u32, schema_ref: u32, schema_conformance: u8) -> Stream {
    Stream {
        stream_ref,
        schema_ref,
        schema_conformance,
        topic: format!("t{stream_ref}"),
        ..Stream::default()
    }
}

/// What is found of schemas, streams and payloads.
fn found(report: &FileReport) -> Vec<(Severity, &'static str)> {
    report
        .findings
        .iter()
        .filter(|it| it.rule.starts_with("CA3-5."))
        .map(|it| (it.severity, it.rule))
        .collect()
}

const SOUND: [u8; 5] = [1 << 3 | 5, 0, 0, 0x80, 0x3F];

#[test]
fn a_claim_that_is_not_met_is_an_error_and_without_one_all_is_information() {
    let of = |claims: &[u8]| {
        let mut recording = Recording::default().record(&schema(1, "M"));
        for (stream_ref, claim) in (1..).zip(claims) {
            recording = recording.record(&stream(stream_ref, 1, *claim));
        }
        support::judge(&recording.chunk(1, &[SOUND.to_vec()]).bytes())
    };
    use Severity::{Error, Info, Warning};
    let unclaimed = of(&[0]);
    assert_eq!(unclaimed.account, "one stream: one undeclared");
    assert_eq!(
        found(&unclaimed),
        [
            (Info, "CA3-5.1-12"),
            (Info, "CA3-5.2-03"),
            (Info, "CA3-5.2-03"),
            (Info, "CA3-5.2-05"),
        ]
    );
    let claimed = of(&[1, 0, 2]);
    assert_eq!(
        claimed.account,
        "three streams: two well-formed by claim only, one undeclared"
    );
    assert_eq!(
        found(&claimed),
        [
            (Warning, "CA3-5.1-12"),
            (Error, "CA3-5.2-03"),
            (Error, "CA3-5.2-03"),
            (Error, "CA3-5.2-05"),
            (Error, "CA3-5.2-09"),
            (Error, "CA3-5.2-09"),
            (Info, "CA3-5.7-08"),
        ]
    );
    let paths: Vec<_> = claimed
        .findings
        .iter()
        .filter_map(|it| it.path.as_deref())
        .collect();
    assert_eq!(paths, ["m.proto", "M.x", "M.y", "M.y"]);
    let missed = claimed
        .findings
        .iter()
        .find(|it| it.rule == "CA3-5.2-09")
        .unwrap();
    assert_eq!(missed.stream_ref, Some(1));
    assert!(
        missed.message.contains("clauses 2, 4"),
        "{}",
        missed.message
    );
}

/// A payload that is none of its schema: an error where the stream claims, else a
/// warning; in a compressed chunk as well, and a million of them are counted.
#[test]
fn payloads_are_held_against_their_schema() {
    // A float of three bytes.
    let bad = vec![1 << 3 | 5, 0, 0, 0];
    let of = |claim: u8| {
        let recording = Recording::default()
            .record(&schema(1, "M"))
            .record(&stream(1, 1, claim))
            .chunk(1, &[SOUND.to_vec(), bad.clone()])
            .compressed(1, &[bad.clone(), bad.clone()]);
        support::judge(&recording.bytes())
    };
    let payloads = |report: &FileReport| -> Vec<_> {
        let flawed = report.findings.iter().filter(|it| it.rule == "CA3-5.1-15");
        flawed
            .map(|it| (it.severity, it.chunk_offset.is_some(), it.message_index))
            .collect()
    };
    let claimed = of(1);
    let one = |severity, index| (severity, true, Some(index));
    let each = |severity| [one(severity, 1), one(severity, 0), one(severity, 1)];
    assert_eq!(payloads(&claimed), each(Severity::Error));
    assert_eq!(payloads(&of(0)), each(Severity::Warning));
    let many: Vec<Vec<u8>> = vec![bad; 50_000];
    let recording = Recording::default()
        .record(&schema(1, "M"))
        .record(&stream(1, 1, 1))
        .chunk(1, &many);
    let report = support::judge(&recording.bytes());
    let total = report
        .totals
        .iter()
        .find(|it| it.rule == "CA3-5.1-15")
        .unwrap();
    assert_eq!((total.total, total.shown), (50_000, 10));
}

#[test]
fn what_payloads_are_not_held_against_is_said() {
    let other = Schema {
        encoding: "flatpack".to_owned(),
        ..schema(3, "M")
    };
    let unnamed = Schema {
        schema_id: "p.N".to_owned(),
        ..schema(4, "M")
    };
    let aligned = Stream {
        block_alignment: 1,
        ..stream(5, 1, 0)
    };
    let mut recording = Recording::default()
        .record(&schema(1, "M"))
        .record(&other)
        .record(&unnamed)
        .record(&stream(1, 0, 0))
        .record(&stream(2, 0, 0))
        .record(&stream(3, 3, 0))
        .record(&stream(4, 4, 0))
        .record(&aligned);
    for stream_ref in 1..=6 {
        recording = recording.chunk(stream_ref, &[SOUND.to_vec()]);
    }
    let report = support::judge(&recording.bytes());
    let open: Vec<String> = report
        .unchecked
        .iter()
        .filter(|it| it.in_part && it.rules.iter().any(|rule| rule == "CA3-5.9-09"))
        .map(|it| format!("{}: {}", it.what, it.reason))
        .collect();
    assert_eq!(
        open,
        [
            "payloads of stream 6 beside a schema: a chunk stands ahead of the definition that it needs",
            "payloads of streams 1, 2 beside a schema: it is undescribed: it names no schema",
            "payloads of stream 4 beside a schema: no message can be taken from the descriptor of its schema",
            "payloads of stream 3 beside a schema: the encoding of its schema is none that this format names",
            "block_offset of stream 5 beside the payloads: the message of its schema declares no form that is a block",
        ]
    );
    assert!(
        report
            .findings
            .iter()
            .any(|it| it.rule == "CA3-5.1-11" && it.severity == Severity::Error)
    );
}

/// A descriptor that the memory limit has no room for is named, and nothing is lost of
/// what was found before.
#[test]
fn a_descriptor_beyond_the_limit_leaves_the_scan_incomplete() {
    let recording = Recording::default()
        .record(&schema(1, "M"))
        .record(&stream(1, 1, 1));
    let limits = Limits {
        memory: 4 << 10,
        ..DEFAULT_LIMITS
    };
    let report = validate(&mut BytesSource(&recording.bytes()), "limit.ca3", limits);
    assert!(!report.scan_complete);
    assert!(report.incomplete.unwrap().contains("memory"));
}
