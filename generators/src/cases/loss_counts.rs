//! Item 13: which sequences are missing, between chunks, around the wrap, out
//! of order and where some are absent (§7.4).

use serde_json::json;

use super::loss::{Counted, alone_on_topic, counted, first, published, samples, verdict};
use super::timeline::Timeline;
use super::{Page, plan};
use crate::asking::lost;
use crate::plan::Chunk;
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = between(page);
    cases.extend(wrapping(page));
    cases.extend(order(page));
    cases.extend(unsaid(page));
    cases
}

fn between(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.4-06";
    let v = page.values("gap-between-chunks");
    let (line, n) = (Timeline::new(&v), first(&v));
    let gap = Draft::new(
        "gap-between-chunks",
        &[RULE],
        "a chunk ends with n + 1 and the next begins with n + 3: one is missing",
    )
    .valid_asked(
        alone_on_topic(&v)
            .chunk(counted(&line, 1, 0, &[n, n + 1]))
            .chunk(counted(&line, 1, 2, &[n + 3])),
        verdict(1),
    )
    .wrong_answer("none, from looking at each chunk by itself");

    let v = page.values("gaps-between-and-inside");
    let (line, n) = (Timeline::new(&v), first(&v));
    // n + 1; n + 3, n + 4; n + 7 to n + 9: one, two and three.
    let both = Draft::new(
        "gaps-between-and-inside",
        &[RULE],
        "three chunks with gaps inside and between: one, two and three are missing",
    )
    .valid_asked(
        alone_on_topic(&v)
            .chunk(counted(&line, 1, 0, &[n, n + 2]))
            .chunk(counted(&line, 1, 2, &[n + 5, n + 6]))
            .chunk(counted(&line, 1, 4, &[n + 10])),
        verdict(6),
    )
    .wrong_answer("1, from gaps inside chunks only; or 5, from gaps between them only");

    let v = page.values("run-across-chunks");
    let (line, n) = (Timeline::new(&v), first(&v));
    let run = Draft::new(
        "run-across-chunks",
        &[RULE],
        "three chunks that go on counting: nothing is missing",
    )
    .valid_asked(
        alone_on_topic(&v)
            .chunk(counted(&line, 1, 0, &[n, n + 1]))
            .chunk(counted(&line, 1, 2, &[n + 2, n + 3, n + 4]))
            .chunk(counted(&line, 1, 5, &[n + 5])),
        verdict(0),
    )
    .wrong_answer("a gap at each chunk's edge, from a comparison that is off by one");
    vec![gap, both, run]
}

fn wrapping(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.4-04";
    const MAX: u32 = u32::MAX;
    let case = |name: &str, title: &str, chunks: &[&[u32]], missing: u64, wrong: &str| {
        let v = page.values(name);
        let line = Timeline::new(&v);
        let mut file = alone_on_topic(&v);
        for (place, sequences) in (0u64..).step_by(10).zip(chunks) {
            file = file.chunk(counted(&line, 1, place, sequences));
        }
        Draft::new(name, &[RULE], title)
            .valid_asked(file, verdict(missing))
            .wrong_answer(wrong)
    };
    vec![
        case(
            "wrap-in-a-chunk",
            "4294967294, 4294967295, 1: no gap",
            &[&[MAX - 1, MAX, 1]],
            0,
            "one missing, from a modulus of 2^32; or four thousand million",
        ),
        case(
            "wrap-between-chunks",
            "a chunk ends with 4294967295 and the next begins with 1: no gap",
            &[&[MAX - 1, MAX], &[1, 2]],
            0,
            "one missing, from a modulus of 2^32; or four thousand million",
        ),
        // 4294967295, 1 and 2; zero is no sequence.
        case(
            "wrap-inside-a-gap",
            "4294967294, then 3: three are missing, the wrap among them",
            &[&[MAX - 2, MAX - 1, 3, 4]],
            3,
            "four, from counting 0 as a sequence",
        ),
        // 4294967295, 1, 2, 3 and 4, with a chunk's edge between.
        case(
            "wrap-inside-a-gap-between-chunks",
            "a chunk ends with 4294967294 and the next begins with 5: five are missing",
            &[&[MAX - 2, MAX - 1], &[5, 6]],
            5,
            "six, from counting 0 as a sequence; or none",
        ),
        // 4294967294 before the wrap, 2 and 3 behind it.
        case(
            "gaps-on-both-sides-of-the-wrap",
            "4294967293, 4294967295, 1, 4: one is missing before the wrap and two behind",
            &[&[MAX - 2, MAX, 1, 4]],
            3,
            "a count that starts anew at the wrap",
        ),
    ]
}

