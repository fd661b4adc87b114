//! Estimator version 1: a mapping from its observations (§10.5, §10.8; reading G04).
//!
//! Everything is a signed integer of 128 bits, and every division truncates toward
//! zero. Observations come in file order; each gives a *delta*, the reference less
//! the source, and a round trip its *rtt*:
//!
//! ```text
//! one way       delta = receipt - source
//! round trip    delta = sent + rtt / 2 - source        rtt = receipt - sent
//! trigger       delta = the reference's stamp - the domain's
//! ```
//!
//! The line runs about the first observation's source. `receipt_only` and `trigger`
//! take the first delta for the offset and no slope. The other two split the span of
//! sources in the middle, and take from each half the observation that was delayed
//! least: *a*, and *b* where there is a second half.
//!
//! ```text
//! skew      = (delta[b] - delta[a]) * 10^9 / (source[b] - source[a])
//! offset    = delta[a] - (source[a] - origin) * skew / 10^9
//! residual  = | delta - offset - (source - origin) * skew / 10^9 |
//! ```
//!
//! The residual spread is the nearest-rank 95th percentile of the residuals.

use super::messages::{ClockObservation, TimeMessage};

const BILLION: i128 = 1_000_000_000;

/// How a mapping is fitted (§10.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The first receipt.
    ReceiptOnly,
    /// The least delayed of many receipts.
    OneWayMinFilter,
    /// The shortest of many round trips.
    RoundTrip,
    /// An event that the domain and the reference both observed.
    Trigger,
}

impl Method {
    /// The method of a domain's byte; `None` for one that version 1 does not
    /// define (reading G37).
    pub const fn of(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Method::ReceiptOnly),
            1 => Some(Method::OneWayMinFilter),
            2 => Some(Method::RoundTrip),
            3 => Some(Method::Trigger),
            _ => None,
        }
    }

    /// The message that observations for it travel in (readings G05, G06).
    pub const fn observed_in(self) -> TimeMessage {
        match self {
            Method::Trigger => TimeMessage::Event,
            Method::ReceiptOnly | Method::OneWayMinFilter | Method::RoundTrip => {
                TimeMessage::Observation
            }
        }
    }
}

/// What a mapping is fitted from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observations<'o> {
    /// Messages of an observations stream, in file order (§10.7).
    Probes(&'o [ClockObservation]),
    /// Events, in file order (§10.10; reading G129).
    Events(Vec<Sighting>),
}

impl Observations<'_> {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Observations::Probes(probes) => probes.len(),
            Observations::Events(events) => events.len(),
        }
    }

    /// Each as a point by this method: `None` where a round trip was not sent.
    fn points(&self, method: Method) -> Option<Vec<Point>> {
        match self {
            Observations::Probes(probes) => probes
                .iter()
                .map(|probe| Point::of(probe, method))
                .collect(),
            Observations::Events(events) => Some(events.iter().map(Point::seen).collect()),
        }
    }
}

/// An event as a domain and the reference observed it (§10.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The domain's stamp, nanoseconds.
    pub source_ns: u64,
    /// The reference's, nanoseconds.
    pub reference_ns: u64,
    /// The sum of both observations' uncertainties, nanoseconds (reading G65).
    pub uncertainty_ns: u128,
}

/// An observation as the fit sees it, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// On the domain's clock.
    pub source: u64,
    /// The reference less the source.
    pub delta: i128,
    /// How long the round trip took.
    pub rtt: Option<i128>,
}

impl Point {
    /// A probe; `None` where the method is a round trip and it was not sent
    /// (reading G73).
    pub fn of(probe: &ClockObservation, method: Method) -> Option<Self> {
        let source = i128::from(probe.source_ns);
        let receipt = i128::from(probe.receipt_ns);
        let (delta, rtt) = if method == Method::RoundTrip {
            let sent = i128::from(probe.sent_ns?);
            let rtt = receipt - sent;
            (sent + rtt / 2 - source, Some(rtt))
        } else {
            (receipt - source, None)
        };
        Some(Point {
            source: probe.source_ns,
            delta,
            rtt,
        })
    }

    /// An event.
    pub fn seen(event: &Sighting) -> Self {
        Point {
            source: event.source_ns,
            delta: i128::from(event.reference_ns) - i128::from(event.source_ns),
            rtt: None,
        }
    }
}

/// A line that observations imply, and how good it is. What a field of the
/// ClockBlock cannot hold agrees with no stored mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Nanoseconds.
    pub offset_ns: i128,
    /// Parts per billion.
    pub skew_ppb: i128,
    /// The origin of the line, nanoseconds of the domain's clock.
    pub reference_source_ns: u64,
    /// Nanoseconds.
    pub residual_spread_ns: i128,
    /// Nanoseconds; `None` where none was measured.
    pub min_rtt_ns: Option<i128>,
    /// Nanoseconds; `None` where unbounded.
    pub bias_low_ns: Option<i128>,
    /// Nanoseconds.
    pub bias_high_ns: i128,
    /// Parts per billion; `None` where the slope was not estimated.
    pub skew_uncertainty_ppb: Option<i128>,
    /// How many observations there were.
    pub observation_count: u64,
}

