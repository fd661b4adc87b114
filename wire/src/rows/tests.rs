use super::*;
use crate::records::{Record, hex};
use crate::{Codec, OwnedMessage};
use ca3_spec::kind::Kind;

/// Bits 0 to 3 of the mask.
const KNOWN: u16 = 0x000F;

fn header(mask: u16, message_count: u32) -> ChunkHeader {
    ChunkHeader {
        stream_ref: 1,
        field_mask: FieldMask(mask),
        message_count,
        min_stamp_ns: 1_000,
        max_stamp_ns: 1_300,
        record_ts_base_ns: 2_000,
        wall_base_ns: 5_000_000,
        source_base_ns: 300,
        seq_first: 10,
        ..ChunkHeader::default()
    }
}

/// A whole content: the header with its lengths and checksum made right.
fn content(header: &ChunkHeader, blob: &[u8]) -> Vec<u8> {
    let header = ChunkHeader {
        records_crc32c: crc::crc32c(blob),
        records_length: wide(blob.len()),
        ..*header
    };
    let mut content = header.content().unwrap();
    content.extend_from_slice(blob);
    content
}

fn read(header: &ChunkHeader, blob: &[u8]) -> Result<Vec<OwnedMessage>, WireError> {
    Messages::new(header, blob, 1_000)
        .map(|message| Ok(message?.to_owned()))
        .collect()
}

fn fault(header: &ChunkHeader, blob: &str) -> (u64, String, Fault) {
    let error = read(header, &hex(blob)).unwrap_err();
    (error.offset, error.field, error.fault)
}

/// Every bit that a mask may carry: 0 to 3, and 8 and 15 of the skippable ones.
const EVERY_BIT: &str = "0a 00 05 06 00 01 ac 02 00 61 62 \
                         09 ac 02 00 00 c9 01 00 00 7f \
                         09 80 01 01 05 02 03 00 00 ff";

fn every_bit() -> Vec<OwnedMessage> {
    vec![
        OwnedMessage {
            monotonic_timestamp_ns: 1_000,
            record_ts_ns: Some(2_005),
            wall_clock_ns: Some(4_999_997),
            source_timestamp_ns: None,
            sequence: Some(10),
            payload: b"ab".to_vec(),
        },
        OwnedMessage {
            monotonic_timestamp_ns: 1_300,
            record_ts_ns: Some(2_000),
            wall_clock_ns: None,
            source_timestamp_ns: Some(400),
            sequence: None,
            payload: vec![],
        },
        OwnedMessage {
            monotonic_timestamp_ns: 1_128,
            record_ts_ns: Some(2_001),
            wall_clock_ns: Some(5_000_130),
            source_timestamp_ns: Some(299),
            sequence: Some(13),
            payload: vec![0xFF],
        },
    ]
}

#[test]
fn every_mask_bit_decodes() {
    let header = header(KNOWN | 0x8100, 3);
    let blob = hex(EVERY_BIT);
    assert_eq!(read(&header, &blob).unwrap(), every_bit());
    let places: Vec<_> = Messages::new(&header, &blob, 0)
        .map(|message| {
            message
                .map(|m| (m.index, m.start, m.payload_start))
                .unwrap()
        })
        .collect();
    assert_eq!(places, [(0, 0, 9), (1, 11, 21), (2, 21, 30)]);
}

#[test]
fn each_mask_bit_alone_decodes() {
    let only = |mask, blob| read(&header(mask, 1), &hex(blob)).unwrap().remove(0);
    let base = OwnedMessage {
        monotonic_timestamp_ns: 1_001,
        sequence: Some(10),
        payload: vec![9],
        ..OwnedMessage::default()
    };
    assert_eq!(only(0, "02 01 09"), base);
    let with = |message: OwnedMessage| OwnedMessage {
        payload: vec![9],
        ..message
    };
    let expected = OwnedMessage {
        record_ts_ns: Some(2_007),
        ..base.clone()
    };
    assert_eq!(only(1, "03 01 07 09"), with(expected));
    let expected = OwnedMessage {
        wall_clock_ns: Some(5_000_000),
        ..base.clone()
    };
    assert_eq!(only(2, "03 01 02 09"), with(expected));
    let expected = OwnedMessage {
        source_timestamp_ns: Some(301),
        ..base.clone()
    };
    assert_eq!(only(4, "03 01 03 09"), with(expected));
    let expected = OwnedMessage {
        sequence: Some(9),
        ..base.clone()
    };
    assert_eq!(only(8, "03 01 02 09"), with(expected));
    let expected = OwnedMessage {
        sequence: None,
        ..base.clone()
    };
    assert_eq!(only(8, "03 01 00 09"), with(expected));
    for bit in 8..16 {
        assert_eq!(only(1 << bit, "04 01 80 01 09"), base);
    }
}

