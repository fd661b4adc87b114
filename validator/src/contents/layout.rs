//! Where in a file things lie.

use ca3_reports::contents::{ByteSpan, FileLayout};

use super::{thinned, wide};
use crate::scan::Facts;

/// Spans of chunks, and checkpoints.
const MOST_SPANS: usize = 200;
const MOST_CHECKPOINTS: usize = 200;

pub(super) fn of(facts: &Facts) -> FileLayout {
    let checkpoints = &facts.checkpoint_offsets;
    let kept = thinned(checkpoints.len(), MOST_CHECKPOINTS);
    let start = facts.groups.iter().map(|group| group.start).min();
    let end = facts.groups.iter().map(|group| group.end).max();
    FileLayout {
        chunks: chunks(facts),
        checkpoints: kept
            .filter_map(|place| checkpoints.get(place).copied())
            .collect(),
        checkpoint_count: wide(checkpoints.len()),
        summary: start.zip(end).map(|(from, to)| ByteSpan {
            from,
            to,
            records: wide(facts.groups.len()),
        }),
    }
}

/// Chunks that stand beside each other are one span, and further ones where there
/// are many.
fn chunks(facts: &Facts) -> Vec<ByteSpan> {
    let mut distances: Vec<u64> = Vec::new();
    let mut end = None;
    for chunk in &facts.chunks {
        distances.extend(end.map(|end| chunk.offset.saturating_sub(end)));
        end = Some(chunk.offset.saturating_add(chunk.length));
    }
    distances.sort_unstable_by(|a, b| b.cmp(a));
    let limit = distances.get(MOST_SPANS.saturating_sub(1)).copied();
    let limit = limit.unwrap_or_default();
    let mut spans: Vec<ByteSpan> = Vec::new();
    for chunk in &facts.chunks {
        let to = chunk.offset.saturating_add(chunk.length);
        match spans.last_mut() {
            Some(last) if chunk.offset.saturating_sub(last.to) <= limit => {
                last.to = to;
                last.records = last.records.saturating_add(1);
            }
            _ => spans.push(ByteSpan {
                from: chunk.offset,
                to,
                records: 1,
            }),
        }
    }
    spans
}
