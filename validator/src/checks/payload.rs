//! Payloads beside the schema of their stream (reading G147).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ca3_reports::{Finding, Severity};
use ca3_schema::payload::{Flaw, Plan, Walk};
use ca3_wire::{Codec, Message};

use super::chunk::Head;
use super::schema::Declared;
use super::time::Carried;
use crate::findings::Findings;
use crate::scan::{Facts, Scan};

/// Rules of payloads beside their schemas.
const OF_PAYLOADS: [&str; 7] = [
    "CA3-5.1-15",
    "CA3-5.2-11",
    "CA3-5.3-03",
    "CA3-5.6-06",
    "CA3-5.8-24",
    "CA3-5.8-27",
    "CA3-5.9-09",
];

/// What the messages of a chunk are held to.
#[derive(Debug)]
pub(super) struct Held {
    declared: Arc<Declared>,
    /// Whether the stream claims that its schema is well-formed.
    is_claimed: bool,
    /// Of a stream that declares an alignment.
    block_offset: Option<u32>,
}

/// What is kept of payloads from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    /// Streams of which a chunk stands ahead of a definition.
    early: BTreeSet<u32>,
    /// Streams with a payload that has too many flaws to tell.
    pub(super) cut: BTreeSet<u32>,
    /// Streams with payloads.
    met: BTreeSet<u32>,
}

impl Scan<'_> {
    /// What the payloads of a chunk are held to, if to anything.
    pub(super) fn held(&mut self, head: &Head, carried: Carried) -> Option<Held> {
        let stream_ref = head.stream_ref;
        if head.message_count == 0 {
            return None;
        }
        self.facts.payloads.met.insert(stream_ref);
        match carried {
            Carried::Unknown => {
                self.facts.payloads.early.insert(stream_ref);
                return None;
            }
            // These are decoded by themselves.
            Carried::Time(_) => return None,
            Carried::Other => {}
        }
        let fact = self.facts.streams.get(&stream_ref)?;
        let stream = &fact.stream;
        let schema = self.facts.schemas.get(&stream.schema_ref)?;
        let declared = schema.declared.as_ref()?;
        declared.plan.as_ref()?;
        Some(Held {
            declared: Arc::clone(declared),
            is_claimed: fact.claims(),
            block_offset: (stream.block_alignment != 0).then_some(stream.block_offset),
        })
    }

    /// What of payloads was held to nothing, and why.
    pub(super) fn payloads_at_end(&mut self) {
        let mut left: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let payloads = &self.facts.payloads;
        for stream_ref in &payloads.met {
            if let Some(reason) = not_held(&self.facts, *stream_ref) {
                left.entry(reason).or_default().push(*stream_ref);
            }
        }
        for stream_ref in &payloads.cut {
            let reason = "one has more flaws than are told apart".to_owned();
            left.entry(reason).or_default().push(*stream_ref);
        }
        let unplaced: Vec<u32> = payloads
            .met
            .iter()
            .copied()
            .filter(|stream_ref| has_no_block(&self.facts, *stream_ref))
            .collect();
        for (reason, streams) in left {
            let what = format!("payloads of {} beside a schema", listed(&streams));
            self.leave_open(what, &OF_PAYLOADS, reason);
        }
        if !unplaced.is_empty() {
            self.leave_open(
                format!("block_offset of {} beside the payloads", listed(&unplaced)),
                &["CA3-5.9-09"],
                "the message of its schema declares no form that is a block".to_owned(),
            );
        }
    }
}

impl Held {
    /// Judges the payload of a message.
    pub(super) fn judge(
        &self,
        head: &Head,
        message: &Message<'_>,
        walk: &mut Walk,
        findings: &mut Findings,
    ) {
        let Some(plan) = &self.declared.plan else {
            return;
        };
        for flaw in plan.check(message.payload, self.block_offset, walk) {
            let severity = severity(flaw, self.is_claimed);
            findings.add_with(flaw.rule(), severity, || {
                finding(head, plan, flaw, severity, message)
            });
        }
    }
}

/// Why payloads of a stream were held to nothing.
fn not_held(facts: &Facts, stream_ref: u32) -> Option<String> {
    let reason = match facts.streams.get(&stream_ref) {
        _ if facts.payloads.early.contains(&stream_ref) => {
            "a chunk stands ahead of the definition that it needs"
        }
        None => "no Stream that decodes defines it",
        Some(fact) if fact.stream.schema_ref == 0 => "it is undescribed: it names no schema",
        Some(fact) => match facts.schemas.get(&fact.stream.schema_ref) {
            None => "no Schema that decodes defines its schema",
            Some(schema) if !schema.protobuf => {
                "the encoding of its schema is none that this format names"
            }
            // What time.v1 carries is judged by its own rules.
            Some(schema) if schema.time.is_some() => return None,
            Some(schema) => match &schema.declared {
                Some(declared) if declared.plan.is_some() => return None,
                _ => "no message can be taken from the descriptor of its schema",
            },
        },
    };
    Some(reason.to_owned())
}

/// Whether a stream declares an alignment and its schema no block to align.
fn has_no_block(facts: &Facts, stream_ref: u32) -> bool {
    let has_block = || {
        let stream = &facts.streams.get(&stream_ref)?.stream;
        let declared = facts.schemas.get(&stream.schema_ref)?.declared.as_ref()?;
        let plan = declared.plan.as_ref()?;
        Some(stream.block_alignment == 0 || plan.has_block())
    };
    has_block() == Some(false)
}

/// `stream 1`, `streams 1, 2 and 3`, or the first and how many more.
fn listed(streams: &[u32]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = streams.iter().take(MOST).map(u32::to_string).collect();
    let more = streams.len().saturating_sub(MOST);
    match (shown.as_slice(), more) {
        ([one], 0) => format!("stream {one}"),
        (several, 0) => format!("streams {}", several.join(", ")),
        (several, more) => format!("streams {} and {more} more", several.join(", ")),
    }
}

/// Reading G146. A block that is not where the stream says is so whatever it claims.
fn severity(flaw: &Flaw, is_claimed: bool) -> Severity {
    match flaw.severity() {
        Severity::Error if !is_claimed && flaw.rule() != "CA3-5.9-09" => Severity::Warning,
        severity => severity,
    }
}

fn finding(
    head: &Head,
    plan: &Plan,
    flaw: &Flaw,
    severity: Severity,
    message: &Message<'_>,
) -> Finding {
    let fault = plan.describe(flaw);
    // Compressed bytes have no place of their own in the file.
    let within = if head.codec == Codec::NONE {
        let flawed = u64::try_from(flaw.offset).unwrap_or(u64::MAX);
        message.payload_start.saturating_add(flawed)
    } else {
        0
    };
    let offset = head.payloads.saturating_add(within);
    let byte = offset.saturating_sub(head.base);
    let mut finding = head
        .finding(fault.rule, severity, byte, "payload", fault.message)
        .at_message(message.index)
        .path(fault.path);
    finding.evidence = fault.evidence;
    if severity == fault.severity {
        finding
    } else {
        finding.reading("G146")
    }
}
