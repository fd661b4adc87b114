//! A file in the making.

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::columnar::encode_columnar;
use ca3_wire::frame::framed;
use ca3_wire::records::{
    ChunkIndex, Footer, Header, Record, Schema, Statistics, Stream, StreamDirectory, SummaryOffset,
};
use ca3_wire::rows::encode_chunk;
use ca3_wire::{Codec, Map, OwnedMessage, crc};

/// The bytes so far; every method gives back the offset of what it appends.
#[derive(Clone)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
}

impl File {
    /// The leading magic and nothing else.
    pub(super) fn magic() -> Self {
        File {
            bytes: MAGIC.to_vec(),
        }
    }

    /// Magic and Header.
    pub(super) fn new() -> Self {
        File::with_features(0)
    }

    pub(super) fn with_features(required_features: u64) -> Self {
        let mut file = File::magic();
        file.record(&Header {
            required_features,
            host_id: "host".to_owned(),
            anchor_wall_unix_ns: 1,
            attributes: Map::sorted([("a", "b")]),
            ..Header::default()
        });
        file
    }

    /// Magic, Header, Schema 1 and Stream 1.
    pub(super) fn with_stream() -> Self {
        let mut file = File::with_features(0b101);
        file.record(&schema(1));
        file.record(&stream(1, 1));
        file
    }

    pub(super) fn raw(&mut self, opcode: u8, content: &[u8]) -> u64 {
        let offset = self.length();
        self.bytes.extend(framed(opcode, content));
        offset
    }

    pub(super) fn record<R: Record>(&mut self, record: &R) -> u64 {
        self.raw(R::OPCODE, &record.content().unwrap())
    }

    pub(super) fn chunk(&mut self, stream_ref: u32, payload: u8) -> u64 {
        self.raw(op::CHUNK, &chunk_content(stream_ref, Codec::NONE, payload))
    }

    pub(super) fn columnar(&mut self, stream_ref: u32, codec: Codec, payload: u8) -> u64 {
        let messages = [message(payload), message(payload)];
        let (header, columns, blocks) = encode_columnar(stream_ref, codec, &messages).unwrap();
        let content = [header.content().unwrap(), columns, blocks].concat();
        self.raw(op::COLUMNAR_CHUNK, &content)
    }

    /// The three groups that every summary has, their offsets, Footer, magic.
    pub(super) fn sealed(self) -> Self {
        self.sealed_with(|_| {})
    }

    /// The same, with more records at the start of the summary.
    pub(super) fn sealed_with(mut self, more: impl FnOnce(&mut File)) -> Self {
        let summary_start = self.length();
        more(&mut self);
        let index = self.record(&ChunkIndex::default());
        let directory = self.record(&StreamDirectory::default());
        let statistics = self.record(&Statistics::default());
        let summary_offset_start = self.length();
        let summary = &self.bytes[usize::try_from(summary_start).unwrap()..];
        let summary_crc = crc::crc32c(summary);
        for (opcode, start, end) in [
            (op::CHUNK_INDEX, index, directory),
            (op::STREAM_DIRECTORY, directory, statistics),
            (op::STATISTICS, statistics, summary_offset_start),
        ] {
            self.record(&SummaryOffset {
                opcode,
                start,
                length: end - start,
            });
        }
        self.record(&Footer {
            summary_start,
            summary_offset_start,
            last_checkpoint_offset: 0,
            summary_crc,
        });
        self.bytes.extend(MAGIC);
        self
    }

    pub(super) fn length(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap()
    }
}

pub(super) fn schema(schema_ref: u32) -> Schema {
    Schema {
        schema_ref,
        schema_id: format!("a.B{schema_ref}"),
        encoding: "protobuf".to_owned(),
        descriptor: vec![1, 2, 3],
    }
}

pub(super) fn stream(stream_ref: u32, schema_ref: u32) -> Stream {
    Stream {
        stream_ref,
        schema_ref,
        topic: format!("/t{stream_ref}"),
        ..Stream::default()
    }
}

pub(super) fn message(payload: u8) -> OwnedMessage {
    OwnedMessage {
        monotonic_timestamp_ns: 1_000 + u64::from(payload),
        wall_clock_ns: Some(5_000),
        sequence: Some(u32::from(payload) + 1),
        payload: vec![payload],
        ..OwnedMessage::default()
    }
}

/// A whole chunk of two messages.
pub(super) fn chunk_content(stream_ref: u32, codec: Codec, payload: u8) -> Vec<u8> {
    let messages = [message(payload), message(payload)];
    let (header, blob) = encode_chunk(stream_ref, codec, &messages).unwrap();
    [header.content().unwrap(), blob].concat()
}

/// A whole chunk of that many messages over a hand-made blob.
pub(super) fn blob_content(stream_ref: u32, field_mask: u16, count: u32, blob: &[u8]) -> Vec<u8> {
    let header = ca3_wire::records::ChunkHeader {
        stream_ref,
        field_mask: ca3_wire::FieldMask(field_mask),
        message_count: count,
        records_crc32c: crc::crc32c(blob),
        records_length: u64::try_from(blob.len()).unwrap(),
        ..Default::default()
    };
    [header.content().unwrap(), blob.to_vec()].concat()
}
