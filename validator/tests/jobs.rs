//! Files judged side by side: the report is the same for any number of threads.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs::File;

use support::program::{SOUND, code, report, run_in, unassigned, vector, write};

#[test]
fn reports_are_the_same_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for number in 0..40 {
        write(path, &format!("d/{number:02}.ca3"), &unassigned(number));
    }
    write(path, "sound.ca3", &vector(SOUND, true));
    write(path, "garbage.ca3", b"not at all");
    // A large one, which takes no room on the disk, between small ones.
    let large = File::create(path.join("large.ca3")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let inputs = [
        "sound.ca3",
        "large.ca3",
        "none.ca3",
        "d",
        "garbage.ca3",
        "empty*",
    ];
    for format in ["text", "json", "html"] {
        let of = |jobs: &str| {
            let args = ["--digest", "--format", format, "--jobs", jobs];
            run_in(path, &[&inputs[..], &args].concat())
        };
        let one = of("1");
        assert_eq!(code(&one), 3);
        if format == "json" {
            let files = report(&one)["files"].as_array().unwrap().clone();
            assert_eq!(files.len(), 45);
            assert_eq!(files[1]["size"], (64 << 20) + 1);
            assert_eq!(files[2]["path"], "none.ca3");
            for number in 0..40 {
                assert_eq!(files[3 + number]["counts"]["error"], number);
            }
        }
        for jobs in ["2", "7", "64"] {
            let other = of(jobs);
            assert!(other.stdout == one.stdout, "{format} {jobs}");
            assert_eq!(other.stderr, one.stderr);
        }
    }
}

#[test]
fn thousands_of_files_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = unassigned(1);
    for number in 0..5000 {
        write(
            folder.path(),
            &format!("{:02}/{number}.ca3", number % 50),
            &bytes,
        );
    }
    let output = run_in(folder.path(), &[".", "--json", "--jobs", "3"]);
    assert_eq!(code(&output), 1);
    let report = report(&output);
    assert_eq!(report["files"].as_array().unwrap().len(), 5000);
    assert_eq!(report["counts"]["error"], 5000);
    let quiet = run_in(folder.path(), &["**/*7.ca3", "--quiet"]);
    assert_eq!(
        quiet.stdout.iter().filter(|byte| **byte == b'\n').count(),
        501
    );
}

#[test]
fn the_number_of_threads_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "x.ca3", &vector(SOUND, true));
    for (jobs, expected) in [
        ("1", 0),
        ("1024", 0),
        ("0", 2),
        ("1025", 2),
        ("-1", 2),
        ("x", 2),
    ] {
        let output = run_in(folder.path(), &["x.ca3", "--jobs", jobs]);
        assert_eq!(code(&output), expected, "{jobs}");
    }
}
