use super::*;
use crate::records::{Record, hex};
use crate::{Codec, OwnedMessage};
use ca3_spec::kind::Kind;

const KNOWN: u16 = 0x000F;

fn header(mask: u16, message_count: u32, block_bytes: u32) -> ColumnarHeader {
    ColumnarHeader {
        stream_ref: 1,
        field_mask: FieldMask(mask),
        message_count,
        min_stamp_ns: 1_000,
        max_stamp_ns: 1_300,
        record_ts_base_ns: 2_000,
        wall_base_ns: 5_000_000,
        source_base_ns: 300,
        seq_first: 10,
        block_bytes,
        ..ColumnarHeader::default()
    }
}

fn content(header: &ColumnarHeader, columns: &[u8], blocks: &[u8]) -> Vec<u8> {
    let header = ColumnarHeader {
        columns_length: wide(columns.len()),
        blocks_length: wide(blocks.len()),
        payload_crc32c: crc::append(crc::crc32c(columns), blocks),
        ..*header
    };
    [header.content().unwrap(), columns.to_vec(), blocks.to_vec()].concat()
}

fn read(content: &[u8]) -> Result<Vec<OwnedMessage>, WireError> {
    let columns = Columns::open(content, 50, &mut Budget::new(1 << 20))?;
    columns
        .messages()
        .map(|message| Ok(message?.to_owned()))
        .collect()
}

const COLUMNS_HEX: &str = "00 00 00 00 00 00 00 00 2c 01 00 00 00 00 00 00 80 00 00 00 00 00 00 00 \
                           05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
                           06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 \
                           00 00 00 00 00 00 00 00 c9 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 \
                           01 00 00 00 00 00 00 00 03 00 00 00";

fn messages() -> Vec<OwnedMessage> {
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
            payload: b"cd".to_vec(),
        },
        OwnedMessage {
            monotonic_timestamp_ns: 1_128,
            record_ts_ns: Some(2_001),
            wall_clock_ns: Some(5_000_130),
            source_timestamp_ns: Some(299),
            sequence: Some(13),
            payload: b"ef".to_vec(),
        },
    ]
}

#[test]
fn every_column_decodes_in_any_order() {
    let content = content(&header(KNOWN, 3, 2), &hex(COLUMNS_HEX), b"abcdef");
    assert_eq!(read(&content).unwrap(), messages());
    let columns = Columns::open(&content, 50, &mut Budget::new(0)).unwrap();
    for index in [2, 0, 1] {
        let message = columns.message(index).unwrap().unwrap();
        assert_eq!(
            message.to_owned(),
            messages()[usize::try_from(index).unwrap()]
        );
        assert_eq!(message.payload_start, 2 * u64::from(index));
    }
    assert!(columns.message(3).is_none());
    assert_eq!(columns.block(1), Some(b"cd".as_slice()));
    assert_eq!(
        (columns.columns_offset, columns.blocks_offset),
        (131, 131 + 108)
    );
}

#[test]
fn each_column_alone_decodes() {
    let only = |mask, cell: &str| {
        let columns = hex(&format!("01 00 00 00 00 00 00 00 {cell}"));
        read(&content(&header(mask, 1, 1), &columns, &[9]))
            .unwrap()
            .remove(0)
    };
    let base = OwnedMessage {
        monotonic_timestamp_ns: 1_001,
        sequence: Some(10),
        payload: vec![9],
        ..OwnedMessage::default()
    };
    assert_eq!(only(0, ""), base);
    let zeros = "00 00 00 00 00 00 00";
    let message = only(1, &format!("07 {zeros}"));
    assert_eq!(
        message,
        OwnedMessage {
            record_ts_ns: Some(2_007),
            ..base.clone()
        }
    );
    let message = only(2, &format!("02 {zeros}"));
    assert_eq!(
        message,
        OwnedMessage {
            wall_clock_ns: Some(5_000_000),
            ..base.clone()
        }
    );
    let message = only(4, &format!("03 {zeros}"));
    assert_eq!(
        message,
        OwnedMessage {
            source_timestamp_ns: Some(301),
            ..base.clone()
        }
    );
    let message = only(8, "02 00 00 00");
    assert_eq!(
        message,
        OwnedMessage {
            sequence: Some(9),
            ..base.clone()
        }
    );
    let message = only(8, "00 00 00 00");
    assert_eq!(
        message,
        OwnedMessage {
            sequence: None,
            ..base
        }
    );
}

#[test]
fn encoding_follows_the_widths_of_the_document() {
    let mut messages = messages();
    messages[0].wall_clock_ns = Some(5_000_000);
    messages[2].wall_clock_ns = Some(5_000_126);
    messages[2].source_timestamp_ns = Some(300);
    let (header, columns, blocks) = encode_columnar(7, Codec::NONE, &messages).unwrap();
    let expected = hex(
        "00 00 00 00 00 00 00 00 2c 01 00 00 00 00 00 00 80 00 00 00 00 00 00 00 \
         05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
         05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
         00 00 00 00 00 00 00 00 c9 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 \
         01 00 00 00 00 00 00 00 03 00 00 00",
    );
    assert_eq!(columns, expected);
    assert_eq!(blocks, b"abcdef");
    let bases = ColumnarHeader {
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
        block_bytes: 2,
        columns_length: 108,
        blocks_length: 6,
        payload_crc32c: crc::crc32c(&[columns.clone(), blocks.clone()].concat()),
    };
    assert_eq!(header, bases);
    assert_eq!(
        read(&content(&header, &columns, &blocks)).unwrap(),
        messages
    );
    let (header, columns, blocks) = encode_columnar(7, Codec::ZSTD, &messages).unwrap();
    assert_eq!(
        read(&content(&header, &columns, &blocks)).unwrap(),
        messages
    );
}

