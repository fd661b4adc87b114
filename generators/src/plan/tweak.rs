//! Changes of what the layout makes itself: checkpoints, the summary's tables
//! and copies, SummaryOffsets, Footer.
//!
//! A tweak applies to the value that the layout computed, before anything that
//! follows from it is: a checkpoint's checksum, the offsets of what stands
//! behind, the SummaryOffsets, the Footer's checksum. The records have labels
//! like any other: `summary Schema 1`, `summary Stream 1`, `summary Session`,
//! `ChunkIndex`, `StreamDirectory`, `Statistics`, `SummaryOffset 08`, `Footer`.
//! Their fields are edited like any other's (`edit.rs`).

use std::fmt;
use std::sync::Arc;

use ca3_wire::records::{Checkpoint, DirectoryEntry, Footer, IndexEntry, Statistics};

use super::content_edit::ContentEdit;
use super::edit::Mark;
use super::layout::Writer;
use super::{Part, Plan, PlanError};

/// A change of a value that the layout computed.
pub(crate) struct Change<T>(Arc<dyn Fn(&mut T) + Send + Sync>);

impl<T> Clone for Change<T> {
    fn clone(&self) -> Self {
        Change(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Change<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("change")
    }
}

/// A change of what the layout makes.
#[derive(Clone, Debug)]
pub(crate) enum Tweak {
    /// Of the index, before the directory's places are computed from it.
    Index(Change<Vec<IndexEntry>>),
    /// Of the directory.
    Directory(Change<Vec<DirectoryEntry>>),
    /// Of Statistics.
    Statistics(Change<Statistics>),
    /// Of the Footer, whose checksum follows where a section moved.
    Footer(Change<Footer>),
    /// Of a checkpoint, by label.
    Checkpoint(String, Change<Checkpoint>),
    /// Of the content of a record, by label.
    Content(String, ContentEdit),
    /// A record of the summary is left out.
    Drop(String),
    /// A record of the summary stands twice.
    Repeat(String),
    /// A record of the summary stands behind another.
    Behind(String, String),
}

const INDEX: &str = "ChunkIndex";
const DIRECTORY: &str = "StreamDirectory";
const STATISTICS: &str = "Statistics";
const FOOTER: &str = "Footer";

/// The label of a record's second copy.
pub(crate) fn again(label: &str) -> String {
    format!("{label} again")
}

impl Plan {
    fn tweak(mut self, label: &str, field: &str, what: &str, tweak: Tweak) -> Self {
        self.tweaks.push(tweak);
        let mark = if field.is_empty() {
            Mark::Record(label.to_owned())
        } else {
            Mark::Field(label.to_owned(), field.to_owned())
        };
        self.edited(mark, format!("{label}: {what}"))
    }

    /// Changes the ChunkIndex; `field` is where it shows, or empty for all of
    /// it. The directory's places follow, its counts and spans do not.
    pub fn edit_index(
        self,
        field: &str,
        what: &str,
        change: impl Fn(&mut Vec<IndexEntry>) + Send + Sync + 'static,
    ) -> Self {
        let tweak = Tweak::Index(Change(Arc::new(change)));
        self.tweak(INDEX, field, what, tweak)
    }

    /// Changes the StreamDirectory, as [`Plan::edit_index`].
    pub fn edit_directory(
        self,
        field: &str,
        what: &str,
        change: impl Fn(&mut Vec<DirectoryEntry>) + Send + Sync + 'static,
    ) -> Self {
        let tweak = Tweak::Directory(Change(Arc::new(change)));
        self.tweak(DIRECTORY, field, what, tweak)
    }

    /// Changes Statistics, as [`Plan::edit_index`].
    pub fn edit_statistics(
        self,
        field: &str,
        what: &str,
        change: impl Fn(&mut Statistics) + Send + Sync + 'static,
    ) -> Self {
        let tweak = Tweak::Statistics(Change(Arc::new(change)));
        self.tweak(STATISTICS, field, what, tweak)
    }

    /// Changes the Footer, as [`Plan::edit_index`]; where it moves a section
    /// and leaves the checksum alone, the checksum is made right again.
    pub fn edit_footer(
        self,
        field: &str,
        what: &str,
        change: impl Fn(&mut Footer) + Send + Sync + 'static,
    ) -> Self {
        let tweak = Tweak::Footer(Change(Arc::new(change)));
        self.tweak(FOOTER, field, what, tweak)
    }

    /// Changes a checkpoint before it is encoded, as [`Plan::edit_index`]; the
    /// trailer's copy and checksum follow.
    pub fn edit_checkpoint(
        self,
        label: &str,
        field: &str,
        what: &str,
        change: impl Fn(&mut Checkpoint) + Send + Sync + 'static,
    ) -> Self {
        let tweak = Tweak::Checkpoint(label.to_owned(), Change(Arc::new(change)));
        self.tweak(label, field, what, tweak)
    }

