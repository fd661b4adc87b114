//! Where the paths of a form lead (readings G67, G81).

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::options;

/// The longest path, in fields.
const LONGEST: usize = 32;

/// A unit, and whether the field itself states it or one on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) unit: String,
    pub(crate) inherited: bool,
}

/// A field that a path leads to.
pub(crate) struct Reached {
    pub(crate) field: FieldDescriptor,
    /// The unit that holds for it: its own, or the nearest on the path.
    pub(crate) unit: Option<Stated>,
    /// The numbers of the fields that lead to it, each a single message.
    pub(crate) way: Vec<u32>,
}

/// The field that a dotted path leads to from a message. A repeated field ends a path:
/// what is behind it is many.
pub(crate) fn resolve(from: &MessageDescriptor, path: &str) -> Option<Reached> {
    let mut message = from.clone();
    let mut unit = None;
    let mut way = Vec::new();
    let mut parts = path.split('.').take(LONGEST).peekable();
    while let Some(part) = parts.next() {
        let field = message.get_field_by_name(part)?;
        if let Some(own) = options::of_field(&field).unit {
            let inherited = parts.peek().is_some();
            unit = Some(Stated {
                unit: own,
                inherited,
            });
        }
        if parts.peek().is_none() {
            return Some(Reached { field, unit, way });
        }
        way.push(field.number());
        message = match field.kind() {
            Kind::Message(of) if !field.is_list() && !field.is_map() => of,
            _ => return None,
        };
    }
    None
}
