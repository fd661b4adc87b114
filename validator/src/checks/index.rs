//! ChunkIndex against the chunks that were met (§7.1).

use std::collections::BTreeSet;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ChunkIndex, IndexEntry};

use crate::findings::Findings;
use crate::scan::{ChunkFact, Scan, Section, Table, Target};

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
        // One that stands elsewhere is compared with nothing.
        if self.section != Section::Summary {
            return Ok(());
        }
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
        if self.facts.indexes.is_empty() {
            return;
        }
        let mut found = self.findings.beside();
        let mut listed = BTreeSet::new();
        for (record, table) in self.facts.indexes.iter().enumerate() {
            let targets = self
                .facts
                .targets
                .get(record)
                .map_or(&[][..], Vec::as_slice);
            self.order(table, targets, &mut found);
            for (place, (entry, target)) in table.entries.iter().zip(targets).enumerate() {
                let row = Row {
                    table,
                    place,
                    entry,
                };
                let chunk = match target {
                    Target::At(chunk) | Target::Moved(chunk) => self.facts.chunks.get(*chunk),
                    Target::Lost => continue,
                    Target::Nothing => None,
                };
                let Some(chunk) = chunk else {
                    found.add(row.nowhere(self.nearest_chunk(entry.chunk_offset)));
                    continue;
                };
                if !listed.insert(chunk.offset) {
                    // A second record is reported as a whole (reading G109).
                    if record == 0 {
                        found.add(row.again(chunk));
                    }
                } else if let Target::Moved(_) = target {
                    found.add(row.moved(chunk));
                }
                if chunk.message_count == 0 && chunk.sound {
                    found.add(row.of_nothing(chunk));
                }
                found.extend(disagreements(
                    "ChunkIndex.entries",
                    table,
                    place,
                    entry,
                    chunk,
                ));
            }
        }
        let first = self.facts.indexes.first().map_or(0, |table| table.offset);
        for chunk in &self.facts.chunks {
            if chunk.message_count > 0 && !listed.contains(&chunk.offset) {
                found.add_with("CA3-7.1-10", Severity::Error, || {
                    let message = format!("the chunk at {} is not in the index", chunk.offset);
                    Finding::new(
                        "CA3-7.1-10",
                        Severity::Error,
                        first,
                        "ChunkIndex.entries",
                        message,
                    )
                    .of_stream(chunk.stream_ref)
                    .in_chunk(chunk.offset)
                    .showing("an entry", "none")
                });
            }
        }
        self.findings.absorb(found);
    }

    /// The chunk that begins nearest to an offset.
    fn nearest_chunk(&self, offset: u64) -> Option<u64> {
        let chunks = &self.facts.chunks;
        let behind = chunks.partition_point(|chunk| chunk.offset < offset);
        let at = |place: Option<usize>| place.and_then(|place| chunks.get(place));
        [at(behind.checked_sub(1)), at(Some(behind))]
            .into_iter()
            .flatten()
            .map(|chunk| chunk.offset)
            .min_by_key(|place| place.abs_diff(offset))
    }

    /// Order of the entries, and the running maximum. What an entry states
    /// otherwise than its chunk was found there, and is not found here again.
    fn order(&self, table: &Table<IndexEntry>, targets: &[Target], found: &mut Findings) {
        let mut previous: Option<(IndexEntry, IndexEntry)> = None;
        let (mut running, mut running_right) = (0, 0);
        for (place, (stated, target)) in table.entries.iter().zip(targets).enumerate() {
            let chunk = match target {
                Target::At(chunk) | Target::Moved(chunk) => self.facts.chunks.get(*chunk),
                _ => None,
            };
            let right = chunk.map_or(*stated, |chunk| IndexEntry {
                chunk_offset: chunk.offset,
                stream_ref: chunk.stream_ref,
                min_stamp_ns: chunk.min_stamp_ns,
                max_stamp_ns: chunk.max_stamp_ns,
                ..*stated
            });
            // An entry names its chunk, where there is one.
            let named = |finding: Finding| match chunk {
                Some(chunk) => finding.in_chunk(chunk.offset),
                None => finding,
            };
            let goes_on = |before: Option<u32>, now: u32, sum: u64, value: u64| {
                if before == Some(now) {
                    value.max(sum)
                } else {
                    value
                }
            };
            let before = previous.map(|(stated, right)| (stated.stream_ref, right.stream_ref));
            running = goes_on(
                before.map(|it| it.0),
                stated.stream_ref,
                running,
                stated.max_stamp_ns,
            );
            running_right = goes_on(
                before.map(|it| it.1),
                right.stream_ref,
                running_right,
                right.max_stamp_ns,
            );
            if ![running, running_right].contains(&stated.prefix_max_stamp_ns) {
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
                    .of_stream(right.stream_ref)
                    .showing(running_right, stated.prefix_max_stamp_ns),
                ));
            }
            if let Some((before, right_before)) = previous {
                let wrong = out_of_order(&right_before, &right)
                    .filter(|_| out_of_order(&before, stated).is_some());
                if let Some((rule, message, expected, value)) = wrong {
                    found.add(named(
                        entry_finding(rule, table, place, at::CHUNK_OFFSET, "order", message)
                            .of_stream(right.stream_ref)
                            .showing(expected, value),
                    ));
                }
            }
            previous = Some((*stated, right));
        }
    }
}

