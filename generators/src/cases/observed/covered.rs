//! Item 22: which streams an event covers, whatever their mapping (§10.11).
//!
//! The streams are those of `counted.rs`; but for the last case no mapping here
//! is by a trigger, so that none states an event.

use ca3_spec::kind::Kind::DelayDoubleCounted;
use ca3_wire::records::{ClockDomain, Stream};
use serde_json::json;

use super::super::Page;
use super::counted::{BY_STREAM, Held, ONCE, camera_delay, reported};
use super::delays::{Drawn, calibrated, drawn};
use super::triggers::{event, trigger};
use super::{AMPLIFIER, CAMERA, LABEL, camera, camera_line, one_way, peer, signed};
use crate::Ask;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{
    Event, Observation, Plan, TimeMessage, described, observations, stream, time_schema,
};
use crate::verifying::{applied, delay, delays, delays_of, device_sample, unknown, verifications};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        of_other_streams(page),
        by_round_trips(page),
        from_content(page),
        of_one_stream_of_two(page),
        behind_everything(page),
        four_sights(page),
        observed_otherwise(page),
    ]
}

/// A flash that the host and the peer saw, and the camera where it is said so:
/// half a second before the camera's message on its own clock.
fn flash(d: Drawn, kind: u32, camera_saw: bool) -> Event {
    let at = d.source - 500_000_000;
    let mut saw = vec![(1, at + d.offset, 0), (5, at + 77, 400)];
    if camera_saw {
        saw.push((2, at, 5_000_000));
    }
    event(1, kind, &saw, 0)
}

/// The event of a file that the camera did not see becomes one that it saw.
fn seen_by_the_camera(plan: Plan, d: Drawn, kind: u32) -> Plan {
    // Chunk 1 holds the delay.
    plan.edit_chunk(
        "Chunk 2",
        "message[0].payload",
        "the event was seen by stream 2 as well, and no mapping states it",
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                message.payload = flash(d, kind, true).payload();
            }
        },
    )
}

/// The delay is applied under this mapping and beside an event of other
/// streams, and reported once the event covers stream 2.
fn covering(
    page: &Page,
    [name, rule, title]: [&str; 3],
    kind: u32,
    mapping: impl Fn(ClockDomain) -> ClockDomain,
) -> Draft {
    let v = page.values(name);
    let d = drawn(&v);
    let valid = Held {
        streams: vec![peer(5)],
        delays: vec![camera_delay(d)],
        events: vec![flash(d, kind, false)],
        domains: vec![mapping(camera_line(signed(d.offset)))],
    }
    .file(&v, d);
    let invalid = seen_by_the_camera(valid.clone(), d, kind);
    Draft::new(name, &[rule], title)
        .readings(ONCE)
        .valid_asked(
            valid,
            vec![Ask::times(2, &[d.sample(signed(d.delay), true)])],
        )
        .invalid_asked(invalid, reported(d, 2))
}

fn of_other_streams(page: &Page) -> Draft {
    covering(
        page,
        [
            "event-of-other-streams",
            "CA3-10.11-03",
            "an event that other streams saw leaves the delay in force; one that stream 2 saw does not",
        ],
        0,
        |line| ClockDomain { method: 1, ..line },
    )
}

fn by_round_trips(page: &Page) -> Draft {
    covering(
        page,
        [
            "under-round-trips",
            "CA3-10.11-05",
            "the camera's mapping is by round trips: an event that it saw covers it all the same",
        ],
        0,
        |line| ClockDomain {
            method: 2,
            min_rtt_present: 1,
            min_rtt_ns: 400,
            bias_low_ns: 200,
            bias_high_ns: 200,
            ..line
        },
    )
}

fn from_content(page: &Page) -> Draft {
    covering(
        page,
        [
            "event-from-content",
            "CA3-10.11-05",
            "an event derived from content covers the streams that it names as any other does",
        ],
        1,
        |line| line,
    )
    .readings(&[
        "G01", "G06", "G18", "G62", "G63", "G64", "G121", "G122", "G123", "G133",
    ])
}

/// The event names one of the camera's two streams, and no mapping covers the
/// other: there the delay is in force.
fn of_one_stream_of_two(page: &Page) -> Draft {
    let v = page.values("the-other-of-two-streams");
    let d = drawn(&v);
    let by = signed(d.delay);
    let delays = vec![calibrated(1, 6, by)];
    Draft::new(
        "the-other-of-two-streams",
        &["CA3-10.11-03"],
        "an event that one stream of a camera saw: under no trigger, the other's delay is in force",
    )
    .readings(BY_STREAM)
    .valid_asked(
        Held {
            streams: vec![peer(5), camera(6)],
            delays,
            events: vec![flash(d, 0, true)],
            domains: vec![camera_line(signed(d.offset))],
        }
        .file(&v, d)
        .chunk(d.chunk(6)),
        vec![
            Ask::times(6, &[d.sample(by, true)]),
            Ask::times(2, &[d.unknown()]),
        ],
    )
    .wrong_answer("an event of one stream covers the whole device, or is reported beside any delay")
}

