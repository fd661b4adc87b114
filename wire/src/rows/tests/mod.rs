mod opening;
mod quick;
mod reading;
mod writing;

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
