//! Whether a descriptor is what it says it is (§5.1), and payloads decode by it.

use ca3_wire::records::{Schema, Stream};

use super::super::{Page, plan, string};
use super::described::{Recorded, claiming, edited, repacked};
use super::judged;
use crate::describing::{DESCRIPTOR, OPTIONS, SAMPLE};
use crate::plan::{Chunk, counted, payload::float, payload::number, stream};
use crate::{Described, Draft, Finding};

const MEASURED: &str = "// A length, as it was measured.
message Sample {
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
  string note = 3;
}
";

fn measured() -> Recorded {
    let payload = [float(1, 0.5), number(2, 1), counted(3, b"ok")].concat();
    Recorded {
        payloads: vec![payload.clone(), payload],
        ..Recorded::sample(MEASURED, Vec::new())
    }
}

const KINDS: &str = "ca3/conformance/v1/kinds.proto";
const KIND: &str = "syntax = \"proto3\";

package ca3.conformance.v1;

// What was seen.
enum Kind {
  NONE = 0;
  STEP = 1;
}
";

const SHAPES: &str = "ca3/conformance/v1/shapes.proto";
const SHAPE: &str = "syntax = \"proto3\";

package ca3.conformance.v1;

import \"ca3/conformance/v1/kinds.proto\";

// What was seen, and how often.
message Shape {
  Kind kind = 1;
  uint32 times = 2;
}
";

const OTHERS: &str = "ca3/conformance/v1/others.proto";

fn kinds() -> Recorded {
    let declared = "message Sample {\n  Kind kind = 1;\n}\n";
    Recorded {
        schema: Described::sample(declared).importing(KINDS, KIND),
        payloads: vec![number(1, 1)],
    }
}

fn shapes() -> Recorded {
    let declared = "message Sample {\n  Shape shape = 1;\n}\n";
    let shape = [number(1, 1), number(2, 3)].concat();
    let schema = Described::sample(declared);
    Recorded {
        schema: schema.importing(SHAPES, SHAPE).beside(KINDS, KIND),
        payloads: vec![counted(1, &shape)],
    }
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = closure(page);
    cases.extend(set(page));
    cases.extend(names(page));
    cases.extend(payloads(page));
    cases.push(undescribed(page));
    cases
}

/// Neither less nor more than what is imported.
fn closure(page: &Page) -> Vec<Draft> {
    const MISSING: &str = "CA3-5.1-09";
    const SURPLUS: &str = "CA3-5.1-10";
    const BARE: &str = "CA3-5.1-12";
    const FOREIGN: &str = "CA3-5.1-13";
    // Whose file is whose.
    const OWN: &str = "G150";
    let pressed = "// Whether the button was down.\nmessage Sample {\n  bool pressed = 1;\n}\n";
    let alone = Recorded {
        schema: Described::importing_nothing(pressed),
        payloads: vec![number(1, 1)],
    };
    let other = "syntax = \"proto3\";\npackage ca3.conformance.v1;\nmessage Other {}\n";
    vec![
        edited(
            page,
            (
                "missing-import",
                &[MISSING],
                "the set lacks a file that the described one imports",
            ),
            &kinds(),
            |schema| schema.without(KINDS),
            Finding::error(MISSING),
        ),
        edited(
            page,
            (
                "missing-indirect-import",
                &[MISSING],
                "the set lacks a file that only an imported one imports",
            ),
            &shapes(),
            |schema| schema.without(KINDS),
            Finding::error(MISSING),
        ),
        edited(
            page,
            (
                "surplus-file",
                &[SURPLUS],
                "the set holds a file that nothing in it imports",
            ),
            &measured(),
            |schema| schema.with_surplus(OTHERS, other),
            Finding::error(SURPLUS),
        ),
        edited(
            page,
            (
                "own-comments-removed",
                &[BARE],
                "the described message's file has no source_code_info",
            ),
            // By the words of §5.1 the options are a file that the writer wrote too.
            &Recorded {
                schema: measured().schema.commented(OPTIONS),
                ..measured()
            },
            |schema| schema.uncommented(SAMPLE),
            Finding::warning(BARE).path(SAMPLE),
        )
        .citing(OWN),
        edited(
            page,
            (
                "foreign-file-removed",
                &[FOREIGN],
                "google/protobuf/descriptor.proto is gone, not its comments alone",
            ),
            &measured(),
            |schema| schema.without(DESCRIPTOR),
            Finding::error(FOREIGN).or(MISSING),
        )
        .citing(OWN),
        edited(
            page,
            (
                "surplus-foreign-file",
                &[SURPLUS],
                "the set holds google/protobuf/descriptor.proto, and its message imports nothing",
            ),
            &alone,
            |schema| schema.with_surplus_of(DESCRIPTOR),
            Finding::error(SURPLUS),
        ),
    ]
}

