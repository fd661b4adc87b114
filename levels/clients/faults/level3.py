"""Ways to spoil level 3 that faults of several items share."""
from __future__ import annotations

from typing import Callable

import ca3_delay
import ca3_estimator
import ca3_evidence
import ca3_time
from ca3_clock import DOMAIN_FIELDS, UNBOUNDED
from ca3_evidence import INCONSISTENT, Evidence
from ca3_time import TimeQuery
from registry import around

LARGEST = 2**64 - 1  # the number that a sentinel is stored as
ONE_WAY = (ca3_estimator.RECEIPT_ONLY, ca3_estimator.ONE_WAY_MIN_FILTER)


def on_clock(change: Callable) -> None:
    """Lets `change(query, result)` alter a finished answer of `clock`."""
    def make(clock):
        def changed(query):
            result = clock(query)
            change(query, result)
            return result
        return changed

    around(TimeQuery, "clock", make)


def on_samples(change: Callable) -> None:
    """Lets `change(message, clock, sample)` alter each sample as it is made."""
    def make(sample):
        def changed(query, message, clock, source_clock, delay):
            made = sample(query, message, clock, source_clock, delay)
            change(message, clock, made)
            return made
        return changed

    around(TimeQuery, "sample", make)


def on_told(change: Callable) -> None:
    """Lets `change(stored, told)` alter what `clock` tells of a domain. What is recomputed is
    compared with the domain as it is."""
    def make(told):
        def changed(stored):
            words = dict(told(stored))
            change(stored, words)
            return words
        return changed

    around(ca3_time, "told", make)


def word_becomes(word: str, substitute, *fields: str) -> None:
    """Lets `clock` tell something else where a sentinel's word belongs."""
    def change(stored, told):
        for field in fields:
            if told[field] == word:
                told[field] = substitute

    on_told(change)


def on_bounds(change: Callable) -> None:
    """Lets `change(domain, low, high)` give both bounds of a bias, in `clock` and in `times`."""
    bias = ca3_time.bias

    def both(domain):
        return change(domain, bias(domain, "bias_low_ns"), bias(domain, "bias_high_ns"))

    def tell(stored, told):
        told["bias_low_ns"], told["bias_high_ns"] = change(
            stored, told["bias_low_ns"], told["bias_high_ns"])

    ca3_time.bias = lambda domain, side: both(domain)[side == "bias_high_ns"]
    on_told(tell)


def on_one_way_bounds(change: Callable, methods=ONE_WAY) -> None:
    """The same where one side is unbounded by its method."""
    on_bounds(lambda domain, low, high: (
        change(low, high) if domain["method"] in methods and low == UNBOUNDED else (low, high)))


def totals(combine: Callable) -> None:
    """Lets `combine(numbers)` make a total of bounded terms."""
    around(ca3_time, "total", lambda total: lambda terms: (
        UNBOUNDED if UNBOUNDED in terms else combine(terms)))


def estimate_with(change: Callable) -> None:
    """Lets `change(method, observations, implied)` alter the estimator's findings."""
    def make(estimate):
        def changed(method, observations, anchor_uncertainty=0):
            implied = estimate(method, observations, anchor_uncertainty)
            change(method, observations, implied)
            return implied
        return changed

    around(ca3_estimator, "estimate", make)


def not_compared(*fields: str) -> None:
    """Compares a stored mapping in all but these fields."""
    around(ca3_evidence, "agrees", lambda agrees: lambda stored, implied: agrees(
        stored, {name: value for name, value in implied.items() if name not in fields}))


def compared_alone(*fields: str) -> None:
    around(ca3_evidence, "agrees", lambda agrees: lambda stored, implied: agrees(
        stored, {name: implied[name] for name in fields}))


def verified_where(says: Callable) -> None:
    """Lets `says(evidence, domain, word)` give the word of each mapping."""
    around(Evidence, "verification", lambda verification: lambda evidence, domain: says(
        evidence, domain, verification(evidence, domain)))


def lenient(word: str) -> Callable:
    """A word in the place of a finding that the mapping is inconsistent."""
    return lambda evidence, domain, found: word if found == INCONSISTENT else found


def unreported(kind: str) -> None:
    """Lets problems of one kind go by without a word."""
    around(Evidence, "report", lambda report: lambda evidence, told, message, **named: (
        None if told == kind else report(evidence, told, message, **named)))


def concerning(concerns: Callable) -> None:
    """Lets `concerns(device, stream)` say which streams a delay without a stream is of."""
    around(ca3_delay, "concerns", lambda named: lambda delay, device, stream: (
        named(delay, device, stream) if delay["stream_ref"] else concerns(device, stream)))


def domain_fields(old: str, new: str) -> str:
    """The listing of a ClockDomain with one stretch of it changed."""
    assert old in DOMAIN_FIELDS, old
    return DOMAIN_FIELDS.replace(old, new)

