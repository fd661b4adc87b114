//! Chunks of both layouts, and what is kept of them (§6). Their messages are judged by
//! `chunk_walk`, at once or side by side with others' (`chunk_batch`).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;
use ca3_wire::columnar::Columns;
use ca3_wire::compress::Expander;
use ca3_wire::frame::RecordFrame;
use ca3_wire::message::Bases;
use ca3_wire::records::{ChunkHeader, ColumnarHeader, Record};
use ca3_wire::rows::Rows;
use ca3_wire::{Budget, Codec, Cursor, Message, WireError};

use super::chunk_walk::{Job, Walked};
use super::messages::Tally;
use super::time::{Carried, Place};
use crate::scan::{ChunkFact, Scan, Section};

/// What both headers state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(super) offset: u64,
    pub(super) base: u64,
    pub(super) length: u64,
    pub(super) name: &'static str,
    pub(super) columnar: bool,
    pub(super) stream_ref: u32,
    pub(super) codec: Codec,
    pub(super) flags: u16,
    pub(super) message_count: u32,
    pub(super) bases: Bases,
    /// Of a columnar chunk.
    pub(super) block_bytes: u32,
    /// Absolute offset of the blob, or of the block region, as stored.
    pub(super) payloads: u64,
}

impl Head {
    /// A finding in a field of the header.
    pub(super) fn finding(
        &self,
        rule: &'static str,
        severity: Severity,
        byte: u64,
        field: &str,
        message: impl Into<String>,
    ) -> Finding {
        let field = format!("{}.{field}", self.name);
        Finding::new(
            rule,
            severity,
            self.base.saturating_add(byte),
            field,
            message,
        )
        .of_stream(self.stream_ref)
        .in_chunk(self.offset)
    }

    /// Bytes that what is compressed comes to, by what the header claims.
    pub(super) fn expanded_bytes(&self, content: &[u8]) -> u64 {
        if self.codec == Codec::NONE {
            return 0;
        }
        if self.columnar {
            // Of all columns, the widest of which take 8 bytes.
            let message = u64::from(self.block_bytes).saturating_add(8 * 5);
            return message.saturating_mul(u64::from(self.message_count));
        }
        let mut cursor = Cursor::new(content, self.base, self.name);
        ChunkHeader::decode(&mut cursor).map_or(u64::MAX, |header| header.uncompressed_bytes)
    }

    /// Where a message stands.
    fn place(&self, message: &Message<'_>) -> Place {
        let within = if self.codec == Codec::NONE {
            message.payload_start
        } else {
            0
        };
        Place {
            stream_ref: self.stream_ref,
            chunk: self.offset,
            index: message.index,
            payload: self.payloads.saturating_add(within),
        }
    }
}

/// A chunk whose messages are to be judged.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(super) job: Job,
    pub(super) carried: Carried,
    /// Whether there was memory to keep what its messages come to.
    is_kept: bool,
    /// What there was no memory for.
    over: Option<WireError>,
}

