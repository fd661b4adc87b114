//! Straight lines: as offsets over time, and as edges within a panel.

use super::scale::Axis;
use crate::clocks::Line;

/// Parts per billion in one.
const BILLION: i128 = 1_000_000_000;
/// Beyond what any stamp of 64 bits, or the difference of two, comes to.
const FARTHEST: i128 = 1 << 66;

/// A value within what 64 bits and their differences come to, so that no
/// product with it leaves 128 bits.
pub(super) fn tame(value: i128) -> i128 {
    value.clamp(-FARTHEST, FARTHEST)
}

/// A line over the time of the reference, from the picture's origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight {
    x: i128,
    y: i128,
    /// One and the skew, in billionths: how fast the reference runs where the
    /// domain's clock runs at one.
    pace: i128,
}

impl Straight {
    /// A mapping's line, seen from an origin. There is none where its skew
    /// stands time still or turns it around (reading G60).
    pub(super) fn of(line: &Line, x_origin: i128, y_origin: i128) -> Option<Straight> {
        let pace = tame(line.skew_ppb) + BILLION;
        let offset = tame(line.offset_ns);
        (pace > 0).then_some(Straight {
            x: i128::from(line.reference_source_ns) + offset - x_origin,
            y: offset - y_origin,
            pace,
        })
    }

    /// The offset at an instant of the reference.
    ///
    /// ```text
    /// over the source's time:     offset = y + s * skew
    /// x = s + offset, therefore:  offset = y + d - d / (1 + skew),  d = x - origin
    /// ```
    pub(super) fn at(&self, x: i128) -> i128 {
        let distance = x - self.x;
        self.y + distance - distance * BILLION / self.pace
    }
}

/// A line or a limit by its height at both sides of a panel, in tenths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// At the left side.
    pub(super) left: i128,
    /// At the right side.
    pub(super) right: i128,
}

/// The inside of a panel: places grow rightward and downward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    pub(super) left: i128,
    pub(super) right: i128,
    pub(super) top: i128,
    pub(super) bottom: i128,
}

impl Inside {
    /// Between two axes, of which the second points upward.
    pub(super) const fn of(across: &Axis, up: &Axis) -> Inside {
        Inside {
            left: across.from(),
            right: across.to(),
            top: up.to(),
            bottom: up.from(),
        }
    }

    /// A level limit.
    pub(super) const fn level(height: i128) -> Edge {
        Edge {
            left: height,
            right: height,
        }
    }

    fn height(&self, edge: Edge, x: i128) -> i128 {
        edge.left + (edge.right - edge.left) * (x - self.left) / (self.right - self.left)
    }

    /// Where an edge that is not level comes to a height.
    fn crossing(&self, edge: Edge, height: i128) -> i128 {
        let rise = edge.right - edge.left;
        let x = self.left + (height - edge.left) * (self.right - self.left) / rise;
        x.clamp(self.left, self.right)
    }

    /// The side, above or below, beyond which a height lies.
    fn beyond(&self, height: i128) -> Option<i128> {
        if height < self.top {
            Some(self.top)
        } else if height > self.bottom {
            Some(self.bottom)
        } else {
            None
        }
    }

    /// The part of an edge that lies inside: x and y of both its ends.
    pub(super) fn visible(&self, edge: Edge) -> Option<[i128; 4]> {
        let (first, last) = (self.beyond(edge.left), self.beyond(edge.right));
        if first.is_some() && first == last {
            return None;
        }
        let end = |x, y, side: Option<i128>| match side {
            None => (x, y),
            Some(limit) => (self.crossing(edge, limit), limit),
        };
        let (x1, y1) = end(self.left, edge.left, first);
        let (x2, y2) = end(self.right, edge.right, last);
        Some([x1, y1, x2, y2])
    }

    /// The part of the area between two edges that lies inside, as the corners
    /// of a polygon. Between the corners a clamped edge is straight.
    pub(super) fn between(&self, upper: Edge, lower: Edge) -> Option<Vec<(i128, i128)>> {
        let mut across = vec![self.left, self.right];
        for edge in [upper, lower] {
            for limit in [self.top, self.bottom] {
                if (edge.left < limit) != (edge.right < limit) {
                    across.push(self.crossing(edge, limit));
                }
            }
        }
        across.sort_unstable();
        across.dedup();
        let clamped = |edge, x| (x, self.height(edge, x).clamp(self.top, self.bottom));
        let above: Vec<_> = across.iter().map(|x| clamped(upper, *x)).collect();
        let below: Vec<_> = across.iter().map(|x| clamped(lower, *x)).collect();
        let empty = above.iter().zip(&below).all(|(a, b)| a.1 >= b.1);
        (!empty).then(|| above.into_iter().chain(below.into_iter().rev()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: Inside = Inside {
        left: 0,
        right: 100,
        top: 0,
        bottom: 50,
    };

    #[test]
    fn lines_are_told_over_the_reference() {
        let line = |offset_ns, skew_ppb| Line {
            reference_source_ns: 1_000,
            offset_ns,
            skew_ppb,
        };
        let level = Straight::of(&line(7, 0), 0, 0).unwrap();
        assert_eq!((level.at(0), level.at(1_000_000)), (7, 7));
        // At half again the pace, the source's 3000 is the reference's 4007.
        let steep = line(7, 500_000_000);
        assert_eq!(steep.at(3_000), 1_007);
        assert_eq!(Straight::of(&steep, 0, 0).unwrap().at(4_007), 1_007);
        assert_eq!(Straight::of(&steep, 4_000, 7).unwrap().at(7), 1_000);
        assert!(Straight::of(&line(0, -BILLION), 0, 0).is_none());
        assert!(Straight::of(&line(i128::MIN, i128::MAX), 0, 0).is_some());
    }

    #[test]
    fn lines_and_areas_are_cut_at_the_sides() {
        let edge = |left, right| Edge { left, right };
        assert_eq!(INSIDE.visible(edge(10, 20)), Some([0, 10, 100, 20]));
        assert_eq!(INSIDE.visible(edge(-50, 50)), Some([50, 0, 100, 50]));
        assert_eq!(INSIDE.visible(edge(-50, 150)), Some([25, 0, 50, 50]));
        assert_eq!(INSIDE.visible(edge(60, 70)), None);
        let area = INSIDE.between(edge(-50, 50), edge(50, 50)).unwrap();
        assert_eq!(
            area,
            [(0, 0), (50, 0), (100, 50), (100, 50), (50, 50), (0, 50)]
        );
        assert!(INSIDE.between(edge(60, 60), edge(70, 70)).is_none());
    }
}
