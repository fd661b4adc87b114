//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use ca3_reports::target::Target;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::implementation::{CommandLine, Limits};
use crate::invocation::quoted;
use crate::schema::Schema;
use crate::suite::{Origin, RuleSelector, Selection};

/// Runs an implementation of CA3 against the conformance vectors and says, item
/// by item, what it got right.
///
/// Without --reader the reference reader runs, in process. Exit codes: 0
/// conformant at the asked level; 1 not conformant, or a known failure that is
/// none any more; 2 wrong usage, or files that cannot be read or written; 3 the
/// implementation could not be started or never answered hello; 4 nothing was
/// applicable; 130 or 143 interrupted (Ctrl-C, SIGTERM): the reader is killed, and
/// the report tells what was found out until then.
#[derive(Debug, Parser)]
#[command(name = "ca3-conform", version, args_conflicts_with_subcommands = true)]
#[command(subcommand_negates_reqs = true, max_term_width = 100)]
pub struct Cli {
    /// What to do instead of a run.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// A run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What to do instead of a run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the cases.
    List(ListArgs),
    /// Show a case: what it is about, its bytes, what is asked and expected.
    Show(ShowArgs),
    /// Run one case and show the whole conversation.
    Replay(ReplayArgs),
    /// Write vectors into a folder, to open them elsewhere.
    Copy(CopyArgs),
    /// See whether a reader's adapter keeps to the protocol, before any vector.
    ///
    /// Starts the command and talks to it as a run does: hello, an operation that
    /// there is not, an empty file, a path without a file, members that nobody
    /// knows, several requests in a row, an answer of some megabytes, the end of
    /// input. One line a check, and what to do where one fails. Exit codes: 0 the
    /// adapter keeps to the protocol; 1 a check failed; 2 wrong usage; 3 it could
    /// not be started or never answered hello.
    CheckAdapter(CheckAdapterArgs),
    /// Print a JSON Schema (draft 2020-12) of what goes over the line or stands in
    /// a file.
    ///
    /// Without a name, say which there are.
    Schema(SchemaArgs),
}

/// Where the cases come from.
#[derive(Clone, Debug, Args)]
pub struct OriginArgs {
    /// Take the vectors from this folder, which holds `ca3/`, instead of the
    /// committed ones.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Draw the vectors' values from this seed instead of the committed ones.
    #[arg(long, value_name = "SEED", conflicts_with = "corpus")]
    pub fresh: Option<u64>,
    /// The format.
    #[arg(long, value_name = "FORMAT", default_value = "ca3", value_parser = ["ca3"])]
    pub format: String,
}

impl OriginArgs {
    /// Where the cases come from.
    pub fn origin(&self) -> Origin {
        match (&self.corpus, self.fresh) {
            (Some(path), _) => Origin::Directory(path.clone()),
            (None, Some(seed)) => Origin::Fresh(seed),
            (None, None) => Origin::Committed,
        }
    }

    /// The folder that holds the vectors, where there is one.
    pub fn folder(&self) -> Option<String> {
        let folder = self.corpus.as_ref();
        folder.map(|folder| folder.display().to_string())
    }

    /// The same options, to repeat them.
    pub fn repeated(&self) -> String {
        match self.origin() {
            Origin::Committed => String::new(),
            Origin::Fresh(seed) => format!(" --fresh {seed}"),
            Origin::Directory(path) => {
                format!(" --corpus {}", quoted(&path.to_string_lossy()))
            }
        }
    }
}

/// Which cases to take.
#[derive(Clone, Debug, Args)]
pub struct SelectionArgs {
    /// The level to certify, 1 to 4 [default: the one that hello claims].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub level: Option<u8>,
    /// Only the cases of these items of §16, such as 4 or 4,8 (a partial run).
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', value_parser = item)]
    pub item: Vec<u8>,
    /// Only the cases of these rules, such as CA3-5.9-03 or 5.9-03, or of these
    /// sections with all below them, such as 5.9 or 5 (a partial run).
    #[arg(long, value_name = "RULE", num_args = 1.., value_delimiter = ',')]
    #[arg(value_parser = RuleSelector::parse)]
    pub rule: Vec<RuleSelector>,
    /// Only the cases with this text in their id, title or rules (a partial run).
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
}

impl SelectionArgs {
    /// The selection.
    pub fn selection(&self) -> Selection {
        Selection {
            level: self.level,
            items: self.item.clone(),
            rules: self.rule.clone(),
            text: self.filter.clone(),
        }
    }
}

