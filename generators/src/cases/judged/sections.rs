//! Groups, offsets, definitions' copies, feature bits and the Footer
//! (§2.2, §2.4, §3.3, §5, §13.1, §15).

use ca3_spec::opcode::op;

use super::super::{Page, between_chunks, one_stream, plan, plan_with, small, string};
use super::judged;
use crate::plan::{Chunk, Plan, ZSTD, schema, schema_of, stream};
use crate::{Draft, Finding};

/// Two schemas, a stream of the first, and two messages.
fn two_schemas(plan: Plan) -> Plan {
    plan.schema(schema(1))
        .schema(schema_of(2, "Other"))
        .stream(ca3_wire::records::Stream {
            schema_ref: 1,
            ..stream(1)
        })
        .chunk(Chunk::two(1))
}

pub(super) fn groups(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-2.2-02";
    let descending = judged(
        "descending",
        RULE,
        "the directory's group stands in front of the index's",
        small(&page.values("descending")),
        |plan| plan.reorder("ChunkIndex", "StreamDirectory"),
        // The one that comes too early, or the one that comes too late.
        Finding::error(RULE).at("StreamDirectory").at("ChunkIndex"),
    );
    let recurring = judged(
        "second-run",
        RULE,
        "a schema's copy stands behind the streams', in a second run of its opcode",
        two_schemas(plan(&page.values("second-run"))),
        |plan| plan.reorder("summary Schema 2", "summary Stream 1"),
        Finding::error(RULE).at("summary Schema 2"),
    );
    vec![descending, recurring]
}

pub(super) fn contents(page: &Page) -> Vec<Draft> {
    let lacking = |name: &str, label: &str| {
        judged(
            name,
            "CA3-2.4-03",
            &format!("a sealed file without {label}, and without its SummaryOffset"),
            plan(&page.values(name)),
            |plan| plan.leave_out(label),
            // What is not there has no place.
            Finding::error("CA3-2.4-03"),
        )
    };
    const OFFSETS: &str = "CA3-2.4-04";
    let missing = judged(
        "group-without-offset",
        OFFSETS,
        "a summary group that no SummaryOffset names",
        plan(&page.values("group-without-offset")),
        |plan| plan.leave_out("SummaryOffset 09"),
        Finding::error(OFFSETS),
    );
    let twice = judged(
        "group-with-two-offsets",
        OFFSETS,
        "a summary group that two SummaryOffsets name",
        plan(&page.values("group-with-two-offsets")),
        |plan| plan.repeat("SummaryOffset 09"),
        Finding::error(OFFSETS)
            .at("SummaryOffset 09 again")
            .at("SummaryOffset 09"),
    );
    vec![
        lacking("no-chunk-index", "ChunkIndex"),
        lacking("no-stream-directory", "StreamDirectory"),
        lacking("no-statistics", "Statistics"),
        missing,
        twice,
    ]
}

pub(super) fn features(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-3.3-08";
    let name = "zstd-undeclared";
    vec![judged(
        name,
        RULE,
        "a zstd chunk in a file whose bit 0 is clear",
        plan_with(&page.values(name), ZSTD)
            .stream(stream(1))
            .chunk(Chunk::two(1).zstd()),
        |plan| plan.replace_field("Header", "required_features", &[0; 8]),
        Finding::error(RULE).at("Chunk 1").at("Header"),
    )]
}

