//! The program is told to stop while a reader works: nothing is left behind, and
//! what was found out is told.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A reader that refuses three files and hangs over the fourth, with a child of
/// its own; it notes the processes.
const SLOW: &str = r#"
import json, os, subprocess, sys, time
here = os.path.dirname(os.path.abspath(__file__))
count = 0
for line in sys.stdin:
    ask = json.loads(line)
    answer = {"id": ask["id"], "status": "ok", "result": {"name": "slow", "level": 1}}
    if ask["op"] == "read":
        count += 1
        answer = {"id": ask["id"], "status": "refused", "error": {"kind": "other"}}
    if count == WHEN:
        child = subprocess.Popen(["sleep", "600"])
        with open(os.path.join(here, "pids.part"), "w") as pids:
            pids.write(f"{os.getpid()} {child.pid}")
        os.rename(os.path.join(here, "pids.part"), os.path.join(here, "pids"))
        time.sleep(600)
    print(json.dumps(answer), flush=True)
"#;

struct Run {
    folder: TempDir,
    child: Child,
}

impl Run {
    /// Starts the program and waits until its reader hangs.
    fn start(arguments: &[&str], hangs_at: &str) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let reader = folder.path().join("reader.py");
        fs::write(&reader, SLOW.replace("WHEN", hangs_at)).unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let command = format!("python3 '{}'", reader.display());
        let child = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
            .args(
                arguments
                    .iter()
                    .map(|word| word.replace("READER", &command)),
            )
            .env("TMPDIR", folder.path().join("tmp"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let run = Run { folder, child };
        let begun = Instant::now();
        while !run.folder.path().join("pids").exists() {
            assert!(begun.elapsed() < Duration::from_secs(30), "it never hangs");
            sleep(Duration::from_millis(10));
        }
        run
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end; no process and no folder may be left.
    fn end(self) -> Output {
        let begun = Instant::now();
        let output = self.child.wait_with_output().unwrap();
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "the end took long"
        );
        let pids = fs::read_to_string(self.folder.path().join("pids")).unwrap();
        for pid in pids.split(' ') {
            let gone = (0..100).any(|_| {
                sleep(Duration::from_millis(10));
                !is_running(pid)
            });
            assert!(gone, "{pid} is left");
        }
        let left: Vec<PathBuf> = fs::read_dir(self.folder.path().join("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(left.is_empty(), "{left:?}");
        output
    }
}

/// Whether a process runs: one that is dead and not yet waited for does not.
fn is_running(pid: &str) -> bool {
    let stat = Path::new("/proc").join(pid).join("stat");
    fs::read_to_string(stat).is_ok_and(|stat| {
        let state = stat.rsplit(')').next().unwrap_or("").trim();
        !state.starts_with('Z')
    })
}

const RUN: [&str; 6] = ["--reader", "READER", "--timeout", "300", "--seed", "1"];

#[track_caller]
fn told(output: &Output, code: i32, parts: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}{errors}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(flat.contains(part), "{part:?} is missing from\n{text}");
    }
    assert!(!text.contains(": certified"), "{text}");
}

#[test]
fn ctrl_c_ends_in_order_with_a_partial_report() {
    let run = Run::start(&RUN, "4");
    run.signal("INT");
    let parts = [
        "PARTIAL: interrupted by SIGINT after 3 of",
        "certifies nothing",
    ];
    told(&run.end(), 130, &parts);
}

#[test]
fn a_build_server_s_end_of_patience_too() {
    let run = Run::start(&RUN, "4");
    run.signal("TERM");
    told(&run.end(), 143, &["interrupted by SIGTERM after 3 of"]);
}

#[test]
fn two_signals_leave_nothing_either() {
    let run = Run::start(&RUN, "4");
    run.signal("INT");
    run.signal("INT");
    assert_eq!(run.end().status.code(), Some(130));
}

#[test]
fn every_worker_s_reader_goes() {
    let run = Run::start(&[&RUN[..], &["--jobs", "3"]].concat(), "4");
    run.signal("INT");
    told(&run.end(), 130, &["PARTIAL: interrupted by SIGINT"]);
}

#[test]
fn nothing_wrong_until_then_is_no_pass() {
    let run = Run::start(&RUN, "1");
    run.signal("TERM");
    let parts = ["Level 1: INTERRUPTED, not certified", "after 0 of"];
    told(&run.end(), 143, &parts);
}

#[test]
fn the_reports_in_files_are_partial_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let target = format!("json={}", path.display());
    let run = Run::start(&[&RUN[..], &["--report", &target]].concat(), "4");
    run.signal("INT");
    told(&run.end(), 130, &["PARTIAL"]);
    let report: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let interrupted = &report["run"]["interrupted"];
    assert_eq!(interrupted["signal"], "SIGINT");
    assert_eq!(interrupted["judged"], 3);
    assert!(interrupted["of"].as_u64().unwrap() > 500, "{interrupted}");
    assert_eq!(report["verdict"]["exit_code"], 130);
    assert!(report["cases"].as_array().unwrap().len() <= 3);
    let schema = serde_json::from_str(ca3_spec::schema::REPORT).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&report));
}

#[test]
fn a_reader_that_hangs_over_hello_goes() {
    let run = Run::start(&RUN, "0");
    run.signal("INT");
    let output = run.end();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("interrupted by SIGINT before hello"),
        "{said}"
    );
}

#[test]
fn replay_and_check_adapter_end_in_order_too() {
    let case = "ca3/7-field-mask/wall-clock";
    let arguments = ["replay", case, "--reader", "READER", "--timeout", "300"];
    let run = Run::start(&arguments, "1");
    run.signal("INT");
    told(
        &run.end(),
        130,
        &["Interrupted by SIGINT: nothing is judged."],
    );

    let run = Run::start(&["check-adapter", "READER", "--timeout", "300"], "2");
    run.signal("TERM");
    told(
        &run.end(),
        143,
        &["ok it answers hello", "Interrupted by SIGTERM"],
    );
}
