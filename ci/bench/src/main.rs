//! `ca3-bench`: what the reference reader fetches of a file, against the least
//! that would do. `README.md` says how to read its table.

mod counting;
mod judging;
mod least;
mod opening;
mod payloads;
mod queries;
mod recovery;
mod sealed;
mod shapes;
mod table;
mod throughput;

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use ca3_spec::protocol::Report;
use clap::{Parser, Subcommand};

/// What is returned, or why nothing was measured.
type Outcome<T> = Result<T, Box<dyn Error>>;

/// Measures what the reference reader fetches, against the least that would do.
///
/// Exits with 1 if a ratio is above its bound, and with 2 if something could
/// not be measured or was answered wrongly. Times never decide.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Print one JSON object in place of the table
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    task: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Judge files of a gibibyte, against what else reads them.
    Validator {
        /// Bytes of payloads of each file, in mebibytes.
        #[arg(long, default_value_t = 1024, value_name = "MIB")]
        size: u64,
        /// How often each is timed; the fastest counts.
        #[arg(long, default_value_t = 5)]
        rounds: u32,
        /// Leave out the file of eight times the size, which shows that memory
        /// does not grow with it.
        #[arg(long)]
        no_large: bool,
        /// Make the files in this folder, and leave them there.
        #[arg(long, value_name = "FOLDER")]
        keep: Option<PathBuf>,
    },
    /// Judge a file and print the most memory that took.
    #[command(hide = true)]
    JudgingMemory {
        path: PathBuf,
        threads: NonZeroUsize,
    },
    /// Open a file and print how much memory that took.
    #[command(hide = true)]
    OpeningMemory {
        path: PathBuf,
        #[arg(long)]
        walk: bool,
    },
    /// Recover a file and print how much memory that took.
    #[command(hide = true)]
    RecoveryMemory {
        #[arg(long)]
        checkpoints: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.task {
        Some(Task::OpeningMemory { path, walk }) => {
            opening::memory(&path, walk).map(|()| ExitCode::SUCCESS)
        }
        Some(Task::RecoveryMemory { checkpoints }) => {
            recovery::memory(checkpoints).map(|()| ExitCode::SUCCESS)
        }
        Some(Task::Validator {
            size,
            rounds,
            no_large,
            keep,
        }) => {
            let plan = judging::Plan {
                size,
                rounds,
                large: !no_large,
                keep,
            };
            judging::measure(&plan, arguments.json).map(|()| ExitCode::SUCCESS)
        }
        Some(Task::JudgingMemory { path, threads }) => {
            judging::memory(&path, threads).map(|()| ExitCode::SUCCESS)
        }
        None => measure(arguments.json),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("ca3-bench: {error}");
        ExitCode::from(2)
    })
}

fn measure(json: bool) -> Outcome<ExitCode> {
    let parts = [
        queries::measure()?,
        opening::measure()?,
        recovery::measure()?,
        throughput::measure()?,
        payloads::measure()?,
    ];
    let ratios = || parts.iter().flat_map(|part| &part.ratios);
    let within = !ratios().any(table::Ratio::exceeds);
    if json {
        let result = serde_json::json!({ "within_bounds": within, "parts": parts });
        println!("{result:#}");
    } else {
        print!("{}", table::text(&parts));
    }
    Ok(if within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A refusal of the reader's, which no file here deserves.
#[derive(Debug)]
struct Refused(Box<Report>);

impl Display for Refused {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Report { kind, message, .. } = self.0.as_ref();
        write!(formatter, "refused as {kind}: {message}")
    }
}

impl Error for Refused {}
