//! Statements that contradict each other: the one that the others outvote is
//! at fault, and only it (§2.2, §5.9, §6.4, §7.1).

use ca3_wire::records::ClockBlock;

use super::super::{Page, one_stream, plan, plan_with, small};
use super::judged;
use crate::plan::{At, Chunk, Decoded, EPOCH, HOST, Plan, ZSTD, stream};
use crate::{Draft, Finding};

pub(super) fn groups(page: &Page) -> Vec<Draft> {
    const ORDER: &str = "CA3-2.2-02";
    let outlier = judged(
        "unknown-in-the-middle",
        ORDER,
        "a group that version 1 does not define stands in front of smaller opcodes",
        small(&page.values("unknown-in-the-middle")).group(0xC5, b"private"),
        |plan| plan.reorder("group C5", "summary Stream 1"),
        Finding::error(ORDER).at("group C5"),
    );
    const ONE: &str = "CA3-2.4-11";
    let name = "second-clock-block";
    let block = ClockBlock {
        reference_host_id: HOST.to_owned(),
        reference_host_clock_epoch: EPOCH.to_owned(),
        domains: Vec::new(),
        degraded_intervals: Vec::new(),
    };
    let clocks = judged(
        name,
        ONE,
        "the summary has two clock blocks",
        small(&page.values(name)).clock_block(&block),
        |plan| plan.repeat("ClockBlock"),
        Finding::error(ONE).at("ClockBlock again").at("ClockBlock"),
    );
    let index = judged(
        "second-index",
        ONE,
        "the summary has two indexes",
        small(&page.values("second-index")),
        |plan| plan.repeat("ChunkIndex"),
        Finding::error(ONE).at("ChunkIndex again").at("ChunkIndex"),
    );
    vec![outlier, clocks, index]
}

/// A stream of two chunks, and one of one.
fn two_streams(plan: Plan) -> Plan {
    plan.stream(stream(1))
        .stream(stream(2))
        .chunk(Chunk::two(1))
        .chunk(Chunk::plain(1, &[(3_000, b"three"), (3_010, b"four")]))
        .chunk(Chunk::plain(2, &[(2_500, b"other")]))
}

pub(super) fn index(page: &Page) -> Vec<Draft> {
    const AGREES: &str = "CA3-7.1-09";
    let chunk = judged(
        "chunk-of-another-stream",
        AGREES,
        "a chunk's header names stream 2; index, directory and Statistics have it under 1",
        two_streams(plan(&page.values("chunk-of-another-stream"))),
        |plan| {
            // Behind the frame: no checksum covers it.
            plan.patch(At::record("Chunk 2", 9), &2u32.to_le_bytes())
        },
        Finding::error(AGREES).at("Chunk 2").evidence(1, 2),
    );
    let entry = judged(
        "entry-of-another-stream",
        AGREES,
        "an entry names stream 2; its chunk and the directory have 1",
        two_streams(plan(&page.values("entry-of-another-stream"))),
        |plan| plan.replace_field("ChunkIndex", "entries[0].stream_ref", &2u32.to_le_bytes()),
        Finding::error(AGREES).at("ChunkIndex").evidence(1, 2),
    );
    const POINTS: &str = "CA3-7.1-10";
    let v = page.values("offset-of-a-chunk");
    let valid = two_streams(plan(&v));
    let right = valid.offset_of("Chunk 2");
    let wrong = right.saturating_add(9);
    let moved = judged(
        "offset-of-a-chunk",
        POINTS,
        "an entry points nine bytes behind its chunk",
        valid,
        |plan| {
            plan.replace_field(
                "ChunkIndex",
                "entries[1].chunk_offset",
                &wrong.to_le_bytes(),
            )
        },
        Finding::error(POINTS)
            .at("ChunkIndex")
            .evidence(right, wrong),
    );
    vec![chunk, entry, moved]
}

/// A compressed chunk of an aligned stream (§5.9).
pub(super) fn empty_chunk(page: &Page) -> Vec<Draft> {
    let name = "empty-chunk-of-an-aligned-stream";
    let file = plan_with(&page.values(name), ZSTD).stream(ca3_wire::records::Stream {
        block_alignment: 64,
        ..stream(1)
    });
    vec![
        Draft::new(
            name,
            &["CA3-5.9-16"],
            "a compressed chunk without messages breaks no promise about payloads",
        )
        .readings(&["G12"])
        .clean(file.chunk(Chunk::plain(1, &[]).zstd()))
        .wrong_answer("a promise about payloads is found broken where there are none"),
    ]
}

pub(super) fn sequences(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-6.4-10";
    let name = "first-without-sequence";
    let samples = [
        crate::plan::Sample::new(Decoded::at(2_000), b"one"),
        crate::plan::Sample::new(Decoded::at(2_010).sequence(6), b"two"),
    ];
    vec![judged(
        name,
        RULE,
        "the first message has no sequence, a later one has, and seq_first is 5",
        one_stream(&page.values(name)).chunk(Chunk::of(1, &samples)),
        |plan| {
            plan.edit_chunk("Chunk 1", "seq_first", "seq_first becomes 5", |chunk| {
                chunk.seq_first = 5;
                // 5 + 1 + 0: the second message's sequence is 6 as before.
                if let Some(message) = chunk.at(1) {
                    message.fields = vec![crate::plan::varint(1)];
                }
            })
        },
        Finding::error(RULE).at("Chunk 1").evidence(0, 5),
    )]
}
