//! Schemas and streams: their copies and who refers to them (§5).

use std::collections::btree_map::Entry;
use std::io;

use ca3_reader::l3::messages::TimeMessage;
use ca3_reports::paragraph::clip;
use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;
use ca3_wire::records::{Record, Schema, Stream};
use ca3_wire::{Encoder, Span};
use sha2::{Digest as _, Sha256};

use crate::attributes;
use crate::contents::LONGEST;
use crate::scan::{Copies, Scan, SchemaFact, Section, StreamFact, field_offset};

/// The one encoding that this format names (§5.1).
const PROTOBUF: &str = "protobuf";
/// Bytes that a definition takes besides its strings.
const OVERHEAD: usize = 512;

/// Where a copy of a definition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copy {
    /// In a record of its own.
    Record,
    /// In a checkpoint.
    Checkpoint,
}

impl Scan<'_> {
    pub(crate) fn schema(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        self.take_schema(content, base, Copy::Record);
        Ok(())
    }

    pub(crate) fn stream(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        self.take_stream(content, base, Copy::Record);
        Ok(())
    }

    /// Takes a Schema's content; gives its reference.
    pub(crate) fn take_schema(&mut self, content: &[u8], base: u64, copy: Copy) -> Option<u32> {
        let Some(schema) = self.decode::<Schema>(content, base) else {
            return self.lose_definition(op::SCHEMA, content, base, copy);
        };
        let reference = schema.schema_ref;
        if reference == 0 {
            self.zero("CA3-5.1-02", base, "Schema.schema_ref");
            self.facts.nameless = self.facts.nameless.saturating_add(1);
            return None;
        }
        let digests = digests_of(&schema);
        let copies = self.copies(base, copy);
        if !self.facts.schemas.contains_key(&reference)
            && !self.pay(OVERHEAD.saturating_add(2 * LONGEST), base, "schema")
        {
            return None;
        }
        let protobuf = schema.encoding == PROTOBUF;
        let attributes = attributes::field_number(&schema.descriptor, &schema.schema_id);
        let declared = if self.facts.schemas.contains_key(&reference) || !protobuf {
            None
        } else {
            let declared = self.declared(&schema, &digests, base);
            if self.is_incomplete() {
                return None;
            }
            declared
        };
        let mut again = false;
        let differs = match self.facts.schemas.entry(reference) {
            Entry::Vacant(place) => {
                place.insert(SchemaFact {
                    descriptor_at: field_offset::<Schema>(content, base, "descriptor"),
                    declared,
                    digests,
                    copies,
                    described: !schema.descriptor.is_empty(),
                    names: (
                        clip(&schema.schema_id, LONGEST),
                        clip(&schema.encoding, LONGEST),
                    ),
                    protobuf,
                    attributes: attributes.filter(|_| protobuf),
                    time: TimeMessage::of_schema(&schema.schema_id, &schema.encoding),
                });
                None
            }
            Entry::Occupied(mut place) => {
                let fact = place.get_mut();
                again = fact.copies.in_summary && copies.in_summary;
                fact.copies.join(copies);
                let mut both = fact.digests.iter().zip(&digests);
                both.position(|(known, digest)| known != digest)
            }
        };
        if again {
            self.twice("Schema", reference, base);
        }
        if let Some(field) = differs.and_then(|place| SCHEMA_FIELDS.get(place)) {
            let offset = field_offset::<Schema>(content, base, field);
            self.differing("CA3-5.1-03", ("Schema", reference), field, offset, copy);
        }
        Some(reference)
    }

    /// Takes a Stream's content; gives its reference.
    pub(crate) fn take_stream(&mut self, content: &[u8], base: u64, copy: Copy) -> Option<u32> {
        let Some(stream) = self.decode::<Stream>(content, base) else {
            return self.lose_definition(op::STREAM, content, base, copy);
        };
        let reference = stream.stream_ref;
        if reference == 0 {
            self.zero("CA3-5.7-03", base, "Stream.stream_ref");
            self.facts.nameless = self.facts.nameless.saturating_add(1);
            return None;
        }
        let copies = self.copies(base, copy);
        if !self.facts.streams.contains_key(&reference)
            && !self.pay(content.len().saturating_add(OVERHEAD), base, "stream")
        {
            return None;
        }
        let mut again = false;
        let (first, differs) = match self.facts.streams.entry(reference) {
            Entry::Vacant(place) => {
                place.insert(StreamFact {
                    stream: stream.clone(),
                    copies,
                    source_reported: false,
                });
                (true, None)
            }
            Entry::Occupied(mut place) => {
                let fact = place.get_mut();
                again = fact.copies.in_summary && copies.in_summary;
                fact.copies.join(copies);
                let differs = fact.stream != stream;
                (
                    false,
                    differs.then(|| differing_field(&fact.stream, &stream)),
                )
            }
        };
        if again {
            self.twice("Stream", reference, base);
        }
        if first {
            self.judge_stream(&stream, content, base);
        }
        if let Some(field) = differs {
            let offset = field_offset::<Stream>(content, base, &field);
            self.differing("CA3-5.7-04", ("Stream", reference), &field, offset, copy);
        }
        Some(reference)
    }

    /// Keeps of a definition that does not decode what it is the copy of, so
    /// that nothing is said to be missing. It begins with its reference.
    pub(crate) fn lose_definition(
        &mut self,
        opcode: u8,
        content: &[u8],
        base: u64,
        copy: Copy,
    ) -> Option<u32> {
        let reference = content
            .first_chunk()
            .map_or(0, |it| u32::from_le_bytes(*it));
        if reference == 0 {
            self.facts.nameless = self.facts.nameless.saturating_add(1);
            return None;
        }
        let copies = self.copies(base, copy);
        if !self.pay(OVERHEAD, base, "definition") {
            return None;
        }
        self.facts
            .lost
            .entry((opcode, reference))
            .and_modify(|known| known.join(copies))
            .or_insert(copies);
        Some(reference)
    }

    fn copies(&self, base: u64, copy: Copy) -> Copies {
        let in_summary = self.section >= Section::Summary;
        let first = self.findings.record_or(base);
        match copy {
            Copy::Record => Copies {
                first,
                base,
                in_data: !in_summary,
                in_summary,
                elsewhere: false,
            },
            Copy::Checkpoint => Copies {
                first,
                base,
                in_data: false,
                in_summary: false,
                elsewhere: true,
            },
        }
    }

    /// Reading G114.
    fn twice(&mut self, record: &str, reference: u32, base: u64) {
        let message = format!("{record} {reference} is restated twice in the summary");
        let finding = Finding::new("CA3-5-02", Severity::Warning, base, record, message)
            .showing("one copy", "another one")
            .reading("G114");
        self.findings.add(if record == "Stream" {
            finding.of_stream(reference)
        } else {
            finding
        });
    }

    fn zero(&mut self, rule: &'static str, base: u64, field: &str) {
        self.findings.add(
            Finding::new(
                rule,
                Severity::Error,
                base,
                field,
                "reference 0 cannot be declared",
            )
            .showing("1 or more", 0),
        );
    }

    /// Readings G21 and G101.
    fn differing(
        &mut self,
        in_data: &'static str,
        (record, reference): (&str, u32),
        field: &str,
        offset: u64,
        copy: Copy,
    ) {
        let is_copy = copy != Copy::Record || self.section >= Section::Summary;
        let (rule, message) = if is_copy {
            (
                "CA3-5-03",
                format!(
                    "this copy of {record} {reference} has another {field} than the definition"
                ),
            )
        } else {
            (
                in_data,
                format!("{record} {reference} is defined before, with another {field}"),
            )
        };
        let path = format!("{record}.{field}");
        let mut finding = Finding::new(rule, Severity::Error, offset, path, message)
            .showing("the same definition", "another one");
        if record == "Stream" {
            finding = finding.of_stream(reference);
        }
        self.findings.add(finding.reading("G21"));
    }
}

