//! The output, written from what was recovered.

mod copy;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Write;

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::{Found, Recovered};
use ca3_spec::FRAME_BYTES;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Decimal;
use ca3_wire::Map;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Header, Metadata, Record, Session};
use ca3_writer::{Observed, Options, WriteError, Writer};

use crate::carry::{self, Definition};
use crate::earlier;
use crate::piece;
use crate::place;
use crate::statement::{
    Chunks, Counters, Damaged, Earlier, End, EndState, Hole, StreamPart, Tally, Why, name, reason,
};
use crate::{Failure, text, wide};

/// What is known of the source besides its records.
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) length: u64,
    pub(crate) crc32c: u32,
    /// The recorder's numbers, where they are known.
    pub(crate) observed: Option<BTreeMap<u32, Observed>>,
    /// Where the source's summary begins, where it has a sound one.
    pub(crate) summary_start: u64,
    /// Chunks that its summary leaves out.
    pub(crate) unlisted: Vec<Found>,
    /// How many records of an opcode its Statistics count, where they verify.
    pub(crate) counted: BTreeMap<u8, u64>,
    /// How it ends.
    pub(crate) end: End,
    /// What stood in its holes.
    pub(crate) holes: Vec<Hole>,
    /// What it says of its own recovery.
    pub(crate) earlier: Vec<Earlier>,
}

impl Facts {
    fn bytes_lost(&self) -> u64 {
        let lost = self.holes.iter().filter(|hole| hole.lost);
        lost.fold(0, |sum, hole| sum.saturating_add(hole.length()))
    }

    /// The recorder's numbers were unknown before.
    pub(crate) fn had_forgotten(&self) -> bool {
        let mut earlier = self.earlier.iter();
        earlier.any(|it| it.recorder_counters == Counters::Unknown)
    }

    /// Of a source of which nothing but its length is known.
    #[cfg(test)]
    pub(crate) fn bare(length: u64) -> Self {
        Facts {
            name: "source.ca3".to_owned(),
            length,
            crc32c: 0,
            observed: None,
            summary_start: length,
            unlisted: Vec::new(),
            end: End {
                state: crate::statement::EndState::Missing,
                bytes_behind: 0.into(),
            },
            holes: Vec::new(),
            earlier: Vec::new(),
            counted: BTreeMap::new(),
        }
    }
}

/// A chunk in both files.
pub(crate) struct Pair {
    pub(crate) source: u64,
    pub(crate) output: u64,
    pub(crate) length: u64,
    /// The boundary that its stream promises; 0 for none.
    pub(crate) boundary: u64,
}

/// What was written.
pub(crate) struct Rewritten<W> {
    pub(crate) sink: W,
    pub(crate) bytes: u64,
    /// In the order of both files.
    pub(crate) pairs: Vec<Pair>,
    /// Where a record of the output stood in the source, chunk or not.
    pub(crate) origins: BTreeMap<u64, u64>,
    /// Offsets of the records about where this file comes from.
    pub(crate) provenance: Vec<u64>,
    pub(crate) chunks: Chunks,
    pub(crate) streams: Vec<StreamPart>,
    pub(crate) damaged: Vec<Damaged>,
    pub(crate) tally: Tally,
    pub(crate) counters: Counters,
}

/// Writes the output.
pub(crate) fn rewrite<W: Write>(
    source: &mut dyn Source,
    recovered: &Recovered,
    facts: &Facts,
    limits: &Limits,
    sink: W,
) -> Result<Rewritten<W>, Failure> {
    let header = header(source, recovered)?;
    // A sealed file needs no checkpoints.
    let options = Options {
        checkpoint_chunks: None,
        ..Options::default()
    };
    let writer = Writer::create_as_is(sink, &header, options).map_err(failed)?;
    let mut work = Work {
        writer,
        source,
        recovered,
        limits,
        boundaries: BTreeMap::new(),
        pairs: Vec::new(),
        origins: BTreeMap::new(),
        annotations: Vec::new(),
        session: None,
        chunks: Chunks::default(),
        streams: BTreeMap::new(),
        damaged: Vec::new(),
        tally: Tally::default(),
    };
    work.define()?;
    work.copy(facts)?;
    work.miss(&facts.counted);
    work.settle_session()?;
    work.annotate()?;
    let counters = work.observe(facts)?;
    let provenance = work.provenance(facts, counters)?;
    if let Some(clock) = &recovered.clock {
        work.writer.clock_block(clock.clone()).map_err(failed)?;
    }
    let lent = wide(recovered.checkpoints.len());
    work.tally
        .leave_at_least(op::CHECKPOINT, Why::NotNeeded, lent);
    let finished = work.writer.seal().map_err(failed)?;
    Ok(Rewritten {
        sink: finished.sink,
        bytes: finished.bytes,
        pairs: work.pairs,
        origins: work.origins,
        provenance,
        chunks: work.chunks,
        streams: work.streams.into_values().collect(),
        damaged: work.damaged,
        tally: work.tally,
        counters,
    })
}

