//! Statistics, where they parse (§13.2, reading G07).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Record, Statistics};

use super::directory::StreamSum;
use super::index::stride;
use crate::scan::Scan;

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
                if self.pay(content.len().saturating_mul(2), base, "Statistics") {
                    let step = content.get(48..).map_or(0, stride);
                    self.facts
                        .statistics
                        .get_or_insert((base, step, statistics));
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
        let facts = &self.facts;
        let Some((base, step, statistics)) = &facts.statistics else {
            return;
        };
        let base = *base;
        let sums = self.sums();
        let total =
            |each: &dyn Fn(&StreamSum) -> u64| sums.values().map(each).fold(0, u64::saturating_add);
        let whole = StreamSum {
            messages: total(&|sum| sum.messages),
            chunks: total(&|sum| sum.chunks),
            empty: total(&|sum| sum.empty),
            spans: Vec::new(),
        };
        let mut found = self.findings.beside();
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
                count(facts.streams.len()),
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
            if facts.definitions_lost && matches!(byte, at::SCHEMA_COUNT | at::STREAM_COUNT) {
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
        let spans: Vec<&StreamSum> = own.into_iter().flatten().map(|(_, sum)| sum).collect();
        let first = spans.iter().filter_map(|sum| sum.first()).min();
        let last = spans.iter().filter_map(|sum| sum.last()).max();
        if let (Some(first), Some(last)) = (first, last) {
            for (byte, field, right, stated) in [
                (
                    at::FIRST_STAMP,
                    "first_stamp_ns",
                    first,
                    statistics.first_stamp_ns,
                ),
                (
                    at::LAST_STAMP,
                    "last_stamp_ns",
                    last,
                    statistics.last_stamp_ns,
                ),
            ] {
                compare(
                    "CA3-13.2-03",
                    base.saturating_add(byte),
                    field,
                    right,
                    stated,
                );
            }
        }
        let entry = *step;
        for (place, row) in (0u64..).zip(&statistics.streams) {
            let right = sums.get(&row.stream_ref).map_or(0, |sum| sum.messages);
            let offset = base
                .saturating_add(at::ENTRIES)
                .saturating_add(entry.saturating_mul(place))
                .saturating_add(8);
            let field = format!("streams[{place}].message_count");
            compare("CA3-13.2-02", offset, &field, right, row.message_count);
        }
        self.findings.absorb(found);
    }
}
