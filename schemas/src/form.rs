//! Tensor forms (§5.8).

mod axes;
mod checks;
mod components;
mod measures;
pub(crate) mod paths;

use std::fmt;

pub use measures::Measure;
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor};

use crate::Judgement;
use crate::declarations::misread_fault;
use crate::descriptor::Described;
use crate::judgement::Place;
use crate::options;

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
pub enum ElementType {
    /// IEEE 754, 4 bytes.
    Float32,
    /// IEEE 754, 8 bytes.
    Float64,
    /// Unsigned, 1 byte.
    Uint8,
    /// Unsigned, 2 bytes.
    Uint16,
    /// Unsigned, 4 bytes.
    Uint32,
    /// Unsigned, 8 bytes.
    Uint64,
    /// Two's complement, 1 byte.
    Int8,
    /// Two's complement, 2 bytes.
    Int16,
    /// Two's complement, 4 bytes.
    Int32,
    /// Two's complement, 8 bytes.
    Int64,
}

/// Each type, its name and its bytes.
const ELEMENTS: [(ElementType, &str, u32); 10] = [
    (ElementType::Float32, "FLOAT32", 4),
    (ElementType::Float64, "FLOAT64", 8),
    (ElementType::Uint8, "UINT8", 1),
    (ElementType::Uint16, "UINT16", 2),
    (ElementType::Uint32, "UINT32", 4),
    (ElementType::Uint64, "UINT64", 8),
    (ElementType::Int8, "INT8", 1),
    (ElementType::Int16, "INT16", 2),
    (ElementType::Int32, "INT32", 4),
    (ElementType::Int64, "INT64", 8),
];

impl ElementType {
    /// Its name in the option.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        self.entry().2
    }

    fn entry(self) -> (ElementType, &'static str, u32) {
        ELEMENTS
            .into_iter()
            .find(|(kind, ..)| *kind == self)
            .unwrap_or((self, "", 0))
    }

    /// Whether a field of this kind has such elements: nothing is widened.
    pub fn is(self, kind: &Kind) -> bool {
        matches!(
            (self, kind),
            (ElementType::Float32, Kind::Float)
                | (ElementType::Float64, Kind::Double)
                | (ElementType::Uint32, Kind::Uint32 | Kind::Fixed32)
                | (ElementType::Uint64, Kind::Uint64 | Kind::Fixed64)
                | (
                    ElementType::Int32,
                    Kind::Int32 | Kind::Sint32 | Kind::Sfixed32
                )
                | (
                    ElementType::Int64,
                    Kind::Int64 | Kind::Sint64 | Kind::Sfixed64
                )
        )
    }
}

impl Form {
    /// The form of a message, where it declares one.
    pub fn of(message: &MessageDescriptor) -> Option<Form> {
        options::form_of(message).0.as_ref().map(Form::read)
    }

    fn read(form: &DynamicMessage) -> Self {
        let element_type = options::enumerated(form, "element_type");
        let element_type = element_type.and_then(|name| {
            let found = ELEMENTS.iter().find(|(_, known, _)| *known == name);
            found.map(|(kind, ..)| *kind)
        });
        let byte_order = options::enumerated(form, "byte_order")
            .filter(|name| matches!(name.as_str(), "LITTLE" | "BIG"));
        Form {
            id: options::string(form, "id"),
            element_type,
            byte_order,
            block: options::string(form, "block"),
            axes: options::messages(form, "axes")
                .iter()
                .map(Axis::read)
                .collect(),
            components: options::messages(form, "components")
                .iter()
                .map(Component::read)
                .collect(),
        }
    }

    /// Its shape in a line: element type, axes, and what the last one counts.
    pub fn shape(&self) -> String {
        let axes: Vec<String> = self
            .axes
            .iter()
            .map(|axis| {
                let extents: Vec<String> = axis.extents.iter().map(Extent::to_string).collect();
                format!("{} ({})", axis.name, extents.join("; "))
            })
            .collect();
        let components: Vec<String> = self
            .components
            .iter()
            .map(|component| match component.unit.as_str() {
                "" => component.name.clone(),
                unit => format!("{} in {unit}", component.name),
            })
            .collect();
        let element = self.element_type.map_or("no type", ElementType::name);
        let order = self.byte_order.as_deref().unwrap_or_default();
        format!(
            "[{}] {element} {order} of {}",
            axes.join(", "),
            components.join(", ")
        )
    }

    /// Whether the array is a field of packed bytes.
    pub fn is_block(&self) -> bool {
        !self.block.is_empty()
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Length(length) => write!(f, "length {length}"),
            Extent::From(fields) => write!(f, "from {}", fields.join(", ")),
            Extent::FromRepeated(name) => write!(f, "from_repeated {name}"),
            Extent::LengthFrom(name) => write!(f, "length_from {name}"),
        }
    }
}

impl Axis {
    fn read(axis: &DynamicMessage) -> Self {
        let mut extents = Vec::new();
        if let Some(length) = options::number(axis, "length").filter(|length| *length > 0) {
            extents.push(Extent::Length(length));
        }
        let from = options::strings(axis, "from");
        if !from.is_empty() {
            extents.push(Extent::From(from));
        }
        let text = |name| Some(options::string(axis, name)).filter(|text| !text.is_empty());
        extents.extend(text("from_repeated").map(Extent::FromRepeated));
        extents.extend(text("length_from").map(Extent::LengthFrom));
        Axis {
            name: options::string(axis, "name"),
            extents,
            labelled_by: options::string(axis, "labelled_by"),
        }
    }

    /// How it states its length, where it does so in one way.
    pub fn extent(&self) -> Option<&Extent> {
        match self.extents.as_slice() {
            [extent] => Some(extent),
            _ => None,
        }
    }

    /// Its length, where the schema fixes it.
    pub fn fixed(&self) -> Option<u32> {
        match self.extent()? {
            Extent::Length(length) => Some(*length),
            Extent::From(fields) => u32::try_from(fields.len()).ok(),
            Extent::FromRepeated(_) | Extent::LengthFrom(_) => None,
        }
    }
}

impl Component {
    fn read(component: &DynamicMessage) -> Self {
        Component {
            name: options::string(component, "name"),
            from: options::string(component, "from"),
            unit: options::string(component, "unit"),
            validity: options::truth(component, "validity"),
        }
    }
}

/// Judges the forms of these messages.
pub(crate) fn judge(
    described: &Described,
    messages: &[MessageDescriptor],
    judgement: &mut Judgement,
) {
    for message in messages {
        let path = described.short(message.full_name()).to_owned();
        let place = Place {
            file: message.parent_file().name().to_owned(),
            path: message.path().to_vec(),
        };
        let (form, misread) = options::form_of(message);
        for misread in &misread {
            let fault = misread_fault(misread, &path);
            judgement.add(fault.at(Some(place.clone())));
        }
        let Some(form) = form else { continue };
        let form = Form::read(&form);
        checks::judge(message, &form, &path, &place, judgement);
        judgement.forms.push((message.full_name().to_owned(), form));
    }
}
