//! What was recovered and what was lost, for machines and for people.

use std::collections::BTreeMap;

use ca3_reader::l4::Method;
use ca3_spec::kind::Kind;
use ca3_spec::opcode;
use ca3_spec::protocol::Decimal;
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
    /// What the source says of its own recovery, oldest first, where it was
    /// made by one.
    pub earlier: Vec<Earlier>,
    /// How the source was read.
    pub method: Method,
    /// Checkpoints that lent something.
    pub checkpoints: Decimal,
    /// Where the chain of checkpoints breaks, if it was not believed for that.
    pub broken_link: Option<Link>,
    /// Where the walk through the source stopped first, if ahead of its Footer.
    pub stopped_at: Option<Decimal>,
    /// Why it stopped: a kind, or `end-of-file`.
    pub stop_reason: Option<&'static str>,
    /// Every stretch that was walked over: the first from the Header on, each
    /// other one from a checkpoint behind damage.
    pub walks: Vec<Walk>,
    /// Whether anything was lost now; that the end is missing counts, what was
    /// lost in earlier recoveries does not.
    pub lost: bool,
    /// How the source ends.
    pub end: End,
    /// Chunks.
    pub chunks: Chunks,
    /// Messages in the chunks recovered.
    pub messages: Decimal,
    /// Every stream that is declared, and what was recovered of it.
    pub streams: Vec<StreamPart>,
    /// Bytes of the source that belong to no record that was taken, and what
    /// stood there.
    pub holes: Vec<Hole>,
    /// Records other than chunks that do not hold, and were left out.
    pub damaged: Vec<Damaged>,
    /// Records other than chunks that were carried over as they were.
    pub carried: Vec<Count>,
    /// Records that were left out because they are made anew, or of no use.
    pub not_carried: Vec<NotCarried>,
    /// The numbers that only the recorder knew (§7.3, §13.2).
    pub recorder_counters: Counters,
    /// Errors that the validator finds in the output.
    pub errors: Vec<Remaining>,
    /// What recovery met besides.
    pub problems: Vec<Problem>,
}

impl Statement {
    /// Whether the source is truncated: what its writer still held, and what
    /// it would have written, is in no file.
    pub fn end_missing(&self) -> bool {
        self.end.state == EndState::Missing
    }
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
    /// Its path, as it was given.
    pub path: String,
    /// Its length when it was opened.
    pub length: Decimal,
    /// CRC-32C over that length, as 8 hex digits.
    pub crc32c: String,
    /// Whether the trailing magic is there.
    pub sealed: bool,
}

/// The file that was written.
#[derive(Clone, Debug, Serialize)]
pub struct Output {
    /// Its path, as it was given.
    pub path: String,
    /// Its length.
    pub length: Decimal,
}

/// Chunks, recovered and withheld.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Chunks {
    /// Carried over byte for byte.
    pub recovered: Decimal,
    /// Left out.
    pub withheld: Vec<Withheld>,
}

/// A chunk that was left out.
#[derive(Clone, Debug, Serialize)]
pub struct Withheld {
    /// Offset of its opcode byte in the source.
    pub offset: Decimal,
    /// Bytes of the whole record.
    pub length: Decimal,
    /// The stream that it is said to be of.
    pub stream_ref: u32,
    /// How many messages it is said to hold.
    pub messages_claimed: u32,
    /// Why.
    pub kind: Kind,
    /// The same in words.
    pub message: String,
}

/// A recovery that the source is the result of, as it says itself.
#[derive(Clone, Debug, Serialize)]
pub struct Earlier {
    /// The name of the file that was recovered then.
    pub name: Option<String>,
    /// CRC-32C over that file, as 8 hex digits.
    pub crc32c: Option<String>,
    /// Whether the end of the recording was missing.
    pub end_missing: bool,
    /// Chunks that were left out.
    pub chunks_withheld: Decimal,
    /// Bytes lost to damage.
    pub bytes_lost: Decimal,
    /// Other records that were left out because they did not hold.
    pub records_damaged: Decimal,
    /// Whether the recorder's numbers were still known.
    pub recorder_counters: Counters,
}

impl Earlier {
    /// Whether anything was lost then.
    pub fn has_lost(&self) -> bool {
        self.end_missing
            || self.recorder_counters == Counters::Unknown
            || [self.chunks_withheld, self.bytes_lost, self.records_damaged]
                .iter()
                .any(|it| it.0 > 0)
    }
}

/// How a source ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// In what.
    pub state: EndState,
    /// Bytes behind the end of the recording, a damaged magic included.
    pub bytes_behind: Decimal,
}

