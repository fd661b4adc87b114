//! Items 11 and 12: the message in force, where chunks of a stream overlap or
//! stand out of order (§7.1, §7.2, §9.1).

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::asking::{in_force, none_in_force};
use crate::plan::{Chunk, ZSTD, stream};
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = declared(page);
    cases.extend(table_order(page));
    cases.extend(going_on(page));
    cases.extend(stopping(page));
    cases.extend(ties(page));
    cases
}

fn declared(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.2-01";
    let v = page.values("overlap-declared");
    let line = Timeline::new(&v);
    let overlap = Draft::new(
        "overlap-declared",
        &[RULE],
        "spans 0-5 and 4-9 with chunks_overlap set: the earlier chunk holds the later message",
    )
    .valid_asked(
        line.file(&v, &[&[0, 5], &[4, 9]]),
        [
            // The search lands on the second chunk, whose best is 4; 5 is in the first.
            line.state(line.at(5), 1, 5),
            Ask::index(),
        ]
        .into_iter()
        .chain(line.states(1, &[0, 4, 5, 9]))
        .collect(),
    )
    .wrong_answer("the ordered path taken, so the message at 4 where 5 is in force");

    let v = page.values("overlap-of-one-stream");
    let line = Timeline::new(&v);
    let one = Draft::new(
        "overlap-of-one-stream",
        &[RULE],
        "of three streams the second overlaps: each directory entry says it for its own",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .stream(stream(3))
            .chunk(line.chunk(1, &[0, 1]))
            .chunk(line.chunk(2, &[0, 7]))
            .chunk(line.chunk(3, &[2, 3]))
            .chunk(line.chunk(2, &[1, 2]))
            .chunk(line.chunk(1, &[4, 5]))
            .chunk(line.chunk(2, &[3, 6]))
            .chunk(line.chunk(3, &[8, 9])),
        vec![
            // Stream 2 lands on its third chunk, best 6; 7 is in its first.
            Ask::state_at(
                line.behind(7),
                &[
                    line.in_force(1, 5),
                    line.in_force(2, 7),
                    line.in_force(3, 3),
                ],
            ),
            Ask::state_at(
                line.at(6),
                &[
                    line.in_force(1, 5),
                    line.in_force(2, 6),
                    line.in_force(3, 3),
                ],
            ),
            Ask::state_at(
                line.at(1),
                &[
                    line.in_force(1, 1),
                    line.in_force(2, 1),
                    none_in_force(3, "exact"),
                ],
            ),
            Ask::index(),
        ],
    )
    .wrong_answer("the bit of another stream's entry decides, so an older message of stream 2");

    // The two messages that meet are the same one twice, so it does not
    // matter which of them a reader finds.
    let v = page.values("spans-touch");
    let line = Timeline::new(&v);
    let touch = Draft::new(
        "spans-touch",
        &[RULE],
        "a chunk begins at its predecessor's very last stamp: that is an overlap",
    )
    .valid_asked(
        line.file(&v, &[&[0, 5], &[5, 9]]),
        [Ask::index()]
            .into_iter()
            .chain(line.states(1, &[0, 5, 9]))
            .collect(),
    )
    .wrong_answer("another message than the one at the common stamp, or the bit taken for clear");
    vec![overlap, one, touch]
}

fn table_order(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.1-07";
    let v = page.values("written-out-of-order");
    let line = Timeline::new(&v);
    let late = Draft::new(
        "written-out-of-order",
        &[RULE],
        "chunks apart and written late, early, middle: the table goes by stamp, the bit is clear",
    )
    .valid_asked(
        line.file(&v, &[&[8, 10], &[0, 2], &[4, 6]]),
        [Ask::index()]
            .into_iter()
            .chain(line.states(1, &[0, 2, 4, 6, 8, 10]))
            .collect(),
    )
    .wrong_answer("entries sorted by file position, so a search that misses what was written late");

    let v = page.values("streams-interleaved");
    let line = Timeline::new(&v);
    let interleaved = Draft::new(
        "streams-interleaved",
        &[RULE],
        "two streams whose chunks alternate in the file, each from the latest to the earliest",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(2))
            .stream(stream(1))
            .chunk(line.chunk(2, &[8, 9]))
            .chunk(line.chunk(1, &[6, 7]))
            .chunk(line.chunk(2, &[4, 5]))
            .chunk(line.chunk(1, &[3]))
            .chunk(line.chunk(2, &[0, 1]))
            .chunk(line.chunk(1, &[2])),
        vec![
            Ask::index(),
            Ask::state_at(line.behind(3), &[line.in_force(1, 3), line.in_force(2, 1)]),
            Ask::state_at(line.behind(5), &[line.in_force(1, 3), line.in_force(2, 5)]),
            Ask::state_at(line.at(9), &[line.in_force(1, 7), line.in_force(2, 9)]),
            Ask::state_at(
                line.at(0),
                &[none_in_force(1, "exact"), line.in_force(2, 0)],
            ),
        ],
    )
    .wrong_answer("entries in file order, or of both streams sorted together by stamp");
    vec![late, interleaved]
}

