//! Item 7: the chunk header, its checksum and its codecs (§6.1).

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, DecompressFailed, LimitExceeded, Other, UnknownCodec,
};
use serde_json::json;

use super::guards::not_messages;
use super::{Page, one_device_stream, one_stream, plan_with, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Coded, Decoded, Plan, crc32c, stream};
use crate::{Values, zstd_frame};

/// A frame as libzstd 1.5.7 writes it at level 3, with a compressed block, over
/// `C9 01 00` (a len of 201 and delta 0) and a hundred times `ab`.
const COMPRESSED: &[u8] = &[
    0x28, 0xB5, 0x2F, 0xFD, 0x20, 0xCB, 0x65, 0x00, 0x00, 0x28, 0xC9, 0x01, 0x00, 0x61, 0x62, 0x01,
    0x00, 0xC3, 0x28, 0xA7, 0x05,
];

/// A frame as libzstd 1.5.7 streams it: no content size, two blocks, and a
/// checksum, over `04 00 one` and `04 0A two`.
const STREAMED: &[u8] = &[
    0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x28, 0x00, 0x00, 0x04, 0x00, 0x6F, 0x6E, 0x65, 0x29, 0x00,
    0x00, 0x04, 0x0A, 0x74, 0x77, 0x6F, 0x0E, 0xB3, 0x65, 0x39,
];

/// Two messages with every field of the mask, all five bases their own.
pub(super) fn every_field(v: &Values) -> Chunk {
    let min = v.u64("min_stamp_ns", 10_000, 1..=1 << 40);
    let record = v.u64("record_ts_base_ns", 20_000, 1..=1 << 40);
    let wall = v.u64("wall_base_ns", 30_000, 1..=1 << 40);
    let source = v.u64("source_base_ns", 40_000, 1..=1 << 40);
    let sequence = v.u32("seq_first", 50, 1..=1 << 30);
    // Skews of +2 are coded 2 * 2 + 1 = 5, of 0 as 1.
    Chunk::new(1, min)
        .mask(0x000F)
        .bases(record, wall, source)
        .seq_first(sequence)
        .message(Coded::new(
            0,
            &[0, 1, 1, 1],
            b"one",
            Decoded::at(min)
                .record_ts(record)
                .wall(wall)
                .source(source)
                .sequence(sequence),
        ))
        .message(Coded::new(
            10,
            &[3, 5, 5, 5],
            b"two",
            Decoded::at(min + 10)
                .record_ts(record + 3)
                .wall(wall + 10 + 2)
                .source(source + 2)
                .sequence(sequence + 1 + 2),
        ))
}

fn zstd(v: &Values, chunk: Chunk) -> Plan {
    plan_with(v, crate::plan::ZSTD)
        .stream(stream(1))
        .chunk(chunk.zstd())
}

/// The common CRC-32 of Ethernet and zip, which is not the format's.
fn crc32_ieee(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    })
}

const BOTH: &[&[u8]] = &[b"one", b"two"];

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = header(page);
    cases.extend(lengths(page));
    cases.extend(checksums(page));
    cases.extend(compressed(page));
    cases.extend(flags(page));
    cases
}

fn header(page: &Page) -> Vec<Draft> {
    let v = page.values("header-to-seq-first");
    let fields = Draft::new(
        "header-to-seq-first",
        &["CA3-6.1-01"],
        "stream, codec, mask, flags, count, min, max, three bases, seq_first",
    )
    .valid(one_device_stream(&v).chunk(every_field(&v)))
    .invalid(
        one_device_stream(&v)
            .chunk(every_field(&v))
            .drop_field("Chunk 1", "flags"),
        surface(&[BadLength, BadCrc, Other, LimitExceeded]).forbid(BOTH),
    );
    let v = page.values("header-to-blob");
    let stored = small(&v);
    let length = u32::try_from(Chunk::two(1).blob().len())
        .unwrap_or(u32::MAX)
        .to_le_bytes();
    let blob = Draft::new(
        "header-to-blob",
        &["CA3-6.1-02"],
        "uncompressed_bytes, records_crc32c, records_length, blob at record offset + 86",
    )
    .valid(stored.clone())
    .invalid(
        stored
            .replace_field("Chunk 1", "records_length", &length)
            .what("Chunk 1: records_length is stored in four bytes"),
        surface(&[BadLength, BadCrc, LimitExceeded]).forbid(BOTH),
    );
    vec![fields, blob]
}

