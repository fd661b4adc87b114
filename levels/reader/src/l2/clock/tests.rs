//! Which domain a stream is under, case by case.

use super::*;

fn stream(host: &str, epoch: &str, device: &str) -> Stream {
    Stream {
        stream_ref: 1,
        host_id: host.to_owned(),
        host_clock_epoch: epoch.to_owned(),
        source_clock_domain: device.to_owned(),
        ..Stream::default()
    }
}

fn domain(kind: u8, name: &str, offset_ns: i64) -> ClockDomain {
    ClockDomain {
        domain: name.to_owned(),
        kind,
        quality: 2,
        offset_ns,
        ..ClockDomain::default()
    }
}

/// A clock on the pair (h, e1) with these domains and streams.
fn clock(domains: &[ClockDomain], streams: &[Stream], of: &Stream) -> Clock {
    let block = ClockBlock {
        reference_host_id: "h".to_owned(),
        reference_host_clock_epoch: "e1".to_owned(),
        domains: domains.to_vec(),
        ..ClockBlock::default()
    };
    Clock::new(&Header::default(), Some(block), streams.iter().chain([of]))
}

/// Where a source stamp of 100 comes to lie, and on what basis.
fn place_source(domains: &[ClockDomain], of: &Stream) -> (u64, Basis) {
    let clock = clock(domains, &[], of);
    let timeline = clock.source_timeline(of);
    (timeline.time(100).unwrap(), timeline.basis())
}

/// Where a stamp of 100 comes to lie, and on what basis, among these streams.
fn place(domains: &[ClockDomain], streams: &[Stream], of: &Stream) -> (u64, Basis) {
    let clock = clock(domains, streams, of);
    let timeline = clock.timeline(of);
    // A reason stands beside every time that is not to be relied on.
    let relied_on = matches!(timeline.basis(), Basis::Exact | Basis::Ok);
    assert_eq!(timeline.degraded(None).is_empty(), relied_on);
    (timeline.time(100).unwrap(), timeline.basis())
}

#[test]
fn the_references_pair_is_exact_whatever_the_block_says() {
    let own = stream("h", "e1", "");
    assert_eq!(place(&[], &[], &own), (100, Basis::Exact));
    assert_eq!(place(&[domain(2, "h", 7)], &[], &own), (100, Basis::Exact));
    let device = stream("h", "e1", "dev");
    assert_eq!(
        place(&[domain(0, "dev", 7)], &[], &device),
        (100, Basis::Exact)
    );
}

#[test]
fn without_a_block_the_headers_pair_is_the_reference() {
    let header = |host: &str| Header {
        host_id: host.to_owned(),
        host_clock_epoch: "e1".to_owned(),
        ..Header::default()
    };
    let basis = |host: &str, stream: &Stream| {
        Clock::new(&header(host), None, [stream].into_iter())
            .timeline(stream)
            .basis()
    };
    assert_eq!(basis("h", &stream("h", "e1", "")), Basis::Exact);
    assert_eq!(basis("h", &stream("h", "e2", "")), Basis::Unmapped);
    assert_eq!(basis("", &stream("", "e1", "")), Basis::Exact);
    assert_eq!(basis("", &stream("h", "e1", "")), Basis::Unmapped);
    // A block that names another reference takes its place.
    let other = stream("other", "e1", "");
    assert_eq!(place(&[], &[], &other), (100, Basis::Unmapped));
}

#[test]
fn kinds_say_what_a_domain_matches() {
    let p = stream("p", "x", "");
    for kind in [1, 2] {
        assert_eq!(place(&[domain(kind, "p", 7)], &[], &p), (107, Basis::Ok));
        let q = stream("q", "x", "");
        assert_eq!(
            place(&[domain(kind, "p", 7)], &[], &q),
            (100, Basis::Unmapped)
        );
    }
    for kind in [0, 3, 255] {
        assert_eq!(
            place(&[domain(kind, "p", 7)], &[], &p),
            (100, Basis::Unmapped)
        );
    }
    // Reading G121: a device's line maps what the device stamped, by its whole name.
    let device = stream("p", "x", "dev");
    let lines = [domain(0, "de", 5), domain(0, "dev", 7)];
    assert_eq!(place(&lines, &[], &device), (100, Basis::Unmapped));
    assert_eq!(place_source(&lines, &device), (107, Basis::Ok));
    let unknown = [domain(0, "de", 5), domain(1, "dev", 7)];
    assert_eq!(place_source(&unknown, &device), (100, Basis::Unmapped));
    // An empty name names no device (reading G83), and may name a host.
    assert_eq!(
        place_source(&[domain(0, "", 7)], &p),
        (100, Basis::Unmapped)
    );
    let nameless = stream("", "x", "");
    assert_eq!(place(&[domain(1, "", 7)], &[], &nameless), (107, Basis::Ok));
}

