//! Each check on bytes worked out by hand, where it holds and where it does not.

use ca3_schema::payload::{Plan, Walk};
use prost_reflect::{DescriptorPool, DynamicMessage};

use crate::protos::{message, plan, proto2, proto3};

/// Bytes from hexadecimal digits, and text between quotes.
fn bytes(text: &str) -> Vec<u8> {
    let mut found = Vec::new();
    for (index, part) in text.split('\'').enumerate() {
        if index % 2 == 1 {
            found.extend_from_slice(part.as_bytes());
            continue;
        }
        for pair in part.split_whitespace() {
            match pair.split_once('*') {
                Some((byte, times)) => {
                    let byte = u8::from_str_radix(byte, 16).unwrap();
                    found.resize(found.len() + times.parse::<usize>().unwrap(), byte);
                }
                None => found.push(u8::from_str_radix(pair, 16).unwrap()),
            }
        }
    }
    found
}

/// What is wrong, a line each: rule, path, byte, expected and found.
fn flaws(plan: &Plan, payload: &[u8], block_offset: Option<u32>) -> Vec<String> {
    let mut walk = Walk::default();
    let flaws = plan.check(payload, block_offset, &mut walk).to_vec();
    assert!(!walk.is_cut());
    let lines = flaws.iter().map(|flaw| {
        let fault = plan.describe(flaw);
        assert_eq!((fault.rule, fault.severity), (flaw.rule(), flaw.severity()));
        assert!(fault.place.is_some(), "{fault:?}");
        let evidence = fault.evidence.unwrap();
        assert!(!fault.message.is_empty());
        format!(
            "{} {} @{}: {} / {}",
            fault.rule.trim_start_matches("CA3-"),
            fault.path,
            flaw.offset,
            evidence.expected,
            evidence.found
        )
    });
    lines.collect()
}

#[track_caller]
fn sound(pool: &DescriptorPool, name: &str, payload: &str) {
    wrong(pool, name, payload, &[]);
}

#[track_caller]
fn wrong(pool: &DescriptorPool, name: &str, payload: &str, expected: &[&str]) {
    let plan = plan(pool, name);
    assert!(plan.open().is_empty(), "{:?}", plan.open());
    assert_eq!(flaws(&plan, &bytes(payload), None), expected, "{payload}");
}

const KINDS: &str = "
    enum Side { NONE = 0; LEFT = 1; RIGHT = 2; FAR = 9; }
    message In { sint32 z = 1; In in = 2; }
    message M {
      uint64 n = 1; double d = 2; float f = 3; string s = 4; bytes b = 5; In in = 6;
      repeated uint32 ns = 7; repeated float fs = 8; repeated In ins = 9;
      map<string, uint32> m = 10; Side side = 11; repeated Side sides = 12;
      repeated double ds = 13 [packed = false]; repeated string ss = 14;
      oneof one { bool yes = 15; In other = 16; }
      uint64 far = 200000;
    }";

#[test]
fn a_payload_of_its_schema_is_sound() {
    let pool = proto3(KINDS);
    for payload in [
        "",
        // Every kind once.
        "08 96 01 11 00*8 1D 00*4 22 02 'hi' 2A 02 FF FE 32 02 08 01",
        // Repeated scalars of either declaration, packed and not, side by side.
        "3A 03 01 96 01 38 07 42 08 00*8 45 00*4 3A 00",
        "6A 10 00*16 69 00*8",
        // Elements, entries of a map, one without a key, a value of each enum.
        "4A 00 4A 02 08 01 52 05 0A 01 'a' 10 01 52 00 58 09 62 02 00 01 60 02",
        "78 01 82 01 02 08 01 72 01 'x' 72 00",
        // A field whose number is large.
        "80 D4 61 05",
        // A varint that is longer than it must be, of a value and of a tag.
        "08 81 80 00 88 00 01",
        // The largest number; a uint32 of more bits than it has, which parsers cut off.
        "08 FF*9 01 38 FF*9 01",
        // Fields that the schema does not have, a group in a group among them.
        "98 06 01 99 06 00*8 9A 06 01 00 9D 06 00*4 9B 06 08 01 0B 0C 9C 06",
        // A singular field that stands twice, and a message in pieces.
        "08 01 08 02 32 02 08 01 32 02 08 02",
    ] {
        sound(&pool, "M", payload);
    }
}

