//! Fetching the chunks that index entries lead to (§6, §7.1).

use ca3_spec::FRAME_BYTES;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::columnar::Columns;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ChunkHead, ChunkHeader, ColumnarHeader, IndexEntry};
use ca3_wire::rows::Rows;
use ca3_wire::{Budget, Message, WireError};

use super::tables::Tables;
use crate::l1::Source;
use crate::l1::refusal::Failure;

/// Bytes up to which chunks that lie side by side are fetched together.
const TOGETHER: u64 = 8 << 20;

/// A chunk of either layout, checked against its entry and its checksum.
pub(super) enum Chunk<'b> {
    Rows(Rows<'b>),
    Columns(Columns<'b>),
}

impl Chunk<'_> {
    /// Calls `visit` with each message in stored order.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(Message<'_>) -> Result<(), Failure>,
        offset: u64,
    ) -> Result<(), Failure> {
        let decoded =
            |message: Result<_, WireError>| message.map_err(|error| Failure::wire(&error, offset));
        match self {
            Chunk::Rows(rows) => {
                for message in rows.messages() {
                    visit(decoded(message)?)?;
                }
            }
            Chunk::Columns(columns) => {
                for message in columns.messages() {
                    visit(decoded(message)?)?;
                }
            }
        }
        Ok(())
    }

    /// The message with the greatest stamp not above an instant, of equal ones
    /// the last stored (§9.1).
    pub(super) fn latest(&self, instant: u64) -> Result<Option<Message<'_>>, WireError> {
        match self {
            Chunk::Rows(rows) => rows.latest(instant),
            Chunk::Columns(columns) => columns.latest(instant),
        }
    }

    fn spent(&self) -> u64 {
        match self {
            Chunk::Rows(rows) => rows.spent(),
            Chunk::Columns(columns) => columns.spent(),
        }
    }
}

/// Where chunks are fetched from, and what they may take.
pub(super) struct Fetch<'f> {
    source: &'f mut dyn Source,
    tables: &'f Tables,
    budget: &'f mut Budget,
}

impl<'f> Fetch<'f> {
    pub(super) fn new(
        source: &'f mut dyn Source,
        tables: &'f Tables,
        budget: &'f mut Budget,
    ) -> Self {
        Fetch {
            source,
            tables,
            budget,
        }
    }

    /// Fetches the chunks of these entries, in this order, and calls `visit`
    /// with each. Chunks that lie side by side take one read; nothing between
    /// chunks is read.
    ///
    /// # Errors
    /// [`Kind::IndexMismatch`] where an entry leads to no chunk, to another
    /// stream's, or to one that its header describes otherwise; those of
    /// decoding, and of `visit`.
    pub(super) fn each(
        &mut self,
        entries: &[IndexEntry],
        mut visit: impl FnMut(&IndexEntry, &Chunk<'_>, &mut Budget) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut buffer = Vec::new();
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let start = first.chunk_offset;
            let mut end = start;
            let mut count = 0usize;
            for entry in rest {
                let entry_end = self.end_of(entry)?;
                let apart = entry.chunk_offset != end;
                if count > 0 && (apart || entry_end.saturating_sub(start) > TOGETHER) {
                    break;
                }
                end = entry_end;
                count = count.saturating_add(1);
            }
            self.fill(&mut buffer, start, end, first.stream_ref)?;
            let (now, later) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            let mut bytes = buffer.as_slice();
            for entry in now {
                let length = usize::try_from(entry.chunk_length).unwrap_or(usize::MAX);
                let (record, behind) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
                bytes = behind;
                let chunk = self.open(entry, record)?;
                visit(entry, &chunk, self.budget)?;
                self.budget.release(chunk.spent());
            }
            rest = later;
        }
        Ok(())
    }

    /// Where the chunk of an entry ends, inside the data section.
    fn end_of(&self, entry: &IndexEntry) -> Result<u64, Failure> {
        entry
            .chunk_offset
            .checked_add(entry.chunk_length)
            .filter(|end| {
                entry.chunk_length >= FRAME_BYTES
                    && entry.chunk_offset >= self.tables.data.start
                    && *end <= self.tables.data.end
            })
            .ok_or_else(|| self.mismatch(entry, "leads out of the data section"))
    }

    fn fill(
        &mut self,
        buffer: &mut Vec<u8>,
        start: u64,
        end: u64,
        stream_ref: u32,
    ) -> Result<(), Failure> {
        let length = end.saturating_sub(start);
        let held = u64::try_from(buffer.capacity()).unwrap_or(u64::MAX);
        self.budget
            .spend(length.saturating_sub(held), start, "chunk")
            .map_err(|error| Failure::wire(&error, start).of_stream(stream_ref))?;
        // What the budget grants, a usize counts.
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        buffer.clear();
        buffer.reserve_exact(length);
        buffer.resize(length, 0);
        self.source.read_at(start, buffer)?;
        Ok(())
    }

    /// Opens the chunk of an entry, whose record these bytes are.
    fn open<'b>(&mut self, entry: &IndexEntry, record: &'b [u8]) -> Result<Chunk<'b>, Failure> {
        let offset = entry.chunk_offset;
        let stream_ref = entry.stream_ref;
        let wire = |error: WireError| Failure::wire(&error, offset).of_stream(stream_ref);
        let frame = RecordFrame::decode(record, offset).map_err(wire)?;
        if frame.record_length() != Some(entry.chunk_length) {
            return Err(self.mismatch(entry, "leads to a record of another length"));
        }
        let content = record.get(9..).unwrap_or_default();
        let content_offset = frame.content_offset().map_err(wire)?;
        let chunk = match frame.opcode {
            op::CHUNK => {
                let (header, _) = ChunkHeader::split(content, content_offset).map_err(wire)?;
                self.agree(entry, &ChunkHead::from(&header))?;
                let rows = Rows::open(content, content_offset, self.budget).map_err(wire)?;
                Chunk::Rows(rows)
            }
            op::COLUMNAR_CHUNK => {
                let (header, ..) = ColumnarHeader::split(content, content_offset).map_err(wire)?;
                self.agree(entry, &ChunkHead::from(&header))?;
                let columns = Columns::open(content, content_offset, self.budget).map_err(wire)?;
                Chunk::Columns(columns)
            }
            _ => return Err(self.mismatch(entry, "leads to no chunk")),
        };
        Ok(chunk)
    }

    fn agree(&self, entry: &IndexEntry, header: &ChunkHead) -> Result<(), Failure> {
        let disagrees = if header.stream_ref != entry.stream_ref {
            "leads to another stream's chunk"
        } else if header.message_count != entry.message_count {
            "states another message_count than its chunk"
        } else if (header.bases.min_stamp_ns, header.bases.max_stamp_ns)
            != (entry.min_stamp_ns, entry.max_stamp_ns)
        {
            "states other stamps than its chunk"
        } else {
            return Ok(());
        };
        Err(self.mismatch(entry, disagrees))
    }

    #[cold]
    pub(super) fn mismatch(&self, entry: &IndexEntry, what: &str) -> Failure {
        let message = format!(
            "the index entry of the chunk at {} {what}",
            entry.chunk_offset
        );
        Failure::violation(Kind::IndexMismatch, self.tables.index_offset(), message)
            .of_stream(entry.stream_ref)
    }
}
