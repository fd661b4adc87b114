//! Item 14: the order of a window's messages (§9.2).

use serde_json::{Value, json};

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::asking::emitted;
use crate::plan::{COLUMNAR, Chunk, Plan, ZSTD, stream};
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = within(page);
    cases.extend(merged(page));
    cases.extend(tied(page));
    cases.extend(again(page));
    cases
}

fn within(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-04";
    let v = page.values("unsorted-chunk");
    let line = Timeline::new(&v);
    let unsorted = Draft::new(
        "unsorted-chunk",
        &[RULE],
        "a chunk that stores 6, 0, 4, 2 comes as 0, 2, 4, 6",
    )
    .valid_asked(
        line.file(&v, &[&[6, 0, 4, 2]]),
        vec![
            line.window(line.ahead(0), line.behind(6), 1, &[0, 2, 4, 6]),
            line.window(line.behind(0), line.ahead(6), 1, &[2, 4]),
            // 6 is stored first: a walk that stops past the end finds nothing.
            line.window(line.ahead(0), line.behind(2), 1, &[0, 2]),
        ],
    )
    .wrong_answer("stored order, or nothing behind the first stamp past the window");

    let v = page.values("unsorted-chunks-apart");
    let line = Timeline::new(&v);
    let apart = Draft::new(
        "unsorted-chunks-apart",
        &[RULE],
        "three chunks apart, each unsorted, the middle one under zstd",
    )
    .valid_asked(
        plan_with(&v, ZSTD)
            .stream(stream(1))
            .chunk(line.chunk(1, &[2, 0, 1]))
            .chunk(line.chunk(1, &[5, 6, 4]).zstd())
            .chunk(line.chunk(1, &[9, 8])),
        vec![line.window(line.behind(0), line.behind(9), 1, &[1, 2, 4, 5, 6, 8, 9])],
    )
    .wrong_answer("stored order");
    vec![unsorted, apart]
}

/// A shape of overlap: its name, what it is, the places of its chunks in file order.
type Shape = (&'static str, &'static str, &'static [&'static [u64]]);

const OVERLAPS: &[Shape] = &[
    (
        "two-chunks",
        "chunks 1-4 and 2-3: the second lies within the first",
        &[&[1, 4], &[2, 3]],
    ),
    (
        "comb",
        "two chunks whose messages alternate",
        &[&[0, 2, 4, 6], &[1, 3, 5, 7]],
    ),
    (
        "three-fold",
        "three staggered chunks that share a stretch",
        &[&[0, 4, 7], &[1, 5, 8], &[2, 3, 6, 9]],
    ),
    (
        "chain",
        "four chunks, each reaching into the next and no further",
        &[&[0, 1, 4], &[3, 5, 7], &[6, 8, 10], &[9, 11, 12]],
    ),
    (
        "long-one-written-last",
        "a chunk around two others, written after them and unsorted",
        &[&[5, 4], &[2, 3], &[8, 0, 6]],
    ),
];

fn merged(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-05";
    let shapes = OVERLAPS.iter().map(|(name, title, chunks)| {
        let v = page.values(name);
        let line = Timeline::new(&v);
        let mut places = chunks.concat();
        places.sort_unstable();
        let (first, last) = (places.first(), places.last());
        let (first, last) = (first.copied().unwrap_or(0), last.copied().unwrap_or(0));
        let inner: Vec<u64> = places
            .iter()
            .copied()
            .filter(|place| (first + 1..last).contains(place))
            .collect();
        Draft::new(name, &[RULE], title)
            .valid_asked(
                line.file(&v, chunks),
                vec![
                    line.window(line.ahead(first), line.behind(last), 1, &places),
                    // Without the first and the last message.
                    line.window(line.behind(first), line.ahead(last), 1, &inner),
                    line.window(0, u64::MAX, 1, &places),
                ],
            )
            .wrong_answer("one chunk's messages after another's, from joining them end to end")
    });
    let mut cases: Vec<Draft> = shapes.collect();

    // Shapes as above, in the other forms of a chunk.
    let places: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 8];
    let v = page.values("under-zstd");
    let line = Timeline::new(&v);
    cases.push(
        Draft::new(
            "under-zstd",
            &[RULE],
            "three overlapping chunks, two of them under zstd, one of these unsorted",
        )
        .valid_asked(
            plan_with(&v, ZSTD)
                .stream(stream(1))
                .chunk(line.chunk(1, &[5, 0, 8]).zstd())
                .chunk(line.chunk(1, &[1, 3, 6]))
                .chunk(line.chunk(1, &[2, 4]).zstd()),
            vec![line.window(line.ahead(0), line.behind(8), 1, places)],
        )
        .wrong_answer("one chunk's messages after another's"),
    );
    let v = page.values("in-columns");
    let line = Timeline::new(&v);
    cases.push(
        Draft::new(
            "in-columns",
            &[RULE],
            "three overlapping chunks, two of them in columns, one of these unsorted",
        )
        .readings(&["G24"])
        .valid_asked(
            plan_with(&v, COLUMNAR)
                .stream(stream(1))
                .columnar(line.columnar(1, &[5, 0, 8]))
                .chunk(line.chunk(1, &[1, 3, 6]))
                .columnar(line.columnar(1, &[2, 4])),
            vec![line.window(line.ahead(0), line.behind(8), 1, places)],
        )
        .wrong_answer("one chunk's messages after another's"),
    );

    let v = page.values("two-streams");
    let line = Timeline::new(&v);
    let all = |stream_ref: u32, places: &[u64]| -> Vec<Value> {
        let messages = places.iter().map(|place| line.emitted(stream_ref, *place));
        messages.collect()
    };
    let (one, two) = (all(1, &[0, 1, 2, 3, 5]), all(2, &[0, 1, 4, 5, 6]));
    cases.push(
        Draft::new(
            "two-streams",
            &[RULE],
            "two streams with overlapping chunks: merged within each, and not with one another",
        )
        .valid_asked(
            plan(&v)
                .stream(stream(1))
                .stream(stream(2))
                .chunk(line.chunk(2, &[1, 5]))
                .chunk(line.chunk(1, &[0, 3]))
                .chunk(line.chunk(2, &[0, 6]))
                .chunk(line.chunk(1, &[1, 2, 5]))
                .chunk(line.chunk(2, &[4])),
            vec![
                Ask::window(0, u64::MAX, &[1, 2], &[one.clone(), two.clone()].concat()),
                Ask::window(0, u64::MAX, &[2, 1], &[two, one].concat()),
            ],
        )
        .wrong_answer("the messages of both streams by stamp, or each stream's chunks end to end"),
    );
    cases
}

