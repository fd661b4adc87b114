//! Item 29: a whole chunk that does not hold is withheld and named, and the walk
//! goes on (§8.3, reading G56).

use ca3_spec::kind::Kind::{BadCrc, UnresolvedReference, VarintNotCanonical};
use serde_json::{Value, json};

use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{chained, flip_a_bit, flipped_payloads, numbered, payloads};
use crate::Values;
use crate::draft::Draft;
use crate::plan::{Chunk, Plan};
use crate::recovering::{CHAIN, SPINE, only, recovered, withheld};

const RULE: &[&str] = &["CA3-8.3-19"];

/// The second message's delta with a byte more than it needs; what is left of
/// the number behind it stays.
fn pad_a_varint(chunk: &mut Chunk) {
    if let Some(message) = chunk.at(1)
        && let Some(last) = message.stamp_delta.last_mut()
    {
        *last |= 0x80;
        message.stamp_delta.push(0);
    }
}

/// Three chunks without a checkpoint, or the second behind one and ahead of
/// another: the plan, its method, and its chain.
fn three(v: &Values, chained_up: bool) -> (Plan, &'static str, Value) {
    if chained_up {
        let plan = chained(v, 2).chunk(numbered(v, 1, 3)).unsealed();
        (plan, CHAIN, whole_chain(2))
    } else {
        let plan = (1..=3).fold(one_stream(v), |plan, number| {
            plan.chunk(numbered(v, 1, number))
        });
        (plan.unsealed(), SPINE, json!({"checkpoints": []}))
    }
}

/// The messages of the first and the third chunk.
fn first_and_third(v: &Values) -> Value {
    let others = one_stream(v)
        .chunk(numbered(v, 1, 1))
        .chunk(numbered(v, 1, 3));
    only(&others, &["messages"])
}

pub(in super::super) fn withheld_chunks(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, chained_up, title) in [
        (
            "varint",
            false,
            "a chunk with a varint in longer form is withheld; the walk has the one behind it",
        ),
        (
            "varint-in-the-chain",
            true,
            "a chunk that a checkpoint lists has a varint in longer form and is withheld",
        ),
    ] {
        let v = page.values(name);
        let (valid, method, linked) = three(&v, chained_up);
        let spoilt = valid.clone().edit_chunk(
            "Chunk 2",
            "message[1].stamp_delta",
            "a delta is stored with a byte too many",
            pad_a_varint,
        );
        // The blob is a byte longer, and the entry with it.
        let entries = only(&spoilt, &["entries"]);
        cases.push(
            Draft::new(name, RULE, title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(method, &valid).holds(linked.clone())],
                )
                .invalid_asked(
                    spoilt,
                    withheld(
                        &[VarintNotCanonical],
                        &payloads(&v, 2),
                        &[
                            json!({"method": method}),
                            linked,
                            entries,
                            first_and_third(&v),
                        ],
                    ),
                ),
        );
    }
    for (name, chained_up, title) in [
        (
            "checksum",
            false,
            "a chunk whose checksum fails is withheld; the walk has the one behind it",
        ),
        (
            "checksum-in-the-chain",
            true,
            "a chunk that a checkpoint lists fails its own checksum and is withheld",
        ),
    ] {
        let v = page.values(name);
        let (valid, method, linked) = three(&v, chained_up);
        cases.push(
            Draft::new(name, RULE, title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(method, &valid).holds(linked.clone())],
                )
                .invalid_asked(
                    valid.clone().edit_chunk(
                        "Chunk 2",
                        "message[0].payload",
                        "a bit of a payload flips, the checksum stays",
                        flip_a_bit,
                    ),
                    withheld(
                        &[BadCrc],
                        &flipped_payloads(&v, 2),
                        &[
                            json!({"method": method}),
                            linked,
                            only(&valid, &["entries"]),
                            first_and_third(&v),
                        ],
                    ),
                ),
        );
    }

    let v = page.values("undeclared-stream");
    let (valid, method, linked) = three(&v, false);
    let undeclared = v.u32("undeclared", 9, 2..=99);
    cases.push(
        Draft::new(
            "undeclared-stream",
            RULE,
            "a chunk of a stream that nothing declares is withheld; the walk goes on",
        )
        .readings(&["G56", "G96"])
        .valid_asked(
            valid.clone(),
            vec![recovered(method, &valid).holds(linked.clone())],
        )
        .invalid_asked(
            valid.edit_chunk(
                "Chunk 2",
                "stream_ref",
                &format!("its stream is {undeclared}"),
                move |chunk| chunk.stream_ref = undeclared,
            ),
            // Whether such a chunk has an entry is nowhere said.
            withheld(
                &[UnresolvedReference],
                &payloads(&v, 2),
                &[json!({"method": method}), linked, first_and_third(&v)],
            ),
        ),
    );
    cases
}
