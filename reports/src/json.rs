//! The report for machines.

use crate::Report;

/// The JSON Schema of a report, kept by hand and tested against the model.
pub const SCHEMA: &str = include_str!("../schema/report.json");

/// The report as JSON, with a line end.
///
/// # Errors
/// Where a value cannot be written, which no report holds.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    // JSON has no need to escape it, and terminals and filters swallow it.
    Ok(text.replace('\u{7f}', "\\u007f"))
}
