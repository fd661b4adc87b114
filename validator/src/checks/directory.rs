//! StreamDirectory against the streams and chunks that were met (§7.2, §7.3).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{DirectoryEntry, StreamDirectory};

use super::index::stride;
use crate::findings::Findings;
use crate::scan::{Scan, Table};

/// Where fields lie in an entry.
mod at {
    pub(super) const STREAM_REF: u64 = 0;
    pub(super) const FLAGS: u64 = 4;
    pub(super) const FIRST_INDEX: u64 = 8;
    pub(super) const INDEX_COUNT: u64 = 12;
    pub(super) const MESSAGE_COUNT: u64 = 16;
    pub(super) const CHUNK_COUNT: u64 = 24;
    pub(super) const FIRST_STAMP: u64 = 32;
    pub(super) const LAST_STAMP: u64 = 40;
}

/// How a stream's spans, in order of their stamps, lie to each other (§7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overlap {
    None,
    /// A span begins on the last stamp of the one before.
    Touching,
    /// A span begins before the end of the one before.
    Reaching,
}

/// What the chunks of one stream come to.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamSum {
    pub(super) messages: u64,
    pub(super) chunks: u64,
    /// Those without messages.
    pub(super) empty: u64,
    /// Spans of those with messages.
    pub(super) spans: Vec<(u64, u64)>,
}

impl StreamSum {
    pub(super) fn first(&self) -> Option<u64> {
        self.spans.iter().map(|(first, _)| *first).min()
    }

    pub(super) fn last(&self) -> Option<u64> {
        self.spans.iter().map(|(_, last)| *last).max()
    }

    /// Whether a stated number of chunks is right: nothing says whether one
    /// without messages counts (reading G12).
    pub(super) const fn counts(&self, chunks: u64) -> bool {
        chunks == self.chunks || chunks == self.chunks.saturating_sub(self.empty)
    }

    fn overlap(&self) -> Overlap {
        let mut spans = self.spans.clone();
        spans.sort_unstable();
        let mut overlap = Overlap::None;
        let mut before: Option<u64> = None;
        for (first, last) in spans {
            match before {
                Some(end) if first < end => return Overlap::Reaching,
                Some(end) if first == end => overlap = Overlap::Touching,
                _ => {}
            }
            before = Some(before.unwrap_or(last).max(last));
        }
        overlap
    }
}

impl Scan<'_> {
    pub(crate) fn directory(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(directory) = self.decode::<StreamDirectory>(content, base) else {
            return Ok(());
        };
        if self.pay(content.len().saturating_mul(2), base, "StreamDirectory") {
            self.facts.directories.push(Table {
                offset: base.saturating_sub(RecordFrame::BYTES),
                base: base.saturating_add(8),
                stride: stride(content),
                entries: directory.entries,
            });
        }
        Ok(())
    }

    /// What each stream's chunks come to.
    pub(super) fn sums(&self) -> BTreeMap<u32, StreamSum> {
        let mut sums: BTreeMap<u32, StreamSum> = BTreeMap::new();
        for chunk in &self.facts.chunks {
            let sum = sums.entry(chunk.stream_ref).or_default();
            sum.chunks = sum.chunks.saturating_add(1);
            if chunk.message_count == 0 {
                sum.empty = sum.empty.saturating_add(1);
            } else {
                sum.messages = sum.messages.saturating_add(u64::from(chunk.message_count));
                sum.spans.push((chunk.min_stamp_ns, chunk.max_stamp_ns));
            }
        }
        sums
    }

    /// The run of index entries of each stream: the first, and how many.
    fn runs(&self) -> BTreeMap<u32, (u32, u32)> {
        let mut runs: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        let entries = self.facts.indexes.first().map(|table| &table.entries);
        for (place, entry) in (0u32..).zip(entries.into_iter().flatten()) {
            let run = runs.entry(entry.stream_ref).or_insert((place, 0));
            run.1 = run.1.saturating_add(1);
        }
        runs
    }

    pub(crate) fn directory_at_end(&mut self) {
        let Some(table) = self.facts.directories.first() else {
            return;
        };
        let (sums, runs) = (self.sums(), self.runs());
        let has_index = !self.facts.indexes.is_empty();
        let mut found = self.findings.beside();
        let mut listed = BTreeSet::new();
        let mut start = table.base;
        for (place, entry) in table.entries.iter().enumerate() {
            let record = table.offset;
            let row = Row {
                record,
                place,
                start,
                entry,
            };
            let name = u64::try_from(entry.sync_domain.len()).unwrap_or(u64::MAX);
            start = start
                .saturating_add(table.stride)
                .saturating_add(4)
                .saturating_add(name);
            if !self.facts.streams.contains_key(&entry.stream_ref) {
                if self.facts.definitions_lost {
                    continue;
                }
                let message = "the entry is for no stream of this file";
                found.add(row.finding(
                    "CA3-7.3-10",
                    at::STREAM_REF,
                    "stream_ref",
                    message,
                    ("a defined stream", entry.stream_ref),
                ));
            } else if !listed.insert(entry.stream_ref) {
                let message = "the stream has an entry before";
                found.add(row.finding(
                    "CA3-7.3-10",
                    at::STREAM_REF,
                    "stream_ref",
                    message,
                    ("one entry a stream", "another one"),
                ));
            }
            let sum = sums.get(&entry.stream_ref).cloned().unwrap_or_default();
            row.judge_counts(&sum, &mut found);
            row.judge_overlap(&sum, &mut found);
            if has_index {
                row.judge_run(runs.get(&entry.stream_ref).copied(), &mut found);
            }
        }
        for reference in self.facts.streams.keys() {
            if !listed.contains(reference) {
                let message = format!("stream {reference} has no entry in the directory");
                found.add(
                    Finding::new(
                        "CA3-7.3-10",
                        Severity::Error,
                        table.offset,
                        "StreamDirectory.entries",
                        message,
                    )
                    .of_stream(*reference)
                    .showing("an entry", "none"),
                );
            }
        }
        self.findings.absorb(found);
    }
}

