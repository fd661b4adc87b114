//! Where in a file things lie: a strip from its first byte to its last.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::marks::{rectangle, segment};
use super::scale::{Axis, unit};
use super::signs::diamond;
use super::straight::Inside;
use super::timeline::number;
use crate::contents::FileLayout;
use crate::{FileReport, Severity};

/// The picture's width, in tenths of its unit, as all that follows.
const WIDTH: i128 = 7_200;
const LEFT: i128 = 120;
const RIGHT: i128 = 6_980;
const TOP: i128 = 170;
const BOTTOM: i128 = 380;
const HEIGHT: i128 = 720;
/// The least width of a part.
const LEAST: i128 = 15;
/// Signs that lie nearer to each other than this are one.
const SIGN: i128 = 50;

/// The strip of a file of that size.
pub(super) fn render(file: &FileReport, layout: &FileLayout, size: u64, id: &str) -> Markup {
    let axis = Axis::new(0, size.into(), LEFT, RIGHT);
    let at = |offset: u64| axis.clamped(offset.into());
    let area = |from: u64, to: u64| {
        let left = at(from).min(RIGHT - LEAST);
        Inside {
            left,
            right: at(to).max(left + LEAST),
            top: TOP,
            bottom: BOTTOM,
        }
    };
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Where in the file things lie\">\
         <defs><pattern id=\"{id}-strip\" width=\"8\" height=\"8\" \
         patternUnits=\"userSpaceOnUse\"><path class=\"hatch\" d=\"M0 0L8 8\"/></pattern></defs>",
        unit(WIDTH),
        unit(HEIGHT)
    );
    let whole = area(0, size);
    rectangle(&mut svg, "ground", &whole);
    for span in &layout.chunks {
        rectangle(&mut svg, "chunk", &area(span.from, span.to));
    }
    if let Some(summary) = &layout.summary {
        let area = area(summary.from, summary.to);
        rectangle(&mut svg, "summary", &area);
        let _ = writeln!(
            svg,
            "<rect fill=\"url(#{id}-strip)\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            unit(area.left),
            unit(area.top),
            unit(area.right - area.left),
            unit(area.bottom - area.top)
        );
    }
    let checkpoints = apart(layout.checkpoints.iter().map(|offset| at(*offset)));
    for x in &checkpoints {
        segment(&mut svg, "checkpoint", [*x, TOP, *x, BOTTOM]);
        diamond(&mut svg, *x, TOP - 80);
    }
    rectangle(&mut svg, "frame", &whole);
    // What is worth knowing is no flaw.
    let flaws = file
        .findings
        .iter()
        .filter(|it| it.severity > Severity::Info);
    let found = apart(flaws.map(|finding| at(finding.offset)));
    for x in &found {
        cross(&mut svg, *x, BOTTOM + 80);
    }
    let _ = writeln!(
        svg,
        "<text class=\"tick\" x=\"{}\" y=\"{}\">0</text>\
         <text class=\"tick up\" x=\"{}\" y=\"{}\">{size} bytes</text>\n</svg>",
        unit(LEFT),
        unit(HEIGHT - 60),
        unit(RIGHT),
        unit(HEIGHT - 60)
    );
    let chunks = layout.chunks.iter().map(|span| span.records);
    let chunks = chunks.fold(0, u64::saturating_add);
    let sample = |svg: &str| {
        html! { svg viewBox="0 0 28 12" aria-hidden="true" { (PreEscaped(svg)) } " " }
    };
    let bar = |class: &str| {
        format!("<rect class=\"{class}\" x=\"1\" y=\"2\" width=\"26\" height=\"8\"/>")
    };
    let (mut mark, mut wrong) = (String::new(), String::new());
    diamond(&mut mark, 140, 60);
    cross(&mut wrong, 140, 60);
    html! {
        section class="layout" {
            h3 { "Where things lie in the file" }
            figure {
                (PreEscaped(svg))
                figcaption {
                    ul class="legend" {
                        @if chunks > 0 { li { (sample(&bar("chunk"))) (number(chunks, "chunk")) } }
                        @if layout.checkpoint_count > 0 {
                            li {
                                (sample(&mark)) (number(layout.checkpoint_count, "checkpoint"))
                                @if checkpoints.len() < layout.checkpoints.len()
                                    || layout.checkpoint_count
                                        > u64::try_from(layout.checkpoints.len()).unwrap_or(0) {
                                    ", some of them as one sign"
                                }
                            }
                        }
                        @if let Some(summary) = &layout.summary {
                            li {
                                (sample(&format!(
                                    "{}<rect fill=\"url(#{id}-strip)\" x=\"1\" y=\"2\" \
                                     width=\"26\" height=\"8\"/>", bar("summary"))))
                                "summary, from " (summary.from) " to " (summary.to)
                            }
                        }
                        @if !found.is_empty() { li { (sample(&wrong)) "errors and warnings" } }
                    }
                }
            }
        }
    }
}

/// Places in order, but for those that would lie on each other.
fn apart(places: impl Iterator<Item = i128>) -> Vec<i128> {
    let places: BTreeSet<i128> = places.collect();
    let mut kept: Vec<i128> = Vec::new();
    for x in places {
        if kept.last().is_none_or(|last| x >= last + SIGN) {
            kept.push(x);
        }
    }
    kept
}

fn cross(out: &mut String, x: i128, y: i128) {
    segment(out, "wrong", [x - 35, y - 35, x + 35, y + 35]);
    segment(out, "wrong", [x - 35, y + 35, x + 35, y - 35]);
}
