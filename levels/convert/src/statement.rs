//! What was recovered and what was lost, for machines and for people.

use std::collections::BTreeMap;

use ca3_reader::l4::Method;
use ca3_spec::kind::Kind;
use ca3_spec::opcode;
use ca3_spec::protocol::Report;
use serde::Serialize;

/// What became of a source.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// The version of this layout.
    pub schema_version: u32,
    /// What made it.
    pub tool: Tool,
    /// The file that was read.
    pub source: Source,
    /// The file that was written.
    pub output: Output,
    /// How the source was read.
    pub method: Method,
    /// Checkpoints that lent something.
    pub checkpoints: u64,
    /// Where the walk through the source stopped, if ahead of its Footer.
    pub stopped_at: Option<u64>,
    /// Why it stopped: a kind, or `end-of-file`.
    pub stop_reason: Option<&'static str>,
    /// Whether anything was lost; that the end is missing counts.
    pub lost: bool,
    /// Whether the source is truncated: what its writer still held, and what
    /// it would have written, is in no file.
    pub end_missing: bool,
    /// Chunks.
    pub chunks: Chunks,
    /// Messages in the chunks recovered.
    pub messages: u64,
    /// Bytes of the source that belong to no record that was taken.
    pub bytes_lost: Vec<Stretch>,
    /// Records other than chunks that do not hold, and were left out.
    pub damaged: Vec<Damaged>,
    /// Records other than chunks that were carried over as they were.
    pub carried: Vec<Count>,
    /// Records that were left out because they are made anew, or of no use.
    pub not_carried: Vec<NotCarried>,
    /// The numbers that only the recorder knew (§7.3, §13.2).
    pub recorder_counters: Counters,
    /// What the validator has against records that were carried over as they
    /// were, or that follows from what is missing.
    pub inherited: Vec<Inherited>,
    /// What recovery met besides.
    pub problems: Vec<Report>,
}

/// What made a statement.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// This program.
pub const TOOL: Tool = Tool {
    name: "ca3-convert",
    version: env!("CARGO_PKG_VERSION"),
};

/// The file that was read.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    /// Its name, without folders.
    pub name: String,
    /// Its length when it was opened.
    pub length: u64,
    /// CRC-32C over that length, as 8 hex digits.
    pub crc32c: String,
    /// Whether the trailing magic is there.
    pub sealed: bool,
}

/// The file that was written.
#[derive(Clone, Debug, Serialize)]
pub struct Output {
    /// Its name, without folders.
    pub name: String,
    /// Its length.
    pub length: u64,
}

/// Chunks, recovered and withheld.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Chunks {
    /// Carried over byte for byte.
    pub recovered: u64,
    /// Left out.
    pub withheld: Vec<Withheld>,
}

/// A chunk that was left out.
#[derive(Clone, Debug, Serialize)]
pub struct Withheld {
    /// Offset of its opcode byte in the source.
    pub offset: u64,
    /// Bytes of the whole record.
    pub length: u64,
    /// The stream that it is said to be of.
    pub stream_ref: u32,
    /// How many messages it is said to hold.
    pub messages_claimed: u32,
    /// Why.
    pub kind: Kind,
    /// The same in words.
    pub message: String,
}

/// A stretch of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stretch {
    /// Its first byte.
    pub from: u64,
    /// The byte behind its last.
    pub to: u64,
}

/// A record that does not hold.
#[derive(Clone, Debug, Serialize)]
pub struct Damaged {
    /// Its opcode.
    pub opcode: u8,
    /// Its name, where it has one.
    pub name: Option<&'static str>,
    /// Offset of its opcode byte in the source; `None` for a definition that
    /// came from a checkpoint, and for records that are only counted.
    pub offset: Option<u64>,
    /// Why it was left out.
    pub kind: Kind,
    /// The same in words.
    pub message: String,
}

/// Records of one opcode that were carried over.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Count {
    /// Their opcode.
    pub opcode: u8,
    /// Their name, where it has one.
    pub name: Option<&'static str>,
    /// How many.
    pub records: u64,
}

/// Records of one opcode that were left out for one reason.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NotCarried {
    /// Their opcode.
    pub opcode: u8,
    /// Their name, where it has one.
    pub name: Option<&'static str>,
    /// How many.
    pub records: u64,
    /// Why.
    pub why: Why,
}

/// Why a record that holds was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The output has its own.
    MadeAnew,
    /// It inlines what the output states in its summary.
    NotNeeded,
    /// It states places of the source, and can be made again from the messages.
    Derivable,
    /// It holds nothing.
    Empty,
    /// It is of the source's summary, and version 1 does not define it.
    OfTheSummary,
}

impl Why {
    /// The reason in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Why::MadeAnew => "made anew",
            Why::NotNeeded => "not needed in a sealed file",
            Why::Derivable => "can be made again from the messages",
            Why::Empty => "they hold nothing",
            Why::OfTheSummary => "of the summary, and not known to this version",
        }
    }
}

/// The numbers that only the recorder knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counters {
    /// They are the source's.
    Kept,
    /// Nobody knows them: the output has 0 in their place.
    Unknown,
}

impl Counters {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Counters::Kept => "kept",
            Counters::Unknown => "unknown",
        }
    }
}

/// An error that the validator finds in the output and that is the source's.
#[derive(Clone, Debug, Serialize)]
pub struct Inherited {
    /// The rule.
    pub rule: &'static str,
    /// The record concerned, by its offset in the output.
    pub offset: u64,
    /// What is the case.
    pub message: String,
}

/// Why a walk stopped, as the protocol says it.
pub(crate) fn reason(kind: Option<Kind>) -> &'static str {
    kind.map_or("end-of-file", Kind::as_str)
}

/// Counts by opcode.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    carried: BTreeMap<u8, u64>,
    left: BTreeMap<(u8, Why), u64>,
}

impl Tally {
    pub(crate) fn carry(&mut self, opcode: u8) {
        let count = self.carried.entry(opcode).or_default();
        *count = count.saturating_add(1);
    }

    pub(crate) fn leave(&mut self, opcode: u8, why: Why) {
        let count = self.left.entry((opcode, why)).or_default();
        *count = count.saturating_add(1);
    }

    /// That there are as many at least.
    pub(crate) fn leave_at_least(&mut self, opcode: u8, why: Why, records: u64) {
        if records > 0 {
            let count = self.left.entry((opcode, why)).or_default();
            *count = records.max(*count);
        }
    }

    /// How many of an opcode were met, carried over or left out.
    pub(crate) fn of(&self, opcode: u8) -> u64 {
        let left = self.left.iter().filter(|((of, _), _)| *of == opcode);
        let left = left.map(|(_, records)| *records);
        let carried = self.carried.get(&opcode).copied();
        left.chain(carried).fold(0, u64::saturating_add)
    }

    pub(crate) fn carried(&self) -> Vec<Count> {
        let counts = self.carried.iter();
        counts
            .map(|(opcode, records)| Count {
                opcode: *opcode,
                name: name(*opcode),
                records: *records,
            })
            .collect()
    }

    pub(crate) fn not_carried(&self) -> Vec<NotCarried> {
        let counts = self.left.iter();
        counts
            .map(|((opcode, why), records)| NotCarried {
                opcode: *opcode,
                name: name(*opcode),
                records: *records,
                why: *why,
            })
            .collect()
    }
}

/// The name of a record, where the format names it.
pub(crate) fn name(opcode: u8) -> Option<&'static str> {
    opcode::entry(opcode).map(|entry| entry.name)
}
