//! The kinds by which a violation is named in the protocol and in expectations.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($variant:ident $text:literal $meaning:literal;)*) => {
        /// What sort of violation was met. The spelling on the wire is kebab-case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = $meaning] #[serde(rename = $text)] $variant,)*
        }

        impl Kind {
            /// Every kind, in the order of the protocol's list.
            pub const ALL: &[Kind] = &[$(Kind::$variant,)*];

            /// The kind's spelling in the protocol.
            pub const fn as_str(self) -> &'static str {
                match self { $(Kind::$variant => $text,)* }
            }

            /// What the kind means, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Kind::$variant => $meaning,)* }
            }
        }
    };
}

kinds! {
    BadMagic "bad-magic" "The leading bytes are not the magic, or of another major version (§2.1).";
    UnsupportedFeature "unsupported-feature" "A required feature bit is set that the reader does not implement (§3.3).";
    InvalidOpcode "invalid-opcode" "Opcode 0x00 (§3.1).";
    UnknownOpcode "unknown-opcode" "An unknown must-understand opcode (§3.1).";
    ReservedOpcode "reserved-opcode" "A must-understand opcode that version 1 reserves (§3.4, §15).";
    VarintTooLong "varint-too-long" "A varint of more than ten bytes or more than 64 bits (§1.4).";
    VarintNotCanonical "varint-not-canonical" "A varint that is not the shortest form of its value (§1.4).";
    BadUtf8 "bad-utf8" "A string whose bytes are not UTF-8 (§1.2).";
    MapOrder "map-order" "Map keys out of ascending byte order, or repeated (§1.3).";
    UnresolvedReference "unresolved-reference" "A stream or schema reference that nothing declares (§5).";
    DuplicateReference "duplicate-reference" "A reference declared twice, differently (§5.1).";
    ZeroReference "zero-reference" "A definition with reference 0 (§5.1).";
    ReservedMaskBit "reserved-mask-bit" "A chunk with a reserved must-understand field mask bit (§6.3, §6.5).";
    UnknownCodec "unknown-codec" "A codec byte that version 1 does not assign (§6.1).";
    BadCrc "bad-crc" "A checksum that does not match the bytes it covers.";
    BadLength "bad-length" "A length or count that contradicts the bytes around it.";
    TruncatedRecord "truncated-record" "The file ends inside a record, or before it is sealed (§8.3).";
    BadEntrySize "bad-entry-size" "An entry_size smaller than this version's entry (§7.1).";
    BadOrder "bad-order" "Records, entries or messages in an order that the format rules out.";
    BadAlignment "bad-alignment" "A block_alignment that is no power of two up to 4096 (§5.9).";
    DecompressFailed "decompress-failed" "A zstd frame that does not decompress (§6.1).";
    MappingInconsistent "mapping-inconsistent" "A clock mapping that its observations do not imply (§10.7).";
    DelayDoubleCounted "delay-double-counted" "A device delay beside an alignment event (§10.11).";
    DelayNotApplicable "delay-not-applicable" "A device delay measured under other firmware (§10.9).";
    IndexMismatch "index-mismatch" "An index that disagrees with the records it describes (§7).";
    LimitExceeded "limit-exceeded" "A value beyond what the implementation or 64 bits can hold.";
    Other "other" "Anything else.";
}

impl Kind {
    /// The kind of a spelling, or `None` for a word that the protocol does not list.
    pub fn parse(text: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
