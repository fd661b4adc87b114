//! Item 14: a window is no resample: what is stored comes, and nothing else (§9.2).

use super::timeline::Timeline;
use super::{Page, plan};
use crate::asking::{emitted, emitted_whole};
use crate::plan::{Chunk, Decoded, Sample, stream};
use crate::{Ask, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-9.2-07";
    const PERIOD: u64 = 10_000_000;
    let v = page.values("hole-in-a-regular-stream");
    let start = v.u64("start", 1 << 30, 1 << 30..=1 << 50);
    let jitter = v.u64("jitter", 1_234, 1..=99_999);
    let mut regular = stream(1);
    regular.nominal_rate_millihz = 100_000;
    // 100 Hz is a message each 10 ms: five are not there, one comes late by a
    // jitter, the one behind the hole repeats the one ahead of it, and the last
    // says what the first says.
    let stamps = [0, 1, 2, 8, 9].map(|tick| start + tick * PERIOD);
    let [first, second, third, fourth, fifth] = stamps;
    let all = [
        (first, b"same".as_slice()),
        (second, b"other"),
        (third + jitter, b"third"),
        (fourth, b"third"),
        (fifth, b"same"),
    ];
    let [first, second, third, fourth, fifth] =
        all.map(|(stamp, payload)| emitted(1, "exact", stamp, stamp, payload));
    let hole = Draft::new(
        "hole-in-a-regular-stream",
        &[RULE],
        "100 Hz with a hole of five and a jitter: only stored messages, at their own stamps",
    )
    .valid_asked(
        plan(&v).stream(regular).chunk(Chunk::plain(1, &all)),
        vec![
            Ask::window(
                start - 1,
                start + 9 * PERIOD + 1,
                &[1],
                &[
                    first,
                    second.clone(),
                    third.clone(),
                    fourth.clone(),
                    fifth,
                ],
            ),
            // Within the hole there is nothing.
            Ask::window(start + 3 * PERIOD, start + 7 * PERIOD, &[1], &[]),
            Ask::window(
                start + 1,
                start + 8 * PERIOD + 1,
                &[1],
                &[second, third, fourth],
            ),
        ],
    )
    .wrong_answer("interpolated or repeated messages in the hole, stamps on a grid, or a repeated value left out");

    let v = page.values("messages-unaltered");
    let line = Timeline::new(&v);
    let wall = v.u64("wall", 1_700_000_000_000_000_000, 1 << 55..=1 << 60);
    let sequence = v.u32("sequence", 7, 2..=1 << 20);
    let sample = |place: u64| -> Sample {
        let mut sample = line.sample(1, place);
        sample.decoded.record_ts = Some(line.at(place) + 5);
        sample
    };
    let mut middle = sample(1);
    // No source stamp: the stream would have to name a device's domain, and
    // whose clock its own stamps are on would be a reading (G01).
    middle.decoded = middle.decoded.wall(wall).sequence(sequence);
    let mut tail = sample(2);
    tail.decoded = Decoded {
        record_ts: Some(line.at(2) + 4),
        ..tail.decoded.sequence(sequence + 2)
    };
    let mut head = sample(0);
    head.decoded = head.decoded.sequence(sequence - 1);
    let whole = |sample: &Sample| emitted_whole(1, "exact", sample.decoded.stamp, sample);
    let unaltered = Draft::new(
        "messages-unaltered",
        &[RULE],
        "every field of a message comes as it is stored, and what is absent stays absent",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .chunk(Chunk::of(1, &[head.clone(), middle.clone(), tail.clone()])),
        vec![
            Ask::window(
                line.ahead(0),
                line.behind(2),
                &[1],
                &[whole(&head), whole(&middle), whole(&tail)],
            ),
            Ask::window(line.behind(0), line.ahead(2), &[1], &[whole(&middle)]),
        ],
    )
    .wrong_answer(
        "a field left out, filled in from a neighbour, or decoded from the window's first message",
    );
    vec![hole, unaltered]
}
