//! What an implementation says of itself in `hello`, read leniently.

use std::collections::BTreeSet;

use ca3_spec::feature::FEATURES;
use serde_json::{Map, Value};

use crate::matching::integer;

/// The claims of a `hello`, and what is wrong with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    /// The whole answer: cases with a step `hello` are judged on it.
    pub answer: Map<String, Value>,
    /// The implementation's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language it is written in.
    pub language: String,
    /// The level it claims; `None` where it states none of the four.
    pub level: Option<u8>,
    /// The feature bits it implements.
    pub features: BTreeSet<u8>,
    /// The formats it reads.
    pub formats: Vec<String>,
    /// Whether it reaches files over HTTP.
    pub http: bool,
    /// Claims that the protocol rules out. They prevent a certification.
    pub faults: Vec<String>,
}

impl Claims {
    /// Reads the claims out of an answer to `hello`; an answer that is no
    /// answer to `hello` at all is refused with the reason.
    pub fn read(answer: Map<String, Value>) -> Result<Claims, String> {
        match answer.get("status") {
            Some(Value::String(status)) if status == "ok" => {}
            Some(status) => return Err(format!("its answer has the status {status}, not \"ok\"")),
            None => return Err("its answer has no `status`".to_owned()),
        }
        let Some(Value::Object(result)) = answer.get("result") else {
            return Err("its answer has no object `result`".to_owned());
        };
        let text = |name: &str| match result.get(name) {
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        };
        let mut faults = Vec::new();

        let level = result
            .get("level")
            .and_then(integer)
            .and_then(|level| u8::try_from(level).ok())
            .filter(|level| (1..=4).contains(level));
        if level.is_none() {
            faults.push(format!(
                "hello states no level from 1 to 4 (`level` is {})",
                result.get("level").unwrap_or(&Value::Null)
            ));
        }

        let mut features = BTreeSet::new();
        match result.get("features") {
            None | Some(Value::Null) => {}
            Some(Value::Array(listed)) => {
                for bit in listed {
                    match integer(bit).and_then(|bit| u8::try_from(bit).ok()) {
                        Some(bit) if is_defined(bit) => {
                            features.insert(bit);
                        }
                        _ => faults.push(format!(
                            "hello lists feature {bit}, which version 1 does not define"
                        )),
                    }
                }
            }
            Some(other) => {
                faults.push(format!(
                    "hello's `features` is {other}, not an array of bit numbers"
                ));
            }
        }

        let formats = match result.get("formats") {
            Some(Value::Array(formats)) => formats
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => vec!["ca3".to_owned()],
        };

        let http = match result.get("io") {
            Some(Value::Array(ways)) => ways.iter().any(|way| way == "http"),
            _ => false,
        };

        let (name, version, language) = (text("name"), text("version"), text("language"));
        if name.is_empty() {
            faults.push("hello gives no name".to_owned());
        }
        Ok(Claims {
            name,
            version,
            language,
            level,
            features,
            formats,
            http,
            faults,
            answer,
        })
    }

    /// The name and version, for a headline.
    pub fn title(&self) -> String {
        let name = if self.name.is_empty() {
            "(no name)"
        } else {
            &self.name
        };
        match self.version.as_str() {
            "" => name.to_owned(),
            version => format!("{name} {version}"),
        }
    }
}

fn is_defined(bit: u8) -> bool {
    FEATURES
        .iter()
        .any(|feature| feature.bit == bit && feature.defined)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(answer: Value) -> Result<Claims, String> {
        match answer {
            Value::Object(answer) => Claims::read(answer),
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn a_full_hello_has_no_faults() {
        let claims = read(json!({"id": 0, "status": "ok", "result": {
            "name": "r", "version": "1.2", "language": "Python", "level": 3,
            "features": [0, 2], "formats": ["ca3"], "ops": ["hello", "read"],
        }}))
        .unwrap();
        assert_eq!(claims.level, Some(3));
        assert_eq!(claims.features, BTreeSet::from([0, 2]));
        assert_eq!(claims.title(), "r 1.2");
        assert_eq!(claims.faults, Vec::<String>::new());
    }

    #[test]
    fn a_level_that_is_none_is_a_fault_and_no_refusal_to_run() {
        for level in [json!(0), json!(5), json!("one"), json!(null), json!(1.5)] {
            let claims =
                read(json!({"status": "ok", "result": {"name": "r", "level": level}})).unwrap();
            assert_eq!(claims.level, None);
            assert_eq!(claims.faults.len(), 1, "{:?}", claims.faults);
        }
    }

    #[test]
    fn only_defined_features_may_be_listed() {
        let claims = read(
            json!({"status": "ok", "result": {"name": "r", "level": 1, "features": [0, 1, 7]}}),
        )
        .unwrap();
        assert_eq!(claims.features, BTreeSet::from([0]));
        assert_eq!(claims.faults.len(), 2);
    }

    #[test]
    fn what_is_no_hello_is_refused_with_the_reason() {
        assert!(
            read(json!({"status": "unsupported"}))
                .unwrap_err()
                .contains("unsupported")
        );
        assert!(read(json!({})).unwrap_err().contains("status"));
        assert!(
            read(json!({"status": "ok", "result": 1}))
                .unwrap_err()
                .contains("result")
        );
    }
}
