//! The report as workflow commands, which GitHub shows as annotations of files.
//!
//! A line is a command where it begins with `::`. So every text from a file stands
//! behind the beginning of one of ours, and none can begin a line.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::paragraph::harmless;
use crate::sentence::{self, LONGEST_PATH};
use crate::text::{LONGEST_MESSAGE, LONGEST_VALUE, kept_from, plain, verdict};
use crate::{FileReport, Finding, Report, RuleTotal, Severity, fix, settings};

/// The report, a command a rule that a file breaks and, last, the verdict in a line.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        if let Some(reason) = &file.incomplete {
            let message = format!("{}: {}", kept_from(file), plain(reason, LONGEST_MESSAGE));
            command(&mut out, "error", &file.path, "scan incomplete", &message);
        }
        for (finding, total) in by_rule(file) {
            let word = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            command(
                &mut out,
                word,
                &file.path,
                &title(finding),
                &message(finding, total),
            );
        }
    }
    for line in settings::account(report) {
        out.push_str("::notice title=ca3-validate::");
        escape(&mut out, line.chars(), false);
        out.push('\n');
    }
    let _ = writeln!(out, "{}", verdict(report));
    out
}

/// The first finding of each rule and severity, the gravest first, with how many there
/// are: GitHub shows ten annotations of a sort and leaves out the others.
fn by_rule(file: &FileReport) -> Vec<(&Finding, u64)> {
    let mut seen = BTreeSet::new();
    let mut first: Vec<&Finding> = file.findings.iter().collect();
    first.retain(|finding| seen.insert((finding.rule, finding.severity)));
    first.sort_by_key(|finding| Reverse(finding.severity));
    let total = |finding: &Finding| {
        let of = |it: &&RuleTotal| (it.rule, it.severity) == (finding.rule, finding.severity);
        file.totals.iter().find(of).map_or(1, |it| it.total)
    };
    first.into_iter().map(|it| (it, total(it))).collect()
}

fn message(finding: &Finding, total: u64) -> String {
    let mut message = sentence::of(finding);
    if let Some(fix) = fix::of(finding) {
        let _ = write!(message, "\nFix: {fix}");
    }
    if total > 1 {
        let _ = write!(
            message,
            "\n{total} of this rule in the file; this is the first."
        );
    }
    let _ = write!(message, "\nWhy: ca3-validate explain {}", finding.rule);
    message
}

fn title(finding: &Finding) -> String {
    let mut title = format!("{} at offset {}", finding.rule, finding.offset);
    if let Some(topic) = &finding.topic {
        let _ = write!(title, " of {}", plain(topic, LONGEST_VALUE));
    }
    title
}

fn command(out: &mut String, word: &str, path: &str, title: &str, message: &str) {
    let _ = write!(out, "::{word} file=");
    // As the paths of a repository are written.
    let path = path.strip_prefix("./").unwrap_or(path);
    escape(out, path.chars().take(LONGEST_PATH), true);
    out.push_str(",line=1,title=");
    escape(out, title.chars(), true);
    out.push_str("::");
    escape(out, message.chars(), false);
    out.push('\n');
}

/// As GitHub reads it: in a property, a colon and a comma would end it.
fn escape(out: &mut String, text: impl Iterator<Item = char>, in_property: bool) {
    for c in text {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            ':' if in_property => out.push_str("%3A"),
            ',' if in_property => out.push_str("%2C"),
            c => out.push(harmless(c)),
        }
    }
}
