//! A chunk's header by itself, and beside its messages (§6.1, §6.3).

use ca3_reports::Severity;
use ca3_spec::feature;
use ca3_wire::records::ChunkHeader;
use ca3_wire::{Codec, FieldMask};

use super::chunk::Head;
use super::messages::Tally;
use crate::findings::Findings;
use crate::scan::Scan;

/// Where fields lie in both headers, from the start of the content.
mod at {
    pub(super) const FIELD_MASK: u64 = 5;
    pub(super) const FLAGS: u64 = 7;
    pub(super) const MESSAGE_COUNT: u64 = 9;
    pub(super) const MIN_STAMP: u64 = 13;
    pub(super) const MAX_STAMP: u64 = 21;
    pub(super) const RECORD_TS_BASE: u64 = 29;
    pub(super) const WALL_BASE: u64 = 37;
    pub(super) const SOURCE_BASE: u64 = 45;
    pub(super) const SEQ_FIRST: u64 = 53;
}

impl Scan<'_> {
    /// The header by itself.
    pub(super) fn judge_head(&mut self, head: &Head) {
        if head.codec == Codec::ZSTD && self.facts.first_zstd.is_none() {
            self.facts.first_zstd = Some(head.offset);
            self.uses_feature(feature::ZSTD, "CA3-3.3-08", head.offset);
        }
        if head.columnar && self.facts.first_columnar.is_none() {
            self.facts.first_columnar = Some(head.offset);
            self.uses_feature(feature::COLUMNAR_CHUNK, "CA3-6.5-22", head.offset);
        }
        if head.flags & !ChunkHeader::SORTED != 0 {
            let finding = head
                .finding(
                    "CA3-6.1-18",
                    Severity::Warning,
                    at::FLAGS,
                    "flags",
                    "reserved bits are set",
                )
                .showing(
                    format_args!("{:#06x}", head.flags & ChunkHeader::SORTED),
                    format_args!("{:#06x}", head.flags),
                )
                .reading("G11");
            self.findings.add(finding);
        }
        if head.bases.field_mask.has_record_ts() {
            self.facts.own_clock_used = true;
        }
        let unknown = head.bases.field_mask.and(FieldMask::SKIPPABLE);
        if unknown != FieldMask(0) && !head.columnar {
            let finding = head
                .finding(
                    "CA3-6.3-08",
                    Severity::Warning,
                    at::FIELD_MASK,
                    "field_mask",
                    "has bits that no version 1 writer sets",
                )
                .showing(
                    format_args!("{:#06x}", head.bases.field_mask.0 & 0x00FF),
                    format_args!("{:#06x}", head.bases.field_mask.0),
                );
            self.findings.add(finding);
        }
        if head.message_count == 0 {
            let finding = head
                .finding(
                    "CA3-6.1-19",
                    Severity::Warning,
                    at::MESSAGE_COUNT,
                    "message_count",
                    "the chunk holds no message",
                )
                .showing("1 or more", 0)
                .reading("G12");
            self.findings.add(finding);
        }
    }

    /// §5.7: once a stream.
    pub(super) fn judge_source(&mut self, head: &Head) {
        let Some(fact) = self.facts.streams.get_mut(&head.stream_ref) else {
            return;
        };
        if !fact.stream.source_clock_domain.is_empty() || fact.source_reported {
            return;
        }
        fact.source_reported = true;
        let message = "messages carry source stamps, and the stream names no source_clock_domain";
        let finding = head
            .finding(
                "CA3-5.7-11",
                Severity::Error,
                at::FIELD_MASK,
                "field_mask",
                message,
            )
            .showing("no source stamps, or a domain", "source stamps")
            .reading("G83");
        self.findings.add(finding);
    }
}

impl Head {
    /// The header against messages that all decoded.
    pub(super) fn judge_messages(&self, tally: &Tally, findings: &mut Findings) {
        let Some((least, greatest)) = tally.span() else {
            return;
        };
        let bases = &self.bases;
        for (byte, field, extreme, stated, actual) in [
            (
                at::MIN_STAMP,
                "min_stamp_ns",
                "least",
                bases.min_stamp_ns,
                least,
            ),
            (
                at::MAX_STAMP,
                "max_stamp_ns",
                "greatest",
                bases.max_stamp_ns,
                greatest,
            ),
        ] {
            if stated != actual {
                let message = format!("{field} is not the {extreme} stamp of the messages");
                let finding = self
                    .finding("CA3-6.1-12", Severity::Error, byte, field, message)
                    .showing(actual, stated);
                findings.add(finding);
            }
        }
        if let Some(index) = tally.disorder.filter(|_| bases.sorted) {
            let message = "the sorted bit is set over messages that are out of order";
            let finding = self
                .finding("CA3-6.1-11", Severity::Error, at::FLAGS, "flags", message)
                .at_message(index)
                .showing("bit 0 clear", "bit 0 set");
            findings.add(finding);
        }
        self.judge_bases(tally, findings);
        if tally.first_unnumbered && tally.any_sequence && bases.seq_first != 0 {
            let message = "the first message has no sequence, and a later one has: there is no \
                           base to count from";
            let finding = self
                .finding(
                    "CA3-6.4-10",
                    Severity::Error,
                    at::SEQ_FIRST,
                    "seq_first",
                    message,
                )
                .showing(0, bases.seq_first);
            findings.add(finding);
        }
        for name in tally.unused(bases.field_mask) {
            let message = format!("the mask has {name}, and no message carries one");
            let finding = self
                .finding(
                    "CA3-6.3-11",
                    Severity::Warning,
                    at::FIELD_MASK,
                    "field_mask",
                    message,
                )
                .showing(
                    format_args!("no bit for {name}"),
                    format_args!("{:#06x}", bases.field_mask.0),
                );
            findings.add(finding);
        }
    }

    /// §6.1: each base is a minimum; readers decode the same values from others.
    fn judge_bases(&self, tally: &Tally, findings: &mut Findings) {
        let bases = &self.bases;
        for (rule, byte, field, stated, least) in [
            (
                "CA3-6.1-14",
                at::RECORD_TS_BASE,
                "record_ts_base_ns",
                bases.record_ts_base_ns,
                tally.min_record_ts_ns,
            ),
            (
                "CA3-6.1-16",
                at::WALL_BASE,
                "wall_base_ns",
                bases.wall_base_ns,
                tally.min_wall_base_ns,
            ),
            (
                "CA3-6.1-15",
                at::SOURCE_BASE,
                "source_base_ns",
                bases.source_base_ns,
                tally.min_source_ns,
            ),
        ] {
            let rule = if least.is_none() { "CA3-6.1-17" } else { rule };
            let expected = least.unwrap_or_default();
            if stated != expected {
                let message = format!("{field} is not the minimum that it should be");
                let finding = self
                    .finding(rule, Severity::Warning, byte, field, message)
                    .showing(expected, stated);
                findings.add(finding);
            }
        }
    }
}
