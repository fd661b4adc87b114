//! Schemas and streams: their copies and who refers to them (§5).

use std::collections::btree_map::Entry;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::records::{Schema, Stream};
use sha2::{Digest, Sha256};

use crate::scan::{Copies, Pending, Scan, SchemaFact, Section, StreamFact, field_offset};

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
            self.facts.definitions_lost = true;
            return None;
        };
        let reference = schema.schema_ref;
        if reference == 0 {
            self.zero("CA3-5.1-02", base, "Schema.schema_ref");
            return None;
        }
        let digest = digest_of(&schema);
        let copies = self.copies(base, copy);
        if !self.facts.schemas.contains_key(&reference) && !self.pay(OVERHEAD, base, "schema") {
            return None;
        }
        let differs = match self.facts.schemas.entry(reference) {
            Entry::Vacant(place) => {
                place.insert(SchemaFact { digest, copies });
                false
            }
            Entry::Occupied(mut place) => {
                let fact = place.get_mut();
                fact.copies.join(copies);
                fact.digest != digest
            }
        };
        if differs {
            self.differing("CA3-5.1-03", "Schema.schema_ref", reference, base, copy);
        }
        Some(reference)
    }

    /// Takes a Stream's content; gives its reference.
    pub(crate) fn take_stream(&mut self, content: &[u8], base: u64, copy: Copy) -> Option<u32> {
        let Some(stream) = self.decode::<Stream>(content, base) else {
            self.facts.definitions_lost = true;
            return None;
        };
        let reference = stream.stream_ref;
        if reference == 0 {
            self.zero("CA3-5.7-03", base, "Stream.stream_ref");
            return None;
        }
        let copies = self.copies(base, copy);
        if !self.facts.streams.contains_key(&reference)
            && !self.pay(content.len().saturating_add(OVERHEAD), base, "stream")
        {
            return None;
        }
        let (first, differs) = match self.facts.streams.entry(reference) {
            Entry::Vacant(place) => {
                place.insert(StreamFact {
                    stream: stream.clone(),
                    copies,
                    source_reported: false,
                });
                (true, false)
            }
            Entry::Occupied(mut place) => {
                let fact = place.get_mut();
                fact.copies.join(copies);
                (false, fact.stream != stream)
            }
        };
        if first {
            self.judge_stream(&stream, content, base);
        }
        if differs {
            self.differing("CA3-5.7-04", "Stream.stream_ref", reference, base, copy);
        }
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
        field: &str,
        reference: u32,
        base: u64,
        copy: Copy,
    ) {
        let is_copy = copy != Copy::Record || self.section >= Section::Summary;
        let (rule, message) = if is_copy {
            (
                "CA3-5-03",
                format!("{field} {reference}: this copy differs from the definition"),
            )
        } else {
            (
                in_data,
                format!("{field} {reference} is defined before, differently"),
            )
        };
        let mut finding = Finding::new(rule, Severity::Error, base, field, message)
            .showing("the same definition", "another one");
        if field.starts_with("Stream") {
            finding = finding.of_stream(reference);
        }
        self.findings.add(finding.reading("G21"));
    }

    /// A stream by itself (§5.7, §5.9, §11.3).
    fn judge_stream(&mut self, stream: &Stream, content: &[u8], base: u64) {
        let reference = stream.stream_ref;
        let mut found: Vec<(&'static str, Severity, &str, &str, String, String)> = Vec::new();
        let alignment = stream.block_alignment;
        if !stream.has_valid_alignment() && alignment != 0 {
            let rule = if alignment > 4096 {
                "CA3-5.9-04"
            } else {
                "CA3-5.9-03"
            };
            found.push((
                rule,
                Severity::Error,
                "block_alignment",
                "is no boundary that a stream may declare",
                "0, or a power of two up to 4096".to_owned(),
                alignment.to_string(),
            ));
        }
        if alignment == 0 && stream.block_offset != 0 {
            found.push((
                "CA3-5.9-06",
                Severity::Error,
                "block_offset",
                "must be 0 where no boundary is declared",
                "0".to_owned(),
                stream.block_offset.to_string(),
            ));
        }
        let (from, until) = (
            stream.authorisation_from_unix_ns,
            stream.authorisation_until_unix_ns,
        );
        if until != 0 && from > until {
            found.push((
                "CA3-11.3-03",
                Severity::Error,
                "authorisation_until_unix_ns",
                "lies before the window's beginning",
                format!("{from} or later"),
                until.to_string(),
            ));
        }
        if stream.operator_asserted_by > 4 {
            found.push((
                "CA3-11.3-02",
                Severity::Warning,
                "operator_asserted_by",
                "is not defined and is read as unspecified",
                "0 to 4".to_owned(),
                stream.operator_asserted_by.to_string(),
            ));
        }
        match stream.schema_conformance {
            0 | 1 => {}
            2 => found.push((
                "CA3-5.7-08",
                Severity::Info,
                "schema_conformance",
                "is retired and is read as 1",
                "0 or 1".to_owned(),
                "2".to_owned(),
            )),
            other => found.push((
                "CA3-5.7-09",
                Severity::Warning,
                "schema_conformance",
                "is not defined and is read as 0",
                "0 or 1".to_owned(),
                other.to_string(),
            )),
        }
        for (rule, severity, field, message, expected, value) in found {
            let offset = field_offset::<Stream>(content, base, field);
            let message = format!("stream {reference}: {field} {value} {message}");
            let finding = Finding::new(rule, severity, offset, format!("Stream.{field}"), message)
                .of_stream(reference)
                .showing(expected, value);
            self.findings.add(finding);
        }
    }

    /// Resolves a chunk's stream, and that stream's schema, at the chunk.
    pub(crate) fn resolve(&mut self, stream_ref: u32, chunk: u64, field: u64) {
        let pending = Pending { chunk, field };
        match self.facts.streams.get(&stream_ref) {
            None => {
                self.facts
                    .undeclared_streams
                    .entry(stream_ref)
                    .or_insert(pending);
            }
            Some(fact) => {
                let schema_ref = fact.stream.schema_ref;
                if schema_ref != 0 && !self.facts.schemas.contains_key(&schema_ref) {
                    self.facts
                        .undeclared_schemas
                        .entry(schema_ref)
                        .or_insert(pending);
                }
            }
        }
    }

    /// What stays unresolved, what came too late, and what is not restated.
    pub(crate) fn definitions_at_end(&mut self) {
        if self.facts.definitions_lost {
            self.leave(
                "references to schemas and streams, and their copies".to_owned(),
                &[
                    "CA3-5-01",
                    "CA3-5-02",
                    "CA3-5.7-05",
                    "CA3-5.7-06",
                    "CA3-7.3-10",
                ],
                "a definition does not decode",
            );
            return;
        }
        let facts = &self.facts;
        let mut found = self.findings.beside();
        for (reference, pending) in &facts.undeclared_streams {
            let (rule, message) = if facts.streams.contains_key(reference) {
                (
                    "CA3-5-01",
                    format!("stream {reference} is defined behind the first chunk that needs it"),
                )
            } else {
                ("CA3-5.7-05", format!("stream {reference} is not defined"))
            };
            found.add(
                Finding::new(
                    rule,
                    Severity::Error,
                    pending.field,
                    "Chunk.stream_ref",
                    message,
                )
                .in_record(pending.chunk)
                .of_stream(*reference)
                .in_chunk(pending.chunk)
                .showing("a stream defined before", reference),
            );
        }
        for (reference, fact) in &facts.streams {
            let schema_ref = fact.stream.schema_ref;
            if schema_ref != 0 && !facts.schemas.contains_key(&schema_ref) {
                let message = format!("stream {reference}: schema {schema_ref} is not defined");
                let offset = fact.copies.base.saturating_add(4);
                found.add(
                    Finding::new(
                        "CA3-5.7-06",
                        Severity::Error,
                        offset,
                        "Stream.schema_ref",
                        message,
                    )
                    .in_record(fact.copies.first)
                    .of_stream(*reference)
                    .showing("a defined schema, or 0", schema_ref),
                );
            }
        }
        for (reference, pending) in &facts.undeclared_schemas {
            if facts.schemas.contains_key(reference) {
                let message =
                    format!("schema {reference} is defined behind the first chunk that needs it");
                found.add(
                    Finding::new(
                        "CA3-5-01",
                        Severity::Error,
                        pending.field,
                        "Chunk.stream_ref",
                        message,
                    )
                    .in_record(pending.chunk)
                    .in_chunk(pending.chunk)
                    .showing("a schema defined before", reference),
                );
            }
        }
        if self.sealed && self.boundary_known {
            let schemas = facts
                .schemas
                .iter()
                .map(|(reference, fact)| ("Schema", reference, fact.copies));
            let streams = facts
                .streams
                .iter()
                .map(|(reference, fact)| ("Stream", reference, fact.copies));
            for (record, reference, copies) in schemas.chain(streams) {
                let (severity, section) = match copies {
                    Copies {
                        in_summary: false, ..
                    } => (Severity::Error, "summary"),
                    // A chunk that needed it was reported where it stands.
                    Copies {
                        elsewhere: false,
                        in_data: false,
                        ..
                    } => (Severity::Warning, "data section"),
                    Copies { .. } => continue,
                };
                let message = format!("{record} {reference} has no copy in the {section}");
                let finding = Finding::new("CA3-5-02", severity, copies.first, record, message)
                    .showing(format_args!("a copy in the {section}"), "none");
                found.add(if record == "Stream" {
                    finding.of_stream(*reference)
                } else {
                    finding
                });
            }
        }
        self.findings.absorb(found);
        if self.sealed && !self.boundary_known && !self.is_incomplete() {
            self.leave(
                "restatement of definitions, groups and their offsets".to_owned(),
                &[
                    "CA3-5-02",
                    "CA3-11-08",
                    "CA3-2.2-02",
                    "CA3-2.4-03",
                    "CA3-2.4-04",
                ],
                "the Footer does not say where the summary begins",
            );
        }
    }
}

impl Copies {
    fn join(&mut self, other: Copies) {
        self.in_data |= other.in_data;
        self.in_summary |= other.in_summary;
        self.elsewhere |= other.elsewhere;
    }
}

fn digest_of(schema: &Schema) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for text in [&schema.schema_id, &schema.encoding] {
        hasher.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.update(&schema.descriptor);
    hasher.finalize().into()
}
