//! The index beside the chunks that it lists (§7.1).

use super::super::{Page, later_chunk, one_stream, small};
use super::judged;
use crate::plan::{Chunk, Decoded, Plan, Sample};
use crate::{Draft, Finding, Values};

const LABEL: &str = "ChunkIndex";

/// Two chunks of one stream: 2000 and 2010, then 3000 and 3010.
fn two_chunks(v: &Values) -> Plan {
    small(v).chunk(later_chunk())
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = entries(page);
    cases.extend(listed(page));
    cases.extend(sequences(page));
    cases
}

fn entries(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.1-09";
    let count = judged(
        "count",
        RULE,
        "an entry counts a message more than its chunk's header",
        two_chunks(&page.values("count")),
        |plan| {
            plan.edit_index(
                "entries[1].message_count",
                "the second entry counts 3",
                |entries| {
                    if let Some(entry) = entries.get_mut(1) {
                        entry.message_count = 3;
                    }
                },
            )
        },
        Finding::error(RULE).at(LABEL).evidence(2, 3),
    );
    let span = judged(
        "span",
        RULE,
        "an entry ends later than its chunk's header says",
        two_chunks(&page.values("span")),
        |plan| {
            plan.edit_index(
                "entries[1].max_stamp_ns",
                "the second entry ends at 3020, its running maximum with it",
                |entries| {
                    if let Some(entry) = entries.get_mut(1) {
                        entry.max_stamp_ns = 3_020;
                        entry.prefix_max_stamp_ns = 3_020;
                    }
                },
            )
        },
        Finding::error(RULE).at(LABEL).evidence(3_010, 3_020),
    );
    let sequence = judged(
        "sequence",
        RULE,
        "an entry begins with another sequence than its chunk's header",
        one_stream(&page.values("sequence")).chunk(Chunk::of(
            1,
            &[
                Sample::new(Decoded::at(2_000).sequence(5), b"one"),
                Sample::new(Decoded::at(2_010).sequence(6), b"two"),
            ],
        )),
        |plan| {
            plan.edit_index(
                "entries[0].seq_first",
                "the entry begins with sequence 4",
                |entries| {
                    if let Some(entry) = entries.first_mut() {
                        entry.seq_first = 4;
                    }
                },
            )
        },
        Finding::error(RULE).at(LABEL).evidence(5, 4),
    );
    vec![count, span, sequence]
}

fn listed(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.1-10";
    let unlisted = judged(
        "chunk-not-listed",
        RULE,
        "of two chunks with messages the index lists one",
        two_chunks(&page.values("chunk-not-listed")),
        |plan| {
            plan.edit_index("", "the entry of Chunk 2 is left out", |entries| {
                entries.pop();
            })
        },
        Finding::error(RULE).at("Chunk 2").at(LABEL),
    );
    let v = page.values("entry-of-no-chunk");
    let elsewhere = two_chunks(&v).offset_of("Stream 1");
    let no_chunk = judged(
        "entry-of-no-chunk",
        RULE,
        "an entry points at a Stream record",
        two_chunks(&v),
        |plan| {
            plan.edit_index(
                "entries[1].chunk_offset",
                "the second entry points at Stream 1",
                move |entries| {
                    if let Some(entry) = entries.get_mut(1) {
                        entry.chunk_offset = elsewhere;
                    }
                },
            )
        },
        Finding::error(RULE).at(LABEL),
    );

    const TIES: &str = "CA3-7.1-11";
    let ties = judged(
        "equal-starts",
        TIES,
        "two chunks from 20 to 30, the later one listed first",
        one_stream(&page.values("equal-starts"))
            .chunk(Chunk::plain(1, &[(20, b"one"), (30, b"two")]))
            .chunk(Chunk::plain(1, &[(20, b"three"), (30, b"four")])),
        |plan| {
            plan.edit_index("", "the two entries are exchanged", |entries| {
                entries.reverse();
            })
        },
        Finding::error(TIES).at(LABEL),
    );
    vec![unlisted, no_chunk, ties]
}

fn sequences(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.1-13";
    let stored = |name: &str, sequences: [Option<u32>; 3]| {
        let samples: Vec<Sample> = sequences
            .iter()
            .zip([10, 20, 30])
            .map(|(sequence, stamp)| {
                let decoded = Decoded {
                    sequence: *sequence,
                    ..Decoded::at(stamp)
                };
                Sample::new(decoded, b"payload")
            })
            .collect();
        one_stream(&page.values(name)).chunk(Chunk::of(1, &samples))
    };
    let last_is = |plan: Plan, sequence: u32| {
        plan.edit_index(
            "entries[0].seq_last",
            &format!("seq_last becomes {sequence}"),
            move |entries| {
                if let Some(entry) = entries.first_mut() {
                    entry.seq_last = sequence;
                }
            },
        )
    };
    let extreme = judged(
        "last-and-not-greatest",
        RULE,
        "sequences 5, 9, 7: seq_last is the last one stored and not the greatest",
        stored("last-and-not-greatest", [Some(5), Some(9), Some(7)]),
        |plan| last_is(plan, 9),
        Finding::error(RULE).at(LABEL).evidence(7, 9),
    );
    let absent = judged(
        "last-is-absent",
        RULE,
        "sequences 5, 6 and none: seq_last is 0",
        stored("last-is-absent", [Some(5), Some(6), None]),
        |plan| last_is(plan, 6),
        Finding::error(RULE).at(LABEL).evidence(0, 6),
    );
    vec![extreme, absent]
}
