//! What holds for every case, committed or drawn.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;

use ca3_generators::corpus::{self, Difference};
use ca3_generators::plan::{Chunk, Columnar, Decoded, Sample};
use ca3_generators::{cases, coverage};
use ca3_spec::rule::Level;
use ca3_spec::vector::{Expect, Polarity, Side};
use ca3_wire::OwnedMessage;

#[test]
fn two_runs_give_the_same_bytes() {
    let first = corpus::files(&cases(None).unwrap()).unwrap();
    let second = corpus::files(&cases(None).unwrap()).unwrap();
    assert_eq!(first, second);
}

#[test]
fn the_committed_corpus_is_the_generated_one() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");
    let files = corpus::files(&cases(None).unwrap()).unwrap();
    let differences = corpus::compare(&files, root.as_ref()).unwrap();
    assert!(
        differences.is_empty(),
        "run `ca3-corpus generate`: {}",
        differences[0]
    );
}

#[test]
fn every_rule_of_level_1_is_covered() {
    for row in coverage::rows(&cases(None).unwrap(), Some(Level::One)) {
        assert!(
            row.missing.is_empty(),
            "{}: {}",
            row.rule.id,
            row.missing.join("; ")
        );
    }
}

#[test]
fn a_changed_byte_is_named_with_its_offset() {
    let files = corpus::files(&cases(None).unwrap()).unwrap();
    let root = tempfile::tempdir().unwrap();
    corpus::write(&files, root.path()).unwrap();
    assert_eq!(corpus::compare(&files, root.path()).unwrap(), []);

    let name = "ca3/1-magic/digit.valid.ca3";
    let mut spoilt = files[name].clone();
    spoilt[20] ^= 0x40;
    std::fs::write(root.path().join(name), &spoilt).unwrap();
    std::fs::write(root.path().join("ca3/1-magic/stray.ca3"), b"").unwrap();
    std::fs::remove_file(root.path().join("ca3/1-magic/digit.json")).unwrap();
    let differences = corpus::compare(&files, root.path()).unwrap();
    let expected = [
        Difference::Missing("ca3/1-magic/digit.json".to_owned()),
        Difference::Byte {
            name: name.to_owned(),
            offset: 20,
            committed: Some(spoilt[20]),
            generated: Some(files[name][20]),
        },
        Difference::Surplus("ca3/1-magic/stray.ca3".to_owned()),
    ];
    assert_eq!(differences, expected);
}

/// A drawn corpus has the same cases, asks the same, and shares no file whose
/// bytes a table of answers could know.
#[test]
fn a_fresh_corpus_shares_no_file_with_the_committed_one() {
    let committed = cases(None).unwrap();
    let known: BTreeSet<Vec<u8>> = committed
        .iter()
        .flat_map(|case| [case.valid.clone(), case.invalid.clone()])
        .flatten()
        .collect();
    for seed in [1, 2, 3, u64::MAX] {
        let fresh = cases(Some(seed)).unwrap();
        assert_eq!(fresh.len(), committed.len());
        for (drawn, case) in fresh.iter().zip(&committed) {
            assert_eq!(drawn.sidecar.id, case.sidecar.id);
            assert_eq!(drawn.sidecar.rules, case.sidecar.rules);
            // A file cut to its magic, or robbed of its Header, holds no value.
            if let Some(bytes) = drawn.bytes(Polarity::Valid).filter(|bytes| bytes.len() > 8) {
                assert!(!known.contains(bytes), "{}", drawn.sidecar.id);
            }
        }
    }
}

