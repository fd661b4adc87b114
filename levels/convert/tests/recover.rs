//! What is saved of files that were cut, spoilt, or are whole.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "a test may fail"
)]

mod support;

use ca3_convert::Failure;
use ca3_convert::statement::{Cause, Counters, EndState, HoleKind};
use ca3_reader::l4::Method;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Decimal;
use ca3_wire::crc;
use ca3_wire::records::{
    AnnotationEntry, Annotations, ChunkHeader, Header, Record, Statistics, Stream, StreamDirectory,
};
use ca3_writer::{Layout, Options, Writer};
use support::{Bench, abandoned, chunks, end_of, findings, metadata, of, read, records, sealed};

/// Whatever lies whole in front of the cut comes back, and nothing else.
fn cut_anywhere(bytes: &[u8]) {
    let bench = Bench::new();
    let whole = records(bytes);
    let header_end = end_of(&whole[0]);
    for cut in 0..bytes.len() {
        let made = bench.recovered(&bytes[..cut]);
        if cut < header_end {
            assert!(matches!(made, Err(Failure::Source(_))), "cut at {cut}");
            continue;
        }
        let (statement, output) = made.unwrap_or_else(|failure| panic!("cut at {cut}: {failure}"));
        let before: Vec<_> = whole
            .iter()
            .filter(|record| end_of(record) <= cut)
            .cloned()
            .collect();
        let made = records(&output);
        assert_eq!(chunks(&made), chunks(&before), "cut at {cut}");
        assert_eq!(findings(&output), Vec::<String>::new(), "cut at {cut}");
        assert!(statement.lost && statement.end_missing());
        let told = read(&output).messages.len();
        assert_eq!(statement.messages.0, u64::try_from(told).unwrap());
        // A Stream that came through is in the output, messages or not.
        let streams = read(&output).streams.len();
        assert_eq!(
            streams,
            of(&before, op::STREAM).len().min(3),
            "cut at {cut}"
        );
    }
}

#[test]
fn a_file_cut_at_every_byte() {
    cut_anywhere(&abandoned(None, 6));
}

#[test]
fn a_file_with_checkpoints_cut_at_every_byte() {
    cut_anywhere(&abandoned(Some(2), 5));
}

#[test]
fn what_is_carried_over_is_as_it_was() {
    let bench = Bench::new();
    let bytes = abandoned(Some(3), 8);
    let (statement, output) = bench.recovered(&bytes).unwrap();
    let (before, after) = (records(&bytes), records(&output));
    let mut data: Vec<_> = after
        .iter()
        .take_while(|it| it.0 != op::CHUNK_INDEX)
        .filter(|it| it.0 != op::PADDING)
        .map(|it| (it.0, it.2.clone()))
        .collect();
    // The Header, the definitions, and then all in the order in which it was.
    let mut expected = Vec::new();
    let kept = |opcodes: &[u8]| -> Vec<_> {
        let own = before.iter().filter(|it| opcodes.contains(&it.0));
        own.map(|it| (it.0, it.2.clone())).collect()
    };
    expected.extend(kept(&[op::HEADER]));
    expected.extend(kept(&[op::SCHEMA]));
    expected.extend(kept(&[op::STREAM]));
    expected.extend(kept(&[
        op::SESSION,
        op::CHUNK,
        op::COLUMNAR_CHUNK,
        op::METADATA,
        op::ATTACHMENT,
        0xC5,
    ]));
    // Behind that: where it comes from, then definitions and Session again.
    let rest = data.split_off(expected.len());
    assert_eq!(data, expected);
    let rest: Vec<u8> = rest.iter().map(|it| it.0).collect();
    assert_eq!(rest, [0x40, 0x40, 0x03, 0x04, 0x04, 0x04, 0x06]);
    let derived_from = metadata(&after, "ca3.derived_from");
    let sum = format!("{:08x}", crc::crc32c(&bytes));
    let length = bytes.len().to_string();
    assert_eq!(derived_from.get("name"), Some("in.ca3"));
    assert_eq!(derived_from.get("length"), Some(length.as_str()));
    assert_eq!(derived_from.get("crc32c"), Some(sum.as_str()));
    assert_eq!(statement.source.crc32c, sum);
    let recovered = metadata(&after, "ca3.recovered");
    assert_eq!(recovered.get("method"), Some("checkpoint-chain"));
    assert_eq!(recovered.get("stopped_at"), Some(length.as_str()));
    assert_eq!(recovered.get("stop_reason"), Some("end-of-file"));
    assert_eq!(recovered.get("recorder_counters"), Some("unknown"));
    let messages = read(&output).messages.len().to_string();
    assert_eq!(recovered.get("messages"), Some(messages.as_str()));
    // The clock block of the last checkpoint.
    let clock = of(&after, op::CLOCK_BLOCK);
    assert_eq!(clock, [support::clock().content().unwrap()]);
}

