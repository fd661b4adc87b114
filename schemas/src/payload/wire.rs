//! Protobuf's encoding, as much of it as a walk over a payload needs.
//!
//! ```text
//! tag = number << 3 | wire    then, by the wire type:
//!   0  varint                 up to ten bytes, seven bits in each
//!   1  8 bytes
//!   2  length : varint        and so many bytes
//!   3  fields                 up to a tag of the same number and wire type 4
//!   5  4 bytes
//! ```
//!
//! `ca3_wire::protobuf` reads the few messages that this format's own records need:
//! it knows no groups, gives no place of a fault, and goes through iterators of owned
//! values. Payloads come by the gigabyte and of any schema.

use ca3_wire::Fault;

/// A number in a varint.
pub(super) const VARINT: u32 = 0;
/// Eight bytes.
pub(super) const FIXED64: u32 = 1;
/// A length, and so many bytes.
pub(super) const LENGTH: u32 = 2;
/// Begins a group.
pub(super) const START: u32 = 3;
/// Ends a group.
pub(super) const END: u32 = 4;
/// Four bytes.
pub(super) const FIXED32: u32 = 5;

/// How far messages may hold messages, as protobuf's own parsers have it.
pub(super) const DEEPEST: u32 = 100;

/// Why bytes are not the message that they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Broken {
    /// A varint that the payload, or the message that it stands in, ends within.
    VarintUnended,
    /// A varint of more than ten bytes or 64 bits. Parsers disagree: some refuse it,
    /// some drop the upper bits.
    VarintTooLong,
    /// A tag of more than 32 bits.
    TagTooLong,
    /// A tag of field 0.
    FieldZero,
    /// A tag of wire type 6 or 7.
    NoWireType(u32),
    /// Fewer bytes are left than it takes.
    Cut {
        /// How many it takes.
        needs: u64,
        /// How many are left.
        left: u64,
    },
    /// A field of another wire type than its type has. Parsers in C++, Go and Java
    /// take such a field for an unknown one, and others refuse the message: either way
    /// its value is lost.
    WireType {
        /// What its type has.
        expected: u32,
        /// What its tag says.
        found: u32,
    },
    /// A string of a proto3 file that is not UTF-8.
    NotUtf8,
    /// The end of a group that did not begin, or not there.
    GroupEnd,
    /// A group without an end.
    GroupUnended,
    /// Messages that hold messages, more than a hundred deep.
    TooDeep,
}

/// Where in its slice something is broken: so many bytes before the slice's end.
pub(super) type Fails = (Broken, usize);

/// A varint and what follows. Unlike §1.4's, one of protobuf may be longer than it must.
#[inline(always)]
pub(super) fn varint(bytes: &[u8]) -> Result<(u64, &[u8]), Fails> {
    match bytes {
        [byte, rest @ ..] if *byte < 0x80 => Ok((u64::from(*byte), rest)),
        [low, high, rest @ ..] if *high < 0x80 => {
            Ok((u64::from(low & 0x7F) | u64::from(*high) << 7, rest))
        }
        _ => long_varint(bytes),
    }
}

fn long_varint(bytes: &[u8]) -> Result<(u64, &[u8]), Fails> {
    let (value, used) = match ca3_wire::varint::decode(bytes) {
        Ok(decoded) => decoded,
        Err(Fault::VarintNotCanonical { value, bytes: used }) => {
            (value, usize::try_from(used).unwrap_or(usize::MAX))
        }
        Err(Fault::VarintTooLong) => return Err((Broken::VarintTooLong, bytes.len())),
        Err(_) => return Err((Broken::VarintUnended, bytes.len())),
    };
    let rest = bytes.get(used..).unwrap_or_default();
    Ok((value, rest))
}

/// A field's tag and what follows.
#[inline(always)]
pub(super) fn tag(bytes: &[u8]) -> Result<(u32, &[u8]), Fails> {
    let (tag, rest) = varint(bytes)?;
    match u32::try_from(tag) {
        Ok(tag) if tag >= 8 => Ok((tag, rest)),
        Ok(_) => Err((Broken::FieldZero, bytes.len())),
        Err(_) => Err((Broken::TagTooLong, bytes.len())),
    }
}

/// So many bytes and what follows.
#[inline(always)]
pub(super) fn take(bytes: &[u8], length: usize) -> Result<(&[u8], &[u8]), Fails> {
    bytes.split_at_checked(length).ok_or_else(|| {
        let cut = Broken::Cut {
            needs: wide(length),
            left: wide(bytes.len()),
        };
        (cut, bytes.len())
    })
}

/// What a length is put before, and what follows.
#[inline(always)]
pub(super) fn delimited(bytes: &[u8]) -> Result<(&[u8], &[u8]), Fails> {
    let (length, rest) = varint(bytes)?;
    let taken = usize::try_from(length)
        .ok()
        .and_then(|length| rest.split_at_checked(length));
    taken.ok_or_else(|| {
        let cut = Broken::Cut {
            needs: length,
            left: wide(rest.len()),
        };
        (cut, bytes.len())
    })
}

/// Passes over a value, whatever it is.
pub(super) fn skip(number: u32, wire: u32, bytes: &[u8], levels: u32) -> Result<&[u8], Fails> {
    match wire {
        VARINT => varint(bytes).map(|(_, rest)| rest),
        FIXED64 => take(bytes, 8).map(|(_, rest)| rest),
        LENGTH => delimited(bytes).map(|(_, rest)| rest),
        FIXED32 => take(bytes, 4).map(|(_, rest)| rest),
        START => {
            let levels = levels
                .checked_sub(1)
                .ok_or((Broken::TooDeep, bytes.len()))?;
            let mut ahead = bytes;
            loop {
                if ahead.is_empty() {
                    return Err((Broken::GroupUnended, bytes.len()));
                }
                let (tag, rest) = tag(ahead)?;
                match (tag >> 3, tag & 7) {
                    (inner, END) if inner == number => return Ok(rest),
                    (inner, wire) => {
                        // A fault is told where it is: before the end of all the rest.
                        ahead = skip(inner, wire, rest, levels)?;
                    }
                }
            }
        }
        END => Err((Broken::GroupEnd, bytes.len())),
        wire => Err((Broken::NoWireType(wire), bytes.len())),
    }
}

