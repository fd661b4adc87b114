//! Item 24: rows of a rebuilt directory, and sequences of rebuilt entries
//! (§6.4, §7.1, §7.3).

use serde_json::{Value, json};

use super::super::timeline::Timeline;
use super::super::{Page, plan};
use super::chained::by_chain;
use crate::asking::index_of;
use crate::plan::{Chunk, Decoded, Plan, Sample, stream};
use crate::recovering::rebuilt_directory;
use crate::{Draft, Values};

const RULE: &str = "CA3-8.3-16";

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = rows(page);
    cases.extend(sequences(page));
    cases
}

fn rows(page: &Page) -> Vec<Draft> {
    let v = page.values("counters-that-died");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .stream(stream(1))
        .stream(stream(2))
        .chunk(line.chunk(2, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .unsealed();
    let unknown = |mut row: Value| {
        if let Value::Object(members) = &mut row {
            for counter in ["dropped_by_queue", "never_arrived", "reordered"] {
                members.insert(counter.to_owned(), Value::Null);
            }
        }
        row
    };
    let Value::Array(known) = rebuilt_directory(&file) else {
        return Vec::new();
    };
    let rows: Vec<Value> = known.into_iter().map(unknown).collect();
    let counters = Draft::new(
        "counters-that-died",
        &[RULE],
        "what only the recorder counted is null in a rebuilt directory",
    )
    .wrong_answer("0 dropped, which claims that nothing was");
    let counters = of_rows(counters, &file, json!(rows));

    // Streams 1 and 3 have a chunk each, stream 2 has none.
    let v = page.values("stream-without-chunks");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .stream(stream(1))
        .stream(stream(2))
        .stream(stream(3))
        .chunk(line.chunk(3, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .unsealed();
    let row = |stream_ref: u32, flags: u32, first: u32, count: u32| {
        json!({
            "stream_ref": stream_ref,
            "flags": flags,
            "first_index": first,
            "index_count": count,
            "chunk_count": count.to_string(),
        })
    };
    let rows = [row(1, 0, 0, 1), row(2, 0, 0, 0), row(3, 0, 1, 1)];
    let idle = Draft::new(
        "stream-without-chunks",
        &[RULE],
        "a declared stream of which no chunk was found has a row: first_index 0, no entries",
    )
    .wrong_answer("no row, or the place where its entries would stand");
    vec![counters, of_rows(idle, &file, json!(rows))]
}

/// A case of these rows in the directory of a chain of one checkpoint.
fn of_rows(draft: Draft, file: &Plan, rows: Value) -> Draft {
    draft.readings(&["G51", "G137"]).valid_asked(
        file.clone(),
        vec![by_chain(file, 1).holds(json!({"directory": rows}))],
    )
}

/// Messages with these sequences, in order of their stamps.
fn numbered(line: &Timeline, from: u64, sequences: &[u32]) -> Chunk {
    let samples: Vec<Sample> = (from..)
        .zip(sequences)
        .map(|(place, sequence)| {
            let sample = line.sample(1, place);
            Sample::new(
                Decoded::at(line.at(place)).sequence(*sequence),
                &sample.payload,
            )
        })
        .collect();
    Chunk::of(1, &samples)
}

/// `seq_first` and `seq_last` of entries that the walk rebuilds.
fn sequences(page: &Page) -> Vec<Draft> {
    let case = |[name, title, wrong, why]: [&str; 4],
                readings: &[&str],
                chunks: &dyn Fn(&Values, &Timeline) -> [Chunk; 2],
                owed: &[(usize, u32, u32)]| {
        let v = page.values(name);
        let line = Timeline::new(&v);
        let [first, second] = chunks(&v, &line);
        let file = plan(&v)
            .stream(stream(1))
            .chunk(line.chunk(1, &[0]))
            .checkpoint(false, Vec::new())
            .chunk(first)
            .chunk(second)
            .unsealed();
        Draft::new(name, &[RULE], title)
            .why(why)
            .readings(readings)
            .valid_asked(
                file.clone(),
                vec![by_chain(&file, 1).holds(ends(&file, owed))],
            )
            .wrong_answer(wrong)
    };
    vec![
        // §6.4: the number behind 4294967295 is 1. Four messages from
        // 4294967294 on: 4294967294, 4294967295, 1, 2.
        case(
            [
                "sequences-of-a-run",
                "a run without bit 3 that goes round: its last sequence is 2",
                "1, by arithmetic modulo 2^32, or message_count added to seq_first",
                "The number behind the greatest is 1, for 0 says that there is none. An end that \
                 is counted otherwise makes a gap, or hides one, between this chunk and the next.",
            ],
            &[],
            &|v, line| {
                // seq_first s and three messages: s, s + 1, s + 2.
                let start = v.u32("seq_first", 7, 1..=1 << 30);
                [
                    numbered(line, 1, &[start, start + 1, start + 2]),
                    numbered(line, 4, &[u32::MAX - 1, u32::MAX, 1, 2]),
                ]
            },
            &[(2, u32::MAX - 1, 2)],
        ),
        // Nothing is counted from a seq_first of 0.
        case(
            [
                "no-sequences",
                "chunks whose messages carry no sequence: first and last are 0",
                "sequences counted from 0",
                "Numbers that nobody gave make a stream without sequences look like one whose \
                 losses were counted.",
            ],
            &[],
            &|_, line| [line.chunk(1, &[1, 2]), line.chunk(1, &[3, 4, 5])],
            &[(1, 0, 0), (2, 0, 0)],
        ),
        // Stored 5, 9, 8: the last stored one, not the greatest, nor 5 + 3 - 1 = 7.
        case(
            [
                "last-stored-sequence",
                "sequences 5, 9, 8 as stored: the last is 8",
                "9, the greatest, or 7, which is 5 + 3 - 1",
                "The end of a chunk's sequences is what its last message carries. The greatest, or \
                 one that is counted, finds losses between chunks that never were.",
            ],
            &["G51"],
            &|_, line| [numbered(line, 1, &[5, 9, 8]), line.chunk(1, &[4, 5])],
            &[(1, 5, 8), (2, 0, 0)],
        ),
    ]
}

/// Entries of the plan, whose ends by index are these, stated by hand.
fn ends(file: &Plan, owed: &[(usize, u32, u32)]) -> Value {
    let index = index_of(file);
    let entries = index.get("entries").and_then(Value::as_array);
    let mut entries = entries.cloned().unwrap_or_default();
    for (at, first, last) in owed {
        if let Some(Value::Object(entry)) = entries.get_mut(*at) {
            entry.insert("seq_first".to_owned(), json!(first));
            entry.insert("seq_last".to_owned(), json!(last));
        }
    }
    json!({"entries": entries})
}
