//! What the tests share.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod matching;
pub(crate) mod recording;

use ca3_reader::l1::BytesSource;
use ca3_reports::FileReport;
use ca3_spec::vector::Vector;
use ca3_validate::{DEFAULT_LIMITS, validate};

/// Judges bytes under the default limits.
pub(crate) fn judge(bytes: &[u8]) -> FileReport {
    validate(&mut BytesSource(bytes), "vector.ca3", DEFAULT_LIMITS)
}

/// Whether a vector is for the validator.
pub(crate) fn asks_validate(vector: Option<&Vector>) -> bool {
    vector.is_some_and(|vector| vector.steps.iter().any(|step| step.op == "validate"))
}
