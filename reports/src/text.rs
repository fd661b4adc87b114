//! The report for people: 80 columns, the files with findings first to last.
//!
//! Colours are written as escape sequences; whoever prints the text drops them
//! where they are not wanted.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Effects, Style};
use ca3_spec::rule;

use crate::contents::Contents;
pub use crate::paragraph::plain;
use crate::paragraph::wrap_behind;
use crate::{Counts, FileReport, Finding, Report, Scope, Severity, fix, mappings, settings};

/// Columns of a line.
pub const WIDTH: usize = 80;
/// The longest value of a file that is shown.
pub(crate) const LONGEST_VALUE: usize = 160;
/// The longest message.
pub(crate) const LONGEST_MESSAGE: usize = 400;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Every finding, and what was left unchecked.
    Full,
    /// A line for each file that fails or was not read, and the last line.
    Quiet,
}

/// How a severity is coloured.
pub const fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::Cyan,
    };
    color.on_default().effects(Effects::BOLD)
}

/// The whole report as text.
pub fn render(report: &Report, detail: Detail) -> String {
    let mut out = String::new();
    let mut explained = BTreeSet::new();
    for file in &report.files {
        match detail {
            Detail::Full => {
                full(&mut out, file, &mut explained);
                out.push('\n');
            }
            Detail::Quiet => {
                if !file.scan_complete || file.counts.at_least(report.fail_on) > 0 {
                    headline(&mut out, file, &failing_rules(report, file));
                }
            }
        }
    }
    if detail == Detail::Full {
        never(&mut out, report);
    }
    for line in settings::account(report) {
        out.push_str(&wrap_behind(&line, "", "  ", WIDTH));
    }
    out.push_str(&last_line(report));
    out
}

fn last_line(report: &Report) -> String {
    wrap_behind(&verdict(report), "", "  ", WIDTH)
}

/// How many files there are, what was found in them, and how many of them fail.
pub(crate) fn verdict(report: &Report) -> String {
    let all = report.files.len();
    let number_of = |fits: &dyn Fn(&&FileReport) -> bool| report.files.iter().filter(fits).count();
    let failing = number_of(&|file| file.counts.at_least(report.fail_on) > 0);
    let fail = match (failing, all) {
        (1, 1) => "fails".to_owned(),
        (0, 1) => "passes".to_owned(),
        (0, _) => "none fails".to_owned(),
        (1, _) => "1 fails".to_owned(),
        (number, _) => format!("{number} fail"),
    };
    let from = match report.fail_on {
        Severity::Error => String::new(),
        severity => format!(" (from {severity} on)"),
    };
    let of = |number: usize, what: &str| match number {
        0 => String::new(),
        number => format!(", {number} {what}"),
    };
    let unopened = number_of(&|file| is_unopened(file));
    let cut = number_of(&|file| !file.scan_complete && !is_unopened(file));
    format!(
        "{all} {}: {}; {fail}{from}{}{}",
        if all == 1 { "file" } else { "files" },
        settings::found(&report.counts, settings::suppressed(report)),
        of(unopened, "could not be read"),
        of(cut, "not read to the end")
    )
}

/// Whether a file could not even be opened.
pub(crate) fn is_unopened(file: &FileReport) -> bool {
    !file.scan_complete && file.size.is_none()
}

/// What kept a file from being judged, in a few words.
pub(crate) fn kept_from(file: &FileReport) -> &'static str {
    if is_unopened(file) {
        "could not be read"
    } else {
        "not read to the end"
    }
}

pub(crate) fn counts(counts: &Counts) -> String {
    let of = |number: u64, word: &str| match number {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ if word == "info" => Some(format!("{number} info")),
        _ => Some(format!("{number} {word}s")),
    };
    let parts: Vec<String> = [
        of(counts.error, "error"),
        of(counts.warning, "warning"),
        of(counts.info, "info"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        "nothing found".to_owned()
    } else {
        parts.join(", ")
    }
}

/// The first of the rules for which a file fails.
fn failing_rules(report: &Report, file: &FileReport) -> String {
    const MOST: usize = 5;
    let failing = file.totals.iter();
    let failing = failing.filter(|total| total.severity >= report.fail_on);
    let rules: BTreeSet<&str> = failing.map(|total| total.rule).collect();
    let named: Vec<&str> = rules.iter().copied().take(MOST).collect();
    match (named.is_empty(), rules.len().saturating_sub(MOST)) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", named.join(", ")),
        (false, more) => format!(": {} and {more} more", named.join(", ")),
    }
}

fn headline(out: &mut String, file: &FileReport, rules: &str) {
    let found = settings::found(&file.counts, file.suppressed);
    let verdict = match &file.incomplete {
        Some(reason) => {
            let reason = plain(reason, LONGEST_MESSAGE);
            let nothing = file.counts == Counts::default() && file.suppressed.is_empty();
            let found = match nothing {
                true => String::new(),
                false => format!("{found}; "),
            };
            format!("{found}{} ({reason})", kept_from(file))
        }
        None => found,
    };
    let line = format!("{}: {verdict}{rules}", plain(&file.path, usize::MAX));
    out.push_str(&wrap_behind(&line, "", "  ", WIDTH));
}

