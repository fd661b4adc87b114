//! A Stream by itself (§5.7, §5.9, §11.3).

use ca3_reports::{Finding, Severity};
use ca3_wire::records::Stream;

use crate::scan::{Scan, field_offset};

impl Scan<'_> {
    /// The first copy of a stream.
    pub(super) fn judge_stream(&mut self, stream: &Stream, content: &[u8], base: u64) {
        let reference = stream.stream_ref;
        let mut found: Vec<(&'static str, Severity, &str, &str, String, String)> = Vec::new();
        let alignment = stream.block_alignment;
        if !stream.has_valid_alignment() && alignment != 0 {
            let rule = if alignment > 4096 {
                "CA3-5.9-04"
            } else {
                "CA3-5.9-03"
            };
            found.push((
                rule,
                Severity::Error,
                "block_alignment",
                "is no boundary that a stream may declare",
                "0, or a power of two up to 4096".to_owned(),
                alignment.to_string(),
            ));
        }
        if alignment == 0 && stream.block_offset != 0 {
            found.push((
                "CA3-5.9-06",
                Severity::Error,
                "block_offset",
                "must be 0 where no boundary is declared",
                "0".to_owned(),
                stream.block_offset.to_string(),
            ));
        }
        let (from, until) = (
            stream.authorisation_from_unix_ns,
            stream.authorisation_until_unix_ns,
        );
        // Reading G106: an end of 0 is none.
        if until != 0 && from > until {
            found.push((
                "CA3-11.3-03",
                Severity::Error,
                "authorisation_until_unix_ns",
                "lies before the window's beginning",
                format!("{from} or later"),
                until.to_string(),
            ));
        }
        if stream.operator_asserted_by > 4 {
            found.push((
                "CA3-11.3-02",
                Severity::Warning,
                "operator_asserted_by",
                "is not defined and is read as unspecified",
                "0 to 4".to_owned(),
                stream.operator_asserted_by.to_string(),
            ));
        }
        let reserved = stream.flags & !Stream::PAYLOAD_ENTROPY_CODED;
        if reserved != 0 {
            found.push((
                "CA3-5.7-14",
                Severity::Warning,
                "flags",
                "has reserved bits set",
                format!("{:#x}", stream.flags & Stream::PAYLOAD_ENTROPY_CODED),
                format!("{:#x}", stream.flags),
            ));
        }
        match stream.schema_conformance {
            0 | 1 => {}
            2 => found.push((
                "CA3-5.7-08",
                Severity::Info,
                "schema_conformance",
                "is retired and is read as 1",
                "0 or 1".to_owned(),
                "2".to_owned(),
            )),
            other => found.push((
                "CA3-5.7-09",
                Severity::Warning,
                "schema_conformance",
                "is not defined and is read as 0",
                "0 or 1".to_owned(),
                other.to_string(),
            )),
        }
        for (rule, severity, field, message, expected, value) in found {
            let offset = field_offset::<Stream>(content, base, field);
            let message = format!("stream {reference}: {field} {value} {message}");
            let finding = Finding::new(rule, severity, offset, format!("Stream.{field}"), message)
                .of_stream(reference)
                .showing(expected, value);
            self.findings.add(finding);
        }
    }
}
