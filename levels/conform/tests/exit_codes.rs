//! The program as it is typed: exit codes, reports and subcommands.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "support/program.rs"]
mod program;

use std::fs;

use program::{Reader, check, conform, run, small_corpus, stdout, text};
use serde_json::{Value, json};

#[test]
fn the_reference_reader_is_certified() {
    let text = check(&["--jobs", "2"], 0, "Level 1: certified");
    assert!(text.contains("order from --seed "), "{text}");
    check(&["--level", "1"], 0, "Level 1: certified");
}

#[test]
fn a_reader_that_is_wrong_is_not_conformant() {
    let reader = Reader::of_level(1);
    let text = check(
        &["--reader", &reader.command()],
        1,
        "Level 1: NOT CONFORMANT",
    );
    let program = env!("CARGO_BIN_EXE_ca3-conform");
    let replay = format!("replay    {program} replay ca3/");
    assert!(text.contains(&replay), "{text}");
}

#[test]
fn a_level_above_the_claim_is_asked_for_in_vain() {
    let reader = Reader::of_level(3);
    let arguments = ["--level", "4", "--reader", &reader.command()];
    let text = check(&arguments, 1, "Level 4: not claimed");
    assert!(text.contains("claims level 3"), "{text}");
}

#[test]
fn a_level_without_vectors_is_not_judged() {
    let corpus = small_corpus();
    let reader = Reader::of_level(2);
    let arguments = [
        "--corpus",
        text(corpus.path()),
        "--reader",
        &reader.command(),
    ];
    let text = check(&arguments, 4, "Level 2: not judged");
    assert!(text.contains("no vectors of level 2"), "{text}");
    assert!(text.contains("Level 1: passed, not certified"), "{text}");
}

#[test]
fn another_corpus_and_a_partial_run_certify_nothing() {
    let corpus = small_corpus();
    let reader = Reader::of_level(1);
    let arguments = [
        "--corpus",
        text(corpus.path()),
        "--reader",
        &reader.command(),
    ];
    let said = check(&arguments, 0, "Level 1: passed, not certified");
    assert!(said.contains("not the committed corpus"), "{said}");
    let said = check(
        &["--item", "1", "4"],
        0,
        "a partial run (--item 1, --item 4)",
    );
    assert!(!said.contains(": certified"), "{said}");
    check(&["--item", "1,4"], 0, "a partial run (--item 1, --item 4)");
    let said = check(&["--rule", "5.9"], 0, "a partial run (--rule 5.9)");
    assert!(said.contains("§5.9 alignment"), "{said}");
    check(&["--rule", "ca3-1.4-02"], 0, "4 varint form");
    check(&["--item", "99"], 4, "no vector was selected");
    check(&["--filter", "no such thing"], 4, "no vector was selected");
}

#[test]
fn fresh_values_certify_nothing() {
    let said = check(&["--fresh", "7", "--item", "4"], 0, "fresh values");
    assert!(!said.contains(": certified"), "{said}");
}

#[test]
fn a_claim_that_is_none_is_not_conformant() {
    let hello = json!({"name": "script", "level": 9, "features": [1]});
    let reader = Reader::new(&hello, &json!({}));
    let corpus = small_corpus();
    let arguments = [
        "--corpus",
        text(corpus.path()),
        "--reader",
        &reader.command(),
    ];
    let said = check(&arguments, 1, "no level from 1 to 4");
    assert!(said.contains("feature 1"), "{said}");
    let first =
        "The answer to hello is not in order, so nothing can be certified:\n  - hello states";
    assert!(said.starts_with(first), "{said}");
}

#[test]
fn a_quiet_run_prints_the_verdict_alone() {
    let said = check(&["--item", "4", "--quiet"], 0, "Level 4: passed");
    assert_eq!(said.lines().count(), 2, "{said}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.txt");
    let target = format!("text={}", path.display());
    let said = check(
        &["--item", "4", "-q", "--report", &target],
        0,
        "Level 4: passed",
    );
    assert_eq!(said.lines().count(), 2, "{said}");
    let whole = fs::read_to_string(path).unwrap();
    assert!(whole.contains("varint form"), "{whole}");
}

