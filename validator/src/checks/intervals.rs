//! Annotated intervals beside each other, and beside the events (§12).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::records::AnnotationEntry;

use super::annotations::{at, finding};
use super::events::{Interval, Intervals};
use crate::findings::Findings;
use crate::scan::{Facts, Scan, Table};

/// Streams' intervals as their events state them.
type Stated = BTreeMap<u32, Intervals>;

impl Scan<'_> {
    /// Entries of all records against the events that they sum up.
    ///
    /// `settled` are those that were found fault with already, by record and
    /// place: of these nothing more is said.
    pub(super) fn judge_intervals(
        &mut self,
        settled: &BTreeSet<(usize, usize)>,
    ) -> io::Result<Findings> {
        let mut keys: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for fact in &self.facts.annotations {
            for entry in &fact.table.entries {
                if let Some((key, _)) = fact.names(entry)
                    && self.facts.streams.contains_key(&entry.stream_ref)
                {
                    let keys = keys.entry(entry.stream_ref).or_default();
                    keys.insert(key.to_owned());
                }
            }
        }
        let mut stated = Stated::new();
        for (stream_ref, keys) in &keys {
            if let Some(intervals) = self.intervals_of(*stream_ref, keys)? {
                stated.insert(*stream_ref, intervals);
            }
        }
        let mut found = self.findings.beside();
        compare(&self.facts, &stated, settled, &mut found);
        Ok(found)
    }
}

fn compare(
    facts: &Facts,
    stated: &Stated,
    settled: &BTreeSet<(usize, usize)>,
    found: &mut Findings,
) {
    let mut listed = BTreeSet::new();
    let mut indexed: BTreeMap<(u32, &str), u64> = BTreeMap::new();
    let mut unclear = false;
    for (record, fact) in facts.annotations.iter().enumerate() {
        for (place, entry) in fact.table.entries.iter().enumerate() {
            let known = facts.streams.contains_key(&entry.stream_ref);
            let Some((key, value)) = fact.names(entry).filter(|_| known) else {
                unclear = true;
                continue;
            };
            let Some(intervals) = stated.get(&entry.stream_ref) else {
                continue;
            };
            indexed
                .entry((entry.stream_ref, key))
                .or_insert(fact.table.offset);
            let intervals = intervals.get(key).map_or(&[][..], Vec::as_slice);
            let meant = meant(intervals, value, entry);
            if let Some((index, _)) = meant {
                listed.insert((entry.stream_ref, key, index));
            }
            if !settled.contains(&(record, place)) && entry.start_stamp_ns <= entry.end_stamp_ns {
                let meant = meant.map(|(_, interval)| interval);
                let entry = Entry {
                    table: &fact.table,
                    place,
                    entry,
                    key,
                    value,
                };
                found.extend(entry.judge(meant, stated));
            }
        }
    }
    // An entry that names nothing may be the one that is missed.
    let missing = indexed.iter().filter(|_| !unclear);
    for ((stream_ref, key), record) in missing {
        let intervals = stated.get(stream_ref).and_then(|of| of.get(*key));
        for (index, interval) in intervals.into_iter().flatten().enumerate() {
            if !listed.contains(&(*stream_ref, *key, index)) {
                found.add_with("CA3-12-07", Severity::Error, || {
                    left_out(*stream_ref, key, interval, *record)
                });
            }
        }
    }
}

/// The interval that an entry is about: the one of its value that begins where
/// it does, or else one that it shares an instant with.
fn meant<'i>(
    intervals: &'i [Interval],
    value: &str,
    entry: &AnnotationEntry,
) -> Option<(usize, &'i Interval)> {
    let (start, end) = (entry.start_stamp_ns, entry.end_stamp_ns);
    // Those that begin where the entry does stand together; of several of one
    // value, which follow each other at one stamp, the one that ends alike.
    let first = intervals.partition_point(|interval| interval.start_ns < start);
    let at_start = intervals
        .iter()
        .enumerate()
        .skip(first)
        .take_while(|(_, interval)| interval.start_ns == start)
        .filter(|(_, interval)| interval.value == value);
    let mut exact = None;
    for (index, interval) in at_start.take(MOST_AT_ONCE) {
        if exact.is_none() || interval.end_ns == end {
            exact = Some((index, interval));
        }
    }
    exact.or_else(|| {
        let shares = |index: usize| {
            let interval = intervals.get(index)?;
            let common = interval.start_ns <= end && start <= interval.end_ns;
            (interval.value == value && common).then_some((index, interval))
        };
        first
            .checked_sub(1)
            .and_then(shares)
            .or_else(|| shares(first))
    })
}

/// How many intervals that open at one stamp are told apart.
const MOST_AT_ONCE: usize = 64;

