//! Item 20: degraded intervals, where every sense of them is the same (§10.4, §10.12).
//!
//! Stamps are a nanosecond or more away from an interval's ends, queries lie
//! where the message does, and a mapping's offset is small beside the interval:
//! which clock and which ends are meant shows in `ends.rs`.

use ca3_spec::kind::Kind::{BadLength, BadUtf8, Other};
use ca3_wire::records::ClockDomain;
use serde_json::Value;

use super::super::mapping::{PEER, peer, signed, stream_of};
use super::super::{Page, one_stream, plan};
use super::stretch::{Marked, Stretch, asked, marked};
use super::{LABEL, level, with_intervals};
use crate::Draft;
use crate::asking::{Ask, emitted, in_force};
use crate::draft::surface;
use crate::plan::{Chunk, stream};
use crate::timing::{clock_of, interval, reasoned, sample, times, without};

const INSIDE: &str = "CA3-10.12-05";
const OUTSIDE: &str = "CA3-10.12-06";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        layout(page),
        inside(page),
        of_all_time(page),
        word_for_word(page),
        overlapping(page),
        with_a_gap(page),
        one_inside_another(page),
        another_stream(page),
        poor_or_unmapped(page),
        mapped(page),
    ]
}

fn layout(page: &Page) -> Draft {
    let v = page.values("interval-layout");
    let Stretch { from, to } = Stretch::drawn(&v);
    let reason = v.text("reason", "probe lost");
    // Neither by stream nor by time: the stored order stays.
    let block = with_intervals(
        &[],
        &[
            interval(2, from, to, &reason),
            interval(1, from + 7, u64::MAX, "bound passed"),
            interval(2, 0, from - 1, ""),
        ],
    );
    let file = one_stream(&v).stream(stream(2)).clock_block(&block);
    Draft::new(
        "interval-layout",
        &["CA3-10.4-09"],
        "three intervals, their numbers and words as they are stored, in that order",
    )
    .valid_asked(file.clone(), vec![clock_of(&block)])
    .invalid_asked(
        // The last reason counts 255 bytes, and the record ends behind its count.
        file.patch_field(LABEL, "degraded_intervals[2].reason", 0, &[0xFF]),
        vec![clock_of(&block).surfaces(surface(&[BadLength, BadUtf8, Other]))],
    )
}

fn inside(page: &Page) -> Draft {
    let v = page.values("inside-one");
    let Stretch { from, to } = Stretch::drawn(&v);
    let reason = v.text("reason", "probe lost");
    let held: &[&str] = &[&reason];
    let marks: &[Marked<'_>] = &[
        (from - 1, &[]),
        (from + 1, held),
        (from + 5, held),
        (to - 1, held),
        (to + 1, &[]),
    ];
    Draft::new(
        "inside-one",
        &[INSIDE, OUTSIDE],
        "messages ahead of an interval, inside it and behind it, asked for in every way",
    )
    .valid_asked(
        marked(&v, marks, &[interval(1, from, to, &reason)]),
        asked(marks),
    )
    .wrong_answer("no reason is given, or one for every message of the stream")
}

