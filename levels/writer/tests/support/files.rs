//! What a file holds, for the tests of every program that writes one.

use ca3_reader::l1::{self, BytesSource, Limits};
use ca3_spec::protocol::ReadResult;
use ca3_wire::frame::RecordFrame;

pub fn read(bytes: &[u8]) -> ReadResult {
    l1::read(&mut BytesSource(bytes), &Limits::default())
        .unwrap_or_else(|report| panic!("{report:?}"))
}

/// A record: opcode, offset, content.
pub type Placed = (u8, usize, Vec<u8>);

/// The records of a file that is whole up to its end.
pub fn records(bytes: &[u8]) -> Vec<Placed> {
    let end = match bytes.strip_suffix(&ca3_spec::MAGIC) {
        Some(rest) if bytes.len() > 8 => rest.len(),
        _ => bytes.len(),
    };
    let mut found = Vec::new();
    let mut offset = 8;
    while offset < end {
        let frame = RecordFrame::decode(&bytes[offset..], 0).unwrap();
        let length = usize::try_from(frame.content_length).unwrap();
        let content = bytes[offset + 9..offset + 9 + length].to_vec();
        found.push((frame.opcode, offset, content));
        offset += 9 + length;
    }
    found
}
