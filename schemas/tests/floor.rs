//! The floor of §5.2 and validity channels of §5.6, from source text.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_schema::frames::Catalogue;
use support::{faults, judged_in};

const VECTOR: &str = "message V { float x = 1; float y = 2; float z = 3; }\n";

/// Judges `message M { … }` beside the vector type and a channel, and gives its faults.
fn found(fields: &str, besides: &str) -> Vec<String> {
    let body = format!("{VECTOR}{besides}message M {{ {fields} bool ok = 99; }}");
    let judgement = judged_in(&body, &Catalogue::default());
    faults(&judgement)
}

/// Each with the faults that it has.
#[test]
fn fields_and_their_faults() {
    let cases: &[(&str, &str, &[&str])] = &[
        // Clause 2, on the field or on what holds it.
        ("float a = 1 [(unit) = \"m\"];", "", &[]),
        ("float a = 1 [(unit) = \"1\"];", "", &[]),
        ("float a = 1;", "", &["E 5.2-03 M.a"]),
        ("float a = 1 [(unit) = \"\"];", "", &["E 5.2-03 M.a"]),
        ("uint32 a = 1;", "", &[]),
        (
            "repeated double a = 1 [(cardinality) = 0];",
            "",
            &["E 5.2-03 M.a"],
        ),
        ("map<string, float> a = 1;", "", &["E 5.2-03 M.a"]),
        ("map<string, float> a = 1 [(unit) = \"m\"];", "", &[]),
        (
            "oneof of { float a = 1; string b = 2; }",
            "",
            &["E 5.2-03 M.a"],
        ),
        (
            "One a = 1 [(unit) = \"m\"];",
            "message One { float value = 1; }",
            &[],
        ),
        (
            "One a = 1;",
            "message One { float value = 1; }",
            &["E 5.2-03 One.value"],
        ),
        // Held with a unit and without: it is the way without that lacks it.
        (
            "One a = 1 [(unit) = \"m\"]; One b = 2;",
            "message One { float value = 1; }",
            &["E 5.2-03 One.value"],
        ),
        // Two levels down.
        (
            "Two a = 1 [(unit) = \"m\"];",
            "message Two { One one = 1; } message One { float value = 1; }",
            &[],
        ),
        // One that holds itself.
        (
            "Tree a = 1;",
            "message Tree { float value = 1; Tree left = 2; Tree right = 3; }",
            &["E 5.2-03 Tree.value"],
        ),
        // Clause 3, and components of a spatial field.
        (
            "V a = 1 [(unit) = \"m\", (frame) = \"f\"];",
            "",
            &["E 5.5-01 M.a"],
        ),
        ("V a = 1 [(unit) = \"m\"];", "", &["E 5.2-04 M.a"]),
        ("V a = 1;", "", &["E 5.2-04 M.a", "E 5.2-03 M.a"]),
        (
            "W a = 1;",
            "message W { float x = 1 [(unit) = \"m\"]; float y = 2; }",
            &["E 5.2-04 M.a", "E 5.2-03 M.a.y"],
        ),
        // A pose is spatial where its parts are, and its parts may have the frames.
        (
            "Pose a = 1 [(unit) = \"m\"];",
            "message Pose { V at = 1; Q turned = 2; } \
             message Q { float x = 1; float y = 2; float z = 3; float w = 4; }",
            &["E 5.2-04 M.a"],
        ),
        // Not only numbers: the parts are judged by themselves.
        (
            "Eye a = 1;",
            "message Eye { V at = 1 [(unit) = \"m\"]; bool seen = 2; }",
            &["E 5.2-04 Eye.at"],
        ),
        // Names that are no axes.
        (
            "P a = 1 [(unit) = \"m\"];",
            "message P { float u = 1; float v = 2; }",
            &[],
        ),
        // Clause 4.
        ("repeated string a = 1;", "", &["E 5.2-05 M.a"]),
        ("repeated string a = 1 [(cardinality) = 0];", "", &[]),
        (
            "repeated V a = 1 [(unit) = \"m\"];",
            "",
            &["E 5.2-05 M.a", "E 5.2-04 M.a"],
        ),
        ("map<string, string> a = 1;", "", &[]),
        // Clause 7.
        ("uint32 key_code = 1;", "", &["W 5.2-08 M.key_code"]),
        ("uint32 key_code = 1; string text = 2;", "", &[]),
        ("uint32 decoder = 1;", "", &[]),
        (
            "\n// A usage code of some table.\nuint32 usage = 1;",
            "",
            &["W 5.2-08 M.usage"],
        ),
        ("Kind code = 1;", "enum Kind { NONE = 0; }", &[]),
        // Clause 5, where a value may be absent.
        (
            "optional float a = 1 [(unit) = \"m\"];",
            "",
            &["W 5.2-06 M.a"],
        ),
        (
            "optional float a = 1 [(unit) = \"m\"]; bool has = 2 [(validity_for) = \"a\"];",
            "",
            &[],
        ),
        // An enum beside a code resolves it as well as a string.
        (
            "uint32 vendor_code = 1; Kind kind = 2;",
            "enum Kind { NONE = 0; }",
            &[],
        ),
        ("uint32 coded_width = 1;", "", &[]),
        // Protobuf's own types: nobody can annotate these.
        ("google.protobuf.Struct a = 1;", "", &[]),
        ("google.protobuf.FloatValue a = 1;", "", &["E 5.2-03 M.a"]),
        (
            "google.protobuf.FloatValue a = 1 [(unit) = \"m\"];",
            "",
            &[],
        ),
        // A vector of any length is counted by what holds it.
        (
            "N a = 1 [(unit) = \"1\", (cardinality) = 128];",
            "message N { repeated double values = 1; }",
            &[],
        ),
        (
            "N a = 1 [(unit) = \"1\", (cardinality) = 128]; N b = 2 [(unit) = \"1\"];",
            "message N { repeated double values = 1; }",
            &["E 5.2-05 N.values"],
        ),
        // Two numbers without a dimension may be no place.
        (
            "U scroll = 1 [(unit) = \"1\"];",
            "message U { double x = 1; double y = 2; }",
            &["W 5.2-04 M.scroll"],
        ),
        (
            "U point = 1 [(unit) = \"m\"];",
            "message U { double x = 1; double y = 2; }",
            &["E 5.2-04 M.point"],
        ),
        // §5.4.
        ("float a = 1 [(unit) = \"m/s^2\"];", "", &["E 5.4-01 M.a"]),
    ];
    for (fields, besides, expected) in cases {
        assert_eq!(found(fields, besides), *expected, "{fields} {besides}");
    }
}

