//! Payloads by chance.

use fastrand::Rng;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value};

/// A message whose fields are set by chance, to values of their types.
pub(crate) fn message(of: &MessageDescriptor, random: &mut Rng, depth: u32) -> DynamicMessage {
    let mut message = DynamicMessage::new(of.clone());
    for field in of.fields() {
        let is_message = matches!(field.kind(), Kind::Message(_));
        let skip = if field.is_required() {
            random.u8(..20) == 0
        } else {
            random.u8(..10)
                < if is_message {
                    3 + (depth as u8).min(6)
                } else {
                    3
                }
        };
        // A required message too deep down is left out all the same.
        if skip || is_message && depth > 3 {
            continue;
        }
        let value = if field.is_map() {
            let Kind::Message(entry) = field.kind() else {
                continue;
            };
            let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
            let entries = (0..random.usize(0..4)).filter_map(|_| {
                let key = MapKey::from_value(single(&key, random, depth))?;
                Some((key, single(&value, random, depth)))
            });
            Value::Map(entries.collect())
        } else if field.is_list() {
            let most = if is_message || random.bool() { 4 } else { 11 };
            let count = random.usize(0..most);
            Value::List((0..count).map(|_| single(&field, random, depth)).collect())
        } else {
            single(&field, random, depth)
        };
        message.set_field(&field, value);
    }
    message
}

trait FromValue: Sized {
    fn from_value(value: Value) -> Option<Self>;
}

impl FromValue for MapKey {
    fn from_value(value: Value) -> Option<Self> {
        Some(match value {
            Value::Bool(value) => MapKey::Bool(value),
            Value::I32(value) => MapKey::I32(value),
            Value::I64(value) => MapKey::I64(value),
            Value::U32(value) => MapKey::U32(value),
            Value::U64(value) => MapKey::U64(value),
            Value::String(value) => MapKey::String(value),
            _ => return None,
        })
    }
}

fn single(field: &FieldDescriptor, random: &mut Rng, depth: u32) -> Value {
    // Small numbers are lengths, large ones take long varints.
    let number = if random.bool() {
        random.u64(0..6)
    } else {
        random.u64(..) >> random.u32(0..64)
    };
    let low = number as u32;
    match field.kind() {
        Kind::Double => Value::F64(random.f64()),
        Kind::Float => Value::F32(random.f32()),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(low.cast_signed()),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(number.cast_signed()),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(low),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(number),
        Kind::Bool => Value::Bool(random.bool()),
        Kind::String => {
            let length = random.usize(0..12);
            Value::String((0..length).map(|_| random.char(..)).collect())
        }
        Kind::Bytes => {
            let length = if random.bool() {
                // What a block may have.
                8 * random.usize(0..4)
            } else {
                random.usize(0..40)
            };
            Value::Bytes(
                (0..length)
                    .map(|_| random.u8(..))
                    .collect::<Vec<u8>>()
                    .into(),
            )
        }
        Kind::Enum(of) => {
            let values: Vec<i32> = of.values().map(|value| value.number()).collect();
            if random.u8(..10) == 0 {
                Value::EnumNumber(random.i32(-3..12))
            } else {
                Value::EnumNumber(values[random.usize(..values.len())])
            }
        }
        Kind::Message(of) => Value::Message(message(&of, random, depth + 1)),
    }
}

/// Some bytes of a payload changed, cut, put in, or taken from another.
pub(crate) fn spoil(payload: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    for _ in 0..random.usize(1..3) {
        let at = random.usize(0..=payload.len());
        match random.u8(..7) {
            0 if !payload.is_empty() => {
                let at = random.usize(..payload.len());
                payload[at] ^= 1 << random.u8(..8);
            }
            1 if !payload.is_empty() => {
                let at = random.usize(..payload.len());
                payload[at] = random.u8(..);
            }
            2 => payload.truncate(at),
            3 => payload.insert(at, random.u8(..)),
            4 if !payload.is_empty() => {
                payload.remove(random.usize(..payload.len()));
            }
            5 => {
                let from = random.usize(0..=other.len());
                let to = random.usize(from..=other.len());
                payload.splice(at..at, other[from..to].iter().copied());
            }
            _ => payload.extend_from_slice(other),
        }
    }
}
