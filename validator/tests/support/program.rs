//! The program itself, started.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ca3_vectors::Corpus;
use serde_json::Value;

/// A vector that breaks no rule in its valid form.
pub(crate) const SOUND: &str = "ca3/7-field-mask/wall-clock";

/// The program, to be started by hand.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
}

pub(crate) fn run(args: &[&str]) -> Output {
    run_with(args, &[])
}

/// With what standard input has.
pub(crate) fn run_with(args: &[&str], input: &[u8]) -> Output {
    run_in_with(Path::new("."), args, input)
}

/// In a folder, likewise.
pub(crate) fn run_in_with(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = program()
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that ends before it reads is fine.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// In a folder.
pub(crate) fn run_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = program();
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it said on standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Its report, printed as JSON.
pub(crate) fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(output)))
}

/// The paths of a report, in its order.
pub(crate) fn paths(report: &Value) -> Vec<String> {
    let files = report["files"].as_array().unwrap().iter();
    let paths = files.map(|file| file["path"].as_str().unwrap().to_owned());
    paths.collect()
}

/// A file of the corpus.
pub(crate) fn vector(id: &str, valid: bool) -> Vec<u8> {
    let cases = Corpus::embedded().cases().unwrap();
    let case = cases.into_iter().find(|case| case.sidecar.id == id);
    let case = case.unwrap_or_else(|| panic!("no case {id}"));
    if valid { case.valid } else { case.invalid }.unwrap()
}

/// Writes a file below a folder, and gives its path.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// A file whose Header asks for so many features that nobody assigned: each bit is
/// an error of CA3-15-08, and there are no others. The bits are part of the evidence,
/// so files of other numbers of them have no finding in common.
pub(crate) fn unassigned(number: usize) -> Vec<u8> {
    let mut bytes = vector("ca3/2-required-features/all-reserved-bits", true);
    let bits = (3..64)
        .take(number)
        .fold(0_u64, |bits, bit| bits | 1 << bit);
    bytes[17..25].copy_from_slice(&bits.to_le_bytes());
    bytes
}
