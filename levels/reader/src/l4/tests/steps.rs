//! Each step of §8.3, and where it falls through.

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::frame::framed;
use ca3_wire::records::DirectoryEntry;

use super::{Kept, all, at, ordinary, payloads, recovered};
use crate::l1::{BytesSource, Limits};
use crate::l2::tests::build::{clock, footed, peer_domain};
use crate::l4::results::{RecoverResult, StopReason};
use crate::l4::{Method, recover};

fn chain(result: &RecoverResult) -> Vec<(u64, u64)> {
    let listed = result.checkpoints.iter();
    listed
        .map(|one| (one.offset.0, one.checkpoint_seq.0))
        .collect()
}

fn kinds(result: &RecoverResult) -> Vec<Kind> {
    result.problems.iter().map(|problem| problem.kind).collect()
}

#[test]
fn a_sealed_file_is_read_through_its_summary() {
    let mut file = Kept::new();
    file.chunk(1, &[(10, "a")]);
    let result = recovered(&file.maker.seal());
    assert_eq!(result.method, Method::Summary);
    assert!(result.sealed && result.complete && !result.truncated);
    assert_eq!((result.stopped_at, result.stop_reason), (None, None));
    assert_eq!(payloads(&result), all("a"));
    assert!(result.directory[0].sync_quality.is_some());
}

#[test]
fn the_chain_and_what_lies_behind_it() {
    let file = ordinary();
    let result = recovered(&file.bytes());
    assert_eq!(result.method, Method::CheckpointChain);
    let [first, second] = file.checkpoints[..] else {
        panic!("two checkpoints");
    };
    assert_eq!(chain(&result), [(second, 2), (first, 1)]);
    assert_eq!(payloads(&result), all("abcdefg"));
    assert!(result.truncated && !result.complete && !result.sealed);
    assert_eq!(result.stopped_at.map(|at| at.0), Some(file.maker.length()));
    assert_eq!(result.stop_reason, Some(StopReason::Word("end-of-file")));
    let entries: Vec<_> = result
        .entries
        .iter()
        .map(|e| (e.stream_ref, e.min_stamp_ns.0, e.prefix_max_stamp_ns.0))
        .collect();
    // Stream 1: 5 to 30, 10 to 12, 40; stream 2: 20 to 21.
    assert_eq!(entries, [(1, 5, 30), (1, 10, 30), (1, 40, 40), (2, 20, 21)]);
    let rows: Vec<_> = result
        .directory
        .iter()
        .map(|row| {
            (
                row.flags,
                row.first_index,
                row.message_count.0,
                row.never_arrived,
            )
        })
        .collect();
    let overlap = DirectoryEntry::CHUNKS_OVERLAP;
    assert_eq!(rows, [(overlap, 0, 5, None), (0, 3, 2, None)]);
    assert!(result.problems.is_empty());
}

#[test]
fn the_newest_clock_block_that_is_not_empty_wins() {
    let mut file = Kept::new();
    for offset in [Some(10), Some(20), None] {
        let block = offset.map(|offset| clock(vec![peer_domain(offset, 0, 0)]));
        file.checkpoint_with(block.as_ref());
    }
    let found = recovered(&file.bytes()).clock.unwrap();
    assert_eq!(found.domains[0].offset_ns.0, 20);
    assert!(recovered(&ordinary().bytes()).clock.is_none());
}

#[test]
fn a_broken_chain_is_a_spine_walk_and_loses_nothing() {
    let file = ordinary();
    let first = at(file.checkpoints[0]);
    let mut bytes = file.bytes();
    bytes[first + 9] ^= 1;
    let result = recovered(&bytes);
    assert_eq!(result.method, Method::SpineWalk);
    assert_eq!(chain(&result), [(file.checkpoints[1], 2)]);
    assert_eq!(payloads(&result), all("abcdefg"));
    assert_eq!(kinds(&result), [Kind::BadCrc]);
}

