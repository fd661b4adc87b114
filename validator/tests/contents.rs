//! What a report says that a file holds, of vectors and of recordings made here. Each
//! expectation is what the vector's schema says and its bytes show (`ca3-validate dump`).

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::process::Command;

use ca3_reports::contents::{
    ByteSpan, ChunkSpan, Claim, CodecUse, Contents, Degraded, FileLayout, RecorderCounts,
    SchemaContents, StreamClock, StreamContents, TensorAxis, TensorComponent, TensorForm, TimeSpan,
};
use ca3_spec::opcode::op;
use ca3_vectors::Corpus;
use ca3_wire::frame::framed;
use ca3_wire::records::{ChunkHeader, DegradedInterval, Record as _, Stream};
use ca3_wire::{Codec, Encoder, crc, varint};
use support::recording::{HOST, Recording};

fn vector(id: &str) -> Vec<u8> {
    let cases = Corpus::embedded().cases().unwrap();
    let case = cases.into_iter().find(|case| case.sidecar.id == id);
    case.unwrap_or_else(|| panic!("no case {id}"))
        .valid
        .unwrap()
}

fn held(bytes: &[u8]) -> Contents {
    support::judge(bytes).contents.unwrap()
}

fn chunk(from_ns: u64, to_ns: u64, messages: u64) -> ChunkSpan {
    ChunkSpan {
        from_ns,
        to_ns,
        chunks: 1,
        messages,
    }
}

fn part(from: u64, to: u64, records: u64) -> ByteSpan {
    ByteSpan { from, to, records }
}

/// The clock that vectors are stamped on.
fn clock(checkpoints: &[u64]) -> StreamClock {
    StreamClock {
        host_id: "rec-host".to_owned(),
        epoch: "boot-1".to_owned(),
        checkpoints: checkpoints.to_vec(),
        checkpoint_count: u64::try_from(checkpoints.len()).unwrap(),
    }
}

/// Stream 1 of vectors: uncompressed rows, and no loss in the directory.
fn stream(spans: &[ChunkSpan], bytes: u64) -> StreamContents {
    let chunks = u64::try_from(spans.len()).unwrap();
    StreamContents {
        stream_ref: 1,
        topic: "topic-1".to_owned(),
        clock: Some(0),
        row_chunks: chunks,
        codecs: vec![CodecUse {
            codec: "none".to_owned(),
            chunks,
        }],
        messages: spans.iter().map(|span| span.messages).sum(),
        bytes,
        first_ns: spans.first().map(|span| span.from_ns),
        last_ns: spans.last().map(|span| span.to_ns),
        spans: spans.to_vec(),
        recorder: Some(RecorderCounts::default()),
        ..StreamContents::default()
    }
}

#[test]
fn a_tensor_form_has_its_shape_units_and_frames() {
    let component = |name: &str, unit: &str, frame: &str| TensorComponent {
        name: name.to_owned(),
        unit: unit.to_owned(),
        frame: frame.to_owned(),
        validity: false,
    };
    let axis = |name: &str, length: &str| TensorAxis {
        name: name.to_owned(),
        length: length.to_owned(),
    };
    let gaze = "conformance.gaze.v1";
    let form = TensorForm {
        message: "ca3.conformance.v1.GazeSample".to_owned(),
        id: "conformance.gaze.tensor.v1".to_owned(),
        element_type: "FLOAT32".to_owned(),
        axes: vec![axis("eye", "3"), axis("component", "8")],
        components: vec![
            component("origin_x", "m", gaze),
            component("origin_y", "m", gaze),
            component("origin_z", "m", gaze),
            component("direction_x", "1", gaze),
            component("direction_y", "1", gaze),
            component("direction_z", "1", gaze),
            component("openness", "1", ""),
            TensorComponent {
                validity: true,
                ..component("valid", "", "")
            },
        ],
        ..TensorForm::default()
    };
    let expected = Contents {
        clocks: vec![clock(&[])],
        streams: vec![StreamContents {
            schema_ref: 1,
            schema_id: "ca3.conformance.v1.GazeSample".to_owned(),
            claim: Claim::WellFormed,
            gap_from_ns: 1,
            ..stream(&[chunk(2000, 2000, 1)], 232)
        }],
        schemas: vec![SchemaContents {
            schema_ref: 1,
            schema_id: "ca3.conformance.v1.GazeSample".to_owned(),
            encoding: "protobuf".to_owned(),
            described: true,
            forms: vec![form],
            more_forms: 0,
        }],
        layout: FileLayout {
            chunks: vec![part(16_200, 16_432, 1)],
            // Schema, Stream, ChunkIndex, StreamDirectory, Statistics.
            summary: Some(part(16_432, 32_753, 5)),
            ..FileLayout::default()
        },
        ..Contents::default()
    };
    assert_eq!(held(&vector("ca3/5.8-fixtures-judged/gaze")), expected);
}

