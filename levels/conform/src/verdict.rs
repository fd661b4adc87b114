//! From the outcomes to a verdict, item by item and level by level.

use std::collections::{BTreeMap, BTreeSet};

use ca3_spec::rule::{self, section_key};
use ca3_spec::vector::Polarity;
use serde::Serialize;

use crate::implementation::Claims;
use crate::judging::Outcome;
use crate::results::CaseResult;

/// How many of a kind passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Passed.
    pub passed: usize,
    /// All of them.
    pub total: usize,
}

impl Tally {
    fn add(&mut self, passed: bool) {
        self.total += 1;
        self.passed += usize::from(passed);
    }

    /// Whether none is missing.
    pub fn is_full(self) -> bool {
        self.passed == self.total
    }
}

/// One line of the summary: an item of §16, or the rules of a section that
/// refine none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemSummary {
    /// The item's number; null for the rules of a section.
    pub item: Option<u8>,
    /// The section, where it is no item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its name.
    pub name: String,
    /// The level that requires it.
    pub level: u8,
    /// Certifying valid files.
    pub valid: Tally,
    /// Certifying invalid files.
    pub invalid: Tally,
    /// Files that were skipped, certifying or not.
    pub skips: usize,
    /// Provisional files.
    pub provisional: Tally,
}

impl ItemSummary {
    /// Whether it has provisional cases and no other.
    pub fn is_provisional(&self) -> bool {
        self.provisional.total > 0 && self.valid.total + self.invalid.total == 0
    }
}

/// The summary's lines, items first.
pub fn summarise(cases: &[CaseResult]) -> Vec<ItemSummary> {
    let mut items: BTreeMap<(bool, Vec<u32>, String), ItemSummary> = BTreeMap::new();
    for case in cases {
        let folder = case.folder();
        let (section, slug) = folder.split_once('-').unwrap_or((folder, ""));
        let key = match case.item {
            Some(item) => (false, vec![u32::from(item)], String::new()),
            None => (true, section_key(section), folder.to_owned()),
        };
        let known = case.item.and_then(rule::item);
        let summary = items.entry(key).or_insert_with(|| ItemSummary {
            item: case.item,
            section: case.item.is_none().then(|| section.to_owned()),
            name: known.map_or_else(|| slug.replace('-', " "), |item| item.name.to_owned()),
            level: known.map_or(case.level, |item| item.level),
            valid: Tally::default(),
            invalid: Tally::default(),
            skips: 0,
            provisional: Tally::default(),
        });
        for (polarity, file) in case.files() {
            let passed = file.outcome() == Outcome::Pass;
            summary.skips += usize::from(file.outcome() == Outcome::Skip);
            match polarity {
                _ if case.provisional => summary.provisional.add(passed),
                Polarity::Valid => summary.valid.add(passed),
                Polarity::Invalid => summary.invalid.add(passed),
            }
        }
    }
    items.into_values().collect()
}

/// Where the cases came from: only one of these certifies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The committed corpus.
    Committed,
    /// The same cases with other values.
    Fresh,
    /// Some other folder.
    Directory,
}

/// How a level came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Everything that it asks was right, over the whole committed corpus.
    Certified,
    /// Everything that was judged was right, which certifies nothing: the run
    /// was partial, or not over the committed corpus.
    Passed,
    /// Something was wrong.
    NotConformant,
    /// The implementation does not claim it.
    NotClaimed,
    /// There was nothing to judge it by.
    NotJudged,
}

impl Standing {
    /// The words used in reports.
    pub const fn describe(self) -> &'static str {
        match self {
            Standing::Certified => "certified",
            Standing::Passed => "passed, not certified",
            Standing::NotConformant => "NOT CONFORMANT",
            Standing::NotClaimed => "not claimed",
            Standing::NotJudged => "not judged",
        }
    }
}

/// A level, how it came out, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LevelVerdict {
    /// The level.
    pub level: u8,
    /// How it came out.
    pub standing: Standing,
    /// Why it is not certified.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// The verdict over a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The level that was asked for.
    pub asked: u8,
    /// The level that the implementation claims.
    pub claimed: Option<u8>,
    /// How the asked level came out.
    pub standing: Standing,
    /// What makes the run a partial one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<String>,
    /// Each level up to the asked one.
    pub levels: Vec<LevelVerdict>,
    /// Features that the implementation does not list, so that refusing the
    /// files that set them was what was expected.
    pub not_exercised: Vec<u8>,
    /// Items whose cases are all provisional.
    pub provisional_items: Vec<u8>,
    /// The exit code that goes with it.
    pub exit_code: u8,
}

/// What a verdict is formed over, besides the cases.
#[derive(Clone, Debug)]
pub struct Terms<'a> {
    /// The level that was asked for.
    pub asked: u8,
    /// What the implementation says of itself.
    pub claims: &'a Claims,
    /// Where the cases came from.
    pub source: Source,
    /// What makes the run a partial one.
    pub partial: &'a [String],
}

