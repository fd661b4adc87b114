//! The validator over any bytes.
//!
//! It never panics; a finding names a rule of the catalogue and a place in the
//! file; counts agree; the same bytes give the same report, in both renderings.

#![no_main]

use ca3_reader::l1::BytesSource;
use ca3_reports::text::Detail;
use ca3_reports::{Counts, FileReport, Limits, Report, Severity, Tool, json, text};
use ca3_spec::rule;
use ca3_validate::validate;
use libfuzzer_sys::fuzz_target;

/// Small beside what the fuzzer itself may take.
const LIMITS: Limits = Limits {
    memory: 64 << 20,
    findings_per_rule: 10,
};

fn judge(bytes: &[u8]) -> FileReport {
    validate(&mut BytesSource(bytes), "fuzz.ca3", LIMITS)
}

fn holds_together(report: &FileReport, length: u64) {
    assert_eq!(report.size, Some(length));
    assert_eq!(report.scan_complete, report.incomplete.is_none());
    for finding in &report.findings {
        assert!(
            rule::find(finding.rule).is_some(),
            "no such rule: {finding:?}"
        );
        assert!(
            finding.offset <= length
                && finding.field_offset <= length
                && finding.chunk_offset.is_none_or(|offset| offset < length),
            "a place outside the file: {finding:?}"
        );
    }
    let key = |finding: &ca3_reports::Finding| (finding.offset, finding.rule);
    assert!(report.findings.is_sorted_by_key(key));
    let mut counts = Counts::default();
    for total in &report.totals {
        let shown =
            |it: &&ca3_reports::Finding| (it.rule, it.severity) == (total.rule, total.severity);
        let shown = report.findings.iter().filter(shown).count() as u64;
        assert_eq!(total.shown, shown, "{total:?}");
        assert_eq!(
            total.shown,
            total.total.min(LIMITS.findings_per_rule),
            "{total:?}"
        );
        counts.add(total.severity, total.total);
    }
    assert_eq!(counts, report.counts);
}

fuzz_target!(|bytes: &[u8]| {
    let report = judge(bytes);
    holds_together(&report, bytes.len() as u64);
    assert_eq!(report, judge(bytes), "two reports on the same bytes");
    let tool = Tool {
        name: "fuzz",
        version: "0",
    };
    let report = Report::new(tool, Severity::Error, vec![report]);
    let rendered = json::render(&report).expect("a report is JSON");
    serde_json::from_str::<serde_json::Value>(&rendered).expect("a report's JSON is JSON");
    let shown = text::render(&report, Detail::Full);
    let moves = |c: char| c.is_control() && c != '\n' && c != '\u{1b}';
    assert!(!shown.contains(moves), "the text moves a terminal's cursor");
});
