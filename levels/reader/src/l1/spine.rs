//! The record spine: frames, opcodes, and where records may stand (§2, §3; items 3 and 8).

use ca3_spec::kind::Kind;
use ca3_spec::opcode::{self, Disposition, op};
use ca3_spec::{FOOTER_FROM_END, MAGIC};
use ca3_wire::Budget;
use ca3_wire::frame::RecordFrame;

use super::refusal::Failure;
use super::source::Source;

/// Whether the file was finished (§2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    /// The trailing magic is there.
    Sealed,
    /// It is not: the file ends wherever its writer stopped.
    Unsealed,
}

/// Where a walk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// In front of the first record, which is the Header.
    First,
    /// Behind the Header, in front of the record at that offset or at the end.
    Before(u64),
    /// Behind the Footer, which ends there.
    BehindFooter(u64),
}

/// What a walk meets next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A record that version 1 defines, all of it inside the file.
    Record(RecordFrame),
    /// A record to be stepped over and reported, with its name where it is
    /// reserved (§3.4).
    Skipped(RecordFrame, Option<&'static str>),
    /// The end: every record was met.
    End,
}

/// A walk over the frames of a file.
pub(crate) struct Spine<'s> {
    source: &'s mut dyn Source,
    seal: Seal,
    /// Where records end: at the trailing magic, or with the file.
    end: u64,
    position: Position,
}

impl<'s> Spine<'s> {
    /// A walk in front of the first record.
    pub(crate) fn new(source: &'s mut dyn Source) -> Result<Self, Failure> {
        let seal = seal(source)?;
        let end = match seal {
            Seal::Sealed => source.length().saturating_sub(MAGIC_BYTES),
            Seal::Unsealed => source.length(),
        };
        Ok(Spine {
            source,
            seal,
            end,
            position: Position::First,
        })
    }

    pub(crate) fn seal(&self) -> Seal {
        self.seal
    }

    /// The bytes that are walked over.
    pub(crate) fn source(&mut self) -> &mut dyn Source {
        self.source
    }

    /// The walk goes on from the record at that offset, which is not the Header.
    pub(crate) fn resume(&mut self, offset: u64) {
        self.position = Position::Before(offset);
    }

    /// Offset of the next record; after a failed step, of the record at fault.
    pub(crate) fn offset(&self) -> u64 {
        match self.position {
            Position::First => MAGIC_BYTES,
            Position::Before(offset) | Position::BehindFooter(offset) => offset,
        }
    }

    /// The next record. The walk stays where it is when a step fails.
    pub(crate) fn step(&mut self) -> Result<Step, Failure> {
        let offset = self.offset();
        let left = self.end.saturating_sub(offset);
        if left == 0 {
            return self.finish();
        }
        if left < RecordFrame::BYTES {
            return Err(self.cut(
                offset,
                format!("{left} bytes are left, and a frame takes nine"),
            ));
        }
        let mut bytes = [0; 9];
        self.source.read_at(offset, &mut bytes)?;
        let frame =
            RecordFrame::decode(&bytes, offset).map_err(|error| Failure::wire(&error, offset))?;
        // The opcode decides first: a record that is not understood has no
        // length to be believed.
        let step = self.admit(frame)?;
        let end = frame
            .end_within(self.end)
            .map_err(|error| self.cut(offset, error.to_string()))?;
        self.position = match frame.opcode {
            op::FOOTER => Position::BehindFooter(end),
            _ => Position::Before(end),
        };
        Ok(step)
    }

    /// §3.1's table, and the two records whose places are fixed.
    fn admit(&self, frame: RecordFrame) -> Result<Step, Failure> {
        let step = understand(frame)?;
        let RecordFrame { opcode, offset, .. } = frame;
        let out_of_place = match (self.position, opcode) {
            (Position::First, op::HEADER) => return Ok(step),
            (Position::First, _) => "the first record is not a Header",
            (_, op::HEADER) => "a second Header",
            (Position::BehindFooter(_), _) => "a record behind the Footer",
            (Position::Before(_), _) => return Ok(step),
        };
        Err(Failure::violation(Kind::BadOrder, offset, out_of_place)
            .naming(|report| report.opcode = Some(opcode)))
    }