/// A source that is whole loses nothing: not even what the recorder knew.
#[test]
fn a_whole_file_loses_nothing() {
    let bench = Bench::new();
    for checkpoints in [None, Some(2)] {
        let bytes = sealed(checkpoints, 8);
        let (statement, output) = bench.recovered(&bytes).unwrap();
        assert!(!statement.lost, "{statement:?}");
        assert_eq!(statement.method, Method::Summary);
        assert_eq!(statement.recorder_counters, Counters::Kept);
        assert_eq!(read(&output).messages, read(&bytes).messages);
        let row = |bytes: &[u8]| {
            let content = of(&records(bytes), op::STREAM_DIRECTORY).remove(0);
            let mut rows = StreamDirectory::from_content(&content, 0).unwrap().entries;
            rows.remove(0)
        };
        assert_eq!(row(&output), row(&bytes));
        assert_eq!(row(&output).dropped_by_queue, 5);
        let content = of(&records(&output), op::STATISTICS).remove(0);
        let statistics = Statistics::from_content(&content, 0).unwrap();
        assert_eq!(statistics.streams[0].max_queue_depth, 6);
        assert_eq!(of(&records(&output), op::SESSION).len(), 3);
        assert_eq!(findings(&output), Vec::<String>::new());
        // A second time, there is nothing new but where it comes from.
        let (again, twice) = bench.recovered(&output).unwrap();
        assert!(!again.lost);
        assert_eq!(chunks(&records(&twice)), chunks(&records(&output)));
        assert_eq!(of(&records(&twice), op::METADATA).len(), 5);
    }
}

#[test]
fn a_chunk_whose_checksum_does_not_hold_is_withheld_and_told() {
    let bench = Bench::new();
    let mut bytes = sealed(None, 6);
    let placed = records(&bytes);
    let spoilt = placed.iter().find(|it| it.0 == op::CHUNK).unwrap();
    bytes[end_of(spoilt) - 1] ^= 1;
    let (statement, output) = bench.recovered(&bytes).unwrap();
    assert!(statement.lost && !statement.end_missing());
    let [withheld] = statement.chunks.withheld.as_slice() else {
        panic!("{:?}", statement.chunks);
    };
    assert_eq!(withheld.offset.0, u64::try_from(spoilt.1).unwrap());
    assert_eq!(withheld.kind, Kind::BadCrc);
    let expected: Vec<_> = chunks(&placed).split_off(1);
    assert_eq!(chunks(&records(&output)), expected);
    // The recorder's numbers are still those of the whole.
    assert_eq!(statement.recorder_counters, Counters::Kept);
}

