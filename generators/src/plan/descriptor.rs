//! Descriptor sets, written field by field (`google/protobuf/descriptor.proto`).

use super::varint;

const OPTIONAL: u8 = 1;
const REPEATED: u8 = 3;
const INT64: u8 = 3;
const STRING: u8 = 9;
const MESSAGE: u8 = 11;

/// A field of wire type 2: a length and that many bytes.
pub(crate) fn counted(number: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    out.extend(varint(u64::try_from(body.len()).unwrap_or(u64::MAX)));
    out.extend_from_slice(body);
    out
}

/// A FieldDescriptorProto.
fn field(name: &str, number: u8, label: u8, kind: u8, type_name: Option<&str>) -> Vec<u8> {
    [
        counted(1, name.as_bytes()),
        vec![3 << 3, number],
        vec![4 << 3, label],
        vec![5 << 3, kind],
        type_name.map_or_else(Vec::new, |name| counted(6, name.as_bytes())),
        counted(10, name.as_bytes()),
    ]
    .concat()
}

/// The set of one proto3 file of the package `ca3.conformance.v1` that
/// declares one message by this DescriptorProto.
fn set(message: &str, declared: &[u8]) -> Vec<u8> {
    let name = format!("ca3/conformance/v1/{}.proto", message.to_lowercase());
    let file = [
        counted(1, name.as_bytes()),
        counted(2, b"ca3.conformance.v1"),
        counted(4, declared),
        counted(12, b"proto3"),
    ]
    .concat();
    counted(1, &file)
}

/// One message with the field `int64 value = 1`.
pub(crate) fn sample(message: &str) -> Vec<u8> {
    let value = field("value", 1, OPTIONAL, INT64, None);
    let declared = [counted(1, message.as_bytes()), counted(2, &value)].concat();
    set(message, &declared)
}

/// One message with the field `map<string, string> attributes` of this number.
pub(crate) fn event(message: &str, number: u8) -> Vec<u8> {
    let entry = [
        counted(1, b"AttributesEntry"),
        counted(2, &field("key", 1, OPTIONAL, STRING, None)),
        counted(2, &field("value", 2, OPTIONAL, STRING, None)),
        counted(7, &[7 << 3, 1]), // map_entry = true
    ]
    .concat();
    let of_entries = format!(".ca3.conformance.v1.{message}.AttributesEntry");
    let attributes = field("attributes", number, REPEATED, MESSAGE, Some(&of_entries));
    let declared = [
        counted(1, message.as_bytes()),
        counted(2, &attributes),
        counted(3, &entry),
    ]
    .concat();
    set(message, &declared)
}

/// An Event's payload: these attributes, in this order.
pub fn event_payload(attributes: &[(&str, &str)]) -> Vec<u8> {
    attributes_in(1, attributes)
}

/// These attributes in the field of this number.
pub fn attributes_in(number: u8, attributes: &[(&str, &str)]) -> Vec<u8> {
    attributes
        .iter()
        .flat_map(|(key, value)| {
            let entry = [counted(1, key.as_bytes()), counted(2, value.as_bytes())].concat();
            counted(number, &entry)
        })
        .collect()
}
