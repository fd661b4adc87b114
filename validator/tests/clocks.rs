//! Mappings against their observations.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_reader::l1::BytesSource;
use ca3_reports::clocks::{Clocks, Mapping, Verification};
use ca3_reports::{FileReport, Finding, Limits, Severity};
use ca3_spec::opcode::op;
use ca3_validate::{DEFAULT_LIMITS, validate};
use ca3_vectors::Corpus;
use ca3_wire::frame::framed;
use ca3_wire::records::{ClockDomain, DegradedInterval, Stream};
use support::recording::{EVENT, HOST, OBSERVATION, OTHER, Recording, event, probe};

/// The rules of §10.5 to §10.11 that were broken, by finding.
fn found(report: &FileReport) -> Vec<&'static str> {
    rules(
        report,
        &[
            "CA3-10.5-",
            "CA3-10.7-",
            "CA3-10.9-",
            "CA3-10.10-",
            "CA3-10.11-",
        ],
    )
}

fn rules(report: &FileReport, starts: &[&str]) -> Vec<&'static str> {
    let rules = report.findings.iter().map(|finding| finding.rule);
    rules
        .filter(|rule| starts.iter().any(|start| rule.starts_with(start)))
        .collect()
}

fn judged(recording: &Recording) -> FileReport {
    let report = support::judge(&recording.bytes());
    assert!(report.scan_complete, "{:?}", report.incomplete);
    report
}

fn clocks(report: &FileReport) -> &Clocks {
    report.clocks.as_ref().unwrap()
}

fn only(report: &FileReport) -> &Mapping {
    assert_eq!(clocks(report).mappings.len(), 1);
    &clocks(report).mappings[0]
}

/// Four observations of stream 3, of a device 1000 ns behind: each took 40 ns there
/// and 40 ns back.
fn round_trips() -> Vec<Vec<u8>> {
    let observation = |source: u64| probe(source, source + 1040, Some(source + 960));
    [0, 1_000_000, 2_000_000, 3_000_000]
        .map(observation)
        .to_vec()
}

/// What they imply.
fn by_round_trips() -> ClockDomain {
    ClockDomain {
        domain: "dev".to_owned(),
        method: 2,
        quality: 2,
        offset_ns: 1000,
        min_rtt_present: 1,
        min_rtt_ns: 80,
        bias_low_ns: 40,
        bias_high_ns: 40,
        // (40 + 40) ns over 2 ms, between the first and the third of them.
        skew_uncertainty_ppb: 80 * 1_000_000_000 / 2_000_000,
        observation_count: 4,
        observations_stream: 3,
        estimator_version: 1,
        ..ClockDomain::default()
    }
}

/// Likewise by one way: 1040 ns from source to receipt, always.
fn one_way() -> ClockDomain {
    ClockDomain {
        method: 1,
        offset_ns: 1040,
        min_rtt_present: 0,
        min_rtt_ns: 0,
        bias_low_ns: u64::MAX,
        bias_high_ns: 0,
        skew_uncertainty_ppb: u64::MAX,
        ..by_round_trips()
    }
}

/// Observations that were not sent.
fn receipts() -> Vec<Vec<u8>> {
    let observation = |source: u64| probe(source, source + 1040, None);
    [0, 1_000_000, 2_000_000, 3_000_000]
        .map(observation)
        .to_vec()
}

/// Stream 2 of a device, and its observations on stream 3.
fn observed(payloads: &[Vec<u8>]) -> Recording {
    Recording::new()
        .stream(2, 0, "dev")
        .stream(3, OBSERVATION, "")
        .chunk(3, payloads)
}

