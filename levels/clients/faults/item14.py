"""Item 14: the messages of a window, in order, and the chunks that they are read from."""
from __future__ import annotations

import ca3_query
from ca3_index import IndexedReader
from ca3_query import Query, stamp_of
from level2 import (after_open, decode_all_chunks, entries_by, on_entries, signed,
                    without_columns)
from registry import around, faults_of

fault = faults_of(14)


def on_window(change) -> None:
    """Lets `change(query, messages)` alter the messages of a whole window."""
    def make(window):
        def changed(query, t1, t2, refs):
            result = window(query, t1, t2, refs)
            result["messages"] = change(query, result["messages"])
            return result
        return changed

    around(Query, "window", make)


def ends(change) -> None:
    """Lets `change(t1, t2)` give the ends of a window."""
    around(Query, "window", lambda window: lambda query, t1, t2, refs: window(
        query, *change(t1, t2), refs))


# ------------------------------------------------------------------ what is fetched (§6, §9.2)


@fault("Decodes every chunk when it opens a file.", "6-01", "9.2-03")
def chunks_decoded_at_open(ca3):
    after_open(decode_all_chunks)


@fault("Reads the chunks of all streams for a window.", "6-01", "9.2-03")
def chunks_of_all_streams_read(ca3):
    on_window(lambda query, messages: (decode_all_chunks(query.reader), messages)[1])


@fault("Reads every chunk ahead of the last that it wants.", "6-01", "9.2-03")
def chunks_read_from_the_front(ca3):
    def make(fetch_chunk):
        def changed(reader, place):
            for before in sorted(reader.chunks):
                if before < place.offset:
                    fetch_chunk(reader, reader.chunks[before])
            return fetch_chunk(reader, place)
        return changed

    around(IndexedReader, "fetch_chunk", make)


@fault("Gives the messages of all streams.", "6-01", "9.2-03")
def all_streams_answer(ca3):
    around(Query, "window", lambda window: lambda query, t1, t2, refs: window(
        query, t1, t2, query.declared()))


@fault("Checks no CRC.", "9.2-03")
def chunk_checksums_ignored(ca3):
    ca3.check_crc = lambda stored, expected: None


@fault("Takes an unassigned codec for none.", "9.2-03")
def unassigned_codec_is_plain(ca3):
    ca3.Chunk.check_coding = lambda chunk, refused_bits: None


@fault("Gives what it can of a chunk that does not decode.", "9.2-03")
def faulty_chunk_in_silence(ca3):
    def make(messages_of):
        def changed(reader, entry):
            try:
                return messages_of(reader, entry)
            except ca3.Violation:
                return []
        return changed

    around(IndexedReader, "messages_of", make)


# ------------------------------------------------------------------ which messages (§9.2)


@fault("Chooses the chunks that begin within the window.", "9.2-01")
def chunks_by_their_start(ca3):
    ca3_query.reaches_into = lambda entry, low, high: low <= entry["min_stamp_ns"] <= high


@fault("Chooses the chunks that lie wholly within the window.", "9.2-01")
def chunks_wholly_inside(ca3):
    ca3_query.reaches_into = lambda entry, low, high: (
        low <= entry["min_stamp_ns"] and entry["max_stamp_ns"] <= high)


@fault("Leaves out a chunk that only touches an end.", "9.2-02")
def touching_chunk_left_out(ca3):
    ca3_query.reaches_into = lambda entry, low, high: (
        entry["max_stamp_ns"] > low and entry["min_stamp_ns"] < high)


@fault("Gives chunks whole.", "9.2-01")
def window_of_whole_chunks(ca3):
    ca3_query.is_inside = lambda stamp, low, high: True


@fault("Leaves out a message at t2.", "9.2-02")
def window_open_at_t2(ca3):
    ca3_query.is_inside = lambda stamp, low, high: low <= stamp < high


@fault("Leaves out a message at t1.", "9.2-02")
def window_open_at_t1(ca3):
    ca3_query.is_inside = lambda stamp, low, high: low < stamp <= high