/// Metadata and Attachments that do not hold are left out, each by its reason.
#[test]
fn records_that_do_not_hold_are_left_out_and_told() {
    let bench = Bench::new();
    let whole = abandoned(None, 8);
    let placed = records(&whole);
    let at = |opcode: u8| placed.iter().find(|it| it.0 == opcode).unwrap();
    for (opcode, kind, spoil) in [
        (op::METADATA, Kind::BadUtf8, at(op::METADATA).1 + 9 + 4),
        (op::ATTACHMENT, Kind::BadCrc, end_of(at(op::ATTACHMENT)) - 6),
    ] {
        let mut bytes = whole.clone();
        bytes[spoil] ^= 0xFF;
        let (statement, output) = bench.recovered(&bytes).unwrap();
        let named = statement.damaged.iter().map(|it| it.kind);
        let words = statement.holes.iter().map(|it| it.message.as_str());
        let mut told = words
            .map(str::to_owned)
            .chain(named.map(|it| it.to_string()));
        assert!(told.any(|it| it.contains(kind.as_str())), "{statement:?}");
        assert!(statement.lost);
        let after = records(&output);
        let ours = if opcode == op::METADATA { 2 } else { 0 };
        assert_eq!(of(&after, opcode).len(), ours);
        assert_eq!(chunks(&after), chunks(&placed));
    }
}

/// §5.9, with everything in front of the chunks moved by a record left out.
#[test]
fn a_boundary_survives_a_shift() {
    let bench = Bench::new();
    for boundary in [1u32, 2, 8, 16, 64, 4096] {
        for filler in 0..24 {
            let header = Header {
                monotonic_source: "a clock".to_owned(),
                ..Header::default()
            };
            let options = Options {
                checkpoint_chunks: None,
                ..Options::default()
            };
            let mut writer = Writer::create(Vec::new(), header, options).unwrap();
            let stream = Stream {
                stream_ref: 1,
                topic: "t".to_owned(),
                block_alignment: boundary,
                ..Stream::default()
            };
            writer.stream(&stream, Layout::Rows).unwrap();
            writer.record(op::PADDING, &vec![0; filler]).unwrap();
            for stamp in 1..4 {
                let message = ca3_wire::OwnedMessage {
                    monotonic_timestamp_ns: stamp,
                    payload: vec![7; 40],
                    ..ca3_wire::OwnedMessage::default()
                };
                writer.message(1, message).unwrap();
            }
            let bytes = writer.abandon().sink;
            let (_, output) = bench.recovered(&bytes).unwrap();
            assert_eq!(
                findings(&output),
                Vec::<String>::new(),
                "{boundary} {filler}"
            );
            assert_eq!(chunks(&records(&output)), chunks(&records(&bytes)));
        }
    }
}

/// §12: an interval's first chunk is named by its new place.
#[test]
fn annotations_follow_their_chunks() {
    let bench = Bench::new();
    let mut writer = support::recording(None, 6);
    writer.flush(1).unwrap();
    let unfinished = writer.abandon().sink;
    let chunk = records(&unfinished)
        .into_iter()
        .find(|it| it.0 == op::CHUNK && it.2.starts_with(&[1, 0, 0, 0]))
        .unwrap();
    let entry = |first_chunk_offset: usize| AnnotationEntry {
        stream_ref: 1,
        start_stamp_ns: 10,
        end_stamp_ns: 11,
        first_chunk_offset: u64::try_from(first_chunk_offset).unwrap(),
        ..AnnotationEntry::default()
    };
    let with = |entry: AnnotationEntry| {
        let annotations = Annotations {
            keys: vec!["trial".to_owned()],
            values: vec!["1".to_owned()],
            entries: vec![entry],
        };
        let content = annotations.content().unwrap();
        let mut bytes = unfinished.clone();
        bytes.extend(ca3_wire::frame::framed(op::ANNOTATIONS, &content));
        bytes
    };
    let (statement, output) = bench.recovered(&with(entry(chunk.1))).unwrap();
    let after = records(&output);
    let moved = of(&after, op::ANNOTATIONS).remove(0);
    let moved = Annotations::from_content(&moved, 0).unwrap().entries[0];
    let place = usize::try_from(moved.first_chunk_offset).unwrap();
    let there = after.iter().find(|it| it.1 == place).unwrap();
    assert_eq!(there.2, chunk.2);
    assert_eq!(findings(&output), Vec::<String>::new());
    assert!(statement.not_carried.iter().all(|it| it.opcode != 0x45));
    // One that names no chunk of the output says nothing that is true of it.
    let (statement, output) = bench.recovered(&with(entry(chunk.1 + 1))).unwrap();
    assert!(of(&records(&output), op::ANNOTATIONS).is_empty());
    assert!(statement.not_carried.iter().any(|it| it.opcode == 0x45));
}

