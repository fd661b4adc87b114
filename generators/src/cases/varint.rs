//! Item 4: the form of varints (§1.4).

use ca3_spec::kind::Kind::{VarintNotCanonical, VarintTooLong};

use super::{Page, one_stream};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Coded, Decoded, varint};

/// The mask bits whose varint is spoilt, with the names of their fields: the
/// defined ones, and the ends of those that are skipped.
const MASKED: [(u16, &str); 6] = [
    (0, "record_ts_ns"),
    (1, "wall_clock_ns"),
    (2, "source_timestamp_ns"),
    (3, "sequence"),
    (8, "bit_8"),
    (15, "bit_15"),
];

/// A varint of `length` bytes that says `value` (below 128) and ends in zero bits.
fn padded(value: u8, length: usize) -> Vec<u8> {
    let mut out = vec![0x80; length];
    if let Some(first) = out.first_mut() {
        *first = value | 0x80;
    }
    if let Some(last) = out.last_mut() {
        *last = 0;
    }
    out
}

/// Two plain messages: delta 0 with payload `first`, delta 5 with `second`.
fn two() -> Chunk {
    Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"first", Decoded::at(2_000)))
        .message(Coded::new(5, &[], b"second", Decoded::at(2_005)))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();

    let v = page.values("ten-bytes");
    let wide = Chunk::new(1, 0)
        .message(Coded::new(0, &[], b"first", Decoded::at(0)))
        .message(Coded::new(1 << 63, &[], b"second", Decoded::at(1 << 63)));
    let valid = one_stream(&v).chunk(wide);
    cases.push(
        Draft::new(
            "eleven-bytes",
            &["CA3-1.4-02"],
            "ten bytes are accepted and eleven are not",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message[1].stamp_delta",
                "stamp_delta goes on after ten bytes",
                |chunk| {
                    if let Some(message) = chunk.at(1) {
                        message.stamp_delta = [vec![0x80; 10], vec![0x01]].concat();
                    }
                },
            ),
            surface(&[VarintTooLong]).forbid(&[b"second"]),
        ),
    );
    for (name, last, title) in [
        (
            "overflow-by-one-bit",
            0x02,
            "a ten-byte varint with bit 64 set",
        ),
        (
            "overflow-beside-the-value",
            0x03,
            "a ten-byte varint that passes 64 bits by its tenth byte",
        ),
        (
            "overflow-top-bit",
            0x41,
            "a ten-byte varint with the highest payload bit set",
        ),
    ] {
        let v = page.values(name);
        let chunk = Chunk::new(1, 0)
            .message(Coded::new(0, &[], b"first", Decoded::at(0)))
            .message(Coded::new(u64::MAX, &[], b"second", Decoded::at(u64::MAX)));
        let valid = one_stream(&v).chunk(chunk);
        cases.push(
            Draft::new(name, &["CA3-1.4-03"], title)
                .valid(valid.clone())
                .invalid(
                    valid.edit_chunk(
                        "Chunk 1",
                        "message[1].stamp_delta",
                        &format!("the tenth byte of stamp_delta becomes {last:02X}"),
                        |chunk| {
                            if let Some(byte) = chunk
                                .at(1)
                                .and_then(|message| message.stamp_delta.last_mut())
                            {
                                *byte = last;
                            }
                        },
                    ),
                    surface(&[VarintTooLong]).forbid(&[b"second"]),
                ),
        );
    }

    for length in 2..=10usize {
        let name = format!("padded-to-{length:02}-bytes");
        let v = page.values(&name);
        let delta = v.u8("stamp_delta", 5, 1..=127);
        let chunk = Chunk::new(1, 2_000)
            .message(Coded::new(0, &[], b"first", Decoded::at(2_000)))
            .message(Coded::new(
                u64::from(delta),
                &[],
                b"second",
                Decoded::at(2_000 + u64::from(delta)),
            ));
        let valid = one_stream(&v).chunk(chunk);
        cases.push(
            Draft::new(
                &name,
                &["CA3-1.4-04"],
                &format!("a one-byte value padded to {length} bytes"),
            )
            .valid(valid.clone())
            .invalid(
                valid.edit_chunk(
                    "Chunk 1",
                    "message[1].stamp_delta",
                    &format!("stamp_delta takes {length} bytes, the last one zero"),
                    |chunk| {
                        if let Some(message) = chunk.at(1) {
                            message.stamp_delta = padded(delta, length);
                        }
                    },
                ),
                surface(&[VarintNotCanonical]).forbid(&[b"second"]),
            ),
        );
    }
    let v = page.values("zero-in-two-bytes");
    let valid = one_stream(&v).chunk(two());
    cases.push(
        Draft::new("zero-in-two-bytes", &["CA3-1.4-04"], "zero stored as 80 00")
            .valid(valid.clone())
            .invalid(
                valid.edit_chunk(
                    "Chunk 1",
                    "message[0].stamp_delta",
                    "delta 0 is 80 00",
                    |chunk| {
                        if let Some(message) = chunk.at(0) {
                            message.stamp_delta = vec![0x80, 0x00];
                        }
                    },
                ),
                surface(&[VarintNotCanonical]).forbid(&[b"first"]),
            ),
    );
    let v = page.values("long-value-padded");
    let chunk = Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"first", Decoded::at(2_000)))
        .message(Coded::new(300, &[], b"second", Decoded::at(2_300)));
    let valid = one_stream(&v).chunk(chunk);
    cases.push(
        Draft::new(
            "two-byte-value-in-three",
            &["CA3-1.4-04"],
            "300 stored as AC 82 00",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "message[1].stamp_delta",
                "300 is AC 82 00",
                |chunk| {
                    if let Some(message) = chunk.at(1) {
                        message.stamp_delta = vec![0xAC, 0x82, 0x00];
                    }
                },
            ),
            surface(&[VarintNotCanonical]).forbid(&[b"second"]),
        ),
    );

    let v = page.values("padded-len");
    let valid = one_stream(&v).chunk(two());
    cases.push(
        Draft::new(
            "padded-len",
            &["CA3-1.4-05"],
            "len in two bytes where one would do",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk("Chunk 1", "message[1].len", "len 7 is 87 00", |chunk| {
                if let Some(message) = chunk.at(1) {
                    message.len = Some(padded(7, 2));
                }
            }),
            surface(&[VarintNotCanonical]).forbid(&[b"second"]),
        ),
    );
    for (bit, field) in MASKED {
        let name = format!("padded-mask-bit-{bit:02}");
        let v = page.values(&name);
        let valid = one_stream(&v).chunk(masked(bit));
        cases.push(
            Draft::new(
                &name,
                &["CA3-1.4-05"],
                &format!("the varint of mask bit {bit} in two bytes where one would do"),
            )
            .valid(valid.clone())
            .invalid(
                valid.edit_chunk(
                    "Chunk 1",
                    &format!("message[1].{field}"),
                    &format!("the value 1 of bit {bit} is 81 00"),
                    |chunk| {
                        if let Some(value) =
                            chunk.at(1).and_then(|message| message.fields.first_mut())
                        {
                            *value = padded(1, 2);
                        }
                    },
                ),
                surface(&[VarintNotCanonical]).forbid(&[b"second"]),
            ),
        );
    }
    cases.extend(too_long_elsewhere(page));
    cases
}

