//! The report against its JSON Schema.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_reports::contents::Contents;
use ca3_reports::{json, ndjson};
use serde_json::Value;
use support::{contents, sample};

/// What does not fit a schema, each by its place.
fn wrong(schema: &str, value: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors = validator.iter_errors(value);
    errors
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect()
}

fn report() -> Value {
    serde_json::from_str(&json::render(&sample()).unwrap()).unwrap()
}

fn lines() -> Vec<Value> {
    let text = ndjson::render(&sample()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every object of a value, by its path.
fn objects(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                objects(member, format!("{path}/{name}"), found);
            }
            found.push(path);
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, format!("{path}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn a_report_fits_its_schema() {
    assert_eq!(wrong(json::SCHEMA, &report()), Vec::<String>::new());
    let mut spoilt = report();
    spoilt["files"][0]["findings"][0]["severity"] = Value::from("fatal");
    spoilt["files"][0]["findings"][0]["offset"] = Value::from(-1);
    let mapping = &mut spoilt["files"][0]["clocks"]["mappings"][0];
    mapping["plot"]["total"] = Value::from(1);
    mapping["verification"] = Value::from("right");
    let stream = &mut spoilt["files"][0]["contents"]["streams"][0];
    stream["spans"][0]["from_ns"] = Value::from(0);
    stream["claim"] = Value::from("good");
    let wrong = wrong(json::SCHEMA, &spoilt);
    assert_eq!(wrong.len(), 6, "{wrong:#?}");
}

/// A member that the schema does not have is found in every object, and so is one
/// that is not there.
#[test]
fn the_schema_has_every_member_and_asks_for_those_that_are_always_there() {
    let mut paths = Vec::new();
    objects(&report(), String::new(), &mut paths);
    assert!(paths.len() > 20, "{paths:?}");
    for path in &paths {
        // Its members are names of rules.
        if path == "/settings/severity" {
            continue;
        }
        let mut spoilt = report();
        let object = spoilt.pointer_mut(path).unwrap().as_object_mut().unwrap();
        object.insert("more".to_owned(), Value::from(1));
        assert_eq!(wrong(json::SCHEMA, &spoilt).len(), 1, "{path}");
    }
    // What both files have, whatever is known of them, is what is asked for.
    let mut bare = report();
    let bare = bare["files"][1].as_object_mut().unwrap();
    let optional = ["incomplete", "suppressed"];
    for name in bare
        .keys()
        .filter(|name| !optional.contains(&name.as_str()))
    {
        let mut spoilt = report();
        spoilt["files"][1].as_object_mut().unwrap().remove(name);
        assert_eq!(wrong(json::SCHEMA, &spoilt).len(), 1, "{name}");
    }
}

#[test]
fn a_line_fits_its_schema_which_is_that_of_a_report_of_one_file() {
    let lines = lines();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(wrong(ndjson::SCHEMA, line), Vec::<String>::new());
        let mut spoilt = line.clone();
        spoilt["file"]["more"] = Value::from(1);
        assert_eq!(wrong(ndjson::SCHEMA, &spoilt).len(), 1);
    }
    let mut of_report: Value = serde_json::from_str(json::SCHEMA).unwrap();
    let mut of_line: Value = serde_json::from_str(ndjson::SCHEMA).unwrap();
    let members = |schema: &mut Value, names: &[&str]| {
        let properties = schema["properties"].as_object_mut().unwrap();
        for name in names {
            properties.remove(*name).unwrap();
        }
        for name in ["title", "description", "required"] {
            schema.as_object_mut().unwrap().remove(name).unwrap();
        }
    };
    members(&mut of_report, &["counts", "files"]);
    members(&mut of_line, &["file"]);
    assert_eq!(of_report, of_line);
}

#[test]
fn what_a_file_holds_survives_its_json() {
    let told = contents();
    let json = serde_json::to_string(&told).unwrap();
    assert_eq!(serde_json::from_str::<Contents>(&json).unwrap(), told);
    let bare = Contents::default();
    let json = serde_json::to_string(&bare).unwrap();
    assert_eq!(serde_json::from_str::<Contents>(&json).unwrap(), bare);
}
