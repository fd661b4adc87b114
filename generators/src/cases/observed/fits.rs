//! Item 18: observations that do not lie on one line, each with what the
//! estimator of version 1 makes of it, step by step (reading G04).

use ca3_wire::records::ClockDomain;

use super::super::Page;
use super::{Fit, Seen, arrivals, line, one_way, receipt_only, round_trip, trips};
use crate::Draft;

const RULES: &[&str] = &["CA3-10.7-02"];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = arrivals_in_halves(page);
    cases.extend(trips_in_halves(page));
    cases.extend(one_half(page));
    cases.push(receipts(page));
    cases.push(wide(page));
    cases
}

/// Eight arrivals. With delta = receipt - source:
///
/// ```text
/// delta   -6999999300 -6999999690 -6999999360 -7000000050
///         -7000000101 -7000000223 -7000000223 -6999999988
/// span    14000000106 - 9000000001 = 5000000105, its half 2500000052
/// middle  11500000053: the fourth lies on it, the fifth 1 ns behind
/// a       the fourth, delta -7000000050
/// b       the sixth, delta -7000000223; the seventh ties
/// skew    -173 * 10^9 / 799999947 = -216.25 -> -216
/// offset  -7000000050 - (2500000052 * -216 / 10^9 = -540.00001 -> -540) = -6999999510
/// residuals, sorted: 0 1 29 51 151 210 452 602; rank ceil(7.6) = 8
/// ```
pub(super) fn arriving() -> Vec<Seen> {
    arrivals(&[
        [9_000_000_001, 2_000_000_701],
        [9_700_000_000, 2_700_000_310],
        [10_400_000_000, 3_400_000_640],
        [11_500_000_053, 4_500_000_003],
        [11_500_000_054, 4_499_999_953],
        [12_300_000_000, 5_299_999_777],
        [13_000_000_003, 5_999_999_780],
        [14_000_000_106, 7_000_000_118],
    ])
}

/// A line about the origin of [`arriving`]: offset, skew and spread.
pub(super) fn through_arrivals(offset_ns: i64, skew_ppb: i64, spread: u64) -> ClockDomain {
    one_way(line(offset_ns, skew_ppb, 9_000_000_001, [spread, 8]))
}

/// What [`arriving`] implies.
pub(super) fn of_arrivals() -> ClockDomain {
    through_arrivals(-6_999_999_510, -216, 602)
}

/// Nine round trips. With rtt = receipt - sent, delta = sent + rtt/2 - source:
///
/// ```text
/// delta   3000000498 3000000550 3000000471 3000000454 3000000100
///         3000000200 2999999905 2999999456 2999999705
/// rtt     801 301 545 709 301 | 499 211 911 211
/// span    8000000107 - 1000000003 = 7000000104, its half 3500000052
/// middle  4500000055: the fifth lies on it, the sixth 1 ns behind
/// a       the second, rtt 301, delta 3000000550; the fifth ties
/// b       the seventh, rtt 211, delta 2999999905; the ninth ties
/// skew    -645 * 10^9 / 4300000000 = -150
/// offset  3000000550 - (899999997 * -150 / 10^9 = -134.99 -> -134) = 3000000684
/// residuals, sorted: 0 0 41 59 71 86 174 186 329; rank ceil(8.55) = 9
/// min_rtt 211, its half 105
/// skew uncertainty (150 + 105) * 10^9 / 4300000000 = 59.3 -> 59
/// ```
pub(super) fn tripping() -> Vec<Seen> {
    trips(&[
        [1_000_000_003, 4_000_000_101, 4_000_000_902],
        [1_900_000_000, 4_900_000_400, 4_900_000_701],
        [3_000_000_001, 6_000_000_200, 6_000_000_745],
        [3_700_000_000, 6_700_000_100, 6_700_000_809],
        [4_500_000_055, 7_500_000_005, 7_500_000_306],
        [4_500_000_056, 7_500_000_007, 7_500_000_506],
        [6_200_000_000, 9_199_999_800, 9_200_000_011],
        [7_000_000_000, 9_999_999_001, 9_999_999_912],
        [8_000_000_107, 10_999_999_707, 10_999_999_918],
    ])
}

/// A line about the origin of [`tripping`]: offset, skew and spread.
fn through_trips(offset_ns: i64, skew_ppb: i64, spread: u64) -> ClockDomain {
    line(offset_ns, skew_ppb, 1_000_000_003, [spread, 9])
}

/// What [`tripping`] implies.
pub(super) fn of_trips() -> ClockDomain {
    round_trip([211, 105], 59, through_trips(3_000_000_684, -150, 329))
}

