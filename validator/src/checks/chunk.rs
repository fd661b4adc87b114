//! Chunks of both layouts, message by message (§6).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::columnar::Columns;
use ca3_wire::frame::RecordFrame;
use ca3_wire::message::Bases;
use ca3_wire::records::{ChunkHeader, ColumnarHeader, Record};
use ca3_wire::rows::Rows;
use ca3_wire::{Budget, Codec, Cursor, Fault, Message, WireError, compress};

use super::lengths;
use super::messages::Tally;
use super::time::{Carried, Place};
use crate::scan::{ChunkFact, Scan, Section};

/// Bytes up to which a blob is decompressed to say how long it is.
const MOST_EXPANDED: u64 = 1 << 20;
/// Where `uncompressed_bytes` lies in a plain chunk's content.
const UNCOMPRESSED: u64 = 57;

/// What both headers state.
#[derive(Clone, Copy)]
pub(super) struct Head {
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

    /// Where a message stands, in payload bytes that begin at an offset.
    fn place(&self, payloads: u64, message: &Message<'_>) -> Place {
        let within = if self.codec == Codec::NONE {
            message.payload_start
        } else {
            0
        };
        Place {
            stream_ref: self.stream_ref,
            chunk: self.offset,
            index: message.index,
            payload: payloads.saturating_add(within),
        }
    }
}