#[test]
fn every_case_stands_on_its_own() {
    let mut files = BTreeSet::new();
    let mut sizes = Vec::new();
    let mut described = 0;
    let cases = cases(None).unwrap();
    for case in &cases {
        let sidecar = &case.sidecar;
        assert!(
            !sidecar.title.is_empty() && !sidecar.why.is_empty(),
            "{}",
            sidecar.id
        );
        assert!(
            sidecar.title.len() <= 100,
            "{}: the title is no line",
            sidecar.id
        );
        for polarity in Polarity::BOTH {
            let Side::Vector(vector) = sidecar.side(polarity) else {
                continue;
            };
            assert!(files.insert(format!("{}/{}", sidecar.folder(), vector.file)));
            assert!(!vector.steps.is_empty());
            let bytes = case.bytes(polarity).unwrap();
            // What the options extend takes 11 KB of each descriptor set.
            let extended = b"google/protobuf/descriptor.proto";
            if bytes.windows(extended.len()).any(|part| part == extended) {
                described += 1;
                assert!(bytes.len() < 64 << 10, "{}", sidecar.id);
            } else {
                sizes.push(bytes.len());
            }
            if let Some(edit) = &vector.edit {
                let end = usize::try_from(edit.offset.0 + edit.length.0).unwrap();
                assert!(
                    end <= bytes.len(),
                    "{}: {} lies outside",
                    sidecar.id,
                    edit.what
                );
            }
            for step in &vector.steps {
                if let (Polarity::Invalid, Expect::Surface(surface)) = (polarity, &step.expect) {
                    assert!(
                        !surface.kinds.is_empty(),
                        "{}: no kind is right",
                        sidecar.id
                    );
                }
            }
        }
    }
    // Most vectors are small; the few large ones are about sizes, or hold two
    // schemas of one descriptor set in the data section and in the summary.
    assert!(sizes.iter().filter(|size| **size > 4_096).count() < 60);
    assert!(sizes.iter().sum::<usize>() < 8 << 20);
    assert!(
        described > 200,
        "only {described} files have a whole descriptor"
    );
    let items: BTreeSet<u8> = cases.iter().filter_map(|case| case.sidecar.item).collect();
    assert_eq!(items, (1..=29).collect());
}

/// Two encoders written apart from each other agree on what a chunk is.
#[test]
fn the_plans_chunks_are_the_wire_codecs() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let records = rng.bool();
        let count = rng.usize(1..12);
        let samples: Vec<Sample> = (0..count)
            .map(|index| {
                let stamp = rng.u64(1 << 20..1 << 30);
                let some = |rng: &mut fastrand::Rng| rng.bool().then(|| rng.u64(1 << 31..1 << 40));
                let decoded = Decoded {
                    stamp,
                    record_ts: records.then(|| rng.u64(..1 << 40)),
                    wall: some(&mut rng),
                    source: some(&mut rng),
                    sequence: match seed % 3 {
                        0 => None,
                        1 => Some(7 + u32::try_from(index).unwrap()),
                        // Near enough that no shorter step leads round the wrap.
                        _ => Some(rng.u32(1..1 << 20)),
                    },
                };
                Sample::new(decoded, &[rng.u8(..), rng.u8(..), 0, 1])
            })
            .collect();
        let messages: Vec<OwnedMessage> = samples
            .iter()
            .map(|sample| OwnedMessage {
                monotonic_timestamp_ns: sample.decoded.stamp,
                record_ts_ns: sample.decoded.record_ts,
                wall_clock_ns: sample.decoded.wall,
                source_timestamp_ns: sample.decoded.source,
                sequence: sample.decoded.sequence,
                payload: sample.payload.clone(),
            })
            .collect();
        let planned = Chunk::of(1, &samples);
        let (header, blob) =
            ca3_wire::rows::encode_chunk(1, ca3_wire::Codec::NONE, &messages).unwrap();
        assert_eq!(planned.blob(), blob, "seed {seed}");
        assert_eq!(planned.field_mask, header.field_mask.0, "seed {seed}");
        assert_eq!(planned.seq_first, header.seq_first, "seed {seed}");
        assert_eq!(planned.wall_base_ns, header.wall_base_ns, "seed {seed}");
        assert_eq!(planned.flags, header.flags, "seed {seed}");
        let columnar = Columnar::of(1, &samples);
        assert_eq!(columnar.field_mask, planned.field_mask, "seed {seed}");
    }
}

#[test]
fn a_list_that_nobody_reads_is_no_panic() {
    let (reading, writing) = std::io::pipe().unwrap();
    drop(reading);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ca3-corpus"));
    let output = command.arg("list").stdout(writing).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
