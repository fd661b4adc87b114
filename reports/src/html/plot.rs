//! The picture of a mapping: its panels one above the other, and beneath them
//! what they are made of, in words.

use std::fmt::Write as _;

use super::escape;
use super::panel::Panel;
use super::scale::{Axis, about, exactly, unit};
use super::scene::{Scene, View, applied};
use crate::clocks::{Mapping, Plot, Span};

/// The picture's width, in tenths of its unit, as all that follows.
const WIDTH: i128 = 7_200;
const LEFT: i128 = 860;
const RIGHT: i128 = 7_040;
/// Above a panel, for its heading.
const HEADING: i128 = 280;
/// Between two panels.
const GAP: i128 = 130;
/// Below the last, for the times and their heading.
const FOOT: i128 = 520;
/// The height of a panel that is alone, of the overview, and of the close-up.
const ALONE: i128 = 3_000;
const OVERVIEW: i128 = 1_700;
const CLOSE_UP: i128 = 2_800;
/// Degraded spans that are told below.
const MOST_SPANS: usize = 20;
/// The longest reason and name.
const LONGEST: usize = 200;

/// A figure with everything; a sentence where there is nothing to draw.
pub(super) fn render(out: &mut String, mapping: &Mapping, plot: &Plot, id: &str) {
    let Some(scene) = Scene::of(mapping, plot) else {
        let offset = exactly(plot.stored.offset_ns);
        let _ = writeln!(
            out,
            "<p class=\"empty\">No observations: there is nothing to hold the stored offset of \
             {offset} against, and no picture.</p>"
        );
        return;
    };
    out.push_str("<figure>\n");
    picture(out, mapping, &scene, id);
    out.push_str("<figcaption>\n");
    legend(out, &scene, id);
    for sentence in sentences(mapping, plot, &scene) {
        let _ = writeln!(out, "<p>{sentence}</p>");
    }
    degraded(out, plot, &scene);
    out.push_str("</figcaption>\n</figure>\n");
}

fn height(view: &View, number: usize) -> i128 {
    match (number, view.close) {
        (1, _) => ALONE,
        (_, false) => OVERVIEW,
        (_, true) => CLOSE_UP,
    }
}

fn picture(out: &mut String, mapping: &Mapping, scene: &Scene, id: &str) {
    let views = scene.views();
    let number = views.len();
    let gaps = GAP * i128::try_from(number.saturating_sub(1)).unwrap_or_default();
    let panels: i128 = views
        .iter()
        .map(|view| HEADING + height(view, number))
        .sum();
    let domain = escape::text(&mapping.domain, LONGEST);
    let verification = mapping.verification.as_str();
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Clock of {domain}: {verification}\" \
         aria-describedby=\"{id}-desc\">",
        unit(WIDTH),
        unit(panels + gaps + FOOT)
    );
    let _ = writeln!(out, "<title>Clock of {domain}: {verification}</title>");
    let _ = writeln!(out, "<desc id=\"{id}-desc\">{}</desc>", description(scene));
    fills(out, id);
    let mut top = 0;
    let across = Axis::new(scene.left, scene.right, LEFT, RIGHT);
    for (index, view) in views.iter().enumerate() {
        let foot = top + HEADING + height(view, number);
        let panel = Panel {
            scene,
            view,
            across,
            up: Axis::new(view.low, view.high, foot, top + HEADING),
            id,
            last: index + 1 == number,
        };
        panel.draw(out);
        top = foot + GAP;
    }
    let since = match scene.points.is_empty() {
        false => "the first observation",
        true => "the first degraded span",
    };
    let _ = writeln!(
        out,
        "<text class=\"heading across\" x=\"{}\" y=\"{}\">Time of the reference since {since}, \
         in {}</text>\n</svg>",
        unit((LEFT + RIGHT) / 2),
        unit(top - GAP + FOOT - 80),
        across.ticks(1).0.name
    );
}