#[test]
fn forms_of_blocks_and_of_rows_name_what_their_lengths_are_taken_from() {
    let form = |name: &str| {
        let held = held(&vector(&format!("ca3/5.8-fixtures-judged/{name}")));
        held.schemas[0].forms[0].clone()
    };
    let eeg = form("eeg");
    let lengths: Vec<&str> = eeg.axes.iter().map(|axis| axis.length.as_str()).collect();
    assert_eq!(lengths, ["one per channels", "as samples_per_channel says"]);
    assert_eq!(eeg.components[0].unit, "uV");
    let body = form("body");
    assert_eq!((&*body.block, &*body.byte_order), ("joints", "LITTLE"));
    assert_eq!(body.components[0].frame, "conformance.body.v1");
}

#[test]
fn checkpoints_stand_behind_the_chunks_in_front_of_them() {
    let spans = [100, 200, 300, 400].map(|at| chunk(at, at, 1));
    let expected = Contents {
        clocks: vec![clock(&[200, 400])],
        // Chunks come 100 ns apart, five times that is a gap.
        streams: vec![StreamContents {
            gap_from_ns: 500,
            ..stream(&spans, 380)
        }],
        layout: FileLayout {
            chunks: vec![part(266, 456, 2), part(775, 965, 2)],
            checkpoints: vec![456, 965],
            checkpoint_count: 2,
            summary: Some(part(1174, 1729, 4)),
        },
        ..Contents::default()
    };
    let bytes = vector("ca3/8.1-checkpoint-judged/entry-left-out");
    assert_eq!(held(&bytes), expected);
    // The program prints the same.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ca3");
    std::fs::write(&path, &bytes).unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
        .arg(&path)
        .arg("--json")
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&program.stdout).unwrap();
    let printed = serde_json::to_value(&expected).unwrap();
    assert_eq!(report["files"][0]["contents"], printed);
    let page = Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
        .arg(&path)
        .args(["--format", "html"])
        .output()
        .unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("1 chunk, 1 message, 100 to 100 ns (0 ns)"));
    assert!(page.contains("2 checkpoints</li>") && page.contains("4 chunks</text>"));
}

#[test]
fn chunks_of_one_stamp_overlap_there() {
    let held = held(&vector("ca3/7.2-overlap-judged/bit-cleared"));
    let stream = &held.streams[0];
    assert_eq!(stream.spans, [chunk(0, 50, 2), chunk(50, 90, 2)]);
    let overlap = TimeSpan {
        from_ns: 50,
        to_ns: 50,
    };
    assert_eq!(
        (&stream.overlaps[..], stream.overlap_count),
        (&[overlap][..], 1)
    );
}

#[test]
fn columns_are_told_from_rows() {
    let held = held(&vector("ca3/6.5-columnar-chunk-judged/columnar-undeclared"));
    let stream = &held.streams[0];
    assert_eq!((stream.row_chunks, stream.columnar_chunks), (0, 1));
}