impl Scan<'_> {
    pub(crate) fn chunk(
        &mut self,
        frame: &RecordFrame,
        content: &[u8],
        base: u64,
    ) -> io::Result<()> {
        let Some(head) = head(frame, content, base) else {
            return Ok(());
        };
        self.resolve(head.stream_ref, head.offset, base);
        self.judge_head(&head);
        // One that stands elsewhere is evidence of nothing.
        let carried = if self.section < Section::Summary {
            self.facts.carried(head.stream_ref)
        } else {
            Carried::Other
        };
        let mut tally = Tally::default();
        let sound = if let Some(finding) = lengths::judge(&head, content) {
            self.findings.add(finding);
            false
        } else {
            let walked = if head.columnar {
                self.columns(&head, content, carried, &mut tally)
            } else {
                self.rows(&head, content, carried, &mut tally)
            };
            match walked {
                Ok(()) => self.judge_messages(&head, &tally),
                Err(ref error) => self.chunk_fault(&head, content, error, tally.count),
            }
            walked.is_ok()
        };
        self.observed_chunk(head.stream_ref, carried, sound);
        self.keep_chunk(&head, sound.then_some(&tally));
        Ok(())
    }

    fn rows(
        &mut self,
        head: &Head,
        content: &[u8],
        carried: Carried,
        tally: &mut Tally,
    ) -> Result<(), WireError> {
        let mut budget = Budget::new(self.budget.left());
        let rows = match Rows::open(content, head.base, &mut budget) {
            Err(error) if head.codec == Codec::ZSTD => {
                return Err(self.frame_fault(head, content, error));
            }
            opened => opened?,
        };
        if rows.header.codec == Codec::NONE
            && rows.header.uncompressed_bytes != rows.header.records_length
        {
            let finding = head
                .finding(
                    "CA3-6.1-23",
                    Severity::Warning,
                    UNCOMPRESSED,
                    "uncompressed_bytes",
                    "codec is 0, and uncompressed_bytes is not the length of the blob",
                )
                .showing(rows.header.records_length, rows.header.uncompressed_bytes);
            self.findings.add(finding);
        }
        let blob = head.base.saturating_add(ChunkHeader::BYTES);
        let aligned = self.aligned_rows(head);
        let held = self.held(head, carried);
        for message in rows.messages() {
            let message = message?;
            tally.take(&message, head.bases.min_stamp_ns);
            if let Some(promise) = aligned {
                self.judge_alignment(head, promise, blob, &message);
            }
            if let Carried::Time(kind) = carried {
                self.observe(kind, head.place(blob, &message), &message);
            }
            if let Some(held) = &held {
                self.hold(head, held, blob, &message);
            }
        }
        Ok(())
    }

    fn columns(
        &mut self,
        head: &Head,
        content: &[u8],
        carried: Carried,
        tally: &mut Tally,
    ) -> Result<(), WireError> {
        let mut budget = Budget::new(self.budget.left());
        let columns = Columns::open(content, head.base, &mut budget)?;
        let held = self.held(head, carried);
        for message in columns.messages() {
            let message = message?;
            tally.take(&message, head.bases.min_stamp_ns);
            if let Carried::Time(kind) = carried {
                let place = head.place(columns.blocks_offset, &message);
                self.observe(kind, place, &message);
            }
            if let Some(held) = &held {
                self.hold(head, held, columns.blocks_offset, &message);
            }
        }
        self.aligned_columns(head, columns.blocks_offset);
        Ok(())
    }

    fn chunk_fault(&mut self, head: &Head, content: &[u8], error: &WireError, before: u32) {
        if matches!(error.fault, ca3_wire::Fault::Budget { .. }) {
            self.beyond_limit(error);
            return;
        }
        // What concerns a compressed blob as a whole was told apart already.
        if error.field.is_empty() {
            return;
        }
        let opcode = if head.columnar {
            op::COLUMNAR_CHUNK
        } else {
            op::CHUNK
        };
        let mut finding = crate::wire_rules::finding(opcode, error)
            .of_stream(head.stream_ref)
            .in_chunk(head.offset);
        if error.field.contains("message[") {
            finding = finding.at_message(before);
            // A length of 0 is one byte, in front of what it leaves no room for.
            let length = error
                .offset
                .checked_sub(head.base.saturating_add(1))
                .and_then(|place| content.get(usize::try_from(place).ok()?));
            if error.field.ends_with(".stamp_delta")
                && error.kind() == Kind::BadLength
                && head.codec == Codec::NONE
                && length == Some(&0)
            {
                finding.message = "the message has length 0: no room for its stamp_delta".into();
            }
        }
        self.findings.add(finding);
    }

    /// What is wrong with a blob that should be one zstd frame. An error
    /// without a field is one that was reported here.
    fn frame_fault(&mut self, head: &Head, content: &[u8], error: WireError) -> WireError {
        let finding = match error.fault {
            Fault::Leftover { left } => {
                let message = format!("{left} bytes follow the zstd frame: a chunk is exactly one");
                let place = ChunkHeader::BYTES;
                head.finding("CA3-6.1-22", Severity::Error, place, "records", message)
                    .showing("nothing behind the frame", format_args!("{left} bytes"))
            }
            Fault::Disagrees { stated, actual } if error.field.ends_with(".records") => {
                let place = usize::try_from(ChunkHeader::BYTES).unwrap_or(usize::MAX);
                let stored = content.get(place..).unwrap_or_default();
                // A frame may go on for ever: it is followed only so far.
                let most = MOST_EXPANDED.min(self.budget.left());
                let length = if actual < stated {
                    actual.to_string()
                } else {
                    compress::decompress(stored, most).map_or_else(
                        |_| format!("more than {stated}"),
                        |bytes| bytes.len().to_string(),
                    )
                };
                let field = "uncompressed_bytes";
                let message = format!("the blob decompresses to {length} bytes");
                head.finding("CA3-6.1-07", Severity::Error, UNCOMPRESSED, field, message)
                    .showing(length, stated)
            }
            _ => return error,
        };
        self.findings.add(finding);
        WireError::new(error.offset, "", error.fault)
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
        spare.clear();
        spare.reserve_exact(length);
        spare.resize(length, 0);
        let read = self.source.read_at(place, &mut spare);
        let budget = Budget::new(self.budget.left());
        let walked = messages(&spare, place, chunk.columnar, budget, &mut each);
        self.spare = spare;
        read.map(|()| walked.is_ok())
    }

    /// With what the messages come to, where all of them decoded.
    fn keep_chunk(&mut self, head: &Head, tally: Option<&Tally>) {
        // One that stands elsewhere is counted by nothing.
        if self.section >= Section::Summary {
            return;
        }
        if !self.pay(
            size_of::<ChunkFact>().saturating_mul(2),
            head.offset,
            "chunk",
        ) {
            return;
        }
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
            sound: tally.is_some(),
            actual: tally.and_then(|tally| Some((tally.min_stamp_ns?, tally.max_stamp_ns?))),
        });
    }
}

/// Both headers begin alike; `too_short` has made sure that they are there.
fn head(frame: &RecordFrame, content: &[u8], base: u64) -> Option<Head> {
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
    })
}

/// Every message of a chunk's content.
fn messages(
    content: &[u8],
    base: u64,
    columnar: bool,
    mut budget: Budget,
    each: &mut dyn FnMut(&Message<'_>),
) -> Result<(), WireError> {
    if columnar {
        let columns = Columns::open(content, base, &mut budget)?;
        return columns.messages().try_for_each(|it| it.map(|it| each(&it)));
    }
    let rows = Rows::open(content, base, &mut budget)?;
    rows.messages().try_for_each(|it| it.map(|it| each(&it)))
}
