//! The program: exit codes, paths, and what it prints.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use support::{Bench, abandoned, sealed};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ca3-convert"))
}

fn run(input: &Path, output: &Path, more: &[&str]) -> Output {
    let mut command = program();
    command.arg("recover").arg(input).arg("-o").arg(output);
    command.args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Ends with this code, says this on standard error, and leaves the folder as
/// it was.
#[track_caller]
fn fails(bench: &Bench, input: &Path, output: &Path, code: i32, says: &str) {
    let listed = || -> Vec<_> {
        let names = fs::read_dir(bench.folder.path()).unwrap();
        let mut names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = listed();
    let ended = run(input, output, &[]);
    assert_eq!(ended.status.code(), Some(code), "{}", text(&ended.stderr));
    assert!(ended.stdout.is_empty(), "{}", text(&ended.stdout));
    let line = text(&ended.stderr);
    assert!(line.contains(says), "{line}");
    assert!(line.starts_with("ca3-convert: ") && line.lines().count() == 1);
    assert_eq!(listed(), before);
}

#[test]
fn nothing_lost_is_0_and_something_is_1() {
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    fs::write(&input, sealed(Some(2), 6)).unwrap();
    let ended = run(&input, &output, &[]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert!(text(&ended.stdout).contains("in.ca3: sealed and whole, "));
    assert!(!text(&ended.stdout).contains("\nLost:"));
    fs::remove_file(&output).unwrap();
    fs::write(&input, abandoned(Some(2), 6)).unwrap();
    let ended = run(&input, &output, &[]);
    assert_eq!(ended.status.code(), Some(1));
    assert!(text(&ended.stdout).contains("in.ca3: truncated, "));
    assert!(text(&ended.stdout).contains("\nLost:\n  - the end of the recording"));
    assert!(fs::read(&output).unwrap().ends_with(&ca3_spec::MAGIC));
}

#[test]
fn the_text_keeps_to_80_columns_and_the_json_has_all() {
    let bench = Bench::new();
    let name = format!("{}.ca3", "a long name ".repeat(12));
    let (input, output) = (bench.path(&name), bench.path("out.ca3"));
    let mut bytes = abandoned(None, 8);
    let chunk = support::records(&bytes)
        .into_iter()
        .find(|it| it.0 == 0x05)
        .unwrap();
    bytes[support::end_of(&chunk) - 1] ^= 1;
    bytes.extend([0x05, 9, 9]);
    fs::write(&input, &bytes).unwrap();
    let ended = run(&input, &output, &[]);
    assert_eq!(ended.status.code(), Some(1));
    for line in text(&ended.stdout).lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let again = run(&input, &output, &["--force", "--json"]);
    assert_eq!(again.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(json["lost"], true);
    assert_eq!(json["end"]["state"], "missing");
    assert_eq!(json["method"], "spine-walk");
    assert_eq!(json["stop_reason"], "truncated-record");
    let place = |at: usize| Value::from(at.to_string());
    assert_eq!(json["stopped_at"], place(bytes.len() - 3));
    assert_eq!(json["holes"][0]["from"], place(bytes.len() - 3));
    assert_eq!(json["holes"][0]["to"], place(bytes.len()));
    assert_eq!(json["chunks"]["withheld"][0]["kind"], "bad-crc");
    assert_eq!(json["chunks"]["withheld"][0]["offset"], place(chunk.1));
    assert_eq!(json["recorder_counters"], "unknown");
    assert_eq!(json["source"]["length"], place(bytes.len()));
    assert_eq!(json["source"]["path"], input.display().to_string());
    // The same source, the same statement and the same output.
    let first = fs::read(&output).unwrap();
    let third = run(&input, &output, &["--force", "--json"]);
    assert_eq!(third.stdout, again.stdout);
    assert_eq!(fs::read(&output).unwrap(), first);
}

#[test]
fn nothing_recovered_does_not_sound_like_success() {
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    fs::write(&input, abandoned(None, 0)).unwrap();
    let said = text(&run(&input, &output, &[]).stdout);
    assert!(said.contains("No message was recovered"), "{said}");
    assert!(said.contains("keep the source"), "{said}");
}

#[test]
fn a_recovery_of_a_recovery_says_so() {
    let bench = Bench::new();
    let (input, once) = (bench.path("in.ca3"), bench.path("once.ca3"));
    fs::write(&input, abandoned(Some(2), 6)).unwrap();
    assert_eq!(run(&input, &once, &[]).status.code(), Some(1));
    let again = run(&once, &bench.path("twice.ca3"), &[]);
    assert_eq!(again.status.code(), Some(0));
    let said = text(&again.stdout).replace("\n    ", " ");
    assert!(!said.contains("whole"), "{said}");
    assert!(
        said.contains("a recovery of in.ca3: lost then: the end"),
        "{said}"
    );
}

#[test]
fn wrong_usage_is_2() {
    assert_eq!(program().output().unwrap().status.code(), Some(2));
    let bench = Bench::new();
    let input = bench.path("in.ca3");
    let bytes = abandoned(None, 2);
    fs::write(&input, &bytes).unwrap();
    let mut without_output = program();
    without_output.arg("recover").arg(&input);
    assert_eq!(without_output.output().unwrap().status.code(), Some(2));
    let limit = run(&input, &bench.path("out.ca3"), &["--limit", "time=1"]);
    assert_eq!(limit.status.code(), Some(2));
    let sized = run(&input, &bench.path("out.ca3"), &["--limit", "memory=64MiB"]);
    assert_eq!(sized.status.code(), Some(2));
    assert!(text(&sized.stderr).contains("memory=67108864"));
    // A pipe at either end.
    fails(
        &bench,
        Path::new("-"),
        &bench.path("out.ca3"),
        2,
        "- is no source",
    );
    fails(&bench, &input, Path::new("-"), 2, "- is no output");
    // Something is there: a file, which stays as it is, or a folder.
    let taken = bench.path("taken.ca3");
    fs::write(&taken, "somebody's").unwrap();
    fails(&bench, &input, &taken, 2, "--force");
    assert_eq!(fs::read(&taken).unwrap(), b"somebody's");
    let folder = bench.path("folder");
    fs::create_dir(&folder).unwrap();
    fails(&bench, &input, &folder, 2, "no file");
    assert_eq!(fs::read(&input).unwrap(), bytes);
}

/// By its path, by another spelling of it, and by whatever else leads there.
#[test]
fn a_source_is_never_written_over() {
    let bench = Bench::new();
    let input = bench.path("in.ca3");
    let bytes = abandoned(None, 2);
    fs::write(&input, &bytes).unwrap();
    let folder = bench.path("folder");
    fs::create_dir(&folder).unwrap();
    let spelt = folder.join("..").join("in.ca3");
    let hard = bench.path("hard.ca3");
    fs::hard_link(&input, &hard).unwrap();
    let mut others = vec![input.clone(), spelt, hard];
    #[cfg(unix)]
    {
        let soft = bench.path("soft.ca3");
        std::os::unix::fs::symlink(&input, &soft).unwrap();
        others.push(soft);
    }
    for other in &others {
        fails(&bench, &input, other, 2, "is the source");
        let forced = run(&input, other, &["--force"]);
        assert_eq!(forced.status.code(), Some(2), "{}", other.display());
        let turned = run(other, &input, &["--force"]);
        assert_eq!(turned.status.code(), Some(2), "{}", other.display());
    }
    assert_eq!(fs::read(&input).unwrap(), bytes);
}

#[test]
fn what_cannot_be_read_or_written_is_3() {
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    fails(&bench, &bench.path("none.ca3"), &output, 3, "none.ca3");
    fails(&bench, bench.folder.path(), &output, 3, "regular file");
    fs::write(&input, "not at all").unwrap();
    fails(&bench, &input, &output, 3, "bad-magic");
    fs::write(&input, "").unwrap();
    fails(&bench, &input, &output, 3, "bad-magic");
    // The magic, and a Header that is cut short.
    let bytes = abandoned(None, 2);
    fs::write(&input, &bytes[..30]).unwrap();
    fails(&bench, &input, &output, 3, "Header");
    let mut other = bytes.clone();
    other[17] |= 2;
    fs::write(&input, &other).unwrap();
    fails(&bench, &input, &output, 3, "unsupported-feature");
    // Sealed and sound, but for a record that nobody may leave out.
    let mut writer = support::recording(None, 2);
    writer.record(0x90, b"of an application").unwrap();
    fs::write(&input, writer.seal().unwrap().sink).unwrap();
    fails(&bench, &input, &output, 3, "must be understood");
    fs::write(&input, &bytes).unwrap();
    let nowhere = bench.path("nowhere").join("out.ca3");
    fails(&bench, &input, &nowhere, 3, "make the folder first");
}

/// A link would be replaced, and not the file that it leads to.
#[cfg(unix)]
#[test]
fn a_link_is_no_output() {
    let bench = Bench::new();
    let (input, file) = (bench.path("in.ca3"), bench.path("file.ca3"));
    fs::write(&input, abandoned(None, 2)).unwrap();
    fs::write(&file, "somebody's").unwrap();
    for (name, to) in [("link", file.clone()), ("nowhere", bench.path("none"))] {
        let link = bench.path(name);
        std::os::unix::fs::symlink(&to, &link).unwrap();
        fails(&bench, &input, &link, 2, "name the file itself");
        let forced = run(&input, &link, &["--force"]);
        assert_eq!(forced.status.code(), Some(2), "{name}");
        assert_eq!(fs::read_link(&link).unwrap(), to);
    }
    assert_eq!(fs::read(&file).unwrap(), b"somebody's");
    // A folder may be reached by one.
    let folder = bench.path("folder");
    std::os::unix::fs::symlink(bench.folder.path(), &folder).unwrap();
    let made = run(&input, &folder.join("out.ca3"), &[]);
    assert_eq!(made.status.code(), Some(1), "{}", text(&made.stderr));
}

/// A statement that nobody takes: the output is there all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_statement_that_cannot_be_printed_is_told() {
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    fs::write(&input, sealed(None, 2)).unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = program();
    command.arg("recover").arg(&input).arg("-o").arg(&output);
    let ended = command.stdout(full.unwrap()).output().unwrap();
    assert_eq!(ended.status.code(), Some(3));
    let line = text(&ended.stderr);
    assert!(line.contains("the output is in place, and the statement was not written"));
    assert!(fs::read(&output).unwrap().ends_with(&ca3_spec::MAGIC));
}

/// A pipe that nobody reads, and that the statement does not fit in.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_statement_that_nobody_reads() {
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    let mut bytes = abandoned(None, 2);
    for _ in 0..2000 {
        // An Attachment whose name is not UTF-8.
        bytes.extend(ca3_wire::frame::framed(0x42, &[1, 0, 0, 0, 0xFF]));
    }
    fs::write(&input, &bytes).unwrap();
    let mut command = program();
    command.arg("recover").arg(&input).arg("-o").arg(&output);
    let mut child = command
        .arg("--json")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !output.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // One that comes before printing begins is only noted.
    let pid = child.id().to_string();
    let code = loop {
        std::thread::sleep(std::time::Duration::from_millis(100));
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    };
    assert_eq!(code, Some(143));
    assert!(fs::read(&output).unwrap().ends_with(&ca3_spec::MAGIC));
}

/// A file may be no longer than two blocks: as good as a full disk, whether the
/// signal for it is passed over or not.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_leaves_nothing_behind() {
    for before in ["trap '' XFSZ; ", ""] {
        full_disk(before);
    }
}

#[cfg(unix)]
fn full_disk(before: &str) {
    let script = format!("{before}ulimit -f 2; exec \"$@\"");
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    fs::write(&input, abandoned(None, 40)).unwrap();
    let ended = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(env!("CARGO_BIN_EXE_ca3-convert"))
        .arg("recover")
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(3), "{}", text(&ended.stderr));
    assert!(text(&ended.stderr).contains("was not written: "));
    assert_eq!(fs::read_dir(bench.folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn an_output_has_the_mode_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    fs::write(&input, abandoned(None, 2)).unwrap();
    run(&input, &output, &[]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&output), mode(&input));
}

/// What is appended meanwhile is not looked at.
#[test]
fn a_file_that_is_being_written() {
    use std::io::Write as _;
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    let whole = abandoned(Some(2), 200);
    let (head, tail) = whole.split_at(whole.len() / 4);
    fs::write(&input, head).unwrap();
    let growing = input.clone();
    let tail = tail.to_vec();
    let writing = std::thread::spawn(move || {
        let mut file = fs::OpenOptions::new().append(true).open(growing).unwrap();
        for piece in tail.chunks(64) {
            file.write_all(piece).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    });
    for _ in 0..8 {
        let ended = run(&input, &output, &["--force", "--json"]);
        assert_eq!(ended.status.code(), Some(1), "{}", text(&ended.stderr));
        let json: Value = serde_json::from_slice(&ended.stdout).unwrap();
        let length = json["source"]["length"].as_str().unwrap();
        let length: usize = length.parse().unwrap();
        let sum = format!("{:08x}", ca3_wire::crc::crc32c(&whole[..length]));
        assert_eq!(json["source"]["crc32c"], sum);
    }
    writing.join().unwrap();
}

/// A source that takes for ever, and a signal: the temporary file goes.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_behind() {
    let bench = Bench::new();
    let (input, output) = (bench.path("in.ca3"), bench.path("out.ca3"));
    for (signal, code) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        fs::write(&input, abandoned(None, 2)).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&input).unwrap();
        // A hole that takes no room and hours to read.
        file.set_len(1 << 42).unwrap();
        let mut command = program();
        command.arg("recover").arg(&input).arg("-o").arg(&output);
        let child = command
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let beside = || fs::read_dir(bench.folder.path()).unwrap().count();
        while beside() < 2 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        Command::new("kill").args([signal, &pid]).status().unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(code), "{}", text(&ended.stderr));
        assert!(text(&ended.stderr).contains("stopped by SIG"));
        assert_eq!(beside(), 1);
    }
}
