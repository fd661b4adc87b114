//! A recovered chunk's bytes and messages.

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::{MessageView, Report};
use ca3_wire::Budget;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::IndexEntry;

use super::recovered::Recovered;
use super::saved;
use crate::l1::definitions::Definitions;
use crate::l1::refusal::Failure;
use crate::l1::spine::{Spine, Step};
use crate::l1::{Limits, Source, chunks};

/// A chunk, verified and decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkContent {
    /// Chunk or ColumnarChunk.
    pub opcode: u8,
    /// The record's content as stored.
    pub content: Vec<u8>,
    /// Its messages in stored order.
    pub messages: Vec<MessageView>,
    /// The entry that its header makes, where that differs from the one it was
    /// reached by (reading G142).
    pub differs: Option<Report>,
}

/// A recovered chunk.
///
/// # Errors
/// Why its messages are withheld: no such chunk stands there
/// ([`Kind::IndexMismatch`]), its checksum or its messages do not hold, nothing
/// declares its stream; [`Kind::LimitExceeded`] where the limits do not hold it.
pub fn chunk(
    source: &mut dyn Source,
    recovered: &Recovered,
    entry: &IndexEntry,
    limits: &Limits,
) -> Result<ChunkContent, Box<Report>> {
    decoded(source, &recovered.definitions, entry, limits).map_err(Failure::into_report)
}

/// What may still be read of chunks: a file of chunks that lie one within another
/// would take the square of its length.
pub(super) struct Allowance {
    left: u64,
}

impl Allowance {
    /// How often a file's bytes may be read as a chunk's.
    const ROUNDS: u64 = 4;

    pub(super) fn of(source: &dyn Source) -> Self {
        Allowance {
            left: source.length().saturating_mul(Self::ROUNDS),
        }
    }

    /// Whether the chunk of an entry may be read as well.
    pub(super) fn admits(&mut self, entry: &IndexEntry) -> bool {
        match self.left.checked_sub(entry.chunk_length) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

/// The same, told apart from bytes that could not be had.
pub(super) fn decoded(
    source: &mut dyn Source,
    definitions: &Definitions,
    entry: &IndexEntry,
    limits: &Limits,
) -> Result<ChunkContent, Failure> {
    let mut budget = Budget::new(limits.memory);
    let mut spine = Spine::new(source)?;
    let frame = framed(&mut spine, entry)?;
    let mut content = Vec::new();
    let content_offset = spine.content(&frame, &mut budget, &mut content)?;
    let mut messages = Vec::new();
    chunks::append(
        &frame,
        &content,
        content_offset,
        definitions,
        &mut budget,
        &mut messages,
    )?;
    let own = saved::met(&mut spine, &frame)?;
    let seq_last = messages.last().and_then(|message| message.sequence);
    let own = IndexEntry {
        seq_last: seq_last.unwrap_or_default(),
        ..own.entry
    };
    let differs = (!saved::same(&own, entry)).then(|| {
        let message = "its entry says something else than the chunk itself";
        let failure = Failure::violation(Kind::IndexMismatch, frame.offset, message);
        *failure.of_stream(own.stream_ref).into_report()
    });
    Ok(ChunkContent {
        opcode: frame.opcode,
        content,
        messages,
        differs,
    })
}

/// The frame of the chunk that an entry names.
fn framed(spine: &mut Spine<'_>, entry: &IndexEntry) -> Result<RecordFrame, Failure> {
    let offset = entry.chunk_offset;
    let mismatch = |message: String| {
        let failure = Failure::violation(Kind::IndexMismatch, offset, message);
        failure.of_stream(entry.stream_ref)
    };
    if offset < ca3_spec::FRAME_BYTES {
        return Err(mismatch(format!("no chunk begins at {offset}")));
    }
    spine.resume(offset);
    let frame = match spine.step() {
        Ok(Step::Record(frame)) if matches!(frame.opcode, op::CHUNK | op::COLUMNAR_CHUNK) => frame,
        Ok(_) => return Err(mismatch(format!("no chunk stands at {offset}"))),
        Err(Failure::Violation(report)) => {
            return Err(mismatch(format!(
                "no chunk stands at {offset}: {}",
                report.message
            )));
        }
        Err(source) => return Err(source),
    };
    if frame.record_length() != Some(entry.chunk_length) {
        return Err(mismatch(format!(
            "the chunk at {offset} is not of the {} bytes of its entry",
            entry.chunk_length
        )));
    }
    Ok(frame)
}
