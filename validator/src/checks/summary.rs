//! The summary's groups, their offsets, and the Footer (§2.2, §2.4, §13.1, §13.4).

use std::collections::BTreeMap;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::{self, op};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Footer, SummaryOffset};

use crate::findings::Findings;
use crate::scan::{Group, Scan, crc_of};

/// Where the Footer's fields lie in its content.
mod at {
    pub(super) const SUMMARY_START: u64 = 0;
    pub(super) const SUMMARY_OFFSET_START: u64 = 8;
    pub(super) const LAST_CHECKPOINT: u64 = 16;
    pub(super) const SUMMARY_CRC: u64 = 24;
}

/// Groups that every sealed file has.
const REQUIRED: [u8; 3] = [op::CHUNK_INDEX, op::STREAM_DIRECTORY, op::STATISTICS];

fn name(opcode: u8) -> &'static str {
    opcode::entry(opcode).map_or("(unknown)", |entry| entry.name)
}

impl Scan<'_> {
    pub(crate) fn summary_offset(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        if let Some(record) = self.decode::<SummaryOffset>(content, base)
            && self.pay(size_of::<(u64, SummaryOffset)>(), base, "SummaryOffset")
        {
            self.facts.summary_offsets.push((base, record));
        }
        Ok(())
    }

    pub(crate) fn footer(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        if let Some(footer) = self.decode::<Footer>(content, base) {
            self.facts.footer.get_or_insert((base, footer));
        }
        Ok(())
    }

    /// The Footer's four fields against what was met.
    pub(crate) fn footer_at_end(&mut self) -> io::Result<()> {
        let Some((base, footer)) = self.facts.footer else {
            return Ok(());
        };
        let footer_offset = base.saturating_sub(9);
        let mut wrong =
            |rule, byte: u64, field: &str, message: &str, expected: String, found: u64| {
                let path = format!("Footer.{field}");
                self.findings.add(
                    Finding::new(
                        rule,
                        Severity::Error,
                        base.saturating_add(byte),
                        path,
                        message,
                    )
                    .in_record(footer_offset)
                    .showing(expected, found),
                );
            };
        let has_summary = !self.facts.groups.is_empty();
        if footer.summary_start != 0 && !self.boundary_known {
            let message = "summary_start is not where a record of the summary begins";
            wrong(
                "CA3-13.1-09",
                at::SUMMARY_START,
                "summary_start",
                message,
                "the offset of the first summary record".to_owned(),
                footer.summary_start,
            );
        } else if footer.summary_start == 0 && has_summary {
            let start = self.facts.groups.first().map_or(0, |group| group.start);
            let message = "summary_start is 0, and there is a summary";
            wrong(
                "CA3-13.1-04",
                at::SUMMARY_START,
                "summary_start",
                message,
                start.to_string(),
                0,
            );
        }
        let offsets_start = self.offsets_start.unwrap_or_default();
        if footer.summary_offset_start != offsets_start {
            let rule = if footer.summary_offset_start == 0 {
                "CA3-13.1-04"
            } else {
                "CA3-13.1-09"
            };
            let message = "summary_offset_start is not where the first SummaryOffset begins";
            wrong(
                rule,
                at::SUMMARY_OFFSET_START,
                "summary_offset_start",
                message,
                offsets_start.to_string(),
                footer.summary_offset_start,
            );
        }
        let last = self.facts.checkpoints.last;
        if footer.last_checkpoint_offset != last {
            // Reading G54: one of the others, or none at all, or nowhere.
            let known = footer.last_checkpoint_offset == 0
                || self
                    .facts
                    .checkpoint_offsets
                    .contains(&footer.last_checkpoint_offset);
            let rule = if known { "CA3-13.1-05" } else { "CA3-13.1-09" };
            let message = "last_checkpoint_offset is not where the last checkpoint begins";
            wrong(
                rule,
                at::LAST_CHECKPOINT,
                "last_checkpoint_offset",
                message,
                last.to_string(),
                footer.last_checkpoint_offset,
            );
        }
        if !self.boundary_known || footer.summary_offset_start != offsets_start {
            return Ok(());
        }
        let (rule, end) = if offsets_start == 0 {
            ("CA3-13.1-07", footer_offset)
        } else {
            ("CA3-13.1-06", offsets_start)
        };
        let computed = crc_of(self.source, footer.summary_start, end)?;
        if computed != footer.summary_crc {
            let message = "summary_crc is not the checksum of the summary";
            let finding = Finding::new(
                rule,
                Severity::Error,
                base.saturating_add(at::SUMMARY_CRC),
                "Footer.summary_crc",
                message,
            )
            .in_record(footer_offset)
            .showing(
                format_args!("{computed:#010x}"),
                format_args!("{:#010x}", footer.summary_crc),
            );
            self.findings.add(finding);
        }
        Ok(())
    }

    /// Order of the groups, those that must be there, and one offset each.
    pub(crate) fn groups_at_end(&mut self) {
        let Some((base, footer)) = self.facts.footer else {
            return;
        };
        if footer.summary_start != 0 && !self.boundary_known {
            return;
        }
        let mut found = self.findings.beside();
        self.group_order(&mut found);
        let end = self.offsets_start.unwrap_or_else(|| base.saturating_sub(9));
        for required in REQUIRED {
            if !self
                .facts
                .groups
                .iter()
                .any(|group| group.opcode == required)
            {
                let message = format!("the summary has no {}", name(required));
                found.add(
                    Finding::new("CA3-2.4-03", Severity::Error, end, "summary", message)
                        .showing(name(required), "none"),
                );
            }
        }
        self.group_offsets(&mut found);
        self.findings.absorb(found);
    }

    fn group_order(&self, found: &mut Findings) {
        let mut greatest = 0;
        for group in &self.facts.groups {
            if group.opcode <= greatest {
                let message = format!("{} stands behind {}", name(group.opcode), name(greatest));
                found.add(
                    Finding::new(
                        "CA3-2.2-02",
                        Severity::Error,
                        group.start,
                        "summary",
                        message,
                    )
                    .showing(
                        format_args!("an opcode above {greatest:#04x}"),
                        format_args!("{:#04x}", group.opcode),
                    ),
                );
            }
            greatest = greatest.max(group.opcode);
        }
    }

    fn group_offsets(&self, found: &mut Findings) {
        let mut groups: BTreeMap<u8, Group> = BTreeMap::new();
        for group in &self.facts.groups {
            groups.entry(group.opcode).or_insert(*group);
        }
        let mut named: BTreeMap<u8, u64> = BTreeMap::new();
        for (base, record) in &self.facts.summary_offsets {
            let path = |field: &str| format!("SummaryOffset.{field}");
            let record_offset = base.saturating_sub(RecordFrame::BYTES);
            if named.insert(record.opcode, *base).is_some() {
                let message = format!("{} has a SummaryOffset before", name(record.opcode));
                found.add(
                    Finding::new(
                        "CA3-2.4-04",
                        Severity::Error,
                        *base,
                        path("opcode"),
                        message,
                    )
                    .in_record(record_offset)
                    .showing("one a group", "another one"),
                );
                continue;
            }
            let Some(group) = groups.get(&record.opcode) else {
                let message = format!(
                    "opcode {:#04x} ({}) has no group in the summary",
                    record.opcode,
                    name(record.opcode)
                );
                found.add(
                    Finding::new(
                        "CA3-2.4-04",
                        Severity::Error,
                        *base,
                        path("opcode"),
                        message,
                    )
                    .in_record(record_offset)
                    .showing(
                        "a group of the summary",
                        format_args!("{:#04x}", record.opcode),
                    ),
                );
                continue;
            };
            let length = group.end.saturating_sub(group.start);
            for (byte, field, right, stated) in [
                (1, "start", group.start, record.start),
                (9, "length", length, record.length),
            ] {
                if right != stated {
                    let message =
                        format!("{field} is not that of the {} group", name(record.opcode));
                    let offset = base.saturating_add(byte);
                    found.add(
                        Finding::new("CA3-13.4-01", Severity::Error, offset, path(field), message)
                            .in_record(record_offset)
                            .showing(right, stated)
                            .reading("G09"),
                    );
                }
            }
        }
        for group in groups.values() {
            // Of what version 1 does not define, nothing more is asked.
            let defined = matches!(
                opcode::disposition(group.opcode),
                opcode::Disposition::Defined(_)
            );
            if defined && !named.contains_key(&group.opcode) {
                let message = format!("the {} group has no SummaryOffset", name(group.opcode));
                found.add(
                    Finding::new(
                        "CA3-2.4-04",
                        Severity::Error,
                        group.start,
                        "summary",
                        message,
                    )
                    .showing("one SummaryOffset", "none"),
                );
            }
        }
    }
}
