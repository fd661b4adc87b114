"""On-device delay (§10.9): which one is in force for a stream, and whether it may be taken off
(§10.11).
"""
from __future__ import annotations

from collections import namedtuple
from typing import Callable

from ca3_clock import Clocks
from ca3_estimator import TRIGGER
from ca3_evidence import Evidence
from ca3_messages import ALIGNMENT_EVENT

DELAY_UNKNOWN = 2**64 - 1  # §10.9: as an uncertainty, that the delay is not known
UNKNOWN = "unknown"

Delay = namedtuple("Delay", "delay_ns uncertainty_ns is_applicable is_covered is_double_counted")


def delay_of(evidence: Evidence, stream: dict, delays: list[dict]) -> Delay | None:
    """Of the stream's candidates. None is an unknown delay: nothing is known of the size, so it
    is not zero."""
    stated = chosen(evidence, delays)
    if stated is None or not is_known(stated):
        return None
    applicable, covered = fits(evidence, stated), is_covered(evidence, stream)
    return Delay(stated["delay_ns"], stated["uncertainty_ns"], applicable, covered,
                 applicable and covered and not states_its_event(evidence, stream))


def candidates(evidence: Evidence, stream: dict) -> list[dict]:
    """In file order. A delay of a device that the Session does not have is none of a stream's."""
    return [stated.message for stated in evidence.delays
            if stated.message["device_ref"] in evidence.devices
            and concerns(stated.message, evidence.devices[stated.message["device_ref"]], stream)]


def concerns(delay: dict, device: dict, stream: dict) -> bool:
    """The stream that it names; without a name, every stream that is stamped by the device."""
    if delay["stream_ref"] != 0:
        return delay["stream_ref"] == stream["stream_ref"]
    return device["clock_domain"] == stream["source_clock_domain"] != ""


def chosen(evidence: Evidence, delays: list[dict]) -> dict | None:
    """One that holds for the device's firmware before one that does not, then one that names the
    stream, then the later one."""
    fitting = preferred(delays, lambda delay: fits(evidence, delay))
    named = preferred(fitting, lambda delay: delay["stream_ref"] != 0)
    return last(named)


def preferred(delays: list[dict], is_wanted: Callable) -> list[dict]:
    """Those that are wanted; all of them where none is."""
    return [delay for delay in delays if is_wanted(delay)] or delays


def last(delays: list[dict]) -> dict | None:
    return delays[-1] if delays else None


def is_known(delay: dict) -> bool:
    return delay["uncertainty_ns"] != DELAY_UNKNOWN


def fits(evidence: Evidence, delay: dict) -> bool:
    return is_applicable(delay, evidence.devices[delay["device_ref"]])


def is_applicable(delay: dict, device: dict) -> bool:
    """Under the firmware that it was measured under; an empty one is no condition."""
    return delay["valid_firmware"] in ("", device["firmware"])


# §10.11


def is_covered(evidence: Evidence, stream: dict) -> bool:
    return (covered_by_trigger(evidence.reader.clocks, stream)
            or covered_by_event(evidence, stream))


def covered_by_trigger(clocks: Clocks, stream: dict) -> bool:
    """Whatever the mapping's quality."""
    return any(domain["method"] == TRIGGER for domain in domains_over(clocks, stream))


def covered_by_event(evidence: Evidence, stream: dict) -> bool:
    return any(sight["stream_ref"] == stream["stream_ref"]
               for stated in evidence.events for sight in stated.message["observations"])


def states_its_event(evidence: Evidence, stream: dict) -> bool:
    """Whether a trigger mapping of the stream says which stream its event stands in."""
    return any(domain["method"] == TRIGGER
               and evidence.carries(domain["observations_stream"], ALIGNMENT_EVENT)
               for domain in domains_over(evidence.reader.clocks, stream))


def domains_over(clocks: Clocks, stream: dict) -> list[dict]:
    """Those of its source stamps and of its own, if those are not in the reference domain."""
    own = None if clocks.is_reference(stream) else clocks.domain_of(stream)
    return [domain for domain in (clocks.source_domain_of(stream), own) if domain]


def may_be_taken_off(delay: Delay | None) -> bool:
    return delay is not None and delay.is_applicable and not delay.is_covered


def take_off(time: int, delay: Delay) -> int:
    """A positive delay is how much later the device reports. No time is below zero."""
    return max(0, time - delay.delay_ns)
