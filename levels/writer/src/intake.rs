//! What a stream's messages wait in until their chunk is closed (§7.2).

use ca3_wire::OwnedMessage;

use crate::options::Layout;
use crate::wide;

/// How far two values of one chunk may lie apart, so that every step between
/// them has a code (§6.3): a zigzag code of 64 bits, less the absent form.
const REACH: u64 = 1 << 62;

/// The open chunk of a stream, and what is known of what came before.
#[derive(Debug)]
pub(crate) struct Intake {
    pub(crate) layout: Layout,
    /// A message more closes the chunk.
    pub(crate) limit: u32,
    messages: Vec<OwnedMessage>,
    reach: [Reach; 3],
    /// The greatest stamp of the chunks that are closed.
    closed: Option<u64>,
    /// The greatest stamp so far.
    latest: Option<u64>,
    /// Messages that came behind a later-stamped one.
    pub(crate) reordered: u64,
    /// Messages at or below the greatest stamp of the closed chunks (reading G53).
    pub(crate) late: u64,
}

/// The least and the greatest of some values.
#[derive(Clone, Copy, Debug, Default)]
struct Reach(Option<(u64, u64)>);

impl Reach {
    fn with(self, value: Option<u64>) -> Self {
        match (self.0, value) {
            (_, None) => self,
            (None, Some(value)) => Reach(Some((value, value))),
            (Some((least, greatest)), Some(value)) => {
                Reach(Some((least.min(value), greatest.max(value))))
            }
        }
    }

    fn length(self) -> u64 {
        self.0
            .map_or(0, |(least, greatest)| greatest.saturating_sub(least))
    }
}

/// The three whose values are stored as signed steps, or move one that is.
fn values(message: &OwnedMessage) -> [Option<u64>; 3] {
    [
        Some(message.monotonic_timestamp_ns),
        message.wall_clock_ns,
        message.source_timestamp_ns,
    ]
}

impl Intake {
    pub(crate) fn new(layout: Layout, limit: u32) -> Self {
        Intake {
            layout,
            limit,
            messages: Vec::new(),
            reach: [Reach::default(); 3],
            closed: None,
            latest: None,
            reordered: 0,
            late: 0,
        }
    }

    /// Whether a message can share the open chunk.
    pub(crate) fn admits(&self, message: &OwnedMessage) -> bool {
        let Some(first) = self.messages.first() else {
            return true;
        };
        // Reading G35: all carry `record_ts_ns`, or none.
        let one_mask = first.record_ts_ns.is_some() == message.record_ts_ns.is_some();
        // Reading G91: one length a chunk.
        let one_length =
            self.layout == Layout::Rows || first.payload.len() == message.payload.len();
        let [stamp, wall, source] = self.widened(message).map(Reach::length);
        let in_reach = stamp.saturating_add(wall) < REACH && source < REACH;
        one_mask && one_length && in_reach
    }

    fn widened(&self, message: &OwnedMessage) -> [Reach; 3] {
        let [stamp, wall, source] = self.reach;
        let [of_stamp, of_wall, of_source] = values(message);
        [
            stamp.with(of_stamp),
            wall.with(of_wall),
            source.with(of_source),
        ]
    }

    /// Takes a message that the open chunk admits.
    pub(crate) fn take(&mut self, message: OwnedMessage) {
        let stamp = message.monotonic_timestamp_ns;
        if self.closed.is_some_and(|closed| stamp <= closed) {
            self.late = self.late.saturating_add(1);
        }
        if self.latest.is_some_and(|latest| stamp < latest) {
            self.reordered = self.reordered.saturating_add(1);
        }
        self.latest = self.latest.max(Some(stamp));
        self.reach = self.widened(&message);
        self.messages.push(message);
    }

    /// Whether the chunk has all that it may hold.
    pub(crate) fn is_full(&self) -> bool {
        wide(self.messages.len()) >= u64::from(self.limit)
    }

    pub(crate) fn messages(&self) -> &[OwnedMessage] {
        &self.messages
    }

    /// The chunk is written.
    pub(crate) fn close(&mut self) {
        self.messages.clear();
        self.reach = [Reach::default(); 3];
    }

    /// A chunk of the stream up to this stamp stands in the file.
    pub(crate) fn closed_at(&mut self, max_stamp_ns: u64) {
        self.closed = self.closed.max(Some(max_stamp_ns));
        self.latest = self.latest.max(Some(max_stamp_ns));
    }
}
