//! `--config`: what a file says counts as if it stood on the command line.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use support::program::{code, paths, report, run_in, said, unassigned, write};

/// A folder with `data/x.ca3`, which has five errors of CA3-15-08, and `ci/c.toml`.
fn bench(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "data/x.ca3", &unassigned(5));
    write(folder.path(), "ci/c.toml", config.as_bytes());
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    run_in(folder, &[&["--config", "ci/c.toml"], args].concat())
}

fn judged(folder: &Path, args: &[&str]) -> Value {
    report(&run(folder, &[&["--json"], args].concat()))
}

#[test]
fn the_example_has_every_key() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../ci/ca3-validate.toml");
    let example = fs::read_to_string(example).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "ca3-validate.toml", example.as_bytes());
    let frames = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../schemas/fixtures/frames.toml"
    );
    fs::copy(frames, path.join("frames.toml")).unwrap();
    write(path, "recordings/x.ca3", &unassigned(5));
    write(path, "uploads/a/y.ca3", &unassigned(1));
    let first = run_in(path, &["recordings", "--json"]);
    fs::write(path.join("baseline.json"), first.stdout).unwrap();
    // From another folder: its paths are its own folder's.
    let config = path.join("ca3-validate.toml").display().to_string();
    let output = run_in(&path.join("uploads"), &["--config", &config, "--json"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let report = report(&output);
    let root = path.display();
    assert_eq!(
        paths(&report),
        [
            format!("{root}/recordings/x.ca3"),
            format!("{root}/uploads/a/y.ca3")
        ]
    );
    assert_eq!(report["fail_on"], "warning");
    assert_eq!(
        report["settings"],
        json!({
            "only": ["CA3-2", "CA3-6", "CA3-7", "CA3-10"],
            "ignore": ["CA3-7.5", "CA3-7.1-09"],
            "severity": {"CA3-10": "warning", "CA3-10.7-03": "info"},
            "baseline": format!("{root}/baseline.json"),
        })
    );
    let limits = json!({"memory": 536_870_912, "findings_per_rule": 20});
    assert_eq!(report["files"][0]["limits"], limits);
    // Reports go where the configuration says, unless the command line says so.
    assert!(!path.join("ca3.sarif").exists());
    let output = run_in(&path.join("uploads"), &["--config", &config]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    for (name, begins) in [("ca3.sarif", "{"), ("ca3.xml", "<?xml")] {
        let written = fs::read_to_string(path.join(name)).unwrap();
        assert!(written.starts_with(begins), "{name}: {written}");
    }
    assert!(String::from_utf8_lossy(&output.stdout).contains("x.ca3"));
    // Whatever key there is, the example has it: an unknown one lists them all.
    write(path, "ca3-validate.toml", b"x = 1");
    let output = run_in(path, &["--config", "ca3-validate.toml"]);
    let list = said(&output);
    let list = list.trim_end().rsplit_once("there are ").unwrap().1;
    assert_eq!(list.split(", ").count(), 11, "{list}");
    for key in list.split(", ") {
        let table = format!("[{key}]");
        let value = format!("{key} = ");
        let mut lines = example.lines();
        assert!(
            lines.any(|line| line == table || line.starts_with(&value)),
            "{key}"
        );
    }
}

#[test]
fn the_command_line_wins_and_adds() {
    let folder = bench(
        "fail_on = \"info\"\nignore = [\"CA3-2\"]\nmax_findings = 2\npaths = [\"../data\"]\n\
         [severity]\n\"CA3-15-08\" = \"info\"\n[limits]\nmemory = 1048576\n",
    );
    let report = judged(folder.path(), &[]);
    assert_eq!(paths(&report), ["ci/../data/x.ca3"]);
    assert_eq!(report["counts"]["info"], 5);
    assert_eq!(report["files"][0]["findings"].as_array().unwrap().len(), 2);
    assert_eq!(report["files"][0]["limits"]["memory"], 1_048_576);
    assert_eq!(code(&run(folder.path(), &[])), 1);
    assert_eq!(code(&run(folder.path(), &["--fail-on", "error"])), 0);
    let args = [
        "data/x.ca3",
        "--max-findings=3",
        "--ignore=CA3-3,CA3-2",
        "--severity=CA3-15-08=warning",
        "--limit=memory=2MiB",
    ];
    let report = judged(folder.path(), &args);
    assert_eq!(paths(&report), ["data/x.ca3"]);
    assert_eq!(report["settings"]["ignore"], json!(["CA3-2", "CA3-3"]));
    assert_eq!(report["counts"]["warning"], 5);
    assert_eq!(report["files"][0]["findings"].as_array().unwrap().len(), 3);
    assert_eq!(report["files"][0]["limits"]["memory"], 2_097_152);
}

#[test]
fn nothing_is_looked_for() {
    let folder = bench("ignore = [\"CA3-15\"]\n");
    for name in ["ca3-validate.toml", ".ca3-validate.toml", "c.toml"] {
        write(folder.path(), name, b"ignore = [\"CA3-15\"]\n");
    }
    assert_eq!(code(&run_in(folder.path(), &["data/x.ca3"])), 1);
    assert_eq!(code(&run(folder.path(), &["data/x.ca3"])), 0);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (config, expected) in [
        (
            "jobs = 1\nfail-on = \"info\"\n",
            "line 2, column 1: no key is named fail-on; did you mean fail_on?",
        ),
        (
            "[limits]\n  memry = 1\n",
            "line 2, column 3: no key is named memry; did you mean memory?",
        ),
        (
            "[limit]\nmemory = 1\n",
            "line 1, column 2: no key is named limit; did you mean limits?",
        ),
        ("jobs = 1\njobs = 2\n", "line 2, column 1: duplicate key"),
        (
            "fail_on = \"eror\"\n",
            "line 1, column 11: unknown variant `eror`",
        ),
        ("fail_on = 1\n", "line 1, column 11: "),
        ("ignore = \"CA3-2\"\n", "line 1, column 10: invalid type"),
        (
            "ignore = [\"CA3-2\",\n  \"CA3-15-80\"]\n",
            "line 1, column 10: no rule or section is named CA3-15-80; did you mean CA3-15-08?",
        ),
        (
            "only = [\"CA3-0009\"]\n",
            "line 1, column 8: no rule of CA3-0009 is judged",
        ),
        (
            "[severity]\n\"CA3-15-80\" = \"info\"\n",
            "did you mean CA3-15-08?",
        ),
        (
            "[severity]\nCA3-15-08 = \"fatal\"\n",
            "line 2, column 13: unknown variant `fatal`",
        ),
        (
            "max_findings = 0\n",
            "line 1, column 16: 0 is not in 1..=10000",
        ),
        ("max_findings = 10001\n", "10001 is not in 1..=10000"),
        ("max_findings = 1.5\n", "line 1, column 16: invalid type"),
        ("jobs = 1025\n", "1025 is not in 1..=1024"),
        ("jobs = -1\n", "-1 is not in 1..=1024"),
        (
            "limits.memory = \"64MB\"\n",
            "line 1, column 17: a size is a number of bytes",
        ),
        ("limits.memory = -1\n", "line 1, column 17: invalid value"),
        (
            "limits.memory = true\n",
            "a number of bytes, or a size such as \"64MiB\"",
        ),
        ("paths = [\"\"]\n", "line 1, column 9: a path is empty"),
        ("baseline = \"\"\n", "line 1, column 12: a path is empty"),
        ("a = [\n", "line "),
        ("\0", "line 1, column 2: "),
        (
            "only = [\"CA3-2\"]\nignore = [\"CA3-2\"]\n",
            "leave no rule that counts",
        ),
    ] {
        let folder = bench(config);
        let output = run(folder.path(), &["data/x.ca3"]);
        let said = said(&output);
        assert_eq!(code(&output), 2, "{config}");
        assert!(said.contains(expected), "{config}\n{said}\n{expected}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn what_is_no_configuration_is_refused() {
    let folder = bench("");
    let path = folder.path();
    let output = run(path, &[]);
    assert_eq!(code(&output), 2);
    assert!(
        said(&output).contains("no file is named"),
        "{}",
        said(&output)
    );
    write(path, "latin.toml", b"paths = [\"\xe9\"]");
    write(path, "large.toml", &vec![b'\n'; (1 << 20) + 1]);
    for (config, expected) in [
        ("ci", "it is no file"),
        ("none.toml", "No such file"),
        ("latin.toml", "it is not UTF-8: see byte 10"),
        ("large.toml", "larger than 1 MiB"),
    ] {
        let output = run_in(path, &["--config", config, "data/x.ca3"]);
        assert_eq!(code(&output), 2, "{config}");
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    // A baseline and frames of the configuration are those of its folder.
    for key in ["baseline", "frames"] {
        write(path, "ci/c.toml", format!("{key} = \"none\"").as_bytes());
        let output = run(path, &["data/x.ca3"]);
        assert_eq!(code(&output), 2, "{key}");
        let expected = format!("--{key} ci/none: ");
        assert!(said(&output).contains(&expected), "{}", said(&output));
    }
}
