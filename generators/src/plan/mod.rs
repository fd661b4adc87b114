//! A whole file as a plan: parts in file order, and the one edit that spoils it.
//!
//! [`Plan`] collects definitions, chunks and other records with typed values;
//! its layout (in `layout.rs` and `summary.rs`) places them, computes every
//! offset, checksum, index and directory from its own bookkeeping (`ledger.rs`),
//! and its expected answer (in `expected.rs`) comes from the same typed values,
//! never from decoding. Edits (in `edit.rs`) spoil a record that the plan holds,
//! tweaks (in `tweak.rs`) one that the layout makes.

mod align;
mod chunk;
mod columnar;
mod content_edit;
mod defaults;
mod descriptor;
mod edit;
mod expected;
mod layout;
mod ledger;
pub(crate) mod payload;
mod summary;
mod time_messages;
mod tweak;

pub use chunk::{Chunk, Coded, Decoded, Sample, crc32c, varint};
pub use columnar::{Columnar, Row};
pub use defaults::{EPOCH, HOST, event_schema, header, marker_schema, schema, schema_of, stream};
pub(crate) use descriptor::counted;
pub use descriptor::{attributes_in, event_payload};
pub use edit::{At, LengthClaim};
pub(crate) use layout::wide;
pub use layout::{Layout, Placed};
pub use time_messages::{
    DELAY_UNKNOWN, Delay, Event, Observation, Sight, TimeMessage, described, observations,
    time_schema,
};

use ca3_spec::opcode::op;
use ca3_spec::{MAGIC, feature};
use ca3_wire::records::{ClockBlock, Header, MessageOffsets, Record, Schema, Session, Stream};
use ca3_wire::{EncodeError, Encoder, Span};
use thiserror::Error;

use content_edit::ContentEdit;
use edit::{ByteEdit, Mark};
use tweak::Tweak;

/// A plan that cannot be laid out: a bug of its case.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A value without an encoding.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// An edit of something that the plan does not hold.
    #[error("{0}")]
    Edit(String),
    /// A case that contradicts itself.
    #[error("case {id}: {reason}")]
    Case {
        /// The case's id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// What a record's content is made of.
#[derive(Clone, Debug)]
pub enum Content {
    /// Bytes that depend on nothing else.
    Bytes {
        /// The content.
        bytes: Vec<u8>,
        /// Its fields.
        spans: Vec<Span>,
    },
    /// A row-wise chunk (§6.1).
    Chunk(Chunk),
    /// A column-wise chunk (§6.5).
    Columnar(Columnar),
    /// A checkpoint over what stands before it (§8.1).
    Checkpoint {
        /// Restates every live definition (flags bit 0).
        restates: bool,
        /// Definitions that stand nowhere else.
        only_here: Vec<Definition>,
    },
}

/// A definition: a schema or a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A Schema record.
    Schema(Schema),
    /// A Stream record.
    Stream(Stream),
}

/// What a part contributes to a reader's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The Header.
    Header(Box<Header>),
    /// A definition.
    Definition(Box<Definition>),
    /// A Session.
    Session(Box<Session>),
    /// A record that must stand in `skipped`, by its name if it is reserved.
    Skipped(Option<&'static str>),
    /// A record that may stand in `skipped`, by this name (reading G87).
    MaySkip(&'static str),
    /// Whatever its content says: chunks and checkpoints.
    Content,
}

/// One record of a plan.
#[derive(Clone, Debug)]
pub struct Part {
    /// How edits address it.
    pub label: String,
    /// Its opcode.
    pub opcode: u8,
    /// Its content.
    pub content: Content,
    /// What it contributes to the answer.
    pub meaning: Meaning,
    pub(crate) claim: LengthClaim,
    pub(crate) edits: Vec<ContentEdit>,
}

impl Part {
    fn new(label: String, opcode: u8, content: Content, meaning: Meaning) -> Self {
        Part {
            label,
            opcode,
            content,
            meaning,
            claim: LengthClaim::Right,
            edits: Vec::new(),
        }
    }

    fn of<R: Record>(label: String, record: &R, meaning: Meaning) -> Result<Self, PlanError> {
        let mut out = Encoder::new();
        record.encode(&mut out)?;
        let (bytes, spans) = out.into_parts();
        Ok(Part::new(
            label,
            R::OPCODE,
            Content::Bytes { bytes, spans },
            meaning,
        ))
    }
}

/// A file in the making.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) magic: Vec<u8>,
    pub(crate) parts: Vec<Part>,
    /// Records of the summary besides those that the layout makes itself.
    pub(crate) groups: Vec<Part>,
    /// Records between the SummaryOffsets and the Footer.
    pub(crate) tail: Vec<Part>,
    /// The content of Statistics, where it is not the layout's own.
    pub(crate) statistics: Option<Vec<u8>>,
    /// Changes of what the layout makes, in order.
    pub(crate) tweaks: Vec<Tweak>,
    pub(crate) end: End,
    pub(crate) byte_edits: Vec<ByteEdit>,
    pub(crate) mark: Option<Mark>,
    pub(crate) what: Option<String>,
    pub(crate) failure: Option<PlanError>,
}

