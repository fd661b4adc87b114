//! Clock mappings of every sort that a page has to show.

use ca3_reports::clocks::{Clocks, Field, Line, Mapping, Plot, Point, Span, Verification};

/// An instant of a domain's clock, and what the reference is ahead there.
pub(crate) const START: u64 = 5_000_000_000_000;
pub(crate) const AHEAD: i128 = 1_700_000_000_123_456_789;

pub(crate) const S: i128 = 1_000_000_000;
pub(crate) const MS: i128 = 1_000_000;
pub(crate) const US: i128 = 1_000;

/// Numbers without a pattern, the same in every run.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) const fn new(seed: u64) -> Self {
        Noise(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to below what is given.
    pub(crate) fn upto(&mut self, most: i128) -> i128 {
        (i128::from(self.bits()) * most) >> 64
    }

    /// Of any size below so many bits.
    pub(crate) fn sized(&mut self, bits: i128) -> i128 {
        let size = self.upto(bits);
        self.upto(1 << size)
    }
}

pub(crate) const fn line(offset_ns: i128, skew_ppb: i128) -> Line {
    Line {
        reference_source_ns: START,
        offset_ns,
        skew_ppb,
    }
}

/// Observations every so often, with offsets as a function says.
pub(crate) fn points(number: u64, every: i128, mut offset: impl FnMut(i128) -> i128) -> Vec<Point> {
    (0..number)
        .map(|index| {
            let elapsed = i128::from(index) * every;
            Point {
                source_ns: START + u64::try_from(elapsed).unwrap(),
                offset_ns: AHEAD + offset(elapsed),
            }
        })
        .collect()
}

pub(crate) fn span(stream_ref: u32, from: i128, to: i128, reason: &str) -> Span {
    let at = |elapsed| u64::try_from(i128::from(START) + AHEAD + elapsed).unwrap();
    Span {
        stream_ref,
        from_ns: at(from),
        to_ns: at(to),
        reason: reason.to_owned(),
    }
}

/// A mapping around a picture.
pub(crate) fn mapping(domain: &str, verification: Verification, plot: Plot) -> Mapping {
    let value = |line: &Line, name: &str| match name {
        "offset_ns" => line.offset_ns.to_string(),
        "skew_ppb" => line.skew_ppb.to_string(),
        _ => line.reference_source_ns.to_string(),
    };
    let mut fields: Vec<Field> = ["offset_ns", "skew_ppb", "reference_source_ns"]
        .into_iter()
        .map(|field| {
            let stored = value(&plot.stored, field);
            let recomputed = plot.recomputed.as_ref().map(|line| value(line, field));
            Field {
                field: field.into(),
                differs: recomputed.as_ref().is_some_and(|it| *it != stored),
                stored,
                recomputed,
            }
        })
        .collect();
    let bound = |bound: Option<u64>| bound.map_or("unbounded".to_owned(), |ns| ns.to_string());
    for (field, stored) in [
        ("bias_low_ns", bound(plot.bias_low_ns)),
        ("bias_high_ns", bound(plot.bias_high_ns)),
        ("skew_uncertainty_ppb", "not estimated".to_owned()),
        ("observation_count", plot.total.to_string()),
    ] {
        fields.push(Field {
            field: field.into(),
            recomputed: plot.recomputed.map(|_| stored.clone()),
            stored,
            differs: false,
        });
    }
    Mapping {
        domain: domain.to_owned(),
        kind: "device".to_owned(),
        method: "one_way_min_filter".to_owned(),
        quality: "ok".to_owned(),
        observations_stream: Some(7),
        verification,
        reason: None,
        fields,
        plot: Some(plot),
    }
}

pub(crate) fn plot(observations: Vec<Point>, stored: Line, recomputed: Option<Line>) -> Plot {
    Plot {
        total: u64::try_from(observations.len()).unwrap(),
        observations,
        stored,
        recomputed,
        bias_low_ns: None,
        bias_high_ns: Some(0),
        degraded: Vec::new(),
    }
}

fn bounded(plot: Plot, bound: i128) -> Plot {
    let bound = Some(u64::try_from(bound).unwrap());
    Plot {
        bias_low_ns: bound,
        bias_high_ns: bound,
        ..plot
    }
}

/// Delays as a network has them: mostly short, now and then long.
fn delay(noise: &mut Noise) -> i128 {
    let short = noise.upto(40 * US) + noise.upto(40 * US);
    match noise.upto(12) {
        0 => short + noise.upto(400 * US),
        _ => short,
    }
}

