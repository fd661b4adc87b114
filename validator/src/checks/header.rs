//! Header (§4) and feature bits (§3.3, §15).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;
use ca3_spec::{REQUIRED_FEATURES_OFFSET, feature};
use ca3_wire::records::{Header, Record};

use crate::scan::{MAGIC_BYTES, Scan, field_offset};
use crate::wire_rules;

/// Names of wrappers in languages' libraries, not of platform calls (§4.3).
const WRAPPERS: &[&str] = &[
    "std::time",
    "SystemTime::now",
    "Instant::now",
    "std::chrono",
    "steady_clock",
    "system_clock",
    "time.time",
    "time.monotonic",
    "time.perf_counter",
    "datetime.now",
    "Date.now",
    "performance.now",
    "System.nanoTime",
    "System.currentTimeMillis",
    "DateTime.UtcNow",
    "Stopwatch",
];

/// What the name of a platform call contains.
const CALLS: &[&str] = &["clock_gettime", "CLOCK_", "Query", "GetSystemTime", "mach_"];

impl Scan<'_> {
    pub(crate) fn header(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        // They stand first, so that they are known whatever follows (§3.3).
        if let Some(bitmap) = content.first_chunk::<8>()
            && self.facts.header.is_none()
        {
            self.features(u64::from_le_bytes(*bitmap));
        }
        let header = match Header::from_content(content, base) {
            Ok(header) => header,
            Err(error) => {
                let mut finding = wire_rules::finding(op::HEADER, &error);
                if is_outdated(content, base) {
                    finding.message.push_str(
                        "; without monotonic_source, as in the layout before 2026-08-11, it \
                         decodes (section 4.3)",
                    );
                }
                self.findings.add(finding);
                return Ok(());
            }
        };
        if self.facts.header.is_some() {
            return Ok(());
        }
        for (field, source) in [
            ("monotonic_source", &header.monotonic_source),
            ("anchor_wall_source", &header.anchor_wall_source),
        ] {
            let names_wrapper = WRAPPERS.iter().any(|name| source.contains(name));
            let names_call = CALLS.iter().any(|name| source.contains(name));
            if names_wrapper && !names_call {
                let message = format!("{field} names a language's wrapper");
                let offset = field_offset::<Header>(content, base, field);
                let field = format!("Header.{field}");
                self.findings.add(
                    Finding::new("CA3-4.3-02", Severity::Warning, offset, field, message)
                        .showing("the platform call that it makes", source),
                );
            }
        }
        if header.monotonic_source.is_empty() {
            let offset = field_offset::<Header>(content, base, "monotonic_source");
            self.findings.add(
                Finding::new(
                    "CA3-4.3-01",
                    Severity::Warning,
                    offset,
                    "Header.monotonic_source",
                    "the call behind the ordering clock is not named",
                )
                .showing("a platform call", "nothing"),
            );
        }
        self.facts.header = Some(header);
        Ok(())
    }

    /// §15: no bit outside the list, and bit 1 is only reserved.
    fn features(&mut self, bitmap: u64) {
        for bit in feature::bits(bitmap) {
            let known = feature::FEATURES.iter().find(|known| known.bit == bit);
            let (rule, message) = match known {
                Some(known) if known.defined => continue,
                Some(known) => (
                    "CA3-15-07",
                    format!("feature bit {bit} ({}) is reserved", known.name),
                ),
                None => ("CA3-15-08", format!("feature bit {bit} is not assigned")),
            };
            self.findings.add(
                Finding::new(
                    rule,
                    Severity::Error,
                    REQUIRED_FEATURES_OFFSET,
                    "Header.required_features",
                    message,
                )
                .showing("no bit but 0 and 2", format_args!("{bitmap:#x}")),
            );
        }
    }

    /// A feature that a chunk uses and the Header does not state.
    pub(crate) fn uses_feature(&mut self, bit: u8, rule: &'static str, chunk: u64) {
        let Some(header) = &self.facts.header else {
            return;
        };
        let bitmap = header.required_features;
        if bitmap >> bit & 1 == 1 {
            return;
        }
        let name = feature::name(bit).unwrap_or_default();
        let message = format!("the chunk at {chunk} uses {name}, and bit {bit} is clear");
        self.findings.add(
            Finding::new(
                rule,
                Severity::Error,
                REQUIRED_FEATURES_OFFSET,
                "Header.required_features",
                message,
            )
            .in_record(MAGIC_BYTES)
            .in_chunk(chunk)
            .showing(
                format_args!("{:#x}", bitmap | 1 << bit),
                format_args!("{bitmap:#x}"),
            ),
        );
    }
}

/// Whether a Header decodes once it has an empty `monotonic_source` (§4.3).
fn is_outdated(content: &[u8], base: u64) -> bool {
    let place = field_offset::<Header>(content, base, "monotonic_source").saturating_sub(base);
    let split = usize::try_from(place)
        .ok()
        .filter(|place| *place > 0)
        .and_then(|place| content.split_at_checked(place));
    split.is_some_and(|(head, tail)| {
        let with_it = [head, &[0; 4], tail].concat();
        Header::from_content(&with_it, base).is_ok()
    })
}
