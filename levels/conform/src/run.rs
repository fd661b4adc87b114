//! A run: every selected file, in an order that says nothing, on one or
//! several processes, then judged.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ca3_spec::vector::{Case, Polarity, Vector};

use crate::conversation::{Ids, Scratch, ScratchError, hold};
use crate::implementation::{Claims, Implementation};
use crate::judging::{self, Judged};
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
    case: usize,
    polarity: Polarity,
    vector: &'a Vector,
    bytes: &'a [u8],
    /// What the name of its file is drawn from.
    name_seed: u64,
}

/// Runs the cases and gives their results in the cases' order.
///
/// The implementation that answered `hello` works first; `another` gives the
/// others. `progress` hears how many files are done.
pub fn run(
    cases: &[&Case],
    first: Box<dyn Implementation>,
    another: &(dyn Fn() -> Box<dyn Implementation> + Sync),
    claims: &Claims,
    settings: &Settings,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<CaseResult>, ScratchError> {
    let mut random = fastrand::Rng::with_seed(settings.seed);
    let mut jobs = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for polarity in Polarity::BOTH {
            if let (Some(vector), Some(bytes)) =
                (case.sidecar.side(polarity).vector(), case.bytes(polarity))
            {
                let name_seed = random.u64(..);
                jobs.push(Job {
                    case: index,
                    polarity,
                    vector,
                    bytes,
                    name_seed,
                });
            }
        }
    }
    random.shuffle(&mut jobs);

    let scratch = Scratch::new()?;
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let judged: Mutex<Vec<(usize, Polarity, Judged)>> = Mutex::default();
    let failure: Mutex<Option<ScratchError>> = Mutex::default();

    let work = |mut implementation: Box<dyn Implementation>| {
        let mut ids = Ids::default();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let mut random = fastrand::Rng::with_seed(job.name_seed);
            let placed = match scratch.place(job.bytes, &mut random) {
                Ok(placed) => placed,
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    failure
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert(error);
                    return;
                }
            };
            let implementation = implementation.as_mut();
            let replies = hold(
                job.vector,
                placed.path(),
                implementation,
                claims,
                &mut ids,
                |_, _| {},
            );
            let verdict = judging::judge(job.vector, replies, claims, settings.strict);
            judged.lock().unwrap_or_else(PoisonError::into_inner).push((
                job.case,
                job.polarity,
                verdict,
            ));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        }
    };
    thread::scope(|scope| {
        let helpers = settings.jobs.clamp(1, jobs.len().max(1)) - 1;
        for _ in 0..helpers {
            scope.spawn(|| work(another()));
        }
        work(first);
    });

    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut results: Vec<CaseResult> = cases
        .iter()
        .map(|case| CaseResult::of(&case.sidecar))
        .collect();
    let mut by_case: Vec<(Option<Judged>, Option<Judged>)> = vec![(None, None); cases.len()];
    for (index, polarity, verdict) in judged.into_inner().unwrap_or_else(PoisonError::into_inner) {
        if let Some(slot) = by_case.get_mut(index) {
            match polarity {
                Polarity::Valid => slot.0 = Some(verdict),
                Polarity::Invalid => slot.1 = Some(verdict),
            }
        }
    }
    for ((result, case), (valid, invalid)) in results.iter_mut().zip(cases).zip(by_case) {
        conclude(case, result, valid, invalid);
    }
    Ok(results)
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
