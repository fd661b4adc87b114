//! Item 7: column-wise chunks (§6.5).

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, DecompressFailed, LimitExceeded, ReservedMaskBit, UnknownCodec,
    UnresolvedReference,
};
use serde_json::{Value, json};

use super::guards::not_messages;
use super::{Page, device_stream, one_device_stream, plan_with, spoilt};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Columnar, Decoded, Plan, Sample, crc32c, stream};
use crate::{Values, zstd_frame};

fn file(v: &Values, chunk: Columnar) -> Plan {
    plan_with(v, crate::plan::COLUMNAR)
        .stream(stream(1))
        .columnar(chunk)
}

/// The stream is a device's, whose source times the chunk has.
fn device_file(v: &Values, chunk: Columnar) -> Plan {
    plan_with(v, crate::plan::COLUMNAR)
        .stream(device_stream(1))
        .columnar(chunk)
}

fn zstd_file(v: &Values, chunk: Columnar) -> Plan {
    plan_with(v, &[0, 2])
        .stream(stream(1))
        .columnar(chunk.zstd())
}

/// Two messages, mask 0, blocks of four bytes.
fn two() -> Columnar {
    Columnar::new(1, 2_000, 4)
        .row(0, &[], b"blk0", Decoded::at(2_000))
        .row(10, &[], b"blk1", Decoded::at(2_010))
}

const BLOCKS: &[&[u8]] = &[b"blk0", b"blk1"];
const LABEL: &str = "ColumnarChunk 1";

/// Two messages with a sequence column and nothing else. With `seq_first` 1 the
/// coded values 1 and 3 mean 1 and 1 + 1 + 1 = 3: the same as the values
/// themselves, so that reading G36 makes no difference.
fn sequenced() -> Columnar {
    Columnar::new(1, 2_000, 4)
        .mask(0x0008)
        .seq_first(1)
        .row(0, &[1], b"blk0", Decoded::at(2_000).sequence(1))
        .row(10, &[3], b"blk1", Decoded::at(2_010).sequence(3))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = header(page);
    cases.extend(columns(page));
    cases.extend(sequences(page));
    cases.extend(masks(page));
    cases.extend(lengths(page));
    cases.extend(checksum_and_codec(page));
    cases.extend(twins(page));
    cases
}

fn header(page: &Page) -> Vec<Draft> {
    let v = page.values("header-to-blocks-length");
    let wide = spoilt(
        [
            "header-to-blocks-length",
            "CA3-6.5-01",
            "as a chunk's header to seq_first; then block_bytes u32 and two u64 lengths",
        ],
        file(&v, two()),
        |plan| {
            plan.replace_field(LABEL, "block_bytes", &[4, 0, 0, 0, 0, 0, 0, 0])
                .what("ColumnarChunk 1: block_bytes is stored in eight bytes")
        },
        surface(&[BadLength, BadCrc, LimitExceeded]).forbid(BLOCKS),
    );
    let v = page.values("gap-between-regions");
    let gap = spoilt(
        [
            "gap-between-regions",
            "CA3-6.5-02",
            "columns at record offset + 90, then blocks, and nothing between or behind",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "gap",
                "a byte that neither length counts stands between the regions",
                |chunk| chunk.gap = vec![0],
            )
        },
        surface(&[BadLength, BadCrc, LimitExceeded]).forbid(BLOCKS),
    );
    vec![wide, gap]
}

