//! Item 19, of mappings whose observations cannot be read (§10.4, §10.7).

use ca3_spec::kind::Kind::{MappingInconsistent, Other, UnresolvedReference};
use ca3_wire::records::ClockDomain;

use super::super::mapping::{PEER, block_of, line};
use super::super::{Page, plan, small};
use super::{LABEL, hosts, one_way, trigger};
use crate::Draft;
use crate::draft::{Surfacing, surface};
use crate::plan::stream;
use crate::timing::{clock_of, none_verified};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![none_named(page), padded(page), undeclared(page)]
}

fn none_named(page: &Page) -> Draft {
    let v = page.values("stream-0");
    let count = v.u64("observation_count", 12, 2..=900);
    let names = ["peer-a", "peer-b", "peer-c", "peer-d"];
    let domains = [
        line("peer-a", 1_000, 0, 0),
        one_way("peer-b", 1, 1_000),
        trigger("peer-c", 500, 500),
        ClockDomain {
            quality: 0,
            ..one_way("peer-d", 0, 0)
        },
    ]
    .map(|domain| ClockDomain {
        observation_count: count,
        ..domain
    });
    Draft::new(
        "stream-0",
        &["CA3-10.7-04", "CA3-10.4-08"],
        "mappings of every method that name no observations: none of them is verified",
    )
    .valid_asked(
        hosts(plan(&v), &names, &[2_000], &domains),
        vec![clock_of(&block_of(&domains))],
    )
    .wrong_answer("verified, or stream 0 is sought and not found")
}

/// The stream that a mapping names is the plan's second, and has no messages.
fn named(stream_ref: u32) -> ClockDomain {
    ClockDomain {
        observation_count: 4,
        observations_stream: stream_ref,
        ..line(PEER, 1_000, 0, 0)
    }
}

fn padded(page: &Page) -> Draft {
    let v = page.values("count-is-no-evidence");
    let count = v.u64("observation_count", u64::MAX - 1, 1 << 40..=u64::MAX - 1);
    let domain = ClockDomain {
        observation_count: count,
        residual_spread_ns: 0,
        ..line(PEER, 1_000, 0, 0)
    };
    Draft::new(
        "count-is-no-evidence",
        &["CA3-10.7-04"],
        "a mapping that counts a great many observations, leaves no spread and names no stream",
    )
    .valid_asked(
        small(&v).clock_block(&block_of(std::slice::from_ref(&domain))),
        vec![clock_of(&block_of(&[domain]))],
    )
    .wrong_answer("verified, as the figures look good")
}

fn undeclared(page: &Page) -> Draft {
    let v = page.values("undeclared-stream");
    let stream_ref = v.u32("stream_ref", 2, 2..=90);
    let nothing = v.u32("undeclared", 99, 91..=u32::MAX);
    let block = block_of(&[named(stream_ref)]);
    let valid = small(&v).stream(stream(stream_ref)).clock_block(&block);
    Draft::new(
        "undeclared-stream",
        &["CA3-10.4-08"],
        "the observations are said to be in a stream that nothing declares",
    )
    // Who takes the empty stream for the observations finds four too few.
    .valid_asked(
        valid.clone(),
        vec![clock_of(&block).or_refused(&[MappingInconsistent])],
    )
    .invalid_asked(
        valid.replace_field(
            LABEL,
            "domains[0].observations_stream",
            &nothing.to_le_bytes(),
        ),
        vec![
            clock_of(&block)
                .surfaces(surface(&[UnresolvedReference, Other]).result(none_verified())),
        ],
    )
}
