//! Finding the summary from the end, and what is read on the way (§2, §13.1).

use super::build::{Maker, footed, stream};
use super::*;
use crate::l2::results::SpineState;
use ca3_spec::opcode::op;
use ca3_wire::crc;
use ca3_wire::frame::framed;
use ca3_wire::records::Record;

fn maker() -> Maker {
    let mut maker = Maker::new(vec![stream(1)]);
    maker.chunk(1, &[(10, "a")]);
    maker
}

/// The u64 of the Footer at that place within its content.
fn footer_field(bytes: &mut [u8], at: usize) -> &mut [u8] {
    let start = bytes.len() - 36 + at;
    &mut bytes[start..start + 8]
}

fn summary_start(bytes: &[u8]) -> usize {
    let field = footer_field(&mut bytes.to_vec(), 0).to_vec();
    usize::try_from(u64::from_le_bytes(field.try_into().unwrap())).unwrap()
}

fn offsets_start(bytes: &[u8]) -> usize {
    let field = footer_field(&mut bytes.to_vec(), 8).to_vec();
    usize::try_from(u64::from_le_bytes(field.try_into().unwrap())).unwrap()
}

#[test]
fn opening_reads_the_ends_the_summary_and_frames() {
    let mut maker = maker();
    maker.chunk(1, &[(20, "b")]);
    let first_chunk = summary_start(&maker.clone().seal());
    let bytes = maker.seal();
    for walk_spine in [false, true] {
        let mut asked = Asked {
            bytes: BytesSource(&bytes),
            reads: Vec::new(),
        };
        let options = Options { walk_spine };
        let file = IndexedFile::open(&mut asked, &Limits::default(), options).unwrap();
        let expected = match walk_spine {
            true => SpineState::Walked,
            false => SpineState::NotWalked,
        };
        assert_eq!(file.index().spine, expected);
        assert_eq!(file.header().host_id, "host");
        assert_eq!(file.streams().count(), 1);
        assert!(file.session().is_none());
        drop(file);
        // In front of the summary: heads, the Header, and frames alone.
        let header_end = 8 + 9 + 60;
        for (offset, length) in asked.reads {
            let offset = usize::try_from(offset).unwrap();
            if offset + length <= header_end || offset >= summary_start(&bytes) {
                continue;
            }
            assert!(walk_spine && length == 9, "{length} bytes at {offset}");
        }
    }
    assert!(first_chunk > 0);
}

#[test]
fn a_file_that_is_not_sealed_is_refused_as_truncated() {
    let bytes = maker().seal();
    for cut in [bytes.len() - 1, bytes.len() - 8, bytes.len() - 45, 100] {
        assert_eq!(kind(index(&bytes[..cut])), Kind::TruncatedRecord);
    }
    assert_eq!(kind(index(b"no CA3 file")), Kind::BadMagic);
}

#[test]
fn a_footer_that_does_not_stand_at_its_place_is_refused() {
    let bytes = maker().seal();
    let end = bytes.len();
    let removed = [&bytes[..end - 45], &bytes[end - 8..]].concat();
    let moved = [&bytes[..end - 8], &[0; 4], &bytes[end - 8..]].concat();
    let mut longer = bytes.clone();
    longer[end - 44] = 32;
    for spoilt in [removed, moved, longer] {
        assert_eq!(kind(index(&spoilt)), Kind::Other);
    }
}

#[test]
fn footer_offsets_lie_in_order() {
    let bytes = maker().seal();
    let mut none = bytes.clone();
    footer_field(&mut none, 0).fill(0);
    assert_eq!(kind(index(&none)), Kind::Other);
    for (at, value) in [(0, 5u64), (0, u64::MAX), (8, 5), (8, u64::MAX)] {
        let mut spoilt = bytes.clone();
        footer_field(&mut spoilt, at).copy_from_slice(&value.to_le_bytes());
        assert_eq!(kind(index(&spoilt)), Kind::BadLength, "{value} at {at}");
    }
    let mut swapped = bytes.clone();
    footer_field(&mut swapped, 0).copy_from_slice(footer_field(&mut bytes.clone(), 8));
    footer_field(&mut swapped, 8).copy_from_slice(footer_field(&mut bytes.clone(), 0));
    assert_eq!(kind(index(&swapped)), Kind::BadLength);
}

