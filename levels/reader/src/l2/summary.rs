//! The summary of a sealed file, as it stands there (§2.2, §7, §13.1, §13.4;
//! items 9 and 10).
//!
//! One read at the end for the Footer, then the summary section once, through
//! its checksum, and the offset section. Every record of the summary is met;
//! what the SummaryOffset records say is compared with that, and where they
//! differ, or there are none (reading G88), what was met counts.

use std::collections::BTreeSet;

use ca3_spec::FOOTER_FROM_END;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::{self, op};
use ca3_spec::protocol::Report;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{
    ChunkIndex, ClockBlock, DirectoryEntry, Footer, IndexEntry, MessageOffsets, Record, Session,
    StreamDirectory, SummaryOffset,
};
use ca3_wire::{Budget, Cursor};

use super::section::Section;
use crate::l1::Source;
use crate::l1::definitions::Definitions;
use crate::l1::refusal::Failure;
use crate::l1::spine::Step;

/// A table, and where the record that it stands in begins; of a table that is
/// not there, no entries.
#[derive(Debug)]
pub(crate) struct Table<T> {
    pub(crate) entries: Vec<T>,
    /// Offset of the record's opcode byte; `None` where there is none.
    pub(crate) offset: Option<u64>,
}

impl<T> Table<T> {
    const ABSENT: Self = Table {
        entries: Vec::new(),
        offset: None,
    };

    /// Takes the entries of the record at `offset`, of which there is one.
    fn take(&mut self, entries: Vec<T>, offset: u64) -> Result<(), Failure> {
        if self.offset.is_some() {
            return Err(second("table of this kind", offset));
        }
        *self = Table {
            entries,
            offset: Some(offset),
        };
        Ok(())
    }
}

/// What the summary says.
#[derive(Debug)]
pub(crate) struct Summary {
    /// Offset of its first record.
    pub(crate) start: u64,
    pub(crate) definitions: Definitions,
    pub(crate) index: Table<IndexEntry>,
    pub(crate) directory: Table<DirectoryEntry>,
    /// The ClockBlock, until it is taken out.
    pub(crate) clock: Option<ClockBlock>,
    /// The Session in force (§11).
    pub(crate) session: Option<Session>,
    /// What the SummaryOffset records say, in file order.
    pub(crate) offsets: Vec<SummaryOffset>,
    pub(crate) problems: Vec<Report>,
}

/// Records of one opcode that stand together.
struct Group {
    opcode: u8,
    start: u64,
    end: u64,
}

/// A summary in the making.
struct Reading<'b> {
    summary: Summary,
    groups: Vec<Group>,
    budget: &'b mut Budget,
}

/// The Footer, found by arithmetic from the end (reading G25), and its offset.
pub(crate) fn footer(source: &mut dyn Source) -> Result<(Footer, u64), Failure> {
    let offset = source.length().saturating_sub(FOOTER_FROM_END);
    let mut bytes = [0; 45];
    source.read_at(offset, &mut bytes)?;
    let wire = |error| Failure::wire(&error, offset);
    let mut cursor = Cursor::new(&bytes, offset, "Footer");
    let opcode = cursor.u8("opcode").map_err(wire)?;
    let length = cursor.u64("content_length").map_err(wire)?;
    if (opcode, length) != (op::FOOTER, ca3_spec::FOOTER_CONTENT_BYTES) {
        let message = format!("no Footer stands {FOOTER_FROM_END} bytes before the end");
        return Err(Failure::violation(Kind::Other, offset, message));
    }
    Ok((Footer::decode(&mut cursor).map_err(wire)?, offset))
}

