//! Item 27: no checkpoint, or a chain that one of its checkpoints breaks: every
//! record is walked from the Header on, and that is said (§8.3, steps 2, 3 and 6).

use ca3_wire::records::Stream;
use serde_json::{Value, json};

use super::super::{Page, one_stream, plan};
use super::numbered::{BROKEN, CUT, break_checkpoint, chained, numbered};
use crate::draft::Draft;
use crate::plan::{At, LengthClaim, Plan, schema, stream};
use crate::recovering::{
    CHAIN, SPINE, chain, intact, never_listed, only, recovered, repaired, stopped,
};

/// No checkpoint stands in the answer.
fn no_checkpoint() -> Value {
    json!({"checkpoints": []})
}

pub(in super::super) fn spine(page: &Page) -> Vec<Draft> {
    let mut cases = none(page);
    cases.extend(breaks(page));
    cases.extend(from_the_header(page));
    cases.extend(sealed(page));
    cases.push(behind_the_damage(page));
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
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(chain(&[("Checkpoint 1", 1)]))],
    )
    .invalid_asked(
        break_checkpoint(valid.clone(), "Checkpoint 1"),
        vec![
            recovered(SPINE, &valid)
                .holds(no_checkpoint())
                .may_report(BROKEN),
        ],
    );
    vec![without, only_one]
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
                    vec![
                        recovered(SPINE, &valid)
                            .holds(never_listed(&[broken]))
                            .may_report(BROKEN),
                    ],
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
            vec![
                recovered(SPINE, &valid)
                    .holds(never_listed(&["Checkpoint 2"]))
                    .may_report(BROKEN),
            ],
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
            vec![
                recovered(SPINE, &valid)
                    .holds(never_listed(&["Checkpoint 2"]))
                    .may_report(BROKEN),
            ],
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
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(chain(&[("Checkpoint 1", 1)]))],
    )
    .invalid_asked(
        break_checkpoint(valid.clone(), "Checkpoint 1"),
        vec![
            recovered(SPINE, &valid)
                .holds(no_checkpoint())
                .may_report(BROKEN),
        ],
    );

    let v = page.values("stops-at-a-length");
    let kept = one_stream(&v).chunk(numbered(&v, 1, 1));
    let valid = kept
        .clone()
        .chunk(numbered(&v, 1, 2))
        .chunk(numbered(&v, 1, 3))
        .unsealed();
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
                .holds(stopped("Chunk 2", CUT))
                .may_report(CUT),
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
                .holds(json!({"truncated": false}))
                .may_report(BROKEN),
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
        vec![
            repaired(CHAIN, &linked)
                .holds(whole_chain(3))
                .may_report(BROKEN),
        ],
    )
    .invalid_asked(
        break_checkpoint(valid, "Checkpoint 2"),
        vec![
            repaired(SPINE, &linked)
                .holds(never_listed(&["Checkpoint 2"]))
                .may_report(BROKEN),
        ],
    );
    vec![without, broken]
}

/// Step 6 stops at damage, and a checkpoint that passes stands behind it.
fn behind_the_damage(page: &Page) -> Draft {
    let v = page.values("checkpoint-behind-the-damage");
    let before = chained(&v, 1);
    let valid = before
        .clone()
        .record(ca3_spec::opcode::op::PADDING, &[0; 12])
        .chunk(numbered(&v, 1, 2))
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 3))
        .unsealed();
    let whole = recovered(CHAIN, &valid).holds(whole_chain(2));
    let messages = |of: &Plan| {
        let held = only(of, &["messages"]);
        held.get("messages").cloned().unwrap_or_default()
    };
    let listed = before.clone().chunk(numbered(&v, 1, 2));
    let either = json!({
        "sealed": false,
        "truncated": true,
        "complete": false,
        "method": SPINE,
        "messages": {"$one_of": [messages(&before), messages(&listed), messages(&valid)]},
    });
    let invalid = break_checkpoint(
        valid
            .clone()
            .claim("record 1", LengthClaim::Value(u64::MAX / 2)),
        "Checkpoint 1",
    )
    .what(
        "record 1: the length passes the end; Checkpoint 1: wall_ns becomes 1, its checksum stays",
    );
    Draft::new(
        "checkpoint-behind-the-damage",
        &["CA3-16-05", "CA3-8.3-15"],
        "chain and spine are broken: what the walk reached, or what a later checkpoint has too",
    )
    .readings(&["G139"])
    .valid_asked(valid, vec![whole])
    .invalid_asked(
        invalid,
        vec![
            crate::Ask::recover()
                .holds(either)
                .holds(never_listed(&["Checkpoint 1"]))
                .holds(stopped("record 1", CUT))
                .may_report(CUT)
                .may_report(BROKEN),
        ],
    )
}
