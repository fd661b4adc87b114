//! Whether an adapter keeps to the protocol, before any vector is judged.
//!
//! Nothing here asks whether a recording is read rightly, but for one that is as
//! plain as can be: an adapter that cannot hand that out has its fault on the way
//! and not in the reader.

mod checks;
mod hello;
mod session;

use std::io;
use std::time::Duration;

use ca3_generators::plan::{Chunk, Plan, stream};
use serde_json::Value;

use crate::conversation::{Scratch, ScratchError};
use crate::implementation::{CommandLine, Limits, advice_for};
use crate::interrupt;
pub(crate) use hello::ADVICE as HELLO_ADVICE;
use session::Session;

/// The stamp of the only message of the plain file: a double cannot hold it.
const STAMP: u64 = (1 << 53) + 1;
/// The payload of the large file.
const LARGE_BYTES: usize = 1 << 20;
/// How many requests are sent in a row.
const IN_A_ROW: usize = 8;

/// What became of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, as a statement that should be true.
    pub name: &'static str,
    /// Whether it is.
    pub outcome: Outcome,
}

/// Whether a check's statement is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is; with a word on how.
    Holds(String),
    /// It is not.
    Fails(Trouble),
}

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What was seen.
    pub seen: String,
    /// What to do.
    pub advice: String,
    /// The request, if there was one.
    pub request: Option<String>,
    /// The last part of standard error.
    pub stderr: String,
}

impl Trouble {
    fn new(seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Trouble {
            seen: seen.into(),
            advice: advice.into(),
            request: None,
            stderr: String::new(),
        }
    }
}

/// All checks that could be made.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// In the order in which they were made.
    pub checks: Vec<Check>,
    /// Whether it started and answered hello.
    pub met: bool,
    /// The level that it claims.
    pub level: Option<u8>,
}

impl Inspection {
    /// How many failed.
    pub fn failed(&self) -> usize {
        let failed = |check: &&Check| matches!(check.outcome, Outcome::Fails(_));
        self.checks.iter().filter(failed).count()
    }

    fn add(&mut self, name: &'static str, outcome: Result<String, Trouble>) -> bool {
        // What a signal cut short says nothing of the adapter.
        if interrupt::caught().is_some() {
            return false;
        }
        let holds = outcome.is_ok();
        let outcome = match outcome {
            Ok(note) => Outcome::Holds(note),
            Err(trouble) => Outcome::Fails(trouble),
        };
        self.checks.push(Check { name, outcome });
        holds
    }
}

/// Makes all checks. Those that nothing can be said of without an earlier one are
/// left out where that one failed.
pub fn inspect(command: &CommandLine, limits: Limits) -> Result<Inspection, ScratchError> {
    let mut inspection = Inspection {
        checks: Vec::new(),
        met: false,
        level: None,
    };
    let mut session = Session::new(command.clone(), limits);
    let started = session
        .start()
        .map_err(|error| cannot_start(command, &error));
    if !inspection.add("it starts", started.map(|()| String::new())) {
        return Ok(inspection);
    }
    let hello = session.hello();
    let (hello, answered) = match hello {
        Ok((answer, took)) => (Some(answer), Ok(in_seconds(took))),
        Err(trouble) => (None, Err(trouble)),
    };
    inspection.add("it answers hello, in time", answered);
    let Some(hello) = hello else {
        return Ok(inspection);
    };
    inspection.met = true;
    let (outcome, level) = hello::check(&hello);
    inspection.level = level;
    inspection.add("hello's members are well-formed", outcome);
    checks::files(&mut inspection, &mut session)?;
    let stray = session.stray().map_or(Ok(String::new()), Err);
    let ended = session.end();
    inspection.add("only answers come on standard output, one a request", stray);
    inspection.add("it ends with status 0 when its input ends", ended);
    Ok(inspection)
}

fn cannot_start(command: &CommandLine, error: &io::Error) -> Trouble {
    let (program, _) = command.words();
    Trouble::new(format!("`{program}`: {error}"), advice_for(error))
}

fn in_seconds(took: Duration) -> String {
    match took.as_secs_f64() {
        took if took < 0.1 => "at once".to_owned(),
        took => format!("after {took:.1} s"),
    }
}

/// A file with one stream and one message, as plain as can be.
fn recording(payload: &[u8]) -> Option<Vec<u8>> {
    let plan = Plan::new()
        .stream(stream(1))
        .chunk(Chunk::plain(1, &[(STAMP, payload)]));
    plan.layout().ok().map(|layout| layout.bytes)
}

/// What stands at a place of an answer.
fn member<'a>(answer: &'a Value, pointer: &str) -> Option<&'a Value> {
    answer.pointer(pointer).filter(|value| !value.is_null())
}

/// A folder for the files.
fn scratch() -> Result<(Scratch, fastrand::Rng), ScratchError> {
    Ok((Scratch::new()?, fastrand::Rng::new()))
}
