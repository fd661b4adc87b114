//! What the program does, one page a subcommand.

mod compare;
mod dump;
mod explain;
mod frames;
mod judge;
mod lint;
mod manual;
mod merge;
mod outputs;
mod plan;
mod rules;
mod unit;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anstream::ColorChoice;
use ca3_reports::text::plain;

use crate::cli::{Cli, Color, Command, Printed};

/// Wrong usage or configuration.
const USAGE: u8 = 2;
/// An input that could not be read, or a report that could not be written.
const UNREADABLE: u8 = 3;
/// A bug of ours.
const BUG: u8 = 4;
/// The longest line on standard error, in characters.
const LONGEST_LINE: usize = 800;

/// Why a command ends with another code than 0.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Unreadable(String),
    #[error("{0}")]
    Unwritten(String),
    #[error("a bug of this program: the report cannot be made: {0}")]
    Bug(String),
    #[error("the report was not written: {0}; make room for it, or send it elsewhere")]
    Output(#[from] io::Error),
}

impl Failure {
    const fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => USAGE,
            Failure::Unreadable(_) | Failure::Unwritten(_) | Failure::Output(_) => UNREADABLE,
            Failure::Bug(_) => BUG,
        }
    }
}

/// Runs a command line and gives the exit code.
pub fn dispatch(cli: Cli) -> ExitCode {
    let color = match &cli.command {
        Some(Command::SchemaLint(args)) => args.color,
        Some(Command::Compare(args)) => args.color,
        _ => Color::Auto,
    };
    let result = match cli.command {
        // These two have printed what there is to print.
        None => judge::run(&cli.judge).map(|code| (String::new(), code)),
        Some(Command::Merge(args)) => merge::run(&args).map(|code| (String::new(), code)),
        Some(Command::Explain { rule }) => explain::run(&rule),
        Some(Command::Rules { json }) => rules::run(json),
        Some(Command::Dump { file, at }) => dump::run(&file, at),
        Some(Command::Unit { codes, json }) => unit::run(&codes, json),
        Some(Command::Schema { of }) => Ok((schema(of).to_owned(), 0)),
        Some(Command::SchemaLint(args)) => lint::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Completions { shell }) => Ok(manual::completions(shell)),
        Some(Command::Man { out }) => manual::man(out.as_deref()),
    };
    let ended = result.and_then(|(text, code)| {
        print(&text, color)?;
        Ok(code)
    });
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            complain(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

const fn schema(of: Printed) -> &'static str {
    match of {
        Printed::Report => ca3_reports::json::SCHEMA,
        Printed::Line => ca3_reports::ndjson::SCHEMA,
        Printed::Lint => ca3_reports::lint::SCHEMA,
        Printed::Comparison => ca3_reports::comparison::SCHEMA,
    }
}

/// A line on standard error. Nothing is left to do where it cannot be written.
fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "ca3-validate: {}", plain(what, LONGEST_LINE));
}

/// Whoever closed the pipe has seen enough, and the exit code still counts.
fn print(text: &str, color: Color) -> Result<(), Failure> {
    let choice = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    to(anstream::AutoStream::new(io::stdout(), choice), text)
}

/// Likewise, with no byte taken out: for programs, to which no escape is a colour.
fn print_raw(text: &str) -> Result<(), Failure> {
    to(io::stdout(), text)
}

fn to(mut out: impl io::Write, text: &str) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
