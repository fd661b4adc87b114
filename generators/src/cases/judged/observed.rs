//! Mappings beside their observations, and delays beside events (§10.5, §10.7,
//! §10.9 to §10.11).

use ca3_wire::records::{ClockBlock, ClockDomain, Device, Schema, Session, Stream};

use super::super::{Page, plan};
use super::judged;
use crate::plan::{Chunk, Decoded, EPOCH, HOST, Plan, Sample, stream};
use crate::{Draft, Finding, Values};

const BLOCK: &str = "ClockBlock";
/// The chunk of messages of `ca3.time.v1`, behind the device's own.
const CARRIER: &str = "Chunk 2";

/// Fields of messages of `ca3.time.v1`, as protobuf has them.
mod coded {
    use crate::plan::varint;

    pub(super) fn fixed64(number: u8, value: u64) -> Vec<u8> {
        [&[number << 3 | 1][..], &value.to_le_bytes()].concat()
    }

    pub(super) fn number(field: u8, value: u64) -> Vec<u8> {
        [vec![field << 3], varint(value)].concat()
    }

    pub(super) fn bytes(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        [&[number << 3 | 2][..], &varint(length), bytes].concat()
    }
}

fn time_schema(schema_ref: u32, message: &str) -> Schema {
    Schema {
        schema_ref,
        schema_id: format!("ca3.time.v1.{message}"),
        encoding: "protobuf".to_owned(),
        descriptor: Vec::new(),
    }
}

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

/// A stream of messages of `ca3.time.v1`, and one chunk of them.
fn carrying(plan: Plan, stream_ref: u32, message: &str, payloads: &[Vec<u8>]) -> Plan {
    let samples: Vec<Sample> = (0u64..)
        .zip(payloads)
        .map(|(place, payload)| Sample::new(Decoded::at(2_000 + place), payload))
        .collect();
    plan.schema(time_schema(stream_ref, message))
        .stream(Stream {
            schema_ref: stream_ref,
            ..stream(stream_ref)
        })
        .chunk(Chunk::of(stream_ref, &samples))
}

fn block_of(domain: ClockDomain) -> ClockBlock {
    ClockBlock {
        reference_host_id: HOST.to_owned(),
        reference_host_clock_epoch: EPOCH.to_owned(),
        domains: vec![domain],
        degraded_intervals: Vec::new(),
    }
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
        let mut payload = [coded::fixed64(1, source), coded::fixed64(2, receipt)].concat();
        if sent {
            payload.extend(coded::fixed64(3, receipt - ROUND_TRIP));
        }
        payload
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

const OBSERVATION: &str = "ClockObservation";

pub(super) fn method(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.5-05";
    let name = "round-trips-unused";
    let v = page.values(name);
    let observed = Observed::of(&v);
    let file = carrying(with_device(&v), 2, OBSERVATION, &observed.payloads(true));
    vec![judged(
        name,
        RULE,
        "every observation is a round trip, and the mapping is a one-way filter's",
        file.clock_block(&block_of(observed.round_trip())),
        |plan| {
            let block = block_of(observed.one_way());
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
        carrying(with_device(&v), 2, OBSERVATION, &observed.payloads(false))
            .clock_block(&block_of(observed.one_way()))
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
    let file = carrying(with_device(&v), 2, OBSERVATION, &observed.payloads(true));
    let without = observed.payload(2, false);
    judged(
        name,
        RULE,
        "a mapping by round trips, and one of its observations has no sent_ns",
        file.clock_block(&block_of(observed.round_trip())),
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

const DELAY: &str = "DeviceDelay";

/// A delay of 5 ms of device 1, for all of its streams.
fn delay() -> Vec<u8> {
    [
        coded::number(1, 1),
        // sint64: 5000000 doubled.
        coded::number(3, 10_000_000),
        coded::fixed64(4, 100_000),
    ]
    .concat()
}

/// The same with how, when and by whom it was obtained.
fn stated_delay() -> Vec<u8> {
    [
        delay(),
        coded::bytes(5, b"photodiode beside the lens"),
        coded::fixed64(6, 1_700_000_000_000_000_000),
        coded::bytes(7, b"the lab"),
    ]
    .concat()
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
        carrying(file, 2, DELAY, &[stated_delay()]),
        |plan| {
            let what = "method, measured_unix_ns and measured_by are left out";
            plan.edit_chunk(CARRIER, "", what, |chunk| {
                if let Some(message) = chunk.at(0) {
                    message.payload = delay();
                }
            })
        },
        Finding::warning(RULE).at(CARRIER).stream(2),
    )]
}

const EVENT: &str = "AlignmentEvent";

/// An event that streams observed at these stamps, each within 1 us.
fn event(seen: &[(u64, u64)]) -> Vec<u8> {
    let seen = seen.iter().flat_map(|(stream_ref, stamp_ns)| {
        let seen = [
            coded::number(1, *stream_ref),
            coded::fixed64(2, *stamp_ns),
            coded::fixed64(3, 1_000),
        ];
        coded::bytes(5, &seen.concat())
    });
    let event = [
        coded::number(1, 1),
        coded::bytes(3, b"flash"),
        coded::bytes(4, b"the operator"),
        seen.collect(),
    ];
    event.concat()
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
        carrying(file, 2, EVENT, &[seen_by(3)]),
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
    let delayed = carrying(file, 2, DELAY, &[stated_delay()]);
    vec![judged(
        name,
        RULE,
        "a delay stands beside a trigger mapping that names no event",
        carrying(delayed, 3, EVENT, &[event(&[(1, 500), (2, 2_000)])])
            .clock_block(&block_of(trigger)),
        |plan| {
            let field = "domains[0].observations_stream";
            plan.replace_field(BLOCK, field, &0u32.to_le_bytes())
        },
        Finding::error(RULE).at(BLOCK).at(CARRIER),
    )]
}
