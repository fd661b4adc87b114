//! A sealed file put together here, and what is known of it because of that.

use std::collections::BTreeSet;

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::columnar::encode_columnar;
use ca3_wire::frame::framed;
use ca3_wire::records::{
    ChunkIndex, DirectoryEntry, Footer, Header, IndexEntry, Record, Statistics, Stream,
    StreamDirectory, SummaryOffset,
};
use ca3_wire::rows::encode_chunk;
use ca3_wire::{Codec, OwnedMessage, crc};

use crate::Outcome;

/// How the messages of a chunk are laid out (§6.2, §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Rows,
    Columns,
}

/// A chunk as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) stream_ref: u32,
    pub(crate) offset: u64,
    /// Bytes of the framed chunk.
    pub(crate) length: u64,
    /// The stamps of its messages, ascending.
    pub(crate) stamps: Vec<u64>,
}

impl Chunk {
    pub(crate) fn min(&self) -> u64 {
        self.stamps.first().copied().unwrap_or(0)
    }

    pub(crate) fn max(&self) -> u64 {
        self.stamps.last().copied().unwrap_or(0)
    }

    /// The greatest of its stamps that is not above an instant.
    pub(crate) fn latest(&self, instant: u64) -> Option<u64> {
        let begun = self.stamps.partition_point(|stamp| *stamp <= instant);
        self.stamps.get(..begun)?.last().copied()
    }
}

/// A finished file.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) bytes: Vec<u8>,
    pub(crate) chunks: Vec<Chunk>,
    /// Offset behind the Header.
    pub(crate) header_end: u64,
    pub(crate) summary_start: u64,
    /// Records between the Header and the summary.
    pub(crate) data_records: u64,
}

impl Sealed {
    pub(crate) fn length(&self) -> u64 {
        wide(self.bytes.len())
    }
}

/// A file in the making: streams of the file's own clock domain, then chunks.
pub(crate) struct Maker {
    bytes: Vec<u8>,
    chunks: Vec<Chunk>,
    entries: Vec<IndexEntry>,
    header_end: u64,
    streams: BTreeSet<u32>,
    random: fastrand::Rng,
}

impl Maker {
    /// The streams 1 to `streams`.
    pub(crate) fn new(streams: u32) -> Outcome<Self> {
        let mut maker = Maker {
            bytes: MAGIC.to_vec(),
            chunks: Vec::new(),
            entries: Vec::new(),
            header_end: 0,
            streams: (1..=streams).collect(),
            random: fastrand::Rng::with_seed(0xCA3),
        };
        let header = Header {
            // zstd and ColumnarChunk (§3.3), which a file may declare and not use.
            required_features: 0b101,
            host_id: "host".to_owned(),
            host_clock_epoch: "boot".to_owned(),
            ..Header::default()
        };
        maker.put(op::HEADER, &header.content()?);
        maker.header_end = maker.length();
        maker.put_streams()?;
        Ok(maker)
    }

    /// A chunk of messages with these stamps, ascending, each with as many
    /// bytes of payload. Half of the payload's bytes repeat: it compresses.
    pub(crate) fn chunk(
        &mut self,
        stream_ref: u32,
        (layout, codec): (Layout, Codec),
        stamps: Vec<u64>,
        payload: usize,
    ) -> Outcome<()> {
        let messages: Vec<OwnedMessage> = stamps
            .iter()
            .map(|stamp| OwnedMessage {
                monotonic_timestamp_ns: *stamp,
                payload: self.payload(payload),
                ..OwnedMessage::default()
            })
            .collect();
        let (opcode, content) = match layout {
            Layout::Rows => {
                let (header, blob) = encode_chunk(stream_ref, codec, &messages)?;
                (op::CHUNK, [header.content()?, blob].concat())
            }
            Layout::Columns => {
                let (header, columns, blocks) = encode_columnar(stream_ref, codec, &messages)?;
                let content = [header.content()?, columns, blocks].concat();
                (op::COLUMNAR_CHUNK, content)
            }
        };
        let offset = self.put(opcode, &content);
        let chunk = Chunk {
            stream_ref,
            offset,
            length: self.length().saturating_sub(offset),
            stamps,
        };
        self.entries.push(IndexEntry {
            chunk_offset: offset,
            chunk_length: chunk.length,
            min_stamp_ns: chunk.min(),
            max_stamp_ns: chunk.max(),
            message_count: u32::try_from(messages.len())?,
            stream_ref,
            ..IndexEntry::default()
        });
        self.chunks.push(chunk);
        Ok(())
    }

