//! The forward walk, and the chain of checkpoints (§8.3, steps 2 to 4 and 6).

use std::collections::BTreeSet;
use std::ops::Range;

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Report;

use ca3_wire::frame::RecordFrame;
use ca3_wire::records::ColumnarHeader;

use super::candidate::{self, Link, Scanner};
use super::saved::{Saved, met};
use crate::l1::refusal::Failure;
use crate::l1::spine::{Seal, Spine, Step};

/// Where a walk ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    /// Offset behind the last record that was taken.
    pub(super) at: u64,
    /// From where on the walk may have gone astray: the record in front of that,
    /// unless it says twice where it ends.
    pub(super) doubtful_from: u64,
    /// Whether that record is Padding.
    pub(super) padded: bool,
    pub(super) why: Why,
}

/// Why it ended there.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// A sealed file's data section ends, or its Footer was met.
    Through,
    /// The file ends between two records.
    EndOfFile,
    /// What stands there cannot be walked over.
    Oddity(Box<Report>),
}

impl Ended {
    pub(super) fn is_odd(&self) -> bool {
        matches!(self.why, Why::Oddity(_))
    }
}

/// Records that stand in no data section (§2.4).
fn only_in_summary(opcode: u8) -> bool {
    matches!(
        opcode,
        op::CHUNK_INDEX
            | op::STREAM_DIRECTORY
            | op::STATISTICS
            | op::SUMMARY_OFFSET
            | op::MESSAGE_OFFSETS
            | op::FOOTER
    )
}

/// Records of which none stands in a summary.
fn only_in_data(opcode: u8) -> bool {
    matches!(opcode, op::CHUNK | op::COLUMNAR_CHUNK | op::CHECKPOINT)
}

impl Saved {
    /// Walks from where the spine stands to the end of the data section, or to
    /// what stops it.
    pub(super) fn walk(
        &mut self,
        spine: &mut Spine<'_>,
        summary_start: Option<u64>,
    ) -> Result<Ended, Failure> {
        let mut believed = summary_start;
        // What may be a summary: taken only if a chunk shows that it is not
        // (reading G138).
        let mut summary: Option<Vec<Step>> = None;
        let mut doubtful_from = spine.offset();
        let mut padded = false;
        loop {
            let at = spine.offset();
            let ended = |why| Ended {
                at,
                doubtful_from,
                padded,
                why,
            };
            let step = match spine.step() {
                Ok(Step::End) => {
                    let why = match spine.seal() {
                        Seal::Sealed => Why::Through,
                        Seal::Unsealed => Why::EndOfFile,
                    };
                    return self.end(ended(why), summary);
                }
                Ok(step) => step,
                Err(Failure::Violation(report)) => {
                    let mut ended = ended(match summary {
                        Some(_) => Why::Through,
                        None => Why::Oddity(report),
                    });
                    if is_cut(spine, at)? {
                        ended.doubtful_from = spine.source().length();
                    }
                    return self.end(ended, summary);
                }
                Err(source) => return Err(source),
            };
            let (Step::Record(frame) | Step::Skipped(frame, _)) = step else {
                continue;
            };
            self.sure = false;
            let begins = spine.seal() == Seal::Sealed
                && (believed == Some(at) || only_in_summary(frame.opcode));
            if only_in_data(frame.opcode) {
                believed = believed.filter(|start| *start > at);
                for step in summary.take().unwrap_or_default() {
                    self.take(spine, step)?;
                }
                self.take(spine, step)?;
            } else if let Some(held) = &mut summary {
                self.budget
                    .spend(crate::wide(size_of::<Step>()), at, "summary")
                    .map_err(|error| Failure::wire(&error, at))?;
                held.push(step);
            } else if begins {
                summary = Some(vec![step]);
            } else {
                self.take(spine, step)?;
            }
            doubtful_from = if self.sure { spine.offset() } else { at };
            padded = frame.opcode == op::PADDING;
        }
    }