fn arrivals_in_halves(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, wrong: ClockDomain, field: &str, what: &str| {
        Fit {
            name,
            rules: RULES,
            title,
            observations: arriving(),
            right: of_arrivals(),
            wrong,
            field,
            what,
        }
        .case(page)
    };
    vec![
        // The first half without the fourth: a is the second, delta -6999999690.
        case(
            "middle-is-of-the-first-half",
            "an observation exactly in the middle of the source span belongs to the first half",
            through_arrivals(-6_999_999_547, -205, 584),
            "offset_ns",
            "the mapping of an estimator that puts the middle into the second half",
        ),
        // b is the seventh: -173 * 10^9 / 1499999950 = -115.3.
        case(
            "earliest-arrival-on-a-tie",
            "two arrivals of the second half have the least delta: the earlier one counts",
            through_arrivals(-6_999_999_763, -115, 563),
            "offset_ns",
            "the mapping of an estimator that takes the later of two equal deltas",
        ),
        // delta[a] itself, which lies 2.5 s behind the origin.
        case(
            "offset-at-the-origin",
            "the offset is that of the line at its origin, not that of the observation it goes through",
            through_arrivals(-7_000_000_050, -216, 1_142),
            "offset_ns",
            "the mapping of an estimator that takes the least delta for the offset",
        ),
        count_of_observations(page),
    ]
}

/// Five arrivals, of which one lies in the first half of the span.
///
/// ```text
/// delta   5900 4300 4100 5000 5500
/// middle  1000 + 10000000000/2 = 5000001000: the first alone lies before it
/// skew    (4100 - 5900) * 10^9 / 9499999000 = -189.47 -> -189
/// offset  5900 - 0
/// residuals, sorted: 0 5 100 914 1490; rank 5
/// ```
fn count_of_observations(page: &Page) -> Draft {
    let through = |offset_ns: i64, skew_ppb: i64, spread: u64| {
        one_way(line(offset_ns, skew_ppb, 1_000, [spread, 5]))
    };
    Fit {
        name: "halves-of-the-span",
        rules: RULES,
        title: "one observation in the first half of the source span, four in the second",
        observations: arrivals(&[
            [1_000, 6_900],
            [9_000_000_000, 9_000_004_300],
            [9_500_000_000, 9_500_004_100],
            [9_600_000_000, 9_600_005_000],
            [10_000_001_000, 10_000_006_500],
        ]),
        right: through(5_900, -189, 1_490),
        // a is the third of five, b the fourth: 900 * 10^9 / 100000000 = 9000.
        wrong: through(-81_399, 9_000, 87_299),
        field: "offset_ns",
        what: "the mapping of an estimator that halves the number of observations",
    }
    .case(page)
}

fn trips_in_halves(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, wrong: ClockDomain, field: &str, what: &str| {
        Fit {
            name,
            rules: RULES,
            title,
            observations: tripping(),
            right: of_trips(),
            wrong,
            field,
            what,
        }
        .case(page)
    };
    vec![
        // a is the fifth, b the eighth: -644 * 10^9 / 2499999945 = -257.6; the
        // slope's uncertainty (150 + 455) * 10^9 / 2499999945 = 242.
        case(
            "least-round-trip",
            "the shortest round trip of each half counts, not the least delta",
            round_trip([211, 105], 242, through_trips(3_000_000_999, -257, 505)),
            "offset_ns",
            "the mapping of an estimator that takes the least delta of each half",
        ),
        // a is the fifth, b the ninth: -395 * 10^9 / 3500000052 = -112.9.
        case(
            "earliest-trip-on-a-tie",
            "in each half two round trips are the shortest: the earlier one counts",
            round_trip([211, 105], 72, through_trips(3_000_000_492, -112, 365)),
            "offset_ns",
            "the mapping of an estimator that takes the later of two equal round trips",
        ),
        case(
            "least-of-all-round-trips",
            "min_rtt is the least of all round trips, which lies in the second half",
            round_trip([301, 150], 59, through_trips(3_000_000_684, -150, 329)),
            "min_rtt_ns",
            "the mapping of an estimator that takes the least round trip of the first half",
        ),
        halved_each(page),
    ]
}

/// Two round trips a second apart: 150 + 105 of 10^9, each half truncated. The
/// middle of the first is 400000000 + 150, that of the second 1400000000 + 105.
fn halved_each(page: &Page) -> Draft {
    // delta 300000150 and 300000105: skew -45 * 10^9 / 10^9, and both lie on it.
    let through = |skew_uncertainty: u64| {
        let line = line(300_000_150, -45, 100_000_000, [0, 2]);
        round_trip([211, 105], skew_uncertainty, line)
    };
    Fit {
        name: "each-round-trip-halved",
        rules: RULES,
        title: "the slope's uncertainty adds the halves of two odd round trips, each truncated",
        observations: trips(&[
            [100_000_000, 400_000_000, 400_000_301],
            [1_100_000_000, 1_400_000_000, 1_400_000_211],
        ]),
        right: through(255),
        wrong: through(256),
        field: "skew_uncertainty_ppb",
        what: "the mapping of an estimator that halves the sum of both",
    }
    .case(page)
}

