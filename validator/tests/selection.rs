//! `--only`, `--ignore`, `--severity`: what counts, and that what does not is said.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use serde_json::{Value, json};
use support::program::{code, report, run, said, text, unassigned, write};

/// A file with five errors of CA3-15-08, and its path.
fn bench() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "x.ca3", &unassigned(5));
    (folder, path)
}

fn unchecked_by_settings(file: &Value) -> Vec<&Value> {
    let all = file["unchecked"].as_array().unwrap().iter();
    all.filter(|it| it["scope"] == "settings").collect()
}

#[test]
fn ignored_findings_do_not_fail_and_every_form_says_so() {
    let (_folder, path) = bench();
    assert_eq!(code(&run(&[&path])), 1);
    let output = run(&[&path, "--ignore", "CA3-15-08", "--json"]);
    assert_eq!(code(&output), 0);
    let report = report(&output);
    assert_eq!(report["settings"], json!({"ignore": ["CA3-15-08"]}));
    assert_eq!(report["counts"]["error"], 0);
    let file = &report["files"][0];
    assert_eq!(file["suppressed"], json!({"ignored": 5, "baseline": 0}));
    assert_eq!(file["findings"], json!([]));
    assert_eq!(file["totals"], json!([]));
    let [left] = unchecked_by_settings(file)[..] else {
        unreachable!("{file}")
    };
    assert_eq!(left["rules"], json!(["CA3-15-08"]));
    assert_eq!(left["reason"], "ignore: CA3-15-08");
    let checked = file["checked"].as_array().unwrap().iter();
    let mut checked = checked.flat_map(|it| it["rules"].as_array().unwrap());
    assert!(!checked.any(|rule| rule == "CA3-15-08"));

    let line = "not counted: 5 findings; 1 rule switched off (ignore: CA3-15-08)";
    let verdict = "1 file: nothing that counts, and not counted: 5 ignored; passes";
    let words = text(&run(&[&path, "--ignore", "CA3-15-08"]));
    assert!(
        words.ends_with(&format!("\n{line}\n{verdict}\n")),
        "{words}"
    );
    let quiet = text(&run(&[&path, "--ignore", "CA3-15-08", "--quiet"]));
    assert_eq!(quiet, format!("{line}\n{verdict}\n"));
    let page = text(&run(&[&path, "--ignore", "CA3-15-08", "--format", "html"]));
    assert!(
        page.contains(&format!("<p class=\"says\">{line}</p>")),
        "{page}"
    );
    assert!(page.contains(&format!("<title>CA3 validation: {verdict}</title>")));
    assert!(page.contains("</span> nothing that counts, and not counted: 5 ignored</p>"));
}

#[test]
fn a_section_stands_for_its_rules_and_lists_are_lists() {
    let (_folder, path) = bench();
    let code = |args: &[&str]| code(&run(&[&[path.as_str()], args].concat()));
    assert_eq!(code(&["--ignore", "CA3-15"]), 0);
    // Another section that begins with the same digit.
    assert_eq!(code(&["--ignore", "CA3-1"]), 1);
    assert_eq!(code(&["--ignore", "CA3-2,CA3-15-08"]), 0);
    assert_eq!(code(&["--ignore", "CA3-2", "--ignore", "CA3-15-08"]), 0);
    assert_eq!(code(&["--ignore", "CA3-15-07"]), 1);
    assert_eq!(code(&["--only", "CA3-15"]), 1);
    assert_eq!(code(&["--only", "CA3-2,CA3-3"]), 0);
    assert_eq!(code(&["--only", "CA3-15", "--ignore", "CA3-15-08"]), 0);
    assert_eq!(code(&["--only", "CA3-15", "--ignore", "CA3-15"]), 2);
}

