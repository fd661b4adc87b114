//! The sequence numbers of a stream, and those that are missing (§6.4, §7.4).

use std::collections::BTreeMap;

/// How many sequence numbers there are: from 1 to 2^32 - 1, and on from 1.
const NUMBERS: i128 = (1 << 32) - 1;

/// The sequences of a stream's messages in the order in which they were stored.
///
/// Numbers that follow each other take the memory of one.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    /// First and last of each unbroken stretch, counted on past each wrap.
    stretches: BTreeMap<i128, i128>,
    /// The number before, counted on likewise.
    previous: Option<i128>,
}

impl Sequences {
    /// Takes the next message's number; whether that took another stretch.
    pub(super) fn take(&mut self, sequence: u32) -> bool {
        let number = self.unwrapped(sequence);
        self.previous = Some(number);
        let before = self.stretches.range(..=number).next_back();
        let before = before.map(|(first, last)| (*first, *last));
        let joins = match before {
            Some((_, last)) if number <= last => return false,
            Some((first, last)) if last + 1 == number => Some(first),
            _ => None,
        };
        let behind = self.stretches.remove(&(number + 1));
        let first = joins.unwrap_or(number);
        let last = behind.unwrap_or(number);
        self.stretches.insert(first, last);
        joins.is_none() && behind.is_none()
    }

    /// The number that continues the count at the least distance from the one
    /// before, up or down.
    fn unwrapped(&self, sequence: u32) -> i128 {
        let Some(previous) = self.previous else {
            return i128::from(sequence);
        };
        let up = (i128::from(sequence) - previous).rem_euclid(NUMBERS);
        let step = if up > NUMBERS / 2 { up - NUMBERS } else { up };
        previous + step
    }

    /// Whether no number was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// How many numbers between the first and the last are held by none; 128
    /// bits hold any count that a file can cause.
    pub(super) fn missing(&self) -> i128 {
        let first = self.stretches.first_key_value().map(|(first, _)| *first);
        let last = self.stretches.last_key_value().map(|(_, last)| *last);
        let (Some(first), Some(last)) = (first, last) else {
            return 0;
        };
        let held: i128 = self
            .stretches
            .iter()
            .map(|(first, last)| last - first + 1)
            .sum();
        last - first + 1 - held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(numbers: &[u32]) -> i128 {
        let mut sequences = Sequences::default();
        for number in numbers {
            sequences.take(*number);
        }
        sequences.missing()
    }

    #[test]
    fn what_no_message_holds_is_missing() {
        assert_eq!(missing(&[]), 0);
        assert_eq!(missing(&[7]), 0);
        assert_eq!(missing(&[1, 2, 5]), 2);
        assert_eq!(missing(&[1, 2, 3]), 0);
        // Late, twice, and before the first stored.
        assert_eq!(missing(&[1, 3, 2, 4]), 0);
        assert_eq!(missing(&[1, 5, 5, 3]), 2);
        assert_eq!(missing(&[5, 2, 4]), 1);
    }

    #[test]
    fn the_count_goes_on_from_the_greatest_number_to_one() {
        const LAST: u32 = u32::MAX;
        assert_eq!(missing(&[LAST - 1, LAST, 1]), 0);
        assert_eq!(missing(&[LAST - 1, 1, LAST, 2]), 0);
        assert_eq!(missing(&[LAST - 2, 2]), 3);
        assert_eq!(missing(&[1, LAST, 2]), 0);
    }

    #[test]
    fn memory_is_a_stretch_and_not_a_number() {
        let mut sequences = Sequences::default();
        let new: Vec<bool> = [10, 11, 13, 12, 20, 19, 11, 30]
            .map(|number| sequences.take(number))
            .to_vec();
        assert_eq!(new, [true, false, true, false, true, false, false, true]);
        assert_eq!(sequences.stretches.len(), 3);
        assert_eq!(sequences.missing(), 21 - 7);
    }
}
