//! What a file holds, whatever is right or wrong with it: streams with their
//! chunks over time, schemas with their tensor forms, and where in the file
//! things lie. Every list is bounded; a count beside it says what it leaves out.
//!
//! Stamps are nanoseconds on the clock of the stream's own host and epoch. In
//! JSON, numbers that may pass 53 bits are decimal strings.

use serde::{Deserialize, Serialize};

mod decimal;

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Each clock that streams are stamped on, by host and epoch.
    pub clocks: Vec<StreamClock>,
    /// By reference, also those that chunks name and nothing defines.
    pub streams: Vec<StreamContents>,
    /// How many streams there are besides.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_streams: u64,
    /// By reference.
    pub schemas: Vec<SchemaContents>,
    /// How many schemas there are besides.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_schemas: u64,
    /// Where things lie.
    pub layout: FileLayout,
}

impl Contents {
    /// What the recorder says that it lost, in a line (§7.3): a file in which nothing is
    /// wrong may hold half of a recording.
    pub fn losses(&self) -> Option<String> {
        const MOST: usize = 8;
        let lossy = self.streams.iter().filter_map(|stream| {
            let counts = stream.recorder?;
            let parts: Vec<String> = [
                (counts.never_arrived, "never arrived"),
                (counts.dropped_by_queue, "dropped"),
            ]
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
            let parts = (!parts.is_empty()).then(|| parts.join(", "))?;
            Some(format!("stream {}: {parts}", stream.stream_ref))
        });
        let lossy: Vec<String> = lossy.collect();
        let more = match lossy.len().saturating_sub(MOST) {
            0 => String::new(),
            number => format!("; and {number} more streams"),
        };
        let told: Vec<&str> = lossy.iter().take(MOST).map(String::as_str).collect();
        (!told.is_empty()).then(|| format!("messages lost, {}{more}", told.join("; ")))
    }
}

/// A clock that streams are stamped on (§4.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamClock {
    /// The publishing host.
    pub host_id: String,
    /// Which boot of it.
    pub epoch: String,
    /// For each checkpoint, where the last chunk of this clock in front of it
    /// ends; thinned evenly where there are many.
    #[serde(with = "decimal::list")]
    pub checkpoints: Vec<u64>,
    /// How many checkpoints have such a chunk.
    pub checkpoint_count: u64,
}

/// What a stream says of its schema (§5.7), and whether that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// It claims a well-formed schema, and its schema clears the floor.
    WellFormed,
    /// It claims one, and its schema does not clear the floor.
    ByClaimOnly,
    /// It claims nothing.
    #[default]
    Undeclared,
    /// Chunks name it, and no definition of it was read.
    Undefined,
}

impl Claim {
    /// The words used in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Claim::WellFormed => "well-formed",
            Claim::ByClaimOnly => "by claim only",
            Claim::Undeclared => "undeclared",
            Claim::Undefined => "undefined",
        }
    }
}

/// A stream and its chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamContents {
    /// The reference by which chunks name it.
    pub stream_ref: u32,
    /// The name it was published under.
    pub topic: String,
    /// The schema of its payloads; 0 for none.
    pub schema_ref: u32,
    /// That schema's message, where the file defines it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub schema_id: String,
    /// What it says of its schema.
    pub claim: Claim,
    /// Which of [`Contents::clocks`] its messages are stamped on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<usize>,
    /// The clock of its source stamps; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_clock: String,
    /// The boundary on which tensor blocks begin; 0 for no claim.
    pub block_alignment: u32,
    /// Bytes of a payload in front of its tensor block.
    pub block_offset: u32,
    /// The configured rate in millihertz; 0 where it is not periodic.
    #[serde(with = "decimal")]
    pub nominal_rate_millihz: u64,
    /// Chunks laid out in rows.
    pub row_chunks: u64,
    /// Chunks laid out in columns.
    pub columnar_chunks: u64,
    /// The codecs of its chunks, by name or number.
    pub codecs: Vec<CodecUse>,
    /// Messages, as its chunks count them.
    #[serde(with = "decimal")]
    pub messages: u64,
    /// Bytes of its chunks, frames included.
    #[serde(with = "decimal")]
    pub bytes: u64,
    /// The least stamp; none without a message.
    #[serde(default, with = "decimal::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_ns: Option<u64>,
    /// The greatest stamp.
    #[serde(default, with = "decimal::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ns: Option<u64>,
    /// Its chunks in order of time, neighbours merged where there are many.
    pub spans: Vec<ChunkSpan>,
    /// From what length on a time that no chunk covers is a gap.
    #[serde(with = "decimal")]
    pub gap_from_ns: u64,
    /// The longest times between its first and last stamp that no chunk covers.
    pub gaps: Vec<TimeSpan>,
    /// How many there are.
    pub gap_count: u64,
    /// The longest times that more than one of its chunks covers.
    pub overlaps: Vec<TimeSpan>,
    /// How many there are.
    pub overlap_count: u64,
    /// The first times for which the ClockBlock calls the stream degraded.
    pub degraded: Vec<Degraded>,
    /// How many there are.
    pub degraded_count: u64,
    /// What the StreamDirectory says of messages that are not there or came late,
    /// where it has a row for the stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorder: Option<RecorderCounts>,
}