fn lengths(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("byte-behind-the-blob");
    cases.push(
        Draft::new(
            "byte-behind-the-blob",
            &["CA3-6.1-03"],
            "nothing may trail the blob: a chunk cannot grow",
        )
        .valid(small(&v))
        .invalid(
            small(&v).edit_chunk(
                "Chunk 1",
                "content_tail",
                "a byte follows the blob",
                |chunk| {
                    chunk.content_tail = vec![0];
                },
            ),
            surface(&[BadLength]),
        ),
    );
    for (name, count, title) in [
        ("count-too-small", 1, "message_count 1 over two messages"),
        ("count-too-large", 3, "message_count 3 over two messages"),
        (
            "count-huge",
            u32::MAX,
            "message_count 2^32 - 1 over two messages",
        ),
    ] {
        let v = page.values(name);
        cases.push(
            Draft::new(name, &["CA3-6.1-04"], title)
                .valid(small(&v))
                .invalid(
                    small(&v).edit_chunk("Chunk 1", "message_count", title, |chunk| {
                        chunk.message_count = Some(count);
                    }),
                    surface(&[BadLength, LimitExceeded]),
                ),
        );
    }
    let v = page.values("no-messages");
    let empty = one_stream(&v).chunk(Chunk::new(1, 0)).chunk(Chunk::two(1));
    cases.push(
        Draft::new(
            "no-messages",
            &["CA3-6.1-19"],
            "a chunk of no messages is well-formed",
        )
        .valid(empty.clone())
        .invalid(
            empty.edit_chunk(
                "Chunk 1",
                "blob_tail",
                "message_count is 0 and the blob holds a message",
                |chunk| chunk.blob_tail = vec![4, 0, b'x', b'y', b'z'],
            ),
            surface(&[BadLength]).forbid(&[b"xyz"]),
        ),
    );
    let v = page.values("uncompressed-bytes-unchecked");
    let mut unchecked = Chunk::two(1);
    unchecked.uncompressed_bytes = Some(0);
    cases.push(
        Draft::new(
            "uncompressed-bytes-unchecked",
            &["CA3-6.1-07"],
            "uncompressed_bytes says 0 in an uncompressed chunk, and the messages are read",
        )
        .valid(one_stream(&v).chunk(unchecked))
        .may_report(&[BadLength])
        .wrong_answer("a refusal, or no message"),
    );
    cases
}

/// That a mismatch is surfaced is the document's own; what comes back of such
/// a chunk is reading G103, and has a case of its own.
fn checksums(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("nothing-of-a-damaged-chunk");
    cases.push(
        Draft::new(
            "nothing-of-a-damaged-chunk",
            &["CA3-6.1-05"],
            "of a chunk whose checksum does not hold, no message comes back",
        )
        .readings(&["G103"])
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Chunk 1", "message[1].payload", 0, b"T"),
            surface(&[BadCrc]).forbid(&[b"one", b"Two"]),
        ),
    );
    let v = page.values("payload-bit-flipped");
    cases.push(
        Draft::new(
            "payload-bit-flipped",
            &["CA3-6.1-05"],
            "one bit of a payload is flipped",
        )
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Chunk 1", "message[0].payload", 0, b"O"),
            surface(&[BadCrc]),
        ),
    );
    let v = page.values("stamp-bit-flipped");
    cases.push(
        Draft::new(
            "stamp-bit-flipped",
            &["CA3-6.1-05"],
            "one bit of a stamp_delta is flipped",
        )
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Chunk 1", "message[1].stamp_delta", 0, &[11]),
            surface(&[BadCrc]),
        ),
    );
    let v = page.values("crc-32-of-another-kind");
    let plain = crc32_ieee(&Chunk::two(1).blob());
    cases.push(
        Draft::new(
            "crc-32-of-another-kind",
            &["CA3-6.1-05"],
            "the common CRC-32 in the place of CRC-32C",
        )
        .valid(small(&v))
        .invalid(
            small(&v).edit_chunk(
                "Chunk 1",
                "records_crc32c",
                "records_crc32c holds the common CRC-32",
                |chunk| chunk.records_crc32c = Some(plain),
            ),
            surface(&[BadCrc]),
        ),
    );
    let v = page.values("crc-of-the-uncompressed");
    let of_messages = crc32c(&Chunk::two(1).blob());
    cases.push(
        Draft::new(
            "crc-of-the-uncompressed",
            &["CA3-6.1-05"],
            "the checksum covers the blob as stored, compressed where it is compressed",
        )
        .valid(zstd(&v, Chunk::two(1)))
        .invalid(
            zstd(&v, Chunk::two(1)).edit_chunk(
                "Chunk 1",
                "records_crc32c",
                "records_crc32c covers the decompressed bytes",
                |chunk| chunk.records_crc32c = Some(of_messages),
            ),
            surface(&[BadCrc]),
        ),
    );
    cases
}

