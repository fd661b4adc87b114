//! The directory beside the chunks and streams that it sums up (§7.2, §7.3).

use ca3_wire::records::DirectoryEntry;

use super::super::{Page, one_stream, small};
use super::judged;
use crate::plan::{Chunk, Plan, stream};
use crate::{Draft, Finding, Values};

const LABEL: &str = "StreamDirectory";

/// Changes the entry at an index.
fn edit(
    plan: Plan,
    index: usize,
    field: &str,
    what: &str,
    change: impl Fn(&mut DirectoryEntry) + Send + Sync + 'static,
) -> Plan {
    let field = format!("entries[{index}].{field}");
    plan.edit_directory(&field, what, move |entries| {
        if let Some(entry) = entries.get_mut(index) {
            change(entry);
        }
    })
}

fn overlap_becomes(plan: Plan, bit: u32) -> Plan {
    let what = format!("the chunks_overlap bit of stream 1 is {bit}");
    edit(plan, 0, "flags", &what, move |entry| entry.flags = bit)
}

pub(super) fn overlap(page: &Page) -> Vec<Draft> {
    const STRICT: &str = "CA3-7.2-02";
    // 0 to 50, then from `start`.
    let until_50 = |name: &str, start: u64| {
        one_stream(&page.values(name))
            .chunk(Chunk::plain(1, &[(0, b"one"), (50, b"two")]))
            .chunk(Chunk::plain(1, &[(start, b"three"), (90, b"four")]))
    };
    let name = "from-the-maximum";
    let touching = Draft::new(
        name,
        &[STRICT],
        "a chunk from 51 behind one until 50 stands apart; one from 50 overlaps",
    )
    .clean(until_50(name, 51))
    .found(
        // The layout sets the bit where the spans ask for it.
        overlap_becomes(until_50(name, 50), 0)
            .what("Chunk 2 begins at 50, and the chunks_overlap bit of stream 1 stays clear"),
        Finding::error(STRICT).at(LABEL),
    );
    let cleared = judged(
        "bit-cleared",
        STRICT,
        "two chunks share the instant 50, and the bit that says so is cleared",
        until_50("bit-cleared", 50),
        |plan| overlap_becomes(plan, 0),
        Finding::error(STRICT).at(LABEL),
    );

    const DERIVED: &str = "CA3-7.2-03";
    let out_of_order = |name: &str| {
        one_stream(&page.values(name))
            .chunk(Chunk::plain(1, &[(60, b"one"), (90, b"two")]))
            .chunk(Chunk::plain(1, &[(0, b"three"), (50, b"four")]))
    };
    let disjoint = judged(
        "written-out-of-order",
        DERIVED,
        "60 to 90 written before 0 to 50: sorted, they do not overlap",
        out_of_order("written-out-of-order"),
        |plan| overlap_becomes(plan, 1),
        Finding::error(DERIVED).at(LABEL),
    );
    vec![touching, cleared, disjoint]
}

/// Five messages of stream 1 in two chunks, from 10 to 90.
fn five(v: &Values) -> Plan {
    one_stream(v)
        .chunk(Chunk::plain(1, &[(10, b"a"), (20, b"b"), (30, b"c")]))
        .chunk(Chunk::plain(1, &[(80, b"d"), (90, b"e")]))
}

/// Two streams with a chunk each.
fn two_streams(v: &Values) -> Plan {
    small(v)
        .stream(stream(2))
        .chunk(Chunk::plain(2, &[(2_020, b"three")]))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    const TOTALS: &str = "CA3-7.3-09";
    let messages = judged(
        "message-count",
        TOTALS,
        "five messages, and the directory counts six",
        five(&page.values("message-count")),
        |plan| {
            edit(
                plan,
                0,
                "message_count",
                "message_count becomes 6",
                |entry| {
                    entry.message_count = 6;
                },
            )
        },
        Finding::error(TOTALS).at(LABEL).evidence(5, 6),
    );
    let chunks = judged(
        "chunk-count",
        TOTALS,
        "two chunks, and the directory counts three",
        five(&page.values("chunk-count")),
        |plan| {
            edit(plan, 0, "chunk_count", "chunk_count becomes 3", |entry| {
                entry.chunk_count = 3;
            })
        },
        Finding::error(TOTALS).at(LABEL).evidence(2, 3),
    );
    let last = judged(
        "last-stamp",
        TOTALS,
        "the last message is at 90, and the directory says 91",
        five(&page.values("last-stamp")),
        |plan| {
            edit(
                plan,
                0,
                "last_stamp_ns",
                "last_stamp_ns becomes 91",
                |entry| entry.last_stamp_ns = 91,
            )
        },
        Finding::error(TOTALS).at(LABEL).evidence(90, 91),
    );

    const EACH: &str = "CA3-7.3-10";
    let missing = judged(
        "stream-missing",
        EACH,
        "two streams, and the directory has an entry for one",
        two_streams(&page.values("stream-missing")),
        |plan| {
            plan.edit_directory("", "the entry of stream 2 is left out", |entries| {
                entries.pop();
            })
        },
        Finding::error(EACH).at(LABEL),
    );
    let twice = judged(
        "stream-twice",
        EACH,
        "the directory has two entries for one stream",
        two_streams(&page.values("stream-twice")),
        |plan| {
            plan.edit_directory(
                "entries[2].stream_ref",
                "the entry of stream 2 stands twice",
                |entries| entries.extend(entries.last().cloned()),
            )
        },
        Finding::error(EACH).at(LABEL),
    );

    const SILENT: &str = "CA3-7.3-11";
    let silent = judged(
        "stream-without-chunks",
        SILENT,
        "a stream without chunks points at another stream's entry",
        small(&page.values("stream-without-chunks")).stream(stream(2)),
        |plan| {
            edit(
                plan,
                1,
                "first_index",
                "first_index of stream 2 becomes 1",
                |entry| entry.first_index = 1,
            )
        },
        Finding::error(SILENT).at(LABEL).evidence(0, 1),
    );
    vec![messages, chunks, last, missing, twice, silent]
}