#[test]
fn an_absent_sequence_stays_absent() {
    let header = ChunkHeader {
        seq_first: 0,
        ..header(0, 2)
    };
    let messages = read(&header, &hex("01 00 01 00")).unwrap();
    assert!(messages.iter().all(|message| message.sequence.is_none()));
    let header = ChunkHeader {
        seq_first: u32::MAX,
        ..header
    };
    let messages = read(&header, &hex("01 00 01 00")).unwrap();
    assert_eq!(messages[0].sequence, Some(u32::MAX));
    assert_eq!(messages[1].sequence, Some(1));
}

/// Reading G14: a base of 0 with a stated code still counts.
#[test]
fn a_stated_sequence_counts_from_zero_too() {
    let header = ChunkHeader {
        seq_first: 0,
        ..header(8, 2)
    };
    let messages = read(&header, &hex("02 00 00 02 00 03")).unwrap();
    assert_eq!(messages[0].sequence, None);
    assert_eq!(messages[1].sequence, Some(2));
    let messages = read(
        &ChunkHeader {
            message_count: 1,
            ..header
        },
        &hex("02 00 02"),
    )
    .unwrap();
    assert_eq!(messages[0].sequence, Some(u32::MAX - 1));
}

#[test]
fn what_a_blob_may_not_be_is_named_at_its_place() {
    let at = |offset: u64, field: &str, fault: Fault| (offset, field.to_owned(), fault);
    let one = header(0, 1);
    assert_eq!(
        fault(&one, "01 00 00"),
        at(1_002, "Chunk.records", Fault::Leftover { left: 1 })
    );
    assert_eq!(
        fault(&header(0, 2), "01 00"),
        at(
            1_002,
            "Chunk.message[1].len",
            Fault::Short { needed: 1, left: 0 }
        )
    );
    assert_eq!(
        fault(&one, "02 00"),
        at(
            1_001,
            "Chunk.message[0]",
            Fault::Short { needed: 2, left: 1 }
        )
    );
    assert_eq!(
        fault(&one, "80"),
        at(1_000, "Chunk.message[0].len", Fault::VarintUnended)
    );
    assert_eq!(
        fault(&one, "00"),
        at(1_001, "Chunk.message[0].stamp_delta", Fault::VarintUnended)
    );
    assert_eq!(
        fault(&one, "01 80 00"),
        at(1_001, "Chunk.message[0].stamp_delta", Fault::VarintUnended)
    );
    assert_eq!(
        fault(&one, "02 80 00"),
        at(
            1_001,
            "Chunk.message[0].stamp_delta",
            Fault::VarintNotCanonical { value: 0, bytes: 2 }
        )
    );
    assert_eq!(
        fault(&one, "81 00 00"),
        at(
            1_000,
            "Chunk.message[0].len",
            Fault::VarintNotCanonical { value: 1, bytes: 2 }
        )
    );
    assert_eq!(
        fault(&one, "0b ff ff ff ff ff ff ff ff ff ff 01"),
        at(1_001, "Chunk.message[0].stamp_delta", Fault::VarintTooLong)
    );
    assert_eq!(
        fault(&header(0x8000, 1), "03 00 81 00"),
        at(
            1_002,
            "Chunk.message[0].(bit 15)",
            Fault::VarintNotCanonical { value: 1, bytes: 2 }
        )
    );
    assert_eq!(
        fault(&header(0, 0), "00"),
        at(1_000, "Chunk.records", Fault::Leftover { left: 1 })
    );
    assert_eq!(read(&header(0, 0), &[]), Ok(vec![]));
}

#[test]
fn stamps_outside_64_bits_are_range_faults() {
    let max = "ff ff ff ff ff ff ff ff ff 01";
    let high = |mask| ChunkHeader {
        min_stamp_ns: 1,
        record_ts_base_ns: 2,
        wall_base_ns: u64::MAX,
        source_base_ns: 0,
        ..header(mask, 1)
    };
    let value = |mask, blob: String| match fault(&high(mask), &blob) {
        (_, field, Fault::Range { value }) => (field, value),
        other => panic!("{other:?}"),
    };
    let top = i128::from(u64::MAX);
    let (field, sum) = value(0, format!("0a {max}"));
    assert_eq!(
        (field.as_str(), sum),
        ("Chunk.message[0].stamp_delta", top + 1)
    );
    let (field, sum) = value(1, format!("0b 00 {max}"));
    assert_eq!(
        (field.as_str(), sum),
        ("Chunk.message[0].record_ts_ns", top + 2)
    );
    let (field, sum) = value(2, "02 01 01".to_owned());
    assert_eq!(
        (field.as_str(), sum),
        ("Chunk.message[0].wall_clock_ns", top + 1)
    );
    let (field, sum) = value(4, "02 00 02".to_owned());
    assert_eq!(
        (field.as_str(), sum),
        ("Chunk.message[0].source_timestamp_ns", -1)
    );
    let wall = read(&high(2), &hex("02 01 02"))
        .unwrap()
        .remove(0)
        .wall_clock_ns;
    assert_eq!(wall, Some(u64::MAX));
}

