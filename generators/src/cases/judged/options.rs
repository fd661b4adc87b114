//! The options that carry a schema's declarations (§5.3).

use super::super::Page;
use super::described::{Recorded, edited, repacked, table};
use crate::describing::OPTIONS;
use crate::plan::payload::{float, floats, number, vector};
use crate::{Described, Draft, Finding};

const MEASURED: &str = "message Sample {
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
}
";

fn measured() -> Recorded {
    Recorded::sample(MEASURED, [float(1, 0.5), number(2, 1)].concat())
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = carried(page);
    cases.extend(mistyped(page));
    cases.extend(cardinality(page));
    cases
}

/// By which number and name an option is read (reading G10).
fn carried(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.3-01";
    const NO_UNIT: &str = "CA3-5.2-03";
    const MARKS: &str = "ca3/conformance/v1/marks.proto";
    let marks = "syntax = \"proto3\";

package ca3.conformance.v1;

import \"google/protobuf/descriptor.proto\";

extend google.protobuf.FieldOptions {
  // Of no meaning to anybody else.
  string remark = 51001;
}
";
    let remarked = MEASURED.replace(
        "(validity_for) = \"x\"",
        "(validity_for) = \"x\", (ca3.conformance.v1.remark) = \"new\"",
    );
    let payload = [float(1, 0.5), number(2, 1)].concat();
    let remarked = Recorded {
        schema: Described::sample(&remarked).importing(MARKS, marks),
        payloads: vec![payload],
    };
    let mut cases = table(
        page,
        &remarked,
        &[(
            "unit-in-another-option",
            &[RULE, NO_UNIT],
            "the unit stands in an option of another number, name and package",
            "(unit) = \"m\"",
            "(ca3.conformance.v1.remark) = \"m\"",
            "Sample.x",
        )],
    );
    let case = |name, title, edit: fn(Described) -> Described, finding: Finding| {
        edited(page, (name, &[RULE], title), &measured(), edit, finding)
    };
    cases.extend([
        case(
            "unit-of-another-number",
            "the carried options.proto gives unit another number",
            |schema| schema.replacing_in(OPTIONS, "string unit = 50001", "string unit = 50021"),
            Finding::warning(RULE),
        ),
        case(
            "unit-of-another-name",
            "the carried options.proto gives 50001 another name",
            |schema| schema.exchanging_in(OPTIONS, "string unit = 50001", "string measure = 50001"),
            Finding::warning(RULE),
        ),
        case(
            "unit-of-another-type",
            "the carried options.proto declares unit a number",
            |schema| {
                schema
                    .replacing_in(OPTIONS, "string unit = 50001", "uint32 unit = 50001")
                    .replacing("(unit) = \"m\"", "(unit) = 3")
            },
            Finding::error(RULE),
        ),
        case(
            "unit-undeclared",
            "the carried options.proto declares no 50001, which a field has",
            |schema| {
                let declared = "  // A UCUM code (§5.4).\n  string unit = 50001;\n";
                schema.exchanging_in(OPTIONS, declared, "")
            },
            // The number is there, and no pool knows it: an unknown field to some.
            Finding::error_or_warning(RULE),
        ),
    ]);
    cases
}

/// Each of the others declared with another type, and set as that.
fn mistyped(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.3-01";
    let placed = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"component\" length: 1 }
    components { name: \"x\" from: \"place.x\" unit: \"m\" }
  };
  Vector2 place = 1 [(unit) = \"m\", (frame) = \"conformance.image.v1\"];
  bool valid = 2 [(validity_for) = \"place\"];
  // From the thumb on.
  repeated float forces = 3 [(unit) = \"N\", (cardinality) = 2];
}

message Vector2 {
  float x = 1;
  float y = 2;
}
";
    let payload = [
        vector(1, &[0.5, 0.25]),
        number(2, 1),
        floats(3, &[0.5, 2.0]),
    ];
    let placed = Recorded::sample(placed, payload.concat());
    let form = "{
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"component\" length: 1 }
    components { name: \"x\" from: \"place.x\" unit: \"m\" }
  }";
    let rows = [
        (
            "frame-of-another-type",
            "the carried options.proto declares frame a number",
            ["string frame", "uint32 frame"],
            ["\"conformance.image.v1\"", "3"],
        ),
        (
            "validity-for-of-another-type",
            "the carried options.proto declares validity_for a number",
            ["string validity_for", "uint32 validity_for"],
            ["(validity_for) = \"place\"", "(validity_for) = 1"],
        ),
        (
            "cardinality-of-another-type",
            "the carried options.proto declares cardinality a string",
            ["uint32 cardinality", "string cardinality"],
            ["(cardinality) = 2", "(cardinality) = \"2\""],
        ),
        (
            "form-as-a-string",
            "the carried options.proto declares tensor_form a string, as it once was",
            ["TensorForm tensor_form", "string tensor_form"],
            [form, "\"sample.tensor.v1\""],
        ),
    ];
    let rows = rows.iter();
    rows.map(|(name, title, declared, set)| {
        let edit = |schema: Described| {
            let [from, to] = declared;
            let schema = schema.replacing_in(OPTIONS, from, to);
            let [from, to] = set;
            schema.replacing(from, to)
        };
        let finding = Finding::error(RULE);
        edited(page, (name, &[RULE], title), &placed, edit, finding)
    })
    .collect()
}

/// What a cardinality declares (reading G68), and whether payloads keep it.
fn cardinality(page: &Page) -> Vec<Draft> {
    const ZERO: &str = "CA3-5.3-02";
    const CLAUSE: &str = "CA3-5.2-05";
    const KEPT: &str = "CA3-5.3-03";
    let repeated = |cardinality: &str| {
        format!(
            "message Sample {{
  // From the thumb on.
  repeated float forces = 1 [(unit) = \"N\", (cardinality) = {cardinality}];
  bool valid = 2 [(validity_for) = \"forces\"];
}}
"
        )
    };
    let payload = |forces: &[f32]| [floats(1, forces), number(2, 1)].concat();
    let four = [0.5, 2.0, 8.0, 0.5];
    let varying = Recorded {
        payloads: vec![payload(&four), payload(&[2.0])],
        ..Recorded::sample(&repeated("0"), Vec::new())
    };
    let mut cases = table(
        page,
        &varying,
        &[(
            "zero-is-a-declaration",
            &[ZERO, CLAUSE],
            "cardinality 0 says that the length varies; no cardinality says nothing",
            ", (cardinality) = 0",
            "",
            "Sample.forces",
        )],
    );
    let fixed = Recorded {
        payloads: vec![payload(&four), payload(&four)],
        ..Recorded::sample(&repeated("4"), Vec::new())
    };
    cases.push(repacked(
        page,
        (
            "three-of-four",
            KEPT,
            "a message has three elements where four are declared",
        ),
        &fixed,
        (
            1,
            payload(&[0.5, 2.0, 8.0]),
            "the last of four forces is gone",
        ),
        Finding::error(KEPT).path("Sample.forces"),
    ));
    cases
}
