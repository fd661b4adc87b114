//! What a chunk's messages come to, one message at a time (§6.1, §6.3, §6.4).

use ca3_wire::{FieldMask, Message};

/// What was seen of the messages so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    /// How many.
    pub(crate) count: u32,
    min_stamp_ns: u64,
    max_stamp_ns: u64,
    pub(crate) min_record_ts_ns: Option<u64>,
    pub(crate) min_wall_base_ns: Option<u64>,
    pub(crate) min_source_ns: Option<u64>,
    /// The last message's sequence.
    pub(crate) seq_last: Option<u32>,
    /// Whether any message has one.
    pub(crate) any_sequence: bool,
    /// Whether the first one has none.
    pub(crate) first_unnumbered: bool,
    last_stamp_ns: u64,
    /// The first message whose stamp lies before its predecessor's.
    pub(crate) disorder: Option<u32>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            count: 0,
            min_stamp_ns: u64::MAX,
            max_stamp_ns: 0,
            min_record_ts_ns: None,
            min_wall_base_ns: None,
            min_source_ns: None,
            seq_last: None,
            any_sequence: false,
            first_unnumbered: false,
            last_stamp_ns: 0,
            disorder: None,
        }
    }
}

fn least(known: Option<u64>, value: Option<u64>) -> Option<u64> {
    match (known, value) {
        (Some(known), Some(value)) => Some(known.min(value)),
        (known, value) => known.or(value),
    }
}

impl Tally {
    /// Takes the next message of a chunk whose deltas count from `min_stamp_ns`.
    #[inline]
    pub(crate) fn take(&mut self, message: &Message<'_>, min_stamp_ns: u64) {
        let stamp = message.monotonic_timestamp_ns;
        if self.count == 0 {
            self.first_unnumbered = message.sequence.is_none();
        } else if stamp < self.last_stamp_ns {
            self.disorder.get_or_insert(message.index);
        }
        self.last_stamp_ns = stamp;
        self.count = self.count.saturating_add(1);
        self.min_stamp_ns = self.min_stamp_ns.min(stamp);
        self.max_stamp_ns = self.max_stamp_ns.max(stamp);
        self.seq_last = message.sequence;
        self.any_sequence |= message.sequence.is_some();
        if message.record_ts_ns.is_some() {
            self.min_record_ts_ns = least(self.min_record_ts_ns, message.record_ts_ns);
        }
        // Reading G41: a base below zero is clamped.
        if let Some(wall) = message.wall_clock_ns {
            let base = wall.saturating_sub(stamp.saturating_sub(min_stamp_ns));
            self.min_wall_base_ns = least(self.min_wall_base_ns, Some(base));
        }
        if message.source_timestamp_ns.is_some() {
            self.min_source_ns = least(self.min_source_ns, message.source_timestamp_ns);
        }
    }

    /// The least and the greatest stamp.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        (self.count > 0).then_some((self.min_stamp_ns, self.max_stamp_ns))
    }

    /// Bits of the mask that no message makes use of.
    pub(crate) fn unused(&self, mask: FieldMask) -> impl Iterator<Item = &'static str> {
        [
            (
                FieldMask::WALL_CLOCK,
                self.min_wall_base_ns.is_some(),
                "wall_clock_ns",
            ),
            (
                FieldMask::SOURCE_TIMESTAMP,
                self.min_source_ns.is_some(),
                "source_timestamp_ns",
            ),
            (FieldMask::SEQUENCE, self.any_sequence, "sequence"),
        ]
        .into_iter()
        .filter(move |(bit, used, _)| mask.has(*bit) && !used)
        .map(|(_, _, name)| name)
    }
}
