//! What the pool takes for granted of a file's descriptor, and a recording need not keep
//! to: that a compiler made it.

use ca3_wire::protobuf::{Value, fields};

/// The messages of `google/protobuf/descriptor.proto` that lead to options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Message,
    Field,
    Oneof,
    Range,
    Enum,
    EnumValue,
    Service,
    Method,
    Options,
}

/// Which field of which message holds which.
const HELD: [(Kind, u64, Kind); 19] = [
    (Kind::File, 4, Kind::Message),
    (Kind::File, 5, Kind::Enum),
    (Kind::File, 6, Kind::Service),
    (Kind::File, 7, Kind::Field),
    (Kind::File, 8, Kind::Options),
    (Kind::Message, 2, Kind::Field),
    (Kind::Message, 3, Kind::Message),
    (Kind::Message, 4, Kind::Enum),
    (Kind::Message, 5, Kind::Range),
    (Kind::Message, 6, Kind::Field),
    (Kind::Message, 7, Kind::Options),
    (Kind::Message, 8, Kind::Oneof),
    (Kind::Field, 8, Kind::Options),
    (Kind::Oneof, 2, Kind::Options),
    (Kind::Range, 3, Kind::Options),
    (Kind::Enum, 2, Kind::EnumValue),
    (Kind::Enum, 3, Kind::Options),
    (Kind::Service, 2, Kind::Method),
    (Kind::Service, 3, Kind::Options),
];
/// The options of values and methods, which have other numbers.
const LAST: [(Kind, u64); 2] = [(Kind::EnumValue, 3), (Kind::Method, 4)];
/// Of every kind of options: those that the parser left for the compiler.
const UNINTERPRETED: u64 = 999;

/// DescriptorProto.extension_range, reserved_range and reserved_name.
const RANGES: [u64; 3] = [5, 9, 10];
/// How many of these a file may have.
const MOST_RANGES: usize = 1024;

/// Why the pool cannot be asked about a file, by the bytes of its descriptor; in the
/// words of a sentence about the file.
pub(crate) fn lacking(file: &[u8], syntax: &str) -> Option<String> {
    if !matches!(syntax, "" | "proto2" | "proto3") {
        return Some(format!("is of the unknown syntax {syntax:?}"));
    }
    let mut ranges = 0_usize;
    // Not by recursion: messages nest.
    let mut ahead = vec![(Kind::File, file)];
    while let Some((kind, bytes)) = ahead.pop() {
        if kind == Kind::Message && !is_sound_entry(bytes) {
            return Some("has a map whose entries are no pairs of a key and a value".to_owned());
        }
        for field in fields(bytes) {
            let Ok((number, value)) = field else {
                return Some("does not decode".to_owned());
            };
            let Value::Bytes(bytes) = value else { continue };
            // Each field is held against each of these.
            if kind == Kind::Message && RANGES.contains(&number) {
                ranges = ranges.saturating_add(1);
                if ranges > MOST_RANGES {
                    return Some(format!(
                        "reserves more than {MOST_RANGES} ranges of numbers"
                    ));
                }
            }
            // The pool would interpret them, and reads their values by recursion.
            if kind == Kind::Options && number == UNINTERPRETED {
                return Some("has options that no compiler interpreted".to_owned());
            }
            let held = HELD
                .iter()
                .find(|(holder, at, _)| *holder == kind && *at == number)
                .map(|(_, _, held)| *held);
            let options = LAST.contains(&(kind, number)).then_some(Kind::Options);
            if let Some(held) = held.or(options) {
                ahead.push((held, bytes));
            }
        }
    }
    None
}

/// Whether a message is no entry of a map, or one as compilers write it: the pool looks
/// for both of its fields, and takes keys of any type for one that keys may be of.
fn is_sound_entry(message: &[u8]) -> bool {
    const FIELD: u64 = 2;
    const OPTIONS: u64 = 7;
    const MAP_ENTRY: u64 = 7;
    let within = |number: u64| {
        fields(message)
            .flatten()
            .filter(move |(at, _)| *at == number)
            .filter_map(|(_, value)| value.bytes())
    };
    let is_entry = within(OPTIONS)
        .flat_map(fields)
        .flatten()
        .any(|(number, value)| number == MAP_ENTRY && value != Value::Varint(0));
    if !is_entry {
        return true;
    }
    let declared: Vec<Declared> = within(FIELD).map(Declared::read).collect();
    match declared.as_slice() {
        [a, b] => {
            let (key, value) = if a.number == 1 { (a, b) } else { (b, a) };
            let is_pair = key.number == 1 && value.number == 2;
            is_pair && !key.is_repeated && !value.is_repeated && key.may_be_key()
        }
        _ => false,
    }
}

/// What a field declares, as far as an entry needs it.
#[derive(Default)]
struct Declared {
    number: u64,
    is_repeated: bool,
    of: u64,
}

impl Declared {
    fn read(field: &[u8]) -> Self {
        const NUMBER: u64 = 3;
        const LABEL: u64 = 4;
        const REPEATED: u64 = 3;
        const TYPE: u64 = 5;
        let mut declared = Declared::default();
        for (number, value) in fields(field).flatten() {
            match (number, value) {
                (NUMBER, Value::Varint(number)) => declared.number = number,
                (LABEL, Value::Varint(label)) => declared.is_repeated = label == REPEATED,
                (TYPE, Value::Varint(of)) => declared.of = of,
                _ => {}
            }
        }
        declared
    }

    /// Integers, bool and string: of FieldDescriptorProto.Type, neither floating point
    /// (1, 2), nor a group, a message, bytes or an enum (10, 11, 12, 14).
    fn may_be_key(&self) -> bool {
        matches!(self.of, 3..=9 | 13 | 15..=18)
    }
}
