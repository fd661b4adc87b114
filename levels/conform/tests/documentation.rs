//! `spec/protocol.md` says what the kit does.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::Command;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{MAX_LINE_BYTES, OPERATIONS};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/protocol.md");
    fs::read_to_string(path).unwrap()
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
    let page = page();
    let adapter = page
        .split("```python\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    assert!(adapter.lines().count() <= 13, "{adapter}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("adapter.py"), adapter).unwrap();
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
    let command = format!("python3 '{}'", folder.path().join("adapter.py").display());
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
