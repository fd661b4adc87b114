//! Which delay is in force for a stream, and whether it may be taken off (§10.9,
//! §10.11; items 21 and 22).

use std::collections::BTreeMap;

use ca3_wire::records::{ClockDomain, Device, Stream};

use super::estimator::{Method, Observations, Sighting};
use super::messages::{AlignmentEvent, DeviceDelay, EventObservation};

/// A stream's delay among those that a file carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InForce<'d> {
    /// The delay.
    pub delay: &'d DeviceDelay,
    /// Whether the firmware is the one that it was measured under.
    pub applicable: bool,
}

impl InForce<'_> {
    /// Whether it says how late the stream is: by an amount that is known
    /// (reading G63), under the firmware there is.
    pub const fn is_known(&self) -> bool {
        self.applicable && self.delay.uncertainty_ns != DeviceDelay::UNKNOWN
    }
}

/// Whether a delay is about a stream (reading G63): by its reference, or, of all of
/// a device's streams, by the clock domain of the device.
pub fn concerns(delay: &DeviceDelay, device: &Device, stream: &Stream) -> bool {
    match delay.stream_ref {
        0 => !device.clock_domain.is_empty() && device.clock_domain == stream.source_clock_domain,
        named => named == stream.stream_ref,
    }
}

/// Whether a delay holds for the firmware that the device has (§10.9).
pub fn applies(delay: &DeviceDelay, device: &Device) -> bool {
    delay.valid_firmware.is_empty() || delay.valid_firmware == device.firmware
}

/// The delay in force for a stream, of those that a file carries in file order: one
/// that applies before one that does not, one that names the stream before one that
/// names its device, a later one before an earlier (reading G63). A delay of a device
/// that the Session does not have is in force for no stream (reading G130).
pub fn in_force<'d>(
    delays: &'d [DeviceDelay],
    devices: &'d [Device],
    stream: &Stream,
) -> Option<InForce<'d>> {
    let delays = delays.iter();
    in_force_among(
        delays.filter_map(|delay| Some((delay, device_of(delay, devices)?))),
        stream,
    )
}

/// The same among delays whose devices are known already.
pub fn in_force_among<'d>(
    delays: impl Iterator<Item = (&'d DeviceDelay, &'d Device)>,
    stream: &Stream,
) -> Option<InForce<'d>> {
    delays
        .filter(|(delay, device)| concerns(delay, device, stream))
        .map(|(delay, device)| InForce {
            delay,
            applicable: applies(delay, device),
        })
        // Of equal ones the last.
        .max_by_key(|found| (found.applicable, found.delay.stream_ref != 0))
}

/// The device that a delay is of.
pub fn device_of<'s>(delay: &DeviceDelay, devices: &'s [Device]) -> Option<&'s Device> {
    devices
        .iter()
        .find(|device| device.device_ref == delay.device_ref)
}

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
    /// Of a stream: the domains that its two clocks are mapped by, the events of the
    /// file, and whether a stream carries events.
    pub fn of<'a>(
        stream: &Stream,
        domains: impl Iterator<Item = &'a ClockDomain>,
        mut events: impl Iterator<Item = &'a AlignmentEvent>,
        carries_events: impl Fn(u32) -> bool,
    ) -> Self {
        let mut coverage = Coverage::default();
        for domain in domains {
            if Method::of(domain.method) == Some(Method::Trigger) {
                coverage.trigger = true;
                coverage.stated |= carries_events(domain.observations_stream);
            }
        }
        coverage.event = events.any(|event| {
            let mut seen = event.observations.iter();
            seen.any(|seen| seen.stream_ref == stream.stream_ref)
        });
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

/// The events that a domain and the reference both observed, in file order (readings
/// G123, G129); `None` for a domain of a kind that version 1 does not define.
pub fn sightings<'s>(
    domain: &ClockDomain,
    events: impl Iterator<Item = &'s AlignmentEvent>,
    stream_of: impl Fn(u32) -> Option<&'s Stream>,
    is_reference: impl Fn(&Stream) -> bool,
) -> Option<Observations> {
    Sighted::of(events, stream_of, is_reference).by(domain)
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

    /// Those that a domain observed; `None` for a domain of a kind that version 1
    /// does not define.
    pub fn by(&self, domain: &ClockDomain) -> Option<Observations> {
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
