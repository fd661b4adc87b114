//! What refuses a sealed file, and what the refusal names.

use super::build::{blob_content, chunk_content, schema, stream};
use super::*;
use ca3_spec::opcode::op;
use ca3_spec::protocol::Decimal;
use ca3_wire::Codec;
use ca3_wire::records::{
    Checkpoint, ChunkIndex, ClockBlock, Footer, Header, Record, Session, Stream, StreamDirectory,
};

/// Seals the file and checks that it is refused with this kind, naming the
/// record at this offset.
fn check(file: File, kind: Kind, offset: u64) -> Report {
    let report = refused(&file.sealed());
    assert_eq!(
        (report.kind, report.offset),
        (kind, Some(Decimal(offset))),
        "{report:?}"
    );
    assert!(!report.message.is_empty());
    report
}

#[test]
fn every_byte_of_the_magic_counts() {
    let whole = File::new().sealed();
    for at in 0..8 {
        let mut file = whole.clone();
        file.bytes[at] ^= 0x80;
        assert_eq!(refused(&file).kind, Kind::BadMagic);
    }
    let mut file = whole;
    file.bytes[4] = b'2';
    let last = file.bytes.len() - 4;
    file.bytes[last] = b'2';
    assert_eq!(refused(&file).kind, Kind::BadMagic);
    for length in 0..8 {
        assert_eq!(
            read_bytes(&File::magic().bytes[..length]).unwrap_err().kind,
            Kind::BadMagic
        );
    }
}

#[test]
fn features_that_are_not_implemented_are_named_by_bit_and_name() {
    for (required, bits, names) in [
        (1 << 3, vec![3], vec![None]),
        (1 << 5 | 1 << 63, vec![5, 63], vec![None, None]),
        (0b111, vec![1], vec![Some("StreamCrypto".to_owned())]),
    ] {
        let file = File::with_features(required);
        for bytes in [
            file.clone().sealed().bytes,
            file.bytes.clone(),
            file.bytes[..25].to_vec(),
        ] {
            let report = read_bytes(&bytes).unwrap_err();
            assert_eq!(report.kind, Kind::UnsupportedFeature);
            assert_eq!(
                (&report.bits, &report.names),
                (&Some(bits.clone()), &Some(names.clone()))
            );
        }
    }
}

#[test]
fn opcodes_that_must_be_understood_are_named() {
    for (opcode, kind, name) in [
        (0x00, Kind::InvalidOpcode, None),
        (0x0B, Kind::ReservedOpcode, Some("ErasedChunk")),
        (0x0C, Kind::ReservedOpcode, Some("Tombstone")),
        (0x0D, Kind::ReservedOpcode, Some("StreamCrypto")),
        (0x0F, Kind::UnknownOpcode, None),
        (0x2A, Kind::UnknownOpcode, None),
        (0x3F, Kind::UnknownOpcode, None),
        (0x80, Kind::UnknownOpcode, None),
        (0xBF, Kind::UnknownOpcode, None),
    ] {
        let mut file = File::new();
        let offset = file.raw(opcode, b"abc");
        let report = check(file, kind, offset);
        assert_eq!(
            (report.opcode, report.name.as_deref()),
            (Some(opcode), name)
        );
    }
    // The partition holds in the summary too.
    let file = File::new().sealed_with(|file| {
        file.raw(0x3E, &[]);
    });
    assert_eq!(refused(&file).kind, Kind::UnknownOpcode);
}

#[test]
fn the_header_is_the_first_record_and_the_only_one() {
    let mut file = File::magic();
    file.raw(op::PADDING, &[0; 20]);
    file.record(&Header::default());
    check(file, Kind::BadOrder, 8);
    let mut file = File::new();
    let second = file.record(&Header::default());
    check(file, Kind::BadOrder, second);
    let file = File::magic().sealed();
    assert_eq!(refused(&file).kind, Kind::BadOrder);
}

#[test]
fn the_footer_is_the_last_record() {
    let whole = File::new().sealed();
    let mut file = whole.clone();
    let footer = file.bytes.len() - 45;
    file.bytes.drain(footer..footer + 37);
    assert_eq!(refused(&file).kind, Kind::BadOrder);
    let mut file = whole.clone();
    file.bytes[footer + 1] = 29;
    file.bytes.insert(footer + 37, 0);
    let report = refused(&file);
    assert_eq!(
        (report.kind, report.offset.unwrap().0),
        (Kind::BadLength, u64::try_from(footer).unwrap())
    );
    let mut file = File::new();
    file.record(&Footer::default());
    let behind = file.length();
    check(file, Kind::BadOrder, behind);
}

