//! Item 11: the message in force, where the chunks of a stream stand apart (§9.1).

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::asking::{in_force, none_in_force};
use crate::plan::{COLUMNAR, Chunk, Plan, ZSTD, stream};
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = search(page);
    cases.extend(ends(page));
    cases.extend(streams(page));
    cases.extend(layouts(page));
    cases
}

/// Three chunks of two messages, well apart: places 0 and 2, 5 and 7, 10 and 12.
const APART: [&[u64]; 3] = [&[0, 2], &[5, 7], &[10, 12]];
/// Their places.
const PLACES: [u64; 6] = [0, 2, 5, 7, 10, 12];

fn search(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-05";
    let v = page.values("chunks-apart");
    let line = Timeline::new(&v);
    let apart = Draft::new(
        "chunks-apart",
        &[RULE],
        "three chunks apart: at each stamp, behind it, and within the holes between chunks",
    )
    .valid_asked(
        line.file(&v, &APART),
        [
            // Between chunks the last message of the chunk before stays in force.
            line.state(line.ahead(5), 1, 2)
                .reads(&["Chunk 1"], &["Chunk 2", "Chunk 3"]),
            line.state(line.at(4), 1, 2),
            line.state(line.ahead(10), 1, 7),
            line.state(line.at(9), 1, 7),
            // A chunk that begins is found at its very first nanosecond.
            line.state(line.at(5), 1, 5),
            line.state(line.ahead(7), 1, 5),
        ]
        .into_iter()
        .chain(line.states(1, &PLACES))
        .collect(),
    )
    .wrong_answer("the first or the nearest chunk answers, or the one that starts after T");

    let v = page.values("one-message-chunks");
    let line = Timeline::new(&v);
    let single = Draft::new(
        "one-message-chunks",
        &[RULE],
        "seven chunks of one message each: the search lands on each of them",
    )
    .valid_asked(
        line.file(&v, &[&[0], &[1], &[2], &[3], &[4], &[5], &[6]]),
        line.states(1, &[0, 1, 2, 3, 4, 5, 6]),
    )
    .wrong_answer("the neighbouring chunk's message, from a search that is off by one");

    let v = page.values("next-nanosecond");
    let line = Timeline::new(&v);
    let (last, next) = (line.at(2), line.behind(2));
    let tight = Chunk::plain(1, &[(next, b"next"), (line.at(5), b"far")]);
    let near = Draft::new(
        "next-nanosecond",
        &[RULE, "CA3-7.2-01"],
        "a chunk begins a nanosecond behind its predecessor's last: apart, and both are found",
    )
    .why("A search that compares with the wrong bound hands a chunk's first message to the instant before it, or hides it for another.")
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(line.chunk(1, &[0, 2]))
            .chunk(tight),
        vec![
            // min(n+1) > max(n) holds by one: the overlap bit is clear.
            Ask::index(),
            line.state(last, 1, 2),
            Ask::state_of(next, &[1], &[in_force(1, "exact", next, next, b"next")]),
            line.state(line.ahead(2), 1, 0),
            Ask::state_of(next + 1, &[1], &[in_force(1, "exact", next, next, b"next")]),
        ],
    )
    .wrong_answer("the later chunk a nanosecond early, or the earlier one at the later's start");
    vec![apart, single, near]
}

