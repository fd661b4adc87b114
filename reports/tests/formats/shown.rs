//! A small report in each format, to be looked at.

use ca3_reports::{
    Counts, FileReport, Finding, Limits, Report, RuleTotal, Severity, StreamCounts, Tool,
    fingerprint, github, junit, ndjson, sarif,
};

/// Two files: one with an error that stands for twelve and with a remark, and one
/// that was never opened.
fn small() -> Report {
    let limits = Limits {
        memory: 1024,
        findings_per_rule: 1,
    };
    let streams = StreamCounts {
        total: 1,
        undeclared: 1,
        ..StreamCounts::default()
    };
    let field = "ChunkIndex.entries[1].message_count";
    let mut findings = vec![
        Finding::new("CA3-7.1-13", Severity::Error, 689, field, "not the chunk's")
            .in_record(576)
            .of_stream(1)
            .of_topic("gaze")
            .in_chunk(362)
            .showing(2, 3),
        Finding::new("CA3-5.2-03", Severity::Info, 700, "Schema.data", "no unit")
            .of_schema(4)
            .path("Gaze.x"),
    ];
    fingerprint::stamp(&mut findings);
    let total = |rule, severity, total| RuleTotal {
        rule,
        severity,
        total,
        shown: 1,
    };
    let judged = FileReport {
        size: Some(1053),
        scan_complete: true,
        incomplete: None,
        sealed: Some(true),
        account: streams.account(),
        streams,
        counts: Counts {
            error: 12,
            warning: 0,
            info: 1,
        },
        findings,
        totals: vec![
            total("CA3-5.2-03", Severity::Info, 1),
            total("CA3-7.1-13", Severity::Error, 12),
        ],
        ..FileReport::unread("session 1/a.ca3".to_owned(), limits, "")
    };
    let unread = FileReport::unread("b.ca3".to_owned(), limits, "no such file; see the path");
    let tool = Tool {
        name: "ca3-validate",
        version: "1.2.3",
    };
    Report::new(tool, Severity::Error, vec![judged, unread])
}

#[test]
fn as_lines() {
    insta::assert_snapshot!(ndjson::render(&small()).unwrap());
}

#[test]
fn as_sarif() {
    insta::assert_snapshot!(sarif::render(&small()).unwrap());
}

#[test]
fn as_junit() {
    insta::assert_snapshot!(junit::render(&small()).unwrap());
}

#[test]
fn as_workflow_commands() {
    insta::assert_snapshot!(github::render(&small()));
}
