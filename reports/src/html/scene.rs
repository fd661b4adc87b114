//! What a picture of a mapping shows, and how much of it: everything seen from
//! one origin, and the ranges of its panels.

use super::scale::exactly;
use super::straight::{Straight, tame};
use crate::clocks::{Mapping, Plot, Span};

/// The least range of a panel, in nanoseconds.
const LEAST_RANGE: i128 = 20;
/// What the rounding of a line to nanoseconds comes to.
const ROUNDING: i128 = 2;
/// Half the time that is shown where everything is at one instant.
const AROUND: i128 = 1_000_000_000;
/// Where everything takes so many times the range of the observations, these
/// get a panel of their own.
const FAR_APART: i128 = 8;
/// A bias bound beyond so many times what else is shown, which counts as 20 µs at
/// least, runs off the panel.
const BOUND_SHOWN: i128 = 1_000;
const BOUND_LEAST: i128 = 20_000;
/// The hundredths of the observations, at each end, that may be outliers.
const OUTLIERS: usize = 5;

/// A span that a stream was degraded in, from the origin.
pub(super) struct Stretch<'a> {
    pub(super) from: i128,
    pub(super) to: i128,
    pub(super) span: &'a Span,
}

/// A mapping and its observations from one origin: the first observation's
/// time and offset.
pub(super) struct Scene<'a> {
    /// Times and offsets of the observations.
    pub(super) points: Vec<(i128, i128)>,
    /// How many there are, shown or not.
    pub(super) total: u64,
    pub(super) stored: Option<Straight>,
    pub(super) recomputed: Option<Straight>,
    /// The bias bound below the stored line, where there is one.
    pub(super) low: Option<i128>,
    /// The bias bound above it.
    pub(super) high: Option<i128>,
    /// Those that do not end before they begin.
    pub(super) degraded: Vec<Stretch<'a>>,
    /// The time that is shown.
    pub(super) left: i128,
    pub(super) right: i128,
    /// The origin, on the reference's clock.
    pub(super) x_origin: i128,
    /// The offset that counts as 0.
    pub(super) y_origin: i128,
}

/// What a panel shows.
pub(super) struct View {
    pub(super) title: String,
    /// The line that counts as 0 throughout, where not the origin does.
    pub(super) base: Option<Straight>,
    /// What counts as 0, from the origin or from that line.
    pub(super) zero: i128,
    pub(super) low: i128,
    pub(super) high: i128,
    /// Whether it shows only the surroundings of the observations.
    pub(super) close: bool,
}

/// Whether readers apply the stored line (§10.6, reading G37).
pub(super) fn applied(mapping: &Mapping) -> bool {
    matches!(mapping.quality.as_str(), "ok" | "degraded")
}