/// How the file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Summary, offsets, Footer and magic.
    Sealed,
    /// Behind the last part.
    Unsealed,
    /// Behind the summary section, whose Footer never came.
    BehindSummary,
    /// Footer and magic, the Footer stating that there is no summary.
    WithoutSummary,
    /// Summary, Footer and magic, the Footer stating no offset section.
    WithoutOffsets,
}

impl Default for Plan {
    fn default() -> Self {
        Plan::new()
    }
}

impl Plan {
    /// Magic and a Header; sealed.
    pub fn new() -> Self {
        Plan::with_header(header())
    }

    /// Magic and this Header; sealed.
    pub fn with_header(header: Header) -> Self {
        let plan = Plan {
            magic: MAGIC.to_vec(),
            parts: Vec::new(),
            groups: Vec::new(),
            tail: Vec::new(),
            statistics: None,
            tweaks: Vec::new(),
            end: End::Sealed,
            byte_edits: Vec::new(),
            mark: None,
            what: None,
            failure: None,
        };
        let part = Part::of(
            "Header".to_owned(),
            &header,
            Meaning::Header(Box::new(header.clone())),
        );
        plan.push(part)
    }

    /// These bytes as the content of Statistics.
    pub fn statistics_content(mut self, content: &[u8]) -> Self {
        self.statistics = Some(content.to_vec());
        self
    }

    /// Where a part comes to lie, for records that name it by offset; the
    /// summary moves nothing in front of it.
    pub fn offset_of(&self, label: &str) -> u64 {
        let layout = self.layout().ok();
        let placed = layout.as_ref().and_then(|layout| layout.record(label));
        placed.map_or(0, |placed| placed.offset)
    }

    /// Bytes of a record's content, where they depend on nothing else.
    pub fn part_length(&self, label: &str) -> usize {
        let part = self.parts.iter().find(|part| part.label == label);
        match part.map(|part| &part.content) {
            Some(Content::Bytes { bytes, .. }) => bytes.len(),
            _ => 0,
        }
    }

    pub(crate) fn push(mut self, part: Result<Part, PlanError>) -> Self {
        match part {
            Ok(part) => self.parts.push(part),
            Err(error) => self.fail(error),
        }
        self
    }

    pub(crate) fn fail(&mut self, error: PlanError) {
        self.failure.get_or_insert(error);
    }

    fn label(&self, name: &str) -> String {
        let taken = self
            .parts
            .iter()
            .filter(|part| part.label.starts_with(&format!("{name} ")))
            .count();
        format!("{name} {}", taken.saturating_add(1))
    }

    /// A schema; labels count from 1 in order of declaration.
    pub fn schema(self, schema: Schema) -> Self {
        let label = self.label("Schema");
        let meaning = Meaning::Definition(Box::new(Definition::Schema(schema.clone())));
        self.push(Part::of(label, &schema, meaning))
    }

    /// A stream; labels count from 1 in order of declaration.
    pub fn stream(self, stream: Stream) -> Self {
        let label = self.label("Stream");
        let meaning = Meaning::Definition(Box::new(Definition::Stream(stream.clone())));
        self.push(Part::of(label, &stream, meaning))
    }

    /// A Session record.
    pub fn session(self, session: Session) -> Self {
        let label = self.label("Session");
        self.push(Part::of(
            label,
            &session,
            Meaning::Session(Box::new(session.clone())),
        ))
    }

    /// A row-wise chunk.
    pub fn chunk(self, chunk: Chunk) -> Self {
        let label = self.label("Chunk");
        self.push(Ok(Part::new(
            label,
            op::CHUNK,
            Content::Chunk(chunk),
            Meaning::Content,
        )))
    }

    /// A column-wise chunk.
    pub fn columnar(self, chunk: Columnar) -> Self {
        let label = self.label("ColumnarChunk");
        let content = Content::Columnar(chunk);
        self.push(Ok(Part::new(
            label,
            op::COLUMNAR_CHUNK,
            content,
            Meaning::Content,
        )))
    }