impl Summary {
    /// Reads the summary of a sealed file whose first record ends at
    /// `data_start`.
    pub(crate) fn read(
        source: &mut dyn Source,
        data_start: u64,
        budget: &mut Budget,
    ) -> Result<Self, Failure> {
        let (footer, footer_offset) = footer(source)?;
        let start = footer.summary_start;
        // Reading G77.
        if start == 0 {
            let message = "the file has no summary";
            return Err(Failure::violation(Kind::Other, footer_offset, message));
        }
        let end = match footer.summary_offset_start {
            0 => footer_offset,
            offset => offset,
        };
        if !(data_start <= start && start <= end && end <= footer_offset) {
            let message = format!(
                "summary_start {start} and summary_offset_start {} lie in no order between \
                 {data_start} and the Footer",
                footer.summary_offset_start
            );
            return Err(Failure::violation(Kind::BadLength, footer_offset, message));
        }
        let mut reading = Reading {
            summary: Summary {
                start,
                definitions: Definitions::default(),
                index: Table::ABSENT,
                directory: Table::ABSENT,
                clock: None,
                session: None,
                offsets: Vec::new(),
                problems: Vec::new(),
            },
            groups: Vec::new(),
            budget,
        };
        let mut section = Section::new(source, start, end);
        let walked = reading.walk(&mut section);
        let computed = section.finish()?;
        // A checksum that does not hold is why the rest does not, either.
        let stated = footer.summary_crc;
        if computed != stated {
            let message =
                format!("summary_crc states {stated:#010x} where the bytes give {computed:#010x}");
            return Err(Failure::violation(Kind::BadCrc, footer_offset, message));
        }
        walked?;
        if footer.summary_offset_start != 0 {
            reading.walk_offsets(&mut Section::new(source, end, footer_offset))?;
        }
        Ok(reading.summary)
    }
}

