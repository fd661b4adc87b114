//! The reader over any bytes.
//!
//! It never panics, the same bytes give the same answer, an answer survives its
//! own JSON, and what is read of the file's beginning is a beginning of what is
//! read of the file. Through the index nothing panics either, whatever is asked.
//! Recovery refuses nothing that is read, and gives back what reading does.

#![no_main]

use ca3_reader::l1::{BytesSource, Limits, read};
use ca3_reader::l2::{IndexedFile, Options};
use ca3_reader::l4::results::{RecoverResult, recover_all};
use ca3_spec::kind::Kind;
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

/// Recovers the file, twice.
fn recovered(bytes: &[u8]) -> Result<RecoverResult, Box<Report>> {
    let recover = || recover_all(&mut BytesSource(bytes), &LIMITS);
    let recovered = recover();
    assert_eq!(recovered, recover(), "two recoveries of the same bytes");
    recovered
}

/// What is read of a file that is not sealed comes back when it is recovered, in
/// the same order, and is never called whole. Reading takes a definition from a
/// checkpoint that does not know its own place, and recovery does not (§8.2).
fn compare(read: &ReadResult, recovered: &RecoverResult) {
    assert_eq!(read.sealed, recovered.sealed);
    assert!(read.sealed || !recovered.complete);
    if read.sealed {
        return;
    }
    let mut back = recovered.messages.iter();
    let declared = |stream_ref| {
        let mut streams = recovered.streams.iter();
        streams.any(|stream| stream.stream_ref == stream_ref)
    };
    let both = read.messages.iter();
    for message in both.filter(|message| declared(message.stream_ref)) {
        assert!(
            back.any(|one| one == message),
            "a message is read and not recovered"
        );
    }
}

fuzz_target!(|bytes: &[u8]| {
    ask(bytes);
    let whole = answer(bytes);
    assert_eq!(whole, answer(bytes), "two answers to the same bytes");
    match (&whole, recovered(bytes)) {
        (Ok(read), Ok(recovered)) => compare(read, &recovered),
        (Ok(_), Err(report)) => assert_eq!(report.kind, Kind::LimitExceeded, "{report:?}"),
        (Err(_), _) => {}
    }
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
