//! A stretch of a stream's clock, and messages marked with the reasons that
//! hold there (§10.12), asked for in every way.

use ca3_wire::records::DegradedInterval;
use serde_json::Value;

use super::super::one_stream;
use super::with_intervals;
use crate::Values;
use crate::asking::{Ask, emitted, in_force};
use crate::plan::{Chunk, Plan};
use crate::timing::{Timed, reasoned, sample, times};

/// From when to when an interval of these cases is, both drawn, ns.
pub(super) struct Stretch {
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Stretch {
    pub(super) fn drawn(v: &Values) -> Self {
        let from = v.u64("from_ns", 10_000, 5_000..=1 << 40);
        Stretch {
            from,
            to: from + v.u64("length_ns", 100, 10..=90_000),
        }
    }
}

/// A stamp and the reasons that hold there.
pub(super) type Marked<'r> = (u64, &'r [&'r str]);

/// A file of stream 1 on the recording host's clock, with messages at these
/// stamps and these intervals.
pub(super) fn marked(v: &Values, marks: &[Marked<'_>], intervals: &[DegradedInterval]) -> Plan {
    let messages: Vec<(u64, &[u8])> = marks.iter().map(|(at, _)| (*at, &b"one"[..])).collect();
    one_stream(v)
        .chunk(Chunk::plain(1, &messages))
        .clock_block(&with_intervals(&[], intervals))
}

/// Asks for those messages in every way: each has its reasons and no other.
pub(super) fn asked(marks: &[Marked<'_>]) -> Vec<Ask> {
    let timed: Vec<Timed> = marks
        .iter()
        .map(|(at, reasons)| sample(*at, *at, "exact").reasons(reasons))
        .collect();
    let windowed: Vec<Value> = marks
        .iter()
        .map(|(at, reasons)| reasoned(emitted(1, "exact", *at, *at, b"one"), reasons))
        .collect();
    let states = marks.iter().map(|(at, reasons)| {
        let state = in_force(1, "exact", *at, *at, b"one");
        Ask::state_at(*at, &[reasoned(state, reasons)])
    });
    [times(1, &timed), Ask::window(0, u64::MAX, &[1], &windowed)]
        .into_iter()
        .chain(states)
        .collect()
}
