//! What `read` does with oddities in a file that is not sealed (§3.1, §8.3).

use ca3_spec::kind::Kind::{UnknownOpcode, VarintNotCanonical};
use serde_json::json;

use super::{Page, later_chunk, one_stream};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{At, Chunk};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let v = page.values("oddity-stops-the-walk");
    let valid = one_stream(&v)
        .chunk(Chunk::two(1))
        .record(0x60, b"other")
        .chunk(later_chunk())
        .unsealed();
    let oddity = Draft::new(
        "oddity-stops-the-walk",
        &["CA3-3.1-08"],
        "an unknown must-understand record ends the walk; what came before is kept",
    )
    .valid(valid.clone())
    .invalid(
        valid.opcode("record 1", 0x2A),
        surface(&[UnknownOpcode])
            .forbid(&[b"three", b"four"])
            .result(json!({
                "complete": false,
                "messages": [{"payload": "6f6e65"}, {"payload": "74776f"}],
            })),
    );

    let v = page.values("faulty-chunk-withheld");
    let middle = Chunk::plain(1, &[(2_500, b"mid-a"), (2_505, b"mid-b")]);
    let valid = one_stream(&v)
        .chunk(Chunk::two(1))
        .chunk(middle)
        .chunk(later_chunk())
        .unsealed();
    let withheld = Draft::new(
        "faulty-chunk-withheld",
        &["CA3-8.3-25"],
        "a whole chunk that does not decode is withheld and named, and the walk goes on",
    )
    .valid(valid.clone())
    .invalid(
        valid.edit_chunk(
            "Chunk 2",
            "message[1].stamp_delta",
            "delta 5 is stored as 85 00",
            |chunk| {
                if let Some(message) = chunk.at(1) {
                    message.stamp_delta = vec![0x85, 0x00];
                }
            },
        ),
        surface(&[VarintNotCanonical])
            .forbid(&[b"mid-a", b"mid-b"])
            .result(json!({
                "messages": [
                    {"payload": "6f6e65"}, {"payload": "74776f"},
                    {"payload": "7468726565"}, {"payload": "666f7572"},
                ],
            })),
    );

    let v = page.values("stopped-at");
    let valid = one_stream(&v)
        .chunk(Chunk::two(1))
        .chunk(later_chunk())
        .unsealed();
    let end = valid.layout().map_or(0, |layout| layout.bytes.len());
    let second = valid.offset_of("Chunk 2");
    let stopped = Draft::new(
        "stopped-at",
        &["CA3-2.4-07"],
        "stopped_at is the file's size where it ends between records, else the cut record",
    )
    .readings(&["G20", "G72"])
    .valid_but(valid.clone(), json!({"stopped_at": end.to_string()}))
    .invalid(
        valid.truncate(At::record("Chunk 2", 20)),
        surface(&[ca3_spec::kind::Kind::TruncatedRecord])
            .or_truncated()
            .forbid(&[b"three", b"four"])
            .result(json!({"stopped_at": second.to_string()})),
    );

    let v = page.values("stopped-at-sealed");
    let sealed = Draft::new(
        "stopped-at-sealed",
        &["CA3-2.4-01"],
        "stopped_at is null in a sealed file",
    )
    .readings(&["G72"])
    .valid_but(
        one_stream(&v).chunk(Chunk::two(1)),
        json!({"stopped_at": null}),
    )
    .wrong_answer("an offset stands there");
    vec![oddity, withheld, stopped, sealed]
}
