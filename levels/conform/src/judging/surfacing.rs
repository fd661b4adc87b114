//! A violation must come to light: the file is refused, or a problem names it,
//! and the data that it spoils is not handed out as good.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Hex;
use ca3_spec::vector::Surface;
use serde_json::{Map, Value, json};

use super::{Findings, is_refusal, kind_of, problems};
use crate::matching;

pub(super) fn check(surface: &Surface, answer: &Map<String, Value>, findings: &mut Findings) {
    let before = findings.mismatches.len();
    if is_refusal(answer) {
        let error = answer.get("error").unwrap_or(&Value::Null);
        findings.wrong_kind(&surface.kinds, kind_of(error).as_slice());
        check_naming(surface, "error", &[error], findings);
    } else {
        let result = answer.get("result").unwrap_or(&Value::Null);
        if !surface.or_result.is_null()
            && matching::mismatches(&surface.or_result, Some(result)).is_empty()
        {
            findings.accepted = true;
            return;
        }
        let reports = telling(problems(answer), surface, result);
        let stated_truncated = surface.truncated && is_stated_truncated(result);
        if surface.refuse {
            findings.mismatch("status", describe(surface), Some(describe_ok(&reports)));
        } else if reports.is_empty() && !stated_truncated {
            findings.mismatch("problems", describe(surface), Some(describe_ok(&reports)));
        } else if !stated_truncated {
            let kinds: Vec<&str> = reports
                .iter()
                .filter_map(|report| kind_of(report))
                .collect();
            findings.wrong_kind(&surface.kinds, &kinds);
            check_naming(surface, "problems", &reports, findings);
        }
        check_forbidden(&surface.forbidden, result, &mut String::new(), findings);
        if !surface.result.is_null() {
            findings
                .mismatches
                .extend(matching::mismatches(&surface.result, Some(result)));
        }
    }
    findings.accepted = findings.mismatches.len() == before;
}

/// The problems that can be about the violation: that a file is not sealed may
/// be reported of any such file, at fault or not (reading G93), so that alone
/// brings nothing else to light.
fn telling<'a>(problems: Vec<&'a Value>, surface: &Surface, result: &Value) -> Vec<&'a Value> {
    let unsealed = result.get("sealed") == Some(&Value::Bool(false));
    let beside_the_point = unsealed && !surface.kinds.contains(&Kind::TruncatedRecord);
    problems
        .into_iter()
        .filter(|report| {
            !beside_the_point || kind_of(report) != Some(Kind::TruncatedRecord.as_str())
        })
        .collect()
}

/// What is expected, in words.
pub(crate) fn describe(surface: &Surface) -> String {
    let kinds: Vec<&str> = surface.kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = match kinds.as_slice() {
        [] => String::new(),
        kinds => format!(" ({})", kinds.join(" or ")),
    };
    let mut ways = format!("refused{kinds}");
    if !surface.refuse {
        ways = format!("refused, or a problem{kinds}");
        if surface.truncated {
            ways.push_str(", or sealed: false with complete: false");
        }
    }
    if !surface.or_result.is_null() {
        ways.push_str(&format!(", or a result with {}", surface.or_result));
    }
    ways
}

/// An answer that takes a file for one that is in order.
pub(crate) const OK_IN_WORDS: &str = "ok, no problem reported";

fn describe_ok(reports: &[&Value]) -> Value {
    if reports.is_empty() {
        return Value::from(OK_IN_WORDS);
    }
    let kinds: Vec<&str> = reports
        .iter()
        .map(|report| kind_of(report).unwrap_or("no kind"))
        .collect();
    Value::from(format!("ok, problems: {}", kinds.join(", ")))
}

fn is_stated_truncated(result: &Value) -> bool {
    let says_no = |name: &str| result.get(name) == Some(&Value::Bool(false));
    says_no("sealed") && says_no("complete")
}

/// What must be named is named by the error, or by at least one problem.
fn check_naming(surface: &Surface, place: &str, reports: &[&Value], findings: &mut Findings) {
    if surface.naming.is_empty() {
        return;
    }
    let naming = Value::Object(surface.naming.clone());
    // The report that is closest to right shows best what is missing.
    let closest = reports
        .iter()
        .map(|report| matching::mismatches(&naming, Some(report)))
        .min_by_key(Vec::len)
        .unwrap_or_default();
    for mut mismatch in closest {
        mismatch.path = match mismatch.path.as_str() {
            "" => place.to_owned(),
            path => format!("{place}.{path}"),
        };
        mismatch.hint = mismatch
            .hint
            .or_else(|| Some("the format says what is named".to_owned()));
        findings.mismatches.push(mismatch);
    }
}

/// No payload that the fault spoils stands anywhere in the result.
fn check_forbidden(forbidden: &[Hex], value: &Value, path: &mut String, findings: &mut Findings) {
    if forbidden.is_empty() {
        return;
    }
    let length = path.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                if name == "payload"
                    && let Value::String(payload) = member
                    && forbidden
                        .iter()
                        .any(|hex| payload.eq_ignore_ascii_case(&hex.to_string()))
                {
                    findings.mismatch(path, json!({ "$not": payload }), Some(member.clone()));
                    if let Some(mismatch) = findings.mismatches.last_mut() {
                        mismatch.hint = Some("the fault spoils this payload".to_owned());
                    }
                }
                check_forbidden(forbidden, member, path, findings);
                path.truncate(length);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                check_forbidden(forbidden, element, path, findings);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
