//! One page a record: byte diagram, encoding, decoding and a golden test.
//!
//! A record's content is decoded from a cursor fenced to exactly that content.
//! Records that may grow (§14) leave unknown trailing bytes unread; the others
//! end exactly.

mod annotations;
mod attachment;
mod checkpoint;
mod chunk;
mod chunk_head;
mod chunk_index;
mod clock_block;
mod columnar_chunk;
mod footer;
mod header;
mod message_offsets;
mod metadata;
mod schema;
mod session;
mod statistics;
mod stream;
mod stream_directory;
mod summary_offset;

pub use annotations::{AnnotationEntry, Annotations};
pub use attachment::Attachment;
pub use checkpoint::Checkpoint;
pub use chunk::ChunkHeader;
pub use chunk_head::ChunkHead;
pub use chunk_index::{ChunkIndex, IndexEntry};
pub use clock_block::{ClockBlock, ClockDomain, DegradedInterval};
pub use columnar_chunk::ColumnarHeader;
pub use footer::Footer;
pub use header::Header;
pub use message_offsets::MessageOffsets;
pub use metadata::Metadata;
pub use schema::Schema;
pub use session::{Device, Session};
pub use statistics::{Statistics, StreamStatistics};
pub use stream::Stream;
pub use stream_directory::{DirectoryEntry, StreamDirectory};
pub use summary_offset::SummaryOffset;

use ca3_spec::opcode;

use crate::{Cursor, EncodeError, Encoder, WireError};

/// A record whose content has a layout of its own.
pub trait Record: Sized {
    /// The opcode that frames it.
    const OPCODE: u8;

    /// Appends the content.
    ///
    /// # Errors
    /// [`EncodeError`] for a value that has no encoding.
    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError>;

    /// Reads the content's known fields.
    ///
    /// # Errors
    /// [`WireError`] with the absolute offset of the field at fault.
    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError>;

    /// The content's bytes.
    ///
    /// # Errors
    /// As [`Record::encode`].
    fn content(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::plain();
        self.encode(&mut out)?;
        Ok(out.into_bytes())
    }

    /// Decodes a whole content that lies at absolute offset `content_offset`.
    ///
    /// # Errors
    /// As [`Record::decode`], and [`Fault::Leftover`](crate::Fault::Leftover)
    /// where a record that cannot grow (§14) goes on behind its last field.
    fn from_content(content: &[u8], content_offset: u64) -> Result<Self, WireError> {
        let entry = opcode::entry(Self::OPCODE);
        let name = entry.map_or("record", |entry| entry.name);
        let mut cursor = Cursor::new(content, content_offset, name);
        let record = Self::decode(&mut cursor)?;
        if entry.is_some_and(|entry| !entry.grows) {
            cursor.finish("")?;
        }
        Ok(record)
    }
}

/// The bytes of hexadecimal pairs, white space between them as it reads best.
#[cfg(test)]
pub(crate) fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// Checks a record against bytes worked out by hand from the document: it
/// encodes to them and decodes from them, both name the same fields at the
/// same places, every shorter content is an error, and no other byte anywhere
/// makes decoding panic.
#[cfg(test)]
fn golden<R: Record + PartialEq + std::fmt::Debug>(record: &R, text: &str) {
    let bytes = hex(text);
    decodes(record, &bytes);
    assert_eq!(record.content().unwrap(), bytes, "encoding");
    let mut out = Encoder::new();
    record.encode(&mut out).unwrap();
    let written: Vec<_> = out
        .into_parts()
        .1
        .into_iter()
        .map(|span| (span.offset, span.field))
        .collect();
    let trace = crate::Trace::default();
    R::decode(&mut Cursor::traced(&bytes, 0, "", &trace)).unwrap();
    let mut read: Vec<_> = trace
        .into_spans()
        .into_iter()
        .map(|span| (span.offset, span.field))
        .collect();
    read.sort();
    assert_eq!(read, written, "fields");
    for cut in 0..bytes.len() {
        let error = R::from_content(&bytes[..cut], 100).unwrap_err();
        let end = 100 + crate::width::wide(cut);
        assert!((100..=end).contains(&error.offset), "cut at {cut}: {error}");
    }
}

