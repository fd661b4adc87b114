//! Disagreements with provisional cases, reading by reading. They fail nobody.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use ca3_reports::paragraph::{clip, plain, wrap};
use ca3_spec::vector::Polarity;
use serde_json::Value;

use super::style::{DIM, DOUBT, WIDTH};
use super::{Report, wording};
use crate::judging::Outcome;
use crate::results::{CaseResult, FileResult};

/// How much of a value is shown.
const VALUE_CHARS: usize = 80;
/// How many cases of a reading are told.
const CASES: usize = 4;

pub(super) fn write(out: &mut String, report: &Report) -> fmt::Result {
    let mut by_reading: BTreeMap<&str, Vec<(&CaseResult, Polarity, &FileResult)>> = BTreeMap::new();
    let mut total = 0_usize;
    for case in report.cases.iter().filter(|case| case.provisional) {
        for (polarity, file) in case.files().filter(|(_, f)| f.outcome() == Outcome::Fail) {
            total += 1;
            // One that depends on several is told once, at its provisional one.
            let settled = |id: &&String| !ca3_spec::reading::provisional([id.as_str()]);
            let reading = case
                .readings
                .iter()
                .find(|id| !settled(id))
                .or(case.readings.first());
            let reading = reading.map_or("", String::as_str);
            by_reading
                .entry(reading)
                .or_default()
                .push((case, polarity, file));
        }
    }
    if by_reading.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "{DOUBT}Provisional disagreements, which fail nobody: {total}{DOUBT:#}"
    )?;
    for (reading, files) in by_reading {
        if let Some(facts) = report.readings.get(reading) {
            let text = format!(
                "{reading} {} We read: {}.",
                facts.question,
                facts.answer.trim_end_matches('.')
            );
            write!(out, "{}", wrap(&text, "  ", WIDTH))?;
        }
        for (case, polarity, file) in files.iter().take(CASES) {
            writeln!(out, "    {} ({})", case.id, polarity.as_str())?;
            let mismatches = file.judged.steps.iter().flat_map(|step| &step.mismatches);
            if let Some(mismatch) = mismatches.into_iter().next() {
                let place = if mismatch.path.is_empty() {
                    "result"
                } else {
                    &mismatch.path
                };
                let said = |value: &Value| match value {
                    count if mismatch.elements => wording::elements(count),
                    Value::String(text) if place == "status" || place == "problems" => text.clone(),
                    value => wording::expectation(value),
                };
                let got = mismatch.got.as_ref().map_or("nothing".to_owned(), said);
                let text = format!(
                    "at {place}: expected {}; got {}",
                    clip(&said(&mismatch.expected), VALUE_CHARS),
                    clip(&plain(&got, VALUE_CHARS), VALUE_CHARS)
                );
                write!(out, "{DIM}{}{DIM:#}", wrap(&text, "      ", WIDTH))?;
            }
        }
        if files.len() > CASES {
            writeln!(
                out,
                "    and {} more of {reading}; --report json has all",
                files.len() - CASES
            )?;
        }
    }
    writeln!(out)
}
