//! One running program: its three pipes, each on a thread of its own, and an
//! end that leaves nothing behind.
//!
//! The threads never share a fate with the caller: a program that writes without
//! being asked, never reads, or hands its pipes to a grandchild can fill a pipe
//! and block a thread, and the caller still waits no longer than its deadline.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupt::{self, Signal};

/// How often it is looked whether this program was told to stop.
const LOOK: Duration = Duration::from_millis(20);
/// How much of standard error is kept.
const STDERR_BYTES: usize = 4 * 1024;
/// How long a program may take to end once its input has ended.
const GRACE: Duration = Duration::from_secs(2);
/// How long the last words on standard error are waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What comes out of the program.
#[derive(Debug)]
pub(crate) enum Event {
    /// A line, without its end; `whole` is false where the output ended in it.
    Line {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether a line end came.
        whole: bool,
    },
    /// A line went on past the limit.
    TooLong,
    /// Its output ended, or its input cannot be written any more.
    Ended,
    /// Nothing came until the deadline.
    Silence,
    /// This program was told to stop.
    Interrupted(Signal),
}

/// One program, from its start to its end.
pub(crate) struct Process {
    child: Child,
    reaped: bool,
    input: Option<SyncSender<Vec<u8>>>,
    events: Receiver<Event>,
    waiting: Option<Event>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    stderr_ended: Receiver<()>,
    /// How many requests it has answered.
    pub(crate) answered: u64,
}

impl Process {
    /// Starts a program in a process group of its own, where there are such.
    pub(crate) fn start(
        program: &str,
        arguments: &[String],
        longest: usize,
    ) -> io::Result<Process> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;

        let (report, events) = sync_channel(8);
        let (input, lines) = sync_channel(1);
        let (stderr_end, stderr_ended) = sync_channel(1);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(pipe) = child.stdin.take() {
            let report = report.clone();
            thread::spawn(move || write_lines(pipe, &lines, &report));
        }
        if let Some(pipe) = child.stdout.take() {
            thread::spawn(move || read_lines(pipe, longest, &report));
        }
        if let Some(pipe) = child.stderr.take() {
            let tail = Arc::clone(&stderr);
            thread::spawn(move || {
                keep_tail(pipe, &tail);
                drop(stderr_end);
            });
        }
        Ok(Process {
            child,
            reaped: false,
            input: Some(input),
            events,
            waiting: None,
            stderr,
            stderr_ended,
            answered: 0,
        })
    }

    /// Whether its output has ended, as far as is known without waiting.
    pub(crate) fn has_ended(&mut self) -> bool {
        if self.waiting.is_none() {
            self.waiting = match self.events.try_recv() {
                Ok(event) => Some(event),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Event::Ended),
            };
        }
        matches!(self.waiting, Some(Event::Ended))
    }

    /// Keeps in mind that its output has ended.
    pub(crate) fn mark_ended(&mut self) {
        self.waiting = Some(Event::Ended);
    }

    /// Hands over a line, its end included; what becomes of it is an event.
    pub(crate) fn send(&mut self, line: Vec<u8>) {
        if let Some(input) = &self.input
            && input.try_send(line).is_err()
        {
            self.waiting.get_or_insert(Event::Ended);
        }
    }

    /// The next event, waited for until the deadline.
    pub(crate) fn next(&mut self, deadline: Instant) -> Event {
        if let Some(event) = self.waiting.take() {
            return event;
        }
        loop {
            if let Some(signal) = interrupt::caught() {
                return Event::Interrupted(signal);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left.min(LOOK)) {
                Ok(event) => return event,
                Err(RecvTimeoutError::Timeout) if left <= LOOK => return Event::Silence,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Event::Ended,
            }
        }
    }

    /// Forgets what was written to standard error so far.
    pub(crate) fn clear_stderr(&self) {
        self.stderr
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The last part of what was written to standard error.
    pub(crate) fn stderr(&self) -> String {
        let tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes)
            .trim_end()
            .trim_start_matches('\u{FFFD}')
            .to_owned()
    }

    /// Ends its input: there will be no more requests.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Ends its input and waits for it to end; kills it where it does not.
    /// Gives its status, where it ended by itself, and its last words. Once this
    /// program was told to stop, nothing is waited for.
    pub(crate) fn finish(&mut self, patience: Duration) -> (Option<ExitStatus>, String) {
        self.input = None;
        let deadline = Instant::now() + patience;
        let mut pause = Duration::from_millis(1);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.reaped = true;
                    break Some(status);
                }
                Ok(None) if Instant::now() < deadline && interrupt::caught().is_none() => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Ok(None) | Err(_) => {
                    self.kill();
                    break None;
                }
            }
        };
        let _ = self.stderr_ended.recv_timeout(LAST_WORDS);
        (status, self.stderr())
    }

    /// Kills it, and whatever it started, at once.
    pub(crate) fn kill(&mut self) {
        if self.reaped {
            return;
        }
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.reaped = true;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            self.finish(GRACE);
        }
    }
}

