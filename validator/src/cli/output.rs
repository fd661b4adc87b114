//! How a report is written, and where it goes.

use ca3_reports::target::Target;
use clap::{Args, ValueEnum};

use super::REPORT;

/// How a report is written, and where it goes.
#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// The report as JSON: short for --format json.
    #[arg(long, help_heading = REPORT)]
    pub json: bool,
    /// A report, `text`, `json`, `ndjson` (a line a file, for merge), `sarif`, `junit`,
    /// `github` (workflow commands) or `html`, on standard output or in a file; may be
    /// given several times [default: text].
    #[arg(long, value_name = "F[=FILE]", value_parser = format, help_heading = REPORT)]
    pub format: Vec<Target<Format>>,
    /// Of the text on standard output, only the files that fail, a line each; and no line
    /// that shows how far a scan is.
    #[arg(long, short, help_heading = REPORT)]
    pub quiet: bool,
    /// When text is coloured.
    #[arg(
        long, value_enum, default_value_t = Color::Auto, value_name = "WHEN", help_heading = REPORT
    )]
    pub color: Color,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For machines.
    Json,
    /// The same, a line a file.
    Ndjson,
    /// For code hosts and editors.
    Sarif,
    /// For build servers.
    Junit,
    /// Workflow commands of GitHub.
    Github,
    /// A page for a browser, with pictures of streams and clocks: one file, no scripts.
    Html,
}

/// What each is called.
const FORMATS: [(&str, Format); 7] = [
    ("text", Format::Text),
    ("json", Format::Json),
    ("ndjson", Format::Ndjson),
    ("sarif", Format::Sarif),
    ("junit", Format::Junit),
    ("github", Format::Github),
    ("html", Format::Html),
];

/// What `F[=FILE]` means.
pub(crate) fn format(text: &str) -> Result<Target<Format>, String> {
    Target::parse(text, &FORMATS)
}

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