#[test]
fn a_payload_that_does_not_decode_gives_one_flaw_at_its_byte() {
    let pool = proto3(KINDS);
    for (payload, flaw) in [
        ("08 01 2A 05 01 02", "M.b @3: 5 bytes / 2"),
        ("2A FF*9 01", "M.b @1: 18446744073709551615 bytes / 0"),
        ("32 03 08 01", "M.in @1: 3 bytes / 2"),
        ("32 02 08", "M.in @1: 2 bytes / 1"),
        // The inner field runs past the inner message, not past the payload.
        ("32 01 08 01", "In.z @3: a byte below 0x80 / none"),
        ("32 03 12 05 08 01 08 01", "In.in @3: 5 bytes / 1"),
        ("08", "M.n @1: a byte below 0x80 / none"),
        ("08 80 80", "M.n @1: a byte below 0x80 / none"),
        ("08 80*10 01", "M.n @1: 64 bits at most / more"),
        ("08 FF*9 02", "M.n @1: 64 bits at most / more"),
        ("11 00*7", "M.d @1: 8 bytes / 7"),
        ("1D 00*3", "M.f @1: 4 bytes / 3"),
        ("00 00", "M @0: 1 or more / 0"),
        ("08 01 07", "M @2: 1 or more / 0"),
        ("FF FF FF FF 1F 00", "M @0: a tag / a larger number"),
        ("80", "M @0: a byte below 0x80 / none"),
        // Another wire type than the field's type has.
        ("0A 01 00", "M.n @0: a varint / bytes of a stated length"),
        ("08 01 0D 00*4", "M.n @2: a varint / 4 bytes"),
        ("10 01", "M.d @0: 8 bytes / a varint"),
        ("20 01", "M.s @0: bytes of a stated length / a varint"),
        ("30 01", "M.in @0: bytes of a stated length / a varint"),
        ("33 34", "M.in @0: bytes of a stated length / a group"),
        ("50 01", "M.m @0: bytes of a stated length / a varint"),
        ("3D 00*4", "M.ns @0: a varint / 4 bytes"),
        ("5A 01 01", "M.side @0: a varint / bytes of a stated length"),
        ("52 02 08 01", "M.m @2: bytes of a stated length / a varint"),
        ("0F", "M.n @0: 0 to 5 / 7"),
        ("9E 06", "M.99 @2: 0 to 5 / 6"),
        // Elements side by side.
        ("42 06 00*6", "M.fs @6: 4 bytes / 2"),
        ("3A 03 01 02 80", "M.ns @4: a byte below 0x80 / none"),
        ("62 02 01 80", "M.sides @3: a byte below 0x80 / none"),
        // Text.
        ("22 03 'a' FF 'b'", "M.s @3: UTF-8 / other bytes"),
        ("72 02 C3 28", "M.ss @2: UTF-8 / other bytes"),
        ("52 03 0A 01 C3", "M.m @4: UTF-8 / other bytes"),
        // Groups.
        (
            "9B 06 08 01",
            "M.99 @2: the end of the group / the end of its message",
        ),
        ("9B 06 0C", "M.99 @3: a field / the end of a group"),
        ("0C", "M.n @0: a field / the end of a group"),
        ("9C 06", "M.99 @2: a field / the end of a group"),
    ] {
        wrong(&pool, "M", payload, &[&format!("5.1-15 {flaw}")]);
    }
    // What was found before is not told: the payload is something else.
    wrong(
        &pool,
        "M",
        "58 05 08",
        &["5.1-15 M.n @3: a byte below 0x80 / none"],
    );
}

/// A tag, a length and so many bytes.
fn delimited(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![tag];
    ca3_wire::varint::encode(bytes.len().try_into().unwrap(), &mut field);
    field.extend_from_slice(bytes);
    field
}

