//! Item 18: the residual spread is the nearest rank of the 95th percentile,
//! ceil(0.95 n) of n residuals (reading G04).

use super::super::Page;
use super::{Fit, arrivals, line, receipt_only};
use crate::Draft;

/// Residuals of 0, 7, 14, ... 7(n-1), of both signs and mixed, about the first
/// delta: the one of rank r, counted from 1, is 7(r-1).
pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let case = |name: &str, count: u64, step: u64, spread: u64, wrong: u64, title: &str| {
        // `step` and the count have no common factor, so that the residuals are
        // 7 times a permutation.
        let seen = (0..count).map(|index| {
            let source = 1_000_000_000 + 1_000_000 * index;
            let residual = 7 * (index * step % count);
            let delta = match index % 2 {
                0 => 1_000 + residual,
                _ => 1_000 - residual,
            };
            [source, source + delta]
        });
        let seen: Vec<[u64; 2]> = seen.collect();
        let through = |spread: u64| receipt_only(line(1_000, 0, 1_000_000_000, [spread, count]));
        Fit {
            name,
            rules: &["CA3-10.7-07"],
            title,
            observations: arrivals(&seen),
            right: through(spread),
            wrong: through(wrong),
            field: "residual_spread_ns",
            what: "residual_spread_ns is that of a neighbouring rank",
        }
        .case(page)
    };
    vec![
        case(
            "spread-of-1",
            1,
            1,
            0,
            7,
            "one observation: its residual is 0, and so is the spread",
        ),
        // ceil(18.05) = 19: 7 * 18
        case(
            "spread-of-19",
            19,
            5,
            126,
            119,
            "of 19 residuals the spread is the 19th, the greatest",
        ),
        // ceil(19.0) = 19: 7 * 18
        case(
            "spread-of-20",
            20,
            7,
            126,
            133,
            "of 20 residuals the spread is the 19th, the greatest but one",
        ),
        // ceil(19.95) = 20: 7 * 19
        case(
            "spread-of-21",
            21,
            5,
            133,
            126,
            "of 21 residuals the spread is the 20th, the greatest but one",
        ),
    ]
}
