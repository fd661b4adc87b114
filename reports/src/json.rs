//! The report for machines.

use serde::Serialize;

use crate::Report;

/// The JSON Schema of a report, kept by hand and tested against the model.
pub const SCHEMA: &str = include_str!("../schema/report.json");

/// The report as JSON, with a line end.
///
/// # Errors
/// Where a value cannot be written, which no report holds.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    pretty(report)
}

/// Anything that a program prints as JSON, a line a value, with a line end.
///
/// # Errors
/// As [`render`].
pub fn pretty(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    // JSON has no need to escape it, and terminals and filters swallow it.
    Ok(text.replace('\u{7f}', "\\u007f"))
}
