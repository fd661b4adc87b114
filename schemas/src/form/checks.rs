//! The checks of §5.8 on a form.

use prost_reflect::{Kind, MessageDescriptor};

use super::paths::resolve;
use super::{Extent, Form};
use crate::declarations::kind_name;
use crate::judgement::{Fault, Judgement, Named, Open, Place};
use crate::nearest::nearest;
use crate::options;

/// Axes and components that are looked at one by one.
pub(super) const MOST: usize = 4096;

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
pub(super) enum Row {
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
pub(super) struct Holder {
    pub(super) name: String,
    /// The unit that holds for the row, if the field or one on the way to it has one.
    pub(super) unit: Option<String>,
}

pub(super) struct Checks<'a> {
    pub(super) message: &'a MessageDescriptor,
    pub(super) form: &'a Form,
    /// Of the message.
    pub(super) path: &'a str,
    place: &'a Place,
    pub(super) judgement: &'a mut Judgement,
    /// Components without a unit.
    pub(super) unstated: Named,
}

impl Checks<'_> {
    pub(super) fn add(&mut self, fault: Fault) {
        self.judgement.add(fault.at(Some(self.place.clone())));
    }

    /// The form in a sentence.
    pub(super) fn named(&self) -> String {
        if self.form.id.is_empty() {
            format!("the tensor form of {}", self.path)
        } else {
            format!("{}, the tensor form of {},", self.form.id, self.path)
        }
    }

    /// An axis or a component in a sentence.
    pub(super) fn part(&self, what: &str, name: &str, index: usize) -> String {
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
    pub(super) fn row(&self) -> Row {
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

    pub(super) fn hint(&self, message: &MessageDescriptor, name: &str) -> String {
        let names: Vec<String> = message
            .fields()
            .take(64)
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
