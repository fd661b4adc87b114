//! A chunk's messages, judged by themselves: nothing here needs another chunk, so that
//! several are looked at side by side (§6).

use ca3_reports::Severity;
use ca3_schema::payload::Walk;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::columnar::Columns;
use ca3_wire::compress::{self, Expander};
use ca3_wire::records::ChunkHeader;
use ca3_wire::rows::Rows;
use ca3_wire::{Budget, Codec, Fault, Message, WireError};

use super::alignment::Promise;
use super::chunk::Head;
use super::lengths;
use super::messages::Tally;
use super::payload::Held;
use crate::findings::Findings;

/// Bytes up to which a blob is decompressed to say how long it is.
const MOST_EXPANDED: u64 = 1 << 20;
/// Where `uncompressed_bytes` lies in a plain chunk's content.
const UNCOMPRESSED: u64 = 57;

/// What of a chunk is to be judged, and all that this takes of the rest of the file.
#[derive(Debug)]
pub(crate) struct Job {
    pub(super) head: Head,
    /// What the stream promises of its blocks.
    pub(super) promise: Option<Promise>,
    /// What payloads are held to.
    pub(super) held: Option<Held>,
    /// Bytes that may be decompressed.
    pub(super) memory: u64,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(super) tally: Tally,
    /// Whether the chunk could be opened, so that there are messages.
    pub(super) is_open: bool,
    /// Whether every message decoded.
    pub(super) is_sound: bool,
    /// Whether a payload has more flaws than are told apart.
    pub(super) is_cut: bool,
    /// What the memory limit left no room for.
    pub(super) over: Option<WireError>,
}

/// What judging takes room for, kept from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    pub(super) expander: Expander,
    walk: Walk,
}

impl Worker {
    /// Judges the chunk with this content.
    pub(super) fn judge(&mut self, job: &Job, content: &[u8], findings: &mut Findings) -> Walked {
        let mut walked = Walked::default();
        if let Some(finding) = lengths::judge(&job.head, content) {
            findings.add(finding);
            return walked;
        }
        let mut walking = Walking {
            job,
            content,
            findings,
            walk: &mut self.walk,
            walked: &mut walked,
        };
        let result = if job.head.columnar {
            walking.columns(&mut self.expander)
        } else {
            walking.rows(&mut self.expander)
        };
        match result {
            Ok(()) => {
                walking.walked.is_sound = true;
                job.head.judge_messages(&walked.tally, findings);
            }
            Err(error) => walking.fault(&error),
        }
        self.expander.trim();
        walked
    }
}

struct Walking<'w> {
    job: &'w Job,
    content: &'w [u8],
    findings: &'w mut Findings,
    walk: &'w mut Walk,
    walked: &'w mut Walked,
}

impl Walking<'_> {
    fn rows(&mut self, expander: &mut Expander) -> Result<(), WireError> {
        let head = &self.job.head;
        let mut budget = Budget::new(self.job.memory);
        let rows = match Rows::open_in(self.content, head.base, &mut budget, expander) {
            Err(error) if head.codec == Codec::ZSTD => return Err(self.frame_fault(error)),
            opened => opened?,
        };
        self.walked.is_open = true;
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
        let promise = self.job.promise.filter(|_| self.can_be_kept());
        if promise.is_none() && self.job.held.is_none() {
            let tally = &mut self.walked.tally;
            return rows
                .messages()
                .each(|message| tally.take(message, head.bases.min_stamp_ns));
        }
        rows.messages().each(|message| {
            self.walked.tally.take(message, head.bases.min_stamp_ns);
            if let Some(promise) = promise {
                head.judge_alignment(promise, message, self.findings);
            }
            self.hold(message);
        })
    }

    fn columns(&mut self, expander: &mut Expander) -> Result<(), WireError> {
        let head = &self.job.head;
        let mut budget = Budget::new(self.job.memory);
        let columns = Columns::open_in(self.content, head.base, &mut budget, expander)?;
        self.walked.is_open = true;
        for message in columns.messages() {
            let message = message?;
            self.walked.tally.take(&message, head.bases.min_stamp_ns);
            self.hold(&message);
        }
        if let Some(promise) = self.job.promise.filter(|_| self.can_be_kept()) {
            head.judge_columns(promise, self.findings);
        }
        Ok(())
    }

    /// Whether a promise about places in the file can be kept at all.
    fn can_be_kept(&mut self) -> bool {
        let head = &self.job.head;
        if head.codec != Codec::NONE && self.job.promise.is_some() {
            head.judge_compressed(self.findings);
        }
        head.codec == Codec::NONE
    }

    fn hold(&mut self, message: &Message<'_>) {
        if let Some(held) = &self.job.held {
            held.judge(&self.job.head, message, self.walk, self.findings);
            self.walked.is_cut |= self.walk.is_cut();
        }
    }

    fn fault(&mut self, error: &WireError) {
        let head = &self.job.head;
        if matches!(error.fault, Fault::Budget { .. }) {
            self.walked.over = Some(error.clone());
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
            finding = finding.at_message(self.walked.tally.count);
            // A length of 0 is one byte, in front of what it leaves no room for.
            let length = error
                .offset
                .checked_sub(head.base.saturating_add(1))
                .and_then(|place| self.content.get(usize::try_from(place).ok()?));
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
    fn frame_fault(&mut self, error: WireError) -> WireError {
        let head = &self.job.head;
        let finding = match error.fault {
            Fault::Leftover { left } => {
                let message = format!("{left} bytes follow the zstd frame: a chunk is exactly one");
                let place = ChunkHeader::BYTES;
                head.finding("CA3-6.1-22", Severity::Error, place, "records", message)
                    .showing("nothing behind the frame", format_args!("{left} bytes"))
            }
            Fault::Disagrees { stated, actual } if error.field.ends_with(".records") => {
                let place = usize::try_from(ChunkHeader::BYTES).unwrap_or(usize::MAX);
                let stored = self.content.get(place..).unwrap_or_default();
                // A frame may go on for ever: it is followed only so far.
                let most = MOST_EXPANDED.min(self.job.memory);
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
}
