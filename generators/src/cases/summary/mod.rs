//! Items 9, 10 and 16: what an indexed reader finds from the end of the file,
//! and what it may say of the data section that it did not walk (§2, §7, §13,
//! §14, §16).
//!
//! Most files are a [`Pair`]: one stream, two chunks, four messages. Instants
//! that are asked for lie between messages and never on one: whether the ends
//! of a window belong to it is a reading.

pub(super) mod damage;
pub(super) mod directory;
pub(super) mod footer;
pub(super) mod growth;
pub(super) mod index;
pub(super) mod offsets;
pub(super) mod sections;
pub(super) mod spine;

use serde_json::{Value, json};

use super::plan;
use crate::asking::{emitted, in_force, index_of};
use crate::plan::{Chunk, Decoded, Plan, Sample, stream};
use crate::{Ask, Values};

/// Two chunks of stream 1 and the four messages in them, whose sequences run
/// from `sequence`: `start` and 10 ns later, `later` and 10 ns later.
struct Pair {
    start: u64,
    later: u64,
    sequence: u32,
    payloads: [Vec<u8>; 4],
}

impl Pair {
    fn new(v: &Values) -> Self {
        let start = v.u64("start", 2_000, 1_000..=99_999);
        // The chunks stand apart: the second begins behind the first's end.
        let later = start.saturating_add(v.u64("gap", 1_000, 100..=9_999));
        Pair {
            start,
            later,
            sequence: v.u32("sequence", 5, 1..=9_999),
            payloads: ["one", "two", "three", "four"].map(|name| payload(v, name)),
        }
    }

    fn stamps(&self) -> [u64; 4] {
        let after = |stamp: u64| stamp.saturating_add(10);
        [self.start, after(self.start), self.later, after(self.later)]
    }

    fn samples(&self) -> Vec<Sample> {
        let sequences = self.sequence..;
        let stamped = self.stamps().into_iter().zip(&self.payloads).zip(sequences);
        stamped
            .map(|((stamp, payload), sequence)| {
                Sample::new(Decoded::at(stamp).sequence(sequence), payload)
            })
            .collect()
    }

    /// The first chunk.
    fn one(&self) -> Chunk {
        Chunk::of(1, self.samples().get(..2).unwrap_or_default())
    }

    /// The second chunk.
    fn two(&self) -> Chunk {
        Chunk::of(1, self.samples().get(2..).unwrap_or_default())
    }

    /// Stream 1 and both chunks behind what a plan holds.
    fn on(&self, plan: Plan) -> Plan {
        plan.stream(stream(1)).chunk(self.one()).chunk(self.two())
    }

    /// The message of this number, from 0, in force.
    fn holds(&self, number: usize) -> Value {
        let stamp = self.stamps().get(number).copied().unwrap_or_default();
        in_force(1, "exact", stamp, stamp, self.payload(number))
    }

    fn payload(&self, number: usize) -> &[u8] {
        self.payloads.get(number).map_or(&[], Vec::as_slice)
    }

    /// 5 ns behind the message of this number: none is nearer in front.
    fn behind(&self, number: usize) -> u64 {
        let stamp = self.stamps().get(number).copied().unwrap_or_default();
        stamp.saturating_add(5)
    }

    /// All four, as a window emits them.
    fn emitted(&self) -> Vec<Value> {
        let all = self.stamps().into_iter().zip(&self.payloads);
        all.map(|(stamp, payload)| emitted(1, "exact", stamp, stamp, payload))
            .collect()
    }

    /// `state_at` behind the message of this number.
    fn state(&self, number: usize) -> Ask {
        Ask::state_at(self.behind(number), &[self.holds(number)])
    }

    /// `window` over everything.
    fn window(&self) -> Ask {
        Ask::window(0, self.behind(3), &[1], &self.emitted())
    }

    /// `index`, then a query into each chunk.
    fn asks(&self) -> Vec<Ask> {
        vec![Ask::index(), self.state(1), self.state(3), self.window()]
    }

    /// The same, the SummaryOffsets included.
    fn asks_with_groups(&self) -> Vec<Ask> {
        let mut asks = self.asks();
        if let Some(first) = asks.first_mut() {
            *first = Ask::index().with_groups();
        }
        asks
    }
}

/// A sealed file of a pair, and the pair.
fn paired(v: &Values) -> (Pair, Plan) {
    let pair = Pair::new(v);
    let plan = pair.on(plan(v));
    (pair, plan)
}

/// A payload that no other name has: the name and two drawn bytes.
fn payload(v: &Values, name: &str) -> Vec<u8> {
    [name.as_bytes(), &v.bytes(name, b"--")].concat()
}

/// Where a table was not read whole, it holds nothing that it does not hold in
/// the valid file: a beginning of it, or nothing.
fn nothing_misread(plan: &Plan, table: &str) -> Value {
    let right = index_of(plan);
    let rows = right.get(table).and_then(Value::as_array);
    let rows = rows.map_or(&[][..], Vec::as_slice);
    let mut ways = vec![json!({"$absent": true})];
    ways.extend((0..=rows.len()).map(|kept| json!(rows.get(..kept))));
    json!({ table: {"$one_of": ways} })
}

/// Names of a field in each of the first entries of a table.
fn of_each(table: &str, count: usize, field: &str) -> Vec<String> {
    (0..count)
        .map(|index| format!("{table}[{index}].{field}"))
        .collect()
}
