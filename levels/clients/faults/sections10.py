"""Rules of §10 that refine no item: the reference, what a domain maps, delays, and samples."""
from __future__ import annotations

import ca3_clock
import ca3_delay
import ca3_index
import ca3_query
import ca3_time
from ca3_clock import EXACT, NOT_ESTIMATED, UNBOUNDED, UNMAPPED, Clocks, StreamClock
from ca3_delay import delay_of, may_be_taken_off, take_off
from ca3_estimator import METHODS, ROUND_TRIP
from ca3_evidence import UNVERIFIED, Evidence
from ca3_messages import ALIGNMENT_EVENT
from ca3_query import Query, stamp_of
from ca3_reader import CLOCK_BLOCK, Violation
from ca3_time import SOURCE, TIME, TimeQuery
from level3 import on_bounds, on_clock, on_samples, on_told
from registry import around, faults_of

fault = faults_of(None)


# ------------------------------------------------------------------ the reference (§10.3)


def on_reference(change) -> None:
    """Lets `change(query, reference)` give the reference that `clock` tells of."""
    on_clock(lambda query, result: result.update(
        reference=change(query, result["reference"])))


def has_block(query) -> bool:
    return bool(query.reader.group(CLOCK_BLOCK))


def pair_of(stated) -> dict:
    return {name: stated[name] for name in ("host_id", "host_clock_epoch")}


@fault("Tells the Header's pair for the block's.", "10.3-01")
def header_pair_told(ca3):
    on_reference(lambda query, reference: pair_of(query.reader.header))


@fault("Tells the reference's host without its boot.", "10.3-01")
def reference_without_its_boot(ca3):
    on_reference(lambda query, reference: {**reference, "host_clock_epoch": ""})


@fault("Tells the first stream's pair for the reference.", "10.3-01")
def reference_of_the_first_stream(ca3):
    on_reference(lambda query, reference: next(
        (pair_of(stream) for _, stream in sorted(query.reader.streams.items())), reference))


@fault("Tells no reference although there is a block.", "10.3-01")
def reference_is_null(ca3):
    on_reference(lambda query, reference: None)


def own_domain(query) -> dict:
    """A domain that nobody stated."""
    return {"domain": query.reader.header["host_id"], "kind": 2, "method": 0, "quality": 2,
            "offset_ns": 0, "skew_ppb": 0, "reference_source_ns": 0, "residual_spread_ns": 0,
            "min_rtt_ns": None, "bias_low_ns": UNBOUNDED, "bias_high_ns": 0,
            "skew_uncertainty_ppb": NOT_ESTIMATED, "observation_count": 0,
            "observations_stream": 0, "estimator_version": 1, "verification": UNVERIFIED}


@fault("Makes up the file's own domain where there is no block.", "10.3-05")
def domain_invented(ca3):
    def change(query, result):
        if not has_block(query):
            result["domains"] = [own_domain(query)]

    on_clock(change)


@fault("Makes up the file's own domain where a block has none.", "10.4-02")
def domain_of_an_empty_block(ca3):
    def change(query, result):
        if has_block(query) and not result["domains"]:
            result["domains"] = [own_domain(query)]

    on_clock(change)


@fault("Makes up an empty reference where there is no block.", "10.3-05")
def reference_invented(ca3):
    on_reference(lambda query, reference: (
        reference if has_block(query) else {"host_id": "", "host_clock_epoch": ""}))


@fault("Refuses clock where there is no block.", "10.3-05")
def block_required(ca3):
    def make(clock):
        def changed(query):
            ca3.require(has_block(query), "other", "no ClockBlock")
            return clock(query)
        return changed

    around(TimeQuery, "clock", make)


# ------------------------------------------------------------------ the round trip (§10.4, §10.5)


@fault("Gives an absent minimum round trip as 0.", "10.4-05")
def absent_rtt_is_zero(ca3):
    on_told(lambda stored, told: told.update(min_rtt_ns=told["min_rtt_ns"] or 0))


@fault("Gives a minimum round trip of 0 as absent.", "10.4-05")
def zero_rtt_is_absent(ca3):
    on_told(lambda stored, told: told.update(min_rtt_ns=told["min_rtt_ns"] or None))


