//! What was found so far.

use std::collections::BTreeMap;

use ca3_reports::{Counts, Finding, RuleTotal, Severity, fingerprint};

/// Findings of one file, capped rule by rule.
#[derive(Debug)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    totals: BTreeMap<(&'static str, Severity), Total>,
    cap: u64,
    /// The record that findings concern where they do not name another.
    record: Option<u64>,
}

#[derive(Debug, Default)]
struct Total {
    total: u64,
    shown: u64,
}

/// Findings, sorted and counted.
pub(crate) struct Sorted {
    pub(crate) findings: Vec<Finding>,
    pub(crate) totals: Vec<RuleTotal>,
    pub(crate) counts: Counts,
}

impl Findings {
    /// None yet; of one rule, at most `cap` are kept.
    pub(crate) fn new(cap: u64) -> Self {
        Findings {
            kept: Vec::new(),
            totals: BTreeMap::new(),
            cap: cap.max(1),
            record: None,
        }
    }

    /// States which record the findings to come concern, if any.
    pub(crate) fn within(&mut self, record: Option<u64>) {
        self.record = record;
    }

    /// The record at hand, or the offset that stands in for it.
    pub(crate) fn record_or(&self, offset: u64) -> u64 {
        self.record.unwrap_or(offset)
    }

    /// Counts a finding, and keeps it where its rule has few so far.
    pub(crate) fn add(&mut self, mut finding: Finding) {
        if let Some(record) = self
            .record
            .filter(|_| finding.offset == finding.field_offset)
        {
            finding.offset = record;
        }
        let total = self
            .totals
            .entry((finding.rule, finding.severity))
            .or_default();
        total.total = total.total.saturating_add(1);
        if total.shown < self.cap {
            total.shown = total.shown.saturating_add(1);
            self.kept.push(finding);
        }
    }

    /// Sorted by offset, then rule, then message.
    pub(crate) fn sorted(self) -> Sorted {
        let mut findings = self.kept;
        findings.sort_by(|a, b| {
            let key = |it: &Finding| (it.offset, it.rule, it.field_offset, it.message_index);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        fingerprint::stamp(&mut findings);
        let mut counts = Counts::default();
        let totals = self
            .totals
            .into_iter()
            .map(|((rule, severity), total)| {
                counts.add(severity, total.total);
                RuleTotal {
                    rule,
                    severity,
                    total: total.total,
                    shown: total.shown,
                }
            })
            .collect();
        Sorted {
            findings,
            totals,
            counts,
        }
    }
}