#[test]
fn what_observations_imply_is_verified() {
    for (payloads, domain) in [
        (round_trips(), by_round_trips()),
        (receipts(), one_way()),
        (
            receipts(),
            ClockDomain {
                method: 0,
                ..one_way()
            },
        ),
    ] {
        let report = judged(&observed(&payloads).mapped(&[domain]));
        assert_eq!(found(&report), [""; 0], "{:#?}", report.findings);
        let mapping = only(&report);
        assert_eq!(mapping.verification, Verification::Verified);
        assert_eq!(mapping.reason, None);
        assert_eq!(mapping.fields.len(), 9);
        for field in &mapping.fields {
            assert_eq!(field.recomputed.as_ref(), Some(&field.stored));
            assert!(!field.differs);
        }
        let plot = mapping.plot.as_ref().unwrap();
        assert_eq!((plot.total, plot.observations.len()), (4, 4));
        assert_eq!(plot.recomputed, Some(plot.stored));
        assert!(
            report
                .checked
                .iter()
                .any(|it| it.rules.contains(&"CA3-10.9-06"))
        );
    }
}

#[test]
fn observations_count_in_file_order_over_all_chunks_of_both_layouts() {
    let all = round_trips();
    let split = Recording::new()
        .stream(2, 0, "dev")
        .stream(3, OBSERVATION, "")
        .chunk(3, &all[..1])
        .chunk(2, &[b"other".to_vec()])
        .compressed(3, &all[1..])
        .mapped(&[by_round_trips()]);
    let report = judged(&split);
    assert_eq!(only(&report).verification, Verification::Verified);
    // The first in the file is the origin, whatever its stamp.
    let turned = Recording::new()
        .stream(2, 0, "dev")
        .stream(3, OBSERVATION, "")
        .chunk(3, &all[1..])
        .chunk(3, &all[..1])
        .mapped(&[by_round_trips()]);
    let report = judged(&turned);
    let wrong = differing(only(&report));
    assert!(wrong.contains(&"reference_source_ns"), "{wrong:?}");
}

fn differing(mapping: &Mapping) -> Vec<&str> {
    let fields = mapping.fields.iter().filter(|field| field.differs);
    fields.map(|field| field.field.as_ref()).collect()
}

/// Where a field's value stands in the file, by what is stored there.
fn stored_at<const N: usize>(bytes: &[u8], finding: &Finding) -> [u8; N] {
    let at = usize::try_from(finding.field_offset).unwrap();
    bytes[at..at + N].try_into().unwrap()
}

#[test]
fn each_field_that_differs_is_one_finding_at_its_bytes() {
    type Spoil = fn(&mut ClockDomain);
    let table: [(&str, &str, u64, Spoil); 7] = [
        ("offset_ns", "1000", 1001, |it| it.offset_ns = 1001),
        ("skew_ppb", "0", 7, |it| it.skew_ppb = 7),
        ("reference_source_ns", "0", 9, |it| {
            it.reference_source_ns = 9
        }),
        ("residual_spread_ns", "0", 500, |it| {
            it.residual_spread_ns = 500
        }),
        ("skew_uncertainty_ppb", "40000", 40001, |it| {
            it.skew_uncertainty_ppb = 40001;
        }),
        ("observation_count", "4", 5, |it| it.observation_count = 5),
        ("skew_uncertainty_ppb", "40000", u64::MAX, |it| {
            it.skew_uncertainty_ppb = u64::MAX;
        }),
    ];
    for (field, right, stored, spoil) in table {
        let mut domain = by_round_trips();
        spoil(&mut domain);
        let recording = observed(&round_trips()).mapped(&[domain]);
        let report = judged(&recording);
        assert_eq!(found(&report), ["CA3-10.7-03"], "{field}");
        let finding = report.findings.iter().find(|it| it.rule == "CA3-10.7-03");
        let finding = finding.unwrap();
        assert_eq!(finding.field, format!("ClockBlock.domains[0].{field}"));
        assert_eq!(finding.severity, Severity::Error);
        let evidence = finding.evidence.as_ref().unwrap();
        assert_eq!(evidence.expected, right);
        let bytes = recording.bytes();
        assert_eq!(stored_at(&bytes, finding), stored.to_le_bytes());
        assert_eq!(
            bytes[usize::try_from(finding.offset).unwrap()],
            op::CLOCK_BLOCK
        );
        let mapping = only(&report);
        assert_eq!(mapping.verification, Verification::Inconsistent);
        assert_eq!(differing(mapping), [field]);
        let told = mapping.fields.iter().find(|it| it.field == field).unwrap();
        assert_eq!(told.stored, evidence.found);
        assert_eq!(told.recomputed.as_deref(), Some(right));
    }
}

