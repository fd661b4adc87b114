//! Metadata and Attachment (§13.3, reading G08).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::Metadata;

use crate::scan::{Scan, crc_of, u32_at, u64_at};

/// The longest name or media type that is looked at.
const LONGEST_NAME: u64 = 64 * 1024;

impl Scan<'_> {
    pub(crate) fn metadata(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        self.facts.metadata_count = self.facts.metadata_count.saturating_add(1);
        self.decode::<Metadata>(content, base);
        Ok(())
    }

    /// An attachment may be larger than any memory: its checksum is taken a
    /// piece at a time.
    pub(crate) fn attachment(&mut self, frame: &RecordFrame) -> io::Result<()> {
        self.facts.attachment_count = self.facts.attachment_count.saturating_add(1);
        let mut offset = frame.offset.saturating_add(RecordFrame::BYTES);
        let end = offset.saturating_add(frame.content_length);
        for field in ["name", "media_type"] {
            if end.saturating_sub(offset) < 4 {
                self.outside(offset, field, 4, end);
                return Ok(());
            }
            let length = u64::from(u32_at(self.source, offset)?);
            let start = offset.saturating_add(4);
            if length > end.saturating_sub(start) {
                self.outside(offset, field, length, end);
                return Ok(());
            }
            self.attachment_string(offset, field, length)?;
            offset = start.saturating_add(length);
        }
        let data = offset.saturating_add(16);
        if data > end {
            self.outside(offset, "created_unix_ns", 16, end);
            return Ok(());
        }
        let length = u64_at(self.source, offset.saturating_add(8))?;
        let left = end.saturating_sub(data);
        if length > left || left.saturating_sub(length) < 4 {
            self.outside(offset.saturating_add(8), "data", length, end);
            return Ok(());
        }
        let checksum = data.saturating_add(length);
        let stated = u32_at(self.source, checksum)?;
        let computed = crc_of(self.source, data, checksum)?;
        if stated != computed {
            let message = "data_crc32c is not the checksum of the data";
            self.findings.add(
                attachment("CA3-13.3-02", checksum, "data_crc32c", message).showing(
                    format_args!("{computed:#010x}"),
                    format_args!("{stated:#010x}"),
                ),
            );
        }
        Ok(())
    }

    fn attachment_string(&mut self, offset: u64, field: &str, length: u64) -> io::Result<()> {
        if length > LONGEST_NAME {
            let reason = format!("it is {length} bytes long");
            self.leave(
                format!("{field} of the Attachment at {offset}"),
                &["CA3-1.2-07"],
                &reason,
            );
            return Ok(());
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.source.read_at(offset.saturating_add(4), &mut bytes)?;
        if let Err(error) = std::str::from_utf8(&bytes) {
            let message = format!(
                "{field} is not UTF-8 from its byte {} on",
                error.valid_up_to()
            );
            self.findings
                .add(attachment("CA3-1.2-07", offset, field, message));
        }
        Ok(())
    }

    fn outside(&mut self, offset: u64, field: &str, needed: u64, end: u64) {
        let message = format!("{field} reaches past the end of its record");
        let left = end.saturating_sub(offset);
        self.findings
            .add(attachment("CA3-1.2-11", offset, field, message).showing(
                format_args!("at most {left} bytes"),
                format_args!("{needed} bytes"),
            ));
    }
}

fn attachment(rule: &'static str, offset: u64, field: &str, message: impl Into<String>) -> Finding {
    let path = format!("Attachment.{field}");
    Finding::new(rule, Severity::Error, offset, path, message)
}