/// An entry and what it names.
struct Entry<'t> {
    table: &'t Table<AnnotationEntry>,
    place: usize,
    entry: &'t AnnotationEntry,
    key: &'t str,
    value: &'t str,
}

impl Entry<'_> {
    fn judge(&self, meant: Option<&Interval>, stated: &Stated) -> Option<Finding> {
        let (start, end) = (self.entry.start_stamp_ns, self.entry.end_stamp_ns);
        let Some(interval) = meant.filter(|interval| interval.start_ns == start) else {
            let message = format!(
                "no event brings {:?} the value {:?} at {start}",
                self.key, self.value
            );
            let expected = meant.map_or_else(
                || "the stamp of such an event".to_owned(),
                |interval| interval.start_ns.to_string(),
            );
            return Some(self.finding(
                "CA3-12-07",
                at::START,
                "start_stamp_ns",
                message,
                expected,
                start,
            ));
        };
        if interval.end_ns == end {
            return None;
        }
        let elsewhere = stated.iter().any(|(stream_ref, of)| {
            *stream_ref != self.entry.stream_ref
                && of
                    .get(self.key)
                    .is_some_and(|intervals| opens(intervals, end))
        });
        let (rule, message) = if elsewhere {
            (
                "CA3-12-11",
                "the interval ends with an event of another stream",
            )
        } else if interval.closed {
            (
                "CA3-12-08",
                "the interval does not end where its key's value changes",
            )
        } else if end > interval.end_ns {
            // Behind the last message: that is said without the events.
            return None;
        } else {
            (
                "CA3-12-10",
                "nothing closes the interval, and it ends ahead of the stream's last message",
            )
        };
        let expected = interval.end_ns.to_string();
        Some(self.finding(
            rule,
            at::END,
            "end_stamp_ns",
            message.to_owned(),
            expected,
            end,
        ))
    }

    fn finding(
        &self,
        rule: &'static str,
        byte: u64,
        field: &str,
        message: String,
        expected: String,
        value: u64,
    ) -> Finding {
        finding(rule, self.table, self.place, byte, field, message)
            .of_stream(self.entry.stream_ref)
            .showing(expected, value)
            .reading("G102")
    }
}

/// Whether an interval begins at a stamp.
fn opens(intervals: &[Interval], stamp: u64) -> bool {
    intervals
        .binary_search_by_key(&stamp, |interval| interval.start_ns)
        .is_ok()
}

fn left_out(stream_ref: u32, key: &str, interval: &Interval, record: u64) -> Finding {
    let message = format!(
        "{key:?} has the value {:?} from {} to {}, and no entry says so",
        interval.value, interval.start_ns, interval.end_ns
    );
    Finding::new(
        "CA3-12-07",
        Severity::Error,
        record,
        "Annotations.entries",
        message,
    )
    .of_stream(stream_ref)
    .showing("an entry", "none")
    .reading("G102")
}

/// Intervals of one key on one stream: apart, and not split. The
/// places of the two entries of each finding are handed to `settle`.
pub(super) fn beside_each_other(
    table: &Table<AnnotationEntry>,
    found: &mut Findings,
    mut settle: impl FnMut(usize),
) {
    let mut of_key: BTreeMap<(u32, u32), Vec<(usize, &AnnotationEntry)>> = BTreeMap::new();
    for (place, entry) in table.entries.iter().enumerate() {
        of_key
            .entry((entry.stream_ref, entry.key_index))
            .or_default()
            .push((place, entry));
    }
    for entries in of_key.values_mut() {
        entries.sort_by_key(|(place, entry)| (entry.start_stamp_ns, entry.end_stamp_ns, *place));
        for pair in entries.windows(2) {
            let [(earlier, before), (place, entry)] = pair else {
                continue;
            };
            let (rule, message, expected, value) = if entry.start_stamp_ns < before.end_stamp_ns {
                (
                    "CA3-12-14",
                    "the interval overlaps another one of the same key",
                    format!("{} or later", before.end_stamp_ns),
                    entry.start_stamp_ns.to_string(),
                )
            } else if entry.start_stamp_ns == before.end_stamp_ns
                && entry.value_index == before.value_index
            {
                (
                    "CA3-12-09",
                    "the interval goes on with the value of the one before",
                    "one interval".to_owned(),
                    "two".to_owned(),
                )
            } else {
                continue;
            };
            settle(*earlier);
            settle(*place);
            found.add_with(rule, Severity::Error, || {
                finding(rule, table, *place, at::START, "start_stamp_ns", message)
                    .of_stream(entry.stream_ref)
                    .showing(expected, value)
            });
        }
    }
}
