//! Item 29: a record that may not be passed ends the walk, and the file is not
//! refused for it (§3.1, §3.4, §8.3).

use ca3_spec::kind::Kind::{InvalidOpcode, ReservedOpcode, UnknownOpcode};
use ca3_spec::opcode::op;

use super::super::Page;
use super::broken::whole_chain;
use super::numbered::{SKIPPED, begun, checkpointed, numbered, skipping};
use crate::draft::Draft;
use crate::recovering::{CHAIN, recovered, stopped};

const RULE: &[&str] = &["CA3-16-07"];
const WHY: &str = "Nothing is torn here: the record is whole, and whoever does not know it may not \
                   pass it, for it may change how all that follows is read. What came before it \
                   is kept, and the answer says where it ends.";

pub(in super::super) fn stops(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    // Name, the opcode that ends the walk, the one in its place that may be
    // skipped, its kind, and whether a checkpoint stands ahead of it.
    for (name, fatal, skippable, kind, checkpoint, title) in [
        (
            "unknown",
            0x2A,
            0x60,
            UnknownOpcode,
            true,
            "an unknown must-understand record behind the last checkpoint",
        ),
        (
            "unknown-in-a-walk",
            0x3F,
            0x7F,
            UnknownOpcode,
            false,
            "an unknown must-understand record in a file without checkpoints",
        ),
        (
            "private",
            0x80,
            0xC0,
            UnknownOpcode,
            true,
            "a private must-understand record behind the last checkpoint",
        ),
        (
            "private-in-a-walk",
            0xBF,
            0xFF,
            UnknownOpcode,
            false,
            "a private must-understand record in a file without checkpoints",
        ),
        (
            "erased-chunk",
            0x0B,
            0x41,
            ReservedOpcode,
            true,
            "the reserved ErasedChunk behind the last checkpoint",
        ),
        (
            "tombstone",
            0x0C,
            0x43,
            ReservedOpcode,
            false,
            "the reserved Tombstone in a file without checkpoints",
        ),
        (
            "stream-crypto",
            0x0D,
            0x46,
            ReservedOpcode,
            true,
            "the reserved StreamCrypto behind the last checkpoint",
        ),
        (
            "opcode-zero",
            0x00,
            op::PADDING,
            InvalidOpcode,
            true,
            "a record of opcode 00 behind the last checkpoint",
        ),
        (
            "opcode-zero-in-a-walk",
            0x00,
            0x41,
            InvalidOpcode,
            false,
            "a record of opcode 00 in a file without checkpoints",
        ),
    ] {
        let v = page.values(name);
        let (method, before) = begun(&v, checkpoint);
        let kept = before.chunk(numbered(&v, 1, 2));
        let valid = kept
            .clone()
            .record(skippable, v.text("content", "later").as_bytes())
            .chunk(numbered(&v, 1, 3))
            .unsealed();
        cases.push(
            Draft::new(name, RULE, title)
                .why(WHY)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(method, &valid).may_report(SKIPPED)],
                )
                .invalid_asked(
                    valid.opcode("record 1", fatal),
                    vec![recovered(method, &kept).holds(stopped("record 1", &[kind]))],
                ),
        );
    }

    let v = page.values("unknown-at-the-end");
    let kept = checkpointed(&v);
    let valid = kept.clone().record(0x60, b"").unsealed();
    cases.push(
        Draft::new(
            "unknown-at-the-end",
            RULE,
            "an unknown must-understand record of no content is the last of the file",
        )
        .why(WHY)
        .valid_asked(valid.clone(), skipping(&valid))
        .invalid_asked(
            valid.opcode("record 1", 0x2A),
            vec![
                recovered(CHAIN, &kept)
                    .holds(whole_chain(1))
                    .holds(stopped("record 1", &[UnknownOpcode])),
            ],
        ),
    );
    cases
}
