//! What a layout has seen so far, and the tables and checkpoints that follow from it.

use std::collections::BTreeMap;

use ca3_spec::FRAME_BYTES;
use ca3_spec::opcode::op;
use ca3_wire::records::{
    Checkpoint, DirectoryEntry, Header, IndexEntry, Record, Statistics, Stream, StreamDirectory,
    StreamStatistics,
};
use ca3_wire::{Encoder, Span};

use super::layout::wide;
use super::{Content, Definition, Meaning, Part, PlanError};

/// A record's content as it stands in the data section, for its copy.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) opcode: u8,
    pub(crate) bytes: Vec<u8>,
    pub(crate) spans: Vec<Span>,
}

impl Stored {
    fn of<R: Record>(record: &R) -> Result<Self, PlanError> {
        let mut out = Encoder::new();
        record.encode(&mut out)?;
        let (bytes, spans) = out.into_parts();
        Ok(Stored {
            opcode: R::OPCODE,
            bytes,
            spans,
        })
    }
}

/// What the layout has seen, from which checkpoints and summary are made.
#[derive(Default)]
pub(crate) struct Ledger {
    index: Vec<IndexEntry>,
    /// Entries already inlined by a checkpoint.
    inlined: usize,
    /// Definitions in order.
    pub(crate) definitions: Vec<Stored>,
    restated: usize,
    streams: Vec<Stream>,
    pub(crate) session: Option<Stored>,
    messages: BTreeMap<u32, u64>,
    metadata: u32,
    attachments: u32,
    schemas: u32,
    pub(crate) last_checkpoint: u64,
    checkpoints: u64,
}

impl Ledger {
    /// Takes down what a part adds, once its content and offset are known.
    pub(crate) fn note(&mut self, part: &Part, content: &[u8], spans: &[Span], offset: u64) {
        let stored = || Stored {
            opcode: part.opcode,
            bytes: content.to_vec(),
            spans: spans.to_vec(),
        };
        match &part.meaning {
            Meaning::Definition(definition) => {
                self.definitions.push(stored());
                self.define(definition);
            }
            Meaning::Session(_) => self.session = Some(stored()),
            Meaning::MaySkip("Metadata") => self.metadata = self.metadata.saturating_add(1),
            Meaning::MaySkip("Attachment") => self.attachments = self.attachments.saturating_add(1),
            _ => {}
        }
        // The two layouts of a chunk have one index entry (reading G24).
        let (stream_ref, seq_first, min, max, message_count, messages) = match &part.content {
            Content::Chunk(chunk) => (
                chunk.stream_ref,
                chunk.seq_first,
                chunk.min_stamp_ns,
                chunk.max_stamp(),
                chunk.count(),
                chunk.views(),
            ),
            Content::Columnar(chunk) => (
                chunk.stream_ref,
                chunk.seq_first,
                chunk.min_stamp_ns,
                chunk.max_stamp(),
                chunk.count(),
                chunk.views(),
            ),
            Content::Bytes { .. } | Content::Checkpoint { .. } => return,
        };
        let total = self.messages.entry(stream_ref).or_default();
        *total = total.saturating_add(wide(messages.len()));
        // A chunk of no messages gets no entry (reading G12).
        if let Some(last) = messages.last() {
            self.index.push(IndexEntry {
                chunk_offset: offset,
                chunk_length: FRAME_BYTES.saturating_add(wide(content.len())),
                min_stamp_ns: min,
                max_stamp_ns: max,
                prefix_max_stamp_ns: max,
                message_count,
                stream_ref,
                seq_first,
                seq_last: last.sequence.unwrap_or_default(),
            });
        }
    }

    fn define(&mut self, definition: &Definition) {
        match definition {
            Definition::Schema(_) => self.schemas = self.schemas.saturating_add(1),
            Definition::Stream(stream) => self.streams.push(stream.clone()),
        }
    }