fn full(out: &mut String, file: &FileReport, explained: &mut BTreeSet<&'static str>) {
    headline(out, file, "");
    if let Some(size) = file.size {
        let seal = match file.sealed {
            Some(true) => ", sealed",
            Some(false) => ", not sealed",
            None => "",
        };
        let _ = writeln!(
            out,
            "  {size} bytes{seal}; {}",
            plain(&file.account, LONGEST_MESSAGE)
        );
    }
    if let Some(losses) = file.contents.as_ref().and_then(Contents::losses) {
        let line = plain(&losses, LONGEST_MESSAGE);
        out.push_str(&wrap_behind(&line, "  ", "    ", WIDTH));
    }
    if let Some(digest) = &file.sha256 {
        let _ = writeln!(out, "  sha256 {}", plain(digest, LONGEST_VALUE));
    }
    if let Some(clocks) = &file.clocks {
        mappings::show(out, clocks);
    }
    for finding in &file.findings {
        show(out, finding, explained.insert(finding.rule));
    }
    for total in &file.totals {
        if total.total > total.shown {
            let line = format!(
                "{}: {} in all, {} of them shown",
                total.rule, total.total, total.shown
            );
            out.push_str(&wrap_behind(&line, "  ", "    ", WIDTH));
        }
    }
    for unchecked in file.unchecked.iter().filter(|it| it.scope == Scope::File) {
        let what = plain(&unchecked.what, LONGEST_MESSAGE);
        let reason = plain(&unchecked.reason, LONGEST_MESSAGE);
        let line = format!("unchecked: {what} ({reason})");
        out.push_str(&wrap_behind(&line, "  ", "    ", WIDTH));
    }
}

/// What this version checks in no file, said once.
fn never(out: &mut String, report: &Report) {
    let mut said: Vec<&str> = Vec::new();
    let unchecked = report.files.iter().flat_map(|file| &file.unchecked);
    for unchecked in unchecked.filter(|it| it.scope == Scope::Version) {
        if !said.contains(&unchecked.what.as_str()) {
            said.push(&unchecked.what);
        }
    }
    if !said.is_empty() {
        let said: Vec<String> = said.iter().map(|it| plain(it, LONGEST_MESSAGE)).collect();
        let line = format!("never checked by this version: {}", said.join("; "));
        out.push_str(&wrap_behind(&line, "", "  ", WIDTH));
        out.push('\n');
    }
}

/// A finding; `first` of its rule, it is followed by what the rule is for.
pub(crate) fn show(out: &mut String, finding: &Finding, first: bool) {
    let style = style(finding.severity);
    let mut place = format!("offset {}", finding.offset);
    if finding.field_offset != finding.offset {
        let _ = write!(place, ", byte {}", finding.field_offset);
    }
    if let Some(stream) = finding.stream_ref {
        let _ = write!(place, ", stream {stream}");
    }
    if let Some(schema) = finding.schema_ref {
        let _ = write!(place, ", schema {schema}");
    }
    if let Some(chunk) = finding.chunk_offset {
        let _ = write!(place, ", chunk {chunk}");
    }
    if let Some(message) = finding.message_index {
        let _ = write!(place, ", message {message}");
    }
    let head = format!(
        "{style}{}{style:#} {} at {place}",
        finding.severity, finding.rule
    );
    out.push_str(&wrap_behind(&head, "  ", "    ", WIDTH));
    let message = format!(
        "{}: {}",
        plain(&finding.field, LONGEST_VALUE),
        plain(&finding.message, LONGEST_MESSAGE)
    );
    out.push_str(&wrap_behind(&message, "    ", "    ", WIDTH));
    if let Some(evidence) = &finding.evidence {
        let expected = plain(&evidence.expected, LONGEST_VALUE);
        let found = plain(&evidence.found, LONGEST_VALUE);
        let line = format!("expected {expected}, found {found}");
        out.push_str(&wrap_behind(&line, "    ", "    ", WIDTH));
    }
    if let Some(fix) = fix::of(finding).filter(|_| first) {
        out.push_str(&wrap_behind(fix, "    fix: ", "         ", WIDTH));
    }
    if let Some(rule) = rule::find(finding.rule).filter(|_| first) {
        out.push_str(&wrap_behind(&rule.why, "    why: ", "         ", WIDTH));
    }
    if !finding.readings.is_empty() {
        let line = format!(
            "rests on reading {}",
            plain(&finding.readings.join(", "), LONGEST_VALUE)
        );
        out.push_str(&wrap_behind(&line, "    ", "    ", WIDTH));
    }
}