fn columns(page: &Page) -> Vec<Draft> {
    let v = page.values("column-order");
    // Which message lacks which field shows the columns' order without the
    // values: wall only in the first, source in the second, sequence in the third.
    let order = Columnar::new(1, 2_000, 1)
        .mask(0x000F)
        .bases(100, 1_000, 500)
        .row(0, &[0, 1, 0, 0], b"a", Decoded::at(2_000).record_ts(100))
        .row(10, &[7, 0, 1, 0], b"b", Decoded::at(2_010).record_ts(107))
        .row(
            20,
            &[9, 0, 0, 3],
            b"c",
            Decoded::at(2_020).record_ts(109).sequence(3),
        );
    let present = json!({"$not": {"$absent": true}});
    let message = |stamp: &str, record: &str, fields: [bool; 3], payload: &str| -> Value {
        let pick = |there: bool| if there { present.clone() } else { Value::Null };
        let [wall, source, sequence] = fields.map(pick);
        json!({
            "stream_ref": 1, "monotonic_timestamp_ns": stamp, "record_ts_ns": record,
            "wall_clock_ns": wall, "source_timestamp_ns": source, "sequence": sequence,
            "payload": payload,
        })
    };
    let order = Draft::new(
        "column-order",
        &["CA3-6.5-03"],
        "columns stand in the order stamp, then rising mask bits",
    )
    .valid_but(
        device_file(&v, order),
        json!({"messages": [
            message("2000", "100", [true, false, false], "61"),
            message("2010", "107", [false, true, false], "62"),
            message("2020", "109", [false, false, true], "63"),
        ]}),
    )
    .wrong_answer("another pattern of absent fields, from another order of columns");

    let v = page.values("sequence-width");
    let width = spoilt(
        [
            "sequence-width",
            "CA3-6.5-04",
            "columns are eight bytes wide, and the sequence four",
        ],
        file(&v, sequenced()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "columns",
                "the sequence column is eight bytes wide, columns_length 32",
                |chunk| chunk.sequence_width = Some(8),
            )
        },
        surface(&[BadLength]).forbid(BLOCKS),
    );

    let v = page.values("plain-differences");
    let stamp = v.u64("stamp_delta", 300, 128..=1 << 40);
    let plain = Columnar::new(1, 10, 4)
        .mask(0x0001)
        .bases(100, 0, 0)
        .row(0, &[0], b"blk0", Decoded::at(10).record_ts(100))
        .row(stamp, &[3], b"blk1", Decoded::at(10 + stamp).record_ts(103));
    let plain = Draft::new(
        "plain-differences",
        &["CA3-6.5-05"],
        "stamp and bit 0 are plain eight-byte differences, and 0 is a value",
    )
    .valid(file(&v, plain))
    .wrong_answer("LEB128 decoding, or null for 0");

    let v = page.values("coded-columns");
    let coded = Columnar::new(1, 2_000, 4)
        .mask(0x0006)
        .bases(0, 1_000, 500)
        .row(
            0,
            &[1, 1],
            b"blk0",
            Decoded::at(2_000).wall(1_000).source(500),
        )
        .row(10, &[0, 0], b"blk1", Decoded::at(2_010))
        .row(
            20,
            &[3, 3],
            b"blk2",
            Decoded::at(2_020).wall(1_021).source(501),
        );
    let coded = Draft::new(
        "coded-columns",
        &["CA3-6.5-06"],
        "bits 1 and 2 hold the coded value of a row-wise chunk, 0 absent",
    )
    .valid(device_file(&v, coded))
    .wrong_answer("a raw difference, or the base for 0");
    vec![order, width, plain, coded]
}

fn sequences(page: &Page) -> Vec<Draft> {
    let v = page.values("sequence-column");
    let three = Columnar::new(1, 2_000, 4)
        .mask(0x0008)
        .seq_first(5)
        .row(0, &[1], b"blk0", Decoded::at(2_000).sequence(5))
        .row(10, &[1], b"blk1", Decoded::at(2_010).sequence(6))
        .row(20, &[0], b"blk2", Decoded::at(2_020));
    let column = Draft::new(
        "sequence-column",
        &["CA3-6.5-07"],
        "the sequence column is coded as in a row-wise chunk, 0 absent",
    )
    .valid(file(&v, three))
    .wrong_answer("the coded value itself, or 0 for an absent one");

    let v = page.values("no-sequence-column");
    let run = Columnar::new(1, 2_000, 4)
        .seq_first(7)
        .row(0, &[], b"blk0", Decoded::at(2_000).sequence(7))
        .row(10, &[], b"blk1", Decoded::at(2_010).sequence(8));
    let no_column = Draft::new(
        "no-sequence-column",
        &["CA3-6.5-08"],
        "bit 3 clear: no column, and seq_first decides",
    )
    .valid(file(&v, run.clone()))
    .invalid(
        file(&v, run).edit_columnar(
            LABEL,
            "columns",
            "a sequence column stands there although bit 3 is clear",
            |chunk| {
                let mut region = Vec::new();
                for delta in [0u64, 10] {
                    region.extend_from_slice(&delta.to_le_bytes());
                }
                for sequence in [1u32, 1] {
                    region.extend_from_slice(&sequence.to_le_bytes());
                }
                chunk.columns = Some(region);
            },
        ),
        surface(&[BadLength]).forbid(BLOCKS),
    );

    let v = page.values("no-sequence");
    let none = Draft::new(
        "no-sequence",
        &["CA3-6.5-08"],
        "bit 3 clear and seq_first 0: no message has a sequence",
    )
    .valid(file(&v, two()))
    .wrong_answer("a run 1, 2 is invented");
    vec![column, no_column, none]
}

