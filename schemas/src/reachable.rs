//! The messages that a schema is made of.

use std::collections::HashSet;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::descriptor::FOREIGN;

/// Whether a message is one of protobuf's own, such as `google.protobuf.Struct`.
pub(crate) fn is_protobufs(message: &MessageDescriptor) -> bool {
    message.parent_file().name().starts_with(FOREIGN)
}

/// The described message and every message that its fields lead to, each once; not
/// the entries of maps, whose values count as the map field's own, nor protobuf's own.
pub(crate) fn messages(root: &MessageDescriptor) -> Vec<MessageDescriptor> {
    let mut met = HashSet::from([root.full_name().to_owned()]);
    let mut found = vec![root.clone()];
    let mut next = 0;
    while let Some(message) = found.get(next).cloned() {
        next = next.saturating_add(1);
        for field in message.fields() {
            if let Kind::Message(of) = held(&field)
                && !is_protobufs(&of)
                && met.insert(of.full_name().to_owned())
            {
                found.push(of);
            }
        }
    }
    found
}

/// What a field holds: of a map, what its values are.
pub(crate) fn held(field: &FieldDescriptor) -> Kind {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => entry.map_entry_value_field().kind(),
        kind => kind,
    }
}
