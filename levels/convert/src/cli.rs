//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Makes one CA3 file from another.
#[derive(Debug, Parser)]
#[command(name = "ca3-convert", version, max_term_width = 100)]
pub struct Cli {
    /// What to make.
    #[command(subcommand)]
    pub command: Command,
}

/// What `recover` does.
const LONG: &str = "\
A sealed file from a truncated or damaged one, and a statement of what was lost.

The source is never written to. The output is written beside its place, compared \
with the source chunk by chunk, judged by the code of ca3-validate, and only then \
given its name.

A recording consists of chunks of messages. A checkpoint is a record that the \
recorder appends now and then, with what was declared and which chunks were written \
so far; each names the one before it. A source is read in one of three ways:

  by its summary            it was sealed, and the tables at its end verify
  by its checkpoints' chain every checkpoint back to the first one holds
  from record to record     there is no such chain; where damage is met, the walk \
goes on from the next checkpoint behind it that passes its checks";

/// What stands behind the options.
const BEHIND: &str = "\
Exit codes:
  0         nothing was lost now (what earlier recoveries lost is said)
  1         something was lost, or the source is truncated; the output has the rest
  2         wrong usage
  3         the source cannot be read or is no CA3 file, or the output cannot be written
  4         a bug of ours
  130, 143  stopped by Ctrl-C or SIGTERM
There is an output with 0 and 1 only, and otherwise nothing on standard output. Errors \
that the source had may remain in the output: the last lines say how many, and \
ca3-validate OUT lists them.

Example:
  ca3-convert recover broken.ca3 -o saved.ca3";

/// What to make.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A sealed file from a truncated or damaged one, and a statement of what
    /// was lost.
    #[command(long_about = LONG, after_long_help = BEHIND)]
    Recover(RecoverArgs),
    /// Print the JSON Schema of what recover --json prints.
    Schema,
}

/// Recovering.
#[derive(Debug, Args)]
pub struct RecoverArgs {
    /// The truncated or damaged file. One that is being written is read up to
    /// where it ends at the start. Standard input will not do: a file is read
    /// at any offset.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to make.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Replace OUT if it is there.
    #[arg(long)]
    pub force: bool,
    /// The statement as JSON.
    #[arg(long)]
    pub json: bool,
    /// Bytes of memory for what is held of a file at a time, as a plain number.
    #[arg(long, value_name = "memory=BYTES", default_value = "memory=1073741824")]
    #[arg(value_parser = memory)]
    pub limit: u64,
}

fn memory(text: &str) -> Result<u64, String> {
    match text.split_once('=') {
        Some(("memory", bytes)) => bytes.parse().map_err(|_| {
            format!("memory={bytes}: give a number of bytes, such as memory=67108864")
        }),
        Some((name, _)) => Err(format!("no limit is named {name}; there is memory=BYTES")),
        None => Err("a limit is given as memory=BYTES".to_owned()),
    }
}
