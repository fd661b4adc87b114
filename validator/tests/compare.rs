//! `ca3-validate compare`: files made record by record, and what is said of two.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::process::{Command, Output};

use ca3_spec::proto;
use ca3_vectors::Corpus;
use ca3_wire::records::{Schema, Stream};
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};
use serde_json::Value;
use support::recording::Recording;

struct Sources(String);

impl FileResolver for Sources {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let source = match name {
            "m.proto" => self.0.as_str(),
            _ if name == proto::OPTIONS.path => proto::OPTIONS.source,
            _ => return Err(protox::Error::file_not_found(name)),
        };
        File::from_source(name, source)
    }
}

/// The descriptor set of `lab.v1`, with these messages.
fn descriptor(messages: &str) -> Vec<u8> {
    let source = format!(
        "syntax = \"proto3\";\npackage lab.v1;\nimport \"ca3/options/v1/options.proto\";\n\
         option optimize_for = SPEED;\n{}",
        messages.replace("(unit)", "(ca3.options.v1.unit)")
    );
    let mut resolver = ChainFileResolver::new();
    resolver.add(Sources(source));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    compiler.open_file("m.proto").unwrap();
    compiler.encode_file_descriptor_set()
}

/// A file of these schemas (reference, name, descriptor) and streams (reference, schema,
/// topic), which its writer did not finish.
fn recording(schemas: &[(u32, &str, &[u8])], streams: &[(u32, u32, &str)]) -> Vec<u8> {
    let mut file = Recording::default();
    for (schema_ref, schema_id, descriptor) in schemas {
        file = file.record(&Schema {
            schema_ref: *schema_ref,
            schema_id: (*schema_id).to_owned(),
            encoding: "protobuf".to_owned(),
            descriptor: descriptor.to_vec(),
        });
    }
    for (stream_ref, schema_ref, topic) in streams {
        file = file.stream_of(Stream {
            stream_ref: *stream_ref,
            schema_ref: *schema_ref,
            topic: (*topic).to_owned(),
            ..Stream::default()
        });
    }
    file.bytes()
}

struct Compared {
    output: Output,
}

impl Compared {
    fn code(&self) -> i32 {
        self.output.status.code().unwrap()
    }

    fn text(&self) -> String {
        let text = String::from_utf8(self.output.stdout.clone()).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        text
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.output.stdout).unwrap()
    }
}

fn compared(a: &[u8], b: &[u8], args: &[&str]) -> Compared {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.ca3"), a).unwrap();
    fs::write(folder.path().join("b.ca3"), b).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
        .args(["compare", "a.ca3", "b.ca3"])
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    Compared { output }
}

const GAZE: &str = "message Gaze { float x = 1 [(unit) = \"m\"]; float y = 2 [(unit) = \"m\"]; }\n";

#[test]
fn equal_descriptors_are_comparable() {
    let set = descriptor(GAZE);
    let a = recording(
        &[(1, "lab.v1.Gaze", &set), (2, "lab.v1.Gaze", &set)],
        &[(1, 1, "/left"), (2, 2, "/right"), (3, 0, "/raw")],
    );
    let b = recording(
        &[(7, "lab.v1.Gaze", &set), (8, "lab.v1.Other", &[])],
        &[(4, 7, "/gaze"), (5, 8, "/other")],
    );
    let compared = compared(&a, &b, &[]);
    assert_eq!(compared.code(), 0);
    assert_eq!(
        compared.text(),
        "A: a.ca3 (not sealed: what it holds so far is compared)\n\
         B: b.ca3 (not sealed: what it holds so far is compared)\n\n\
         lab.v1.Gaze: comparable\n\
         \u{20} A: schemas 1, 2, /left (stream 1), /right (stream 2)\n\
         \u{20} B: schema 7, /gaze (stream 4)\n\n\
         without a schema in A: /raw (stream 3)\n\
         only in B: lab.v1.Other, /other (stream 5)\n\
         1 schema is in both files, and comparable\n"
    );
}

