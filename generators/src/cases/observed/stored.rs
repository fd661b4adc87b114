//! Item 18: observations are an ordinary stream, in whatever form it stands,
//! and are taken in the order of the file (§10.7, readings G05 and G61).

use ca3_wire::records::ClockDomain;

use super::super::{Page, plan_with};
use super::lines::{constant_delay, constant_trips, flat, flat_trip};
use super::{
    FITTED, Seen, arrivals, block_of, line, mapped_as, moved, observed, observing, observing_in,
    one_way, round_trip, seen, shift_of, signed,
};
use crate::Draft;
use crate::plan::{
    COLUMNAR, Chunk, Columnar, Decoded, Observation, Plan, Sample, ZSTD, described, observations,
    varint,
};
use crate::verifying::{inconsistent, verifications};

const RULES: &[&str] = &["CA3-10.7-02"];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = order(page);
    cases.extend(spread_out(page));
    cases.extend(packed(page));
    cases.extend(fields_of_a_message(page));
    cases.push(source_of_zero(page));
    cases.extend(sent(page));
    cases
}

/// The right mapping is verified, the wrong one is inconsistent.
fn pair(name: &str, title: &str, valid: Plan, wrong: &ClockDomain, what: &str) -> Draft {
    let invalid = mapped_as(valid.clone(), wrong, "offset_ns", what);
    Draft::new(name, RULES, title)
        .readings(FITTED)
        .valid_asked(valid, vec![verifications(&["verified"])])
        .invalid_asked(invalid, vec![inconsistent()])
}

/// The constant delay's line, a second off.
fn second_off() -> ClockDomain {
    ClockDomain {
        offset_ns: flat().offset_ns + 1_000_000_000,
        ..one_way(flat())
    }
}

const SECOND_OFF: &str = "offset_ns is wrong by one second";

/// Three arrivals of 4 s to 6 s, stored in front of two of 1 s and 2 s.
///
/// ```text
/// delta   910 400 1300 700 1000
/// span    from 4000000000 to 6000000000; middle 5000000000: all but the third
/// a       the second, b the third
/// skew    900 * 10^9 / 10^9 = 900
/// offset  400 - 10^9 * 900 / 10^9 = -500
/// residuals, sorted: 0 0 1410 3300 3900; rank 5
/// ```
///
/// In the order of their stamps the origin is 1000000000 and the middle
/// 3500000000; a is the 1 s one and b the 5 s one: skew -300 * 10^9 / 4 * 10^9 =
/// -75, offset 700, residuals 0 0 375 435 975.
const LATER: [[u64; 2]; 3] = [
    [4_000_000_000, 4_000_000_910],
    [5_000_000_000, 5_000_000_400],
    [6_000_000_000, 6_000_001_300],
];
const EARLIER: [[u64; 2]; 2] = [
    [1_000_000_000, 1_000_000_700],
    [2_000_000_000, 2_000_001_000],
];

fn order(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, chunks: &[Vec<Seen>]| {
        let v = page.values(name);
        let shift = shift_of(&v);
        let chunks = chunks.iter().map(|of| observations(1, &seen(of, shift)));
        let right = one_way(line(-500, 900, 4_000_000_000, [3_900, 5]));
        let by_stamp = one_way(line(700, -75, 1_000_000_000, [975, 5]));
        pair(
            name,
            title,
            observed(&v, chunks.collect(), &moved(&right, shift)),
            &moved(&by_stamp, shift),
            "the mapping of an estimator that takes the observations by their stamps",
        )
    };
    let (later, earlier) = (arrivals(&LATER), arrivals(&EARLIER));
    let in_one = [later.clone(), earlier.clone()].concat();
    vec![
        case(
            "later-chunk-first",
            "a chunk of later stamps is stored in front of one of earlier stamps: file order counts",
            &[later, earlier],
        ),
        case(
            "later-messages-first",
            "a chunk whose messages are not in stamp order: the stored order counts",
            &[in_one],
        ),
    ]
}

