//! Checkpoints: trailer, chain, restated definitions, entries (§8.1, §8.2).

use std::collections::BTreeSet;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;
use ca3_wire::Fault;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Checkpoint, ClockBlock, IndexEntry, Record};

use super::index;
use crate::scan::{CheckpointState, Scan, Table};

/// Where fields lie from the start of the content.
pub(super) const FLAGS: u64 = 8;
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
        let checkpoint = match Checkpoint::from_content(content, base) {
            Ok(checkpoint) => checkpoint,
            Err(error) => {
                match grown(content).filter(|_| matches!(error.fault, Fault::Fixed { .. })) {
                    Some(by) => self.report_grown(base, content.len(), by),
                    None => self.fault(op::CHECKPOINT, &error),
                }
                self.lost_checkpoint(frame.offset);
                return Ok(());
            }
        };
        self.facts.own_clock_used = true;
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
        let reserved = checkpoint.flags & !Checkpoint::RESTATES;
        if reserved != 0 {
            self.findings.add(
                Finding::new(
                    "CA3-8.1-16",
                    Severity::Warning,
                    base.saturating_add(FLAGS),
                    "Checkpoint.flags",
                    "reserved bits are set",
                )
                .showing(
                    format_args!("{:#x}", checkpoint.flags & Checkpoint::RESTATES),
                    format_args!("{:#x}", checkpoint.flags),
                ),
            );
        }
        self.judge_sequence(&checkpoint, base, before);
        self.judge_definitions(&checkpoint, base, before);
        self.judge_entries(&checkpoint, content, base, before);
        if !checkpoint.clock_block.is_empty() {
            let place = trailer
                .saturating_sub(u64::try_from(checkpoint.clock_block.len()).unwrap_or(u64::MAX));
            if let Some(block) = self.decode::<ClockBlock>(&checkpoint.clock_block, place) {
                self.judge_clock_block(&block, place);
                self.keep_clock_block(block, &checkpoint.clock_block, place, frame.offset, false);
            }
        }
        if self.pay(size_of::<u64>(), frame.offset, "checkpoint") {
            self.facts.checkpoint_offsets.push(frame.offset);
        }
        self.facts.checkpoints = CheckpointState {
            last: frame.offset,
            last_seq: checkpoint.checkpoint_seq,
            chunks_before: self.facts.chunks.len(),
            before_lost: None,
        };
        Ok(())
    }

    fn report_grown(&mut self, base: u64, length: usize, by: usize) {
        let message = format!(
            "the record does not end in a trailer; a sentinel stands {by} bytes earlier, and \
             nothing may follow the trailer"
        );
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        let place = base
            .saturating_add(length)
            .saturating_sub(Checkpoint::TRAILER_BYTES);
        self.findings.add(
            Finding::new(
                "CA3-8.2-01",
                Severity::Error,
                place,
                "Checkpoint.trailer.sentinel",
                message,
            )
            .showing("the trailer last", format_args!("{by} bytes behind it")),
        );
    }

    /// One that does not decode still stands in the chain for those that point
    /// at it, and may hold what the next one need not.
    pub(crate) fn lost_checkpoint(&mut self, offset: u64) {
        let before = self.facts.checkpoints;
        self.facts.checkpoints = CheckpointState {
            last: offset,
            last_seq: before.last_seq.saturating_add(1),
            chunks_before: self.facts.chunks.len(),
            before_lost: before.before_lost.or(Some(before.last)),
        };
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
        if checkpoint.prev_offset != before.last
            && before.before_lost != Some(checkpoint.prev_offset)
        {
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
        if checkpoint.checkpoint_seq != expected && before.before_lost.is_none() {
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

/// By how many bytes a content goes on behind its trailer, where it does.
fn grown(content: &[u8]) -> Option<usize> {
    const SENTINEL: &[u8] = b"CA3POINT";
    let trailer = usize::try_from(Checkpoint::TRAILER_BYTES).ok()?;
    let place = content
        .windows(SENTINEL.len())
        .rposition(|bytes| bytes == SENTINEL)?;
    content
        .len()
        .checked_sub(place.checked_add(trailer)?)
        .filter(|by| *by > 0)
}

/// Bytes of a counted content.
pub(super) fn framed(content: &[u8]) -> u64 {
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
