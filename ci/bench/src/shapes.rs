//! The files that queries are put to, each of another shape.

use ca3_wire::Codec;

use crate::Outcome;
use crate::sealed::{Layout, Maker, Sealed};

/// Messages of a chunk, where the shape does not say otherwise.
const MESSAGES: u64 = 64;
/// Chunks of a stream.
const CHUNKS: u64 = 256;
/// Nanoseconds between two stamps: instants of queries lie between them.
const STEP: u64 = 10;
/// Payload bytes of a message: chunks come to some sixteen kibibytes.
const PAYLOAD: usize = 256;

/// A file, and what is asked of it.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) file: Sealed,
    /// The streams that are asked for.
    pub(crate) streams: Vec<u32>,
    /// Where `state_at` is asked; no message has such a stamp.
    pub(crate) instants: Vec<u64>,
    pub(crate) windows: Vec<(u64, u64)>,
    /// What else `state_at` is compared with.
    pub(crate) also: Option<Also>,
}

/// Another measure for `state_at` than what the index demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Also {
    /// What the search of §9.1 fetches: the index would allow less.
    Search,
    /// What a message's place in a columnar chunk allows (§6.5): parts of the
    /// chunk, of which its checksum cannot be checked.
    Address,
}

/// All shapes, in the order of the table.
pub(crate) fn all() -> Outcome<Vec<Shape>> {
    Ok(vec![
        plain("disjoint", (Layout::Rows, Codec::NONE))?,
        plain("zstd", (Layout::Rows, Codec::ZSTD))?,
        Shape {
            also: Some(Also::Address),
            ..plain("columnar", (Layout::Columns, Codec::NONE))?
        },
        plain("columnar zstd", (Layout::Columns, Codec::ZSTD))?,
        late()?,
        nested()?,
        many("1 of 20 streams", vec![7])?,
        many("20 of 20 streams", (1..=20).collect())?,
    ])
}

/// One stream, chunk after chunk in order of time.
fn plain(name: &'static str, form: (Layout, Codec)) -> Outcome<Shape> {
    let mut maker = Maker::new(1)?;
    for chunk in 0..CHUNKS {
        maker.chunk(1, form, regular(chunk), PAYLOAD)?;
    }
    Ok(Shape {
        name,
        file: maker.seal()?,
        streams: vec![1],
        instants: instants(),
        windows: windows(),
        also: None,
    })
}

/// Each chunk begins with a message that came late: it belongs among those of
/// the chunk before, so that every chunk overlaps its neighbours (§7.2).
fn late() -> Outcome<Shape> {
    let mut maker = Maker::new(1)?;
    for chunk in 0..CHUNKS {
        let mut stamps = regular(chunk);
        if let Some(first) = stamps.first().filter(|_| chunk > 0) {
            // A stamp that no other message has.
            stamps.insert(0, first.saturating_sub(STEP * 6 + 1));
        }
        maker.chunk(1, (Layout::Rows, Codec::NONE), stamps, PAYLOAD)?;
    }
    Ok(Shape {
        name: "overlapping",
        file: maker.seal()?,
        streams: vec![1],
        instants: instants(),
        windows: windows(),
        also: None,
    })
}

/// Eight chunks one within the other, again and again; it is asked what is in
/// force once all eight have ended, which the outermost alone answers.
fn nested() -> Outcome<Shape> {
    const DEPTH: u64 = 8;
    /// Nanoseconds from one set of eight to the next.
    const SET: u64 = 100_000;
    let mut maker = Maker::new(1)?;
    let sets = CHUNKS / DEPTH;
    for set in 0..sets {
        for depth in 0..DEPTH {
            let from = set * SET + depth * 1000;
            let to = (set + 1) * SET - 20_000 - depth * 1000;
            let between = (1..MESSAGES - 1).map(|place| set * SET + 30_000 + place * 100 + depth);
            let stamps = [from].into_iter().chain(between).chain([to]).collect();
            maker.chunk(1, (Layout::Rows, Codec::NONE), stamps, PAYLOAD)?;
        }
    }
    Ok(Shape {
        name: "nested",
        file: maker.seal()?,
        streams: vec![1],
        instants: (0..sets).map(|set| (set + 1) * SET - 5).collect(),
        windows: (0..sets)
            .map(|set| (set * SET + 35_000, set * SET + 36_000))
            .collect(),
        also: Some(Also::Search),
    })
}

/// Twenty streams of which the first has 95 bytes of every hundred; their
/// chunks alternate.
fn many(name: &'static str, streams: Vec<u32>) -> Outcome<Shape> {
    let mut maker = Maker::new(20)?;
    let form = (Layout::Rows, Codec::NONE);
    for chunk in 0..CHUNKS {
        maker.chunk(1, form, regular(chunk), 1700)?;
        for stream_ref in 2..=20 {
            let slow = regular(chunk).into_iter().step_by(8).collect();
            maker.chunk(stream_ref, form, slow, 16)?;
        }
    }
    Ok(Shape {
        name,
        file: maker.seal()?,
        streams,
        instants: instants(),
        windows: windows(),
        also: None,
    })
}

/// Stamps at even distances, chunk after chunk.
pub(crate) fn regular(chunk: u64) -> Vec<u64> {
    let first = chunk * MESSAGES;
    (first..first + MESSAGES)
        .map(|place| place * STEP)
        .collect()
}

/// Sixty-four instants all over the file.
fn instants() -> Vec<u64> {
    let stamps = CHUNKS * MESSAGES;
    let spread = (0..64u64).map(|query| query * 12_347 % stamps);
    spread.map(|place| place * STEP + STEP / 2).collect()
}

/// Sixteen windows all over the file, ten chunks wide.
fn windows() -> Vec<(u64, u64)> {
    let width = 10 * MESSAGES * STEP;
    let starts = instants().into_iter().take(16);
    starts.map(|from| (from, from + width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_many_streams_has_95_bytes_of_every_hundred() {
        let file = many("", Vec::new()).unwrap().file;
        let first = file.chunks.iter().filter(|chunk| chunk.stream_ref == 1);
        let first: u64 = first.map(|chunk| chunk.length).sum();
        let share = first * 1000 / file.length();
        assert!((945..=955).contains(&share), "{share} per mille");
    }

    #[test]
    fn the_same_bytes_come_out_every_time() {
        for (one, other) in all().unwrap().iter().zip(&all().unwrap()) {
            assert_eq!(one.file.bytes, other.file.bytes, "{}", one.name);
        }
    }

    /// What `least::of_state` rests on.
    #[test]
    fn no_instant_is_a_stamp_and_no_chunk_is_short() {
        for shape in all().unwrap() {
            for chunk in &shape.file.chunks {
                assert!(chunk.stamps.len() >= 3 && chunk.stamps.is_sorted());
                assert!(shape.instants.iter().all(|at| !chunk.stamps.contains(at)));
            }
        }
    }
}
