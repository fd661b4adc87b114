//! The declarations of two descriptors, one by one.

use std::collections::{BTreeMap, BTreeSet};

use ca3_reports::comparison::{Difference, DifferenceKind};
use prost_reflect::{Cardinality, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};

use super::{Differences, Opened};
use crate::declarations::kind_name;
use crate::descriptor::FOREIGN;
use crate::form::Form;
use crate::options;
use crate::reachable::{self, held};
use crate::unit::{Relation, Unit};

/// Compares every message and enum that either declares.
pub(super) fn differences(a: &Opened, b: &Opened, found: &mut Differences) {
    let mut in_payload = BTreeSet::new();
    let mut order = Vec::new();
    for (_, message) in [a, b] {
        for message in reachable::messages(message) {
            if in_payload.insert(message.full_name().to_owned()) {
                order.push(message.full_name().to_owned());
            }
            for field in message.fields() {
                if let Kind::Enum(of) = held(&field) {
                    in_payload.insert(of.full_name().to_owned());
                }
            }
        }
    }
    let mut sides = Sides {
        package: a.1.package_name(),
        in_payload: &in_payload,
        found,
    };
    let messages = |opened: &Opened| -> BTreeMap<String, MessageDescriptor> {
        opened
            .0
            .all_messages()
            .filter(|message| !message.is_map_entry())
            .filter(|message| !message.parent_file().name().starts_with(FOREIGN))
            .map(|message| (message.full_name().to_owned(), message))
            .collect()
    };
    let (of_a, of_b) = (messages(a), messages(b));
    // In the order in which payloads lead to them, then by name.
    let rest: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    let rest = rest.into_iter().filter(|name| !in_payload.contains(*name));
    for name in order.iter().chain(rest) {
        match (of_a.get(name), of_b.get(name)) {
            (Some(a), Some(b)) => sides.messages(a, b),
            (Some(a), None) => sides.lone(a, "A", &of_b),
            (None, Some(b)) => sides.lone(b, "B", &of_a),
            (None, None) => {}
        }
    }
    let enums = |opened: &Opened| -> BTreeMap<String, EnumDescriptor> {
        opened
            .0
            .all_enums()
            .filter(|of| !of.parent_file().name().starts_with(FOREIGN))
            .map(|of| (of.full_name().to_owned(), of))
            .collect()
    };
    let (of_a, of_b) = (enums(a), enums(b));
    let names: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    for name in names {
        match (of_a.get(name), of_b.get(name)) {
            (Some(a), Some(b)) => sides.enums(a, b),
            (Some(a), None) => sides.lone_enum(a, "A"),
            (None, Some(b)) => sides.lone_enum(b, "B"),
            (None, None) => {}
        }
    }
}

struct Sides<'a> {
    /// Of the described message; paths are told without it.
    package: &'a str,
    in_payload: &'a BTreeSet<String>,
    found: &'a mut Differences,
}

/// Something in which a field differs.
struct Part<'a> {
    kind: DifferenceKind,
    what: &'a str,
    a: String,
    b: String,
    /// How the two stand to each other.
    relation: Option<String>,
}

