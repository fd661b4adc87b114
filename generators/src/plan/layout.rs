//! Placing a plan's records, checkpoints among them; the summary is laid in `summary.rs`.

use ca3_spec::FRAME_BYTES;
use ca3_wire::records::{DirectoryEntry, IndexEntry, Record, SummaryOffset};
use ca3_wire::{Encoder, Span};

use super::edit::{At, ByteEdit, Mark};
use super::ledger::Ledger;
use super::{Content, End, LengthClaim, Meaning, Part, Plan, PlanError};

/// One record in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The part's label.
    pub label: String,
    /// Its opcode.
    pub opcode: u8,
    /// File offset of the opcode byte.
    pub offset: u64,
    /// File offset of the content.
    pub content_offset: u64,
    /// Bytes of the content.
    pub content_length: u64,
    /// Its fields, by absolute offset.
    pub spans: Vec<Span>,
    pub(crate) meaning: Meaning,
    pub(crate) edited: Option<(u64, u64)>,
}

/// A file laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its records, the summary's included, in file order.
    pub placed: Vec<Placed>,
    /// Where the plan's edit shows: offset and length.
    pub edited: Option<(u64, u64)>,
    /// The tables of the summary, as they were laid out.
    pub(crate) tables: Tables,
}

/// What the summary's tables hold (§7.1, §7.3, §13.4), before an edit of a
/// record's bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) entries: Vec<IndexEntry>,
    pub(crate) directory: Vec<DirectoryEntry>,
    pub(crate) groups: Vec<SummaryOffset>,
}

impl Layout {
    /// The record of a label, where there is one.
    pub(crate) fn record(&self, label: &str) -> Option<&Placed> {
        self.placed.iter().find(|placed| placed.label == label)
    }
}

pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

pub(crate) fn narrow(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    placed: Vec<Placed>,
    /// Records that a tweak left out, and where they would have begun.
    gone: Vec<(String, u64)>,
    pub(crate) tables: Tables,
}

impl Writer {
    pub(crate) fn offset(&self) -> u64 {
        wide(self.bytes.len())
    }

    /// Notes that a record is left out here.
    pub(crate) fn leave_out(&mut self, label: &str) {
        self.gone.push((label.to_owned(), self.offset()));
    }

    /// Whether a record of this label was placed or left out.
    fn knows(&self, label: &str) -> bool {
        self.placed.iter().any(|placed| placed.label == label)
            || self.gone.iter().any(|(gone, _)| gone == label)
    }

    /// Places a part whose content depends on nothing else, with its edits.
    pub(crate) fn place_bytes(&mut self, part: &Part) -> Result<(), PlanError> {
        if let Content::Bytes { bytes, spans } = &part.content {
            let (bytes, spans, edited) = with_edits(part, bytes.clone(), spans.clone())?;
            self.place(part, &bytes, &spans, edited);
        }
        Ok(())
    }

    fn frame(&mut self, opcode: u8, claim: &LengthClaim, content: &[u8]) -> (u64, u64) {
        let offset = self.offset();
        let length = wide(content.len());
        self.bytes.push(opcode);
        match claim {
            LengthClaim::Right => self.bytes.extend_from_slice(&length.to_le_bytes()),
            LengthClaim::Off(by) => {
                self.bytes
                    .extend_from_slice(&length.saturating_add_signed(*by).to_le_bytes());
            }
            LengthClaim::Value(value) => self.bytes.extend_from_slice(&value.to_le_bytes()),
            LengthClaim::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
        }
        let content_offset = self.offset();
        self.bytes.extend_from_slice(content);
        (offset, content_offset)
    }

    pub(crate) fn place(
        &mut self,
        part: &Part,
        content: &[u8],
        spans: &[Span],
        edited: Option<(u64, u64)>,
    ) {
        let (offset, content_offset) = self.frame(part.opcode, &part.claim, content);
        let spans = spans
            .iter()
            .map(|span| Span {
                offset: span.offset.saturating_add(content_offset),
                ..span.clone()
            })
            .collect();
        self.placed.push(Placed {
            label: part.label.clone(),
            opcode: part.opcode,
            offset,
            content_offset,
            content_length: wide(content.len()),
            spans,
            meaning: part.meaning.clone(),
            edited: edited.map(|(start, length)| (start.saturating_add(content_offset), length)),
        });
    }
}

/// A content with its edits applied, its fields, and what the edits concerned.
type Encoded = (Vec<u8>, Vec<Span>, Option<(u64, u64)>);

fn with_edits(part: &Part, mut bytes: Vec<u8>, mut spans: Vec<Span>) -> Result<Encoded, PlanError> {
    let mut edited: Option<(u64, u64)> = None;
    for edit in &part.edits {
        let before = wide(bytes.len());
        let (start, length) = edit
            .apply(&mut bytes, &mut spans)
            .map_err(|reason| PlanError::Edit(format!("{}: {reason}", part.label)))?;
        let grown = wide(bytes.len()).saturating_sub(before);
        let shrunk = before.saturating_sub(wide(bytes.len()));
        let end = wide(start).saturating_add(wide(length));
        edited = Some(match edited {
            // A later edit in front moves the range; together they span both.
            Some((first, held)) if wide(start) < first => {
                let held_end = first.saturating_add(held).saturating_add(grown);
                (
                    wide(start),
                    held_end.saturating_sub(shrunk).saturating_sub(wide(start)),
                )
            }
            Some((first, _)) if first < before => (first, end.saturating_sub(first)),
            _ => (wide(start), wide(length)),
        });
    }
    Ok((bytes, spans, edited))
}

