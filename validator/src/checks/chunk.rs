//! Chunks of both layouts: header against messages (§6).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::feature;
use ca3_spec::opcode::op;
use ca3_wire::columnar::Columns;
use ca3_wire::frame::RecordFrame;
use ca3_wire::message::Bases;
use ca3_wire::records::{ChunkHeader, ColumnarHeader, Record};
use ca3_wire::rows::Rows;
use ca3_wire::{Budget, Codec, Cursor, FieldMask, Message, WireError};

use super::messages::Tally;
use crate::scan::{ChunkFact, Scan};

/// Where fields lie in both headers, from the start of the content.
mod at {
    pub(super) const FIELD_MASK: u64 = 5;
    pub(super) const FLAGS: u64 = 7;
    pub(super) const MESSAGE_COUNT: u64 = 9;
    pub(super) const MIN_STAMP: u64 = 13;
    pub(super) const MAX_STAMP: u64 = 21;
    pub(super) const RECORD_TS_BASE: u64 = 29;
    pub(super) const WALL_BASE: u64 = 37;
    pub(super) const SOURCE_BASE: u64 = 45;
    pub(super) const UNCOMPRESSED: u64 = 57;
}

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
        let mut tally = Tally::default();
        let walked = if head.columnar {
            self.columns(&head, content, &mut tally)
        } else {
            self.rows(&head, content, &mut tally)
        };
        if let Err(error) = walked {
            self.chunk_fault(frame.opcode, &head, &error, tally.count);
        } else {
            self.judge_messages(&head, &tally);
        }
        self.keep_chunk(&head, walked_last(&tally, head.message_count));
        Ok(())
    }

    fn rows(&mut self, head: &Head, content: &[u8], tally: &mut Tally) -> Result<(), WireError> {
        let mut budget = Budget::new(self.budget.left());
        let rows = Rows::open(content, head.base, &mut budget)?;
        if rows.header.codec == Codec::NONE
            && rows.header.uncompressed_bytes != rows.header.records_length
        {
            let finding = head
                .finding(
                    "CA3-6.1-23",
                    Severity::Warning,
                    at::UNCOMPRESSED,
                    "uncompressed_bytes",
                    "is not the length of a blob that is not compressed",
                )
                .showing(rows.header.records_length, rows.header.uncompressed_bytes);
            self.findings.add(finding);
        }
        let blob = head.base.saturating_add(ChunkHeader::BYTES);
        let aligned = self.aligned_rows(head);
        for message in rows.messages() {
            let message = message?;
            tally.take(&message, head.bases.min_stamp_ns);
            if let Some(promise) = aligned {
                self.judge_alignment(head, promise, blob, &message);
            }
        }
        Ok(())
    }

    fn columns(&mut self, head: &Head, content: &[u8], tally: &mut Tally) -> Result<(), WireError> {
        let mut budget = Budget::new(self.budget.left());
        let columns = Columns::open(content, head.base, &mut budget)?;
        for message in columns.messages() {
            tally.take(&message?, head.bases.min_stamp_ns);
        }
        self.aligned_columns(head, columns.blocks_offset);
        Ok(())
    }

    fn chunk_fault(&mut self, opcode: u8, head: &Head, error: &WireError, before: u32) {
        if matches!(error.fault, ca3_wire::Fault::Budget { .. }) {
            self.beyond_limit(error);
            return;
        }
        let mut finding = crate::wire_rules::finding(opcode, error)
            .of_stream(head.stream_ref)
            .in_chunk(head.offset);
        if error.field.contains("message[") {
            finding = finding.at_message(before);
        }
        self.findings.add(finding);
    }

    /// The header by itself.
    fn judge_head(&mut self, head: &Head) {
        if head.codec == Codec::ZSTD && self.facts.first_zstd.is_none() {
            self.facts.first_zstd = Some(head.offset);
            self.uses_feature(feature::ZSTD, "CA3-3.3-08", head.offset);
        }
        if head.columnar && self.facts.first_columnar.is_none() {
            self.facts.first_columnar = Some(head.offset);
            self.uses_feature(feature::COLUMNAR_CHUNK, "CA3-6.5-22", head.offset);
        }
        if head.flags & !ChunkHeader::SORTED != 0 {
            let finding = head
                .finding(
                    "CA3-6.1-18",
                    Severity::Warning,
                    at::FLAGS,
                    "flags",
                    "reserved bits are set",
                )
                .showing(
                    format_args!("{:#06x}", head.flags & ChunkHeader::SORTED),
                    format_args!("{:#06x}", head.flags),
                )
                .reading("G11");
            self.findings.add(finding);
        }
        let unknown = head.bases.field_mask.and(FieldMask::SKIPPABLE);
        if unknown != FieldMask(0) && !head.columnar {
            let finding = head
                .finding(
                    "CA3-6.3-08",
                    Severity::Warning,
                    at::FIELD_MASK,
                    "field_mask",
                    "has bits that no version 1 writer sets",
                )
                .showing(
                    format_args!("{:#06x}", head.bases.field_mask.0 & 0x00FF),
                    format_args!("{:#06x}", head.bases.field_mask.0),
                );
            self.findings.add(finding);
        }
        if head.message_count == 0 {
            let finding = head
                .finding(
                    "CA3-6.1-19",
                    Severity::Warning,
                    at::MESSAGE_COUNT,
                    "message_count",
                    "the chunk holds no message",
                )
                .showing("1 or more", 0)
                .reading("G12");
            self.findings.add(finding);
        }
    }

    /// The header against messages that all decoded.
    fn judge_messages(&mut self, head: &Head, tally: &Tally) {
        if tally.count == 0 {
            return;
        }
        let bases = &head.bases;
        for (byte, field, stated, actual) in [
            (
                at::MIN_STAMP,
                "min_stamp_ns",
                bases.min_stamp_ns,
                tally.min_stamp_ns,
            ),
            (
                at::MAX_STAMP,
                "max_stamp_ns",
                bases.max_stamp_ns,
                tally.max_stamp_ns,
            ),
        ] {
            let actual = actual.unwrap_or_default();
            if stated != actual {
                let message = format!("{field} is not the extreme of the messages' stamps");
                let finding = head
                    .finding("CA3-6.1-12", Severity::Error, byte, field, message)
                    .showing(actual, stated);
                self.findings.add(finding);
            }
        }
        if let Some(index) = tally.disorder.filter(|_| bases.sorted) {
            let message = "the sorted bit is set over messages that are out of order";
            let finding = head
                .finding("CA3-6.1-11", Severity::Error, at::FLAGS, "flags", message)
                .at_message(index)
                .showing("bit 0 clear", "bit 0 set");
            self.findings.add(finding);
        }
        self.judge_bases(head, tally);
        for name in tally.unused(bases.field_mask) {
            let message = format!("the mask has {name}, and no message carries one");
            let finding = head
                .finding(
                    "CA3-6.3-11",
                    Severity::Warning,
                    at::FIELD_MASK,
                    "field_mask",
                    message,
                )
                .showing(
                    format_args!("no bit for {name}"),
                    format_args!("{:#06x}", bases.field_mask.0),
                );
            self.findings.add(finding);
        }
        if tally.min_source_ns.is_some() {
            self.judge_source(head);
        }
    }

    /// §6.1: each base is a minimum; readers decode the same values from others.
    fn judge_bases(&mut self, head: &Head, tally: &Tally) {
        let bases = &head.bases;
        for (rule, byte, field, stated, least) in [
            (
                "CA3-6.1-14",
                at::RECORD_TS_BASE,
                "record_ts_base_ns",
                bases.record_ts_base_ns,
                tally.min_record_ts_ns,
            ),
            (
                "CA3-6.1-16",
                at::WALL_BASE,
                "wall_base_ns",
                bases.wall_base_ns,
                tally.min_wall_base_ns,
            ),
            (
                "CA3-6.1-15",
                at::SOURCE_BASE,
                "source_base_ns",
                bases.source_base_ns,
                tally.min_source_ns,
            ),
        ] {
            let rule = if least.is_none() { "CA3-6.1-17" } else { rule };
            let expected = least.unwrap_or_default();
            if stated != expected {
                let message = format!("{field} is not the minimum that it should be");
                let finding = head
                    .finding(rule, Severity::Warning, byte, field, message)
                    .showing(expected, stated);
                self.findings.add(finding);
            }
        }
    }

    /// §5.7: once a stream.
    fn judge_source(&mut self, head: &Head) {
        let Some(fact) = self.facts.streams.get_mut(&head.stream_ref) else {
            return;
        };
        if !fact.stream.source_clock_domain.is_empty() || fact.source_reported {
            return;
        }
        fact.source_reported = true;
        let message = "messages carry source stamps, and the stream names no source_clock_domain";
        let finding = head
            .finding(
                "CA3-5.7-11",
                Severity::Error,
                at::FIELD_MASK,
                "field_mask",
                message,
            )
            .showing("no source stamps, or a domain", "source stamps")
            .reading("G83");
        self.findings.add(finding);
    }

    fn keep_chunk(&mut self, head: &Head, seq_last: Option<u32>) {
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
            seq_last,
            own_sequences: head.bases.field_mask.has_sequence(),
            columnar: head.columnar,
        });
    }
}

/// The last stored message's sequence or 0, where every message was met.
fn walked_last(tally: &Tally, count: u32) -> Option<u32> {
    (tally.count == count).then(|| tally.seq_last.unwrap_or_default())
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

/// Where every message of a plain chunk begins in its blob.
///
/// # Errors
/// Those of decoding.
pub(crate) fn starts(
    content: &[u8],
    base: u64,
    budget: &mut Budget,
    mut each: impl FnMut(&Message<'_>),
) -> Result<(), WireError> {
    let rows = Rows::open(content, base, budget)?;
    for message in rows.messages() {
        each(&message?);
    }
    Ok(())
}
