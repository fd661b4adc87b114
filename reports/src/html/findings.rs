//! A file's findings, a group for each rule.

use std::collections::{BTreeMap, BTreeSet};

use ca3_spec::rule;
use maud::{Markup, PreEscaped, html};

use super::escape::visible;
use crate::{FileReport, Finding, Severity, fix};

/// The longest value of a file that is shown.
const LONGEST_VALUE: usize = 160;
/// The longest topic: the stream's number is beside it.
const LONGEST_TOPIC: usize = 60;
/// The longest message.
const LONGEST_MESSAGE: usize = 400;
/// Findings of one rule in one file that the page shows.
const MOST: usize = 200;
/// Groups of more findings are folded.
const MANY: usize = 20;

/// A sign and a class for each severity, beside its word.
pub(super) const fn sign(severity: Severity) -> (&'static str, char) {
    match severity {
        Severity::Error => ("bad", '✕'),
        Severity::Warning => ("warn", '!'),
        Severity::Info => ("note", 'i'),
    }
}

/// The findings of one rule and severity.
#[derive(Default)]
struct Group<'f> {
    /// How many there are.
    total: u64,
    /// Those that the report has.
    findings: Vec<&'f Finding>,
}

/// The groups of the gravest severity first.
type Groups<'f> = BTreeMap<(std::cmp::Reverse<Severity>, &'f str), Group<'f>>;

fn groups(file: &FileReport) -> Groups<'_> {
    let mut groups: Groups<'_> = BTreeMap::new();
    for finding in &file.findings {
        let key = (std::cmp::Reverse(finding.severity), finding.rule);
        groups.entry(key).or_default().findings.push(finding);
    }
    for total in &file.totals {
        let key = (std::cmp::Reverse(total.severity), total.rule);
        groups.entry(key).or_default().total = total.total;
    }
    for group in groups.values_mut() {
        group.total = group.total.max(count(group.findings.len()));
    }
    groups
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The groups. `explained` are the rules of which the page said what they are for;
/// `room` is how many bytes findings may still take.
pub(super) fn render<'f>(
    file: &'f FileReport,
    explained: &mut BTreeSet<&'f str>,
    room: &mut usize,
) -> Markup {
    // Of a file that was never opened there is nothing to say.
    if file.findings.is_empty() && file.totals.is_empty() && file.size.is_none() {
        return html! {};
    }
    let mut shown: Vec<Markup> = Vec::new();
    let mut left_out = 0_u64;
    let groups = groups(file);
    for ((severity, rule), group) in &groups {
        if *room == 0 {
            left_out = left_out.saturating_add(1);
            continue;
        }
        let first = explained.insert(rule);
        let group = one(severity.0, rule, group, first, room);
        shown.push(group);
    }
    html! {
        section class="findings" {
            h3 { "Findings by rule" }
            @if groups.is_empty() {
                p { @if file.scan_complete { "None." } @else { "None in what was read." } }
            }
            @for group in &shown { (group) }
            @if left_out > 0 {
                p class="left-out" {
                    "Left out to keep the page small: " (left_out)
                    @if left_out == 1 { " rule that is broken" } @else { " rules that are broken" }
                    " here. " code { "--format json" } " has them; so has the page of this file \
                    alone."
                }
            }
        }
    }
}

