"""Item 18: every mapping is recomputed, and one that disagrees is reported."""
from __future__ import annotations

import statistics

import ca3_estimator as estimator
import ca3_evidence
import ca3_messages
import ca3_time
from ca3_clock import BILLION, nearest, toward_zero
from ca3_estimator import ONE_WAY_MIN_FILTER, RECEIPT_ONLY, ROUND_TRIP, TRIGGER, Observation
from ca3_evidence import INCONSISTENT, UNVERIFIED, VERIFIED, Evidence, Sighting
from ca3_messages import CLOCK_OBSERVATION
from level3 import (compared_alone, estimate_with, lenient, not_compared, on_told,
                    unreported, verified_where)
from registry import around, faults_of, within

fault = faults_of(18)


# ------------------------------------------------------------------ what disagrees (§10.7)


@fault("Calls every mapping verified whose observations it read.", "10.7-02", "10.7-07",
       "10.7-05", "10.5-04", "10.5-09", "10.10-03", "10.10-04")
def whatever_was_read_is_verified(ca3):
    verified_where(lenient(VERIFIED))


@fault("Calls a mapping unverified that its observations contradict.", "10.7-02", "10.7-07")
def disagreement_is_unverified(ca3):
    verified_where(lenient(UNVERIFIED))


@fault("Puts the recomputed mapping in the place of the stored one, without a word.",
       "10.7-02", "10.7-07")
def mapping_mended(ca3):
    implied = {}

    def kept(estimate):
        def changed(*arguments):
            implied.clear()
            implied.update(estimate(*arguments))
            return implied
        return changed

    def mended(domain_of):
        def changed(query, domain):
            implied.clear()
            return {**domain_of(query, domain), **implied}
        return changed

    around(estimator, "estimate", kept)
    around(ca3_time.TimeQuery, "domain", mended)
    verified_where(lenient(VERIFIED))


@fault("Compares offsets alone.", "10.7-07")
def offset_compared_alone(ca3):
    compared_alone("offset_ns")


@fault("Compares the line alone, not how well it is known.", "10.7-07")
def line_compared_alone(ca3):
    compared_alone("offset_ns", "skew_ppb", "reference_source_ns")


@fault("Does not compare offsets.", "10.7-02", "10.7-07")
def offset_not_compared(ca3):
    not_compared("offset_ns")


@fault("Does not compare skews.", "10.7-07")
def skew_not_compared(ca3):
    not_compared("skew_ppb")


@fault("Does not compare the origin of the line.", "10.7-07")
def origin_not_compared(ca3):
    not_compared("reference_source_ns")


@fault("Does not compare residual spreads.", "10.7-07")
def spread_not_compared(ca3):
    not_compared("residual_spread_ns")


@fault("Does not compare minimum round trips.", "10.7-07")
def min_rtt_not_compared(ca3):
    not_compared("min_rtt_ns")


@fault("Does not compare the bounds below.", "10.7-07")
def bias_low_not_compared(ca3):
    not_compared("bias_low_ns")


@fault("Does not compare the bounds above.", "10.7-07")
def bias_high_not_compared(ca3):
    not_compared("bias_high_ns")


@fault("Compares no bounds.", "10.7-07", "10.5-04", "10.10-03")
def bounds_not_compared(ca3):
    not_compared("bias_low_ns", "bias_high_ns")


@fault("Does not compare the uncertainty of the skew.", "10.7-07")
def skew_uncertainty_not_compared(ca3):
    not_compared("skew_uncertainty_ppb")


@fault("Does not compare how many observations there are.", "10.7-07")
def count_not_compared(ca3):
    not_compared("observation_count")


@fault("Takes an absent minimum round trip for 0 where it compares.", "10.7-07")
def absent_rtt_agrees_with_zero(ca3):
    around(ca3_evidence, "agrees", lambda agrees: lambda stored, implied: agrees(
        {**stored, "min_rtt_ns": stored["min_rtt_ns"] or 0},
        {**implied, "min_rtt_ns": implied["min_rtt_ns"] or 0}))


