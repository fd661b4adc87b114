//! SARIF against the schema of OASIS.

use ca3_reports::sarif;
use serde_json::Value;

use crate::hostile;
use crate::support::sample;

const SCHEMA: &str = include_str!("../sarif/sarif-2.1.0.json");

fn wrong(document: &Value) -> Vec<String> {
    // Its pattern of a language has a bracket that a strict reader wants escaped.
    let schema = SCHEMA.replace("[a-zA-Z]{2}]?$", r"[a-zA-Z]{2}\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let errors = validator.iter_errors(document);
    errors
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect()
}

#[test]
fn every_report_fits_the_schema() {
    // A file may be named twice, and what stands once in SARIF then does.
    let (one, mut twice) = (sample(), hostile::report());
    twice.files.extend(twice.files.clone());
    for report in [one, twice, hostile::report()] {
        let text = sarif::render(&report).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(wrong(&document), Vec::<String>::new());
    }
}

#[test]
fn the_schema_is_in_force() {
    let text = sarif::render(&sample()).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let spoil = |path: &str, value: Value| {
        let mut spoilt = document.clone();
        *spoilt.pointer_mut(path).unwrap() = value;
        wrong(&spoilt).len()
    };
    let result = "/runs/0/results/0";
    let location = format!("{result}/locations/0/physicalLocation");
    assert_ne!(spoil(&format!("{result}/level"), "info".into()), 0);
    assert_ne!(spoil(&format!("{location}/region/startLine"), 0.into()), 0);
    let uri = format!("{location}/artifactLocation/uri");
    assert_ne!(spoil(&uri, "a b.ca3".into()), 0);
}