@fault("Puts the ends of a window in order.", "9.2-01")
def ends_put_in_order(ca3):
    ends(lambda t1, t2: (min(t1, t2), max(t1, t2)))


@fault("Takes the ends for signed numbers.", "9.2-01")
def ends_are_signed(ca3):
    ends(lambda t1, t2: (signed(t1), signed(t2)))


@fault("Takes an end near 2^64 for none, and the window for empty.", "9.2-01")
def ends_through_doubles(ca3):
    ends(lambda t1, t2: (int(float(t1)), int(float(t2)) % 2**64))


@fault("Adds the message in force when the window begins.", "9.2-01")
def state_at_t1_added(ca3):
    def make(window_of):
        def changed(query, ref, t1, t2):
            clock = query.clock_of(ref)
            before = query.last_message(ref, clock.to_stream(max(0, t1 - 1)))
            found = window_of(query, ref, t1, t2)
            return ([{**before, **query.label(before, clock)}] if before else []) + found
        return changed

    around(Query, "window_of", make)


@fault("Ends at the first chunk past the window, in file order.", "9.2-01", "7.1-07")
def window_in_file_order(ca3):
    def window_of(query, ref, t1, t2):
        clock, found = query.clock_of(ref), []
        low, high = clock.to_stream(t1), clock.to_stream(t2)
        for entry in sorted(query.reader.entries_of(ref), key=lambda entry: entry["chunk_offset"]):
            if entry["min_stamp_ns"] > high:
                break
            found += query.part_of(entry, low, high)
        return [{**message, **query.label(message, clock)} for message in found]

    Query.window_of = window_of


@fault("Passes over chunks in columns.", "9.2-01")
def window_without_columns(ca3):
    on_entries(without_columns)


@fault("Takes a stream without chunks to have the first of the index.", "9.2-01")
def window_of_a_neighbour(ca3):
    entries_by(lambda reader, row: reader.entries[row["first_index"]:][:max(1, row["index_count"])])


# ------------------------------------------------------------------ in which order (§9.2)


@fault("Gives the streams by reference.", "9.2-01")
def window_by_reference(ca3):
    around(Query, "window", lambda window: lambda query, t1, t2, refs: window(
        query, t1, t2, sorted(refs)))


@fault("Merges all streams by stamp.", "9.2-01", "9.2-05")
def streams_merged(ca3):
    on_window(lambda query, messages: sorted(messages, key=stamp_of))


@fault("Gives the messages as they are stored.", "9.2-04", "9.2-05")
def window_as_stored(ca3):
    ca3_query.merge = lambda runs: [message for run in runs for message in run]


@fault("Ends a chunk at its first stamp past the window.", "9.2-04")
def unsorted_chunk_cut(ca3):
    def part_of(query, entry, low, high):
        part = []
        for message in query.reader.messages_of(entry):
            if stamp_of(message) > high:
                break
            part += [message] if stamp_of(message) >= low else []
        return part

    Query.part_of = part_of


@fault("Sorts within chunks only, and joins them end to end.", "9.2-05")
def chunks_joined(ca3):
    ca3_query.merge = lambda runs: [message for run in runs
                                    for message in sorted(run, key=stamp_of)]


@fault("Keeps one message a stamp.", "9.2-05")
def merge_keyed_by_stamp(ca3):
    ca3_query.merge = lambda runs: [message for _, message in sorted(
        {stamp_of(message): message for run in runs for message in run}.items())]


@fault("Gives equal stamps in another order each time.", "9.2-06")
def ties_change_places(ca3):
    asked = []

    def merge(runs):
        asked.append(None)
        turned = runs if len(asked) % 2 else [run[::-1] for run in reversed(runs)]
        return sorted((message for run in turned for message in run), key=stamp_of)

    ca3_query.merge = merge


@fault("Lets the chunk later in the table come first among equals.", "9.2-05", "9.2-06")
def ties_backwards(ca3):
    around(ca3_query, "merge", lambda merge: lambda runs: merge(runs[::-1]))


