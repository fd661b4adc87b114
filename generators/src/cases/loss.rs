//! Item 13: what the sequences say of losses (§7.4).

use serde_json::{Value, json};

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::asking::lost;
use crate::plan::{COLUMNAR, Chunk, Columnar, Decoded, Plan, Sample, ZSTD, stream};
use crate::{Ask, Draft, Values};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = shared(page);
    cases.extend(alone(page));
    cases.extend(super::loss_counts::cases(page));
    cases.extend(layouts(page));
    cases
}

/// A message: its place in time, and its sequence.
pub(super) type Counted = (u64, Option<u32>);

pub(super) fn samples(line: &Timeline, stream_ref: u32, messages: &[Counted]) -> Vec<Sample> {
    let sample = |(place, sequence): &Counted| {
        let decoded = Decoded {
            sequence: *sequence,
            ..Decoded::at(line.at(*place))
        };
        Sample::new(decoded, &line.payload(stream_ref, *place))
    };
    messages.iter().map(sample).collect()
}

/// A chunk of counted messages at consecutive places.
pub(super) fn counted(line: &Timeline, stream_ref: u32, place: u64, sequences: &[u32]) -> Chunk {
    let messages: Vec<Counted> = (place..).zip(sequences.iter().copied().map(Some)).collect();
    Chunk::of(stream_ref, &samples(line, stream_ref, &messages))
}

/// Declares streams by reference and topic, each published by another node.
pub(super) fn published(plan: Plan, topics: &[(u32, &str)]) -> Plan {
    topics.iter().fold(plan, |plan, (stream_ref, topic)| {
        let mut stream = stream(*stream_ref);
        stream.topic = (*topic).to_owned();
        stream.node = format!("node-{stream_ref}");
        plan.stream(stream)
    })
}

/// Stream 1, alone on its topic.
pub(super) fn alone_on_topic(v: &Values) -> Plan {
    published(plan(v), &[(1, "topic")])
}

/// What is owed for stream 1, alone on its topic, where `missing` numbers are.
pub(super) fn verdict(missing: u64) -> Vec<Ask> {
    let verdict = if missing == 0 { "none" } else { "loss" };
    vec![Ask::loss(&[lost(1, "topic", Some(missing), verdict)])]
}

/// A stream of which it may not be said that it lost something.
fn not_lost(stream_ref: u32, topic: &str) -> Value {
    json!({"stream_ref": stream_ref, "topic": topic, "verdict": {"$not": "loss"}})
}

/// Where a count begins: nothing says that it is 1.
pub(super) fn first(v: &Values) -> u32 {
    v.u32("sequence", 1, 1..=1 << 30)
}

fn shared(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.4-01";
    // The same chunks on one topic and on two.
    let file = |v: &Values, topics: &[(u32, &str)]| {
        let (line, n) = (Timeline::new(v), first(v));
        published(plan(v), topics)
            .chunk(counted(&line, 1, 0, &[n, n + 1, n + 4]))
            .chunk(counted(&line, 2, 5, &[n, n + 1, n + 2]))
    };
    let v = page.values("gap-on-a-shared-topic");
    let gap = Draft::new(
        "gap-on-a-shared-topic",
        &[RULE],
        "two streams on one topic, a gap in the first: nobody can call it a loss",
    )
    .valid_asked(
        file(&v, &[(1, "t"), (2, "t")]),
        vec![Ask::loss(&[not_lost(1, "t"), not_lost(2, "t")])],
    )
    .wrong_answer("loss, although another stream counts on the same topic");

    let v = page.values("gap-on-a-shared-topic-in-full");
    let in_full = Draft::new(
        "gap-on-a-shared-topic-in-full",
        &[RULE],
        "a gap on a shared topic: indeterminate, with no number of missing messages",
    )
    .readings(&["G118"])
    .valid_asked(
        file(&v, &[(1, "t"), (2, "t")]),
        vec![Ask::loss(&[
            lost(1, "t", None, "indeterminate"),
            not_lost(2, "t"),
        ])],
    )
    .wrong_answer("none, or a number beside the verdict");

    let v = page.values("same-gap-on-two-topics");
    let two = Draft::new(
        "same-gap-on-two-topics",
        &[RULE, "CA3-7.4-02"],
        "the same chunks, the second stream on a topic of its own: now it is a loss",
    )
    .valid_asked(
        file(&v, &[(1, "t"), (2, "u")]),
        // n + 2 and n + 3 are held by no message.
        vec![Ask::loss(&[
            lost(1, "t", Some(2), "loss"),
            lost(2, "u", Some(0), "none"),
        ])],
    )
    .wrong_answer("indeterminate, from counting all streams of the file");

    let v = page.values("shared-and-own-topics");
    let (line, n) = (Timeline::new(&v), first(&v));
    let mixed = Draft::new(
        "shared-and-own-topics",
        &[RULE, "CA3-7.4-02"],
        "four streams on three topics, a gap in each: two are losses, two are not said to be",
    )
    .valid_asked(
        published(plan(&v), &[(1, "t"), (2, "u"), (3, "t"), (4, "tt")])
            .chunk(counted(&line, 1, 0, &[n, n + 2]))
            .chunk(counted(&line, 2, 0, &[n, n + 3]))
            .chunk(counted(&line, 3, 0, &[n + 1, n + 5]))
            .chunk(counted(&line, 4, 0, &[n + 7, n + 12])),
        vec![Ask::loss(&[
            not_lost(1, "t"),
            lost(2, "u", Some(2), "loss"),
            not_lost(3, "t"),
            lost(4, "tt", Some(4), "loss"),
        ])],
    )
    .wrong_answer("one verdict for the whole file, or topics told apart by their first letters");

    // The two copies of each Stream record, and a checkpoint's, are one stream.
    let v = page.values("one-stream-stated-thrice");
    let (line, n) = (Timeline::new(&v), first(&v));
    let restated = Draft::new(
        "one-stream-stated-thrice",
        &["CA3-7.4-02"],
        "one stream whose record stands in the data section, a checkpoint and the summary",
    )
    .valid_asked(
        alone_on_topic(&v)
            .chunk(counted(&line, 1, 0, &[n, n + 1]))
            .checkpoint(true, Vec::new())
            .chunk(counted(&line, 1, 2, &[n + 5])),
        verdict(3),
    )
    .wrong_answer("indeterminate, from counting records in the place of streams");

    const CHUNKS: &str = "CA3-7.4-03";
    let silent = |v: &Values, topic: &str| {
        let (line, n) = (Timeline::new(v), first(v));
        published(plan(v), &[(1, "t"), (2, topic)]).chunk(counted(&line, 1, 0, &[n, n + 4]))
    };
    let v = page.values("silent-stream-on-the-topic");
    let on_topic = Draft::new(
        "silent-stream-on-the-topic",
        &[CHUNKS],
        "a second stream without a chunk on the topic: it counts all the same",
    )
    .valid_asked(
        silent(&v, "t"),
        vec![Ask::loss(&[
            not_lost(1, "t"),
            json!({"stream_ref": 2, "topic": "t"}),
        ])],
    )
    .wrong_answer("loss, from counting only the streams that have chunks");

    let v = page.values("silent-stream-elsewhere");
    let elsewhere = Draft::new(
        "silent-stream-elsewhere",
        &[CHUNKS],
        "the second stream without a chunk is on another topic: the gap is a loss",
    )
    .valid_asked(
        silent(&v, "u"),
        vec![Ask::loss(&[
            lost(1, "t", Some(3), "loss"),
            json!({"stream_ref": 2, "topic": "u"}),
        ])],
    )
    .wrong_answer("indeterminate, from counting all streams of the file");
    vec![gap, in_full, two, mixed, restated, on_topic, elsewhere]
}

