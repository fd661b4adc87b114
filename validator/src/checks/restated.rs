//! Definitions that a checkpoint restates (§8.1).

use std::collections::BTreeSet;

use ca3_reports::{Finding, Severity};
use ca3_wire::records::Checkpoint;

use super::checkpoint::{FLAGS, framed};
use super::definitions::Copy;
use crate::scan::{CheckpointState, Facts, Scan};

impl Scan<'_> {
    /// Definitions: each a copy, and none left out that must be there.
    pub(super) fn judge_definitions(
        &mut self,
        checkpoint: &Checkpoint,
        base: u64,
        before: CheckpointState,
    ) {
        let copy = Copy::Checkpoint;
        let mut place = base.saturating_add(36);
        let mut schemas = BTreeSet::new();
        let mut streams = BTreeSet::new();
        for content in &checkpoint.schemas {
            schemas.extend(self.take_schema(content, place.saturating_add(4), copy));
            place = place.saturating_add(framed(content));
        }
        place = place.saturating_add(4);
        for content in &checkpoint.streams {
            streams.extend(self.take_stream(content, place.saturating_add(4), copy));
            place = place.saturating_add(framed(content));
        }
        let restates = checkpoint.flags & Checkpoint::RESTATES != 0;
        let since = if restates { 0 } else { before.last };
        let facts = &self.facts;
        let missing_schemas = facts
            .schemas
            .iter()
            .filter(|(reference, fact)| fact.copies.first >= since && !schemas.contains(reference))
            .map(|(reference, _)| ("Schema", *reference));
        let missing_streams = facts
            .streams
            .iter()
            .filter(|(reference, fact)| fact.copies.first >= since && !streams.contains(reference))
            .map(|(reference, _)| ("Stream", *reference));
        let (rule, why) = if restates {
            ("CA3-8.1-09", "says that it restates every definition")
        } else {
            (
                "CA3-8.1-12",
                "must hold what was defined since the one before",
            )
        };
        let early = (!restates && before.last != 0 && before.before_lost.is_none())
            .then(|| restated_early(facts, &schemas, &streams, before.last))
            .flatten();
        let mut missing = self.findings.beside();
        if let Some(message) = early {
            missing.add(
                Finding::new(
                    "CA3-8.1-17",
                    Severity::Warning,
                    base.saturating_add(FLAGS),
                    "Checkpoint.flags",
                    message,
                )
                .showing("what is new, or bit 0 set", "bit 0 clear"),
            );
        }
        for (record, reference) in missing_schemas.chain(missing_streams) {
            missing.add_with(rule, Severity::Error, || {
                let message =
                    format!("the checkpoint {why}, and {record} {reference} is not in it");
                let field = if record == "Schema" {
                    "Checkpoint.schemas"
                } else {
                    "Checkpoint.streams"
                };
                let offset = base.saturating_add(8);
                let finding = Finding::new(rule, Severity::Error, offset, field, message)
                    .showing(format_args!("{record} {reference}"), "none");
                if record == "Stream" {
                    finding.of_stream(reference)
                } else {
                    finding
                }
            });
        }
        self.findings.absorb(missing);
    }
}

/// What a checkpoint holds that stood in front of the one before (§8.1).
fn restated_early(
    facts: &Facts,
    schemas: &BTreeSet<u32>,
    streams: &BTreeSet<u32>,
    since: u64,
) -> Option<String> {
    let of_schemas = facts
        .schemas
        .iter()
        .filter(|(reference, _)| schemas.contains(reference))
        .map(|(reference, fact)| ("Schema", *reference, fact.copies.first));
    let of_streams = facts
        .streams
        .iter()
        .filter(|(reference, _)| streams.contains(reference))
        .map(|(reference, fact)| ("Stream", *reference, fact.copies.first));
    let (record, reference, _) = of_schemas
        .chain(of_streams)
        .find(|(_, _, first)| *first < since)?;
    let held = schemas.len().saturating_add(streams.len());
    let live = facts.schemas.len().saturating_add(facts.streams.len());
    Some(if held == live {
        "the checkpoint restates every live definition, and bit 0 is clear".to_owned()
    } else {
        format!("{record} {reference} was there for the checkpoint before, and bit 0 is clear")
    })
}
