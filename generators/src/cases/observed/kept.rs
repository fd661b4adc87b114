//! Item 18: what is not recomputed is neither right nor wrong: observations of
//! another schema, other versions of the estimator, an empty stream (§10.7, §10.8).

use ca3_spec::kind::Kind::{MappingInconsistent, Other};
use ca3_wire::records::{ClockDomain, Schema};
use serde_json::json;

use super::super::{Page, plan};
use super::lines::{constant_delay, flat};
use super::{
    LABEL, NOT_ESTIMATED, UNBOUNDED, block_of, line, moved, observing, one_way, peer, seen,
    shift_of,
};
use crate::Ask;
use crate::plan::{Plan, TimeMessage, described, observations, schema, stream, time_schema};
use crate::verifying::{at_most_verified, inconsistent, verifications};
use crate::{Draft, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = versions(page);
    cases.push(version_as_it_stands(page));
    cases.push(older_and_right(page));
    cases.extend(schemas(page));
    cases.push(empty(page));
    cases
}

/// Two mappings of the constant delay: `peer-a` right, `peer-b` a second off.
fn right_and_wrong(shift: u64, estimator_version: u32) -> [ClockDomain; 2] {
    let of = |domain: &str, by: i64| ClockDomain {
        domain: domain.to_owned(),
        offset_ns: flat().offset_ns + by,
        estimator_version,
        ..moved(&one_way(flat()), shift)
    };
    [of("peer-a", 0), of("peer-b", 1_000_000_000)]
}

fn versions(page: &Page) -> Vec<Draft> {
    let file = |v: &Values, version: u32| {
        let shift = shift_of(v);
        observing(v)
            .chunk(observations(1, &seen(&constant_delay(), shift)))
            .clock_block(&block_of(&right_and_wrong(shift, version)))
    };
    let v = page.values("a-later-estimator");
    let later = Draft::new(
        "a-later-estimator",
        &["CA3-10.8-02"],
        "two mappings by estimator 2, one as estimator 1 would have it and one not: both unverified",
    )
    .valid_asked(
        file(&v, 2),
        vec![verifications(&["unverified", "unverified"]).may_report(&[Other])],
    )
    .wrong_answer("the first is called verified, or the second inconsistent");

    let v = page.values("an-earlier-estimator");
    // Whoever recomputes under version 1 all the same reports that it did.
    let told = json!({"$contains": [{"$not": {"$absent": true}}]});
    let owed = json!({"$one_of": [
        {"domains": [{"verification": "unverified"}, {"verification": "unverified"}]},
        {
            "domains": [
                {"verification": {"$one_of": ["verified", "unverified"]}},
                {"verification": {"$not": "verified"}},
            ],
            "problems": told,
        },
    ]});
    let earlier = Draft::new(
        "an-earlier-estimator",
        &["CA3-10.8-03"],
        "two mappings that state estimator 0: unverified, or it is reported which one was used",
    )
    .valid_asked(
        file(&v, 0),
        vec![Ask::clock(owed).may_report(&[Other, MappingInconsistent])],
    )
    .wrong_answer("the first is called verified and nothing says under which estimator");
    vec![later, earlier]
}

/// The constant delay's mapping alone, by this version of the estimator.
fn right_alone(v: &Values, estimator_version: u32) -> Plan {
    let shift = shift_of(v);
    let [right, _] = right_and_wrong(shift, estimator_version);
    observing(v)
        .chunk(observations(1, &seen(&constant_delay(), shift)))
        .clock_block(&block_of(&[right]))
}

fn version_as_it_stands(page: &Page) -> Draft {
    let v = page.values("version-as-it-stands");
    let version = v.u32("estimator_version", 3, 2..=u32::MAX);
    let owed = json!({"estimator_version": version, "verification": "unverified"});
    Draft::new(
        "version-as-it-stands",
        &["CA3-10.8-02"],
        "a mapping by a later estimator: clock tells the version that is stored, and does not verify",
    )
    .valid_asked(
        right_alone(&v, version),
        vec![Ask::clock(json!({"domains": [owed]})).may_report(&[Other])],
    )
    .wrong_answer("the reader's own version is told, as if it had fitted the mapping")
}

/// There is nothing to report about it but the version.
fn older_and_right(page: &Page) -> Draft {
    let v = page.values("older-and-right");
    let told = json!({"$contains": [{"$not": {"$absent": true}}]});
    let of = |verification: &str| json!([{"estimator_version": 0, "verification": verification}]);
    let owed = json!({"$one_of": [
        {"domains": of("unverified")},
        {"domains": of("verified"), "problems": told},
    ]});
    Draft::new(
        "older-and-right",
        &["CA3-10.8-03"],
        "one mapping, of estimator 0, that estimator 1 bears out: unverified, or it is reported",
    )
    .valid_asked(
        right_alone(&v, 0),
        vec![Ask::clock(owed).may_report(&[Other])],
    )
    .wrong_answer("it is verified under estimator 1, and nothing says so")
}

fn schemas(page: &Page) -> Vec<Draft> {
    let unread = |name: &str, title: &str, declared: &dyn Fn(Plan) -> Plan| {
        let v = page.values(name);
        let shift = shift_of(&v);
        let file = declared(plan(&v))
            .stream(peer(2))
            .chunk(observations(1, &seen(&constant_delay(), shift)))
            .clock_block(&block_of(&right_and_wrong(shift, 1)));
        Draft::new(name, &["CA3-10.7-05"], title)
            .readings(&["G04", "G05", "G61", "G128"])
            .valid_asked(
                file,
                vec![verifications(&["unverified", "unverified"]).may_report(&[Other])],
            )
            .wrong_answer("the payloads are read as ClockObservation, whatever the schema says")
    };
    vec![
        unread(
            "of-another-schema",
            "the observations stream is of another schema: its bytes may look right and are not read",
            &|plan| plan.schema(schema(1)).stream(described(1, 1)),
        ),
        unread(
            "of-another-encoding",
            "the schema has the right name and another encoding than protobuf",
            &|plan| {
                let named = time_schema(1, TimeMessage::ClockObservation);
                plan.schema(Schema {
                    encoding: "flatbuffer".to_owned(),
                    ..named
                })
                .stream(described(1, 1))
            },
        ),
        unread(
            "of-another-package",
            "the schema is a ClockObservation of another package",
            &|plan| {
                let named = time_schema(1, TimeMessage::ClockObservation);
                plan.schema(Schema {
                    schema_id: "lab.time.v1.ClockObservation".to_owned(),
                    ..named
                })
                .stream(described(1, 1))
            },
        ),
        unread(
            "of-no-schema",
            "the observations stream names no schema",
            &|plan| plan.stream(stream(1)),
        ),
    ]
}

/// No observation: nothing is known, and a mapping of quality 0 says so.
fn empty(page: &Page) -> Draft {
    let name = "empty-stream";
    let nothing = ClockDomain {
        quality: 0,
        bias_low_ns: UNBOUNDED,
        skew_uncertainty_ppb: NOT_ESTIMATED,
        ..one_way(line(0, 0, 0, [0, 0]))
    };
    let valid = observing(&page.values(name)).clock_block(&block_of(&[nothing]));
    let confident = valid
        .clone()
        .replace_field(LABEL, "domains[0].quality", &[2]);
    Draft::new(
        name,
        &["CA3-10.7-05"],
        "an observations stream without messages: a mapping of quality 0, and one of quality 2",
    )
    .readings(&["G04", "G05", "G61", "G126"])
    .valid_asked(valid, vec![at_most_verified()])
    .invalid_asked(confident, vec![inconsistent()])
}
