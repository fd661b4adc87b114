//! Every committed vector, judged.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use ca3_reports::{FileReport, Severity};
use ca3_spec::vector::{Expect, Polarity};
use ca3_vectors::Corpus;

/// Valid vectors that break a rule which only a validator judges: what they
/// certify is that a reader reads them all the same.
const MEANT: &[(&str, &str, &[&str])] = &[
    (
        "CA3-15-09",
        "a reader names a reserved record that it may step over, and goes on",
        &[
            "ca3/3-opcodes/every-skippable-opcode",
            "ca3/3-opcodes/reserved-41",
            "ca3/3-opcodes/reserved-43",
            "ca3/3-opcodes/reserved-46",
            "ca3/3-opcodes/reserved-by-name",
            "ca3/3-opcodes/reserved-in-the-summary",
            "ca3/29-stops/erased-chunk",
            "ca3/29-stops/opcode-zero-in-a-walk",
            "ca3/29-stops/stream-crypto",
            "ca3/29-stops/tombstone",
        ],
    ),
    (
        "CA3-5.9-07",
        "a consumer tests the address that it got, and does not trust the claim",
        &["ca3/5.9-alignment/false-claim"],
    ),
    (
        "CA3-10.4-11",
        "a reader takes the first of two domains that match",
        &["ca3/15-domains/two-domains-of-a-host"],
    ),
    (
        "CA3-5.7-11",
        "a reader answers for source stamps on a clock that nobody named",
        &[
            "ca3/10.4-source-stamps/no-domain-named",
            "ca3/10.9-delays/one-without-a-source-stamp",
        ],
    ),
    (
        "CA3-5.1-11",
        "a reader goes by the name of a message of ca3.time.v1 and by no other",
        &["ca3/18-unverified/of-another-package"],
    ),
    (
        "CA3-2.4-04",
        "a reader walks a summary that no SummaryOffset leads into",
        &["ca3/9-footer/no-offset-section"],
    ),
    (
        "CA3-13.1-06",
        "a reader recovers a sealed file whose summary does not verify",
        &[
            "ca3/24-sealed/named-checkpoint-broken",
            "ca3/27-spine/sealed-and-broken",
        ],
    ),
    (
        "CA3-2.4-03",
        "a reader reads a sealed file that has no summary",
        &[
            "ca3/9-footer/no-summary-to-index",
            "ca3/9-footer/no-summary-to-read",
            "ca3/24-rebuilt/sealed-without-a-summary",
            "ca3/24-sealed/lookalike-nearer-the-end",
            "ca3/24-sealed/no-summary",
            "ca3/24-sealed/no-summary-and-no-checkpoint",
            "ca3/24-sealed/offset-nine-too-large",
            "ca3/24-sealed/offset-of-a-chunk",
            "ca3/24-sealed/offset-of-none",
            "ca3/24-sealed/offset-past-the-end",
        ],
    ),
];