#[test]
fn the_first_that_matches_applies_usable_or_not() {
    let p = stream("p", "x", "dev");
    let of = |domains: &[ClockDomain]| place(domains, &[], &p);
    assert_eq!(
        of(&[domain(1, "p", 7), domain(1, "p", 9)]),
        (107, Basis::Ok)
    );
    // The two clocks of a stream do not get in each other's way.
    let both = [domain(0, "dev", 7), domain(1, "p", 9)];
    assert_eq!(of(&both), (109, Basis::Ok));
    assert_eq!(place_source(&both, &p), (107, Basis::Ok));
    let unavailable = ClockDomain {
        quality: 0,
        ..domain(1, "p", 7)
    };
    let of_two = of(&[unavailable, domain(1, "p", 9)]);
    assert_eq!(of_two, (100, Basis::Unmapped));
}

#[test]
fn a_mapping_of_two_epochs_says_nothing_of_either() {
    let (one, two) = (stream("p", "x", ""), stream("p", "y", ""));
    let mapping = [domain(1, "p", 7)];
    for of in [&one, &two] {
        let streams = [one.clone(), two.clone()];
        assert_eq!(place(&mapping, &streams, of), (100, Basis::Unmapped));
    }
    assert_eq!(
        place(&mapping, std::slice::from_ref(&one), &one),
        (107, Basis::Ok)
    );
    let (first, later) = (stream("h", "e1", ""), stream("h", "e2", ""));
    let own = [domain(2, "h", 7)];
    assert_eq!(
        place(&own, std::slice::from_ref(&first), &later).1,
        Basis::Unmapped
    );
    assert_eq!(
        place(&own, std::slice::from_ref(&later), &first).1,
        Basis::Exact
    );
}

#[test]
fn quality_and_skew_decide_whether_it_is_used() {
    let p = stream("p", "x", "");
    for (quality, basis) in [
        (0, Basis::Unmapped),
        (1, Basis::Degraded),
        (2, Basis::Ok),
        (3, Basis::Unmapped),
        (9, Basis::Unmapped),
    ] {
        let domain = ClockDomain {
            quality,
            ..domain(1, "p", 7)
        };
        assert_eq!(place(&[domain], &[], &p).1, basis);
    }
    for (skew_ppb, basis) in [
        (-1_000_000_000, Basis::Unmapped),
        (i64::MIN, Basis::Unmapped),
        (-999_999_999, Basis::Ok),
    ] {
        let domain = ClockDomain {
            skew_ppb,
            ..domain(1, "p", 0)
        };
        assert_eq!(place(&[domain], &[], &p).1, basis);
    }
}

#[test]
fn intervals_are_found_by_the_stamps_that_they_hold() {
    let span = |from_ns, to_ns, reason: &str| DegradedInterval {
        stream_ref: 1,
        from_ns,
        to_ns,
        reason: reason.to_owned(),
    };
    let other = DegradedInterval {
        stream_ref: 2,
        ..span(0, 100, "another stream")
    };
    // One that ends before it begins holds nothing.
    let block = ClockBlock {
        reference_host_id: "h".to_owned(),
        reference_host_clock_epoch: "e1".to_owned(),
        degraded_intervals: vec![
            span(30, 40, "late"),
            span(10, 20, "early"),
            other,
            span(15, 35, "between"),
            span(50, 50, "instant"),
            span(70, 60, "backwards"),
        ],
        ..ClockBlock::default()
    };
    let of = stream("h", "e1", "");
    let clock = Clock::new(&Header::default(), Some(block), [&of].into_iter());
    let held = |stamp| {
        let mut reasons = clock.timeline(&of).degraded(Some(stamp));
        reasons.sort();
        reasons.join(" ")
    };
    for (stamp, reasons) in [
        (9, ""),
        (10, "early"),
        (15, "between early"),
        (20, "between early"),
        (21, "between"),
        (33, "between late"),
        (36, "late"),
        (40, "late"),
        (41, ""),
        (50, "instant"),
        (65, ""),
        (70, ""),
    ] {
        assert_eq!(held(stamp), reasons, "{stamp}");
    }
}
