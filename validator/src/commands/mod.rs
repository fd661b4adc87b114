//! What the program does, one page a subcommand.

mod dump;
mod explain;
mod judge;
mod rules;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anstream::ColorChoice;

use crate::cli::{Cli, Color, Command};

/// Wrong usage or configuration.
const USAGE: u8 = 2;
/// An input that could not be read.
const UNREADABLE: u8 = 3;

/// Why a command ends with another code than 0.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Unreadable(String),
    #[error("writing failed: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    const fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => USAGE,
            Failure::Unreadable(_) | Failure::Output(_) => UNREADABLE,
        }
    }
}

/// Runs a command line and gives the exit code.
pub fn dispatch(cli: Cli) -> ExitCode {
    let color = cli.judge.color;
    let result = match cli.command {
        None => judge::run(&cli.judge),
        Some(Command::Explain { rule }) => explain::run(&rule),
        Some(Command::Rules { json }) => rules::run(json),
        Some(Command::Dump { file, at }) => dump::run(&file, at),
        Some(Command::Schema) => Ok((ca3_reports::json::SCHEMA.to_owned(), 0)),
    };
    let ended = result.and_then(|(text, code)| {
        print(&text, color)?;
        Ok(code)
    });
    match ended {
        Ok(code) => ExitCode::from(code),
        // A reader that stops reading is no fault of ours.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let _ = writeln!(io::stderr(), "ca3-validate: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

fn print(text: &str, color: Color) -> Result<(), Failure> {
    let choice = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let mut out = anstream::AutoStream::new(io::stdout(), choice);
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
