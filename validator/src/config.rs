//! `--config FILE`: options of the command line, kept in a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ca3_reports::target::Target;
use ca3_schema::nearest::nearest;
use serde::{Deserialize, Deserializer, de};

use crate::cli::{FailOn, Format, MOST_FINDINGS, MOST_JOBS, format};
use crate::rules::selector::Selector;
use crate::size::Size;

/// The largest configuration that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// What a configuration may say. It is looked for nowhere: a file that nobody named
/// must not change a verdict.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) fail_on: Option<FailOn>,
    pub(crate) only: Vec<Selector>,
    pub(crate) ignore: Vec<Selector>,
    pub(crate) severity: BTreeMap<Selector, FailOn>,
    #[serde(deserialize_with = "max_findings")]
    pub(crate) max_findings: Option<u64>,
    frames: Option<Named>,
    baseline: Option<Named>,
    #[serde(deserialize_with = "jobs")]
    pub(crate) jobs: Option<u16>,
    #[serde(deserialize_with = "formats")]
    format: Vec<Target<Format>>,
    limits: Limits,
    paths: Vec<Named>,
    /// The folder of the file, which its paths are relative to.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    memory: Option<Size>,
}

/// A path that is not empty: an empty one would be the folder itself.
#[derive(Debug)]
struct Named(PathBuf);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Err(de::Error::custom("a path is empty"));
        }
        Ok(Named(PathBuf::from(text)))
    }
}

fn formats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Target<Format>>, D::Error> {
    let targets = Vec::<String>::deserialize(deserializer)?;
    let targets = targets.iter().map(|text| format(text));
    targets.collect::<Result<_, _>>().map_err(de::Error::custom)
}

fn max_findings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    within(deserializer, MOST_FINDINGS)
}

fn jobs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    let jobs = within(deserializer, MOST_JOBS.into())?;
    Ok(jobs.and_then(|jobs| u16::try_from(jobs).ok()))
}

fn within<'de, D: Deserializer<'de>>(deserializer: D, most: u64) -> Result<Option<u64>, D::Error> {
    let number = i64::deserialize(deserializer)?;
    match u64::try_from(number) {
        Ok(number) if (1..=most).contains(&number) => Ok(Some(number)),
        _ => Err(de::Error::custom(format!("{number} is not in 1..={most}"))),
    }
}

impl Config {
    /// Reads a configuration.
    ///
    /// # Errors
    /// What is wrong with it, with line and column.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let kind = std::fs::metadata(path).map_err(|error| error.to_string())?;
        if !kind.is_file() {
            return Err("it is no file".to_owned());
        }
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST.saturating_add(1)).read_to_end(&mut bytes))
            .map_err(|error| error.to_string())?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST) {
            return Err("it is larger than 1 MiB, and no configuration".to_owned());
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("it is not UTF-8: see byte {at}")
        })?;
        let mut config = Config::parse(&text)?;
        config.folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(config)
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| {
            let message = said(error.message());
            let before = error.span().and_then(|span| text.get(..span.start));
            match before {
                Some(before) => {
                    let line = before.matches('\n').count().saturating_add(1);
                    let column = before.chars().rev().take_while(|c| *c != '\n').count();
                    let column = column.saturating_add(1);
                    format!("line {line}, column {column}: {message}")
                }
                None => message,
            }
        })
    }

    /// The catalogue of frames.
    pub(crate) fn frames(&self) -> Option<PathBuf> {
        self.frames.as_ref().map(|path| self.folder.join(&path.0))
    }

    /// The earlier report whose findings do not count.
    pub(crate) fn baseline(&self) -> Option<PathBuf> {
        self.baseline.as_ref().map(|path| self.folder.join(&path.0))
    }

    /// What is judged where the command line names nothing, as it stands there.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(|path| path.0.as_path())
    }

    /// How the report is written where the command line does not say.
    pub(crate) fn format(&self) -> Vec<Target<Format>> {
        let mut targets = self.format.clone();
        for file in targets.iter_mut().filter_map(|target| target.file.as_mut()) {
            *file = self.folder.join(&file);
        }
        targets
    }

    /// Bytes of memory for what is kept of one file.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.limits.memory.map(|size| size.0)
    }
}

/// A message; of a key that is none, the one that was meant. Such a message has the
/// key and then those that there are, each between backticks.
fn said(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = message.strip_prefix("unknown field").and(names.next());
    let Some(unknown) = unknown else {
        return message.trim_end().replace('\n', "; ");
    };
    let known: Vec<&str> = names.collect();
    let hint = match nearest(unknown, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.join(", ")),
    };
    format!("no key is named {unknown}; {hint}")
}
