//! Which mapping a stream's stamps are under (§10.3, §10.4, §10.12; item 15).
//!
//! A stream's stamps are on its publishing host's clock, the pair of host and
//! epoch (reading G01). That pair is the reference, or the first domain of the
//! ClockBlock that names the host decides (reading G60), or nothing does. What
//! the device stamped is on its own clock, which a domain of kind 0 maps
//! (reading G121).

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
pub struct Clock {
    /// The ClockBlock; without one, the file's own pair and nothing else
    /// (reading G03).
    block: ClockBlock,
    /// Places among the domains of the first mapping of each device and host.
    devices: BTreeMap<String, usize>,
    hosts: BTreeMap<String, usize>,
    intervals: BTreeMap<u32, Intervals>,
    /// Whether there is a ClockBlock.
    stated: bool,
    /// The epochs of each host that streams name.
    epochs: BTreeMap<String, BTreeSet<String>>,
}

impl Clock {
    /// Reading G03: without a ClockBlock the reference is the file's own pair.
    pub fn new<'s>(
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
        let mut intervals: BTreeMap<u32, Intervals> = BTreeMap::new();
        for (place, interval) in block.degraded_intervals.iter().enumerate() {
            let of_stream = intervals.entry(interval.stream_ref).or_default();
            of_stream.places.push(place);
        }
        for of_stream in intervals.values_mut() {
            of_stream.sort(&block.degraded_intervals);
        }
        Clock {
            block,
            devices,
            hosts,
            intervals,
            stated,
            epochs,
        }
    }

    /// The ClockBlock, where the file has one.
    pub fn block(&self) -> Option<&ClockBlock> {
        self.stated.then_some(&self.block)
    }

    /// Whether a stream's stamps are on the reference clock (§10.3): the pair,
    /// compared as it stands (readings G33, G80).
    pub fn is_reference(&self, stream: &Stream) -> bool {
        stream.host_id == self.block.reference_host_id
            && stream.host_clock_epoch == self.block.reference_host_clock_epoch
    }

    /// A stamp of a stream's own clock in nanoseconds of the reference, raw where
    /// nothing maps it; `None` where 64 bits do not hold it.
    pub fn carried(&self, stream: &Stream, stamp: u64) -> Option<u64> {
        self.timeline(stream).time(stamp).ok()
    }

    /// How a stream's times come about.
    pub(crate) fn timeline(&self, stream: &Stream) -> Timeline<'_> {
        Timeline {
            stream_ref: stream.stream_ref,
            standing: self.standing(stream),
            intervals: self.intervals.get(&stream.stream_ref),
            spans: &self.block.degraded_intervals,
        }
    }

    /// How the times of a stream's source stamps come about (reading G121).
    pub(crate) fn source_timeline(&self, stream: &Stream) -> Timeline<'_> {
        let name = stream.source_clock_domain.as_str();
        let standing = match self.devices.get(name) {
            // Reading G83.
            _ if name.is_empty() => {
                Standing::Unmapped("the stream names no source clock domain".to_owned())
            }
            Some(place) => self.line(*place),
            None => Standing::Unmapped(format!("no mapping of the clock domain {name:?}")),
        };
        Timeline {
            stream_ref: stream.stream_ref,
            standing,
            intervals: None,
            spans: &[],
        }
    }

    fn standing(&self, stream: &Stream) -> Standing<'_> {
        if self.is_reference(stream) {
            return Standing::Exact;
        }
        if !self.stated {
            return Standing::Unmapped("the file has no ClockBlock".to_owned());
        }
        let host = &stream.host_id;
        let Some(place) = self.hosts.get(host) else {
            return Standing::Unmapped("no clock domain matches the stream".to_owned());
        };
        // Reading G02: a host's mapping that covers two of its epochs says
        // nothing of either.
        if self.epochs.get(host).is_some_and(|all| all.len() > 1) {
            let reason = format!("the mapping of host {host:?} covers two of its epochs");
            return Standing::Unmapped(reason);
        }
        self.line(*place)
    }

    /// A domain's line, where it is one that can be used.
    fn line(&self, place: usize) -> Standing<'_> {
        let Some(domain) = self.block.domains.get(place) else {
            return Standing::Unmapped("no clock domain matches".to_owned());
        };
        match Mapping::of(domain) {
            Ok((mapping, basis)) => Standing::Mapped {
                mapping,
                basis,
                domain,
            },
            Err(unusable) => Standing::Unmapped(format!(
                "the mapping of {:?} is not used: {unusable}",
                domain.domain
            )),
        }
    }

    /// The domains that a stream's two clocks are mapped by, used or not: its
    /// host's, and the one that its source stamps are on.
    pub fn domains_of(&self, stream: &Stream) -> impl Iterator<Item = &ClockDomain> {
        let host = self.hosts.get(&stream.host_id);
        let host = host.filter(|_| !self.is_reference(stream));
        let device = self.devices.get(&stream.source_clock_domain);
        let device = device.filter(|_| !stream.source_clock_domain.is_empty());
        let places = host.into_iter().chain(device);
        places.filter_map(|place| self.block.domains.get(*place))
    }
}

