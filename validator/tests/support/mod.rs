//! What the tests share.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]
#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod matching;
pub(crate) mod program;
pub(crate) mod recording;

use std::num::NonZeroUsize;

use ca3_reader::l1::BytesSource;
use ca3_reports::FileReport;
use ca3_schema::frames::Catalogue;
use ca3_spec::vector::{Step, Vector};
use ca3_validate::{DEFAULT_LIMITS, validate, validate_in};

/// Judges bytes under the default limits.
pub(crate) fn judge(bytes: &[u8]) -> FileReport {
    validate(&mut BytesSource(bytes), "vector.ca3", DEFAULT_LIMITS)
}

/// Judges bytes as a step asks for it: by its frames, where it brings some.
pub(crate) fn judge_as(step: &Step, bytes: &[u8]) -> FileReport {
    let mut frames = Catalogue::bundled().clone();
    if let Some(own) = step.arguments.get("frames") {
        let own = serde_json::to_vec(own).unwrap();
        frames = frames.with(Catalogue::read(&own, "frames.json").unwrap());
    }
    validate_in(
        &mut BytesSource(bytes),
        "vector.ca3",
        DEFAULT_LIMITS,
        &frames,
        NonZeroUsize::MIN,
    )
}

/// Whether a vector is for the validator.
pub(crate) fn asks_validate(vector: Option<&Vector>) -> bool {
    vector.is_some_and(|vector| vector.steps.iter().any(|step| step.op == "validate"))
}
