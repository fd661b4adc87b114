//! Item 18: whatever the estimator computes is compared, field by field
//! (§10.7, reading G61).

use ca3_wire::records::ClockDomain;

use super::super::Page;
use super::fits::{arriving, of_arrivals, of_trips, tripping};
use super::{Fit, NOT_ESTIMATED, Seen, UNBOUNDED};
use crate::Draft;

const RULES: &[&str] = &["CA3-10.7-07"];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = of_a_round_trip(page);
    cases.extend(of_arrivals_alone(page));
    cases
}

/// One field of a mapping, and what it is made.
type Spoil<'a> = (&'a str, &'a str, &'a str, &'a dyn Fn(&mut ClockDomain));

fn spoilt(
    page: &Page,
    observations: &[Seen],
    right: &ClockDomain,
    fields: &[Spoil<'_>],
) -> Vec<Draft> {
    let case = |&(name, title, field, spoil): &Spoil<'_>| {
        let mut wrong = right.clone();
        spoil(&mut wrong);
        Fit {
            name,
            rules: RULES,
            title,
            observations: observations.to_vec(),
            right: right.clone(),
            wrong,
            field,
            what: title,
        }
        .case(page)
    };
    fields.iter().map(case).collect()
}

fn of_a_round_trip(page: &Page) -> Vec<Draft> {
    let fields: &[Spoil<'_>] = &[
        (
            "offset",
            "of a mapping by round trips, offset_ns is 1 too great",
            "offset_ns",
            &|domain| domain.offset_ns += 1,
        ),
        (
            "skew",
            "of a mapping by round trips, skew_ppb is 1 too small",
            "skew_ppb",
            &|domain| domain.skew_ppb -= 1,
        ),
        (
            "origin",
            "of a mapping by round trips, reference_source_ns is 1 too great",
            "reference_source_ns",
            &|domain| domain.reference_source_ns += 1,
        ),
        (
            "spread",
            "of a mapping by round trips, residual_spread_ns is 1 too small",
            "residual_spread_ns",
            &|domain| domain.residual_spread_ns -= 1,
        ),
        (
            "least-round-trip",
            "of a mapping by round trips, min_rtt_ns is 210, whose half is the same",
            "min_rtt_ns",
            &|domain| domain.min_rtt_ns = 210,
        ),
        (
            "least-round-trip-absent",
            "of a mapping by round trips, min_rtt_ns is said to be absent",
            "min_rtt_present",
            &|domain| {
                domain.min_rtt_present = 0;
                domain.min_rtt_ns = 0;
            },
        ),
        (
            "low-bound",
            "of a mapping by round trips, bias_low_ns is 1 too small",
            "bias_low_ns",
            &|domain| domain.bias_low_ns -= 1,
        ),
        (
            "high-bound",
            "of a mapping by round trips, bias_high_ns is 1 too great",
            "bias_high_ns",
            &|domain| domain.bias_high_ns += 1,
        ),
        (
            "skew-uncertainty",
            "of a mapping by round trips, skew_uncertainty_ppb is 1 too small",
            "skew_uncertainty_ppb",
            &|domain| domain.skew_uncertainty_ppb -= 1,
        ),
        (
            "skew-uncertainty-absent",
            "of a mapping by round trips, skew_uncertainty_ppb says not estimated",
            "skew_uncertainty_ppb",
            &|domain| domain.skew_uncertainty_ppb = NOT_ESTIMATED,
        ),
        (
            "count",
            "of a mapping by nine round trips, observation_count is 10",
            "observation_count",
            &|domain| domain.observation_count = 10,
        ),
        (
            "method",
            "the numbers of round trips under method 1, one_way_min_filter",
            "method",
            &|domain| domain.method = 1,
        ),
    ];
    spoilt(page, &tripping(), &of_trips(), fields)
}

fn of_arrivals_alone(page: &Page) -> Vec<Draft> {
    let fields: &[Spoil<'_>] = &[
        (
            "one-way-low-bound",
            "of a one-way mapping, bias_low_ns is a number where it is unbounded",
            "bias_low_ns",
            &|domain| domain.bias_low_ns = 5_000_000,
        ),
        (
            "one-way-high-bound",
            "of a one-way mapping, bias_high_ns is unbounded where it is 0",
            "bias_high_ns",
            &|domain| domain.bias_high_ns = UNBOUNDED,
        ),
        (
            "one-way-round-trip",
            "of a one-way mapping, a least round trip of 0 is stated where there was none",
            "min_rtt_present",
            &|domain| domain.min_rtt_present = 1,
        ),
        (
            "one-way-skew-uncertainty",
            "of a one-way mapping, skew_uncertainty_ppb is 0 where it is not estimated",
            "skew_uncertainty_ppb",
            &|domain| domain.skew_uncertainty_ppb = 0,
        ),
        (
            "one-way-count",
            "of a one-way mapping of eight arrivals, observation_count is 7",
            "observation_count",
            &|domain| domain.observation_count = 7,
        ),
        (
            "one-way-origin",
            "of a one-way mapping, the origin lies nine seconds before the first source",
            "reference_source_ns",
            &|domain| domain.reference_source_ns -= 9_000_000_000,
        ),
    ];
    spoilt(page, &arriving(), &of_arrivals(), fields)
}
