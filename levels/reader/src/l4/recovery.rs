//! §8.3, step by step.

use std::collections::BTreeSet;
use std::ops::Range;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Report;
use ca3_wire::Budget;
use ca3_wire::records::{
    ClockBlock, DirectoryEntry, Header, IndexEntry, Record, Schema, Session, Stream,
};
use serde::{Deserialize, Serialize};

use super::candidate::Scanner;
use super::saved::{Found, KEPT, Saved};
use super::walk::{Behind, BrokenLink, Chain, Ended, Namer, Why, Zone, not_understood};
use super::{content, rebuilt};
use crate::l1::definitions::Definitions;
use crate::l1::open::admit;
use crate::l1::refusal::Failure;
use crate::l1::spine::{Seal, Spine, Step};
use crate::l1::{Limits, Source};
use crate::l2::summary::{Summary, footer};

/// By what a file was recovered (§8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Step 1: its summary, which verifies.
    Summary,
    /// Steps 2 to 4: the whole chain of its checkpoints, and a walk behind it.
    CheckpointChain,
    /// Step 6: a walk over every record.
    SpineWalk,
}

/// A checkpoint that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Offset of its opcode byte.
    pub offset: u64,
    /// Its number.
    pub checkpoint_seq: u64,
}

/// Where the walk stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Offset behind the last record that it took.
    pub at: u64,
    /// What is wrong there; `None` where the file ends between two records.
    pub reason: Option<Kind>,
}

/// A stretch that was walked over from record to record.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// Offset of its first record.
    pub from: u64,
    /// Offset behind its last.
    pub to: u64,
    /// What stopped it there; `None` where the data section ends, or the file
    /// between two records.
    pub problem: Option<Report>,
}

impl Walk {
    fn of(from: u64, ended: &Ended) -> Self {
        Walk {
            from,
            to: ended.at,
            problem: match &ended.why {
                Why::Oddity(report) => Some((**report).clone()),
                Why::Through | Why::EndOfFile => None,
            },
        }
    }
}

/// What was saved of a file; of its messages, where they are.
#[derive(Debug)]
pub struct Recovered {
    /// The trailing magic is there (§2.1).
    pub sealed: bool,
    /// By what it was recovered.
    pub method: Method,
    /// The chain, newest first; by a spine walk, every checkpoint that was used.
    pub checkpoints: Vec<ChainLink>,
    /// The link for which the chain was not believed; `None` where all of them
    /// hold, or there is no chain.
    pub broken_link: Option<BrokenLink>,
    /// Where the walk stopped; `None` where a sealed file was walked to its end.
    pub stop: Option<Stop>,
    /// Every walk, in the order in which they were made: the first from the
    /// Header on, each other one from a checkpoint behind damage.
    pub walks: Vec<Walk>,
    /// The Header (§4), where it decodes (reading G140).
    pub header: Option<Header>,
    /// The last Session that was reached (§11).
    pub session: Option<Session>,
    /// Ascending by reference.
    pub schemas: Vec<Schema>,
    /// Ascending by reference.
    pub streams: Vec<Stream>,
    /// The newest clock block (step 3).
    pub clock: Option<ClockBlock>,
    /// The index: as stored in a summary that verifies, else computed anew.
    pub entries: Vec<IndexEntry>,
    /// One row a declared stream, likewise; computed anew, it has 0 in the
    /// place of what only the recorder knew.
    pub directory: Vec<DirectoryEntry>,
    /// Every other whole record that was met and holds, in file order.
    pub records: Vec<Found>,
    /// Bytes of the file that belong to no record that was taken, ascending.
    pub holes: Vec<Range<u64>>,
    /// What is wrong with the file.
    pub problems: Vec<Report>,
    pub(super) definitions: Definitions,
}

/// Recovers a file, sealed or not, whole or not; one that is being written as far
/// as it goes now.
///
/// # Errors
/// Bytes that could not be had, too little memory for the answer
/// ([`Kind::LimitExceeded`]), and what any reader refuses: no CA3 magic, another
/// major version, a feature that is not implemented.
pub fn recover(source: &mut dyn Source, limits: &Limits) -> Result<Recovered, Box<Report>> {
    Recovery::run(source, limits).map_err(Failure::into_report)
}

