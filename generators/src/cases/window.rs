//! Item 14: which messages a window holds (§9.2).
//!
//! The document says which are in range and not whether the ends are: apart
//! from the cases that rest on reading G15, no window here ends at a stamp.

use ca3_spec::kind::Kind;

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::asking::emitted;
use crate::plan::{COLUMNAR, Chunk, ZSTD, stream};
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = selected(page);
    cases.extend(empty(page));
    cases.extend(ends(page));
    cases.extend(streams(page));
    cases.extend(layouts(page));
    cases.extend(super::window_stored::cases(page));
    cases
}

/// Three chunks of three messages, apart: 0 to 2, 4 to 6, 8 to 10.
const APART: [&[u64]; 3] = [&[0, 1, 2], &[4, 5, 6], &[8, 9, 10]];
const CHUNKS: [&str; 3] = ["Chunk 1", "Chunk 2", "Chunk 3"];

fn selected(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-01";
    let v = page.values("chunks-apart");
    let line = Timeline::new(&v);
    let ask = |t1: u64, t2: u64, places: &[u64]| line.window(t1, t2, 1, places);
    let apart = Draft::new(
        "chunks-apart",
        &[RULE],
        "three chunks apart: windows within one, across an edge, over two and over all",
    )
    .valid_asked(
        line.file(&v, &APART),
        vec![
            // Behind 1 and ahead of 5: the end of the first, the start of the second.
            ask(line.behind(1), line.ahead(5), &[2, 4])
                .reads(&["Chunk 1", "Chunk 2"], &["Chunk 3"]),
            ask(line.behind(4), line.ahead(6), &[5]),
            ask(line.ahead(4), line.behind(6), &[4, 5, 6]),
            ask(line.behind(2), line.behind(8), &[4, 5, 6, 8]),
            ask(line.ahead(2), line.ahead(8), &[2, 4, 5, 6]),
            ask(line.behind(0), line.ahead(10), &[1, 2, 4, 5, 6, 8, 9]),
            ask(
                line.ahead(0),
                line.behind(10),
                &[0, 1, 2, 4, 5, 6, 8, 9, 10],
            ),
        ],
    )
    .wrong_answer("messages of a chunk that lie outside, or a chunk at the edge left out");

    let v = page.values("everything");
    let line = Timeline::new(&v);
    let all: &[u64] = &[0, 1, 2, 4, 5, 6, 8, 9, 10];
    let everything = Draft::new(
        "everything",
        &[RULE],
        "from 0 to 2^64-1: all messages, whatever number holds the ends",
    )
    .valid_asked(
        line.file(&v, &APART),
        vec![
            line.window(0, u64::MAX, 1, all).reads(&CHUNKS, &[]),
            line.window(0, line.ahead(5), 1, &[0, 1, 2, 4]),
            line.window(line.behind(5), u64::MAX, 1, &[6, 8, 9, 10]),
            line.window(0, 1 << 63, 1, all),
        ],
    )
    .wrong_answer("nothing, from an end taken for -1");

    let v = page.values("ends-beyond-2-63");
    let near = v.u64("near", 100, 10..=1 << 40);
    let (low, high, last) = ((1 << 63) - near, (1 << 63) + near, u64::MAX - 3);
    let said = |stamp: u64, payload: &[u8]| emitted(1, "exact", stamp, stamp, payload);
    let wide = Draft::new(
        "ends-beyond-2-63",
        &[RULE],
        "stamps on both sides of 2^63 and near 2^64: a window is unsigned",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::plain(1, &[(low, b"low"), (high, b"high")]))
            .chunk(Chunk::plain(1, &[(last, b"last")])),
        vec![
            Ask::window(
                1 << 63,
                u64::MAX,
                &[1],
                &[said(high, b"high"), said(last, b"last")],
            ),
            Ask::window(0, 1 << 63, &[1], &[said(low, b"low")]),
            Ask::window(
                low - 1,
                high + 1,
                &[1],
                &[said(low, b"low"), said(high, b"high")],
            ),
            Ask::window(last - 1, u64::MAX, &[1], &[said(last, b"last")]),
        ],
    )
    .wrong_answer("nothing, or messages of another side of 2^63");

    let v = page.values("long-chunk-reaches-in");
    let line = Timeline::new(&v);
    let long = Draft::new(
        "long-chunk-reaches-in",
        &[RULE],
        "a chunk that begins long before the window and overlaps later ones holds messages in it",
    )
    .valid_asked(
        line.file(&v, &[&[0, 12, 20], &[2, 3], &[5, 6], &[14, 15]]),
        vec![
            line.window(line.behind(8), line.ahead(13), 1, &[12])
                .reads(&["Chunk 1"], &["Chunk 2", "Chunk 3", "Chunk 4"]),
            line.window(line.behind(15), line.behind(20), 1, &[20]),
            line.window(line.behind(3), line.ahead(14), 1, &[5, 6, 12]),
            line.window(line.behind(6), line.ahead(12), 1, &[]),
        ],
    )
    .wrong_answer("a hole at the window's start, from entries chosen by where they begin");

    let v = page.values("chunks-written-out-of-order");
    let line = Timeline::new(&v);
    let disorder = Draft::new(
        "chunks-written-out-of-order",
        &[RULE, "CA3-7.1-07"],
        "chunks apart, written last, first, middle: the window comes in stamp order",
    )
    .why("A window that follows the file's order hands out an interval before the one that precedes it, and one that stops at the first chunk past its end loses what was written late.")
    .valid_asked(
        line.file(&v, &[&[8, 9], &[0, 1], &[4, 5]]),
        vec![
            line.window(line.behind(0), line.ahead(9), 1, &[1, 4, 5, 8])
                .reads(&CHUNKS, &[]),
            line.window(line.ahead(4), line.behind(9), 1, &[4, 5, 8, 9]),
        ],
    )
    .wrong_answer("messages in file order, or the window cut at the first chunk past its end");
    vec![apart, everything, wide, long, disorder]
}

