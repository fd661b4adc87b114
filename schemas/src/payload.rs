//! What one message of a described stream is held to (§5.2, §5.3, §5.6, §5.8, §5.9;
//! reading G147).
//!
//! A [`Plan`] is laid out once for a schema. [`Plan::check`] goes through the bytes of a
//! payload by it: no value is made of them, and where nothing is wrong nothing is
//! allocated. What is wrong is a [`Flaw`], a few numbers; [`Plan::describe`] puts one
//! into words, which of a million that are alike needs to be done once.
//!
//! A message is judged as it stands in the bytes: a value that a later one of the same
//! field replaces is judged too. The exception are counts in a singular message that
//! stands in pieces. Parsers merge these, no producer writes them, and what is counted
//! in a piece says nothing of the whole, so nothing is told of it.

mod checks;
mod far;
mod flaw;
mod plan;
mod rows;
mod walk;
mod wire;

pub use flaw::{FieldId, Flaw, What};
pub use plan::Plan;
pub use walk::Walk;
pub use wire::Broken;
