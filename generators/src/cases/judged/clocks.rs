//! What a ClockBlock states beside the file's clocks (§10.3, §10.4, §10.12).

use ca3_wire::records::{ClockBlock, ClockDomain, DegradedInterval, Stream};

use super::super::mapping::block_of;
use super::super::{Page, plan, small, string};
use super::judged;
use crate::plan::{Chunk, Decoded, EPOCH, HOST, Plan, Sample, stream};
use crate::{Draft, Finding, Values};

const LABEL: &str = "ClockBlock";

/// A device's clock of which nothing is known: no observations, quality 0, the
/// bounds of a receipt, and no slope estimated.
fn unknown(domain: &str) -> ClockDomain {
    ClockDomain {
        domain: domain.to_owned(),
        bias_low_ns: u64::MAX,
        skew_uncertainty_ppb: u64::MAX,
        estimator_version: 1,
        ..ClockDomain::default()
    }
}

/// A stream with source stamps on each of these domains.
fn with_devices(v: &Values, domains: &[&str]) -> Plan {
    domains
        .iter()
        .zip(1u32..)
        .fold(plan(v), |plan, (domain, stream_ref)| {
            let sample = Sample::new(Decoded::at(2_000).source(500), b"one");
            plan.stream(Stream {
                source_clock_domain: (*domain).to_owned(),
                ..stream(stream_ref)
            })
            .chunk(Chunk::of(stream_ref, &[sample]))
        })
}

pub(super) fn reference(page: &Page) -> Vec<Draft> {
    const CARRIED: &str = "CA3-10.3-02";
    let invented = judged(
        "reference-of-no-clock",
        CARRIED,
        "the reference domain is one that nothing in the file is on",
        small(&page.values("reference-of-no-clock")).clock_block(&block_of(&[])),
        |plan| plan.replace_field(LABEL, "reference_host_id", &string(b"session")),
        Finding::error(CARRIED).at(LABEL),
    );
    const MAPPED: &str = "CA3-10.3-03";
    let unmapped = judged(
        "device-without-mapping",
        MAPPED,
        "a device's domain is in use and the block does not map it",
        with_devices(&page.values("device-without-mapping"), &["dev"])
            .clock_block(&block_of(&[unknown("dev")])),
        |plan| {
            plan.rewrite(
                LABEL,
                &block_of(&[]),
                "domains.count",
                "the domain dev is left out",
            )
        },
        Finding::warning(MAPPED).at(LABEL).at("Stream 1"),
    );
    vec![
        invented,
        unmapped,
        in_checkpoint(page),
        two_epochs(page),
        own_clock(page),
    ]
}

/// The content of a block on the clock of `host`.
fn content_of(host: &str) -> Vec<u8> {
    let block = ClockBlock {
        reference_host_id: host.to_owned(),
        ..block_of(&[])
    };
    let mut out = ca3_wire::Encoder::new();
    // It has no string that could not be encoded.
    let _ = ca3_wire::records::Record::encode(&block, &mut out);
    out.into_parts().0
}

fn in_checkpoint(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.3-02";
    let name = "reference-in-a-checkpoint";
    let with = |plan: Plan, host: &str, what: &str| {
        let content = content_of(host);
        plan.edit_checkpoint("Checkpoint 1", "clock_block", what, move |checkpoint| {
            checkpoint.clock_block.clone_from(&content);
        })
    };
    let file = small(&page.values(name)).checkpoint(true, Vec::new());
    Draft::new(
        name,
        &[RULE],
        "a checkpoint's clock block refers to a clock that nothing in the file is on",
    )
    .clean(
        with(
            file.clone(),
            HOST,
            "its clock block refers to the host's clock",
        )
        .as_valid(),
    )
    .found(
        with(file, "session", "its clock block refers to \"session\""),
        Finding::error(RULE).at("Checkpoint 1"),
    )
}

/// A peer host's clock.
fn peer(host: &str) -> ClockDomain {
    ClockDomain {
        kind: 1,
        ..unknown(host)
    }
}

fn two_epochs(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.3-03";
    let name = "two-epochs-under-one-mapping";
    let on = |stream_ref: u32, epoch: &str| Stream {
        host_id: "rig".to_owned(),
        host_clock_epoch: epoch.to_owned(),
        ..stream(stream_ref)
    };
    let file = |epoch: &str| {
        plan(&page.values(name))
            .stream(on(1, "boot-1"))
            .stream(on(2, epoch))
            .chunk(Chunk::two(1))
            .clock_block(&block_of(&[peer("rig")]))
    };
    judged(
        name,
        RULE,
        "two boots of one host are in use, and its one mapping names neither",
        file("boot-1"),
        |plan| plan.replace_field("Stream 2", "host_clock_epoch", &string(b"boot-2")),
        Finding::warning(RULE).at(LABEL),
    )
}

