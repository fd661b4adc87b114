//! Delays of devices and alignment events: what they refer to, what they leave
//! unsaid, and delays beside what contains them already (§10.9 to §10.11).

use std::collections::{BTreeMap, BTreeSet};

use ca3_reader::l2::clock::Clock;
use ca3_reader::l3::coverage::{self, Coverage};
use ca3_reader::l3::messages::{AlignmentEvent, DeviceDelay, EventObservation, TimeMessage};
use ca3_reports::{Finding, Severity};
use ca3_wire::records::{Device, Stream};

use super::Carried;
use super::observed::Kept;
use crate::findings::Findings;
use crate::scan::Facts;

/// Every delay and every event; `unread` are the streams of which not all was read,
/// where the rest of the file was.
pub(super) fn judge(
    facts: &Facts,
    clock: &Clock,
    unread: Option<&BTreeSet<u32>>,
    found: &mut Findings,
) {
    let devices = Devices::of(facts);
    for kept in &facts.observed.delays {
        provenance(kept, found);
        if let Some(devices) = &devices {
            devices.judge(kept, found);
        }
        let named = kept.message.stream_ref;
        if named != 0 && !facts.may_have_stream(named) {
            let message = format!("the delay is of stream {named}, which is not defined");
            found.add_with("CA3-10.9-04", Severity::Error, || {
                kept.at
                    .finding(
                        "CA3-10.9-04",
                        Severity::Error,
                        "DeviceDelay.stream_ref",
                        message,
                    )
                    .showing("a defined stream, or 0", named)
                    .reading("G130")
            });
        }
    }
    for kept in &facts.observed.events {
        observers(facts, kept, found);
    }
    // A delay or an event that was not read may be the one that counts.
    let read = unread.is_some_and(|unread| {
        let mut unread = unread.iter();
        !unread.any(|stream_ref| is_of_delays(facts.carried(*stream_ref)))
    });
    if let Some(devices) = devices.filter(|_| read) {
        twice(facts, clock, &devices, found);
    }
}

const fn is_of_delays(carried: Carried) -> bool {
    !matches!(
        carried,
        Carried::Other | Carried::Time(TimeMessage::Observation)
    )
}

/// How, when and by whom a delay was obtained. One that is unknown was not.
fn provenance(kept: &Kept<DeviceDelay>, found: &mut Findings) {
    const RULE: &str = "CA3-10.9-06";
    let delay = &kept.message;
    if delay.uncertainty_ns == DeviceDelay::UNKNOWN {
        return;
    }
    let unsaid: Vec<&str> = [
        ("method", delay.method.is_empty()),
        ("measured_unix_ns", delay.measured_unix_ns == 0),
        ("measured_by", delay.measured_by.is_empty()),
    ]
    .into_iter()
    .filter(|(_, unsaid)| *unsaid)
    .map(|(field, _)| field)
    .collect();
    let Some(first) = unsaid.first() else {
        return;
    };
    found.add_with(RULE, Severity::Warning, || {
        let field = format!("DeviceDelay.{first}");
        let message = "the delay does not say how, when and by whom it was obtained";
        kept.at
            .finding(RULE, Severity::Warning, field, message)
            .showing(
                "method, measured_unix_ns and measured_by",
                format_args!("no {}", unsaid.join(", no ")),
            )
    });
}

/// The devices of the Session in force.
struct Devices<'f>(BTreeMap<u32, &'f Device>);

impl<'f> Devices<'f> {
    /// None where a Session does not decode, which may be the one that has them.
    fn of(facts: &'f Facts) -> Option<Self> {
        let mut devices = BTreeMap::new();
        for device in &facts.devices {
            devices.entry(device.device_ref).or_insert(device);
        }
        (!facts.session_lost).then_some(Devices(devices))
    }

    /// A delay beside the device that it is of (§10.9).
    fn judge(&self, kept: &Kept<DeviceDelay>, found: &mut Findings) {
        const RESOLVES: &str = "CA3-10.9-04";
        const APPLIES: &str = "CA3-10.9-05";
        let (delay, at) = (&kept.message, kept.at);
        let Some(device) = self.0.get(&delay.device_ref) else {
            found.add_with(RESOLVES, Severity::Error, || {
                let message = "the delay is of a device that no Session has";
                at.finding(RESOLVES, Severity::Error, "DeviceDelay.device_ref", message)
                    .showing("a device of the Session", delay.device_ref)
                    .reading("G130")
            });
            return;
        };
        if !coverage::applies(delay, device) {
            found.add_with(APPLIES, Severity::Warning, || {
                let message = format!(
                    "the delay holds for another firmware than device {} has: it does not apply",
                    device.device_ref
                );
                let expected = format!("{:?}, or \"\"", device.firmware);
                at.finding(
                    APPLIES,
                    Severity::Warning,
                    "DeviceDelay.valid_firmware",
                    message,
                )
                .showing(expected, format_args!("{:?}", delay.valid_firmware))
            });
        }
    }
}

