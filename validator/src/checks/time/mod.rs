//! What a file carries beside its ClockBlock, and what that says of the block's
//! mappings (§10.5, §10.7, §10.9 to §10.11).
//!
//! [`observed`] keeps messages while chunks are read, each decoded once. At the end
//! [`mapping`] recomputes what the ClockBlock of the summary states, [`shown`] puts
//! both side by side for the report, [`delays`] looks at what delays and events
//! refer to, and [`beyond`] for stamps that no mapping can place. Which line observations imply is the reader's arithmetic, not this
//! crate's.

mod beyond;
mod delays;
mod mapping;
mod observed;
mod shown;

use std::collections::BTreeSet;

use ca3_reader::l2::clock::Clock;
use ca3_reader::l3::estimator::{Point, Sighting};
use ca3_reports::clocks::Clocks;
use ca3_wire::records::{ClockBlock, Header};

use crate::scan::{ClockFact, Ending, Facts, Scan, Target};

pub(crate) use observed::{Carried, Observed, Place};

/// Rules of mappings beside their observations.
const OF_MAPPINGS: [&str; 4] = ["CA3-10.5-05", "CA3-10.7-03", "CA3-10.7-05", "CA3-10.7-06"];
/// Rules of delays and events.
const OF_DELAYS: [&str; 5] = [
    "CA3-10.9-04",
    "CA3-10.9-05",
    "CA3-10.9-06",
    "CA3-10.10-02",
    "CA3-10.11-04",
];

/// Bytes that a domain of a block takes in a report and on the way there, apart from
/// its name and its observations.
const SHOWN_DOMAIN: usize = 4096;

impl Scan<'_> {
    /// Mappings, delays and events, once the whole file was met.
    pub(crate) fn time_at_end(&mut self, ending: Ending) -> Option<Clocks> {
        let block = self.facts.clock_in_summary();
        let reached = ending == Ending::Whole || !self.sealed;
        let whole = reached && !self.is_incomplete() && self.facts.lost_chunks.is_empty();
        if block.is_none() && self.facts.observed.is_empty() {
            return None;
        }
        if !whole {
            self.leave(
                "clock mappings, delays and alignment events".to_owned(),
                &[&OF_MAPPINGS[..], &OF_DELAYS].concat(),
                "messages that they rest on may stand in what was not read",
            );
        }
        let block = self.facts.clock_in_summary();
        let place = block.map_or(0, |fact| fact.base);
        let room = room(&self.facts, block.map(|fact| &fact.block));
        if !self.pay(room, place, "clock mappings") {
            return None;
        }
        let facts = &self.facts;
        let block = facts.clock_in_summary();
        let unknown = Header::default();
        let header = facts.header.as_ref().unwrap_or(&unknown);
        let streams = facts.streams.values().map(|fact| &fact.stream);
        let clock = Clock::new(header, block.map(|fact| fact.block.clone()), streams);
        let mut found = self.findings.beside();
        let unread = unread(facts);
        let clocks = block.map(|fact| {
            let mut evidence = mapping::Evidence::of(facts, &clock, &unread, whole);
            mapping::judge(fact, &mut evidence, &mut found);
            shown::clocks(fact, &clock, &mut evidence)
        });
        let named = block.into_iter().flat_map(|fact| &fact.block.domains);
        let named: BTreeSet<u32> = named.map(|domain| domain.observations_stream).collect();
        delays::judge(facts, &clock, whole.then_some(&unread), &mut found);
        if block.is_some() {
            beyond::judge(facts, &clock, &mut found);
        }
        self.findings.absorb(found);
        if whole {
            self.leave_unread(&named, &unread);
        }
        clocks
    }

    /// Streams of which not all was read: what rests on them is not judged.
    fn leave_unread(&mut self, named: &BTreeSet<u32>, unread: &BTreeSet<u32>) {
        for stream_ref in unread {
            let (what, rules) = match self.facts.carried(*stream_ref) {
                _ if named.contains(stream_ref) => ("clock mappings that rest", &OF_MAPPINGS[..]),
                Carried::Time(_) => ("delays and alignment events", &OF_DELAYS[..]),
                Carried::Other | Carried::Unknown => continue,
            };
            let reason = "not all of its messages could be read";
            self.leave(format!("{what} on stream {stream_ref}"), rules, reason);
        }
    }
}

impl Facts {
    /// The ClockBlock whose mappings are recomputed: the summary's first.
    ///
    /// A checkpoint's block was written when the recording went on: its mappings
    /// were fitted from the observations there were, and where these end nothing
    /// says. It is judged by itself alone.
    pub(crate) fn clock_in_summary(&self) -> Option<&ClockFact> {
        self.clock_blocks.iter().find(|fact| fact.in_summary)
    }
}

/// Streams of which not all was read, those among them whose chunks the index knows
/// and nobody met.
fn unread(facts: &Facts) -> BTreeSet<u32> {
    let mut unread = facts.observed.unread.clone();
    for (table, targets) in facts.indexes.iter().zip(&facts.targets) {
        for (entry, target) in table.entries.iter().zip(targets) {
            let missing = matches!(target, Target::Lost | Target::Nothing);
            if missing && matches!(facts.carried(entry.stream_ref), Carried::Time(_)) {
                unread.insert(entry.stream_ref);
            }
        }
    }
    unread
}

/// Bytes that the judgement takes, at most: what the fit makes of the observations of
/// one stream at a time, an index of the events, and the block shown.
fn room(facts: &Facts, block: Option<&ClockBlock>) -> usize {
    let observed = &facts.observed;
    let probes = observed.probes.values().map(Vec::len);
    let sighted = observed.events.iter();
    let sighted: usize = sighted.map(|kept| kept.message.observations.len()).sum();
    let points = probes.max().unwrap_or_default().max(sighted);
    let names = facts.streams.values().map(|fact| {
        let stream = &fact.stream;
        stream
            .host_id
            .len()
            .saturating_add(stream.host_clock_epoch.len())
    });
    let fitted = size_of::<Point>().saturating_add(size_of::<i128>());
    let shown = block.map_or(0, |block| {
        let names = block.domains.iter().map(|domain| domain.domain.len());
        let reasons = block.degraded_intervals.iter();
        let reasons = reasons.map(|span| span.reason.len().saturating_add(256));
        let texts: usize = names.chain(reasons).sum();
        texts
            .saturating_mul(4)
            .saturating_add(block.domains.len().saturating_mul(SHOWN_DOMAIN))
    });
    points
        .saturating_mul(fitted)
        .saturating_add(sighted.saturating_mul(size_of::<Sighting>().saturating_mul(6)))
        .saturating_add(observed.delays.len().saturating_mul(64))
        .saturating_add(names.sum::<usize>().saturating_mul(2))
        .saturating_add(facts.streams.len().saturating_mul(256))
        .saturating_add(shown)
}
