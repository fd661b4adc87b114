//! What a badge shows, as the endpoint of Shields asks for it.

use serde::Serialize;

use super::Report;
use crate::verdict::{Source, Standing};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge {
    schema_version: u32,
    label: String,
    message: &'static str,
    color: &'static str,
}

/// The badge of a run over the whole committed corpus; of any other run there is none,
/// since a badge is read as the word on the whole level.
pub fn render(report: &Report) -> Option<Result<String, serde_json::Error>> {
    let verdict = &report.verdict;
    if report.suite.source != Source::Committed || !verdict.partial.is_empty() {
        return None;
    }
    let (message, color) = match verdict.standing {
        Standing::Certified => ("certified", "brightgreen"),
        Standing::KnownFailures => ("known failures", "yellow"),
        Standing::NotConformant => ("not conformant", "red"),
        Standing::NotClaimed => ("not claimed", "lightgrey"),
        // Something is wrong with the run, or it did not get to the end.
        Standing::Passed | Standing::NotJudged | Standing::Interrupted => return None,
    };
    // A stale entry, or an answer to hello that is not in order, fails a run in which
    // every vector was right.
    if verdict.standing == Standing::Certified && verdict.exit_code != 0 {
        return None;
    }
    let badge = Badge {
        schema_version: 1,
        label: format!("CA3 level {}", verdict.asked),
        message,
        color,
    };
    Some(ca3_reports::json::pretty(&badge))
}
