//! Items 18, 19, 21 and 22, as far as they rest on messages of `ca3.time.v1`:
//! mappings recomputed from observations, device delays, alignment events
//! (§10.7-§10.11).
//!
//! Which fields those messages have and what the estimator computes are
//! readings (G04-G06), so these cases are provisional, but for those that no
//! reading decides: a mapping whose observations are damaged is never verified.
//!
//! Observations are fixed and every value of theirs is moved by one draw: what
//! an estimator computes of them is the same, but for the origin of the line.

mod counted;
mod covered;
mod damaged;
mod delays;
mod events;
mod fields;
mod fits;
mod holding;
mod kept;
mod lines;
mod rounding;
mod samples;
mod sights;
mod spreads;
mod statements;
mod stored;
mod totals;
mod triggers;

pub(super) use counted::cases as counted;
pub(super) use covered::cases as covered;
pub(super) use damaged::cases as damaged;
pub(super) use delays::cases as delays;
pub(super) use events::{cases as events, stamps as event_stamps};
pub(super) use fields::cases as fields;
pub(super) use fits::cases as fits;
pub(super) use holding::cases as holding;
pub(super) use kept::cases as kept;
pub(super) use lines::cases as lines;
pub(super) use rounding::cases as rounding;
pub(super) use samples::cases as samples;
pub(super) use sights::cases as sights;
pub(super) use spreads::cases as spreads;
pub(super) use statements::cases as statements;
pub(super) use stored::cases as stored;
pub(super) use totals::cases as totals;
pub(super) use triggers::cases as triggers;

use ca3_wire::records::{ClockDomain, Device, Session, Stream};

use super::mapping::{PEER, PEER_EPOCH, block_of, peer};
use super::{Page, plan};
use crate::plan::{
    Chunk, Observation, Plan, TimeMessage, described, observations, stream, time_schema,
};
use crate::verifying::{inconsistent, verifications};
use crate::{Draft, Values};

/// The readings behind a mapping that is recomputed.
const FITTED: &[&str] = &["G04", "G05", "G61"];

/// The label of the block in every file here.
const LABEL: &str = "ClockBlock";
/// A side without a bound (§10.5).
const UNBOUNDED: u64 = u64::MAX;
/// A slope of which nothing is estimated (§10.4).
const NOT_ESTIMATED: u64 = u64::MAX;
/// An hour, ns: the farthest that a draw moves observations.
const HOUR: u64 = 3_600_000_000_000;

/// When an observation left, was asked for and arrived: source, sent, receipt, ns.
type Seen = (u64, Option<u64>, u64);

/// The peer's line under the estimator of version 1, from the observations of
/// stream 1: offset, skew, origin, residual spread, count.
fn line(
    offset_ns: i64,
    skew_ppb: i64,
    reference_source_ns: u64,
    [residual_spread_ns, observation_count]: [u64; 2],
) -> ClockDomain {
    ClockDomain {
        domain: PEER.to_owned(),
        kind: 1,
        quality: 2,
        offset_ns,
        skew_ppb,
        reference_source_ns,
        residual_spread_ns,
        bias_low_ns: UNBOUNDED,
        skew_uncertainty_ppb: NOT_ESTIMATED,
        observation_count,
        observations_stream: 1,
        estimator_version: 1,
        ..ClockDomain::default()
    }
}

/// As receipts alone give it.
fn receipt_only(line: ClockDomain) -> ClockDomain {
    ClockDomain { method: 0, ..line }
}

/// As the fastest arrivals give it.
fn one_way(line: ClockDomain) -> ClockDomain {
    ClockDomain { method: 1, ..line }
}

/// As round trips give it: the least of them, its half, and the slope's
/// uncertainty.
fn round_trip(
    [min_rtt_ns, half]: [u64; 2],
    skew_uncertainty_ppb: u64,
    line: ClockDomain,
) -> ClockDomain {
    ClockDomain {
        method: 2,
        min_rtt_present: 1,
        min_rtt_ns,
        bias_low_ns: half,
        bias_high_ns: half,
        skew_uncertainty_ppb,
        ..line
    }
}

/// How far this case's observations are moved, ns.
fn shift_of(v: &Values) -> u64 {
    v.u64("shift_ns", 0, 1..=HOUR)
}

/// Observations moved by a shift.
fn seen(of: &[Seen], shift: u64) -> Vec<Observation> {
    let moved = |&(source, sent, receipt): &Seen| Observation {
        source_ns: source + shift,
        sent_ns: sent.map(|sent| sent + shift),
        receipt_ns: receipt + shift,
    };
    of.iter().map(moved).collect()
}

