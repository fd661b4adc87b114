//! Level 1: the minimal reader (§16, items 1 to 8).
//!
//! One pass over the record spine, in file order. A record's content is read
//! only once its frame is known to end inside the file, into one buffer that
//! is used again; what the result keeps is paid for out of a [`Budget`].
//!
//! Not judged here: whatever only restates or accelerates (the index, the
//! directory, the statistics, stored bounds and flags, the order of summary
//! groups; reading G71).
//!
//! [`Budget`]: ca3_wire::Budget

pub(crate) mod chunks;
pub(crate) mod definitions;
pub(crate) mod open;
mod recording;
pub(crate) mod refusal;
mod source;
pub(crate) mod spine;
pub(crate) mod views;

pub use open::FEATURES;
pub use source::{BytesSource, FileSource, Shared, Source};

use std::path::Path;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{ReadResult, Report};

use recording::Recording;
use refusal::Failure;

/// What a file may make its reader take (reading G105).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory for what is read of one file: the largest content, the
    /// largest decompressed chunk, and every definition and message returned.
    /// A record while it is decoded may take a few times its content besides.
    pub memory: u64,
}

impl Default for Limits {
    /// One gibibyte.
    fn default() -> Self {
        Limits { memory: 1 << 30 }
    }
}

/// Reads a whole file.
///
/// # Errors
/// The violation for which the file is refused, or what kept its bytes from
/// being read.
pub fn read(source: &mut dyn Source, limits: &Limits) -> Result<ReadResult, Box<Report>> {
    Recording::read(source, limits).map_err(Failure::into_report)
}

/// Reads the file at a path.
///
/// # Errors
/// As [`read`]; a path that cannot be opened is [`Kind::Other`].
pub fn read_path(path: &Path, limits: &Limits) -> Result<ReadResult, Box<Report>> {
    let mut source = FileSource::open(path).map_err(|error| {
        Box::new(Report::new(
            Kind::Other,
            format!("{}: {error}", path.display()),
        ))
    })?;
    read(&mut source, limits)
}

#[cfg(test)]
mod tests;