/// All chunks of the stream count, and none of another.
fn spread_out(page: &Page) -> Vec<Draft> {
    let v = page.values("two-chunks");
    let shift = shift_of(&v);
    let all = seen(&constant_delay(), shift);
    let (first, second) = all.split_at(2);
    let right = moved(&one_way(flat()), shift);
    let valid = observing(&v)
        .chunk(observations(1, first))
        .checkpoint(false, Vec::new())
        .chunk(Chunk::plain(2, &[(1_000_000_000, b"one")]))
        .chunk(observations(1, second))
        .clock_block(&block_of(std::slice::from_ref(&right)));
    let two_chunks = pair(
        "two-chunks",
        "four observations in two chunks, another stream's between them: four are counted",
        valid,
        &ClockDomain {
            observation_count: 2,
            ..right
        },
        "observation_count is that of the first chunk",
    );

    let v = page.values("of-the-stream-that-is-named");
    let shift = shift_of(&v);
    // Stream 1 is of the same schema and saw another clock, a second off.
    let others: Vec<Observation> = seen(&constant_delay(), shift)
        .into_iter()
        .map(|one| Observation {
            receipt_ns: one.receipt_ns + 1_000_000_000,
            ..one
        })
        .collect();
    let of_7 = |domain: &ClockDomain| ClockDomain {
        observations_stream: 7,
        ..moved(domain, shift)
    };
    let named = pair(
        "of-the-stream-that-is-named",
        "two streams of observations: those of the stream that the domain names count",
        observing(&v)
            .stream(described(7, 1))
            .chunk(observations(1, &others))
            .chunk(observations(7, &seen(&constant_delay(), shift)))
            .clock_block(&block_of(&[of_7(&one_way(flat()))])),
        &of_7(&second_off()),
        "the offset is what the other stream's observations imply",
    );
    vec![two_chunks, named]
}

/// Compressed, and in columns.
fn packed(page: &Page) -> Vec<Draft> {
    let v = page.values("compressed");
    let shift = shift_of(&v);
    let right = moved(&one_way(flat()), shift);
    let compressed = pair(
        "compressed",
        "observations in a zstd chunk",
        observing_in(plan_with(&v, ZSTD))
            .chunk(observations(1, &seen(&constant_delay(), shift)).zstd())
            .clock_block(&block_of(std::slice::from_ref(&right))),
        &moved(&second_off(), shift),
        SECOND_OFF,
    );

    let v = page.values("in-columns");
    let shift = shift_of(&v);
    let right = moved(&one_way(flat()), shift);
    let seen = seen(&constant_delay(), shift);
    let samples: Vec<Sample> = seen.iter().map(Observation::sample).collect();
    let in_columns = pair(
        "in-columns",
        "observations in a ColumnarChunk",
        observing_in(plan_with(&v, COLUMNAR))
            .columnar(Columnar::of(1, &samples))
            .clock_block(&block_of(std::slice::from_ref(&right))),
        &moved(&second_off(), shift),
        SECOND_OFF,
    );
    vec![compressed, in_columns]
}

/// A chunk of these payloads, each received at its observation's time.
fn payloads(seen: &[Observation], payload: impl Fn(&Observation) -> Vec<u8>) -> Chunk {
    let sample = |one: &Observation| Sample::new(Decoded::at(one.receipt_ns), &payload(one));
    let samples: Vec<Sample> = seen.iter().map(sample).collect();
    Chunk::of(1, &samples)
}

/// What the protobuf encoding allows a payload to be.
fn fields_of_a_message(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, payload: &dyn Fn(&Observation) -> Vec<u8>| {
        let v = page.values(name);
        let shift = shift_of(&v);
        let chunk = payloads(&seen(&constant_delay(), shift), payload);
        pair(
            name,
            title,
            observed(&v, vec![chunk], &moved(&one_way(flat()), shift)),
            &moved(&second_off(), shift),
            SECOND_OFF,
        )
    };
    let fixed = |number: u8, value: u64| {
        let tag = vec![number << 3 | 1];
        [tag, value.to_le_bytes().to_vec()].concat()
    };
    vec![
        case(
            "unknown-fields",
            "fields that the schema does not have, of every wire type, are passed over",
            &|one| {
                [
                    vec![9 << 3, 0x96, 0x01],                  // 9: a varint
                    fixed(10, one.source_ns + 77),             // 10: eight bytes
                    vec![11 << 3 | 2, 3, 0x09, 0xFF, 0xFF],    // 11: three bytes
                    one.payload(),
                    vec![12 << 3 | 5, 1, 2, 3, 4],             // 12: four bytes
                    [varint(2_000 << 3), vec![1]].concat(),    // 2000: a varint
                ]
                .concat()
            },
        ),
        case(
            "fields-in-any-order",
            "receipt_ns stands in front of source_ns, and a field that stands twice counts as last set",
            &|one| {
                [
                    fixed(2, one.receipt_ns + 5),
                    fixed(2, one.receipt_ns),
                    fixed(1, one.source_ns),
                ]
                .concat()
            },
        ),
    ]
    .into_iter()
    .map(|draft| draft.readings(&["G04", "G05", "G61", "G127"]))
    .collect()
}

