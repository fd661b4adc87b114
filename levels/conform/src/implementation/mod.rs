//! What is judged: anything that answers the protocol's requests.
//!
//! [`InTree`] calls the reference reader in this process; [`Subprocess`] speaks
//! the protocol with a program that this kit knows nothing about.

mod claims;
mod in_tree;
mod process;
mod subprocess;

use std::time::Duration;

use ca3_spec::protocol::Request;
use serde_json::{Map, Value};

pub use claims::Claims;
pub use in_tree::InTree;
pub(crate) use process::{Event, Process};
pub use subprocess::{CommandLine, Limits, Program, Subprocess, answer_of};
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
        /// What was written to standard error, its last part.
        stderr: String,
    },
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