@fault("Lets numbers agree that are within a microsecond of one another.", "10.7-07")
def agreement_within_a_microsecond(ca3):
    def near(stored, implied):
        if isinstance(stored, int) and isinstance(implied, int):
            return abs(stored - implied) <= 1000
        return stored == implied

    ca3_evidence.agrees = lambda stored, implied: all(
        near(stored[field], implied[field]) for field in implied)


@fault("Judges by the quality as well: what was fitted well must be ok.", "10.7-07")
def quality_compared(ca3):
    verified_where(lambda evidence, domain, found: (
        INCONSISTENT if found == VERIFIED and domain["quality"] != 2 else found))


@fault("Recomputes mappings of quality 2 alone.", "10.7-07", "10.7-02")
def degraded_not_recomputed(ca3):
    verified_where(lambda evidence, domain, found: (
        found if domain["quality"] == 2 else UNVERIFIED))


@fault("Recomputes the first mapping of a block alone.", "10.7-02")
def first_mapping_recomputed_alone(ca3):
    verified_where(lambda evidence, domain, found: (
        found if domain is evidence.reader.clocks.domains[0] else UNVERIFIED))


# ------------------------------------------------------------------ what there is to recompute from


@fault("Calls a mapping verified that has no observations to its name.", "10.7-05")
def nothing_observed_is_verified(ca3):
    around(ca3_evidence, "verdict", lambda verdict: lambda domain, observations, anchor=0: (
        verdict(domain, observations, anchor) if observations else VERIFIED))


@fault("Calls a mapping unverified whose stream of observations is empty.", "10.7-05")
def nothing_observed_is_unverified(ca3):
    around(ca3_evidence, "verdict", lambda verdict: lambda domain, observations, anchor=0: (
        verdict(domain, observations, anchor) if observations else UNVERIFIED))


def any_stream(evidence, ref: int) -> bool:
    return ref in evidence.reader.streams


@fault("Takes whatever a stream holds for observations.", "10.7-05")
def any_schema_is_observations(ca3):
    around(Evidence, "carries", lambda carries: lambda evidence, ref, shape: (
        any_stream(evidence, ref) if shape is CLOCK_OBSERVATION else carries(evidence, ref, shape)))


@fault("Calls a mapping inconsistent whose stream is of another schema.", "10.7-05")
def other_schema_is_inconsistent(ca3):
    verified_where(lambda evidence, domain, found: (
        INCONSISTENT if found == UNVERIFIED and any_stream(evidence, domain["observations_stream"])
        and domain["estimator_version"] == estimator.VERSION else found))


@fault("Seeks observations, not events, in the stream that a trigger mapping names.",
       "10.7-05", "10.5-04", "10.5-09", "10.10-03", "10.10-04")
def triggers_from_observations(ca3):
    around(ca3_evidence, "shape_for", lambda shape_for: lambda method: CLOCK_OBSERVATION)


@fault("Reads the fixed64 fields of observations and events as varints.", "10.7-02", "10.5-04")
def fixed_fields_as_varints(ca3):
    ca3_messages.WIRE_TYPES = {**ca3_messages.WIRE_TYPES, "fixed64": ca3_messages.VARINT}


@fault("Takes observations in the order of their stamps.", "10.7-02", "10.7-07")
def observations_by_stamp(ca3):
    def make(read):
        def changed(evidence, shape, refs):
            messages_of = evidence.reader.messages_of
            evidence.reader.messages_of = lambda entry: sorted(
                messages_of(entry), key=lambda message: message["monotonic_timestamp_ns"])
            try:
                return read(evidence, shape, refs)
            finally:
                del evidence.reader.messages_of
        return changed

    around(Evidence, "read", make)
    observations_by_table(ca3)


@fault("Takes chunks of observations in the order of the index.", "10.7-02", "10.7-07")
def observations_in_table_order(ca3):
    observations_by_table(ca3)


def observations_by_table(ca3) -> None:
    ca3_evidence.in_file_order = lambda entries: entries


