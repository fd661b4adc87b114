//! Item 12: chunks that overlap on purpose, in several shapes, asked at each
//! stamp, behind each, and on either side of them all (§7.1, §9.1).

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::plan::{COLUMNAR, Chunk, Plan, ZSTD, stream};
use crate::{Ask, Draft};

/// A shape: its name, what it is, and the places of its chunks in file order.
///
/// In each of them the ordered path alone gives a message that is too old at
/// one instant or more: the comment says where, and what it would give.
type Shape = (&'static str, &'static str, &'static [&'static [u64]]);

const SHAPES: &[Shape] = &[
    // At 5: lands on 2-10, so 3. At 11 and 12: 10.
    (
        "nested",
        "three spans, each within the one before",
        &[&[0, 5, 12], &[1, 6, 11], &[2, 3, 10]],
    ),
    // At 4: lands on 3-7, so 3. At 7: 6. At 10: 9.
    (
        "chain",
        "four spans, each reaching into the next and no further",
        &[&[0, 1, 4], &[3, 5, 7], &[6, 8, 10], &[9, 11, 12]],
    ),
    // At 4: lands on 1-2, so 2. At 9: 6. At 20: 15.
    (
        "long-first",
        "the first span reaches past all the others, which stand apart",
        &[&[0, 4, 9, 20], &[1, 2], &[5, 6], &[10, 11], &[14, 15]],
    ),
    // At 4 and 5: lands on 2-9, so 3. At 7 and 8: 3.
    (
        "three-fold",
        "three staggered spans that share a stretch",
        &[&[0, 4, 7], &[1, 5, 8], &[2, 3, 9]],
    ),
    // At 9: lands on 7-8, so 8. Up to 5 the stream is in order.
    (
        "among-late-entries",
        "the first three spans stand apart, the last two overlap",
        &[&[0, 1], &[2, 3], &[4, 5], &[6, 9], &[7, 8]],
    ),
    // At 3: lands on 1-2, so 2. From 5 on the stream is in order.
    (
        "among-early-entries",
        "the first two spans overlap, the others stand apart",
        &[&[0, 3], &[1, 2], &[5, 6], &[7, 8], &[9, 10]],
    ),
    // At 8: lands on 4-5, so 5. The long chunk is the last in the file.
    (
        "long-one-written-last",
        "a span around all the others, its chunk written after them",
        &[&[4, 5], &[2, 3], &[0, 8]],
    ),
    // At 2: lands on 1, so 1. At 8: lands on 7, so 7; at 9 as well.
    (
        "two-knots",
        "two knots of overlap with chunks apart between them",
        &[&[0, 2], &[1], &[3, 4], &[5], &[6, 8, 9], &[7]],
    ),
    // Late arrivals, as a writer keeps them: 2 and 5 came behind 3 and 6.
    // At 3: lands on 2-6, so 2. At 6: lands on 5-8, so 5.
    (
        "late-arrivals",
        "a late message opens each chunk, as a writer that drops none leaves it",
        &[&[0, 1, 3], &[4, 2, 6], &[7, 5, 8]],
    ),
    // At 6: lands on 1-5, so 5.
    (
        "one-start",
        "two spans begin at one and the same message",
        &[&[1, 6], &[1, 5], &[8, 9]],
    ),
];

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases: Vec<Draft> = SHAPES
        .iter()
        .map(|(name, title, chunks)| {
            let v = page.values(name);
            let line = Timeline::new(&v);
            Draft::new(name, &["CA3-9.1-07"], title)
                .valid_asked(line.file(&v, chunks), asked(&line, chunks))
                .wrong_answer("a plausible older message at one of the instants")
        })
        .collect();
    cases.extend(layouts(page));
    cases.extend(running_maximum(page));
    cases
}

