//! Item 22: a trigger mapping and a delay of the same stream, in all the ways in
//! which a file can carry them (§10.11).
//!
//! Stream 1 is the recording host's own, stream 2 a camera's, stream 3 carries
//! the delays and stream 4 the events. What the camera stamps lies a drawn
//! offset before the host's clock, by the flash that both saw: its lag is part
//! of that offset, and a time from which the lag is taken off once more is off
//! by it.

use ca3_spec::kind::Kind::DelayDoubleCounted;
use ca3_wire::records::{ClockDomain, Stream};
use serde_json::{Value, json};

use super::super::{Page, plan};
use super::delays::{self, DEVICES, Drawn, calibrated, drawn};
use super::triggers::{self, event, trigger};
use super::{
    AMPLIFIER, CAMERA, LABEL, PEER, block_of, camera, camera_line, mapped_as, peer, session_of,
    signed,
};
use crate::asking::in_force;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Delay, Event, Plan, TimeMessage, described, stream, time_schema};
use crate::verifying::{applied, delays_of, host_sample, unknown};
use crate::{Ask, Values};

/// What the cases of this item rest on.
pub(super) const ONCE: &[&str] = &[
    "G01", "G06", "G18", "G62", "G63", "G64", "G121", "G122", "G123",
];

/// And those in which an event names one stream of several.
pub(super) const BY_STREAM: &[&str] = &[
    "G01", "G06", "G18", "G62", "G63", "G64", "G121", "G122", "G123", "G134",
];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        stated(page),
        without_an_event(page),
        delay_alone(page),
        event_alone(page),
        two_events(page),
        sibling(page),
        of_a_peer(page),
    ]
}

/// What a file of this item holds: streams besides 1 to 4, the delays, the
/// events, and the mappings.
#[derive(Default)]
pub(super) struct Held {
    pub(super) streams: Vec<Stream>,
    pub(super) delays: Vec<Delay>,
    pub(super) events: Vec<Event>,
    pub(super) domains: Vec<ClockDomain>,
}

impl Held {
    /// The file, with the camera's message; stream 3 and 4 stand where there is
    /// something for them to carry.
    pub(super) fn file(&self, v: &Values, d: Drawn) -> Plan {
        let mut file = plan(v)
            .session(session_of(v, DEVICES))
            .stream(stream(1))
            .stream(camera(2));
        if !self.delays.is_empty() {
            file = file
                .schema(time_schema(1, TimeMessage::DeviceDelay))
                .stream(described(3, 1))
                .chunk(delays::chunk_of(3, &self.delays));
        }
        if !self.events.is_empty() {
            file = file
                .schema(time_schema(2, TimeMessage::AlignmentEvent))
                .stream(described(4, 2))
                .chunk(triggers::chunk_of(4, &self.events));
        }
        self.streams
            .iter()
            .cloned()
            .fold(file, Plan::stream)
            .chunk(d.chunk(2))
            .clock_block(&block_of(&self.domains))
    }
}

/// When the camera saw the first flash, on its own clock: half a second before
/// the message.
fn first_flash(d: Drawn) -> u64 {
    d.source - 500_000_000
}

/// A flash that camera and host saw, to 5 ms and to nothing.
pub(super) fn flash(d: Drawn) -> Event {
    let at = first_flash(d);
    event(1, 0, &[(2, at, 5_000_000), (1, at + d.offset, 0)], 0)
}

/// The camera's clock by that flash, which it states.
pub(super) fn by_flash(d: Drawn) -> ClockDomain {
    trigger(
        (CAMERA, 0),
        signed(d.offset),
        first_flash(d),
        [0, 1],
        5_000_000,
    )
}

/// `clock` says how long the delay is that stream 2 has.
fn carried(d: Drawn, streams: &[u32]) -> Ask {
    let of = |stream_ref: &u32| match stream_ref {
        2 => (2, json!({"delay_ns": signed(d.delay).to_string()})),
        other => (*other, unknown()),
    };
    let of: Vec<(u32, Value)> = streams.iter().map(of).collect();
    Ask::clock(delays_of(&of))
}

/// Both operations report the file, and nothing is taken off this stream of the camera's.
pub(super) fn reported(d: Drawn, stream_ref: u32) -> Vec<Ask> {
    let twice = d.mapped() - d.delay;
    let untouched = json!({"samples": [{
        "time": d.stamp,
        "source": {"$not": {"time": twice}},
        "device_delay": {"$not": {"applied": true}},
    }]});
    vec![
        Ask::clock(json!({})).surfaces(surface(&[DelayDoubleCounted])),
        Ask::times(stream_ref, &[]).surfaces(surface(&[DelayDoubleCounted]).result(untouched)),
    ]
}

