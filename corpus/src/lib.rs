//! The committed conformance corpus, embedded, and the same layout on disk.
//!
//! A corpus is a set of named files: `<id>.json` beside `<id>.valid.ca3` and
//! `<id>.invalid.ca3`, where an id is `ca3/<folder>/<case>`. [`Corpus`] turns
//! them into cases and refuses what does not fit together, naming the file:
//! a vector that no sidecar mentions would be a check that never runs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use ca3_spec::vector::{Case, Polarity, Sidecar};
use sha2::{Digest, Sha256};

/// The folders of a corpus, one a format.
pub const FORMATS: &[&str] = &["ca3"];

/// The generators' list of what they wrote; no case, and not part of the hash.
const MANIFEST: &str = "manifest.json";

/// `(name, bytes)` of every file that was committed.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/corpus_files.rs"));

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file or a folder that cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder that is no corpus.
    #[error(
        "{} holds no vectors: a corpus folder holds a folder `ca3` with \
         <item>-<slug>/<case>.json and the vectors beside it",
        path.display()
    )]
    NoCorpus {
        /// Which.
        path: PathBuf,
    },
    /// A sidecar that is not of the form that this kit reads.
    #[error("{file}: not a sidecar of this kit: {source}")]
    Sidecar {
        /// Which.
        file: String,
        /// Why.
        source: serde_json::Error,
    },
    /// A sidecar that stands elsewhere than its id says.
    #[error("{file}: says that it is {id}, which would be {id}.json")]
    Misplaced {
        /// Which.
        file: String,
        /// The id in it.
        id: String,
    },
    /// A vector that a sidecar names and that is not there.
    #[error("{sidecar}: names {file}, which is not there")]
    Missing {
        /// The sidecar.
        sidecar: String,
        /// The vector.
        file: String,
    },
    /// A file that no sidecar names.
    #[error("{file}: no sidecar names it, so nothing would ever judge it")]
    Stray {
        /// Which.
        file: String,
    },
}

/// Named files that make up a corpus.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

impl Corpus {
    /// The committed corpus.
    pub fn embedded() -> Self {
        let files = FILES
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes)))
            .collect();
        Corpus { files }
    }

    /// The corpus in a folder of the same layout, which holds `ca3/`.
    pub fn from_dir(path: &Path) -> Result<Self, CorpusError> {
        let mut files = BTreeMap::new();
        for format in FORMATS {
            let folder = path.join(format);
            if folder.is_dir() {
                walk(&folder, format, &mut files)?;
            }
        }
        if !files
            .keys()
            .any(|name| name.ends_with(".json") && !is_manifest(name))
        {
            return Err(CorpusError::NoCorpus {
                path: path.to_owned(),
            });
        }
        Ok(Corpus { files })
    }

    /// `(name, bytes)` of every file, by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_ref()))
    }

    /// Every case, by id.
    pub fn cases(&self) -> Result<Vec<Case>, CorpusError> {
        let mut named = BTreeSet::new();
        let mut cases = Vec::new();
        for (name, bytes) in self.files() {
            let Some(id) = name.strip_suffix(".json").filter(|_| !is_manifest(name)) else {
                continue;
            };
            let sidecar: Sidecar =
                serde_json::from_slice(bytes).map_err(|source| CorpusError::Sidecar {
                    file: name.to_owned(),
                    source,
                })?;
            if sidecar.id != id {
                return Err(CorpusError::Misplaced {
                    file: name.to_owned(),
                    id: sidecar.id,
                });
            }
            let valid = self.vector(name, &sidecar, Polarity::Valid, &mut named)?;
            let invalid = self.vector(name, &sidecar, Polarity::Invalid, &mut named)?;
            cases.push(Case {
                sidecar,
                valid,
                invalid,
            });
        }
        match self
            .files()
            .find(|(name, _)| !name.ends_with(".json") && !named.contains(*name))
        {
            Some((file, _)) => Err(CorpusError::Stray {
                file: file.to_owned(),
            }),
            None => Ok(cases),
        }
    }

    fn vector(
        &self,
        sidecar_name: &str,
        sidecar: &Sidecar,
        polarity: Polarity,
        named: &mut BTreeSet<String>,
    ) -> Result<Option<Vec<u8>>, CorpusError> {
        let Some(vector) = sidecar.side(polarity).vector() else {
            return Ok(None);
        };
        let folder = sidecar_name
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let file = format!("{folder}/{}", vector.file);
        match self.files.get(&file) {
            Some(bytes) => {
                named.insert(file);
                Ok(Some(bytes.to_vec()))
            }
            None => Err(CorpusError::Missing {
                sidecar: sidecar_name.to_owned(),
                file,
            }),
        }
    }

    /// SHA-256 over the corpus, in lower-case hexadecimal: for every file but
    /// the manifest, in the order of their names' bytes, the name, a zero byte,
    /// the length as eight bytes little-endian, and the bytes.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for (name, bytes) in self.files().filter(|(name, _)| !is_manifest(name)) {
            hash.update(name.as_bytes());
            hash.update([0]);
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(bytes);
        }
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// The committed cases, by id.
pub fn cases() -> Result<Vec<Case>, CorpusError> {
    Corpus::embedded().cases()
}

/// The cases of a folder that holds `ca3/`, by id.
pub fn from_dir(path: &Path) -> Result<Vec<Case>, CorpusError> {
    Corpus::from_dir(path)?.cases()
}

/// The hash of the committed corpus; see [`Corpus::sha256`].
pub fn suite_sha256() -> String {
    Corpus::embedded().sha256()
}

fn is_manifest(name: &str) -> bool {
    FORMATS.iter().any(|format| {
        name.strip_prefix(format)
            .and_then(|rest| rest.strip_prefix('/'))
            == Some(MANIFEST)
    })
}

fn unreadable(path: &Path, source: io::Error) -> CorpusError {
    CorpusError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn walk(
    folder: &Path,
    name: &str,
    files: &mut BTreeMap<String, Cow<'static, [u8]>>,
) -> Result<(), CorpusError> {
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        let Some(last) = path.file_name().map(|last| last.to_string_lossy()) else {
            continue;
        };
        if last.starts_with('.') {
            continue;
        }
        let name = format!("{name}/{last}");
        if path.is_dir() {
            walk(&path, &name, files)?;
        } else {
            let bytes = fs::read(&path).map_err(|error| unreadable(&path, error))?;
            files.insert(name, Cow::Owned(bytes));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
