use super::*;

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
