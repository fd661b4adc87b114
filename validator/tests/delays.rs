//! Delays inside devices, alignment events, and bytes that are neither.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_reports::{FileReport, Finding, Severity};
use ca3_wire::records::{ClockDomain, Device, Session};
use support::recording::{DELAY, EVENT, Recording, bare_delay, delay, event, probe};

fn judged(recording: &Recording) -> FileReport {
    let report = support::judge(&recording.bytes());
    assert!(report.scan_complete, "{:?}", report.incomplete);
    report
}

/// Findings of §10.9 to §10.11.
fn findings(report: &FileReport) -> Vec<&Finding> {
    let starts = ["CA3-10.9-", "CA3-10.10-", "CA3-10.11-"];
    let of_delays = |it: &&Finding| starts.iter().any(|start| it.rule.starts_with(start));
    report.findings.iter().filter(of_delays).collect()
}

fn found(recording: &Recording) -> Vec<&'static str> {
    findings(&judged(recording))
        .iter()
        .map(|it| it.rule)
        .collect()
}

fn camera(device_ref: u32, firmware: &str) -> Device {
    Device {
        device_ref,
        firmware: firmware.to_owned(),
        clock_domain: "cam".to_owned(),
        ..Device::default()
    }
}

/// Streams 2 and 3 of camera 1, delays on stream 8, events on stream 9.
fn cameras() -> Recording {
    Recording::new()
        .devices(&[camera(1, "2.1")])
        .stream(2, 0, "cam")
        .stream(3, 0, "cam")
        .stream(8, DELAY, "")
        .stream(9, EVENT, "")
}

#[test]
fn a_delay_says_where_it_comes_from() {
    assert_eq!(found(&cameras().chunk(8, &[delay(1, 2, "2.1")])), [""; 0]);
    let recording = cameras().chunk(8, &[delay(1, 2, ""), bare_delay(1, 2)]);
    let report = judged(&recording);
    let all = findings(&report);
    assert_eq!(all.len(), 1);
    let finding = all[0];
    assert_eq!(
        (finding.rule, finding.severity),
        ("CA3-10.9-06", Severity::Warning)
    );
    assert_eq!(
        (finding.stream_ref, finding.message_index),
        (Some(8), Some(1))
    );
    let at = usize::try_from(finding.field_offset).unwrap();
    assert!(recording.bytes()[at..].starts_with(&bare_delay(1, 2)));
    let evidence = finding.evidence.as_ref().unwrap();
    assert_eq!(
        evidence.found,
        "no method, no measured_unix_ns, no measured_by"
    );
    // One that is unknown was measured by nobody.
    let mut unknown = bare_delay(1, 2);
    let end = unknown.len();
    unknown[end - 8..].fill(0xFF);
    assert_eq!(found(&cameras().chunk(8, &[unknown])), [""; 0]);
    // In a compressed chunk the place is that of the compressed bytes.
    let packed = judged(&cameras().compressed(8, &[bare_delay(1, 2)]));
    let finding = findings(&packed)[0];
    assert_eq!(finding.field_offset, finding.offset + 9 + 77);
}

#[test]
fn delays_name_devices_and_streams_that_there_are() {
    let with = |payload| found(&cameras().chunk(8, &[payload]));
    assert_eq!(with(delay(9, 2, "")), ["CA3-10.9-04"]);
    assert_eq!(with(delay(1, 7, "")), ["CA3-10.9-04"]);
    assert_eq!(with(delay(1, 2, "2.3")), ["CA3-10.9-05"]);
    assert_eq!(with(delay(1, 0, "2.1")), [""; 0]);
    // Without a Session there is no device; with one that does not decode, who knows.
    let bare = Recording::new().stream(2, 0, "cam").stream(8, DELAY, "");
    let bare = bare.chunk(8, &[delay(1, 2, "")]);
    assert_eq!(found(&bare), ["CA3-10.9-04"]);
    let mut lost = bare.record(&Session::default());
    let session = lost.0.last_mut().unwrap();
    session[9] = 0xFF;
    assert_eq!(found(&lost), [""; 0]);
    // The last Session counts, and a stream that is defined later is one.
    let later = cameras()
        .chunk(8, &[delay(2, 7, "2.1")])
        .stream(7, 0, "cam")
        .devices(&[camera(2, "2.1")]);
    assert_eq!(found(&later), [""; 0]);
}

