//! What definitions and chunks refer to, and what claims they make of it (§5).

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;

use crate::findings::Findings;
use crate::scan::{Copies, Pending, Scan};

impl Scan<'_> {
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
        if self.facts.definitions_lost() {
            self.leave(
                "references to schemas and streams that do not decode, and their copies".to_owned(),
                &[
                    "CA3-5-01",
                    "CA3-5-02",
                    "CA3-5.7-05",
                    "CA3-5.7-06",
                    "CA3-7.3-10",
                ],
                "a definition does not decode",
            );
        }
        let mut found = self.findings.beside();
        self.unresolved(&mut found);
        self.claims(&mut found);
        if self.sealed && self.boundary_known {
            self.not_restated(&mut found);
        }
        self.findings.absorb(found);
        // Where the walk stopped ahead of it, that is said.
        let unclear = !self.boundary_known && self.outline.summary.is_none();
        if self.sealed && unclear && !self.is_incomplete() {
            let has_none = self
                .outline
                .footer
                .is_some_and(|(_, footer)| footer.summary_start == 0);
            let (rules, reason): (&[&str], _) = if has_none && self.facts.groups.is_empty() {
                (&["CA3-5-02", "CA3-11-08"], "the file has no summary")
            } else {
                (
                    &[
                        "CA3-5-02",
                        "CA3-11-08",
                        "CA3-2.2-02",
                        "CA3-2.4-03",
                        "CA3-2.4-04",
                    ],
                    "the Footer does not say where the summary begins",
                )
            };
            let what = "restatement of definitions, groups and their offsets";
            self.leave(what.to_owned(), rules, reason);
        }
    }

    /// References to nothing, or to what stands behind.
    fn unresolved(&self, found: &mut Findings) {
        let facts = &self.facts;
        for (reference, pending) in &facts.undeclared_streams {
            // It may be the one that does not decode.
            if !facts.streams.contains_key(reference) && facts.may_have_stream(*reference) {
                continue;
            }
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
            if schema_ref != 0 && !facts.may_have_schema(schema_ref) {
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
    }

    /// Clause 1 of the floor (§5.2): what claims to be well-formed has a
    /// descriptor, in an encoding that this format names.
    fn claims(&self, found: &mut Findings) {
        let facts = &self.facts;
        for (reference, fact) in &facts.streams {
            if !fact.claims() {
                continue;
            }
            let schema_ref = fact.stream.schema_ref;
            let (rule, lacks, expected) = match facts.schemas.get(&schema_ref) {
                None if schema_ref != 0 => continue,
                None => ("CA3-5.2-01", "names no schema".to_owned(), "a schema"),
                Some(schema) if !schema.described => (
                    "CA3-5.2-01",
                    format!("its schema {schema_ref} has no descriptor"),
                    "a descriptor",
                ),
                Some(schema) if !schema.protobuf => (
                    "CA3-5.2-02",
                    format!("the encoding of its schema {schema_ref} is not \"protobuf\""),
                    "protobuf",
                ),
                Some(_) => continue,
            };
            let message = format!("stream {reference} claims to be well-formed, and {lacks}");
            let offset = fact.copies.base.saturating_add(4);
            found.add(
                Finding::new(rule, Severity::Error, offset, "Stream.schema_ref", message)
                    .in_record(fact.copies.first)
                    .of_stream(*reference)
                    .showing(
                        format_args!("{expected}, or schema_conformance 0"),
                        format_args!("schema_conformance {}", fact.stream.schema_conformance),
                    ),
            );
        }
    }

    /// Definitions that stand in one section alone.
    fn not_restated(&self, found: &mut Findings) {
        let mut missing = Vec::new();
        let facts = &self.facts;
        // A copy that does not decode is a copy all the same.
        let with_lost = |opcode: u8, reference: &u32, mut copies: Copies| {
            if let Some(lost) = facts.lost.get(&(opcode, *reference)) {
                copies.join(*lost);
            }
            copies
        };
        let schemas = facts.schemas.iter().map(|(reference, fact)| {
            let copies = with_lost(op::SCHEMA, reference, fact.copies);
            ("Schema", reference, copies)
        });
        let streams = facts.streams.iter().map(|(reference, fact)| {
            let copies = with_lost(op::STREAM, reference, fact.copies);
            ("Stream", reference, copies)
        });
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
            missing.push(if record == "Stream" {
                finding.of_stream(*reference)
            } else {
                finding
            });
        }
        // Those whose reference could not be told may be the ones.
        if missing.len() > self.facts.nameless {
            found.extend(missing);
        }
    }
}
