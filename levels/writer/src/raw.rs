//! Appending what another file holds, as it stands there.

use std::io::{Read, Write};

use ca3_spec::FRAME_BYTES;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::{self, Class, Disposition, op};
use ca3_wire::WireError;
use ca3_wire::records::{
    ChunkHead, ChunkHeader, ColumnarHeader, Header, IndexEntry, Record, Schema, Stream,
};

use crate::options::Options;
use crate::{WriteError, Writer, wide};

impl<W: Write> Writer<W> {
    /// Begins a file with the content of another one's Header, which is not
    /// altered by what the options say.
    ///
    /// # Errors
    /// A content that does not decode; those of the sink.
    pub fn create_as_is(sink: W, content: &[u8], options: Options) -> Result<Self, WriteError> {
        let header = Header::from_content(content, 0).map_err(|error| undecodable(&error))?;
        Writer::begin(sink, &header, content, options)
    }

    /// Appends a record by its opcode and content, and gives its offset. A
    /// Schema, a Stream or a Session is taken down as if declared here.
    ///
    /// # Errors
    /// What [`Writer::schema`] and [`Writer::stream`] refuse; a record that the
    /// writer makes itself, a chunk, and an opcode that the format keeps for
    /// later and readers must understand; those of the sink.
    pub fn record(&mut self, opcode: u8, content: &[u8]) -> Result<u64, WriteError> {
        may_append(opcode)?;
        match opcode {
            op::SCHEMA => {
                let schema = decode::<Schema>(content)?;
                self.may_declare("schema_ref", schema.schema_ref, |ledger, reference| {
                    ledger.schemas.contains_key(&reference)
                })?;
                self.fits_checkpoints("schemas", content)?;
                let offset = self.sink.record(opcode, &[content])?;
                self.ledger.add_schema(schema.schema_ref, content.to_vec());
                Ok(offset)
            }
            op::STREAM => {
                let stream = decode::<Stream>(content)?;
                self.may_declare("stream_ref", stream.stream_ref, |ledger, reference| {
                    ledger.streams.contains_key(&reference)
                })?;
                // Reading G98: a `block_offset` without a boundary is no ground
                // for leaving out a stream that another writer declared.
                if stream.block_alignment != 0 && !stream.has_valid_alignment() {
                    return Err(misaligned(&stream));
                }
                self.fits_checkpoints("streams", content)?;
                let offset = self.sink.record(opcode, &[content])?;
                self.add_intake(&stream);
                self.ledger.add_stream(stream, content.to_vec());
                Ok(offset)
            }
            _ => {
                let offset = self.sink.record(opcode, &[content])?;
                self.note(opcode);
                if opcode == op::SESSION {
                    self.ledger.session = Some(content.to_vec());
                }
                Ok(offset)
            }
        }
    }

    /// The same for a record that is too large for memory, its content read
    /// piece by piece. Not for Schema, Stream and Session.
    ///
    /// # Errors
    /// As [`Writer::record`], and those of the reader: the file is of no use
    /// then, since its last record is not whole.
    pub fn record_from(
        &mut self,
        opcode: u8,
        content_length: u64,
        content: &mut dyn Read,
    ) -> Result<u64, WriteError> {
        may_append(opcode)?;
        if matches!(opcode, op::SCHEMA | op::STREAM | op::SESSION) {
            let message = format!("opcode {opcode:#04x} is a record that the writer must know");
            return Err(WriteError::refused(Kind::Other, message));
        }
        let offset = self.sink.record_from(opcode, content_length, content)?;
        self.note(opcode);
        Ok(offset)
    }

    /// Appends a chunk of either layout byte for byte, and gives its offset.
    /// Its index entry is taken from its header; `seq_last` is the sequence of
    /// its last message, 0 for none (reading G51). No checkpoint follows of
    /// itself.
    ///
    /// # Errors
    /// An opcode that is no chunk's, a header that does not decode, a stream
    /// that is not declared; those of the sink.
    pub fn chunk_as_is(
        &mut self,
        opcode: u8,
        content: &[u8],
        seq_last: u32,
    ) -> Result<u64, WriteError> {
        let head = head_of(opcode, content)?;
        self.declared(head.stream_ref)?;
        let length = FRAME_BYTES.saturating_add(wide(content.len()));
        let entry = IndexEntry {
            seq_last,
            ..head.entry(self.sink.offset(), length)
        };
        self.sink.record(opcode, &[content])?;
        self.ledger.add_chunk(entry);
        if entry.message_count > 0 {
            let intake = self.intake(entry.stream_ref)?;
            intake.closed_at(entry.max_stamp_ns);
        }
        if self.options.durability == crate::Durability::EveryChunk {
            self.sink.flush()?;
        }
        Ok(entry.chunk_offset)
    }

