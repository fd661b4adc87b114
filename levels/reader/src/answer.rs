//! Requests of the reader protocol, answered.

use std::io;
use std::path::Path;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{
    Answer, AnswerOutcome, Hello, MAX_LINE_BYTES, ReadResult, Report, Request,
};
use serde_json::Value;

use crate::arguments;
#[cfg(feature = "http")]
use crate::http::HttpSource;
use crate::l1::{self, FileSource, Limits, Source};
use crate::l2::{IndexedFile, Options};
use crate::l4::results::recover_all;

/// The level that this reader implements.
pub const LEVEL: u8 = 4;
/// The operations that it answers.
pub const OPERATIONS: [&str; 9] = [
    "hello", "read", "index", "state_at", "window", "loss", "clock", "times", "recover",
];
/// How it reaches a file.
pub const IO: &[&str] = if cfg!(feature = "http") {
    &["file", "http"]
} else {
    &["file"]
};

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
        io: IO.iter().copied().map(str::to_owned).collect(),
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
        "read" => reach(request).and_then(|reached| value(&reached.read(limits)?)),
        "index" => indexed(request, limits, |file| value(&file.index())),
        "state_at" => state_at(request, limits),
        "window" => window(request, limits),
        "loss" => indexed(request, limits, |file| value(&file.loss()?)),
        "clock" => indexed(request, limits, |file| value(&file.clocks()?)),
        "times" => times(request, limits),
        "recover" => reach(request)
            .and_then(|mut reached| value(&recover_all(reached.source.as_mut(), limits)?)),
        other => {
            let reason = format!(
                "level {LEVEL} answers {}, not {other}",
                OPERATIONS.join(", ")
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

fn state_at(request: &Request, limits: &Limits) -> Result<Value, Box<Report>> {
    let t = arguments::instant(request, "t")?;
    let streams = arguments::streams(request, "streams")?;
    indexed(request, limits, |file| {
        value(&file.state_at(t, streams.as_deref())?)
    })
}

fn window(request: &Request, limits: &Limits) -> Result<Value, Box<Report>> {
    let t1 = arguments::instant(request, "t1")?;
    let t2 = arguments::instant(request, "t2")?;
    let streams = arguments::some_streams(request, "streams")?;
    indexed(request, limits, |file| {
        value(&file.window(t1, t2, &streams)?)
    })
}

fn times(request: &Request, limits: &Limits) -> Result<Value, Box<Report>> {
    let stream_ref = arguments::stream(request, "stream_ref")?;
    indexed(request, limits, |file| value(&file.times(stream_ref)?))
}

/// Asks the request's file through its index.
fn indexed(
    request: &Request,
    limits: &Limits,
    ask: impl FnOnce(&mut IndexedFile<'_>) -> Result<Value, Box<Report>>,
) -> Result<Value, Box<Report>> {
    let mut reached = reach(request)?;
    let options = Options {
        walk_spine: reached.walk_spine,
    };
    let mut file = IndexedFile::open(reached.source.as_mut(), limits, options)?;
    ask(&mut file)
}

/// A request's file.
struct Reached {
    source: Box<dyn Source>,
    /// Whether frames are to be walked where nobody needs them: not where each
    /// is a request of its own.
    walk_spine: bool,
}

impl Reached {
    fn read(mut self, limits: &Limits) -> Result<ReadResult, Box<Report>> {
        l1::read(self.source.as_mut(), limits)
    }
}

/// Opens the file that a request names by its path, or by its address.
fn reach(request: &Request) -> Result<Reached, Box<Report>> {
    let refused = |place: &str, error: io::Error| {
        Box::new(Report::new(Kind::Other, format!("{place}: {error}")))
    };
    if let Some(path) = &request.path {
        let source = FileSource::open(Path::new(path)).map_err(|error| refused(path, error))?;
        return Ok(Reached {
            source: Box::new(source),
            walk_spine: true,
        });
    }
    #[cfg(feature = "http")]
    if let Some(url) = request.arguments.get("url").and_then(Value::as_str) {
        let source = HttpSource::open(url).map_err(|error| refused(url, error))?;
        return Ok(Reached {
            source: Box::new(source),
            walk_spine: false,
        });
    }
    let message = format!("the request names no path (files are reached by {IO:?})");
    Err(Box::new(Report::new(Kind::Other, message)))
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
        assert_eq!(answer["result"]["level"], 4);
        assert_eq!(answer["result"]["features"], serde_json::json!([0, 2]));
        assert_eq!(
            answer["result"]["ops"],
            serde_json::json!([
                "hello", "read", "index", "state_at", "window", "loss", "clock", "times", "recover"
            ])
        );
        assert_eq!(answer["result"]["io"], serde_json::json!(IO));
    }

    #[test]
    fn operations_of_higher_levels_are_unsupported_with_a_reason() {
        for op in ["derive", "write", ""] {
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
