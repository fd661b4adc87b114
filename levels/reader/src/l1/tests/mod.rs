//! Files assembled record by record, and what comes back.

mod build;
mod refused;
mod sealed;
mod sweeps;
mod unsealed;

use super::{BytesSource, Limits, read};
use build::File;
use ca3_spec::kind::Kind;
use ca3_spec::protocol::{ReadResult, Report};

fn read_bytes(bytes: &[u8]) -> Result<ReadResult, Box<Report>> {
    read(&mut BytesSource(bytes), &Limits::default())
}

fn accepted(file: &File) -> ReadResult {
    read_bytes(&file.bytes).unwrap()
}

fn refused(file: &File) -> Report {
    *read_bytes(&file.bytes).unwrap_err()
}

/// The kinds of a result's problems, with the offset that each names.
fn problems(result: &ReadResult) -> Vec<(Kind, Option<u64>)> {
    result
        .problems
        .iter()
        .map(|problem| (problem.kind, problem.offset.map(|offset| offset.0)))
        .collect()
}

/// The first payload byte of each message.
fn payloads(result: &ReadResult) -> Vec<u8> {
    result
        .messages
        .iter()
        .map(|message| message.payload.0[0])
        .collect()
}