/// Ahead of all places, at each and behind each, and at the end of time: the
/// message in force is always that of the greatest place not above.
fn asked(line: &Timeline, chunks: &[&[u64]]) -> Vec<Ask> {
    let mut places: Vec<u64> = chunks.concat();
    places.sort_unstable();
    places.dedup();
    let mut asks = line.states(1, &places);
    let last = places.last();
    asks.extend(last.map(|last| line.state(u64::MAX, 1, *last)));
    // The latest instants first: what a reader kept from an earlier answer
    // does not lead it to the next.
    asks.reverse();
    asks
}

/// Nested spans in the other forms of a chunk.
fn layouts(page: &Page) -> Vec<Draft> {
    const CHUNKS: &[&[u64]] = &[&[0, 5, 12], &[1, 11, 6], &[2, 3, 10]];
    const WRONG: &str = "a plausible older message at one of the instants";
    let build = |plan: Plan, chunk: &dyn Fn(Plan, &[u64]) -> Plan| {
        let plan = plan.stream(stream(1));
        CHUNKS.iter().fold(plan, |plan, places| chunk(plan, places))
    };
    let v = page.values("nested-zstd");
    let line = Timeline::new(&v);
    let file = build(plan_with(&v, ZSTD), &|plan, places| {
        plan.chunk(line.chunk(1, places).zstd())
    });
    let zstd = Draft::new(
        "nested-zstd",
        &["CA3-9.1-07"],
        "three nested spans under zstd, one of them unsorted",
    )
    .valid_asked(file, asked(&line, CHUNKS))
    .wrong_answer(WRONG);

    let v = page.values("nested-columnar");
    let line = Timeline::new(&v);
    let file = build(plan_with(&v, COLUMNAR), &|plan, places| {
        plan.columnar(line.columnar(1, places))
    });
    let columnar = Draft::new(
        "nested-columnar",
        &["CA3-9.1-07"],
        "three nested spans in columns, one of them unsorted",
    )
    .readings(&["G24"])
    .valid_asked(file, asked(&line, CHUNKS))
    .wrong_answer(WRONG);
    vec![zstd, columnar]
}

fn running_maximum(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.1-06";
    let v = page.values("running-maximum");
    let line = Timeline::new(&v);
    let own = |stream_ref: u32, places: &[u64]| -> Chunk { line.chunk(stream_ref, places) };
    let restart = Draft::new(
        "running-maximum",
        &[RULE],
        "maxima 9, 2, 5 and, in the next stream, 4, 3: running 9, 9, 9 and 4, 4",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .chunk(own(1, &[0, 9]))
            .chunk(own(1, &[1, 2]))
            .chunk(own(1, &[3, 5]))
            .chunk(own(2, &[0, 4]))
            .chunk(own(2, &[1, 3])),
        vec![
            // Lands on 3-5. The entry before has a maximum of 2 of its own,
            // and a running one of 9, which leads on to the first.
            Ask::state_at(line.at(9), &[line.in_force(1, 9), line.in_force(2, 4)]),
            Ask::state_at(line.at(8), &[line.in_force(1, 5), line.in_force(2, 4)]),
            Ask::state_at(line.at(3), &[line.in_force(1, 3), line.in_force(2, 3)]),
            Ask::index(),
        ],
    )
    .wrong_answer("5 at place 9, from an entry's own maximum taken for the running one");

    let v = page.values("rising-maximum");
    let line = Timeline::new(&v);
    let rising = Draft::new(
        "rising-maximum",
        &[RULE],
        "maxima 5, 9, 7, 8 in table order, the chunks written backwards: running 5, 9, 9, 9",
    )
    .valid_asked(
        line.file(&v, &[&[4, 8], &[2, 7], &[1, 3, 9], &[0, 5]]),
        [Ask::index()]
            .into_iter()
            .chain(line.states(1, &[0, 1, 2, 3, 4, 5, 7, 8, 9]))
            .collect(),
    )
    .wrong_answer("a maximum that runs in file order, or over all streams, and the scan with it");
    vec![restart, rising]
}