/// Eleven bytes, and 64 bits overflowed, in every other varint of a message.
fn too_long_elsewhere(page: &Page) -> Vec<Draft> {
    let eleven = [vec![0x80; 10], vec![0x01]].concat();
    let overflow = [vec![0xFF; 9], vec![0x02]].concat();
    let mut cases = Vec::new();
    for (form, bytes, rule) in [
        ("eleven-bytes", eleven, "CA3-1.4-02"),
        ("overflow", overflow, "CA3-1.4-03"),
    ] {
        let name = format!("{form}-in-len");
        let v = page.values(&name);
        let valid = one_stream(&v).chunk(two());
        let long = bytes.clone();
        cases.push(
            Draft::new(&name, &[rule], &format!("{form} in a len"))
                .valid(valid.clone())
                .invalid(
                    valid.edit_chunk(
                        "Chunk 1",
                        "message[1].len",
                        "len does not fit 64 bits",
                        |chunk| {
                            if let Some(message) = chunk.at(1) {
                                message.len = Some(long);
                            }
                        },
                    ),
                    surface(&[VarintTooLong]).forbid(&[b"second"]),
                ),
        );
        for (bit, field) in MASKED {
            let name = format!("{form}-in-mask-bit-{bit:02}");
            let v = page.values(&name);
            let valid = one_stream(&v).chunk(masked(bit));
            let long = bytes.clone();
            cases.push(
                Draft::new(
                    &name,
                    &[rule],
                    &format!("{form} in the varint of mask bit {bit}"),
                )
                .valid(valid.clone())
                .invalid(
                    valid.edit_chunk(
                        "Chunk 1",
                        &format!("message[1].{field}"),
                        &format!("the varint of bit {bit} does not fit 64 bits"),
                        |chunk| {
                            if let Some(value) =
                                chunk.at(1).and_then(|message| message.fields.first_mut())
                            {
                                *value = long;
                            }
                        },
                    ),
                    surface(&[VarintTooLong]).forbid(&[b"second"]),
                ),
            );
        }
    }
    cases
}

/// Two messages with one masked field, whose code is 1 in the second; the
/// first one's is such that §6.1's bases and §6.4's bit 3 are as they must be.
fn masked(bit: u16) -> Chunk {
    let (first, second) = (Decoded::at(2_000), Decoded::at(2_005));
    let (first, second) = match bit {
        // Bit 0 is a plain delta, so the base is the first one's.
        0 => (first.record_ts(100), second.record_ts(101)),
        1 => (first.wall(1_000), second.wall(1_005)),
        2 => (first.source(500), second.source(500)),
        // The third message deviates, which is what sets the bit.
        3 => (first.sequence(7), second.sequence(8)),
        _ => (first, second),
    };
    let base = |of: u16, value: u64| if bit == of { value } else { 0 };
    let mut chunk = Chunk::new(1, 2_000)
        .mask(1 << bit)
        .bases(base(0, 100), base(1, 1_000), base(2, 500))
        .message(Coded::new(0, &[u64::from(bit != 0)], b"first", first))
        .message(Coded::new(5, &[1], b"second", second));
    if bit == 3 {
        let third = Coded::new(6, &[3], b"third", Decoded::at(2_006).sequence(10));
        chunk = chunk.seq_first(7).message(third);
    }
    chunk
}

/// Every length of a varint, at its least and its greatest value.
pub(super) fn boundaries() -> Chunk {
    let mut chunk = Chunk::new(1, 0);
    for length in 1..=10u32 {
        let least = if length == 1 {
            0
        } else {
            1u64 << (7 * (length - 1))
        };
        let greatest = if length == 10 {
            u64::MAX
        } else {
            (1u64 << (7 * length)) - 1
        };
        for (value, end) in [(least, "least"), (greatest, "greatest")] {
            debug_assert_eq!(u32::try_from(varint(value).len()), Ok(length));
            let payload = format!("{length}-{end}");
            chunk = chunk.message(Coded::new(
                value,
                &[],
                payload.as_bytes(),
                Decoded::at(value),
            ));
        }
    }
    chunk
}
