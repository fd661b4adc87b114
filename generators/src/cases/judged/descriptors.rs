//! Whether a descriptor is what it says it is (§5.1), and payloads decode by it.

use super::super::{Page, string};
use super::described::{Recorded, edited, repacked};
use super::judged;
use crate::describing::{DESCRIPTOR, SAMPLE};
use crate::plan::{counted, payload::float, payload::number};
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
    cases
}

/// Neither less nor more than what is imported.
fn closure(page: &Page) -> Vec<Draft> {
    const MISSING: &str = "CA3-5.1-09";
    const SURPLUS: &str = "CA3-5.1-10";
    const BARE: &str = "CA3-5.1-12";
    const FOREIGN: &str = "CA3-5.1-13";
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
            &measured(),
            |schema| schema.uncommented(SAMPLE),
            Finding::warning(BARE).path(SAMPLE),
        ),
        edited(
            page,
            (
                "foreign-file-removed",
                &[FOREIGN],
                "google/protobuf/descriptor.proto is gone, not its comments alone",
            ),
            &measured(),
            |schema| schema.without(DESCRIPTOR),
            Finding::error(FOREIGN),
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
    rows.map(|(name, title, schema_id)| {
        judged(
            name,
            RULE,
            title,
            measured().plan(&page.values(name)),
            |plan| plan.replace_field("Schema 1", "schema_id", &string(schema_id.as_bytes())),
            Finding::error(RULE).at("Schema 1").path(schema_id),
        )
    })
    .to_vec()
}

/// Whether payloads decode as the message.
fn payloads(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.1-15";
    let rows = [
        (
            "length-past-the-end",
            "a string of a payload is longer than the payload",
            // Of four bytes, of which three are there.
            [float(1, 0.5), number(2, 1), b"\x1A\x04abc".to_vec()].concat(),
            "note claims four bytes, of which three are there",
        ),
        (
            "another-wire-type",
            "a float of the schema is stored as a varint",
            [number(1, 5), number(2, 1), counted(3, b"ok")].concat(),
            "x is stored as a varint",
        ),
    ];
    rows.map(|(name, title, payload, what)| {
        let finding = Finding::error(RULE);
        let about = (name, RULE, title);
        repacked(page, about, &measured(), (1, payload, what), finding)
    })
    .to_vec()
}
