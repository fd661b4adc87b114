"""Item 13: what the sequences say of losses, and of which streams they say nothing."""
from __future__ import annotations

import ca3_query
from ca3_query import LARGEST_SEQUENCE, Query, step
from ca3_reader import STREAM, decode_stream
from level2 import on_entries, without_columns
from registry import around, faults_of

fault = faults_of(13)


def runs(query, ref: int) -> list[list[int]]:
    """The sequences of each chunk as they are stored, in table order."""
    return [[message["sequence"] for message in query.reader.messages_of(entry)
             if message["sequence"] is not None] for entry in query.reader.entries_of(ref)]


def counting(count) -> None:
    """Lets `count(query, ref, numbers)` say how many are missing."""
    def make(loss_of):
        def changed(query, ref):
            before = ca3_query.count_missing
            ca3_query.count_missing = lambda numbers: count(query, ref, numbers)
            try:
                return loss_of(query, ref)
            finally:
                ca3_query.count_missing = before
        return changed

    around(Query, "loss_of", make)


def judging(change) -> None:
    """Lets `change(sequences, alone, (verdict, missing))` alter a verdict."""
    around(ca3_query, "judge_loss", lambda judge: lambda sequences, alone: change(
        sequences, alone, judge(sequences, alone)))


# ------------------------------------------------------------------ whose topic it is (§7.4)


@fault("Calls every gap a loss.", "7.4-01", "7.4-03")
def topics_not_counted(ca3):
    Query.streams_on = lambda query, topic: 1


@fault("Counts only the streams that have chunks.", "7.4-03")
def silent_streams_not_counted(ca3):
    Query.streams_on = lambda query, topic: sum(
        stream["topic"] == topic and query.reader.entries_of(ref) != []
        for ref, stream in query.reader.streams.items())


@fault("Counts all streams of the file.", "7.4-02", "7.4-03")
def all_topics_are_one(ca3):
    Query.streams_on = lambda query, topic: len(query.reader.streams)


@fault("Tells topics apart by their beginnings.", "7.4-02")
def topics_by_beginning(ca3):
    Query.streams_on = lambda query, topic: sum(
        stream["topic"].startswith(topic) or topic.startswith(stream["topic"])
        for stream in query.reader.streams.values())


@fault("Counts Stream records and not streams.", "7.4-02")
def stream_records_counted(ca3):
    def streams_on(query, topic):
        reader = query.reader
        places = [place for place in reader.spine if place.opcode == STREAM] + reader.group(STREAM)
        return sum(decode_stream(reader.content(place))["topic"] == topic for place in places)

    Query.streams_on = streams_on


@fault("Says indeterminate for every shared topic.", "7.4-07")
def shared_topic_indeterminate(ca3):
    judging(lambda sequences, alone, verdict: verdict if alone else ("indeterminate", None))


@fault("Numbers the missing although the verdict is indeterminate.", "7.4-01")
def number_beside_indeterminate(ca3):
    judging(lambda sequences, alone, verdict: verdict if alone or verdict[1] == 0 else (
        "indeterminate", ca3_query.count_missing(
            [sequence for sequence in sequences if sequence is not None])))


@fault("Takes all streams of a topic for one series.", "7.4-07", "7.4-01")
def one_series_a_topic(ca3):
    def make(sequences_of):
        def changed(query, ref):
            topic = query.reader.streams[ref]["topic"]
            return [sequence for other in query.declared()
                    if query.reader.streams[other]["topic"] == topic
                    for sequence in sequences_of(query, other)]
        return changed

    around(Query, "sequences_of", make)
    Query.streams_on = lambda query, topic: 1


# ------------------------------------------------------------------ how many are missing


@fault("Counts gaps in the place of numbers.", "7.4-02", "7.4-06")
def gaps_counted(ca3):
    ca3_query.count_missing = lambda numbers: sum(
        step(before, after) > 1 for before, after in zip(numbers, numbers[1:]))


@fault("Takes everything below the first number for lost.", "7.4-02")
def count_begins_at_one(ca3):
    around(ca3_query, "count_missing", lambda count: lambda numbers: (
        count(numbers) + numbers[0] - 1))


@fault("Counts what each step leaves out, and never what comes late.", "7.4-02")
def late_number_is_lost(ca3):
    ca3_query.count_missing = lambda numbers: sum(
        max(0, step(before, after) - 1) for before, after in zip(numbers, numbers[1:]))


@fault("Takes the messages as they are stored and not by stamp.", "7.4-02", "7.4-06")
def late_message_is_lost(ca3):
    counting(lambda query, ref, numbers: sum(
        max(0, step(before, after) - 1)
        for stored in [sum(runs(query, ref), [])] for before, after in zip(stored, stored[1:])))