    /// The checkpoint that follows what was seen, at its offset.
    pub(crate) fn checkpoint(
        &mut self,
        restates: bool,
        only_here: &[Definition],
        offset: u64,
    ) -> Result<Checkpoint, PlanError> {
        for definition in only_here {
            self.definitions.push(match definition {
                Definition::Schema(schema) => Stored::of(schema)?,
                Definition::Stream(stream) => Stored::of(stream)?,
            });
            self.define(definition);
        }
        let fresh = if restates { 0 } else { self.restated };
        let contents = |opcode: u8| -> Vec<Vec<u8>> {
            let live = self.definitions.iter().skip(fresh);
            live.filter(|stored| stored.opcode == opcode)
                .map(|stored| stored.bytes.clone())
                .collect()
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
            index_entries: self.index.iter().skip(self.inlined).copied().collect(),
            clock_block: Vec::new(),
            self_offset: offset,
            prev_offset: self.last_checkpoint,
            trailer_checkpoint_seq: self.checkpoints,
        };
        self.inlined = self.index.len();
        self.restated = self.definitions.len();
        self.last_checkpoint = offset;
        Ok(checkpoint)
    }

    /// §7.1's table: by stream and stamp, the running maximum per stream.
    pub(crate) fn sorted_index(&self) -> Vec<IndexEntry> {
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

    /// §7.3's table: one entry a declared stream, counts and overlap from its
    /// chunks, places from the index as it is stored.
    pub(crate) fn directory(&self, chunks: &[IndexEntry], index: &[IndexEntry]) -> StreamDirectory {
        let mut streams: Vec<u32> = self
            .streams
            .iter()
            .map(|stream| stream.stream_ref)
            .collect();
        streams.sort_unstable();
        streams.dedup();
        let entries = streams.into_iter().map(|stream_ref| {
            let of_stream = |entry: &&IndexEntry| entry.stream_ref == stream_ref;
            let own: Vec<&IndexEntry> = chunks.iter().filter(of_stream).collect();
            let overlap = own.windows(2).any(|pair| match pair {
                [before, after] => after.min_stamp_ns <= before.prefix_max_stamp_ns,
                _ => false,
            });
            let first = index
                .iter()
                .position(|entry| entry.stream_ref == stream_ref);
            DirectoryEntry {
                stream_ref,
                flags: u32::from(overlap),
                first_index: first.map_or(0, narrow_u32),
                index_count: narrow_u32(index.iter().filter(of_stream).count()),
                message_count: self.messages.get(&stream_ref).copied().unwrap_or_default(),
                chunk_count: wide(own.len()),
                first_stamp_ns: own
                    .iter()
                    .map(|entry| entry.min_stamp_ns)
                    .min()
                    .unwrap_or_default(),
                last_stamp_ns: own
                    .iter()
                    .map(|entry| entry.max_stamp_ns)
                    .max()
                    .unwrap_or_default(),
                ..DirectoryEntry::default()
            }
        });
        StreamDirectory {
            entries: entries.collect(),
        }
    }

    /// §13.2's counts, the bounds over streams of the Header's own domain.
    pub(crate) fn statistics(&self, header: Option<&Header>) -> Statistics {
        let own = |stream_ref: u32| {
            self.streams.iter().any(|stream| {
                stream.stream_ref == stream_ref
                    && header.is_some_and(|header| {
                        stream.host_id == header.host_id
                            && stream.host_clock_epoch == header.host_clock_epoch
                    })
            })
        };
        let spans = || self.index.iter().filter(|entry| own(entry.stream_ref));
        Statistics {
            message_count: self.messages.values().copied().fold(0, u64::saturating_add),
            chunk_count: wide(self.index.len()),
            schema_count: self.schemas,
            stream_count: u32::try_from(self.streams.len()).unwrap_or(u32::MAX),
            metadata_count: self.metadata,
            attachment_count: self.attachments,
            first_stamp_ns: spans()
                .map(|entry| entry.min_stamp_ns)
                .min()
                .unwrap_or_default(),
            last_stamp_ns: spans()
                .map(|entry| entry.max_stamp_ns)
                .max()
                .unwrap_or_default(),
            streams: self
                .streams
                .iter()
                .map(|stream| StreamStatistics {
                    stream_ref: stream.stream_ref,
                    message_count: self.messages.get(&stream.stream_ref).copied().unwrap_or(0),
                    ..StreamStatistics::default()
                })
                .collect(),
        }
    }
}

fn narrow_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
