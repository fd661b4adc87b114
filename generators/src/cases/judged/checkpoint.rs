//! Checkpoints beside what they restate (§8.1).

use super::super::{Page, one_stream, small};
use super::judged;
use crate::plan::{Chunk, Plan, stream};
use crate::{Draft, Finding, Values};

/// One checkpoint behind one chunk; it restates its stream.
fn one(v: &Values) -> Plan {
    small(v).checkpoint(true, Vec::new())
}

/// Chunks 1 and 2, a checkpoint, chunks 3 and 4, and a second checkpoint.
fn two(v: &Values) -> Plan {
    let chunk = |stamp: u64| Chunk::plain(1, &[(stamp, b"payload".as_slice())]);
    one_stream(v)
        .chunk(chunk(100))
        .chunk(chunk(200))
        .checkpoint(true, Vec::new())
        .chunk(chunk(300))
        .chunk(chunk(400))
        .checkpoint(false, Vec::new())
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = fields(page);
    cases.extend(contents(page));
    cases
}

fn fields(page: &Page) -> Vec<Draft> {
    const RESERVED: &str = "CA3-8.1-03";
    let reserved = judged(
        "reserved",
        RESERVED,
        "the reserved word is 1",
        one(&page.values("reserved")),
        |plan| {
            plan.edit_checkpoint(
                "Checkpoint 1",
                "reserved",
                "reserved becomes 1",
                |checkpoint| checkpoint.reserved = 1,
            )
        },
        // The document demands a zero; reading G11 warns of reserved bits.
        Finding::error_or_warning(RESERVED)
            .at("Checkpoint 1")
            .evidence(0, 1),
    );

    const COPY: &str = "CA3-8.1-08";
    let copy = judged(
        "copy-of-the-number",
        COPY,
        "the trailer's copy of checkpoint_seq is 3 where the checkpoint is 2",
        two(&page.values("copy-of-the-number")),
        |plan| {
            // Behind the sentinel: no checksum covers it.
            plan.replace_field(
                "Checkpoint 2",
                "trailer.checkpoint_seq",
                &3u64.to_le_bytes(),
            )
        },
        Finding::error(COPY).at("Checkpoint 2").evidence(2, 3),
    );

    const NUMBERS: &str = "CA3-8.1-14";
    let becomes = |plan: Plan, label: &str, number: u64| {
        plan.edit_checkpoint(
            label,
            "checkpoint_seq",
            &format!("checkpoint_seq becomes {number}, in both places"),
            move |checkpoint| checkpoint.checkpoint_seq = number,
        )
    };
    let zero = judged(
        "first-is-zero",
        NUMBERS,
        "the first checkpoint is number 0",
        one(&page.values("first-is-zero")),
        |plan| becomes(plan, "Checkpoint 1", 0),
        Finding::warning(NUMBERS).at("Checkpoint 1").evidence(1, 0),
    );
    let jump = judged(
        "one-is-left-out",
        NUMBERS,
        "checkpoint 3 follows checkpoint 1",
        two(&page.values("one-is-left-out")),
        |plan| becomes(plan, "Checkpoint 2", 3),
        Finding::warning(NUMBERS).at("Checkpoint 2").evidence(2, 3),
    );
    vec![reserved, copy, zero, jump]
}

fn contents(page: &Page) -> Vec<Draft> {
    const RESTATES: &str = "CA3-8.1-09";
    let restates = judged(
        "definition-left-out",
        RESTATES,
        "bit 0 is set, and one of two streams is not restated",
        small(&page.values("definition-left-out"))
            .stream(stream(2))
            .checkpoint(true, Vec::new()),
        |plan| {
            plan.edit_checkpoint(
                "Checkpoint 1",
                "streams.count",
                "stream 2 is left out",
                |checkpoint| {
                    checkpoint.streams.pop();
                },
            )
        },
        Finding::error(RESTATES).at("Checkpoint 1"),
    );

    const ENTRIES: &str = "CA3-8.1-10";
    let missing = judged(
        "entry-left-out",
        ENTRIES,
        "the entry of a chunk since the last checkpoint is left out",
        two(&page.values("entry-left-out")),
        |plan| {
            plan.edit_checkpoint(
                "Checkpoint 2",
                "index_entries.entry_count",
                "the entry of Chunk 4 is left out",
                |checkpoint| {
                    checkpoint.index_entries.pop();
                },
            )
        },
        Finding::error(ENTRIES).at("Checkpoint 2"),
    );
    let twice = judged(
        "entry-twice",
        ENTRIES,
        "the entry of a chunk stands twice in a checkpoint",
        two(&page.values("entry-twice")),
        |plan| {
            plan.edit_checkpoint(
                "Checkpoint 2",
                "index_entries.entries[2].chunk_offset",
                "the entry of Chunk 4 stands twice",
                |checkpoint| {
                    let last = checkpoint.index_entries.last().copied();
                    checkpoint.index_entries.extend(last);
                },
            )
        },
        Finding::error(ENTRIES).at("Checkpoint 2"),
    );
    vec![restates, missing, twice]
}
