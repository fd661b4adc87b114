//! The message in force at an instant, without decoding the others (§9.1).

use super::{Rows, read_message};
use crate::error::Fault;
use crate::message::{Bases, Message};
use crate::{Cursor, WireError};

impl Rows<'_> {
    /// The message with the greatest stamp not above `instant`, of equal ones
    /// the last stored; `None` where every stamp is above it.
    ///
    /// Of every other message only `len` and `stamp_delta` are read. Where the
    /// chunk states that it is sorted, nothing is read behind the first stamp
    /// above the instant.
    ///
    /// # Errors
    /// Those of what is read; bytes left over behind the last message, where
    /// all of them were walked.
    pub fn latest(&self, instant: u64) -> Result<Option<Message<'_>>, WireError> {
        let bases = Bases::from(&self.header);
        let Some(limit) = instant.checked_sub(bases.min_stamp_ns) else {
            return Ok(None);
        };
        let mut cursor = self.cursor();
        let mut best: Option<Place> = None;
        let mut whole = true;
        for index in 0..self.header.message_count {
            let start = cursor.position();
            let delta = cursor.element("message", u64::from(index), stamp_delta)?;
            if delta <= limit {
                if best.is_none_or(|best| delta >= best.delta) {
                    best = Some(Place {
                        index,
                        start,
                        delta,
                    });
                }
            } else if bases.sorted {
                whole = false;
                break;
            }
        }
        if whole {
            cursor.finish("records")?;
        }
        let Some(Place { index, start, .. }) = best else {
            return Ok(None);
        };
        let mut cursor = self.cursor();
        cursor.raw("records", start)?;
        cursor
            .element("message", u64::from(index), |cursor| {
                read_message(cursor, &bases, index)
            })
            .map(Some)
    }
}

/// Where a message stands in the blob, and its stamp.
#[derive(Clone, Copy)]
struct Place {
    index: u32,
    start: u64,
    delta: u64,
}

/// Reads a message's `stamp_delta` and steps over the rest of it.
fn stamp_delta(cursor: &mut Cursor<'_>) -> Result<u64, WireError> {
    if cursor.is_empty() {
        return Err(cursor.fault_at(cursor.offset(), "len", Fault::Short { needed: 1, left: 0 }));
    }
    let length = cursor.varint("len")?;
    cursor.fence(length)?.varint("stamp_delta")
}

#[cfg(test)]
mod tests {
    use crate::rows::{Rows, encode_chunk};
    use crate::{Budget, Codec, OwnedMessage, crc, records::Record};

    fn content(codec: Codec, stamps: &[u64]) -> Vec<u8> {
        let messages: Vec<OwnedMessage> = stamps
            .iter()
            .zip(b'a'..)
            .map(|(stamp, payload)| OwnedMessage {
                monotonic_timestamp_ns: *stamp,
                wall_clock_ns: Some(7),
                sequence: Some(u32::from(payload)),
                payload: vec![payload],
                ..OwnedMessage::default()
            })
            .collect();
        let (header, blob) = encode_chunk(1, codec, &messages).unwrap();
        [header.content().unwrap(), blob].concat()
    }

    fn latest(content: &[u8], instant: u64) -> Option<(u64, u8)> {
        let rows = Rows::open(content, 0, &mut Budget::new(1 << 20)).unwrap();
        let message = rows.latest(instant).unwrap()?;
        let whole: Vec<_> = rows.messages().map(Result::unwrap).collect();
        assert!(whole.contains(&message), "decoded as in a walk");
        Some((message.monotonic_timestamp_ns, message.payload[0]))
    }

    #[test]
    fn the_greatest_stamp_not_above_the_instant_answers() {
        for codec in [Codec::NONE, Codec::ZSTD] {
            let sorted = content(codec, &[10, 20, 20, 30]);
            let unsorted = content(codec, &[30, 10, 20, 20]);
            for (instant, expected) in [
                (9, None),
                (10, Some((10, b'a'))),
                (19, Some((10, b'a'))),
                (20, Some((20, b'c'))),
                (29, Some((20, b'c'))),
                (u64::MAX, Some((30, b'd'))),
            ] {
                assert_eq!(latest(&sorted, instant), expected, "{instant}");
                let moved = expected.map(|(stamp, _)| match stamp {
                    30 => (30, b'a'),
                    10 => (10, b'b'),
                    _ => (20, b'd'),
                });
                assert_eq!(latest(&unsorted, instant), moved, "{instant}");
            }
        }
    }

    /// The sorted bit ends the walk at the first stamp above the instant: what
    /// is wrong behind it is not met.
    #[test]
    fn a_sorted_chunk_is_not_walked_to_its_end() {
        let mut content = content(Codec::NONE, &[10, 20, 30]);
        // The last message's len, of the five bytes that each message takes.
        let blob = content.len() - 77;
        let last = content.len() - blob / 3;
        content[last] = 0xFF;
        let fixed = crc::crc32c(&content[77..]);
        content[65..69].copy_from_slice(&fixed.to_le_bytes());
        let rows = Rows::open(&content, 0, &mut Budget::new(1 << 20)).unwrap();
        assert_eq!(rows.latest(15).unwrap().unwrap().payload, b"a");
        assert!(rows.latest(25).is_err());
        content[7] = 0;
        let rows = Rows::open(&content, 0, &mut Budget::new(1 << 20)).unwrap();
        assert!(rows.latest(15).is_err());
    }

    #[test]
    fn bytes_behind_the_last_message_are_met_by_a_whole_walk() {
        let mut content = content(Codec::NONE, &[10]);
        content.push(0);
        let length = u64::try_from(content.len() - 77).unwrap();
        content[69..77].copy_from_slice(&length.to_le_bytes());
        let fixed = crc::crc32c(&content[77..]);
        content[65..69].copy_from_slice(&fixed.to_le_bytes());
        let rows = Rows::open(&content, 0, &mut Budget::new(1 << 20)).unwrap();
        assert!(rows.latest(10).is_err());
    }
}