fn going_on(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-06";
    let v = page.values("past-a-neighbour");
    let line = Timeline::new(&v);
    let past = Draft::new(
        "past-a-neighbour",
        &[RULE],
        "a long chunk 0-9 before 1-2 and 4-6: its message at 8 lies two entries back",
    )
    .valid_asked(
        // The search lands on the third chunk, best 6. The second's running
        // maximum is 9, its own 2: the scan goes on to the first, which has 8.
        line.file(&v, &[&[0, 8, 9], &[1, 2], &[4, 6]]),
        [line.state(line.behind(8), 1, 8)]
            .into_iter()
            .chain(line.states(1, &[0, 1, 2, 4, 6, 8, 9]))
            .collect(),
    )
    .wrong_answer("6, from the ordered path or from stopping at the first neighbour");

    let v = page.values("far-back");
    let line = Timeline::new(&v);
    let mut places: Vec<u64> = (1..=12).collect();
    let mut deep = line.file(&v, &[&[0, 30]]);
    for place in &places {
        deep = deep.chunk(line.chunk(1, &[*place]));
    }
    places.insert(0, 0);
    places.push(30);
    let deep = Draft::new(
        "far-back",
        &[RULE],
        "the latest message lies in the first of thirteen entries: twelve steps back",
    )
    .valid_asked(deep, line.states(1, &places))
    .wrong_answer("12 at place 30, from a scan back that gives up after so many entries");

    let v = page.values("better-and-better");
    let line = Timeline::new(&v);
    let better = Draft::new(
        "better-and-better",
        &[RULE],
        "each step back finds a later message: 3, then 7, then 9",
    )
    .valid_asked(
        line.file(&v, &[&[0, 9], &[1, 7], &[2, 3]]),
        [line.state(line.at(9), 1, 9), line.state(line.at(8), 1, 7)]
            .into_iter()
            .chain(line.states(1, &[0, 1, 2, 3, 7, 9]))
            .collect(),
    )
    .wrong_answer("7 where 9 is in force, from stopping at the first better message");

    // §9.1 steps back while the running maximum exceeds the best stamp found;
    // what lies there may well be older than the best.
    let v = page.values("nothing-better");
    let line = Timeline::new(&v);
    let nothing = Draft::new(
        "nothing-better",
        &[RULE],
        "a running maximum past T leads back to a chunk that has only older messages",
    )
    .valid_asked(
        line.file(&v, &[&[0, 12], &[1, 11], &[2, 4]]),
        vec![
            // Landing on 2-4, best 4. Back: 1 and 11, then 0 and 12, none better.
            line.state(line.behind(4), 1, 4),
            line.state(line.ahead(11), 1, 4),
            line.state(line.behind(2), 1, 2),
            line.state(line.at(11), 1, 11),
            line.state(line.at(12), 1, 12),
        ],
    )
    .wrong_answer("0 or 1, the chunk that was read last, although 4 is later");

    let v = page.values("back-within-zstd");
    let line = Timeline::new(&v);
    let zstd = plan_with(&v, ZSTD)
        .stream(stream(1))
        .chunk(line.chunk(1, &[7, 0, 9]).zstd())
        .chunk(line.chunk(1, &[1, 2]).zstd())
        .chunk(line.chunk(1, &[5, 3]));
    let zstd = Draft::new(
        "back-within-zstd",
        &[RULE],
        "overlapping chunks, two of them under zstd, two of them unsorted",
    )
    .valid_asked(zstd, line.states(1, &[0, 1, 2, 3, 5, 7, 9]))
    .wrong_answer("5 where 7 or 9 is in force");
    vec![past, deep, better, nothing, zstd]
}

