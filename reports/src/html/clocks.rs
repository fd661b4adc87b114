//! A file's clock mappings: what their observations say of each, field by
//! field and as a picture.

use maud::{Markup, PreEscaped, html};

use super::escape::visible;
use super::plot;
use super::scale::exactly;
use crate::clocks::{Clocks, Field, Mapping, Verification};

/// The longest value of a file that is shown.
const LONGEST: usize = 200;

/// `id` begins what is named on the page for this file.
pub(super) fn render(clocks: &Clocks, id: &str) -> Markup {
    let (host, epoch) = &clocks.reference;
    html! {
        section class="clocks" {
            h3 { "Clocks" }
            p {
                "The reference is the clock of host " code { (visible(host, LONGEST)) }
                " in epoch " code { (visible(epoch, LONGEST)) } "."
            }
            @if clocks.mappings.is_empty() {
                p { "No other clock is mapped onto it." }
            }
            @for (mapping, number) in clocks.mappings.iter().zip(1..) {
                (one(mapping, &format!("{id}-clock-{number}")))
            }
        }
    }
}

/// The class of a badge, its sign, and what it says.
const fn badge(verification: Verification) -> (&'static str, char, &'static str) {
    match verification {
        Verification::Verified => (
            "good",
            '✓',
            "The stored mapping is what its observations imply.",
        ),
        Verification::Inconsistent => (
            "bad",
            '✕',
            "The stored mapping is not what its observations imply.",
        ),
        Verification::Unverified => (
            "open",
            '?',
            "Nothing shows whether the stored mapping is right.",
        ),
    }
}

fn one(mapping: &Mapping, id: &str) -> Markup {
    let (class, sign, meaning) = badge(mapping.verification);
    let observations = match mapping.observations_stream {
        Some(stream) => format!("observations on stream {stream}"),
        None => "names no observations".to_owned(),
    };
    let mut picture = String::new();
    if let Some(plot) = &mapping.plot {
        plot::render(&mut picture, mapping, plot, id);
    }
    html! {
        section .mapping .(class) id=(id) aria-labelledby={ (id) "-name" } {
            h4 id={ (id) "-name" } {
                span class="name" { (visible(&mapping.domain, LONGEST)) } " "
                (super::badge(class, sign, mapping.verification.as_str()))
            }
            p class="about" {
                (visible(&mapping.kind, LONGEST)) " · method " (visible(&mapping.method, LONGEST))
                " · quality " (visible(&mapping.quality, LONGEST)) " · " (observations)
            }
            p class="says" {
                (meaning)
                @if let Some(reason) = &mapping.reason {
                    " Reason: " (visible(reason, LONGEST)) "."
                }
                @for (place, field) in mapping.fields.iter().filter_map(difference).enumerate() {
                    @if place == 0 { " Stored and recomputed differ: " } @else { ", " }
                    (field)
                }
                @if mapping.fields.iter().any(|field| numbers(field).is_some()) { "." }
            }
            (PreEscaped(picture))
            (fields(mapping))
        }
    }
}

/// How a stored number differs from the recomputed one.
fn difference(field: &Field) -> Option<Markup> {
    let (stored, recomputed) = numbers(field)?;
    let more = stored.saturating_sub(recomputed);
    let word = if more < 0 { "less" } else { "more" };
    let much = amount(&field.field, more.saturating_abs());
    Some(html! { code { (visible(&field.field, LONGEST)) } " is stored as " (much) " " (word) })
}

/// Both values, where they are numbers and differ.
fn numbers(field: &Field) -> Option<(i128, i128)> {
    let stored = field.stored.parse().ok()?;
    let recomputed = field.recomputed.as_ref()?.parse().ok()?;
    field.differs.then_some((stored, recomputed))
}

fn amount(field: &str, number: i128) -> String {
    if field.ends_with("_ns") {
        exactly(number)
    } else if field.ends_with("_ppb") {
        format!("{number} ppb")
    } else {
        number.to_string()
    }
}

fn fields(mapping: &Mapping) -> Markup {
    if mapping.fields.is_empty() {
        return html! {};
    }
    html! {
        table class="fields" {
            caption class="hidden" { "Fields of the mapping, stored and recomputed" }
            thead {
                tr {
                    th scope="col" { "Field" }
                    th scope="col" { "Stored" }
                    th scope="col" { "Recomputed" }
                    th scope="col" { "Compared" }
                }
            }
            tbody {
                @for field in &mapping.fields {
                    @let recomputed = field.recomputed.as_deref();
                    tr class=[field.differs.then_some("differs")] {
                        th scope="row" { code { (visible(&field.field, LONGEST)) } }
                        td data-label="Stored" { (visible(&field.stored, LONGEST)) }
                        td data-label="Recomputed" { (visible(recomputed.unwrap_or("–"), LONGEST)) }
                        td data-label="Compared" {
                            @if field.differs {
                                strong { "≠ differs" }
                            } @else if recomputed.is_some() {
                                "= equal"
                            } @else {
                                "not compared"
                            }
                        }
                    }
                }
            }
        }
    }
}