/// The delay of the camera's stream.
pub(super) fn camera_delay(d: Drawn) -> Delay {
    calibrated(1, 2, signed(d.delay))
}

/// The camera's mapping by its flash, which it states, and the camera's delay.
pub(super) fn by_its_flash(v: &Values, d: Drawn) -> Plan {
    Held {
        delays: vec![camera_delay(d)],
        events: vec![flash(d)],
        domains: vec![by_flash(d)],
        ..Held::default()
    }
    .file(v, d)
}

/// The same file, but that its first mapping states no event.
fn unstated(valid: &Plan) -> Plan {
    valid
        .clone()
        .replace_field(LABEL, "domains[0].observations_stream", &[0; 4])
        .what("ClockBlock: the trigger mapping does not say which event it was fitted from")
}

fn stated(page: &Page) -> Draft {
    let name = "trigger-with-its-statement";
    let v = page.values(name);
    let d = drawn(&v);
    let valid = by_its_flash(&v, d);
    let unstated = unstated(&valid);
    Draft::new(
        name,
        &["CA3-10.11-01", "CA3-10.11-02"],
        "a trigger mapping that states its event, and a delay: not applied; unstated, it is reported",
    )
    .readings(ONCE)
    .valid_asked(
        valid,
        vec![
            Ask::times(2, &[d.sample(signed(d.delay), false)]),
            carried(d, &[1, 2, 3, 4]),
        ],
    )
    .invalid_asked(unstated, reported(d, 2))
}

/// The event is not in the file at all.
fn without_an_event(page: &Page) -> Draft {
    let name = "trigger-without-any-event";
    let v = page.values(name);
    let d = drawn(&v);
    let valid = Held {
        delays: vec![camera_delay(d)],
        domains: vec![camera_line(signed(d.offset))],
        ..Held::default()
    }
    .file(&v, d);
    let by_trigger = ClockDomain {
        observations_stream: 0,
        ..by_flash(d)
    };
    let invalid = mapped_as(
        valid.clone(),
        &by_trigger,
        "method",
        "the camera's mapping is by a trigger, of which the file says nothing more",
    );
    Draft::new(
        name,
        &["CA3-10.11-02"],
        "a delay beside a mapping by receipts is applied; beside one by a trigger it is reported",
    )
    .readings(ONCE)
    .valid_asked(
        valid,
        vec![
            Ask::times(2, &[d.sample(signed(d.delay), true)]),
            carried(d, &[1, 2, 3]),
        ],
    )
    .invalid_asked(invalid, reported(d, 2))
}

fn delay_alone(page: &Page) -> Draft {
    let v = page.values("delay-alone");
    let d = drawn(&v);
    let one_way = ClockDomain {
        method: 1,
        ..camera_line(signed(d.offset))
    };
    Draft::new(
        "delay-alone",
        &["CA3-10.11-03"],
        "a delay, no event, and a mapping by one-way arrivals: the delay is applied",
    )
    .readings(ONCE)
    .valid_asked(
        Held {
            delays: vec![camera_delay(d)],
            domains: vec![one_way],
            ..Held::default()
        }
        .file(&v, d),
        vec![
            Ask::times(2, &[d.sample(signed(d.delay), true)]),
            carried(d, &[1, 2, 3]),
        ],
    )
    .wrong_answer("the delay is not applied to any stream of a file with a ClockBlock")
}

fn event_alone(page: &Page) -> Draft {
    let v = page.values("event-alone");
    let d = drawn(&v);
    Draft::new(
        "event-alone",
        &["CA3-10.11-01"],
        "a trigger mapping with its event, and no delay: nothing is taken off, and none is known",
    )
    .readings(ONCE)
    .valid_asked(
        Held {
            events: vec![flash(d)],
            domains: vec![by_flash(d)],
            ..Held::default()
        }
        .file(&v, d),
        vec![
            Ask::times(2, &[d.unknown()]),
            Ask::clock(delays_of(&[(1, unknown()), (2, unknown()), (4, unknown())])),
        ],
    )
    .wrong_answer("the delay is given as 0, or the file is reported")
}

