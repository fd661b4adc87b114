//! Axes: from nanoseconds to places in a picture, in integers throughout, so
//! that no value is too great for one and none is no number.

use std::fmt::Write as _;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// As it is written.
    pub(super) name: &'static str,
    /// In nanoseconds.
    pub(super) ns: i128,
}

const NS: Unit = Unit { name: "ns", ns: 1 };
const US: Unit = Unit {
    name: "µs",
    ns: 1_000,
};
const MS: Unit = Unit {
    name: "ms",
    ns: 1_000_000,
};
const S: Unit = Unit {
    name: "s",
    ns: 1_000_000_000,
};
const DAY: Unit = Unit {
    name: "d",
    ns: 86_400 * S.ns,
};

/// From so many days on they are counted instead of seconds.
const DAYS: i128 = 4;
/// Digits behind the point that are written at most.
const DECIMALS: usize = 9;

impl Unit {
    /// The unit in which a range has labels of few digits.
    pub(super) const fn for_span(span: i128) -> Unit {
        if span >= DAYS * DAY.ns {
            DAY
        } else if span >= 2 * S.ns {
            S
        } else if span >= 2 * MS.ns {
            MS
        } else if span >= 2 * US.ns {
            US
        } else {
            NS
        }
    }

    /// The greatest of ns, µs, ms and s that a duration fills.
    const fn of(duration: i128) -> Unit {
        let size = duration.unsigned_abs();
        if size >= S.ns.unsigned_abs() {
            S
        } else if size >= MS.ns.unsigned_abs() {
            MS
        } else if size >= US.ns.unsigned_abs() {
            US
        } else {
            NS
        }
    }

    /// A value in this unit, without its name, to the last digit.
    pub(super) fn write(self, value: i128) -> String {
        let ns = self.ns.unsigned_abs();
        let sign = if value < 0 { "\u{2212}" } else { "" };
        let size = value.unsigned_abs();
        let mut text = format!("{sign}{}", size / ns);
        let mut rest = size % ns;
        if rest > 0 {
            text.push('.');
        }
        for _ in 0..DECIMALS {
            if rest == 0 {
                break;
            }
            rest *= 10;
            let _ = write!(text, "{}", rest / ns);
            rest %= ns;
        }
        text
    }
}

/// A duration to the last nanosecond, in the unit that suits it.
pub(super) fn exactly(duration: i128) -> String {
    let unit = Unit::of(duration);
    format!("{} {}", unit.write(duration), unit.name)
}

/// A duration to about four digits.
pub(super) fn about(duration: i128) -> String {
    let mut unit = Unit::of(duration);
    if duration.unsigned_abs() >= (DAYS * DAY.ns).unsigned_abs() {
        unit = DAY;
    }
    // The least step that a fourth digit needs, in the unit itself.
    let whole = duration.unsigned_abs() / unit.ns.unsigned_abs();
    let parts = match whole {
        0..10 => 1_000,
        10..100 => 100,
        100..1_000 => 10,
        _ => 1,
    };
    let step = (unit.ns / parts).max(1);
    let half = if duration < 0 { -(step / 2) } else { step / 2 };
    let rounded = duration.saturating_add(half) / step * step;
    // What rounds up to the next unit is told in it.
    if unit != DAY && Unit::of(rounded) != unit {
        unit = Unit::of(rounded);
    }
    format!("{} {}", unit.write(rounded), unit.name)
}

/// A range of values on a stretch of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: i128,
    high: i128,
    from: i128,
    to: i128,
}

impl Axis {
    /// From the least value to the greatest, which is another, between two
    /// places in tenths of the picture's unit.
    pub(super) fn new(low: i128, high: i128, from: i128, to: i128) -> Axis {
        Axis {
            low,
            high: high.max(low.saturating_add(1)),
            from,
            to,
        }
    }

    /// The least value.
    pub(super) const fn low(&self) -> i128 {
        self.low
    }

