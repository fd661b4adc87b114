//! Readers with one fault each: every one is caught by a case of what it breaks.
//!
//! The faults are patches of the Python client (`levels/clients/faults/`), each
//! with the rules that it breaks. Where no file can break a rule, a wrong answer
//! can, and the case then names the faults that give it.
//!
//! `CA3_PYTHON` names another Python than `python3`, such as one with a module
//! for zstd: without it the client does not list feature 0, and faults that
//! only compressed files bring out are passed over.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ca3_conform::implementation::{CommandLine, Implementation, Limits, Program, Subprocess};
use ca3_conform::judging::Outcome;
use ca3_conform::results::CaseResult;
use ca3_conform::suite::Suite;
use ca3_spec::vector::{Case, Polarity, Side};
use serde::Deserialize;
use support::{committed, judge_by};

/// A fault as `run.py --list` tells of it.
#[derive(Deserialize)]
struct Fault {
    name: String,
    item: Option<u8>,
    rules: Vec<String>,
}

/// What became of one fault.
#[derive(Default)]
struct Caught {
    /// Cases that name it and that it passed.
    missed: Vec<String>,
    /// A case of its rules, whether certifying or not, that it did not pass.
    by_any: bool,
    /// A certifying case of its item that it did not pass.
    by_item: bool,
    /// One of its cases sets a feature that this client does not list.
    out_of_reach: bool,
}

/// The items that have certifying cases; those of 18 and 22 rest on readings.
const CERTIFYING: [u8; 27] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 23, 24, 25, 26, 27, 28,
    29,
];

fn python() -> String {
    env::var("CA3_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn faults(script: &Path) -> Vec<Fault> {
    let listed = Command::new(python())
        .arg(script)
        .arg("--list")
        .output()
        .unwrap();
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    serde_json::from_slice(&listed.stdout).unwrap()
}

fn names(case: &Case, fault: &str) -> bool {
    Polarity::BOTH
        .iter()
        .any(|polarity| match case.sidecar.side(*polarity) {
            Side::Missing(missing) => missing.caught_by.iter().any(|name| name == fault),
            Side::Vector(_) => false,
        })
}

fn passed(case: &CaseResult) -> bool {
    case.files()
        .all(|(_, file)| file.outcome() == Outcome::Pass)
}

/// Every file of the case sets a feature that the client does not list.
fn refused_for_a_feature(case: &CaseResult) -> bool {
    case.files()
        .all(|(_, file)| !file.judged.refused_for.is_empty())
}

fn run_fault(script: &Path, fault: &Fault, suite: &Suite) -> Caught {
    let cases: Vec<Case> = suite
        .cases
        .iter()
        .filter(|case| {
            names(case, &fault.name)
                || case
                    .sidecar
                    .rules
                    .iter()
                    .any(|rule| fault.rules.contains(rule))
        })
        .cloned()
        .collect();
    let command = format!("{} '{}' {}", python(), script.display(), fault.name);
    let program = Program::new(CommandLine::parse(&command).unwrap(), Limits::default());
    let part = Suite {
        cases,
        ..suite.clone()
    };
    let make = || -> Box<dyn Implementation> { Box::new(Subprocess::new(program.clone())) };
    let (results, _) = judge_by(1, &part, &make);

    let mut caught = Caught::default();
    for case in &results {
        caught.out_of_reach |= refused_for_a_feature(case);
        if passed(case) {
            let naming = part.cases.iter().find(|named| named.sidecar.id == case.id);
            if naming.is_some_and(|named| names(named, &fault.name)) && !refused_for_a_feature(case)
            {
                caught.missed.push(case.id.clone());
            }
        } else if case.rules.iter().any(|rule| fault.rules.contains(rule)) {
            caught.by_any = true;
            caught.by_item |= !case.provisional && case.item == fault.item;
        }
    }
    caught
}

#[test]
fn every_fault_is_caught_by_a_case_of_what_it_breaks() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/faults/run.py");
    let suite = committed();
    let faults = faults(&script);
    let known: BTreeSet<&str> = faults.iter().map(|fault| fault.name.as_str()).collect();
    for case in &suite.cases {
        if let Side::Missing(missing) = &case.sidecar.invalid {
            for name in &missing.caught_by {
                assert!(
                    known.contains(name.as_str()),
                    "{} names {name}",
                    case.sidecar.id
                );
            }
        }
    }

    // Most of the time goes into starting Python, so two work side by side.
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
            let caught = run_fault(&script, fault, &suite);
            results.lock().unwrap().insert(fault.name.clone(), caught);
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });

    let results = results.into_inner().unwrap();
    let mut uncaught = Vec::new();
    let mut certified: BTreeMap<u8, usize> = BTreeMap::new();
    for fault in &faults {
        let caught = &results[&fault.name];
        uncaught.extend(
            caught
                .missed
                .iter()
                .map(|case| format!("{} by {case}", fault.name)),
        );
        if !caught.by_any && !caught.out_of_reach {
            uncaught.push(format!("{} by any case of {:?}", fault.name, fault.rules));
        }
        if let Some(item) = fault.item.filter(|_| caught.by_item) {
            *certified.entry(item).or_default() += 1;
        }
    }
    assert!(uncaught.is_empty(), "not caught: {uncaught:#?}");
    for item in CERTIFYING {
        let count = certified.get(&item).copied().unwrap_or_default();
        assert!(
            count >= 2,
            "item {item}: {count} faults fail a certifying case of it"
        );
    }
}