#[test]
fn a_bound_that_contradicts_its_method_is_said_once() {
    // 40 and 40 follow from the round trip that is stored as well.
    let doubled = ClockDomain {
        bias_low_ns: 80,
        bias_high_ns: 80,
        ..by_round_trips()
    };
    let report = judged(&observed(&round_trips()).mapped(&[doubled]));
    assert_eq!(found(&report), ["CA3-10.5-07", "CA3-10.5-07"]);
    assert_eq!(differing(only(&report)), ["bias_low_ns", "bias_high_ns"]);
    // A round trip of another length, with the bounds that it would imply.
    let longer = ClockDomain {
        min_rtt_ns: 100,
        bias_low_ns: 50,
        bias_high_ns: 50,
        ..by_round_trips()
    };
    let report = judged(&observed(&round_trips()).mapped(&[longer]));
    assert_eq!(found(&report), ["CA3-10.7-03"; 3]);
    // One that is there for a method which measures none: the byte that says so.
    let present = ClockDomain {
        min_rtt_present: 1,
        ..one_way()
    };
    let recording = observed(&receipts()).mapped(&[present]);
    let report = judged(&recording);
    assert_eq!(found(&report), ["CA3-10.7-03"]);
    let finding = report.findings.iter().find(|it| it.rule == "CA3-10.7-03");
    assert_eq!(stored_at(&recording.bytes(), finding.unwrap()), [1, 0]);
}

#[test]
fn round_trips_that_were_not_sent_and_those_that_go_unused() {
    let mut one_not_sent = round_trips();
    one_not_sent[2] = receipts()[2].clone();
    let report = judged(&observed(&one_not_sent).mapped(&[by_round_trips()]));
    assert_eq!(found(&report), ["CA3-10.7-06"]);
    let finding = report.findings.iter().find(|it| it.rule == "CA3-10.7-06");
    let evidence = finding.unwrap().evidence.clone().unwrap();
    assert_eq!(evidence.found, "sent_ns in 3 of them");
    let mapping = only(&report);
    assert_eq!(mapping.verification, Verification::Inconsistent);
    assert!(mapping.reason.as_ref().unwrap().contains("sent_ns"));
    // One way is all that these allow.
    let report = judged(&observed(&one_not_sent).mapped(&[one_way()]));
    assert_eq!(found(&report), [""; 0]);
    // And less than all of these do, though it is what it says it is.
    let report = judged(&observed(&round_trips()).mapped(&[one_way()]));
    assert_eq!(found(&report), ["CA3-10.5-05"]);
    assert_eq!(only(&report).verification, Verification::Verified);
    // Not where one came back before it was sent, nor in a mapping of no use.
    let mut backwards = round_trips();
    backwards[1] = probe(1_000_000, 1_001_040, Some(1_001_041));
    let report = judged(&observed(&backwards).mapped(&[one_way()]));
    assert_eq!(found(&report), [""; 0]);
    let unused = ClockDomain {
        quality: 0,
        ..one_way()
    };
    let report = judged(&observed(&round_trips()).mapped(&[unused]));
    assert_eq!(found(&report), [""; 0]);
}

