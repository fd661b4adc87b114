//! Item 20: on whose clock an interval is, where it ends, and what it is held
//! against (readings G38 and G131).

use ca3_wire::records::ClockDomain;
use serde_json::Value;

use super::super::mapping::{PEER, peer, signed};
use super::super::{Page, plan};
use super::stretch::{Marked, Stretch, asked, marked};
use super::{device_stream, level, with_intervals};
use crate::Draft;
use crate::asking::{Ask, emitted, in_force};
use crate::plan::{Chunk, Decoded, Sample};
use crate::timing::{interval, reasoned, sample, source, times};

const RULE: &str = "CA3-10.12-07";
const REASON: &str = "probe lost";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        both_ends(page),
        one_instant(page),
        touching(page),
        own_clock(page),
        asked_later(page),
        stamps_of_the_device(page),
    ]
}

fn both_ends(page: &Page) -> Draft {
    let v = page.values("both-ends");
    let Stretch { from, to } = Stretch::drawn(&v);
    let marks: &[Marked<'_>] = &[
        (from - 1, &[]),
        (from, &[REASON]),
        (to, &[REASON]),
        (to + 1, &[]),
    ];
    Draft::new(
        "both-ends",
        &[RULE],
        "messages at both ends of an interval lie inside it, a nanosecond further out they do not",
    )
    .valid_asked(
        marked(&v, marks, &[interval(1, from, to, REASON)]),
        asked(marks),
    )
    .wrong_answer("an end is left out")
}

fn one_instant(page: &Page) -> Draft {
    let v = page.values("one-instant");
    let at = Stretch::drawn(&v).from;
    let marks: &[Marked<'_>] = &[(at - 1, &[]), (at, &[REASON]), (at + 1, &[])];
    Draft::new(
        "one-instant",
        &[RULE],
        "an interval that begins and ends at one instant holds that instant",
    )
    .valid_asked(
        marked(&v, marks, &[interval(1, at, at, REASON)]),
        asked(marks),
    )
    .wrong_answer("it is taken for empty")
}

fn touching(page: &Page) -> Draft {
    let v = page.values("one-ends-where-one-begins");
    let Stretch { from, to } = Stretch::drawn(&v);
    let marks: &[Marked<'_>] = &[
        (from + 1, &["first"]),
        (to, &["first", "second"]),
        (to + 1, &["second"]),
    ];
    Draft::new(
        "one-ends-where-one-begins",
        &[RULE],
        "at an instant where one interval ends and another begins, both hold",
    )
    .valid_asked(
        marked(
            &v,
            marks,
            &[
                interval(1, from, to, "first"),
                interval(1, to, to + 90, "second"),
            ],
        ),
        asked(marks),
    )
    .wrong_answer("one of the two is left out")
}

fn own_clock(page: &Page) -> Draft {
    let v = page.values("on-the-stream-s-own-clock");
    let Stretch { from, to } = Stretch::drawn(&v);
    // The image of the interval lies behind all four messages.
    let offset = v.u64("offset_ns", 1_000_000, 100_000..=9_000_000);
    let marks: [Marked<'_>; 4] = [
        (from - 1, &[]),
        (from, &[REASON]),
        (to, &[REASON]),
        (to + 1, &[]),
    ];
    let messages: Vec<(u64, &[u8])> = marks.iter().map(|(at, _)| (*at, &b"one"[..])).collect();
    let timed = marks.map(|(at, reasons)| sample(at, at + offset, "ok").reasons(reasons));
    let windowed: Vec<Value> = marks
        .iter()
        .map(|(at, reasons)| reasoned(emitted(1, "ok", *at, at + offset, b"one"), reasons))
        .collect();
    let states = marks.iter().map(|(at, reasons)| {
        let state = in_force(1, "ok", *at, at + offset, b"one");
        Ask::state_at(at + offset, &[reasoned(state, reasons)])
    });
    Draft::new(
        "on-the-stream-s-own-clock",
        &[RULE],
        "the interval of a mapped stream is held against its own stamps, not against the times",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::plain(1, &messages))
            .clock_block(&with_intervals(
                &[level(PEER, signed(offset))],
                &[interval(1, from, to, REASON)],
            )),
        [times(1, &timed), Ask::window(0, 2 << 40, &[1], &windowed)]
            .into_iter()
            .chain(states)
            .collect(),
    )
    .wrong_answer("the interval is held against the mapped times, or an end is left out")
}

fn asked_later(page: &Page) -> Draft {
    let v = page.values("asked-inside-stamped-before");
    let Stretch { from, to } = Stretch::drawn(&v);
    let (before, within) = (from - 2, from + 2);
    let state = |at: u64, reasons: &[&str]| reasoned(in_force(1, "exact", at, at, b"one"), reasons);
    let marks: &[Marked<'_>] = &[(before, &[]), (within, &[REASON])];
    Draft::new(
        "asked-inside-stamped-before",
        &[RULE],
        "state_at asks inside an interval for a message from before it, and behind it for one inside",
    )
    .readings(&["G131"])
    .valid_asked(
        marked(&v, marks, &[interval(1, from, to, REASON)]),
        vec![
            Ask::state_at(from + 1, &[state(before, &[])]),
            Ask::state_at(to + 5, &[state(within, &[REASON])]),
        ],
    )
    .wrong_answer("the instant asked for is held against the interval")
}

/// Of two messages one was published inside the interval, and the device
/// stamped the other with a number that lies there.
fn stamps_of_the_device(page: &Page) -> Draft {
    let v = page.values("device-s-stamps-beside-it");
    let Stretch { from, to } = Stretch::drawn(&v);
    // The device's stamps on the reference lie behind everything.
    let offset = v.u64("offset_ns", 1_000_000, 200_000..=9_000_000);
    let marks: [(u64, u64, &[&str]); 2] =
        [(from + 1, to + 100_000, &[REASON]), (to + 1, from + 2, &[])];
    let of_device = ClockDomain {
        kind: 0,
        ..level("dev-a", signed(offset))
    };
    let messages = marks.map(|(at, stamp, _)| Sample::new(Decoded::at(at).source(stamp), b"one"));
    let timed = marks.map(|(at, stamp, reasons)| {
        sample(at, at, "exact")
            .reasons(reasons)
            .source(source(stamp, stamp + offset, "ok"))
    });
    let windowed =
        marks.map(|(at, _, reasons)| reasoned(emitted(1, "exact", at, at, b"one"), reasons));
    let states = marks.iter().map(|(at, _, reasons)| {
        let state = in_force(1, "exact", *at, *at, b"one");
        Ask::state_at(*at, &[reasoned(state, reasons)])
    });
    Draft::new(
        "device-s-stamps-beside-it",
        &[RULE],
        "an interval is held against the stamps that order the stream, not against the device's own",
    )
    .readings(&["G01", "G38", "G121"])
    .valid_asked(
        plan(&v)
            .stream(device_stream(1, "dev-a"))
            .chunk(Chunk::of(1, &messages))
            .clock_block(&with_intervals(
                &[of_device],
                &[interval(1, from, to, REASON)],
            )),
        [
            times(1, &timed),
            Ask::window(0, u64::MAX, &[1], &windowed),
        ]
        .into_iter()
        .chain(states)
        .collect(),
    )
    .wrong_answer("source_timestamp_ns is held against the interval")
}
