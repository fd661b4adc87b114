//! What is written reads back, is without a finding, and stops where it must.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail"
)]

mod support;

use std::collections::BTreeMap;
use std::io;

use ca3_spec::opcode::op;
use ca3_wire::records::{
    Attachment, Checkpoint, Metadata, Record, Schema, Session, Stream, StreamDirectory,
};
use ca3_wire::{Codec, Map, OwnedMessage, crc};
use ca3_writer::{Durability, Layout, Observed, Options, WriteError, Writer};
use support::{Full, at, clock, contents, findings, header, number, options, stream};

/// A seeded recording: bytes, and what each stream was given.
fn drawn(seed: u64) -> (Vec<u8>, BTreeMap<u32, Vec<OwnedMessage>>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let options = Options {
        codec: Codec(random.u8(0..2)),
        chunk_messages: number(random.u32(1..9)),
        checkpoint_chunks: random.bool().then(|| number(random.u32(1..4))),
        restate_checkpoints: number(random.u32(1..4)),
        durability: Durability::EveryChunk,
    };
    let mut header = header();
    header.required_features = 1 << 2;
    let mut writer = Writer::create(Vec::new(), header, options).unwrap();
    let schema = Schema {
        schema_ref: 4,
        schema_id: "a.B".to_owned(),
        ..Schema::default()
    };
    writer.schema(&schema).unwrap();
    let mut given: BTreeMap<u32, Vec<OwnedMessage>> = BTreeMap::new();
    for stream_ref in 1..=4 {
        // 3 is aligned, 2 and 4 are columnar, 4 is both.
        let declared = Stream {
            schema_ref: if stream_ref == 1 { 4 } else { 0 },
            block_alignment: if stream_ref > 2 { 32 } else { 0 },
            block_offset: if stream_ref == 3 { 4 } else { 0 },
            flags: u32::from(stream_ref == 2),
            ..stream(stream_ref)
        };
        let layout = if stream_ref % 2 == 0 {
            Layout::Columns
        } else {
            Layout::Rows
        };
        writer.stream(&declared, layout).unwrap();
        given.insert(stream_ref, Vec::new());
    }
    for _ in 0..random.usize(0..80) {
        let stream_ref = random.u32(1..5);
        let length = match stream_ref {
            1 => random.usize(0..50),
            2 => 10 * random.usize(1..3),
            3 => random.usize(8..70),
            _ => 32 * random.usize(1..3),
        };
        let mut optional = |value: u64| random.bool().then_some(value);
        let wide = optional(u64::MAX);
        let (wall, source) = (optional(7), optional(0));
        let sequence = random.bool().then(|| random.u32(1..=u32::MAX));
        let message = OwnedMessage {
            monotonic_timestamp_ns: random.u64(0..1000),
            record_ts_ns: (random.u8(0..4) > 0).then(|| random.u64(..)),
            wall_clock_ns: wall.map(|_| random.u64(..)),
            source_timestamp_ns: wide.or(source),
            sequence,
            payload: (0..length).map(|_| random.u8(..)).collect(),
        };
        given.get_mut(&stream_ref).unwrap().push(message.clone());
        writer.message(stream_ref, message).unwrap();
        if random.u8(0..10) == 0 {
            writer.flush(random.u32(1..5)).unwrap();
        }
    }
    (writer.seal().unwrap().sink, given)
}

#[test]
fn what_is_written_reads_back_and_is_without_a_finding() {
    for seed in 0..200 {
        let (bytes, given) = drawn(seed);
        let read = support::read(&bytes);
        assert!(read.sealed && read.complete && read.problems.is_empty());
        for (stream_ref, messages) in &given {
            let own = read.messages.iter();
            let own = own.filter(|message| message.stream_ref == *stream_ref);
            let back: Vec<_> = own.map(support::owned).collect();
            assert_eq!(&back, messages, "seed {seed}, stream {stream_ref}");
        }
        assert_eq!(findings(&bytes), Vec::<String>::new(), "seed {seed}");
    }
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    assert_eq!(drawn(3).0, drawn(3).0);
    assert_ne!(drawn(3).0, drawn(4).0);
}

#[test]
fn a_sink_that_fails_is_said_to_have_failed_and_left_alone() {
    let write = |room: usize| -> Result<u64, WriteError> {
        let mut writer = Writer::create(Full(room), header(), options(2))?;
        writer.stream(&stream(1), Layout::Rows)?;
        for stamp in 0..5 {
            if let Err(error) = writer.message(1, at(stamp, b"payload")) {
                assert!(matches!(writer.flush(1).unwrap_err(), WriteError::Broken));
                return Err(error);
            }
        }
        Ok(writer.seal()?.bytes)
    };
    let length = usize::try_from(write(usize::MAX).unwrap()).unwrap();
    for room in 0..length {
        match write(room) {
            Err(WriteError::Sink(error)) => {
                assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}");
            }
            other => panic!("{room}: {other:?}"),
        }
    }
    assert!(write(length).is_ok());
}

