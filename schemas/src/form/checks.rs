//! The checks of §5.8 on a form.

use std::collections::BTreeSet;

use prost_reflect::{Kind, MessageDescriptor};

use super::paths::{Reached, resolve};
use super::{Axis, Component, Extent, Form};
use crate::declarations::{is_integer, kind_name, unit_fault};
use crate::judgement::{Fault, Judgement, Named, Open, Place};
use crate::nearest::nearest;
use crate::options;
use crate::unit::{Relation, Unit};

/// Axes and components that are looked at one by one.
const MOST: usize = 4096;

/// Judges the form of a message.
pub(super) fn judge(
    message: &MessageDescriptor,
    form: &Form,
    path: &str,
    place: &Place,
    judgement: &mut Judgement,
) {
    let mut checks = Checks {
        message,
        form,
        path,
        place,
        judgement,
        unstated: Named::default(),
    };
    checks.identifier();
    checks.element();
    for (index, axis) in form.axes.iter().take(MOST).enumerate() {
        checks.axis(index, axis);
    }
    checks.block();
    if form.axes.is_empty() || form.components.is_empty() {
        checks.nothing();
    } else {
        checks.count();
    }
    let row = checks.row();
    if let Row::Scalar(field) = &row {
        checks.no_row_type(field);
    }
    for component in form.components.iter().take(MOST) {
        checks.component(component, &row);
    }
    checks.leave_unstated();
    checks.leave_frameless();
}

/// What component paths start at.
enum Row {
    /// The message that bears the form.
    Message,
    /// The row type that an outer axis arrives at, by each field that holds rows.
    Type(MessageDescriptor, Vec<Holder>),
    /// Nothing: a field that holds no message.
    Scalar(String),
    /// Nothing: an axis that was found fault with leads nowhere.
    Unknown,
}

/// A field that holds rows.
#[derive(Clone)]
struct Holder {
    name: String,
    /// The unit that holds for the row, if the field or one on the way to it has one.
    unit: Option<String>,
}

struct Checks<'a> {
    message: &'a MessageDescriptor,
    form: &'a Form,
    /// Of the message.
    path: &'a str,
    place: &'a Place,
    judgement: &'a mut Judgement,
    /// Components without a unit.
    unstated: Named,
}