fn of_all_time(page: &Page) -> Draft {
    let v = page.values("of-all-time");
    let stamp = v.u64("stamp_ns", 5_000, 1..=90_000);
    let held: &[&str] = &["never aligned"];
    let marks: &[Marked<'_>] = &[(stamp, held), ((1 << 63) + stamp, held)];
    Draft::new(
        "of-all-time",
        &[INSIDE],
        "an interval from 0 to 2^64 - 1 holds every message of its stream",
    )
    .valid_asked(
        marked(&v, marks, &[interval(1, 0, u64::MAX, "never aligned")]),
        asked(marks),
    )
    .wrong_answer("2^64 - 1 or a stamp past 2^63 is taken for a negative number")
}

fn word_for_word(page: &Page) -> Draft {
    let v = page.values("word-for-word");
    let Stretch { from, to } = Stretch::drawn(&v);
    let reason = format!(
        "Sonde \u{201E}{}\u{201C} verloren: 3 \u{D7} \"t\\o\" > 5 \u{B5}s, ",
        v.text("probe", "alpha")
    );
    let held: &[&str] = &[&reason];
    let marks: &[Marked<'_>] = &[(from + 5, held), (to + 5, &[])];
    Draft::new(
        "word-for-word",
        &[INSIDE],
        "a reason with marks, other scripts' letters and a blank at its end comes as it is stored",
    )
    .valid_asked(
        marked(&v, marks, &[interval(1, from, to, &reason)]),
        asked(marks),
    )
    .wrong_answer("the reason is trimmed, lower-cased or put into another sentence")
}

fn overlapping(page: &Page) -> Draft {
    let v = page.values("overlapping");
    let Stretch { from, to } = Stretch::drawn(&v);
    // The second begins inside the first and ends behind it, and is stored first.
    let (later, end) = (from + 4, to + 50);
    let marks: &[Marked<'_>] = &[
        (from + 2, &["first"]),
        (from + 6, &["first", "second"]),
        (to + 20, &["second"]),
        (end + 20, &[]),
    ];
    Draft::new(
        "overlapping",
        &[INSIDE],
        "two intervals of one stream overlap: in the common stretch both reasons hold",
    )
    .valid_asked(
        marked(
            &v,
            marks,
            &[
                interval(1, later, end, "second"),
                interval(1, from, to, "first"),
            ],
        ),
        asked(marks),
    )
    .wrong_answer("only the first or the last interval that holds the stamp is given")
}

fn with_a_gap(page: &Page) -> Draft {
    let v = page.values("two-with-a-gap");
    let Stretch { from, to } = Stretch::drawn(&v);
    let (again, end) = (to + 1_000, to + 2_000);
    let marks: &[Marked<'_>] = &[
        (from - 2, &[]),
        (from + 5, &["probe lost"]),
        (to + 500, &[]),
        (again + 5, &["lost again"]),
        (end + 5, &[]),
    ];
    Draft::new(
        "two-with-a-gap",
        &[OUTSIDE],
        "between two intervals of a stream its alignment holds",
    )
    .valid_asked(
        marked(
            &v,
            marks,
            &[
                interval(1, from, to, "probe lost"),
                interval(1, again, end, "lost again"),
            ],
        ),
        asked(marks),
    )
    .wrong_answer("the intervals are taken for one, from the first's start to the last's end")
}

fn one_inside_another(page: &Page) -> Draft {
    let v = page.values("one-inside-another");
    let Stretch { from, to } = Stretch::drawn(&v);
    let marks: &[Marked<'_>] = &[
        (from - 500, &["long"]),
        (from + 5, &["long", "short"]),
        // Who looks at the interval that began last finds that it is over.
        (to + 500, &["long"]),
        (to + 5_000, &[]),
    ];
    Draft::new(
        "one-inside-another",
        &[INSIDE],
        "a short interval inside a long one: behind the short one the long one still holds",
    )
    .valid_asked(
        marked(
            &v,
            marks,
            &[
                interval(1, from - 1_000, to + 1_000, "long"),
                interval(1, from, to, "short"),
            ],
        ),
        asked(marks),
    )
    .wrong_answer("only the interval that began last is looked at")
}

fn another_stream(page: &Page) -> Draft {
    let v = page.values("another-stream-s");
    let Stretch { from, to } = Stretch::drawn(&v);
    let block = with_intervals(
        &[],
        &[
            interval(1, from, to, "of stream 1"),
            interval(3, from, to, "of stream 3"),
        ],
    );
    let at = from + 5;
    let plan = [1, 2, 3].into_iter().fold(plan(&v), |plan, stream_ref| {
        plan.stream(stream(stream_ref))
            .chunk(Chunk::plain(stream_ref, &[(at, b"one")]))
    });
    let held: [(u32, &[&str]); 3] = [(1, &["of stream 1"]), (2, &[]), (3, &["of stream 3"])];
    let states: Vec<Value> = held
        .iter()
        .map(|(stream_ref, reasons)| {
            reasoned(in_force(*stream_ref, "exact", at, at, b"one"), reasons)
        })
        .collect();
    let windowed: Vec<Value> = held
        .iter()
        .map(|(stream_ref, reasons)| {
            reasoned(emitted(*stream_ref, "exact", at, at, b"one"), reasons)
        })
        .collect();
    let timed = held.iter().map(|(stream_ref, reasons)| {
        times(*stream_ref, &[sample(at, at, "exact").reasons(reasons)])
    });
    Draft::new(
        "another-stream-s",
        &[OUTSIDE],
        "three streams of one clock with messages at one instant: each has its own intervals only",
    )
    .valid_asked(
        plan.clock_block(&block),
        [
            Ask::state_at(at, &states),
            Ask::window(0, u64::MAX, &[1, 2, 3], &windowed),
        ]
        .into_iter()
        .chain(timed)
        .collect(),
    )
    .wrong_answer("every stream has the reason, as they share a clock")
}

/// Streams of quality 1 and of no mapping, whose readers have reasons of their own.
fn poor_or_unmapped(page: &Page) -> Draft {
    let v = page.values("poor-or-unmapped");
    let Stretch { from, to } = Stretch::drawn(&v);
    let reason = v.text("reason", "probe lost");
    let poor = ClockDomain {
        quality: 1,
        ..level(PEER, 0)
    };
    let block = with_intervals(
        &[poor],
        &[
            interval(1, from, to, &reason),
            interval(2, from, to, &reason),
        ],
    );
    let messages: [(u64, &[u8]); 2] = [(from + 5, b"held"), (to + 500, b"free")];
    let held = [&*reason];
    let timed = |basis: &str| {
        [
            sample(from + 5, from + 5, basis).reasons(&held),
            sample(to + 500, to + 500, basis).degraded(without(&reason)),
        ]
    };
    let states = [(1, "degraded"), (2, "unmapped")].map(|(stream_ref, basis)| {
        reasoned(
            in_force(stream_ref, basis, from + 5, from + 5, b"held"),
            &held,
        )
    });
    Draft::new(
        "poor-or-unmapped",
        &[INSIDE],
        "a stream of quality 1 and one without a mapping: the reason stands beside any other",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .stream(stream_of(2, "peer-host-2", "boot-2"))
            .chunk(Chunk::plain(1, &messages))
            .chunk(Chunk::plain(2, &messages))
            .clock_block(&block),
        vec![
            times(1, &timed("degraded")),
            times(2, &timed("unmapped")),
            Ask::state_at(from + 5, &states),
        ],
    )
    .wrong_answer("the mapping's own weakness is given in the place of the interval's reason")
}

fn mapped(page: &Page) -> Draft {
    let v = page.values("mapped-stream");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let from = v.u64("from_ns", 500_000, 500_000..=1 << 39);
    let to = from + 100_000;
    let reason = v.text("reason", "probe lost");
    // Further from the ends than the offset: on either clock the same.
    let (before, within, behind) = (from - 50_000, from + 50_000, to + 50_000);
    let held = [&*reason];
    let timed = |at: u64, reasons: &[&str]| sample(at, at + offset, "ok").reasons(reasons);
    let windowed = [
        (before, &[][..], &b"before"[..]),
        (within, &held[..], b"within"),
        (behind, &[][..], b"behind"),
    ]
    .map(|(at, reasons, payload)| reasoned(emitted(1, "ok", at, at + offset, payload), reasons));
    Draft::new(
        "mapped-stream",
        &[INSIDE, OUTSIDE],
        "a mapped stream: its basis stays ok inside an interval, and the reason comes with it",
    )
    .readings(&["G01"])
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::plain(
                1,
                &[
                    (before, b"before"),
                    (within, b"within"),
                    (behind, b"behind"),
                ],
            ))
            .clock_block(&with_intervals(
                &[level(PEER, signed(offset))],
                &[interval(1, from, to, &reason)],
            )),
        vec![
            times(
                1,
                &[timed(before, &[]), timed(within, &held), timed(behind, &[])],
            ),
            Ask::window(0, super::super::mapping::FAR, &[1], &windowed),
        ],
    )
    .wrong_answer("intervals are looked up for exact streams only, or the basis becomes degraded")
}
