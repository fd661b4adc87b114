//! What a file holds, for the tests of every program that writes one.

use ca3_reader::l1::{self, BytesSource, Limits};
use ca3_spec::protocol::ReadResult;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ClockBlock, ClockDomain};

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

/// A mapping that nothing bounds.
pub fn clock() -> ClockBlock {
    ClockBlock {
        reference_host_id: "host".to_owned(),
        reference_host_clock_epoch: "boot".to_owned(),
        domains: vec![ClockDomain {
            domain: "device".to_owned(),
            quality: 1,
            bias_low_ns: u64::MAX,
            skew_uncertainty_ppb: u64::MAX,
            estimator_version: 1,
            ..ClockDomain::default()
        }],
        ..ClockBlock::default()
    }
}
