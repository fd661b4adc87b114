//! A sealed file in the making, with its tables.

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::columnar::encode_columnar;
use ca3_wire::frame::framed;
use ca3_wire::records::{
    ChunkIndex, ClockBlock, ClockDomain, DirectoryEntry, Footer, Header, IndexEntry, Record,
    Statistics, Stream, StreamDirectory, SummaryOffset,
};
use ca3_wire::rows::encode_chunk;
use ca3_wire::{Codec, OwnedMessage, crc};

/// The bytes so far, and an entry for each chunk.
#[derive(Clone)]
pub(crate) struct Maker {
    pub(crate) bytes: Vec<u8>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) entries: Vec<IndexEntry>,
}

/// What the summary will say, to be spoilt.
pub(crate) struct Tables {
    pub(crate) streams: Vec<Stream>,
    pub(crate) entries: Vec<IndexEntry>,
    pub(crate) directory: Vec<DirectoryEntry>,
    pub(crate) clock: Option<ClockBlock>,
    /// Contents in place of those of the two tables.
    pub(crate) index_content: Option<Vec<u8>>,
    pub(crate) directory_content: Option<Vec<u8>>,
    /// More records, by opcode.
    pub(crate) more: Vec<(u8, Vec<u8>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Rows,
    Columns,
}

/// A stream of the file's own domain, on a topic of its own.
pub(crate) fn stream(stream_ref: u32) -> Stream {
    Stream {
        stream_ref,
        topic: format!("/t{stream_ref}"),
        host_id: "host".to_owned(),
        host_clock_epoch: "e1".to_owned(),
        ..Stream::default()
    }
}

/// A stream of the peer `p`.
pub(crate) fn peer(stream_ref: u32) -> Stream {
    Stream {
        host_id: "p".to_owned(),
        host_clock_epoch: "boot".to_owned(),
        ..stream(stream_ref)
    }
}

/// A mapping of the peer `p`, of quality ok.
pub(crate) fn peer_domain(offset_ns: i64, skew_ppb: i64, reference_source_ns: u64) -> ClockDomain {
    ClockDomain {
        domain: "p".to_owned(),
        kind: 1,
        method: 2,
        quality: 2,
        offset_ns,
        skew_ppb,
        reference_source_ns,
        ..ClockDomain::default()
    }
}

/// A ClockBlock whose reference is the file's own domain.
pub(crate) fn clock(domains: Vec<ClockDomain>) -> ClockBlock {
    ClockBlock {
        reference_host_id: "host".to_owned(),
        reference_host_clock_epoch: "e1".to_owned(),
        domains,
        ..ClockBlock::default()
    }
}

/// Messages of these stamps; the payload of each is its letter.
pub(crate) fn messages(stamps: &[(u64, &str)]) -> Vec<OwnedMessage> {
    stamps
        .iter()
        .map(|(stamp, payload)| OwnedMessage {
            monotonic_timestamp_ns: *stamp,
            payload: payload.as_bytes().to_vec(),
            ..OwnedMessage::default()
        })
        .collect()
}

impl Maker {
    pub(crate) fn new(streams: Vec<Stream>) -> Self {
        let mut maker = Maker {
            bytes: MAGIC.to_vec(),
            streams: Vec::new(),
            entries: Vec::new(),
        };
        let header = Header {
            required_features: 0b101,
            host_id: "host".to_owned(),
            host_clock_epoch: "e1".to_owned(),
            ..Header::default()
        };
        maker.raw(op::HEADER, &header.content().unwrap());
        for stream in &streams {
            maker.raw(op::STREAM, &stream.content().unwrap());
        }
        maker.streams = streams;
        maker
    }

    pub(crate) fn length(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap()
    }

    pub(crate) fn raw(&mut self, opcode: u8, content: &[u8]) -> u64 {
        let offset = self.length();
        self.bytes.extend(framed(opcode, content));
        offset
    }

    /// A chunk of these stamps, in rows and not compressed.
    pub(crate) fn chunk(&mut self, stream_ref: u32, stamps: &[(u64, &str)]) -> u64 {
        self.pack(stream_ref, Layout::Rows, Codec::NONE, &messages(stamps))
    }

    /// A chunk of messages that carry these sequences, 0 for none.
    pub(crate) fn sequences(&mut self, stream_ref: u32, sequences: &[u32]) -> u64 {
        let first = self.entries.len() * 1000;
        let messages: Vec<OwnedMessage> = sequences
            .iter()
            .enumerate()
            .map(|(index, sequence)| OwnedMessage {
                monotonic_timestamp_ns: u64::try_from(first + index).unwrap(),
                sequence: (*sequence != 0).then_some(*sequence),
                ..OwnedMessage::default()
            })
            .collect();
        self.pack(stream_ref, Layout::Rows, Codec::NONE, &messages)
    }

