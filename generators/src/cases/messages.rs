//! Item 7: message records (§6.2) and the varints in them (§1.4).

use ca3_spec::kind::Kind::{BadLength, LimitExceeded, Other, VarintTooLong};

use super::guards::not_messages;
use super::{Page, one_device_stream, one_stream, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Coded, Decoded};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = varints(page);
    cases.extend(extents(page));
    cases.extend(stamps(page));
    cases
}

fn varints(page: &Page) -> Vec<Draft> {
    let v = page.values("seven-bits-a-byte");
    let three_hundred = Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"first", Decoded::at(2_000)))
        .message(Coded::new(300, &[], b"", Decoded::at(2_300)));
    let valid = one_stream(&v).chunk(three_hundred);
    let seven = Draft::new(
        "seven-bits-a-byte",
        &["CA3-1.4-01"],
        "300 is AC 02, and AC 82 has no end",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 1",
            "message[1].stamp_delta",
            "stamp_delta is AC 82",
            |chunk| {
                if let Some(message) = chunk.at(1) {
                    message.stamp_delta = vec![0xAC, 0x82];
                }
            },
        ),
        surface(&[BadLength, VarintTooLong, Other]).result(not_messages(2)),
    );

    let v = page.values("every-length");
    let valid = one_stream(&v).chunk(super::varint::boundaries());
    let every = Draft::new(
        "every-length",
        &["CA3-1.4-01", "CA3-1.4-03"],
        "the least and the greatest value of each varint length, 1 to 10 bytes",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 1",
            "message[19].stamp_delta",
            "the tenth byte of the greatest value becomes 7F",
            |chunk| {
                if let Some(byte) = chunk
                    .at(19)
                    .and_then(|message| message.stamp_delta.last_mut())
                {
                    *byte = 0x7F;
                }
            },
        ),
        surface(&[VarintTooLong]).forbid(&[b"10-greatest"]),
    );

    let v = page.values("zigzag");
    // Source base 500: v 2 is zigzag(1) = -1, v 3 is zigzag(2) = +1.
    // Wall base 2^62, delta 0: v 2^63 - 2 is zigzag(2^63 - 3) = -(2^62 - 1), and
    // v 2^63 - 1 is zigzag(2^63 - 2) = +(2^62 - 1): a double holds neither.
    let base = 1u64 << 62;
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0006)
        .bases(0, base, 500)
        .message(Coded::new(
            0,
            &[1, 1],
            b"zero",
            Decoded::at(2_000).wall(base).source(500),
        ))
        .message(Coded::new(
            0,
            &[(1 << 63) - 2, 2],
            b"less",
            Decoded::at(2_000).wall(1).source(499),
        ))
        .message(Coded::new(
            0,
            &[(1 << 63) - 1, 3],
            b"more",
            Decoded::at(2_000).wall((1 << 63) - 1).source(501),
        ))
        .message(Coded::new(
            0,
            &[4, 5],
            b"next",
            Decoded::at(2_000).wall(base - 2).source(502),
        ));
    let zigzag = Draft::new(
        "zigzag",
        &["CA3-1.4-06"],
        "signs interleave: skews of -2, -1, +1, +2, and nearly 2^62 either way",
    )
    .valid(one_device_stream(&v).chunk(chunk))
    .wrong_answer("sign-magnitude or 53-bit decoding gives other times");

    let v = page.values("unended");
    let chunk = Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"first", Decoded::at(2_000)))
        .message(Coded::new(0, &[], b"", Decoded::at(2_000)));
    let valid = one_stream(&v).chunk(chunk);
    let unended = Draft::new(
        "unended-varint",
        &["CA3-1.4-08"],
        "a message of one byte, 80: its varint goes on where the message ends",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 1",
            "message[1].stamp_delta",
            "stamp_delta is 80",
            |chunk| {
                if let Some(message) = chunk.at(1) {
                    message.stamp_delta = vec![0x80];
                }
            },
        ),
        surface(&[BadLength, VarintTooLong, Other]).result(not_messages(2)),
    );

    let v = page.values("unended-inside");
    let chunk = Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"", Decoded::at(2_000)))
        .message(Coded::new(5, &[], b"second", Decoded::at(2_005)));
    let valid = one_stream(&v).chunk(chunk);
    let inside = Draft::new(
        "varint-runs-into-the-next-message",
        &["CA3-1.4-08"],
        "a varint that would end only in the message behind it",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 1",
            "message[0].stamp_delta",
            "stamp_delta is 80",
            |chunk| {
                if let Some(message) = chunk.at(0) {
                    message.stamp_delta = vec![0x80];
                }
            },
        ),
        surface(&[BadLength, VarintTooLong, Other]).result(not_messages(2)),
    );
    vec![seven, every, zigzag, whole_range(page), unended, inside]
}