/// A chunk of messages without payloads.
fn record(stream_ref: u32, stamps: &[u64]) -> Vec<u8> {
    let (first, last) = (stamps[0], stamps[stamps.len() - 1]);
    let mut blob = Vec::new();
    for stamp in stamps {
        let mut body = Vec::new();
        varint::encode(stamp - first, &mut body);
        varint::encode(u64::try_from(body.len()).unwrap(), &mut blob);
        blob.extend(body);
    }
    let length = u64::try_from(blob.len()).unwrap();
    let header = ChunkHeader {
        stream_ref,
        codec: Codec::NONE,
        message_count: u32::try_from(stamps.len()).unwrap(),
        min_stamp_ns: first,
        max_stamp_ns: last,
        uncompressed_bytes: length,
        records_crc32c: crc::crc32c(&blob),
        records_length: length,
        ..ChunkHeader::default()
    };
    let mut out = Encoder::plain();
    header.encode(&mut out).unwrap();
    framed(op::CHUNK, &[out.into_bytes(), blob].concat())
}

#[test]
fn gaps_degraded_times_and_clocks_are_those_of_the_stream() {
    let mut recording = Recording::default().stream(1, 0, "").stream_of(Stream {
        stream_ref: 2,
        topic: "/far".to_owned(),
        host_id: "other".to_owned(),
        host_clock_epoch: "boot-9".to_owned(),
        nominal_rate_millihz: 1_000_000,
        schema_conformance: 1,
        ..Stream::default()
    });
    recording.0.extend([
        record(1, &[0, 10]),
        record(1, &[20, 30]),
        record(1, &[200, 210]),
        record(2, &[0, 1_000_000]),
        record(2, &[6_000_000]),
        record(2, &[11_000_001]),
        record(3, &[5]),
    ]);
    let interval = DegradedInterval {
        stream_ref: 2,
        from_ns: 4,
        to_ns: u64::MAX,
        reason: "r".repeat(1_000),
    };
    let held = held(&recording.mapped_degraded(&[], &[interval]).bytes());
    let hosts: Vec<_> = held
        .clocks
        .iter()
        .map(|clock| (&*clock.host_id, &*clock.epoch))
        .collect();
    assert_eq!(hosts, [(HOST, ""), ("other", "boot-9")]);
    let [near, far, lost] = &held.streams[..] else {
        panic!("{:?}", held.streams)
    };
    assert_eq!(
        (near.clock, far.clock, lost.clock),
        (Some(0), Some(1), None)
    );
    assert_eq!(
        (near.claim, far.claim, lost.claim),
        (Claim::Undeclared, Claim::ByClaimOnly, Claim::Undefined)
    );
    let time = |from_ns, to_ns| TimeSpan { from_ns, to_ns };
    // Messages and chunks come 10 ns apart.
    assert_eq!(
        (near.gap_from_ns, &near.gaps[..]),
        (50, &[time(30, 200)][..])
    );
    // A kilohertz: five milliseconds are none yet.
    assert_eq!(far.gap_from_ns, 5_000_000);
    assert_eq!(far.gaps, [time(6_000_000, 11_000_001)]);
    let degraded = Degraded {
        from_ns: 4,
        to_ns: u64::MAX,
        reason: format!("{}...", "r".repeat(197)),
    };
    assert_eq!(
        (&far.degraded[..], far.degraded_count),
        (&[degraded][..], 1)
    );
    assert_eq!((lost.messages, lost.first_ns), (1, Some(5)));
}

#[test]
fn however_much_there_is_what_is_told_is_bounded() {
    let mut recording = Recording::default().stream(1, 0, "");
    // Ever longer times between chunks.
    let many = (0..5_000).map(|at| record(1, &[at * at]));
    recording.0.extend(many);
    recording
        .0
        .extend((2..2_002).map(|stream| record(stream, &[1])));
    let held = held(&recording.bytes());
    assert_eq!((held.streams.len(), held.more_streams), (1_000, 1_001));
    let spans = &held.streams[0].spans;
    assert!(spans.len() <= 6, "{}", spans.len());
    assert_eq!(spans.iter().map(|span| span.chunks).sum::<u64>(), 5_000);
    assert_eq!(held.streams[0].last_ns, Some(4_999 * 4_999));
    assert_eq!(held.layout.chunks.len(), 1);
}
