//! What the operations of level 2 give back, as `spec/protocol.md` spells it.

use ca3_spec::protocol::{Decimal, MessageView, Report};
use ca3_wire::records::IndexEntry;
use serde::{Deserialize, Serialize};

/// What a returned time rests on (§10.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Already in the reference domain: nothing was applied.
    Exact,
    /// Carried through a mapping of quality ok.
    Ok,
    /// Carried through a mapping of degraded quality.
    Degraded,
    /// No usable mapping: the time is the raw stamp.
    Unmapped,
}

/// Whether the data section's frames were walked at open (§16, item 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpineState {
    /// Every frame was met, unknown opcodes rejected.
    Walked,
    /// They were not: nothing is claimed of records that were not met.
    NotWalked,
}

/// The result of `index`: the summary's tables as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexResult {
    /// The chunk index in table order (§7.1).
    pub entries: Vec<EntryView>,
    /// The stream directory in table order (§7.3).
    pub directory: Vec<DirectoryView>,
    /// What the SummaryOffset records say, in file order (§13.4).
    pub summary_groups: Vec<GroupView>,
    /// Whether the data section was walked.
    pub spine: SpineState,
    /// What is reported without refusing the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// One entry of the chunk index (§7.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct EntryView {
    pub chunk_offset: Decimal,
    pub chunk_length: Decimal,
    pub min_stamp_ns: Decimal,
    pub max_stamp_ns: Decimal,
    pub prefix_max_stamp_ns: Decimal,
    pub message_count: u32,
    pub stream_ref: u32,
    pub seq_first: u32,
    pub seq_last: u32,
}

impl From<&IndexEntry> for EntryView {
    fn from(entry: &IndexEntry) -> Self {
        EntryView {
            chunk_offset: Decimal(entry.chunk_offset),
            chunk_length: Decimal(entry.chunk_length),
            min_stamp_ns: Decimal(entry.min_stamp_ns),
            max_stamp_ns: Decimal(entry.max_stamp_ns),
            prefix_max_stamp_ns: Decimal(entry.prefix_max_stamp_ns),
            message_count: entry.message_count,
            stream_ref: entry.stream_ref,
            seq_first: entry.seq_first,
            seq_last: entry.seq_last,
        }
    }
}

/// One row of the stream directory (§7.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct DirectoryView {
    pub stream_ref: u32,
    pub flags: u32,
    pub first_index: u32,
    pub index_count: u32,
    pub message_count: Decimal,
    pub chunk_count: Decimal,
    pub first_stamp_ns: Decimal,
    pub last_stamp_ns: Decimal,
    pub dropped_by_queue: Decimal,
    pub never_arrived: Decimal,
    pub reordered: Decimal,
    pub sync_quality: u8,
    pub sync_domain: String,
}

/// One summary group as its SummaryOffset states it (§13.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct GroupView {
    pub opcode: u8,
    pub start: Decimal,
    pub length: Decimal,
}

/// The result of `state_at`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateResult {
    /// One a stream, ascending by reference.
    pub results: Vec<InForce>,
    /// Offsets of the chunks whose content was fetched, ascending.
    pub chunks_read: Vec<Decimal>,
    /// Whether the data section was walked.
    pub spine: SpineState,
    /// What is reported without refusing the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// A stream's message in force (§9.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// The stream.
    pub stream_ref: u32,
    /// What `time` rests on, or would.
    pub basis: Basis,
    /// The message as stored; null where none is in force.
    pub message: Option<MessageView>,
    /// Its stamp in the reference domain, in nanoseconds; raw where the basis
    /// is unmapped.
    pub time: Option<Decimal>,
    /// Why the time is not to be relied on, for a person.
    pub degraded: Vec<String>,
}

/// The result of `window`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowResult {
    /// By stream as requested, within a stream by stamp.
    pub messages: Vec<TimedMessage>,
    /// Offsets of the chunks whose content was fetched, ascending.
    pub chunks_read: Vec<Decimal>,
    /// Whether the data section was walked.
    pub spine: SpineState,
    /// What is reported without refusing the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// A message with its time (§9.2, §10.12).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedMessage {
    /// The message as stored.
    #[serde(flatten)]
    pub message: MessageView,
    /// What `time` rests on.
    pub basis: Basis,
    /// Its stamp in the reference domain, in nanoseconds; raw where the basis
    /// is unmapped.
    pub time: Decimal,
    /// Why the time is not to be relied on, for a person.
    pub degraded: Vec<String>,
}

/// The result of `loss`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossResult {
    /// One a declared stream, ascending by reference.
    pub streams: Vec<StreamLoss>,
    /// What is reported without refusing the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// What a stream's sequences say (§7.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamLoss {
    /// The stream.
    pub stream_ref: u32,
    /// Its topic.
    pub topic: String,
    /// Sequence numbers between its first and last that no message holds; null
    /// where that cannot be said.
    pub missing: Option<Decimal>,
    /// What follows from them.
    pub verdict: Verdict,
}

/// What follows from a stream's sequences (§7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Messages of the topic's only stream are missing.
    Loss,
    /// Nothing is missing.
    None,
    /// The sequences do not decide it.
    Indeterminate,
}
