//! Descriptor sets as files carry them (§5.1), and hostile ones.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_schema::descriptor;
use support::{faults, file, opened, set};

/// A field of wire type 2.
fn counted(number: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut left = body.len();
    while left > 0x7F {
        out.push(u8::try_from(left & 0x7F).unwrap() | 0x80);
        left >>= 7;
    }
    out.push(u8::try_from(left).unwrap());
    out.extend_from_slice(body);
    out
}

/// A FileDescriptorProto of proto3 with this inside.
fn bare(name: &str, package: &str, imports: &[&str], inside: &[u8]) -> Vec<u8> {
    let imports: Vec<u8> = imports
        .iter()
        .flat_map(|it| counted(3, it.as_bytes()))
        .collect();
    let file = [
        counted(1, name.as_bytes()),
        counted(2, package.as_bytes()),
        imports,
        inside.to_vec(),
        counted(12, b"proto3"),
    ]
    .concat();
    counted(1, &file)
}

fn message(name: &str) -> Vec<u8> {
    counted(4, &counted(1, name.as_bytes()))
}

/// The faults of a set without those of comments, which bare files lack.
fn found(set: &[u8], schema_id: &str) -> Vec<String> {
    let mut found = faults(&opened(set, schema_id).1);
    found.retain(|line| !line.contains("5.1-12"));
    found
}

/// Takes the file of this name out of a set.
fn without(set: &[u8], name: &str) -> Vec<u8> {
    let files = ca3_wire::protobuf::fields(set).map(|field| field.unwrap().1.bytes().unwrap());
    files
        .filter(|file| {
            let mut fields = ca3_wire::protobuf::fields(file).map(Result::unwrap);
            !fields.any(|(number, value)| number == 1 && value.bytes() == Some(name.as_bytes()))
        })
        .flat_map(|file| counted(1, file))
        .collect()
}

#[test]
fn a_set_is_the_closure_and_nothing_more() {
    let a = file("import \"b.proto\"; message M { B b = 1; }");
    let whole = set(&[
        ("a.proto", &a),
        ("b.proto", "syntax = \"proto3\"; package p; message B {}"),
    ]);
    assert_eq!(faults(&opened(&whole, "p.M").1), [""; 0]);
    assert!(opened(&whole, "p.M").0.is_some());
    assert_eq!(
        found(&without(&whole, "b.proto"), "p.M"),
        ["E 5.1-09 b.proto"]
    );
    let google = "google/protobuf/descriptor.proto";
    assert_eq!(
        found(&without(&whole, google), "p.M"),
        [format!("E 5.1-13 {google}")]
    );
    let surplus = [whole.clone(), bare("c.proto", "c", &[], &message("C"))].concat();
    assert_eq!(found(&surplus, "p.M"), ["E 5.1-10 c.proto"]);
    // Of another message, most of the set is surplus.
    let of_b = found(&whole, "p.B");
    assert_eq!(of_b.len(), 3, "{of_b:?}");
    let twice = [whole.clone(), bare("b.proto", "p", &[], &message("B"))].concat();
    assert_eq!(found(&twice, "p.M"), ["E 5.1-16 b.proto"]);
}

#[test]
fn comments_of_own_files_are_missed_and_of_others_are_not() {
    let own = bare("a.proto", "p", &["b.proto"], &message("M"));
    let other = bare("b.proto", "q", &[], &message("B"));
    let set = [own, other].concat();
    assert_eq!(faults(&opened(&set, "p.M").1), ["W 5.1-12 a.proto"]);
}

#[test]
fn a_name_is_full_and_the_descriptors() {
    let set = bare("a.proto", "p.v1", &[], &message("Imu"));
    assert!(opened(&set, "p.v1.Imu").0.is_some());
    for (name, near) in [
        ("Imu", "p.v1.Imu"),
        ("p.Imu.v1", "p.v1.Imu"),
        ("p.v1.Inu", "p.v1.Imu"),
    ] {
        let judgement = opened(&set, name).1;
        assert_eq!(faults(&judgement), [format!("E 5.1-11 {name}")]);
        let evidence = judgement.faults[0].evidence.clone().unwrap();
        assert_eq!(evidence.expected, near, "{name}");
    }
    assert_eq!(faults(&opened(&set, "").1), ["E 5.1-11 "]);
    assert_eq!(faults(&opened(&set, ".p.v1.Imu").1), ["E 5.1-11 .p.v1.Imu"]);
}

#[test]
fn what_is_no_set_is_said_and_no_more() {
    assert_eq!(faults(&opened(&[], "p.M").1), ["W 5.1-16 p.M"]);
    assert_eq!(faults(&opened(&[0xFF; 20], "p.M").1), ["E 5.1-16 p.M"]);
    // A field of a type that nothing declares.
    let field = [
        counted(1, b"f"),
        vec![3 << 3, 1, 4 << 3, 1, 5 << 3, 11],
        counted(6, b".p.Missing"),
    ]
    .concat();
    let declared = counted(4, &[counted(1, b"M"), counted(2, &field)].concat());
    let set = bare("a.proto", "p", &[], &declared);
    assert_eq!(faults(&opened(&set, "p.M").1), ["E 5.1-16 p.M"]);
    // An edition: not read, and not called wrong.
    let edition = counted(
        1,
        &[
            counted(1, b"a.proto"),
            counted(12, b"editions"),
            vec![14 << 3, 0xE8, 0x07],
        ]
        .concat(),
    );
    let judgement = opened(&edition, "M").1;
    assert_eq!(faults(&judgement), [""; 0]);
    assert_eq!(judgement.open.len(), 1);
}

