//! `ca3-validate schema-lint`: exit codes, text and JSON.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

const GOOD: &str = "syntax = \"proto3\";\npackage lab.v1;\n\
    import \"ca3/options/v1/options.proto\";\n\
    message Temperature {\n  float value = 1 [(ca3.options.v1.unit) = \"Cel\"];\n}\n";

const BAD: &str = "syntax = \"proto3\";\npackage lab.v1;\n\
    import \"ca3/options/v1/options.proto\";\n\n\
    // Where an eye looks.\n\
    message Gaze {\n\
    \u{20} Direction direction = 1 [(ca3.options.v1.unit) = \"1\"];\n\
    \tfloat pupil = 2;  // in \u{1b}[31mmillimetres\n\
    \u{20} uint32 lamp_code = 3;\n\
    }\n\
    message Direction { float x = 1; float y = 2; float z = 3; }\n";

struct Bench(tempfile::TempDir);

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Bench(folder)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
            .arg("schema-lint")
            .args(args)
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn code(&self, args: &[&str]) -> i32 {
        self.run(args).status.code().unwrap()
    }

    fn text(&self, args: &[&str]) -> String {
        String::from_utf8(self.run(args).stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(&[args, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[test]
fn exit_codes() {
    let bench = Bench::new(&[
        ("good.proto", GOOD),
        ("bad.proto", BAD),
        ("broken.proto", "message {\n"),
    ]);
    assert_eq!(bench.code(&["good.proto"]), 0);
    assert_eq!(bench.code(&["good.proto", "--fail-on", "info"]), 0);
    assert_eq!(bench.code(&["bad.proto"]), 1);
    assert_eq!(bench.code(&["broken.proto"]), 1);
    assert_eq!(bench.code(&["good.proto", "missing.proto", "bad.proto"]), 3);
    assert_eq!(bench.code(&["."]), 3);
    assert_eq!(bench.code(&[]), 2);
    assert_eq!(bench.code(&["good.proto", "--no-such-option"]), 2);
    assert_eq!(bench.code(&["good.proto", "-I", "no-such-folder"]), 2);
    let unknown = bench.run(&["good.proto", "--message", "lab.v1.Temperatur"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert_eq!(
        said,
        "ca3-validate: no file declares a message lab.v1.Temperatur; did you mean \
         lab.v1.Temperature?\n"
    );
    let missing = bench.run(&["missing.proto"]);
    let said = String::from_utf8(missing.stderr).unwrap();
    assert!(said.starts_with("ca3-validate: missing.proto: "), "{said}");
    assert!(
        String::from_utf8(missing.stdout)
            .unwrap()
            .contains("1 file not read")
    );
}

#[test]
fn text_is_as_compilers_have_it() {
    let bench = Bench::new(&[
        ("bad.proto", BAD),
        ("broken.proto", "message M {\n  flot a 1;\n"),
    ]);
    let text = bench.text(&["bad.proto"]);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.contains('\u{1b}'));
    }
    for part in [
        "bad.proto:7:3: error CA3-5.2-04: Gaze.direction is spatial and declares no frame\n",
        "  7 |   Direction direction = 1 [(ca3.options.v1.unit) = \"1\"];\n    |   ^~~~~~",
        "bad.proto:8:2: error CA3-5.2-03: Gaze.pupil carries a number and declares no\n    unit (clause 2)\n",
        "  8 |  float pupil = 2;  // in \u{fffd}[31mmillimetres\n    |  ^~~~~~~~~~~~~~~~\n",
        "    expected a frame, found none\n",
        "    why: ",
        "bad.proto:9:3: warning CA3-5.2-08: ",
        "unchecked: whether integer fields without a unit are quantities or codes:\n",
        "\n2 errors, 1 warning; judged as schemas of streams: lab.v1.Gaze; not judged by\n  themselves: lab.v1.Direction\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let coloured = bench.text(&["bad.proto", "--color", "always"]);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31merror\u{1b}[0m CA3-5.2-03"));
    let text = bench.text(&["broken.proto"]);
    assert!(
        text.starts_with("broken.proto:2:10: error: expected "),
        "{text}"
    );
    assert!(
        text.ends_with("\n1 error of compilation; no message judged\n"),
        "{text}"
    );
}

#[test]
fn json_fits_its_schema() {
    let bench = Bench::new(&[
        ("good.proto", GOOD),
        ("bad.proto", BAD),
        ("broken.proto", "message {\n"),
    ]);
    let printed = Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
        .args(["schema", "lint"])
        .output()
        .unwrap();
    let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report = bench.json(&["bad.proto", "broken.proto", "missing.proto", "good.proto"]);
    if let Some(error) = validator.iter_errors(&report).next() {
        panic!("{error} at {}", error.instance_path());
    }
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["counts"]["error"], 2);
    let judged = serde_json::json!(["lab.v1.Gaze", "lab.v1.Temperature"]);
    assert_eq!(report["messages"]["judged"], judged);
    assert_eq!(report["compile_errors"][0]["line"], 1);
    assert_eq!(report["unread"][0]["file"], "missing.proto");
    let findings = report["findings"].as_array().unwrap();
    let pupil = findings
        .iter()
        .find(|it| it["path"] == "Gaze.pupil")
        .unwrap();
    assert_eq!(pupil["rule"], "CA3-5.2-03");
    assert_eq!(pupil["section"], "5.2");
    assert_eq!(
        (&pupil["line"], &pupil["column"]),
        (&Value::from(8), &Value::from(2))
    );
    assert_eq!(pupil["evidence"]["found"], "none");
    // Two runs give the same bytes.
    let again = bench.json(&["bad.proto", "broken.proto", "missing.proto", "good.proto"]);
    assert_eq!(report, again);
    let mut spoilt = report;
    spoilt["findings"][0]["column"] = Value::from(0);
    spoilt["more_of_it"] = Value::from(1);
    assert_eq!(validator.iter_errors(&spoilt).count(), 2);
}
