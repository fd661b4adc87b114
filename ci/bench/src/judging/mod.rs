//! How fast files are judged, and in how much memory (`validator` in `README.md`).
//!
//! Ratios of what was measured in one run, side by side; none of them decides
//! anything, since another machine has others.

mod files;
mod peers;

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ca3_reader::l1::FileSource;
use ca3_reports::FileReport;
use ca3_schema::frames::Catalogue;
use ca3_validate::{DEFAULT_LIMITS, validate_in};
use ca3_wire::crc;
use serde::Serialize;

use crate::Outcome;
use crate::opening::peak;
use files::{CHUNK, Payload, Shape};

/// A quotient of two things that were measured.
#[derive(Debug, Serialize)]
struct Quotient {
    what: &'static str,
    value: f64,
    /// What it should be: at least or at most that.
    target: f64,
    at_most: bool,
}

/// A time of a whole file, the fastest of all rounds.
#[derive(Debug, Serialize)]
struct Timed {
    what: String,
    seconds: f64,
    megabytes_a_second: f64,
    /// Of a file.
    million_messages_a_second: Option<f64>,
}

/// A peak of memory.
#[derive(Debug, Serialize)]
struct Peak {
    what: String,
    mebibytes: f64,
}

#[derive(Debug, Default, Serialize)]
struct Results {
    times: Vec<Timed>,
    quotients: Vec<Quotient>,
    peaks: Vec<Peak>,
}

/// One of several that are timed in turn.
struct Contender<'c> {
    what: &'static str,
    run: Box<dyn FnMut() -> Outcome<()> + 'c>,
    best: Duration,
}

impl<'c> Contender<'c> {
    fn new(what: &'static str, run: impl FnMut() -> Outcome<()> + 'c) -> Self {
        Contender {
            what,
            run: Box::new(run),
            best: Duration::MAX,
        }
    }
}

const ONE: NonZeroUsize = NonZeroUsize::MIN;

/// What is to be measured.
pub(crate) struct Plan {
    /// Bytes of payloads of each file, in mebibytes.
    pub(crate) size: u64,
    /// How often each is timed.
    pub(crate) rounds: u32,
    /// Whether a file of eight times the size is judged too.
    pub(crate) large: bool,
    /// Where the files stay.
    pub(crate) keep: Option<PathBuf>,
}

/// Everything.
pub(crate) fn measure(plan: &Plan, json: bool) -> Outcome<()> {
    let temporary = tempfile::tempdir()?;
    let folder = plan.keep.as_deref().unwrap_or(temporary.path());
    let total = plan.size.saturating_mul(1 << 20);
    let mut results = Results::default();
    checksums(plan.rounds, &mut results)?;
    for part in [blocks, samples, compressed] {
        part(folder, total, plan.rounds, &mut results)?;
        if plan.keep.is_none() {
            empty(folder)?;
        }
    }
    if plan.large {
        let shape = shape(Payload::Block, false, total.saturating_mul(8));
        let path = shape.write(folder, "large.ca3")?;
        peaks("(a), eight times the size", &path, &mut results)?;
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&results)?);
    } else {
        print!("{}", text(&results));
    }
    Ok(())
}

/// Makes room for the files of the next part.
fn empty(folder: &Path) -> Outcome<()> {
    for entry in std::fs::read_dir(folder)? {
        std::fs::remove_file(entry?.path())?;
    }
    Ok(())
}

const fn shape(payload: Payload, compressed: bool, total: u64) -> Shape {
    Shape {
        payload,
        compressed,
        total,
    }
}

/// The checksum of a chunk by the library in use, and by another one.
fn checksums(rounds: u32, results: &mut Results) -> Outcome<()> {
    /// Chunks that each goes through.
    const TIMES: u32 = 512;
    let chunk = vec![0xA5; usize::try_from(CHUNK)?];
    type Sum = fn(&[u8]) -> u32;
    let libraries: [(&str, Sum); 2] = [
        ("CRC-32C of 1 MiB chunks, in use: crc32c", crc::crc32c),
        ("the same by crc-fast", crc_fast::crc32_iscsi),
    ];
    for (what, sum) in libraries {
        let mut best = Duration::MAX;
        for _ in 0..rounds.max(1) {
            let started = Instant::now();
            for _ in 0..TIMES {
                black_box(sum(black_box(&chunk)));
            }
            best = best.min(started.elapsed());
        }
        let seconds = best.as_secs_f64();
        results.times.push(Timed {
            what: what.to_owned(),
            seconds,
            megabytes_a_second: float(CHUNK)? * f64::from(TIMES) / seconds / 1e6,
            million_messages_a_second: None,
        });
    }
    Ok(())
}

