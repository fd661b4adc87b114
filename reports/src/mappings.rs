//! Clock mappings for people: a line each, and of one that is not what its
//! observations imply, both versions side by side.

use std::fmt::Write as _;

use crate::Severity;
use crate::clocks::{Clocks, Field, Mapping, Verification};
use crate::paragraph::{clip, plain, wrap_behind};
use crate::text::{WIDTH, style};

/// How many mappings are told of one file.
const MOST: usize = 50;
/// The longest name of a domain.
const LONGEST_NAME: usize = 60;
/// The longest reason.
const LONGEST_REASON: usize = 200;
/// Columns of a field's name, and of a stored value.
const NAME: usize = 20;
const VALUE: usize = 20;
/// The longest value; 64 bits need not hold one that is recomputed.
const LONGEST_VALUE: usize = 32;

/// The mappings of a file.
pub(crate) fn show(out: &mut String, clocks: &Clocks) {
    let (host, epoch) = &clocks.reference;
    let (host, epoch) = (plain(host, LONGEST_NAME), plain(epoch, LONGEST_NAME));
    let mappings = match clocks.mappings.len() {
        0 => return,
        1 => "1 clock mapping".to_owned(),
        number => format!("{number} clock mappings"),
    };
    let line = format!("{mappings} onto host \"{host}\", epoch \"{epoch}\":");
    out.push_str(&wrap_behind(&line, "  ", "    ", WIDTH));
    for mapping in clocks.mappings.iter().take(MOST) {
        one(out, mapping);
    }
    let more = clocks.mappings.len().saturating_sub(MOST);
    if more > 0 {
        let _ = writeln!(out, "    and {more} more, in the JSON report");
    }
}

fn one(out: &mut String, mapping: &Mapping) {
    let word = mapping.verification.as_str();
    let verdict = match mapping.verification {
        Verification::Verified => word.to_owned(),
        Verification::Inconsistent => in_style(Severity::Error, word),
        Verification::Unverified => in_style(Severity::Warning, word),
    };
    let from = mapping
        .observations_stream
        .map_or_else(String::new, |stream| format!(" from stream {stream}"));
    let reason = mapping.reason.as_ref().map_or_else(String::new, |reason| {
        format!(": {}", plain(reason, LONGEST_REASON))
    });
    let line = format!(
        "{verdict} \"{}\" ({}, {}, {}){from}{reason}",
        plain(&mapping.domain, LONGEST_NAME),
        plain(&mapping.kind, LONGEST_NAME),
        plain(&mapping.method, LONGEST_NAME),
        plain(&mapping.quality, LONGEST_NAME)
    );
    out.push_str(&wrap_behind(&line, "    ", "      ", WIDTH));
    if mapping.fields.iter().any(|field| field.differs) {
        table(out, &mapping.fields);
    }
}

/// Stored beside recomputed; what differs is marked.
fn table(out: &mut String, fields: &[Field]) {
    row(out, "  ", "", "stored", "recomputed");
    for field in fields {
        let mark = if field.differs {
            format!("{} ", in_style(Severity::Error, "*"))
        } else {
            "  ".to_owned()
        };
        let recomputed = field.recomputed.as_deref().unwrap_or("-");
        row(out, &mark, &field.field, &field.stored, recomputed);
    }
}

fn row(out: &mut String, mark: &str, name: &str, stored: &str, recomputed: &str) {
    let name = plain(name, LONGEST_NAME);
    let value = |text| clip(&plain(text, 2 * LONGEST_VALUE), LONGEST_VALUE);
    let (stored, recomputed) = (value(stored), value(recomputed));
    let _ = writeln!(
        out,
        "    {mark}{name:NAME$} {stored:>VALUE$} {recomputed:>VALUE$}"
    );
}

fn in_style(severity: Severity, text: &str) -> String {
    let style = style(severity);
    format!("{style}{text}{style:#}")
}
