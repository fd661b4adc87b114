//! Stamps whose time in the reference domain 64 bits do not hold (§10.6; reading G60).

use std::collections::BTreeSet;

use ca3_reader::l2::clock::Clock;
use ca3_reports::{Finding, Severity};
use ca3_spec::FRAME_BYTES;

use crate::findings::Findings;
use crate::scan::Facts;

const RULE: &str = "CA3-10.6-11";
/// Where `max_stamp_ns` stands in a chunk's record, of either layout.
const MAX_STAMP: u64 = FRAME_BYTES + 21;

/// The first chunk of each stream that reaches so far.
pub(super) fn judge(facts: &Facts, clock: &Clock, found: &mut Findings) {
    let mut told = BTreeSet::new();
    for chunk in &facts.chunks {
        let stream_ref = chunk.stream_ref;
        let (Some(fact), Some((_, last))) = (facts.streams.get(&stream_ref), chunk.actual) else {
            continue;
        };
        if told.contains(&stream_ref) || clock.carried(&fact.stream, last).is_some() {
            continue;
        }
        told.insert(stream_ref);
        let place = chunk.offset.saturating_add(MAX_STAMP);
        let message = "the stamp's time in the reference domain is past what 64 bits hold";
        let field = if chunk.columnar {
            "ColumnarChunk.max_stamp_ns"
        } else {
            "Chunk.max_stamp_ns"
        };
        found.add(
            Finding::new(RULE, Severity::Warning, place, field, message)
                .in_record(chunk.offset)
                .of_stream(stream_ref)
                .in_chunk(chunk.offset)
                .showing("a time below 2^64", format_args!("stamp {last}")),
        );
    }
}
