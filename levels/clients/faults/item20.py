"""Item 20: degraded intervals stand beside every result that falls inside one."""
from __future__ import annotations

import ca3_clock
import ca3_index
import ca3_query
import ca3_time
from ca3_clock import Clocks
from ca3_query import Query, stamp_of
from ca3_reader import Cursor, Violation, utf8
from level3 import on_clock
from registry import around, faults_of

fault = faults_of(20)


def on_reasons(change) -> None:
    """Lets `change(query, message, reasons)` alter what is said beside a message."""
    around(Query, "reasons_of", lambda reasons_of: lambda query, message: change(
        query, message, reasons_of(query, message)))


def intervals_by(choose) -> None:
    """Lets `choose(clocks, ref)` give the intervals of a stream."""
    Clocks.intervals_of = choose


# ------------------------------------------------------------------ left out (§10.12)


@fault("Passes over degraded intervals.", "10.12-05", "10.12-07")
def degraded_intervals_ignored(ca3):
    on_reasons(lambda query, message, reasons: [])


@fault("Gives degraded intervals in state_at and window alone.", "10.12-05", "10.12-07")
def intervals_ignored_in_times(ca3):
    around(ca3_time.TimeQuery, "reasons_of", lambda reasons_of: lambda query, message: [])


@fault("Gives degraded intervals in times alone.", "10.12-05")
def intervals_in_times_alone(ca3):
    reasons_of = Query.reasons_of
    ca3_time.TimeQuery.reasons_of = lambda query, message: reasons_of(query, message)
    Query.reasons_of = lambda query, message: []


@fault("Gives degraded intervals of mapped streams alone.", "10.12-05")
def intervals_of_mapped_streams(ca3):
    on_reasons(lambda query, message, reasons: (
        [] if query.clock_of(message["stream_ref"]).mapping is None else reasons))


@fault("Gives the first interval of a stream alone.", "10.12-05")
def first_interval_alone(ca3):
    around(Clocks, "intervals_of", lambda of: lambda clocks, ref: of(clocks, ref)[:1])


@fault("Gives the last interval of a stream alone.", "10.12-05")
def last_interval_alone(ca3):
    around(Clocks, "intervals_of", lambda of: lambda clocks, ref: of(clocks, ref)[-1:])


@fault("Gives one reason a stamp, that of the first interval.", "10.12-05")
def first_reason_alone(ca3):
    on_reasons(lambda query, message, reasons: reasons[:1])


@fault("Gives a general word in the place of an interval's reason.", "10.12-05")
def reason_in_general_words(ca3):
    on_reasons(lambda query, message, reasons: ["degraded"] * len(reasons))


@fault("Joins several reasons into one.", "10.12-05")
def reasons_joined(ca3):
    on_reasons(lambda query, message, reasons: ["; ".join(reasons)] if reasons else [])


@fault("Puts its own words in front of a reason.", "10.12-05")
def reason_with_a_prefix(ca3):
    on_reasons(lambda query, message, reasons: [f"degraded: {reason}" for reason in reasons])


# ------------------------------------------------------------------ too far (§10.12)


@fault("Applies an interval to every stream.", "10.12-06")
def intervals_of_every_stream(ca3):
    intervals_by(lambda clocks, ref: clocks.intervals)


@fault("Applies an interval to every stream of its stream's host.", "10.12-06")
def intervals_of_the_whole_host(ca3):
    def choose(clocks, ref):
        host = ca3_clock.host_domain(clocks.streams[ref])
        return [interval for interval in clocks.intervals
                if interval["stream_ref"] in clocks.streams
                and ca3_clock.host_domain(clocks.streams[interval["stream_ref"]]) == host]

    intervals_by(choose)


def held_by(holds) -> None:
    """Lets `holds(interval, stamp)` say whether an interval holds a stamp."""
    ca3_clock.holds = holds


@fault("Applies an interval to the whole stream.", "10.12-06", "10.12-07")
def interval_spoils_the_stream(ca3):
    held_by(lambda interval, stamp: True)


@fault("Applies an interval to all that comes after it.", "10.12-06", "10.12-07")
def interval_never_ends(ca3):
    held_by(lambda interval, stamp: stamp >= interval["from_ns"])


@fault("Applies an interval to all that comes before its end.", "10.12-06", "10.12-07")
def interval_never_begins(ca3):
    held_by(lambda interval, stamp: stamp <= interval["to_ns"])


@fault("Turns the basis of what lies in an interval to degraded.", "10.12-05")
def interval_lowers_the_basis(ca3):
    def make(label):
        def changed(query, message, clock):
            labels = label(query, message, clock)
            within = message and query.reasons_of(message)
            return {**labels, "basis": "degraded"} if within else labels
        return changed

    around(Query, "label", make)


