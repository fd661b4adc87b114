//! Declared block boundaries (§5.9).

use ca3_spec::kind::Kind::{BadAlignment, BadLength};
use ca3_wire::records::Stream;
use serde_json::json;

use super::{Page, plan};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Plan, stream};

fn aligned_stream(stream_ref: u32, block_alignment: u32, block_offset: u32) -> Stream {
    Stream {
        block_alignment,
        block_offset,
        ..stream(stream_ref)
    }
}

/// A stream that promises 64, and one message on each of two boundaries.
fn aligned(plan: Plan) -> Plan {
    plan.stream(aligned_stream(1, 64, 5))
        .aligned(Chunk::plain(1, &[(2_000, b"head-block-0")]), 64, 5)
        .aligned(Chunk::plain(1, &[(2_010, b"head-block-1")]), 64, 5)
}

const BLOCKS: &[&[u8]] = &[b"head-block-0", b"head-block-1"];

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let v = page.values("two-fields");
    let two_fields = Draft::new(
        "two-fields",
        &["CA3-5.9-01"],
        "block_alignment and then block_offset, four bytes each",
    )
    .valid(plan(&v).stream(aligned_stream(
        1,
        64,
        v.u32("block_offset", 5, 0..=u32::MAX),
    )))
    .wrong_answer("the two are exchanged, or read as u16");

    let v = page.values("ends-at-metadata");
    let short = Draft::new(
        "ends-at-metadata",
        &["CA3-5.9-02"],
        "a Stream that ends behind metadata declares 0 and 0",
    )
    .valid(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::two(1))
            .cut_inside("Stream 1", "block_alignment", 0)
            .as_valid(),
    )
    .wrong_answer("a refusal, or null");

    // That the stream is named is judged where two streams tell it apart.
    let refused = || surface(&[BadAlignment]).forbid(BLOCKS);
    let alignment = |name: &str, rule: &str, value: u32| {
        let v = page.values(name);
        Draft::new(
            name,
            &[rule],
            &format!("an alignment of {value} is refused"),
        )
        .valid(aligned(plan(&v)))
        .invalid(
            aligned(plan(&v)).replace_field("Stream 1", "block_alignment", &value.to_le_bytes()),
            refused(),
        )
    };
    let v = page.values("bounds");
    let bounds = Draft::new(
        "bounds",
        &["CA3-5.9-04"],
        "1 and 4096 are legal and 8192 is not",
    )
    .valid(
        plan(&v)
            .stream(aligned_stream(1, 4_096, 0))
            .stream(aligned_stream(2, 1, 0)),
    )
    .invalid(
        plan(&v)
            .stream(aligned_stream(1, 4_096, 0))
            .stream(aligned_stream(2, 1, 0))
            .replace_field("Stream 1", "block_alignment", &8_192u32.to_le_bytes()),
        surface(&[BadAlignment]),
    );

    let v = page.values("stream-is-named");
    let beside = |plan: Plan| aligned(plan).stream(stream(2)).chunk(Chunk::two(2));
    let named = Draft::new(
        "stream-is-named",
        &["CA3-5.9-05"],
        "of two streams the refused one is named, or its value, and none of its payloads returned",
    )
    .valid(beside(plan(&v)))
    .invalid(
        beside(plan(&v)).replace_field("Stream 1", "block_alignment", &3u32.to_le_bytes()),
        refused().naming("$one_of", json!([{"stream_ref": 1}, {"value": 3}])),
    );

    let v = page.values("changes-no-message");
    let no_change = Draft::new(
        "changes-no-message",
        &["CA3-5.9-12"],
        "an aligned file needs no feature bit and gives the messages of a plain one",
    )
    .valid(aligned(plan(&v)))
    .wrong_answer("fewer messages than the plain file gives, or a refusal");

    let v = page.values("never-inferred");
    let inferred = Draft::new(
        "never-inferred",
        &["CA3-5.9-13"],
        "every payload lies at a multiple of 64 and the stream declares nothing",
    )
    .valid(
        plan(&v)
            .stream(stream(1))
            .aligned(Chunk::plain(1, &[(2_000, b"head-block-0")]), 64, 0)
            .aligned(Chunk::plain(1, &[(2_010, b"head-block-1")]), 64, 0),
    )
    .wrong_answer("an alignment of 64 is reported");

    let v = page.values("false-claim");
    let claim = Draft::new(
        "false-claim",
        &["CA3-5.9-14"],
        "the blocks lie one byte off the declared boundary, and the payloads are the same",
    )
    .valid(
        plan(&v)
            .stream(aligned_stream(1, 64, 5))
            .aligned(Chunk::plain(1, &[(2_000, b"head-block-0")]), 64, 4)
            .aligned(Chunk::plain(1, &[(2_010, b"head-block-1")]), 64, 4),
    )
    .may_report_any()
    .wrong_answer("other bytes, or a crash, where the claim is false");

    let v = page.values("three-bytes-left");
    let mixed = plan(&v)
        .stream(aligned_stream(1, 64, 5))
        .stream(stream(2))
        .cut_inside("Stream 2", "block_alignment", 0)
        .as_valid();
    let three = Draft::new(
        "three-bytes-left",
        &["CA3-5.9-15"],
        "three bytes behind metadata are neither no field nor a whole one",
    )
    .valid(mixed)
    .invalid(
        plan(&v)
            .stream(aligned_stream(1, 64, 5))
            .stream(stream(2))
            .cut_inside("Stream 2", "block_alignment", 3),
        surface(&[BadLength]),
    );

    let mut cases = vec![
        two_fields,
        short,
        alignment("forty-eight", "CA3-5.9-03", 48),
        alignment("sixty-five", "CA3-5.9-03", 65),
        alignment("all-ones", "CA3-5.9-03", u32::MAX),
        bounds,
    ];
    cases.extend([named, no_change, inferred, claim, three]);
    cases
}
