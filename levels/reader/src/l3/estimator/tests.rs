//! Fits worked out by hand.

use super::*;

fn probe(source_ns: u64, receipt_ns: u64) -> ClockObservation {
    ClockObservation {
        source_ns,
        receipt_ns,
        sent_ns: None,
    }
}

fn probes(pairs: &[(u64, u64)]) -> Vec<ClockObservation> {
    pairs
        .iter()
        .map(|(source, receipt)| probe(*source, *receipt))
        .collect()
}

/// The line of probes.
fn fitted(method: Method, probes: &[ClockObservation]) -> Result<Fit, NoFit> {
    fit(method, &Observations::Probes(probes))
}

fn round(source_ns: u64, sent_ns: u64, receipt_ns: u64) -> ClockObservation {
    ClockObservation {
        sent_ns: Some(sent_ns),
        ..probe(source_ns, receipt_ns)
    }
}

#[test]
fn the_first_receipt_alone_gives_the_offset() {
    // Deltas 1000, 990, 1030; residuals 0, 10, 30: rank ceil(2.85) = 3.
    let fit = fitted(
        Method::ReceiptOnly,
        &probes(&[(100, 1_100), (200, 1_190), (300, 1_330)]),
    );
    let expected = Fit {
        offset_ns: 1_000,
        skew_ppb: 0,
        reference_source_ns: 100,
        residual_spread_ns: 30,
        min_rtt_ns: None,
        bias_low_ns: None,
        bias_high_ns: 0,
        skew_uncertainty_ppb: None,
        observation_count: 3,
    };
    assert_eq!(fit, Ok(expected));
}

#[test]
fn one_way_takes_the_least_delay_of_each_half() {
    // Sources 1000 to 2001: the span is 1001, its middle 1500. First half: deltas 500
    // and 490, the least at 1200. Second half: deltas 485, 480, 480, the earlier of
    // the equal ones at 1801.
    let observations = probes(&[
        (1_000, 1_500),
        (1_200, 1_690),
        (1_501, 1_986),
        (1_801, 2_281),
        (2_001, 2_481),
    ]);
    let fit = fitted(Method::OneWayMinFilter, &observations).unwrap();
    // (480 - 490) * 10^9 / (1801 - 1200) = -10^10 / 601 = -16638935.1..., toward zero.
    assert_eq!(fit.skew_ppb, -16_638_935);
    // 200 * -16638935 / 10^9 = -3.3..., toward zero -3: 490 + 3.
    assert_eq!(fit.offset_ns, 493);
    assert_eq!(fit.reference_source_ns, 1_000);
    // Drifts 0, -3, -8 (501 * -0.0166), -13 (801 *), -16 (1001 *): residuals
    // 7, 0, 0, 0, 3.
    assert_eq!(fit.residual_spread_ns, 7);
    assert_eq!(fit.bias_low_ns, None);
    assert_eq!(fit.skew_uncertainty_ppb, None);
}

#[test]
fn the_middle_belongs_to_the_first_half() {
    // Middle 150: the observation on it has the least delta of all and is no `b`.
    let observations = probes(&[(100, 110), (150, 151), (200, 208)]);
    let fit = fitted(Method::OneWayMinFilter, &observations).unwrap();
    // a = (150, 1), b = (200, 8).
    assert_eq!(fit.skew_ppb, 7 * 1_000_000_000 / 50);
}

#[test]
fn without_a_second_half_there_is_no_slope() {
    let fit = fitted(Method::OneWayMinFilter, &probes(&[(100, 110), (100, 105)])).unwrap();
    assert_eq!((fit.offset_ns, fit.skew_ppb), (5, 0));
    assert_eq!(fit.residual_spread_ns, 5);
}

#[test]
fn a_round_trip_halves_toward_zero_and_bounds_itself() {
    // rtt 401 and 301; deltas 5000 + 200 - 100 and 1_005_050 + 150 - 1_000_100.
    let observations = [
        round(100, 5_000, 5_401),
        round(1_000_100, 1_005_050, 1_005_351),
    ];
    let fit = fitted(Method::RoundTrip, &observations).unwrap();
    assert_eq!(fit.offset_ns, 5_100);
    // Delta 5100 at both: no slope; its doubt (200 + 150) * 10^9 / 10^6.
    assert_eq!(fit.skew_ppb, 0);
    assert_eq!(fit.skew_uncertainty_ppb, Some(350_000));
    assert_eq!(fit.min_rtt_ns, Some(301));
    assert_eq!((fit.bias_low_ns, fit.bias_high_ns), (Some(150), 150));
}

#[test]
fn a_trigger_is_bounded_by_its_first_event() {
    let seen = |source_ns, reference_ns, uncertainty_ns| Sighting {
        source_ns,
        reference_ns,
        uncertainty_ns,
    };
    let events = Observations::Events(vec![seen(500, 400, 33_001), seen(900, 803, 7)]);
    let fit = fit(Method::Trigger, &events).unwrap();
    assert_eq!((fit.offset_ns, fit.skew_ppb), (-100, 0));
    assert_eq!(fit.residual_spread_ns, 3);
    assert_eq!(fit.min_rtt_ns, Some(0));
    assert_eq!((fit.bias_low_ns, fit.bias_high_ns), (Some(33_001), 33_001));
    assert_eq!(fit.observation_count, 2);
}

#[test]
fn the_spread_is_the_nearest_rank() {
    // Residuals 0, 1, ... n-1 about the first delta: rank ceil(0.95 n), from 1.
    for (n, spread) in [(1, 0), (2, 1), (19, 18), (20, 18), (21, 19), (100, 94)] {
        let pairs: Vec<(u64, u64)> = (0..n).map(|i| (i, 1_000 + 2 * i)).collect();
        let fit = fitted(Method::ReceiptOnly, &probes(&pairs)).unwrap();
        assert_eq!(fit.residual_spread_ns, spread, "{n}");
    }
}

#[test]
fn what_implies_no_line_is_told() {
    assert_eq!(fitted(Method::ReceiptOnly, &[]), Err(NoFit::Empty));
    let one_way = probes(&[(1, 2)]);
    assert_eq!(fitted(Method::RoundTrip, &one_way), Err(NoFit::NotSent));
    assert_eq!(fitted(Method::Trigger, &one_way), Err(NoFit::OtherKind));
    // Two nanoseconds apart, and the deltas by all that 64 bits hold.
    let steep = probes(&[(0, u64::MAX), (2, 0)]);
    let found = fitted(Method::OneWayMinFilter, &steep);
    assert!(matches!(found, Err(NoFit::Steep(skew)) if skew < i128::from(i64::MIN)));
}

#[test]
fn the_ends_of_the_range_overflow_nothing() {
    let wide = probes(&[(0, u64::MAX), (u64::MAX, 0), (u64::MAX / 2, 7)]);
    for method in [Method::ReceiptOnly, Method::OneWayMinFilter] {
        assert!(fitted(method, &wide).is_ok());
    }
}
