//! Mappings as the report shows them: stored and recomputed side by side, and what a
//! picture of them takes.

use std::collections::BTreeMap;

use ca3_reader::l2::clock::Clock;
use ca3_reader::l3::estimator::{self, Fit, Method, Observations};
use ca3_reader::l3::verify::{self, Verdict};
use ca3_reports::clocks::{Clocks, Field, Line, Mapping, Plot, Point, Span, Verification};
use ca3_wire::records::{ClockBlock, ClockDomain};

use super::mapping::{Evidence, Judged};
use crate::scan::{ClockFact, Facts};

/// How many observations of a mapping a picture has, and of all mappings of a block.
const MOST_POINTS: usize = 2000;
const MOST_POINTS_IN_ALL: usize = 100_000;

/// The mappings of a block, with what became of them.
pub(super) fn clocks<'f>(
    fact: &'f ClockFact,
    clock: &Clock,
    evidence: &mut Evidence<'f>,
) -> Clocks {
    let block = &fact.block;
    let mut degraded = degraded(block, clock, evidence.facts());
    let most = MOST_POINTS_IN_ALL
        .checked_div(block.domains.len())
        .map_or(0, |share| share.min(MOST_POINTS));
    let mappings = block.domains.iter().map(|domain| {
        let judged = evidence.judge(domain);
        // Of two domains that match, the first applies.
        let degraded = match domain.kind {
            ..=2 => degraded.remove(&clock_of(domain)).unwrap_or_default(),
            _ => Vec::new(),
        };
        Mapping {
            domain: domain.domain.clone(),
            kind: kind(domain.kind),
            method: method(domain.method),
            quality: quality(domain.quality),
            observations_stream: match domain.observations_stream {
                0 => None,
                stream_ref => Some(stream_ref),
            },
            verification: match judged.verdict.word() {
                verify::Verification::Verified => Verification::Verified,
                verify::Verification::Inconsistent => Verification::Inconsistent,
                verify::Verification::Unverified => Verification::Unverified,
            },
            reason: reason(&judged),
            fields: fields(domain, judged.fit.as_ref()),
            plot: evidence
                .observations(domain)
                .filter(|(_, observations)| observations.count() > 0)
                .map(|(method, observations)| {
                    plot(domain, (method, &observations), &judged, degraded, most)
                }),
        }
    });
    Clocks {
        reference: (
            block.reference_host_id.clone(),
            block.reference_host_clock_epoch.clone(),
        ),
        mappings: mappings.collect(),
    }
}

fn kind(byte: u8) -> String {
    match byte {
        0 => "device".to_owned(),
        1 => "peer host".to_owned(),
        2 => "self".to_owned(),
        other => other.to_string(),
    }
}

fn method(byte: u8) -> String {
    match Method::of(byte) {
        Some(Method::ReceiptOnly) => "receipt_only".to_owned(),
        Some(Method::OneWayMinFilter) => "one_way_min_filter".to_owned(),
        Some(Method::RoundTrip) => "round_trip".to_owned(),
        Some(Method::Trigger) => "trigger".to_owned(),
        None => byte.to_string(),
    }
}

fn quality(byte: u8) -> String {
    match byte {
        0 => "unavailable".to_owned(),
        1 => "degraded".to_owned(),
        2 => "ok".to_owned(),
        other => other.to_string(),
    }
}

fn reason(judged: &Judged) -> Option<String> {
    match &judged.verdict {
        Verdict::Verified if judged.fit.is_none() => {
            Some("it has no observation, and claims no quality".to_owned())
        }
        Verdict::Inconsistent(_, Some(no_fit)) => Some(no_fit.to_string()),
        Verdict::Unverified(why) => Some(why.to_string()),
        Verdict::Verified | Verdict::Inconsistent(_, None) => None,
    }
}

fn fields(domain: &ClockDomain, fit: Option<&Fit>) -> Vec<Field> {
    let both = verify::compared(domain, fit).into_iter();
    let fields = both.map(|both| Field {
        field: both.field.into(),
        stored: both.stored,
        recomputed: both.recomputed,
        differs: both.differs,
    });
    fields.collect()
}

