//! Annotations: what their table says by itself and beside the chunks (§12).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{AnnotationEntry, Annotations};

use super::index::stride;
use super::intervals::beside_each_other;
use crate::scan::{AnnotationFact, Scan, Table};

/// Where fields lie in an entry.
pub(super) mod at {
    pub(in super::super) const KEY_INDEX: u64 = 0;
    pub(in super::super) const VALUE_INDEX: u64 = 4;
    pub(in super::super) const STREAM_REF: u64 = 8;
    pub(in super::super) const RESERVED: u64 = 12;
    pub(in super::super) const START: u64 = 16;
    pub(in super::super) const END: u64 = 24;
    pub(in super::super) const FIRST_CHUNK: u64 = 32;
}

impl Scan<'_> {
    pub(crate) fn annotations(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(annotations) = self.decode::<Annotations>(content, base) else {
            return Ok(());
        };
        let keys = strings(&annotations.keys);
        let head = keys.saturating_add(strings(&annotations.values));
        let step = usize::try_from(head)
            .ok()
            .and_then(|start| content.get(start..))
            .map_or(0, stride);
        self.repeated(&annotations.keys, "keys", base);
        self.repeated(&annotations.values, "values", base.saturating_add(keys));
        let table = Table {
            offset: base.saturating_sub(RecordFrame::BYTES),
            base: base.saturating_add(head).saturating_add(8),
            stride: step,
            entries: annotations.entries,
        };
        let counts = [annotations.keys.len(), annotations.values.len()];
        for (place, entry) in table.entries.iter().enumerate() {
            self.judge_entry(&table, place, entry, counts);
        }
        if self.pay(content.len().saturating_mul(2), base, "Annotations") {
            self.facts.annotations.push(AnnotationFact {
                table,
                keys: annotations.keys,
                values: annotations.values,
            });
        }
        Ok(())
    }

    /// Each string once.
    fn repeated(&mut self, strings: &[String], field: &str, start: u64) {
        let mut seen = BTreeSet::new();
        let mut offset = start.saturating_add(4);
        for (index, text) in strings.iter().enumerate() {
            if !seen.insert(text) {
                let message = format!("{field} lists {text:?} twice");
                let path = format!("Annotations.{field}[{index}]");
                self.findings.add(
                    Finding::new("CA3-12-06", Severity::Error, offset, path, message)
                        .showing("each once", text),
                );
            }
            offset = offset
                .saturating_add(4)
                .saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        }
    }

    fn judge_entry(
        &mut self,
        table: &Table<AnnotationEntry>,
        place: usize,
        entry: &AnnotationEntry,
        [keys, values]: [usize; 2],
    ) {
        for (byte, field, index, count) in [
            (at::KEY_INDEX, "key_index", entry.key_index, keys),
            (at::VALUE_INDEX, "value_index", entry.value_index, values),
        ] {
            if usize::try_from(index).is_ok_and(|index| index >= count) {
                let message = format!("{field} {index} lies past the end of its table");
                let finding = finding("CA3-12-05", table, place, byte, field, message)
                    .of_stream(entry.stream_ref)
                    .showing(format_args!("below {count}"), index);
                self.findings.add(finding);
            }
        }
        if entry.reserved != 0 {
            let message = "the reserved word is not 0";
            let finding = finding("CA3-12-04", table, place, at::RESERVED, "reserved", message)
                .of_stream(entry.stream_ref)
                .showing(0, entry.reserved);
            self.findings.add(finding);
        }
        if entry.start_stamp_ns > entry.end_stamp_ns {
            let message = "the interval ends before it begins";
            let finding = finding("CA3-12-02", table, place, at::END, "end_stamp_ns", message)
                .of_stream(entry.stream_ref)
                .showing(
                    format_args!("{} or later", entry.start_stamp_ns),
                    entry.end_stamp_ns,
                );
            self.findings.add(finding);
        }
    }

    pub(crate) fn annotations_at_end(&mut self) -> io::Result<()> {
        let lasts: BTreeMap<u32, u64> = self
            .sums()
            .into_iter()
            .filter_map(|(reference, sum)| Some((reference, sum.last()?)))
            .collect();
        let mut found = self.findings.beside();
        let mut settled = BTreeSet::new();
        for (record, AnnotationFact { table, .. }) in self.facts.annotations.iter().enumerate() {
            for (place, entry) in table.entries.iter().enumerate() {
                if !self.facts.may_have_stream(entry.stream_ref) {
                    let message = "stream_ref names no stream of this file";
                    found.add(
                        finding(
                            "CA3-12-05",
                            table,
                            place,
                            at::STREAM_REF,
                            "stream_ref",
                            message,
                        )
                        .of_stream(entry.stream_ref)
                        .showing("a defined stream", entry.stream_ref),
                    );
                    continue;
                }
                // Of one that runs backwards, that is all there is to say.
                if entry.start_stamp_ns > entry.end_stamp_ns {
                    continue;
                }
                found.extend(self.first_chunk(table, place, entry));
                let last = lasts.get(&entry.stream_ref).copied();
                if let Some(last) = last.filter(|last| entry.end_stamp_ns > *last) {
                    let message = "the interval ends behind the stream's last message";
                    found.add(
                        finding("CA3-12-10", table, place, at::END, "end_stamp_ns", message)
                            .of_stream(entry.stream_ref)
                            .showing(format_args!("{last} at most"), entry.end_stamp_ns),
                    );
                }
            }
            beside_each_other(table, &mut found, |place| {
                settled.insert((record, place));
            });
        }
        let attributes = self.judge_intervals(&settled)?;
        self.findings.absorb(found);
        self.findings.absorb(attributes);
        Ok(())
    }

    /// The chunk that an interval is said to begin in.
    fn first_chunk(
        &self,
        table: &Table<AnnotationEntry>,
        place: usize,
        entry: &AnnotationEntry,
    ) -> Option<Finding> {
        let chunk = self
            .facts
            .chunk_at(entry.first_chunk_offset)
            .filter(|chunk| chunk.stream_ref == entry.stream_ref);
        let holds = chunk.is_some_and(|chunk| {
            (chunk.min_stamp_ns..=chunk.max_stamp_ns).contains(&entry.start_stamp_ns)
        });
        if holds {
            return None;
        }
        let message = if chunk.is_some() {
            "the interval does not begin in the chunk that is named"
        } else {
            "first_chunk_offset names no chunk of the stream"
        };
        let finding = finding(
            "CA3-12-12",
            table,
            place,
            at::FIRST_CHUNK,
            "first_chunk_offset",
            message,
        );
        let expected = format!(
            "a chunk of stream {} that spans {}",
            entry.stream_ref, entry.start_stamp_ns
        );
        Some(
            finding
                .of_stream(entry.stream_ref)
                .showing(expected, entry.first_chunk_offset),
        )
    }
}

/// Bytes of an array of strings.
fn strings(strings: &[String]) -> u64 {
    strings
        .iter()
        .map(|text| u64::try_from(text.len()).unwrap_or(u64::MAX))
        .fold(4, |sum, length| {
            sum.saturating_add(4).saturating_add(length)
        })
}

/// A finding in an entry.
pub(super) fn finding(
    rule: &'static str,
    table: &Table<AnnotationEntry>,
    place: usize,
    byte: u64,
    field: &str,
    message: impl Into<String>,
) -> Finding {
    let path = format!("Annotations.entries[{place}].{field}");
    Finding::new(rule, Severity::Error, table.at(place, byte), path, message)
        .in_record(table.offset)
}
