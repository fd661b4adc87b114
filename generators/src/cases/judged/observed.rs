//! Mappings beside their observations, and delays beside events (§10.5, §10.7,
//! §10.9 to §10.11).

use ca3_wire::records::{ClockDomain, Device, Schema, Session, Stream};

use super::super::mapping::block_of;
use super::super::{Page, plan};
use super::judged;
use crate::plan::{
    Chunk, Decoded, Delay, Event, Observation, Plan, Sample, Sight, TimeMessage, described, stream,
    time_schema,
};
use crate::{Draft, Finding, Values};

const BLOCK: &str = "ClockBlock";
/// The chunk of messages of `ca3.time.v1`, behind the device's own.
const CARRIER: &str = "Chunk 2";

/// Stream 1 of the device `dev`, with a chunk.
fn with_device(v: &Values) -> Plan {
    let sample = Sample::new(Decoded::at(2_000).source(500), b"one");
    plan(v)
        .stream(Stream {
            source_clock_domain: "dev".to_owned(),
            ..stream(1)
        })
        .chunk(Chunk::of(1, &[sample]))
}

/// A stream of messages of `ca3.time.v1`, and one chunk of them. What says which
/// they are is the schema's name: its descriptor is left out (reading G128).
fn carrying(plan: Plan, stream_ref: u32, message: TimeMessage, payloads: &[Vec<u8>]) -> Plan {
    let samples: Vec<Sample> = (0u64..)
        .zip(payloads)
        .map(|(place, payload)| Sample::new(Decoded::at(2_000 + place), payload))
        .collect();
    plan.schema(Schema {
        descriptor: Vec::new(),
        ..time_schema(stream_ref, message)
    })
    .stream(described(stream_ref, stream_ref))
    .chunk(Chunk::of(stream_ref, &samples))
}

/// Four observations a millisecond apart, each received the same while after it was
/// made: on one line, without a slope.
struct Observed {
    first_ns: u64,
    /// From the device's stamp to the receipt.
    delta_ns: u64,
}

/// Nanoseconds from asking to receiving.
const ROUND_TRIP: u64 = 80;

impl Observed {
    fn of(v: &Values) -> Self {
        Observed {
            first_ns: v.u64("first_source_ns", 1_000_000, 1..=1_000_000_000),
            delta_ns: v.u64("receipt_less_source_ns", 5_040, 1_000..=1_000_000),
        }
    }

    /// The observation at a place, sent ahead of its receipt or not at all.
    fn payload(&self, place: u64, sent: bool) -> Vec<u8> {
        let source = self.first_ns + place * 1_000_000;
        let receipt = source + self.delta_ns;
        let observation = Observation {
            source_ns: source,
            sent_ns: sent.then_some(receipt - ROUND_TRIP),
            receipt_ns: receipt,
        };
        observation.payload()
    }

    fn payloads(&self, sent: bool) -> Vec<Vec<u8>> {
        (0..4).map(|place| self.payload(place, sent)).collect()
    }

    /// The mapping by one-way filter: the least delta, and it is always the same.
    fn one_way(&self) -> ClockDomain {
        ClockDomain {
            domain: "dev".to_owned(),
            method: 1,
            quality: 2,
            offset_ns: i64::try_from(self.delta_ns).unwrap_or(i64::MAX),
            reference_source_ns: self.first_ns,
            bias_low_ns: u64::MAX,
            skew_uncertainty_ppb: u64::MAX,
            observation_count: 4,
            observations_stream: 2,
            estimator_version: 1,
            ..ClockDomain::default()
        }
    }

    /// The mapping by round trips of 80 ns: each began 80 ns before its receipt, so
    /// the device stamped it 40 ns before. Of the slope's uncertainty: the first and
    /// the third observation, each the shortest of its half, are 2 ms apart, and
    /// (40 + 40) * 10^9 / 2000000 = 40000.
    fn round_trip(&self) -> ClockDomain {
        ClockDomain {
            method: 2,
            offset_ns: i64::try_from(self.delta_ns - ROUND_TRIP / 2).unwrap_or(i64::MAX),
            min_rtt_present: 1,
            min_rtt_ns: ROUND_TRIP,
            bias_low_ns: ROUND_TRIP / 2,
            bias_high_ns: ROUND_TRIP / 2,
            skew_uncertainty_ppb: 40_000,
            ..self.one_way()
        }
    }
}

pub(super) fn method(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.5-05";
    let name = "round-trips-unused";
    let v = page.values(name);
    let observed = Observed::of(&v);
    let file = carrying(
        with_device(&v),
        2,
        TimeMessage::ClockObservation,
        &observed.payloads(true),
    );
    vec![judged(
        name,
        RULE,
        "every observation is a round trip, and the mapping is a one-way filter's",
        file.clock_block(&block_of(&[observed.round_trip()])),
        |plan| {
            let block = block_of(&[observed.one_way()]);
            let what = "the mapping is what a one-way filter makes of them";
            plan.rewrite(BLOCK, &block, "domains[0].method", what)
        },
        Finding::error(RULE).at(BLOCK).evidence(2, 1),
    )]
}