#[test]
fn encoding_follows_the_bases_of_the_document() {
    let mut messages = every_bit();
    messages[0].wall_clock_ns = Some(5_000_000);
    messages[2].wall_clock_ns = Some(5_000_126);
    messages[2].source_timestamp_ns = Some(300);
    let (header, blob) = encode_chunk(7, Codec::NONE, &messages).unwrap();
    let expected = hex("07 00 05 05 00 01 61 62 \
         07 ac 02 00 00 c9 01 00 \
         07 80 01 01 01 01 03 ff");
    assert_eq!(blob, expected);
    let bases = ChunkHeader {
        stream_ref: 7,
        codec: Codec::NONE,
        field_mask: FieldMask(KNOWN),
        flags: 0,
        message_count: 3,
        min_stamp_ns: 1_000,
        max_stamp_ns: 1_300,
        record_ts_base_ns: 2_000,
        wall_base_ns: 4_999_998,
        source_base_ns: 300,
        seq_first: 10,
        uncompressed_bytes: 24,
        records_crc32c: crc::crc32c(&expected),
        records_length: 24,
    };
    assert_eq!(header, bases);
    assert_eq!(read(&header, &blob).unwrap(), messages);
}

#[test]
fn sequences_take_no_bytes_where_the_run_is_contiguous() {
    let messages = |sequences: &[Option<u32>]| -> Vec<OwnedMessage> {
        sequences
            .iter()
            .map(|sequence| OwnedMessage {
                sequence: *sequence,
                ..OwnedMessage::default()
            })
            .collect()
    };
    for (sequences, seq_first, mask) in [
        (vec![None, None], 0, 0),
        (vec![Some(7), Some(8)], 7, 0),
        (vec![Some(u32::MAX), Some(1)], u32::MAX, 0),
        (vec![Some(7), Some(9)], 7, 8),
        (vec![Some(7), None], 7, 8),
        (vec![None, Some(7)], 0, 8),
    ] {
        let messages = messages(&sequences);
        let (header, blob) = encode_chunk(1, Codec::NONE, &messages).unwrap();
        assert_eq!(
            (header.seq_first, header.field_mask.0),
            (seq_first, mask),
            "{sequences:?}"
        );
        assert!(header.is_sorted());
        assert_eq!(read(&header, &blob).unwrap(), messages);
    }
}

#[test]
fn values_without_a_code_are_refused() {
    let message = OwnedMessage::default();
    let refused = |messages: &[OwnedMessage]| encode_chunk(1, Codec::NONE, messages).is_err();
    assert!(refused(&[
        OwnedMessage {
            record_ts_ns: Some(1),
            ..message.clone()
        },
        message.clone()
    ]));
    assert!(refused(&[OwnedMessage {
        sequence: Some(0),
        ..message.clone()
    }]));
    let far = OwnedMessage {
        source_timestamp_ns: Some(u64::MAX),
        ..message.clone()
    };
    let near = OwnedMessage {
        source_timestamp_ns: Some(0),
        ..message.clone()
    };
    assert!(refused(&[near, far]));
    assert!(encode_chunk(1, Codec(2), &[message]).is_err());
}

#[test]
fn a_chunk_opens_whatever_its_codec() {
    let messages = every_bit();
    for codec in [Codec::NONE, Codec::ZSTD] {
        let (header, blob) = encode_chunk(1, codec, &messages).unwrap();
        let content = [header.content().unwrap(), blob].concat();
        let mut budget = Budget::new(100);
        let rows = Rows::open(&content, 50, &mut budget).unwrap();
        let read: Result<Vec<_>, _> = rows
            .messages()
            .map(|message| message.map(|message| message.to_owned()))
            .collect();
        assert_eq!(read.unwrap(), messages);
        assert_eq!(rows.blob_offset, 127);
        assert_eq!(budget.left(), 100 - rows.spent());
        assert_eq!(rows.spent() > 0, codec == Codec::ZSTD);
    }
}

