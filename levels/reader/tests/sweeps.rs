//! Every vector of the corpus cut, and every length in it perturbed: the
//! reader answers each time, and never panics, hangs or takes what is claimed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod corpus;

use ca3_reader::l1::{self, BytesSource, Limits};
use ca3_spec::protocol::ReadResult;
use ca3_spec::vector::Polarity;
use ca3_wire::annotate::annotate;
use corpus::{edges, files};

/// Files up to this size are cut at every byte, larger ones at field edges.
const EVERY_BYTE: usize = 1024;

/// Memory granted to each read: far less than the lengths that are claimed.
const LIMITS: Limits = Limits { memory: 1 << 20 };

fn read(bytes: &[u8]) -> Option<ReadResult> {
    l1::read(&mut BytesSource(bytes), &LIMITS).ok()
}

#[test]
fn a_cut_file_is_never_complete() {
    // An invalid file may be a whole one with something behind it.
    let valid = files()
        .into_iter()
        .filter(|(name, _)| name.ends_with(" valid"));
    for (name, bytes) in valid {
        let cuts = if bytes.len() <= EVERY_BYTE {
            (0..bytes.len()).collect()
        } else {
            edges(&bytes)
        };
        for cut in cuts {
            if let Some(result) = read(&bytes[..cut]) {
                assert!(!result.sealed && !result.complete, "{name} cut at {cut}");
            }
        }
    }
}

#[test]
fn a_cut_valid_file_gives_a_prefix_of_its_messages() {
    for case in ca3_vectors::cases().unwrap() {
        let Some(bytes) = case.bytes(Polarity::Valid) else {
            continue;
        };
        let Some(whole) = read(bytes) else { continue };
        for cut in edges(bytes) {
            if let Some(result) = read(&bytes[..cut]) {
                assert!(
                    whole.messages.starts_with(&result.messages),
                    "{} cut at {cut} gives messages that the whole file does not begin with",
                    case.sidecar.id
                );
            }
        }
    }
}

#[test]
fn a_perturbed_length_is_survived() {
    for (_, bytes) in files() {
        // Record lengths and the first eight bytes of every field: counts,
        // prefixes, lengths and varints among them.
        for record in annotate(&bytes) {
            for span in &record.spans {
                let start = usize::try_from(span.offset).unwrap();
                let width = usize::try_from(span.length.min(8)).unwrap();
                for (at, value) in [(0, 0x00), (0, 0xFF), (width.saturating_sub(1), 0xFF)] {
                    let mut damaged = bytes.clone();
                    if let Some(byte) = damaged.get_mut(start + at).filter(|_| width > 0) {
                        *byte = value;
                        let _ = read(&damaged);
                    }
                }
                let mut damaged = bytes.clone();
                if let Some(field) = damaged.get_mut(start..start + width) {
                    field.fill(0xFF);
                    let _ = read(&damaged);
                }
            }
        }
    }
}

#[test]
fn a_length_off_by_one_is_survived() {
    for (_, bytes) in files() {
        for record in annotate(&bytes)
            .iter()
            .filter(|record| record.opcode.is_some())
        {
            let at = usize::try_from(record.offset).unwrap() + 1;
            for by in [1u64, u64::MAX, 9, 0x8000_0000_0000_0000] {
                let mut damaged = bytes.clone();
                if let Some(field) = damaged.get_mut(at..at + 8) {
                    let length = record.content_length.wrapping_add(by);
                    field.copy_from_slice(&length.to_le_bytes());
                    let _ = read(&damaged);
                }
            }
        }
    }
}
