//! The CA3 format as bytes.
//!
//! - [`Cursor`] reads fields through a fence and knows the absolute file offset
//!   of everything it reads; [`Encoder`] writes them and remembers where each
//!   field came to lie.
//! - [`records`] has one page a record: its byte diagram, its encoding and its
//!   decoding side by side.
//! - [`frame`] is what stands in front of every record.
//! - [`rows`] and [`columnar`] are the two layouts of a chunk's messages, read
//!   and written; [`message`] has the arithmetic that both share.
//! - [`annotate`](annotate::annotate) names every byte of a file, for a person.
//! - [`protobuf`] reads the fields of payloads and descriptors, without a schema.
//! - [`WireError`] says what was wrong, in which field, at which offset.
//!
//! This crate decodes and does not judge: an unknown opcode, codec or assertion
//! byte is a value that survives. No length read from a file is trusted: a
//! [`Budget`] is spent before memory is taken.

pub mod annotate;
mod budget;
mod codec;
pub mod columnar;
pub mod compress;
pub mod crc;
mod cursor;
mod encoder;
mod error;
mod field_mask;
pub mod frame;
mod map;
pub mod message;
pub mod protobuf;
pub mod records;
pub mod rows;
mod scope;
pub mod sequence;
mod trace;
pub mod varint;
mod width;

pub use budget::Budget;
pub use codec::Codec;
pub use cursor::Cursor;
pub use encoder::{EncodeError, Encoder};
pub use error::{Fault, WireError};
pub use field_mask::FieldMask;
pub use map::Map;
pub use message::{Message, OwnedMessage};
pub use trace::Trace;

/// A named stretch of bytes: one field of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Path of the field within its record, such as `devices[1].serial`.
    pub field: String,
    /// Offset of its first byte: absolute when decoded, within the content
    /// when encoded.
    pub offset: u64,
    /// How many bytes it takes, counts and prefixes included.
    pub length: u64,
    /// The value, for a person; empty for a span that only groups others.
    pub value: String,
}