/// What steps 1 to 6 find out besides what is saved.
struct Recovery {
    saved: Saved,
    method: Method,
    checkpoints: Vec<ChainLink>,
    broken_link: Option<BrokenLink>,
    ended: Ended,
    walks: Vec<Walk>,
}

impl Recovery {
    fn run(source: &mut dyn Source, limits: &Limits) -> Result<Recovered, Failure> {
        admit(source)?;
        let mut saved = Saved::new(Budget::new(limits.memory));
        let length = source.length();
        let mut spine = Spine::new(source)?;
        let sealed = spine.seal() == Seal::Sealed;
        let (header, began) = saved.header(&mut spine)?;
        let (summary, footer_link, zone) = if sealed {
            saved.summary(&mut spine)?
        } else {
            (None, None, Zone::default())
        };
        let start = spine.offset();
        let ended = match began {
            Some(ended) => ended,
            None => {
                spine.resume(start);
                saved.walk(&mut spine, zone)?
            }
        };
        let walk = Walk::of(start, &ended);
        let recovery = match summary {
            Some(summary) => {
                return Ok(by_summary(saved, summary, header, ended, walk, length));
            }
            None => saved.by_walk(&mut spine, footer_link, zone, ended, walk)?,
        };
        recovery.finish(spine.source(), limits, header, sealed, length)
    }

    /// Step 5, and what the walk left over.
    fn finish(
        self,
        source: &mut dyn Source,
        limits: &Limits,
        header: Option<Header>,
        sealed: bool,
        length: u64,
    ) -> Result<Recovered, Failure> {
        let Recovery {
            mut saved,
            method,
            checkpoints,
            broken_link,
            ended,
            walks,
        } = self;
        let stop = match &ended.why {
            Why::Through => None,
            Why::EndOfFile => Some(None),
            Why::Oddity(report) => Some(Some(report.kind)),
        };
        let stop = stop.map(|reason| Stop {
            at: ended.at,
            reason,
        });
        for failure in saved.definitions.unresolved().collect::<Vec<Failure>>() {
            saved.problem(failure)?;
        }
        saved.last_sequences(source, limits)?;
        let holes = saved.holes(length, sealed);
        let entries = saved.chunks.values().map(|met| met.entry).collect();
        let entries = rebuilt::index(entries);
        let directory = rebuilt::directory(saved.definitions.streams(), &entries);
        Ok(Recovered {
            sealed,
            method,
            checkpoints,
            broken_link,
            stop,
            walks,
            header,
            session: saved.session,
            schemas: saved.schemas.into_values().collect(),
            streams: saved.definitions.streams().cloned().collect(),
            clock: saved.clock.map(|(_, block)| block).or(saved.clock_record),
            entries,
            directory,
            records: saved.records,
            holes,
            problems: saved.problems,
            definitions: saved.definitions,
        })
    }
}

/// Step 1: what a summary that verifies says, and what its data section holds
/// besides.
fn by_summary(
    mut saved: Saved,
    summary: Summary,
    header: Option<Header>,
    ended: Ended,
    walk: Walk,
    length: u64,
) -> Recovered {
    let stop = match ended.why {
        Why::Through | Why::EndOfFile => None,
        Why::Oddity(report) => {
            let stop = Stop {
                at: ended.at,
                reason: Some(report.kind),
            };
            saved.problems.push(*report);
            Some(stop)
        }
    };
    saved.unindexed(&summary.index.entries);
    let ranges = summary.index.entries.iter();
    let ranges = ranges.map(|entry| entry.chunk_offset..end_of(entry));
    saved.taken.extend(ranges);
    saved.taken.push(summary.start..length);
    saved.problems.extend(summary.problems);
    Recovered {
        sealed: true,
        method: Method::Summary,
        checkpoints: Vec::new(),
        broken_link: None,
        stop,
        walks: vec![walk],
        header,
        session: summary.session.or(saved.session.take()),
        streams: summary.definitions.streams().cloned().collect(),
        clock: summary.clock,
        entries: summary.index.entries,
        directory: summary.directory.entries,
        holes: saved.holes(length, true),
        schemas: saved.schemas.into_values().collect(),
        records: saved.records,
        problems: saved.problems,
        definitions: summary.definitions,
    }
}