/// The Header's content as it stands.
fn header(source: &mut dyn Source, recovered: &Recovered) -> Result<Vec<u8>, Failure> {
    let none = || {
        Failure::Source(format!(
            "its Header does not decode, and without one nothing says on which clock its \
                 stamps are: no file can be made of it. By the headers of its chunks, {}; \
                 ca3-reader returns what holds of them where `recover` is asked of it over the \
                 protocol",
            stand(recovered)
        ))
    };
    if recovered.header.is_none() {
        return Err(none());
    }
    let offset = wide(ca3_spec::MAGIC.len());
    let frame = piece::bytes(source, offset, FRAME_BYTES)?;
    let frame = RecordFrame::decode(&frame, offset).map_err(|_| none())?;
    if frame.opcode != Header::OPCODE {
        return Err(none());
    }
    let start = frame.content_offset().map_err(|_| none())?;
    frame.end_within(source.length()).map_err(|_| none())?;
    piece::bytes(source, start, frame.content_length)
}

/// How many messages are said to stand in a source.
fn stand(recovered: &Recovered) -> String {
    let entries = recovered.entries.iter();
    let messages = entries.fold(0u64, |sum, entry| {
        sum.saturating_add(u64::from(entry.message_count))
    });
    let verb = if messages == 1 { "stands" } else { "stand" };
    format!(
        "{} {verb} in it",
        text::count(messages, "message", "messages")
    )
}

/// A rewriting under way.
struct Work<'s, W> {
    writer: Writer<W>,
    source: &'s mut dyn Source,
    recovered: &'s Recovered,
    limits: &'s Limits,
    /// The boundary of every stream that was declared.
    boundaries: BTreeMap<u32, u64>,
    pairs: Vec<Pair>,
    origins: BTreeMap<u64, u64>,
    annotations: Vec<Found>,
    /// The Session carried over last.
    session: Option<Session>,
    chunks: Chunks,
    streams: BTreeMap<u32, StreamPart>,
    damaged: Vec<Damaged>,
    tally: Tally,
}

