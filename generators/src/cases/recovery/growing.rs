//! Item 29: recovery of a file that is still being written (§8.4). A case is
//! two looks at one file: between two records, and inside the last of them.

use ca3_wire::records::Stream;

use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{CUT, SKIPPED, numbered};
use crate::draft::Draft;
use crate::plan::{At, Plan, schema, stream};
use crate::recovering::{CHAIN, SPINE, recovered, stopped};
use crate::{Ask, Values};

/// The file as it grows, a record more each time, behind its first stream.
const STEPS: &[(&str, &str, u64, &str)] = &[
    ("chunk", "Chunk 1", 30, "the first chunk is being written"),
    (
        "checkpoint",
        "Checkpoint 1",
        60,
        "the first checkpoint is being written",
    ),
    ("schema", "Schema 1", 12, "a later schema is being written"),
    ("stream", "Stream 2", 4, "a later stream is being written"),
    (
        "second-chunk",
        "Chunk 2",
        86,
        "a chunk of the later stream is being written",
    ),
    (
        "second-checkpoint",
        "Checkpoint 2",
        9,
        "the second checkpoint is being written",
    ),
    (
        "unknown",
        "record 1",
        11,
        "a record that may be skipped is being written",
    ),
    (
        "third-chunk",
        "Chunk 3",
        1,
        "a chunk behind the second checkpoint is being written",
    ),
];

/// The file with this many of the steps.
fn grown(v: &Values, steps: usize) -> Plan {
    STEPS
        .iter()
        .take(steps)
        .fold(one_stream(v), |plan, (step, ..)| match *step {
            "chunk" => plan.chunk(numbered(v, 1, 1)),
            "schema" => plan.schema(schema(7)),
            "stream" => plan.stream(Stream {
                schema_ref: 7,
                ..stream(2)
            }),
            "second-chunk" => plan.chunk(numbered(v, 2, 2)),
            "unknown" => plan.record(v.u8("unknown", 0x66, 0x4B..=0x7F), b"something"),
            "third-chunk" => plan.chunk(numbered(v, 1, 3)),
            _ => plan.checkpoint(false, Vec::new()),
        })
        .unsealed()
}

/// What is owed of the file with this many steps.
fn owed(plan: &Plan, steps: usize) -> Ask {
    match steps {
        0 | 1 => recovered(SPINE, plan).holds(serde_json::json!({"checkpoints": []})),
        2..=5 => recovered(CHAIN, plan).holds(whole_chain(1)),
        _ => recovered(CHAIN, plan)
            .holds(whole_chain(2))
            .may_report(SKIPPED),
    }
}

pub(in super::super) fn growing(page: &Page) -> Vec<Draft> {
    let cases = (1usize..)
        .zip(STEPS)
        .map(|(steps, (name, label, into, title))| {
            let v = page.values(name);
            let valid = grown(&v, steps);
            let kept = grown(&v, steps.saturating_sub(1));
            let before = owed(&kept, steps.saturating_sub(1)).holds(stopped(label, CUT));
            Draft::new(name, &["CA3-8.4-03"], title)
                .valid_asked(valid.clone(), vec![owed(&valid, steps)])
                .invalid_asked(valid.truncate(At::record(label, *into)), vec![before])
        });
    cases.collect()
}
