//! Item 24: step 5, the derived columns, over chunks in disorder and in overlap
//! (§7.1-§7.3, §8.3).
//!
//! Each is judged by its entries and by its directory; what it comes to stands
//! above it, as in `shapes.rs`.

use ca3_wire::records::IndexEntry;
use serde_json::{Value, json};

use super::super::timeline::Timeline;
use super::super::{Page, plan_with};
use super::chained::{beheaded, listed};
use super::shapes::{CHECKPOINT, DIRECTORY, MAXIMA, SHAPES, SORTED, Step};
use crate::asking::index_of;
use crate::plan::{COLUMNAR, Chunk, Decoded, Plan, Sample, stream};
use crate::recovering::{CHAIN, SPINE, recovered, repaired};
use crate::{Ask, Draft, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases: Vec<Draft> = SHAPES
        .iter()
        .map(|(name, rule, title, steps)| {
            let (file, count) = built(&page.values(name), &[], steps);
            Draft::new(name, &all_of_step_5(rule), title)
                .valid_asked(file.clone(), vec![asked(&file, count)])
                .wrong_answer(WRONG)
        })
        .collect();
    cases.extend(stored(page));
    cases.extend(columns(page));
    cases.extend(elsewhere(page));
    cases.extend(ties(page));
    cases.extend(high(page));
    cases.push(references_as_numbers(page));
    cases.extend(super::rows::cases(page));
    cases
}