def remembered(later) -> None:
    """Lets `later(messages)` answer a window that was asked before."""
    asked = set()

    def make(window):
        def changed(query, t1, t2, refs):
            result = window(query, t1, t2, refs)
            asking = repr((query.reader.footer, t1, t2, refs))
            if asking in asked:
                result["messages"] = later(result["messages"])
            asked.add(asking)
            return result
        return changed

    around(Query, "window", make)


@fault("Gives a window empty when it is asked again.", "9.2-06")
def window_used_up(ca3):
    remembered(lambda messages: [])


@fault("Adds to a window what it held before.", "9.2-06")
def window_kept_and_added_to(ca3):
    remembered(lambda messages: messages * 2)


@fault("Gives the streams of a window in another order each time.", "9.2-06")
def streams_change_places(ca3):
    asked = []

    def make(window):
        def changed(query, t1, t2, refs):
            asked.append(None)
            return window(query, t1, t2, refs if len(asked) % 2 else refs[::-1])
        return changed

    around(Query, "window", make)


# ------------------------------------------------------------------ as they are stored (§9.2)


@fault("Leaves out a message whose payload was there before.", "9.2-07")
def repeated_payload_left_out(ca3):
    on_window(lambda query, messages: [
        message for i, message in enumerate(messages)
        if message["payload"] not in {before["payload"] for before in messages[:i]}])


def periods(query):
    """Of streams that state a nominal rate, in nanoseconds."""
    return {ref: 10**12 // stream["nominal_rate_millihz"]
            for ref, stream in query.reader.streams.items() if stream["nominal_rate_millihz"]}


@fault("Puts stamps onto the grid of the nominal rate.", "9.2-07")
def stamps_on_a_grid(ca3):
    def change(query, messages):
        period, first, changed = periods(query), {}, []
        for message in messages:
            ref, stamp = message["stream_ref"], stamp_of(message)
            if ref in period:
                start = first.setdefault(ref, stamp)
                stamp = start + (stamp - start + period[ref] // 2) // period[ref] * period[ref]
            changed.append({**message, "monotonic_timestamp_ns": stamp})
        return changed

    on_window(change)


@fault("Fills a hole with the message before it.", "9.2-07")
def holes_filled(ca3):
    def change(query, messages):
        period, filled = periods(query), []
        for message in messages:
            step = period.get(message["stream_ref"])
            while step and filled and stamp_of(message) - stamp_of(filled[-1]) > step * 3 // 2:
                filled.append({**filled[-1],
                               "monotonic_timestamp_ns": stamp_of(filled[-1]) + step})
            filled.append(message)
        return filled

    on_window(change)


@fault("Fills absent fields from the message before.", "9.2-07")
def absent_fields_filled(ca3):
    def change(query, messages):
        filled = []
        for message in messages:
            before = filled[-1] if filled else {}
            filled.append({name: before.get(name) if value is None else value
                           for name, value in message.items()})
        return filled

    on_window(change)


@fault("Counts the sequences of a window from its first message.", "9.2-07")
def sequences_from_the_window(ca3):
    on_window(lambda query, messages: [
        {**message, "sequence": message["sequence"] and messages[0]["sequence"] and
         messages[0]["sequence"] + i} for i, message in enumerate(messages)])


@fault("Gives stamps and payloads alone.", "9.2-07")
def stamps_and_payloads_alone(ca3):
    on_window(lambda query, messages: [
        {name: value for name, value in message.items()
         if name not in ("record_ts_ns", "wall_clock_ns", "source_timestamp_ns")}
        for message in messages])


@fault("Leaves out a message that repeats the one before.", "9.2-07")
def repeats_left_out(ca3):
    on_window(lambda query, messages: [
        message for before, message in zip([None, *messages], messages)
        if before is None or message["payload"] != before["payload"]])


@fault("Orders equal stamps by their payloads.", "9.2-05", "9.2-06")
def ties_by_payload(ca3):
    on_window(lambda query, messages: sorted(
        messages, key=lambda message: (stamp_of(message), message["payload"])))
