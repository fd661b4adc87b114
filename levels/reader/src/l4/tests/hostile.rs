//! Files made to mislead, and what is lost where nobody looks.

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::records::{IndexEntry, Record, Schema, Stream};

use super::{Kept, all, at, ordinary, payloads, recovered};
use crate::l1::{BytesSource, Limits};
use crate::l2::tests::build::{Maker, stream};
use crate::l4::{Method, recover};

#[test]
fn a_schema_that_only_the_summary_still_has_comes_back() {
    let mut maker = Maker::new(Vec::new());
    let schema = Schema {
        schema_ref: 1,
        schema_id: "a.B".to_owned(),
        descriptor: vec![1, 2, 3],
        ..Schema::default()
    };
    let declared = maker.raw(op::SCHEMA, &schema.content().unwrap());
    let stream = Stream {
        schema_ref: 1,
        ..stream(1)
    };
    maker.raw(op::STREAM, &stream.content().unwrap());
    maker.streams = vec![stream];
    maker.chunk(1, &[(10, "a")]);
    let content = schema.content().unwrap();
    let mut bytes = maker.seal_with(|tables| tables.more.push((op::SCHEMA, content)));
    // The data section's frame is damaged, and the walk ends there.
    bytes[at(declared) + 1] ^= 0x40;
    let found = recover(&mut BytesSource(&bytes), &Limits::default()).unwrap();
    assert_eq!(found.method, Method::Summary);
    assert_eq!(found.schemas, [schema]);
    assert_eq!(payloads(&recovered(&bytes)), all("a"));
}

#[test]
fn an_entry_hides_no_bytes_where_no_chunk_stands() {
    let mut file = Kept::new();
    let chunk = file.chunk(1, &[(10, "a")]);
    file.maker.entries.push(IndexEntry {
        chunk_offset: 9,
        chunk_length: 1 << 62,
        stream_ref: 1,
        message_count: 1,
        ..IndexEntry::default()
    });
    file.checkpoint();
    let mut bytes = file.bytes();
    bytes.extend([0; 200]);
    let end = u64::try_from(bytes.len()).unwrap();
    let found = recover(&mut BytesSource(&bytes), &Limits::default()).unwrap();
    let hole = file.maker.length()..end;
    assert_eq!(found.holes, [hole]);
    assert_eq!(payloads(&recovered(&bytes)), all("a"));
    assert!(chunk > 9);
}

#[test]
fn padding_that_led_astray_may_hold_anything() {
    let mut file = ordinary();
    let padding = file.maker.raw(op::PADDING, b"xx");
    file.chunk(2, &[(50, "h"), (51, "i")]);
    let mut bytes = file.bytes();
    // Its length reaches into the chunk.
    bytes[at(padding) + 1] = 20;
    let end = u64::try_from(bytes.len()).unwrap();
    let found = recover(&mut BytesSource(&bytes), &Limits::default()).unwrap();
    let hole = padding..end;
    assert_eq!(found.holes, [hole]);
    assert_eq!(found.stop.unwrap().at, padding + 29);
}

#[test]
fn chunks_one_within_another_end() {
    // Each names the one that begins nine bytes behind it: all reach to the end, and
    // none holds.
    let mut file = Kept::new();
    let start = file.maker.length();
    let count = 4000u64;
    let end = start + 9 + 9 * count + 100_000;
    let mut nest = Vec::new();
    for index in 0..count {
        let offset = start + 9 + 9 * index;
        nest.push(5);
        nest.extend((end - offset - 9).to_le_bytes());
        file.maker.entries.push(IndexEntry {
            chunk_offset: offset,
            chunk_length: end - offset,
            stream_ref: 1,
            message_count: 1,
            ..IndexEntry::default()
        });
    }
    nest.resize(at(end - start - 9), 1);
    file.maker.raw(op::PADDING, &nest);
    file.checkpoint();
    let result = recovered(&file.bytes());
    assert!(result.messages.is_empty());
    let last = result.problems.last().unwrap();
    assert_eq!(last.kind, Kind::LimitExceeded);
    // Four times the file's length were read, and no more.
    assert!(result.problems.len() < 20, "{}", result.problems.len());
}

#[test]
fn many_checkpoints_that_no_chain_leads_to_take_one_pass() {
    let mut file = Kept::new();
    file.chunk(1, &[(10, "a")]);
    let damage = file.maker.raw(op::PADDING, b"");
    for _ in 0..3000 {
        file.checkpoints.clear();
        file.checkpoint();
        // No frame between them: the walk stops behind each.
        file.maker.bytes.push(0);
    }
    let mut bytes = file.bytes();
    bytes[at(damage)] = 0;
    let found = recover(&mut BytesSource(&bytes), &Limits::default()).unwrap();
    assert_eq!(found.checkpoints.len(), 1);
    assert_eq!(payloads(&recovered(&bytes)), all("a"));
}
