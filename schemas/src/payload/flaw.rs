//! What is wrong with a payload, and its words.

use std::fmt;

use ca3_reports::Severity;
use prost_reflect::FieldDescriptor;

use super::plan::Plan;
use super::wire::{self, Broken};
use crate::declarations::kind_name;
use crate::descriptor::place;
use crate::judgement::{Fault, Place};

/// Something that is wrong with a payload. It is small, and [`Plan::describe`] has the
/// words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What is wrong.
    pub what: What,
    /// The field that it is wrong with.
    pub field: FieldId,
    /// Where in the payload: the value, or the message where the field does not stand.
    pub offset: usize,
}

/// A field of a plan's schema: flaws of one field have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId {
    pub(super) message: u32,
    /// 0 is the message itself.
    pub(super) number: u32,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// The payload is no message of the schema (rule 5.1-15). Nothing else is told of
    /// such a payload.
    Broken(Broken),
    /// A required field of proto2 does not stand in its message (rule 5.1-15).
    Missing,
    /// A value that the enum does not name (rule 5.2-11).
    Unnamed(i32),
    /// Another number of elements than the declared cardinality (rule 5.3-03).
    Elements {
        /// The cardinality.
        expected: u32,
        /// How many there are.
        found: u64,
    },
    /// A channel with another number of entries than its field has elements
    /// (rule 5.6-03).
    Entries {
        /// The covered field's number.
        covered: u32,
        /// How many elements that has.
        elements: u64,
        /// Entries of the channel, or its bytes where it is packed.
        found: u64,
        /// Whether the channel is bits packed in bytes.
        is_packed: bool,
    },
    /// A channel that is false beside content (rule 5.6-06).
    Denied {
        /// The covered field's number.
        covered: u32,
        /// Elements or bytes of the covered field.
        amount: u64,
        /// Whether it is one of bytes.
        is_bytes: bool,
    },
    /// A row of a projection that is not as long as its form has it (rule 5.8-27).
    Row {
        /// The number of the row type's field whose elements are the row.
        counted: u32,
        /// Which row of its field, from 0.
        row: u32,
        /// The length of each.
        expected: i128,
        /// Elements of this one.
        found: u64,
    },
    /// A block of another size than its form has (rule 5.8-24).
    Block {
        /// Bytes that the form comes to.
        expected: u128,
        /// Bytes of the block.
        found: u64,
    },
    /// An axis of a block whose length is negative (rule 5.8-24).
    Negative {
        /// That length.
        length: i128,
    },
    /// A block that does not begin at the `block_offset` of its stream (rule 5.9-09).
    Displaced {
        /// The `block_offset`.
        expected: u32,
    },
}

