//! Delays, events and the streams that they are about.

use super::*;

fn stream(stream_ref: u32, device: &str) -> Stream {
    Stream {
        stream_ref,
        host_id: "h".to_owned(),
        source_clock_domain: device.to_owned(),
        ..Stream::default()
    }
}

fn device(device_ref: u32, firmware: &str, clock_domain: &str) -> Device {
    Device {
        device_ref,
        firmware: firmware.to_owned(),
        clock_domain: clock_domain.to_owned(),
        ..Device::default()
    }
}

fn delay(device_ref: u32, stream_ref: u32, delay_ns: i64, firmware: &str) -> DeviceDelay {
    DeviceDelay {
        device_ref,
        stream_ref,
        delay_ns,
        valid_firmware: firmware.to_owned(),
        ..DeviceDelay::default()
    }
}

/// The delay in force for stream 2, on "cam", and whether it applies.
fn chosen(delays: &[DeviceDelay]) -> Option<(i64, bool)> {
    let devices = [device(1, "2.1", "cam"), device(2, "2.3", "mic")];
    in_force(delays, &devices, &stream(2, "cam"))
        .map(|found| (found.delay.delay_ns, found.applicable))
}

#[test]
fn a_delay_is_found_by_stream_or_by_its_devices_clock() {
    assert_eq!(chosen(&[delay(1, 0, 5, "")]), Some((5, true)));
    assert_eq!(chosen(&[delay(1, 2, 6, "2.1")]), Some((6, true)));
    assert_eq!(chosen(&[delay(2, 0, 5, "")]), None);
    assert_eq!(chosen(&[delay(1, 3, 5, "")]), None);
    // Named outright, whichever device it is of.
    assert_eq!(chosen(&[delay(2, 2, 5, "")]), Some((5, true)));
    // No such device.
    assert_eq!(chosen(&[delay(9, 2, 5, "")]), None);
}

#[test]
fn the_one_that_names_the_stream_wins_then_the_later() {
    let all = [delay(1, 2, 3, ""), delay(1, 2, 4, ""), delay(1, 0, 1, "")];
    assert_eq!(chosen(&all), Some((4, true)));
    // Under other firmware it does not stand in the way of one that applies.
    let other = [delay(1, 0, 1, ""), delay(1, 2, 4, "2.0")];
    assert_eq!(chosen(&other), Some((1, true)));
    assert_eq!(chosen(&other[1..]), Some((4, false)));
}

#[test]
fn triggers_and_events_cover_a_stream() {
    let trigger = |observations_stream| ClockDomain {
        method: 3,
        observations_stream,
        ..ClockDomain::default()
    };
    let seen_by = |stream_ref| AlignmentEvent {
        observations: vec![EventObservation {
            stream_ref,
            ..EventObservation::default()
        }],
        ..AlignmentEvent::default()
    };
    let covered = |domains: &[ClockDomain], events: &[AlignmentEvent]| {
        let of = stream(2, "cam");
        let coverage = Coverage::of(&of, domains.iter(), events.iter(), |from| from == 7);
        (coverage.leaves_room(), coverage.is_undecided())
    };
    assert_eq!(covered(&[], &[]), (true, false));
    assert_eq!(covered(&[trigger(7)], &[]), (false, false));
    assert_eq!(covered(&[trigger(0)], &[]), (false, true));
    assert_eq!(covered(&[], &[seen_by(2)]), (false, true));
    assert_eq!(covered(&[], &[seen_by(3)]), (true, false));
    assert_eq!(covered(&[trigger(7)], &[seen_by(2)]), (false, false));
    let one_way = ClockDomain {
        method: 1,
        ..trigger(7)
    };
    assert_eq!(covered(&[one_way], &[seen_by(2)]), (false, true));
}

#[test]
fn a_trigger_is_sighted_where_both_clocks_saw_it() {
    let streams = [stream(1, ""), stream(2, "cam"), stream(3, "cam")];
    let saw = |stream_ref, stamp_ns, uncertainty_ns| EventObservation {
        stream_ref,
        stamp_ns,
        uncertainty_ns,
    };
    let event = |observations: &[EventObservation]| AlignmentEvent {
        observations: observations.to_vec(),
        ..AlignmentEvent::default()
    };
    let events = [
        event(&[saw(2, 5, 1)]),
        event(&[saw(1, 100, 2), saw(3, 60, 3), saw(2, 61, 4)]),
    ];
    let camera = ClockDomain {
        domain: "cam".to_owned(),
        ..ClockDomain::default()
    };
    let stream_of = |wanted: u32| streams.iter().find(|stream| stream.stream_ref == wanted);
    let found = sightings(&camera, events.iter(), stream_of, |of| of.host_id == "h");
    // The first of the domain's two in the message; streams 2 and 3 are on the
    // reference's host as well, and their stamps are the device's.
    let expected = Sighting {
        source_ns: 60,
        reference_ns: 100,
        uncertainty_ns: 5,
    };
    assert_eq!(found, Some(Observations::Events(vec![expected])));
    let unknown = ClockDomain { kind: 3, ..camera };
    assert_eq!(
        sightings(&unknown, events.iter(), stream_of, |_| true),
        None
    );
}
