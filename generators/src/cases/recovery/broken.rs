//! Item 27: no checkpoint, or a chain that one of its checkpoints breaks: every
//! record is walked from the Header on, and that is said (§8.3, steps 2, 3 and 6).

use ca3_wire::records::Stream;
use serde_json::{Value, json};

use super::super::{Page, one_stream, plan};
use super::numbered::{CUT, break_checkpoint, chained, numbered, one_of_three};
use crate::draft::Draft;
use crate::plan::{At, LengthClaim, Plan, schema, stream};
use crate::recovering::{CHAIN, SPINE, chain, intact, never_listed, recovered, repaired, stopped};

/// No checkpoint stands in the answer.
pub(super) fn no_checkpoint() -> Value {
    json!({"checkpoints": []})
}

pub(in super::super) fn spine(page: &Page) -> Vec<Draft> {
    let mut cases = none(page);
    cases.extend(breaks(page));
    cases.extend(from_the_header(page));
    cases.extend(sealed(page));
    cases.extend(super::beyond::cases(page));
    cases.push(undecoded(page));
    cases
}

/// No candidate at all.
fn none(page: &Page) -> Vec<Draft> {
    let v = page.values("no-checkpoint");
    let valid = one_stream(&v)
        .chunk(numbered(&v, 1, 1))
        .chunk(numbered(&v, 1, 2))
        .unsealed();
    let without = Draft::new(
        "no-checkpoint",
        &["CA3-8.3-05"],
        "a file without any checkpoint is walked from the Header on",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(SPINE, &valid).holds(no_checkpoint())],
    )
    .wrong_answer("nothing comes back, or another method is named");

    let v = page.values("only-checkpoint-broken");
    let valid = chained(&v, 1).chunk(numbered(&v, 1, 2)).unsealed();
    let only_one = Draft::new(
        "only-checkpoint-broken",
        &["CA3-8.3-05", "CA3-16-05"],
        "the only checkpoint fails its checksum: it is none, and the walk has everything",
    );
    vec![without, only_checkpoint(only_one, valid)]
}

/// A case of a file with one checkpoint, and with that one broken: the walk has
/// everything.
fn only_checkpoint(draft: Draft, valid: Plan) -> Draft {
    let walked = recovered(SPINE, &valid).holds(no_checkpoint());
    draft
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(whole_chain(1))],
        )
        .invalid_asked(break_checkpoint(valid, "Checkpoint 1"), vec![walked])
}

/// As many checkpoints as the case says, newest first.
pub(super) fn whole_chain(checkpoints: u64) -> Value {
    let labels: Vec<(String, u64)> = (1..=checkpoints)
        .rev()
        .map(|seq| (format!("Checkpoint {seq}"), seq))
        .collect();
    let labels: Vec<(&str, u64)> = labels
        .iter()
        .map(|(label, seq)| (label.as_str(), *seq))
        .collect();
    chain(&labels)
}

/// One of several checkpoints fails its checksum.
fn breaks(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, checkpoints, broken, title) in [
        (
            "middle-of-three",
            3,
            "Checkpoint 2",
            "of three checkpoints the middle one fails its checksum: the chain is broken",
        ),
        (
            "middle-of-five",
            5,
            "Checkpoint 3",
            "of five checkpoints the middle one fails its checksum: the chain is broken",
        ),
        (
            "oldest-of-three",
            3,
            "Checkpoint 1",
            "of three checkpoints the oldest fails its checksum: the chain never reaches its end",
        ),
        (
            "older-of-two",
            2,
            "Checkpoint 1",
            "of two checkpoints the older fails its checksum: one whole checkpoint is no chain",
        ),
    ] {
        let v = page.values(name);
        let valid = chained(&v, checkpoints)
            .chunk(numbered(&v, 1, 9))
            .unsealed();
        cases.push(
            Draft::new(name, &["CA3-8.3-07", "CA3-16-05"], title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(CHAIN, &valid).holds(whole_chain(checkpoints))],
                )
                .invalid_asked(
                    break_checkpoint(valid.clone(), broken),
                    vec![recovered(SPINE, &valid).holds(never_listed(&[broken]))],
                ),
        );
    }

    // What the damage hits would show in the answer. The frame is 9 bytes, the
    // fields up to wall_ns 32, the count of schemas 4; then the count of streams
    // 4, the length of the first 4, its two references 8, its topic's length 4.
    let v = page.values("damaged-definition");
    let valid = one_stream(&v)
        .chunk(numbered(&v, 1, 1))
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 2))
        .checkpoint(true, Vec::new())
        .chunk(numbered(&v, 1, 3))
        .checkpoint(false, Vec::new())
        .unsealed();
    let topic = At::record("Checkpoint 2", 9 + 32 + 4 + 4 + 4 + 8 + 4);
    cases.push(
        Draft::new(
            "damaged-definition",
            &["CA3-8.3-07", "CA3-16-05"],
            "the middle checkpoint's copy of a stream is damaged: its topic is not believed",
        )
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(whole_chain(3))],
        )
        .invalid_asked(
            valid.clone().patch(topic, b"T"),
            vec![recovered(SPINE, &valid).holds(never_listed(&["Checkpoint 2"]))],
        ),
    );

    // As above with no definition: two counts of 4, entry_size and entry_count
    // 8, and 24 into the entry max_stamp_ns, whose highest byte is 7 further.
    let v = page.values("damaged-entry");
    let valid = chained(&v, 3).unsealed();
    let stamp = At::record("Checkpoint 2", 9 + 32 + 4 + 4 + 8 + 24 + 7);
    cases.push(
        Draft::new(
            "damaged-entry",
            &["CA3-8.3-07", "CA3-16-05"],
            "an index entry of the middle checkpoint is damaged: its stamp is not believed",
        )
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(whole_chain(3))],
        )
        .invalid_asked(
            valid.clone().patch(stamp, &[0x40]),
            vec![recovered(SPINE, &valid).holds(never_listed(&["Checkpoint 2"]))],
        ),
    );
    cases
}

