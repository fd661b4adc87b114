//! Values of every size and at every scale: each picture is looked through.

use ca3_reports::clocks::{Line, Plot, Point, Span, Verification};

use crate::mappings::{self, Noise};
use crate::{markup, of};

/// Looks through the page of a picture.
fn look_through(plot: Plot) {
    let mapping = mappings::mapping("d", Verification::Unverified, plot);
    markup::check(&of(mapping));
}

#[test]
fn values_of_every_size_are_drawn_within_the_picture() {
    let mut noise = Noise::new(1);
    let sources = [
        0,
        1,
        1 << 40,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];
    let offsets = [
        0,
        1,
        -1,
        i128::from(i64::MAX),
        i128::from(i64::MIN),
        i128::from(u64::MAX),
        -i128::from(u64::MAX),
        i128::MAX,
        i128::MIN,
    ];
    let skews = [
        0,
        1,
        -1,
        -999_999_999,
        -1_000_000_000,
        i128::from(i64::MAX),
        i128::from(i64::MIN),
        i128::MAX,
        i128::MIN,
    ];
    let bounds = [None, Some(0), Some(1), Some(u64::MAX - 1), Some(u64::MAX)];
    for _ in 0..4_000 {
        let source = |noise: &mut Noise| pick(noise, &sources);
        let offset = |noise: &mut Noise| match noise.upto(3) {
            0 => i128::from(noise.bits()) - (1 << 63),
            _ => pick(noise, &offsets),
        };
        let line = |noise: &mut Noise| Line {
            reference_source_ns: source(noise),
            offset_ns: offset(noise),
            skew_ppb: pick(noise, &skews),
        };
        let number = noise.upto(5);
        let observations: Vec<Point> = (0..number)
            .map(|_| Point {
                source_ns: source(&mut noise),
                offset_ns: offset(&mut noise),
            })
            .collect();
        let degraded = (0..noise.upto(3))
            .map(|_| Span {
                stream_ref: 1,
                from_ns: source(&mut noise),
                to_ns: source(&mut noise),
                reason: "r".to_owned(),
            })
            .collect();
        look_through(Plot {
            observations,
            total: noise.bits(),
            stored: line(&mut noise),
            recomputed: (noise.upto(2) == 0).then(|| line(&mut noise)),
            bias_low_ns: pick(&mut noise, &bounds),
            bias_high_ns: pick(&mut noise, &bounds),
            degraded,
        });
    }
}

fn pick<T: Copy>(noise: &mut Noise, from: &[T]) -> T {
    let last = i128::try_from(from.len()).unwrap();
    from[usize::try_from(noise.upto(last)).unwrap()]
}

#[test]
fn values_at_every_scale_are_drawn_within_the_picture() {
    let mut noise = Noise::new(2);
    for scale in 0..64 {
        for _ in 0..12 {
            let near = |noise: &mut Noise| noise.upto(1 << scale);
            let number = u64::try_from(noise.upto(40)).unwrap();
            let every = near(&mut noise) >> 8;
            let observations = (0..number)
                .map(|index| Point {
                    source_ns: index.wrapping_mul(u64::try_from(every).unwrap()),
                    offset_ns: near(&mut noise),
                })
                .collect();
            let far = noise.sized(64);
            let line = |offset_ns, skew_ppb| Line {
                reference_source_ns: 0,
                offset_ns,
                skew_ppb,
            };
            look_through(Plot {
                observations,
                total: number,
                stored: line(near(&mut noise) + far, noise.sized(40)),
                recomputed: Some(line(near(&mut noise), 0)),
                bias_low_ns: u64::try_from(noise.sized(64)).ok(),
                bias_high_ns: None,
                degraded: Vec::new(),
            });
        }
    }
}
