//! Lists of what is said of files in a sentence, the same sentence told once.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use ca3_reports::paragraph::wrap;
use ca3_spec::vector::Polarity;

use super::Report;
use super::style::{DIM, DOUBT, WIDTH};
use crate::judging::Outcome;
use crate::results::{CaseResult, FileResult};

/// How many sentences a list has at most.
const SENTENCES: usize = 12;
/// How many files are named behind a sentence.
const FILES_NAMED: usize = 3;

/// The files of which the same thing is to be said.
pub(super) type Sayings = BTreeMap<String, Vec<String>>;

pub(super) fn of_outcome(report: &Report, outcome: Outcome) -> Sayings {
    let mut sayings = Sayings::new();
    for case in &report.cases {
        let of_it = |file: &FileResult| file.outcome() == outcome && file.known.is_none();
        for (polarity, file) in case.files().filter(|(_, file)| of_it(file)) {
            let reason = file.judged.reason.clone().unwrap_or_default();
            sayings
                .entry(reason)
                .or_default()
                .push(named(case, polarity));
        }
    }
    sayings
}

pub(super) fn of_known(report: &Report) -> Sayings {
    let mut sayings = Sayings::new();
    for case in &report.cases {
        for (polarity, file) in case.files() {
            if let Some(reason) = &file.known {
                let files = sayings.entry(reason.clone()).or_default();
                files.push(named(case, polarity));
            }
        }
    }
    sayings
}

pub(super) fn of_notes(report: &Report) -> Sayings {
    let mut sayings = Sayings::new();
    for case in &report.cases {
        for (polarity, file) in case.files() {
            for note in file.judged.steps.iter().flat_map(|step| &step.notes) {
                sayings
                    .entry(note.text.clone())
                    .or_default()
                    .push(named(case, polarity));
            }
        }
    }
    sayings
}

fn named(case: &CaseResult, polarity: Polarity) -> String {
    let provisional = if case.provisional {
        ", provisional"
    } else {
        ""
    };
    format!("{} ({}{provisional})", case.id, polarity.as_str())
}

/// What is said most often first, each with the first files it is said of.
pub(super) fn write(out: &mut String, title: &str, sayings: &Sayings) -> fmt::Result {
    if sayings.is_empty() {
        return Ok(());
    }
    let total: usize = sayings.values().map(Vec::len).sum();
    writeln!(out, "{DOUBT}{title}: {total}{DOUBT:#}")?;
    let mut ranked: Vec<_> = sayings.iter().collect();
    ranked.sort_by_key(|(_, files)| Reverse(files.len()));
    for (text, files) in ranked.iter().take(SENTENCES) {
        let count = match files.len() {
            1 => String::new(),
            count => format!("{count} times: "),
        };
        let text = wrap(&format!("{count}{text}"), "    ", WIDTH);
        writeln!(out, "  {}", text.trim())?;
        for file in files.iter().take(FILES_NAMED) {
            writeln!(out, "    {DIM}{file}{DIM:#}")?;
        }
        if files.len() > FILES_NAMED {
            writeln!(
                out,
                "    {DIM}and {} more{DIM:#}",
                files.len() - FILES_NAMED
            )?;
        }
    }
    if ranked.len() > SENTENCES {
        writeln!(
            out,
            "  and {} other things; --report json has all",
            ranked.len() - SENTENCES
        )?;
    }
    writeln!(out)
}
