//! The program: exit codes, inputs that are no files, and its output.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::program::{SOUND, program, run, run_with, text, vector, write};

#[test]
fn a_report_can_be_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(folder.path(), "<b>.ca3", b"not at all");
    let output = run(&[&bad, "--format", "html"]);
    assert_eq!(output.status.code(), Some(1));
    let page = text(&output);
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(
        page.contains("&lt;b&gt;.ca3") && !page.contains("<b>"),
        "{page}"
    );
    assert!(page.contains("fails</span> 1 file: 1 error"), "{page}");
    assert_eq!(
        run(&[&bad, "--format", "html", "--json"]).status.code(),
        Some(2)
    );
    // Nothing is stripped or added for a terminal.
    let coloured = run(&[&bad, "--format", "html", "--color", "always"]);
    assert_eq!(coloured.stdout, output.stdout);
}

#[test]
fn exit_codes_tell_findings_from_files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.ca3", &vector(SOUND, true));
    let bad = write(folder.path(), "bad.ca3", b"not at all");
    let missing = folder.path().join("missing.ca3").display().to_string();
    assert_eq!(run(&[&good]).status.code(), Some(0));
    assert_eq!(run(&[&bad]).status.code(), Some(1));
    assert_eq!(run(&[&bad, &missing]).status.code(), Some(3));
    assert_eq!(run(&[&good, "--no-such-option"]).status.code(), Some(2));
    assert_eq!(run(&[]).status.code(), Some(2));
    let starved = run(&[&good, "--limit", "memory=10"]);
    assert_eq!(starved.status.code(), Some(3));
    assert!(
        text(&starved).contains("memory limit"),
        "{}",
        text(&starved)
    );
    let cut = vector(SOUND, true);
    let cut = write(folder.path(), "cut.ca3", &cut[..cut.len() - 20]);
    assert_eq!(run(&[&cut]).status.code(), Some(0));
    assert_eq!(run(&[&cut, "--fail-on", "warning"]).status.code(), Some(1));
}

#[test]
fn a_folder_stands_for_its_files_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let sound = vector(SOUND, true);
    write(folder.path(), "b/two.ca3", &sound);
    write(folder.path(), "a.ca3", &sound);
    write(folder.path(), "readme.txt", b"no");
    let path = folder.path().display().to_string();
    let output = run(&[&path, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let paths: Vec<&str> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    let expected = [format!("{path}/a.ca3"), format!("{path}/b/two.ca3")];
    assert_eq!(paths, expected);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(run(&[&empty.display().to_string()]).status.code(), Some(3));
}

#[test]
fn standard_input_is_judged() {
    let output = run_with(&["-", "--json", "--digest"], &vector(SOUND, true));
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["files"][0]["path"], "-");
    assert_eq!(report["files"][0]["sha256"].as_str().unwrap().len(), 64);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_file_system_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe.ca3");
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let output = run(&[&path.display().to_string()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        text(&output).contains("is not a regular file"),
        "{}",
        text(&output)
    );
}

#[test]
fn text_is_plain_in_80_columns_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = vector(SOUND, true);
    // The stated maximum of the first chunk, one larger; its opcode byte is
    // found by walking the frames.
    let mut at = 8;
    while bytes[at] != 5 {
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap());
        at += 9 + usize::try_from(length).unwrap();
    }
    bytes[at + 9 + 21] ^= 1;
    fs::write(folder.path().join("x.ca3"), &bytes).unwrap();
    let output = program()
        .arg("x.ca3")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(!text.contains('\u{1b}'));
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for part in [
        "x.ca3: ",
        &format!(
            "  error CA3-6.1-12 at offset {at}, byte {}, stream 1, chunk {at}\n",
            at + 9 + 21
        ),
        "    Chunk.max_stamp_ns: max_stamp_ns is not the greatest stamp of the messages\n",
        "    expected ",
        "    why: ",
        "never checked by this version: ",
        "1 file: ",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let colored = program()
        .args(["x.ca3", "--color", "always"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        String::from_utf8(colored.stdout)
            .unwrap()
            .contains('\u{1b}')
    );
    let quiet = program()
        .args(["x.ca3", "--quiet"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(quiet.stdout).unwrap().lines().count(), 2);
}

#[test]
fn subcommands_answer() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.ca3", &vector(SOUND, true));
    let dump = run(&["dump", &good]);
    assert!(text(&dump).contains("required_features"));
    let part = run(&["dump", &good, "--at", "20"]);
    assert!(text(&part).contains("Header") && !text(&part).contains("Footer"));
    assert_eq!(
        run(&["dump", &good, "--at", "99999999"]).status.code(),
        Some(2)
    );
    assert_eq!(run(&["dump", "no-such-file"]).status.code(), Some(3));
    assert!(text(&run(&["explain", "CA3-7.1-09"])).contains("This validator judges it"));
    assert!(text(&run(&["explain", "CA3-0009-01"])).contains("does not judge it"));
    assert_eq!(run(&["explain", "CA3-99-1"]).status.code(), Some(2));
    assert!(text(&run(&["rules"])).contains("Not judged"));
    let rules: Value = serde_json::from_slice(&run(&["rules", "--json"]).stdout).unwrap();
    assert!(rules.as_array().unwrap().len() > 500);
    let schema: Value = serde_json::from_slice(&run(&["schema"]).stdout).unwrap();
    assert_eq!(schema["title"], "Report of ca3-validate");
}

#[test]
fn what_was_not_judged_is_said_on_standard_error_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.ca3", &vector(SOUND, true));
    let missing = folder.path().join("line\nfeed.ca3").display().to_string();
    let output = run(&[&good, &missing, "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("ca3-validate: ") && said.contains("path is right"));
    let starved = run(&[&good, "--limit", "memory=10"]);
    let said = String::from_utf8(starved.stderr).unwrap();
    assert!(said.contains("--limit memory=BYTES"), "{said}");
    assert!(run(&[&good]).stderr.is_empty());
}

#[test]
fn a_report_that_nobody_reads_still_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.ca3", &vector(SOUND, true));
    let bad = write(folder.path(), "bad.ca3", b"not at all");
    let missing = folder.path().join("missing.ca3").display().to_string();
    for (path, code) in [(good, 0), (bad, 1), (missing, 3)] {
        let (reading, writing) = std::io::pipe().unwrap();
        drop(reading);
        let mut command = program();
        let status = command.args([&path, "--json"]).stdout(writing).status();
        assert_eq!(status.unwrap().code(), Some(code), "{path}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.ca3", &vector(SOUND, true));
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let mut command = program();
    let output = command.arg(&good).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not written"));
    let mut command = program();
    let command = command.arg(&good).stdout(full()).stderr(full());
    assert_eq!(command.status().unwrap().code(), Some(3));
}