fn end_of(entry: &IndexEntry) -> u64 {
    entry.chunk_offset.saturating_add(entry.chunk_length)
}

impl Saved {
    /// Names the chunks that were met and that a summary's index leaves out.
    fn unindexed(&mut self, entries: &[IndexEntry]) {
        let indexed: BTreeSet<u64> = entries.iter().map(|entry| entry.chunk_offset).collect();
        let left_out = self.chunks.values();
        let left_out = left_out.filter(|met| !indexed.contains(&met.entry.chunk_offset));
        for met in left_out {
            let message = "the index of the summary leaves this chunk out";
            let failure = Failure::violation(Kind::IndexMismatch, met.entry.chunk_offset, message);
            let report = failure.of_stream(met.entry.stream_ref).into_report();
            self.problems.push(*report);
        }
    }

    /// The Header, and where the walk ended if it could not be walked over.
    fn header(
        &mut self,
        spine: &mut Spine<'_>,
    ) -> Result<(Option<Header>, Option<Ended>), Failure> {
        let at = spine.offset();
        self.took(0..at)?;
        let frame = match spine.step() {
            Ok(Step::Record(frame)) => frame,
            Ok(_) => return Ok((None, None)),
            Err(Failure::Violation(report)) => {
                let why = Why::Oddity(report);
                let ended = Ended {
                    at,
                    doubtful_from: at,
                    why,
                };
                return Ok((None, Some(ended)));
            }
            Err(source) => return Err(source),
        };
        let mut content = Vec::new();
        let read = spine.content(&frame, &mut self.budget, &mut content);
        let decoded = read.and_then(|offset| {
            Header::from_content(&content, offset)
                .map_err(|error| Failure::wire(&error, frame.offset))
        });
        match decoded {
            Ok(header) => {
                self.took(at..spine.offset())?;
                Ok((Some(header), None))
            }
            Err(failure) => {
                self.problem(failure)?;
                Ok((None, None))
            }
        }
    }

    /// Step 1 of a sealed file: its summary where that verifies, else why not;
    /// what its Footer says of the last checkpoint and of the summary's place.
    fn summary(
        &mut self,
        spine: &mut Spine<'_>,
    ) -> Result<(Option<Summary>, Option<u64>, Zone), Failure> {
        let data_start = spine.offset();
        let stated = match footer(spine.source()) {
            Ok((stated, _)) => stated,
            Err(failure) => {
                self.problem(failure)?;
                return Ok((None, None, Zone::default()));
            }
        };
        let link = Some(stated.last_checkpoint_offset).filter(|offset| *offset != 0);
        let zone = Zone {
            start: Some(stated.summary_start),
            verified: false,
        };
        // Reading G77: sealed, and without a summary.
        if stated.summary_start == 0 {
            return Ok((None, link, zone));
        }
        let mut budget = self.budget.clone();
        match Summary::read(spine.source(), data_start, &mut budget) {
            Ok(summary) => {
                self.budget = budget;
                let verified = Zone {
                    verified: true,
                    ..zone
                };
                Ok((Some(summary), link, verified))
            }
            Err(failure) => {
                self.problem(failure)?;
                Ok((None, link, zone))
            }
        }
    }

