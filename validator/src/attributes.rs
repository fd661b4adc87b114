//! The attributes of events (§12), by reading G102: those of the field
//! `map<string, string> attributes`, which a descriptor set gives a number.

use std::collections::BTreeMap;

use ca3_wire::protobuf::{Malformed, Value, fields};

/// Numbers of fields in `google/protobuf/descriptor.proto`.
mod number {
    /// FileDescriptorSet.file
    pub(super) const FILE: u64 = 1;
    /// FileDescriptorProto.package
    pub(super) const PACKAGE: u64 = 2;
    /// FileDescriptorProto.message_type
    pub(super) const MESSAGE: u64 = 4;
    /// The name of any declaration.
    pub(super) const NAME: u64 = 1;
    /// DescriptorProto.field
    pub(super) const FIELD: u64 = 2;
    /// DescriptorProto.nested_type
    pub(super) const NESTED: u64 = 3;
    /// DescriptorProto.options
    pub(super) const OPTIONS: u64 = 7;
    /// MessageOptions.map_entry
    pub(super) const MAP_ENTRY: u64 = 7;
    /// FieldDescriptorProto.number
    pub(super) const FIELD_NUMBER: u64 = 3;
    /// FieldDescriptorProto.label
    pub(super) const LABEL: u64 = 4;
    /// FieldDescriptorProto.type
    pub(super) const TYPE: u64 = 5;
    /// FieldDescriptorProto.type_name
    pub(super) const TYPE_NAME: u64 = 6;
}

const REPEATED: Value<'static> = Value::Varint(3);
const STRING: Value<'static> = Value::Varint(9);
const MESSAGE: Value<'static> = Value::Varint(11);
const TRUE: Value<'static> = Value::Varint(1);

/// The name that an event's attributes go by.
const ATTRIBUTES: &[u8] = b"attributes";

/// The number of the field that holds the attributes of a message of this
/// name, where the descriptor set declares one.
pub(crate) fn field_number(descriptor: &[u8], schema_id: &str) -> Option<u64> {
    let message = all(descriptor, number::FILE).find_map(|file| message(file, schema_id))?;
    let field = all(message, number::FIELD)
        .find(|field| last(field, number::NAME) == Some(Value::Bytes(ATTRIBUTES)))?;
    let entry_name = last(field, number::TYPE_NAME)?.bytes()?;
    let is_map = last(field, number::LABEL) == Some(REPEATED)
        && last(field, number::TYPE) == Some(MESSAGE)
        && all(message, number::NESTED).any(|entry| {
            let name = last(entry, number::NAME).and_then(Value::bytes);
            let full = [b".", schema_id.as_bytes(), b".", name.unwrap_or_default()];
            full.concat() == entry_name && is_string_entry(entry)
        });
    match last(field, number::FIELD_NUMBER)? {
        Value::Varint(number) if is_map => Some(number),
        _ => None,
    }
}

/// The DescriptorProto of a fully-qualified name, where a file declares it.
fn message<'b>(file: &'b [u8], full_name: &str) -> Option<&'b [u8]> {
    let package = last(file, number::PACKAGE)
        .and_then(Value::bytes)
        .unwrap_or_default();
    let name = full_name.as_bytes().strip_prefix(package)?;
    let name = match (package.is_empty(), name) {
        (true, name) => name,
        (false, [b'.', name @ ..]) => name,
        (false, _) => return None,
    };
    let mut within = (file, number::MESSAGE);
    for part in name.split(|byte| *byte == b'.') {
        let found = all(within.0, within.1)
            .find(|it| last(it, number::NAME) == Some(Value::Bytes(part)))?;
        within = (found, number::NESTED);
    }
    Some(within.0)
}

/// Whether a message is what the compiler makes of `map<string, string>`.
fn is_string_entry(entry: &[u8]) -> bool {
    let options = last(entry, number::OPTIONS).and_then(Value::bytes);
    let is_entry = options.and_then(|options| last(options, number::MAP_ENTRY)) == Some(TRUE);
    is_entry
        && [1, 2].into_iter().all(|wanted| {
            all(entry, number::FIELD).any(|field| {
                last(field, number::FIELD_NUMBER) == Some(Value::Varint(wanted))
                    && last(field, number::TYPE) == Some(STRING)
            })
        })
}