fn extents(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("len-counts-itself");
    // delta 1 byte and five of payload: len 6.
    let chunk = Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"first", Decoded::at(2_000)))
        .message(Coded::new(5, &[], b"later", Decoded::at(2_005)));
    let valid = one_stream(&v).chunk(chunk);
    cases.push(
        Draft::new(
            "len-counts-itself",
            &["CA3-6.2-01"],
            "len counts what stands behind it",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message[1].len",
                "len 7 counts its own byte",
                |chunk| {
                    if let Some(message) = chunk.at(1) {
                        message.len = Some(vec![7]);
                    }
                },
            ),
            surface(&[BadLength]).forbid(&[b"later"]),
        ),
    );
    let v = page.values("len-zero");
    cases.push(
        Draft::new(
            "len-zero",
            &["CA3-6.2-02"],
            "a message of len 0 has no room for its delta",
        )
        .valid(small(&v))
        .invalid(
            small(&v).edit_chunk(
                "Chunk 1",
                "message[1].len",
                "len is 0 and nothing follows",
                |chunk| {
                    if let Some(message) = chunk.at(1) {
                        message.stamp_delta.clear();
                        message.payload.clear();
                    }
                },
            ),
            surface(&[BadLength]).result(not_messages(2)),
        ),
    );
    let v = page.values("field-order");
    let chunk = super::chunk::every_field(&v);
    let valid = one_device_stream(&v).chunk(chunk);
    cases.push(
        Draft::new(
            "field-order",
            &["CA3-6.2-03"],
            "fields in rising bit order, then the payload; none may be missing",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message[1].source_timestamp_ns",
                "the second message ends behind the field of bit 2",
                |chunk| {
                    if let Some(message) = chunk.at(1) {
                        message.fields.truncate(3);
                        message.payload.clear();
                    }
                },
            ),
            surface(&[BadLength, VarintTooLong, Other]).result(not_messages(2)),
        ),
    );
    let v = page.values("empty-payload");
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0001)
        .bases(100, 0, 0)
        .message(Coded::new(0, &[0], b"", Decoded::at(2_000).record_ts(100)))
        .message(Coded::new(5, &[3], b"", Decoded::at(2_005).record_ts(103)));
    let valid = one_stream(&v).chunk(chunk);
    cases.push(
        Draft::new(
            "empty-payload",
            &["CA3-6.2-04"],
            "the payload is what is left of len, perhaps nothing",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message[1].len",
                "len is 1, and a field stands behind",
                |chunk| {
                    if let Some(message) = chunk.at(1) {
                        message.len = Some(vec![1]);
                    }
                },
            ),
            surface(&[BadLength, VarintTooLong, Other]).result(not_messages(2)),
        ),
    );
    let v = page.values("back-to-back");
    let chunk = Chunk::new(1, 2_000)
        .message(Coded::new(
            0,
            &[],
            &v.bytes("first", b"aaa"),
            Decoded::at(2_000),
        ))
        .message(Coded::new(
            5,
            &[],
            &v.bytes("second", b"bbb"),
            Decoded::at(2_005),
        ));
    cases.push(
        Draft::new(
            "back-to-back",
            &["CA3-6.2-05"],
            "messages follow one another with neither opcode nor frame",
        )
        .valid(one_stream(&v).chunk(chunk))
        .wrong_answer("a frame is expected before the second message"),
    );
    for (name, len, title) in [
        (
            "len-one-too-large",
            vec![5],
            "the last len reaches one byte past the blob",
        ),
        (
            "len-huge",
            vec![0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
            "the last len says 2^32 - 1",
        ),
        (
            "len-all-ones",
            vec![0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            "the last len says 2^64 - 1",
        ),
    ] {
        let v = page.values(name);
        cases.push(
            Draft::new(name, &["CA3-6.2-06"], title)
                .valid(small(&v))
                .invalid(
                    small(&v).edit_chunk("Chunk 1", "message[1].len", title, |chunk| {
                        if let Some(message) = chunk.at(1) {
                            message.len = Some(len);
                        }
                    }),
                    surface(&[BadLength, LimitExceeded]).forbid(&[b"two"]),
                ),
        );
    }
    let v = page.values("len-of-three-bytes");
    let long = vec![b'p'; 20_000];
    let chunk = Chunk::plain(1, &[(2_000, &long), (2_001, b"behind")]);
    let valid = one_stream(&v).chunk(chunk);
    cases.push(
        Draft::new(
            "len-of-three-bytes",
            &["CA3-6.2-04", "CA3-6.2-06"],
            "a payload of 20,000 bytes, and a message behind it",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message[0].len",
                "len says 65,536 more",
                |chunk| {
                    if let Some(message) = chunk.at(0) {
                        message.len = Some(crate::plan::varint(20_001 + 65_536));
                    }
                },
            ),
            surface(&[BadLength, LimitExceeded]).forbid(&[b"behind"]),
        ),
    );
    let v = page.values("three-hundred-messages");
    let many = (0..300u64).fold(Chunk::new(1, 2_000), |chunk, at| {
        chunk.message(Coded::new(
            at,
            &[],
            &at.to_le_bytes()[..2],
            Decoded::at(2_000 + at),
        ))
    });
    let valid = one_stream(&v).chunk(many);
    cases.push(
        Draft::new(
            "three-hundred-messages",
            &["CA3-6.2-05", "CA3-6.1-04"],
            "a chunk of 300 messages: the count takes more than a byte",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message_count",
                "message_count says 44",
                |chunk| {
                    chunk.message_count = Some(44);
                },
            ),
            surface(&[BadLength]),
        ),
    );
    let v = page.values("every-payload-byte");
    let payload: Vec<u8> = (0..=255).collect();
    cases.push(
        Draft::new(
            "every-payload-byte",
            &["CA3-6.2-04"],
            "a payload of all 256 bytes comes back untouched, behind a len of two bytes",
        )
        .valid(one_stream(&v).chunk(Chunk::plain(1, &[(2_000, &payload)])))
        .wrong_answer("the payload comes back altered or cut"),
    );
    cases
}

