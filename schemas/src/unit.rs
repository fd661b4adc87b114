//! UCUM codes (§5.4).
//!
//! The Unified Code for Units of Measure decides what a code is, by the tables and the
//! parser of `octofhir-ucum`. Added to what that reads: a code is at most
//! [`LONGEST_CODE`] bytes long, and its factor is a number that a double holds.
//!
//! Some of what UCUM says is not what one expects:
//!
//! - An angle is no number: `rad` is a base unit, with `deg` and `sr` built on it, and is
//!   of another dimension than `1`. `rad/s` is not `Hz`.
//! - What counts is a number: `{beat}`, `%`, `mol`, `[ppm]`, `bit` and `1` are of one
//!   dimension, so `{beat}/s`, `Hz` and `Bq` are the same. Braces mean nothing.
//! - An arbitrary unit, such as `[iU]`, is of a dimension of its own.
//! - A special unit, such as `Cel`, `dB` or `[pH]`, has a scale that no factor leads to,
//!   and takes part in no product, quotient or power: a rise in temperature is `K/min`.

mod doubts;
mod meant;
mod quantity;

use std::fmt;

use octofhir_ucum::{ErrorKind, EvalResult, Number, SpecialKind, evaluate, parse_expression};

/// The longest code that is read, in bytes.
pub const LONGEST_CODE: usize = 256;

/// How far the factors of two units that are the same may lie apart, relatively.
const SAME: f64 = 1e-12;

/// How much of a code a reason repeats, in characters.
const LONGEST_SHOWN: usize = 64;

/// A code of the Unified Code for Units of Measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    code: String,
    meaning: EvalResult,
    factor: f64,
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

/// Why a code is no unit, or is doubted.
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
        read(code).map_err(|reason| Refused {
            reason,
            suggestion: meant::meant(code),
        })
    }

    /// The code as it was written.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// How this unit stands to another: of one dimension, by UCUM, and with factors that
    /// differ by no more than a millionth of a millionth, they are the same.
    ///
    /// A special unit stands to nothing but itself and its multiples: `dB` is 0.1 `B`,
    /// and `Cel` is neither `K` nor `[degF]`. UCUM knows no kinds of quantity, and takes
    /// `N.m` and `J` for the same.
    pub fn relation(&self, other: &Unit) -> Relation {
        let ratio = match (self.meaning.special, other.meaning.special) {
            _ if !self.meaning.is_commensurable(&other.meaning) => return Relation::Dimension,
            (None, None) => self.meaning.factor.checked_div(other.meaning.factor),
            (Some(this), Some(that)) if this.unit.code == that.unit.code => {
                this.scale.checked_div(that.scale)
            }
            _ => return Relation::Dimension,
        };
        match ratio.map(Number::to_f64) {
            Some(ratio) if (ratio - 1.0).abs() <= SAME => Relation::Same,
            Some(ratio) if ratio.is_normal() => Relation::Scale(ratio),
            _ => Relation::Dimension,
        }
    }

    /// Why the code, though legal, surely means something else than what was wanted.
    ///
    /// That is said of few codes, since most that look odd are right somewhere: `S` and
    /// `mS` are conductances, `C`, `F`, `G` and `T` units of the SI or of old.
    pub fn doubt(&self) -> Option<Refused> {
        doubts::doubt(&self.code)
    }

    /// The dimension in the symbols of UCUM's base units: L, T, M, A (plane angle), Θ, Q
    /// (charge) and F (luminous intensity), then arbitrary units by their codes. `1` is
    /// that of a number.
    pub fn dimension(&self) -> String {
        let dimension = self.meaning.dim;
        let arbitrary = self.meaning.arbitrary.iter();
        let mut parts: Vec<String> = arbitrary
            .map(|(atom, power)| raised(atom, *power))
            .collect();
        if parts.is_empty() || !dimension.is_dimensionless() {
            parts.insert(0, dimension.to_string());
        }
        parts.join(".")
    }

    /// What is measured in it, where the dimension has a name.
    pub fn quantity(&self) -> Option<&'static str> {
        if self.meaning.arbitrary.is_empty() {
            quantity::named(self.meaning.dim)
        } else {
            None
        }
    }

    /// What [`Unit::factor`] counts: a product of m, s, kg, rad, K, C and cd, as a code.
    pub fn base(&self) -> String {
        quantity::base(self.meaning.dim, &self.meaning.arbitrary)
    }

    /// How many of [`Unit::base`] it is; of a special unit, the unit that its scale is
    /// defined by.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The special unit that it is, if it is one.
    pub fn special(&self) -> Option<Special> {
        let special = self.meaning.special?;
        Some(Special {
            code: special.unit.code,
            scale: special.scale.to_f64(),
            kind: quantity::scale(special.unit.special),
        })
    }

    /// Whether it stands for an amount that only a procedure defines, as `[iU]` does.
    pub fn is_arbitrary(&self) -> bool {
        !self.meaning.arbitrary.is_empty()
    }
}

