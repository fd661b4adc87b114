//! Which rules have cases, polarity by polarity.

use std::collections::BTreeMap;

use ca3_spec::rule::{Level, Rule, catalogue};
use ca3_spec::vector::{Case, Polarity, Side};

/// How one rule is covered.
#[derive(Clone, Debug)]
pub struct Row {
    /// The rule.
    pub rule: &'static Rule,
    /// Cases with a valid file.
    pub valid: Vec<String>,
    /// Cases with an invalid file.
    pub invalid: Vec<String>,
    /// Faults that give the wrong answer where there is no invalid file.
    pub caught_by: Vec<String>,
    /// What is missing, in words; empty where the rule is covered.
    pub missing: Vec<String>,
}

/// The rules of a level or role, or all of them, with their cases.
pub fn rows(cases: &[Case], level: Option<Level>) -> Vec<Row> {
    let mut by_rule: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        for rule in &case.sidecar.rules {
            by_rule.entry(rule).or_default().push(case);
        }
    }
    catalogue()
        .iter()
        .filter(|rule| level.is_none_or(|level| rule.level == level))
        .map(|rule| {
            row(
                rule,
                by_rule.get(rule.id.as_str()).map_or(&[], Vec::as_slice),
            )
        })
        .collect()
}

fn row(rule: &'static Rule, cases: &[&Case]) -> Row {
    let with = |polarity: Polarity| -> Vec<String> {
        cases
            .iter()
            .filter(|case| case.sidecar.side(polarity).vector().is_some())
            .map(|case| case.sidecar.id.clone())
            .collect()
    };
    let (valid, invalid) = (with(Polarity::Valid), with(Polarity::Invalid));
    let mut caught_by: Vec<String> = Vec::new();
    let mut wrong_answer = false;
    for case in cases {
        if let Side::Missing(missing) = &case.sidecar.invalid {
            wrong_answer = true;
            caught_by.extend(missing.caught_by.iter().cloned());
        }
    }
    caught_by.sort();
    caught_by.dedup();
    let mut missing = Vec::new();
    if valid.is_empty() {
        missing.push("no valid file".to_owned());
    }
    let has_invalid = !rule.invalid.starts_with("none:");
    if has_invalid && invalid.is_empty() {
        missing.push("no invalid file".to_owned());
    }
    if !has_invalid && invalid.is_empty() {
        if !wrong_answer {
            missing.push("no case states the wrong answer".to_owned());
        } else if caught_by.is_empty() && rule.level != Level::Validator {
            // A validator's wrong answer is a finding too many or a statement
            // too few, and the valid file's own step fails it.
            missing.push("no seeded fault gives the wrong answer".to_owned());
        }
    }
    Row {
        rule,
        valid,
        invalid,
        caught_by,
        missing,
    }
}
