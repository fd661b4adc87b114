//! Events, and the clocks that saw them.

use super::*;

fn stream(stream_ref: u32, device: &str) -> Stream {
    Stream {
        stream_ref,
        host_id: "h".to_owned(),
        source_clock_domain: device.to_owned(),
        ..Stream::default()
    }
}

#[test]
fn triggers_and_events_cover_a_stream() {
    let trigger = |observations_stream| ClockDomain {
        method: 3,
        observations_stream,
        ..ClockDomain::default()
    };
    let covered = |domains: &[ClockDomain], event| {
        let coverage = Coverage::of(domains.iter(), event, |from| from == 7);
        (coverage.leaves_room(), coverage.is_undecided())
    };
    assert_eq!(covered(&[], false), (true, false));
    assert_eq!(covered(&[trigger(7)], false), (false, false));
    assert_eq!(covered(&[trigger(0)], false), (false, true));
    assert_eq!(covered(&[], true), (false, true));
    assert_eq!(covered(&[trigger(7)], true), (false, false));
    let one_way = ClockDomain {
        method: 1,
        ..trigger(7)
    };
    assert_eq!(covered(&[one_way], true), (false, true));
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
    let sighted = Sighted::of(events.iter(), stream_of, |of| of.host_id == "h");
    let found = sighted.by(&camera);
    // The first of the domain's two in the message; streams 2 and 3 are on the
    // reference's host as well, and their stamps are the device's.
    let expected = Sighting {
        source_ns: 60,
        reference_ns: 100,
        uncertainty_ns: 5,
    };
    assert_eq!(found, Some(Observations::Events(vec![expected])));
    let unknown = ClockDomain { kind: 3, ..camera };
    assert_eq!(sighted.by(&unknown), None);
}
