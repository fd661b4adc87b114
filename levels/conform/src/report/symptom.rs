//! What failed files have in common: one sentence for all that show the same.
//!
//! A sentence says what was seen and never why. Two things beside it help to find
//! the cause: how the values differ where they all differ alike, and the rules of
//! which every file shows it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use ca3_spec::vector::Polarity;
use serde_json::Value;

use super::Report;
use super::wording;
use crate::judging::{JudgedStep, Outcome};
use crate::matching::{Mismatch, integer};
use crate::results::{CaseResult, FileResult};
use crate::verdict::item_key;

/// How many rules are named of which every file shows the same.
const RULES_NAMED: usize = 3;
/// Such a rule has at least one in so many of the files.
const ENOUGH: usize = 5;

/// A file that did not pass, certifying or having ended badly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) case: &'a CaseResult,
    pub(super) polarity: Polarity,
    pub(super) file: &'a FileResult,
}

impl Failure<'_> {
    /// The step that makes it one.
    fn step(&self) -> Option<&JudgedStep> {
        let mut steps = self.file.judged.steps.iter();
        steps.find(|step| step.outcome == self.file.outcome())
    }

    fn mismatch(&self) -> Option<&Mismatch> {
        self.step()?.mismatches.first()
    }
}

/// The files that failed and that no known-failures file accounts for.
pub(super) fn failures(report: &Report) -> Vec<Failure<'_>> {
    let mut failures = Vec::new();
    for case in &report.cases {
        for (polarity, file) in case.files() {
            let failure = Failure {
                case,
                polarity,
                file,
            };
            if is_failure(case, file) {
                failures.push(failure);
            }
        }
    }
    failures
}

/// Whether a file counts against the implementation in the list of failures.
pub(super) fn is_failure(case: &CaseResult, file: &FileResult) -> bool {
    file.outcome().counts_against(case.provisional) && file.known.is_none()
}

/// Failures that show the same.
pub(super) struct Symptom<'a> {
    /// What they show.
    pub(super) sentence: String,
    /// How their values differ, where they differ alike.
    pub(super) alike: Option<String>,
    /// The polarity of its first file.
    pub(super) polarity: Polarity,
    /// Rules of which every file of that polarity shows it.
    pub(super) rules: Vec<&'a str>,
    /// Their numbers in the list, the best example first.
    pub(super) members: Vec<usize>,
}

/// What the failures show, the most frequent first.
pub(super) fn symptoms<'a>(report: &'a Report, failures: &[Failure<'a>]) -> Vec<Symptom<'a>> {
    let mut by_sentence: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, failure) in failures.iter().enumerate() {
        by_sentence
            .entry(generalised(&said(failure)))
            .or_default()
            .push(number);
    }
    let mut symptoms: Vec<Symptom<'a>> = by_sentence
        .into_iter()
        .map(|(sentence, mut members)| {
            let of_it: Vec<Failure<'a>> = members
                .iter()
                .filter_map(|number| failures.get(*number).copied())
                .collect();
            let polarity = of_it
                .first()
                .map_or(Polarity::Valid, |failure| failure.polarity);
            let rules = rules_of_all(report, &of_it, polarity);
            // The best example is about a rule of which every file shows the same,
            // and about little else.
            members.sort_by_key(|number| {
                let case = failures.get(*number).map(|failure| failure.case);
                let own = case.map_or(&[][..], |case| &case.rules);
                let about = rules
                    .iter()
                    .position(|rule| own.first().is_some_and(|own| own == rule));
                (
                    about.unwrap_or(RULES_NAMED),
                    own.len(),
                    case.map(item_key),
                    *number,
                )
            });
            let sentences: BTreeSet<String> = of_it.iter().map(said).collect();
            let sentence = match sentences.first() {
                Some(only) if sentences.len() == 1 => only.clone(),
                _ => sentence,
            };
            Symptom {
                alike: alike(&of_it),
                polarity,
                rules,
                sentence,
                members,
            }
        })
        .collect();
    symptoms.sort_by_key(|symptom| {
        (
            Reverse(symptom.members.len()),
            symptom.members.first().copied(),
        )
    });
    symptoms
}

