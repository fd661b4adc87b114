//! Which mapping a stream's stamps are under (§10.3, §10.4, §10.12; item 15).
//!
//! A stream's stamps are on its publishing host's clock, the pair of host and
//! epoch (reading G01). That pair is the reference, or the first domain of the
//! ClockBlock that matches the stream decides (reading G60), or nothing does.

use std::collections::{BTreeMap, BTreeSet};

use ca3_spec::kind::Kind;
use ca3_wire::records::{ClockBlock, ClockDomain, DegradedInterval, Header, Stream};

use super::mapping::Mapping;
use super::results::Basis;
use crate::l1::refusal::Failure;

/// A device's clock, named by `source_clock_domain`.
const DEVICE: u8 = 0;
/// The clock of another host, or of the reference's own.
const HOSTS: [u8; 2] = [1, 2];

/// The file's reference domain and what leads onto it.
#[derive(Debug)]
pub(super) struct Clock {
    reference: (String, String),
    domains: Vec<ClockDomain>,
    /// Places in `domains` of the first mapping of each device and host.
    devices: BTreeMap<String, usize>,
    hosts: BTreeMap<String, usize>,
    intervals: BTreeMap<u32, Vec<DegradedInterval>>,
    /// Whether there is a ClockBlock.
    stated: bool,
    /// The epochs of each host that streams name.
    epochs: BTreeMap<String, BTreeSet<String>>,
}

impl Clock {
    /// Reading G03: without a ClockBlock the reference is the file's own pair.
    pub(super) fn new<'s>(
        header: &Header,
        block: Option<ClockBlock>,
        streams: impl Iterator<Item = &'s Stream>,
    ) -> Self {
        let mut epochs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for stream in streams {
            epochs
                .entry(stream.host_id.clone())
                .or_default()
                .insert(stream.host_clock_epoch.clone());
        }
        let stated = block.is_some();
        let block = block.unwrap_or_else(|| ClockBlock {
            reference_host_id: header.host_id.clone(),
            reference_host_clock_epoch: header.host_clock_epoch.clone(),
            ..ClockBlock::default()
        });
        let (mut devices, mut hosts) = (BTreeMap::new(), BTreeMap::new());
        for (place, domain) in block.domains.iter().enumerate() {
            let named = match domain.kind {
                DEVICE => &mut devices,
                kind if HOSTS.contains(&kind) => &mut hosts,
                // Reading G37: what is not known matches nothing.
                _ => continue,
            };
            named.entry(domain.domain.clone()).or_insert(place);
        }
        let mut intervals: BTreeMap<u32, Vec<DegradedInterval>> = BTreeMap::new();
        for interval in block.degraded_intervals {
            intervals
                .entry(interval.stream_ref)
                .or_default()
                .push(interval);
        }
        Clock {
            reference: (block.reference_host_id, block.reference_host_clock_epoch),
            domains: block.domains,
            devices,
            hosts,
            intervals,
            stated,
            epochs,
        }
    }

    /// How a stream's times come about.
    pub(super) fn timeline(&self, stream: &Stream) -> Timeline<'_> {
        Timeline {
            stream_ref: stream.stream_ref,
            standing: self.standing(stream),
            intervals: self
                .intervals
                .get(&stream.stream_ref)
                .map_or(&[], Vec::as_slice),
        }
    }

    fn standing(&self, stream: &Stream) -> Standing<'_> {
        let (host, epoch) = &self.reference;
        // Readings G33 and G80: the pair, compared as it stands.
        if stream.host_id == *host && stream.host_clock_epoch == *epoch {
            return Standing::Exact;
        }
        if !self.stated {
            return Standing::Unmapped("the file has no ClockBlock".to_owned());
        }
        let Some(domain) = self.first_domain(stream) else {
            return Standing::Unmapped("no clock domain matches the stream".to_owned());
        };
        let name = &domain.domain;
        // Reading G02: a host's mapping that covers two of its epochs says
        // nothing of either.
        if HOSTS.contains(&domain.kind) && self.epochs.get(name).is_some_and(|all| all.len() > 1) {
            let reason = format!("the mapping of host {name:?} covers two of its epochs");
            return Standing::Unmapped(reason);
        }
        match Mapping::of(domain) {
            Ok((mapping, basis)) => Standing::Mapped {
                mapping,
                basis,
                domain: name,
            },
            Err(unusable) => {
                Standing::Unmapped(format!("the mapping of {name:?} is not used: {unusable}"))
            }
        }
    }

    /// The first domain of the block that matches (reading G60): a device by
    /// the stream's source clock domain, which must be named (reading G83), or
    /// a host by its name (reading G02).
    fn first_domain(&self, stream: &Stream) -> Option<&ClockDomain> {
        let device = match stream.source_clock_domain.as_str() {
            "" => None,
            name => self.devices.get(name),
        };
        let host = self.hosts.get(&stream.host_id);
        let place = device.into_iter().chain(host).min()?;
        self.domains.get(*place)
    }
}

/// Where a stream stands to the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing<'c> {
    Exact,
    Mapped {
        mapping: Mapping,
        basis: Basis,
        domain: &'c str,
    },
    Unmapped(String),
}

/// A stream's own clock, and the way onto the reference and back.
#[derive(Debug)]
pub(super) struct Timeline<'c> {
    stream_ref: u32,
    standing: Standing<'c>,
    intervals: &'c [DegradedInterval],
}

impl Timeline<'_> {
    pub(super) fn basis(&self) -> Basis {
        match self.standing {
            Standing::Exact => Basis::Exact,
            Standing::Mapped { basis, .. } => basis,
            Standing::Unmapped(_) => Basis::Unmapped,
        }
    }

    /// An instant of the reference, in nanoseconds of the stream's clock.
    pub(super) fn instant(&self, t: u64) -> u128 {
        match &self.standing {
            Standing::Mapped { mapping, .. } => mapping.inverse(t),
            Standing::Exact | Standing::Unmapped(_) => u128::from(t),
        }
    }

    /// A stamp, in nanoseconds of the reference; raw where nothing maps it.
    pub(super) fn time(&self, stamp: u64) -> Result<u64, Failure> {
        let Standing::Mapped {
            mapping, domain, ..
        } = &self.standing
        else {
            return Ok(stamp);
        };
        mapping.forward(stamp).map_err(|exact| {
            let message =
                format!("stamp {stamp} is {exact} in the reference, which 64 bits do not hold");
            let nowhere = Failure::violation(Kind::LimitExceeded, 0, message);
            nowhere.of_stream(self.stream_ref).naming(|report| {
                report.offset = None;
                report.domain = Some((*domain).to_owned());
            })
        })
    }

    /// Why times of the stream, and that of a stamp, are not to be relied on.
    pub(super) fn degraded(&self, stamp: Option<u64>) -> Vec<String> {
        let standing = match &self.standing {
            Standing::Unmapped(reason) => Some(reason.clone()),
            Standing::Mapped {
                basis: Basis::Degraded,
                domain,
                ..
            } => Some(format!("the mapping of {domain:?} is of degraded quality")),
            Standing::Exact | Standing::Mapped { .. } => None,
        };
        // Reading G38: on the stream's own clock, both ends included.
        let within = |interval: &&DegradedInterval| {
            stamp.is_some_and(|stamp| (interval.from_ns..=interval.to_ns).contains(&stamp))
        };
        let intervals = self.intervals.iter().filter(within);
        standing
            .into_iter()
            .chain(intervals.map(|interval| interval.reason.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests;
