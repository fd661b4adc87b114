//! Checks over one CA3 file.
//!
//! - [`validate`] is the whole of it: one forward pass over the record spine,
//!   what was met compared with what the file's own tables say, and a report.
//! - [`rules`] lists which rules are judged, and which are not and why;
//!   [`rules::policy`] says what of a finished report counts.
//! - [`input`] opens what people name: files, folders, patterns, standard input.
//! - [`commands`] and [`cli`] are the program `ca3-validate`.
//!
//! Memory grows with the number of chunks and streams, and of the messages that
//! clock mappings, delays and events travel in, never with the bytes of the file; no
//! length that a file claims is allocated. A violation never ends
//! a scan by itself: each path through one goes on behind the record, or stops
//! and says where.

mod attributes;
mod baseline;
mod checks;
pub mod cli;
pub mod commands;
mod config;
mod contents;
mod findings;
mod globs;
pub mod input;
mod jobs;
mod progress;
pub mod rules;
mod scan;
mod size;
mod wire_rules;

use std::num::NonZeroUsize;

use ca3_reader::l1::Source;
use ca3_reports::{FileReport, Limits};
use ca3_schema::frames::Catalogue;

/// What this program is called.
const NAME: &str = "ca3-validate";

/// The limits where none are stated: half a gibibyte (reading G105), ten
/// findings a rule.
pub const DEFAULT_LIMITS: Limits = Limits {
    memory: 512 << 20,
    findings_per_rule: 10,
};

/// Judges one file by the frames that come with this program, which are those of
/// fixtures; `path` is only repeated in the report.
pub fn validate(source: &mut dyn Source, path: &str, limits: Limits) -> FileReport {
    validate_in(
        source,
        path,
        limits,
        Catalogue::bundled(),
        NonZeroUsize::MIN,
    )
}

/// Judges one file by these frames: no record carries a declaration of one (§5.5). Its
/// chunks are judged on that many threads, where the source can be read by several at
/// once; the report is the same.
pub fn validate_in(
    source: &mut dyn Source,
    path: &str,
    limits: Limits,
    frames: &Catalogue,
    threads: NonZeroUsize,
) -> FileReport {
    scan::scan(source, path, limits, frames, threads)
}

/// SHA-256 of a whole file, in hexadecimal.
///
/// # Errors
/// Where it cannot be read to its end.
pub fn digest(source: &mut dyn Source) -> std::io::Result<String> {
    scan::sha256(source)
}
