//! A report for tests.

use std::collections::BTreeMap;

use ca3_reports::clocks::{Clocks, Field, Line, Mapping, Plot, Point, Span, Verification};
use ca3_reports::contents::{
    ByteSpan, ChunkSpan, Claim, CodecUse, Contents, Degraded, FileLayout, RecorderCounts,
    SchemaContents, StreamClock, StreamContents, TensorAxis, TensorComponent, TensorForm, TimeSpan,
};
use ca3_reports::{
    Checked, Counts, FileReport, Finding, Limits, Report, RuleTotal, Scope, Settings, Severity,
    StreamCounts, Suppressed, Tool, Unchecked, fingerprint,
};

/// Two mappings: one with everything that there can be, one with as little.
fn clocks() -> Clocks {
    let line = Line {
        reference_source_ns: u64::MAX,
        offset_ns: -5,
        skew_ppb: i128::MIN,
    };
    let plot = Plot {
        observations: vec![Point {
            source_ns: 1,
            offset_ns: -1,
        }],
        total: u64::MAX,
        stored: line,
        recomputed: Some(line),
        bias_low_ns: None,
        bias_high_ns: Some(0),
        degraded: vec![Span {
            stream_ref: 1,
            from_ns: 1,
            to_ns: u64::MAX,
            reason: "lost".to_owned(),
        }],
    };
    let field = Field {
        field: "skew_ppb".into(),
        stored: "1".to_owned(),
        recomputed: Some("0".to_owned()),
        differs: true,
    };
    let full = Mapping {
        domain: "dev".to_owned(),
        kind: "device".to_owned(),
        method: "round_trip".to_owned(),
        quality: "ok".to_owned(),
        observations_stream: Some(3),
        verification: Verification::Inconsistent,
        reason: Some("r".to_owned()),
        fields: vec![field.clone()],
        plot: Some(plot),
    };
    let bare = Mapping {
        observations_stream: None,
        verification: Verification::Unverified,
        reason: None,
        fields: vec![Field {
            recomputed: None,
            differs: false,
            ..field
        }],
        plot: None,
        ..full.clone()
    };
    Clocks {
        reference: ("rig".to_owned(), "boot-1".to_owned()),
        mappings: vec![full, bare],
    }
}

/// A stream, a schema and a form with everything that there can be, and each with as
/// little.
pub(crate) fn contents() -> Contents {
    let span = TimeSpan {
        from_ns: 0,
        to_ns: u64::MAX,
    };
    let bytes = ByteSpan {
        from: 0,
        to: u64::MAX,
        records: 1,
    };
    let full = StreamContents {
        stream_ref: 1,
        topic: "t".to_owned(),
        schema_ref: 1,
        schema_id: "p.M".to_owned(),
        claim: Claim::ByClaimOnly,
        clock: Some(0),
        source_clock: "c".to_owned(),
        nominal_rate_millihz: u64::MAX,
        row_chunks: 1,
        codecs: vec![CodecUse {
            codec: "none".to_owned(),
            chunks: 1,
        }],
        messages: u64::MAX,
        bytes: u64::MAX,
        first_ns: Some(0),
        last_ns: Some(u64::MAX),
        spans: vec![ChunkSpan {
            from_ns: 0,
            to_ns: u64::MAX,
            chunks: 1,
            messages: u64::MAX,
        }],
        gaps: vec![span],
        overlaps: vec![span],
        degraded: vec![Degraded {
            from_ns: 0,
            to_ns: u64::MAX,
            reason: "r".to_owned(),
        }],
        recorder: Some(RecorderCounts {
            dropped_by_queue: u64::MAX,
            never_arrived: 0,
            reordered: 1,
        }),
        ..StreamContents::default()
    };
    let component = TensorComponent {
        name: "x".to_owned(),
        unit: "m".to_owned(),
        frame: "f".to_owned(),
        validity: true,
    };
    let form = TensorForm {
        message: "p.M".to_owned(),
        id: "f.v1".to_owned(),
        element_type: "FLOAT32".to_owned(),
        byte_order: "LITTLE".to_owned(),
        block: "b".to_owned(),
        axes: vec![TensorAxis {
            name: "a".to_owned(),
            length: "3".to_owned(),
        }],
        components: vec![component, TensorComponent::default()],
        more_components: 1,
    };
    let schema = SchemaContents {
        forms: vec![form, TensorForm::default()],
        more_forms: 1,
        ..SchemaContents::default()
    };
    Contents {
        clocks: vec![StreamClock {
            checkpoints: vec![0, u64::MAX],
            checkpoint_count: 2,
            ..StreamClock::default()
        }],
        streams: vec![full, StreamContents::default()],
        more_streams: 1,
        schemas: vec![schema, SchemaContents::default()],
        more_schemas: 1,
        layout: FileLayout {
            chunks: vec![bytes],
            checkpoints: vec![u64::MAX],
            checkpoint_count: 1,
            summary: Some(bytes),
        },
    }
}

/// A report with every member that there can be, and one file of which little is known.
pub(crate) fn sample() -> Report {
    let mut findings = vec![
        Finding::new(
            "CA3-7.1-09",
            Severity::Error,
            7,
            "ChunkIndex.entries[0].stream_ref",
            "m",
        )
        .of_stream(1)
        .of_topic("t")
        .in_chunk(9)
        .at_message(2)
        .of_schema(3)
        .path("Sample.x")
        .showing(1, 2)
        .reading("G51"),
        Finding::new("CA3-3.1-04", Severity::Info, 8, "frame.opcode", "m"),
    ];
    fingerprint::stamp(&mut findings);
    let file = FileReport {
        path: "a.ca3".to_owned(),
        size: Some(10),
        sha256: Some("00".repeat(32)),
        limits: Limits {
            memory: 1,
            findings_per_rule: 2,
        },
        scan_complete: false,
        incomplete: Some("why".to_owned()),
        sealed: Some(true),
        account: "no streams".to_owned(),
        streams: StreamCounts::default(),
        counts: Counts::default(),
        suppressed: Suppressed {
            ignored: 1,
            baseline: 2,
        },
        findings,
        totals: vec![RuleTotal {
            rule: "CA3-7.1-09",
            severity: Severity::Error,
            total: 3,
            shown: 1,
        }],
        checked: vec![Checked {
            what: "w".into(),
            rules: vec!["CA3-7.1-09"],
        }],
        unchecked: vec![
            Unchecked {
                in_part: true,
                scope: Scope::File,
                what: "w".to_owned(),
                rules: vec!["CA3-5.4-01".to_owned()],
                reason: "r".to_owned(),
            },
            Unchecked {
                in_part: false,
                scope: Scope::Settings,
                what: "w".to_owned(),
                rules: vec!["CA3-7.1-09".to_owned()],
                reason: "r".to_owned(),
            },
        ],
        clocks: Some(clocks()),
        contents: Some(contents()),
    };
    let unread = FileReport {
        clocks: None,
        contents: None,
        size: None,
        sha256: None,
        sealed: None,
        findings: Vec::new(),
        ..file.clone()
    };
    let tool = Tool {
        name: "t",
        version: "1",
    };
    let mut report = Report::new(tool, Severity::Warning, vec![file, unread]);
    report.settings = Settings {
        only: vec!["CA3-7".to_owned()],
        ignore: vec!["CA3-7.2".to_owned()],
        severity: BTreeMap::from([("CA3-3".to_owned(), Severity::Info)]),
        baseline: Some("old.json".to_owned()),
    };
    report
}