fn plot(
    domain: &ClockDomain,
    (method, observations): (Method, &Observations<'_>),
    judged: &Judged,
    degraded: Vec<Span>,
    most: usize,
) -> Plot {
    let bias = |stored| (stored != ClockDomain::BIAS_UNBOUNDED).then_some(stored);
    Plot {
        observations: thinned(observations.count(), most)
            .filter_map(|index| point(observations, method, index))
            .collect(),
        total: u64::try_from(observations.count()).unwrap_or(u64::MAX),
        stored: Line {
            reference_source_ns: domain.reference_source_ns,
            offset_ns: i128::from(domain.offset_ns),
            skew_ppb: i128::from(domain.skew_ppb),
        },
        recomputed: judged.fit.as_ref().map(|fit| Line {
            reference_source_ns: fit.reference_source_ns,
            offset_ns: fit.offset_ns,
            skew_ppb: fit.skew_ppb,
        }),
        bias_low_ns: bias(domain.bias_low_ns),
        bias_high_ns: bias(domain.bias_high_ns),
        degraded,
    }
}

/// Places among `count` things, `most` of them, evenly: the first and the last among
/// them.
fn thinned(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let shown = count.min(most);
    let last = count.saturating_sub(1);
    let steps = shown.saturating_sub(1).max(1);
    (0..shown).map(move |step| {
        let whole = last / steps;
        let rest = last % steps;
        // Split, so that no product leaves 64 bits.
        whole * step + rest * step / steps
    })
}

/// An observation as the fit sees it; none of a round trip that was not sent.
fn point(observations: &Observations<'_>, method: Method, index: usize) -> Option<Point> {
    let point = match observations {
        Observations::Probes(probes) => estimator::Point::of(probes.get(index)?, method)?,
        Observations::Events(events) => estimator::Point::seen(events.get(index)?),
    };
    Some(Point {
        source_ns: point.source,
        offset_ns: point.delta,
    })
}

/// A clock: whether it is a device's, and its name.
type ClockName<'b> = (bool, &'b str);

fn clock_of(domain: &ClockDomain) -> ClockName<'_> {
    (domain.kind == 0, &domain.domain)
}

/// The degraded intervals of each domain's streams, on the reference clock where that
/// is known. An interval is on the clock of the stream's host (readings G01, G38), also
/// where the stream's device has a clock of its own (reading G121).
fn degraded<'b>(
    block: &'b ClockBlock,
    clock: &Clock,
    facts: &Facts,
) -> BTreeMap<ClockName<'b>, Vec<Span>> {
    let mut of_clocks: BTreeMap<ClockName<'_>, Vec<Span>> = BTreeMap::new();
    let names: BTreeMap<ClockName<'_>, ClockName<'_>> = block
        .domains
        .iter()
        .map(|domain| (clock_of(domain), clock_of(domain)))
        .collect();
    for interval in &block.degraded_intervals {
        let Some(fact) = facts.streams.get(&interval.stream_ref) else {
            continue;
        };
        let carried = |stamp| clock.carried(&fact.stream, stamp).unwrap_or(u64::MAX);
        for domain in clock.domains_of(&fact.stream) {
            if let Some(name) = names.get(&clock_of(domain)) {
                of_clocks.entry(*name).or_default().push(Span {
                    stream_ref: interval.stream_ref,
                    from_ns: carried(interval.from_ns),
                    to_ns: carried(interval.to_ns),
                    reason: interval.reason.clone(),
                });
            }
        }
    }
    of_clocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thinned_keeps_its_ends_and_its_order() {
        let places = |count, most| thinned(count, most).collect::<Vec<_>>();
        assert_eq!(places(0, 2000), [0; 0]);
        assert_eq!(places(3, 2000), [0, 1, 2]);
        assert_eq!(places(10, 4), [0, 3, 6, 9]);
        assert_eq!(places(11, 4), [0, 3, 6, 10]);
        assert_eq!(places(5, 1), [0]);
        assert_eq!(places(5, 0), [0; 0]);
        let many = places(1_000_003, 2000);
        assert_eq!((many.len(), many[0], many[1999]), (2000, 0, 1_000_002));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
