//! Item 18: every division of the estimator truncates toward zero (reading G04).
//!
//! But for the last, the files are those of `fits.rs`; the wrong mappings are what one step gives
//! that divides otherwise, all others right.

use ca3_wire::records::ClockDomain;

use super::super::Page;
use super::fits::{arriving, of_arrivals, of_trips, through_arrivals, tripping};
use super::{Fit, Seen, arrivals, line, one_way};
use crate::Draft;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let case = |name: &str,
                title: &str,
                [right, wrong]: [ClockDomain; 2],
                observations: Vec<Seen>,
                field: &str,
                what: &str| {
        Fit {
            name,
            rules: &["CA3-10.7-07"],
            title,
            observations,
            right,
            wrong,
            field,
            what,
        }
        .case(page)
    };
    vec![
        // -216.25 becomes -217: the offset then is -7000000050 + 542.
        case(
            "negative-skew",
            "a slope of -216.25 ppb is -216",
            [of_arrivals(), through_arrivals(-6_999_999_508, -217, 605)],
            arriving(),
            "offset_ns",
            "the mapping of an estimator that rounds the slope down",
        ),
        // -540.00001 becomes -541: -7000000050 + 541.
        case(
            "negative-drift-to-the-origin",
            "a drift of -540.00001 ns between the origin and the fastest arrival is -540",
            [of_arrivals(), through_arrivals(-6_999_999_509, -216, 601)],
            arriving(),
            "offset_ns",
            "the mapping of an estimator that rounds that drift down",
        ),
        // Of the last: 5000000105 * -216 / 10^9 = -1080.00002, which becomes -1081.
        case(
            "negative-drift-of-a-residual",
            "a drift of -1080.00002 ns under a residual is -1080",
            [of_arrivals(), through_arrivals(-6_999_999_510, -216, 603)],
            arriving(),
            "residual_spread_ns",
            "the mapping of an estimator that rounds the drift of residuals down",
        ),
        // The second has an rtt of 301: its middle is 150 behind sent, not 151.
        case(
            "half-of-an-odd-round-trip",
            "the middle of a round trip of 301 ns lies 150 ns behind its start",
            [
                of_trips(),
                ClockDomain {
                    offset_ns: 3_000_000_685,
                    ..of_trips()
                },
            ],
            tripping(),
            "offset_ns",
            "the mapping of an estimator that rounds half a round trip up",
        ),
        case(
            "half-of-the-least-round-trip",
            "both bounds under a least round trip of 211 ns are 105 ns",
            [
                of_trips(),
                ClockDomain {
                    bias_low_ns: 106,
                    bias_high_ns: 106,
                    ..of_trips()
                },
            ],
            tripping(),
            "bias_low_ns",
            "both bounds become 106",
        ),
        case(
            "drift-past-53-bits",
            "a drift of 40024201.999999999 ns is 40024201: in doubles the quotient is a whole number",
            [through_drifting(700), through_drifting(699)],
            drifting(),
            "residual_spread_ns",
            "the mapping of an estimator that computes in doubles",
        ),
    ]
}

/// Three arrivals, a third of a year behind their clock:
///
/// ```text
/// elapsed 0 800500050001 2000000000000; the first two are of the first half
/// delta   10000000000000001 10000000040024902 10000000099998001
/// a       the first: its delta is the offset
/// b       the third
/// skew    99998000 * 10^9 / 2000000000000 = 49999
/// of the second: drift 800500050001 * 49999 / 10^9 = 40024201.999999999 -> 40024201,
///         residual 40024901 - 40024201 = 700
/// residuals, sorted: 0 0 700; rank ceil(2.85) = 3
/// ```
fn drifting() -> Vec<Seen> {
    arrivals(&[
        [1_000_000_000, 10_000_001_000_000_001],
        [801_500_050_001, 10_000_801_540_074_903],
        [2_001_000_000_000, 10_002_001_099_998_001],
    ])
}

/// The line through the first and the third of [`drifting`], with this spread.
fn through_drifting(spread: u64) -> ClockDomain {
    one_way(line(
        10_000_000_000_000_001,
        49_999,
        1_000_000_000,
        [spread, 3],
    ))
}
