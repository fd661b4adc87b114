//! The least that a query can fetch: arithmetic over the chunks as they were
//! written. No index is read here, and no code of the reader is used.
//!
//! An index entry states a chunk's least and greatest stamp, and both are
//! stamps of messages. So a chunk that ended before an instant is known by its
//! greatest stamp without being fetched, and one that spans the instant is not
//! known at all.

use std::collections::BTreeSet;

use crate::sealed::{Chunk, Sealed, wide};

/// Bytes of the chunks of one stream that every reader must fetch to say which
/// message is in force at an instant (§9.1): those that span it, for each may
/// hold the answer, and the one that does hold it.
///
/// The instant must be no message's stamp, and no chunk may have fewer than
/// three messages: otherwise the index can say more.
pub(crate) fn of_state(file: &Sealed, stream_ref: u32, instant: u64) -> u64 {
    let answer = in_force(file, stream_ref, instant);
    let begun = of_stream(file, stream_ref).filter(|chunk| chunk.min() <= instant);
    let needed = begun.filter(|chunk| chunk.max() > instant || chunk.latest(instant) == answer);
    needed.map(|chunk| chunk.length).sum()
}

/// Bytes of the chunks that the search of §9.1 fetches, step by step: from the
/// last chunk that began, back as long as an earlier one reaches past the best
/// stamp found. A chunk that itself ends before that stamp is passed over.
pub(crate) fn of_search(file: &Sealed, stream_ref: u32, instant: u64) -> u64 {
    let mut begun: Vec<&Chunk> = of_stream(file, stream_ref)
        .filter(|chunk| chunk.min() <= instant)
        .collect();
    begun.sort_by_key(|chunk| (chunk.min(), chunk.offset));
    let mut best = None;
    let mut bytes = 0u64;
    while let Some(chunk) = begun.last() {
        let reach = begun.iter().map(|chunk| chunk.max()).max();
        if reach <= best {
            break;
        }
        if Some(chunk.max()) > best {
            bytes = bytes.saturating_add(chunk.length);
            best = best.max(chunk.latest(instant));
        }
        begun.pop();
    }
    bytes
}

/// Bytes of an uncompressed columnar chunk without optional fields that find
/// the message in force: frame, header, stamp column and one block (§6.5). The
/// stream's chunks must be disjoint.
pub(crate) fn of_address(file: &Sealed, stream_ref: u32, instant: u64) -> u64 {
    const HEAD: u64 = 9 + 81;
    let answer = in_force(file, stream_ref, instant);
    let holder = of_stream(file, stream_ref).find(|chunk| chunk.latest(instant) == answer);
    let needed = holder.filter(|_| answer.is_some()).map(|chunk| {
        let messages = wide(chunk.stamps.len());
        let columns = HEAD + messages * 8;
        let blocks = chunk.length.saturating_sub(columns);
        columns + blocks.checked_div(messages).unwrap_or_default()
    });
    needed.unwrap_or_default()
}

/// Bytes of the chunks of these streams that a window touches (§9.2).
pub(crate) fn of_window(file: &Sealed, streams: &[u32], from: u64, to: u64) -> u64 {
    touched(file, streams, from, to)
        .map(|chunk| chunk.length)
        .sum()
}

/// The fewest reads that fetch a window's chunks and no byte beside them: one
/// for each stretch of chunks that lie side by side.
pub(crate) fn reads_of_window(file: &Sealed, streams: &[u32], from: u64, to: u64) -> u64 {
    let chunks: BTreeSet<(u64, u64)> = touched(file, streams, from, to)
        .map(|chunk| (chunk.offset, chunk.offset.saturating_add(chunk.length)))
        .collect();
    let ends: BTreeSet<u64> = chunks.iter().map(|(_, end)| *end).collect();
    let alone = chunks.iter().filter(|(start, _)| !ends.contains(start));
    alone.map(|_| 1).sum()
}

/// The stamp in force in a stream at an instant.
pub(crate) fn in_force(file: &Sealed, stream_ref: u32, instant: u64) -> Option<u64> {
    let chunks = of_stream(file, stream_ref);
    chunks.filter_map(|chunk| chunk.latest(instant)).max()
}

