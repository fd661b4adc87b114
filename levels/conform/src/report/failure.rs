//! One failed file in full: what was asked, where the answer first differs,
//! the edit behind the file, and the command that shows it again.

use std::fmt::{self, Write as _};

use ca3_reports::paragraph::{clip, plain, wrap};
use ca3_spec::vector::{Expect, Polarity};
use serde_json::{Map, Value};

use super::Report;
use super::hex::marked_lines;
use super::style::{BAD, BOLD, DIM, GOOD, WIDTH};
use super::wording;
use crate::judging::{JudgedStep, OK_IN_WORDS, Outcome, describe_surface};
use crate::matching::{ELEMENTS_COUNT, Mismatch};
use crate::place::Place;
use crate::results::{CaseResult, EditResult, Excerpt, FileResult};

/// Where the second column begins.
const COLUMN: usize = 16;
/// How many lines of standard error are shown.
const STDERR_LINES: usize = 6;

/// Writes a failed file.
pub(super) fn write(
    out: &mut String,
    report: &Report,
    case: &CaseResult,
    polarity: Polarity,
    file: &FileResult,
) -> fmt::Result {
    let outcome = file.outcome().as_str();
    writeln!(
        out,
        "    {BAD}{outcome}{BAD:#} {BOLD}{}{BOLD:#} ({})",
        case.id,
        polarity.as_str()
    )?;
    write!(out, "{}", wrap(&case.title, "      ", WIDTH))?;
    for id in case.rules.iter().skip(1) {
        match report.rules.get(id) {
            Some(facts) => row(out, "rule", &format!("{id}  {}", facts.summary))?,
            None => row(out, "rule", id)?,
        }
    }
    if case.provisional {
        let readings = case.readings.join(" ");
        row(out, "rests on", &format!("{readings} (provisional)"))?;
    }
    for step in file
        .judged
        .steps
        .iter()
        .filter(|step| step.outcome != Outcome::Pass)
    {
        write_step(out, step)?;
    }
    if let Some(edit) = &file.edit {
        write_edit(out, edit)?;
    }
    if let Some(place) = &file.place {
        write_place(out, place)?;
    }
    // On one line even where they are long, so that they can be copied.
    let mut whole = |name: &str, text: &str| writeln!(out, "      {DIM}{name:<10}{DIM:#}{text}");
    let (path, copy) = report.vector_file(case, file);
    whole("file", &path)?;
    if let Some(copy) = copy {
        whole("get it", &copy)?;
    }
    whole("replay", &report.replay_command(&case.id))?;
    writeln!(out)
}

/// Writes what was asked and what was wrong with the answer.
fn write_step(out: &mut String, step: &JudgedStep) -> fmt::Result {
    row(out, "asked", &conversation_line(&step.op, &step.arguments))?;
    if let Some(reason) = &step.reason {
        row(out, step.outcome.as_str(), reason)?;
    }
    if let Some(mismatch) = step.mismatches.first() {
        write_mismatch(out, mismatch)?;
        if step.mismatches_total > 1 {
            let others = match step.mismatches_total - 1 {
                1 => "and at one other place".to_owned(),
                others => format!("and at {others} other places"),
            };
            row(out, "", &others)?;
        }
    } else {
        for note in step.notes.iter().filter(|note| note.strict) {
            row(out, "strict", &note.text)?;
        }
    }
    let lines: Vec<&str> = step.stderr.lines().collect();
    for line in lines.iter().skip(lines.len().saturating_sub(STDERR_LINES)) {
        row(out, "stderr", &clip(&plain(line, WIDTH), WIDTH - COLUMN))?;
    }
    Ok(())
}

/// The places at which the answers of a case differ, those aside that a report
/// tells: the first one of a step.
pub fn other_places(case: &CaseResult) -> String {
    let mut out = String::new();
    for (polarity, file) in case.files() {
        for step in &file.judged.steps {
            let others: Vec<&Mismatch> = step.mismatches.iter().skip(1).collect();
            if others.is_empty() {
                continue;
            }
            let polarity = polarity.as_str();
            // Writing to a string cannot fail.
            let _ = writeln!(out, "    {BOLD}other places ({polarity}){BOLD:#}");
            for mismatch in &others {
                let _ = write_mismatch(&mut out, mismatch);
            }
            let left = step.mismatches_total.saturating_sub(1 + others.len());
            if left > 0 {
                let _ = row(&mut out, "", &format!("and {left} more"));
            }
            out.push('\n');
        }
    }
    out
}

/// Writes one place at which an answer differs.
pub(super) fn write_mismatch(out: &mut String, mismatch: &Mismatch) -> fmt::Result {
    let place = if mismatch.path.is_empty() {
        "result"
    } else {
        &mismatch.path
    };
    row(out, "at", place)?;
    let in_words = place == "status" || place == "problems";
    let prose = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let nothing = || "nothing".to_owned();
    let (expected, got) = match (&mismatch.expected, &mismatch.got) {
        (expected, got) if mismatch.elements => (
            wording::elements(expected),
            got.as_ref().map_or_else(nothing, wording::elements),
        ),
        (expected @ Value::String(_), got) if in_words => {
            (prose(expected), got.as_ref().map_or_else(nothing, prose))
        }
        (expected, got) => wording::both(expected, got.as_ref()),
    };
    let (expected, got) = (plain(&expected, usize::MAX), plain(&got, usize::MAX));
    row(out, "expected", &format!("{GOOD}{expected}{GOOD:#}"))?;
    row(out, "got", &format!("{BAD}{got}{BAD:#}"))?;
    if let Some(hint) = hint(mismatch, place) {
        row(out, "", &format!("({hint})"))?;
    }
    Ok(())
}

