//! Which rules are meant: one by its identifier, or those of a section.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use ca3_reports::text::plain;
use ca3_schema::nearest::nearest;
use ca3_spec::rule;
use serde::{Deserialize, Deserializer, de};

use super::{Standing, standing};

/// The longest name that a message repeats, in characters.
const LONGEST_NAME: usize = 60;

/// A rule (`CA3-7.1-09`), or every rule of a section and below it (`CA3-7.1`,
/// `CA3-7`). At least one of them is judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selector(String);

impl AsRef<str> for Selector {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Selector {
    /// As it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it means a rule.
    pub fn covers(&self, id: &str) -> bool {
        is_within(id, &self.0)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name of which nothing is judged, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unselectable(String);

impl FromStr for Selector {
    type Err = Unselectable;

    fn from_str(text: &str) -> Result<Self, Unselectable> {
        let name = text.trim();
        let mut why = None;
        for rule in rule::catalogue()
            .iter()
            .filter(|it| is_within(&it.id, name))
        {
            match standing(&rule.id) {
                Standing::Checked(_) => return Ok(Selector(name.to_owned())),
                Standing::Unchecked(reason) => why = why.or(Some(reason)),
            }
        }
        let shown = plain(name, LONGEST_NAME);
        Err(Unselectable(match why {
            Some(reason) if rule::find(name).is_some() => {
                format!("{shown} is not judged: {reason}")
            }
            Some(reason) => format!("no rule of {shown} is judged: {reason}"),
            None => {
                let hint = match meant(name) {
                    Some(near) => format!("did you mean {near}?"),
                    None => "`ca3-validate rules` lists them".to_owned(),
                };
                format!("no rule or section is named {shown}; {hint}")
            }
        }))
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The rule or section that was meant by a name that is none.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    let mut sections = BTreeSet::new();
    for rule in rule::catalogue() {
        let mut section = section_of(&rule.id);
        while let Some(name) = section {
            sections.insert(name);
            section = name.rsplit_once('.').map(|(above, _)| above);
        }
    }
    let rules = rule::catalogue().iter().map(|rule| rule.id.as_str());
    nearest(name, rules.chain(sections))
}

/// `CA3-7.1` of `CA3-7.1-09`.
fn section_of(id: &str) -> Option<&str> {
    id.rsplit_once('-').map(|(section, _)| section)
}

fn is_within(id: &str, name: &str) -> bool {
    if id == name {
        return true;
    }
    let rest = section_of(id).and_then(|section| section.strip_prefix(name));
    // An empty name, or one that ends within a number, is no section.
    rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with('.') && name.contains('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        text.parse::<Selector>().unwrap_err().to_string()
    }

    #[test]
    fn a_section_is_its_rules_and_those_below() {
        let covers = |name: &str, id: &str| name.parse::<Selector>().unwrap().covers(id);
        for id in ["CA3-7.1-09", "CA3-7.1-01", "CA3-7-01", "CA3-7.3-02"] {
            assert!(covers("CA3-7", id), "{id}");
        }
        for id in ["CA3-70-01", "CA3-6.7-01", "CA3-0007-01"] {
            assert!(!covers("CA3-7", id), "{id}");
        }
        assert!(covers("CA3-7.1", "CA3-7.1-09") && !covers("CA3-7.1", "CA3-7.11-01"));
        assert!(!covers("CA3-7.1", "CA3-7-01"));
        assert!(covers("CA3-7.1-09", "CA3-7.1-09") && !covers("CA3-7.1-09", "CA3-7.1-090"));
        assert!(covers(" CA3-7.1-09 ", "CA3-7.1-09"));
    }

    #[test]
    fn what_is_no_name_is_told_what_was_meant() {
        assert_eq!(
            wrong("CA3-7.1-0"),
            "no rule or section is named CA3-7.1-0; did you mean CA3-7.1-01?"
        );
        assert!(wrong("ca3-7.1-09").ends_with("did you mean CA3-7.1-09?"));
        assert!(wrong("CA3-77").ends_with("did you mean CA3-7?"));
        for none in [
            "", "CA3", "CA", "CA3-", "seven", "-", ".", "CA3-7.", "CA3-7.1-",
        ] {
            assert!(wrong(none).starts_with("no rule or section"), "{none}");
        }
        assert!(!wrong("\u{1b}[31m").contains('\u{1b}'));
    }

    #[test]
    fn what_is_never_judged_is_told_why() {
        let reason = "no profile is judged by this version";
        assert_eq!(
            wrong("CA3-0009-01"),
            format!("CA3-0009-01 is not judged: {reason}")
        );
        assert_eq!(
            wrong("CA3-0009"),
            format!("no rule of CA3-0009 is judged: {reason}")
        );
    }
}
