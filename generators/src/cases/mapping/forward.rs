//! From a stream's stamp to the reference (§10.6).

use ca3_wire::records::ClockDomain;

use super::super::{Page, plan};
use super::{FAR, PEER, block_of, line, mapped, peer, signed, stream_of};
use crate::Draft;
use crate::asking::{Ask, emitted, in_force};
use crate::plan::Chunk;

/// 2^63: where a stamp no longer fits a signed integer of 64 bits.
const HALF: u64 = 1 << 63;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = offsets(page);
    cases.extend(drift(page));
    cases.push(wide_product(page));
    cases.push(drift_beyond_doubles(page));
    cases.push(below_half_the_range(page));
    cases.push(past_half_the_range(page));
    cases.push(clamp(page));
    cases.push(unavailable(page));
    cases
}

fn offsets(page: &Page) -> Vec<Draft> {
    let v = page.values("offset-is-added");
    let offset = v.u64("offset_ns", 1_000, 100..=4_000);
    let stamp = v.u64("stamp_ns", 5_000, 5_000..=90_000);
    let added = Draft::new(
        "offset-is-added",
        &["CA3-10.6-01"],
        "a positive offset: the reference is ahead of the stream's clock",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 0, 0),
            &[(stamp, b"one")],
        ),
        vec![
            Ask::window(
                0,
                FAR,
                &[1],
                &[emitted(1, "ok", stamp, stamp + offset, b"one")],
            ),
            Ask::state_at(FAR, &[in_force(1, "ok", stamp, stamp + offset, b"one")]),
        ],
    )
    .wrong_answer("the offset is subtracted");

    let v = page.values("negative-offset");
    let offset = v.u64("offset_ns", 5, 1..=90);
    let stamp = v.u64("stamp_ns", 100, 100..=9_000);
    let negative = Draft::new(
        "negative-offset",
        &["CA3-1.2-01"],
        "offset_ns is signed, in two's complement: a negative one moves a stamp back",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, -signed(offset), 0, 0),
            &[(stamp, b"one")],
        ),
        vec![Ask::state_at(
            stamp - offset,
            &[in_force(1, "ok", stamp, stamp - offset, b"one")],
        )],
    )
    .wrong_answer("2^64 less the offset is added, or the time is clamped at zero");
    vec![added, negative]
}

fn drift(page: &Page) -> Vec<Draft> {
    let v = page.values("skew-is-an-integer");
    let origin = v.u64("reference_source_ns", 1_000_000_000, 1..=2_000_000_000);
    // 10^9 ns behind the origin, a skew of N ppb has drifted N ns.
    let skew = v.u64("skew_ppb", 1_000, 500..=90_000);
    let stamp = origin + 1_000_000_000;
    let integer = Draft::new(
        "skew-is-an-integer",
        &["CA3-1.1-02"],
        "skew_ppb is an i64 in parts per billion; its bytes read as a double are next to nothing",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, 0, signed(skew), origin),
            &[(stamp, b"one")],
        ),
        vec![Ask::window(
            0,
            FAR,
            &[1],
            &[emitted(1, "ok", stamp, stamp + skew, b"one")],
        )],
    )
    .wrong_answer("no drift is added");

    let v = page.values("before-the-origin");
    let skew = v.u64("skew_ppb", 1_000, 500..=4_000);
    let offset = v.u64("offset_ns", 5_000, 4_000..=90_000);
    let before = Draft::new(
        "before-the-origin",
        &["CA3-10.6-02"],
        "a stamp of 0 lies 10^9 ns before the line's origin: the drift is negative there",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), signed(skew), 1_000_000_000),
            &[(0, b"one")],
        ),
        // (0 - 10^9) * skew / 10^9 = -skew
        vec![Ask::window(
            0,
            FAR,
            &[1],
            &[emitted(1, "ok", 0, offset - skew, b"one")],
        )],
    )
    .wrong_answer("elapsed is counted from zero, or wraps");

    vec![
        integer,
        before,
        truncation(page, "drift-is-truncated", 1_000_000, 1_500),
        truncation(page, "least-drift-is-truncated", 1, 1),
        truncation(page, "steep-drift", 500_000_000, 7),
    ]
}

/// Stamps on both sides of the origin under a fast and a slow clock: all four
/// signs of elapsed and skew. `skew * elapsed` is no multiple of 10^9, so that
/// truncating, flooring and rounding differ.
fn truncation(page: &Page, name: &str, skew: u64, elapsed: u64) -> Draft {
    let v = page.values(name);
    let origin = v.u64("reference_source_ns", 5_000_000, 1_000_000..=90_000_000);
    let offset = v.u64("offset_ns", 40_000, 10_000..=90_000);
    // Toward zero, whatever the sign.
    let drift = skew * elapsed / 1_000_000_000;
    let (early, late) = (origin - elapsed, origin + elapsed);
    let fast = line("peer-fast", signed(offset), signed(skew), origin);
    let slow = line("peer-slow", signed(offset), -signed(skew), origin);
    let messages: [(u64, &[u8]); 2] = [(early, b"early"), (late, b"late")];
    Draft::new(
        name,
        &["CA3-10.6-03"],
        "drift is truncated toward zero on both sides of the origin, for both signs of the skew",
    )
    .valid_asked(
        plan(&v)
            .stream(stream_of(1, "peer-fast", super::PEER_EPOCH))
            .stream(stream_of(2, "peer-slow", super::PEER_EPOCH))
            .chunk(Chunk::plain(1, &messages))
            .chunk(Chunk::plain(2, &messages))
            .clock_block(&block_of(&[fast, slow])),
        vec![Ask::window(
            0,
            FAR,
            &[1, 2],
            &[
                emitted(1, "ok", early, early + offset - drift, b"early"),
                emitted(1, "ok", late, late + offset + drift, b"late"),
                emitted(2, "ok", early, early + offset + drift, b"early"),
                emitted(2, "ok", late, late + offset - drift, b"late"),
            ],
        )],
    )
    .wrong_answer("negative drift is floored, or drift is rounded")
}