#[test]
fn a_destroyed_head_leaves_what_the_chain_knows() {
    let file = ordinary();
    let mut bytes = file.bytes();
    // The first Stream record's frame: the walk ends there.
    let stream = at(8 + 9) + usize::from(bytes[9]);
    assert_eq!(bytes[stream], op::STREAM);
    bytes[stream..stream + 9].fill(0);
    let result = recovered(&bytes);
    assert_eq!(result.method, Method::CheckpointChain);
    assert_eq!(payloads(&result), all("abcdefg"));
    assert_eq!(result.streams.len(), 2);
    let found = recover(&mut BytesSource(&bytes), &Limits::default()).unwrap();
    // What was the Streams, and nothing else: the first chunk is known.
    let chunk = file.maker.entries[0].chunk_offset;
    let hole = u64::try_from(stream).unwrap()..chunk;
    assert_eq!(found.holes, [hole]);
}

#[test]
fn a_walk_goes_on_from_the_next_checkpoint_that_holds() {
    let mut file = ordinary();
    file.chunk(2, &[(50, "h")]);
    file.checkpoint();
    file.chunk(2, &[(60, "i")]);
    let mut bytes = file.bytes();
    // The oldest does not hold, and the chunk behind it has lost its frame.
    let [first, second, third] = file.checkpoints[..] else {
        panic!("three checkpoints");
    };
    bytes[at(first) + 9] ^= 1;
    let lost = at(file.maker.entries[1].chunk_offset);
    bytes[lost..lost + 9].fill(0);
    let result = recovered(&bytes);
    assert_eq!(result.method, Method::SpineWalk);
    assert_eq!(chain(&result), [(third, 3), (second, 2)]);
    // The second still names the chunk, which has no frame any more.
    assert_eq!(payloads(&result), all("abefghi"));
    assert_eq!(result.stopped_at.map(|at| at.0), u64::try_from(lost).ok());
    assert_eq!(
        result.stop_reason,
        Some(StopReason::Kind(Kind::InvalidOpcode))
    );
}

#[test]
fn nothing_is_taken_from_behind_a_whole_record_that_must_be_understood() {
    let mut file = Kept::new();
    file.chunk(1, &[(10, "a")]);
    let oddity = file.maker.raw(0x2A, b"calibration");
    file.chunk(1, &[(20, "b")]);
    let checkpoint = file.checkpoint();
    let mut bytes = file.bytes();
    // The chain is whole: the document has everything come back.
    assert_eq!(payloads(&recovered(&bytes)), all("ab"));
    bytes[at(checkpoint) + 9] ^= 1;
    let result = recovered(&bytes);
    assert_eq!(payloads(&result), all("a"));
    assert_eq!(result.stopped_at.map(|at| at.0), Some(oddity));
    // A flipped bit of an opcode is damage: what follows is no record.
    let mut file = ordinary();
    let chunk = file.chunk(2, &[(70, "h")]);
    file.checkpoint();
    file.chunk(2, &[(80, "i")]);
    let mut bytes = file.bytes();
    bytes[at(chunk)] = 0x2A;
    bytes[at(chunk) + 1] ^= 0x40;
    let first = at(file.checkpoints[0]);
    bytes[first + 9] ^= 1;
    let result = recovered(&bytes);
    assert_eq!(payloads(&result), all("abcdefgi"));
    assert_eq!(result.method, Method::SpineWalk);
}

#[test]
fn a_chain_cannot_lead_forward_or_round() {
    for prev in [1, 2, 3, 4] {
        let mut file = Kept::new();
        file.chunk(1, &[(10, "a")]);
        file.checkpoints.push(match prev {
            1 => file.maker.length(),
            2 => file.maker.length() + 1000,
            3 => u64::MAX,
            _ => 8,
        });
        file.checkpoint();
        let result = recovered(&file.bytes());
        assert_eq!(result.method, Method::SpineWalk);
        assert_eq!(payloads(&result), all("a"));
    }
}

#[test]
fn a_sealed_file_whose_summary_does_not_verify() {
    let mut file = ordinary();
    let sealed = {
        let maker = file.maker.clone();
        maker.seal()
    };
    let summary = at(file.maker.length());
    let whole = all("abcdefg");
    for spoilt in [
        summary + 20,
        sealed.len() - 45 + 9,
        sealed.len() - 45 + 33,
        sealed.len() - 45,
    ] {
        let mut bytes = sealed.clone();
        bytes[spoilt] ^= 4;
        let result = recovered(&bytes);
        assert_eq!(result.method, Method::CheckpointChain, "{spoilt}");
        assert!(result.sealed && !result.truncated && !result.complete);
        assert_eq!(payloads(&result), whole);
        assert_eq!(result.streams.len(), 2, "the summary's are not taken");
        assert_eq!(result.stopped_at, None, "{spoilt}");
        assert!(!result.problems.is_empty());
    }
    // A summary_start in the middle of the chunks is not believed.
    let start = file.maker.entries[1].chunk_offset;
    file.maker.raw(op::PADDING, b"");
    let bytes = footed(file.bytes(), start, 0);
    let mut lying = bytes.clone();
    let length = lying.len();
    lying[length - 12] ^= 1;
    let result = recovered(&lying);
    assert_eq!(payloads(&result), whole);
}

