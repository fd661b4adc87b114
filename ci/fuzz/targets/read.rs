//! The reader over any bytes.
//!
//! It never panics, the same bytes give the same answer, an answer survives its
//! own JSON, and what is read of the file's beginning is a beginning of what is
//! read of the file. Through the index nothing panics either, whatever is asked.

#![no_main]

use ca3_reader::l1::{BytesSource, Limits, read};
use ca3_reader::l2::{IndexedFile, Options};
use ca3_spec::protocol::{ReadResult, Report};
use libfuzzer_sys::fuzz_target;

/// Small beside what the fuzzer itself may take.
const LIMITS: Limits = Limits { memory: 64 << 20 };

fn answer(bytes: &[u8]) -> Result<ReadResult, Box<Report>> {
    read(&mut BytesSource(bytes), &LIMITS)
}

/// A place to cut that the bytes choose themselves.
fn cut(bytes: &[u8]) -> usize {
    let sum = bytes.iter().fold(0usize, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(usize::from(*byte))
    });
    sum % (bytes.len() + 1)
}

/// Asks everything that the higher levels ask.
fn ask(bytes: &[u8]) {
    let mut source = BytesSource(bytes);
    let Ok(mut file) = IndexedFile::open(&mut source, &LIMITS, Options::default()) else {
        return;
    };
    let streams: Vec<u32> = file.streams().map(|stream| stream.stream_ref).collect();
    let _ = file.index();
    let _ = file.loss();
    let _ = file.state_at(u64::MAX / 2, None);
    let _ = file.window(0, u64::MAX, &streams);
    let _ = file.clocks();
    for stream_ref in streams {
        let _ = file.times(stream_ref);
    }
}

fuzz_target!(|bytes: &[u8]| {
    ask(bytes);
    let whole = answer(bytes);
    assert_eq!(whole, answer(bytes), "two answers to the same bytes");
    let part = answer(&bytes[..cut(bytes)]);
    let Ok(whole) = whole else { return };
    let text = serde_json::to_string(&whole).expect("an answer is JSON");
    let back: ReadResult = serde_json::from_str(&text).expect("an answer's own JSON is read");
    assert_eq!(whole, back, "an answer and its own JSON");
    if let Ok(part) = part {
        assert!(
            whole.messages.starts_with(&part.messages),
            "a file cut short gives messages that the file does not"
        );
    }
});
