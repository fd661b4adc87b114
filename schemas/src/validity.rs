//! Validity channels (§5.6).

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::declarations::kind_name;
use crate::descriptor::{Described, place};
use crate::judgement::{Fault, Judgement, Named, Open};
use crate::options::{self, FieldOptions};

/// Fields that are looked at for the one that was meant.
const MOST_HINTED: usize = 64;

/// Judges the channels of these messages.
pub(crate) fn judge(
    described: &Described,
    messages: &[MessageDescriptor],
    judgement: &mut Judgement,
) {
    let mut whole_fields = Named::default();
    for message in messages {
        for field in message.fields() {
            let declared = options::of_field(&field);
            let Some(target) = &declared.validity_for else {
                continue;
            };
            let path = described.path(&field);
            let channel = Channel {
                message,
                field: &field,
                declared: &declared,
                target,
                path: &path,
            };
            match channel.judge() {
                Some(fault) => judgement.add(fault.at(Some(place(&field)))),
                None if field.is_list() || field.kind() == Kind::Bytes => {}
                None => whole_fields.add(path),
            }
        }
    }
    let Some(whole_fields) = whole_fields.shown() else {
        return;
    };
    judgement.leave(Open {
        what: format!("whether whole-field validity channels imply both ways: {whole_fields}"),
        rules: vec!["CA3-5.6-04", "CA3-5.6-05"],
        reason: "a fact about the producer, which no descriptor shows".to_owned(),
    });
}

struct Channel<'a> {
    message: &'a MessageDescriptor,
    field: &'a FieldDescriptor,
    declared: &'a FieldOptions,
    target: &'a str,
    path: &'a str,
}

impl Channel<'_> {
    fn judge(&self) -> Option<Fault> {
        let Channel { path, target, .. } = self;
        let covered = self
            .message
            .get_field_by_name(target)
            .filter(|covered| covered.number() != self.field.number());
        let Some(covered) = covered else {
            let what = if *target == self.field.name() {
                "itself".to_owned()
            } else {
                format!("{target}, which is no field of {}", self.message.name())
            };
            let names: Vec<String> = self
                .message
                .fields()
                .take(MOST_HINTED)
                .map(|field| field.name().to_owned())
                .filter(|name| name != self.field.name())
                .collect();
            let near = crate::nearest::nearest(target, names.iter().map(String::as_str));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let message = format!("{path} is the validity channel of {what}{hint}");
            return Some(
                Fault::error("CA3-5.6-01", *path, message)
                    .showing(near.unwrap_or("another field of the same message"), target),
            );
        };
        let per_element = match self.field.kind() {
            Kind::Bool if !self.field.is_map() => self.field.is_list(),
            Kind::Bytes if !self.field.is_list() && !self.field.is_map() => true,
            kind => {
                let repeated = if self.field.is_map() {
                    "map of ".to_owned()
                } else if self.field.is_list() {
                    "repeated ".to_owned()
                } else {
                    String::new()
                };
                let found = format!("{repeated}{}", kind_name(&kind));
                let message = format!(
                    "{path} is the validity channel of {target} and of the type {found}: a \
                     channel is a bool, a repeated bool, or bits packed in bytes"
                );
                return Some(
                    Fault::error("CA3-5.6-02", *path, message)
                        .showing("bool, repeated bool or bytes", found),
                );
            }
        };
        if per_element {
            self.per_element(&covered)
        } else {
            None
        }
    }

    /// One entry for each element of the covered field (reading G67 for packed bits).
    fn per_element(&self, covered: &FieldDescriptor) -> Option<Fault> {
        const RULE: &str = "CA3-5.6-03";
        let Channel { path, target, .. } = self;
        let elements = options::of_field(covered).cardinality;
        let is_block = covered.kind() == Kind::Bytes && elements.is_some();
        if !covered.is_list() && !is_block {
            let message = format!(
                "{path} has an entry for each element of {target}, which does not repeat and \
                 declares no cardinality"
            );
            return Some(
                Fault::error(RULE, *path, message)
                    .showing("a repeated field, or a block with a cardinality", target),
            );
        }
        match (self.declared.cardinality, elements) {
            (Some(entries), Some(elements)) if entries != elements => {
                let shown = |number: u32| match number {
                    0 => "a varying number".to_owned(),
                    number => number.to_string(),
                };
                let (entries, elements) = (shown(entries), shown(elements));
                let message = format!(
                    "{path} has an entry for each element of {target}, and their cardinalities \
                     differ: {entries} and {elements}"
                );
                Some(Fault::error(RULE, *path, message).showing(elements, entries))
            }
            // A list without one is a fault of clause 4.
            (None, _) if self.field.kind() == Kind::Bytes => {
                let message = format!(
                    "{path} is packed bits, an entry for each element of {target}, and declares \
                     no cardinality"
                );
                let expected = elements.map_or_else(|| "0".to_owned(), |it| it.to_string());
                Some(Fault::warning(RULE, *path, message).showing(expected, "none"))
            }
            _ => None,
        }
    }
}
