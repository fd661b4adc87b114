//! The line that shows how far a run is: on a terminal and nowhere else.
//!
//! Python makes the terminal, since the tests need it anyway.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::process::Command;

use tempfile::TempDir;

/// Runs its arguments with standard error on a terminal, and standard output in a
/// pipe; prints what the terminal got.
const ON_A_TERMINAL: &str = "
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
got = b''
while True:
    try: block = os.read(ours, 4096)
    except OSError: break
    if not block: break
    got += block
child.wait()
sys.stdout.buffer.write(got)
";

/// A reader that takes its time over every file of a short run.
const SLOW: &str = "
import json, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    answer = {'id': ask['id'], 'status': 'ok', 'result': {'name': 'slow', 'level': 1}}
    if ask['op'] == 'read':
        time.sleep(1.3)
    print(json.dumps(answer), flush=True)
";

struct Reader(TempDir);

impl Reader {
    fn new() -> Reader {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("reader.py"), SLOW).unwrap();
        fs::write(folder.path().join("terminal.py"), ON_A_TERMINAL).unwrap();
        Reader(folder)
    }

    fn arguments(&self) -> Vec<String> {
        let reader = self.0.path().join("reader.py");
        let command = format!("python3 '{}'", reader.display());
        let words = [
            "--reader",
            &command,
            "--filter",
            "eleven-bytes-in-mask-bit-01",
            "--seed",
            "1",
        ];
        words.map(str::to_owned).to_vec()
    }

    /// What the terminal gets.
    fn shown(&self, more: &[&str], variables: &[(&str, &str)]) -> String {
        let output = Command::new("python3")
            .arg(self.0.path().join("terminal.py"))
            .arg(env!("CARGO_BIN_EXE_ca3-conform"))
            .args(self.arguments())
            .args(more)
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn a_terminal_gets_the_count_the_failures_and_the_slow_case_and_is_cleaned() {
    let reader = Reader::new();
    for variables in [&[][..], &[("NO_COLOR", "1")]] {
        let shown = reader.shown(&[], variables);
        assert!(
            shown.contains(
                "\r0 of 2 vectors, 0 failed; 1 s on ca3/4-varint-form/eleven-bytes-in-mask-bit-"
            ),
            "{shown:?}"
        );
        assert!(shown.contains("\r1 of 2 vectors, "), "{shown:?}");
        assert!(!shown.contains('\x1b'), "{shown:?}");
        assert!(!shown.contains('\n'), "{shown:?}");
        let last = shown.trim_end_matches('\r').rsplit('\r').next().unwrap();
        assert!(
            shown.ends_with('\r') && last.trim().is_empty() && last.len() > 20,
            "{shown:?}"
        );
    }
}

#[test]
fn a_pipe_a_dumb_terminal_and_whoever_wants_quiet_get_none() {
    let reader = Reader::new();
    assert_eq!(reader.shown(&["--quiet"], &[]), "");
    assert_eq!(reader.shown(&[], &[("TERM", "dumb")]), "");
    let output = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
        .args(reader.arguments())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
