//! ClockBlock, as far as it can be judged without observations (§10.3 to §10.5, §10.12).

use std::collections::BTreeSet;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ClockBlock, ClockDomain};

use crate::scan::{Scan, field_offset};

/// Methods of §10.5.
mod method {
    pub(super) const RECEIPT_ONLY: u8 = 0;
    pub(super) const ONE_WAY_MIN_FILTER: u8 = 1;
    pub(super) const ROUND_TRIP: u8 = 2;
}

/// The one rule of this page that only warns.
const ESTIMATOR: &str = "CA3-10.8-01";

/// Kinds of domain.
const DEVICE: u8 = 0;

impl Scan<'_> {
    pub(crate) fn clock_block(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(block) = self.decode::<ClockBlock>(content, base) else {
            return Ok(());
        };
        self.judge_clock_block(&block, content, base);
        if self.pay(content.len().saturating_mul(4), base, "ClockBlock") {
            self.facts.clock_block.get_or_insert((base, block));
        }
        Ok(())
    }

    /// A block by itself.
    pub(crate) fn judge_clock_block(&mut self, block: &ClockBlock, content: &[u8], base: u64) {
        let mut add = |rule, field: String, message: &str, expected: String, found: String| {
            let offset = field_offset::<ClockBlock>(content, base, &field);
            let path = format!("ClockBlock.{field}");
            let severity = if rule == ESTIMATOR {
                Severity::Warning
            } else {
                Severity::Error
            };
            self.findings
                .add(Finding::new(rule, severity, offset, path, message).showing(expected, found));
        };
        let mut seen = BTreeSet::new();
        for (index, domain) in block.domains.iter().enumerate() {
            let field = |name: &str| format!("domains[{index}].{name}");
            if !seen.insert((&domain.domain, domain.kind)) {
                let message = "the domain is mapped before";
                let found = format!("{:?} again", domain.domain);
                add(
                    "CA3-10.4-11",
                    field("domain"),
                    message,
                    "one mapping".to_owned(),
                    found,
                );
            }
            if domain.min_rtt_present == 0 && domain.min_rtt_ns != 0 {
                let message = "min_rtt_ns is not 0 where none was measured";
                let found = domain.min_rtt_ns.to_string();
                add(
                    "CA3-10.4-06",
                    field("min_rtt_ns"),
                    message,
                    "0".to_owned(),
                    found,
                );
            }
            if domain.estimator_version != 1 {
                let message = "a version 1 file has estimator_version 1";
                let found = domain.estimator_version.to_string();
                add(
                    ESTIMATOR,
                    field("estimator_version"),
                    message,
                    "1".to_owned(),
                    found,
                );
            }
            if let Some((low, high)) = bounds(domain) {
                for (name, right, stated) in [
                    ("bias_low_ns", low, domain.bias_low_ns),
                    ("bias_high_ns", high, domain.bias_high_ns),
                ] {
                    if right != stated {
                        let message = "the bias bound is not the one that the method implies";
                        let found = bound(stated);
                        add("CA3-10.5-07", field(name), message, bound(right), found);
                    }
                }
            }
        }
        for (index, interval) in block.degraded_intervals.iter().enumerate() {
            if interval.from_ns > interval.to_ns {
                let field = format!("degraded_intervals[{index}].to_ns");
                let message = "the interval ends before it begins";
                let expected = format!("{} or later", interval.from_ns);
                add(
                    "CA3-10.12-08",
                    field,
                    message,
                    expected,
                    interval.to_ns.to_string(),
                );
            }
        }
    }

    /// The summary's block against the domains that the file has.
    pub(crate) fn clock_at_end(&mut self) {
        let Some((base, block)) = &self.facts.clock_block else {
            return;
        };
        let reference = (&block.reference_host_id, &block.reference_host_clock_epoch);
        let mut pairs: BTreeSet<(&String, &String)> = BTreeSet::new();
        if let Some(header) = &self.facts.header {
            pairs.insert((&header.host_id, &header.host_clock_epoch));
        }
        for fact in self.facts.streams.values() {
            pairs.insert((&fact.stream.host_id, &fact.stream.host_clock_epoch));
        }
        let mut found = self.findings.beside();
        if !pairs.contains(&reference) {
            let message = "the reference is no clock domain of this file";
            found.add(
                Finding::new(
                    "CA3-10.3-02",
                    Severity::Error,
                    *base,
                    "ClockBlock.reference_host_id",
                    message,
                )
                .in_record(base.saturating_sub(RecordFrame::BYTES))
                .showing(
                    "a (host, epoch) of this file",
                    format_args!("{reference:?}"),
                ),
            );
        }
        let known_reference = pairs.contains(&reference);
        // Reading G02: a device's domain by its name, a host by its name alone.
        let mapped = |device: bool, name: &str| {
            block
                .domains
                .iter()
                .any(|domain| (domain.kind == DEVICE) == device && domain.domain == name)
        };
        let mut reported = BTreeSet::new();
        for (stream_ref, fact) in &self.facts.streams {
            let stream = &fact.stream;
            let host = (&stream.host_id, &stream.host_clock_epoch);
            let device = &stream.source_clock_domain;
            let unmapped = [
                (known_reference && host != reference && !mapped(false, &stream.host_id))
                    .then_some((false, &stream.host_id)),
                (!device.is_empty() && !mapped(true, device)).then_some((true, device)),
            ];
            for (is_device, name) in unmapped.into_iter().flatten() {
                if !reported.insert((is_device, name)) {
                    continue;
                }
                let message = format!("domain {name:?} has no mapping onto the reference");
                found.add(
                    Finding::new(
                        "CA3-10.3-03",
                        Severity::Warning,
                        *base,
                        "ClockBlock.domains",
                        message,
                    )
                    .in_record(base.saturating_sub(RecordFrame::BYTES))
                    .of_stream(*stream_ref)
                    .showing("a mapping", "none"),
                );
            }
        }
        self.findings.absorb(found);
    }
}

/// The bounds that a method implies, where it does and the mapping is in use
/// (reading G85).
fn bounds(domain: &ClockDomain) -> Option<(u64, u64)> {
    if domain.quality == 0 {
        return None;
    }
    match domain.method {
        method::RECEIPT_ONLY | method::ONE_WAY_MIN_FILTER => Some((ClockDomain::BIAS_UNBOUNDED, 0)),
        // Reading G65: half of an odd round trip is truncated.
        method::ROUND_TRIP if domain.min_rtt_present != 0 => {
            let half = domain.min_rtt_ns.checked_div(2)?;
            Some((half, half))
        }
        _ => None,
    }
}

fn bound(value: u64) -> String {
    if value == ClockDomain::BIAS_UNBOUNDED {
        "unbounded".to_owned()
    } else {
        value.to_string()
    }
}
