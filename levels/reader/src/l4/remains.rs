//! What is left to be found out once everything is saved.

use std::ops::Range;

use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::IndexEntry;

use super::content::{self, Allowance};
use super::saved::{Saved, end_of};
use crate::l1::refusal::Failure;
use crate::l1::{Limits, Source};

impl Saved {
    /// Reading G51: where sequences stand in the messages, the last one's is
    /// read from them.
    pub(super) fn last_sequences(
        &mut self,
        source: &mut dyn Source,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let open: Vec<IndexEntry> = self
            .chunks
            .values()
            .filter(|met| met.open)
            .map(|met| met.entry)
            .collect();
        let mut allowance = Allowance::of(source);
        for entry in open {
            if entry.chunk_length > source.length() || !allowance.admits(&entry) {
                continue;
            }
            let last = match content::decoded(source, &self.definitions, &entry, limits) {
                Ok(chunk) => chunk.messages.last().and_then(|message| message.sequence),
                // Its messages are withheld, and named where they are asked for.
                Err(Failure::Violation(_)) => None,
                Err(source) => return Err(source),
            };
            if let Some(met) = self.chunks.get_mut(&entry.chunk_offset) {
                met.entry.seq_last = last.unwrap_or_default();
                met.open = false;
            }
        }
        Ok(())
    }

    /// Of the chunks that only a checkpoint names, those where no such record
    /// stands: their bytes are not theirs.
    pub(super) fn not_there(&mut self, source: &mut dyn Source) -> Result<(), Failure> {
        let length = source.length();
        for met in self.chunks.values_mut().filter(|met| met.only_named) {
            let offset = met.entry.chunk_offset;
            let mut bytes = [0; 9];
            if offset > length.saturating_sub(RecordFrame::BYTES) {
                continue;
            }
            source.read_at(offset, &mut bytes)?;
            let frame = RecordFrame::decode(&bytes, offset);
            let frame = frame.map_err(|error| Failure::wire(&error, offset))?;
            let is_chunk = matches!(frame.opcode, op::CHUNK | op::COLUMNAR_CHUNK);
            let fits = frame.record_length() == Some(met.entry.chunk_length);
            met.only_named = !(is_chunk && fits && frame.end_within(length).is_ok());
        }
        Ok(())
    }

    /// What was not taken of the file.
    pub(super) fn holes(&self, length: u64, sealed: bool) -> Vec<Range<u64>> {
        let there = self.chunks.values().filter(|met| !met.only_named);
        let chunks = there.map(|met| &met.entry);
        let mut taken: Vec<Range<u64>> = chunks
            .map(|entry| entry.chunk_offset..end_of(entry))
            .chain(self.taken.iter().cloned())
            .collect();
        taken.sort_unstable_by_key(|range| range.start);
        let end = if sealed {
            length.saturating_sub(crate::wide(ca3_spec::MAGIC.len()))
        } else {
            length
        };
        let mut holes = Vec::new();
        let mut at = 0;
        for range in taken {
            if range.start > at {
                holes.push(at..range.start.min(end));
            }
            at = at.max(range.end);
        }
        if at < end {
            holes.push(at..end);
        }
        holes.retain(|hole| hole.start < hole.end);
        holes
    }
}