impl Copies {
    pub(super) fn join(&mut self, other: Copies) {
        self.in_data |= other.in_data;
        self.in_summary |= other.in_summary;
        self.elsewhere |= other.elsewhere;
    }
}

/// What a schema states besides its reference, field by field.
const SCHEMA_FIELDS: [&str; 3] = ["schema_id", "encoding", "descriptor"];

fn digests_of(schema: &Schema) -> [[u8; 32]; 3] {
    let Schema {
        schema_id,
        encoding,
        descriptor,
        ..
    } = schema;
    [schema_id.as_bytes(), encoding.as_bytes(), descriptor]
        .map(|bytes| Sha256::digest(bytes).into())
}

/// The first field in which two streams differ.
fn differing_field(known: &Stream, copy: &Stream) -> String {
    let fields = |stream: &Stream| {
        let mut out = Encoder::new();
        // What was decoded has an encoding.
        let _ = stream.encode(&mut out);
        out.into_parts()
    };
    let ((known_bytes, known), (bytes, copy)) = (fields(known), fields(copy));
    let shown = |bytes: &[u8], span: &Span| {
        let start = usize::try_from(span.offset).ok()?;
        let end = start.checked_add(usize::try_from(span.length).ok()?)?;
        bytes.get(start..end).map(<[u8]>::to_vec)
    };
    known
        .iter()
        .zip(&copy)
        .find(|(a, b)| a.field != b.field || shown(&known_bytes, a) != shown(&bytes, b))
        .map_or_else(|| "metadata".to_owned(), |(_, span)| span.field.clone())
}