#[test]
fn a_quality_without_observations_is_one_too_many() {
    let none = Recording::new()
        .stream(2, 0, "dev")
        .stream(3, OBSERVATION, "");
    let report = judged(&none.clone().mapped(&[by_round_trips()]));
    assert_eq!(found(&report), ["CA3-10.7-05"]);
    assert_eq!(only(&report).verification, Verification::Inconsistent);
    let nothing = ClockDomain {
        quality: 0,
        ..by_round_trips()
    };
    let report = judged(&none.mapped(&[nothing]));
    assert_eq!(found(&report), [""; 0]);
    let mapping = only(&report);
    assert_eq!(mapping.verification, Verification::Verified);
    assert!(mapping.reason.is_some() && mapping.plot.is_none());
}

#[test]
fn a_slope_beyond_64_bits_is_no_line() {
    let payloads = [probe(0, 0, None), probe(1, u64::MAX, None)];
    let report = judged(&observed(&payloads).mapped(&[one_way()]));
    assert_eq!(found(&report), ["CA3-10.7-03"]);
    assert!(only(&report).reason.as_ref().unwrap().contains("64 bits"));
}

/// A mapping of `dev`, and why it is not recomputed.
fn unverified(recording: &Recording, domain: ClockDomain) -> String {
    let report = judged(&recording.clone().mapped(&[domain]));
    let told = found(&report);
    let allowed = ["CA3-10.7-01", "CA3-10.9-06", "CA3-10.10-02"];
    assert!(told.iter().all(|it| allowed.contains(it)), "{told:?}");
    let mapping = only(&report);
    assert_eq!(mapping.verification, Verification::Unverified);
    assert!(
        mapping
            .fields
            .iter()
            .all(|field| field.recomputed.is_none())
    );
    mapping.reason.clone().unwrap()
}

#[test]
fn what_is_not_recomputed_says_why() {
    let sound = observed(&round_trips())
        .stream(4, OTHER, "")
        .stream(5, EVENT, "");
    let of = |observations_stream: u32| ClockDomain {
        observations_stream,
        ..by_round_trips()
    };
    assert!(unverified(&sound, of(0)).contains("no observations"));
    assert!(unverified(&sound, of(9)).contains("not declared"));
    for other in [1, 4, 5] {
        assert!(unverified(&sound, of(other)).contains("another schema"));
    }
    let trigger = ClockDomain {
        method: 3,
        ..by_round_trips()
    };
    assert!(unverified(&sound, trigger.clone()).contains("another schema"));
    let version = ClockDomain {
        estimator_version: 2,
        ..by_round_trips()
    };
    assert!(unverified(&sound, version).contains("version 2"));
    let method = ClockDomain {
        method: 9,
        ..by_round_trips()
    };
    assert!(unverified(&sound, method).contains("method 9"));
    let kind = ClockDomain {
        kind: 7,
        observations_stream: 5,
        ..trigger
    };
    assert!(unverified(&sound, kind).contains("kind 7"));
    let no_message = observed(&[round_trips(), vec![vec![0xFF]]].concat());
    assert!(unverified(&no_message, by_round_trips()).contains("could be read"));
    // A definition behind the chunk that needs it.
    let late = Recording::new()
        .stream(2, 0, "dev")
        .chunk(3, &round_trips())
        .stream(3, OBSERVATION, "");
    assert!(unverified(&late, by_round_trips()).contains("could be read"));
}