/// A unit on a scale that no factor leads to (UCUM §21).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Special {
    /// Its code in the tables: `Cel`, `B`.
    pub code: &'static str,
    /// How many of it one is: 0.1 in `dB`.
    pub scale: f64,
    /// What sort of scale it is.
    pub kind: Scale,
}

/// What a special unit's scale is, over the unit that it is defined by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// With a zero of its own, in steps of that unit: a temperature.
    Interval,
    /// A logarithm of the ratio to that unit: a level, an acidity.
    Logarithm,
    /// A hundred times the tangent of an angle.
    Tangent,
    /// A square root.
    Root,
}

impl Scale {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Interval => "interval",
            Scale::Logarithm => "logarithm",
            Scale::Tangent => "tangent",
            Scale::Root => "root",
        }
    }
}

/// Reads a code, or says why it is none. Nothing is suggested.
fn read(code: &str) -> Result<Unit, String> {
    if code.is_empty() {
        return Err("it is empty; a number without a unit has the unit 1".to_owned());
    }
    if code.len() > LONGEST_CODE {
        let length = code.len();
        return Err(format!(
            "it is {length} bytes long; a code of at most {LONGEST_CODE} is read"
        ));
    }
    if let Some((at, c)) = code
        .chars()
        .enumerate()
        .find(|(_, c)| !c.is_ascii_graphic())
    {
        let what = if c.is_ascii_control() || c.is_whitespace() {
            "blanks and control characters are not part of UCUM codes"
        } else {
            "UCUM codes are ASCII"
        };
        return Err(format!("{what}: {c:?}, character {}", at + 1));
    }
    let tree = parse_expression(code).map_err(|error| reason(&error.kind))?;
    let meaning = evaluate(&tree).map_err(|error| reason(&error.kind))?;
    let scale = meaning.special.map_or(Number::ONE, |special| special.scale);
    let factor = quantity::si_factor(&meaning).map(Number::to_f64);
    match factor {
        Some(factor) if factor.is_normal() && scale.to_f64().is_normal() => Ok(Unit {
            code: code.to_owned(),
            meaning,
            factor,
        }),
        _ => Err("its factor is beyond what a double holds".to_owned()),
    }
}

fn reason(kind: &ErrorKind) -> String {
    let shown = |symbol: &str| ca3_reports::paragraph::clip(symbol, LONGEST_SHOWN);
    match kind {
        ErrorKind::InvalidExpression {
            reason, position, ..
        } => {
            let mut letters = reason.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            let reason: String = first.into_iter().chain(letters).collect();
            match position {
                Some(position) => format!("{reason}, character {}", position + 1),
                None => reason,
            }
        }
        ErrorKind::UnitNotFound { unit, .. } if unit.contains('^') => {
            "UCUM has no ^: a power stands right behind its unit".to_owned()
        }
        ErrorKind::UnitNotFound { unit, .. } if unit.contains('*') => {
            "UCUM has no *: a dot multiplies".to_owned()
        }
        ErrorKind::UnitNotFound { unit, .. } => {
            format!("UCUM has no unit {}; codes are case-sensitive", shown(unit))
        }
        ErrorKind::SpecialUnitError { unit, .. } => format!(
            "{} has a scale of its own and takes part in no product, quotient or power",
            shown(unit)
        ),
        ErrorKind::PrecisionOverflow { .. } => "an exponent is out of range".to_owned(),
        ErrorKind::NestingTooDeep { limit, .. } => {
            format!("it is nested more than {limit} levels deep")
        }
        _ => "it cannot be computed".to_owned(),
    }
}

/// `m2` of `m` and 2.
fn raised(symbol: &str, power: i32) -> String {
    match power {
        1 => symbol.to_owned(),
        _ => format!("{symbol}{power}"),
    }
}

/// Whether a symbol is a unit of the tables, with a prefix or without.
fn is_symbol(symbol: &str) -> bool {
    octofhir_ucum::lookup_unit(symbol, octofhir_ucum::Case::Sensitive).is_some()
}

/// Whether a symbol is a special unit.
fn is_special(symbol: &str) -> bool {
    octofhir_ucum::lookup_unit(symbol, octofhir_ucum::Case::Sensitive)
        .is_some_and(|(_, unit)| SpecialKind::is_special(&unit.special))
}