/// The decoding half of [`golden`], for contents that an encoder does not write.
#[cfg(test)]
fn decodes<R: Record + PartialEq + std::fmt::Debug>(record: &R, bytes: &[u8]) {
    assert_eq!(&R::from_content(bytes, 100).unwrap(), record, "decoding");
    for at in 0..bytes.len() {
        let mut bytes = bytes.to_vec();
        for other in [
            0x00,
            0xFF,
            bytes[at].wrapping_add(1),
            bytes[at].wrapping_sub(1),
        ] {
            bytes[at] = other;
            let _ = R::from_content(&bytes, u64::MAX - 3);
            let _ = R::from_content(&bytes[..=at], 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emptiest<R: Record>(record: R) -> (u8, u64) {
        (
            R::OPCODE,
            crate::width::wide(record.content().unwrap().len()),
        )
    }

    /// The opcode table's shortest content is the one whose strings, arrays and
    /// maps are all empty; a Stream may end before its last eight bytes.
    #[test]
    fn the_opcode_table_states_the_shortest_contents() {
        let (stream, stream_bytes) = emptiest(Stream::default());
        let lengths = [
            emptiest(Header::default()),
            emptiest(Footer::default()),
            emptiest(Schema::default()),
            (stream, stream_bytes - 8),
            emptiest(ChunkHeader::default()),
            emptiest(Session::default()),
            emptiest(Checkpoint::default()),
            emptiest(ChunkIndex::default()),
            emptiest(StreamDirectory::default()),
            emptiest(ClockBlock::default()),
            emptiest(ColumnarHeader::default()),
            emptiest(Metadata::default()),
            emptiest(Attachment::default()),
            emptiest(Statistics::default()),
            emptiest(Annotations::default()),
            emptiest(SummaryOffset::default()),
            emptiest(MessageOffsets::default()),
            (opcode::op::PADDING, 0),
        ];
        let defined = |entry: &&opcode::Entry| entry.standing == opcode::Standing::Defined;
        let stated: Vec<_> = opcode::OPCODES
            .iter()
            .filter(defined)
            .map(|entry| (entry.opcode, entry.min_content))
            .collect();
        assert_eq!(stated, lengths);
    }

    /// Counts and sizes far beyond the content cost neither time nor memory.
    #[test]
    fn hostile_counts_are_errors() {
        let huge = [0xFF; 64];
        assert!(ClockBlock::from_content(&huge, 0).is_err());
        assert!(Session::from_content(&huge, 0).is_err());
        assert!(ChunkIndex::from_content(&huge, 0).is_err());
        assert!(Checkpoint::from_content(&huge, 0).is_err());
        for table in [
            "38 00 00 00 ff ff ff ff",
            "ff ff ff ff ff ff ff ff",
            "49 00 00 00 ff ff ff ff",
        ] {
            let mut bytes = hex(table);
            bytes.extend([0; 4096]);
            assert!(ChunkIndex::from_content(&bytes, 0).is_err());
            assert!(StreamDirectory::from_content(&bytes, 0).is_err());
        }
        let mut strings = hex("ff ff ff ff");
        strings.extend([0; 4096]);
        assert!(Annotations::from_content(&strings, 0).is_err());
        let mut entries = hex("00 00 00 00 ff ff ff ff");
        entries.extend([0; 4096]);
        assert!(Metadata::from_content(&entries, 0).is_err());
        assert!(Annotations::from_content(&entries, 0).is_err());
    }

    #[test]
    fn a_record_that_grows_may_go_on_and_one_that_does_not_may_not() {
        for grown in [1, 9] {
            let longer = |content: Vec<u8>| [content, vec![7; grown]].concat();
            let schema = Schema {
                schema_ref: 3,
                ..Schema::default()
            };
            let content = longer(schema.content().unwrap());
            assert_eq!(Schema::from_content(&content, 0), Ok(schema));
            let content = longer(Footer::default().content().unwrap());
            let error = Footer::from_content(&content, 100).unwrap_err();
            let left = crate::width::wide(grown);
            assert_eq!(
                (error.offset, error.fault),
                (128, crate::Fault::Leftover { left })
            );
            let content = longer(Checkpoint::default().content().unwrap());
            assert!(Checkpoint::from_content(&content, 0).is_err());
        }
    }
}
