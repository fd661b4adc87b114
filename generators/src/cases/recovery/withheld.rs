//! Item 29: a whole chunk that does not hold is withheld and named, and the walk
//! goes on (§8.3, reading G56).

use ca3_spec::kind::Kind::{self, BadCrc, UnresolvedReference, VarintNotCanonical};
use serde_json::{Value, json};

use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{chained, flip_a_bit, flipped_payloads, numbered, payloads};
use crate::Values;
use crate::draft::Draft;
use crate::plan::{Chunk, Plan};
use crate::recovering::{
    CHAIN, SPINE, intact, only, recovered, recovered_only, withheld, withheld_of_a_sealed_file,
};

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

/// What is wrong with the second of three chunks.
struct Spoilt {
    kind: Kind,
    spoil: fn(Plan) -> Plan,
    /// Neither these come back, nor what is stored in their place.
    payloads: fn(&Values) -> Vec<Vec<u8>>,
}

const OF_CHECKSUM: Spoilt = Spoilt {
    kind: BadCrc,
    spoil: |plan| {
        plan.edit_chunk(
            "Chunk 2",
            "message[0].payload",
            "a bit of a payload flips, the checksum stays",
            flip_a_bit,
        )
    },
    payloads: |v| flipped_payloads(v, 2),
};

/// A case of such a chunk. Its entry is judged or not: where its blob is longer,
/// so is the entry.
fn second(
    page: &Page,
    [name, title]: [&str; 2],
    chained_up: bool,
    of: &Spoilt,
    entries: bool,
) -> Draft {
    let v = page.values(name);
    let (valid, method, linked) = three(&v, chained_up);
    let spoilt = (of.spoil)(valid.clone());
    let judged: &[&str] = if entries { &["entries"] } else { &[] };
    let held = [
        json!({"method": method}),
        linked.clone(),
        only(&spoilt, judged),
        first_and_third(&v),
    ];
    Draft::new(name, RULE, title)
        .valid_asked(valid.clone(), vec![recovered(method, &valid).holds(linked)])
        .invalid_asked(spoilt, withheld(&[of.kind], &(of.payloads)(&v), &held))
}

pub(in super::super) fn withheld_chunks(page: &Page) -> Vec<Draft> {
    let of_varint = Spoilt {
        kind: VarintNotCanonical,
        spoil: |plan| {
            plan.edit_chunk(
                "Chunk 2",
                "message[1].stamp_delta",
                "a delta is stored with a byte too many; lengths and checksum are right",
                pad_a_varint,
            )
        },
        payloads: |v| payloads(v, 2),
    };
    let cases = [
        (
            &of_varint,
            "varint",
            false,
            "a chunk with a varint in longer form is withheld; the walk has the one behind it",
        ),
        (
            &of_varint,
            "varint-in-the-chain",
            true,
            "a chunk that a checkpoint lists has a varint in longer form and is withheld",
        ),
        (
            &OF_CHECKSUM,
            "checksum",
            false,
            "a chunk whose checksum fails is withheld; the walk has the one behind it",
        ),
        (
            &OF_CHECKSUM,
            "checksum-in-the-chain",
            true,
            "a chunk that a checkpoint lists fails its own checksum and is withheld",
        ),
    ];
    let mut cases: Vec<Draft> = cases
        .into_iter()
        .map(|(spoilt, name, chained_up, title)| {
            second(page, [name, title], chained_up, spoilt, true)
        })
        .collect();

    cases.extend(certain(page));
    cases.push(of_a_sealed_file(page));

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

/// What no reading decides of a chunk whose checksum fails: its messages do not
/// come back, that is named, and those of the chunks behind it do. Whether it
/// has an entry is reading G56's.
fn certain(page: &Page) -> Vec<Draft> {
    const WHY: &str = "One flipped bit would cost everything after it, or damaged samples would \
                       be handed out among good ones. A walk skips by the frame alone.";
    let v = page.values("behind-a-bad-checksum");
    let (valid, method, linked) = three(&v, false);
    let behind = one_stream(&v).chunk(numbered(&v, 1, 3));
    let behind = only(&behind, &["messages"]);
    let behind = json!({"messages": {"$contains": behind.get("messages")}});
    let mut cases = vec![
        Draft::new(
            "behind-a-bad-checksum",
            RULE,
            "a chunk's checksum fails: what stands behind it comes back",
        )
        .why(WHY)
        .readings(&[])
        .valid_asked(valid.clone(), vec![recovered(method, &valid).holds(linked)])
        .invalid_asked(
            (OF_CHECKSUM.spoil)(valid),
            vec![recovered_only(method, &one_stream(&v), &[]).holds(behind)],
        ),
    ];
    for (name, chained_up, title) in [
        (
            "bad-checksum-named",
            false,
            "a chunk's checksum fails in a walk: that is named, and none of it comes back",
        ),
        (
            "bad-checksum-named-in-the-chain",
            true,
            "a chunk that a checkpoint lists fails its checksum: that is named, none comes back",
        ),
    ] {
        let draft = second(page, [name, title], chained_up, &OF_CHECKSUM, false);
        cases.push(draft.why(WHY).readings(&[]));
    }
    cases
}

/// The summary verifies: it says nothing of what the chunks hold.
fn of_a_sealed_file(page: &Page) -> Draft {
    let v = page.values("checksum-in-a-sealed-file");
    let valid = chained(&v, 2).chunk(numbered(&v, 1, 3));
    Draft::new(
        "checksum-in-a-sealed-file",
        RULE,
        "a sealed file's summary verifies and a chunk's checksum fails: it is not complete",
    )
    .why(
        "A recording of which a chunk had to be left out is presented as a whole one, because \
         its index is.",
    )
    .readings(&["G143"])
    .valid_asked(valid.clone(), vec![intact(&valid)])
    .invalid_asked(
        (OF_CHECKSUM.spoil)(valid),
        withheld_of_a_sealed_file(&[BadCrc], &flipped_payloads(&v, 2), &[first_and_third(&v)]),
    )
}