/// Forms the verdict.
pub fn form(cases: &[CaseResult], terms: &Terms<'_>) -> Verdict {
    let levels: Vec<LevelVerdict> = if terms.partial.is_empty() {
        (1..=terms.asked)
            .map(|level| level_verdict(cases, terms, level))
            .collect()
    } else {
        vec![partial_verdict(cases, terms)]
    };
    let standing = levels
        .last()
        .map_or(Standing::NotJudged, |level| level.standing);
    let failed_below = levels
        .iter()
        .any(|level| level.standing == Standing::NotConformant);
    let exit_code = match standing {
        _ if failed_below => 1,
        Standing::Certified | Standing::Passed => 0,
        Standing::NotConformant | Standing::NotClaimed => 1,
        Standing::NotJudged => 4,
    };
    let not_exercised: BTreeSet<u8> = cases
        .iter()
        .flat_map(CaseResult::files)
        .flat_map(|(_, file)| file.judged.refused_for.iter().copied())
        .collect();
    Verdict {
        asked: terms.asked,
        claimed: terms.claims.level,
        standing,
        partial: terms.partial.to_vec(),
        levels,
        not_exercised: not_exercised.into_iter().collect(),
        provisional_items: summarise(cases)
            .iter()
            .filter(|summary| summary.is_provisional())
            .filter_map(|summary| summary.item)
            .collect(),
        exit_code,
    }
}

fn level_verdict(cases: &[CaseResult], terms: &Terms<'_>, level: u8) -> LevelVerdict {
    if let Some(claimed) = terms.claims.level
        && level > claimed
    {
        let reason = format!(
            "the implementation claims level {claimed}, so nothing of level {level} was asked of it"
        );
        return LevelVerdict {
            level,
            standing: Standing::NotClaimed,
            reasons: vec![reason],
        };
    }
    let reasons = prevents(cases.iter().filter(|case| case.level <= level), terms);
    if !reasons.is_empty() {
        return LevelVerdict {
            level,
            standing: Standing::NotConformant,
            reasons,
        };
    }
    let empty: Vec<u8> = (1..=level)
        .filter(|level| {
            !cases
                .iter()
                .any(|case| case.level == *level && !case.provisional)
        })
        .collect();
    if !empty.is_empty() {
        let reasons = empty
            .iter()
            .map(|level| match terms.source {
                Source::Committed | Source::Fresh => {
                    format!(
                        "this kit holds no vectors of level {level} yet; ask for a lower --level"
                    )
                }
                Source::Directory => format!("the corpus holds no vectors of level {level}"),
            })
            .collect();
        return LevelVerdict {
            level,
            standing: Standing::NotJudged,
            reasons,
        };
    }
    let (standing, reasons) = match terms.source {
        Source::Committed => (Standing::Certified, Vec::new()),
        Source::Fresh => (
            Standing::Passed,
            vec!["fresh vectors: the committed corpus certifies".to_owned()],
        ),
        Source::Directory => (
            Standing::Passed,
            vec!["these vectors are not the committed corpus".to_owned()],
        ),
    };
    LevelVerdict {
        level,
        standing,
        reasons,
    }
}

fn partial_verdict(cases: &[CaseResult], terms: &Terms<'_>) -> LevelVerdict {
    let level = terms.asked;
    if cases.is_empty() {
        let reason = "no vector was selected".to_owned();
        return LevelVerdict {
            level,
            standing: Standing::NotJudged,
            reasons: vec![reason],
        };
    }
    let mut reasons = prevents(cases.iter(), terms);
    let standing = if reasons.is_empty() {
        Standing::Passed
    } else {
        Standing::NotConformant
    };
    reasons.push(format!(
        "a partial run ({}) certifies nothing",
        terms.partial.join(", ")
    ));
    LevelVerdict {
        level,
        standing,
        reasons,
    }
}

/// What keeps these cases from certifying anything.
fn prevents<'a>(
    cases: impl Iterator<Item = &'a CaseResult> + Clone,
    terms: &Terms<'_>,
) -> Vec<String> {
    let mut reasons = terms.claims.faults.clone();
    for outcome in [
        Outcome::Fail,
        Outcome::Inconclusive,
        Outcome::Skip,
        Outcome::Crash,
        Outcome::Timeout,
    ] {
        let ended_badly = matches!(outcome, Outcome::Crash | Outcome::Timeout);
        let mut count = 0_usize;
        let mut items = BTreeSet::new();
        for case in cases
            .clone()
            .filter(|case| ended_badly || !case.provisional)
        {
            let hits = case
                .files()
                .filter(|(_, file)| file.outcome() == outcome)
                .count();
            if hits > 0 {
                count += hits;
                items.insert(match case.item {
                    Some(item) => (u32::from(item), format!("item {item}")),
                    None => (u32::MAX, case.folder().to_owned()),
                });
            }
        }
        if count > 0 {
            let files = if count == 1 {
                "1 vector"
            } else {
                &format!("{count} vectors")
            };
            let what = match outcome {
                Outcome::Fail => "failed",
                Outcome::Inconclusive => "inconclusive, the valid twin not being accepted",
                Outcome::Skip => "skipped",
                Outcome::Crash => "crashed",
                Outcome::Timeout => "timed out",
                Outcome::Pass => "passed",
            };
            let items: Vec<String> = items.into_iter().map(|(_, item)| item).collect();
            reasons.push(format!("{files} {what} ({})", items.join(", ")));
        }
    }
    reasons
}

#[cfg(test)]
mod tests;