fn compressed(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("zstd");
    let cut = {
        let mut frame = zstd_frame::raw(&Chunk::two(1).blob());
        frame.pop();
        frame
    };
    cases.push(
        Draft::new(
            "zstd",
            &["CA3-6.1-06"],
            "codec 1 is zstd, and a frame cut short is no frame",
        )
        .valid(zstd(&v, Chunk::two(1)))
        .invalid(
            zstd(&v, Chunk::two(1)).edit_chunk(
                "Chunk 1",
                "records",
                "the frame lacks its last byte",
                |chunk| chunk.stored = Some(cut),
            ),
            surface(&[DecompressFailed, BadLength]).forbid(BOTH),
        ),
    );
    let v = page.values("zstd-compressed-block");
    let long: Vec<u8> = b"ab".iter().copied().cycle().take(200).collect();
    let mut chunk = Chunk::plain(1, &[(2_000, &long)]);
    chunk.stored = Some(COMPRESSED.to_vec());
    cases.push(
        Draft::new(
            "zstd-compressed-block",
            &["CA3-6.1-06"],
            "a frame with a compressed block, as compressors write it",
        )
        .valid(zstd(&v, chunk.clone()))
        .invalid(
            zstd(&v, chunk).edit_chunk(
                "Chunk 1",
                "records",
                "the blob is not a zstd frame but the messages themselves",
                |chunk| chunk.stored = Some(chunk.blob()),
            ),
            surface(&[DecompressFailed, BadLength]).forbid(&[&long]),
        ),
    );
    let v = page.values("zstd-repeat-block");
    let mut expanded = b"head".to_vec();
    expanded.resize(4_000, b'r');
    let mut repeated = Chunk::plain(1, &[(2_000, &expanded)]);
    let blob = repeated.blob();
    let (head, _) = blob
        .split_at_checked(blob.len().saturating_sub(3_996))
        .unwrap_or((&blob, &[]));
    repeated.stored = Some(zstd_frame::raw_then_repeat(head, b'r', 3_996));
    cases.push(
        Draft::new(
            "zstd-expands",
            &["CA3-6.1-06"],
            "a payload of 4000 bytes out of a blob of thirty",
        )
        .valid(zstd(&v, repeated.clone()))
        .invalid(
            zstd(&v, repeated).edit_chunk(
                "Chunk 1",
                "records",
                "the frame's magic number is not zstd's",
                |chunk| {
                    if let Some(first) = chunk.stored.as_mut().and_then(|bytes| bytes.first_mut()) {
                        *first = 0x29;
                    }
                },
            ),
            surface(&[DecompressFailed, BadLength]).result(not_messages(1)),
        ),
    );
    let v = page.values("zstd-streamed");
    let mut streamed = Chunk::two(1);
    streamed.stored = Some(STREAMED.to_vec());
    cases.push(
        Draft::new(
            "zstd-streamed",
            &["CA3-6.1-06"],
            "a frame without a content size, of two blocks, with a checksum of its own",
        )
        .valid(zstd(&v, streamed.clone()))
        .invalid(
            zstd(&v, streamed).edit_chunk(
                "Chunk 1",
                "records",
                "the frame ends behind its first block",
                |chunk| chunk.stored = Some(STREAMED.iter().copied().take(14).collect()),
            ),
            surface(&[DecompressFailed, BadLength]).forbid(BOTH),
        ),
    );
    let v = page.values("zstd-beside-uncompressed");
    let beside = plan_with(&v, crate::plan::ZSTD)
        .stream(stream(1))
        .chunk(Chunk::two(1).zstd())
        .chunk(super::later_chunk());
    cases.push(
        Draft::new(
            "zstd-beside-uncompressed",
            &["CA3-6.1-06"],
            "one chunk compressed and the next one not",
        )
        .valid(beside.clone())
        .invalid(
            beside.edit_chunk(
                "Chunk 2",
                "codec",
                "codec becomes 1 over messages that are not compressed",
                |chunk| {
                    chunk.stored = Some(chunk.blob());
                    chunk.codec = 1;
                },
            ),
            surface(&[DecompressFailed, BadLength]).forbid(&[b"three", b"four"]),
        ),
    );
    let v = page.values("uncompressed-bytes");
    let size = u64::try_from(Chunk::two(1).blob().len()).unwrap_or_default();
    for (name, stated, title) in [
        (
            "uncompressed-bytes",
            size + 1,
            "uncompressed_bytes is one more than the frame gives",
        ),
        (
            "uncompressed-bytes-huge",
            u64::MAX,
            "uncompressed_bytes says 2^64 - 1",
        ),
    ] {
        cases.push(
            Draft::new(name, &["CA3-6.1-07"], title)
                .valid(zstd(&v, Chunk::two(1)))
                .invalid(
                    zstd(&v, Chunk::two(1)).edit_chunk(
                        "Chunk 1",
                        "uncompressed_bytes",
                        title,
                        |chunk| {
                            chunk.uncompressed_bytes = Some(stated);
                        },
                    ),
                    surface(&[BadLength, DecompressFailed, LimitExceeded]),
                ),
        );
    }
    let v = page.values("two-frames");
    let frames = {
        let blob = Chunk::two(1).blob();
        let (first, second) = blob.split_at_checked(5).unwrap_or((&blob, &[]));
        [zstd_frame::raw(first), zstd_frame::raw(second)].concat()
    };
    cases.push(
        Draft::new(
            "two-frames",
            &["CA3-6.1-22"],
            "a compressed blob is exactly one frame",
        )
        .valid(zstd(&v, Chunk::two(1)))
        .invalid(
            zstd(&v, Chunk::two(1)).edit_chunk(
                "Chunk 1",
                "records",
                "each message stands in a frame of its own",
                |chunk| chunk.stored = Some(frames),
            ),
            surface(&[BadLength, DecompressFailed]),
        ),
    );
    for (codec, name) in [(2u8, "codec-2"), (255, "codec-255"), (3, "codec-3")] {
        let v = page.values(name);
        cases.push(
            Draft::new(
                name,
                &["CA3-6.1-08"],
                &format!("codec {codec} is not assigned: named, and not decoded as plain"),
            )
            .valid(small(&v))
            .invalid(
                small(&v).edit_chunk(
                    "Chunk 1",
                    "codec",
                    &format!("codec becomes {codec} over plainly decodable messages"),
                    |chunk| chunk.codec = codec,
                ),
                surface(&[UnknownCodec])
                    .naming("value", json!(codec))
                    .forbid(BOTH),
            ),
        );
    }
    cases
}

