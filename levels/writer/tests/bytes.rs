//! Bytes, worked out by hand from the document.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod support;

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::records::{Header, StreamDirectory};
use ca3_wire::records::{Record as _, Stream};
use ca3_wire::{OwnedMessage, crc};
use ca3_writer::{Layout, Writer};
use support::{at, contents, findings, header, options, stream, written};

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// §2.4's minimum: magic, Header, three tables, an offset for each, Footer, magic.
#[test]
fn the_smallest_sealed_file() {
    let writer = Writer::create(Vec::new(), Header::default(), options(1)).unwrap();
    let finished = writer.seal().unwrap();
    let header = "01 50 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
         01 00 00 00  0a 00 00 00 64 75 72 61 62 69 6c 69 74 79 \
         0a 00 00 00 63 68 65 63 6b 70 6f 69 6e 74";
    let summary = hex("08 08 00 00 00 00 00 00 00  38 00 00 00 00 00 00 00 \
         09 08 00 00 00 00 00 00 00  49 00 00 00 00 00 00 00 \
         44 38 00 00 00 00 00 00 00  \
         00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
         28 00 00 00 00 00 00 00");
    // 8 of magic, 9 and 80 of Header: the summary begins at 97 (0x61), its
    // groups take 17, 17 and 65 bytes, and the offsets begin at 196 (0xc4).
    let offsets = "48 11 00 00 00 00 00 00 00  08 61 00 00 00 00 00 00 00 11 00 00 00 00 00 00 00 \
         48 11 00 00 00 00 00 00 00  09 72 00 00 00 00 00 00 00 11 00 00 00 00 00 00 00 \
         48 11 00 00 00 00 00 00 00  44 83 00 00 00 00 00 00 00 41 00 00 00 00 00 00 00";
    let footer = "02 1c 00 00 00 00 00 00 00  61 00 00 00 00 00 00 00 \
         c4 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
    let expected = [
        MAGIC.to_vec(),
        hex(header),
        summary.clone(),
        hex(offsets),
        hex(footer),
        crc::crc32c(&summary).to_le_bytes().to_vec(),
        MAGIC.to_vec(),
    ]
    .concat();
    assert_eq!(finished.sink, expected);
    assert_eq!(finished.bytes, 319);
}

/// The one chunk of these messages: its content from `codec` on.
fn chunk(messages: &[OwnedMessage]) -> Vec<u8> {
    let bytes = written(options(100), messages);
    let mut chunks = contents(&bytes, op::CHUNK);
    assert_eq!(chunks.len(), 1);
    assert_eq!(findings(&bytes), Vec::<String>::new());
    chunks.remove(0).split_off(4)
}

/// `codec` to `seq_first`, and the blob; what lies between says how long the
/// blob is and what its checksum is.
fn assert_chunk(messages: &[OwnedMessage], head: &str, blob: &str) {
    let content = chunk(messages);
    let (head, blob) = (hex(head), hex(blob));
    let length = u64::try_from(blob.len()).unwrap().to_le_bytes();
    let expected = [
        head,
        length.to_vec(),
        crc::crc32c(&blob).to_le_bytes().to_vec(),
        length.to_vec(),
        blob,
    ];
    assert_eq!(content, expected.concat());
}

/// §6.1: bases are minima, wherever the message that has them stands; §6.3: a
/// wall clock is a skew against its base and the stamp's delta.
#[test]
fn bases_are_minima_and_the_mask_is_the_union() {
    let messages = [
        OwnedMessage {
            record_ts_ns: Some(900),
            wall_clock_ns: Some(5_005),
            ..at(105, b"A")
        },
        OwnedMessage {
            record_ts_ns: Some(800),
            source_timestamp_ns: Some(70),
            ..at(100, b"B")
        },
        OwnedMessage {
            record_ts_ns: Some(801),
            wall_clock_ns: Some(5_009),
            source_timestamp_ns: Some(68),
            ..at(107, b"")
        },
    ];
    // Least stamp 100; wall minus delta: 5000 and 5002, so 5000; source 68.
    let head = "00  07 00  00 00  03 00 00 00 \
         64 00 00 00 00 00 00 00  6b 00 00 00 00 00 00 00 \
         20 03 00 00 00 00 00 00  88 13 00 00 00 00 00 00  44 00 00 00 00 00 00 00 \
         00 00 00 00";
    // len, delta, record delta, wall 1 + zigzag, source 1 + zigzag, payload.
    let blob = "05  05 64 01 00 41   05  00 00 00 05 42   04  07 01 05 01";
    assert_chunk(&messages, head, blob);
}

/// A message of this sequence, at that stamp.
fn numbered(sequence: Option<u32>, stamp: u64) -> OwnedMessage {
    OwnedMessage {
        sequence,
        ..at(stamp, b"")
    }
}

/// §6.4: a contiguous run costs nothing, past the last number too.
#[test]
fn a_contiguous_run_clears_the_bit() {
    let head = "00  00 00  01 00  02 00 00 00 \
         01 00 00 00 00 00 00 00  02 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 ";
    let run = [numbered(Some(u32::MAX), 1), numbered(Some(1), 2)];
    assert_chunk(&run, &format!("{head} ff ff ff ff"), "01 00 01 01");
    let none = [numbered(None, 1), numbered(None, 2)];
    assert_chunk(&none, &format!("{head} 00 00 00 00"), "01 00 01 01");
}

/// §6.4: absent first, and a number that deviates.
#[test]
fn a_run_that_is_broken_sets_the_bit() {
    let head = "00  08 00  01 00  03 00 00 00 \
         01 00 00 00 00 00 00 00  03 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 ";
    // wrap(0 + 1 + 1) is 2: 1 + zigzag(1) is 3.
    let absent_first = [numbered(None, 1), numbered(Some(2), 2), numbered(None, 3)];
    let blob = "02 00 00  02 01 03  02 02 00";
    assert_chunk(&absent_first, &format!("{head} 00 00 00 00"), blob);
    // 7, then 9 in the place of 8, then 8 in the place of 9.
    let deviating = [
        numbered(Some(7), 1),
        numbered(Some(9), 2),
        numbered(Some(8), 3),
    ];
    let blob = "02 00 01  02 01 03  02 02 02";
    assert_chunk(&deviating, &format!("{head} 07 00 00 00"), blob);
}

/// §6.1: the bit is set from the order that was emitted; equal stamps keep it.
#[test]
fn sorted_is_what_was_emitted() {
    let sorted = |stamps: &[u64]| {
        let messages: Vec<_> = stamps.iter().map(|stamp| at(*stamp, b"")).collect();
        chunk(&messages)[3] & 1 == 1
    };
    assert!(sorted(&[1, 1, 2]));
    assert!(sorted(&[1]));
    assert!(!sorted(&[2, 1]));
    assert!(!sorted(&[1, 3, 2]));
}

/// §5.9: stream 1 with a boundary of 64 and a block 3 bytes into its payload.
#[test]
fn blocks_lie_on_their_boundary() {
    let aligned = Stream {
        block_alignment: 64,
        block_offset: 3,
        ..stream(1)
    };
    let mut writer = Writer::create(Vec::new(), header(), options(100)).unwrap();
    writer.stream(&aligned, Layout::Rows).unwrap();
    for (stamp, length) in [(1, 5usize), (2, 40), (3, 62), (4, 63), (5, 128)] {
        writer.message(1, at(stamp, &vec![0xA5; length])).unwrap();
    }
    let bytes = writer.seal().unwrap().sink;
    assert_eq!(findings(&bytes), Vec::<String>::new());
    let chunks: Vec<_> = support::records(&bytes)
        .into_iter()
        .filter(|record| record.0 == op::CHUNK)
        .collect();
    assert_eq!(chunks.len(), 5);
    for (_, offset, content) in chunks {
        // Behind frame, header, len (one byte, two from 128 on) and stamp_delta.
        let len_bytes = if content.len() - 77 > 128 { 2 } else { 1 };
        assert_eq!((offset + 9 + 77 + len_bytes + 1 + 3) % 64, 0, "{offset}");
    }
}

/// §7.3: the row of a stream whose second chunk reaches back into the first.
#[test]
fn late_messages_are_kept_and_counted() {
    let stamps = [10, 20, 15, 30, 20, 40];
    let messages = stamps.map(|stamp| at(stamp, b"x"));
    let mut writer = Writer::create(Vec::new(), header(), options(2)).unwrap();
    writer.stream(&stream(1), Layout::Rows).unwrap();
    for message in &messages {
        writer.message(1, message.clone()).unwrap();
    }
    let finished = writer.seal().unwrap();
    // 15 behind a chunk that ends at 20; 20 behind one that ends at 30.
    assert_eq!(finished.late.into_iter().collect::<Vec<_>>(), [(1, 2)]);
    let bytes = finished.sink;
    assert_eq!(support::messages(&bytes, 1), messages);
    let directory = contents(&bytes, op::STREAM_DIRECTORY).remove(0);
    let row = StreamDirectory::from_content(&directory, 0)
        .unwrap()
        .entries
        .remove(0);
    assert!(row.chunks_overlap());
    assert_eq!((row.first_index, row.index_count, row.reordered), (0, 3, 2));
    assert_eq!((row.first_stamp_ns, row.last_stamp_ns), (10, 40));
    assert_eq!(findings(&bytes), Vec::<String>::new());
}

/// §7.1: by stream and stamp; the maximum runs.
#[test]
fn the_index_is_sorted_and_its_maximum_runs() {
    let mut writer = Writer::create(Vec::new(), header(), options(2)).unwrap();
    for stream_ref in [2, 1] {
        writer.stream(&stream(stream_ref), Layout::Rows).unwrap();
    }
    for (stream_ref, stamp) in [(2, 50), (2, 90), (1, 7), (2, 10), (2, 60), (1, 8)] {
        writer.message(stream_ref, at(stamp, b"")).unwrap();
    }
    let bytes = writer.seal().unwrap().sink;
    let content = contents(&bytes, op::CHUNK_INDEX).remove(0);
    let index = ca3_wire::records::ChunkIndex::from_content(&content, 0).unwrap();
    let rows: Vec<_> = index
        .entries
        .iter()
        .map(|it| {
            (
                it.stream_ref,
                it.min_stamp_ns,
                it.max_stamp_ns,
                it.prefix_max_stamp_ns,
            )
        })
        .collect();
    assert_eq!(rows, [(1, 7, 8, 8), (2, 10, 60, 60), (2, 50, 90, 90)]);
    assert_eq!(findings(&bytes), Vec::<String>::new());
}
