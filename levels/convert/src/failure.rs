//! Why there is no output.

use thiserror::Error;

/// Why there is no output; the output path is as it was.
#[derive(Debug, Error)]
pub enum Failure {
    /// Wrong usage.
    #[error("{0}")]
    Usage(String),
    /// The source cannot be read, or is no CA3 file.
    #[error("{0}")]
    Source(String),
    /// The output cannot be written.
    #[error("{0}")]
    Output(String),
    /// What was written is not what it should be.
    #[error(
        "a bug of ours: {0}; nothing was put in place, and the source is as it was. Please \
         report it, with the source where that can be shared"
    )]
    Bug(String),
    /// A signal came.
    #[error("stopped by {name}: nothing was put in place, and nothing is left behind")]
    Stopped {
        /// Its name.
        name: &'static str,
        /// The exit code for it.
        code: u8,
    },
}

impl Failure {
    /// The exit code.
    pub const fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Source(_) | Failure::Output(_) => 3,
            Failure::Bug(_) => 4,
            Failure::Stopped { code, .. } => *code,
        }
    }
}
