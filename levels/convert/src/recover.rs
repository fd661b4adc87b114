//! A sealed file from a truncated or damaged one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use ca3_reader::l1::{FileSource, Limits, Source};
use ca3_reader::l4::{self, BrokenLink, Found, Method, Recovered};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Decimal;
use ca3_spec::{FOOTER_FROM_END, MAGIC};

use crate::check::{self, Watched};
use crate::ending::{self, Resealed};
use crate::place::{self, Place};
use crate::rewrite::{Facts, Rewritten, rewrite};
use crate::signals::{Signals, Until};
use crate::statement::{
    self, Counters, End, EndState, Link, Namer, Problem, Statement, StreamPart, TOOL, Walk, reason,
};
use crate::{Failure, counters, earlier, holes, piece};

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
    let mut bytes = Until { inner, signals };
    let of_input = |failure: Failure| match failure {
        Failure::Source(why) => Failure::Source(format!("{}: {why}", input.display())),
        other => other,
    };
    let mut place = Place::open(input, output, existing)?;
    let file = Whole::of(&mut bytes, input).map_err(of_input)?;
    let mut source = Resealed::new(&mut bytes);
    let (recovered, end) = ending::recovered(&mut source, limits).map_err(of_input)?;
    understood(&mut source, &recovered).map_err(of_input)?;
    let facts = facts(&mut source, &recovered, file, end, limits).map_err(of_input)?;
    signals.progress.next();
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
    signals.progress.next();
    check::compare(&mut source, &mut back, &written.pairs).map_err(of_input)?;
    signals.progress.next();
    let remaining = check::judge(&mut back, &written.provenance, limits)?;
    let errors = check::attributed(&mut source, &written.origins, remaining, limits);
    let statement = Statement {
        errors,
        ..state(&recovered, facts, written, input, output)
    };
    Ok((statement, place))
}

/// The file as it lies there, whatever of it is read.
struct Whole {
    name: String,
    length: u64,
    crc32c: u32,
}

impl Whole {
    fn of(source: &mut dyn Source, input: &Path) -> Result<Self, Failure> {
        let length = source.length();
        let name = input.file_name();
        Ok(Whole {
            name: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            length,
            crc32c: piece::crc32c(source, 0, length)?,
        })
    }
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
        origins: written.origins,
        provenance: written.provenance,
        chunks: written.chunks,
        streams: written.streams,
        damaged: written.damaged,
        tally: written.tally,
        counters: written.counters,
    })
}

fn facts(
    source: &mut dyn Source,
    recovered: &Recovered,
    file: Whole,
    end: End,
    limits: &Limits,
) -> Result<Facts, Failure> {
    let by_summary = recovered.method == Method::Summary;
    let summary_start = if by_summary {
        summary_start(source)?
    } else {
        source.length()
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
        name: file.name,
        length: file.length,
        crc32c: file.crc32c,
        end,
        holes: holes::read(source, recovered)?,
        earlier: earlier::read(source, recovered, limits)?,
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
    let footer = piece::footer(source, offset)?;
    Ok(footer.map_or(source.length(), |footer| footer.summary_start))
}

fn state(
    recovered: &Recovered,
    facts: Facts,
    written: Rewritten<()>,
    input: &Path,
    output: &Path,
) -> Statement {
    let counters_lost = written.counters == Counters::Unknown && !facts.had_forgotten();
    let lost = facts.end.state == EndState::Missing
        || facts.holes.iter().any(|hole| hole.lost)
        || !written.chunks.withheld.is_empty()
        || !written.damaged.is_empty()
        || counters_lost;
    let problems = problems(recovered, &facts, &written);
    let parts = written.streams.iter();
    let messages = parts.fold(0, |sum: u64, part| sum.saturating_add(part.messages.0));
    Statement {
        schema_version: 1,
        tool: TOOL,
        source: statement::Source {
            path: input.display().to_string(),
            length: facts.length.into(),
            crc32c: format!("{:08x}", facts.crc32c),
            sealed: facts.end.has_magic(),
        },
        output: statement::Output {
            path: output.display().to_string(),
            length: written.bytes.into(),
        },
        earlier: facts.earlier,
        method: recovered.method,
        checkpoints: crate::wide(recovered.checkpoints.len()).into(),
        broken_link: recovered.broken_link.map(link),
        stopped_at: recovered.stop.map(|stop| stop.at.into()),
        stop_reason: recovered.stop.map(|stop| reason(stop.reason)),
        walks: recovered.walks.iter().map(walk).collect(),
        lost,
        end: facts.end,
        messages: messages.into(),
        streams: timed(recovered, written.streams),
        holes: facts.holes,
        carried: written.tally.carried(),
        not_carried: written.tally.not_carried(),
        recorder_counters: written.counters,
        errors: Vec::new(),
        problems,
        chunks: written.chunks,
        damaged: written.damaged,
    }
}

/// What was met and is told nowhere else: not of what a chunk or a record was
/// left out for, of a hole, or of where a walk stopped.
fn problems(recovered: &Recovered, facts: &Facts, written: &Rewritten<()>) -> Vec<Problem> {
    let chunks = written.chunks.withheld.iter().map(|it| it.offset);
    let records = written.damaged.iter().filter_map(|it| it.offset);
    let holes = facts.holes.iter().map(|it| it.from);
    let stops = recovered.walks.iter().filter(|walk| walk.problem.is_some());
    let stops = stops.map(|walk| walk.to.into());
    let told: BTreeSet<Decimal> = chunks.chain(records).chain(holes).chain(stops).collect();
    let all = recovered.problems.iter();
    all.filter(|report| report.offset.is_none_or(|at| !told.contains(&at)))
        .map(|report| Problem {
            kind: report.kind,
            offset: report.offset,
            message: report.message.clone(),
        })
        .collect()
}

fn walk(walk: &l4::Walk) -> Walk {
    let problem = walk.problem.as_ref();
    Walk {
        from: walk.from.into(),
        to: walk.to.into(),
        kind: problem.map(|it| it.kind),
        message: problem.map(|it| it.message.clone()),
    }
}

fn link(link: BrokenLink) -> Link {
    let (named_by, checkpoint) = match link.namer {
        l4::Namer::Footer => (Namer::Footer, None),
        l4::Namer::Search => (Namer::Search, None),
        l4::Namer::Checkpoint(at) => (Namer::Checkpoint, Some(at.into())),
    };
    Link {
        named_by,
        checkpoint,
        to: link.to.into(),
    }
}

/// Wall time where it is known (§4.2): stamps of the file's own clock, and an
/// anchor of it.
fn timed(recovered: &Recovered, mut streams: Vec<StreamPart>) -> Vec<StreamPart> {
    let anchored = recovered.header.as_ref();
    let Some(header) = anchored.filter(|header| header.anchor_wall_unix_ns != 0) else {
        return streams;
    };
    let wall = |stamp: Decimal| {
        let wall = i128::from(stamp.0) - i128::from(header.anchor_monotonic_ns)
            + i128::from(header.anchor_wall_unix_ns);
        u64::try_from(wall).ok().map(Decimal)
    };
    for part in &mut streams {
        let own = recovered.stream(part.stream_ref).is_some_and(|stream| {
            (&stream.host_id, &stream.host_clock_epoch)
                == (&header.host_id, &header.host_clock_epoch)
        });
        if own {
            part.first_wall_unix_ns = part.first_stamp_ns.and_then(wall);
            part.last_wall_unix_ns = part.last_stamp_ns.and_then(wall);
        }
    }
    streams
}