/// The event is the last message of the file, and holds for all of it.
fn behind_everything(page: &Page) -> Draft {
    let name = "event-at-the-end";
    let v = page.values(name);
    let d = drawn(&v);
    let held = |camera_saw: bool| Held {
        streams: vec![peer(5)],
        delays: vec![camera_delay(d)],
        events: vec![flash(d, 0, camera_saw)],
        domains: vec![camera_line(signed(d.offset))],
    };
    // Chunk 2 holds the event, Chunk 3 the camera's message.
    let last = |plan: Plan| plan.move_behind("Chunk 2", "Chunk 3").as_valid();
    let valid = last(held(false).file(&v, d));
    let invalid = seen_by_the_camera(valid.clone(), d, 0);
    Draft::new(
        name,
        &["CA3-10.11-05"],
        "the event stands behind the messages of the stream that it covers: it covers them",
    )
    .readings(ONCE)
    .valid_asked(
        valid,
        vec![Ask::times(2, &[d.sample(signed(d.delay), true)])],
    )
    .invalid_asked(invalid, reported(d, 2))
}

/// Four streams saw one flash, each as surely as it could; camera and amplifier
/// are mapped by it, and have a delay each.
fn four_sights(page: &Page) -> Draft {
    let name = "four-sights-two-delays";
    let v = page.values(name);
    let d = drawn(&v);
    let by = signed(d.delay);
    let at = d.source - 500_000_000;
    // The amplifier's clock is 5 ms behind the camera's.
    let apart = 5_000_000;
    let saw = [
        (2, at, 33_000_000),
        (6, at - apart, 250_000),
        (5, at + 77, 500),
        (1, at + d.offset, 1_000),
    ];
    let amplifier = Stream {
        source_clock_domain: AMPLIFIER.to_owned(),
        ..stream(6)
    };
    let offset = d.offset + apart;
    let of_camera = trigger((CAMERA, 0), signed(d.offset), at, [0, 1], 33_001_000);
    let of_amplifier = trigger((AMPLIFIER, 0), signed(offset), at - apart, [0, 1], 251_000);
    let valid = Held {
        streams: vec![peer(5), amplifier],
        delays: vec![calibrated(1, 0, by), calibrated(2, 0, 3 * by)],
        events: vec![event(1, 0, &saw, 0)],
        domains: vec![of_camera, of_amplifier],
    }
    .file(&v, d)
    .chunk(d.chunk(6));
    let unstated = valid
        .clone()
        .replace_field(LABEL, "domains[1].observations_stream", &[0; 4])
        .what("ClockBlock: the amplifier's mapping does not say which event it was fitted from");
    let time = d.source + offset;
    let not_applied = applied(3 * by, false);
    let of_6 = device_sample(d.stamp, [d.source, time], "ok", &not_applied);
    let untouched = json!({"samples": [{
        "source": {"$not": {"time": time - 3 * d.delay}},
        "device_delay": {"$not": {"applied": true}},
    }]});
    Draft::new(
        name,
        &["CA3-10.11-01", "CA3-10.11-02"],
        "one event of four sights, two trigger mappings, two delays: none applied; one unstated",
    )
    .readings(&[
        "G01", "G04", "G06", "G18", "G61", "G62", "G63", "G64", "G65", "G121", "G122", "G123",
    ])
    .valid_asked(
        valid,
        vec![
            verifications(&["verified", "verified"]),
            Ask::times(2, &[d.sample(by, false)]),
            Ask::times(6, &[of_6]),
        ],
    )
    .invalid_asked(
        unstated,
        vec![
            Ask::clock(json!({})).surfaces(surface(&[DelayDoubleCounted])),
            Ask::times(6, &[]).surfaces(surface(&[DelayDoubleCounted]).result(untouched)),
        ],
    )
}

/// The mapping names its observations, which are no event.
fn observed_otherwise(page: &Page) -> Draft {
    let name = "mapping-with-observations";
    let v = page.values(name);
    let d = drawn(&v);
    let by = signed(d.delay);
    let seen = [d.source - 900_000_000, d.source].map(|source_ns| Observation {
        source_ns,
        sent_ns: None,
        receipt_ns: source_ns + d.offset,
    });
    let mapping = ClockDomain {
        reference_source_ns: d.source - 900_000_000,
        observation_count: 2,
        observations_stream: 6,
        ..one_way(camera_line(signed(d.offset)))
    };
    let valid = Held {
        streams: vec![peer(5)],
        delays: vec![camera_delay(d)],
        events: vec![flash(d, 0, false)],
        domains: vec![mapping],
    }
    .file(&v, d)
    .schema(time_schema(3, TimeMessage::ClockObservation))
    .stream(described(6, 3))
    .chunk(observations(6, &seen));
    let invalid = seen_by_the_camera(valid.clone(), d, 0);
    let carried = [1, 2, 3, 4, 5, 6].map(|stream_ref| match stream_ref {
        2 => (2, delay(by, true)),
        other => (other, unknown()),
    });
    let mut asks = reported(d, 2);
    // What is reported about it does not make the firmware another.
    asks.push(
        Ask::clock(json!({})).surfaces(surface(&[DelayDoubleCounted]).result(delays_of(&carried))),
    );
    Draft::new(
        name,
        &["CA3-10.11-05", "CA3-10.11-02"],
        "a one-way mapping that names its observations states no event: a delay beside one is reported",
    )
    .readings(&[
        "G01", "G04", "G05", "G06", "G18", "G61", "G62", "G63", "G64", "G121", "G122", "G123",
    ])
    .valid_asked(
        valid,
        vec![Ask::times(2, &[d.sample(by, true)]), delays(&carried)],
    )
    .invalid_asked(invalid, asks)
}