#[test]
fn a_hundred_levels_are_read_and_one_more_is_not() {
    let pool = proto3(KINDS);
    // In.in is field 2, M.in field 6.
    let nested = |levels: usize| {
        (0..levels).fold(Vec::new(), |inner: Vec<u8>, level| {
            delimited(if level + 1 == levels { 0x32 } else { 0x12 }, &inner)
        })
    };
    let plan = plan(&pool, "M");
    assert_eq!(flaws(&plan, &nested(100), None), [""; 0]);
    let found = flaws(&plan, &nested(101), None);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("5.1-15 In.in @"), "{found:?}");
    assert!(found[0].ends_with(": 100 levels / more"), "{found:?}");
    // An entry of a map is none: what it holds is.
    let pool = proto3("message T { map<uint32, T> by = 1; }");
    let maps = |levels| {
        (0..levels).fold(Vec::new(), |inner: Vec<u8>, _| {
            let value = delimited(0x12, &inner);
            delimited(0x0A, &value)
        })
    };
    let of_maps = crate::protos::plan(&pool, "T");
    for (levels, sound) in [(100, true), (101, false)] {
        let payload = maps(levels);
        assert_eq!(
            flaws(&of_maps, &payload, None).is_empty(),
            sound,
            "{levels}"
        );
        let decoded = DynamicMessage::decode(message(&pool, "T"), &*payload);
        assert_eq!(decoded.is_ok(), sound, "{levels}");
    }
    // Groups that the schema does not have are levels as well.
    let groups = |levels| [vec![0x0B; levels], vec![0x0C; levels]].concat();
    let other = crate::protos::plan(&proto3("message E {}"), "E");
    assert_eq!(flaws(&other, &groups(100), None), [""; 0]);
    assert_eq!(
        flaws(&other, &groups(101), None),
        ["5.1-15 E.1 @101: 100 levels / more"]
    );
}

#[test]
fn proto2_has_required_fields_groups_extensions_and_strings_of_any_bytes() {
    let pool = proto2(
        "message M {
           required uint32 id = 1;
           optional group Part = 2 { required uint32 a = 1; repeated group Bit = 4 {} }
           repeated group Row = 3 { optional string s = 1; }
           optional string s = 5;
           extensions 100 to 199;
         }
         extend M { optional fixed32 more = 100; optional M within = 101; }",
    );
    sound(
        &pool,
        "M",
        "08 01 13 08 01 14 1B 1C 1B 0A 01 FF 1C 2A 01 FF",
    );
    sound(
        &pool,
        "M",
        "08 01 13 08 01 23 24 14 A5 06 00*4 AA 06 02 08 01",
    );
    // Required fields stand in either piece of a message that stands in two.
    sound(&pool, "M", "13 14 08 01 13 08 01 14");
    for (payload, flaw) in [
        ("", "5.1-15 M.id @0: a value / none"),
        ("08 01 13 14", "5.1-15 M.Part.a @3: a value / none"),
        ("08 01 AA 06 00", "5.1-15 M.id @5: a value / none"),
        (
            "08 01 13 08 01",
            "5.1-15 M.Part @3: the end of the group / the end of its message",
        ),
        (
            "08 01 13 1C",
            "5.1-15 M.Part.3 @4: a field / the end of a group",
        ),
        (
            "08 01 12 02 08 01",
            "5.1-15 M.part @2: a group / bytes of a stated length",
        ),
        ("08 01 A0 06 01", "5.1-15 M.[t.more] @2: 4 bytes / a varint"),
    ] {
        wrong(&pool, "M", payload, &[flaw]);
    }
}

