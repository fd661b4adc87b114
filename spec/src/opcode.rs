//! Opcodes: the partition of §3.1 and the records of §2.4 and §15.
//!
//! One table, [`OPCODES`], is read by the decoder, the reports and the
//! generators; [`class_of`] is total over all 256 bytes.

/// What an unknown opcode of a range means for a reader (§3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `0x00`: never a record.
    Invalid,
    /// `0x01`-`0x3F`: the format's own, must be understood.
    MustUnderstand,
    /// `0x40`-`0x7F`: the format's own, may be stepped over.
    Skippable,
    /// `0x80`-`0xBF`: an application's, must be understood.
    PrivateMustUnderstand,
    /// `0xC0`-`0xFF`: an application's, may be stepped over.
    PrivateSkippable,
}

impl Class {
    /// Whether a reader that does not know the opcode may step over the record.
    pub const fn is_skippable(self) -> bool {
        matches!(self, Class::Skippable | Class::PrivateSkippable)
    }

    /// The class in the words of §3.1's table.
    pub const fn describe(self) -> &'static str {
        match self {
            Class::Invalid => "invalid",
            Class::MustUnderstand => "format, must-understand",
            Class::Skippable => "format, skippable",
            Class::PrivateMustUnderstand => "private, must-understand",
            Class::PrivateSkippable => "private, skippable",
        }
    }
}

/// The class of any byte in opcode position (§3.1).
pub const fn class_of(opcode: u8) -> Class {
    match opcode {
        0x00 => Class::Invalid,
        0x01..=0x3F => Class::MustUnderstand,
        0x40..=0x7F => Class::Skippable,
        0x80..=0xBF => Class::PrivateMustUnderstand,
        0xC0..=0xFF => Class::PrivateSkippable,
    }
}

/// Whether version 1 gives the opcode a layout or only a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Defined with a layout (§2.4).
    Defined,
    /// Named and deferred: no version 1 writer emits one (§15).
    Reserved,
}

/// Where a record may stand in a file (§2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// First record, directly after the leading magic.
    First,
    /// Between the Header and the summary.
    Data,
    /// In the summary section.
    Summary,
    /// Behind the summary.
    SummaryOffset,
    /// Last record, before the trailing magic.
    Last,
}

/// One row of the opcode table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The opcode byte.
    pub opcode: u8,
    /// The record's name in the document.
    pub name: &'static str,
    /// The section that lays it out, or names it when reserved.
    pub section: &'static str,
    /// Defined or reserved.
    pub standing: Standing,
    /// Legal places; empty for reserved records.
    pub places: &'static [Place],
    /// Bytes that the content has at least: its fixed fields, with every
    /// string, array and map empty.
    pub min_content: u64,
    /// Whether unknown bytes behind the last known field are a legal extension (§14).
    pub grows: bool,
}

/// Named opcode bytes, spelled as in the document.
#[allow(missing_docs)]
pub mod op {
    pub const HEADER: u8 = 0x01;
    pub const FOOTER: u8 = 0x02;
    pub const SCHEMA: u8 = 0x03;
    pub const STREAM: u8 = 0x04;
    pub const CHUNK: u8 = 0x05;
    pub const SESSION: u8 = 0x06;
    pub const CHECKPOINT: u8 = 0x07;
    pub const CHUNK_INDEX: u8 = 0x08;
    pub const STREAM_DIRECTORY: u8 = 0x09;
    pub const CLOCK_BLOCK: u8 = 0x0A;
    pub const ERASED_CHUNK: u8 = 0x0B;
    pub const TOMBSTONE: u8 = 0x0C;
    pub const STREAM_CRYPTO: u8 = 0x0D;
    pub const COLUMNAR_CHUNK: u8 = 0x0E;
    pub const METADATA: u8 = 0x40;
    pub const METADATA_INDEX: u8 = 0x41;
    pub const ATTACHMENT: u8 = 0x42;
    pub const ATTACHMENT_INDEX: u8 = 0x43;
    pub const STATISTICS: u8 = 0x44;
    pub const ANNOTATIONS: u8 = 0x45;
    pub const INTEGRITY: u8 = 0x46;
    pub const SUMMARY_OFFSET: u8 = 0x48;
    pub const MESSAGE_OFFSETS: u8 = 0x49;
    pub const PADDING: u8 = 0x4A;
}

const fn defined(
    opcode: u8,
    name: &'static str,
    section: &'static str,
    places: &'static [Place],
    min_content: u64,
    grows: bool,
) -> Entry {
    Entry {
        opcode,
        name,
        section,
        standing: Standing::Defined,
        places,
        min_content,
        grows,
    }
}

const fn reserved(opcode: u8, name: &'static str) -> Entry {
    Entry {
        opcode,
        name,
        section: "15",
        standing: Standing::Reserved,
        places: &[],
        min_content: 0,
        grows: true,
    }
}

use Place::{Data, First, Last, Summary};

