//! How far a piece of work is: one line on standard error, for a person at a
//! terminal.
//!
//! The line is drawn with a carriage return and blanks and no other control
//! character, so it shows in every terminal, also without colour. One thread of
//! its own draws it, so that it moves on while the work hangs.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::paragraph::clip;

/// Work that is over sooner shows no line.
const DELAY: Duration = Duration::from_secs(1);
/// How often the line is drawn.
const PAUSE: Duration = Duration::from_millis(100);
/// The width where the terminal does not tell its own.
const WIDTH: usize = 80;

/// Whether there is somebody to show it to: standard error is a terminal that
/// can go back to the beginning of a line.
pub fn is_wanted() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !dumb
}

/// Does some work, with the line shown meanwhile where it is wanted; the line is
/// gone when the work is done.
pub fn shown<T>(wanted: bool, line: impl Fn() -> String + Sync, work: impl FnOnce() -> T) -> T {
    if !wanted {
        return work();
    }
    thread::scope(|scope| {
        let (done, wait) = sync_channel::<()>(0);
        let line = &line;
        scope.spawn(move || {
            let mut pause = DELAY;
            let mut drawn = 0;
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                drawn = draw(&line(), drawn);
                pause = PAUSE;
            }
            if drawn > 0 {
                draw("", drawn);
                draw("", 0);
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Draws a line over the last one, and says how long it is.
fn draw(line: &str, last: usize) -> usize {
    let mut stderr = io::stderr();
    let width = terminal_size::terminal_size_of(&stderr).map(|(width, _)| usize::from(width.0));
    let width = width.filter(|width| *width > 0).unwrap_or(WIDTH);
    // The last column stays free: some terminals go to the next line behind it.
    let line = clip(line, width.saturating_sub(1));
    let length = line.chars().count();
    let blanks = last.saturating_sub(length);
    // Nothing is lost where the line cannot be shown.
    let _ = write!(stderr, "\r{line}{:blanks$}", "");
    let _ = stderr.flush();
    length
}
