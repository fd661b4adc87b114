//! Chunks of one stream as spans of time.

use ca3_reports::contents::{ChunkSpan, TimeSpan};

/// A time without a chunk is a gap from so many usual distances of messages on.
const USUAL_TIMES: u64 = 5;
/// Millihertz and nanoseconds: a rate times its period.
const RATE_TIMES_PERIOD: u64 = 1_000_000_000_000;

/// The longest of some times, in their order, and how many there are.
pub(super) struct Longest {
    pub(super) kept: Vec<TimeSpan>,
    pub(super) count: u64,
}

impl Longest {
    fn of(mut all: Vec<TimeSpan>, most: usize) -> Longest {
        let count = super::wide(all.len());
        if all.len() > most {
            all.sort_by_key(|span| std::cmp::Reverse(span.to_ns.saturating_sub(span.from_ns)));
            all.truncate(most);
            all.sort_by_key(|span| (span.from_ns, span.to_ns));
        }
        Longest { kept: all, count }
    }
}

/// From what length on a time that no chunk covers is a gap: five periods of the
/// nominal rate; where there is none, five times what is usual between messages of
/// a chunk or between chunks, whichever is longer. The chunks stand in order of time.
pub(super) fn gap_from(chunks: &[ChunkSpan], nominal_rate_millihz: u64) -> u64 {
    let usual = RATE_TIMES_PERIOD.checked_div(nominal_rate_millihz);
    let usual = usual.unwrap_or_else(|| {
        let mut between = distances(chunks);
        between.sort_unstable();
        let median = between.get(between.len().saturating_sub(1) / 2).copied();
        within(chunks).max(median.unwrap_or_default())
    });
    usual.saturating_mul(USUAL_TIMES).max(1)
}

/// The mean distance of messages within chunks.
fn within(chunks: &[ChunkSpan]) -> u64 {
    let sum = |of: fn(&ChunkSpan) -> u64| -> u128 {
        chunks.iter().map(|chunk| u128::from(of(chunk))).sum()
    };
    let time = sum(|chunk| chunk.to_ns.saturating_sub(chunk.from_ns));
    let steps = sum(|chunk| chunk.messages.saturating_sub(1));
    let mean = time.checked_div(steps).unwrap_or_default();
    u64::try_from(mean).unwrap_or(u64::MAX)
}

/// The times between chunks that none covers, and those that several cover; the
/// chunks stand in order of time.
pub(super) fn gaps_and_overlaps(
    chunks: &[ChunkSpan],
    gap_from: u64,
    most: usize,
) -> (Longest, Longest) {
    let (mut gaps, mut overlaps) = (Vec::new(), Vec::new());
    let mut end: Option<u64> = None;
    for chunk in chunks {
        match end {
            Some(end) if chunk.from_ns <= end => overlaps.push(TimeSpan {
                from_ns: chunk.from_ns,
                to_ns: chunk.to_ns.min(end),
            }),
            Some(end) if chunk.from_ns.saturating_sub(end) > gap_from => gaps.push(TimeSpan {
                from_ns: end,
                to_ns: chunk.from_ns,
            }),
            _ => {}
        }
        end = Some(end.unwrap_or_default().max(chunk.to_ns));
    }
    (Longest::of(gaps, most), Longest::of(overlaps, most))
}

/// At most `most` spans: chunks that lie nearest to each other are one. Where more
/// lie equally near, all these are one.
pub(super) fn merged(chunks: Vec<ChunkSpan>, most: usize) -> Vec<ChunkSpan> {
    if chunks.len() <= most {
        return chunks;
    }
    let mut distances = distances(&chunks);
    distances.sort_unstable_by(|a, b| b.cmp(a));
    let limit = distances.get(most.saturating_sub(1)).copied();
    let mut spans: Vec<ChunkSpan> = Vec::new();
    for chunk in chunks {
        match spans.last_mut() {
            Some(last) if Some(chunk.from_ns.saturating_sub(last.to_ns)) <= limit => {
                last.to_ns = last.to_ns.max(chunk.to_ns);
                last.chunks = last.chunks.saturating_add(chunk.chunks);
                last.messages = last.messages.saturating_add(chunk.messages);
            }
            _ => spans.push(chunk),
        }
    }
    spans
}

/// Of each chunk but the first, from the end of all before it.
fn distances(chunks: &[ChunkSpan]) -> Vec<u64> {
    let mut end = 0;
    let mut distances = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        distances.push(chunk.from_ns.saturating_sub(end));
        end = end.max(chunk.to_ns);
    }
    distances.drain(..1.min(distances.len()));
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(from_ns: u64, to_ns: u64, messages: u64) -> ChunkSpan {
        ChunkSpan {
            from_ns,
            to_ns,
            chunks: 1,
            messages,
        }
    }

    fn times(longest: &Longest) -> Vec<(u64, u64)> {
        let kept = longest.kept.iter();
        kept.map(|span| (span.from_ns, span.to_ns)).collect()
    }

    #[test]
    fn gaps_are_longer_than_five_usual_distances() {
        // Ten a chunk, so 10 ns apart within chunks of 90 ns.
        let chunks = [
            chunk(0, 90, 10),
            chunk(100, 190, 10),
            chunk(241, 331, 10),
            chunk(331, 421, 10),
            chunk(350, 360, 2),
        ];
        let from = gap_from(&chunks, 0);
        // (4 * 90 + 10) / (4 * 9 + 1) = 10, times five; of 0, 0, 10 and 51 between
        // chunks, the lower one in the middle is 0.
        assert_eq!(from, 50);
        let (gaps, overlaps) = gaps_and_overlaps(&chunks, from, 9);
        assert_eq!(times(&gaps), [(190, 241)]);
        assert_eq!(times(&overlaps), [(331, 331), (350, 360)]);
        let (_, one) = gaps_and_overlaps(&chunks, from, 1);
        assert_eq!((times(&one), one.count), (vec![(350, 360)], 2));
        // A kilohertz: five milliseconds.
        assert_eq!(gap_from(&chunks, 1_000_000), 5_000_000);
        // One message a chunk: the lower one in the middle of 10 and 30.
        let single = [chunk(0, 0, 1), chunk(10, 10, 1), chunk(40, 40, 1)];
        assert_eq!(gap_from(&single, 0), 50);
        assert_eq!(gap_from(&[], 0), 1);
        let ever = [chunk(0, 0, 1), chunk(u64::MAX, u64::MAX, 1)];
        assert_eq!(gap_from(&ever, 0), u64::MAX);
    }

    #[test]
    fn the_nearest_are_merged() {
        let chunks = vec![
            chunk(0, 10, 1),
            chunk(11, 20, 2),
            chunk(50, 60, 4),
            chunk(55, 70, 8),
            chunk(90, 95, 16),
        ];
        assert_eq!(merged(chunks.clone(), 5), chunks);
        let spans: Vec<_> = merged(chunks, 3)
            .iter()
            .map(|span| (span.from_ns, span.to_ns, span.chunks, span.messages))
            .collect();
        assert_eq!(spans, [(0, 20, 2, 3), (50, 70, 2, 12), (90, 95, 1, 16)]);
        // All equally far apart: one.
        let even: Vec<ChunkSpan> = (0..1000).map(|at| chunk(at * 10, at * 10 + 5, 1)).collect();
        let [one] = merged(even, 200)[..] else {
            panic!("several")
        };
        assert_eq!((one.from_ns, one.to_ns, one.chunks), (0, 9995, 1000));
        assert_eq!(merged(vec![chunk(0, u64::MAX, 1); 9], 2).len(), 1);
    }
}
