//! `--frames CATALOGUE`.

use std::path::Path;

use ca3_schema::frames::Catalogue;

use super::Failure;

/// The frames of a catalogue on disk.
pub(super) fn frames_of(path: &Path) -> Result<Catalogue, Failure> {
    // PENDING: `Catalogue::read(bytes, name)`.
    Err(Failure::Usage(format!(
        "--frames {}: not yet",
        path.display()
    )))
}
