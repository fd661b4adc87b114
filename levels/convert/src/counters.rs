//! What only the recorder knew, out of a sealed file's summary (§7.3, §13.2).

use std::collections::BTreeMap;

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::Recovered;
use ca3_spec::opcode::op;
use ca3_wire::records::{Record, Statistics};
use ca3_writer::Observed;

use crate::{Failure, carry, piece};

/// What a summary that verifies says besides its tables.
#[derive(Default)]
pub(crate) struct Numbers {
    /// The recorder's numbers, stream by stream.
    pub(crate) observed: BTreeMap<u32, Observed>,
    /// How many records of an opcode the Statistics count.
    pub(crate) counted: BTreeMap<u8, u64>,
}

/// The numbers of a file whose summary verifies.
pub(crate) fn read(
    source: &mut dyn Source,
    recovered: &Recovered,
    summary_start: u64,
    limits: &Limits,
) -> Result<Numbers, Failure> {
    let Numbers {
        mut observed,
        mut counted,
    } = Numbers::default();
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
        counted.insert(op::METADATA, u64::from(statistics.metadata_count));
        counted.insert(op::ATTACHMENT, u64::from(statistics.attachment_count));
        for row in &statistics.streams {
            let numbers = observed.entry(row.stream_ref).or_default();
            numbers.max_gap_ns = row.max_gap_ns;
            numbers.min_transport_delay_ns = row.min_transport_delay_ns;
            numbers.max_queue_depth = row.max_queue_depth;
        }
    }
    Ok(Numbers { observed, counted })
}
