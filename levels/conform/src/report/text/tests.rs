//! A report over hand-made results: what stands in it, and its width.

use ca3_spec::protocol::Decimal;
use ca3_spec::vector::{Case, Polarity};
use serde_json::{Value, json};

use super::*;
use crate::implementation::{Claims, Reply};
use crate::judging::judge;
use crate::report::{Repeat, RunFacts, render_json, render_junit};
use crate::results::CaseResult;
use crate::run::conclude;
use crate::suite::Suite;
use crate::verdict::{self, Terms};

const RULE: &str = "CA3-1.2-07";

fn case(name: &str, provisional: bool) -> Case {
    let sidecar = json!({
        "id": format!("ca3/5-strings/{name}"), "item": 5, "level": 1, "rules": [RULE],
        "readings": if provisional { json!(["G21"]) } else { json!([]) },
        "provisional": provisional,
        "title": "A topic holds a byte that no UTF-8 text holds, and is long enough to need two lines",
        "why": "w",
        "valid": {"file": "x.valid.ca3", "required_features": "0", "steps": [
            {"op": "read", "expect": {"answer": {"result": {"streams": [{"topic": "gaze"}]}}}},
        ]},
        "invalid": {"file": "x.invalid.ca3", "required_features": "0",
            "edit": {"what": "one byte of the topic becomes FF", "offset": "20", "length": "1"},
            "steps": [{"op": "read", "arguments": {"t": "5"},
                "expect": {"surface": {"kinds": ["bad-utf8"]}}}]},
    });
    Case {
        sidecar: serde_json::from_value(sidecar).unwrap(),
        valid: Some(vec![0; 64]),
        invalid: Some((0..64).collect()),
    }
}

fn answer(value: Value) -> Reply {
    let Value::Object(answer) = value else {
        panic!("{value} is no object")
    };
    Reply::Answer {
        answer,
        stderr: "a log line".to_owned(),
        died_before: None,
    }
}

fn report(cases: &[Case], valid: Reply, invalid: Reply) -> Report {
    let Value::Object(hello) = json!({"status": "ok", "result":
        {"name": "reader", "version": "1", "level": 1, "features": [0, 2]}})
    else {
        panic!("an object is no object");
    };
    let claims = Claims::read(hello).unwrap();
    let mut results = Vec::new();
    for case in cases {
        let side = |polarity| case.sidecar.side(polarity).vector().unwrap();
        let mut result = CaseResult::of(&case.sidecar);
        conclude(
            case,
            &mut result,
            Some(judge(
                side(Polarity::Valid),
                vec![valid.clone()],
                &claims,
                false,
            )),
            Some(judge(
                side(Polarity::Invalid),
                vec![invalid.clone()],
                &claims,
                false,
            )),
        );
        results.push(result);
    }
    let suite = Suite {
        source: Source::Committed,
        fresh_seed: None,
        sha256: Some("ab".repeat(32)),
        cases: cases.to_vec(),
    };
    let terms = Terms {
        asked: 1,
        claims: &claims,
        source: Source::Committed,
        partial: &[],
        stale: &[],
        interrupted: None,
    };
    let verdict = verdict::form(&results, &terms);
    let run = RunFacts {
        level: 1,
        seed: Decimal(7),
        strict: false,
        jobs: 1,
        timeout_s: 10.0,
        start_timeout_s: 60.0,
        interrupted: None,
        repeat: Repeat {
            program: "./ca3-conform".to_owned(),
            ..Repeat::default()
        },
    };
    Report::new(
        &suite,
        &claims,
        Some("python3 'my reader.py'"),
        run,
        verdict,
        results,
    )
}

fn good() -> Reply {
    answer(json!({"status": "ok", "result": {"streams": [{"topic": "gaze"}]}}))
}

fn silent() -> Reply {
    answer(json!({"status": "ok", "result": {"streams": [{"topic": "\u{FFFD}"}]}}))
}

fn refusal() -> Reply {
    answer(json!({"status": "refused", "error": {"kind": "bad-utf8"}}))
}

fn plain(report: &Report) -> String {
    let text = anstream::adapter::strip_str(&render(report)).to_string();
    for line in text.lines() {
        let names = ["replay ", "get it ", "file "];
        let is_for_copying = names.iter().any(|name| line.trim_start().starts_with(name));
        assert!(
            is_for_copying || line.chars().count() <= WIDTH,
            "too wide: {line}"
        );
    }
    text
}

#[test]
fn a_clean_run_is_short() {
    let text = plain(&report(&[case("a", false)], good(), refusal()));
    assert!(text.contains("   5 strings and maps"), "{text}");
    assert!(text.contains("1/1      1/1\n"), "{text}");
    assert!(text.ends_with("Level 1: certified\n"), "{text}");
    assert!(text.contains("--seed 7"), "{text}");
    assert!(
        text.contains("     valid, invalid: files answered"),
        "{text}"
    );
    assert!(!text.contains("failed"), "{text}");
}

