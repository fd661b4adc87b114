//! Item 26: what stands behind the last checkpoint is not lost (§8.3, step 4).

use ca3_spec::kind::Kind::{BadCrc, DecompressFailed, UnresolvedReference};
use ca3_spec::opcode::op;
use ca3_wire::records::Stream;
use serde_json::json;

use super::super::{Page, plan_with};
use super::complete;
use super::numbered::{
    CUT, SKIPPED, break_checkpoint, checkpointed, flip_a_bit, flipped_payloads, numbered, payloads,
    samples,
};
use crate::draft::Draft;
use crate::plan::{At, COLUMNAR, Columnar, LengthClaim, ZSTD, schema, stream};
use crate::recovering::{CHAIN, chain, only, recovered, stopped, withheld};
use crate::zstd_frame;

pub(in super::super) fn behind(page: &Page) -> Vec<Draft> {
    let mut cases = chunks(page);
    cases.extend(forms(page));
    cases.extend(checkpoints(page));
    cases.extend(complete::cut(page));
    cases.extend(definitions(page));
    cases
}

fn chunks(page: &Page) -> Vec<Draft> {
    let v = page.values("two-chunks");
    let kept = checkpointed(&v).chunk(numbered(&v, 1, 2));
    let valid = kept.clone().chunk(numbered(&v, 1, 3)).unsealed();
    let first = chain(&[("Checkpoint 1", 1)]);
    let two = Draft::new(
        "two-chunks",
        &["CA3-8.3-09"],
        "two chunks behind the last checkpoint come back, and one whose checksum fails does not",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(first.clone())],
    )
    .invalid_asked(
        valid.edit_chunk(
            "Chunk 3",
            "message[0].payload",
            "a bit of a payload flips, the checksum stays",
            flip_a_bit,
        ),
        withheld(
            &[BadCrc],
            &flipped_payloads(&v, 3),
            &[json!({"method": CHAIN}), first, only(&kept, &["messages"])],
        ),
    );

    // The spine breaks ahead of the checkpoint, where the chain does not look.
    let v = page.values("behind-a-destroyed-record");
    let valid = checkpointed(&v)
        .record(op::PADDING, &[0; 12])
        .chunk(numbered(&v, 1, 2))
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 3))
        .unsealed();
    let both = chain(&[("Checkpoint 2", 2), ("Checkpoint 1", 1)]);
    let destroyed = Draft::new(
        "behind-a-destroyed-record",
        &["CA3-8.3-09"],
        "a length destroyed ahead of the last checkpoint: the chain and the walk behind it have all",
    )
    .why(
        "A reader that walks the spine whatever the chain offers stops at the damage, and all that \
         came after it is lost, though checkpoints name it.",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(both.clone())],
    )
    .invalid_asked(
        valid
            .clone()
            .claim("record 1", LengthClaim::Value(1 << 62)),
        vec![recovered(CHAIN, &valid).holds(both)],
    );

    let v = page.values("among-other-records");
    let kept = checkpointed(&v)
        .record(v.u8("unknown", 0x60, 0x4B..=0x7F), b"unknown")
        .chunk(numbered(&v, 1, 2))
        .record(v.u8("private", 0xC1, 0xC0..=0xFF), b"")
        .record(op::PADDING, &[0; 3]);
    let valid = kept.clone().chunk(numbered(&v, 1, 3)).unsealed();
    let first = chain(&[("Checkpoint 1", 1)]);
    let among = Draft::new(
        "among-other-records",
        &["CA3-8.3-09", "CA3-8.3-10"],
        "records that may be skipped stand between the chunks behind the last checkpoint",
    )
    .valid_asked(
        valid.clone(),
        vec![
            recovered(CHAIN, &valid)
                .holds(first.clone())
                .may_report(SKIPPED),
        ],
    )
    .invalid_asked(
        valid.truncate(At::record("Chunk 3", 3)),
        vec![
            recovered(CHAIN, &kept)
                .holds(first)
                .holds(stopped("Chunk 3", CUT)),
        ],
    );
    vec![two, destroyed, among]
}