@fault("Takes a step back for a way round.", "7.4-02")
def step_back_is_a_way_round(ca3):
    ca3_query.step = lambda before, after: (after - before) % LARGEST_SEQUENCE


@fault("Looks at each chunk by itself.", "7.4-06")
def gaps_inside_chunks_only(ca3):
    inside = ca3_query.count_missing
    counting(lambda query, ref, numbers: sum(inside(run) for run in runs(query, ref) if run))


@fault("Looks at the first and last numbers of the index alone.", "7.4-06")
def gaps_between_chunks_only(ca3):
    def count(query, ref, numbers):
        entries = query.reader.entries_of(ref)
        return sum(max(0, step(before["seq_last"], after["seq_first"]) - 1)
                   for before, after in zip(entries, entries[1:]))

    counting(count)


@fault("Counts one missing at each chunk's edge.", "7.4-06")
def one_missing_at_each_edge(ca3):
    right = ca3_query.count_missing
    counting(lambda query, ref, numbers: (
        right(numbers) + len(query.reader.entries_of(ref)) - 1))


@fault("Takes chunks in file order, and a step back for a way round.", "7.4-06")
def chunks_in_file_order(ca3):
    def sequences_of(query, ref):
        entries = sorted(query.reader.entries_of(ref), key=lambda entry: entry["chunk_offset"])
        return [message["sequence"] for entry in entries
                for message in query.reader.messages_of(entry)]

    Query.sequences_of = sequences_of
    ca3_query.step = lambda before, after: (after - before) % LARGEST_SEQUENCE


@fault("Passes over chunks in columns.", "7.4-06")
def loss_without_columns(ca3):
    on_entries(without_columns)


# ------------------------------------------------------------------ the way round (§6.4, §7.4)


@fault("Goes round at 2^32, through 0.", "7.4-04")
def sequences_through_zero(ca3):
    ca3_query.step = lambda before, after: (after - before + 2**31) % 2**32 - 2**31


@fault("Knows no way round.", "7.4-04")
def no_way_round(ca3):
    ca3_query.step = lambda before, after: after - before


@fault("Ends the count at the way round.", "7.4-04")
def count_ends_at_the_way_round(ca3):
    def make(count):
        def changed(numbers):
            for i, (before, after) in enumerate(zip(numbers, numbers[1:])):
                if before - after > LARGEST_SEQUENCE // 2:
                    return count(numbers[:i + 1])
            return count(numbers)
        return changed

    around(ca3_query, "count_missing", make)


# ------------------------------------------------------------------ absent sequences


@fault("Makes up a run where no message has a sequence.", "7.4-05", "7.4-07")
def run_made_up(ca3):
    around(Query, "sequences_of", lambda sequences_of: lambda query, ref: (
        list(range(1, len(found) + 1)) if (found := sequences_of(query, ref))
        and all(number is None for number in found) else found))


@fault("Says 0 missing where no message has a sequence.", "7.4-07")
def none_missing_without_sequences(ca3):
    judging(lambda sequences, alone, verdict: verdict if any(
        number is not None for number in sequences) else ("indeterminate", 0))


@fault("Ignores absent sequences beside a gap.", "7.4-07")
def absences_beside_a_gap_ignored(ca3):
    around(ca3_query, "judge_loss", lambda judge: lambda sequences, alone: judge(
        [number for number in sequences if number is not None], alone))


@fault("Takes absent sequences for some of the missing.", "7.4-07")
def absences_fill_a_gap(ca3):
    def change(sequences, alone, verdict):
        known = [number for number in sequences if number is not None]
        missing = ca3_query.count_missing(known) - sequences.count(None) if known else 0
        return ("loss", missing) if known and alone and missing > 0 else verdict

    judging(change)


@fault("Says indeterminate as soon as one sequence is absent.", "7.4-07")
def one_absence_is_indeterminate(ca3):
    judging(lambda sequences, alone, verdict: (
        ("indeterminate", None) if None in sequences else verdict))


@fault("Leaves streams without messages out.", "7.4-07", "7.4-03")
def silent_streams_left_out(ca3):
    around(Query, "loss", lambda loss: lambda query: {"streams": [
        stream for stream in loss(query)["streams"]
        if query.reader.entries_of(stream["stream_ref"])]})


@fault("Says none for a stream without messages.", "7.4-07")
def silence_is_no_loss(ca3):
    judging(lambda sequences, alone, verdict: verdict if sequences else ("none", 0))
