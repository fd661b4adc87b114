//! Streams with their chunks over time.

use std::collections::{BTreeMap, BTreeSet};

use ca3_reports::contents::{
    ChunkSpan, Claim, CodecUse, Contents, Degraded, RecorderCounts, StreamClock, StreamContents,
};
use ca3_reports::paragraph::clip;
use ca3_wire::Codec;

use super::{LONGEST, share, spans, thinned, wide};
use crate::scan::{ChunkFact, Facts, StreamFact};

/// Streams that are told of.
const MOST_STREAMS: usize = 1_000;
/// Spans of a stream, and of all, more or less.
const MOST_SPANS: usize = 200;
const MOST_SPANS_IN_ALL: usize = 6_000;
/// Gaps, overlaps and degraded times of a stream, and of all.
const MOST_MARKS: usize = 50;
const MOST_MARKS_IN_ALL: usize = 2_000;
/// Clocks that are told of, and checkpoints on each.
const MOST_CLOCKS: usize = 50;
const MOST_CHECKPOINTS: usize = 100;
/// Codecs of a stream.
const MOST_CODECS: usize = 8;

pub(super) fn fill(facts: &Facts, contents: &mut Contents) {
    // Stable: of each stream in file order.
    let mut chunks: Vec<&ChunkFact> = facts.chunks.iter().collect();
    chunks.sort_by_key(|chunk| chunk.stream_ref);
    let mut references: BTreeSet<u32> = chunks.iter().map(|chunk| chunk.stream_ref).collect();
    references.extend(facts.streams.keys());
    contents.more_streams = wide(references.len().saturating_sub(MOST_STREAMS));
    let shown = references.len().min(MOST_STREAMS);
    let clocks = clocks(facts, references.iter().take(MOST_STREAMS));
    let most = Most {
        spans: share(MOST_SPANS_IN_ALL, shown, 4, MOST_SPANS),
        marks: share(MOST_MARKS_IN_ALL, shown, 2, MOST_MARKS),
    };
    let mut degraded = degraded(facts, most.marks);
    for reference in references.iter().copied().take(MOST_STREAMS) {
        let start = chunks.partition_point(|chunk| chunk.stream_ref < reference);
        let end = chunks.partition_point(|chunk| chunk.stream_ref <= reference);
        let own = chunks.get(start..end).unwrap_or_default();
        let mut stream = stream(facts, reference, own, &most);
        let fact = facts.streams.get(&reference);
        stream.clock = fact.and_then(|fact| clocks.get(&clock_of(fact)).copied());
        (stream.degraded, stream.degraded_count) = degraded.remove(&reference).unwrap_or_default();
        contents.streams.push(stream);
    }
    contents.clocks = told(facts, &clocks);
}

/// How much of each stream is told.
struct Most {
    spans: usize,
    marks: usize,
}

/// A clock by host and epoch.
type ClockName<'f> = (&'f str, &'f str);

fn clock_of(fact: &StreamFact) -> ClockName<'_> {
    (&fact.stream.host_id, &fact.stream.host_clock_epoch)
}

/// The clocks of these streams, numbered as they are met.
fn clocks<'f>(
    facts: &'f Facts,
    references: impl Iterator<Item = &'f u32>,
) -> BTreeMap<ClockName<'f>, usize> {
    let mut clocks = BTreeMap::new();
    for reference in references {
        let Some(fact) = facts.streams.get(reference) else {
            continue;
        };
        let next = clocks.len();
        if next < MOST_CLOCKS {
            clocks.entry(clock_of(fact)).or_insert(next);
        }
    }
    clocks
}

fn told(facts: &Facts, clocks: &BTreeMap<ClockName<'_>, usize>) -> Vec<StreamClock> {
    let mut told = vec![StreamClock::default(); clocks.len()];
    for ((host, epoch), place) in clocks {
        if let Some(clock) = told.get_mut(*place) {
            clock.host_id = clip(host, LONGEST);
            clock.epoch = clip(epoch, LONGEST);
        }
    }
    let checkpoints = &facts.checkpoint_offsets;
    let mut ends: Vec<Option<u64>> = vec![None; told.len()];
    let mut chunks = facts.chunks.iter().peekable();
    let mut places = thinned(checkpoints.len(), MOST_CHECKPOINTS).peekable();
    for (number, offset) in checkpoints.iter().enumerate() {
        while let Some(chunk) = chunks.next_if(|chunk| chunk.offset < *offset) {
            let fact = facts.streams.get(&chunk.stream_ref);
            let place = fact.and_then(|fact| clocks.get(&clock_of(fact)));
            if let Some(end) = place.and_then(|place| ends.get_mut(*place))
                && let Some(span) = span(chunk)
            {
                *end = Some(span.to_ns);
            }
        }
        let is_kept = places.next_if_eq(&number).is_some();
        for (clock, end) in told.iter_mut().zip(&ends) {
            if let Some(end) = end {
                clock.checkpoint_count = clock.checkpoint_count.saturating_add(1);
                clock.checkpoints.extend(is_kept.then_some(*end));
            }
        }
    }
    told
}

