//! Checkpoints: trailer, chain, restated definitions, entries (§8.1, §8.2).

use std::collections::BTreeSet;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Checkpoint, ClockBlock, IndexEntry};

use super::definitions::Copy;
use super::index;
use crate::scan::{CheckpointState, Scan, Table};

/// Where fields lie from the start of the content.
const RESERVED: u64 = 12;
/// Where the trailer's fields lie from its start.
const SELF_OFFSET: u64 = 8;
const PREV_OFFSET: u64 = 16;
const SEQ_COPY: u64 = 24;

impl Scan<'_> {
    pub(crate) fn checkpoint(
        &mut self,
        frame: &RecordFrame,
        content: &[u8],
        base: u64,
    ) -> io::Result<()> {
        let before = self.facts.checkpoints;
        let Some(checkpoint) = self.decode::<Checkpoint>(content, base) else {
            // It still stands in the chain for those that point at it.
            self.facts.checkpoints = CheckpointState {
                last: frame.offset,
                last_seq: before.last_seq.saturating_add(1),
                chunks_before: before.chunks_before,
            };
            return Ok(());
        };
        let end = base.saturating_add(frame.content_length);
        let trailer = end.saturating_sub(Checkpoint::TRAILER_BYTES);
        self.judge_trailer(frame, &checkpoint, trailer, before)?;
        if checkpoint.reserved != 0 {
            self.add_checkpoint(
                "CA3-8.1-03",
                Severity::Error,
                base.saturating_add(RESERVED),
                "reserved",
                "the reserved word is not 0",
                0,
                u64::from(checkpoint.reserved),
            );
        }
        self.judge_sequence(&checkpoint, base, before);
        self.judge_definitions(&checkpoint, base, before);
        self.judge_entries(&checkpoint, content, base, before);
        if !checkpoint.clock_block.is_empty() {
            let place = trailer
                .saturating_sub(u64::try_from(checkpoint.clock_block.len()).unwrap_or(u64::MAX));
            if let Some(block) = self.decode::<ClockBlock>(&checkpoint.clock_block, place) {
                self.judge_clock_block(&block, &checkpoint.clock_block, place);
            }
        }
        if self.pay(size_of::<u64>(), frame.offset, "checkpoint") {
            self.facts.checkpoint_offsets.push(frame.offset);
        }
        self.facts.checkpoints = CheckpointState {
            last: frame.offset,
            last_seq: checkpoint.checkpoint_seq,
            chunks_before: self.facts.chunks.len(),
        };
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one call a rule, side by side")]
    fn add_checkpoint(
        &mut self,
        rule: &'static str,
        severity: Severity,
        offset: u64,
        field: &str,
        message: &str,
        expected: u64,
        found: u64,
    ) {
        let field = format!("Checkpoint.{field}");
        self.findings
            .add(Finding::new(rule, severity, offset, field, message).showing(expected, found));
    }

    /// The four checks of §8.2 as far as decoding left them open, and the chain.
    fn judge_trailer(
        &mut self,
        frame: &RecordFrame,
        checkpoint: &Checkpoint,
        trailer: u64,
        before: CheckpointState,
    ) -> io::Result<()> {
        let stated = checkpoint.self_offset;
        if stated != frame.offset {
            let rule = if stated >= trailer {
                "CA3-8.2-02"
            } else if stated < RecordFrame::BYTES {
                "CA3-8.2-03"
            } else {
                let mut byte = [0];
                self.source.read_at(stated, &mut byte)?;
                if byte == [op::CHECKPOINT] {
                    "CA3-8.2-05"
                } else {
                    "CA3-8.2-04"
                }
            };
            self.add_checkpoint(
                rule,
                Severity::Error,
                trailer.saturating_add(SELF_OFFSET),
                "trailer.self_offset",
                "self_offset is not where the checkpoint begins",
                frame.offset,
                stated,
            );
        }
        if checkpoint.prev_offset != before.last {
            let rule = if before.last == 0 {
                "CA3-8.1-07"
            } else {
                "CA3-8.1-13"
            };
            self.add_checkpoint(
                rule,
                Severity::Error,
                trailer.saturating_add(PREV_OFFSET),
                "trailer.prev_offset",
                "prev_offset is not where the checkpoint before begins",
                before.last,
                checkpoint.prev_offset,
            );
        }
        if checkpoint.trailer_checkpoint_seq != checkpoint.checkpoint_seq {
            self.add_checkpoint(
                "CA3-8.1-08",
                Severity::Error,
                trailer.saturating_add(SEQ_COPY),
                "trailer.checkpoint_seq",
                "the trailer's copy differs from the number in front",
                checkpoint.checkpoint_seq,
                checkpoint.trailer_checkpoint_seq,
            );
        }
        Ok(())
    }

    /// Reading G75.
    fn judge_sequence(&mut self, checkpoint: &Checkpoint, base: u64, before: CheckpointState) {
        let expected = before.last_seq.saturating_add(1);
        if checkpoint.checkpoint_seq != expected {
            self.add_checkpoint(
                "CA3-8.1-14",
                Severity::Warning,
                base,
                "checkpoint_seq",
                "checkpoints are not counted up from 1",
                expected,
                checkpoint.checkpoint_seq,
            );
        }
    }

    /// Definitions: each a copy, and none left out that must be there.
    fn judge_definitions(&mut self, checkpoint: &Checkpoint, base: u64, before: CheckpointState) {
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
        let mut missing = self.findings.beside();
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

    /// Entries of the chunks since the checkpoint before, each once.
    fn judge_entries(
        &mut self,
        checkpoint: &Checkpoint,
        content: &[u8],
        base: u64,
        before: CheckpointState,
    ) {
        let table = entries_table(checkpoint, content, base);
        let mut listed = BTreeSet::new();
        for (place, entry) in table.entries.iter().enumerate() {
            let chunk = self.facts.chunk_at(entry.chunk_offset).copied();
            let is_new = chunk.is_some_and(|chunk| chunk.offset > before.last);
            if !is_new || !listed.insert(entry.chunk_offset) {
                let message =
                    "an entry that belongs to no chunk since the checkpoint before, or repeats one";
                self.findings.add(
                    Finding::new(
                        "CA3-8.1-10",
                        Severity::Error,
                        table.at(place, 0),
                        "Checkpoint.index_entries.chunk_offset",
                        message,
                    )
                    .showing("a chunk since the one before, once", entry.chunk_offset),
                );
                continue;
            }
            if let Some(chunk) = chunk {
                for finding in
                    index::disagreements("Checkpoint.index_entries", &table, place, entry, &chunk)
                {
                    self.findings.add(finding);
                }
            }
        }
        let mut missing = self.findings.beside();
        missing.extend(
            self.facts
                .chunks
                .iter()
                .skip(before.chunks_before)
                .filter(|chunk| chunk.message_count > 0 && !listed.contains(&chunk.offset))
                .map(|chunk| {
                    let message = format!(
                        "the chunk at {} has no entry in this checkpoint",
                        chunk.offset
                    );
                    let count_offset = table.base.saturating_sub(4);
                    Finding::new(
                        "CA3-8.1-10",
                        Severity::Error,
                        count_offset,
                        "Checkpoint.index_entries",
                        message,
                    )
                    .of_stream(chunk.stream_ref)
                    .in_chunk(chunk.offset)
                    .showing("an entry", "none")
                }),
        );
        self.findings.absorb(missing);
    }
}

/// Bytes of a counted content.
fn framed(content: &[u8]) -> u64 {
    u64::try_from(content.len())
        .unwrap_or(u64::MAX)
        .saturating_add(4)
}

/// The entries with their place, found from the end of the content.
fn entries_table(checkpoint: &Checkpoint, content: &[u8], base: u64) -> Table<IndexEntry> {
    let sum = |contents: &[Vec<u8>]| {
        contents
            .iter()
            .map(|content| framed(content))
            .fold(4u64, u64::saturating_add)
    };
    let head = sum(&checkpoint.schemas)
        .saturating_add(sum(&checkpoint.streams))
        .saturating_add(32);
    let stride = usize::try_from(head)
        .ok()
        .and_then(|start| content.get(start..)?.first_chunk::<4>())
        .map_or(u64::from(IndexEntry::BYTES), |bytes| {
            u64::from(u32::from_le_bytes(*bytes))
        });
    Table {
        offset: base.saturating_sub(RecordFrame::BYTES),
        base: base.saturating_add(head).saturating_add(8),
        stride,
        entries: checkpoint.index_entries.clone(),
    }
}
