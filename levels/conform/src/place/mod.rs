//! Where in a file a value stands: from the path of a mismatch to a field.
//!
//! The annotated walk says which field every byte belongs to. A mismatch says
//! which member of an answer is wrong. What connects the two is the format's own
//! naming: a member is called as the field that it was read from.

mod path;

use ca3_spec::opcode::op;
use ca3_spec::protocol::Decimal;
use ca3_wire::Span;
use ca3_wire::annotate::{Annotated, annotate};
use serde::Serialize;
use serde_json::Value;

use crate::matching::{Mismatch, integer};
use crate::results::Excerpt;
use path::Part;

/// How much of a field's value is repeated.
const VALUE_CHARS: usize = 44;

/// A field of a file, and the bytes around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The record and the field, such as `Stream.topic`.
    pub field: String,
    /// Offset of its first byte.
    pub offset: Decimal,
    /// How many bytes it takes.
    pub length: Decimal,
    /// What they say as they are stored; empty where they only group others.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The bytes around it.
    pub excerpt: Excerpt,
}

/// The fields that a stretch of a file touches, in words: `Header.host_id`, or
/// the first and the last one. `None` where no field is known there.
pub fn fields_at(bytes: &[u8], offset: u64, length: u64) -> Option<String> {
    let end = offset.saturating_add(length.max(1));
    let mut touched = Vec::new();
    for piece in annotate(bytes) {
        let all = piece.spans.iter().filter(|span| touches(span, offset, end));
        // A span that holds another one says less than it.
        let inner = all.clone().filter(|span| {
            !all.clone().any(|other| {
                other != *span
                    && other.length < span.length
                    && span.offset <= other.offset
                    && end_of(other) <= end_of(span)
            })
        });
        touched.extend(inner.map(|span| name_of(&piece, span)));
    }
    match touched.as_slice() {
        // What does not decode has no fields; its record says where it is.
        [] => {
            let mut pieces = annotate(bytes).into_iter().rev();
            let around = pieces.find(|piece| piece.offset <= offset)?;
            // A field that does not decode is named by what is wrong with it.
            if let Some(error) = around.error.filter(|error| error.offset <= offset) {
                return Some(error.field);
            }
            let inside = offset < u64::try_from(bytes.len()).ok()?;
            let name = if around.name.is_empty() {
                "the record"
            } else {
                around.name
            };
            inside.then(|| format!("{name} from {} on", around.offset))
        }
        [one] => Some(one.clone()),
        [first, .., last] => Some(format!("{first} to {last}")),
    }
}

fn touches(span: &Span, offset: u64, end: u64) -> bool {
    span.offset < end && offset < end_of(span)
}

fn end_of(span: &Span) -> u64 {
    span.offset.saturating_add(span.length)
}

fn name_of(piece: &Annotated, span: &Span) -> String {
    match (piece.name, piece.opcode) {
        ("magic", _) if piece.offset == 0 => "the leading magic".to_owned(),
        ("magic", _) => "the trailing magic".to_owned(),
        ("tail", _) => "what is no record".to_owned(),
        ("", Some(opcode)) => format!("record 0x{opcode:02X}, {}", span.field),
        (name, _) => format!("{name}.{}", span.field),
    }
}

