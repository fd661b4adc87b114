//! Tables as they stand in the summary (§7.1, §7.3, §13.4).

use super::build::{Layout, Maker, messages, stream};
use super::*;
use crate::l2::results::SpineState;
use ca3_spec::opcode::op;
use ca3_wire::Codec;
use ca3_wire::records::{ChunkIndex, DirectoryEntry, MessageOffsets, Record, StreamDirectory};

/// Two streams, three chunks.
fn maker() -> Maker {
    let mut maker = Maker::new(vec![stream(1), stream(2)]);
    maker.chunk(1, &[(90, "b")]);
    maker.chunk(2, &[(40, "x")]);
    maker.chunk(1, &[(10, "a"), (50, "a")]);
    maker
}

#[test]
fn entries_stand_by_stream_and_stamp_whatever_their_place_in_the_file() {
    let result = index(&maker().seal()).unwrap();
    let entries: Vec<_> = result
        .entries
        .iter()
        .map(|entry| {
            (
                entry.stream_ref,
                entry.min_stamp_ns.0,
                entry.prefix_max_stamp_ns.0,
            )
        })
        .collect();
    assert_eq!(entries, [(1, 10, 50), (1, 90, 90), (2, 40, 40)]);
    assert!(result.entries[0].chunk_offset > result.entries[1].chunk_offset);
    assert_eq!(result.entries[0].message_count, 2);
    let rows: Vec<_> = result
        .directory
        .iter()
        .map(|row| (row.stream_ref, row.first_index, row.index_count))
        .collect();
    assert_eq!(rows, [(1, 0, 2), (2, 2, 1)]);
    assert_eq!(result.directory[0].message_count.0, 3);
    let opcodes: Vec<_> = result.summary_groups.iter().map(|one| one.opcode).collect();
    assert_eq!(opcodes, [0x04, 0x08, 0x09, 0x44]);
    assert_eq!(result.spine, SpineState::Walked);
    assert!(result.problems.is_empty());
}

#[test]
fn the_smallest_sealed_file_has_empty_tables() {
    let result = index(&Maker::new(vec![]).seal()).unwrap();
    assert!(result.entries.is_empty() && result.directory.is_empty());
    let opcodes: Vec<_> = result.summary_groups.iter().map(|one| one.opcode).collect();
    assert_eq!(opcodes, [0x08, 0x09, 0x44]);
    assert!(result.problems.is_empty());
}

#[test]
fn wrong_columns_come_back_as_stored() {
    let bytes = maker().seal_with(|tables| {
        tables.entries[1].prefix_max_stamp_ns = 7;
        tables.entries[2].seq_last = 9;
        tables.directory[0].chunk_count = 77;
        tables.directory[1].flags = 3;
    });
    let result = index(&bytes).unwrap();
    assert_eq!(result.entries[1].prefix_max_stamp_ns.0, 7);
    assert_eq!(result.entries[2].seq_last, 9);
    assert_eq!(result.directory[0].chunk_count.0, 77);
    assert_eq!(result.directory[1].flags, 3);
}

/// The entries of a ChunkIndex content, each with more bytes behind it.
fn wider(content: &[u8], head: u32, more: usize) -> Vec<u8> {
    let stride = usize::try_from(head).unwrap();
    let size = u32::try_from(stride + more).unwrap();
    let mut wide = size.to_le_bytes().to_vec();
    wide.extend(&content[4..8]);
    for entry in content[8..].chunks(stride) {
        wide.extend(entry);
        wide.extend(vec![0xEE; more]);
    }
    wide
}

#[test]
fn larger_entries_are_stepped_over_by_their_stated_size() {
    let plain = index(&maker().seal()).unwrap();
    let bytes = maker().seal_with(|tables| {
        let entries = tables.entries.clone();
        let content = ChunkIndex { entries }.content().unwrap();
        let mut content = wider(&content, 56, 8);
        content.extend([1, 2, 3]);
        tables.index_content = Some(content);
    });
    assert_eq!(index(&bytes).unwrap().entries, plain.entries);
    assert_eq!(in_force(&bytes, 60).0.unwrap(), "a");
}

#[test]
fn the_directory_is_walked_behind_its_prefix() {
    let row = |stream_ref, sync_domain: &str| DirectoryEntry {
        stream_ref,
        sync_domain: sync_domain.to_owned(),
        ..DirectoryEntry::default()
    };
    let rows = vec![row(1, ""), row(2, "device-b")];
    let mut content = 81u32.to_le_bytes().to_vec();
    content.extend(2u32.to_le_bytes());
    for row in &rows {
        let directory = StreamDirectory {
            entries: vec![row.clone()],
        };
        let plain = directory.content().unwrap();
        content.extend(&plain[8..81]);
        content.extend([0xEE; 8]);
        content.extend(&plain[81..]);
    }
    let bytes = Maker::new(vec![stream(1), stream(2)])
        .seal_with(|tables| tables.directory_content = Some(content));
    let result = index(&bytes).unwrap();
    let domains: Vec<_> = result
        .directory
        .iter()
        .map(|row| &row.sync_domain)
        .collect();
    assert_eq!(domains, ["", "device-b"]);
}

