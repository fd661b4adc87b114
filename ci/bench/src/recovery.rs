//! Recovering a large file whose writer was killed (§8.3): frames, chunk headers
//! and checkpoints are what it takes, and no message.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io;
use std::process::Command;
use std::time::Instant;

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::{Method, Recovered, recover};
use ca3_spec::{FRAME_BYTES, MAGIC};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Checkpoint, ChunkHeader, Header, IndexEntry, Record, Stream};
use ca3_wire::rows::encode_chunk;
use ca3_wire::{Codec, OwnedMessage};

use crate::counting::{Count, Counting};
use crate::opening::peak;
use crate::sealed::wide;
use crate::table::{CLOSE, Figure, Part, Ratio};
use crate::{Outcome, Refused};

/// Whole chunks of the file; one more is cut.
const CHUNKS: u64 = 100_000;
/// Bytes of each chunk's one payload: all chunks together take a gibibyte.
const PAYLOAD: usize = 10_640;
/// Chunks from one checkpoint to the next.
const CADENCE: u64 = 128;

/// A file whose payloads are zeros and are kept nowhere.
struct Killed {
    /// What is not zero, by offset.
    parts: BTreeMap<u64, Vec<u8>>,
    length: u64,
    /// The bytes that recovery cannot do without.
    least: u64,
}

impl Source for Killed {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.saturating_add(wide(buffer.len()));
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer.fill(0);
        let before = self.parts.range(..=offset).next_back();
        let within = self.parts.range(offset.saturating_add(1)..end);
        for (start, part) in before.into_iter().chain(within) {
            for (at, byte) in (*start..).zip(part) {
                let place = at
                    .checked_sub(offset)
                    .and_then(|at| usize::try_from(at).ok());
                if let Some(slot) = place.and_then(|at| buffer.get_mut(at)) {
                    *slot = *byte;
                }
            }
        }
        Ok(())
    }
}

/// The file, with checkpoints or without.
fn killed(with_checkpoints: bool) -> Outcome<Killed> {
    let header = Header {
        host_id: "host".to_owned(),
        host_clock_epoch: "boot".to_owned(),
        ..Header::default()
    };
    let stream = Stream {
        stream_ref: 1,
        topic: "/1".to_owned(),
        host_id: header.host_id.clone(),
        host_clock_epoch: header.host_clock_epoch.clone(),
        ..Stream::default()
    };
    let mut file = Killed {
        parts: BTreeMap::from([(0, MAGIC.to_vec())]),
        length: wide(MAGIC.len()),
        least: wide(MAGIC.len()),
    };
    file.put::<Header>(&header.content()?);
    file.put::<Stream>(&stream.content()?);
    let message = OwnedMessage {
        payload: vec![0; PAYLOAD],
        ..OwnedMessage::default()
    };
    let (chunk, blob) = encode_chunk(1, Codec::NONE, &[message])?;
    // The blob's length and stamp delta; zeros follow.
    let before_payload = blob.len().saturating_sub(PAYLOAD);
    let fields = blob.get(..before_payload).unwrap_or_default();
    let (mut entries, mut prev_offset, mut checkpoint_seq) = (Vec::new(), 0, 0u64);
    for index in 0..=CHUNKS {
        let offset = file.chunk(&chunk, fields, index * 1000)?;
        entries.push(IndexEntry {
            chunk_offset: offset,
            chunk_length: file.length.saturating_sub(offset),
            min_stamp_ns: index * 1000,
            max_stamp_ns: index * 1000,
            message_count: 1,
            stream_ref: 1,
            ..IndexEntry::default()
        });
        if with_checkpoints && index % CADENCE == CADENCE - 1 {
            checkpoint_seq = checkpoint_seq.saturating_add(1);
            let checkpoint = Checkpoint {
                checkpoint_seq,
                index_entries: std::mem::take(&mut entries),
                self_offset: file.length,
                prev_offset,
                ..Checkpoint::default()
            };
            prev_offset = file.length;
            file.put::<Checkpoint>(&checkpoint.content()?);
        }
    }
    // The writer was killed within the last chunk.
    file.length = file.length.saturating_sub(wide(PAYLOAD / 2));
    Ok(file)
}

