//! Components of a form: their units, and the fields that they are taken from (§5.8,
//! checks 5, 7, 8 and 9).

use prost_reflect::{Kind, MessageDescriptor};

use super::Component;
use super::checks::{Checks, Holder, Row};
use super::paths::{Reached, resolve};
use crate::declarations::{kind_name, unit_fault};
use crate::judgement::{Fault, Open};
use crate::options;
use crate::unit::{Relation, Unit};

impl Checks<'_> {
    /// Checks 5, 7, 8 and 9 on a component.
    pub(super) fn component(&mut self, component: &Component, row: &Row) {
        let Component { name, unit, .. } = component;
        let part = format!("the component {name} of {}", self.path);
        let path = format!("{}.{}", self.path, component.from)
            .trim_end_matches('.')
            .to_owned();
        if unit.is_empty() {
            if !component.validity && !self.is_bool(component, row) {
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

    /// Whether a component is taken from a bool, which has no unit.
    fn is_bool(&self, component: &Component, row: &Row) -> bool {
        let start = match row {
            Row::Message => self.message,
            Row::Type(row, _) => row,
            Row::Scalar(_) | Row::Unknown => return false,
        };
        resolve(start, &component.from).is_some_and(|it| it.field.kind() == Kind::Bool)
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
    pub(super) fn leave_unstated(&mut self) {
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
}
