//! Where records may stand: sections, summary groups, unknown opcodes (§2, §3).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::{Disposition, Entry, Place, op};
use ca3_wire::frame::RecordFrame;

use super::walk::article;
use super::{Group, Scan, Section};

fn an(entry: &Entry) -> &'static str {
    article(entry.name)
}

impl Scan<'_> {
    /// Moves to the section that begins at a record.
    pub(super) fn enter(&mut self, frame: &RecordFrame) {
        let last_checkpoint = self.outline.footer.map(|it| it.1.last_checkpoint_offset);
        self.checkpoint_on_record |= last_checkpoint == Some(frame.offset);
        match self.outline.summary {
            Some(start) if start == frame.offset && self.section <= Section::Data => {
                self.section = Section::Summary;
                self.boundary_known = true;
            }
            // It was passed within a record: the Footer is wrong, and what is
            // met decides.
            Some(start) if start < frame.offset && !self.boundary_known => {
                self.outline.summary = None;
            }
            _ => {}
        }
        if self.outline.offsets == Some(frame.offset) && self.section <= Section::Summary {
            self.section = Section::Offsets;
            self.offsets_start.get_or_insert(frame.offset);
        }
    }

    /// The first record is the Header (§4).
    pub(super) fn first(&mut self, frame: &RecordFrame) {
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
    pub(super) fn place(&mut self, frame: &RecordFrame, entry: &'static Entry) -> io::Result<()> {
        let allows = |place: Place| entry.places.contains(&place);
        if frame.opcode == op::HEADER {
            // One that comes late is reported where it should have stood.
            if std::mem::replace(&mut self.header_met, true) {
                let message = "a second Header";
                self.misplaced("CA3-4-02", frame, entry, message, "one Header");
            }
            return Ok(());
        }
        if self.section == Section::Ended {
            let message = format!("{} {} stands behind the Footer", an(entry), entry.name);
            self.misplaced("CA3-2.4-08", frame, entry, &message, "the Footer last");
            return Ok(());
        }
        // Without a boundary from the Footer, the first record that only a
        // summary may hold begins it.
        if self.section == Section::Data
            && self.outline.summary.is_none()
            && entry.places == [Place::Summary]
        {
            self.section = Section::Summary;
        }
        let is_at = |place: Option<u64>| place.is_none_or(|place| place == frame.offset);
        let behind = |place: Option<u64>| place.is_none_or(|place| place <= frame.offset);
        let wanted = match frame.opcode {
            op::FOOTER
                if is_at(self.outline.footer.map(|it| it.0)) || self.is_before_magic(frame)? =>
            {
                self.section = Section::Ended;
                return Ok(());
            }
            op::SUMMARY_OFFSET if behind(self.outline.offsets) => {
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
        let fits = allows(wanted);
        if !fits {
            let here = match wanted {
                Place::Data => "in the data section",
                Place::Summary => "in the summary",
                _ => "among the SummaryOffsets",
            };
            let there = match entry.places.first() {
                Some(Place::Data) => "belongs in the data section",
                Some(Place::Summary) => "belongs in the summary",
                Some(Place::SummaryOffset) => "belongs behind the summary",
                _ => "belongs at the end",
            };
            let name = entry.name;
            let message = format!("{} {name} {there}, and stands {here}", an(entry));
            let expected = format!("no {name} {here}");
            self.misplaced("CA3-2-01", frame, entry, &message, &expected);
        }
        if self.section == Section::Summary && frame.opcode != op::PADDING {
            self.group(frame, !fits);
        }
        Ok(())
    }

    fn misplaced(
        &mut self,
        rule: &'static str,
        frame: &RecordFrame,
        entry: &'static Entry,
        message: &str,
        expected: &str,
    ) {
        self.facts.misplaced.insert(frame.opcode);
        self.findings.add(
            Finding::new(rule, Severity::Error, frame.offset, entry.name, message)
                .showing(expected, format_args!("{} {}", an(entry), entry.name)),
        );
    }

    /// Reading G45: padding between groups is no group.
    fn group(&mut self, frame: &RecordFrame, stray: bool) {
        let end = frame.end().unwrap_or(u64::MAX);
        match self.facts.groups.last_mut() {
            Some(group) if group.opcode == frame.opcode => group.end = end,
            _ => {
                if self.pay(size_of::<Group>(), frame.offset, "summary group") {
                    self.facts.groups.push(Group {
                        opcode: frame.opcode,
                        start: frame.offset,
                        end,
                        stray,
                    });
                }
            }
        }
    }

    /// A record that version 1 reserves or does not name (§3.1, §3.4).
    pub(super) fn unusual(&mut self, frame: &RecordFrame, disposition: Disposition, fits: bool) {
        let opcode = frame.opcode;
        if self.section == Section::Summary {
            self.group(frame, false);
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
}