impl Killed {
    fn put<R: Record>(&mut self, content: &[u8]) {
        let frame = RecordFrame {
            opcode: R::OPCODE,
            offset: self.length,
            content_length: wide(content.len()),
        };
        let bytes = [frame.encode().as_slice(), content].concat();
        let length = wide(bytes.len());
        self.parts.insert(self.length, bytes);
        self.length = self.length.saturating_add(length);
        self.least = self.least.saturating_add(length);
    }

    /// A chunk of one message of zeros, at that stamp; its offset.
    fn chunk(&mut self, header: &ChunkHeader, fields: &[u8], stamp: u64) -> Outcome<u64> {
        let offset = self.length;
        let header = ChunkHeader {
            min_stamp_ns: stamp,
            max_stamp_ns: stamp,
            ..*header
        };
        let content = header.content()?;
        let frame = RecordFrame {
            opcode: ChunkHeader::OPCODE,
            offset,
            content_length: ChunkHeader::BYTES.saturating_add(header.records_length),
        };
        let bytes = [frame.encode().as_slice(), &content, fields].concat();
        self.parts.insert(offset, bytes);
        self.length = frame.end()?;
        self.least = self.least.saturating_add(FRAME_BYTES + ChunkHeader::BYTES);
        Ok(offset)
    }
}

fn recovered(source: &mut dyn Source) -> Outcome<Recovered> {
    let found = recover(source, &Limits::default()).map_err(Refused)?;
    if found.entries.len() == usize::try_from(CHUNKS)? && found.holes.len() == 1 {
        Ok(found)
    } else {
        Err(format!(
            "{} chunks recovered of {CHUNKS}, and {} holes",
            found.entries.len(),
            found.holes.len()
        )
        .into())
    }
}

/// A gibibyte, by the chain of its checkpoints and without any.
pub(crate) fn measure() -> Outcome<Part> {
    let mut part = Part::new("Recovering a gibibyte of 100,000 chunks, the last one cut");
    for (name, with_checkpoints, method) in [
        ("checkpoints", true, Method::CheckpointChain),
        ("no checkpoint", false, Method::SpineWalk),
    ] {
        let file = killed(with_checkpoints)?;
        let (length, least) = (file.length, file.least);
        let (mut source, count) = Counting::new(file);
        let started = Instant::now();
        let found = recovered(&mut source)?;
        let took = started.elapsed();
        if found.method != method {
            return Err(format!("{name}: recovered by {:?}", found.method).into());
        }
        let Count { reads, bytes } = count.get();
        let ratio = Ratio::new(format!("{name}: bytes"), bytes, least);
        part.ratios.push(ratio.bounded(CLOSE).in_reads(reads));
        part.figures
            .push(Figure::new(format!("{name}: the file"), length, "bytes"));
        part.figures
            .push(Figure::time(format!("{name}: recovery"), took));
        if let Some(peak) = peak_of_another_process(with_checkpoints)? {
            part.figures.extend([
                Figure::new(format!("{name}: peak memory"), peak / 1024, "KiB"),
                Figure::new(
                    format!("{name}: peak memory, a chunk"),
                    peak / CHUNKS,
                    "bytes",
                ),
            ]);
        }
    }
    Ok(part)
}

/// How much more memory than before a fresh process has held once it has
/// recovered the file: this one has built others.
fn peak_of_another_process(with_checkpoints: bool) -> Outcome<Option<u64>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("recovery-memory");
    if with_checkpoints {
        command.arg("--checkpoints");
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse().ok())
}

/// In that process: prints the bytes, or nothing where the system does not tell.
pub(crate) fn memory(with_checkpoints: bool) -> Outcome<()> {
    let mut file = killed(with_checkpoints)?;
    let before = peak();
    black_box(recovered(&mut file)?);
    if let (Some(before), Some(after)) = (before, peak()) {
        println!("{}", after.saturating_sub(before));
    }
    Ok(())
}
