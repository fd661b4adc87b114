//! Where sources are found, and how they are read within bounds.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ca3_spec::proto;

use crate::descriptor::MOST_BYTES;

/// The format's own files, which need not be in an include folder.
const EMBEDDED: [proto::ProtoFile; 3] = [proto::OPTIONS, proto::FRAMES, proto::TIME];

/// Reads a file of at most [`MOST_BYTES`]; in words, why it cannot be. What is no
/// regular file is never opened, since opening a pipe may wait for ever.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.is_dir() {
        return Err("is a folder; name the files themselves".to_owned());
    }
    if !metadata.is_file() {
        return Err("is not a regular file".to_owned());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    // It may grow in the meantime.
    file.take(MOST_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > MOST_BYTES {
        let length = metadata.len().max(length);
        return Err(format!("has {length} bytes; {MOST_BYTES} at most are read"));
    }
    Ok(bytes)
}

/// The same for text.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    text(read(path)?)
}

/// Bytes as the text of a source, without a byte order mark.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("is not UTF-8 from byte {at} on")
    })?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// What an import leads to.
pub(super) enum Found {
    /// A file of an include folder, and its text.
    Source(PathBuf, Result<String, String>),
    /// A file of this format, which stands in no folder.
    Embedded(&'static str),
    /// Nothing that is known here.
    Unknown,
}

/// The folders in which imports are looked up.
#[derive(Clone, Debug, Default)]
pub(super) struct Includes(pub(super) Vec<PathBuf>);

impl Includes {
    /// Those given; else the folder of the source and the current one.
    pub(super) fn of(source: &Path, given: &[PathBuf]) -> Self {
        if !given.is_empty() {
            return Includes(given.to_vec());
        }
        let own = source.parent().unwrap_or(Path::new(""));
        let mut folders = vec![own.to_owned()];
        if own != Path::new("") && own != Path::new(".") {
            folders.push(PathBuf::new());
        }
        Includes(folders)
    }

    /// The name by which imports would name a source: from the first of the folders
    /// that it lies in; else its own.
    pub(super) fn name(&self, source: &Path) -> String {
        let whole = |path: &Path| {
            let path = if path == Path::new("") {
                Path::new(".")
            } else {
                path
            };
            fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
        };
        let resolved = whole(source);
        let below = self
            .0
            .iter()
            .find_map(|folder| Some(resolved.strip_prefix(whole(folder)).ok()?.to_owned()));
        let own = || source.file_name().map(PathBuf::from).unwrap_or_default();
        let parts: Vec<String> = below
            .unwrap_or_else(own)
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        parts.join("/")
    }

    /// Looks an import up: in the folders, then among this format's own files.
    pub(super) fn find(&self, name: &str) -> Found {
        for folder in &self.0 {
            let path = folder.join(name);
            // Whatever stands there: a folder of that name is told about.
            if fs::metadata(&path).is_ok() {
                let text = read_text(&path);
                return Found::Source(path, text);
            }
        }
        EMBEDDED
            .iter()
            .find(|file| file.path == name)
            .map_or(Found::Unknown, |file| Found::Embedded(file.source))
    }
}

/// The folder above a source from which an import would be found.
pub(super) fn folder_for(source: &Path, import: &str) -> Option<PathBuf> {
    const FARTHEST: usize = 32;
    source
        .ancestors()
        .skip(1)
        .take(FARTHEST)
        .find(|folder| folder.join(import).is_file())
        .map(Path::to_owned)
}
