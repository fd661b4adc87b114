//! The whole result, for programs.

use super::Report;

/// The report as JSON. No time and no host name stand in it: the same
/// implementation, vectors and seed give the same bytes.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    ca3_reports::json::pretty(report)
}
