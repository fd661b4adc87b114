//! `completions` and `man`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::process::Command;

use support::program::{code, run, said, text, write};

#[test]
fn each_shell_has_its_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        assert_eq!(code(&output), 0);
        let script = text(&output);
        for part in ["ca3-validate", "max-findings", "schema-lint"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
    assert_eq!(code(&run(&["completions", "cmd"])), 2);
    let folder = tempfile::tempdir().unwrap();
    let script = run(&["completions", "bash"]).stdout;
    let path = write(folder.path(), "script", &script);
    if let Ok(loaded) = Command::new("bash").args(["-n", &path]).output() {
        assert!(loaded.status.success() && loaded.stderr.is_empty());
    }
}

#[test]
fn there_is_a_page_of_each_subcommand() {
    let main = text(&run(&["man"]));
    assert!(main.contains(".TH ca3-validate 1"), "{main}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a/man1");
    let output = run(&["man", "--out", &out.display().to_string()]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert!(output.stdout.is_empty());
    let mut pages: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert!(
        pages.contains(&"ca3-validate-schema-lint.1".to_owned()),
        "{pages:?}"
    );
    assert!(!pages.contains(&"ca3-validate-help.1".to_owned()));
    assert_eq!(
        fs::read_to_string(out.join("ca3-validate.1")).unwrap(),
        main
    );
    for page in &pages {
        let path = out.join(page);
        let written = fs::read_to_string(&path).unwrap();
        let name = page.trim_end_matches(".1");
        assert!(written.contains(&format!(".TH {name} 1")), "{page}");
        // Where there is no groff, nothing can be shown.
        let Ok(shown) = Command::new("groff")
            .args(["-man", "-Tutf8", "-ww"])
            .arg(&path)
            .output()
        else {
            continue;
        };
        assert!(shown.status.success(), "{page}");
        assert_eq!(String::from_utf8_lossy(&shown.stderr), "", "{page}");
        assert!(
            String::from_utf8_lossy(&shown.stdout).contains(name),
            "{page}"
        );
    }
    let taken = write(folder.path(), "taken", b"");
    let output = run(&["man", "--out", &taken]);
    assert_eq!(code(&output), 3);
    assert!(
        said(&output).contains("was not written"),
        "{}",
        said(&output)
    );
}
