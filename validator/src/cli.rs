//! The command line.

mod output;

use std::path::PathBuf;

use ca3_reports::Severity;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::Deserialize;

use crate::rules::selector::Selector;
use crate::size;

/// The most findings of one rule that are shown of a file.
pub const MOST_FINDINGS: u64 = 10_000;
/// The most files that are judged at the same time.
pub const MOST_JOBS: u16 = 1024;

pub(crate) use output::format;
pub use output::{Color, Format, OutputArgs};

/// Judges CA3 files: every rule that they break, with its place and evidence.
///
/// A folder stands for the *.ca3 files below it, hidden ones too; links to folders
/// are not followed. A path that is not there and has * ? [ or { is a pattern for
/// files: * and ? stop at a slash, ** does not. A file that is reached twice is
/// judged once, and - is standard input. A path named like a subcommand is given as
/// ./explain.
///
/// Exit codes: 0 nothing at or above --fail-on; 1 something; 2 wrong usage, or a
/// configuration, baseline or catalogue of frames that cannot be taken; 3 an input
/// could not be read, or not to its end, which standard error says in a line for
/// each, or the report could not be written. The worst input decides.
#[derive(Debug, Parser)]
#[command(name = "ca3-validate", version, args_conflicts_with_subcommands = true)]
#[command(subcommand_negates_reqs = true, max_term_width = 100)]
pub struct Cli {
    /// What to do instead of judging files.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Judging files.
    #[command(flatten)]
    pub judge: JudgeArgs,
}

