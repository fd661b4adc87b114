//! What a look at the sources of schemas found, and its text.
//!
//! Lines and columns count from 1. A column counts characters, a tab as one, where
//! the source is at hand; of a descriptor set it is the column that its source
//! information states, which counts bytes, and which some compilers widen at tabs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ca3_spec::rule;
use serde::Serialize;

use crate::fix;
use crate::paragraph::{plain, wrap_behind};
use crate::text::{WIDTH, counts, style};
use crate::{Counts, Evidence, Severity, Tool, Unchecked};

/// The JSON Schema of a [`LintReport`], kept by hand and tested against what the
/// program prints.
pub const SCHEMA: &str = include_str!("../schema/lint.json");

/// The longest path, value and message of a schema that are shown.
const LONGEST_VALUE: usize = 160;
const LONGEST_MESSAGE: usize = 400;
/// Names of a list that are shown.
const MOST_NAMED: usize = 12;

/// A place in a file of schemas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The file: the path at which it was found.
    pub file: String,
    /// Its line, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line itself, where the source is at hand.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// A line of a source, and what of it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line without its end.
    pub line: String,
    /// The first character that is meant.
    pub from: usize,
    /// How many are.
    pub length: usize,
}

/// Something that a schema gets wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LintFinding {
    /// Identifier in the rule catalogue.
    pub rule: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// Section of the format document.
    pub section: &'static str,
    /// What is the case, in a sentence.
    pub message: String,
    /// Where it is declared.
    #[serde(flatten)]
    pub spot: Spot,
    /// The declaration concerned, such as `EyeSample.direction.x`.
    pub path: String,
    /// Expected and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The readings that the rule rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<String>,
}

/// Why a source does not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompileError {
    /// What is the case.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub spot: Spot,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Its path.
    pub file: String,
    /// Why not.
    pub reason: String,
}

/// Faults of a rule that were counted and not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct More {
    /// The rule.
    pub rule: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// How many.
    pub number: u64,
}

