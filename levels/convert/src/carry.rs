//! What becomes of the records that are no chunks.

use std::collections::{BTreeMap, BTreeSet};

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::{Found, Recovered};
use ca3_spec::FRAME_BYTES;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::records::{Annotations, Metadata, Record, Schema, Session, Stream};
use ca3_wire::{Cursor, Trace, WireError};

use crate::statement::Why;
use crate::{Failure, piece};

/// The longest name or media type of an Attachment that is looked at.
const LONGEST_NAME: u64 = 64 * 1024;

/// What becomes of a record.
pub(crate) enum Fate {
    /// It is carried over as it is.
    Carried,
    /// A Session: the same, and it is in force until the next one.
    Session(Box<Session>, Vec<u8>),
    /// It waits for the places of all chunks.
    Annotations,
    /// It holds and is left out.
    Left(Why),
    /// It does not hold.
    Damaged(Kind, String),
}

impl Fate {
    fn damaged(error: &WireError) -> Self {
        Fate::Damaged(error.kind(), error.to_string())
    }
}

/// The content of a record: where it begins, and how long it is.
pub(crate) fn content_of(found: &Found) -> (u64, u64) {
    (
        found.offset.saturating_add(FRAME_BYTES),
        found.length.saturating_sub(FRAME_BYTES),
    )
}

/// What becomes of a record that is no chunk.
pub(crate) fn fate(
    source: &mut dyn Source,
    found: &Found,
    limits: &Limits,
) -> Result<Fate, Failure> {
    let (start, length) = content_of(found);
    let decoded = matches!(found.opcode, op::METADATA | op::SESSION | op::ANNOTATIONS);
    if decoded && length > limits.memory {
        let message = format!("{length} bytes, and --limit allows {}", limits.memory);
        return Ok(Fate::Damaged(Kind::LimitExceeded, message));
    }
    Ok(match found.opcode {
        // The output's own stand in their places.
        op::HEADER
        | op::SCHEMA
        | op::STREAM
        | op::CHUNK_INDEX
        | op::STREAM_DIRECTORY
        | op::CLOCK_BLOCK
        | op::STATISTICS
        | op::SUMMARY_OFFSET
        | op::FOOTER
        | op::PADDING => Fate::Left(Why::MadeAnew),
        op::CHECKPOINT => Fate::Left(Why::NotNeeded),
        op::MESSAGE_OFFSETS => Fate::Left(Why::Derivable),
        op::SESSION => {
            let content = piece::bytes(source, start, length)?;
            match Session::from_content(&content, start) {
                Ok(session) => Fate::Session(Box::new(session), content),
                Err(error) => Fate::damaged(&error),
            }
        }
        op::METADATA => {
            let content = piece::bytes(source, start, length)?;
            match Metadata::from_content(&content, start) {
                // Reading G08: what does not parse may have another layout.
                Err(error) if error.kind() != Kind::BadLength => Fate::damaged(&error),
                _ => Fate::Carried,
            }
        }
        op::ANNOTATIONS => {
            let content = piece::bytes(source, start, length)?;
            match Annotations::from_content(&content, start) {
                Ok(_) => Fate::Annotations,
                Err(error) => Fate::damaged(&error),
            }
        }
        op::ATTACHMENT => attachment(source, start, length)?,
        _ => Fate::Carried,
    })
}

/// An Attachment may be larger than any memory: its names are read, and its
/// checksum is taken a piece at a time.
fn attachment(source: &mut dyn Source, start: u64, length: u64) -> Result<Fate, Failure> {
    // Two names with their counts, a time, a length.
    let head = length.min(2 * (LONGEST_NAME + 4) + 16);
    let head = piece::bytes(source, start, head)?;
    let mut cursor = Cursor::new(&head, start, "Attachment");
    let lengths = |cursor: &mut Cursor<'_>| {
        cursor.string("name")?;
        cursor.string("media_type")?;
        cursor.u64("created_unix_ns")?;
        cursor.u64("data")
    };
    let data_length = match lengths(&mut cursor) {
        Ok(data_length) => data_length,
        // Reading G08, as above; a name beyond reason is not looked at.
        Err(error) if error.kind() == Kind::BadLength => return Ok(Fate::Carried),
        Err(error) => return Ok(Fate::damaged(&error)),
    };
    let data = cursor.offset();
    let end = start.saturating_add(length);
    let checksum = data.checked_add(data_length);
    let Some(checksum) = checksum.filter(|at| end.saturating_sub(*at) >= 4 && *at <= end) else {
        return Ok(Fate::Carried);
    };
    let stated = piece::bytes(source, checksum, 4)?;
    let computed = piece::crc32c(source, data, data_length)?;
    if stated == computed.to_le_bytes() {
        return Ok(Fate::Carried);
    }
    let message = format!("the data's checksum is not {computed:#010x}");
    Ok(Fate::Damaged(Kind::BadCrc, message))
}

