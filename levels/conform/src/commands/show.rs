//! `show`: a case with everything that is known of it.

use std::fmt::{self, Write as _};
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use ca3_spec::vector::{Case, Edit, Polarity, Side, Vector};
use ca3_spec::{feature, reading, rule};
use ca3_wire::Span;
use ca3_wire::annotate::annotate;
use serde_json::Value;

use super::{Failure, print};
use crate::cli::ShowArgs;
use crate::conversation;
use crate::report::{clip, describe_expectation, wrap};
use crate::suite::{Suite, find};

const WIDTH: usize = 80;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();
/// How many fields of a record are shown.
const SPANS: usize = 200;
/// How many bytes of a field are shown.
const HEX_BYTES: usize = 8;

pub(super) fn show(arguments: &ShowArgs) -> Result<u8, Failure> {
    let suite = Suite::load(&arguments.origin.origin())?;
    let case = find(&suite.cases, &arguments.case).map_err(Failure::Case)?;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_case(&mut out, case);
    print(&out, arguments.color)?;
    Ok(0)
}

fn write_case(out: &mut String, case: &Case) -> fmt::Result {
    let sidecar = &case.sidecar;
    writeln!(out, "{BOLD}{}{BOLD:#}", sidecar.id)?;
    write!(
        out,
        "{}{}",
        wrap(&sidecar.title, "  ", WIDTH),
        wrap(&sidecar.why, "  ", WIDTH)
    )?;
    let item = match sidecar.item.and_then(rule::item) {
        Some(item) => format!("item {} ({}), ", item.number, item.name),
        None => String::new(),
    };
    writeln!(out, "  {item}level {}", sidecar.level)?;
    for id in &sidecar.rules {
        let summary = rule::find(id).map_or("", |rule| rule.summary.as_str());
        write!(
            out,
            "{}",
            wrap(&format!("rule {id}: {summary}"), "  ", WIDTH)
        )?;
    }
    for id in &sidecar.readings {
        let text = match reading::find(id) {
            Some(reading) => format!("reading {id}: {} {}", reading.question, reading.answer),
            None => format!("reading {id}"),
        };
        write!(out, "{}", wrap(&text, "  ", WIDTH))?;
    }
    if sidecar.provisional {
        writeln!(out, "  provisional: a disagreement fails nobody")?;
    }
    for polarity in Polarity::BOTH {
        writeln!(out, "\n{BOLD}{}{BOLD:#}", polarity.as_str())?;
        match sidecar.side(polarity) {
            Side::Missing(missing) => {
                let text = format!("none ({}): {}", missing.none, missing.reason);
                write!(out, "{}", wrap(&text, "  ", WIDTH))?;
            }
            Side::Vector(vector) => {
                write_vector(out, vector, case.bytes(polarity).unwrap_or_default())?;
            }
        }
    }
    Ok(())
}

fn write_vector(out: &mut String, vector: &Vector, bytes: &[u8]) -> fmt::Result {
    let bits: Vec<String> = feature::bits(vector.required_features.0)
        .iter()
        .map(|bit| match feature::name(*bit) {
            Some(name) => format!("{bit} ({name})"),
            None => bit.to_string(),
        })
        .collect();
    let features = match bits.as_slice() {
        [] => String::new(),
        bits => format!(", required features {}", bits.join(", ")),
    };
    writeln!(out, "  {}, {} bytes{features}", vector.file, bytes.len())?;
    if let Some(edit) = &vector.edit {
        let text = format!(
            "edit: {}, at offset {}, {} bytes",
            edit.what, edit.offset, edit.length
        );
        write!(out, "{}", wrap(&text, "  ", WIDTH))?;
    }
    write_bytes(out, bytes, vector.edit.as_ref())?;
    for (index, step) in vector.steps.iter().enumerate() {
        let path = std::path::Path::new("/vector.ca3");
        let id = u64::try_from(index).unwrap_or_default().saturating_add(1);
        let request = conversation::request(step, path, id);
        let request = serde_json::to_string(&request).map_err(|_| fmt::Error)?;
        writeln!(out, "  {DIM}request{DIM:#}  {request}")?;
        writeln!(
            out,
            "  {DIM}expected{DIM:#} {}",
            describe_expectation(&step.expect)
        )?;
        let expected = serde_json::to_value(&step.expect).map_err(|_| fmt::Error)?;
        write_json(out, &expected)?;
    }
    Ok(())
}

fn write_json(out: &mut String, value: &Value) -> fmt::Result {
    format!("{value:#}")
        .lines()
        .try_for_each(|line| writeln!(out, "    {line}"))
}

/// The file record by record, field by field; what the edit touches is marked.
fn write_bytes(out: &mut String, bytes: &[u8], edit: Option<&Edit>) -> fmt::Result {
    let edited = edit.map(|edit| edit.offset.0..edit.offset.0.saturating_add(edit.length.0.max(1)));
    for piece in annotate(bytes) {
        let opcode = piece
            .opcode
            .map_or_else(String::new, |opcode| format!(" 0x{opcode:02X}"));
        let name = if piece.name.is_empty() {
            "record without a name"
        } else {
            piece.name
        };
        writeln!(
            out,
            "  {BOLD}{:08x}  {name}{opcode}{BOLD:#}{DIM}, {} bytes of content{DIM:#}",
            piece.offset, piece.content_length
        )?;
        for span in piece.spans.iter().take(SPANS) {
            write_span(out, span, bytes, edited.as_ref())?;
        }
        if piece.spans.len() > SPANS {
            writeln!(
                out,
                "    {DIM}and {} fields more{DIM:#}",
                piece.spans.len() - SPANS
            )?;
        }
        if let Some(error) = &piece.error {
            write!(
                out,
                "{BAD}{}{BAD:#}",
                wrap(&format!("does not decode: {error}"), "    ", WIDTH)
            )?;
        }
    }
    Ok(())
}

fn write_span(
    out: &mut String,
    span: &Span,
    bytes: &[u8],
    edited: Option<&Range<u64>>,
) -> fmt::Result {
    let end = span.offset.saturating_add(span.length);
    let touched = edited.is_some_and(|edit| span.offset < edit.end && edit.start < end);
    // A span that only groups others says nothing that they do not.
    if span.value.is_empty() && span.length > 0 && !touched {
        return Ok(());
    }
    let place = |value: u64| {
        usize::try_from(value)
            .unwrap_or(usize::MAX)
            .min(bytes.len())
    };
    let raw = bytes
        .get(place(span.offset)..place(end))
        .unwrap_or_default();
    let mut hex = String::new();
    for byte in raw.iter().take(HEX_BYTES) {
        write!(hex, "{byte:02x}")?;
    }
    if raw.len() > HEX_BYTES {
        hex.push_str("..");
    }
    let mark = if touched { '>' } else { ' ' };
    let value = clip(&span.value, 60);
    let line = format!(
        "  {mark} {:08x}  {hex:<18} {} {value}",
        span.offset, span.field
    );
    if touched {
        writeln!(out, "{BAD}{}{BAD:#}", line.trim_end())
    } else {
        writeln!(out, "{}", line.trim_end())
    }
}
