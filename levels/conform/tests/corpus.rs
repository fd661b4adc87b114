//! Every committed case and polarity as a test of its own, on the in-tree reader;
//! and the whole corpus over the protocol, where this program is the reader.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use ca3_conform::implementation::{
    CommandLine, Implementation, InTree, Limits, Program, Reply, Subprocess,
};
use ca3_conform::judging::Outcome;
use ca3_conform::results::CaseResult;
use ca3_spec::protocol::Request;
use libtest_mimic::{Arguments, Failed, Trial};
use support::{committed, judge, outcomes};

/// With this argument, the program answers the protocol.
const SERVE: &str = "--serve";

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == SERVE) {
        serve();
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let (results, _) = judge(&committed(), &|| Box::new(InTree));
    let mut trials: Vec<Trial> = results.iter().flat_map(trials_of).collect();
    trials.push(Trial::test(
        "in_process_and_over_the_protocol_are_the_same",
        move || same_over_the_protocol(&results),
    ));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials_of(case: &CaseResult) -> Vec<Trial> {
    let trial = |(polarity, file): (
        ca3_spec::vector::Polarity,
        &ca3_conform::results::FileResult,
    )| {
        let name = format!("{}::{}", case.id, polarity.as_str());
        let (outcome, title) = (file.outcome(), case.title.clone());
        let details = serde_json::to_string_pretty(file);
        Trial::test(name, move || match outcome {
            Outcome::Pass => Ok(()),
            other => Err(Failed::from(format!(
                "{title}: {}\n{}",
                other.as_str(),
                details?
            ))),
        })
        .with_kind(
            case.item
                .map_or_else(String::new, |item| format!("item {item}")),
        )
    };
    case.files().map(trial).collect()
}

fn same_over_the_protocol(in_process: &[CaseResult]) -> Result<(), Failed> {
    let this = std::env::current_exe()?;
    let command = CommandLine::parse(&format!("'{}' {SERVE}", this.display()))?;
    let program = Program::new(command, Limits::default());
    let (results, _) = judge(&committed(), &move || {
        Box::new(Subprocess::new(program.clone()))
    });
    if results.is_empty() {
        return Err("the corpus is empty".into());
    }
    for (one, other) in in_process.iter().zip(&results) {
        // Messages name the file, whose name differs from run to run.
        for ((polarity, one_file), (_, other_file)) in one.files().zip(other.files()) {
            if one_file.outcome() != other_file.outcome() {
                let (a, b) = (one_file.outcome().as_str(), other_file.outcome().as_str());
                let id = &one.id;
                return Err(format!("{id} ({}): {a} and {b}", polarity.as_str()).into());
            }
        }
    }
    let (one, other) = (outcomes(in_process), outcomes(&results));
    if one == other {
        Ok(())
    } else {
        Err(format!("{one:?} and {other:?}").into())
    }
}

fn serve() {
    let mut reader = InTree;
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = match request.op.as_str() {
            "hello" => reader.hello(&request).unwrap(),
            _ => match reader.ask(&request) {
                Reply::Answer { answer, .. } => answer,
                other => panic!("{other:?}"),
            },
        };
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &answer).unwrap();
        out.write_all(b"\n").unwrap();
        out.flush().unwrap();
    }
}
