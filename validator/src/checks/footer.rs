//! The Footer's four fields against what was met (§13.1).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::Footer;

use crate::scan::{Scan, crc_of};

/// Where the Footer's fields lie in its content.
pub(super) mod at {
    pub(in super::super) const SUMMARY_START: u64 = 0;
    pub(in super::super) const SUMMARY_OFFSET_START: u64 = 8;
    pub(in super::super) const LAST_CHECKPOINT: u64 = 16;
    pub(in super::super) const SUMMARY_CRC: u64 = 24;
}

impl Scan<'_> {
    pub(crate) fn footer(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let offset = base.saturating_sub(RecordFrame::BYTES);
        let in_force = self.outline.footer.is_none_or(|(place, _)| place == offset);
        if let Some(footer) = self.decode::<Footer>(content, base)
            && in_force
        {
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
        let first_group = self.facts.groups.first().map(|group| group.start);
        let start = self.outline.summary.or(first_group);
        let stated = footer.summary_start;
        if stated == 0 && start.is_some() {
            wrong(
                "CA3-13.1-04",
                at::SUMMARY_START,
                "summary_start",
                "summary_start is 0, and there is a summary",
                start.unwrap_or_default().to_string(),
                0,
            );
        } else if stated != 0 && !(self.boundary_known && start == Some(stated)) {
            wrong(
                "CA3-13.1-09",
                at::SUMMARY_START,
                "summary_start",
                "summary_start is not where the first record of the summary begins",
                start.map_or_else(
                    || "0, as there is none".to_owned(),
                    |start| start.to_string(),
                ),
                stated,
            );
        }
        let offsets_start = self.offsets_start.unwrap_or_default();
        if footer.summary_offset_start != offsets_start && start.is_some() {
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
        // Where the last one does not decode, the one before it is as good.
        let decoded = self.facts.checkpoints.before_lost.unwrap_or(last);
        if ![last, decoded].contains(&footer.last_checkpoint_offset) {
            // Reading G54: another record, or none at all, or nowhere.
            let known = footer.last_checkpoint_offset == 0 || self.checkpoint_on_record;
            let rule = if known { "CA3-13.1-05" } else { "CA3-13.1-09" };
            let message = "last_checkpoint_offset is not where the last checkpoint begins";
            let expected = match last {
                0 => "0, as there is none".to_owned(),
                last => last.to_string(),
            };
            wrong(
                rule,
                at::LAST_CHECKPOINT,
                "last_checkpoint_offset",
                message,
                expected,
                footer.last_checkpoint_offset,
            );
        }
        if !self.boundary_known
            || start != Some(stated)
            || footer.summary_offset_start != offsets_start
        {
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
}
