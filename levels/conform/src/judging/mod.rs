//! From what was expected and what came back to an outcome, step by step.
//!
//! Judging is a pure function of a vector, the replies to its steps and the
//! claims of `hello`. Only fields are compared, never the text of a message.

mod features;
mod surfacing;

use std::collections::BTreeSet;
use std::ops::Range;

use ca3_spec::kind::Kind;
use ca3_spec::vector::{Expect, OverHttp, Step, Vector};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::implementation::{Claims, Reply, limits};
use crate::matching::{self, Mismatch};

pub use features::{expected_refusal, lacking};
pub(crate) use surfacing::{OK_IN_WORDS, describe as describe_surface};

/// How many mismatches of a step are kept; their true number is kept beside.
const MISMATCHES: usize = 20;
/// The longest value, as JSON, that a report repeats.
const SHOWN_BYTES: usize = 4 * 1024;
/// The longest answer, as JSON, that a report repeats.
const ANSWER_BYTES: usize = 64 * 1024;

/// What is said of one file of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every answer was right.
    Pass,
    /// An operation is not implemented.
    Skip,
    /// The invalid file was not accepted, but neither was its valid twin.
    Inconclusive,
    /// An answer was wrong.
    Fail,
    /// No answer came in time.
    Timeout,
    /// The implementation died, or answered out of turn.
    Crash,
}

impl Outcome {
    /// The word used in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Skip => "skip",
            Outcome::Inconclusive => "inconclusive",
            Outcome::Fail => "fail",
            Outcome::Timeout => "timeout",
            Outcome::Crash => "crash",
        }
    }

    /// Whether it is a failure: a disagreement with a provisional case is none,
    /// and to end badly always is one.
    pub const fn counts_against(self, provisional: bool) -> bool {
        match self {
            Outcome::Crash | Outcome::Timeout => true,
            Outcome::Fail => !provisional,
            Outcome::Pass | Outcome::Skip | Outcome::Inconclusive => false,
        }
    }
}

/// Something worth saying about an answer that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What.
    pub text: String,
    /// Whether `--strict` turns it into a failure.
    pub strict: bool,
}

/// What became of one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedStep {
    /// The operation.
    pub op: String,
    /// Its arguments besides the path.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// What is said of it.
    pub outcome: Outcome,
    /// How it came to be no pass, where no mismatch says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where the answer is not what was expected, the first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<Mismatch>,
    /// How many such places there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub mismatches_total: usize,
    /// What else is worth saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The answer, where it was not right and is not too long to repeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// What the implementation wrote to standard error, where it was not right.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// Whether the file was taken as the expectation says, its data aside.
    #[serde(skip)]
    pub accepted: bool,
    /// Whether the answer says that the data section's records were walked,
    /// where it says either.
    #[serde(skip)]
    pub spine: Option<bool>,
}

/// What became of one file of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// What is said of it.
    pub outcome: Outcome,
    /// Why it was skipped or is inconclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The features in the file that the implementation does not list: refusing
    /// it for them is then what is expected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_for: Vec<u8>,
    /// Its steps.
    pub steps: Vec<JudgedStep>,
}

impl Judged {
    /// Whether the file was taken as its expectations say, its data aside.
    pub fn accepted(&self) -> bool {
        self.steps.iter().all(|step| step.accepted)
    }
}

/// Judges the replies to a vector's steps, one reply a step.
pub fn judge(vector: &Vector, replies: Vec<Reply>, claims: &Claims, strict: bool) -> Judged {
    let lacking = lacking(vector, claims);
    let steps: Vec<JudgedStep> = vector
        .steps
        .iter()
        .zip(replies)
        .map(|(step, reply)| judge_step(vector, step, reply, claims, strict))
        .collect();
    let outcome = steps
        .iter()
        .map(|step| step.outcome)
        .max()
        .unwrap_or(Outcome::Skip);
    let reason = match outcome {
        Outcome::Skip if steps.is_empty() => Some("the case asks nothing of this file".to_owned()),
        Outcome::Skip => steps
            .iter()
            .find(|step| step.outcome == outcome)
            .and_then(|step| step.reason.clone()),
        _ => None,
    };
    Judged {
        outcome,
        reason,
        refused_for: lacking,
        steps,
    }
}

/// Refusing an invalid file proves nothing where its valid twin was not accepted.
pub fn apply_twin_rule(valid: Option<&Judged>, invalid: &mut Judged) {
    let Some(valid) = valid else { return };
    let refused_for_a_feature = !valid.refused_for.is_empty() || !invalid.refused_for.is_empty();
    if invalid.outcome == Outcome::Pass && !refused_for_a_feature && !valid.accepted() {
        invalid.outcome = Outcome::Inconclusive;
        invalid.reason = Some(format!(
            "its valid twin was not accepted ({}), so rejecting this file proves nothing",
            valid.outcome.as_str()
        ));
    }
}