/// What to judge.
#[derive(Clone, Debug, Args)]
pub struct ReaderArgs {
    /// The reader's command, in quotes where it has arguments. No shell runs it: what
    /// only a shell does (`|`, `>`, `$VAR`) needs "sh -c '...'".
    #[arg(long, value_name = "CMD", value_parser = CommandLine::parse)]
    pub reader: Option<CommandLine>,
    /// Seconds for the answer to a request; the first one to a new process is given
    /// four times what hello took besides.
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,
    /// Seconds for the start and the answer to hello.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub start_timeout: Duration,
    /// Fail a violation that is surfaced under a wrong kind.
    #[arg(long)]
    pub strict: bool,
}

impl ReaderArgs {
    /// The options that are not the usual ones, to repeat them.
    pub fn repeated(&self) -> String {
        let mut options = String::new();
        let usual = Limits::default();
        if self.timeout != usual.request {
            options.push_str(&format!(" --timeout {}", self.timeout.as_secs_f64()));
        }
        if self.start_timeout != usual.start {
            options.push_str(&format!(
                " --start-timeout {}",
                self.start_timeout.as_secs_f64()
            ));
        }
        if self.strict {
            options.push_str(" --strict");
        }
        options
    }

    /// How long is waited for what.
    pub fn limits(&self) -> Limits {
        Limits {
            start: self.start_timeout,
            request: self.timeout,
        }
    }
}

/// A run.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// What to judge.
    #[command(flatten)]
    pub reader: ReaderArgs,
    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where from.
    #[command(flatten)]
    pub origin: OriginArgs,
    /// How many processes of the reader to run side by side.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = jobs)]
    pub jobs: usize,
    /// Draw the order of the vectors from this seed, to repeat a run.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A report, `text`, `json`, `junit` or `badge` (for a Shields endpoint; of a run over
    /// the whole committed corpus alone), on standard output or in a file; may be given
    /// several times [default: text].
    #[arg(long, value_name = "F[=FILE]", value_parser = report)]
    pub report: Vec<Target<ReportFormat>>,
    /// Failures that are known, as TOML: tables `known` with case, rule, reason and
    /// perhaps polarity. They are counted apart and fail nothing; nothing is
    /// certified then. An entry that holds no more is a failure (exit code 1).
    #[arg(long, value_name = "FILE")]
    pub known_failures: Option<PathBuf>,
    /// Keep the files of the cases that fail in this folder; it may not hold a `ca3`
    /// yet. The report names them, and `--corpus DIR` runs them again.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Show no progress, and on standard output no more of the text report than the
    /// verdict.
    #[arg(long, short)]
    pub quiet: bool,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Which cases.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Where from.
    #[command(flatten)]
    pub origin: OriginArgs,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The case's id, or a part of it that no other case has.
    pub case: String,
    /// Where from.
    #[command(flatten)]
    pub origin: OriginArgs,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The case's id, or a part of it that no other case has.
    pub case: String,
    /// What to judge.
    #[command(flatten)]
    pub reader: ReaderArgs,
    /// Where from.
    #[command(flatten)]
    pub origin: OriginArgs,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// Arguments of `copy`.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The folder; it may not hold a `ca3` yet.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Only these cases, by id or a part of it that no other case has.
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    /// Where from.
    #[command(flatten)]
    pub origin: OriginArgs,
}

/// Arguments of `check-adapter`.
#[derive(Debug, Args)]
pub struct CheckAdapterArgs {
    /// The reader's command, in quotes where it has arguments. No shell runs it: what
    /// only a shell does (`|`, `>`, `$VAR`) needs "sh -c '...'".
    #[arg(value_name = "CMD", value_parser = CommandLine::parse)]
    pub command: CommandLine,
    /// Seconds for the answer to a request.
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,
    /// Seconds for the start and the answer to hello.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub start_timeout: Duration,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Of what.
    #[arg(value_enum)]
    pub name: Option<Schema>,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that does not ask for none (`NO_COLOR`).
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
    }
}

/// A rendering of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// For a person.
    Text,
    /// For programs.
    Json,
    /// For build servers.
    Junit,
    /// What a Shields endpoint badge shows.
    Badge,
}

/// What each is called.
const REPORTS: [(&str, ReportFormat); 4] = [
    ("text", ReportFormat::Text),
    ("json", ReportFormat::Json),
    ("junit", ReportFormat::Junit),
    ("badge", ReportFormat::Badge),
];

fn report(text: &str) -> Result<Target<ReportFormat>, String> {
    Target::parse(text, &REPORTS)
}

fn item(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| {
        "items are numbers of the document's §16, such as 4; --rule takes a rule or a section, \
         --filter a text"
            .to_owned()
    })
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number from 1 on is wanted".to_owned()),
        Ok(jobs) => Ok(jobs),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds above 0 is wanted".to_owned())
}

#[cfg(test)]
mod tests;
