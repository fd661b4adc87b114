//! Running implementations of a test's own over the corpus.

#![allow(dead_code, reason = "each test target uses its own part")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;

use ca3_conform::implementation::{Claims, Implementation, Reply, StartError, hello_request};
use ca3_conform::results::CaseResult;
use ca3_conform::run::{Settings, run};
use ca3_conform::suite::{Origin, Suite};
use ca3_conform::verdict::{self, Terms, Verdict};
use ca3_spec::protocol::Request;
use ca3_spec::vector::Case;
use serde_json::{Map, Value, json};

/// An implementation made of two functions' worth of behaviour.
pub(crate) struct Fake<F> {
    pub(crate) level: u8,
    pub(crate) features: Vec<u8>,
    pub(crate) answer: F,
}

impl<F: FnMut(&Request) -> Value + Send> Implementation for Fake<F> {
    fn hello(&mut self, request: &Request) -> Result<Map<String, Value>, StartError> {
        Ok(object(json!({"id": request.id, "status": "ok", "result": {
            "name": "fake", "version": "1", "language": "Rust",
            "level": self.level, "features": self.features, "formats": ["ca3"],
            "ops": ["hello", "read", "index", "state_at", "window", "loss"], "io": ["file"],
        }})))
    }

    fn restart(&mut self) {}

    fn ask(&mut self, request: &Request) -> Reply {
        let mut answer = object((self.answer)(request));
        answer.insert("id".to_owned(), Value::from(request.id));
        Reply::Answer {
            answer,
            stderr: String::new(),
            died_before: None,
        }
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// A run over a suite, whole or not, and its verdict at the claimed level.
pub(crate) fn judge(
    suite: &Suite,
    make: &(dyn Fn() -> Box<dyn Implementation> + Sync),
) -> (Vec<CaseResult>, Verdict) {
    judge_by(2, suite, make)
}

/// The same by a number of implementations side by side.
pub(crate) fn judge_by(
    jobs: usize,
    suite: &Suite,
    make: &(dyn Fn() -> Box<dyn Implementation> + Sync),
) -> (Vec<CaseResult>, Verdict) {
    let mut first = make();
    let claims = Claims::read(first.hello(&hello_request()).unwrap()).unwrap();
    let level = claims.level.unwrap_or(1);
    let cases: Vec<&Case> = suite
        .cases
        .iter()
        .filter(|case| case.sidecar.level <= level)
        .collect();
    let settings = Settings {
        jobs,
        seed: 1,
        strict: false,
    };
    let ran = run(&cases, first, make, &claims, &settings, &|_| {}).unwrap();
    let results = ran.results;
    let terms = Terms {
        asked: level,
        claims: &claims,
        source: suite.source.clone(),
        partial: &[],
        stale: &[],
        interrupted: None,
    };
    let verdict = verdict::form(&results, &terms);
    (results, verdict)
}

pub(crate) fn committed() -> Suite {
    Suite::load(&Origin::Committed).unwrap()
}

/// How many files came out how.
pub(crate) fn outcomes(results: &[CaseResult]) -> BTreeMap<&'static str, usize> {
    let mut count = BTreeMap::new();
    for (_, file) in results.iter().flat_map(CaseResult::files) {
        *count.entry(file.outcome().as_str()).or_default() += 1;
    }
    count
}
