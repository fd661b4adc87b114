//! What a file gives back whose writer stopped (readings G20, G55, G56, G72).

use super::build::{blob_content, chunk_content, schema, stream};
use super::*;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Decimal;
use ca3_wire::Codec;
use ca3_wire::records::{Checkpoint, ClockBlock, Footer, Header, Record, Session};

/// Reads a file that is not sealed; whatever is in it, it never claims to be whole.
fn part(file: &File) -> ReadResult {
    let result = accepted(file);
    assert!(!result.sealed && !result.complete);
    result
}

#[test]
fn a_file_that_ends_between_records_is_read_to_its_end() {
    let mut file = File::with_stream();
    file.chunk(1, 1);
    let result = part(&file);
    assert_eq!(result.stopped_at, Some(Decimal(file.length())));
    assert_eq!(payloads(&result), [1, 1]);
    assert!(result.problems.is_empty());
    assert!(part(&File::new()).messages.is_empty());
}

#[test]
fn a_record_that_is_cut_is_named_and_what_came_before_is_kept() {
    let mut file = File::with_stream();
    file.chunk(1, 1);
    let second = file.chunk(1, 2);
    for cut in second + 1..file.length() {
        let file = File {
            bytes: file.bytes[..usize::try_from(cut).unwrap()].to_vec(),
        };
        let result = part(&file);
        assert_eq!(result.stopped_at, Some(Decimal(second)));
        assert_eq!(problems(&result), [(Kind::TruncatedRecord, Some(second))]);
        assert_eq!(payloads(&result), [1, 1]);
    }
}

#[test]
fn without_a_whole_header_there_is_nothing_to_give_back() {
    let file = File::new();
    for cut in 8..file.bytes.len() {
        let report = read_bytes(&file.bytes[..cut]).unwrap_err();
        assert_eq!(report.kind, Kind::TruncatedRecord, "cut at {cut}");
    }
}

/// Reading G48: the leading magic is not the trailing one.
#[test]
fn the_magic_alone_is_no_sealed_file() {
    assert_eq!(refused(&File::magic()).kind, Kind::TruncatedRecord);
    let mut file = File::magic();
    file.bytes.extend(ca3_spec::MAGIC);
    assert!(read_bytes(&file.bytes).is_err());
}

/// Reading G86.
#[test]
fn a_file_cut_inside_its_trailing_magic_is_not_sealed() {
    let mut file = File::with_stream();
    file.chunk(1, 1);
    let whole = file.sealed();
    for cut in 1..=8 {
        let file = File {
            bytes: whole.bytes[..whole.bytes.len() - cut].to_vec(),
        };
        let result = part(&file);
        assert_eq!(payloads(&result), [1, 1]);
        assert_eq!(result.problems.is_empty(), cut == 8, "cut by {cut}");
    }
    let mut longer = whole.clone();
    longer.bytes.push(0);
    assert_eq!(part(&longer).problems[0].kind, Kind::UnknownOpcode);
}

#[test]
fn an_oddity_stops_the_walk_and_is_named() {
    let map_order = {
        let mut content = Session::default().content().unwrap();
        content.truncate(content.len() - 4);
        content.extend([
            2, 0, 0, 0, 1, 0, 0, 0, b'b', 0, 0, 0, 0, 1, 0, 0, 0, b'a', 0, 0, 0, 0,
        ]);
        content
    };
    for (opcode, content, kind) in [
        (0x00, vec![], Kind::InvalidOpcode),
        (0x2A, vec![1], Kind::UnknownOpcode),
        (0xBF, vec![1], Kind::UnknownOpcode),
        (0x0C, vec![], Kind::ReservedOpcode),
        (op::SESSION, map_order, Kind::MapOrder),
        (
            op::SCHEMA,
            schema(0).content().unwrap(),
            Kind::ZeroReference,
        ),
        (
            op::STREAM,
            stream(1, 0).content().unwrap(),
            Kind::DuplicateReference,
        ),
        (
            op::HEADER,
            Header::default().content().unwrap(),
            Kind::BadOrder,
        ),
        (op::CLOCK_BLOCK, vec![0xFF; 16], Kind::BadLength),
    ] {
        let mut file = File::with_stream();
        file.chunk(1, 1);
        let odd = file.raw(opcode, &content);
        file.chunk(1, 2);
        let result = part(&file);
        assert_eq!(problems(&result), [(kind, Some(odd))]);
        assert_eq!(result.stopped_at, Some(Decimal(odd)));
        assert_eq!(payloads(&result), [1, 1]);
        assert_eq!(result.session, None);
    }
}

#[test]
fn a_whole_chunk_that_does_not_decode_is_withheld_and_the_walk_goes_on() {
    let mut damaged = chunk_content(1, Codec::NONE, 2);
    *damaged.last_mut().unwrap() ^= 1;
    for (content, kind) in [
        (damaged, Kind::BadCrc),
        // The first message is sound, and withheld with the second.
        (
            blob_content(1, 0, 2, &[2, 0, 2, 2, 0x80, 0]),
            Kind::VarintNotCanonical,
        ),
        (chunk_content(9, Codec::NONE, 2), Kind::UnresolvedReference),
    ] {
        let mut file = File::with_stream();
        file.chunk(1, 1);
        let odd = file.raw(op::CHUNK, &content);
        file.chunk(1, 3);
        let result = part(&file);
        assert_eq!(problems(&result), [(kind, Some(odd))]);
        assert_eq!(payloads(&result), [1, 1, 3, 3]);
        assert_eq!(result.stopped_at, Some(Decimal(file.length())));
        assert_eq!(result.streams.len(), 1);
    }
}

#[test]
fn a_checkpoint_that_does_not_verify_is_named_and_lends_nothing() {
    let checkpoint = Checkpoint {
        streams: vec![stream(2, 0).content().unwrap()],
        ..Checkpoint::default()
    };
    let mut content = checkpoint.content().unwrap();
    content[0] ^= 1;
    let mut file = File::with_stream();
    let damaged = file.raw(op::CHECKPOINT, &content);
    let chunk = file.chunk(2, 2);
    file.chunk(1, 1);
    let result = part(&file);
    let expected = [
        (Kind::BadCrc, Some(damaged)),
        (Kind::UnresolvedReference, Some(chunk)),
    ];
    assert_eq!(problems(&result), expected);
    assert_eq!(payloads(&result), [1, 1]);
}

#[test]
fn a_stream_whose_schema_never_came_is_named() {
    let mut file = File::new();
    let offset = file.record(&stream(4, 7));
    let result = part(&file);
    assert_eq!(
        problems(&result),
        [(Kind::UnresolvedReference, Some(offset))]
    );
    assert_eq!(result.problems[0].stream_ref, Some(4));
}

/// Reading G76.
#[test]
fn a_summary_without_its_footer_repeats_in_silence() {
    let mut file = File::with_stream();
    file.chunk(1, 1);
    file.record(&schema(1));
    file.record(&stream(1, 1));
    file.record(&ClockBlock::default());
    let result = part(&file);
    assert!(result.problems.is_empty());
    assert_eq!((result.schemas.len(), result.streams.len()), (1, 1));
}

#[test]
fn nothing_stands_behind_a_footer() {
    let mut file = File::with_stream();
    file.record(&Footer::default());
    let behind = file.chunk(1, 1);
    assert_eq!(problems(&part(&file)), [(Kind::BadOrder, Some(behind))]);
}
