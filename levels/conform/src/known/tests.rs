//! Lists of known failures: their form, and what they account for.

use serde_json::json;

use super::*;
use crate::judging::Judged;
use crate::results::FileResult;

const CASE: &str = "ca3/5-strings/a";
const RULE: &str = "CA3-1.2-07";

fn parse(text: &str) -> Result<KnownFailures, String> {
    KnownFailures::parse("known.toml".to_owned(), text).map_err(|error| error.to_string())
}

fn entry(more: &str) -> String {
    format!("# a list\n[[known]]\ncase = \"{CASE}\"\nrule = \"{RULE}\"\nreason = \"later\"\n{more}")
}

fn case() -> Case {
    let file = json!({"file": "f", "required_features": "0", "steps": []});
    Case {
        sidecar: serde_json::from_value(json!({
            "id": CASE, "item": 5, "level": 1, "rules": [RULE], "readings": [],
            "provisional": false, "title": "t", "why": "w", "valid": file,
            "invalid": {"none": "wrong-answer", "reason": "r"},
        }))
        .unwrap(),
        valid: None,
        invalid: None,
    }
}

fn result(outcome: Outcome) -> CaseResult {
    let mut result = CaseResult::of(&case().sidecar);
    result.valid = Some(FileResult {
        judged: Judged {
            outcome,
            reason: None,
            refused_for: Vec::new(),
            steps: Vec::new(),
        },
        edit: None,
        place: None,
        known: None,
        file: String::new(),
        kept: None,
    });
    result
}

#[track_caller]
fn stale(text: &str, outcome: Outcome) -> Vec<String> {
    let mut results = [result(outcome)];
    parse(text).unwrap().apply(&[case()], &mut results)
}

#[test]
fn a_failure_with_an_entry_is_accounted_for() {
    for text in [entry(""), entry("polarity = \"valid\"")] {
        let mut results = [result(Outcome::Fail)];
        assert!(
            parse(&text)
                .unwrap()
                .apply(&[case()], &mut results)
                .is_empty()
        );
        let known = results[0].valid.as_ref().unwrap().known.as_deref();
        assert_eq!(known, Some("later"));
    }
    assert!(parse("").unwrap().apply(&[case()], &mut []).is_empty());
}

#[test]
fn an_entry_that_holds_no_more_is_named_with_its_line() {
    let passes = stale(&entry(""), Outcome::Pass);
    assert_eq!(
        passes,
        ["known.toml:3: ca3/5-strings/a passes now; take the entry out"]
    );
    for (text, part) in [
        (entry("").replace("strings/a", "strings/b"), "is no case"),
        (
            entry("").replace(RULE, "CA3-2.1-01"),
            "is not about CA3-2.1-01 but about CA3-1.2-07",
        ),
        (entry("polarity = \"invalid\""), "has no invalid file"),
    ] {
        let stale = stale(&text, Outcome::Fail);
        assert!(stale[0].contains(part), "{stale:?}");
    }
}

#[test]
fn an_entry_whose_case_was_not_run_says_nothing() {
    assert!(
        parse(&entry(""))
            .unwrap()
            .apply(&[case()], &mut [])
            .is_empty()
    );
}

#[test]
fn what_is_no_list_is_named_with_its_line() {
    for (text, part) in [
        (
            "[[known]]\nrule = \"r\"\nreason = \"r\"",
            "known.toml:1: an entry names no case",
        ),
        (
            "\n[[known]]\ncase = \"c\"\nrule = \"r\"",
            "known.toml:3: c has no reason",
        ),
        (
            "[[known]]\ncase = \"c\"\nreason = \"r\"",
            "known.toml:2: c has no rule",
        ),
        (
            "[[known]]\ncase = \"c\"\nrule = \"r\"\nreason = \" \"",
            "c has no reason",
        ),
        (
            "[[known]]\ncase = \"c\"\nwhy = \"r\"",
            "known.toml:3: unknown field `why`",
        ),
        (
            "[[known]]\ncase = \"c\"\npolarity = \"both\"",
            "known.toml:3: unknown variant `both`",
        ),
        ("known = 5", "known.toml:1: "),
        ("[[known]", "known.toml:1: "),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(part), "{text}\n{error}");
    }
    let twice = format!("{}\n{}", entry(""), entry("polarity = \"valid\""));
    let error = parse(&twice).unwrap_err();
    assert!(error.contains("stands in line 3 already"), "{error}");
}
