//! Item 29: next to nothing is there: a Header alone, or not even that (§2.4, §8.3).

use ca3_spec::kind::Kind::{self, BadLength, BadMagic, BadUtf8, LimitExceeded, TruncatedRecord};
use serde_json::json;

use super::super::{Page, one_stream, plan};
use super::broken::whole_chain;
use super::numbered::{checkpointed, numbered};
use crate::draft::Draft;
use crate::plan::At;
use crate::recovering::{CHAIN, SPINE, recovered};

const RULE: &[&str] = &["CA3-16-07"];
/// What a Header that is not all there may be called.
const NO_HEADER: &[Kind] = &[
    TruncatedRecord,
    BadLength,
    LimitExceeded,
    BadMagic,
    BadUtf8,
    Kind::Other,
];

pub(in super::super) fn header(page: &Page) -> Vec<Draft> {
    let v = page.values("behind-the-header");
    let valid = one_stream(&v).chunk(numbered(&v, 1, 1)).unsealed();
    let empty = plan(&v).unsealed();
    let behind = Draft::new(
        "behind-the-header",
        RULE,
        "the file ends directly behind its Header: an answer without messages, and no refusal",
    )
    .valid_asked(valid.clone(), vec![recovered(SPINE, &valid)])
    .invalid_asked(
        valid.truncate(At::record("Stream 1", 0)),
        vec![recovered(SPINE, &empty).holds(json!({"checkpoints": []}))],
    );

    let mut cases = vec![behind];
    for (name, at, readings, title) in [
        (
            "magic-alone",
            At::Start(8),
            &["G48", "G140"][..],
            "of the file only the magic is there",
        ),
        (
            "cut-in-the-features",
            At::Start(20),
            &["G140"][..],
            "the file ends in the features of its Header",
        ),
        (
            "cut-in-the-header",
            At::Start(30),
            &["G140"][..],
            "the file ends in its Header, behind the features",
        ),
    ] {
        let v = page.values(name);
        let valid = one_stream(&v).chunk(numbered(&v, 1, 1)).unsealed();
        let nothing = json!({
            "sealed": false,
            "truncated": true,
            "complete": false,
            "method": SPINE,
            "checkpoints": [],
            "header": null,
            "session": null,
            "schemas": [],
            "streams": [],
            "entries": [],
            "directory": [],
            "messages": [],
        });
        cases.push(
            Draft::new(name, RULE, title)
                .readings(readings)
                .valid_asked(valid.clone(), vec![recovered(SPINE, &valid)])
                .invalid_asked(
                    valid.truncate(at),
                    vec![crate::Ask::recover().holds(nothing).or_refused(NO_HEADER)],
                ),
        );
    }

    // The chain needs no Header: it is entered from the end.
    let v = page.values("chain-without-a-header");
    let valid = checkpointed(&v).chunk(numbered(&v, 1, 2)).unsealed();
    cases.push(
        Draft::new(
            "chain-without-a-header",
            RULE,
            "a Header that does not decode, and a chain that is whole: it has all the rest",
        )
        .readings(&["G140"])
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(whole_chain(1))],
        )
        .invalid_asked(
            valid.clone().patch_field("Header", "library", 4, &[0xFF]),
            vec![
                recovered(CHAIN, &valid)
                    .holds(whole_chain(1))
                    .holds(json!({"header": null}))
                    .or_refused(NO_HEADER),
            ],
        ),
    );
    cases
}
