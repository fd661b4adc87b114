//! Items 17, 19 to 21 and 23, as far as the ClockBlock alone decides: what
//! `clock` and `times` say of mappings, samples, bounds and intervals (§10).
//!
//! No file here carries a message of `ca3.time.v1`, so nothing rests on how
//! observations, delays or events travel. Mapped streams are a peer host's
//! (reading G01), and a total may always be declined.

mod block;
mod bounds;
mod delays;
mod ends;
mod forward;
mod intervals;
mod order;
mod references;
mod source;
mod stretch;
mod sums;
mod uncertainty;

pub(super) use block::cases as block;
pub(super) use bounds::{cases as bounds, presence, round_trips};
pub(super) use delays::cases as delays;
pub(super) use ends::cases as ends;
pub(super) use forward::cases as forward;
pub(super) use intervals::cases as intervals;
pub(super) use order::cases as order;
pub(super) use references::cases as references;
pub(super) use source::cases as source;
pub(super) use sums::cases as sums;
pub(super) use uncertainty::{cases as uncertainty, undefined_method};

use ca3_wire::records::{ClockBlock, ClockDomain, DegradedInterval, Stream};

use super::mapping::{block_of, line, stream_of};
use crate::plan::{Chunk, Plan, stream};

const LABEL: &str = "ClockBlock";

/// A line whose slope is known to be nought, so that only its bias is unsure.
fn level(host: &str, offset_ns: i64) -> ClockDomain {
    ClockDomain {
        skew_uncertainty_ppb: 0,
        ..line(host, offset_ns, 0, 0)
    }
}

/// A line fitted one way: it may be early by any delay, and is never late (§10.5).
fn one_way(host: &str, method: u8, offset_ns: i64) -> ClockDomain {
    ClockDomain {
        method,
        min_rtt_present: 0,
        min_rtt_ns: 0,
        bias_low_ns: ClockDomain::BIAS_UNBOUNDED,
        bias_high_ns: 0,
        ..level(host, offset_ns)
    }
}

/// A line fitted from round trips, the least of which took twice `half` (§10.5).
fn round_trip(host: &str, half: u64, residual: u64) -> ClockDomain {
    ClockDomain {
        min_rtt_ns: half * 2,
        bias_low_ns: half,
        bias_high_ns: half,
        residual_spread_ns: residual,
        ..level(host, 0)
    }
}

/// A line fitted from a trigger that was seen so well (§10.5).
fn trigger(host: &str, low: u64, high: u64) -> ClockDomain {
    ClockDomain {
        method: 3,
        min_rtt_ns: 0,
        bias_low_ns: low,
        bias_high_ns: high,
        ..level(host, 0)
    }
}

/// A stream of each of these hosts, in order from 1, with messages at these
/// stamps, and the block of these domains.
fn hosts(plan: Plan, names: &[&str], stamps: &[u64], domains: &[ClockDomain]) -> Plan {
    let messages: Vec<(u64, &[u8])> = stamps.iter().map(|stamp| (*stamp, &b"one"[..])).collect();
    let plan = names.iter().zip(1u32..).fold(plan, |plan, (host, stream)| {
        plan.stream(stream_of(stream, host, super::mapping::PEER_EPOCH))
            .chunk(Chunk::plain(stream, &messages))
    });
    plan.clock_block(&block_of(domains))
}

/// A block on the recording host's clock with intervals.
fn with_intervals(domains: &[ClockDomain], intervals: &[DegradedInterval]) -> ClockBlock {
    ClockBlock {
        degraded_intervals: intervals.to_vec(),
        ..block_of(domains)
    }
}

/// A stream on the recording host's clock whose messages carry a device's time.
fn device_stream(stream_ref: u32, domain: &str) -> Stream {
    Stream {
        source_clock_domain: domain.to_owned(),
        ..stream(stream_ref)
    }
}
