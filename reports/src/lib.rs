//! What a validation found, and how it is shown; and how lines are broken, for
//! every program of the kit.
//!
//! - [`clocks`]: its clock mappings, as stored and as recomputed.
//! - [`contents`]: what it holds: streams over time, schemas, where things lie.
//! - [`model`]: one result model: a report, its files, their findings.
//! - [`comparison`]: whether streams of two files are comparable, with its text.
//! - [`fingerprint`]: what makes a finding the same in two runs.
//! - [`json`]: the model for machines, with its JSON Schema.
//! - [`text`]: the model for people, 80 columns.
//! - [`html`]: the model for people, as a page with pictures of streams and clocks.
//! - [`lint`]: what was found in sources of schemas, with its text and JSON Schema.
//! - [`paragraph`]: lines of bounded width, for every program that prints them.
//! - [`progress`]: one line that moves, for programs that take their time.
//!
//! Nothing in a report depends on the clock, the host or the order in which
//! work was done: two runs over the same bytes give the same bytes.

pub mod clocks;
pub mod comparison;
pub mod contents;
pub mod fingerprint;
mod fix;
pub mod html;
pub mod json;
pub mod lint;
mod mappings;
pub mod model;
pub mod paragraph;
pub mod progress;
mod settings;
pub mod text;

pub use model::{
    Checked, Counts, Evidence, FileReport, Finding, Limits, Report, RuleTotal, Scope, Settings,
    Severity, StreamCounts, Suppressed, Tool, Unchecked,
};