fn alone(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.4-02";
    let v = page.values("gap-inside-a-chunk");
    let (line, n) = (Timeline::new(&v), first(&v));
    let inside = Draft::new(
        "gap-inside-a-chunk",
        &[RULE],
        "n, n + 1, n + 4 on the topic's only stream: two are missing",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(counted(&line, 1, 0, &[n, n + 1, n + 4])),
        verdict(2),
    )
    .wrong_answer("none, or one missing for one gap");

    let v = page.values("several-gaps");
    let (line, n) = (Timeline::new(&v), first(&v));
    // n + 1, then n + 4 to n + 8, then n + 10: one, five and one.
    let several = Draft::new(
        "several-gaps",
        &[RULE],
        "gaps of one, five and one in one chunk: seven are missing",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(counted(&line, 1, 0, &[n, n + 2, n + 3, n + 9, n + 11])),
        verdict(7),
    )
    .wrong_answer("the number of gaps, or the first or last gap only");

    let v = page.values("count-begins-anywhere");
    let line = Timeline::new(&v);
    let n = v.u32("sequence", 500, 500..=1 << 30);
    let anywhere = Draft::new(
        "count-begins-anywhere",
        &[RULE],
        "a recording that begins at a later number, without a gap: nothing is missing between",
    )
    .valid_asked(
        alone_on_topic(&v).chunk(counted(&line, 1, 0, &[n, n + 1, n + 2])),
        verdict(0),
    )
    .wrong_answer("everything from 1 to the first sequence taken for lost");
    vec![inside, several, anywhere]
}

fn layouts(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-7.4-06";
    let v = page.values("gaps-under-zstd");
    let (line, n) = (Timeline::new(&v), first(&v));
    let zstd = Draft::new(
        "gaps-under-zstd",
        &[RULE],
        "gaps inside and between chunks of one zstd frame each: two and one are missing",
    )
    .valid_asked(
        published(plan_with(&v, ZSTD), &[(1, "topic")])
            .chunk(counted(&line, 1, 0, &[n, n + 3]).zstd())
            .chunk(counted(&line, 1, 2, &[n + 5, n + 6]).zstd()),
        verdict(3),
    )
    .wrong_answer("1, from the entries' first and last sequences alone");

    // A gap between chunks and none inside, so that no column of sequences is
    // needed (reading G36).
    let v = page.values("gap-between-columns");
    let (line, n) = (Timeline::new(&v), first(&v));
    let run = |place: u64, from: u32| {
        let messages = [(place, Some(from)), (place + 1, Some(from + 1))];
        Columnar::of(1, &samples(&line, 1, &messages))
    };
    let columns = Draft::new(
        "gap-between-columns",
        &[RULE],
        "a gap between two chunks in columns: three are missing",
    )
    .readings(&["G24"])
    .valid_asked(
        published(plan_with(&v, COLUMNAR), &[(1, "topic")])
            .columnar(run(0, n))
            .columnar(run(2, n + 5)),
        verdict(3),
    )
    .wrong_answer("indeterminate, from chunks in columns passed over");
    vec![zstd, columns]
}