    /// A record of the summary, or a SummaryOffset, is left out.
    pub fn leave_out(self, label: &str) -> Self {
        let tweak = Tweak::Drop(label.to_owned());
        self.tweak(label, "", "it is left out", tweak)
    }

    /// A record of the summary, or a SummaryOffset, stands twice.
    pub fn repeat(self, label: &str) -> Self {
        let tweak = Tweak::Repeat(label.to_owned());
        self.tweak(&again(label), "", "a second copy", tweak)
    }

    /// A record of the summary stands behind another one of it.
    pub fn reorder(self, label: &str, other: &str) -> Self {
        let tweak = Tweak::Behind(label.to_owned(), other.to_owned());
        self.tweak(label, "", &format!("it stands behind {other}"), tweak)
    }

    /// The labels that tweaks name.
    pub(crate) fn tweaked(&self) -> impl Iterator<Item = &str> {
        self.tweaks.iter().map(|tweak| match tweak {
            Tweak::Index(_) => INDEX,
            Tweak::Directory(_) => DIRECTORY,
            Tweak::Statistics(_) => STATISTICS,
            Tweak::Footer(_) => FOOTER,
            Tweak::Checkpoint(label, _)
            | Tweak::Content(label, _)
            | Tweak::Drop(label)
            | Tweak::Repeat(label)
            | Tweak::Behind(label, _) => label,
        })
    }

    pub(crate) fn tweak_index(&self, entries: &mut Vec<IndexEntry>) {
        for tweak in &self.tweaks {
            if let Tweak::Index(change) = tweak {
                change.0(entries);
            }
        }
    }

    pub(crate) fn tweak_directory(&self, entries: &mut Vec<DirectoryEntry>) {
        for tweak in &self.tweaks {
            if let Tweak::Directory(change) = tweak {
                change.0(entries);
            }
        }
    }

    pub(crate) fn tweak_statistics(&self, statistics: &mut Statistics) {
        for tweak in &self.tweaks {
            if let Tweak::Statistics(change) = tweak {
                change.0(statistics);
            }
        }
    }

    pub(crate) fn tweak_footer(&self, footer: &mut Footer) {
        for tweak in &self.tweaks {
            if let Tweak::Footer(change) = tweak {
                change.0(footer);
            }
        }
    }

    pub(crate) fn tweak_checkpoint(&self, label: &str, checkpoint: &mut Checkpoint) {
        for tweak in &self.tweaks {
            match tweak {
                Tweak::Checkpoint(of, change) if of == label => change.0(checkpoint),
                _ => {}
            }
        }
    }

    /// The edits of these records' contents, and what becomes of their order;
    /// what is left out is noted where it would have stood.
    pub(crate) fn arranged(&self, mut parts: Vec<Part>) -> Result<Vec<Slot>, PlanError> {
        for tweak in &self.tweaks {
            if let Tweak::Content(label, edit) = tweak
                && let Some(part) = parts.iter_mut().find(|part| part.label == *label)
            {
                part.edits.push(edit.clone());
            }
        }
        let mut slots: Vec<Slot> = parts
            .into_iter()
            .map(|part| Slot::Part(Box::new(part)))
            .collect();
        for tweak in &self.tweaks {
            let at = |label: &str| slots.iter().position(|slot| slot.label() == label);
            match tweak {
                Tweak::Drop(label) => {
                    if let Some(slot) = at(label).and_then(|at| slots.get_mut(at)) {
                        *slot = Slot::Gone(label.clone());
                    }
                }
                Tweak::Repeat(label) => {
                    if let Some(at) = at(label)
                        && let Some(Slot::Part(part)) = slots.get(at)
                    {
                        let copy = Part {
                            label: again(label),
                            ..(**part).clone()
                        };
                        slots.insert(at.saturating_add(1), Slot::Part(Box::new(copy)));
                    }
                }
                Tweak::Behind(label, other) => {
                    if let Some(from) = at(label) {
                        let slot = slots.remove(from);
                        let to = slots.iter().position(|slot| slot.label() == other);
                        let to = to.ok_or_else(|| {
                            PlanError::Edit(format!("{label} cannot stand behind {other}"))
                        })?;
                        slots.insert(to.saturating_add(1), slot);
                    }
                }
                _ => {}
            }
        }
        Ok(slots)
    }
}

/// A place in the summary: a record, or the one that a tweak left out.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// A record.
    Part(Box<Part>),
    /// The label of the one left out.
    Gone(String),
}

impl Slot {
    fn label(&self) -> &str {
        match self {
            Slot::Part(part) => &part.label,
            Slot::Gone(label) => label,
        }
    }

    /// Places the record; its opcode, where there is one.
    pub(crate) fn place(&self, out: &mut Writer) -> Result<Option<u8>, PlanError> {
        match self {
            Slot::Part(part) => {
                out.place_bytes(part)?;
                Ok(Some(part.opcode))
            }
            Slot::Gone(label) => {
                out.leave_out(label);
                Ok(None)
            }
        }
    }
}
