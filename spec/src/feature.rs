//! The bits of `Header.required_features` (§3.3, §15).

/// One assigned bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The bit's number, 0 to 63.
    pub bit: u8,
    /// What the document calls it.
    pub name: &'static str,
    /// When a writer sets it.
    pub set_when: &'static str,
    /// Whether version 1 defines what the bit enables (bit 1 is only reserved).
    pub defined: bool,
}

/// At least one chunk uses zstd.
pub const ZSTD: u8 = 0;
/// A stream is encrypted; reserved (§15).
pub const STREAM_CRYPTO: u8 = 1;
/// At least one ColumnarChunk is present.
pub const COLUMNAR_CHUNK: u8 = 2;

/// Every bit that version 1 assigns; bits 3 to 63 are reserved and zero.
pub const FEATURES: &[Feature] = &[
    Feature {
        bit: ZSTD,
        name: "zstd",
        set_when: "at least one chunk uses zstd",
        defined: true,
    },
    Feature {
        bit: STREAM_CRYPTO,
        name: "StreamCrypto",
        set_when: "StreamCrypto is in use",
        defined: false,
    },
    Feature {
        bit: COLUMNAR_CHUNK,
        name: "ColumnarChunk",
        set_when: "at least one ColumnarChunk is present",
        defined: true,
    },
];

/// The name of an assigned bit.
pub fn name(bit: u8) -> Option<&'static str> {
    FEATURES
        .iter()
        .find(|feature| feature.bit == bit)
        .map(|feature| feature.name)
}

/// The numbers of the bits set in a bitmap, ascending.
pub fn bits(bitmap: u64) -> Vec<u8> {
    (0..64u8).filter(|bit| bitmap >> bit & 1 == 1).collect()
}