/// An index that leaves a chunk out, under a checksum that holds.
#[test]
fn a_chunk_that_the_index_leaves_out_is_found() {
    use ca3_wire::records::{ChunkIndex, Footer};
    let bench = Bench::new();
    let mut bytes = sealed(None, 6);
    let placed = records(&bytes);
    let index = placed.iter().find(|it| it.0 == op::CHUNK_INDEX).unwrap();
    let mut table = ChunkIndex::from_content(&index.2, 0).unwrap();
    let dropped = table.entries.remove(0);
    // As long as before, so that nothing moves: another copy in its place.
    table.entries.insert(0, table.entries[0]);
    bytes[index.1 + 9..end_of(index)].copy_from_slice(&table.content().unwrap());
    let footer = bytes.len() - 45;
    let mut stated = Footer::from_content(&bytes[footer + 9..footer + 37], 0).unwrap();
    let start = usize::try_from(stated.summary_start).unwrap();
    let end = usize::try_from(stated.summary_offset_start).unwrap();
    stated.summary_crc = crc::crc32c(&bytes[start..end]);
    bytes[footer + 9..footer + 37].copy_from_slice(&stated.content().unwrap());
    let (_, output) = bench.recovered(&bytes).unwrap();
    assert_eq!(chunks(&records(&output)), chunks(&placed));
    assert!(dropped.chunk_offset > 0);
}

/// A chunk without messages holds nothing (reading G12).
#[test]
fn a_chunk_of_no_messages_is_left_out() {
    let bench = Bench::new();
    let mut bytes = abandoned(None, 4);
    let before = chunks(&records(&bytes));
    let empty = ChunkHeader {
        stream_ref: 1,
        ..ChunkHeader::default()
    };
    bytes.extend(ca3_wire::frame::framed(
        op::CHUNK,
        &empty.content().unwrap(),
    ));
    let (statement, output) = bench.recovered(&bytes).unwrap();
    assert_eq!(chunks(&records(&output)), before);
    assert!(statement.chunks.withheld.is_empty() && statement.holes.is_empty());
}

/// A second recovery loses nothing more, and still says what the first one lost.
#[test]
fn what_was_lost_before_is_said_again() {
    let bench = Bench::new();
    let (first, once) = bench.recovered(&abandoned(Some(2), 6)).unwrap();
    assert!(first.lost && first.earlier.is_empty());
    let (second, twice) = bench.recovered(&once).unwrap();
    assert!(!second.lost);
    assert_eq!(second.recorder_counters, Counters::Unknown);
    let [earlier] = second.earlier.as_slice() else {
        panic!("{:?}", second.earlier);
    };
    assert!(earlier.has_lost() && earlier.end_missing);
    assert_eq!(earlier.name.as_deref(), Some("in.ca3"));
    assert_eq!(earlier.crc32c.as_ref(), Some(&first.source.crc32c));
    let (third, _) = bench.recovered(&twice).unwrap();
    assert!(!third.lost);
    assert_eq!(third.recorder_counters, Counters::Unknown);
    assert_eq!(third.earlier.len(), 2);
    assert!(!third.earlier[1].end_missing);
    // A copy of a whole file had lost nothing.
    let (_, copy) = bench.recovered(&sealed(None, 6)).unwrap();
    let (of_copy, _) = bench.recovered(&copy).unwrap();
    assert_eq!(of_copy.recorder_counters, Counters::Kept);
    assert!(of_copy.earlier.iter().all(|it| !it.has_lost()));
}

