//! Damage anywhere, and files made to take long.

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::Checkpoint;

use super::{Kept, all, ordinary, payloads, recovered};
use crate::l1::{BytesSource, Limits};
use crate::l4::{Method, recover};

/// A longer file, its chunks' letters and where each ends.
fn long() -> (Kept, Vec<(u64, u64, String)>) {
    let mut file = Kept::new();
    let mut chunks = Vec::new();
    for round in 0..12u8 {
        let letters: Vec<String> = (0..2)
            .map(|i| char::from(b'A' + round * 2 + i).to_string())
            .collect();
        let stamp = 100 * u64::from(round);
        let stamps = [
            (stamp, letters[0].as_str()),
            (stamp + 1, letters[1].as_str()),
        ];
        let offset = file.chunk(1 + u32::from(round % 2), &stamps);
        chunks.push((offset, file.maker.length(), letters.concat()));
        if round % 3 == 2 {
            file.checkpoint();
        }
    }
    (file, chunks)
}

#[test]
fn what_lies_whole_before_the_damage_comes_back_and_nothing_is_made_up() {
    let (file, chunks) = long();
    let bytes = file.bytes();
    let mut random = fastrand::Rng::with_seed(6);
    let written: String = chunks
        .iter()
        .map(|(_, _, letters)| letters.as_str())
        .collect();
    for _ in 0..3000 {
        let start = random.usize(25..bytes.len());
        let length = random.usize(1..120).min(bytes.len() - start);
        let mut spoilt = bytes.clone();
        for byte in &mut spoilt[start..start + length] {
            *byte = match start % 3 {
                0 => 0,
                1 => 0xFF,
                _ => random.u8(..),
            };
        }
        let result = recovered(&spoilt);
        let back = payloads(&result).concat();
        for (_, end, letters) in &chunks {
            let before = usize::try_from(*end).unwrap() <= start;
            assert!(
                !before || back.contains(letters),
                "{letters} of {start}+{length}: {back}"
            );
        }
        // In the order of writing, each at most once: a subsequence.
        let mut left = written.chars();
        for letter in back.chars() {
            assert!(left.any(|next| next == letter), "{start}+{length}: {back}");
        }
        assert!(result.truncated && !result.complete);
    }
}

#[test]
fn damage_between_two_checkpoints_costs_what_it_touches() {
    let (file, chunks) = long();
    let bytes = file.bytes();
    // Any byte of a chunk in front of the last checkpoint: the rest comes back.
    for (index, (offset, end, letters)) in chunks.iter().enumerate() {
        for at in *offset..*end {
            let mut spoilt = bytes.clone();
            spoilt[usize::try_from(at).unwrap()] ^= 0xA5;
            let back = payloads(&recovered(&spoilt)).concat();
            for (other, (_, _, kept)) in chunks.iter().enumerate() {
                assert!(
                    other == index || back.contains(kept.as_str()),
                    "{kept} is lost by byte {at} of {letters}: {back}"
                );
            }
        }
    }
}

#[test]
fn a_file_of_nothing_but_sentinels_ends() {
    let mut bytes = ordinary().bytes();
    bytes.truncate(200);
    bytes.push(0);
    for _ in 0..100_000 {
        bytes.extend(Checkpoint::SENTINEL);
    }
    let result = recovered(&bytes);
    assert_eq!(result.method, Method::SpineWalk);
}

#[test]
fn candidates_that_each_need_a_long_checksum_are_given_up() {
    // Frames that each reach to a trailer of their own, the n-th from the front to
    // the n-th: every checksum but none holds.
    let mut bytes = ordinary().bytes();
    let stop = bytes.len();
    bytes.push(0);
    let count = 3000u64;
    let frames = u64::try_from(bytes.len()).unwrap();
    let trailers = frames + 9 * count;
    for n in 0..count {
        let (offset, end) = (frames + 9 * n, trailers + 36 * (n + 1));
        let frame = RecordFrame {
            opcode: op::CHECKPOINT,
            offset,
            content_length: end - offset - 9,
        };
        bytes.extend(frame.encode());
    }
    for n in 0..count {
        bytes.extend(Checkpoint::SENTINEL);
        bytes.extend((frames + 9 * n).to_le_bytes());
        bytes.extend([7; 20]);
    }
    let result = recovered(&bytes);
    assert_eq!(payloads(&result), all("abcdefg"));
    assert_eq!(result.stopped_at.map(|at| at.0), u64::try_from(stop).ok());
    let kinds: Vec<Kind> = result.problems.iter().map(|one| one.kind).collect();
    assert!(kinds.contains(&Kind::LimitExceeded), "{kinds:?}");
}

#[test]
fn a_sentinel_across_two_blocks_is_found() {
    // The scan reads a mebibyte at a time from the end.
    for shift in 0..9usize {
        let mut file = Kept::new();
        file.chunk(1, &[(10, "a")]);
        let checkpoint = file.checkpoint();
        let mut bytes = file.bytes();
        let sentinel = bytes.len() - 36;
        // The spine breaks in front of the checkpoint.
        let chunk = usize::try_from(file.maker.entries[0].chunk_offset).unwrap();
        bytes[chunk] = 0;
        bytes.resize(sentinel + (1 << 20) + shift, 0);
        let found = recover(&mut BytesSource(&bytes), &Limits::default()).unwrap();
        assert_eq!(found.checkpoints[0].offset, checkpoint, "{shift}");
    }
}
