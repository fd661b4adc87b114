//! Stored mappings beside what one set of observations implies.

use super::*;
use crate::l3::estimator::{Observations, fit};
use crate::l3::messages::ClockObservation;

/// Two probes of one constant delay.
fn observations() -> [ClockObservation; 2] {
    let probe = |source_ns: u64| ClockObservation {
        source_ns,
        receipt_ns: source_ns + 5_000,
        sent_ns: None,
    };
    [probe(1_000), probe(9_000)]
}

/// A mapping against the line that these probes imply.
fn judge(domain: &ClockDomain, method: Method, probes: &[ClockObservation]) -> Verdict {
    against(domain, &fit(method, &Observations::Probes(probes)))
}

/// The mapping that they imply.
fn right() -> ClockDomain {
    ClockDomain {
        method: 1,
        quality: 2,
        offset_ns: 5_000,
        reference_source_ns: 1_000,
        bias_low_ns: ClockDomain::BIAS_UNBOUNDED,
        skew_uncertainty_ppb: ClockDomain::SKEW_NOT_ESTIMATED,
        observation_count: 2,
        observations_stream: 3,
        estimator_version: 1,
        ..ClockDomain::default()
    }
}

/// The fields that differ.
fn differing(domain: &ClockDomain) -> Vec<&'static str> {
    match judge(domain, Method::OneWayMinFilter, &observations()) {
        Verdict::Verified => Vec::new(),
        Verdict::Inconsistent(differences, None) => differences
            .iter()
            .map(|difference| difference.field)
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_computed_field_is_compared_and_quality_is_not() {
    assert!(differing(&right()).is_empty());
    assert!(
        differing(&ClockDomain {
            quality: 1,
            ..right()
        })
        .is_empty()
    );
    let wrong = |spoil: &dyn Fn(&mut ClockDomain)| {
        let mut domain = right();
        spoil(&mut domain);
        differing(&domain)
    };
    assert_eq!(wrong(&|d| d.offset_ns += 1), ["offset_ns"]);
    assert_eq!(wrong(&|d| d.skew_ppb = 1), ["skew_ppb"]);
    assert_eq!(
        wrong(&|d| d.reference_source_ns = 0),
        ["reference_source_ns"]
    );
    assert_eq!(wrong(&|d| d.residual_spread_ns = 1), ["residual_spread_ns"]);
    assert_eq!(wrong(&|d| d.min_rtt_present = 1), ["min_rtt_ns"]);
    assert_eq!(wrong(&|d| d.bias_low_ns = 0), ["bias_low_ns"]);
    assert_eq!(wrong(&|d| d.bias_high_ns = 1), ["bias_high_ns"]);
    assert_eq!(
        wrong(&|d| d.skew_uncertainty_ppb = 0),
        ["skew_uncertainty_ppb"]
    );
    assert_eq!(wrong(&|d| d.observation_count = 3), ["observation_count"]);
}

#[test]
fn what_differs_is_told_in_words() {
    let domain = ClockDomain {
        bias_low_ns: 7,
        offset_ns: -1,
        ..right()
    };
    let verdict = judge(&domain, Method::OneWayMinFilter, &observations());
    assert_eq!(
        verdict.to_string(),
        "offset_ns is -1 where its observations imply 5000, \
         bias_low_ns is 7 where its observations imply unbounded"
    );
}

#[test]
fn without_an_observation_only_quality_zero_is_consistent() {
    let judged = |quality| {
        let domain = ClockDomain { quality, ..right() };
        judge(&domain, Method::OneWayMinFilter, &[]).word()
    };
    assert_eq!(judged(0), Verification::Verified);
    assert_eq!(judged(1), Verification::Inconsistent);
}

#[test]
fn what_cannot_be_recomputed_is_not_judged() {
    let told = |spoil: &dyn Fn(&mut ClockDomain)| {
        let mut domain = right();
        spoil(&mut domain);
        recomputable(&domain)
    };
    assert_eq!(told(&|_| {}), Ok(Method::OneWayMinFilter));
    let none = Err(Unverified::NoStream);
    assert_eq!(told(&|d| d.observations_stream = 0), none);
    let version = Err(Unverified::Version(2));
    assert_eq!(told(&|d| d.estimator_version = 2), version);
    assert_eq!(told(&|d| d.method = 9), Err(Unverified::Method(9)));
    let verdict = judge(&right(), Method::Trigger, &observations());
    assert_eq!(verdict.word(), Verification::Unverified);
    let verdict = judge(&right(), Method::RoundTrip, &observations());
    assert_eq!(
        verdict,
        Verdict::Inconsistent(Vec::new(), Some(NoFit::NotSent))
    );
}
