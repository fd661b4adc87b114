//! What a file holds, for the report: taken from what the scan keeps, and
//! bounded however much that is.
//!
//! - `streams`: each stream with its chunks over time.
//! - `spans`: chunks as spans, gaps and overlaps.
//! - `schemas`: schemas and their tensor forms.
//! - `layout`: where chunks, checkpoints and summary lie.

mod layout;
mod schemas;
mod spans;
mod streams;

use ca3_reports::contents::Contents;

use crate::scan::Facts;

/// The longest text of a file that is repeated, in characters.
pub(crate) const LONGEST: usize = 200;

/// Besides what it gives, this takes less memory for each chunk than the scan paid
/// for the chunk's facts.
pub(crate) fn of(facts: &Facts) -> Contents {
    let mut contents = Contents::default();
    streams::fill(facts, &mut contents);
    schemas::fill(facts, &mut contents);
    contents.layout = layout::of(facts);
    contents
}

/// How many entries each of several may have.
fn share(in_all: usize, number: usize, least: usize, most: usize) -> usize {
    in_all
        .checked_div(number)
        .map_or(most, |share| share.clamp(least, most))
}

/// Places of at most `most` of `count` things, spread evenly, the last among them.
fn thinned(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let step = count.div_ceil(most.max(1)).max(1);
    let first = count.saturating_sub(1) % step;
    (first..count).step_by(step)
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thinned_keeps_its_last() {
        let places = |count, most| thinned(count, most).collect::<Vec<_>>();
        assert_eq!(places(0, 3), [0; 0]);
        assert_eq!(places(3, 3), [0, 1, 2]);
        assert_eq!(places(10, 3), [1, 5, 9]);
        assert_eq!(places(7, 3), [0, 3, 6]);
        assert_eq!(places(100_000, 200).len(), 200);
    }

    #[test]
    fn shares_stay_within_their_bounds() {
        assert_eq!(share(6_000, 0, 4, 200), 200);
        assert_eq!(share(6_000, 60, 4, 200), 100);
        assert_eq!(share(6_000, 9_000, 4, 200), 4);
    }
}
