//! The members of hello, one by one: more strictly than a run reads them.

use ca3_spec::protocol::operation_level;
use serde_json::{Map, Value};

use super::Trouble;
use crate::implementation::Claims;

/// What hello looks like.
pub(crate) const ADVICE: &str = "hello's result is {\"name\": text, \"version\": text, \"language\": text, \
                      \"level\": 1 to 4, \"features\": numbers out of 0 and 2, \"formats\": \
                      [\"ca3\"], \"ops\": [\"hello\", \"read\"]}; only name and level must be \
                      there.";

/// What hello says in a line, or all that is wrong with it; and the level.
pub(super) fn check(answer: &Map<String, Value>) -> (Result<String, Trouble>, Option<u8>) {
    let claims = match Claims::read(answer.clone()) {
        Ok(claims) => claims,
        Err(why) => return (Err(Trouble::new(why, ADVICE)), None),
    };
    let mut faults = claims.faults.clone();
    let result = answer.get("result").unwrap_or(&Value::Null);
    for name in ["name", "version", "language"] {
        if let Some(value) = result
            .get(name)
            .filter(|value| !value.is_null() && !value.is_string())
        {
            faults.push(format!("`{name}` is {value}, not text"));
        }
    }
    if let Some(level) = result.get("level").filter(|level| level.is_string()) {
        faults.push(format!("`level` is {level}, a text, not a number"));
    }
    for name in ["formats", "ops", "io"] {
        if let Some(value) = result.get(name).filter(|value| !value.is_null()) {
            let texts = value
                .as_array()
                .is_some_and(|all| all.iter().all(Value::is_string));
            if !texts {
                faults.push(format!("`{name}` is {value}, not an array of texts"));
            }
        }
    }
    if !claims.formats.iter().any(|format| format == "ca3") {
        faults.push(format!(
            "`formats` lists {}, not ca3",
            claims.formats.join(", ")
        ));
    }
    let ops = result.get("ops").and_then(Value::as_array);
    for op in ops.into_iter().flatten().filter_map(Value::as_str) {
        if operation_level(op).is_none() {
            faults.push(format!(
                "`ops` lists {op}, which is no operation of a reader"
            ));
        }
    }
    let outcome = if faults.is_empty() {
        let level = claims
            .level
            .map_or_else(String::new, |level| format!(", level {level}"));
        Ok(format!("{}{level}", claims.title()))
    } else {
        Err(Trouble::new(faults.join("; "), ADVICE))
    };
    (outcome, claims.level)
}