/// The field behind a mismatch, where the walk can tell. `expected` is the whole
/// expected result, `answer` what came back.
pub fn locate(
    bytes: &[u8],
    mismatch: &Mismatch,
    expected: &Value,
    answer: Option<&Value>,
) -> Option<Place> {
    let parts = path::parse(&mismatch.path);
    let pieces = annotate(bytes);
    let file = File {
        bytes,
        pieces: &pieces,
    };
    match parts.as_slice() {
        // The reader names a place itself when it refuses or reports.
        [Part::Member("status"), ..] => {
            let error = answer.and_then(|answer| answer.get("error"));
            file.record_at(error.and_then(|error| error.get("offset"))?)
        }
        [Part::Member("problems"), ..] => {
            let got = mismatch.got.as_ref();
            file.record_at(got.and_then(|problem| problem.get("offset"))?)
        }
        [Part::Member("sealed" | "complete"), ..] => file.end(),
        [Part::Member("stopped_at"), ..] => file.record_at(&mismatch.expected),
        [Part::Member("calendar_time"), ..] => {
            file.field(file.first(op::HEADER)?, &["anchor_wall_unix_ns".to_owned()])
        }
        [Part::Member("header"), rest @ ..] => file.field(file.first(op::HEADER)?, &names(rest)),
        [Part::Member("session"), rest @ ..] => file.field(file.last(op::SESSION)?, &names(rest)),
        [Part::Member("reference"), Part::Member(name)] => {
            file.field(file.first(op::CLOCK_BLOCK)?, &[format!("reference_{name}")])
        }
        // Of a list that is too short or too long, how many the block states.
        [Part::Member(list @ ("domains" | "degraded_intervals"))] => {
            file.field(file.first(op::CLOCK_BLOCK)?, &[format!("{list}.count")])
        }
        [
            Part::Member("domains" | "degraded_intervals"),
            Part::Index(_),
            ..,
        ] => file.field(file.first(op::CLOCK_BLOCK)?, &in_block(&parts, mismatch)),
        // An element too many: the record that it was read from.
        [Part::Member(list @ ("streams" | "schemas"))] if mismatch.surplus.is_some() => {
            let (opcode, key) = match *list {
                "streams" => (op::STREAM, "stream_ref"),
                _ => (op::SCHEMA, "schema_ref"),
            };
            let got = answer?.get("result")?.get(*list)?.as_array()?;
            let index = mismatch.surplus?;
            let reference = integer(got.get(index)?.get(key)?)?;
            let same = |value: &&Value| value.get(key).and_then(integer) == Some(reference);
            let before = got.iter().take(index).filter(same).count();
            let piece = file.definitions(opcode, key, reference).nth(before)?;
            file.field(piece, &[key.to_owned()])
        }
        [Part::Member(list), rest @ ..] => {
            let listed = expected.get(list).and_then(Value::as_array)?;
            let (index, rest) = match rest {
                [Part::Index(index), rest @ ..] => (*index, rest),
                // Elements are missing: the first of them.
                [] if mismatch.elements => (mismatch.missing?, rest),
                _ => return None,
            };
            match *list {
                "messages" => file.message(index, rest),
                "skipped" => file.record_at(listed.get(index)?.get("offset")?),
                "streams" => file.definition(op::STREAM, "stream_ref", listed.get(index)?, rest),
                "schemas" => file.definition(op::SCHEMA, "schema_ref", listed.get(index)?, rest),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The names under which a member of a clock domain or an interval stands in the
/// ClockBlock.
fn in_block(parts: &[Part<'_>], mismatch: &Mismatch) -> Vec<String> {
    let path = path::join(parts);
    let beside = |member: &str, other: &str| {
        path.strip_suffix(member)
            .map(|domain| format!("{domain}{other}"))
    };
    // Whether a round trip is there is a byte of its own, and what verifies a
    // mapping is in the stream that it names.
    let absent = mismatch.expected.is_null() || mismatch.got.is_none();
    let present = beside("min_rtt_ns", "min_rtt_present").filter(|_| absent);
    let observed = beside("verification", "observations_stream");
    present.or(observed).into_iter().chain([path]).collect()
}

/// The names under which the rest of a path may stand in a record.
fn names(rest: &[Part<'_>]) -> Vec<String> {
    let whole = path::join(rest);
    match whole.as_str() {
        "descriptor_sha256" => vec!["descriptor".to_owned()],
        _ => vec![whole],
    }
}

/// A file and what the walk says of it.
struct File<'a> {
    bytes: &'a [u8],
    pieces: &'a [Annotated],
}

impl File<'_> {
    fn first(&self, opcode: u8) -> Option<&Annotated> {
        self.pieces
            .iter()
            .find(|piece| piece.opcode == Some(opcode))
    }

    fn last(&self, opcode: u8) -> Option<&Annotated> {
        let mut backwards = self.pieces.iter().rev();
        backwards.find(|piece| piece.opcode == Some(opcode))
    }

    fn place(&self, piece: &Annotated, span: &Span) -> Place {
        Place {
            field: name_of(piece, span),
            offset: Decimal(span.offset),
            length: Decimal(span.length),
            value: ca3_reports::paragraph::clip(&span.value, VALUE_CHARS),
            excerpt: Excerpt::around(self.bytes, span.offset, span.length),
        }
    }

    /// The first field of a record that has one of the names, or lies in it.
    fn field(&self, piece: &Annotated, names: &[String]) -> Option<Place> {
        let found = names.iter().find_map(|name| {
            let exact = piece.spans.iter().find(|span| span.field == *name);
            exact.or_else(|| {
                // `attributes.k` stands in `attributes[0].key`, `devices` in `devices.count`.
                let list = name
                    .split(['.', '['])
                    .next()
                    .filter(|list| !list.is_empty())?;
                piece.spans.iter().find(|span| {
                    let rest = span.field.strip_prefix(list);
                    rest.is_some_and(|rest| rest.starts_with(['.', '[']))
                })
            })
        });
        let opcode = || piece.spans.first();
        found.or_else(opcode).map(|span| self.place(piece, span))
    }

    fn record_at(&self, offset: &Value) -> Option<Place> {
        let offset = u64::try_from(integer(offset)?).ok()?;
        let piece = self.pieces.iter().find(|piece| piece.offset == offset)?;
        let span = piece.spans.first()?;
        let name = match (piece.name, piece.opcode) {
            ("", Some(opcode)) => format!("record 0x{opcode:02X}"),
            ("magic", _) => name_of(piece, span),
            (name, _) => format!("{name} record"),
        };
        Some(Place {
            field: name,
            value: String::new(),
            ..self.place(piece, span)
        })
    }

    /// The last eight bytes, which are the trailing magic or are not.
    fn end(&self) -> Option<Place> {
        let length = u64::try_from(self.bytes.len()).ok()?;
        let offset = length.saturating_sub(8);
        Some(Place {
            field: "the file's last bytes".to_owned(),
            offset: Decimal(offset),
            length: Decimal(length - offset),
            value: String::new(),
            excerpt: Excerpt::around(self.bytes, offset, length - offset),
        })
    }

    fn definition(
        &self,
        opcode: u8,
        key: &str,
        listed: &Value,
        rest: &[Part<'_>],
    ) -> Option<Place> {
        let wanted = listed.get(key).and_then(integer)?;
        let piece = self.definitions(opcode, key, wanted).next()?;
        self.field(piece, &names(rest))
    }

    /// The records that define a reference, in file order.
    fn definitions(
        &self,
        opcode: u8,
        key: &str,
        reference: i128,
    ) -> impl Iterator<Item = &Annotated> {
        self.pieces.iter().filter(move |piece| {
            let span = piece.spans.iter().find(|span| span.field == key);
            piece.opcode == Some(opcode)
                && span.is_some_and(|span| span.value.parse() == Ok(reference))
        })
    }

    /// A field of a message, by the message's number in the whole file; where
    /// the message has no such field, the base in its chunk that stands for it.
    fn message(&self, index: usize, rest: &[Part<'_>]) -> Option<Place> {
        let mut before = 0;
        for piece in self.pieces {
            if !matches!(piece.opcode, Some(op::CHUNK | op::COLUMNAR_CHUNK)) {
                continue;
            }
            let count = piece
                .spans
                .iter()
                .find(|span| span.field == "message_count");
            let count: usize = count.and_then(|span| span.value.parse().ok())?;
            if index < before + count {
                let member = path::join(rest);
                let inner = |name: &str| format!("message[{}].{name}", index - before);
                let names = match member.as_str() {
                    "stream_ref" => vec!["stream_ref".to_owned()],
                    "monotonic_timestamp_ns" => vec![inner("stamp_delta"), inner("stamp")],
                    "record_ts_ns" => vec![inner(&member), "record_ts_base_ns".to_owned()],
                    "wall_clock_ns" => vec![inner(&member), "wall_base_ns".to_owned()],
                    "source_timestamp_ns" => vec![inner(&member), "source_base_ns".to_owned()],
                    "sequence" => vec![inner(&member), "seq_first".to_owned()],
                    _ => vec![inner(&member)],
                };
                let exact = names.iter().find_map(|name| {
                    let span = piece.spans.iter().find(|span| span.field == *name)?;
                    Some(self.place(piece, span))
                });
                return exact.or_else(|| self.place_of_first(piece));
            }
            before += count;
        }
        None
    }

    fn place_of_first(&self, piece: &Annotated) -> Option<Place> {
        piece.spans.first().map(|span| self.place(piece, span))
    }
}

#[cfg(test)]
mod tests;
