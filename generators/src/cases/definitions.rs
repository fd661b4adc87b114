//! Item 6: schemas, streams, and references to them (§5).

use ca3_spec::kind::Kind::{
    self, BadLength, BadOrder, BadUtf8, DuplicateReference, LimitExceeded, MapOrder,
    UnresolvedReference, ZeroReference,
};
use ca3_wire::Map;
use ca3_wire::records::{Schema, Stream};
use serde_json::json;

use super::guards::{no_schema_field, no_stream};
use super::{Page, plan, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Definition, Plan, schema, schema_of, stream};

const MISREAD: &[Kind] = &[BadLength, BadUtf8, MapOrder, LimitExceeded];

/// A described stream: schema 1, stream 1, and two messages.
fn described(plan: Plan) -> Plan {
    plan.schema(schema(1))
        .stream(Stream {
            schema_ref: 1,
            ..stream(1)
        })
        .chunk(Chunk::two(1))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = order(page);
    cases.extend(schemas(page));
    cases.extend(stream_layout(page));
    cases.extend(references(page));
    cases
}

fn order(page: &Page) -> Vec<Draft> {
    let v = page.values("stream-before-its-chunk");
    let valid = plan(&v).stream(stream(1)).chunk(Chunk::two(1)).unsealed();
    let before = Draft::new(
        "stream-before-its-chunk",
        &["CA3-5-01"],
        "a chunk's Stream stands before it in the data section",
    )
    .valid(valid.clone())
    .invalid(
        valid.move_behind("Stream 1", "Chunk 1"),
        surface(&[UnresolvedReference, BadOrder]),
    );

    let v = page.values("stream-before-its-schema");
    let ahead = Draft::new(
        "stream-before-its-schema",
        &["CA3-5-05"],
        "a Stream ahead of its Schema, both ahead of the first chunk",
    )
    .valid(
        described(plan(&v))
            .move_behind("Schema 1", "Stream 1")
            .as_valid(),
    )
    .wrong_answer("the schema is called unresolved");

    let v = page.values("defined-in-a-checkpoint");
    let only_here = vec![
        Definition::Schema(schema(1)),
        Definition::Stream(Stream {
            schema_ref: 1,
            ..stream(1)
        }),
    ];
    let checkpoint = Draft::new(
        "defined-in-a-checkpoint",
        &["CA3-5-06"],
        "definitions that stand only in a checkpoint ahead of the first chunk",
    )
    .valid(
        plan(&v)
            .checkpoint(true, only_here)
            .chunk(Chunk::two(1))
            .unsealed(),
    )
    .wrong_answer("the stream is called unresolved");
    vec![before, ahead, checkpoint]
}

