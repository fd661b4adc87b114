//! `--frames CATALOGUE`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use ca3_reports::text::plain;
use ca3_schema::frames::{Catalogue, LARGEST_CATALOGUE};

use super::Failure;
use super::judge::LONGEST_PATH;

/// The frames that come with the program, and over them those of a catalogue on disk.
pub(super) fn frames_of(path: Option<&Path>) -> Result<Catalogue, Failure> {
    let bundled = Catalogue::bundled().clone();
    let Some(path) = path else {
        return Ok(bundled);
    };
    let wrong = |reason: String| {
        let path = plain(&path.display().to_string(), LONGEST_PATH);
        Failure::Usage(format!("--frames {path}: {reason}"))
    };
    // One byte more than is taken, so that a longer one is told as such.
    let most = u64::try_from(LARGEST_CATALOGUE).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let kind = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !kind.is_file() {
        return Err(wrong("it is no file".to_owned()));
    }
    File::open(path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| wrong(error.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let own = Catalogue::read(&bytes, &name).map_err(|error| wrong(error.to_string()))?;
    Ok(bundled.with(own))
}