#[test]
fn events_name_streams_that_there_are() {
    let recording = cameras().chunk(
        9,
        &[event(1, &[(2, 1, 1)]), event(5, &[(2, 1, 1), (7, 1, 1)])],
    );
    let report = judged(&recording);
    let all = findings(&report);
    assert_eq!(all.len(), 1);
    assert_eq!(
        (all[0].rule, all[0].severity),
        ("CA3-10.10-02", Severity::Error)
    );
    assert_eq!(all[0].message_index, Some(1));
    assert_eq!(all[0].field, "AlignmentEvent.observations[1].stream_ref");
    assert_eq!(all[0].evidence.as_ref().unwrap().found, "7");
}

/// A trigger mapping of the camera's clock.
fn trigger(observations_stream: u32) -> ClockDomain {
    ClockDomain {
        domain: "cam".to_owned(),
        method: 3,
        observations_stream,
        skew_uncertainty_ppb: u64::MAX,
        estimator_version: 1,
        ..ClockDomain::default()
    }
}

#[test]
fn a_delay_stands_beside_a_trigger_or_an_event_that_somebody_names() {
    const TWICE: &str = "CA3-10.11-04";
    let delayed = |stream| cameras().chunk(8, &[delay(1, stream, "")]);
    // A trigger without a statement: both streams of the camera, or the one named.
    let unstated = judged(&delayed(0).mapped(&[trigger(0)]));
    let streams: Vec<_> = findings(&unstated)
        .iter()
        .map(|it| (it.rule, it.stream_ref))
        .collect();
    assert_eq!(streams, [(TWICE, Some(2)), (TWICE, Some(3))]);
    assert_eq!(found(&delayed(3).mapped(&[trigger(0)])), [TWICE]);
    // With one.
    assert_eq!(found(&delayed(0).mapped(&[trigger(9)])), [""; 0]);
    // A stream of something else states nothing.
    assert_eq!(found(&delayed(3).mapped(&[trigger(1)])), [TWICE]);
    // An event that the stream observed, and one that another did.
    let seen = |by| delayed(2).chunk(9, &[event(1, &[(1, 5, 1), (by, 5, 1)])]);
    assert_eq!(found(&seen(2)), [TWICE]);
    assert_eq!(found(&seen(3)), [""; 0]);
    assert_eq!(found(&seen(2).mapped(&[trigger(9)])), [""; 0]);
    // A delay that nobody would take off: of other firmware, or unknown.
    let other = cameras()
        .chunk(8, &[delay(1, 2, "2.0")])
        .mapped(&[trigger(0)]);
    assert_eq!(found(&other), ["CA3-10.9-05"]);
    let mut unknown = bare_delay(1, 2);
    let end = unknown.len();
    unknown[end - 8..].fill(0xFF);
    let unknown = cameras().chunk(8, &[unknown]).mapped(&[trigger(0)]);
    assert_eq!(found(&unknown), [""; 0]);
    // One that holds for the stream is in force where a later one does not.
    let both = [delay(1, 0, ""), delay(1, 2, "2.0")];
    let both = cameras().chunk(8, &both).mapped(&[trigger(0)]);
    let told = found(&both);
    assert_eq!(
        told.iter().filter(|it| **it == TWICE).count(),
        2,
        "{told:?}"
    );
}

#[test]
fn what_was_not_read_may_be_what_counts() {
    let mut damaged = cameras()
        .chunk(8, &[delay(1, 2, "")])
        .chunk(8, &[delay(1, 2, "")]);
    *damaged.0.last_mut().unwrap().last_mut().unwrap() ^= 1;
    let report = judged(&damaged.mapped(&[trigger(0)]));
    assert!(findings(&report).is_empty());
    let left = report
        .unchecked
        .iter()
        .find(|it| it.what.contains("stream 8"));
    assert!(
        left.unwrap()
            .rules
            .iter()
            .any(|rule| rule == "CA3-10.11-04")
    );
}

