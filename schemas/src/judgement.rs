//! What is found in a schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ca3_reports::{Evidence, Severity};

use crate::form::Form;

/// Something that a schema gets wrong, as it weighs where a stream claims that the
/// schema is well-formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Identifier in the rule catalogue.
    pub rule: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The path to the field, such as `EyeSample.direction.x`; a message, an enum or
    /// a file of the set where no field is concerned.
    pub path: String,
    /// What is the case, in a sentence.
    pub message: String,
    /// Expected and found.
    pub evidence: Option<Evidence>,
    /// Where the declaration stands, in the words of [`Fault::place`].
    pub place: Option<Place>,
}

/// A declaration, by the file that declares it and the path of its
/// `SourceCodeInfo.Location`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name in the set.
    pub file: String,
    /// Field numbers and indices, from the FileDescriptorProto down.
    pub path: Vec<i32>,
}

impl Fault {
    /// An error of a rule at a path.
    pub fn error(rule: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Fault {
            rule,
            severity: Severity::Error,
            path: path.into(),
            message: message.into(),
            evidence: None,
            place: None,
        }
    }

    /// A warning.
    pub fn warning(
        rule: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Fault {
            severity: Severity::Warning,
            ..Fault::error(rule, path, message)
        }
    }

    /// Worth knowing.
    pub fn info(rule: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Fault {
            severity: Severity::Info,
            ..Fault::error(rule, path, message)
        }
    }

    /// With what is expected and what was found.
    #[must_use]
    pub fn showing(mut self, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        self.evidence = Some(Evidence {
            expected: expected.to_string(),
            found: found.to_string(),
        });
        self
    }

    /// With its texts no longer than anybody reads: names of a set may be of any length.
    fn clipped(mut self) -> Self {
        let clip = |text: &mut String| {
            if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
                text.truncate(end);
                text.push('…');
            }
        };
        clip(&mut self.path);
        clip(&mut self.message);
        if let Some(evidence) = &mut self.evidence {
            clip(&mut evidence.expected);
            clip(&mut evidence.found);
        }
        self
    }

    /// With where it is declared.
    #[must_use]
    pub(crate) fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// The clause of the floor (§5.2) that it breaks, 1 to 7; an error leaves a claim
    /// to be well-formed unmet.
    pub fn clause(&self) -> Option<u8> {
        Some(match self.rule {
            "CA3-5.1-09" | "CA3-5.1-10" | "CA3-5.1-11" | "CA3-5.1-13" | "CA3-5.1-16" => 1,
            "CA3-5.2-03" | "CA3-5.4-01" => 2,
            "CA3-5.2-04" | "CA3-5.5-01" | "CA3-5.5-02" | "CA3-5.5-03" | "CA3-5.5-04" => 3,
            "CA3-5.2-05" => 4,
            "CA3-5.2-06" => 5,
            "CA3-5.2-08" => 7,
            rule if rule.starts_with("CA3-5.6-") => 5,
            rule if rule.starts_with("CA3-5.8-") || rule == "CA3-5.2-07" => 6,
            _ => return None,
        })
    }
}

/// Something that no descriptor shows, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// What was not looked at.
    pub what: String,
    /// Which rules it concerns.
    pub rules: Vec<&'static str>,
    /// Why not.
    pub reason: String,
}

/// The longest text of a fault that is kept, in characters.
const LONGEST_TEXT: usize = 2048;
/// Faults of one rule that are kept; all are counted.
const MOST_KEPT: u64 = 256;

/// Names of which the first few are shown and the rest counted.
#[derive(Debug, Default)]
pub(crate) struct Named {
    shown: Vec<String>,
    more: usize,
}

impl Named {
    /// Names that are shown.
    const MOST: usize = 12;

    pub(crate) fn add(&mut self, name: String) {
        if self.shown.len() < Self::MOST {
            self.shown.push(name);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// All in a line; `None` where there is none.
    pub(crate) fn shown(&self) -> Option<String> {
        if self.shown.is_empty() {
            return None;
        }
        let shown = self.shown.join(", ");
        Some(match self.more {
            0 => shown,
            more => format!("{shown} and {more} more"),
        })
    }
}

/// What was found in a schema, and what was not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// What is wrong; of each rule and severity, only the first are kept.
    pub faults: Vec<Fault>,
    /// How often each rule was broken.
    pub totals: BTreeMap<(&'static str, Severity), u64>,
    /// What no descriptor shows.
    pub open: Vec<Open>,
    /// The forms that it declares, by the full name of the message.
    pub forms: Vec<(String, Form)>,
}

impl Judgement {
    /// Counts a fault, and keeps it where its rule has few so far.
    pub(crate) fn add(&mut self, fault: Fault) {
        let total = self.totals.entry((fault.rule, fault.severity)).or_default();
        *total = total.saturating_add(1);
        if *total <= MOST_KEPT {
            self.faults.push(fault.clipped());
        }
    }

    /// States that something is left open.
    pub(crate) fn leave(&mut self, open: Open) {
        self.open.push(open);
    }

    /// Which clauses of the floor (§5.2) errors break.
    pub fn broken_clauses(&self) -> BTreeSet<u8> {
        self.faults
            .iter()
            .filter(|fault| fault.severity == Severity::Error)
            .filter_map(Fault::clause)
            .collect()
    }
}
