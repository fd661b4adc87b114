//! Tensor forms (§5.8), from source text.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_schema::frames::Catalogue;
use support::{faults, judged_in};

/// A packed block of [4, 2], in order.
const BLOCK: &str = r#"
enum Joint { HIP = 0; KNEE = 1; FOOT = 2; HEAD = 3; }
message M {
  option (tensor_form) = {
    id: "body.tensor.v1" element_type: FLOAT32 byte_order: LITTLE block: "joints"
    axes { name: "joint" length: 4 labelled_by: "p.Joint" }
    axes { name: "component" length: 2 }
    components { name: "x" unit: "m" }
    components { name: "seen" validity: true }
  };
  bytes joints = 1 [(cardinality) = 4];
  Joint named = 2;
  string text = 3;
}"#;

/// Three eyes of [3, 3], in order: rows of a message type.
const EYES: &str = r#"
message V { float x = 1; float y = 2; }
message Eye { V at = 1 [(unit) = "mm"]; bool seen = 2; uint32 n = 3; float size = 4 [(unit) = "mm"]; }
message M {
  option (tensor_form) = {
    id: "gaze.tensor.v1" element_type: FLOAT32
    axes { name: "eye" from: ["left", "right", "centre"] }
    axes { name: "component" length: 3 }
    components { name: "x" from: "at.x" unit: "mm" }
    components { name: "size" from: "size" unit: "mm" }
    components { name: "seen" from: "seen" validity: true }
  };
  Eye left = 1; Eye right = 2; Eye centre = 3; V point = 4 [(unit) = "1"]; string text = 5;
}"#;

/// [channel, sample], in order: both lengths from data.
const CHANNELS: &str = r#"
enum Site { C3 = 0; CZ = 1; C4 = 2; }
message Channel { repeated float microvolts = 1 [(unit) = "uV", (cardinality) = 0]; bool ok = 2; uint32 width = 3; Site site = 4; }
message M {
  option (tensor_form) = {
    id: "eeg.tensor.v1" element_type: FLOAT32
    axes { name: "channel" from_repeated: "channels" labelled_by: "p.Site" }
    axes { name: "sample" length_from: "samples" }
    components { name: "voltage" from: "microvolts" unit: "uV" }
  };
  repeated Channel channels = 1 [(cardinality) = 0]; uint32 samples = 2; string text = 3;
  float rate = 4 [(unit) = "Hz"];
}"#;

fn of_forms(body: &str) -> Vec<String> {
    let mut found = faults(&judged_in(body, &Catalogue::default()));
    found.retain(|line| {
        line.contains(" 5.8-") || line.contains(" 5.2-07") || line.contains(" 5.3-")
    });
    found
}

#[test]
fn forms_in_order_have_no_fault() {
    for body in [BLOCK, EYES, CHANNELS] {
        assert_eq!(of_forms(body), [""; 0], "{body}");
    }
}

