//! Getting bytes, within a budget and a piece at a time.

use std::io;

use ca3_reader::l1::Source;
use ca3_wire::crc;
use sha2::{Digest, Sha256};

/// Bytes read at a time where a stretch is only passed over.
const STEP: u64 = 64 * 1024;

/// Calls `take` with the bytes from `start` to `end`, a piece at a time.
pub(crate) fn pieces(
    source: &mut dyn Source,
    start: u64,
    end: u64,
    mut take: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut buffer = vec![0; usize::try_from(STEP).unwrap_or_default()];
    let mut offset = start;
    while offset < end {
        let length = STEP.min(end.saturating_sub(offset));
        let count = usize::try_from(length).unwrap_or_default();
        let Some(piece) = buffer.get_mut(..count) else {
            break;
        };
        source.read_at(offset, piece)?;
        take(piece);
        offset = offset.saturating_add(length);
    }
    Ok(())
}

/// CRC-32C of a stretch of the file.
pub(crate) fn crc_of(source: &mut dyn Source, start: u64, end: u64) -> io::Result<u32> {
    let mut sum = crc::crc32c(&[]);
    pieces(source, start, end, |piece| sum = crc::append(sum, piece))?;
    Ok(sum)
}

/// SHA-256 of the whole file, in hexadecimal.
///
/// # Errors
/// Where it cannot be read to its end.
pub(crate) fn sha256(source: &mut dyn Source) -> io::Result<String> {
    use std::fmt::Write as _;
    let mut hasher = Sha256::new();
    let end = source.length();
    pieces(source, 0, end, |piece| hasher.update(piece))?;
    let mut text = String::new();
    for byte in hasher.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Eight bytes, least significant first.
pub(crate) fn u64_at(source: &mut dyn Source, offset: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    source.read_at(offset, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Four bytes, least significant first.
pub(crate) fn u32_at(source: &mut dyn Source, offset: u64) -> io::Result<u32> {
    let mut bytes = [0; 4];
    source.read_at(offset, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}