fn schemas(page: &Page) -> Vec<Draft> {
    let v = page.values("descriptor-count");
    let valid = described(plan(&v));
    let declared = schema(1).descriptor;
    let short_count = u32::try_from(declared.len())
        .unwrap_or(u32::MAX)
        .to_le_bytes();
    let count = Draft::new(
        "descriptor-count",
        &["CA3-1.2-03"],
        "a descriptor's count takes eight bytes",
    )
    .valid(valid.clone())
    .invalid(
        valid
            .replace_field(
                "Schema 1",
                "descriptor",
                &[&short_count[..], &declared].concat(),
            )
            .what("Schema 1: the count of descriptor is stored in four bytes"),
        surface(&[BadLength, LimitExceeded]).result(no_schema_field("descriptor_sha256")),
    );

    let v = page.values("schema-layout");
    let plan_of = |v| {
        plan(v)
            .schema(schema(7))
            .stream(Stream {
                schema_ref: 7,
                ..stream(1)
            })
            .chunk(Chunk::two(1))
    };
    let layout = Draft::new(
        "schema-layout",
        &["CA3-5.1-01"],
        "reference, identifier, encoding, descriptor",
    )
    .valid(plan_of(&v))
    .invalid(
        plan_of(&v)
            .replace_field("Schema 1", "encoding", b"protobuf")
            .what("Schema 1: the count of encoding is left out"),
        surface(&[BadLength, BadUtf8, LimitExceeded]),
    );

    let v = page.values("schema-zero");
    let valid = small(&v).schema(schema(1));
    let zero = Draft::new(
        "schema-zero",
        &["CA3-5.1-02"],
        "schema reference 0 cannot be declared",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Schema 1", "schema_ref", &[0; 4]),
        surface(&[ZeroReference]),
    );

    let v = page.values("schema-twice");
    let other = schema_of(2, "Other");
    let valid = described(plan(&v)).schema(other);
    let twice = Draft::new(
        "schema-twice",
        &["CA3-5.1-03"],
        "one schema reference names two different schemas",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Schema 2", "schema_ref", &[1, 0, 0, 0]),
        surface(&[DuplicateReference]),
    );

    let v = page.values("restated-in-the-summary");
    let restated = Draft::new(
        "restated-in-the-summary",
        &["CA3-5.1-04"],
        "the summary's copy of a definition is no second definition",
    )
    .valid(described(plan(&v)))
    .wrong_answer("the schema is listed twice, or refused as a duplicate");

    let v = page.values("undescribed-encoding");
    let bare = Schema {
        encoding: String::new(),
        descriptor: Vec::new(),
        ..schema(1)
    };
    let undescribed = Draft::new(
        "undescribed-encoding",
        &["CA3-5.1-08"],
        "an empty encoding and an empty descriptor: the payload is carried undescribed",
    )
    .valid(
        plan(&v)
            .schema(bare)
            .stream(Stream {
                schema_ref: 1,
                ..stream(1)
            })
            .chunk(Chunk::two(1)),
    )
    .wrong_answer("a refusal, or the payload is dropped");
    vec![count, layout, zero, twice, restated, undescribed]
}

/// A Stream with every field its own value.
fn full_stream(stream_ref: u32) -> Stream {
    Stream {
        schema_ref: 1,
        topic: format!("topic-{stream_ref}"),
        node: "node".to_owned(),
        origin: 2,
        source_clock_domain: "device-clock".to_owned(),
        operator_reference: "operator".to_owned(),
        operator_asserted_by: 3,
        authorisation_reference: "auth".to_owned(),
        authorisation_from_unix_ns: 10,
        authorisation_until_unix_ns: 20,
        nominal_rate_millihz: 59_940,
        schema_conformance: 1,
        flags: 1,
        metadata: Map::sorted([("k", "v")]),
        ..stream(stream_ref)
    }
}

fn stream_layout(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, rule, field, title) in [
        (
            "origin-byte",
            "CA3-5.7-01",
            "origin",
            "origin is one byte behind node",
        ),
        (
            "assertion-byte",
            "CA3-5.7-01",
            "operator_asserted_by",
            "operator_asserted_by is one byte behind operator_reference",
        ),
        (
            "authorisation-window",
            "CA3-5.7-02",
            "authorisation_until_unix_ns",
            "the authorisation window is two u64, from and until",
        ),
    ] {
        let v = page.values(name);
        let valid = plan(&v)
            .schema(schema(1))
            .stream(full_stream(1))
            .stream(full_stream(2))
            .chunk(Chunk::values(1));
        cases.push(
            Draft::new(name, &[rule], title)
                .valid(valid.clone())
                .invalid(
                    valid.drop_field("Stream 1", field),
                    surface(MISREAD).result(no_stream()),
                ),
        );
    }
    let v = page.values("flags-width");
    let valid = plan(&v)
        .schema(schema(1))
        .stream(full_stream(1))
        .chunk(Chunk::values(1));
    cases.push(
        Draft::new(
            "flags-width",
            &["CA3-5.7-02"],
            "Stream.flags takes four bytes",
        )
        .valid(valid.clone())
        .invalid(
            valid
                .replace_field("Stream 1", "flags", &[1, 0])
                .what("Stream 1: flags is stored in two bytes"),
            surface(MISREAD).result(no_stream()),
        ),
    );
    cases
}

