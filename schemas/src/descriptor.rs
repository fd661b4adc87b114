//! Descriptor sets.

use prost_reflect::MessageDescriptor;

/// A message and the set that describes it.
#[derive(Clone, Debug)]
pub struct Described {
    /// The message that `schema_id` names.
    pub message: MessageDescriptor,
}
