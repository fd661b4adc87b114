//! Expectations and values in words, short enough to read.

use ca3_reports::paragraph::clip;
use ca3_spec::vector::MATCHERS;
use serde_json::Value;

use crate::matching::integer;

/// How much of a value is shown.
const VALUE_CHARS: usize = 160;
/// How much of two long texts is shown around their first difference.
const WINDOW_CHARS: usize = 48;
/// The greatest difference of two numbers that is worth saying.
const DIFFERENCE: u128 = 1 << 20;

/// An expectation in words: a matcher by what it asks, a value as it stands.
pub(super) fn expectation(expected: &Value) -> String {
    let Value::Object(members) = expected else {
        return clip(&expected.to_string(), VALUE_CHARS);
    };
    let mut entries = members.iter();
    let (Some((name, argument)), None) = (entries.next(), entries.next()) else {
        return clip(&expected.to_string(), VALUE_CHARS);
    };
    if !MATCHERS.iter().any(|(matcher, _)| matcher == name) {
        return clip(&expected.to_string(), VALUE_CHARS);
    }
    let text = match name.as_str() {
        "$one_of" => format!("one of {}", alternatives(argument)),
        "$not" => format!("anything but {argument}"),
        "$at_least" => format!("at least {argument}"),
        "$at_most" => format!("at most {argument}"),
        "$absent" => "nothing: missing or null".to_owned(),
        "$contains" => format!("an array that holds {}", list(argument, " and ")),
        "$set" => format!("in any order, exactly {}", list(argument, ", ")),
        "$exactly" => format!("no other members than {argument}"),
        "$must_may" => {
            let part = |name: &str| list(argument.get(name).unwrap_or(&Value::Null), " then ");
            format!("{}; there may also be {}", part("must"), part("may"))
        }
        "$members" => {
            let part = |name: &str| list(argument.get(name).unwrap_or(&Value::Null), ", ");
            let (must, may) = (part("must"), part("may"));
            match argument.get("may") {
                Some(Value::Array(others)) if !others.is_empty() => {
                    format!("in any order {must}; there may also be {may}, nothing else")
                }
                _ => format!("in any order, exactly {must}"),
            }
        }
        _ => expected.to_string(),
    };
    clip(&text, VALUE_CHARS)
}

/// The last of several behind "or", the others behind commas.
fn alternatives(values: &Value) -> String {
    match values {
        Value::Array(values) if values.len() > 2 => {
            let (last, others) = match values.split_last() {
                Some((last, others)) => (expectation(last), others),
                None => return String::new(),
            };
            let others: Vec<String> = others.iter().map(expectation).collect();
            format!("{} or {last}", others.join(", "))
        }
        values => list(values, " or "),
    }
}

fn list(values: &Value, between: &str) -> String {
    match values {
        Value::Array(values) if values.is_empty() => "nothing".to_owned(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(expectation).collect();
            values.join(between)
        }
        other => other.to_string(),
    }
}

/// A number of elements.
pub(super) fn elements(count: &Value) -> String {
    match count {
        Value::Number(one) if one.as_u64() == Some(1) => "1 element".to_owned(),
        count => format!("{count} elements"),
    }
}

/// What was expected and what came, each in words. Of two long texts, the part
/// around their first difference.
pub(super) fn both(expected: &Value, got: Option<&Value>) -> (String, String) {
    if let (Value::String(one), Some(Value::String(other))) = (expected, got)
        && one.chars().count().max(other.chars().count()) > 2 * WINDOW_CHARS
    {
        let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
        let start = same.count();
        return (window(one, start), window(other, start));
    }
    let got = got.map_or("nothing".to_owned(), |got| {
        clip(&got.to_string(), VALUE_CHARS)
    });
    (expectation(expected), got)
}

/// A text from a little before a character on, and where that is.
fn window(text: &str, start: usize) -> String {
    // Two digits are a byte; a window that begins between them reads badly.
    let from = start.saturating_sub(WINDOW_CHARS / 4) / 2 * 2;
    let shown: String = text.chars().skip(from).take(WINDOW_CHARS).collect();
    let before = if from > 0 { "..." } else { "" };
    let rest = text.chars().count() > from + WINDOW_CHARS;
    let behind = if rest { "..." } else { "" };
    format!("{before}{shown}{behind} (from character {from})")
}

/// How far two integers are apart, where that is not far.
pub(super) fn difference(expected: &Value, got: &Value) -> Option<String> {
    let (expected, got) = (integer(expected)?, integer(got)?);
    let apart = expected.abs_diff(got);
    match (apart, got < expected) {
        (0, _) => None,
        (apart, _) if apart > DIFFERENCE => None,
        (apart, true) => Some(format!("{apart} too small")),
        (apart, false) => Some(format!("{apart} too large")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn matchers_are_said_in_words() {
        for (expected, words) in [
            (json!({"$one_of": [1, "two"]}), "one of 1 or \"two\""),
            (json!({"$one_of": [1, 2, 3]}), "one of 1, 2 or 3"),
            (json!({"$not": 0}), "anything but 0"),
            (json!({"$absent": true}), "nothing: missing or null"),
            (json!({"$set": [3, 1]}), "in any order, exactly 3, 1"),
            (json!({"$exactly": {}}), "no other members than {}"),
            (
                json!({"$must_may": {"must": [1], "may": [2]}}),
                "1; there may also be 2",
            ),
            (
                json!({"$members": {"must": [2, 1], "may": []}}),
                "in any order, exactly 2, 1",
            ),
            (json!({"topic": "gaze"}), "{\"topic\":\"gaze\"}"),
            (json!({"$unheard": 1}), "{\"$unheard\":1}"),
        ] {
            assert_eq!(expectation(&expected), words);
        }
        for (name, _) in MATCHERS {
            assert!(!expectation(&json!({ *name: [] })).contains('$'), "{name}");
        }
    }

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let one = "00".repeat(300);
        let mut other = one.clone();
        other.replace_range(401..402, "7");
        let (expected, got) = both(&json!(one), Some(&json!(other)));
        assert!(expected.starts_with("...00000000000"), "{expected}");
        assert!(
            got.contains("07") && got.ends_with("(from character 388)"),
            "{got}"
        );
        assert_eq!(
            both(&json!(1), None),
            ("1".to_owned(), "nothing".to_owned())
        );
    }

    #[test]
    fn a_small_difference_is_worth_saying() {
        let said = |a, b| difference(&a, &b);
        assert_eq!(said(json!("1000"), json!(999)).unwrap(), "1 too small");
        assert_eq!(said(json!(0), json!("5")).unwrap(), "5 too large");
        assert_eq!(said(json!("1000"), json!("99999999999")), None);
        assert_eq!(said(json!("a"), json!(1)), None);
    }
}