/// Equal stamps: which of them comes first is open (reading G117).
fn tied(page: &Page) -> Vec<Draft> {
    let said = |stamp: u64, payload: &[u8]| emitted(1, "exact", stamp, stamp, payload);
    // Two overlapping chunks that hold the stamp of place 3, and a pair in one.
    let file = |plan: Plan, line: &Timeline| {
        plan.stream(stream(1))
            .chunk(Chunk::plain(
                1,
                &[(line.at(0), b"p0".as_slice()), (line.at(3), b"c3")],
            ))
            .chunk(Chunk::plain(
                1,
                &[
                    (line.at(1), b"p1".as_slice()),
                    (line.at(3), b"b3"),
                    (line.at(5), b"z5"),
                    (line.at(5), b"y5"),
                ],
            ))
    };
    let window = |line: &Timeline, threes: [&[u8]; 2], fives: [&[u8]; 2]| -> Vec<Value> {
        let head = [said(line.at(0), b"p0"), said(line.at(1), b"p1")];
        let threes = threes.map(|payload| said(line.at(3), payload));
        let fives = fives.map(|payload| said(line.at(5), payload));
        head.into_iter().chain(threes).chain(fives).collect()
    };
    // The payloads fall where their order is given, so that sorting by them shows.
    let (c, b, z, y) = (b"c3", b"b3", b"z5", b"y5");

    let v = page.values("ties-kept");
    let line = Timeline::new(&v);
    let (t1, t2) = (line.ahead(0), line.behind(5));
    let either = json!({"messages": {"$one_of": [
        window(&line, [c, b], [z, y]),
        window(&line, [b, c], [z, y]),
        window(&line, [c, b], [y, z]),
        window(&line, [b, c], [y, z]),
    ]}});
    let kept = Draft::new(
        "ties-kept",
        &["CA3-9.2-05"],
        "equal stamps in two chunks and in one: both come, whichever is first",
    )
    .valid_asked(
        file(plan(&v), &line),
        vec![Ask::window(t1, t2, &[1], &[]).holds(either)],
    )
    .wrong_answer("one message of two at a stamp, from a merge that is keyed by stamp");

    let v = page.values("ties-in-order");
    let line = Timeline::new(&v);
    let (t1, t2) = (line.ahead(0), line.behind(5));
    let stable = window(&line, [c, b], [z, y]);
    let ask = || Ask::window(t1, t2, &[1], &stable);
    let ordered = Draft::new(
        "ties-in-order",
        &["CA3-9.2-06", "CA3-9.2-05"],
        "equal stamps: in a chunk as stored, across chunks in table order, each time",
    )
    .readings(&["G117"])
    .valid_asked(
        file(plan(&v), &line),
        vec![ask(), ask(), ask(), ask().afresh()],
    )
    .wrong_answer("an order that varies with hashing or threads, or that no rule says");
    vec![kept, ordered]
}

fn again(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-06";
    let v = page.values("same-window-again");
    let line = Timeline::new(&v);
    let refs: [u32; 3] = [4, 2, 1];
    let mut file = refs.iter().fold(plan(&v), |plan, stream_ref| {
        plan.stream(stream(*stream_ref))
    });
    for places in [[0, 5], [3, 4], [1, 6], [2, 8]] {
        for stream_ref in [2, 4, 1] {
            file = file.chunk(line.chunk(stream_ref, &places));
        }
    }
    let messages: Vec<Value> = refs
        .iter()
        .flat_map(|stream_ref| {
            // 0 and 8 lie outside.
            [1, 2, 3, 4, 5, 6].map(|place| line.emitted(*stream_ref, place))
        })
        .collect();
    let (t1, t2) = (line.behind(0), line.ahead(8));
    let ask = || Ask::window(t1, t2, &refs, &messages);
    let other = line.window(line.behind(2), line.ahead(5), 1, &[3, 4]);
    let same = Draft::new(
        "same-window-again",
        &[RULE],
        "three streams of overlapping chunks: one window thrice, and once in a fresh process",
    )
    .valid_asked(file, vec![ask(), ask(), other, ask(), ask().afresh()])
    .wrong_answer("another sequence the second time, from hashing, threads or what was kept");
    vec![same]
}
