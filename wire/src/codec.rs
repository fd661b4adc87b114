//! How a chunk's stored bytes are compressed (§6.1).

use crate::error::Fault;

/// The codec byte of a chunk; a value that version 1 does not assign survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Codec(pub u8);

impl Codec {
    /// The bytes stand as they are.
    pub const NONE: Codec = Codec(0);
    /// One zstd frame; claims feature bit 0.
    pub const ZSTD: Codec = Codec(1);

    /// The document's word for it, or `None` for a value it does not assign.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Codec::NONE => Some("none"),
            Codec::ZSTD => Some("zstd"),
            Codec(_) => None,
        }
    }

    /// Whether the stored bytes must be decompressed.
    ///
    /// # Errors
    /// [`Fault::Codec`] for a value that version 1 does not assign: its bytes
    /// are never taken as uncompressed.
    pub const fn compresses(self) -> Result<bool, Fault> {
        match self {
            Codec::NONE => Ok(false),
            Codec::ZSTD => Ok(true),
            Codec(value) => Err(Fault::Codec { value }),
        }
    }
}
