//! Tensor forms (§5.8): what a validator must check, and what it can.

use super::super::{Page, plan};
use super::described::{Recorded, claiming, edited, repacked, table};
use crate::plan::payload::{float, floats, number, vector};
use crate::plan::{Chunk, counted};
use crate::{Described, Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = projected(page);
    cases.extend(units(page));
    cases.extend(block(page));
    cases.extend(labels(page));
    cases.extend(listed_rows(page));
    cases.extend(repeated_rows(page));
    cases.push(one_shape(page));
    cases.push(counts(page));
    cases
}

/// Components of a vector, and whether it was measured.
const PROJECTED: &str = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"component\" length: 3 }
    components { name: \"x\" from: \"acceleration.x\" unit: \"m/s2\" }
    components { name: \"y\" from: \"acceleration.y\" unit: \"m/s2\" }
    components { name: \"measured\" from: \"measured\" validity: true }
  };
  Vector3 acceleration = 1 [(unit) = \"m/s2\", (frame) = \"conformance.imu.v1\"];
  bool valid = 2 [(validity_for) = \"acceleration\"];
  bool measured = 3;
  // Outside the form, which may leave fields.
  float temperature = 4 [(unit) = \"Cel\"];
}

message Vector3 {
  float x = 1;
  float y = 2;
  float z = 3;
}
";

fn projected(page: &Page) -> Vec<Draft> {
    let payload = [
        vector(1, &[0.5, 2.0, 8.0]),
        number(2, 1),
        number(3, 1),
        float(4, 32.0),
    ];
    let recorded = Recorded::sample(PROJECTED, payload.concat());
    table(
        page,
        &recorded,
        &[
            (
                "no-identifier",
                &["CA3-5.8-01"],
                "a form without an identifier",
                "id: \"sample.tensor.v1\"",
                "id: \"\"",
                "",
            ),
            (
                "no-version",
                &["CA3-5.8-02"],
                "an identifier that ends in no version segment",
                "sample.tensor.v1",
                "sample.tensor",
                "",
            ),
            (
                "version-in-the-middle",
                &["CA3-5.8-02"],
                "an identifier that goes on behind its version segment",
                "sample.tensor.v1",
                "sample.v1.tensor",
                "",
            ),
            (
                "no-element-type",
                &["CA3-5.8-04"],
                "a form of the element type UNSPECIFIED",
                "FLOAT32",
                "ELEMENT_TYPE_UNSPECIFIED",
                "",
            ),
            (
                "component-removed",
                &["CA3-5.8-11"],
                "three columns and two components",
                "    components { name: \"y\" from: \"acceleration.y\" unit: \"m/s2\" }\n",
                "",
                "",
            ),
            (
                "unit-not-inherited",
                &["CA3-5.8-17"],
                "a component in m/s of a vector in m/s2",
                "from: \"acceleration.x\" unit: \"m/s2\"",
                "from: \"acceleration.x\" unit: \"m/s\"",
                "",
            ),
            (
                "validity-of-integers",
                &["CA3-5.8-19"],
                "a validity component from a uint32",
                "bool measured",
                "uint32 measured",
                "",
            ),
            (
                "path-to-nothing",
                &["CA3-5.8-23"],
                "a component from a field that the vector lacks",
                "acceleration.y",
                "acceleration.w",
                "",
            ),
            (
                "component-without-a-path",
                &["CA3-5.8-23"],
                "a component of a projection that is taken from nowhere",
                "from: \"measured\" ",
                "",
                "",
            ),
        ],
    )
}

/// Check 8 and 9 where the unit and the type are the field's own.
fn units(page: &Page) -> Vec<Draft> {
    const UNIT: &str = "CA3-5.8-16";
    let lengths = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"component\" length: 2 }
    components { name: \"width\" from: \"width\" unit: \"m\" }
    components { name: \"height\" from: \"height\" unit: \"m\" }
  };
  float width = 1 [(unit) = \"m\"];
  float height = 2 [(unit) = \"m\"];
  bool valid = 3 [(validity_for) = \"width\"];
}
";
    // A height of 0 is not stored, so that its type may be another.
    let lengths = Recorded::sample(lengths, [float(1, 0.5), number(3, 1)].concat());
    let mut cases = table(
        page,
        &lengths,
        &[
            (
                "another-scale",
                &[UNIT],
                "a component in mm of a field in m",
                "from: \"width\" unit: \"m\"",
                "from: \"width\" unit: \"mm\"",
                "",
            ),
            (
                "another-dimension",
                &[UNIT],
                "a component in s of a field in m",
                "from: \"width\" unit: \"m\"",
                "from: \"width\" unit: \"s\"",
                "",
            ),
            (
                "another-element-type",
                &["CA3-5.8-18"],
                "a form of FLOAT32 with a component from a double",
                "float height",
                "double height",
                "",
            ),
        ],
    );
    let steps = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: UINT32
    axes { name: \"component\" length: 1 }
    components { name: \"steps\" from: \"steps\" unit: \"{step}\" }
  };
  uint32 steps = 1 [(unit) = \"{step}\"];
}
";
    cases.extend(table(
        page,
        &Recorded::sample(steps, number(1, 300)),
        &[(
            "field-without-a-unit",
            &[UNIT],
            "a component with a unit of a field without one",
            "steps = 1 [(unit) = \"{step}\"]",
            "steps = 1",
            "",
        )],
    ));
    cases
}

const BLOCK: &str = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    byte_order: LITTLE
    block: \"joints\"
    axes { name: \"joint\" length: 4 labelled_by: \"ca3.conformance.v1.Joint\" }
    axes { name: \"component\" length: 2 }
    components { name: \"x\" unit: \"m\" }
    components { name: \"y\" unit: \"m\" }
  };
  bytes joints = 1 [(frame) = \"conformance.world.v1\", (cardinality) = 4];
  bool valid = 2 [(validity_for) = \"joints\"];
}
";

const JOINTS: &str = "
enum Joint {
  HIP = 0;
  KNEE = 1;
  ANKLE = 2;
  TOE = 3;
}
";

/// Four rows of two; each of these floats is ASCII as it is stored, so that the
/// block may be a string.
const ROWS: [f32; 8] = [0.5, 2.0, 8.0, 32.0, 0.5, 2.0, 8.0, 32.0];

fn rows() -> Vec<u8> {
    [floats(1, &ROWS), number(2, 1)].concat()
}

/// A block of four rows of two float32: 32 bytes.
pub(super) fn blocks() -> Recorded {
    Recorded {
        payloads: vec![rows(), rows()],
        ..Recorded::sample(&[BLOCK, JOINTS].concat(), Vec::new())
    }
}

fn block(page: &Page) -> Vec<Draft> {
    const SIZE: &str = "CA3-5.8-24";
    let mut cases = table(
        page,
        &blocks(),
        &[
            (
                "no-byte-order",
                &["CA3-5.8-05"],
                "a block form of the byte order UNSPECIFIED",
                "LITTLE",
                "BYTE_ORDER_UNSPECIFIED",
                "",
            ),
            (
                "axis-without-a-name",
                &["CA3-5.8-06"],
                "the second axis has no name",
                "name: \"component\"",
                "name: \"\"",
                "",
            ),
            (
                "axes-of-one-name",
                &["CA3-5.8-07"],
                "both axes are called joint",
                "name: \"component\"",
                "name: \"joint\"",
                "",
            ),
            (
                "axis-without-a-length",
                &["CA3-5.8-08"],
                "an axis states no length",
                "name: \"component\" length: 2",
                "name: \"component\"",
                "",
            ),
            (
                "block-misspelt",
                &["CA3-5.8-09"],
                "the block names a field that the message lacks",
                "block: \"joints\"",
                "block: \"jnts\"",
                "",
            ),
            (
                "block-of-text",
                &["CA3-5.8-09"],
                "the block names a string",
                "bytes joints",
                "string joints",
                "",
            ),
            (
                "cardinality-of-another-length",
                &["CA3-5.8-10"],
                "four rows by the axis, three by the field's cardinality",
                "(cardinality) = 4",
                "(cardinality) = 3",
                "",
            ),
            (
                "unit-in-words",
                &["CA3-5.8-15"],
                "a component's unit is a word",
                "name: \"x\" unit: \"m\"",
                "name: \"x\" unit: \"metre\"",
                "",
            ),
            (
                "path-in-a-block",
                &["CA3-5.8-23"],
                "a component of a block is taken from a field besides",
                "name: \"x\" unit: \"m\"",
                "name: \"x\" from: \"valid\" unit: \"m\"",
                "",
            ),
        ],
    );
    let short = ROWS.get(..7).unwrap_or_default();
    cases.push(repacked(
        page,
        (
            "block-cut-short",
            SIZE,
            "a message has 28 bytes in a block of 4 times 2 times 4 bytes",
        ),
        &blocks(),
        (
            1,
            [floats(1, short), number(2, 1)].concat(),
            "the last four bytes of its block are gone",
        ),
        Finding::error(SIZE).path("Sample.joints"),
    ));
    cases
}

/// The enum that labels an axis of fixed length.
fn labels(page: &Page) -> Vec<Draft> {
    const NAMED: &str = "CA3-5.8-13";
    const VALUES: &str = "CA3-5.8-14";
    const APART: &str = "ca3/conformance/v1/joints.proto";
    let mut cases = table(
        page,
        &blocks(),
        &[
            (
                "labels-of-no-enum",
                &[NAMED],
                "an axis is labelled by an enum that the descriptor lacks",
                "ca3.conformance.v1.Joint",
                "ca3.conformance.v1.Bone",
                "",
            ),
            (
                "labels-of-a-message",
                &[NAMED],
                "an axis is labelled by a message",
                "ca3.conformance.v1.Joint",
                "ca3.conformance.v1.Sample",
                "",
            ),
            (
                "labels-with-a-gap",
                &[VALUES],
                "four rows, and labels 0, 1, 2 and 4",
                "TOE = 3",
                "TOE = 4",
                "",
            ),
        ],
    );
    // An enum of proto3 begins at 0; one of proto2 need not.
    let apart = format!("syntax = \"proto2\";\n\npackage ca3.conformance.v1;\n{JOINTS}");
    let recorded = Recorded {
        schema: Described::sample(BLOCK).importing(APART, &apart),
        payloads: vec![rows()],
    };
    let name = "labels-from-one";
    let title = "four rows, and labels from 1 to 4";
    let four = ["HIP = 0", "KNEE = 1", "ANKLE = 2", "TOE = 3"].join(";\n  ");
    let later = ["HIP = 1", "KNEE = 2", "ANKLE = 3", "TOE = 4"].join(";\n  ");
    cases.push(edited(
        page,
        (name, &[VALUES], title),
        &recorded,
        |schema| schema.replacing_in(APART, &four, &later),
        Finding::error(VALUES),
    ));
    cases
}

/// Rows that the form lists by the names of fields.
fn listed_rows(page: &Page) -> Vec<Draft> {
    const LISTED: &str = "CA3-5.8-26";
    let eyes = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"eye\" from: [\"left\", \"right\"] }
    axes { name: \"component\" length: 3 }
    components { name: \"x\" from: \"gaze.x\" unit: \"1\" }
    components { name: \"y\" from: \"gaze.y\" unit: \"1\" }
    components { name: \"z\" from: \"gaze.z\" unit: \"1\" }
  };
  Eye left = 1;
  Eye right = 2;
  Direction head = 3 [(unit) = \"1\", (frame) = \"conformance.gaze.v1\"];
}

message Eye {
  Direction gaze = 1 [(unit) = \"1\", (frame) = \"conformance.gaze.v1\"];
  bool valid = 2 [(validity_for) = \"gaze\"];
}

message Direction {
  float x = 1;
  float y = 2;
  float z = 3;
}
";
    let eye = [vector(1, &[0.0, 0.0, 1.0]), number(2, 1)].concat();
    let head = vector(3, &[0.0, 0.0, 1.0]);
    let payload = [counted(1, &eye), counted(2, &eye), head].concat();
    table(
        page,
        &Recorded::sample(eyes, payload),
        &[
            (
                "axis-with-two-lengths",
                &["CA3-5.8-08"],
                "an axis lists its rows and states a length besides",
                "name: \"eye\" from:",
                "name: \"eye\" length: 2 from:",
                "",
            ),
            (
                "path-from-the-message",
                &["CA3-5.8-25"],
                "a component's path begins at the message and not at the row",
                "from: \"gaze.x\"",
                "from: \"left.gaze.x\"",
                "",
            ),
            (
                "row-misspelt",
                &[LISTED],
                "an axis lists a field that the message lacks",
                "\"right\"]",
                "\"rihgt\"]",
                "",
            ),
            (
                "row-of-another-type",
                &[LISTED],
                "an axis lists fields of two message types",
                "\"right\"]",
                "\"head\"]",
                "",
            ),
        ],
    )
}

/// Rows that repeat, of as many columns as another field says.
fn repeated_rows(page: &Page) -> Vec<Draft> {
    const OPEN: &str = "CA3-5.8-12";
    const LENGTHS: &str = "CA3-5.8-22";
    let channels = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes {
      name: \"channel\"
      from_repeated: \"channels\"
      labelled_by: \"ca3.conformance.v1.Electrode\"
    }
    axes { name: \"sample\" length_from: \"samples\" }
    components { name: \"potential\" from: \"potential\" unit: \"uV\" }
  };
  // In the order of Electrode.
  repeated Channel channels = 1 [(cardinality) = 0];
  uint32 samples = 2;
  Channel reference = 3;
  string montage = 4;
}

message Channel {
  // In order of time.
  repeated float potential = 1 [(unit) = \"uV\", (cardinality) = 0];
  bool valid = 2 [(validity_for) = \"potential\"];
  uint32 own_samples = 3;
}

enum Electrode {
  CZ = 0;
  OZ = 1;
}
";
    // One sample, not packed: a field that repeats and one that does not may both
    // be stored so.
    let channel = [float(1, 0.5), number(2, 1), number(3, 1)].concat();
    let payload = [
        counted(1, &channel),
        counted(1, &channel),
        number(2, 1),
        counted(3, &channel),
        counted(4, b"10-20"),
    ];
    table(
        page,
        &Recorded::sample(channels, payload.concat()),
        &[
            (
                "two-components-of-open-length",
                &[OPEN],
                "the last axis is open, and there are two components",
                "unit: \"uV\" }\n",
                "unit: \"uV\" }\n    components { name: \"again\" from: \"potential\" unit: \"uV\" }\n",
                "",
            ),
            (
                "open-length-of-one-number",
                &[OPEN],
                "the last axis is open, and the component's field does not repeat",
                "repeated float potential = 1 [(unit) = \"uV\", (cardinality) = 0]",
                "float potential = 1 [(unit) = \"uV\"]",
                "",
            ),
            (
                "length-from-the-row",
                &["CA3-5.8-21"],
                "length_from names a field that only the row has",
                "length_from: \"samples\"",
                "length_from: \"own_samples\"",
                "",
            ),
            (
                "length-from-text",
                &[LENGTHS],
                "length_from names a string",
                "length_from: \"samples\"",
                "length_from: \"montage\"",
                "",
            ),
            (
                "rows-from-one-message",
                &[LENGTHS],
                "from_repeated names a field that does not repeat",
                "from_repeated: \"channels\"",
                "from_repeated: \"reference\"",
                "",
            ),
            (
                "labels-of-open-length-with-a-gap",
                &["CA3-5.8-25"],
                "rows without a fixed number, and labels 0 and 2",
                "OZ = 1",
                "OZ = 2",
                "",
            ),
        ],
    )
}

/// One identifier, one shape, across the schemas of a file.
fn one_shape(page: &Page) -> Draft {
    const RULE: &str = "CA3-5.8-03";
    const OTHER: &str = "ca3/conformance/v1/other.proto";
    let form = |message: &str, version: &str, axes: &str| {
        format!(
            "message {message} {{
  option (tensor_form) = {{
    id: \"sample.tensor.{version}\"
    element_type: FLOAT32
    {axes}
    components {{ name: \"width\" from: \"width\" unit: \"m\" }}
  }};
  float width = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"width\"];
}}
"
        )
    };
    let row = "axes { name: \"component\" length: 1 }";
    let column = "axes { name: \"width\" length: 1 }";
    let first = Described::sample(&form("Sample", "v1", row));
    let second = Described::declaring(OTHER, "Other", &form("Other", "v2", column));
    let spoilt = second
        .clone()
        .replacing("sample.tensor.v2", "sample.tensor.v1");
    let payload = [float(1, 0.5), number(2, 1)].concat();
    let name = "two-shapes-of-one-identifier";
    let valid = plan(&page.values(name))
        .described(1, &first)
        .described(2, &second)
        .stream(claiming(1))
        .stream(claiming(2))
        .chunk(Chunk::plain(1, &[(2_000, &payload)]))
        .chunk(Chunk::plain(2, &[(2_000, &payload)]));
    let title = "two schemas of a file call two forms with other axes by one identifier";
    Draft::new(name, &[RULE], title).clean(valid.clone()).found(
        valid.redescribed("Schema 2", 2, &spoilt),
        Finding::error(RULE).at("Schema 2").at("Schema 1"),
    )
}

/// A component without a unit.
fn counts(page: &Page) -> Draft {
    let counts = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: UINT32
    axes { name: \"component\" length: 1 }
    components { name: \"counts\" from: \"counts\" }
  };
  // What the converter counted.
  uint32 counts = 1;
  bool valid = 2 [(validity_for) = \"counts\"];
}
";
    let counts = Recorded::sample(counts, [number(1, 300), number(2, 1)].concat());
    let name = "component-without-a-unit";
    let title = "a component without a unit stands among what is not checked";
    Draft::new(name, &["CA3-5.8-20"], title)
        .listed(counts.plan(&page.values(name)))
        .wrong_answer("the component passes as checked")
}
