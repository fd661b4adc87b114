//! Named edits: each breaks one thing and says what.

use ca3_wire::Encoder;
use ca3_wire::records::{Header, Record};

use super::content_edit::ContentEdit;
use super::tweak::Tweak;
use super::{Chunk, Columnar, Content, Meaning, Part, Plan, PlanError};

/// What a record's frame says of its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LengthClaim {
    /// The content's length.
    Right,
    /// That much more or less than it.
    Off(i64),
    /// This figure.
    Value(u64),
    /// These bytes in the place of the eight.
    Bytes(Vec<u8>),
}

/// A place in the laid-out file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// From the start.
    Start(u64),
    /// That many bytes before the end.
    End(u64),
    /// From the opcode byte of a labelled record.
    Record(String, u64),
}

impl At {
    /// From the opcode byte of a labelled record.
    pub fn record(label: &str, offset: u64) -> Self {
        At::Record(label.to_owned(), offset)
    }
}

/// A change of the laid-out bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ByteEdit {
    /// The file ends there.
    Truncate(At),
    /// Bytes there are overwritten.
    Patch(At, Vec<u8>),
    /// That many bytes there are taken out.
    Remove(At, u64),
    /// Bytes are put in there.
    Insert(At, Vec<u8>),
    /// Bytes follow the end.
    Append(Vec<u8>),
}

/// Where the edit shows in the laid-out file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The opcode byte of a record.
    Opcode(String),
    /// The length of a record.
    Length(String),
    /// A whole record.
    Record(String),
    /// A field of a record.
    Field(String, String),
    /// The range that the record's last content edit concerned.
    Content(String),
    /// An offset of the file.
    Start(u64),
    /// The range that the last byte edit concerned.
    Bytes,
}

impl Plan {
    pub(crate) fn edited(mut self, mark: Mark, what: String) -> Self {
        self.mark = Some(mark);
        self.what = Some(match self.what.take() {
            Some(before) => format!("{before}; {what}"),
            None => what,
        });
        self
    }

    /// Says what the edit was, in a case's own words.
    pub fn what(mut self, what: &str) -> Self {
        self.what = Some(what.to_owned());
        self
    }

    fn with_part(mut self, label: &str, change: impl FnOnce(&mut Part)) -> Self {
        let summary = self.groups.iter_mut().chain(self.tail.iter_mut());
        let mut parts = self.parts.iter_mut().chain(summary);
        match parts.find(|part| part.label == label) {
            Some(part) => change(part),
            None => self.fail(PlanError::Edit(format!("there is no part {label}"))),
        }
        self
    }

    fn content_edit(mut self, label: &str, edit: ContentEdit, what: String) -> Self {
        let parts = self.parts.iter_mut();
        let mut parts = parts.chain(&mut self.groups).chain(&mut self.tail);
        match parts.find(|part| part.label == label) {
            Some(part) => part.edits.push(edit),
            // What the layout makes; it says so where it makes no such record.
            None => self.tweaks.push(Tweak::Content(label.to_owned(), edit)),
        }
        self.edited(Mark::Content(label.to_owned()), what)
    }

    /// A record's content is this instead; `field` is where it shows, or empty
    /// for all of it.
    pub fn rewrite<R: Record>(self, label: &str, record: &R, field: &str, what: &str) -> Self {
        let mut out = Encoder::new();
        let encoded = record.encode(&mut out);
        let (bytes, spans) = out.into_parts();
        let edit = ContentEdit::Whole {
            bytes,
            spans,
            shown: field.to_owned(),
        };
        let mut plan = self.content_edit(label, edit, format!("{label}: {what}"));
        if let Err(error) = encoded {
            plan.fail(error.into());
        }
        plan
    }

    /// A record that was added is the edit.
    pub fn added(self, label: &str, what: &str) -> Self {
        self.edited(Mark::Record(label.to_owned()), what.to_owned())
    }

    /// A field's bytes become others, whatever their number.
    pub fn replace_field(self, label: &str, field: &str, bytes: &[u8]) -> Self {
        let what = format!("{label}: {field} is stored as {}", hex(bytes));
        let edit = ContentEdit::Replace {
            field: field.to_owned(),
            bytes: bytes.to_vec(),
        };
        self.content_edit(label, edit, what)
    }

    /// A field is left out.
    pub fn drop_field(self, label: &str, field: &str) -> Self {
        let what = format!("{label}: {field} is left out");
        let edit = ContentEdit::Replace {
            field: field.to_owned(),
            bytes: Vec::new(),
        };
        self.content_edit(label, edit, what)
    }