/// A shape's own rule first: all three are judged in each.
fn all_of_step_5(first: &'static str) -> Vec<&'static str> {
    let others = [SORTED, MAXIMA, DIRECTORY];
    let others = others.into_iter().filter(|rule| *rule != first);
    [first].into_iter().chain(others).collect()
}

const WRONG: &str = "entries in flush order, or maxima, places, extents or the bit of such entries";

/// The two streams' references, the smaller first.
fn references(v: &Values) -> [u32; 2] {
    [
        v.u32("stream_ref", 3, 1..=1_000),
        v.u32("another_ref", 70_000, 1_001..=u32::MAX),
    ]
}

/// A file of both streams and these records, not sealed; how many of them are
/// checkpoints. The greater reference is declared first.
fn built(v: &Values, features: &[u8], steps: &[Step]) -> (Plan, u64) {
    laid(v, features, steps, &|_| false)
}

fn laid(
    v: &Values,
    features: &[u8],
    steps: &[Step],
    in_columns: &dyn Fn(u8) -> bool,
) -> (Plan, u64) {
    let line = Timeline::new(v);
    let [low, high] = references(v);
    let file = plan_with(v, features)
        .stream(stream(high))
        .stream(stream(low));
    steps
        .iter()
        .fold((file.unsealed(), 0), |(file, count), (which, places)| {
            let stream_ref = if *which == 1 { low } else { high };
            match which {
                0 => (file.checkpoint(false, Vec::new()), count + 1),
                which if in_columns(*which) => {
                    (file.columnar(line.columnar(stream_ref, places)), count)
                }
                _ => (file.chunk(line.chunk(stream_ref, places)), count),
            }
        })
}

/// `recover` of such a file, by its chain where it has one.
fn asked(file: &Plan, count: u64) -> Ask {
    let method = if count == 0 { SPINE } else { CHAIN };
    recovered(method, file).holds(listed(count))
}

/// What checkpoints have in `prefix_max_stamp_ns` is not read (reading G75):
/// the column is computed anew, whatever stands there. On the invalid side the
/// head is gone, so the entries can come from nowhere else.
fn stored(page: &Page) -> Vec<Draft> {
    type Prefix = fn(&[IndexEntry]) -> Vec<u64>;
    let case = |[name, title]: [&str; 2], maxima: &[u64], steps: &[Step], prefix: Prefix| {
        let v = page.values(name);
        let line = Timeline::new(&v);
        let rebuilt: Vec<String> = maxima
            .iter()
            .map(|place| line.at(*place).to_string())
            .collect();
        let title = match rebuilt.as_slice() {
            [] => title.to_owned(),
            figures => format!("{title}: rebuilt as {}", figures.join(", ")),
        };
        let (file, count) = built(&v, &[], steps);
        let file = (1..=count).fold(file, |file, seq| {
            let label = format!("Checkpoint {seq}");
            file.edit_checkpoint(&label, "index_entries", "its maxima", move |checkpoint| {
                let maxima = prefix(&checkpoint.index_entries);
                for (entry, max) in checkpoint.index_entries.iter_mut().zip(maxima) {
                    entry.prefix_max_stamp_ns = max;
                }
            })
        });
        let file = file.as_valid();
        Draft::new(name, &[MAXIMA, SORTED, DIRECTORY], &title)
            .valid_asked(
                file.clone(),
                vec![asked(&file, count).may_report_anything()],
            )
            .invalid_asked(beheaded(&file), vec![asked(&file, count)])
    };
    vec![
        // 1: 1-9, 6-7; 9, 9; set. 2: 2-3, 4-5; 3, 5; clear.
        case(
            ["stored-as-zero", "the checkpoint's maxima are 0"],
            &[9, 9, 3, 5],
            &[
                (1, &[1, 9]),
                (2, &[4, 5]),
                (1, &[6, 7]),
                (2, &[2, 3]),
                CHECKPOINT,
            ],
            |entries| vec![0; entries.len()],
        ),
        // 1: 1-2, 6-9; 2, 9; clear. 2: 0-4, 1-3; 4, 4; set.
        case(
            [
                "stored-as-the-greatest",
                "the checkpoints' maxima are 2^64 - 1",
            ],
            &[2, 9, 4, 4],
            &[
                (1, &[6, 9]),
                (2, &[0, 4]),
                CHECKPOINT,
                (1, &[1, 2]),
                (2, &[1, 3]),
                CHECKPOINT,
            ],
            |entries| vec![u64::MAX; entries.len()],
        ),
        // Stored: 8, 9, 9, 9, running in flush order and over both streams.
        // 1: 1-2, 6-8; 2, 8; clear. 2: 0-9, 3-4; 9, 9; set.
        case(
            [
                "stored-in-flush-order",
                "the checkpoint's maxima run in flush order and over both streams",
            ],
            &[],
            &[
                (1, &[6, 8]),
                (2, &[0, 9]),
                (1, &[1, 2]),
                (2, &[3, 4]),
                CHECKPOINT,
            ],
            |entries| {
                let mut max = 0;
                let maxima = entries.iter().map(|entry| {
                    max = entry.max_stamp_ns.max(max);
                    max
                });
                maxima.collect()
            },
        ),
    ]
}

/// The same in columns (§6.5), whose index entries are ordinary ones (reading G24).
fn columns(page: &Page) -> Vec<Draft> {
    let case = |[name, title]: [&str; 2], steps: &[Step], in_columns: &dyn Fn(u8) -> bool| {
        let (file, count) = laid(&page.values(name), COLUMNAR, steps, in_columns);
        Draft::new(name, &[SORTED, MAXIMA, DIRECTORY], title)
            .readings(&["G24"])
            .valid_asked(file.clone(), vec![asked(&file, count)])
            .wrong_answer(WRONG)
    };
    vec![
        // 1: 0-12, 1-11, 2-10; 12, 12, 12; set. 2: 3-5; 5; clear.
        case(
            [
                "columns",
                "columnar chunks, nested and written from within, one of them unsorted",
            ],
            &[
                (1, &[2, 3, 10]),
                (2, &[3, 5]),
                CHECKPOINT,
                (1, &[1, 11, 6]),
                (1, &[0, 5, 12]),
            ],
            &|_| true,
        ),
        // 1: 0-1, 4-5, 8-9; 1, 5, 9; clear. 2: 2-9, 3-6; 9, 9; set.
        case(
            [
                "columns-beside-rows",
                "columnar chunks in disorder beside rows that overlap",
            ],
            &[
                (1, &[4, 5]),
                (2, &[3, 6]),
                (1, &[0, 1]),
                CHECKPOINT,
                (2, &[2, 9]),
                (1, &[8, 9]),
            ],
            &|which| which == 1,
        ),
    ]
}

/// Step 5 where there is no chain, and in a sealed file.
fn elsewhere(page: &Page) -> Vec<Draft> {
    // 1: 0-7, 6-9; 7, 9; set. 2: 0-1, 4-5; 1, 5; clear.
    const STEPS: &[Step] = &[(1, &[6, 9]), (2, &[4, 5]), (1, &[0, 7]), (2, &[0, 1])];
    let (walked, count) = built(&page.values("by-the-spine"), &[], STEPS);
    let spine = Draft::new(
        "by-the-spine",
        &[SORTED, MAXIMA, DIRECTORY],
        "no checkpoint at all: what the walk finds is sorted and computed alike",
    )
    .valid_asked(walked.clone(), vec![asked(&walked, count)])
    .wrong_answer(WRONG);

    // 1: 0-6, 5-9; 6, 9; set. 2: 1-2, 7-8; 2, 8; clear.
    const CHAINED: &[Step] = &[
        (1, &[5, 9]),
        (2, &[7, 8]),
        CHECKPOINT,
        (2, &[1, 2]),
        (1, &[0, 6]),
    ];
    let (open, count) = built(&page.values("sealed-without-a-summary"), &[], CHAINED);
    let sealed = open.clone().without_summary();
    let without = Draft::new(
        "sealed-without-a-summary",
        &[SORTED, MAXIMA, DIRECTORY],
        "a sealed file that has no summary: its chain is sorted and computed alike",
    )
    .valid_asked(sealed, vec![repaired(CHAIN, &open).holds(listed(count))])
    .wrong_answer(WRONG);
    vec![spine, without]
}

/// Two chunks that begin at one stamp: which of them comes first the document
/// leaves open (reading G51), and either order has its own maxima.
fn ties(page: &Page) -> Vec<Draft> {
    let v = page.values("one-start");
    let line = Timeline::new(&v);
    // 1: 1-6, 1-5, 8-9; 6, 6, 9, or 1-5, 1-6, 8-9; 5, 6, 9; set either way.
    // 2: 0-7; 7; clear.
    let (file, count) = built(
        &v,
        &[],
        &[
            (1, &[8, 9]),
            (1, &[1, 6]),
            CHECKPOINT,
            (2, &[0, 7]),
            (1, &[1, 5]),
        ],
    );
    let by_offset = index_of(&file)
        .get("entries")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let mut other = by_offset.clone();
    other.swap(0, 1);
    for (entry, place) in other.iter_mut().zip([5, 6]) {
        if let Value::Object(members) = entry {
            let max = line.at(place).to_string();
            members.insert("prefix_max_stamp_ns".to_owned(), json!(max));
        }
    }
    let either = json!({"entries": {"$one_of": [by_offset, other]}});
    vec![
        Draft::new(
            "one-start",
            &[MAXIMA, SORTED, DIRECTORY],
            "two spans begin at one stamp: in either order, the maxima are those of that order",
        )
        .valid_asked(file.clone(), vec![asked(&file, count).holds(either)])
        .wrong_answer(WRONG),
    ]
}

/// A chunk of two messages at these stamps.
fn two_at(stream_ref: u32, stamps: [u64; 2], tag: &[u8]) -> Chunk {
    let samples = stamps.map(|stamp| Sample::new(Decoded::at(stamp), tag));
    Chunk::of(stream_ref, &samples)
}

/// Stamps are unsigned (§6.1): those above 2^63 come last.
fn high(page: &Page) -> Vec<Draft> {
    let v = page.values("stamps-above-2-63");
    let [low, _] = references(&v);
    let line = Timeline::new(&v);
    let above = (1 << 63) + v.u64("above", 5, 0..=1 << 40);
    let chunk = |stamps: [u64; 2], tag: &[u8]| two_at(low, stamps, tag);
    // 2-3, 4-X, X+1 - X+2 with X above 2^63; 3, X, X+2; clear.
    let file = plan_with(&v, &[])
        .stream(stream(low))
        .chunk(chunk([above + 1, above + 2], b"high"))
        .chunk(chunk([line.at(4), above], b"over"))
        .checkpoint(false, Vec::new())
        .chunk(chunk([line.at(2), line.at(3)], b"low"))
        .unsealed();
    vec![
        Draft::new(
            "stamps-above-2-63",
            &[SORTED, MAXIMA, DIRECTORY],
            "stamps below and above 2^63, in disorder: they are compared as unsigned numbers",
        )
        .valid_asked(file.clone(), vec![asked(&file, 1)])
        .wrong_answer("stamps compared as signed numbers"),
        overlap_above(page),
    ]
}

/// A span that ends above 2^63 reaches past every smaller stamp.
fn overlap_above(page: &Page) -> Draft {
    let v = page.values("overlap-above-2-63");
    let [low, _] = references(&v);
    let line = Timeline::new(&v);
    let above = (1 << 63) + v.u64("above", 5, 0..=1 << 40);
    let chunk = |stamps: [u64; 2], tag: &[u8]| two_at(low, stamps, tag);
    // 4-X, 5-6 with X above 2^63; X, X; set.
    let file = plan_with(&v, &[])
        .stream(stream(low))
        .chunk(chunk([line.at(4), above], b"over"))
        .checkpoint(false, Vec::new())
        .chunk(chunk([line.at(5), line.at(6)], b"in"))
        .unsealed();
    Draft::new(
        "overlap-above-2-63",
        &[DIRECTORY, MAXIMA, SORTED],
        "a span that ends above 2^63 and one within it: they overlap, by unsigned stamps",
    )
    .valid_asked(file.clone(), vec![asked(&file, 1)])
    .wrong_answer("no overlap, or maxima of stamps compared as signed numbers")
}

/// As texts 65541 comes ahead of 9, and its lower half is 5.
fn references_as_numbers(page: &Page) -> Draft {
    let v = page.values("references-as-numbers");
    let line = Timeline::new(&v);
    let [small, great] = [9, 65_541];
    // 9: 2-3, 6-7; 3, 7; clear. 65541: 0-1, 4-5; 1, 5; clear.
    let file = plan_with(&v, &[])
        .stream(stream(great))
        .stream(stream(small))
        .chunk(line.chunk(great, &[4, 5]))
        .chunk(line.chunk(small, &[2, 3]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(great, &[0, 1]))
        .chunk(line.chunk(small, &[6, 7]))
        .unsealed();
    Draft::new(
        "references-as-numbers",
        &[SORTED, MAXIMA, DIRECTORY],
        "streams 9 and 65541: references are compared as numbers of 32 bits",
    )
    .valid_asked(file.clone(), vec![asked(&file, 1)])
    .wrong_answer("stream 65541 first, by its text or by the lower half of its number")
}
