//! Item 23: the two sides of a bound, as stored and in a total (§10.4, §10.5).

use ca3_spec::kind::Kind::{BadLength, BadUtf8, MappingInconsistent, Other};
use ca3_wire::records::ClockDomain;
use serde_json::json;

use super::super::mapping::{PEER, block_of, line, mapped, signed};
use super::super::{Page, plan, small};
use super::{LABEL, hosts, level, one_way, round_trip, trigger};
use crate::Draft;
use crate::draft::surface;
use crate::plan::stream;
use crate::timing::{UNBOUNDED, any_bound, clock_of, sample, times, total};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![presence_first(page), accuracy_fields(page)];
    cases.extend(sentinels(page));
    cases.extend(one_way_bounds(page));
    cases
}

/// A file of a block with this domain, or these.
fn stating(name: &str, rule: &str, title: &str, page: &Page, domains: &[ClockDomain]) -> Draft {
    let block = block_of(domains);
    Draft::new(name, &[rule], title).valid_asked(
        small(&page.values(name)).clock_block(&block),
        vec![clock_of(&block)],
    )
}

fn presence_first(page: &Page) -> Draft {
    let name = "presence-first";
    let v = page.values(name);
    // Two figures without a byte of 0 among their lower ones: read a byte too
    // early or too late, nothing comes out right by chance.
    let half = v.u64("half_ns", 0x0121_3141, 0x0101_0101..=0x01FF_FFFF) | 0x0101_0101;
    stating(
        name,
        "CA3-10.4-03",
        "the presence byte stands in front of min_rtt_ns, and everything behind follows from that",
        page,
        &[round_trip(PEER, half, 40)],
    )
    .wrong_answer("min_rtt_ns is read in front of its flag, and the bounds are off by a byte")
}

fn accuracy_fields(page: &Page) -> Draft {
    let v = page.values("accuracy-fields");
    let half = v.u64("half_ns", 200, 100..=9_000);
    let evidence = ClockDomain {
        skew_uncertainty_ppb: v.u64("skew_uncertainty_ppb", 70_000, 10_000..=90_000),
        observation_count: v.u64("observation_count", 800_000, 100_000..=900_000),
        observations_stream: v.u32("observations_stream", 5, 2..=90),
        ..round_trip("peer-a", half, 40)
    };
    let stream_ref = evidence.observations_stream;
    // On this one the sides differ.
    let late = ClockDomain {
        observation_count: v.u64("late_count", 9, 2..=90),
        ..one_way("peer-b", 1, 0)
    };
    let block = block_of(&[late, evidence]);
    let file = small(&v).stream(stream(stream_ref)).clock_block(&block);
    Draft::new(
        "accuracy-fields",
        &["CA3-10.4-04"],
        "bounds, skew uncertainty, observation count, stream and estimator, each with its width",
    )
    // Who takes the empty stream for the observations finds too few of them.
    .valid_asked(
        file.clone(),
        vec![clock_of(&block).or_refused(&[MappingInconsistent])],
    )
    .invalid_asked(
        file.replace_field(LABEL, "domains[1].observation_count", &[4, 0, 0, 0])
            .what("ClockBlock: domains[1].observation_count is stored in four bytes"),
        vec![clock_of(&block).surfaces(surface(&[BadLength, BadUtf8, Other]))],
    )
}

/// The bounds that a round trip implies (§10.5).
pub(in super::super) fn round_trips(page: &Page) -> Vec<Draft> {
    let v = page.values("round-trip-is-halved");
    let half = v.u64("half_ns", 200, 100..=9_000);
    let poor = ClockDomain {
        quality: 1,
        ..round_trip("peer-b", half * 3, 40)
    };
    let halved = stating(
        "round-trip-is-halved",
        "CA3-10.5-03",
        "both bounds of a round trip are half of it; they are stored so, and come back so",
        page,
        &[round_trip("peer-a", half, 40), poor],
    )
    .wrong_answer("the bounds are halved once more, or are the whole round trip");
    vec![halved]
}

/// A round trip that is there, 0 or not, and one that is not (§10.4).
pub(in super::super) fn presence(page: &Page) -> Vec<Draft> {
    let instant = ClockDomain {
        min_rtt_present: 1,
        ..trigger("peer-a", 500, 500)
    };
    let absent = stating(
        "absent-and-zero",
        "CA3-10.4-05",
        "a trigger has a round trip of 0; receipts have none; each is stated as what it is",
        page,
        &[
            one_way("peer-c", 0, 0),
            instant.clone(),
            one_way("peer-b", 1, 0),
            round_trip("peer-d", 0, 40),
        ],
    )
    .wrong_answer("0 for all, or null for all");

    let v = page.values("another-presence-byte");
    let other = ClockDomain {
        min_rtt_present: v.u8("min_rtt_present", 2, 2..=255),
        ..round_trip(PEER, 200, 40)
    };
    let presence = stating(
        "another-presence-byte",
        "CA3-10.4-05",
        "a presence byte that is neither 0 nor 1 says that there is a value",
        page,
        &[other],
    )
    .readings(&["G112"])
    .wrong_answer("null, or the file is refused");
    vec![absent, presence]
}

