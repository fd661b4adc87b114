//! The report as one page for a browser: nothing to load, nothing that runs, and
//! of bounded size however much was found in however many files.
//!
//! - `style.css`: how it looks, on screens of any width, dark or light, and
//!   printed.
//! - `index`: the files and the rules they break, where there are several.
//! - `findings`: what breaks which rule; `coverage`: what was checked.
//! - `timeline`: streams over time, drawn by `bars` on `ground`, laid out by `stretches`;
//!   `layout`: where in the file things lie; `signs`: what both mark; `streams` and `schemas`: what the file holds, as tables.
//! - `clocks`: the clock mappings; `plot` draws each: `scene` decides what
//!   is shown, `panel` and `marks` draw it, `straight` and `scale` reckon.
//! - `escape`: every text from a file goes through it.

mod bars;
mod clocks;
mod coverage;
mod escape;
mod findings;
mod ground;
mod index;
mod layout;
mod marks;
mod panel;
mod plot;
mod scale;
mod scene;
mod schemas;
mod signs;
mod straight;
mod streams;
mod stretches;
mod timeline;

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use coverage::Lists;
use escape::visible;

use crate::contents::Contents;
use crate::{Counts, FileReport, Report, Severity, Suppressed, settings, text};

const STYLE: &str = include_str!("html/style.css");
/// Nothing but the page's own style.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// The longest reason that is shown.
const LONGEST: usize = 400;
/// The longest path: longer ones no file system has.
const LONGEST_PATH: usize = 5_000;
/// Files that have a part of their own.
const MOST_FILES: usize = 2_000;
/// Bytes that findings, and that all the rest of files' parts, may take.
const FINDINGS_BYTES: usize = 3_000_000;
const REST_BYTES: usize = 3_000_000;

/// The whole report as a page.
pub fn render(report: &Report) -> String {
    let verdict = text::verdict(report);
    let files = files(report);
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "CA3 validation: " (verdict) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (head(report, &verdict))
                @if report.files.len() > 1 { (index::render(report, &files)) }
                main { (parts(report, &files)) }
                (coverage::never(report))
            }
        }
    };
    page.0 + "\n"
}

/// A file with a part of its own, and its number among all.
pub(crate) type Numbered<'r> = (usize, &'r FileReport);

/// The files that the page shows: of very many, those that need it most; in the
/// report's order.
fn files(report: &Report) -> Vec<Numbered<'_>> {
    let mut files: Vec<Numbered<'_>> = (1..).zip(&report.files).collect();
    if files.len() > MOST_FILES {
        files.sort_by_key(|(_, file)| need(report, file));
        files.truncate(MOST_FILES);
        files.sort_by_key(|(number, _)| *number);
    }
    files
}

/// Less for a file that needs to be looked at more.
fn need(report: &Report, file: &FileReport) -> u8 {
    match fared(report, file.scan_complete, &file.counts, file.suppressed).0 {
        "bad" => 0,
        "warn" => 1,
        _ if losses(file).is_some() => 1,
        _ if file.counts.info > 0 => 2,
        _ => 3,
    }
}

/// What the recorder says that it lost.
fn losses(file: &FileReport) -> Option<String> {
    file.contents.as_ref().and_then(Contents::losses)
}

/// How a report or a file fared: a class, a sign and a word. What was found and does not
/// count is no plain pass.
fn fared(
    report: &Report,
    complete: bool,
    counts: &Counts,
    suppressed: Suppressed,
) -> (&'static str, char, &'static str) {
    let failing = counts.at_least(report.fail_on) > 0;
    let flawed = counts.error > 0 || counts.warning > 0 || !suppressed.is_empty();
    match (complete, failing) {
        (_, true) => ("bad", '✕', "fails"),
        (false, false) => ("bad", '✕', "not read to the end"),
        (true, false) if flawed => ("warn", '!', "passes"),
        (true, false) => ("good", '✓', "passes"),
    }
}

fn badge(class: &str, sign: char, word: &str) -> Markup {
    html! {
        span .badge .(class) { span aria-hidden="true" { (sign) } " " (word) }
    }
}

fn severity(severity: Severity) -> Markup {
    let (class, sign) = findings::sign(severity);
    badge(class, sign, severity.as_str())
}

/// The badge of a verdict.
fn verdict(report: &Report, complete: bool, counts: &Counts, suppressed: Suppressed) -> Markup {
    let (class, sign, word) = fared(report, complete, counts, suppressed);
    badge(class, sign, word)
}

/// The badge of a file.
fn verdict_of(report: &Report, file: &FileReport) -> Markup {
    if text::is_unopened(file) {
        return badge("bad", '✕', text::kept_from(file));
    }
    verdict(report, file.scan_complete, &file.counts, file.suppressed)
}

