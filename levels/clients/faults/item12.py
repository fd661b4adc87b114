"""Item 12: overlapping chunks of every shape, at many instants, and the running maximum."""
from __future__ import annotations

import ca3_query
from ca3_query import Query, stamp_of
from item11 import at_most, scan
from level2 import on_index, on_tables, running_maximum
from registry import around, faults_of

fault = faults_of(12)


@fault("Knows the ordered path alone.", "9.1-07")
def ordered_path_only(ca3):
    Query.scan_back = lambda query, entries, at, t: query.last_in_chunk(entries[at], t)


@fault("Scans back by each chunk's own maximum.", "9.1-07")
def scan_by_own_maximum(ca3):
    Query.scan_back = scan(lambda entry, best: (
        best is None or entry["max_stamp_ns"] > stamp_of(best)))


@fault("Looks one entry back.", "9.1-07")
def one_entry_back(ca3):
    around(Query, "scan_back", at_most(1))


@fault("Is content with the first later message.", "9.1-07")
def content_with_the_first(ca3):
    Query.scan_back = scan(ca3_query.may_hold_later, stop=lambda better: better)


@fault("Gives up at an entry that holds nothing later.", "9.1-07")
def gives_up_at_nothing_later(ca3):
    Query.scan_back = scan(ca3_query.may_hold_later, stop=lambda better: not better)


@fault("Takes the message of the chunk that was read last.", "9.1-07")
def oldest_chunk_answers(ca3):
    Query.scan_back = scan(ca3_query.may_hold_later, take=lambda found, best: found is not None)


@fault("Takes the chunk with the least span around T.", "9.1-07")
def narrowest_chunk_answers(ca3):
    def scan_back(query, entries, at, t):
        around_t = [entry for entry in entries[:at + 1] if entry["max_stamp_ns"] >= t]
        chosen = min(around_t, default=entries[at],
                     key=lambda entry: entry["max_stamp_ns"] - entry["min_stamp_ns"])
        return query.last_in_chunk(chosen, t)

    Query.scan_back = scan_back


@fault("Does not begin the running maximum anew with each stream.", "7.1-06")
def maximum_over_all_streams(ca3):
    on_tables(lambda reader: running_maximum(reader.entries))


@fault("Runs the maximum in file order.", "7.1-06")
def maximum_in_file_order(ca3):
    def change(reader):
        for ref in reader.streams:
            entries = [entry for entry in reader.entries if entry["stream_ref"] == ref]
            running_maximum(sorted(entries, key=lambda entry: entry["chunk_offset"]))

    on_tables(change)


@fault("Gives a chunk's own maximum for the running one.", "7.1-06")
def own_maximum_listed(ca3):
    on_index(lambda reader, result: [entry.update(prefix_max_stamp_ns=entry["max_stamp_ns"])
                                     for entry in result["entries"]])