#[test]
fn unequal_ones_are_told_with_what_differs() {
    let other = "message Gaze { double x = 1 [(unit) = \"mm\"]; float z = 2 [(unit) = \"m\"]; \
                 bool ok = 3; }\n";
    let file = |messages: &str, topic| {
        let set = descriptor(messages);
        recording(&[(1, "lab.v1.Gaze", &set)], &[(1, 1, topic)])
    };
    let compared_ = compared(&file(GAZE, "/gaze"), &file(other, "/gaze"), &[]);
    assert_eq!(compared_.code(), 1);
    let text = compared_.text();
    for part in [
        "\nlab.v1.Gaze: not comparable\n",
        "\n  Gaze.x: type float in A, double in B\n",
        "\n  Gaze.x: unit m in A, mm in B: another ",
        "\n  Gaze.y: name y in A, z in B\n",
        "\n  Gaze.ok: a field that only B declares: bool ok = 3\n",
        "\n1 schema is in both files, and not comparable\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let commented = format!("// Where an eye looks.\n{GAZE}");
    let compared_ = compared(&file(GAZE, "/gaze"), &file(&commented, "/gaze"), &[]);
    assert_eq!(compared_.code(), 1);
    let text = compared_.text();
    for part in [
        "lab.v1.Gaze: not comparable: comments alone differ; the document compares bytes,\n    and values mean the same\n",
        "  note: m.proto has other comments\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // No more than a screenful.
    let many = |kind: &str| {
        let fields: String = (1..=50)
            .map(|number| format!("{kind} f{number} = {number}; "))
            .collect();
        file(&format!("message Gaze {{ {fields} }}"), "/gaze")
    };
    let text = compared(&many("float"), &many("double"), &[]).text();
    assert!(
        text.contains("\n  and 30 more (--json lists them)\n"),
        "{text}"
    );
    assert!(text.lines().count() < 32, "{text}");
}

#[test]
fn several_descriptors_of_one_schema_are_each_compared() {
    let (first, second) = (
        descriptor(GAZE),
        descriptor("message Gaze { float x = 1; }"),
    );
    let a = recording(
        &[(1, "lab.v1.Gaze", &first), (2, "lab.v1.Gaze", &second)],
        &[(1, 1, "/one"), (2, 2, "/two")],
    );
    let b = recording(&[(1, "lab.v1.Gaze", &first)], &[(1, 1, "/gaze")]);
    let compared = compared(&a, &b, &["--json"]);
    assert_eq!(compared.code(), 1);
    let report = compared.json();
    let standings: Vec<&str> = report["schemas"]
        .as_array()
        .unwrap()
        .iter()
        .map(|schema| schema["standing"].as_str().unwrap())
        .collect();
    assert_eq!(standings, ["comparable", "different"]);
    assert_eq!(
        report["schemas"][0]["notes"][0],
        "A has 2 different descriptors of lab.v1.Gaze: each is compared"
    );
}

#[test]
fn files_that_have_nothing_in_common_or_cannot_be_read() {
    let set = descriptor(GAZE);
    let a = recording(&[(1, "lab.v1.Gaze", &set)], &[(1, 1, "/gaze")]);
    let none = recording(&[], &[(1, 0, "/raw")]);
    let apart = compared(&a, &none, &[]);
    assert_eq!(apart.code(), 1);
    assert!(
        apart
            .text()
            .ends_with("no schema is in both files: nothing is comparable\n")
    );
    let other = compared(&a, b"not at all", &[]);
    assert_eq!(other.code(), 3);
    assert!(other.output.stdout.is_empty());
    let said = String::from_utf8(other.output.stderr).unwrap();
    assert!(said.starts_with("ca3-validate: b.ca3: "), "{said}");
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ca3-validate"));
        command
            .arg("compare")
            .args(args)
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(run(&["no-such-file", "no-such-file"]), Some(3));
    assert_eq!(run(&[".", "."]), Some(3));
    assert_eq!(run(&["a"]), Some(2));
}

#[test]
fn a_damaged_file_gives_what_it_holds() {
    let set = descriptor(GAZE);
    let whole = recording(&[(1, "lab.v1.Gaze", &set)], &[(1, 1, "/gaze")]);
    // Behind the definitions, a record that does not end.
    let cut = [whole.as_slice(), &[5, 255, 255, 255, 255, 0, 0, 0, 0]].concat();
    let compared_ = compared(&whole, &cut, &[]);
    assert_eq!(compared_.code(), 0);
    let text = compared_.text();
    assert!(
        text.contains(
            "B: b.ca3 (not sealed, damaged: what it still holds is compared)\n   at offset "
        ),
        "{text}"
    );
    // Cut anywhere, there is a verdict or a reason, and no crash.
    for at in (0..whole.len()).step_by(97) {
        let compared = compared(whole.get(..at).unwrap(), &whole, &[]);
        assert!([1, 3].contains(&compared.code()), "{at}");
    }
    // Every vector against itself.
    let cases = Corpus::embedded().cases().unwrap();
    let sealed = cases.iter().filter_map(|case| case.valid.as_ref());
    for bytes in sealed.step_by(200) {
        let compared = compared(bytes, bytes, &[]);
        assert!([0, 1].contains(&compared.code()), "{}", compared.text());
    }
}

#[test]
fn json_fits_its_schema() {
    let printed = Command::new(env!("CARGO_BIN_EXE_ca3-validate"))
        .args(["schema", "comparison"])
        .output()
        .unwrap();
    let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (first, second) = (descriptor(GAZE), descriptor("message Gaze { bool x = 1; }"));
    let a = recording(
        &[
            (1, "lab.v1.Gaze", &first),
            (2, "lab.v1.A", &first),
            (3, "lab.v1.E", &[]),
        ],
        &[(1, 1, "/gaze"), (2, 2, "/a"), (3, 0, "/raw")],
    );
    let b = recording(
        &[(1, "lab.v1.Gaze", &second), (2, "lab.v1.E", &[])],
        &[(1, 1, "/gaze")],
    );
    let cut = [b.as_slice(), &[5, 0, 0]].concat();
    let report = compared(&a, &cut, &["--json"]).json();
    if let Some(error) = validator.iter_errors(&report).next() {
        panic!("{error} at {}", error.instance_path());
    }
    assert_eq!(report["comparable"], false);
    assert_eq!(report["schemas"][0]["standing"], "undescribed");
    assert_eq!(report["schemas"][1]["differences"][0]["kind"], "type");
    assert_eq!(report["a"]["only_here"][0]["schema_id"], "lab.v1.A");
    assert_eq!(report["a"]["undescribed"][0]["topic"], "/raw");
    assert_eq!(report["b"]["whole"], false);
    let mut spoilt = report;
    spoilt["schemas"][0]["standing"] = Value::from("alike");
    spoilt["a"]["more"] = Value::from(1);
    assert_eq!(validator.iter_errors(&spoilt).count(), 2);
}
