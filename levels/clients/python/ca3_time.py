"""Level 3: what a file states of its clocks, and every sample of a stream with its time and
uncertainty (§10).
"""
from __future__ import annotations

from typing import Iterable, Iterator

from ca3_clock import (BILLION, NOT_ESTIMATED, UNBOUNDED, UNMAPPED, Clocks, StreamClock, bound,
                       skew_uncertainty, told)
from ca3_delay import (UNKNOWN, Delay, candidates, delay_of, fits, may_be_taken_off, take_off)
from ca3_estimator import METHODS
from ca3_evidence import INCONSISTENT, Evidence
from ca3_index import IndexedReader
from ca3_query import Query, in_range, instant, merge, stamp_of

CANNOT = "cannot"
LARGEST = 2**64 - 1
TIME, SOURCE = "time", "source"  # what a delay is taken off from


def ask(source, request: dict) -> dict:
    reader = IndexedReader(source)
    reader.open()
    return OPERATIONS[request["op"]](TimeQuery(reader), request)


class TimeQuery(Query):
    def __init__(self, reader: IndexedReader):
        super().__init__(reader)
        self.evidence = Evidence(reader)

    # What the file states

    def clock(self) -> dict:
        clocks = self.reader.clocks
        host_id, epoch = clocks.reference
        self.report_unresolved()
        self.afford_texts(*(interval["reason"] for interval in clocks.intervals))
        return {"reference": {"host_id": host_id, "host_clock_epoch": epoch},
                "domains": [self.domain(domain) for domain in clocks.domains],
                "degraded_intervals": clocks.intervals,
                "alignment_events": [self.event(stated.message)
                                     for stated in self.evidence.events],
                "device_delays": [self.device_delay(ref) for ref in self.declared()],
                "problems": self.evidence.problems}

    def domain(self, domain: dict) -> dict:
        self.afford_texts(domain["domain"], domain["domain"])  # a problem may name it again
        verification = self.evidence.verification(domain)
        if verification == INCONSISTENT:
            self.evidence.report("mapping-inconsistent", "its observations imply another mapping",
                                 domain=domain["domain"])
        return {**told(domain), "verification": verification}

    def event(self, event: dict) -> dict:
        self.afford_texts(event["method"], event["observed_by"])
        for _ in event["observations"]:
            self.afford_texts("")
        return event

    def device_delay(self, ref: int) -> dict:
        delay = self.judged_delay(ref)
        return {"stream_ref": ref, "delay": UNKNOWN if delay is None else {
            "delay_ns": delay.delay_ns, "uncertainty_ns": delay.uncertainty_ns,
            "applicable": delay.is_applicable}}

    def judged_delay(self, ref: int) -> Delay | None:
        """§10.9, §10.11: what keeps a delay from being taken off is reported, not passed over."""
        stream = self.reader.streams[ref]
        stated = candidates(self.evidence, stream)
        delay = delay_of(self.evidence, stream, stated)
        if delay is not None and delay.is_double_counted:
            self.evidence.report("delay-double-counted", "a delay beside an event, and no statement"
                                 " of which was used", stream_ref=ref)
        if not all(fits(self.evidence, one) for one in stated):
            self.evidence.report("delay-not-applicable", "measured under other firmware",
                                 stream_ref=ref)
        return delay

    def report_unresolved(self) -> None:
        """§5: names of what nothing declares. What they would say is said of nothing."""
        for ref in unresolved(named_streams(self.reader.clocks, self.evidence),
                              self.reader.streams):
            self.afford_texts("")
            self.evidence.report("unresolved-reference", f"no stream {ref}", stream_ref=ref)
        devices = [stated.message["device_ref"] for stated in self.evidence.delays]
        for ref in unresolved(devices, self.evidence.devices):
            self.afford_texts("")
            self.evidence.report("unresolved-reference", f"no device {ref}", device_ref=ref)

    # Every sample (§10.12)

    def times(self, ref: int) -> dict:
        clock = self.clock_of(ref)
        source_clock = self.reader.clocks.source_of(self.reader.streams[ref])
        delay = self.judged_delay(ref)
        runs = [self.reader.messages_of(entry) for entry in self.reader.entries_of(ref)]
        return {"samples": [self.sample(message, clock, source_clock, delay)
                            for message in merge(runs)],
                "problems": self.evidence.problems}

    def sample(self, message: dict, clock: StreamClock, source_clock: StreamClock,
               delay: Delay | None) -> dict:
        self.afford_texts("", "")  # about twice what a message is counted with
        target = target_of(delay, clock, source_clock, message)
        labels = self.label(message, clock)
        labels["time"] = corrected(labels["time"], delay, target == TIME)
        return {"monotonic_timestamp_ns": stamp_of(message), **labels,
                "uncertainty": uncertainty(clock, stamp_of(message),
                                           delay_term(delay, target == TIME)),
                "source": source_time(message, source_clock, delay, target == SOURCE),
                "device_delay": UNKNOWN if delay is None else {
                    "delay_ns": delay.delay_ns, "applied": target is not None}}


