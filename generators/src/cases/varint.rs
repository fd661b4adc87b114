//! Item 4: the form of varints (§1.4).

use ca3_spec::kind::Kind::{self, VarintNotCanonical, VarintTooLong};

use super::{Page, one_device_stream, one_stream, spoilt};
use crate::Values;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Coded, Decoded, Plan, varint};

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

/// The message whose varint is spoilt, the field, and what becomes of it.
type Place<'a> = (usize, &'a str, &'a str);

/// A chunk of which one varint is spoilt: `spoil` writes it.
fn of_varint(
    case: [&str; 3],
    valid: Plan,
    (index, field, what): Place<'_>,
    kind: Kind,
    spoil: impl FnOnce(&mut Coded),
) -> Draft {
    let payload: &[u8] = if index == 0 { b"first" } else { b"second" };
    let field = format!("message[{index}].{field}");
    spoilt(
        case,
        valid,
        |plan| {
            plan.edit_chunk("Chunk 1", &field, what, |chunk| {
                if let Some(message) = chunk.at(index) {
                    spoil(message);
                }
            })
        },
        surface(&[kind]).forbid(&[payload]),
    )
}

/// A message whose one masked field is these bytes.
fn first_field(message: &mut Coded, bytes: Vec<u8>) {
    if let Some(value) = message.fields.first_mut() {
        *value = bytes;
    }
}

/// Plain messages with these deltas.
fn of_deltas(v: &Values, base: u64, second: u64) -> Plan {
    let chunk = Chunk::new(1, base)
        .message(Coded::new(0, &[], b"first", Decoded::at(base)))
        .message(Coded::new(
            second,
            &[],
            b"second",
            Decoded::at(base + second),
        ));
    one_stream(v).chunk(chunk)
}

/// Messages with one masked field.
fn of_mask(v: &Values, bit: u16) -> Plan {
    let file = if bit == 2 {
        one_device_stream(v)
    } else {
        one_stream(v)
    };
    file.chunk(masked(bit))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = too_long(page);
    cases.extend(padding(page));
    cases.extend(padded_elsewhere(page));
    cases.extend(too_long_elsewhere(page));
    cases
}

/// A stamp_delta that no 64 bits hold.
fn too_long(page: &Page) -> Vec<Draft> {
    let mut cases = vec![of_varint(
        [
            "eleven-bytes",
            "CA3-1.4-02",
            "ten bytes are accepted and eleven are not",
        ],
        of_deltas(&page.values("ten-bytes"), 0, 1 << 63),
        (1, "stamp_delta", "stamp_delta goes on after ten bytes"),
        VarintTooLong,
        |message| message.stamp_delta = [vec![0x80; 10], vec![0x01]].concat(),
    )];
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
        let what = format!("the tenth byte of stamp_delta becomes {last:02X}");
        cases.push(of_varint(
            [name, "CA3-1.4-03", title],
            of_deltas(&page.values(name), 0, u64::MAX),
            (1, "stamp_delta", &what),
            VarintTooLong,
            |message| {
                if let Some(byte) = message.stamp_delta.last_mut() {
                    *byte = last;
                }
            },
        ));
    }
    cases
}

/// A stamp_delta that is longer than its value needs.
fn padding(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-1.4-04";
    let mut cases = Vec::new();
    for length in 2..=10usize {
        let name = format!("padded-to-{length:02}-bytes");
        let v = page.values(&name);
        let delta = v.u8("stamp_delta", 5, 1..=127);
        let title = format!("a one-byte value padded to {length} bytes");
        let what = format!("stamp_delta takes {length} bytes, the last one zero");
        cases.push(of_varint(
            [&name, RULE, &title],
            of_deltas(&v, 2_000, u64::from(delta)),
            (1, "stamp_delta", &what),
            VarintNotCanonical,
            |message| message.stamp_delta = padded(delta, length),
        ));
    }
    cases.push(of_varint(
        ["zero-in-two-bytes", RULE, "zero stored as 80 00"],
        of_deltas(&page.values("zero-in-two-bytes"), 2_000, 5),
        (0, "stamp_delta", "delta 0 is 80 00"),
        VarintNotCanonical,
        |message| message.stamp_delta = vec![0x80, 0x00],
    ));
    cases.push(of_varint(
        ["two-byte-value-in-three", RULE, "300 stored as AC 82 00"],
        of_deltas(&page.values("long-value-padded"), 2_000, 300),
        (1, "stamp_delta", "300 is AC 82 00"),
        VarintNotCanonical,
        |message| message.stamp_delta = vec![0xAC, 0x82, 0x00],
    ));
    cases
}

/// Two bytes where one would do, in every other varint of a message.
fn padded_elsewhere(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-1.4-05";
    let mut cases = vec![of_varint(
        ["padded-len", RULE, "len in two bytes where one would do"],
        of_deltas(&page.values("padded-len"), 2_000, 5),
        (1, "len", "len 7 is 87 00"),
        VarintNotCanonical,
        |message| message.len = Some(padded(7, 2)),
    )];
    for (bit, field) in MASKED {
        let name = format!("padded-mask-bit-{bit:02}");
        let title = format!("the varint of mask bit {bit} in two bytes where one would do");
        let what = format!("the value 1 of bit {bit} is 81 00");
        cases.push(of_varint(
            [&name, RULE, &title],
            of_mask(&page.values(&name), bit),
            (1, field, &what),
            VarintNotCanonical,
            |message| first_field(message, padded(1, 2)),
        ));
    }
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
        let title = format!("{form} in a len");
        cases.push(of_varint(
            [&name, rule, &title],
            of_deltas(&page.values(&name), 2_000, 5),
            (1, "len", "len does not fit 64 bits"),
            VarintTooLong,
            |message| message.len = Some(bytes.clone()),
        ));
        for (bit, field) in MASKED {
            let name = format!("{form}-in-mask-bit-{bit:02}");
            let title = format!("{form} in the varint of mask bit {bit}");
            let what = format!("the varint of bit {bit} does not fit 64 bits");
            cases.push(of_varint(
                [&name, rule, &title],
                of_mask(&page.values(&name), bit),
                (1, field, &what),
                VarintTooLong,
                |message| first_field(message, bytes.clone()),
            ));
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
