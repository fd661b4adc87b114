//! From stamps to times (§10.6), where `times` answers: no query is mapped back,
//! so every line can be asked for, and every stamp.

use ca3_spec::kind::Kind::{LimitExceeded, Other};
use ca3_wire::records::{ClockDomain, Stream};

use super::super::mapping::{PEER, block_of, line, mapped, on_the_peer_s_clock, peer, signed};
use super::super::{Page, plan};
use super::{device_stream, hosts};
use crate::Draft;
use crate::draft::surface;
use crate::plan::{Chunk, Decoded, Sample};
use crate::timing::{raw_source, sample, stamped, times};

/// 2^63: where a stamp no longer fits a signed integer of 64 bits.
const HALF: u64 = 1 << 63;
const SECOND: u64 = 1_000_000_000;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = raw(page);
    cases.extend(lines(page));
    cases.extend(edges(page));
    cases.extend(unusable(page));
    cases.push(reference_elsewhere(page));
    cases
}

fn raw(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-0.3-01";
    let v = page.values("raw-stamps-stay");
    let (stamp, offset) = (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("offset_ns", 1_000, 100..=9_000),
    );
    let source = v.u64("source_timestamp_ns", (1 << 60) + 700, 1 << 60..=(1 << 62));
    let message = |stamp: u64, source: u64| Sample::new(Decoded::at(stamp).source(source), b"one");
    // One line for the host and for its device: whichever of the two the
    // stream's own stamps are held to be on, their time is the same.
    let lines = [(0, "dev-a"), (1, PEER)].map(|(kind, name)| ClockDomain {
        kind,
        ..line(name, signed(offset), 0, 0)
    });
    let stay = Draft::new(
        "raw-stamps-stay",
        &[RULE],
        "a mapped sample keeps the host's stamp and the device's as they are stored",
    )
    .valid_asked(
        plan(&v)
            .stream(Stream {
                source_clock_domain: "dev-a".to_owned(),
                ..peer(1)
            })
            .chunk(Chunk::of(1, &[message(stamp, source)]))
            .chunk(Chunk::of(1, &[message(stamp + 10, 0)]))
            .clock_block(&block_of(&lines)),
        vec![times(
            1,
            &[
                sample(stamp, stamp + offset, "ok").source(raw_source(source)),
                // A device's stamp of 0 is a stamp.
                sample(stamp + 10, stamp + 10 + offset, "ok").source(raw_source(0)),
            ],
        )],
    )
    .wrong_answer("a raw stamp is rewritten to the mapped time, or a source stamp of 0 is lost");

    let v = page.values("no-source-stamp");
    let (stamp, source) = (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("source_timestamp_ns", 700, 100..=1_900),
    );
    let without = |stamp: u64| Sample::new(Decoded::at(stamp), b"one");
    let absent = Draft::new(
        "no-source-stamp",
        &[RULE],
        "samples with and without a source stamp in one chunk: none is made up",
    )
    .valid_asked(
        plan(&v).stream(device_stream(1, "dev-a")).chunk(Chunk::of(
            1,
            &[
                without(stamp),
                message(stamp + 10, source),
                without(stamp + 20),
            ],
        )),
        vec![times(
            1,
            &[
                stamped(stamp),
                stamped(stamp + 10).source(raw_source(source)),
                stamped(stamp + 20),
            ],
        )],
    )
    .wrong_answer("the stamp, 0 or the sample's before stands where there is no source stamp");
    vec![stay, absent]
}

/// A stamp before its line's origin and one behind it, mapped by lines of both
/// slopes; `drift` is how far each is moved.
fn lines(page: &Page) -> Vec<Draft> {
    let case = |name: &str, rule: &str, title: &str, skew: u64, elapsed: u64, drift: u64| {
        let v = page.values(name);
        let offset = v.u64("offset_ns", 40_000, 10_000..=90_000);
        // Far enough from 0 that nothing is clamped.
        let origin = elapsed + drift + v.u64("origin_ns", 5_000_000, 1_000_000..=90_000_000);
        let (early, late) = (origin - elapsed, origin + elapsed);
        let fast = line("peer-fast", signed(offset), signed(skew), origin);
        let slow = line("peer-slow", signed(offset), -signed(skew), origin);
        let names = ["peer-fast", "peer-slow"];
        Draft::new(name, &[rule], title)
            .valid_asked(
                hosts(plan(&v), &names, &[early, origin, late], &[fast, slow]),
                vec![
                    times(
                        1,
                        &[
                            sample(early, early + offset - drift, "ok"),
                            sample(origin, origin + offset, "ok"),
                            sample(late, late + offset + drift, "ok"),
                        ],
                    ),
                    times(
                        2,
                        &[
                            sample(early, early + offset + drift, "ok"),
                            sample(origin, origin + offset, "ok"),
                            sample(late, late + offset - drift, "ok"),
                        ],
                    ),
                ],
            )
            .wrong_answer("drift is floored, rounded, wraps, or is counted from 0")
    };
    vec![
        case(
            "offset-and-drift",
            "CA3-10.6-01",
            "offset and drift are added, on both sides of the origin, for both signs of the skew",
            1_000,
            2 * SECOND,
            2_000,
        ),
        // 1_500 * 10^6 / 10^9 = 1.5
        case(
            "drift-is-truncated",
            "CA3-10.6-03",
            "a drift of 1.5 ns either way is one nanosecond",
            1_000_000,
            1_500,
            1,
        ),
        // 7 * 123_456_789 / 10^9 = 0.86
        case(
            "drift-below-a-nanosecond",
            "CA3-10.6-03",
            "a drift of 0.86 ns either way is none",
            123_456_789,
            7,
            0,
        ),
        // 1_000_000_777_777_777 * 1_000_003 = 1_000_003_777_780_110_333_331, over
        // a hundred times 2^63; divided by 10^9 it is 1_000_003_777_780.
        case(
            "product-of-128-bits",
            "CA3-10.6-03",
            "eleven days of elapsed time times a skew of a thousandth do not fit 64 bits",
            1_000_003,
            1_000_000_777_777_777,
            1_000_003_777_780,
        ),
        // 5 * 10^9 * 999_999_999 / 10^9
        case(
            "steepest-slope",
            "CA3-10.6-01",
            "a skew of one part per billion above -1 can be used still",
            999_999_999,
            5 * SECOND,
            4_999_999_995,
        ),
    ]
}

