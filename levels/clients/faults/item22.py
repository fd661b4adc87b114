"""Item 22: nothing is corrected twice."""
from __future__ import annotations

import ca3_delay
import ca3_time
from ca3_clock import DEVICE
from ca3_delay import UNKNOWN
from ca3_estimator import TRIGGER
from level3 import on_samples, unreported
from registry import around, faults_of

fault = faults_of(22)


# ------------------------------------------------------------------ corrected twice (§10.11)


@fault("Takes a delay off whatever covers the stream.", "10.11-01", "10.11-02", "10.11-05",
       "10.11-03")
def double_correction(ca3):
    ca3_time.may_be_taken_off = lambda delay: delay is not None and delay.is_applicable


@fault("Takes a delay off beside a trigger mapping that states its event.", "10.11-01")
def delay_beside_a_stated_trigger(ca3):
    around(ca3_delay, "is_covered", lambda is_covered: lambda evidence, stream: (
        is_covered(evidence, stream) and not ca3_delay.states_its_event(evidence, stream)))


@fault("Takes a delay off beside a trigger mapping that states no event.", "10.11-02")
def delay_beside_an_unstated_trigger(ca3):
    around(ca3_time, "may_be_taken_off", lambda may: lambda delay: (
        may(delay) or delay is not None and delay.is_double_counted))


@fault("Takes a delay off beside an alignment event.", "10.11-05", "10.11-03")
def delay_beside_an_event(ca3):
    ca3_delay.covered_by_event = lambda evidence, stream: False


@fault("Takes a delay off beside an event where the mapping is no trigger's, and reports both.",
       "10.11-05", "10.11-03")
def delay_beside_an_event_reported(ca3):
    covered = {}

    def kept(covered_by_trigger):
        def changed(clocks, stream):
            covered[stream["stream_ref"]] = covered_by_trigger(clocks, stream)
            return covered[stream["stream_ref"]]
        return changed

    around(ca3_delay, "covered_by_trigger", kept)
    around(ca3_time, "delay_of", lambda delay_of: lambda evidence, stream, stated: (
        delay if (delay := delay_of(evidence, stream, stated)) is None else delay._replace(
            is_covered=covered[stream["stream_ref"]])))


@fault("Takes no trigger mapping for one that covers a stream.", "10.11-01", "10.11-02")
def triggers_cover_nothing(ca3):
    ca3_delay.covered_by_trigger = lambda clocks, stream: False


@fault("Takes a trigger mapping of quality 2 alone for one that covers a stream.", "10.11-01",
       "10.11-02")
def degraded_trigger_covers_nothing(ca3):
    ca3_delay.covered_by_trigger = lambda clocks, stream: any(
        domain["method"] == TRIGGER and domain["quality"] == 2
        for domain in ca3_delay.domains_over(clocks, stream))


def covering_domains(is_looked_at) -> None:
    """Looks for triggers among those domains alone that `is_looked_at(domain)` names."""
    around(ca3_delay, "domains_over", lambda over: lambda clocks, stream: [
        domain for domain in over(clocks, stream) if is_looked_at(domain)])


@fault("Looks for a trigger among the mappings of hosts alone.", "10.11-01", "10.11-02")
def device_triggers_overlooked(ca3):
    covering_domains(lambda domain: domain["kind"] != DEVICE)


@fault("Looks for a trigger among the mappings of devices alone.", "10.11-01", "10.11-02")
def host_triggers_overlooked(ca3):
    covering_domains(lambda domain: domain["kind"] == DEVICE)


@fault("Looks for an event among the first observation of each alone.", "10.11-03", "10.11-05")
def first_observer_covered_alone(ca3):
    ca3_delay.covered_by_event = lambda evidence, stream: any(
        sight["stream_ref"] == stream["stream_ref"] for stated in evidence.events
        for sight in stated.message["observations"][:1])


@fault("Looks for an event among instrumented ones alone.", "10.11-05")
def content_events_cover_nothing(ca3):
    ca3_delay.covered_by_event = lambda evidence, stream: any(
        sight["stream_ref"] == stream["stream_ref"] for stated in evidence.events
        if stated.message["kind"] == 0 for sight in stated.message["observations"])