/// What a failed file shows.
fn said(failure: &Failure<'_>) -> String {
    let Some(step) = failure.step() else {
        return failure.file.outcome().as_str().to_owned();
    };
    let reason = step.reason.as_deref().unwrap_or_default();
    match failure.file.outcome() {
        Outcome::Crash => {
            let last = step
                .stderr
                .lines()
                .rev()
                .find(|line| !line.trim().is_empty());
            let last = last.map_or_else(String::new, |line| format!("; standard error: {line}"));
            return format!("`{}` crashed: {reason}{last}", step.op);
        }
        Outcome::Timeout => return format!("`{}` timed out: {reason}", step.op),
        _ => {}
    }
    let Some(mismatch) = step.mismatches.first() else {
        return "surfaced under a wrong kind (--strict)".to_owned();
    };
    let place = without_numbers(&mismatch.path);
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let got = mismatch.got.as_ref().map(text).unwrap_or_default();
    match place.as_str() {
        "status" if mismatch.expected == "ok" => {
            format!("a question that must be answered was {got}")
        }
        "status" | "problems" => {
            format!("expected {}; came back {got}", text(&mismatch.expected))
        }
        _ if place.starts_with("problems[") => {
            let kind = mismatch.got.as_ref().and_then(|got| got.get("kind"));
            let kind = kind.map(text).unwrap_or_default();
            format!("a problem ({kind}) was reported of a file that is in order")
        }
        place => format!("`{place}` {}", manner(mismatch)),
    }
}

fn manner(mismatch: &Mismatch) -> &'static str {
    let counts = (
        integer(&mismatch.expected),
        mismatch.got.as_ref().and_then(integer),
    );
    let not = mismatch.expected.get("$not").is_some();
    match (&mismatch.expected, &mismatch.got) {
        _ if mismatch.elements && counts.1 < counts.0 => "has too few elements",
        _ if mismatch.elements => "has too many elements",
        (_, None) => "is missing",
        (Value::Null, Some(_)) => "has a value where none is expected",
        (_, Some(_)) if not => "hands out what must not be handed out",
        _ => "has a wrong value",
    }
}

/// A path whose elements are not told apart.
fn without_numbers(path: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in path.chars() {
        inside = inside && c != ']';
        if !inside {
            text.push(c);
        }
        inside |= c == '[';
    }
    text
}

/// A message in which the vector's name and every number are left out.
fn generalised(message: &str) -> String {
    let words = message.split(' ').map(|word| {
        if word.contains(".ca3") {
            return "FILE".to_owned();
        }
        let mut text = String::new();
        let mut in_number = false;
        for c in word.chars() {
            if c.is_ascii_digit() && (in_number || text.is_empty()) {
                if !in_number {
                    text.push('N');
                }
                in_number = true;
            } else {
                in_number = false;
                text.push(c);
            }
        }
        text
    });
    words.collect::<Vec<_>>().join(" ")
}

/// How all values differ from what was expected, where they differ alike.
fn alike(failures: &[Failure<'_>]) -> Option<String> {
    let mismatches: Vec<&Mismatch> = failures.iter().filter_map(Failure::mismatch).collect();
    let (first, others) = mismatches.split_first()?;
    if others.is_empty() || first.elements {
        return None;
    }
    let difference =
        |mismatch: &Mismatch| wording::difference(&mismatch.expected, mismatch.got.as_ref()?);
    if let Some(common) = difference(first)
        && others
            .iter()
            .all(|other| difference(other).as_ref() == Some(&common))
    {
        return Some(format!("in each, the value is {common}"));
    }
    let got = first.got.as_ref()?;
    let is_value = !matches!(first.path.as_str(), "status" | "problems");
    let varied = others.iter().any(|other| other.expected != first.expected);
    if is_value && varied && others.iter().all(|other| other.got.as_ref() == Some(got)) {
        return Some(format!("in each, {} came back", wording::expectation(got)));
    }
    None
}

/// Rules all of whose certifying files of a polarity are among these failures, the
/// ones with most files first; only rules that account for a good part of them.
fn rules_of_all<'a>(
    report: &'a Report,
    failures: &[Failure<'a>],
    polarity: Polarity,
) -> Vec<&'a str> {
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for failure in failures.iter().filter(|f| f.polarity == polarity) {
        for rule in &failure.case.rules {
            *shown.entry(rule).or_default() += 1;
        }
    }
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for case in report.cases.iter().filter(|case| !case.provisional) {
        for rule in case.rules.iter().filter(|_| case.file(polarity).is_some()) {
            *all.entry(rule).or_default() += 1;
        }
    }
    let enough = 2.max(failures.len() / ENOUGH);
    let mut whole: Vec<(usize, &'a str)> = shown
        .into_iter()
        .filter(|(rule, count)| *count >= enough && all.get(rule) == Some(count))
        .map(|(rule, count)| (count, rule))
        .collect();
    whole.sort_by_key(|(count, rule)| (Reverse(*count), *rule));
    whole.truncate(RULES_NAMED);
    whole.into_iter().map(|(_, rule)| rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_file_to_file_is_left_out() {
        assert_eq!(
            without_numbers("messages[12].payload"),
            "messages[].payload"
        );
        assert_eq!(
            generalised("refused (bad-crc): /tmp/x/0a1b.ca3: at 4711, utf8"),
            "refused (bad-crc): FILE at N, utf8"
        );
    }
}
