//! Row-wise chunks (§6.1-§6.4): coded by hand, or from whole messages.

use ca3_spec::protocol::{Decimal, Hex, MessageView};
use ca3_wire::records::{ChunkHeader, Record};
use ca3_wire::{Codec, EncodeError, Encoder, FieldMask};

use super::layout::wide;
use crate::zstd_frame;

/// The shortest varint of a value.
pub fn varint(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    ca3_wire::varint::encode(value, &mut out);
    out
}

/// The stamps and the sequence that a message decodes to, stated by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// `monotonic_timestamp_ns`.
    pub stamp: u64,
    /// `record_ts_ns`.
    pub record_ts: Option<u64>,
    /// `wall_clock_ns`.
    pub wall: Option<u64>,
    /// `source_timestamp_ns`.
    pub source: Option<u64>,
    /// `sequence`.
    pub sequence: Option<u32>,
}

impl Decoded {
    /// A message with a stamp and nothing else.
    pub fn at(stamp: u64) -> Self {
        Decoded {
            stamp,
            ..Decoded::default()
        }
    }

    /// With a `record_ts_ns`.
    pub fn record_ts(self, value: u64) -> Self {
        Decoded {
            record_ts: Some(value),
            ..self
        }
    }

    /// With a `wall_clock_ns`.
    pub fn wall(self, value: u64) -> Self {
        Decoded {
            wall: Some(value),
            ..self
        }
    }

    /// With a `source_timestamp_ns`.
    pub fn source(self, value: u64) -> Self {
        Decoded {
            source: Some(value),
            ..self
        }
    }

    /// With a `sequence`.
    pub fn sequence(self, value: u32) -> Self {
        Decoded {
            sequence: Some(value),
            ..self
        }
    }

    pub(crate) fn view(&self, stream_ref: u32, payload: &[u8]) -> MessageView {
        MessageView {
            stream_ref,
            monotonic_timestamp_ns: Decimal(self.stamp),
            record_ts_ns: self.record_ts.map(Decimal),
            wall_clock_ns: self.wall.map(Decimal),
            source_timestamp_ns: self.source.map(Decimal),
            sequence: self.sequence,
            payload: Hex(payload.to_vec()),
        }
    }
}

/// A whole message: what it decodes to, and its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its stamps and sequence.
    pub decoded: Decoded,
    /// Its payload.
    pub payload: Vec<u8>,
}

impl Sample {
    /// A message with a stamp and a payload.
    pub fn new(decoded: Decoded, payload: &[u8]) -> Self {
        Sample {
            decoded,
            payload: payload.to_vec(),
        }
    }
}

/// One message as coded in a blob, beside what it decodes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// The bytes of `len`, where they are not the shortest form of the rest.
    pub len: Option<Vec<u8>>,
    /// The bytes of `stamp_delta`.
    pub stamp_delta: Vec<u8>,
    /// The bytes of each field of the mask, ascending.
    pub fields: Vec<Vec<u8>>,
    /// The payload.
    pub payload: Vec<u8>,
    /// What it decodes to.
    pub decoded: Decoded,
}

impl Coded {
    /// A message of a delta, one value a mask bit, and a payload.
    pub fn new(delta: u64, fields: &[u64], payload: &[u8], decoded: Decoded) -> Self {
        Coded {
            len: None,
            stamp_delta: varint(delta),
            fields: fields.iter().copied().map(varint).collect(),
            payload: payload.to_vec(),
            decoded,
        }
    }

    fn body_len(&self) -> usize {
        let fields: usize = self.fields.iter().map(Vec::len).sum();
        self.stamp_delta
            .len()
            .saturating_add(fields)
            .saturating_add(self.payload.len())
    }
}

/// A row-wise chunk in the making: what is `None` is computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Chunk {
    pub stream_ref: u32,
    pub codec: u8,
    pub field_mask: u16,
    pub flags: u16,
    pub message_count: Option<u32>,
    pub min_stamp_ns: u64,
    pub max_stamp_ns: Option<u64>,
    pub record_ts_base_ns: u64,
    pub wall_base_ns: u64,
    pub source_base_ns: u64,
    pub seq_first: u32,
    pub uncompressed_bytes: Option<u64>,
    pub records_crc32c: Option<u32>,
    pub records_length: Option<u64>,
    /// The messages.
    pub messages: Vec<Coded>,
    /// Bytes of the blob behind the last message.
    pub blob_tail: Vec<u8>,
    /// The blob as stored, where it is not what the codec makes of the messages.
    pub stored: Option<Vec<u8>>,
    /// Bytes behind the blob, inside the content.
    pub content_tail: Vec<u8>,
}

const NAMES: [&str; 4] = [
    "record_ts_ns",
    "wall_clock_ns",
    "source_timestamp_ns",
    "sequence",
];

