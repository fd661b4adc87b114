//! A report for tests.

use std::collections::BTreeMap;

use ca3_reports::clocks::{Clocks, Field, Line, Mapping, Plot, Point, Span, Verification};
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
        unchecked: vec![Unchecked {
            in_part: true,
            scope: Scope::File,
            what: "w".to_owned(),
            rules: vec!["CA3-5.4-01".to_owned()],
            reason: "r".to_owned(),
        }],
        clocks: Some(clocks()),
    };
    let unread = FileReport {
        clocks: None,
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
