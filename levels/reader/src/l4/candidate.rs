//! Checkpoints by their trailers: the four checks, and the scan backward (§8.2).

use std::ops::{ControlFlow, Range};

use ca3_spec::FRAME_BYTES;
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Checkpoint, Record};
use ca3_wire::{Budget, Cursor, crc};
use memchr::memmem::FinderRev;

use crate::l1::Source;
use crate::l1::refusal::Failure;
use crate::l1::spine::Spine;

/// A checkpoint that holds, and where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) offset: u64,
    pub(super) checkpoint_seq: u64,
    /// 0 in the first of a file.
    pub(super) prev_offset: u64,
}

/// Bytes that are looked through at a time.
const BLOCK: u64 = 1 << 20;
/// Bytes that a checksum is computed over at a time.
const PIECE: u64 = 1 << 16;
/// How often a file's length may be summed up over candidates that fail: one of
/// nothing but sentinels would otherwise take the square of its length.
const ROUNDS: u64 = 8;
/// §8.2, check 2: no record begins ahead of it.
const LEAST_OFFSET: u64 = 9;

/// Looks for checkpoints, and knows what that may still take.
pub(super) struct Scanner {
    /// Bytes that may still be summed up.
    left: u64,
}

impl Scanner {
    pub(super) fn new(length: u64) -> Self {
        Scanner {
            left: length.saturating_mul(ROUNDS),
        }
    }

    /// Whether the work was cut short: candidates may have been passed over.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// The offset of the last checkpoint whose sentinel begins in the range and
    /// that passes the four checks.
    pub(super) fn last_in(
        &mut self,
        source: &mut dyn Source,
        range: Range<u64>,
    ) -> Result<Option<u64>, Failure> {
        let mut last = None;
        self.scan(source, range, |offset| {
            last = Some(offset);
            ControlFlow::Break(())
        })?;
        Ok(last)
    }

    /// The same, all of them, in one pass.
    pub(super) fn all_in(
        &mut self,
        source: &mut dyn Source,
        range: Range<u64>,
    ) -> Result<Vec<u64>, Failure> {
        let mut all = Vec::new();
        self.scan(source, range, |offset| {
            all.push(offset);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// Backward over a range, block by block.
    fn scan(
        &mut self,
        source: &mut dyn Source,
        range: Range<u64>,
        mut found: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let finder = FinderRev::new(&Checkpoint::SENTINEL);
        let overlap = crate::wide(Checkpoint::SENTINEL.len()).saturating_sub(1);
        let mut block = Vec::new();
        let mut end = range.end;
        while end > range.start && !self.is_spent() {
            let start = end.saturating_sub(BLOCK).max(range.start);
            // A sentinel may begin in this block and end in the one behind it.
            let stop = end.saturating_add(overlap).min(source.length());
            let length = usize::try_from(stop.saturating_sub(start)).unwrap_or_default();
            block.resize(length, 0);
            source.read_at(start, &mut block)?;
            for at in finder.rfind_iter(&block) {
                let sentinel = start.saturating_add(crate::wide(at));
                if sentinel < end
                    && let Some(offset) = self.check(source, sentinel)?
                    && found(offset).is_break()
                {
                    return Ok(());
                }
            }
            end = start;
        }
        Ok(())
    }

    /// §8.2's four checks of the candidate whose sentinel would begin there; the
    /// offset of the checkpoint.
    pub(super) fn check(
        &mut self,
        source: &mut dyn Source,
        sentinel: u64,
    ) -> Result<Option<u64>, Failure> {
        let end = sentinel.saturating_add(Checkpoint::TRAILER_BYTES);
        if end > source.length() {
            return Ok(None);
        }
        let mut trailer = [0; 36];
        source.read_at(sentinel, &mut trailer)?;
        let mut cursor = Cursor::new(&trailer, sentinel, "trailer");
        let Ok((found, offset, stated)) = fields(&mut cursor) else {
            return Ok(None);
        };
        if found != Checkpoint::SENTINEL || offset >= sentinel || offset < LEAST_OFFSET {
            return Ok(None);
        }
        let content = offset.saturating_add(FRAME_BYTES);
        if content > sentinel || frame_at(source, offset)?.1 != Some(end) {
            return Ok(None);
        }
        self.left = self.left.saturating_sub(sentinel.saturating_sub(content));
        if self.is_spent() || checksum(source, content..sentinel)? != stated {
            return Ok(None);
        }
        Ok(Some(offset))
    }

    /// The same of the checkpoint whose opcode byte would be there.
    pub(super) fn check_at(
        &mut self,
        source: &mut dyn Source,
        offset: u64,
    ) -> Result<Option<u64>, Failure> {
        let reach = source.length().saturating_sub(FRAME_BYTES);
        if offset < LEAST_OFFSET || offset > reach {
            return Ok(None);
        }
        let (opcode, end) = frame_at(source, offset)?;
        let sentinel = end.and_then(|end| end.checked_sub(Checkpoint::TRAILER_BYTES));
        match sentinel {
            Some(sentinel) if opcode == op::CHECKPOINT => {
                let found = self.check(source, sentinel)?;
                Ok(found.filter(|found| *found == offset))
            }
            _ => Ok(None),
        }
    }
}

/// Sentinel, `self_offset` and `content_crc` of a trailer.
fn fields<'t>(cursor: &mut Cursor<'t>) -> Result<(&'t [u8], u64, u32), ca3_wire::WireError> {
    let sentinel = cursor.raw("sentinel", 8)?;
    let offset = cursor.u64("self_offset")?;
    cursor.raw("prev_offset and checkpoint_seq", 16)?;
    Ok((sentinel, offset, cursor.u32("content_crc")?))
}

/// The opcode there, and where the record ends if it is a checkpoint.
fn frame_at(source: &mut dyn Source, offset: u64) -> Result<(u8, Option<u64>), Failure> {
    let mut bytes = [0; 9];
    source.read_at(offset, &mut bytes)?;
    let frame =
        RecordFrame::decode(&bytes, offset).map_err(|error| Failure::wire(&error, offset))?;
    let end = frame.end().ok().filter(|_| frame.opcode == op::CHECKPOINT);
    Ok((frame.opcode, end))
}

fn checksum(source: &mut dyn Source, range: Range<u64>) -> Result<u32, Failure> {
    let mut piece = Vec::new();
    let (mut at, mut sum) = (range.start, 0);
    while at < range.end {
        let length = range.end.saturating_sub(at).min(PIECE);
        piece.resize(usize::try_from(length).unwrap_or_default(), 0);
        source.read_at(at, &mut piece)?;
        sum = crc::append(sum, &piece);
        at = at.saturating_add(length);
    }
    Ok(sum)
}

/// The checkpoint of a whole record, where it passes the four checks and its
/// content decodes (reading G141).
pub(super) fn load(
    spine: &mut Spine<'_>,
    frame: &RecordFrame,
    budget: &mut Budget,
    content: &mut Vec<u8>,
) -> Result<Checkpoint, Failure> {
    let content_offset = spine.content(frame, budget, content)?;
    let checkpoint = Checkpoint::from_content(content, content_offset)
        .map_err(|error| Failure::wire(&error, frame.offset))?;
    if checkpoint.self_offset != frame.offset {
        let message = format!("self_offset states {}", checkpoint.self_offset);
        let kind = ca3_spec::kind::Kind::Other;
        return Err(Failure::violation(kind, frame.offset, message));
    }
    Ok(checkpoint)
}
