//! The reference reader, called in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ca3_reader::answer;
use ca3_spec::protocol::{Answer, AnswerOutcome, Request};
use serde_json::{Map, Value};

use super::{Implementation, Reply, StartError};

/// The reference reader of this repository.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTree;

impl Implementation for InTree {
    fn hello(&mut self, request: &Request) -> Result<Map<String, Value>, StartError> {
        let no_hello = |why: String| StartError::NoHello {
            program: "the reader in this program".to_owned(),
            why,
            request: String::new(),
            stderr: String::new(),
        };
        let result = serde_json::to_value(answer::hello());
        let result = result.map_err(|error| no_hello(error.to_string()))?;
        let answer = Answer {
            id: request.id,
            outcome: AnswerOutcome::Ok { result },
        };
        as_object(&answer).map_err(no_hello)
    }

    /// The reader keeps nothing between requests.
    fn restart(&mut self) {}

    fn ask(&mut self, request: &Request) -> Reply {
        let crash = |why: String| Reply::Crash {
            why,
            stderr: String::new(),
        };
        // A panic of the reader is a crash of this step, as in a process of its own.
        match catch_unwind(AssertUnwindSafe(|| answer::answer(request))) {
            Ok(answer) => match as_object(&answer) {
                Ok(answer) => Reply::Answer {
                    answer,
                    stderr: String::new(),
                    died_before: None,
                },
                Err(why) => crash(why),
            },
            Err(panic) => {
                let why = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("no message");
                crash(format!("it panicked: {why}"))
            }
        }
    }
}

fn as_object(answer: &Answer) -> Result<Map<String, Value>, String> {
    match serde_json::to_value(answer) {
        Ok(Value::Object(answer)) => Ok(answer),
        Ok(other) => Err(format!("its answer is no JSON object: {other}")),
        Err(error) => Err(format!("its answer is no JSON: {error}")),
    }
}
