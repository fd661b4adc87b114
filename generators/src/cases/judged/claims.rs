//! What a stream claims of its schema (§5.7), and the floor that the claim is about (§5.2).

use super::super::Page;
use super::described::Recorded;
use crate::plan::payload::{float, floats, number};
use crate::{Draft, Finding};

const CLAIM: &str = "CA3-5.2-09";
const TIER: &str = "CA3-5.2-10";

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = malformed(page);
    cases.extend(unannotated(page));
    cases
}

/// A unit in words is none by the document's own words (§5.4): whether something needs
/// a unit rests on a reading, and that this is none does not.
fn malformed(page: &Page) -> Vec<Draft> {
    let measured = "message Sample {
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
}
";
    let measured = Recorded::sample(measured, [float(1, 0.5), number(2, 1)].concat());
    let spoilt = measured
        .schema
        .clone()
        .replacing("(unit) = \"m\"", "(unit) = \"meters\"");
    let case = |name: &str, title: &str, claim: u8| {
        let plan = measured.claimed(&page.values(name), claim);
        Draft::new(name, &[CLAIM], title).clean(plan.clone()).found(
            plan.redescribed("Schema 1", 1, &spoilt),
            Finding::error(CLAIM).at("Stream 1"),
        )
    };
    vec![
        case(
            "claim-not-met",
            "a stream claims to be well-formed, and the unit in its schema is no UCUM code",
            1,
        ),
        case(
            "retired-claim-not-met",
            "schema_conformance 2, which is read as 1, and the unit in the schema is no UCUM code",
            2,
        ),
    ]
}

/// A schema without any declaration.
fn unannotated(page: &Page) -> Vec<Draft> {
    let bare = "message Sample {\n  float x = 1;\n  repeated float more = 2;\n}\n";
    let bare = Recorded::sample(bare, [float(1, 0.5), floats(2, &[2.0])].concat());
    let name = "unannotated-and-unclaimed";
    let title = "a schema without a declaration is in order where no stream claims more";
    let unclaimed = Draft::new(name, &[TIER], title)
        .clean(bare.claimed(&page.values(name), 0))
        .wrong_answer("the schema is refused, or found at fault");
    let name = "unannotated-and-claimed";
    let title = "a stream claims to be well-formed, and its schema declares nothing";
    let plan = bare.claimed(&page.values(name), 0);
    let claimed = plan
        .clone()
        .replace_field("Stream 1", "schema_conformance", &[1]);
    vec![
        unclaimed,
        Draft::new(name, &[CLAIM, TIER], title)
            .clean(plan)
            .found(claimed, Finding::error(CLAIM).at("Stream 1"))
            // That a float needs a unit, and that no cardinality is no declaration.
            .readings(&["G26", "G68"]),
    ]
}
