//! What people name, opened.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use ca3_reader::l1::FileSource;

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

/// What the arguments name: files as they stand, folders as the `*.ca3` files
/// below them, by name.
pub fn expand(paths: &[PathBuf]) -> Vec<Input> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            inputs.push(Input::Stdin);
        } else if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
            folder(path, &mut inputs);
        } else {
            inputs.push(Input::File(path.clone()));
        }
    }
    inputs
}

/// Symbolic links to folders are not followed, so no ring is walked.
fn folder(path: &Path, inputs: &mut Vec<Input>) {
    let before = inputs.len();
    let mut pending = vec![path.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                inputs.push(Input::Unreadable {
                    path: folder,
                    reason: advised(&error).to_string(),
                });
                continue;
            }
        };
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
                Ok((path, kind)) if kind.is_dir() => pending.push(path),
                Ok((path, _)) if path.extension().is_some_and(|end| end == EXTENSION) => {
                    found.push(path);
                }
                Ok(_) => {}
                Err(error) => inputs.push(Input::Unreadable {
                    path: folder.clone(),
                    reason: advised(&error).to_string(),
                }),
            }
        }
    }
    found.sort();
    inputs.extend(found.into_iter().map(Input::File));
    if inputs.len() == before {
        inputs.push(Input::Unreadable {
            path: path.to_owned(),
            reason: format!("holds no file named *.{EXTENSION}; name the files themselves"),
        });
    }
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
