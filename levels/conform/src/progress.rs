//! How far a run is: one line on standard error, for a person at a terminal.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use ca3_reports::progress::is_wanted;

use crate::run::Moment;

/// How long a case is in hand before it is named.
const SLOW: Duration = Duration::from_secs(1);

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

/// Does some work, with the line shown meanwhile where it is wanted.
pub fn shown<T>(wanted: bool, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    ca3_reports::progress::shown(wanted, || progress.line(), || work(&progress))
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