#[test]
fn sizes_below_this_versions_and_counts_beyond_the_bytes_are_rejected() {
    let table = |size: u32, count: u32, bytes: usize| {
        [
            &size.to_le_bytes(),
            &count.to_le_bytes(),
            vec![0; bytes].as_slice(),
        ]
        .concat()
    };
    for (content, expected) in [
        (table(52, 1, 52), Kind::BadEntrySize),
        (table(0, 0, 0), Kind::BadEntrySize),
        (table(56, 1, 55), Kind::BadLength),
        (table(64, 2, 127), Kind::BadLength),
        (table(56, u32::MAX, 0), Kind::BadLength),
    ] {
        let bytes = maker().seal_with(|tables| tables.index_content = Some(content));
        assert_eq!(kind(index(&bytes)), expected);
    }
    for (content, expected) in [
        (table(72, 1, 76), Kind::BadEntrySize),
        (table(73, 1, 76), Kind::BadLength),
        (table(73, 2, 77), Kind::BadLength),
    ] {
        let bytes = maker().seal_with(|tables| tables.directory_content = Some(content));
        assert_eq!(kind(index(&bytes)), expected);
    }
}

#[test]
fn a_reference_that_nothing_declares_is_refused() {
    let bytes = maker().seal_with(|tables| tables.entries[2].stream_ref = 3);
    let report = index(&bytes).unwrap_err();
    assert_eq!(report.kind, Kind::UnresolvedReference);
    assert_eq!(report.stream_ref, Some(3));
    let bytes = maker().seal_with(|tables| tables.directory[1].stream_ref = 9);
    assert_eq!(kind(index(&bytes)), Kind::UnresolvedReference);
}

#[test]
fn a_schema_missing_from_the_summary_is_only_a_problem() {
    let mut one = stream(1);
    one.schema_ref = 4;
    let mut maker = Maker::new(vec![one]);
    maker.chunk(1, &[(1, "a")]);
    let bytes = maker.seal();
    let result = window(&bytes, 0, 9, &[1]).unwrap();
    assert_eq!(result.messages.len(), 1);
    assert_eq!(result.problems[0].kind, Kind::UnresolvedReference);
    assert_eq!(result.problems[0].stream_ref, Some(1));
}

#[test]
fn a_columnar_chunk_has_an_ordinary_entry() {
    let mut maker = Maker::new(vec![stream(1)]);
    let stamps = messages(&[(5, "a"), (8, "b")]);
    let offset = maker.pack(1, Layout::Columns, Codec::NONE, &stamps);
    let result = index(&maker.seal()).unwrap();
    let entry = &result.entries[0];
    assert_eq!(entry.chunk_offset.0, offset);
    assert_eq!((entry.min_stamp_ns.0, entry.max_stamp_ns.0), (5, 8));
}

#[test]
fn a_faulty_message_offsets_table_is_a_problem_and_the_answer_stands() {
    let good = MessageOffsets {
        chunk_offset: 1,
        offsets: vec![0, 7, 15],
    };
    let good = good.content().unwrap();
    let edited = |at: usize, byte: u8| {
        let mut content = good.clone();
        content[at] = byte;
        content
    };
    for (content, expected) in [
        (good.clone(), None),
        (edited(20, 15), Some(Kind::BadOrder)),
        (edited(8, 2), Some(Kind::BadEntrySize)),
        (edited(12, 4), Some(Kind::BadLength)),
    ] {
        let bytes = maker().seal_with(|tables| tables.more = vec![(op::MESSAGE_OFFSETS, content)]);
        let result = window(&bytes, 0, 100, &[1]).unwrap();
        assert_eq!(result.messages.len(), 3);
        let kinds: Vec<_> = result.problems.iter().map(|one| one.kind).collect();
        assert_eq!(kinds, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn padding_between_groups_belongs_to_none() {
    let bytes = maker().seal_with(|tables| {
        tables.more = vec![
            (op::PADDING, vec![1, 2]),
            (
                op::MESSAGE_OFFSETS,
                MessageOffsets::default().content().unwrap(),
            ),
        ];
    });
    let result = index(&bytes).unwrap();
    assert!(result.problems.is_empty());
    let opcodes: Vec<_> = result.summary_groups.iter().map(|one| one.opcode).collect();
    assert_eq!(opcodes, [0x04, 0x08, 0x09, 0x44, 0x49]);
}
