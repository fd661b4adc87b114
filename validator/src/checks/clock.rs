//! ClockBlock, as far as it can be judged without observations (§10.3 to §10.5, §10.12).

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{ClockBlock, ClockDomain};

use super::clock_places;
use crate::findings::Findings;
use crate::scan::{ClockFact, Facts, Scan};

/// Methods of §10.5.
mod method {
    pub(super) const RECEIPT_ONLY: u8 = 0;
    pub(super) const ONE_WAY_MIN_FILTER: u8 = 1;
    pub(super) const ROUND_TRIP: u8 = 2;
}

const ESTIMATOR: &str = "CA3-10.8-01";
/// The rules of this page that only warn.
const ONLY_WARN: [&str; 2] = [ESTIMATOR, "CA3-10.4-17"];

/// A field's offset and its path in the block.
type At = (u64, String);

/// Kinds of domain.
const DEVICE: u8 = 0;
const PEER: u8 = 1;
pub(super) const SELF: u8 = 2;

impl Scan<'_> {
    pub(crate) fn clock_block(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(block) = self.decode::<ClockBlock>(content, base) else {
            return Ok(());
        };
        self.judge_clock_block(&block, base);
        let record = base.saturating_sub(RecordFrame::BYTES);
        // One that strayed into the data section is not the summary's.
        let in_summary = self.outline.summary.is_none_or(|start| record >= start);
        self.keep_clock_block(block, content, base, record, in_summary);
        Ok(())
    }

    /// Keeps a block for what only the end of the file shows.
    pub(crate) fn keep_clock_block(
        &mut self,
        block: ClockBlock,
        content: &[u8],
        base: u64,
        record: u64,
        in_summary: bool,
    ) {
        if self.pay(content.len().saturating_mul(5), base, "ClockBlock") {
            let domains = block.domains.iter().enumerate();
            let domains = domains.zip(clock_places::domains(&block, base));
            let domains = domains.map(|((index, domain), place)| {
                let field = format!("domains[{index}].observations_stream");
                let offset = place.of("observations_stream");
                (domain.observations_stream, "CA3-10.4-16", field, offset)
            });
            let intervals = block.degraded_intervals.iter().enumerate();
            let intervals = intervals.zip(clock_places::intervals(&block, base));
            let intervals = intervals.map(|((index, interval), offset)| {
                let field = format!("degraded_intervals[{index}].stream_ref");
                (interval.stream_ref, "CA3-10.4-16", field, offset)
            });
            let references = domains
                .filter(|(reference, ..)| *reference != 0)
                .chain(intervals)
                .collect();
            self.facts.clock_blocks.push(ClockFact {
                record,
                base,
                block,
                in_summary,
                references,
            });
        }
    }

    /// A block by itself.
    pub(crate) fn judge_clock_block(&mut self, block: &ClockBlock, base: u64) {
        let mut add =
            |rule, (offset, field): At, message: &str, expected: String, found: String| {
                let path = format!("ClockBlock.{field}");
                let severity = if ONLY_WARN.contains(&rule) {
                    Severity::Warning
                } else {
                    Severity::Error
                };
                let mut finding =
                    Finding::new(rule, severity, offset, path, message).showing(expected, found);
                // Reading G112: presence bytes, and round trips that took no time.
                if field.ends_with("min_rtt_present") {
                    finding = finding.reading("G112");
                }
                self.findings.add(finding);
            };
        let mut seen = BTreeSet::new();
        let places = clock_places::domains(block, base);
        for (index, (domain, place)) in block.domains.iter().zip(places).enumerate() {
            let field = |name: &str| (place.of(name), format!("domains[{index}].{name}"));
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
            if domain.kind > SELF {
                let message = "the kind is not defined, and the domain maps nothing";
                let found = domain.kind.to_string();
                add(
                    "CA3-10.4-17",
                    field("kind"),
                    message,
                    "0 to 2".to_owned(),
                    found,
                );
            }
            if domain.min_rtt_present > 1 {
                let message = "the presence byte is neither 0 nor 1, and is read as 1";
                let found = domain.min_rtt_present.to_string();
                add(
                    "CA3-10.4-17",
                    field("min_rtt_present"),
                    message,
                    "0 or 1".to_owned(),
                    found,
                );
            }
            if domain.method == method::ROUND_TRIP
                && domain.min_rtt_present == 0
                && domain.quality != 0
            {
                let message = "a round trip was measured, and its least one is absent";
                add(
                    "CA3-10.5-07",
                    field("min_rtt_present"),
                    message,
                    "1, and half of min_rtt_ns in both bounds".to_owned(),
                    "0".to_owned(),
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
                        let (rule, message) = if rounded_up(domain, stated) {
                            (
                                "CA3-10.5-08",
                                "half of an odd round trip is truncated, not rounded up",
                            )
                        } else {
                            (
                                "CA3-10.5-07",
                                "the bias bound is not the one that the method implies",
                            )
                        };
                        add(rule, field(name), message, bound(right), bound(stated));
                    }
                }
            }
        }
        let places = clock_places::intervals(block, base);
        for (index, (interval, place)) in block.degraded_intervals.iter().zip(places).enumerate() {
            if interval.from_ns > interval.to_ns {
                let offset = place.saturating_add(clock_places::TO_NS);
                let field = (offset, format!("degraded_intervals[{index}].to_ns"));
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

    /// Blocks against the streams and the domains that the file has.
    pub(crate) fn clock_at_end(&mut self) {
        let mut found = self.findings.beside();
        let facts = &self.facts;
        for fact in &facts.clock_blocks {
            for (reference, rule, field, offset) in &fact.references {
                if !facts.may_have_stream(*reference) {
                    let message = "the stream is not one of this file";
                    let path = format!("ClockBlock.{field}");
                    found.add(
                        Finding::new(rule, Severity::Error, *offset, path, message)
                            .in_record(fact.record)
                            .showing("a defined stream", reference),
                    );
                }
            }
            if facts.header.is_some() && !facts.definitions_lost() {
                judge_domains(facts, fact, &mut found);
            }
        }
        self.findings.absorb(found);
    }
}

type Pair<'f> = (&'f String, &'f String);

/// The domains in use, each with a stream that is on it.
fn pairs(facts: &Facts) -> BTreeMap<Pair<'_>, Option<u32>> {
    let mut pairs = BTreeMap::new();
    for (reference, fact) in &facts.streams {
        let pair = (&fact.stream.host_id, &fact.stream.host_clock_epoch);
        pairs.entry(pair).or_insert(Some(*reference));
    }
    if let Some(header) = &facts.header {
        pairs
            .entry((&header.host_id, &header.host_clock_epoch))
            .or_insert(None);
    }
    pairs
}