/// §16, item 36: the stream's own bit decides, and the Header claims the codec.
#[test]
fn payloads_that_are_compressed_already_are_not_compressed_again() {
    let options = Options {
        codec: Codec::ZSTD,
        ..options(1)
    };
    let mut writer = Writer::create(Vec::new(), header(), options).unwrap();
    writer.stream(&stream(1), Layout::Rows).unwrap();
    let packed = Stream {
        flags: Stream::PAYLOAD_ENTROPY_CODED,
        ..stream(2)
    };
    writer.stream(&packed, Layout::Rows).unwrap();
    for stream_ref in [1, 2] {
        writer.message(stream_ref, at(1, b"payload")).unwrap();
    }
    let bytes = writer.seal().unwrap().sink;
    assert_eq!(bytes[17] & 1, 1);
    let codecs: Vec<u8> = contents(&bytes, op::CHUNK).iter().map(|it| it[4]).collect();
    assert_eq!(codecs, [1, 0]);
    assert_eq!(findings(&bytes), Vec::<String>::new());
}

/// Reading G35, and values that no step reaches.
#[test]
fn a_message_that_cannot_share_a_chunk_closes_it() {
    let plain = at(1, b"a");
    let received = OwnedMessage {
        record_ts_ns: Some(1),
        ..at(2, b"b")
    };
    let far = |source| OwnedMessage {
        source_timestamp_ns: Some(source),
        ..at(3, b"c")
    };
    let given = [plain.clone(), received, plain, far(0), far(u64::MAX)];
    let bytes = support::written(options(100), &given);
    assert_eq!(contents(&bytes, op::CHUNK).len(), 4);
    assert_eq!(support::messages(&bytes, 1), given);
}

fn checkpoints(bytes: &[u8]) -> Vec<(u64, Checkpoint)> {
    let found = support::records(bytes).into_iter();
    let found = found.filter(|record| record.0 == op::CHECKPOINT);
    found
        .map(|(_, offset, content)| {
            let offset = u64::try_from(offset).unwrap();
            (offset, Checkpoint::from_content(&content, 0).unwrap())
        })
        .collect()
}

/// §8.1, in a file whose writer was killed.
#[test]
fn checkpoints_hold_what_is_new_and_every_second_one_all() {
    let options = Options {
        checkpoint_chunks: Some(number(2)),
        restate_checkpoints: number(2),
        ..options(1)
    };
    let mut writer = Writer::create(Vec::new(), header(), options).unwrap();
    writer.stream(&stream(1), Layout::Rows).unwrap();
    for stamp in 1..=2 {
        let received = OwnedMessage {
            record_ts_ns: Some(stamp * 10),
            ..at(stamp, b"")
        };
        writer.message(1, received).unwrap();
    }
    writer.stream(&stream(2), Layout::Rows).unwrap();
    writer.clock_block(clock()).unwrap();
    writer.tick(77, 99);
    for stamp in 3..=7 {
        writer.message(1, at(stamp, b"")).unwrap();
    }
    let bytes = writer.abandon().sink;
    // That it is not sealed is all there is to say.
    let found = findings(&bytes);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("CA3-16-01 "), "{found:?}");
    let found = checkpoints(&bytes);
    let [(first, one), (second, two), (_, three)] = found.as_slice() else {
        panic!("{found:?}");
    };
    let of = |it: &Checkpoint| (it.checkpoint_seq, it.flags, it.prev_offset);
    assert_eq!(of(one), (1, 0, 0));
    assert_eq!(of(two), (2, 1, *first));
    assert_eq!(of(three), (3, 0, *second));
    let held = |it: &Checkpoint| (it.streams.len(), it.index_entries.len());
    assert_eq!(held(one), (1, 2));
    assert_eq!(held(two), (2, 2));
    assert_eq!(held(three), (0, 2));
    assert_eq!((one.record_ts_ns, one.wall_ns), (20, 0));
    assert_eq!((two.record_ts_ns, two.wall_ns), (77, 99));
    assert!(one.clock_block.is_empty());
    assert_eq!(two.clock_block, clock().content().unwrap());
}

