//! Axes of a form: their names, lengths and labels (§5.8, checks 3 and 6).

use std::collections::BTreeSet;

use prost_reflect::Kind;

use super::checks::{Checks, MOST, Row};
use super::paths::resolve;
use super::{Axis, Extent};
use crate::declarations::{is_integer, kind_name};
use crate::judgement::Fault;
use crate::nearest::nearest;

impl Checks<'_> {
    /// Checks 3 and 6.
    pub(super) fn axis(&mut self, index: usize, axis: &Axis) {
        let part = self.part("axis", &axis.name, index);
        if axis.name.is_empty() {
            let message = format!("{part} has no name");
            self.add(Fault::error("CA3-5.8-06", self.path, message).showing("a name", "none"));
        } else if self
            .form
            .axes
            .iter()
            .take(index.min(MOST))
            .any(|before| before.name == axis.name)
        {
            let message = format!("two axes of {} are named {}", self.path, axis.name);
            self.add(
                Fault::error("CA3-5.8-07", self.path, message)
                    .showing("each name once", &axis.name),
            );
        }
        match axis.extents.as_slice() {
            [extent] => self.extent(&part, extent),
            extents => {
                let found = match extents {
                    [] => "none".to_owned(),
                    several => several
                        .iter()
                        .map(Extent::to_string)
                        .collect::<Vec<_>>()
                        .join(", "),
                };
                let ways = match extents.len() {
                    0 => "none of the four ways".to_owned(),
                    number => format!("{number} ways"),
                };
                let message = format!("{part} states its length in {ways}, and should in one");
                self.add(
                    Fault::error("CA3-5.8-08", self.path, message)
                        .showing("one of length, from, from_repeated and length_from", found),
                );
            }
        }
        if !axis.labelled_by.is_empty() {
            self.labels(&part, axis);
        }
    }

    fn extent(&mut self, part: &str, extent: &Extent) {
        match extent {
            Extent::Length(_) => {}
            Extent::From(fields) => self.listed(part, fields),
            Extent::FromRepeated(name) => match resolve(self.message, name) {
                Some(reached) if reached.field.is_list() => {}
                found => {
                    let found = found.map_or_else(
                        || "no such field".to_owned(),
                        |it| kind_name(&it.field.kind()),
                    );
                    let message = format!(
                        "{part} has as many entries as {name}, which is no repeated field of {}",
                        self.path
                    );
                    self.add(
                        Fault::error("CA3-5.8-22", self.path, message)
                            .showing("a repeated field", found),
                    );
                }
            },
            Extent::LengthFrom(name) => self.length_from(part, name),
        }
    }

    /// Rule 5.8-26.
    fn listed(&mut self, part: &str, fields: &[String]) {
        const RULE: &str = "CA3-5.8-26";
        let mut first: Option<(String, Kind)> = None;
        for name in fields.iter().take(MOST) {
            let Some(reached) = resolve(self.message, name) else {
                let hint = self.hint(self.message, name);
                let message = format!(
                    "{part} lists {name}, which is no field of {}{hint}",
                    self.path
                );
                self.add(Fault::error(RULE, self.path, message).showing("a field", name));
                continue;
            };
            if reached.field.is_list() || reached.field.is_map() {
                let message = format!(
                    "{part} lists {name}, which repeats: from takes one entry of each field, \
                     and from_repeated: \"{name}\" is as long as that one"
                );
                self.add(
                    Fault::error(RULE, self.path, message)
                        .showing("a field that does not repeat", name),
                );
                continue;
            }
            let kind = reached.field.kind();
            match &first {
                None => first = Some((name.clone(), kind)),
                Some((_, known)) if *known == kind => {}
                Some((before, known)) => {
                    let message =
                        format!("{part} lists {before} and {name}, which are of different types");
                    let (known, kind) = (kind_name(known), kind_name(&kind));
                    self.add(Fault::error(RULE, self.path, message).showing(known, kind));
                }
            }
        }
    }

    /// Rules 5.8-21 and -22.
    fn length_from(&mut self, part: &str, name: &str) {
        match resolve(self.message, name) {
            None => {
                let hint = match self.row() {
                    Row::Type(row, _) if resolve(&row, name).is_some() => {
                        format!(
                            "; {} has one, and a length is taken from the message that bears \
                             the form",
                            row.name()
                        )
                    }
                    _ => self.hint(self.message, name),
                };
                let message = format!(
                    "{part} takes its length from {name}, which is no field of {}{hint}",
                    self.path
                );
                self.add(
                    Fault::error("CA3-5.8-21", self.path, message)
                        .showing(format_args!("a field of {}", self.path), name),
                );
            }
            Some(reached) => {
                let field = &reached.field;
                if is_integer(&field.kind()) && !field.is_list() && !field.is_map() {
                    return;
                }
                let repeated = if field.is_list() { "repeated " } else { "" };
                let found = format!("{repeated}{}", kind_name(&field.kind()));
                let message = format!("{part} takes its length from {name}, which is no integer");
                self.add(
                    Fault::error("CA3-5.8-22", self.path, message).showing("one integer", found),
                );
            }
        }
    }

    /// Check 6.
    fn labels(&mut self, part: &str, axis: &Axis) {
        let pool = self.message.parent_pool();
        let name = &axis.labelled_by;
        let known = pool.get_enum_by_name(name);
        // Reading G67: without a leading dot, which the pool takes all the same.
        let Some(labels) = known.filter(|labels| labels.full_name() == name) else {
            let known: Vec<String> = pool
                .all_enums()
                .map(|known| known.full_name().to_owned())
                .collect();
            let same_name = known
                .iter()
                .find(|it| it.rsplit('.').next() == name.rsplit('.').next());
            let near = same_name
                .map(String::as_str)
                .or_else(|| nearest(name, known.iter().map(String::as_str)));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let message =
                format!("{part} is labelled by {name}, which is no enum of the descriptor{hint}");
            self.add(
                Fault::error("CA3-5.8-13", self.path, message)
                    .showing(near.unwrap_or("the full name of an enum"), name),
            );
            return;
        };
        let values: BTreeSet<i32> = labels.values().map(|value| value.number()).collect();
        let count = labels.values().len();
        let (rule, wanted) = match axis.fixed() {
            Some(length) => ("CA3-5.8-14", usize::try_from(length).unwrap_or(usize::MAX)),
            None => ("CA3-5.8-25", count),
        };
        let exact = values.len() == count
            && count == wanted
            && values
                .iter()
                .copied()
                .zip(0..)
                .all(|(value, index)| value == index);
        if exact {
            return;
        }
        let last = wanted.saturating_sub(1);
        let (least, most) = (
            values.first().copied().unwrap_or_default(),
            values.last().copied().unwrap_or_default(),
        );
        let found = format!("{count} values from {least} to {most}");
        let message = format!(
            "{part} is labelled by {name}, whose values are not exactly 0 to {last}: a label \
             is an index"
        );
        self.add(
            Fault::error(rule, self.path, message).showing(format_args!("0 to {last}"), found),
        );
    }
}