/// The walk begins at the Header.
fn from_the_header(page: &Page) -> Vec<Draft> {
    let v = page.values("early-definitions");
    let valid = plan(&v)
        .schema(schema(3))
        .stream(Stream {
            schema_ref: 3,
            ..stream(1)
        })
        .stream(stream(2))
        .chunk(numbered(&v, 1, 1))
        .chunk(numbered(&v, 2, 2))
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 3))
        .chunk(numbered(&v, 2, 4))
        .unsealed();
    let early = Draft::new(
        "early-definitions",
        &["CA3-8.3-15"],
        "the only checkpoint is broken: the walk from the Header has the early definitions",
    );

    let early = only_checkpoint(early, valid);

    let v = page.values("stops-at-a-length");
    let (kept, valid) = one_of_three(&v);
    let length = Draft::new(
        "stops-at-a-length",
        &["CA3-8.3-15"],
        "a file of chunks alone, and one whose second chunk claims more than there is",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(SPINE, &valid).holds(no_checkpoint())],
    )
    .invalid_asked(
        valid.claim("Chunk 2", LengthClaim::Value(100_000)),
        vec![
            recovered(SPINE, &kept)
                .holds(no_checkpoint())
                .holds(stopped("Chunk 2", CUT)),
        ],
    );
    vec![early, length]
}

/// The highest byte of the first entry's `min_stamp_ns` in the summary: the
/// frame is 9 bytes, the head of the table 8, offset and length 16.
fn damaged_summary(plan: Plan) -> Plan {
    plan.patch(At::record("ChunkIndex", 9 + 8 + 16 + 7), &[0x40])
        .what("ChunkIndex: a byte of the first entry becomes 40, summary_crc stays")
}

/// Sealed files whose summary does not verify.
fn sealed(page: &Page) -> Vec<Draft> {
    let v = page.values("sealed-without-checkpoints");
    let valid = one_stream(&v)
        .chunk(numbered(&v, 1, 1))
        .chunk(numbered(&v, 1, 2));
    let without = Draft::new(
        "sealed-without-checkpoints",
        &["CA3-16-05", "CA3-8.3-05"],
        "the summary of a sealed file is damaged, and it has no checkpoint: the spine is walked",
    )
    .valid_asked(valid.clone(), vec![intact(&valid)])
    .invalid_asked(
        damaged_summary(valid.clone()),
        vec![
            repaired(SPINE, &valid)
                .holds(no_checkpoint())
                .holds(json!({"truncated": false})),
        ],
    );

    let v = page.values("sealed-and-broken");
    let linked = chained(&v, 3).chunk(numbered(&v, 1, 9));
    let valid = linked
        .clone()
        .edit_footer("summary_crc", "another checksum", |footer| {
            footer.summary_crc ^= 1;
        })
        .as_valid();
    let broken = Draft::new(
        "sealed-and-broken",
        &["CA3-16-05", "CA3-8.3-07"],
        "the summary is damaged, and so is the chain that the Footer leads into",
    )
    .valid_asked(
        valid.clone(),
        vec![repaired(CHAIN, &linked).holds(whole_chain(3))],
    )
    .invalid_asked(
        break_checkpoint(valid, "Checkpoint 2"),
        vec![repaired(SPINE, &linked).holds(never_listed(&["Checkpoint 2"]))],
    );
    vec![without, broken]
}

/// A checkpoint of the chain holds by all four checks, and not as a record.
fn undecoded(page: &Page) -> Draft {
    let v = page.values("content-does-not-decode");
    let valid = chained(&v, 3).chunk(numbered(&v, 1, 9)).unsealed();
    // What stands there is its one entry of 56 bytes.
    let spoilt = valid
        .clone()
        .replace_field(
            "Checkpoint 2",
            "index_entries.entry_size",
            &48u32.to_le_bytes(),
        )
        .right_checksum("Checkpoint 2")
        .what("Checkpoint 2: entry_size says 48, and its checksum is right");
    Draft::new(
        "content-does-not-decode",
        &["CA3-8.3-07", "CA3-16-05"],
        "of three checkpoints the middle one passes the checks and does not decode: no chain",
    )
    .why(
        "What a checkpoint lists cannot be read, so the chain through it lacks what it listed. \
         A chain that goes on without a word loses those chunks.",
    )
    .readings(&["G141"])
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(whole_chain(3))],
    )
    .invalid_asked(
        spoilt,
        vec![recovered(SPINE, &valid).holds(never_listed(&["Checkpoint 2"]))],
    )
}