/// The fills that a class cannot say: fading, and hatched.
fn fills(out: &mut String, id: &str) {
    out.push_str("<defs>\n");
    for (direction, from, to) in [("down", 0, 1), ("up", 1, 0)] {
        let _ = writeln!(
            out,
            "<linearGradient id=\"{id}-{direction}\" x1=\"0\" x2=\"0\" y1=\"{from}\" y2=\"{to}\">\
             <stop class=\"near\" offset=\"0\"/><stop class=\"far\" offset=\"1\"/>\
             </linearGradient>"
        );
    }
    let _ = writeln!(
        out,
        "<pattern id=\"{id}-hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
         <path class=\"hatch\" d=\"M0 8L8 0\"/></pattern>\n</defs>"
    );
}

/// What the picture shows, for those who do not see it.
fn description(scene: &Scene) -> String {
    let mut text = match scene.total {
        0 => "No observations.".to_owned(),
        1 => "1 observation.".to_owned(),
        number => format!("{number} observations over {}.", about(time(scene))),
    };
    if let Some(far) = distances(scene) {
        let _ = write!(text, " {far}");
    }
    if scene.stored.is_some() {
        let _ = write!(text, " Bias bound: {}.", bias(scene));
    }
    match scene.degraded.len() {
        0 => {}
        1 => text.push_str(" 1 degraded span."),
        number => {
            let _ = write!(text, " {number} degraded spans.");
        }
    }
    text
}

fn time(scene: &Scene) -> i128 {
    let times = || scene.points.iter().map(|point| point.0);
    times().max().unwrap_or_default() - times().min().unwrap_or_default()
}

/// How far the observations lie from the stored line.
fn distances(scene: &Scene) -> Option<String> {
    let stored = scene.stored?;
    let far = || scene.points.iter().map(|(x, y)| y - stored.at(*x));
    let (low, high) = (far().min()?, far().max()?);
    Some(match (low, high) {
        (0, 0) => "The observations lie on the stored line.".to_owned(),
        (low, high) if low == high => {
            let word = if low < 0 { "below" } else { "above" };
            format!(
                "The observations lie {} {word} the stored line.",
                about(low.abs())
            )
        }
        (low, high) if (low < 0) == (high < 0) && about(low) == about(high) => {
            let word = if low < 0 { "below" } else { "above" };
            format!(
                "The observations lie about {} {word} the stored line, their distances within {} \
                 of one another.",
                about(low.abs()),
                about(high - low)
            )
        }
        (low, high) if high <= 0 => format!(
            "The observations lie from {} to {} below the stored line.",
            about(-high),
            about(-low)
        ),
        (low, high) if low >= 0 => format!(
            "The observations lie from {} to {} above the stored line.",
            about(low),
            about(high)
        ),
        (low, high) => format!(
            "The observations lie from {} below to {} above the stored line.",
            about(-low),
            about(high)
        ),
    })
}

/// The bias bound in words.
fn bias(scene: &Scene) -> String {
    let side = |bound: Option<i128>| bound.map_or("unbounded".to_owned(), exactly);
    let (low, high) = (side(scene.low), side(scene.high));
    if low == high {
        format!("{low} below and above")
    } else {
        format!("{low} below, {high} above")
    }
}

