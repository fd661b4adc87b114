//! ChunkIndex against the chunks that were met (§7.1).

use std::collections::BTreeSet;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ChunkIndex, IndexEntry};

use crate::findings::Findings;
use crate::scan::{ChunkFact, Scan, Table};

/// Where fields lie in an entry.
mod at {
    pub(super) const CHUNK_OFFSET: u64 = 0;
    pub(super) const CHUNK_LENGTH: u64 = 8;
    pub(super) const MIN_STAMP: u64 = 16;
    pub(super) const MAX_STAMP: u64 = 24;
    pub(super) const PREFIX_MAX: u64 = 32;
    pub(super) const MESSAGE_COUNT: u64 = 40;
    pub(super) const STREAM_REF: u64 = 44;
    pub(super) const SEQ_FIRST: u64 = 48;
    pub(super) const SEQ_LAST: u64 = 52;
}

impl Scan<'_> {
    pub(crate) fn index(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(index) = self.decode::<ChunkIndex>(content, base) else {
            return Ok(());
        };
        let kept = index.entries.len().saturating_mul(size_of::<IndexEntry>());
        if self.pay(kept, base, "ChunkIndex") {
            self.facts.indexes.push(Table {
                offset: base.saturating_sub(RecordFrame::BYTES),
                base: base.saturating_add(8),
                stride: stride(content),
                entries: index.entries,
            });
        }
        Ok(())
    }

    pub(crate) fn index_at_end(&mut self) {
        let Some(table) = self.facts.indexes.first() else {
            return;
        };
        let mut found = self.findings.beside();
        self.order(table, &mut found);
        let mut listed = BTreeSet::new();
        for (place, entry) in table.entries.iter().enumerate() {
            let Some(chunk) = self.facts.chunk_at(entry.chunk_offset) else {
                let message = "the entry points at no chunk of this file";
                found.add(
                    entry_finding(
                        "CA3-7.1-10",
                        table,
                        place,
                        at::CHUNK_OFFSET,
                        "chunk_offset",
                        message,
                    )
                    .of_stream(entry.stream_ref)
                    .showing("the offset of a chunk", entry.chunk_offset),
                );
                continue;
            };
            if !listed.insert(entry.chunk_offset) {
                let message = "the chunk has an entry before";
                found.add(
                    entry_finding(
                        "CA3-7.1-10",
                        table,
                        place,
                        at::CHUNK_OFFSET,
                        "chunk_offset",
                        message,
                    )
                    .of_stream(entry.stream_ref)
                    .in_chunk(chunk.offset)
                    .showing("one entry a chunk", "another one"),
                );
            }
            found.extend(disagreements(
                "ChunkIndex.entries",
                table,
                place,
                entry,
                chunk,
            ));
        }
        for chunk in &self.facts.chunks {
            if chunk.message_count > 0 && !listed.contains(&chunk.offset) {
                let message = format!("the chunk at {} is not in the index", chunk.offset);
                found.add(
                    Finding::new(
                        "CA3-7.1-10",
                        Severity::Error,
                        table.offset,
                        "ChunkIndex.entries",
                        message,
                    )
                    .of_stream(chunk.stream_ref)
                    .in_chunk(chunk.offset)
                    .showing("an entry", "none"),
                );
            }
        }
        self.findings.absorb(found);
    }

    /// Order of the entries, and the running maximum.
    fn order(&self, table: &Table<IndexEntry>, found: &mut Findings) {
        let mut previous: Option<&IndexEntry> = None;
        let mut running = 0;
        for (place, entry) in table.entries.iter().enumerate() {
            // An entry names its chunk, where there is one.
            let named = |finding: Finding| match self.facts.chunk_at(entry.chunk_offset) {
                Some(chunk) => finding.in_chunk(chunk.offset),
                None => finding,
            };
            let same_stream = previous.is_some_and(|before| before.stream_ref == entry.stream_ref);
            running = if same_stream {
                entry.max_stamp_ns.max(running)
            } else {
                entry.max_stamp_ns
            };
            if entry.prefix_max_stamp_ns != running {
                let message = "is not the running maximum over the stream's entries";
                found.add(named(
                    entry_finding(
                        "CA3-7.1-06",
                        table,
                        place,
                        at::PREFIX_MAX,
                        "prefix_max_stamp_ns",
                        message,
                    )
                    .of_stream(entry.stream_ref)
                    .showing(running, entry.prefix_max_stamp_ns),
                ));
            }
            if let Some(before) = previous {
                let key = |entry: &IndexEntry| (entry.stream_ref, entry.min_stamp_ns);
                let wrong = if key(before) > key(entry) {
                    Some((
                        "CA3-7.1-07",
                        "entries do not ascend by (stream_ref, min_stamp_ns)",
                        format!("at least {:?}", key(before)),
                        format!("{:?}", key(entry)),
                    ))
                } else if key(before) == key(entry) && before.chunk_offset > entry.chunk_offset {
                    Some((
                        "CA3-7.1-11",
                        "entries of equal min_stamp_ns do not stand by chunk offset",
                        format!("above {}", before.chunk_offset),
                        entry.chunk_offset.to_string(),
                    ))
                } else {
                    None
                };
                if let Some((rule, message, expected, value)) = wrong {
                    found.add(named(
                        entry_finding(rule, table, place, at::CHUNK_OFFSET, "order", message)
                            .of_stream(entry.stream_ref)
                            .showing(expected, value),
                    ));
                }
            }
            previous = Some(entry);
        }
    }
}

