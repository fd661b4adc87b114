//! Blocks: the array as its producer packed it (§5.8).

use super::super::super::Page;
use super::super::described::{Recorded, repacked, table};
use crate::plan::payload::{floats, number};
use crate::{Draft, Finding};

pub(super) const BLOCK: &str = "message Sample {
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

pub(super) const JOINTS: &str = "
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

pub(super) fn rows() -> Vec<u8> {
    [floats(1, &ROWS), number(2, 1)].concat()
}

/// A block of four rows of two float32: 32 bytes.
pub(in super::super) fn blocks() -> Recorded {
    Recorded {
        payloads: vec![rows(), rows()],
        ..Recorded::sample(&[BLOCK, JOINTS].concat(), Vec::new())
    }
}

/// A block of as many rows as another field says: here four, too.
fn open_blocks() -> Recorded {
    let declared = "message Sample {
  option (tensor_form) = {
    id: \"sample.tensor.v1\"
    element_type: FLOAT32
    byte_order: LITTLE
    block: \"points\"
    axes { name: \"point\" length_from: \"count\" }
    axes { name: \"component\" length: 2 }
    components { name: \"x\" unit: \"m\" }
    components { name: \"y\" unit: \"m\" }
  };
  // In the order in which they were seen.
  bytes points = 1 [(frame) = \"conformance.world.v1\", (cardinality) = 0];
  bool valid = 2 [(validity_for) = \"points\"];
  uint32 count = 3;
}
";
    Recorded::sample(declared, [rows(), number(3, 4)].concat())
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
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
                "block-without-a-cardinality",
                &["CA3-5.8-10"],
                "four rows by the axis, and the field declares no cardinality",
                ", (cardinality) = 4",
                "",
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
    cases.extend(table(
        page,
        &open_blocks(),
        &[(
            "cardinality-of-an-open-length",
            &["CA3-5.8-10"],
            "the first axis takes its length from a field, and the block declares four rows",
            "(cardinality) = 0",
            "(cardinality) = 4",
            "",
        )],
    ));
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
