//! Lengths of axes that stand in a message within the one that bears the form. They are
//! rare, and a value for each would have to be handed up through every level: its bytes
//! are gone through a second time instead.

use prost_reflect::FieldDescriptor;

use super::checks::Integer;
use super::plan::Takes;
use super::wire::{self, Raw};

/// A field by the numbers of the singular messages that lead to it.
#[derive(Clone, Debug)]
pub(super) struct Far {
    way: Vec<u32>,
    number: u32,
    leaf: Leaf,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    /// How many elements it has.
    Count(Takes),
    /// Its value, and that where it is absent.
    Value(Integer, i128),
}

impl Far {
    pub(super) fn count(way: Vec<u32>, field: &FieldDescriptor) -> Self {
        Far {
            way,
            number: field.number(),
            leaf: Leaf::count(field),
        }
    }

    pub(super) fn value(way: Vec<u32>, number: u32, integer: Integer, default: i128) -> Self {
        let leaf = Leaf::Value(integer, default);
        Far { way, number, leaf }
    }

    /// Of a sound message. Pieces of one message that stand apart count as one.
    pub(super) fn read(&self, message: &[u8]) -> i128 {
        let mut found = match self.leaf {
            Leaf::Count(_) => 0,
            Leaf::Value(_, default) => default,
        };
        self.go(&self.way, message, &mut found);
        found
    }

    fn go(&self, way: &[u32], message: &[u8], found: &mut i128) {
        let mut ahead = message;
        while let Some((number, raw, rest)) = wire::field(ahead) {
            ahead = rest;
            match way.split_first() {
                Some((first, way)) if *first == number => match raw {
                    Raw::Bytes(inner) | Raw::Group(inner) => self.go(way, inner, found),
                    Raw::Number(_) => {}
                },
                None if self.number == number => self.leaf.add(&raw, found),
                _ => {}
            }
        }
    }
}

impl Leaf {
    /// The number of elements of a repeated field.
    pub(super) fn count(field: &FieldDescriptor) -> Self {
        Leaf::Count(Takes::of(field))
    }

    pub(super) fn add(self, raw: &Raw<'_>, found: &mut i128) {
        match (self, raw) {
            (Leaf::Value(integer, _), Raw::Number(bits)) => *found = integer.read(*bits),
            (Leaf::Count(takes), Raw::Bytes(bytes)) if takes.packs() => {
                let length = wire::wide(bytes.len());
                let elements = match takes {
                    Takes::Fixed32 => length / 4,
                    Takes::Fixed64 => length / 8,
                    _ => wire::varints(bytes).unwrap_or_default(),
                };
                *found = found.saturating_add(i128::from(elements));
            }
            (Leaf::Count(_), _) => *found = found.saturating_add(1),
            (Leaf::Value(..), _) => {}
        }
    }
}
