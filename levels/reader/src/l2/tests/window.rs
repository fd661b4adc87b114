//! The messages between two instants (§9.2).

use super::build::{Layout, Maker, messages, stream};
use super::*;
use ca3_wire::Codec;

#[test]
fn both_ends_are_included_and_only_chunks_that_meet_them_are_read() {
    let mut maker = Maker::new(vec![stream(1)]);
    let one = maker.chunk(1, &[(0, "a"), (10, "b")]);
    let two = maker.chunk(1, &[(20, "c"), (30, "d")]);
    let three = maker.chunk(1, &[(40, "e"), (50, "f")]);
    let bytes = maker.seal();
    let expect = |t1, t2, text: &str, chunks: &[u64]| {
        let expected = (text.to_owned(), chunks.to_vec());
        assert_eq!(payloads(&bytes, t1, t2, &[1]), expected, "{t1} to {t2}");
    };
    expect(10, 20, "bc", &[one, two]);
    expect(10, 30, "bcd", &[one, two]);
    expect(11, 19, "", &[]);
    expect(25, 26, "", &[two]);
    expect(50, u64::MAX, "f", &[three]);
    expect(0, u64::MAX, "abcdef", &[one, two, three]);
    expect(30, 29, "", &[]);
    expect(51, u64::MAX, "", &[]);
}

#[test]
fn only_the_requested_streams_are_fetched() {
    let mut maker = Maker::new(vec![stream(1), stream(2), stream(3)]);
    let one = maker.chunk(1, &[(1, "a")]);
    let other = maker.chunk(2, &[(1, "x")]);
    let two = maker.chunk(1, &[(2, "b")]);
    let spoilt = other + 9 + 77;
    let mut bytes = maker.seal();
    assert_eq!(payloads(&bytes, 0, 9, &[2]), ("x".to_owned(), vec![other]));
    bytes[usize::try_from(spoilt).unwrap()] ^= 1;
    assert_eq!(
        payloads(&bytes, 0, 9, &[1]),
        ("ab".to_owned(), vec![one, two])
    );
    let report = window(&bytes, 0, 9, &[1, 2]).unwrap_err();
    assert_eq!(report.kind, Kind::BadCrc);
    assert_eq!(report.offset.unwrap().0, other);
    assert_eq!(report.stream_ref, Some(2));
    assert_eq!(kind(state(&bytes, 9, None)), Kind::BadCrc);
    assert_eq!(kind(loss(&bytes)), Kind::BadCrc);
    assert!(index(&bytes).is_ok());
}

/// Chunks that lie side by side take one read; what lies between others is
/// never read.
#[test]
fn neighbours_are_fetched_together() {
    let mut maker = Maker::new(vec![stream(1), stream(2)]);
    let one = maker.chunk(1, &[(1, "a")]);
    maker.chunk(1, &[(2, "b")]);
    let between = maker.chunk(2, &[(1, "x")]);
    let last = maker.chunk(1, &[(3, "c")]);
    let end = maker.length();
    let bytes = maker.seal();
    let mut asked = Asked {
        bytes: BytesSource(&bytes),
        reads: Vec::new(),
    };
    let options = Options { walk_spine: false };
    let mut file = IndexedFile::open(&mut asked, &Limits::default(), options).unwrap();
    let result = file.window(0, 9, &[1]).unwrap();
    assert_eq!(result.messages.len(), 3);
    drop(file);
    let reads: Vec<_> = asked.reads.iter().rev().take(2).rev().copied().collect();
    let length = |from, to| usize::try_from(to - from).unwrap();
    assert_eq!(
        reads,
        [(one, length(one, between)), (last, length(last, end))]
    );
}

#[test]
fn messages_come_by_stamp_and_equal_ones_as_the_table_has_them() {
    let mut maker = Maker::new(vec![stream(1)]);
    maker.chunk(1, &[(20, "d"), (30, "f"), (20, "e")]);
    maker.chunk(1, &[(10, "a"), (40, "h"), (20, "b"), (20, "c")]);
    maker.chunk(1, &[(30, "g")]);
    let bytes = maker.seal();
    for _ in 0..3 {
        assert_eq!(payloads(&bytes, 0, 99, &[1]).0, "abcdefgh");
    }
    assert_eq!(payloads(&bytes, 20, 30, &[1]).0, "bcdefg");
}

#[test]
fn streams_come_as_requested_and_as_often() {
    let mut maker = Maker::new(vec![stream(1), stream(2), stream(3)]);
    maker.chunk(1, &[(5, "a")]);
    maker.chunk(2, &[(1, "b"), (9, "c")]);
    let bytes = maker.seal();
    assert_eq!(payloads(&bytes, 0, 9, &[2, 1]).0, "bca");
    assert_eq!(payloads(&bytes, 0, 9, &[1, 2, 1]).0, "abca");
    assert_eq!(payloads(&bytes, 0, 9, &[3]).0, "");
    assert_eq!(payloads(&bytes, 0, 9, &[]).0, "");
    assert_eq!(kind(window(&bytes, 0, 9, &[4])), Kind::UnresolvedReference);
    assert_eq!(kind(window(&bytes, 9, 0, &[4])), Kind::UnresolvedReference);
}

#[test]
fn every_layout_and_codec_answers_alike() {
    for layout in [Layout::Rows, Layout::Columns] {
        for codec in [Codec::NONE, Codec::ZSTD] {
            let mut maker = Maker::new(vec![stream(1)]);
            let stored = messages(&[(10, "a"), (30, "c"), (20, "b"), (40, "d")]);
            maker.pack(1, layout, codec, &stored);
            assert_eq!(payloads(&maker.seal(), 15, 30, &[1]).0, "bc");
        }
    }
}

#[test]
fn what_an_entry_does_not_lead_to_is_no_answer() {
    let mut maker = Maker::new(vec![stream(1)]);
    // A chunk without messages has no entry as a rule, and none to give.
    maker.chunk(1, &[]);
    maker.chunk(1, &[(10, "a")]);
    let bytes = maker.seal();
    assert_eq!(payloads(&bytes, 0, 99, &[1]).0, "a");
    assert_eq!(in_force(&bytes, 99).0.unwrap(), "a");
    assert_eq!(in_force(&bytes, 5).0, None);
}
