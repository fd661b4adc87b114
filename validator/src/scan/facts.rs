//! What a scan keeps of a file, by the number of its chunks and streams.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ca3_reader::l3::messages::TimeMessage;
use ca3_spec::opcode::op;
use ca3_wire::Codec;
use ca3_wire::records::{
    AnnotationEntry, ClockBlock, Device, DirectoryEntry, Footer, Header, IndexEntry, Statistics,
    Stream, SummaryOffset,
};

use crate::checks::{Declared, Observed, Payloads};

/// A chunk as its header and its messages show it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkFact {
    /// Absolute offset of the opcode byte.
    pub(crate) offset: u64,
    /// Bytes of the framed record.
    pub(crate) length: u64,
    pub(crate) stream_ref: u32,
    pub(crate) message_count: u32,
    pub(crate) min_stamp_ns: u64,
    pub(crate) max_stamp_ns: u64,
    pub(crate) seq_first: u32,
    /// The last stored message's sequence or 0, where all messages decoded.
    pub(crate) seq_last: Option<u32>,
    /// Whether messages carry sequences of their own (bit 3).
    pub(crate) own_sequences: bool,
    pub(crate) columnar: bool,
    pub(crate) codec: Codec,
    /// Whether every message decoded; if not, that was reported at the chunk.
    pub(crate) sound: bool,
    /// The least and the greatest stamp of messages that all decoded.
    pub(crate) actual: Option<(u64, u64)>,
}

/// A ClockBlock, in the summary or in a checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct ClockFact {
    /// Offset of the record that holds it.
    pub(crate) record: u64,
    /// Offset of its content.
    pub(crate) base: u64,
    pub(crate) block: ClockBlock,
    /// Whether that is the summary's.
    pub(crate) in_summary: bool,
    /// Streams that it names: the rule, the field and its offset.
    pub(crate) references: Vec<(u32, &'static str, String, u64)>,
}

/// A Statistics record.
#[derive(Clone, Debug)]
pub(crate) struct StatisticsFact {
    /// Offset of the content.
    pub(crate) base: u64,
    /// Bytes from row to row.
    pub(crate) stride: u64,
    pub(crate) statistics: Statistics,
}

/// What an entry of the index is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The chunk at its offset, by its place among the chunks.
    At(usize),
    /// A chunk at another offset, whose figures it has.
    Moved(usize),
    /// A chunk that was too short to tell of.
    Lost,
    /// None.
    Nothing,
}

/// Runs of index entries by stream: the first, and how many.
pub(crate) type Runs = BTreeMap<u32, (u32, u32)>;

/// A schema, and where it is defined.
#[derive(Clone, Debug)]
pub(crate) struct SchemaFact {
    /// SHA-256 over each field that it states.
    pub(crate) digests: [[u8; 32]; 3],
    pub(crate) copies: Copies,
    /// Whether it has a descriptor.
    pub(crate) described: bool,
    /// Its message and its encoding, clipped: for what the file holds.
    pub(crate) names: (String, String),
    /// Whether its encoding is `protobuf`.
    pub(crate) protobuf: bool,
    /// The field that holds an event's attributes (reading G102).
    pub(crate) attributes: Option<u64>,
    /// The message of `ca3.time.v1` that it describes (reading G128).
    pub(crate) time: Option<TimeMessage>,
    /// Absolute offset of its descriptor.
    pub(crate) descriptor_at: u64,
    /// What it declares, where its payloads are protobuf.
    pub(crate) declared: Option<Arc<Declared>>,
}

impl SchemaFact {
    /// Whether a claim to be well-formed holds of it (§5.2).
    pub(crate) fn clears_floor(&self) -> bool {
        let declared = self.declared.as_ref();
        self.described && declared.is_some_and(|it| it.judgement.broken_clauses().is_empty())
    }
}

