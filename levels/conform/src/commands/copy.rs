//! `copy`: the committed vectors as files, to open in a debugger or an editor.

use std::fs;
use std::path::Path;

use ca3_vectors::{Corpus, FORMATS};

use super::{Failure, print};
use crate::cli::{Color, CopyArgs};

pub(super) fn copy(arguments: &CopyArgs) -> Result<u8, Failure> {
    let cannot = |path: &Path, source| Failure::Write {
        target: path.display().to_string(),
        source,
    };
    for format in FORMATS {
        let folder = arguments.folder.join(format);
        if folder.exists() {
            let exists = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(cannot(&folder, exists));
        }
    }
    let corpus = Corpus::embedded();
    let mut count = 0_usize;
    for (name, bytes) in corpus.files() {
        let path = arguments.folder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| cannot(folder, source))?;
        }
        fs::write(&path, bytes).map_err(|source| cannot(&path, source))?;
        count += 1;
    }
    print(
        &format!("{count} files in {}\n", arguments.folder.display()),
        Color::Never,
    )?;
    Ok(0)
}