    /// Bytes within a field are overwritten.
    pub fn patch_field(self, label: &str, field: &str, at: usize, bytes: &[u8]) -> Self {
        let what = format!(
            "{label}: {field}, its byte {at} as stored, becomes {}",
            hex(bytes)
        );
        let edit = ContentEdit::Patch {
            field: field.to_owned(),
            at,
            bytes: bytes.to_vec(),
        };
        self.content_edit(label, edit, what)
    }

    /// The content ends inside a field, the record's length with it.
    pub fn cut_inside(self, label: &str, field: &str, keep: usize) -> Self {
        let what = format!("{label}: the content ends {keep} bytes into {field}");
        let edit = ContentEdit::CutInside {
            field: field.to_owned(),
            keep,
        };
        self.content_edit(label, edit, what)
    }

    /// Bytes are added to the content.
    pub fn append(self, label: &str, bytes: &[u8]) -> Self {
        let what = format!("{label}: {} follows the last field", hex(bytes));
        self.content_edit(
            label,
            ContentEdit::Append {
                bytes: bytes.to_vec(),
            },
            what,
        )
    }

    /// Bytes are added directly behind a field.
    pub fn insert_behind(self, label: &str, field: &str, bytes: &[u8]) -> Self {
        let what = format!("{label}: {} stands behind {field}", hex(bytes));
        let edit = ContentEdit::Insert {
            field: field.to_owned(),
            bytes: bytes.to_vec(),
        };
        self.content_edit(label, edit, what)
    }

    /// The content loses its last bytes, the record's length with it.
    pub fn cut_end(self, label: &str, count: usize) -> Self {
        let what = format!("{label}: the last {count} bytes of the content are cut off");
        self.content_edit(label, ContentEdit::CutEnd { count }, what)
    }

    /// Every entry of a table has unknown bytes behind this field, and
    /// `entry_size` counts them.
    pub fn grow_entries(
        self,
        label: &str,
        fields: &[String],
        entry_size: u32,
        unknown: &[u8],
    ) -> Self {
        let grown = fields.iter().fold(self, |plan, field| {
            plan.insert_behind(label, field, unknown)
        });
        grown.replace_field(label, "entry_size", &entry_size.to_le_bytes())
    }

    /// Every entry of a table lacks this field, and `entry_size` is this.
    pub fn shrink_entries(self, label: &str, fields: &[String], entry_size: u32) -> Self {
        // From the last to the first: what is left out moves what follows it.
        let cut = fields
            .iter()
            .rev()
            .fold(self, |plan, field| plan.drop_field(label, field));
        cut.replace_field(label, "entry_size", &entry_size.to_le_bytes())
    }

    /// A checkpoint's checksum follows the edits of its content so far.
    pub fn right_checksum(self, label: &str) -> Self {
        self.with_part(label, |part| part.edits.push(ContentEdit::Checksum))
    }

    /// A record's opcode becomes another.
    pub fn opcode(self, label: &str, opcode: u8) -> Self {
        let what = format!("{label}: the opcode becomes {opcode:02X}");
        self.with_part(label, |part| part.opcode = opcode)
            .edited(Mark::Opcode(label.to_owned()), what)
    }

    /// A record's length says something else than its content's length.
    pub fn claim(self, label: &str, claim: LengthClaim) -> Self {
        let what = match &claim {
            LengthClaim::Right => format!("{label}: the length is right"),
            LengthClaim::Off(by) => format!("{label}: the length is off by {by}"),
            LengthClaim::Value(value) => format!("{label}: the length says {value}"),
            LengthClaim::Bytes(bytes) => format!("{label}: the length is stored as {}", hex(bytes)),
        };
        self.with_part(label, |part| part.claim = claim)
            .edited(Mark::Length(label.to_owned()), what)
    }

    /// The Header is left out; everything behind it moves up.
    pub fn remove_header(mut self) -> Self {
        self.parts.retain(|part| part.label != "Header");
        self.edited(Mark::Start(8), "the Header is left out".to_owned())
    }

    /// Forgets that edits were made: they shape a valid file.
    pub fn as_valid(mut self) -> Self {
        self.mark = None;
        self.what = None;
        self
    }

    /// A record moves directly behind another.
    pub fn move_behind(mut self, label: &str, other: &str) -> Self {
        let from = self.parts.iter().position(|part| part.label == label);
        match from.map(|from| self.parts.remove(from)) {
            Some(part) => {
                let to = self.parts.iter().position(|part| part.label == other);
                let to = to.map_or(self.parts.len(), |to| to.saturating_add(1));
                self.parts.insert(to, part);
            }
            None => self.fail(PlanError::Edit(format!("there is no part {label}"))),
        }
        self.edited(
            Mark::Record(label.to_owned()),
            format!("{label} stands behind {other}"),
        )
    }

