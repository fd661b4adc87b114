//! The result for build servers: one testsuite an item, one testcase a file.
//!
//! What fails there is what keeps the level from being certified: a provisional
//! disagreement passes and says so, a known failure is skipped with its reason.

use std::collections::BTreeMap;

use ca3_reports::paragraph::wrap;
use ca3_spec::vector::Polarity;
use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::style::WIDTH;
use super::{Report, failure};
use crate::judging::Outcome;
use crate::results::{CaseResult, FileResult};
use crate::verdict::{ItemKey, ItemSummary, item_key};

/// The report as JUnit XML. No time and no host name stand in it.
pub fn render(report: &Report) -> Result<String, SerializeError> {
    let mut junit = quick_junit::Report::new(report.kit.name);
    let mut by_item: BTreeMap<ItemKey, Vec<&CaseResult>> = BTreeMap::new();
    for case in &report.cases {
        by_item.entry(item_key(case)).or_default().push(case);
    }
    // The summary's lines are in the order of the same key.
    for (summary, cases) in report.items.iter().zip(by_item.values()) {
        let name = suite_name(summary);
        let mut suite = TestSuite::new(name.as_str());
        for case in cases {
            for (polarity, file) in case.files() {
                let mut test = test_case(report, case, polarity, file);
                test.set_classname(name.as_str());
                suite.add_test_case(test);
            }
        }
        junit.add_test_suite(suite);
    }
    let mut suite = TestSuite::new("known failures that are none any more");
    for entry in &report.verdict.stale_entries {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("stale").set_message(entry.as_str());
        suite.add_test_case(TestCase::new(entry.as_str(), status));
    }
    if suite.tests > 0 {
        junit.add_test_suite(suite);
    }
    // What no file shows, such as a level that hello does not state.
    if report.verdict.exit_code != 0 && junit.failures + junit.errors == 0 {
        junit.add_test_suite(verdict(report));
    }
    junit.to_string()
}

fn suite_name(summary: &ItemSummary) -> String {
    match (summary.item, &summary.section) {
        (Some(item), _) => format!("item {item}: {}", summary.name),
        (None, Some(section)) => format!("section {section}: {}", summary.name),
        (None, None) => summary.name.clone(),
    }
}

fn test_case(
    report: &Report,
    case: &CaseResult,
    polarity: Polarity,
    file: &FileResult,
) -> TestCase {
    let name = format!("{} ({})", case.id, polarity.as_str());
    let outcome = file.outcome();
    let ended_badly = matches!(outcome, Outcome::Crash | Outcome::Timeout);
    let reason = file.judged.reason.clone().unwrap_or_default();
    if outcome == Outcome::Pass {
        return TestCase::new(name, TestCaseStatus::success());
    }
    if let Some(reason) = &file.known {
        let mut status = TestCaseStatus::skipped();
        status.set_message(format!("known failure: {reason}"));
        return TestCase::new(name, status);
    }
    let text = || text_of(report, case, polarity, file);
    if case.provisional && !ended_badly {
        let mut test = TestCase::new(name, TestCaseStatus::success());
        test.set_system_out(format!(
            "A provisional disagreement, which fails nobody.\n{}",
            text()
        ));
        return test;
    }
    let mut status = match outcome {
        Outcome::Skip => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason);
            return TestCase::new(name, status);
        }
        Outcome::Crash | Outcome::Timeout => TestCaseStatus::non_success(NonSuccessKind::Error),
        Outcome::Fail | Outcome::Inconclusive | Outcome::Pass => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
    };
    let message = if reason.is_empty() {
        case.title.clone()
    } else {
        reason
    };
    status
        .set_type(outcome.as_str())
        .set_message(message)
        .set_description(text());
    TestCase::new(name, status)
}

/// What a person is told of a file: its rule, why that matters, and what was wrong.
fn text_of(report: &Report, case: &CaseResult, polarity: Polarity, file: &FileResult) -> String {
    let mut text = String::from("\n");
    let rule = case.rules.first().map_or("", String::as_str);
    if let Some(facts) = report.rules.get(rule) {
        text.push_str(&wrap(&format!("{rule} {}", facts.summary), "  ", WIDTH));
        text.push_str(&wrap(&facts.why, "    ", WIDTH));
        text.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = failure::write(&mut text, report, case, polarity, file);
    anstream::adapter::strip_str(&text).to_string()
}

fn verdict(report: &Report) -> TestSuite {
    let mut suite = TestSuite::new("verdict");
    for level in &report.verdict.levels {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status
            .set_type("verdict")
            .set_message(level.standing.describe())
            .set_description(level.reasons.join("\n"));
        suite.add_test_case(TestCase::new(format!("level {}", level.level), status));
    }
    suite
}
