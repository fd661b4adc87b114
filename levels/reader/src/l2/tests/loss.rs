//! Gaps and losses (§7.4).

use super::build::{Maker, stream};
use super::*;
use crate::l2::results::Verdict::{self, Indeterminate, Loss, None as Whole};

/// The verdict on stream 1 with these chunks of sequences, on a topic of its
/// own or beside a stream without chunks.
fn verdict(shared: bool, chunks: &[&[u32]]) -> (Option<u64>, Verdict) {
    let mut second = stream(2);
    if shared {
        second.topic = stream(1).topic;
    }
    let mut maker = Maker::new(vec![stream(1), second]);
    for chunk in chunks {
        maker.sequences(1, chunk);
    }
    let result = loss(&maker.seal()).unwrap();
    assert_eq!(result.streams.len(), 2);
    let other = &result.streams[1];
    assert_eq!((other.missing, other.verdict), (None, Indeterminate));
    let one = &result.streams[0];
    assert_eq!((one.stream_ref, one.topic.as_str()), (1, "/t1"));
    (one.missing.map(|missing| missing.0), one.verdict)
}

#[test]
fn a_gap_on_a_topic_of_its_own_is_a_loss() {
    assert_eq!(verdict(false, &[&[1, 2, 5]]), (Some(2), Loss));
    assert_eq!(verdict(false, &[&[1, 2], &[4]]), (Some(1), Loss));
    assert_eq!(verdict(false, &[&[1, 2, 3]]), (Some(0), Whole));
    assert_eq!(verdict(false, &[&[7]]), (Some(0), Whole));
    assert_eq!(
        verdict(false, &[&[u32::MAX - 1, u32::MAX, 1]]),
        (Some(0), Whole)
    );
}

#[test]
fn what_came_late_fills_its_place() {
    assert_eq!(verdict(false, &[&[1, 4], &[2, 3]]), (Some(0), Whole));
    assert_eq!(verdict(false, &[&[3, 1, 2, 6]]), (Some(2), Loss));
}

#[test]
fn a_gap_on_a_shared_topic_is_none() {
    assert_eq!(verdict(true, &[&[1, 2, 5]]), (None, Indeterminate));
    assert_eq!(verdict(true, &[&[1, 2, 3]]), (Some(0), Whole));
}

#[test]
fn without_sequences_nothing_is_said() {
    assert_eq!(verdict(false, &[&[0, 0]]), (None, Indeterminate));
    assert_eq!(verdict(false, &[]), (None, Indeterminate));
    assert_eq!(verdict(false, &[&[1, 0, 5]]), (None, Indeterminate));
    assert_eq!(verdict(false, &[&[1, 0, 2]]), (Some(0), Whole));
}

/// Chunks are walked in file order, whatever their order in the table: the
/// count goes up past its greatest number.
#[test]
fn the_count_follows_the_file() {
    const LAST: u32 = u32::MAX;
    let mut maker = Maker::new(vec![stream(1)]);
    let mut put = |stamp: u64, sequence: u32| {
        let mut messages = super::build::messages(&[(stamp, "")]);
        messages[0].sequence = Some(sequence);
        maker.pack(
            1,
            super::build::Layout::Rows,
            ca3_wire::Codec::NONE,
            &messages,
        );
    };
    put(30, LAST - 1);
    put(20, LAST);
    put(10, 1);
    let result = loss(&maker.seal()).unwrap();
    assert_eq!(result.streams[0].missing.unwrap().0, 0);
}