/// Every opcode that version 1 names, ascending.
///
/// `min_content` of Metadata, Attachment, Statistics and SummaryOffset follows
/// readings G07-G09; a Stream may end at `metadata` (reading G34).
pub const OPCODES: &[Entry] = &[
    defined(op::HEADER, "Header", "4", &[First], 52, true),
    defined(op::FOOTER, "Footer", "13.1", &[Last], 28, false),
    defined(op::SCHEMA, "Schema", "5.1", &[Data, Summary], 20, true),
    defined(op::STREAM, "Stream", "5.7", &[Data, Summary], 71, true),
    defined(op::CHUNK, "Chunk", "6.1", &[Data], 77, false),
    defined(op::SESSION, "Session", "11", &[Data, Summary], 53, true),
    defined(op::CHECKPOINT, "Checkpoint", "8.1", &[Data], 88, false),
    defined(op::CHUNK_INDEX, "ChunkIndex", "7.1", &[Summary], 8, true),
    defined(
        op::STREAM_DIRECTORY,
        "StreamDirectory",
        "7.3",
        &[Summary],
        8,
        true,
    ),
    defined(op::CLOCK_BLOCK, "ClockBlock", "10.4", &[Summary], 16, true),
    reserved(op::ERASED_CHUNK, "ErasedChunk"),
    reserved(op::TOMBSTONE, "Tombstone"),
    reserved(op::STREAM_CRYPTO, "StreamCrypto"),
    defined(
        op::COLUMNAR_CHUNK,
        "ColumnarChunk",
        "6.5",
        &[Data],
        81,
        false,
    ),
    defined(op::METADATA, "Metadata", "13.3", &[Data], 8, true),
    reserved(op::METADATA_INDEX, "MetadataIndex"),
    defined(op::ATTACHMENT, "Attachment", "13.3", &[Data], 28, true),
    reserved(op::ATTACHMENT_INDEX, "AttachmentIndex"),
    defined(op::STATISTICS, "Statistics", "13.2", &[Summary], 56, true),
    defined(op::ANNOTATIONS, "Annotations", "12", &[Data], 16, true),
    reserved(op::INTEGRITY, "Integrity"),
    defined(
        op::SUMMARY_OFFSET,
        "SummaryOffset",
        "13.4",
        &[Place::SummaryOffset],
        17,
        true,
    ),
    defined(
        op::MESSAGE_OFFSETS,
        "MessageOffsets",
        "7.5",
        &[Summary],
        16,
        true,
    ),
    defined(
        op::PADDING,
        "Padding",
        "13.4",
        &[Data, Summary, Place::SummaryOffset],
        0,
        true,
    ),
];

/// The row of an opcode, or `None` where version 1 says nothing about the byte.
pub fn entry(opcode: u8) -> Option<&'static Entry> {
    OPCODES.iter().find(|entry| entry.opcode == opcode)
}

/// What a reader must do with an opcode byte, before looking at any content (§3.1, §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// Defined by version 1.
    Defined(&'static Entry),
    /// Reserved and skippable: step over it and report it by name.
    SkipReserved(&'static Entry),
    /// Reserved and must-understand: stop, by name.
    StopReserved(&'static Entry),
    /// Unknown and skippable: step over it and report it.
    SkipUnknown,
    /// Unknown and must-understand: stop, naming the opcode.
    StopUnknown,
    /// `0x00`: stop.
    Invalid,
}

/// The disposition of any byte in opcode position.
pub fn disposition(opcode: u8) -> Disposition {
    let class = class_of(opcode);
    match entry(opcode) {
        Some(entry) if entry.standing == Standing::Defined => Disposition::Defined(entry),
        Some(entry) if class.is_skippable() => Disposition::SkipReserved(entry),
        Some(entry) => Disposition::StopReserved(entry),
        None if class == Class::Invalid => Disposition::Invalid,
        None if class.is_skippable() => Disposition::SkipUnknown,
        None => Disposition::StopUnknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// §2.4's and §15's tables, typed out a second time from the document.
    #[test]
    fn the_table_holds_exactly_the_documents_records() {
        let defined: Vec<u8> = OPCODES
            .iter()
            .filter(|entry| entry.standing == Standing::Defined)
            .map(|entry| entry.opcode)
            .collect();
        let expected = [
            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0E, 0x40, 0x42, 0x44,
            0x45, 0x48, 0x49, 0x4A,
        ];
        assert_eq!(defined, expected);
        let reserved: Vec<(u8, &str)> = OPCODES
            .iter()
            .filter(|entry| entry.standing == Standing::Reserved)
            .map(|entry| (entry.opcode, entry.name))
            .collect();
        let expected = [
            (0x0B, "ErasedChunk"),
            (0x0C, "Tombstone"),
            (0x0D, "StreamCrypto"),
            (0x41, "MetadataIndex"),
            (0x43, "AttachmentIndex"),
            (0x46, "Integrity"),
        ];
        assert_eq!(reserved, expected);
    }

    #[test]
    fn every_byte_has_one_disposition() {
        let mut counts = [0usize; 6];
        for byte in 0..=255u8 {
            let slot = match disposition(byte) {
                Disposition::Defined(_) => 0,
                Disposition::SkipReserved(_) => 1,
                Disposition::StopReserved(_) => 2,
                Disposition::SkipUnknown => 3,
                Disposition::StopUnknown => 4,
                Disposition::Invalid => 5,
            };
            counts[slot] += 1;
        }
        // 18 defined and 6 reserved; skippable 128 less 7 defined and 3 reserved;
        // must-understand 127 less 11 defined and 3 reserved; one invalid.
        assert_eq!(counts, [18, 3, 3, 118, 113, 1]);
    }
}