/// A peer whose clock starts with the recording: its first source is 0, and
/// protobuf leaves the field out. delta is 700 and 700, on a flat line.
fn source_of_zero(page: &Page) -> Draft {
    let v = page.values("source-of-zero");
    let delta = v.u64("delta_ns", 700, 1..=999_999);
    let seen = seen(&arrivals(&[[0, delta], [2_000, 2_000 + delta]]), 0);
    let through = |offset: u64| one_way(line(signed(offset), 0, 0, [0, 2]));
    pair(
        "source-of-zero",
        "an observation without source_ns: a field that does not stand is 0",
        observed(&v, vec![observations(1, &seen)], &through(delta)),
        &through(delta + 1),
        "offset_ns is 1 ns greater",
    )
    .readings(&["G04", "G05", "G61", "G127"])
}

/// What `sent_ns` says by standing, and by not standing.
fn sent(page: &Page) -> Vec<Draft> {
    // delta: 0 + 200 - 5000
    let v = page.values("sent-at-zero");
    let source = v.u64("source_ns", 5_000, 1_000..=1_000_000_000);
    let trip = Observation {
        source_ns: source,
        sent_ns: Some(0),
        receipt_ns: 400,
    };
    let right = line(200 - signed(source), 0, source, [0, 1]);
    let right = round_trip([400, 200], u64::MAX, right);
    let file = observed(&v, vec![observations(1, &[trip])], &right);
    let without = file.clone().edit_chunk(
        "Chunk 1",
        "message[0].payload",
        "sent_ns, which is 0, is left out",
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                message.payload = Observation {
                    sent_ns: None,
                    ..trip
                }
                .payload();
            }
        },
    );
    let zero = round_trips(
        "sent-at-zero",
        "a round trip that was asked for at 0 has a sent_ns; without the field it is none",
        file,
        without,
    );

    let (file, shift) = flat_trips(page, "one-trip-without-sent");
    let one = seen(&constant_trips(), shift).into_iter().nth(3);
    let without = file.clone().edit_chunk(
        "Chunk 1",
        "message[3].payload",
        "sent_ns of the last round trip is left out",
        move |chunk| {
            if let (Some(message), Some(one)) = (chunk.at(3), one) {
                message.payload = Observation {
                    sent_ns: None,
                    ..one
                }
                .payload();
            }
        },
    );
    let lacking = round_trips(
        "one-trip-without-sent",
        "three round trips with sent_ns and one without, under method 2",
        file,
        without,
    );

    let (file, shift) = flat_trips(page, "trip-of-negative-length");
    let one = seen(&constant_trips(), shift).into_iter().nth(1);
    let turned = file.clone().edit_chunk(
        "Chunk 1",
        "message[1].payload",
        "sent_ns and receipt_ns of the second round trip change places",
        move |chunk| {
            if let (Some(message), Some(one)) = (chunk.at(1), one) {
                message.payload = Observation {
                    sent_ns: Some(one.receipt_ns),
                    receipt_ns: one.sent_ns.unwrap_or_default(),
                    ..one
                }
                .payload();
            }
        },
    );
    // Its middle stays where it was, so that only its length can tell.
    let negative = round_trips(
        "trip-of-negative-length",
        "a round trip that arrived before it was asked for agrees with no mapping",
        file,
        turned,
    )
    .readings(FITTED);
    vec![zero, lacking, negative]
}

/// The constant round trips and their mapping.
fn flat_trips(page: &Page, name: &str) -> (Plan, u64) {
    let v = page.values(name);
    let shift = shift_of(&v);
    let chunk = observations(1, &seen(&constant_trips(), shift));
    let domain = moved(&flat_trip(), shift);
    (observed(&v, vec![chunk], &domain), shift)
}

/// A mapping by round trips is verified, and inconsistent once they are spoilt.
fn round_trips(name: &str, title: &str, valid: Plan, invalid: Plan) -> Draft {
    Draft::new(name, RULES, title)
        .readings(&["G04", "G05", "G61", "G73"])
        .valid_asked(valid, vec![verifications(&["verified"])])
        .invalid_asked(invalid, vec![inconsistent()])
}