/// An event's observations are of streams that the file has.
fn observers(facts: &Facts, kept: &Kept<AlignmentEvent>, found: &mut Findings) {
    const RULE: &str = "CA3-10.10-02";
    for (index, seen) in kept.message.observations.iter().enumerate() {
        if !facts.may_have_stream(seen.stream_ref) {
            found.add_with(RULE, Severity::Error, || {
                let field = format!("AlignmentEvent.observations[{index}].stream_ref");
                let message = format!(
                    "event {} was observed by a stream that is not defined",
                    kept.message.event_id
                );
                kept.at
                    .finding(RULE, Severity::Error, field, message)
                    .showing("a defined stream", seen.stream_ref)
                    .reading("G130")
            });
        }
    }
}

/// Delays beside what contains them already, where nobody says which of the two was
/// used (§10.11; reading G64).
fn twice(facts: &Facts, clock: &Clock, devices: &Devices<'_>, found: &mut Findings) {
    const RULE: &str = "CA3-10.11-04";
    let delays = Delays::of(facts, devices);
    let mut observed: BTreeMap<u32, EventObservation> = BTreeMap::new();
    for kept in &facts.observed.events {
        for seen in &kept.message.observations {
            observed.entry(seen.stream_ref).or_insert(*seen);
        }
    }
    let carries_events = |from| match facts.carried(from) {
        Carried::Time(kind) => kind == TimeMessage::Event,
        Carried::Other => false,
        // One that does not decode may be the statement.
        Carried::Unknown => from != 0 && facts.may_have_stream(from),
    };
    for fact in facts.streams.values() {
        let stream = &fact.stream;
        let Some((kept, is_known)) = delays.in_force(stream) else {
            continue;
        };
        let seen = observed.get(&stream.stream_ref).map(|seen| AlignmentEvent {
            observations: vec![*seen],
            ..AlignmentEvent::default()
        });
        let domains = clock.domains_of(stream);
        let covered = Coverage::of(stream, domains, seen.iter(), carries_events);
        if !is_known || !covered.is_undecided() {
            continue;
        }
        found.add_with(RULE, Severity::Error, || {
            let by = if covered.trigger {
                "a trigger mapping that names no event"
            } else {
                "an alignment event that no mapping names"
            };
            let message = format!(
                "the delay stands beside {by}, which contains the delay of stream {} already",
                stream.stream_ref
            );
            double(kept, stream, message)
        });
    }
}

fn double(kept: &Kept<DeviceDelay>, stream: &Stream, message: String) -> Finding {
    let expected = "a trigger mapping whose observations_stream carries the event, or no delay";
    kept.at
        .finding(
            "CA3-10.11-04",
            Severity::Error,
            "DeviceDelay.delay_ns",
            message,
        )
        .of_stream(stream.stream_ref)
        .showing(
            expected,
            format_args!("a delay of {} ns", kept.message.delay_ns),
        )
}

/// Delays by what they are about: so many of them are not held against so many
/// streams one by one.
struct Delays<'f> {
    devices: &'f Devices<'f>,
    /// By the stream that they name.
    named: BTreeMap<u32, Vec<&'f Kept<DeviceDelay>>>,
    /// Of all streams of a device, by the device's clock: the one in force among them.
    of_clock: BTreeMap<&'f str, &'f Kept<DeviceDelay>>,
}

impl<'f> Delays<'f> {
    fn of(facts: &'f Facts, devices: &'f Devices<'f>) -> Self {
        let mut named: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        let mut of_clock: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for kept in &facts.observed.delays {
            let delay = &kept.message;
            let Some(device) = devices.0.get(&delay.device_ref) else {
                continue;
            };
            if delay.stream_ref == 0 {
                of_clock.entry(&device.clock_domain).or_default().push(kept);
            } else {
                named.entry(delay.stream_ref).or_default().push(kept);
            }
        }
        let of_clock = of_clock.into_iter().filter_map(|(clock_domain, delays)| {
            let stream = Stream {
                source_clock_domain: clock_domain.to_owned(),
                ..Stream::default()
            };
            let (kept, _) = best(&delays, devices, &stream)?;
            Some((clock_domain, kept))
        });
        Delays {
            devices,
            named,
            of_clock: of_clock.collect(),
        }
    }

    /// The delay in force for a stream, and whether it is one that a reader would take
    /// off.
    fn in_force(&self, stream: &Stream) -> Option<(&'f Kept<DeviceDelay>, bool)> {
        let of_clock = self.of_clock.get(stream.source_clock_domain.as_str());
        let named = self.named.get(&stream.stream_ref);
        let all = of_clock.into_iter().chain(named.into_iter().flatten());
        let all: Vec<_> = all.copied().collect();
        best(&all, self.devices, stream)
    }
}

/// The one in force among delays in file order.
fn best<'f>(
    delays: &[&'f Kept<DeviceDelay>],
    devices: &Devices<'f>,
    stream: &Stream,
) -> Option<(&'f Kept<DeviceDelay>, bool)> {
    let of_device = |kept: &&'f Kept<DeviceDelay>| {
        let device = devices.0.get(&kept.message.device_ref)?;
        Some((&kept.message, *device))
    };
    let found = coverage::in_force_among(delays.iter().filter_map(of_device), stream)?;
    let mut kept = delays.iter();
    let kept = kept.find(|kept| std::ptr::eq(&raw const kept.message, found.delay))?;
    Some((kept, found.is_known()))
}
