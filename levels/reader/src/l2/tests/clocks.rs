//! Mapped queries, and what stands beside their results (§9, §10).

use super::build::{Maker, clock, peer, peer_domain, stream};
use super::*;
use crate::l2::results::Basis;
use ca3_wire::records::{ClockBlock, DegradedInterval, Record};

fn peer_file(block: ClockBlock) -> Vec<u8> {
    let mut maker = Maker::new(vec![peer(1), stream(2)]);
    maker.chunk(1, &[(5_000, "a"), (5_098, "b"), (5_099, "c")]);
    maker.chunk(2, &[(5_000, "x")]);
    maker.seal_clocked(block)
}

#[test]
fn the_query_is_mapped_and_the_stamps_stay() {
    let bytes = peer_file(clock(vec![peer_domain(1_000, 0, 0)]));
    let result = state(&bytes, 6_000, None).unwrap();
    let [mapped, own] = result.results.as_slice() else {
        panic!("two streams");
    };
    assert_eq!(mapped.basis, Basis::Ok);
    let message = mapped.message.as_ref().unwrap();
    assert_eq!(message.monotonic_timestamp_ns.0, 5_000);
    assert_eq!(mapped.time.unwrap().0, 6_000);
    assert!(mapped.degraded.is_empty());
    assert_eq!(own.basis, Basis::Exact);
    assert_eq!(own.time.unwrap().0, 5_000);
    assert_eq!(in_force(&bytes, 5_999).0, None);
    assert_eq!(payloads(&bytes, 6_001, 6_098, &[1]).0, "b");
    let entries = index(&bytes).unwrap().entries;
    assert_eq!(entries[0].min_stamp_ns.0, 5_000);
    let window = window(&bytes, 0, u64::MAX, &[1, 2]).unwrap();
    let times: Vec<_> = window.messages.iter().map(|one| one.time.0).collect();
    assert_eq!(times, [6_000, 6_098, 6_099, 5_000]);
}

#[test]
fn without_a_usable_mapping_times_are_raw_and_say_so() {
    let mut domain = peer_domain(1_000, 0, 0);
    domain.quality = 0;
    let bytes = peer_file(clock(vec![domain]));
    let unavailable = state(&bytes, 5_000, Some(&[1])).unwrap();
    let mut maker = Maker::new(vec![peer(1)]);
    maker.chunk(1, &[(5_000, "a")]);
    let nothing = state(&maker.seal(), 5_000, None).unwrap();
    for result in [unavailable, nothing] {
        let found = &result.results[0];
        assert_eq!(found.basis, Basis::Unmapped);
        assert_eq!(found.time.unwrap().0, 5_000);
        assert!(!found.degraded.is_empty());
    }
    // Without a message, too.
    let result = state(&bytes, 4_999, Some(&[1])).unwrap();
    assert_eq!(result.results[0].message, None);
    assert_eq!(result.results[0].basis, Basis::Unmapped);
    assert!(!result.results[0].degraded.is_empty());
}

#[test]
fn a_degraded_mapping_and_a_degraded_span_are_named() {
    let mut domain = peer_domain(1_000, 0, 0);
    domain.quality = 1;
    let mut block = clock(vec![domain]);
    block.degraded_intervals.push(DegradedInterval {
        stream_ref: 1,
        from_ns: 5_098,
        to_ns: 5_098,
        reason: "probe lost".to_owned(),
    });
    let result = window(&peer_file(block), 0, u64::MAX, &[1, 2]).unwrap();
    let degraded: Vec<_> = result
        .messages
        .iter()
        .map(|one| one.degraded.len())
        .collect();
    assert_eq!(degraded, [1, 2, 1, 0]);
    assert_eq!(result.messages[1].degraded[1], "probe lost");
    assert_eq!(result.messages[0].basis, Basis::Degraded);
}

#[test]
fn an_instant_in_front_of_a_clocks_start_is_clamped() {
    let mut maker = Maker::new(vec![peer(1)]);
    maker.chunk(1, &[(0, "a"), (7, "b")]);
    let bytes = maker
        .clone()
        .seal_clocked(clock(vec![peer_domain(1_000, 0, 0)]));
    assert_eq!(in_force(&bytes, 10).0.unwrap(), "a");
    let bytes = maker.seal_clocked(clock(vec![peer_domain(-10, 0, 0)]));
    let result = state(&bytes, 0, None).unwrap();
    assert_eq!(result.results[0].time.unwrap().0, 0);
    assert_eq!(result.results[0].message.as_ref().unwrap().payload.0, b"b");
}

