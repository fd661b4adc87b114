//! Streams over time: a picture for each clock that stamps some, and what it says
//! in words.

use maud::{Markup, PreEscaped, html};

use super::bars::Picture;
use super::escape::visible;
use super::scale::{about, exactly};
use super::signs::{meaning, swatch};
use crate::contents::{Contents, StreamClock, StreamContents};

/// Rows of a picture, and pictures of a file.
const MOST_ROWS: usize = 100;
const MOST_PICTURES: usize = 10;
/// The longest host, epoch and reason.
const LONGEST: usize = 120;

/// The pictures of a file, one for each clock that stamps streams.
pub(super) fn render(contents: &Contents, id: &str) -> Markup {
    let streams = &contents.streams;
    let unknown = StreamClock::default();
    let mut clocks: Vec<(Option<usize>, &StreamClock)> = Vec::new();
    clocks.extend(
        contents
            .clocks
            .iter()
            .enumerate()
            .map(|(at, it)| (Some(at), it)),
    );
    clocks.push((None, &unknown));
    let mut drawn = Vec::new();
    let mut idle: Vec<u32> = Vec::new();
    let mut more = 0_usize;
    for (place, clock) in clocks {
        let (rows, without): (Vec<&StreamContents>, Vec<_>) = streams
            .iter()
            .filter(|stream| stream.clock == place)
            .partition(|stream| !stream.spans.is_empty());
        idle.extend(without.iter().map(|stream| stream.stream_ref));
        if rows.is_empty() {
            continue;
        }
        if drawn.len() >= MOST_PICTURES {
            more = more.saturating_add(rows.len());
            continue;
        }
        let id = format!("{id}-time-{}", drawn.len());
        drawn.push(figure(place.is_some(), clock, &rows, &id));
    }
    html! {
        section class="timeline" {
            h3 { "Streams over time" }
            @if drawn.is_empty() { p { "No chunk with a message lies in time." } }
            @for picture in &drawn { (picture) }
            @if more > 0 {
                p class="left-out" { (more) " streams of further clocks are not drawn." }
            }
            @if !idle.is_empty() {
                p class="about" { "Without messages: " (list(&idle)) "." }
            }
        }
    }
}

/// Some streams by number.
fn list(streams: &[u32]) -> String {
    const MOST: usize = 20;
    let shown: Vec<String> = streams.iter().take(MOST).map(u32::to_string).collect();
    let word = if streams.len() == 1 {
        "stream"
    } else {
        "streams"
    };
    let more = match streams.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{word} {}{more}", shown.join(", "))
}

fn figure(known: bool, clock: &StreamClock, all: &[&StreamContents], id: &str) -> Markup {
    let rows = all.get(..MOST_ROWS.min(all.len())).unwrap_or_default();
    let Some(mut picture) = Picture::of(rows, clock, id) else {
        return html! {};
    };
    let mut svg = String::new();
    picture.draw(&mut svg);
    html! {
        figure {
            p class="heading" {
                @if known {
                    "Clock of host " code { (visible(&clock.host_id, LONGEST)) } " in epoch "
                    code { (visible(&clock.epoch, LONGEST)) }
                } @else {
                    "Streams whose clock is not known: nothing defines them"
                }
            }
            (PreEscaped(svg))
            figcaption {
                (picture.legend())
                (picture.parts())
                @if all.len() > rows.len() {
                    p class="left-out" {
                        (all.len() - rows.len()) " more streams are not drawn."
                    }
                }
                (degraded(rows))
            }
        }
    }
}

impl Picture<'_> {
    /// What the picture holds, in words.
    fn legend(&self) -> Markup {
        html! {
            ul class="legend" {
                @for sign in &self.signs {
                    li {
                        svg viewBox="0 0 28 12" aria-hidden="true" {
                            (PreEscaped(swatch(*sign, self.id)))
                        }
                        " " (meaning(*sign))
                    }
                }
            }
        }
    }

    /// Where the parts begin.
    fn parts(&self) -> Markup {
        let parts = &self.time.parts;
        let first = parts.first().map_or(0, |part| part.start);
        html! {
            @if let [only] = parts.as_slice() {
                p {
                    "First stamp " code { (only.start) } " ns, last stamp " code { (only.end) }
                    " ns: " (about(only.end - only.start)) "."
                }
            } @else {
                ol class="spans" {
                    @for part in parts {
                        li {
                            code { (part.start) } " ns to " code { (part.end) } " ns: "
                            (about(part.end - part.start))
                            @if part.start > first {
                                ", " (about(part.start - first)) " behind the first stamp"
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How many of something, in words.
pub(super) fn number(count: u64, of: &str) -> String {
    match count {
        1 => format!("1 {of}"),
        count => format!("{count} {of}s"),
    }
}

/// The degraded times of these streams.
fn degraded(rows: &[&StreamContents]) -> Markup {
    const MOST: usize = 20;
    let all: u64 = rows
        .iter()
        .map(|row| row.degraded_count)
        .fold(0, u64::saturating_add);
    let told = || {
        rows.iter()
            .flat_map(|row| row.degraded.iter().map(|it| (row.stream_ref, it)))
    };
    let shown = told().count().min(MOST);
    html! {
        @if shown > 0 {
            p { "Degraded:" }
            ol class="spans" {
                @for (stream, it) in told().take(MOST) {
                    li {
                        "stream " (stream) ", " code { (it.from_ns) } " to " code { (it.to_ns) }
                        " ns (" (exactly(i128::from(it.to_ns) - i128::from(it.from_ns))) "): "
                        (visible(&it.reason, LONGEST))
                    }
                }
            }
            @let more = all.saturating_sub(u64::try_from(shown).unwrap_or(u64::MAX));
            @if more > 0 { p { "and " (more) " more." } }
        }
    }
}
