//! An implementation in a program of its own, spoken to by the protocol.

use std::io;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ca3_spec::protocol::{MAX_LINE_BYTES, Request};
use serde_json::{Map, Value};

use super::process::{Event, Process};
use super::{CommandLine, Implementation, Limits, Reply, StartError, limits};
use crate::interrupt::{self, Signal};
use crate::matching::integer;

/// How long an ended program is waited for before it is killed.
const ENDING: Duration = Duration::from_secs(1);
/// How much of a line that is no answer is shown.
const SHOWN_BYTES: usize = 120;

/// A program behind the protocol, which any number of processes may run.
#[derive(Clone, Debug)]
pub struct Program {
    command: CommandLine,
    limits: Limits,
    /// How long the answer to `hello` took: the first request to a new process
    /// is given more time by it, so that a slow start is not taken for a hang.
    start_took: Arc<Mutex<Duration>>,
}

impl Program {
    /// A program by its command; nothing is started yet.
    pub fn new(command: CommandLine, limits: Limits) -> Self {
        Program {
            command,
            limits,
            start_took: Arc::default(),
        }
    }

    fn start_allowance(&self) -> Duration {
        let took = *self
            .start_took
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        (took * 4).min(self.limits.start)
    }
}

/// One process of a program: started when first asked, kept running, and
/// started anew where it died, hung or spoke out of turn.
pub struct Subprocess {
    program: Program,
    process: Option<Process>,
}

/// What came of handing one request to one process.
enum Attempt {
    Answered(Map<String, Value>),
    /// It ended before an answer.
    Died {
        why: String,
        stderr: String,
        /// It had answered before and ended by itself, without an error.
        one_at_a_time: bool,
    },
    /// It answered with something that is no answer.
    Garbled {
        why: String,
        stderr: String,
    },
    Silent {
        after: Duration,
        /// The part of it that a new process is given for its start.
        start: Duration,
        stderr: String,
    },
    NotStarted(io::Error),
    Interrupted(Signal),
}

impl Subprocess {
    /// A process of a program; nothing is started yet.
    pub fn new(program: Program) -> Self {
        Subprocess {
            program,
            process: None,
        }
    }

    fn attempt(&mut self, request: &Request, limit: Duration) -> Attempt {
        if let Some(signal) = interrupt::caught() {
            return Attempt::Interrupted(signal);
        }
        if self.process.as_mut().is_some_and(Process::has_ended) {
            self.process = None;
        }
        let mut process = match self.process.take() {
            Some(process) => {
                process.clear_stderr();
                process
            }
            None => {
                let (program, arguments) = self.program.command.words();
                match Process::start(program, arguments, MAX_LINE_BYTES) {
                    Ok(process) => process,
                    Err(error) => return Attempt::NotStarted(error),
                }
            }
        };
        let start = match process.answered {
            0 => self.program.start_allowance(),
            _ => Duration::ZERO,
        };
        let patience = limit + start;

        let mut line = match serde_json::to_vec(request) {
            Ok(line) => line,
            Err(error) => {
                return Attempt::Garbled {
                    why: error.to_string(),
                    stderr: String::new(),
                };
            }
        };
        line.push(b'\n');
        let deadline = Instant::now() + patience;
        process.send(line);
        loop {
            let why = match process.next(deadline) {
                Event::Line { bytes, .. } if bytes.iter().all(u8::is_ascii_whitespace) => continue,
                Event::Line { bytes, whole } => match answer_of(&bytes, request.id) {
                    Ok(answer) => {
                        process.answered += 1;
                        self.process = Some(process);
                        return Attempt::Answered(answer);
                    }
                    Err(why) if whole => why,
                    // It died while writing: that its output ended says more.
                    Err(_) => continue,
                },
                Event::TooLong => {
                    format!("its answer is a line of more than {MAX_LINE_BYTES} bytes")
                }
                Event::Ended => {
                    let (status, stderr) = process.finish(ENDING);
                    let one_at_a_time =
                        process.answered > 0 && status.is_some_and(|status| status.success());
                    return Attempt::Died {
                        why: describe_end(status),
                        stderr,
                        one_at_a_time,
                    };
                }
                Event::Silence => {
                    process.kill();
                    return Attempt::Silent {
                        after: patience,
                        start,
                        stderr: process.stderr(),
                    };
                }
                Event::Interrupted(signal) => {
                    process.kill();
                    return Attempt::Interrupted(signal);
                }
            };
            process.kill();
            return Attempt::Garbled {
                why,
                stderr: process.stderr(),
            };
        }
    }
}