fn edges(page: &Page) -> Vec<Draft> {
    let v = page.values("clamped-at-zero");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let clamped = Draft::new(
        "clamped-at-zero",
        &["CA3-10.6-04"],
        "stamps that the line places before zero are placed at zero, and stay in their order",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, -signed(offset), 0, 0),
            &[
                (0, b"one"),
                (offset - 1, b"two"),
                (offset, b"tri"),
                (offset + 1, b"for"),
            ],
        ),
        vec![times(
            1,
            &[
                sample(0, 0, "ok"),
                sample(offset - 1, 0, "ok"),
                sample(offset, 0, "ok"),
                sample(offset + 1, 1, "ok"),
            ],
        )],
    )
    .wrong_answer("the time is negative, or 2^64 less something");

    let v = page.values("past-2-to-the-63rd");
    let offset = v.u64("offset_ns", 10, 1..=9_000);
    let stamp = HALF + v.u64("beyond_ns", 5, 1..=9_000);
    let wide = Draft::new(
        "past-2-to-the-63rd",
        &["CA3-10.6-11"],
        "a stamp past 2^63, and one that the offset takes past it",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 0, 0),
            &[(HALF - offset, b"one"), (stamp, b"two")],
        ),
        vec![times(
            1,
            &[
                sample(HALF - offset, HALF, "ok"),
                sample(stamp, stamp + offset, "ok"),
            ],
        )],
    )
    .wrong_answer("the stamp or the sum turns negative, and the time is 0");

    let v = page.values("past-2-to-the-64th");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let last = u64::MAX - offset;
    let file = mapped(
        plan(&v),
        line(PEER, signed(offset), 0, 0),
        &[(last, b"one")],
    );
    let beyond = Draft::new(
        "past-2-to-the-64th",
        &["CA3-10.6-11"],
        "the last time that 64 bits hold, and the one behind it, which is reported",
    )
    .valid_asked(
        file.clone(),
        vec![times(1, &[sample(last, u64::MAX, "ok")])],
    )
    .invalid_asked(
        file.replace_field(
            super::LABEL,
            "domains[0].offset_ns",
            &(offset + 1).to_le_bytes(),
        ),
        vec![times(1, &[]).surfaces(surface(&[LimitExceeded, Other]))],
    );
    vec![clamped, wide, beyond]
}

fn unusable(page: &Page) -> Vec<Draft> {
    let case = |name: &str, rule: &str, title: &str, change: fn(&mut ClockDomain), wrong: &str| {
        let v = page.values(name);
        let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
        let mut domain = line(PEER, 1_000, 1_000_000, 0);
        change(&mut domain);
        Draft::new(name, &[rule], title)
            .valid_asked(
                mapped(plan(&v), domain, &[(stamp, b"one"), (stamp + 10, b"two")]),
                vec![times(
                    1,
                    &[stamp, stamp + 10].map(|stamp| sample(stamp, stamp, "unmapped")),
                )],
            )
            .wrong_answer(wrong)
    };
    vec![
        case(
            "quality-unavailable",
            "CA3-10.6-05",
            "a mapping of quality 0 is not used, whatever its numbers are",
            |domain| domain.quality = 0,
            "the offset is applied, or the basis is ok",
        ),
        case(
            "quality-not-defined",
            "CA3-10.4-13",
            "a quality that version 1 does not define promises nothing",
            |domain| domain.quality = 9,
            "the offset is applied, or the file is refused",
        ),
        case(
            "skew-of-minus-one",
            "CA3-10.6-09",
            "the reference stands still under this line, which no query can be taken back through",
            |domain| domain.skew_ppb = -1_000_000_000,
            "a mapped time",
        ),
        case(
            "skew-below-minus-one",
            "CA3-10.6-09",
            "the reference runs backwards under this line",
            |domain| domain.skew_ppb = -1_500_000_000,
            "a mapped time",
        ),
        case(
            "least-skew",
            "CA3-10.6-09",
            "a skew of -2^63 is no line either, and stops no reader",
            |domain| domain.skew_ppb = i64::MIN,
            "a mapped time, or an overflow",
        ),
    ]
}

/// A block whose reference is another domain than the Header's pair.
fn reference_elsewhere(page: &Page) -> Draft {
    let v = page.values("reference-is-another-host");
    let (stamp, offset) = (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("offset_ns", 1_000, 100..=9_000),
    );
    Draft::new(
        "reference-is-another-host",
        &["CA3-10.3-04"],
        "the reference is the peer host's pair: its stream is exact, the Header's host is mapped",
    )
    .valid_asked(
        on_the_peer_s_clock(&v, stamp, offset),
        vec![
            times(1, &[sample(stamp, stamp + offset, "ok")]),
            times(2, &[sample(stamp, stamp, "exact")]),
        ],
    )
    .wrong_answer("the Header's host is exact")
}