/// What is wrong with the order of two entries.
fn out_of_order(
    before: &IndexEntry,
    entry: &IndexEntry,
) -> Option<(&'static str, &'static str, String, String)> {
    let key = |entry: &IndexEntry| (entry.stream_ref, entry.min_stamp_ns);
    let shown =
        |entry: &IndexEntry| format!("stream {} at {}", entry.stream_ref, entry.min_stamp_ns);
    if key(before) > key(entry) {
        Some((
            "CA3-7.1-07",
            "entries do not ascend by stream_ref and, within a stream, by min_stamp_ns",
            format!("{} or later", shown(before)),
            shown(entry),
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
    }
}

/// An entry in its place.
struct Row<'t> {
    table: &'t Table<IndexEntry>,
    place: usize,
    entry: &'t IndexEntry,
}

impl Row<'_> {
    fn pointing(&self, message: impl Into<String>) -> Finding {
        entry_finding(
            "CA3-7.1-10",
            self.table,
            self.place,
            at::CHUNK_OFFSET,
            "chunk_offset",
            message,
        )
        .of_stream(self.entry.stream_ref)
    }

    fn nowhere(&self, nearest: Option<u64>) -> Finding {
        let expected = match nearest {
            Some(nearest) => format!("the offset of a chunk, the nearest of which is {nearest}"),
            None => "no entry, as there is no chunk".to_owned(),
        };
        self.pointing("points at no chunk of this file")
            .showing(expected, self.entry.chunk_offset)
    }

    fn moved(&self, chunk: &ChunkFact) -> Finding {
        let message = format!(
            "points elsewhere, and all else in the entry is that of the chunk at {}",
            chunk.offset
        );
        self.pointing(message)
            .in_chunk(chunk.offset)
            .showing(chunk.offset, self.entry.chunk_offset)
    }

    fn again(&self, chunk: &ChunkFact) -> Finding {
        self.pointing(format!("the chunk at {} has an entry before", chunk.offset))
            .in_chunk(chunk.offset)
            .showing("one entry a chunk", "another one")
    }

    fn of_nothing(&self, chunk: &ChunkFact) -> Finding {
        let mut finding = self
            .pointing(format!("the chunk at {} holds no message", chunk.offset))
            .in_chunk(chunk.offset)
            .showing("no entry", "one")
            .reading("G12");
        finding.severity = Severity::Warning;
        finding
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
    // Where the messages contradict the header, that was reported at the chunk,
    // and either is right here.
    let (least, greatest) = chunk
        .actual
        .unwrap_or((chunk.min_stamp_ns, chunk.max_stamp_ns));
    let either = |header: u64, actual: u64, stated: u64| {
        if stated == actual { actual } else { header }
    };
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
            either(chunk.min_stamp_ns, least, entry.min_stamp_ns),
            entry.min_stamp_ns,
        ),
        (
            "CA3-7.1-09",
            at::MAX_STAMP,
            "max_stamp_ns",
            either(chunk.max_stamp_ns, greatest, entry.max_stamp_ns),
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
        let message = format!("{field} is not what the chunk at {} has", chunk.offset);
        let path = format!("{path}[{place}].{field}");
        Finding::new(rule, Severity::Error, table.at(place, byte), path, message)
            .in_record(table.offset)
            .of_stream(chunk.stream_ref)
            .in_chunk(chunk.offset)
            .showing(right, stated)
    })
    .collect()
}
