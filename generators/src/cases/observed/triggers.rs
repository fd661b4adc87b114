//! Item 18: mappings fitted from alignment events (§10.5, §10.10).
//!
//! Stream 1 is the recording host's own and the reference's sight of every
//! event; stream 2 is a camera's, whose clock the mapping is of; stream 3 is the
//! peer host's; stream 4 carries the events. A camera's sight stands first in
//! each event, so that who takes the first host's stream for the reference is
//! found out.

use ca3_wire::records::{ClockDomain, Stream};

use super::super::{Page, plan};
use super::{
    CAMERA, LABEL, NOT_ESTIMATED, PEER, block_of, camera, line, mapped_as, peer, shift_of,
};
use crate::plan::{
    Chunk, Decoded, Event, Plan, Sample, Sight, TimeMessage, described, stream, time_schema,
};
use crate::verifying::{inconsistent, one_inconsistent, verifications};
use crate::{Draft, Values};

/// The readings behind a mapping that is fitted from events.
pub(super) const TRIGGERED: &[&str] = &["G04", "G05", "G06", "G61", "G65", "G123", "G129"];
/// The stream of events.
const EVENTS: u32 = 4;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![
        uncertainty(page),
        of_a_peer(page),
        own_uncertainties(page),
        raw_stamps(page),
    ];
    cases.extend(other_fields(page));
    cases
}

/// One stream's sight of an event: stream, stamp, uncertainty, ns.
type Saw = (u32, u64, u64);

/// An event and who saw it; every stamp is moved by `shift`.
pub(super) fn event(event_id: u32, kind: u32, saw: &[Saw], shift: u64) -> Event {
    Event {
        event_id,
        kind,
        method: "flash".to_owned(),
        observed_by: "operator".to_owned(),
        observations: saw
            .iter()
            .map(|&(stream_ref, stamp, uncertainty_ns)| Sight {
                stream_ref,
                stamp_ns: stamp + shift,
                uncertainty_ns,
            })
            .collect(),
    }
}

/// A chunk of these events, in this order, published 10 ns apart.
pub(super) fn chunk_of(stream_ref: u32, events: &[Event]) -> Chunk {
    let sample = |(index, event): (u64, &Event)| {
        Sample::new(Decoded::at(1_000 + 10 * index), &event.payload())
    };
    let samples: Vec<Sample> = (0u64..).zip(events).map(sample).collect();
    Chunk::of(stream_ref, &samples)
}

/// A line without slope by a trigger: the domain and its kind, offset, origin,
/// residual spread and count, and the bound on either side.
pub(super) fn trigger(
    (domain, kind): (&str, u8),
    offset_ns: i64,
    origin: u64,
    spread_and_count: [u64; 2],
    bound: u64,
) -> ClockDomain {
    ClockDomain {
        domain: domain.to_owned(),
        kind,
        method: 3,
        // A trigger has no path to delay it (§10.4).
        min_rtt_present: 1,
        min_rtt_ns: 0,
        bias_low_ns: bound,
        bias_high_ns: bound,
        skew_uncertainty_ppb: NOT_ESTIMATED,
        observations_stream: EVENTS,
        ..line(offset_ns, 0, origin, spread_and_count)
    }
}

pub(super) const OF_CAMERA: (&str, u8) = (CAMERA, 0);
const OF_PEER: (&str, u8) = (PEER, 1);

/// Streams 1 to 4, these events, and these mappings.
pub(super) fn aligned(
    v: &Values,
    more: &[Stream],
    events: &[Event],
    domains: &[ClockDomain],
) -> Plan {
    let plan = plan(v)
        .schema(time_schema(1, TimeMessage::AlignmentEvent))
        .stream(stream(1))
        .stream(camera(2))
        .stream(peer(3))
        .stream(described(EVENTS, 1));
    more.iter()
        .cloned()
        .fold(plan, Plan::stream)
        .chunk(chunk_of(EVENTS, events))
        .clock_block(&block_of(domains))
}

/// The one mapping of a file is verified, and another in its place is
/// inconsistent; `field` is where that shows first.
pub(super) fn pair(
    [name, rule, title]: [&str; 3],
    valid: Plan,
    wrong: &ClockDomain,
    [field, what]: [&str; 2],
) -> Draft {
    let invalid = mapped_as(valid.clone(), wrong, field, what);
    Draft::new(name, &[rule], title)
        .readings(TRIGGERED)
        .valid_asked(valid, vec![verifications(&["verified"])])
        .invalid_asked(invalid, vec![inconsistent()])
}

/// One flash: the camera at 7 s on its own clock, the host at 2 s.
pub(super) fn flash(shift: u64) -> Event {
    event(
        1,
        0,
        &[(2, 7_000_000_000, 5_000_000), (1, 2_000_000_000, 0)],
        shift,
    )
}

/// 2 s - 7 s, to 5 ms and nothing.
pub(super) fn by_flash(shift: u64) -> ClockDomain {
    trigger(
        OF_CAMERA,
        -5_000_000_000,
        7_000_000_000 + shift,
        [0, 1],
        5_000_000,
    )
}

