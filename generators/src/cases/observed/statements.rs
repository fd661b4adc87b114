//! Item 22: what states the event of a trigger mapping, of whatever quality the
//! mapping is, and what does not (§10.11).
//!
//! The files are those of `counted.rs`; stream 5 is the camera's second, which
//! no event names.

use ca3_spec::kind::Kind::DelayDoubleCounted;
use ca3_wire::records::ClockDomain;
use serde_json::json;

use super::super::Page;
use super::counted::{BY_STREAM, Held, ONCE, by_flash, by_its_flash, flash, reported};
use super::delays::{Drawn, calibrated, drawn};
use super::{LABEL, camera, signed};
use crate::Ask;
use crate::Values;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::Plan;
use crate::verifying::{applied, delay, delays, delays_of, device_sample, unknown};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        degraded_trigger(page),
        unavailable_trigger(page),
        stream_without_events(page),
        applicable_all_the_same(page),
    ]
}

/// The camera's two streams under a trigger mapping of this quality, which
/// states its event, and a delay of the whole device.
fn two_streams(v: &Values, d: Drawn, quality: u8) -> Plan {
    Held {
        streams: vec![camera(5)],
        delays: vec![calibrated(1, 0, signed(d.delay))],
        events: vec![flash(d)],
        domains: vec![ClockDomain {
            quality,
            ..by_flash(d)
        }],
    }
    .file(v, d)
    .chunk(d.chunk(5))
}

/// The mapping no longer says which event it was fitted from.
fn unstated(plan: Plan) -> Plan {
    plan.replace_field(LABEL, "domains[0].observations_stream", &[0; 4])
        .what("ClockBlock: the trigger mapping does not say which event it was fitted from")
}

fn degraded_trigger(page: &Page) -> Draft {
    let name = "degraded-trigger";
    let v = page.values(name);
    let d = drawn(&v);
    let not_applied = applied(signed(d.delay), false);
    let sample = device_sample(d.stamp, [d.source, d.mapped()], "degraded", &not_applied);
    let valid = two_streams(&v, d, 1);
    Draft::new(
        name,
        &["CA3-10.11-01", "CA3-10.11-02"],
        "a trigger mapping of quality 1 covers its streams as one of quality 2 does",
    )
    .readings(BY_STREAM)
    .valid_asked(valid.clone(), vec![Ask::times(5, &[sample])])
    .invalid_asked(unstated(valid), reported(d, 5))
}

/// Of quality 0 it maps nothing, and what it was fitted from covers all the same.
fn unavailable_trigger(page: &Page) -> Draft {
    let name = "unavailable-trigger";
    let v = page.values(name);
    let d = drawn(&v);
    let not_applied = applied(signed(d.delay), false);
    let sample = device_sample(d.stamp, [d.source, d.source], "unmapped", &not_applied);
    Draft::new(
        name,
        &["CA3-10.11-01"],
        "a trigger mapping of quality 0: the delay is taken off neither source.time nor time",
    )
    .readings(BY_STREAM)
    .valid_asked(two_streams(&v, d, 0), vec![Ask::times(5, &[sample])])
    .wrong_answer("a mapping that is not used covers no stream, and the delay is taken off time")
}

/// Stream 3 carries the delays.
fn stream_without_events(page: &Page) -> Draft {
    let name = "statement-without-events";
    let v = page.values(name);
    let d = drawn(&v);
    let valid = by_its_flash(&v, d);
    let invalid = valid
        .clone()
        .replace_field(LABEL, "domains[0].observations_stream", &[3, 0, 0, 0])
        .what("ClockBlock: the trigger mapping names stream 3, which carries delays and no event");
    Draft::new(
        name,
        &["CA3-10.11-02"],
        "a trigger mapping names a stream that carries no events: that states no event",
    )
    .readings(ONCE)
    .valid_asked(
        valid,
        vec![Ask::times(2, &[d.sample(signed(d.delay), false)])],
    )
    .invalid_asked(invalid, reported(d, 2))
}

/// `applicable` is about the firmware alone.
fn applicable_all_the_same(page: &Page) -> Draft {
    let name = "applicable-and-not-applied";
    let v = page.values(name);
    let d = drawn(&v);
    let by = signed(d.delay);
    let valid = by_its_flash(&v, d);
    let carried = [
        (1, unknown()),
        (2, delay(by, true)),
        (3, unknown()),
        (4, unknown()),
    ];
    Draft::new(
        name,
        &["CA3-10.11-01", "CA3-10.11-02"],
        "a delay that fits and is covered by an event: clock calls it applicable, and it is not applied",
    )
    .readings(ONCE)
    .valid_asked(
        valid.clone(),
        vec![delays(&carried), Ask::times(2, &[d.sample(by, false)])],
    )
    .invalid_asked(
        unstated(valid),
        vec![
            Ask::clock(json!({}))
                .surfaces(surface(&[DelayDoubleCounted]).result(delays_of(&carried))),
        ],
    )
}
