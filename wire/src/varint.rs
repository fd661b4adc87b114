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
pub fn decode(bytes: &[u8]) -> Result<(u64, usize), Fault> {
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
