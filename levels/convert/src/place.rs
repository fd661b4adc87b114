//! Where the output goes: a file of its own, which gets its name at the end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::Failure;

/// What the temporary file's name begins with.
const PREFIX: &str = ".ca3-convert-";

/// Whether what stands at the output path may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is left as it is, and the run ends.
    Keep,
    /// It is replaced, once there is something to replace it with.
    Replace,
}

/// A file beside the output path, which goes away unless it is put in place.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) file: NamedTempFile,
    output: PathBuf,
    existing: Existing,
}

impl Place {
    /// Looks at both paths, and opens the file beside the output.
    pub(crate) fn open(input: &Path, output: &Path, existing: Existing) -> Result<Self, Failure> {
        if same(input, output) {
            return Err(Failure::Usage(format!(
                "{} is the source: the output is a new file, so name another one",
                output.display()
            )));
        }
        let folder = folder(output);
        if fs::canonicalize(folder).is_ok_and(|folder| is_of_devices(&folder)) {
            return Err(Failure::Usage(format!(
                "{} is no place for a file, but of the system: name a file in a folder of yours",
                output.display()
            )));
        }
        if is_file(output)? && existing == Existing::Keep {
            return Err(taken(output));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(".tmp");
        #[cfg(unix)]
        {
            // As any new file: what the umask leaves.
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(folder)
            .map_err(|error| unwritable(output, &error))?;
        Ok(Place {
            file,
            output: output.to_owned(),
            existing,
        })
    }

    /// Gives the file its name. It lies on the medium by then.
    pub(crate) fn settle(self) -> Result<(), Failure> {
        let Place {
            file,
            output,
            existing,
        } = self;
        // Somebody may have put something else there meanwhile.
        is_file(&output)?;
        let settled = file.as_file().sync_all().and_then(|()| {
            let persisted = match existing {
                Existing::Replace => file.persist(&output),
                Existing::Keep => file.persist_noclobber(&output),
            };
            persisted.map(drop).map_err(|failed| failed.error)
        });
        settled.map_err(|error| match error.kind() {
            // Somebody was quicker.
            io::ErrorKind::AlreadyExists => taken(&output),
            _ => unwritable(&output, &error),
        })
    }
}

/// Where the output goes.
fn folder(output: &Path) -> &Path {
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a folder holds what the system puts there; memory that is used as a
/// disk is none.
fn is_of_devices(folder: &Path) -> bool {
    let of_system = ["/dev", "/proc"]
        .iter()
        .any(|root| folder.starts_with(root));
    of_system && !folder.starts_with("/dev/shm")
}

/// Whether a regular file stands there, which may be replaced; an error where it
/// is anything else. A link would be replaced, and not what it leads to.
fn is_file(output: &Path) -> Result<bool, Failure> {
    match fs::symlink_metadata(output) {
        Ok(there) if there.is_symlink() => Err(Failure::Usage(format!(
            "{} is a symbolic link, which would be replaced itself: name the file itself",
            output.display()
        ))),
        Ok(there) if !there.is_file() => Err(Failure::Usage(format!(
            "{} is there and is no file: name one that is new",
            output.display()
        ))),
        there => Ok(there.is_ok()),
    }
}

fn taken(output: &Path) -> Failure {
    Failure::Usage(format!(
        "{} is there: name another file, or replace it with --force",
        output.display()
    ))
}

/// An output that cannot be written, and what to do about it.
pub(crate) fn unwritable(output: &Path, error: &io::Error) -> Failure {
    let advice = advice(error);
    Failure::Output(format!(
        "{} was not written: {error}; {advice}",
        output.display()
    ))
}

/// The same where only the error is known.
pub(crate) fn failed(error: &io::Error) -> Failure {
    let advice = advice(error);
    Failure::Output(format!("the output was not written: {error}; {advice}"))
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room, or write to another disk"
        }
        io::ErrorKind::NotFound => "make the folder first",
        _ => "name a file in a folder that can be written to",
    }
}

/// Whether two paths lead to one file, by whatever names and links.
fn same(input: &Path, output: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (fs::metadata(input), fs::metadata(output)) {
        use std::os::unix::fs::MetadataExt as _;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    match (fs::canonicalize(input), fs::canonicalize(output)) {
        (Ok(one), Ok(other)) => one == other,
        _ => input == output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_system_are_told_from_others() {
        for folder in ["/dev", "/dev/fd", "/proc/self/fd", "/proc"] {
            assert!(is_of_devices(Path::new(folder)), "{folder}");
        }
        for folder in ["/dev/shm", "/dev/shm/a", "/home/dev", "/developer", "/"] {
            assert!(!is_of_devices(Path::new(folder)), "{folder}");
        }
    }
}
