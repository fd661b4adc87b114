//! A finding in a line, for formats that have one line for it.

use std::fmt::Write as _;

use crate::Finding;
use crate::text::{LONGEST_MESSAGE, LONGEST_VALUE, plain};

/// The longest path that is shown: longer ones no file system has.
pub(crate) const LONGEST_PATH: usize = 5_000;

/// What is the case and where, with what is expected and found.
pub(crate) fn of(finding: &Finding) -> String {
    let mut line = format!(
        "{}: {}",
        plain(&finding.field, LONGEST_VALUE),
        plain(&finding.message, LONGEST_MESSAGE)
    );
    if let Some(evidence) = &finding.evidence {
        let _ = write!(
            line,
            " (expected {}, found {})",
            plain(&evidence.expected, LONGEST_VALUE),
            plain(&evidence.found, LONGEST_VALUE)
        );
    }
    line
}