/// A whole Footer and a summary that verifies: the recording has its end.
#[test]
fn only_the_magic_or_something_behind_it_is_wrong() {
    let bench = Bench::new();
    for checkpoints in [None, Some(2)] {
        let whole = sealed(checkpoints, 6);
        let end = whole.len() - 8;
        let with = |rest: &[u8]| [&whole[..end], rest].concat();
        let magic = ca3_spec::MAGIC;
        let zeros = [magic.as_slice(), &[0; 64]].concat();
        let ones = [magic.as_slice(), &[0xFF; 5]].concat();
        for (rest, state, behind) in [
            (&zeros[..], EndState::BytesBehind, 64),
            (&ones[..], EndState::BytesBehind, 5),
            (&magic[..5], EndState::MagicDamaged, 5),
            (&[], EndState::MagicDamaged, 0),
            (&[0; 8], EndState::MagicDamaged, 8),
        ] {
            let bytes = with(rest);
            let (statement, output) = bench.recovered(&bytes).unwrap();
            assert!(!statement.lost && !statement.end_missing(), "{statement:?}");
            assert_eq!(statement.end.state, state);
            assert_eq!(statement.end.bytes_behind.0, behind);
            assert_eq!(statement.method, Method::Summary);
            assert_eq!(statement.recorder_counters, Counters::Kept);
            assert_eq!(read(&output).messages, read(&whole).messages);
            let derived = metadata(&records(&output), "ca3.derived_from");
            let (length, sum) = (bytes.len().to_string(), crc::crc32c(&bytes));
            assert_eq!(derived.get("length"), Some(length.as_str()));
            assert_eq!(derived.get("crc32c"), Some(format!("{sum:08x}").as_str()));
        }
        // The summary does not verify: it is no end to be believed.
        let mut spoilt = with(&magic[..5]);
        spoilt[end - 1] ^= 1;
        let (statement, _) = bench.recovered(&spoilt).unwrap();
        assert!(statement.lost && statement.end_missing());
    }
}

/// Every hole says what stood there, and whether anything is lost with it.
#[test]
fn holes_say_what_stood_there() {
    let bench = Bench::new();
    let whole = abandoned(Some(2), 8);
    let placed = records(&whole);
    let hole = |bytes: &[u8], at: usize| {
        let (statement, _) = bench.recovered(bytes).unwrap();
        let found = statement.holes.iter().find(|it| it.from.0 == at as u64);
        let found = found.unwrap_or_else(|| panic!("{statement:?}"));
        (found.kind, found.lost)
    };
    let nth = |opcode: u8, n: usize| placed.iter().filter(|it| it.0 == opcode).nth(n).unwrap();
    let spoilt = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xFF;
        bytes
    };
    let checkpoint = nth(op::CHECKPOINT, 0);
    let bytes = spoilt(end_of(checkpoint) - 1);
    assert_eq!(hole(&bytes, checkpoint.1), (HoleKind::Checkpoint, false));
    // A topic that is no UTF-8; a checkpoint has it as it was.
    let stream = nth(op::STREAM, 1);
    let topic = stream.1 + 9 + 4 + 4 + 4;
    assert_eq!(
        hole(&spoilt(topic), stream.1),
        (HoleKind::Definition, false)
    );
    let notes = nth(op::METADATA, 0);
    assert_eq!(
        hole(&spoilt(notes.1 + 9 + 4), notes.1),
        (HoleKind::Record, true)
    );
    // No opcode: the walk goes on from a checkpoint behind it.
    let mut bytes = whole.clone();
    bytes[notes.1] = 0;
    assert_eq!(hole(&bytes, notes.1), (HoleKind::Damage, true));
    let (statement, _) = bench.recovered(&bytes).unwrap();
    let [first, second, ..] = statement.walks.as_slice() else {
        panic!("{:?}", statement.walks);
    };
    assert_eq!(first.to.0, notes.1 as u64);
    assert!(first.kind.is_some() && second.from > first.to);
    // The file ends within a record, or in zeros.
    let last = placed.last().unwrap();
    let cut = &whole[..end_of(last) - 1];
    assert_eq!(hole(cut, last.1), (HoleKind::Unfinished, true));
    let zeros = [whole.as_slice(), &[0; 40]].concat();
    assert_eq!(hole(&zeros, whole.len()), (HoleKind::Zeros, true));
    // The Footer of a sealed file.
    let mut bytes = sealed(Some(2), 8);
    let footer = bytes.len() - 45;
    bytes[footer..footer + 37].fill(0xFF);
    assert_eq!(hole(&bytes, footer), (HoleKind::Footer, false));
}

