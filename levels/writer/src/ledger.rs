//! What stands in the file so far, and the tables that follow from it.

use std::collections::{BTreeMap, BTreeSet};

use ca3_wire::EncodeError;
use ca3_wire::records::{
    Checkpoint, ChunkIndex, ClockBlock, DirectoryEntry, Header, IndexEntry, Record, Statistics,
    Stream, StreamDirectory, StreamStatistics,
};

use crate::{narrow, wide};

/// What only the recorder can know of a stream (§7.3, §13.2). The writer adds
/// the reordered messages that it met itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Messages that the recorder discarded after they arrived.
    pub dropped_by_queue: u64,
    /// Messages missing in the sequence that the recorder never saw.
    pub never_arrived: u64,
    /// Messages that arrived behind a later-stamped one, ahead of this writer.
    pub reordered: u64,
    /// The longest time between two arrivals.
    pub max_gap_ns: u64,
    /// The least transport delay observed.
    pub min_transport_delay_ns: u64,
    /// The deepest that the queue became.
    pub max_queue_depth: u64,
}

/// A stream, and its record's content as it was written.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) stream: Stream,
    content: Vec<u8>,
}

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    host: (String, String),
    /// In file order, each with its own maximum for a prefix (reading G75).
    chunks: Vec<IndexEntry>,
    /// How many of them a checkpoint has inlined.
    inlined: usize,
    messages: BTreeMap<u32, u64>,
    pub(crate) schemas: BTreeMap<u32, Vec<u8>>,
    pub(crate) streams: BTreeMap<u32, Declared>,
    /// Those that no checkpoint has.
    fresh_schemas: BTreeSet<u32>,
    fresh_streams: BTreeSet<u32>,
    /// Content of the Session in force (§11).
    pub(crate) session: Option<Vec<u8>>,
    /// The clock relationships as of now, and as a content.
    pub(crate) clock: Option<(ClockBlock, Vec<u8>)>,
    pub(crate) observed: BTreeMap<u32, Observed>,
    pub(crate) metadata: u32,
    pub(crate) attachments: u32,
    pub(crate) last_checkpoint: u64,
    checkpoints: u64,
    /// Chunks since the last checkpoint.
    pub(crate) since_checkpoint: u32,
    /// The recorder's two clocks, as far as they were stated.
    pub(crate) record_ts_ns: u64,
    pub(crate) wall_ns: u64,
}

impl Ledger {
    pub(crate) fn new(header: &Header) -> Self {
        Ledger {
            host: (header.host_id.clone(), header.host_clock_epoch.clone()),
            ..Ledger::default()
        }
    }

    pub(crate) fn add_schema(&mut self, schema_ref: u32, content: Vec<u8>) {
        self.schemas.insert(schema_ref, content);
        self.fresh_schemas.insert(schema_ref);
    }

    pub(crate) fn add_stream(&mut self, stream: Stream, content: Vec<u8>) {
        self.fresh_streams.insert(stream.stream_ref);
        self.streams
            .insert(stream.stream_ref, Declared { stream, content });
    }

    /// Takes down a chunk.
    pub(crate) fn add_chunk(&mut self, entry: IndexEntry) {
        let count = self.messages.entry(entry.stream_ref).or_default();
        *count = count.saturating_add(u64::from(entry.message_count));
        // Reading G12: a chunk of no messages gets no entry.
        if entry.message_count > 0 {
            self.chunks.push(entry);
        }
        self.since_checkpoint = self.since_checkpoint.saturating_add(1);
    }

    /// The next checkpoint, which will stand at `offset` (§8.1).
    pub(crate) fn checkpoint(&self, offset: u64, restate_every: u32) -> Checkpoint {
        let checkpoint_seq = self.checkpoints.saturating_add(1);
        let restates = checkpoint_seq.is_multiple_of(u64::from(restate_every));
        let taken = |fresh: &BTreeSet<u32>, reference: &u32| restates || fresh.contains(reference);
        let schemas = self.schemas.iter();
        let streams = self.streams.iter();
        Checkpoint {
            checkpoint_seq,
            flags: if restates { Checkpoint::RESTATES } else { 0 },
            reserved: 0,
            record_ts_ns: self.record_ts_ns,
            wall_ns: self.wall_ns,
            schemas: schemas
                .filter(|(reference, _)| taken(&self.fresh_schemas, reference))
                .map(|(_, content)| content.clone())
                .collect(),
            streams: streams
                .filter(|(reference, _)| taken(&self.fresh_streams, reference))
                .map(|(_, declared)| declared.content.clone())
                .collect(),
            index_entries: self.chunks.iter().skip(self.inlined).copied().collect(),
            clock_block: self
                .clock
                .as_ref()
                .map(|(_, content)| content.clone())
                .unwrap_or_default(),
            self_offset: offset,
            prev_offset: self.last_checkpoint,
            trailer_checkpoint_seq: checkpoint_seq,
        }
    }