fn stamps(page: &Page) -> Vec<Draft> {
    let v = page.values("stamp-overflow");
    // 2^64 - 10 + 9 is the last stamp there is.
    let min = u64::MAX - 9;
    let chunk = Chunk::new(1, min)
        .message(Coded::new(0, &[], b"first", Decoded::at(min)))
        .message(Coded::new(9, &[], b"second", Decoded::at(u64::MAX)));
    let valid = one_stream(&v).chunk(chunk);
    let overflow = Draft::new(
        "stamp-overflow",
        &["CA3-6.2-07"],
        "a stamp past 2^64 - 1 is reported and never wrapped",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 1",
            "message[1].stamp_delta",
            "stamp_delta becomes 10",
            |chunk| {
                if let Some(message) = chunk.at(1) {
                    message.stamp_delta = vec![10];
                }
            },
        ),
        surface(&[Other, LimitExceeded]).forbid(&[b"second"]),
    );
    vec![overflow]
}

/// Codes and bases at the ends of 64 bits, where signed arithmetic goes wrong.
fn whole_range(page: &Page) -> Draft {
    let v = page.values("whole-range");
    // zigzag(2^64 - 3) is -(2^63 - 1) and zigzag(2^64 - 2) is 2^63 - 1.
    let (least, most) = (u64::MAX - 1, u64::MAX);
    let high = 1u64 << 63;
    let top = Chunk::new(1, 2_000)
        .mask(0x0007)
        .bases(u64::MAX - 9, high, u64::MAX - 1)
        .message(Coded::new(
            0,
            &[9, least, 3],
            b"top",
            // 2^63 - (2^63 - 1) = 1
            Decoded::at(2_000)
                .record_ts(u64::MAX)
                .wall(1)
                .source(u64::MAX),
        ))
        .message(Coded::new(
            0,
            &[0, 1, 1],
            b"bases",
            Decoded::at(2_000)
                .record_ts(u64::MAX - 9)
                .wall(high)
                .source(u64::MAX - 1),
        ));
    // Sequence: 5 + 1 + (2^63 - 1) = 2^63 + 5; 2^32 is 1 modulo 2^32 - 1, so
    // 2^63 is 2^31, and wrap gives 2^31 + 5.
    let bottom = Chunk::new(1, 3_000)
        .mask(0x000A)
        .bases(0, 1, 0)
        .seq_first(5)
        .message(Coded::new(
            0,
            &[1, 1],
            b"first",
            Decoded::at(3_000).wall(1).sequence(5),
        ))
        .message(Coded::new(
            0,
            &[most, most],
            b"far",
            // 1 + 2^63 - 1 = 2^63
            Decoded::at(3_000).wall(high).sequence((1 << 31) + 5),
        ));
    Draft::new(
        "whole-range",
        &["CA3-1.4-06"],
        "the least and the greatest code, on bases at both ends of 64 bits",
    )
    .valid(one_device_stream(&v).chunk(top).chunk(bottom))
    .wrong_answer("signed 64-bit arithmetic overflows or shifts a sign in")
}
