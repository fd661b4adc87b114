//! The index and the directory, stream by stream (§7.1 to §7.3).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ca3_spec::kind::Kind;
use ca3_wire::records::{IndexEntry, Stream};

use super::summary::Summary;
use crate::l1::refusal::Failure;

/// The summary, and what its two tables have for each stream.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) summary: Summary,
    /// Where chunks may lie: behind the Header, in front of the summary.
    pub(super) data: Range<u64>,
    /// Place in the directory of each stream's first row, and how many rows.
    rows: BTreeMap<u32, (usize, usize)>,
    /// How many index entries name each stream.
    counts: BTreeMap<u32, usize>,
    /// Streams with two entries for one chunk.
    doubled: BTreeSet<u32>,
}

/// The entries of one stream, in table order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'t> {
    pub(super) entries: &'t [IndexEntry],
    /// Whether the directory says that the chunks overlap in time (§7.2).
    pub(super) overlap: bool,
}

impl Tables {
    /// The tables of a summary; every row and entry names a declared stream
    /// (item 6).
    pub(super) fn new(summary: Summary, data: Range<u64>) -> Result<Self, Failure> {
        let mut tables = Tables {
            summary,
            data,
            rows: BTreeMap::new(),
            counts: BTreeMap::new(),
            doubled: BTreeSet::new(),
        };
        let Summary {
            definitions,
            index,
            directory,
            ..
        } = &tables.summary;
        let undeclared = |stream_ref: u32, what: &str, offset: Option<u64>| {
            let message = format!("{what} names stream {stream_ref}, which is not declared");
            let offset = offset.unwrap_or(tables.data.end);
            Failure::violation(Kind::UnresolvedReference, offset, message).of_stream(stream_ref)
        };
        for entry in &index.entries {
            let stream_ref = entry.stream_ref;
            if definitions.get(stream_ref).is_none() {
                return Err(undeclared(stream_ref, "an index entry", index.offset));
            }
            let count = tables.counts.entry(stream_ref).or_default();
            *count = count.saturating_add(1);
        }
        for (place, row) in directory.entries.iter().enumerate() {
            let stream_ref = row.stream_ref;
            if definitions.get(stream_ref).is_none() {
                return Err(undeclared(stream_ref, "a directory row", directory.offset));
            }
            let (_, rows) = tables.rows.entry(stream_ref).or_insert((place, 0));
            *rows = rows.saturating_add(1);
        }
        let mut chunks: Vec<(u32, u64)> = index
            .entries
            .iter()
            .map(|entry| (entry.stream_ref, entry.chunk_offset))
            .collect();
        chunks.sort_unstable();
        let pairs = chunks.iter().zip(chunks.iter().skip(1));
        tables.doubled = pairs
            .filter(|(one, next)| one == next)
            .map(|(one, _)| one.0)
            .collect();
        Ok(tables)
    }

    /// The stream of that reference.
    pub(super) fn stream(&self, stream_ref: u32) -> Result<&Stream, Failure> {
        self.summary.definitions.get(stream_ref).ok_or_else(|| {
            let message = format!("stream {stream_ref} is not declared");
            let failure = Failure::violation(Kind::UnresolvedReference, 0, message);
            failure
                .of_stream(stream_ref)
                .naming(|report| report.offset = None)
        })
    }

    /// Offset of the record that holds the index; where there is none, of the
    /// summary.
    pub(super) fn index_offset(&self) -> u64 {
        self.summary.index.offset.unwrap_or(self.data.end)
    }

    /// The entries that the directory gives a stream: exactly those that name
    /// it.
    pub(super) fn run(&self, stream_ref: u32) -> Result<Run<'_>, Failure> {
        let summary = &self.summary;
        let count = self.counts.get(&stream_ref).copied().unwrap_or(0);
        let Some((place, rows)) = self.rows.get(&stream_ref) else {
            return match count {
                0 => Ok(Run {
                    entries: &[],
                    overlap: false,
                }),
                _ => Err(self.mismatch(stream_ref, "has entries and no directory row")),
            };
        };
        let row = summary.directory.entries.get(*place).filter(|_| *rows == 1);
        let Some(row) = row else {
            return Err(self.mismatch(stream_ref, "has two directory rows"));
        };
        let first = usize::try_from(row.first_index).unwrap_or(usize::MAX);
        let length = usize::try_from(row.index_count).unwrap_or(usize::MAX);
        // Reading G51: a stream without chunks may give any first index.
        if length == 0 && count == 0 {
            return Ok(Run {
                entries: &[],
                overlap: row.chunks_overlap(),
            });
        }
        let entries = first
            .checked_add(length)
            .and_then(|end| summary.index.entries.get(first..end));
        let Some(entries) = entries else {
            return Err(self.mismatch(stream_ref, "is given entries that the table does not have"));
        };
        if length != count || entries.iter().any(|entry| entry.stream_ref != stream_ref) {
            return Err(self.mismatch(stream_ref, "is given other entries than those that name it"));
        }
        if self.doubled.contains(&stream_ref) {
            return Err(self.mismatch(stream_ref, "has two entries for one chunk"));
        }
        Ok(Run {
            entries,
            overlap: row.chunks_overlap(),
        })
    }

    /// The same, checked for what a search relies on: the order, the running
    /// maximum, and no overlap that is not declared (§7.1, §7.2).
    pub(super) fn searchable(&self, stream_ref: u32) -> Result<Run<'_>, Failure> {
        let run = self.run(stream_ref)?;
        let mut previous: Option<&IndexEntry> = None;
        for entry in run.entries {
            let prefix_max = previous.map_or(0, |previous| previous.prefix_max_stamp_ns);
            if entry.prefix_max_stamp_ns != prefix_max.max(entry.max_stamp_ns) {
                return Err(self.mismatch(stream_ref, "has a prefix_max that is none"));
            }
            if let Some(previous) = previous {
                if entry.min_stamp_ns < previous.min_stamp_ns {
                    let what = "has entries that do not ascend by min_stamp_ns";
                    return Err(self.fault(Kind::BadOrder, stream_ref, what));
                }
                if !run.overlap && entry.min_stamp_ns <= previous.max_stamp_ns {
                    return Err(self.mismatch(stream_ref, "has chunks that overlap undeclared"));
                }
            }
            previous = Some(entry);
        }
        Ok(run)
    }

    /// An index at odds with itself about a stream.
    #[cold]
    fn mismatch(&self, stream_ref: u32, what: &str) -> Failure {
        self.fault(Kind::IndexMismatch, stream_ref, what)
    }

    #[cold]
    fn fault(&self, kind: Kind, stream_ref: u32, what: &str) -> Failure {
        let message = format!("stream {stream_ref} {what}");
        Failure::violation(kind, self.index_offset(), message).of_stream(stream_ref)
    }
}