fn write_lines(mut pipe: ChildStdin, lines: &Receiver<Vec<u8>>, report: &SyncSender<Event>) {
    while let Ok(line) = lines.recv() {
        if pipe.write_all(&line).and_then(|()| pipe.flush()).is_err() {
            let _ = report.send(Event::Ended);
            return;
        }
    }
}

fn read_lines(pipe: ChildStdout, longest: usize, report: &SyncSender<Event>) {
    let mut reader = BufReader::with_capacity(64 * 1024, pipe);
    loop {
        let mut bytes = Vec::new();
        let whole = match read_line(&mut reader, longest, &mut bytes) {
            Ok(Some(whole)) => whole,
            Ok(None) => {
                let _ = report.send(Event::TooLong);
                return;
            }
            Err(_) => false,
        };
        let ended = !whole;
        if (whole || !bytes.is_empty()) && report.send(Event::Line { bytes, whole }).is_err() {
            return;
        }
        if ended {
            let _ = report.send(Event::Ended);
            return;
        }
    }
}

/// Reads up to a line end: `Some(true)` with one, `Some(false)` where the
/// output ended, `None` past the limit.
fn read_line(
    reader: &mut impl BufRead,
    longest: usize,
    bytes: &mut Vec<u8>,
) -> io::Result<Option<bool>> {
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(Some(false));
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(buffer.len(), |end| end + 1);
        if bytes.len() + taken > longest {
            return Ok(None);
        }
        bytes.extend(buffer.iter().take(end.unwrap_or(taken)));
        reader.consume(taken);
        if end.is_some() {
            return Ok(Some(true));
        }
    }
}

fn keep_tail(mut pipe: ChildStderr, tail: &Mutex<VecDeque<u8>>) {
    let mut block = [0; STDERR_BYTES];
    loop {
        match pipe.read(&mut block) {
            Ok(0) => return,
            Ok(count) => {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.extend(block.iter().take(count));
                let surplus = tail.len().saturating_sub(STDERR_BYTES);
                tail.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(mut text: &[u8], longest: usize) -> (Option<bool>, Vec<u8>) {
        let mut bytes = Vec::new();
        let whole = read_line(&mut text, longest, &mut bytes).unwrap();
        (whole, bytes)
    }

    #[test]
    fn a_line_ends_at_its_end_at_the_output_s_or_at_the_limit() {
        assert_eq!(line_of(b"{}\nrest", 100), (Some(true), b"{}".to_vec()));
        assert_eq!(line_of(b"{}", 100), (Some(false), b"{}".to_vec()));
        assert_eq!(line_of(b"", 100), (Some(false), Vec::new()));
        assert_eq!(line_of(b"12345\n", 6).0, Some(true));
        assert_eq!(line_of(b"123456\n", 6).0, None);
    }
}
