//! The result for a person: 80 columns, one line an item, then what went wrong
//! and how to see it again, then the verdict.
//!
//! Styles are written as they stand; whoever prints the text strips them where
//! no terminal shows them.

use std::fmt::{self, Write as _};

use anstyle::Style;
use ca3_reports::paragraph::{clip, plain, wrap, wrap_behind};
use ca3_spec::feature;

use super::style::{BAD, BOLD, DIM, DOUBT, GOOD, WIDTH};
use super::{Report, failure, groups, provisional, sayings};
use crate::adapter::HELLO_ADVICE;
use crate::invocation::quoted;
use crate::judging::Outcome;
use crate::results::{CaseResult, FileResult};
use crate::verdict::{ItemSummary, Source, Standing, Tally};

/// What the columns of the table say.
const LEGEND: &str = "valid, invalid: files answered rightly, of all. skips: answered `unsupported`. \
    provisional: files that rest on an open question of the document; they count in no other \
    column and fail nobody. §: rules of a section that belong to no item.";
/// How much of a fault of hello is shown.
const LONGEST_FAULT: usize = 300;

/// The report as text, with styles.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut out, report);
    out
}

/// The verdict alone.
pub fn render_verdict(report: &Report) -> String {
    let mut out = String::new();
    out.push_str(&render_hello_faults(&report.implementation.hello_faults));
    // Writing to a string cannot fail.
    let _ = write_verdict(&mut out, report);
    out
}

/// What a report says of the files of a case that did not pass, in full; empty
/// where all did.
pub fn render_case(report: &Report, case: &CaseResult) -> String {
    let mut out = String::new();
    let off = |file: &FileResult| file.outcome() != Outcome::Pass;
    for (index, (polarity, file)) in case.files().filter(|(_, file)| off(file)).enumerate() {
        let rule = case.rules.first().map_or("", String::as_str);
        if index == 0 {
            let _ = groups::write_rule(&mut out, report, rule);
        }
        let _ = failure::write(&mut out, report, case, polarity, file);
    }
    out
}

fn write_report(out: &mut String, report: &Report) -> fmt::Result {
    out.push_str(&render_hello_faults(&report.implementation.hello_faults));
    write_head(out, report)?;
    write_items(out, &report.items)?;
    groups::write(out, report)?;
    sayings::write(
        out,
        "Inconclusive",
        &sayings::of_outcome(report, Outcome::Inconclusive),
    )?;
    sayings::write(out, "Skipped", &sayings::of_outcome(report, Outcome::Skip))?;
    sayings::write(out, "Known failures", &sayings::of_known(report))?;
    provisional::write(out, report)?;
    sayings::write(
        out,
        "Notes, which fail nothing (those on kinds do with --strict)",
        &sayings::of_notes(report),
    )?;
    write_verdict(out, report)
}

/// What is wrong with hello, before all that follows from it; empty where
/// nothing is.
pub fn render_hello_faults(faults: &[String]) -> String {
    if faults.is_empty() {
        return String::new();
    }
    let title = "The answer to hello is not in order, so nothing can be certified:";
    let mut out = format!("{BAD}{title}{BAD:#}\n");
    for fault in faults {
        let fault = plain(fault, LONGEST_FAULT);
        out.push_str(&wrap_behind(&fault, "  - ", "    ", WIDTH));
    }
    let advice = format!(
        "It was judged nevertheless. Put this right first; {HELLO_ADVICE} check-adapter looks at \
         all of it."
    );
    out.push_str(&wrap(&advice, "  ", WIDTH));
    out.push('\n');
    out
}

fn write_head(out: &mut String, report: &Report) -> fmt::Result {
    let kit = &report.kit;
    let suite = &report.suite;
    let subject = &report.implementation;
    let mut row = |name: &str, text: &str| {
        let indented = wrap(text, "                ", WIDTH);
        writeln!(out, "{DIM}{name:<16}{DIM:#}{}", indented.trim())
    };
    let language = match subject.language.as_str() {
        "" => String::new(),
        language => format!(" ({language})"),
    };
    let version = match subject.version.as_str() {
        "" => String::new(),
        version => format!(" {version}"),
    };
    let claims = match subject.level {
        Some(level) => format!("claims level {level}"),
        None => "claims no level".to_owned(),
    };
    let features = match subject.features.as_slice() {
        [] => "no optional feature".to_owned(),
        bits => format!("features {}", feature_list(bits)),
    };
    let title = if subject.name.is_empty() {
        "(no name)"
    } else {
        &subject.name
    };
    row(
        "implementation",
        &format!("{title}{version}{language}, {claims}, {features}"),
    )?;
    let command = match &subject.command {
        Some(command) => command.as_str(),
        None => "the reader in this program, called in process",
    };
    row("reader", command)?;
    let source = match suite.source {
        Source::Committed => "committed corpus",
        Source::Fresh => "fresh values",
        Source::Directory => "another corpus",
    };
    let hash = match (&suite.sha256, suite.fresh_seed) {
        (Some(hash), _) => format!("sha256 {}...", hash.get(..12).unwrap_or(hash)),
        (None, Some(seed)) => format!("seed {seed}"),
        (None, None) => String::new(),
    };
    row(
        "vectors",
        &format!("{source}, {} of {} cases, {hash}", suite.run, suite.cases),
    )?;
    let strict = if report.run.strict { ", strict" } else { "" };
    row(
        "run",
        &format!(
            "{} {}, level {}, order from --seed {}{strict}",
            kit.name, kit.version, report.run.level, report.run.seed
        ),
    )?;
    if let Some(interruption) = &report.run.interrupted {
        let text = format!("PARTIAL: {interruption}. What follows is about those alone.");
        row("result", &format!("{BAD}{text}{BAD:#}"))?;
    }
    writeln!(out)
}

