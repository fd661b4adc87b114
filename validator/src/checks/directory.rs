//! StreamDirectory against the streams and chunks that were met (§7.2, §7.3).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{DirectoryEntry, StreamDirectory};

use super::index::stride;
use crate::findings::Findings;
use crate::scan::{ChunkFact, Runs, Scan, Section, Table};

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

/// Bit 0 of an entry's flags.
const OVERLAP_BIT: u32 = DirectoryEntry::CHUNKS_OVERLAP;

/// How two spans of a stream, in order of their stamps, lie to each other
/// (§7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overlap {
    None,
    /// The second span begins on the last stamp of the first.
    Touching(Span, Span),
    /// It begins before the end of the first.
    Reaching(Span, Span),
}

/// The first and the last stamp of a chunk, and its offset.
type Span = (u64, u64, u64);

/// What the chunks of one stream come to.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamSum {
    pub(super) messages: u64,
    pub(super) chunks: u64,
    /// Those without messages.
    pub(super) empty: u64,
    /// Spans of those with messages, by their headers.
    spans: Vec<Span>,
    /// The extremes by the headers, and by the messages where they decode.
    extremes: Option<[(u64, u64); 2]>,
    /// Those of the chunks without messages, by their headers.
    of_empty: Option<(u64, u64)>,
}

fn widened(known: Option<(u64, u64)>, (first, last): (u64, u64)) -> (u64, u64) {
    known.map_or((first, last), |(least, greatest)| {
        (least.min(first), greatest.max(last))
    })
}

impl StreamSum {
    fn take(&mut self, chunk: &ChunkFact) {
        self.chunks = self.chunks.saturating_add(1);
        let header = (chunk.min_stamp_ns, chunk.max_stamp_ns);
        if chunk.message_count == 0 {
            self.empty = self.empty.saturating_add(1);
            self.of_empty = Some(widened(self.of_empty, header));
            return;
        }
        self.messages = self.messages.saturating_add(u64::from(chunk.message_count));
        self.spans.push((header.0, header.1, chunk.offset));
        let known = self.extremes.map(|[header, _]| header);
        let actual = self.extremes.map(|[_, actual]| actual);
        self.extremes = Some([
            widened(known, header),
            widened(actual, chunk.actual.unwrap_or(header)),
        ]);
    }

    pub(super) fn first(&self) -> Option<u64> {
        self.extremes.map(|[_, (first, _)]| first)
    }

    pub(super) fn last(&self) -> Option<u64> {
        self.extremes.map(|[_, (_, last)]| last)
    }

    /// Whether these may be stated as the extremes: by the messages, or by
    /// headers that were found to be wrong, or with chunks that hold nothing.
    pub(super) fn may_span(&self, first: u64, last: u64) -> [bool; 2] {
        let Some([header, actual]) = self.extremes else {
            return [true, true];
        };
        let with_empty = self
            .of_empty
            .map_or(header, |span| widened(Some(header), span));
        let any = [header, actual, with_empty];
        [
            any.iter().any(|span| span.0 == first),
            any.iter().any(|span| span.1 == last),
        ]
    }

    /// Whether a stated number of chunks is right: nothing says whether one
    /// without messages counts (reading G12).
    pub(super) const fn counts(&self, chunks: u64) -> bool {
        chunks == self.chunks || chunks == self.chunks.saturating_sub(self.empty)
    }

    /// Counts of several streams.
    pub(super) fn total<'s>(sums: impl Iterator<Item = &'s StreamSum>) -> Self {
        sums.fold(StreamSum::default(), |total, sum| StreamSum {
            messages: total.messages.saturating_add(sum.messages),
            chunks: total.chunks.saturating_add(sum.chunks),
            empty: total.empty.saturating_add(sum.empty),
            ..total
        })
    }

    fn overlap(&self) -> Overlap {
        let mut spans = self.spans.clone();
        spans.sort_unstable();
        let mut overlap = Overlap::None;
        let mut before: Option<Span> = None;
        for span in spans {
            match before {
                Some(reach) if span.0 < reach.1 => return Overlap::Reaching(reach, span),
                Some(reach) if span.0 == reach.1 => overlap = Overlap::Touching(reach, span),
                _ => {}
            }
            before = Some(match before {
                Some(reach) if reach.1 >= span.1 => reach,
                _ => span,
            });
        }
        overlap
    }
}