fn stopping(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-06";
    // Landing on the last chunk with T behind it: its own maximum is the
    // running one, so that nothing before it can be later. A reader that looks
    // one entry further is not told off for it; one that walks the stream is.
    let v = page.values("stop-at-once");
    let line = Timeline::new(&v);
    let once = Draft::new(
        "stop-at-once",
        &[RULE],
        "the overlap is long past: where no running maximum exceeds the best, nothing more is read",
    )
    .valid_asked(
        line.file(&v, &[&[0, 3], &[1, 2], &[5, 6], &[8, 9], &[11, 12]]),
        vec![
            line.state(line.behind(12), 1, 12)
                .reads(&["Chunk 5"], &["Chunk 4"]),
            line.state(line.at(3), 1, 3),
            line.state(line.at(7), 1, 6),
        ],
    )
    .wrong_answer("the whole stream is read for one instant");

    // Landing on 10-11, best 11. The entry before has a running maximum of 13
    // and so has the one of 6-13 itself; 4-5 before that has 5: stop.
    let v = page.values("stop-midway");
    let line = Timeline::new(&v);
    let midway = Draft::new(
        "stop-midway",
        &[RULE],
        "the scan back goes two entries far and stops where the running maximum is lower",
    )
    .valid_asked(
        line.file(
            &v,
            &[&[0, 1], &[2, 3], &[4, 5], &[6, 7, 13], &[8, 9], &[10, 11]],
        ),
        vec![
            line.state(line.at(12), 1, 11)
                .reads(&["Chunk 6"], &["Chunk 5", "Chunk 4", "Chunk 3"]),
            line.state(line.at(13), 1, 13),
            line.state(line.at(7), 1, 7),
            line.state(line.at(5), 1, 5),
        ],
    )
    .wrong_answer("entries far before the one whose running maximum is lower are read");
    vec![once, midway]
}

/// Equal stamps in two overlapping chunks (reading G39).
fn ties(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.1-12";
    let said = |t: u64, stamp: u64, payload: &[u8]| {
        Ask::state_of(t, &[1], &[in_force(1, "exact", stamp, stamp, payload)])
    };
    // An entry that ends where the next begins, and what is in force there.
    let meeting = |line: &Timeline| {
        let (a, b, c) = (line.at(0), line.at(5), line.at(9));
        let earlier = Chunk::plain(1, &[(a, b"start"), (b, b"a")]);
        let later = Chunk::plain(1, &[(b, b"b"), (c, b"end")]);
        let asked = vec![
            said(b, b, b"b"),
            said(b + 1, b, b"b"),
            said(b - 1, a, b"start"),
        ];
        (earlier, later, asked)
    };
    let v = page.values("tie-across-chunks");
    let (earlier, later, asked) = meeting(&Timeline::new(&v));
    let tie = Draft::new(
        "tie-across-chunks",
        &[RULE],
        "equal stamps where one chunk ends and the next begins: the later entry's message",
    )
    .valid_asked(
        plan(&v).stream(stream(1)).chunk(earlier).chunk(later),
        asked,
    )
    .wrong_answer("the message of the entry earlier in the table");

    let v = page.values("tie-across-chunks-in-disorder");
    let (earlier, later, asked) = meeting(&Timeline::new(&v));
    let disorder = Draft::new(
        "tie-across-chunks-in-disorder",
        &[RULE],
        "the same, the later entry's chunk written first: table order decides and not the file's",
    )
    .valid_asked(
        plan(&v).stream(stream(1)).chunk(later).chunk(earlier),
        asked,
    )
    .wrong_answer("the message written later in the file");

    let v = page.values("tie-inside-an-overlap");
    let line = Timeline::new(&v);
    let (low, tied) = (line.at(0), line.at(5));
    let inside = Draft::new(
        "tie-inside-an-overlap",
        &[RULE],
        "three overlapping chunks hold a message of one stamp: the last entry's",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::plain(1, &[(low, b"low"), (tied, b"a")]))
            .chunk(Chunk::plain(1, &[(line.at(1), b"one"), (tied, b"b")]))
            .chunk(Chunk::plain(1, &[(line.at(2), b"two"), (tied, b"c")])),
        vec![said(tied, tied, b"c"), said(u64::MAX, tied, b"c")],
    )
    .wrong_answer("the message of an entry earlier in the table");
    vec![tie, disorder, inside]
}
