"""Item 17: the total uncertainty, or that there is none."""
from __future__ import annotations

import math

import ca3_time
from ca3_clock import BILLION, NOT_ESTIMATED, UNBOUNDED
from level3 import LARGEST, on_samples, totals
from registry import around, faults_of

fault = faults_of(17)


# ------------------------------------------------------------------ one term for all (§10.12)


def mapped_bounds(change) -> None:
    """Lets `change(domain, low, high)` give both sides of a mapped time's total."""
    def make(uncertainty):
        def changed(clock, stamp, of_delay):
            found = uncertainty(clock, stamp, of_delay)
            if clock.domain is None:
                return found
            low, high = change(clock.domain, found["low"], found["high"])
            return {"low": low, "high": high}
        return changed

    around(ca3_time, "uncertainty", make)


@fault("Offers the residual spread as the total.", "10.12-03", "10.12-02", "10.12-04")
def residual_is_the_total(ca3):
    mapped_bounds(lambda domain, low, high: (domain["residual_spread_ns"],) * 2)


@fault("Offers the residual spread where a side is unbounded.", "10.12-03", "10.12-04")
def residual_where_unbounded(ca3):
    mapped_bounds(lambda domain, low, high: [
        domain["residual_spread_ns"] if side == UNBOUNDED else side for side in (low, high)])


@fault("Leaves the bias out.", "10.12-02", "10.12-03", "10.12-04")
def bias_left_out(ca3):
    ca3_time.low_terms = ca3_time.high_terms = lambda domain, stamp: (
        ca3_time.line_terms(domain, stamp) if domain else [])


@fault("Offers the bias alone.", "10.12-02")
def bias_is_the_total(ca3):
    mapped_bounds(lambda domain, low, high: (
        ca3_time.bias(domain, "bias_low_ns"), ca3_time.bias(domain, "bias_high_ns")))


@fault("Offers the greatest term as the total.", "10.12-02")
def greatest_term_is_the_total(ca3):
    totals(lambda terms: max(terms, default=0))


@fault("Takes the root of the squares for the sum.", "10.12-02")
def root_of_squares(ca3):
    totals(lambda terms: math.isqrt(sum(term * term for term in terms)))


# ------------------------------------------------------------------ a term wrong (§10.2)


@fault("Leaves the residual spread out.", "10.12-02")
def residual_left_out(ca3):
    ca3_time.line_terms = lambda domain, stamp: [ca3_time.skew_term(domain, stamp)]


@fault("Counts the residual spread above alone.", "10.12-02")
def residual_above_only(ca3):
    ca3_time.low_terms = lambda domain, stamp: (
        [ca3_time.bias(domain, "bias_low_ns"), ca3_time.skew_term(domain, stamp)]
        if domain else [])


@fault("Leaves the slope's uncertainty out.", "10.12-02")
def skew_term_left_out(ca3):
    ca3_time.skew_term = lambda domain, stamp: 0


@fault("Lets the slope's share turn negative ahead of the line's origin.", "10.12-02")
def skew_term_signed(ca3):
    def skew_term(domain, stamp):
        stated = ca3_time.skew_uncertainty(domain["skew_uncertainty_ppb"])
        elapsed = ca3_time.elapsed_of(domain, stamp)
        return 0 if stated == NOT_ESTIMATED else ca3_time.share(elapsed, stated)

    ca3_time.skew_term = skew_term


@fault("Counts no share of the slope's uncertainty ahead of the line's origin.", "10.12-02")
def skew_term_behind_only(ca3):
    around(ca3_time, "elapsed_of", lambda elapsed: lambda domain, stamp: max(
        0, elapsed(domain, stamp)))


@fault("Adds the slope's parts per billion as nanoseconds.", "10.12-02")
def skew_term_not_scaled(ca3):
    ca3_time.share = lambda elapsed, ppb: ppb


@fault("Does not divide the slope's share by 10^9.", "10.12-02")
def skew_term_not_divided(ca3):
    ca3_time.share = lambda elapsed, ppb: elapsed * ppb


