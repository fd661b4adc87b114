//! The message in force at an instant (§9.1; item 11).

use std::collections::BTreeSet;

use ca3_spec::protocol::{Decimal, MessageView, Report};
use ca3_wire::Budget;

use super::chunk::Fetch;
use super::file::IndexedFile;
use super::results::{InForce, StateResult};
use super::tables::Run;
use crate::l1::refusal::Failure;
use crate::l1::views;

/// Bytes that a result takes besides its message's payload, amply.
const OVERHEAD: usize = 512;

impl IndexedFile<'_> {
    /// The last message at or before `t`, nanoseconds of the reference domain,
    /// in each of these streams, or in every declared one.
    ///
    /// # Errors
    /// A stream that is not declared; an index that is at odds with itself or
    /// with a chunk that it leads to; a chunk that does not decode; a time that
    /// 64 bits do not hold.
    pub fn state_at(
        &mut self,
        t: u64,
        streams: Option<&[u32]>,
    ) -> Result<StateResult, Box<Report>> {
        self.state(t, streams).map_err(Failure::into_report)
    }

    fn state(&mut self, t: u64, streams: Option<&[u32]>) -> Result<StateResult, Failure> {
        self.begin()?;
        let mut budget = self.budget.clone();
        let asked: BTreeSet<u32> = match streams {
            Some(streams) => streams.iter().copied().collect(),
            None => self.streams().map(|stream| stream.stream_ref).collect(),
        };
        let mut results = Vec::new();
        let mut problems = self.tables.summary.problems.clone();
        for stream_ref in asked {
            problems.extend(self.beyond(stream_ref)?);
            results.push(self.in_force(t, stream_ref, &mut budget)?);
        }
        Ok(StateResult {
            results,
            chunks_read: self.chunks_read(),
            spine: self.spine,
            problems,
        })
    }

    fn in_force(
        &mut self,
        t: u64,
        stream_ref: u32,
        budget: &mut Budget,
    ) -> Result<InForce, Failure> {
        let timeline = self.clock.timeline(self.tables.stream(stream_ref)?);
        // What lies behind every stamp finds what the last of them finds.
        let instant = u64::try_from(timeline.instant(t)).unwrap_or(u64::MAX);
        let basis = timeline.basis();
        let run = self.tables.searchable(stream_ref)?;
        let mut fetch = Fetch::new(&mut self.source, &self.tables, budget);
        let message = latest(run, instant, &mut fetch)?;
        let stamp = message.as_ref().map(|found| found.monotonic_timestamp_ns.0);
        let time = stamp.map(|stamp| timeline.time(stamp)).transpose()?;
        Ok(InForce {
            stream_ref,
            basis,
            time: time.map(Decimal),
            degraded: timeline.degraded(stamp),
            message,
        })
    }
}

/// The message with the greatest stamp not above an instant of the stream's own
/// clock.
fn latest(
    run: Run<'_>,
    instant: u64,
    fetch: &mut Fetch<'_>,
) -> Result<Option<MessageView>, Failure> {
    let begun = run
        .entries
        .partition_point(|entry| entry.min_stamp_ns <= instant);
    let begun = run.entries.get(..begun).unwrap_or_default();
    let mut best: Option<MessageView> = None;
    // A chunk without a message answers nothing (reading G12).
    for entry in begun.iter().rev().filter(|entry| entry.message_count > 0) {
        if let Some(best) = &best {
            let stamp = best.monotonic_timestamp_ns.0;
            // Strictly (reading G39); at the instant itself nothing is better.
            if !run.overlap || stamp == instant || entry.prefix_max_stamp_ns <= stamp {
                break;
            }
            if entry.max_stamp_ns <= stamp {
                continue;
            }
        }
        let mut found = None;
        fetch.each(std::slice::from_ref(entry), |entry, chunk, budget| {
            let failure =
                |error| Failure::wire(&error, entry.chunk_offset).of_stream(entry.stream_ref);
            if let Some(message) = chunk.latest(instant).map_err(failure)? {
                let bytes = message.payload.len().saturating_add(OVERHEAD);
                let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
                budget
                    .spend(bytes, entry.chunk_offset, "message")
                    .map_err(failure)?;
                found = Some(views::message(entry.stream_ref, &message));
            }
            Ok(())
        })?;
        let Some(found) = found else {
            return Err(fetch.mismatch(entry, "states a min_stamp_ns that no message has"));
        };
        let stamp = found.monotonic_timestamp_ns;
        if best
            .as_ref()
            .is_none_or(|best| stamp > best.monotonic_timestamp_ns)
        {
            best = Some(found);
        }
    }
    Ok(best)
}