    /// The end, where a file may end there.
    fn finish(&self) -> Result<Step, Failure> {
        let message = match (self.seal, self.position) {
            (Seal::Unsealed, Position::First) => {
                let message = "the file ends where its Header should begin".to_owned();
                return Err(self.cut(self.end, message));
            }
            (Seal::Unsealed, _) | (Seal::Sealed, Position::BehindFooter(_)) => {
                return Ok(Step::End);
            }
            // Reading G48.
            (Seal::Sealed, _) => "no Footer stands before the trailing magic",
        };
        Err(Failure::violation(Kind::BadOrder, self.end, message))
    }

    /// A record that does not end inside the file: in a sealed one its length
    /// is wrong, in another one the writer stopped within it (§2.4).
    fn cut(&self, offset: u64, message: String) -> Failure {
        let kind = match self.seal {
            Seal::Sealed => Kind::BadLength,
            Seal::Unsealed => Kind::TruncatedRecord,
        };
        Failure::violation(kind, offset, message)
    }

    /// Reads a record's content into the buffer, whose growth is paid for, and
    /// gives its offset.
    pub(crate) fn content(
        &mut self,
        frame: &RecordFrame,
        budget: &mut Budget,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, Failure> {
        let failure = |error| Failure::wire(&error, frame.offset);
        let offset = frame.content_offset().map_err(failure)?;
        let held = u64::try_from(buffer.capacity()).unwrap_or(u64::MAX);
        let growth = frame.content_length.saturating_sub(held);
        budget.spend(growth, offset, "content").map_err(failure)?;
        let length = usize::try_from(frame.content_length).map_err(|_| {
            let message = format!("a content of {} bytes", frame.content_length);
            Failure::violation(Kind::LimitExceeded, frame.offset, message)
        })?;
        buffer.clear();
        buffer.reserve_exact(length);
        buffer.resize(length, 0);
        self.source.read_at(offset, buffer)?;
        Ok(offset)
    }
}

/// §3.1's table: what a reader does with a record of that opcode, wherever it
/// stands.
pub(crate) fn understand(frame: RecordFrame) -> Result<Step, Failure> {
    let RecordFrame { opcode, offset, .. } = frame;
    let violation = |kind, message: String| {
        Failure::violation(kind, offset, message).naming(|report| report.opcode = Some(opcode))
    };
    match opcode::disposition(opcode) {
        Disposition::Invalid => Err(violation(Kind::InvalidOpcode, "opcode 0x00".to_owned())),
        Disposition::StopUnknown => {
            let message = format!("opcode {opcode:#04x} is unknown and must be understood");
            Err(violation(Kind::UnknownOpcode, message))
        }
        Disposition::StopReserved(entry) => {
            let message = format!("{} is reserved and must be understood", entry.name);
            Err(violation(Kind::ReservedOpcode, message)
                .naming(|report| report.name = Some(entry.name.to_owned())))
        }
        Disposition::SkipReserved(entry) => Ok(Step::Skipped(frame, Some(entry.name))),
        Disposition::SkipUnknown => Ok(Step::Skipped(frame, None)),
        Disposition::Defined(_) => Ok(Step::Record(frame)),
    }
}

/// Bytes of a magic.
const MAGIC_BYTES: u64 = 8;

/// Reading G48: sealed is what ends in the magic and is long enough to hold
/// both magics and a Footer.
fn seal(source: &mut dyn Source) -> Result<Seal, Failure> {
    let length = source.length();
    if length < MAGIC_BYTES + FOOTER_FROM_END {
        return Ok(Seal::Unsealed);
    }
    let mut found = [0; MAGIC.len()];
    source.read_at(length.saturating_sub(MAGIC_BYTES), &mut found)?;
    Ok(if found == MAGIC {
        Seal::Sealed
    } else {
        Seal::Unsealed
    })
}
