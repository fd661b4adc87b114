//! A clock mapping, forward and inverse, in exact integers (§10.6; item 15).
//!
//! ```text
//! forward:  stamp + offset + trunc((stamp - reference) * skew / 10^9)
//! inverse:  round((t - offset + reference * skew / 10^9) / (1 + skew / 10^9))
//! ```
//!
//! Nothing is computed in fewer bits than the exact value needs, and nothing in
//! floating point. The forward drift truncates toward zero (reading G16); the
//! inverse is one rational number, rounded half away from zero (reading G17).
//! The two are therefore not exactly inverse to each other (reading G59).

use ca3_wire::records::ClockDomain;

use super::results::Basis;

/// Parts per billion in one.
const BILLION: i128 = 1_000_000_000;

/// The line that carries a domain's stamps onto the reference domain (§10.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    offset_ns: i64,
    skew_ppb: i64,
    reference_source_ns: u64,
}

/// Why a stored mapping is not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Its quality is unavailable, or one that version 1 does not define
    /// (reading G37).
    Quality(u8),
    /// Its skew stands time still or turns it around (reading G60).
    Skew(i64),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unusable::Quality(0) => write!(f, "its quality is unavailable"),
            Unusable::Quality(byte) => write!(f, "its quality {byte} is not defined"),
            Unusable::Skew(skew) => write!(f, "its skew of {skew} ppb cannot be inverted"),
        }
    }
}

impl Mapping {
    /// The line with this offset, in nanoseconds, and this skew, in parts per
    /// billion, about this origin, in nanoseconds of the source's clock.
    ///
    /// # Errors
    /// [`Unusable::Skew`] for -10^9 and less (reading G60).
    pub const fn new(
        offset_ns: i64,
        skew_ppb: i64,
        reference_source_ns: u64,
    ) -> Result<Self, Unusable> {
        if skew_ppb <= -1_000_000_000 {
            return Err(Unusable::Skew(skew_ppb));
        }
        Ok(Mapping {
            offset_ns,
            skew_ppb,
            reference_source_ns,
        })
    }

    /// A domain's mapping, and the basis of the times that it gives (§10.12).
    ///
    /// # Errors
    /// [`Unusable`] where times under it are raw ones.
    pub const fn of(domain: &ClockDomain) -> Result<(Self, Basis), Unusable> {
        let basis = match domain.quality {
            1 => Basis::Degraded,
            2 => Basis::Ok,
            other => return Err(Unusable::Quality(other)),
        };
        let (offset, skew) = (domain.offset_ns, domain.skew_ppb);
        match Mapping::new(offset, skew, domain.reference_source_ns) {
            Ok(mapping) => Ok((mapping, basis)),
            Err(unusable) => Err(unusable),
        }
    }

    /// A stamp, in nanoseconds of the source's clock, in nanoseconds of the
    /// reference's; below zero it is clamped at 0.
    ///
    /// # Errors
    /// The exact value, where 64 bits do not hold it (reading G60).
    pub fn forward(&self, stamp: u64) -> Result<u64, i128> {
        // Below 2^64 times at most 2^63: 128 bits hold the product.
        let elapsed = i128::from(stamp) - i128::from(self.reference_source_ns);
        let drift = elapsed * i128::from(self.skew_ppb) / BILLION;
        let exact = i128::from(stamp) + i128::from(self.offset_ns) + drift;
        u64::try_from(exact.max(0)).map_err(|_| exact)
    }

    /// The instant of the source's clock, in nanoseconds, for one of the
    /// reference's; below zero it is clamped at 0. Where it takes more than 64
    /// bits, it lies behind every stamp.
    pub fn inverse(&self, t: u64) -> u128 {
        // The origin is taken out, so that 128 bits hold the numerator:
        // (t - offset) * 10^9 + ref * skew
        //   = (t - offset - ref) * 10^9 + ref * (10^9 + skew)
        let origin = i128::from(self.reference_source_ns);
        let from_origin = i128::from(t) - i128::from(self.offset_ns) - origin;
        let slope = BILLION + i128::from(self.skew_ppb);
        // Half up, which at zero and above is half away from zero; what lies
        // below comes to 0 either way.
        let rounded = (2 * from_origin * BILLION + slope).div_euclid(2 * slope);
        u128::try_from(origin + rounded).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
