//! From the outcomes to a verdict, item by item and level by level.

mod items;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::implementation::Claims;
use crate::judging::Outcome;
use crate::results::CaseResult;
use crate::run::Interruption;

pub use items::{ItemKey, ItemSummary, Tally, item_key, summarise};

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
    /// Nothing was wrong but what a known-failures file accounts for.
    KnownFailures,
    /// Something was wrong.
    NotConformant,
    /// The implementation does not claim it.
    NotClaimed,
    /// There was nothing to judge it by.
    NotJudged,
    /// Nothing was wrong by the time when the run was told to stop.
    Interrupted,
}

impl Standing {
    /// The words used in reports.
    pub const fn describe(self) -> &'static str {
        match self {
            Standing::Certified => "certified",
            Standing::Passed => "passed, not certified",
            Standing::KnownFailures => "not certified, only known failures",
            Standing::NotConformant => "NOT CONFORMANT",
            Standing::NotClaimed => "not claimed",
            Standing::NotJudged => "not judged",
            Standing::Interrupted => "INTERRUPTED, not certified",
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
    /// What its answers say of the data section's spine, where they say
    /// anything (item 16).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spine: Option<Spine>,
    /// Items whose cases are all provisional.
    pub provisional_items: Vec<u8>,
    /// How many files failed as a known-failures file says.
    pub known_failures: usize,
    /// Its entries that hold no more, each with its line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale_entries: Vec<String>,
    /// The exit code that goes with it.
    pub exit_code: u8,
}

/// How often the data section was walked for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spine {
    /// Answers that say that it was.
    pub walked: usize,
    /// Answers that say that it was not: with those goes no claim about
    /// records that the reader has not met (§3.1).
    pub not_walked: usize,
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
    /// Entries of a known-failures file that hold no more.
    pub stale: &'a [String],
    /// How the run was cut short, if it was.
    pub interrupted: Option<Interruption>,
}

/// Forms the verdict.
pub fn form(cases: &[CaseResult], terms: &Terms<'_>) -> Verdict {
    let levels: Vec<LevelVerdict> = match terms.interrupted {
        Some(interruption) => vec![interrupted_verdict(cases, terms, interruption)],
        None if terms.partial.is_empty() => (1..=terms.asked)
            .map(|level| level_verdict(cases, terms, level))
            .collect(),
        None => vec![partial_verdict(cases, terms)],
    };
    let standing = levels
        .last()
        .map_or(Standing::NotJudged, |level| level.standing);
    let failed_below = levels
        .iter()
        .any(|level| level.standing == Standing::NotConformant);
    let exit_code = match standing {
        _ if let Some(interruption) = terms.interrupted => interruption.signal.exit_code(),
        _ if failed_below || !terms.stale.is_empty() => 1,
        Standing::Certified | Standing::Passed | Standing::KnownFailures => 0,
        Standing::NotConformant | Standing::NotClaimed => 1,
        Standing::NotJudged => 4,
        Standing::Interrupted => 1,
    };
    let not_exercised: BTreeSet<u8> = cases
        .iter()
        .flat_map(CaseResult::files)
        .flat_map(|(_, file)| file.judged.refused_for.iter().copied())
        .collect();
    let said: Vec<bool> = cases
        .iter()
        .flat_map(CaseResult::files)
        .flat_map(|(_, file)| &file.judged.steps)
        .filter_map(|step| step.spine)
        .collect();
    let walked = said.iter().filter(|walked| **walked).count();
    let spine = (!said.is_empty()).then(|| Spine {
        walked,
        not_walked: said.len() - walked,
    });
    Verdict {
        asked: terms.asked,
        claimed: terms.claims.level,
        standing,
        partial: terms.partial.to_vec(),
        levels,
        not_exercised: not_exercised.into_iter().collect(),
        spine,
        provisional_items: summarise(cases)
            .iter()
            .filter(|summary| summary.is_provisional())
            .filter_map(|summary| summary.item)
            .collect(),
        known_failures: known(cases.iter()),
        stale_entries: terms.stale.to_vec(),
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
    let known = known(cases.iter().filter(|case| case.level <= level));
    if known > 0 {
        return LevelVerdict {
            level,
            standing: Standing::KnownFailures,
            reasons: vec![known_reason(known)],
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
    let known = known(cases.iter());
    let standing = match (reasons.is_empty(), known) {
        (true, 0) => Standing::Passed,
        (true, _) => Standing::KnownFailures,
        (false, _) => Standing::NotConformant,
    };
    if known > 0 {
        reasons.push(known_reason(known));
    }
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

/// What was found out before a run was told to stop.
fn interrupted_verdict(
    cases: &[CaseResult],
    terms: &Terms<'_>,
    interruption: Interruption,
) -> LevelVerdict {
    let mut reasons = prevents(cases.iter(), terms);
    let standing = match reasons.is_empty() {
        true => Standing::Interrupted,
        false => Standing::NotConformant,
    };
    reasons.push(format!("{interruption}, which certifies nothing"));
    LevelVerdict {
        level: terms.asked,
        standing,
        reasons,
    }
}

/// How many files failed as a known-failures file says.
fn known<'a>(cases: impl Iterator<Item = &'a CaseResult>) -> usize {
    let files = cases.flat_map(CaseResult::files);
    files.filter(|(_, file)| file.known.is_some()).count()
}

fn known_reason(count: usize) -> String {
    match count {
        1 => "1 vector failed as it is known to".to_owned(),
        count => format!("{count} vectors failed as they are known to"),
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
                .filter(|(_, file)| file.outcome() == outcome && file.known.is_none())
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