    /// What stood in the summary is known and not needed. Padding whose length led
    /// astray may hold anything.
    fn end(&mut self, ended: Ended, summary: Option<Vec<Step>>) -> Result<Ended, Failure> {
        for step in summary.unwrap_or_default() {
            if let Step::Record(frame) | Step::Skipped(frame, _) = step
                && let Ok(end) = frame.end()
            {
                self.took(frame.offset..end)?;
            }
        }
        if ended.is_odd() && ended.padded {
            self.let_go(ended.doubtful_from);
        }
        Ok(ended)
    }
}

/// Whether the chunk there says twice where it ends, and the file ends before: its
/// writer stopped within it, and nothing lies behind.
fn is_cut(spine: &mut Spine<'_>, at: u64) -> Result<bool, Failure> {
    let left = spine.source().length().saturating_sub(at);
    if left < RecordFrame::BYTES.saturating_add(ColumnarHeader::BYTES) {
        return Ok(false);
    }
    let mut bytes = [0; 9];
    spine.source().read_at(at, &mut bytes)?;
    let frame = RecordFrame::decode(&bytes, at).map_err(|error| Failure::wire(&error, at))?;
    if !matches!(frame.opcode, op::CHUNK | op::COLUMNAR_CHUNK) || frame.content_length < left {
        return Ok(false);
    }
    match met(spine, &frame) {
        Ok(met) => Ok(met.ends),
        Err(Failure::Violation(_)) => Ok(false),
        Err(source) => Err(source),
    }
}

/// A link of the chain that leads to no checkpoint that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenLink {
    /// What names the place.
    pub namer: Namer,
    /// The place.
    pub to: u64,
}

/// What leads to a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namer {
    /// The Footer's `last_checkpoint_offset`.
    Footer,
    /// The search from the end (step 2).
    Search,
    /// The `prev_offset` of the checkpoint there.
    Checkpoint(u64),
}

/// A chain of checkpoints.
pub(super) struct Chain {
    /// Newest first.
    pub(super) links: Vec<Link>,
    /// Whether it leads to the first of the file.
    pub(super) intact: bool,
    /// Where it breaks off.
    pub(super) broken: Option<BrokenLink>,
}

impl Saved {
    /// Step 3: back from a checkpoint, as far as each holds.
    pub(super) fn chain(
        &mut self,
        spine: &mut Spine<'_>,
        scanner: &mut Scanner,
        last: Option<u64>,
        mut namer: Namer,
    ) -> Result<Chain, Failure> {
        let mut chain = Chain {
            links: Vec::new(),
            intact: false,
            broken: None,
        };
        let mut next = last;
        while let Some(offset) = next {
            let broken = |namer, to| Some(BrokenLink { namer, to });
            let Some(link) = self.link(spine, scanner, offset)? else {
                chain.broken = broken(namer, offset);
                break;
            };
            self.pay(crate::wide(size_of::<Link>()), offset)?;
            chain.links.push(link);
            chain.intact = link.prev_offset == 0;
            namer = Namer::Checkpoint(offset);
            if link.prev_offset >= offset {
                chain.broken = broken(namer, link.prev_offset);
            }
            // Each lies in front of the one that names it, so that none comes twice.
            next = Some(link.prev_offset).filter(|prev| *prev != 0 && *prev < offset);
        }
        Ok(chain)
    }

    /// The checkpoint there, where it holds: one that the walk met, or another.
    fn link(
        &mut self,
        spine: &mut Spine<'_>,
        scanner: &mut Scanner,
        offset: u64,
    ) -> Result<Option<Link>, Failure> {
        if let Some(link) = self.checkpoints.get(&offset) {
            return Ok(Some(*link));
        }
        match scanner.check_at(spine.source(), offset)? {
            Some(offset) => self.peek(spine, offset),
            None => Ok(None),
        }
    }

