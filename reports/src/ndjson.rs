//! The report as lines of JSON, one a file, which can be put together again.

use serde::{Deserialize, Serialize};

use crate::{FileReport, Report, Settings, Severity, Tool};

/// The JSON Schema of a line: that of a report with one file in it, which a test
/// holds it to.
pub const SCHEMA: &str = include_str!("../schema/line.json");

#[derive(Serialize)]
struct Written<'a> {
    schema_version: u32,
    tool: &'a Tool,
    fail_on: Severity,
    #[serde(skip_serializing_if = "is_default")]
    settings: &'a Settings,
    file: &'a FileReport,
}

/// A reference of a reference is what serde hands over.
fn is_default(settings: &&Settings) -> bool {
    settings.is_default()
}

/// The report, a line a file, each with its end.
///
/// # Errors
/// Where a value cannot be written, which no report holds.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    let mut out = String::new();
    for file in &report.files {
        let line = serde_json::to_string(&Written {
            schema_version: report.schema_version,
            tool: &report.tool,
            fail_on: report.fail_on,
            settings: &report.settings,
            file,
        })?;
        escape(&mut out, &line);
        out.push('\n');
    }
    Ok(out)
}

/// JSON has no need to escape these; but filters swallow the first, and some
/// readers of lines see an end of line in the others.
fn escape(out: &mut String, line: &str) {
    for c in line.chars() {
        match c {
            '\u{7f}' => out.push_str("\\u007f"),
            '\u{85}' => out.push_str("\\u0085"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
}

/// A line, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    #[serde(rename = "schema_version")]
    _schema_version: u32,
    #[serde(rename = "tool")]
    _tool: Maker,
    /// The severity from which on a finding fails the run.
    pub fail_on: Severity,
    /// What else the run was told.
    #[serde(default)]
    pub settings: Settings,
    /// The file's result.
    pub file: FileReport,
}

/// What made a line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Maker {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What every version writes.
#[derive(Deserialize)]
struct Head {
    schema_version: u32,
    tool: Maker,
}

/// Why a line cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It is no line of a report, or not a whole one.
    #[error("{}", said(.0))]
    Garbled(#[from] serde_json::Error),
    /// It is of another form, or from another version.
    #[error("it was made by {} {} in form {form}", .by.name, .by.version)]
    Foreign {
        /// What made it.
        by: Maker,
        /// Its `schema_version`.
        form: u32,
    },
}

/// Without the line, which is always the first of one.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(what) => format!("{what} at column {}", error.column()),
        None => text,
    }
}

impl Line {
    /// Reads a line that this version of a tool made.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(text: &str, tool: &Tool) -> Result<Self, LineError> {
        // The head by itself: another version may have other members.
        let head: Head = serde_json::from_str(text)?;
        let same = head.tool.name == tool.name && head.tool.version == tool.version;
        if !same || head.schema_version != Report::SCHEMA_VERSION {
            return Err(LineError::Foreign {
                by: head.tool,
                form: head.schema_version,
            });
        }
        Ok(serde_json::from_str(text)?)
    }
}