@fault("Leaves out the messages that lie in an interval.", "10.12-05", "10.12-07")
def degraded_messages_left_out(ca3):
    def make(times):
        def changed(query, ref):
            result = times(query, ref)
            return {**result, "samples": [sample for sample in result["samples"] if not (
                query.reasons_of({"stream_ref": ref, **sample}))]}
        return changed

    around(ca3_time.TimeQuery, "times", make)


# ------------------------------------------------------------------ the ends and their clock


@fault("Leaves the first stamp of an interval out.", "10.12-07")
def interval_from_left_out(ca3):
    held_by(lambda interval, stamp: interval["from_ns"] < stamp <= interval["to_ns"])


@fault("Leaves the last stamp of an interval out.", "10.12-07")
def interval_to_left_out(ca3):
    held_by(lambda interval, stamp: interval["from_ns"] <= stamp < interval["to_ns"])


@fault("Leaves both ends of an interval out.", "10.12-07")
def interval_ends_left_out(ca3):
    held_by(lambda interval, stamp: interval["from_ns"] < stamp < interval["to_ns"])


@fault("Adds a nanosecond to an interval at either end.", "10.12-07", "10.12-06")
def interval_widened(ca3):
    held_by(lambda interval, stamp: interval["from_ns"] - 1 <= stamp <= interval["to_ns"] + 1)


@fault("Takes intervals on the reference domain's clock.", "10.12-07")
def intervals_on_the_reference_clock(ca3):
    def reasons_of(query, message):
        clock = query.clock_of(message["stream_ref"])
        return ca3_query.reasons_at(query.reader.clocks.intervals_of(message["stream_ref"]),
                                    clock.to_reference(stamp_of(message)))

    Query.reasons_of = reasons_of


@fault("Holds intervals against the device's own stamps.", "10.12-07")
def intervals_on_the_devices_clock(ca3):
    def reasons_of(query, message):
        source = message["source_timestamp_ns"]
        return ca3_query.reasons_at(query.reader.clocks.intervals_of(message["stream_ref"]),
                                    stamp_of(message) if source is None else source)

    Query.reasons_of = reasons_of


# ------------------------------------------------------------------ the block's bytes (§10.4)


@fault("Leaves degraded intervals out of clock.", "10.4-09")
def intervals_not_told(ca3):
    on_clock(lambda query, result: result.update(degraded_intervals=[]))


@fault("Reads the end of an interval ahead of its beginning.", "10.4-09", "10.12-07")
def interval_ends_exchanged(ca3):
    ca3_clock.INTERVAL_FIELDS = "stream_ref:u32 to_ns:u64 from_ns:u64 reason:string"


@fault("Reads the ends of an interval as u32.", "10.4-09")
def interval_ends_narrow(ca3):
    ca3_clock.INTERVAL_FIELDS = "stream_ref:u32 from_ns:u32 to_ns:u32 reason:string"


def read_intervals(read) -> None:
    """Lets `read(cursor)` take the array at the end of a block."""
    def decode(content):
        cursor = Cursor(content)
        return {**cursor.fields(ca3_clock.BLOCK_FIELDS),
                "domains": cursor.array(lambda c: c.fields(ca3_clock.DOMAIN_FIELDS)),
                "degraded_intervals": read(cursor)}

    ca3_index.decode_clock_block = decode


@fault("Reads no intervals: the block ends behind its domains.", "10.4-09", "10.12-05")
def block_ends_behind_domains(ca3):
    read_intervals(lambda cursor: [])


@fault("Ends the list of intervals at the first that does not decode.", "10.4-09")
def spoilt_interval_left_out(ca3):
    def read(cursor):
        found = []
        try:
            for _ in range(cursor.u32()):
                found.append(cursor.fields(ca3_clock.INTERVAL_FIELDS))
        except Violation:
            pass
        return found

    read_intervals(read)


@fault("Cuts a reason off at the end of its record.", "10.4-09")
def reason_cut_off(ca3):
    def interval(cursor):
        found = cursor.fields("stream_ref:u32 from_ns:u64 to_ns:u64")
        length = cursor.u32()
        return {**found, "reason": utf8(cursor.take(min(length, cursor.left())))}

    read_intervals(lambda cursor: cursor.array(interval))


@fault("Lists intervals by their beginning, not as they are stored.", "10.4-09")
def intervals_sorted(ca3):
    on_clock(lambda query, result: result.update(degraded_intervals=sorted(
        result["degraded_intervals"], key=lambda interval: interval["from_ns"])))
