//! The indexed reader over the corpus: it answers as the whole walk does, and
//! no cut and no length makes it panic or return a time without its basis.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod corpus;

use std::collections::BTreeMap;

use ca3_reader::l1::{self, BytesSource, Limits};
use ca3_reader::l2::results::{Basis, Verdict};
use ca3_reader::l2::{IndexedFile, Options};
use ca3_reader::l3::results::{Or, SampleTime};
use ca3_reader::l3::verify::Verification;
use ca3_spec::kind::Kind;
use ca3_spec::protocol::MessageView;
use ca3_spec::vector::Polarity;
use ca3_wire::annotate::annotate;
use corpus::{edges, files};

/// Memory granted to each question: far less than the lengths that are claimed.
const LIMITS: Limits = Limits { memory: 1 << 20 };

/// Asks everything that can be asked; whether the file could be opened.
fn ask(bytes: &[u8]) -> bool {
    let mut source = BytesSource(bytes);
    let Ok(mut file) = IndexedFile::open(&mut source, &LIMITS, Options::default()) else {
        return false;
    };
    let streams: Vec<u32> = file.streams().map(|stream| stream.stream_ref).collect();
    let _ = file.index();
    for loss in file.loss().iter().flat_map(|loss| &loss.streams) {
        let undecided = loss.verdict == Verdict::Indeterminate;
        assert_eq!(loss.missing.is_none(), undecided);
    }
    for t in [0, 1 << 40, u64::MAX] {
        for found in file
            .state_at(t, None)
            .iter()
            .flat_map(|state| &state.results)
        {
            assert_eq!(found.message.is_some(), found.time.is_some());
            assert!(found.basis != Basis::Unmapped || !found.degraded.is_empty());
        }
    }
    let window = file.window(0, u64::MAX, &streams);
    for found in window.iter().flat_map(|window| &window.messages) {
        let raw = found.message.monotonic_timestamp_ns;
        match found.basis {
            Basis::Exact => assert_eq!(found.time, raw),
            Basis::Ok | Basis::Degraded => {}
            Basis::Unmapped => assert!(found.time == raw && !found.degraded.is_empty()),
        }
    }
    timed(&mut file, &streams);
    true
}

/// Asks for clocks and times, and holds them against what a window says.
fn timed(file: &mut IndexedFile<'_>, streams: &[u32]) {
    if let Ok(clocks) = file.clocks() {
        assert_eq!(clocks.device_delays.len(), streams.len());
        let inconsistent = |kind| kind == Kind::MappingInconsistent;
        let told = clocks.problems.iter().any(|told| inconsistent(told.kind));
        let mut domains = clocks.domains.iter();
        let found = domains.any(|one| one.verification == Verification::Inconsistent);
        assert_eq!(told, found);
    }
    for stream_ref in streams {
        let Ok(times) = file.times(*stream_ref) else {
            continue;
        };
        let stamps = |sample: &SampleTime| sample.monotonic_timestamp_ns;
        assert!(times.samples.is_sorted_by_key(stamps));
        for sample in &times.samples {
            let total = matches!(sample.uncertainty, Or::Value(_));
            assert_eq!(total, sample.basis != Basis::Unmapped);
            // What a delay was taken off is no longer what the mapping gives.
            let corrected = matches!(&sample.device_delay, Or::Value(delay) if delay.applied);
            let raw = sample.time == sample.monotonic_timestamp_ns;
            let unaltered = matches!(sample.basis, Basis::Exact | Basis::Unmapped);
            assert!(raw || corrected || !unaltered);
        }
        let window = file.window(0, u64::MAX, &[*stream_ref]);
        let Ok(window) = window.map(|window| window.messages) else {
            continue;
        };
        // A mapping's inverse rounds, and may leave a message at either end out.
        let unaltered = |basis| matches!(basis, Basis::Exact | Basis::Unmapped);
        if times.samples.iter().all(|one| unaltered(one.basis)) {
            let of_window = window.iter().map(|one| one.message.monotonic_timestamp_ns);
            let of_window: Vec<_> = of_window.collect();
            let of_times: Vec<_> = times.samples.iter().map(stamps).collect();
            assert_eq!(of_window, of_times);
        }
    }
}

