"""Item 23: a one-way bound keeps its two sides, and the fields that it stands among."""
from __future__ import annotations

import ca3_clock
import ca3_time
from ca3_clock import NOT_ESTIMATED, UNBOUNDED
from ca3_estimator import ONE_WAY_MIN_FILTER, RECEIPT_ONLY
from level3 import LARGEST, domain_fields, on_bounds, on_one_way_bounds, on_told, word_becomes
from registry import faults_of

fault = faults_of(23)

BOUNDS = "bias_low_ns", "bias_high_ns"


# ------------------------------------------------------------------ made symmetric (§10.5)


@fault("Gives a one-way bound as half of its width on either side.", "10.5-06", "10.5-01",
       "10.5-02")
def one_way_bound_halved(ca3):
    on_one_way_bounds(lambda low, high: ((LARGEST + high) // 2,) * 2)


@fault("Gives a one-way bound as unbounded on both sides.", "10.5-06", "10.5-01", "10.5-02")
def one_way_unbounded_twice(ca3):
    on_one_way_bounds(lambda low, high: (UNBOUNDED, UNBOUNDED))


@fault("Gives a one-way bound as 0 on both sides.", "10.5-06", "10.5-01", "10.5-02")
def one_way_certain_twice(ca3):
    on_one_way_bounds(lambda low, high: (0, 0))


@fault("Gives the residual spread for a one-way bound, on either side.", "10.5-06", "10.5-01",
       "10.5-02")
def one_way_bound_is_the_spread(ca3):
    on_bounds(lambda domain, low, high: (
        (domain["residual_spread_ns"],) * 2 if UNBOUNDED in (low, high) else (low, high)))


@fault("Gives a one-way bound as symmetric in times alone.", "10.5-06", "10.12-02")
def one_way_symmetric_in_times(ca3):
    ca3_time.high_terms = ca3_time.low_terms


@fault("Leaves out a side that is unbounded.", "10.5-06", "10.5-01", "10.5-02")
def unbounded_side_left_out(ca3):
    word_becomes(UNBOUNDED, None, *BOUNDS)


@fault("Exchanges the bounds below and above.", "10.5-06", "10.5-01", "10.5-02")
def bounds_exchanged(ca3):
    on_bounds(lambda domain, low, high: (high, low))


@fault("Gives receipt_only no bound above.", "10.5-01")
def receipt_only_unbounded_above(ca3):
    on_one_way_bounds(lambda low, high: (low, UNBOUNDED), methods=(RECEIPT_ONLY,))


@fault("Takes receipt_only for exact.", "10.5-01")
def receipt_only_is_certain(ca3):
    on_one_way_bounds(lambda low, high: (0, high), methods=(RECEIPT_ONLY,))


@fault("Gives one_way_min_filter no bound above.", "10.5-02")
def min_filter_unbounded_above(ca3):
    on_one_way_bounds(lambda low, high: (low, UNBOUNDED), methods=(ONE_WAY_MIN_FILTER,))


@fault("Takes the least of many receipts for exact.", "10.5-02")
def min_filter_is_certain(ca3):
    on_one_way_bounds(lambda low, high: (0, high), methods=(ONE_WAY_MIN_FILTER,))


# ------------------------------------------------------------------ sentinels (§10.4)


@fault("Gives an unbounded bias as the number that is stored.", "10.4-07", "10.5-01", "10.5-02")
def unbounded_is_a_number(ca3):
    word_becomes(UNBOUNDED, LARGEST, *BOUNDS)


@fault("Gives an unbounded bias as -1.", "10.4-07", "10.5-01", "10.5-02")
def unbounded_is_minus_one(ca3):
    word_becomes(UNBOUNDED, -1, *BOUNDS)


@fault("Gives an unbounded bias as 0.", "10.4-07", "10.5-01", "10.5-02", "10.5-06")
def unbounded_is_zero(ca3):
    word_becomes(UNBOUNDED, 0, *BOUNDS)


@fault("Gives an unbounded bias as the largest signed number.", "10.4-07", "10.5-01", "10.5-02")
def unbounded_is_the_largest_signed(ca3):
    word_becomes(UNBOUNDED, 2**63 - 1, *BOUNDS)


@fault("Gives a skew uncertainty that was not estimated as the number that is stored.", "10.4-07")
def not_estimated_is_a_number(ca3):
    word_becomes(NOT_ESTIMATED, LARGEST, "skew_uncertainty_ppb")


@fault("Gives a skew uncertainty that was not estimated as -1.", "10.4-07")
def not_estimated_is_minus_one(ca3):
    word_becomes(NOT_ESTIMATED, -1, "skew_uncertainty_ppb")


@fault("Gives a skew uncertainty that was not estimated as 0.", "10.4-07")
def not_estimated_is_zero(ca3):
    word_becomes(NOT_ESTIMATED, 0, "skew_uncertainty_ppb")


@fault("Gives a skew uncertainty that was not estimated as null.", "10.4-07")
def not_estimated_is_null(ca3):
    word_becomes(NOT_ESTIMATED, None, "skew_uncertainty_ppb")


@fault("Takes one word for both sentinels.", "10.4-07")
def one_word_for_both_sentinels(ca3):
    word_becomes(NOT_ESTIMATED, UNBOUNDED, "skew_uncertainty_ppb")


@fault("Takes every bound past 2^63 for unbounded.", "10.4-07")
def large_bounds_are_unbounded(ca3):
    def change(stored, told):
        for field in BOUNDS:
            if stored[field] >= 2**63:
                told[field] = UNBOUNDED

    on_told(change)


@fault("Takes a bound of 0 for unbounded.", "10.4-07", "10.5-01", "10.5-02")
def zero_is_unbounded(ca3):
    on_bounds(lambda domain, low, high: (low or UNBOUNDED, high or UNBOUNDED))


# ------------------------------------------------------------------ the order of fields (§10.4)


@fault("Reads min_rtt_ns ahead of its presence byte.", "10.4-03", "10.4-04")
def rtt_ahead_of_its_presence(ca3):
    ca3_clock.DOMAIN_FIELDS = domain_fields("min_rtt_present:u8 min_rtt_ns:u64",
                                            "min_rtt_ns:u64 min_rtt_present:u8")


@fault("Reads min_rtt_ns only where its presence byte is set.", "10.4-03", "10.4-05")
def rtt_read_where_present(ca3):
    before, after = ca3_clock.DOMAIN_FIELDS.split("min_rtt_present:u8 min_rtt_ns:u64")
    fields = ca3.Cursor.fields

    def changed(cursor, layout):
        if layout != ca3_clock.DOMAIN_FIELDS:
            return fields(cursor, layout)
        first = fields(cursor, before)
        present = cursor.u8()
        rtt = cursor.u64() if present else 0
        return {**first, "min_rtt_present": present, "min_rtt_ns": rtt, **fields(cursor, after)}

    ca3.Cursor.fields = changed


@fault("Reads the presence of min_rtt_ns as u32.", "10.4-03", "10.4-04")
def presence_is_wide(ca3):
    ca3_clock.DOMAIN_FIELDS = domain_fields("min_rtt_present:u8", "min_rtt_present:u32")


@fault("Reads bias_high_ns ahead of bias_low_ns.", "10.4-04", "10.5-01", "10.5-02", "10.5-06")
def bias_high_read_first(ca3):
    ca3_clock.DOMAIN_FIELDS = domain_fields("bias_low_ns:u64 bias_high_ns:u64",
                                            "bias_high_ns:u64 bias_low_ns:u64")


@fault("Reads observation_count as u32.", "10.4-04")
def count_is_narrow(ca3):
    ca3_clock.DOMAIN_FIELDS = domain_fields("observation_count:u64", "observation_count:u32")


@fault("Reads observation_count ahead of the skew's uncertainty.", "10.4-04")
def count_ahead_of_the_skews_uncertainty(ca3):
    ca3_clock.DOMAIN_FIELDS = domain_fields(
        "skew_uncertainty_ppb:u64 observation_count:u64",
        "observation_count:u64 skew_uncertainty_ppb:u64")


@fault("Reads estimator_version ahead of observations_stream.", "10.4-04")
def version_ahead_of_the_stream(ca3):
    ca3_clock.DOMAIN_FIELDS = domain_fields("observations_stream:u32 estimator_version:u32",
                                            "estimator_version:u32 observations_stream:u32")


@fault("Reads estimator_version as u16.", "10.4-04")
def version_is_narrow(ca3):
    ca3.Cursor.u16 = lambda cursor: int.from_bytes(cursor.take(2), "little")
    ca3_clock.DOMAIN_FIELDS = domain_fields("estimator_version:u32", "estimator_version:u16")


@fault("Gives the low 32 bits of observation_count.", "10.4-04", "10.4-02")
def count_cut_to_32_bits(ca3):
    on_told(lambda stored, told: told.update(observation_count=told["observation_count"] % 2**32))