/// A stream, and where it is defined.
#[derive(Clone, Debug)]
pub(crate) struct StreamFact {
    pub(crate) stream: Stream,
    pub(crate) copies: Copies,
    /// Whether a source stamp without a source domain was reported already.
    pub(crate) source_reported: bool,
}

impl StreamFact {
    /// Whether it claims a well-formed schema. §5.7: 2 is read as 1, and what is not
    /// defined as 0 (reading G37).
    pub(crate) const fn claims(&self) -> bool {
        matches!(self.stream.schema_conformance, 1 | 2)
    }
}

/// Where a definition stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies {
    /// Offset of the record, or of the checkpoint, that defined it first.
    pub(crate) first: u64,
    /// Offset of the content that defined it first.
    pub(crate) base: u64,
    /// Whether a record of the data section holds it.
    pub(crate) in_data: bool,
    /// Whether the summary holds it.
    pub(crate) in_summary: bool,
    /// Whether a checkpoint holds it.
    pub(crate) elsewhere: bool,
}

/// The first chunk that needed a definition which did not stand before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// Offset of the chunk.
    pub(crate) chunk: u64,
    /// Offset of its `stream_ref`.
    pub(crate) field: u64,
}

/// A Session record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionFact {
    pub(crate) offset: u64,
    pub(crate) digest: [u8; 32],
    pub(crate) in_summary: bool,
}

/// A run of summary records of one opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) opcode: u8,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Made of records that do not belong in a summary.
    pub(crate) stray: bool,
}

/// A table and the place of its entries.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    /// Offset of the record.
    pub(crate) offset: u64,
    /// Absolute offset of the first entry.
    pub(crate) base: u64,
    /// Bytes from entry to entry.
    pub(crate) stride: u64,
    pub(crate) entries: Vec<T>,
}

impl<T> Table<T> {
    /// Absolute offset of a byte within an entry.
    pub(crate) fn at(&self, index: usize, byte: u64) -> u64 {
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        self.base
            .saturating_add(self.stride.saturating_mul(index))
            .saturating_add(byte)
    }
}

/// Annotations of one record.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationFact {
    pub(crate) table: Table<AnnotationEntry>,
    pub(crate) keys: Vec<String>,
    pub(crate) values: Vec<String>,
}

impl AnnotationFact {
    /// The key and the value that an entry names.
    pub(crate) fn names(&self, entry: &AnnotationEntry) -> Option<(&str, &str)> {
        let key = self.keys.get(usize::try_from(entry.key_index).ok()?)?;
        let value = self.values.get(usize::try_from(entry.value_index).ok()?)?;
        Some((key, value))
    }
}