#[test]
fn values_of_enums_have_names() {
    let pool = proto3(KINDS);
    wrong(
        &pool,
        "M",
        "58 03",
        &["5.2-11 M.side @1: a value of t.Side / 3"],
    );
    wrong(
        &pool,
        "M",
        "58 FF*9 01",
        &["5.2-11 M.side @1: a value of t.Side / -1"],
    );
    wrong(
        &pool,
        "M",
        "62 04 01 08 09 0A 60 07",
        &[
            "5.2-11 M.sides @3: a value of t.Side / 8",
            "5.2-11 M.sides @5: a value of t.Side / 10",
            "5.2-11 M.sides @7: a value of t.Side / 7",
        ],
    );
    let closed = proto2("enum E { A = -2; B = 5; } message M { optional E e = 1; }");
    sound(&closed, "M", "08 FE FF*8 01");
    wrong(
        &closed,
        "M",
        "08 04",
        &["5.2-11 M.e @1: a value of t.E / 4"],
    );
}

#[test]
fn a_declared_cardinality_is_kept() {
    let pool = proto3(
        "message P { float x = 1; }
         message M {
           repeated float fs = 1 [(ca3.options.v1.cardinality) = 3];
           repeated P ps = 2 [(ca3.options.v1.cardinality) = 2];
           repeated uint32 any = 3 [(ca3.options.v1.cardinality) = 0];
           bytes block = 4 [(ca3.options.v1.cardinality) = 5];
         }
         message Held { M m = 1; repeated M ms = 2; map<uint32, M> by = 3; }
         message V {
           repeated float fs = 1 [(ca3.options.v1.cardinality) = 2];
           bool ok = 2 [(ca3.options.v1.validity_for) = \"fs\"];
         }",
    );
    let whole = "0A 0C 00*12 12 00 12 00 18 01 18 02 18 03";
    sound(&pool, "M", whole);
    // Elements add up over packed and unpacked ones.
    sound(&pool, "M", "0A 04 00*4 0D 00*4 12 00 0A 04 00*4 12 00");
    wrong(
        &pool,
        "M",
        "0A 08 00*8 12 00 12 00 12 00",
        &["5.3-03 M.fs @2: 3 / 2", "5.3-03 M.ps @16: 2 / 3"],
    );
    wrong(
        &pool,
        "M",
        "",
        &["5.3-03 M.fs @0: 3 / 0", "5.3-03 M.ps @0: 2 / 0"],
    );
    // In messages within, each by itself.
    let lacks = |at: usize| {
        [
            format!("5.3-03 M.fs @{at}: 3 / 0"),
            format!("5.3-03 M.ps @{at}: 2 / 0"),
        ]
    };
    let lines = |found: [String; 2]| found.to_vec();
    let plan = plan(&pool, "Held");
    assert_eq!(flaws(&plan, &bytes("0A 00"), None), lines(lacks(2)));
    assert_eq!(
        flaws(&plan, &bytes("12 00 12 00"), None),
        [lines(lacks(2)), lines(lacks(4))].concat()
    );
    assert_eq!(
        flaws(&plan, &bytes("1A 04 08 01 12 00"), None),
        lines(lacks(6))
    );
    // In pieces of one message the elements are those of all: nothing is told.
    let pieces = "0A 0C 0A 08 00*8 12 00 0A 08 0D 00*4 12 00 18 01";
    assert_eq!(
        flaws(
            &plan,
            &bytes(&pieces.replace("0A 08 0D 00*4 12 00 18 01", "0A 07 0D 00*4 12 00")),
            None
        ),
        [""; 0]
    );
    assert_eq!(
        flaws(&plan, &bytes("0A 00 0A 00 12 00"), None),
        lines(lacks(6))
    );
    // Empty where a channel says so (reading G147).
    sound(&pool, "V", "");
    sound(&pool, "V", "0A 08 00*8 10 01");
    wrong(&pool, "V", "10 01", &["5.3-03 V.fs @0: 2 / 0"]);
    wrong(&pool, "V", "0A 04 00*4 10 01", &["5.3-03 V.fs @2: 2 / 1"]);
}

#[test]
fn a_channel_has_an_entry_for_each_element() {
    let pool = proto3(
        "message Bools {
           repeated float fs = 1 [(ca3.options.v1.cardinality) = 0];
           repeated bool ok = 2 [(ca3.options.v1.validity_for) = \"fs\", (ca3.options.v1.cardinality) = 0];
         }
         message Bits {
           repeated float fs = 1 [(ca3.options.v1.cardinality) = 0];
           bytes ok = 2 [(ca3.options.v1.validity_for) = \"fs\", (ca3.options.v1.cardinality) = 0];
         }
         message Rows {
           bytes rows = 1 [(ca3.options.v1.cardinality) = 9];
           bytes bits = 2 [(ca3.options.v1.validity_for) = \"rows\", (ca3.options.v1.cardinality) = 9];
           repeated bool bools = 3 [(ca3.options.v1.validity_for) = \"rows\", (ca3.options.v1.cardinality) = 9];
         }
         message Both {
           repeated float fs = 1 [(ca3.options.v1.cardinality) = 2];
           repeated bool ok = 2 [(ca3.options.v1.validity_for) = \"fs\", (ca3.options.v1.cardinality) = 2];
           bool any = 3 [(ca3.options.v1.validity_for) = \"fs\"];
         }
         message Opaque {
           bytes rows = 1;
           bytes bits = 2 [(ca3.options.v1.validity_for) = \"rows\"];
         }",
    );
    for payload in ["", "0A 08 00*8 12 02 01 00", "0A 08 00*8 10 00 10 01"] {
        sound(&pool, "Bools", payload);
    }
    wrong(
        &pool,
        "Bools",
        "0A 08 00*8 12 03 01 00 00",
        &["5.6-03 Bools.ok @12: 2 / 3"],
    );
    wrong(&pool, "Bools", "12 01 01", &["5.6-03 Bools.ok @2: 0 / 1"]);
    wrong(&pool, "Bools", "0A 04 00*4", &["5.6-03 Bools.ok @0: 1 / 0"]);
    for payload in ["", "0A 20 00*32 12 01 FF", "0A 24 00*36 12 02 FF 01"] {
        sound(&pool, "Bits", payload);
    }
    wrong(
        &pool,
        "Bits",
        "0A 24 00*36 12 01 FF",
        &["5.6-03 Bits.ok @40: 2 bytes / 1 byte"],
    );
    wrong(
        &pool,
        "Bits",
        "0A 04 00*4",
        &["5.6-03 Bits.ok @0: 1 byte / no bytes"],
    );
    // Of a block: as many as its cardinality, whatever its bytes.
    let bools = "1A 09 01*9";
    sound(&pool, "Rows", &format!("0A 01 FF 12 02 FF 01 {bools}"));
    // An empty block has nothing, and its channel may say so of each element.
    sound(&pool, "Rows", &format!("12 02 00 00 {bools}"));
    sound(&pool, "Rows", bools);
    wrong(
        &pool,
        "Rows",
        &format!("0A 01 FF 12 01 FF {bools}"),
        &["5.6-03 Rows.bits @5: 2 bytes / 1 byte"],
    );
    wrong(
        &pool,
        "Rows",
        "0A 01 FF 12 02 FF 01 1A 08 01*8",
        &["5.3-03 Rows.bools @9: 9 / 8", "5.6-03 Rows.bools @9: 9 / 8"],
    );
    // Where another channel says that there is nothing, this one may be there or not.
    sound(&pool, "Both", "");
    sound(&pool, "Both", "12 02 00 00");
    sound(&pool, "Both", "0A 08 00*8 12 02 01 00 18 01");
    wrong(
        &pool,
        "Both",
        "12 01 00",
        &["5.3-03 Both.ok @2: 2 / 1", "5.6-03 Both.ok @2: 0 / 1"],
    );
    wrong(
        &pool,
        "Both",
        "12 02 00 00 18 01",
        &["5.3-03 Both.fs @0: 2 / 0", "5.6-03 Both.ok @2: 0 / 2"],
    );
    // Bytes that are no block have no elements to be counted.
    sound(&pool, "Opaque", "0A 01 FF 12 05 00*5");
}

#[test]
fn a_whole_field_channel_is_as_its_field() {
    let pool = proto3(
        "message M {
           repeated float fs = 1 [(ca3.options.v1.cardinality) = 0];
           bytes b = 2;
           float f = 3;
           bool has_fs = 4 [(ca3.options.v1.validity_for) = \"fs\"];
           bool has_b = 5 [(ca3.options.v1.validity_for) = \"b\"];
           bool has_f = 6 [(ca3.options.v1.validity_for) = \"f\"];
         }",
    );
    sound(&pool, "M", "");
    sound(&pool, "M", "0A 04 00*4 20 01 12 01 00 28 01");
    // A field that is neither repeated nor bytes is always something.
    sound(&pool, "M", "1D 00*4 30 00");
    sound(&pool, "M", "30 01");
    wrong(
        &pool,
        "M",
        "0A 08 00*8",
        &["5.6-06 M.has_fs @0: true, or nothing in fs / false"],
    );
    wrong(
        &pool,
        "M",
        "20 00 0A 08 00*8",
        &["5.6-06 M.has_fs @1: true, or nothing in fs / false"],
    );
    // There may have been nothing to measure.
    sound(&pool, "M", "28 01");
    wrong(
        &pool,
        "M",
        "12 01 00",
        &["5.6-06 M.has_b @0: true, or nothing in b / false"],
    );
    // The last of a singular field counts.
    sound(&pool, "M", "28 01 28 00 12 01 00 12 00");
    let defaults = proto2(
        "message M {
           optional bytes b = 1;
           optional bool has_b = 2 [default = true, (ca3.options.v1.validity_for) = \"b\"];
         }",
    );
    sound(&defaults, "M", "0A 01 00");
    sound(&defaults, "M", "");
}

/// Rows of a projection are as long as the field of their form says, but for one that a
/// channel denies.
#[test]
fn rows_are_as_long_as_their_form_has_them() {
    let pool = proto3(
        "message Channel {
           repeated float uv = 1 [(ca3.options.v1.cardinality) = 0];
           bool ok = 2 [(ca3.options.v1.validity_for) = \"uv\"];
         }
         message M {
           option (ca3.options.v1.tensor_form) = {
             id: \"t.tensor.v1\" element_type: FLOAT32
             axes { name: \"channel\" from_repeated: \"channels\" }
             axes { name: \"sample\" length_from: \"samples\" }
             components { name: \"uv\" from: \"uv\" }
           };
           uint32 samples = 1;
           repeated Channel channels = 2 [(ca3.options.v1.cardinality) = 0];
         }",
    );
    let two = "12 0C 0A 08 00*8 10 01";
    sound(&pool, "M", &format!("08 02 {two} {two}"));
    // The length behind its rows, and a row that is denied.
    sound(&pool, "M", &format!("{two} 12 00 08 02"));
    sound(&pool, "M", "08 07");
    wrong(
        &pool,
        "M",
        &format!("08 02 {two} 12 08 0A 04 00*4 10 01"),
        &["5.8-27 Channel.uv @0: 2 / 1"],
    );
    wrong(
        &pool,
        "M",
        "08 02 12 02 10 01",
        &["5.8-27 Channel.uv @0: 2 / 0"],
    );
    // Without a length, each row has none.
    wrong(&pool, "M", two, &["5.8-27 Channel.uv @0: 0 / 2"]);
}

fn form(block: &str, axes: &str) -> String {
    format!(
        "option (ca3.options.v1.tensor_form) = {{
           id: \"t.tensor.v1\" element_type: FLOAT32 byte_order: LITTLE block: \"{block}\" {axes}
         }};"
    )
}

#[test]
fn a_block_has_the_bytes_of_its_form() {
    let fixed = form(
        "rows",
        "axes { name: \"a\" length: 3 } axes { name: \"b\" from: \"f\" from: \"g\" }",
    );
    let open = form(
        "rows",
        "axes { name: \"a\" from_repeated: \"ids\" } axes { name: \"b\" length_from: \"width\" }",
    );
    let far = form(
        "rows",
        "axes { name: \"a\" from_repeated: \"head.ids\" } axes { name: \"b\" length_from: \"head.in.width\" }",
    );
    let huge = form(
        "rows",
        "axes { name: \"a\" length_from: \"a\" } axes { name: \"b\" length_from: \"a\" }
         axes { name: \"c\" length_from: \"a\" }",
    );
    let pool = proto3(&format!(
        "message Fixed {{ {fixed} bytes rows = 1; float f = 2; float g = 3; }}
         message Held {{ Fixed fixed = 1; repeated Fixed many = 2; }}
         message Channel {{ {fixed} bytes rows = 1; float f = 2; float g = 3;
           bool ok = 4 [(ca3.options.v1.validity_for) = \"rows\"]; }}
         message Optional {{ {fixed} optional bytes rows = 1; float f = 2; float g = 3; }}
         message Open {{ {open} bytes rows = 1; repeated fixed32 ids = 2; sint32 width = 3; }}
         message Width {{ uint32 width = 1; }}
         message Head {{ repeated uint32 ids = 1; Width in = 2; }}
         message Far {{ {far} bytes rows = 1; Head head = 2; }}
         message Huge {{ {huge} bytes rows = 1; uint64 a = 2; }}"
    ));
    let short = |path: &str, at: usize| format!("5.8-24 {path} @{at}: 24 bytes / 23 bytes");
    sound(&pool, "Fixed", "0A 18 00*24");
    // The last of two counts.
    sound(&pool, "Fixed", "0A 01 00 0A 18 00*24");
    wrong(&pool, "Fixed", "0A 17 00*23", &[&short("Fixed.rows", 2)]);
    wrong(
        &pool,
        "Fixed",
        "15 00*4",
        &["5.8-24 Fixed.rows @0: 24 bytes / no bytes"],
    );
    wrong(
        &pool,
        "Held",
        "0A 19 0A 17 00*23 12 19 0A 17 00*23",
        &[&short("Fixed.rows", 4), &short("Fixed.rows", 31)],
    );
    sound(&pool, "Channel", "");
    sound(&pool, "Channel", "0A 18 00*24 20 01");
    wrong(
        &pool,
        "Channel",
        "0A 17 00*23 20 01",
        &[&short("Channel.rows", 2)],
    );
    wrong(
        &pool,
        "Channel",
        "0A 17 00*23",
        &[
            "5.6-06 Channel.ok @0: true, or nothing in rows / false",
            &short("Channel.rows", 2),
        ],
    );
    // Absent is not empty where the schema tells them apart.
    sound(&pool, "Optional", "");
    wrong(
        &pool,
        "Optional",
        "0A 00",
        &["5.8-24 Optional.rows @2: 24 bytes / no bytes"],
    );
    sound(&pool, "Open", "");
    sound(&pool, "Open", "12 08 00*8 0A 18 00*24 18 06");
    wrong(
        &pool,
        "Open",
        "12 08 00*8 0A 18 00*24 18 08",
        &["5.8-24 Open.rows @12: 32 bytes / 24 bytes"],
    );
    wrong(
        &pool,
        "Open",
        "18 05",
        &["5.8-24 Open.rows @0: a length of 0 or more / -3"],
    );
    sound(
        &pool,
        "Far",
        "0A 18 00*24 12 07 0A 01 07 12 02 08 01 12 06 08 07 12 02 08 03",
    );
    sound(&pool, "Far", "");
    wrong(
        &pool,
        "Far",
        "12 08 0A 02 07 07 12 02 08 03",
        &["5.8-24 Far.rows @0: 24 bytes / no bytes"],
    );
    // Three axes of 2^64 - 1.
    wrong(
        &pool,
        "Huge",
        "10 FF*9 01",
        &[&format!(
            "5.8-24 Huge.rows @0: {} bytes / no bytes",
            u128::MAX
        )],
    );
}

#[test]
fn a_channel_of_a_block_of_open_length_has_the_first_axis() {
    let open = form(
        "rows",
        "axes { name: \"a\" length_from: \"count\" } axes { name: \"b\" length: 1 }",
    );
    let pool = proto3(&format!(
        "message M {{ {open}
           bytes rows = 1 [(ca3.options.v1.cardinality) = 0];
           uint32 count = 2;
           bytes ok = 3 [(ca3.options.v1.validity_for) = \"rows\", (ca3.options.v1.cardinality) = 0];
         }}"
    ));
    sound(&pool, "M", "0A 08 00*8 10 02 1A 01 03");
    wrong(
        &pool,
        "M",
        "0A 08 00*8 10 02 1A 02 03 00",
        &["5.6-03 M.ok @14: 1 byte / 2 bytes"],
    );
    wrong(
        &pool,
        "M",
        "0A 08 00*8 10 02",
        &["5.6-03 M.ok @0: 1 byte / no bytes"],
    );
}

#[test]
fn a_block_begins_at_the_offset_of_its_stream() {
    let fixed = form("rows", "axes { name: \"a\" length: 2 }");
    let pool = proto3(&format!(
        "message M {{ {fixed} bytes rows = 2; uint32 n = 1; M m = 3; }}
         message None {{ M m = 1; }}"
    ));
    let with = plan(&pool, "M");
    assert!(with.has_block());
    let payload = bytes("08 01 12 08 00*8");
    assert_eq!(flaws(&with, &payload, Some(4)), [""; 0]);
    assert_eq!(flaws(&with, &payload, None), [""; 0]);
    assert_eq!(flaws(&with, &payload, Some(3)), ["5.9-09 M.rows @4: 4 / 3"]);
    assert_eq!(
        flaws(&with, &payload, Some(u32::MAX)),
        ["5.9-09 M.rows @4: 4 / 4294967295"]
    );
    // Another message of the type within has no place to keep to.
    let within = bytes("12 08 00*8 1A 0A 12 08 00*8");
    assert_eq!(flaws(&with, &within, Some(2)), [""; 0]);
    // The last of two is the one that is read.
    let twice = bytes("12 08 00*8 12 08 00*8");
    assert_eq!(flaws(&with, &twice, Some(12)), [""; 0]);
    assert_eq!(flaws(&with, &twice, Some(2)), ["5.9-09 M.rows @12: 12 / 2"]);
    // Where no block stands there is nothing to say of its place.
    let absent = ["5.8-24 M.rows @0: 8 bytes / no bytes"];
    assert_eq!(flaws(&with, &bytes("08 01"), Some(2)), absent);
    let without = plan(&pool, "None");
    assert!(!without.has_block());
    assert_eq!(
        flaws(&without, &bytes("0A 0A 12 08 00*8"), Some(9)),
        [""; 0]
    );
}

#[test]
fn a_block_that_no_form_measures_is_left_open() {
    let pool = proto3(
        "message M {
           option (ca3.options.v1.tensor_form) = {
             id: \"t.tensor.v1\" element_type: FLOAT32 block: \"rows\"
             axes { name: \"a\" length_from: \"nothing\" }
           };
           bytes rows = 1;
         }",
    );
    let plan = plan(&pool, "M");
    assert_eq!(plan.open().len(), 1);
    assert!(plan.open()[0].what.contains("M.rows"), "{:?}", plan.open());
    assert_eq!(flaws(&plan, &bytes("0A 01 00"), Some(2)), [""; 0]);
    assert_eq!(
        flaws(&plan, &bytes("0A 01 00"), Some(0)),
        ["5.9-09 M.rows @2: 2 / 0"]
    );
}

#[test]
fn words_name_the_field_and_both_sides() {
    let pool = proto3(KINDS);
    let plan = plan(&pool, "M");
    let mut walk = Walk::default();
    let mut words = |payload: &str| {
        let flaws = plan.check(&bytes(payload), None, &mut walk).to_vec();
        plan.describe(&flaws[0]).message
    };
    assert_eq!(
        words("0A 01 00"),
        "the payload is no M: M.n stands there as bytes of a stated length, and is of the type \
         uint64 (byte 0)"
    );
    assert_eq!(
        words("2A 05 01 02"),
        "the payload is no M: M.b takes 5 bytes, and 2 are left of its message (byte 1)"
    );
    assert_eq!(
        words("9E 06"),
        "the payload is no M: field 99 of M, which the schema does not have, has the wire type \
         6, which there is not (byte 2)"
    );
    assert_eq!(words("58 03"), "M.side is 3, which t.Side does not name");
}
