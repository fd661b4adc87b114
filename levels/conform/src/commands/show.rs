//! `show`: a case with everything that is known of it.

use std::fmt::{self, Write as _};
use std::ops::Range;

use ca3_reports::paragraph::{clip, fold, wrap, wrap_behind};
use ca3_spec::vector::{Case, Edit, Polarity, Side, Vector};
use ca3_spec::{feature, reading, rule};
use ca3_wire::Span;
use ca3_wire::annotate::annotate;
use serde_json::Value;

use super::{Failure, print};
use crate::cli::ShowArgs;
use crate::conversation;
use crate::report::describe_expectation;
use crate::report::style::{self, BAD, BOLD, DIM};
use crate::suite::{Suite, find};

/// How many fields of a record are shown.
const SPANS: usize = 200;
/// How much of a field's value is shown.
const VALUE_CHARS: usize = 60;
/// How many bytes of a field are shown.
const HEX_BYTES: usize = 8;

pub(super) fn show(arguments: &ShowArgs) -> Result<u8, Failure> {
    let suite = Suite::load(&arguments.origin.origin())?;
    let case = find(&suite.cases, &arguments.case).map_err(Failure::Case)?;
    let mut page = Page {
        out: String::new(),
        width: style::terminal_width(),
    };
    // Writing to a string cannot fail.
    let _ = page.write_case(case);
    print(&page.out, arguments.color)?;
    Ok(0)
}

/// Text in lines of a terminal's width, but for requests: those are for copying.
struct Page {
    out: String,
    width: usize,
}

impl Page {
    fn write_case(&mut self, case: &Case) -> fmt::Result {
        let sidecar = &case.sidecar;
        writeln!(self.out, "{BOLD}{}{BOLD:#}", sidecar.id)?;
        write!(
            self.out,
            "{}{}",
            wrap(&sidecar.title, "  ", self.width),
            wrap(&sidecar.why, "  ", self.width)
        )?;
        let item = match sidecar.item.and_then(rule::item) {
            Some(item) => format!("item {} ({}), ", item.number, item.name),
            None => String::new(),
        };
        writeln!(self.out, "  {item}level {}", sidecar.level)?;
        for id in &sidecar.rules {
            let summary = rule::find(id).map_or("", |rule| rule.summary.as_str());
            write!(
                self.out,
                "{}",
                wrap(&format!("rule {id}: {summary}"), "  ", self.width)
            )?;
        }
        for id in &sidecar.readings {
            let text = match reading::find(id) {
                Some(reading) => format!("reading {id}: {} {}", reading.question, reading.answer),
                None => format!("reading {id}"),
            };
            write!(self.out, "{}", wrap(&text, "  ", self.width))?;
        }
        if sidecar.provisional {
            writeln!(self.out, "  provisional: a disagreement fails nobody")?;
        }
        for polarity in Polarity::BOTH {
            writeln!(self.out, "\n{BOLD}{}{BOLD:#}", polarity.as_str())?;
            match sidecar.side(polarity) {
                Side::Missing(missing) => {
                    let text = match missing.none.as_str() {
                        "wrong-answer" => format!(
                            "no file breaks the rule, an answer does: {}",
                            missing.reason
                        ),
                        none => format!("none ({none}): {}", missing.reason),
                    };
                    write!(self.out, "{}", wrap(&text, "  ", self.width))?;
                }
                Side::Vector(vector) => {
                    self.write_vector(vector, case.bytes(polarity).unwrap_or_default())?;
                }
            }
        }
        Ok(())
    }

    fn write_vector(&mut self, vector: &Vector, bytes: &[u8]) -> fmt::Result {
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
        let text = format!("{}, {} bytes{features}", vector.file, bytes.len());
        write!(self.out, "{}", wrap(&text, "  ", self.width))?;
        if let Some(edit) = &vector.edit {
            let text = format!(
                "edit: {}, at offset {}, {} bytes",
                edit.what, edit.offset, edit.length
            );
            write!(self.out, "{}", wrap(&text, "  ", self.width))?;
        }
        self.write_bytes(bytes, vector.edit.as_ref())?;
        for (index, step) in vector.steps.iter().enumerate() {
            let path = std::path::Path::new("/vector.ca3");
            let id = u64::try_from(index).unwrap_or_default().saturating_add(1);
            let request = conversation::request(step, path, id);
            let request = serde_json::to_string(&request).map_err(|_| fmt::Error)?;
            writeln!(self.out, "  {DIM}request{DIM:#}  {request}")?;
            let expectation = describe_expectation(&step.expect);
            let first = format!("  {DIM}expected{DIM:#} ");
            let text = wrap_behind(&expectation, &first, "           ", self.width);
            self.out.push_str(&text);
            let expected = serde_json::to_value(&step.expect).map_err(|_| fmt::Error)?;
            self.write_json(&expected)?;
        }
        Ok(())
    }

    fn write_json(&mut self, value: &Value) -> fmt::Result {
        for line in format!("{value:#}").lines() {
            let text = line.trim_start();
            let margin = " ".repeat(4 + line.len() - text.len());
            // What does not fit goes on behind a deeper margin.
            let deeper = format!("{margin}  ");
            self.out.push_str(&fold(text, &margin, &deeper, self.width));
        }
        Ok(())
    }

    /// The file record by record, field by field; what the edit touches is marked.
    fn write_bytes(&mut self, bytes: &[u8], edit: Option<&Edit>) -> fmt::Result {
        let edited =
            edit.map(|edit| edit.offset.0..edit.offset.0.saturating_add(edit.length.0.max(1)));
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
                self.out,
                "  {BOLD}{:08x}  {name}{opcode}{BOLD:#}{DIM}, {} bytes of content{DIM:#}",
                piece.offset, piece.content_length
            )?;
            for span in piece.spans.iter().take(SPANS) {
                self.write_span(span, bytes, edited.as_ref())?;
            }
            if piece.spans.len() > SPANS {
                writeln!(
                    self.out,
                    "    {DIM}and {} fields more{DIM:#}",
                    piece.spans.len() - SPANS
                )?;
            }
            if let Some(error) = &piece.error {
                write!(
                    self.out,
                    "{BAD}{}{BAD:#}",
                    wrap(&format!("does not decode: {error}"), "    ", self.width)
                )?;
            }
        }
        Ok(())
    }

    fn write_span(
        &mut self,
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
        let head = format!("  {mark} {:08x}  {hex:<18} ", span.offset);
        let text = format!("{} {}", span.field, clip(&span.value, VALUE_CHARS));
        let indent = " ".repeat(head.chars().count() + 2);
        let lines = fold(text.trim_end(), &head, &indent, self.width);
        if touched {
            writeln!(self.out, "{BAD}{}{BAD:#}", lines.trim_end())
        } else {
            writeln!(self.out, "{}", lines.trim_end())
        }
    }
}
