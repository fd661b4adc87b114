//! Placing a plan: offsets, checksums, checkpoints, index, directory, Footer.

use std::collections::BTreeMap;

use ca3_spec::opcode::op;
use ca3_spec::{FRAME_BYTES, MAGIC};
use ca3_wire::records::{
    Checkpoint, ChunkIndex, DirectoryEntry, Footer, IndexEntry, Record, Statistics, Stream,
    StreamDirectory, StreamStatistics, SummaryOffset,
};
use ca3_wire::{Encoder, Span};

use super::chunk::crc32c;
use super::edit::{At, ByteEdit, Mark};
use super::{Content, Definition, End, LengthClaim, Meaning, Part, Plan, PlanError};

/// One record in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The part's label.
    pub label: String,
    /// Its opcode.
    pub opcode: u8,
    /// File offset of the opcode byte.
    pub offset: u64,
    /// File offset of the content.
    pub content_offset: u64,
    /// Bytes of the content.
    pub content_length: u64,
    /// Its fields, by absolute offset.
    pub spans: Vec<Span>,
    pub(crate) meaning: Meaning,
    pub(crate) edited: Option<(u64, u64)>,
}

/// A file laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its records, the summary's included, in file order.
    pub placed: Vec<Placed>,
    /// Where the plan's edit shows: offset and length.
    pub edited: Option<(u64, u64)>,
}

fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn narrow(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// What the layout has seen, from which checkpoints and summary are made.
#[derive(Default)]
struct Ledger {
    index: Vec<IndexEntry>,
    /// Entries already inlined by a checkpoint.
    inlined: usize,
    /// Definition contents in order: opcode and content.
    definitions: Vec<(u8, Vec<u8>)>,
    restated: usize,
    streams: Vec<Stream>,
    session: Option<Vec<u8>>,
    messages: BTreeMap<u32, u64>,
    metadata: u32,
    attachments: u32,
    schemas: u32,
    last_checkpoint: u64,
    checkpoints: u64,
}

struct Writer {
    bytes: Vec<u8>,
    placed: Vec<Placed>,
}

impl Writer {
    fn offset(&self) -> u64 {
        wide(self.bytes.len())
    }

    fn frame(&mut self, opcode: u8, claim: &LengthClaim, content: &[u8]) -> (u64, u64) {
        let offset = self.offset();
        let length = wide(content.len());
        self.bytes.push(opcode);
        match claim {
            LengthClaim::Right => self.bytes.extend_from_slice(&length.to_le_bytes()),
            LengthClaim::Off(by) => {
                self.bytes
                    .extend_from_slice(&length.saturating_add_signed(*by).to_le_bytes());
            }
            LengthClaim::Value(value) => self.bytes.extend_from_slice(&value.to_le_bytes()),
            LengthClaim::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
        }
        let content_offset = self.offset();
        self.bytes.extend_from_slice(content);
        (offset, content_offset)
    }

    fn place(&mut self, part: &Part, content: &[u8], spans: &[Span], edited: Option<(u64, u64)>) {
        let (offset, content_offset) = self.frame(part.opcode, &part.claim, content);
        let spans = spans
            .iter()
            .map(|span| Span {
                offset: span.offset.saturating_add(content_offset),
                ..span.clone()
            })
            .collect();
        self.placed.push(Placed {
            label: part.label.clone(),
            opcode: part.opcode,
            offset,
            content_offset,
            content_length: wide(content.len()),
            spans,
            meaning: part.meaning.clone(),
            edited: edited.map(|(start, length)| (start.saturating_add(content_offset), length)),
        });
    }

    fn plain<R: Record>(&mut self, record: &R) -> Result<(), PlanError> {
        self.frame(R::OPCODE, &LengthClaim::Right, &record.content()?);
        Ok(())
    }
}

/// A content with its edits applied, its fields, and what the edits concerned.
type Encoded = (Vec<u8>, Vec<Span>, Option<(u64, u64)>);

fn with_edits(part: &Part, mut bytes: Vec<u8>, spans: Vec<Span>) -> Result<Encoded, PlanError> {
    let mut edited: Option<(u64, u64)> = None;
    for edit in &part.edits {
        let before = wide(bytes.len());
        let (start, length) = edit
            .apply(&mut bytes, &spans)
            .map_err(|reason| PlanError::Edit(format!("{}: {reason}", part.label)))?;
        let grown = wide(bytes.len()).saturating_sub(before);
        let shrunk = before.saturating_sub(wide(bytes.len()));
        let end = wide(start).saturating_add(wide(length));
        edited = Some(match edited {
            // A later edit in front moves the range; together they span both.
            Some((first, held)) if wide(start) < first => {
                let held_end = first.saturating_add(held).saturating_add(grown);
                (
                    wide(start),
                    held_end.saturating_sub(shrunk).saturating_sub(wide(start)),
                )
            }
            Some((first, _)) if first < before => (first, end.saturating_sub(first)),
            _ => (wide(start), wide(length)),
        });
    }
    Ok((bytes, spans, edited))
}

impl Plan {
    /// Lays the file out.
    ///
    /// # Errors
    /// [`PlanError`] for a value without an encoding or an edit of something
    /// that is not there: bugs of the case.
    pub fn layout(&self) -> Result<Layout, PlanError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let mut out = Writer {
            bytes: self.magic.clone(),
            placed: Vec::new(),
        };
        let mut ledger = Ledger::default();
        for part in &self.parts {
            let (bytes, spans) = match &part.content {
                Content::Bytes { bytes, spans } => (bytes.clone(), spans.clone()),
                Content::Chunk(chunk) => {
                    let mut encoder = Encoder::new();
                    chunk.encode(&mut encoder)?;
                    encoder.into_parts()
                }
                Content::Columnar(chunk) => {
                    let mut encoder = Encoder::new();
                    chunk.encode(&mut encoder)?;
                    encoder.into_parts()
                }
                Content::Checkpoint {
                    restates,
                    only_here,
                } => ledger.checkpoint(*restates, only_here, out.offset())?,
            };
            let (bytes, spans, edited) = with_edits(part, bytes, spans)?;
            ledger.note(part, &bytes, out.offset());
            out.place(part, &bytes, &spans, edited);
        }
        if self.end != End::Unsealed {
            self.lay_summary(&mut out, &ledger)?;
        }
        let mut edited = self.mark_in(&out);
        let mut bytes = out.bytes;
        for edit in &self.byte_edits {
            edited = Some(apply(edit, &mut bytes, &out.placed)?);
        }
        Ok(Layout {
            bytes,
            placed: out.placed,
            edited,
        })
    }

    /// Summary groups ascending by opcode, their offsets, Footer, magic (§2.2, §13.1).
    fn lay_summary(&self, out: &mut Writer, ledger: &Ledger) -> Result<(), PlanError> {
        let summary_start = out.offset();
        let mut groups: Vec<(u8, Vec<Vec<u8>>)> = Vec::new();
        for opcode in [op::SCHEMA, op::STREAM] {
            let contents: Vec<Vec<u8>> = ledger
                .definitions
                .iter()
                .filter(|(of, _)| *of == opcode)
                .map(|(_, content)| content.clone())
                .collect();
            if !contents.is_empty() {
                groups.push((opcode, contents));
            }
        }
        if let Some(session) = &ledger.session {
            groups.push((op::SESSION, vec![session.clone()]));
        }
        let index = ledger.sorted_index();
        groups.push((
            op::CHUNK_INDEX,
            vec![
                ChunkIndex {
                    entries: index.clone(),
                }
                .content()?,
            ],
        ));
        groups.push((
            op::STREAM_DIRECTORY,
            vec![ledger.directory(&index).content()?],
        ));
        let statistics = match &self.statistics {
            Some(content) => content.clone(),
            None => self.statistics_of(ledger).content()?,
        };
        groups.push((op::STATISTICS, vec![statistics]));

        let mut laid: Vec<(u8, u64, u64)> = Vec::new();
        let made = groups
            .iter()
            .map(|(opcode, contents)| (*opcode, Some(contents), None));
        let given = self
            .groups
            .iter()
            .map(|part| (part.opcode, None, Some(part)));
        let mut all: Vec<_> = made.chain(given).collect();
        // Stable: an edit of a given group's opcode moves the group with it.
        all.sort_by_key(|(opcode, _, _)| *opcode);
        for (opcode, contents, part) in all {
            let start = out.offset();
            for content in contents.into_iter().flatten() {
                out.frame(opcode, &LengthClaim::Right, content);
            }
            if let Some(part) = part {
                let Content::Bytes { bytes, spans } = &part.content else {
                    continue;
                };
                let (bytes, spans, edited) = with_edits(part, bytes.clone(), spans.clone())?;
                out.place(part, &bytes, &spans, edited);
            }
            // Padding between groups is no group (reading G45).
            if opcode != op::PADDING {
                laid.push((opcode, start, out.offset().saturating_sub(start)));
            }
        }
        let summary_end = out.offset();
        if self.end == End::BehindSummary {
            return Ok(());
        }
        for (opcode, start, length) in laid {
            out.plain(&SummaryOffset {
                opcode,
                start,
                length,
            })?;
        }
        for part in &self.tail {
            if let Content::Bytes { bytes, spans } = &part.content {
                let (bytes, spans, edited) = with_edits(part, bytes.clone(), spans.clone())?;
                out.place(part, &bytes, &spans, edited);
            }
        }
        let summary = out
            .bytes
            .get(narrow(summary_start)..narrow(summary_end))
            .unwrap_or_default();
        let footer = Footer {
            summary_start,
            summary_offset_start: summary_end,
            last_checkpoint_offset: ledger.last_checkpoint,
            summary_crc: crc32c(summary),
        };
        out.plain(&footer)?;
        out.bytes.extend_from_slice(&MAGIC);
        Ok(())
    }

    fn statistics_of(&self, ledger: &Ledger) -> Statistics {
        let header = self.parts.iter().find_map(|part| match &part.meaning {
            Meaning::Header(header) => Some(header),
            _ => None,
        });
        let own = |stream_ref: u32| {
            ledger.streams.iter().any(|stream| {
                stream.stream_ref == stream_ref
                    && header.is_some_and(|header| {
                        stream.host_id == header.host_id
                            && stream.host_clock_epoch == header.host_clock_epoch
                    })
            })
        };
        let spans = || ledger.index.iter().filter(|entry| own(entry.stream_ref));
        Statistics {
            message_count: ledger
                .messages
                .values()
                .copied()
                .fold(0, u64::saturating_add),
            chunk_count: wide(ledger.index.len()),
            schema_count: ledger.schemas,
            stream_count: u32::try_from(ledger.streams.len()).unwrap_or(u32::MAX),
            metadata_count: ledger.metadata,
            attachment_count: ledger.attachments,
            first_stamp_ns: spans()
                .map(|entry| entry.min_stamp_ns)
                .min()
                .unwrap_or_default(),
            last_stamp_ns: spans()
                .map(|entry| entry.max_stamp_ns)
                .max()
                .unwrap_or_default(),
            streams: ledger
                .streams
                .iter()
                .map(|stream| StreamStatistics {
                    stream_ref: stream.stream_ref,
                    message_count: ledger
                        .messages
                        .get(&stream.stream_ref)
                        .copied()
                        .unwrap_or(0),
                    ..StreamStatistics::default()
                })
                .collect(),
        }
    }

    fn mark_in(&self, out: &Writer) -> Option<(u64, u64)> {
        let find = |label: &str| out.placed.iter().find(|placed| placed.label == label);
        match self.mark.as_ref()? {
            Mark::Opcode(label) => find(label).map(|placed| (placed.offset, 1)),
            Mark::Length(label) => find(label).map(|placed| {
                let start = placed.offset.saturating_add(1);
                (start, placed.content_offset.saturating_sub(start))
            }),
            Mark::Record(label) => find(label).map(|placed| {
                (
                    placed.offset,
                    FRAME_BYTES.saturating_add(placed.content_length),
                )
            }),
            Mark::Field(label, field) => find(label).and_then(|placed| {
                let span = placed.spans.iter().find(|span| span.field == *field)?;
                Some((span.offset, span.length))
            }),
            Mark::Content(label) => find(label).and_then(|placed| placed.edited),
            Mark::Start(offset) => Some((*offset, 0)),
            Mark::Bytes => None,
        }
    }
}

