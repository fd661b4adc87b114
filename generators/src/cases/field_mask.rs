//! Item 7: the field mask (§6.3).

use ca3_spec::kind::Kind::{BadLength, LimitExceeded, Other, ReservedMaskBit, VarintTooLong};

use super::guards::not_messages;
use super::{Page, one_device_stream, one_stream};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Coded, Decoded};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = values(page);
    cases.extend(reserved(page));
    cases.extend(skippable(page));
    cases.push(out_of_range(page));
    cases
}

fn values(page: &Page) -> Vec<Draft> {
    let v = page.values("record-ts");
    let base = v.u64("record_ts_base_ns", 100, 1..=1 << 50);
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0001)
        .bases(base, 0, 0)
        .message(Coded::new(
            0,
            &[0],
            b"base",
            Decoded::at(2_000).record_ts(base),
        ))
        .message(Coded::new(
            5,
            &[3],
            b"three",
            Decoded::at(2_005).record_ts(base + 3),
        ))
        .message(Coded::new(
            6,
            &[300],
            b"wide",
            Decoded::at(2_006).record_ts(base + 300),
        ));
    let record = Draft::new(
        "record-ts",
        &["CA3-6.3-01"],
        "bit 0 is a plain delta, and 0 is a value",
    )
    .valid(one_stream(&v).chunk(chunk))
    .wrong_answer("null for 0, or zigzag -2 for 3");

    let v = page.values("wall-clock");
    let base = v.u64("wall_base_ns", 1_000, 100..=1 << 50);
    // v 1 is a skew of 0, v 3 of +1, v 2 of -1; each beside base + stamp_delta.
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0002)
        .bases(0, base, 0)
        .message(Coded::new(0, &[1], b"first", Decoded::at(2_000).wall(base)))
        .message(Coded::new(10, &[0], b"absent", Decoded::at(2_010)))
        .message(Coded::new(
            10,
            &[1],
            b"even",
            Decoded::at(2_010).wall(base + 10),
        ))
        .message(Coded::new(
            20,
            &[3],
            b"ahead",
            Decoded::at(2_020).wall(base + 21),
        ))
        .message(Coded::new(
            30,
            &[2],
            b"behind",
            Decoded::at(2_030).wall(base + 29),
        ));
    let wall = Draft::new(
        "wall-clock",
        &["CA3-6.3-02"],
        "bit 1 is a skew against base + stamp_delta, 0 absent",
    )
    .valid(one_stream(&v).chunk(chunk))
    .wrong_answer("the delta is forgotten, v is not lowered by one, or an absent one is the base");

    let v = page.values("source-time");
    let base = v.u64("source_base_ns", 500, 100..=1 << 50);
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0004)
        .bases(0, 0, base)
        .message(Coded::new(
            0,
            &[1],
            b"first",
            Decoded::at(2_000).source(base),
        ))
        .message(Coded::new(10, &[0], b"absent", Decoded::at(2_010)))
        .message(Coded::new(
            10,
            &[3],
            b"ahead",
            Decoded::at(2_010).source(base + 1),
        ));
    let source = Draft::new(
        "source-time",
        &["CA3-6.3-03"],
        "bit 2 is an offset from the base alone, 0 absent",
    )
    .valid(one_device_stream(&v).chunk(chunk))
    .wrong_answer("stamp_delta is added, or an absent one is the base");

    let v = page.values("sequence-absent");
    let first = v.u32("seq_first", 7, 1..=1 << 30);
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0008)
        .seq_first(first)
        .message(Coded::new(
            0,
            &[1],
            b"first",
            Decoded::at(2_000).sequence(first),
        ))
        .message(Coded::new(1, &[0], b"absent", Decoded::at(2_001)))
        .message(Coded::new(
            2,
            &[1],
            b"third",
            Decoded::at(2_002).sequence(first + 2),
        ));
    let sequence = Draft::new(
        "sequence-absent",
        &["CA3-6.3-04"],
        "bit 3 with 0 is no sequence",
    )
    .valid(one_stream(&v).chunk(chunk))
    .wrong_answer("0 or seq_first in the place of null");

    let v = page.values("bits-clear");
    let chunk = Chunk::new(1, 2_000)
        .message(Coded::new(0, &[], b"one", Decoded::at(2_000)))
        .message(Coded::new(5, &[], b"two", Decoded::at(2_005)));
    let clear = Draft::new(
        "bits-clear",
        &["CA3-6.3-05"],
        "bits 0 to 2 clear: the three fields are absent, not their bases",
    )
    .valid(one_stream(&v).chunk(chunk))
    .wrong_answer("0, the base, comes back as a value");

    let v = page.values("all-defined-bits");
    let all = Draft::new(
        "all-defined-bits",
        &["CA3-6.3-02", "CA3-6.3-03", "CA3-6.3-01", "CA3-6.3-04"],
        "bits 0 to 3 together, each field absent in one message where it can be",
    )
    .valid(one_device_stream(&v).chunk(mixed()))
    .wrong_answer("a field is taken for its neighbour");
    vec![record, wall, source, sequence, clear, all]
}

