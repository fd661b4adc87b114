//! A device's own stamps, carried into the reference domain (§10.3, §10.4,
//! readings G01, G02, G83, G121).

use ca3_wire::records::{ClockDomain, Stream};
use serde_json::Value;

use super::super::mapping::{PEER, block_of, line, peer, signed};
use super::super::{Page, plan};
use super::{device_stream, round_trip};
use crate::plan::{Chunk, Decoded, HOST, Plan, Sample};
use crate::timing::{figures, sample, source, times};
use crate::{Ask, Draft, Values};

const RULE: &str = "CA3-10.4-14";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        by_name(page),
        by_kind(page),
        both_lines(page),
        qualities(page),
        line_of_the_device(page),
        of_each_sample(page),
        unnamed(page),
        figured(page),
    ]
}

/// A stamp on the host's clock, one on the device's, and an offset, ns.
fn drawn(v: &Values) -> (u64, u64, u64) {
    (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("source_timestamp_ns", 700, 100..=1_900),
        v.u64("offset_ns", 1_000, 100..=9_000),
    )
}

/// The line of a device's clock onto the reference.
fn device(domain: &str, offset_ns: i64) -> ClockDomain {
    ClockDomain {
        kind: 0,
        ..line(domain, offset_ns, 0, 0)
    }
}

/// These streams, each with one message of these two stamps.
fn streams(plan: Plan, streams: &[Stream], at: u64, source: u64) -> Plan {
    streams.iter().fold(plan, |plan, stream| {
        let message = Sample::new(Decoded::at(at).source(source), b"one");
        plan.stream(stream.clone())
            .chunk(Chunk::of(stream.stream_ref, &[message]))
    })
}

/// A stream of each of these devices.
fn named(devices: &[&str]) -> Vec<Stream> {
    devices
        .iter()
        .zip(1u32..)
        .map(|(name, stream_ref)| device_stream(stream_ref, name))
        .collect()
}

/// A stream's one sample, whose time is exact, with this of its source stamp.
fn exact(at: u64, stream_ref: u32, source: Value) -> Ask {
    times(stream_ref, &[sample(at, at, "exact").source(source)])
}

fn by_name(page: &Page) -> Draft {
    let v = page.values("mapped-by-the-device-s-name");
    let (at, stamp, offset) = drawn(&v);
    let names = ["dev-a", "dev-ab", "dev-", "DEV-A"];
    let declared = named(&names);
    let of = |stream_ref: u32, source: Value| exact(at, stream_ref, source);
    Draft::new(
        "mapped-by-the-device-s-name",
        &[RULE],
        "a device's line maps the source stamps of streams that name it, letter for letter",
    )
    .valid_asked(
        streams(plan(&v), &declared, at, stamp)
            .clock_block(&block_of(&[device("dev-a", signed(offset))])),
        vec![
            of(1, source(stamp, stamp + offset, "ok")),
            of(2, source(stamp, stamp, "unmapped")),
            of(3, source(stamp, stamp, "unmapped")),
            of(4, source(stamp, stamp, "unmapped")),
        ],
    )
    .wrong_answer("the name's beginning is enough, or the host stamps are moved")
}

fn by_kind(page: &Page) -> Draft {
    let v = page.values("host-of-the-device-s-name");
    let (at, stamp, offset) = drawn(&v);
    let other = ClockDomain {
        kind: 0,
        ..line(HOST, signed(offset) * 3, 0, 0)
    };
    let host = line("dev-a", signed(offset), 0, 0);
    Draft::new(
        "host-of-the-device-s-name",
        &[RULE],
        "a peer host named like the device, and a device named like the host: neither maps it",
    )
    .valid_asked(
        streams(plan(&v), &[device_stream(1, "dev-a")], at, stamp)
            .clock_block(&block_of(&[host, other])),
        vec![times(
            1,
            &[sample(at, at, "exact").source(source(stamp, stamp, "unmapped"))],
        )],
    )
    .wrong_answer("the kind is not looked at")
}

fn both_lines(page: &Page) -> Draft {
    let v = page.values("host-and-device");
    let (at, stamp, offset) = drawn(&v);
    let stream = Stream {
        source_clock_domain: "dev-a".to_owned(),
        ..peer(1)
    };
    let lines = [
        device("dev-a", -signed(100)),
        ClockDomain {
            quality: 1,
            ..line(PEER, signed(offset), 0, 0)
        },
    ];
    Draft::new(
        "host-and-device",
        &[RULE],
        "a device of a peer host: time by the host's line, source by the device's",
    )
    .valid_asked(
        streams(plan(&v), &[stream], at, stamp).clock_block(&block_of(&lines)),
        vec![times(
            1,
            &[sample(at, at + offset, "degraded").source(source(stamp, stamp - 100, "ok"))],
        )],
    )
    .wrong_answer("one line is applied to both stamps, or both to one")
}