/// The degraded intervals of one stream, so that those which hold a stamp are
/// found without looking at all of them.
#[derive(Debug, Default)]
struct Intervals {
    /// Places among the block's, by where the intervals begin.
    places: Vec<usize>,
    /// The greatest end up to each.
    reaches: Vec<u64>,
}

/// Bytes that a sample's reasons take, in an answer and on the way there: as text, as
/// values, and as what holds them.
pub(crate) fn bytes_of(reasons: &[String]) -> u64 {
    const EACH: usize = 256;
    let bytes = reasons.iter().map(|reason| {
        let text = reason.len().saturating_mul(2);
        text.saturating_add(EACH)
    });
    u64::try_from(bytes.sum::<usize>()).unwrap_or(u64::MAX)
}

impl Intervals {
    fn sort(&mut self, spans: &[DegradedInterval]) {
        let span = |place: usize| spans.get(place);
        self.places
            .sort_by_key(|place| span(*place).map(|span| span.from_ns));
        let mut reach = 0;
        for place in &self.places {
            reach = span(*place).map_or(reach, |span| reach.max(span.to_ns));
            self.reaches.push(reach);
        }
    }

    /// Those that hold a stamp of the stream's own clock, both ends included
    /// (reading G38), the latest to begin first.
    fn holding<'s>(
        &'s self,
        spans: &'s [DegradedInterval],
        stamp: u64,
    ) -> impl Iterator<Item = &'s DegradedInterval> {
        let begun = self
            .places
            .partition_point(|place| spans.get(*place).is_some_and(|span| span.from_ns <= stamp));
        let places = self.places.get(..begun).unwrap_or_default();
        let reaches = self.reaches.get(..begun).unwrap_or_default();
        let both = places.iter().rev().zip(reaches.iter().rev());
        both.take_while(move |(_, reach)| **reach >= stamp)
            .filter_map(|(place, _)| spans.get(*place))
            .filter(move |span| span.to_ns >= stamp)
    }
}

/// Where a stream stands to the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing<'c> {
    Exact,
    Mapped {
        mapping: Mapping,
        basis: Basis,
        domain: &'c ClockDomain,
    },
    Unmapped(String),
}

/// A stream's own clock, and the way onto the reference and back.
#[derive(Debug)]
pub(crate) struct Timeline<'c> {
    stream_ref: u32,
    standing: Standing<'c>,
    intervals: Option<&'c Intervals>,
    spans: &'c [DegradedInterval],
}

impl<'c> Timeline<'c> {
    /// The domain whose line is applied.
    pub(crate) fn domain(&self) -> Option<&'c ClockDomain> {
        match self.standing {
            Standing::Mapped { domain, .. } => Some(domain),
            Standing::Exact | Standing::Unmapped(_) => None,
        }
    }

    pub(crate) fn basis(&self) -> Basis {
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
    pub(crate) fn time(&self, stamp: u64) -> Result<u64, Failure> {
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
                report.domain = Some(domain.domain.clone());
            })
        })
    }

    /// Why times of the stream, and that of a stamp, are not to be relied on:
    /// the reasons of the intervals that hold the stamp, word for word.
    pub(crate) fn degraded(&self, stamp: Option<u64>) -> Vec<String> {
        let standing = match &self.standing {
            Standing::Unmapped(reason) => Some(reason.clone()),
            Standing::Mapped {
                basis: Basis::Degraded,
                domain,
                ..
            } => Some(format!(
                "the mapping of {:?} is of degraded quality",
                domain.domain
            )),
            Standing::Exact | Standing::Mapped { .. } => None,
        };
        let held = stamp.zip(self.intervals);
        let held = held.map(|(stamp, intervals)| intervals.holding(self.spans, stamp));
        let reasons = held.into_iter().flatten().map(|span| span.reason.clone());
        standing.into_iter().chain(reasons).collect()
    }
}

#[cfg(test)]
mod tests;
