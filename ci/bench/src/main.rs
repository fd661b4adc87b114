//! `ca3-bench`: what the reference reader fetches of a file, against the least
//! that would do. `README.md` says how to read its table.

mod counting;
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