#[test]
fn a_length_that_does_not_fit_the_file_is_refused() {
    for (change, kind) in [
        (9i64, Kind::BadLength),
        (1 << 40, Kind::BadLength),
        (-3, Kind::Other),
    ] {
        let mut file = File::with_stream();
        let offset = file.chunk(1, 1);
        let mut file = file.sealed();
        let at = usize::try_from(offset).unwrap() + 1;
        let stated = i64::from_le_bytes(file.bytes[at..at + 8].try_into().unwrap());
        file.bytes[at..at + 8].copy_from_slice(&(stated + change).to_le_bytes());
        let report = refused(&file);
        assert!(kind == Kind::Other || report.kind == kind, "{report:?}");
    }
    let mut file = File::with_stream();
    let offset = file.chunk(1, 1);
    let mut file = file.sealed();
    let at = usize::try_from(offset).unwrap() + 1;
    file.bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let report = refused(&file);
    assert_eq!(
        (report.kind, report.offset),
        (Kind::BadLength, Some(Decimal(offset)))
    );
}

#[test]
fn contents_that_do_not_decode_are_refused() {
    let cut = |content: Vec<u8>| content[..content.len() - 1].to_vec();
    for (opcode, content) in [
        (op::SCHEMA, cut(schema(1).content().unwrap())),
        (op::STREAM, cut(stream(1, 0).content().unwrap())),
        (op::SESSION, cut(Session::default().content().unwrap())),
        (
            op::CLOCK_BLOCK,
            cut(ClockBlock::default().content().unwrap()),
        ),
        (
            op::CHUNK_INDEX,
            cut(ChunkIndex::default().content().unwrap()),
        ),
        (
            op::STREAM_DIRECTORY,
            cut(StreamDirectory::default().content().unwrap()),
        ),
    ] {
        let mut file = File::new();
        let offset = file.raw(opcode, &content);
        check(file, Kind::BadLength, offset);
    }
    let mut file = File::new();
    let mut content = schema(1).content().unwrap();
    content[8] = 0xFF;
    let offset = file.raw(op::SCHEMA, &content);
    check(file, Kind::BadUtf8, offset);
    let mut file = File::new();
    let offset = file.raw(op::CHUNK_INDEX, &[55, 0, 0, 0, 0, 0, 0, 0]);
    check(file, Kind::BadEntrySize, offset);
    let mut file = File::magic();
    let keys = [
        2, 0, 0, 0, 1, 0, 0, 0, b'b', 0, 0, 0, 0, 1, 0, 0, 0, b'a', 0, 0, 0, 0,
    ];
    let mut content = Header::default().content().unwrap();
    content.truncate(content.len() - 4);
    content.extend(keys);
    let offset = file.raw(op::HEADER, &content);
    check(file, Kind::MapOrder, offset);
}

#[test]
fn references_resolve_or_the_file_is_refused() {
    let mut file = File::with_stream();
    let offset = file.chunk(9, 1);
    assert_eq!(
        check(file, Kind::UnresolvedReference, offset).stream_ref,
        Some(9)
    );
    let mut file = File::new();
    let offset = file.record(&stream(1, 5));
    assert_eq!(
        check(file, Kind::UnresolvedReference, offset).stream_ref,
        Some(1)
    );
    let mut file = File::new();
    file.record(&stream(1, 5));
    let offset = file.chunk(1, 1);
    file.record(&schema(5));
    check(file, Kind::UnresolvedReference, offset);
    let mut file = File::new();
    let offset = file.chunk(1, 1);
    file.record(&stream(1, 0));
    check(file, Kind::UnresolvedReference, offset);
    let mut file = File::with_stream();
    let offset = file.chunk(0, 1);
    check(file, Kind::UnresolvedReference, offset);
}

#[test]
fn definitions_have_references_of_their_own() {
    let mut file = File::new();
    let offset = file.record(&schema(0));
    check(file, Kind::ZeroReference, offset);
    let mut file = File::new();
    let offset = file.record(&stream(0, 0));
    check(file, Kind::ZeroReference, offset);
    let mut file = File::with_stream();
    let mut other = schema(1);
    other.descriptor.push(4);
    let offset = file.record(&other);
    check(file, Kind::DuplicateReference, offset);
    let mut file = File::with_stream();
    let offset = file.record(&Stream {
        flags: 1,
        ..stream(1, 1)
    });
    assert_eq!(
        check(file, Kind::DuplicateReference, offset).stream_ref,
        Some(1)
    );
    let mut file = File::with_stream();
    let streams = vec![stream(1, 0).content().unwrap()];
    let offset = file.record(&Checkpoint {
        streams,
        ..Checkpoint::default()
    });
    check(file, Kind::DuplicateReference, offset);
}

