//! What `clock` and `times` owe, in a case's own words.
//!
//! A sample owes by default what it owes in every file that carries no delay: a
//! statement of its uncertainty, a delay that is unknown, no source stamp, and
//! no reason but the reader's own.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Decimal;
use ca3_wire::records::{ClockBlock, ClockDomain, DegradedInterval};
use serde_json::{Map, Value, json};

use crate::Ask;

/// A side of an uncertainty without a bound, and a bias that is none (§10.4).
pub const UNBOUNDED: &str = "unbounded";
/// A skew uncertainty that was not estimated (§10.4).
pub const NOT_ESTIMATED: &str = "not-estimated";
/// A delay that the file does not carry (§10.9).
pub const UNKNOWN: &str = "unknown";

/// `clock`, the answer holding these members. No mapping here names observations
/// that bear it out, and whoever calls that inconsistent says so beside it.
pub fn clock(members: Value) -> Ask {
    Ask::clock(members).may_report(&[Kind::MappingInconsistent])
}

/// `clock` of a block none of whose mappings can be verified: all of it as stored.
pub fn clock_of(block: &ClockBlock) -> Ask {
    clock(json!({
        "reference": reference(&block.reference_host_id, &block.reference_host_clock_epoch),
        "domains": domain_views(&block.domains),
        "degraded_intervals": interval_views(&block.degraded_intervals),
    }))
}

/// A reference domain (§10.3).
pub fn reference(host: &str, epoch: &str) -> Value {
    json!({"host_id": host, "host_clock_epoch": epoch})
}

/// Domains as `clock` gives them, none of them verified.
pub fn domain_views(domains: &[ClockDomain]) -> Value {
    domains
        .iter()
        .map(|domain| domain_view(domain, not_verified()))
        .collect()
}

/// A domain as `clock` gives it: as stored, but for the absent round trip and
/// the two sentinels.
pub fn domain_view(domain: &ClockDomain, verification: Value) -> Value {
    let bias = |bound: u64| match bound {
        ClockDomain::BIAS_UNBOUNDED => json!(UNBOUNDED),
        bound => json!(Decimal(bound)),
    };
    let skew_uncertainty = match domain.skew_uncertainty_ppb {
        ClockDomain::SKEW_NOT_ESTIMATED => json!(NOT_ESTIMATED),
        figure => json!(Decimal(figure)),
    };
    let min_rtt = (domain.min_rtt_present != 0).then_some(Decimal(domain.min_rtt_ns));
    json!({
        "domain": domain.domain,
        "kind": domain.kind,
        "method": domain.method,
        "quality": domain.quality,
        "offset_ns": domain.offset_ns.to_string(),
        "skew_ppb": domain.skew_ppb.to_string(),
        "reference_source_ns": Decimal(domain.reference_source_ns),
        "residual_spread_ns": Decimal(domain.residual_spread_ns),
        "min_rtt_ns": min_rtt,
        "bias_low_ns": bias(domain.bias_low_ns),
        "bias_high_ns": bias(domain.bias_high_ns),
        "skew_uncertainty_ppb": skew_uncertainty,
        "observation_count": Decimal(domain.observation_count),
        "observations_stream": domain.observations_stream,
        "estimator_version": domain.estimator_version,
        "verification": verification,
    })
}

/// What may be said of a mapping whose observations were not read (§10.7).
pub fn not_verified() -> Value {
    json!({"$one_of": ["unverified", "inconsistent"]})
}

/// No domain of an answer is called verified.
pub fn none_verified() -> Value {
    json!({"domains": {"$not": {"$contains": [{"verification": "verified"}]}}})
}

/// A stretch of a stream's own clock during which its alignment did not hold.
pub fn interval(stream_ref: u32, from_ns: u64, to_ns: u64, reason: &str) -> DegradedInterval {
    DegradedInterval {
        stream_ref,
        from_ns,
        to_ns,
        reason: reason.to_owned(),
    }
}

fn interval_views(intervals: &[DegradedInterval]) -> Value {
    let view = |interval: &DegradedInterval| {
        json!({
            "stream_ref": interval.stream_ref,
            "from_ns": Decimal(interval.from_ns),
            "to_ns": Decimal(interval.to_ns),
            "reason": interval.reason,
        })
    };
    intervals.iter().map(view).collect()
}

/// The members of `clock` that say of streams that the file carries no delay
/// for them, and no alignment event either.
pub fn no_delays(streams: &[u32]) -> Value {
    let unknown = |stream_ref: &u32| json!({"stream_ref": stream_ref, "delay": UNKNOWN});
    let delays: Vec<Value> = streams.iter().map(unknown).collect();
    json!({"alignment_events": [], "device_delays": delays})
}