/// Why observations imply no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFit {
    /// There are none.
    Empty,
    /// One of a round trip has no `sent_ns` (reading G73).
    NotSent,
    /// Events where the method asks for probes, or the other way round.
    OtherKind,
    /// The slope passes 64 bits, and with it any line.
    Steep(i128),
}

/// The line that these observations imply by this method.
///
/// # Errors
/// [`NoFit`].
pub fn fit(method: Method, observations: &Observations<'_>) -> Result<Fit, NoFit> {
    let anchored = matches!(observations, Observations::Events(_));
    if anchored != (method == Method::Trigger) {
        return Err(NoFit::OtherKind);
    }
    let points = observations.points(method).ok_or(NoFit::NotSent)?;
    let first = points.first().ok_or(NoFit::Empty)?;
    let slope = match method {
        Method::ReceiptOnly | Method::Trigger => Slope::level(first),
        Method::OneWayMinFilter => Slope::between(&points, |point| point.delta),
        Method::RoundTrip => Slope::between(&points, |point| point.rtt.unwrap_or(i128::MAX)),
    };
    let skew_ppb = slope.skew_ppb;
    if i64::try_from(skew_ppb).is_err() {
        return Err(NoFit::Steep(skew_ppb));
    }
    let line = Line {
        origin: first.source,
        offset_ns: slope.anchor.delta - drift(&slope.anchor, first.source, skew_ppb),
        skew_ppb,
    };
    let min_rtt_ns = match method {
        Method::Trigger => Some(0),
        _ => points.iter().filter_map(|point| point.rtt).min(),
    };
    let (bias_low_ns, bias_high_ns) = match (method, observations) {
        (Method::RoundTrip, _) => {
            let half = min_rtt_ns.unwrap_or_default() / 2;
            (Some(half), half)
        }
        (Method::Trigger, Observations::Events(events)) => {
            let anchor = events.first().map_or(0, |event| event.uncertainty_ns);
            let anchor = i128::try_from(anchor).unwrap_or(i128::MAX);
            (Some(anchor), anchor)
        }
        // §10.5: one way, the truth lies at the estimate or below.
        _ => (None, 0),
    };
    Ok(Fit {
        offset_ns: line.offset_ns,
        skew_ppb,
        reference_source_ns: line.origin,
        residual_spread_ns: line.spread(&points),
        min_rtt_ns,
        bias_low_ns,
        bias_high_ns,
        skew_uncertainty_ppb: slope.uncertainty_ppb,
        observation_count: u64::try_from(points.len()).unwrap_or(u64::MAX),
    })
}

/// The slope, and the observation that the line passes through.
struct Slope {
    anchor: Point,
    skew_ppb: i128,
    uncertainty_ppb: Option<i128>,
}

impl Slope {
    fn level(anchor: &Point) -> Self {
        Slope {
            anchor: *anchor,
            skew_ppb: 0,
            uncertainty_ppb: None,
        }
    }

    /// Through the least delayed observation of each half of the span, the
    /// earliest of equal ones.
    fn between(points: &[Point], delayed: impl Fn(&Point) -> i128) -> Self {
        let begins = points.first().map_or(0, |point| point.source);
        let ends = points.iter().map(|point| point.source).max();
        let span = ends.unwrap_or(begins).saturating_sub(begins);
        let middle = begins.saturating_add(span / 2);
        let least = |late: bool| {
            points
                .iter()
                .filter(|point| (point.source > middle) == late)
                .min_by_key(|point| delayed(point))
        };
        // The first observation itself lies in the first half.
        let a = least(false).or(points.first());
        match (a, least(true)) {
            (Some(a), Some(b)) => {
                let apart = i128::from(b.source) - i128::from(a.source);
                let half = |point: &Point| point.rtt.map(|rtt| rtt / 2);
                let doubt = half(a).zip(half(b)).map(|(a, b)| a + b);
                Slope {
                    anchor: *a,
                    skew_ppb: (b.delta - a.delta) * BILLION / apart,
                    uncertainty_ppb: doubt.map(|doubt| doubt * BILLION / apart),
                }
            }
            (Some(a), None) => Slope::level(a),
            (None, _) => Slope::level(&Point {
                source: 0,
                delta: 0,
                rtt: None,
            }),
        }
    }
}

/// How far the line has drifted at a point, nanoseconds. A slope of 64 bits and a
/// stamp of 64 bits: 128 hold the product.
fn drift(at: &Point, origin: u64, skew_ppb: i128) -> i128 {
    let elapsed = i128::from(at.source) - i128::from(origin);
    elapsed * skew_ppb / BILLION
}

struct Line {
    origin: u64,
    offset_ns: i128,
    skew_ppb: i128,
}

impl Line {
    /// The nearest-rank 95th percentile of what the line leaves.
    fn spread(&self, points: &[Point]) -> i128 {
        let mut residuals: Vec<i128> = points
            .iter()
            .map(|point| {
                let off = point.delta - self.offset_ns - drift(point, self.origin, self.skew_ppb);
                off.abs()
            })
            .collect();
        // Rank ceil(0.95 n), counted from 1.
        let rank = residuals.len().saturating_mul(95).div_ceil(100);
        let place = rank.saturating_sub(1);
        if place >= residuals.len() {
            return 0;
        }
        *residuals.select_nth_unstable(place).1
    }
}

#[cfg(test)]
mod tests;
