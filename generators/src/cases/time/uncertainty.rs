//! Item 17: how well a time is known (§10.2, §10.5, §10.12).

use ca3_wire::records::ClockDomain;
use serde_json::{Value, json};

use super::super::mapping::{PEER, mapped, peer, signed};
use super::super::{Page, plan};
use super::{hosts, level, one_way, round_trip, trigger};
use crate::plan::{Chunk, Plan, stream};
use crate::timing::{UNBOUNDED, any_bound, at_least, figures, sample, times, total};
use crate::{Draft, Values};

/// Where the lines of these cases begin, and how far off the samples lie, ns.
const ORIGIN: u64 = 10_000_000_000;
const SECOND: u64 = 1_000_000_000;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![stated(page)];
    cases.extend(not_the_residual(page));
    cases.extend(unbounded(page));
    cases.extend(figured(page));
    cases
}

fn stamp(v: &Values) -> u64 {
    v.u64("stamp_ns", 5_000, 2_000..=90_000)
}

fn stated(page: &Page) -> Draft {
    let v = page.values("total-or-none");
    let stamp = stamp(&v);
    let poor = ClockDomain {
        quality: 1,
        ..level("peer-b", 0)
    };
    let file = hosts(
        plan(&v),
        &["peer-a", "peer-b", "peer-c"],
        &[stamp],
        &[level("peer-a", 0), poor],
    );
    Draft::new(
        "total-or-none",
        &["CA3-10.12-02"],
        "every sample has a total, or says that none can be given, whatever its basis",
    )
    // Whichever total it is passes here.
    .readings(&["G01"])
    .valid_asked(
        file.stream(stream(4))
            .chunk(Chunk::plain(4, &[(stamp, b"one")])),
        [(1, "ok"), (2, "degraded"), (3, "unmapped"), (4, "exact")]
            .map(|(stream_ref, basis)| {
                let either = total(any_bound(), any_bound());
                times(
                    stream_ref,
                    &[sample(stamp, stamp, basis).uncertainty(either)],
                )
            })
            .to_vec(),
    )
    .wrong_answer("uncertainty is left out or null, or one number for both sides")
}

/// More than the residual spread, or no bound at all.
fn beyond(residual: u64) -> Value {
    let side = json!({"$one_of": [UNBOUNDED, at_least(residual + 1)]});
    total(side.clone(), side)
}

fn not_the_residual(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.12-03";
    let case = |name: &str, title: &str, residual: u64, change: fn(&mut ClockDomain)| {
        let v = page.values(name);
        let (stamp, half) = (stamp(&v), v.u64("half_ns", 1_000_000, 500_000..=5_000_000));
        let offset = v.u64("offset_ns", 1_000, 100..=9_000);
        let residual = match residual {
            0 => 0,
            residual => v.u64("residual_spread_ns", residual, 1..=999),
        };
        let mut domain = ClockDomain {
            offset_ns: signed(offset),
            ..round_trip(PEER, half, residual)
        };
        change(&mut domain);
        let basis = if domain.quality == 1 {
            "degraded"
        } else {
            "ok"
        };
        // A bias of half a millisecond or more beside a spread below 1 us: every
        // way of adding the two up passes the spread by far.
        let samples = [stamp, stamp + 10]
            .map(|stamp| sample(stamp, stamp + offset, basis).uncertainty(beyond(residual)));
        Draft::new(name, &[RULE], title)
            .valid_asked(
                mapped(plan(&v), domain, &[(stamp, b"one"), (stamp + 10, b"two")]),
                vec![times(1, &samples)],
            )
            .wrong_answer("low and high are the residual spread")
    };
    vec![
        case(
            "residual-is-not-the-total",
            "a spread of 10 ns is left by round trips of 2 ms: it is no total",
            10,
            |_| {},
        ),
        case(
            "no-spread-is-not-certainty",
            "round trips of 2 ms that leave no spread at all: the total is not 0",
            0,
            |_| {},
        ),
        case(
            "spread-of-a-poor-mapping",
            "the same for a mapping of quality 1",
            10,
            |domain| domain.quality = 1,
        ),
        case(
            "spread-beside-a-trigger",
            "a trigger seen to the millisecond, with a spread of 10 ns",
            10,
            |domain| {
                domain.method = 3;
                domain.min_rtt_ns = 0;
            },
        ),
    ]
}