/// The order of files in a set is no rule of the document.
#[test]
fn files_in_any_order_build() {
    let sets = [
        bare("a.proto", "p", &["b.proto"], &message("M")),
        bare("b.proto", "p", &["c.proto"], &message("B")),
        bare("c.proto", "p", &[], &message("C")),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let set = order.map(|index: usize| sets[index].clone()).concat();
        assert_eq!(found(&set, "p.M"), [""; 0], "{order:?}");
    }
}

#[test]
fn imports_in_a_circle_end() {
    let itself = bare("a.proto", "p", &["a.proto"], &message("M"));
    assert_eq!(found(&itself, "p.M"), ["E 5.1-16 a.proto"]);
    let two = [
        bare("a.proto", "p", &["b.proto"], &message("M")),
        bare("b.proto", "p", &["a.proto"], &message("B")),
        bare("d.proto", "p", &["a.proto"], &message("D")),
    ]
    .concat();
    assert_eq!(found(&two, "p.M"), ["E 5.1-16 a.proto"]);
    let chain: Vec<u8> = (0..2_000)
        .flat_map(|n| bare(&n.to_string(), "p", &[&(n + 1).to_string()], &[]))
        .collect();
    assert_eq!(found(&chain, "p.M"), ["E 5.1-09 2000"]);
}

/// 100,000 fields, 20,000 messages each in the next, a message of itself, and nesting.
#[test]
fn large_and_deep_sets_are_judged_within_bounds() {
    let field = |name: &str, number: u32, kind: u8, of: &str| {
        let mut tag = vec![3 << 3];
        let mut left = number;
        while left > 0x7F {
            tag.push(u8::try_from(left & 0x7F).unwrap() | 0x80);
            left >>= 7;
        }
        tag.push(u8::try_from(left).unwrap());
        let of = if of.is_empty() {
            Vec::new()
        } else {
            counted(6, of.as_bytes())
        };
        let body = [
            counted(1, name.as_bytes()),
            tag,
            vec![4 << 3, 1, 5 << 3, kind],
            of,
        ]
        .concat();
        counted(2, &body)
    };
    let judge = |set: &[u8]| {
        let (described, mut judgement) = opened(set, "p.M");
        let described = described.unwrap_or_else(|| panic!("{:?}", faults(&judgement)));
        let frames = ca3_schema::frames::Catalogue::default();
        ca3_schema::judge(&described, &frames, &mut judgement);
        judgement
    };
    let many: Vec<u8> = (1..=100_000)
        .filter(|number| !(19_000..20_000).contains(number))
        .flat_map(|number| field(&format!("f{number}"), number, 2, ""))
        .collect();
    let wide = bare(
        "a.proto",
        "p",
        &[],
        &counted(4, &[counted(1, b"M"), many].concat()),
    );
    let judgement = judge(&wide);
    let totals: Vec<u64> = judgement.totals.values().copied().collect();
    assert_eq!(totals, [1, 99_000]);
    let mut chain = counted(
        4,
        &[counted(1, b"M"), field("next", 1, 11, ".p.M1")].concat(),
    );
    for n in 1..=20_000 {
        let next = format!(".p.M{}", n + 1);
        let body = [
            counted(1, format!("M{n}").as_bytes()),
            field("next", 1, 11, &next),
        ]
        .concat();
        chain.extend(counted(4, &body));
    }
    chain.extend(message("M20001"));
    judge(&bare("a.proto", "p", &[], &chain));
    let itself = counted(
        4,
        &[counted(1, b"M"), field("next", 1, 11, ".p.M")].concat(),
    );
    judge(&bare("a.proto", "p", &[], &itself));
    let mut nested = counted(1, b"M");
    for _ in 0..2_000 {
        nested = [counted(1, b"M"), counted(3, &nested)].concat();
    }
    let deep = bare("a.proto", "p", &[], &counted(4, &nested));
    assert_eq!(found(&deep, "p.M"), ["E 5.1-16 p.M"]);
    let files: Vec<u8> = (0..3_000)
        .flat_map(|n| bare(&n.to_string(), "p", &[], &[]))
        .collect();
    assert_eq!(opened(&files, "p.M").1.open.len(), 1);
    let large = vec![0; usize::try_from(descriptor::MOST_BYTES).unwrap() + 1];
    assert_eq!(opened(&large, "p.M").1.open.len(), 1);
}

/// A sound set, cut and changed at every byte: judged to its end.
#[test]
fn no_cut_and_no_change_panics() {
    let body = "message M { float x = 1 [(unit) = \"m\"]; repeated M m = 2 [(cardinality) = 3]; \
                bool v = 3 [(validity_for) = \"m\"]; enum K { A = 0; } K k = 4; \
                option (tensor_form) = { id: \"a.v1\" element_type: FLOAT32 \
                axes { name: \"a\" length: 1 } components { name: \"x\" from: \"x\" } }; }";
    // Google's file alone is 11 KB, and no change in it is of interest here.
    let set = without(&support::one(body), "google/protobuf/descriptor.proto");
    let google = support::one("message M {}");
    let google = ca3_wire::protobuf::fields(&google)
        .map(|it| it.unwrap().1.bytes().unwrap())
        .next()
        .unwrap();
    let frames = ca3_schema::frames::Catalogue::default();
    let judge = |set: &[u8]| {
        let whole = [counted(1, google), set.to_vec()].concat();
        let (described, mut judgement) = opened(&whole, "p.M");
        if let Some(described) = described {
            ca3_schema::judge(&described, &frames, &mut judgement);
        }
        judgement
    };
    assert!(
        faults(&judge(&set)).is_empty(),
        "{:?}",
        faults(&judge(&set))
    );
    for place in 0..set.len() {
        judge(&set[..place]);
        let mut changed = set.clone();
        changed[place] ^= [0x01, 0x80, 0xFF][place % 3];
        judge(&changed);
    }
}