impl Checks<'_> {
    fn add(&mut self, fault: Fault) {
        self.judgement.add(fault.at(Some(self.place.clone())));
    }

    /// The form in a sentence.
    fn named(&self) -> String {
        if self.form.id.is_empty() {
            format!("the tensor form of {}", self.path)
        } else {
            format!("{}, the tensor form of {},", self.form.id, self.path)
        }
    }

    /// An axis or a component in a sentence.
    fn part(&self, what: &str, name: &str, index: usize) -> String {
        if name.is_empty() {
            format!("{what} {} of {}", index.saturating_add(1), self.path)
        } else {
            format!("{what} {name} of {}", self.path)
        }
    }

    /// Check 1 (reading G149).
    fn identifier(&mut self) {
        let id = &self.form.id;
        if id.is_empty() {
            let message = format!("the tensor form of {} has no identifier", self.path);
            self.add(
                Fault::error("CA3-5.8-01", self.path, message)
                    .showing("an identifier such as imu.tensor.v1", "none"),
            );
        } else if !ends_in_a_version(id) {
            let message = format!(
                "the identifier {id} of the form of {} does not end in a version segment",
                self.path
            );
            self.add(
                Fault::error("CA3-5.8-02", self.path, message).showing(format_args!("{id}.v1"), id),
            );
        }
    }

    /// Check 2.
    fn element(&mut self) {
        let named = self.named();
        if self.form.element_type.is_none() {
            let message = format!("{named} states no element type");
            self.add(
                Fault::error("CA3-5.8-04", self.path, message)
                    .showing("FLOAT32, FLOAT64, UINT8 to UINT64 or INT8 to INT64", "none"),
            );
        }
        if self.form.is_block() && self.form.byte_order.is_none() {
            let message = format!("{named} is a block and states no byte order");
            self.add(
                Fault::error("CA3-5.8-05", self.path, message).showing("LITTLE or BIG", "none"),
            );
        }
    }

    /// Checks 3 and 6.
    fn axis(&mut self, index: usize, axis: &Axis) {
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

    /// Check 4.
    fn block(&mut self) {
        let name = &self.form.block;
        if name.is_empty() {
            return;
        }
        let named = self.named();
        let field = self
            .message
            .get_field_by_name(name)
            .filter(|field| field.kind() == Kind::Bytes && !field.is_list());
        let Some(field) = field else {
            let found = self.message.get_field_by_name(name).map_or_else(
                || "no such field".to_owned(),
                |field| {
                    let repeated = if field.is_list() { "repeated " } else { "" };
                    format!("{repeated}{}", kind_name(&field.kind()))
                },
            );
            let hint = self.hint(self.message, name);
            let message = format!("{named} is the block {name}, which is no bytes field{hint}");
            self.add(
                Fault::error("CA3-5.8-09", self.path, message).showing("a bytes field", found),
            );
            return;
        };
        let Some(axis) = self.form.axes.first() else {
            return;
        };
        let declared = options::of_field(&field).cardinality;
        let shown = |number: Option<u32>| {
            number.map_or_else(|| "none".to_owned(), |number| number.to_string())
        };
        // A first axis of open length has no number to agree with (reading G10).
        let agree = match axis.fixed() {
            Some(length) => declared == Some(length),
            None => axis.extent().is_none() || declared.is_none_or(|number| number == 0),
        };
        if !agree {
            let path = format!("{}.{name}", self.path);
            let wanted = axis.fixed();
            let message = format!(
                "the cardinality of {path} is not the length of the form's first axis, {}",
                axis.name
            );
            let expected = wanted.map_or_else(|| "0: it varies".to_owned(), |it| it.to_string());
            self.add(Fault::error("CA3-5.8-10", path, message).showing(expected, shown(declared)));
        }
    }

    /// Clause 6 of the floor.
    fn nothing(&mut self) {
        let (what, wanted) = if self.form.components.is_empty() {
            ("no components", "the components of the last axis, in order")
        } else {
            ("no axes", "the axes of the array")
        };
        let message = format!(
            "{} has {what}: nothing says what the array holds",
            self.named()
        );
        self.add(Fault::error("CA3-5.2-07", self.path, message).showing(wanted, "none"));
    }

    /// Check 5 (reading G81).
    fn count(&mut self) {
        let Some(last) = self.form.axes.last() else {
            return;
        };
        let found = self.form.components.len();
        let Some(extent) = last.extent() else { return };
        if let Some(length) = last.fixed() {
            if usize::try_from(length).ok() != Some(found) {
                let message = format!(
                    "{} has {found} components, and its last axis, {}, has the length {length}",
                    self.named(),
                    last.name
                );
                self.add(Fault::error("CA3-5.8-11", self.path, message).showing(length, found));
            }
            return;
        }
        if found != 1 {
            let message = format!(
                "{} has {found} components, and its last axis, {}, takes its length from data \
                 ({extent}): one component can fill it",
                self.named(),
                last.name
            );
            self.add(Fault::error("CA3-5.8-12", self.path, message).showing(1, found));
        }
    }

    /// Reading G67.
    fn row(&self) -> Row {
        let outer = self
            .form
            .axes
            .split_last()
            .map_or(&[][..], |(_, outer)| outer);
        for axis in outer {
            let named = match axis.extent() {
                Some(Extent::From(fields)) => fields.as_slice(),
                Some(Extent::FromRepeated(name)) => std::slice::from_ref(name),
                Some(_) => continue,
                None => return Row::Unknown,
            };
            let mut holders = Vec::new();
            let mut row = None;
            for name in named.iter().take(MOST) {
                let Some(reached) = resolve(self.message, name) else {
                    continue;
                };
                match reached.field.kind() {
                    Kind::Message(of) => row = row.or(Some(of)),
                    _ => return Row::Scalar(name.clone()),
                }
                holders.push(Holder {
                    name: name.clone(),
                    unit: reached.unit.map(|stated| stated.unit),
                });
            }
            return row.map_or(Row::Unknown, |row| Row::Type(row, holders));
        }
        Row::Message
    }

    /// Reading G67: an outer axis arrives at rows, and a row is a message.
    fn no_row_type(&mut self, field: &str) {
        if self.form.is_block() {
            return;
        }
        let message = format!(
            "an outer axis of {} arrives at {field}, which is no message: the path of a \
             component has nowhere to start",
            self.path
        );
        self.add(Fault::error("CA3-5.8-25", self.path, message).showing("a message", field));
    }

    /// Checks 5, 7, 8 and 9 on a component.
    fn component(&mut self, component: &Component, row: &Row) {
        let Component { name, unit, .. } = component;
        let part = format!("the component {name} of {}", self.path);
        let path = format!("{}.{}", self.path, component.from)
            .trim_end_matches('.')
            .to_owned();
        if unit.is_empty() {
            if !component.validity {
                self.unstated.add(name.clone());
            }
        } else if let Some(fault) = unit_fault("CA3-5.8-15", &part, unit) {
            self.add(Fault {
                path: path.clone(),
                ..fault
            });
        }
        if self.form.is_block() {
            if !component.from.is_empty() {
                let message = format!(
                    "{part} is taken from {}, and the form is the block {}: two sources of one \
                     array",
                    component.from, self.form.block
                );
                self.add(
                    Fault::error("CA3-5.8-23", path, message).showing("no from", &component.from),
                );
            }
            return;
        }
        if component.from.is_empty() {
            let message =
                format!("{part} names no field that it is taken from, and the form no block");
            self.add(
                Fault::error("CA3-5.8-23", path, message).showing("a path to a field", "none"),
            );
            return;
        }
        let (start, holders) = match row {
            Row::Message => (self.message.clone(), &[][..]),
            Row::Type(row, holders) => (row.clone(), holders.as_slice()),
            Row::Scalar(_) | Row::Unknown => return,
        };
        match resolve(&start, &component.from) {
            None => self.unresolved(&part, component, row, &start),
            Some(reached) => self.source(&part, component, &reached, holders, &path),
        }
    }

    fn unresolved(
        &mut self,
        part: &str,
        component: &Component,
        row: &Row,
        start: &MessageDescriptor,
    ) {
        let from = &component.from;
        let path = format!("{}.{from}", start.name());
        let of_rows = matches!(row, Row::Type(..));
        let hint = if of_rows && resolve(self.message, from).is_some() {
            format!(
                "; it is a path from {}, and paths start at the row type",
                self.path
            )
        } else {
            let last = from.rsplit('.').next().unwrap_or(from);
            self.hint(start, last)
        };
        let message = format!(
            "{part} is taken from {from}, which leads to no field of {}{hint}",
            start.name()
        );
        let rule = if of_rows { "CA3-5.8-25" } else { "CA3-5.8-23" };
        self.add(
            Fault::error(rule, path, message)
                .showing(format_args!("a path from {}", start.name()), from),
        );
    }

    /// Checks 5, 8 and 9: the field that a component is taken from.
    fn source(
        &mut self,
        part: &str,
        component: &Component,
        reached: &Reached,
        holders: &[Holder],
        path: &str,
    ) {
        let field = &reached.field;
        let open = self
            .form
            .axes
            .last()
            .is_some_and(|last| last.extent().is_some() && last.fixed().is_none());
        if open && !field.is_list() {
            let message = format!(
                "{part} fills an axis of open length, and {} does not repeat",
                component.from
            );
            self.add(
                Fault::error("CA3-5.8-12", path, message)
                    .showing("a repeated field", kind_name(&field.kind())),
            );
        } else if !open && (field.is_list() || field.is_map()) {
            let message = format!(
                "{part} is one number of a row, and {} repeats",
                component.from
            );
            self.add(Fault::error("CA3-5.8-18", path, message).showing(
                "one number",
                format_args!("repeated {}", kind_name(&field.kind())),
            ));
            return;
        }
        self.same_unit(part, component, reached, holders, path);
        let kind = field.kind();
        let Some(element) = self.form.element_type else {
            return;
        };
        if kind == Kind::Bool || element.is(&kind) {
            return;
        }
        let is_validity = component.validity || options::of_field(field).validity_for.is_some();
        let (rule, expected) = if is_validity {
            ("CA3-5.8-19", "bool".to_owned())
        } else {
            (
                "CA3-5.8-18",
                format!("a field of the type of {}, or a bool", element.name()),
            )
        };
        let message = format!(
            "{part} is taken from {}, of the type {}, into an array of {}: nothing but a bool \
             is converted",
            component.from,
            kind_name(&kind),
            element.name()
        );
        self.add(Fault::error(rule, path, message).showing(expected, kind_name(&kind)));
    }

    /// Check 8. What a row's field does not state, the field that holds the row may.
    fn same_unit(
        &mut self,
        part: &str,
        component: &Component,
        reached: &Reached,
        holders: &[Holder],
        path: &str,
    ) {
        if component.unit.is_empty() {
            return;
        }
        let Ok(unit) = Unit::parse(&component.unit) else {
            return;
        };
        let from = &component.from;
        if let Some(stated) = &reached.unit {
            let rule = if stated.inherited {
                "CA3-5.8-17"
            } else {
                "CA3-5.8-16"
            };
            self.differing(
                rule,
                part,
                (&component.unit, &unit),
                (from, &stated.unit),
                path,
            );
            return;
        }
        if reached.field.kind() == Kind::Bool {
            return;
        }
        let bare: Vec<&str> = holders
            .iter()
            .filter(|holder| holder.unit.is_none())
            .map(|holder| holder.name.as_str())
            .collect();
        if holders.is_empty() || !bare.is_empty() {
            let beside = match bare.as_slice() {
                [] => "what holds it".to_owned(),
                bare => bare.join(", "),
            };
            let message = format!(
                "{part} is in {} and taken from {from}, which declares no unit, nor does {beside}",
                component.unit
            );
            self.add(Fault::error("CA3-5.8-16", path, message).showing(&component.unit, "none"));
            return;
        }
        let mut seen: Vec<&str> = Vec::new();
        for holder in holders {
            let Some(stated) = holder.unit.as_deref() else {
                continue;
            };
            if !seen.contains(&stated) {
                seen.push(stated);
                let source = format!("{}.{from}", holder.name);
                let told = (component.unit.as_str(), &unit);
                self.differing("CA3-5.8-17", part, told, (&source, stated), path);
            }
        }
    }

    /// A component's unit, and that of what it is taken from.
    fn differing(
        &mut self,
        rule: &'static str,
        part: &str,
        (of_form, unit): (&str, &Unit),
        (from, of_field): (&str, &str),
        path: &str,
    ) {
        let Ok(field_unit) = Unit::parse(of_field) else {
            return;
        };
        let message = match field_unit.relation(unit) {
            Relation::Same => return,
            Relation::Scale(factor) => format!(
                "{part} is in {of_form} and taken from {from}, which is in {of_field}: one \
                 dimension, another scale (1 {of_field} = {factor} {of_form})"
            ),
            Relation::Dimension => format!(
                "{part} is in {of_form} and taken from {from}, which is in {of_field}: no \
                 factor leads from one to the other"
            ),
        };
        self.add(Fault::error(rule, path, message).showing(of_field, of_form));
    }

    /// Check 8's end: listed, never folded into a pass.
    fn leave_unstated(&mut self) {
        let Some(unstated) = self.unstated.shown() else {
            return;
        };
        self.judgement.leave(Open {
            what: format!(
                "units of components of {} that state none: {unstated}",
                self.path
            ),
            rules: vec!["CA3-5.8-20"],
            reason: "a descriptor cannot tell a measurement from a converter count".to_owned(),
        });
    }

    /// Clause 3 of a block of coordinates.
    fn leave_frameless(&mut self) {
        let has = |name: &str| self.form.components.iter().any(|it| it.name == name);
        let block = self.message.get_field_by_name(&self.form.block);
        let Some(block) = block.filter(|_| has("x") && has("y")) else {
            return;
        };
        if options::of_field(&block).frame.is_none() {
            self.judgement.leave(Open {
                what: format!(
                    "whether the block {}.{} is spatial",
                    self.path,
                    block.name()
                ),
                rules: vec!["CA3-5.2-04"],
                reason: "it has components x and y, and declares no frame (reading G27)".to_owned(),
            });
        }
    }

    fn hint(&self, message: &MessageDescriptor, name: &str) -> String {
        let names: Vec<String> = message
            .fields()
            .map(|field| field.name().to_owned())
            .collect();
        nearest(name, names.iter().map(String::as_str))
            .map_or_else(String::new, |near| format!("; did you mean {near}?"))
    }
}

/// Reading G149.
fn ends_in_a_version(id: &str) -> bool {
    let Some((name, version)) = id.rsplit_once('.') else {
        return false;
    };
    let Some(number) = version.strip_prefix('v') else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    // v1, v1p2, v1beta3, v1p2alpha3.
    let number = match ["alpha", "beta"]
        .into_iter()
        .find_map(|stage| number.split_once(stage))
    {
        Some((number, stage)) if is_number(stage) => number,
        Some(_) => return false,
        None => number,
    };
    let (major, minor) = number.split_once('p').unwrap_or((number, "0"));
    !name.is_empty() && is_number(major) && is_number(minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_last_segment() {
        for id in [
            "imu.tensor.v1",
            "a.v10",
            "a.v2beta1",
            "a.v1alpha3",
            "a.v1p1beta1",
        ] {
            assert!(ends_in_a_version(id), "{id}");
        }
        for id in [
            "imu.tensor",
            "v1",
            ".v1",
            "a.v",
            "a.1",
            "a.v1x",
            "a.vbeta1",
            "a.v1.b",
            "a.v1p",
            "a.vp1",
        ] {
            assert!(!ends_in_a_version(id), "{id}");
        }
    }
}