fn own_clock(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.3-03";
    let name = "own-clock-without-mapping";
    let sample = Sample::new(Decoded::at(2_000).record_ts(2_500), b"one");
    let block = ClockBlock {
        reference_host_id: "rig".to_owned(),
        ..block_of(&[peer(HOST)])
    };
    judged(
        name,
        RULE,
        "receipt times are on the file's own clock, which the block does not map",
        plan(&page.values(name))
            .stream(Stream {
                host_id: "rig".to_owned(),
                host_clock_epoch: EPOCH.to_owned(),
                ..stream(1)
            })
            .chunk(Chunk::of(1, &[sample]))
            .clock_block(&block),
        |plan| plan.replace_field(LABEL, "domains[0].domain", &string(b"other")),
        Finding::warning(RULE).at(LABEL),
    )
}

pub(super) fn block(page: &Page) -> Vec<Draft> {
    const PRESENCE: &str = "CA3-10.4-06";
    let leftover = judged(
        "round-trip-of-absence",
        PRESENCE,
        "min_rtt_ns is 9 where its presence byte is 0",
        with_devices(&page.values("round-trip-of-absence"), &["dev"])
            .clock_block(&block_of(&[unknown("dev")])),
        |plan| plan.replace_field(LABEL, "domains[0].min_rtt_ns", &9u64.to_le_bytes()),
        Finding::error(PRESENCE).at(LABEL).evidence(0, 9),
    );
    const ONCE: &str = "CA3-10.4-11";
    let other_offset = ClockDomain {
        offset_ns: 70,
        ..unknown("dev-b")
    };
    let twice = judged(
        "domain-mapped-twice",
        ONCE,
        "one domain is mapped twice, with different offsets",
        with_devices(&page.values("domain-mapped-twice"), &["dev-a", "dev-b"])
            .clock_block(&block_of(&[unknown("dev-a"), other_offset])),
        |plan| plan.replace_field(LABEL, "domains[1].domain", &string(b"dev-a")),
        Finding::error(ONCE).at(LABEL),
    );
    vec![
        leftover,
        twice,
        presence(page),
        kind(page),
        observations(page),
    ]
}

fn presence(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.4-17";
    let name = "presence-of-two";
    judged(
        name,
        RULE,
        "min_rtt_present is 2",
        with_devices(&page.values(name), &["dev"]).clock_block(&block_of(&[round_trip(400, 200)])),
        |plan| plan.replace_field(LABEL, "domains[0].min_rtt_present", &[2]),
        Finding::warning(RULE).at(LABEL),
    )
    .readings(&["G112"])
}

fn kind(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.4-17";
    let name = "kind-of-nothing";
    judged(
        name,
        RULE,
        "a domain of kind 9",
        with_devices(&page.values(name), &["dev"]).clock_block(&block_of(&[unknown("dev")])),
        |plan| plan.replace_field(LABEL, "domains[0].kind", &[9]),
        Finding::warning(RULE).at(LABEL),
    )
}

fn observations(page: &Page) -> Draft {
    const RULE: &str = "CA3-10.4-16";
    let name = "observations-of-no-stream";
    judged(
        name,
        RULE,
        "observations_stream is one that nothing declares",
        with_devices(&page.values(name), &["dev"]).clock_block(&block_of(&[ClockDomain {
            observations_stream: 1,
            ..unknown("dev")
        }])),
        |plan| {
            let field = "domains[0].observations_stream";
            plan.replace_field(LABEL, field, &99u32.to_le_bytes())
        },
        Finding::error(RULE).at(LABEL),
    )
}

/// A device's clock that was fitted by this method, with these bounds.
fn fitted(method: u8, bounds: [u64; 2]) -> ClockDomain {
    let [bias_low_ns, bias_high_ns] = bounds;
    ClockDomain {
        method,
        quality: 1,
        bias_low_ns,
        bias_high_ns,
        ..unknown("dev")
    }
}