/// Which link of the chain does not hold.
#[test]
fn a_broken_link_is_named() {
    let bench = Bench::new();
    let mut bytes = abandoned(Some(2), 8);
    let placed = records(&bytes);
    let found = placed.iter().filter(|it| it.0 == op::CHECKPOINT);
    let found: Vec<_> = found.collect();
    let spoilt = found[1];
    bytes[end_of(spoilt) - 1] ^= 1;
    let (statement, _) = bench.recovered(&bytes).unwrap();
    assert_eq!(statement.method, Method::SpineWalk);
    let link = statement.broken_link.unwrap();
    assert_eq!(link.to.0, spoilt.1 as u64);
    assert_eq!(link.checkpoint.map(|it| it.0), Some(found[2].1 as u64));
}

/// The source's own errors, and those that follow from what was withheld.
#[test]
fn errors_that_remain_are_told_apart() {
    let bench = Bench::new();
    let cases = ca3_vectors::Corpus::embedded().cases().unwrap();
    let errors = |id: &str| {
        let case = cases.iter().find(|it| it.sidecar.id == id);
        let bytes = case.and_then(|it| it.invalid.clone()).unwrap();
        let (statement, _) = bench.recovered(&bytes).unwrap();
        let errors = statement.errors.iter();
        errors.map(|it| (it.rule, it.cause)).collect::<Vec<_>>()
    };
    for id in ["broken-frame", "stale-checksum"] {
        let found = errors(&format!("ca3/19-observations/{id}"));
        assert_eq!(found, [("CA3-10.7-05", Cause::Loss)], "{id}");
    }
    let found = errors("ca3/19-observations/one-chunk-of-two");
    assert_eq!(found, [("CA3-10.7-03", Cause::Loss)]);
    let found = errors("ca3/10.5-bounds-judged/odd-round-trip");
    assert!(found.iter().all(|it| it.1 == Cause::Source) && !found.is_empty());
}

#[test]
fn streams_say_what_came_back_of_them() {
    let bench = Bench::new();
    let bytes = abandoned(None, 6);
    let (statement, output) = bench.recovered(&bytes).unwrap();
    let read = read(&output);
    assert_eq!(statement.streams.len(), 3);
    for part in &statement.streams {
        let own = read
            .messages
            .iter()
            .filter(|it| it.stream_ref == part.stream_ref);
        let stamps: Vec<_> = own.map(|it| it.monotonic_timestamp_ns).collect();
        assert_eq!(part.topic, format!("topic/{}", part.stream_ref));
        assert_eq!(part.messages.0, stamps.len() as u64);
        assert_eq!(part.first_stamp_ns, stamps.iter().min().copied());
        assert_eq!(part.last_stamp_ns, stamps.iter().max().copied());
        // The Header has no anchor of wall time.
        assert_eq!(part.last_wall_unix_ns, None);
    }
}

