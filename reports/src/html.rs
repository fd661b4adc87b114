//! The report as one page for a browser: nothing to load, nothing that runs.
//!
//! - `style.css`: how it looks, on screens of any width, dark or light, and
//!   printed.
//! - `findings`: what breaks which rule, and what was checked.
//! - `clocks`: the clock mappings; `plot` draws each: `scene` decides what
//!   is shown, `panel` and `marks` draw it, `straight` and `scale` reckon.
//! - `escape`: every text from a file goes through it.

mod clocks;
mod escape;
mod findings;
mod marks;
mod panel;
mod plot;
mod scale;
mod scene;
mod straight;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::{Counts, FileReport, Report, Scope, Unchecked, settings, text};

const STYLE: &str = include_str!("html/style.css");
/// Nothing but the page's own style.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// The longest reason that is shown.
const LONGEST: usize = 400;
/// The longest path: longer ones no file system has.
const LONGEST_PATH: usize = 5_000;

/// The whole report as a page.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let verdict = text::verdict(report);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>CA3 validation: {verdict}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    head(&mut out, report, &verdict);
    out.push_str("<main>\n");
    let mut explained = BTreeSet::new();
    for (file, number) in report.files.iter().zip(1..) {
        one(&mut out, report, file, number, &mut explained);
    }
    out.push_str("</main>\n");
    never(&mut out, report);
    out.push_str("</body>\n</html>\n");
    out
}

/// How a report or a file fared: a class, a sign and a word.
const fn fared(
    complete: bool,
    failing: bool,
    counts: &Counts,
) -> (&'static str, char, &'static str) {
    match (complete, failing) {
        (_, true) => ("bad", '✕', "fails"),
        (false, false) => ("warn", '!', "not read to the end"),
        (true, false) if counts.error > 0 || counts.warning > 0 => ("warn", '!', "passes"),
        (true, false) => ("good", '✓', "passes"),
    }
}

fn badge(out: &mut String, report: &Report, complete: bool, counts: &Counts) {
    let failing = counts.at_least(report.fail_on) > 0;
    let (class, sign, word) = fared(complete, failing, counts);
    let _ = write!(
        out,
        "<span class=\"badge {class}\"><span aria-hidden=\"true\">{sign}</span> {word}</span>"
    );
}

fn head(out: &mut String, report: &Report, verdict: &str) {
    out.push_str("<header>\n<h1>CA3 validation</h1>\n<p class=\"verdict\">");
    let complete = report.files.iter().all(|file| file.scan_complete);
    badge(out, report, complete, &report.counts);
    let _ = writeln!(
        out,
        " {verdict}</p>\n<p class=\"about\">{} {}; a finding of severity {} or above fails</p>",
        escape::text(report.tool.name, LONGEST),
        escape::text(report.tool.version, LONGEST),
        report.fail_on
    );
    for line in settings::account(report) {
        escape::element(out, "p", "says", &line, usize::MAX);
        out.push('\n');
    }
    if report.files.len() > 1 {
        out.push_str("<nav aria-label=\"Files\">\n<ul>\n");
        for (file, number) in report.files.iter().zip(1..) {
            out.push_str("<li>");
            badge(out, report, file.scan_complete, &file.counts);
            let _ = writeln!(
                out,
                " <a href=\"#file-{number}\">{}</a>: {}</li>",
                escape::text(&file.path, LONGEST_PATH),
                settings::found(&file.counts, file.suppressed)
            );
        }
        out.push_str("</ul>\n</nav>\n");
    }
    out.push_str("</header>\n");
}

fn one(
    out: &mut String,
    report: &Report,
    file: &FileReport,
    number: usize,
    explained: &mut BTreeSet<&'static str>,
) {
    let id = format!("file-{number}");
    let _ = writeln!(
        out,
        "<article class=\"file\" id=\"{id}\">\n<h2>{}</h2>",
        escape::text(&file.path, LONGEST_PATH)
    );
    out.push_str("<p class=\"verdict\">");
    badge(out, report, file.scan_complete, &file.counts);
    let found = settings::found(&file.counts, file.suppressed);
    let _ = writeln!(out, " {found}</p>");
    if let Some(reason) = &file.incomplete {
        let _ = writeln!(
            out,
            "<p class=\"says\">Not read to the end: {}</p>",
            escape::text(reason, LONGEST)
        );
    }
    if let Some(size) = file.size {
        let seal = match file.sealed {
            Some(true) => " · sealed",
            Some(false) => " · not sealed",
            None => "",
        };
        let account = escape::text(&file.account, LONGEST);
        let _ = writeln!(out, "<p class=\"about\">{size} bytes{seal} · {account}</p>");
    }
    if let Some(digest) = &file.sha256 {
        let digest = escape::text(digest, LONGEST);
        let _ = writeln!(out, "<p class=\"about\">SHA-256 <code>{digest}</code></p>");
    }
    if let Some(clocks) = &file.clocks {
        clocks::render(out, clocks, &id);
    }
    findings::render(out, file, explained);
    findings::coverage(out, file);
    out.push_str("</article>\n");
}

/// What this version checks in no file, said once.
fn never(out: &mut String, report: &Report) {
    let mut said: Vec<&Unchecked> = Vec::new();
    let unchecked = report.files.iter().flat_map(|file| &file.unchecked);
    for it in unchecked.filter(|it| it.scope == Scope::Version) {
        if !said.iter().any(|known| known.what == it.what) {
            said.push(it);
        }
    }
    if said.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<footer>\n<details><summary>Never checked by this version: {}</summary>\n<dl>",
        said.len()
    );
    for it in said {
        let rules = it.rules.iter().map(String::as_str);
        findings::entry(out, &it.what, Some(&it.reason), rules);
    }
    out.push_str("</dl></details>\n</footer>\n");
}
