//! Sequence arithmetic (§6.4): numbers run from 1 to `u32::MAX` and wrap back
//! to 1, so that 0 stays free for "absent".

/// How many sequence numbers there are.
const NUMBERS: i128 = (1 << 32) - 1;

/// `((x - 1) mod (2^32 - 1)) + 1`, the modulus Euclidean (reading G14).
pub fn wrap(x: i128) -> u32 {
    let number = x.saturating_sub(1).rem_euclid(NUMBERS).saturating_add(1);
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The sequence of message `index` in a chunk whose messages carry none of
/// their own: counted from `seq_first`, or absent where that is 0.
#[inline]
pub fn implied(seq_first: u32, index: u32) -> Option<u32> {
    if seq_first == 0 {
        return None;
    }
    // Only what does not fit wraps.
    let number = seq_first.checked_add(index);
    Some(number.unwrap_or_else(|| wrap(i128::from(seq_first) + i128::from(index))))
}

/// The sequence of message `index` that carries `delta` of its own.
pub fn stated(seq_first: u32, index: u32, delta: i64) -> u32 {
    wrap(i128::from(seq_first) + i128::from(index) + i128::from(delta))
}

/// The delta of least magnitude that states `sequence` for message `index`.
pub fn delta(seq_first: u32, index: u32, sequence: u32) -> i64 {
    let plain = i128::from(sequence) - i128::from(seq_first) - i128::from(index);
    let up = plain.rem_euclid(NUMBERS);
    let least = if up > NUMBERS / 2 { up - NUMBERS } else { up };
    i64::try_from(least).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_after_the_last_is_one() {
        for (x, sequence) in [
            (1, 1),
            (4_294_967_294, 4_294_967_294),
            (4_294_967_295, u32::MAX),
            (4_294_967_296, 1),
            (4_294_967_297, 2),
            (0, u32::MAX),
            (-1, u32::MAX - 1),
            (-4_294_967_295, u32::MAX),
        ] {
            assert_eq!(wrap(x), sequence, "wrap({x})");
        }
    }

    #[test]
    fn implied_sequences_start_at_seq_first_or_are_absent() {
        assert_eq!(implied(0, 0), None);
        assert_eq!(implied(0, 9), None);
        assert_eq!(implied(7, 0), Some(7));
        assert_eq!(implied(u32::MAX, 1), Some(1));
    }

    #[test]
    fn a_delta_states_its_sequence_the_shorter_way_round() {
        assert_eq!(delta(5, 1, 6), 0);
        assert_eq!(delta(5, 1, 9), 3);
        assert_eq!(delta(u32::MAX, 1, 1), 0);
        assert_eq!(delta(u32::MAX, 0, 1), 1);
        assert_eq!(delta(1, 0, u32::MAX), -1);
        for (first, index, sequence) in [
            (0, 0, 1),
            (0, 3, u32::MAX),
            (9, 2, 1),
            (u32::MAX, 5, 2_147_483_648),
            (1, 0, 1),
        ] {
            assert_eq!(
                stated(first, index, delta(first, index, sequence)),
                sequence
            );
        }
    }

    /// The delta's code with the absent form beside it still fits the four
    /// bytes of a columnar sequence (reading G23 never comes up).
    #[test]
    fn every_delta_fits_a_columnar_cell() {
        for sequence in [1, 2_147_483_647, 2_147_483_648, 2_147_483_649, u32::MAX] {
            let code = crate::varint::zigzag_encode(delta(1, 0, sequence));
            assert!(code < u64::from(u32::MAX), "{sequence}");
        }
    }
}
