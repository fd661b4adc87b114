//! What only the recorder knew, out of a sealed file's summary (§7.3, §13.2).

use std::collections::BTreeMap;

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::Recovered;
use ca3_spec::opcode::op;
use ca3_wire::records::{Record, Statistics};
use ca3_writer::Observed;

use crate::{Failure, carry, piece};

/// The recorder's numbers, stream by stream, of a file whose summary verifies.
pub(crate) fn read(
    source: &mut dyn Source,
    recovered: &Recovered,
    summary_start: u64,
    limits: &Limits,
) -> Result<BTreeMap<u32, Observed>, Failure> {
    let mut observed: BTreeMap<u32, Observed> = BTreeMap::new();
    for row in &recovered.directory {
        let numbers = Observed {
            dropped_by_queue: row.dropped_by_queue,
            never_arrived: row.never_arrived,
            reordered: row.reordered,
            ..Observed::default()
        };
        observed.insert(row.stream_ref, numbers);
    }
    let end = source.length();
    let statistics = piece::frames(source, summary_start, end, |found| {
        found.opcode == op::STATISTICS
    })?;
    for found in statistics {
        let (start, length) = carry::content_of(&found);
        if length > limits.memory {
            continue;
        }
        let content = piece::bytes(source, start, length)?;
        // Reading G07: what does not parse has another layout.
        let Ok(statistics) = Statistics::from_content(&content, start) else {
            continue;
        };
        for row in &statistics.streams {
            let numbers = observed.entry(row.stream_ref).or_default();
            numbers.max_gap_ns = row.max_gap_ns;
            numbers.min_transport_delay_ns = row.min_transport_delay_ns;
            numbers.max_queue_depth = row.max_queue_depth;
        }
    }
    Ok(observed)
}
