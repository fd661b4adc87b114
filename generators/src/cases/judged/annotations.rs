//! The index of intervals beside the events that it sums up (§12).
//!
//! An event is a message whose schema has a map of strings called `attributes`
//! (reading G102).

use ca3_wire::records::{AnnotationEntry, Annotations, Stream};

use super::super::{Page, plan};
use super::judged;
use crate::plan::{Chunk, Plan, attributes_in, event_payload, event_schema, marker_schema, stream};
use crate::{Draft, Finding, Values};

const LABEL: &str = "record 1";
const KEY: &str = "phase";
const REST: u32 = 0;
const TASK: u32 = 1;

/// A stream of events.
fn events(plan: Plan, stream_ref: u32) -> Plan {
    plan.stream(Stream {
        schema_ref: 1,
        ..stream(stream_ref)
    })
}

/// A chunk of events: each brings a value of the key, or, empty, none.
fn chunk(stream_ref: u32, at: &[(u64, &str)]) -> Chunk {
    chunk_of(stream_ref, at, event_payload)
}

/// Likewise, with attributes as `payload` writes them.
fn chunk_of(
    stream_ref: u32,
    at: &[(u64, &str)],
    payload: impl Fn(&[(&str, &str)]) -> Vec<u8>,
) -> Chunk {
    let payloads: Vec<(u64, Vec<u8>)> = at
        .iter()
        .map(|(stamp, value)| match *value {
            "" => (*stamp, Vec::new()),
            value => (*stamp, payload(&[(KEY, value)])),
        })
        .collect();
    let messages: Vec<(u64, &[u8])> = payloads
        .iter()
        .map(|(stamp, payload)| (*stamp, payload.as_slice()))
        .collect();
    Chunk::plain(stream_ref, &messages)
}

fn interval(value_index: u32, start: u64, end: u64, first_chunk_offset: u64) -> AnnotationEntry {
    AnnotationEntry {
        key_index: 0,
        value_index,
        stream_ref: 1,
        reserved: 0,
        start_stamp_ns: start,
        end_stamp_ns: end,
        first_chunk_offset,
    }
}

fn index(entries: &[AnnotationEntry]) -> Annotations {
    Annotations {
        keys: vec![KEY.to_owned()],
        values: vec!["rest".to_owned(), "task".to_owned()],
        entries: entries.to_vec(),
    }
}

/// Events and where their chunks lie, before the index of them is added.
struct Recorded {
    plan: Plan,
    chunks: [u64; 2],
}

/// `rest` at 10 and nothing at 20, then `task` at 30 and nothing at 50, in a
/// chunk each: `rest` holds from 10 to 30, `task` from 30 to the last message.
fn recorded(v: &Values) -> Recorded {
    of_chunks(
        events(plan(v).schema(event_schema(1)), 1),
        chunk(1, &[(10, "rest"), (20, "")]),
        chunk(1, &[(30, "task"), (50, "")]),
    )
}

fn of_chunks(plan: Plan, first: Chunk, second: Chunk) -> Recorded {
    let plan = plan.chunk(first).chunk(second);
    let chunks = [plan.offset_of("Chunk 1"), plan.offset_of("Chunk 2")];
    Recorded { plan, chunks }
}

impl Recorded {
    fn intervals(&self) -> [AnnotationEntry; 2] {
        let [first, second] = self.chunks;
        [
            interval(REST, 10, 30, first),
            interval(TASK, 30, 50, second),
        ]
    }
}

/// A case whose invalid index has other entries.
fn entries(
    name: &str,
    rule: &str,
    title: &str,
    recorded: Recorded,
    right: &[AnnotationEntry],
    wrong: (&[AnnotationEntry], &str, &str),
) -> Draft {
    let (wrong, field, what) = wrong;
    judged(
        name,
        rule,
        title,
        recorded.plan.annotation(&index(right)),
        |plan| plan.rewrite(LABEL, &index(wrong), field, what),
        Finding::error(rule).at(LABEL),
    )
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = table(page);
    cases.extend(references(page));
    cases.extend(intervals(page));
    cases.extend(extents(page));
    cases.extend(told_by_events(page));
    cases
}

fn whole(v: &Values) -> Plan {
    let recorded = recorded(v);
    let right = recorded.intervals();
    recorded.plan.annotation(&index(&right))
}

