//! Why something was not written.

use std::io;

use ca3_spec::kind::Kind;
use ca3_wire::EncodeError;
use thiserror::Error;

/// Why something was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The sink failed. What lies in it ends within a record, perhaps, and the
    /// writer takes no more.
    #[error("the sink failed: {0}")]
    Sink(#[from] io::Error),
    /// The sink failed before.
    #[error("the sink failed before: nothing more is written to it")]
    Broken,
    /// A value has no encoding (§1.2).
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// No conforming writer may write it. Nothing of it was written.
    #[error("{message}")]
    Refused {
        /// What sort of violation it would be.
        kind: Kind,
        /// What is wrong with it.
        message: String,
    },
}

impl WriteError {
    #[cold]
    pub(crate) fn refused(kind: Kind, message: impl Into<String>) -> Self {
        WriteError::Refused {
            kind,
            message: message.into(),
        }
    }

    #[cold]
    pub(crate) fn undeclared(field: &str, reference: u32) -> Self {
        WriteError::refused(
            Kind::UnresolvedReference,
            format!("{field} {reference} is not declared"),
        )
    }
}