impl Ledger {
    /// Takes down what a part adds, once its content and offset are known.
    fn note(&mut self, part: &Part, content: &[u8], offset: u64) {
        let length = FRAME_BYTES.saturating_add(wide(content.len()));
        match &part.meaning {
            Meaning::Definition(definition) => {
                self.definitions.push((part.opcode, content.to_vec()));
                self.define(definition);
            }
            Meaning::Session(_) => self.session = Some(content.to_vec()),
            Meaning::MaySkip("Metadata") => self.metadata = self.metadata.saturating_add(1),
            Meaning::MaySkip("Attachment") => self.attachments = self.attachments.saturating_add(1),
            _ => {}
        }
        let (entry, messages) = match &part.content {
            Content::Chunk(chunk) => (
                IndexEntry {
                    chunk_offset: offset,
                    chunk_length: length,
                    min_stamp_ns: chunk.min_stamp_ns,
                    max_stamp_ns: chunk.max_stamp(),
                    prefix_max_stamp_ns: chunk.max_stamp(),
                    message_count: chunk.count(),
                    stream_ref: chunk.stream_ref,
                    seq_first: chunk.seq_first,
                    seq_last: 0,
                },
                chunk.views(),
            ),
            Content::Columnar(chunk) => (
                IndexEntry {
                    chunk_offset: offset,
                    chunk_length: length,
                    min_stamp_ns: chunk.min_stamp_ns,
                    max_stamp_ns: chunk.max_stamp(),
                    prefix_max_stamp_ns: chunk.max_stamp(),
                    message_count: chunk.count(),
                    stream_ref: chunk.stream_ref,
                    seq_first: chunk.seq_first,
                    seq_last: 0,
                },
                chunk.views(),
            ),
            Content::Bytes { .. } | Content::Checkpoint { .. } => return,
        };
        let total = self.messages.entry(entry.stream_ref).or_default();
        *total = total.saturating_add(wide(messages.len()));
        // A chunk of no messages gets no entry (reading G12).
        if let Some(last) = messages.last() {
            self.index.push(IndexEntry {
                seq_last: last.sequence.unwrap_or_default(),
                ..entry
            });
        }
    }

