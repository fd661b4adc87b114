//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Makes one CA3 file from another.
///
/// The source is never written to. The output is written beside its place,
/// judged, compared with the source chunk by chunk, and only then given its
/// name. Exit codes: 0 nothing was lost; 1 something was, or the source is
/// truncated, and the output holds the rest; 2 wrong usage; 3 the source cannot
/// be read or is no CA3 file, or the output cannot be written; 4 a bug of ours;
/// 129, 130 and 143 stopped by SIGHUP, Ctrl-C or SIGTERM. There is an output with
/// 0 and 1, and where only printing the statement fails (3) or is stopped.
#[derive(Debug, Parser)]
#[command(name = "ca3-convert", version, max_term_width = 100)]
pub struct Cli {
    /// What to make.
    #[command(subcommand)]
    pub command: Command,
}

/// What to make.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A sealed file from a truncated or damaged one, and a statement of what
    /// was lost.
    Recover(RecoverArgs),
}

/// Recovering.
#[derive(Debug, Args)]
pub struct RecoverArgs {
    /// The truncated or damaged file. One that is being written is read up to
    /// where it ends at the start.
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
    /// Bytes of memory for what is held of a file at a time.
    #[arg(long, value_name = "memory=BYTES", default_value = "memory=1073741824")]
    #[arg(value_parser = memory)]
    pub limit: u64,
}

fn memory(text: &str) -> Result<u64, String> {
    match text.split_once('=') {
        Some(("memory", bytes)) => bytes
            .parse()
            .map_err(|error| format!("memory={bytes}: {error}")),
        Some((name, _)) => Err(format!("no limit is named {name}; there is memory=BYTES")),
        None => Err("a limit is given as memory=BYTES".to_owned()),
    }
}
