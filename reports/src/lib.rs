//! What a validation found, and how it is shown; and how lines are broken, for
//! every program of the kit.
//!
//! - [`model`]: one result model: a report, its files, their findings.
//! - [`clocks`]: its clock mappings, as stored and as recomputed.
//! - [`contents`]: what it holds: streams over time, schemas, where things lie.
//! - [`catalogued`]: its words that come from the rule catalogue.
//! - [`comparison`]: whether streams of two files are comparable, with its text.
//! - [`fingerprint`]: what makes a finding the same in two runs.
//! - [`json`]: the model for machines, with its JSON Schema.
//! - [`ndjson`]: the same, a line a file, which can be put together again.
//! - [`settings`]: what the settings of a run kept from counting, in words.
//! - [`sarif`], [`junit`], [`github`]: the model for code hosts and build servers.
//! - [`text`]: the model for people, 80 columns.
//! - [`html`]: the model for people, as a page with pictures of streams and clocks.
//! - [`lint`]: what was found in sources of schemas, with its text and JSON Schema.
//! - [`paragraph`]: lines of bounded width, for every program that prints them.
//! - [`progress`]: one line that moves, for programs that take their time.
//! - [`target`]: where a report goes, and how its file is written.
//!
//! Nothing in a report depends on the clock, the host or the order in which
//! work was done: two runs over the same bytes give the same bytes.

pub mod catalogued;
pub mod clocks;
pub mod comparison;
pub mod contents;
pub mod fingerprint;
mod fix;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod lint;
mod mappings;
pub mod model;
pub mod ndjson;
pub mod paragraph;
pub mod progress;
pub mod sarif;
mod sentence;
pub mod settings;
pub mod target;
pub mod text;

pub use model::{
    Checked, Counts, Evidence, FileReport, Finding, Limits, Report, RuleTotal, Scope, Settings,
    Severity, StreamCounts, Suppressed, Tool, Unchecked,
};
