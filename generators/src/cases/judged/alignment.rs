//! Whether a promised boundary is kept (§5.9).

use ca3_wire::records::Stream;

use super::super::{Page, plan, plan_with};
use super::judged;
use crate::plan::{COLUMNAR, Chunk, Coded, Columnar, Decoded, Plan, Sample, ZSTD, stream};
use crate::{Draft, Finding};

/// The promise of every stream here: byte 5 of a payload at a multiple of 64.
const ALIGNMENT: u64 = 64;
const OFFSET: u64 = 5;

fn promising(plan: Plan, block_offset: u32) -> Plan {
    plan.stream(Stream {
        block_alignment: 64,
        block_offset,
        ..stream(1)
    })
}

fn first(plan: Plan) -> Plan {
    let chunk = Chunk::plain(1, &[(2_000, b"head-block-0")]);
    promising(plan, 5).aligned(chunk, ALIGNMENT, OFFSET)
}

/// The second chunk is put on its boundary after whatever was done to the first.
fn second(plan: Plan) -> Plan {
    let chunk = Chunk::plain(1, &[(2_010, b"head-block-1")]);
    plan.aligned(chunk, ALIGNMENT, OFFSET)
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![offset_alone(page), off_by_one(page), second_message(page)];
    cases.push(compressed(page));
    cases.extend(columnar(page));
    cases
}

fn offset_alone(page: &Page) -> Draft {
    const RULE: &str = "CA3-5.9-06";
    let name = "offset-without-alignment";
    judged(
        name,
        RULE,
        "block_offset 5 where block_alignment is 0",
        plan(&page.values(name))
            .stream(stream(1))
            .chunk(Chunk::two(1)),
        |plan| plan.replace_field("Stream 1", "block_offset", &5u32.to_le_bytes()),
        Finding::error(RULE).at("Stream 1").evidence(0, 5),
    )
}

fn off_by_one(page: &Page) -> Draft {
    const RULE: &str = "CA3-5.9-07";
    let name = "one-byte-off";
    let first = first(plan(&page.values(name)));
    // As many bytes of filler as the layout chose, less one.
    let filler = first.part_length("record 1").saturating_sub(1);
    let spoilt = first
        .clone()
        .cut_inside("record 1", "content", filler)
        .what("record 1: the Padding in front of Chunk 1 is one byte shorter");
    Draft::new(name, &[RULE], "one payload lies a byte off its boundary")
        .clean(second(first))
        .found(second(spoilt), Finding::error(RULE).at("Chunk 1"))
}

fn second_message(page: &Page) -> Draft {
    const RULE: &str = "CA3-5.9-08";
    let name = "second-message";
    let first = first(plan(&page.values(name)));
    // Its payload begins 14 bytes behind the first's: 12 of payload, then one
    // of len and one of stamp_delta.
    let message = Coded::new(5, &[], b"head-block-2", Decoded::at(2_005));
    let spoilt = first.clone().edit_chunk(
        "Chunk 1",
        "message[1].payload",
        "a second message, 14 bytes behind the first",
        |chunk| chunk.messages.push(message),
    );
    Draft::new(
        name,
        &[RULE],
        "the second message of a chunk lies off the boundary",
    )
    .clean(second(first))
    .found(
        second(spoilt),
        Finding::error(RULE).or("CA3-5.9-07").at("Chunk 1"),
    )
}

fn compressed(page: &Page) -> Draft {
    const RULE: &str = "CA3-5.9-16";
    let name = "compressed";
    let first = first(plan_with(&page.values(name), ZSTD));
    let spoilt = first
        .clone()
        .edit_chunk("Chunk 1", "codec", "stored with codec 1", |chunk| {
            chunk.codec = 1;
        });
    Draft::new(
        name,
        &[RULE],
        "a chunk of an aligned stream is stored with zstd",
    )
    .clean(second(first))
    .found(second(spoilt), Finding::error(RULE).at("Chunk 1"))
}

/// Two messages of 128 bytes each.
fn rows() -> Columnar {
    let samples: Vec<Sample> = [(2_000, 0x11), (2_010, 0x22)]
        .iter()
        .map(|(stamp, byte)| Sample::new(Decoded::at(*stamp), &[*byte; 128]))
        .collect();
    Columnar::of(1, &samples)
}

fn columnar(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.9-17";
    const LABEL: &str = "ColumnarChunk 1";
    let file = |name: &str| promising(plan_with(&page.values(name), COLUMNAR), 0);
    let size = judged(
        "columnar-block-size",
        RULE,
        "blocks of 100 bytes, the first of them on the boundary of 64",
        file("columnar-block-size").aligned_columnar(rows(), ALIGNMENT, 0),
        |plan| {
            plan.edit_columnar(LABEL, "block_bytes", "blocks of 100 bytes", |chunk| {
                chunk.block_bytes = 100;
                for row in &mut chunk.rows {
                    row.block.truncate(100);
                }
            })
        },
        Finding::error(RULE).at(LABEL),
    );
    let start = file("columnar-region-start").aligned_columnar(rows(), ALIGNMENT, 0);
    let filler = start.part_length("record 1");
    let region = judged(
        "columnar-region-start",
        RULE,
        "blocks of 128 bytes in a region that begins 32 bytes off the boundary",
        start,
        |plan| {
            plan.replace_field(
                "record 1",
                "content",
                &vec![0xA5; filler.saturating_add(32)],
            )
            .what("record 1: the Padding in front of the chunk is 32 bytes longer")
        },
        Finding::error(RULE).at(LABEL),
    );
    vec![size, region]
}