/// Sections whose rules show, in a file that breaks them, as another rule.
const SHOWN_AS: &[(&str, &str)] = &[
    ("CA3-1.1", "CA3-5.7-05"),
    ("CA3-2.4", "CA3-4-01"),
    ("CA3-2.4", "CA3-7.1-01"),
    ("CA3-2.4", "CA3-7.3-01"),
    ("CA3-3", "CA3-1.2-11"),
    ("CA3-3", "CA3-16-06"),
    ("CA3-3.3", "CA3-15-08"),
    ("CA3-3.4", "CA3-15-09"),
    ("CA3-4", "CA3-1.2-07"),
    ("CA3-4", "CA3-1.2-11"),
    ("CA3-5.1", "CA3-1.2-11"),
    ("CA3-5.7", "CA3-1.2-11"),
    ("CA3-6.2", "CA3-1.4-08"),
    ("CA3-6.3", "CA3-1.4-08"),
    ("CA3-7.1", "CA3-2.2-02"),
    ("CA3-7.1", "CA3-7.2-03"),
    ("CA3-7.1", "CA3-7.3-09"),
    ("CA3-7.3", "CA3-6.1-05"),
    ("CA3-7.5", "CA3-1.2-07"),
    ("CA3-8.3", "CA3-2.4-10"),
    ("CA3-8.3", "CA3-3.1-01"),
    ("CA3-8.3", "CA3-6.1-05"),
    ("CA3-8.3", "CA3-13.1-05"),
    ("CA3-8.3", "CA3-13.1-06"),
    ("CA3-8.3", "CA3-13.1-09"),
    ("CA3-9.2", "CA3-1.4-02"),
    ("CA3-9.2", "CA3-6.1-05"),
    ("CA3-9.2", "CA3-6.1-08"),
    ("CA3-9.2", "CA3-6.1-22"),
    ("CA3-9.2", "CA3-6.2-06"),
    ("CA3-9.2", "CA3-6.5-15"),
    ("CA3-10.4", "CA3-1.2-11"),
    ("CA3-10.5", "CA3-10.7-03"),
    ("CA3-10.5", "CA3-10.7-05"),
    ("CA3-10.7", "CA3-6.1-05"),
    ("CA3-10.7", "CA3-6.1-22"),
    ("CA3-10.7", "CA3-10.5-07"),
    ("CA3-10.7", "CA3-10.5-08"),
    ("CA3-10.10", "CA3-10.7-03"),
    ("CA3-11", "CA3-1.2-11"),
    ("CA3-11", "CA3-3-03"),
    ("CA3-13.1", "CA3-16-06"),
    ("CA3-13.4", "CA3-3-03"),
    ("CA3-14", "CA3-1.2-11"),
    ("CA3-14", "CA3-3-03"),
    ("CA3-14", "CA3-7.1-01"),
    ("CA3-14", "CA3-7.3-01"),
    ("CA3-16", "CA3-3.1-01"),
    ("CA3-16", "CA3-3.1-02"),
    ("CA3-16", "CA3-3.1-05"),
    ("CA3-16", "CA3-13.1-09"),
    ("CA3-16", "CA3-15-09"),
];

/// Invalid vectors that are in order as files: what a time less a delay comes to is
/// found by whoever takes the delay off.
const OF_READERS: [&str; 1] = ["ca3/21-holding/past-64-bits"];

fn errors(report: &FileReport) -> Vec<&'static str> {
    report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.rule)
        .collect()
}

