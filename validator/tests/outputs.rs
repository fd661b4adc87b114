//! `--format F[=FILE]`: several reports of one scan, and where they may not go.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::Path;

use support::program::{SOUND, run_in as run, vector};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with a file that breaks no rule and one that is no CA3 file.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.ca3"), vector(SOUND, true)).unwrap();
    fs::write(folder.path().join("bad.ca3"), b"not at all").unwrap();
    folder
}

const FORMATS: [&str; 7] = ["text", "json", "ndjson", "sarif", "junit", "github", "html"];

#[test]
fn one_scan_gives_every_report_and_each_is_what_it_is_alone() {
    let folder = folder();
    let mut args = vec!["good.ca3", "bad.ca3", "--format", "json", "--quiet"];
    let targets = FORMATS.map(|format| format!("{format}=out.{format}"));
    args.extend(targets.iter().flat_map(|target| ["--format", target]));
    let output = run(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    for format in FORMATS {
        let alone = run(folder.path(), &["good.ca3", "bad.ca3", "--format", format]);
        assert_eq!(alone.status.code(), Some(1));
        let written = fs::read(folder.path().join(format!("out.{format}"))).unwrap();
        assert_eq!(text(&written), text(&alone.stdout), "{format}");
        if format == "json" {
            assert_eq!(text(&output.stdout), text(&alone.stdout));
        }
    }
    // Nothing temporary is left.
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2 + FORMATS.len()
    );
}

#[test]
fn standard_output_has_text_where_no_report_goes_there_and_quiet_is_about_that() {
    let folder = folder();
    let to_file = ["bad.ca3", "--format", "text=a.txt", "--color", "always"];
    let output = run(folder.path(), &to_file);
    assert!(text(&output.stdout).contains("\u{1b}[1m\u{1b}[31merror"));
    let file = fs::read_to_string(folder.path().join("a.txt")).unwrap();
    assert!(
        file.contains("error CA3-") && !file.contains('\u{1b}'),
        "{file}"
    );
    let quiet = run(
        folder.path(),
        &["bad.ca3", "--quiet", "--format", "text=a.txt"],
    );
    assert_eq!(
        text(&quiet.stdout),
        "bad.ca3: 1 error: CA3-2.1-01\n1 file: 1 error; fails\n"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("a.txt")).unwrap(),
        file
    );
}

/// Exit code and standard error, which is a line.
fn refused(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = run(folder, args);
    assert_eq!(text(&output.stdout), "", "{args:?}");
    (output.status.code().unwrap(), text(&output.stderr))
}

#[test]
fn wrong_usage_is_told_before_anything_is_judged() {
    let folder = folder();
    let sound = fs::read(folder.path().join("good.ca3")).unwrap();
    let link = folder.path().join("link.json");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("good.ca3"), &link).unwrap();
    #[cfg(not(unix))]
    fs::copy(folder.path().join("good.ca3"), &link).unwrap();
    for (formats, wanted) in [
        (&["json", "sarif"][..], "--format F=FILE"),
        (
            &["yaml"],
            "there is no report yaml; there are text, json, ndjson, sarif",
        ),
        (&["json="], "no file behind the `=`"),
        (&["json=-"], "standard output is json alone"),
        (
            &["json=x", "sarif=./x"],
            "two reports cannot go to one file: ./x",
        ),
        (
            &["json=good.ca3"],
            "good.ca3 is read, so no report can go there",
        ),
        #[cfg(unix)]
        (&["json=link.json"], "good.ca3 is read"),
    ] {
        let mut args = vec!["good.ca3"];
        args.extend(formats.iter().flat_map(|format| ["--format", format]));
        let (code, why) = refused(folder.path(), &args);
        assert_eq!(code, 2, "{formats:?}");
        assert!(why.contains(wanted), "{why}");
    }
    // Also where the input is one of a folder, or is not there.
    for paths in [".", "none.ca3"] {
        let target = format!("json={}", if paths == "." { "bad.ca3" } else { paths });
        let (code, why) = refused(folder.path(), &[paths, "--format", &target]);
        assert_eq!(code, 2, "{why}");
    }
    let (code, why) = refused(folder.path(), &["good.ca3", "--json", "--format", "html"]);
    assert_eq!(code, 2, "{why}");
    assert_eq!(fs::read(folder.path().join("good.ca3")).unwrap(), sound);
    assert!(!folder.path().join("x").exists());
}

#[test]
fn what_cannot_be_written_is_told_and_outranks_findings() {
    let folder = folder();
    fs::write(folder.path().join("there.json"), "before").unwrap();
    let (code, why) = refused(folder.path(), &["bad.ca3", "--format", "json=none/a.json"]);
    assert_eq!(code, 3);
    assert!(
        why.contains("none/a.json was not written: there is no such folder"),
        "{why}"
    );
    let (code, why) = refused(folder.path(), &["bad.ca3", "--format", "json=."]);
    assert_eq!(code, 3);
    assert!(why.contains("it is a folder"), "{why}");
    if cfg!(target_os = "linux") {
        let args = [
            "bad.ca3",
            "--format",
            "json=/dev/full",
            "--format",
            "ndjson=there.json",
        ];
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(3));
        let why = text(&output.stderr);
        assert!(why.contains("/dev/full was not written: "), "{why}");
        // The others are written all the same.
        assert!(text(&output.stdout).ends_with("1 file: 1 error; fails\n"));
        let line = fs::read_to_string(folder.path().join("there.json")).unwrap();
        assert!(line.starts_with("{\"schema_version\":1,"), "{line}");
    }
}
