//! What the components of a form measure, and in which frame: their own words,
//! or those of the fields that they are taken from.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::{Axis, Component, Extent, Form};
use crate::descriptor::Described;
use crate::options;

/// The longest path that is followed, in fields.
const LONGEST: usize = 32;

/// Unit and frame of a component; empty where neither states one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// A UCUM code.
    pub unit: String,
    /// The identifier of a frame.
    pub frame: String,
}

impl Form {
    /// Of the first `most` components, in a message of that name of the set.
    pub fn measures(&self, described: &Described, message: &str, most: usize) -> Vec<Measure> {
        let pool = described.message.parent_pool();
        let message = pool.get_message_by_name(message);
        let components = self.components.iter().take(most);
        components
            .map(|component| self.measure(message.as_ref(), component))
            .collect()
    }

    fn measure(&self, message: Option<&MessageDescriptor>, component: &Component) -> Measure {
        let mut measure = Measure::default();
        if let Some(message) = message.filter(|_| !component.validity) {
            let row = if component.from.is_empty() {
                measure.follow(message, &self.block);
                None
            } else {
                self.row(message, &mut measure)
            };
            measure.follow(row.as_ref().unwrap_or(message), &component.from);
        }
        if !component.unit.is_empty() {
            measure.unit.clone_from(&component.unit);
        }
        measure
    }

    /// The message of a row, where an outer axis counts rows.
    fn row(&self, message: &MessageDescriptor, measure: &mut Measure) -> Option<MessageDescriptor> {
        let rows = self.axes.iter().find_map(|axis| match axis.extent() {
            Some(Extent::FromRepeated(rows)) => Some(rows.as_str()),
            Some(Extent::From(fields)) if !self.is_last(axis) => fields.first().map(String::as_str),
            _ => None,
        })?;
        let field = measure.follow(message, rows)?;
        match field.kind() {
            Kind::Message(row) => Some(row),
            _ => None,
        }
    }

    fn is_last(&self, axis: &Axis) -> bool {
        self.axes.last() == Some(axis)
    }
}

impl Measure {
    /// Takes what the fields on a path declare, the nearest last; gives the field
    /// that it leads to.
    fn follow(&mut self, from: &MessageDescriptor, path: &str) -> Option<FieldDescriptor> {
        let mut message = from.clone();
        let mut parts = path.split('.').take(LONGEST).peekable();
        while let Some(part) = parts.next() {
            let field = message.get_field_by_name(part)?;
            let declared = options::of_field(&field);
            if let Some(unit) = declared.unit {
                self.unit = unit;
            }
            if let Some(frame) = declared.frame {
                self.frame = frame;
            }
            if parts.peek().is_none() {
                return Some(field);
            }
            message = match field.kind() {
                Kind::Message(of) => of,
                _ => return None,
            };
        }
        None
    }
}
