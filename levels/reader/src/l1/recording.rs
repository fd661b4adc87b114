//! A whole recording, put together record by record (§2 to §6, §11).

use ca3_spec::opcode::op;
use ca3_spec::protocol::{Decimal, MessageView, ReadResult, Report, SessionView, SkippedView};
use ca3_wire::Budget;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{
    Annotations, Checkpoint, ChunkIndex, ClockBlock, Footer, MessageOffsets, Metadata, Record,
    Session, StreamDirectory, SummaryOffset,
};

use super::definitions::Definitions;
use super::open::open;
use super::refusal::Failure;
use super::source::Source;
use super::spine::{Seal, Spine, Step};
use super::{Limits, chunks, views};

/// What was read so far.
pub(super) struct Recording {
    seal: Seal,
    budget: Budget,
    definitions: Definitions,
    session: Option<SessionView>,
    messages: Vec<MessageView>,
    skipped: Vec<SkippedView>,
    problems: Vec<Report>,
}

/// What a record that does not decode means for an unsealed file.
enum Weight {
    /// The walk stops in front of it (reading G55).
    Stops,
    /// It alone is withheld (reading G56).
    Withheld,
    /// It is only named, in a sealed file too (reading G52).
    Named,
}

impl Weight {
    fn of(opcode: u8) -> Self {
        match opcode {
            op::CHUNK | op::COLUMNAR_CHUNK | op::CHECKPOINT => Weight::Withheld,
            op::METADATA | op::ANNOTATIONS | op::MESSAGE_OFFSETS | op::SUMMARY_OFFSET => {
                Weight::Named
            }
            _ => Weight::Stops,
        }
    }
}

impl Recording {
    pub(super) fn read(source: &mut dyn Source, limits: &Limits) -> Result<ReadResult, Failure> {
        let mut budget = Budget::new(limits.memory);
        let (mut spine, header) = open(source, &mut budget)?;
        let mut recording = Recording {
            seal: spine.seal(),
            budget,
            definitions: Definitions::default(),
            session: None,
            messages: Vec::new(),
            skipped: Vec::new(),
            problems: Vec::new(),
        };
        let stopped_at = recording.walk(&mut spine)?;
        let unresolved: Vec<Failure> = recording.definitions.unresolved().collect();
        for failure in unresolved {
            recording.report(recording.seal, failure)?;
        }
        let (schemas, streams) = recording.definitions.into_views();
        let sealed = recording.seal == Seal::Sealed;
        Ok(ReadResult {
            sealed,
            // Item 8: what was recovered is never presented as the whole.
            complete: sealed,
            // Reading G72.
            stopped_at: (!sealed).then_some(Decimal(stopped_at)),
            calendar_time: views::calendar_time(&header),
            header: views::header(header),
            session: recording.session,
            schemas,
            streams,
            messages: recording.messages,
            skipped: recording.skipped,
            problems: recording.problems,
        })
    }

    /// Walks to the end, or to what stops the walk in an unsealed file
    /// (readings G20, G55), and gives the offset of that.
    fn walk(&mut self, spine: &mut Spine<'_>) -> Result<u64, Failure> {
        let mut content = Vec::new();
        loop {
            let step = match spine.step() {
                Ok(step) => step,
                Err(failure) => {
                    self.report(self.seal, failure)?;
                    return Ok(spine.offset());
                }
            };
            match step {
                Step::End => return Ok(spine.offset()),
                Step::Skipped(frame, name) => self.skip(&frame, name)?,
                Step::Record(frame) => {
                    if let Err(failure) = self.record(spine, &frame, &mut content) {
                        let weight = Weight::of(frame.opcode);
                        let seal = match weight {
                            Weight::Named => Seal::Unsealed,
                            Weight::Stops | Weight::Withheld => self.seal,
                        };
                        self.report(seal, failure)?;
                        if matches!(weight, Weight::Stops) {
                            return Ok(frame.offset);
                        }
                    }
                }
            }
        }
    }