    fn define(&mut self, definition: &Definition) {
        match definition {
            Definition::Schema(_) => self.schemas = self.schemas.saturating_add(1),
            Definition::Stream(stream) => self.streams.push(stream.clone()),
        }
    }

    /// A checkpoint's content and fields, at its offset.
    fn checkpoint(
        &mut self,
        restates: bool,
        only_here: &[Definition],
        offset: u64,
    ) -> Result<(Vec<u8>, Vec<Span>), PlanError> {
        for definition in only_here {
            let (opcode, content) = match definition {
                Definition::Schema(schema) => (op::SCHEMA, schema.content()?),
                Definition::Stream(stream) => (op::STREAM, stream.content()?),
            };
            self.definitions.push((opcode, content));
            self.define(definition);
        }
        let fresh = if restates { 0 } else { self.restated };
        let contents = |opcode: u8| -> Vec<Vec<u8>> {
            let live = self
                .definitions
                .iter()
                .skip(fresh)
                .filter(|(of, _)| *of == opcode);
            live.map(|(_, content)| content.clone()).collect()
        };
        self.checkpoints = self.checkpoints.saturating_add(1);
        let last_stamp = self.index.last().map_or(0, |entry| entry.max_stamp_ns);
        let checkpoint = Checkpoint {
            checkpoint_seq: self.checkpoints,
            flags: u32::from(restates),
            reserved: 0,
            record_ts_ns: last_stamp,
            wall_ns: 0,
            schemas: contents(op::SCHEMA),
            streams: contents(op::STREAM),
            index_entries: self.index.iter().skip(self.inlined).cloned().collect(),
            clock_block: Vec::new(),
            self_offset: offset,
            prev_offset: self.last_checkpoint,
            trailer_checkpoint_seq: self.checkpoints,
        };
        self.inlined = self.index.len();
        self.restated = self.definitions.len();
        self.last_checkpoint = offset;
        let mut encoder = Encoder::new();
        checkpoint.encode(&mut encoder)?;
        Ok(encoder.into_parts())
    }

