//! What the operations of level 3 give back, as `spec/protocol.md` spells it.

use ca3_spec::protocol::{Decimal, Report};
use ca3_wire::records::{ClockBlock, ClockDomain, DegradedInterval};
use serde::{Serialize, Serializer};

use super::messages::AlignmentEvent;
use super::uncertainty::{Bound, Total};
use super::verify::Verification;
use crate::l2::results::Basis;

/// A signed integer of 64 bits, as a decimal string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed(pub i64);

impl Serialize for Signed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A value, or the word that stands where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Or<T> {
    /// There is one.
    Value(T),
    /// There is none.
    Word(&'static str),
}

/// The result of `clock`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockResult {
    /// The reference domain (§10.3); null without a ClockBlock.
    pub reference: Option<Reference>,
    /// The mappings, in stored order.
    pub domains: Vec<DomainView>,
    /// In stored order.
    pub degraded_intervals: Vec<IntervalView>,
    /// In file order.
    pub alignment_events: Vec<EventView>,
    /// One a declared stream, ascending.
    pub device_delays: Vec<StreamDelay>,
    /// What is reported without refusing the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// A clock domain of a host (§4.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Reference {
    pub host_id: String,
    pub host_clock_epoch: String,
}

impl Reference {
    pub(crate) fn of(block: &ClockBlock) -> Self {
        Reference {
            host_id: block.reference_host_id.clone(),
            host_clock_epoch: block.reference_host_clock_epoch.clone(),
        }
    }
}

/// A ClockDomain, and what its observations say of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct DomainView {
    #[serde(flatten)]
    pub stored: StoredDomain,
    pub verification: Verification,
}

/// A ClockDomain as stored, absence and sentinels in words (§10.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct StoredDomain {
    pub domain: String,
    pub kind: u8,
    pub method: u8,
    pub quality: u8,
    pub offset_ns: Signed,
    pub skew_ppb: Signed,
    pub reference_source_ns: Decimal,
    pub residual_spread_ns: Decimal,
    /// Null where absent, which 0 is not.
    pub min_rtt_ns: Option<Decimal>,
    pub bias_low_ns: Bound,
    pub bias_high_ns: Bound,
    pub skew_uncertainty_ppb: Or<Decimal>,
    pub observation_count: Decimal,
    pub observations_stream: u32,
    pub estimator_version: u32,
}

impl StoredDomain {
    pub(crate) fn of(domain: &ClockDomain) -> Self {
        StoredDomain {
            domain: domain.domain.clone(),
            kind: domain.kind,
            method: domain.method,
            quality: domain.quality,
            offset_ns: Signed(domain.offset_ns),
            skew_ppb: Signed(domain.skew_ppb),
            reference_source_ns: Decimal(domain.reference_source_ns),
            residual_spread_ns: Decimal(domain.residual_spread_ns),
            // Reading G112: any presence byte but 0 says that it is there.
            min_rtt_ns: (domain.min_rtt_present != 0).then_some(Decimal(domain.min_rtt_ns)),
            bias_low_ns: Bound::of_bias(domain.bias_low_ns),
            bias_high_ns: Bound::of_bias(domain.bias_high_ns),
            skew_uncertainty_ppb: match domain.skew_uncertainty_ppb {
                ClockDomain::SKEW_NOT_ESTIMATED => Or::Word("not-estimated"),
                ppb => Or::Value(Decimal(ppb)),
            },
            observation_count: Decimal(domain.observation_count),
            observations_stream: domain.observations_stream,
            estimator_version: domain.estimator_version,
        }
    }
}

/// A degraded interval as stored (§10.12).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct IntervalView {
    pub stream_ref: u32,
    pub from_ns: Decimal,
    pub to_ns: Decimal,
    pub reason: String,
}

impl From<&DegradedInterval> for IntervalView {
    fn from(interval: &DegradedInterval) -> Self {
        IntervalView {
            stream_ref: interval.stream_ref,
            from_ns: Decimal(interval.from_ns),
            to_ns: Decimal(interval.to_ns),
            reason: interval.reason.clone(),
        }
    }
}

/// An alignment event (§10.10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct EventView {
    pub event_id: u32,
    pub kind: u32,
    pub method: String,
    pub observed_by: String,
    pub observations: Vec<SightView>,
}

/// One stream's sight of an event (§10.10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct SightView {
    pub stream_ref: u32,
    pub stamp_ns: Decimal,
    pub uncertainty_ns: Decimal,
}

impl From<&AlignmentEvent> for EventView {
    fn from(event: &AlignmentEvent) -> Self {
        let sights = event.observations.iter().map(|seen| SightView {
            stream_ref: seen.stream_ref,
            stamp_ns: Decimal(seen.stamp_ns),
            uncertainty_ns: Decimal(seen.uncertainty_ns),
        });
        EventView {
            event_id: event.event_id,
            kind: event.kind,
            method: event.method.clone(),
            observed_by: event.observed_by.clone(),
            observations: sights.collect(),
        }
    }
}

/// The word for what a file does not say.
pub const UNKNOWN: &str = "unknown";
/// The word for a total that is not given.
pub const CANNOT: &str = "cannot";

/// A stream's delay in force (§10.9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamDelay {
    /// The stream.
    pub stream_ref: u32,
    /// Unknown is not zero.
    pub delay: Or<DelayView>,
}

/// A delay as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DelayView {
    /// Positive where the device reports late.
    pub delay_ns: Signed,
    /// Its own uncertainty.
    pub uncertainty_ns: Decimal,
    /// Whether the device has the firmware that it was measured under.
    pub applicable: bool,
}

/// The result of `times`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimesResult {
    /// By stamp; of equal stamps those earlier in the table, then earlier stored.
    pub samples: Vec<SampleTime>,
    /// What is reported without refusing the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// Where a sample lies in the reference domain, beside what was stamped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampleTime {
    /// As stored.
    pub monotonic_timestamp_ns: Decimal,
    /// What `time` rests on.
    pub basis: Basis,
    /// The stamp in the reference domain.
    pub time: Decimal,
    /// How far `time` may be from the truth.
    pub uncertainty: Or<Total>,
    /// The device's own stamp, carried there by itself.
    pub source: Option<SourceTime>,
    /// Why the time is not to be relied on.
    pub degraded: Vec<String>,
    /// The delay of the device, and whether it was taken off.
    pub device_delay: Or<AppliedDelay>,
}

/// A device's own stamp in the reference domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceTime {
    /// As stored.
    pub timestamp_ns: Decimal,
    /// What `time` rests on.
    pub basis: Basis,
    /// The stamp in the reference domain.
    pub time: Decimal,
    /// How far `time` may be from the truth.
    pub uncertainty: Or<Total>,
}

/// A delay, and whether it was taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedDelay {
    /// As stored.
    pub delay_ns: Signed,
    /// Taken off a time of this sample.
    pub applied: bool,
}