    /// Steps 2 to 4, and 6: behind a walk from the head, which met everything
    /// in front of the first damage.
    fn by_walk(
        mut self,
        spine: &mut Spine<'_>,
        footer_link: Option<u64>,
        zone: Zone,
        head: Ended,
        walk: Walk,
    ) -> Result<Recovery, Failure> {
        let mut scanner = Scanner::new(spine.source().length());
        let mut behind = if head.is_odd() {
            Behind::scan(spine, &mut scanner, head.doubtful_from)?
        } else {
            Behind::nothing()
        };
        let met = self.checkpoints.last_key_value().map(|(offset, _)| *offset);
        let last = footer_link.or(behind.last()).or(met);
        let namer = match footer_link {
            Some(_) => Namer::Footer,
            None => Namer::Search,
        };
        let chain = self.chain(spine, &mut scanner, last, namer)?;
        let mut walks = vec![walk];
        behind.know(&chain);
        if let Why::Oddity(report) = &head.why {
            self.problem(Failure::Violation(report.clone()))?;
        }
        let mut ended = head.clone();
        let goes_on = chain.intact || !not_understood(spine, &head)?;
        if goes_on {
            while ended.is_odd()
                && let Some(next) = behind.next(spine, &mut scanner, ended.doubtful_from)?
            {
                spine.resume(next);
                ended = self.walk(spine, zone)?;
                self.pay(KEPT, next)?;
                walks.push(Walk::of(next, &ended));
                if let Why::Oddity(report) = &ended.why {
                    self.problem(Failure::Violation(report.clone()))?;
                }
            }
        }
        // A record that claims too much may have passed over one of the chain.
        for link in chain.links.iter().rev() {
            let unmet = !self.checkpoints.contains_key(&link.offset);
            if unmet && (goes_on || link.offset < head.at) {
                spine.resume(link.offset);
                if let Ok(step) = spine.step() {
                    self.take(spine, step)?;
                }
            }
        }
        if scanner.is_spent() {
            let message = "the file holds so many false checkpoints that not all were looked at";
            self.problem(Failure::violation(Kind::LimitExceeded, head.at, message))?;
        }
        Ok(self.decided(chain, head, ended, walks))
    }

    /// A chain that is whole is the method; else it was a spine walk, and says so.
    fn decided(self, chain: Chain, head: Ended, ended: Ended, walks: Vec<Walk>) -> Recovery {
        let link = |link: &super::walk::Link| ChainLink {
            offset: link.offset,
            checkpoint_seq: link.checkpoint_seq,
        };
        if chain.intact {
            return Recovery {
                saved: self,
                method: Method::CheckpointChain,
                checkpoints: chain.links.iter().map(link).collect(),
                broken_link: None,
                ended,
                walks,
            };
        }
        Recovery {
            checkpoints: self.checkpoints.values().rev().map(link).collect(),
            saved: self,
            method: Method::SpineWalk,
            broken_link: chain.broken,
            ended: head,
            walks,
        }
    }

    /// Reading G51: where sequences stand in the messages, the last one's is
    /// read from them.
    fn last_sequences(&mut self, source: &mut dyn Source, limits: &Limits) -> Result<(), Failure> {
        let open: Vec<IndexEntry> = self
            .chunks
            .values()
            .filter(|met| met.open)
            .map(|met| met.entry)
            .collect();
        for entry in open {
            let last = match content::decoded(source, &self.definitions, &entry, limits) {
                Ok(chunk) => chunk.messages.last().and_then(|message| message.sequence),
                // Its messages are withheld, and named where they are asked for.
                Err(Failure::Violation(_)) => None,
                Err(source) => return Err(source),
            };
            if let Some(met) = self.chunks.get_mut(&entry.chunk_offset) {
                met.entry.seq_last = last.unwrap_or_default();
                met.open = false;
            }
        }
        Ok(())
    }

    /// What was not taken of the file.
    fn holes(&self, length: u64, sealed: bool) -> Vec<Range<u64>> {
        let chunks = self.chunks.values().map(|met| &met.entry);
        let mut taken: Vec<Range<u64>> = chunks
            .map(|entry| entry.chunk_offset..end_of(entry))
            .chain(self.taken.iter().cloned())
            .collect();
        taken.sort_unstable_by_key(|range| range.start);
        let end = if sealed {
            length.saturating_sub(crate::wide(ca3_spec::MAGIC.len()))
        } else {
            length
        };
        let mut holes = Vec::new();
        let mut at = 0;
        for range in taken {
            if range.start > at {
                holes.push(at..range.start.min(end));
            }
            at = at.max(range.end);
        }
        if at < end {
            holes.push(at..end);
        }
        holes.retain(|hole| hole.start < hole.end);
        holes
    }
}
