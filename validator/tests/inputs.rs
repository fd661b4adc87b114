//! What is judged: folders, patterns, names that stand for one file.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::Path;

use support::program::{
    SOUND, code, paths, report, run_in, run_with, said, text, unassigned, vector, write,
};

/// A folder with these files, all sound.
fn bench(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sound = vector(SOUND, true);
    for name in names {
        write(folder.path(), name, &sound);
    }
    folder
}

fn judged(folder: &Path, args: &[&str]) -> Vec<String> {
    paths(&report(&run_in(folder, &[args, &["--json"]].concat())))
}

#[test]
fn folders_hold_nothing_back() {
    let folder = bench(&[
        "d/b.ca3",
        "d/a-b/x.ca3",
        "d/a/x.ca3",
        "d/.hidden/x.ca3",
        "d/.h.ca3",
    ]);
    write(folder.path(), "d/.gitignore", b"*.ca3\n");
    write(folder.path(), "d/notes.txt", b"no");
    // Byte by byte: '.' before letters, '-' before '/'.
    assert_eq!(
        judged(folder.path(), &["d"]),
        [
            "d/.h.ca3",
            "d/.hidden/x.ca3",
            "d/a-b/x.ca3",
            "d/a/x.ca3",
            "d/b.ca3"
        ]
    );
    assert_eq!(judged(folder.path(), &["."])[0], "./d/.h.ca3");
}

#[test]
fn patterns_stand_for_the_files_that_match() {
    let folder = bench(&[
        "d/a.ca3",
        "d/b.ca3",
        "d/e/a.ca3",
        "d/e/f/a.ca3",
        "d/.h/a.ca3",
        "d/c.txt",
        "e.ca3",
    ]);
    let of = |pattern: &str| judged(folder.path(), &[pattern]);
    assert_eq!(of("*.ca3"), ["e.ca3"]);
    assert_eq!(of("d/*.ca3"), ["d/a.ca3", "d/b.ca3"]);
    assert_eq!(of("d/[!a].ca3"), ["d/b.ca3"]);
    assert_eq!(of("d/?.{ca3,txt}"), ["d/a.ca3", "d/b.ca3", "d/c.txt"]);
    assert_eq!(
        of("d/**/a.ca3"),
        ["d/.h/a.ca3", "d/a.ca3", "d/e/a.ca3", "d/e/f/a.ca3"]
    );
    assert_eq!(of("d/*/a.ca3"), ["d/.h/a.ca3", "d/e/a.ca3"]);
    assert_eq!(of("d/{e,e/f}/a.ca3"), ["d/e/a.ca3", "d/e/f/a.ca3"]);
    assert_eq!(of("./d//e/.//*.ca3"), ["./d//e/.//a.ca3"]);
    assert_eq!(of("**").len(), 7);
    let whole = format!("{}/d/e/*", folder.path().display());
    let expected = format!("{}/d/e/a.ca3", folder.path().display());
    assert_eq!(of(&whole), [expected]);
}

#[test]
fn what_is_there_is_never_a_pattern() {
    let folder = bench(&["a*.ca3", "ab.ca3", "[x]/a.ca3", "x/b.ca3", "{.ca3"]);
    assert_eq!(judged(folder.path(), &["a*.ca3"]), ["a*.ca3"]);
    assert_eq!(judged(folder.path(), &["[x]"]), ["[x]/a.ca3"]);
    assert_eq!(judged(folder.path(), &["{.ca3"]), ["{.ca3"]);
    // A folder of a configuration is no part of a pattern of it.
    write(folder.path(), "[x]/c.toml", b"paths = [\"*.ca3\"]");
    assert_eq!(
        judged(folder.path(), &["--config", "[x]/c.toml"]),
        ["[x]/a.ca3"]
    );
}