@fault("Goes by the method for whether there is a minimum round trip.", "10.4-05")
def rtt_by_the_method(ca3):
    on_told(lambda stored, told: told.update(
        min_rtt_ns=stored["min_rtt_ns"] if stored["method"] == ROUND_TRIP else None))


def on_round_trip_bounds(change) -> None:
    """Lets `change(domain, low, high)` give both bounds of a round trip."""
    on_bounds(lambda domain, low, high: (
        change(domain, low, high) if domain["method"] == ROUND_TRIP else (low, high)))


@fault("Halves the bounds of a round trip again.", "10.5-03")
def round_trip_bound_halved_again(ca3):
    on_round_trip_bounds(lambda domain, low, high: tuple(
        side if side == UNBOUNDED else side // 2 for side in (low, high)))


@fault("Gives the minimum round trip itself for the bounds.", "10.5-03")
def round_trip_bound_is_the_rtt(ca3):
    on_round_trip_bounds(lambda domain, low, high: (domain["min_rtt_ns"],) * 2)


@fault("Gives a round trip no bound below, as if it were one way.", "10.5-03")
def round_trip_as_one_way(ca3):
    on_round_trip_bounds(lambda domain, low, high: (UNBOUNDED, 0))


# ------------------------------------------------------------------ devices (§10.4)


@fault("Matches a device's domain by the beginning of its name.", "10.4-14")
def device_domain_by_prefix(ca3):
    ca3_clock.matches_source = lambda domain, stream: (
        domain["kind"] == ca3_clock.DEVICE and domain["domain"] != ""
        and stream["source_clock_domain"].startswith(domain["domain"]))


@fault("Matches a device's domain by the stream's host.", "10.4-14")
def device_domain_by_host(ca3):
    ca3_clock.matches_source = lambda domain, stream: (
        domain["kind"] == ca3_clock.DEVICE and domain["domain"] == stream["host_id"])


@fault("Maps no device's stamps.", "10.4-14")
def device_domains_ignored(ca3):
    ca3_clock.matches_source = lambda domain, stream: False


@fault("Maps a device's stamps by whatever domain has its name.", "10.4-14")
def device_domain_of_any_kind(ca3):
    ca3_clock.matches_source = lambda domain, stream: (
        domain["domain"] == stream["source_clock_domain"] != "")


@fault("Maps a device's stamps by the first device's domain.", "10.4-14")
def first_device_maps_all(ca3):
    ca3_clock.matches_source = lambda domain, stream: (
        domain["kind"] == ca3_clock.DEVICE and stream["source_clock_domain"] != "")


@fault("Maps a device's stamps by its host's line where it has none itself.", "10.4-14",
       "10.9-09")
def host_line_for_device_stamps(ca3):
    around(Clocks, "source_of", lambda source_of: lambda clocks, stream: (
        found if (found := source_of(clocks, stream)).mapping else clocks.of(stream)))


@fault("Calls a device's stamps exact where its host is the reference.", "10.4-14", "10.9-09")
def device_stamps_as_the_hosts(ca3):
    around(Clocks, "source_of", lambda source_of: lambda clocks, stream: (
        StreamClock(EXACT, None) if clocks.is_reference(stream)
        and source_of(clocks, stream).mapping is None else source_of(clocks, stream)))


# ------------------------------------------------------------------ unknown bytes (§10.4)


@fault("Believes the bounds of a method that is not defined.", "10.4-15")
def undefined_method_believed(ca3):
    ca3_time.bias = lambda domain, side: ca3_clock.bound(domain[side])


@fault("Takes a method that is not defined for unbounded below alone.", "10.4-15")
def undefined_method_as_one_way(ca3):
    around(ca3_time, "bias", lambda bias: lambda domain, side: (
        0 if side == "bias_high_ns" and domain["method"] not in METHODS else bias(domain, side)))


def undefined(domain) -> bool:
    return (domain["kind"] > ca3_clock.SELF or domain["method"] not in METHODS
            or domain["quality"] > 2)


@fault("Refuses a file of which a domain has a method that is not defined.", "10.4-15")
def undefined_method_refused(ca3):
    refusing(lambda domain: domain["method"] not in METHODS)


@fault("Refuses a file of which a domain has an undefined kind, method or quality.",
       "10.4-13", "10.4-15")
def undefined_bytes_refused(ca3):
    refusing(undefined)


def refusing(is_wrong) -> None:
    """Refuses a block with a domain that `is_wrong(domain)` names."""
    def make(decode):
        def changed(content):
            block = decode(content)
            if any(is_wrong(domain) for domain in block["domains"]):
                raise Violation("other", "a domain with an undefined byte")
            return block
        return changed

    around(ca3_index, "decode_clock_block", make)


@fault("Uses no mapping of a method that is not defined.", "10.4-15")
def undefined_method_is_unusable(ca3):
    around(ca3_clock, "is_usable", lambda is_usable: lambda domain: (
        is_usable(domain) and domain["method"] in METHODS))


@fault("Tells an undefined kind, method or quality as the nearest that is defined.", "10.4-13")
def undefined_bytes_clamped(ca3):
    on_told(lambda stored, told: told.update(
        kind=min(told["kind"], 2), method=min(told["method"], 3), quality=min(told["quality"], 2)))


@fault("Tells an undefined kind, method or quality as 0.", "10.4-13")
def undefined_bytes_are_zero(ca3):
    on_told(lambda stored, told: told.update(
        kind=told["kind"] if told["kind"] <= 2 else 0,
        method=told["method"] if told["method"] <= 3 else 0,
        quality=told["quality"] if told["quality"] <= 2 else 0))


@fault("Leaves domains of a kind that is not defined out of clock.", "10.4-13")
def undefined_kinds_left_out(ca3):
    on_clock(lambda query, result: result.update(domains=[
        domain for domain in result["domains"] if domain["kind"] <= ca3_clock.SELF]))


# ------------------------------------------------------------------ which delay (§10.9)


def choosing(choose) -> None:
    """Lets `choose(delays)` take one of a stream's candidates, of which there is one at least."""
    ca3_delay.chosen = lambda evidence, delays: choose(delays) if delays else None


@fault("Takes the first of several delays.", "10.9-07")
def first_delay_wins(ca3):
    ca3_delay.last = lambda delays: delays[0] if delays else None


@fault("Takes the last of several delays, whatever they name.", "10.9-07")
def last_delay_wins(ca3):
    choosing(lambda delays: delays[-1])


@fault("Takes a device's delay before one that names the stream.", "10.9-07")
def device_wide_delay_wins(ca3):
    choosing(lambda delays: ([delay for delay in delays if not delay["stream_ref"]] or delays)[-1])


@fault("Adds up all delays of a stream.", "10.9-07")
def delays_added_up(ca3):
    choosing(lambda delays: {**delays[-1], "delay_ns": sum(
        delay["delay_ns"] for delay in delays)})


@fault("Adds a device's delay to one that names the stream.", "10.9-07")
def both_kinds_added_up(ca3):
    def choose(delays):
        kinds = ([delay for delay in delays if bool(delay["stream_ref"]) == named]
                 for named in (False, True))
        last = [kind[-1] for kind in kinds if kind]
        return {**last[-1], "delay_ns": sum(delay["delay_ns"] for delay in last)}

    choosing(choose)


@fault("Takes the greatest of several delays.", "10.9-07")
def greatest_delay_wins(ca3):
    choosing(lambda delays: max(delays, key=lambda delay: delay["delay_ns"]))


@fault("Takes the delay that was measured last, not the one that stands last.", "10.9-07")
def latest_measured_wins(ca3):
    choosing(lambda delays: max(delays, key=lambda delay: (
        delay["stream_ref"] != 0, delay["measured_unix_ns"])))


@fault("Takes a delay under other firmware before one that fits.", "10.9-07", "10.9-05")
def stale_delay_wins(ca3):
    choosing(lambda delays: ([delay for delay in delays if delay["stream_ref"]] or delays)[-1])


# ------------------------------------------------------------------ which time (§10.9, §10.12)


def targeting(choose) -> None:
    """Lets `choose(clock, source_clock, message)` say what a delay is taken off from."""
    ca3_time.target_of = lambda delay, clock, source_clock, message: (
        choose(clock, source_clock, message) if may_be_taken_off(delay) else None)


@fault("Corrects both the stamp's time and the source's.", "10.9-08")
def both_times_corrected(ca3):
    def make(sample):
        def changed(query, message, clock, source_clock, delay):
            made = sample(query, message, clock, source_clock, delay)
            target = ca3_time.target_of(delay, clock, source_clock, message)
            if target == SOURCE and clock.basis != UNMAPPED:
                made["time"] = ca3_time.corrected(made["time"], delay, True)
            return made
        return changed

    around(TimeQuery, "sample", make)


@fault("Corrects the stamp's time where the source's is mapped.", "10.9-08")
def stamp_corrected_for_source(ca3):
    targeting(lambda clock, source_clock, message: TIME if clock.basis != UNMAPPED else None)


@fault("Corrects the source's time alone, and no sample that has none.", "10.9-08")
def source_corrected_alone(ca3):
    targeting(lambda clock, source_clock, message: (
        SOURCE if message["source_timestamp_ns"] is not None and source_clock.basis != UNMAPPED
        else None))


@fault("Takes a delay off a stamp that is on no known clock.", "10.9-08")
def unmapped_stamp_corrected(ca3):
    targeting(lambda clock, source_clock, message: (
        TIME if source_clock.basis == UNMAPPED
        else SOURCE if message["source_timestamp_ns"] is not None else None))


@fault("Takes a delay off a source stamp that is on no known clock.", "10.9-08", "10.9-09")
def unmapped_source_corrected(ca3):
    targeting(lambda clock, source_clock, message: (
        SOURCE if message["source_timestamp_ns"] is not None
        else TIME if clock.basis != UNMAPPED else None))


@fault("Corrects the stamp's time of a sample that has no source stamp.", "10.9-09")
def sample_without_source_corrected(ca3):
    targeting(lambda clock, source_clock, message: (
        SOURCE if message["source_timestamp_ns"] is not None and source_clock.basis != UNMAPPED
        else TIME if clock.basis != UNMAPPED else None))


@fault("Says that a delay was taken off a sample that has no source stamp.", "10.9-09")
def sample_without_source_called_corrected(ca3):
    def change(message, clock, sample):
        if message["source_timestamp_ns"] is None and sample["device_delay"] != "unknown":
            sample["device_delay"] = {**sample["device_delay"], "applied": True}

    on_samples(change)


def label_with_delays(operation: str) -> None:
    """Takes delays off in an operation of level 2."""
    label = Query.label

    def changed(query, message, clock):
        labels = label(query, message, clock)
        if message is None or clock.basis == UNMAPPED:
            return labels
        evidence, stream = Evidence(query.reader), query.reader.streams[message["stream_ref"]]
        delay = delay_of(evidence, stream, ca3_delay.candidates(evidence, stream))
        if may_be_taken_off(delay):
            labels["time"] = take_off(labels["time"], delay)
        return labels

    def make(asked):
        def run(query, *arguments):
            Query.label = changed
            try:
                return asked(query, *arguments)
            finally:
                Query.label = label
        return run

    around(Query, operation, make)


@fault("Takes delays off in state_at.", "10.9-08")
def state_at_takes_delays_off(ca3):
    label_with_delays("state_of")


@fault("Takes delays off in window.", "10.9-08")
def window_takes_delays_off(ca3):
    label_with_delays("window_of")


@fault("Takes a delay off the device's stamp itself.", "10.9-08", "0.3-01")
def source_stamp_corrected(ca3):
    around(ca3_time, "source_time", lambda source_time: lambda message, clock, delay, is_target: (
        {**made, "timestamp_ns": take_off(made["timestamp_ns"], delay)}
        if (made := source_time(message, clock, delay, is_target)) and is_target else made))


@fault("Says that a time without its delay is no longer exact.", "10.9-08")
def corrected_is_not_exact(ca3):
    def change(message, clock, sample):
        delay = sample["device_delay"]
        if delay != "unknown" and delay["applied"] and sample["basis"] == EXACT:
            sample["basis"] = "ok"

    on_samples(change)


# ------------------------------------------------------------------ source stamps (§10.9)


@fault("Calls source stamps without a domain ok.", "10.9-09")
def nameless_source_is_ok(ca3):
    around(Clocks, "source_of", lambda source_of: lambda clocks, stream: (
        StreamClock("ok", ca3_clock.Mapping(0, 0, 0), None)
        if stream["source_clock_domain"] == "" else source_of(clocks, stream)))
    around(ca3_time, "uncertainty", lambda uncertainty: lambda clock, stamp, of_delay: (
        "cannot" if clock.mapping and not clock.domain else uncertainty(clock, stamp, of_delay)))


@fault("Calls source stamps without a domain exact.", "10.9-09")
def nameless_source_is_exact(ca3):
    around(Clocks, "source_of", lambda source_of: lambda clocks, stream: (
        StreamClock(EXACT, None) if stream["source_clock_domain"] == ""
        else source_of(clocks, stream)))


@fault("Maps source stamps without a domain by a device without a name.", "10.9-09")
def nameless_device_maps(ca3):
    ca3_clock.matches_source = lambda domain, stream: (
        domain["kind"] == ca3_clock.DEVICE and domain["domain"] == stream["source_clock_domain"])


@fault("Leaves out source stamps that have no domain.", "10.9-09")
def nameless_source_left_out(ca3):
    around(ca3_time, "source_time", lambda source_time: lambda message, clock, *rest: (
        None if clock.basis == UNMAPPED else source_time(message, clock, *rest)))


@fault("Takes an absent source stamp for 0.", "10.9-09", "0.3-01")
def absent_source_is_zero(ca3):
    around(TimeQuery, "sample", lambda sample: lambda query, message, *rest: sample(
        query, {**message, "source_timestamp_ns": message["source_timestamp_ns"] or 0}, *rest))


@fault("Takes a sample's own stamp for a source stamp that is absent.", "10.9-09", "0.3-01")
def stamp_for_an_absent_source(ca3):
    around(TimeQuery, "sample", lambda sample: lambda query, message, *rest: sample(
        query, {**message, "source_timestamp_ns": stamp_of(message)
                if message["source_timestamp_ns"] is None else message["source_timestamp_ns"]},
        *rest))


# ------------------------------------------------------------------ events (§10.10)


def on_events(change) -> None:
    """Lets `change(events)` alter the alignment events that `clock` tells of."""
    on_clock(lambda query, result: result.update(
        alignment_events=change(result["alignment_events"])))


INSTRUMENTS = {"ttl", "photodiode", "flash"}


@fault("Judges an event's kind by the name of its method.", "10.10-01")
def kind_by_the_methods_name(ca3):
    on_events(lambda events: [{**event, "kind": 0 if event["method"] in INSTRUMENTS else 1}
                              for event in events])


@fault("Tells every event as instrumented.", "10.10-01")
def every_event_is_instrumented(ca3):
    on_events(lambda events: [{**event, "kind": 0} for event in events])


@fault("Tells an event without its kind.", "10.10-01")
def kind_not_told(ca3):
    on_events(lambda events: [
        {name: value for name, value in event.items() if name != "kind"} for event in events])


@fault("Tells an event's kind the wrong way round.", "10.10-01")
def kinds_exchanged(ca3):
    on_events(lambda events: [{**event, "kind": 1 - event["kind"] if event["kind"] < 2
                               else event["kind"]} for event in events])


@fault("Leaves out events that are derived from content.", "10.10-01")
def content_events_left_out(ca3):
    on_events(lambda events: [event for event in events if event["kind"] == 0])


@fault("Tells an event that several streams observed as pairs.", "10.10-01", "10.10-03")
def events_in_pairs(ca3):
    def pairs(event):
        first, *others = event["observations"] or [None]
        return [{**event, "observations": [first, other]} for other in others] or [event]

    on_events(lambda events: [pair for event in events for pair in pairs(event)])


@fault("Gives all observations of an event the greatest of their uncertainties.", "10.10-01",
       "10.10-03")
def one_uncertainty_an_event(ca3):
    def change(event):
        worst = max((sight["uncertainty_ns"] for sight in event["observations"]), default=0)
        return {**event, "observations": [{**sight, "uncertainty_ns": worst}
                                          for sight in event["observations"]]}

    on_events(lambda events: [change(event) for event in events])


@fault("Tells the stamps of an event's observations mapped onto the reference.", "10.10-04",
       "10.10-01")
def event_stamps_told_mapped(ca3):
    def change(query, result):
        clocks, streams = query.reader.clocks, query.reader.streams

        def mapped(sight):
            stream = streams.get(sight["stream_ref"])
            clock = stream and (clocks.source_of(stream) if stream["source_clock_domain"]
                                else clocks.of(stream))
            stamp = sight["stamp_ns"]
            return {**sight, "stamp_ns": clock.to_reference(stamp) if clock else stamp}

        result["alignment_events"] = [
            {**event, "observations": [mapped(sight) for sight in event["observations"]]}
            for event in result["alignment_events"]]

    on_clock(change)


# ------------------------------------------------------------------ samples (§0.3, §9.2, §10.6)


@fault("Gives the mapped time in the place of a sample's stamp.", "0.3-01", "10.9-08")
def sample_stamp_is_mapped(ca3):
    on_samples(lambda message, clock, sample: sample.update(
        monotonic_timestamp_ns=sample["time"]))


@fault("Gives the mapped time in the place of the device's own stamp.", "0.3-01", "10.4-14",
       "10.9-08")
def source_stamp_is_mapped(ca3):
    def change(message, clock, sample):
        if sample["source"]:
            sample["source"] = {**sample["source"], "timestamp_ns": sample["source"]["time"]}

    on_samples(change)


@fault("Gives samples as they are stored.", "9.2-04", "9.2-05")
def samples_as_stored(ca3):
    ca3_time.merge = lambda runs: [message for run in runs for message in run]


@fault("Gives samples by the device's own stamps.", "9.2-04")
def samples_by_source(ca3):
    around(ca3_time, "merge", lambda merge: lambda runs: sorted(
        merge(runs), key=lambda message: message["source_timestamp_ns"] or 0))


@fault("Gives samples of one stamp in reverse.", "9.2-05", "9.2-06", "9.2-04")
def equal_samples_reversed(ca3):
    around(ca3_time, "merge", lambda merge: lambda runs: merge(
        [run[::-1] for run in reversed(runs)]))


@fault("Gives one sample a stamp.", "9.2-05", "9.2-06", "9.2-04")
def one_sample_a_stamp(ca3):
    around(ca3_time, "merge", lambda merge: lambda runs: list(
        {stamp_of(message): message for message in merge(runs)}.values()))


def bringing_into_range(bring) -> None:
    """Lets `bring(time)` do something about a time that 64 bits do not hold."""
    ca3_query.in_range = ca3_time.in_range = bring


@fault("Lets a mapped time past 64 bits wrap.", "10.6-11", "10.9-02")
def mapped_time_wraps(ca3):
    bringing_into_range(lambda time: time % 2**64)


@fault("Clamps a mapped time past 64 bits.", "10.6-11", "10.9-02")
def mapped_time_clamped(ca3):
    bringing_into_range(lambda time: min(time, 2**64 - 1))


@fault("Answers times of a stream that nothing declares with no samples.", "5.7-05")
def undeclared_stream_has_no_samples(ca3):
    around(TimeQuery, "times", lambda times: lambda query, ref: (
        times(query, ref) if ref in query.reader.streams else {"samples": [], "problems": []}))


@fault("Gives a stream of events an event before it has one.", "10.10-01")
def event_of_an_empty_stream(ca3):
    empty = {"event_id": 0, "kind": 0, "method": "", "observed_by": "", "observations": []}

    def change(query, result):
        streams = query.evidence.streams_of(ALIGNMENT_EVENT)
        if streams and not result["alignment_events"]:
            result["alignment_events"] = [dict(empty) for _ in streams]

    on_clock(change)


@fault("Takes a presence byte other than 1 for absence.", "10.4-05")
def presence_is_one_alone(ca3):
    ca3_clock.is_present = lambda flag: flag == 1


@fault("Gives a stream without messages a sample at 0.", "9.2-07")
def sample_of_an_empty_stream(ca3):
    around(TimeQuery, "times", lambda times: lambda query, ref: (
        lambda result: result if result["samples"] else {**result, "samples": [
            {"monotonic_timestamp_ns": 0, "time": 0, "basis": "exact", "uncertainty": "cannot",
             "source": None, "degraded": [], "device_delay": "unknown"}]})(times(query, ref)))


@fault("Gives the samples of all streams for one.", "9.2-07")
def samples_of_every_stream(ca3):
    around(TimeQuery, "times", lambda times: lambda query, ref: {
        **times(query, ref),
        "samples": [sample for each in query.declared()
                    for sample in times(query, each)["samples"]]})


@fault("Leaves the uncertainty of every time out.", "10.12-02")
def uncertainty_left_out(ca3):
    on_samples(lambda message, clock, sample: sample.pop("uncertainty"))