fn ends(page: &Page) -> Vec<Draft> {
    let v = page.values("exactly-at-a-stamp");
    let line = Timeline::new(&v);
    let exactly = Draft::new(
        "exactly-at-a-stamp",
        &["CA3-9.1-08"],
        "a message exactly at T counts: a chunk's first, one inside, its last, the file's last",
    )
    .valid_asked(
        line.file(&v, &[&[0, 1, 2], &[5, 6, 7]]),
        [6, 5, 2, 1, 0, 7]
            .into_iter()
            .map(|place| line.state(line.at(place), 1, place))
            .collect(),
    )
    .wrong_answer("the message before the one at T");

    let v = page.values("ahead-of-the-first");
    let line = Timeline::new(&v);
    let nothing = |t: u64| Ask::state_of(t, &[1], &[none_in_force(1, "exact")]);
    let ahead = Draft::new(
        "ahead-of-the-first",
        &["CA3-9.1-09"],
        "before the first stamp there is no message, and the stream still stands in results",
    )
    .valid_asked(
        line.file(&v, &APART),
        vec![
            nothing(line.ahead(0)),
            nothing(0),
            nothing(1),
            line.state(line.at(0), 1, 0),
            Ask::state_at(line.ahead(0), &[none_in_force(1, "exact")]),
        ],
    )
    .wrong_answer("the first message, or the stream missing from results");

    let v = page.values("behind-the-last");
    let line = Timeline::new(&v);
    let behind = Draft::new(
        "behind-the-last",
        &["CA3-9.1-05"],
        "long after the last stamp the last message is in force, to the end of 64 bits",
    )
    .valid_asked(
        line.file(&v, &APART),
        vec![
            line.state(line.at(1_000), 1, 12),
            line.state(1 << 63, 1, 12),
            line.state(u64::MAX, 1, 12),
        ],
    )
    .wrong_answer("no message, or an earlier one, from a T taken for a signed number");

    // 2^63 is where signed numbers turn negative.
    let v = page.values("stamps-beyond-2-63");
    let near = v.u64("near", 100, 10..=1 << 40);
    let (low, high) = ((1 << 63) - near, (1 << 63) + near);
    let wide = Draft::new(
        "stamps-beyond-2-63",
        &["CA3-9.1-05"],
        "stamps are unsigned: chunks on both sides of 2^63 and a message at 2^64-1",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::plain(1, &[(low, b"low"), (low + 1, b"low too")]))
            .chunk(Chunk::plain(1, &[(high, b"high")]))
            .chunk(Chunk::plain(1, &[(u64::MAX, b"last")])),
        [
            (low, low, b"low".as_slice()),
            (1 << 63, low + 1, b"low too"),
            (high, high, b"high"),
            (u64::MAX - 1, high, b"high"),
            (u64::MAX, u64::MAX, b"last"),
        ]
        .into_iter()
        .map(|(t, stamp, payload)| {
            Ask::state_of(t, &[1], &[in_force(1, "exact", stamp, stamp, payload)])
        })
        .collect(),
    )
    .wrong_answer("a chunk from another side of 2^63, or none");

    let v = page.values("stamp-zero");
    let later = v.u64("later", 7, 2..=1 << 40);
    let zero = |t: u64| Ask::state_of(t, &[1], &[in_force(1, "exact", 0, 0, b"zero")]);
    let from_zero = Draft::new(
        "stamp-zero",
        &["CA3-9.1-08"],
        "a clock may start at the session: a message at stamp 0 is in force at 0",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::plain(1, &[(0, b"zero"), (later, b"later")])),
        vec![zero(0), zero(later - 1)],
    )
    .wrong_answer("no message, from a zero taken for absent");
    vec![exactly, ahead, behind, wide, from_zero]
}