impl End {
    /// Whether the file ends in the magic.
    pub(crate) fn has_magic(&self) -> bool {
        self.state == EndState::Whole
    }
}

/// In what a source ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndState {
    /// The trailing magic.
    Whole,
    /// Bytes behind the trailing magic, which stands behind a whole Footer and
    /// a summary that verifies.
    BytesBehind,
    /// Such a Footer and summary, without the magic.
    MagicDamaged,
    /// None of these: it is truncated.
    Missing,
}

/// A stretch that was walked over from record to record.
#[derive(Clone, Debug, Serialize)]
pub struct Walk {
    /// Offset of its first record.
    pub from: Decimal,
    /// Offset behind its last.
    pub to: Decimal,
    /// What stopped it there.
    pub kind: Option<Kind>,
    /// The same in words.
    pub message: Option<String>,
}

/// A link of the chain of checkpoints that leads to none that holds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Link {
    /// What names the place.
    pub named_by: Namer,
    /// The checkpoint that names it, where it is one.
    pub checkpoint: Option<Decimal>,
    /// The place.
    pub to: Decimal,
}

/// What names the place of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Namer {
    /// The Footer.
    Footer,
    /// The checkpoint behind it.
    Checkpoint,
    /// A search from the end of the file.
    Search,
}

/// What was recovered of a stream.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StreamPart {
    /// Its reference.
    pub stream_ref: u32,
    /// Its topic.
    pub topic: String,
    /// Chunks.
    pub chunks: Decimal,
    /// Messages.
    pub messages: Decimal,
    /// The least stamp.
    pub first_stamp_ns: Option<Decimal>,
    /// The greatest.
    pub last_stamp_ns: Option<Decimal>,
    /// The wall time of the least stamp, in nanoseconds since 1970, where the
    /// stream is on the file's own clock and the Header has an anchor (§4.2).
    pub first_wall_unix_ns: Option<Decimal>,
    /// That of the greatest.
    pub last_wall_unix_ns: Option<Decimal>,
}

/// A stretch of the source that belongs to no record that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hole {
    /// Its first byte.
    pub from: Decimal,
    /// The byte behind its last.
    pub to: Decimal,
    /// What stood there.
    pub kind: HoleKind,
    /// Whether anything is lost with it.
    pub lost: bool,
    /// The same in words.
    pub message: String,
}

impl Hole {
    /// How many bytes.
    pub fn length(&self) -> u64 {
        self.to.0.saturating_sub(self.from.0)
    }
}

/// What stood in a stretch of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoleKind {
    /// A Checkpoint that does not hold: nothing is needed of it.
    Checkpoint,
    /// A Schema or Stream that does not hold.
    Definition,
    /// A chunk whose header does not hold.
    Chunk,
    /// Another record that does not hold.
    Record,
    /// The Footer, which is made anew.
    Footer,
    /// The record within which the file ends.
    Unfinished,
    /// Zeros up to the end.
    Zeros,
    /// Bytes that are no whole record.
    Damage,
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
    pub offset: Option<Decimal>,
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
    pub records: Decimal,
}

/// Records of one opcode that were left out for one reason.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NotCarried {
    /// Their opcode.
    pub opcode: u8,
    /// Their name, where it has one.
    pub name: Option<&'static str>,
    /// How many.
    pub records: Decimal,
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

/// An error that the validator finds in the output.
#[derive(Clone, Debug, Serialize)]
pub struct Remaining {
    /// The rule.
    pub rule: &'static str,
    /// The record concerned, by its offset in the output.
    pub offset: Decimal,
    /// What is the case.
    pub message: String,
    /// Where it comes from.
    pub cause: Cause,
}

/// Where an error of the output comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The source has it too.
    Source,
    /// Nothing of the sort is found in the source: what it rests on was lost.
    Loss,
}

/// What recovery met.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// The kind.
    pub kind: Kind,
    /// Where, in the source.
    pub offset: Option<Decimal>,
    /// In words.
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
                records: (*records).into(),
            })
            .collect()
    }

    pub(crate) fn not_carried(&self) -> Vec<NotCarried> {
        let counts = self.left.iter();
        counts
            .map(|((opcode, why), records)| NotCarried {
                opcode: *opcode,
                name: name(*opcode),
                records: (*records).into(),
                why: *why,
            })
            .collect()
    }
}

/// The name of a record, where the format names it.
pub(crate) fn name(opcode: u8) -> Option<&'static str> {
    opcode::entry(opcode).map(|entry| entry.name)
}
