//! Files below a folder: those named `*.ca3`, or those that a pattern matches.
//!
//! Nothing is left out for being hidden or for what a .gitignore says: what is not
//! judged must not look as if it passed. Links to folders are not followed, so no
//! ring is walked.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// What makes a path that is not there a pattern.
const SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// A pattern: the folder that it begins in, and what files below match.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Where it begins, as it is written.
    begin: String,
    matcher: GlobMatcher,
    /// How many folders deep a match may lie, where that is bounded.
    depth: usize,
}

impl Pattern {
    /// The pattern that a path is, if it is one.
    ///
    /// # Errors
    /// Why it is none although it looks like one.
    pub(crate) fn of(path: &Path) -> Option<Result<Self, globset::Error>> {
        let text = path.to_str()?;
        let sign = text.find(SIGNS)?;
        let begin = text.get(..sign)?.rfind('/').map_or(0, |slash| slash + 1);
        let (begin, rest) = text.split_at_checked(begin)?;
        // A slash more makes no difference in a path, nor does it in a pattern.
        let parts: Vec<&str> = rest
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        let rest = parts.join("/");
        let depth = if rest.contains("**") {
            usize::MAX
        } else {
            parts.len()
        };
        let built = GlobBuilder::new(&rest).literal_separator(true).build();
        Some(built.map(|glob| Pattern {
            begin: begin.to_owned(),
            matcher: glob.compile_matcher(),
            depth,
        }))
    }

    /// The files that match, in a folder that paths are relative to.
    pub(crate) fn files(&self, folder: &Path) -> Found {
        let begin = folder.join(&self.begin);
        walk(&begin, self.depth, |path| {
            let below = path.strip_prefix(&begin).unwrap_or(path);
            self.matcher.is_match(below)
        })
    }
}

/// Files, and folders that could not be looked into and why, by path.
pub(crate) type Found = BTreeMap<Vec<u8>, (PathBuf, Option<io::Error>)>;

/// The files below a folder that are wanted, at most so many folders deep.
pub(crate) fn walk(folder: &Path, depth: usize, wanted: impl Fn(&Path) -> bool) -> Found {
    let mut found = Found::new();
    let mut add = |path: PathBuf, error| {
        let key = path.as_os_str().as_encoded_bytes().to_vec();
        found.insert(key, (path, error));
    };
    let mut pending = vec![(folder.to_owned(), 1)];
    while let Some((folder, level)) = pending.pop() {
        // The folder that paths are relative to has no name.
        let here = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => &folder,
        };
        let entries = match fs::read_dir(here) {
            Ok(entries) => entries,
            Err(error) => {
                add(folder, Some(error));
                continue;
            }
        };
        for entry in entries {
            let met = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)));
            match met {
                Ok((name, kind)) if kind.is_dir() => {
                    if level < depth {
                        pending.push((folder.join(name), level + 1));
                    }
                }
                Ok((name, kind)) => {
                    let path = folder.join(name);
                    let is_folder = kind.is_symlink() && path.is_dir();
                    if wanted(&path) && !is_folder {
                        add(path, None);
                    }
                }
                Err(error) => add(folder.clone(), Some(error)),
            }
        }
    }
    found
}