#[test]
fn wrong_usage_is_2() {
    check(&["--level", "5"], 2, "5");
    check(
        &["--report", "yaml"],
        2,
        "there are text, json, junit and badge",
    );
    check(
        &["--report", "json", "--report", "text"],
        2,
        "only one report",
    );
    check(&["--corpus", "/no/such/folder"], 2, "holds no vectors");
    check(&["--reader", "python3 'open"], 2, "quotation mark");
    for command in [
        "./r | tee log",
        "cd x && ./r",
        "./r > log",
        "~/r",
        "$HOME/r",
    ] {
        check(&["--reader", command], 2, "sh -c ");
        check(&["check-adapter", command], 2, "sh -c ");
    }
    check(&["--item", "5.9"], 2, "--rule takes a rule or a section");
    check(&["--rule", "99"], 2, "no such rule or section");
    check(&["show", "no-such-case"], 2, "ca3-conform list` shows all");
    check(
        &[
            "--report",
            "json=/no/such/folder/report.json",
            "--item",
            "1",
        ],
        2,
        "cannot write",
    );
}

#[test]
fn vectors_that_cannot_be_written_are_2() {
    let output = conform(&[])
        .env("TMPDIR", "/no/such/folder")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("cannot write vectors to /no/such/folder"),
        "{said}"
    );
    assert!(said.contains("TMPDIR"), "{said}");
}

#[test]
fn an_implementation_that_cannot_be_spoken_to_is_3() {
    check(
        &["--reader", "./no-such-program"],
        3,
        "cannot start `./no-such-program`",
    );
    check(
        &["--reader", "sleep 60", "--start-timeout", "0.2"],
        3,
        "never answered hello",
    );
    let refusing = "sh -c 'read line; echo \"{\\\"id\\\":1,\\\"status\\\":\\\"unsupported\\\"}\"'";
    check(&["--reader", refusing], 3, "hello cannot be used");
}

#[test]
fn reports_go_where_they_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (json, plain) = (folder.path().join("r.json"), folder.path().join("r.txt"));
    let (json_target, text_target) = (
        format!("json={}", json.display()),
        format!("text={}", plain.display()),
    );
    let arguments = [
        "--seed",
        "3",
        "--report",
        &json_target,
        "--report",
        &text_target,
        "--color",
        "always",
    ];
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("\x1b["),
        "text on standard output stays, in colour"
    );
    assert!(
        !fs::read_to_string(&plain).unwrap().contains('\x1b'),
        "a file has no colour"
    );
    let report: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["verdict"]["standing"], "certified");
    assert_eq!(report["run"]["seed"], "3");

    let only = run(&["--seed", "3", "--report", "json"]);
    assert_eq!(
        stdout(&only),
        fs::read_to_string(&json).unwrap(),
        "the same bytes every time"
    );
    assert!(
        !stdout(&run(&["--seed", "3"])).contains('\x1b'),
        "a pipe has no colour"
    );
}

/// A case of item 5 that the reader below fails, and its list entry.
const KNOWN: &str = "
[[known]]
case = \"ca3/4-varint-form/eleven-bytes-in-mask-bit-01\"
rule = \"CA3-1.4-02\"
reason = \"the script reads nothing\"
";

#[test]
fn known_failures_are_counted_apart() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("known.toml");
    let reader = Reader::of_level(1);
    let command = reader.command();
    let arguments = [
        "--filter",
        "eleven-bytes-in-mask-bit-01",
        "--reader",
        &command,
        "--known-failures",
        text(&list),
    ];
    fs::write(&list, KNOWN).unwrap();
    let said = check(&arguments, 0, "not certified, only known failures");
    assert!(said.contains("Known failures: "), "{said}");
    assert!(said.contains("the script reads nothing"), "{said}");

    fs::write(&list, KNOWN.replace("CA3-1.4-02", "CA3-2.1-01")).unwrap();
    check(&arguments, 1, "known.toml:3: ca3/4-varint-form");
    let unknown = format!("{KNOWN}[[known]]\ncase = \"ca3/x/y\"\nrule = \"r\"\nreason = \"r\"\n");
    fs::write(&list, unknown).unwrap();
    check(&arguments, 1, "known.toml:7: ca3/x/y is no case");
    for (wrong, part) in [
        (KNOWN.replace("reason", "because"), "known.toml:5"),
        (
            KNOWN.replace("reason = \"the script reads nothing\"", ""),
            "has no reason",
        ),
        ("[[known".to_owned(), "known.toml:1"),
    ] {
        fs::write(&list, wrong).unwrap();
        check(&arguments, 2, part);
    }
    fs::write(&list, KNOWN).unwrap();
    check(
        &["--item", "4", "--known-failures", text(&list)],
        1,
        "passes now",
    );
    check(
        &["--item", "5", "--known-failures", text(&list)],
        0,
        "a partial run",
    );
    check(
        &["--known-failures", "/no/such/list"],
        2,
        "cannot read the known failures",
    );
}