/// Two flashes of one correspondence: whichever it was fitted from, the lag is
/// in it.
fn two_events(page: &Page) -> Draft {
    let name = "two-events";
    let v = page.values(name);
    let d = drawn(&v);
    let at = first_flash(d) + 1_000_000_000;
    let second = event(2, 0, &[(2, at, 5_000_000), (1, at + d.offset, 0)], 0);
    let valid = Held {
        delays: vec![calibrated(1, 0, signed(d.delay))],
        events: vec![flash(d), second],
        domains: vec![trigger(
            (CAMERA, 0),
            signed(d.offset),
            first_flash(d),
            [0, 2],
            5_000_000,
        )],
        ..Held::default()
    }
    .file(&v, d);
    let unstated = unstated(&valid);
    Draft::new(
        name,
        &["CA3-10.11-02"],
        "two events and a delay of the whole device: stated, it is not applied; else it is reported",
    )
    .readings(ONCE)
    .valid_asked(
        valid,
        vec![
            Ask::times(2, &[d.sample(signed(d.delay), false)]),
            carried(d, &[1, 2, 3, 4]),
        ],
    )
    .invalid_asked(unstated, reported(d, 2))
}

/// The mapping covers every stream of the camera's clock, also the one that the
/// event does not name; the amplifier's is covered by neither.
fn sibling(page: &Page) -> Draft {
    let v = page.values("sibling-under-the-mapping");
    let d = drawn(&v);
    let by = signed(d.delay);
    let amplifier = Stream {
        source_clock_domain: AMPLIFIER.to_owned(),
        ..stream(6)
    };
    let of_amplifier = ClockDomain {
        domain: AMPLIFIER.to_owned(),
        ..camera_line(signed(d.offset))
    };
    Draft::new(
        "sibling-under-the-mapping",
        &["CA3-10.11-01"],
        "a stream under the trigger mapping that the event does not name: its delay is not applied",
    )
    .readings(BY_STREAM)
    .valid_asked(
        Held {
            streams: vec![camera(5), amplifier],
            delays: vec![calibrated(1, 0, by), calibrated(2, 0, 2 * by)],
            events: vec![flash(d)],
            domains: vec![by_flash(d), of_amplifier],
        }
        .file(&v, d)
        .chunk(d.chunk(5))
        .chunk(d.chunk(6)),
        vec![
            Ask::times(5, &[d.sample(by, false)]),
            Ask::times(2, &[d.sample(by, false)]),
            // Under its own mapping by receipts, with its own delay.
            Ask::times(6, &[d.sample(2 * by, true)]),
        ],
    )
    .wrong_answer("the delay is applied to the stream that the event does not name, or to none")
}

/// A peer host's clock by a trigger: the time that is not touched is `time`.
fn of_a_peer(page: &Page) -> Draft {
    let name = "peer-host-by-a-trigger";
    let v = page.values(name);
    let d = drawn(&v);
    let by = signed(d.delay);
    let at = first_flash(d);
    let saw = [(5, at, 5_000_000), (1, at + d.offset, 0)];
    let of_peer = ClockDomain {
        domain: PEER.to_owned(),
        kind: 1,
        ..by_flash(d)
    };
    let valid = Held {
        streams: vec![peer(5)],
        delays: vec![calibrated(1, 5, by)],
        events: vec![event(1, 0, &saw, 0)],
        domains: vec![of_peer],
    }
    .file(&v, d)
    .chunk(Chunk::plain(5, &[(d.source, b"one")]));
    let unstated = unstated(&valid);
    let untouched = json!({"samples": [{
        "time": {"$not": d.mapped() - d.delay},
        "device_delay": {"$not": {"applied": true}},
    }]});
    Draft::new(
        name,
        &["CA3-10.11-01", "CA3-10.11-02"],
        "a peer host's clock by a trigger, and a delay of its stream: its time is not corrected again",
    )
    .readings(&[
        "G01", "G02", "G06", "G18", "G62", "G63", "G64", "G122", "G123", "G135",
    ])
    .valid_asked(
        valid,
        vec![
            Ask::times(
                5,
                &[host_sample(d.source, "ok", d.mapped(), &applied(by, false))],
            ),
            Ask::state_of(
                d.mapped(),
                &[5],
                &[in_force(5, "ok", d.source, d.mapped(), b"one")],
            ),
        ],
    )
    .invalid_asked(
        unstated,
        vec![
            Ask::clock(json!({})).surfaces(surface(&[DelayDoubleCounted])),
            Ask::times(5, &[]).surfaces(surface(&[DelayDoubleCounted]).result(untouched)),
        ],
    )
}