fn write_items(out: &mut String, items: &[ItemSummary]) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    let heading = row_of("Item", "", "valid", "invalid", "skips", "provisional");
    writeln!(out, "{BOLD}{heading}{BOLD:#}")?;
    for summary in items {
        let number = match (&summary.section, summary.item) {
            (Some(section), _) => format!("§{section}"),
            (None, Some(item)) => item.to_string(),
            (None, None) => String::new(),
        };
        let skips = match summary.skips {
            0 => String::new(),
            skips => skips.to_string(),
        };
        let provisional = match summary.provisional.total {
            0 => String::new(),
            _ => tally(summary.provisional),
        };
        let complete = summary.valid.is_full() && summary.invalid.is_full();
        let style = if complete { Style::new() } else { BAD };
        let line = row_of(
            &number,
            &summary.name,
            &tally(summary.valid),
            &tally(summary.invalid),
            &skips,
            &provisional,
        );
        writeln!(out, "{style}{line}{style:#}")?;
    }
    writeln!(out, "{DIM}{}{DIM:#}", wrap(LEGEND, "     ", WIDTH))
}

fn row_of(
    number: &str,
    name: &str,
    valid: &str,
    invalid: &str,
    skips: &str,
    provisional: &str,
) -> String {
    let room = 38_usize.saturating_sub(number.chars().count().max(4));
    let name = clip(name, room);
    let row = format!("{number:>4} {name:<room$}{valid:>9}{invalid:>9}{skips:>7}{provisional:>13}");
    row.trim_end().to_owned()
}

fn tally(tally: Tally) -> String {
    match tally.total {
        0 => "-".to_owned(),
        total => format!("{}/{total}", tally.passed),
    }
}

fn write_verdict(out: &mut String, report: &Report) -> fmt::Result {
    let verdict = &report.verdict;
    if !verdict.not_exercised.is_empty() {
        let text = format!(
            "Not exercised: feature {}. What hello does not list is right to refuse.",
            feature_list(&verdict.not_exercised)
        );
        write!(out, "{DOUBT}{}{DOUBT:#}", wrap(&text, "", WIDTH))?;
    }
    if let Some(spine) = verdict.spine.filter(|spine| spine.not_walked > 0) {
        let text = format!(
            "Spine: {} of {} answers state that the data section was not walked (item 16). With \
             those goes no claim about records that the reader has not met (§3.1).",
            spine.not_walked,
            spine.walked + spine.not_walked
        );
        write!(out, "{DOUBT}{}{DOUBT:#}", wrap(&text, "", WIDTH))?;
    }
    if report.verdict.asked >= 2 && !report.implementation.http {
        let text = "Not exercised: files over HTTP, which hello's `io` does not list.";
        write!(out, "{DOUBT}{}{DOUBT:#}", wrap(text, "", WIDTH))?;
    }
    if !verdict.provisional_items.is_empty() {
        let items: Vec<String> = verdict
            .provisional_items
            .iter()
            .map(u8::to_string)
            .collect();
        let text = format!(
            "Not certified by any vector, all of theirs being provisional: items {}.",
            items.join(", ")
        );
        write!(out, "{}", wrap(&text, "", WIDTH))?;
    }
    if !verdict.stale_entries.is_empty() {
        let count = verdict.stale_entries.len();
        writeln!(out, "{BAD}Known failures that hold no more: {count}{BAD:#}")?;
        // On one line even where it is long, so that the place can be followed.
        for entry in &verdict.stale_entries {
            writeln!(out, "  {entry}")?;
        }
    }
    for level in &verdict.levels {
        let style = match level.standing {
            Standing::Certified | Standing::Passed => GOOD,
            Standing::NotConformant => BAD,
            Standing::KnownFailures
            | Standing::NotClaimed
            | Standing::NotJudged
            | Standing::Interrupted => DOUBT,
        };
        writeln!(
            out,
            "{style}Level {}: {}{style:#}",
            level.level,
            level.standing.describe()
        )?;
        for reason in &level.reasons {
            write!(out, "{}", wrap(reason, "    ", WIDTH))?;
        }
    }
    if let Some(folder) = &report.run.repeat.keep {
        let kept = |case: &&CaseResult| case.files().any(|(_, file)| file.kept.is_some());
        let text = match report.cases.iter().filter(kept).count() {
            0 => return Ok(()),
            1 => "The files of 1 case".to_owned(),
            count => format!("The files of {count} cases"),
        };
        // On one line, so that the options can be copied.
        writeln!(
            out,
            "{text} stand in {folder}; --corpus {} runs them.",
            quoted(folder)
        )?;
    }
    Ok(())
}

fn feature_list(bits: &[u8]) -> String {
    let names: Vec<String> = bits
        .iter()
        .map(|bit| match feature::name(*bit) {
            Some(name) => format!("{bit} ({name})"),
            None => bit.to_string(),
        })
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