fn one(severity: Severity, id: &str, group: &Group<'_>, first: bool, room: &mut usize) -> Markup {
    let mut rows: Vec<Markup> = Vec::new();
    let mut fixes: Vec<Option<&str>> = group.findings.iter().map(|it| fix::of(it)).collect();
    fixes.dedup();
    let common = match fixes.as_slice() {
        [Some(fix)] => Some(*fix),
        _ => None,
    };
    for finding in group.findings.iter().take(MOST) {
        if *room == 0 {
            break;
        }
        let row = row(finding, common.is_none());
        *room = room.saturating_sub(row.0.len());
        rows.push(row);
    }
    let known = rule::find(id);
    let group_markup = html! {
        section .rule-group .(sign(severity).0) {
            h4 {
                (super::severity(severity)) " "
                code class="rule" { (visible(id, LONGEST_VALUE)) }
                @if let Some(rule) = known { " " span class="section" { "§" (rule.section) } }
                " " span class="times" { (times(group.total)) }
            }
            @if let Some(rule) = known {
                p class="summary" { (rule.summary) }
                @if first {
                    p class="why" id={ "why-" (rule.id) } { strong { "Why:" } " " (rule.why) }
                } @else {
                    p class="why" { a href={ "#why-" (rule.id) } { "Why" } }
                }
            }
            @if let Some(fix) = common { p class="fix" { strong { "Fix:" } " " (fix) } }
            @if !rows.is_empty() { (table(&rows)) }
            (rest(group, rows.len()))
        }
    };
    let of_rows: usize = rows.iter().map(|row| row.0.len()).sum();
    *room = room.saturating_sub(group_markup.0.len().saturating_sub(of_rows));
    group_markup
}

fn times(total: u64) -> String {
    match total {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        total => format!("{total} times"),
    }
}

/// What of a group is not on the page, and where it is.
fn rest(group: &Group<'_>, shown: usize) -> Markup {
    let held = group.findings.len();
    html! {
        @if shown < held {
            p class="left-out" {
                (shown) " of " (held) " findings are on this page; " code { "--format json" }
                " has them all."
            }
        }
        @if group.total > count(held) {
            p class="left-out" {
                (group.total) " in all, " (held) " of them in this report; "
                code { "--max-findings" } " keeps more."
            }
        }
    }
}

fn table(rows: &[Markup]) -> Markup {
    let word = if rows.len() == 1 {
        "finding"
    } else {
        "findings"
    };
    html! {
        details open[rows.len() <= MANY] {
            summary { (rows.len()) " " (word) }
            table {
                caption class="hidden" { "Findings of this rule" }
                thead {
                    tr {
                        th scope="col" { "Place" }
                        th scope="col" { "Finding" }
                    }
                }
                tbody { @for row in rows { (PreEscaped(&row.0)) } }
            }
        }
    }
}

fn row(finding: &Finding, with_fix: bool) -> Markup {
    html! {
        tr {
            td data-label="Place" { (place(finding)) }
            td data-label="Finding" {
                div {
                    p class="message" { (visible(&finding.message, LONGEST_MESSAGE)) }
                    @if let Some(evidence) = &finding.evidence {
                        p class="evidence" {
                            "expected " code { (visible(&evidence.expected, LONGEST_VALUE)) }
                            ", found " code { (visible(&evidence.found, LONGEST_VALUE)) }
                        }
                    }
                    @if let Some(fix) = fix::of(finding).filter(|_| with_fix) {
                        p class="fix" { strong { "Fix:" } " " (fix) }
                    }
                    @if !finding.readings.is_empty() || !finding.fingerprint.is_empty() {
                        p class="about" {
                            @if !finding.readings.is_empty() {
                                "Rests on reading "
                                (visible(&finding.readings.join(", "), LONGEST_VALUE)) ". "
                            }
                            @if !finding.fingerprint.is_empty() {
                                "Fingerprint " code {
                                    (visible(&finding.fingerprint, LONGEST_VALUE))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn place(finding: &Finding) -> Markup {
    html! {
        div {
            code { (visible(&finding.field, LONGEST_VALUE)) }
            @if let Some(path) = &finding.path {
                br; code { (visible(path, LONGEST_VALUE)) }
            }
            br; "offset " (finding.offset)
            @if finding.field_offset != finding.offset { ", byte " (finding.field_offset) }
            @if let Some(stream) = finding.stream_ref {
                br; "stream " (stream)
                @if let Some(topic) = &finding.topic { " " (visible(topic, LONGEST_TOPIC)) }
            }
            @if let Some(schema) = finding.schema_ref { br; "schema " (schema) }
            @if let Some(chunk) = finding.chunk_offset { br; "chunk " (chunk) }
            @if let Some(message) = finding.message_index { ", message " (message) }
        }
    }
}
