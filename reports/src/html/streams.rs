//! The streams of a file as a table.

use maud::{Markup, html};

use super::escape::visible;
use super::scale::about;
use super::timeline::number;
use crate::contents::{Claim, Contents, StreamContents};

/// The longest text of a file.
const LONGEST: usize = 120;
/// More rows than this are folded.
const MANY: usize = 40;

/// The table.
pub(super) fn render(contents: &Contents) -> Markup {
    let streams = &contents.streams;
    if streams.is_empty() {
        return html! { section { h3 { "Streams" } p { "None." } } };
    }
    html! {
        section class="streams" {
            h3 { "Streams" }
            details open[streams.len() <= MANY] {
                summary { (number(u64::try_from(streams.len()).unwrap_or(u64::MAX), "stream")) }
                div class="scroll" tabindex="0" role="region" aria-label="Streams" {
                    table {
                        caption class="hidden" { "Streams of the file" }
                        thead {
                            tr {
                                th scope="col" { "Stream" }
                                th scope="col" { "Schema" }
                                th scope="col" { "Clock" }
                                th scope="col" { "Stored" }
                                th scope="col" { "Holds" }
                                th scope="col" { "Stamps, in ns" }
                                th scope="col" { "Rate" }
                                th scope="col" { "Marks" }
                            }
                        }
                        tbody { @for stream in streams { (row(contents, stream)) } }
                    }
                }
            }
            @if contents.more_streams > 0 {
                p class="left-out" { (contents.more_streams) " more streams are left out." }
            }
        }
    }
}

const fn claim(claim: Claim) -> (&'static str, char) {
    match claim {
        Claim::WellFormed => ("good", '✓'),
        Claim::ByClaimOnly => ("bad", '✕'),
        Claim::Undeclared => ("note", '–'),
        Claim::Undefined => ("warn", '?'),
    }
}

fn row(contents: &Contents, stream: &StreamContents) -> Markup {
    let clock = stream.clock.and_then(|place| contents.clocks.get(place));
    let (class, sign) = claim(stream.claim);
    html! {
        tr {
            th scope="row" data-label="Stream" {
                div {
                    (stream.stream_ref) " "
                    @if !stream.topic.is_empty() {
                        strong { (visible(&stream.topic, LONGEST)) }
                    }
                    br; (super::badge(class, sign, stream.claim.as_str()))
                }
            }
            td data-label="Schema" {
                div {
                    @if stream.schema_ref == 0 {
                        "none"
                    } @else {
                        (stream.schema_ref) " " code { (visible(&stream.schema_id, LONGEST)) }
                    }
                }
            }
            td data-label="Clock" {
                div {
                    @if let Some(clock) = clock {
                        code { (visible(&clock.host_id, LONGEST)) } ", epoch "
                        code { (visible(&clock.epoch, LONGEST)) }
                    } @else { "not known" }
                    @if !stream.source_clock.is_empty() {
                        br; "source " code { (visible(&stream.source_clock, LONGEST)) }
                    }
                }
            }
            td data-label="Stored" { div { (stored(stream)) } }
            td data-label="Holds" {
                div {
                    (number(stream.chunks(), "chunk")) br;
                    (number(stream.messages, "message")) br;
                    (number(stream.bytes, "byte"))
                }
            }
            td data-label="Stamps, in ns" {
                div class="stamps" {
                    @if let (Some(first), Some(last)) = (stream.first_ns, stream.last_ns) {
                        code { (first) } br; code { (last) } br;
                        (about(i128::from(last) - i128::from(first)))
                    } @else { "none" }
                }
            }
            td data-label="Rate" { div { (rate(stream)) } }
            td data-label="Marks" { div { (marks(stream)) } }
        }
    }
}

fn stored(stream: &StreamContents) -> Markup {
    let layouts: Vec<&str> = [
        (stream.row_chunks, "rows"),
        (stream.columnar_chunks, "columns"),
    ]
    .into_iter()
    .filter(|(chunks, _)| *chunks > 0)
    .map(|(_, name)| name)
    .collect();
    html! {
        @if layouts.is_empty() { "–" } @else { (layouts.join(" and ")) }
        @for uses in &stream.codecs {
            ", codec " (visible(&uses.codec, LONGEST))
            @if stream.codecs.len() > 1 { " (" (number(uses.chunks, "chunk")) ")" }
        }
        @if stream.block_alignment > 0 {
            br; "blocks aligned to " (stream.block_alignment) ", " (stream.block_offset)
            " bytes into the payload"
        }
    }
}

/// Messages a second between the first stamp and the last, beside the nominal rate.
fn rate(stream: &StreamContents) -> Markup {
    let time = match (stream.first_ns, stream.last_ns) {
        (Some(first), Some(last)) => u128::from(last.saturating_sub(first)),
        _ => 0,
    };
    let steps = u128::from(stream.messages.saturating_sub(1));
    // Millihertz: a thousand times a billion nanoseconds.
    let millihz = (steps * 1_000_000_000_000).checked_div(time);
    html! {
        @if let Some(millihz) = millihz.filter(|millihz| *millihz > 0) {
            (hertz(millihz)) " on average"
        } @else { "–" }
        @if stream.nominal_rate_millihz > 0 {
            br; "nominal " (hertz(stream.nominal_rate_millihz.into()))
        }
    }
}

fn hertz(millihz: u128) -> String {
    match (millihz / 1_000, millihz % 1_000) {
        (whole, 0) => format!("{whole} Hz"),
        (whole, part) => {
            let part = format!("{part:03}");
            format!("{whole}.{} Hz", part.trim_end_matches('0'))
        }
    }
}

fn marks(stream: &StreamContents) -> Markup {
    let longest = stream
        .gaps
        .iter()
        .map(|gap| gap.to_ns.saturating_sub(gap.from_ns))
        .max();
    html! {
        @if stream.gap_count > 0 {
            (number(stream.gap_count, "gap"))
            @if let Some(longest) = longest {
                ", " @if stream.gap_count > 1 { "longest " } (about(longest.into()))
            }
            br;
        }
        @if stream.overlap_count > 0 { (number(stream.overlap_count, "overlap")) br; }
        @if stream.degraded_count > 0 { (number(stream.degraded_count, "degraded time")) br; }
        @if let Some(recorder) = &stream.recorder {
            @if recorder.dropped_by_queue > 0 { "dropped " (recorder.dropped_by_queue) br; }
            @if recorder.never_arrived > 0 { "never arrived " (recorder.never_arrived) br; }
            @if recorder.reordered > 0 { "reordered " (recorder.reordered) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact_to_the_millihertz() {
        assert_eq!(hertz(100_000), "100 Hz");
        assert_eq!(hertz(29_970), "29.97 Hz");
        assert_eq!(hertz(5), "0.005 Hz");
        let stream = |messages, last| StreamContents {
            messages,
            first_ns: Some(0),
            last_ns: Some(last),
            ..StreamContents::default()
        };
        assert_eq!(rate(&stream(101, 1_000_000_000)).0, "100 Hz on average");
        assert_eq!(rate(&stream(1, 0)).0, "–");
        assert_eq!(rate(&stream(2, u64::MAX)).0, "–");
    }
}
