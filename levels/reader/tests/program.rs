//! The program: paths that lead to no file, and output that cannot be written.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

fn reader() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ca3-reader"));
    command.stdin(Stdio::piped());
    command
}

#[test]
fn a_pipe_that_nobody_writes_to_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe.ca3");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let mut child = reader().stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for (id, op) in [(1, "read"), (2, "hello")] {
        writeln!(input, "{}", json!({"id": id, "op": op, "path": path})).unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["status"], "refused");
    assert_eq!(answers[1]["status"], "ok");
}

#[test]
fn output_that_cannot_be_written_ends_it_without_a_panic() {
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let mut child = reader().stdout(full()).stderr(full()).spawn().unwrap();
    writeln!(
        child.stdin.take().unwrap(),
        "{}",
        json!({"id": 1, "op": "hello"})
    )
    .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn answers_that_nobody_reads_end_it_well() {
    let (reading, writing) = std::io::pipe().unwrap();
    drop(reading);
    let mut child = reader().stdout(writing).spawn().unwrap();
    writeln!(
        child.stdin.take().unwrap(),
        "{}",
        json!({"id": 1, "op": "hello"})
    )
    .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
