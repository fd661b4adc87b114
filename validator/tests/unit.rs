//! `ca3-validate unit`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::process::Output;

use serde_json::Value;
use support::program::{run_with, text};

fn run(args: &[&str], input: &[u8]) -> Output {
    run_with(&[&["unit"], args].concat(), input)
}

fn rows(args: &[&str], input: &[u8]) -> Vec<Value> {
    let output = run(&[&["--json"], args].concat(), input);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn it_says_what_a_unit_means() {
    let output = run(&["m/s2", "mm", "deg", "1", "Cel", "dB", "[iU]"], b"");
    assert_eq!(output.status.code(), Some(0));
    let expected = "\
m/s2        UCUM: acceleration, dimension L.T-2; 1 m/s2
mm          UCUM: length, dimension L; 0.001 m
deg         UCUM: angle, dimension A; 0.017453292519943295 rad
1           UCUM: number, dimension 1; 1
Cel         UCUM: temperature, dimension \u{398}; a scale with a zero of its own, in
            steps of 1 K; in no product, quotient or power
dB          UCUM: number, dimension 1; 0.1 B, a logarithm, relative to 1; in no
            product, quotient or power
[iU]        UCUM: dimension [iU]; 1 [iU], an amount that a procedure defines and
            no other unit measures
";
    assert_eq!(text(&output), expected);
}

#[test]
fn it_says_why_a_code_is_none_and_what_was_meant() {
    let output = run(&["m/s^2", "hz", "xyzzy", "", "m s", "m"], b"");
    assert_eq!(output.status.code(), Some(1));
    let expected = "\
m/s^2       not UCUM: UCUM has no ^: a power stands right behind its unit; write
            m/s2
hz          not UCUM: UCUM has no unit hz; codes are case-sensitive; write Hz
xyzzy       not UCUM: UCUM has no unit xyzzy; codes are case-sensitive
\"\"          not UCUM: it is empty; a number without a unit has the unit 1; write
            1
m s         not UCUM: blanks and control characters are not part of UCUM codes:
            ' ', character 2; write m.s
m           UCUM: length, dimension L; 1 m
";
    assert_eq!(text(&output), expected);
}

#[test]
fn a_doubt_is_no_refusal() {
    let output = run(&["ft", "1.5"], b"");
    assert_eq!(output.status.code(), Some(0));
    let expected = "\
ft          UCUM: mass, dimension M; 1e-12 kg
            warning: ft is femtotonne, a mass; write [ft_i]
1.5         UCUM: number, dimension 1; 5
            warning: a dot multiplies: this is a product of whole numbers, not a
            decimal; write 15.10*-1
";
    assert_eq!(text(&output), expected);
}

#[test]
fn json_has_the_same_for_machines() {
    let rows = rows(&["km/h", "kG", "uv", "dB"], b"");
    assert_eq!(rows[0]["code"], "km/h");
    assert_eq!(rows[0]["ucum"], true);
    assert_eq!(rows[0]["quantity"], "velocity");
    assert_eq!(rows[0]["dimension"], "L.T-1");
    assert_eq!(rows[0]["base"], "m/s");
    assert!((rows[0]["factor"].as_f64().unwrap() * 3.6 - 1.0).abs() < 1e-12);
    for member in ["special", "warning", "reason", "suggestion"] {
        assert_eq!(rows[0][member], Value::Null, "{member}");
    }
    assert_eq!(rows[1]["ucum"], true);
    assert_eq!(rows[1]["warning"], "kG is kilogauss");
    assert_eq!(rows[1]["suggestion"], "kg");
    assert_eq!(rows[2]["ucum"], false);
    assert_eq!(rows[2]["dimension"], Value::Null);
    assert!(rows[2]["reason"].as_str().unwrap().contains("uv"));
    assert_eq!(rows[2]["suggestion"], "uV");
    assert_eq!(rows[3]["factor"], Value::Null);
    assert_eq!(rows[3]["special"]["code"], "B");
    assert_eq!(rows[3]["special"]["scale"], 0.1);
    assert_eq!(rows[3]["special"]["kind"], "logarithm");
    let members = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(members(&rows[0]), members(&rows[2]));
    let output = run(&["--json", "uv"], b"");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn codes_come_from_standard_input_a_line_each() {
    let output = run(&["-"], b"m\r\n\n  \nhz\n-\nm\xff");
    assert_eq!(output.status.code(), Some(1));
    let rows = rows(&["K", "-", "s"], b"m\r\n\n  \nhz\n-\nm\xff");
    let codes: Vec<&str> = rows
        .iter()
        .map(|row| row["code"].as_str().unwrap())
        .collect();
    // Only a line with nothing in it is no code.
    assert_eq!(codes, ["K", "m", "  ", "hz", "-", "m\u{fffd}", "s"]);
    assert_eq!(rows[4]["suggestion"], "1");
    let nothing = run(&["-"], b"\n\n");
    assert_eq!(nothing.status.code(), Some(2));
    assert!(nothing.stdout.is_empty() && !nothing.stderr.is_empty());
    assert_eq!(run(&["-"], b"m").status.code(), Some(0));
    let much = vec![b'\n'; (16 << 20) + 1];
    assert_eq!(run(&["-"], &much).status.code(), Some(3));
}

#[test]
fn usage_is_told_apart() {
    assert_eq!(run(&[], b"").status.code(), Some(2));
    assert_eq!(run(&["-m"], b"").status.code(), Some(2));
    let minus = run(&["--", "-m"], b"");
    assert_eq!(minus.status.code(), Some(1));
    assert!(text(&minus).starts_with("-m "));
}

#[test]
fn lines_keep_to_the_width_and_harm_no_terminal() {
    let long = "kg.".repeat(60) + "m{\u{1b}[31m}";
    let spread = "{a}.".repeat(50) + "m";
    let output = run(
        &[
            &long,
            &"x".repeat(5000),
            &spread,
            "\u{1b}[31m",
            "kg.m2.s-3.A-1",
        ],
        b"",
    );
    let text = text(&output);
    assert!(!text.contains('\u{1b}'), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert_eq!(line.trim_end(), line, "{line:?}");
    }
    // Colours are dropped where no terminal is, so they are counted in nobody's columns.
    assert!(
        text.contains("kg.m2.s-3.A-1\n            UCUM: voltage"),
        "{text}"
    );
}
