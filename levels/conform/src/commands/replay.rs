//! `replay`: one case with the whole conversation, and what a report says of it.

use std::fmt::{self, Write as _};

use ca3_reports::paragraph::{plain, wrap};
use ca3_spec::protocol::Decimal;
use ca3_spec::vector::{Case, Polarity};

use super::{Failure, Subject, meet, print};
use crate::cli::ReplayArgs;
use crate::conversation::{Ids, Scratch, hold};
use crate::implementation::{Reply, hello_request, limits};
use crate::interrupt::{self, Signal};
use crate::invocation::program;
use crate::judging::{self, Judged};
use crate::report::style::{BAD, BOLD, DIM, GOOD, WIDTH};
use crate::report::{Repeat, Report, RunFacts, other_places, render_case, render_hello_faults};
use crate::results::CaseResult;
use crate::run::conclude;
use crate::suite::{Suite, find};
use crate::verdict::{self, Terms};

/// The longest line of standard error that is shown.
const STDERR_CHARS: usize = 4096;

pub(super) fn replay(arguments: &ReplayArgs) -> Result<u8, Failure> {
    let suite = Suite::load(&arguments.origin.origin())?;
    let case = find(&suite.cases, &arguments.case).map_err(Failure::Case)?;
    let mut subject = meet(&arguments.reader, &arguments.origin.format)?;

    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_head(&mut out, case, &subject);
    let held = converse(&mut out, case, &mut subject, arguments.reader.strict)?;
    let Subject {
        implementation,
        claims,
        ..
    } = subject;
    // It is over before anything is printed that may take long.
    drop(implementation);
    interrupt::release();
    let [valid, invalid] = match held {
        Ok(judged) => judged,
        Err(signal) => {
            let _ = writeln!(
                out,
                "\n{BAD}Interrupted by {signal}: nothing is judged.{BAD:#}"
            );
            print(&out, arguments.color)?;
            return Ok(signal.exit_code());
        }
    };

    let mut result = CaseResult::of(&case.sidecar);
    conclude(case, &mut result, valid, invalid);
    let results = vec![result];
    let partial = vec![format!("replay {}", case.sidecar.id)];
    let terms = Terms {
        asked: claims.level.unwrap_or(case.sidecar.level),
        claims: &claims,
        source: suite.source.clone(),
        partial: &partial,
        stale: &[],
        interrupted: None,
    };
    let verdict = verdict::form(&results, &terms);
    let facts = RunFacts {
        level: terms.asked,
        seed: Decimal(0),
        strict: arguments.reader.strict,
        jobs: 1,
        timeout_s: arguments.reader.timeout.as_secs_f64(),
        start_timeout_s: arguments.reader.start_timeout.as_secs_f64(),
        interrupted: None,
        repeat: Repeat {
            program: program(),
            origin: arguments.origin.repeated(),
            reader: arguments.reader.repeated(),
            corpus: arguments.origin.folder(),
            keep: None,
        },
    };
    let command = arguments.reader.reader.as_ref();
    let command = command.map(|command| command.text());
    let report = Report::new(&suite, &claims, command, facts, verdict, results);
    let code = write_results(&mut out, &report);
    print(&out, arguments.color)?;
    Ok(code)
}

fn write_head(out: &mut String, case: &Case, subject: &Subject) -> fmt::Result {
    let sidecar = &case.sidecar;
    out.push_str(&render_hello_faults(&subject.claims.faults));
    writeln!(out, "{BOLD}{}{BOLD:#}", sidecar.id)?;
    writeln!(out, "{}", wrap(&sidecar.title, "  ", WIDTH))?;
    writeln!(
        out,
        "{DIM}> asked, < answered, | standard error, ! what happened instead{DIM:#}\n"
    )?;
    if let Ok(request) = serde_json::to_string(&hello_request()) {
        writeln!(out, "> {request}")?;
    }
    if let Ok(answer) = serde_json::to_string(&subject.claims.answer) {
        writeln!(out, "< {answer}")?;
    }
    Ok(())
}

