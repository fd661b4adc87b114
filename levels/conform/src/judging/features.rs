//! A file with a feature that the implementation does not list: refusing it,
//! naming the missing bits, is what is expected, whatever the case is about.

use std::collections::BTreeSet;

use ca3_spec::feature::{self, FEATURES};
use ca3_spec::kind::Kind;
use ca3_spec::vector::Vector;
use serde_json::{Map, Value, json};

use super::{Findings, is_refusal, kind_of};
use crate::implementation::Claims;
use crate::matching::integer;

/// The features that version 1 defines, the file sets and `hello` does not list.
pub fn lacking(vector: &Vector, claims: &Claims) -> Vec<u8> {
    let set = feature::bits(vector.required_features.0);
    FEATURES
        .iter()
        .filter(|feature| feature.defined)
        .map(|feature| feature.bit)
        .filter(|bit| set.contains(bit) && !claims.features.contains(bit))
        .collect()
}

/// Every bit that a refusal of the file must name.
pub fn expected_refusal(vector: &Vector, claims: &Claims) -> BTreeSet<u8> {
    feature::bits(vector.required_features.0)
        .into_iter()
        .filter(|bit| !claims.features.contains(bit))
        .collect()
}

pub(super) fn check(
    vector: &Vector,
    answer: &Map<String, Value>,
    claims: &Claims,
    findings: &mut Findings,
) {
    let bits = expected_refusal(vector, claims);
    if !is_refusal(answer) {
        findings.mismatch(
            "status",
            format!(
                "refused (unsupported-feature), naming the bits {}, which the file sets and \
                 hello does not list",
                list(&bits)
            ),
            answer.get("status").cloned(),
        );
        return;
    }
    let error = answer.get("error").unwrap_or(&Value::Null);
    findings.wrong_kind(&[Kind::UnsupportedFeature], kind_of(error).as_slice());
    let named: Option<BTreeSet<i128>> = match error.get("bits") {
        Some(Value::Array(bits)) => bits.iter().map(integer).collect(),
        _ => None,
    };
    if named != Some(bits.iter().map(|bit| i128::from(*bit)).collect()) {
        let expected: Vec<Value> = bits.iter().map(|bit| Value::from(*bit)).collect();
        findings.mismatch(
            "error.bits",
            json!({ "$set": expected }),
            error.get("bits").cloned(),
        );
    }
    for name in &vector.refusal_names {
        let named = error
            .get("names")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|given| given.as_str() == Some(name)));
        if !named {
            findings.mismatch(
                "error.names",
                json!({ "$contains": [name] }),
                error.get("names").cloned(),
            );
        }
    }
}

fn list(bits: &BTreeSet<u8>) -> String {
    bits.iter()
        .map(u8::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