#[test]
fn damaged_observations_are_reported_once_and_the_mapping_is_not_judged() {
    let mut recording = observed(&round_trips()).chunk(3, &round_trips());
    let damaged = recording.0.last_mut().unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    let wrong = ClockDomain {
        offset_ns: 77,
        ..by_round_trips()
    };
    let report = judged(&recording.mapped(&[wrong]));
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(rules(&report, &["CA3-6.1-"]).len(), 1);
    assert_eq!(only(&report).verification, Verification::Unverified);
    let left = report
        .unchecked
        .iter()
        .find(|it| it.what.contains("on stream 3"));
    assert!(left.unwrap().rules.iter().any(|it| it == "CA3-10.7-03"));
    let checked = |rule| report.checked.iter().any(|it| it.rules.contains(&rule));
    assert!(!checked("CA3-10.7-03") && checked("CA3-10.9-06"));
    // A chunk of another stream does not matter; one that cannot be told whose, does.
    let mut other = observed(&round_trips()).chunk(2, &[b"other".to_vec()]);
    *other.0.last_mut().unwrap().last_mut().unwrap() ^= 1;
    let report = judged(&other.mapped(&[by_round_trips()]));
    assert_eq!(only(&report).verification, Verification::Verified);
    let mut stub = observed(&round_trips());
    stub.0.push(framed(op::CHUNK, &[3, 0]));
    let report = judged(&stub.mapped(&[by_round_trips()]));
    assert_eq!(only(&report).verification, Verification::Unverified);
}

/// A chunk that the index knows and that nobody met: its opcode is another.
#[test]
fn observations_that_went_missing_are_not_taken_for_too_few() {
    let id = "ca3/10.7-observations-judged/count-of-five";
    let cases = Corpus::embedded().cases().unwrap();
    let case = cases
        .into_iter()
        .find(|case| case.sidecar.id == id)
        .unwrap();
    let mut bytes = case.valid.unwrap();
    let report = support::judge(&bytes);
    assert_eq!(only(&report).verification, Verification::Verified);
    let mut at = 8;
    let mut chunk = 0;
    while at < bytes.len() - 8 {
        if bytes[at] == op::CHUNK {
            chunk = at;
        }
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap());
        at += 9 + usize::try_from(length).unwrap();
    }
    bytes[chunk] = 0xC5;
    let report = support::judge(&bytes);
    assert_eq!(found(&report), [""; 0]);
    assert_eq!(only(&report).verification, Verification::Unverified);
}

#[test]
fn a_stream_that_does_not_decode_may_be_the_one() {
    let mut lost = Recording::new().stream(2, 0, "dev");
    lost.0.push(framed(
        op::STREAM,
        &[&[3, 0, 0, 0][..], &[0xFF; 40]].concat(),
    ));
    let reason = unverified(&lost.chunk(3, &round_trips()), by_round_trips());
    assert!(reason.contains("could be read"), "{reason}");
}

#[test]
fn what_the_limit_leaves_out_is_said_and_nothing_is_found_wrong() {
    let many: Vec<Vec<u8>> = (0..20_000).map(|at| probe(at, at + 1040, None)).collect();
    let wrong = ClockDomain {
        observation_count: 5,
        ..one_way()
    };
    let bytes = observed(&many).mapped(&[wrong]).bytes();
    let within = |memory| {
        let limits = Limits {
            memory,
            ..DEFAULT_LIMITS
        };
        validate(&mut BytesSource(&bytes), "limit.ca3", limits)
    };
    let mut incomplete = 0;
    for memory in (100_000..6_000_000).step_by(100_000) {
        let report = within(memory);
        if report.scan_complete {
            assert_eq!(found(&report), ["CA3-10.7-03"]);
            continue;
        }
        incomplete += 1;
        assert_eq!(found(&report), [""; 0], "{memory}");
        let left = |rule: &str| {
            report
                .unchecked
                .iter()
                .any(|it| it.rules.iter().any(|left| left == rule))
        };
        assert!(left("CA3-10.7-03") && left("CA3-10.7-06"), "{memory}");
        if let Some(clocks) = &report.clocks {
            assert_eq!(clocks.mappings[0].verification, Verification::Unverified);
        }
    }
    assert!(incomplete > 3 && within(6_000_000).scan_complete);
}

