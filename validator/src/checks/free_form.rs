//! Metadata and Attachment (§13.3, reading G08).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Metadata, Record};

use crate::scan::{Scan, crc_of, u32_at, u64_at};
use crate::wire_rules;

/// The longest name or media type that is looked at.
const LONGEST_NAME: u64 = 64 * 1024;

impl Scan<'_> {
    pub(crate) fn metadata(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        if let Err(error) = Metadata::from_content(content, base) {
            if error.kind() == Kind::BadLength {
                self.other_layout("Metadata", base, &error.to_string());
            } else {
                let finding = wire_rules::finding(op::METADATA, &error);
                self.findings.add(finding.reading("G08"));
            }
        }
        Ok(())
    }

    /// The document gives neither of the two a table: what does not parse by
    /// reading G08 may have another layout.
    fn other_layout(&mut self, name: &str, base: u64, reason: &str) {
        let rules: &[&str] = if name == "Metadata" {
            &["CA3-13.3-03"]
        } else {
            &["CA3-13.3-02"]
        };
        let offset = base.saturating_sub(RecordFrame::BYTES);
        let reason = format!("it does not parse by reading G08: {reason}");
        self.leave(
            format!("the inside of the {name} at {offset}"),
            rules,
            &reason,
        );
    }

    /// An attachment may be larger than any memory: its checksum is taken a
    /// piece at a time.
    pub(crate) fn attachment(&mut self, frame: &RecordFrame) -> io::Result<()> {
        let base = frame.offset.saturating_add(RecordFrame::BYTES);
        let mut offset = base;
        let end = offset.saturating_add(frame.content_length);
        for field in ["name", "media_type"] {
            if end.saturating_sub(offset) < 4 {
                self.outside(base, offset, field, 4, end);
                return Ok(());
            }
            let length = u64::from(u32_at(self.source, offset)?);
            let start = offset.saturating_add(4);
            if length > end.saturating_sub(start) {
                self.outside(base, offset, field, length, end);
                return Ok(());
            }
            self.attachment_string(offset, field, length)?;
            offset = start.saturating_add(length);
        }
        let data = offset.saturating_add(16);
        if data > end {
            self.outside(base, offset, "created_unix_ns", 16, end);
            return Ok(());
        }
        let length = u64_at(self.source, offset.saturating_add(8))?;
        let left = end.saturating_sub(data);
        if length > left || left.saturating_sub(length) < 4 {
            self.outside(base, offset.saturating_add(8), "data", length, end);
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

    fn outside(&mut self, base: u64, offset: u64, field: &str, needed: u64, end: u64) {
        let left = end.saturating_sub(offset);
        let reason = format!("{field} at offset {offset} needs {needed} bytes of the {left} left");
        self.other_layout("Attachment", base, &reason);
    }
}

fn attachment(rule: &'static str, offset: u64, field: &str, message: impl Into<String>) -> Finding {
    let path = format!("Attachment.{field}");
    Finding::new(rule, Severity::Error, offset, path, message).reading("G08")
}
