//! What recovery has collected so far (§8.3, steps 3, 4 and 6).

use std::collections::BTreeMap;
use std::ops::Range;

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Report;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{
    Annotations, Checkpoint, ChunkHead, ClockBlock, IndexEntry, Metadata, Record, Schema, Session,
};
use ca3_wire::{Budget, Cursor, WireError};

use super::candidate::{self, Link};
use crate::l1::definitions::Definitions;
use crate::l1::refusal::Failure;
use crate::l1::spine::{Spine, Step};

/// A record that is neither a chunk nor of an index: it comes through recovery as
/// it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub opcode: u8,
    /// Offset of its opcode byte.
    pub offset: u64,
    /// Bytes of the framed record.
    pub length: u64,
}

/// A chunk that was met or that a checkpoint names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) entry: IndexEntry,
    /// Whether `seq_last` is still to be read from its messages (reading G51).
    pub(super) open: bool,
    /// Whether its header and its frame agree on where it ends.
    pub(super) ends: bool,
    /// Whether a checkpoint names it and no walk met it.
    pub(super) only_named: bool,
}

/// Bytes of memory that a kept chunk or record takes, amply.
pub(super) const KEPT: u64 = 256;

/// Everything that was saved, ahead of step 5.
pub(super) struct Saved {
    pub(super) budget: Budget,
    pub(super) definitions: Definitions,
    /// The schemas whole, descriptors and all.
    pub(super) schemas: BTreeMap<u32, Schema>,
    pub(super) session: Option<Session>,
    /// Of the newest checkpoint that has one, and where that stands.
    pub(super) clock: Option<(u64, ClockBlock)>,
    /// Of a record of its own (reading G144).
    pub(super) clock_record: Option<ClockBlock>,
    pub(super) chunks: BTreeMap<u64, Met>,
    /// Checkpoints that hold, by offset.
    pub(super) checkpoints: BTreeMap<u64, Link>,
    pub(super) records: Vec<Found>,
    /// What was taken of the file, ascending as it was met.
    pub(super) taken: Vec<Range<u64>>,
    pub(super) problems: Vec<Report>,
    /// Whether the record that was taken last says twice where it ends.
    pub(super) sure: bool,
    content: Vec<u8>,
}

impl Saved {
    pub(super) fn new(budget: Budget) -> Self {
        Saved {
            budget,
            definitions: Definitions::default(),
            schemas: BTreeMap::new(),
            session: None,
            clock: None,
            clock_record: None,
            chunks: BTreeMap::new(),
            checkpoints: BTreeMap::new(),
            records: Vec::new(),
            taken: Vec::new(),
            problems: Vec::new(),
            sure: false,
            content: Vec::new(),
        }
    }

    /// Takes what a walk met, or names why it is not taken.
    pub(super) fn take(&mut self, spine: &mut Spine<'_>, step: Step) -> Result<(), Failure> {
        let (Step::Record(frame) | Step::Skipped(frame, _)) = step else {
            return Ok(());
        };
        let end = frame
            .end()
            .map_err(|error| Failure::wire(&error, frame.offset))?;
        let taken = match step {
            Step::Skipped(..) => self.found(&frame),
            _ => self.record(spine, &frame),
        };
        match taken {
            Ok(()) => self.took(frame.offset..end),
            Err(failure) => self.problem(failure),
        }
    }

