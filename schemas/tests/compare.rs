//! Two descriptors of one schema, from source text.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_reports::comparison::{Comparison, DifferenceKind, Standing};
use ca3_schema::compare::compare;
use ca3_schema::frames::Catalogue;
use ca3_schema::unit::{Relation, Unit};
use support::{file, one, set};

fn compared(a: &[u8], b: &[u8]) -> Comparison {
    compare("p.M", a, b, &Catalogue::default())
}

/// The differences between two bodies, a line each.
fn differences(a: &str, b: &str) -> Vec<String> {
    let comparison = compared(&one(a), &one(b));
    assert_eq!(comparison.standing, Standing::Different, "{a} {b}");
    comparison
        .differences
        .iter()
        .map(|it| {
            let apart = if it.in_payload { "" } else { "(apart) " };
            format!("{apart}{}: {}", it.path, it.message)
        })
        .collect()
}

#[test]
fn equal_bytes_are_comparable() {
    let set = one("message M { float a = 1 [(unit) = \"m\"]; }");
    let comparison = compared(&set, &set);
    assert_eq!(comparison.standing, Standing::Comparable);
    assert!(comparison.differences.is_empty() && comparison.notes.is_empty());
    // Whatever they are, and with a word on what they are not good for.
    let comparison = compared(&[0xff], &[0xff]);
    assert_eq!(comparison.standing, Standing::Comparable);
    assert!(comparison.notes[0].starts_with("nothing can be read by it"));
    let comparison = compare("p.N", &set, &set, &Catalogue::default());
    assert!(comparison.notes[0].contains("defines no such message"));
    for (a, b) in [(&[][..], &[][..]), (&set, &[]), (&[], &set)] {
        assert_eq!(compared(a, b).standing, Standing::Undescribed);
    }
}

#[test]
fn comments_are_told_apart_from_declarations() {
    let plain = one("message M { float a = 1; }");
    for (other, told) in [
        (
            "// Said.\nmessage M { float a = 1; }",
            "p.proto has other comments",
        ),
        (
            "\n\nmessage M { float a = 1; }",
            "p.proto has the same comments at other lines or columns",
        ),
    ] {
        let comparison = compared(&plain, &one(other));
        assert_eq!(comparison.standing, Standing::CommentsDiffer, "{told}");
        assert_eq!(comparison.notes, [told]);
        assert!(comparison.differences.is_empty());
    }
    // Both.
    let found = differences(
        "message M { float a = 1; }",
        "// Said.\nmessage M { float b = 1; }",
    );
    assert_eq!(found, ["M.a: name a in A, b in B"]);
}

#[test]
fn what_differs_is_told_by_path() {
    let inside = |fields: &str| format!("message M {{ {fields} }}");
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "float a = 1;",
            "float a = 1; bool b = 2;",
            &["M.b: a field that only B declares: bool b = 2"],
        ),
        (
            "float a = 1; bool b = 2;",
            "float a = 1;",
            &["M.b: a field that only A declares: bool b = 2"],
        ),
        (
            "float a = 1;",
            "float z = 1;",
            &["M.a: name a in A, z in B"],
        ),
        (
            "float a = 1;",
            "float a = 2;",
            &["M.a: number 1 in A, 2 in B"],
        ),
        // Two that changed places.
        (
            "float a = 1; float b = 2;",
            "float b = 1; float a = 2;",
            &["M.a: number 1 in A, 2 in B", "M.b: number 2 in A, 1 in B"],
        ),
        (
            "float a = 1;",
            "double a = 1;",
            &["M.a: type float in A, double in B"],
        ),
        (
            "map<string, float> a = 1;",
            "map<string, double> a = 1;",
            &["M.a: type map<string, float> in A, map<string, double> in B"],
        ),
        (
            "float a = 1;",
            "repeated float a = 1;",
            &["M.a: label singular in A, repeated in B"],
        ),
        (
            "float a = 1;",
            "optional float a = 1;",
            &["M.a: label singular in A, optional in B"],
        ),
        (
            "float a = 1;",
            "oneof o { float a = 1; }",
            &["M.a: label singular in A, one of o in B"],
        ),
        (
            "float a = 1 [(unit) = \"m\"];",
            "float a = 1;",
            &["M.a: unit m in A, none in B"],
        ),
        (
            "V a = 1 [(frame) = \"f\"];",
            "V a = 1 [(frame) = \"g\"];",
            &["M.a: frame f in A, g in B"],
        ),
        (
            "float a = 1; float b = 2; bool ok = 3 [(validity_for) = \"a\"];",
            "float a = 1; float b = 2; bool ok = 3 [(validity_for) = \"b\"];",
            &["M.ok: validity_for a in A, b in B"],
        ),
        (
            "repeated float a = 1 [(cardinality) = 0];",
            "repeated float a = 1 [(cardinality) = 3];",
            &["M.a: cardinality 0 (it varies) in A, 3 in B"],
        ),
        (
            "option (tensor_form) = { id: \"m.v1\" axes: { name: \"n\" length: 2 } };",
            "option (tensor_form) = { id: \"m.v1\" axes: { name: \"n\" length: 3 } };",
            &[
                "M: tensor form m.v1 [n (length 2)] no type  of  in A, m.v1 [n (length 3)] no \
                 type  of  in B",
            ],
        ),
        (
            "option (tensor_form) = { id: \"m.v1\" components: { name: \"n\" from: \"a\" } };",
            "option (tensor_form) = { id: \"m.v1\" components: { name: \"n\" from: \"b\" } };",
            &["M: tensor form: what its components are taken from differs"],
        ),
        // In a message that it holds, and in one that it does not hold.
        (
            "V a = 1; message N { float b = 1; }",
            "V a = 1; message N { double b = 1; } message O { message P {} }",
            &[
                "(apart) M.N.b: type float in A, double in B",
                "(apart) M.O: a message that only B declares",
            ],
        ),
        (
            "float a = 1 [deprecated = true];",
            "float a = 1;",
            &[
                "(apart) p.proto: something else of it differs: imports, options, the order of \
               declarations or how they are encoded",
            ],
        ),
        (
            "E e = 1; enum E { Z = 0; ONE = 1; TWO = 2; GONE = 4; }",
            "E e = 1; enum E { Z = 0; UNO = 1; TWO = 3; NEW = 5; }",
            &[
                "M.E.ONE: the value 1 is ONE in A, UNO in B",
                "M.E.TWO: number 2 in A, 3 in B",
                "M.E.GONE: a value that only A declares: 4",
                "M.E.NEW: a value that only B declares: 5",
            ],
        ),
    ];
    for (a, b, expected) in cases {
        let vector = "message V { float x = 1; float y = 2; }";
        // Spans differ between these, so they are all differences and no comments.
        let a = differences(
            &format!("{} {vector}", inside(a)),
            &format!("{} {vector}", inside(b)),
        );
        assert_eq!(a, *expected);
    }
}