/// Every defect, and the faults that it has: one, unless one statement breaks two rules.
#[test]
fn each_defect_has_its_fault() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (BLOCK, "id: \"body.tensor.v1\"", "", &["E 5.8-01 M"]),
        (BLOCK, "body.tensor.v1", "body.tensor", &["E 5.8-02 M"]),
        (BLOCK, "element_type: FLOAT32", "", &["E 5.8-04 M"]),
        (BLOCK, "byte_order: LITTLE", "", &["E 5.8-05 M"]),
        (BLOCK, "name: \"component\"", "", &["E 5.8-06 M"]),
        (
            BLOCK,
            "name: \"component\"",
            "name: \"joint\"",
            &["E 5.8-07 M"],
        ),
        (
            BLOCK,
            "\"component\" length: 2",
            "\"component\"",
            &["E 5.8-08 M"],
        ),
        (
            BLOCK,
            "\"component\" length: 2",
            "\"component\" length: 2 length_from: \"text\"",
            &["E 5.8-08 M"],
        ),
        (
            BLOCK,
            "block: \"joints\"",
            "block: \"jnts\"",
            &["E 5.8-09 M"],
        ),
        (BLOCK, "bytes joints", "string joints", &["E 5.8-09 M"]),
        (
            BLOCK,
            "(cardinality) = 4",
            "(cardinality) = 3",
            &["E 5.8-10 M.joints"],
        ),
        (BLOCK, " [(cardinality) = 4]", "", &["E 5.8-10 M.joints"]),
        (
            BLOCK,
            "components { name: \"seen\" validity: true }",
            "",
            &["E 5.8-11 M"],
        ),
        (BLOCK, "p.Joint", "p.Bone", &["E 5.8-13 M"]),
        (BLOCK, "p.Joint", ".p.Joint", &["E 5.8-13 M"]),
        (
            BLOCK,
            "HIP = 0; KNEE = 1; FOOT = 2; HEAD = 3;",
            "NONE = 0; HIP = 1; KNEE = 2; FOOT = 3; HEAD = 4;",
            &["E 5.8-14 M"],
        ),
        (BLOCK, "HEAD = 3;", "HEAD = 4;", &["E 5.8-14 M"]),
        (BLOCK, "unit: \"m\"", "unit: \"metre\"", &["E 5.8-15 M"]),
        (
            BLOCK,
            "name: \"x\"",
            "name: \"x\" from: \"text\"",
            &["E 5.8-23 M.text"],
        ),
        (
            EYES,
            "from: \"at.x\" unit: \"mm\"",
            "from: \"at.x\" unit: \"m\"",
            &["E 5.8-17 M.at.x"],
        ),
        (
            EYES,
            "from: \"at.x\" unit: \"mm\"",
            "from: \"at.x\" unit: \"s\"",
            &["E 5.8-17 M.at.x"],
        ),
        (
            EYES,
            "from: \"size\" unit: \"mm\"",
            "from: \"size\" unit: \"m\"",
            &["E 5.8-16 M.size"],
        ),
        (
            EYES,
            "float size = 4 [(unit) = \"mm\"]",
            "float size = 4",
            &["E 5.8-16 M.size"],
        ),
        (EYES, "float size", "double size", &["E 5.8-18 M.size"]),
        (EYES, "bool seen", "uint32 seen", &["E 5.8-19 M.seen"]),
        (
            EYES,
            "from: \"size\"",
            "from: \"left.size\"",
            &["E 5.8-25 Eye.left.size"],
        ),
        (
            EYES,
            "from: \"size\"",
            "from: \"sise\"",
            &["E 5.8-25 Eye.sise"],
        ),
        (EYES, "from: \"size\" ", "", &["E 5.8-23 M"]),
        (EYES, "\"centre\"]", "\"center\"]", &["E 5.8-26 M"]),
        (EYES, "\"centre\"]", "\"point\"]", &["E 5.8-26 M"]),
        (
            CHANNELS,
            "unit: \"uV\" }",
            "unit: \"uV\" } components { name: \"b\" from: \"microvolts\" unit: \"uV\" }",
            &["E 5.8-12 M"],
        ),
        (
            CHANNELS,
            "repeated float microvolts = 1 [(unit) = \"uV\", (cardinality) = 0]",
            "float microvolts = 1 [(unit) = \"uV\"]",
            &["E 5.8-12 M.microvolts"],
        ),
        (
            CHANNELS,
            "length_from: \"samples\"",
            "length_from: \"width\"",
            &["E 5.8-21 M"],
        ),
        (
            CHANNELS,
            "length_from: \"samples\"",
            "length_from: \"text\"",
            &["E 5.8-22 M"],
        ),
        (
            CHANNELS,
            "length_from: \"samples\"",
            "length_from: \"rate\"",
            &["E 5.8-22 M"],
        ),
        (
            CHANNELS,
            "from_repeated: \"channels\"",
            "from_repeated: \"text\"",
            &["E 5.8-22 M", "E 5.8-25 M"],
        ),
        (CHANNELS, "C4 = 2", "C4 = 3", &["E 5.8-25 M"]),
    ];
    for (sound, from, to, expected) in cases {
        assert_eq!(sound.matches(from).count(), 1, "{from}");
        assert_eq!(
            of_forms(&sound.replace(from, to)),
            *expected,
            "{from} -> {to}"
        );
    }
}

