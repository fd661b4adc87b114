//! The parts of a report that a baseline is made of. Whatever else it has is no
//! matter: other versions may say more.

use std::io::Read;

use ca3_reports::Report;
use serde::{Deserialize, Deserializer, de};

use crate::cli::FailOn;

/// A report, or the line of one file.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    /// Stands first, so that another form is told as such.
    #[serde(rename = "schema_version")]
    _version: Version,
    tool: Tool,
    #[serde(default)]
    pub(super) settings: Settings,
    pub(super) files: Option<Vec<File>>,
    pub(super) file: Option<File>,
}

/// The form of report that is known.
#[derive(Debug)]
struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let known = Report::SCHEMA_VERSION;
        match u32::deserialize(deserializer)? {
            version if version == known => Ok(Version),
            version => Err(de::Error::custom(format!(
                "it is of form {version}, and this version reads form {known}; make it anew"
            ))),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Tool {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Settings {
    pub(super) baseline: Option<de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) limits: Limits,
    pub(super) findings: Vec<Finding>,
    pub(super) totals: Vec<Total>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Limits {
    pub(super) findings_per_rule: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Finding {
    pub(super) rule: String,
    pub(super) severity: FailOn,
    pub(super) fingerprint: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Total {
    pub(super) rule: String,
    pub(super) severity: FailOn,
    pub(super) total: u64,
    pub(super) shown: u64,
}

/// Reads one report, or lines of files, to the end.
pub(super) fn read(from: impl Read, mut take: impl FnMut(Document)) -> Result<(), String> {
    let mut any = false;
    for document in serde_json::Deserializer::from_reader(from).into_iter::<Document>() {
        let document =
            document.map_err(|error| format!("it is no report of ca3-validate: {error}"))?;
        if document.tool.name != crate::NAME {
            return Err("it is a report of another program".to_owned());
        }
        if document.files.is_none() && document.file.is_none() {
            return Err("it is no report on files".to_owned());
        }
        any = true;
        take(document);
    }
    match any {
        true => Ok(()),
        false => Err("it is empty, and no report".to_owned()),
    }
}
