//! The rule catalogue: every rule of the CA3 document, atom by atom.
//!
//! The source is `spec/rules/<section>.toml`, one file a section and one entry
//! a rule, embedded and parsed once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The conformance level, or the role, at which a rule binds (§16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// Minimal reader.
    #[serde(rename = "1")]
    One,
    /// Indexed reader.
    #[serde(rename = "2")]
    Two,
    /// Time-aware reader.
    #[serde(rename = "3")]
    Three,
    /// Recovering reader.
    #[serde(rename = "4")]
    Four,
    /// Any writer.
    #[serde(rename = "writer")]
    Writer,
    /// Any validator.
    #[serde(rename = "validator")]
    Validator,
    /// A conformance profile (§11.4).
    #[serde(rename = "profile")]
    Profile,
}

impl Level {
    /// The reader level as a number, 1 to 4; `None` for the other roles.
    pub const fn number(self) -> Option<u8> {
        match self {
            Level::One => Some(1),
            Level::Two => Some(2),
            Level::Three => Some(3),
            Level::Four => Some(4),
            Level::Writer | Level::Validator | Level::Profile => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Writer => f.write_str("writer"),
            Level::Validator => f.write_str("validator"),
            Level::Profile => f.write_str("profile"),
            reader => write!(f, "{}", reader.number().unwrap_or_default()),
        }
    }
}

/// One rule of the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Stable identifier, such as `CA3-6.3-01`.
    pub id: String,
    /// The section that states it.
    pub section: String,
    /// The numbered item of §16 that it refines, if any.
    pub item: Option<u8>,
    /// The level or role at which it binds.
    pub level: Level,
    /// Who is bound: reader, writer, validator or profile.
    pub binds: String,
    /// The document's keyword, `layout` for a layout, or `implied`.
    pub keyword: String,
    /// What must hold, in a sentence.
    pub summary: String,
    /// What goes wrong for the user of a recording where it does not.
    pub why: String,
    /// The operations by which a violation shows.
    pub surfaced_by: Vec<String>,
    /// The idea of a valid vector.
    pub valid: String,
    /// The idea of an invalid vector, or why there is none.
    pub invalid: String,
    /// The readings that its outcome depends on.
    pub readings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionFile {
    rule: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    item: Option<u8>,
    level: Level,
    binds: String,
    keyword: String,
    summary: String,
    why: String,
    surfaced_by: Vec<String>,
    valid: String,
    invalid: String,
    #[serde(default)]
    readings: Vec<String>,
}

impl Row {
    fn into_rule(self, section: &str) -> Rule {
        Rule {
            id: self.id,
            section: section.to_owned(),
            item: self.item,
            level: self.level,
            binds: self.binds,
            keyword: self.keyword,
            summary: self.summary,
            why: self.why,
            surfaced_by: self.surfaced_by,
            valid: self.valid,
            invalid: self.invalid,
            readings: self.readings,
        }
    }
}

/// `(section, text)` of every file in `spec/rules/`.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rule_files.rs"));

static CATALOGUE: LazyLock<Result<Vec<Rule>, String>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for (section, text) in FILES {
        let file: SectionFile =
            toml::from_str(text).map_err(|error| format!("rules/{section}.toml: {error}"))?;
        rules.extend(file.rule.into_iter().map(|row| row.into_rule(section)));
    }
    rules.sort_by_key(|rule| (section_key(&rule.section), rule.id.clone()));
    Ok(rules)
});

static BY_ID: LazyLock<BTreeMap<&'static str, &'static Rule>> = LazyLock::new(|| {
    catalogue()
        .iter()
        .map(|rule| (rule.id.as_str(), rule))
        .collect()
});

/// Every rule, by section and number.
///
/// The embedded files are checked by a test of this crate; a build of this
/// crate that passed it cannot hold a file that does not parse.
pub fn catalogue() -> &'static [Rule] {
    match &*CATALOGUE {
        Ok(rules) => rules,
        Err(_) => &[],
    }
}