/// The degraded times of each stream, and how many there are, of the summary's
/// ClockBlock or else of the last.
fn degraded(facts: &Facts, most: usize) -> BTreeMap<u32, (Vec<Degraded>, u64)> {
    let blocks = &facts.clock_blocks;
    let block = blocks.iter().rfind(|fact| fact.in_summary);
    let Some(block) = block.or(blocks.last()) else {
        return BTreeMap::new();
    };
    let mut of_streams: BTreeMap<u32, (Vec<Degraded>, u64)> = BTreeMap::new();
    for interval in &block.block.degraded_intervals {
        let (kept, count) = of_streams.entry(interval.stream_ref).or_default();
        *count = count.saturating_add(1);
        if kept.len() < most {
            kept.push(Degraded {
                from_ns: interval.from_ns,
                to_ns: interval.to_ns,
                reason: clip(&interval.reason, LONGEST),
            });
        }
    }
    of_streams
}

/// A chunk in time: as its messages show it, or else as its header states it.
fn span(chunk: &ChunkFact) -> Option<ChunkSpan> {
    let (from_ns, to_ns) = chunk.actual.unwrap_or((
        chunk.min_stamp_ns.min(chunk.max_stamp_ns),
        chunk.max_stamp_ns.max(chunk.min_stamp_ns),
    ));
    (chunk.message_count > 0).then_some(ChunkSpan {
        from_ns,
        to_ns,
        chunks: 1,
        messages: u64::from(chunk.message_count),
    })
}

fn stream(facts: &Facts, stream_ref: u32, chunks: &[&ChunkFact], most: &Most) -> StreamContents {
    let mut told = StreamContents {
        stream_ref,
        claim: Claim::Undefined,
        ..StreamContents::default()
    };
    if let Some(fact) = facts.streams.get(&stream_ref) {
        define(facts, fact, &mut told);
    }
    let mut codecs: BTreeMap<u8, u64> = BTreeMap::new();
    for chunk in chunks {
        let layout = match chunk.columnar {
            true => &mut told.columnar_chunks,
            false => &mut told.row_chunks,
        };
        *layout = layout.saturating_add(1);
        told.bytes = told.bytes.saturating_add(chunk.length);
        told.messages = told.messages.saturating_add(chunk.message_count.into());
        let uses = codecs.entry(chunk.codec.0).or_default();
        *uses = uses.saturating_add(1);
    }
    told.codecs = codecs
        .into_iter()
        .take(MOST_CODECS)
        .map(|(codec, chunks)| CodecUse {
            codec: Codec(codec)
                .name()
                .map_or_else(|| codec.to_string(), str::to_owned),
            chunks,
        })
        .collect();
    let mut covered: Vec<ChunkSpan> = chunks.iter().filter_map(|chunk| span(chunk)).collect();
    covered.sort_by_key(|chunk| (chunk.from_ns, chunk.to_ns));
    told.first_ns = covered.first().map(|chunk| chunk.from_ns);
    told.last_ns = covered.iter().map(|chunk| chunk.to_ns).max();
    told.gap_from_ns = spans::gap_from(&covered, told.nominal_rate_millihz);
    let (gaps, overlaps) = spans::gaps_and_overlaps(&covered, told.gap_from_ns, most.marks);
    (told.gaps, told.gap_count) = (gaps.kept, gaps.count);
    (told.overlaps, told.overlap_count) = (overlaps.kept, overlaps.count);
    told.spans = spans::merged(covered, most.spans);
    told.recorder = recorder(facts, stream_ref);
    told
}

/// What the stream's definition says.
fn define(facts: &Facts, fact: &StreamFact, told: &mut StreamContents) {
    let stream = &fact.stream;
    let schema = facts.schemas.get(&stream.schema_ref);
    told.topic = clip(&stream.topic, LONGEST);
    told.schema_ref = stream.schema_ref;
    told.schema_id = schema.map_or_else(String::new, |schema| schema.names.0.clone());
    told.claim = match (fact.claims(), schema) {
        (false, _) => Claim::Undeclared,
        (true, Some(schema)) if schema.clears_floor() => Claim::WellFormed,
        (true, _) => Claim::ByClaimOnly,
    };
    told.source_clock = clip(&stream.source_clock_domain, LONGEST);
    told.block_alignment = stream.block_alignment;
    told.block_offset = stream.block_offset;
    told.nominal_rate_millihz = stream.nominal_rate_millihz;
}

/// What the first row of the directory about a stream says that no chunk shows.
fn recorder(facts: &Facts, stream_ref: u32) -> Option<RecorderCounts> {
    let entries = &facts.directories.first()?.entries;
    // The directory need not be sorted as it must: a row out of place is not found.
    let place = entries.partition_point(|entry| entry.stream_ref < stream_ref);
    let entry = entries.get(place)?;
    (entry.stream_ref == stream_ref).then_some(RecorderCounts {
        dropped_by_queue: entry.dropped_by_queue,
        never_arrived: entry.never_arrived,
        reordered: entry.reordered,
    })
}