fn flags(page: &Page) -> Vec<Draft> {
    let with_flags = |v: &Values, flags: u16| {
        let mut chunk = Chunk::two(1);
        chunk.flags = flags;
        one_stream(v).chunk(chunk)
    };
    let mut cases = Vec::new();
    for (name, flags, title) in [
        (
            "sorted-bit-clear",
            0x0000,
            "the sorted bit is clear over sorted messages",
        ),
        (
            "sorted-bit-set",
            0x0001,
            "the sorted bit is set over sorted messages",
        ),
    ] {
        let v = page.values(name);
        cases.push(
            Draft::new(name, &["CA3-6.1-09"], title)
                .valid(with_flags(&v, flags))
                .wrong_answer("messages are reordered or dropped by the bit"),
        );
    }
    let v = page.values("unsorted");
    let unsorted = Chunk::plain(1, &[(2_010, b"one"), (2_000, b"two"), (2_005, b"three")]);
    cases.push(
        Draft::new(
            "stored-order",
            &["CA3-6.1-09"],
            "messages out of stamp order come back in stored order",
        )
        .valid(one_stream(&v).chunk(unsorted))
        .wrong_answer("messages are sorted by stamp"),
    );
    let v = page.values("undefined-flag");
    cases.push(
        Draft::new(
            "undefined-flag",
            &["CA3-6.1-18"],
            "flags 8001: the undefined bit changes nothing",
        )
        .valid(with_flags(&v, 0x8001))
        .wrong_answer("a refusal, or other messages"),
    );
    cases
}
