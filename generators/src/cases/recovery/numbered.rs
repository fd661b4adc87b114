//! Chunks by number, told apart by their payloads, and what spoils them.

use ca3_spec::kind::Kind;

use super::super::one_stream;
use crate::plan::{Chunk, Decoded, Plan, Sample, crc32c};
use crate::recovering::{CHAIN, SPINE, chain, recovered};
use crate::{Ask, Values};

/// What a record that the file ends in may be called.
pub(super) const CUT: &[Kind] = &[Kind::TruncatedRecord, Kind::BadLength, Kind::LimitExceeded];

/// What a record that was skipped may be called: `recover` has no list of them.
pub(super) const SKIPPED: &[Kind] = &[Kind::UnknownOpcode, Kind::ReservedOpcode, Kind::Other];

/// Two messages of the number-th thousand, their payloads of one length and
/// begun by the number: no two chunks of a file overlap or hold the same.
pub(super) fn samples(v: &Values, number: u64) -> [Sample; 2] {
    let first = v.u64(&format!("stamp_{number}"), 100, 1..=400);
    let first = number.saturating_mul(1_000).saturating_add(first);
    let step = v.u64(&format!("step_{number}"), 10, 1..=500);
    let word = v.text(&format!("word_{number}"), "kit");
    let sample = |stamp: u64, which: &str| {
        Sample::new(
            Decoded::at(stamp),
            format!("{number}{which}-{word}").as_bytes(),
        )
    };
    [sample(first, "a"), sample(first.saturating_add(step), "b")]
}

/// The chunk of a stream that holds them.
pub(super) fn numbered(v: &Values, stream_ref: u32, number: u64) -> Chunk {
    Chunk::of(stream_ref, &samples(v, number))
}

/// The payloads of a number's messages.
pub(super) fn payloads(v: &Values, number: u64) -> Vec<Vec<u8>> {
    samples(v, number)
        .into_iter()
        .map(|sample| sample.payload)
        .collect()
}

/// One stream and its chunk 1, a checkpoint behind it.
pub(super) fn checkpointed(v: &Values) -> Plan {
    one_stream(v)
        .chunk(numbered(v, 1, 1))
        .checkpoint(false, Vec::new())
}

/// One stream, and as many chunks, a checkpoint behind each.
pub(super) fn chained(v: &Values, checkpoints: u64) -> Plan {
    (1..=checkpoints).fold(one_stream(v), |plan, number| {
        plan.chunk(numbered(v, 1, number))
            .checkpoint(false, Vec::new())
    })
}

/// A bit of the first payload's first byte flips, and the checksum of
/// the blob stays.
pub(super) fn flip_a_bit(chunk: &mut Chunk) {
    chunk.records_crc32c = Some(crc32c(&chunk.blob()));
    if let Some(byte) = chunk.at(0).and_then(|message| message.payload.first_mut()) {
        *byte ^= 0x40;
    }
}

/// As [`flip_a_bit`] leaves the payloads of a number.
pub(super) fn flipped_payloads(v: &Values, number: u64) -> Vec<Vec<u8>> {
    let mut chunk = numbered(v, 1, number);
    flip_a_bit(&mut chunk);
    let flipped = chunk.messages.into_iter().map(|message| message.payload);
    flipped.chain(payloads(v, number)).collect()
}

/// A content byte of a checkpoint changes, its `wall_ns`, which is 0, and its
/// checksum stays.
pub(super) fn break_checkpoint(plan: Plan, label: &str) -> Plan {
    plan.patch_field(label, "wall_ns", 0, &[1])
        .what(&format!("{label}: wall_ns becomes 1, its checksum stays"))
}

/// The beginning of a file, and the method that recovers what follows it: a
/// chunk, and a checkpoint behind it or none.
pub(super) fn begun(v: &Values, checkpoint: bool) -> (&'static str, Plan) {
    if checkpoint {
        (CHAIN, checkpointed(v))
    } else {
        (SPINE, one_stream(v).chunk(numbered(v, 1, 1)))
    }
}

/// A chunk without a checkpoint, and the file of it and two more.
pub(super) fn one_of_three(v: &Values) -> (Plan, Plan) {
    let first = one_stream(v).chunk(numbered(v, 1, 1));
    let others = first.clone().chunk(numbered(v, 1, 2));
    (first, others.chunk(numbered(v, 1, 3)).unsealed())
}

/// The one question of a file with one checkpoint, and a record behind it that
/// is skipped.
pub(super) fn skipping(file: &Plan) -> Vec<Ask> {
    let listed = chain(&[("Checkpoint 1", 1)]);
    vec![recovered(CHAIN, file).holds(listed).may_report(SKIPPED)]
}
