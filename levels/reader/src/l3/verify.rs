//! A stored mapping beside the one that its observations imply (§10.7; item 18).

use std::fmt;

use ca3_wire::records::ClockDomain;
use serde::{Deserialize, Serialize};

use super::estimator::{Fit, Method, NoFit};

/// The estimator that this reader has (§10.8).
pub const ESTIMATOR_VERSION: u32 = 1;

/// What recomputing a mapping comes to, in the protocol's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verification {
    /// Recomputed from observations that were read, and equal.
    Verified,
    /// Recomputed, and not equal.
    Inconsistent,
    /// Not recomputed.
    Unverified,
}

/// A mapping that was judged, and why it was judged so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal in all that the estimator computes (reading G61).
    Verified,
    /// Fields that differ; none where the observations imply no line at all.
    Inconsistent(Vec<Difference>, Option<NoFit>),
    /// Nothing was compared.
    Unverified(Unverified),
}

/// Why a mapping is not recomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// `observations_stream` is 0 (§10.4).
    NoStream,
    /// The stream is not declared.
    Undeclared,
    /// The stream carries another message than the method needs (reading G61).
    OtherSchema,
    /// The observations could not be read, or not all of them.
    Unread,
    /// Another version of the estimator (§10.8).
    Version(u32),
    /// A method that version 1 does not define (reading G37).
    Method(u8),
    /// A trigger on a clock of a kind that version 1 does not define.
    Kind(u8),
}

/// A field whose stored value is not the recomputed one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name in the ClockDomain.
    pub field: &'static str,
    /// As stored, sentinels and absence in words.
    pub stored: String,
    /// As recomputed, likewise.
    pub recomputed: String,
}

/// A field that the estimator computes, both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Its name in the ClockDomain.
    pub field: &'static str,
    /// As stored, sentinels and absence in words.
    pub stored: String,
    /// As recomputed, likewise, where it was.
    pub recomputed: Option<String>,
    /// Whether both are there and not the same.
    pub differs: bool,
}

impl Verdict {
    /// The verdict in one word.
    pub const fn word(&self) -> Verification {
        match self {
            Verdict::Verified => Verification::Verified,
            Verdict::Inconsistent(..) => Verification::Inconsistent,
            Verdict::Unverified(_) => Verification::Unverified,
        }
    }
}

/// What a domain says, before any observation is looked at: the method to
/// recompute it by, or why it is not recomputed.
///
/// # Errors
/// [`Unverified`].
pub const fn recomputable(domain: &ClockDomain) -> Result<Method, Unverified> {
    if domain.observations_stream == 0 {
        return Err(Unverified::NoStream);
    }
    if domain.estimator_version != ESTIMATOR_VERSION {
        return Err(Unverified::Version(domain.estimator_version));
    }
    match Method::of(domain.method) {
        Some(method) => Ok(method),
        None => Err(Unverified::Method(domain.method)),
    }
}

/// A domain's stored mapping against what its observations were found to imply.
pub fn against(domain: &ClockDomain, implied: &Result<Fit, NoFit>) -> Verdict {
    match implied {
        Ok(fit) => {
            let differences = differences(domain, fit);
            if differences.is_empty() {
                Verdict::Verified
            } else {
                Verdict::Inconsistent(differences, None)
            }
        }
        // Reading G61: no observation bears out a mapping that says nothing.
        Err(NoFit::Empty) if domain.quality == 0 => Verdict::Verified,
        Err(NoFit::OtherKind) => Verdict::Unverified(Unverified::OtherSchema),
        Err(no_fit) => Verdict::Inconsistent(Vec::new(), Some(*no_fit)),
    }
}

/// Every field that the estimator computes and the domain states otherwise, in
/// the order of the record; not the quality (reading G61).
pub fn differences(domain: &ClockDomain, fit: &Fit) -> Vec<Difference> {
    compared(domain, Some(fit))
        .into_iter()
        .filter(|both| both.differs)
        .map(|both| Difference {
            field: both.field,
            stored: both.stored,
            recomputed: both.recomputed.unwrap_or_default(),
        })
        .collect()
}

