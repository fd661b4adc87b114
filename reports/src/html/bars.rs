//! The picture of streams over time: a row for each, its chunks as bars, and marks
//! where none lies, where several do, and where checkpoints stand.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::escape::{text, visible};
use super::marks::{rectangle, segment};
use super::scale::{about, unit};
use super::signs::{Sign, triangle};
use super::straight::Inside;
use super::stretches::Stretches;
use super::timeline::number;
use crate::contents::{ChunkSpan, StreamClock, StreamContents};

/// The picture's width, in tenths of its unit, as all that follows.
const WIDTH: i128 = 7_200;
pub(super) const LEFT: i128 = 120;
pub(super) const RIGHT: i128 = 6_980;
/// Above the first row, for the signs of checkpoints.
pub(super) const HEAD: i128 = 170;
/// A row, and within it its text, its bars, and the signs above and below these.
const ROW: i128 = 520;
const TEXT: i128 = 190;
const BAR: (i128, i128) = (310, 430);
/// Below the last row, for times and their heading.
const FOOT: i128 = 560;
/// The least width of a bar.
const LEAST: i128 = 15;
/// Signs that lie nearer to each other than this are one.
pub(super) const SIGN: i128 = 40;
/// Up to so many bars each says what it is.
const FEW: usize = 500;
/// The room for a topic, in tenths.
const NAME: i128 = 3_600;
/// The longest topic.
const LONGEST: usize = 120;

/// A picture under way.
pub(super) struct Picture<'c> {
    rows: &'c [&'c StreamContents],
    pub(super) clock: &'c StreamClock,
    pub(super) time: Stretches,
    pub(super) id: &'c str,
    /// Whether each bar says what it is.
    few: bool,
    /// What the legend explains.
    pub(super) signs: BTreeSet<Sign>,
}