#[test]
fn the_summary_restates_the_session_in_force_and_what_the_recorder_knew() {
    let session = |id: &str| Session {
        session_id: id.to_owned(),
        ..Session::default()
    };
    let mut writer = Writer::create(Vec::new(), header(), options(9)).unwrap();
    writer.session(&session("first")).unwrap();
    let mapped = Stream {
        source_clock_domain: "device".to_owned(),
        ..stream(1)
    };
    writer.stream(&mapped, Layout::Rows).unwrap();
    writer.session(&session("second")).unwrap();
    writer.clock_block(clock()).unwrap();
    let metadata = Metadata {
        name: "m".to_owned(),
        entries: Map::sorted([("b", "1"), ("a", "2"), ("b", "3")]),
    };
    writer.append(&metadata).unwrap();
    let data = b"data".to_vec();
    let attachment = Attachment {
        data_crc32c: crc::crc32c(&data),
        data,
        ..Attachment::default()
    };
    let content = attachment.content().unwrap();
    let length = u64::try_from(content.len()).unwrap();
    writer
        .record_from(op::ATTACHMENT, length, &mut content.as_slice())
        .unwrap();
    let observed = Observed {
        dropped_by_queue: 3,
        never_arrived: 4,
        reordered: 5,
        max_queue_depth: 6,
        ..Observed::default()
    };
    writer.observed(1, observed).unwrap();
    writer.message(1, at(2, b"")).unwrap();
    writer.message(1, at(1, b"")).unwrap();
    let bytes = writer.seal().unwrap().sink;
    assert_eq!(findings(&bytes), Vec::<String>::new());
    let sessions = contents(&bytes, op::SESSION);
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions[2], session("second").content().unwrap());
    let directory = contents(&bytes, op::STREAM_DIRECTORY).remove(0);
    let row = StreamDirectory::from_content(&directory, 0)
        .unwrap()
        .entries
        .remove(0);
    assert_eq!(
        (row.dropped_by_queue, row.never_arrived, row.reordered),
        (3, 4, 6)
    );
    assert_eq!((row.sync_quality, row.sync_domain.as_str()), (1, "device"));
}

/// A reader that ends early leaves a record that is not whole.
#[test]
fn a_content_that_ends_early_breaks_the_file() {
    let mut writer = Writer::create(Vec::new(), header(), options(1)).unwrap();
    let short = writer.record_from(op::METADATA, 10, &mut b"short".as_slice());
    assert!(matches!(short, Err(WriteError::Sink(_))));
    assert!(matches!(writer.seal(), Err(WriteError::Broken)));
}

/// Chunk by chunk into another file: the same chunks and the same index.
#[test]
fn chunks_can_be_copied_as_they_are() {
    for seed in 0..20 {
        let (bytes, _) = drawn(seed);
        let header = contents(&bytes, op::HEADER).remove(0);
        let plain = options(1);
        let mut writer = Writer::create_as_is(Vec::new(), &header, plain).unwrap();
        let mut seq_last = BTreeMap::new();
        let index = contents(&bytes, op::CHUNK_INDEX).remove(0);
        let index = ca3_wire::records::ChunkIndex::from_content(&index, 0).unwrap();
        for entry in &index.entries {
            seq_last.insert(entry.chunk_offset, entry.seq_last);
        }
        let whole = support::records(&bytes);
        let data = whole.iter().take_while(|it| it.0 != op::CHUNK_INDEX);
        let mut declared = std::collections::BTreeSet::new();
        for (opcode, offset, content) in data {
            let offset = u64::try_from(*offset).unwrap();
            match *opcode {
                op::SCHEMA | op::STREAM if declared.insert(content.clone()) => {
                    writer.record(*opcode, content).unwrap();
                }
                op::CHUNK | op::COLUMNAR_CHUNK => {
                    writer.align(0, 1).unwrap();
                    let last = seq_last[&offset];
                    writer.chunk_as_is(*opcode, content, last).unwrap();
                }
                _ => {}
            }
        }
        let copy = writer.seal().unwrap().sink;
        assert_eq!(contents(&copy, op::HEADER), [header]);
        for opcode in [op::CHUNK, op::COLUMNAR_CHUNK] {
            assert_eq!(contents(&copy, opcode), contents(&bytes, opcode));
        }
        let again = contents(&copy, op::CHUNK_INDEX).remove(0);
        let again = ca3_wire::records::ChunkIndex::from_content(&again, 0).unwrap();
        let facts = |entries: &[ca3_wire::records::IndexEntry]| -> Vec<_> {
            let moved = |entry: &ca3_wire::records::IndexEntry| ca3_wire::records::IndexEntry {
                chunk_offset: 0,
                ..*entry
            };
            entries.iter().map(moved).collect()
        };
        assert_eq!(facts(&again.entries), facts(&index.entries), "seed {seed}");
    }
}