#[test]
fn a_pattern_that_matches_nothing_is_no_pass() {
    let folder = bench(&["d/a.ca3", "d/e.ca3/b.ca3"]);
    for (pattern, expected) in [
        ("d/*.mcap", "no file matches this pattern"),
        ("d/x*", "no file matches this pattern"),
        ("d/e.*", "no file matches this pattern"),
        ("none/*.ca3", "see whether the path is right"),
        ("d/[a.ca3", "it is no pattern: "),
        ("d/{a,b.ca3", "it is no pattern: "),
        ("d/a}.ca3", "see whether the path is right"),
    ] {
        let output = run_in(folder.path(), &[pattern]);
        assert_eq!(code(&output), 3, "{pattern}\n{}", text(&output));
        assert!(
            said(&output).contains(expected),
            "{pattern}: {}",
            said(&output)
        );
        // What does match is judged all the same.
        let both = run_in(folder.path(), &["d/a.ca3", pattern]);
        assert_eq!(code(&both), 3);
        assert!(text(&both).starts_with("d/a.ca3: "));
    }
}

#[test]
fn a_file_is_judged_once() {
    let folder = bench(&["d/a.ca3", "d/b.ca3"]);
    let of = |args: &[&str]| judged(folder.path(), args);
    assert_eq!(
        of(&["d/b.ca3", "d", "./d/a.ca3", "d/*"]),
        ["d/b.ca3", "d/a.ca3"]
    );
    assert_eq!(of(&["none.ca3", "none.ca3"]), ["none.ca3"]);
    let twice = run_with(&["-", "-", "--json"], &vector(SOUND, true));
    assert_eq!(paths(&report(&twice)), ["-"]);
    assert_eq!(code(&twice), 0);
}

#[cfg(unix)]
#[test]
fn links_are_no_way_round_and_no_ring() {
    use std::os::unix::fs::symlink;
    let folder = bench(&["d/a.ca3", "other/b.ca3"]);
    let path = folder.path();
    symlink("..", path.join("d/up")).unwrap();
    symlink("d", path.join("d.ca3")).unwrap();
    symlink("../other", path.join("d/other.ca3")).unwrap();
    symlink("a.ca3", path.join("d/z.ca3")).unwrap();
    symlink("self", path.join("self")).unwrap();
    symlink("gone", path.join("d/gone.ca3")).unwrap();
    // A link to a file is that file, and one that leads nowhere cannot be read.
    assert_eq!(judged(path, &["d"]), ["d/a.ca3", "d/gone.ca3"]);
    assert_eq!(judged(path, &["d/**/*.ca3"]), ["d/a.ca3", "d/gone.ca3"]);
    assert_eq!(code(&run_in(path, &["d"])), 3);
    // One that is named is followed.
    fs::remove_file(path.join("d/gone.ca3")).unwrap();
    assert_eq!(judged(path, &["d.ca3"]), ["d.ca3/a.ca3"]);
    assert_eq!(code(&run_in(path, &["self"])), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_judged_apart_and_never_known() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bad = unassigned(2);
    for name in [&b"\xfe.ca3"[..], b"\xff.ca3"] {
        fs::write(path.join(OsStr::from_bytes(name)), &bad).unwrap();
    }
    let output = run_in(path, &["*.ca3", "--json"]);
    assert_eq!(paths(&report(&output)), ["\u{fffd}.ca3", "\u{fffd}.ca3"]);
    fs::write(path.join("base.json"), output.stdout).unwrap();
    let output = run_in(path, &[".", "--baseline", "base.json"]);
    assert_eq!(code(&output), 1);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_looked_into_is_no_pass() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = bench(&["d/a.ca3", "d/locked/b.ca3"]);
    let locked = folder.path().join("d/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    // Some people may look into everything.
    if fs::read_dir(&locked).is_err() {
        for input in ["d", "d/**/*.ca3"] {
            let output = run_in(folder.path(), &[input]);
            assert_eq!(code(&output), 3);
            assert!(said(&output).contains("d/locked: "), "{}", said(&output));
        }
        assert_eq!(code(&run_in(folder.path(), &["d/*.ca3"])), 0);
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}