fn empty(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-01";
    let v = page.values("no-message-in-range");
    let line = Timeline::new(&v);
    let nothing = |t1: u64, t2: u64| line.window(t1, t2, 1, &[]);
    let none = Draft::new(
        "no-message-in-range",
        &[RULE],
        "windows in a hole, between two messages of a chunk, before the first, behind the last",
    )
    .valid_asked(
        line.file(&v, &APART),
        vec![
            nothing(line.behind(2), line.ahead(4)).reads(&[], &CHUNKS),
            // The chunk's span covers the window, and none of its messages.
            nothing(line.behind(4), line.ahead(5)),
            nothing(0, line.ahead(0)),
            nothing(line.behind(10), u64::MAX),
            // One instant, which no message has.
            nothing(line.behind(5), line.behind(5)),
            nothing(0, 0),
            nothing(u64::MAX, u64::MAX),
        ],
    )
    .wrong_answer("the messages next to the window");

    let v = page.values("ends-exchanged");
    let line = Timeline::new(&v);
    let exchanged = Draft::new(
        "ends-exchanged",
        &[RULE],
        "t1 after t2: the window is empty",
    )
    .valid_asked(
        line.file(&v, &APART),
        [
            line.window(line.ahead(10), line.behind(0), 1, &[]),
            line.window(u64::MAX, 0, 1, &[]),
            line.window(line.behind(5), line.ahead(5), 1, &[]),
        ]
        .map(|ask| ask.or_refused(&[Kind::Other]))
        .to_vec(),
    )
    .wrong_answer("the messages between, from ends that are put in order");

    let v = page.values("stream-without-chunks");
    let line = Timeline::new(&v);
    let silent = Draft::new(
        "stream-without-chunks",
        &[RULE],
        "a declared stream without a chunk has no message in any window",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .chunk(line.chunk(2, &[0, 1])),
        vec![
            line.window(0, u64::MAX, 1, &[]).reads(&[], &[]),
            Ask::window(
                0,
                u64::MAX,
                &[1, 2],
                &[line.emitted(2, 0), line.emitted(2, 1)],
            ),
        ],
    )
    .wrong_answer("the neighbour's messages, from a first_index of 0");
    vec![none, exchanged, silent]
}