/// A valid vector that has an error is in the list, and one that is in the
/// list has one.
#[test]
fn valid_vectors_have_no_error() {
    let mut wrong = Vec::new();
    let mut listed: BTreeSet<&str> = MEANT.iter().flat_map(|it| it.2).copied().collect();
    for case in Corpus::embedded().cases().unwrap() {
        let Some(bytes) = &case.valid else { continue };
        listed.remove(case.sidecar.id.as_str());
        if support::asks_validate(case.sidecar.valid.vector()) {
            continue;
        }
        let report = support::judge(bytes);
        assert!(report.scan_complete, "{}", case.sidecar.id);
        let meant: Vec<&str> = MEANT
            .iter()
            .filter(|(_, _, ids)| ids.contains(&case.sidecar.id.as_str()))
            .map(|(rule, _, _)| *rule)
            .collect();
        let found = errors(&report);
        if found.iter().any(|rule| !meant.contains(rule)) || found.is_empty() != meant.is_empty() {
            wrong.push(format!("{}: {:#?}", case.sidecar.id, report.findings));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(listed.is_empty(), "no valid vectors: {listed:?}");
}

#[test]
fn invalid_vectors_have_one() {
    let mut silent = Vec::new();
    for case in Corpus::embedded().cases().unwrap() {
        let Some(bytes) = &case.invalid else { continue };
        if OF_READERS.contains(&case.sidecar.id.as_str()) {
            continue;
        }
        let report = support::judge(bytes);
        // A warning where the case's own rule only warns, or the file is cut.
        let warned = report.findings.iter().any(|it| {
            it.rule == "CA3-16-01" || case.sidecar.rules.iter().any(|rule| rule == it.rule)
        });
        if errors(&report).is_empty() && !warned {
            silent.push(format!("{} {:?}", case.sidecar.id, case.sidecar.rules));
        }
    }
    assert!(silent.is_empty(), "{}\n{}", silent.len(), silent.join("\n"));
}

/// Sections of the rules that a case is about are those of what is found.
#[test]
fn invalid_vectors_show_their_rule_or_a_sibling() {
    let mut apart = BTreeMap::new();
    for case in Corpus::embedded().cases().unwrap() {
        let Some(bytes) = &case.invalid else { continue };
        if OF_READERS.contains(&case.sidecar.id.as_str()) {
            continue;
        }
        let report = support::judge(bytes);
        let found: Vec<&str> = report.findings.iter().map(|it| it.rule).collect();
        let shows = |asked: &str, rule: &str| {
            section(asked) == section(rule) || SHOWN_AS.contains(&(section(asked), rule))
        };
        let hit = found.iter().any(|rule| {
            *rule == "CA3-16-01" || case.sidecar.rules.iter().any(|asked| shows(asked, rule))
        });
        if !hit {
            apart.insert(case.sidecar.id.clone(), (case.sidecar.rules.clone(), found));
        }
    }
    let lines: Vec<String> = apart.iter().map(|it| format!("{it:?}")).collect();
    assert!(apart.is_empty(), "{}\n{}", lines.len(), lines.join("\n"));
}

fn section(rule: &str) -> &str {
    rule.rsplit_once('-').map_or(rule, |(section, _)| section)
}

/// Steps `validate` of sidecars, where there are any.
#[test]
fn validate_steps_hold() {
    let mut wrong = Vec::new();
    for case in Corpus::embedded().cases().unwrap() {
        for polarity in Polarity::BOTH {
            let vector = case.sidecar.side(polarity).vector();
            let (Some(vector), Some(bytes)) = (vector, case.bytes(polarity)) else {
                continue;
            };
            for step in vector.steps.iter().filter(|step| step.op == "validate") {
                let report = serde_json::to_value(support::judge_as(step, bytes)).unwrap();
                let expected = match &step.expect {
                    Expect::Answer { result, .. } => result.clone(),
                    Expect::Surface(surface) => surface.result.clone(),
                };
                if !support::matching::matches(&expected, Some(&report)) {
                    let id = &case.sidecar.id;
                    let findings = &report["findings"];
                    wrong.push(format!("{id} {polarity:?}: {expected:#}\n{findings:#}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Where a rule has no invalid file, its valid one fails the wrong answer: a
/// report with a finding too many, or without the list that is asked for.
#[test]
fn valid_vectors_fail_the_wrong_answers() {
    let mut rules = 0;
    for case in Corpus::embedded().cases().unwrap() {
        let steps = case.sidecar.valid.vector().map(|vector| &vector.steps);
        let step = steps.and_then(|steps| steps.iter().find(|step| step.op == "validate"));
        let (Some(step), Some(bytes), None) = (step, &case.valid, &case.invalid) else {
            continue;
        };
        rules += 1;
        let Expect::Answer { result, .. } = &step.expect else {
            panic!("{}: an answer is expected", case.sidecar.id);
        };
        let right = serde_json::to_value(support::judge_as(step, bytes)).unwrap();
        assert!(support::matching::matches(result, Some(&right)));
        let finding = serde_json::json!({"severity": "error", "rule": case.sidecar.rules[0]});
        let mut too_much = right.clone();
        too_much["findings"].as_array_mut().unwrap().push(finding);
        assert!(!support::matching::matches(result, Some(&too_much)));
        if result.get("unchecked").is_some() {
            let mut too_little = right;
            too_little["unchecked"] = serde_json::json!([]);
            assert!(!support::matching::matches(result, Some(&too_little)));
        }
    }
    assert!(rules > 0, "no case of the kind");
}

/// Every vector cut at every byte, and with each byte changed, is judged to
/// its end: without a panic, and twice the same.
#[test]
fn no_cut_and_no_change_stops_the_scan() {
    // Several cases ask the same file.
    let mut met = BTreeSet::new();
    for case in Corpus::embedded().cases().unwrap() {
        let bytes = case.valid.filter(|bytes| met.insert(bytes.clone()));
        let Some(bytes) = &bytes else { continue };
        let stride = bytes.len().div_ceil(400).max(1);
        for place in (0..bytes.len()).step_by(stride) {
            let cut = support::judge(&bytes[..place]);
            assert!(cut.scan_complete, "{} cut at {place}", case.sidecar.id);
            let mut changed = bytes.clone();
            changed[place] ^= 0xFF;
            let first = support::judge(&changed);
            assert!(first.scan_complete, "{} at {place}", case.sidecar.id);
        }
        assert_eq!(support::judge(bytes), support::judge(bytes));
    }
}