#[test]
fn channels_and_their_faults() {
    let joints = "repeated float joints = 1 [(unit) = \"m\", (cardinality) = 28];";
    let cases: &[(&str, &[&str])] = &[
        ("bool v = 2 [(validity_for) = \"joints\"];", &[]),
        (
            "repeated bool v = 2 [(validity_for) = \"joints\", (cardinality) = 28];",
            &[],
        ),
        (
            "bytes v = 2 [(validity_for) = \"joints\", (cardinality) = 28];",
            &[],
        ),
        (
            "repeated bool v = 2 [(validity_for) = \"joints\", (cardinality) = 27];",
            &["E 5.6-03 M.v"],
        ),
        (
            "repeated bool v = 2 [(validity_for) = \"joints\", (cardinality) = 0];",
            &["E 5.6-03 M.v"],
        ),
        (
            "bytes v = 2 [(validity_for) = \"joints\"];",
            &["W 5.6-03 M.v"],
        ),
        (
            "bool v = 2 [(validity_for) = \"joint\"];",
            &["E 5.6-01 M.v"],
        ),
        ("bool v = 2 [(validity_for) = \"v\"];", &["E 5.6-01 M.v"]),
        (
            "int32 v = 2 [(validity_for) = \"joints\"];",
            &["E 5.6-02 M.v"],
        ),
        (
            "float v = 2 [(validity_for) = \"joints\", (unit) = \"1\"];",
            &["E 5.6-02 M.v"],
        ),
        (
            "repeated bool v = 2 [(validity_for) = \"one\", (cardinality) = 1]; uint32 one = 3;",
            &["E 5.6-03 M.v"],
        ),
        (
            "bytes v = 2 [(validity_for) = \"block\", (cardinality) = 4]; \
             bytes block = 3 [(cardinality) = 4];",
            &[],
        ),
        (
            "bytes v = 2 [(validity_for) = \"block\", (cardinality) = 4]; bytes block = 3;",
            &["E 5.6-03 M.v"],
        ),
    ];
    for (channel, expected) in cases {
        assert_eq!(
            found(&format!("{joints} {channel}"), ""),
            *expected,
            "{channel}"
        );
    }
}

#[test]
fn what_no_descriptor_shows_is_left_open() {
    let body = "message M { repeated float a = 1 [(unit) = \"m\", (cardinality) = 0]; \
                bool v = 2 [(validity_for) = \"a\"]; uint32 n = 3; }";
    let judgement = judged_in(body, &Catalogue::default());
    assert_eq!(faults(&judgement), [""; 0]);
    let rules: Vec<_> = judgement
        .open
        .iter()
        .flat_map(|it| it.rules.clone())
        .collect();
    assert_eq!(
        rules,
        [
            "CA3-5.2-05",
            "CA3-5.2-06",
            "CA3-5.2-03",
            "CA3-5.2-08",
            "CA3-5.2-04",
            "CA3-5.6-04",
            "CA3-5.6-05"
        ]
    );
    let without = judged_in(
        "message M { float a = 1 [(unit) = \"m\"]; }",
        &Catalogue::default(),
    );
    assert_eq!(faults(&without), [""; 0]);
    assert_eq!(without.open[0].rules, ["CA3-5.2-06"]);
    assert!(without.open[0].what.contains("no validity channel"));
    assert_eq!(without.open[1].rules, ["CA3-5.2-04"]);
}

#[test]
fn the_number_of_faults_is_counted_past_what_is_kept() {
    let fields: String = (1..=1000).map(|n| format!("float f{n} = {n};")).collect();
    let judgement = judged_in(&format!("message M {{ {fields} }}"), &Catalogue::default());
    let kept = judgement.faults.iter().filter(|it| it.rule == "CA3-5.2-03");
    assert_eq!(kept.count(), 256);
    let totals: Vec<_> = judgement
        .totals
        .iter()
        .map(|(key, n)| (key.0, *n))
        .collect();
    assert_eq!(totals, [("CA3-5.2-03", 1000)]);
}
