//! `merge`: the lines of many machines, and what does not go together.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::Path;

use ca3_vectors::Corpus;
use serde_json::Value;
use support::program::{run_in as run, run_in_with as run_with};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with every vector of these folders of the corpus, one that is cut, and one
/// that is no CA3 file.
fn corpus(folders: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut written = 0;
    for case in Corpus::embedded().cases().unwrap() {
        let id = &case.sidecar.id;
        if !folders
            .iter()
            .any(|it| id.starts_with(&format!("ca3/{it}/")))
        {
            continue;
        }
        for (bytes, kind) in [(&case.valid, "valid"), (&case.invalid, "invalid")] {
            if let Some(bytes) = bytes {
                let name = format!("{}.{kind}.ca3", id.replace('/', "_"));
                fs::write(folder.path().join(name), bytes).unwrap();
                written += 1;
            }
        }
    }
    assert!(written > 10, "{written}");
    fs::write(folder.path().join("noise.ca3"), [0xff; 4000]).unwrap();
    folder
}

#[test]
fn merged_lines_of_one_scan_are_what_the_scan_prints_in_every_format() {
    let folder = corpus(&[
        "10.7-observations-judged",
        "10.8-estimator-judged",
        "5.2-floor-judged",
        "7.1-index-judged",
        "13.1-footer-judged",
    ]);
    let scan = |more: &[&str]| {
        let mut args = vec![".", "missing.ca3", "--digest", "--max-findings", "1"];
        args.extend_from_slice(more);
        run(folder.path(), &args)
    };
    assert_eq!(
        scan(&["--format", "ndjson=all.ndjson"]).status.code(),
        Some(3)
    );
    let lines = fs::read_to_string(folder.path().join("all.ndjson")).unwrap();
    // The vectors have what makes reading them back hard.
    for member in [
        "\"clocks\":",
        "\"recomputed\":",
        "\"path\":",
        "\"size\":null",
        "unbounded",
    ] {
        assert!(lines.contains(member), "{member}");
    }
    for format in ["text", "json", "ndjson", "sarif", "junit", "github", "html"] {
        let scanned = scan(&["--format", format]);
        let merged = run(folder.path(), &["merge", "all.ndjson", "--format", format]);
        assert_eq!(merged.status.code(), Some(3));
        assert!(!scanned.stdout.is_empty());
        assert!(scanned.stdout == merged.stdout, "{format}");
        assert_eq!(text(&scanned.stderr), text(&merged.stderr), "{format}");
    }
}

/// Two files, judged one by one into `a.ndjson` and `b.ndjson`.
fn two() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        let path = format!("{name}.ca3");
        fs::write(folder.path().join(&path), b"not at all").unwrap();
        let target = format!("ndjson={name}.ndjson");
        let output = run(folder.path(), &[&path, "--format", &target]);
        assert_eq!(output.status.code(), Some(1));
    }
    folder
}