/// Round trips: source, sent, receipt, ns.
fn trips(of: &[[u64; 3]]) -> Vec<Seen> {
    let trip = |&[source, sent, receipt]: &[u64; 3]| (source, Some(sent), receipt);
    of.iter().map(trip).collect()
}

/// Arrivals: source and receipt, ns.
fn arrivals(of: &[[u64; 2]]) -> Vec<Seen> {
    let arrival = |&[source, receipt]: &[u64; 2]| (source, None, receipt);
    of.iter().map(arrival).collect()
}

/// The line about an origin that moved as the observations did.
fn moved(domain: &ClockDomain, shift: u64) -> ClockDomain {
    ClockDomain {
        reference_source_ns: domain.reference_source_ns + shift,
        ..domain.clone()
    }
}

/// Stream 1 carries observations of the clock that stream 2 is on.
fn observing(v: &Values) -> Plan {
    observing_in(plan(v))
}

/// As [`observing`], in a file of another Header.
fn observing_in(plan: Plan) -> Plan {
    plan.schema(time_schema(1, TimeMessage::ClockObservation))
        .stream(described(1, 1))
        .stream(peer(2))
}

/// One mapping, and the chunks of the observations that it names.
fn observed(v: &Values, chunks: Vec<Chunk>, domain: &ClockDomain) -> Plan {
    chunks
        .into_iter()
        .fold(observing(v), Plan::chunk)
        .clock_block(&block_of(std::slice::from_ref(domain)))
}

/// The mapping of a file becomes another.
fn mapped_as(plan: Plan, domain: &ClockDomain, field: &str, what: &str) -> Plan {
    let block = block_of(std::slice::from_ref(domain));
    plan.rewrite(LABEL, &block, &format!("domains[0].{field}"), what)
}

/// What observations imply, and what they do not.
struct Fit<'a> {
    name: &'a str,
    rules: &'a [&'a str],
    title: &'a str,
    /// In file order, before they are moved.
    observations: Vec<Seen>,
    right: ClockDomain,
    wrong: ClockDomain,
    /// The field in which the wrong one shows first.
    field: &'a str,
    /// What the wrong one is.
    what: &'a str,
}

impl Fit<'_> {
    /// The right mapping is verified, the wrong one is inconsistent.
    fn case(self, page: &Page) -> Draft {
        let v = page.values(self.name);
        let shift = shift_of(&v);
        let chunk = observations(1, &seen(&self.observations, shift));
        let valid = observed(&v, vec![chunk], &moved(&self.right, shift));
        let wrong = moved(&self.wrong, shift);
        let invalid = mapped_as(valid.clone(), &wrong, self.field, self.what);
        Draft::new(self.name, self.rules, self.title)
            .readings(FITTED)
            .valid_asked(valid, vec![verifications(&["verified"])])
            .invalid_asked(invalid, vec![inconsistent()])
    }
}

/// A device's own clock.
const CAMERA: &str = "camera-clock";
/// Another's.
const AMPLIFIER: &str = "amplifier-clock";

/// A stream of the recording host whose messages carry the camera's own time.
fn camera(stream_ref: u32) -> Stream {
    Stream {
        source_clock_domain: CAMERA.to_owned(),
        ..stream(stream_ref)
    }
}

/// A Session of these devices: firmware and clock domain, numbered from 1.
fn session_of(v: &Values, devices: &[[&str; 2]]) -> Session {
    let device = |(device_ref, &[firmware, clock_domain]): (u32, &[&str; 2])| Device {
        device_ref,
        kind: "camera".to_owned(),
        serial: format!("serial-{device_ref}"),
        firmware: firmware.to_owned(),
        clock_domain: clock_domain.to_owned(),
    };
    Session {
        session_id: v.text("session", "session"),
        devices: (1u32..).zip(devices).map(device).collect(),
        ..Session::default()
    }
}

/// The camera's clock by receipts alone, of which nothing is recorded: this
/// much behind the reference, ns.
fn camera_line(offset_ns: i64) -> ClockDomain {
    ClockDomain {
        domain: CAMERA.to_owned(),
        kind: 0,
        observations_stream: 0,
        ..receipt_only(line(offset_ns, 0, 0, [0, 0]))
    }
}

/// A value of the size that cases draw, as a signed field carries it.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
