//! A conversation in which everything is looked at: also what comes unasked.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use ca3_spec::protocol::{MAX_LINE_BYTES, Request};
use serde_json::{Map, Value};

use super::Trouble;
use crate::implementation::{
    CommandLine, Event, HELLO_ID, Limits, Process, answer_of, describe_end, hello_request, limits,
    shown,
};
use crate::interrupt;

/// How long is listened for what nobody asked for.
const LISTEN: Duration = Duration::from_millis(50);
/// How long it may take to end.
const GRACE: Duration = Duration::from_secs(2);

const ONLY_ANSWERS: &str = "Write one JSON object a request on standard output and nothing else; \
                            logs, prompts and progress belong on standard error.";
const CATCH: &str = "Catch what your reader throws, and answer {\"id\": ..., \"status\": \
                     \"refused\", \"error\": {\"kind\": \"other\", \"message\": ...}}.";
const FLUSH: &str = "End every answer with a line feed and flush it at once (Python: \
                     print(..., flush=True); C: fflush(stdout)); answer every request.";

/// A conversation with one program, on one process after another where it ends.
pub(super) struct Session {
    command: CommandLine,
    limits: Limits,
    process: Option<Process>,
    id: u64,
    stray: Option<Trouble>,
    /// It ended by itself after an answer, without an error.
    pub(super) one_at_a_time: bool,
}

impl Session {
    pub(super) fn new(command: CommandLine, limits: Limits) -> Self {
        Session {
            command,
            limits,
            process: None,
            id: HELLO_ID,
            stray: None,
            one_at_a_time: false,
        }
    }

    /// Starts a process.
    pub(super) fn start(&mut self) -> io::Result<()> {
        let (program, arguments) = self.command.words();
        self.process = Some(Process::start(program, arguments, MAX_LINE_BYTES)?);
        Ok(())
    }

    /// Asks hello, and says how long the answer took.
    pub(super) fn hello(&mut self) -> Result<(Map<String, Value>, Duration), Trouble> {
        let begun = Instant::now();
        let answer = self.exchange(&hello_request(), self.limits.start)?;
        Ok((answer, begun.elapsed()))
    }

    /// Asks about a file, with members besides the usual ones.
    pub(super) fn ask(
        &mut self,
        op: &str,
        path: &Path,
        more: Map<String, Value>,
    ) -> Result<Map<String, Value>, Trouble> {
        // Numbers with gaps: an adapter that counts by itself is seen.
        self.id += 1_000_003;
        let request = Request {
            id: self.id,
            op: op.to_owned(),
            path: Some(path.to_string_lossy().into_owned()),
            arguments: more,
        };
        let limit = match &self.process {
            Some(process) if process.answered > 0 => self.limits.request,
            _ => self.limits.start,
        };
        self.exchange(&request, limit)
    }

    /// The first thing that came unasked.
    pub(super) fn stray(&mut self) -> Option<Trouble> {
        self.stray.take()
    }