impl Chunk {
    /// An empty chunk of a stream, sorted, with a delta base.
    pub fn new(stream_ref: u32, min_stamp_ns: u64) -> Self {
        Chunk {
            stream_ref,
            min_stamp_ns,
            flags: 1,
            ..Chunk::default()
        }
    }

    /// Two plain messages, at 2000 and 2010, payloads `one` and `two`.
    pub fn two(stream_ref: u32) -> Self {
        Chunk::of(
            stream_ref,
            &[
                Sample::new(Decoded::at(2_000), b"one"),
                Sample::new(Decoded::at(2_010), b"two"),
            ],
        )
    }

    /// Two plain messages of the schema `Sample`: its `value` is 1, then 2.
    pub fn values(stream_ref: u32) -> Self {
        Chunk::plain(stream_ref, &[(2_000, b"\x08\x01"), (2_010, b"\x08\x02")])
    }

    /// Plain messages at these stamps.
    pub fn plain(stream_ref: u32, messages: &[(u64, &[u8])]) -> Self {
        let samples: Vec<Sample> = messages
            .iter()
            .map(|(stamp, payload)| Sample::new(Decoded::at(*stamp), payload))
            .collect();
        Chunk::of(stream_ref, &samples)
    }

    /// A chunk of whole messages, coded as §6.1-§6.4 prescribe.
    ///
    /// A message without a `record_ts_ns` beside ones that carry it has no
    /// encoding (reading G35); such a case codes its chunk by hand.
    pub fn of(stream_ref: u32, samples: &[Sample]) -> Self {
        let least = |value: &dyn Fn(&Decoded) -> Option<u64>| {
            samples
                .iter()
                .filter_map(|sample| value(&sample.decoded))
                .min()
        };
        let min_stamp_ns = least(&|decoded| Some(decoded.stamp)).unwrap_or_default();
        let record_base = least(&|decoded| decoded.record_ts);
        let source_base = least(&|decoded| decoded.source);
        // Reading G41: a base below zero is clamped.
        let wall_base = least(&|d| {
            d.wall
                .map(|wall| wall.saturating_sub(d.stamp.saturating_sub(min_stamp_ns)))
        });
        let mut chunk = Chunk::new(stream_ref, min_stamp_ns);
        chunk.record_ts_base_ns = record_base.unwrap_or_default();
        chunk.wall_base_ns = wall_base.unwrap_or_default();
        chunk.source_base_ns = source_base.unwrap_or_default();
        chunk.seq_first = samples
            .first()
            .and_then(|sample| sample.decoded.sequence)
            .unwrap_or_default();
        chunk.flags = u16::from(samples.is_sorted_by_key(|sample| sample.decoded.stamp));
        let run = (0u64..).zip(samples).all(|(index, sample)| {
            sample.decoded.sequence == (chunk.seq_first != 0).then(|| wrap(chunk.seq_first, index))
        });
        chunk.field_mask = u16::from(record_base.is_some())
            | u16::from(wall_base.is_some()) << 1
            | u16::from(source_base.is_some()) << 2
            | u16::from(!run) << 3;
        for (index, sample) in (0u64..).zip(samples) {
            let fields = chunk.code(index, &sample.decoded);
            let delta = sample.decoded.stamp.saturating_sub(min_stamp_ns);
            chunk
                .messages
                .push(Coded::new(delta, &fields, &sample.payload, sample.decoded));
        }
        chunk
    }

    /// The value of each set mask bit for a message (§6.3), ascending.
    pub(crate) fn code(&self, index: u64, decoded: &Decoded) -> Vec<u64> {
        let delta = decoded.stamp.saturating_sub(self.min_stamp_ns);
        let skew = |value: u64, base: u64| {
            let difference = i128::from(value).saturating_sub(i128::from(base));
            let difference = i64::try_from(difference).unwrap_or(i64::MAX);
            ca3_wire::varint::zigzag_encode(difference).saturating_add(1)
        };
        let mut fields = Vec::new();
        if self.field_mask & 1 != 0 {
            let value = decoded.record_ts.unwrap_or_default();
            fields.push(value.saturating_sub(self.record_ts_base_ns));
        }
        if self.field_mask & 2 != 0 {
            let base = self.wall_base_ns.saturating_add(delta);
            fields.push(decoded.wall.map_or(0, |wall| skew(wall, base)));
        }
        if self.field_mask & 4 != 0 {
            fields.push(
                decoded
                    .source
                    .map_or(0, |source| skew(source, self.source_base_ns)),
            );
        }
        if self.field_mask & 8 != 0 {
            let base = u64::from(self.seq_first).saturating_add(index);
            fields.push(
                decoded
                    .sequence
                    .map_or(0, |sequence| skew(u64::from(sequence), base)),
            );
        }
        fields
    }

