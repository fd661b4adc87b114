//! Which rules are judged, and which are not and why; and which of them count.

mod checked;
mod never;
pub mod policy;
pub mod selector;

use std::collections::BTreeSet;

use ca3_reports::{Checked, Scope, Unchecked};

pub use checked::{CHECKED, Group};
use never::NEVER;

/// What this version judges in no file, and why.
pub fn unchecked() -> impl Iterator<Item = Unchecked> {
    NEVER.iter().map(|never| Unchecked {
        in_part: false,
        scope: Scope::Version,
        what: never.what.to_owned(),
        rules: never.rules.iter().map(|rule| (*rule).to_owned()).collect(),
        reason: never.reason.to_owned(),
    })
}

/// What was judged in a file, but for the rules that were left out in it.
pub(crate) fn checked_but(left: &[Unchecked]) -> Vec<Checked> {
    let left: BTreeSet<&str> = left
        .iter()
        .flat_map(|unchecked| unchecked.rules.iter().map(String::as_str))
        .collect();
    CHECKED
        .iter()
        .map(|checked| Checked {
            what: checked.what.into(),
            rules: checked
                .rules
                .iter()
                .copied()
                .filter(|rule| !left.contains(rule))
                .collect(),
        })
        .filter(|checked| !checked.rules.is_empty())
        .collect()
}

/// Rules that only the whole of a sealed file shows: those of its summary.
pub(crate) fn of_the_whole() -> Vec<&'static str> {
    judged()
        .filter(|rule| OF_THE_WHOLE.iter().any(|start| rule.starts_with(start)))
        .collect()
}

/// Every judged rule but those of the magic itself.
pub(crate) fn behind_the_magic() -> Vec<&'static str> {
    judged()
        .filter(|rule| !rule.starts_with("CA3-2.1-"))
        .collect()
}

fn judged() -> impl Iterator<Item = &'static str> {
    CHECKED.iter().flat_map(|group| group.rules).copied()
}

/// What the rules begin with that concern the summary and the Footer.
const OF_THE_WHOLE: &[&str] = &[
    "CA3-2.2-",
    "CA3-2.4-",
    "CA3-5-02",
    "CA3-7.1-",
    "CA3-7.2-",
    "CA3-7.3-",
    "CA3-7.5-",
    "CA3-10.5-05",
    "CA3-10.7-03",
    "CA3-10.7-05",
    "CA3-10.7-06",
    "CA3-11-08",
    "CA3-13.1-",
    "CA3-13.2-",
    "CA3-13.4-",
];

/// Whether a rule is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is, as part of this.
    Checked(&'static str),
    /// It is not, for this reason.
    Unchecked(&'static str),
}

/// Whether a rule of the catalogue is judged.
pub fn standing(id: &str) -> Standing {
    if let Some(checked) = CHECKED.iter().find(|checked| checked.rules.contains(&id)) {
        return Standing::Checked(checked.what);
    }
    NEVER.iter().find(|never| never.rules.contains(&id)).map_or(
        Standing::Unchecked("it binds what a reader answers or how a writer works"),
        |never| Standing::Unchecked(never.reason),
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ca3_spec::rule::{Level, catalogue, find};

    use super::*;

    fn listed() -> Vec<&'static str> {
        let checked = CHECKED.iter().flat_map(|checked| checked.rules);
        let never = NEVER.iter().flat_map(|never| never.rules);
        checked.chain(never).copied().collect()
    }

    #[test]
    fn every_validator_rule_is_judged_or_named_as_not_judged() {
        let listed = listed();
        let unique: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(unique.len(), listed.len(), "a rule stands twice");
        for rule in &unique {
            assert!(find(rule).is_some(), "{rule} is not in the catalogue");
        }
        for rule in catalogue() {
            if rule.level == Level::Validator {
                assert!(unique.contains(rule.id.as_str()), "{} is missing", rule.id);
            }
        }
    }

    /// The list of what is judged is what the sources judge.
    #[test]
    fn the_list_is_what_the_sources_name() {
        let mut named = BTreeSet::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        collect(&root.join("src"), &mut named);
        collect(&root.join("../schemas/src"), &mut named);
        named.extend(UNBREAKABLE.map(str::to_owned));
        let judged: BTreeSet<String> = CHECKED
            .iter()
            .flat_map(|checked| checked.rules)
            .map(|rule| (*rule).to_owned())
            .collect();
        let apart: Vec<_> = judged.symmetric_difference(&named).collect();
        assert!(apart.is_empty(), "{apart:?}");
    }

    /// What no file can break: an interval of zero length is legal; so is a schema
    /// that claims nothing, a cardinality of 0, and every code of UCUM.
    const UNBREAKABLE: [&str; 4] = ["CA3-12-13", "CA3-5.2-10", "CA3-5.3-02", "CA3-5.4-02"];

    fn collect(folder: &Path, named: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, named);
            } else if !path.parent().unwrap().ends_with("rules") {
                let text = std::fs::read_to_string(&path).unwrap();
                let ids = text.split('"').filter(|part| {
                    part.starts_with("CA3-") && part.ends_with(|c: char| c.is_ascii_digit())
                });
                named.extend(ids.map(str::to_owned));
            }
        }
    }
}
