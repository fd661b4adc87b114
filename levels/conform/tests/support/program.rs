//! The program as it is typed, and readers to give it.

#![allow(dead_code, reason = "each test target uses its own part")]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) fn conform(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ca3-conform"));
    command
        .args(arguments)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    conform(arguments).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
pub(crate) fn check(arguments: &[&str], code: i32, part: &str) -> String {
    let output = run(arguments);
    let text = format!(
        "{}{}",
        stdout(&output),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
    assert!(
        text.contains(part),
        "{part:?} is missing from {arguments:?}\n{text}"
    );
    text
}

/// A reader in Python that answers `result` to everything but `hello`.
pub(crate) struct Reader {
    folder: TempDir,
}

impl Reader {
    pub(crate) fn new(hello: &Value, result: &Value) -> Reader {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "import json, sys
HELLO, RESULT = json.loads({hello:?}), json.loads({result:?})
for line in sys.stdin:
    ask = json.loads(line)
    result = HELLO if ask['op'] == 'hello' else RESULT
    print(json.dumps({{'id': ask['id'], 'status': 'ok', 'result': result}}), flush=True)
",
            hello = hello.to_string(),
            result = result.to_string(),
        );
        fs::write(folder.path().join("reader.py"), script).unwrap();
        Reader { folder }
    }

    pub(crate) fn of_level(level: u64) -> Reader {
        Reader::new(
            &json!({"name": "script", "level": level, "features": [0, 2]}),
            &json!({}),
        )
    }

    pub(crate) fn command(&self) -> String {
        format!(
            "python3 '{}'",
            self.folder.path().join("reader.py").display()
        )
    }
}

/// A corpus of one case of level 1 that any accepting reader passes.
pub(crate) fn small_corpus() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("ca3/1-magic");
    fs::create_dir_all(&case).unwrap();
    fs::write(case.join("one.valid.ca3"), b"bytes").unwrap();
    let sidecar = json!({
        "id": "ca3/1-magic/one", "item": 1, "level": 1, "rules": ["CA3-2.1-01"], "readings": [],
        "provisional": false, "title": "t", "why": "w",
        "valid": {"file": "one.valid.ca3", "required_features": "0",
            "steps": [{"op": "read", "expect": {"answer": {"result": {}}}}]},
        "invalid": {"none": "wrong-answer", "reason": "r"},
    });
    fs::write(case.join("one.json"), sidecar.to_string()).unwrap();
    folder
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
