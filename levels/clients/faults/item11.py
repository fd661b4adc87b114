"""Item 11: the state at an instant, within one chunk and where chunks overlap."""
from __future__ import annotations

from bisect import bisect_left, bisect_right

import ca3_index
import ca3_query
from ca3_index import IndexedReader
from ca3_query import Query, stamp_of
from level2 import (entries_by, head_of, on_entries, on_index, on_tables, overlap_bits, signed,
                    without_columns)
from registry import around, faults_of

fault = faults_of(11)


# ------------------------------------------------------------------ the search (§9.1)


def search(last_started) -> None:
    """Lets `last_started(first stamps, t)` choose the entry to begin with."""
    ca3_query.last_started = lambda entries, t: last_started(
        [entry["min_stamp_ns"] for entry in entries], t)


@fault("Takes the first chunk that starts after T.", "9.1-05")
def chunk_after_t(ca3):
    search(lambda starts, t: min(bisect_right(starts, t), len(starts) - 1))


@fault("Takes the entry before the one that starts last.", "9.1-05")
def one_entry_too_early(ca3):
    search(lambda starts, t: bisect_right(starts, t) - 1 - (bisect_right(starts, t) > 1))


@fault("Takes a chunk only where it starts ahead of T.", "9.1-05", "9.1-08")
def start_must_precede_t(ca3):
    search(lambda starts, t: bisect_left(starts, t) - 1)


@fault("Takes the stream's first chunk.", "9.1-05")
def first_chunk_answers(ca3):
    search(lambda starts, t: 0 if starts and starts[0] <= t else -1)


@fault("Finds no message between two chunks.", "9.1-05")
def holes_are_empty(ca3):
    around(Query, "last_message", lambda last: lambda query, ref, t: (
        last(query, ref, t) if any(entry["min_stamp_ns"] <= t <= entry["max_stamp_ns"]
                                   for entry in query.reader.entries_of(ref)) else None))


@fault("Searches the whole index for the entry.", "9.1-05")
def search_over_all_streams(ca3):
    entries_by(lambda reader, row: reader.entries)


@fault("Takes index_count 0 for 1.", "9.1-09")
def one_entry_at_least(ca3):
    entries_by(lambda reader, row: reader.entries[row["first_index"]:][:max(1, row["index_count"])])


@fault("Takes a stream's reference for its place in the directory.", "9.1-05", "9.1-09")
def directory_by_place(ca3):
    def entries_of(reader, ref):
        rows = reader.directory[ref - 1:ref]
        return ca3_index.sub_array(reader.entries, rows[0]) if rows else []

    IndexedReader.entries_of = entries_of


@fault("Takes T for a signed number.", "9.1-05")
def t_is_signed(ca3):
    around(Query, "last_message", lambda last: lambda query, ref, t: last(query, ref, signed(t)))


@fault("Takes the index's stamps for signed numbers.", "9.1-05")
def keys_are_signed(ca3):
    ca3_query.last_started = lambda entries, t: bisect_right(
        [signed(entry["min_stamp_ns"]) for entry in entries], signed(t)) - 1


@fault("Passes over chunks in columns.", "9.1-05")
def state_without_columns(ca3):
    on_entries(without_columns)


@fault("Takes stamps before T alone.", "9.1-08")
def message_at_t_left_out(ca3):
    ca3_query.is_reached = lambda stamp, t: stamp < t


@fault("Takes a stamp of 0 for none.", "9.1-08")
def stamp_zero_is_none(ca3):
    around(Query, "last_message", lambda last: lambda query, ref, t: (
        message if (message := last(query, ref, t)) and stamp_of(message) else None))


@fault("Gives the first message where there is none yet.", "9.1-09")
def first_message_ahead_of_itself(ca3):
    def make(last):
        def changed(query, ref, t):
            entries = query.reader.entries_of(ref)
            message = last(query, ref, t)
            if message or not entries:
                return message
            return min(query.reader.messages_of(entries[0]), key=stamp_of)
        return changed

    around(Query, "last_message", make)


@fault("Leaves streams without a message out of the results.", "9.1-09")
def streams_without_message_left_out(ca3):
    def make(state_at):
        def changed(query, t, refs):
            result = state_at(query, t, refs)
            result["results"] = [state for state in result["results"] if state["message"]]
            return result
        return changed

    around(Query, "state_at", make)


# ------------------------------------------------------------------ order of the table (§7.1)


@fault("Sorts a stream's entries by file position.", "7.1-07")
def entries_by_position(ca3):
    on_entries(lambda reader, ref, entries: sorted(
        entries, key=lambda entry: entry["chunk_offset"]))


@fault("Lists the index by file position.", "7.1-07")
def index_by_position(ca3):
    on_index(lambda reader, result: result["entries"].sort(
        key=lambda entry: entry["chunk_offset"]))


@fault("Lists the index of all streams by stamp.", "7.1-07")
def index_by_stamp(ca3):
    on_index(lambda reader, result: result["entries"].sort(
        key=lambda entry: entry["min_stamp_ns"]))


# ------------------------------------------------------------------ chunks_overlap (§7.2)


@fault("Takes the entry of the ordered search although chunks_overlap is set.",
       "7.2-01", "9.1-06")
def overlap_bit_ignored(ca3):
    IndexedReader.chunks_overlap = lambda reader, ref: False


@fault("Takes the first directory entry's flags for all streams.", "7.2-01")
def flags_of_the_first_stream(ca3):
    IndexedReader.chunks_overlap = lambda reader, ref: ca3_index.has_overlap_bit(
        reader.directory[0]["flags"])