impl Scan<'_> {
    pub(crate) fn directory(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(directory) = self.decode::<StreamDirectory>(content, base) else {
            return Ok(());
        };
        // One that stands elsewhere is compared with nothing.
        if self.section == Section::Summary
            && self.pay(content.len().saturating_mul(2), base, "StreamDirectory")
        {
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
            sums.entry(chunk.stream_ref).or_default().take(chunk);
        }
        sums
    }

    pub(crate) fn directory_at_end(&mut self) {
        let sums = self.sums();
        let mut found = self.findings.beside();
        for table in &self.facts.directories {
            self.judge_directory(table, &sums, &mut found);
        }
        self.findings.absorb(found);
    }

    fn judge_directory(
        &self,
        table: &Table<DirectoryEntry>,
        sums: &BTreeMap<u32, StreamSum>,
        found: &mut Findings,
    ) {
        let has_index = !self.facts.indexes.is_empty();
        let chunks_lost = !self.facts.lost_chunks.is_empty();
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
                if self.facts.may_have_stream(entry.stream_ref) {
                    listed.insert(entry.stream_ref);
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
            if entry.flags & !OVERLAP_BIT != 0 {
                let mut finding = row.finding(
                    "CA3-7.3-13",
                    at::FLAGS,
                    "flags",
                    "reserved bits are set",
                    (
                        format_args!("{:#x}", entry.flags & OVERLAP_BIT),
                        format_args!("{:#x}", entry.flags),
                    ),
                );
                finding.severity = Severity::Warning;
                found.add(finding);
            }
            let nothing = StreamSum::default();
            let sum = sums.get(&entry.stream_ref).unwrap_or(&nothing);
            if !chunks_lost {
                row.judge_counts(sum, found);
                row.judge_overlap(sum, found);
            }
            if has_index {
                row.judge_run(&self.facts.runs, found);
            }
        }
        for reference in self.facts.counted_streams() {
            if !listed.contains(&reference) {
                let message = format!("stream {reference} has no entry in the directory");
                found.add(
                    Finding::new(
                        "CA3-7.3-10",
                        Severity::Error,
                        table.offset,
                        "StreamDirectory.entries",
                        message,
                    )
                    .of_stream(reference)
                    .showing("an entry", "none"),
                );
            }
        }
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
            let stated = (entry.first_stamp_ns, entry.last_stamp_ns);
            let [first_fits, last_fits] = sum.may_span(stated.0, stated.1);
            if !first_fits {
                compare(at::FIRST_STAMP, "first_stamp_ns", first, stated.0);
            }
            if !last_fits {
                compare(at::LAST_STAMP, "last_stamp_ns", last, stated.1);
            }
        }
    }

    fn judge_overlap(&self, sum: &StreamSum, found: &mut Findings) {
        let (rule, message) = match (sum.overlap(), self.entry.chunks_overlap()) {
            (Overlap::Reaching(before, after), false) => (
                "CA3-7.2-01",
                format!("{}, and the bit is clear", between(before, after)),
            ),
            (Overlap::Touching(before, after), false) => (
                "CA3-7.2-02",
                format!("{}, and the bit is clear", between(before, after)),
            ),
            (Overlap::None, true) => (
                "CA3-7.2-03",
                "the bit is set, and no chunks of the stream overlap".to_owned(),
            ),
            _ => return,
        };
        let set = |set: bool| if set { "bit 0 set" } else { "bit 0 clear" };
        let stated = self.entry.chunks_overlap();
        found.add(self.finding(
            rule,
            at::FLAGS,
            "flags",
            &message,
            (set(!stated), set(stated)),
        ));
    }

    /// The run as the entries state it, or, where some of these name another
    /// stream than their chunks, as they should.
    fn judge_run(&self, runs: &[Runs], found: &mut Findings) {
        let entry = self.entry;
        let own = (entry.first_index, entry.index_count);
        let run = |runs: &Runs| runs.get(&entry.stream_ref).copied();
        if runs.iter().any(|runs| run(runs).unwrap_or_default() == own) {
            return;
        }
        let right = runs.first().and_then(run);
        let rule = if right.is_some() {
            "CA3-7.3-05"
        } else {
            "CA3-7.3-11"
        };
        let (first, count) = right.unwrap_or_default();
        for (byte, field, right, stated) in [
            (at::FIRST_INDEX, "first_index", first, own.0),
            (at::INDEX_COUNT, "index_count", count, own.1),
        ] {
            if right != stated {
                let message = format!("{field} does not select the stream's index entries");
                found.add(self.finding(rule, byte, field, &message, (right, stated)));
            }
        }
    }
}

/// How two chunks lie to each other.
fn between(before: Span, after: Span) -> String {
    format!(
        "the chunk at {} ends at {}, the chunk at {} begins at {}",
        before.2, before.1, after.2, after.0
    )
}
