//! What `clock` says of a ClockBlock: every number as it is stored (§10.3, §10.4).

use ca3_wire::records::{ClockBlock, ClockDomain};
use serde_json::json;

use super::super::mapping::{PEER, PEER_EPOCH, block_of, line, peer, stream_of};
use super::super::{Page, one_stream, small};
use super::{one_way, round_trip, trigger};
use crate::Draft;
use crate::plan::{EPOCH, HOST};
use crate::timing::{clock, clock_of, reference};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![every_sort(page), without_domains(page)];
    cases.extend(extremes(page));
    cases.extend(undefined(page));
    cases.extend(references(page));
    cases
}

fn stated(page: &Page, [name, rule, title]: [&str; 3], domains: &[ClockDomain]) -> Draft {
    let block = block_of(domains);
    Draft::new(name, &[rule], title).valid_asked(
        small(&page.values(name)).clock_block(&block),
        vec![clock_of(&block)],
    )
}

fn every_sort(page: &Page) -> Draft {
    let name = "every-sort";
    let v = page.values(name);
    // No two numbers of a domain are one, and none of them is 0, but where a
    // method has it so.
    let numbers = |at: u64, domain: ClockDomain| ClockDomain {
        offset_ns: v.u64("offset_ns", 1_000, 100..=9_000).cast_signed() * 7 - 20_000,
        skew_ppb: v.u64("skew_ppb", 300, 100..=900).cast_signed() - 450,
        reference_source_ns: v.u64("reference_source_ns", 7_000_000, 1_000_000..=9_000_000) + at,
        residual_spread_ns: v.u64("residual_spread_ns", 40, 30..=90) + at,
        observation_count: v.u64("observation_count", 500, 400..=900) + at,
        estimator_version: 1,
        ..domain
    };
    let of = |kind: u8, quality: u8, domain: ClockDomain| ClockDomain {
        kind,
        quality,
        ..domain
    };
    // By no order but their own.
    let domains = [
        of(1, 2, round_trip("peer-m", 250, 0)),
        of(0, 1, one_way("dev-z", 1, 0)),
        of(2, 2, trigger("rig", 5_000_000, 5_000_000)),
        of(0, 0, one_way("dev-a", 0, 0)),
        of(1, 1, one_way("peer-b", 0, 0)),
        of(0, 2, one_way("", 1, 0)),
    ];
    let domains: Vec<ClockDomain> = (1..)
        .zip(domains)
        .map(|(at, domain)| numbers(at, domain))
        .collect();
    stated(
        page,
        [
            name,
            "CA3-10.4-02",
            "domains of every kind, method and quality, in the order in which they are stored",
        ],
        &domains,
    )
    .wrong_answer("domains are sorted, merged by kind or left out, or bytes become words")
}

fn without_domains(page: &Page) -> Draft {
    stated(
        page,
        [
            "without-domains",
            "CA3-10.4-02",
            "a block that states its reference and maps nothing",
        ],
        &[],
    )
    .wrong_answer("a domain is made up for the reference")
}

fn extremes(page: &Page) -> Vec<Draft> {
    let widest = ClockDomain {
        offset_ns: i64::MAX,
        skew_ppb: i64::MAX,
        reference_source_ns: u64::MAX,
        residual_spread_ns: u64::MAX,
        min_rtt_ns: u64::MAX,
        // Half of 2^64 - 1, truncated.
        bias_low_ns: 9_223_372_036_854_775_807,
        bias_high_ns: 9_223_372_036_854_775_807,
        skew_uncertainty_ppb: u64::MAX - 1,
        observation_count: u64::MAX,
        ..round_trip("peer-a", 0, 0)
    };
    let least = ClockDomain {
        offset_ns: i64::MIN,
        skew_ppb: -999_999_999,
        reference_source_ns: 0,
        residual_spread_ns: 0,
        skew_uncertainty_ppb: 0,
        ..round_trip("peer-b", 0, 0)
    };
    let beyond_doubles = ClockDomain {
        offset_ns: -9_007_199_254_740_993,
        reference_source_ns: 9_007_199_254_740_993,
        ..line("peer-c", 0, -1, 0)
    };
    let numbers = stated(
        page,
        [
            "extremes",
            "CA3-10.4-02",
            "the greatest and the least number of every field, and some that no double holds",
        ],
        &[widest, least, beyond_doubles],
    )
    .wrong_answer("a number wraps, changes its sign or goes through a double");
    let slope = ClockDomain {
        skew_ppb: i64::MIN,
        ..round_trip("peer-a", 200, 40)
    };
    let skew = stated(
        page,
        [
            "least-skew",
            "CA3-10.4-02",
            "a skew of -2^63 is stated as it is stored, usable or not",
        ],
        &[slope],
    )
    .readings(&["G60", "G79"])
    .wrong_answer("the number wraps, or the file is refused");
    vec![numbers, skew]
}

fn undefined(page: &Page) -> Vec<Draft> {
    let case = |name: &str, kind: u8, method: u8, quality: u8| {
        let domain = ClockDomain {
            kind,
            method,
            quality,
            ..trigger("peer-a", 5, 5)
        };
        // A domain of version 1 behind it is not misread.
        stated(
            page,
            [
                name,
                "CA3-10.4-13",
                "bytes that version 1 does not define come back as the numbers that they are",
            ],
            &[domain, round_trip(PEER, 200, 40)],
        )
        .wrong_answer("the file is refused, or the byte becomes null, 0 or another word")
    };
    let v = page.values("undefined-bytes");
    vec![
        case(
            "undefined-bytes",
            v.u8("kind", 9, 3..=255),
            v.u8("method", 9, 4..=255),
            v.u8("quality", 9, 3..=255),
        ),
        case("undefined-kind", 3, 3, 2),
        case("undefined-method", 1, 4, 2),
        case("undefined-quality", 1, 3, 255),
    ]
}

fn references(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.3-01";
    let block = |host: &str, epoch: &str| ClockBlock {
        reference_host_id: host.to_owned(),
        reference_host_clock_epoch: epoch.to_owned(),
        ..block_of(&[line(HOST, 1_000, 0, 0)])
    };
    let v = page.values("reference-is-another-host");
    let elsewhere = block(PEER, PEER_EPOCH);
    let host = Draft::new(
        "reference-is-another-host",
        &[RULE],
        "the reference is a peer host's pair, and not the Header's",
    )
    .valid_asked(
        one_stream(&v).stream(peer(2)).clock_block(&elsewhere),
        vec![clock_of(&elsewhere)],
    )
    .wrong_answer("the Header's pair");

    let v = page.values("reference-is-another-boot");
    let rebooted = block(HOST, "boot-2");
    let epoch = Draft::new(
        "reference-is-another-boot",
        &[RULE],
        "the reference is another boot of the recording host",
    )
    .valid_asked(
        one_stream(&v)
            .stream(stream_of(2, HOST, "boot-2"))
            .clock_block(&rebooted),
        vec![clock_of(&rebooted)],
    )
    .wrong_answer("the Header's pair, or its epoch");

    let v = page.values("no-clock-block");
    let own = json!({"$one_of": [{"$absent": true}, reference(HOST, EPOCH)]});
    let none = Draft::new(
        "no-clock-block",
        &["CA3-10.3-05"],
        "a file without a ClockBlock maps nothing",
    )
    .valid_asked(
        small(&v).stream(peer(2)),
        vec![clock(json!({
            "reference": own,
            "domains": [],
            "degraded_intervals": [],
        }))],
    )
    .wrong_answer("a domain is made up for the host or for its peer");
    vec![host, epoch, none]
}