#[test]
fn payloads_of_unequal_length_are_refused() {
    let mut messages = messages();
    messages[1].payload.push(0);
    assert!(encode_columnar(1, Codec::NONE, &messages).is_err());
}

#[test]
fn what_a_columnar_chunk_may_not_be_is_named_at_its_place() {
    let columns = hex("00 00 00 00 00 00 00 00");
    let error = |content: &[u8]| {
        let error = read(content).unwrap_err();
        (error.offset, error.field.clone(), error.kind())
    };
    let at = |offset: u64, field: &str, kind| (offset, format!("ColumnarChunk.{field}"), kind);
    for bit in 4..16 {
        let content = content(&header(1 << bit, 1, 1), &columns, &[9]);
        assert_eq!(error(&content), at(55, "field_mask", Kind::ReservedMaskBit));
    }
    for codec in [2, 255] {
        let content = content(
            &ColumnarHeader {
                codec: Codec(codec),
                ..header(0, 1, 1)
            },
            &columns,
            &[9],
        );
        assert_eq!(error(&content), at(54, "codec", Kind::UnknownCodec));
    }
    let mut damaged = content(&header(0, 1, 1), &columns, &[9]);
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(error(&damaged), at(127, "payload_crc32c", Kind::BadCrc));
    let short = content(&header(0, 1, 1), &columns[..7], &[9]);
    assert_eq!(error(&short), at(111, "columns_length", Kind::BadLength));
    let moved = content(&header(0, 1, 1), &[columns.as_slice(), &[0]].concat(), &[]);
    assert_eq!(error(&moved), at(111, "columns_length", Kind::BadLength));
    let counted = content(&header(0, 2, 1), &columns, &[9]);
    assert_eq!(error(&counted), at(111, "columns_length", Kind::BadLength));
    for blocks in [&[][..], &[9, 9][..]] {
        let content = content(&header(0, 1, 1), &columns, blocks);
        assert_eq!(error(&content), at(119, "blocks_length", Kind::BadLength));
    }
    let huge = content(&header(0, u32::MAX, u32::MAX), &columns, &[9]);
    assert_eq!(error(&huge), at(111, "columns_length", Kind::BadLength));
}

#[test]
fn compressed_regions_are_checked_once_decompressed() {
    let columns = compress::compress(&[0; 8]).unwrap();
    let block = compress::compress(&[9]).unwrap();
    let zstd = |count, bytes| ColumnarHeader {
        codec: Codec::ZSTD,
        ..header(0, count, bytes)
    };
    assert_eq!(
        read(&content(&zstd(1, 1), &columns, &block)).unwrap().len(),
        1
    );
    let kind = |content: &[u8]| read(content).unwrap_err().kind();
    assert_eq!(
        kind(&content(&zstd(2, 1), &columns, &block)),
        Kind::BadLength
    );
    assert_eq!(
        kind(&content(&zstd(1, 2), &columns, &block)),
        Kind::BadLength
    );
    assert_eq!(
        kind(&content(&zstd(1, 1), &columns, &[9])),
        Kind::DecompressFailed
    );
    // Reading G79: an empty region is nothing at all, or an empty frame.
    let empty = compress::compress(&[]).unwrap();
    for blocks in [&[][..], &empty] {
        assert_eq!(
            read(&content(&zstd(1, 0), &columns, blocks)).unwrap().len(),
            1
        );
    }
    assert_eq!(
        kind(&content(&zstd(1, 1), &columns, &[])),
        Kind::DecompressFailed
    );
    let bomb = compress::compress(&vec![0; 64 << 20]).unwrap();
    assert_eq!(
        kind(&content(&zstd(1, 1), &columns, &bomb)),
        Kind::BadLength
    );
    assert_eq!(
        kind(&content(&zstd(1, 64 << 20), &columns, &bomb)),
        Kind::LimitExceeded
    );
}

#[test]
fn a_cell_outside_64_bits_is_a_range_fault_at_the_cell() {
    let columns = hex("00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff");
    let error = read(&content(&header(0, 2, 0), &columns, &[])).unwrap_err();
    assert_eq!(
        (error.offset, error.field.as_str()),
        (139, "ColumnarChunk.stamp[1]")
    );
    assert_eq!(error.kind(), Kind::LimitExceeded);
}

#[test]
fn no_cut_and_no_byte_makes_a_columnar_chunk_panic() {
    let whole = content(&header(KNOWN, 3, 2), &hex(COLUMNS_HEX), b"abcdef");
    for at in 0..whole.len() {
        assert!(read(&whole[..at]).is_err());
        for other in [
            0x00,
            0xFF,
            whole[at].wrapping_add(1),
            whole[at].wrapping_sub(1),
        ] {
            let mut bytes = whole.clone();
            bytes[at] = other;
            let _ = read(&bytes);
        }
    }
    for at in 0..hex(COLUMNS_HEX).len() {
        let mut columns = hex(COLUMNS_HEX);
        columns[at] = 0xFF;
        let _ = read(&content(&header(KNOWN, 3, 2), &columns, b"abcdef"));
    }
}