    /// The file with its summary, Footer and trailing magic (§2.4).
    pub(crate) fn seal(mut self) -> Outcome<Sealed> {
        let data_records = wide(self.streams.len()).saturating_add(wide(self.chunks.len()));
        let summary_start = self.length();
        let (index, directory) = tables(&self.streams, std::mem::take(&mut self.entries))?;
        let statistics = Statistics {
            chunk_count: wide(self.chunks.len()),
            ..Statistics::default()
        };
        let mut starts = vec![(op::STREAM, self.length())];
        self.put_streams()?;
        for (opcode, content) in [
            (op::CHUNK_INDEX, index.content()?),
            (op::STREAM_DIRECTORY, directory.content()?),
            (op::STATISTICS, statistics.content()?),
        ] {
            let start = self.put(opcode, &content);
            starts.push((opcode, start));
        }
        let summary_offset_start = self.length();
        let ends = starts.iter().skip(1).map(|(_, start)| *start);
        for ((opcode, start), end) in starts.iter().zip(ends.chain([summary_offset_start])) {
            let group = SummaryOffset {
                opcode: *opcode,
                start: *start,
                length: end.saturating_sub(*start),
            };
            self.put(op::SUMMARY_OFFSET, &group.content()?);
        }
        let summary = usize::try_from(summary_start)?..usize::try_from(summary_offset_start)?;
        let footer = Footer {
            summary_start,
            summary_offset_start,
            last_checkpoint_offset: 0,
            summary_crc: crc::crc32c(self.bytes.get(summary).unwrap_or_default()),
        };
        self.put(op::FOOTER, &footer.content()?);
        self.bytes.extend(MAGIC);
        Ok(Sealed {
            bytes: self.bytes,
            chunks: self.chunks,
            header_end: self.header_end,
            summary_start,
            data_records,
        })
    }

    fn put_streams(&mut self) -> Outcome<()> {
        for stream_ref in self.streams.clone() {
            let stream = Stream {
                stream_ref,
                topic: format!("/{stream_ref}"),
                host_id: "host".to_owned(),
                host_clock_epoch: "boot".to_owned(),
                ..Stream::default()
            };
            self.put(op::STREAM, &stream.content()?);
        }
        Ok(())
    }

    /// Appends a record, and gives its offset.
    fn put(&mut self, opcode: u8, content: &[u8]) -> u64 {
        let offset = self.length();
        self.bytes.extend(framed(opcode, content));
        offset
    }

    fn length(&self) -> u64 {
        wide(self.bytes.len())
    }

    fn payload(&mut self, length: usize) -> Vec<u8> {
        let random = &mut self.random;
        (0..length)
            .map(|at| if at % 2 == 0 { 0 } else { random.u8(..) })
            .collect()
    }
}

/// The two tables, as §7.1 to §7.3 have them.
fn tables(
    streams: &BTreeSet<u32>,
    mut entries: Vec<IndexEntry>,
) -> Outcome<(ChunkIndex, StreamDirectory)> {
    entries.sort_by_key(|entry| (entry.stream_ref, entry.min_stamp_ns, entry.chunk_offset));
    let mut rows = Vec::new();
    for stream_ref in streams {
        let first = entries.partition_point(|entry| entry.stream_ref < *stream_ref);
        let mut row = DirectoryEntry {
            stream_ref: *stream_ref,
            first_index: u32::try_from(first)?,
            ..DirectoryEntry::default()
        };
        let own = entries.iter_mut().skip(first);
        for entry in own.take_while(|entry| entry.stream_ref == *stream_ref) {
            if row.index_count == 0 {
                row.first_stamp_ns = entry.min_stamp_ns;
            } else if entry.min_stamp_ns <= row.last_stamp_ns {
                row.flags |= DirectoryEntry::CHUNKS_OVERLAP;
            }
            row.last_stamp_ns = row.last_stamp_ns.max(entry.max_stamp_ns);
            entry.prefix_max_stamp_ns = row.last_stamp_ns;
            row.index_count = row.index_count.saturating_add(1);
            row.chunk_count = row.chunk_count.saturating_add(1);
            let messages = u64::from(entry.message_count);
            row.message_count = row.message_count.saturating_add(messages);
        }
        rows.push(row);
    }
    Ok((ChunkIndex { entries }, StreamDirectory { entries: rows }))
}

/// A length in memory as a length in a file.
pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
