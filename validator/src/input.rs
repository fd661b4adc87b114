//! What people name, opened.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use ca3_reader::l1::FileSource;

use crate::globs::{Found, Pattern, walk};

/// What a folder is searched for.
const EXTENSION: &str = "ca3";

/// One thing to judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file at a path.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// Something that cannot be judged, and why.
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl Input {
    /// What the report calls it.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) | Input::Unreadable { path, .. } => path.display().to_string(),
            Input::Stdin => "-".to_owned(),
        }
    }

    /// Where it is, where that is a place in the file system.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::File(path) | Input::Unreadable { path, .. } => Some(path),
            Input::Stdin => None,
        }
    }
}

/// What people name, and the folder that it is relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The folder; the current one where it is empty.
    pub folder: PathBuf,
    /// A file, a folder, a pattern for files, or `-`.
    pub path: PathBuf,
}

/// What is named: files as they stand, folders as the `*.ca3` files below them,
/// patterns as the files that match, each of these by name. A file that is reached
/// twice is judged once, under the first of its names.
pub fn expand(named: &[Named]) -> Vec<Input> {
    let mut inputs = Vec::new();
    for it in named {
        one(it, &mut inputs);
    }
    let mut met = BTreeSet::new();
    inputs.retain(|input| match input {
        Input::File(path) => met.insert(fs::canonicalize(path).unwrap_or(path.clone())),
        Input::Stdin => met.insert(PathBuf::from("-")),
        Input::Unreadable { .. } => true,
    });
    inputs
}

fn one(named: &Named, inputs: &mut Vec<Input>) {
    if named.path.as_os_str() == "-" {
        inputs.push(Input::Stdin);
        return;
    }
    let path = named.folder.join(&named.path);
    let unreadable = |reason| Input::Unreadable {
        path: path.clone(),
        reason,
    };
    if fs::metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
        let is_wanted = |path: &Path| path.extension().is_some_and(|end| end == EXTENSION);
        if !take(walk(&path, usize::MAX, is_wanted), inputs) {
            inputs.push(unreadable(format!(
                "holds no file named *.{EXTENSION}; name the files themselves"
            )));
        }
        return;
    }
    // Whatever is there, a link that leads nowhere too, is what it is named.
    let absent = fs::symlink_metadata(&path).is_err_and(|it| it.kind() == io::ErrorKind::NotFound);
    match Pattern::of(&named.path).filter(|_| absent) {
        None => inputs.push(Input::File(path)),
        Some(Ok(pattern)) => {
            if !take(pattern.files(&named.folder), inputs) {
                let reason = "no file matches this pattern; see whether the path is right, and \
                              whether ** should stand for the folders below";
                inputs.push(unreadable(reason.to_owned()));
            }
        }
        Some(Err(error)) => inputs.push(unreadable(format!(
            "no file is named so, and it is no pattern: {}",
            error.kind()
        ))),
    }
}

/// Takes what was found, and says whether there was anything.
fn take(found: Found, inputs: &mut Vec<Input>) -> bool {
    let any = !found.is_empty();
    inputs.extend(found.into_values().map(|(path, error)| match error {
        None => Input::File(path),
        Some(error) => Input::Unreadable {
            path,
            reason: advised(&error).to_string(),
        },
    }));
    any
}

/// An opened input; what was spooled lives as long as it.
pub struct Opened {
    /// Its bytes.
    pub source: FileSource,
    _spooled: Option<tempfile::NamedTempFile>,
}

/// Opens an input.
///
/// # Errors
/// Where it cannot be read; what is no seekable file is said to be so, and is
/// never opened, since opening a pipe may wait for ever.
pub fn open(input: &Input) -> io::Result<Opened> {
    match input {
        Input::Unreadable { reason, .. } => Err(io::Error::other(reason.clone())),
        Input::Stdin => spool(&mut io::stdin().lock()).map_err(|error| advised(&error)),
        Input::File(path) => {
            let metadata = fs::metadata(path).map_err(|error| advised(&error))?;
            if !metadata.is_file() {
                return Err(io::Error::other(
                    "is not a regular file: judging needs one that can be read at any \
                     offset (`-` reads standard input into one)",
                ));
            }
            Ok(Opened {
                source: FileSource::open(path).map_err(|error| advised(&error))?,
                _spooled: None,
            })
        }
    }
}

/// The system's reason, and what to do about it.
fn advised(error: &io::Error) -> io::Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "see whether the path is right",
        io::ErrorKind::PermissionDenied => "judging it takes the permission to read it",
        io::ErrorKind::StorageFull => "make room in the folder for temporary files, or set TMPDIR",
        _ => "name a file that can be opened and read",
    };
    io::Error::new(error.kind(), format!("{error}; {advice}"))
}

/// Copies a stream into a file of its own, which goes away with the result.
fn spool(stream: &mut dyn Read) -> io::Result<Opened> {
    let mut spooled = tempfile::NamedTempFile::new()?;
    io::copy(stream, spooled.as_file_mut())?;
    File::flush(spooled.as_file_mut())?;
    Ok(Opened {
        source: FileSource::open(spooled.path())?,
        _spooled: Some(spooled),
    })
}