fn unbounded(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.12-04";
    let v = page.values("one-way-stays-unbounded");
    let stamp_ns = stamp(&v);
    let low = || total(json!(UNBOUNDED), any_bound());
    let names = ["peer-a", "peer-b", "peer-c"];
    let poor = ClockDomain {
        quality: 1,
        ..one_way("peer-c", 1, 0)
    };
    let domains = [one_way("peer-a", 0, 0), one_way("peer-b", 1, 0), poor];
    let sampled = |basis: &str| [sample(stamp_ns, stamp_ns, basis).uncertainty(low())];
    let one_way = Draft::new(
        "one-way-stays-unbounded",
        &[RULE],
        "mappings from receipts alone, fitted one way, and of quality 1: no lower bound",
    )
    .valid_asked(
        hosts(plan(&v), &names, &[stamp_ns], &domains),
        vec![
            times(1, &sampled("ok")),
            times(2, &sampled("ok")),
            times(3, &sampled("degraded")),
        ],
    )
    .wrong_answer("the terms that are known are added up, and low is a number");

    let v = page.values("trigger-without-a-bound");
    let stamp_ns = stamp(&v);
    let neither = total(json!(UNBOUNDED), json!(UNBOUNDED));
    let trigger = Draft::new(
        "trigger-without-a-bound",
        &[RULE],
        "a trigger of unknown uncertainty: no bound on either side",
    )
    .valid_asked(
        mapped(
            plan(&v),
            trigger(PEER, u64::MAX, u64::MAX),
            &[(stamp_ns, b"one")],
        ),
        vec![times(
            1,
            &[sample(stamp_ns, stamp_ns, "ok").uncertainty(neither)],
        )],
    )
    .wrong_answer("a number on either side, such as the residual spread or 2^64 - 1");
    vec![one_way, trigger]
}

/// A method's byte that version 1 does not define (§10.4, §10.5).
pub(in super::super) fn undefined_method(page: &Page) -> Vec<Draft> {
    let v = page.values("method-not-defined");
    let (stamp, offset) = (stamp(&v), v.u64("offset_ns", 1_000, 100..=9_000));
    let domain = ClockDomain {
        method: v.u8("method", 9, 4..=255),
        offset_ns: signed(offset),
        ..trigger(PEER, 5, 5)
    };
    let neither = total(json!(UNBOUNDED), json!(UNBOUNDED));
    let case = Draft::new(
        "method-not-defined",
        &["CA3-10.4-15"],
        "a method that version 1 does not define: its bounds mean nothing, its line is used",
    )
    .valid_asked(
        mapped(plan(&v), domain, &[(stamp, b"one")]),
        vec![times(
            1,
            &[sample(stamp, stamp + offset, "ok").uncertainty(neither)],
        )],
    )
    .wrong_answer("low and high rest on the 5 ns stored, or the file is refused");
    vec![case]
}

