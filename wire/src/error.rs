//! What can be wrong with bytes, where, and in which field.

use ca3_spec::kind::Kind;
use thiserror::Error;

/// A fault at an absolute file offset.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} at offset {offset}: {fault}")]
pub struct WireError {
    /// Absolute file offset of the first byte of the field at fault.
    pub offset: u64,
    /// Path of that field, such as `Stream.topic`.
    pub field: String,
    /// What is wrong with it.
    pub fault: Fault,
}

impl WireError {
    /// A fault of a field at an absolute offset.
    #[cold]
    pub fn new(offset: u64, field: impl Into<String>, fault: Fault) -> Self {
        WireError {
            offset,
            field: field.into(),
            fault,
        }
    }

    /// The kind under which it is reported.
    pub const fn kind(&self) -> Kind {
        self.fault.kind()
    }
}

/// What is wrong, with the values that show it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The bytes are not the magic of version 1 (§2.1).
    #[error("the bytes {found:02x?} are not the CA3 magic")]
    Magic {
        /// The bytes in its place, eight at most.
        found: Vec<u8>,
    },
    /// A field reaches past the end of what encloses it.
    #[error("needs {needed} bytes where {left} are left")]
    Short {
        /// Bytes that the field needs.
        needed: u64,
        /// Bytes that are left inside the fence.
        left: u64,
    },
    /// Bytes are left where none may be.
    #[error("{left} bytes are left over")]
    Leftover {
        /// How many.
        left: u64,
    },
    /// Two statements of one length or count disagree.
    #[error("states {stated} where {actual} is the case")]
    Disagrees {
        /// The stated figure.
        stated: u64,
        /// What the bytes around it amount to.
        actual: u64,
    },
    /// A string that is not UTF-8 (§1.2).
    #[error("is not UTF-8 from its byte {at} on")]
    Utf8 {
        /// Index of the first byte that is not part of a character.
        at: u64,
    },
    /// A map key that does not sort behind the one before it (§1.3).
    #[error("key {key:?} does not sort behind {previous:?}")]
    MapOrder {
        /// The key before.
        previous: String,
        /// The key at fault, equal or smaller.
        key: String,
    },
    /// A varint still going on after ten bytes, or over 64 bits (§1.4).
    #[error("is a varint that does not fit 64 bits")]
    VarintTooLong,
    /// A varint that is not the shortest form of its value (§1.4).
    #[error("is a varint of {bytes} bytes whose value {value} needs fewer")]
    VarintNotCanonical {
        /// The value it encodes.
        value: u64,
        /// Bytes it takes.
        bytes: u64,
    },
    /// A varint with no end inside its fence.
    #[error("is a varint that does not end where its message ends")]
    VarintUnended,
    /// An entry size below this version's (§7.1).
    #[error("entry_size {found} is smaller than this version's {least}")]
    EntrySize {
        /// The stated size.
        found: u32,
        /// This version's size.
        least: u32,
    },
    /// A codec byte that version 1 does not assign (§6.1).
    #[error("codec {value} is not assigned")]
    Codec {
        /// The byte.
        value: u8,
    },
    /// Reserved mask bits (§6.3, §6.5).
    #[error("field_mask {mask:#06x} sets reserved bits {reserved:#06x}")]
    MaskBits {
        /// The whole mask.
        mask: u16,
        /// The bits that must not be set.
        reserved: u16,
    },
    /// A checksum that does not hold.
    #[error("states {stated:#010x} where the bytes give {computed:#010x}")]
    Crc {
        /// The stored checksum.
        stated: u32,
        /// CRC-32C of the bytes.
        computed: u32,
    },
    /// zstd did not accept the bytes.
    #[error("does not decompress: {reason}")]
    Decompress {
        /// The library's words.
        reason: String,
    },
    /// Stamp arithmetic that leaves 64 bits.
    #[error("comes to {value}, which 64 bits do not hold")]
    Range {
        /// The exact value.
        value: i128,
    },
    /// Entries that must ascend and do not (§7.5).
    #[error("{value} does not come after {previous}")]
    NotAscending {
        /// The value before.
        previous: u64,
        /// The value at fault.
        value: u64,
    },
    /// Fixed bytes that are not there (the sentinel of §8.2).
    #[error("the bytes {found:02x?} are not {expected:02x?}")]
    Fixed {
        /// What must stand there.
        expected: Vec<u8>,
        /// What stands there.
        found: Vec<u8>,
    },
    /// More memory than the reader grants.
    #[error("wants {wanted} bytes where the limit leaves {left}")]
    Budget {
        /// Bytes wanted.
        wanted: u64,
        /// Bytes granted.
        left: u64,
    },
}

impl Fault {
    /// The kind under which the fault is reported.
    pub const fn kind(&self) -> Kind {
        match self {
            Fault::Magic { .. } => Kind::BadMagic,
            Fault::Short { .. }
            | Fault::Leftover { .. }
            | Fault::Disagrees { .. }
            | Fault::VarintUnended => Kind::BadLength,
            Fault::Utf8 { .. } => Kind::BadUtf8,
            Fault::MapOrder { .. } => Kind::MapOrder,
            Fault::VarintTooLong => Kind::VarintTooLong,
            Fault::VarintNotCanonical { .. } => Kind::VarintNotCanonical,
            Fault::EntrySize { .. } => Kind::BadEntrySize,
            Fault::Codec { .. } => Kind::UnknownCodec,
            Fault::MaskBits { .. } => Kind::ReservedMaskBit,
            Fault::Crc { .. } => Kind::BadCrc,
            Fault::Decompress { .. } => Kind::DecompressFailed,
            Fault::Range { .. } | Fault::Budget { .. } => Kind::LimitExceeded,
            Fault::NotAscending { .. } => Kind::BadOrder,
            Fault::Fixed { .. } => Kind::Other,
        }
    }
}
