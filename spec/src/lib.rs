//! The CA3 format as facts: what the document fixes, in one place each.
//!
//! - [`opcode`]: every record of §2.4 and §15, its class and its legal places.
//! - [`feature`]: the bits of `Header.required_features` (§3.3, §15).
//! - [`kind`]: the kinds by which a violation is reported.
//! - [`rule`]: the rule catalogue, and [`reading`]: what is read where the
//!   document is silent.
//! - [`proto`]: the protobuf files of the options, of frames, of `ca3.time.v1` and of
//!   the corpus's fixtures.
//! - [`protocol`]: how the harness talks to an implementation.
//! - [`vector`]: the form of a committed case.
//! - [`schema`]: the JSON Schemas of what goes over the line or stands in files.
//!
//! Nothing here touches the bytes of a file; that is `ca3-wire`.

pub mod feature;
pub mod kind;
pub mod opcode;
pub mod proto;
pub mod protocol;
pub mod reading;
pub mod rule;
pub mod schema;
pub mod vector;

/// The eight bytes at both ends of a sealed file (§2.1).
pub const MAGIC: [u8; 8] = [0x89, b'C', b'A', b'3', 0x31, b'\r', b'\n', 0x1A];

/// Bytes of framing before a record's content: opcode and length (§3).
pub const FRAME_BYTES: u64 = 9;

/// Absolute file offset of `Header.required_features` (§3.3).
pub const REQUIRED_FEATURES_OFFSET: u64 = 17;

/// Content bytes of the Footer (§13.1), the one record of fixed size.
pub const FOOTER_CONTENT_BYTES: u64 = 28;

/// Distance of the Footer's opcode byte from the end of a sealed file:
/// frame, content and trailing magic (§13.1, reading G25).
pub const FOOTER_FROM_END: u64 = FRAME_BYTES + FOOTER_CONTENT_BYTES + 8;