impl<'c> Picture<'c> {
    /// Of these streams; none where nothing of them lies in time.
    pub(super) fn of(
        rows: &'c [&'c StreamContents],
        clock: &'c StreamClock,
        id: &'c str,
    ) -> Option<Self> {
        let spans = || rows.iter().flat_map(|stream| &stream.spans);
        let covered = spans().map(|span| (span.from_ns, span.to_ns)).collect();
        Some(Picture {
            rows,
            clock,
            time: Stretches::new(covered, LEFT, RIGHT)?,
            id,
            few: spans().count() <= FEW,
            signs: BTreeSet::new(),
        })
    }

    /// Below the last row.
    pub(super) fn bottom(&self) -> i128 {
        HEAD + ROW * i128::try_from(self.rows.len()).unwrap_or_default()
    }

    /// Draws it, and collects the signs that it holds.
    pub(super) fn draw(&mut self, out: &mut String) {
        let id = self.id;
        let foot = self.bottom();
        let _ = writeln!(
            out,
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Streams over time\" \
             aria-describedby=\"{id}-desc\">\n<desc id=\"{id}-desc\">{}</desc>\n<defs>\
             <pattern id=\"{id}-hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <path class=\"hatch\" d=\"M0 8L8 0\"/></pattern></defs>",
            unit(WIDTH),
            unit(foot + FOOT),
            self.description()
        );
        self.ground(out);
        self.checkpoints(out);
        let rows = self.rows;
        let mut top = HEAD;
        for row in rows {
            self.row(out, row, top);
            top += ROW;
        }
        out.push_str("</svg>\n");
    }

    /// What the picture shows, for those who do not see it.
    fn description(&self) -> String {
        let sum = |of: fn(&StreamContents) -> u64| {
            let all = self.rows.iter().map(|row| of(row));
            all.fold(0, u64::saturating_add)
        };
        format!(
            "Streams: {}. Chunks: {}. Gaps: {}. Overlaps: {}. Checkpoints: {}. The table of \
             streams has their times.",
            self.rows.len(),
            sum(StreamContents::chunks),
            sum(|row| row.gap_count),
            sum(|row| row.overlap_count),
            self.clock.checkpoint_count
        )
    }

    fn row(&mut self, out: &mut String, row: &StreamContents, top: i128) {
        let (above, below) = (top + BAR.0, top + BAR.1);
        let area = |left: i128, right: i128| Inside {
            left,
            right,
            top: above,
            bottom: below,
        };
        let hatch = |out: &mut String, id: &str, area: &Inside| {
            let _ = writeln!(
                out,
                "<rect fill=\"url(#{id}-hatch)\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                unit(area.left),
                unit(area.top),
                unit(area.right - area.left),
                unit(area.bottom - area.top)
            );
        };
        for span in &row.degraded {
            if !self.time.shows(span.from_ns, span.to_ns) {
                continue;
            }
            self.signs.insert(Sign::Degraded);
            let (left, right) = self.extent(span.from_ns, span.to_ns);
            let area = Inside {
                left,
                right,
                top: above - 60,
                bottom: below + 60,
            };
            rectangle(out, "degraded", &area);
            hatch(out, self.id, &area);
        }
        let middle = i128::midpoint(above, below);
        segment(out, "empty-time", [LEFT, middle, RIGHT, middle]);
        for (span, number) in row.spans.iter().zip(0_u8..) {
            let (left, right) = self.extent(span.from_ns, span.to_ns);
            let sign = if span.chunks > 1 {
                Sign::Merged
            } else {
                Sign::Chunk
            };
            self.signs.insert(sign);
            let class = match (sign, number % 2) {
                (Sign::Merged, _) => "chunk several",
                (_, 0) => "chunk",
                _ => "chunk odd",
            };
            let bar = area(left, right);
            if self.few {
                titled(out, class, &bar, &told(span));
            } else {
                rectangle(out, class, &bar);
            }
        }
        self.signs_at(
            out,
            row.gaps.iter().map(|gap| (gap.from_ns, gap.to_ns)),
            Sign::Gap,
            above,
        );
        for span in &row.overlaps {
            let (left, right) = self.extent(span.from_ns, span.to_ns);
            rectangle(out, "overlap", &area(left, right));
            hatch(out, self.id, &area(left, right));
        }
        let overlaps = row.overlaps.iter().map(|it| (it.from_ns, it.to_ns));
        self.signs_at(out, overlaps, Sign::Overlap, below);
        let name = match row.topic.as_str() {
            "" => format!("stream {}", row.stream_ref),
            topic => format!(
                "{} {}",
                row.stream_ref,
                fitting(&visible(topic, LONGEST), NAME)
            ),
        };
        let y = unit(top + TEXT);
        let _ = writeln!(
            out,
            "<text class=\"row\" x=\"{}\" y=\"{y}\">{}</text>\
             <text class=\"label count\" x=\"{}\" y=\"{y}\">{}</text>",
            unit(LEFT),
            text(&name, usize::MAX),
            unit(RIGHT),
            counts(row)
        );
    }

    /// A bar's ends, within the picture and wide enough to be seen.
    fn extent(&self, from: u64, to: u64) -> (i128, i128) {
        let left = self.time.place(from).min(RIGHT - LEAST);
        (left, self.time.place(to).max(left + LEAST).min(RIGHT))
    }

    /// A sign in the middle of each time: gaps from above, overlaps from below.
    fn signs_at(
        &mut self,
        out: &mut String,
        times: impl Iterator<Item = (u64, u64)>,
        sign: Sign,
        y: i128,
    ) {
        let places: BTreeSet<i128> = times
            .map(|(from, to)| i128::midpoint(self.time.place(from), self.time.place(to)))
            .collect();
        let mut free = i128::MIN;
        for x in places {
            if x < free {
                continue;
            }
            free = x + SIGN;
            self.signs.insert(sign);
            let (class, base, tip) = match sign {
                Sign::Gap => ("gap", y - 70, y - 10),
                _ => ("over", y + 70, y + 10),
            };
            triangle(out, class, x, base, tip);
        }
    }
}

fn told(span: &ChunkSpan) -> String {
    let length = i128::from(span.to_ns) - i128::from(span.from_ns);
    format!(
        "{}, {}, {} to {} ns ({})",
        number(span.chunks, "chunk"),
        number(span.messages, "message"),
        span.from_ns,
        span.to_ns,
        about(length)
    )
}

fn counts(row: &StreamContents) -> String {
    let mut parts = vec![number(row.chunks(), "chunk")];
    let marks = [
        (row.gap_count, "gap"),
        (row.overlap_count, "overlap"),
        (row.degraded_count, "degraded time"),
    ];
    let marks = marks.into_iter().filter(|(count, _)| *count > 0);
    parts.extend(marks.map(|(count, of)| number(count, of)));
    parts.join(" · ")
}

/// As much of a text as has room, wide characters counted twice.
fn fitting(text: &str, room: i128) -> String {
    let mut left = room;
    let mut fits = String::new();
    for c in text.chars() {
        left -= if c.is_ascii() { 72 } else { 144 };
        if left < 0 {
            fits.push('…');
            break;
        }
        fits.push(c);
    }
    fits
}

fn titled(out: &mut String, class: &str, area: &Inside, title: &str) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{title}\
         </title></rect>",
        unit(area.left),
        unit(area.top),
        unit(area.right - area.left),
        unit(area.bottom - area.top)
    );
}