fn masks(page: &Page) -> Vec<Draft> {
    let recorded = || {
        Columnar::new(1, 2_000, 4)
            .mask(0x0001)
            .bases(100, 0, 0)
            .row(0, &[0], b"blk0", Decoded::at(2_000).record_ts(100))
            .row(10, &[3], b"blk1", Decoded::at(2_010).record_ts(103))
    };
    let mut cases = Vec::new();
    for bit in 4..16u16 {
        let name = format!("mask-bit-{bit:02}");
        let v = page.values(&name);
        let rule = if bit < 8 { "CA3-6.5-09" } else { "CA3-6.5-10" };
        let title = format!("mask bit {bit} has no meaning and no width here");
        cases.push(spoilt(
            [&name, rule, &title],
            file(&v, recorded()),
            |plan| {
                plan.edit_columnar(
                    LABEL,
                    "field_mask",
                    &format!("mask bit {bit} is set, and no column is added"),
                    |chunk| {
                        chunk.columns = Some(chunk.column_region());
                        chunk.field_mask |= 1 << bit;
                    },
                )
            },
            surface(&[ReservedMaskBit]).forbid(BLOCKS),
        ));
    }
    // A reader that guesses a stride finds what it expects here.
    for bit in [4, 8, 15u16] {
        let name = format!("mask-bit-{bit:02}-with-a-column");
        let v = page.values(&name);
        let rule = if bit < 8 { "CA3-6.5-09" } else { "CA3-6.5-10" };
        let title = format!("mask bit {bit} with a column of eight bytes a message");
        cases.push(spoilt(
            [&name, rule, &title],
            file(&v, recorded()),
            |plan| {
                plan.edit_columnar(
                    LABEL,
                    "field_mask",
                    &format!("mask bit {bit} is set, with a column of eight bytes a message"),
                    |chunk| {
                        chunk.field_mask |= 1 << bit;
                        for row in &mut chunk.rows {
                            row.columns.push(1);
                        }
                    },
                )
            },
            surface(&[ReservedMaskBit, BadLength]).forbid(BLOCKS),
        ));
    }
    cases
}

fn lengths(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("columns-one-byte-short");
    cases.push(spoilt(
        [
            "columns-one-byte-short",
            "CA3-6.5-12",
            "columns_length 15 where two stamps take 16",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "columns_length",
                "the column region is a byte short",
                |chunk| {
                    let mut region: Vec<u8> = chunk
                        .rows
                        .iter()
                        .flat_map(|row| row.stamp_delta.to_le_bytes())
                        .collect();
                    region.pop();
                    chunk.columns = Some(region);
                },
            )
        },
        surface(&[BadLength]).forbid(BLOCKS),
    ));
    let v = page.values("blocks-one-byte-short");
    let short = |chunk: &mut Columnar| chunk.blocks = Some(b"blk0blk".to_vec());
    cases.push(spoilt(
        [
            "blocks-one-byte-short",
            "CA3-6.5-13",
            "blocks_length 7 where two blocks take 8",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "blocks_length",
                "the block region is a byte short",
                short,
            )
        },
        surface(&[BadLength]).forbid(BLOCKS),
    ));
    let v = page.values("block-addresses");
    let three = Columnar::new(1, 2_000, 4)
        .row(0, &[], &v.bytes("block", b"blk0"), Decoded::at(2_000))
        .row(10, &[], b"blk1", Decoded::at(2_010))
        .row(20, &[], b"blk2", Decoded::at(2_020));
    cases.push(
        Draft::new(
            "block-addresses",
            &["CA3-6.5-14"],
            "block i begins at block_bytes times i",
        )
        .valid(file(&v, three.clone()))
        .invalid(
            file(&v, three).edit_columnar(
                LABEL,
                "block_bytes",
                "block_bytes says 3 over three blocks of 4",
                |chunk| chunk.block_bytes = 3,
            ),
            surface(&[BadLength]).forbid(&[b"blk1", b"blk2"]),
        ),
    );
    let v = page.values("product-overflow");
    // 2 x (2^31 + 4) is 2^32 + 8, which 32 bits would call 8.
    cases.push(spoilt(
        [
            "product-overflow",
            "CA3-6.5-18",
            "message_count times block_bytes is 2^32 + 8 over a region of 8 bytes",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "block_bytes",
                "block_bytes becomes 2^31 + 4, the lengths kept",
                |chunk| chunk.block_bytes = (1 << 31) + 4,
            )
        },
        surface(&[BadLength, LimitExceeded]).forbid(BLOCKS),
    ));
    let v = page.values("count-too-large");
    cases.push(spoilt(
        [
            "count-huge",
            "CA3-6.5-12",
            "message_count 2^32 - 1 over regions of two messages",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "message_count",
                "message_count says 2^32 - 1",
                |chunk| {
                    chunk.message_count = Some(u32::MAX);
                },
            )
        },
        surface(&[BadLength, LimitExceeded]).forbid(BLOCKS),
    ));
    cases
}