@fault("Takes observations in the order of their sources.", "10.7-02", "10.7-07")
def observations_by_source(ca3):
    around(estimator, "estimate", lambda estimate: lambda method, observations, anchor=0: estimate(
        method, observations if method == TRIGGER else sorted(
            observations, key=lambda o: o.source), anchor))


@fault("Reads the first chunk of observations alone.", "10.7-02", "10.7-07")
def first_chunk_observed_alone(ca3):
    around(ca3_evidence, "in_file_order", lambda order: lambda entries: order(entries)[:1])


# ------------------------------------------------------------------ the version (§10.8)


def any_version(says) -> None:
    """Recomputes whatever the version, and lets `says(version, word)` judge."""
    around(ca3_evidence, "is_recomputable", lambda is_recomputable: lambda domain: (
        is_recomputable({**domain, "estimator_version": estimator.VERSION})))
    verified_where(lambda evidence, domain, found: says(domain["estimator_version"], found))


@fault("Recomputes by version 1 whatever the version, and says nothing of it.",
       "10.8-02", "10.8-03")
def any_version_is_recomputed(ca3):
    any_version(lambda version, found: found)


@fault("Recomputes by version 1 what was fitted under an older version, in silence.", "10.8-03")
def older_version_recomputed(ca3):
    any_version(lambda version, found: found if version <= estimator.VERSION else UNVERIFIED)


@fault("Recomputes by version 1 what was fitted under a newer version.", "10.8-02")
def newer_version_recomputed(ca3):
    any_version(lambda version, found: found if version >= estimator.VERSION else UNVERIFIED)


@fault("Calls a mapping of another estimator version inconsistent.", "10.8-02", "10.8-03")
def other_version_is_inconsistent(ca3):
    verified_where(lambda evidence, domain, found: (
        found if domain["estimator_version"] == estimator.VERSION else INCONSISTENT))


@fault("Calls a mapping of another estimator version verified, unseen.", "10.8-02", "10.8-03")
def other_version_is_verified(ca3):
    verified_where(lambda evidence, domain, found: (
        found if domain["estimator_version"] == estimator.VERSION else VERIFIED))


@fault("Tells its own estimator version for the one that is stored.", "10.8-02", "10.8-03")
def version_is_its_own(ca3):
    on_told(lambda stored, told: told.update(estimator_version=estimator.VERSION))


# ------------------------------------------------------------------ divisions (reading G04)


def floor(numerator: int, denominator: int) -> int:
    return numerator // denominator