fn uncertainty(page: &Page) -> Draft {
    let v = page.values("bounded-by-the-anchor");
    let shift = shift_of(&v);
    pair(
        [
            "bounded-by-the-anchor",
            "CA3-10.5-04",
            "a camera that saw the flash to 5 ms: that is the bound, and 0 on either side is not",
        ],
        aligned(&v, &[], &[flash(shift)], &[by_flash(shift)]),
        &ClockDomain {
            bias_low_ns: 0,
            bias_high_ns: 0,
            ..by_flash(shift)
        },
        ["bias_low_ns", "both bounds become 0"],
    )
}

/// Of a peer host it is a stream on that host's own clock that counts.
fn of_a_peer(page: &Page) -> Draft {
    let v = page.values("peer-host");
    let shift = shift_of(&v);
    let device = Stream {
        source_clock_domain: "peer-camera".to_owned(),
        ..peer(5)
    };
    let saw = [
        (5, 9_000_000_000, 0),
        (3, 2_500_000_000, 400),
        (1, 2_000_000_000, 600),
    ];
    // 2 s - 2.5 s, to 400 + 600 ns; by the peer's camera 2 s - 9 s, to 600.
    let right = trigger(OF_PEER, -500_000_000, 2_500_000_000 + shift, [0, 1], 1_000);
    let wrong = trigger(OF_PEER, -7_000_000_000, 9_000_000_000 + shift, [0, 1], 600);
    pair(
        [
            "peer-host",
            "CA3-10.5-04",
            "a peer host's clock: its own stream saw the flash, and so did its camera, on another clock",
        ],
        aligned(&v, &[device], &[event(1, 0, &saw, shift)], &[right]),
        &wrong,
        ["offset_ns", "the mapping that the peer's camera implies"],
    )
}

/// 33 ms + 1 us for the camera, 500 ns + 1 us for the peer.
fn own_uncertainties(page: &Page) -> Draft {
    let name = "each-its-own-uncertainty";
    let v = page.values(name);
    let shift = shift_of(&v);
    let saw = [
        (2, 7_000_000_000, 33_000_000),
        (3, 2_500_000_000, 500),
        (1, 2_000_000_000, 1_000),
    ];
    let of_camera = |bound: u64| {
        trigger(
            OF_CAMERA,
            -5_000_000_000,
            7_000_000_000 + shift,
            [0, 1],
            bound,
        )
    };
    let of_peer = trigger(OF_PEER, -500_000_000, 2_500_000_000 + shift, [0, 1], 1_500);
    let valid = aligned(
        &v,
        &[],
        &[event(1, 0, &saw, shift)],
        &[of_camera(33_001_000), of_peer.clone()],
    );
    let invalid = valid.clone().rewrite(
        LABEL,
        &block_of(&[of_camera(1_000), of_peer]),
        "domains[0].bias_low_ns",
        "the camera's bounds are the reference's uncertainty alone",
    );
    Draft::new(
        name,
        &["CA3-10.10-03"],
        "one flash, seen to 33 ms, to 500 ns and to 1 us: the two mappings have unlike bounds",
    )
    .readings(TRIGGERED)
    .valid_asked(valid, vec![verifications(&["verified", "verified"])])
    .invalid_asked(invalid, vec![one_inconsistent(2, 0)])
}

fn raw_stamps(page: &Page) -> Draft {
    let v = page.values("stamps-of-two-clocks");
    let shift = shift_of(&v);
    pair(
        [
            "stamps-of-two-clocks",
            "CA3-10.10-04",
            "a flash at 7 s on the camera's clock and at 2 s on the host's: the offset is -5 s",
        ],
        aligned(&v, &[], &[flash(shift)], &[by_flash(shift)]),
        &ClockDomain {
            offset_ns: 0,
            ..by_flash(shift)
        },
        [
            "offset_ns",
            "offset_ns is 0, as if both stamps were on one clock",
        ],
    )
}

/// What else the estimator says of a trigger.
fn other_fields(page: &Page) -> Vec<Draft> {
    type Spoil = (
        &'static str,
        &'static str,
        &'static str,
        fn(&mut ClockDomain),
    );
    let fields: [Spoil; 5] = [
        (
            "no-path-to-delay-it",
            "of a trigger mapping, min_rtt_ns is absent, where it is present and 0",
            "min_rtt_present",
            |domain| domain.min_rtt_present = 0,
        ),
        (
            "slope-not-estimated",
            "of a trigger mapping, skew_uncertainty_ppb is 0, where it is not estimated",
            "skew_uncertainty_ppb",
            |domain| domain.skew_uncertainty_ppb = 0,
        ),
        (
            "count-of-sights",
            "of a trigger mapping by one event, observation_count counts its two sights",
            "observation_count",
            |domain| domain.observation_count = 2,
        ),
        (
            "one-sided-bound",
            "of a trigger mapping, the low side is unbounded as a one-way mapping's is",
            "bias_low_ns",
            |domain| domain.bias_low_ns = u64::MAX,
        ),
        (
            "origin-at-the-reference",
            "of a trigger mapping, the origin is the event on the reference's clock",
            "reference_source_ns",
            |domain| domain.reference_source_ns -= 5_000_000_000,
        ),
    ];
    fields
        .into_iter()
        .map(|(name, title, field, spoil)| {
            let v = page.values(name);
            let shift = shift_of(&v);
            let mut wrong = by_flash(shift);
            spoil(&mut wrong);
            pair(
                [name, "CA3-10.5-04", title],
                aligned(&v, &[], &[flash(shift)], &[by_flash(shift)]),
                &wrong,
                [field, title],
            )
        })
        .collect()
}