/// The messages of the files that were named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LintMessages {
    /// Judged as the schema of a stream.
    pub judged: Vec<String>,
    /// Not judged by themselves: others hold them, or they were not asked for.
    pub not_judged: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Linted {
    /// In the order of the files, then of their lines.
    pub findings: Vec<LintFinding>,
    /// Faults beyond these.
    pub more: Vec<More>,
    /// What kept sources from being compiled; of these, nothing is judged.
    pub compile_errors: Vec<CompileError>,
    /// Files that could not be read.
    pub unread: Vec<Unread>,
    /// What was left open, and why.
    pub unchecked: Vec<Unchecked>,
    /// Which messages were judged.
    pub messages: LintMessages,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LintReport {
    /// Version of this form of report.
    pub schema_version: u32,
    /// What made it.
    pub tool: Tool,
    /// The severity from which on a finding fails the run.
    pub fail_on: Severity,
    /// How many faults there are.
    pub counts: Counts,
    /// What was found.
    #[serde(flatten)]
    pub linted: Linted,
}

impl LintReport {
    /// This form of report.
    pub const SCHEMA_VERSION: u32 = 1;

    /// The report of what was found.
    pub fn new(tool: Tool, fail_on: Severity, linted: Linted) -> Self {
        let mut counts = Counts::default();
        for finding in &linted.findings {
            counts.add(finding.severity, 1);
        }
        for more in &linted.more {
            counts.add(more.severity, more.number);
        }
        LintReport {
            schema_version: Self::SCHEMA_VERSION,
            tool,
            fail_on,
            counts,
            linted,
        }
    }

    /// The exit code: 3 where a file was not read, else 1 where a source does not
    /// compile or a finding fails the run, else 0.
    pub fn exit_code(&self) -> u8 {
        if !self.linted.unread.is_empty() {
            return 3;
        }
        let fails = self.counts.at_least(self.fail_on) > 0;
        u8::from(fails || !self.linted.compile_errors.is_empty())
    }
}

/// The report for people, as compilers have it.
pub fn text(report: &LintReport) -> String {
    let mut out = String::new();
    let linted = &report.linted;
    let error = style(Severity::Error);
    for broken in &linted.compile_errors {
        let message = plain(&broken.message, LONGEST_MESSAGE);
        let line = format!("{}: {error}error{error:#}: {message}", at(&broken.spot));
        out.push_str(&wrap_behind(&line, "", "    ", WIDTH));
        excerpt(&mut out, &broken.spot);
    }
    let mut explained = BTreeSet::new();
    for finding in &linted.findings {
        show(&mut out, finding, explained.insert(finding.rule));
    }
    for more in &linted.more {
        let _ = writeln!(
            out,
            "{}: {} more of severity {}",
            more.rule, more.number, more.severity
        );
    }
    for unchecked in &linted.unchecked {
        let what = plain(&unchecked.what, LONGEST_MESSAGE);
        let reason = plain(&unchecked.reason, LONGEST_MESSAGE);
        let line = format!("unchecked: {what} ({reason})");
        out.push_str(&wrap_behind(&line, "", "  ", WIDTH));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&wrap_behind(&last_line(report), "", "  ", WIDTH));
    out
}

fn last_line(report: &LintReport) -> String {
    let linted = &report.linted;
    let mut parts = Vec::new();
    match linted.compile_errors.len() {
        0 => {}
        1 => parts.push("1 error of compilation".to_owned()),
        number => parts.push(format!("{number} errors of compilation")),
    }
    let found = report.counts != Counts::default();
    if found || linted.compile_errors.is_empty() {
        parts.push(counts(&report.counts));
    }
    let mut line = parts.join(", ");
    match linted.unread.len() {
        0 => {}
        1 => line.push_str("; 1 file not read"),
        number => {
            let _ = write!(line, "; {number} files not read");
        }
    }
    let judged = names(&linted.messages.judged);
    let _ = match judged.as_str() {
        "" => write!(line, "; no message judged"),
        judged => write!(line, "; judged as schemas of streams: {judged}"),
    };
    if !linted.messages.not_judged.is_empty() {
        let names = names(&linted.messages.not_judged);
        let _ = write!(line, "; not judged by themselves: {names}");
    }
    line
}

fn names(names: &[String]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMED)
        .map(|name| plain(name, LONGEST_VALUE))
        .collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

/// A place as compilers write it.
fn at(spot: &Spot) -> String {
    let mut text = plain(&spot.file, usize::MAX);
    for number in [spot.line, spot.column].into_iter().flatten() {
        let _ = write!(text, ":{number}");
    }
    text
}

/// A finding; `first` of its rule, it is followed by what the rule is for.
fn show(out: &mut String, finding: &LintFinding, first: bool) {
    let style = style(finding.severity);
    let line = format!(
        "{}: {style}{}{style:#} {}: {}",
        at(&finding.spot),
        finding.severity,
        finding.rule,
        plain(&finding.message, LONGEST_MESSAGE)
    );
    out.push_str(&wrap_behind(&line, "", "    ", WIDTH));
    excerpt(out, &finding.spot);
    if let Some(evidence) = &finding.evidence {
        let expected = plain(&evidence.expected, LONGEST_VALUE);
        let found = plain(&evidence.found, LONGEST_VALUE);
        let line = format!("expected {expected}, found {found}");
        out.push_str(&wrap_behind(&line, "    ", "    ", WIDTH));
    }
    if let Some(fix) = fix::of_schema(finding.rule).filter(|_| first) {
        out.push_str(&wrap_behind(fix, "    fix: ", "         ", WIDTH));
    }
    if let Some(rule) = rule::find(finding.rule).filter(|_| first) {
        out.push_str(&wrap_behind(&rule.why, "    why: ", "         ", WIDTH));
    }
}

/// The line of a source, and carets below what is meant.
fn excerpt(out: &mut String, spot: &Spot) {
    let (Some(excerpt), Some(line)) = (&spot.excerpt, spot.line) else {
        return;
    };
    let margin = line.to_string();
    let room = WIDTH.saturating_sub(margin.len().saturating_add(4 + 3));
    let (text, from, length) = window(excerpt, room);
    let text = text.trim_end();
    let _ = writeln!(out, "  {margin} | {text}");
    let blank = " ".repeat(margin.len());
    let indent = " ".repeat(from);
    let rest = "~".repeat(length.saturating_sub(1));
    let _ = writeln!(out, "  {blank} | {indent}^{rest}");
}

/// A line cut to some characters around what is meant, a tab as one blank; where that
/// begins in it, and how long it is there.
fn window(excerpt: &Excerpt, room: usize) -> (String, usize, usize) {
    const CUT: &str = "...";
    let chars: Vec<char> = excerpt
        .line
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .collect();
    if chars.len() <= room {
        let length = excerpt.length.min(chars.len().saturating_sub(excerpt.from));
        return (plain_of(&chars), excerpt.from, length);
    }
    let room = room.saturating_sub(2 * CUT.len());
    // As little is cut off in front as lets what is meant be seen.
    let end = excerpt.from.saturating_add(excerpt.length.min(room));
    let start = end.saturating_sub(room).min(excerpt.from);
    let kept: Vec<char> = chars.iter().skip(start).take(room).copied().collect();
    let before = if start > 0 { CUT } else { "" };
    let after = if start.saturating_add(kept.len()) < chars.len() {
        CUT
    } else {
        ""
    };
    let from = excerpt.from.saturating_sub(start);
    let length = excerpt.length.min(kept.len().saturating_sub(from));
    let text = format!("{before}{}{after}", plain_of(&kept));
    (text, from.saturating_add(before.len()), length)
}

fn plain_of(chars: &[char]) -> String {
    plain(&chars.iter().collect::<String>(), usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, from: usize, length: usize) -> String {
        let mut out = String::new();
        excerpt(
            &mut out,
            &Spot {
                file: "f".to_owned(),
                line: Some(7),
                column: Some(1),
                excerpt: Some(Excerpt {
                    line: line.to_owned(),
                    from,
                    length,
                }),
            },
        );
        out
    }

    #[test]
    fn a_line_has_carets_below_what_is_meant() {
        assert_eq!(shown("  a = 1;", 2, 6), "  7 |   a = 1;\n    |   ^~~~~~\n");
        assert_eq!(
            shown("\ta\u{1b}[1m", 1, 2),
            "  7 |  a\u{fffd}[1m\n    |  ^~\n"
        );
        // Nothing, behind the end.
        assert_eq!(shown("", 0, 0), "  7 | \n    | ^\n");
    }

    #[test]
    fn a_long_line_is_cut_around_what_is_meant() {
        let line = format!("{}bad{}", "x".repeat(200), "y".repeat(200));
        for (from, length) in [(0, 400), (200, 3), (399, 4), (402, 9)] {
            let shown = shown(&line, from, length);
            for line in shown.lines() {
                assert!(line.chars().count() <= WIDTH, "{line}");
            }
            let mut lines = shown.lines();
            let (text, caret) = (lines.next(), lines.next());
            let at = caret.and_then(|line| line.find('^'));
            let meant = text.zip(at).and_then(|(text, at)| text.chars().nth(at));
            assert_eq!(meant, line.chars().nth(from), "{from}");
        }
    }

    #[test]
    fn the_worst_decides() {
        let tool = Tool {
            name: "t",
            version: "0",
        };
        let code = |linted| LintReport::new(tool.clone(), Severity::Error, linted).exit_code();
        assert_eq!(code(Linted::default()), 0);
        let broken = Linted {
            compile_errors: vec![CompileError {
                message: String::new(),
                spot: Spot::default(),
            }],
            ..Linted::default()
        };
        assert_eq!(code(broken.clone()), 1);
        let unread = Unread {
            file: String::new(),
            reason: String::new(),
        };
        let unread = Linted {
            unread: vec![unread],
            ..broken
        };
        assert_eq!(code(unread), 3);
        let more = Linted {
            more: vec![More {
                rule: "CA3-5.2-03",
                severity: Severity::Error,
                number: 2,
            }],
            ..Linted::default()
        };
        assert_eq!(code(more), 1);
    }
}