fn line(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn files_stand_in_the_order_given_and_standard_input_is_one() {
    let folder = two();
    let both = run(folder.path(), &["b.ca3", "a.ca3", "--json"]);
    let merged = run(folder.path(), &["merge", "b.ndjson", "a.ndjson", "--json"]);
    assert_eq!(merged.status.code(), Some(1));
    assert_eq!(text(&merged.stdout), text(&both.stdout));
    let b = line(folder.path(), "b.ndjson");
    let piped = run_with(
        folder.path(),
        &["merge", "-", "a.ndjson", "--json"],
        b.as_bytes(),
    );
    assert_eq!(text(&piped.stdout), text(&both.stdout));
    let twice = run(folder.path(), &["merge", "-", "-"]);
    assert_eq!(twice.status.code(), Some(2));
    // A report does not go where one is read.
    let onto = ["merge", "a.ndjson", "--format", "ndjson=a.ndjson"];
    assert_eq!(run(folder.path(), &onto).status.code(), Some(2));
}

#[test]
fn lines_of_other_systems_are_read_all_the_same() {
    let folder = two();
    let a = line(folder.path(), "a.ndjson");
    let b = line(folder.path(), "b.ndjson");
    let odd = format!("\u{feff}{}\r\n\r\n \n{}", a.trim_end(), b.trim_end());
    fs::write(folder.path().join("odd.ndjson"), odd).unwrap();
    let merged = run(
        folder.path(),
        &["merge", "odd.ndjson", "--format", "ndjson"],
    );
    assert_eq!(text(&merged.stdout), format!("{a}{b}"));
    assert_eq!(text(&merged.stderr), "");
}

#[test]
fn a_file_that_is_reported_twice_counts_once_or_not_at_all() {
    let folder = two();
    let merged = run(
        folder.path(),
        &["merge", "a.ndjson", "./a.ndjson", "--quiet"],
    );
    assert_eq!(merged.status.code(), Some(1));
    assert_eq!(
        text(&merged.stdout),
        "a.ca3: 1 error: CA3-2.1-01\n1 file: 1 error; fails\n"
    );
    assert_eq!(
        text(&merged.stderr),
        "ca3-validate: 1 line is left out, which another one repeats word for word: ./a.ndjson, \
         line 1 is a.ndjson, line 1\n"
    );
    let a = line(folder.path(), "a.ndjson");
    let other = a.replacen("\"size\":10", "\"size\":11", 1);
    assert_ne!(a, other);
    fs::write(folder.path().join("other.ndjson"), other).unwrap();
    let merged = run(
        folder.path(),
        &["merge", "b.ndjson", "a.ndjson", "other.ndjson"],
    );
    assert_eq!(
        (merged.status.code(), text(&merged.stdout)),
        (Some(2), String::new())
    );
    let why = text(&merged.stderr);
    let told = "other.ndjson, line 1: reports a.ca3 otherwise than a.ndjson, line 1 does";
    assert!(why.contains(told), "{why}");
}

/// What merging `a.ndjson` and then some bytes says.
fn spoilt(folder: &Path, bytes: &[u8]) -> (i32, String) {
    fs::write(folder.join("spoilt.ndjson"), bytes).unwrap();
    let output = run(folder, &["merge", "a.ndjson", "spoilt.ndjson"]);
    assert_eq!(text(&output.stdout), "");
    (output.status.code().unwrap(), text(&output.stderr))
}

#[test]
fn what_is_cut_or_garbled_is_told_by_file_and_line() {
    let folder = two();
    let b = line(folder.path(), "b.ndjson");
    let utf16: Vec<u8> = b.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16 = [b"\xff\xfe", utf16.as_slice()].concat();
    let long = "x".repeat(100_000_000);
    for (bytes, wanted) in [
        (
            format!("{b}{}", b.get(..200).unwrap()).as_bytes(),
            "line 2: is no whole line of a report: EOF",
        ),
        (b"", "spoilt.ndjson: holds no line of a report"),
        (b"\r\n\n", "spoilt.ndjson: holds no line of a report"),
        (
            b"{\n  \"schema_version\": 1\n}\n",
            "line 1: is no whole line of a report: it begins",
        ),
        (b"[]\n", "line 1: is no whole line"),
        (
            b"{}\n",
            "line 1: is no whole line of a report: missing field `schema_version`",
        ),
        (
            utf16.as_slice(),
            "line 1: is no whole line of a report: it is no UTF-8",
        ),
        (
            long.as_bytes(),
            "line 1: is no whole line of a report: expected value at column 1",
        ),
    ] {
        let (code, why) = spoilt(folder.path(), bytes);
        assert_eq!(code, 3, "{why}");
        assert!(
            why.contains(wanted) && why.contains("make it anew"),
            "{why}"
        );
        assert_eq!(why.lines().count(), 1, "{why}");
    }
    let missing = run(folder.path(), &["merge", "missing.ndjson"]);
    assert_eq!(missing.status.code(), Some(3));
    let folder_given = run(folder.path(), &["merge", "."]);
    assert_eq!(folder_given.status.code(), Some(3));
}

#[test]
fn reports_that_do_not_go_together_are_refused() {
    let folder = two();
    let b = line(folder.path(), "b.ndjson");
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let changed = |from: &str, to: &str| {
        assert!(b.contains(from), "{from}");
        b.replacen(from, to, 1)
    };
    for (other, wanted) in [
        (
            changed(&version, "\"version\":\"9.9.9\""),
            "made by ca3-validate 9.9.9",
        ),
        (
            changed("\"schema_version\":1", "\"schema_version\":2"),
            "in form 2",
        ),
        (
            changed(
                "\"file\":",
                "\"settings\":{\"ignore\":[\"CA3-5\"]},\"file\":",
            ),
            "with other settings than a.ndjson, line 1",
        ),
        (
            changed("\"fail_on\":\"error\"", "\"fail_on\":\"info\""),
            "with --fail-on info, and a.ndjson, line 1 with error",
        ),
    ] {
        let (code, why) = spoilt(folder.path(), other.as_bytes());
        assert_eq!(code, 2, "{why}");
        assert!(
            why.contains("spoilt.ndjson, line 1: ") && why.contains(wanted),
            "{why}"
        );
    }
    // The last one is a matter of taste, which can be stated.
    let stated = [
        "merge",
        "a.ndjson",
        "spoilt.ndjson",
        "--fail-on",
        "warning",
        "--json",
    ];
    let output = run(folder.path(), &stated);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["fail_on"], "warning");
    assert_eq!(report["files"].as_array().unwrap().len(), 2);
}

/// A line whose parts contradict each other was changed, whichever part a format goes by.
#[test]
fn a_line_that_does_not_add_up_is_refused() {
    let folder = two();
    let line = fs::read_to_string(folder.path().join("a.ndjson")).unwrap();
    let changed = [
        ("\"counts\":{\"error\":1", "\"counts\":{\"error\":0"),
        ("\"shown\":1", "\"shown\":0"),
        ("\"total\":1", "\"total\":2"),
        (
            "\"severity\":\"error\",\"section\"",
            "\"severity\":\"info\",\"section\"",
        ),
    ];
    for (from, to) in changed {
        let other = line.replacen(from, to, 1);
        assert_ne!(other, line, "{from}");
        fs::write(folder.path().join("changed.ndjson"), other).unwrap();
        let merged = run(folder.path(), &["merge", "changed.ndjson"]);
        assert_eq!(merged.status.code(), Some(3), "{to}");
        let why = text(&merged.stderr);
        assert!(
            why.contains("changed.ndjson, line 1") && why.contains("do not say the same"),
            "{why}"
        );
    }
}