#[test]
fn a_footer_that_leads_to_no_checkpoint_leaves_the_walk() {
    let file = ordinary();
    let mut bytes = file.maker.clone().seal();
    let footer = bytes.len() - 45;
    let chunk = file.maker.entries[0].chunk_offset;
    bytes[footer + 9 + 16..footer + 9 + 24].copy_from_slice(&chunk.to_le_bytes());
    bytes[footer + 9 + 24] ^= 1;
    let result = recovered(&bytes);
    assert_eq!(result.method, Method::SpineWalk);
    assert_eq!(payloads(&result), all("abcdefg"));
}

#[test]
fn a_header_that_does_not_decode_loses_nothing_else() {
    let mut bytes = ordinary().bytes();
    // The length of `profile`.
    bytes[25] = 0xFF;
    let result = recovered(&bytes);
    assert!(result.header.is_none());
    assert_eq!(payloads(&result), all("abcdefg"));
    assert_eq!(result.method, Method::CheckpointChain);
}

#[test]
fn a_chunk_that_does_not_hold_is_withheld_and_keeps_its_entry() {
    let file = ordinary();
    let mut bytes = file.bytes();
    let chunk = &file.maker.entries[2];
    bytes[at(chunk.chunk_offset + chunk.chunk_length) - 1] ^= 1;
    let result = recovered(&bytes);
    assert_eq!(payloads(&result), all("abcdg"));
    assert_eq!(kinds(&result), [Kind::BadCrc]);
    assert_eq!(result.entries.len(), 4);
}

#[test]
fn an_entry_that_says_something_else_is_named() {
    let mut file = Kept::new();
    let chunk = file.chunk(1, &[(10, "a")]);
    file.maker.entries[0].max_stamp_ns = 11;
    file.maker.entries.push(ca3_wire::records::IndexEntry {
        chunk_offset: chunk + 3,
        chunk_length: 50,
        stream_ref: 1,
        ..Default::default()
    });
    file.checkpoint();
    let result = recovered(&file.bytes());
    assert_eq!(payloads(&result), all("a"));
    assert_eq!(kinds(&result), [Kind::IndexMismatch, Kind::IndexMismatch]);
    // The chunk's own header counts.
    let own = result
        .entries
        .iter()
        .find(|entry| entry.chunk_offset.0 == chunk);
    assert_eq!(own.unwrap().max_stamp_ns.0, 10);
}

#[test]
fn last_sequences_come_from_messages_where_they_stand_there() {
    let mut file = Kept::new();
    file.maker.sequences(1, &[5, 9, 7]);
    file.maker.sequences(2, &[3, 4, 5]);
    let result = recovered(&file.bytes());
    let last: Vec<_> = result
        .entries
        .iter()
        .map(|e| (e.seq_first, e.seq_last))
        .collect();
    assert_eq!(last, [(5, 7), (3, 5)]);
}

#[test]
fn records_behind_the_last_one_are_not_made_up() {
    let file = ordinary();
    for (tail, kind) in [
        (vec![0; 64], Kind::InvalidOpcode),
        (vec![0xFF; 64], Kind::TruncatedRecord),
        (vec![0x4A; 8], Kind::TruncatedRecord),
        (framed(0x2A, b"x"), Kind::UnknownOpcode),
        (framed(op::HEADER, b"x"), Kind::BadOrder),
    ] {
        let bytes = [file.bytes(), tail].concat();
        let result = recovered(&bytes);
        assert_eq!(payloads(&result), all("abcdefg"));
        assert_eq!(result.stop_reason, Some(StopReason::Kind(kind)));
        assert_eq!(result.stopped_at.map(|at| at.0), Some(file.maker.length()));
        assert_eq!(result.method, Method::CheckpointChain);
    }
}