#[test]
fn a_junit_report_is_the_same_every_time_and_counts_what_fails() {
    let reader = Reader::of_level(1);
    let command = reader.command();
    let arguments = [
        "--item", "4", "--seed", "1", "--report", "junit", "--reader", &command,
    ];
    let first = stdout(&run(&arguments));
    assert_eq!(first, stdout(&run(&arguments)));
    for part in [
        "<testsuite name=\"item 4: varint form\"",
        "<failure message=",
        "classname=\"item 4: varint form\"",
        "asked     read",
        "expected  ",
    ] {
        assert!(first.contains(part), "{part} is missing from\n{first}");
    }
    assert!(
        !first.contains("timestamp=") && !first.contains(" time="),
        "{first}"
    );
    let passed = stdout(&run(&["--item", "4", "--report", "junit"]));
    assert!(passed.contains("failures=\"0\" errors=\"0\""), "{passed}");
}

#[test]
fn a_badge_shows_a_whole_run_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("badge.json");
    let target = format!("badge={}", path.display());
    let badge = || -> Value { serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap() };
    // Part of the vectors, or other values, show nothing.
    for part in [["--item", "4"], ["--fresh", "7"]] {
        let arguments = [&["--level", "1", "--report", &target][..], &part].concat();
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0), "{part:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("no badge is written"), "{said}");
        assert!(!path.exists(), "{part:?}");
    }
    check(&["--level", "1", "--report", &target], 0, "certified");
    let expected = serde_json::json!({
        "schemaVersion": 1,
        "label": "CA3 level 1",
        "message": "certified",
        "color": "brightgreen",
    });
    assert_eq!(badge(), expected);
    let reader = Reader::of_level(1);
    let command = reader.command();
    let arguments = ["--level", "1", "--report", &target, "--reader", &command];
    assert_eq!(run(&arguments).status.code(), Some(1));
    assert_eq!(badge()["message"], "not conformant");
    assert_eq!(badge()["color"], "red");
}

#[test]
fn schemas_are_printed() {
    check(&["schema"], 0, "sidecar  ");
    let printed = stdout(&run(&["schema", "report"]));
    let schema: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    check(&["schema", "unheard-of"], 2, "possible values");
}

#[test]
fn cases_are_listed_shown_and_replayed() {
    let listed = stdout(&run(&["list", "--json", "--item", "4"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let cases = listed.as_array().unwrap();
    assert!(cases.iter().all(|case| case["item"] == 4) && !cases.is_empty());
    let id = cases
        .iter()
        .filter_map(|case| case["id"].as_str())
        .find(|id| id.contains("/4-varint-form/"))
        .unwrap();
    check(&["list"], 0, id);
    check(&["list", "--item", "99"], 4, "0 cases");
    let shown = check(&["show", id], 0, "Header 0x01");
    for part in [
        "request",
        "expected",
        "edit: ",
        "rule CA3-",
        "content_length",
    ] {
        assert!(shown.contains(part), "{part} is missing from\n{shown}");
    }
    let replayed = check(&["replay", id], 0, "invalid: pass");
    assert!(
        replayed.contains("> {\"id\":2,\"op\":\"read\""),
        "{replayed}"
    );
    let reader = Reader::of_level(1);
    check(
        &["replay", id, "--reader", &reader.command()],
        1,
        "valid: fail",
    );
}

#[test]
fn the_corpus_is_copied_and_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("copy");
    check(&["copy", text(&target)], 0, "files in");
    check(&["copy", text(&target)], 2, "it is there already");
    check(&["--corpus", text(&target)], 0, "Level 1: certified");
}

#[test]
fn a_report_that_nobody_reads_still_has_its_exit_code() {
    let reader = Reader::new(&json!({"name": "r", "level": 1}), &json!({}));
    let command = reader.command();
    let arguments = ["--reader", &command, "--filter", "field-mask/wall-clock"];
    assert_eq!(run(&arguments).status.code(), Some(1));
    let (reading, writing) = std::io::pipe().unwrap();
    drop(reading);
    let status = conform(&arguments).stdout(writing).status().unwrap();
    assert_eq!(status.code(), Some(1));
}
