//! Step 5: the derived columns, computed anew (§8.3, §7).

use std::collections::BTreeMap;

use ca3_wire::records::{DirectoryEntry, IndexEntry, Stream};

/// §7.1: sorted by stream and least stamp, of equal ones by offset (reading
/// G51), with the running maximum over each stream's entries in that order.
pub(super) fn index(mut entries: Vec<IndexEntry>) -> Vec<IndexEntry> {
    entries.sort_by_key(|entry| (entry.stream_ref, entry.min_stamp_ns, entry.chunk_offset));
    let mut running: Option<(u32, u64)> = None;
    for entry in &mut entries {
        let before = running.filter(|(stream_ref, _)| *stream_ref == entry.stream_ref);
        let greatest = before.map_or(entry.max_stamp_ns, |(_, max)| max.max(entry.max_stamp_ns));
        entry.prefix_max_stamp_ns = greatest;
        running = Some((entry.stream_ref, greatest));
    }
    entries
}

/// §7.3: one row a declared stream (reading G137), from a sorted index whose
/// running maxima are right. What only the recorder knew is left at zero.
pub(super) fn directory<'d>(
    streams: impl Iterator<Item = &'d Stream>,
    index: &[IndexEntry],
) -> Vec<DirectoryEntry> {
    let mut runs: BTreeMap<u32, (usize, &[IndexEntry])> = BTreeMap::new();
    let mut first = 0usize;
    for run in index.chunk_by(|one, next| one.stream_ref == next.stream_ref) {
        if let Some(entry) = run.first() {
            runs.insert(entry.stream_ref, (first, run));
        }
        first = first.saturating_add(run.len());
    }
    let row = |stream: &Stream| {
        let known = runs.get(&stream.stream_ref);
        let (first, run) = known.copied().unwrap_or((0, &[]));
        row(stream.stream_ref, first, run)
    };
    streams.map(row).collect()
}

fn row(stream_ref: u32, first: usize, run: &[IndexEntry]) -> DirectoryEntry {
    // §7.2: an entry reaches past the start of one behind it in the table.
    let overlaps = run
        .windows(2)
        .any(|pair| matches!(pair, [one, next] if next.min_stamp_ns <= one.prefix_max_stamp_ns));
    let messages = run.iter().map(|entry| u64::from(entry.message_count));
    DirectoryEntry {
        stream_ref,
        flags: if overlaps {
            DirectoryEntry::CHUNKS_OVERLAP
        } else {
            0
        },
        first_index: narrow(first),
        index_count: narrow(run.len()),
        message_count: messages.fold(0, u64::saturating_add),
        chunk_count: crate::wide(run.len()),
        first_stamp_ns: run.first().map_or(0, |entry| entry.min_stamp_ns),
        last_stamp_ns: run.last().map_or(0, |entry| entry.prefix_max_stamp_ns),
        ..DirectoryEntry::default()
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(stream_ref: u32, chunk_offset: u64, min: u64, max: u64) -> IndexEntry {
        IndexEntry {
            chunk_offset,
            min_stamp_ns: min,
            max_stamp_ns: max,
            prefix_max_stamp_ns: 7,
            message_count: 2,
            stream_ref,
            ..IndexEntry::default()
        }
    }

    #[test]
    fn entries_are_sorted_and_their_maxima_run_per_stream() {
        let flushed = vec![
            entry(2, 300, 60, 65),
            entry(1, 100, 60, 65),
            entry(2, 500, 5, 6),
            entry(1, 400, 10, 90),
            entry(1, 200, 60, 61),
        ];
        let sorted: Vec<_> = index(flushed)
            .iter()
            .map(|e| (e.stream_ref, e.chunk_offset, e.prefix_max_stamp_ns))
            .collect();
        // Stream 1 by stamp: 10, 60, 60; the first reaches to 90.
        assert_eq!(
            sorted,
            [
                (1, 400, 90),
                (1, 100, 90),
                (1, 200, 90),
                (2, 500, 6),
                (2, 300, 65)
            ]
        );
    }

    #[test]
    fn the_directory_follows_from_the_index() {
        let streams = [1, 2, 3, 4].map(|stream_ref| Stream {
            stream_ref,
            ..Stream::default()
        });
        let table = index(vec![
            entry(4, 100, 20, 20),
            entry(1, 200, 1, 2),
            entry(1, 300, 3, 4),
            entry(4, 400, 10, 20),
        ]);
        let rows: Vec<_> = directory(streams.iter(), &table)
            .iter()
            .map(|row| {
                let counts = (row.first_index, row.index_count, row.message_count);
                (
                    row.stream_ref,
                    row.flags,
                    counts,
                    row.first_stamp_ns,
                    row.last_stamp_ns,
                )
            })
            .collect();
        // Spans of stream 4 touch at 20, which is an overlap (§7.2: not above).
        assert_eq!(
            rows,
            [
                (1, 0, (0, 2, 4), 1, 4),
                (2, 0, (0, 0, 0), 0, 0),
                (3, 0, (0, 0, 0), 0, 0),
                (4, 1, (2, 2, 4), 10, 20),
            ]
        );
    }
}
