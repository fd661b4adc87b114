//! Where no file can break a rule, a wrong answer can: each such case names
//! seeded faults of the Python client, and each of them must be caught there.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ca3_conform::implementation::{CommandLine, Implementation, Limits, Program, Subprocess};
use ca3_conform::judging::Outcome;
use ca3_conform::suite::Suite;
use ca3_spec::vector::{Case, Polarity, Side};
use support::{committed, judge_by};

#[test]
fn every_seeded_fault_is_caught_by_the_cases_that_name_it() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/faults/run.py");
    let suite = committed();
    let mut by_fault: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for case in &suite.cases {
        for side in Polarity::BOTH.map(|polarity| case.sidecar.side(polarity)) {
            let Side::Missing(missing) = side else {
                continue;
            };
            for fault in &missing.caught_by {
                by_fault.entry(fault).or_default().push(case.clone());
            }
        }
    }
    assert!(!by_fault.is_empty(), "no case names a fault");

    // Most of the time goes into starting Python, so two work side by side.
    let faults: Vec<(&str, Vec<Case>)> = by_fault.into_iter().collect();
    let next = AtomicUsize::new(0);
    let uncaught = Mutex::new(Vec::new());
    let work = || {
        while let Some((fault, cases)) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
            let command = format!("python3 '{}' {fault}", script.display());
            let program = Program::new(CommandLine::parse(&command).unwrap(), Limits::default());
            let part = Suite {
                cases: cases.clone(),
                ..suite.clone()
            };
            let make = || -> Box<dyn Implementation> { Box::new(Subprocess::new(program.clone())) };
            let (results, _) = judge_by(1, &part, &make);
            for case in &results {
                // The client reads zstd only where Python has a module for it.
                let passed = case.files().any(|(_, file)| {
                    file.judged.refused_for.is_empty() && file.outcome() == Outcome::Pass
                });
                if passed {
                    uncaught
                        .lock()
                        .unwrap()
                        .push(format!("{fault} by {}", case.id));
                }
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let uncaught = uncaught.into_inner().unwrap();
    assert!(uncaught.is_empty(), "not caught: {uncaught:#?}");
}
