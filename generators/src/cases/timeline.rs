//! Stamps in even steps, and payloads that tell messages apart, for queries.

use serde_json::Value;

use super::plan;
use crate::asking::{emitted, in_force, none_in_force};
use crate::plan::{Chunk, Columnar, Decoded, Plan, Sample, stream};
use crate::{Ask, Values};

/// Places 0, 1, 2 and so on upon a clock, from a start and by a step, both drawn.
///
/// A step is four nanoseconds or more, so that the instant behind a place is
/// never the one ahead of the next.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    start: u64,
    step: u64,
    tag: String,
}

impl Timeline {
    pub(super) fn new(v: &Values) -> Self {
        Timeline {
            start: v.u64("start", 1_000, 1_000..=1 << 40),
            step: v.u64("step", 10, 4..=1_000_000),
            tag: v.text("tag", "kit"),
        }
    }

    /// The stamp of a place.
    pub(super) fn at(&self, place: u64) -> u64 {
        self.start + place * self.step
    }

    /// A nanosecond ahead of a place.
    pub(super) fn ahead(&self, place: u64) -> u64 {
        self.at(place) - 1
    }

    /// A nanosecond behind a place.
    pub(super) fn behind(&self, place: u64) -> u64 {
        self.at(place) + 1
    }

    /// What the message there says: every payload is as long as any other.
    pub(super) fn payload(&self, stream_ref: u32, place: u64) -> Vec<u8> {
        format!("s{stream_ref:04} m{place:02} {}", self.tag).into_bytes()
    }

    /// The message there.
    pub(super) fn sample(&self, stream_ref: u32, place: u64) -> Sample {
        let payload = self.payload(stream_ref, place);
        Sample::new(Decoded::at(self.at(place)), &payload)
    }

    fn samples(&self, stream_ref: u32, places: &[u64]) -> Vec<Sample> {
        let samples = places.iter().map(|place| self.sample(stream_ref, *place));
        samples.collect()
    }

    /// A chunk of the messages at these places, stored in this order.
    pub(super) fn chunk(&self, stream_ref: u32, places: &[u64]) -> Chunk {
        Chunk::of(stream_ref, &self.samples(stream_ref, places))
    }

    /// The same in columns.
    pub(super) fn columnar(&self, stream_ref: u32, places: &[u64]) -> Columnar {
        Columnar::of(stream_ref, &self.samples(stream_ref, places))
    }

    /// A sealed file of one stream and these chunks, in file order.
    pub(super) fn file(&self, v: &Values, chunks: &[&[u64]]) -> Plan {
        chunks
            .iter()
            .fold(plan(v).stream(stream(1)), |plan, places| {
                plan.chunk(self.chunk(1, places))
            })
    }

    /// The message at a place is the one in force. Streams are on the file's
    /// own clock here: the basis is `exact`, the time the stamp.
    pub(super) fn in_force(&self, stream_ref: u32, place: u64) -> Value {
        let (stamp, payload) = (self.at(place), self.payload(stream_ref, place));
        in_force(stream_ref, "exact", stamp, stamp, &payload)
    }

    /// `state_at` of a stream at an instant: the message at that place.
    pub(super) fn state(&self, t: u64, stream_ref: u32, place: u64) -> Ask {
        Ask::state_of(t, &[stream_ref], &[self.in_force(stream_ref, place)])
    }

    /// `state_at` of a stream ahead of these rising places, at each, and a
    /// nanosecond behind each: nothing, then always the message of the place.
    pub(super) fn states(&self, stream_ref: u32, places: &[u64]) -> Vec<Ask> {
        let first = places.first().map(|first| self.ahead(*first));
        let nothing = [none_in_force(stream_ref, "exact")];
        let ahead = first.map(|t| Ask::state_of(t, &[stream_ref], &nothing));
        let others = places.iter().flat_map(|place| {
            [self.at(*place), self.behind(*place)].map(|t| self.state(t, stream_ref, *place))
        });
        ahead.into_iter().chain(others).collect()
    }

    /// A message of a window.
    pub(super) fn emitted(&self, stream_ref: u32, place: u64) -> Value {
        let (stamp, payload) = (self.at(place), self.payload(stream_ref, place));
        emitted(stream_ref, "exact", stamp, stamp, &payload)
    }

    /// `window` of a stream between two instants: the messages at these places.
    pub(super) fn window(&self, t1: u64, t2: u64, stream_ref: u32, places: &[u64]) -> Ask {
        let messages: Vec<Value> = places
            .iter()
            .map(|place| self.emitted(stream_ref, *place))
            .collect();
        Ask::window(t1, t2, &[stream_ref], &messages)
    }
}