/// Four messages with bits 0 to 3, wall, source and sequence each absent once.
pub(super) fn mixed() -> Chunk {
    Chunk::new(1, 2_000)
        .mask(0x000F)
        .bases(100, 1_000, 500)
        .seq_first(7)
        .message(Coded::new(
            0,
            &[0, 1, 1, 1],
            b"all.",
            Decoded::at(2_000)
                .record_ts(100)
                .wall(1_000)
                .source(500)
                .sequence(7),
        ))
        .message(Coded::new(
            10,
            &[1, 0, 3, 1],
            b"wall",
            Decoded::at(2_010).record_ts(101).source(501).sequence(8),
        ))
        .message(Coded::new(
            20,
            &[2, 3, 0, 1],
            b"srce",
            Decoded::at(2_020).record_ts(102).wall(1_021).sequence(9),
        ))
        .message(Coded::new(
            30,
            &[3, 5, 5, 0],
            b"seqn",
            Decoded::at(2_030).record_ts(103).wall(1_032).source(502),
        ))
}

/// Two messages with bit 0, their chunk's mask to be spoilt.
fn masked() -> Chunk {
    Chunk::new(1, 2_000)
        .mask(0x0001)
        .bases(100, 0, 0)
        .message(Coded::new(
            0,
            &[0],
            b"one",
            Decoded::at(2_000).record_ts(100),
        ))
        .message(Coded::new(
            5,
            &[3],
            b"two",
            Decoded::at(2_005).record_ts(103),
        ))
}

fn reserved(page: &Page) -> Vec<Draft> {
    [
        (0x0010, "bit-4"),
        (0x0020, "bit-5"),
        (0x0040, "bit-6"),
        (0x0080, "bit-7"),
        (0x00F0, "bits-4-to-7"),
    ]
    .into_iter()
    .map(|(bits, name)| {
        let v = page.values(name);
        let valid = one_stream(&v).chunk(masked());
        let title = format!("field_mask {:04X} sets a must-understand bit", bits | 1);
        Draft::new(name, &["CA3-6.3-06"], &title)
            .valid(valid.clone())
            .invalid(
                valid.edit_chunk("Chunk 1", "field_mask", &title, |chunk| {
                    chunk.field_mask |= bits
                }),
                surface(&[ReservedMaskBit]).forbid(&[b"one", b"two"]),
            )
    })
    .collect()
}

