//! Schemas and streams, and what refers to them (§5; item 6).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{SchemaView, StreamView};
use ca3_wire::Budget;
use ca3_wire::records::{Record, Schema, Stream};

use super::refusal::Failure;
use super::views;

/// Bytes that a kept definition takes besides its content.
const OVERHEAD: u64 = 1024;

/// Every definition met so far: in a record of its own or in a checkpoint
/// (reading G49).
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    schemas: BTreeMap<u32, SchemaView>,
    streams: BTreeMap<u32, Declared>,
}

/// A stream, and where it was first declared.
#[derive(Debug)]
struct Declared {
    stream: Stream,
    offset: u64,
}

impl Definitions {
    /// Takes a Schema's content, met in the record at `offset`.
    pub(crate) fn schema(
        &mut self,
        content: &[u8],
        offset: u64,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        let schema = decode::<Schema>(content, offset)?;
        // Reading G89: a definition with reference 0 is not taken.
        if schema.schema_ref == 0 {
            return Err(zero("schema_ref", offset));
        }
        let view = views::schema(schema);
        match self.schemas.entry(view.schema_ref) {
            Entry::Vacant(place) => {
                pay(content, offset, budget)?;
                place.insert(view);
                Ok(())
            }
            // Readings G21 and G76: the same statement again is none.
            Entry::Occupied(place) if *place.get() == view => Ok(()),
            Entry::Occupied(_) => Err(duplicate("schema_ref", view.schema_ref, offset)),
        }
    }

    /// Takes a Stream's content, met in the record at `offset`.
    pub(crate) fn stream(
        &mut self,
        content: &[u8],
        offset: u64,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        let stream = decode::<Stream>(content, offset)?;
        let stream_ref = stream.stream_ref;
        if stream_ref == 0 {
            return Err(zero("stream_ref", offset));
        }
        // §5.9 refuses a boundary, and nothing over a `block_offset` without one
        // (reading G98). Reading G78: of the two ways to refuse the stream, the
        // whole file.
        if stream.block_alignment != 0 && !stream.has_valid_alignment() {
            let message = format!(
                "stream {stream_ref}: block_alignment {}",
                stream.block_alignment
            );
            let failure = Failure::violation(Kind::BadAlignment, offset, message);
            return Err(failure.of_stream(stream_ref));
        }
        match self.streams.entry(stream_ref) {
            Entry::Vacant(place) => {
                pay(content, offset, budget)?;
                place.insert(Declared { stream, offset });
                Ok(())
            }
            Entry::Occupied(place) if place.get().stream == stream => Ok(()),
            Entry::Occupied(_) => {
                Err(duplicate("stream_ref", stream_ref, offset).of_stream(stream_ref))
            }
        }
    }

    /// Resolves the stream of the chunk at `offset`, and that stream's schema:
    /// both stand before the first chunk that needs them (reading G49).
    pub(super) fn resolve(&self, stream_ref: u32, offset: u64) -> Result<(), Failure> {
        match self.streams.get(&stream_ref) {
            Some(declared) => self.resolve_schema(&declared.stream, offset),
            None => {
                let message = format!("stream_ref {stream_ref} is not declared");
                Err(
                    Failure::violation(Kind::UnresolvedReference, offset, message)
                        .of_stream(stream_ref),
                )
            }
        }
    }

    fn resolve_schema(&self, stream: &Stream, offset: u64) -> Result<(), Failure> {
        let Stream {
            stream_ref,
            schema_ref,
            ..
        } = *stream;
        if schema_ref == 0 || self.schemas.contains_key(&schema_ref) {
            return Ok(());
        }
        let message = format!("stream {stream_ref}: schema_ref {schema_ref} is not declared");
        Err(Failure::violation(Kind::UnresolvedReference, offset, message).of_stream(stream_ref))
    }

    /// The declared schemas, ascending by reference.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &SchemaView> {
        self.schemas.values()
    }

    /// The declared streams, ascending by reference.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.streams.values().map(|declared| &declared.stream)
    }

    /// How many streams are declared.
    pub(crate) fn count(&self) -> usize {
        self.streams.len()
    }

    /// The stream of that reference.
    pub(crate) fn get(&self, stream_ref: u32) -> Option<&Stream> {
        self.streams
            .get(&stream_ref)
            .map(|declared| &declared.stream)
    }

    /// The streams whose schema nothing in the file declares.
    pub(crate) fn unresolved(&self) -> impl Iterator<Item = Failure> {
        self.streams
            .values()
            .filter_map(|declared| self.resolve_schema(&declared.stream, declared.offset).err())
    }

    /// Both lists, ascending by reference.
    pub(super) fn into_views(self) -> (Vec<SchemaView>, Vec<StreamView>) {
        let streams = self
            .streams
            .into_values()
            .map(|declared| views::stream(declared.stream));
        (self.schemas.into_values().collect(), streams.collect())
    }
}

fn decode<R: Record>(content: &[u8], offset: u64) -> Result<R, Failure> {
    R::from_content(content, offset).map_err(|error| Failure::wire(&error, offset))
}

fn pay(content: &[u8], offset: u64, budget: &mut Budget) -> Result<(), Failure> {
    let bytes = u64::try_from(content.len())
        .unwrap_or(u64::MAX)
        .saturating_add(OVERHEAD);
    budget
        .spend(bytes, offset, "definition")
        .map_err(|error| Failure::wire(&error, offset))
}

#[cold]
fn zero(field: &str, offset: u64) -> Failure {
    Failure::violation(
        Kind::ZeroReference,
        offset,
        format!("{field} 0 cannot be declared"),
    )
}

#[cold]
fn duplicate(field: &str, reference: u32, offset: u64) -> Failure {
    let message = format!("{field} {reference} is declared before, differently");
    Failure::violation(Kind::DuplicateReference, offset, message)
}
