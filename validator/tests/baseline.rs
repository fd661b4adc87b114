//! `--baseline`: what an earlier report has does not count.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::program::{code, report, run_in, said, text, unassigned, write};

/// Judges `x.ca3` with so many errors of one rule, showing so many, and keeps the
/// report as `base.json`.
fn keep(folder: &Path, errors: usize, shown: &str) {
    write(folder, "x.ca3", &unassigned(errors));
    let output = run_in(folder, &["x.ca3", "--json", "--max-findings", shown]);
    fs::write(folder.join("base.json"), output.stdout).unwrap();
}

/// Exit code, and how many errors are known, count and are shown.
fn judged(folder: &Path, args: &[&str]) -> (i32, [u64; 3]) {
    let all = ["--json", "--baseline", "base.json"];
    let output = run_in(folder, &[args, &all].concat());
    let report = report(&output);
    let file = &report["files"][0];
    let shown = file["findings"].as_array().unwrap().len();
    let known = file["suppressed"]["baseline"].as_u64().unwrap_or_default();
    let counted = report["counts"]["error"].as_u64().unwrap();
    (
        code(&output),
        [known, counted, u64::try_from(shown).unwrap()],
    )
}

#[test]
fn the_same_file_passes_however_many_are_shown_then_and_now() {
    let folder = tempfile::tempdir().unwrap();
    for then in ["1", "10", "30", "10000"] {
        keep(folder.path(), 30, then);
        for now in ["1", "10", "29", "30", "31", "10000"] {
            let (code, numbers) = judged(folder.path(), &["x.ca3", "--max-findings", now]);
            assert_eq!((code, numbers), (0, [30, 0, 0]), "{then} {now}");
        }
    }
}

#[test]
fn what_was_hidden_covers_as_many() {
    let folder = tempfile::tempdir().unwrap();
    // No finding is the same in two files. Of 30, 20 were hidden: of 25, 5 count.
    keep(folder.path(), 30, "10");
    write(folder.path(), "x.ca3", &unassigned(25));
    assert_eq!(judged(folder.path(), &["x.ca3"]), (1, [20, 5, 5]));
    write(folder.path(), "x.ca3", &unassigned(45));
    assert_eq!(judged(folder.path(), &["x.ca3"]), (1, [20, 25, 10]));
    write(folder.path(), "x.ca3", &unassigned(20));
    assert_eq!(judged(folder.path(), &["x.ca3"]), (0, [20, 0, 0]));
    // All were shown, so all is new.
    keep(folder.path(), 30, "30");
    write(folder.path(), "x.ca3", &unassigned(20));
    assert_eq!(judged(folder.path(), &["x.ca3"]), (1, [0, 20, 10]));
}

#[test]
fn only_that_file_is_known() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), 3, "10");
    write(folder.path(), "y.ca3", &unassigned(3));
    assert_eq!(judged(folder.path(), &["y.ca3"]), (1, [0, 3, 3]));
    assert_eq!(judged(folder.path(), &["./x.ca3"]), (0, [3, 0, 0]));
    assert_eq!(
        judged(folder.path(), &[".//x.ca3", "--fail-on", "info"]).0,
        0
    );
}

#[test]
fn every_form_says_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), 3, "10");
    let run = |args: &[&str]| {
        let args = [&["x.ca3", "--baseline", "base.json"], args].concat();
        run_in(folder.path(), &args)
    };
    let line = "not counted: 3 findings known from the baseline base.json";
    let verdict = "1 file: nothing that counts, and not counted: 3 known from the baseline; passes";
    let words = text(&run(&[]));
    assert!(
        words.ends_with(&format!("\n{line}\n{verdict}\n")),
        "{words}"
    );
    let page = text(&run(&["--format", "html"]));
    assert!(page.contains(&format!("<p class=\"says\">{line}</p>")));
    assert!(page.contains(verdict));
    let output = run(&["--json", "--ignore", "CA3-15"]);
    let report = report(&output);
    let settings = json!({"ignore": ["CA3-15"], "baseline": "base.json"});
    assert_eq!(report["settings"], settings);
    // Counted once: what is ignored is not looked up.
    let expected = json!({"ignored": 3, "baseline": 0});
    assert_eq!(report["files"][0]["suppressed"], expected);
    assert_eq!(said(&output), "");
}

#[test]
fn entries_that_are_there_no_more_are_told_and_fail_nothing() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), 3, "10");
    write(folder.path(), "x.ca3", &unassigned(0));
    let output = run_in(folder.path(), &["x.ca3", "--baseline", "base.json"]);
    assert_eq!(code(&output), 0);
    let expected = "ca3-validate: --baseline base.json: findings that are there no more: 3; \
                    make it anew, without --baseline\n";
    assert_eq!(said(&output), expected);
}

#[test]
fn lines_of_files_are_a_baseline_too() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "y.ca3", &unassigned(4));
    keep(folder.path(), 3, "10");
    let output = run_in(folder.path(), &["x.ca3", "y.ca3", "--json"]);
    let whole = report(&output);
    let mut lines = String::new();
    for file in whole["files"].as_array().unwrap() {
        let tool = &whole["tool"];
        let line = json!({"schema_version": 1, "tool": tool, "fail_on": "error", "file": file});
        lines.push_str(&format!("{line}\n"));
    }
    fs::write(folder.path().join("base.json"), lines).unwrap();
    assert_eq!(judged(folder.path(), &["x.ca3"]), (0, [3, 0, 0]));
    assert_eq!(judged(folder.path(), &["y.ca3"]), (0, [4, 0, 0]));
}

#[test]
fn a_baseline_made_with_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), 3, "10");
    let args = ["x.ca3", "--json", "--baseline", "base.json"];
    let second = run_in(folder.path(), &args).stdout;
    fs::write(folder.path().join("base.json"), second).unwrap();
    let output = run_in(folder.path(), &args);
    assert_eq!(code(&output), 1);
    assert!(said(&output).contains("it was made with a baseline itself"));
}

#[test]
fn what_is_no_baseline_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), 3, "10");
    let good = fs::read_to_string(folder.path().join("base.json")).unwrap();
    let newer = good.replace("\"schema_version\": 1", "\"schema_version\": 2");
    let mut long: Value = serde_json::from_str(&good).unwrap();
    long["files"][0]["unheard"] = json!("x".repeat(1 << 20));
    for (content, expected) in [
        ("", "it is empty"),
        ("\0\0", "it is no report of ca3-validate"),
        ("<html>", "it is no report of ca3-validate"),
        (&newer, "it is of form 2, and this version reads form 1"),
        (good.get(..good.len() / 2).unwrap(), "EOF"),
    ] {
        write(folder.path(), "base.json", content.as_bytes());
        let output = run_in(folder.path(), &["x.ca3", "--baseline", "base.json"]);
        assert_eq!(code(&output), 2, "{expected}");
        assert!(said(&output).contains(expected), "{}", said(&output));
        assert!(said(&output).starts_with("ca3-validate: --baseline base.json: "));
        assert!(output.stdout.is_empty());
    }
    for path in [".", "none.json"] {
        let output = run_in(folder.path(), &["x.ca3", "--baseline", path]);
        assert_eq!(code(&output), 2, "{path}");
    }
    write(folder.path(), "base.json", long.to_string().as_bytes());
    assert_eq!(judged(folder.path(), &["x.ca3"]), (0, [3, 0, 0]));
}
