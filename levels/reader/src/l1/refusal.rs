//! What is reported, and what it names.

use std::io;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Decimal, Report};
use ca3_wire::{Fault, WireError};

/// Why reading does not go on.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The bytes, or the memory for the answer, could not be had: nothing is
    /// said about the file.
    Source(Box<Report>),
    /// The file violates a rule, or a limit.
    Violation(Box<Report>),
}

impl Failure {
    pub(crate) fn into_report(self) -> Box<Report> {
        match self {
            Failure::Source(report) | Failure::Violation(report) => report,
        }
    }

    /// A violation in the record whose opcode byte is at `offset`.
    #[cold]
    pub(crate) fn violation(kind: Kind, offset: u64, message: impl Into<String>) -> Self {
        let offset = Some(Decimal(offset));
        Failure::Violation(Box::new(Report {
            offset,
            ..Report::new(kind, message)
        }))
    }

    /// Bytes that do not decode, in the record whose opcode byte is at `offset`.
    #[cold]
    pub(crate) fn wire(error: &WireError, offset: u64) -> Self {
        // Items 7 and §6.1: a codec that is not assigned is named by its value.
        let value = match error.fault {
            Fault::Codec { value } => Some(u64::from(value)),
            _ => None,
        };
        Failure::violation(error.kind(), offset, error.to_string()).naming(|report| {
            report.value = value;
        })
    }

    /// The same, with more of it named.
    pub(crate) fn naming(mut self, name: impl FnOnce(&mut Report)) -> Self {
        match &mut self {
            Failure::Source(report) | Failure::Violation(report) => name(report),
        }
        self
    }

    /// The same, naming the stream concerned.
    pub(crate) fn of_stream(self, stream_ref: u32) -> Self {
        self.naming(|report| report.stream_ref = Some(stream_ref))
    }
}

impl From<io::Error> for Failure {
    #[cold]
    fn from(error: io::Error) -> Self {
        Failure::Source(Box::new(Report::new(
            Kind::Other,
            format!("reading failed: {error}"),
        )))
    }
}