    /// With these mask bits.
    pub fn mask(self, field_mask: u16) -> Self {
        Chunk { field_mask, ..self }
    }

    /// With a base for bits 0, 1 and 2.
    pub fn bases(self, record_ts: u64, wall: u64, source: u64) -> Self {
        Chunk {
            record_ts_base_ns: record_ts,
            wall_base_ns: wall,
            source_base_ns: source,
            ..self
        }
    }

    /// With a first sequence.
    pub fn seq_first(self, seq_first: u32) -> Self {
        Chunk { seq_first, ..self }
    }

    /// With one more message.
    pub fn message(mut self, message: Coded) -> Self {
        self.messages.push(message);
        self
    }

    /// Stored as one zstd frame.
    pub fn zstd(self) -> Self {
        Chunk {
            codec: Codec::ZSTD.0,
            ..self
        }
    }

    /// The message at an index, for an edit.
    pub fn at(&mut self, index: usize) -> Option<&mut Coded> {
        self.messages.get_mut(index)
    }

    /// The blob before compression.
    pub fn blob(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        self.write_blob(&mut out);
        out.into_bytes()
    }

    fn write_blob(&self, out: &mut Encoder) {
        for (index, message) in self.messages.iter().enumerate() {
            let field = |name: &str| format!("message[{index}].{name}");
            let length = u64::try_from(message.body_len()).unwrap_or(u64::MAX);
            let len = message.len.clone().unwrap_or_else(|| varint(length));
            out.raw(&field("len"), &len);
            out.raw(&field("stamp_delta"), &message.stamp_delta);
            let bits = (0u16..16).filter(|bit| self.field_mask >> bit & 1 == 1);
            for (bit, bytes) in bits
                .map(Some)
                .chain(std::iter::repeat(None))
                .zip(&message.fields)
            {
                let name = bit.and_then(|bit| NAMES.get(usize::from(bit)).copied());
                let name = match (name, bit) {
                    (Some(name), _) => name.to_owned(),
                    (None, Some(bit)) => format!("bit_{bit}"),
                    (None, None) => "extra".to_owned(),
                };
                out.raw(&field(&name), bytes);
            }
            out.raw(&field("payload"), &message.payload);
        }
        if !self.blob_tail.is_empty() {
            out.raw("blob_tail", &self.blob_tail);
        }
    }

    /// The content: header, blob, and what stands behind it.
    pub(crate) fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        let blob = self.blob();
        let stored = self
            .stored
            .clone()
            .unwrap_or_else(|| match Codec(self.codec) {
                Codec::ZSTD => zstd_frame::raw(&blob),
                _ => blob.clone(),
            });
        let header = ChunkHeader {
            stream_ref: self.stream_ref,
            codec: Codec(self.codec),
            field_mask: FieldMask(self.field_mask),
            flags: self.flags,
            message_count: self.count(),
            min_stamp_ns: self.min_stamp_ns,
            max_stamp_ns: self.max_stamp(),
            record_ts_base_ns: self.record_ts_base_ns,
            wall_base_ns: self.wall_base_ns,
            source_base_ns: self.source_base_ns,
            seq_first: self.seq_first,
            uncompressed_bytes: self.uncompressed_bytes.unwrap_or(wide(blob.len())),
            records_crc32c: self.records_crc32c.unwrap_or(crc32c(&stored)),
            records_length: self.records_length.unwrap_or(wide(stored.len())),
        };
        header.encode(out)?;
        if self.stored.is_none() && stored == blob {
            self.write_blob(out);
        } else {
            out.raw("records", &stored);
        }
        if !self.content_tail.is_empty() {
            out.raw("content_tail", &self.content_tail);
        }
        Ok(())
    }

    pub(crate) fn count(&self) -> u32 {
        self.message_count
            .unwrap_or(u32::try_from(self.messages.len()).unwrap_or(u32::MAX))
    }

    pub(crate) fn max_stamp(&self) -> u64 {
        self.max_stamp_ns.unwrap_or_else(|| {
            self.messages
                .iter()
                .map(|message| message.decoded.stamp)
                .max()
                .unwrap_or_default()
        })
    }

    pub(crate) fn views(&self) -> Vec<MessageView> {
        self.messages
            .iter()
            .map(|message| message.decoded.view(self.stream_ref, &message.payload))
            .collect()
    }
}

/// §6.4's wrap of a base and a step, the base at least 1.
pub(crate) fn wrap(seq_first: u32, step: u64) -> u32 {
    let modulus = u64::from(u32::MAX);
    let position = u64::from(seq_first).saturating_sub(1).saturating_add(step) % modulus;
    u32::try_from(position.saturating_add(1)).unwrap_or(u32::MAX)
}

/// CRC-32C of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    ca3_wire::crc::crc32c(bytes)
}
