//! A file cut anywhere (§8.4).

use super::{ordinary, payloads, recovered};
use crate::l1::{BytesSource, Limits};
use crate::l4::{Method, recover};

#[test]
fn every_whole_chunk_comes_back_and_nothing_else() {
    let file = ordinary();
    let bytes = file.bytes();
    let letters = ["ab", "cd", "ef", "g"];
    let header_end = 17 + u64::from(bytes[9]);
    for cut in 8..bytes.len() {
        let length = u64::try_from(cut).unwrap();
        let result = recovered(&bytes[..cut]);
        let whole = file.maker.entries.iter().zip(letters);
        let expected: String = whole
            .filter(|(entry, _)| entry.chunk_offset + entry.chunk_length <= length)
            .map(|(_, letters)| letters)
            .collect();
        assert_eq!(payloads(&result).concat(), expected, "cut at {cut}");
        assert!(result.truncated && !result.complete);
        assert_eq!(
            result.header.is_some(),
            length >= header_end,
            "cut at {cut}"
        );
        let held = file.checkpoints.iter().filter(|offset| {
            let next = file.maker.entries.iter().map(|entry| entry.chunk_offset);
            next.filter(|next| next > offset).min().unwrap() <= length
        });
        let held = held.count();
        assert_eq!(result.checkpoints.len(), held, "cut at {cut}");
        let by_chain = result.method == Method::CheckpointChain;
        assert_eq!(by_chain, held > 0, "cut at {cut}");
        // What lies behind the stop is the one hole.
        let found = recover(&mut BytesSource(&bytes[..cut]), &Limits::default()).unwrap();
        let stop = found.stop.unwrap().at;
        let hole = stop..length;
        let holes = if stop < length {
            vec![hole]
        } else {
            Vec::new()
        };
        assert_eq!(found.holes, holes, "cut at {cut}");
    }
}

#[test]
fn a_sealed_file_cut_anywhere_says_that_it_is_truncated() {
    let file = ordinary();
    let sealed = file.maker.clone().seal();
    let data = usize::try_from(file.maker.length()).unwrap();
    for cut in data..sealed.len() {
        let result = recovered(&sealed[..cut]);
        assert!(result.truncated && !result.complete && !result.sealed);
        assert_eq!(payloads(&result).concat(), "abcdefg", "cut at {cut}");
        assert_eq!(result.method, Method::CheckpointChain);
    }
}
