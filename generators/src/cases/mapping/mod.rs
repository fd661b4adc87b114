//! Item 15: domains, bases, and the mapping forward and inverse (§10.3-§10.6, §10.12).
//!
//! Streams of a peer host carry stamps of that host's clock and name no
//! device's domain, so that every sense of "a stream's own domain" is the same
//! (reading G01); the reference is the Header's own pair unless a case says
//! otherwise (reading G33).

mod bases;
mod block;
mod domains;
mod forward;
mod inverse;

pub(super) use bases::{cases as bases, on_the_peer_s_clock};
pub(super) use block::cases as block;
pub(super) use domains::cases as domains;
pub(super) use forward::cases as forward;
pub(super) use inverse::cases as inverse;

use ca3_wire::records::{ClockBlock, ClockDomain, Stream};

use crate::plan::{Chunk, EPOCH, HOST, Plan, stream};

/// A host of the session besides the recording one.
pub(super) const PEER: &str = "peer-host";
/// Which boot of it.
pub(super) const PEER_EPOCH: &str = "boot-7";

/// The far end of a window that holds everything in these files, ns; below
/// 2^40, so that its inverse is the same in every arithmetic (reading G17).
pub(super) const FAR: u64 = 1_000_000_000_000;

/// A stream of a host's clock, under one boot.
pub(super) fn stream_of(stream_ref: u32, host: &str, epoch: &str) -> Stream {
    Stream {
        host_id: host.to_owned(),
        host_clock_epoch: epoch.to_owned(),
        ..stream(stream_ref)
    }
}

/// A stream of the peer host.
pub(super) fn peer(stream_ref: u32) -> Stream {
    stream_of(stream_ref, PEER, PEER_EPOCH)
}

/// The line of a peer host's clock onto the reference, fitted from round trips
/// of 2 us; nothing is said of the observations.
pub(super) fn line(
    host: &str,
    offset_ns: i64,
    skew_ppb: i64,
    reference_source_ns: u64,
) -> ClockDomain {
    ClockDomain {
        domain: host.to_owned(),
        kind: 1,
        method: 2,
        quality: 2,
        offset_ns,
        skew_ppb,
        reference_source_ns,
        residual_spread_ns: 40,
        min_rtt_present: 1,
        min_rtt_ns: 2_000,
        bias_low_ns: 1_000,
        bias_high_ns: 1_000,
        skew_uncertainty_ppb: u64::MAX,
        observation_count: 0,
        observations_stream: 0,
        estimator_version: 1,
    }
}

/// A block whose reference is the Header's own pair.
pub(super) fn block_of(domains: &[ClockDomain]) -> ClockBlock {
    ClockBlock {
        reference_host_id: HOST.to_owned(),
        reference_host_clock_epoch: EPOCH.to_owned(),
        domains: domains.to_vec(),
        degraded_intervals: Vec::new(),
    }
}

/// A file of one stream of the peer host, mapped by one line, its chunk given.
pub(super) fn mapped(plan: Plan, domain: ClockDomain, messages: &[(u64, &[u8])]) -> Plan {
    plan.stream(peer(1))
        .chunk(Chunk::plain(1, messages))
        .clock_block(&block_of(&[domain]))
}

/// An offset of the size that cases draw, as a line carries it.
pub(super) fn signed(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
