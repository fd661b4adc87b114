//! Whether `block_offset` is the distance to the block (§5.9).

use ca3_wire::records::Stream;

use super::super::{Page, plan};
use super::catalogue::framed;
use super::described::claiming;
use super::forms::blocks;
use crate::plan::{Chunk, Plan};
use crate::{Draft, Finding};

const ALIGNMENT: u64 = 64;

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.9-09";
    let name = "inside-the-length-prefix";
    let recorded = blocks();
    // A tag of one byte and a length of one: the block begins at byte 2.
    let valid = plan(&page.values(name))
        .described(1, &recorded.schema)
        .stream(Stream {
            block_alignment: 64,
            block_offset: 2,
            ..claiming(1)
        });
    let spoilt = valid
        .clone()
        .replace_field("Stream 1", "block_offset", &1u32.to_le_bytes());
    // The chunk is put so that the byte which the stream states is on the boundary.
    let aligned = |plan: Plan, block_offset| {
        let first = Chunk::plain(1, &[(2_000, first_of(&recorded.payloads))]);
        plan.aligned(first, ALIGNMENT, block_offset)
    };
    let title = "block_offset is one less than the distance, and that byte is on the boundary";
    let draft = Draft::new(name, &[RULE], title)
        .clean(aligned(valid, 2))
        .found(
            aligned(spoilt, 1),
            Finding::error(RULE).at("Stream 1").at("Chunk 1"),
        );
    vec![framed(draft, &recorded.schema, &recorded.schema)]
}

/// One message a chunk.
fn first_of(payloads: &[Vec<u8>]) -> &[u8] {
    payloads.first().map_or(&[], Vec::as_slice)
}
