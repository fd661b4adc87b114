//! What a validator must report, in a case's own words.

use ca3_spec::protocol::Decimal;
use serde_json::{Map, Value, json};

use crate::plan::Layout;

/// A finding that a validator's report of a file must hold.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Any of which may be named: more than one where each describes the fault.
    rules: Vec<String>,
    severities: &'static [&'static str],
    /// Labels of the records at one of which it is placed; none where the
    /// document settles no place.
    places: Vec<String>,
    evidence: Option<(String, String)>,
    paths: Vec<Value>,
    members: Map<String, Value>,
}

impl Finding {
    fn new(rule: &str, severities: &'static [&'static str]) -> Self {
        Finding {
            rules: vec![rule.to_owned()],
            severities,
            places: Vec::new(),
            evidence: None,
            paths: Vec::new(),
            members: Map::new(),
        }
    }

    /// A violation of what the format demands.
    pub fn error(rule: &str) -> Self {
        Finding::new(rule, &["error"])
    }

    /// Well-formed, and surely not meant.
    pub fn warning(rule: &str) -> Self {
        Finding::new(rule, &["warning"])
    }

    /// Either of the two: the document and a reading differ in how strict they are.
    pub fn error_or_warning(rule: &str) -> Self {
        Finding::new(rule, &["error", "warning"])
    }

    /// This rule may be named as well, which describes the same fault.
    pub fn or(mut self, rule: &str) -> Self {
        self.rules.push(rule.to_owned());
        self
    }

    /// At the opcode byte of the record of this label; said twice, at either.
    pub fn at(mut self, label: &str) -> Self {
        self.places.push(label.to_owned());
        self
    }

    /// What the file's other statement of the fact makes it, and what stands there.
    pub fn evidence(self, expected: impl ToString, found: impl ToString) -> Self {
        Finding {
            evidence: Some((expected.to_string(), found.to_string())),
            ..self
        }
    }

    /// About this stream.
    pub fn stream(mut self, stream_ref: u32) -> Self {
        self.members
            .insert("stream_ref".to_owned(), json!(stream_ref));
        self
    }

    /// About this message or field of a schema: `Sample.x`; said twice, either.
    pub fn path(mut self, path: &str) -> Self {
        self.paths.push(json!(path));
        let paths = one_of(self.paths.clone());
        self.members.insert("path".to_owned(), paths);
        self
    }

    /// About this message of a chunk, by its place there.
    pub fn message(mut self, index: u32) -> Self {
        self.members
            .insert("message_index".to_owned(), json!(index));
        self
    }

    /// The result of `validate` on an invalid file.
    pub(crate) fn result(&self, layout: &Layout) -> Result<Value, String> {
        let mut finding = Map::new();
        let rules = self.rules.iter().map(|rule| json!(rule));
        finding.insert("rule".to_owned(), one_of(rules.collect()));
        let severities = self.severities.iter().map(|severity| json!(severity));
        finding.insert("severity".to_owned(), one_of(severities.collect()));
        let mut offsets = Vec::new();
        for label in &self.places {
            let placed = layout
                .record(label)
                .ok_or_else(|| format!("no record {label} to find fault with"))?;
            offsets.push(json!(Decimal(placed.offset)));
        }
        if !offsets.is_empty() {
            finding.insert("offset".to_owned(), one_of(offsets));
        }
        finding.extend(self.members.clone());
        if let Some((expected, found)) = &self.evidence {
            let evidence = json!({"expected": expected, "found": found});
            finding.insert("evidence".to_owned(), evidence);
        }
        Ok(json!({"findings": {"$contains": [finding]}}))
    }

    /// The rules of which it may name any; the case is about the first.
    pub(crate) fn rules(&self) -> &[String] {
        &self.rules
    }
}

fn one_of(mut values: Vec<Value>) -> Value {
    match values.pop() {
        Some(only) if values.is_empty() => only,
        Some(last) => {
            values.push(last);
            json!({ "$one_of": values })
        }
        None => json!({"$absent": true}),
    }
}

/// The result of `validate` on a valid file: no error, and no finding of the
/// rules that the case is about.
pub(crate) fn clean(rules: &[String], sealed: bool) -> Value {
    let mut unwanted = vec![json!({"$contains": [{"severity": "error"}]})];
    unwanted.extend(
        rules
            .iter()
            .map(|rule| json!({"$contains": [{"rule": rule}]})),
    );
    json!({
        "findings": {"$not": {"$one_of": unwanted}},
        "scan_complete": true,
        "sealed": sealed,
    })
}

/// As [`clean`], and the report's list of what it does not check has the rules;
/// or any of `under`, where one entry of the list may stand for several.
pub(crate) fn listed(rules: &[String], under: &[String], sealed: bool) -> Value {
    let entry = |rule: Value| json!({"rules": {"$contains": [rule]}});
    let unchecked: Vec<Value> = match under {
        [] => rules.iter().map(|rule| entry(json!(rule))).collect(),
        under => {
            let any = under.iter().map(|rule| json!(rule)).collect();
            vec![entry(one_of(any))]
        }
    };
    let mut result = clean(rules, sealed);
    if let Some(members) = result.as_object_mut() {
        members.insert("unchecked".to_owned(), json!({ "$contains": unchecked }));
    }
    result
}
