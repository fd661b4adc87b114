//! The summary of a run: a line an item, or a section whose rules refine none.

use std::collections::BTreeMap;

use ca3_spec::rule::{self, section_key};
use ca3_spec::vector::Polarity;
use serde::Serialize;

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

/// The place of a case's item among the summary's lines.
pub type ItemKey = (bool, Vec<u32>, String);

/// Which line of the summary a case counts for.
pub fn item_key(case: &CaseResult) -> ItemKey {
    let folder = case.folder();
    let section = folder
        .split_once('-')
        .map_or(folder, |(section, _)| section);
    match case.item {
        Some(item) => (false, vec![u32::from(item)], String::new()),
        None => (true, section_key(section), folder.to_owned()),
    }
}

/// The summary's lines, items first.
pub fn summarise(cases: &[CaseResult]) -> Vec<ItemSummary> {
    let mut items: BTreeMap<ItemKey, ItemSummary> = BTreeMap::new();
    for case in cases {
        let folder = case.folder();
        let (section, slug) = folder.split_once('-').unwrap_or((folder, ""));
        let known = case.item.and_then(rule::item);
        let summary = items.entry(item_key(case)).or_insert_with(|| ItemSummary {
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
