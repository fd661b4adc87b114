//! Varints and zigzag (§1.4).
//!
//! ```text
//! 300      =  AC 02        0b10_0101100: low seven bits first,
//!             |  +-- 02       the high bit set on all but the last byte
//!             +----- 2C | 80
//! ```

use crate::error::Fault;

/// The most bytes that a varint may take.
pub const MAX_BYTES: usize = 10;

/// Appends the shortest encoding of a value.
pub fn encode(value: u64, out: &mut Vec<u8>) {
    let mut rest = value;
    while let [low, ..] = rest.to_le_bytes()
        && rest >= 0x80
    {
        out.push(low | 0x80);
        rest >>= 7;
    }
    let [last, ..] = rest.to_le_bytes();
    out.push(last);
}

/// Bytes that the shortest encoding of a value takes.
pub const fn length(value: u64) -> usize {
    let mut length = 1;
    let mut rest = value >> 7;
    while rest > 0 {
        length += 1;
        rest >>= 7;
    }
    length
}

/// The value at the start of `bytes` and how many bytes it takes.
///
/// # Errors
/// [`Fault::VarintTooLong`] for more than ten bytes or 64 bits (reading G13),
/// [`Fault::VarintNotCanonical`] for a longer form than need be, and
/// [`Fault::VarintUnended`] where the bytes end first.
#[inline]
pub fn decode(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    // Most are short: lengths of samples, codes of what is absent.
    match *bytes {
        [first, ..] if first < 0x80 => Ok((u64::from(first), 1)),
        [first, second @ 1..0x80, ..] => Ok((u64::from(first & 0x7F) | u64::from(second) << 7, 2)),
        _ => decode_words(bytes).map_or_else(|| decode_long(bytes), Ok),
    }
}

/// One of up to eight bytes, in front of as many, taken at once; `None` for what is out of
/// the ordinary.
#[inline]
fn decode_words(bytes: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let ends = !word & 0x8080_8080_8080_8080;
    // The bits up to the top one of the last byte; all of them where none ends.
    let bits = ends ^ ends.wrapping_sub(1);
    let last = word & bits & !(bits >> 8);
    if ends == 0 || last == 0 {
        return None;
    }
    // Seven bits of each byte, then pushed together by twos, fours and eights.
    let sevens = word & bits & 0x7F7F_7F7F_7F7F_7F7F;
    let twos = (sevens & 0x007F_007F_007F_007F) | ((sevens & 0x7F00_7F00_7F00_7F00) >> 1);
    let fours = (twos & 0x0000_3FFF_0000_3FFF) | ((twos & 0x3FFF_0000_3FFF_0000) >> 2);
    let value = (fours & 0x0FFF_FFFF) | ((fours & 0x0FFF_FFFF_0000_0000) >> 4);
    let used = usize::try_from((ends.trailing_zeros() >> 3) + 1).ok()?;
    Some((value, used))
}

#[cold]
fn decode_long(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    let mut value = 0u64;
    for (index, byte) in bytes.iter().copied().take(MAX_BYTES).enumerate() {
        let group = u64::from(byte & 0x7F);
        let shifted = group << (7 * index);
        if shifted >> (7 * index) != group {
            return Err(Fault::VarintTooLong);
        }
        value |= shifted;
        if byte & 0x80 == 0 {
            let used = index + 1;
            if byte == 0 && index > 0 {
                return Err(Fault::VarintNotCanonical {
                    value,
                    bytes: crate::width::wide(used),
                });
            }
            return Ok((value, used));
        }
    }
    if bytes.len() >= MAX_BYTES {
        Err(Fault::VarintTooLong)
    } else {
        Err(Fault::VarintUnended)
    }
}

/// Maps a signed value onto an unsigned one, small magnitudes first.
pub const fn zigzag_encode(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The signed value of a zigzag code.
pub const fn zigzag_decode(code: u64) -> i64 {
    (code >> 1).cast_signed() ^ -((code & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand from §1.4: value, bytes.
    const KNOWN: &[(u64, &[u8])] = &[
        (0, &[0x00]),
        (1, &[0x01]),
        (127, &[0x7F]),
        (128, &[0x80, 0x01]),
        (300, &[0xAC, 0x02]),
        (16_383, &[0xFF, 0x7F]),
        (16_384, &[0x80, 0x80, 0x01]),
        (
            1 << 62,
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40],
        ),
        (
            1 << 63,
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ),
        (
            u64::MAX,
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ),
    ];

    #[test]
    fn known_values_encode_and_decode() {
        for (value, bytes) in KNOWN {
            let mut out = Vec::new();
            encode(*value, &mut out);
            assert_eq!(out, *bytes, "{value}");
            assert_eq!(decode(bytes), Ok((*value, bytes.len())));
            assert_eq!(length(*value), bytes.len());
        }
    }

    /// What follows a varint, and how much, changes nothing of it.
    #[test]
    fn whatever_follows_is_not_looked_at() {
        for (value, bytes) in KNOWN {
            for tail in [[0x00; 12], [0x01; 12], [0x80; 12], [0xFF; 12]] {
                for length in 0..=tail.len() {
                    let whole = [*bytes, &tail[..length]].concat();
                    assert_eq!(decode(&whole), Ok((*value, bytes.len())), "{whole:02x?}");
                }
            }
        }
        for length in 2..=MAX_BYTES {
            let mut bytes = vec![0xFF; length - 1];
            bytes.push(0);
            let fault = decode(&bytes);
            let not_canonical = matches!(fault, Err(Fault::VarintNotCanonical { bytes, .. })
                if bytes == crate::width::wide(length));
            assert!(not_canonical, "{length}: {fault:?}");
            bytes.extend([1; 9]);
            assert_eq!(decode(&bytes), fault, "{length}");
        }
        for length in 1..=MAX_BYTES {
            let value = u64::MAX >> (64 - (7 * length).min(64));
            let mut bytes = Vec::new();
            encode(value, &mut bytes);
            assert_eq!(bytes.len(), length);
            bytes.extend([0xAA; 9]);
            assert_eq!(decode(&bytes), Ok((value, length)));
        }
    }

    #[test]
    fn a_longer_form_is_rejected_at_every_length() {
        for length in 2..=MAX_BYTES {
            let mut bytes = vec![0x80; length];
            bytes[0] = 0x85;
            bytes[length - 1] = 0x00;
            let expected = Fault::VarintNotCanonical {
                value: 5,
                bytes: crate::width::wide(length),
            };
            assert_eq!(decode(&bytes), Err(expected));
        }
    }

    #[test]
    fn ten_bytes_hold_no_more_than_64_bits() {
        for last in 2..=0x7F {
            let mut bytes = [0xFF; 10];
            bytes[9] = last;
            assert_eq!(
                decode(&bytes),
                Err(Fault::VarintTooLong),
                "last byte {last:#x}"
            );
        }
        assert_eq!(decode(&[0x80; 11]), Err(Fault::VarintTooLong));
        assert_eq!(decode(&[0x80; 9]), Err(Fault::VarintUnended));
        assert_eq!(decode(&[]), Err(Fault::VarintUnended));
    }

    #[test]
    fn zigzag_interleaves_signs() {
        for (code, value) in [
            (0, 0),
            (1, -1),
            (2, 1),
            (3, -2),
            (u64::MAX - 1, i64::MAX),
            (u64::MAX, i64::MIN),
        ] {
            assert_eq!(zigzag_decode(code), value);
            assert_eq!(zigzag_encode(value), code);
        }
    }
}