/// Annotations with the new places of the chunks that they name, else as they
/// are; `None` where one of these chunks is not in the output (§12).
pub(crate) fn moved(mut content: Vec<u8>, places: &BTreeMap<u64, u64>) -> Option<Vec<u8>> {
    let trace = Trace::default();
    let mut cursor = Cursor::traced(&content, 0, "", &trace);
    let annotations = Annotations::decode(&mut cursor).ok()?;
    let mut spans = trace.into_spans();
    spans.retain(|span| span.field.ends_with("first_chunk_offset"));
    if spans.len() != annotations.entries.len() {
        return None;
    }
    for (span, entry) in spans.iter().zip(&annotations.entries) {
        let place = places.get(&entry.first_chunk_offset)?;
        let start = usize::try_from(span.offset).ok()?;
        let field = content.get_mut(start..start.checked_add(8)?)?;
        field.copy_from_slice(&place.to_le_bytes());
    }
    Some(content)
}

/// The contents of the definitions, ascending by reference: as the source has
/// them in records of their own, what a later version appended included, or
/// else made from what recovery knows.
pub(crate) struct Definitions {
    pub(crate) schemas: Vec<Definition>,
    pub(crate) streams: Vec<Definition>,
}

/// A definition's content, and where it stands in the source, if it does.
pub(crate) struct Definition {
    pub(crate) offset: Option<u64>,
    pub(crate) reference: u32,
    pub(crate) content: Vec<u8>,
}

pub(crate) fn definitions(
    source: &mut dyn Source,
    recovered: &Recovered,
) -> Result<Definitions, Failure> {
    let mut schemas: BTreeMap<u32, Definition> = BTreeMap::new();
    let mut streams: BTreeMap<u32, Definition> = BTreeMap::new();
    for schema in &recovered.schemas {
        let made = made(schema.schema_ref, schema)?;
        schemas.insert(schema.schema_ref, made);
    }
    for stream in &recovered.streams {
        let made = made(stream.stream_ref, stream)?;
        streams.insert(stream.stream_ref, made);
    }
    let known_schemas: BTreeMap<u32, &Schema> =
        of_reference(&recovered.schemas, |it| it.schema_ref);
    let known_streams: BTreeMap<u32, &Stream> =
        of_reference(&recovered.streams, |it| it.stream_ref);
    let (most_schema, most_stream) = (bound(&schemas), bound(&streams));
    let entries = recovered.entries.iter();
    let chunks: BTreeSet<u64> = entries.map(|entry| entry.chunk_offset).collect();
    for found in &recovered.records {
        // One that an index leads into the middle of may reach too far.
        let end = found.offset.saturating_add(found.length);
        if chunks.range(found.offset..end).next().is_some() {
            continue;
        }
        let (start, length) = content_of(found);
        match found.opcode {
            op::SCHEMA => {
                let as_known = |content: &[u8]| {
                    let schema = Schema::from_content(content, start).ok()?;
                    let known = known_schemas.get(&schema.schema_ref) == Some(&&schema);
                    known.then_some(schema.schema_ref)
                };
                if length <= most_schema {
                    as_it_stands(source, found.offset, length, as_known, &mut schemas)?;
                }
            }
            op::STREAM => {
                let as_known = |content: &[u8]| {
                    let stream = Stream::from_content(content, start).ok()?;
                    let known = known_streams.get(&stream.stream_ref) == Some(&&stream);
                    known.then_some(stream.stream_ref)
                };
                if length <= most_stream {
                    as_it_stands(source, found.offset, length, as_known, &mut streams)?;
                }
            }
            _ => {}
        }
    }
    Ok(Definitions {
        schemas: schemas.into_values().collect(),
        streams: streams.into_values().collect(),
    })
}

fn made<R: Record>(reference: u32, record: &R) -> Result<Definition, Failure> {
    let content = record
        .content()
        .map_err(|error| Failure::Bug(format!("a definition has no encoding: {error}")))?;
    Ok(Definition {
        offset: None,
        reference,
        content,
    })
}

fn of_reference<R>(records: &[R], reference: impl Fn(&R) -> u32) -> BTreeMap<u32, &R> {
    let records = records.iter();
    records.map(|record| (reference(record), record)).collect()
}

/// What is appended to a definition is small; a record far longer than any
/// known one is none of them, and its length is only a claim.
fn bound(definitions: &BTreeMap<u32, Definition>) -> u64 {
    let longest = definitions.values().map(|it| it.content.len()).max();
    crate::wide(longest.unwrap_or_default()).saturating_add(1 << 20)
}

/// Takes the first record that says what is known of its reference.
fn as_it_stands(
    source: &mut dyn Source,
    offset: u64,
    length: u64,
    as_known: impl FnOnce(&[u8]) -> Option<u32>,
    definitions: &mut BTreeMap<u32, Definition>,
) -> Result<(), Failure> {
    let content = piece::bytes(source, offset.saturating_add(FRAME_BYTES), length)?;
    let known = as_known(&content).and_then(|reference| definitions.get_mut(&reference));
    if let Some(definition) = known.filter(|definition| definition.offset.is_none()) {
        definition.offset = Some(offset);
        definition.content = content;
    }
    Ok(())
}