/// Everything kept.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) header: Option<Header>,
    pub(crate) schemas: BTreeMap<u32, SchemaFact>,
    /// What schemas declare, by what they state.
    pub(crate) declared: BTreeMap<[[u8; 32]; 3], Arc<Declared>>,
    /// Streams that claim a well-formed schema and do not have one.
    pub(crate) unmet_claims: u64,
    pub(crate) streams: BTreeMap<u32, StreamFact>,
    /// Definitions that did not decode, by opcode and reference.
    pub(crate) lost: BTreeMap<(u8, u32), Copies>,
    /// How many did not decode as far as their reference, or have none.
    pub(crate) nameless: usize,
    /// Opcodes of records that stand where they may not.
    pub(crate) misplaced: BTreeSet<u8>,
    /// Opcodes that SummaryOffsets name which did not decode; `None` where not
    /// even that could be told.
    pub(crate) lost_offsets: Vec<Option<u8>>,
    /// Chunks that are too short to tell of.
    pub(crate) lost_chunks: BTreeSet<u64>,
    pub(crate) undeclared_streams: BTreeMap<u32, Pending>,
    pub(crate) undeclared_schemas: BTreeMap<u32, Pending>,
    pub(crate) sessions: Vec<SessionFact>,
    /// Of the Session in force: the data section's last, or else the summary's.
    pub(crate) devices: Vec<Device>,
    /// Bytes that they were paid for with.
    pub(crate) devices_bytes: usize,
    /// Whether a Session does not decode.
    pub(crate) session_lost: bool,
    /// By offset.
    pub(crate) chunks: Vec<ChunkFact>,
    pub(crate) indexed_messages: BTreeSet<u64>,
    pub(crate) checkpoints: CheckpointState,
    /// Of those that decoded.
    pub(crate) checkpoint_offsets: Vec<u64>,
    pub(crate) groups: Vec<Group>,
    pub(crate) summary_offsets: Vec<(u64, SummaryOffset)>,
    pub(crate) indexes: Vec<Table<IndexEntry>>,
    /// What each entry of each index is about.
    pub(crate) targets: Vec<Vec<Target>>,
    /// Runs of entries by their chunks' streams and as they are stated, over the
    /// first index and over all of them.
    pub(crate) runs: Vec<Runs>,
    pub(crate) directories: Vec<Table<DirectoryEntry>>,
    pub(crate) statistics: Vec<StatisticsFact>,
    pub(crate) annotations: Vec<AnnotationFact>,
    pub(crate) clock_blocks: Vec<ClockFact>,
    /// What is kept of payloads that are held against their schemas.
    pub(crate) payloads: Payloads,
    /// Messages that mappings, delays and events travel in.
    pub(crate) observed: Observed,
    /// Whether something is stamped on the file's own clock.
    pub(crate) own_clock_used: bool,
    /// Offset of the record, and what it says.
    pub(crate) footer: Option<(u64, Footer)>,
    pub(crate) metadata_count: u32,
    pub(crate) attachment_count: u32,
    /// The first chunk that uses zstd.
    pub(crate) first_zstd: Option<u64>,
    /// The first ColumnarChunk.
    pub(crate) first_columnar: Option<u64>,
}

/// What the next checkpoint is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CheckpointState {
    /// Offset of the last one; 0 for none.
    pub(crate) last: u64,
    /// Its number.
    pub(crate) last_seq: u64,
    /// How many chunks there were when it was met.
    pub(crate) chunks_before: usize,
    /// Offset of the last one that decoded, where one behind it did not.
    pub(crate) before_lost: Option<u64>,
}

impl Facts {
    /// Whether a stream is defined, or may be by what did not decode.
    pub(crate) fn may_have_stream(&self, reference: u32) -> bool {
        self.nameless > 0
            || self.streams.contains_key(&reference)
            || self.lost.contains_key(&(op::STREAM, reference))
    }

    /// Whether a schema is defined, or may be by what did not decode.
    pub(crate) fn may_have_schema(&self, reference: u32) -> bool {
        self.nameless > 0
            || self.schemas.contains_key(&reference)
            || self.lost.contains_key(&(op::SCHEMA, reference))
    }

    /// Streams that stand in a section of their own; one in a checkpoint alone
    /// was reported as such, and nothing else counts it.
    pub(crate) fn counted_streams(&self) -> impl Iterator<Item = u32> {
        self.streams
            .iter()
            .filter(|(_, fact)| fact.copies.in_data || fact.copies.in_summary)
            .map(|(reference, _)| *reference)
    }

    /// Whether a definition is known only by its reference, or not even so.
    pub(crate) fn definitions_lost(&self) -> bool {
        self.nameless > 0
            || self.lost.keys().any(|(opcode, reference)| {
                if *opcode == op::SCHEMA {
                    !self.schemas.contains_key(reference)
                } else {
                    !self.streams.contains_key(reference)
                }
            })
    }

    /// The chunk whose opcode byte lies at an offset.
    pub(crate) fn chunk_at(&self, offset: u64) -> Option<&ChunkFact> {
        self.chunks.get(self.chunk_place(offset)?)
    }

    /// Its place among the chunks.
    pub(crate) fn chunk_place(&self, offset: u64) -> Option<usize> {
        self.chunks
            .binary_search_by_key(&offset, |chunk| chunk.offset)
            .ok()
    }
}
