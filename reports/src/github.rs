//! The report as workflow commands, which GitHub shows as annotations of files.
//!
//! A line is a command where it begins with `::`. So every text from a file stands
//! behind the beginning of one of ours, and none can begin a line.

use std::fmt::Write as _;

use crate::paragraph::harmless;
use crate::sentence::{self, LONGEST_PATH};
use crate::text::{LONGEST_MESSAGE, LONGEST_VALUE, plain, verdict};
use crate::{Finding, Report, Severity};

/// The report, a command a finding and, last, the verdict in a line.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        if let Some(reason) = &file.incomplete {
            let message = format!("not read to the end: {}", plain(reason, LONGEST_MESSAGE));
            command(&mut out, "error", &file.path, "scan incomplete", &message);
        }
        for finding in &file.findings {
            let word = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            let message = sentence::of(finding);
            command(&mut out, word, &file.path, &title(finding), &message);
        }
        for total in file.totals.iter().filter(|it| it.total > it.shown) {
            let message = format!("{} in all, {} of them shown", total.total, total.shown);
            command(&mut out, "notice", &file.path, total.rule, &message);
        }
    }
    let _ = writeln!(out, "{}", verdict(report));
    out
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
