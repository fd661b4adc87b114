//! Requests of the reader protocol, answered.

use std::io;
use std::path::Path;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Answer, AnswerOutcome, Hello, MAX_LINE_BYTES, Report, Request};
use serde_json::Value;

use crate::l1::{self, Limits};

/// The level that this reader implements.
pub const LEVEL: u8 = 1;
/// The operations that it answers.
pub const OPERATIONS: [&str; 2] = ["hello", "read"];

/// What this reader says of itself.
pub fn hello() -> Hello {
    Hello {
        name: "ca3-reader".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        language: "Rust".to_owned(),
        level: LEVEL,
        features: l1::FEATURES.to_vec(),
        formats: vec!["ca3".to_owned()],
        ops: OPERATIONS.map(str::to_owned).to_vec(),
        io: vec!["file".to_owned()],
    }
}

/// The answer to a request, within the default limits.
pub fn answer(request: &Request) -> Answer {
    answer_within(request, &Limits::default())
}

/// The answer to a request, within these limits.
pub fn answer_within(request: &Request, limits: &Limits) -> Answer {
    let result = match request.op.as_str() {
        "hello" => value(&hello()),
        "read" => read(request, limits),
        other => {
            let reason = format!(
                "level {LEVEL} answers {}, not {other}",
                OPERATIONS.join(" and ")
            );
            return Answer {
                id: request.id,
                outcome: AnswerOutcome::Unsupported { reason },
            };
        }
    };
    let outcome = match result {
        Ok(result) => AnswerOutcome::Ok { result },
        Err(error) => AnswerOutcome::Refused { error: *error },
    };
    Answer {
        id: request.id,
        outcome,
    }
}

fn read(request: &Request, limits: &Limits) -> Result<Value, Box<Report>> {
    let Some(path) = &request.path else {
        return Err(Box::new(Report::new(
            Kind::Other,
            "the request names no path",
        )));
    };
    value(&l1::read_path(Path::new(path), limits)?)
}

/// A result as JSON, where the protocol's line has room for it: measured
/// before it is built, since a tree of values takes many times its text.
fn value(result: &impl serde::Serialize) -> Result<Value, Box<Report>> {
    let refused = |kind, error: serde_json::Error| Box::new(Report::new(kind, error.to_string()));
    serde_json::to_writer(
        Room {
            left: MAX_LINE_BYTES - ENVELOPE_BYTES,
        },
        result,
    )
    .map_err(|error| refused(Kind::LimitExceeded, error))?;
    serde_json::to_value(result).map_err(|error| refused(Kind::Other, error))
}

/// Bytes of an answer's line around its result, amply.
const ENVELOPE_BYTES: usize = 1024;

/// A sink that only counts, and has an end.
struct Room {
    left: usize,
}

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => {
                self.left = left;
                Ok(bytes.len())
            }
            None => Err(io::Error::other(format!(
                "the answer is longer than a line of {MAX_LINE_BYTES} bytes"
            ))),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: &str, path: Option<&str>) -> Request {
        let path = path.map(str::to_owned);
        Request {
            id: 7,
            op: op.to_owned(),
            path,
            arguments: serde_json::Map::new(),
        }
    }

    #[test]
    fn hello_names_level_features_and_operations() {
        let answer = serde_json::to_value(answer(&request("hello", None))).unwrap();
        assert_eq!(answer["id"], 7);
        assert_eq!(answer["status"], "ok");
        assert_eq!(answer["result"]["level"], 1);
        assert_eq!(answer["result"]["features"], serde_json::json!([0, 2]));
        assert_eq!(
            answer["result"]["ops"],
            serde_json::json!(["hello", "read"])
        );
    }

    #[test]
    fn operations_of_higher_levels_are_unsupported_with_a_reason() {
        for op in ["index", "window", "state_at", "clock", "recover", ""] {
            let AnswerOutcome::Unsupported { reason } = answer(&request(op, Some("/x"))).outcome
            else {
                panic!("{op} was answered");
            };
            assert!(!reason.is_empty());
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing.ca3");
        let paths = [None, missing.to_str(), folder.path().to_str()];
        for path in paths {
            let AnswerOutcome::Refused { error } = answer(&request("read", path)).outcome else {
                panic!("{path:?} was read");
            };
            assert_eq!(error.kind, Kind::Other);
            assert!(
                error.message.contains(path.unwrap_or("path")),
                "{}",
                error.message
            );
        }
        let empty = folder.path().join("empty.ca3");
        std::fs::write(&empty, b"").unwrap();
        let AnswerOutcome::Refused { error } = answer(&request("read", empty.to_str())).outcome
        else {
            panic!("an empty file was read");
        };
        assert_eq!(error.kind, Kind::BadMagic);
    }

    #[test]
    fn an_answer_that_no_line_holds_is_refused() {
        assert!(value(&"x".repeat(MAX_LINE_BYTES / 2)).is_ok());
        let error = value(&"x".repeat(MAX_LINE_BYTES)).unwrap_err();
        assert_eq!(error.kind, Kind::LimitExceeded);
    }
}