    /// A checkpoint over everything before it.
    pub fn checkpoint(self, restates: bool, only_here: Vec<Definition>) -> Self {
        let label = self.label("Checkpoint");
        let content = Content::Checkpoint {
            restates,
            only_here,
        };
        self.push(Ok(Part::new(
            label,
            op::CHECKPOINT,
            content,
            Meaning::Content,
        )))
    }

    /// Any record by opcode and content: what it contributes is looked up.
    pub fn record(self, opcode: u8, content: &[u8]) -> Self {
        let label = self.label("record");
        self.push(Ok(raw_part(label, opcode, content)))
    }

    /// A record with typed content that contributes nothing to the answer.
    pub fn annotation<R: Record>(self, record: &R) -> Self {
        let label = self.label("record");
        let meaning = raw_part(String::new(), R::OPCODE, &[]).meaning;
        self.push(Part::of(label, record, meaning))
    }

    /// A further summary group of one record.
    pub fn group(mut self, opcode: u8, content: &[u8]) -> Self {
        let label = format!("group {opcode:02X}");
        self.groups.push(raw_part(label, opcode, content));
        self
    }

    /// A record between the SummaryOffsets and the Footer.
    pub fn before_the_footer(mut self, opcode: u8, content: &[u8]) -> Self {
        self.tail.push(raw_part("tail".to_owned(), opcode, content));
        self
    }

    /// A ClockBlock in the summary.
    pub fn clock_block(self, block: &ClockBlock) -> Self {
        self.in_summary("ClockBlock", block)
    }

    /// A table of message offsets in the summary; labels count from 1.
    pub fn message_offsets(self, table: &MessageOffsets) -> Self {
        let name = "MessageOffsets";
        let before = self
            .groups
            .iter()
            .filter(|part| part.label.starts_with(name));
        let label = format!("{name} {}", before.count().saturating_add(1));
        self.in_summary(&label, table)
    }

    fn in_summary<R: Record>(mut self, label: &str, record: &R) -> Self {
        let meaning = raw_part(String::new(), R::OPCODE, &[]).meaning;
        match Part::of(label.to_owned(), record, meaning) {
            Ok(part) => self.groups.push(part),
            Err(error) => self.fail(error),
        }
        self
    }

    /// No summary, no Footer, no trailing magic.
    pub fn unsealed(mut self) -> Self {
        self.end = End::Unsealed;
        self
    }

    /// The summary is there, and the file ends behind it.
    pub fn cut_behind_summary(mut self) -> Self {
        self.end = End::BehindSummary;
        self
    }

    /// Sealed, and neither summary nor offset section: both starts are 0 (§13.1).
    pub fn without_summary(mut self) -> Self {
        self.end = End::WithoutSummary;
        self
    }

    /// Sealed, with a summary and no offset section: its start is 0 (§13.1).
    pub fn without_offsets(mut self) -> Self {
        self.end = End::WithoutOffsets;
        self
    }

    /// The feature bitmap of the Header, as planned.
    pub fn required_features(&self) -> u64 {
        self.parts
            .iter()
            .find_map(|part| match &part.meaning {
                Meaning::Header(header) => Some(header.required_features),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// How many chunks of either layout the plan has.
    pub(crate) fn chunk_count(&self) -> usize {
        let is_chunk = |part: &&Part| matches!(part.opcode, op::CHUNK | op::COLUMNAR_CHUNK);
        self.parts.iter().filter(is_chunk).count()
    }

    /// Whether the file ends without being sealed.
    pub fn is_unsealed(&self) -> bool {
        matches!(self.end, End::Unsealed | End::BehindSummary)
    }
}

/// The bits of zstd chunks.
pub const ZSTD: &[u8] = &[feature::ZSTD];
/// The bits of columnar files.
pub const COLUMNAR: &[u8] = &[feature::COLUMNAR_CHUNK];

fn raw_part(label: String, opcode: u8, content: &[u8]) -> Part {
    use ca3_spec::opcode::{Disposition, disposition};
    let meaning = match disposition(opcode) {
        Disposition::SkipReserved(entry) => Meaning::Skipped(Some(entry.name)),
        Disposition::SkipUnknown => Meaning::Skipped(None),
        Disposition::Defined(entry)
            if ca3_spec::opcode::class_of(opcode).is_skippable()
                && !matches!(opcode, op::STATISTICS | op::SUMMARY_OFFSET) =>
        {
            Meaning::MaySkip(entry.name)
        }
        _ => Meaning::Content,
    };
    let span = Span {
        field: "content".to_owned(),
        offset: 0,
        length: u64::try_from(content.len()).unwrap_or(u64::MAX),
        value: String::new(),
    };
    Part::new(
        label,
        opcode,
        Content::Bytes {
            bytes: content.to_vec(),
            spans: vec![span],
        },
        meaning,
    )
}
