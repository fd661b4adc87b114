use super::*;
use crate::columnar::encode_columnar;
use crate::frame::framed;
use crate::rows::encode_chunk;
use crate::{Codec, OwnedMessage};

fn message(stamp: u64) -> OwnedMessage {
    OwnedMessage {
        monotonic_timestamp_ns: stamp,
        wall_clock_ns: Some(stamp + 5),
        payload: vec![7; 3],
        ..OwnedMessage::default()
    }
}

fn record<R: Record>(record: &R) -> Vec<u8> {
    framed(R::OPCODE, &record.content().unwrap())
}

/// A file with one of everything.
fn file() -> Vec<u8> {
    let messages = [message(3), message(9)];
    let mut file = MAGIC.to_vec();
    file.extend(record(&Header::default()));
    file.extend(record(&Schema {
        schema_ref: 1,
        ..Schema::default()
    }));
    file.extend(record(&Stream {
        stream_ref: 1,
        ..Stream::default()
    }));
    for codec in [Codec::NONE, Codec::ZSTD] {
        let (header, blob) = encode_chunk(1, codec, &messages).unwrap();
        file.extend(framed(
            op::CHUNK,
            &[header.content().unwrap(), blob].concat(),
        ));
        let (header, columns, blocks) = encode_columnar(1, codec, &messages).unwrap();
        let content = [header.content().unwrap(), columns, blocks].concat();
        file.extend(framed(op::COLUMNAR_CHUNK, &content));
    }
    file.extend(record(&Checkpoint::default()));
    file.extend(record(&Session::default()));
    file.extend(record(&Metadata::default()));
    file.extend(record(&Attachment::default()));
    file.extend(record(&Annotations::default()));
    file.extend(framed(op::PADDING, &[0; 5]));
    file.extend(framed(0xC0, b"private"));
    file.extend(record(&ChunkIndex {
        entries: vec![Default::default()],
    }));
    file.extend(record(&StreamDirectory {
        entries: vec![Default::default()],
    }));
    file.extend(record(&ClockBlock::default()));
    file.extend(record(&Statistics::default()));
    file.extend(record(&MessageOffsets::default()));
    file.extend(record(&SummaryOffset::default()));
    file.extend(record(&Footer::default()));
    file.extend(MAGIC);
    file
}

#[test]
fn every_byte_of_a_whole_file_is_named_once() {
    let file = file();
    let pieces = annotate(&file);
    let names: Vec<_> = pieces.iter().map(|piece| piece.name).collect();
    assert_eq!(names.first(), Some(&"magic"));
    assert_eq!(names.last(), Some(&"magic"));
    assert_eq!(names.len(), 21 + 2);
    let mut next = 0;
    for piece in &pieces {
        assert_eq!(piece.error, None, "{}", piece.name);
        assert_eq!(piece.offset, next);

        for span in &piece.spans {
            assert!(span.offset >= next, "{} {}", piece.name, span.field);
            if span.offset > next {
                panic!("{} has nothing for {next}, then {}", piece.name, span.field);
            }
            next += span.length;
        }
    }
    assert_eq!(next, wide(file.len()));
}

#[test]
fn messages_tables_and_trailers_are_named() {
    let fields: Vec<String> = annotate(&file())
        .into_iter()
        .flat_map(|piece| piece.spans)
        .map(|span| span.field)
        .collect();
    for field in [
        "required_features",
        "message[1].stamp_delta",
        "message[1].wall_clock_ns",
        "message[1].payload",
        "records",
        "trailer.sentinel",
        "entries[0].chunk_offset",
        "entries[0].sync_domain",
        "summary_crc",
    ] {
        assert!(fields.iter().any(|name| name == field), "{field}");
    }
}

#[test]
fn a_record_that_does_not_decode_is_noted_and_stepped_over() {
    let mut file = MAGIC.to_vec();
    file.extend(framed(op::SCHEMA, &[1, 0, 0]));
    file.extend(record(&Footer::default()));
    let pieces = annotate(&file);
    assert_eq!(pieces[1].error.as_ref().unwrap().field, "Schema.schema_ref");
    assert_eq!(pieces[2].name, "Footer");
    assert_eq!(pieces[2].error, None);
    file.extend([op::CHUNK, 0xFF]);
    let tail = annotate(&file).pop().unwrap();
    assert_eq!(
        (tail.name, tail.opcode, tail.content_length),
        ("tail", None, 2)
    );
    assert!(tail.error.is_some());
}

#[test]
fn spans_are_capped() {
    let offsets = (0..20_000).collect();
    let mut file = MAGIC.to_vec();
    file.extend(record(&MessageOffsets {
        chunk_offset: 0,
        offsets,
    }));
    let pieces = annotate(&file);
    assert_eq!(pieces[1].spans.len(), MAX_SPANS + 2);
    assert_eq!(pieces[1].error, None);
}

#[test]
fn no_cut_and_no_byte_makes_it_panic() {
    let file = file();
    for at in 0..file.len() {
        let pieces = annotate(&file[..at]);
        let last = pieces.last().unwrap();
        assert!(last.offset + last.content_length <= wide(at));
        for other in [
            0x00,
            0xFF,
            file[at].wrapping_add(1),
            file[at].wrapping_sub(1),
        ] {
            let mut file = file.clone();
            file[at] = other;
            annotate(&file);
        }
    }
}
