//! What a schema must declare to be well-formed (§5.2), and the claim that it does.

use super::super::{Page, plan};
use super::described::{Recorded, claiming, repacked, table, weighed};
use crate::plan::payload::{float, floats, number, numbers, vector};
use crate::plan::{Plan, counted};
use crate::{Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = units(page);
    cases.extend(frames(page));
    cases.extend(repeated(page));
    cases.extend(absence(page));
    cases.extend(form(page));
    cases.extend(coded(page));
    cases.extend(claims(page));
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
            (
                "no-unit-on-a-component",
                &[RULE],
                "of a vector's components one has no unit",
                " [(unit) = \"mm\"]",
                "",
                "Sample.place.y",
            ),
        ],
    );
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
    ];
    let places = Recorded::sample(PLACES, payload.concat());
    table(
        page,
        &places,
        &[(
            "no-frame",
            &[RULE],
            "a vector of x, y and z has no frame",
            "(unit) = \"m\", (frame) = \"conformance.world.v1\"",
            "(unit) = \"m\"",
            "Sample.position",
        )],
    )
}

const REPEATED: &str = "message Sample {
  // The fingers of the left hand, from the thumb on.
  repeated float forces = 1 [(unit) = \"N\", (cardinality) = 5];
  bool valid = 2 [(validity_for) = \"forces\"];
  // However many there were, in order of time.
  repeated uint32 beats = 3 [(cardinality) = 0];
  map<string, string> notes = 4;
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
    ];
    let repeated = Recorded::sample(REPEATED, payload.concat());
    let mut cases = table(
        page,
        &repeated,
        &[(
            "no-cardinality",
            &[RULE],
            "a repeated field declares no cardinality; a map and an explicit 0 need none",
            ", (cardinality) = 5",
            "",
            "Sample.forces",
        )],
    );
    let name = "ordering-unchecked";
    let title = "the ordering of a repeated field stands among what is not checked";
    let ordering = Draft::new(name, &[RULE], title)
        .listed(repeated.plan(&page.values(name)))
        .wrong_answer("clause 4 passes as checked, although no option carries an ordering");
    cases.push(ordering);
    cases
}

/// Clause 5.
fn absence(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-06";
    let one = "message Sample {
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
}
";
    let one = Recorded::sample(one, [float(1, 0.5), number(2, 1)].concat());
    let name = "no-channel";
    let title = "the schema's only validity channel covers nothing";
    let valid = one.plan(&page.values(name));
    let spoilt = one
        .schema
        .clone()
        .replacing(" [(validity_for) = \"x\"]", "");
    let none = Draft::new(name, &[RULE], title)
        .listed(valid.clone())
        .found(
            valid.redescribed("Schema 1", 1, &spoilt),
            Finding::info(RULE).at("Schema 1").path("Sample"),
        );
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
        Finding::warning,
        &[(
            "optional-without-a-channel",
            &[RULE],
            "an optional float that no channel covers, beside one that has its own",
            " [(validity_for) = \"x\"]",
            "",
            "Sample.x",
        )],
    );
    cases.push(none);
    cases
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
    table(
        page,
        &recorded,
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

/// Clause 7.
fn coded(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.2-08";
    let key = "message Sample {
  // A code of the usage page for keyboards.
  uint32 key_code = 1;
  // The same in words.
  string text = 2;
}
";
    let key = Recorded::sample(key, number(1, 4));
    let mut cases = weighed(
        page,
        &key,
        Finding::warning,
        &[(
            "code-without-a-companion",
            &[RULE],
            "a coded integer loses the string beside it",
            "  // The same in words.\n  string text = 2;\n",
            "",
            "Sample.key_code",
        )],
    );
    let phase = "message Sample {
  // The code of the phase.
  Phase phase_code = 1;
}

enum Phase {
  REST = 0;
  STEP = 1;
}
";
    let phase = Recorded::sample(phase, number(1, 1));
    cases.extend(weighed(
        page,
        &phase,
        Finding::warning,
        &[(
            "enum-turned-integer",
            &[RULE],
            "a coded field is a bare uint32 and no enum",
            "Phase phase_code",
            "uint32 phase_code",
            "Sample.phase_code",
        )],
    ));
    let rule = "CA3-5.2-11";
    let plain = "message Sample {
  Phase phase = 1;
}

enum Phase {
  REST = 0;
  STEP = 1;
}
";
    let plain = Recorded {
        payloads: vec![number(1, 1), number(1, 0)],
        ..Recorded::sample(plain, Vec::new())
    };
    cases.push(repacked(
        page,
        (
            "value-without-a-name",
            rule,
            "an enum field has a value that the enum lacks",
        ),
        &plain,
        (1, number(1, 7), "phase is 7"),
        Finding::warning(rule).path("Sample.phase"),
    ));
    cases
}

/// What a stream claims of its schema (§5.7), which has no annotation at all.
fn claims(page: &Page) -> Vec<Draft> {
    const CLAIM: &str = "CA3-5.2-09";
    const TIER: &str = "CA3-5.2-10";
    let bare = "message Sample {\n  float x = 1;\n  repeated float more = 2;\n}\n";
    let bare = Recorded::sample(bare, [float(1, 0.5), floats(2, &[2.0])].concat());
    let case = |name: &str, rules: &[&str], title: &str, claim: u8| {
        let mut undeclared = claiming(1);
        undeclared.schema_conformance = 0;
        let valid: Plan = plan(&page.values(name))
            .described(1, &bare.schema)
            .stream(undeclared)
            .chunk(bare.chunk());
        let spoilt = valid
            .clone()
            .replace_field("Stream 1", "schema_conformance", &[claim]);
        Draft::new(name, rules, title)
            .clean(valid)
            .found(spoilt, Finding::error(CLAIM).at("Stream 1"))
    };
    vec![
        case(
            "claim-not-met",
            &[CLAIM],
            "a schema without a unit on a stream that claims to be well-formed",
            1,
        ),
        case(
            "retired-claim-not-met",
            &[CLAIM],
            "schema_conformance 2, which is read as 1, on a schema without a unit",
            2,
        ),
        case(
            "unannotated-and-unclaimed",
            &[TIER, CLAIM],
            "a schema without a declaration is in order where no stream claims more",
            1,
        ),
    ]
}
