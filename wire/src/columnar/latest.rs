//! The message in force at an instant, by addressing the stamp column (§9.1).

use super::{COLUMNS, Columns};
use crate::{Message, WireError};

impl Columns<'_> {
    /// The message with the greatest stamp not above `instant`, of equal ones
    /// the last stored; `None` where every stamp is above it.
    ///
    /// Only cells of the stamp column are read: a few of them where the chunk
    /// states that it is sorted, else all.
    ///
    /// # Errors
    /// As [`Columns::message`].
    pub fn latest(&self, instant: u64) -> Result<Option<Message<'_>>, WireError> {
        let found = instant
            .checked_sub(self.header.min_stamp_ns)
            .and_then(|limit| {
                if self.bases.sorted {
                    self.last_of_sorted(limit)
                } else {
                    self.last_of_all(limit)
                }
            });
        found.and_then(|index| self.message(index)).transpose()
    }

    fn stamp_delta(&self, index: u32) -> Option<u64> {
        let [stamp, ..] = &COLUMNS;
        self.cell(stamp, index).map(|(delta, _)| delta)
    }

    fn last_of_sorted(&self, limit: u64) -> Option<u32> {
        // Every index below `low` is not above the limit; none from `high` on is.
        let (mut low, mut high) = (0, self.header.message_count);
        while low < high {
            let middle = low.midpoint(high);
            if self.stamp_delta(middle)? <= limit {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }

    fn last_of_all(&self, limit: u64) -> Option<u32> {
        (0..self.header.message_count)
            .filter_map(|index| Some((self.stamp_delta(index)?, index)))
            .filter(|(delta, _)| *delta <= limit)
            .max()
            .map(|(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use crate::columnar::{Columns, encode_columnar};
    use crate::{Budget, Codec, OwnedMessage, records::Record};

    fn latest(codec: Codec, stamps: &[u64], instant: u64) -> Option<(u64, u8)> {
        let messages: Vec<OwnedMessage> = stamps
            .iter()
            .zip(b'a'..)
            .map(|(stamp, payload)| OwnedMessage {
                monotonic_timestamp_ns: *stamp,
                payload: vec![payload],
                ..OwnedMessage::default()
            })
            .collect();
        let (header, columns, blocks) = encode_columnar(1, codec, &messages).unwrap();
        let content = [header.content().unwrap(), columns, blocks].concat();
        let columns = Columns::open(&content, 0, &mut Budget::new(1 << 20)).unwrap();
        let message = columns.latest(instant).unwrap()?;
        Some((message.monotonic_timestamp_ns, message.payload[0]))
    }

    #[test]
    fn the_greatest_stamp_not_above_the_instant_answers() {
        for codec in [Codec::NONE, Codec::ZSTD] {
            for (instant, expected) in [
                (9, None),
                (10, Some((10, b'a'))),
                (20, Some((20, b'c'))),
                (29, Some((20, b'c'))),
                (30, Some((30, b'd'))),
                (u64::MAX, Some((30, b'd'))),
            ] {
                assert_eq!(latest(codec, &[10, 20, 20, 30], instant), expected);
            }
            assert_eq!(latest(codec, &[30, 20, 10, 20], 25), Some((20, b'd')));
            assert_eq!(latest(codec, &[30, 20, 10, 20], 9), None);
            assert_eq!(latest(codec, &[], 9), None);
        }
    }
}