/// Compressed and columnar chunks.
fn forms(page: &Page) -> Vec<Draft> {
    let first = chain(&[("Checkpoint 1", 1)]);
    let v = page.values("compressed");
    let kept = plan_with(&v, ZSTD)
        .stream(stream(1))
        .chunk(numbered(&v, 1, 1).zstd())
        .checkpoint(false, Vec::new());
    let valid = kept.clone().chunk(numbered(&v, 1, 2).zstd()).unsealed();
    let compressed = Draft::new(
        "compressed",
        &["CA3-8.3-09"],
        "a compressed chunk behind the last checkpoint, and one that does not decompress",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(first.clone())],
    )
    .invalid_asked(
        valid.edit_chunk(
            "Chunk 2",
            "records",
            "the frame's magic number is another, checksum and length right",
            |chunk| {
                let mut frame = zstd_frame::raw(&chunk.blob());
                if let Some(byte) = frame.first_mut() {
                    *byte = 0x29;
                }
                chunk.stored = Some(frame);
            },
        ),
        withheld(
            &[DecompressFailed],
            &payloads(&v, 2),
            &[
                json!({"method": CHAIN}),
                first.clone(),
                only(&kept, &["messages"]),
            ],
        ),
    );

    let v = page.values("columnar");
    let kept = plan_with(&v, COLUMNAR)
        .stream(stream(1))
        .columnar(Columnar::of(1, &samples(&v, 1)))
        .checkpoint(false, Vec::new());
    let valid = kept
        .clone()
        .columnar(Columnar::of(1, &samples(&v, 2)))
        .unsealed();
    // The frame is 9 bytes, the header 81, the column of two stamps 16.
    let block = At::record("ColumnarChunk 2", 9 + 81 + 16);
    let mut spoilt = payloads(&v, 2);
    if let Some(first) = spoilt.first().cloned() {
        let tail = first.get(1..).unwrap_or_default();
        spoilt.push([b"X", tail].concat());
    }
    let columnar = Draft::new(
        "columnar",
        &["CA3-8.3-09"],
        "a columnar chunk behind the last checkpoint, and one whose checksum fails",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(first.clone())],
    )
    .invalid_asked(
        valid.patch(block, b"X"),
        withheld(
            &[BadCrc],
            &spoilt,
            &[json!({"method": CHAIN}), first, only(&kept, &["messages"])],
        ),
    );
    vec![compressed, columnar]
}

/// The last checkpoint is none, or not all of it is there.
fn checkpoints(page: &Page) -> Vec<Draft> {
    let both = chain(&[("Checkpoint 2", 2), ("Checkpoint 1", 1)]);
    let first = chain(&[("Checkpoint 1", 1)]);
    let v = page.values("across-a-broken-checkpoint");
    let valid = checkpointed(&v)
        .chunk(numbered(&v, 1, 2))
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 3))
        .unsealed();
    let across = Draft::new(
        "across-a-broken-checkpoint",
        &["CA3-8.3-09"],
        "the newest checkpoint fails its checksum: the walk from the one before passes over it",
    )
    .valid_asked(
        valid.clone(),
        vec![recovered(CHAIN, &valid).holds(both.clone())],
    )
    .invalid_asked(
        break_checkpoint(valid.clone(), "Checkpoint 2"),
        vec![recovered(CHAIN, &valid).holds(first.clone())],
    );

    let mut cases = vec![across];
    for (name, at, title) in [
        (
            "checkpoint-cut-at-its-start",
            At::record("Checkpoint 2", 20),
            "the file ends in its second checkpoint: the first leads on, and the walk ends there",
        ),
        (
            "checkpoint-one-byte-short",
            At::End(1),
            "the second checkpoint lacks a byte of its checksum: it is none",
        ),
    ] {
        let v = page.values(name);
        let kept = checkpointed(&v).chunk(numbered(&v, 1, 2));
        let valid = kept.clone().checkpoint(false, Vec::new()).unsealed();
        cases.push(
            Draft::new(name, &["CA3-8.3-09"], title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(CHAIN, &valid).holds(both.clone())],
                )
                .invalid_asked(
                    valid.truncate(at),
                    vec![
                        recovered(CHAIN, &kept)
                            .holds(first.clone())
                            .holds(stopped("Checkpoint 2", CUT)),
                    ],
                ),
        );
    }
    cases
}

/// Definitions behind the last checkpoint.
fn definitions(page: &Page) -> Vec<Draft> {
    let first = chain(&[("Checkpoint 1", 1)]);
    let mut cases = Vec::new();
    for (name, described) in [("stream-behind", false), ("schema-behind", true)] {
        let v = page.values(name);
        let kept = checkpointed(&v).chunk(numbered(&v, 1, 2));
        let (declared, title) = if described {
            (
                kept.clone().schema(schema(4)).stream(Stream {
                    schema_ref: 4,
                    ..stream(2)
                }),
                "a schema, its stream and its chunk behind the last checkpoint",
            )
        } else {
            (
                kept.clone().stream(stream(2)),
                "a stream and its chunk behind the last checkpoint",
            )
        };
        let valid = declared.chunk(numbered(&v, 2, 3)).unsealed();
        cases.push(
            Draft::new(name, &["CA3-8.3-11"], title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(CHAIN, &valid).holds(first.clone())],
                )
                .invalid_asked(
                    valid
                        .opcode("Stream 2", op::PADDING)
                        .what("Stream 2: the record is Padding instead"),
                    withheld(
                        &[UnresolvedReference],
                        &payloads(&v, 3),
                        &[
                            json!({"method": CHAIN}),
                            first.clone(),
                            only(&kept, &["messages", "streams"]),
                        ],
                    ),
                ),
        );
    }

    let v = page.values("stream-cut-behind");
    let kept = checkpointed(&v).chunk(numbered(&v, 1, 2));
    let valid = kept.clone().stream(stream(2)).unsealed();
    cases.push(
        Draft::new(
            "stream-cut-behind",
            &["CA3-8.3-11"],
            "a stream declared behind the last checkpoint, and one of which not all bytes are there",
        )
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(first.clone())],
        )
        .invalid_asked(
            valid.truncate(At::record("Stream 2", 30)),
            vec![
                recovered(CHAIN, &kept)
                    .holds(first)
                    .holds(stopped("Stream 2", CUT)),
            ],
        ),
    );
    cases
}