/// How many varints these bytes are.
pub(super) fn varints(bytes: &[u8]) -> Result<u64, Fails> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut count = 0_u64;
    // Bytes in a row that say that another follows.
    let mut run = 0;
    let (words, last) = bytes.as_chunks::<8>();
    for word in words {
        let going_on = u64::from_le_bytes(*word) & HIGH;
        let ends = !going_on & HIGH;
        count = count.saturating_add(u64::from(ends.count_ones()));
        if ends == 0 || run + ends.trailing_zeros() / 8 >= 9 {
            return varints_one_by_one(bytes);
        }
        run = ends.leading_zeros() / 8;
    }
    for byte in last {
        if *byte < 0x80 {
            count = count.saturating_add(1);
            run = 0;
        } else {
            run += 1;
        }
        if run >= 9 {
            return varints_one_by_one(bytes);
        }
    }
    if run > 0 {
        return varints_one_by_one(bytes);
    }
    Ok(count)
}

fn varints_one_by_one(bytes: &[u8]) -> Result<u64, Fails> {
    let mut count = 0_u64;
    let mut rest = bytes;
    while !rest.is_empty() {
        rest = varint(rest)?.1;
        count = count.saturating_add(1);
    }
    Ok(count)
}

/// A field of a message that is known to be sound.
pub(super) enum Raw<'b> {
    /// Of wire type 0, 1 or 5.
    Number(u64),
    /// Of wire type 2.
    Bytes(&'b [u8]),
    /// Of wire type 3: what stands before its end.
    Group(&'b [u8]),
}

/// The field that stands first, and what follows: `None` where no more can be read.
pub(super) fn field(bytes: &[u8]) -> Option<(u32, Raw<'_>, &[u8])> {
    let (tag, rest) = tag(bytes).ok()?;
    let number = tag >> 3;
    let (raw, rest) = match tag & 7 {
        VARINT => {
            let (value, rest) = varint(rest).ok()?;
            (Raw::Number(value), rest)
        }
        FIXED64 => {
            let (value, rest) = rest.split_first_chunk::<8>()?;
            (Raw::Number(u64::from_le_bytes(*value)), rest)
        }
        FIXED32 => {
            let (value, rest) = rest.split_first_chunk::<4>()?;
            (Raw::Number(u64::from(u32::from_le_bytes(*value))), rest)
        }
        LENGTH => {
            let (bytes, rest) = delimited(rest).ok()?;
            (Raw::Bytes(bytes), rest)
        }
        wire => {
            let behind = skip(number, wire, rest, DEEPEST).ok()?;
            // The end's tag is among what is given: its number is no field's of a path.
            let inner = rest.len().checked_sub(behind.len())?;
            (Raw::Group(rest.get(..inner)?), behind)
        }
    };
    Some((number, raw, rest))
}

/// A length in memory as a number.
pub(super) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_may_be_longer_than_it_must_and_no_longer_than_64_bits() {
        for (bytes, value) in [
            (&[0x00][..], 0),
            (&[0x7F], 127),
            (&[0xAC, 0x02], 300),
            (&[0x81, 0x00], 1),
            (&[0x81, 0x80, 0x80, 0x00], 1),
            (
                &[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
                1,
            ),
            (
                &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                u64::MAX,
            ),
        ] {
            let longer = [bytes, &[7]].concat();
            assert_eq!(varint(&longer), Ok((value, &[7][..])), "{bytes:?}");
            assert_eq!(varint(bytes), Ok((value, &[][..])), "{bytes:?}");
        }
        let too_long = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
        for last in [&[0x02][..], &[0x80], &[0x80, 0x00]] {
            let bytes = [&too_long, last].concat();
            assert_eq!(varint(&bytes), Err((Broken::VarintTooLong, bytes.len())));
        }
        for cut in 0..9 {
            assert_eq!(varint(&too_long[..cut]), Err((Broken::VarintUnended, cut)));
        }
    }

    #[test]
    fn varints_are_counted_at_every_alignment_as_one_by_one() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut broken = 0;
        for _ in 0..20_000 {
            let mut bytes = Vec::new();
            for _ in 0..random.usize(0..12) {
                let value = random.u64(..) >> random.u32(0..64);
                ca3_wire::varint::encode(value, &mut bytes);
            }
            if random.bool() {
                let at = random.usize(0..=bytes.len());
                bytes.insert(at, random.u8(..));
            }
            let expected = varints_one_by_one(&bytes);
            broken += usize::from(expected.is_err());
            assert_eq!(varints(&bytes), expected, "{bytes:x?}");
        }
        assert!(broken > 500, "{broken}");
    }

    #[test]
    fn a_group_ends_with_its_own_number() {
        let group = [0x0B, 0x10, 0x01, 0x1B, 0x1C, 0x0C, 0x99];
        assert_eq!(skip(1, START, &group[1..], 9), Ok(&[0x99][..]));
        assert_eq!(skip(2, START, &group[1..], 9), Err((Broken::GroupEnd, 1)));
        assert_eq!(
            skip(1, START, &group[1..5], 9),
            Err((Broken::GroupUnended, 4))
        );
        assert_eq!(skip(1, START, &group[1..], 1), Err((Broken::TooDeep, 3)));
    }
}
