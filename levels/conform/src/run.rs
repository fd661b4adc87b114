//! A run: every selected file, in an order that says nothing, on one or
//! several processes, then judged.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use ca3_spec::vector::{Case, Polarity, Vector};
use serde::Serialize;

use crate::conversation::{Ids, Scratch, ScratchError, hold};
use crate::implementation::{Claims, Implementation};
use crate::interrupt::{self, Signal};
use crate::judging::{self, Judged, Outcome};
use crate::results::{CaseResult, FileResult};

/// How to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many implementations work side by side.
    pub jobs: usize,
    /// What the order and the files' names are drawn from.
    pub seed: u64,
    /// Whether a wrong kind is a failure.
    pub strict: bool,
}

/// One file of one case.
struct Job<'a> {
    /// The place of its case among the cases.
    index: usize,
    case: &'a Case,
    polarity: Polarity,
    vector: &'a Vector,
    bytes: &'a [u8],
    /// What the name of its file is drawn from.
    name_seed: u64,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The results, in the cases' order. Of a run that was interrupted, only
    /// cases of which a file was judged.
    pub results: Vec<CaseResult>,
    /// How it was cut short, if it was.
    pub interrupted: Option<Interruption>,
}

/// How far a run came that was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interruption {
    /// What told it.
    pub signal: Signal,
    /// How many files were judged by then.
    pub judged: usize,
    /// How many there were to judge.
    pub of: usize,
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interruption { signal, judged, of } = self;
        write!(f, "interrupted by {signal} after {judged} of {of} vectors")
    }
}

/// What is heard of a run while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// A worker takes a file in hand.
    Begun {
        /// Which worker.
        worker: usize,
        /// The case.
        id: &'a str,
        /// Which of its files.
        polarity: Polarity,
        /// How many files there are in all.
        total: usize,
    },
    /// It has judged it.
    Judged {
        /// Which worker.
        worker: usize,
        /// Whether the file counts against the implementation.
        fails: bool,
    },
}

/// What the workers share.
struct Work<'a> {
    jobs: Vec<Job<'a>>,
    next: AtomicUsize,
    scratch: Scratch,
    claims: &'a Claims,
    strict: bool,
    judged: Mutex<Vec<(usize, Polarity, Judged)>>,
    failure: Mutex<Option<ScratchError>>,
    heard: &'a (dyn Fn(Moment<'_>) + Sync),
}

/// Runs the cases.
///
/// The implementation that answered `hello` works first; `another` gives the
/// others. `heard` follows it all.
pub fn run(
    cases: &[&Case],
    first: Box<dyn Implementation>,
    another: &(dyn Fn() -> Box<dyn Implementation> + Sync),
    claims: &Claims,
    settings: &Settings,
    heard: &(dyn Fn(Moment<'_>) + Sync),
) -> Result<Ran, ScratchError> {
    let work = Work {
        jobs: shuffled(cases, settings.seed),
        next: AtomicUsize::new(0),
        scratch: Scratch::new()?,
        claims,
        strict: settings.strict,
        judged: Mutex::default(),
        failure: Mutex::default(),
        heard,
    };
    thread::scope(|scope| {
        let helpers = settings.jobs.clamp(1, work.jobs.len().max(1)) - 1;
        for helper in 1..=helpers {
            let work = &work;
            scope.spawn(move || work.carry_out(helper, another()));
        }
        work.carry_out(0, first);
    });

    let of = work.jobs.len();
    if let Some(error) = unlocked(work.failure) {
        return Err(error);
    }
    let judged = unlocked(work.judged);
    let interrupted = interrupt::caught()
        .filter(|_| judged.len() < of)
        .map(|signal| Interruption {
            signal,
            judged: judged.len(),
            of,
        });
    let mut by_case: Vec<(Option<Judged>, Option<Judged>)> = vec![(None, None); cases.len()];
    for (index, polarity, verdict) in judged {
        if let Some(slot) = by_case.get_mut(index) {
            match polarity {
                Polarity::Valid => slot.0 = Some(verdict),
                Polarity::Invalid => slot.1 = Some(verdict),
            }
        }
    }
    let mut results = Vec::with_capacity(cases.len());
    for (case, (valid, mut invalid)) in cases.iter().zip(by_case) {
        // Without its twin, that an invalid file was rejected proves nothing.
        if valid.is_none() && case.sidecar.valid.vector().is_some() {
            invalid = invalid.filter(|invalid| invalid.outcome != Outcome::Pass);
        }
        if interrupted.is_some() && valid.is_none() && invalid.is_none() {
            continue;
        }
        let mut result = CaseResult::of(&case.sidecar);
        conclude(case, &mut result, valid, invalid);
        results.push(result);
    }
    Ok(Ran {
        results,
        interrupted,
    })
}

/// Every file of the cases, in an order that says nothing.
fn shuffled<'a>(cases: &[&'a Case], seed: u64) -> Vec<Job<'a>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut jobs = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for polarity in Polarity::BOTH {
            if let (Some(vector), Some(bytes)) =
                (case.sidecar.side(polarity).vector(), case.bytes(polarity))
            {
                jobs.push(Job {
                    index,
                    case,
                    polarity,
                    vector,
                    bytes,
                    name_seed: random.u64(..),
                });
            }
        }
    }
    random.shuffle(&mut jobs);
    jobs
}

impl Work<'_> {
    /// Judges file after file, until none is left or something ends it all.
    fn carry_out(&self, worker: usize, mut implementation: Box<dyn Implementation>) {
        let mut ids = Ids::default();
        let stopped = || interrupt::caught().is_some() || lock(&self.failure).is_some();
        while let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if stopped() {
                return;
            }
            let mut random = fastrand::Rng::with_seed(job.name_seed);
            let placed = match self.scratch.place(job.bytes, &mut random) {
                Ok(placed) => placed,
                Err(error) => {
                    lock(&self.failure).get_or_insert(error);
                    return;
                }
            };
            (self.heard)(Moment::Begun {
                worker,
                id: &job.case.sidecar.id,
                polarity: job.polarity,
                total: self.jobs.len(),
            });
            let replies = hold(
                job.vector,
                placed.path(),
                implementation.as_mut(),
                self.claims,
                &mut ids,
                |_, _| {},
            );
            let Some(replies) = replies else { return };
            let judged = judging::judge(job.vector, replies, self.claims, self.strict);
            let fails = judged.outcome.counts_against(job.case.sidecar.provisional);
            lock(&self.judged).push((job.index, job.polarity, judged));
            (self.heard)(Moment::Judged { worker, fails });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Puts both files of a case together, by the twin rule.
pub fn conclude(
    case: &Case,
    result: &mut CaseResult,
    valid: Option<Judged>,
    mut invalid: Option<Judged>,
) {
    if let Some(invalid) = &mut invalid {
        judging::apply_twin_rule(valid.as_ref(), invalid);
    }
    let file = |polarity: Polarity, judged: Judged| {
        let vector = case.sidecar.side(polarity).vector()?;
        Some(FileResult::new(case, polarity, vector, judged))
    };
    result.valid = valid.and_then(|judged| file(Polarity::Valid, judged));
    result.invalid = invalid.and_then(|judged| file(Polarity::Invalid, judged));
}
