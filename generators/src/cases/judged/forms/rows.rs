//! Rows: what an outer axis arrives at, and how many columns they have (§5.8).

use super::super::super::Page;
use super::super::described::{Recorded, Row, table, weighed};
use crate::plan::counted;
use crate::plan::payload::{float, number, vector};
use crate::{Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = listed_rows(page);
    cases.extend(inherited(page));
    cases.extend(repeated_rows(page));
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
    let eyes = Recorded::sample(eyes, payload);
    let mut cases = table(
        page,
        &eyes,
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
                "row-of-another-type",
                &[LISTED],
                "an axis lists fields of two message types",
                "\"right\"]",
                "\"head\"]",
                "",
            ),
        ],
    );
    cases.extend(weighed(
        page,
        &eyes,
        |rule| Finding::error(rule).or("CA3-5.8-23"),
        &[
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
        ],
    ));
    cases
}

/// Rows whose unit stands on the field that the axis names: a component inherits it.
fn inherited(page: &Page) -> Vec<Draft> {
    let form = |axis: &str, fields: &str| {
        format!(
            "message Sample {{
  option (tensor_form) = {{
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes {{ name: \"mark\" {axis} }}
    axes {{ name: \"component\" length: 3 }}
    components {{ name: \"x\" from: \"x\" unit: \"m\" }}
    components {{ name: \"y\" from: \"y\" unit: \"m\" }}
    components {{ name: \"z\" from: \"z\" unit: \"m\" }}
  }};
{fields}}}

message Vector3 {{
  float x = 1;
  float y = 2;
  float z = 3;
}}
"
        )
    };
    let at = [0.5, 2.0, 8.0];
    let case = |name, title, recorded: &Recorded| {
        let row: Row<'_> = (
            name,
            &["CA3-5.8-17"],
            title,
            "from: \"x\" unit: \"m\"",
            "from: \"x\" unit: \"mm\"",
            "",
        );
        let unit = |rule: &str| Finding::error(rule).or("CA3-5.8-16");
        weighed(page, recorded, unit, &[row])
    };
    let listed = form(
        "from: [\"left\", \"right\"]",
        "  // Both are always reported.
  Vector3 left = 1 [(unit) = \"m\", (frame) = \"conformance.world.v1\"];
  Vector3 right = 2 [(unit) = \"m\", (frame) = \"conformance.world.v1\"];
",
    );
    let mut cases = case(
        "unit-of-the-listed-rows",
        "a component in mm, where the fields that the axis lists are in m",
        &Recorded::sample(&listed, [vector(1, &at), vector(2, &at)].concat()),
    );
    let repeated = form(
        "from_repeated: \"marks\"",
        "  // From the left on; all are always reported.
  repeated Vector3 marks = 1 [
    (unit) = \"m\",
    (frame) = \"conformance.world.v1\",
    (cardinality) = 5
  ];
",
    );
    cases.extend(case(
        "unit-of-the-repeated-rows",
        "a component in mm, where the field that the axis repeats is in m",
        &Recorded::sample(&repeated, vector(1, &at).repeat(5)),
    ));
    cases
}

/// Rows that repeat, of as many columns as another field says.
fn repeated_rows(page: &Page) -> Vec<Draft> {
    const OPEN: &str = "CA3-5.8-12";
    const LENGTHS: &str = "CA3-5.8-22";
    let channels = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"channel\" from_repeated: \"channels\" }
    axes { name: \"sample\" length_from: \"samples\" }
    components { name: \"potential\" from: \"potential\" unit: \"uV\" }
  };
  // From the crown back.
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
    let channels = Recorded::sample(channels, payload.concat());
    let mut cases = table(
        page,
        &channels,
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
        ],
    );
    cases.extend(weighed(
        page,
        &channels,
        |rule| Finding::error(rule).or(LENGTHS),
        &[(
            "length-from-the-row",
            &["CA3-5.8-21"],
            "length_from names a field that only the row has",
            "length_from: \"samples\"",
            "length_from: \"own_samples\"",
            "",
        )],
    ));
    cases
}
