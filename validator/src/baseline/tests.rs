//! The arithmetic, by examples that are reckoned by hand.

use std::io::Write as _;

use ca3_reports::{Counts, Finding, RuleTotal, Severity};
use serde_json::{Value, json};

use super::*;
use crate::DEFAULT_LIMITS;

const RULE: &str = "CA3-15-08";

/// A report on `x.ca3` with findings of one rule: those shown, each a letter, and
/// how many there were in all.
fn then(shown: &str, total: u64, severity: &str) -> Value {
    let findings: Vec<Value> = shown
        .chars()
        .map(|c| json!({"rule": RULE, "severity": severity, "fingerprint": c, "new": {}}))
        .collect();
    let shown = findings.len();
    json!({
        "schema_version": 1,
        "tool": {"name": "ca3-validate", "version": "7.0", "built": true},
        "files": [{
            "path": "./x.ca3",
            "limits": {"memory": 1, "findings_per_rule": shown},
            "findings": findings,
            "totals": [{"rule": RULE, "severity": severity, "total": total, "shown": shown}],
        }],
    })
}

fn read(text: &str) -> Result<Baseline, String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    Baseline::read(file.path())
}

/// The same as it stands now.
fn now(shown: &str, total: u64, severity: Severity) -> FileReport {
    let mut counts = Counts::default();
    counts.add(severity, total);
    let findings: Vec<Finding> = shown
        .chars()
        .zip(0..)
        .map(|(c, offset)| {
            let mut finding = Finding::new(RULE, severity, offset, "f", "m");
            finding.fingerprint = c.to_string();
            finding
        })
        .collect();
    let shown = u64::try_from(findings.len()).unwrap();
    FileReport {
        scan_complete: true,
        counts,
        findings,
        totals: vec![RuleTotal {
            rule: RULE,
            severity,
            total,
            shown,
        }],
        ..FileReport::unread("x.ca3".to_owned(), DEFAULT_LIMITS, "")
    }
}

fn fingerprints(file: &FileReport) -> String {
    file.findings
        .iter()
        .map(|it| it.fingerprint.as_str())
        .collect()
}

#[test]
fn what_counts_is_reckoned() {
    for (why, before, after, new, shown) in [
        ("nothing changed", ("ab", 2), ("ab", 2), 0, ""),
        ("one is new", ("ab", 2), ("abc", 3), 1, "c"),
        ("one is gone", ("ab", 2), ("b", 1), 0, ""),
        ("others in their place", ("ab", 2), ("xy", 2), 2, "xy"),
        ("as many hidden", ("a", 5), ("a", 5), 0, ""),
        ("one more hidden", ("a", 5), ("a", 6), 1, ""),
        ("fewer hidden", ("a", 5), ("a", 3), 0, ""),
        ("more shown now", ("a", 3), ("abc", 3), 0, ""),
        ("more shown and one more", ("a", 3), ("abcd", 4), 1, "b"),
        ("one gone, a hidden one shown", ("ab", 4), ("bc", 3), 0, ""),
        ("all shown gone", ("ab", 4), ("cd", 2), 0, ""),
        (
            "all shown gone, more than were hidden",
            ("ab", 4),
            ("cde", 3),
            1,
            "c",
        ),
        ("a known one out of sight", ("ab", 2), ("xa", 3), 2, "x"),
        ("fewer shown now", ("abc", 3), ("a", 3), 2, ""),
        (
            "fresh ones are beyond what was hidden",
            ("a", 2),
            ("axyz", 9),
            7,
            "xyz",
        ),
    ] {
        let baseline = read(&then(before.0, before.1, "error").to_string()).unwrap();
        let mut file = now(after.0, after.1, Severity::Error);
        baseline.apply(&mut file, &Policy::default());
        assert_eq!(file.counts.error, new, "{why}");
        assert_eq!(fingerprints(&file), shown, "{why}");
        assert_eq!(file.suppressed.baseline, after.1 - new, "{why}");
        let totals: Vec<_> = file.totals.iter().map(|it| (it.total, it.shown)).collect();
        let expected = (new, u64::try_from(shown.len()).unwrap());
        assert_eq!(
            totals,
            if new == 0 { vec![] } else { vec![expected] },
            "{why}"
        );
    }
}