/// Blocks of 896 bytes, described and not.
fn blocks(folder: &Path, total: u64, rounds: u32, results: &mut Results) -> Outcome<()> {
    let plain = shape(Payload::Block, false, total);
    let described = shape(Payload::Described, false, total);
    let path = plain.write(folder, "blocks.ca3")?;
    let held = described.write(folder, "described.ca3")?;
    let [read, walk, checked, two] = timed(
        &plain,
        &path,
        rounds,
        results,
        [
            Contender::new("(a) 896-byte blocks: read, 1 MiB a time", || {
                peers::read(&path)
            }),
            Contender::new("(a) structural walk", || judged(&path, ONE)),
            Contender::new("(a) with payload checks", || judged(&held, ONE)),
            Contender::new("(a) structural walk, two threads", || {
                judged(&path, threads(2))
            }),
        ],
    )?;
    results.quotients.extend([
        at_least("(a) walk's speed over the read's", 0.30, read / walk),
        at_least("(a) with payload checks, likewise", 0.15, read / checked),
        at_least("(a) two threads over one", 1.7, walk / two),
    ]);
    peaks("(a)", &path, results)
}

/// Samples of 30 bytes, beside the same in MCAP.
fn samples(folder: &Path, total: u64, rounds: u32, results: &mut Results) -> Outcome<()> {
    let shape = shape(Payload::Sample, false, total);
    let path = shape.write(folder, "samples.ca3")?;
    let mcap = shape.mcap()?;
    let count = |number: u64| match number == shape.messages() {
        true => Ok(()),
        false => Err(format!("{number} messages, not {}", shape.messages()).into()),
    };
    let [bare, walk, two, stream, raw] = timed(
        &shape,
        &path,
        rounds,
        results,
        [
            Contender::new("(b) 30-byte samples: bare varint walk", || {
                count(peers::bare_walk(&path)?)
            }),
            Contender::new("(b) structural walk", || judged(&path, ONE)),
            Contender::new("(b) structural walk, two threads", || {
                judged(&path, threads(2))
            }),
            Contender::new("(b) mcap MessageStream, from memory", || {
                count(peers::mcap(&mcap)?)
            }),
            Contender::new("(b) mcap RawMessageStream, likewise", || {
                count(peers::mcap_raw(&mcap)?)
            }),
        ],
    )?;
    results.quotients.extend([
        at_most("(b) walk's time over the bare walk's", 4.0, walk / bare),
        at_least("(b) messages a second over mcap's", 8.0, stream / walk),
        at_least("(b) over mcap's raw ones", 8.0, raw / walk),
        at_least("(b) two threads over one", 1.7, walk / two),
    ]);
    peaks("(b)", &path, results)
}

/// The samples in zstd.
fn compressed(folder: &Path, total: u64, rounds: u32, results: &mut Results) -> Outcome<()> {
    let shape = shape(Payload::Sample, true, total);
    let path = shape.write(folder, "compressed.ca3")?;
    let [alone, walk, two] = timed(
        &shape,
        &path,
        rounds,
        results,
        [
            Contender::new("(c) samples in zstd: decompression alone", || {
                peers::decompress(&path)
            }),
            Contender::new("(c) structural walk", || judged(&path, ONE)),
            Contender::new("(c) structural walk, two threads", || {
                judged(&path, threads(2))
            }),
        ],
    )?;
    results.quotients.extend([
        at_most("(c) walk's time over decompression's", 1.7, walk / alone),
        at_least("(c) two threads over one", 1.7, walk / two),
    ]);
    peaks("(c)", &path, results)
}

const fn at_least(what: &'static str, target: f64, value: f64) -> Quotient {
    Quotient {
        what,
        value,
        target,
        at_most: false,
    }
}

const fn at_most(what: &'static str, target: f64, value: f64) -> Quotient {
    Quotient {
        what,
        value,
        target,
        at_most: true,
    }
}

