//! Tables of message offsets beside the chunks that they address (§7.5).

use ca3_wire::records::MessageOffsets;

use super::super::{Page, one_stream, plan_with};
use super::judged;
use crate::plan::{COLUMNAR, Chunk, Columnar, Decoded, Plan, ZSTD, stream};
use crate::{Draft, Finding, Values};

const LABEL: &str = "MessageOffsets 1";

/// A byte of len, a byte of stamp_delta and the payload: 5, 5 and 7 bytes, so
/// the messages begin at 0, 5 and 10, and the blob ends at 17.
fn three(v: &Values) -> Plan {
    one_stream(v).chunk(Chunk::plain(
        1,
        &[(2_000, b"one"), (2_010, b"two"), (2_020, b"three")],
    ))
}

const RIGHT: [u32; 3] = [0, 5, 10];

fn table(chunk_offset: u64, offsets: &[u32]) -> MessageOffsets {
    MessageOffsets {
        chunk_offset,
        offsets: offsets.to_vec(),
    }
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let other_table = |name: &str, rule: &str, title: &str, offsets: &[u32], what: &str| {
        let plan = three(&page.values(name));
        let chunk = plan.offset_of("Chunk 1");
        judged(
            name,
            rule,
            title,
            plan.message_offsets(&table(chunk, &RIGHT)),
            |plan| plan.rewrite(LABEL, &table(chunk, offsets), "", what),
            Finding::error(rule).at(LABEL),
        )
    };
    let base = other_table(
        "from-the-record",
        "CA3-7.5-05",
        "offsets that count from the chunk's opcode, 86 bytes ahead of the blob",
        &[86, 91, 96],
        "each offset is 86 more",
    );
    let extra = other_table(
        "one-more",
        "CA3-7.5-06",
        "an entry at the blob's end, where no message begins",
        &[0, 5, 10, 17],
        "an entry 17 is added",
    );
    let fewer = other_table(
        "one-less",
        "CA3-7.5-06",
        "three messages and two entries",
        &[0, 10],
        "the entry 5 is left out",
    );

    const NAMED: &str = "CA3-7.5-07";
    let v = page.values("of-no-chunk");
    let plan = three(&v);
    let (chunk, other) = (plan.offset_of("Chunk 1"), plan.offset_of("Stream 1"));
    let of_no_chunk = judged(
        "of-no-chunk",
        NAMED,
        "a table that names a Stream record",
        plan.message_offsets(&table(chunk, &RIGHT)),
        |plan| {
            let what = "chunk_offset is that of Stream 1";
            plan.rewrite(LABEL, &table(other, &RIGHT), "chunk_offset", what)
        },
        Finding::error(NAMED).at(LABEL),
    );

    let v = page.values("of-a-columnar-chunk");
    let rows = Columnar::new(1, 3_000, 3)
        .row(0, &[], b"row", Decoded::at(3_000))
        .row(10, &[], b"rov", Decoded::at(3_010))
        .row(20, &[], b"rou", Decoded::at(3_020));
    let plan = plan_with(&v, COLUMNAR)
        .stream(stream(1))
        .chunk(Chunk::plain(
            1,
            &[(2_000, b"one"), (2_010, b"two"), (2_020, b"three")],
        ))
        .columnar(rows);
    let (chunk, other) = (plan.offset_of("Chunk 1"), plan.offset_of("ColumnarChunk 1"));
    let of_columnar = judged(
        "of-a-columnar-chunk",
        NAMED,
        "a table that names a chunk without a blob of messages",
        plan.message_offsets(&table(chunk, &RIGHT)),
        |plan| {
            let what = "chunk_offset is that of ColumnarChunk 1";
            plan.rewrite(LABEL, &table(other, &RIGHT), "chunk_offset", what)
        },
        Finding::error(NAMED).at(LABEL),
    )
    .readings(&["G104"]);

    let plan = three(&page.values("two-tables"));
    let chunk = plan.offset_of("Chunk 1");
    let twice = judged(
        "two-tables",
        NAMED,
        "two tables of one chunk",
        plan.message_offsets(&table(chunk, &RIGHT)),
        |plan| plan.repeat(LABEL),
        Finding::error(NAMED).at("MessageOffsets 1 again").at(LABEL),
    );
    vec![
        base,
        compressed(page),
        extra,
        fewer,
        of_no_chunk,
        of_columnar,
        twice,
    ]
}

/// The blob's frame has 16 bytes in front of its one block: 4 of magic number,
/// 1 of header, 8 of content size, 3 of block header.
fn compressed(page: &Page) -> Draft {
    const RULE: &str = "CA3-7.5-05";
    let name = "of-stored-bytes";
    let chunk = Chunk::plain(1, &[(2_000, b"one"), (2_010, b"two"), (2_020, b"three")]);
    let plan = plan_with(&page.values(name), ZSTD)
        .stream(stream(1))
        .chunk(chunk.zstd());
    let chunk = plan.offset_of("Chunk 1");
    judged(
        name,
        RULE,
        "the offsets of a compressed chunk count into the frame as it is stored",
        plan.message_offsets(&table(chunk, &RIGHT)),
        |plan| {
            let stored = table(chunk, &[16, 21, 26]);
            plan.rewrite(LABEL, &stored, "", "each offset is 16 more")
        },
        Finding::error(RULE).at(LABEL),
    )
    .readings(&["G104"])
}