impl Sides<'_> {
    fn short<'n>(&self, full_name: &'n str) -> &'n str {
        full_name
            .strip_prefix(self.package)
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(full_name)
    }

    /// A difference at something declared below `holder`, a message or an enum.
    fn add(
        &mut self,
        file: &str,
        holder: &str,
        kind: DifferenceKind,
        path: String,
        (a, b): (Option<String>, Option<String>),
        message: String,
    ) {
        let difference = Difference {
            kind,
            path,
            a,
            b,
            message,
            in_payload: self.in_payload.contains(holder),
        };
        self.found.add_in(file, difference);
    }

    /// A message that only one declares, told with the outermost one of it.
    fn lone(
        &mut self,
        message: &MessageDescriptor,
        letter: &str,
        other: &BTreeMap<String, MessageDescriptor>,
    ) {
        let file = message.parent_file();
        let parent = message.parent_message();
        if parent.is_some_and(|parent| !other.contains_key(parent.full_name())) {
            return;
        }
        let name = message.full_name();
        let path = self.short(name).to_owned();
        let sides = on_one_side(letter, name);
        let text = format!("a message that only {letter} declares");
        self.add(
            file.name(),
            name,
            DifferenceKind::Message,
            path,
            sides,
            text,
        );
    }

    fn lone_enum(&mut self, of: &EnumDescriptor, letter: &str) {
        let (file, name) = (of.parent_file(), of.full_name());
        let path = self.short(name).to_owned();
        let sides = on_one_side(letter, name);
        let text = format!("an enum that only {letter} declares");
        self.add(file.name(), name, DifferenceKind::Enum, path, sides, text);
    }

    fn messages(&mut self, a: &MessageDescriptor, b: &MessageDescriptor) {
        let mut paired = BTreeSet::new();
        for field in a.fields() {
            let same_name = b.get_field_by_name(field.name());
            // Another name at the same number is a new name, unless A has a field of
            // that name too.
            let same_number = || {
                b.get_field(field.number())
                    .filter(|other| a.get_field_by_name(other.name()).is_none())
            };
            match same_name.or_else(same_number) {
                Some(other) => {
                    paired.insert(other.number());
                    self.fields(a, &field, &other);
                }
                None => self.lone_field(&field, "A"),
            }
        }
        for field in b.fields() {
            if !paired.contains(&field.number()) {
                self.lone_field(&field, "B");
            }
        }
        self.forms(a, b);
    }

    fn lone_field(&mut self, field: &FieldDescriptor, letter: &str) {
        let (file, holder) = (field.parent_file(), field.parent_message());
        let path = format!("{}.{}", self.short(holder.full_name()), field.name());
        let shown = format!("{} {} = {}", type_name(field), field.name(), field.number());
        let sides = on_one_side(letter, &shown);
        let text = format!("a field that only {letter} declares: {shown}");
        self.add(
            file.name(),
            holder.full_name(),
            DifferenceKind::Field,
            path,
            sides,
            text,
        );
    }

    fn fields(&mut self, holder: &MessageDescriptor, a: &FieldDescriptor, b: &FieldDescriptor) {
        let (of_a, of_b) = (options::of_field(a), options::of_field(b));
        let stated = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        let elements = |value: Option<u32>| match value {
            None => "none".to_owned(),
            Some(0) => "0 (it varies)".to_owned(),
            Some(number) => number.to_string(),
        };
        let plain = |kind, what, a, b| Part {
            kind,
            what,
            a,
            b,
            relation: None,
        };
        let relation = of_a.unit.as_deref().zip(of_b.unit.as_deref());
        let parts = [
            plain(
                DifferenceKind::FieldName,
                "name",
                a.name().to_owned(),
                b.name().to_owned(),
            ),
            plain(
                DifferenceKind::Number,
                "number",
                a.number().to_string(),
                b.number().to_string(),
            ),
            plain(DifferenceKind::Type, "type", type_name(a), type_name(b)),
            plain(DifferenceKind::Label, "label", label(a), label(b)),
            Part {
                relation: relation.map(|(a, b)| stands(a, b)),
                ..plain(
                    DifferenceKind::Unit,
                    "unit",
                    stated(&of_a.unit),
                    stated(&of_b.unit),
                )
            },
            plain(
                DifferenceKind::Frame,
                "frame",
                stated(&of_a.frame),
                stated(&of_b.frame),
            ),
            plain(
                DifferenceKind::ValidityFor,
                "validity_for",
                stated(&of_a.validity_for),
                stated(&of_b.validity_for),
            ),
            plain(
                DifferenceKind::Cardinality,
                "cardinality",
                elements(of_a.cardinality),
                elements(of_b.cardinality),
            ),
        ];
        let path = format!("{}.{}", self.short(holder.full_name()), a.name());
        for part in parts.into_iter().filter(|part| part.a != part.b) {
            let relation = part
                .relation
                .map_or_else(String::new, |relation| format!(": {relation}"));
            let text = format!("{} {} in A, {} in B{relation}", part.what, part.a, part.b);
            self.add(
                holder.parent_file().name(),
                holder.full_name(),
                part.kind,
                path.clone(),
                (Some(part.a), Some(part.b)),
                text,
            );
        }
    }

    fn forms(&mut self, a: &MessageDescriptor, b: &MessageDescriptor) {
        let (of_a, of_b) = (Form::of(a), Form::of(b));
        if of_a == of_b {
            return;
        }
        let shown = |form: &Option<Form>| form.as_ref().map(shape);
        let text = match (&of_a, &of_b) {
            (Some(a), Some(b)) if shape(a) == shape(b) => {
                "tensor form: what its components are taken from differs".to_owned()
            }
            (Some(a), Some(b)) => format!("tensor form {} in A, {} in B", shape(a), shape(b)),
            (Some(a), None) => format!("tensor form {} in A alone", shape(a)),
            (None, Some(b)) => format!("tensor form {} in B alone", shape(b)),
            (None, None) => return,
        };
        let path = self.short(a.full_name()).to_owned();
        self.add(
            a.parent_file().name(),
            a.full_name(),
            DifferenceKind::TensorForm,
            path,
            (shown(&of_a), shown(&of_b)),
            text,
        );
    }

    fn enums(&mut self, a: &EnumDescriptor, b: &EnumDescriptor) {
        let file = a.parent_file();
        let mut add = |name: &str, sides, text| {
            let path = format!("{}.{name}", self.short(a.full_name()));
            let kind = DifferenceKind::Enum;
            self.add(file.name(), a.full_name(), kind, path, sides, text);
        };
        let mut renamed = BTreeSet::new();
        for value in a.values() {
            let (name, number) = (value.name(), value.number());
            if let Some(other) = b.get_value_by_name(name) {
                let other = other.number();
                if other != number {
                    let text = format!("number {number} in A, {other} in B");
                    let sides = (Some(number.to_string()), Some(other.to_string()));
                    add(name, sides, text);
                }
                continue;
            }
            let other = b
                .get_value(number)
                .filter(|other| a.get_value_by_name(other.name()).is_none());
            match other {
                Some(other) => {
                    renamed.insert(other.name().to_owned());
                    let text = format!("the value {number} is {name} in A, {} in B", other.name());
                    let sides = (Some(name.to_owned()), Some(other.name().to_owned()));
                    add(name, sides, text);
                }
                None => {
                    let text = format!("a value that only A declares: {number}");
                    add(name, (Some(number.to_string()), None), text);
                }
            }
        }
        for value in b.values() {
            let name = value.name();
            if a.get_value_by_name(name).is_none() && !renamed.contains(name) {
                let number = value.number();
                let text = format!("a value that only B declares: {number}");
                add(name, (None, Some(number.to_string())), text);
            }
        }
    }
}