/// An entry and its place.
struct Row<'t> {
    record: u64,
    place: usize,
    start: u64,
    entry: &'t DirectoryEntry,
}

impl Row<'_> {
    fn finding(
        &self,
        rule: &'static str,
        byte: u64,
        field: &str,
        message: &str,
        evidence: (impl std::fmt::Display, impl std::fmt::Display),
    ) -> Finding {
        let path = format!("StreamDirectory.entries[{}].{field}", self.place);
        let offset = self.start.saturating_add(byte);
        Finding::new(rule, Severity::Error, offset, path, message)
            .in_record(self.record)
            .of_stream(self.entry.stream_ref)
            .showing(evidence.0, evidence.1)
    }

    fn judge_counts(&self, sum: &StreamSum, found: &mut Findings) {
        let entry = self.entry;
        let mut compare = |byte, field: &str, right: u64, stated: u64| {
            if right != stated {
                let message = format!("{field} is not what the stream's chunks come to");
                found.add(self.finding("CA3-7.3-09", byte, field, &message, (right, stated)));
            }
        };
        compare(
            at::MESSAGE_COUNT,
            "message_count",
            sum.messages,
            entry.message_count,
        );
        if !sum.counts(entry.chunk_count) {
            compare(
                at::CHUNK_COUNT,
                "chunk_count",
                sum.chunks,
                entry.chunk_count,
            );
        }
        // Without a message there is no stamp to state.
        if let (Some(first), Some(last)) = (sum.first(), sum.last()) {
            compare(
                at::FIRST_STAMP,
                "first_stamp_ns",
                first,
                entry.first_stamp_ns,
            );
            compare(at::LAST_STAMP, "last_stamp_ns", last, entry.last_stamp_ns);
        }
    }

    fn judge_overlap(&self, sum: &StreamSum, found: &mut Findings) {
        let (rule, message) = match (sum.overlap(), self.entry.chunks_overlap()) {
            (Overlap::Reaching, false) => (
                "CA3-7.2-01",
                "chunks of the stream overlap, and the bit is clear",
            ),
            (Overlap::Touching, false) => (
                "CA3-7.2-02",
                "a chunk begins on the last stamp of the one before, and the bit is clear",
            ),
            (Overlap::None, true) => (
                "CA3-7.2-03",
                "the bit is set, and no chunks of the stream overlap",
            ),
            _ => return,
        };
        let set = |set: bool| if set { "bit 0 set" } else { "bit 0 clear" };
        let stated = self.entry.chunks_overlap();
        found.add(self.finding(
            rule,
            at::FLAGS,
            "flags",
            message,
            (set(!stated), set(stated)),
        ));
    }

    fn judge_run(&self, run: Option<(u32, u32)>, found: &mut Findings) {
        let rule = if run.is_some() {
            "CA3-7.3-05"
        } else {
            "CA3-7.3-11"
        };
        let (first, count) = run.unwrap_or_default();
        let entry = self.entry;
        for (byte, field, right, stated) in [
            (at::FIRST_INDEX, "first_index", first, entry.first_index),
            (at::INDEX_COUNT, "index_count", count, entry.index_count),
        ] {
            if right != stated {
                let message = format!("{field} does not select the stream's index entries");
                found.add(self.finding(rule, byte, field, &message, (right, stated)));
            }
        }
    }
}
