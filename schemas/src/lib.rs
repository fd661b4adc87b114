//! What the schemas of a CA3 file declare (§5), and whether payloads keep to it.
//!
//! - [`descriptor`]: a descriptor set as a file carries it: its closure, its pool.
//! - [`options`]: the declarations of a field or message, by their names.
//! - [`mod@unit`]: UCUM codes (§5.4); [`frames`]: frame declarations (§5.5).
//! - [`judge`]: the floor (§5.2), validity channels (§5.6), tensor forms (§5.8).
//! - [`payload`]: what payloads are held to, and the walk that holds them to it.
//! - [`lint`]: the same for .proto sources and descriptor sets, by line and column.
//! - [`nearest`]: the name that was meant, for every program that is given names.
//! - [`compare`]: how two descriptors of one schema differ (§5.7).
//!
//! Nothing here knows a CA3 file: a fault has the path to a field, and whoever has
//! the file adds where its schema stands.

pub mod compare;
mod compiled;
mod cost;
mod declarations;
pub mod descriptor;
mod floor;
mod form;
pub mod frames;
mod judgement;
pub mod lint;
pub mod nearest;
pub mod options;
pub mod payload;
mod reachable;
pub mod unit;
mod validity;

pub use form::{Axis, Component, ElementType, Extent, Form, Measure};
pub use judgement::{Fault, Judgement, Open, Place};

use descriptor::Described;
use frames::Catalogue;

/// Judges a schema against §5.2 to §5.8, whatever its streams claim; the judgement is
/// the one that its descriptor began. Frames are looked up in the catalogue.
pub fn judge(described: &Described, frames: &Catalogue, judgement: &mut Judgement) {
    let reachable = reachable::messages(&described.message);
    declarations::judge(described, &reachable, frames, judgement);
    floor::judge(described, judgement);
    validity::judge(described, &reachable, judgement);
    form::judge(described, &reachable, judgement);
}