fn table(page: &Page) -> Vec<Draft> {
    const LAYOUT: &str = "CA3-12-02";
    let count = judged(
        "entry-count",
        LAYOUT,
        "three entries are counted and two present",
        whole(&page.values("entry-count")),
        |plan| plan.replace_field(LABEL, "entry_count", &3u32.to_le_bytes()),
        Finding::error(LAYOUT).at(LABEL),
    );
    let v = page.values("start-and-end");
    let of_file = recorded(&v);
    let right = of_file.intervals();
    let [first, second] = right;
    let backwards = AnnotationEntry {
        start_stamp_ns: 30,
        end_stamp_ns: 10,
        ..first
    };
    let exchanged = entries(
        "start-and-end",
        LAYOUT,
        "start and end of an interval are exchanged",
        of_file,
        &right,
        (
            &[backwards, second],
            "entries[0].start_stamp_ns",
            "the first interval starts at 30 and ends at 10",
        ),
    );

    const STRIDE: &str = "CA3-12-03";
    let v = page.values("entry-size");
    // `rest` alone, to the last message, so that one entry is all of it.
    let alone = of_chunks(
        events(plan(&v).schema(event_schema(1)), 1),
        chunk(1, &[(10, "rest"), (20, "")]),
        chunk(1, &[(30, "rest"), (50, "")]),
    );
    let [first, _] = alone.chunks;
    let one = Annotations {
        values: vec!["rest".to_owned()],
        ..index(&[interval(REST, 10, 50, first)])
    };
    let stride = judged(
        "entry-size",
        STRIDE,
        "entry_size 48 with eight unknown bytes is a later version's; 36 holds no entry",
        alone
            .plan
            .annotation(&one)
            .replace_field(LABEL, "entry_size", &48u32.to_le_bytes())
            .append(LABEL, &[0xEE; 8])
            .as_valid(),
        |plan| plan.replace_field(LABEL, "entry_size", &36u32.to_le_bytes()),
        Finding::error(STRIDE).at(LABEL),
    );

    const RESERVED: &str = "CA3-12-04";
    let reserved = judged(
        "reserved",
        RESERVED,
        "an entry's reserved word is 1",
        whole(&page.values("reserved")),
        |plan| plan.replace_field(LABEL, "entries[0].reserved", &1u32.to_le_bytes()),
        Finding::error(RESERVED).at(LABEL).evidence(0, 1),
    );

    const DISTINCT: &str = "CA3-12-06";
    let v = page.values("value-twice");
    let recorded = recorded(&v);
    let twice = Annotations {
        values: ["rest", "task", "rest"].map(str::to_owned).to_vec(),
        ..index(&recorded.intervals())
    };
    let distinct = judged(
        "value-twice",
        DISTINCT,
        "a value is listed twice",
        whole(&v),
        |plan| plan.rewrite(LABEL, &twice, "values[2]", "rest is listed a second time"),
        Finding::error(DISTINCT).at(LABEL),
    );
    vec![count, exchanged, stride, reserved, distinct]
}

fn references(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-12-05";
    [
        ("key", "key_index", 1u32, "of one key"),
        ("value", "value_index", 2, "of two values"),
        ("stream", "stream_ref", 9, "that nothing declares"),
    ]
    .map(|(name, field, number, of)| {
        judged(
            name,
            RULE,
            &format!("an entry with {field} {number} {of}"),
            whole(&page.values(name)),
            |plan| {
                let field = format!("entries[1].{field}");
                plan.replace_field(LABEL, &field, &number.to_le_bytes())
            },
            Finding::error(RULE).at(LABEL),
        )
    })
    .to_vec()
}

/// Where an interval begins and ends.
fn intervals(page: &Page) -> Vec<Draft> {
    let changed = |name: &str,
                   rule: &str,
                   title: &str,
                   at: usize,
                   field: &str,
                   change: &dyn Fn(&mut AnnotationEntry)| {
        let of_file = recorded(&page.values(name));
        let right = of_file.intervals();
        let mut wrong = right;
        if let Some(entry) = wrong.get_mut(at) {
            change(entry);
        }
        let shown = format!("entries[{at}].{field}");
        let what = format!("{field} of interval {at} is another");
        entries(name, rule, title, of_file, &right, (&wrong, &shown, &what))
    };
    let late = changed(
        "begins-late",
        "CA3-12-07",
        "the event is at 10, and the interval begins at 11",
        0,
        "start_stamp_ns",
        &|entry| entry.start_stamp_ns = 11,
    );
    let early = changed(
        "ends-early",
        "CA3-12-08",
        "the next value comes at 30, and the interval ends at 20",
        0,
        "end_stamp_ns",
        &|entry| entry.end_stamp_ns = 20,
    );
    let open = changed(
        "never-ends",
        "CA3-12-10",
        "the last message is at 50, and the open interval ends at 2^64 - 1",
        1,
        "end_stamp_ns",
        &|entry| entry.end_stamp_ns = u64::MAX,
    );
    let over = changed(
        "overlapping",
        "CA3-12-14",
        "one key holds two values from 30 to 35",
        0,
        "end_stamp_ns",
        &|entry| entry.end_stamp_ns = 35,
    );
    let v = page.values("another-chunk");
    let of_file = recorded(&v);
    let right = of_file.intervals();
    let [first, second] = right;
    let later = AnnotationEntry {
        first_chunk_offset: second.first_chunk_offset,
        ..first
    };
    let elsewhere = entries(
        "another-chunk",
        "CA3-12-12",
        "an interval begins in the first chunk and names the second",
        of_file,
        &right,
        (
            &[later, second],
            "entries[0].first_chunk_offset",
            "first_chunk_offset of the first interval is that of Chunk 2",
        ),
    );
    vec![late, early, open, over, elsewhere]
}