#[test]
fn a_trigger_is_fitted_from_the_first_event_that_both_observed() {
    let trigger = ClockDomain {
        method: 3,
        offset_ns: -500,
        reference_source_ns: 2_500,
        min_rtt_present: 1,
        min_rtt_ns: 0,
        bias_low_ns: 5_001,
        bias_high_ns: 5_001,
        skew_uncertainty_ppb: u64::MAX,
        observation_count: 2,
        ..by_round_trips()
    };
    let events = [
        event(1, &[(2, 1_000, 5_000)]),
        event(2, &[(2, 2_500, 5_000), (1, 2_000, 1)]),
        event(3, &[(1, 3_000, 1), (2, 3_500, 6_000), (9, 0, 0)]),
    ];
    let recording = Recording::new()
        .stream(2, 0, "dev")
        .stream(3, EVENT, "")
        .chunk(3, &events);
    let report = judged(&recording.clone().mapped(std::slice::from_ref(&trigger)));
    assert_eq!(found(&report), ["CA3-10.10-02"], "stream 9");
    let mapping = only(&report);
    assert_eq!(mapping.verification, Verification::Verified);
    assert_eq!(mapping.plot.as_ref().unwrap().total, 2);
    let third = ClockDomain {
        bias_low_ns: 6_001,
        bias_high_ns: 6_001,
        ..trigger
    };
    let report = judged(&recording.mapped(&[third]));
    assert_eq!(found(&report).len(), 3);
    assert_eq!(differing(only(&report)), ["bias_low_ns", "bias_high_ns"]);
}

#[test]
fn many_observations_are_thinned_and_intervals_carried_to_the_reference() {
    let many: Vec<Vec<u8>> = (0..5_000).map(|at| probe(at, at + 1040, None)).collect();
    let peer = ClockDomain {
        domain: "peer".to_owned(),
        kind: 1,
        observation_count: 5_000,
        ..one_way()
    };
    let device = ClockDomain {
        observation_count: 5_000,
        ..one_way()
    };
    let interval = |stream_ref, reason: &str| DegradedInterval {
        stream_ref,
        from_ns: 10,
        to_ns: 20,
        reason: reason.to_owned(),
    };
    let recording = observed(&many)
        .stream_of(Stream {
            stream_ref: 6,
            host_id: "peer".to_owned(),
            ..Stream::default()
        })
        .mapped_degraded(&[peer, device], &[interval(6, "a"), interval(2, "b")]);
    let report = judged(&recording);
    let reference = (HOST.to_owned(), String::new());
    assert_eq!(clocks(&report).reference, reference);
    let mappings = &clocks(&report).mappings;
    for mapping in mappings {
        assert_eq!(mapping.verification, Verification::Verified);
        let plot = mapping.plot.as_ref().unwrap();
        assert_eq!((plot.total, plot.observations.len()), (5_000, 2_000));
        assert_eq!(plot.observations.last().unwrap().source_ns, 4_999);
        assert_eq!((plot.bias_low_ns, plot.bias_high_ns), (None, Some(0)));
    }
    let spans = |place: usize| {
        let spans = &mappings[place].plot.as_ref().unwrap().degraded;
        let span = |it: &ca3_reports::clocks::Span| (it.stream_ref, it.from_ns, it.to_ns);
        spans.iter().map(span).collect::<Vec<_>>()
    };
    assert_eq!(spans(0), [(6, 1050, 1060)]);
    // On the clock of the stream's host, which is the reference.
    assert_eq!(spans(1), [(2, 10, 20)]);
    // Of very many mappings, a picture has fewer points each.
    let domains: Vec<ClockDomain> = (0..1_000)
        .map(|place| ClockDomain {
            domain: format!("dev{place}"),
            observation_count: 5_000,
            ..one_way()
        })
        .collect();
    let report = judged(&observed(&many).mapped(&domains));
    let plots = clocks(&report)
        .mappings
        .iter()
        .filter_map(|it| it.plot.as_ref());
    let points: usize = plots.map(|plot| plot.observations.len()).sum();
    assert_eq!(points, 100_000);
}

#[test]
fn a_file_without_a_clock_block_has_no_mappings() {
    assert_eq!(judged(&observed(&round_trips())).clocks, None);
}
