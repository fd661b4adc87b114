//! What a Stream and a Session state (§5.7, §11, §11.3).

use ca3_wire::records::{Session, Stream};

use super::super::session::session as full_session;
use super::super::{Page, plan, small, string};
use super::judged;
use crate::plan::{Chunk, Decoded, Sample, stream};
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
    let name = "window-runs-backwards";
    vec![judged(
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
    )]
}