/// The `entry_size` in front of a table that decoded.
pub(super) fn stride(content: &[u8]) -> u64 {
    content
        .first_chunk::<4>()
        .map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

fn entry_finding(
    rule: &'static str,
    table: &Table<IndexEntry>,
    place: usize,
    byte: u64,
    field: &str,
    message: impl Into<String>,
) -> Finding {
    let path = format!("ChunkIndex.entries[{place}].{field}");
    Finding::new(rule, Severity::Error, table.at(place, byte), path, message)
        .in_record(table.offset)
}

/// What an entry says otherwise than its chunk.
pub(super) fn disagreements(
    path: &str,
    table: &Table<IndexEntry>,
    place: usize,
    entry: &IndexEntry,
    chunk: &ChunkFact,
) -> Vec<Finding> {
    // Reading G51: where messages carry sequences of their own, the last is
    // the last stored one's.
    let last_rule = if chunk.own_sequences {
        "CA3-7.1-13"
    } else {
        "CA3-7.1-09"
    };
    let seq_last = chunk.seq_last.unwrap_or(entry.seq_last);
    [
        (
            "CA3-7.1-05",
            at::CHUNK_LENGTH,
            "chunk_length",
            chunk.length,
            entry.chunk_length,
        ),
        (
            "CA3-7.1-09",
            at::MIN_STAMP,
            "min_stamp_ns",
            chunk.min_stamp_ns,
            entry.min_stamp_ns,
        ),
        (
            "CA3-7.1-09",
            at::MAX_STAMP,
            "max_stamp_ns",
            chunk.max_stamp_ns,
            entry.max_stamp_ns,
        ),
        (
            "CA3-7.1-09",
            at::MESSAGE_COUNT,
            "message_count",
            u64::from(chunk.message_count),
            u64::from(entry.message_count),
        ),
        (
            "CA3-7.1-09",
            at::STREAM_REF,
            "stream_ref",
            u64::from(chunk.stream_ref),
            u64::from(entry.stream_ref),
        ),
        (
            last_rule,
            at::SEQ_FIRST,
            "seq_first",
            u64::from(chunk.seq_first),
            u64::from(entry.seq_first),
        ),
        (
            last_rule,
            at::SEQ_LAST,
            "seq_last",
            u64::from(seq_last),
            u64::from(entry.seq_last),
        ),
    ]
    .into_iter()
    .filter(|(_, _, _, right, stated)| right != stated)
    .map(|(rule, byte, field, right, stated)| {
        let message = format!("{field} is not what the chunk has");
        let path = format!("{path}[{place}].{field}");
        Finding::new(rule, Severity::Error, table.at(place, byte), path, message)
            .in_record(table.offset)
            .of_stream(chunk.stream_ref)
            .in_chunk(chunk.offset)
            .showing(right, stated)
    })
    .collect()
}
