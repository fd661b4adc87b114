//! An opened file, and its index (§2, §7; items 9, 10 and 16).

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Decimal, Report, SchemaView};
use ca3_wire::Budget;
use ca3_wire::records::{DirectoryEntry, Header, Session, Stream, SummaryOffset};

use super::Options;
use super::clock::Clock;
use super::fetched::Fetched;
use super::results::{DirectoryView, EntryView, GroupView, IndexResult, SpineState};
use super::summary::Summary;
use super::tables::Tables;
use crate::l1::open::open;
use crate::l1::refusal::Failure;
use crate::l1::spine::{Seal, Spine, Step};
use crate::l1::{Limits, Source};

/// A sealed file that is read through its index.
///
/// Each operation fetches what it needs, answers, and keeps nothing.
pub struct IndexedFile<'s> {
    pub(super) source: Fetched<'s>,
    /// What is left for an operation.
    pub(crate) budget: Budget,
    pub(super) tables: Tables,
    pub(crate) clock: Clock,
    pub(super) spine: SpineState,
    header: Header,
}

impl<'s> IndexedFile<'s> {
    /// Opens a sealed file.
    ///
    /// # Errors
    /// What level 1 refuses at open; a file that is not sealed
    /// ([`Kind::TruncatedRecord`], reading G58); no Footer at its place, no
    /// summary (readings G48, G77: [`Kind::Other`]); a summary whose checksum
    /// or records do not hold, or that refers to a stream it does not declare;
    /// where the spine is walked, what level 1 rejects on it.
    pub fn open(
        source: &'s mut dyn Source,
        limits: &Limits,
        options: Options,
    ) -> Result<Self, Box<Report>> {
        IndexedFile::read(source, limits, options).map_err(Failure::into_report)
    }

    fn read(
        source: &'s mut dyn Source,
        limits: &Limits,
        options: Options,
    ) -> Result<Self, Failure> {
        let mut budget = Budget::new(limits.memory);
        let mut source = Fetched::new(source);
        let (spine, header) = open(&mut source, &mut budget)?;
        let (seal, data_start) = (spine.seal(), spine.offset());
        if seal == Seal::Unsealed {
            let message = "the file is not sealed: it has no index";
            let failure = Failure::violation(Kind::TruncatedRecord, 0, message);
            return Err(failure.naming(|report| report.offset = None));
        }
        let mut summary = Summary::read(&mut source, data_start, &mut budget)?;
        let data = data_start..summary.start;
        let spine = if options.walk_spine {
            walk(&mut source, data.end)?;
            SpineState::Walked
        } else {
            SpineState::NotWalked
        };
        source.opened(&summary.index.entries);
        let block = summary.clock.take();
        let clock = Clock::new(&header, block, summary.definitions.streams());
        Ok(IndexedFile {
            source,
            budget,
            tables: Tables::new(summary, data)?,
            clock,
            spine,
            header,
        })
    }

    /// The Header (§4).
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The Session in force (§11), where the summary has one.
    pub fn session(&self) -> Option<&Session> {
        self.tables.summary.session.as_ref()
    }

    /// The declared schemas (§5.1), ascending by reference: what the protocol
    /// tells of them.
    pub fn schemas(&self) -> impl Iterator<Item = &SchemaView> {
        self.tables.summary.definitions.schemas()
    }

    /// What is wrong with the summary and does not keep it from being used.
    pub(crate) fn problems(&self) -> &[Report] {
        &self.tables.summary.problems
    }

    /// The stream of that reference, where it is declared.
    pub fn stream(&self, stream_ref: u32) -> Option<&Stream> {
        self.tables.summary.definitions.get(stream_ref)
    }

    /// The same.
    ///
    /// # Errors
    /// [`Kind::UnresolvedReference`] where it is not declared.
    pub(crate) fn declared(&self, stream_ref: u32) -> Result<&Stream, Failure> {
        self.tables.stream(stream_ref)
    }

    /// The declared streams (§5.7), ascending by reference.
    pub fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.tables.summary.definitions.streams()
    }

    /// The summary's tables as stored (§7.1, §7.3, §13.4): what is wrong with
    /// them is a matter of the queries that need them (reading G71).
    pub fn index(&self) -> IndexResult {
        let summary = &self.tables.summary;
        IndexResult {
            entries: summary.index.entries.iter().map(EntryView::from).collect(),
            directory: summary.directory.entries.iter().map(row).collect(),
            summary_groups: summary.offsets.iter().map(group).collect(),
            spine: self.spine,
            problems: summary.problems.clone(),
        }
    }

    /// A query begins: what it fetches is noted anew. Without a ChunkIndex
    /// nothing is known of any chunk, which is not to say that there is none.
    pub(crate) fn begin(&mut self) -> Result<(), Failure> {
        self.source.begin();
        match self.tables.summary.index.offset {
            Some(_) => Ok(()),
            None => {
                let message = "the summary has no ChunkIndex";
                let start = self.tables.data.end;
                Err(Failure::violation(Kind::IndexMismatch, start, message))
            }
        }
    }

    /// Where a stream's last stamp has a time that 64 bits do not hold (reading
    /// G60): no instant of a query reaches such messages.
    pub(super) fn beyond(&self, stream_ref: u32) -> Result<Option<Report>, Failure> {
        let timeline = self.clock.timeline(self.tables.stream(stream_ref)?);
        let entries = self.tables.run(stream_ref)?.entries;
        let Some(last) = entries.iter().map(|entry| entry.max_stamp_ns).max() else {
            return Ok(None);
        };
        let time = timeline.time(last);
        Ok(time.err().map(|failure| *failure.into_report()))
    }

    /// The chunks of whose content a byte was fetched since the operation began.
    pub(super) fn chunks_read(&self) -> Vec<Decimal> {
        let chunks = self.source.chunks(&self.tables.summary.index.entries);
        chunks.into_iter().map(Decimal).collect()
    }
}

/// Item 16: every frame of the data section, with what each opcode demands.
fn walk(source: &mut dyn Source, data_end: u64) -> Result<(), Failure> {
    let mut spine = Spine::new(source)?;
    while spine.offset() < data_end {
        if spine.step()? == Step::End {
            break;
        }
    }
    if spine.offset() == data_end {
        return Ok(());
    }
    let message = format!("no record of the data section ends at summary_start {data_end}");
    Err(Failure::violation(Kind::BadLength, data_end, message))
}

fn row(row: &DirectoryEntry) -> DirectoryView {
    DirectoryView {
        stream_ref: row.stream_ref,
        flags: row.flags,
        first_index: row.first_index,
        index_count: row.index_count,
        message_count: Decimal(row.message_count),
        chunk_count: Decimal(row.chunk_count),
        first_stamp_ns: Decimal(row.first_stamp_ns),
        last_stamp_ns: Decimal(row.last_stamp_ns),
        dropped_by_queue: Decimal(row.dropped_by_queue),
        never_arrived: Decimal(row.never_arrived),
        reordered: Decimal(row.reordered),
        sync_quality: row.sync_quality,
        sync_domain: row.sync_domain.clone(),
    }
}

fn group(stated: &SummaryOffset) -> GroupView {
    GroupView {
        opcode: stated.opcode,
        start: Decimal(stated.start),
        length: Decimal(stated.length),
    }
}
