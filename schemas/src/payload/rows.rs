//! Rows of a projection whose last axis takes its length from a field (§5.8): each is so
//! long, but for one whose channel says that it holds nothing.
//!
//! The length stands in the message that bears the form, and the rows in messages within:
//! when it ends, its bytes are gone through a second time, as for [`super::far`].

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, Value};

use super::far::Leaf;
use super::wire::{self, Raw};
use crate::form::{Extent, Form};
use crate::options;

/// Fields that hold rows, of a form whose rows are counted.
const MOST_OUTER: usize = 64;

/// What rows are counted by.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Fields of the bearing message that hold rows.
    outer: Vec<u32>,
    /// The field of the row type whose elements are counted.
    pub(super) number: u32,
    leaf: Leaf,
    /// Bools of the row type that say whether the field holds anything, and their
    /// values where they are absent.
    channels: Vec<(u32, bool)>,
}

/// A row of another length.
pub(super) struct Uneven {
    /// The field of the bearing message that holds it.
    pub(super) outer: u32,
    /// Which one of that field, from 0.
    pub(super) row: u32,
    pub(super) found: u64,
}

impl Rows {
    /// The rows of a form, and the path that their length is taken from; `None` where
    /// it has none, or paths of more than one field, which no plan follows.
    pub(super) fn of<'f>(
        message: &MessageDescriptor,
        form: &'f Form,
    ) -> Option<(Self, &'f Extent)> {
        let [outer, last] = form.axes.as_slice() else {
            return None;
        };
        let [component] = form.components.as_slice() else {
            return None;
        };
        let extent = last.extent()?;
        if form.is_block() || !matches!(extent, Extent::LengthFrom(_)) {
            return None;
        }
        let names: Vec<&str> = match outer.extent()? {
            Extent::From(fields) => fields.iter().map(String::as_str).collect(),
            Extent::FromRepeated(name) => vec![name],
            Extent::Length(_) | Extent::LengthFrom(_) => return None,
        };
        if names.len() > MOST_OUTER {
            return None;
        }
        let fields: Option<Vec<FieldDescriptor>> = names
            .into_iter()
            .map(|name| message.get_field_by_name(name))
            .collect();
        let fields = fields?;
        let Kind::Message(row) = fields.first()?.kind() else {
            return None;
        };
        let is_row = |field: &FieldDescriptor| field.kind().as_message() == Some(&row);
        let counted = row.get_field_by_name(&component.from)?;
        if !fields.iter().all(is_row) || !counted.is_list() {
            return None;
        }
        let channels = row
            .fields()
            .filter(|field| field.kind() == Kind::Bool && !field.is_list())
            .filter(|field| {
                let covers = options::of_field(field).validity_for;
                covers.as_deref() == Some(counted.name())
            })
            .map(|field| (field.number(), field.default_value() == Value::Bool(true)))
            .collect();
        let rows = Rows {
            outer: fields.iter().map(FieldDescriptor::number).collect(),
            number: counted.number(),
            leaf: Leaf::count(&counted),
            channels,
        };
        Some((rows, extent))
    }

    /// The first row of a sound message that is not of a length and not denied.
    pub(super) fn uneven(&self, message: &[u8], length: i128) -> Option<Uneven> {
        let mut ahead = message;
        let mut rows: Vec<u32> = vec![0; self.outer.len()];
        while let Some((number, raw, rest)) = wire::field(ahead) {
            ahead = rest;
            let Some(place) = self.outer.iter().position(|outer| *outer == number) else {
                continue;
            };
            let (Raw::Bytes(inner) | Raw::Group(inner)) = raw else {
                continue;
            };
            let row = rows.get_mut(place)?;
            let this = *row;
            *row = row.saturating_add(1);
            let (found, is_denied) = self.row(inner);
            if found != length && !is_denied {
                return Some(Uneven {
                    outer: number,
                    row: this,
                    found: u64::try_from(found).unwrap_or(u64::MAX),
                });
            }
        }
        None
    }

    /// How many elements a row has, and whether a channel says that it holds nothing.
    fn row(&self, row: &[u8]) -> (i128, bool) {
        let mut found = 0;
        let mut holds: Vec<bool> = self.channels.iter().map(|(_, default)| *default).collect();
        let mut ahead = row;
        while let Some((number, raw, rest)) = wire::field(ahead) {
            ahead = rest;
            if number == self.number {
                self.leaf.add(&raw, &mut found);
            } else if let Some(place) = self.channels.iter().position(|(it, _)| *it == number)
                && let (Raw::Number(bits), Some(holds)) = (raw, holds.get_mut(place))
            {
                *holds = bits != 0;
            }
        }
        (found, holds.contains(&false))
    }
}
