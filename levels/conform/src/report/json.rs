//! The whole result, for programs.

use super::Report;

/// The report as JSON. No time and no host name stand in it: the same
/// implementation, vectors and seed give the same bytes.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    // JSON has no need to escape it, and terminals and filters swallow it.
    Ok(text.replace('\u{7f}', "\\u007f"))
}
