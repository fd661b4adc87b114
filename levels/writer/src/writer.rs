//! Writing a recording, message by message (§2.3, §5, §6, §7.2, §8.1).

use std::collections::BTreeMap;
use std::io::Write;

use ca3_spec::MAGIC;
use ca3_spec::feature;
use ca3_spec::kind::Kind;
use ca3_wire::records::{
    Checkpoint, ChunkHeader, ClockBlock, ColumnarHeader, Header, Record, Schema, Session, Stream,
};
use ca3_wire::rows::{self, Messages};
use ca3_wire::{Codec, EncodeError, Map, OwnedMessage, columnar};

use crate::intake::Intake;
use crate::ledger::{Ledger, Observed};
use crate::options::{Layout, Options};
use crate::raw::misaligned;
use crate::sink::Sink;
use crate::{WriteError, wide};

/// The attribute of the Header in which the durability is stated (reading G30).
const DURABILITY: &str = "durability";

/// A file that is being written.
///
/// Messages wait in one open chunk a stream until it is full, or
/// [`flush`](Writer::flush) or [`seal`](Writer::seal) closes it; whatever else
/// is written goes to the sink at once.
#[derive(Debug)]
pub struct Writer<W> {
    pub(crate) sink: Sink<W>,
    pub(crate) ledger: Ledger,
    pub(crate) options: Options,
    /// The bits of `required_features` (§3.3).
    features: u64,
    intakes: BTreeMap<u32, Intake>,
}

/// What a writer leaves behind.
#[derive(Debug)]
pub struct Finished<W> {
    /// The sink.
    pub sink: W,
    /// Bytes written to it.
    pub bytes: u64,
    /// Messages of each stream that came at or below the greatest stamp of a
    /// closed chunk (reading G53); streams without any are left out.
    pub late: BTreeMap<u32, u64>,
}

impl<W: Write> Writer<W> {
    /// Begins a file. The Header also states what the options decide: the bit
    /// of the codec (§3.3) and the durability (reading G30).
    ///
    /// # Errors
    /// A feature bit that the format does not assign, a codec that it does not
    /// assign, a string that is too long, and those of the sink.
    pub fn create(sink: W, mut header: Header, options: Options) -> Result<Self, WriteError> {
        let compresses =
            options
                .codec
                .compresses()
                .map_err(|fault| EncodeError::Unrepresentable {
                    field: "codec".to_owned(),
                    reason: fault.to_string(),
                })?;
        if compresses {
            header.required_features |= 1 << feature::ZSTD;
        }
        let unassigned = feature::bits(header.required_features)
            .into_iter()
            .find(|bit| feature::name(*bit).is_none());
        if let Some(bit) = unassigned {
            let message = format!("required_features: bit {bit} is not assigned");
            return Err(WriteError::refused(Kind::UnsupportedFeature, message));
        }
        let stated = (DURABILITY, options.durability.as_str());
        let pairs = header.attributes.entries().iter();
        let pairs = pairs.map(|(key, value)| (key.as_str(), value.as_str()));
        header.attributes = Map::sorted(pairs.chain([stated]));
        let content = header.content()?;
        Writer::begin(sink, &header, &content, options)
    }

    pub(crate) fn begin(
        sink: W,
        header: &Header,
        content: &[u8],
        options: Options,
    ) -> Result<Self, WriteError> {
        let mut sink = Sink::new(sink);
        sink.bytes(&MAGIC)?;
        sink.record(Header::OPCODE, &[content])?;
        Ok(Writer {
            sink,
            ledger: Ledger::new(header),
            options,
            features: header.required_features,
            intakes: BTreeMap::new(),
        })
    }

    /// Where the next record goes.
    pub fn offset(&self) -> u64 {
        self.sink.offset()
    }

    /// Declares a schema (§5.1).
    ///
    /// # Errors
    /// Reference 0, or one that is declared; those of the sink.
    pub fn schema(&mut self, schema: &Schema) -> Result<(), WriteError> {
        self.record(Schema::OPCODE, &schema.content()?).map(drop)
    }

    /// Declares a stream (§5.7, §5.9).
    ///
    /// # Errors
    /// Reference 0, or one that is declared; a boundary that is none; columns
    /// in a file whose Header does not claim them; those of the sink.
    pub fn stream(&mut self, stream: &Stream, layout: Layout) -> Result<(), WriteError> {
        let columns = 1 << feature::COLUMNAR_CHUNK;
        if layout == Layout::Columns && self.features & columns == 0 {
            let message = "required_features does not claim ColumnarChunk (bit 2)";
            return Err(WriteError::refused(Kind::UnsupportedFeature, message));
        }
        if !stream.has_valid_alignment() {
            return Err(misaligned(stream));
        }
        self.record(Stream::OPCODE, &stream.content()?)?;
        let limit = self.options.chunk_messages.get();
        let intake = self.intake(stream.stream_ref)?;
        intake.layout = layout;
        if layout == Layout::Columns {
            intake.limit = limit;
        }
        Ok(())
    }