    /// The plan's last part moves to the front, before the Header.
    pub fn last_to_front(mut self) -> Self {
        match self.parts.pop() {
            Some(part) => {
                let label = part.label.clone();
                self.parts.insert(0, part);
                self.edited(Mark::Record(label.clone()), format!("{label} stands first"))
            }
            None => self,
        }
    }

    /// A second Header follows everything.
    pub fn second_header(self, header: &Header) -> Self {
        let part = Part::of("second Header".to_owned(), header, Meaning::Content);
        self.push(part).edited(
            Mark::Record("second Header".to_owned()),
            "a second Header follows, of another library".to_owned(),
        )
    }

    /// Changes a row-wise chunk; `field` is where it shows, or empty for all of it.
    pub fn edit_chunk(
        self,
        label: &str,
        field: &str,
        what: &str,
        change: impl FnOnce(&mut Chunk),
    ) -> Self {
        self.edit_content(label, field, what, |content| match content {
            Content::Chunk(chunk) => {
                change(chunk);
                true
            }
            _ => false,
        })
    }

    /// Changes a column-wise chunk, as [`Plan::edit_chunk`].
    pub fn edit_columnar(
        self,
        label: &str,
        field: &str,
        what: &str,
        change: impl FnOnce(&mut Columnar),
    ) -> Self {
        self.edit_content(label, field, what, |content| match content {
            Content::Columnar(chunk) => {
                change(chunk);
                true
            }
            _ => false,
        })
    }

    fn edit_content(
        self,
        label: &str,
        field: &str,
        what: &str,
        change: impl FnOnce(&mut Content) -> bool,
    ) -> Self {
        let mut fits = true;
        let mut plan = self.with_part(label, |part| fits = change(&mut part.content));
        if !fits {
            plan.fail(PlanError::Edit(format!(
                "{label} is another sort of record"
            )));
        }
        let mark = if field.is_empty() {
            Mark::Record(label.to_owned())
        } else {
            Mark::Field(label.to_owned(), field.to_owned())
        };
        plan.edited(mark, format!("{label}: {what}"))
    }

    fn byte_edit(mut self, edit: ByteEdit, what: String) -> Self {
        self.byte_edits.push(edit);
        self.edited(Mark::Bytes, what)
    }

    /// The laid-out file ends early.
    pub fn truncate(self, at: At) -> Self {
        let what = match &at {
            At::Start(bytes) => format!("the file ends after {bytes} bytes"),
            At::End(bytes) => format!("the last {bytes} bytes are cut off"),
            At::Record(label, bytes) => format!("the file ends {bytes} bytes into {label}"),
        };
        self.byte_edit(ByteEdit::Truncate(at), what)
    }

    /// Bytes of the laid-out file are overwritten.
    pub fn patch(self, at: At, bytes: &[u8]) -> Self {
        let what = match &at {
            At::Start(offset) => format!("{} stands at offset {offset}", hex(bytes)),
            At::End(offset) => format!("{} stands {offset} bytes before the end", hex(bytes)),
            At::Record(label, offset) => {
                format!("{} stands {offset} bytes into {label}", hex(bytes))
            }
        };
        self.byte_edit(ByteEdit::Patch(at, bytes.to_vec()), what)
    }

    /// Bytes of the laid-out file are taken out.
    pub fn take_out(self, at: At, count: u64, what: &str) -> Self {
        self.byte_edit(ByteEdit::Remove(at, count), what.to_owned())
    }

    /// Bytes are put into the laid-out file.
    pub fn put_in(self, at: At, bytes: &[u8], what: &str) -> Self {
        self.byte_edit(ByteEdit::Insert(at, bytes.to_vec()), what.to_owned())
    }

    /// Bytes follow the end of the laid-out file.
    pub fn append_to_file(self, bytes: &[u8]) -> Self {
        let what = format!("{} follows the end of the file", hex(bytes));
        self.byte_edit(ByteEdit::Append(bytes.to_vec()), what)
    }
}

/// Some bytes in hexadecimal, shortened.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    let text: Vec<String> = bytes
        .iter()
        .take(SHOWN)
        .map(|byte| format!("{byte:02X}"))
        .collect();
    match bytes.len() {
        0 => "nothing".to_owned(),
        length if length > SHOWN => format!("{} ... ({length} bytes)", text.join(" ")),
        _ => text.join(" "),
    }
}