fn references(page: &Page) -> Vec<Draft> {
    let v = page.values("stream-zero");
    let valid = small(&v).stream(stream(2));
    let zero = Draft::new(
        "stream-zero",
        &["CA3-5.7-03"],
        "stream reference 0 cannot be declared",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Stream 2", "stream_ref", &[0; 4]),
        surface(&[ZeroReference]),
    );

    let v = page.values("stream-twice");
    let valid = small(&v).stream(stream(2));
    let twice = Draft::new(
        "stream-twice",
        &["CA3-5.7-04"],
        "one stream reference names two different streams",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Stream 2", "stream_ref", &[1, 0, 0, 0]),
        surface(&[DuplicateReference]),
    );

    let v = page.values("chunk-of-no-stream");
    let undeclared = v.u32("stream_ref", 9, 9..=u32::MAX);
    let unresolved = Draft::new(
        "chunk-of-no-stream",
        &["CA3-5.7-05"],
        "a chunk names a stream that nothing declares",
    )
    .valid(small(&v))
    .invalid(
        small(&v).edit_chunk(
            "Chunk 1",
            "stream_ref",
            &format!("stream_ref becomes {undeclared}"),
            |chunk| chunk.stream_ref = undeclared,
        ),
        surface(&[UnresolvedReference])
            .forbid(&[b"one", b"two"])
            .result(json!({
                "streams": {"$not": {"$contains": [{"stream_ref": undeclared}]}}
            })),
    );

    let v = page.values("stream-of-no-schema");
    let no_schema = Draft::new(
        "stream-of-no-schema",
        &["CA3-5.7-06"],
        "a stream names a schema that nothing declares",
    )
    .valid(described(plan(&v)))
    .invalid(
        described(plan(&v)).replace_field("Stream 1", "schema_ref", &[5, 0, 0, 0]),
        surface(&[UnresolvedReference]),
    );

    let v = page.values("schema-reference-zero");
    let undescribed = Draft::new(
        "schema-reference-zero",
        &["CA3-5.7-07"],
        "a stream's schema reference of 0 means undescribed",
    )
    .valid(small(&v))
    .wrong_answer("0 is refused as unresolved");

    let v = page.values("chunk-of-stream-zero");
    let of_zero = Draft::new(
        "chunk-of-stream-zero",
        &["CA3-5.7-05"],
        "a chunk names stream 0, which nothing can declare",
    )
    .valid(small(&v))
    .invalid(
        small(&v).edit_chunk("Chunk 1", "stream_ref", "stream_ref becomes 0", |chunk| {
            chunk.stream_ref = 0;
        }),
        surface(&[UnresolvedReference, ZeroReference]).forbid(&[b"one", b"two"]),
    );

    let v = page.values("interleaved-streams");
    let interleaved = [(2, "a"), (1, "b"), (2, "c"), (1, "d")]
        .iter()
        .zip(1u64..)
        .fold(
            plan(&v).stream(stream(1)).stream(stream(2)),
            |plan, ((stream_ref, payload), at)| {
                let messages = [
                    (at * 1_000, payload.as_bytes()),
                    (at * 1_000 + 7, b"tail".as_slice()),
                ];
                plan.chunk(Chunk::plain(*stream_ref, &messages))
            },
        );
    let interleaved = Draft::new(
        "interleaved-streams",
        &["CA3-5.7-05"],
        "chunks of two streams in turn: messages come back in file order",
    )
    .valid(interleaved.clone())
    .invalid(
        interleaved.edit_chunk("Chunk 3", "stream_ref", "stream_ref becomes 3", |chunk| {
            chunk.stream_ref = 3;
        }),
        surface(&[UnresolvedReference]).forbid(&[b"c"]),
    );
    vec![
        zero,
        twice,
        unresolved,
        no_schema,
        undescribed,
        of_zero,
        interleaved,
    ]
}