impl Plan {
    /// Lays the file out.
    ///
    /// # Errors
    /// [`PlanError`] for a value without an encoding or an edit of something
    /// that is not there: bugs of the case.
    pub fn layout(&self) -> Result<Layout, PlanError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let mut out = Writer {
            bytes: self.magic.clone(),
            placed: Vec::new(),
            gone: Vec::new(),
            tables: Tables::default(),
        };
        let mut ledger = Ledger::default();
        for part in &self.parts {
            let (bytes, spans) = match &part.content {
                Content::Bytes { bytes, spans } => (bytes.clone(), spans.clone()),
                Content::Chunk(chunk) => {
                    let mut encoder = Encoder::new();
                    chunk.encode(&mut encoder)?;
                    encoder.into_parts()
                }
                Content::Columnar(chunk) => {
                    let mut encoder = Encoder::new();
                    chunk.encode(&mut encoder)?;
                    encoder.into_parts()
                }
                Content::Checkpoint {
                    restates,
                    only_here,
                } => {
                    let mut checkpoint = ledger.checkpoint(*restates, only_here, out.offset())?;
                    self.tweak_checkpoint(&part.label, &mut checkpoint);
                    let mut encoder = Encoder::new();
                    checkpoint.encode(&mut encoder)?;
                    encoder.into_parts()
                }
            };
            let (bytes, spans, edited) = with_edits(part, bytes, spans)?;
            ledger.note(part, &bytes, &spans, out.offset());
            out.place(part, &bytes, &spans, edited);
        }
        if self.end == End::Unsealed {
            // What recovery rebuilds (§8.3, step 5).
            let entries = ledger.sorted_index();
            out.tables.directory = ledger.directory(&entries, &entries).entries;
            out.tables.entries = entries;
        } else {
            self.lay_summary(&mut out, &ledger)?;
        }
        if let Some(label) = self.tweaked().find(|label| !out.knows(label)) {
            return Err(PlanError::Edit(format!("there is no record {label}")));
        }
        let mut edited = self.mark_in(&out);
        let mut bytes = out.bytes;
        for edit in &self.byte_edits {
            edited = Some(apply(edit, &mut bytes, &out.placed)?);
        }
        Ok(Layout {
            bytes,
            placed: out.placed,
            edited,
            tables: out.tables,
        })
    }

    fn mark_in(&self, out: &Writer) -> Option<(u64, u64)> {
        let find = |label: &str| out.placed.iter().find(|placed| placed.label == label);
        match self.mark.as_ref()? {
            Mark::Opcode(label) => find(label).map(|placed| (placed.offset, 1)),
            Mark::Length(label) => find(label).map(|placed| {
                let start = placed.offset.saturating_add(1);
                (start, placed.content_offset.saturating_sub(start))
            }),
            Mark::Record(label) => find(label)
                .map(|placed| {
                    let length = FRAME_BYTES.saturating_add(placed.content_length);
                    (placed.offset, length)
                })
                .or_else(|| {
                    let gone = out.gone.iter().find(|(gone, _)| gone == label);
                    gone.map(|(_, offset)| (*offset, 0))
                }),
            Mark::Field(label, field) => find(label).and_then(|placed| {
                let span = placed.spans.iter().find(|span| span.field == *field)?;
                Some((span.offset, span.length))
            }),
            Mark::Content(label) => find(label).and_then(|placed| placed.edited),
            Mark::Start(offset) => Some((*offset, 0)),
            Mark::Bytes => None,
        }
    }
}

fn apply(edit: &ByteEdit, bytes: &mut Vec<u8>, placed: &[Placed]) -> Result<(u64, u64), PlanError> {
    let end = wide(bytes.len());
    let resolve = |at: &At| -> Result<usize, PlanError> {
        let offset = match at {
            At::Start(offset) => Some(*offset),
            At::End(offset) => end.checked_sub(*offset),
            At::Record(label, offset) => placed
                .iter()
                .find(|placed| placed.label == *label)
                .and_then(|placed| placed.offset.checked_add(*offset)),
        };
        offset
            .filter(|offset| *offset <= end)
            .map(narrow)
            .ok_or_else(|| PlanError::Edit(format!("{at:?} is not in the file")))
    };
    match edit {
        ByteEdit::Truncate(at) => {
            let at = resolve(at)?;
            bytes.truncate(at);
            Ok((wide(at), 0))
        }
        ByteEdit::Patch(at, new) => {
            let at = resolve(at)?;
            let place = bytes.get_mut(at..at.saturating_add(new.len()));
            place
                .ok_or_else(|| PlanError::Edit("the patch reaches past the end".to_owned()))?
                .copy_from_slice(new);
            Ok((wide(at), wide(new.len())))
        }
        ByteEdit::Remove(at, count) => {
            let at = resolve(at)?;
            let stop = at.saturating_add(narrow(*count)).min(bytes.len());
            bytes.drain(at..stop);
            Ok((wide(at), 0))
        }
        ByteEdit::Insert(at, new) => {
            let at = resolve(at)?;
            bytes.splice(at..at, new.iter().copied());
            Ok((wide(at), wide(new.len())))
        }
        ByteEdit::Append(new) => {
            bytes.extend_from_slice(new);
            Ok((end, wide(new.len())))
        }
    }
}
