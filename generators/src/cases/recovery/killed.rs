//! Recordings whose writer was killed: chunks of one stream, and checkpoints
//! between them.

use ca3_spec::opcode::op;
use serde_json::json;

use crate::plan::{Chunk, LengthClaim, Plan};
use crate::recovering::{CHAIN, SPINE, chain, found};
use crate::{Ask, Values};

/// Chunk `n` of a recording: one message, later than those of the chunks before.
pub(super) fn chunk(v: &Values, n: u64) -> Chunk {
    let start = v.u64("start_ns", 5_000, 1..=1 << 40);
    let stamp = start.saturating_add(n.saturating_mul(1_000));
    let name = format!("payload-{n}");
    let payload = v.bytes(&name, format!("sample-{n}").as_bytes());
    Chunk::plain(1, &[(stamp, &payload)])
}

/// Chunk 1 and Checkpoint 1, which restates the stream.
pub(super) fn one(base: Plan, v: &Values) -> Plan {
    let recording = base.chunk(chunk(v, 1)).checkpoint(true, Vec::new());
    recording.unsealed()
}

/// Chunk and Checkpoint 1, chunk and Checkpoint 2.
pub(super) fn two(base: Plan, v: &Values) -> Plan {
    one(base, v)
        .chunk(chunk(v, 2))
        .checkpoint(false, Vec::new())
}

/// Chunk and Checkpoint 1 to 3.
pub(super) fn three(base: Plan, v: &Values) -> Plan {
    two(base, v)
        .chunk(chunk(v, 3))
        .checkpoint(false, Vec::new())
}

/// As [`two`], and between Checkpoint 1 and Chunk 2 a record whose length was
/// overwritten: a walk from the Header stops there, and what follows is found
/// by Checkpoint 2 alone.
pub(super) fn severed(base: Plan, v: &Values) -> Plan {
    one(base, v)
        .record(op::PADDING, b"pad")
        .chunk(chunk(v, 2))
        .checkpoint(false, Vec::new())
        .claim("record 1", LengthClaim::Value(u64::MAX))
        .as_valid()
}

/// The title of a case whose valid file is severed ahead of its newest
/// checkpoint, which only a scan finds; shorter where the line would be too long.
pub(super) fn severed_ahead(title: &str) -> String {
    const LINE: usize = 100;
    let whole = format!("severed ahead of the newest: {title}");
    if whole.len() > LINE {
        format!("severed: {title}")
    } else {
        whole
    }
}

/// The chain of two checkpoints is found, and all of the plan comes back.
pub(super) fn by_both(plan: &Plan) -> Ask {
    let listed = chain(&[("Checkpoint 2", 2), ("Checkpoint 1", 1)]);
    found(CHAIN, plan).holds(listed)
}

/// The chain of Checkpoint 1 alone is found, and this comes back.
pub(super) fn by_the_first(kept: &Plan) -> Ask {
    found(CHAIN, kept).holds(chain(&[("Checkpoint 1", 1)]))
}

/// No checkpoint holds, and this comes back by walking the spine.
pub(super) fn by_the_spine(kept: &Plan) -> Ask {
    found(SPINE, kept).holds(json!({"checkpoints": []}))
}

/// The one question of a valid file that holds something that is no checkpoint,
/// or whose spine is broken: what is said of that is not judged.
pub(super) fn odd(ask: Ask) -> Vec<Ask> {
    vec![ask.may_report_anything()]
}