@fault("Takes half of a delay off where an event covers the stream.", "10.11-05", "10.11-03")
def delay_halved_beside_an_event(ca3):
    around(ca3_time, "delay_of", lambda delay_of: lambda *arguments: (
        delay._replace(delay_ns=delay.delay_ns // 2, is_covered=False)
        if (delay := delay_of(*arguments)) and delay.is_covered else delay))


@fault("Says that a delay was taken off where one was only found.", "10.11-01", "10.11-02",
       "10.11-05")
def applied_means_found(ca3):
    def change(message, clock, sample):
        if sample["device_delay"] != UNKNOWN:
            sample["device_delay"] = {**sample["device_delay"], "applied": True}

    on_samples(change)


# ------------------------------------------------------------------ what is reported (§10.11)


@fault("Chooses the event and does not report the delay beside it.", "10.11-02", "10.11-03",
       "10.11-05")
def double_counting_unreported(ca3):
    unreported("delay-double-counted")


@fault("Reports a delay beside an event in clock alone.", "10.11-02", "10.11-03", "10.11-05")
def double_counting_unreported_in_times(ca3):
    def make(times):
        def changed(query, ref):
            result = times(query, ref)
            return {**result, "problems": [problem for problem in result["problems"]
                                           if problem["kind"] != "delay-double-counted"]}
        return changed

    around(ca3_time.TimeQuery, "times", make)


@fault("Reports a delay beside a trigger mapping although it states its event.", "10.11-01")
def statement_never_counts(ca3):
    ca3_delay.states_its_event = lambda evidence, stream: False


@fault("Takes any stream that a trigger mapping names for its event.", "10.11-02")
def any_stream_is_a_statement(ca3):
    ca3_delay.states_its_event = lambda evidence, stream: any(
        domain["method"] == TRIGGER and domain["observations_stream"] != 0
        for domain in ca3_delay.domains_over(evidence.reader.clocks, stream))


@fault("Takes an event that the stream observed for the statement.", "10.11-02", "10.11-03",
       "10.11-05")
def event_is_its_own_statement(ca3):
    around(ca3_delay, "states_its_event", lambda states: lambda evidence, stream: (
        states(evidence, stream) or ca3_delay.covered_by_event(evidence, stream)))


@fault("Takes any mapping's observations for the statement, trigger or not.", "10.11-05",
       "10.11-02")
def any_mapping_states_an_event(ca3):
    ca3_delay.states_its_event = lambda evidence, stream: any(
        domain["observations_stream"] != 0
        for domain in ca3_delay.domains_over(evidence.reader.clocks, stream))


# ------------------------------------------------------------------ too far (§10.11)


@fault("Takes an event for one that every stream observed.", "10.11-03")
def event_covers_every_stream(ca3):
    ca3_delay.covered_by_event = lambda evidence, stream: bool(evidence.events)


@fault("Takes an event for one that all streams of its observers' hosts observed.", "10.11-03")
def event_covers_the_host(ca3):
    ca3_delay.covered_by_event = lambda evidence, stream: any(
        evidence.reader.streams[sight["stream_ref"]]["host_id"] == stream["host_id"]
        for stated in evidence.events for sight in stated.message["observations"]
        if sight["stream_ref"] in evidence.reader.streams)


@fault("Takes a trigger mapping for one of every stream.", "10.11-03", "10.11-01")
def trigger_covers_every_stream(ca3):
    ca3_delay.domains_over = lambda clocks, stream: clocks.domains


@fault("Takes a delay off only where the file has no event at all.", "10.11-03")
def any_event_stops_all_delays(ca3):
    around(ca3_delay, "is_covered", lambda is_covered: lambda evidence, stream: (
        bool(evidence.events) or is_covered(evidence, stream)))


@fault("Calls a delay unknown where an event covers the stream.", "10.11-01", "10.11-05")
def covered_delay_is_unknown(ca3):
    around(ca3_time, "delay_of", lambda delay_of: lambda *arguments: (
        None if (delay := delay_of(*arguments)) and delay.is_covered else delay))


@fault("Calls a delay not applicable where an event covers the stream.", "10.11-01", "10.11-05")
def covered_delay_not_applicable(ca3):
    around(ca3_time, "delay_of", lambda delay_of: lambda *arguments: (
        delay._replace(is_applicable=False)
        if (delay := delay_of(*arguments)) and delay.is_covered else delay))


@fault("Reports every stream under a trigger mapping, with a delay or without.", "10.11-01")
def trigger_alone_reported(ca3):
    def make(judged):
        def changed(query, ref):
            stream = query.reader.streams[ref]
            if ca3_delay.covered_by_trigger(query.reader.clocks, stream):
                query.evidence.report("delay-double-counted", "a trigger", stream_ref=ref)
            return judged(query, ref)
        return changed

    around(ca3_time.TimeQuery, "judged_delay", make)