fn order(page: &Page) -> Vec<Draft> {
    let v = page.values("late-message-in-a-chunk");
    let (line, n) = (Timeline::new(&v), first(&v));
    let messages: Vec<Counted> = [(0, n), (1, n + 1), (3, n + 3), (2, n + 2), (4, n + 4)]
        .map(|(place, sequence)| (place, Some(sequence)))
        .to_vec();
    let stored_late = Draft::new(
        "late-message-in-a-chunk",
        &["CA3-7.4-02"],
        "a message is stored behind a later one: it fills its place and nothing is missing",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(Chunk::of(1, &samples(&line, 1, &messages))),
        verdict(0),
    )
    .wrong_answer("a loss where the late message should have stood");

    // The late one is stamped late as well: by stamp the count steps back.
    let v = page.values("late-number-in-stamp-order");
    let (line, n) = (Timeline::new(&v), first(&v));
    let stamped_late = Draft::new(
        "late-number-in-stamp-order",
        &["CA3-7.4-02"],
        "numbers n, n + 1, n + 3, n + 2, n + 5 by stamp: n + 4 alone is missing",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(counted(&line, 1, 0, &[n, n + 1, n + 3, n + 2, n + 5])),
        verdict(1),
    )
    .wrong_answer("a loss for each step that is not one");

    let v = page.values("late-message-in-the-next-chunk");
    let (line, n) = (Timeline::new(&v), first(&v));
    let late: Vec<Counted> = [(2, n + 2), (4, n + 4)]
        .map(|(place, sequence)| (place, Some(sequence)))
        .to_vec();
    let early: Vec<Counted> = [(0, n), (1, n + 1), (3, n + 3)]
        .map(|(place, sequence)| (place, Some(sequence)))
        .to_vec();
    let next_chunk = Draft::new(
        "late-message-in-the-next-chunk",
        &["CA3-7.4-06"],
        "a late arrival opens the next chunk, whose span overlaps: nothing is missing",
    )
    .valid_asked(
        alone_on_topic(&v)
            .chunk(Chunk::of(1, &samples(&line, 1, &early)))
            .chunk(Chunk::of(1, &samples(&line, 1, &late))),
        verdict(0),
    )
    .wrong_answer("one missing inside the first chunk, although the second holds it");

    let v = page.values("chunks-out-of-file-order");
    let (line, n) = (Timeline::new(&v), first(&v));
    let disorder = Draft::new(
        "chunks-out-of-file-order",
        &["CA3-7.4-06"],
        "three chunks written last, first, middle: taken by stamp, two are missing",
    )
    .valid_asked(
        // By stamp n to n + 2, n + 4 and n + 5, n + 7 and n + 8.
        alone_on_topic(&v)
            .chunk(counted(&line, 1, 8, &[n + 7, n + 8]))
            .chunk(counted(&line, 1, 0, &[n, n + 1, n + 2]))
            .chunk(counted(&line, 1, 4, &[n + 4, n + 5])),
        verdict(2),
    )
    .wrong_answer("four thousand million missing, from a step back taken for a wrap");

    let v = page.values("late-number-at-the-front");
    let line = Timeline::new(&v);
    let front = Draft::new(
        "late-number-at-the-front",
        &["CA3-7.4-02"],
        "1, 4294967295, 3 by stamp: 4294967295 came late and stands before 1, so 2 is missing",
    )
    .readings(&["G120"])
    .valid_asked(
        alone_on_topic(&v).chunk(counted(&line, 1, 0, &[1, u32::MAX, 3])),
        verdict(1),
    )
    .wrong_answer("four thousand million missing, from a step back taken for a way round");
    vec![stored_late, stamped_late, next_chunk, disorder, front]
}

