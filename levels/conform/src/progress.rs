//! How far a run is: one line on standard error, for a person at a terminal.
//!
//! The line is drawn with a carriage return and blanks and no other control
//! character, so it shows in every terminal, also without colour. One thread of
//! its own draws it, so that it moves on while a reader hangs.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ca3_reports::paragraph::clip;

use crate::run::Moment;

/// A run that is over sooner shows no line.
const DELAY: Duration = Duration::from_secs(1);
/// How often the line is drawn.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a case is in hand before it is named.
const SLOW: Duration = Duration::from_secs(1);
/// The width where the terminal does not tell its own.
const WIDTH: usize = 80;

/// Whether there is somebody to show it to: standard error is a terminal that
/// can go back to the beginning of a line.
pub fn is_wanted() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !dumb
}

/// Where a run stands.
#[derive(Debug, Default)]
pub struct Progress(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    total: usize,
    done: usize,
    failed: usize,
    /// What each worker has in hand, and since when.
    in_hand: BTreeMap<usize, (Instant, String)>,
}

impl Progress {
    /// Takes in what is heard of the run.
    pub fn hear(&self, moment: Moment<'_>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match moment {
            Moment::Begun {
                worker,
                id,
                polarity,
                total,
            } => {
                state.total = total;
                let name = format!("{id} ({})", polarity.as_str());
                state.in_hand.insert(worker, (Instant::now(), name));
            }
            Moment::Judged { worker, fails } => {
                state.done += 1;
                state.failed += usize::from(fails);
                state.in_hand.remove(&worker);
            }
        }
    }

    fn line(&self) -> String {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slowest = state.in_hand.values().min_by_key(|(since, _)| *since);
        let slow = slowest.map(|(since, name)| (since.elapsed(), name));
        let slow = match slow {
            Some((waited, name)) if waited >= SLOW => {
                format!("; {} s on {name}", waited.as_secs())
            }
            _ => String::new(),
        };
        format!(
            "{} of {} vectors, {} failed{slow}",
            state.done, state.total, state.failed
        )
    }
}

/// Does some work, with the line shown meanwhile where it is wanted; the line is
/// gone when the work is done.
pub fn shown<T>(wanted: bool, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !wanted {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (done, wait) = sync_channel::<()>(0);
        let shown = &progress;
        scope.spawn(move || {
            let mut pause = DELAY;
            let mut drawn = 0;
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                drawn = draw(&shown.line(), drawn);
                pause = PAUSE;
            }
            if drawn > 0 {
                draw("", drawn);
                draw("", 0);
            }
        });
        let result = work(&progress);
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

#[cfg(test)]
mod tests {
    use ca3_spec::vector::Polarity;

    use super::*;

    #[test]
    fn the_line_counts_and_names_the_case_that_takes_long() {
        let progress = Progress::default();
        for worker in [0, 1] {
            progress.hear(Moment::Begun {
                worker,
                id: "ca3/1-magic/a",
                polarity: Polarity::Valid,
                total: 7,
            });
        }
        progress.hear(Moment::Judged {
            worker: 0,
            fails: true,
        });
        assert_eq!(progress.line(), "1 of 7 vectors, 1 failed");
        let since = Instant::now().checked_sub(Duration::from_secs(3)).unwrap();
        progress.0.lock().unwrap().in_hand.get_mut(&1).unwrap().0 = since;
        assert_eq!(
            progress.line(),
            "1 of 7 vectors, 1 failed; 3 s on ca3/1-magic/a (valid)"
        );
    }
}
