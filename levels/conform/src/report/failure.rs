//! One failed file in full: what was asked, where the answer first differs,
//! the edit behind the file, and the command that shows it again.

use std::fmt::{self, Write as _};

use ca3_spec::vector::{Expect, Polarity};
use serde_json::{Map, Value};

use super::Report;
use super::hex::marked_lines;
use super::paragraph::{clip, wrap};
use super::text::{BAD, BOLD, DIM, GOOD, WIDTH};
use super::wording;
use crate::judging::{JudgedStep, Outcome, describe_surface};
use crate::matching::Mismatch;
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
        row(out, "provisional", &case.readings.join(" "))?;
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
    // On one line even where it is long, so that it can be copied.
    writeln!(
        out,
        "      {DIM}{:<10}{DIM:#}{}\n",
        "replay",
        report.replay_command(&case.id)
    )
}

/// Writes what was asked and what was wrong with the answer.
pub(super) fn write_step(out: &mut String, step: &JudgedStep) -> fmt::Result {
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
        row(out, "stderr", &clip(line, WIDTH - COLUMN))?;
    }
    Ok(())
}

/// What was wrong with the answer to a step, and what else is worth saying; empty
/// where there is nothing.
pub fn replayed_step(step: &JudgedStep) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    if step.outcome != Outcome::Pass {
        let _ = row(
            &mut out,
            "asked",
            &conversation_line(&step.op, &step.arguments),
        );
    }
    if let Some(reason) = &step.reason {
        let _ = row(&mut out, step.outcome.as_str(), reason);
    }
    for mismatch in &step.mismatches {
        let _ = write_mismatch(&mut out, mismatch);
    }
    for note in &step.notes {
        let _ = row(&mut out, "note", &note.text);
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
    let prose = |value: &Value| match value {
        Value::String(text) if place == "status" || place == "problems" => text.clone(),
        value => value.to_string(),
    };
    let (expected, got) = match (&mismatch.expected, &mismatch.got) {
        (expected @ Value::String(_), got) if place == "status" || place == "problems" => (
            prose(expected),
            got.as_ref().map_or("nothing".to_owned(), prose),
        ),
        (expected, got) => wording::both(expected, got.as_ref()),
    };
    row(out, "expected", &format!("{GOOD}{expected}{GOOD:#}"))?;
    row(out, "got", &format!("{BAD}{got}{BAD:#}"))?;
    // A matcher is said in words above.
    let hint = mismatch.hint.clone().filter(|hint| !hint.starts_with('$'));
    let apart = || {
        let got = mismatch.got.as_ref().filter(|_| !mismatch.elements)?;
        wording::difference(&mismatch.expected, got)
    };
    if let Some(hint) = hint.or_else(apart) {
        row(out, "", &format!("({hint})"))?;
    }
    Ok(())
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
        Expect::Answer { may_report, .. } if may_report.is_empty() => {
            "ok, no problem reported".to_owned()
        }
        Expect::Answer { may_report, .. } => {
            let kinds: Vec<&str> = may_report.iter().map(|kind| kind.as_str()).collect();
            format!("ok, no problem reported but perhaps {}", kinds.join(" or "))
        }
        Expect::Surface(surface) => describe_surface(surface),
    }
}
