//! Bytes that `state_at` and `window` fetch (§9.1, §9.2).

use std::cell::Cell;
use std::rc::Rc;

use ca3_reader::l1::{BytesSource, Limits};
use ca3_reader::l2::{IndexedFile, Options};

use crate::counting::{Count, Counting};
use crate::shapes::{self, Also, Shape};
use crate::table::{CLOSE, Part, Ratio};
use crate::{Outcome, Refused, least};

/// Every shape, with its rows.
pub(crate) fn measure() -> Outcome<Part> {
    let mut part = Part::new("Bytes of queries, against the chunks that must be fetched");
    for shape in shapes::all()? {
        let (mut source, count) = Counting::new(BytesSource(&shape.file.bytes));
        let mut file = IndexedFile::open(&mut source, &Limits::default(), Options::default())
            .map_err(Refused)?;
        part.ratios.extend(states(&shape, &mut file, &count)?);
        part.ratios.extend(windows(&shape, &mut file, &count)?);
    }
    Ok(part)
}

fn states(
    shape: &Shape,
    file: &mut IndexedFile<'_>,
    count: &Rc<Cell<Count>>,
) -> Outcome<Vec<Ratio>> {
    let name = shape.name;
    count.set(Count::default());
    for instant in &shape.instants {
        let state = file
            .state_at(*instant, Some(&shape.streams))
            .map_err(Refused)?;
        let found = state.results.iter().map(|result| {
            let message = result.message.as_ref();
            message.map(|message| message.monotonic_timestamp_ns.0)
        });
        let streams = shape.streams.iter();
        let expected = streams.map(|stream| least::in_force(&shape.file, *stream, *instant));
        if !found.eq(expected) {
            return Err(format!("{name}: another message is in force at {instant}").into());
        }
    }
    let fetched = count.get();
    let sum = |of: fn(&_, _, _) -> u64| -> u64 {
        let instants = shape.instants.iter();
        instants
            .flat_map(|at| shape.streams.iter().map(move |stream| (*stream, *at)))
            .map(|(stream, at)| of(&shape.file, stream, at))
            .sum()
    };
    let row = |what: &str, least| {
        Ratio::new(format!("{name}: {what}"), fetched.bytes, least).in_reads(fetched.reads)
    };
    let by_index = row("state_at", sum(least::of_state));
    Ok(match shape.also {
        None => vec![by_index.bounded(CLOSE)],
        Some(Also::Search) => vec![
            by_index,
            row("state_at, by the search", sum(least::of_search)).bounded(CLOSE),
        ],
        Some(Also::Address) => vec![
            by_index.bounded(CLOSE),
            row("state_at, by address", sum(least::of_address)),
        ],
    })
}

fn windows(
    shape: &Shape,
    file: &mut IndexedFile<'_>,
    count: &Rc<Cell<Count>>,
) -> Outcome<Vec<Ratio>> {
    let name = shape.name;
    count.set(Count::default());
    let (mut bytes, mut reads) = (0u64, 0u64);
    for (from, to) in &shape.windows {
        let window = file.window(*from, *to, &shape.streams).map_err(Refused)?;
        let found = window
            .messages
            .iter()
            .map(|timed| timed.message.monotonic_timestamp_ns.0);
        let streams = shape.streams.iter();
        let expected = streams.flat_map(|stream| least::stamps(&shape.file, *stream, *from, *to));
        if !found.eq(expected) {
            return Err(format!("{name}: other messages from {from} to {to}").into());
        }
        bytes = bytes.saturating_add(least::of_window(&shape.file, &shape.streams, *from, *to));
        let runs = least::reads_of_window(&shape.file, &shape.streams, *from, *to);
        reads = reads.saturating_add(runs);
    }
    let fetched = count.get();
    let in_reads = Ratio::new(format!("{name}: window, reads"), fetched.reads, reads);
    Ok(vec![
        Ratio::new(format!("{name}: window"), fetched.bytes, bytes)
            .bounded(CLOSE)
            .in_reads(fetched.reads),
        // Streams are answered one after the other: what lies side by side in
        // the file is not asked for side by side.
        match shape.streams.len() {
            1 => in_reads.bounded(CLOSE),
            _ => in_reads,
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn every_row_is_within_its_bound_and_eighty_columns() {
        let part = measure().unwrap();
        assert!(part.ratios.len() > 20);
        for ratio in &part.ratios {
            assert!(!ratio.exceeds(), "{ratio:?}");
        }
        let text = table::text(&[part]);
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
}