/// What stands in a field of wire type 2, as often as it stands there.
fn all(message: &[u8], wanted: u64) -> impl Iterator<Item = &[u8]> {
    fields(message)
        .map_while(Result::ok)
        .filter(move |(number, _)| *number == wanted)
        .filter_map(|(_, value)| value.bytes())
}

/// A singular field: the last one counts.
fn last(message: &[u8], wanted: u64) -> Option<Value<'_>> {
    fields(message)
        .map_while(Result::ok)
        .filter(|(number, _)| *number == wanted)
        .last()
        .map(|(_, value)| value)
}

/// The attributes of an event whose schema has them in this field.
pub(crate) fn of(payload: &[u8], field: u64) -> Result<BTreeMap<&str, &str>, Malformed> {
    let mut attributes = BTreeMap::new();
    for read in fields(payload) {
        let (number, value) = read?;
        let Some(entry) = value.bytes().filter(|_| number == field) else {
            continue;
        };
        let (mut key, mut text) = ("", "");
        for read in fields(entry) {
            let (number, value) = read?;
            let place = match number {
                1 => &mut key,
                2 => &mut text,
                _ => continue,
            };
            let bytes = value.bytes().ok_or(Malformed)?;
            *place = std::str::from_utf8(bytes).map_err(|_| Malformed)?;
        }
        attributes.insert(key, text);
    }
    Ok(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(number: u8, body: &[u8]) -> Vec<u8> {
        let length = u8::try_from(body.len()).unwrap();
        [&[number << 3 | 2, length], body].concat()
    }

    fn declared(name: &str, number: u8, label: u8, kind: u8, of: &str) -> Vec<u8> {
        [
            counted(1, name.as_bytes()),
            vec![3 << 3, number, 4 << 3, label, 5 << 3, kind],
            counted(6, of.as_bytes()),
        ]
        .concat()
    }

    /// `package p; message M { map<string, V> attributes = 5; }`, V a string
    /// where `value` is 9.
    fn set(value: u8, map_entry: u8) -> Vec<u8> {
        let entry = [
            counted(1, b"AttributesEntry"),
            counted(2, &declared("key", 1, 1, 9, "")),
            counted(2, &declared("value", 2, 1, value, "")),
            counted(7, &[7 << 3, map_entry]),
        ]
        .concat();
        let field = declared("attributes", 5, 3, 11, ".p.M.AttributesEntry");
        let message = [counted(1, b"M"), counted(2, &field), counted(3, &entry)].concat();
        let file = [counted(2, b"p"), counted(4, &message)].concat();
        let message = counted(1, &counted(4, &counted(1, b"Other")));
        // Behind a file that declares something else.
        let length = u8::try_from(file.len()).unwrap();
        let long = [&[1 << 3 | 2, length & 0x7F | 0x80, length >> 7][..], &file].concat();
        [message, long].concat()
    }

    #[test]
    fn the_number_is_the_descriptors() {
        assert_eq!(field_number(&set(9, 1), "p.M"), Some(5));
        for name in ["M", "p.N", "p.M.AttributesEntry", "pp.M", "p", ""] {
            assert_eq!(field_number(&set(9, 1), name), None, "{name}");
        }
    }

    #[test]
    fn another_map_and_a_plain_message_are_no_attributes() {
        assert_eq!(field_number(&set(3, 1), "p.M"), None);
        assert_eq!(field_number(&set(9, 0), "p.M"), None);
        assert_eq!(field_number(&[0xFF; 20], "p.M"), None);
    }

    #[test]
    fn the_last_of_one_key_counts_and_what_is_left_out_is_empty() {
        let payload = [
            counted(5, &[counted(1, b"k"), counted(2, b"first")].concat()),
            counted(4, b"\xFF"),
            counted(5, &[counted(1, b"k"), counted(2, b"last")].concat()),
            counted(5, &counted(1, b"bare")),
        ]
        .concat();
        let attributes = of(&payload, 5).unwrap();
        assert_eq!(attributes, BTreeMap::from([("bare", ""), ("k", "last")]));
        assert_eq!(of(&counted(5, &counted(1, b"\xFF")), 5), Err(Malformed));
        assert_eq!(of(&payload[..3], 5), Err(Malformed));
    }
}
