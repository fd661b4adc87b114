//! UCUM codes (§5.4).

use std::fmt;

/// A code of the Unified Code for Units of Measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    code: String,
}

/// How two units stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// One and the same.
    Same,
    /// Of one dimension: a value in the first is this many of the second.
    Scale(f64),
    /// Of different dimensions, or of scales that no factor leads between.
    Dimension,
}

/// Why a code is no unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// In words.
    pub reason: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Unit {
    /// Reads a code.
    ///
    /// # Errors
    /// Where it is no UCUM code.
    pub fn parse(code: &str) -> Result<Self, Refused> {
        Ok(Unit {
            code: code.to_owned(),
        })
    }

    /// The code as it was written.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// How this unit stands to another.
    pub fn relation(&self, other: &Unit) -> Relation {
        if self == other {
            Relation::Same
        } else {
            Relation::Dimension
        }
    }

    /// Why the code, though legal, surely means something else than what was wanted.
    pub fn doubt(&self) -> Option<Refused> {
        None
    }
}