/// The sums of reading G19.
fn figured(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.12-02";
    let case =
        |v: &Values, name: &str, title: &str, domain: ClockDomain, totals: &[(u64, Value)]| {
            let stamps: Vec<(u64, &[u8])> =
                totals.iter().map(|(at, _)| (*at, &b"one"[..])).collect();
            let samples: Vec<_> = totals
                .iter()
                .map(|(at, total)| sample(*at, *at, "ok").uncertainty(total.clone()))
                .collect();
            Draft::new(name, &[RULE], title)
                .valid_asked(mapped(plan(v), domain, &stamps), vec![times(1, &samples)])
        };
    let near = |v: &Values| v.u64("stamp_ns", ORIGIN, ORIGIN..=2 * ORIGIN);

    let v = page.values("terms-add-up");
    let (half, residual) = (
        v.u64("half_ns", 200, 100..=9_000),
        v.u64("residual_spread_ns", 10, 1..=99),
    );
    let sum = case(
        &v,
        "terms-add-up",
        "half of the least round trip, and the spread that the fit left, on both sides",
        round_trip(PEER, half, residual),
        &[(near(&v), figures(half + residual, half + residual))],
    )
    .wrong_answer("the spread is left out, or stands alone");

    let v = page.values("slope-adds-with-distance");
    let (half, unsure) = (
        v.u64("half_ns", 200, 100..=9_000),
        v.u64("skew_uncertainty_ppb", 50, 10..=900),
    );
    let sloped = ClockDomain {
        skew_uncertainty_ppb: unsure,
        reference_source_ns: ORIGIN,
        ..round_trip(PEER, half, 0)
    };
    // A second off the origin, N ppb are N ns, before it and behind it.
    let both = |seconds: u64| figures(half + seconds * unsure, half + seconds * unsure);
    let slope = case(
        &v,
        "slope-adds-with-distance",
        "what the slope is unsure of adds with the distance from the line's origin, both ways",
        sloped,
        &[
            (ORIGIN - 2 * SECOND, both(2)),
            (ORIGIN, both(0)),
            (ORIGIN + SECOND, both(1)),
        ],
    )
    .wrong_answer(
        "the skew uncertainty is left out, counted from 0, or taken off before the origin",
    );

    let v = page.values("slope-not-estimated");
    let half = v.u64("half_ns", 200, 100..=9_000);
    let flat = ClockDomain {
        skew_uncertainty_ppb: ClockDomain::SKEW_NOT_ESTIMATED,
        ..round_trip(PEER, half, 0)
    };
    let not_estimated = case(
        &v,
        "slope-not-estimated",
        "a slope that was not estimated has no term in the sum",
        flat,
        &[(near(&v), figures(half, half))],
    )
    .wrong_answer("2^64 - 1 ppb are added, or -1");

    let v = page.values("one-way-total");
    let residual = v.u64("residual_spread_ns", 30, 1..=999);
    let late = ClockDomain {
        residual_spread_ns: residual,
        ..one_way(PEER, 1, 0)
    };
    let upper = total(json!(UNBOUNDED), json!(residual.to_string()));
    let one_way = case(
        &v,
        "one-way-total",
        "a one-way line is late by nothing but the spread: high is that, low has no bound",
        late,
        &[(near(&v), upper)],
    )
    .wrong_answer("the sides are exchanged, or made one figure");

    let v = page.values("low-and-high-apart");
    let (low, high) = (
        v.u64("bias_low_ns", 300, 100..=900),
        v.u64("bias_high_ns", 70_000, 10_000..=90_000),
    );
    let domain = ClockDomain {
        residual_spread_ns: 0,
        ..trigger(PEER, low, high)
    };
    let apart = case(
        &v,
        "low-and-high-apart",
        "two finite bounds that differ stay apart",
        domain,
        &[(near(&v), figures(low, high))],
    )
    .wrong_answer("the sides are exchanged, or both the greater one");

    vec![sum, slope, not_estimated, one_way, apart, unapplied(page)]
}

fn unapplied(page: &Page) -> Draft {
    let v = page.values("where-nothing-is-applied");
    let stamp = stamp(&v);
    let file: Plan = plan(&v)
        .stream(stream(1))
        .stream(peer(2))
        .chunk(Chunk::plain(1, &[(stamp, b"one")]))
        .chunk(Chunk::plain(2, &[(stamp, b"two")]));
    Draft::new(
        "where-nothing-is-applied",
        &["CA3-10.12-02"],
        "an exact time has no clock error; of an unmapped one nothing can be said",
    )
    .valid_asked(
        file,
        vec![
            times(
                1,
                &[sample(stamp, stamp, "exact").uncertainty(figures(0, 0))],
            ),
            times(
                2,
                &[sample(stamp, stamp, "unmapped").uncertainty(json!("cannot"))],
            ),
        ],
    )
    .wrong_answer("a bound stands beside a time that no mapping places")
}
