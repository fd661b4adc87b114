//! How far a time may be from the truth (§10.2, §10.12; item 17).
//!
//! Reading G19: bounds add, as a worst case:
//!
//! ```text
//! low  = bias_low  + residual_spread + skew_uncertainty * |elapsed| / 10^9 + delay
//! high = bias_high + residual_spread + skew_uncertainty * |elapsed| / 10^9 + delay
//! ```
//!
//! The two sides are never made one (item 23). An unbounded bias leaves its side
//! unbounded; a slope that was not estimated adds nothing, and neither does a delay
//! that nobody knows: beside the total stands that it is unknown.

use ca3_wire::records::ClockDomain;
use serde::{Serialize, Serializer};

use super::estimator::Method;

/// How far the truth may lie to one side, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// No further than this.
    Within(u64),
    /// Nothing bounds it.
    Unbounded,
}

impl Bound {
    /// A stored bias bound.
    pub const fn of_bias(stored: u64) -> Self {
        match stored {
            ClockDomain::BIAS_UNBOUNDED => Bound::Unbounded,
            bound => Bound::Within(bound),
        }
    }

    /// Widened. What 64 bits do not hold bounds nothing.
    fn widened(self, by: u128) -> Self {
        match self {
            Bound::Within(bound) => u128::from(bound)
                .checked_add(by)
                .and_then(|sum| u64::try_from(sum).ok())
                .map_or(Bound::Unbounded, Bound::Within),
            Bound::Unbounded => Bound::Unbounded,
        }
    }
}

impl Serialize for Bound {
    /// A decimal string, or the word.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Bound::Within(bound) => serializer.collect_str(bound),
            Bound::Unbounded => serializer.serialize_str("unbounded"),
        }
    }
}

/// A time's total uncertainty, side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Total {
    /// Below the time.
    pub low: Bound,
    /// Above it.
    pub high: Bound,
}

impl Total {
    /// Of a time that nothing was applied to.
    pub const EXACT: Total = Total {
        low: Bound::Within(0),
        high: Bound::Within(0),
    };

    /// Of a stamp that a domain's line carried onto the reference.
    pub fn mapped(domain: &ClockDomain, stamp: u64) -> Self {
        // Reading G37: nobody knows what bounds an unknown method implies.
        if Method::of(domain.method).is_none() {
            return Total {
                low: Bound::Unbounded,
                high: Bound::Unbounded,
            };
        }
        let elapsed = stamp.abs_diff(domain.reference_source_ns);
        let slope = match domain.skew_uncertainty_ppb {
            ClockDomain::SKEW_NOT_ESTIMATED => 0,
            // Rounded up: a bound does not shrink. 64 bits by 64 fit 128.
            ppb => (u128::from(ppb) * u128::from(elapsed)).div_ceil(1_000_000_000),
        };
        let spread = u128::from(domain.residual_spread_ns);
        let widened = |bias: u64| Bound::of_bias(bias).widened(spread).widened(slope);
        Total {
            low: widened(domain.bias_low_ns),
            high: widened(domain.bias_high_ns),
        }
    }

    /// With a delay's own uncertainty, nanoseconds, where one was taken off.
    #[must_use]
    pub fn corrected(self, delay_uncertainty_ns: u64) -> Self {
        let by = u128::from(delay_uncertainty_ns);
        Total {
            low: self.low.widened(by),
            high: self.high.widened(by),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain() -> ClockDomain {
        ClockDomain {
            method: 2,
            quality: 2,
            residual_spread_ns: 10,
            min_rtt_present: 1,
            min_rtt_ns: 400,
            bias_low_ns: 200,
            bias_high_ns: 150,
            skew_uncertainty_ppb: ClockDomain::SKEW_NOT_ESTIMATED,
            reference_source_ns: 1_000_000_000,
            ..ClockDomain::default()
        }
    }

    fn sides(low: u64, high: u64) -> Total {
        Total {
            low: Bound::Within(low),
            high: Bound::Within(high),
        }
    }

    #[test]
    fn terms_add_on_each_side_by_itself() {
        assert_eq!(Total::mapped(&domain(), 0), sides(210, 160));
        // 7 ppb over one second, before and behind the origin; a part of a
        // nanosecond counts as one.
        let sloped = ClockDomain {
            skew_uncertainty_ppb: 7,
            ..domain()
        };
        assert_eq!(Total::mapped(&sloped, 0), sides(217, 167));
        assert_eq!(Total::mapped(&sloped, 2_000_000_000), sides(217, 167));
        assert_eq!(Total::mapped(&sloped, 1_000_000_001), sides(211, 161));
        let total = Total::mapped(&domain(), 0).corrected(5);
        assert_eq!(total, sides(215, 165));
    }

    #[test]
    fn what_is_unbounded_stays_so_and_the_other_side_does_not_follow() {
        let one_way = ClockDomain {
            method: 1,
            bias_low_ns: u64::MAX,
            bias_high_ns: 0,
            ..domain()
        };
        let total = Total::mapped(&one_way, 0).corrected(3);
        assert_eq!(
            (total.low, total.high),
            (Bound::Unbounded, Bound::Within(13))
        );
        let text = serde_json::to_string(&total).unwrap();
        assert_eq!(text, r#"{"low":"unbounded","high":"13"}"#);
        let unknown = ClockDomain {
            method: 9,
            ..domain()
        };
        let total = Total::mapped(&unknown, 0);
        assert_eq!(
            (total.low, total.high),
            (Bound::Unbounded, Bound::Unbounded)
        );
        let wide = ClockDomain {
            bias_low_ns: u64::MAX - 1,
            ..domain()
        };
        assert_eq!(Total::mapped(&wide, 0).low, Bound::Unbounded);
    }
}
