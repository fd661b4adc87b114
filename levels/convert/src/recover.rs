//! A sealed file from a truncated or damaged one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use ca3_reader::l1::{FileSource, Limits, Source};
use ca3_reader::l4::{self, Found, Method, Recovered};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::{FOOTER_FROM_END, MAGIC};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Footer, Record};

use crate::check::{self, Watched};
use crate::place::{self, Place};
use crate::rewrite::{Facts, Rewritten, rewrite};
use crate::signals::{Signals, Until};
use crate::statement::{self, Counters, Statement, Stretch, TOOL, reason};
use crate::{Failure, counters, piece};

pub use crate::place::Existing;

/// Bytes that are written together.
const BUFFER: usize = 256 * 1024;

/// Writes to `output` what can be saved of `input`, and says what was lost.
/// The output gets its name once it is whole, judged and compared.
///
/// # Errors
/// Whatever keeps the output from being put in place; nothing is left behind.
pub fn recover(
    input: &Path,
    output: &Path,
    existing: Existing,
    limits: &Limits,
    signals: &Signals,
) -> Result<Statement, Failure> {
    let watched = Watched::open(input);
    let made = watched.unless_changed(make(input, output, existing, limits, signals), input);
    if let Some(stopped) = signals.stopped() {
        return Err(stopped);
    }
    let (statement, place) = made?;
    place.settle()?;
    Ok(statement)
}

/// The output, whole and looked at, without its name.
fn make(
    input: &Path,
    output: &Path,
    existing: Existing,
    limits: &Limits,
    signals: &Signals,
) -> Result<(Statement, Place), Failure> {
    // Its length is taken here, once: what is appended later is not looked at.
    let inner = FileSource::open(input).map_err(|error| {
        Failure::Source(format!(
            "{}: {error}; name a file that can be opened and read",
            input.display()
        ))
    })?;
    let mut source = Until { inner, signals };
    let of_input = |failure: Failure| match failure {
        Failure::Source(why) => Failure::Source(format!("{}: {why}", input.display())),
        other => other,
    };
    let mut place = Place::open(input, output, existing)?;
    let recovered = l4::recover(&mut source, limits).map_err(|report| {
        of_input(Failure::Source(format!(
            "{}: {}",
            report.kind, report.message
        )))
    })?;
    understood(&mut source, &recovered).map_err(of_input)?;
    let facts = facts(&mut source, &recovered, input, limits).map_err(of_input)?;
    let written = {
        let sink = BufWriter::with_capacity(BUFFER, place.file.as_file_mut());
        let written = rewrite(&mut source, &recovered, &facts, limits, sink);
        flushed(written.map_err(of_input)?)?
    };
    let path = place.file.path().to_owned();
    let inner = FileSource::open(&path).map_err(|error| place::unwritable(output, &error))?;
    let mut back = Until { inner, signals };
    if back.length() != written.bytes {
        return Err(Failure::Bug(format!(
            "{} bytes were written, and {} are there",
            written.bytes,
            back.length()
        )));
    }
    let inherited = check::check(
        &mut source,
        &mut back,
        &written.pairs,
        &written.provenance,
        limits,
    )
    .map_err(of_input)?;
    let mut statement = state(&recovered, &facts, written, output);
    statement.inherited = inherited;
    Ok((statement, place))
}

/// A record that must be understood and is not may change what every other one
/// says (§3.1). Where all records from there to the summary are whole, it is no
/// damage, and a file without it would say something else.
fn understood(source: &mut dyn Source, recovered: &Recovered) -> Result<(), Failure> {
    let unknown = recovered.stop.filter(|stop| {
        matches!(
            stop.reason,
            Some(Kind::UnknownOpcode | Kind::ReservedOpcode)
        )
    });
    let Some(stop) = unknown.filter(|_| recovered.method == Method::Summary) else {
        return Ok(());
    };
    let end = summary_start(source)?;
    let rest = piece::frames(source, stop.at, end, |_| true)?;
    let is_whole = rest
        .last()
        .is_some_and(|last| last.offset.saturating_add(last.length) == end);
    if is_whole {
        return Err(Failure::Source(format!(
            "the file is sealed, and the record at {} must be understood and is not: without \
             it the rest would say something else; read it with a program that knows it",
            stop.at
        )));
    }
    Ok(())
}