/// What to do instead of judging files.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explain a rule: what it asks, why, and what breaks it.
    Explain {
        /// Its identifier, such as CA3-7.1-09; or a section, CA3-7.1, or a reading, G20.
        rule: String,
    },
    /// List the rules that are judged, and those that are not and why.
    Rules {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a file's bytes, one field a line.
    Dump {
        /// The file.
        file: PathBuf,
        /// Only the record that covers this offset.
        #[arg(long, value_name = "OFFSET")]
        at: Option<u64>,
    },
    /// Tell whether codes are UCUM units, and what each means.
    ///
    /// Of each: what it measures, its dimension, and how many base units it is; or
    /// why it is no unit, and what was meant. Exit code 1 where one is none.
    Unit {
        /// Codes, or - for standard input, which has a code on each line that is not
        /// empty. A code that begins with a minus goes behind --.
        #[arg(required = true, value_name = "CODE")]
        codes: Vec<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make one report, in any format, of the ndjson of many machines.
    ///
    /// Files stand in the order given. It takes reports of one version of this
    /// program, judged with the same settings. Exit codes are those of judging; also
    /// 2 where reports do not go together, and 3 where one is cut or garbled.
    Merge(MergeArgs),
    /// Print the JSON Schema of what --json prints.
    Schema {
        /// Of which command.
        #[arg(value_enum, default_value_t = Printed::Report)]
        of: Printed,
    },
    /// Judge schemas before anything is recorded: .proto files, descriptor sets.
    ///
    /// Each is judged as if its streams claimed to be well-formed. A message that
    /// another one holds as a field is judged as a part of that one. Exit codes: 0
    /// nothing at or above --fail-on; 1 something, or a source that does not
    /// compile; 2 wrong usage; 3 a file could not be read.
    SchemaLint(LintArgs),
    /// Print what makes a shell complete this program's options.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page, or write one for each subcommand.
    Man {
        /// Write the pages into this folder, which is made where it is missing.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Are the streams of two files comparable: are their schemas the same?
    ///
    /// They are where both files carry the same descriptor of a schema, byte by
    /// byte; where they do not, what differs is told. Exit codes: 0 every schema
    /// that both files have is comparable, and there is one; 1 one is not, or there
    /// is none; 2 wrong usage; 3 a file could not be read or is no CA3 file.
    Compare(CompareArgs),
}

/// What has a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Printed {
    /// The report on files.
    Report,
    /// A line of --format ndjson.
    Line,
    /// What schema-lint finds.
    Lint,
    /// What compare finds.
    Comparison,
}

/// Judging schemas before anything is recorded.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Sources (.proto) or descriptor sets.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Look imports up in this folder; without it, in that of each file and
    /// the current one. The files of ca3 and google need not be there.
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Judge this message, by its full name, and no other.
    #[arg(long, value_name = "NAME")]
    pub message: Vec<String>,
    /// Frame declarations, over those that come with the program: a FrameCatalogue as
    /// binary, text or JSON protobuf, or as TOML.
    #[arg(long, value_name = "CATALOGUE")]
    pub frames: Option<PathBuf>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// The least severity that fails the run.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    pub fail_on: FailOn,
    /// When text is coloured.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// Whether the streams of two files are comparable.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A file.
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Another one.
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// Frame declarations, over those that come with the program: a FrameCatalogue as
    /// binary, text or JSON protobuf, or as TOML.
    #[arg(long, value_name = "CATALOGUE")]
    pub frames: Option<PathBuf>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// When text is coloured.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// Judging files.
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Files, folders, patterns for files, or - for standard input.
    #[arg(required_unless_present = "config", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How the report is written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// How many findings of one rule are shown of a file, 10 if not told otherwise; all
    /// are counted.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=MOST_FINDINGS),
        help_heading = REPORT
    )]
    pub max_findings: Option<u64>,
    /// Add each file's SHA-256.
    #[arg(long, help_heading = REPORT)]
    pub digest: bool,
    /// The least severity that fails the run: error if not told otherwise.
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = COUNTS)]
    pub fail_on: Option<FailOn>,
    /// Count only these rules: CA3-7.1-09, or CA3-7 for section 7 and all below it.
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = COUNTS)]
    pub only: Vec<Selector>,
    /// Do not count these rules, also of those that --only names.
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = COUNTS)]
    pub ignore: Vec<Selector>,
    /// Give findings of a rule another severity; the closest name holds.
    #[arg(
        long,
        value_name = "RULE=SEVERITY",
        value_delimiter = ',',
        value_parser = weight,
        help_heading = COUNTS
    )]
    pub severity: Vec<(Selector, FailOn)>,
    /// Do not count what an earlier report of the same files has: --format json, or
    /// lines of ndjson. Best made with --max-findings 10000.
    #[arg(long, value_name = "REPORT", help_heading = COUNTS)]
    pub baseline: Option<PathBuf>,
    /// Take options and paths from a TOML file. Single options of the command line go
    /// before its own, lists are added to its own, paths replace its own.
    #[arg(long, value_name = "FILE", help_heading = RUN)]
    pub config: Option<PathBuf>,
    /// Frame declarations, over those that come with the program: a FrameCatalogue as
    /// binary, text or JSON protobuf, or as TOML.
    #[arg(long, value_name = "CATALOGUE", help_heading = RUN)]
    pub frames: Option<PathBuf>,
    /// How many threads judge, as many as there are processors if not told otherwise.
    /// The report is the same for any.
    #[arg(
        long,
        short,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_JOBS)),
        help_heading = RUN
    )]
    pub jobs: Option<u16>,
    /// What each file may take: memory=SIZE, in bytes or as 512MiB, 1GiB.
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit, help_heading = RUN)]
    pub limit: Vec<Limit>,
}

/// Groups of options in the help.
const REPORT: &str = "Report";
const COUNTS: &str = "What counts";
const RUN: &str = "Run";

/// One report of many.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// What --format ndjson wrote, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How the report is written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// The least severity that fails the run [default: that of the reports].
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

/// The least severity that fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// Only errors.
    Error,
    /// Warnings too.
    Warning,
    /// Anything.
    Info,
}

impl From<FailOn> for Severity {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Info => Severity::Info,
        }
    }
}

/// A limit of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of memory for what is kept of one file.
    Memory(u64),
}

fn limit(text: &str) -> Result<Limit, String> {
    match text.split_once('=') {
        Some(("memory", bytes)) => size::parse(bytes).map(Limit::Memory),
        Some((name, _)) => Err(format!("no limit is named {name}; there is memory=SIZE")),
        None => Err("a limit is given as memory=SIZE".to_owned()),
    }
}

fn weight(text: &str) -> Result<(Selector, FailOn), String> {
    let Some((rule, severity)) = text.split_once('=') else {
        return Err("a severity is given as RULE=error, warning or info".to_owned());
    };
    let rule: Selector = rule.parse().map_err(|error| format!("{error}"))?;
    let severity = FailOn::from_str(severity.trim(), false)
        .map_err(|_| format!("no severity is named {severity}; there are error, warning, info"))?;
    Ok((rule, severity))
}
