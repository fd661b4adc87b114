"""Estimator version 1 (§10.8): the line that observations imply, and how well it is known.

The document numbers the estimator and does not write it down; this is a reading of it. Whole
numbers without bounds, every division truncating toward zero, observations in file order.

    delta      receipt - source, or the middle of sent and receipt, less source
    a, b       the least delayed observation of either half of the source span
    skew       from a to b, in parts per billion; 0 where there is no b
    offset     a's delta, carried back along the skew to the first observation's source
    residual   what is left of each delta beside the line
"""
from __future__ import annotations

from collections import namedtuple

from ca3_clock import BILLION, NOT_ESTIMATED, UNBOUNDED, drift, toward_zero

VERSION = 1
RECEIPT_ONLY, ONE_WAY_MIN_FILTER, ROUND_TRIP, TRIGGER = METHODS = range(4)  # §10.5

Observation = namedtuple("Observation", "source delta rtt")  # rtt is None without a round trip


def one_way(source: int, receipt: int) -> Observation:
    return Observation(source, receipt - source, None)


def round_trip(source: int, sent: int, receipt: int) -> Observation:
    rtt = receipt - sent
    return Observation(source, sent + half(rtt) - source, rtt)


def by_event(domain_stamp: int, reference_stamp: int) -> Observation:
    """§10.10: one instant, as the domain and as the reference stamped it."""
    return Observation(domain_stamp, reference_stamp - domain_stamp, None)


def estimate(method: int, observations: list[Observation], anchor_uncertainty: int = 0) -> dict:
    """All that a ClockDomain states of its fit, by the names of §10.4, sentinels as words.
    At least one observation; of a round trip, each with its rtt."""
    a, b = chosen(method, observations)
    reference = reference_source(observations)
    skew = skew_between(a, b)
    offset = offset_at(reference, a, skew)
    rtt = least_rtt(method, observations)
    low, high = bias_bounds(method, rtt, anchor_uncertainty)
    return {
        "offset_ns": offset,
        "skew_ppb": skew,
        "reference_source_ns": reference,
        "residual_spread_ns": percentile_95(residuals(observations, offset, skew, reference)),
        "min_rtt_ns": rtt,
        "bias_low_ns": low,
        "bias_high_ns": high,
        "skew_uncertainty_ppb": skew_uncertainty_between(a, b),
        "observation_count": len(observations),
    }


def chosen(method: int, observations: list[Observation]):
    """The two that the line goes through; the first alone where the method has no filter."""
    if method in (RECEIPT_ONLY, TRIGGER):
        return observations[0], None
    first, second = halves(observations)
    return least(method, first), least(method, second) if second else None


def halves(observations: list[Observation]):
    middle = middle_of_span(observations)
    return ([o for o in observations if o.source <= middle],
            [o for o in observations if o.source > middle])


def middle_of_span(observations: list[Observation]) -> int:
    """The span begins at the first observation, not at the least source."""
    first = observations[0].source
    return first + half(max(o.source for o in observations) - first)


def least(method: int, observations: list[Observation]) -> Observation:
    """The least delayed; `min` keeps the earliest of equals."""
    return min(observations, key=lambda o: o.rtt if method == ROUND_TRIP else o.delta)


def reference_source(observations: list[Observation]) -> int:
    return observations[0].source


def skew_between(a: Observation, b: Observation | None) -> int:
    if b is None:
        return 0
    return toward_zero((b.delta - a.delta) * BILLION, b.source - a.source)


def offset_at(reference: int, a: Observation, skew: int) -> int:
    return a.delta - drift(a.source - reference, skew)


def residuals(observations: list[Observation], offset: int, skew: int, reference: int) -> list[int]:
    return [abs(o.delta - offset - drift(o.source - reference, skew)) for o in observations]


def percentile_95(values: list[int]) -> int:
    """Nearest rank: the value at rank ceil(0.95 n), counted from 1."""
    rank = (95 * len(values) + 99) // 100
    return sorted(values)[rank - 1]


def least_rtt(method: int, observations: list[Observation]) -> int | None:
    """§10.4: none was measured one way; to a trigger there is no path that could delay it."""
    if method == ROUND_TRIP:
        return min(o.rtt for o in observations)
    return 0 if method == TRIGGER else None


def bias_bounds(method: int, rtt: int | None, anchor_uncertainty: int):
    """§10.5: below, and above."""
    if method == ROUND_TRIP:
        return half(rtt), half(rtt)
    if method == TRIGGER:
        return anchor_uncertainty, anchor_uncertainty
    return UNBOUNDED, 0


def skew_uncertainty_between(a: Observation, b: Observation | None) -> int | str:
    """Only a round trip says how far either end of the line may lie off."""
    if b is None or b.rtt is None:
        return NOT_ESTIMATED
    return toward_zero((half(a.rtt) + half(b.rtt)) * BILLION, b.source - a.source)


def half(value: int) -> int:
    return toward_zero(value, 2)
