//! No cut and no byte makes the reader panic, hang, or claim too much.

use super::build::{chunk_content, schema, stream};
use super::*;
use ca3_spec::opcode::op;
use ca3_wire::Codec;
use ca3_wire::records::{
    Annotations, Attachment, Checkpoint, ClockBlock, MessageOffsets, Metadata, Record, Session,
};

/// A sealed file with one of everything.
fn everything() -> File {
    let mut file = File::with_stream();
    file.record(&stream(2, 0));
    file.chunk(1, 1);
    file.raw(op::CHUNK, &chunk_content(2, Codec::ZSTD, 2));
    file.columnar(1, Codec::NONE, 3);
    file.columnar(1, Codec::ZSTD, 4);
    let at = file.length();
    let checkpoint = Checkpoint {
        checkpoint_seq: 1,
        schemas: vec![schema(1).content().unwrap()],
        streams: vec![stream(2, 0).content().unwrap()],
        index_entries: vec![Default::default()],
        self_offset: at,
        ..Checkpoint::default()
    };
    file.record(&checkpoint);
    file.record(&Session::default());
    file.record(&Metadata::default());
    file.record(&Attachment::default());
    file.record(&Annotations::default());
    file.raw(op::PADDING, &[0; 4]);
    file.raw(op::INTEGRITY, b"x");
    file.raw(0xC1, b"y");
    file.chunk(1, 5);
    file.sealed_with(|file| {
        file.record(&schema(1));
        file.record(&stream(1, 1));
        file.record(&Session::default());
        file.record(&ClockBlock::default());
        file.record(&MessageOffsets::default());
    })
}

/// Every field of every record survives: nothing but truncation is ever named
/// in a prefix, and what it returns is a prefix of the whole.
#[test]
fn every_prefix_is_a_part_of_the_whole() {
    let file = everything();
    let whole = accepted(&file);
    assert!(whole.complete && whole.problems.is_empty());
    assert_eq!(payloads(&whole), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    for cut in 0..file.bytes.len() {
        let Ok(part) = read_bytes(&file.bytes[..cut]) else {
            assert!(cut < 200, "cut at {cut}");
            continue;
        };
        assert!(!part.sealed && !part.complete, "cut at {cut}");
        assert!(whole.messages.starts_with(&part.messages), "cut at {cut}");
        let stopped_at = part.stopped_at.unwrap().0;
        assert!(stopped_at <= u64::try_from(cut).unwrap());
        for problem in &part.problems {
            assert_eq!(problem.kind, Kind::TruncatedRecord, "cut at {cut}");
            assert_eq!(problem.offset.unwrap().0, stopped_at);
        }
    }
}

#[test]
fn no_byte_makes_it_panic() {
    let file = everything();
    for at in 0..file.bytes.len() {
        let byte = file.bytes[at];
        for other in [
            0x00,
            0xFF,
            byte.wrapping_add(1),
            byte.wrapping_sub(1),
            byte ^ 0x80,
        ] {
            let mut bytes = file.bytes.clone();
            bytes[at] = other;
            if let Err(report) = read_bytes(&bytes) {
                assert!(!report.message.is_empty());
            }
            // The same fault in a file whose tail is missing.
            let _ = read_bytes(&bytes[..bytes.len() - 1]);
        }
    }
}

/// A file's bytes from a disk are the same as from memory.
#[test]
fn a_file_on_a_disk_reads_alike() {
    let file = everything();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.ca3");
    std::fs::write(&path, &file.bytes).unwrap();
    let read = super::super::read_path(&path, &Limits::default()).unwrap();
    assert_eq!(read, accepted(&file));
}
