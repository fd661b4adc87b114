//! What `clock` says of alignment events (§10.10).

use ca3_wire::records::ClockDomain;
use serde_json::{Value, json};

use super::super::{Page, plan};
use super::triggers::{chunk_of, event as seen};
use super::{block_of, camera, camera_line, line, peer, receipt_only, shift_of};
use crate::Ask;
use crate::Draft;
use crate::plan::{Event, Plan, TimeMessage, described, stream, time_schema};
use crate::verifying::event;

const KIND: &str = "CA3-10.10-01";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![kinds(page), four_streams(page), none(page)]
}

/// Streams 1 to 3 and these events on stream 4.
fn file(page: &Page, name: &str, events: &[Event]) -> Plan {
    let v = page.values(name);
    plan(&v)
        .schema(time_schema(1, TimeMessage::AlignmentEvent))
        .stream(stream(1))
        .stream(camera(2))
        .stream(peer(3))
        .stream(described(4, 1))
        .chunk(chunk_of(4, events))
}

/// All that the events say, in file order.
fn told(events: &[Event]) -> Value {
    json!({"alignment_events": events.iter().map(event).collect::<Value>()})
}

/// Four events whose methods say nothing of their kinds.
fn kinds(page: &Page) -> Draft {
    let name = "kind-and-not-method";
    let shift = shift_of(&page.values(name));
    let of = |event_id: u32, kind: u32, method: &str| Event {
        method: method.to_owned(),
        ..seen(event_id, kind, &[(1, 2_000_000_000, 1_000)], shift)
    };
    let events = [
        of(1, 1, "ttl"),
        of(2, 0, "xcorr"),
        of(4, 1, ""),
        of(3, 0, "photodiode"),
    ];
    Draft::new(
        name,
        &[KIND],
        "an event derived from content whose method is ttl, and an instrumented one of xcorr",
    )
    .readings(&["G06", "G122"])
    .valid_asked(file(page, name, &events), vec![Ask::clock(told(&events))])
    .wrong_answer("the kind is told from the method's name, or is 0 for every event")
}

/// One event, four sights, each as sure as it was.
fn four_streams(page: &Page) -> Draft {
    let name = "four-sights-of-one-event";
    let shift = shift_of(&page.values(name));
    let saw = [
        (3, 2_500_000_000, 500),
        (1, 2_000_000_000, 1_000),
        (2, 7_000_000_000, 33_000_000),
        (4, 2_000_000_900, 0),
    ];
    let events = [seen(9, 0, &saw, shift)];
    Draft::new(
        name,
        &[KIND],
        "one event that four streams saw: one element with four observations, in stored order",
    )
    .why("Sights that are paired off, sorted or given one uncertainty lose what decides which to trust.")
    .readings(&["G06", "G122"])
    .valid_asked(file(page, name, &events), vec![Ask::clock(told(&events))])
    .wrong_answer("six pairs, or one uncertainty for all four")
}

/// A stream of events and none in it.
fn none(page: &Page) -> Draft {
    let name = "no-event";
    let v = page.values(name);
    let file = plan(&v)
        .schema(time_schema(1, TimeMessage::AlignmentEvent))
        .stream(stream(1))
        .stream(described(4, 1));
    Draft::new(
        name,
        &[KIND],
        "a stream of alignment events without a message: there is none",
    )
    .readings(&["G06"])
    .valid_asked(file, vec![Ask::clock(json!({"alignment_events": []}))])
    .wrong_answer("an event is made up for a stream that has none")
}

/// Every observer's clock has a usable mapping, and none is applied.
pub(in super::super) fn stamps(page: &Page) -> Vec<Draft> {
    let name = "stamps-as-they-were-taken";
    let shift = shift_of(&page.values(name));
    let saw = [
        (2, 7_000_000_000, 5_000_000),
        (3, 2_500_000_000, 500),
        (1, 2_000_000_000, 1_000),
    ];
    let events = [seen(9, 0, &saw, shift)];
    let of_peer = ClockDomain {
        observations_stream: 0,
        ..receipt_only(line(-500_000_000, 0, 0, [0, 0]))
    };
    let case = Draft::new(
        name,
        &["CA3-10.10-04"],
        "an event that a peer host and a camera saw, both mapped: clock gives their own stamps",
    )
    .readings(&["G06", "G122"])
    .valid_asked(
        file(page, name, &events).clock_block(&block_of(&[of_peer, camera_line(-5_000_000_000)])),
        vec![Ask::clock(told(&events))],
    )
    .wrong_answer("the stamps are carried into the reference domain, where all three are one");
    vec![case]
}