/// Nothing vouches for a record's length; an index does for the chunks that it
/// would swallow.
#[test]
fn a_record_that_reaches_over_chunks_is_left_out_and_they_are_not() {
    let bench = Bench::new();
    for (whole, theirs) in [(sealed(None, 8), 0xC5), (abandoned(Some(3), 8), 0xC5)] {
        for opcode in [theirs, op::METADATA, op::SESSION, op::ATTACHMENT] {
            let placed = records(&whole);
            let of_opcode = placed.iter().rposition(|it| it.0 == opcode).unwrap();
            let of_opcode = match opcode {
                // The last is of the end.
                op::SESSION => placed.iter().position(|it| it.0 == opcode).unwrap(),
                _ => of_opcode,
            };
            let swallowing = &placed[of_opcode];
            let behind = placed[of_opcode..].iter();
            let chunk = behind.filter(|it| it.0 == op::CHUNK).nth(1).unwrap();
            let mut bytes = whole.clone();
            let length = u64::try_from(end_of(chunk) - swallowing.1 - 9).unwrap();
            bytes[swallowing.1 + 1..swallowing.1 + 9].copy_from_slice(&length.to_le_bytes());
            let (statement, output) = bench.recovered(&bytes).unwrap();
            assert_eq!(chunks(&records(&output)), chunks(&placed), "{opcode:#x}");
            assert!(statement.lost && statement.chunks.withheld.is_empty());
            let damaged = statement.damaged.iter().map(|it| it.offset);
            let at = u64::try_from(swallowing.1).unwrap();
            assert!(
                damaged.clone().any(|it| it == Some(Decimal(at))),
                "{statement:?}"
            );
        }
    }
}

/// No checksum covers a chunk's own header (§6.1): the index that verifies is
/// believed, and so is a checkpoint.
#[test]
fn a_header_that_differs_from_what_is_verified_is_damage() {
    let bench = Bench::new();
    for whole in [sealed(None, 6), abandoned(Some(2), 6)] {
        let placed = records(&whole);
        let chunk = placed.iter().find(|it| it.0 == op::CHUNK).unwrap();
        let before = ChunkHeader::from_content(&chunk.2, 0).unwrap();
        // Its stream, and the sixth byte of its least stamp and of its greatest.
        let flips: [&[usize]; 3] = [&[0], &[13 + 5], &[13 + 5, 21 + 5]];
        for flips in flips {
            let mut bytes = whole.clone();
            for at in flips {
                bytes[chunk.1 + 9 + at] ^= 3;
            }
            let (statement, output) = bench.recovered(&bytes).unwrap();
            let [withheld] = statement.chunks.withheld.as_slice() else {
                panic!("{:?}", statement.chunks);
            };
            assert_eq!(withheld.offset, Decimal(u64::try_from(chunk.1).unwrap()));
            let length = u64::try_from(9 + chunk.2.len()).unwrap();
            assert_eq!(withheld.length, Decimal(length));
            assert_eq!(withheld.stream_ref, before.stream_ref);
            assert_eq!(withheld.kind, Kind::IndexMismatch);
            assert!(
                withheld
                    .message
                    .starts_with("its header differs from what the ")
            );
            assert!(statement.lost);
            let kept = chunks(&records(&output));
            assert_eq!(kept.len() + 1, chunks(&placed).len());
            assert!(kept.iter().all(|it| chunks(&placed).contains(it)));
        }
    }
}

/// A bit turns an Attachment into Padding, and Metadata into Statistics: what
/// the summary counts tells of it.
#[test]
fn records_that_became_others_are_told_by_their_counts() {
    let bench = Bench::new();
    let whole = sealed(None, 8);
    for (opcode, other) in [(op::ATTACHMENT, op::PADDING), (op::METADATA, op::PADDING)] {
        let mut bytes = whole.clone();
        let placed = records(&whole);
        let at = placed.iter().find(|it| it.0 == opcode).unwrap().1;
        bytes[at] = other;
        let (statement, output) = bench.recovered(&bytes).unwrap();
        let [damaged] = statement.damaged.as_slice() else {
            panic!("{:?}", statement.damaged);
        };
        assert_eq!((damaged.opcode, damaged.offset), (opcode, None));
        assert!(
            damaged
                .message
                .starts_with("1 lost: the Statistics count 1")
        );
        assert!(statement.lost);
        assert_eq!(chunks(&records(&output)), chunks(&placed));
    }
}