@fault("Takes chunks that share one stamp to be apart.", "7.2-01")
def touching_is_apart(ca3):
    on_tables(lambda reader: overlap_bits(reader, lambda before, entry: (
        before["prefix_max_stamp_ns"] > entry["min_stamp_ns"])))


@fault("Takes chunks a nanosecond apart to overlap.", "7.2-01")
def next_nanosecond_overlaps(ca3):
    on_tables(lambda reader: overlap_bits(reader, lambda before, entry: (
        before["prefix_max_stamp_ns"] + 1 >= entry["min_stamp_ns"])))


# ------------------------------------------------------------------ the scan back (§9.1)


def scan(go_on, take=None, stop=lambda better: False):
    """A scan back: on while `go_on(entry, best)`, keeping what `take(found, best)` wants."""
    def scan_back(query, entries, at, t):
        best = query.last_in_chunk(entries[at], t)
        while at > 0 and go_on(entries[at - 1], best):
            at -= 1
            found = query.last_in_chunk(entries[at], t)
            better = (take or ca3_query.is_later)(found, best)
            best = found if better else best
            if stop(better):
                break
        return best

    return scan_back


def at_most(count: int):
    return lambda scan_back: lambda query, entries, at, t: scan_back(
        query, entries[max(0, at - count):at + 1], min(at, count), t)


@fault("Gives the scan back up after one entry.", "9.1-06")
def gives_up_after_one(ca3):
    around(Query, "scan_back", at_most(1))


@fault("Gives the scan back up after eight entries.", "9.1-06")
def gives_up_after_eight(ca3):
    around(Query, "scan_back", at_most(8))


@fault("Stops at the first chunk with a later message.", "9.1-06")
def stops_at_the_first_better(ca3):
    Query.scan_back = scan(ca3_query.may_hold_later, stop=lambda better: better)


@fault("Stops at the first chunk without a later message.", "9.1-06")
def stops_at_nothing_better(ca3):
    Query.scan_back = scan(ca3_query.may_hold_later, stop=lambda better: not better)


@fault("Stops at the first chunk whose own last stamp is no later.", "9.1-06")
def stops_by_own_maximum(ca3):
    Query.scan_back = scan(lambda entry, best: (
        best is None or entry["max_stamp_ns"] > stamp_of(best)))


@fault("Takes the chunk that was read last.", "9.1-06")
def last_read_chunk_answers(ca3):
    Query.scan_back = scan(ca3_query.may_hold_later, take=lambda found, best: found is not None)


@fault("Scans back to the stream's first chunk, each time.", "9.1-06")
def scan_never_stops(ca3):
    Query.scan_back = scan(lambda entry, best: True)


@fault("Compares the running maximum with T.", "9.1-06")
def running_maximum_against_t(ca3):
    def scan_back(query, entries, at, t):
        return scan(lambda entry, best: entry["prefix_max_stamp_ns"] >= t)(query, entries, at, t)

    Query.scan_back = scan_back


@fault("Lets the entry earlier in the table win a tie.", "9.1-12")
def earlier_entry_wins(ca3):
    Query.scan_back = scan(
        lambda entry, best: best is None or entry["prefix_max_stamp_ns"] >= stamp_of(best),
        take=lambda found, best: found is not None and (
            best is None or stamp_of(found) >= stamp_of(best)))


@fault("Lets the chunk later in the file win a tie.", "9.1-12")
def later_position_wins(ca3):
    def scan_back(query, entries, at, t):
        found = [(stamp_of(message), entry["chunk_offset"], message) for entry in entries[:at + 1]
                 if (message := query.last_in_chunk(entry, t))]
        return max(found, key=lambda three: three[:2])[2] if found else None

    Query.scan_back = scan_back


# ------------------------------------------------------------------ within a chunk (§6.1, §9.1)


def in_chunk(choose) -> None:
    """Lets `choose(query, entry, messages, t)` take the message of a chunk."""
    Query.last_in_chunk = lambda query, entry, t: choose(
        query, entry, query.reader.messages_of(entry), t)


@fault("Takes the first stored of equal stamps.", "9.1-10")
def first_of_equals(ca3):
    ca3_query.replaces = lambda message, best: best is None or stamp_of(message) > stamp_of(best)


@fault("Ends a binary search at the first of equals.", "9.1-10")
def bisect_to_the_first_of_equals(ca3):
    def choose(query, entry, messages, t):
        stamps = [stamp_of(message) for message in messages]
        at = bisect_right(stamps, t) - 1
        return messages[bisect_left(stamps, stamps[at])] if at >= 0 else None

    in_chunk(choose)


@fault("Takes the last stored message at or before T.", "9.1-11")
def last_stored_reached(ca3):
    ca3_query.replaces = lambda message, best: True


@fault("Stops at the first stamp past T, whether the chunk is sorted or not.", "9.1-11")
def stops_past_t(ca3):
    def choose(query, entry, messages, t):
        best = None
        for message in messages:
            if stamp_of(message) > t:
                break
            best = message if ca3_query.replaces(message, best) else best
        return best

    in_chunk(choose)


@fault("Searches an unsorted chunk by halves.", "9.1-11")
def bisect_unsorted(ca3):
    def choose(query, entry, messages, t):
        at = bisect_right([stamp_of(message) for message in messages], t) - 1
        return messages[at] if at >= 0 else None

    in_chunk(choose)


@fault("Takes the last stored message of an unsorted chunk, whatever T.", "9.1-11")
def last_stored_where_unsorted(ca3):
    def make(last):
        def changed(query, entry, t):
            if head_of(query.reader, entry).flags & 1:
                return last(query, entry, t)
            return query.reader.messages_of(entry)[-1]
        return changed

    around(Query, "last_in_chunk", make)