pub(super) fn observations(page: &Page) -> Vec<Draft> {
    const AGREES: &str = "CA3-10.7-03";
    let one_way = |name: &str| {
        let v = page.values(name);
        let observed = Observed::of(&v);
        carrying(
            with_device(&v),
            2,
            TimeMessage::ClockObservation,
            &observed.payloads(false),
        )
        .clock_block(&block_of(&[observed.one_way()]))
    };
    let sloped = judged(
        "skew-of-no-slope",
        AGREES,
        "observations lie on a line without a slope, and a skew of 1000 ppb is stated",
        one_way("skew-of-no-slope"),
        |plan| plan.replace_field(BLOCK, "domains[0].skew_ppb", &1_000i64.to_le_bytes()),
        Finding::error(AGREES).at(BLOCK).evidence(0, 1_000),
    );
    let counted = judged(
        "count-of-five",
        AGREES,
        "there are four observations, and observation_count is 5",
        one_way("count-of-five"),
        |plan| plan.replace_field(BLOCK, "domains[0].observation_count", &5u64.to_le_bytes()),
        Finding::error(AGREES).at(BLOCK).evidence(4, 5),
    );
    vec![sloped, counted, not_sent(page)]
}

fn not_sent(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.7-06";
    let name = "round-trip-not-sent";
    let v = page.values(name);
    let observed = Observed::of(&v);
    let file = carrying(
        with_device(&v),
        2,
        TimeMessage::ClockObservation,
        &observed.payloads(true),
    );
    let without = observed.payload(2, false);
    judged(
        name,
        RULE,
        "a mapping by round trips, and one of its observations has no sent_ns",
        file.clock_block(&block_of(&[observed.round_trip()])),
        |plan| {
            let what = "the third observation has no sent_ns";
            plan.edit_chunk(CARRIER, "", what, |chunk| {
                if let Some(message) = chunk.at(2) {
                    message.payload = without;
                }
            })
        },
        Finding::error(RULE).at(BLOCK),
    )
}

/// A delay of 5 ms of device 1, for all of its streams.
fn delay() -> Delay {
    Delay {
        device_ref: 1,
        delay_ns: 5_000_000,
        uncertainty_ns: 100_000,
        ..Delay::default()
    }
}

/// The same with how, when and by whom it was obtained.
fn stated_delay() -> Delay {
    Delay {
        method: "photodiode beside the lens".to_owned(),
        measured_unix_ns: 1_700_000_000_000_000_000,
        measured_by: "the lab".to_owned(),
        ..delay()
    }
}

fn session() -> Session {
    Session {
        session_id: "session-1".to_owned(),
        devices: vec![Device {
            device_ref: 1,
            kind: "camera".to_owned(),
            clock_domain: "dev".to_owned(),
            ..Device::default()
        }],
        ..Session::default()
    }
}

pub(super) fn provenance(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.9-06";
    let name = "delay-of-nobody";
    let file = with_device(&page.values(name)).session(session());
    vec![judged(
        name,
        RULE,
        "a delay of 5 ms that says neither how nor when nor by whom it was obtained",
        carrying(
            file,
            2,
            TimeMessage::DeviceDelay,
            &[stated_delay().payload()],
        ),
        |plan| {
            let what = "method, measured_unix_ns and measured_by are left out";
            plan.edit_chunk(CARRIER, "", what, |chunk| {
                if let Some(message) = chunk.at(0) {
                    message.payload = delay().payload();
                }
            })
        },
        Finding::warning(RULE).at(CARRIER).stream(2),
    )]
}

/// An event that streams observed at these stamps, each within 1 us.
fn event(seen: &[(u32, u64)]) -> Vec<u8> {
    let sight = |&(stream_ref, stamp_ns): &(u32, u64)| Sight {
        stream_ref,
        stamp_ns,
        uncertainty_ns: 1_000,
    };
    let event = Event {
        event_id: 1,
        kind: 0,
        method: "flash".to_owned(),
        observed_by: "the operator".to_owned(),
        observations: seen.iter().map(sight).collect(),
    };
    event.payload()
}

pub(super) fn observers(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.10-02";
    let name = "observed-by-no-stream";
    let file = with_device(&page.values(name)).stream(stream(3));
    let seen_by = |third| event(&[(1, 500), (2, 2_000), (third, 2_001)]);
    vec![judged(
        name,
        RULE,
        "one of the three observations of an event is of a stream that nothing declares",
        carrying(file, 2, TimeMessage::AlignmentEvent, &[seen_by(3)]),
        |plan| {
            let what = "the third observation is of stream 9";
            plan.edit_chunk(CARRIER, "", what, |chunk| {
                if let Some(message) = chunk.at(0) {
                    message.payload = seen_by(9);
                }
            })
        },
        Finding::error(RULE).at(CARRIER),
    )]
}

pub(super) fn once(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.11-04";
    let name = "delay-beside-a-trigger";
    // The device saw the flash at 500, the reference at 2000; both within 1 us.
    let trigger = ClockDomain {
        domain: "dev".to_owned(),
        method: 3,
        quality: 2,
        offset_ns: 1_500,
        reference_source_ns: 500,
        min_rtt_present: 1,
        bias_low_ns: 2_000,
        bias_high_ns: 2_000,
        skew_uncertainty_ppb: u64::MAX,
        observation_count: 1,
        observations_stream: 3,
        estimator_version: 1,
        ..ClockDomain::default()
    };
    let file = with_device(&page.values(name)).session(session());
    let delayed = carrying(
        file,
        2,
        TimeMessage::DeviceDelay,
        &[stated_delay().payload()],
    );
    vec![judged(
        name,
        RULE,
        "a delay stands beside a trigger mapping that names no event",
        carrying(
            delayed,
            3,
            TimeMessage::AlignmentEvent,
            &[event(&[(1, 500), (2, 2_000)])],
        )
        .clock_block(&block_of(&[trigger])),
        |plan| {
            let field = "domains[0].observations_stream";
            plan.replace_field(BLOCK, field, &0u32.to_le_bytes())
        },
        Finding::error(RULE).at(BLOCK).at(CARRIER),
    )]
}
