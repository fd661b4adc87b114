//! Reserved bits, of which a validator warns (§5.7, §7.3, §8.1).

use ca3_wire::records::Record as _;
use ca3_wire::{Encoder, records::Stream};

use super::super::{Page, one_stream, small};
use super::judged;
use crate::plan::{Chunk, stream};
use crate::{Draft, Finding};

pub(super) fn stream_flags(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.7-14";
    let name = "reserved-bit";
    vec![judged(
        name,
        RULE,
        "bit 1 of a stream's flags is set",
        small(&page.values(name)),
        |plan| plan.replace_field("Stream 1", "flags", &2u32.to_le_bytes()),
        Finding::warning(RULE).at("Stream 1"),
    )]
}

pub(super) fn directory(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.3-13";
    let name = "reserved-bit";
    vec![judged(
        name,
        RULE,
        "bit 1 of a directory entry's flags is set",
        small(&page.values(name)),
        |plan| {
            plan.edit_directory("entries[0].flags", "bit 1 of flags is set", |entries| {
                if let Some(entry) = entries.first_mut() {
                    entry.flags |= 2;
                }
            })
        },
        Finding::warning(RULE).at("StreamDirectory"),
    )]
}

pub(super) fn checkpoint(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.1-16";
    let name = "reserved-bit";
    let reserved = judged(
        name,
        RULE,
        "bit 1 of a checkpoint's flags is set",
        small(&page.values(name)).checkpoint(true, Vec::new()),
        |plan| {
            plan.edit_checkpoint(
                "Checkpoint 1",
                "flags",
                "bit 1 of flags is set",
                |checkpoint| checkpoint.flags |= 2,
            )
        },
        Finding::warning(RULE).at("Checkpoint 1"),
    );
    const NEW: &str = "CA3-8.1-17";
    let name = "restates-without-saying-so";
    let again: Stream = stream(1);
    let restated = judged(
        name,
        NEW,
        "a checkpoint holds what the one before held, and bit 0 is clear",
        one_stream(&page.values(name))
            .chunk(Chunk::two(1))
            .checkpoint(true, Vec::new())
            .chunk(Chunk::plain(1, &[(3_000, b"three")]))
            .checkpoint(false, Vec::new()),
        |plan| {
            plan.edit_checkpoint(
                "Checkpoint 2",
                "",
                "it holds a copy of Stream 1",
                move |checkpoint| {
                    let mut out = Encoder::new();
                    if again.encode(&mut out).is_ok() {
                        checkpoint.streams.push(out.into_parts().0);
                    }
                },
            )
        },
        Finding::warning(NEW).at("Checkpoint 2"),
    );
    vec![reserved, restated]
}
