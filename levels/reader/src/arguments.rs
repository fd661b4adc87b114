//! What stands beside an operation's name in a request of the reader protocol.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Report, Request};
use serde_json::Value;

/// An instant in nanoseconds: a decimal string, or a number.
///
/// # Errors
/// [`Kind::Other`] where it is missing or is none.
pub(crate) fn instant(request: &Request, name: &str) -> Result<u64, Box<Report>> {
    let value = request.arguments.get(name);
    let found = value.and_then(whole);
    found.ok_or_else(|| wrong(request, name, value, "no instant in nanoseconds"))
}

/// An array of stream references, or `None` where it is missing or null.
///
/// # Errors
/// [`Kind::Other`] for anything else.
pub(crate) fn streams(request: &Request, name: &str) -> Result<Option<Vec<u32>>, Box<Report>> {
    let value = request.arguments.get(name);
    let references = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(references)) => references.iter().map(reference).collect(),
        Some(_) => None,
    };
    match references {
        Some(references) => Ok(Some(references)),
        None => Err(wrong(request, name, value, "no array of stream references")),
    }
}

/// As [`streams`], where the operation needs them.
///
/// # Errors
/// [`Kind::Other`] for anything else than an array of references.
pub(crate) fn some_streams(request: &Request, name: &str) -> Result<Vec<u32>, Box<Report>> {
    streams(request, name)?
        .ok_or_else(|| wrong(request, name, None, "no array of stream references"))
}

/// A stream reference.
///
/// # Errors
/// [`Kind::Other`] where it is missing or is none.
pub(crate) fn stream(request: &Request, name: &str) -> Result<u32, Box<Report>> {
    let value = request.arguments.get(name);
    let found = value.and_then(reference);
    found.ok_or_else(|| wrong(request, name, value, "no stream reference"))
}

fn reference(value: &Value) -> Option<u32> {
    whole(value).and_then(|value| u32::try_from(value).ok())
}

/// A whole number of up to 64 bits, as a number or as decimal digits.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok()
        }
        _ => None,
    }
}

#[cold]
fn wrong(request: &Request, name: &str, value: Option<&Value>, what: &str) -> Box<Report> {
    let found = value.map_or_else(|| "missing".to_owned(), Value::to_string);
    let message = format!("{} has {name} {found}, which is {what}", request.op);
    Box::new(Report::new(Kind::Other, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(arguments: &Value) -> Request {
        let arguments = arguments.as_object().unwrap().clone();
        Request {
            id: 1,
            op: "window".to_owned(),
            path: None,
            arguments,
        }
    }

    #[test]
    fn instants_are_decimal_strings_or_numbers() {
        for (value, expected) in [
            (json!("0"), Some(0)),
            (json!("18446744073709551615"), Some(u64::MAX)),
            (json!(7), Some(7)),
            (json!("18446744073709551616"), None),
            (json!(""), None),
            (json!("+1"), None),
            (json!("-1"), None),
            (json!(" 1"), None),
            (json!(-1), None),
            (json!(1.5), None),
            (json!(null), None),
        ] {
            let request = request(&json!({"t": value}));
            assert_eq!(instant(&request, "t").ok(), expected, "{value}");
        }
        let report = instant(&request(&json!({})), "t1").unwrap_err();
        assert_eq!(report.kind, Kind::Other);
        assert!(report.message.contains("window has t1 missing"));
    }

    #[test]
    fn streams_are_arrays_of_references() {
        let given = |value: Value| streams(&request(&json!({"streams": value})), "streams");
        assert_eq!(given(json!(null)).unwrap(), None);
        assert_eq!(streams(&request(&json!({})), "streams").unwrap(), None);
        assert_eq!(given(json!([])).unwrap(), Some(vec![]));
        assert_eq!(given(json!([2, "1", 2])).unwrap(), Some(vec![2, 1, 2]));
        for wrong in [
            json!(1),
            json!("1"),
            json!([-1]),
            json!([4294967296u64]),
            json!([[1]]),
        ] {
            assert_eq!(given(wrong).unwrap_err().kind, Kind::Other);
        }
        assert!(some_streams(&request(&json!({})), "streams").is_err());
    }
}