fn skippable(page: &Page) -> Vec<Draft> {
    let mut masks: Vec<(u16, String)> = (8..16u16)
        .map(|bit| (1 << bit | 0x0008, format!("bit-{bit:02}-skipped")))
        .collect();
    masks.push((0x8108, "bits-8-and-15-behind-sequence".to_owned()));
    masks.push((0xFF08, "bits-8-to-15-skipped".to_owned()));
    masks.push((0x0100, "bit-8-alone".to_owned()));
    masks.push((0x810F, "bits-8-and-15-behind-all".to_owned()));
    masks.push((0xFF0F, "every-bit-that-may-be-set".to_owned()));
    masks
        .into_iter()
        .map(|(mask, name)| {
            let v = page.values(&name);
            let file = if mask & 0x0004 == 0 {
                one_stream(&v)
            } else {
                one_device_stream(&v)
            };
            let valid = file.chunk(with_unknown(mask));
            let title = format!("field_mask {mask:04X}: one varint for each unknown bit");
            Draft::new(&name, &["CA3-6.3-07"], &title)
                .valid(valid.clone())
                .invalid(
                    valid.edit_chunk(
                        "Chunk 1",
                        "message[1].len",
                        "the last unknown varint and the payload of the second message are missing",
                        |chunk| {
                            if let Some(message) = chunk.at(1) {
                                message.fields.pop();
                                message.payload.clear();
                            }
                        },
                    ),
                    surface(&[BadLength, VarintTooLong, Other]).result(not_messages(2)),
                )
        })
        .collect()
}

/// Two messages with these mask bits; the unknown ones hold 300 and 9.
fn with_unknown(mask: u16) -> Chunk {
    let unknown = usize::try_from((mask >> 8).count_ones()).unwrap_or_default();
    let known = |codes: [u64; 4]| -> Vec<u64> {
        (0u16..)
            .zip(codes)
            .filter(|(bit, _)| mask >> bit & 1 == 1)
            .map(|(_, code)| code)
            .collect()
    };
    let fields = |codes: [u64; 4], value: u64| {
        let mut fields = known(codes);
        fields.resize(fields.len() + unknown, value);
        fields
    };
    let on = |bit: u16| mask >> bit & 1 == 1;
    let decoded = |stamp: u64, record: u64, wall: u64, source: u64, sequence: u32| Decoded {
        stamp,
        record_ts: on(0).then_some(record),
        wall: on(1).then_some(wall),
        source: on(2).then_some(source),
        sequence: on(3).then_some(sequence),
    };
    let base = |bit: u16, value: u64| if on(bit) { value } else { 0 };
    Chunk::new(1, 2_000)
        .mask(mask)
        .bases(base(0, 100), base(1, 1_000), base(2, 500))
        .seq_first(if on(3) { 7 } else { 0 })
        .message(Coded::new(
            0,
            &fields([0, 1, 1, 1], 300),
            b"x",
            decoded(2_000, 100, 1_000, 500, 7),
        ))
        // Skews of +1: the wall beside a delta of 5, the sequence beside an index of 1.
        .message(Coded::new(
            5,
            &fields([3, 3, 3, 3], 9),
            b"y",
            decoded(2_005, 103, 1_006, 501, 9),
        ))
}

fn out_of_range(page: &Page) -> Draft {
    let v = page.values("below-zero");
    // Base 0, delta 10: v 20 is zigzag(19) = -10, so 0; v 22 would be -1.
    let chunk = Chunk::new(1, 2_000)
        .mask(0x0002)
        .message(Coded::new(0, &[1], b"first", Decoded::at(2_000).wall(0)))
        .message(Coded::new(10, &[20], b"second", Decoded::at(2_010).wall(0)));
    let valid = one_stream(&v).chunk(chunk);
    Draft::new(
        "below-zero",
        &["CA3-6.3-12"],
        "a wall time below zero is reported, never wrapped",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 1",
            "message[1].wall_clock_ns",
            "v becomes 22, a skew of -11",
            |chunk| {
                if let Some(field) = chunk.at(1).and_then(|message| message.fields.first_mut()) {
                    *field = vec![22];
                }
            },
        ),
        surface(&[Other, LimitExceeded]).forbid(&[b"second"]),
    )
}
