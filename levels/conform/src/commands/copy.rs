//! Vectors as files: `copy` writes them to be opened in a debugger or an editor,
//! and a run keeps those of the cases that fail.

use std::fs;
use std::io;
use std::path::Path;

use ca3_generators::corpus;
use ca3_spec::vector::Case;
use ca3_vectors::{Corpus, FORMATS};

use super::{Failure, print};
use crate::cli::{Color, CopyArgs};
use crate::suite::{Origin, all_cases, find};

pub(super) fn copy(arguments: &CopyArgs) -> Result<u8, Failure> {
    let folder = &arguments.folder;
    let origin = arguments.origin.origin();
    must_be_free(folder)?;
    let count = match (&origin, arguments.cases.as_slice()) {
        // As they were committed, byte by byte.
        (Origin::Committed, []) => write(folder, Corpus::embedded().files())?,
        (Origin::Directory(path), []) => {
            let corpus = Corpus::from_dir(path).map_err(crate::suite::SuiteError::from)?;
            write(folder, corpus.files())?
        }
        (Origin::Fresh(_), []) => write_cases(folder, &all_cases(&origin)?)?,
        (_, names) => {
            let all = all_cases(&origin)?;
            let mut chosen = Vec::new();
            for name in names {
                chosen.push(find(&all, name).map_err(Failure::Case)?.clone());
            }
            write_cases(folder, &chosen)?
        }
    };
    print(
        &format!("{count} files in {}\n", folder.display()),
        Color::Never,
    )?;
    Ok(0)
}

/// A folder into which vectors are to be written holds none, so that nobody's
/// files are written over and none of an earlier time is taken for a new one.
pub(super) fn must_be_free(folder: &Path) -> Result<(), Failure> {
    for format in FORMATS {
        let path = folder.join(format);
        if path.exists() {
            let why = "it is there already; give another folder, or remove it";
            return Err(cannot(&path, io::Error::other(why)));
        }
    }
    Ok(())
}

/// Writes cases as a corpus and gives the number of files.
pub(super) fn write_cases(folder: &Path, cases: &[Case]) -> Result<usize, Failure> {
    let files = corpus::files(cases);
    let files = files.map_err(|error| cannot(folder, io::Error::other(error)))?;
    write(
        folder,
        files
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
    )
}

fn write<'a>(
    target: &Path,
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Result<usize, Failure> {
    let mut count = 0_usize;
    for (name, bytes) in files {
        let path = target.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| cannot(folder, source))?;
        }
        fs::write(&path, bytes).map_err(|source| cannot(&path, source))?;
        count += 1;
    }
    Ok(count)
}

fn cannot(path: &Path, source: io::Error) -> Failure {
    Failure::Write {
        target: path.display().to_string(),
        source,
    }
}
