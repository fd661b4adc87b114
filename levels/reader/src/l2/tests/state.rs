//! The message in force at an instant (§9.1).

use super::build::{Layout, Maker, messages, stream};
use super::*;
use crate::l2::results::Basis;
use ca3_wire::Codec;

fn some(payload: &str) -> Option<String> {
    Some(payload.to_owned())
}

#[test]
fn the_last_chunk_that_begins_at_or_before_the_instant_answers() {
    let mut maker = Maker::new(vec![stream(1)]);
    let one = maker.chunk(1, &[(10, "a"), (40, "b")]);
    let two = maker.chunk(1, &[(50, "c"), (60, "d")]);
    let three = maker.chunk(1, &[(100, "e")]);
    let bytes = maker.seal();
    for (t, payload, chunk) in [
        (10, "a", one),
        (39, "a", one),
        (49, "b", one),
        (50, "c", two),
        (70, "d", two),
        (99, "d", two),
        (100, "e", three),
        (u64::MAX, "e", three),
    ] {
        assert_eq!(in_force(&bytes, t), (some(payload), vec![chunk]), "{t}");
    }
    let result = state(&bytes, 9, None).unwrap();
    assert_eq!(result.results[0].message, None);
    assert_eq!(result.results[0].time, None);
    assert_eq!(result.results[0].basis, Basis::Exact);
    assert!(result.results[0].degraded.is_empty());
    assert!(result.chunks_read.is_empty());
}

#[test]
fn overlapping_chunks_are_searched_back_to_the_best_and_no_further() {
    let mut maker = Maker::new(vec![stream(1)]);
    let early = maker.chunk(1, &[(0, "z"), (3, "y")]);
    let long = maker.chunk(1, &[(5, "a"), (80, "b"), (90, "c")]);
    let short = maker.chunk(1, &[(10, "d"), (20, "e")]);
    let late = maker.chunk(1, &[(40, "f"), (60, "g")]);
    let bytes = maker.seal();
    // The short chunk cannot hold a better one: it is stepped over.
    assert_eq!(in_force(&bytes, 85), (some("b"), vec![long, late]));
    assert_eq!(in_force(&bytes, 90), (some("c"), vec![long, late]));
    assert_eq!(in_force(&bytes, 70), (some("g"), vec![long, late]));
    assert_eq!(in_force(&bytes, 15), (some("d"), vec![long, short]));
    assert_eq!(in_force(&bytes, 9), (some("a"), vec![long]));
    // Nothing is better than the instant itself.
    assert_eq!(in_force(&bytes, 40), (some("f"), vec![late]));
    assert_eq!(in_force(&bytes, 4), (some("y"), vec![early]));
}

/// Three spans, one inside the other, at every instant.
#[test]
fn nested_spans_answer_as_a_sorted_list_does() {
    let chunks: [&[(u64, &str)]; 3] = [
        &[(10, "a"), (37, "b"), (90, "c")],
        &[(20, "d"), (55, "e"), (80, "f")],
        &[(30, "g"), (37, "h"), (50, "i")],
    ];
    let mut maker = Maker::new(vec![stream(1)]);
    for chunk in chunks {
        maker.chunk(1, chunk);
    }
    let bytes = maker.seal();
    for t in 0..100 {
        // The last of the greatest stamp: later chunks begin later.
        let stored = chunks.iter().copied().flatten();
        let expected = stored
            .filter(|(stamp, _)| *stamp <= t)
            .max_by_key(|one| one.0);
        let expected = expected.map(|(_, payload)| (*payload).to_owned());
        assert_eq!(in_force(&bytes, t).0, expected, "{t}");
    }
}

#[test]
fn of_equal_stamps_the_later_record_answers() {
    let mut maker = Maker::new(vec![stream(1)]);
    maker.chunk(1, &[(10, "a"), (20, "b"), (20, "c"), (30, "d")]);
    assert_eq!(in_force(&maker.seal(), 25).0, some("c"));
    // Across chunks the entry later in the table.
    let mut maker = Maker::new(vec![stream(1)]);
    maker.chunk(1, &[(50, "b"), (60, "x")]);
    maker.chunk(1, &[(0, "y"), (50, "a")]);
    assert_eq!(in_force(&maker.seal(), 50).0, some("b"));
}

#[test]
fn an_unsorted_chunk_is_searched_whole() {
    for layout in [Layout::Rows, Layout::Columns] {
        for codec in [Codec::NONE, Codec::ZSTD] {
            let mut maker = Maker::new(vec![stream(1)]);
            let stamps = messages(&[(10, "a"), (30, "b"), (20, "c")]);
            maker.pack(1, layout, codec, &stamps);
            let bytes = maker.seal();
            assert_eq!(in_force(&bytes, 25).0, some("c"));
            assert_eq!(in_force(&bytes, 19).0, some("a"));
            assert_eq!(in_force(&bytes, 30).0, some("b"));
        }
    }
}

#[test]
fn streams_come_ascending_and_each_once() {
    let mut maker = Maker::new(vec![stream(7), stream(2), stream(4)]);
    let two = maker.chunk(2, &[(10, "a")]);
    let seven = maker.chunk(7, &[(10, "b")]);
    let bytes = maker.seal();
    let references = |streams: Option<&[u32]>| {
        let result = state(&bytes, 50, streams).unwrap();
        let chunks: Vec<_> = result.chunks_read.iter().map(|one| one.0).collect();
        let references: Vec<_> = result.results.iter().map(|one| one.stream_ref).collect();
        (references, chunks)
    };
    assert_eq!(references(None), (vec![2, 4, 7], vec![two, seven]));
    assert_eq!(references(Some(&[7, 4, 7])), (vec![4, 7], vec![seven]));
    assert_eq!(references(Some(&[])), (vec![], vec![]));
    let report = state(&bytes, 50, Some(&[2, 3])).unwrap_err();
    assert_eq!(report.kind, Kind::UnresolvedReference);
    assert_eq!(report.stream_ref, Some(3));
}

#[test]
fn the_message_comes_back_whole() {
    let mut maker = Maker::new(vec![stream(1)]);
    let mut stored = messages(&[(10, "a"), (12, "b")]);
    stored[1].record_ts_ns = Some(99);
    stored[0].record_ts_ns = Some(98);
    stored[1].wall_clock_ns = Some(5_000);
    stored[1].source_timestamp_ns = Some(7);
    stored[1].sequence = Some(3);
    maker.pack(1, Layout::Rows, Codec::NONE, &stored);
    let result = state(&maker.seal(), 100, None).unwrap();
    let found = &result.results[0];
    let message = found.message.as_ref().unwrap();
    assert_eq!(message.stream_ref, 1);
    assert_eq!(message.monotonic_timestamp_ns.0, 12);
    assert_eq!(message.record_ts_ns.unwrap().0, 99);
    assert_eq!(message.wall_clock_ns.unwrap().0, 5_000);
    assert_eq!(message.source_timestamp_ns.unwrap().0, 7);
    assert_eq!(message.sequence, Some(3));
    assert_eq!(found.time.unwrap().0, 12);
}
