//! Which samples `times` gives, and in which order (§9.2, §10.12).

use ca3_spec::kind::Kind::{Other, UnresolvedReference, ZeroReference};
use serde_json::json;

use super::super::timeline::Timeline;
use super::super::{Page, one_stream, plan, plan_with};
use super::device_stream;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Decoded, Sample, ZSTD, stream};
use crate::timing::{Timed, raw_source, sample, stamped, times};
use crate::{Ask, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![unsorted(page), overlapping(page), packed(page)];
    cases.extend(tied(page));
    cases.extend([of_one_stream(page), nothing(page), undeclared(page)]);
    cases
}

/// `times` of stream 1, exact samples at these places.
fn timed(line: &Timeline, places: &[u64]) -> Ask {
    let samples: Vec<Timed> = places
        .iter()
        .map(|place| sample(line.at(*place), line.at(*place), "exact"))
        .collect();
    times(1, &samples)
}

fn unsorted(page: &Page) -> Draft {
    let v = page.values("unsorted-chunk");
    let line = Timeline::new(&v);
    Draft::new(
        "unsorted-chunk",
        &["CA3-9.2-04"],
        "a chunk that stores 6, 0, 4, 2: the samples come as 0, 2, 4, 6",
    )
    .valid_asked(
        line.file(&v, &[&[6, 0, 4, 2]]),
        vec![timed(&line, &[0, 2, 4, 6])],
    )
    .wrong_answer("stored order")
}

fn overlapping(page: &Page) -> Draft {
    let v = page.values("overlapping-chunks");
    let line = Timeline::new(&v);
    Draft::new(
        "overlapping-chunks",
        &["CA3-9.2-05"],
        "three chunks that overlap, the longest written last: one run of samples by stamp",
    )
    .valid_asked(
        line.file(&v, &[&[1, 4, 9], &[2, 3, 7], &[0, 5, 6, 8]]),
        vec![timed(&line, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
    )
    .wrong_answer("one chunk's samples after another's")
}

fn packed(page: &Page) -> Draft {
    let v = page.values("under-zstd");
    let line = Timeline::new(&v);
    Draft::new(
        "under-zstd",
        &["CA3-9.2-05"],
        "two chunks that overlap, one of them compressed",
    )
    .valid_asked(
        plan_with(&v, ZSTD)
            .stream(stream(1))
            .chunk(line.chunk(1, &[0, 3, 5]).zstd())
            .chunk(line.chunk(1, &[1, 2, 4])),
        vec![timed(&line, &[0, 1, 2, 3, 4, 5])],
    )
    .wrong_answer("one chunk's samples after another's, or the compressed ones left out")
}

/// Samples of a device, told apart by its own stamps.
fn tied(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-04";
    let message = |stamp: u64, source: u64| Sample::new(Decoded::at(stamp).source(source), b"one");
    let owed = |stamp: u64, source: u64| stamped(stamp).source(raw_source(source));
    let drawn = |v: &Values| {
        (
            v.u64("stamp_ns", 5_000, 2_000..=90_000),
            v.u64("source_timestamp_ns", 700, 100..=900),
        )
    };

    let v = page.values("equal-stamps-in-a-chunk");
    let (at, source) = drawn(&v);
    // Neither by the device's stamp nor by its reverse.
    let stored = [source + 20, source, source + 10];
    let in_chunk = Draft::new(
        "equal-stamps-in-a-chunk",
        &[RULE],
        "three messages of one stamp come as they are stored",
    )
    .readings(&["G117"])
    .valid_asked(
        plan(&v)
            .stream(device_stream(1, "dev"))
            .chunk(Chunk::of(1, &stored.map(|source| message(at, source)))),
        vec![times(1, &stored.map(|source| owed(at, source)))],
    )
    .wrong_answer("they are sorted by another field, or come the other way round");

    let v = page.values("equal-stamps-in-two-chunks");
    let (at, source) = drawn(&v);
    // By min_stamp_ns the second chunk in the file is the table's first.
    let late = [message(at, source), message(at + 9, source + 1)];
    let early = [message(at - 9, source + 2), message(at, source + 3)];
    let in_two = Draft::new(
        "equal-stamps-in-two-chunks",
        &[RULE],
        "messages of one stamp in two chunks come in the order of the index",
    )
    .readings(&["G117"])
    .valid_asked(
        plan(&v)
            .stream(device_stream(1, "dev"))
            .chunk(Chunk::of(1, &late))
            .chunk(Chunk::of(1, &early)),
        vec![times(
            1,
            &[
                owed(at - 9, source + 2),
                owed(at, source + 3),
                owed(at, source),
                owed(at + 9, source + 1),
            ],
        )],
    )
    .wrong_answer("they come in file order");
    vec![in_chunk, in_two]
}

fn of_one_stream(page: &Page) -> Draft {
    let v = page.values("of-one-stream");
    let line = Timeline::new(&v);
    let of = |stream_ref: u32, places: &[u64]| {
        let samples: Vec<Timed> = places
            .iter()
            .map(|place| sample(line.at(*place), line.at(*place), "exact"))
            .collect();
        times(stream_ref, &samples)
    };
    Draft::new(
        "of-one-stream",
        &["CA3-9.2-07"],
        "samples that are stored, of the stream that is asked for, none between them",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(2))
            .stream(stream(1))
            .chunk(line.chunk(1, &[0, 4]))
            .chunk(line.chunk(2, &[1, 3, 9]))
            .chunk(line.chunk(1, &[8])),
        vec![of(1, &[0, 4, 8]), of(2, &[1, 3, 9]), of(1, &[0, 4, 8])],
    )
    .wrong_answer("samples of other streams, or ones made up in a gap")
}

fn nothing(page: &Page) -> Draft {
    let v = page.values("without-messages");
    let line = Timeline::new(&v);
    Draft::new(
        "without-messages",
        &["CA3-9.2-07"],
        "a declared stream without a message has no samples",
    )
    .valid_asked(
        one_stream(&v)
            .stream(stream(2))
            .chunk(line.chunk(2, &[0, 1])),
        vec![times(1, &[])],
    )
    .wrong_answer("a sample at 0, a refusal, or another stream's samples")
}

fn undeclared(page: &Page) -> Draft {
    let v = page.values("undeclared-stream");
    let line = Timeline::new(&v);
    let other = v.u32("undeclared", 9, 2..=u32::MAX);
    let none = json!({"samples": {"$one_of": [{"$absent": true}, []]}});
    let raised = |stream_ref: u32| {
        times(stream_ref, &[])
            .surfaces(surface(&[UnresolvedReference, ZeroReference, Other]).result(none.clone()))
    };
    Draft::new(
        "undeclared-stream",
        &["CA3-5.7-05"],
        "a stream that the file does not declare is asked for, and stream 0, which cannot be",
    )
    .readings(&["G132"])
    .valid_asked(
        line.file(&v, &[&[0, 1]]),
        vec![timed(&line, &[0, 1]), raised(other), raised(0)],
    )
    .wrong_answer("no samples, as if it were a stream without messages")
}
