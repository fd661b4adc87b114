//! What a chunk's header says of its messages (§6.1, §6.3, §6.5).

use super::super::{Page, one_stream, plan_with};
use super::judged;
use crate::plan::{COLUMNAR, Chunk, Columnar, Decoded, Sample, stream, varint};
use crate::{Draft, Finding};

const LABEL: &str = "Chunk 1";

/// Messages at 10, 20 and 30.
fn three() -> Chunk {
    Chunk::plain(1, &[(10, b"one"), (20, b"two"), (30, b"three")])
}

pub(super) fn header(page: &Page) -> Vec<Draft> {
    const SORTED: &str = "CA3-6.1-11";
    let sorted = judged(
        "sorted-and-is-not",
        SORTED,
        "the sorted bit over messages at 10, 30, 20",
        one_stream(&page.values("sorted-and-is-not")).chunk(three()),
        |plan| {
            plan.edit_chunk(
                LABEL,
                "message[1].stamp_delta",
                "the second and the third message are exchanged",
                |chunk| chunk.messages.swap(1, 2),
            )
        },
        Finding::error(SORTED).at(LABEL),
    );

    const SPAN: &str = "CA3-6.1-12";
    let late = judged(
        "maximum-too-late",
        SPAN,
        "max_stamp_ns 31, in header and index, where the last message is at 30",
        one_stream(&page.values("maximum-too-late")).chunk(three()),
        |plan| {
            plan.edit_chunk(LABEL, "max_stamp_ns", "max_stamp_ns becomes 31", |chunk| {
                chunk.max_stamp_ns = Some(31);
            })
        },
        Finding::error(SPAN).at(LABEL).evidence(30, 31),
    );
    let early = judged(
        "minimum-too-early",
        SPAN,
        "min_stamp_ns 9, in header and index, where the first message is at 10",
        one_stream(&page.values("minimum-too-early")).chunk(three()),
        |plan| {
            plan.edit_chunk(
                LABEL,
                "min_stamp_ns",
                "min_stamp_ns becomes 9, each delta one more",
                |chunk| {
                    chunk.min_stamp_ns = 9;
                    // 10 - 9, 20 - 9, 30 - 9
                    for (message, delta) in chunk.messages.iter_mut().zip([1, 11, 21]) {
                        message.stamp_delta = varint(delta);
                    }
                },
            )
        },
        Finding::error(SPAN).at(LABEL).evidence(10, 9),
    );

    const SIZE: &str = "CA3-6.1-23";
    // Three messages of two bytes and their payload: 5 + 5 + 7.
    let size = judged(
        "uncompressed-size",
        SIZE,
        "uncompressed_bytes of a chunk with codec 0 is one more than the blob",
        one_stream(&page.values("uncompressed-size")).chunk(three()),
        |plan| {
            plan.edit_chunk(
                LABEL,
                "uncompressed_bytes",
                "uncompressed_bytes becomes 18",
                |chunk| chunk.uncompressed_bytes = Some(18),
            )
        },
        Finding::warning(SIZE).at(LABEL).evidence(17, 18),
    );
    vec![sorted, late, early, size]
}

pub(super) fn mask(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-6.3-11";
    let name = "bit-of-no-message";
    let samples = [
        Sample::new(Decoded::at(2_000).wall(90_000), b"one"),
        Sample::new(Decoded::at(2_010), b"two"),
    ];
    vec![judged(
        name,
        RULE,
        "mask bit 1 is set and no message has a wall clock",
        one_stream(&page.values(name)).chunk(Chunk::of(1, &samples)),
        |plan| {
            plan.edit_chunk(
                LABEL,
                "message[0].wall_clock_ns",
                "the first message's wall clock is absent too, and the base 0",
                |chunk| {
                    chunk.wall_base_ns = 0;
                    if let Some(message) = chunk.at(0) {
                        message.fields = vec![varint(0)];
                        message.decoded = Decoded::at(2_000);
                    }
                },
            )
        },
        Finding::warning(RULE).at(LABEL),
    )]
}

pub(super) fn columnar(page: &Page) -> Vec<Draft> {
    const LABEL: &str = "ColumnarChunk 1";
    // A record stamp each, in a column of its own.
    let file = |name: &str| {
        let chunk = Columnar::new(1, 2_000, 4)
            .mask(1)
            .bases(7_000, 0, 0)
            .row(0, &[0], b"blk0", Decoded::at(2_000).record_ts(7_000))
            .row(10, &[9], b"blk1", Decoded::at(2_010).record_ts(7_009));
        plan_with(&page.values(name), COLUMNAR)
            .stream(stream(1))
            .columnar(chunk)
    };
    const MASK: &str = "CA3-6.5-11";
    let mask = judged(
        "mask-bit-8",
        MASK,
        "mask 0101: a column of a width that nothing defines",
        file("mask-bit-8"),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "field_mask",
                "mask bit 8 is set, with eight bytes a message",
                |chunk| {
                    chunk.field_mask = 0x0101;
                    for row in &mut chunk.rows {
                        row.columns.push(7);
                    }
                },
            )
        },
        Finding::error(MASK).at(LABEL),
    );
    const FEATURE: &str = "CA3-6.5-22";
    let feature = judged(
        "columnar-undeclared",
        FEATURE,
        "a ColumnarChunk in a file whose bit 2 is clear",
        file("columnar-undeclared"),
        |plan| plan.replace_field("Header", "required_features", &[0; 8]),
        Finding::error(FEATURE).at(LABEL).at("Header"),
    );
    vec![mask, feature]
}
