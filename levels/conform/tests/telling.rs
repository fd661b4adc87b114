//! What is told of a failure, in a report and in a replay, and how to get its files.

#![allow(clippy::unwrap_used, clippy::panic, clippy::string_slice)]

#[path = "support/program.rs"]
mod program;

use std::fs;
use std::path::Path;

use program::{Reader, check, text};

#[test]
fn cases_and_fresh_values_are_copied_too() {
    let folder = tempfile::tempdir().unwrap();
    let (fresh, again) = (folder.path().join("fresh"), folder.path().join("again"));
    check(&["copy", text(&fresh), "--fresh", "7"], 0, "files in");
    check(
        &["--corpus", text(&fresh), "--item", "4"],
        0,
        "another corpus",
    );
    let case = "ca3/7-field-mask/wall-clock";
    check(&["copy", text(&again), case, "--fresh", "7"], 0, "files in");
    let name = format!("{case}.valid.ca3");
    let one = fs::read(again.join(&name)).unwrap();
    assert_eq!(one, fs::read(fresh.join(&name)).unwrap());
    let run = ["--corpus", text(&again), "--level", "1"];
    check(&run, 0, "1 of 1 cases");
    let committed = folder.path().join("committed");
    check(&["copy", text(&committed), case], 0, "files in");
    assert_ne!(one, fs::read(committed.join(&name)).unwrap());
    check(
        &["copy", text(&folder.path().join("x")), "no-such-case"],
        2,
        "no case",
    );
}

#[test]
fn the_files_of_cases_that_fail_are_kept_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let reader = Reader::of_level(1);
    let command = reader.command();
    let case = "ca3/7-field-mask/wall-clock";
    let run = ["--filter", case, "--reader", &command];
    let said = check(&run, 1, &format!("file      {case}.valid.ca3\n"));
    let program = env!("CARGO_BIN_EXE_ca3-conform");
    let copy = format!("get it    {program} copy DIR {case}\n");
    assert!(said.contains(&copy), "{said}");

    let keeping = [&run[..], &["--keep", text(&kept)]].concat();
    let path = kept.join(format!("{case}.valid.ca3"));
    let said = check(&keeping, 1, &format!("file      {}\n", path.display()));
    assert!(said.contains("--corpus "), "{said}");
    assert!(!said.contains("get it"), "{said}");
    assert!(path.is_file());
    let again = ["--corpus", text(&kept), "--reader", &command];
    check(&again, 1, &format!("file      {}\n", path.display()));
    check(&keeping, 2, "it is there already");

    let none = folder.path().join("none");
    check(&["--item", "4", "--keep", text(&none)], 0, "passed");
    assert!(!none.exists());
}

/// What a text says from the rule on, up to the end of the command that replays it.
fn told_of_a_failure(text: &str) -> &str {
    let from = text.find("  CA3-").unwrap();
    let replay = from + text[from..].find("      replay    ").unwrap();
    let to = replay + text[replay..].find('\n').unwrap();
    &text[from..to]
}

#[test]
fn replay_tells_what_the_report_tells() {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/faults/run.py");
    for (case, fault) in [
        ("ca3/7-field-mask/wall-clock", "wall-without-delta"),
        ("ca3/4-varint-form/padded-to-02-bytes", "long-form-accepted"),
    ] {
        let command = format!("python3 '{}' {fault}", faults.display());
        let report = check(&["--filter", case, "--reader", &command], 1, "fail");
        let replayed = check(&["replay", case, "--reader", &command], 1, "fail");
        let told = told_of_a_failure(&report);
        assert_eq!(told, told_of_a_failure(&replayed));
        for part in ["asked     read", "expected  ", "got       ", "bytes     "] {
            assert!(told.contains(part), "{part} is missing from\n{told}");
        }
        assert!(replayed.contains("\n> {\"id\":2,"), "{replayed}");
        assert!(replayed.contains("\n< {\"id\":2,"), "{replayed}");
    }
}

#[test]
fn a_timeout_says_what_the_limit_was_and_how_to_change_it() {
    let reader = "python3 -c 'import json, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    if ask[\"op\"] == \"read\": time.sleep(60)
    result = {\"name\": \"n\", \"level\": 1}
    print(json.dumps({\"id\": ask[\"id\"], \"status\": \"ok\", \"result\": result}), flush=True)'";
    let run = [
        "--filter",
        "eleven-bytes-in-mask-bit-01",
        "--reader",
        reader,
        "--timeout",
        "0.2",
    ];
    let said = check(&run, 1, "timeout");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "0.2 s (the limit for a request that --timeout sets)",
        "because the process was new (four times what hello took",
    ] {
        assert!(flat.contains(part), "{part} is missing from\n{said}");
    }
    let sleeping = ["--reader", "sleep 60", "--start-timeout", "0.2"];
    check(&sleeping, 3, "that --start-timeout sets");
}

#[test]
fn what_is_shown_of_a_case_keeps_to_the_width() {
    for case in [
        "ca3/7-field-mask/wall-clock",
        "ca3/6-definitions/schema-twice",
        "ca3/7-columnar-chunk/mask-bit-15-with-a-column",
    ] {
        let shown = check(&["show", case], 0, "request");
        let wide = shown
            .lines()
            .filter(|line| line.chars().count() > 80)
            .find(|line| !line.starts_with("  request"));
        assert_eq!(wide, None);
    }
}
