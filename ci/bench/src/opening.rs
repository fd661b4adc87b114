//! Opening a sealed file of many chunks (§16, items 9 and 16), and what a
//! query takes on it.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use ca3_reader::l1::{FileSource, Limits};
use ca3_reader::l2::{IndexedFile, Options};
use ca3_spec::FRAME_BYTES;
use ca3_wire::Codec;

use crate::counting::{Count, Counting};
use crate::sealed::{Layout, Maker, Sealed};
use crate::shapes::regular;
use crate::table::{CLOSE, Figure, Part, Ratio};
use crate::{Outcome, Refused};

/// Chunks of the file.
const CHUNKS: u64 = 100_000;
/// The greatest ratio of reads that opening without the walk may take, in
/// thousandths: seven for the two ends and the offsets, and one for each
/// mebibyte of a summary of five and a half, where three would do.
const READS: u64 = 4500;
/// Queries that are timed.
const QUERIES: u64 = 100;

/// The file is opened from a temporary folder, not walked and walked.
pub(crate) fn measure() -> Outcome<Part> {
    let sealed = many_chunks()?;
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(&sealed.bytes)?;
    file.flush()?;
    let mut part = Part::new("Opening a file of 100,000 chunks, against its two ends");
    part.figures
        .push(Figure::new("the file", sealed.length(), "bytes"));
    for walk_spine in [false, true] {
        one(&sealed, file.path(), walk_spine, &mut part)?;
    }
    Ok(part)
}

/// Chunks of four messages, on ten streams in turn.
fn many_chunks() -> Outcome<Sealed> {
    let mut maker = Maker::new(10)?;
    for chunk in 0..CHUNKS {
        let stamps = regular(chunk).into_iter().take(4).collect();
        let stream_ref = u32::try_from(chunk % 10 + 1)?;
        maker.chunk(stream_ref, (Layout::Rows, Codec::NONE), stamps, 16)?;
    }
    maker.seal()
}

fn one(sealed: &Sealed, path: &Path, walk_spine: bool, part: &mut Part) -> Outcome<()> {
    let name = if walk_spine { "walked" } else { "not walked" };
    let (mut source, count) = Counting::new(FileSource::open(path)?);
    let started = Instant::now();
    let mut file = open(&mut source, walk_spine)?;
    let took = started.elapsed();
    let Count { reads, bytes } = count.get();
    // The head up to the end of the Header, and everything from the summary to
    // the end: a read for the head, one for the tail, one for what the tail
    // leads to. The walk adds the frame of each record.
    let ends = sealed.header_end + sealed.length() - sealed.summary_start;
    let frames = if walk_spine { sealed.data_records } else { 0 };
    let in_bytes = Ratio::new(format!("{name}: bytes"), bytes, ends + frames * FRAME_BYTES);
    let in_reads = Ratio::new(format!("{name}: reads"), reads, 3 + frames);
    part.ratios.extend([
        in_bytes.bounded(CLOSE).in_reads(reads),
        in_reads.bounded(if walk_spine { CLOSE } else { READS }),
    ]);
    part.figures
        .push(Figure::time(format!("{name}: opening"), took));
    if let Some(peak) = peak_of_another_process(path, walk_spine)? {
        let row = |what: &str, value, unit| Figure::new(format!("{name}: {what}"), value, unit);
        part.figures.extend([
            row("peak memory", peak / 1024, "KiB"),
            row("peak memory, a chunk", peak / CHUNKS, "bytes"),
        ]);
    }
    part.figures.extend(queries(name, &mut file)?);
    Ok(())
}

/// What a query takes on one stream of ten, all over the file.
fn queries(name: &str, file: &mut IndexedFile<'_>) -> Outcome<[Figure; 2]> {
    let end = CHUNKS * 640;
    let instants = (0..QUERIES).map(|query| (query * 7_919_777 + 5) % end);
    let state = timed(instants.clone(), |at| {
        file.state_at(at, Some(&[3])).map(drop).map_err(Refused)
    })?;
    let window = timed(instants, |at| {
        let to = at.saturating_add(10_000);
        file.window(at, to, &[3]).map(drop).map_err(Refused)
    })?;
    Ok([
        Figure::time(format!("{name}: a state_at, then"), state),
        Figure::time(format!("{name}: a window, then"), window),
    ])
}

fn open<'s>(source: &'s mut Counting<FileSource>, walk_spine: bool) -> Outcome<IndexedFile<'s>> {
    let options = Options { walk_spine };
    IndexedFile::open(source, &Limits::default(), options).map_err(|report| Refused(report).into())
}

/// What one of these takes, on average.
fn timed<E>(
    mut instants: impl Iterator<Item = u64>,
    mut ask: impl FnMut(u64) -> Result<(), E>,
) -> Result<Duration, E> {
    let started = Instant::now();
    instants.try_for_each(&mut ask)?;
    let queries = u32::try_from(QUERIES).unwrap_or(u32::MAX);
    Ok(started
        .elapsed()
        .checked_div(queries)
        .unwrap_or(Duration::MAX))
}

/// How much more memory than before a fresh process has held once it has
/// opened the file: this one has built it, and remembers that.
fn peak_of_another_process(path: &Path, walk_spine: bool) -> Outcome<Option<u64>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("opening-memory").arg(path);
    if walk_spine {
        command.arg("--walk");
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse().ok())
}

/// In that process: prints the bytes, or nothing where the system does not tell.
pub(crate) fn memory(path: &Path, walk_spine: bool) -> Outcome<()> {
    let before = peak();
    let (mut source, _) = Counting::new(FileSource::open(path)?);
    black_box(open(&mut source, walk_spine)?);
    if let (Some(before), Some(after)) = (before, peak()) {
        println!("{}", after.saturating_sub(before));
    }
    Ok(())
}

/// The most memory that this process has held, in bytes, where the system has
/// a `/proc`.
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes: u64 = line?.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_ends_with_its_summary() {
        let mut maker = Maker::new(1).unwrap();
        maker
            .chunk(1, (Layout::Rows, Codec::NONE), regular(0), 3)
            .unwrap();
        let sealed = maker.seal().unwrap();
        assert_eq!(sealed.data_records, 2);
        let chunk = sealed.chunks.last().unwrap();
        assert_eq!(chunk.offset + chunk.length, sealed.summary_start);
        // Of 64 messages: a length, a stamp of one byte or two, three bytes.
        let stamps = 13 + 51 * 2;
        assert_eq!(chunk.length, 9 + 77 + 64 + stamps + 64 * 3);
    }
}
