use super::*;

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
