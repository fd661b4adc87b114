//! What is found in a schema.

use std::fmt;

use ca3_reports::{Evidence, Severity};
use prost_reflect::MessageDescriptor;

use crate::descriptor::Described;
use crate::form::Form;
use crate::frames::Catalogue;
use crate::{floor, form, validity};

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

/// What was found in a schema, and what was not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// In the order of the declarations.
    pub faults: Vec<Fault>,
    /// What no descriptor shows.
    pub open: Vec<Open>,
    /// The forms that it declares, by the full name of the message.
    pub forms: Vec<(String, Form)>,
}

/// Judges a schema against §5.1 to §5.8, whatever its streams claim. Frames are looked
/// up in the catalogue.
pub fn judge(described: &Described, frames: &Catalogue) -> Judgement {
    let mut judgement = Judgement::default();
    let _: &MessageDescriptor = &described.message;
    floor::judge(described, frames, &mut judgement);
    validity::judge(described, &mut judgement);
    form::judge(described, &mut judgement);
    judgement
}
