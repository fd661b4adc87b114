//! What events state: the intervals over which an attribute has a value (§12).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_wire::Message;

use crate::attributes;
use crate::scan::Scan;

/// Over which a key has a value on a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) value: String,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    /// Closed by an event; otherwise by the stream's last message.
    pub(super) closed: bool,
}

/// A stream's intervals, by key, in the order in which they open.
pub(super) type Intervals = BTreeMap<String, Vec<Interval>>;

/// Bytes that an interval takes besides its value.
const OVERHEAD: usize = size_of::<Interval>();

/// A stream's events, one at a time.
struct Walk<'k> {
    keys: &'k BTreeSet<String>,
    field: u64,
    last_stamp_ns: u64,
    intervals: Intervals,
    /// Bytes of intervals since they were paid for, and how many there is room for.
    grown: usize,
    room: u64,
    failure: Option<&'static str>,
}

impl Walk<'_> {
    fn take(&mut self, message: &Message<'_>) {
        let stamp = message.monotonic_timestamp_ns;
        if stamp < self.last_stamp_ns {
            self.failure = Some("its messages do not stand in the order of their stamps");
        }
        self.last_stamp_ns = stamp;
        match attributes::of(message.payload, self.field) {
            Ok(attributes) => {
                for (key, value) in attributes {
                    if self.keys.contains(key) {
                        self.event(key, value, stamp);
                    }
                }
            }
            Err(_) => self.failure = Some("a payload is not what its schema says"),
        }
    }

    fn event(&mut self, key: &str, value: &str, stamp: u64) {
        let intervals = self.intervals.entry(key.to_owned()).or_default();
        if let Some(open) = intervals.last_mut() {
            if open.value == value {
                return;
            }
            open.end_ns = stamp;
            open.closed = true;
        }
        let grown = value.len().saturating_add(OVERHEAD);
        self.grown = self.grown.saturating_add(grown);
        if u64::try_from(self.grown).unwrap_or(u64::MAX) > self.room {
            self.failure = Some("the memory limit leaves no room for them");
            return;
        }
        intervals.push(Interval {
            value: value.to_owned(),
            start_ns: stamp,
            end_ns: stamp,
            closed: false,
        });
    }
}

impl Scan<'_> {
    /// The intervals of these keys on a stream, by reading G102; none where its
    /// events cannot be told, which is stated.
    pub(super) fn intervals_of(
        &mut self,
        stream_ref: u32,
        keys: &BTreeSet<String>,
    ) -> io::Result<Option<Intervals>> {
        let fact = self.facts.streams.get(&stream_ref);
        let schema = fact.and_then(|fact| self.facts.schemas.get(&fact.stream.schema_ref));
        let Some(field) = schema.and_then(|schema| schema.attributes) else {
            let reason = "its schema has no field map<string, string> attributes";
            self.leave_intervals(stream_ref, reason);
            return Ok(None);
        };
        let mut walk = Walk {
            keys,
            field,
            last_stamp_ns: 0,
            intervals: Intervals::new(),
            grown: 0,
            room: 0,
            failure: None,
        };
        let mut next = 0;
        while let Some(chunk) = self.facts.chunks.get(next).copied() {
            next = next.saturating_add(1);
            if chunk.stream_ref != stream_ref {
                continue;
            }
            walk.room = self.budget.left();
            if !self.again(&chunk, |message| walk.take(message))? {
                walk.failure = Some("a chunk of it does not decode");
            }
            if walk.failure.is_some() {
                break;
            }
            let grown = std::mem::take(&mut walk.grown);
            if !self.pay(grown, chunk.offset, "intervals of attributes") {
                return Ok(None);
            }
        }
        if let Some(reason) = walk.failure {
            self.leave_intervals(stream_ref, reason);
            return Ok(None);
        }
        for intervals in walk.intervals.values_mut() {
            if let Some(open) = intervals.last_mut() {
                open.end_ns = walk.last_stamp_ns;
            }
        }
        Ok(Some(walk.intervals))
    }

    fn leave_intervals(&mut self, stream_ref: u32, reason: &str) {
        self.leave(
            format!("annotated intervals of stream {stream_ref} beside its events"),
            &["CA3-12-07", "CA3-12-08", "CA3-12-10", "CA3-12-11"],
            reason,
        );
    }
}
