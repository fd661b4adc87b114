//! Indexes at odds with themselves, or with the chunks that they lead to.

use super::build::{Maker, Tables, stream};
use super::*;

fn maker() -> Maker {
    let mut maker = Maker::new(vec![stream(1), stream(2)]);
    maker.chunk(1, &[(10, "a"), (20, "b")]);
    maker.chunk(2, &[(10, "x"), (20, "y")]);
    maker.chunk(1, &[(30, "c")]);
    maker
}

/// What each query about stream 1 is answered with after an edit.
fn kinds(spoil: impl FnOnce(&mut Tables)) -> [Kind; 3] {
    let bytes = maker().seal_with(spoil);
    assert!(index(&bytes).is_ok(), "the tables come back as stored");
    for report in [
        state(&bytes, 99, Some(&[2])).err(),
        window(&bytes, 0, 99, &[2]).err(),
    ] {
        assert_eq!(report, None, "what is not asked for is not looked at");
    }
    let reports = [
        state(&bytes, 25, Some(&[1])).unwrap_err(),
        window(&bytes, 0, 99, &[1]).unwrap_err(),
        loss(&bytes).unwrap_err(),
    ];
    reports.map(|report| {
        assert_eq!(report.stream_ref, Some(1));
        report.kind
    })
}

const ALL: [Kind; 3] = [Kind::IndexMismatch; 3];

#[test]
fn an_entry_that_points_nowhere() {
    assert_eq!(kinds(|tables| tables.entries[0].chunk_offset += 9), ALL);
    assert_eq!(kinds(|tables| tables.entries[0].chunk_offset = 3), ALL);
    assert_eq!(
        kinds(|tables| tables.entries[0].chunk_offset = u64::MAX),
        ALL
    );
    assert_eq!(
        kinds(|tables| tables.entries[0].chunk_length = u64::MAX),
        ALL
    );
    assert_eq!(kinds(|tables| tables.entries[0].chunk_length = 8), ALL);
    assert_eq!(kinds(|tables| tables.entries[0].chunk_length += 9), ALL);
    assert_eq!(kinds(|tables| tables.entries[0].chunk_length -= 1), ALL);
}

#[test]
fn an_entry_that_leads_to_another_streams_chunk() {
    let into = |tables: &mut Tables| {
        let other = tables.entries[2];
        tables.entries[0].chunk_offset = other.chunk_offset;
        tables.entries[0].chunk_length = other.chunk_length;
    };
    assert_eq!(kinds(into), ALL);
}

#[test]
fn an_entry_that_disagrees_with_its_chunk() {
    assert_eq!(kinds(|tables| tables.entries[0].message_count = 3), ALL);
    assert_eq!(kinds(|tables| tables.entries[0].min_stamp_ns = 11), ALL);
    let stretched = |tables: &mut Tables| {
        tables.entries[0].max_stamp_ns = 21;
        tables.entries[0].prefix_max_stamp_ns = 21;
    };
    assert_eq!(kinds(stretched), ALL);
}

#[test]
fn a_run_that_is_not_the_streams() {
    assert_eq!(kinds(|tables| tables.directory[0].first_index = 1), ALL);
    assert_eq!(
        kinds(|tables| tables.directory[0].first_index = u32::MAX),
        ALL
    );
    assert_eq!(
        kinds(|tables| tables.directory[0].index_count = u32::MAX),
        ALL
    );
    assert_eq!(kinds(|tables| tables.directory[0].index_count = 1), ALL);
    assert_eq!(kinds(|tables| tables.directory[0].index_count = 0), ALL);
    assert_eq!(kinds(|tables| drop(tables.directory.remove(0))), ALL);
    let twice = |tables: &mut Tables| tables.directory.push(tables.directory[0].clone());
    assert_eq!(kinds(twice), ALL);
    assert_eq!(kinds(|tables| tables.entries[1] = tables.entries[0]), ALL);
}

/// What a search relies on, a window and a walk do without.
#[test]
fn a_table_that_cannot_be_searched_refuses_the_search_alone() {
    let searched = |spoil: &dyn Fn(&mut Tables)| {
        let bytes = maker().seal_with(|tables| spoil(tables));
        assert_eq!(payloads(&bytes, 0, 99, &[1]).0, "abc");
        assert!(loss(&bytes).is_ok());
        kind(state(&bytes, 25, Some(&[1])))
    };
    let prefix = |tables: &mut Tables| tables.entries[1].prefix_max_stamp_ns = 29;
    assert_eq!(searched(&prefix), Kind::IndexMismatch);
    let order = |tables: &mut Tables| {
        tables.entries.swap(0, 1);
        tables.entries[0].prefix_max_stamp_ns = 30;
        tables.entries[1].prefix_max_stamp_ns = 30;
    };
    assert_eq!(searched(&order), Kind::BadOrder);
    let mut maker = Maker::new(vec![stream(1)]);
    maker.chunk(1, &[(10, "a"), (30, "b")]);
    maker.chunk(1, &[(20, "c")]);
    let bytes = maker.clone().seal();
    assert_eq!(in_force(&bytes, 40).0.unwrap(), "b");
    let cleared = maker.seal_with(|tables| tables.directory[0].flags = 0);
    assert_eq!(kind(state(&cleared, 40, None)), Kind::IndexMismatch);
    assert_eq!(payloads(&cleared, 0, 99, &[1]).0, "acb");
}

/// The header's least stamp is no message's: nothing can be in force by it.
#[test]
fn a_least_stamp_that_no_message_has() {
    let mut maker = Maker::new(vec![stream(1)]);
    let offset = maker.chunk(1, &[(10, "a"), (10, "b")]);
    // Both deltas one up, the greatest stamp and the checksum with them.
    let content = usize::try_from(offset).unwrap() + 9;
    for message in [0, 3] {
        maker.bytes[content + 77 + message + 1] = 1;
    }
    let crc = ca3_wire::crc::crc32c(&maker.bytes[content + 77..]);
    maker.bytes[content + 65..content + 69].copy_from_slice(&crc.to_le_bytes());
    let bytes = maker.seal();
    assert_eq!(kind(state(&bytes, 10, None)), Kind::IndexMismatch);
    assert_eq!(in_force(&bytes, 11).0.unwrap(), "b");
}