#[test]
fn a_failure_says_what_why_where_and_how_to_see_it_again() {
    let text = plain(&report(&[case("a", false)], good(), silent()));
    let rule = ca3_spec::rule::find(RULE).unwrap();
    for part in [
        "Item 5, strings and maps: 1 vector failed",
        RULE,
        rule.summary.split(' ').next().unwrap(),
        "fail ca3/5-strings/a (invalid)",
        "asked     read t=\"5\"",
        "expected  refused, or a problem (bad-utf8)",
        "got       ok, no problem reported",
        "edit      one byte of the topic becomes FF",
        ", at 20 (0x14), 1 byte",
        "00000010  10 11 12 13[14]15",
        "stderr    a log line",
        "file      ca3/5-strings/x.invalid.ca3",
        "get it    ./ca3-conform copy DIR ca3/5-strings/a\n",
        "replay    ./ca3-conform replay ca3/5-strings/a --reader \"python3 'my reader.py'\"",
        "Level 1: NOT CONFORMANT",
    ] {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
}

#[test]
fn a_mismatch_gives_its_place_and_both_values() {
    let text = plain(&report(&[case("a", false)], silent(), refusal()));
    for part in [
        "at        streams[0].topic",
        "expected  \"gaze\"",
        "got       \"\u{FFFD}\"",
    ] {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
}

#[test]
fn many_failures_stay_readable() {
    let cases: Vec<Case> = (0..40)
        .map(|index| case(&format!("c{index}"), false))
        .collect();
    let report = report(&cases, good(), silent());
    let text = plain(&report);
    assert_eq!(text.matches("replay    ").count(), 1, "{text}");
    for part in [
        "40 vectors failed. What they show, the most frequent first:",
        "   1.    40 x expected refused, or a problem (bad-utf8); came back ok, no",
        "  CA3-1.2-07     40, as in 1     A string field with",
    ] {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
    assert!(text.lines().count() < 60, "{text}");
    let json: Value = serde_json::from_str(&render_json(&report).unwrap()).unwrap();
    let failed = json["cases"].as_array().unwrap().iter();
    assert_eq!(
        failed
            .filter(|case| case["invalid"]["outcome"] == "fail")
            .count(),
        40
    );
    assert_eq!(
        json["items"][0]["invalid"],
        json!({"passed": 0, "total": 40})
    );
}

#[test]
fn a_provisional_disagreement_shows_its_reading() {
    let text = plain(&report(
        &[case("a", false), case("b", true)],
        good(),
        silent(),
    ));
    assert!(
        text.contains("Provisional disagreements, which fail nobody: 1"),
        "{text}"
    );
    assert!(text.contains("  G21 "), "{text}");
    let agreed = plain(&report(
        &[case("a", false), case("b", true)],
        good(),
        refusal(),
    ));
    assert!(
        agreed.contains("1/1      1/1                 2/2\n"),
        "{agreed}"
    );
}

#[test]
fn a_sentence_is_told_once_with_its_number() {
    let cases: Vec<Case> = (0..40)
        .map(|index| case(&format!("c{index}"), false))
        .collect();
    let text = plain(&report(&cases, refusal(), refusal()));
    assert!(text.contains("Inconclusive: 40"), "{text}");
    assert!(
        text.contains("40 times: its valid twin was not accepted"),
        "{text}"
    );
}

#[test]
fn the_json_report_is_the_same_every_time() {
    let make = || render_json(&report(&[case("a", false)], silent(), silent())).unwrap();
    assert_eq!(make(), make());
    let json: Value = serde_json::from_str(&make()).unwrap();
    assert_eq!(json["schema_version"], json!(1));
    assert_eq!(
        json["cases"][0]["valid"]["steps"][0]["mismatches"][0]["path"],
        "streams[0].topic"
    );
    assert_eq!(json["verdict"]["standing"], "not-conformant");
    assert!(json["rules"][RULE]["why"].is_string());
}

#[test]
fn junit_fails_what_keeps_from_certifying_and_nothing_else() {
    let cases = [case("a", false), case("b", true)];
    let junit = render_junit(&report(&cases, good(), silent())).unwrap();
    for part in [
        "tests=\"4\" skipped=\"0\" failures=\"1\" errors=\"0\"",
        "<testsuite name=\"item 5: strings and maps\"",
        "<failure message=\"A topic holds",
        "type=\"fail\"",
        "expected  refused, or a problem (bad-utf8)",
        "<system-out>A provisional disagreement",
    ] {
        assert!(junit.contains(part), "{part} is missing from\n{junit}");
    }
    assert!(!junit.contains('\u{1b}'), "{junit}");
    let crash = Reply::Crash {
        why: "it exited with status 1".to_owned(),
        stderr: "KeyError: 'x'".to_owned(),
    };
    let crashed = report(&cases, good(), crash);
    let junit = render_junit(&crashed).unwrap();
    assert!(junit.contains("failures=\"0\" errors=\"2\""), "{junit}");
    assert!(junit.contains("KeyError"), "{junit}");
    assert!(plain(&crashed).contains("stderr    KeyError: 'x'"));
}
