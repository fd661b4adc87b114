//! Item 8: a file that is not sealed is stated as such (§2.1, §2.4, §8.3).

use ca3_spec::kind::Kind::{self, BadLength, BadMagic, Other, TruncatedRecord, UnknownOpcode};
use ca3_wire::records::Stream;
use serde_json::{Value, json};

use super::guards::{no_session, no_stream};
use super::{Page, later_chunk, one_stream, plan, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{At, Chunk, Plan, schema, stream};

const CUT: &[Kind] = &[TruncatedRecord];

/// What stands in messages when `one` and `two` come back and nothing else.
fn first_two() -> Value {
    json!({"messages": [
        {"monotonic_timestamp_ns": "2000", "payload": "6f6e65"},
        {"monotonic_timestamp_ns": "2010", "payload": "74776f"},
    ]})
}

/// Two whole chunks, not sealed.
fn two_chunks(plan: Plan) -> Plan {
    plan.chunk(Chunk::two(1)).chunk(later_chunk()).unsealed()
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = trailing_magic(page);
    cases.extend(inside_records(page));
    let v = page.values("repeated-definitions");
    cases.push(
        Draft::new(
            "cut-behind-the-summary",
            &["CA3-8.3-23"],
            "the Footer never came: the summary's definitions repeat those of the data section",
        )
        .valid(small(&v).cut_behind_summary())
        .wrong_answer("a duplicate reference is reported"),
    );
    cases
}

fn trailing_magic(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("no-trailing-magic");
    cases.push(
        Draft::new(
            "no-trailing-magic",
            &["CA3-2.1-04"],
            "the file ends behind its Footer: everything is there but the seal",
        )
        .valid(small(&v))
        .invalid(
            small(&v).truncate(At::End(8)),
            surface(CUT).or_truncated().result(first_two()),
        ),
    );
    for cut in 1..=7u64 {
        let name = format!("magic-cut-by-{cut}");
        let v = page.values(&name);
        cases.push(
            Draft::new(
                &name,
                &["CA3-2.1-06"],
                &format!("the trailing magic lacks its last {cut} bytes"),
            )
            // Only the kind is open (reading G86), and both kinds are listed.
            .readings(&["G20"])
            .valid(small(&v))
            .invalid(
                small(&v).truncate(At::End(cut)),
                surface(&[TruncatedRecord, UnknownOpcode]).or_truncated(),
            ),
        );
    }
    let v = page.values("byte-behind-the-magic");
    cases.push(
        Draft::new(
            "byte-behind-the-magic",
            &["CA3-2.1-06"],
            "a byte follows the trailing magic: the file does not end with it",
        )
        // Only the kind is open (reading G86), and both kinds are listed.
        .readings(&["G20"])
        .valid(small(&v))
        .invalid(
            small(&v).append_to_file(&[0]),
            surface(&[TruncatedRecord, UnknownOpcode]).or_truncated(),
        ),
    );
    let v = page.values("magic-alone");
    cases.push(
        Draft::new(
            "magic-alone",
            &["CA3-2.1-05"],
            "eight bytes of magic are no sealed file: the leading magic is not the trailing one",
        )
        .valid_surfacing(
            plan(&v).truncate(At::Start(8)).as_valid(),
            surface(&[BadMagic, TruncatedRecord, BadLength, Other]).or_truncated(),
        )
        .wrong_answer("sealed or complete is true"),
    );
    cases
}

fn inside_records(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("header-cut");
    cases.push(
        Draft::new(
            "header-cut",
            &["CA3-2.4-06"],
            "magic and Header are a legal file, and half a Header is not",
        )
        .valid(plan(&v).unsealed())
        .invalid(
            plan(&v).unsealed().truncate(At::Start(30)),
            surface(&[TruncatedRecord, BadLength]).or_truncated(),
        ),
    );
    // 9 framing bytes, 77 of header, then 5 and 6 bytes of messages.
    for (name, keep, title) in [
        (
            "cut-behind-the-opcode",
            1,
            "the file ends behind a chunk's opcode",
        ),
        (
            "cut-inside-the-length",
            5,
            "the file ends inside a chunk's length",
        ),
        (
            "cut-behind-the-frame",
            9,
            "the file ends between a chunk's frame and its content",
        ),
        (
            "cut-inside-the-chunk-header",
            40,
            "the file ends inside a chunk's header",
        ),
        (
            "cut-behind-the-chunk-header",
            86,
            "the file ends between a chunk's header and its blob",
        ),
        (
            "cut-inside-the-blob",
            94,
            "the file ends inside a chunk's messages",
        ),
    ] {
        let v = page.values(name);
        cases.push(
            Draft::new(name, &["CA3-2.4-07"], title)
                .valid(two_chunks(one_stream(&v)))
                .invalid(
                    two_chunks(one_stream(&v)).truncate(At::record("Chunk 2", keep)),
                    surface(CUT)
                        .or_truncated()
                        .forbid(&[b"three", b"four"])
                        .result(first_two()),
                ),
        );
    }
    for (name, label, title) in [
        (
            "cut-inside-a-stream",
            "Stream 1",
            "the file ends inside a Stream",
        ),
        (
            "cut-inside-a-schema",
            "Schema 1",
            "the file ends inside a Schema",
        ),
        (
            "cut-inside-a-session",
            "Session 1",
            "the file ends inside a Session",
        ),
    ] {
        let v = page.values(name);
        let whole = plan(&v)
            .schema(schema(1))
            .stream(Stream {
                schema_ref: 1,
                ..stream(1)
            })
            .session(super::session::session())
            .unsealed();
        let order = match label {
            "Schema 1" => whole.move_behind("Schema 1", "Session 1").as_valid(),
            "Stream 1" => whole.move_behind("Stream 1", "Session 1").as_valid(),
            _ => whole,
        };
        let absent = match label {
            "Session 1" => no_session(),
            "Stream 1" => no_stream(),
            _ => json!({"schemas": []}),
        };
        let mut draft = Draft::new(name, &["CA3-2.4-07"], title)
            .valid(order.clone())
            .invalid(
                order.truncate(At::record(label, 20)),
                surface(CUT).or_truncated().result(absent),
            );
        if label == "Schema 1" {
            draft = draft.readings(&["G20", "G49"]);
        }
        cases.push(draft);
    }
    let v = page.values("one-byte-short");
    cases.push(
        Draft::new(
            "one-byte-short",
            &["CA3-2.4-07"],
            "the last chunk lacks its last byte",
        )
        .valid(two_chunks(one_stream(&v)))
        .invalid(
            two_chunks(one_stream(&v)).truncate(At::End(1)),
            surface(CUT)
                .or_truncated()
                .forbid(&[b"three", b"four"])
                .result(first_two()),
        ),
    );
    let v = page.values("last-record-cut");
    cases.push(
        Draft::new(
            "last-record-cut",
            &["CA3-16-01"],
            "a sealed file is complete, and one cut inside its last record is not",
        )
        .valid(small(&v))
        .invalid(
            small(&v).truncate(At::End(18)),
            surface(CUT).or_truncated().result(first_two()),
        ),
    );
    let v = page.values("cut-in-the-summary");
    cases.push(
        Draft::new(
            "cut-in-the-summary",
            &["CA3-16-01"],
            "cut inside the summary: every message is there, and the file is not complete",
        )
        .valid(small(&v))
        .invalid(
            small(&v).truncate(At::End(8 + 37 + 3 * 26 + 20)),
            surface(CUT).or_truncated().result(first_two()),
        ),
    );
    let v = page.values("unsealed-and-whole");
    cases.push(
        Draft::new(
            "ends-between-records",
            &["CA3-16-01", "CA3-2.4-07"],
            "an unsealed file that ends between two records is still not complete",
        )
        .valid(two_chunks(one_stream(&v)))
        .invalid(
            two_chunks(one_stream(&v)).truncate(At::record("Chunk 2", 0)),
            surface(CUT)
                .or_truncated()
                .forbid(&[b"three", b"four"])
                .result(first_two()),
        ),
    );
    cases
}
