//! The record spine: frames, opcodes, places (§2, §3).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::MAGIC;
use ca3_spec::opcode::{self, Disposition, op};
use ca3_wire::frame::RecordFrame;

use super::{Ending, MAGIC_BYTES, Scan, Section};
use crate::checks::Copy;

/// Where the walk goes on behind a record, if it does.
enum Step {
    To(u64),
    Last(Ending),
}

impl Scan<'_> {
    /// Every record in file order.
    pub(super) fn walk(&mut self) -> io::Result<Ending> {
        let ending = self.records();
        self.findings.within(None);
        self.settle()?;
        ending
    }

    fn records(&mut self) -> io::Result<Ending> {
        let end = self.end();
        let mut offset = MAGIC_BYTES.min(end);
        loop {
            let left = end.saturating_sub(offset);
            if left == 0 {
                return Ok(self.finish(offset));
            }
            if left < RecordFrame::BYTES {
                if self.magic_again(offset)? {
                    self.report_magic(offset);
                    return Ok(Ending::Stopped(offset));
                }
                let found = bytes(left);
                return Ok(self.cut(offset, "a frame of nine bytes", &found));
            }
            let nine = self.frame_bytes(offset)?;
            if nine.starts_with(&MAGIC) {
                self.report_magic(offset);
                return Ok(Ending::Stopped(offset));
            }
            let Ok(frame) = RecordFrame::decode(&nine, offset) else {
                return Ok(self.cut(offset, "a frame of nine bytes", "less"));
            };
            let step = self.in_order(&frame, end, |scan| scan.step(frame, end))?;
            match step {
                Step::To(next) => offset = next,
                Step::Last(ending) => return Ok(ending),
            }
        }
    }

    /// One record, whose frame is at hand.
    fn step(&mut self, frame: RecordFrame, end: u64) -> io::Result<Step> {
        let offset = frame.offset;
        self.findings.within(Some(offset));
        let frame = self.mended(frame, end)?;
        let record_end = frame.end_within(end);
        let fits = record_end.is_ok();
        self.first(&frame);
        self.enter(&frame);
        match opcode::disposition(frame.opcode) {
            Disposition::Invalid => return Ok(Step::Last(self.invalid(offset))),
            Disposition::Defined(entry) => {
                self.place(&frame, entry)?;
                if fits {
                    self.record(&frame)?;
                }
            }
            // What may be stepped over and cannot be is said below.
            Disposition::SkipUnknown if self.sealed && !fits => {}
            unusual => self.unusual(&frame, unusual, fits),
        }
        Ok(match record_end {
            Ok(next) => Step::To(next),
            Err(_) => {
                let left = end
                    .saturating_sub(offset)
                    .saturating_sub(RecordFrame::BYTES);
                Step::Last(self.cut(
                    offset,
                    &format!("{} of content at most", bytes(left)),
                    &bytes(frame.content_length),
                ))
            }
        })
    }

    /// Opcode 0x00. Behind it nothing can be told apart.
    fn invalid(&mut self, offset: u64) -> Ending {
        let (rule, severity, message) = if self.sealed {
            ("CA3-3.1-01", Severity::Error, "opcode 0x00 is no record")
        } else {
            (
                "CA3-16-08",
                Severity::Warning,
                "a zero byte where a record should begin: the rest is no record",
            )
        };
        self.findings.add(
            Finding::new(rule, severity, offset, "frame.opcode", message)
                .showing("a record of version 1", "0x00"),
        );
        if !self.sealed {
            self.truncated(offset, ", in front of a zero byte");
        }
        Ending::Stopped(offset)
    }

    /// A record that does not end inside the file: its length is wrong, or the
    /// writer stopped within it (§2.4).
    fn cut(&mut self, offset: u64, expected: &str, found: &str) -> Ending {
        if self.sealed {
            let message = "a record of a sealed file reaches past its end";
            self.findings.add(
                Finding::new(
                    "CA3-16-06",
                    Severity::Error,
                    offset,
                    "frame.content_length",
                    message,
                )
                .showing(expected, found),
            );
        } else {
            self.truncated(offset, ", in front of an incomplete one");
        }
        Ending::Stopped(offset)
    }

    /// Likewise, where the file ends behind a record.
    fn truncated_at_record(&mut self, offset: u64) {
        let message = format!("not sealed: the file ends at {offset}, behind a whole record");
        self.findings.add(
            Finding::new("CA3-16-01", Severity::Warning, offset, "file", message)
                .showing("a sealed file", "a truncated one"),
        );
    }

    /// The one statement about an unfinished file (item 8).
    fn truncated(&mut self, offset: u64, what: &str) {
        self.findings.within(None);
        let message = format!("not sealed: whole records end at offset {offset}{what}");
        self.findings.add(
            Finding::new("CA3-16-01", Severity::Warning, offset, "file", message)
                .showing("a sealed file", "a truncated one"),
        );
    }

    /// The end, between two records.
    fn finish(&mut self, offset: u64) -> Ending {
        self.findings.within(None);
        if self.section == Section::Start && self.sealed {
            let message = "the file ends where its Header should begin";
            self.findings.add(Finding::new(
                "CA3-4-01",
                Severity::Error,
                offset,
                "Header",
                message,
            ));
        }
        if !self.sealed {
            self.truncated_at_record(offset);
        } else if self.section != Section::Ended {
            let message = "no Footer stands before the trailing magic";
            self.findings.add(
                Finding::new("CA3-2.4-10", Severity::Error, offset, "Footer", message)
                    .showing("a Footer of 28 bytes", "none")
                    .reading("G48"),
            );
        }
        Ending::Whole
    }

    /// A whole record that version 1 defines.
    fn record(&mut self, frame: &RecordFrame) -> io::Result<()> {
        match frame.opcode {
            // By opcode, whether or not they decode.
            op::METADATA => {
                self.facts.metadata_count = self.facts.metadata_count.saturating_add(1);
            }
            op::ATTACHMENT => {
                self.facts.attachment_count = self.facts.attachment_count.saturating_add(1);
            }
            _ => {}
        }
        if self.too_short(frame) {
            return self.lost(frame);
        }
        match frame.opcode {
            op::HEADER => self.with_content(frame, 8, Self::header),
            op::SCHEMA => self.with_content(frame, 2, Self::schema),
            op::STREAM => self.with_content(frame, 8, Self::stream),
            op::CHUNK | op::COLUMNAR_CHUNK if self.batch.takes() => {
                self.chunk_later(frame);
                Ok(())
            }
            op::CHUNK | op::COLUMNAR_CHUNK => {
                let frame = *frame;
                self.with_content(&frame, 0, |scan, content, base| {
                    scan.chunk(&frame, content, base)
                })
            }
            op::SESSION => self.with_content(frame, 8, Self::session),
            op::CHECKPOINT => {
                let frame = *frame;
                self.with_content(&frame, 8, |scan, content, base| {
                    scan.checkpoint(&frame, content, base)
                })
            }
            op::CHUNK_INDEX => self.with_content(frame, 2, Self::index),
            op::STREAM_DIRECTORY => self.with_content(frame, 2, Self::directory),
            op::CLOCK_BLOCK => self.with_content(frame, 8, Self::clock_block),
            op::METADATA => self.with_content(frame, 8, Self::metadata),
            op::ATTACHMENT => self.attachment(frame),
            op::STATISTICS => self.with_content(frame, 2, Self::statistics),
            op::ANNOTATIONS => self.with_content(frame, 8, Self::annotations),
            op::SUMMARY_OFFSET => self.with_content(frame, 1, Self::summary_offset),
            op::MESSAGE_OFFSETS => self.with_content(frame, 2, Self::message_offsets),
            op::FOOTER => self.with_content(frame, 1, Self::footer),
            _ => Ok(()),
        }
    }

    /// §3: a content that cannot hold its record's fixed fields.
    fn too_short(&mut self, frame: &RecordFrame) -> bool {
        let Some(entry) = opcode::entry(frame.opcode) else {
            return false;
        };
        // Readings G07 and G08: the document lays these three out by no table;
        // and the Footer's length is a rule of its own.
        if frame.content_length >= entry.min_content
            || matches!(
                frame.opcode,
                op::STATISTICS | op::METADATA | op::ATTACHMENT | op::FOOTER
            )
        {
            return false;
        }
        let name = entry.name;
        let message = format!("{} {name} is too short for its fixed fields", article(name));
        let (field, least) = (format!("{}.content", entry.name), entry.min_content);
        self.findings.add(
            Finding::new(
                "CA3-3-03",
                Severity::Error,
                frame.offset.saturating_add(1),
                field,
                message,
            )
            .showing(
                format_args!("at least {least} bytes"),
                format_args!("{} bytes", frame.content_length),
            ),
        );
        true
    }

    /// Keeps what can be told of a record that is too short for anything else,
    /// so that others are not blamed for it.
    fn lost(&mut self, frame: &RecordFrame) -> io::Result<()> {
        let base = frame.offset.saturating_add(RecordFrame::BYTES);
        match frame.opcode {
            op::CHUNK | op::COLUMNAR_CHUNK => {
                let has_room = self.pay(size_of::<u64>().saturating_mul(4), frame.offset, "chunk");
                if has_room {
                    self.facts.lost_chunks.insert(frame.offset);
                }
            }
            op::CHECKPOINT => self.lost_checkpoint(frame.offset),
            op::SESSION => self.facts.session_lost = true,
            op::SCHEMA | op::STREAM => {
                let mut bytes = [0; 4];
                let whole = frame.content_length >= 4;
                if whole {
                    self.source.read_at(base, &mut bytes)?;
                }
                let head = if whole { &bytes[..] } else { &[] };
                self.lose_definition(frame.opcode, head, base, Copy::Record);
            }
            op::SUMMARY_OFFSET => {
                let mut byte = [0];
                let named = frame.content_length > 0;
                if named {
                    self.source.read_at(base, &mut byte)?;
                }
                let [opcode] = byte;
                if self.pay(size_of::<Option<u8>>(), frame.offset, "SummaryOffset") {
                    self.facts.lost_offsets.push(named.then_some(opcode));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// `a` or `an`, for a record's name.
pub(super) fn article(name: &str) -> &'static str {
    if name.starts_with(['A', 'E', 'I', 'O', 'U']) {
        "an"
    } else {
        "a"
    }
}

/// A number of bytes in words.
fn bytes(number: u64) -> String {
    match number {
        1 => "1 byte".to_owned(),
        _ => format!("{number} bytes"),
    }
}
