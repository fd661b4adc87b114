//! The JSON Schema holds what is printed, and its members are those of the types.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::collections::BTreeSet;
use std::process::Command;

use ca3_spec::kind::Kind;
use ca3_spec::schema::RECOVERY;
use ca3_vectors::Corpus;
use serde_json::{Value, json};
use support::{Bench, abandoned, sealed};

fn schema() -> Value {
    serde_json::from_str(RECOVERY).unwrap()
}

#[test]
fn the_program_prints_it() {
    let out = Command::new(env!("CARGO_BIN_EXE_ca3-convert"))
        .arg("schema")
        .output()
        .unwrap();
    assert!(out.status.success());
    assert_eq!(String::from_utf8(out.stdout).unwrap(), RECOVERY);
    jsonschema::meta::validate(&schema()).unwrap();
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(schema()["$defs"]["kind"]["enum"], json!(kinds));
}

/// Every object of the schema has all its members and no other: what holds
/// against it has the members of the schema.
fn closed(value: &Value) {
    if let Some(properties) = value["properties"].as_object() {
        let names: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
        let required = value["required"].as_array().unwrap();
        let required: BTreeSet<&str> = required.iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(names, required);
        assert_eq!(value["additionalProperties"], false);
    }
}

/// Notes which definitions of the schema a value makes use of.
fn used(value: &Value, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let filled = match member {
                    Value::Array(items) => !items.is_empty(),
                    other => other.is_object(),
                };
                if filled {
                    seen.insert(name.clone());
                }
                used(member, seen);
            }
        }
        Value::Array(items) => items.iter().for_each(|it| used(it, seen)),
        _ => {}
    }
}

#[test]
fn statements_of_all_sorts_hold() {
    let schema = schema();
    closed(&schema);
    schema["$defs"]
        .as_object()
        .unwrap()
        .values()
        .for_each(closed);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let bench = Bench::new();
    let cases = Corpus::embedded().cases().unwrap();
    let vectors = cases.iter().flat_map(|case| [&case.valid, &case.invalid]);
    let mut files: Vec<Vec<u8>> = vectors.flatten().map(|bytes| bytes.to_vec()).collect();
    files.extend([sealed(Some(2), 6), abandoned(None, 6)]);
    let (_, once) = bench.recovered(&abandoned(Some(2), 6)).unwrap();
    files.push(once);
    let mut seen = BTreeSet::new();
    for bytes in &files {
        let Ok((statement, _)) = bench.recovered(bytes) else {
            continue;
        };
        let value = serde_json::to_value(&statement).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:#?}\n{value}");
        used(&value, &mut seen);
    }
    // Every list and every object was met with something in it.
    for name in [
        "tool",
        "source",
        "output",
        "earlier",
        "broken_link",
        "walks",
        "end",
        "chunks",
        "withheld",
        "streams",
        "holes",
        "damaged",
        "carried",
        "not_carried",
        "errors",
        "problems",
    ] {
        assert!(seen.contains(name), "{name} is in no statement");
    }
}