impl<'a> Scene<'a> {
    /// None where nothing has a place in time: no observation, no degraded span.
    pub(super) fn of(mapping: &Mapping, plot: &'a Plot) -> Option<Scene<'a>> {
        let whole: Vec<&Span> = plot
            .degraded
            .iter()
            .filter(|span| span.from_ns <= span.to_ns)
            .collect();
        let place = |source, offset| (i128::from(source) + tame(offset), tame(offset));
        let placed = |point: &crate::clocks::Point| place(point.source_ns, point.offset_ns);
        let (x_origin, y_origin) = match plot.observations.first() {
            Some(first) => placed(first),
            None => {
                let from = whole.iter().map(|span| span.from_ns).min()?;
                (i128::from(from), tame(plot.stored.offset_ns))
            }
        };
        let points: Vec<(i128, i128)> = plot
            .observations
            .iter()
            .map(placed)
            .map(|(x, y)| (x - x_origin, y - y_origin))
            .collect();
        let degraded: Vec<Stretch> = whole
            .into_iter()
            .map(|span| Stretch {
                from: i128::from(span.from_ns) - x_origin,
                to: i128::from(span.to_ns) - x_origin,
                span,
            })
            .collect();
        let (left, right) = time_shown(&points, &degraded);
        let straight = |line| Straight::of(line, x_origin, y_origin);
        Some(Scene {
            points,
            total: plot.total,
            stored: straight(&plot.stored).filter(|_| applied(mapping)),
            recomputed: plot.recomputed.as_ref().and_then(straight),
            low: plot.bias_low_ns.map(i128::from),
            high: plot.bias_high_ns.map(i128::from),
            degraded,
            left,
            right,
            x_origin,
            y_origin,
        })
    }

    /// The least and the greatest offset of a line in the time shown.
    fn reach(&self, line: Straight) -> [i128; 2] {
        [self.left, self.right].map(|x| tame(line.at(x)))
    }

    /// One panel, or two where one would hide how the observations lie among
    /// each other.
    pub(super) fn views(&self) -> Vec<View> {
        let whole = self.whole();
        let Some(close) = self.close_up() else {
            return vec![whole];
        };
        if whole.high - whole.low <= FAR_APART * (close.high - close.low) {
            return vec![whole];
        }
        let title = format!("Overview: {}", lower_first(&whole.title));
        vec![View { title, ..whole }, close]
    }

    fn whole(&self) -> View {
        let mut values: Vec<i128> = self.points.iter().map(|point| point.1).collect();
        let lines = [self.stored, self.recomputed];
        values.extend(
            lines
                .into_iter()
                .flatten()
                .flat_map(|line| self.reach(line)),
        );
        let (low, high) = range(&values).unwrap_or_default();
        let most = (high - low).max(BOUND_LEAST) * BOUND_SHOWN;
        if let Some(stored) = self.stored {
            let bounds = [self.low.map(|bound| -bound), self.high];
            for bound in bounds.into_iter().flatten() {
                if bound.abs() <= most {
                    values.extend(self.reach(stored).map(|value| value + bound));
                }
            }
        }
        let (low, high) = range(&values).unwrap_or_default();
        let (low, high) = self.padded(low, high, None, 12);
        let title = match self.points.is_empty() {
            false => "Offset less the first observation's",
            true => "Offset less the stored one",
        };
        View {
            title: title.to_owned(),
            base: None,
            zero: 0,
            low,
            high,
            close: false,
        }
    }

    /// The observations by themselves, unless they lie on one line.
    fn close_up(&self) -> Option<View> {
        let base = self.recomputed;
        let from_base = |(x, y): &(i128, i128)| y - base.map_or(0, |line| tame(line.at(*x)));
        let mut values: Vec<i128> = self.points.iter().map(from_base).collect();
        values.sort_unstable();
        let (mut low, mut high) = core(&values)?;
        if high - low <= ROUNDING {
            return None;
        }
        let mut zero = 0;
        let title = if base.is_some() {
            low = low.min(0);
            high = high.max(0);
            "Close-up: offset less the recomputed line".to_owned()
        } else if low > 0 || high < 0 {
            // The first observation is one of the outliers.
            zero = low;
            let absolute = exactly(self.y_origin + zero);
            format!("Close-up: offset less {absolute}")
        } else {
            "Close-up: offset less the first observation's".to_owned()
        };
        // Room for a line of text that hides no observation.
        let (low, high) = self.padded(low - zero, high - zero, base, 6);
        Some(View {
            title,
            base,
            zero,
            low,
            high,
            close: true,
        })
    }

    /// A range with a part of it as room around it, and more on a side that the bias leaves
    /// open: there is something to see there.
    fn padded(&self, low: i128, high: i128, base: Option<Straight>, part: i128) -> (i128, i128) {
        let lacking = (LEAST_RANGE - (high - low)).max(0);
        let (low, high) = (low - lacking / 2, high + lacking / 2);
        let span = high - low;
        let middle = (self.left + self.right) / 2;
        let near = self.stored.is_some_and(|stored| {
            let value = stored.at(middle) - base.map_or(0, |line| line.at(middle));
            (low - span..=high + span).contains(&value)
        });
        let room = |bound: Option<i128>| match bound {
            None if near => span * 3 / 10,
            _ => span / part,
        };
        (low - room(self.low), high + room(self.high))
    }
}

/// The observations' time, and that of degraded spans where it is not far off.
fn time_shown(points: &[(i128, i128)], degraded: &[Stretch]) -> (i128, i128) {
    let times: Vec<i128> = points.iter().map(|point| point.0).collect();
    let ends = degraded.iter().flat_map(|it| [it.from, it.to]);
    let all: Vec<i128> = times.iter().copied().chain(ends).collect();
    let (mut low, mut high) = range(&all).unwrap_or_default();
    if let Some((first, last)) = range(&times)
        && high - low > 2 * (last - first).max(2 * AROUND)
    {
        (low, high) = (first, last);
    }
    // Where all are at one instant of the source, their offsets alone spread them.
    let sources: Vec<i128> = points.iter().map(|(x, y)| x - y).collect();
    let instant = low == high || range(&sources).is_some_and(|(first, last)| first == last);
    let room = match instant {
        true => AROUND.max(high - low),
        false => ((high - low) / 32).max(1),
    };
    (low - room, high + room)
}

/// The range in which most values lie: that of all, but for a few that are far
/// off the others.
fn core(sorted: &[i128]) -> Option<(i128, i128)> {
    let (low, high) = (*sorted.first()?, *sorted.last()?);
    let cut = sorted.len() * OUTLIERS / 100;
    let inner_low = *sorted.get(cut)?;
    let inner_high = *sorted.get(sorted.len() - 1 - cut)?;
    let inner = (inner_high - inner_low).max(LEAST_RANGE);
    if high - low <= FAR_APART * inner {
        return Some((low, high));
    }
    let more = |end: i128| end.clamp(inner_low - inner / 2, inner_high + inner / 2);
    Some((more(low), more(high)))
}

fn range(values: &[i128]) -> Option<(i128, i128)> {
    Some((*values.iter().min()?, *values.iter().max()?))
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_values_far_off_do_not_widen_the_core() {
        let mut values: Vec<i128> = (0..100).map(|i| i * 1_000).collect();
        assert_eq!(core(&values), Some((0, 99_000)));
        values.push(1 << 40);
        // The middle nine tenths lie between 5000 and 95000.
        assert_eq!(core(&values), Some((0, 140_000)));
        assert_eq!(core(&[7]), Some((7, 7)));
        assert_eq!(core(&[]), None);
    }

    #[test]
    fn degraded_spans_far_off_do_not_widen_the_time() {
        let span = Span {
            stream_ref: 1,
            from_ns: 0,
            to_ns: 0,
            reason: String::new(),
        };
        let stretch = |from, to| Stretch {
            from,
            to,
            span: &span,
        };
        let points = [(0, 0), (32_000_000_000, 0)];
        let shown = |stretch| time_shown(&points, &[stretch]);
        assert_eq!(shown(stretch(5, 6)), (-1_000_000_000, 33_000_000_000));
        assert_eq!(shown(stretch(0, 64_000_000_000)).1, 66_000_000_000);
        assert_eq!(shown(stretch(0, 65_000_000_000)).1, 33_000_000_000);
        assert_eq!(time_shown(&[(5, 0)], &[]), (5 - AROUND, 5 + AROUND));
        // One instant of the source, two of the reference.
        let spread = time_shown(&[(0, 0), (8, 8)], &[]);
        assert_eq!(spread, (-AROUND, 8 + AROUND));
    }
}