/// In stamps' order, equal ones in any.
fn by_stream(messages: impl Iterator<Item = MessageView>) -> BTreeMap<u32, Vec<MessageView>> {
    let mut streams: BTreeMap<u32, Vec<MessageView>> = BTreeMap::new();
    for message in messages {
        streams.entry(message.stream_ref).or_default().push(message);
    }
    for messages in streams.values_mut() {
        messages.sort_by_key(|message| {
            let payload = message.payload.0.clone();
            let stamps = (message.monotonic_timestamp_ns, message.source_timestamp_ns);
            (stamps, payload, message.sequence)
        });
    }
    streams
}

#[test]
fn a_window_over_everything_is_the_whole_file() {
    let mut opened = 0;
    for case in ca3_vectors::cases().unwrap() {
        let Some(bytes) = case.bytes(Polarity::Valid) else {
            continue;
        };
        let Ok(whole) = l1::read(&mut BytesSource(bytes), &Limits::default()) else {
            continue;
        };
        let id = &case.sidecar.id;
        let mut source = BytesSource(bytes);
        let file = IndexedFile::open(&mut source, &Limits::default(), Options::default());
        let Ok(mut file) = file else {
            // A file for recovery may be sealed and damaged, and valid as such.
            let steps = case.sidecar.valid.vector().map(|vector| &vector.steps);
            let recovered = steps.is_some_and(|steps| steps.iter().any(|it| it.op == "recover"));
            // The Footer's first field, 36 bytes from the end: no summary.
            let start = bytes.len().checked_sub(36);
            let unindexed = start.is_some_and(|start| bytes[start..start + 8] == [0; 8]);
            assert!(
                !whole.sealed || !whole.problems.is_empty() || unindexed || recovered,
                "{id}"
            );
            continue;
        };
        opened += 1;
        assert!(whole.sealed, "{id}");
        let streams: Vec<u32> = file.streams().map(|stream| stream.stream_ref).collect();
        let window = file.window(0, u64::MAX, &streams);
        let window = window.unwrap_or_else(|report| panic!("{id}: {report:?}"));
        let exact = |basis| matches!(basis, Basis::Exact | Basis::Unmapped);
        if !window.messages.iter().all(|one| exact(one.basis)) {
            continue;
        }
        let asked = by_stream(window.messages.into_iter().map(|one| one.message));
        assert_eq!(asked, by_stream(whole.messages.into_iter()), "{id}");
    }
    assert!(opened > 100, "only {opened} files");
}

#[test]
fn a_cut_file_has_no_index() {
    for (name, bytes) in files() {
        for cut in edges(&bytes) {
            let opened = ask(&bytes[..cut]);
            // An invalid file may be a whole one with something behind it.
            assert!(!opened || name.ends_with(" invalid"), "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_perturbed_field_is_survived() {
    for (_, bytes) in files() {
        let _ = ask(&bytes);
        for record in annotate(&bytes) {
            for span in &record.spans {
                let start = usize::try_from(span.offset).unwrap();
                let width = usize::try_from(span.length.min(8)).unwrap();
                for (at, value) in [(0, 0x00), (0, 0xFF), (width.saturating_sub(1), 0xFF)] {
                    let mut damaged = bytes.clone();
                    if let Some(byte) = damaged.get_mut(start + at).filter(|_| width > 0) {
                        *byte = value;
                        let _ = ask(&repaired(damaged));
                    }
                }
            }
        }
    }
}

/// The same with a summary checksum that holds, where there is a summary: what
/// is wrong inside it is then met.
fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(footer) = bytes.len().checked_sub(45) else {
        return bytes;
    };
    let field = |at: usize| {
        let field = bytes[footer + 9 + at..footer + 17 + at].try_into().unwrap();
        usize::try_from(u64::from_le_bytes(field)).unwrap()
    };
    if bytes[footer] != 0x02 {
        return bytes;
    }
    let Some(stretch) = bytes.get(field(0)..field(8)) else {
        return bytes;
    };
    let crc = ca3_wire::crc::crc32c(stretch).to_le_bytes();
    bytes[footer + 33..footer + 37].copy_from_slice(&crc);
    bytes
}