/// Asks both files and writes down what is said.
fn converse(
    out: &mut String,
    case: &Case,
    subject: &mut Subject,
    strict: bool,
) -> Result<Result<[Option<Judged>; 2], Signal>, Failure> {
    let claims = &subject.claims;
    let scratch = Scratch::new()?;
    let mut ids = Ids::default();
    let mut random = fastrand::Rng::new();
    let mut judged = [None, None];
    for (polarity, slot) in Polarity::BOTH.into_iter().zip(&mut judged) {
        let _ = writeln!(out, "\n{BOLD}{}{BOLD:#}", polarity.as_str());
        let (Some(vector), Some(bytes)) =
            (case.sidecar.side(polarity).vector(), case.bytes(polarity))
        else {
            let _ = writeln!(out, "  there is none");
            continue;
        };
        if let Some(claimed) = claims.level
            && case.sidecar.level > claimed
        {
            let _ = writeln!(out, "  not asked: it claims level {claimed} only");
            continue;
        }
        let placed = scratch.place(bytes, &mut random)?;
        let replies = hold(
            vector,
            placed.path(),
            subject.implementation.as_mut(),
            claims,
            &mut ids,
            |request, reply| {
                if let Ok(request) = serde_json::to_string(request) {
                    let _ = writeln!(out, "> {request}");
                }
                write_reply(out, reply);
            },
        );
        match (replies, interrupt::caught()) {
            (Some(replies), _) => *slot = Some(judging::judge(vector, replies, claims, strict)),
            (None, Some(signal)) => return Ok(Err(signal)),
            (None, None) => {}
        }
    }
    Ok(Ok(judged))
}

/// How each file came out, then what a report says of those that did not pass.
/// Gives the exit code.
fn write_results(out: &mut String, report: &Report) -> u8 {
    let _ = writeln!(out);
    let mut code = 4;
    for case in &report.cases {
        for (polarity, file) in case.files() {
            let outcome = file.outcome();
            let style = if outcome == judging::Outcome::Pass {
                GOOD
            } else {
                BAD
            };
            let (polarity, word) = (polarity.as_str(), outcome.as_str());
            let _ = writeln!(out, "{polarity}: {style}{word}{style:#}");
            if let Some(reason) = &file.judged.reason {
                out.push_str(&wrap(reason, "  ", WIDTH));
            }
            if !file.judged.refused_for.is_empty() {
                let bits: Vec<String> = file.judged.refused_for.iter().map(u8::to_string).collect();
                let bits = bits.join(", ");
                let _ = writeln!(out, "  a refusal for feature {bits} is expected");
            }
            for note in file.judged.steps.iter().flat_map(|step| &step.notes) {
                out.push_str(&wrap(&format!("note: {}", note.text), "  ", WIDTH));
            }
            let harmless = outcome == judging::Outcome::Pass
                || (case.provisional && !outcome.counts_against(true));
            let own = u8::from(!harmless);
            code = if code == 4 { own } else { own.max(code) };
        }
        let told = render_case(report, case);
        if !told.is_empty() {
            let _ = write!(out, "\n{told}{}", other_places(case));
        }
    }
    code
}

fn write_reply(out: &mut String, reply: &Reply) {
    let (line, stderr) = match reply {
        Reply::Answer {
            answer,
            stderr,
            died_before,
        } => {
            if let Some(why) = died_before {
                let _ = writeln!(out, "! {why}; asked again on a new process");
            }
            let line = serde_json::to_string(answer).map(|answer| format!("< {answer}"));
            (line.unwrap_or_default(), stderr.as_str())
        }
        Reply::Crash { why, stderr } => (format!("! crash: {why}"), stderr.as_str()),
        Reply::Timeout {
            after,
            start,
            stderr,
        } => {
            let limit = limits::request_in_words(*after, *start);
            (format!("! nothing came within {limit}"), stderr.as_str())
        }
        Reply::OverHttp { reply, fetched } => {
            let fetched: Vec<String> = fetched
                .iter()
                .map(|stretch| format!("{}-{}", stretch.start, stretch.end.saturating_sub(1)))
                .collect();
            let _ = writeln!(out, "! fetched over HTTP: bytes {}", fetched.join(", "));
            return write_reply(out, reply);
        }
        Reply::NotAsked { why } => (format!("! not asked: {why}"), ""),
        Reply::Interrupted => ("! interrupted".to_owned(), ""),
    };
    let _ = writeln!(out, "{line}");
    for line in stderr.lines() {
        let _ = writeln!(out, "| {}", plain(line, STDERR_CHARS));
    }
}