fn one_half(page: &Page) -> Vec<Draft> {
    let one = Fit {
        name: "one-round-trip",
        rules: RULES,
        title: "a single round trip: no slope, and nothing is estimated of its uncertainty",
        // 9000000000 + 501/2 - 2000000000 = 7000000250
        observations: trips(&[[2_000_000_000, 9_000_000_000, 9_000_000_501]]),
        right: round_trip(
            [501, 250],
            u64::MAX,
            line(7_000_000_250, 0, 2_000_000_000, [0, 1]),
        ),
        wrong: round_trip([501, 250], 0, line(7_000_000_250, 0, 2_000_000_000, [0, 1])),
        field: "skew_uncertainty_ppb",
        what: "the slope is said to be known exactly",
    };
    // delta 900 420 650 420: the span begins and ends at the first, so that all
    // belong to the first half; the second is the earliest of the least.
    // Residuals, sorted: 0 0 230 480.
    let backwards = |offset_ns: i64| one_way(line(offset_ns, 0, 5_000_000_000, [480, 4]));
    let latest = Fit {
        name: "latest-source-first",
        rules: RULES,
        title: "the first observation has the greatest source: there is no second half, and no slope",
        observations: arrivals(&[
            [5_000_000_000, 5_000_000_900],
            [2_000_000_000, 2_000_000_420],
            [3_000_000_000, 3_000_000_650],
            [4_000_000_000, 4_000_000_420],
        ]),
        right: backwards(420),
        wrong: backwards(900),
        field: "offset_ns",
        what: "the mapping of an estimator that takes the first delta",
    };
    // Two sources that are the same: delta 700 and 600, no slope.
    let same = |offset_ns: i64| one_way(line(offset_ns, 0, 5_000_000_000, [100, 2]));
    let standing = Fit {
        name: "one-source-twice",
        rules: RULES,
        title: "two arrivals of one source: there is no second half, and no slope",
        observations: arrivals(&[
            [5_000_000_000, 5_000_000_700],
            [5_000_000_000, 5_000_000_600],
        ]),
        right: same(600),
        wrong: same(700),
        field: "offset_ns",
        what: "the mapping of an estimator that takes the first delta",
    };
    vec![one.case(page), latest.case(page), standing.case(page)]
}

/// delta 300250 300100 300900 300400; residuals of the first, sorted: 0 150 150
/// 650; of the least: 0 150 300 800.
fn receipts(page: &Page) -> Draft {
    let through =
        |offset_ns: i64, spread: u64| receipt_only(line(offset_ns, 0, 2_000_000_000, [spread, 4]));
    Fit {
        name: "first-receipt",
        rules: RULES,
        title: "receipt_only takes the first delta, and no slope, though a later one is less",
        observations: arrivals(&[
            [2_000_000_000, 2_000_300_250],
            [3_000_000_000, 3_000_300_100],
            [4_000_000_000, 4_000_300_900],
            [5_000_000_000, 5_000_300_400],
        ]),
        right: through(300_250, 650),
        wrong: through(300_100, 800),
        field: "offset_ns",
        what: "the mapping of an estimator that takes the least delta",
    }
    .case(page)
}

/// A clock that gains a hundredth. delta 8000000000003 8004000000001
/// 8016000000003 8020000000500, in s 8000, 8004, 8016, 8020; the middle is
/// 2000000000000.
///
/// ```text
/// skew    16000000000 * 10^9 / 1600000000007 = 9999999.96 -> 9999999
/// drifts  400000000000 * 9999999 / 10^9 = 3999999600
///         1600000000007 * 9999999 / 10^9 = 15999998400.07 -> 15999998400
///         2000000000000 * 9999999 / 10^9 = 19999998000
/// residuals, sorted: 0 398 1600 2497; rank 4
/// ```
///
/// The first and the last product pass 2^63.
fn wide(page: &Page) -> Draft {
    let through = |spread: u64| {
        let line = line(8_000_000_000_003, 9_999_999, 1_000_000_000_000, [spread, 4]);
        one_way(line)
    };
    Fit {
        name: "products-past-64-bits",
        rules: RULES,
        title: "a slope of a hundredth over minutes: the products do not fit 64 bits",
        observations: arrivals(&[
            [1_000_000_000_000, 9_000_000_000_003],
            [1_400_000_000_000, 9_404_000_000_001],
            [2_600_000_000_007, 10_616_000_000_010],
            [3_000_000_000_000, 11_020_000_000_500],
        ]),
        right: through(2_497),
        wrong: through(2_498),
        field: "residual_spread_ns",
        what: "residual_spread_ns becomes 2498",
    }
    .case(page)
}