/// Runs all in turn, as often as there are rounds, and gives the least time of each in
/// seconds. What disturbs one round disturbs all of them alike.
fn timed<const N: usize>(
    shape: &Shape,
    path: &Path,
    rounds: u32,
    results: &mut Results,
    mut contenders: [Contender<'_>; N],
) -> Outcome<[f64; N]> {
    for _ in 0..rounds.max(1) {
        for contender in &mut contenders {
            let started = Instant::now();
            (contender.run)()?;
            contender.best = contender.best.min(started.elapsed());
        }
    }
    let bytes = std::fs::metadata(path)?.len();
    for contender in &contenders {
        let seconds = contender.best.as_secs_f64();
        results.times.push(Timed {
            what: contender.what.to_owned(),
            seconds,
            megabytes_a_second: float(bytes)? / seconds / 1e6,
            million_messages_a_second: Some(float(shape.messages())? / seconds / 1e6),
        });
    }
    Ok(contenders.map(|contender| contender.best.as_secs_f64()))
}

/// Exact up to 2^32 thousand, which no count here reaches.
fn float(number: u64) -> Outcome<f64> {
    let thousands = u32::try_from(number / 1000)?;
    let rest = u32::try_from(number % 1000)?;
    Ok(f64::from(thousands) * 1000.0 + f64::from(rest))
}

fn threads(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap_or(ONE)
}

fn report(path: &Path, threads: NonZeroUsize) -> Outcome<FileReport> {
    let mut source = FileSource::open(path)?;
    let frames = Catalogue::bundled();
    Ok(validate_in(
        &mut source,
        "",
        DEFAULT_LIMITS,
        frames,
        threads,
    ))
}

/// Judges a file, in which nothing is wrong.
fn judged(path: &Path, threads: NonZeroUsize) -> Outcome<()> {
    let report = report(path, threads)?;
    if report.counts.error > 0 || !report.scan_complete {
        return Err(format!("{:?} {:?}", report.findings, report.incomplete).into());
    }
    Ok(())
}

/// What a process of its own takes at most to judge a file.
fn peaks(what: &str, path: &Path, results: &mut Results) -> Outcome<()> {
    for threads in ["1", "2"] {
        let mut command = Command::new(std::env::current_exe()?);
        let output = command
            .arg("judging-memory")
            .arg(path)
            .arg(threads)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        if let Ok(bytes) = String::from_utf8(output.stdout)?.trim().parse() {
            let on = if threads == "1" { "thread" } else { "threads" };
            results.peaks.push(Peak {
                what: format!("{what}, {threads} {on}"),
                mebibytes: float(bytes)? / 1_048_576.0,
            });
        }
    }
    Ok(())
}

/// In that process: prints the bytes, or nothing where the system does not tell.
pub(crate) fn memory(path: &Path, threads: NonZeroUsize) -> Outcome<()> {
    judged(path, threads)?;
    if let Some(peak) = peak() {
        println!("{peak}");
    }
    Ok(())
}

/// The results, lines of at most 80 columns.
fn text(results: &Results) -> String {
    let mut lines = vec![format!(
        "  {:<44} {:>8} {:>9} {:>12}",
        "the fastest of all rounds", "seconds", "MB/s", "Mmessages/s"
    )];
    for timed in &results.times {
        let messages = timed.million_messages_a_second;
        let messages = messages.map_or_else(String::new, |number| format!("{number:>12.2}"));
        let line = format!(
            "  {:<44} {:>8.3} {:>9.0} {messages}",
            timed.what, timed.seconds, timed.megabytes_a_second
        );
        lines.push(line.trim_end().to_owned());
    }
    lines.push(String::new());
    for quotient in &results.quotients {
        let (bound, met) = if quotient.at_most {
            ("at most", quotient.value <= quotient.target)
        } else {
            ("at least", quotient.value >= quotient.target)
        };
        lines.push(format!(
            "  {:<44} {:>8.2}   {bound} {:.2}{}",
            quotient.what,
            quotient.value,
            quotient.target,
            if met { "" } else { ": missed" }
        ));
    }
    lines.push(String::new());
    for peak in &results.peaks {
        lines.push(format!(
            "  {:<44} {:>8.1} MiB at most",
            format!("peak memory {}", peak.what),
            peak.mebibytes
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}
