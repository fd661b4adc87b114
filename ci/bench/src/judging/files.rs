//! The files that are judged, made message by message in a folder for temporary
//! files, and the same messages in MCAP.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use ca3_spec::feature;
use ca3_spec::opcode::op;
use ca3_wire::records::{ChunkHeader, Header, Record as _, Schema, Stream};
use ca3_wire::rows::encode_chunk;
use ca3_wire::{Codec, OwnedMessage, crc};
use ca3_writer::{Layout, Options, Writer};
use fastrand::Rng;

use crate::{Outcome, payloads};

/// Bytes of a chunk, about.
pub(crate) const CHUNK: u64 = 1 << 20;
/// Bytes that a message takes beside its payload: its length and its stamp.
const AROUND: u64 = 7;

/// What the messages of a file carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// A block of 896 bytes, and nothing else; of no schema.
    Block,
    /// The same block as a field of a message of a schema that says so.
    Described,
    /// A sample of 30 bytes, of no schema.
    Sample,
}

/// A file to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) payload: Payload,
    pub(crate) compressed: bool,
    /// Bytes of all payloads, about.
    pub(crate) total: u64,
}

impl Payload {
    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Payload::Block => 896,
            // A tag and a length of two bytes in front; four bytes of validity behind.
            Payload::Described => 905,
            Payload::Sample => 30,
        }
    }

    /// Puts the payload of a message in place of what is there.
    fn fill(self, random: &mut Rng, state: &mut [i32; 5], number: u64, out: &mut Vec<u8>) {
        out.clear();
        match self {
            Payload::Block | Payload::Described => {
                if self == Payload::Described {
                    out.extend([0x0A, 0x80, 0x07]);
                }
                // Numbers between -1 and 1, of single precision.
                for _ in 0..224 {
                    out.extend((random.f32() * 2.0 - 1.0).to_le_bytes());
                }
                if self == Payload::Described {
                    out.extend([0x12, 4, 0xFF, 0xFF, 0xFF, 0x0F]);
                }
            }
            Payload::Sample => {
                // A counter, and five values that wander.
                out.extend(number.to_le_bytes());
                for value in state.iter_mut() {
                    *value = value.wrapping_add(random.i32(-40..=40));
                    out.extend(value.to_le_bytes());
                }
                out.extend([0, 1]);
            }
        }
    }
}

impl Shape {
    pub(crate) fn messages(&self) -> u64 {
        self.total
            .checked_div(self.payload.bytes())
            .unwrap_or_default()
    }

    /// Each message of the file: its stamp, and its payload.
    fn each(&self, mut take: impl FnMut(u64, &[u8]) -> Outcome<()>) -> Outcome<()> {
        let mut random = Rng::with_seed(0xCA3);
        let mut state = [0; 5];
        let mut payload = Vec::new();
        // A kilohertz, and up to half a microsecond late.
        let mut due = 1_000_000_000u64;
        for number in 0..self.messages() {
            due = due.saturating_add(1_000_000);
            let stamp = due.saturating_add(random.u64(0..500));
            self.payload
                .fill(&mut random, &mut state, number, &mut payload);
            take(stamp, &payload)?;
        }
        Ok(())
    }

    /// Makes the CA3 file.
    pub(crate) fn write(&self, folder: &Path, name: &str) -> Outcome<PathBuf> {
        let path = folder.join(name);
        let header = Header {
            required_features: u64::from(self.compressed) << feature::ZSTD,
            host_id: "host".to_owned(),
            host_clock_epoch: "boot".to_owned(),
            monotonic_source: "CLOCK_BOOTTIME".to_owned(),
            ..Header::default()
        };
        let a_chunk = CHUNK
            .checked_div(self.payload.bytes() + AROUND)
            .and_then(|messages| NonZeroU32::new(u32::try_from(messages).ok()?))
            .unwrap_or(NonZeroU32::MIN);
        let options = Options {
            chunk_messages: a_chunk,
            checkpoint_chunks: NonZeroU32::new(64),
            ..Options::default()
        };
        let sink = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        let mut writer = Writer::create(sink, header, options)?;
        let schema_ref = u32::from(self.payload == Payload::Described);
        if self.payload == Payload::Described {
            writer.schema(&Schema {
                schema_ref,
                schema_id: "bench.Body".to_owned(),
                encoding: "protobuf".to_owned(),
                descriptor: payloads::descriptor_set()?,
            })?;
        }
        let stream = Stream {
            stream_ref: 1,
            topic: "samples".to_owned(),
            schema_ref,
            host_id: "host".to_owned(),
            host_clock_epoch: "boot".to_owned(),
            schema_conformance: u8::from(self.payload == Payload::Described),
            ..Stream::default()
        };
        writer.stream(&stream, Layout::Rows)?;
        let mut chunk = Vec::new();
        self.each(|stamp, payload| {
            let message = OwnedMessage {
                monotonic_timestamp_ns: stamp,
                payload: payload.to_vec(),
                ..OwnedMessage::default()
            };
            if !self.compressed {
                return Ok(writer.message(1, message)?);
            }
            chunk.push(message);
            if chunk.len() == usize::try_from(a_chunk.get())? {
                writer.chunk_as_is(op::CHUNK, &compressed(&chunk)?, 0)?;
                chunk.clear();
            }
            Ok(())
        })?;
        if !chunk.is_empty() {
            writer.chunk_as_is(op::CHUNK, &compressed(&chunk)?, 0)?;
        }
        writer.seal()?.sink.flush()?;
        Ok(path)
    }

    /// The same messages in MCAP, in memory: chunks of the same size, with their
    /// checksums, uncompressed.
    pub(crate) fn mcap(&self) -> Outcome<Vec<u8>> {
        let options = mcap::WriteOptions::new()
            .compression(None)
            .chunk_size(Some(CHUNK));
        let mut writer = options.create(std::io::Cursor::new(Vec::new()))?;
        let channel = writer.add_channel(0, "samples", "", &std::collections::BTreeMap::new())?;
        let mut sequence = 0u32;
        self.each(|stamp, payload| {
            sequence = sequence.wrapping_add(1);
            let header = mcap::records::MessageHeader {
                channel_id: channel,
                sequence,
                log_time: stamp,
                publish_time: stamp,
            };
            Ok(writer.write_to_known_channel(&header, payload)?)
        })?;
        writer.finish()?;
        Ok(writer.into_inner().into_inner())
    }
}

/// A chunk of these messages in zstd level 1, which is what recorders that are short
/// of time choose.
fn compressed(messages: &[OwnedMessage]) -> Outcome<Vec<u8>> {
    let (header, blob) = encode_chunk(1, Codec::NONE, messages)?;
    let stored = zstd::bulk::compress(&blob, 1)?;
    let header = ChunkHeader {
        codec: Codec::ZSTD,
        records_crc32c: crc::crc32c(&stored),
        records_length: u64::try_from(stored.len())?,
        ..header
    };
    let mut content = header.content()?;
    content.extend(stored);
    Ok(content)
}
