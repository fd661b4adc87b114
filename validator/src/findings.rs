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

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, found: I) {
        for finding in found {
            self.add(finding);
        }
    }
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

    /// Counts a finding, and makes it only where its rule has few so far: for
    /// what a file may have of each against each.
    pub(crate) fn add_with(
        &mut self,
        rule: &'static str,
        severity: Severity,
        make: impl FnOnce() -> Finding,
    ) {
        let total = self.totals.entry((rule, severity)).or_default();
        if total.shown < self.cap {
            self.add(make());
        } else {
            total.total = total.total.saturating_add(1);
        }
    }

    /// Counts more of what was found, which nobody kept.
    pub(crate) fn count(&mut self, rule: &'static str, severity: Severity, more: u64) {
        let total = self.totals.entry((rule, severity)).or_default();
        total.total = total.total.saturating_add(more);
    }

    /// An empty collection beside this one, for what is found while the facts
    /// are looked at: as bounded as this one, which takes it in with [`absorb`].
    ///
    /// [`absorb`]: Findings::absorb
    pub(crate) fn beside(&self) -> Self {
        Findings {
            record: self.record,
            ..Findings::new(self.cap)
        }
    }

    /// Takes in what was found beside: all is counted, and as much is kept as
    /// each rule has room for.
    pub(crate) fn absorb(&mut self, beside: Findings) {
        for finding in beside.kept {
            let total = self
                .totals
                .entry((finding.rule, finding.severity))
                .or_default();
            if total.shown < self.cap {
                total.shown = total.shown.saturating_add(1);
                self.kept.push(finding);
            }
        }
        for (rule, found) in beside.totals {
            let total = self.totals.entry(rule).or_default();
            total.total = total.total.saturating_add(found.total);
        }
    }

    /// States which record the findings to come concern, if any, and gives back the one
    /// before.
    pub(crate) const fn within(&mut self, record: Option<u64>) -> Option<u64> {
        std::mem::replace(&mut self.record, record)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, offset: u64) -> Finding {
        Finding::new(rule, Severity::Error, offset, "field", "message")
    }

    #[test]
    fn what_is_found_beside_is_bounded_and_counted() {
        let mut findings = Findings::new(3);
        findings.add(finding("CA3-4-01", 0));
        let mut beside = findings.beside();
        beside.extend((1..=100).map(|offset| finding("CA3-4-01", offset)));
        beside.add(finding("CA3-4-02", 7));
        beside.add_with("CA3-4-01", Severity::Error, || unreachable!("it is full"));
        assert_eq!(beside.kept.len(), 4);
        findings.absorb(beside);
        let sorted = findings.sorted();
        let offsets: Vec<u64> = sorted.findings.iter().map(|it| it.offset).collect();
        assert_eq!(offsets, [0, 1, 2, 7]);
        let totals: Vec<_> = sorted
            .totals
            .iter()
            .map(|it| (it.total, it.shown))
            .collect();
        assert_eq!(totals, [(102, 3), (1, 1)]);
        assert_eq!(sorted.counts.error, 103);
    }
}