def ceiling(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


def dividing(step: str, divide) -> None:
    """Lets `divide` take the place of the truncating division in one step of the estimator."""
    within(estimator, step, estimator, "toward_zero", divide)
    within(estimator, step, estimator, "drift", lambda elapsed, skew: divide(
        elapsed * skew, BILLION))
    within(estimator, step, estimator, "half", lambda value: divide(value, 2))


@fault("Floors every division of the estimator.", "10.7-07", "10.8-02")
def estimator_floors(ca3):
    dividing("estimate", floor)


@fault("Rounds every division of the estimator to the nearest.", "10.7-07", "10.8-02")
def estimator_rounds(ca3):
    dividing("estimate", nearest)


@fault("Floors the skew.", "10.7-07")
def skew_floored(ca3):
    dividing("skew_between", floor)


@fault("Rounds the skew.", "10.7-07", "10.7-02")
def skew_rounded(ca3):
    dividing("skew_between", nearest)


@fault("Floors the skew's share of the offset.", "10.7-07")
def offset_drift_floored(ca3):
    dividing("offset_at", floor)


@fault("Floors the drift in the residuals.", "10.7-07")
def residual_drift_floored(ca3):
    dividing("residuals", floor)


@fault("Rounds the middle of the span up.", "10.7-07")
def middle_rounded_up(ca3):
    dividing("middle_of_span", ceiling)


@fault("Rounds half of a round trip up in its delta.", "10.7-07")
def delta_half_rounded_up(ca3):
    dividing("round_trip", ceiling)


@fault("Rounds half of the minimum round trip up in the bounds.", "10.7-07")
def bias_half_rounded_up(ca3):
    dividing("bias_bounds", ceiling)


@fault("Halves the sum of both round trips for the skew's uncertainty, not each of them.",
       "10.7-07", "10.7-02")
def trips_halved_together(ca3):
    def skew_uncertainty(a, b):
        if b is None or b.rtt is None:
            return estimator.NOT_ESTIMATED
        return (a.rtt + b.rtt) * BILLION // (2 * (b.source - a.source))

    estimator.skew_uncertainty_between = skew_uncertainty


@fault("Fits in doubles.", "10.7-07")
def fit_in_doubles(ca3):
    dividing("estimate", lambda numerator, denominator: int(numerator / denominator))


# ------------------------------------------------------------------ the line (reading G04)


@fault("Filters by the median delay of each half, not by the least.", "10.7-07")
def median_of_each_half(ca3):
    def median(method, observations):
        def delayed(o):
            return o.rtt if method == ROUND_TRIP else o.delta

        middle = statistics.median_low([delayed(o) for o in observations])
        return next(o for o in observations if delayed(o) == middle)

    estimator.least = median


@fault("Takes the first observation of each half.", "10.7-07")
def first_of_each_half(ca3):
    estimator.least = lambda method, observations: observations[0]


@fault("Takes the last of equally delayed observations.", "10.7-07")
def last_of_equal_delays(ca3):
    around(estimator, "least", lambda least: lambda method, observations: least(
        method, observations[::-1]))


@fault("Chooses round trips by the least delta.", "10.7-07")
def round_trip_by_delta(ca3):
    around(estimator, "least", lambda least: lambda method, observations: least(
        ONE_WAY_MIN_FILTER, observations))


@fault("Splits observations by their count, not by their span.", "10.7-07", "10.7-02")
def halves_by_count(ca3):
    estimator.halves = lambda observations: (
        observations[:(len(observations) + 1) // 2], observations[(len(observations) + 1) // 2:])


@fault("Counts the middle of the span to the second half.", "10.7-07")
def middle_in_the_second_half(ca3):
    def halves(observations):
        middle = estimator.middle_of_span(observations)
        first = [o for o in observations if o.source < middle]
        return first or observations, [o for o in observations if o.source >= middle and first]

    estimator.halves = halves


@fault("Begins the span at the least source.", "10.7-07", "10.7-02")
def span_from_the_least_source(ca3):
    around(estimator, "middle_of_span", lambda middle: lambda observations: middle(
        [min(observations, key=lambda o: o.source), *observations]))


@fault("Ends the span at the last observation's source.", "10.7-07", "10.7-02")
def span_to_the_last_source(ca3):
    around(estimator, "middle_of_span", lambda middle: lambda observations: middle(
        [observations[0], observations[-1]]))


@fault("Leaves the skew 0.", "10.7-07")
def skew_left_at_zero(ca3):
    estimator.skew_between = lambda a, b: 0


@fault("Takes the skew from the first and the last observation.", "10.7-07")
def skew_from_end_to_end(ca3):
    def chosen(method, observations):
        first, last = observations[0], observations[-1]
        is_fitted = method in (ONE_WAY_MIN_FILTER, ROUND_TRIP) and last.source > first.source
        return first, last if is_fitted else None

    estimator.chosen = chosen


@fault("Takes the skew by least squares.", "10.7-07")
def skew_by_least_squares(ca3):
    def skew(observations):
        n = len(observations)
        xs, ys = [o.source for o in observations], [o.delta for o in observations]
        numerator = n * sum(x * y for x, y in zip(xs, ys)) - sum(xs) * sum(ys)
        denominator = n * sum(x * x for x in xs) - sum(xs) ** 2
        return estimator.toward_zero(numerator * BILLION, denominator) if denominator else 0

    def change(method, observations, implied):
        if method in (ONE_WAY_MIN_FILTER, ROUND_TRIP):
            implied["skew_ppb"] = skew(observations)

    estimate_with(change)


@fault("States the skew in parts per million.", "10.7-07")
def skew_in_millionths(ca3):
    estimate_with(lambda method, observations, implied: implied.update(
        skew_ppb=estimator.toward_zero(implied["skew_ppb"], 1000)))


@fault("Takes the least delta for the offset as it stands, without the skew's share.", "10.7-07")
def offset_without_its_drift(ca3):
    estimator.offset_at = lambda reference, a, skew: a.delta


@fault("Adds the skew's share to the offset.", "10.7-07")
def offset_drift_added(ca3):
    estimator.offset_at = lambda reference, a, skew: (
        a.delta + estimator.drift(a.source - reference, skew))


@fault("Fits the line about zero.", "10.7-07")
def origin_is_zero(ca3):
    estimator.reference_source = lambda observations: 0


@fault("Fits the line about the least source.", "10.7-07", "10.7-02")
def origin_is_the_least_source(ca3):
    estimator.reference_source = lambda observations: min(o.source for o in observations)


@fault("Fits the line about the observation that was delayed least.", "10.7-07")
def origin_at_the_least_delay(ca3):
    around(estimator, "estimate", lambda estimate: lambda method, observations, anchor=0: (
        about(estimator.chosen(method, observations)[0].source, estimate)(
            method, observations, anchor)))


def about(origin: int, estimate):
    """An estimate whose line is fitted about another origin."""
    def run(*arguments):
        reference_source = estimator.reference_source
        estimator.reference_source = lambda observations: origin
        try:
            return estimate(*arguments)
        finally:
            estimator.reference_source = reference_source

    return run


@fault("Takes the least receipt for receipt_only's, as if it were filtered.", "10.7-07")
def receipt_only_filtered(ca3):
    around(estimator, "chosen", lambda chosen: lambda method, observations: (
        (estimator.least(method, observations), None) if method == RECEIPT_ONLY
        else chosen(method, observations)))


@fault("Takes a round trip's receipt for its middle.", "10.7-02", "10.7-07")
def round_trip_by_receipt(ca3):
    estimator.round_trip = lambda source, sent, receipt: Observation(
        source, receipt - source, receipt - sent)


@fault("Takes the source less the receipt for the offset.", "10.7-02")
def offset_turned_round(ca3):
    estimate_with(lambda method, observations, implied: implied.update(
        offset_ns=-implied["offset_ns"]))


# ------------------------------------------------------------------ how well it is known


@fault("Takes the greatest residual for the spread.", "10.7-07")
def spread_is_the_greatest(ca3):
    estimator.percentile_95 = max


@fault("Takes the mean of the residuals for the spread.", "10.7-07")
def spread_is_the_mean(ca3):
    estimator.percentile_95 = lambda values: sum(values) // len(values)


@fault("Takes the median of the residuals for the spread.", "10.7-07")
def spread_is_the_median(ca3):
    estimator.percentile_95 = statistics.median_low


@fault("Rounds the rank of the percentile down.", "10.7-07")
def percentile_rank_floored(ca3):
    estimator.percentile_95 = lambda values: sorted(values)[max(1, 95 * len(values) // 100) - 1]


@fault("Rounds the rank of the percentile to the nearest.", "10.7-07")
def percentile_rank_rounded(ca3):
    estimator.percentile_95 = lambda values: sorted(values)[
        max(1, nearest(95 * len(values), 100)) - 1]


@fault("Counts the rank of the percentile from 0.", "10.7-07")
def percentile_rank_from_zero(ca3):
    estimator.percentile_95 = lambda values: sorted(values)[
        min(len(values) - 1, -(-95 * len(values) // 100))]


@fault("Interpolates the percentile between two ranks.", "10.7-07")
def percentile_interpolated(ca3):
    def percentile(values):
        ordered, place = sorted(values), 95 * (len(values) - 1)
        low, share = ordered[place // 100], place % 100
        high = ordered[min(place // 100 + 1, len(values) - 1)]
        return low + (high - low) * share // 100

    estimator.percentile_95 = percentile


@fault("Takes residuals with their signs.", "10.7-07")
def residuals_signed(ca3):
    estimator.residuals = lambda observations, offset, skew, reference: [
        o.delta - offset - estimator.drift(o.source - reference, skew) for o in observations]


@fault("Takes residuals from the offset alone, not from the line.", "10.7-07")
def residuals_from_the_offset(ca3):
    estimator.residuals = lambda observations, offset, skew, reference: [
        abs(o.delta - offset) for o in observations]


@fault("Takes the first round trip for the shortest.", "10.7-07")
def first_rtt_is_the_least(ca3):
    around(estimator, "least_rtt", lambda least_rtt: lambda method, observations: least_rtt(
        method, observations[:1]))


@fault("Takes the whole minimum round trip for either bound.", "10.7-07")
def bias_is_the_whole_rtt(ca3):
    around(estimator, "bias_bounds", lambda bounds: lambda method, rtt, anchor: (
        (rtt, rtt) if method == ROUND_TRIP else bounds(method, rtt, anchor)))


@fault("Takes whole round trips for the skew's uncertainty.", "10.7-07")
def skew_uncertainty_of_whole_trips(ca3):
    dividing("skew_uncertainty_between", lambda numerator, denominator: (
        numerator if denominator == 2 else toward_zero(numerator, denominator)))


@fault("Never estimates the skew's uncertainty.", "10.7-07")
def skew_uncertainty_never_estimated(ca3):
    estimator.skew_uncertainty_between = lambda a, b: estimator.NOT_ESTIMATED


@fault("Takes a one-way skew for certain.", "10.7-07")
def one_way_skew_is_certain(ca3):
    around(estimator, "skew_uncertainty_between", lambda between: lambda a, b: (
        0 if b and b.rtt is None else between(a, b)))


# ------------------------------------------------------------------ triggers (§10.5, §10.10)


@fault("Fits a trigger mapping from the last event.", "10.5-09", "10.5-04")
def trigger_from_the_last_event(ca3):
    around(Evidence, "sightings", lambda sightings: lambda evidence, domain, events: sightings(
        evidence, domain, events)[::-1])


@fault("Fits a trigger mapping from the mean of all events.", "10.5-09")
def trigger_from_all_events(ca3):
    def change(method, observations, implied):
        if method == TRIGGER:
            implied["offset_ns"] = estimator.toward_zero(
                sum(o.delta for o in observations), len(observations))

    estimate_with(change)


@fault("Takes a domain's first sight of any event and the reference's first, of whichever event.",
       "10.5-09")
def events_paired_across(ca3):
    def sightings(evidence, domain, events):
        of_domain = [evidence.first_sight(event, lambda stream: evidence.is_of(domain, stream))
                     for event in events]
        of_reference = [evidence.first_sight(event, evidence.is_of_reference) for event in events]
        return [Sighting(*pair) for pair in zip(filter(None, of_domain),
                                                filter(None, of_reference))]

    Evidence.sightings = sightings


@fault("Takes an event that the domain alone observed for one with an offset of 0.", "10.5-09")
def lone_sight_counts(ca3):
    def sightings(evidence, domain, events):
        found = []
        for event in events:
            own = evidence.first_sight(event, lambda stream: evidence.is_of(domain, stream))
            found += [Sighting(own, evidence.first_sight(event, evidence.is_of_reference) or own)
                      ] if own else []
        return found

    Evidence.sightings = sightings


@fault("Takes the first other stream's sight of an event for the reference's.", "10.5-09",
       "10.10-04")
def any_other_is_the_reference(ca3):
    def sightings(evidence, domain, events):
        found = []
        for event in events:
            own = evidence.first_sight(event, lambda stream: evidence.is_of(domain, stream))
            others = [sight for sight in event["observations"] if sight is not own]
            found += [Sighting(own, others[0])] if own and others else []
        return found

    Evidence.sightings = sightings


@fault("Takes events from whatever stream, not from the one that the mapping names.", "10.5-09")
def events_of_any_stream(ca3):
    def changed(evidence, domain):
        sightings = evidence.sightings(domain, [stated.message for stated in evidence.events])
        return ca3_evidence.verdict(domain, [
            estimator.by_event(pair.domain["stamp_ns"], pair.reference["stamp_ns"])
            for pair in sightings], ca3_evidence.anchor_uncertainty(sightings))

    Evidence.trigger_verification = changed


@fault("Counts the event that a trigger mapping was fitted from, and no other.", "10.5-09")
def one_event_counted(ca3):
    around(Evidence, "sightings", lambda sightings: lambda evidence, domain, events: sightings(
        evidence, domain, events)[:1])


def anchor(combine) -> None:
    """Lets `combine(domain's, reference's)` give the bound of a trigger."""
    ca3_evidence.anchor_uncertainty = lambda sightings: (
        combine(*(sight["uncertainty_ns"] for sight in sightings[0])) if sightings else 0)


@fault("Takes a trigger for exact.", "10.5-04", "10.10-03")
def trigger_is_certain(ca3):
    anchor(lambda of_domain, of_reference: 0)


@fault("Bounds a trigger by the domain's observation alone.", "10.10-03", "10.5-04")
def bound_of_the_domain_alone(ca3):
    anchor(lambda of_domain, of_reference: of_domain)


@fault("Bounds a trigger by the reference's observation alone.", "10.10-03", "10.5-04")
def bound_of_the_reference_alone(ca3):
    anchor(lambda of_domain, of_reference: of_reference)


@fault("Bounds a trigger by the worse of its two observations.", "10.10-03", "10.5-04")
def bound_of_the_worse(ca3):
    anchor(max)


@fault("Bounds a trigger by half of the sum of its two observations.", "10.10-03", "10.5-04")
def bound_halved(ca3):
    anchor(lambda of_domain, of_reference: (of_domain + of_reference) // 2)


@fault("Bounds a trigger by the uncertainties of all its events.", "10.10-03", "10.5-09")
def bound_of_all_events(ca3):
    ca3_evidence.anchor_uncertainty = lambda sightings: sum(
        sight["uncertainty_ns"] for pair in sightings for sight in pair)


@fault("Bounds a trigger by every observer of the event.", "10.10-03")
def bound_of_all_observers(ca3):
    def make(sightings):
        def changed(evidence, domain, events):
            return [with_doubt(pair, event) for event in events
                    for pair in sightings(evidence, domain, [event])]
        return changed

    def with_doubt(pair, event):
        whole = sum(sight["uncertainty_ns"] for sight in event["observations"])
        doubt = whole - pair.reference["uncertainty_ns"]
        return pair._replace(domain={**pair.domain, "uncertainty_ns": doubt})

    around(Evidence, "sightings", make)


@fault("Takes the domain's stamps of events for mapped ones.", "10.10-04")
def event_stamps_premapped(ca3):
    def change(method, observations, implied):
        if method == TRIGGER:
            implied["offset_ns"] = 0

    estimate_with(change)


@fault("Lets a stream of the reference pair observe for a domain of its host's name.", "10.5-09",
       "10.10-04")
def reference_observes_for_the_domain(ca3):
    around(Evidence, "is_of", lambda is_of: lambda evidence, domain, stream: (
        is_of(evidence, domain, stream) or stream["source_clock_domain"] == ""
        and stream["host_id"] == domain["domain"]))


@fault("Takes a device's sight of an event for its host's.", "10.10-04")
def device_observes_for_its_host(ca3):
    ca3_evidence.is_on_host = lambda stream: True


@fault("Knows no observers but hosts.", "10.10-04", "10.5-09")
def devices_observe_nothing(ca3):
    around(Evidence, "is_of", lambda is_of: lambda evidence, domain, stream: (
        is_of(evidence, {**domain, "kind": 1}, stream)))