#[test]
fn payloads_that_are_no_messages_are_named() {
    for (stream, rule) in [(7, "CA3-10.7-01"), (8, "CA3-10.9-06"), (9, "CA3-10.10-02")] {
        let recording = cameras().stream(7, support::recording::OBSERVATION, "");
        let report = judged(&recording.chunk(stream, &[vec![], vec![0x0B]]));
        let finding = report
            .findings
            .iter()
            .find(|it| it.message_index == Some(1));
        let finding = finding.unwrap();
        assert_eq!((finding.rule, finding.severity), (rule, Severity::Error));
        assert!(finding.readings.iter().any(|it| it == "G127"));
    }
}

/// Everything that a recording can hold, cut and changed at every byte of its
/// payloads, and random ones.
#[test]
fn no_payload_stops_the_scan() {
    let payloads = [
        (7, probe(1, 2, Some(1))),
        (8, delay(1, 2, "2.1")),
        (9, event(1, &[(1, 5, 1), (2, 5, 1)])),
    ];
    let judge = |stream: u32, payload: Vec<u8>| {
        let probes = support::recording::OBSERVATION;
        let recording = cameras().stream(7, probes, "").chunk(stream, &[payload]);
        let mapping = |observations_stream, method| ClockDomain {
            method,
            quality: 2,
            ..trigger(observations_stream)
        };
        let domains = [mapping(7, 0), mapping(7, 2), mapping(9, 3), mapping(8, 1)];
        let report = judged(&recording.mapped(&domains));
        assert_eq!(report.clocks.unwrap().mappings.len(), 4);
    };
    for (stream, payload) in &payloads {
        for place in 0..payload.len() {
            judge(*stream, payload[..place].to_vec());
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = payload.clone();
                changed[place] ^= change;
                judge(*stream, changed);
            }
        }
    }
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    for round in 0..3_000u32 {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[0]
        };
        let length = next() % 64;
        // Tags that a message may have are more likely than others.
        let payload = (0..length).map(|_| match next() {
            byte if byte < 128 => [0x08, 0x09, 0x11, 0x19, 0x21, 0x2A, 0x3A][usize::from(byte % 7)],
            _ => next(),
        });
        judge(7 + round % 3, payload.collect());
    }
}

/// An event of very many empty observations takes far more memory than bytes.
#[test]
fn what_events_take_is_paid_for_ahead() {
    let many = [0x2A, 0x00].repeat(100_000);
    let bytes = cameras().chunk(9, &[many]).bytes();
    let limits = ca3_reports::Limits {
        memory: 2 << 20,
        ..ca3_validate::DEFAULT_LIMITS
    };
    let mut source = ca3_reader::l1::BytesSource(&bytes);
    let report = ca3_validate::validate(&mut source, "event.ca3", limits);
    assert!(!report.scan_complete);
    assert!(report.incomplete.unwrap().contains("memory limit"));
}

/// Work grows with the file, not with the product of its parts.
#[test]
fn many_of_everything_are_judged_in_one_look() {
    let mut recording = cameras();
    for stream_ref in 10..3_000 {
        recording = recording.stream(stream_ref, 0, "cam");
    }
    let delays: Vec<Vec<u8>> = (0..3_000).map(|_| delay(1, 0, "")).collect();
    let seen: Vec<(u64, u64, u64)> = (1..3_000).map(|stream| (stream, 5, 1)).collect();
    let domains: Vec<ClockDomain> = (0..3_000).map(|_| trigger(9)).collect();
    let recording = recording
        .chunk(8, &delays)
        .chunk(9, &[event(1, &seen), event(2, &seen)])
        .mapped(&domains);
    let began = std::time::Instant::now();
    judged(&recording);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
