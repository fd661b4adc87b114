//! What a panel is drawn with: lines, areas, and the texts at its sides.

use std::fmt::Write as _;

use super::scale::unit;
use super::straight::{Edge, Inside};

/// Tenths of the picture's unit from one line of text to the next. The units
/// are such that text stays legible where the picture is 360 pixels wide.
pub(super) const LINE: i128 = 210;
/// What a character takes at most, in tenths.
pub(super) const CHARACTER: i128 = 110;

/// What stands at the upper and the lower side, about what lies beyond them.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) above: Vec<String>,
    pub(super) below: Vec<String>,
}

/// Draws the visible part of a line, if there is one.
pub(super) fn line(out: &mut String, inside: &Inside, edge: Edge, class: &str) -> bool {
    let visible = inside.visible(edge);
    if let Some(ends) = visible {
        segment(out, class, ends);
    }
    visible.is_some()
}

/// A line between two places.
pub(super) fn segment(out: &mut String, class: &str, ends: [i128; 4]) {
    let [x1, y1, x2, y2] = ends.map(unit);
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
    );
}

/// A rectangle over an area.
pub(super) fn rectangle(out: &mut String, class: &str, area: &Inside) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        unit(area.left),
        unit(area.top),
        unit(area.right - area.left),
        unit(area.bottom - area.top)
    );
}

/// The names of the lines, at their right ends, where they are apart there; a
/// heading may have named the recomputed line. Gives their heights.
pub(super) fn labels(
    out: &mut String,
    inside: &Inside,
    drawn: &[(&str, [i128; 4])],
    named: bool,
) -> Vec<i128> {
    let mut heights = Vec::new();
    if let [(_, first), (_, second)] = drawn {
        let [_, _, x1, y1] = first;
        let [_, _, x2, y2] = second;
        if (x1 - x2).abs() < 10 * CHARACTER && (y1 - y2).abs() < 2 * LINE {
            return heights;
        }
    }
    for (name, [_, from, x, to]) in drawn {
        if named && *name == "recomputed" {
            continue;
        }
        // On the side from which the line does not come.
        let (above, below) = (to - 80, to + LINE - 20);
        let fits = (inside.top + LINE..inside.bottom - 40).contains(&below);
        let y = match (from < to && fits) || above < inside.top + LINE - 40 {
            true => below,
            false => above,
        };
        let _ = writeln!(
            out,
            "<text class=\"label {name}-name\" x=\"{}\" y=\"{}\">{name}</text>",
            unit((x - 80).max(inside.left + 10 * CHARACTER)),
            unit(y)
        );
        heights.push(y);
    }
    heights
}

/// What the sides say, in the middle; the names of the lines are at the right.
pub(super) fn texts(out: &mut String, inside: &Inside, sides: &Sides) {
    let x = unit((inside.left + inside.right) / 2);
    let above = sides.above.iter().zip(1_i128..);
    let above = above.map(|(text, line)| (text, inside.top + LINE * line));
    let below = sides.below.iter().rev().zip(0_i128..);
    let below = below.map(|(text, line)| (text, inside.bottom - LINE * line - 110));
    for (text, y) in above.chain(below) {
        let y = unit(y);
        let _ = writeln!(
            out,
            "<text class=\"side\" x=\"{x}\" y=\"{y}\">{text}</text>"
        );
    }
}