#[test]
fn what_a_chunk_may_not_be_is_named_at_its_place() {
    let blob = hex("01 00");
    let open = |content: &[u8], limit| {
        let error = Rows::open(content, 50, &mut Budget::new(limit)).unwrap_err();
        (error.offset, error.field.clone(), error.kind())
    };
    for codec in 2..=255 {
        let content = content(
            &ChunkHeader {
                codec: Codec(codec),
                ..header(0, 1)
            },
            &blob,
        );
        assert_eq!(
            open(&content, 9),
            (54, "Chunk.codec".to_owned(), Kind::UnknownCodec)
        );
    }
    for bit in 4..8 {
        let header = header(1 << bit, 1);
        let named = (55, "Chunk.field_mask".to_owned(), Kind::ReservedMaskBit);
        assert_eq!(open(&content(&header, &blob), 9), named);
        let error = Messages::new(&header, &blob, 50 + 77)
            .next()
            .unwrap()
            .unwrap_err();
        assert_eq!((error.offset, error.field.clone(), error.kind()), named);
    }
    let mut damaged = content(&header(0, 1), &blob);
    damaged[78] ^= 1;
    assert_eq!(
        open(&damaged, 9),
        (115, "Chunk.records_crc32c".to_owned(), Kind::BadCrc)
    );
    let zstd = ChunkHeader {
        codec: Codec::ZSTD,
        uncompressed_bytes: 2,
        ..header(0, 1)
    };
    let named = |kind| (127, "Chunk.records".to_owned(), kind);
    assert_eq!(
        open(&content(&zstd, &blob), 9),
        named(Kind::DecompressFailed)
    );
    assert_eq!(open(&content(&zstd, &[]), 9), named(Kind::DecompressFailed));
    let frame = compress::compress(&blob).unwrap();
    assert_eq!(open(&content(&zstd, &frame), 1), named(Kind::LimitExceeded));
    for uncompressed_bytes in [0, 1, 3, u64::MAX] {
        let content = content(
            &ChunkHeader {
                uncompressed_bytes,
                ..zstd
            },
            &frame,
        );
        assert_eq!(open(&content, u64::MAX), named(Kind::BadLength));
    }
    let twice = [frame.clone(), frame].concat();
    assert_eq!(open(&content(&zstd, &twice), 9), named(Kind::BadLength));
}

/// Faults inside compressed bytes are placed at the blob as stored.
#[test]
fn a_fault_in_a_compressed_blob_is_placed_at_the_blob() {
    let blob = hex("01 00 01 00 09");
    let frame = compress::compress(&blob).unwrap();
    let zstd = ChunkHeader {
        codec: Codec::ZSTD,
        uncompressed_bytes: 5,
        ..header(0, 3)
    };
    let content = content(&zstd, &frame);
    let rows = Rows::open(&content, 50, &mut Budget::new(9)).unwrap();
    let error = rows.messages().last().unwrap().unwrap_err();
    assert_eq!(
        (error.offset, error.field.as_str()),
        (127, "Chunk.message[2]")
    );
}

/// A content of a few megabytes of zeros does not get past its claim.
#[test]
fn a_bomb_is_stopped_at_its_claim() {
    let frame = compress::compress(&vec![0; 64 << 20]).unwrap();
    let zstd = ChunkHeader {
        codec: Codec::ZSTD,
        uncompressed_bytes: 100,
        ..header(0, 1)
    };
    let error = Rows::open(&content(&zstd, &frame), 0, &mut Budget::new(1 << 30)).unwrap_err();
    assert!(matches!(error.fault, Fault::Disagrees { stated: 100, actual } if actual < 1 << 20));
    let zstd = ChunkHeader {
        uncompressed_bytes: 64 << 20,
        ..zstd
    };
    let error = Rows::open(&content(&zstd, &frame), 0, &mut Budget::new(1 << 20)).unwrap_err();
    assert_eq!(error.kind(), Kind::LimitExceeded);
}

#[test]
fn no_cut_and_no_byte_makes_a_blob_panic() {
    for mask in [0, KNOWN, KNOWN | 0x8100] {
        let header = header(mask, 3);
        let blob = hex(EVERY_BIT);
        for cut in 0..blob.len() {
            assert!(read(&header, &blob[..cut]).is_err(), "cut at {cut}");
        }
        for at in 0..blob.len() {
            for other in [
                0x00,
                0xFF,
                blob[at].wrapping_add(1),
                blob[at].wrapping_sub(1),
            ] {
                let mut blob = blob.clone();
                blob[at] = other;
                let _ = read(&header, &blob);
                let whole = content(&header, &blob);
                assert!(Rows::open(&whole, u64::MAX - 5, &mut Budget::new(99)).is_ok());
            }
        }
        let whole = content(&header, &blob);
        for at in 0..whole.len() {
            for other in [
                0x00,
                0xFF,
                whole[at].wrapping_add(1),
                whole[at].wrapping_sub(1),
            ] {
                let mut whole = whole.clone();
                whole[at] = other;
                if let Ok(rows) = Rows::open(&whole, 0, &mut Budget::new(1 << 20)) {
                    let _ = rows.messages().count();
                }
            }
            assert!(Rows::open(&whole[..at], 0, &mut Budget::new(99)).is_err());
        }
    }
}
