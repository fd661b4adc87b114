//! The failures: a few are all told in full, rule by rule. Of many, what they
//! have in common comes first, with one of each sort in full; then where they
//! are, a line a rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use ca3_reports::paragraph::{clip, wrap};
use ca3_spec::rule;

use super::Report;
use super::failure;
use super::style::{BAD, BOLD, DIM, DOUBT, WIDTH};
use super::symptom::{Failure, Symptom, failures, symptoms};
use crate::verdict::{ItemKey, item_key};

/// Up to how many failures are all told in full.
const ALL_IN_FULL: usize = 6;
/// How many sorts of failures are told.
const SYMPTOMS: usize = 12;
/// How many rules of an item are named.
const RULES_PER_ITEM: usize = 8;
/// Where the text behind a sort's number begins.
const INDENT: &str = "              ";

/// The failures of an item, rule by rule.
type ByRule<'a> = BTreeMap<&'a str, Vec<(usize, Failure<'a>)>>;

/// Writes all that failed.
pub(super) fn write(out: &mut String, report: &Report) -> fmt::Result {
    let failures = failures(report);
    let mut groups: BTreeMap<ItemKey, ByRule<'_>> = BTreeMap::new();
    for (number, failure) in failures.iter().enumerate() {
        let rule = failure.case.rules.first().map_or("", String::as_str);
        let group = groups.entry(item_key(failure.case)).or_default();
        group.entry(rule).or_default().push((number, *failure));
    }
    if failures.len() <= ALL_IN_FULL {
        return groups
            .values()
            .try_for_each(|rules| write_in_full(out, report, rules));
    }
    let symptoms = symptoms(report, &failures);
    write_symptoms(out, report, &failures, &symptoms)?;
    writeln!(out, "{BAD}Where they are:{BAD:#}")?;
    let legend = "a rule, how many of its vectors failed, and under which of the numbers above";
    writeln!(out, "  {DIM}{legend}{DIM:#}\n")?;
    for rules in groups.values() {
        write_lines(out, report, rules, &symptoms)?;
    }
    let text = "--rule RULE or --filter CASE tells those in full, and --report json tells all.";
    writeln!(out, "{DOUBT}{text}{DOUBT:#}\n")
}

fn vectors(count: usize) -> String {
    match count {
        1 => "1 vector".to_owned(),
        count => format!("{count} vectors"),
    }
}

/// The heading of an item, or of the rules of a section.
fn write_heading(out: &mut String, rules: &ByRule<'_>) -> fmt::Result {
    let mut all = rules.values().flatten();
    let case = all.next().map(|(_, failure)| failure.case);
    let name = match case.and_then(|case| case.item) {
        Some(number) => match rule::item(number) {
            Some(item) => format!("Item {number}, {}", item.name),
            None => format!("Item {number}"),
        },
        None => format!("Rules of {}", case.map_or("", |case| case.folder())),
    };
    let total = rules.values().map(Vec::len).sum();
    writeln!(out, "{BAD}{name}: {} failed{BAD:#}", vectors(total))
}

fn write_in_full(out: &mut String, report: &Report, rules: &ByRule<'_>) -> fmt::Result {
    write_heading(out, rules)?;
    writeln!(out)?;
    for (id, told) in rules {
        write_rule(out, report, id)?;
        for (_, failure) in told {
            write_failure(out, report, failure)?;
        }
    }
    Ok(())
}

fn write_failure(out: &mut String, report: &Report, failure: &Failure<'_>) -> fmt::Result {
    failure::write(out, report, failure.case, failure.polarity, failure.file)
}

/// What the failures show, each sort with an example.
fn write_symptoms(
    out: &mut String,
    report: &Report,
    failures: &[Failure<'_>],
    symptoms: &[Symptom<'_>],
) -> fmt::Result {
    let title = format!(
        "{} failed. What they show, the most frequent first:",
        vectors(failures.len())
    );
    writeln!(out, "{BAD}{title}{BAD:#}\n")?;
    for (number, symptom) in (1..).zip(symptoms.iter().take(SYMPTOMS)) {
        let text = wrap(&symptom.sentence, INDENT, WIDTH);
        let count = symptom.members.len();
        writeln!(
            out,
            "{BOLD}{number:>4}.{count:>6} x {}{BOLD:#}",
            text.trim()
        )?;
        if let Some(alike) = &symptom.alike {
            write!(out, "{}", wrap(alike, INDENT, WIDTH))?;
        }
        if !symptom.rules.is_empty() && count > 1 {
            let polarity = symptom.polarity.as_str();
            let rules = symptom.rules.join(", ");
            let text = format!("every {polarity} file of {rules} shows it");
            write!(out, "{}", wrap(&text, INDENT, WIDTH))?;
        }
        writeln!(out)?;
        let members = || symptom.members.iter().filter_map(|n| failures.get(*n));
        let Some(example) = members().next() else {
            continue;
        };
        // A rule that only some of them are about explains nothing.
        let own = example.case.rules.first().map_or("", String::as_str);
        let is_about = members().all(|failure| failure.case.rules.iter().any(|id| id == own));
        if is_about || symptom.rules.contains(&own) {
            write_rule(out, report, own)?;
        }
        write_failure(out, report, example)?;
    }
    if symptoms.len() > SYMPTOMS {
        let rest = symptoms.iter().skip(SYMPTOMS);
        let count: usize = rest.map(|symptom| symptom.members.len()).sum();
        let others = symptoms.len() - SYMPTOMS;
        writeln!(
            out,
            "      and {others} other things, in {}\n",
            vectors(count)
        )?;
    }
    Ok(())
}

/// A line a rule: how many failed, what they show, and what the rule says.
fn write_lines(
    out: &mut String,
    report: &Report,
    rules: &ByRule<'_>,
    symptoms: &[Symptom<'_>],
) -> fmt::Result {
    write_heading(out, rules)?;
    for (id, told) in rules.iter().take(RULES_PER_ITEM) {
        let shown: BTreeSet<usize> = (1..)
            .zip(symptoms)
            .filter(|(_, symptom)| told.iter().any(|(n, _)| symptom.members.contains(n)))
            .map(|(number, _)| number)
            .collect();
        let shown: Vec<String> = shown.iter().map(usize::to_string).collect();
        let facts = report.rules.get(*id);
        let summary = facts.map_or("", |facts| facts.summary.as_str());
        let shown = clip(&shown.join(" "), 12);
        let head = format!("{id:<12}{:>5}, as in {shown:<4}", told.len());
        let room = WIDTH.saturating_sub(head.chars().count() + 4);
        writeln!(out, "  {head}{DIM}  {}{DIM:#}", clip(summary, room))?;
    }
    let left = rules.len().saturating_sub(RULES_PER_ITEM);
    if left > 0 {
        let count = rules.values().skip(RULES_PER_ITEM).map(Vec::len).sum();
        writeln!(out, "  and {left} other rules, {}", vectors(count))?;
    }
    writeln!(out)
}

pub(super) fn write_rule(out: &mut String, report: &Report, id: &str) -> fmt::Result {
    let Some(facts) = report.rules.get(id) else {
        return match id {
            "" => Ok(()),
            id => writeln!(out, "  {BOLD}{id}{BOLD:#}\n"),
        };
    };
    let summary = wrap(&format!("{id} {}", facts.summary), "  ", WIDTH);
    let why = wrap(&facts.why, "    ", WIDTH);
    writeln!(out, "{BOLD}{}{BOLD:#}\n{why}", summary.trim_end())
}
