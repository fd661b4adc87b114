//! What each command does, and the exit codes.

mod check_adapter;
mod copy;
mod judge;
mod list;
mod replay;
mod schema;
mod show;

use std::io::{self, Write};
use std::process::ExitCode;

use crate::cli::{Cli, Color, Command, ReaderArgs};
use crate::conversation::ScratchError;
use crate::implementation::{
    Claims, Implementation, InTree, Program, StartError, Subprocess, hello_request,
};
use crate::interrupt;
use crate::known::KnownError;
use crate::suite::SuiteError;

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The vectors cannot be had.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The vectors cannot be written out.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// The implementation cannot be spoken to.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The known failures cannot be had.
    #[error(transparent)]
    Known(#[from] KnownError),
    /// It spoke, and not as one that is asked hello.
    #[error("the implementation's answer to hello cannot be used: {0}")]
    Hello(String),
    /// It reads other formats.
    #[error("the implementation does not read {wanted}: hello lists {listed}")]
    Format {
        /// What was asked for.
        wanted: String,
        /// What it reads.
        listed: String,
    },
    /// Two reports want standard output.
    #[error("only one report can go to standard output; give the others a file: --report F=FILE")]
    TwoReports,
    /// No such case, or several.
    #[error("{0}")]
    Case(String),
    /// A report cannot be written.
    #[error("cannot write {target}: {source}")]
    Write {
        /// Where.
        target: String,
        /// Why.
        source: io::Error,
    },
}

impl Failure {
    /// The exit code that goes with it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Start(StartError::Interrupted(signal)) => signal.exit_code(),
            Failure::Start(_) | Failure::Hello(_) => 3,
            Failure::Format { .. } => 4,
            Failure::Suite(_)
            | Failure::Scratch(_)
            | Failure::Known(_)
            | Failure::TwoReports
            | Failure::Case(_)
            | Failure::Write { .. } => 2,
        }
    }
}

/// Carries out a command line.
pub fn dispatch(cli: Cli) -> ExitCode {
    let starts_a_reader = match &cli.command {
        None | Some(Command::Replay(_) | Command::CheckAdapter(_)) => true,
        Some(Command::List(_) | Command::Show(_) | Command::Copy(_) | Command::Schema(_)) => false,
    };
    if starts_a_reader {
        // Where signals cannot be noted they end the program, as everywhere.
        let _ = interrupt::watch();
    }
    let done = match cli.command {
        None => judge::judge(&cli.run),
        Some(Command::List(arguments)) => list::list(&arguments),
        Some(Command::Show(arguments)) => show::show(&arguments),
        Some(Command::Replay(arguments)) => replay::replay(&arguments),
        Some(Command::Copy(arguments)) => copy::copy(&arguments),
        Some(Command::CheckAdapter(arguments)) => check_adapter::check_adapter(&arguments),
        Some(Command::Schema(arguments)) => schema::schema(&arguments),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            warn(&failure.to_string());
            ExitCode::from(failure.exit_code())
        }
    }
}

/// A line on standard error. Nothing is left to do where it cannot be written.
fn warn(what: &str) {
    let _ = writeln!(io::stderr(), "ca3-conform: {what}");
}

/// What is judged, once it has said what it is.
struct Subject {
    implementation: Box<dyn Implementation>,
    another: Box<dyn Fn() -> Box<dyn Implementation> + Sync>,
    claims: Claims,
}

fn meet(arguments: &ReaderArgs, format: &str) -> Result<Subject, Failure> {
    let another: Box<dyn Fn() -> Box<dyn Implementation> + Sync> = match &arguments.reader {
        None => Box::new(|| Box::new(InTree)),
        Some(command) => {
            let program = Program::new(command.clone(), arguments.limits());
            Box::new(move || Box::new(Subprocess::new(program.clone())))
        }
    };
    let mut implementation = another();
    let claims = Claims::read(implementation.hello(&hello_request())?).map_err(Failure::Hello)?;
    if !claims.formats.iter().any(|known| known == format) {
        return Err(Failure::Format {
            wanted: format.to_owned(),
            listed: claims.formats.join(", "),
        });
    }
    Ok(Subject {
        implementation,
        another,
        claims,
    })
}

/// Prints a text with styles, which a terminal shows and nothing else gets.
/// Whoever closed the pipe has seen enough, and the exit code still counts.
fn print(text: &str, color: Color) -> Result<(), Failure> {
    let mut stream = anstream::AutoStream::new(io::stdout().lock(), color.into());
    match stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush())
    {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Write {
            target: "standard output".to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}