def named_streams(clocks: Clocks, evidence: Evidence) -> Iterator[int]:
    """By domains and delays, where 0 names none, and by intervals and events."""
    yield from (ref for domain in clocks.domains if (ref := domain["observations_stream"]) != 0)
    yield from (ref for stated in evidence.delays if (ref := stated.message["stream_ref"]) != 0)
    yield from (interval["stream_ref"] for interval in clocks.intervals)
    yield from (sight["stream_ref"] for stated in evidence.events
                for sight in stated.message["observations"])


def unresolved(refs: Iterable[int], declared: dict) -> list[int]:
    return sorted({ref for ref in refs if ref not in declared})


def target_of(delay: Delay | None, clock: StreamClock, source_clock: StreamClock,
              message: dict) -> str | None:
    """A delay corrects the device's own time, where the stream has one that is mapped, and
    otherwise the stamp's. What is on no known clock is not corrected."""
    if not may_be_taken_off(delay):
        return None
    if source_clock.basis != UNMAPPED:
        return SOURCE if message["source_timestamp_ns"] is not None else None
    return TIME if clock.basis != UNMAPPED else None


def corrected(time: int, delay: Delay | None, is_target: bool) -> int:
    return in_range(take_off(time, delay)) if is_target else time


def delay_term(delay: Delay | None, is_target: bool) -> int:
    return delay.uncertainty_ns if is_target else 0


def source_time(message: dict, clock: StreamClock, delay: Delay | None,
                is_target: bool) -> dict | None:
    """The device's own stamp in the reference domain."""
    stamp = message["source_timestamp_ns"]
    if stamp is None:
        return None
    return {"timestamp_ns": stamp, "basis": clock.basis,
            "time": corrected(in_range(clock.to_reference(stamp)), delay, is_target),
            "uncertainty": uncertainty(clock, stamp, delay_term(delay, is_target))}


# Total uncertainty (§10.2, §10.12): a worst case, so terms add up. The two sides stay apart.


def uncertainty(clock: StreamClock, stamp: int, of_delay: int):
    if clock.basis == UNMAPPED:
        return CANNOT
    return {"low": total_low(clock.domain, stamp, of_delay),
            "high": total_high(clock.domain, stamp, of_delay)}


def total_low(domain: dict | None, stamp: int, of_delay: int) -> int | str:
    return total([*low_terms(domain, stamp), of_delay])


def total_high(domain: dict | None, stamp: int, of_delay: int) -> int | str:
    return total([*high_terms(domain, stamp), of_delay])


def low_terms(domain: dict | None, stamp: int) -> list:
    """Without a mapping nothing was applied, and nothing is uncertain but the delay."""
    return [] if domain is None else [bias(domain, "bias_low_ns"), *line_terms(domain, stamp)]


def high_terms(domain: dict | None, stamp: int) -> list:
    return [] if domain is None else [bias(domain, "bias_high_ns"), *line_terms(domain, stamp)]


def total(terms: list) -> int | str:
    """A sum that 64 bits do not hold bounds nothing."""
    return UNBOUNDED if UNBOUNDED in terms or sum(terms) > LARGEST else sum(terms)


def bias(domain: dict, side: str) -> int | str:
    """§10.5: how far a method that is not defined may be wrong, nobody knows."""
    return bound(domain[side]) if domain["method"] in METHODS else UNBOUNDED


def line_terms(domain: dict, stamp: int) -> list[int]:
    return [domain["residual_spread_ns"], skew_term(domain, stamp)]


def skew_term(domain: dict, stamp: int) -> int:
    """Grows with the distance from where the line was fitted. Not estimated adds nothing."""
    stated = skew_uncertainty(domain["skew_uncertainty_ppb"])
    return 0 if stated == NOT_ESTIMATED else share(abs(elapsed_of(domain, stamp)), stated)


def elapsed_of(domain: dict, stamp: int) -> int:
    return stamp - domain["reference_source_ns"]


def share(elapsed: int, ppb: int) -> int:
    """Rounded up: what is begun may be a whole nanosecond, and a bound must hold it."""
    return -(-elapsed * ppb // BILLION)


OPERATIONS = {
    "clock": lambda query, request: query.clock(),
    "times": lambda query, request: query.times(instant(request.get("stream_ref"))),
}