/// All but those of the magic.
#[test]
fn only_leaves_every_other_rule_unchecked() {
    let (_folder, path) = bench();
    let output = run(&[&path, "--only", "CA3-15-08,CA3-15-07", "--json"]);
    let report = report(&output);
    let file = &report["files"][0];
    assert_eq!(report["counts"]["error"], 5);
    let rules: Vec<_> = file["checked"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|it| it["rules"].as_array().unwrap())
        .collect();
    assert_eq!(
        rules,
        [
            "CA3-2.1-01",
            "CA3-2.1-02",
            "CA3-2.1-03",
            "CA3-15-07",
            "CA3-15-08"
        ]
    );
    let [left] = unchecked_by_settings(file)[..] else {
        unreachable!("{file}")
    };
    assert!(left["rules"].as_array().unwrap().len() > 200);
    assert_eq!(left["reason"], "only: CA3-15-08, CA3-15-07");
    // What this version never judges stands as it did. What the file leaves open of rules
    // that are judged does not: none of these counts.
    let all = file["unchecked"].as_array().unwrap();
    assert!(all.iter().any(|it| it["scope"] == "version"));
    assert!(!all.iter().any(|it| it["scope"] == "file"));
}

#[test]
fn a_rule_weighs_what_it_is_told() {
    let (_folder, path) = bench();
    let output = run(&[&path, "--severity", "CA3-15=warning", "--json"]);
    assert_eq!(code(&output), 0);
    let report = report(&output);
    assert_eq!(
        report["counts"],
        json!({"error": 0, "warning": 5, "info": 0})
    );
    assert_eq!(
        report["settings"],
        json!({"severity": {"CA3-15": "warning"}})
    );
    assert_eq!(report["files"][0]["findings"][0]["severity"], "warning");
    let closest = ["--severity", "CA3-15-08=error,CA3-15=info"];
    assert_eq!(code(&run(&[&[path.as_str()], &closest[..]].concat())), 1);
    let words = text(&run(&[&path, "--severity", "CA3-15=warning"]));
    let end = "\nanother severity: CA3-15 as warning\n1 file: 5 warnings; passes\n";
    assert!(words.ends_with(end), "{words}");
    let fails = ["--severity", "CA3-15=warning", "--fail-on", "warning"];
    assert_eq!(code(&run(&[&[path.as_str()], &fails[..]].concat())), 1);
}

#[test]
fn names_that_mean_nothing_are_refused_with_the_one_that_was_meant() {
    let (_folder, path) = bench();
    for (option, name, expected) in [
        ("--only", "CA3-15-80", "did you mean CA3-15-08?"),
        ("--ignore", "ca3-15-08", "did you mean CA3-15-08?"),
        ("--ignore", "everything", "`ca3-validate rules` lists them"),
        ("--ignore", "", "no rule or section"),
        ("--ignore", "CA3-15,,CA3-2", "no rule or section"),
        (
            "--only",
            "CA3-0009-01",
            "is not judged: no profile is judged",
        ),
        ("--severity", "CA3-15-8=info", "did you mean CA3-15-08?"),
        ("--severity", "CA3-15-08", "RULE=error, warning or info"),
        (
            "--severity",
            "CA3-15-08=fatal",
            "there are error, warning, info",
        ),
    ] {
        let output = run(&[&path, option, name]);
        assert_eq!(code(&output), 2, "{option} {name}");
        assert!(said(&output).contains(expected), "{}", said(&output));
        assert!(output.stdout.is_empty());
    }
    let explained = run(&["explain", "CA3-15-80"]);
    assert_eq!(code(&explained), 2);
    assert!(said(&explained).contains("did you mean CA3-15-08?"));
}

#[test]
fn sizes_are_sizes() {
    let (_folder, path) = bench();
    let output = run(&[&path, "--limit", "memory=64MiB", "--json"]);
    assert_eq!(report(&output)["files"][0]["limits"]["memory"], 67_108_864);
    for wrong in [
        "memory=64MB",
        "memory=",
        "memory=-1",
        "memory=99999999TiB",
        "time=1",
        "x",
    ] {
        assert_eq!(code(&run(&[&path, "--limit", wrong])), 2, "{wrong}");
    }
}

/// Of a file that is none of this format nothing else is judged, so it cannot pass.
#[test]
fn a_file_of_another_format_fails_whatever_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "x.ca3", b"something else altogether");
    for args in [["--only", "CA3-6"], ["--ignore", "CA3-2"]] {
        let output = run(&[&[path.as_str()], &args[..]].concat());
        assert_eq!(code(&output), 1, "{args:?}");
        assert!(text(&output).contains("CA3-2.1-01"), "{args:?}");
    }
}
