//! The matchers of expected results (see `ca3_spec::vector::MATCHERS`), as far
//! as steps `validate` use them.

use serde_json::Value;

/// Whether a value is what is expected.
pub(crate) fn matches(expected: &Value, got: Option<&Value>) -> bool {
    let got = got.filter(|value| !value.is_null());
    if let Some((name, argument)) = matcher(expected) {
        return apply(name, argument, got);
    }
    match (expected, got) {
        (Value::Null, None) => true,
        (Value::Object(members), Some(Value::Object(found))) => members
            .iter()
            .all(|(name, value)| matches(value, found.get(name))),
        (Value::Array(wanted), Some(Value::Array(found))) => {
            wanted.len() == found.len()
                && wanted
                    .iter()
                    .zip(found)
                    .all(|(wanted, found)| matches(wanted, Some(found)))
        }
        (expected, Some(found)) => {
            expected == found
                || integer(expected).is_some_and(|value| integer(found) == Some(value))
        }
        _ => false,
    }
}

fn matcher(expected: &Value) -> Option<(&str, &Value)> {
    let members = expected.as_object()?;
    let (name, argument) = members.iter().next()?;
    (members.len() == 1 && name.starts_with('$')).then_some((name, argument))
}

fn apply(name: &str, argument: &Value, got: Option<&Value>) -> bool {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let found = got.map(list).unwrap_or_default();
    match name {
        "$one_of" => list(argument).iter().any(|wanted| matches(wanted, got)),
        "$not" => !matches(argument, got),
        "$at_least" => got.and_then(integer) >= integer(argument),
        "$at_most" => got
            .and_then(integer)
            .is_some_and(|value| integer(argument).is_some_and(|most| value <= most)),
        "$absent" => got.is_none(),
        "$contains" => list(argument)
            .iter()
            .all(|wanted| found.iter().any(|value| matches(wanted, Some(value)))),
        "$set" => {
            let wanted = list(argument);
            wanted.len() == found.len()
                && wanted
                    .iter()
                    .all(|wanted| found.iter().any(|value| matches(wanted, Some(value))))
        }
        _ => panic!("{name} is not used by steps `validate`"),
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => number.to_string().parse().ok(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