#[test]
fn an_instant_behind_every_stamp_finds_the_last_and_bounds_no_window() {
    let mut maker = Maker::new(vec![peer(1)]);
    maker.chunk(1, &[(3, "a"), (u64::MAX, "b")]);
    let bytes = maker.seal_clocked(clock(vec![peer_domain(-10, 0, 0)]));
    assert_eq!(in_force(&bytes, u64::MAX).0.unwrap(), "b");
    assert_eq!(payloads(&bytes, u64::MAX - 10, u64::MAX, &[1]).0, "b");
    assert_eq!(payloads(&bytes, u64::MAX - 9, u64::MAX, &[1]).0, "");
}

#[test]
fn a_time_that_64_bits_do_not_hold_is_reported_and_in_no_answer() {
    let mut maker = Maker::new(vec![peer(1)]);
    maker.chunk(1, &[((1 << 63) + 5, "a"), (u64::MAX - 4, "b")]);
    let bytes = maker.seal_clocked(clock(vec![peer_domain(10, 0, 0)]));
    let result = state(&bytes, (1 << 63) + 15, None).unwrap();
    assert_eq!(result.results[0].time.unwrap().0, (1 << 63) + 15);
    assert_eq!(result.problems[0].kind, Kind::LimitExceeded);
    // No instant reaches the other message.
    let result = window(&bytes, 0, u64::MAX, &[1]).unwrap();
    assert_eq!(result.messages.len(), 1);
    let [problem] = result.problems.as_slice() else {
        panic!("one problem");
    };
    assert_eq!(problem.kind, Kind::LimitExceeded);
    assert_eq!(problem.stream_ref, Some(1));
    assert_eq!(problem.domain.as_deref(), Some("p"));
}

/// The inverse rounds up where the forward map does not come back: the one
/// message that a query reaches and no 64 bits place.
#[test]
fn a_result_that_64_bits_do_not_hold_is_refused() {
    let mut maker = Maker::new(vec![peer(1)]);
    // At twice the speed, 2^63 is 2^64, and the inverse of 2^64 - 1 is a half
    // less, rounded up.
    maker.chunk(1, &[(1 << 63, "a")]);
    let bytes = maker.seal_clocked(clock(vec![peer_domain(0, 1_000_000_000, 0)]));
    assert_eq!(kind(state(&bytes, u64::MAX, None)), Kind::LimitExceeded);
    assert_eq!(kind(window(&bytes, 0, u64::MAX, &[1])), Kind::LimitExceeded);
    assert_eq!(in_force(&bytes, u64::MAX - 2).0, None);
}

#[test]
fn record_times_are_on_the_files_clock_and_stay() {
    let mut maker = Maker::new(vec![peer(1)]);
    let mut stored = super::build::messages(&[(5_000, "a")]);
    stored[0].record_ts_ns = Some(77);
    maker.pack(
        1,
        super::build::Layout::Rows,
        ca3_wire::Codec::NONE,
        &stored,
    );
    let bytes = maker.seal_clocked(clock(vec![peer_domain(1_000, 0, 0)]));
    let result = window(&bytes, 0, u64::MAX, &[1]).unwrap();
    assert_eq!(result.messages[0].message.record_ts_ns.unwrap().0, 77);
}

#[test]
fn a_clock_block_may_grow_and_may_not_be_cut() {
    let block = clock(vec![peer_domain(1_000, 0, 0)]);
    let grown = [block.content().unwrap(), vec![1, 2, 3, 4]].concat();
    let mut cut = block.content().unwrap();
    let last = cut.len() - 4;
    cut[last] = 1;
    let file = |content: Vec<u8>| {
        let mut maker = Maker::new(vec![peer(1)]);
        maker.chunk(1, &[(5_000, "a")]);
        maker.seal_with(|tables| tables.more = vec![(0x0A, content)])
    };
    assert_eq!(in_force(&file(grown), 6_000).0.unwrap(), "a");
    assert_eq!(kind(index(&file(cut))), Kind::BadLength);
}
