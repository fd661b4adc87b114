//! Item 17: sums that end on a part of a nanosecond, or past 64 bits (reading G19).

use ca3_wire::records::ClockDomain;
use serde_json::json;

use super::super::mapping::{PEER, mapped};
use super::super::{Page, plan};
use super::{hosts, round_trip, trigger};
use crate::Draft;
use crate::timing::{UNBOUNDED, figures, sample, times, total};

const RULE: &str = "CA3-10.12-02";
/// Where the line begins, and how far off the last samples lie, ns.
const ORIGIN: u64 = 10_000_000_000;
const SECOND: u64 = 1_000_000_000;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![begun_nanosecond(page), past_64_bits(page)]
}

/// N ppb are N ns in a second, and less than one in a nanosecond.
fn begun_nanosecond(page: &Page) -> Draft {
    let v = page.values("a-nanosecond-begun");
    let (half, unsure) = (
        v.u64("half_ns", 200, 100..=9_000),
        v.u64("skew_uncertainty_ppb", 50, 10..=900),
    );
    let sloped = ClockDomain {
        skew_uncertainty_ppb: unsure,
        reference_source_ns: ORIGIN,
        ..round_trip(PEER, half, 0)
    };
    // How far a sample lies from the origin, and what that adds.
    let totals = [
        (ORIGIN - SECOND - 1, unsure + 1),
        (ORIGIN - 1, 1),
        (ORIGIN, 0),
        (ORIGIN + 1, 1),
        (ORIGIN + SECOND, unsure),
        (ORIGIN + SECOND + 1, unsure + 1),
    ];
    let messages = totals.map(|(at, _)| (at, &b"one"[..]));
    let samples = totals
        .map(|(at, adds)| sample(at, at, "ok").uncertainty(figures(half + adds, half + adds)));
    Draft::new(
        "a-nanosecond-begun",
        &[RULE],
        "what the slope adds is rounded up, on either side of the origin: a bound holds all of it",
    )
    .valid_asked(
        mapped(plan(&v), sloped, &messages),
        vec![times(1, &samples)],
    )
    .wrong_answer("the part of a nanosecond is cut off, or rounded to the nearest")
}

/// One term short of 2^64 by two, and another of two or more.
fn past_64_bits(page: &Page) -> Draft {
    let v = page.values("past-64-bits");
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let residual = v.u64("residual_spread_ns", 40, 2..=99);
    let bound = v.u64("bias_ns", 300, 100..=900);
    let seen_to = |host: &str, low: u64, high: u64| ClockDomain {
        residual_spread_ns: residual,
        ..trigger(host, low, high)
    };
    let domains = [
        seen_to("peer-a", u64::MAX - 1, bound),
        seen_to("peer-b", bound, u64::MAX - 1),
    ];
    let sum = || json!((bound + residual).to_string());
    let of =
        |stream_ref, total| times(stream_ref, &[sample(stamp, stamp, "ok").uncertainty(total)]);
    Draft::new(
        "past-64-bits",
        &[RULE],
        "a bound of 2^64 - 2 ns and a spread: no 64-bit number holds the sum, so there is no bound",
    )
    .valid_asked(
        hosts(plan(&v), &["peer-a", "peer-b"], &[stamp], &domains),
        vec![
            of(1, total(json!(UNBOUNDED), sum())),
            of(2, total(sum(), json!(UNBOUNDED))),
        ],
    )
    .wrong_answer("the sum wraps round to a few nanoseconds, or is clamped at 2^64 - 1")
}
