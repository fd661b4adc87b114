//! Every command of the README is run, on the programs as built by this test run.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of the README's `sh` blocks.
fn commands(readme: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut within = false;
    for line in readme.lines() {
        match line {
            "```sh" => within = true,
            "```" => within = false,
            line if within => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines
}

/// A program of the workspace, beside this crate's own.
fn built(name: &str) -> PathBuf {
    let own = Path::new(env!("CARGO_BIN_EXE_ca3-conform"));
    let path = own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} is not built: run the tests with --workspace",
        path.display()
    );
    path
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let commands = commands(&readme);
    let mut ran = 0;
    for line in &commands {
        let words = shlex::split(line).unwrap();
        // The tests are what runs here.
        if words == ["cargo", "test", "--workspace"] {
            continue;
        }
        let (prefix, rest) = words.split_at(4);
        assert_eq!(prefix, ["cargo", "run", "--release", "--bin"], "{line}");
        let (program, arguments) = rest.split_first().unwrap();
        let arguments = arguments
            .strip_prefix(&["--".to_owned()])
            .unwrap_or(arguments);
        let output = Command::new(built(program))
            .args(arguments)
            .current_dir(root())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{line}\nexit {:?}\n{}{}",
            output.status.code(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!output.stdout.is_empty(), "{line}: prints nothing");
        ran += 1;
    }
    assert!(ran >= 7, "only {ran} commands");
}

/// What the README's adapter says of `hello` is what the harness accepts.
#[test]
fn the_adapter_of_the_readme_answers() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let adapter = readme
        .split("```python\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    // A reader of its own that refuses every file: the adapter is what is tried.
    let reader = "class Refused(Exception):\n    kind = 'other'\n\
                  def read(path):\n    raise Refused('reads nothing')\n";
    std::fs::write(folder.path().join("my_reader.py"), reader).unwrap();
    std::fs::write(folder.path().join("adapter.py"), adapter).unwrap();
    let command = format!("python3 '{}'", folder.path().join("adapter.py").display());
    let output = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
        .args(["--item", "1", "--reader", &command])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("my-reader 1.0 (python), claims level 1"),
        "{text}"
    );
    assert!(!text.contains("crash"), "{text}");
}