    /// Names a record that is stepped over (item 3, §3.4).
    fn skip(&mut self, frame: &RecordFrame, name: Option<&str>) -> Result<(), Failure> {
        self.pay(size_of::<SkippedView>(), frame.offset)?;
        self.skipped.push(SkippedView {
            opcode: frame.opcode,
            offset: Decimal(frame.offset),
            name: name.map(str::to_owned),
        });
        Ok(())
    }

    /// A violation refuses a sealed file and is a problem of another one;
    /// bytes that cannot be had refuse both.
    fn report(&mut self, seal: Seal, failure: Failure) -> Result<(), Failure> {
        match (seal, failure) {
            (Seal::Unsealed, Failure::Violation(report)) => {
                let bytes = size_of::<Report>().saturating_add(report.message.len());
                self.pay(bytes, report.offset.map_or(0, |offset| offset.0))?;
                self.problems.push(*report);
                Ok(())
            }
            (_, failure) => Err(failure),
        }
    }

    /// Pays for an entry of a list; without it there is no whole answer.
    fn pay(&mut self, bytes: usize, offset: u64) -> Result<(), Failure> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.budget
            .spend(bytes, offset, "answer")
            .map_err(|error| Failure::Source(Failure::wire(&error, offset).into_report()))
    }

    fn record(
        &mut self,
        spine: &mut Spine<'_>,
        frame: &RecordFrame,
        content: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        // Their insides are fixed by no section, or are not needed to read
        // what the file says; an attachment may be larger than any memory.
        if matches!(frame.opcode, op::PADDING | op::STATISTICS | op::ATTACHMENT) {
            return Ok(());
        }
        let content_offset = spine.content(frame, &mut self.budget, content)?;
        let (budget, offset) = (&mut self.budget, frame.offset);
        match frame.opcode {
            op::SCHEMA => self.definitions.schema(content, offset, budget),
            op::STREAM => self.definitions.stream(content, offset, budget),
            op::CHUNK | op::COLUMNAR_CHUNK => chunks::append(
                frame,
                content,
                content_offset,
                &self.definitions,
                budget,
                &mut self.messages,
            ),
            // §11: the last record is in force, whole.
            op::SESSION => {
                let session = decode::<Session>(content, content_offset, offset)?;
                self.session = Some(views::session(session));
                Ok(())
            }
            op::CHECKPOINT => {
                let checkpoint = decode::<Checkpoint>(content, content_offset, offset)?;
                self.checkpoint(&checkpoint, offset)
            }
            op::FOOTER => decode::<Footer>(content, content_offset, offset).map(drop),
            op::CHUNK_INDEX => decode::<ChunkIndex>(content, content_offset, offset).map(drop),
            op::STREAM_DIRECTORY => {
                decode::<StreamDirectory>(content, content_offset, offset).map(drop)
            }
            op::CLOCK_BLOCK => decode::<ClockBlock>(content, content_offset, offset).map(drop),
            op::METADATA => decode::<Metadata>(content, content_offset, offset).map(drop),
            op::ANNOTATIONS => decode::<Annotations>(content, content_offset, offset).map(drop),
            op::SUMMARY_OFFSET => {
                decode::<SummaryOffset>(content, content_offset, offset).map(drop)
            }
            op::MESSAGE_OFFSETS => {
                decode::<MessageOffsets>(content, content_offset, offset).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Reading G49: definitions that stand only in a checkpoint count.
    fn checkpoint(&mut self, checkpoint: &Checkpoint, offset: u64) -> Result<(), Failure> {
        for content in &checkpoint.schemas {
            self.definitions.schema(content, offset, &mut self.budget)?;
        }
        for content in &checkpoint.streams {
            self.definitions.stream(content, offset, &mut self.budget)?;
        }
        if !checkpoint.clock_block.is_empty() {
            decode::<ClockBlock>(&checkpoint.clock_block, offset, offset)?;
        }
        Ok(())
    }
}

fn decode<R: Record>(content: &[u8], content_offset: u64, offset: u64) -> Result<R, Failure> {
    R::from_content(content, content_offset).map_err(|error| Failure::wire(&error, offset))
}
