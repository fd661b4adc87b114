//! §8.3, step by step.

use std::collections::BTreeSet;

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Report;
use ca3_wire::Budget;
use ca3_wire::records::{Header, IndexEntry, Record};

use super::candidate::{Link, Scanner};
use super::rebuilt;
use super::recovered::{ChainLink, Method, Recovered, Stop, Walk};
use super::saved::{KEPT, Saved, end_of};
use super::walk::{Behind, BrokenLink, Chain, Ended, Namer, Why, not_understood};
use crate::l1::open::admit;
use crate::l1::refusal::Failure;
use crate::l1::spine::{Seal, Spine, Step};
use crate::l1::{Limits, Source};
use crate::l2::summary::{Summary, footer};

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

fn walked(from: u64, ended: &Ended) -> Walk {
    Walk {
        from,
        to: ended.at,
        problem: match &ended.why {
            Why::Oddity(report) => Some((**report).clone()),
            Why::Through | Why::EndOfFile => None,
        },
    }
}

/// What the Footer of a sealed file says of places in it.
#[derive(Clone, Copy, Default)]
struct Stated {
    last_checkpoint: Option<u64>,
    summary_start: Option<u64>,
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
        let (summary, stated) = if sealed {
            saved.summary(&mut spine)?
        } else {
            (None, Stated::default())
        };
        let start = spine.offset();
        let ended = match began {
            Some(ended) => ended,
            None => {
                spine.resume(start);
                saved.walk(&mut spine, stated.summary_start)?
            }
        };
        let walk = walked(start, &ended);
        let recovery = match summary {
            Some(summary) => {
                return by_summary(&mut spine, saved, summary, header, ended, walk);
            }
            None => saved.by_walk(&mut spine, stated, ended, walk)?,
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
        saved.not_there(source)?;
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
    spine: &mut Spine<'_>,
    mut saved: Saved,
    summary: Summary,
    header: Option<Header>,
    ended: Ended,
    walk: Walk,
) -> Result<Recovered, Failure> {
    let length = spine.source().length();
    spine.resume(summary.start);
    while let Ok(Step::Record(frame) | Step::Skipped(frame, _)) = spine.step() {
        if matches!(frame.opcode, op::SCHEMA | op::STREAM) {
            saved.restated(spine, &frame)?;
        }
    }
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
    Ok(Recovered {
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
    })
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
                    padded: false,
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

    /// Step 1 of a sealed file: its summary where that verifies, else a problem;
    /// and what its Footer says.
    fn summary(&mut self, spine: &mut Spine<'_>) -> Result<(Option<Summary>, Stated), Failure> {
        let data_start = spine.offset();
        let footer = match footer(spine.source()) {
            Ok((footer, _)) => footer,
            Err(failure) => {
                self.problem(failure)?;
                return Ok((None, Stated::default()));
            }
        };
        let nonzero = |offset: u64| Some(offset).filter(|offset| *offset != 0);
        let stated = Stated {
            last_checkpoint: nonzero(footer.last_checkpoint_offset),
            summary_start: nonzero(footer.summary_start),
        };
        // Reading G77: sealed, and without a summary.
        if stated.summary_start.is_none() {
            return Ok((None, stated));
        }
        let mut budget = self.budget.clone();
        match Summary::read(spine.source(), data_start, &mut budget) {
            Ok(summary) => {
                self.budget = budget;
                Ok((Some(summary), stated))
            }
            Err(failure) => {
                self.problem(failure)?;
                Ok((None, stated))
            }
        }
    }

    /// Steps 2 to 4, and 6: behind a walk from the head, which met everything
    /// in front of the first damage.
    fn by_walk(
        mut self,
        spine: &mut Spine<'_>,
        stated: Stated,
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
        let last = stated.last_checkpoint.or(behind.last()).or(met);
        let namer = match stated.last_checkpoint {
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
                ended = self.walk(spine, stated.summary_start)?;
                self.pay(KEPT, next)?;
                walks.push(walked(next, &ended));
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
        let link = |link: &Link| ChainLink {
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
}