@fault("Divides the slope's share by 10^6, as if it were parts per million.", "10.12-02")
def skew_term_in_millionths(ca3):
    ca3_time.share = lambda elapsed, ppb: -(-elapsed * ppb // 10**6)


@fault("Rounds the slope's share down.", "10.12-02")
def skew_term_rounded_down(ca3):
    ca3_time.share = lambda elapsed, ppb: elapsed * ppb // BILLION


@fault("Counts the slope's share from zero.", "10.12-02")
def skew_term_from_zero(ca3):
    ca3_time.elapsed_of = lambda domain, stamp: stamp


@fault("Counts the slope itself as its uncertainty.", "10.12-02")
def skew_for_its_uncertainty(ca3):
    ca3_time.skew_term = lambda domain, stamp: ca3_time.share(
        abs(ca3_time.elapsed_of(domain, stamp)), abs(domain["skew_ppb"]))


@fault("Takes the sentinel of a slope that was not estimated for parts per billion.",
       "10.12-02", "10.4-07")
def skew_sentinel_is_a_number(ca3):
    around(ca3_time, "skew_uncertainty", lambda read: lambda stored: (
        LARGEST if read(stored) == NOT_ESTIMATED else stored))


@fault("Leaves the delay's uncertainty out.", "10.12-02")
def delay_uncertainty_left_out(ca3):
    ca3_time.delay_term = lambda delay, is_target: 0


@fault("Adds the delay's uncertainty where no delay was taken off.", "10.12-02")
def delay_uncertainty_always_added(ca3):
    ca3_time.delay_term = lambda delay, is_target: delay.uncertainty_ns if delay else 0


@fault("Adds the delay in the place of its uncertainty.", "10.12-02")
def delay_for_its_uncertainty(ca3):
    ca3_time.delay_term = lambda delay, is_target: abs(delay.delay_ns) if is_target else 0


@fault("Keeps an exact time exact although a delay was taken off.", "10.12-02")
def exact_stays_certain(ca3):
    around(ca3_time, "uncertainty", lambda uncertainty: lambda clock, stamp, of_delay: uncertainty(
        clock, stamp, 0 if clock.basis == "exact" else of_delay))


# ------------------------------------------------------------------ unbounded (§10.5, §10.12)


@fault("Drops an unbounded term from the sum.", "10.12-04")
def unbounded_term_dropped(ca3):
    ca3_time.total = lambda terms: sum(term for term in terms if term != UNBOUNDED)


@fault("Adds the sentinel of an unbounded side as a number.", "10.12-04", "10.4-07")
def unbounded_term_added(ca3):
    ca3_time.total = lambda terms: sum(LARGEST if term == UNBOUNDED else term for term in terms)


@fault("Lets a sum with an unbounded term wrap in 64 bits.", "10.12-04", "10.4-07")
def unbounded_term_wraps(ca3):
    ca3_time.total = lambda terms: sum(
        LARGEST if term == UNBOUNDED else term for term in terms) % 2**64


@fault("Gives an unbounded side the bound of the other.", "10.12-04", "10.5-06")
def unbounded_side_mirrored(ca3):
    mapped_bounds(lambda domain, low, high: (
        high if low == UNBOUNDED else low, low if high == UNBOUNDED else high))


@fault("Exchanges the sides of a total.", "10.12-04", "10.5-06")
def total_sides_exchanged(ca3):
    mapped_bounds(lambda domain, low, high: (high, low))


@fault("Lets a sum past 64 bits wrap.", "10.12-02")
def total_wraps(ca3):
    totals(lambda terms: sum(terms) % 2**64)


@fault("Clamps a sum past 64 bits.", "10.12-02")
def total_clamped(ca3):
    totals(lambda terms: min(sum(terms), LARGEST))


# ------------------------------------------------------------------ where nothing can be said


@fault("Gives a stamp that is on no known clock an uncertainty of 0.", "10.12-02")
def unmapped_is_certain(ca3):
    def change(message, clock, sample):
        for place in (sample, sample["source"]):
            if place and place["uncertainty"] == "cannot":
                place["uncertainty"] = {"low": 0, "high": 0}

    on_samples(change)


@fault("Gives the source's time the total of the stamp's.", "10.12-02", "10.12-04")
def one_total_for_both(ca3):
    def change(message, clock, sample):
        if sample["source"]:
            sample["source"]["uncertainty"] = sample["uncertainty"]

    on_samples(change)