#[test]
fn the_checksum_covers_the_summary_and_nothing_else() {
    let bytes = maker().seal();
    let (start, end) = (summary_start(&bytes), offsets_start(&bytes));
    for at in start..end {
        let mut spoilt = bytes.clone();
        spoilt[at] ^= 0x20;
        assert_eq!(kind(index(&spoilt)), Kind::BadCrc, "at {at}");
    }
    let mut wider = bytes.clone();
    let over_both = crc::crc32c(&bytes[start..bytes.len() - 45]);
    let at = bytes.len() - 12;
    wider[at..at + 4].copy_from_slice(&over_both.to_le_bytes());
    assert_eq!(kind(index(&wider)), Kind::BadCrc);
}

#[test]
fn without_an_offset_section_the_summary_reaches_to_the_footer() {
    let bytes = maker().seal();
    let start = u64::try_from(summary_start(&bytes)).unwrap();
    let body = bytes[..offsets_start(&bytes)].to_vec();
    let bytes = footed(body, start, 0);
    let result = index(&bytes).unwrap();
    assert_eq!(result.entries.len(), 1);
    assert!(result.summary_groups.is_empty() && result.problems.is_empty());
    let mut spoilt = bytes.clone();
    let last = bytes.len() - 46;
    spoilt[last] ^= 1;
    assert_eq!(kind(index(&spoilt)), Kind::BadCrc);
}

/// Tables that are not there are empty in `index`, and no query takes that for
/// a stream without messages.
#[test]
fn without_its_tables_a_file_answers_no_query() {
    let mut maker = maker();
    let streams = maker.bytes.clone();
    let start = maker.raw(op::STREAM, &stream(1).content().unwrap());
    let bytes = footed(maker.bytes, start, 0);
    let result = index(&bytes).unwrap();
    assert!(result.entries.is_empty() && result.directory.is_empty());
    assert_eq!(kind(state(&bytes, 99, None)), Kind::IndexMismatch);
    assert_eq!(kind(window(&bytes, 0, 99, &[1])), Kind::IndexMismatch);
    assert_eq!(kind(loss(&bytes)), Kind::IndexMismatch);
    // Nor where the summary declares no stream to ask for.
    let bytes = footed(streams.clone(), u64::try_from(streams.len()).unwrap(), 0);
    assert!(index(&bytes).unwrap().entries.is_empty());
    assert_eq!(kind(state(&bytes, 99, None)), Kind::IndexMismatch);
    assert_eq!(kind(window(&bytes, 0, 99, &[])), Kind::IndexMismatch);
}

#[test]
fn summary_offsets_at_odds_with_the_groups_are_problems() {
    let bytes = maker().seal();
    let at = offsets_start(&bytes) + 9;
    // Its opcode, its start, its length; then a content cut short.
    for (at, byte) in [(at, 0x03), (at + 1, 1), (at + 9, 1)] {
        let mut spoilt = bytes.clone();
        spoilt[at] = byte;
        let result = index(&spoilt).unwrap();
        assert_eq!(result.entries.len(), 1);
        assert_eq!(result.problems[0].kind, Kind::IndexMismatch);
        assert_eq!(result.summary_groups.len(), 4);
    }
    let start = u64::try_from(summary_start(&bytes)).unwrap();
    let offsets = offsets_start(&bytes);
    let mut body = bytes[..offsets].to_vec();
    body.extend(framed(op::SUMMARY_OFFSET, &bytes[at..at + 9]));
    let short = footed(body, start, u64::try_from(offsets).unwrap());
    let result = index(&short).unwrap();
    assert_eq!(result.problems[0].kind, Kind::BadLength);
    assert!(result.summary_groups.is_empty());
    // Those that are missing are named too: the group of streams first.
    assert_eq!(result.problems[1].kind, Kind::IndexMismatch);
}