/// What helps to see the fault where the two values alone do not say it.
fn hint(mismatch: &Mismatch, place: &str) -> Option<String> {
    let got = mismatch.got.as_ref();
    let said = got.and_then(Value::as_str).unwrap_or_default();
    match place {
        "status" if mismatch.expected == "ok" => {
            return Some("nothing in this file is a ground to refuse the question".to_owned());
        }
        "status" | "problems" if said == OK_IN_WORDS => {
            return Some("the fault in this file went unnoticed".to_owned());
        }
        "status" if said.starts_with("ok") => {
            return Some("a problem is not enough here: the file must be refused".to_owned());
        }
        place if got.is_none() && place.starts_with("error.") => {
            return Some(
                "it is named in `error`, beside `kind`; spec/protocol.md, What is named".to_owned(),
            );
        }
        place if got.is_none() && place.starts_with("problems.") => {
            return Some(
                "it is named in the problem, beside `kind`; spec/protocol.md, What is named"
                    .to_owned(),
            );
        }
        _ => {}
    }
    // A matcher is said in words above, and so is that elements are counted.
    let hint = mismatch.hint.as_deref();
    let hint = hint.filter(|hint| !hint.starts_with('$') && *hint != ELEMENTS_COUNT);
    let hint = hint.map(|hint| match hint.strip_prefix(ELEMENTS_COUNT) {
        Some(rest) => rest.trim_start_matches("; ").to_owned(),
        None => hint.to_owned(),
    });
    let apart = || {
        let got = got.filter(|_| !mismatch.elements)?;
        wording::difference(&mismatch.expected, got)
    };
    hint.or_else(apart)
}

fn write_edit(out: &mut String, edit: &EditResult) -> fmt::Result {
    let bytes = match edit.length.0 {
        0 => "nothing left there".to_owned(),
        1 => "1 byte".to_owned(),
        length => format!("{length} bytes"),
    };
    row(out, "edit", &edit.what)?;
    let field = edit.field.as_deref().unwrap_or("the file");
    let offset = edit.offset.0;
    row(
        out,
        "bytes",
        &format!("{field}, at {offset} (0x{offset:x}), {bytes}"),
    )?;
    write_excerpt(out, &edit.excerpt)
}

/// Writes the field behind the first wrong value.
fn write_place(out: &mut String, place: &Place) -> fmt::Result {
    let value = match place.value.as_str() {
        "" => String::new(),
        value => format!(", stored {value}"),
    };
    let offset = place.offset.0;
    let text = format!("{}, at {offset} (0x{offset:x}){value}", place.field);
    row(out, "bytes", &text)?;
    write_excerpt(out, &place.excerpt)
}

fn write_excerpt(out: &mut String, excerpt: &Excerpt) -> fmt::Result {
    let marked = excerpt.before..excerpt.before + excerpt.marked;
    let mut inside = false;
    for line in marked_lines(&excerpt.bytes.0, excerpt.offset.0, &marked) {
        // What is marked stands out in colour too.
        let (head, rest) = match line.split_once('[') {
            Some((head, rest)) => (head, Some(format!("[{rest}"))),
            None if inside => ("", Some(line.clone())),
            None => (line.as_str(), None),
        };
        write!(out, "        {DIM}{head}{DIM:#}")?;
        if let Some(rest) = rest {
            let (bytes, tail) = match rest.split_once(']') {
                Some((bytes, tail)) => (format!("{bytes}]"), tail.to_owned()),
                None => (rest.clone(), String::new()),
            };
            inside = !bytes.ends_with(']');
            write!(out, "{BAD}{bytes}{BAD:#}{DIM}{tail}{DIM:#}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn row(out: &mut String, name: &str, text: &str) -> fmt::Result {
    let indent = " ".repeat(COLUMN);
    let text = wrap(text, &indent, WIDTH);
    writeln!(out, "      {DIM}{name:<10}{DIM:#}{}", text.trim())
}

/// An operation with its arguments on a line.
pub fn conversation_line(op: &str, arguments: &Map<String, Value>) -> String {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!(" {name}={value}"))
        .collect();
    format!("{op}{}", arguments.concat())
}

/// What a step expects, in words, the data aside.
pub fn describe_expectation(expect: &Expect) -> String {
    let taken = describe_taken(expect);
    match expect {
        Expect::Answer { may_refuse, .. } if !may_refuse.is_empty() => {
            format!("{taken}; or refused")
        }
        _ => taken,
    }
}

fn describe_taken(expect: &Expect) -> String {
    match expect {
        Expect::Answer {
            may_report_any: true,
            ..
        } => "ok, whatever is reported".to_owned(),
        Expect::Answer { may_report, .. } if may_report.is_empty() => OK_IN_WORDS.to_owned(),
        Expect::Answer { may_report, .. } => {
            let kinds: Vec<&str> = may_report.iter().map(|kind| kind.as_str()).collect();
            format!("ok, no problem reported but perhaps {}", kinds.join(" or "))
        }
        Expect::Surface(surface) => describe_surface(surface),
    }
}
