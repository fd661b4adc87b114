//! Which cases a run takes, and which one a person means.

use serde_json::{Value, json};

use super::*;

fn case(id: &str, item: Option<u8>, level: u8, ops: &[&str]) -> Case {
    let steps: Vec<Value> = ops
        .iter()
        .map(|op| json!({"op": op, "expect": {"answer": {"result": {}}}}))
        .collect();
    let sidecar = json!({
        "id": id, "item": item, "level": level, "rules": ["CA3-1.2-07"], "readings": [],
        "provisional": false, "title": "A Title", "why": "w",
        "valid": {"file": "x.valid.ca3", "required_features": "0", "steps": steps},
        "invalid": {"none": "wrong-answer", "reason": "r"},
    });
    Case {
        sidecar: serde_json::from_value(sidecar).unwrap(),
        valid: Some(Vec::new()),
        invalid: None,
    }
}

#[test]
fn a_selection_narrows_by_level_item_and_text() {
    let one = case("ca3/5-strings/topic", Some(5), 1, &["read"]);
    let takes = |selection: &Selection| selection.takes(&one);
    assert!(takes(&Selection::default()));
    assert!(takes(&Selection {
        level: Some(1),
        items: vec![4, 5],
        rules: vec![RuleSelector::parse("1.2").unwrap()],
        text: Some("TOPIC".into())
    }));
    assert!(takes(&Selection {
        text: Some("ca3-1.2".into()),
        ..Selection::default()
    }));
    assert!(takes(&Selection {
        text: Some("a title".into()),
        ..Selection::default()
    }));
    assert!(!takes(&Selection {
        level: Some(0),
        ..Selection::default()
    }));
    assert!(!takes(&Selection {
        items: vec![4],
        ..Selection::default()
    }));
    assert!(!takes(&Selection {
        text: Some("other".into()),
        ..Selection::default()
    }));
    let partial = Selection {
        level: Some(1),
        items: vec![4, 5],
        rules: vec![RuleSelector::parse("CA3-1.2-07").unwrap()],
        text: Some("x".into()),
    }
    .partial();
    let all = ["--item 4", "--item 5", "--rule 1.2-07", "--filter x"];
    assert_eq!(partial, all);
    assert!(
        Selection {
            level: Some(1),
            ..Selection::default()
        }
        .partial()
        .is_empty()
    );
}

#[test]
fn a_case_is_found_by_its_id_or_by_a_part_that_only_one_has() {
    let cases = [
        case("ca3/5-strings/topic", Some(5), 1, &["read"]),
        case("ca3/5-strings/topic-key", Some(5), 1, &["read"]),
        case("ca3/6-streams/topic-key", Some(6), 1, &["read"]),
    ];
    let id = |name: &str| find(&cases, name).map(|case| case.sidecar.id.clone());
    assert_eq!(id("ca3/5-strings/topic").unwrap(), "ca3/5-strings/topic");
    assert_eq!(id("topic").unwrap(), "ca3/5-strings/topic");
    assert_eq!(id("streams").unwrap(), "ca3/6-streams/topic-key");
    let several = id("topic-key").unwrap_err();
    assert!(
        several.contains("5-strings/topic-key") && several.contains("6-streams"),
        "{several}"
    );
    assert!(id("strings").unwrap_err().contains("could be one of"));
    assert!(id("nothing").unwrap_err().contains(" list` shows all"));
}

#[test]
fn a_validator_s_case_is_not_asked_of_a_reader() {
    let mut of_a_validator = case("ca3/5-strings/a", None, 1, &["validate"]);
    keep_reader_sides(&mut of_a_validator);
    assert!(of_a_validator.sidecar.valid.vector().is_none());
    let mut of_both = case("ca3/5-strings/b", None, 1, &["read", "validate"]);
    keep_reader_sides(&mut of_both);
    assert_eq!(of_both.sidecar.valid.vector().unwrap().steps.len(), 1);
}

#[test]
fn the_committed_suite_loads() {
    let suite = Suite::load(&Origin::Committed).unwrap();
    assert_eq!(suite.source, Source::Committed);
    assert!(suite.sha256.is_some());
}

#[test]
fn a_rule_is_meant_by_its_name_and_a_section_with_all_below_it() {
    for (text, takes, leaves) in [
        ("CA3-5.9-03", "CA3-5.9-03", "CA3-5.9-04"),
        ("ca3-5.9-03", "CA3-5.9-03", "CA3-5.9-13"),
        ("5.9", "CA3-5.9-13", "CA3-5.8-01"),
        ("§1", "CA3-1.2-07", "CA3-11-01"),
        ("11", "CA3-11.3-01", "CA3-1.1-01"),
    ] {
        let selector = RuleSelector::parse(text).unwrap();
        assert!(selector.takes(takes), "{text}");
        assert!(!selector.takes(leaves), "{text}");
    }
    for none in ["", "99", "5.9-0", "5.", "CA3-", "topic"] {
        assert!(RuleSelector::parse(none).is_err(), "{none}");
    }
}