fn sentinels(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.4-07";
    let nearly = ClockDomain {
        skew_uncertainty_ppb: u64::MAX - 1,
        residual_spread_ns: u64::MAX,
        observation_count: u64::MAX,
        ..trigger("peer-c", u64::MAX - 1, u64::MAX - 1)
    };
    let words = stating(
        "sentinels-in-words",
        RULE,
        "2^64 - 1 is a word in three fields and a number elsewhere; 2^64 - 2 is always a number",
        page,
        &[
            one_way("peer-a", 1, 0),
            ClockDomain {
                skew_uncertainty_ppb: u64::MAX,
                ..trigger("peer-b", u64::MAX, u64::MAX)
            },
            nearly,
        ],
    )
    .wrong_answer("2^64 - 1 as a number, -1, 0 or null");

    let v = page.values("sentinels-in-a-total");
    let stamp = v.u64("stamp_ns", 5_000_000_000, 2_000_000_000..=90_000_000_000);
    let vague = ClockDomain {
        skew_uncertainty_ppb: u64::MAX,
        ..one_way(PEER, 1, 0)
    };
    // A year, beside 584 of them: nothing known adds up to more than 40 ns.
    let within_a_year = json!({"$at_most": (31_536_000_000_000_000_u64).to_string()});
    let high = json!({"$one_of": [UNBOUNDED, within_a_year]});
    let in_a_total = Draft::new(
        "sentinels-in-a-total",
        &[RULE],
        "neither sentinel is a term of a sum",
    )
    .valid_asked(
        mapped(plan(&v), vague, &[(stamp, b"one")]),
        vec![times(
            1,
            &[sample(stamp, stamp, "ok").uncertainty(total(json!(UNBOUNDED), high))],
        )],
    )
    .wrong_answer("a bound of 584 years, or one that wrapped");
    vec![words, in_a_total]
}

fn one_way_bounds(page: &Page) -> Vec<Draft> {
    let receipt = stating(
        "receipt-only",
        "CA3-10.5-01",
        "arrivals alone: the truth may lie any distance below the line, and not above it",
        page,
        &[one_way(PEER, 0, 1_000)],
    )
    .wrong_answer("one number for both sides, or the sentinel as a number");
    let filtered = stating(
        "one-way-min-filter",
        "CA3-10.5-02",
        "the quickest arrivals: the truth may lie any distance below the line, and not above it",
        page,
        &[one_way(PEER, 1, 1_000)],
    )
    .wrong_answer("0 or null below, or the sides exchanged");

    let v = page.values("one-way-is-not-symmetric");
    let (stamp, offset) = (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("offset_ns", 1_000, 100..=9_000),
    );
    let names = ["peer-a", "peer-b", "peer-c"];
    let domains = [
        one_way("peer-a", 0, signed(offset)),
        one_way("peer-b", 1, signed(offset)),
        level("peer-c", signed(offset)),
    ];
    // The bound is 0 above; whoever counts an unknown delay as boundless has no
    // total there either (reading G19).
    let late = total(json!(UNBOUNDED), any_bound());
    let timed = || sample(stamp, stamp + offset, "ok").uncertainty(late.clone());
    let asymmetric = Draft::new(
        "one-way-is-not-symmetric",
        &["CA3-10.5-06"],
        "both one-way methods beside a round trip: no bound below, 0 above",
    )
    .valid_asked(
        hosts(plan(&v), &names, &[stamp], &domains),
        vec![
            clock_of(&block_of(&domains)),
            times(1, &[timed()]),
            times(2, &[timed()]),
            times(3, &[sample(stamp, stamp + offset, "ok")]),
        ],
    )
    .wrong_answer("one figure for both sides, no bound on both, or the sides exchanged");

    let v = page.values("one-way-with-a-slope");
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let sloped = ClockDomain {
        skew_uncertainty_ppb: u64::MAX,
        min_rtt_present: 0,
        min_rtt_ns: 0,
        method: 1,
        bias_low_ns: u64::MAX,
        bias_high_ns: 0,
        ..line(PEER, 0, 0, 0)
    };
    let slope = Draft::new(
        "one-way-with-a-slope",
        &["CA3-10.5-06"],
        "a one-way line whose slope was not estimated either: still no bound below",
    )
    .valid_asked(
        mapped(plan(&v), sloped, &[(stamp, b"one")]),
        vec![times(
            1,
            &[sample(stamp, stamp, "ok").uncertainty(total(json!(UNBOUNDED), any_bound()))],
        )],
    )
    .wrong_answer("a number below");
    vec![receipt, filtered, asymmetric, slope]
}