/// Hands on the last bytes, and lets go of the sink.
fn flushed(written: Rewritten<BufWriter<&mut File>>) -> Result<Rewritten<()>, Failure> {
    let mut sink = written.sink;
    sink.flush().map_err(|error| place::failed(&error))?;
    Ok(Rewritten {
        sink: (),
        bytes: written.bytes,
        pairs: written.pairs,
        provenance: written.provenance,
        chunks: written.chunks,
        messages: written.messages,
        damaged: written.damaged,
        tally: written.tally,
        counters: written.counters,
    })
}

fn facts(
    source: &mut dyn Source,
    recovered: &Recovered,
    input: &Path,
    limits: &Limits,
) -> Result<Facts, Failure> {
    let length = source.length();
    let by_summary = recovered.method == Method::Summary;
    let summary_start = if by_summary {
        summary_start(source)?
    } else {
        length
    };
    let numbers = if by_summary {
        Some(counters::read(source, recovered, summary_start, limits)?)
    } else {
        None
    };
    let (observed, counted) = match numbers {
        Some(numbers) => (Some(numbers.observed), numbers.counted),
        None => (None, BTreeMap::new()),
    };
    Ok(Facts {
        name: file_name(input),
        length,
        crc32c: piece::crc32c(source, 0, length)?,
        observed,
        counted,
        unlisted: if by_summary {
            unlisted(source, recovered, summary_start)?
        } else {
            Vec::new()
        },
        summary_start,
    })
}

/// Chunks that a summary's index leaves out, though its checksum holds: they
/// are messages all the same.
fn unlisted(
    source: &mut dyn Source,
    recovered: &Recovered,
    summary_start: u64,
) -> Result<Vec<Found>, Failure> {
    let entries = recovered.entries.iter();
    let listed: BTreeSet<u64> = entries.map(|entry| entry.chunk_offset).collect();
    let start = crate::wide(MAGIC.len());
    piece::frames(source, start, summary_start, |found| {
        let is_chunk = matches!(found.opcode, op::CHUNK | op::COLUMNAR_CHUNK);
        is_chunk && !listed.contains(&found.offset)
    })
}

/// Where the summary of a sealed file begins.
fn summary_start(source: &mut dyn Source) -> Result<u64, Failure> {
    let offset = source.length().saturating_sub(FOOTER_FROM_END);
    let bytes = piece::bytes(source, offset, FOOTER_FROM_END)?;
    let frame = RecordFrame::decode(&bytes, offset).ok();
    let content = bytes.get(9..37).unwrap_or_default();
    let footer = frame
        .filter(|frame| frame.opcode == op::FOOTER)
        .and_then(|_| Footer::from_content(content, offset).ok());
    Ok(footer.map_or(source.length(), |footer| footer.summary_start))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn state(recovered: &Recovered, facts: &Facts, written: Rewritten<()>, output: &Path) -> Statement {
    let bytes_lost: Vec<Stretch> = recovered
        .holes
        .iter()
        .map(|hole| Stretch {
            from: hole.start,
            to: hole.end,
        })
        .collect();
    let end_missing = !recovered.sealed;
    let lost = end_missing
        || !bytes_lost.is_empty()
        || !written.chunks.withheld.is_empty()
        || !written.damaged.is_empty()
        || written.counters == Counters::Unknown;
    let carried = written.tally.carried();
    // What a chunk or a record was left out for is told there.
    let chunks = written.chunks.withheld.iter().map(|it| it.offset);
    let records = written.damaged.iter().filter_map(|it| it.offset);
    let told: BTreeSet<u64> = chunks.chain(records).collect();
    let problems = recovered.problems.iter();
    let problems = problems
        .filter(|report| {
            !report
                .offset
                .as_ref()
                .is_some_and(|at| told.contains(&at.0))
        })
        .cloned()
        .collect();
    Statement {
        schema_version: 1,
        tool: TOOL,
        source: statement::Source {
            name: facts.name.clone(),
            length: facts.length,
            crc32c: format!("{:08x}", facts.crc32c),
            sealed: recovered.sealed,
        },
        output: statement::Output {
            name: file_name(output),
            length: written.bytes,
        },
        method: recovered.method,
        checkpoints: crate::wide(recovered.checkpoints.len()),
        stopped_at: recovered.stop.map(|stop| stop.at),
        stop_reason: recovered.stop.map(|stop| reason(stop.reason)),
        lost,
        end_missing,
        messages: written.messages,
        bytes_lost,
        carried,
        not_carried: written.tally.not_carried(),
        recorder_counters: written.counters,
        inherited: Vec::new(),
        problems,
        chunks: written.chunks,
        damaged: written.damaged,
    }
}
