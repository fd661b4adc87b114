//! From the reference to a stream's own clock (§10.6): where a query is searched.
//!
//! Quotients are whole or at least 1/16 away from a half, and all values below
//! 2^40, unless the case is provisional (reading G17).

use super::super::{Page, plan};
use super::{FAR, PEER, line, mapped, signed};
use crate::Draft;
use crate::asking::{Ask, emitted, in_force};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![
        exact_quotient(page, "fast-clock", 1_000, 1_000_000, 1_000_000, 5_005_000),
        exact_quotient(page, "slow-clock", -1_000, -1_000_000, 1_000_000, 4_995_000),
        exact_quotient(
            page,
            "before-the-origin",
            1_000,
            1_000_000,
            10_000_000,
            4_996_000,
        ),
    ];
    cases.extend([
        rounds_to_nearest(page),
        clamped(page),
        cannot_be_inverted(page, "skew-of-minus-one", -1_000_000_000),
        cannot_be_inverted(page, "skew-below-minus-one", -1_500_000_000),
        half_away_from_zero(page),
        beyond_doubles(page),
        not_each_other_s_inverse(page),
    ]);
    cases
}

/// A stamp of 5_000_000 and its neighbours 2 ns on either side. With S the
/// skew in parts per billion, R the origin and O the offset,
/// `5_000_000 + O + (5_000_000 - R) * S / 10^9 = time` without a remainder, so
/// that the inverse of `time` is 5_000_000 exactly. Applying the line with its
/// signs turned, which misses by the drift of the drift, lands 4 or 5 ns off.
fn exact_quotient(
    page: &Page,
    name: &str,
    offset: i64,
    skew: i64,
    origin: u64,
    time: u64,
) -> Draft {
    let v = page.values(name);
    let messages: [(u64, &[u8]); 3] = [
        (4_999_998, b"earlier"),
        (5_000_000, b"at it"),
        (5_000_002, b"later"),
    ];
    Draft::new(
        name,
        &["CA3-10.6-06"],
        "the inverse divides by 1 + skew; turning the signs of the line round is not enough",
    )
    .valid_asked(
        mapped(plan(&v), line(PEER, offset, skew, origin), &messages),
        vec![
            Ask::state_at(time, &[in_force(1, "ok", 5_000_000, time, b"at it")]),
            Ask::window(
                time,
                time,
                &[1],
                &[emitted(1, "ok", 5_000_000, time, b"at it")],
            ),
        ],
    )
    .wrong_answer("the query is moved by the negated offset and skew")
}

fn rounds_to_nearest(page: &Page) -> Draft {
    let v = page.values("rounded-to-nearest");
    // 400 / 1.001 = 399.6004 and 600 / 1.001 = 599.4006; forward, 400 and 600
    // are 400.4 and 600.6, of which the drift is truncated away.
    let messages: [(u64, &[u8]); 4] = [(399, b"a"), (400, b"b"), (599, b"c"), (600, b"d")];
    Draft::new(
        "rounded-to-nearest",
        &["CA3-10.6-07"],
        "a query between two instants of the stream's clock goes to the nearer one",
    )
    .valid_asked(
        mapped(plan(&v), line(PEER, 0, 1_000_000, 0), &messages),
        vec![
            Ask::state_at(400, &[in_force(1, "ok", 400, 400, b"b")]),
            Ask::state_at(600, &[in_force(1, "ok", 599, 599, b"c")]),
        ],
    )
    .wrong_answer("the quotient is truncated or rounded up")
}

fn clamped(page: &Page) -> Draft {
    let v = page.values("clamped-at-zero");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let t = v.u64("t_ns", 10, 0..=99);
    // t - offset < 0: the search is at 0 on the stream's clock.
    Draft::new(
        "clamped-at-zero",
        &["CA3-10.6-08"],
        "a query that lies before zero on the stream's clock is searched at zero",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 0, 0),
            &[(0, b"at zero"), (500, b"later")],
        ),
        vec![Ask::state_at(
            t,
            &[in_force(1, "ok", 0, offset, b"at zero")],
        )],
    )
    .wrong_answer("the difference wraps, and the last message is given")
}

fn cannot_be_inverted(page: &Page, name: &str, skew: i64) -> Draft {
    let v = page.values(name);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    Draft::new(
        name,
        &["CA3-10.6-09"],
        "the reference stands still or runs backwards: the mapping has no inverse",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, 1_000, skew, 0),
            &[(stamp, b"one"), (stamp + 10, b"two")],
        ),
        vec![Ask::state_at(
            stamp + 9,
            &[in_force(1, "unmapped", stamp, stamp, b"one")],
        )],
    )
    .wrong_answer("a division by zero, or a mapped time")
}

fn half_away_from_zero(page: &Page) -> Draft {
    let v = page.values("half-is-rounded-up");
    // Under a skew of 10^9 the reference runs twice as fast: T = 5 lies at
    // 2.5, T = 7 at 3.5. Half to even would give 2 and 4.
    let messages: [(u64, &[u8]); 3] = [(2, b"two"), (3, b"tri"), (4, b"for")];
    Draft::new(
        "half-is-rounded-up",
        &["CA3-10.6-10"],
        "an exact half goes away from zero",
    )
    .valid_asked(
        mapped(plan(&v), line(PEER, 0, 1_000_000_000, 0), &messages),
        vec![
            // Forward: 3 + 3 and 4 + 4.
            Ask::state_at(5, &[in_force(1, "ok", 3, 6, b"tri")]),
            Ask::state_at(7, &[in_force(1, "ok", 4, 8, b"for")]),
        ],
    )
    .wrong_answer("a half goes to the even neighbour, or down")
}

fn beyond_doubles(page: &Page) -> Draft {
    let v = page.values("beyond-doubles");
    // T = 2^52 + 12_345. (T - 1_000) * 10^9 + 10^6 * 10^6 over 1_001_000_000 is
    // 4_499_100_526_855_985 and 15/1001; a double makes it ....985.5.
    let t = (1 << 52) + 12_345;
    let stamp = 4_499_100_526_855_985;
    // (stamp - 10^6) * 10^6 / 10^9 = 4_499_100_525_855.985
    let time = stamp + 1_000 + 4_499_100_525_855;
    Draft::new(
        "beyond-doubles",
        &["CA3-10.6-10"],
        "the inverse is exact where a double is off by one",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, 1_000, 1_000_000, 1_000_000),
            &[(stamp, b"one"), (stamp + 1, b"two")],
        ),
        vec![Ask::state_at(t, &[in_force(1, "ok", stamp, time, b"one")])],
    )
    .wrong_answer("the inverse is computed in doubles")
}

fn not_each_other_s_inverse(page: &Page) -> Draft {
    let v = page.values("forward-and-inverse-differ");
    // Forward under a skew of a tenth: 3 + 0.3 -> 3, 6 + 0.6 -> 6. The inverse
    // of 6 is 6 / 1.1 = 5.45 -> 5, where the message at 3 is in force.
    Draft::new(
        "forward-and-inverse-differ",
        &["CA3-9.1-13"],
        "forward truncates, the inverse rounds: at a message's own time, the one before it",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, 0, 100_000_000, 0),
            &[(3, b"one"), (6, b"two")],
        ),
        vec![
            Ask::window(
                0,
                FAR,
                &[1],
                &[
                    emitted(1, "ok", 3, 3, b"one"),
                    emitted(1, "ok", 6, 6, b"two"),
                ],
            ),
            Ask::state_at(6, &[in_force(1, "ok", 3, 3, b"one")]),
        ],
    )
    .wrong_answer("the inverse is bent to fit the forward line")
}
