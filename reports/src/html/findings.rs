//! A file's findings as a table, and what was checked and left unchecked.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ca3_spec::rule;

use super::escape;
use crate::{FileReport, Finding, Scope, Severity, fix};

/// The longest value of a file that is shown.
const LONGEST_VALUE: usize = 160;
/// The longest message.
const LONGEST_MESSAGE: usize = 400;

/// A sign and a class for each severity, beside its word.
pub(super) const fn sign(severity: Severity) -> (&'static str, char) {
    match severity {
        Severity::Error => ("bad", '✕'),
        Severity::Warning => ("warn", '!'),
        Severity::Info => ("note", 'i'),
    }
}

/// The table; `explained` are the rules of which the page said what they are for.
pub(super) fn render(out: &mut String, file: &FileReport, explained: &mut BTreeSet<&'static str>) {
    // Of a file that was never opened there is nothing to say.
    if file.findings.is_empty() && file.size.is_none() {
        return;
    }
    out.push_str("<section class=\"findings\">\n<h3>Findings</h3>\n");
    if file.findings.is_empty() {
        out.push_str(match file.scan_complete {
            true => "<p>None.</p>\n</section>\n",
            false => "<p>None in what was read.</p>\n</section>\n",
        });
        return;
    }
    out.push_str(
        "<table>\n<thead><tr><th scope=\"col\">Severity</th><th scope=\"col\">Rule</th>\
         <th scope=\"col\">Place</th><th scope=\"col\">Finding</th></tr></thead>\n<tbody>\n",
    );
    for finding in &file.findings {
        row(out, finding, explained.insert(finding.rule));
    }
    out.push_str("</tbody>\n</table>\n");
    for total in &file.totals {
        if total.total > total.shown {
            let _ = writeln!(
                out,
                "<p>{}: {} in all, {} of them shown.</p>",
                total.rule, total.total, total.shown
            );
        }
    }
    out.push_str("</section>\n");
}

/// A finding; `first` of its rule, it is followed by what the rule is for.
fn row(out: &mut String, finding: &Finding, first: bool) {
    let (class, sign) = sign(finding.severity);
    let _ = writeln!(
        out,
        "<tr><td data-label=\"Severity\"><span class=\"badge {class}\">\
         <span aria-hidden=\"true\">{sign}</span> {}</span></td>",
        finding.severity
    );
    let _ = write!(
        out,
        "<td data-label=\"Rule\"><div><code class=\"rule\">{}</code>",
        escape::text(finding.rule, LONGEST_VALUE)
    );
    if !finding.section.is_empty() {
        let _ = write!(out, "<br>§{}", escape::text(finding.section, LONGEST_VALUE));
    }
    let _ = writeln!(
        out,
        "</div></td>\n<td data-label=\"Place\"><div><code>{}</code><br>{}</div></td>",
        escape::text(&finding.field, LONGEST_VALUE),
        place(finding)
    );
    out.push_str("<td data-label=\"Finding\"><div>");
    escape::element(out, "p", "message", &finding.message, LONGEST_MESSAGE);
    if let Some(evidence) = &finding.evidence {
        let _ = write!(
            out,
            "<p class=\"evidence\">expected <code>{}</code>, found <code>{}</code></p>",
            escape::text(&evidence.expected, LONGEST_VALUE),
            escape::text(&evidence.found, LONGEST_VALUE)
        );
    }
    if let Some(fix) = fix::of(finding) {
        let fix = escape::text(fix, LONGEST_MESSAGE);
        let _ = write!(out, "<p class=\"fix\"><strong>Fix:</strong> {fix}</p>");
    }
    if let Some(rule) = rule::find(finding.rule).filter(|_| first) {
        let why = escape::text(&rule.why, usize::MAX);
        let _ = write!(out, "<p class=\"why\"><strong>Why:</strong> {why}</p>");
    }
    if !finding.readings.is_empty() {
        let readings = escape::text(&finding.readings.join(", "), LONGEST_VALUE);
        let _ = write!(out, "<p class=\"readings\">Rests on reading {readings}</p>");
    }
    out.push_str("</div></td></tr>\n");
}

fn place(finding: &Finding) -> String {
    let mut place = format!("offset {}", finding.offset);
    if finding.field_offset != finding.offset {
        let _ = write!(place, ", byte {}", finding.field_offset);
    }
    if let Some(stream) = finding.stream_ref {
        let _ = write!(place, "<br>stream {stream}");
    }
    if let Some(schema) = finding.schema_ref {
        let _ = write!(place, "<br>schema {schema}");
    }
    if let Some(chunk) = finding.chunk_offset {
        let _ = write!(place, "<br>chunk {chunk}");
    }
    if let Some(message) = finding.message_index {
        let _ = write!(place, ", message {message}");
    }
    place
}

/// What was checked and what was not, folded.
pub(super) fn coverage(out: &mut String, file: &FileReport) {
    let left = || file.unchecked.iter().filter(|it| it.scope == Scope::File);
    if !file.checked.is_empty() {
        let rules: usize = file.checked.iter().map(|it| it.rules.len()).sum();
        let _ = writeln!(
            out,
            "<details><summary>Checked: {rules} {}</summary>\n<dl>",
            if rules == 1 { "rule" } else { "rules" }
        );
        for checked in &file.checked {
            entry(out, &checked.what, None, checked.rules.iter().copied());
        }
        out.push_str("</dl></details>\n");
    }
    let number = left().count();
    if number > 0 {
        let _ = writeln!(
            out,
            "<details><summary>Left unchecked in this file: {number}</summary>\n<dl>"
        );
        for it in left() {
            let rules = it.rules.iter().map(String::as_str);
            entry(out, &it.what, Some(&it.reason), rules);
        }
        out.push_str("</dl></details>\n");
    }
}

/// What was left out or looked at, why, and the rules concerned.
pub(super) fn entry<'a>(
    out: &mut String,
    what: &str,
    reason: Option<&str>,
    rules: impl Iterator<Item = &'a str>,
) {
    let _ = write!(out, "<dt>{}</dt><dd>", escape::text(what, LONGEST_MESSAGE));
    if let Some(reason) = reason {
        let _ = write!(out, "{}. ", escape::text(reason, LONGEST_MESSAGE));
    }
    for rule in rules {
        escape::element(out, "code", "rule", rule, LONGEST_VALUE);
        out.push(' ');
    }
    out.push_str("</dd>\n");
}