    /// What a checkpoint says of itself, where its content decodes.
    fn peek(&mut self, spine: &mut Spine<'_>, offset: u64) -> Result<Option<Link>, Failure> {
        let before = self.budget.clone();
        spine.resume(offset);
        let Ok(Step::Record(frame)) = spine.step() else {
            return Ok(None);
        };
        let loaded = candidate::load(spine, &frame, &mut self.budget, &mut Vec::new());
        self.budget = before;
        match loaded {
            Ok(checkpoint) => Ok(Some(Link {
                offset,
                checkpoint_seq: checkpoint.checkpoint_seq,
                prev_offset: checkpoint.prev_offset,
            })),
            Err(Failure::Violation(_)) => Ok(None),
            Err(source) => Err(source),
        }
    }
}

/// Checkpoints behind a place where a walk stopped, from which it can go on.
pub(super) struct Behind {
    known: BTreeSet<u64>,
    /// From where on nothing more is to be found by scanning.
    scanned_from: u64,
    /// The stretch that was looked through last.
    looked: Range<u64>,
}

impl Behind {
    /// The last checkpoint behind `at`, by a scan from the end (step 2).
    pub(super) fn scan(
        spine: &mut Spine<'_>,
        scanner: &mut Scanner,
        at: u64,
    ) -> Result<Self, Failure> {
        let length = spine.source().length();
        let found = scanner.last_in(spine.source(), at..length)?;
        let found = found.filter(|offset| *offset > at);
        Ok(Behind {
            scanned_from: found.unwrap_or(at),
            known: found.into_iter().collect(),
            looked: 0..0,
        })
    }

    /// None is sought: there is nothing behind.
    pub(super) fn nothing() -> Self {
        Behind {
            known: BTreeSet::new(),
            scanned_from: 0,
            looked: 0..0,
        }
    }

    /// The last of them.
    pub(super) fn last(&self) -> Option<u64> {
        self.known.last().copied()
    }

    /// Those that a chain leads to.
    pub(super) fn know(&mut self, chain: &Chain) {
        self.known
            .extend(chain.links.iter().map(|link| link.offset));
    }

    /// The first behind `at`, those among them that no chain leads to.
    pub(super) fn next(
        &mut self,
        spine: &mut Spine<'_>,
        scanner: &mut Scanner,
        at: u64,
    ) -> Result<Option<u64>, Failure> {
        let behind = at.saturating_add(1);
        let first = |known: &BTreeSet<u64>| known.range(behind..).next().copied();
        let limit =
            first(&self.known).map_or(self.scanned_from, |first| first.min(self.scanned_from));
        let known = self.looked.start <= at && limit <= self.looked.end;
        if limit > at && !known {
            let found = scanner.all_in(spine.source(), at..limit)?;
            self.known
                .extend(found.into_iter().filter(|offset| *offset > at));
            self.looked = at..limit;
        }
        Ok(first(&self.known))
    }
}

/// Whether a record is whole and its opcode must be understood and is not: no
/// damage, and no reason to look behind it (reading G139).
pub(super) fn not_understood(spine: &mut Spine<'_>, ended: &Ended) -> Result<bool, Failure> {
    let Why::Oddity(report) = &ended.why else {
        return Ok(false);
    };
    if !matches!(report.kind, Kind::UnknownOpcode | Kind::ReservedOpcode) {
        return Ok(false);
    }
    let mut bytes = [0; 9];
    spine.source().read_at(ended.at, &mut bytes)?;
    let length = spine.source().length();
    let frame = RecordFrame::decode(&bytes, ended.at);
    let Ok(behind) = frame.and_then(|frame| frame.end_within(length)) else {
        return Ok(false);
    };
    if behind == length {
        return Ok(true);
    }
    spine.resume(behind);
    Ok(match spine.step() {
        Ok(_) => true,
        Err(Failure::Violation(_)) => false,
        Err(source) => return Err(source),
    })
}
