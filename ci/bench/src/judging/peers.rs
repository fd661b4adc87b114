//! What the validator's time is held against: the least that reading, walking and
//! decompressing take, and another format's reader.

use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;

use ca3_spec::opcode::op;

use crate::Outcome;

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;
/// Bytes of a frame, and of the header of a chunk behind it.
const FRAME: usize = 9;
const HEADER: usize = 77;

/// Reads a file to its end and does nothing with it.
pub(crate) fn read(path: &Path) -> Outcome<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; BUFFER];
    while file.read(&mut buffer)? > 0 {
        black_box(&buffer);
    }
    Ok(())
}

/// Calls `take` with the header and the blob of each chunk: records are stepped over by
/// their lengths, and nothing is looked at twice.
fn chunks(path: &Path, mut take: impl FnMut(&[u8], &[u8]) -> Outcome<()>) -> Outcome<()> {
    let mut file = File::open(path)?;
    let mut magic = [0; 8];
    file.read_exact(&mut magic)?;
    let mut content = Vec::new();
    loop {
        let mut frame = [0; FRAME];
        file.read_exact(&mut frame)?;
        let [opcode, length @ ..] = frame;
        content.resize(usize::try_from(u64::from_le_bytes(length))?, 0);
        file.read_exact(&mut content)?;
        if opcode == op::CHUNK {
            let (header, blob) = content.split_at_checked(HEADER).ok_or("a short chunk")?;
            take(header, blob)?;
        }
        if opcode == op::FOOTER {
            return Ok(());
        }
    }
}

/// Goes through the messages of each chunk by their varints, and checks nothing: the
/// length, the stamp, and on to the next one. Gives how many there are.
pub(crate) fn bare_walk(path: &Path) -> Outcome<u64> {
    let mut messages = 0u64;
    let mut stamps = 0u64;
    chunks(path, |_, blob| {
        let mut place = 0usize;
        while place < blob.len() {
            let (length, body) = varint(blob, place);
            let (stamp, _) = varint(blob, body);
            stamps = stamps.wrapping_add(stamp);
            messages = messages.wrapping_add(1);
            place = body.saturating_add(usize::try_from(length)?);
        }
        Ok(())
    })?;
    black_box(stamps);
    Ok(messages)
}

fn varint(bytes: &[u8], mut place: usize) -> (u64, usize) {
    let mut value = 0u64;
    let mut shift = 0u32;
    while let Some(byte) = bytes.get(place) {
        place = place.wrapping_add(1);
        value |= u64::from(byte & 0x7F).wrapping_shl(shift);
        if byte & 0x80 == 0 {
            break;
        }
        shift = shift.wrapping_add(7);
    }
    (value, place)
}

/// Decompresses each chunk into one buffer.
pub(crate) fn decompress(path: &Path) -> Outcome<()> {
    let mut decompressor = zstd::bulk::Decompressor::new()?;
    let mut buffer = vec![0; BUFFER * 2];
    chunks(path, |_, blob| {
        decompressor.decompress_to_buffer(blob, &mut buffer)?;
        black_box(&buffer);
        Ok(())
    })
}

/// Reads every message of an MCAP file, which lies in memory, with the checksums of its
/// chunks. Gives how many there are.
pub(crate) fn mcap(bytes: &[u8]) -> Outcome<u64> {
    let mut messages = 0u64;
    for message in mcap::MessageStream::new(bytes)? {
        black_box(message?);
        messages = messages.wrapping_add(1);
    }
    Ok(messages)
}

/// The same without the channel of each message.
pub(crate) fn mcap_raw(bytes: &[u8]) -> Outcome<u64> {
    let mut messages = 0u64;
    for message in mcap::read::RawMessageStream::new(bytes)? {
        black_box(message?);
        messages = messages.wrapping_add(1);
    }
    Ok(messages)
}
