//! Whatever became of a file, the output is never made wrong by us.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail"
)]

mod support;

use ca3_convert::Failure;
use ca3_spec::opcode::op;
use ca3_vectors::Corpus;
use support::{Bench, abandoned, chunks, end_of, records, sealed};

/// Bytes in the middle that became others: what lies whole outside of them is
/// as it was, up to where a walk can go on.
#[test]
fn damaged_stretches() {
    let bench = Bench::new();
    let mut random = fastrand::Rng::with_seed(24);
    for checkpoints in [None, Some(2)] {
        for whole in [sealed(checkpoints, 8), abandoned(checkpoints, 8)] {
            let placed = records(&whole);
            let first = placed.iter().find(|it| it.0 == op::CHUNK).unwrap().1;
            let originals = chunks(&placed);
            for round in 0..150 {
                let mut bytes = whole.clone();
                let start = random.usize(first..bytes.len());
                let length = random.usize(1..200).min(bytes.len() - start);
                for byte in &mut bytes[start..start + length] {
                    *byte = random.u8(..);
                }
                let (statement, output) = bench
                    .recovered(&bytes)
                    .unwrap_or_else(|failure| panic!("round {round}: {failure}"));
                let after = records(&output);
                let kept = chunks(&after);
                let in_front = placed.iter().filter(|it| end_of(it) <= start);
                let in_front: Vec<_> = in_front.cloned().collect();
                let must = chunks(&in_front);
                assert_eq!(kept[..must.len()], must, "round {round}");
                // §6.1 has no checksum over a chunk's own header: one that was
                // hit there may come back with other values.
                let strange = kept.iter().filter(|it| !originals.contains(it)).count();
                let hit = placed
                    .iter()
                    .filter(|it| it.1 < start + length && end_of(it) > start)
                    .count();
                assert!(strange <= hit, "round {round}");
                if bytes != whole && kept.len() < originals.len() {
                    assert!(statement.lost, "round {round}: {statement:?}");
                }
            }
        }
    }
}

/// Whatever a file is wrong in, the output is never made wrong by us.
#[test]
fn every_vector_of_the_corpus() {
    let bench = Bench::new();
    let mut seen = 0;
    for case in Corpus::embedded().cases().unwrap() {
        for (name, bytes) in [("valid", &case.valid), ("invalid", &case.invalid)] {
            let Some(bytes) = bytes else { continue };
            let id = &case.sidecar.id;
            match bench.recovered(bytes) {
                Ok((_, output)) => {
                    assert!(is_sealed(&output), "{id} {name}");
                    seen += 1;
                }
                Err(Failure::Source(_)) => {}
                Err(failure) => panic!("{id} {name}: {failure}"),
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

/// What it holds is the source's doing; that it has an end is ours.
fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(&ca3_spec::MAGIC) && bytes.ends_with(&ca3_spec::MAGIC)
}

/// One to three edits: cut short, a byte, a bit, a stretch left out, a stretch
/// repeated elsewhere.
fn spoil(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    for _ in 0..random.usize(1..4) {
        if bytes.len() < 40 {
            return;
        }
        let at = random.usize(8..bytes.len());
        let end = (at + random.usize(1..60)).min(bytes.len());
        match random.u8(0..5) {
            0 => bytes.truncate(at),
            1 => bytes[at] = random.u8(..),
            2 => bytes[at] ^= 1 << random.u8(0..8),
            3 => drop(bytes.drain(at..end)),
            _ => {
                let stretch = bytes[at..end].to_vec();
                let place = random.usize(8..bytes.len());
                bytes.splice(place..place, stretch);
            }
        }
    }
}

#[test]
fn spoilt_vectors() {
    let bench = Bench::new();
    let mut random = fastrand::Rng::with_seed(29);
    let cases = Corpus::embedded().cases().unwrap();
    let vectors = cases.iter().flat_map(|case| [&case.valid, &case.invalid]);
    let mut pool: Vec<_> = vectors.flatten().map(|bytes| bytes.to_vec()).collect();
    pool.retain(|bytes| bytes.len() < 8192);
    pool.extend([sealed(Some(2), 8), abandoned(Some(2), 8)]);
    let mut made = 0;
    for round in 0..3000 {
        let mut bytes = pool[random.usize(..pool.len())].clone();
        spoil(&mut bytes, &mut random);
        match bench.recovered(&bytes) {
            Ok((_, output)) => {
                assert!(is_sealed(&output), "round {round}");
                made += 1;
            }
            Err(Failure::Source(_)) => {}
            Err(failure) => panic!("round {round}: {failure}"),
        }
    }
    assert!(made > 1000, "{made}");
}