/// What extends an interval, and what does not close it.
fn extents(page: &Page) -> Vec<Draft> {
    let v = page.values("same-value-again");
    let of_file = of_chunks(
        events(plan(&v).schema(event_schema(1)), 1),
        chunk(1, &[(10, "rest"), (20, "rest")]),
        chunk(1, &[(30, "task"), (50, "")]),
    );
    let right = of_file.intervals();
    let [rest, task] = right;
    let [first, _] = of_file.chunks;
    let split = [
        AnnotationEntry {
            end_stamp_ns: 20,
            ..rest
        },
        interval(REST, 20, 30, first),
        task,
    ];
    let extended = entries(
        "same-value-again",
        "CA3-12-09",
        "an event that repeats the value is given an interval of its own",
        of_file,
        &right,
        (
            &split,
            "entries[1].start_stamp_ns",
            "the first interval is split at 20",
        ),
    );

    let v = page.values("another-stream");
    let both = events(events(plan(&v).schema(event_schema(1)), 1), 2);
    let of_file = of_chunks(
        both,
        chunk(1, &[(10, "rest"), (50, "")]),
        chunk(2, &[(20, "task"), (60, "")]),
    );
    let [first, second] = of_file.chunks;
    let task = AnnotationEntry {
        stream_ref: 2,
        ..interval(TASK, 20, 60, second)
    };
    let apart = entries(
        "another-stream",
        "CA3-12-11",
        "an event of stream 2 closes the interval of stream 1",
        of_file,
        &[interval(REST, 10, 50, first), task],
        (
            &[interval(REST, 10, 20, first), task],
            "entries[0].end_stamp_ns",
            "the interval of stream 1 ends at 20",
        ),
    );

    let v = page.values("zero-length");
    let of_file = of_chunks(
        events(plan(&v).schema(event_schema(1)), 1),
        chunk(1, &[(10, "rest"), (10, "task")]),
        chunk(1, &[(30, ""), (50, "")]),
    );
    let [first, _] = of_file.chunks;
    let both = [interval(REST, 10, 10, first), interval(TASK, 10, 50, first)];
    let momentary = Draft::new(
        "zero-length",
        &["CA3-12-13"],
        "two events at 10: the first interval is from 10 to 10",
    )
    .clean(of_file.plan.annotation(&index(&both)))
    .wrong_answer("the interval of no length is called out of order, or overlapping");
    vec![extended, apart, momentary]
}

/// What only the events show.
fn told_by_events(page: &Page) -> Vec<Draft> {
    let of_file = recorded(&page.values("interval-left-out"));
    let right = of_file.intervals();
    let [rest, _] = right;
    let left_out = entries(
        "interval-left-out",
        "CA3-12-07",
        "the event at 30 opens an interval that the index does not have",
        of_file,
        &right,
        (
            &[rest],
            "entry_count",
            "the second interval, from 30 to 50, is left out",
        ),
    );

    let of_file = recorded(&page.values("ends-with-no-event"));
    let right = of_file.intervals();
    let [rest, task] = right;
    let early = AnnotationEntry {
        end_stamp_ns: 40,
        ..task
    };
    let open = entries(
        "ends-with-no-event",
        "CA3-12-10",
        "the last message is at 50, and the open interval ends at 40",
        of_file,
        &right,
        (
            &[rest, early],
            "entries[1].end_stamp_ns",
            "the second interval ends at 40",
        ),
    )
    .readings(&["G102"]);

    // Only the descriptor says where these events keep their attributes.
    let v = page.values("attributes-by-descriptor");
    let marker = |attributes: &[(&str, &str)]| attributes_in(7, attributes);
    let of_file = of_chunks(
        events(plan(&v).schema(marker_schema(1)), 1),
        chunk_of(1, &[(10, "rest"), (20, "")], marker),
        chunk_of(1, &[(30, "task"), (50, "")], marker),
    );
    let right = of_file.intervals();
    let [rest, task] = right;
    let late = AnnotationEntry {
        start_stamp_ns: 20,
        ..rest
    };
    let found = entries(
        "attributes-by-descriptor",
        "CA3-12-07",
        "attributes in field 7: the event is at 10, and the interval begins at 20",
        of_file,
        &right,
        (
            &[late, task],
            "entries[0].start_stamp_ns",
            "the first interval begins at 20",
        ),
    );
    vec![left_out, open, found]
}