    pub(crate) fn pack(
        &mut self,
        stream_ref: u32,
        layout: Layout,
        codec: Codec,
        messages: &[OwnedMessage],
    ) -> u64 {
        let (opcode, content) = match layout {
            Layout::Rows => {
                let (header, blob) = encode_chunk(stream_ref, codec, messages).unwrap();
                (op::CHUNK, [header.content().unwrap(), blob].concat())
            }
            Layout::Columns => {
                let (header, columns, blocks) =
                    encode_columnar(stream_ref, codec, messages).unwrap();
                let content = [header.content().unwrap(), columns, blocks].concat();
                (op::COLUMNAR_CHUNK, content)
            }
        };
        let chunk_offset = self.raw(opcode, &content);
        let stamps = || messages.iter().map(|one| one.monotonic_timestamp_ns);
        let sequence = |one: Option<&OwnedMessage>| one.and_then(|one| one.sequence).unwrap_or(0);
        self.entries.push(IndexEntry {
            chunk_offset,
            chunk_length: self.length() - chunk_offset,
            min_stamp_ns: stamps().min().unwrap_or(0),
            max_stamp_ns: stamps().max().unwrap_or(0),
            prefix_max_stamp_ns: 0,
            message_count: u32::try_from(messages.len()).unwrap(),
            stream_ref,
            seq_first: sequence(messages.first()),
            seq_last: sequence(messages.last()),
        });
        chunk_offset
    }

    pub(crate) fn seal(self) -> Vec<u8> {
        self.seal_with(|_| {})
    }

    pub(crate) fn seal_clocked(self, block: ClockBlock) -> Vec<u8> {
        self.seal_with(|tables| tables.clock = Some(block))
    }

    pub(crate) fn seal_with(mut self, spoil: impl FnOnce(&mut Tables)) -> Vec<u8> {
        let mut tables = tables(&self.streams, &self.entries);
        spoil(&mut tables);
        let summary_start = self.length();
        let mut groups: Vec<(u8, u64, u64)> = Vec::new();
        let mut put = |maker: &mut Maker, opcode, content: Vec<u8>| {
            let offset = maker.raw(opcode, &content);
            let end = maker.length();
            match groups.last_mut() {
                Some((last, _, last_end)) if *last == opcode => *last_end = end,
                _ if opcode == op::PADDING => {}
                _ => groups.push((opcode, offset, end)),
            }
        };
        for stream in &tables.streams {
            put(&mut self, op::STREAM, stream.content().unwrap());
        }
        let index = ChunkIndex {
            entries: tables.entries,
        };
        let index = tables.index_content.unwrap_or(index.content().unwrap());
        put(&mut self, op::CHUNK_INDEX, index);
        let directory = StreamDirectory {
            entries: tables.directory,
        };
        let directory = tables
            .directory_content
            .unwrap_or(directory.content().unwrap());
        put(&mut self, op::STREAM_DIRECTORY, directory);
        if let Some(block) = tables.clock {
            put(&mut self, op::CLOCK_BLOCK, block.content().unwrap());
        }
        put(
            &mut self,
            op::STATISTICS,
            Statistics::default().content().unwrap(),
        );
        for (opcode, content) in tables.more {
            put(&mut self, opcode, content);
        }
        let summary_offset_start = self.length();
        for (opcode, start, end) in groups {
            let stated = SummaryOffset {
                opcode,
                start,
                length: end - start,
            };
            self.raw(op::SUMMARY_OFFSET, &stated.content().unwrap());
        }
        footed(self.bytes, summary_start, summary_offset_start)
    }
}

/// Bytes with a Footer and the trailing magic behind them.
pub(crate) fn footed(mut bytes: Vec<u8>, summary_start: u64, summary_offset_start: u64) -> Vec<u8> {
    let at = |offset| usize::try_from(offset).unwrap();
    let end = match summary_offset_start {
        0 => bytes.len(),
        offset => at(offset),
    };
    let summary_crc = crc::crc32c(&bytes[at(summary_start)..end]);
    let footer = Footer {
        summary_start,
        summary_offset_start,
        last_checkpoint_offset: 0,
        summary_crc,
    };
    bytes.extend(framed(op::FOOTER, &footer.content().unwrap()));
    bytes.extend(MAGIC);
    bytes
}

/// The tables of these chunks, as §7 says.
fn tables(streams: &[Stream], entries: &[IndexEntry]) -> Tables {
    let mut entries = entries.to_vec();
    entries.sort_by_key(|entry| (entry.stream_ref, entry.min_stamp_ns, entry.chunk_offset));
    let mut directory = Vec::new();
    for stream in streams {
        let stream_ref = stream.stream_ref;
        let first = entries
            .iter()
            .position(|entry| entry.stream_ref == stream_ref);
        let mut row = DirectoryEntry {
            stream_ref,
            first_index: u32::try_from(first.unwrap_or(0)).unwrap(),
            ..DirectoryEntry::default()
        };
        let mut prefix_max = None;
        for entry in entries
            .iter_mut()
            .filter(|entry| entry.stream_ref == stream_ref)
        {
            if prefix_max.is_some_and(|max| entry.min_stamp_ns <= max) {
                row.flags |= DirectoryEntry::CHUNKS_OVERLAP;
            }
            let max = prefix_max.unwrap_or(0).max(entry.max_stamp_ns);
            prefix_max = Some(max);
            entry.prefix_max_stamp_ns = max;
            if row.index_count == 0 {
                row.first_stamp_ns = entry.min_stamp_ns;
            }
            row.last_stamp_ns = max;
            row.index_count += 1;
            row.chunk_count += 1;
            row.message_count += u64::from(entry.message_count);
        }
        directory.push(row);
    }
    Tables {
        streams: streams.to_vec(),
        entries,
        directory,
        clock: None,
        index_content: None,
        directory_content: None,
        more: Vec::new(),
    }
}
