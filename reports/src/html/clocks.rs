//! A file's clock mappings: what their observations say of each, field by
//! field and as a picture.

use std::fmt::Write as _;

use super::scale::exactly;
use super::{escape, plot};
use crate::clocks::{Clocks, Field, Mapping, Verification};

/// The longest value of a file that is shown.
const LONGEST: usize = 200;

/// `id` begins what is named on the page for this file.
pub(super) fn render(out: &mut String, clocks: &Clocks, id: &str) {
    let (host, epoch) = &clocks.reference;
    let _ = writeln!(
        out,
        "<section class=\"clocks\">\n<h3>Clocks</h3>\n<p>The reference is the clock of host \
         <code>{}</code> in epoch <code>{}</code>.</p>",
        escape::text(host, LONGEST),
        escape::text(epoch, LONGEST)
    );
    if clocks.mappings.is_empty() {
        out.push_str("<p>No other clock is mapped onto it.</p>\n");
    }
    for (mapping, number) in clocks.mappings.iter().zip(1..) {
        one(out, mapping, &format!("{id}-clock-{number}"));
    }
    out.push_str("</section>\n");
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

fn one(out: &mut String, mapping: &Mapping, id: &str) {
    let (class, sign, meaning) = badge(mapping.verification);
    let _ = writeln!(
        out,
        "<section class=\"mapping {class}\" id=\"{id}\" aria-labelledby=\"{id}-name\">\n\
         <h4 id=\"{id}-name\"><span class=\"name\">{}</span> <span class=\"badge {class}\">\
         <span aria-hidden=\"true\">{sign}</span> {}</span></h4>",
        escape::text(&mapping.domain, LONGEST),
        mapping.verification.as_str()
    );
    let observations = match mapping.observations_stream {
        Some(stream) => format!("observations on stream {stream}"),
        None => "names no observations".to_owned(),
    };
    let _ = writeln!(
        out,
        "<p class=\"about\">{} · method {} · quality {} · {observations}</p>",
        escape::text(&mapping.kind, LONGEST),
        escape::text(&mapping.method, LONGEST),
        escape::text(&mapping.quality, LONGEST)
    );
    let _ = write!(out, "<p class=\"says\">{meaning}");
    if let Some(reason) = &mapping.reason {
        let _ = write!(out, " Reason: {}.", escape::text(reason, LONGEST));
    }
    let differing: Vec<String> = mapping.fields.iter().filter_map(difference).collect();
    if !differing.is_empty() {
        let _ = write!(
            out,
            " Stored and recomputed differ: {}.",
            differing.join(", ")
        );
    }
    out.push_str("</p>\n");
    if let Some(plot) = &mapping.plot {
        plot::render(out, mapping, plot, id);
    }
    fields(out, mapping);
    out.push_str("</section>\n");
}

/// How a stored number differs from the recomputed one.
fn difference(field: &Field) -> Option<String> {
    let (stored, recomputed) = numbers(field)?;
    let more = stored.checked_sub(recomputed)?;
    let word = if more < 0 { "less" } else { "more" };
    let much = amount(&field.field, more.checked_abs()?);
    Some(format!(
        "<code>{}</code> is stored as {much} {word}",
        escape::text(&field.field, LONGEST)
    ))
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

fn fields(out: &mut String, mapping: &Mapping) {
    if mapping.fields.is_empty() {
        return;
    }
    out.push_str(
        "<table class=\"fields\">\n<thead><tr><th scope=\"col\">Field</th>\
         <th scope=\"col\">Stored</th><th scope=\"col\">Recomputed</th>\
         <th scope=\"col\">Compared</th></tr></thead>\n<tbody>\n",
    );
    for field in &mapping.fields {
        let (class, compared) = match (&field.recomputed, field.differs) {
            (_, true) => (" class=\"differs\"", "<strong>≠ differs</strong>"),
            (Some(_), false) => ("", "= equal"),
            (None, false) => ("", "not compared"),
        };
        let recomputed = field.recomputed.as_deref().unwrap_or("–");
        let _ = writeln!(
            out,
            "<tr{class}><th scope=\"row\"><code>{}</code></th><td data-label=\"Stored\">{}</td>\
             <td data-label=\"Recomputed\">{}</td><td data-label=\"Compared\">{compared}</td></tr>",
            escape::text(&field.field, LONGEST),
            escape::text(&field.stored, LONGEST),
            escape::text(recomputed, LONGEST)
        );
    }
    out.push_str("</tbody>\n</table>\n");
}
