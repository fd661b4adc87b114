//! What the program does.

use std::io::{self, Write as _};
use std::process::ExitCode;

use ca3_reader::l1::Limits;
use ca3_reports::text::plain;

use crate::cli::{Cli, Command, RecoverArgs};
use crate::recover::{Existing, recover};
use crate::signals::Signals;
use crate::{Failure, text};

/// Something was lost.
const LOST: u8 = 1;
/// The longest line on standard error, in characters.
const LONGEST_LINE: usize = 800;

/// Runs a command line and gives the exit code.
pub fn dispatch(cli: &Cli) -> ExitCode {
    let Command::Recover(args) = &cli.command;
    match run(args) {
        Ok((text, code)) => match print(&text) {
            Ok(()) => ExitCode::from(code),
            Err(error) => {
                complain(&format!(
                    "the output is in place, the statement could not be printed: {error}; \
                     make room for it, or send it elsewhere"
                ));
                ExitCode::from(3)
            }
        },
        Err(failure) => {
            complain(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

fn run(args: &RecoverArgs) -> Result<(String, u8), Failure> {
    let existing = if args.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let limits = Limits { memory: args.limit };
    let signals = Signals::watch()
        .map_err(|error| Failure::Output(format!("signals cannot be caught: {error}")))?;
    let statement = recover(&args.input, &args.output, existing, &limits, &signals)?;
    signals.let_end();
    let code = if statement.lost { LOST } else { 0 };
    let text = if args.json {
        let json = serde_json::to_string_pretty(&statement)
            .map_err(|error| Failure::Bug(error.to_string()))?;
        format!("{json}\n")
    } else {
        text::render(&statement)
    };
    Ok((text, code))
}

/// A line on standard error. Nothing is left to do where it cannot be written.
fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "ca3-convert: {}", plain(what, LONGEST_LINE));
}

/// Whoever closed the pipe has seen enough, and the exit code still counts.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
