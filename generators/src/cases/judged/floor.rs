//! What a schema must declare to be well-formed (§5.2).

use super::super::Page;
use super::described::{Recorded, table, weighed};
use super::{claims, coded};
use crate::plan::counted;
use crate::plan::payload::{float, floats, number, numbers, vector};
use crate::{Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = units(page);
    cases.extend(frames(page));
    cases.extend(repeated(page));
    cases.extend(absence(page));
    cases.extend(form(page));
    cases.extend(coded::cases(page));
    cases.extend(claims::cases(page));
    cases
}

const QUANTITIES: &str = "message Sample {
  float length = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"length\"];
  Turn turn = 3 [(unit) = \"rad/s\", (frame) = \"conformance.imu.v1\"];
  Place place = 4 [(frame) = \"conformance.world.v1\"];
}

// Its unit and frame are those of the field that holds it.
message Turn {
  float x = 1;
  float y = 2;
  float z = 3;
}

message Place {
  double x = 1 [(unit) = \"m\"];
  double y = 2 [(unit) = \"mm\"];
}
";

/// Clause 2.
fn units(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-03";
    let payload = [
        float(1, 0.5),
        number(2, 1),
        vector(3, &[0.5, 2.0, 8.0]),
        // Doubles: 1.0 and 2.0.
        counted(4, b"\x09\0\0\0\0\0\0\xF0\x3F\x11\0\0\0\0\0\0\0\x40"),
    ];
    let quantities = Recorded::sample(QUANTITIES, payload.concat());
    let mut cases = table(
        page,
        &quantities,
        &[
            (
                "no-unit",
                &[RULE],
                "a float has no unit",
                " [(unit) = \"m\"];\n  bool",
                ";\n  bool",
                "Sample.length",
            ),
            (
                "no-unit-on-a-vector",
                &[RULE],
                "neither a vector nor one of its components has a unit",
                "(unit) = \"rad/s\", ",
                "",
                "Sample.turn",
            ),
        ],
    );
    cases.extend(weighed(
        page,
        &quantities,
        |rule| Finding::error(rule).path("Place.y"),
        &[(
            "no-unit-on-a-component",
            &[RULE],
            "of a vector's components one has no unit",
            " [(unit) = \"mm\"]",
            "",
            "Sample.place.y",
        )],
    ));
    let name = "integer-without-a-unit";
    let counts = "message Sample {\n  // From the converter.\n  uint32 level = 1;\n}\n";
    let counts = Recorded::sample(counts, number(1, 300));
    let title = "an integer without a unit: nothing tells a quantity from a count";
    let counts = Draft::new(name, &[RULE], title)
        .listed(counts.plan(&page.values(name)))
        .wrong_answer("the integer is found to lack a unit, or passes as checked");
    cases.push(counts);
    cases
}

const PLACES: &str = "message Sample {
  Vector3 position = 1 [(unit) = \"m\", (frame) = \"conformance.world.v1\"];
  bool valid = 2 [(validity_for) = \"position\"];
  Pose pose = 3 [(frame) = \"conformance.world.v1\"];
  Span span = 4 [(unit) = \"m\"];
  float width = 5 [(unit) = \"m\"];
  // The head's, against the room's.
  Quaternion turned = 6 [(unit) = \"1\", (frame) = \"conformance.world.v1\"];
}

// In the frame of the field that holds it.
message Pose {
  Vector3 position = 1 [(unit) = \"m\"];
  Quaternion orientation = 2 [(unit) = \"1\"];
}

message Span {
  Vector3 from = 1 [(frame) = \"conformance.world.v1\"];
  Vector3 to = 2 [(frame) = \"conformance.world.v1\"];
}

message Vector3 {
  float x = 1;
  float y = 2;
  float z = 3;
}

message Quaternion {
  float x = 1;
  float y = 2;
  float z = 3;
  float w = 4;
}
";

/// Clause 3: on the field, on the field that holds it, or on its parts.
fn frames(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-04";
    let at = [0.5, 2.0, 8.0];
    let pose = [vector(1, &at), vector(2, &[0.0, 0.0, 0.0, 1.0])].concat();
    let span = [vector(1, &at), vector(2, &at)].concat();
    let payload = [
        vector(1, &at),
        number(2, 1),
        counted(3, &pose),
        counted(4, &span),
        float(5, 2.0),
        vector(6, &[0.0, 0.0, 0.0, 1.0]),
    ];
    let places = Recorded::sample(PLACES, payload.concat());
    table(
        page,
        &places,
        &[
            (
                "no-frame",
                &[RULE],
                "a vector of x, y and z has no frame",
                "(unit) = \"m\", (frame) = \"conformance.world.v1\"",
                "(unit) = \"m\"",
                "Sample.position",
            ),
            (
                "no-frame-on-a-rotation",
                &[RULE],
                "a quaternion of x, y, z and w has no frame",
                "(unit) = \"1\", (frame) = \"conformance.world.v1\"",
                "(unit) = \"1\"",
                "Sample.turned",
            ),
        ],
    )
}

const REPEATED: &str = "message Sample {
  // The fingers of the left hand, from the thumb on.
  repeated float forces = 1 [(unit) = \"N\", (cardinality) = 5];
  bool valid = 2 [(validity_for) = \"forces\"];
  // However many there were, in order of time.
  repeated uint32 beats = 3 [(cardinality) = 0];
  map<string, string> notes = 4;
  // From the wrist on.
  repeated Joint joints = 5 [(cardinality) = 2];
}

message Joint {
  float bend = 1 [(unit) = \"rad\"];
}
";

/// Clause 4; of the ordering no option tells (reading G28).
fn repeated(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-05";
    let payload = [
        floats(1, &[0.5, 2.0, 8.0, 0.5, 2.0]),
        number(2, 1),
        numbers(3, &[1, 300]),
        counted(4, b"\x0A\x01k\x12\x01v"),
        vector(5, &[0.5]),
        vector(5, &[2.0]),
    ];
    let repeated = Recorded::sample(REPEATED, payload.concat());
    let mut cases = table(
        page,
        &repeated,
        &[
            (
                "no-cardinality",
                &[RULE],
                "a repeated field declares no cardinality; a map and an explicit 0 need none",
                ", (cardinality) = 5",
                "",
                "Sample.forces",
            ),
            (
                "no-cardinality-of-messages",
                &[RULE],
                "a repeated message declares no cardinality",
                " [(cardinality) = 2]",
                "",
                "Sample.joints",
            ),
        ],
    );
    let name = "ordering-unchecked";
    let title = "the ordering of a repeated field stands among what is not checked";
    let ordering = Draft::new(name, &[RULE], title)
        .listed(repeated.plan(&page.values(name)))
        .wrong_answer("clause 4 passes as checked, although no option carries an ordering");
    cases.push(ordering);
    // Each schema has a map.
    cases.into_iter().map(|case| case.citing("G148")).collect()
}

/// Clause 5.
fn absence(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-06";
    let measured = "message Sample {
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
}
";
    let bare = measured.replace(" [(validity_for) = \"x\"]", "");
    let payload = [float(1, 0.5), number(2, 1)].concat();
    let listed = |name: &str, title: &str, declarations: &str| {
        let recorded = Recorded::sample(declarations, payload.clone());
        Draft::new(name, &[RULE], title)
            .listed(recorded.plan(&page.values(name)))
            .wrong_answer("clause 5 passes as checked, or is found not kept")
    };
    let open = [
        listed(
            "channel",
            "whether absence is in the channel alone stands among what is not checked",
            measured,
        ),
        listed(
            "no-channel",
            "without a channel: whether a value is a sentinel stands among what is not checked",
            &bare,
        ),
    ];
    let two = "message Sample {
  optional float x = 1 [(unit) = \"m\"];
  bool x_valid = 2 [(validity_for) = \"x\"];
  float y = 3 [(unit) = \"m\"];
  bool y_valid = 4 [(validity_for) = \"y\"];
}
";
    let payload = [float(1, 0.5), number(2, 1), float(3, 2.0), number(4, 1)];
    let two = Recorded::sample(two, payload.concat());
    let mut cases = weighed(
        page,
        &two,
        Finding::error_or_warning,
        &[(
            "optional-without-a-channel",
            &[RULE],
            "an optional float that no channel covers, beside one that has its own",
            " [(validity_for) = \"x\"]",
            "",
            "Sample.x",
        )],
    );
    cases.extend(open);
    // Which measurement is an optional one, and what of the others is not checked.
    cases.into_iter().map(|case| case.citing("G151")).collect()
}

/// Clause 6, as far as the form is there at all.
fn form(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-07";
    let declared = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    axes { name: \"component\" length: 1 }
    components { name: \"x\" from: \"x\" unit: \"m\" }
  };
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
}
";
    let recorded = Recorded::sample(declared, [float(1, 0.5), number(2, 1)].concat());
    weighed(
        page,
        &recorded,
        // Check 5 counts components against the last axis.
        |rule| Finding::error(rule).or("CA3-5.8-11"),
        &[
            (
                "no-components",
                &[RULE],
                "a tensor form has no components",
                "    components { name: \"x\" from: \"x\" unit: \"m\" }\n",
                "",
                "",
            ),
            (
                "no-axes",
                &[RULE],
                "a tensor form has no axes",
                "    axes { name: \"component\" length: 1 }\n",
                "",
                "",
            ),
        ],
    )
}