    /// Puts Padding here where that is needed so that byte `place` of the next
    /// record's content lies on a multiple of `boundary` in the file (§5.9).
    ///
    /// # Errors
    /// Those of the sink.
    pub fn align(&mut self, place: u64, boundary: u64) -> Result<(), WriteError> {
        let byte = self
            .sink
            .offset()
            .saturating_add(FRAME_BYTES)
            .saturating_add(place);
        let Some(over) = byte.checked_rem(boundary).filter(|over| *over > 0) else {
            return Ok(());
        };
        let mut shift = boundary.saturating_sub(over);
        // Padding is no shorter than its frame.
        while shift < FRAME_BYTES {
            shift = shift.saturating_add(boundary);
        }
        // Less than a boundary and a frame, so a usize counts it.
        let filler = shift.saturating_sub(FRAME_BYTES);
        let filler = vec![0; usize::try_from(filler).unwrap_or_default()];
        self.sink.record(op::PADDING, &[&filler]).map(drop)
    }

    fn note(&mut self, opcode: u8) {
        let count = match opcode {
            op::METADATA => &mut self.ledger.metadata,
            op::ATTACHMENT => &mut self.ledger.attachments,
            _ => return,
        };
        *count = count.saturating_add(1);
    }

    /// §5.1: what a declaration may not be.
    fn may_declare(
        &self,
        field: &str,
        reference: u32,
        is_declared: impl FnOnce(&crate::ledger::Ledger, u32) -> bool,
    ) -> Result<(), WriteError> {
        if reference == 0 {
            let message = format!("{field} 0 cannot be declared");
            return Err(WriteError::refused(Kind::ZeroReference, message));
        }
        if is_declared(&self.ledger, reference) {
            let message = format!("{field} {reference} is declared before");
            return Err(WriteError::refused(Kind::DuplicateReference, message));
        }
        Ok(())
    }

    /// A checkpoint counts a definition's bytes in 32 bits (§8.1), so one that
    /// is longer would keep every checkpoint from being written.
    fn fits_checkpoints(&self, field: &str, content: &[u8]) -> Result<(), WriteError> {
        let length = wide(content.len());
        if self.options.checkpoint_chunks.is_some() && u32::try_from(length).is_err() {
            let field = field.to_owned();
            return Err(ca3_wire::EncodeError::TooLong { field, length }.into());
        }
        Ok(())
    }
}

#[cold]
pub(crate) fn misaligned(stream: &Stream) -> WriteError {
    let message = format!(
        "stream {}: block_alignment {} with block_offset {}",
        stream.stream_ref, stream.block_alignment, stream.block_offset
    );
    WriteError::refused(Kind::BadAlignment, message)
}

/// Whether a record may be appended by its opcode alone.
fn may_append(opcode: u8) -> Result<(), WriteError> {
    let refuse = |why: &str| {
        let message = format!("opcode {opcode:#04x}: {why}");
        Err(WriteError::refused(Kind::Other, message))
    };
    match opcode {
        op::SCHEMA
        | op::STREAM
        | op::SESSION
        | op::METADATA
        | op::ATTACHMENT
        | op::ANNOTATIONS
        | op::PADDING => return Ok(()),
        op::CHUNK | op::COLUMNAR_CHUNK => return refuse("chunks have an operation of their own"),
        _ => {}
    }
    match (opcode::disposition(opcode), opcode::class_of(opcode)) {
        (Disposition::Defined(_), _) => refuse("the writer makes this record itself"),
        (_, Class::Invalid) => refuse("no record has it"),
        (_, Class::MustUnderstand) => refuse("no writer of version 1 emits it"),
        _ => Ok(()),
    }
}

fn decode<R: Record>(content: &[u8]) -> Result<R, WriteError> {
    R::from_content(content, 0).map_err(|error| undecodable(&error))
}

#[cold]
fn undecodable(error: &WireError) -> WriteError {
    WriteError::refused(error.kind(), error.to_string())
}

/// What a chunk's header states, where it agrees with the content's length.
fn head_of(opcode: u8, content: &[u8]) -> Result<ChunkHead, WriteError> {
    let split = |error: WireError| undecodable(&error);
    match opcode {
        op::CHUNK => ChunkHeader::split(content, 0).map(|(header, _)| (&header).into()),
        op::COLUMNAR_CHUNK => {
            ColumnarHeader::split(content, 0).map(|(header, ..)| (&header).into())
        }
        _ => {
            let message = format!("opcode {opcode:#04x} is no chunk");
            return Err(WriteError::refused(Kind::Other, message));
        }
    }
    .map_err(split)
}