    /// States the session as known now; the last statement is in force (§11).
    ///
    /// # Errors
    /// A string that is too long; those of the sink.
    pub fn session(&mut self, session: &Session) -> Result<(), WriteError> {
        self.record(Session::OPCODE, &session.content()?).map(drop)
    }

    /// States the clock relationships as known now: for the checkpoints to
    /// come, and for the summary (§10.4).
    ///
    /// # Errors
    /// A string that is too long.
    pub fn clock_block(&mut self, block: ClockBlock) -> Result<(), WriteError> {
        Ok(self.ledger.set_clock(block)?)
    }

    /// Appends a record that has no operation of its own here: Metadata, an
    /// Attachment, Annotations.
    ///
    /// # Errors
    /// As [`Writer::record`], and for a value that has no encoding.
    pub fn append<R: Record>(&mut self, record: &R) -> Result<u64, WriteError> {
        self.record(R::OPCODE, &record.content()?)
    }

    /// States what only the recorder knows of a stream, in place of what was
    /// stated before.
    ///
    /// # Errors
    /// A stream that is not declared.
    pub fn observed(&mut self, stream_ref: u32, observed: Observed) -> Result<(), WriteError> {
        self.declared(stream_ref)?;
        self.ledger.observed.insert(stream_ref, observed);
        Ok(())
    }

    /// Tells the time on the recorder's two clocks, for the checkpoints to come.
    /// A message's `record_ts_ns` does so for the first of them.
    pub fn tick(&mut self, record_ts_ns: u64, wall_ns: u64) {
        self.ledger.record_ts_ns = record_ts_ns;
        self.ledger.wall_ns = wall_ns;
    }

    /// Takes a message. A late one is kept as any other (§7.2).
    ///
    /// # Errors
    /// A stream, or its schema, that is not declared; a `sequence` of 0; in
    /// columns, a payload that breaks the boundary that the stream promises
    /// (reading G91). Where a chunk is closed, those of [`Writer::flush`].
    pub fn message(&mut self, stream_ref: u32, message: OwnedMessage) -> Result<(), WriteError> {
        let stream = self.declared(stream_ref)?;
        let (schema_ref, boundary) = (stream.schema_ref, stream.block_alignment);
        if schema_ref != 0 && !self.ledger.schemas.contains_key(&schema_ref) {
            return Err(WriteError::undeclared("schema_ref", schema_ref));
        }
        if message.sequence == Some(0) {
            let reason = "0 means absent".to_owned();
            let field = "sequence".to_owned();
            return Err(EncodeError::Unrepresentable { field, reason }.into());
        }
        let intake = self.intake(stream_ref)?;
        if intake.layout == Layout::Columns {
            fits_columns(&message, boundary, intake.limit)?;
        }
        if !intake.admits(&message) {
            self.flush(stream_ref)?;
        }
        let received = message.record_ts_ns.unwrap_or_default();
        self.ledger.record_ts_ns = self.ledger.record_ts_ns.max(received);
        let intake = self.intake(stream_ref)?;
        intake.take(message);
        if intake.is_full() {
            self.flush(stream_ref)?;
        }
        Ok(())
    }

