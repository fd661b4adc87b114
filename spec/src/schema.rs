//! The JSON Schemas (draft 2020-12) of `spec/schema/`, embedded.
//!
//! They are written by hand; tests of the harness hold every committed sidecar,
//! every answer and reports against them, tests of `ca3-convert` its statements,
//! and both compare their members with those of the types, so that neither
//! changes alone.

/// A line to an implementation; `#read` and the like are one operation's.
pub const REQUEST: &str = include_str!("../schema/request.json");

/// A line from an implementation; `#read` and the like are one operation's.
pub const ANSWER: &str = include_str!("../schema/answer.json");

/// The description of a case, beside its files.
pub const SIDECAR: &str = include_str!("../schema/sidecar.json");

/// The report of a run of `ca3-conform`.
pub const REPORT: &str = include_str!("../schema/report.json");

/// The statement of `ca3-convert recover --json`.
pub const RECOVERY: &str = include_str!("../schema/recovery.json");
