//! Statistics, where they parse (§13.2, reading G07).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Record, Statistics};

use super::directory::StreamSum;
use super::index::stride;
use crate::findings::Findings;
use crate::scan::{Scan, Section, StatisticsFact};

/// Where fields lie in the content.
mod at {
    pub(super) const MESSAGE_COUNT: u64 = 0;
    pub(super) const CHUNK_COUNT: u64 = 8;
    pub(super) const SCHEMA_COUNT: u64 = 16;
    pub(super) const STREAM_COUNT: u64 = 20;
    pub(super) const METADATA_COUNT: u64 = 24;
    pub(super) const ATTACHMENT_COUNT: u64 = 28;
    pub(super) const FIRST_STAMP: u64 = 32;
    pub(super) const LAST_STAMP: u64 = 40;
    pub(super) const ENTRIES: u64 = 56;
}

impl Scan<'_> {
    pub(crate) fn statistics(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        match Statistics::from_content(content, base) {
            Ok(statistics) => {
                // One that stands elsewhere is compared with nothing.
                if self.section == Section::Summary
                    && self.pay(content.len().saturating_mul(2), base, "Statistics")
                {
                    self.facts.statistics.push(StatisticsFact {
                        base,
                        stride: content.get(48..).map_or(0, stride),
                        statistics,
                    });
                }
            }
            Err(error) if error.kind() == Kind::BadEntrySize => {
                self.fault(op::STATISTICS, &error);
            }
            Err(error) => {
                let reason = format!("they do not parse by reading G07: {error}");
                let rules = ["CA3-13.2-02", "CA3-13.2-03", "CA3-13.2-04"];
                self.leave(format!("Statistics at {base}"), &rules, &reason);
            }
        }
        Ok(())
    }

    pub(crate) fn statistics_at_end(&mut self) {
        let sums = self.sums();
        let mut found = self.findings.beside();
        for fact in &self.facts.statistics {
            self.judge_statistics(fact, &sums, &mut found);
        }
        self.findings.absorb(found);
    }

    fn judge_statistics(
        &self,
        fact: &StatisticsFact,
        sums: &BTreeMap<u32, StreamSum>,
        found: &mut Findings,
    ) {
        let facts = &self.facts;
        let StatisticsFact {
            base, statistics, ..
        } = fact;
        let base = *base;
        let whole = StreamSum::total(sums.values());
        let chunks_lost = !facts.lost_chunks.is_empty();
        let mut compare = |rule, offset: u64, field: &str, right: u64, stated: u64| {
            if right != stated {
                let message = format!("{field} is not what the file comes to");
                let path = format!("Statistics.{field}");
                found.add(
                    Finding::new(rule, Severity::Error, offset, path, message)
                        .in_record(base.saturating_sub(RecordFrame::BYTES))
                        .showing(right, stated)
                        .reading("G07"),
                );
            }
        };
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let chunks = if whole.counts(statistics.chunk_count) {
            statistics.chunk_count
        } else {
            whole.chunks
        };
        for (byte, field, right, stated) in [
            (
                at::MESSAGE_COUNT,
                "message_count",
                whole.messages,
                statistics.message_count,
            ),
            (
                at::CHUNK_COUNT,
                "chunk_count",
                chunks,
                statistics.chunk_count,
            ),
            (
                at::SCHEMA_COUNT,
                "schema_count",
                count(facts.schemas.len()),
                u64::from(statistics.schema_count),
            ),
            (
                at::STREAM_COUNT,
                "stream_count",
                match facts.streams.len() {
                    all if u64::from(statistics.stream_count) == count(all) => count(all),
                    _ => count(facts.counted_streams().count()),
                },
                u64::from(statistics.stream_count),
            ),
            (
                at::METADATA_COUNT,
                "metadata_count",
                u64::from(facts.metadata_count),
                u64::from(statistics.metadata_count),
            ),
            (
                at::ATTACHMENT_COUNT,
                "attachment_count",
                u64::from(facts.attachment_count),
                u64::from(statistics.attachment_count),
            ),
        ] {
            let unclear = match byte {
                at::SCHEMA_COUNT | at::STREAM_COUNT => facts.definitions_lost(),
                at::MESSAGE_COUNT | at::CHUNK_COUNT => chunks_lost,
                _ => false,
            };
            if unclear {
                continue;
            }
            compare(
                "CA3-13.2-02",
                base.saturating_add(byte),
                field,
                right,
                stated,
            );
        }
        // §13.2: bounds over streams of the file's own domain alone.
        let own = facts.header.as_ref().map(|header| {
            let pair = (&header.host_id, &header.host_clock_epoch);
            sums.iter().filter(move |(reference, _)| {
                facts.streams.get(reference).is_some_and(|fact| {
                    (&fact.stream.host_id, &fact.stream.host_clock_epoch) == pair
                })
            })
        });
        let own: Vec<&StreamSum> = own.into_iter().flatten().map(|(_, sum)| sum).collect();
        if facts.header.is_some() && !facts.definitions_lost() && !chunks_lost {
            let first = own.iter().filter_map(|sum| sum.first()).min();
            let last = own.iter().filter_map(|sum| sum.last()).max();
            let stated = (statistics.first_stamp_ns, statistics.last_stamp_ns);
            let fits = |which: usize| {
                // Reading G111: where no such stream has a message, both are 0.
                own.iter().any(|sum| {
                    sum.first().is_some()
                        && sum.may_span(stated.0, stated.1).get(which) == Some(&true)
                })
            };
            for (which, byte, field, right, stated) in [
                (0, at::FIRST_STAMP, "first_stamp_ns", first, stated.0),
                (1, at::LAST_STAMP, "last_stamp_ns", last, stated.1),
            ] {
                let is_extreme = right == Some(stated) || right.is_none() && stated == 0;
                // Another header's figure, where that is wrong by itself.
                let excused = facts.chunks.iter().any(|chunk| {
                    chunk
                        .actual
                        .is_some_and(|actual| actual != (chunk.min_stamp_ns, chunk.max_stamp_ns))
                }) && fits(which);
                if !is_extreme && !excused {
                    let offset = base.saturating_add(byte);
                    let right = right.unwrap_or_default();
                    compare("CA3-13.2-03", offset, field, right, stated);
                }
            }
        }
        self.judge_rows(fact, sums, found);
    }

    /// Reading G113: one row for each stream.
    fn judge_rows(
        &self,
        fact: &StatisticsFact,
        sums: &BTreeMap<u32, StreamSum>,
        found: &mut Findings,
    ) {
        const RULE: &str = "CA3-13.2-02";
        let record = fact.base.saturating_sub(RecordFrame::BYTES);
        let chunks_lost = !self.facts.lost_chunks.is_empty();
        let mut listed = BTreeSet::new();
        let mut wrong: usize = 0;
        for (place, row) in (0u64..).zip(&fact.statistics.streams) {
            let start = fact
                .base
                .saturating_add(at::ENTRIES)
                .saturating_add(fact.stride.saturating_mul(place));
            let row_finding = |byte: u64, field: &str, message: &str| {
                let path = format!("Statistics.streams[{place}].{field}");
                let offset = start.saturating_add(byte);
                Finding::new(RULE, Severity::Error, offset, path, message)
                    .in_record(record)
                    .of_stream(row.stream_ref)
                    .reading("G07")
            };
            if !listed.insert(row.stream_ref) {
                wrong = wrong.saturating_add(1);
                let finding = row_finding(0, "stream_ref", "the stream has a row before");
                found.add(
                    finding
                        .showing("one row a stream", "another one")
                        .reading("G113"),
                );
                continue;
            }
            if !self.facts.may_have_stream(row.stream_ref) {
                wrong = wrong.saturating_add(1);
                let finding = row_finding(0, "stream_ref", "the row is for no stream of this file");
                found.add(
                    finding
                        .showing("a defined stream", row.stream_ref)
                        .reading("G113"),
                );
                continue;
            }
            let right = sums.get(&row.stream_ref).map_or(0, |sum| sum.messages);
            if right != row.message_count && !chunks_lost {
                let message = "message_count is not what the stream's chunks come to";
                found.add(
                    row_finding(8, "message_count", message).showing(right, row.message_count),
                );
            }
        }
        // A row that names a wrong stream is the one that is missed.
        let missing = self
            .facts
            .counted_streams()
            .filter(|reference| !listed.contains(reference));
        for reference in missing.skip(wrong) {
            found.add_with(RULE, Severity::Warning, || {
                let message = format!("stream {reference} has no row in Statistics");
                let field = "Statistics.streams";
                Finding::new(RULE, Severity::Warning, record, field, message)
                    .of_stream(reference)
                    .showing("a row", "none")
                    .reading("G113")
            });
        }
    }
}