#[test]
fn an_alignment_is_a_power_of_two_up_to_a_page() {
    for block_alignment in [3, 48, 8192, u32::MAX] {
        let mut file = File::new();
        let offset = file.record(&Stream {
            block_alignment,
            ..stream(6, 0)
        });
        assert_eq!(check(file, Kind::BadAlignment, offset).stream_ref, Some(6));
    }
    for left in 1..8 {
        let mut file = File::new();
        let content = stream(1, 0).content().unwrap();
        let offset = file.raw(op::STREAM, &content[..content.len() - left]);
        check(file, Kind::BadLength, offset);
    }
}

#[test]
fn chunks_that_do_not_decode_are_refused_naming_their_stream() {
    let chunk = |content: &[u8], kind| {
        let mut file = File::with_stream();
        let offset = file.raw(op::CHUNK, content);
        let report = check(file, kind, offset);
        assert_eq!(report.stream_ref, Some(1));
        report
    };
    let sound = chunk_content(1, Codec::NONE, 1);
    for codec in [2, 255] {
        let mut content = sound.clone();
        content[4] = codec;
        assert_eq!(
            chunk(&content, Kind::UnknownCodec).value,
            Some(u64::from(codec))
        );
    }
    for bit in 4..8 {
        let mut content = sound.clone();
        content[5] |= 1 << bit;
        chunk(&content, Kind::ReservedMaskBit);
    }
    let mut content = sound.clone();
    *content.last_mut().unwrap() ^= 1;
    chunk(&content, Kind::BadCrc);
    chunk(&[sound, vec![0]].concat(), Kind::BadLength);
    let mut content = chunk_content(1, Codec::ZSTD, 1);
    content[57] += 1;
    chunk(&content, Kind::BadLength);
    chunk(&blob_content(1, 0, 1, &[1, 0, 0]), Kind::BadLength);
    chunk(&blob_content(1, 0, 3, &[1, 0, 1, 0]), Kind::BadLength);
    chunk(
        &blob_content(1, 0, 1, &[2, 0x80, 0]),
        Kind::VarintNotCanonical,
    );
    chunk(
        &blob_content(
            1,
            0,
            1,
            &[11, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
        ),
        Kind::VarintTooLong,
    );
    chunk(&blob_content(1, 4, 1, &[2, 0, 2]), Kind::LimitExceeded);
}

#[test]
fn columnar_chunks_are_refused_alike() {
    for (at, value, kind) in [
        (4, 3, Kind::UnknownCodec),
        (5, 0x10, Kind::ReservedMaskBit),
        (6, 0x01, Kind::ReservedMaskBit),
        (57, 2, Kind::BadLength),
        (77, 0, Kind::BadCrc),
    ] {
        let mut file = File::with_stream();
        let offset = file.columnar(1, Codec::NONE, 1);
        let content = usize::try_from(offset).unwrap() + 9;
        let byte = &mut file.bytes[content + at];
        *byte = if at == 77 { !*byte } else { value };
        assert_eq!(check(file, kind, offset).stream_ref, Some(1));
    }
}

#[test]
fn a_checkpoint_that_does_not_verify_refuses_a_sealed_file() {
    let mut content = Checkpoint::default().content().unwrap();
    content[0] ^= 1;
    let mut file = File::new();
    let offset = file.raw(op::CHECKPOINT, &content);
    check(file, Kind::BadCrc, offset);
}

#[test]
fn memory_is_not_taken_past_the_limit() {
    let within = |bytes: &[u8], memory| read(&mut BytesSource(bytes), &Limits { memory });
    let mut file = File::with_stream();
    file.chunk(1, 1);
    file.raw(op::CHUNK, &chunk_content(1, Codec::ZSTD, 2));
    let file = file.sealed();
    let enough = (0..100_000u64)
        .find(|memory| within(&file.bytes, *memory).is_ok())
        .unwrap();
    assert!(enough > 1_000);
    for memory in 0..enough {
        assert_eq!(
            within(&file.bytes, memory).unwrap_err().kind,
            Kind::LimitExceeded
        );
    }
    // What is stepped over takes none.
    let mut file = File::new();
    file.raw(op::PADDING, &vec![0; 100_000]);
    file.raw(0xC0, &vec![0; 100_000]);
    assert!(within(&file.sealed().bytes, 10_000).is_ok());
    // A decompressed blob is paid for before it exists.
    let blob = vec![0; 32 << 20];
    let stored = ca3_wire::compress::compress(&blob).unwrap();
    let mut content = blob_content(1, 0, 1, &stored);
    content[4] = 1;
    content[57..65].copy_from_slice(&(32u64 << 20).to_le_bytes());
    let mut file = File::with_stream();
    file.raw(op::CHUNK, &content);
    let report = within(&file.sealed().bytes, 1 << 20).unwrap_err();
    assert_eq!(report.kind, Kind::LimitExceeded);
}
