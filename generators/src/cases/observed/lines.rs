//! Item 18: observations exactly on a line without skew, of which every
//! estimator says the same (§10.7).

use ca3_wire::records::ClockDomain;

use super::super::Page;
use super::{
    FITTED, Fit, LABEL, Seen, arrivals, block_of, line, moved, observing, one_way, receipt_only,
    round_trip, seen, shift_of, trips,
};
use crate::Draft;
use crate::plan::observations;
use crate::verifying::{all_inconsistent, one_inconsistent, verifications};

const SECOND: i64 = 1_000_000_000;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = wrong_by_a_second(page);
    cases.extend(barely_wrong(page));
    cases.push(several_domains(page));
    cases.extend(quality(page));
    cases
}

/// The peer runs 3 s behind and every message takes 5 ms: delta is 3.005 s in
/// each of the four.
pub(super) fn constant_delay() -> Vec<Seen> {
    arrivals(&[
        [1_000_000_000, 4_005_000_000],
        [2_000_000_000, 5_005_000_000],
        [3_500_000_000, 6_505_000_000],
        [5_000_000_000, 8_005_000_000],
    ])
}

/// The line through them.
pub(super) fn flat() -> ClockDomain {
    line(3_005_000_000, 0, 1_000_000_000, [0, 4])
}

/// Round trips of 400 ns about a clock that runs 3 s ahead: the middle of each
/// lies 3 s before the source, so that delta is -3 s.
pub(super) fn constant_trips() -> Vec<Seen> {
    trips(&[
        [4_000_000_000, 999_999_800, 1_000_000_200],
        [5_000_000_000, 1_999_999_800, 2_000_000_200],
        [6_500_000_000, 3_499_999_800, 3_500_000_200],
        [8_000_000_000, 4_999_999_800, 5_000_000_200],
    ])
}

/// The line through them. Its slope is known to 100 ppb: the two halves' least
/// trips are the first observation and the third, 2.5 s apart, and 200 and 200
/// of 2500000000 are 160 parts in 10^9.
pub(super) fn flat_trip() -> ClockDomain {
    round_trip([400, 200], 160, line(-3 * SECOND, 0, 4_000_000_000, [0, 4]))
}

fn wrong_by_a_second(page: &Page) -> Vec<Draft> {
    let later = |domain: &ClockDomain, by: i64| ClockDomain {
        offset_ns: domain.offset_ns + by,
        ..domain.clone()
    };
    let case = |name: &str, title: &str, observations: Vec<Seen>, right: ClockDomain, by: i64| {
        Fit {
            name,
            rules: &["CA3-10.7-02"],
            title,
            observations,
            wrong: later(&right, by),
            right,
            field: "offset_ns",
            what: "offset_ns is wrong by one second",
        }
        .case(page)
    };
    vec![
        case(
            "one-way",
            "four arrivals of one delay under method 1, and the offset they imply",
            constant_delay(),
            one_way(flat()),
            SECOND,
        ),
        case(
            "receipt-only",
            "four arrivals of one delay under method 0, and the offset they imply",
            constant_delay(),
            receipt_only(flat()),
            -SECOND,
        ),
        case(
            "round-trip",
            "four round trips of one length under method 2, and the offset they imply",
            constant_trips(),
            flat_trip(),
            SECOND,
        ),
    ]
}

fn barely_wrong(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, wrong: ClockDomain, field: &str, what: &str| {
        Fit {
            name,
            rules: &["CA3-10.7-07"],
            title,
            observations: constant_delay(),
            right: one_way(flat()),
            wrong,
            field,
            what,
        }
        .case(page)
    };
    vec![
        case(
            "offset-by-one",
            "one nanosecond of offset that the observations do not imply",
            ClockDomain {
                offset_ns: 3_005_000_001,
                ..one_way(flat())
            },
            "offset_ns",
            "offset_ns is 1 ns greater",
        ),
        case(
            "spread-of-nothing",
            "a residual spread of 500 ns where every residual is 0",
            ClockDomain {
                residual_spread_ns: 500,
                ..one_way(flat())
            },
            "residual_spread_ns",
            "residual_spread_ns becomes 500",
        ),
        case(
            "skew-of-nothing",
            "a skew of 1000 ppb where the line is flat",
            ClockDomain {
                skew_ppb: 1_000,
                ..one_way(flat())
            },
            "skew_ppb",
            "skew_ppb becomes 1000",
        ),
    ]
}

/// Each domain is judged by itself.
fn several_domains(page: &Page) -> Draft {
    let v = page.values("each-by-itself");
    let shift = shift_of(&v);
    let chunk = observations(1, &seen(&constant_delay(), shift));
    let of = |domain: &str, offset_ns: i64| ClockDomain {
        domain: domain.to_owned(),
        offset_ns,
        ..moved(&one_way(flat()), shift)
    };
    let offset = flat().offset_ns;
    let valid = observing(&v).chunk(chunk).clock_block(&block_of(&[
        of("peer-a", offset),
        of("peer-b", offset),
        of("peer-c", offset),
    ]));
    let wrong = offset + SECOND;
    let invalid = valid
        .clone()
        .replace_field(LABEL, "domains[1].offset_ns", &wrong.to_le_bytes());
    Draft::new(
        "each-by-itself",
        &["CA3-10.7-02"],
        "three mappings from the same observations, the second wrong by a second in the other file",
    )
    .readings(FITTED)
    .valid_asked(
        valid,
        vec![verifications(&["verified", "verified", "verified"])],
    )
    .invalid_asked(invalid, vec![one_inconsistent(3, 1)])
}

fn quality(page: &Page) -> Vec<Draft> {
    let case = |name: &str, qualities: &[u8], title: &str| {
        let v = page.values(name);
        let shift = shift_of(&v);
        let block = |spread: u64| {
            let domain = |(number, quality): (u32, &u8)| ClockDomain {
                domain: format!("peer-{number}"),
                quality: *quality,
                residual_spread_ns: spread,
                ..moved(&one_way(flat()), shift)
            };
            let domains: Vec<ClockDomain> = (1u32..).zip(qualities).map(domain).collect();
            block_of(&domains)
        };
        let valid = observing(&v)
            .chunk(observations(1, &seen(&constant_delay(), shift)))
            .clock_block(&block(0));
        let invalid = valid.clone().rewrite(
            LABEL,
            &block(500),
            "domains[0].residual_spread_ns",
            "each residual_spread_ns becomes 500, where every residual is 0",
        );
        let words = vec!["verified"; qualities.len()];
        Draft::new(name, &["CA3-10.7-07"], title)
            .readings(FITTED)
            .valid_asked(valid, vec![verifications(&words)])
            .invalid_asked(invalid, vec![all_inconsistent(qualities.len())])
    };
    vec![
        case(
            "quality-is-not-compared",
            &[1, 2],
            "quality 1 and quality 2 over the same observations: both mappings are verified",
        ),
        case(
            "quality-0-with-observations",
            &[0],
            "quality 0 over observations that imply the rest: verified, as quality is not computed",
        ),
    ]
}
