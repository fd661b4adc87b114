//! The quick way through a chunk's messages, beside the one that says what is wrong.

use super::*;

/// Both ways over some bytes, under a mask.
fn both(header: &ChunkHeader, blob: &[u8]) {
    let mut seen = Vec::new();
    let ended = Messages::new(header, blob, 1_000).each(|message| seen.push(*message));
    let mut expected = Vec::new();
    let mut fault = Ok(());
    // A trace is told of every field, so that each is read by itself.
    let trace = Trace::default();
    for message in Messages::traced(header, blob, 1_000, &trace) {
        match message {
            Ok(message) => expected.push(message),
            Err(error) => fault = Err(error),
        }
    }
    assert_eq!(seen, expected, "{header:?} {blob:02x?}");
    // Only the scope of a traced cursor has no name.
    let place = |it: Result<(), WireError>| it.map_err(|error| (error.offset, error.fault));
    assert_eq!(place(ended), place(fault), "{header:?} {blob:02x?}");
}

#[test]
fn every_message_is_the_same_both_ways() {
    let all = hex(EVERY_BIT);
    for mask in [0x810F, 0x000F, 0x0000, 0x0001, 0x0006, 0x0008, 0x0100] {
        for count in 0..5 {
            both(&header(mask, count), &all);
        }
        for cut in 0..all.len() {
            both(&header(mask, 3), &all[..cut]);
        }
        for place in 0..all.len() {
            for byte in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                let mut spoilt = all.clone();
                spoilt[place] = byte;
                both(&header(mask, 3), &spoilt);
            }
        }
    }
}

#[test]
fn stamps_and_lengths_of_every_size_are_the_same_both_ways() {
    for bits in 0..64 {
        let mut body = Vec::new();
        crate::varint::encode(u64::MAX >> bits, &mut body);
        body.extend([b'p'; 12]);
        let mut blob = vec![u8::try_from(body.len()).unwrap()];
        blob.extend(&body);
        // And one whose length takes two bytes.
        blob.extend([0xC8, 0x01]);
        blob.extend([0x05; 200]);
        both(&header(0, 2), &blob);
        both(
            &ChunkHeader {
                min_stamp_ns: 0,
                seq_first: u32::MAX,
                ..header(0, 2)
            },
            &blob,
        );
    }
}