pub(super) fn definitions(page: &Page) -> Vec<Draft> {
    const RESTATED: &str = "CA3-5-02";
    let stream_left_out = judged(
        "stream-not-restated",
        RESTATED,
        "of two streams the summary restates one",
        small(&page.values("stream-not-restated"))
            .stream(stream(2))
            .chunk(Chunk::plain(2, &[(2_020, b"three")])),
        |plan| plan.leave_out("summary Stream 2"),
        Finding::error(RESTATED).stream(2),
    );
    let schema_left_out = judged(
        "schema-not-restated",
        RESTATED,
        "of two schemas the summary restates one",
        two_schemas(plan(&page.values("schema-not-restated"))),
        |plan| plan.leave_out("summary Schema 2"),
        Finding::error(RESTATED),
    );
    let group_left_out = judged(
        "no-stream-restated",
        RESTATED,
        "the summary has no group of streams at all",
        small(&page.values("no-stream-restated")),
        |plan| plan.leave_out("summary Stream 1"),
        Finding::error(RESTATED).stream(1),
    );
    const EQUAL: &str = "CA3-5-03";
    let unequal = judged(
        "copies-differ",
        EQUAL,
        "the summary's copy of a stream has another topic",
        small(&page.values("copies-differ")),
        |plan| plan.replace_field("summary Stream 1", "topic", &string(b"other")),
        Finding::error(EQUAL).at("summary Stream 1"),
    );
    vec![stream_left_out, schema_left_out, group_left_out, unequal]
}

pub(super) fn footer(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-13.1-09";
    let v = page.values("summary-inside-a-chunk");
    // Frame and 11 bytes of the chunk's header: no record begins there.
    let inside = small(&v).offset_of("Chunk 1").saturating_add(20);
    let in_a_chunk = judged(
        "summary-inside-a-chunk",
        RULE,
        "summary_start lies inside a chunk",
        small(&v),
        |plan| {
            plan.edit_footer(
                "summary_start",
                &format!("summary_start becomes {inside}, inside Chunk 1"),
                move |footer| footer.summary_start = inside,
            )
        },
        Finding::error(RULE).at("Footer"),
    );
    let reversed = judged(
        "sections-reversed",
        RULE,
        "the summary is said to begin behind the offset section",
        small(&page.values("sections-reversed")),
        |plan| {
            plan.edit_footer(
                "",
                "summary_start and summary_offset_start are exchanged",
                |footer| {
                    std::mem::swap(&mut footer.summary_start, &mut footer.summary_offset_start);
                },
            )
        },
        Finding::error(RULE).at("Footer"),
    );
    let checkpoint = judged(
        "last-checkpoint-inside-a-record",
        RULE,
        "last_checkpoint_offset lies a byte behind the checkpoint's opcode",
        small(&page.values("last-checkpoint-inside-a-record")).checkpoint(true, Vec::new()),
        |plan| {
            plan.edit_footer(
                "last_checkpoint_offset",
                "last_checkpoint_offset is one larger",
                |footer| {
                    footer.last_checkpoint_offset = footer.last_checkpoint_offset.saturating_add(1);
                },
            )
        },
        Finding::error(RULE).at("Footer"),
    );
    vec![in_a_chunk, reversed, checkpoint]
}

/// What no file shows is listed, and no finding is made of it (§15.2).
pub(super) fn uncheckable(page: &Page) -> Vec<Draft> {
    let name = "listed";
    let case = Draft::new(
        name,
        &["CA3-15.2-01"],
        "a file in order: the report says what it cannot tell of any file",
    )
    .listed(two_schemas(plan(&page.values(name))))
    .wrong_answer("conformance is reported, and nothing is listed as unchecked");
    vec![case]
}

pub(super) fn reserved(page: &Page) -> Vec<Draft> {
    const BITS: &str = "CA3-15-08";
    let bit = judged(
        "feature-bit-3",
        BITS,
        "a feature bit that the document does not assign",
        one_stream(&page.values("feature-bit-3")),
        |plan| plan.replace_field("Header", "required_features", &8u64.to_le_bytes()),
        Finding::error(BITS).at("Header"),
    );
    const OPCODES: &str = "CA3-15-09";
    let opcode = judged(
        "reserved-record",
        OPCODES,
        "a record that version 1 reserves and never writes",
        between_chunks(&page.values("reserved-record"), op::PADDING, b"filler"),
        |plan| plan.opcode("record 1", 0x46),
        // No writer emits one; a reader skips it all the same.
        Finding::error_or_warning(OPCODES).at("record 1"),
    );
    vec![bit, opcode]
}