/// What the checks of one answer gather.
#[derive(Debug, Default)]
struct Findings {
    mismatches: Vec<Mismatch>,
    notes: Vec<Note>,
    accepted: bool,
}

impl Findings {
    fn mismatch(&mut self, path: &str, expected: impl Into<Value>, got: Option<Value>) {
        self.mismatches
            .push(Mismatch::new(path, expected.into(), got));
    }

    fn note(&mut self, text: String, strict: bool) {
        self.notes.push(Note { text, strict });
    }

    /// Notes a kind that is not among the right ones; `--strict` fails it.
    fn wrong_kind(&mut self, kinds: &[Kind], reported: &[&str]) {
        let right: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        if right.is_empty() || reported.iter().any(|kind| right.contains(kind)) {
            return;
        }
        let reported = match reported {
            [] => "no kind".to_owned(),
            reported => reported
                .iter()
                .map(|kind| match Kind::parse(kind) {
                    Some(_) => (*kind).to_owned(),
                    None => format!("{kind} (not a kind of the protocol)"),
                })
                .collect::<Vec<_>>()
                .join(", "),
        };
        self.note(
            format!(
                "reported as {reported}; right would be {}",
                right.join(" or ")
            ),
            true,
        );
    }
}

fn judge_step(
    vector: &Vector,
    step: &Step,
    reply: Reply,
    claims: &Claims,
    strict: bool,
) -> JudgedStep {
    let mut judged = JudgedStep {
        op: step.op.clone(),
        arguments: step.arguments.clone(),
        outcome: Outcome::Pass,
        reason: None,
        mismatches: Vec::new(),
        mismatches_total: 0,
        notes: Vec::new(),
        answer: None,
        stderr: String::new(),
        accepted: false,
        spine: None,
    };
    let (reply, fetched) = match reply {
        Reply::OverHttp { reply, fetched } => (*reply, Some(fetched)),
        reply => (reply, None),
    };
    let (answer, stderr, died_before) = match reply {
        Reply::Answer {
            answer,
            stderr,
            died_before,
        } => (answer, stderr, died_before),
        Reply::Crash { why, stderr } => {
            return JudgedStep {
                outcome: Outcome::Crash,
                reason: Some(why),
                stderr,
                ..judged
            };
        }
        Reply::Timeout {
            after,
            start,
            stderr,
        } => {
            let limit = limits::request_in_words(after, start);
            let reason = format!("nothing came within {limit}");
            return JudgedStep {
                outcome: Outcome::Timeout,
                reason: Some(reason),
                stderr,
                ..judged
            };
        }
        Reply::NotAsked { why } => {
            return JudgedStep {
                notes: vec![Note {
                    text: format!("`{}` was not asked over HTTP: {why}", step.op),
                    strict: false,
                }],
                accepted: true,
                ..judged
            };
        }
        // A run that is interrupted judges such a file not at all.
        Reply::Interrupted | Reply::OverHttp { .. } => {
            return JudgedStep {
                outcome: Outcome::Skip,
                reason: Some("interrupted".to_owned()),
                ..judged
            };
        }
    };

    let mut findings = Findings::default();
    match answer.get("status").and_then(Value::as_str) {
        Some("unsupported") => {
            let reason = answer
                .get("reason")
                .and_then(Value::as_str)
                .unwrap_or_default();
            judged.outcome = Outcome::Skip;
            judged.reason = Some(match reason {
                "" => format!("`{}` is unsupported", step.op),
                reason => format!("`{}` is unsupported: {reason}", step.op),
            });
        }
        Some("ok" | "refused") => check(vector, step, &answer, claims, &mut findings),
        _ => findings.mismatch(
            "status",
            "ok, refused or unsupported",
            answer.get("status").cloned(),
        ),
    }

    if let (Some(fetched), Some(over_http)) = (&fetched, &step.over_http) {
        check_fetched(over_http, fetched, &mut findings);
        if !findings.mismatches.is_empty() {
            findings.note("the file was offered over HTTP".to_owned(), false);
        }
    }
    let result = answer.get("result");
    judged.spine = match result.and_then(|result| result.get("spine")) {
        Some(Value::String(word)) if word == "walked" => Some(true),
        Some(Value::String(word)) if word == "not-walked" => Some(false),
        _ => None,
    };
    if let Some(why) = died_before {
        let text = format!("a first process died on this request ({why}); a second one answered");
        findings.note(text, false);
    }
    if !findings.mismatches.is_empty() || (strict && findings.notes.iter().any(|n| n.strict)) {
        judged.outcome = Outcome::Fail;
    }
    judged.accepted = findings.accepted && judged.outcome != Outcome::Skip;
    judged.mismatches_total = findings.mismatches.len();
    judged.mismatches = findings.mismatches;
    judged.mismatches.truncate(MISMATCHES);
    for mismatch in &mut judged.mismatches {
        shorten(&mut mismatch.expected, SHOWN_BYTES);
        mismatch
            .got
            .iter_mut()
            .for_each(|got| shorten(got, SHOWN_BYTES));
    }
    judged.notes = findings.notes;
    if judged.outcome != Outcome::Pass {
        let mut answer = Value::Object(answer);
        shorten(&mut answer, ANSWER_BYTES);
        judged.answer = Some(answer);
        judged.stderr = stderr;
    }
    judged
}