fn streams(page: &Page) -> Vec<Draft> {
    let v = page.values("neighbour-streams");
    let line = Timeline::new(&v);
    let neighbours = Draft::new(
        "neighbour-streams",
        &["CA3-9.1-05"],
        "streams side by side: the search stays within each stream's own entries",
    )
    .valid_asked(
        // Stream 2's chunk starts nearest to T; 1 and 3 have older and newer ones.
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .stream(stream(3))
            .chunk(line.chunk(1, &[0, 1]))
            .chunk(line.chunk(2, &[6, 7]))
            .chunk(line.chunk(3, &[2, 3]))
            .chunk(line.chunk(1, &[9, 10]))
            .chunk(line.chunk(3, &[5, 11])),
        vec![
            Ask::state_at(
                line.at(8),
                &[
                    line.in_force(1, 1),
                    line.in_force(2, 7),
                    line.in_force(3, 5),
                ],
            ),
            Ask::state_at(
                line.at(4),
                &[
                    line.in_force(1, 1),
                    none_in_force(2, "exact"),
                    line.in_force(3, 3),
                ],
            ),
            Ask::state_at(
                line.at(11),
                &[
                    line.in_force(1, 10),
                    line.in_force(2, 7),
                    line.in_force(3, 11),
                ],
            ),
            line.state(line.at(8), 3, 5),
            Ask::state_of(
                line.at(9),
                &[1, 3],
                &[line.in_force(1, 9), line.in_force(3, 5)],
            ),
        ],
    )
    .wrong_answer("a neighbour stream's message, or an entry found outside the stream's run");

    let v = page.values("many-streams");
    let line = Timeline::new(&v);
    // References are names and no positions: declared out of order, with holes.
    let refs: [u32; 7] = [7, 1, 1_000, 40, 3, 2, 41];
    let mut many = refs.iter().fold(plan(&v), |plan, stream_ref| {
        plan.stream(stream(*stream_ref))
    });
    for (stream_ref, places) in [
        (40, [0, 4]),
        (1, [1, 5]),
        (1_000, [2, 6]),
        (7, [8, 9]),
        (41, [3, 7]),
        (2, [0, 9]),
    ] {
        many = many.chunk(line.chunk(stream_ref, &places));
    }
    let many = Draft::new(
        "many-streams",
        &["CA3-9.1-05", "CA3-9.1-09"],
        "seven streams in no order, one without chunks, one that begins later",
    )
    .valid_asked(
        many,
        vec![
            // Ascending by reference; stream 3 has no chunk, 7 begins at place 8.
            Ask::state_at(
                line.behind(5),
                &[
                    line.in_force(1, 5),
                    line.in_force(2, 0),
                    none_in_force(3, "exact"),
                    none_in_force(7, "exact"),
                    line.in_force(40, 4),
                    line.in_force(41, 3),
                    line.in_force(1_000, 2),
                ],
            ),
            line.state(line.at(6), 1_000, 6),
            line.state(line.at(8), 7, 8),
            Ask::state_of(line.at(9), &[3], &[none_in_force(3, "exact")]),
        ],
    )
    .wrong_answer(
        "a stream's reference taken for its place in the directory, or a stream left out",
    );

    let v = page.values("stream-without-chunks");
    let line = Timeline::new(&v);
    let empty = Draft::new(
        "stream-without-chunks",
        &["CA3-9.1-09"],
        "a declared stream without a chunk has no message at any instant",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .chunk(line.chunk(2, &[0, 1])),
        vec![
            Ask::state_at(
                line.at(1),
                &[none_in_force(1, "exact"), line.in_force(2, 1)],
            ),
            Ask::state_of(u64::MAX, &[1], &[none_in_force(1, "exact")]),
            Ask::state_of(0, &[1], &[none_in_force(1, "exact")]),
        ],
    )
    .wrong_answer("the neighbour's message, from a first_index of 0, or the stream left out");
    vec![neighbours, many, empty]
}

fn layouts(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-05";
    let v = page.values("zstd-chunks");
    let line = Timeline::new(&v);
    let file = |plan: Plan| {
        APART.iter().fold(plan.stream(stream(1)), |plan, places| {
            plan.chunk(line.chunk(1, places).zstd())
        })
    };
    let zstd = Draft::new(
        "zstd-chunks",
        &[RULE],
        "chunks of one zstd frame each: at each stamp and behind it",
    )
    .valid_asked(file(plan_with(&v, ZSTD)), line.states(1, &PLACES))
    .wrong_answer("the first or the nearest chunk answers, or the one that starts after T");

    let v = page.values("columnar-chunks");
    let line = Timeline::new(&v);
    let columnar = APART
        .iter()
        .fold(plan_with(&v, COLUMNAR).stream(stream(1)), |plan, places| {
            plan.columnar(line.columnar(1, places))
        });
    let columnar = Draft::new(
        "columnar-chunks",
        &[RULE],
        "chunks in columns: at each stamp and behind it",
    )
    .readings(&["G24"])
    .valid_asked(columnar, line.states(1, &PLACES))
    .wrong_answer("no message, from an index that is taken to list plain chunks only");

    let v = page.values("mixed-layouts");
    let line = Timeline::new(&v);
    let mixed = plan_with(&v, &[0, 2])
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 2]))
        .columnar(line.columnar(1, &[5, 7]).zstd())
        .chunk(line.chunk(1, &[10, 12]).zstd());
    let mixed = Draft::new(
        "mixed-layouts",
        &[RULE],
        "a plain chunk, one in compressed columns and a compressed one, of one stream",
    )
    .readings(&["G22", "G24"])
    .valid_asked(mixed, line.states(1, &PLACES))
    .wrong_answer("a message of another chunk where the layouts change");
    vec![zstd, columnar, mixed]
}
