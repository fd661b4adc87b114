//! The messages between two instants (§9.2; item 14).

use ca3_spec::protocol::{Decimal, Report};
use ca3_wire::Budget;
use ca3_wire::records::IndexEntry;

use super::chunk::Fetch;
use super::clock::bytes_of;
use super::file::IndexedFile;
use super::results::{TimedMessage, WindowResult};
use crate::l1::refusal::Failure;
use crate::l1::views;

impl IndexedFile<'_> {
    /// The messages from `t1` to `t2`, both included (reading G15), nanoseconds
    /// of the reference domain: stream by stream as requested, once for each
    /// mention, and within a stream by stamp; of equal stamps the entry earlier
    /// in the table comes first, then the message stored earlier.
    ///
    /// # Errors
    /// As [`IndexedFile::state_at`].
    pub fn window(
        &mut self,
        t1: u64,
        t2: u64,
        streams: &[u32],
    ) -> Result<WindowResult, Box<Report>> {
        self.between(t1, t2, streams).map_err(Failure::into_report)
    }

    fn between(&mut self, t1: u64, t2: u64, streams: &[u32]) -> Result<WindowResult, Failure> {
        self.begin()?;
        let mut budget = self.budget.clone();
        let mut messages = Vec::new();
        let mut problems = self.tables.summary.problems.clone();
        for stream_ref in streams {
            problems.extend(self.beyond(*stream_ref)?);
            self.append(t1, t2, *stream_ref, &mut budget, &mut messages)?;
        }
        Ok(WindowResult {
            messages,
            chunks_read: self.chunks_read(),
            spine: self.spine,
            problems,
        })
    }

    fn append(
        &mut self,
        t1: u64,
        t2: u64,
        stream_ref: u32,
        budget: &mut Budget,
        messages: &mut Vec<TimedMessage>,
    ) -> Result<(), Failure> {
        let timeline = self.clock.timeline(self.tables.stream(stream_ref)?);
        let to = u64::try_from(timeline.instant(t2)).unwrap_or(u64::MAX);
        let run = self.tables.run(stream_ref)?;
        // A window that begins behind every stamp, or ends before it begins,
        // holds nothing.
        let from = u64::try_from(timeline.instant(t1));
        let Some(from) = from.ok().filter(|_| t1 <= t2) else {
            return Ok(());
        };
        let selected: Vec<IndexEntry> = run
            .entries
            .iter()
            .filter(|entry| entry.max_stamp_ns >= from && entry.min_stamp_ns <= to)
            .copied()
            .collect();
        let before = messages.len();
        let mut fetch = Fetch::new(&mut self.source, &self.tables, budget);
        fetch.each(&selected, |entry, chunk, budget| {
            let offset = entry.chunk_offset;
            let keep = |message: ca3_wire::Message<'_>| {
                let stamp = message.monotonic_timestamp_ns;
                if !(from..=to).contains(&stamp) {
                    return Ok(());
                }
                let degraded = timeline.degraded(Some(stamp));
                let bytes = size_of::<TimedMessage>().saturating_add(message.payload.len());
                let bytes = u64::try_from(bytes)
                    .unwrap_or(u64::MAX)
                    .saturating_add(bytes_of(&degraded));
                budget
                    .spend(bytes, offset, "message")
                    .map_err(|error| Failure::wire(&error, offset))?;
                messages.push(TimedMessage {
                    message: views::message(stream_ref, &message),
                    basis: timeline.basis(),
                    time: Decimal(timeline.time(stamp)?),
                    degraded,
                });
                Ok(())
            };
            chunk.each(keep, offset)
        })?;
        // Chunks came in table order, their messages as stored. A stable sort
        // merges the ascending runs that it finds, which the chunks are, and
        // leaves equal stamps in that order.
        let new = messages.get_mut(before..).unwrap_or_default();
        new.sort_by_key(|timed| timed.message.monotonic_timestamp_ns);
        Ok(())
    }
}
