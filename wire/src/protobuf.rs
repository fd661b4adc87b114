//! The fields of a protobuf message, one at a time, without a schema.
//!
//! As much of the encoding as descriptors and a few fixed messages need: whoever
//! reads one takes the fields that it knows and passes over the others. Groups,
//! which no proto3 message has, are a fault.

use crate::varint::zigzag_decode;

/// A field's value, as its wire type tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'b> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2: a string, bytes, or a message.
    Bytes(&'b [u8]),
    /// Wire type 5, whose value nothing here needs.
    Fixed32,
}

/// Bytes that are no message, or one of groups, which no proto3 file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl<'b> Value<'b> {
    /// A fixed64.
    pub fn fixed64(self) -> Option<u64> {
        match self {
            Value::Fixed64(value) => Some(value),
            _ => None,
        }
    }

    /// As protobuf reads a `uint32`: the lower half of what stands there.
    pub fn uint32(self) -> Option<u32> {
        match self {
            Value::Varint(value) => u32::try_from(value & u64::from(u32::MAX)).ok(),
            _ => None,
        }
    }

    /// A sint64, from its zigzag form.
    pub fn sint64(self) -> Option<i64> {
        match self {
            Value::Varint(value) => Some(zigzag_decode(value)),
            _ => None,
        }
    }

    /// The bytes of a string, of bytes or of a message.
    pub fn bytes(self) -> Option<&'b [u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A string; bytes that are not UTF-8 are none.
    pub fn string(self) -> Option<String> {
        let text = std::str::from_utf8(self.bytes()?).ok()?;
        Some(text.to_owned())
    }
}

/// The fields of a message in the order in which they stand, by number; behind a
/// fault there are none.
pub fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

/// See [`fields`].
#[derive(Clone, Debug)]
pub struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u64, Value<'b>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or(Malformed))
    }
}

impl<'b> Fields<'b> {
    fn field(&mut self) -> Option<(u64, Value<'b>)> {
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 {
            return None;
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => {
                let (bytes, rest) = self.rest.split_first_chunk::<8>()?;
                self.rest = rest;
                Value::Fixed64(u64::from_le_bytes(*bytes))
            }
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed32)?,
            _ => return None,
        };
        Some((number, value))
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// Unlike §1.4's, a varint of protobuf may be longer than it must.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_type_is_given_or_passed_over() {
        let message = [
            &[0x08, 0x96, 0x01][..],                     // 1: varint 150
            &[0x11, 1, 2, 3, 4, 5, 6, 7, 8],             // 2: fixed64
            &[0x1A, 2, b'h', b'i'],                      // 3: bytes
            &[0x25, 1, 2, 3, 4],                         // 4: fixed32
            &[0xFA, 0x01, 0x00],                         // 31: no bytes
            &[0x28, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00], // 5: 1, at length
        ]
        .concat();
        let found: Vec<_> = fields(&message).map(Result::unwrap).collect();
        assert_eq!(
            found,
            [
                (1, Value::Varint(150)),
                (2, Value::Fixed64(0x0807_0605_0403_0201)),
                (3, Value::Bytes(b"hi")),
                (4, Value::Fixed32),
                (31, Value::Bytes(b"")),
                (5, Value::Varint(1)),
            ]
        );
    }

    #[test]
    fn what_is_no_message_ends_with_a_fault() {
        for message in [
            &[0x0A, 5, b'x'][..], // five bytes are said, one is there
            &[0x0A],              // no length
            &[0x00],              // field 0
            &[0x0B, 0x0C],        // a group
            &[0x09, 1, 2, 3],     // half a fixed64
            &[0xFF; 11],          // a varint without an end
        ] {
            assert_eq!(fields(message).last(), Some(Err(Malformed)), "{message:?}");
        }
    }

    #[test]
    fn zigzag_reaches_both_ends() {
        for (stored, value) in [
            (0, 0),
            (1, -1),
            (2, 1),
            (u64::MAX, i64::MIN),
            (u64::MAX - 1, i64::MAX),
        ] {
            assert_eq!(Value::Varint(stored).sint64(), Some(value));
        }
        assert_eq!(Value::Varint(1 << 32 | 7).uint32(), Some(7));
    }
}
