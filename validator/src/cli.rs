//! The command line.

mod output;

use std::path::PathBuf;

use ca3_reports::Severity;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::DEFAULT_LIMITS;

pub use output::{Color, Format, OutputArgs};

/// Judges CA3 files: every rule that they break, with its place and evidence.
///
/// A folder stands for the *.ca3 files below it, and - for standard input. A
/// path named like a subcommand is given as ./explain. Exit codes: 0 nothing
/// at or above --fail-on; 1 something; 2 wrong usage, or a catalogue of frames that
/// cannot be taken; 3 an input could not be
/// read, or not to its end, which standard error says in a line for each, or
/// the report could not be written. The worst input decides.
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
        /// Its identifier, such as CA3-7.1-09.
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
    /// The severity from which on a finding fails the run.
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
    /// Files, folders, or - for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How the report is written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Frame declarations, over those that come with the program: a FrameCatalogue as
    /// binary, text or JSON protobuf, or as TOML.
    #[arg(long, value_name = "CATALOGUE")]
    pub frames: Option<PathBuf>,
    /// The severity from which on a finding fails the run.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    pub fail_on: FailOn,
    /// How many findings of one rule are shown of a file; all are counted.
    #[arg(
        long,
        value_name = "N",
        default_value_t = DEFAULT_LIMITS.findings_per_rule,
        value_parser = clap::value_parser!(u64).range(1..=10_000)
    )]
    pub max_findings: u64,
    /// What a file may take: memory=BYTES.
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit)]
    pub limit: Vec<Limit>,
    /// Add each file's SHA-256.
    #[arg(long)]
    pub digest: bool,
}

/// One report of many.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// What --format ndjson wrote, or - for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How the report is written.
    #[command(flatten)]
    pub output: OutputArgs,
    /// The severity from which on a finding fails the run [default: that of the reports].
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

/// The severity from which on a finding fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
        Some(("memory", bytes)) => bytes
            .parse()
            .map(Limit::Memory)
            .map_err(|error| format!("memory={bytes}: {error}")),
        Some((name, _)) => Err(format!("no limit is named {name}; there is memory=BYTES")),
        None => Err("a limit is given as memory=BYTES".to_owned()),
    }
}