/// The rule of an identifier.
pub fn find(id: &str) -> Option<&'static Rule> {
    BY_ID.get(id).copied()
}

/// Sorts `10.2` behind `9.1`.
pub fn section_key(section: &str) -> Vec<u32> {
    section
        .split('.')
        .map(|part| part.parse().unwrap_or(u32::MAX))
        .collect()
}

/// A reader item of §16, with the name that reports give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number in §16.
    pub number: u8,
    /// The level that requires it.
    pub level: u8,
    /// A short name in our words.
    pub name: &'static str,
}

const fn item_of(number: u8, level: u8, name: &'static str) -> Item {
    Item {
        number,
        level,
        name,
    }
}

/// The reader items of §16, in order.
pub const ITEMS: &[Item] = &[
    item_of(1, 1, "magic and major version"),
    item_of(2, 1, "required features"),
    item_of(3, 1, "record framing and opcode classes"),
    item_of(4, 1, "varint form"),
    item_of(5, 1, "strings and maps"),
    item_of(6, 1, "schemas, streams, references"),
    item_of(7, 1, "messages and chunks"),
    item_of(8, 1, "truncation stated"),
    item_of(9, 2, "footer and summary groups"),
    item_of(10, 2, "entry_size strides"),
    item_of(11, 2, "state_at, both paths"),
    item_of(12, 2, "overlapping chunks"),
    item_of(13, 2, "gaps and losses"),
    item_of(14, 2, "windows"),
    item_of(15, 2, "clock mapping and basis"),
    item_of(16, 2, "data section walked or not"),
    item_of(17, 3, "total uncertainty"),
    item_of(18, 3, "mappings recomputed"),
    item_of(19, 3, "verified means observed"),
    item_of(20, 3, "degraded intervals"),
    item_of(21, 3, "unknown device delay"),
    item_of(22, 3, "no double correction"),
    item_of(23, 3, "asymmetric bounds"),
    item_of(24, 4, "recovery and rebuilt columns"),
    item_of(25, 4, "checkpoint candidates"),
    item_of(26, 4, "forward walk behind the chain"),
    item_of(27, 4, "fallback to the spine walk"),
    item_of(28, 4, "lengths past the end"),
    item_of(29, 4, "where the walk stopped"),
];

/// The item of a number, for reader items (1 to 29).
pub fn item(number: u8) -> Option<&'static Item> {
    ITEMS.iter().find(|item| item.number == number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_parses_and_every_rule_is_whole() {
        let rules = CATALOGUE.as_ref().unwrap();
        assert!(rules.len() >= 558, "only {} rules", rules.len());
        let mut ids = BTreeSet::new();
        for rule in rules {
            assert!(ids.insert(&rule.id), "{} stands twice", rule.id);
            let prefix = format!("CA3-{}-", rule.section);
            assert!(
                rule.id.starts_with(&prefix),
                "{} stands in {}.toml",
                rule.id,
                rule.section
            );
            for (name, text) in [
                ("summary", &rule.summary),
                ("why", &rule.why),
                ("binds", &rule.binds),
                ("keyword", &rule.keyword),
                ("valid", &rule.valid),
                ("invalid", &rule.invalid),
            ] {
                assert!(!text.trim().is_empty(), "{}: {name} is empty", rule.id);
            }
            assert!(
                !rule.surfaced_by.is_empty(),
                "{}: surfaced_by is empty",
                rule.id
            );
            for reading in &rule.readings {
                assert!(
                    crate::reading::find(reading).is_some(),
                    "{} cites {reading}, which is not in the register",
                    rule.id
                );
            }
        }
    }

    #[test]
    fn a_rule_stands_at_least_at_the_level_of_its_item() {
        for rule in catalogue() {
            let (Some(level), Some(number)) = (rule.level.number(), rule.item) else {
                continue;
            };
            let item = item(number).unwrap_or_else(|| panic!("{}: item {number}", rule.id));
            assert!(
                level >= item.level,
                "{} at level {level}, its item at {}",
                rule.id,
                item.level
            );
        }
    }
}
