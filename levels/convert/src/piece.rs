//! Stretches of a source, read in order.

use std::io::{self, Read};

use ca3_reader::l1::Source;
use ca3_reader::l4::Found;
use ca3_spec::opcode::op;
use ca3_spec::{FOOTER_CONTENT_BYTES, FRAME_BYTES};
use ca3_wire::crc;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Footer, Record};

use crate::{Failure, wide};

/// Bytes read at a time.
const STEP: usize = 256 * 1024;

/// A stretch of a source, to be read from its start to its end.
pub(crate) struct Piece<'s> {
    source: &'s mut dyn Source,
    offset: u64,
    left: u64,
    /// Why reading stopped: so that a source that fails is not taken for a
    /// sink that does.
    pub(crate) failed: Option<Failure>,
}

impl<'s> Piece<'s> {
    pub(crate) fn new(source: &'s mut dyn Source, offset: u64, length: u64) -> Self {
        Piece {
            source,
            offset,
            left: length,
            failed: None,
        }
    }
}

impl Read for Piece<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let piece = buffer.get_mut(..length).unwrap_or_default();
        if let Err(error) = self.source.read_at(self.offset, piece) {
            self.failed = Some(unreadable(&error));
            return Err(error);
        }
        self.offset = self.offset.saturating_add(wide(length));
        self.left = self.left.saturating_sub(wide(length));
        Ok(length)
    }
}

/// A source that stopped being readable.
pub(crate) fn unreadable(error: &io::Error) -> Failure {
    Failure::Source(format!(
        "the source could not be read to its end: {error}; copy what can be read of it and \
         recover from the copy"
    ))
}

/// Bytes of a source, which must fit in memory.
pub(crate) fn bytes(source: &mut dyn Source, offset: u64, length: u64) -> Result<Vec<u8>, Failure> {
    let length = usize::try_from(length)
        .map_err(|_| Failure::Source(format!("{length} bytes at {offset} are too many")))?;
    let mut bytes = vec![0; length];
    source
        .read_at(offset, &mut bytes)
        .map_err(|error| unreadable(&error))?;
    Ok(bytes)
}

/// The records from one offset to another that are wanted, up to the first
/// frame that leads nowhere.
pub(crate) fn frames(
    source: &mut dyn Source,
    from: u64,
    to: u64,
    wanted: impl Fn(&Found) -> bool,
) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    let mut offset = from;
    while to.saturating_sub(offset) >= FRAME_BYTES {
        let bytes = bytes(source, offset, FRAME_BYTES)?;
        let Ok(frame) = RecordFrame::decode(&bytes, offset) else {
            break;
        };
        let Ok(end) = frame.end_within(to) else {
            break;
        };
        let record = Found {
            opcode: frame.opcode,
            offset,
            length: end.saturating_sub(offset),
        };
        if wanted(&record) {
            found.push(record);
        }
        offset = end;
    }
    Ok(found)
}

/// The Footer that begins there, if one does.
pub(crate) fn footer(source: &mut dyn Source, offset: u64) -> Result<Option<Footer>, Failure> {
    let length = FRAME_BYTES.saturating_add(FOOTER_CONTENT_BYTES);
    if source.length().saturating_sub(offset) < length {
        return Ok(None);
    }
    let bytes = bytes(source, offset, length)?;
    let frame = RecordFrame::decode(&bytes, offset).ok();
    let is_footer = frame.is_some_and(|frame| {
        (frame.opcode, frame.content_length) == (op::FOOTER, FOOTER_CONTENT_BYTES)
    });
    let content = bytes.get(9..).filter(|_| is_footer);
    Ok(content.and_then(|content| Footer::from_content(content, offset).ok()))
}

/// CRC-32C over a stretch of a source.
pub(crate) fn crc32c(source: &mut dyn Source, offset: u64, length: u64) -> Result<u32, Failure> {
    let mut sum = 0;
    each(source, offset, length, |piece| {
        sum = crc::append(sum, piece)
    })?;
    Ok(sum)
}

/// Whether a stretch of one source equals one of another.
pub(crate) fn equal(
    one: &mut dyn Source,
    at: u64,
    other: &mut dyn Source,
    there: u64,
    length: u64,
) -> Result<bool, Failure> {
    let mut same = true;
    let mut place = there;
    let mut beside = Vec::new();
    let mut failed = None;
    each(one, at, length, |piece| {
        beside.resize(piece.len(), 0);
        if let Err(error) = other.read_at(place, &mut beside) {
            failed.get_or_insert(Failure::Output(format!(
                "what was written could not be read back: {error}"
            )));
        }
        same &= beside == piece;
        place = place.saturating_add(wide(piece.len()));
    })?;
    failed.map_or(Ok(same), Err)
}

fn each(
    source: &mut dyn Source,
    offset: u64,
    length: u64,
    mut visit: impl FnMut(&[u8]),
) -> Result<(), Failure> {
    let step = usize::try_from(length).map_or(STEP, |length| length.min(STEP));
    let mut buffer = vec![0; step];
    let mut piece = Piece::new(source, offset, length);
    while piece.left > 0 {
        match piece.read(&mut buffer) {
            Ok(count) => visit(buffer.get(..count).unwrap_or_default()),
            Err(error) => return Err(unreadable(&error)),
        }
    }
    Ok(())
}