/// Windows that end at a stamp (reading G15).
fn ends(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-02";
    let v = page.values("both-ends-at-stamps");
    let line = Timeline::new(&v);
    let ask = |t1: u64, t2: u64, places: &[u64]| line.window(line.at(t1), line.at(t2), 1, places);
    let both = Draft::new(
        "both-ends-at-stamps",
        &[RULE],
        "windows from stamp to stamp, at chunks' edges as well: both ends belong",
    )
    .valid_asked(
        line.file(&v, &APART),
        vec![
            ask(1, 5, &[1, 2, 4, 5]),
            ask(0, 10, &[0, 1, 2, 4, 5, 6, 8, 9, 10]),
            // The first chunk's last stamp, the second one's first.
            ask(2, 4, &[2, 4]),
            ask(2, 3, &[2]),
            ask(3, 4, &[4]),
        ],
    )
    .wrong_answer("a message at an end is left out");

    let v = page.values("one-instant");
    let line = Timeline::new(&v);
    let instant = |place: u64| line.window(line.at(place), line.at(place), 1, &[place]);
    let one = Draft::new(
        "one-instant",
        &[RULE],
        "t1 and t2 are one stamp: the message there, inside a chunk and at its edges",
    )
    .valid_asked(
        line.file(&v, &APART),
        [0, 5, 6, 8, 10].into_iter().map(instant).collect(),
    )
    .wrong_answer("nothing, from a window that is open at an end");

    let v = page.values("first-and-last-of-64-bits");
    let middle = v.u64("middle", 1 << 20, 1..=1 << 40);
    let said = |stamp: u64, payload: &[u8]| emitted(1, "exact", stamp, stamp, payload);
    let limits = Draft::new(
        "first-and-last-of-64-bits",
        &[RULE],
        "messages at 0 and at 2^64-1, and windows that end there",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::plain(1, &[(0, b"zero"), (middle, b"middle")]))
            .chunk(Chunk::plain(1, &[(u64::MAX, b"last")])),
        vec![
            Ask::window(
                0,
                u64::MAX,
                &[1],
                &[
                    said(0, b"zero"),
                    said(middle, b"middle"),
                    said(u64::MAX, b"last"),
                ],
            ),
            Ask::window(0, 0, &[1], &[said(0, b"zero")]),
            Ask::window(u64::MAX, u64::MAX, &[1], &[said(u64::MAX, b"last")]),
        ],
    )
    .wrong_answer("a message at the end of the range is left out");
    vec![both, one, limits]
}

fn streams(page: &Page) -> Vec<Draft> {
    let v = page.values("requested-order");
    let line = Timeline::new(&v);
    let (one, two, three) = (
        [line.emitted(1, 1), line.emitted(1, 4)],
        [line.emitted(2, 2), line.emitted(2, 3)],
        [line.emitted(3, 1), line.emitted(3, 5)],
    );
    let (t1, t2) = (line.behind(0), line.behind(5));
    let requested = Draft::new(
        "requested-order",
        &["CA3-9.2-01"],
        "the streams come one after another, in the order in which they were asked for",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .stream(stream(3))
            .chunk(line.chunk(2, &[0, 2]))
            .chunk(line.chunk(1, &[0, 1]))
            .chunk(line.chunk(3, &[1, 5]))
            .chunk(line.chunk(1, &[4, 6]))
            .chunk(line.chunk(2, &[3, 7])),
        vec![
            Ask::window(
                t1,
                t2,
                &[3, 1, 2],
                &[three.clone(), one.clone(), two.clone()].concat(),
            )
            .reads(
                &["Chunk 1", "Chunk 2", "Chunk 3", "Chunk 4", "Chunk 5"],
                &[],
            ),
            Ask::window(t1, t2, &[2, 1], &[two.clone(), one.clone()].concat()),
            Ask::window(t1, t2, &[1, 2, 3], &[one, two, three].concat()),
        ],
    )
    .wrong_answer("ascending by stream, or all streams merged by stamp");
    vec![requested]
}

fn layouts(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-01";
    let v = page.values("zstd-chunks");
    let line = Timeline::new(&v);
    let places: &[u64] = &[2, 4, 5, 6, 8];
    let (t1, t2) = (line.behind(1), line.ahead(9));
    let zstd = APART
        .iter()
        .fold(plan_with(&v, ZSTD).stream(stream(1)), |plan, places| {
            plan.chunk(line.chunk(1, places).zstd())
        });
    let zstd = Draft::new(
        "zstd-chunks",
        &[RULE],
        "a window over chunks of one zstd frame each",
    )
    .valid_asked(zstd, vec![line.window(t1, t2, 1, places)])
    .wrong_answer("messages of a chunk that lie outside, or a chunk at the edge left out");

    let v = page.values("columnar-chunks");
    let line = Timeline::new(&v);
    let (t1, t2) = (line.behind(1), line.ahead(9));
    let columnar = plan_with(&v, COLUMNAR)
        .stream(stream(1))
        .columnar(line.columnar(1, &[0, 1, 2]))
        .chunk(line.chunk(1, &[4, 5, 6]))
        .columnar(line.columnar(1, &[8, 9, 10]));
    let columnar = Draft::new(
        "columnar-chunks",
        &[RULE],
        "a window over chunks in columns with a plain one between them",
    )
    .readings(&["G24"])
    .valid_asked(columnar, vec![line.window(t1, t2, 1, places)])
    .wrong_answer("the plain chunk's messages alone");
    vec![zstd, columnar]
}
