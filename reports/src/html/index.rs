//! Where there are several files: which, how each fared, and which rules are broken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ca3_spec::rule;
use maud::{Markup, html};

use super::escape::visible;
use super::{LONGEST_PATH, Numbered};
use crate::{Report, Severity};

/// Rules that are told of.
const MOST_RULES: usize = 500;
/// More rows than this are folded.
const MANY: usize = 50;
/// Files that are shown ahead of what is folded.
const FIRST: usize = 25;

/// Both tables.
pub(super) fn render(report: &Report, files: &[Numbered<'_>]) -> Markup {
    let mut by_need = files.to_vec();
    by_need.sort_by_key(|(number, file)| (super::need(report, file), *number));
    html! {
        nav aria-label="Files" {
            h2 { "Files" }
            @if files.len() <= MANY {
                (table(report, &by_need, "How each file fared"))
            } @else {
                (table(report, by_need.get(..FIRST).unwrap_or_default(),
                    "Those that need looking at most"))
                details {
                    summary { "All " (files.len()) " files" }
                    (table(report, files, "How each file fared"))
                }
            }
            @if files.len() < report.files.len() {
                p class="left-out" {
                    (report.files.len() - files.len()) " more files are left out, those that need \
                     looking at least. " code { "--format json" } " has them."
                }
            }
        }
        (rules(report))
    }
}

fn table(report: &Report, files: &[Numbered<'_>], caption: &str) -> Markup {
    html! {
        table class="index" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "File" }
                    th scope="col" { "Verdict" }
                    th scope="col" { "Errors" }
                    th scope="col" { "Warnings" }
                    th scope="col" { "Info" }
                }
            }
            tbody {
                @for (number, file) in files {
                    tr {
                        th scope="row" data-label="File" {
                            a href={ "#file-" (number) } {
                                (visible(&file.path, LONGEST_PATH))
                            }
                        }
                        td data-label="Verdict" { (super::verdict_of(report, file)) }
                        td data-label="Errors" { (file.counts.error) }
                        td data-label="Warnings" { (file.counts.warning) }
                        td data-label="Info" { (file.counts.info) }
                    }
                }
            }
        }
    }
}

/// How often a rule is broken, and in how many files.
#[derive(Default)]
struct Broken {
    times: u64,
    files: u64,
}

fn rules(report: &Report) -> Markup {
    let mut rules: BTreeMap<(Reverse<Severity>, &str), Broken> = BTreeMap::new();
    for total in report.files.iter().flat_map(|file| &file.totals) {
        let key = (Reverse(total.severity), total.rule);
        let broken = rules.entry(key).or_default();
        broken.times = broken.times.saturating_add(total.total);
        broken.files = broken.files.saturating_add(1);
    }
    if rules.is_empty() {
        return html! {};
    }
    html! {
        section class="rules" {
            h2 { "Rules broken" }
            details open[rules.len() <= MANY] {
                summary { (rules.len()) @if rules.len() == 1 { " rule" } @else { " rules" } }
                table {
                    caption class="hidden" { "Rules broken, over all files" }
                    thead {
                        tr {
                            th scope="col" { "Rule" }
                            th scope="col" { "Severity" }
                            th scope="col" { "Says" }
                            th scope="col" { "Times" }
                            th scope="col" { "Files" }
                        }
                    }
                    tbody {
                        @for ((severity, id), broken) in rules.iter().take(MOST_RULES) {
                            tr {
                                th scope="row" data-label="Rule" {
                                    code class="rule" { (visible(id, LONGEST_PATH)) }
                                }
                                td data-label="Severity" { (super::severity(severity.0)) }
                                td data-label="Says" {
                                    @if let Some(rule) = rule::find(id) { (rule.summary) }
                                }
                                td data-label="Times" { (broken.times) }
                                td data-label="Files" { (broken.files) }
                            }
                        }
                    }
                }
            }
        }
    }
}
