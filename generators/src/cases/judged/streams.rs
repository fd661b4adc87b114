//! What a Header, a Stream and a Session state (§4.3, §5.2, §5.7, §11, §11.3).

use ca3_wire::records::{Session, Stream};

use super::super::session::session as full_session;
use super::super::{Page, plan, small, string};
use super::judged;
use crate::plan::{Chunk, Decoded, Plan, Sample, schema, stream};
use crate::{Draft, Finding};

pub(super) fn source_time(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.7-11";
    let name = "source-time-of-no-domain";
    let samples = [
        Sample::new(Decoded::at(2_000).source(500), b"one"),
        Sample::new(Decoded::at(2_010).source(510), b"two"),
    ];
    vec![judged(
        name,
        RULE,
        "source stamps on a stream that names no source clock domain",
        plan(&page.values(name))
            .stream(Stream {
                source_clock_domain: "dev".to_owned(),
                ..stream(1)
            })
            .chunk(Chunk::of(1, &samples)),
        |plan| plan.replace_field("Stream 1", "source_clock_domain", &string(b"")),
        Finding::error(RULE).at("Stream 1").at("Chunk 1"),
    )]
}

/// A Session that names no device.
fn session_of(participant_code: &str) -> Session {
    Session {
        participant_code: participant_code.to_owned(),
        devices: Vec::new(),
        ..full_session()
    }
}

pub(super) fn session(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-11-08";
    let two = judged(
        "two-in-the-summary",
        RULE,
        "the summary restates the Session twice",
        small(&page.values("two-in-the-summary")).session(session_of("P-01")),
        |plan| plan.repeat("summary Session"),
        Finding::error(RULE)
            .at("summary Session again")
            .at("summary Session"),
    );
    let older = judged(
        "older-in-the-summary",
        RULE,
        "the summary restates the first of two Sessions, and the last is in force",
        small(&page.values("older-in-the-summary"))
            .session(session_of("P-01"))
            .session(session_of("P-02")),
        |plan| {
            plan.rewrite(
                "summary Session",
                &session_of("P-01"),
                "participant_code",
                "it restates Session 1",
            )
        },
        Finding::error(RULE).at("summary Session"),
    );
    vec![two, older]
}

pub(super) fn authorisation(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-11.3-03";
    let name = "window-without-an-end";
    let open = Draft::new(name, &[RULE], "an authorisation from 10 on, whose end is 0")
        .readings(&["G106"])
        .clean(
            plan(&page.values(name))
                .stream(Stream {
                    authorisation_reference: "auth".to_owned(),
                    authorisation_from_unix_ns: 10,
                    ..stream(1)
                })
                .chunk(Chunk::two(1)),
        )
        .wrong_answer("the end that is not stated is taken for 1970, before the beginning");
    let name = "window-runs-backwards";
    let backwards = judged(
        name,
        RULE,
        "an authorisation that ends before it begins",
        plan(&page.values(name))
            .stream(Stream {
                authorisation_reference: "auth".to_owned(),
                authorisation_from_unix_ns: 10,
                authorisation_until_unix_ns: 20,
                ..stream(1)
            })
            .chunk(Chunk::two(1)),
        |plan| {
            plan.replace_field(
                "Stream 1",
                "authorisation_from_unix_ns",
                &30u64.to_le_bytes(),
            )
        },
        Finding::error(RULE).at("Stream 1"),
    );
    vec![backwards, open]
}

/// Clause 1 of the floor (§5.2), as far as it needs no descriptor read.
pub(super) fn floor(page: &Page) -> Vec<Draft> {
    const DESCRIBED: &str = "CA3-5.2-01";
    const DECODABLE: &str = "CA3-5.2-02";
    let claiming = |name: &str| {
        plan(&page.values(name))
            .schema(schema(1))
            .stream(Stream {
                schema_ref: 1,
                schema_conformance: 1,
                ..stream(1)
            })
            .chunk(Chunk::values(1))
    };
    let case = |name: &str, rule: &str, title: &str, spoil: fn(Plan) -> Plan| {
        judged(
            name,
            rule,
            title,
            claiming(name),
            spoil,
            // The claim, or what does not bear it out.
            Finding::error(rule).at("Stream 1").at("Schema 1"),
        )
    };
    vec![
        case(
            "claim-without-a-schema",
            DESCRIBED,
            "a stream of no schema claims to be well-formed",
            |plan| plan.replace_field("Stream 1", "schema_ref", &[0; 4]),
        ),
        case(
            "claim-without-a-descriptor",
            DESCRIBED,
            "the schema of a stream that claims to be well-formed has no descriptor",
            |plan| plan.replace_field("Schema 1", "descriptor", &[0; 8]),
        ),
        case(
            "claim-of-an-unknown-encoding",
            DECODABLE,
            "the schema of a stream that claims to be well-formed has the encoding flatpack",
            |plan| plan.replace_field("Schema 1", "encoding", &string(b"flatpack")),
        ),
    ]
}

/// Names of clocks (§4.3).
pub(super) fn clock_sources(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-4.3-02";
    [
        (
            "monotonic-wrapper",
            "monotonic_source",
            "std::time::Instant",
        ),
        ("wall-wrapper", "anchor_wall_source", "SystemTime::now"),
    ]
    .map(|(name, field, wrapper)| {
        judged(
            name,
            RULE,
            &format!("{field} names {wrapper}, which wraps whatever call the platform has"),
            small(&page.values(name)),
            |plan| plan.replace_field("Header", field, &string(wrapper.as_bytes())),
            Finding::warning(RULE).at("Header"),
        )
    })
    .to_vec()
}
