//! Which chunk an index entry is about, and which chunk the others contradict.
//!
//! The chunk, the index, the directory and Statistics state some things each
//! for itself. Where one disagrees with the others, the fault is its own.

use std::collections::{BTreeMap, BTreeSet};

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::IndexEntry;

use crate::scan::{ChunkFact, Facts, Runs, Scan, Target};

/// What a chunk and its entry have in common besides the offset.
type Figures = (u32, u64, u64, u32);

const fn of_chunk(chunk: &ChunkFact) -> Figures {
    (
        chunk.stream_ref,
        chunk.min_stamp_ns,
        chunk.max_stamp_ns,
        chunk.message_count,
    )
}

const fn of_entry(entry: &IndexEntry) -> Figures {
    (
        entry.stream_ref,
        entry.min_stamp_ns,
        entry.max_stamp_ns,
        entry.message_count,
    )
}

impl Scan<'_> {
    /// Finds the chunk of each entry: the one at its offset, or, where that is
    /// none or another entry's, one that has all the entry's figures.
    pub(crate) fn pair_index(&mut self) {
        let facts = &self.facts;
        if facts.indexes.is_empty() {
            return;
        }
        let mut taken = BTreeSet::new();
        let mut targets: Vec<Vec<Target>> = Vec::new();
        let mut left = Vec::new();
        for (record, table) in facts.indexes.iter().enumerate() {
            let mut row = Vec::with_capacity(table.entries.len());
            for (place, entry) in table.entries.iter().enumerate() {
                let target = match facts.chunk_place(entry.chunk_offset) {
                    _ if facts.lost_chunks.contains(&entry.chunk_offset) => Target::Lost,
                    Some(chunk) => Target::At(chunk),
                    None => Target::Nothing,
                };
                let is_its_own = match target {
                    Target::At(chunk) => facts
                        .chunks
                        .get(chunk)
                        .is_some_and(|fact| of_chunk(fact) == of_entry(entry)),
                    Target::Lost => true,
                    _ => false,
                };
                if let (Target::At(chunk), true) = (target, is_its_own) {
                    taken.insert(chunk);
                } else if !is_its_own {
                    left.push((record, place, of_entry(entry)));
                }
                row.push(target);
            }
            targets.push(row);
        }
        if !left.is_empty() {
            let mut free: BTreeMap<Figures, Vec<usize>> = BTreeMap::new();
            for (place, chunk) in facts.chunks.iter().enumerate().rev() {
                if !taken.contains(&place) {
                    free.entry(of_chunk(chunk)).or_default().push(place);
                }
            }
            for (record, place, figures) in left {
                let found = free.get_mut(&figures).and_then(Vec::pop);
                let target = targets.get_mut(record).and_then(|row| row.get_mut(place));
                if let (Some(chunk), Some(target)) = (found, target)
                    && *target != Target::At(chunk)
                {
                    *target = Target::Moved(chunk);
                }
            }
        }
        self.facts.targets = targets;
    }

    /// Gives a chunk the stream that the index and the directory count it to,
    /// where they agree and its header does not; and takes the runs of entries.
    pub(crate) fn settle_chunks(&mut self) {
        let (by_header, by_entry) = (self.chunk_counts(false), self.chunk_counts(true));
        let mut stated: BTreeMap<u32, u64> = BTreeMap::new();
        for entry in self
            .facts
            .directories
            .iter()
            .flat_map(|table| &table.entries)
        {
            stated.entry(entry.stream_ref).or_insert(entry.chunk_count);
        }
        let agrees = |counts: &BTreeMap<u32, u64>, stream: u32| {
            stated
                .get(&stream)
                .is_some_and(|count| *count == counts.get(&stream).copied().unwrap_or_default())
        };
        let mut moves: Vec<(usize, u32, bool)> = Vec::new();
        for (place, entry) in self.facts.paired() {
            let Some(chunk) = self.facts.chunks.get(place) else {
                continue;
            };
            let (own, other) = (chunk.stream_ref, entry.stream_ref);
            if own == other || !self.facts.streams.contains_key(&other) {
                continue;
            }
            let undeclared = !self.facts.may_have_stream(own);
            let contradicted = agrees(&by_entry, own)
                && agrees(&by_entry, other)
                && !(agrees(&by_header, own) && agrees(&by_header, other));
            if undeclared || contradicted {
                moves.push((place, other, !undeclared));
            }
        }
        for (place, stream_ref, report) in moves {
            let Some(chunk) = self.facts.chunks.get_mut(place) else {
                continue;
            };
            let stated = std::mem::replace(&mut chunk.stream_ref, stream_ref);
            if report {
                let offset = chunk.offset;
                let message = format!(
                    "the index and the directory have this chunk as one of stream {stream_ref}"
                );
                let name = if chunk.columnar {
                    "ColumnarChunk"
                } else {
                    "Chunk"
                };
                self.findings.add(
                    Finding::new(
                        "CA3-7.1-09",
                        Severity::Error,
                        offset.saturating_add(RecordFrame::BYTES),
                        format!("{name}.stream_ref"),
                        message,
                    )
                    .in_record(offset)
                    .in_chunk(offset)
                    .of_stream(stated)
                    .showing(stream_ref, stated),
                );
            }
        }
        self.take_counts();
        self.facts.runs = [
            (1, true),
            (1, false),
            (usize::MAX, true),
            (usize::MAX, false),
        ]
        .map(|(records, by_chunk)| self.facts.runs_by(records, by_chunk))
        .to_vec();
    }

    /// A chunk that does not decode has as many messages as its entry says.
    fn take_counts(&mut self) {
        let counts: Vec<(usize, u32)> = self
            .facts
            .paired()
            .map(|(place, entry)| (place, entry.message_count))
            .collect();
        for (place, count) in counts {
            if let Some(chunk) = self.facts.chunks.get_mut(place).filter(|it| !it.sound) {
                chunk.message_count = count;
            }
        }
    }

    /// How many chunks each stream has, by their headers or by their entries.
    fn chunk_counts(&self, by_entry: bool) -> BTreeMap<u32, u64> {
        let mut streams: Vec<u32> = self.facts.chunks.iter().map(|it| it.stream_ref).collect();
        if by_entry {
            for (place, entry) in self.facts.paired() {
                if let Some(stream) = streams.get_mut(place) {
                    *stream = entry.stream_ref;
                }
            }
        }
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for stream in streams {
            let count = counts.entry(stream).or_default();
            *count = count.saturating_add(1);
        }
        counts
    }
}