#[test]
fn what_must_be_understood_is_met_on_the_spine_or_not_claimed() {
    for (opcode, expected) in [
        (0x2A, Kind::UnknownOpcode),
        (0x90, Kind::UnknownOpcode),
        (0x0C, Kind::ReservedOpcode),
        (0x00, Kind::InvalidOpcode),
        (op::HEADER, Kind::BadOrder),
    ] {
        let mut maker = maker();
        let offset = maker.raw(opcode, b"anything");
        maker.chunk(1, &[(20, "b")]);
        let bytes = maker.seal();
        let report = index(&bytes).unwrap_err();
        assert_eq!(report.kind, expected);
        assert_eq!(report.opcode, Some(opcode));
        assert_eq!(report.offset.unwrap().0, offset);
        let mut source = BytesSource(&bytes);
        let options = Options { walk_spine: false };
        let file = IndexedFile::open(&mut source, &Limits::default(), options).unwrap();
        assert_eq!(file.index().spine, SpineState::NotWalked);
    }
    // What may be skipped is, on the spine and in the summary.
    let mut maker = maker();
    maker.raw(0x7F, b"x");
    let bytes = maker.seal_with(|tables| tables.more = vec![(0xC0, vec![1])]);
    assert!(index(&bytes).unwrap().problems.is_empty());
}

#[test]
fn records_that_do_not_belong_there_are_refused_in_the_summary() {
    for (opcode, expected) in [
        (0x2A, Kind::UnknownOpcode),
        (0x00, Kind::InvalidOpcode),
        (op::CHUNK, Kind::BadOrder),
        (op::FOOTER, Kind::BadOrder),
        (op::SUMMARY_OFFSET, Kind::BadOrder),
        (op::CLOCK_BLOCK, Kind::BadLength),
    ] {
        let bytes = maker().seal_with(|tables| tables.more = vec![(opcode, vec![9; 8])]);
        assert_eq!(kind(index(&bytes)), expected, "{opcode:#04x}");
    }
    for opcode in [op::CHUNK_INDEX, op::STREAM_DIRECTORY] {
        let mut empty = 100u32.to_le_bytes().to_vec();
        empty.extend([0; 4]);
        let bytes = maker().seal_with(|tables| tables.more = vec![(opcode, empty)]);
        assert_eq!(kind(index(&bytes)), Kind::BadOrder, "{opcode:#04x}");
    }
}

#[test]
fn a_record_across_the_start_of_the_summary_is_refused() {
    let mut maker = maker();
    // A skippable record whose content is all that follows in the data section,
    // and the first record of the summary.
    let at = maker.bytes.len();
    maker.raw(0xC0, b"");
    let mut bytes = maker.seal();
    bytes[at + 1] = 30;
    assert_eq!(kind(index(&bytes)), Kind::BadLength);
}

#[test]
fn memory_is_granted_and_not_taken() {
    let mut maker = maker();
    maker.chunk(1, &[(20, &"x".repeat(4000))]);
    let bytes = maker.seal();
    let mut source = BytesSource(&bytes);
    let limits = Limits { memory: 3000 };
    let mut file = IndexedFile::open(&mut source, &limits, Options::default()).unwrap();
    let report = file.window(0, 99, &[1]).unwrap_err();
    assert_eq!(report.kind, Kind::LimitExceeded);
    // The next question has all of it again.
    for _ in 0..9 {
        assert_eq!(file.state_at(15, None).unwrap().chunks_read.len(), 1);
    }
    let mut source = BytesSource(&bytes);
    let limits = Limits { memory: 100 };
    let report = IndexedFile::open(&mut source, &limits, Options::default());
    assert_eq!(report.err().unwrap().kind, Kind::LimitExceeded);
}