    /// §7.1's table: by stream and stamp, the running maximum per stream.
    fn sorted_index(&self) -> Vec<IndexEntry> {
        let mut entries = self.index.clone();
        // Equal stamps go by chunk offset (reading G51), which is ledger order.
        entries.sort_by_key(|entry| (entry.stream_ref, entry.min_stamp_ns));
        let mut running: BTreeMap<u32, u64> = BTreeMap::new();
        for entry in &mut entries {
            let max = running.entry(entry.stream_ref).or_default();
            *max = (*max).max(entry.max_stamp_ns);
            entry.prefix_max_stamp_ns = *max;
        }
        entries
    }

    /// §7.3's table: one entry a declared stream, overlap from the spans.
    fn directory(&self, index: &[IndexEntry]) -> StreamDirectory {
        let mut streams: Vec<u32> = self
            .streams
            .iter()
            .map(|stream| stream.stream_ref)
            .collect();
        streams.sort_unstable();
        streams.dedup();
        let entries = streams.into_iter().map(|stream_ref| {
            let own: Vec<(usize, &IndexEntry)> = index
                .iter()
                .enumerate()
                .filter(|(_, entry)| entry.stream_ref == stream_ref)
                .collect();
            let overlap = own.windows(2).any(|pair| match pair {
                [(_, before), (_, after)] => after.min_stamp_ns <= before.prefix_max_stamp_ns,
                _ => false,
            });
            let count = u32::try_from(own.len()).unwrap_or(u32::MAX);
            DirectoryEntry {
                stream_ref,
                flags: u32::from(overlap),
                first_index: own
                    .first()
                    .map_or(0, |(at, _)| u32::try_from(*at).unwrap_or(u32::MAX)),
                index_count: count,
                message_count: self.messages.get(&stream_ref).copied().unwrap_or_default(),
                chunk_count: u64::from(count),
                first_stamp_ns: own
                    .iter()
                    .map(|(_, e)| e.min_stamp_ns)
                    .min()
                    .unwrap_or_default(),
                last_stamp_ns: own
                    .iter()
                    .map(|(_, e)| e.max_stamp_ns)
                    .max()
                    .unwrap_or_default(),
                ..DirectoryEntry::default()
            }
        });
        StreamDirectory {
            entries: entries.collect(),
        }
    }
}

fn apply(edit: &ByteEdit, bytes: &mut Vec<u8>, placed: &[Placed]) -> Result<(u64, u64), PlanError> {
    let end = wide(bytes.len());
    let resolve = |at: &At| -> Result<usize, PlanError> {
        let offset = match at {
            At::Start(offset) => Some(*offset),
            At::End(offset) => end.checked_sub(*offset),
            At::Record(label, offset) => placed
                .iter()
                .find(|placed| placed.label == *label)
                .and_then(|placed| placed.offset.checked_add(*offset)),
        };
        offset
            .filter(|offset| *offset <= end)
            .map(narrow)
            .ok_or_else(|| PlanError::Edit(format!("{at:?} is not in the file")))
    };
    match edit {
        ByteEdit::Truncate(at) => {
            let at = resolve(at)?;
            bytes.truncate(at);
            Ok((wide(at), 0))
        }
        ByteEdit::Patch(at, new) => {
            let at = resolve(at)?;
            let place = bytes.get_mut(at..at.saturating_add(new.len()));
            place
                .ok_or_else(|| PlanError::Edit("the patch reaches past the end".to_owned()))?
                .copy_from_slice(new);
            Ok((wide(at), wide(new.len())))
        }
        ByteEdit::Remove(at, count) => {
            let at = resolve(at)?;
            let stop = at.saturating_add(narrow(*count)).min(bytes.len());
            bytes.drain(at..stop);
            Ok((wide(at), 0))
        }
        ByteEdit::Append(new) => {
            bytes.extend_from_slice(new);
            Ok((end, wide(new.len())))
        }
    }
}