impl StreamContents {
    /// How many chunks it has.
    pub const fn chunks(&self) -> u64 {
        self.row_chunks.saturating_add(self.columnar_chunks)
    }
}

/// What the recorder counted (§7.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecorderCounts {
    /// Messages that it discarded after they arrived.
    #[serde(with = "decimal")]
    pub dropped_by_queue: u64,
    /// Messages missing in the sequence that it never saw.
    #[serde(with = "decimal")]
    pub never_arrived: u64,
    /// Messages that arrived behind a later-stamped one.
    #[serde(with = "decimal")]
    pub reordered: u64,
}

/// A codec, and how many chunks use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodecUse {
    /// Its name, or its number.
    pub codec: String,
    /// How many.
    pub chunks: u64,
}

/// One chunk, or several that are near each other in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkSpan {
    /// The least stamp.
    #[serde(with = "decimal")]
    pub from_ns: u64,
    /// The greatest.
    #[serde(with = "decimal")]
    pub to_ns: u64,
    /// How many chunks.
    pub chunks: u64,
    /// How many messages.
    #[serde(with = "decimal")]
    pub messages: u64,
}

/// A time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeSpan {
    /// From when.
    #[serde(with = "decimal")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "decimal")]
    pub to_ns: u64,
}

/// A time for which a stream was degraded (§10.12), on the stream's own clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    /// From when.
    #[serde(with = "decimal")]
    pub from_ns: u64,
    /// Until when.
    #[serde(with = "decimal")]
    pub to_ns: u64,
    /// Why.
    pub reason: String,
}

/// A schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaContents {
    /// The reference by which streams name it.
    pub schema_ref: u32,
    /// Its message.
    pub schema_id: String,
    /// Its encoding, empty for none.
    pub encoding: String,
    /// Whether it has a descriptor.
    pub described: bool,
    /// The tensor forms that its messages declare.
    pub forms: Vec<TensorForm>,
    /// How many there are besides.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_forms: u64,
}

/// A tensor form (§5.8).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorForm {
    /// The message that declares it.
    pub message: String,
    /// Its identifier.
    pub id: String,
    /// The type of each element; empty where it is not stated.
    pub element_type: String,
    /// `LITTLE` or `BIG`; empty where it is not stated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub byte_order: String,
    /// The bytes field that is the array; empty in a projection.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub block: String,
    /// The outermost first.
    pub axes: Vec<TensorAxis>,
    /// What the last axis counts.
    pub components: Vec<TensorComponent>,
    /// How many there are besides.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_components: u64,
}

/// An axis of a tensor form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorAxis {
    /// Its name.
    pub name: String,
    /// Its length: a number where the schema fixes it, otherwise where it is
    /// taken from; empty where it is not stated.
    pub length: String,
}

/// A component of a tensor form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorComponent {
    /// Its name.
    pub name: String,
    /// Its unit, stated or from the field it is taken from; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The frame of the field it is taken from; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub frame: String,
    /// Whether it says that the row is a measurement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validity: bool,
}

/// Where in a file things lie, by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLayout {
    /// Chunks, neighbours merged where there are many.
    pub chunks: Vec<ByteSpan>,
    /// Checkpoints, thinned evenly where there are many.
    #[serde(with = "decimal::list")]
    pub checkpoints: Vec<u64>,
    /// How many checkpoints there are.
    pub checkpoint_count: u64,
    /// The summary, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<ByteSpan>,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteSpan {
    /// Its first byte.
    #[serde(with = "decimal")]
    pub from: u64,
    /// The first byte behind it.
    #[serde(with = "decimal")]
    pub to: u64,
    /// How many chunks, or groups of the summary, it holds.
    pub records: u64,
}

const fn is_zero(number: &u64) -> bool {
    *number == 0
}