/// By round trips, the least of which took this long.
fn round_trip(min_rtt_ns: u64, bound: u64) -> ClockDomain {
    ClockDomain {
        min_rtt_present: 1,
        min_rtt_ns,
        ..fitted(2, [bound, bound])
    }
}

/// Bounds beside the method that implies them (§10.5).
pub(super) fn bounds(page: &Page) -> Vec<Draft> {
    const IMPLIED: &str = "CA3-10.5-07";
    const HALF: &str = "CA3-10.5-08";
    const UNBOUNDED: u64 = u64::MAX;
    [
        (
            "receipt-bounded-above",
            IMPLIED,
            "receipt_only is bounded by 0 above, and 500 is stated",
            fitted(0, [UNBOUNDED, 0]),
            fitted(0, [UNBOUNDED, 500]),
            "bias_high_ns",
        ),
        (
            "one-way-bounded-below",
            IMPLIED,
            "one_way_min_filter has no bound below, and 0 is stated",
            fitted(1, [UNBOUNDED, 0]),
            fitted(1, [0, 0]),
            "bias_low_ns",
        ),
        (
            "one-way-on-both-sides",
            IMPLIED,
            "one_way_min_filter with a bound of 5 ms on either side",
            fitted(1, [UNBOUNDED, 0]),
            fitted(1, [5_000_000, 5_000_000]),
            "bias_low_ns",
        ),
        (
            "whole-round-trip",
            IMPLIED,
            "a round trip of 400 bounds by 200 on either side, and 400 is stated",
            round_trip(400, 200),
            round_trip(400, 400),
            "bias_low_ns",
        ),
        (
            "odd-round-trip",
            HALF,
            "half of a round trip of 401 is 200, and 201 is stated",
            round_trip(401, 200),
            round_trip(401, 201),
            "bias_low_ns",
        ),
    ]
    .into_iter()
    .chain([(
        "round-trip-without-one",
        IMPLIED,
        "a mapping by round trips, of which the least is absent",
        round_trip(6, 3),
        fitted(2, [3, 3]),
        "min_rtt_present",
    )])
    .map(|(name, rule, title, right, wrong, field)| {
        let what = format!(
            "the bounds are {} and {}",
            wrong.bias_low_ns, wrong.bias_high_ns
        );
        judged(
            name,
            rule,
            title,
            with_devices(&page.values(name), &["dev"]).clock_block(&block_of(&[right])),
            |plan| {
                let field = format!("domains[0].{field}");
                plan.rewrite(LABEL, &block_of(&[wrong]), &field, &what)
            },
            Finding::error(rule).at(LABEL),
        )
    })
    .collect()
}

/// The estimator's version (§10.8).
pub(super) fn estimator(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.8-01";
    [("version-0", 0u32), ("version-2", 2)]
        .map(|(name, version)| {
            judged(
                name,
                RULE,
                &format!("a mapping of estimator_version {version}"),
                with_devices(&page.values(name), &["dev"])
                    .clock_block(&block_of(&[unknown("dev")])),
                |plan| {
                    plan.replace_field(
                        LABEL,
                        "domains[0].estimator_version",
                        &version.to_le_bytes(),
                    )
                },
                Finding::warning(RULE).at(LABEL).evidence(1, version),
            )
        })
        .to_vec()
}

pub(super) fn degraded(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-10.12-08";
    let name = "interval-runs-backwards";
    let block = ClockBlock {
        degraded_intervals: vec![DegradedInterval {
            stream_ref: 1,
            from_ns: 2_000,
            to_ns: 2_005,
            reason: "no answer".to_owned(),
        }],
        ..block_of(&[])
    };
    const RESOLVES: &str = "CA3-10.4-16";
    let unresolved = judged(
        "interval-of-no-stream",
        RESOLVES,
        "a degraded interval of a stream that nothing declares",
        small(&page.values("interval-of-no-stream")).clock_block(&block),
        |plan| {
            let field = "degraded_intervals[0].stream_ref";
            plan.replace_field(LABEL, field, &99u32.to_le_bytes())
        },
        Finding::error(RESOLVES).at(LABEL),
    );
    let backwards = judged(
        name,
        RULE,
        "a degraded interval that ends before it begins",
        small(&page.values(name)).clock_block(&block),
        |plan| {
            plan.replace_field(
                LABEL,
                "degraded_intervals[0].from_ns",
                &2_010u64.to_le_bytes(),
            )
        },
        Finding::error(RULE).at(LABEL),
    );
    vec![backwards, unresolved]
}
