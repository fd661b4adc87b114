//! What contains the delay of a stream's device already, so that it may not be taken
//! off (§10.10, §10.11; item 22).

use std::collections::BTreeMap;

use ca3_wire::records::{ClockDomain, Stream};

use super::estimator::{Method, Observations, Sighting};
use super::messages::{AlignmentEvent, EventObservation};

/// What already corrects a stream for the delay of its device (§10.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// A mapping of one of the stream's clocks was fitted from a trigger.
    pub trigger: bool,
    /// An alignment event was observed by the stream.
    pub event: bool,
    /// A trigger mapping states the stream of the event that it was fitted from.
    pub stated: bool,
}

impl Coverage {
    /// Of a stream: the domains that its two clocks are mapped by, whether an event
    /// was observed by it, and whether a stream carries events.
    pub fn of<'a>(
        domains: impl Iterator<Item = &'a ClockDomain>,
        event: bool,
        carries_events: impl Fn(u32) -> bool,
    ) -> Self {
        let mut coverage = Coverage {
            event,
            ..Coverage::default()
        };
        for domain in domains {
            if Method::of(domain.method) == Some(Method::Trigger) {
                coverage.trigger = true;
                coverage.stated |= carries_events(domain.observations_stream);
            }
        }
        coverage
    }

    /// Whether a delay may be taken off (reading G64).
    pub const fn leaves_room(self) -> bool {
        !self.trigger && !self.event
    }

    /// Whether a delay beside this is one that nobody says was left out (§10.11).
    pub const fn is_undecided(self) -> bool {
        (self.trigger || self.event) && !self.stated
    }
}

/// The events that the reference observed, by the clocks that observed them as well:
/// for many domains, with one look at the events.
#[derive(Clone, Debug, Default)]
pub struct Sighted<'s> {
    /// Each with the place of the event, by the name of a device's clock or of a host.
    devices: BTreeMap<&'s str, Vec<(usize, Sighting)>>,
    hosts: BTreeMap<&'s str, Vec<(usize, Sighting)>>,
}

impl<'s> Sighted<'s> {
    /// Of events in file order (reading G123).
    pub fn of<'e>(
        events: impl Iterator<Item = &'e AlignmentEvent>,
        stream_of: impl Fn(u32) -> Option<&'s Stream>,
        is_reference: impl Fn(&Stream) -> bool,
    ) -> Self {
        let mut sighted = Sighted::default();
        let by_reference = |seen: &&EventObservation| {
            stream_of(seen.stream_ref)
                .is_some_and(|stream| stream.source_clock_domain.is_empty() && is_reference(stream))
        };
        for (place, event) in events.enumerate() {
            let Some(reference) = event.observations.iter().find(by_reference) else {
                continue;
            };
            for own in &event.observations {
                let Some(stream) = stream_of(own.stream_ref) else {
                    continue;
                };
                let device = stream.source_clock_domain.as_str();
                let of_clock = if device.is_empty() {
                    // The reference's own sight is no other clock's.
                    if is_reference(stream) {
                        continue;
                    }
                    sighted.hosts.entry(&stream.host_id)
                } else {
                    sighted.devices.entry(device)
                };
                let of_clock = of_clock.or_default();
                // Of several by one clock, the first in the message counts.
                if of_clock.last().is_some_and(|(last, _)| *last == place) {
                    continue;
                }
                let uncertainty_ns = u128::from(own.uncertainty_ns)
                    .saturating_add(u128::from(reference.uncertainty_ns));
                let sighting = Sighting {
                    source_ns: own.stamp_ns,
                    reference_ns: reference.stamp_ns,
                    uncertainty_ns,
                };
                of_clock.push((place, sighting));
            }
        }
        sighted
    }

    /// Those that a domain observed, in file order (reading G129); `None` for a domain of a kind that version 1
    /// does not define.
    pub fn by(&self, domain: &ClockDomain) -> Option<Observations<'static>> {
        let clocks = match domain.kind {
            0 => &self.devices,
            1 | 2 => &self.hosts,
            _ => return None,
        };
        let seen = clocks.get(domain.domain.as_str()).into_iter().flatten();
        Some(Observations::Events(
            seen.map(|(_, sighting)| *sighting).collect(),
        ))
    }
}

#[cfg(test)]
mod tests;
