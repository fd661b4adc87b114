//! Item 27: the chain is broken and the spine ends early, and behind that stands
//! a checkpoint that passes the four checks (§8.3, step 6).

use ca3_spec::kind::Kind::UnknownOpcode;
use ca3_spec::opcode::op;
use serde_json::json;

use super::super::Page;
use super::broken::{no_checkpoint, whole_chain};
use super::numbered::{CUT, break_checkpoint, chained, numbered};
use crate::plan::{LengthClaim, Plan};
use crate::recovering::{CHAIN, SPINE, never_listed, only, recovered, stopped};
use crate::{Ask, Draft, Values};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    vec![behind_the_damage(page), behind_the_unknown(page)]
}

/// What stands ahead of a record that may be skipped, and all of the file:
/// a chunk, a checkpoint and a chunk follow the record.
fn two_parts(v: &Values) -> (Plan, Plan) {
    let before = chained(v, 1);
    let whole = before
        .clone()
        .record(op::PADDING, &[0; 12])
        .chunk(numbered(v, 1, 2))
        .checkpoint(false, Vec::new())
        .chunk(numbered(v, 1, 3))
        .unsealed();
    (before, whole)
}

/// Step 6 stops at damage, and a checkpoint that passes stands behind it.
fn behind_the_damage(page: &Page) -> Draft {
    let v = page.values("checkpoint-behind-the-damage");
    let (before, valid) = two_parts(&v);
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
            Ask::recover()
                .holds(either)
                .holds(never_listed(&["Checkpoint 1"]))
                .holds(stopped("record 1", CUT)),
        ],
    )
}

/// The record may change how all that follows it is read.
fn behind_the_unknown(page: &Page) -> Draft {
    let v = page.values("checkpoint-behind-the-unknown");
    let (before, valid) = two_parts(&v);
    let spoilt = break_checkpoint(valid.clone().opcode("record 1", 0x2A), "Checkpoint 1").what(
        "record 1: the opcode becomes 2A, its length is right; Checkpoint 1: wall_ns becomes 1, \
         its checksum stays",
    );
    Draft::new(
        "checkpoint-behind-the-unknown",
        &["CA3-16-05", "CA3-8.3-15"],
        "the chain is broken, and the walk ends at a whole record that must be understood",
    )
    .why(
        "A record that must be understood and is not may change what everything behind it means. \
         A later checkpoint does not lead around that.",
    )
    .readings(&["G139"])
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
    )
    .invalid_asked(
        spoilt,
        vec![
            recovered(SPINE, &before)
                .holds(no_checkpoint())
                .holds(stopped("record 1", &[UnknownOpcode])),
        ],
    )
}