fn qualities(page: &Page) -> Draft {
    let v = page.values("quality-of-the-device-s-line");
    let (at, stamp, offset) = drawn(&v);
    let names = ["dev-a", "dev-b", "dev-c"];
    let lines: Vec<ClockDomain> = names
        .iter()
        .zip(0u8..)
        .map(|(name, quality)| ClockDomain {
            quality,
            ..device(name, signed(offset))
        })
        .collect();
    let declared = named(&names);
    let of = |stream_ref: u32, source: Value| exact(at, stream_ref, source);
    Draft::new(
        "quality-of-the-device-s-line",
        &[RULE],
        "source stamps by lines of quality 0, 1 and 2, beside times that are exact",
    )
    .valid_asked(
        streams(plan(&v), &declared, at, stamp).clock_block(&block_of(&lines)),
        vec![
            of(1, source(stamp, stamp, "unmapped")),
            of(2, source(stamp, stamp + offset, "degraded")),
            of(3, source(stamp, stamp + offset, "ok")),
        ],
    )
    .wrong_answer("source has the basis of the host's stamp, or a line of quality 0 is used")
}

fn line_of_the_device(page: &Page) -> Draft {
    let v = page.values("slope-of-the-device-s-line");
    let skew = v.u64("skew_ppb", 1_000, 500..=4_000);
    let at = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    // The origin is on the device's clock: two seconds behind it and one ahead.
    let origin = 5_000_000_000;
    let sloped = ClockDomain {
        skew_ppb: signed(skew),
        reference_source_ns: origin,
        ..device("dev-a", 0)
    };
    let sources = [
        (origin + 2_000_000_000, origin + 2_000_000_000 + 2 * skew),
        (origin - 1_000_000_000, origin - 1_000_000_000 - skew),
    ];
    let messages: Vec<Sample> = (at..)
        .zip(sources)
        .map(|(at, (stamp, _))| Sample::new(Decoded::at(at).source(stamp), b"one"))
        .collect();
    let samples: Vec<_> = (at..)
        .zip(sources)
        .map(|(at, (stamp, time))| sample(at, at, "exact").source(source(stamp, time, "ok")))
        .collect();
    Draft::new(
        "slope-of-the-device-s-line",
        &[RULE],
        "elapsed is counted on the device's clock; samples stay in the order of the host's stamps",
    )
    .valid_asked(
        plan(&v)
            .stream(device_stream(1, "dev-a"))
            .chunk(Chunk::of(1, &messages))
            .clock_block(&block_of(&[sloped])),
        vec![times(1, &samples)],
    )
    .wrong_answer("elapsed is counted from the host's stamp, or samples are sorted by source")
}

fn of_each_sample(page: &Page) -> Draft {
    let v = page.values("sample-without-a-source-stamp");
    let (at, stamp, offset) = drawn(&v);
    Draft::new(
        "sample-without-a-source-stamp",
        &[RULE],
        "in a mapped device's stream a sample without a source stamp has none",
    )
    .valid_asked(
        plan(&v)
            .stream(device_stream(1, "dev-a"))
            .chunk(Chunk::of(
                1,
                &[
                    Sample::new(Decoded::at(at).source(stamp), b"one"),
                    Sample::new(Decoded::at(at + 10), b"two"),
                ],
            ))
            .clock_block(&block_of(&[device("dev-a", signed(offset))])),
        vec![times(
            1,
            &[
                sample(at, at, "exact").source(source(stamp, stamp + offset, "ok")),
                sample(at + 10, at + 10, "exact"),
            ],
        )],
    )
    .wrong_answer("the host's stamp, 0 or the sample's before goes through the device's line")
}

fn unnamed(page: &Page) -> Draft {
    let v = page.values("no-domain-named");
    let (at, stamp, offset) = drawn(&v);
    let lines = [
        line(PEER, signed(offset), 0, 0),
        device("dev-a", signed(offset) * 2),
        device("", signed(offset) * 3),
    ];
    Draft::new(
        "no-domain-named",
        &["CA3-10.9-09"],
        "source stamps of a stream that names no domain are on no clock that could be mapped",
    )
    .readings(&["G83"])
    .valid_asked(
        streams(plan(&v), &[peer(1)], at, stamp).clock_block(&block_of(&lines)),
        vec![times(
            1,
            &[sample(at, at + offset, "ok").source(source(stamp, stamp, "unmapped"))],
        )],
    )
    .wrong_answer("the host's line, the only device's or that of an empty name is applied")
}

fn figured(page: &Page) -> Draft {
    let v = page.values("total-of-the-source-time");
    let (at, stamp, _) = drawn(&v);
    let (half, residual) = (
        v.u64("half_ns", 200, 100..=9_000),
        v.u64("residual_spread_ns", 10, 1..=99),
    );
    let fitted = ClockDomain {
        kind: 0,
        ..round_trip("dev-a", half, residual)
    };
    let mut placed = source(stamp, stamp, "ok");
    if let Value::Object(members) = &mut placed {
        let sum = half + residual;
        members.insert("uncertainty".to_owned(), figures(sum, sum));
    }
    Draft::new(
        "total-of-the-source-time",
        &[RULE, "CA3-10.12-02"],
        "the total of a source time is that of the device's line, whatever the host's is",
    )
    .valid_asked(
        streams(plan(&v), &[device_stream(1, "dev-a")], at, stamp)
            .clock_block(&block_of(&[fitted])),
        vec![times(
            1,
            &[sample(at, at, "exact")
                .uncertainty(figures(0, 0))
                .source(placed)],
        )],
    )
    .wrong_answer("one total for both times")
}
