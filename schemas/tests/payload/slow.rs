//! The counts of a payload, judged once more: from a decoded message, by the options as
//! they stand, and by nothing of the plan.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _, Value};

/// What is wrong with a message and those within, sorted: rule and path.
pub(crate) fn judge(message: &DynamicMessage) -> Vec<String> {
    let mut found = Vec::new();
    go(message, &mut found);
    found.sort();
    found
}

fn go(message: &DynamicMessage, found: &mut Vec<String>) {
    let descriptor = message.descriptor();
    for field in descriptor.fields() {
        let mut add = |rule: &str| {
            let parent = descriptor.full_name().strip_prefix("t.").unwrap();
            found.push(format!("{rule} {parent}.{}", field.name()));
        };
        if field.is_required() && !message.has_field(&field) {
            add("5.1-15");
        }
        for value in values(message, &field) {
            if let (Value::EnumNumber(number), Kind::Enum(of)) = (&value, kind(&field))
                && of.get_value(*number).is_none()
                && message.has_field(&field)
            {
                add("5.2-11");
            }
        }
        if field.is_list() {
            let wanted = option(&field, "cardinality").and_then(|it| it.as_u32());
            let wanted = wanted.unwrap_or_default();
            let count = amount(message, &field);
            let along = covered(&field)
                .is_some_and(|over| amount(message, &over) == 0 && said_absent(message, &over));
            let excused = count == 0 && (said_absent(message, &field) || along);
            if wanted > 0 && count != wanted as usize && !excused {
                add("5.3-03");
            }
        }
        if let Some(over) = covered(&field) {
            channel(message, &field, &over, &mut add);
        }
    }
    block(message, found);
    for field in descriptor.fields() {
        // An absent message is not judged.
        if message.has_field(&field) {
            for value in values(message, &field) {
                if let Value::Message(inner) = value {
                    go(&inner, found);
                }
            }
        }
    }
}

fn channel(
    message: &DynamicMessage,
    field: &FieldDescriptor,
    over: &FieldDescriptor,
    add: &mut impl FnMut(&str),
) {
    let content = amount(message, over);
    let is_block = over.kind() == Kind::Bytes;
    if field.kind() == Kind::Bool && !field.is_list() {
        let says = message.get_field(field).as_bool().unwrap();
        if (over.is_list() || is_block) && !says && content > 0 {
            add("5.6-06");
        }
        return;
    }
    let entries = amount(message, field);
    let packed = field.kind() == Kind::Bytes;
    let fits = |elements: usize| {
        entries
            == if packed {
                elements.div_ceil(8)
            } else {
                elements
            }
    };
    let declared = option(over, "cardinality").map_or(0, |it| it.as_u32().unwrap()) as usize;
    if is_block {
        let (empty, in_full) = (content == 0, fits(declared));
        if !(in_full || empty && entries == 0) {
            add("5.6-03");
        }
    } else if over.is_list() {
        let own = option(field, "cardinality").map_or(0, |it| it.as_u32().unwrap()) as usize;
        let full = if declared > 0 { declared } else { own };
        let left_out = content == 0 && said_absent(message, over);
        let in_full = option(field, "cardinality").is_some() && fits(full);
        if !(fits(content) || left_out && in_full) {
            add("5.6-03");
        }
    }
}

/// §5.8-24 for forms whose axes have one of the lengths: a number, `from_repeated`,
/// `length_from`.
fn block(message: &DynamicMessage, found: &mut Vec<String>) {
    let descriptor = message.descriptor();
    let options = descriptor.options();
    let form = options
        .extensions()
        .find(|(extension, _)| extension.name() == "tensor_form")
        .map(|(_, value)| value.as_message().unwrap().clone());
    let Some(form) = form else { return };
    let name = form
        .get_field_by_name("block")
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let Some(field) = descriptor.get_field_by_name(&name) else {
        return;
    };
    let width = match form
        .get_field_by_name("element_type")
        .unwrap()
        .as_enum_number()
    {
        Some(1) => 4,
        Some(3) => 1,
        other => panic!("{other:?}"),
    };
    let mut bytes = Some(width as i128);
    for axis in form.get_field_by_name("axes").unwrap().as_list().unwrap() {
        let axis = axis.as_message().unwrap();
        let text = |name: &str| {
            let text = axis
                .get_field_by_name(name)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned();
            Some(text).filter(|text| !text.is_empty())
        };
        let length = if let Some(path) = text("length_from").or(text("from_repeated")) {
            match at(message, &path) {
                Value::List(values) => values.len() as i128,
                Value::U32(value) => i128::from(value),
                Value::U64(value) => i128::from(value),
                Value::I32(value) => i128::from(value),
                Value::I64(value) => i128::from(value),
                other => panic!("{other:?}"),
            }
        } else {
            i128::from(axis.get_field_by_name("length").unwrap().as_u32().unwrap())
        };
        bytes = bytes
            .filter(|_| length >= 0)
            .map(|bytes| bytes.saturating_mul(length));
    }
    let stands = amount(message, &field);
    let excused = stands == 0 && said_absent(message, &field)
        || field.supports_presence() && !message.has_field(&field);
    if !excused && bytes != Some(stands as i128) {
        let parent = descriptor.full_name().strip_prefix("t.").unwrap();
        found.push(format!("5.8-24 {parent}.{name}"));
    }
}

/// The value at the end of a path of single messages.
fn at(message: &DynamicMessage, path: &str) -> Value {
    match path.split_once('.') {
        None => message.get_field_by_name(path).unwrap().into_owned(),
        Some((first, rest)) => {
            let value = message.get_field_by_name(first).unwrap();
            at(value.as_message().unwrap(), rest)
        }
    }
}

/// Whether a single bool that covers a field is false.
fn said_absent(message: &DynamicMessage, field: &FieldDescriptor) -> bool {
    message.descriptor().fields().any(|channel| {
        channel.kind() == Kind::Bool
            && !channel.is_list()
            && covered(&channel).is_some_and(|over| over == *field)
            && message.get_field(&channel).as_bool() == Some(false)
    })
}

fn covered(field: &FieldDescriptor) -> Option<FieldDescriptor> {
    let name = option(field, "validity_for")?;
    field.parent_message().get_field_by_name(name.as_str()?)
}

fn option(field: &FieldDescriptor, name: &str) -> Option<Value> {
    field
        .options()
        .extensions()
        .find(|(extension, _)| extension.name() == name)
        .map(|(_, value)| value.clone())
}

/// Elements of a list or bytes.
fn amount(message: &DynamicMessage, field: &FieldDescriptor) -> usize {
    match message.get_field(field).as_ref() {
        Value::List(values) => values.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 1,
    }
}

/// A single value, or those of a list or a map.
fn values(message: &DynamicMessage, field: &FieldDescriptor) -> Vec<Value> {
    match message.get_field(field).into_owned() {
        Value::List(values) => values,
        Value::Map(entries) => entries.into_values().collect(),
        value => vec![value],
    }
}

/// Of a map, the kind of its values.
fn kind(field: &FieldDescriptor) -> Kind {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => entry.map_entry_value_field().kind(),
        kind => kind,
    }
}