    /// Names what is wrong and goes on; bytes that cannot be had end it.
    pub(super) fn problem(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Violation(report) => {
                let bytes = size_of::<Report>().saturating_add(report.message.len());
                let offset = report.offset.map_or(0, |offset| offset.0);
                self.pay(crate::wide(bytes), offset)?;
                self.problems.push(*report);
                Ok(())
            }
            source => Err(source),
        }
    }

    /// Pays for what is kept; without it there is no whole answer.
    pub(super) fn pay(&mut self, bytes: u64, offset: u64) -> Result<(), Failure> {
        self.budget
            .spend(bytes, offset, "recovery")
            .map_err(|error| Failure::Source(Failure::wire(&error, offset).into_report()))
    }

    /// Notes a stretch of the file that was taken.
    pub(super) fn took(&mut self, range: Range<u64>) -> Result<(), Failure> {
        match self.taken.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => {
                self.pay(KEPT, range.start)?;
                self.taken.push(range);
            }
        }
        Ok(())
    }

    /// What was taken from there on was not what it seemed.
    pub(super) fn let_go(&mut self, from: u64) {
        if let Some(last) = self.taken.last_mut() {
            last.end = last.end.min(from.max(last.start));
        }
    }

    fn found(&mut self, frame: &RecordFrame) -> Result<(), Failure> {
        self.pay(KEPT, frame.offset)?;
        self.records.push(Found {
            opcode: frame.opcode,
            offset: frame.offset,
            length: frame.record_length().unwrap_or(u64::MAX),
        });
        Ok(())
    }

    fn record(&mut self, spine: &mut Spine<'_>, frame: &RecordFrame) -> Result<(), Failure> {
        match frame.opcode {
            op::CHUNK | op::COLUMNAR_CHUNK => return self.chunk(spine, frame),
            op::CHECKPOINT => return self.checkpoint(spine, frame),
            // Not read: an attachment may be larger than any memory.
            op::ATTACHMENT => return self.found(frame),
            op::SCHEMA
            | op::STREAM
            | op::SESSION
            | op::CLOCK_BLOCK
            | op::METADATA
            | op::ANNOTATIONS => {}
            // The Header was read, and what only accelerates is built anew.
            _ => return Ok(()),
        }
        let mut content = std::mem::take(&mut self.content);
        let read = spine.content(frame, &mut self.budget, &mut content);
        let taken = read.and_then(|content_offset| self.decoded(frame, &content, content_offset));
        self.content = content;
        taken
    }

    fn decoded(
        &mut self,
        frame: &RecordFrame,
        content: &[u8],
        content_offset: u64,
    ) -> Result<(), Failure> {
        let offset = frame.offset;
        let wire = |error: WireError| Failure::wire(&error, offset);
        match frame.opcode {
            op::SCHEMA | op::STREAM => {
                self.define(frame.opcode, content, offset)?;
                self.found(frame)
            }
            op::SESSION => {
                let session = Session::from_content(content, content_offset).map_err(wire)?;
                self.pay(crate::wide(content.len()), offset)?;
                self.session = Some(session);
                self.found(frame)
            }
            op::CLOCK_BLOCK => {
                let block = ClockBlock::from_content(content, content_offset).map_err(wire)?;
                self.pay(crate::wide(content.len()), offset)?;
                self.clock_record = Some(block);
                Ok(())
            }
            op::METADATA => {
                Metadata::from_content(content, content_offset).map_err(wire)?;
                self.found(frame)
            }
            _ => {
                Annotations::from_content(content, content_offset).map_err(wire)?;
                self.found(frame)
            }
        }
    }

    /// A definition of the summary, which verifies: taken where the data section
    /// does not have it.
    pub(super) fn restated(
        &mut self,
        spine: &mut Spine<'_>,
        frame: &RecordFrame,
    ) -> Result<(), Failure> {
        let known = |saved: &Self| {
            saved
                .schemas
                .len()
                .saturating_add(saved.definitions.count())
        };
        let before = known(self);
        let mut content = std::mem::take(&mut self.content);
        let read = spine.content(frame, &mut self.budget, &mut content);
        let defined = read.and_then(|_| self.define(frame.opcode, &content, frame.offset));
        self.content = content;
        match defined {
            Ok(()) if known(self) > before => self.found(frame),
            Ok(()) => Ok(()),
            Err(failure) => self.problem(failure),
        }
    }

    fn define(&mut self, opcode: u8, content: &[u8], offset: u64) -> Result<(), Failure> {
        match opcode {
            op::SCHEMA => self.schema(content, offset),
            _ => self.definitions.stream(content, offset, &mut self.budget),
        }
    }

    fn schema(&mut self, content: &[u8], offset: u64) -> Result<(), Failure> {
        self.definitions.schema(content, offset, &mut self.budget)?;
        let schema =
            Schema::from_content(content, offset).map_err(|error| Failure::wire(&error, offset))?;
        if !self.schemas.contains_key(&schema.schema_ref) {
            self.pay(crate::wide(content.len()), offset)?;
            self.schemas.insert(schema.schema_ref, schema);
        }
        Ok(())
    }

    /// A chunk's entry, from its header alone: messages are not read.
    fn chunk(&mut self, spine: &mut Spine<'_>, frame: &RecordFrame) -> Result<(), Failure> {
        let met = met(spine, frame)?;
        self.sure = met.ends;
        // Reading G12: a chunk of no messages gets no entry.
        if met.entry.message_count == 0 {
            return Ok(());
        }
        self.pay(KEPT, frame.offset)?;
        match self.chunks.insert(frame.offset, met) {
            // Named before it was met, by a checkpoint in front of it or of a
            // stretch that was walked over again.
            Some(named) => self.entry(&named.entry, frame.offset),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self, spine: &mut Spine<'_>, frame: &RecordFrame) -> Result<(), Failure> {
        let mut content = std::mem::take(&mut self.content);
        let loaded = candidate::load(spine, frame, &mut self.budget, &mut content);
        self.content = content;
        let checkpoint = loaded?;
        self.sure = true;
        self.merge(&checkpoint, frame)
    }

    /// Step 3: what a checkpoint states is added to what is known.
    fn merge(&mut self, checkpoint: &Checkpoint, frame: &RecordFrame) -> Result<(), Failure> {
        let offset = frame.offset;
        self.pay(KEPT, offset)?;
        self.checkpoints.insert(
            offset,
            Link {
                offset,
                checkpoint_seq: checkpoint.checkpoint_seq,
                prev_offset: checkpoint.prev_offset,
            },
        );
        for content in &checkpoint.schemas {
            let stated = self.schema(content, offset);
            stated.or_else(|failure| self.problem(failure))?;
        }
        for content in &checkpoint.streams {
            let stated = self.definitions.stream(content, offset, &mut self.budget);
            stated.or_else(|failure| self.problem(failure))?;
        }
        for entry in &checkpoint.index_entries {
            self.entry(entry, offset)?;
        }
        if !checkpoint.clock_block.is_empty()
            && self
                .clock
                .as_ref()
                .is_none_or(|(newest, _)| *newest < offset)
        {
            match ClockBlock::from_content(&checkpoint.clock_block, offset) {
                Ok(block) => {
                    self.pay(crate::wide(checkpoint.clock_block.len()), offset)?;
                    self.clock = Some((offset, block));
                }
                Err(error) => self.problem(Failure::wire(&error, offset))?,
            }
        }
        Ok(())
    }

    /// An entry that was met at `offset`, in a checkpoint. Where the chunk was met
    /// itself, its own header counts (reading G142).
    fn entry(&mut self, entry: &IndexEntry, offset: u64) -> Result<(), Failure> {
        let Some(met) = self.chunks.get_mut(&entry.chunk_offset) else {
            self.pay(KEPT, offset)?;
            let met = Met {
                entry: *entry,
                open: false,
                ends: true,
                only_named: true,
            };
            self.chunks.insert(entry.chunk_offset, met);
            return Ok(());
        };
        if met.open {
            met.entry.seq_last = entry.seq_last;
            met.open = false;
        }
        if same(&met.entry, entry) {
            return Ok(());
        }
        let message = format!(
            "an entry of a checkpoint differs from the chunk at {}",
            entry.chunk_offset
        );
        let stream_ref = met.entry.stream_ref;
        let failure = Failure::violation(Kind::IndexMismatch, offset, message);
        self.problem(failure.of_stream(stream_ref))
    }
}

