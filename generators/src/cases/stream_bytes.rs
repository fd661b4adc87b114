//! Bytes of a Stream that describe it (§5.7), and assertion methods (§11.3).

use ca3_wire::records::{Session, Stream};

use super::{Page, plan};
use crate::Draft;
use crate::plan::{Chunk, Plan, schema, stream};

fn streams(plan: Plan, of: impl Iterator<Item = Stream>) -> Plan {
    of.fold(plan, Plan::stream).chunk(Chunk::two(1))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let conformance = |bytes: &'static [u8]| {
        (1u32..).zip(bytes).map(|(stream_ref, byte)| Stream {
            schema_conformance: *byte,
            // A claim of 1 or 2 is about a schema.
            schema_ref: u32::from(matches!(byte, 1 | 2)),
            ..stream(stream_ref)
        })
    };
    let v = page.values("conformance-retired");
    let retired = Draft::new(
        "conformance-retired",
        &["CA3-5.7-08"],
        "schema_conformance 2 is retired and read as 1",
    )
    .valid(
        conformance(&[1, 2, 0])
            .fold(plan(&v).schema(schema(1)), Plan::stream)
            .chunk(Chunk::values(1)),
    )
    .wrong_answer("2 comes back, or a refusal");

    let v = page.values("conformance-undefined");
    let undefined = Draft::new(
        "conformance-undefined",
        &["CA3-5.7-09"],
        "a schema_conformance byte that is not defined falls to 0",
    )
    .valid(streams(plan(&v), conformance(&[0, 7, 255, 3])))
    .wrong_answer("the byte itself comes back, or 1, or a refusal");

    let v = page.values("nominal-rate");
    let rate = v.u64("nominal_rate_millihz", 59_940, 1..=u64::MAX);
    let rates = [rate, 0, 200_000].into_iter();
    let rate = Draft::new(
        "nominal-rate",
        &["CA3-5.7-10"],
        "the nominal rate comes back in millihertz as stored, 0 where there is none",
    )
    .valid(streams(
        plan(&v),
        (1u32..)
            .zip(rates)
            .map(|(stream_ref, nominal_rate_millihz)| Stream {
                nominal_rate_millihz,
                ..stream(stream_ref)
            }),
    ))
    .wrong_answer("the rate comes back in hertz, rounded, or as null for 0");
    vec![retired, undefined, rate]
}

pub(super) fn assertion_cases(page: &Page) -> Vec<Draft> {
    let asserted = |bytes: &'static [u8]| {
        (1u32..).zip(bytes).map(|(stream_ref, byte)| Stream {
            operator_asserted_by: *byte,
            operator_reference: format!("operator-{byte}"),
            ..stream(stream_ref)
        })
    };
    let v = page.values("unspecified-and-unattested");
    let distinct = Draft::new(
        "unspecified-and-unattested",
        &["CA3-11.3-01"],
        "0 and 4 are different statements",
    )
    .valid(streams(plan(&v), asserted(&[0, 4])))
    .wrong_answer("both come back as 0, or both as 4");

    let v = page.values("defined-methods");
    let defined = Draft::new(
        "defined-methods",
        &["CA3-11.3-02"],
        "assertion bytes 0 to 4 come back unchanged",
    )
    .valid(streams(plan(&v), asserted(&[0, 1, 2, 3, 4])))
    .wrong_answer("one of them comes back as another");

    let v = page.values("undefined-methods");
    let undefined = Draft::new(
        "undefined-methods",
        &["CA3-11.3-02"],
        "an assertion byte that is not defined reads as unspecified, on Stream and Session",
    )
    .valid(
        streams(plan(&v), asserted(&[5, 255, 128])).session(Session {
            operator_asserted_by: 9,
            ..super::session::session()
        }),
    )
    .wrong_answer("4, or the byte itself, comes back, or a refusal");

    let v = page.values("session-unattested");
    let session = Draft::new(
        "session-unattested",
        &["CA3-11.3-01"],
        "a Session's 4 stays 4",
    )
    .valid(streams(plan(&v), asserted(&[0])).session(Session {
        operator_asserted_by: 4,
        ..super::session::session()
    }))
    .wrong_answer("0 comes back");
    vec![distinct, defined, undefined, session]
}