impl Facts {
    /// Chunks by place, with the entry that is about them.
    pub(crate) fn paired(&self) -> impl Iterator<Item = (usize, &IndexEntry)> {
        self.indexes
            .iter()
            .zip(&self.targets)
            .flat_map(|(table, targets)| table.entries.iter().zip(targets))
            .filter_map(|(entry, target)| match target {
                Target::At(place) | Target::Moved(place) => Some((*place, entry)),
                Target::Lost | Target::Nothing => None,
            })
    }

    /// The run of index entries of each stream in the first few records: as the
    /// entries state it, or by the streams of their chunks.
    fn runs_by(&self, records: usize, chunks: bool) -> Runs {
        let mut runs = Runs::new();
        let entries = self
            .indexes
            .iter()
            .zip(&self.targets)
            .take(records)
            .flat_map(|(table, targets)| table.entries.iter().zip(targets));
        for (place, (entry, target)) in (0u32..).zip(entries) {
            let chunk = match target {
                Target::At(chunk) | Target::Moved(chunk) if chunks => self.chunks.get(*chunk),
                _ => None,
            };
            let stream = chunk.map_or(entry.stream_ref, |chunk| chunk.stream_ref);
            let run = runs.entry(stream).or_insert((place, 0));
            run.1 = run.1.saturating_add(1);
        }
        runs
    }
}