    /// The greatest value.
    pub(super) const fn high(&self) -> i128 {
        self.high
    }

    /// Where the least value lies.
    pub(super) const fn from(&self) -> i128 {
        self.from
    }

    /// Where the greatest value lies.
    pub(super) const fn to(&self) -> i128 {
        self.to
    }

    /// How far it reaches.
    pub(super) const fn span(&self) -> i128 {
        self.high - self.low
    }

    /// Where a value lies, which may be beyond either end.
    pub(super) const fn place(&self, value: i128) -> i128 {
        self.from + (value - self.low) * (self.to - self.from) / (self.high - self.low)
    }

    /// The same, and at the nearer end where it is beyond.
    pub(super) fn clamped(&self, value: i128) -> i128 {
        self.place(value.clamp(self.low, self.high))
    }

    /// About so many round values, and the unit to write them in.
    pub(super) fn ticks(&self, number: i128) -> (Unit, Vec<i128>) {
        let unit = Unit::for_span(self.span());
        let least = (self.span() / number).max(1);
        let mut step = if unit == DAY { DAY.ns } else { 1 };
        // One, two and five, and ten times as much.
        'found: loop {
            for times in [1, 2, 5] {
                if step * times >= least {
                    step *= times;
                    break 'found;
                }
            }
            step *= 10;
        }
        let first = (self.low + step - 1).div_euclid(step) * step;
        let mut ticks = Vec::new();
        let mut tick = first;
        while tick <= self.high {
            ticks.push(tick);
            tick += step;
        }
        (unit, ticks)
    }
}

/// A place in the picture's unit, given in tenths of it.
pub(super) fn unit(tenths: i128) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    let size = tenths.unsigned_abs();
    match size % 10 {
        0 => format!("{sign}{}", size / 10),
        tenth => format!("{sign}{}.{tenth}", size / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_words() {
        let told = [
            (0, "0 ns", "0 ns"),
            (999, "999 ns", "999 ns"),
            (-1_500, "\u{2212}1.5 µs", "\u{2212}1.5 µs"),
            (1_000_000_001, "1.000000001 s", "1 s"),
            (999_999_600, "999.9996 ms", "1 s"),
            (123_456_789, "123.456789 ms", "123.5 ms"),
            (86_400_000_000_000 * 10, "864000 s", "10 d"),
        ];
        for (duration, exact, rounded) in told {
            assert_eq!(exactly(duration), exact);
            assert_eq!(about(duration), rounded);
        }
        assert!(!about(i128::MAX).is_empty() && !exactly(i128::MIN).is_empty());
    }

    #[test]
    fn ticks_are_round_and_within() {
        let told = |low, high| {
            let (unit, ticks) = Axis::new(low, high, 0, 100).ticks(5);
            let ticks: Vec<String> = ticks.iter().map(|tick| unit.write(*tick)).collect();
            format!("{} {}", ticks.join(" "), unit.name)
        };
        assert_eq!(told(-1_100, 1_000), "\u{2212}1 \u{2212}0.5 0 0.5 1 µs");
        assert_eq!(told(3, 8), "3 4 5 6 7 8 ns");
        assert_eq!(told(0, 3_600 * S.ns), "0 1000 2000 3000 s");
        let years = told(0, 1 << 64);
        assert_eq!(years, "0 50000 100000 150000 200000 d");
    }

    #[test]
    fn places_are_proportional_and_clamped_where_asked() {
        let axis = Axis::new(-10, 10, 100, 0);
        assert_eq!(
            (axis.place(-10), axis.place(0), axis.place(10)),
            (100, 50, 0)
        );
        assert_eq!((axis.place(20), axis.clamped(20)), (-50, 0));
        assert_eq!(
            (unit(-5), unit(120), unit(123)),
            ("-0.5".into(), "12".into(), "12.3".into())
        );
    }
}