    /// Closes a stream's open chunk, if there is one.
    ///
    /// # Errors
    /// A stream that is not declared; those of the sink, and of a checkpoint
    /// where one is due.
    pub fn flush(&mut self, stream_ref: u32) -> Result<(), WriteError> {
        let stream = self.declared(stream_ref)?;
        let boundary = u64::from(stream.block_alignment);
        let block_offset = u64::from(stream.block_offset);
        let compressed = stream.flags & Stream::PAYLOAD_ENTROPY_CODED != 0;
        // Reading G40: compressed bytes have no place of their own.
        let codec = if compressed || boundary != 0 {
            Codec::NONE
        } else {
            self.options.codec
        };
        let intake = self.intake(stream_ref)?;
        let Some(last) = intake.messages().last() else {
            return Ok(());
        };
        let seq_last = last.sequence.unwrap_or_default();
        let (opcode, content, first_payload) = match intake.layout {
            Layout::Rows => in_rows(stream_ref, codec, intake.messages())?,
            Layout::Columns => in_columns(stream_ref, codec, intake.messages())?,
        };
        let block = first_payload.saturating_add(block_offset);
        self.align(block, boundary)?;
        self.chunk_as_is(opcode, &content, seq_last)?;
        self.intake(stream_ref)?.close();
        let due = self.options.checkpoint_chunks;
        if due.is_some_and(|every| self.ledger.since_checkpoint >= every.get()) {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Writes a checkpoint (§8.1). What waits in open chunks is not in it.
    ///
    /// # Errors
    /// A definition of more than 2^32 - 1 bytes, which no checkpoint holds;
    /// those of the sink.
    pub fn checkpoint(&mut self) -> Result<(), WriteError> {
        let every = self.options.restate_checkpoints.get();
        let checkpoint = self.ledger.checkpoint(self.sink.offset(), every);
        let content = checkpoint.content()?;
        self.sink.record(Checkpoint::OPCODE, &[&content])?;
        self.ledger.add_checkpoint(&checkpoint);
        self.sink.flush()
    }

    /// Closes all chunks, and writes summary, Footer and trailing magic.
    ///
    /// # Errors
    /// Those of the sink, and of tables of more than 2^32 - 1 entries.
    pub fn seal(mut self) -> Result<Finished<W>, WriteError> {
        let streams: Vec<u32> = self.intakes.keys().copied().collect();
        for stream_ref in streams {
            self.flush(stream_ref)?;
        }
        self.summary()?;
        self.sink.flush()?;
        Ok(self.finished())
    }

    /// Stops here, as a writer does that is killed: what waits in open chunks
    /// is lost, and the file is not sealed.
    pub fn abandon(self) -> Finished<W> {
        self.finished()
    }

    fn finished(self) -> Finished<W> {
        let late = self.intakes.iter();
        Finished {
            late: late
                .filter(|(_, intake)| intake.late > 0)
                .map(|(stream_ref, intake)| (*stream_ref, intake.late))
                .collect(),
            bytes: self.sink.offset(),
            sink: self.sink.into_inner(),
        }
    }

    /// The reordered messages that the writer met, stream by stream.
    pub(crate) fn reordered(&self) -> BTreeMap<u32, u64> {
        let intakes = self.intakes.iter();
        intakes
            .map(|(stream_ref, intake)| (*stream_ref, intake.reordered))
            .collect()
    }

    pub(crate) fn declared(&self, stream_ref: u32) -> Result<&Stream, WriteError> {
        let declared = self.ledger.streams.get(&stream_ref);
        declared
            .map(|declared| &declared.stream)
            .ok_or_else(|| WriteError::undeclared("stream_ref", stream_ref))
    }

    /// Makes room for a stream's messages.
    pub(crate) fn add_intake(&mut self, stream: &Stream) {
        // §5.9: only a chunk's first payload can be moved onto a boundary.
        let limit = match stream.block_alignment {
            0 => self.options.chunk_messages.get(),
            _ => 1,
        };
        let intake = Intake::new(Layout::Rows, limit);
        self.intakes.insert(stream.stream_ref, intake);
    }

    pub(crate) fn intake(&mut self, stream_ref: u32) -> Result<&mut Intake, WriteError> {
        self.intakes
            .get_mut(&stream_ref)
            .ok_or_else(|| WriteError::undeclared("stream_ref", stream_ref))
    }
}

/// Reading G91: blocks behind one another keep the boundary only where their
/// length is a multiple of it; a block alone always does.
fn fits_columns(message: &OwnedMessage, boundary: u32, limit: u32) -> Result<(), WriteError> {
    let length = wide(message.payload.len());
    let over = length.checked_rem(u64::from(boundary)).unwrap_or_default();
    if over != 0 && limit > 1 {
        let text = format!("a payload of {length} bytes breaks the boundary of {boundary}");
        return Err(WriteError::refused(Kind::BadAlignment, text));
    }
    if length > u64::from(u32::MAX) {
        let field = "block_bytes".to_owned();
        return Err(EncodeError::TooLong { field, length }.into());
    }
    Ok(())
}

/// A content, and the place of its first payload within it.
type Content = (u8, Vec<u8>, u64);

fn in_rows(
    stream_ref: u32,
    codec: Codec,
    messages: &[OwnedMessage],
) -> Result<Content, WriteError> {
    let (header, blob) = rows::encode_chunk(stream_ref, codec, messages)?;
    // Asked of the decoder, which cannot err about where a payload begins. Of
    // a compressed blob there is nothing to ask, and nothing is promised.
    let place = match codec {
        Codec::NONE => match Messages::new(&header, &blob, 0).next() {
            Some(Ok(first)) => first.payload_start,
            _ => 0,
        },
        _ => 0,
    };
    let mut content = header.content()?;
    content.extend_from_slice(&blob);
    Ok((
        ChunkHeader::OPCODE,
        content,
        ChunkHeader::BYTES.saturating_add(place),
    ))
}

fn in_columns(
    stream_ref: u32,
    codec: Codec,
    messages: &[OwnedMessage],
) -> Result<Content, WriteError> {
    let (header, columns, blocks) = columnar::encode_columnar(stream_ref, codec, messages)?;
    let place = ColumnarHeader::BYTES.saturating_add(wide(columns.len()));
    let mut content = header.content()?;
    content.extend_from_slice(&columns);
    content.extend_from_slice(&blocks);
    Ok((ColumnarHeader::OPCODE, content, place))
}