impl Implementation for Subprocess {
    fn hello(&mut self, request: &Request) -> Result<Map<String, Value>, StartError> {
        let begun = Instant::now();
        let mut deaths = 0;
        let (why, stderr) = loop {
            match self.attempt(request, self.program.limits.start) {
                Attempt::Answered(answer) => {
                    *self
                        .program
                        .start_took
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = begun.elapsed();
                    return Ok(answer);
                }
                Attempt::Died { why, stderr, .. } => {
                    deaths += 1;
                    if deaths == 2 {
                        break (why, stderr);
                    }
                }
                Attempt::Garbled { why, stderr } => break (why, stderr),
                Attempt::Silent { stderr, .. } => {
                    let limit = limits::start_in_words(self.program.limits.start);
                    break (format!("nothing came within {limit}"), stderr);
                }
                Attempt::Interrupted(signal) => return Err(StartError::Interrupted(signal)),
                Attempt::NotStarted(source) => {
                    let advice = advice_for(&source);
                    let program = self.program.command.words().0.to_owned();
                    return Err(StartError::Spawn {
                        program,
                        source,
                        advice,
                    });
                }
            }
        };
        Err(StartError::NoHello {
            program: self.program.command.text().to_owned(),
            why,
            request: serde_json::to_string(request).unwrap_or_default(),
            stderr,
        })
    }

    fn restart(&mut self) {
        self.process = None;
    }

    fn ask(&mut self, request: &Request) -> Reply {
        let mut died_before = None;
        let mut forgiven = false;
        loop {
            match self.attempt(request, self.program.limits.request) {
                Attempt::Answered(answer) => {
                    let stderr = self
                        .process
                        .as_ref()
                        .map(Process::stderr)
                        .unwrap_or_default();
                    return Reply::Answer {
                        answer,
                        stderr,
                        died_before,
                    };
                }
                // A process that answers one request and exits is accepted,
                // also when it exits only after the next request was sent.
                Attempt::Died {
                    one_at_a_time: true,
                    ..
                } if !forgiven => forgiven = true,
                Attempt::Died { why, .. } if died_before.is_none() => died_before = Some(why),
                Attempt::Died { why, stderr, .. } => {
                    let why = format!("{why} before an answer, on a second process too");
                    return Reply::Crash { why, stderr };
                }
                Attempt::Garbled { why, stderr } => return Reply::Crash { why, stderr },
                Attempt::Silent {
                    after,
                    start,
                    stderr,
                } => {
                    return Reply::Timeout {
                        after,
                        start,
                        stderr,
                    };
                }
                Attempt::Interrupted(_) => return Reply::Interrupted,
                Attempt::NotStarted(error) => {
                    let why = format!("it could not be started again: {error}");
                    return Reply::Crash {
                        why,
                        stderr: String::new(),
                    };
                }
            }
        }
    }
}

/// The answer on a line, if it is one to the request of that number.
///
/// # Errors
/// What the line is instead, in words.
pub fn answer_of(bytes: &[u8], id: u64) -> Result<Map<String, Value>, String> {
    let answer = match serde_json::from_slice(bytes) {
        Ok(Value::Object(answer)) => answer,
        Ok(_) => return Err(format!("its answer is no JSON object: {}", shown(bytes))),
        Err(error) => {
            return Err(format!(
                "its answer is not one JSON object ({error}): {}",
                shown(bytes)
            ));
        }
    };
    match answer.get("id") {
        Some(got) if integer(got) == Some(i128::from(id)) => Ok(answer),
        Some(got) => Err(format!("its answer has the id {got}, the request has {id}")),
        None => Err(format!("its answer has no id: {}", shown(bytes))),
    }
}

/// The beginning of a line, for a person.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let head = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
    let more = if bytes.len() > SHOWN_BYTES { "..." } else { "" };
    let visible = |c: char| match c {
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    let text: String = String::from_utf8_lossy(head).chars().map(visible).collect();
    format!("{text}{more}")
}

pub(crate) fn describe_end(status: Option<ExitStatus>) -> String {
    match status {
        None => "it closed its output".to_owned(),
        Some(status) => match status.code() {
            Some(code) => format!("it exited with status {code}"),
            None => format!("it ended by a {status}"),
        },
    }
}

pub(crate) fn advice_for(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "Give the program with its path (./reader), or the interpreter before it \
             (--reader 'python3 reader.py'); no shell expands it."
        }
        io::ErrorKind::PermissionDenied => {
            "Make it executable (chmod +x), or give the interpreter before it \
             (--reader 'python3 reader.py')."
        }
        _ => "Start it by hand to see why.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_object_with_the_request_s_id() {
        assert!(answer_of(br#"{"id": 7, "status": "ok"}"#, 7).is_ok());
        assert!(answer_of(br#"{"id": 7.0}"#, 7).is_ok());
        assert!(answer_of(br#"{"id": "7"}"#, 7).is_ok());
        assert!(
            answer_of(br#"{"id": 8}"#, 7)
                .unwrap_err()
                .contains("has the id 8")
        );
        assert!(answer_of(b"{}", 7).unwrap_err().contains("no id"));
        assert!(answer_of(b"[1]", 7).unwrap_err().contains("no JSON object"));
        assert!(
            answer_of(br#"{"id": 7} {"id": 8}"#, 7)
                .unwrap_err()
                .contains("not one JSON")
        );
        assert!(answer_of(b"{\"id\": NaN}", 7).unwrap_err().contains("NaN"));
        assert!(answer_of(b"\xFF", 7).is_err());
    }
}
