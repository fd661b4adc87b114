//! `replay`: one case with the whole conversation.

use std::fmt::Write as _;

use ca3_spec::vector::Polarity;

use super::{Failure, meet, print};
use crate::cli::ReplayArgs;
use crate::conversation::{Ids, Scratch, hold};
use crate::implementation::{Reply, hello_request};
use crate::judging::{self, Outcome};
use crate::report::{replayed_step, wrap};
use crate::results::CaseResult;
use crate::run::conclude;
use crate::suite::{Suite, find};

pub(super) fn replay(arguments: &ReplayArgs) -> Result<u8, Failure> {
    let suite = Suite::load(&arguments.origin.origin())?;
    let case = find(&suite.cases, &arguments.case).map_err(Failure::Case)?;
    let mut subject = meet(&arguments.reader, &arguments.origin.format)?;
    let claims = &subject.claims;

    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}\n{}",
        case.sidecar.id,
        wrap(&case.sidecar.title, "  ", 80)
    );
    if let Ok(request) = serde_json::to_string(&hello_request()) {
        let _ = writeln!(out, "> {request}");
    }
    if let Ok(answer) = serde_json::to_string(&claims.answer) {
        let _ = writeln!(out, "< {answer}");
    }

    let scratch = Scratch::new()?;
    let mut ids = Ids::default();
    let mut random = fastrand::Rng::new();
    let mut judged = [None, None];
    for (polarity, slot) in Polarity::BOTH.into_iter().zip(&mut judged) {
        let _ = writeln!(out, "\n{}", polarity.as_str());
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
        let implementation = subject.implementation.as_mut();
        let replies = hold(
            vector,
            placed.path(),
            implementation,
            claims,
            &mut ids,
            |request, reply| {
                if let Ok(request) = serde_json::to_string(request) {
                    let _ = writeln!(out, "> {request}");
                }
                write_reply(&mut out, reply);
            },
        );
        *slot = Some(judging::judge(
            vector,
            replies,
            claims,
            arguments.reader.strict,
        ));
    }

    let mut result = CaseResult::of(&case.sidecar);
    let [valid, invalid] = judged;
    conclude(case, &mut result, valid, invalid);
    let _ = writeln!(out);
    let mut code = 4;
    for (polarity, file) in result.files() {
        let outcome = file.outcome();
        let _ = writeln!(out, "{}: {}", polarity.as_str(), outcome.as_str());
        if let Some(reason) = &file.judged.reason {
            out.push_str(&wrap(reason, "  ", 80));
        }
        if !file.judged.refused_for.is_empty() {
            let bits: Vec<String> = file.judged.refused_for.iter().map(u8::to_string).collect();
            let _ = writeln!(
                out,
                "  a refusal for feature {} is expected",
                bits.join(", ")
            );
        }
        for step in &file.judged.steps {
            out.push_str(&replayed_step(step));
        }
        let fails = match outcome {
            Outcome::Pass => false,
            Outcome::Crash | Outcome::Timeout => true,
            Outcome::Fail | Outcome::Inconclusive | Outcome::Skip => !case.sidecar.provisional,
        };
        code = match code {
            4 => u8::from(fails),
            code => code.max(u8::from(fails)),
        };
    }
    print(&out, arguments.color)?;
    Ok(code)
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
            (
                serde_json::to_string(answer).map(|answer| format!("< {answer}")),
                stderr,
            )
        }
        Reply::Crash { why, stderr } => (Ok(format!("! crash: {why}")), stderr),
        Reply::Timeout { after, stderr } => (
            Ok(format!(
                "! nothing came within {:.1} s",
                after.as_secs_f64()
            )),
            stderr,
        ),
    };
    if let Ok(line) = line {
        let _ = writeln!(out, "{line}");
    }
    for line in stderr.lines() {
        let _ = writeln!(out, "| {line}");
    }
}
