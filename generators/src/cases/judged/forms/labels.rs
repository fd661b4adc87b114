//! Labels: an axis's enum, whose values are the indices (§5.8, check 6).

use super::super::super::Page;
use super::super::described::{Recorded, edited, table, weighed};
use super::block::{BLOCK, JOINTS, blocks, rows};
use crate::plan::counted;
use crate::plan::payload::{floats, number};
use crate::{Described, Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = fixed(page);
    cases.extend(open(page));
    cases
}

/// The enum that labels an axis of fixed length.
fn fixed(page: &Page) -> Vec<Draft> {
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

/// The enum that labels an axis of open length: its own number of values counts
/// (reading G67).
fn open(page: &Page) -> Vec<Draft> {
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
}

message Channel {
  // In order of time.
  repeated float potential = 1 [(unit) = \"uV\", (cardinality) = 0];
  bool valid = 2 [(validity_for) = \"potential\"];
}

enum Electrode {
  CZ = 0;
  OZ = 1;
}
";
    let channel = [floats(1, &[0.5, 2.0]), number(2, 1)].concat();
    let payload = [counted(1, &channel), counted(1, &channel), number(2, 2)];
    weighed(
        page,
        &Recorded::sample(channels, payload.concat()),
        |rule| Finding::error(rule).or("CA3-5.8-14"),
        &[(
            "labels-of-open-length-with-a-gap",
            &["CA3-5.8-25"],
            "rows without a fixed number, and labels 0 and 2",
            "OZ = 1",
            "OZ = 2",
            "",
        )],
    )
}
