//! What is judged: anything that answers the protocol's requests.
//!
//! [`InTree`] calls the reference reader in this process; [`Subprocess`] speaks
//! the protocol with a program that this kit knows nothing about.

mod claims;
mod command;
mod in_tree;
pub mod limits;
mod process;
mod subprocess;

use std::ops::Range;
use std::time::Duration;

use ca3_spec::protocol::Request;
use serde_json::{Map, Value};

use crate::interrupt::Signal;

pub use claims::Claims;
pub use command::CommandLine;
pub use in_tree::InTree;
pub use limits::Limits;
pub(crate) use process::{Event, Process};
pub use subprocess::{Program, Subprocess, answer_of};
pub(crate) use subprocess::{advice_for, describe_end, shown};

/// What became of one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// One JSON object came back, with the request's id.
    Answer {
        /// The object.
        answer: Map<String, Value>,
        /// What was written to standard error meanwhile, its last part.
        stderr: String,
        /// How an earlier process died on the same request, if one did.
        died_before: Option<String>,
    },
    /// No usable answer came back.
    Crash {
        /// What happened instead.
        why: String,
        /// What was written to standard error, its last part.
        stderr: String,
    },
    /// Nothing came back in time.
    Timeout {
        /// How long was waited.
        after: Duration,
        /// The part of it that a new process was given for its start.
        start: Duration,
        /// What was written to standard error, its last part.
        stderr: String,
    },
    /// What became of a request over HTTP.
    OverHttp {
        /// That.
        reply: Box<Reply>,
        /// The stretches of the file that were fetched, ascending.
        fetched: Vec<Range<u64>>,
    },
    /// Nothing was asked: it does not list what the request needs, or this
    /// program could not offer it.
    NotAsked {
        /// Why.
        why: String,
    },
    /// This program was told to stop while it waited.
    Interrupted,
}

impl Reply {
    /// Whether this program was told to stop while it waited.
    pub fn is_interrupted(&self) -> bool {
        match self {
            Reply::Interrupted => true,
            Reply::OverHttp { reply, .. } => reply.is_interrupted(),
            _ => false,
        }
    }
}

/// Why no implementation could be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program could not be run at all.
    #[error("cannot start `{program}`: {source}\n{advice}")]
    Spawn {
        /// The first word of the command.
        program: String,
        /// The system's reason.
        source: std::io::Error,
        /// What to do about it.
        advice: &'static str,
    },
    /// It ran and did not answer.
    #[error(
        "`{program}` never answered hello: {why}\n\
         It must read one JSON object a line from standard input and answer each with one \
         on standard output, flushed at once; logs belong on standard error. \
         Try it by hand:\n  echo '{request}' | {program}{}",
        stderr_block(stderr)
    )]
    NoHello {
        /// The command.
        program: String,
        /// What happened instead.
        why: String,
        /// The request that was sent.
        request: String,
        /// What it wrote to standard error, its last part.
        stderr: String,
    },
    /// This program was told to stop before it answered.
    #[error("interrupted by {0} before hello was answered")]
    Interrupted(Signal),
}

fn stderr_block(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        let lines: Vec<String> = stderr.lines().map(|line| format!("\n  | {line}")).collect();
        format!("\nIts standard error ended with:{}", lines.concat())
    }
}

/// Something that answers requests, one at a time.
pub trait Implementation: Send {
    /// Asks what it is, once a run and before anything else.
    fn hello(&mut self, request: &Request) -> Result<Map<String, Value>, StartError>;

    /// Forgets what was asked before: the next request meets a process that
    /// has answered nothing yet.
    fn restart(&mut self);

    /// Sends a request and waits for what becomes of it.
    fn ask(&mut self, request: &Request) -> Reply;
}

/// The number of the request for `hello`; all others have higher ones.
pub const HELLO_ID: u64 = 1;

/// The request for `hello`.
pub fn hello_request() -> Request {
    let mut arguments = Map::new();
    arguments.insert(
        "protocol".to_owned(),
        Value::from(ca3_spec::protocol::PROTOCOL_VERSION),
    );
    arguments.insert("kit".to_owned(), Value::from(env!("CARGO_PKG_VERSION")));
    Request {
        id: HELLO_ID,
        op: "hello".to_owned(),
        path: None,
        arguments,
    }
}