impl<W: Write> Work<'_, W> {
    /// All definitions stand ahead of all chunks.
    fn define(&mut self) -> Result<(), Failure> {
        let definitions = carry::definitions(self.source, self.recovered)?;
        for schema in &definitions.schemas {
            self.declare(op::SCHEMA, schema)?;
        }
        for stream in &definitions.streams {
            if self.declare(op::STREAM, stream)? {
                let known = self.recovered.stream(stream.reference);
                let boundary = known.map(|stream| u64::from(stream.block_alignment));
                self.boundaries
                    .insert(stream.reference, boundary.unwrap_or_default());
                self.streams
                    .insert(stream.reference, self.part(stream.reference));
            }
        }
        Ok(())
    }

    /// Tells of records that the source's Statistics count and that were not
    /// met: a bit of an opcode is enough to make a record one of another kind.
    fn miss(&mut self, counted: &BTreeMap<u8, u64>) {
        for (opcode, counted) in counted {
            let told = self.damaged.iter().filter(|it| it.opcode == *opcode);
            let met = self.tally.of(*opcode).saturating_add(wide(told.count()));
            if met < *counted {
                self.damaged.push(Damaged {
                    opcode: *opcode,
                    name: name(*opcode),
                    offset: None,
                    kind: Kind::Other,
                    message: format!(
                        "{} lost: the Statistics count {counted}, and {met} were found",
                        counted.saturating_sub(met)
                    ),
                });
            }
        }
    }

    /// Writes a definition, unless it is one that nobody may write.
    fn declare(&mut self, opcode: u8, definition: &Definition) -> Result<bool, Failure> {
        match self.writer.record(opcode, &definition.content) {
            Ok(offset) => {
                self.came(definition.offset, offset);
                self.tally.carry(opcode);
                Ok(true)
            }
            Err(WriteError::Refused { kind, message }) => {
                self.damaged.push(Damaged {
                    opcode,
                    name: name(opcode),
                    offset: definition.offset.map(Decimal),
                    kind,
                    message,
                });
                Ok(false)
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// A stream of which nothing has come over yet.
    fn part(&self, stream_ref: u32) -> StreamPart {
        let known = self.recovered.stream(stream_ref);
        let topic = known.map(|stream| stream.topic.clone());
        StreamPart {
            stream_ref,
            topic: topic.unwrap_or_default(),
            ..StreamPart::default()
        }
    }

    /// Notes where a record of the output stood in the source.
    fn came(&mut self, from: Option<u64>, to: u64) {
        if let Some(from) = from {
            self.origins.insert(to, from);
        }
    }

    fn messages(&self) -> u64 {
        let parts = self.streams.values();
        parts.fold(0, |sum, part| sum.saturating_add(part.messages.0))
    }

    /// The Session in force is the one that recovery says is, wherever it
    /// stood.
    fn settle_session(&mut self) -> Result<(), Failure> {
        match &self.recovered.session {
            Some(session) if self.session.as_ref() != Some(session) => {
                self.writer.session(session).map_err(failed)?;
                self.tally.carry(op::SESSION);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Annotations, now that the chunks have their places.
    fn annotate(&mut self) -> Result<(), Failure> {
        let pairs = self.pairs.iter();
        let places: BTreeMap<u64, u64> = pairs.map(|pair| (pair.source, pair.output)).collect();
        for found in std::mem::take(&mut self.annotations) {
            let (start, length) = carry::content_of(&found);
            let content = piece::bytes(self.source, start, length)?;
            match carry::moved(content, &places) {
                Some(content) => {
                    let offset = self.writer.record(found.opcode, &content).map_err(failed)?;
                    self.came(Some(found.offset), offset);
                    self.tally.carry(found.opcode);
                }
                // The chunk in which an interval begins was lost.
                None => self.tally.leave(found.opcode, Why::Derivable),
            }
        }
        Ok(())
    }

    fn observe(&mut self, facts: &Facts) -> Result<Counters, Failure> {
        let Some(observed) = &facts.observed else {
            return Ok(Counters::Unknown);
        };
        for (stream_ref, numbers) in observed {
            if self.boundaries.contains_key(stream_ref) {
                self.writer
                    .observed(*stream_ref, *numbers)
                    .map_err(failed)?;
            }
        }
        if facts.had_forgotten() {
            return Ok(Counters::Unknown);
        }
        Ok(Counters::Kept)
    }

    /// Where the file comes from, and what became of it.
    fn provenance(&mut self, facts: &Facts, counters: Counters) -> Result<Vec<u64>, Failure> {
        let recovered = self.recovered;
        let none = || "none".to_owned();
        let stop = recovered.stop;
        let derived_from = Metadata {
            name: earlier::DERIVED_FROM.to_owned(),
            entries: Map::sorted([
                ("name", facts.name.clone()),
                ("length", facts.length.to_string()),
                ("crc32c", format!("{:08x}", facts.crc32c)),
            ]),
        };
        let what = Metadata {
            name: earlier::RECOVERED.to_owned(),
            entries: Map::sorted([
                ("method", crate::text::method(recovered.method).to_owned()),
                ("source_sealed", facts.end.has_magic().to_string()),
                (
                    "end_missing",
                    (facts.end.state == EndState::Missing).to_string(),
                ),
                (
                    "stopped_at",
                    stop.map_or_else(none, |stop| stop.at.to_string()),
                ),
                (
                    "stop_reason",
                    stop.map_or_else(none, |stop| reason(stop.reason).to_owned()),
                ),
                ("chunks", self.chunks.recovered.to_string()),
                ("chunks_withheld", self.chunks.withheld.len().to_string()),
                ("messages", self.messages().to_string()),
                ("bytes_lost", facts.bytes_lost().to_string()),
                ("records_damaged", self.damaged.len().to_string()),
                ("recorder_counters", counters.as_str().to_owned()),
            ]),
        };
        [derived_from, what]
            .iter()
            .map(|record| self.writer.append(record).map_err(failed))
            .collect()
    }
}

/// What the writer could not do: the sink's fault, or ours.
fn failed(error: WriteError) -> Failure {
    match error {
        WriteError::Sink(error) => place::failed(&error),
        WriteError::Broken => Failure::Output(error.to_string()),
        WriteError::Encode(_) | WriteError::Refused { .. } => {
            Failure::Bug(format!("the writer refused what was recovered: {error}"))
        }
    }
}
