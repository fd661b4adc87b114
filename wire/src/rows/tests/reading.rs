use super::*;

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