fn head(report: &Report, said: &str) -> Markup {
    let complete = report.files.iter().all(|file| file.scan_complete);
    let suppressed = settings::suppressed(report);
    html! {
        header {
            h1 { "CA3 validation" }
            p class="verdict" {
                (verdict(report, complete, &report.counts, suppressed)) " " (said)
            }
            p class="about" {
                (visible(report.tool.name, LONGEST)) " " (visible(report.tool.version, LONGEST))
                "; what fails a file: " (report.fail_on) @if report.fail_on < Severity::Error { " or worse" }
            }
            @for line in settings::account(report) {
                p class="says" { (visible(&line, usize::MAX)) }
            }
        }
    }
}

/// Of a file: its findings, and what else there is to say, where there is room.
#[derive(Default)]
struct Part {
    findings: Option<Markup>,
    rest: Option<Markup>,
}

/// The parts of all files. What is left out where the page would become too large
/// belongs to those that need it least.
fn parts(report: &Report, files: &[Numbered<'_>]) -> Markup {
    let mut by_need: Vec<usize> = (0..files.len()).collect();
    by_need.sort_by_key(|place| files.get(*place).map(|(_, file)| need(report, file)));
    let mut parts: Vec<Part> = files.iter().map(|_| Part::default()).collect();
    let mut explained = BTreeSet::new();
    let mut lists = Lists::new();
    let (mut room, mut rest_room) = (FINDINGS_BYTES, REST_BYTES);
    for place in by_need {
        let (Some((number, file)), Some(part)) = (files.get(place), parts.get_mut(place)) else {
            continue;
        };
        part.findings = Some(findings::render(file, &mut explained, &mut room));
        if rest_room > 0 {
            let known = lists.count();
            let rest = rest(file, &format!("file-{number}"), &mut lists);
            // One file has all that there is to say of it, which is bounded.
            if rest.0.len() <= rest_room || files.len() == 1 {
                rest_room = rest_room.saturating_sub(rest.0.len());
                part.rest = Some(rest);
            } else {
                lists.forget(known);
            }
        }
    }
    html! {
        @for ((number, file), part) in files.iter().zip(&parts) {
            (one(report, file, *number, part))
        }
    }
}

fn one(report: &Report, file: &FileReport, number: usize, part: &Part) -> Markup {
    let id = format!("file-{number}");
    let path = visible(&file.path, LONGEST_PATH);
    let body = html! {
        (facts(file))
        @if let Some(findings) = &part.findings { (findings) }
        @match &part.rest {
            Some(rest) => (rest),
            None => p class="left-out" {
                "Left out to keep the page small: what the file holds, and what was checked. \
                 The page of this file alone has it."
            },
        }
    };
    let said = html! {
        (verdict_of(report, file)) " "
        (settings::found(&file.counts, file.suppressed))
    };
    html! {
        @if report.files.len() > 1 && need(report, file) == 3 {
            article class="file" id=(id) {
                details {
                    summary { h2 { (path) } " " span class="verdict" { (said) } }
                    (body)
                }
            }
        } @else {
            article class="file" id=(id) {
                h2 { (path) }
                p class="verdict" { (said) }
                (body)
            }
        }
    }
}

/// What is said of a file besides its verdict.
fn facts(file: &FileReport) -> Markup {
    let seal = match file.sealed {
        Some(true) => " · sealed",
        Some(false) => " · not sealed",
        None => "",
    };
    html! {
        @if let Some(reason) = &file.incomplete {
            p class="says" {
                @if text::is_unopened(file) { "Could not be read: " }
                @else { "Not read to the end: " }
                (visible(reason, LONGEST))
            }
        }
        @if let Some(size) = file.size {
            p class="about" { (size) " bytes" (seal) " · " (visible(&file.account, LONGEST)) }
        }
        @if let Some(losses) = losses(file) {
            p class="says" { (badge("warn", '!', "incomplete")) " " (visible(&losses, LONGEST)) }
        }
        @if let Some(digest) = &file.sha256 {
            p class="about" { "SHA-256 " code { (visible(digest, LONGEST)) } }
        }
    }
}

/// What a file holds, its clocks, and what was checked.
fn rest<'r>(file: &'r FileReport, id: &str, lists: &mut Lists<'r>) -> Markup {
    html! {
        @if let Some(contents) = &file.contents {
            (timeline::render(contents, id))
            @if let Some(size) = file.size {
                (layout::render(file, &contents.layout, size, id))
            }
            (streams::render(contents))
            (schemas::render(contents))
        }
        @if let Some(clocks) = &file.clocks { (clocks::render(clocks, id)) }
        (lists.of(file))
    }
}
