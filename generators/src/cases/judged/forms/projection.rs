//! Projections: what is taken from fields, and in which unit and type (§5.8).

use super::super::super::Page;
use super::super::described::{Recorded, Row, table, weighed};
use crate::plan::payload::{float, number, vector};
use crate::{Described, Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = shape(page);
    cases.extend(inherited(page));
    cases.extend(units(page));
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

fn projected() -> Recorded {
    let payload = [
        vector(1, &[0.5, 2.0, 8.0]),
        number(2, 1),
        number(3, 1),
        float(4, 32.0),
    ];
    Recorded::sample(PROJECTED, payload.concat())
}

/// The same with another text in the place of one.
fn but(from: &str, to: &str) -> Recorded {
    let Recorded { payloads, .. } = projected();
    Recorded {
        schema: Described::sample(&PROJECTED.replace(from, to)),
        payloads,
    }
}

/// Checks 1, 2 and 5, and where components come from.
fn shape(page: &Page) -> Vec<Draft> {
    const ANOTHER: &str =
        "    components { name: \"z\" from: \"acceleration.z\" unit: \"m/s2\" }\n";
    const Y: &str = "    components { name: \"y\" from: \"acceleration.y\" unit: \"m/s2\" }\n";
    let both = [Y, ANOTHER].concat();
    table(
        page,
        &projected(),
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
                Y,
                "",
                "",
            ),
            (
                "component-added",
                &["CA3-5.8-11"],
                "three columns and four components",
                Y,
                &both,
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

/// Checks 8 and 9 down a path, where either of two rules describes the fault.
fn inherited(page: &Page) -> Vec<Draft> {
    let unit = |rule: &str| Finding::error(rule).or("CA3-5.8-16");
    let mut cases = weighed(
        page,
        &projected(),
        unit,
        &[(
            "unit-not-inherited",
            &["CA3-5.8-17"],
            "a component in m/s of a vector in m/s2",
            "from: \"acceleration.x\" unit: \"m/s2\"",
            "from: \"acceleration.x\" unit: \"m/s\"",
            "",
        )],
    );
    cases.extend(weighed(
        page,
        &but(
            "from: \"acceleration.x\" unit: \"m/s2\"",
            "from: \"acceleration.x\" unit: \"m.s-2\"",
        ),
        unit,
        &[(
            "unit-otherwise-written",
            &["CA3-5.8-17"],
            "a component in m.s-2 of a vector in m/s2, which is one unit; then in m.s-1",
            "m.s-2",
            "m.s-1",
            "",
        )],
    ));
    let of = |rule: &str| Finding::error(rule).or("CA3-5.8-18");
    let retyped = |name, title, recorded: &Recorded| {
        let row: Row<'_> = (
            name,
            &["CA3-5.8-19"],
            title,
            "bool measured",
            "uint32 measured",
            "",
        );
        weighed(page, recorded, of, &[row])
    };
    cases.extend(retyped(
        "validity-of-integers",
        "a validity component from a uint32",
        &projected(),
    ));
    cases.extend(retyped(
        "bool-that-is-no-validity",
        "a bool is in order without validity: true, and a uint32 in its place is not",
        &but(" validity: true", ""),
    ));
    cases
}

/// Checks 7 to 9 where the unit and the type are the field's own.
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
                "unit-in-words-of-a-projection",
                &["CA3-5.8-15"],
                "a component's unit is a word, which is not its field's unit either",
                "from: \"width\" unit: \"m\"",
                "from: \"width\" unit: \"metre\"",
                "",
            ),
        ],
    );
    cases.extend(weighed(
        page,
        &lengths,
        |rule| Finding::error(rule).or("CA3-5.8-19"),
        &[(
            "another-element-type",
            &["CA3-5.8-18"],
            "a form of FLOAT32 with a component from a double",
            "float height",
            "double height",
            "",
        )],
    ));
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