/// Rows of a component type, whose unit is that of the fields which hold them.
#[test]
fn a_row_inherits_of_the_field_that_holds_it() {
    let form = |axis: &str, fields: &str, unit: &str| {
        of_forms(&format!(
            "message V {{ float x = 1; float y = 2; }} message M {{ option (tensor_form) = {{ \
             id: \"a.v1\" element_type: FLOAT32 axes {{ name: \"mark\" {axis} }} \
             axes {{ name: \"component\" length: 1 }} \
             components {{ name: \"x\" from: \"x\" unit: \"{unit}\" }} }}; {fields} }}"
        ))
    };
    let listed = |of_l: &str, of_r: &str, unit: &str| {
        let fields = format!("V l = 1 [(unit) = \"{of_l}\"]; V r = 2 [(unit) = \"{of_r}\"];");
        form("from: [\"l\", \"r\"]", &fields, unit)
    };
    assert_eq!(listed("m", "m", "m"), [""; 0]);
    assert_eq!(listed("m", "m", "mm"), ["E 5.8-17 M.x"]);
    assert_eq!(listed("m", "mm", "m"), ["E 5.8-17 M.x"]);
    let repeated = |unit: &str| {
        let fields = "repeated V marks = 1 [(unit) = \"m\", (cardinality) = 5];";
        form("from_repeated: \"marks\"", fields, unit)
    };
    assert_eq!(repeated("m"), [""; 0]);
    assert_eq!(repeated("s"), ["E 5.8-17 M.x"]);
    let bare = form(
        "from: [\"l\", \"r\"]",
        "V l = 1 [(unit) = \"m\"]; V r = 2;",
        "m",
    );
    assert_eq!(bare, ["E 5.8-16 M.x"]);
}

#[test]
fn a_form_without_axes_or_components_is_none() {
    let bare = |inside: &str| {
        of_forms(&format!(
            "message M {{ option (tensor_form) = {{ id: \"a.v1\" element_type: FLOAT32 {inside} }}; \
             float x = 1 [(unit) = \"m\"]; }}"
        ))
    };
    assert_eq!(bare("axes { name: \"a\" length: 1 }"), ["E 5.2-07 M"]);
    assert_eq!(
        bare("components { name: \"x\" from: \"x\" unit: \"m\" }"),
        ["E 5.2-07 M"]
    );
}

/// One dimension and another scale is told apart from another dimension.
#[test]
fn units_that_differ_say_how() {
    let message = |unit: &str| {
        let body = EYES.replace(
            "from: \"size\" unit: \"mm\"",
            &format!("from: \"size\" unit: \"{unit}\""),
        );
        let judgement = judged_in(&body, &Catalogue::default());
        let fault = judgement.faults.iter().find(|it| it.rule == "CA3-5.8-16");
        fault.map(|it| it.message.clone()).unwrap_or_default()
    };
    assert!(
        message("m").contains("another scale (1 mm = 0.001 m)"),
        "{}",
        message("m")
    );
    assert!(message("s").contains("no factor leads"), "{}", message("s"));
    assert_eq!(message("mm"), "");
    assert_eq!(message("10*-3.m"), "");
}

/// Components without a unit are listed, and never folded into a pass.
#[test]
fn counts_are_left_open() {
    let body = BLOCK.replace("name: \"x\" unit: \"m\"", "name: \"counts\"");
    let judgement = judged_in(&body, &Catalogue::default());
    let open = judgement
        .open
        .iter()
        .find(|it| it.rules.contains(&"CA3-5.8-20"));
    assert!(open.unwrap().what.contains("counts"));
}
