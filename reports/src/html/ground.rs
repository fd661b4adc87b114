//! What lies behind the bars of streams: the time with its grid, and checkpoints.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::bars::{HEAD, LEFT, Picture, RIGHT, SIGN};
use super::marks::{rectangle, segment};
use super::scale::{Axis, Unit, unit};
use super::signs::{Sign, diamond};
use super::straight::Inside;

impl Picture<'_> {
    /// The parts of the time with their grid and its labels.
    pub(super) fn ground(&mut self, out: &mut String) {
        let foot = self.bottom();
        let last = self.time.parts.len();
        let units = self.units();
        for (part, number) in self.time.parts.iter().zip(1..) {
            let (left, right) = (part.axis.from(), part.axis.to());
            let inside = Inside {
                left,
                right,
                top: HEAD,
                bottom: foot,
            };
            rectangle(out, "ground", &inside);
            let (tick_unit, ticks) = ticks(&part.axis);
            let mut free = left - 300;
            for tick in ticks {
                let x = part.axis.clamped(tick);
                segment(out, "grid", [x, HEAD, x, foot]);
                // Labels of one part keep out of the next one's first.
                if x < free || (number < last && x > right - 500 && x > left) {
                    continue;
                }
                free = x + 1_000;
                // Where parts have units of their own, each label has its.
                let own = match units.len() {
                    1 => String::new(),
                    _ => format!(" {}", tick_unit.name),
                };
                let _ = writeln!(
                    out,
                    "<text class=\"tick across\" x=\"{}\" y=\"{}\">{}{own}</text>",
                    unit(x),
                    unit(foot + 210),
                    tick_unit.write(tick)
                );
            }
            rectangle(out, "frame", &inside);
            if number < last {
                self.signs.insert(Sign::Cut);
                let x = right + 130;
                segment(out, "cut", [x - 90, foot, x - 10, HEAD]);
                segment(out, "cut", [x + 10, foot, x + 90, HEAD]);
            }
        }
        let since = match last {
            1 => "the first stamp",
            _ => "the beginning of each part",
        };
        let units = match units.as_slice() {
            [only] => format!(", in {only}"),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<text class=\"heading across\" x=\"{}\" y=\"{}\">Time since {since}{units}</text>",
            unit((LEFT + RIGHT) / 2),
            unit(foot + 460)
        );
    }

    /// The units of the parts' labels; one instant has none of its own.
    fn units(&self) -> Vec<&'static str> {
        let parts = &self.time.parts;
        let mut units: Vec<&str> = parts
            .iter()
            .filter(|part| part.end > part.start || parts.len() == 1)
            .map(|part| ticks(&part.axis).0.name)
            .collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// A line for each checkpoint, with a sign above it.
    pub(super) fn checkpoints(&mut self, out: &mut String) {
        let foot = self.bottom();
        let mut free = i128::MIN;
        let places: BTreeSet<i128> = self
            .clock
            .checkpoints
            .iter()
            .map(|stamp| self.time.place(*stamp))
            .collect();
        for x in places.into_iter().filter(|x| (LEFT..=RIGHT).contains(x)) {
            if x < free {
                continue;
            }
            free = x + SIGN;
            self.signs.insert(Sign::Checkpoint);
            segment(out, "checkpoint", [x, HEAD, x, foot]);
            diamond(out, x, HEAD - 80);
        }
    }
}

/// Round values, as many as their labels have room for.
fn ticks(axis: &Axis) -> (Unit, Vec<i128>) {
    axis.ticks(((axis.to() - axis.from()) / 1_100).max(1))
}
