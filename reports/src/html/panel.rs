//! One panel of a picture: grid, degraded spans, bias bound, lines and
//! observations.

use std::fmt::Write as _;

use super::escape;
use super::marks::{CHARACTER, LINE, Sides, labels, line, rectangle, segment, texts};
use super::scale::{Axis, about, unit};
use super::scene::{Scene, View};
use super::straight::{Edge, Inside, Straight};
use crate::paragraph::plain;

/// What a character takes at most where the picture is wide, in tenths.
const NARROW: i128 = 72;
/// Degraded spans that are drawn, and those that are named in the picture.
const MOST_SPANS: usize = 200;
const MOST_NAMED: usize = 20;
/// The longest reason that is written in the picture.
const LONGEST_NAME: usize = 32;
/// More observations than this are drawn smaller.
const MANY: usize = 200;
/// Ticks of each axis, about.
const ACROSS: i128 = 6;
const UP: i128 = 5;

/// A panel that is being drawn.
pub(super) struct Panel<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) view: &'a View,
    pub(super) across: Axis,
    pub(super) up: Axis,
    /// What names in this picture begin with.
    pub(super) id: &'a str,
    /// Whether the times stand below it.
    pub(super) last: bool,
}

impl Panel<'_> {
    pub(super) fn draw(&self, out: &mut String) {
        let inside = Inside::of(&self.across, &self.up);
        let mut sides = Sides::default();
        self.ground(out, &inside);
        self.degraded(out, &inside);
        if let Some(stored) = self.scene.stored {
            self.bound(out, &inside, stored, &mut sides);
        }
        self.grid(out, &inside);
        let lines = [
            (self.scene.stored, "stored"),
            (self.scene.recomputed, "recomputed"),
        ];
        let mut drawn = Vec::new();
        for (straight, name) in lines {
            let Some(straight) = straight else { continue };
            let edge = self.edge(straight, 0);
            match inside.visible(edge) {
                Some(ends) => {
                    segment(out, name, ends);
                    drawn.push((name, ends));
                }
                None => self.missing(&inside, straight, edge, name, &mut sides),
            }
        }
        self.points(out, &inside, &mut sides);
        let labels = labels(out, &inside, &drawn, self.view.base.is_some());
        self.names(out, &inside, sides.above.len(), &labels);
        texts(out, &inside, &sides);
        rectangle(out, "frame", &inside);
    }

    /// A line's height at both sides, moved by some nanoseconds.
    fn edge(&self, line: Straight, by: i128) -> Edge {
        let height = |x| self.up.place(self.value(line, x) + by);
        Edge {
            left: height(self.across.low()),
            right: height(self.across.high()),
        }
    }

    /// A line's value in this panel.
    fn value(&self, line: Straight, x: i128) -> i128 {
        line.at(x) - self.base(x)
    }

    fn base(&self, x: i128) -> i128 {
        self.view.zero + self.view.base.map_or(0, |line| line.at(x))
    }

    fn ground(&self, out: &mut String, inside: &Inside) {
        let (tick_unit, _) = self.up.ticks(UP);
        rectangle(out, "ground", inside);
        let _ = writeln!(
            out,
            "<text class=\"heading\" x=\"{}\" y=\"{}\">{}, in {}</text>",
            unit(inside.left),
            unit(inside.top - 80),
            self.view.title,
            tick_unit.name
        );
    }

    fn grid(&self, out: &mut String, inside: &Inside) {
        let (tick_unit, ticks) = self.up.ticks(UP);
        for tick in ticks {
            let y = self.up.clamped(tick);
            let class = if tick == 0 { "grid zero" } else { "grid" };
            segment(out, class, [inside.left, y, inside.right, y]);
            let text = tick_unit.write(tick);
            let (x, y) = (unit(inside.left - 70), unit(y + 45));
            let _ = writeln!(
                out,
                "<text class=\"tick up\" x=\"{x}\" y=\"{y}\">{text}</text>"
            );
        }
        let (tick_unit, ticks) = self.across.ticks(ACROSS);
        for tick in ticks {
            let x = self.across.clamped(tick);
            segment(out, "grid", [x, inside.top, x, inside.bottom]);
            if self.last {
                let text = tick_unit.write(tick);
                let (x, y) = (unit(x), unit(inside.bottom + LINE));
                let _ = writeln!(
                    out,
                    "<text class=\"tick across\" x=\"{x}\" y=\"{y}\">{text}</text>"
                );
            }
        }
    }

    /// The degraded spans, as far as they lie in the time shown.
    fn degraded(&self, out: &mut String, inside: &Inside) {
        for (from, to, _) in self.stretches().take(MOST_SPANS) {
            let area = Inside {
                left: from,
                right: to,
                ..*inside
            };
            rectangle(out, "degraded", &area);
            let id = self.id;
            let _ = writeln!(
                out,
                "<rect fill=\"url(#{id}-hatch)\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                unit(from),
                unit(area.top),
                unit(to - from),
                unit(area.bottom - area.top)
            );
        }
    }

    /// Left and right side of each, and its number.
    fn stretches(&self) -> impl Iterator<Item = (i128, i128, usize)> {
        let (low, high) = (self.across.low(), self.across.high());
        let least = 10;
        let numbered = self.scene.degraded.iter().zip(1..);
        numbered
            .filter(move |(it, _)| it.from <= high && it.to >= low)
            .map(move |(it, number)| {
                let from = self.across.clamped(it.from);
                let to = self.across.clamped(it.to);
                // An instant is seen too.
                let from = from.min(self.across.to() - least);
                (from, to.max(from + least), number)
            })
    }

    /// The numbers of the degraded spans, and their reasons where there is room:
    /// from the span's beginning on, or before the panel's end. Narrow pictures
    /// show the numbers only; the reasons stand below too.
    fn names(&self, out: &mut String, inside: &Inside, lines_above: usize, labels: &[i128]) {
        let lines = i128::try_from(lines_above).unwrap_or_default();
        let left = inside.left + 30;
        // The height of each row, what is free of it, and where it ends: ahead of
        // a line's name.
        let mut rows = [0_i128, 1, 2].map(|row| {
            let y = inside.top + LINE * (lines + row + 1) - 40;
            let taken = labels.iter().any(|label| (label - y).abs() < LINE);
            let room = if taken { 12 * CHARACTER } else { 30 };
            (y, left, inside.right - room)
        });
        for (from, _, number) in self.stretches().take(MOST_NAMED) {
            let stretch = self.scene.degraded.get(number - 1);
            let reason = stretch.map_or("", |it| it.span.reason.as_str());
            let reason = format!(": {}", plain(reason, LONGEST_NAME));
            let number = number.to_string();
            let placed = [reason.as_str(), ""].into_iter().find_map(|reason| {
                let characters = number.len() + reason.chars().count();
                let width = NARROW * i128::try_from(characters).unwrap_or(inside.right);
                let place = |right: &i128| (from + 30).min(right - width);
                // Best where it begins with its span.
                let fits = |(_, free, right): &&mut (i128, i128, i128)| *free <= place(right);
                let whole = |(_, _, right): &&mut (i128, i128, i128)| place(right) > from;
                let found = rows.iter_mut().find(|row| fits(row) && whole(row));
                let row = match found {
                    Some(row) => row,
                    None => rows.iter_mut().find(fits)?,
                };
                let x = place(&row.2);
                row.1 = x + width + CHARACTER;
                Some((reason, x, row.0))
            });
            let Some((reason, x, y)) = placed else {
                continue;
            };
            let (x, y) = (unit(x), unit(y));
            let reason = escape::text(reason, usize::MAX);
            let _ = writeln!(
                out,
                "<text class=\"why\" x=\"{x}\" y=\"{y}\">{number}\
                 <tspan class=\"reason\">{reason}</tspan></text>"
            );
        }
    }

    /// The area within the bias bound; a side without one fades out.
    fn bound(&self, out: &mut String, inside: &Inside, stored: Straight, sides: &mut Sides) {
        let middle = self.edge(stored, 0);
        let whole = |bound: Option<i128>, limit| match bound {
            Some(bound) => self.edge(stored, bound),
            None => Inside::level(limit),
        };
        let upper = whole(self.scene.high, inside.top);
        let lower = whole(self.scene.low.map(|bound| -bound), inside.bottom);
        let drawn = [
            (self.scene.high, upper, middle, "up"),
            (self.scene.low, middle, lower, "down"),
        ];
        for (bound, top, bottom, direction) in drawn {
            let Some(corners) = inside.between(top, bottom) else {
                continue;
            };
            let points: Vec<String> = corners
                .iter()
                .map(|(x, y)| format!("{},{}", unit(*x), unit(*y)))
                .collect();
            let fill = match bound {
                Some(_) => "class=\"bound\"".to_owned(),
                None => format!("fill=\"url(#{}-{direction})\"", self.id),
            };
            let _ = writeln!(out, "<polygon {fill} points=\"{}\"/>", points.join(" "));
            let up = direction == "up";
            let side = if up {
                &mut sides.above
            } else {
                &mut sides.below
            };
            let (arrow, word) = if up {
                ('▲', "above")
            } else {
                ('▼', "below")
            };
            match bound {
                None => side.push(format!("{arrow} bias unbounded {word}")),
                Some(bound) => {
                    let end = if up { top } else { bottom };
                    if !line(out, inside, end, "bound-end") {
                        let bound = about(bound);
                        side.push(format!("{arrow} bias bound ends {bound} {word} the line"));
                    }
                }
            }
        }
    }

    /// Says where a line is that this panel does not show.
    fn missing(&self, inside: &Inside, line: Straight, edge: Edge, name: &str, sides: &mut Sides) {
        let middle = (self.across.low() + self.across.high()) / 2;
        let level = match self.view.base {
            Some(_) => 0,
            None => (self.up.low() + self.up.high()) / 2,
        };
        let far = about((self.value(line, middle) - level).abs());
        if edge.left < inside.top {
            sides.above.push(format!("▲ {name} line {far} above"));
        } else {
            sides.below.push(format!("▼ {name} line {far} below"));
        }
    }

    /// The observations; those beyond the panel as triangles at its sides.
    fn points(&self, out: &mut String, inside: &Inside, sides: &mut Sides) {
        let mut dots = String::new();
        let mut beyond = String::new();
        let (mut above, mut below) = (0_usize, 0_usize);
        for (x, y) in &self.scene.points {
            let value = y - self.base(*x);
            let x = self.across.clamped(*x);
            let (tip, foot) = if value > self.up.high() {
                above += 1;
                (inside.top + 10, inside.top + 80)
            } else if value < self.up.low() {
                below += 1;
                (inside.bottom - 10, inside.bottom - 80)
            } else {
                let _ = write!(dots, "M{} {}h0", unit(x), unit(self.up.clamped(value)));
                continue;
            };
            let (tip, foot) = (unit(tip), unit(foot));
            let (left, right) = (unit(x - 45), unit(x + 45));
            let _ = write!(beyond, "M{} {tip}L{left} {foot}L{right} {foot}z", unit(x));
        }
        let many = match self.scene.points.len() > MANY {
            true => " many",
            false => "",
        };
        if !dots.is_empty() {
            let _ = writeln!(out, "<path class=\"points{many}\" d=\"{dots}\"/>");
        }
        if !beyond.is_empty() {
            let _ = writeln!(out, "<path class=\"beyond\" d=\"{beyond}\"/>");
        }
        let say = |number: usize, arrow: char, word: &str| match number {
            1 => format!("{arrow} 1 observation {word}"),
            number => format!("{arrow} {number} observations {word}"),
        };
        if above > 0 {
            sides.above.push(say(above, '▲', "above"));
        }
        if below > 0 {
            sides.below.push(say(below, '▼', "below"));
        }
    }
}