/// Only what the picture holds.
fn legend(out: &mut String, scene: &Scene, id: &str) {
    let line =
        |class: &str| format!("<line class=\"{class}\" x1=\"1\" y1=\"6\" x2=\"27\" y2=\"6\"/>");
    let mut entries: Vec<(String, String)> = Vec::new();
    if !scene.points.is_empty() {
        let dots = "<path class=\"points\" d=\"M5 8h0M14 4h0M23 7h0\"/>".to_owned();
        let shown = u64::try_from(scene.points.len()).unwrap_or(u64::MAX);
        let text = match (shown, scene.total) {
            (1, 1) => "the observation".to_owned(),
            (shown, total) if shown < total => format!("{shown} of {total} observations"),
            (shown, _) => format!("{shown} observations"),
        };
        entries.push((dots, text));
    }
    if scene.stored.is_some() {
        entries.push((line("stored"), "stored line".to_owned()));
    }
    if scene.recomputed.is_some() {
        entries.push((line("recomputed"), "recomputed line".to_owned()));
    }
    if scene.stored.is_some() {
        let area = "<rect class=\"bound\" x=\"1\" y=\"1\" width=\"26\" height=\"10\"/>".to_owned();
        let text = format!("bias bound of the stored line: {}", bias(scene));
        entries.push((area, text));
    }
    if !scene.degraded.is_empty() {
        let area = format!(
            "<rect class=\"degraded\" x=\"1\" y=\"1\" width=\"26\" height=\"10\"/>\
             <rect fill=\"url(#{id}-hatch)\" x=\"1\" y=\"1\" width=\"26\" height=\"10\"/>"
        );
        entries.push((area, "degraded".to_owned()));
    }
    out.push_str("<ul class=\"legend\">\n");
    for (swatch, text) in entries {
        let _ = writeln!(
            out,
            "<li><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">{swatch}</svg> {text}</li>"
        );
    }
    out.push_str("</ul>\n");
}

fn sentences(mapping: &Mapping, plot: &Plot, scene: &Scene) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(distances(scene));
    let drawn = |line: &crate::clocks::Line| line.skew_ppb > -1_000_000_000;
    if !applied(mapping) {
        let quality = escape::text(&mapping.quality, LONGEST);
        sentences.push(format!(
            "With quality {quality} no reader applies the stored line, and it is not drawn."
        ));
    } else if !drawn(&plot.stored) {
        sentences.push(format!(
            "A skew of {} ppb stands time still or turns it around: there is no stored line to \
             draw.",
            plot.stored.skew_ppb
        ));
    }
    if let Some(line) = plot.recomputed.as_ref().filter(|line| !drawn(line)) {
        sentences.push(format!(
            "The recomputed skew of {} ppb stands time still or turns it around: there is no line \
             to draw.",
            line.skew_ppb
        ));
    }
    let reference = exactly(scene.x_origin);
    sentences.push(match scene.points.is_empty() {
        false => format!(
            "The first observation is at {reference} of the reference, where the offset (the \
             reference less the domain's clock) is {}.",
            exactly(scene.y_origin)
        ),
        true => format!(
            "There are no observations. The first degraded span begins at {reference} of the \
             reference; the stored offset is {}.",
            exactly(scene.y_origin)
        ),
    });
    sentences
}

/// The degraded spans, numbered as in the picture.
fn degraded(out: &mut String, plot: &Plot, scene: &Scene) {
    if plot.degraded.is_empty() {
        return;
    }
    out.push_str("<p>Degraded, in the picture's time:</p>\n<ol class=\"spans\">\n");
    for it in scene.degraded.iter().take(MOST_SPANS) {
        let Span {
            stream_ref, reason, ..
        } = it.span;
        let outside = match it.from > scene.right || it.to < scene.left {
            true => " (not in the picture)",
            false => "",
        };
        let _ = writeln!(
            out,
            "<li>stream {stream_ref}, {} to {}{outside}: {}</li>",
            exactly(it.from),
            exactly(it.to),
            escape::text(reason, LONGEST)
        );
    }
    out.push_str("</ol>\n");
    let more = scene.degraded.len().saturating_sub(MOST_SPANS);
    if more > 0 {
        let _ = writeln!(out, "<p>and {more} more.</p>");
    }
    match plot.degraded.len() - scene.degraded.len() {
        0 => {}
        1 => out.push_str("<p>One more span ends before it begins.</p>\n"),
        number => {
            let _ = writeln!(out, "<p>{number} more spans end before they begin.</p>");
        }
    }
}