fn judge_domains(facts: &Facts, fact: &ClockFact, found: &mut Findings) {
    let block = &fact.block;
    let reference = (&block.reference_host_id, &block.reference_host_clock_epoch);
    let pairs = pairs(facts);
    if !pairs.contains_key(&reference) {
        let message = "the reference is no clock domain of this file";
        found.add(
            Finding::new(
                "CA3-10.3-02",
                Severity::Error,
                fact.base,
                "ClockBlock.reference_host_id",
                message,
            )
            .in_record(fact.record)
            .showing(
                "a (host, epoch) of this file",
                format_args!("{reference:?}"),
            ),
        );
        return;
    }
    // A checkpoint's block knows only what had been fitted by then.
    if !fact.in_summary {
        return;
    }
    let mut warn = |message: String, stream: Option<u32>, expected: &str, value: &str| {
        let finding = Finding::new(
            "CA3-10.3-03",
            Severity::Warning,
            fact.base,
            "ClockBlock.domains",
            message,
        )
        .in_record(fact.record)
        .showing(expected, value);
        found.add(match stream {
            Some(stream) => finding.of_stream(stream),
            None => finding,
        });
    };
    // Reading G02: a device's domain by its name, a host by its name alone.
    let mapped = |kinds: &[u8], name: &str| {
        block
            .domains
            .iter()
            // Of an unknown kind, that is said, and all that follows from it.
            .any(|domain| {
                (kinds.contains(&domain.kind) || domain.kind > SELF) && domain.domain == name
            })
    };
    let mut epochs: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    let header = facts.header.as_ref();
    for (pair, stream) in &pairs {
        let of_header =
            header.is_some_and(|header| *pair == (&header.host_id, &header.host_clock_epoch));
        if stream.is_some() || (of_header && facts.own_clock_used) {
            epochs.entry(pair.0).or_default().push(pair.1);
        } else {
            continue;
        }
        if *pair != reference && !mapped(&[PEER, SELF], pair.0) {
            let message = format!(
                "the clock of host {:?}, epoch {:?}, has no mapping onto the reference",
                pair.0, pair.1
            );
            warn(message, *stream, "a mapping", "none");
        }
    }
    for (host, epochs) in epochs {
        if epochs.len() > 1 && mapped(&[PEER, SELF], host) {
            let message = format!(
                "host {host:?} has {} epochs in use, and a mapping does not say of which it is",
                epochs.len()
            );
            warn(message, None, "one epoch", &format!("{epochs:?}"));
        }
    }
    let mut reported = BTreeSet::new();
    for (stream_ref, fact) in &facts.streams {
        let device = &fact.stream.source_clock_domain;
        if !device.is_empty() && !mapped(&[DEVICE], device) && reported.insert(device) {
            let message = format!("domain {device:?} has no mapping onto the reference");
            warn(message, Some(*stream_ref), "a mapping", "none");
        }
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

/// Whether a field was found fault with without observations, which make it what the
/// domain itself does.
pub(super) fn is_reported(domain: &ClockDomain, field: &str, recomputed: &str) -> bool {
    let implied = bounds(domain);
    let is_wrong = |right: u64, stated: u64| right != stated && bound(right) == recomputed;
    match field {
        "bias_low_ns" => implied.is_some_and(|(low, _)| is_wrong(low, domain.bias_low_ns)),
        "bias_high_ns" => implied.is_some_and(|(_, high)| is_wrong(high, domain.bias_high_ns)),
        "min_rtt_ns" => {
            domain.method == method::ROUND_TRIP
                && domain.min_rtt_present == 0
                && domain.quality != 0
        }
        _ => false,
    }
}

/// Whether a bound is the greater half of an odd round trip.
fn rounded_up(domain: &ClockDomain, bound: u64) -> bool {
    domain.method == method::ROUND_TRIP
        && domain.min_rtt_ns % 2 == 1
        && bound == domain.min_rtt_ns.div_ceil(2)
}

fn bound(value: u64) -> String {
    if value == ClockDomain::BIAS_UNBOUNDED {
        "unbounded".to_owned()
    } else {
        value.to_string()
    }
}