fn checksum_and_codec(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("nothing-of-a-damaged-chunk");
    cases.push(
        spoilt(
            [
                "nothing-of-a-damaged-chunk",
                "CA3-6.5-15",
                "of a ColumnarChunk whose checksum does not hold, no message comes back",
            ],
            file(&v, two()),
            |plan| plan.patch_field(LABEL, "blocks", 4, b"B"),
            surface(&[BadCrc]).forbid(&[b"blk0", b"Blk1"]),
        )
        .readings(&["G103"]),
    );
    let v = page.values("block-bit-flipped");
    cases.push(spoilt(
        [
            "block-bit-flipped",
            "CA3-6.5-15",
            "one bit of the block region is flipped",
        ],
        file(&v, two()),
        |plan| plan.patch_field(LABEL, "blocks", 0, b"B"),
        surface(&[BadCrc]),
    ));
    let v = page.values("column-bit-flipped");
    cases.push(spoilt(
        [
            "column-bit-flipped",
            "CA3-6.5-15",
            "one bit of the column region is flipped",
        ],
        file(&v, two()),
        |plan| plan.patch_field(LABEL, "columns", 8, &[11]),
        surface(&[BadCrc]),
    ));
    let v = page.values("crc-of-blocks-only");
    cases.push(spoilt(
        [
            "crc-of-blocks-only",
            "CA3-6.5-15",
            "the checksum covers columns and then blocks",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "payload_crc32c",
                "payload_crc32c covers the blocks alone",
                |chunk| chunk.payload_crc32c = Some(crc32c(b"blk0blk1")),
            )
        },
        surface(&[BadCrc]),
    ));
    let v = page.values("zstd");
    cases.push(spoilt(
        [
            "zstd",
            "CA3-6.5-16",
            "codec 1: each region is one frame, and lengths are checked after it",
        ],
        zstd_file(&v, two()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "blocks",
                "the second frame gives one byte less than the blocks take",
                |chunk| chunk.blocks = Some(b"blk0blk".to_vec()),
            )
        },
        surface(&[BadLength, DecompressFailed]).forbid(BLOCKS),
    ));
    let v = page.values("zstd-columns");
    cases.push(spoilt(
        [
            "zstd-columns",
            "CA3-6.5-16",
            "codec 1: the column region is checked after its frame as well",
        ],
        zstd_file(&v, sequenced()),
        |plan| {
            plan.edit_columnar(
                LABEL,
                "columns",
                "the first frame gives the columns of eight-byte sequences",
                |chunk| chunk.sequence_width = Some(8),
            )
        },
        surface(&[BadLength, DecompressFailed]).forbid(BLOCKS),
    ));
    let v = page.values("codec-3");
    cases.push(spoilt(
        [
            "codec-3",
            "CA3-6.5-17",
            "codec 3 is not assigned, and is named",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(LABEL, "codec", "codec becomes 3", |chunk| {
                chunk.codec = 3;
            })
        },
        surface(&[UnknownCodec])
            .naming("value", json!(3))
            .forbid(BLOCKS),
    ));
    for (name, stored, title) in [
        (
            "empty-region-of-no-bytes",
            Vec::new(),
            "no payload, codec 1: a block region of no bytes",
        ),
        (
            "empty-region-as-a-frame",
            zstd_frame::raw(b""),
            "no payload, codec 1: an empty frame",
        ),
    ] {
        let v = page.values(name);
        let mut empty = Columnar::new(1, 2_000, 0)
            .row(0, &[], b"", Decoded::at(2_000))
            .row(10, &[], b"", Decoded::at(2_010));
        empty.stored_blocks = Some(stored);
        cases.push(
            Draft::new(name, &["CA3-6.5-25"], title)
                .valid(zstd_file(&v, empty))
                .wrong_answer("a refusal"),
        );
    }
    cases
}

