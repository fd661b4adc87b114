//! The record spine: frames, opcodes, places (§2, §3).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::{self, Disposition, Entry, Place, op};
use ca3_wire::frame::RecordFrame;

use super::{Ending, Group, MAGIC_BYTES, Scan, Section};

impl Scan<'_> {
    /// Every record in file order.
    pub(super) fn walk(&mut self) -> io::Result<Ending> {
        let end = self.end();
        let mut offset = MAGIC_BYTES.min(end);
        loop {
            let left = end.saturating_sub(offset);
            if left == 0 {
                return Ok(self.finish(offset));
            }
            if left < RecordFrame::BYTES {
                let found = format!("{left} bytes");
                return Ok(self.cut(offset, "a frame of nine bytes", &found));
            }
            let mut bytes = [0; 9];
            self.source.read_at(offset, &mut bytes)?;
            let Ok(frame) = RecordFrame::decode(&bytes, offset) else {
                return Ok(self.cut(offset, "a frame of nine bytes", "less"));
            };
            let record_end = frame.end_within(end);
            let fits = record_end.is_ok();
            self.findings.within(Some(offset));
            self.first(&frame);
            self.enter(&frame);
            match opcode::disposition(frame.opcode) {
                Disposition::Invalid => return Ok(self.invalid(offset)),
                Disposition::Defined(entry) => {
                    self.place(&frame, entry);
                    if fits {
                        self.record(&frame)?;
                    }
                }
                unusual => self.unusual(&frame, unusual, fits),
            }
            match record_end {
                Ok(next) => offset = next,
                Err(_) => {
                    let content = frame.content_length;
                    let left = left.saturating_sub(RecordFrame::BYTES);
                    return Ok(self.cut(
                        offset,
                        &format!("{content} bytes of content"),
                        &format!("{left} bytes"),
                    ));
                }
            }
        }
    }

    /// Moves to the summary where the Footer says that it begins.
    fn enter(&mut self, frame: &RecordFrame) {
        match self.summary_start {
            Some(start) if start == frame.offset && self.section <= Section::Data => {
                self.section = Section::Summary;
                self.boundary_known = true;
            }
            // It was passed within a record: the Footer is wrong, and what is
            // met decides.
            Some(start) if start < frame.offset && !self.boundary_known => {
                self.summary_start = None;
            }
            _ => {}
        }
    }

    /// The first record is the Header (§4).
    fn first(&mut self, frame: &RecordFrame) {
        if self.section != Section::Start {
            return;
        }
        self.section = Section::Data;
        if frame.opcode != op::HEADER {
            let message = "the first record is not a Header";
            let found = format!("opcode {:#04x}", frame.opcode);
            self.findings.add(
                Finding::new("CA3-4-01", Severity::Error, frame.offset, "Header", message)
                    .showing("a Header first", found),
            );
        }
    }

    /// Whether a defined record may stand where it does.
    fn place(&mut self, frame: &RecordFrame, entry: &'static Entry) {
        let allows = |place: Place| entry.places.contains(&place);
        if frame.opcode == op::HEADER {
            if frame.offset != MAGIC_BYTES {
                self.misplaced("CA3-4-02", frame, entry, "one Header");
            }
            return;
        }
        if self.section == Section::Ended {
            self.misplaced("CA3-2.4-08", frame, entry, "the Footer last");
            return;
        }
        // Without a boundary from the Footer, the first record that only a
        // summary may hold begins it.
        if self.section == Section::Data
            && self.summary_start.is_none()
            && entry.places == [Place::Summary]
        {
            self.section = Section::Summary;
        }
        let wanted = match frame.opcode {
            op::FOOTER => {
                self.section = Section::Ended;
                return;
            }
            op::SUMMARY_OFFSET => {
                self.section = Section::Offsets;
                self.offsets_start.get_or_insert(frame.offset);
                Place::SummaryOffset
            }
            _ => match self.section {
                Section::Start | Section::Data => Place::Data,
                Section::Summary => Place::Summary,
                Section::Offsets | Section::Ended => Place::SummaryOffset,
            },
        };
        if !allows(wanted) {
            let expected = match wanted {
                Place::Data => "a record of the data section",
                Place::Summary => "a record of the summary",
                _ => "a SummaryOffset or the Footer",
            };
            self.misplaced("CA3-2-01", frame, entry, expected);
        } else if self.section == Section::Summary && frame.opcode != op::PADDING {
            self.group(frame);
        }
    }

    fn misplaced(
        &mut self,
        rule: &'static str,
        frame: &RecordFrame,
        entry: &'static Entry,
        expected: &str,
    ) {
        let message = format!("a {} stands where it may not", entry.name);
        self.findings.add(
            Finding::new(rule, Severity::Error, frame.offset, entry.name, message)
                .showing(expected, entry.name),
        );
    }

    /// Reading G45: padding between groups is no group.
    fn group(&mut self, frame: &RecordFrame) {
        let end = frame.end().unwrap_or(u64::MAX);
        match self.facts.groups.last_mut() {
            Some(group) if group.opcode == frame.opcode => group.end = end,
            _ => {
                if self.pay(size_of::<Group>(), frame.offset, "summary group") {
                    self.facts.groups.push(Group {
                        opcode: frame.opcode,
                        start: frame.offset,
                        end,
                    });
                }
            }
        }
    }

    /// A record that version 1 reserves or does not name (§3.1, §3.4).
    fn unusual(&mut self, frame: &RecordFrame, disposition: Disposition, fits: bool) {
        let opcode = frame.opcode;
        if self.section == Section::Summary {
            self.group(frame);
        }
        // In what an unfinished file ends with, nothing is claimed for sure.
        let severity = if fits || self.sealed {
            Severity::Error
        } else {
            Severity::Warning
        };
        let (rule, severity, message) = match disposition {
            Disposition::StopReserved(entry) | Disposition::SkipReserved(entry) => (
                "CA3-15-09",
                severity,
                format!("{} is reserved: no version 1 file has one", entry.name),
            ),
            Disposition::StopUnknown => (
                if opcode < 0x80 {
                    "CA3-3.1-02"
                } else {
                    "CA3-3.1-05"
                },
                severity,
                format!("opcode {opcode:#04x} is unknown and must be understood"),
            ),
            _ => (
                "CA3-3.1-04",
                Severity::Info,
                format!("opcode {opcode:#04x} is unknown and may be stepped over"),
            ),
        };
        self.findings.add(
            Finding::new(rule, severity, frame.offset, "frame.opcode", message)
                .showing("a record of version 1", format_args!("{opcode:#04x}")),
        );
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
            self.truncated(offset, ", with the file");
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
        if self.too_short(frame) {
            return Ok(());
        }
        match frame.opcode {
            op::HEADER => self.with_content(frame, 8, Self::header),
            op::SCHEMA => self.with_content(frame, 2, Self::schema),
            op::STREAM => self.with_content(frame, 8, Self::stream),
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
        // Reading G07: Statistics has no layout of the document's own, and the
        // Footer's length is a rule of its own.
        if frame.content_length >= entry.min_content
            || matches!(frame.opcode, op::STATISTICS | op::FOOTER)
        {
            return false;
        }
        let message = format!("a {} is too short for its fixed fields", entry.name);
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
}
