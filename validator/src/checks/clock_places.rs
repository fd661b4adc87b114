//! Where the fields of a ClockBlock lie (§10.4).
//!
//! ```text
//! reference_host_id, reference_host_clock_epoch    a string each
//! count u32, then domains:             name string, 84 bytes of fixed width
//! count u32, then degraded_intervals:  stream_ref u32, from_ns u64, to_ns u64, reason string
//! ```

use ca3_wire::records::ClockBlock;

/// Bytes of a count.
const COUNT: u64 = 4;
/// Bytes of a domain behind its name.
const DOMAIN: u64 = 84;
/// Bytes of an interval in front of its reason.
const INTERVAL: u64 = 20;

/// Where each field of a domain begins behind the name.
const FIELDS: [(&str, u64); 15] = [
    ("kind", 0),
    ("method", 1),
    ("quality", 2),
    ("offset_ns", 3),
    ("skew_ppb", 11),
    ("reference_source_ns", 19),
    ("residual_spread_ns", 27),
    ("min_rtt_present", 35),
    ("min_rtt_ns", 36),
    ("bias_low_ns", 44),
    ("bias_high_ns", 52),
    ("skew_uncertainty_ppb", 60),
    ("observation_count", 68),
    ("observations_stream", 76),
    ("estimator_version", 80),
];

/// Where a domain lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DomainPlace {
    /// Its name.
    name: u64,
    /// Its fields of fixed width.
    fixed: u64,
}

impl DomainPlace {
    /// Offset of a field of this name; of the domain where there is none.
    pub(super) fn of(self, field: &str) -> u64 {
        let found = FIELDS.iter().find(|(name, _)| *name == field);
        found.map_or(self.name, |(_, byte)| self.fixed.saturating_add(*byte))
    }
}

fn string(text: &str) -> u64 {
    COUNT.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX))
}

/// Where the domains of a block begin, whose content begins at `base`.
fn domains_start(block: &ClockBlock, base: u64) -> u64 {
    base.saturating_add(string(&block.reference_host_id))
        .saturating_add(string(&block.reference_host_clock_epoch))
        .saturating_add(COUNT)
}

/// Where each domain's fields lie, in stored order.
pub(super) fn domains(block: &ClockBlock, base: u64) -> impl Iterator<Item = DomainPlace> {
    let mut next = domains_start(block, base);
    block.domains.iter().map(move |domain| {
        let name = next;
        let fixed = name.saturating_add(string(&domain.domain));
        next = fixed.saturating_add(DOMAIN);
        DomainPlace { name, fixed }
    })
}

/// Where an interval's `to_ns` lies.
pub(super) const TO_NS: u64 = 12;

/// Where each interval begins, that is its `stream_ref`.
pub(super) fn intervals(block: &ClockBlock, base: u64) -> impl Iterator<Item = u64> {
    let last = domains(block, base).last();
    let end = last.map_or_else(
        || domains_start(block, base),
        |place| place.fixed.saturating_add(DOMAIN),
    );
    let mut next = end.saturating_add(COUNT);
    block.degraded_intervals.iter().map(move |interval| {
        let place = next;
        next = place
            .saturating_add(INTERVAL)
            .saturating_add(string(&interval.reason));
        place
    })
}

#[cfg(test)]
mod tests {
    use ca3_wire::records::{ClockDomain, DegradedInterval, Record};

    use super::*;
    use crate::scan::field_offset;

    #[test]
    fn places_are_those_of_the_record() {
        let domain = |domain: &str| ClockDomain {
            domain: domain.to_owned(),
            ..ClockDomain::default()
        };
        let interval = |reason: &str| DegradedInterval {
            reason: reason.to_owned(),
            ..DegradedInterval::default()
        };
        let block = ClockBlock {
            reference_host_id: "rig".to_owned(),
            reference_host_clock_epoch: "e".to_owned(),
            domains: vec![domain("one"), domain(""), domain("third")],
            degraded_intervals: vec![interval("lost"), interval("")],
        };
        let content = block.content().unwrap();
        let traced = |field: &str| field_offset::<ClockBlock>(&content, 100, field);
        for (index, place) in domains(&block, 100).enumerate() {
            for (field, _) in FIELDS.iter().chain(&[("domain", 0)]) {
                let path = format!("domains[{index}].{field}");
                assert_eq!(place.of(field), traced(&path), "{path}");
            }
        }
        for (index, place) in intervals(&block, 100).enumerate() {
            let path = format!("degraded_intervals[{index}].stream_ref");
            assert_eq!(place, traced(&path));
            let path = format!("degraded_intervals[{index}].to_ns");
            assert_eq!(place.saturating_add(TO_NS), traced(&path));
        }
        let bare = ClockBlock {
            domains: Vec::new(),
            ..block.clone()
        };
        let content = bare.content().unwrap();
        let first = field_offset::<ClockBlock>(&content, 0, "degraded_intervals[0].stream_ref");
        assert_eq!(intervals(&bare, 0).next(), Some(first));
    }
}
