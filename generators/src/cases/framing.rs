//! Item 3: record framing and integer layout (§1.1, §1.2, §2.4, §3, §4).

use ca3_spec::kind::Kind::{
    BadAlignment, BadLength, BadOrder, DuplicateReference, InvalidOpcode, LimitExceeded, Other,
    TruncatedRecord, UnknownOpcode, UnresolvedReference, UnsupportedFeature,
};
use ca3_spec::opcode::op;
use ca3_wire::Map;
use ca3_wire::records::{Metadata, Record};

use super::{Page, between_chunks, one_stream, plan, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{At, Chunk, LengthClaim, schema, stream};

const PAST_THE_END: &str = "A length past the end that is believed makes a reader wait, take memory, \
     or drop every record behind it without a word.";

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();

    let v = page.values("little-endian-reference");
    let stream_ref = v.u32("stream_ref", 258, 257..=0xFFFF) | 1 << 8;
    let swapped = stream_ref.swap_bytes();
    let valid = plan(&v)
        .stream(stream(stream_ref))
        .chunk(Chunk::two(stream_ref));
    cases.push(
        Draft::new(
            "little-endian-reference",
            &["CA3-1.1-01"],
            "a reference is stored least significant byte first",
        )
        .valid(valid.clone())
        .invalid(
            valid.edit_chunk(
                "Chunk 1",
                "stream_ref",
                "stream_ref is stored most significant byte first",
                |chunk| chunk.stream_ref = swapped,
            ),
            surface(&[UnresolvedReference]).forbid(&[b"one", b"two"]),
        ),
    );

    let v = page.values("count-beyond-record");
    let header = ca3_wire::records::Header {
        profile: "profile".to_owned(),
        ..super::header_of(&v)
    };
    let valid = crate::Plan::with_header(header)
        .stream(stream(1))
        .chunk(Chunk::two(1));
    cases.push(
        Draft::new(
            "count-beyond-record",
            &["CA3-1.2-11"],
            "a string count of 4 GiB in a record of a hundred bytes",
        )
        .valid(valid.clone())
        .invalid(
            valid.patch_field("Header", "profile", 0, &[0xFF; 4]),
            surface(&[BadLength, LimitExceeded]),
        ),
    );
    let v = page.values("map-count-beyond-record");
    cases.push(
        Draft::new(
            "map-count-beyond-record",
            &["CA3-1.2-11"],
            "a map count of 2^32 - 1 over no entry",
        )
        .valid(small(&v))
        .invalid(
            small(&v).replace_field("Header", "attributes.count", &[0xFF; 4]),
            surface(&[BadLength, LimitExceeded]),
        ),
    );
    let v = page.values("descriptor-count-beyond-record");
    let valid = plan(&v).schema(schema(1));
    cases.push(
        Draft::new(
            "descriptor-count-beyond-record",
            &["CA3-1.2-11"],
            "a bytes64 count of 2^64 - 1",
        )
        .valid(valid.clone())
        .invalid(
            valid.patch_field("Schema 1", "descriptor", 0, &[0xFF; 8]),
            surface(&[BadLength, LimitExceeded]),
        ),
    );

    let v = page.values("smallest-sealed-file");
    cases.push(
        Draft::new(
            "smallest-sealed-file",
            &["CA3-2.4-01"],
            "no stream, no message: three summary groups, their offsets, Footer, magic",
        )
        .valid(plan(&v))
        .invalid(
            plan(&v).remove_header(),
            surface(&[
                Other,
                BadOrder,
                BadLength,
                InvalidOpcode,
                UnsupportedFeature,
            ]),
        ),
    );

    let v = page.values("length-of-eight-bytes");
    let valid = one_stream(&v)
        .record(op::PADDING, &[0xAA; 300])
        .chunk(Chunk::two(1));
    cases.push(
        Draft::new(
            "length-of-eight-bytes",
            &["CA3-3-01"],
            "a record's length takes eight bytes",
        )
        .valid(valid.clone())
        .invalid(
            valid.claim("record 1", LengthClaim::Bytes(vec![0x2C, 0x01, 0, 0])),
            surface(&[
                BadLength,
                InvalidOpcode,
                UnknownOpcode,
                TruncatedRecord,
                LimitExceeded,
            ]),
        ),
    );
    let v = page.values("length-without-frame");
    let valid = plan(&v)
        .stream(stream(1))
        .stream(stream(2))
        .chunk(Chunk::two(1));
    cases.push(
        Draft::new(
            "length-without-frame",
            &["CA3-3-02"],
            "a record's length does not count its nine framing bytes",
        )
        .valid(valid.clone())
        .invalid(
            valid.claim("Stream 1", LengthClaim::Off(9)),
            surface(&[
                BadLength,
                InvalidOpcode,
                UnknownOpcode,
                TruncatedRecord,
                BadAlignment,
            ]),
        ),
    );
    let v = page.values("length-beyond-the-file");
    cases.push(
        Draft::new(
            "length-beyond-the-file",
            &["CA3-3-02"],
            "a record of 2^64 - 1 bytes in a file of a few hundred",
        )
        .why(PAST_THE_END)
        .valid(between_chunks(&v, 0x60, b"xyz"))
        .invalid(
            between_chunks(&v, 0x60, b"xyz").claim("record 1", LengthClaim::Value(u64::MAX)),
            surface(&[BadLength, TruncatedRecord, LimitExceeded]),
        ),
    );
    let v = page.values("empty-content");
    let valid = one_stream(&v)
        .session(super::session::session())
        .record(op::PADDING, &[])
        .chunk(Chunk::two(1));
    cases.push(
        Draft::new(
            "empty-content",
            &["CA3-3-03"],
            "length 0 is legal where a record has no fixed fields, and short content is not",
        )
        .valid(valid.clone())
        .invalid(
            valid.cut_inside("Session 1", "security_tier", 0),
            surface(&[BadLength]),
        ),
    );

    let v = page.values("header-first");
    let metadata = Metadata {
        name: "note".to_owned(),
        entries: Map::sorted([("k", "v")]),
    };
    let valid = small(&v).record(op::METADATA, &metadata.content().unwrap_or_default());
    cases.push(
        Draft::new(
            "header-first",
            &["CA3-4-01"],
            "the Header is the first record",
        )
        .valid(valid.clone())
        .may_report_any()
        .invalid(
            valid.last_to_front(),
            surface(&[
                Other,
                BadOrder,
                InvalidOpcode,
                BadLength,
                UnsupportedFeature,
            ]),
        ),
    );
    let v = page.values("one-header");
    cases.push(
        Draft::new("one-header", &["CA3-4-02"], "there is exactly one Header")
            .valid(small(&v))
            .invalid(
                small(&v).second_header(&ca3_wire::records::Header {
                    library: "another".to_owned(),
                    ..super::header_of(&v)
                }),
                surface(&[Other, DuplicateReference, BadOrder, InvalidOpcode]),
            ),
    );
    let v = page.values("header-cut");
    cases.push(
        Draft::new(
            "frame-cut-in-a-sealed-file",
            &["CA3-3-02"],
            "a record's length reaches past the trailing magic",
        )
        .why(PAST_THE_END)
        .valid(small(&v))
        .invalid(
            small(&v).claim("Chunk 1", LengthClaim::Off(0x1_0000)),
            surface(&[BadLength, TruncatedRecord, BadOrder, LimitExceeded]),
        ),
    );
    let v = page.values("twenty-records");
    let valid = (0..20u64).fold(one_stream(&v), |plan, index| {
        let length = usize::try_from(index).unwrap_or_default();
        plan.record(op::PADDING, &vec![0x05; length])
    });
    cases.push(
        Draft::new(
            "records-back-to-back",
            &["CA3-3-02"],
            "twenty records of 0 to 19 bytes: each begins where the one before ends",
        )
        .valid(valid.clone().chunk(Chunk::two(1)))
        .invalid(
            valid
                .chunk(Chunk::two(1))
                .patch(At::record("record 12", 1), &[10])
                .what("record 12: the length says one byte less than the content holds"),
            surface(&[
                BadLength,
                InvalidOpcode,
                UnknownOpcode,
                TruncatedRecord,
                BadOrder,
            ]),
        ),
    );
    let v = page.values("length-over-32-bits");
    cases.push(
        Draft::new(
            "length-over-32-bits",
            &["CA3-3-01"],
            "a length of 2^32 + 3 over a content of 3 bytes",
        )
        .why(PAST_THE_END)
        .valid(between_chunks(&v, 0x60, b"xyz"))
        .invalid(
            between_chunks(&v, 0x60, b"xyz").claim("record 1", LengthClaim::Value((1 << 32) + 3)),
            surface(&[BadLength, TruncatedRecord, LimitExceeded]),
        ),
    );
    let v = page.values("content-over-16-bits");
    cases.push(
        Draft::new(
            "content-over-16-bits",
            &["CA3-3-01"],
            "a record of 70,000 bytes is stepped over",
        )
        .valid(between_chunks(&v, 0x60, &[0x05; 70_000]))
        .invalid(
            between_chunks(&v, 0x60, &[0x05; 70_000]).claim("record 1", LengthClaim::Off(-65_536)),
            surface(&[
                BadLength,
                InvalidOpcode,
                UnknownOpcode,
                TruncatedRecord,
                BadOrder,
            ]),
        ),
    );
    cases
}
