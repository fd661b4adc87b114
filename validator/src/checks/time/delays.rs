//! Delays of devices and alignment events: what they refer to, what they leave
//! unsaid, and delays beside what contains them already (§10.9 to §10.11).

use std::collections::BTreeSet;

use ca3_reader::l2::clock::Clock;
use ca3_reader::l3::coverage::Coverage;
use ca3_reader::l3::delays::{Delays, Devices, OfDevice};
use ca3_reader::l3::messages::{AlignmentEvent, DeviceDelay, TimeMessage};
use ca3_reports::{Finding, Severity};
use ca3_wire::records::Stream;

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
    // A Session that does not decode may be the one that has them.
    let devices = (!facts.session_lost).then(|| Devices::of(&facts.devices));
    for (place, kept) in facts.observed.delays.iter().enumerate() {
        provenance(kept, found);
        if let Some(devices) = &devices {
            of_device(kept, place, devices, found);
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

/// A delay beside the device that it is of (§10.9).
fn of_device(kept: &Kept<DeviceDelay>, place: usize, devices: &Devices<'_>, found: &mut Findings) {
    const RESOLVES: &str = "CA3-10.9-04";
    const APPLIES: &str = "CA3-10.9-05";
    let (delay, at) = (&kept.message, kept.at);
    let Some(device) = devices.of_delay(delay) else {
        found.add_with(RESOLVES, Severity::Error, || {
            let message = "the delay is of a device that no Session has";
            at.finding(RESOLVES, Severity::Error, "DeviceDelay.device_ref", message)
                .showing("a device of the Session", delay.device_ref)
                .reading("G130")
        });
        return;
    };
    let beside = OfDevice {
        place,
        delay,
        device,
    };
    if !beside.is_applicable() {
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
    let all = &facts.observed.delays;
    let delays = Delays::of(all.iter().map(|kept| &kept.message), devices);
    let observations = facts.observed.events.iter();
    let observations = observations.flat_map(|kept| &kept.message.observations);
    let observers: BTreeSet<u32> = observations.map(|seen| seen.stream_ref).collect();
    let carries_events = |from| match facts.carried(from) {
        Carried::Time(kind) => kind == TimeMessage::Event,
        Carried::Other => false,
        // One that does not decode may be the statement.
        Carried::Unknown => from != 0 && facts.may_have_stream(from),
    };
    for fact in facts.streams.values() {
        let stream = &fact.stream;
        let Some(in_force) = delays.in_force(stream) else {
            continue;
        };
        let observed = observers.contains(&stream.stream_ref);
        let covered = Coverage::of(clock.domains_of(stream), observed, carries_events);
        let Some(kept) = all.get(in_force.place).filter(|_| in_force.is_known()) else {
            continue;
        };
        if !covered.is_undecided() {
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