/// `times` of a stream.
pub fn times(stream_ref: u32, samples: &[Timed]) -> Ask {
    let samples: Vec<Value> = samples.iter().map(Timed::value).collect();
    Ask::times(stream_ref, &samples)
}

/// A sample of `times`, as far as it is judged.
#[derive(Clone, Debug)]
pub struct Timed {
    members: Map<String, Value>,
}

/// A sample by its stamp and what its basis makes of it, ns both.
pub fn sample(stamp: u64, time: u64, basis: &str) -> Timed {
    let timed = stamped(stamp)
        .with("time", json!(Decimal(time)))
        .with("basis", json!(basis));
    match basis {
        // Its own reasons may stand there, and need not.
        "degraded" => timed,
        _ => timed.reasons(&[]),
    }
}

/// A sample by its stamp, whose basis and time are not judged.
pub fn stamped(stamp: u64) -> Timed {
    Timed {
        members: Map::new(),
    }
    .with("monotonic_timestamp_ns", json!(Decimal(stamp)))
    .uncertainty(stated())
    .source(Value::Null)
    .delay(json!(UNKNOWN))
}

impl Timed {
    fn with(mut self, name: &str, member: Value) -> Self {
        self.members.insert(name.to_owned(), member);
        self
    }

    fn value(&self) -> Value {
        Value::Object(self.members.clone())
    }

    /// With this uncertainty of its time.
    pub fn uncertainty(self, uncertainty: Value) -> Self {
        self.with("uncertainty", uncertainty)
    }

    /// With this of its source stamp.
    pub fn source(self, source: Value) -> Self {
        self.with("source", source)
    }

    /// With these reasons, whatever the basis.
    pub fn degraded(self, degraded: Value) -> Self {
        self.with("degraded", degraded)
    }

    /// With the reasons of these intervals, as its basis has them.
    pub fn reasons(self, reasons: &[&str]) -> Self {
        let basis = self.members.get("basis").and_then(Value::as_str);
        let degraded = degraded(basis.unwrap_or_default(), reasons);
        self.degraded(degraded)
    }

    /// With this device delay.
    pub fn delay(self, delay: Value) -> Self {
        self.with("device_delay", delay)
    }
}

/// A message of `state_at` or `window` with the reasons of these intervals.
pub fn reasoned(mut message: Value, reasons: &[&str]) -> Value {
    let basis = message.get("basis").and_then(Value::as_str);
    let degraded = degraded(basis.unwrap_or_default(), reasons);
    if let Value::Object(members) = &mut message {
        members.insert("degraded".to_owned(), degraded);
    }
    message
}

/// `degraded` of a basis, where intervals of these reasons hold the stamp: a
/// reader's own reasons stand beside them where the mapping is poor or missing.
fn degraded(basis: &str, reasons: &[&str]) -> Value {
    match (basis, reasons) {
        ("exact" | "ok", []) => json!([]),
        ("exact" | "ok", reasons) => json!({ "$set": reasons }),
        ("unmapped", []) => json!({"$contains": [{"$not": {"$absent": true}}]}),
        (_, reasons) => json!({ "$contains": reasons }),
    }
}

/// The reason of no interval stands there.
pub fn without(reason: &str) -> Value {
    json!({"$not": {"$contains": [reason]}})
}

/// A source stamp, and what its device's line makes of it, ns both.
pub fn source(stamp: u64, time: u64, basis: &str) -> Value {
    json!({
        "timestamp_ns": Decimal(stamp),
        "basis": basis,
        "time": Decimal(time),
        "uncertainty": stated(),
    })
}

/// A source stamp, its mapping not judged.
pub fn raw_source(stamp: u64) -> Value {
    json!({"timestamp_ns": Decimal(stamp)})
}

/// This total, or the statement that none is given, which is always right.
pub fn total(low: Value, high: Value) -> Value {
    json!({"$one_of": ["cannot", {"low": low, "high": high}]})
}

/// A total of these figures, ns.
pub fn figures(low: u64, high: u64) -> Value {
    total(json!(Decimal(low)), json!(Decimal(high)))
}

/// An uncertainty, whatever it is: that none is given has to be said.
fn stated() -> Value {
    json!({"$not": {"$absent": true}})
}

/// A figure of this or more, ns.
pub fn at_least(bound: u64) -> Value {
    json!({"$at_least": Decimal(bound)})
}

/// Any figure, or none.
pub fn any_bound() -> Value {
    json!({"$one_of": [UNBOUNDED, at_least(0)]})
}