/// Of no stretch that is not asked for was all fetched.
fn check_fetched(over_http: &OverHttp, fetched: &[Range<u64>], findings: &mut Findings) {
    for stretch in &over_http.unfetched {
        let end = stretch.offset.0.saturating_add(stretch.length.0);
        let whole = fetched
            .iter()
            .find(|part| part.start <= stretch.offset.0 && end <= part.end);
        if let Some(part) = whole {
            let expected = format!(
                "not all of bytes {} to {}: {}",
                stretch.offset.0,
                end.saturating_sub(1),
                stretch.what
            );
            let got = format!("bytes {} to {}", part.start, part.end.saturating_sub(1));
            findings.mismatch("fetched", expected, Some(Value::from(got)));
        }
    }
}

fn check(
    vector: &Vector,
    step: &Step,
    answer: &Map<String, Value>,
    claims: &Claims,
    findings: &mut Findings,
) {
    if step.op != "hello" && !lacking(vector, claims).is_empty() {
        return features::check(vector, answer, claims, findings);
    }
    match &step.expect {
        Expect::Answer {
            result,
            may_report,
            may_report_any,
            may_refuse,
        } => {
            if is_refusal(answer) && !may_refuse.is_empty() {
                let error = answer.get("error").unwrap_or(&Value::Null);
                findings.wrong_kind(may_refuse, kind_of(error).as_slice());
                // Right, and yet it shows nothing of what the reader accepts.
                return;
            }
            check_answer(result, may_report, *may_report_any, answer, findings);
        }
        Expect::Surface(surface) => surfacing::check(surface, answer, findings),
    }
}

/// `ok`, nothing reported that may not be, and the expected data.
fn check_answer(
    expected: &Value,
    may_report: &[Kind],
    may_report_any: bool,
    answer: &Map<String, Value>,
    findings: &mut Findings,
) {
    if is_refusal(answer) {
        findings.mismatch("status", "ok", Some(Value::from(describe_refusal(answer))));
        return;
    }
    findings.accepted = true;
    if !may_report_any {
        let allowed: BTreeSet<&str> = may_report.iter().map(|kind| kind.as_str()).collect();
        let expected = if allowed.is_empty() {
            "no problem: this file is in order".to_owned()
        } else {
            let allowed: Vec<&str> = allowed.iter().copied().collect();
            format!(
                "no problem but {}: nothing else is wrong",
                allowed.join(", ")
            )
        };
        for (index, problem) in problems(answer).into_iter().enumerate() {
            if kind_of(problem).is_none_or(|kind| !allowed.contains(kind)) {
                findings.accepted = false;
                findings.mismatch(
                    &format!("problems[{index}]"),
                    &expected,
                    Some(problem.clone()),
                );
            }
        }
    }
    findings
        .mismatches
        .extend(matching::mismatches(expected, answer.get("result")));
}

fn is_refusal(answer: &Map<String, Value>) -> bool {
    answer.get("status").and_then(Value::as_str) == Some("refused")
}

/// A refusal in a few words: its kind, and its message for a person.
fn describe_refusal(answer: &Map<String, Value>) -> String {
    let error = answer.get("error").unwrap_or(&Value::Null);
    let kind = kind_of(error).unwrap_or("no kind");
    match error.get("message").and_then(Value::as_str) {
        Some(message) if !message.is_empty() => format!("refused ({kind}): {message}"),
        _ => format!("refused ({kind})"),
    }
}

/// What an `ok` answer reports beside its data: `result.problems`, and what
/// stands in `problems` beside `result`.
fn problems(answer: &Map<String, Value>) -> Vec<&Value> {
    let within = answer
        .get("result")
        .and_then(|result| result.get("problems"));
    [within, answer.get("problems")]
        .into_iter()
        .flatten()
        .flat_map(|problems| match problems {
            Value::Null => Vec::new(),
            Value::Array(problems) => problems.iter().collect(),
            other => vec![other],
        })
        .collect()
}

fn kind_of(report: &Value) -> Option<&str> {
    report.get("kind").and_then(Value::as_str)
}

/// Replaces a value that is too long to repeat by a statement of its length.
fn shorten(value: &mut Value, longest: usize) {
    let length = value.to_string().len();
    if length > longest {
        *value = Value::from(format!("({length} bytes of JSON, left out)"));
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests;