/// By name, each a mapping.
pub(crate) fn all() -> Vec<(&'static str, Mapping)> {
    use Verification::{Inconsistent, Unverified, Verified};
    let mut noise = Noise::new(3);
    let mut jitter = |most| noise.upto(2 * most) - most;
    let round_trip = |mapping: Mapping| Mapping {
        method: "round_trip".to_owned(),
        ..mapping
    };
    let second = plot(
        points(60, 10 * S, |_| jitter(8 * US)),
        line(AHEAD + S, 0),
        Some(line(AHEAD, 0)),
    );
    let slope = plot(
        points(60, 60 * S, |t| t / 50_000 + jitter(300 * US)),
        line(AHEAD, -35_000),
        Some(line(AHEAD, 20_000)),
    );
    let step = plot(
        points(80, S, |t| {
            jitter(200 * US) + if t < 50 * S { 0 } else { 30 * MS }
        }),
        line(AHEAD, 0),
        Some(line(AHEAD, 600_000)),
    );
    let step = Plot {
        degraded: vec![
            span(3, 47 * S, 62 * S, "the probe stopped answering"),
            span(4, 49 * S, 50 * S, "clock stepped"),
            span(4, 500 * S, 501 * S, "long after"),
        ],
        ..bounded(step, 2 * MS)
    };
    let mut delays = Noise::new(4);
    let one_way = plot(
        points(120, S, |t| t / 100_000_000 + delay(&mut delays)),
        line(AHEAD, 10),
        Some(line(AHEAD, 10)),
    );
    let mut many = Noise::new(5);
    let drifting = plot(
        points(2_000, S, |t| {
            let spike = if many.upto(150) == 0 { 40 * MS } else { 0 };
            t / 25_000 + delay(&mut many) + spike
        }),
        line(AHEAD, 40_000),
        Some(line(AHEAD, 40_000)),
    );
    let drifting = Plot {
        total: 120_000,
        ..drifting
    };
    let none = Plot {
        bias_high_ns: None,
        ..plot(Vec::new(), Line::default(), None)
    };
    let unsupported = Plot {
        degraded: vec![span(2, 0, 90 * S, "no link <b>at all</b>")],
        ..bounded(plot(Vec::new(), line(AHEAD, 15_000), None), 5 * MS)
    };
    let late = plot(
        points(40, S, |t| if t == 0 { -3 * S } else { jitter(90 * US) }),
        line(AHEAD - 3 * S, 0),
        None,
    );
    let instant = points(9, 0, |_| jitter(50 * US));
    let extreme = Plot {
        observations: vec![
            Point {
                source_ns: u64::MAX,
                offset_ns: -i128::from(u64::MAX),
            },
            Point {
                source_ns: 0,
                offset_ns: i128::from(u64::MAX),
            },
        ],
        total: u64::MAX,
        stored: Line {
            reference_source_ns: u64::MAX,
            offset_ns: i128::from(i64::MIN),
            skew_ppb: i128::from(i64::MAX),
        },
        recomputed: Some(Line {
            reference_source_ns: u64::MAX,
            offset_ns: i128::from(i64::MAX),
            skew_ppb: -999_999_999,
        }),
        bias_low_ns: Some(u64::MAX - 1),
        bias_high_ns: None,
        degraded: vec![Span {
            stream_ref: u32::MAX,
            from_ns: 0,
            to_ns: u64::MAX,
            reason: "for ever".to_owned(),
        }],
    };
    let one = plot(points(1, S, |_| 0), line(AHEAD, 0), Some(line(AHEAD, 0)));
    let two = plot(
        points(2, 30 * S, |t| t / 20_000),
        line(AHEAD, 50_000),
        Some(line(AHEAD, 50_000)),
    );
    let both = Plot {
        bias_high_ns: None,
        ..plot(points(30, S, |_| jitter(50 * US)), line(AHEAD, 0), None)
    };
    let backwards = plot(points(12, S, |_| jitter(5)), line(AHEAD, -S), None);
    let with = |mapping: Mapping, reason: &str| Mapping {
        reason: Some(reason.to_owned()),
        ..mapping
    };
    let quality = |mapping: Mapping, quality: &str| Mapping {
        quality: quality.to_owned(),
        ..mapping
    };
    vec![
        (
            "second",
            round_trip(mapping(
                "eeg-amplifier",
                Inconsistent,
                bounded(second, 40 * US),
            )),
        ),
        ("slope", mapping("eye-tracker", Inconsistent, slope)),
        ("one-way", mapping("force-plate", Verified, one_way)),
        ("step", round_trip(mapping("imu", Inconsistent, step))),
        ("many", mapping("microphone", Verified, drifting)),
        ("one", mapping("trigger-box", Verified, one)),
        ("two", mapping("camera", Verified, two)),
        (
            "instant",
            mapping("button", Unverified, plot(instant, line(AHEAD, 0), None)),
        ),
        (
            "none",
            quality(
                with(mapping("lost", Verified, none), "no observations"),
                "unavailable",
            ),
        ),
        (
            "unsupported",
            with(
                mapping("wearable", Unverified, unsupported),
                "it names no stream",
            ),
        ),
        (
            "late",
            with(mapping("radio", Unverified, late), "estimator version 2"),
        ),
        (
            "both",
            with(
                mapping("unknown", Unverified, both),
                "method 9 is not defined",
            ),
        ),
        ("backwards", mapping("backwards", Unverified, backwards)),
        ("extreme", mapping("extreme", Inconsistent, extreme)),
    ]
}

/// The mappings of a file.
pub(crate) fn clocks(mappings: Vec<Mapping>) -> Clocks {
    Clocks {
        reference: ("lab-7".to_owned(), "boot-3f".to_owned()),
        mappings,
    }
}
