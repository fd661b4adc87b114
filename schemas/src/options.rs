//! The declarations of fields and messages (§5.3), by the names of the options
//! (reading G10) as the descriptor set that carries them declares them.

use std::borrow::Cow;

use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage as _,
    Value,
};

/// The package of the options.
pub const PACKAGE: &str = "ca3.options.v1";
/// What the options are called there, with the number that the document gives each.
pub const NAMES: [(&str, u32); 5] = [
    ("unit", 50_001),
    ("frame", 50_002),
    ("validity_for", 50_003),
    ("cardinality", 50_004),
    ("tensor_form", 50_010),
];

/// What a field declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldOptions {
    /// A UCUM code, not empty.
    pub unit: Option<String>,
    /// The identifier of a frame, not empty.
    pub frame: Option<String>,
    /// The field whose validity this field carries, not empty.
    pub validity_for: Option<String>,
    /// Elements of a repeated or packed field; 0 is a declaration, and says that they
    /// vary (rule 5.3-02).
    pub cardinality: Option<u32>,
    /// Options that are not read for what they seem to be.
    pub misread: Vec<Misread>,
}

/// An option that seems to be one of this format's and is not read as that, or that is
/// one and has another number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misread {
    /// One of the names, in a package that is not this format's.
    Elsewhere {
        /// The option's full name.
        name: String,
        /// Which of [`NAMES`] it looks like.
        like: &'static str,
    },
    /// One of the numbers, under a name that is none of this format's.
    Renamed {
        /// The option's full name.
        name: String,
        /// Its number.
        number: u32,
        /// Which of [`NAMES`] has that number.
        like: &'static str,
    },
    /// One of this format's, read by its name, with another number than the document's.
    Renumbered {
        /// Which of [`NAMES`].
        name: &'static str,
        /// The number of [`NAMES`].
        wanted: u32,
        /// Its own.
        number: u32,
    },
    /// One of the numbers, which no extension of the set declares.
    Undeclared {
        /// Its number.
        number: u32,
        /// Which of [`NAMES`] has that number.
        like: &'static str,
    },
    /// Of another type than the option has.
    Mistyped {
        /// Which of [`NAMES`].
        name: &'static str,
        /// The type that it should be of.
        wanted: &'static str,
    },
}

/// The declarations of a field.
pub fn of_field(field: &FieldDescriptor) -> FieldOptions {
    let options = field.options();
    let mut read = FieldOptions::default();
    for (name, value) in declared(&options, &mut read.misread) {
        let mistyped = |wanted| Misread::Mistyped { name, wanted };
        let text = || match value.as_ref() {
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            _ => None,
        };
        match (name, value.as_ref()) {
            ("cardinality", Value::U32(number)) => read.cardinality = Some(*number),
            ("cardinality", _) => read.misread.push(mistyped("uint32")),
            ("unit", Value::String(_)) => read.unit = text(),
            ("frame", Value::String(_)) => read.frame = text(),
            ("validity_for", Value::String(_)) => read.validity_for = text(),
            ("tensor_form", _) => {}
            _ => read.misread.push(mistyped("string")),
        }
    }
    read
}

/// The tensor form of a message, as a dynamic message, and what is misread of its
/// options.
pub(crate) fn form_of(message: &MessageDescriptor) -> (Option<DynamicMessage>, Vec<Misread>) {
    let options = message.options();
    let mut misread = Vec::new();
    let mut form = None;
    for (name, value) in declared(&options, &mut misread) {
        match (name, value.as_ref()) {
            ("tensor_form", Value::Message(message)) => form = Some(message.clone()),
            ("tensor_form", _) => misread.push(Misread::Mistyped {
                name,
                wanted: "TensorForm",
            }),
            _ => {}
        }
    }
    (form, misread)
}

/// The options of this format among those that are set; others that look like one
/// are noted.
fn declared<'o>(
    options: &'o DynamicMessage,
    misread: &mut Vec<Misread>,
) -> Vec<(&'static str, Cow<'o, Value>)> {
    let mut found = Vec::new();
    for (extension, value) in options.extensions() {
        let (name, number) = (extension.name(), extension.number());
        let named = NAMES.iter().find(|(known, _)| *known == name);
        let numbered = NAMES.iter().find(|(_, known)| *known == number);
        let full_name = extension.full_name().to_owned();
        match (named, numbered) {
            (Some((known, wanted)), _) if extension.package_name() == PACKAGE => {
                if number != *wanted {
                    misread.push(Misread::Renumbered {
                        name: known,
                        wanted: *wanted,
                        number,
                    });
                }
                found.push((*known, Cow::Borrowed(value)));
            }
            (Some((like, _)), _) => misread.push(Misread::Elsewhere {
                name: full_name,
                like,
            }),
            (None, Some((like, _))) => misread.push(Misread::Renamed {
                name: full_name,
                number,
                like,
            }),
            (None, None) => {}
        }
    }
    for unknown in options.unknown_fields() {
        let number = unknown.number();
        if let Some((like, _)) = NAMES.iter().find(|(_, known)| *known == number) {
            misread.push(Misread::Undeclared { number, like });
        }
    }
    found
}

/// A member of a dynamic message, by name: `None` where its type declares no such
/// field.
pub(crate) fn member(message: &DynamicMessage, name: &str) -> Option<Value> {
    let field = message.descriptor().get_field_by_name(name)?;
    Some(message.get_field(&field).into_owned())
}

/// A string member; empty where there is none.
pub(crate) fn string(message: &DynamicMessage, name: &str) -> String {
    match member(message, name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// A uint32 member.
pub(crate) fn number(message: &DynamicMessage, name: &str) -> Option<u32> {
    match member(message, name)? {
        Value::U32(number) => Some(number),
        _ => None,
    }
}

/// A bool member; false where there is none.
pub(crate) fn truth(message: &DynamicMessage, name: &str) -> bool {
    matches!(member(message, name), Some(Value::Bool(true)))
}

/// The name of an enum member's value: `None` where the enum does not name it.
pub(crate) fn enumerated(message: &DynamicMessage, name: &str) -> Option<String> {
    let field = message.descriptor().get_field_by_name(name)?;
    let (Kind::Enum(of), Value::EnumNumber(number)) = (field.kind(), member(message, name)?) else {
        return None;
    };
    named(&of, number)
}

fn named(of: &EnumDescriptor, number: i32) -> Option<String> {
    Some(of.get_value(number)?.name().to_owned())
}

/// The messages of a repeated member.
pub(crate) fn messages(message: &DynamicMessage, name: &str) -> Vec<DynamicMessage> {
    match member(message, name) {
        Some(Value::List(values)) => values
            .into_iter()
            .filter_map(|value| match value {
                Value::Message(message) => Some(message),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The strings of a repeated member.
pub(crate) fn strings(message: &DynamicMessage, name: &str) -> Vec<String> {
    match member(message, name) {
        Some(Value::List(values)) => values
            .into_iter()
            .filter_map(|value| match value {
                Value::String(text) => Some(text),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}