/// Bytes from which no pool of types builds.
fn set(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.1-16";
    let case = |name, title, recorded: &Recorded, edit: fn(Described) -> Described| {
        let finding = Finding::error(RULE);
        edited(page, (name, &[RULE], title), recorded, edit, finding)
    };
    vec![
        case(
            "set-cut-short",
            "the descriptor set ends inside its last file",
            &measured(),
            |schema| schema.cut(7),
        ),
        case(
            "undeclared-type",
            "a field is of a type that no file of the set declares",
            &kinds(),
            |schema| schema.exchanging_in(KINDS, "enum Kind", "enum Sort"),
        ),
        case(
            "two-files-of-one-name",
            "the set holds two different files of one name",
            &kinds(),
            |schema| schema.repeating(KINDS, "STEP = 1", "STEP = 2"),
        ),
    ]
}

/// What `schema_id` must be.
fn names(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.1-11";
    let rows = [
        (
            "name-without-package",
            "schema_id is the message's name without its package",
            "Sample",
        ),
        (
            "version-moved-to-the-end",
            "schema_id has the version segment at its end",
            "ca3.conformance.Sample.v1",
        ),
    ];
    let case = |name: &str, title: &str, recorded: &Recorded, schema_id: &str| {
        judged(
            name,
            RULE,
            title,
            recorded.plan(&page.values(name)),
            |plan| plan.replace_field("Schema 1", "schema_id", &string(schema_id.as_bytes())),
            Finding::error(RULE).at("Schema 1").path(schema_id),
        )
    };
    let mut cases = rows
        .map(|(name, title, schema_id)| case(name, title, &measured(), schema_id))
        .to_vec();
    let nested = "// What holds the samples' type.
message Outer {
  // A length, as it was measured.
  message Inner {
    float x = 1 [(unit) = \"m\"];
    bool valid = 2 [(validity_for) = \"x\"];
  }
}
";
    let nested = Recorded {
        schema: Described::declaring(SAMPLE, "Outer.Inner", nested),
        payloads: vec![[float(1, 0.5), number(2, 1)].concat()],
    };
    cases.push(case(
        "nested-message",
        "schema_id is a nested message's name without the one that it is nested in",
        &nested,
        "ca3.conformance.v1.Inner",
    ));
    cases
}

/// Whether payloads decode as the message.
fn payloads(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.1-15";
    let case = |name, title, recorded: &Recorded, payload: Vec<u8>, what, finding| {
        let about = (name, RULE, title);
        repacked(page, about, recorded, (1, payload, what), finding)
    };
    let known = [float(1, 0.5), number(2, 1)].concat();
    // Of a later version of the schema, say.
    let unknown = [known.clone(), number(9, 7), counted(10, b"later")].concat();
    let later = Recorded {
        payloads: vec![unknown.clone(), unknown],
        ..measured()
    };
    vec![
        case(
            "length-past-the-end",
            "a string of a payload is longer than the payload",
            &measured(),
            // Of four bytes, of which three are there.
            [known.as_slice(), b"\x1A\x04abc"].concat(),
            "note claims four bytes, of which three are there",
            Finding::error(RULE),
        ),
        case(
            "another-wire-type",
            "a float of the schema is stored as a varint",
            &measured(),
            [number(1, 5), number(2, 1), counted(3, b"ok")].concat(),
            "x is stored as a varint",
            // Some parsers take it for a field that the schema does not know.
            Finding::error_or_warning(RULE),
        ),
        case(
            "unknown-fields",
            "fields of unknown numbers are in order, unless one is longer than the payload",
            &later,
            [known.as_slice(), &number(9, 7), b"\x52\x05late"].concat(),
            "field 10 claims five bytes, of which four are there",
            Finding::error(RULE),
        ),
    ]
}

/// A payload that the file carries and does not describe: nothing that holds of a
/// descriptor holds of its schema.
fn undescribed(page: &Page) -> Draft {
    let rules = ["CA3-5.2-10", "CA3-5.1-11", "CA3-5.1-15", "CA3-5.1-16"];
    let name = "undescribed";
    let schema = Schema {
        schema_ref: 1,
        schema_id: "vendor.Frame".to_owned(),
        encoding: String::new(),
        descriptor: Vec::new(),
    };
    let unclaimed = Stream {
        schema_conformance: 0,
        ..claiming(1)
    };
    let valid = plan(&page.values(name))
        .schema(schema)
        .stream(unclaimed)
        .stream(stream(2))
        .chunk(Chunk::plain(1, &[(2_000, b"\xFF\xFE")]))
        .chunk(Chunk::plain(2, &[(2_000, b"\xFF\xFE")]));
    let title = "streams without a description: a schema of no encoding, and no schema";
    Draft::new(name, &rules, title)
        .readings(&[])
        .clean(valid)
        .wrong_answer("the schema is found to lack a descriptor, or its payloads to be none of it")
}
