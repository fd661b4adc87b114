//! MessageOffsets against the chunk they index (§7.5).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::records::MessageOffsets;

use super::index::stride;
use crate::scan::{ChunkFact, Scan};

/// Where the entries lie in the content.
const ENTRIES: u64 = 16;

impl Scan<'_> {
    pub(crate) fn message_offsets(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(table) = self.decode::<MessageOffsets>(content, base) else {
            return Ok(());
        };
        let chunk = self.facts.chunk_at(table.chunk_offset).copied();
        let Some(chunk) = chunk.filter(|chunk| !chunk.columnar) else {
            let message = "chunk_offset names no plain chunk of this file";
            self.findings.add(
                finding("CA3-7.5-07", base, "chunk_offset", message)
                    .showing("the offset of a plain chunk", table.chunk_offset),
            );
            return Ok(());
        };
        if !self.pay(64, base, "MessageOffsets") {
            return Ok(());
        }
        if !self.facts.indexed_messages.insert(table.chunk_offset) {
            let message = "the chunk has a table before";
            self.findings.add(
                finding("CA3-7.5-07", base, "chunk_offset", message)
                    .of_stream(chunk.stream_ref)
                    .in_chunk(chunk.offset)
                    .showing("one table a chunk", "another one"),
            );
            // Nor is it compared: each comparison reads the whole chunk again.
            return Ok(());
        }
        let step = content.get(8..).map_or(0, stride);
        self.compare_starts(&table, &chunk, base, step)
    }

    /// Reads the chunk again and walks it beside its table.
    fn compare_starts(
        &mut self,
        table: &MessageOffsets,
        chunk: &ChunkFact,
        base: u64,
        step: u64,
    ) -> io::Result<()> {
        let mut stated = table.offsets.iter().copied().map(u64::from);
        let mut first_wrong: Option<(u32, u64, Option<u64>)> = None;
        let mut shifts: Option<i128> = None;
        let mut one_shift = true;
        // Reading G104: of a compressed chunk, starts count decompressed bytes.
        let walked = self.again(chunk, |message| {
            let value = stated.next();
            if value != Some(message.start) {
                first_wrong.get_or_insert((message.index, message.start, value));
            }
            match value {
                Some(value) => {
                    let shift = i128::from(value) - i128::from(message.start);
                    one_shift &= *shifts.get_or_insert(shift) == shift;
                }
                None => one_shift = false,
            }
        })?;
        if !walked {
            return Ok(());
        }
        let surplus = stated.next();
        let at = |index: u64| {
            base.saturating_add(ENTRIES)
                .saturating_add(step.saturating_mul(index))
        };
        let found = if let Some((index, right, value)) = first_wrong {
            let (rule, message) = if one_shift && surplus.is_none() {
                (
                    "CA3-7.5-05",
                    "offsets do not count from the start of the blob, decompressed if need be",
                )
            } else {
                (
                    "CA3-7.5-06",
                    "the table does not list every message's start",
                )
            };
            let value = value.map_or_else(|| "none".to_owned(), |value| value.to_string());
            Some(
                finding(rule, at(u64::from(index)), "message_offset", message)
                    .at_message(index)
                    .showing(right, value),
            )
        } else {
            surplus.map(|value| {
                let message = "the table has more entries than the chunk has messages";
                let offset = at(u64::from(chunk.message_count));
                finding("CA3-7.5-06", offset, "message_offset", message)
                    .showing(format_args!("{} entries", chunk.message_count), value)
            })
        };
        if let Some(finding) = found {
            self.findings
                .add(finding.of_stream(chunk.stream_ref).in_chunk(chunk.offset));
        }
        Ok(())
    }
}

fn finding(rule: &'static str, offset: u64, field: &str, message: &str) -> Finding {
    let path = format!("MessageOffsets.{field}");
    Finding::new(rule, Severity::Error, offset, path, message)
}