/// The stamps of a stream in a window, ascending.
pub(crate) fn stamps(file: &Sealed, stream_ref: u32, from: u64, to: u64) -> Vec<u64> {
    let mut stamps: Vec<u64> = of_stream(file, stream_ref)
        .flat_map(|chunk| chunk.stamps.iter().copied())
        .filter(|stamp| (from..=to).contains(stamp))
        .collect();
    stamps.sort_unstable();
    stamps
}

fn of_stream(file: &Sealed, stream_ref: u32) -> impl Iterator<Item = &Chunk> {
    let chunks = file.chunks.iter();
    chunks.filter(move |chunk| chunk.stream_ref == stream_ref)
}

fn touched<'f>(
    file: &'f Sealed,
    streams: &'f [u32],
    from: u64,
    to: u64,
) -> impl Iterator<Item = &'f Chunk> {
    file.chunks.iter().filter(move |chunk| {
        streams.contains(&chunk.stream_ref) && chunk.max() >= from && chunk.min() <= to
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks of stream 1 in file order; each as long as its place says: 1, 10,
    /// 100 bytes and so on, so that a sum says which they are.
    fn file(chunks: &[&[u64]]) -> Sealed {
        let mut offset = 0;
        let mut length = 1;
        let mut written = Vec::new();
        for stamps in chunks {
            written.push(Chunk {
                stream_ref: 1,
                offset,
                length,
                stamps: stamps.to_vec(),
            });
            offset += length;
            length *= 10;
        }
        Sealed {
            bytes: Vec::new(),
            chunks: written,
            header_end: 0,
            summary_start: 0,
            data_records: 0,
        }
    }

    #[test]
    fn disjoint_chunks_take_one() {
        let file = file(&[&[10, 20, 30], &[40, 50, 60], &[70, 80, 90]]);
        for (instant, bytes) in [(5, 0), (15, 1), (35, 1), (45, 10), (65, 10), (999, 100)] {
            assert_eq!(of_state(&file, 1, instant), bytes, "{instant}");
            assert_eq!(of_search(&file, 1, instant), bytes, "{instant}");
            assert_eq!(of_state(&file, 2, instant), 0);
        }
    }

    #[test]
    fn what_spans_the_instant_must_be_fetched() {
        let file = file(&[&[10, 20, 90], &[30, 40, 50], &[60, 62, 70]]);
        // The first spans all of it; the others ended, and the index says so.
        for (instant, least, search) in [
            (25, 1, 1),
            (45, 11, 11),
            (55, 11, 11),
            (65, 101, 101),
            (75, 101, 101),
            (95, 1, 101),
        ] {
            assert_eq!(of_state(&file, 1, instant), least, "{instant}");
            assert_eq!(of_search(&file, 1, instant), search, "{instant}");
        }
    }

    #[test]
    fn a_columnar_chunk_gives_a_message_by_its_place() {
        let mut file = file(&[&[10, 20, 30], &[40, 50, 60]]);
        for chunk in &mut file.chunks {
            chunk.length = 9 + 81 + 3 * 8 + 3 * 100;
        }
        for (instant, bytes) in [(5, 0), (15, 214), (65, 214)] {
            assert_eq!(of_address(&file, 1, instant), bytes, "{instant}");
        }
    }

    #[test]
    fn a_window_takes_what_it_touches() {
        let file = file(&[&[10, 20, 30], &[40, 50, 60], &[70, 80, 90], &[25, 35, 45]]);
        for (from, to, bytes, reads) in [
            (0, 9, 0, 0),
            (10, 10, 1, 1),
            (31, 39, 1000, 1),
            (60, 70, 110, 1),
            (26, 90, 1111, 1),
            (26, 61, 1011, 2),
        ] {
            assert_eq!(of_window(&file, &[1], from, to), bytes, "{from}");
            assert_eq!(reads_of_window(&file, &[1], from, to), reads, "{from}");
        }
        assert_eq!(of_window(&file, &[2, 3], 0, 99), 0);
        assert_eq!(stamps(&file, 1, 30, 45), [30, 35, 40, 45]);
        assert_eq!(in_force(&file, 1, 65), Some(60));
    }
}
