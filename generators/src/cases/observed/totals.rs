//! Item 17: what a delay adds to how badly a time is known (§10.2, reading G19).
//!
//! The files are those of `delays.rs`.

use ca3_wire::records::ClockDomain;
use serde_json::{Value, json};

use super::super::Page;
use super::delays::{calibrated, delayed, drawn};
use super::{block_of, camera_line, line, peer, receipt_only, signed};
use crate::Ask;
use crate::plan::{Chunk, Decoded, Delay, Sample};
use crate::timing::{UNBOUNDED, figures, total};
use crate::verifying::{applied, host_sample};
use crate::{Draft, Values};

const RULE: &str = "CA3-10.12-02";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        off_an_exact_time(page),
        off_a_source_time(page),
        off_a_one_way_time(page),
    ]
}

/// A delay known to less than any delay that is drawn.
fn known_to(v: &Values, delay: Delay) -> Delay {
    Delay {
        uncertainty_ns: v.u64("uncertainty_ns", 250_000, 100_000..=900_000),
        ..delay
    }
}

/// With this total in the object at `place`.
fn with_total(mut sample: Value, place: &str, total: Value) -> Value {
    if let Some(Value::Object(members)) = sample.pointer_mut(place) {
        members.insert("uncertainty".to_owned(), total);
    }
    sample
}

fn off_an_exact_time(page: &Page) -> Draft {
    let v = page.values("delay-off-an-exact-time");
    let d = drawn(&v);
    let by = signed(d.delay);
    let delay = known_to(&v, calibrated(1, 1, by));
    let known = delay.uncertainty_ns;
    let sample = host_sample(d.stamp, "exact", d.stamp - d.delay, &applied(by, true));
    Draft::new(
        "delay-off-an-exact-time",
        &[RULE],
        "no mapping was applied, and a delay was: the time is as unsure as the delay, both ways",
    )
    .readings(&[
        "G01", "G06", "G18", "G19", "G62", "G63", "G122", "G124", "G135",
    ])
    .valid_asked(
        delayed(&v, &[], &[delay]).chunk(Chunk::plain(1, &[(d.stamp, b"one")])),
        vec![Ask::times(
            1,
            &[with_total(sample, "", figures(known, known))],
        )],
    )
    .wrong_answer("low and high are 0, as the basis is exact, or the delay itself")
}

/// Beside a sample with the camera's stamp one without: nothing is taken off it.
fn off_a_source_time(page: &Page) -> Draft {
    let v = page.values("delay-off-a-source-time");
    let d = drawn(&v);
    let by = signed(d.delay);
    let delay = known_to(&v, calibrated(1, 2, by));
    let (half, residual) = (
        v.u64("half_ns", 200, 100..=9_000),
        v.u64("residual_spread_ns", 10, 1..=99),
    );
    let fitted = ClockDomain {
        method: 2,
        residual_spread_ns: residual,
        min_rtt_present: 1,
        min_rtt_ns: 2 * half,
        bias_low_ns: half,
        bias_high_ns: half,
        ..camera_line(signed(d.offset))
    };
    let sum = half + residual + delay.uncertainty_ns;
    let later = d.stamp + 33_000_000;
    let chunk = Chunk::of(
        2,
        &[
            Sample::new(Decoded::at(d.stamp).source(d.source), b"frame"),
            Sample::new(Decoded::at(later), b"late"),
        ],
    );
    let corrected = with_total(d.sample(by, true), "/source", figures(sum, sum));
    let corrected = with_total(corrected, "", figures(0, 0));
    let bare = host_sample(later, "exact", later, &applied(by, false));
    Draft::new(
        "delay-off-a-source-time",
        &[RULE],
        "the delay's uncertainty stands on the time that it was taken off, and on no other",
    )
    .readings(&[
        "G01", "G06", "G18", "G19", "G62", "G63", "G83", "G121", "G122",
    ])
    .valid_asked(
        delayed(&v, &[], &[delay])
            .chunk(chunk)
            .clock_block(&block_of(&[fitted])),
        vec![Ask::times(
            2,
            &[corrected, with_total(bare, "", figures(0, 0))],
        )],
    )
    .wrong_answer("it is left out of the source time's total, or added to an exact time's as well")
}

fn off_a_one_way_time(page: &Page) -> Draft {
    let v = page.values("delay-off-a-one-way-time");
    let d = drawn(&v);
    let by = signed(d.delay);
    let delay = known_to(&v, calibrated(1, 4, by));
    let residual = v.u64("residual_spread_ns", 30, 1..=999);
    let of_peer = ClockDomain {
        observations_stream: 0,
        ..receipt_only(line(signed(d.offset), 0, 0, [residual, 0]))
    };
    let high = json!((residual + delay.uncertainty_ns).to_string());
    let sample = host_sample(d.source, "ok", d.mapped() - d.delay, &applied(by, true));
    Draft::new(
        "delay-off-a-one-way-time",
        &[RULE],
        "a delay that is well known gives a one-way mapping no lower bound, and adds to the upper",
    )
    .readings(&[
        "G01", "G02", "G06", "G18", "G19", "G62", "G63", "G122", "G124", "G135",
    ])
    .valid_asked(
        delayed(&v, &[peer(4)], &[delay])
            .chunk(Chunk::plain(4, &[(d.source, b"one")]))
            .clock_block(&block_of(&[of_peer])),
        vec![Ask::times(
            4,
            &[with_total(sample, "", total(json!(UNBOUNDED), high))],
        )],
    )
    .wrong_answer("the delay's uncertainty is left out, or makes the lower side a number")
}
