//! `spec/protocol.md` says what the kit does.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{MAX_LINE_BYTES, OPERATIONS};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("spec/protocol.md")).unwrap()
}

/// The adapter of the page, as a file in a folder.
fn shortest_adapter(folder: &Path) -> String {
    let page = page();
    let adapter = page.split("```python\n").nth(1).unwrap();
    let adapter = adapter.split("```").next().unwrap();
    assert!(adapter.lines().count() <= 16, "{adapter}");
    fs::write(folder.join("adapter.py"), adapter).unwrap();
    format!("python3 '{}'", folder.join("adapter.py").display())
}

#[test]
fn every_kind_operation_and_limit_stands_in_the_page() {
    let page = page();
    for kind in Kind::ALL {
        assert!(page.contains(&format!("\n| `{kind}` |")), "{kind}");
    }
    for (op, _) in OPERATIONS {
        assert!(page.contains(&format!("\n### `{op}`")), "{op}");
        assert!(page.contains(&format!("\n| `{op}` |")), "{op}");
    }
    assert!(page.contains(&format!("{MAX_LINE_BYTES} bytes")));
}

#[test]
fn the_shortest_adapter_works_and_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let command = shortest_adapter(folder.path());
    let reader = "
class ReadError(Exception):
    kind = 'bad-magic'
def read(path):
    data = open(path, 'rb').read()
    if data[:8] != bytes.fromhex('89434133310d0a1a'):
        raise ReadError('no CA3 file')
    return {'sealed': data[-8:] == data[:8]}
";
    fs::write(folder.path().join("my_ca3.py"), reader).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
        .args(["--reader", &command, "--seed", "1", "--report", "json"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["implementation"]["name"], "my-ca3");
    let outcomes = |outcome: &str| {
        let cases = report["cases"].as_array().unwrap().iter();
        let files = cases.flat_map(|case| [&case["valid"], &case["invalid"]]);
        files.filter(|file| file["outcome"] == outcome).count()
    };
    assert_eq!(
        (outcomes("crash"), outcomes("timeout"), outcomes("skip")),
        (0, 0, 0)
    );
    assert!(outcomes("fail") > 0 && outcomes("pass") > 0);

    // All that is left for it to do is to read.
    let out = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
        .args(["check-adapter", &command])
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    let failed: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("FAIL"))
        .collect();
    assert!(
        failed
            .iter()
            .all(|line| line.contains("plain file") || line.contains("megabytes")),
        "{said}"
    );
    assert_eq!(failed.len(), 2, "{said}");
}

/// With a reader that reads rightly behind it, the adapter is certified as it stands.
#[test]
fn the_shortest_adapter_can_be_certified() {
    let folder = tempfile::tempdir().unwrap();
    let command = shortest_adapter(folder.path());
    let reader = format!(
        "
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {:?})
import ca3_reader
ca3_reader.FEATURES = []
class ReadError(Exception):
    def __init__(self, report):
        super().__init__(report.pop('message'))
        self.kind, self.named = report.pop('kind'), report
def read(path):
    try:
        return ca3_reader.protocol_form(ca3_reader.read_file(path))
    except ca3_reader.Violation as violation:
        raise ReadError(ca3_reader.protocol_form(violation.report))
",
        root().join("levels/clients/python").display().to_string()
    );
    fs::write(folder.path().join("my_ca3.py"), reader).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
        .args(["--reader", &command])
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(said.ends_with("Level 1: certified\n"), "{said}");
}

/// The members of a report, down to those of a file and of a verdict.
#[test]
fn every_member_of_a_report_is_described() {
    let page = fs::read_to_string(root().join("spec/report.md")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(ca3_spec::schema::REPORT).unwrap();
    let defs = schema["$defs"].as_object().unwrap();
    let objects = defs.iter().map(|(name, def)| (name.as_str(), def));
    let mut missing = Vec::new();
    for (name, object) in objects.chain([("report", &schema)]) {
        for member in object["properties"].as_object().into_iter().flatten() {
            if !page.contains(&format!("`{}`", member.0)) {
                missing.push(format!("{name}.{}", member.0));
            }
        }
        for word in object["enum"].as_array().into_iter().flatten() {
            let word = word.as_str().unwrap();
            if !page.contains(&format!("`{word}`")) {
                missing.push(format!("{name}: {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
