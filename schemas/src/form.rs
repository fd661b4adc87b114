//! Tensor forms (§5.8).

use crate::Judgement;
use crate::descriptor::Described;

/// An array that a message's numbers project onto.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Ends in a version segment.
    pub id: String,
    /// Of each element; `None` where it is not stated.
    pub element_type: Option<ElementType>,
    /// `LITTLE` or `BIG`; `None` where it is not stated.
    pub byte_order: Option<String>,
    /// The bytes field that is the array; empty in a projection.
    pub block: String,
    /// The outermost first.
    pub axes: Vec<Axis>,
    /// What the last axis counts.
    pub components: Vec<Component>,
}

/// An axis of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Every way in which it states its length: one, in a form that is right.
    pub extents: Vec<Extent>,
    /// The full name of an enum, or empty.
    pub labelled_by: String,
}

/// How an axis states its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Fixed by the schema.
    Length(u32),
    /// One entry a field listed.
    From(Vec<String>),
    /// As many as the repeated field has.
    FromRepeated(String),
    /// The value of an integer field.
    LengthFrom(String),
}

/// A column of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// The field that it is taken from; empty in a block form.
    pub from: String,
    /// A UCUM code, or empty.
    pub unit: String,
    /// Whether it says that the row is a measurement.
    pub validity: bool,
}

/// The type of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ElementType {
    Float32,
    Float64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Int8,
    Int16,
    Int32,
    Int64,
}

pub(crate) fn judge(_: &Described, _: &mut Judgement) {}