fn wide_product(page: &Page) -> Draft {
    let v = page.values("product-of-128-bits");
    let origin = v.u64("reference_source_ns", 1_000, 1..=90_000);
    // 1_000_000_777_777_777 * 1_000_003 = 1_000_003_777_780_110_333_331, over
    // a hundred times 2^63; divided by 10^9 it is 1_000_003_777_780.
    let (elapsed, skew, moved) = (1_000_000_777_777_777, 1_000_003, 1_000_003_777_780);
    let stamp = origin + elapsed;
    let far = 4_000_000_000_000_000;
    Draft::new(
        "product-of-128-bits",
        &["CA3-10.6-03"],
        "eleven days of elapsed time times a skew of a thousandth do not fit 64 bits",
    )
    .valid_asked(
        mapped(plan(&v), line(PEER, 0, skew, origin), &[(stamp, b"one")]),
        vec![Ask::window(
            0,
            far,
            &[1],
            &[emitted(1, "ok", stamp, stamp + moved, b"one")],
        )],
    )
    .wrong_answer("the product wraps at 64 bits")
}

fn drift_beyond_doubles(page: &Page) -> Draft {
    let v = page.values("drift-beyond-doubles");
    // elapsed = 2^62 + 1 - 7 = 4_611_686_018_427_387_898; times 123_456_789 and
    // divided by 10^9 that is 569_343_947_711_240_139, which a double makes ..._128.
    let (origin, skew, moved) = (7, 123_456_789, 569_343_947_711_240_139);
    let stamp = (1 << 62) + 1;
    Draft::new(
        "drift-beyond-doubles",
        &["CA3-10.6-03"],
        "146 years of elapsed time: a drift that only integers hold",
    )
    .valid_asked(
        mapped(plan(&v), line(PEER, 0, skew, origin), &[(stamp, b"one")]),
        // The window's end lies a century behind the message.
        vec![Ask::window(
            0,
            HALF - 1,
            &[1],
            &[emitted(1, "ok", stamp, stamp + moved, b"one")],
        )],
    )
    .wrong_answer("the drift is computed in doubles")
}

fn below_half_the_range(page: &Page) -> Draft {
    let v = page.values("just-below-2-to-the-63rd");
    let offset = v.u64("offset_ns", 5, 1..=9_000);
    // 999_990 * 10^6 / 10^9 = 999.99
    let origin = HALF - 3_000_000;
    let stamp = origin + 999_990;
    Draft::new(
        "just-below-2-to-the-63rd",
        &["CA3-10.6-03"],
        "stamps that a double cannot hold are mapped in integers",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 1_000_000, origin),
            &[(stamp, b"one")],
        ),
        // The window's end lies 2 ms behind the message, which no arithmetic
        // of the inverse confuses.
        vec![Ask::window(
            0,
            HALF - 1,
            &[1],
            &[emitted(1, "ok", stamp, stamp + offset + 999, b"one")],
        )],
    )
    .wrong_answer("the time is that of the nearest double")
}

fn past_half_the_range(page: &Page) -> Draft {
    let v = page.values("past-2-to-the-63rd");
    let offset = v.u64("offset_ns", 10, 1..=9_000);
    let stamp = HALF + v.u64("beyond_ns", 5, 1..=9_000);
    Draft::new(
        "past-2-to-the-63rd",
        &["CA3-10.6-11"],
        "a stamp past 2^63 is mapped like any other, in wider integers",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 0, 0),
            &[(stamp, b"one")],
        ),
        vec![Ask::window(
            0,
            u64::MAX,
            &[1],
            &[emitted(1, "ok", stamp, stamp + offset, b"one")],
        )],
    )
    .wrong_answer("the stamp turns negative, and the time is 0")
}

fn clamp(page: &Page) -> Draft {
    let v = page.values("clamped-at-zero");
    let offset = v.u64("offset_ns", 10, 6..=90);
    // 5 - offset is below zero; T = 0 lies at `offset` on the stream's clock.
    Draft::new(
        "clamped-at-zero",
        &["CA3-10.6-04"],
        "a stamp that the line places before zero is placed at zero",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, -signed(offset), 0, 0),
            &[(5, b"one"), (5 + offset, b"two")],
        ),
        vec![
            Ask::state_at(0, &[in_force(1, "ok", 5, 0, b"one")]),
            Ask::state_at(5, &[in_force(1, "ok", 5 + offset, 5, b"two")]),
        ],
    )
    .wrong_answer("the time is negative, or 2^64 less something")
}

fn unavailable(page: &Page) -> Draft {
    let v = page.values("quality-unavailable");
    let offset = v.u64("offset_ns", 1_000, 600..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let domain = ClockDomain {
        quality: 0,
        ..line(PEER, signed(offset), 1_000, 0)
    };
    Draft::new(
        "quality-unavailable",
        &["CA3-10.6-05"],
        "a mapping of quality 0 is not used, whatever its numbers are",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::plain(1, &[(stamp, b"one"), (stamp + 500, b"two")]))
            .clock_block(&block_of(&[domain])),
        vec![
            Ask::state_at(stamp, &[in_force(1, "unmapped", stamp, stamp, b"one")]),
            Ask::window(
                stamp + 1,
                FAR,
                &[1],
                &[emitted(1, "unmapped", stamp + 500, stamp + 500, b"two")],
            ),
        ],
    )
    .wrong_answer("the offset is applied, or the basis is ok")
}