fn twins(page: &Page) -> Vec<Draft> {
    let v = page.values("same-as-rows");
    let samples: Vec<Sample> = super::field_mask::mixed()
        .messages
        .iter()
        .map(|message| Sample::new(message.decoded, &message.payload))
        .collect();
    let same = Draft::new(
        "same-as-rows",
        &["CA3-6.5-19"],
        "both layouts of the same messages in one file read alike, absences included",
    )
    .valid(device_file(&v, Columnar::of(1, &samples)).chunk(Chunk::of(1, &samples)))
    .wrong_answer("an absent wall, source or sequence becomes 0 or a base");

    let v = page.values("no-columnar-feature");
    let plain = Draft::new(
        "rows-of-the-same-messages",
        &["CA3-6.5-19"],
        "the row-wise twin on its own, with no feature bit",
    )
    .valid(one_device_stream(&v).chunk(Chunk::of(1, &samples)))
    .wrong_answer("an absent wall, source or sequence becomes 0 or a base");

    let v = page.values("unsorted-rows");
    let mut unsorted = Columnar::new(1, 2_000, 4)
        .row(10, &[], b"blk0", Decoded::at(2_010))
        .row(0, &[], b"blk1", Decoded::at(2_000))
        .row(5, &[], b"blk2", Decoded::at(2_005));
    unsorted.flags = 0;
    let unsorted = Draft::new(
        "stored-order",
        &["CA3-6.5-14"],
        "rows out of stamp order come back in stored order",
    )
    .valid(file(&v, unsorted))
    .wrong_answer("messages are sorted by stamp");

    let v = page.values("empty-payloads");
    let empty = Columnar::new(1, 2_000, 0)
        .row(0, &[], b"", Decoded::at(2_000))
        .row(10, &[], b"", Decoded::at(2_010));
    let empty = Draft::new(
        "empty-payloads",
        &["CA3-6.5-13"],
        "block_bytes 0 without compression: two messages, and no block region",
    )
    .valid(file(&v, empty.clone()))
    .invalid(
        file(&v, empty).edit_columnar(
            LABEL,
            "blocks",
            "a block region of eight bytes stands there",
            |chunk| chunk.blocks = Some(b"blk0blk1".to_vec()),
        ),
        surface(&[BadLength]).result(not_messages(2)),
    );

    let v = page.values("no-rows");
    let none = Draft::new(
        "no-rows",
        &["CA3-6.5-12"],
        "a ColumnarChunk of no messages beside one of two",
    )
    .readings(&["G12"])
    .valid(file(&v, Columnar::new(1, 0, 4)).columnar(two()))
    .wrong_answer("a refusal");

    let v = page.values("undeclared-stream");
    let undeclared = spoilt(
        [
            "undeclared-stream",
            "CA3-5.7-05",
            "a ColumnarChunk names a stream that nothing declares",
        ],
        file(&v, two()),
        |plan| {
            plan.edit_columnar(LABEL, "stream_ref", "stream_ref becomes 9", |chunk| {
                chunk.stream_ref = 9;
            })
        },
        surface(&[UnresolvedReference]).forbid(BLOCKS),
    );
    vec![same, plain, unsorted, empty, none, undeclared]
}