#[test]
fn a_type_of_another_name_is_told_with_both() {
    assert_eq!(
        differences(
            "message M { V a = 1; } message V { float x = 1; }",
            "message M { W a = 1; } message W { float x = 1; }"
        ),
        [
            "M.a: type p.V in A, p.W in B",
            "V: a message that only A declares",
            "W: a message that only B declares",
        ]
    );
    assert_eq!(
        differences(
            "message M { int32 a = 1; }",
            "message M { E a = 1; } enum E { Z = 0; }"
        ),
        [
            "M.a: type int32 in A, p.E in B",
            "E: an enum that only B declares",
        ]
    );
}

/// Whatever units are taken to be.
#[test]
fn units_are_told_with_how_they_stand_to_each_other() {
    let unit = |unit: &str| format!("message M {{ float a = 1 [(unit) = \"{unit}\"]; }}");
    for (a, b) in [("m", "mm"), ("m", "s"), ("m/s2", "m.s-2")] {
        let (first, second) = (Unit::parse(a).unwrap(), Unit::parse(b).unwrap());
        let relation = match first.relation(&second) {
            Relation::Same => "another code of the same unit".to_owned(),
            Relation::Scale(factor) => format!("another scale, 1 {a} is {factor} {b}"),
            Relation::Dimension => "another dimension".to_owned(),
        };
        assert_eq!(
            differences(&unit(a), &unit(b)),
            [format!("M.a: unit {a} in A, {b} in B: {relation}")]
        );
    }
}

#[test]
fn files_beside_the_messages_own_count() {
    let whole = |import: &str| {
        format!(
            "syntax = \"proto3\";\npackage p;\nimport \"{import}\";\nmessage M {{ V v = 1; }}\n"
        )
    };
    let part = file("message V { float x = 1; }");
    let a = set(&[("m.proto", &whole("v.proto")), ("v.proto", &part)]);
    let b = set(&[("m.proto", &whole("w.proto")), ("w.proto", &part)]);
    let comparison = compared(&a, &b);
    assert_eq!(comparison.standing, Standing::Different);
    let kinds: Vec<(DifferenceKind, &str)> = comparison
        .differences
        .iter()
        .map(|it| (it.kind, it.path.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [
            (DifferenceKind::File, "v.proto"),
            (DifferenceKind::File, "w.proto"),
            (DifferenceKind::Other, "m.proto"),
        ]
    );
}

#[test]
fn a_descriptor_that_cannot_be_looked_into_is_told() {
    let good = one("message M { float a = 1; }");
    for (bad, told) in [
        (
            &[0xff, 0xff][..],
            "B: the descriptor is no FileDescriptorSet",
        ),
        (
            &one("message N {}")[..],
            "the descriptor of B defines no such message",
        ),
    ] {
        let comparison = compared(&good, bad);
        assert_eq!(comparison.standing, Standing::Different);
        let first = &comparison.differences[0];
        assert_eq!(first.kind, DifferenceKind::Descriptor);
        assert!(first.message.contains(told), "{first:?}");
    }
    // The same files in another order.
    let files: Vec<Vec<u8>> = ca3_wire::protobuf::fields(&good)
        .map(|field| {
            let bytes = field.unwrap().1.bytes().unwrap();
            let mut out = vec![10];
            ca3_wire::varint::encode(u64::try_from(bytes.len()).unwrap(), &mut out);
            out.extend(bytes);
            out
        })
        .collect();
    let turned: Vec<u8> = files.iter().rev().flatten().copied().collect();
    let comparison = compared(&good, &turned);
    assert_eq!(comparison.standing, Standing::Different);
    assert_eq!(
        comparison.differences[0].message,
        "the same declarations stand in another order, or are encoded otherwise"
    );
}

#[test]
fn frames_that_no_catalogue_declares_are_named() {
    let set =
        one("message M { V a = 1 [(frame) = \"f\"]; } message V { float x = 1; float y = 2; }");
    let comparison = compared(&set, &set);
    assert_eq!(comparison.standing, Standing::Comparable);
    assert!(comparison.notes[0].contains("no catalogue at hand declares f"));
}

#[test]
fn differences_are_kept_within_bounds_and_counted() {
    let fields = |kind: &str| -> String {
        (1..=1500)
            .map(|number| format!("{kind} f{number} = {number};"))
            .collect()
    };
    let message = |kind| one(&format!("message M {{ {} }}", fields(kind)));
    let comparison = compared(&message("float"), &message("double"));
    assert_eq!(comparison.differences.len(), 1000);
    assert_eq!(comparison.more, 500);
}
