//! A file's clock mappings: as stored, and as their observations imply them.
//!
//! All times are nanoseconds. In JSON those that may pass 53 bits are decimal
//! strings.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The mappings of one ClockBlock (§10.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// The reference domain: host and epoch.
    pub reference: (String, String),
    /// The mappings, in stored order.
    pub mappings: Vec<Mapping>,
}

/// How a mapping compares with its observations (§10.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verification {
    /// Recomputed, and equal.
    Verified,
    /// Recomputed, and not equal.
    Inconsistent,
    /// Not recomputed.
    Unverified,
}

impl Verification {
    /// The word used in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verification::Verified => "verified",
            Verification::Inconsistent => "inconsistent",
            Verification::Unverified => "unverified",
        }
    }
}

/// One domain's mapping (§10.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The domain's name.
    pub domain: String,
    /// What it is the name of, in a word: `device`, `peer host`, `self`, or the byte.
    pub kind: String,
    /// The method's name (§10.5), or the byte.
    pub method: String,
    /// `unavailable`, `degraded`, `ok`, or the byte.
    pub quality: String,
    /// The stream of its observations, where it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_stream: Option<u32>,
    /// What its observations say of it.
    pub verification: Verification,
    /// Why it is not recomputed, or why its observations imply no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Every field that the estimator computes, in the order of the record.
    pub fields: Vec<Field>,
    /// What a picture of it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<Plot>,
}

/// A computed field, both ways. Sentinels and absence stand in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name in the ClockDomain.
    pub field: Cow<'static, str>,
    /// As stored.
    pub stored: String,
    /// As recomputed, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recomputed: Option<String>,
    /// Whether both are there and differ.
    pub differs: bool,
}

/// A mapping as a picture shows it: offsets against the time of the reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Observations, in file order, thinned where there are very many.
    pub observations: Vec<Point>,
    /// How many observations there are.
    #[serde(with = "decimal")]
    pub total: u64,
    /// The stored line.
    pub stored: Line,
    /// The recomputed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recomputed: Option<Line>,
    /// How far below the stored line the truth may lie (the stored bias bound);
    /// none where that is unbounded.
    #[serde(with = "bound")]
    pub bias_low_ns: Option<u64>,
    /// How far above it.
    #[serde(with = "bound")]
    pub bias_high_ns: Option<u64>,
    /// Spans during which a stream of this clock was degraded (§10.12).
    pub degraded: Vec<Span>,
}

/// An observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// On the domain's clock.
    #[serde(with = "decimal")]
    pub source_ns: u64,
    /// The reference less the source.
    #[serde(with = "decimal")]
    pub offset_ns: i128,
}

/// A line: how far the reference is ahead of the domain's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its origin, on the domain's clock.
    #[serde(with = "decimal")]
    pub reference_source_ns: u64,
    /// The offset at the origin.
    #[serde(with = "decimal")]
    pub offset_ns: i128,
    /// Its slope, in parts per billion.
    #[serde(with = "decimal")]
    pub skew_ppb: i128,
}

impl Line {
    /// The offset at an instant of the domain's clock, for a picture.
    pub fn at(&self, source_ns: u64) -> i128 {
        let elapsed = i128::from(source_ns) - i128::from(self.reference_source_ns);
        let drift = elapsed.saturating_mul(self.skew_ppb) / 1_000_000_000;
        self.offset_ns.saturating_add(drift)
    }
}

/// A degraded interval, in the reference domain where the stream is mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The stream.
    pub stream_ref: u32,
    /// From when.
    #[serde(with = "decimal")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "decimal")]
    pub to_ns: u64,
    /// Why.
    pub reason: String,
}

/// Numbers that may pass 53 bits.
mod decimal {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer, T: Display>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let digits = String::deserialize(deserializer)?;
        digits.parse().map_err(D::Error::custom)
    }
}

/// A bound, which may be none.
mod bound {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    const NONE: &str = "unbounded";

    pub(super) fn serialize<S: Serializer>(
        value: &Option<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_str(NONE),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u64>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == NONE {
            return Ok(None);
        }
        text.parse().map(Some).map_err(D::Error::custom)
    }
}
