//! Fields of a protobuf message, one at a time, without a schema.
//!
//! This is all that is read of descriptors, and of payloads but for those of
//! `ca3.time.v1`: enough to find one field by its name and to take its values out of a
//! message.

/// A field's value, as far as its wire type tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'b> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 2: a string, bytes, or a message.
    Bytes(&'b [u8]),
    /// Wire types 1 and 5, whose bytes nothing here needs.
    Fixed,
}

impl<'b> Value<'b> {
    /// The bytes, of a value that has any.
    pub(crate) fn bytes(self) -> Option<&'b [u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            Value::Varint(_) | Value::Fixed => None,
        }
    }
}

/// Bytes that are no message, or one of groups, which no proto3 file declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The fields of a message in the order in which they stand; behind a fault
/// there are none.
pub(crate) fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

/// See [`fields`].
#[derive(Clone, Debug)]
pub(crate) struct Fields<'b> {
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
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
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
    fn every_wire_type_is_passed_over_or_given() {
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
                (2, Value::Fixed),
                (3, Value::Bytes(b"hi")),
                (4, Value::Fixed),
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
}