#[test]
fn what_weighs_more_than_it_did_counts() {
    let of = |before: &str, after| {
        let baseline = read(&then("ab", 9, before).to_string()).unwrap();
        let mut file = now("ab", 9, after);
        baseline.apply(&mut file, &Policy::default());
        (fingerprints(&file), file.counts.at_least(Severity::Info))
    };
    assert_eq!(of("warning", Severity::Warning), (String::new(), 0));
    assert_eq!(of("warning", Severity::Error), ("ab".to_owned(), 9));
    // Those that are known by number alone are known of one severity.
    assert_eq!(of("error", Severity::Warning), (String::new(), 7));
}

#[test]
fn entries_that_are_there_no_more_are_counted_where_that_is_sure() {
    let baseline = read(&then("abc", 3, "error").to_string()).unwrap();
    let stale = |mut file: FileReport, policy: &Policy| baseline.apply(&mut file, policy);
    let all = Policy::default();
    assert_eq!(stale(now("abc", 3, Severity::Error), &all), 0);
    assert_eq!(stale(now("b", 1, Severity::Error), &all), 2);
    assert_eq!(stale(now("", 0, Severity::Error), &all), 3);
    assert_eq!(stale(now("b", 2, Severity::Error), &all), 0);
    let unread = FileReport {
        scan_complete: false,
        ..now("b", 1, Severity::Error)
    };
    assert_eq!(stale(unread, &all), 0);
    let other = Policy {
        ignore: vec![RULE.parse().unwrap()],
        ..Policy::default()
    };
    assert_eq!(stale(now("", 0, Severity::Error), &other), 0);
}

#[test]
fn a_file_is_known_by_its_path() {
    for (path, normal) in [
        ("./a//b.ca3", "a/b.ca3"),
        ("a/./b.ca3", "a/b.ca3"),
        ("//a/b.ca3", "/a/b.ca3"),
        ("../a", "../a"),
        ("-", "-"),
    ] {
        assert_eq!(super::normal(path), normal);
    }
    let mut report = then("ab", 9, "error");
    assert_eq!(read(&report.to_string()).unwrap().cap("x.ca3"), 2);
    assert_eq!(read(&report.to_string()).unwrap().cap("y/x.ca3"), 0);
    report["files"][0]["limits"]["findings_per_rule"] = json!(u64::MAX);
    assert_eq!(read(&report.to_string()).unwrap().cap("x.ca3"), 10_000);
    // Two names that are no text may look the same.
    report["files"][0]["path"] = json!("\u{fffd}.ca3");
    let baseline = read(&report.to_string()).unwrap();
    assert_eq!(baseline.cap("\u{fffd}.ca3"), 0);
}

#[test]
fn reports_are_read_leniently_and_nothing_else_is() {
    let report = then("ab", 2, "error");
    let file = report["files"][0].clone();
    let line = |file: &Value| {
        let tool = &report["tool"];
        json!({"schema_version": 1, "tool": tool, "fail_on": "error", "file": file}).to_string()
    };
    let mut other = file.clone();
    other["path"] = json!("y.ca3");
    let lines = format!("{}\n{}\n", line(&file), line(&other));
    let baseline = read(&lines).unwrap();
    assert_eq!((baseline.cap("x.ca3"), baseline.cap("y.ca3")), (2, 2));
    assert!(!baseline.is_partial);
    let mut partial = report.clone();
    partial["settings"] = json!({"baseline": "older.json"});
    assert!(read(&partial.to_string()).unwrap().is_partial);
    let mut newer = json!({"schema_version": 2});
    newer["files"] = json!([{"unheard": "of"}]);
    assert!(read(&newer.to_string()).unwrap_err().contains("form 2"));
    let mut conform = report.clone();
    conform["tool"]["name"] = json!("ca3-conform");
    assert!(
        read(&conform.to_string())
            .unwrap_err()
            .contains("another program")
    );
    let nothing = json!({"schema_version": 1, "tool": report["tool"]}).to_string();
    assert!(read(&nothing).unwrap_err().contains("no report on files"));
    assert!(read(" \n").unwrap_err().contains("empty"));
    let cut = lines.get(..lines.len() - 9).unwrap();
    assert!(read(cut).unwrap_err().contains("line 2"));
    for text in [
        "\0",
        "[]",
        "{}",
        "null",
        "x.ca3: 2 errors",
        &"[".repeat(10_000),
    ] {
        assert!(
            read(text)
                .unwrap_err()
                .contains("no report of ca3-validate")
        );
    }
    assert!(
        Baseline::read(Path::new("/"))
            .unwrap_err()
            .contains("no file")
    );
}