/// Offset of the byte behind an entry's chunk.
pub(super) fn end_of(entry: &IndexEntry) -> u64 {
    entry.chunk_offset.saturating_add(entry.chunk_length)
}

/// Whether two entries say the same of a chunk: all but the running maximum,
/// which depends on the table (§7.1).
pub(super) fn same(one: &IndexEntry, other: &IndexEntry) -> bool {
    let of_table = |entry: &IndexEntry| IndexEntry {
        prefix_max_stamp_ns: 0,
        ..*entry
    };
    of_table(one) == of_table(other)
}

/// The entry of the chunk of that frame, from its header.
pub(super) fn met(spine: &mut Spine<'_>, frame: &RecordFrame) -> Result<Met, Failure> {
    let wire = |error: WireError| Failure::wire(&error, frame.offset);
    let start = frame.content_offset().map_err(wire)?;
    let mut bytes = [0; 81];
    let known = usize::try_from(frame.content_length.min(ChunkHead::bytes(frame.opcode)))
        .unwrap_or_default();
    let known = bytes.get_mut(..known).unwrap_or_default();
    spine.source().read_at(start, known)?;
    let mut cursor = Cursor::new(known, start, "Chunk");
    let head = ChunkHead::decode(frame.opcode, &mut cursor).map_err(wire)?;
    let length = frame.record_length().unwrap_or(u64::MAX);
    Ok(Met {
        entry: head.entry(frame.offset, length),
        open: head.has_sequences(),
        ends: head.content_length == frame.content_length,
        only_named: false,
    })
}
