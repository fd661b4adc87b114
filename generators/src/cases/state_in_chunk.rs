//! Item 11: which message of a chunk is in force (§9.1, the walk within a chunk).

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::asking::in_force;
use crate::plan::{COLUMNAR, Chunk, Columnar, Decoded, Sample, ZSTD, stream};
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = ties(page);
    cases.extend(unsorted(page));
    cases.extend(layouts(page));
    cases
}

/// A message of stream 1 by stamp and words is in force at an instant.
fn said(t: u64, stamp: u64, payload: &[u8]) -> Ask {
    Ask::state_of(t, &[1], &[in_force(1, "exact", stamp, stamp, payload)])
}

fn ties(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-10";
    const WRONG: &str = "the earlier stored of two messages at one stamp";
    let v = page.values("tie-in-a-chunk");
    let line = Timeline::new(&v);
    let (a, b, c) = (line.at(0), line.at(2), line.at(5));
    let tie = Draft::new(
        "tie-in-a-chunk",
        &[RULE],
        "two messages at one stamp: the later stored record is in force",
    )
    .valid_asked(
        plan(&v).stream(stream(1)).chunk(Chunk::plain(
            1,
            &[(a, b"before"), (b, b"first"), (b, b"second"), (c, b"after")],
        )),
        vec![
            said(b, b, b"second"),
            said(b + 1, b, b"second"),
            said(c - 1, b, b"second"),
            said(b - 1, a, b"before"),
        ],
    )
    .wrong_answer(WRONG);

    let v = page.values("ties-at-the-ends");
    let line = Timeline::new(&v);
    let (a, b, c) = (line.at(0), line.at(3), line.at(7));
    let ends = Draft::new(
        "ties-at-the-ends",
        &[RULE],
        "ties of three at a chunk's first stamp and of two at its last, another chunk behind",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::plain(
                1,
                &[(a, b"a1"), (a, b"a2"), (a, b"a3"), (b, b"b1"), (b, b"b2")],
            ))
            .chunk(Chunk::plain(1, &[(c, b"c1"), (c, b"c2")])),
        vec![
            said(a, a, b"a3"),
            said(b - 1, a, b"a3"),
            said(b, b, b"b2"),
            said(c - 1, b, b"b2"),
            said(c, c, b"c2"),
            said(u64::MAX, c, b"c2"),
        ],
    )
    .wrong_answer(WRONG);

    let v = page.values("tie-in-an-unsorted-chunk");
    let line = Timeline::new(&v);
    let (a, b, c) = (line.at(0), line.at(2), line.at(5));
    let unsorted = Draft::new(
        "tie-in-an-unsorted-chunk",
        &[RULE, "CA3-9.1-11"],
        "two messages at one stamp with others stored between them: the later stored one",
    )
    .valid_asked(
        plan(&v).stream(stream(1)).chunk(Chunk::plain(
            1,
            &[(b, b"first"), (c, b"after"), (a, b"before"), (b, b"second")],
        )),
        vec![
            said(b, b, b"second"),
            said(c - 1, b, b"second"),
            said(b - 1, a, b"before"),
            said(c, c, b"after"),
        ],
    )
    .wrong_answer(WRONG);
    vec![tie, ends, unsorted]
}

fn unsorted(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-11";
    let v = page.values("late-in-a-chunk");
    let line = Timeline::new(&v);
    let late = Draft::new(
        "late-in-a-chunk",
        &[RULE],
        "stored 0, 4, 2: between 2 and 4 the last stored, behind 4 the middle one",
    )
    .valid_asked(
        line.file(&v, &[&[0, 4, 2]]),
        [
            line.state(line.at(3), 1, 2),
            line.state(line.at(1), 1, 0),
            line.state(line.at(9), 1, 4),
        ]
        .into_iter()
        .chain(line.states(1, &[0, 2, 4]))
        .collect(),
    )
    .wrong_answer(
        "the first message, from a walk that stops at the first stamp past T; or the last stored",
    );

    let v = page.values("greatest-first");
    let line = Timeline::new(&v);
    let greatest = Draft::new(
        "greatest-first",
        &[RULE],
        "stored 9, 7, 1, 3, 5: the greatest first, then up and down",
    )
    .valid_asked(
        line.file(&v, &[&[9, 7, 1, 3, 5]]),
        line.states(1, &[1, 3, 5, 7, 9]),
    )
    .wrong_answer("no message, from stopping at the first record; or the last stored one");

    let v = page.values("unsorted-between-sorted");
    let line = Timeline::new(&v);
    let between = Draft::new(
        "unsorted-between-sorted",
        &[RULE],
        "three chunks apart, the middle one unsorted: the bit is each chunk's own",
    )
    .valid_asked(
        line.file(&v, &[&[0, 1], &[6, 5, 3, 4], &[8, 9]]),
        line.states(1, &[0, 1, 3, 4, 5, 6, 8, 9]),
    )
    .wrong_answer("a message of the unsorted chunk that is not the greatest at or before T");

    // §6.1: the bit is an optimisation; a writer may leave it clear.
    let v = page.values("sorted-and-not-marked");
    let line = Timeline::new(&v);
    let mut chunk = line.chunk(1, &[0, 2, 4]);
    chunk.flags = 0;
    let unmarked = Draft::new(
        "sorted-and-not-marked",
        &[RULE],
        "messages in order under a clear sorted bit: the same answers",
    )
    .valid_asked(
        plan(&v).stream(stream(1)).chunk(chunk),
        line.states(1, &[0, 2, 4]),
    )
    .wrong_answer("the last stored message, whatever T");
    vec![late, greatest, between, unmarked]
}

fn layouts(page: &Page) -> Vec<Draft> {
    let v = page.values("unsorted-zstd");
    let line = Timeline::new(&v);
    let places: &[u64] = &[6, 0, 4, 2];
    let zstd = Draft::new(
        "unsorted-zstd",
        &["CA3-9.1-11"],
        "an unsorted chunk under zstd",
    )
    .valid_asked(
        plan_with(&v, ZSTD)
            .stream(stream(1))
            .chunk(line.chunk(1, places).zstd()),
        line.states(1, &[0, 2, 4, 6]),
    )
    .wrong_answer("the last stored message, or the one before the first stamp past T");

    let v = page.values("unsorted-columnar");
    let line = Timeline::new(&v);
    let columnar = Draft::new(
        "unsorted-columnar",
        &["CA3-9.1-11"],
        "an unsorted chunk in columns: no binary search over its stamps",
    )
    .readings(&["G24"])
    .valid_asked(
        plan_with(&v, COLUMNAR)
            .stream(stream(1))
            .columnar(line.columnar(1, places)),
        line.states(1, &[0, 2, 4, 6]),
    )
    .wrong_answer("another message, from a binary search over stamps that are out of order");

    let v = page.values("tie-in-columns");
    let line = Timeline::new(&v);
    let (a, b, c) = (line.at(0), line.at(2), line.at(5));
    let samples = [(a, b"low."), (b, b"one."), (b, b"two."), (c, b"high")]
        .map(|(stamp, payload)| Sample::new(Decoded::at(stamp), payload));
    let tie = Draft::new(
        "tie-in-columns",
        &["CA3-9.1-10"],
        "two rows of one stamp in columns: the later row is in force",
    )
    .readings(&["G24"])
    .valid_asked(
        plan_with(&v, COLUMNAR)
            .stream(stream(1))
            .columnar(Columnar::of(1, &samples)),
        vec![said(b, b, b"two."), said(c - 1, b, b"two.")],
    )
    .wrong_answer("the earlier row, from a binary search that ends at the first of equals");
    vec![zstd, columnar, tie]
}