impl Flaw {
    /// Identifier in the rule catalogue.
    pub const fn rule(&self) -> &'static str {
        match self.what {
            What::Broken(_) | What::Missing => "CA3-5.1-15",
            What::Unnamed(_) => "CA3-5.2-11",
            What::Elements { .. } => "CA3-5.3-03",
            What::Entries { .. } => "CA3-5.6-03",
            What::Denied { .. } => "CA3-5.6-06",
            What::Row { .. } => "CA3-5.8-27",
            What::Block { .. } | What::Negative { .. } => "CA3-5.8-24",
            What::Displaced { .. } => "CA3-5.9-09",
        }
    }

    /// How much it weighs where the stream claims to be well-formed.
    pub const fn severity(&self) -> Severity {
        match self.what {
            What::Unnamed(_) | What::Denied { .. } => Severity::Warning,
            // Of these, parsers make different things.
            What::Broken(Broken::WireType { .. } | Broken::VarintTooLong) => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// The words of a flaw before its field's path is known.
struct Words {
    message: String,
    expected: String,
    found: String,
}

impl Plan {
    /// Puts a flaw of this plan into words.
    pub fn describe(&self, flaw: &Flaw) -> Fault {
        let field = self.field(flaw.field);
        let path = match (flaw.what, &field) {
            (What::Row { counted, .. }, Some(outer)) => self.path_of_row(outer, counted),
            _ => self.path(flaw.field),
        };
        let words = self.words(flaw, &path, field.as_ref());
        let make = match flaw.severity() {
            Severity::Warning => Fault::warning,
            _ => Fault::error,
        };
        let stated = match (self.map_of(flaw.field), &field) {
            (Some(map), _) => Some(place(&map)),
            (None, Some(field)) => Some(place(field)),
            (None, None) => self.message_place(flaw),
        };
        make(flaw.rule(), path, words.message)
            .showing(words.expected, words.found)
            .at(stated)
    }

    fn descriptor(&self, id: FieldId) -> Option<&prost_reflect::MessageDescriptor> {
        let index = usize::try_from(id.message).ok()?;
        Some(&self.messages.get(index)?.descriptor)
    }

    fn field(&self, id: FieldId) -> Option<FieldDescriptor> {
        self.descriptor(id)?.get_field(id.number)
    }

    /// The map whose entry a field is of: it is what a schema's author wrote.
    fn map_of(&self, id: FieldId) -> Option<FieldDescriptor> {
        let entry = self.descriptor(id).filter(|it| it.is_map_entry())?;
        let holder = entry.parent_message()?;
        let is_it = |field: &FieldDescriptor| field.kind().as_message() == Some(entry);
        holder.fields().find(is_it)
    }

    fn message_place(&self, flaw: &Flaw) -> Option<Place> {
        let message = self.descriptor(flaw.field)?;
        Some(Place {
            file: message.parent_file().name().to_owned(),
            path: message.path().to_vec(),
        })
    }

    /// The path to a field, from the message that declares it; the number of one that
    /// the message does not have.
    fn path(&self, id: FieldId) -> String {
        let Some(message) = self.descriptor(id) else {
            return self.name().to_owned();
        };
        if let Some(map) = self.map_of(id) {
            return self.described.path(&map);
        }
        let name = self.described.short(message.full_name());
        match (id.number, message.get_field(id.number)) {
            (0, _) => name.to_owned(),
            (_, Some(field)) => format!("{name}.{}", field.name()),
            (number, None) => match message.get_extension(number) {
                Some(extension) => format!("{name}.[{}]", extension.full_name()),
                None => format!("{name}.{number}"),
            },
        }
    }

    /// The path to a field of the rows that a field holds.
    fn path_of_row(&self, outer: &FieldDescriptor, counted: u32) -> String {
        let kind = outer.kind();
        let counted = kind.as_message().and_then(|row| row.get_field(counted));
        counted.map_or_else(String::new, |counted| self.described.path(&counted))
    }

    fn words(&self, flaw: &Flaw, path: &str, field: Option<&FieldDescriptor>) -> Words {
        let beside = |number| {
            let id = FieldId {
                number,
                ..flaw.field
            };
            self.field(id)
                .map_or_else(String::new, |field| field.name().to_owned())
        };
        let words =
            |message: String, expected: &dyn fmt::Display, found: &dyn fmt::Display| Words {
                message,
                expected: expected.to_string(),
                found: found.to_string(),
            };
        match flaw.what {
            What::Broken(broken) => self.broken(broken, flaw, path, field),
            What::Missing => words(
                format!(
                    "the payload is no {}: {path} is required and not there",
                    self.name()
                ),
                &"a value",
                &"none",
            ),
            What::Unnamed(value) => {
                let of = field.map_or_else(|| "its enum".to_owned(), |it| kind_name(&it.kind()));
                words(
                    format!("{path} is {value}, which {of} does not name"),
                    &format_args!("a value of {of}"),
                    &value,
                )
            }
            What::Elements { expected, found } => words(
                format!(
                    "{path} has {}, and its declared cardinality is {expected}",
                    counted(found, "element")
                ),
                &expected,
                &found,
            ),
            What::Entries {
                covered,
                elements,
                found,
                is_packed: false,
            } => words(
                format!(
                    "{path} has {} for the {} of {}",
                    plural(found, "entry", "entries"),
                    counted(elements, "element"),
                    beside(covered)
                ),
                &elements,
                &found,
            ),
            What::Entries {
                covered,
                elements,
                found,
                is_packed: true,
            } => words(
                format!(
                    "{path} has {} of packed bits for the {} of {}, which take {}",
                    counted(found, "byte"),
                    counted(elements, "element"),
                    beside(covered),
                    elements.div_ceil(8)
                ),
                &counted(elements.div_ceil(8), "byte"),
                &counted(found, "byte"),
            ),
            What::Denied {
                covered,
                amount,
                is_bytes,
            } => {
                let covered = beside(covered);
                let what = counted(amount, if is_bytes { "byte" } else { "element" });
                words(
                    format!("{path} says that {covered} holds nothing, and it has {what}"),
                    &format_args!("true, or nothing in {covered}"),
                    &"false",
                )
            }
            What::Row {
                row,
                expected,
                found,
                ..
            } => {
                let outer = field.map_or_else(String::new, |it| it.name().to_owned());
                words(
                    format!(
                        "row {row} of {outer} has {} in {path}, and its form makes each row \
                         {expected} long",
                        counted(found, "element")
                    ),
                    &expected,
                    &found,
                )
            }
            What::Block { expected, found } => words(
                format!(
                    "the block {path} has {}, and its form comes to {expected}",
                    counted(found, "byte")
                ),
                &format_args!("{expected} bytes"),
                &counted(found, "byte"),
            ),
            What::Negative { length } => words(
                format!(
                    "an axis of the block {path} takes its length from a field that is {length}"
                ),
                &"a length of 0 or more",
                &length,
            ),
            What::Displaced { expected } => words(
                format!(
                    "the block {path} begins at byte {} of the payload, and the stream's \
                     block_offset is {expected}",
                    flaw.offset
                ),
                &flaw.offset,
                &expected,
            ),
        }
    }

    fn broken(
        &self,
        broken: Broken,
        flaw: &Flaw,
        path: &str,
        field: Option<&FieldDescriptor>,
    ) -> Words {
        let is_known = flaw.field.number == 0 || field.is_some();
        let whose = match (flaw.field.number, is_known) {
            (0, _) if broken == Broken::GroupUnended => path.to_owned(),
            (0, _) => format!("a field of {path}"),
            (_, true) => path.to_owned(),
            (number, false) => {
                let message = path.rsplit_once('.').map_or(path, |(message, _)| message);
                format!("field {number} of {message}, which the schema does not have,")
            }
        };
        let (what, expected, found) = match broken {
            Broken::VarintUnended => (
                format!("{whose} is a varint that does not end where its message ends"),
                "a byte below 0x80".to_owned(),
                "none".to_owned(),
            ),
            Broken::VarintTooLong => (
                format!("{whose} is a varint of more than ten bytes or 64 bits"),
                "64 bits at most".to_owned(),
                "more".to_owned(),
            ),
            Broken::TagTooLong => (
                format!("the tag of {whose} has more than 32 bits"),
                "a tag".to_owned(),
                "a larger number".to_owned(),
            ),
            Broken::FieldZero => (
                format!("{whose} has the number 0"),
                "1 or more".to_owned(),
                "0".to_owned(),
            ),
            Broken::NoWireType(wire) => (
                format!("{whose} has the wire type {wire}, which there is not"),
                "0 to 5".to_owned(),
                wire.to_string(),
            ),
            Broken::Cut { needs, left } => (
                format!(
                    "{whose} takes {}, and {} left of its message",
                    counted(needs, "byte"),
                    match left {
                        1 => "1 is".to_owned(),
                        left => format!("{left} are"),
                    }
                ),
                counted(needs, "byte"),
                left.to_string(),
            ),
            Broken::WireType { expected, found } => {
                let kind = field.map_or_else(String::new, |it| kind_name(&it.kind()));
                let of = if kind.is_empty() {
                    String::new()
                } else {
                    format!(", and is of the type {kind}")
                };
                let (expected, found) = (wire_name(expected), wire_name(found));
                (
                    format!("{whose} stands there as {found}{of}"),
                    expected.to_owned(),
                    found.to_owned(),
                )
            }
            Broken::NotUtf8 => (
                format!("{whose} is a string and no UTF-8"),
                "UTF-8".to_owned(),
                "other bytes".to_owned(),
            ),
            Broken::GroupEnd => (
                format!("{whose} ends a group that did not begin"),
                "a field".to_owned(),
                "the end of a group".to_owned(),
            ),
            Broken::GroupUnended => (
                format!("{whose} is a group without an end"),
                "the end of the group".to_owned(),
                "the end of its message".to_owned(),
            ),
            Broken::TooDeep => (
                format!(
                    "{whose} is a message more than {} levels deep",
                    wire::DEEPEST
                ),
                format!("{} levels", wire::DEEPEST),
                "more".to_owned(),
            ),
        };
        let message = format!(
            "the payload is no {}: {what} (byte {})",
            self.name(),
            flaw.offset
        );
        Words {
            message,
            expected,
            found,
        }
    }
}

fn counted(number: u64, what: &str) -> String {
    plural(number, what, &format!("{what}s"))
}

fn plural(number: u64, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

const fn wire_name(wire: u32) -> &'static str {
    match wire {
        wire::VARINT => "a varint",
        wire::FIXED64 => "8 bytes",
        wire::LENGTH => "bytes of a stated length",
        wire::START => "a group",
        wire::END => "the end of a group",
        wire::FIXED32 => "4 bytes",
        _ => "nothing known",
    }
}
