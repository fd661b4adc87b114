//! Item 14: what a reader fetches of a file that it reaches over HTTP (§9.2).
//!
//! A reader's own account of the chunks that it read can be wrong; a server's
//! log of what went out is not. The chunk that nobody asked for is large, so
//! that reading ahead by a few pages does not take it in.

use super::Page;
use super::timeline::Timeline;
use crate::asking::{Ask, emitted, in_force};
use crate::plan::{Chunk, stream};
use crate::{Draft, Plan};

const RULE: &str = "CA3-9.2-03";
/// Bytes of the payload that may stay where it is.
const LARGE: usize = 160 << 10;

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    vec![window(page), state(page)]
}

/// Stream 1 ahead of and behind a large chunk of stream 2.
fn file(page: &Page, name: &str) -> (Timeline, Plan) {
    let v = page.values(name);
    let line = Timeline::new(&v);
    let large = vec![v.u8("fill", 0x5A, 1..=255); LARGE];
    let plan = super::plan(&v)
        .stream(stream(1))
        .stream(stream(2))
        .chunk(line.chunk(1, &[0, 1]))
        .chunk(Chunk::plain(2, &[(line.at(1), &large)]))
        .chunk(line.chunk(1, &[2, 3]));
    (line, plan)
}

fn window(page: &Page) -> Draft {
    let (line, plan) = file(page, "window");
    let messages: Vec<_> = (0..4)
        .map(|place| {
            let sample = line.sample(1, place);
            let stamp = sample.decoded.stamp;
            emitted(1, "exact", stamp, stamp, &sample.payload)
        })
        .collect();
    let asked = || Ask::window(line.ahead(0), line.behind(3), &[1], &messages);
    Draft::new(
        "window",
        &[RULE],
        "a window on stream 1, over HTTP: the large chunk of stream 2 is not fetched",
    )
    .valid_asked(
        plan,
        vec![
            asked().reads(&["Chunk 1", "Chunk 3"], &[]),
            asked().over_http(&["Chunk 2"]),
        ],
    )
    .wrong_answer("every chunk is fetched, whichever stream it belongs to")
}

fn state(page: &Page) -> Draft {
    let (line, plan) = file(page, "state-at");
    let last = line.sample(1, 3);
    let stamp = last.decoded.stamp;
    let asked = || {
        let results = [in_force(1, "exact", stamp, stamp, &last.payload)];
        Ask::state_of(line.behind(3), &[1], &results)
    };
    Draft::new(
        "state-at",
        &[RULE],
        "the state of stream 1, over HTTP: the large chunk of stream 2 is not fetched",
    )
    .valid_asked(plan, vec![asked(), asked().over_http(&["Chunk 2"])])
    .wrong_answer("every chunk is fetched, whichever stream it belongs to")
}
