//! Item 28: a record whose length passes the end of the file, or wraps round 64
//! bits, ends the walk unread (§3, §8.3).

use ca3_spec::FRAME_BYTES;
use ca3_spec::opcode::op;

use super::super::Page;
use super::broken::whole_chain;
use super::numbered::{CUT, begun, chained, checkpointed, numbered, one_of_three};
use crate::draft::Draft;
use crate::plan::{At, LengthClaim, wide};
use crate::recovering::{CHAIN, SPINE, recovered, stopped};

const RULE: &[&str] = &["CA3-16-06"];

pub(in super::super) fn past_the_end(page: &Page) -> Vec<Draft> {
    let mut cases = on_the_last(page);
    cases.extend(on_the_middle(page));
    cases.extend(ahead_of_a_checkpoint(page));
    cases.extend(short_frames(page));
    cases
}

/// The length with which a record that begins at `start` ends at `end`, in
/// arithmetic that wraps round 64 bits.
fn wrapping(start: u64, end: u64) -> u64 {
    end.wrapping_sub(start.wrapping_add(FRAME_BYTES))
}

/// The last record, behind a checkpoint.
fn on_the_last(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, title) in [
        (
            "one-too-many",
            "the last chunk claims one byte more than there is",
        ),
        (
            "low-half-right",
            "the last chunk's length is too long by 2^32, and its low half is right",
        ),
        ("half-of-all", "the last chunk's length is 2^63"),
        (
            "wraps-to-itself",
            "the last chunk's length is 2^64 - 9: with the frame it comes to nothing",
        ),
        ("all-ones", "the last chunk's length is 2^64 - 1"),
        (
            "wraps-to-the-header",
            "the last chunk's length leads round 64 bits to the Header",
        ),
        (
            "wraps-to-a-chunk",
            "the last chunk's length leads round 64 bits to a chunk",
        ),
    ] {
        let v = page.values(name);
        let kept = checkpointed(&v).chunk(numbered(&v, 1, 2));
        let valid = kept.clone().chunk(numbered(&v, 1, 3)).unsealed();
        let start = valid.offset_of("Chunk 3");
        let claim = match name {
            "one-too-many" => LengthClaim::Off(1),
            "low-half-right" => LengthClaim::Off(1 << 32),
            "half-of-all" => LengthClaim::Value(1 << 63),
            "wraps-to-itself" => LengthClaim::Value(wrapping(start, start)),
            "wraps-to-the-header" => LengthClaim::Value(wrapping(start, 8)),
            "wraps-to-a-chunk" => LengthClaim::Value(wrapping(start, valid.offset_of("Chunk 2"))),
            _ => LengthClaim::Value(u64::MAX),
        };
        cases.push(
            Draft::new(name, RULE, title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(CHAIN, &valid).holds(whole_chain(1))],
                )
                .invalid_asked(
                    valid.claim("Chunk 3", claim),
                    vec![
                        recovered(CHAIN, &kept)
                            .holds(whole_chain(1))
                            .holds(stopped("Chunk 3", CUT)),
                    ],
                ),
        );
    }
    cases
}

/// A record in the middle of a file without checkpoints.
fn on_the_middle(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, title) in [
        (
            "middle-one-too-many",
            "a chunk in the middle claims all that follows it and one byte more",
        ),
        (
            "middle-half-of-all",
            "the length of a chunk in the middle is 2^63",
        ),
        (
            "middle-wraps-to-itself",
            "the length of a chunk in the middle is 2^64 - 9",
        ),
        (
            "middle-wraps-to-a-chunk",
            "the length of a chunk in the middle leads round 64 bits to the chunk before",
        ),
        (
            "middle-all-ones",
            "the length of a chunk in the middle is 2^64 - 1",
        ),
    ] {
        let v = page.values(name);
        let (kept, valid) = one_of_three(&v);
        let start = valid.offset_of("Chunk 2");
        let size = valid.layout().map_or(0, |layout| wide(layout.bytes.len()));
        let claim = match name {
            "middle-one-too-many" => wrapping(start, size.saturating_add(1)),
            "middle-half-of-all" => 1 << 63,
            "middle-wraps-to-itself" => wrapping(start, start),
            "middle-wraps-to-a-chunk" => wrapping(start, valid.offset_of("Chunk 1")),
            _ => u64::MAX,
        };
        cases.push(
            Draft::new(name, RULE, title)
                .valid_asked(valid.clone(), vec![recovered(SPINE, &valid)])
                .invalid_asked(
                    valid.claim("Chunk 2", LengthClaim::Value(claim)),
                    vec![recovered(SPINE, &kept).holds(stopped("Chunk 2", CUT))],
                ),
        );
    }
    cases
}

/// The chain saves what lies behind such a record, ahead of a checkpoint.
fn ahead_of_a_checkpoint(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, claim, title) in [
        (
            "ahead-half-of-all",
            1 << 63,
            "a length of 2^63 ahead of a checkpoint: the chain has what lies behind it",
        ),
        (
            "ahead-wraps-to-itself",
            u64::MAX - 8,
            "a length of 2^64 - 9 ahead of a checkpoint: the chain has what lies behind it",
        ),
    ] {
        let v = page.values(name);
        let valid = checkpointed(&v)
            .record(op::PADDING, &[0; 7])
            .chunk(numbered(&v, 1, 2))
            .checkpoint(false, Vec::new())
            .unsealed();
        cases.push(
            Draft::new(name, RULE, title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
                )
                .invalid_asked(
                    valid.clone().claim("record 1", LengthClaim::Value(claim)),
                    vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
                ),
        );
    }

    // A checkpoint whose own frame lies fails the third check; behind it
    // nothing is left that leads on.
    let v = page.values("on-a-checkpoint");
    let kept = chained(&v, 1).chunk(numbered(&v, 1, 2));
    let valid = kept
        .clone()
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 3))
        .unsealed();
    cases.push(
        Draft::new(
            "on-a-checkpoint",
            RULE,
            "the newest checkpoint's length passes the end: it is none, and the walk ends there",
        )
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
        )
        .invalid_asked(
            valid.claim("Checkpoint 2", LengthClaim::Off(1 << 40)),
            vec![
                recovered(CHAIN, &kept)
                    .holds(whole_chain(1))
                    .holds(stopped("Checkpoint 2", CUT)),
            ],
        ),
    );
    cases
}

/// Fewer bytes than a frame has.
fn short_frames(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, keep, checkpoint, title) in [
        (
            "an-opcode",
            1,
            true,
            "of the last record only the opcode is there",
        ),
        (
            "eight-bytes",
            8,
            true,
            "of the last record's frame one byte is missing",
        ),
        (
            "an-opcode-of-a-walk",
            1,
            false,
            "without a checkpoint, of the last record only the opcode is there",
        ),
        (
            "a-frame",
            9,
            false,
            "of the last record the frame is there and nothing else",
        ),
    ] {
        let v = page.values(name);
        let (method, before) = begun(&v, checkpoint);
        let kept = before.chunk(numbered(&v, 1, 2));
        let valid = kept.clone().chunk(numbered(&v, 1, 3)).unsealed();
        cases.push(
            Draft::new(name, RULE, title)
                .valid_asked(valid.clone(), vec![recovered(method, &valid)])
                .invalid_asked(
                    valid.truncate(At::record("Chunk 3", keep)),
                    vec![recovered(method, &kept).holds(stopped("Chunk 3", CUT))],
                ),
        );
    }
    cases
}
