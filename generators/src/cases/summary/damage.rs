//! Indexed operations on what is not in order elsewhere: a chunk that the index
//! does not need, a file whose writer was killed, a damaged summary (§1.4, §8.3).

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, IndexMismatch, Other, TruncatedRecord, VarintNotCanonical,
};
use serde_json::{Value, json};

use super::super::Page;
use super::paired;
use crate::asking::index_of;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::At;
use crate::{Ask, Plan};

/// Structure is there for a reader without a varint decoder.
pub(in super::super) fn structure(page: &Page) -> Vec<Draft> {
    let v = page.values("padded-varint");
    let (pair, valid) = paired(&v);
    let padded = valid.clone().edit_chunk(
        "Chunk 1",
        "message[1].stamp_delta",
        "delta 10 is stored as 8A 00",
        |chunk| {
            if let Some(message) = chunk.at(1) {
                message.stamp_delta = vec![0x8A, 0x00];
            }
        },
    );
    let withheld = [pair.payload(0), pair.payload(1)];
    let mut asks = vec![Ask::read()];
    asks.extend(pair.asks());
    vec![
        Draft::new(
            "padded-varint",
            &["CA3-1.4-07"],
            "a varint in longer form in a chunk: read rejects it, and the index is there",
        )
        .valid_asked(valid, asks)
        .invalid_asked(
            padded,
            vec![
                Ask::index().may_report(&[VarintNotCanonical, Other]),
                Ask::read().surfaces(surface(&[VarintNotCanonical]).forbid(&withheld)),
            ],
        ),
    ]
}

/// Only what no recovered table can lack: its chunks, and whose they are.
fn recovered(sealed: &Plan) -> Value {
    let right = index_of(sealed);
    let rows = |table: &str, members: &[&str]| -> Value {
        let rows = right.get(table).and_then(Value::as_array);
        let rows = rows.map_or(&[][..], Vec::as_slice).iter();
        rows.map(|row| {
            let kept = members.iter().map(|name| {
                let value = row.get(name).cloned().unwrap_or_default();
                ((*name).to_owned(), value)
            });
            Value::Object(kept.collect())
        })
        .collect()
    };
    let entry = [
        "chunk_offset",
        "chunk_length",
        "min_stamp_ns",
        "max_stamp_ns",
        "message_count",
        "stream_ref",
    ];
    json!({
        "entries": rows("entries", &entry),
        "directory": rows("directory", &["stream_ref", "index_count", "message_count"]),
        "summary_groups": {"$one_of": [{"$absent": true}, []]},
    })
}

pub(in super::super) fn indexed(page: &Page) -> Vec<Draft> {
    let v = page.values("unsealed");
    let (pair, sealed) = paired(&v);
    let may = [TruncatedRecord, Other];
    let asks = [
        Ask::index().holds(recovered(&sealed)),
        pair.state(1),
        pair.state(3),
        pair.window(),
    ];
    let unsealed = Draft::new(
        "unsealed",
        &["CA3-8.3-21"],
        "an unsealed file of two chunks: the right answer, or refused; never an empty one",
    )
    .valid_asked(
        sealed.unsealed(),
        asks.into_iter()
            .map(|ask| ask.may_report(&may).or_refused(&may))
            .collect(),
    )
    .wrong_answer("an empty index, or messages missing");

    let v = page.values("damaged-summary");
    let (pair, valid) = paired(&v);
    // Frame 9, table head 8, one entry 56, offset and length 16: min_stamp_ns of
    // the second entry. Its highest byte puts the chunk behind every instant.
    let spoilt = valid
        .clone()
        .patch(At::record("ChunkIndex", 9 + 8 + 56 + 16 + 7), &[0x40])
        .what("ChunkIndex: the highest byte of the second entry's min_stamp_ns becomes 40");
    let may = [BadCrc, BadLength, IndexMismatch, Other];
    let asks = [pair.state(3), pair.state(1), pair.window()];
    let damaged = Draft::new(
        "damaged-summary",
        &["CA3-8.3-21"],
        "an index that its checksum betrays: a query is answered from elsewhere, or refused",
    )
    .valid_asked(valid, pair.asks())
    .invalid_asked(
        spoilt,
        asks.into_iter()
            .map(|ask| ask.may_report(&may).or_refused(&may))
            .collect(),
    );
    vec![unsealed, damaged]
}