    fn exchange(
        &mut self,
        request: &Request,
        limit: Duration,
    ) -> Result<Map<String, Value>, Trouble> {
        let line = serde_json::to_string(request).unwrap_or_default();
        let told = |trouble: Trouble, stderr: String| Trouble {
            request: Some(line.clone()),
            stderr,
            ..trouble
        };
        if self.process.as_mut().is_some_and(Process::has_ended) {
            self.let_go()?;
        }
        if interrupt::caught().is_some() {
            return Err(interrupted());
        }
        if self.process.is_none() {
            self.start().map_err(|error| {
                Trouble::new(format!("it could not be started again: {error}"), "")
            })?;
        }
        let Some(mut process) = self.process.take() else {
            return Err(Trouble::new("it is not there any more", ""));
        };
        process.clear_stderr();
        process.send(format!("{line}\n").into_bytes());
        let deadline = Instant::now() + limit;
        let answer = loop {
            match process.next(deadline) {
                Event::Line { bytes, .. } if bytes.iter().all(u8::is_ascii_whitespace) => {}
                Event::Line { bytes, whole } => match answer_of(&bytes, request.id) {
                    Ok(answer) => break answer,
                    Err(_) if !whole => {}
                    Err(why) => {
                        process.kill();
                        let advice = match serde_json::from_slice(&bytes) {
                            Ok(Value::Object(_)) => "Repeat the `id` of the request in its answer.",
                            _ => ONLY_ANSWERS,
                        };
                        return Err(told(Trouble::new(why, advice), process.stderr()));
                    }
                },
                Event::TooLong => {
                    process.kill();
                    let seen = format!("its answer is a line of more than {MAX_LINE_BYTES} bytes");
                    return Err(told(Trouble::new(seen, FLUSH), process.stderr()));
                }
                Event::Ended => {
                    let (status, stderr) = process.finish(GRACE);
                    // One that answers once and exits may do so only now.
                    if process.answered > 0 && status.is_some_and(|status| status.success()) {
                        self.one_at_a_time = true;
                        return self.exchange(request, limit.max(self.limits.start));
                    }
                    let seen = format!("{} before an answer", describe_end(status));
                    return Err(told(Trouble::new(seen, CATCH), stderr));
                }
                Event::Silence => {
                    process.kill();
                    let limit = if limit == self.limits.request {
                        limits::request_in_words(limit, Duration::ZERO)
                    } else {
                        limits::start_in_words(limit)
                    };
                    let seen = format!("nothing came within {limit}");
                    return Err(told(Trouble::new(seen, FLUSH), process.stderr()));
                }
                Event::Interrupted(_) => {
                    process.kill();
                    return Err(interrupted());
                }
            }
        };
        process.answered += 1;
        self.listen(&mut process, Instant::now() + LISTEN);
        self.process = Some(process);
        Ok(answer)
    }

    /// Keeps what comes without having been asked for.
    fn listen(&mut self, process: &mut Process, deadline: Instant) -> bool {
        loop {
            match process.next(deadline) {
                Event::Line { bytes, .. } if bytes.iter().all(u8::is_ascii_whitespace) => {}
                Event::Line { bytes, .. } => {
                    let seen = format!("a line too many came: {}", shown(&bytes));
                    self.stray.get_or_insert(Trouble::new(seen, ONLY_ANSWERS));
                }
                Event::TooLong => {
                    let seen = "a line without an end came unasked";
                    self.stray.get_or_insert(Trouble::new(seen, ONLY_ANSWERS));
                }
                Event::Ended => {
                    process.mark_ended();
                    return true;
                }
                Event::Silence | Event::Interrupted(_) => return false,
            }
        }
    }

    /// Lets a process go that ended by itself after an answer.
    fn let_go(&mut self) -> Result<(), Trouble> {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        let (status, stderr) = process.finish(GRACE);
        if status.is_some_and(|status| status.success()) && process.answered > 0 {
            self.one_at_a_time = true;
            return Ok(());
        }
        let seen = format!("{} after its answer", describe_end(status));
        Err(Trouble {
            stderr,
            ..Trouble::new(
                seen,
                "Go on with the next line of standard input after an answer; a process that \
                 answers once and ends must do so with status 0.",
            )
        })
    }

    /// Ends the input and sees what becomes of the process.
    pub(super) fn end(&mut self) -> Result<String, Trouble> {
        if self.one_at_a_time {
            return Ok("it ends after every answer, which is slow and not wrong".to_owned());
        }
        let mut process = match self.process.take() {
            Some(process) => process,
            None => {
                let started = self.start();
                match (started, self.process.take()) {
                    (Ok(()), Some(process)) => process,
                    _ => return Err(Trouble::new("it could not be started again", "")),
                }
            }
        };
        process.clear_stderr();
        process.end_input();
        let ended = self.listen(&mut process, Instant::now() + GRACE);
        if let Some(stray) = self.stray.take() {
            process.kill();
            return Err(stray);
        }
        let patience = if ended { GRACE } else { Duration::ZERO };
        let (status, stderr) = process.finish(patience);
        let advice = "When standard input ends, leave the loop and exit with status 0.";
        match status {
            Some(status) if status.success() => Ok(String::new()),
            None if !ended => Err(Trouble {
                stderr,
                ..Trouble::new(format!("it still ran {} s later", GRACE.as_secs()), advice)
            }),
            status => Err(Trouble {
                stderr,
                ..Trouble::new(describe_end(status), advice)
            }),
        }
    }
}

/// What no check tells: [`super::Inspection`] takes no more of them then.
fn interrupted() -> Trouble {
    Trouble::new("interrupted", "")
}