    /// That checkpoint was written.
    pub(crate) fn add_checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.checkpoints = checkpoint.checkpoint_seq;
        self.last_checkpoint = checkpoint.self_offset;
        self.inlined = self.chunks.len();
        self.since_checkpoint = 0;
        self.fresh_schemas.clear();
        self.fresh_streams.clear();
    }

    /// The definitions as they stand in the summary: ascending by reference.
    pub(crate) fn stream_contents(&self) -> impl Iterator<Item = &[u8]> {
        self.streams
            .values()
            .map(|declared| declared.content.as_slice())
    }

    /// §7.1's table.
    pub(crate) fn index(&self) -> ChunkIndex {
        let mut entries = self.chunks.clone();
        // Reading G51: of equal stamps the chunk that stands first.
        entries.sort_by_key(|entry| (entry.stream_ref, entry.min_stamp_ns, entry.chunk_offset));
        let mut running: Option<(u32, u64)> = None;
        for entry in &mut entries {
            let before = running.filter(|(stream_ref, _)| *stream_ref == entry.stream_ref);
            entry.prefix_max_stamp_ns =
                before.map_or(entry.max_stamp_ns, |(_, max)| max.max(entry.max_stamp_ns));
            running = Some((entry.stream_ref, entry.prefix_max_stamp_ns));
        }
        ChunkIndex { entries }
    }

    /// §7.3's table over that index: one row a declared stream.
    pub(crate) fn directory(&self, index: &ChunkIndex) -> StreamDirectory {
        let row = |declared: &Declared| {
            let stream_ref = declared.stream.stream_ref;
            let first = index
                .entries
                .partition_point(|entry| entry.stream_ref < stream_ref);
            let own = index.entries.get(first..).unwrap_or_default();
            let count = own.partition_point(|entry| entry.stream_ref == stream_ref);
            let own = own.get(..count).unwrap_or_default();
            // §7.2: from the spans that the file carries.
            let overlap = own
                .iter()
                .zip(own.iter().skip(1))
                .any(|(before, after)| after.min_stamp_ns <= before.prefix_max_stamp_ns);
            let observed = self.observed.get(&stream_ref).copied().unwrap_or_default();
            let (sync_quality, sync_domain) = self.sync(&declared.stream);
            DirectoryEntry {
                stream_ref,
                flags: if overlap {
                    DirectoryEntry::CHUNKS_OVERLAP
                } else {
                    0
                },
                // Reading G51: 0 for a stream without chunks.
                first_index: if count == 0 { 0 } else { narrow(first) },
                index_count: narrow(count),
                message_count: self.message_count(stream_ref),
                chunk_count: wide(count),
                first_stamp_ns: own.first().map_or(0, |entry| entry.min_stamp_ns),
                last_stamp_ns: own.last().map_or(0, |entry| entry.prefix_max_stamp_ns),
                dropped_by_queue: observed.dropped_by_queue,
                never_arrived: observed.never_arrived,
                reordered: observed.reordered,
                sync_quality,
                sync_domain,
            }
        };
        StreamDirectory {
            entries: self.streams.values().map(row).collect(),
        }
    }

    /// Reading G74: the mapping of the stream's source domain, else of its host.
    fn sync(&self, stream: &Stream) -> (u8, String) {
        let domains = self.clock.iter().flat_map(|(block, _)| &block.domains);
        let of_source = domains
            .clone()
            .find(|domain| domain.kind == 0 && domain.domain == stream.source_clock_domain);
        let of_host = || {
            domains
                .clone()
                .find(|domain| domain.kind != 0 && domain.domain == stream.host_id)
        };
        let mapped = of_source
            .filter(|_| !stream.source_clock_domain.is_empty())
            .or_else(of_host);
        mapped.map_or_else(Default::default, |domain| {
            (domain.quality, domain.domain.clone())
        })
    }

    fn message_count(&self, stream_ref: u32) -> u64 {
        self.messages.get(&stream_ref).copied().unwrap_or_default()
    }

    /// §13.2's counts, by reading G07.
    pub(crate) fn statistics(&self) -> Statistics {
        // The bounds are over streams of the file's own domain alone.
        let own = |entry: &&IndexEntry| {
            self.streams.get(&entry.stream_ref).is_some_and(|declared| {
                let stream = &declared.stream;
                (&stream.host_id, &stream.host_clock_epoch) == (&self.host.0, &self.host.1)
            })
        };
        let spans = || self.chunks.iter().filter(own);
        let row = |stream_ref: &u32| {
            let observed = self.observed.get(stream_ref).copied().unwrap_or_default();
            StreamStatistics {
                stream_ref: *stream_ref,
                reserved: 0,
                message_count: self.message_count(*stream_ref),
                max_gap_ns: observed.max_gap_ns,
                min_transport_delay_ns: observed.min_transport_delay_ns,
                max_queue_depth: observed.max_queue_depth,
            }
        };
        Statistics {
            message_count: self.messages.values().copied().fold(0, u64::saturating_add),
            chunk_count: wide(self.chunks.len()),
            schema_count: narrow(self.schemas.len()),
            stream_count: narrow(self.streams.len()),
            metadata_count: self.metadata,
            attachment_count: self.attachments,
            // Reading G111: 0 where there is none.
            first_stamp_ns: spans()
                .map(|entry| entry.min_stamp_ns)
                .min()
                .unwrap_or_default(),
            last_stamp_ns: spans()
                .map(|entry| entry.max_stamp_ns)
                .max()
                .unwrap_or_default(),
            streams: self.streams.keys().map(row).collect(),
        }
    }

    /// States the clock relationships as of now.
    pub(crate) fn set_clock(&mut self, block: ClockBlock) -> Result<(), EncodeError> {
        let content = block.content()?;
        self.clock = Some((block, content));
        Ok(())
    }
}