fn on_one_side(letter: &str, what: &str) -> (Option<String>, Option<String>) {
    match letter {
        "A" => (Some(what.to_owned()), None),
        _ => (None, Some(what.to_owned())),
    }
}

/// What a field holds, as sources write it.
fn type_name(field: &FieldDescriptor) -> String {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => format!(
            "map<{}, {}>",
            kind_name(&entry.map_entry_key_field().kind()),
            kind_name(&entry.map_entry_value_field().kind())
        ),
        kind => kind_name(&kind),
    }
}

/// How often a field may be there.
fn label(field: &FieldDescriptor) -> String {
    let oneof = field
        .containing_oneof()
        .filter(|oneof| !oneof.is_synthetic());
    match (field.cardinality(), oneof) {
        (Cardinality::Repeated, _) => "repeated".to_owned(),
        (Cardinality::Required, _) => "required".to_owned(),
        (_, Some(oneof)) => format!("one of {}", oneof.name()),
        _ if field.field_descriptor_proto().proto3_optional() => "optional".to_owned(),
        _ => "singular".to_owned(),
    }
}

/// A form in a line.
fn shape(form: &Form) -> String {
    let block = match form.block.as_str() {
        "" => String::new(),
        block => format!(", in the block {block}"),
    };
    format!("{} {}{block}", form.id, form.shape())
}

/// How two units stand to each other.
fn stands(a: &str, b: &str) -> String {
    match (Unit::parse(a), Unit::parse(b)) {
        (Ok(first), Ok(second)) => match first.relation(&second) {
            Relation::Same => "another code of the same unit".to_owned(),
            Relation::Scale(factor) => format!("another scale, 1 {a} is {factor} {b}"),
            Relation::Dimension => "another dimension".to_owned(),
        },
        (Err(_), Ok(_)) => format!("{a} is not UCUM"),
        (Ok(_), Err(_)) => format!("{b} is not UCUM"),
        (Err(_), Err(_)) => "neither is UCUM".to_owned(),
    }
}
