//! Gaps in sequences, and which of them are losses (§7.4; item 13).

use std::collections::BTreeMap;

use ca3_spec::protocol::{Decimal, Report};
use ca3_wire::Budget;
use ca3_wire::records::IndexEntry;

use super::chunk::Fetch;
use super::file::IndexedFile;
use super::results::{LossResult, StreamLoss, Verdict};
use super::sequences::Sequences;
use crate::l1::refusal::Failure;

/// Bytes that a stretch of sequences takes, amply.
const STRETCH: u64 = 96;

impl IndexedFile<'_> {
    /// What the sequences say of each declared stream, from every message of
    /// every indexed chunk in file order.
    ///
    /// # Errors
    /// As [`IndexedFile::state_at`].
    pub fn loss(&mut self) -> Result<LossResult, Box<Report>> {
        self.losses().map_err(Failure::into_report)
    }

    fn losses(&mut self) -> Result<LossResult, Failure> {
        self.begin()?;
        // §7.4: counted from the Stream records, chunks or not.
        let mut topics: BTreeMap<&str, usize> = BTreeMap::new();
        for stream in self.streams() {
            let streams = topics.entry(&stream.topic).or_default();
            *streams = streams.saturating_add(1);
        }
        let streams: Vec<(u32, String, bool)> = self
            .streams()
            .map(|stream| {
                let own = topics.get(stream.topic.as_str()) == Some(&1);
                (stream.stream_ref, stream.topic.clone(), own)
            })
            .collect();
        let mut results = Vec::new();
        for (stream_ref, topic, own) in streams {
            let (missing, verdict) = self.judge(stream_ref, own)?;
            results.push(StreamLoss {
                stream_ref,
                topic,
                missing,
                verdict,
            });
        }
        Ok(LossResult {
            streams: results,
            problems: self.tables.summary.problems.clone(),
        })
    }

    fn judge(&mut self, stream_ref: u32, own: bool) -> Result<(Option<Decimal>, Verdict), Failure> {
        let mut budget: Budget = self.budget.clone();
        let mut entries: Vec<IndexEntry> = self.tables.run(stream_ref)?.entries.to_vec();
        entries.sort_by_key(|entry| entry.chunk_offset);
        let mut fetch = Fetch::new(&mut self.source, &self.tables, &mut budget);
        let mut sequences = Sequences::default();
        let mut some_absent = false;
        fetch.each(&entries, |entry, chunk, budget| {
            let take = |message: ca3_wire::Message<'_>| {
                match message.sequence {
                    None => some_absent = true,
                    Some(sequence) => {
                        if sequences.take(sequence) {
                            budget
                                .spend(STRETCH, entry.chunk_offset, "sequences")
                                .map_err(|error| Failure::wire(&error, entry.chunk_offset))?;
                        }
                    }
                }
                Ok(())
            };
            chunk.each(take, entry.chunk_offset)
        })?;
        let missing = sequences.missing();
        // Reading G70.
        let undecided = sequences.is_empty() || (missing > 0 && (some_absent || !own));
        let missing = u64::try_from(missing).ok().filter(|_| !undecided);
        let verdict = match missing {
            None => Verdict::Indeterminate,
            Some(0) => Verdict::None,
            Some(_) => Verdict::Loss,
        };
        Ok((missing.map(Decimal), verdict))
    }
}
