//! The report for build servers: a testsuite a file, a testcase a broken rule, and
//! one for the scan itself. No time and no host name stand in it.

use std::collections::{BTreeMap, BTreeSet};

use ca3_spec::rule;
use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::sentence::{self, LONGEST_PATH};
use crate::text::{self, LONGEST_MESSAGE, plain};
use crate::{Counts, FileReport, Finding, Report, Severity, settings};

/// The report as JUnit XML.
///
/// # Errors
/// Where a value cannot be written, which no report holds.
pub fn render(report: &Report) -> Result<String, SerializeError> {
    let mut junit = quick_junit::Report::new(report.tool.name);
    for file in &report.files {
        junit.add_test_suite(suite(file, report.fail_on));
    }
    let told = settings::account(report);
    if !told.is_empty() {
        let mut status = TestCaseStatus::skipped();
        status.set_message(told.join("; "));
        let mut suite = TestSuite::new("what does not count");
        let mut test = TestCase::new("rules and findings that the settings take out", status);
        test.set_classname("what does not count");
        suite.add_test_case(test);
        junit.add_test_suite(suite);
    }
    junit.to_string()
}

fn suite(file: &FileReport, fail_on: Severity) -> TestSuite {
    let path = plain(&file.path, LONGEST_PATH);
    let mut suite = TestSuite::new(path.as_str());
    if !file.suppressed.is_empty() {
        let found = settings::found(&file.counts, file.suppressed);
        suite.add_property(("found", found.as_str()));
    }
    let mut add = |mut test: TestCase| {
        // Servers tell tests of one name apart by it.
        test.set_classname(path.as_str());
        suite.add_test_case(test);
    };
    add(scan(file));
    let mut rules: BTreeMap<_, Counts> = BTreeMap::new();
    for total in &file.totals {
        let key = (rule::section_key(section(total.rule)), total.rule);
        rules
            .entry(key)
            .or_default()
            .add(total.severity, total.total);
    }
    for ((_, rule), counts) in &rules {
        add(broken(file, rule, counts, fail_on));
    }
    suite
}

fn section(id: &str) -> &str {
    rule::find(id).map_or("", |rule| rule.section.as_str())
}

fn scan(file: &FileReport) -> TestCase {
    let status = if file.scan_complete {
        TestCaseStatus::success()
    } else {
        let reason = file.incomplete.as_deref().unwrap_or_default();
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status
            .set_type("incomplete")
            .set_message(plain(reason, LONGEST_MESSAGE));
        status
    };
    TestCase::new("the file is read to its end", status)
}

fn broken(file: &FileReport, id: &str, counts: &Counts, fail_on: Severity) -> TestCase {
    let name = match rule::find(id) {
        Some(rule) => format!("{id} {}", rule.summary),
        None => id.to_owned(),
    };
    let found = || file.findings.iter().filter(|finding| finding.rule == id);
    let text = text_of(found(), counts);
    if counts.at_least(fail_on) == 0 {
        let mut test = TestCase::new(name, TestCaseStatus::success());
        test.set_system_out(text);
        return test;
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let message = found().next().map_or_else(String::new, sentence::of);
    status
        .set_type(worst(counts).as_str())
        .set_message(format!("{}: {message}", text::counts(counts)))
        .set_description(text);
    TestCase::new(name, status)
}

fn worst(counts: &Counts) -> Severity {
    match counts {
        Counts { error: 1.., .. } => Severity::Error,
        Counts { warning: 1.., .. } => Severity::Warning,
        Counts { .. } => Severity::Info,
    }
}

/// The findings as the text report has them; its styles go away where it becomes XML.
fn text_of<'a>(found: impl Iterator<Item = &'a Finding>, counts: &Counts) -> String {
    let mut out = String::from("\n");
    let mut explained = BTreeSet::new();
    let mut shown: u64 = 0;
    for finding in found {
        text::show(&mut out, finding, explained.insert(finding.rule));
        shown = shown.saturating_add(1);
    }
    let total = counts.at_least(Severity::Info);
    if total > shown {
        out.push_str(&format!("  {total} in all, {shown} of them shown\n"));
    }
    out
}