/// Every field that the estimator computes, in the order of the record, beside
/// what it computes where there is a fit.
pub fn compared(domain: &ClockDomain, fit: Option<&Fit>) -> Vec<Compared> {
    let wide = |value: u64| Some(i128::from(value));
    let bias = |value: u64| (value != ClockDomain::BIAS_UNBOUNDED).then(|| i128::from(value));
    let skew_uncertainty = domain.skew_uncertainty_ppb;
    let estimated = skew_uncertainty != ClockDomain::SKEW_NOT_ESTIMATED;
    let min_rtt = (domain.min_rtt_present != 0).then(|| i128::from(domain.min_rtt_ns));
    let row = |field, stored, computed: fn(&Fit) -> Option<i128>, absent: &str| {
        let recomputed = fit.map(computed);
        let told = |value: Option<i128>| {
            value.map_or_else(|| absent.to_owned(), |value| value.to_string())
        };
        Compared {
            field,
            stored: told(stored),
            recomputed: recomputed.map(told),
            differs: recomputed.is_some_and(|recomputed| recomputed != stored),
        }
    };
    vec![
        row(
            "offset_ns",
            Some(i128::from(domain.offset_ns)),
            |fit| Some(fit.offset_ns),
            "",
        ),
        row(
            "skew_ppb",
            Some(i128::from(domain.skew_ppb)),
            |fit| Some(fit.skew_ppb),
            "",
        ),
        row(
            "reference_source_ns",
            wide(domain.reference_source_ns),
            |fit| Some(i128::from(fit.reference_source_ns)),
            "",
        ),
        row(
            "residual_spread_ns",
            wide(domain.residual_spread_ns),
            |fit| Some(fit.residual_spread_ns),
            "",
        ),
        row("min_rtt_ns", min_rtt, |fit| fit.min_rtt_ns, "absent"),
        row(
            "bias_low_ns",
            bias(domain.bias_low_ns),
            |fit| fit.bias_low_ns,
            "unbounded",
        ),
        row(
            "bias_high_ns",
            bias(domain.bias_high_ns),
            |fit| Some(fit.bias_high_ns),
            "unbounded",
        ),
        row(
            "skew_uncertainty_ppb",
            estimated.then(|| i128::from(skew_uncertainty)),
            |fit| fit.skew_uncertainty_ppb,
            "not estimated",
        ),
        row(
            "observation_count",
            wide(domain.observation_count),
            |fit| Some(i128::from(fit.observation_count)),
            "",
        ),
    ]
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Verified => write!(f, "what its observations imply"),
            Verdict::Inconsistent(_, Some(no_fit)) => no_fit.fmt(f),
            Verdict::Inconsistent(differences, None) => {
                for (place, difference) in differences.iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    let Difference {
                        field,
                        stored,
                        recomputed,
                    } = difference;
                    write!(
                        f,
                        "{comma}{field} is {stored} where its observations imply {recomputed}"
                    )?;
                }
                Ok(())
            }
            Verdict::Unverified(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFit::Empty => write!(f, "it claims a quality and has no observation"),
            NoFit::NotSent => write!(
                f,
                "it claims round trips, and an observation has no sent_ns"
            ),
            NoFit::OtherKind => write!(f, "its observations are of another kind"),
            NoFit::Steep(skew) => {
                write!(
                    f,
                    "its observations imply a skew of {skew} ppb, beyond 64 bits"
                )
            }
        }
    }
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unverified::NoStream => write!(f, "it names no observations"),
            Unverified::Undeclared => write!(f, "its observations stream is not declared"),
            Unverified::OtherSchema => {
                write!(
                    f,
                    "its observations are of another schema than its method needs"
                )
            }
            Unverified::Unread => write!(f, "not all of its observations could be read"),
            Unverified::Version(version) => write!(
                f,
                "estimator version {version} is not version {ESTIMATOR_VERSION}, the only one known"
            ),
            Unverified::Method(method) => write!(f, "method {method} is not defined"),
            Unverified::Kind(kind) => write!(f, "kind {kind} is not defined"),
        }
    }
}

#[cfg(test)]
mod tests;