fn unsaid(page: &Page) -> Vec<Draft> {
    let v = page.values("no-sequences");
    let line = Timeline::new(&v);
    let none = Draft::new(
        "no-sequences",
        &["CA3-7.4-05"],
        "no message carries a sequence: nothing is said of losses",
    )
    .valid_asked(
        alone_on_topic(&v)
            .chunk(line.chunk(1, &[0, 1]))
            .chunk(line.chunk(1, &[2, 3])),
        vec![Ask::loss(&[
            json!({"stream_ref": 1, "topic": "topic", "verdict": "indeterminate"}),
        ])],
    )
    .wrong_answer("none with 0 missing, from a run 1, 2, 3 that nobody counted");

    const RULE: &str = "CA3-7.4-07";
    let v = page.values("no-sequences-no-number");
    let line = Timeline::new(&v);
    let no_number = Draft::new(
        "no-sequences-no-number",
        &[RULE],
        "no message carries a sequence: how many are missing cannot be said",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(line.chunk(1, &[0, 1])),
        vec![Ask::loss(&[lost(1, "topic", None, "indeterminate")])],
    )
    .wrong_answer("0 missing");

    let v = page.values("absent-beside-a-gap");
    let (line, n) = (Timeline::new(&v), first(&v));
    let messages = [(0, Some(n)), (1, None), (2, Some(n + 4))];
    let absent = Draft::new(
        "absent-beside-a-gap",
        &[RULE],
        "n, absent, n + 4: the one without a number may be any of those missing",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(Chunk::of(1, &samples(&line, 1, &messages))),
        vec![Ask::loss(&[lost(1, "topic", None, "indeterminate")])],
    )
    .wrong_answer("3 or 2 missing, and loss");

    let v = page.values("absent-without-a-gap");
    let (line, n) = (Timeline::new(&v), first(&v));
    let messages = [(0, Some(n)), (1, None), (2, Some(n + 1))];
    let whole = Draft::new(
        "absent-without-a-gap",
        &[RULE],
        "n, absent, n + 1: no number is missing",
    )
    .readings(&["G70", "G119"])
    .valid_asked(
        alone_on_topic(&v).chunk(Chunk::of(1, &samples(&line, 1, &messages))),
        verdict(0),
    )
    .wrong_answer("indeterminate, or a message without a number counted as one");

    let v = page.values("shared-topic-without-a-gap");
    let (line, n) = (Timeline::new(&v), first(&v));
    let shared = Draft::new(
        "shared-topic-without-a-gap",
        &[RULE],
        "two streams on one topic, each counting without a gap: none",
    )
    .valid_asked(
        published(plan(&v), &[(1, "t"), (2, "t")])
            .chunk(counted(&line, 1, 0, &[n, n + 1]))
            .chunk(counted(&line, 2, 0, &[n, n + 1, n + 2])),
        vec![Ask::loss(&[
            lost(1, "t", Some(0), "none"),
            lost(2, "t", Some(0), "none"),
        ])],
    )
    .wrong_answer("indeterminate for a topic in good order, or loss from one series of both");

    let v = page.values("stream-without-messages");
    let (line, n) = (Timeline::new(&v), first(&v));
    let silent = Draft::new(
        "stream-without-messages",
        &[RULE],
        "a declared stream without a message stands in the answer: nothing can be said of it",
    )
    .readings(&["G70", "G119"])
    .valid_asked(
        published(plan(&v), &[(2, "u"), (1, "t")]).chunk(counted(&line, 2, 0, &[n, n + 2])),
        vec![Ask::loss(&[
            lost(1, "t", None, "indeterminate"),
            lost(2, "u", Some(1), "loss"),
        ])],
    )
    .wrong_answer("the stream left out, or none");
    vec![none, no_number, absent, whole, shared, silent]
}
