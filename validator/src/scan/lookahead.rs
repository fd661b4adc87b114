//! Records whose length is a little off, and a magic that stands again (§2.1, §3).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::MAGIC;
use ca3_spec::opcode::{self, Disposition, op};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ChunkHeader, ColumnarHeader};

use super::{Scan, Section, u64_at};

/// How far off a length is looked for.
const NEAR: u64 = 16;

impl Scan<'_> {
    /// The nine bytes at an offset, read once.
    pub(super) fn frame_bytes(&mut self, offset: u64) -> io::Result<[u8; 9]> {
        if let Some((known, bytes)) = self.ahead
            && known == offset
        {
            return Ok(bytes);
        }
        let mut bytes = [0; 9];
        self.source.read_at(offset, &mut bytes)?;
        self.ahead = Some((offset, bytes));
        Ok(bytes)
    }

    /// The frame of a sealed file's record, its length put right where the next
    /// record does not begin where it says, and does a few bytes off.
    pub(super) fn mended(&mut self, frame: RecordFrame, end: u64) -> io::Result<RecordFrame> {
        if !self.sealed || opcode::entry(frame.opcode).is_none() {
            return Ok(frame);
        }
        let Ok(next) = frame.end_within(end) else {
            return Ok(frame);
        };
        if next == end || self.may_begin(next, end)? || self.confirms(&frame)? {
            return Ok(frame);
        }
        for by in 1..=NEAR {
            for place in [next.checked_sub(by), next.checked_add(by)] {
                let Some(place) = place else { continue };
                let first = frame.offset.saturating_add(RecordFrame::BYTES);
                if place < first || !self.surely_begins(place, end)? {
                    continue;
                }
                let right = place.saturating_sub(first);
                self.off_by(&frame, place, right, by);
                return Ok(RecordFrame {
                    content_length: right,
                    ..frame
                });
            }
        }
        Ok(frame)
    }

    /// Whether a chunk's own lengths confirm that of its record.
    fn confirms(&mut self, frame: &RecordFrame) -> io::Result<bool> {
        let base = frame.offset.saturating_add(RecordFrame::BYTES);
        let (fixed, places): (u64, &[u64]) = match frame.opcode {
            op::CHUNK => (ChunkHeader::BYTES, &[69]),
            op::COLUMNAR_CHUNK => (ColumnarHeader::BYTES, &[61, 69]),
            _ => return Ok(false),
        };
        if frame.content_length < fixed {
            return Ok(false);
        }
        let mut length = fixed;
        for place in places {
            let stated = u64_at(self.source, base.saturating_add(*place))?;
            length = length.saturating_add(stated);
        }
        Ok(length == frame.content_length)
    }

    fn off_by(&mut self, frame: &RecordFrame, place: u64, right: u64, by: u64) {
        let name = |opcode: u8| opcode::entry(opcode).map_or("record", |entry| entry.name);
        let what = if right < frame.content_length {
            "long"
        } else {
            "short"
        };
        let unit = if by == 1 { "byte" } else { "bytes" };
        let next = match self.ahead {
            Some((known, [opcode, ..])) if known == place => name(opcode),
            _ => "record",
        };
        let message = format!(
            "the length of this {} is probably {by} {unit} too {what}: a {next} fits at {place}",
            name(frame.opcode)
        );
        let field = frame.offset.saturating_add(1);
        self.findings.add(
            Finding::new(
                "CA3-3-02",
                Severity::Error,
                field,
                "frame.content_length",
                message,
            )
            .in_record(frame.offset)
            .showing(right, frame.content_length),
        );
    }

    /// Whether a record, or a magic, can begin there.
    fn may_begin(&mut self, offset: u64, end: u64) -> io::Result<bool> {
        if end.saturating_sub(offset) < RecordFrame::BYTES {
            return Ok(false);
        }
        let bytes = self.frame_bytes(offset)?;
        if bytes.starts_with(&MAGIC) {
            return Ok(true);
        }
        let Ok(frame) = RecordFrame::decode(&bytes, offset) else {
            return Ok(false);
        };
        match frame.end_within(end) {
            // The opcode is at fault, where the length is right.
            Ok(next) if frame.opcode == 0 => {
                let right = next == end || self.surely_begins(next, end)?;
                self.frame_bytes(offset)?;
                Ok(right)
            }
            Ok(_) => Ok(true),
            // A record whose own length is at fault.
            Err(_) => Ok(opcode::entry(frame.opcode).is_some()),
        }
    }

    /// Whether a record of version 1 begins there, and another one, or the end,
    /// behind it.
    fn surely_begins(&mut self, offset: u64, end: u64) -> io::Result<bool> {
        let mut place = offset;
        for _ in 0..2 {
            if place == end {
                break;
            }
            let Some(frame) = self.frame_at(place, end)? else {
                return Ok(false);
            };
            let fits = match opcode::disposition(frame.opcode) {
                Disposition::Defined(entry) => frame.content_length >= entry.min_content,
                _ => false,
            };
            match frame.end_within(end) {
                Ok(next) if fits => place = next,
                _ => return Ok(false),
            }
        }
        if offset < end {
            self.frame_bytes(offset)?;
        }
        Ok(true)
    }

    /// Whether the magic stands at the place of a record. What follows it, or
    /// stood before, is another file's.
    pub(super) fn magic_again(&mut self, offset: u64) -> io::Result<bool> {
        let mut bytes = [0; MAGIC.len()];
        if self.length.saturating_sub(offset) < 8 {
            return Ok(false);
        }
        self.source.read_at(offset, &mut bytes)?;
        Ok(bytes == MAGIC)
    }

    /// The finding of it, which is the last.
    pub(super) fn report_magic(&mut self, offset: u64) {
        self.findings.within(None);
        let behind = self.length.saturating_sub(offset).saturating_sub(8);
        let is_sealed = self.section == Section::Ended;
        if self.sealed {
            let message = format!(
                "the magic stands again at {offset}: another file, or bytes, follow {}",
                if is_sealed {
                    "the sealed one"
                } else {
                    "this one"
                }
            );
            self.findings.add(
                Finding::new("CA3-2.4-08", Severity::Error, offset, "magic", message)
                    .showing("the end of the file", format_args!("{behind} more bytes")),
            );
            return;
        }
        let (unit, follows) = if behind == 1 {
            ("byte", "follows")
        } else {
            ("bytes", "follow")
        };
        let message = format!(
            "not sealed: {behind} {unit} {follows} a complete trailing magic at {offset}; \
             without {} the file is sealed",
            if behind == 1 { "it" } else { "them" }
        );
        self.findings.add(
            Finding::new("CA3-16-01", Severity::Warning, offset, "file", message).showing(
                format_args!(
                    "the end of the file behind offset {}",
                    offset.saturating_add(8)
                ),
                format_args!("{behind} more {unit}"),
            ),
        );
    }

    /// Whether a Footer is directly in front of a magic.
    pub(super) fn is_before_magic(&mut self, frame: &RecordFrame) -> io::Result<bool> {
        if frame.opcode != op::FOOTER {
            return Ok(false);
        }
        match frame.end_within(self.end()) {
            Ok(next) => self.magic_again(next),
            Err(_) => Ok(false),
        }
    }
}