impl Scan<'_> {
    /// Judges a chunk at once.
    pub(crate) fn chunk(
        &mut self,
        frame: &RecordFrame,
        content: &[u8],
        base: u64,
    ) -> io::Result<()> {
        let Some(begun) = self.begin_chunk(frame, content, base) else {
            return Ok(());
        };
        let walked = self.worker.judge(&begun.job, content, &mut self.findings);
        let seen = walked.is_open.then_some(content);
        self.end_chunk(&begun, &walked, seen);
        Ok(())
    }

    /// What a chunk's header shows, of which the beginning of the content will do.
    pub(super) fn begin_chunk(
        &mut self,
        frame: &RecordFrame,
        content: &[u8],
        base: u64,
    ) -> Option<Begun> {
        let head = head(frame, content, base)?;
        self.resolve(head.stream_ref, head.offset, base);
        self.judge_head(&head);
        // One that stands elsewhere is evidence of nothing, and counted by nothing.
        let is_data = self.section < Section::Summary;
        let carried = if is_data {
            self.facts.carried(head.stream_ref)
        } else {
            Carried::Other
        };
        let kept = u64::try_from(size_of::<ChunkFact>().saturating_mul(2)).unwrap_or(u64::MAX);
        let memory = self.budget.left();
        let paid = if is_data {
            self.budget.spend(kept, head.offset, "chunk")
        } else {
            Ok(())
        };
        Some(Begun {
            job: Job {
                promise: self.promise(head.stream_ref),
                held: self.held(&head, carried),
                head,
                memory,
            },
            carried,
            is_kept: is_data && paid.is_ok(),
            over: paid.err(),
        })
    }

    /// Takes what came of a chunk, with its content where messages are to be kept.
    pub(super) fn end_chunk(&mut self, begun: &Begun, walked: &Walked, content: Option<&[u8]>) {
        let Begun { job, carried, .. } = begun;
        let head = &job.head;
        for error in [&begun.over, &walked.over].into_iter().flatten() {
            self.beyond_limit(error);
        }
        if walked.is_sound && walked.tally.min_source_ns.is_some() {
            self.judge_source(head);
        }
        if walked.is_cut {
            self.facts.payloads.cut.insert(head.stream_ref);
        }
        if let (Carried::Time(kind), Some(content)) = (*carried, content) {
            self.again_in(head, content, job.memory, |scan, message| {
                scan.observe(kind, head.place(message), message);
            });
        }
        self.observed_chunk(head.stream_ref, *carried, walked.is_sound);
        if begun.is_kept {
            self.keep_chunk(head, walked);
        }
    }

    /// Hands out the messages of a chunk that is at hand.
    fn again_in(
        &mut self,
        head: &Head,
        content: &[u8],
        memory: u64,
        mut each: impl FnMut(&mut Self, &Message<'_>),
    ) {
        let mut expander = std::mem::take(&mut self.worker.expander);
        // A fault was reported where it stands.
        let _ = messages(
            content,
            head.base,
            head.columnar,
            Budget::new(memory),
            &mut expander,
            |message| each(self, message),
        );
        self.worker.expander = expander;
    }

    /// Reads a chunk again, and hands out its messages: whether all of them
    /// decoded. One that does not was reported where it stands.
    pub(super) fn again(
        &mut self,
        chunk: &ChunkFact,
        mut each: impl FnMut(&Message<'_>),
    ) -> io::Result<bool> {
        let place = chunk.offset.saturating_add(RecordFrame::BYTES);
        let length = chunk.length.saturating_sub(RecordFrame::BYTES);
        let held = u64::try_from(self.spare.capacity()).unwrap_or(u64::MAX);
        let growth = length.saturating_sub(held);
        if let Err(error) = self.budget.spend(growth, place, "Chunk") {
            self.beyond_limit(&error);
            return Ok(false);
        }
        let mut spare = std::mem::take(&mut self.spare);
        let length = usize::try_from(length).unwrap_or_default();
        spare.reserve_exact(length.saturating_sub(spare.len()));
        spare.resize(length, 0);
        let read = self.source.read_at(place, &mut spare);
        let budget = Budget::new(self.budget.left());
        let expander = &mut self.worker.expander;
        let walked = messages(&spare, place, chunk.columnar, budget, expander, &mut each);
        self.spare = spare;
        read.map(|()| walked.is_ok())
    }

    /// With what the messages come to, where all of them decoded.
    fn keep_chunk(&mut self, head: &Head, walked: &Walked) {
        let tally = walked.is_sound.then_some(&walked.tally);
        self.facts.chunks.push(ChunkFact {
            offset: head.offset,
            length: head.length,
            stream_ref: head.stream_ref,
            message_count: head.message_count,
            min_stamp_ns: head.bases.min_stamp_ns,
            max_stamp_ns: head.bases.max_stamp_ns,
            seq_first: head.bases.seq_first,
            seq_last: tally.map(|tally| tally.seq_last.unwrap_or_default()),
            own_sequences: head.bases.field_mask.has_sequence(),
            columnar: head.columnar,
            codec: head.codec,
            sound: walked.is_sound,
            actual: tally.and_then(Tally::span),
        });
    }
}

/// Both headers begin alike; `too_short` has made sure that they are there.
pub(super) fn head(frame: &RecordFrame, content: &[u8], base: u64) -> Option<Head> {
    let length = frame.record_length()?;
    if frame.opcode == op::COLUMNAR_CHUNK {
        let mut cursor = Cursor::new(content, base, "ColumnarChunk");
        let header = ColumnarHeader::decode(&mut cursor).ok()?;
        return Some(Head {
            offset: frame.offset,
            base,
            length,
            name: "ColumnarChunk",
            columnar: true,
            stream_ref: header.stream_ref,
            codec: header.codec,
            flags: header.flags,
            message_count: header.message_count,
            bases: Bases::from(&header),
            block_bytes: header.block_bytes,
            payloads: base
                .saturating_add(ColumnarHeader::BYTES)
                .saturating_add(header.columns_length),
        });
    }
    let header = ChunkHeader::decode(&mut Cursor::new(content, base, "Chunk")).ok()?;
    Some(Head {
        offset: frame.offset,
        base,
        length,
        name: "Chunk",
        columnar: false,
        stream_ref: header.stream_ref,
        codec: header.codec,
        flags: header.flags,
        message_count: header.message_count,
        bases: Bases::from(&header),
        block_bytes: 0,
        payloads: base.saturating_add(ChunkHeader::BYTES),
    })
}

/// Every message of a chunk's content.
fn messages(
    content: &[u8],
    base: u64,
    columnar: bool,
    mut budget: Budget,
    expander: &mut Expander,
    mut each: impl FnMut(&Message<'_>),
) -> Result<(), WireError> {
    if columnar {
        let columns = Columns::open_in(content, base, &mut budget, expander)?;
        return columns.messages().try_for_each(|it| it.map(|it| each(&it)));
    }
    let rows = Rows::open_in(content, base, &mut budget, expander)?;
    rows.messages().each(each)
}
