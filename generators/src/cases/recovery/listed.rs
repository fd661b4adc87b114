//! Item 24: chunks that are no longer as a checkpoint lists them (§8.3, step 3).

use ca3_spec::kind::Kind::IndexMismatch;
use serde_json::json;

use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{chained, numbered};
use crate::plan::{At, Plan};
use crate::recovering::{CHAIN, named_in_an_answer, only, recovered, recovered_only};
use crate::{Draft, Values};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    vec![zeros(page), differs(page)]
}

/// Two chunks in a chain, and a third behind it.
fn listed(v: &Values) -> Plan {
    chained(v, 2).chunk(numbered(v, 1, 3)).unsealed()
}

/// What the entry of such a chunk is, and what is said of it, is left open.
fn zeros(page: &Page) -> Draft {
    let v = page.values("listed-chunk-zeroed");
    let valid = listed(&v);
    // The checkpoint follows it directly.
    let behind = valid.offset_of("Checkpoint 1");
    let length = behind.saturating_sub(valid.offset_of("Chunk 1"));
    let length = usize::try_from(length).unwrap_or_default();
    let zeroed = valid
        .clone()
        .patch(At::record("Chunk 1", 0), &vec![0; length])
        .what("zeros stand in the place of Chunk 1, its frame included");
    let others = one_stream(&v)
        .chunk(numbered(&v, 1, 2))
        .chunk(numbered(&v, 1, 3));
    Draft::new(
        "listed-chunk-zeroed",
        &["CA3-8.3-06"],
        "zeros in the place of a chunk that a checkpoint lists: the others come back",
    )
    .why(
        "An entry may lead to what is no chunk any more. One lost chunk is no reason to lose the \
         others of its chain, or to refuse the file.",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
    )
    .invalid_asked(
        zeroed,
        vec![recovered_only(CHAIN, &others, &["streams", "messages"]).holds(whole_chain(2))],
    )
}

/// The chunk is whole, and its entry says another greatest stamp.
fn differs(page: &Page) -> Draft {
    let v = page.values("entry-and-chunk-differ");
    let valid = listed(&v);
    let more = v.u64("more", 7, 1..=1 << 40);
    let differing = valid.clone().edit_checkpoint(
        "Checkpoint 1",
        "index_entries.entries[0].max_stamp_ns",
        &format!("the entry's max_stamp_ns is {more} more than the chunk's; its checksum is right"),
        move |checkpoint| {
            for entry in &mut checkpoint.index_entries {
                entry.max_stamp_ns = entry.max_stamp_ns.saturating_add(more);
            }
        },
    );
    Draft::new(
        "entry-and-chunk-differ",
        &["CA3-8.3-06"],
        "an entry of a checkpoint differs from the header of its chunk, which is whole",
    )
    .why(
        "A reader that leaves the chunk out loses messages that are sound. One that says nothing \
         leaves it unknown that the index was wrong.",
    )
    .readings(&["G142"])
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
    )
    .invalid_asked(
        differing,
        named_in_an_answer(
            &[IndexMismatch],
            &[
                json!({"method": CHAIN}),
                whole_chain(2),
                only(&valid, &["streams", "messages"]),
            ],
        ),
    )
}
