//! No cut and no byte makes the indexed reader panic, hang, or claim too much.

use super::build::{Layout, Maker, clock, messages, peer, peer_domain, stream};
use super::*;
use crate::l2::results::Basis;
use ca3_spec::opcode::op;
use ca3_wire::Codec;
use ca3_wire::records::{MessageOffsets, Record, Schema, Session};

/// A file with one of everything that an indexed reader meets.
fn everything() -> Vec<u8> {
    let mut maker = Maker::new(vec![stream(1), peer(2)]);
    for (stream_ref, layout, codec) in [
        (1, Layout::Rows, Codec::NONE),
        (2, Layout::Rows, Codec::ZSTD),
        (1, Layout::Columns, Codec::ZSTD),
        (2, Layout::Columns, Codec::NONE),
    ] {
        let stored = messages(&[(10, "a"), (30, "b"), (20, "c")]);
        maker.pack(stream_ref, layout, codec, &stored);
        maker.raw(op::PADDING, &[0; 3]);
    }
    maker.sequences(1, &[1, 2, 5]);
    maker.raw(0xC1, b"y");
    maker.seal_with(|tables| {
        tables.clock = Some(clock(vec![peer_domain(-5, 1_000, 10)]));
        tables.more = vec![
            (
                op::SCHEMA,
                Schema {
                    schema_ref: 1,
                    ..Schema::default()
                }
                .content()
                .unwrap(),
            ),
            (op::SESSION, Session::default().content().unwrap()),
            (op::PADDING, vec![]),
            (
                op::MESSAGE_OFFSETS,
                MessageOffsets::default().content().unwrap(),
            ),
        ];
    })
}

/// Everything that can be asked, with little memory granted.
fn ask(bytes: &[u8]) {
    for walk_spine in [false, true] {
        let mut source = BytesSource(bytes);
        let limits = Limits { memory: 1 << 16 };
        let Ok(mut file) = IndexedFile::open(&mut source, &limits, Options { walk_spine }) else {
            continue;
        };
        let _ = file.index();
        let _ = file.loss();
        for t in [0, 15, u64::MAX] {
            for found in file
                .state_at(t, None)
                .iter()
                .flat_map(|state| &state.results)
            {
                assert_eq!(found.message.is_some(), found.time.is_some());
                assert!(found.basis != Basis::Unmapped || !found.degraded.is_empty());
            }
        }
        let window = file.window(5, u64::MAX, &[2, 1]);
        for found in window.iter().flat_map(|window| &window.messages) {
            let unmapped = found.basis == Basis::Unmapped;
            assert!(!unmapped || !found.degraded.is_empty());
            let raw = found.message.monotonic_timestamp_ns == found.time;
            assert!(raw || matches!(found.basis, Basis::Ok | Basis::Degraded));
        }
    }
}

#[test]
fn no_byte_and_no_cut_makes_it_panic() {
    let bytes = everything();
    assert_eq!(payloads(&bytes, 0, 99, &[1]).0.len(), 6);
    for at in 0..bytes.len() {
        ask(&bytes[..at]);
        let byte = bytes[at];
        for other in [0x00, 0xFF, byte.wrapping_add(1), byte ^ 0x80] {
            let mut spoilt = bytes.clone();
            spoilt[at] = other;
            ask(&spoilt);
            ask(&repaired(spoilt));
        }
    }
}

/// The same with a summary checksum that holds, where there is a summary: what
/// is wrong inside it is then met.
fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    let footer = bytes.len() - 45;
    let field = |at: usize| {
        let field = bytes[footer + 9 + at..footer + 17 + at].try_into().unwrap();
        usize::try_from(u64::from_le_bytes(field)).unwrap()
    };
    let stretch = bytes.get(field(0)..field(8)).unwrap_or_default();
    let crc = ca3_wire::crc::crc32c(stretch).to_le_bytes();
    bytes[footer + 33..footer + 37].copy_from_slice(&crc);
    bytes
}
