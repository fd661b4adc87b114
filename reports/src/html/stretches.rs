//! The time of a picture: one axis, or several where long times in between hold
//! nothing, so that a stamp of 0 beside a day in the present leaves both legible.

use super::scale::Axis;

/// A time without anything is cut out where it is so many times what is left.
const FAR_APART: i128 = 20;
/// Times that are cut out.
const MOST_CUTS: usize = 4;
/// Between two parts, in tenths of the picture's unit.
const CUT: i128 = 260;
/// The least width of a part.
const LEAST: i128 = 800;
/// Half the time that is shown where everything is at one instant.
const AROUND: i128 = 1_000_000_000;

/// A part of the time: its beginning, and an axis of what passed since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) start: i128,
    /// Of the last thing in it.
    pub(super) end: i128,
    pub(super) axis: Axis,
}

/// The time shown.
#[derive(Clone, Debug)]
pub(super) struct Stretches {
    pub(super) parts: Vec<Part>,
}

impl Stretches {
    /// Of what covers these times, between two places; none where nothing does.
    pub(super) fn new(mut covered: Vec<(u64, u64)>, left: i128, right: i128) -> Option<Self> {
        covered.sort_unstable();
        let pieces = pieces(&covered)?;
        let cuts = i128::try_from(pieces.len().saturating_sub(1)).unwrap_or_default();
        let number = cuts + 1;
        // What is left behind cuts and least widths is dealt out by length.
        let rest = (right - left - cuts * CUT - number * LEAST).max(0);
        let all: i128 = pieces.iter().map(|(from, to)| to - from).sum();
        let mut parts = Vec::new();
        let mut at = left;
        for (place, (start, end)) in pieces.iter().copied().enumerate() {
            let more = (rest * (end - start))
                .checked_div(all)
                .unwrap_or(rest / number);
            let to = if place + 1 == pieces.len() {
                right
            } else {
                at + LEAST + more
            };
            let (low, high) = match (end - start, number) {
                (0, 1) => (-AROUND, AROUND),
                (length, _) => (0, length),
            };
            parts.push(Part {
                start,
                end,
                axis: Axis::new(low, high, at, to),
            });
            at = to + CUT;
        }
        Some(Stretches { parts })
    }

    /// Where a stamp lies; one outside of all parts, at the nearest end behind it.
    pub(super) fn place(&self, stamp: u64) -> i128 {
        let stamp = i128::from(stamp);
        let part = self.parts.iter().find(|part| stamp <= part.end);
        part.or(self.parts.last())
            .map_or(0, |part| part.axis.clamped(stamp - part.start))
    }

    /// Whether a time has anything in common with what is shown.
    pub(super) fn shows(&self, from: u64, to: u64) -> bool {
        let (from, to) = (i128::from(from), i128::from(to));
        let mut parts = self.parts.iter();
        from <= to && parts.any(|part| from <= part.end && part.start <= to)
    }
}

/// The covered times, joined but for those that are far apart.
fn pieces(covered: &[(u64, u64)]) -> Option<Vec<(i128, i128)>> {
    let first = i128::from(covered.first()?.0);
    let mut end = first;
    let mut voids: Vec<(i128, i128)> = Vec::new();
    for (from, to) in covered {
        let from = i128::from(*from);
        if from > end {
            voids.push((end, from));
        }
        end = end.max((*to).into());
    }
    voids.sort_by_key(|(from, to)| std::cmp::Reverse(to - from));
    // As many of the longest as each is long beside all that is left without them.
    let mut left = end - first;
    let mut number = 0;
    for (place, (from, to)) in voids.iter().enumerate().take(MOST_CUTS) {
        left -= to - from;
        if left > 0 && (to - from) / FAR_APART >= left {
            number = place + 1;
        }
    }
    voids.truncate(number);
    let mut cuts = voids;
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut start = first;
    for (from, to) in cuts {
        pieces.push((start, from));
        start = to;
    }
    pieces.push((start, end));
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400_000_000_000;

    fn parts(covered: &[(u64, u64)]) -> Vec<(i128, i128, i128, i128)> {
        let shown = Stretches::new(covered.to_vec(), 100, 6_900).unwrap();
        let parts = shown.parts.iter();
        parts
            .map(|it| (it.start, it.end, it.axis.from(), it.axis.to()))
            .collect()
    }

    #[test]
    fn long_times_without_anything_are_cut_out() {
        assert!(Stretches::new(Vec::new(), 0, 100).is_none());
        assert_eq!(parts(&[(10, 20), (25, 30)]), [(10, 30, 100, 6_900)]);
        // Nothing but two instants: no cut would leave any time.
        let ever = i128::from(u64::MAX);
        assert_eq!(
            parts(&[(0, 0), (u64::MAX, u64::MAX)]),
            [(0, ever, 100, 6_900)]
        );
        // A stamp of 0, and a day half a century later.
        let late = 19_675 * DAY;
        let both = [(0, 0), (late, late + DAY)];
        let (from, to) = (i128::from(late), i128::from(late + DAY));
        // 800 for the instant, 260 for the cut, the rest for the day.
        assert_eq!(parts(&both), [(0, 0, 100, 900), (from, to, 1_160, 6_900)]);
        let shown = Stretches::new(both.to_vec(), 100, 6_900).unwrap();
        assert_eq!(shown.place(0), 100);
        assert_eq!(shown.place(5), 1_160);
        assert_eq!(shown.place(late + DAY / 2), 4_030);
        assert_eq!(shown.place(u64::MAX), 6_900);
        assert!(shown.shows(0, 1) && !shown.shows(1, 2) && !shown.shows(3, 0));
    }

    #[test]
    fn several_cuts_are_made_at_once() {
        let day = |at: u64| (at * 1_000 * DAY, at * 1_000 * DAY + DAY);
        assert_eq!(parts(&[day(0), day(1), day(2)]).len(), 3);
        let months = |at: u64| (at * 1_000 * DAY, at * 1_000 * DAY + 90 * DAY);
        assert_eq!(parts(&[months(0), months(1), months(2)]).len(), 1);
    }

    #[test]
    fn one_instant_stands_in_the_middle() {
        let shown = Stretches::new(vec![(7, 7)], 100, 6_900).unwrap();
        assert_eq!(shown.place(7), 3_500);
    }
}