impl Reading<'_> {
    fn walk(&mut self, section: &mut Section<'_>) -> Result<(), Failure> {
        let mut content = Vec::new();
        while let Some(step) = section.step()? {
            let (Step::Record(frame) | Step::Skipped(frame, _)) = step else {
                continue;
            };
            if frame.opcode == op::PADDING {
                continue;
            }
            self.group(&frame)?;
            if matches!(step, Step::Record(_)) {
                self.record(section, &frame, &mut content)?;
            }
        }
        let unresolved: Vec<Failure> = self.summary.definitions.unresolved().collect();
        for failure in unresolved {
            // The data section may declare it: no message is withheld for it.
            self.problem(failure)?;
        }
        Ok(())
    }

    /// Notes which group a record belongs to; padding belongs to none (reading
    /// G45).
    fn group(&mut self, frame: &RecordFrame) -> Result<(), Failure> {
        let end = frame
            .end()
            .map_err(|error| Failure::wire(&error, frame.offset))?;
        match self.groups.last_mut() {
            Some(last) if last.opcode == frame.opcode => last.end = end,
            _ => {
                pay(size_of::<Group>(), frame.offset, self.budget)?;
                self.groups.push(Group {
                    opcode: frame.opcode,
                    start: frame.offset,
                    end,
                });
            }
        }
        Ok(())
    }

    fn record(
        &mut self,
        section: &mut Section<'_>,
        frame: &RecordFrame,
        content: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let offset = frame.offset;
        if frame.opcode == op::STATISTICS {
            return Ok(());
        }
        if !in_summary(frame.opcode) {
            let message = format!(
                "a record {:#04x} where a summary should stand",
                frame.opcode
            );
            let failure = Failure::violation(Kind::BadOrder, offset, message);
            return Err(failure.naming(|report| report.opcode = Some(frame.opcode)));
        }
        let content_offset = section.content(frame, self.budget, content)?;
        let summary = &mut self.summary;
        match frame.opcode {
            op::SCHEMA => summary.definitions.schema(content, offset, self.budget),
            op::STREAM => summary.definitions.stream(content, offset, self.budget),
            op::SESSION => {
                pay(content.len(), offset, self.budget)?;
                summary.session = Some(decode(content, content_offset, offset)?);
                Ok(())
            }
            op::CHUNK_INDEX => {
                pay(content.len(), offset, self.budget)?;
                let index: ChunkIndex = decode(content, content_offset, offset)?;
                summary.index.take(index.entries, offset)
            }
            op::STREAM_DIRECTORY => {
                pay(content.len(), offset, self.budget)?;
                let directory: StreamDirectory = decode(content, content_offset, offset)?;
                summary.directory.take(directory.entries, offset)
            }
            op::CLOCK_BLOCK => {
                pay(content.len(), offset, self.budget)?;
                let block = decode(content, content_offset, offset)?;
                match summary.clock.replace(block) {
                    None => Ok(()),
                    Some(_) => Err(second("ClockBlock", offset)),
                }
            }
            // Reading G52: whatever is wrong with one is only named. The
            // tables are not used: what they say follows from the chunks.
            op::MESSAGE_OFFSETS => {
                let decoded = decode::<MessageOffsets>(content, content_offset, offset);
                decoded.map(drop).or_else(|failure| self.problem(failure))
            }
            _ => Ok(()),
        }
    }

    /// The SummaryOffset records, compared with the groups that were met.
    fn walk_offsets(&mut self, section: &mut Section<'_>) -> Result<(), Failure> {
        let mut content = Vec::new();
        while let Some(step) = section.step()? {
            let Step::Record(frame) = step else { continue };
            let offset = frame.offset;
            match frame.opcode {
                op::PADDING => {}
                op::SUMMARY_OFFSET => {
                    let content_offset = section.content(&frame, self.budget, &mut content)?;
                    match decode::<SummaryOffset>(&content, content_offset, offset) {
                        Ok(stated) => self.offset(stated, offset)?,
                        Err(failure) => self.problem(failure)?,
                    }
                }
                other => {
                    let message = format!("a record {other:#04x} among the summary offsets");
                    let failure = Failure::violation(Kind::BadOrder, offset, message);
                    return Err(failure.naming(|report| report.opcode = Some(other)));
                }
            }
        }
        let stated: BTreeSet<u64> = self.summary.offsets.iter().map(|one| one.start).collect();
        let unstated: Vec<Failure> = self
            .groups
            .iter()
            .filter(|group| in_summary(group.opcode) && !stated.contains(&group.start))
            .map(|group| {
                let message = format!(
                    "no SummaryOffset states the group {:#04x} from {} to {}",
                    group.opcode, group.start, group.end
                );
                Failure::violation(Kind::IndexMismatch, group.start, message)
            })
            .collect();
        unstated
            .into_iter()
            .try_for_each(|failure| self.problem(failure))
    }

    fn offset(&mut self, stated: SummaryOffset, offset: u64) -> Result<(), Failure> {
        pay(size_of::<SummaryOffset>(), offset, self.budget)?;
        self.summary.offsets.push(stated);
        // Groups ascend, as their records do.
        let at = self
            .groups
            .partition_point(|group| group.start < stated.start);
        if self.groups.get(at).is_some_and(|group| group.is(&stated)) {
            return Ok(());
        }
        let message = format!(
            "a SummaryOffset states {} bytes of {:#04x} from {}, where no such group stands",
            stated.length, stated.opcode, stated.start
        );
        self.problem(Failure::violation(Kind::IndexMismatch, offset, message))
    }

    /// Names what is wrong and goes on; bytes that cannot be had end it.
    fn problem(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Violation(report) => {
                let bytes = size_of::<Report>().saturating_add(report.message.len());
                let offset = report.offset.map_or(0, |offset| offset.0);
                pay(bytes, offset, self.budget)?;
                self.summary.problems.push(*report);
                Ok(())
            }
            source => Err(source),
        }
    }
}

impl Group {
    fn is(&self, stated: &SummaryOffset) -> bool {
        self.opcode == stated.opcode
            && self.start == stated.start
            && self.end.checked_sub(self.start) == Some(stated.length)
    }
}

/// Whether a record of that opcode may stand in a summary (§2.4).
fn in_summary(opcode: u8) -> bool {
    opcode::entry(opcode).is_some_and(|entry| entry.places.contains(&opcode::Place::Summary))
}

#[cold]
fn second(what: &str, offset: u64) -> Failure {
    Failure::violation(Kind::BadOrder, offset, format!("a second {what}"))
}

fn decode<R: Record>(content: &[u8], content_offset: u64, offset: u64) -> Result<R, Failure> {
    R::from_content(content, content_offset).map_err(|error| Failure::wire(&error, offset))
}

fn pay(bytes: usize, offset: u64, budget: &mut Budget) -> Result<(), Failure> {
    budget
        .spend(u64::try_from(bytes).unwrap_or(u64::MAX), offset, "summary")
        .map_err(|error| Failure::wire(&error, offset))
}
