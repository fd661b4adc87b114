//! What the program does.

use std::io::{self, Write as _};
use std::process::ExitCode;

use ca3_reader::l1::Limits;
use ca3_reports::json::pretty;
use ca3_reports::progress::{is_wanted, shown};
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
    let made = match &cli.command {
        Command::Recover(args) => {
            let signals = Signals::watch()
                .map_err(|error| Failure::Output(format!("signals cannot be caught: {error}")));
            signals.and_then(|signals| {
                let line = || signals.progress.line();
                shown(is_wanted(), line, || run(args, &signals))
            })
        }
        Command::Schema => Ok((ca3_spec::schema::RECOVERY.to_owned(), 0)),
    };
    match made {
        Ok((text, code)) => match print(&text) {
            Ok(()) => ExitCode::from(code),
            Err(error) => {
                let place = match cli.command {
                    Command::Recover(_) => "the output is in place, and the statement",
                    Command::Schema => "the schema",
                };
                complain(&format!(
                    "{place} was not written: {error}; make room for it, or send it elsewhere"
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

fn run(args: &RecoverArgs, signals: &Signals) -> Result<(String, u8), Failure> {
    let pipe = std::path::Path::new("-");
    if args.input == pipe {
        return Err(Failure::Usage(
            "- is no source: a file is read at any offset, so write it to disk first (a file of \
             that name is given as ./-)"
                .to_owned(),
        ));
    }
    if args.output == pipe {
        return Err(Failure::Usage(
            "- is no output: it is read again before it gets its name, so name a file (one of \
             that name is given as ./-)"
                .to_owned(),
        ));
    }
    let existing = if args.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let limits = Limits { memory: args.limit };
    let statement = recover(&args.input, &args.output, existing, &limits, signals)?;
    signals.let_end();
    let code = if statement.lost { LOST } else { 0 };
    let text = if args.json {
        pretty(&statement).map_err(|error| Failure::Bug(error.to_string()))?
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
