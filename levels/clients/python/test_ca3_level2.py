"""Level 2 against sealed files assembled by hand from the document: python3 -m unittest

Every expected number was worked out from the document, none with the client.
"""
from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import ca3_reader
from ca3_clock import Mapping, drift, inverse_map, map_to_reference
from ca3_query import ask
from ca3_reader import MAGIC, Violation, crc32c, protocol_form, respond
from ca3_source import Source
from test_ca3_reader import (chunk, columnar, header, message, record, schema, stream, string, u,
                             unsealed)

HEAD = 9 + 77  # §6.1: from a chunk's opcode to its blob


class Recorded(Source):
    """Bytes that say which of them were fetched."""

    def __init__(self, data: bytes):
        super().__init__(len(data))
        self.data, self.fetches = data, []

    def fetch(self, start, end):
        self.fetches.append((start, end))
        return self.data[start:end]


def answer(data: bytes, op: str, **arguments):
    try:
        return protocol_form(ask(Recorded(data), {"op": op, **arguments}))
    except Violation as violation:
        return protocol_form(violation.report)


def zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


class Rows:
    """One chunk, and what the index says of it. A row is a stamp, a payload, and a sequence."""

    def __init__(self, *rows, ref=1, flags=0, **head):
        self.ref, self.count = ref, len(rows)
        self.low, self.high = min(row[0] for row in rows), max(row[0] for row in rows)
        sequences = [row[2] if len(row) > 2 else None for row in rows]
        self.first, self.last = sequences[0] or 0, sequences[-1] or 0
        mask = 8 if any(sequences) else 0
        messages = []
        for i, row in enumerate(rows):
            base = (self.first + i - 1) % (2**32 - 1) + 1
            v = [zigzag(sequences[i] - base) + 1 if sequences[i] else 0] if mask else []
            messages.append(message(row[0] - self.low, *v, payload=row[1].encode()))
        self.bytes = chunk(*messages, ref=ref, flags=flags, mask=mask, low=self.low,
                           high=self.high, first=self.first, **head)

    def entry(self, offset, prefix, tail=b""):
        return (u(8, offset) + u(8, len(self.bytes)) + u(8, self.low) + u(8, self.high)
                + u(8, prefix) + u(4, self.count) + u(4, self.ref) + u(4, self.first)
                + u(4, self.last) + tail)


def directory_row(ref, flags=0, first=0, count=0, messages=0, stamps=(0, 0), lost=(0, 0, 0),
                  quality=0, domain="", tail=b""):
    return (u(4, ref) + u(4, flags) + u(4, first) + u(4, count) + u(8, messages) + u(8, count)
            + u(8, stamps[0]) + u(8, stamps[1]) + b"".join(u(8, n) for n in lost) + u(1, quality)
            + tail + string(domain))


def table(opcode, size, rows, tail=b""):
    return record(opcode, u(4, size) + u(4, len(rows)) + b"".join(rows) + tail)


def indexed(*chunks, streams=None, overlap=(), clock=None, head=None, data=b"", entry_tail=b"",
            prefix_tail=b"", replace=None, **ends) -> bytes:
    """A sealed file. `replace` puts other groups in the place of those made here."""
    streams = streams or {1: stream()}
    body = MAGIC + (head or header()) + b"".join(streams.values())
    placed = []
    for item in chunks:
        placed.append((len(body), item))
        body += item.bytes
    body += data
    placed.sort(key=lambda pair: (pair[1].ref, pair[1].low, pair[0]))
    entries, rows = [], []
    for ref in streams:
        own = [(offset, item) for offset, item in placed if item.ref == ref]
        highest, first = 0, len(entries)
        for offset, item in own:
            highest = max(highest, item.high)
            entries.append(item.entry(offset, highest, entry_tail))
        rows.append(directory_row(ref, int(ref in overlap), first if own else 0, len(own),
                                  tail=prefix_tail))
    groups = {0x04: b"".join(streams.values()), 0x08: table(0x08, 56 + len(entry_tail), entries),
              0x09: table(0x09, 73 + len(prefix_tail), rows), 0x0A: clock, 0x44: record(0x44),
              **(replace or {})}
    return seal(body, [(opcode, groups[opcode]) for opcode in groups if groups[opcode]], **ends)


def seal(body, groups, offsets=True, start=None, offset_start=None, crc=None, offset_tail=b"",
         listed=None) -> bytes:
    summary, sections = b"", b""
    for opcode, content in groups:
        if opcode != 0x4A and (listed is None or opcode in listed):
            sections += record(0x48, u(1, opcode) + u(8, len(body) + len(summary))
                               + u(8, len(content)) + offset_tail)
        summary += content
    sections = sections if offsets else b""
    start = len(body) if start is None else start
    if offset_start is None:
        offset_start = len(body) + len(summary) if offsets else 0
    footer = u(8, start) + u(8, offset_start) + u(8, 0)
    footer += u(4, crc32c(summary) if crc is None else crc)
    return body + summary + sections + record(0x02, footer) + MAGIC


def domain(name, kind=1, quality=2, offset=0, skew=0, origin=0, method=2) -> bytes:
    return (string(name) + u(1, kind) + u(1, method) + u(1, quality) + u(8, offset % 2**64)
            + u(8, skew % 2**64) + u(8, origin) + u(8, 11) + u(1, 1) + u(8, 12) + u(8, 13)
            + u(8, 14) + u(8, 15) + u(8, 16) + u(4, 0) + u(4, 1))


def clock_block(*domains, host="host", epoch="boot", tail=b"", intervals=0) -> bytes:
    return record(0x0A, string(host) + string(epoch) + u(4, len(domains)) + b"".join(domains)
                  + u(4, intervals) + tail)


def peer(ref=2, host="peer", **more):
    return stream(ref, topic=f"t{ref}", host=host, **more)


def payloads(result):
    return "".join(bytes.fromhex(m["payload"]).decode() for m in result["messages"])


def state(data, t, ref=1):
    """Payload, basis and time of one stream."""
    result = answer(data, "state_at", t=str(t), streams=[ref])["results"][0]
    found = result["message"]
    return found and bytes.fromhex(found["payload"]).decode(), result["basis"], result["time"]


class Item9(unittest.TestCase):
    """The Footer by arithmetic, and the groups that it leads to."""

    def test_the_smallest_file(self):
        data = seal(MAGIC + header(), [(0x08, table(0x08, 56, [])), (0x09, table(0x09, 73, [])),
                                       (0x44, record(0x44))])
        start = len(MAGIC + header())
        self.assertEqual({"entries": [], "directory": [], "spine": "walked", "summary_groups": [
            {"opcode": 0x08, "start": str(start), "length": "17"},
            {"opcode": 0x09, "start": str(start + 17), "length": "17"},
            {"opcode": 0x44, "start": str(start + 34), "length": "9"}]}, answer(data, "index"))
        self.assertEqual({"results": [], "chunks_read": [], "spine": "walked"},
                         answer(data, "state_at", t="0"))
        self.assertEqual({"streams": []}, answer(data, "loss"))

    def test_every_field_of_both_tables(self):
        entry = b"".join(u(8, n) for n in (1, 2, 3, 4, 5)) + b"".join(u(4, n) for n in (6, 1, 8, 9))
        row = (b"".join(u(4, n) for n in (1, 3, 13, 14)) + b"".join(u(8, n) for n in range(15, 22))
               + u(1, 22) + string("dev"))
        result = answer(indexed(replace={0x08: table(0x08, 56, [entry]),
                                         0x09: table(0x09, 73, [row])}), "index")
        self.assertEqual([{
            "chunk_offset": "1", "chunk_length": "2", "min_stamp_ns": "3", "max_stamp_ns": "4",
            "prefix_max_stamp_ns": "5", "message_count": "6", "stream_ref": 1, "seq_first": 8,
            "seq_last": 9}], result["entries"])
        self.assertEqual([{
            "stream_ref": 1, "flags": 3, "first_index": 13, "index_count": 14,
            "message_count": "15", "chunk_count": "16", "first_stamp_ns": "17",
            "last_stamp_ns": "18", "dropped_by_queue": "19", "never_arrived": "20",
            "reordered": "21", "sync_quality": 22, "sync_domain": "dev"}], result["directory"])

    def test_any_group_may_be_absent(self):
        rows = Rows((10, "a"), (20, "b"))
        for absent in ({0x09: None}, {0x44: None}, {0x04: None}, {0x04: None, 0x09: None}):
            self.assertEqual(("a", "exact", "10"), state(indexed(rows, replace=absent), 15))
        self.assertEqual([], answer(indexed(rows, replace={0x09: None}), "index")["directory"])
        without = indexed(rows, replace={0x08: None})
        self.assertEqual([], answer(without, "index")["entries"])
        self.assertEqual("index-mismatch", answer(without, "state_at", t="15")["kind"])

    def test_padding_and_unknown_groups_are_passed_over(self):
        groups = {0x04: stream(), 0x4A: record(0x4A, MAGIC), 0x7E: record(0x7E, b"?" * 5)}
        self.assertEqual(("a", "exact", "10"), state(indexed(Rows((10, "a")), replace=groups), 15))

    def test_crc_covers_the_summary_alone(self):
        data = indexed(Rows((10, "a")))
        where = [int(g["start"]) for g in answer(data, "index")["summary_groups"]]
        for at in where:
            self.assertEqual("bad-crc", answer(data[:at + 3] + b"\x55" + data[at + 4:],
                                               "index").get("kind"), at)
        short = indexed(Rows((10, "a")), offsets=False)
        self.assertEqual([], answer(short, "index")["summary_groups"])
        self.assertEqual(("a", "exact", "10"), state(short, 10))
        end = len(short) - 45
        self.assertEqual("bad-crc", answer(short[:end - 9] + b"\x45" + short[end - 8:],
                                           "index")["kind"])
        start, end = where[0], len(data) - 45  # with the offset section counted in
        self.assertEqual("bad-crc", answer(indexed(Rows((10, "a")), crc=crc32c(data[start:end])),
                                           "index")["kind"])

    def test_footers_that_lead_nowhere(self):
        rows = Rows((10, "a"))
        good = indexed(rows)
        size = len(good)
        for kinds, data in [
            (("other",), indexed(rows, start=0)), (("bad-length",), indexed(rows, start=5)),
            (("bad-length",), indexed(rows, start=size)),
            (("bad-length",), indexed(rows, offset_start=size)),
            (("bad-length",), indexed(rows, start=size - 60, offset_start=size - 200)),
            (("bad-length", "unknown-opcode"), indexed(rows, start=120)),
            (("other",), good[:-45] + MAGIC), (("other",), good[:-8] + b"\0\0\0\0" + MAGIC),
            (("truncated-record",), good[:-8]), (("truncated-record",), unsealed(header())),
        ]:
            for op in ("index", "state_at", "window", "loss"):
                found = answer(data, op, t="15", t1="0", t2="9", streams=[1])
                self.assertIn(found.get("kind"), kinds)

    def test_bytes_that_look_like_an_end_mislead_nobody(self):
        mimic = (record(0x02, bytes(28)) + MAGIC).decode("latin-1")
        rows = Rows((10, "a"))
        rows.bytes = chunk(message(payload=mimic.encode("latin-1")), low=10)
        self.assertEqual(1, len(answer(indexed(rows), "index")["entries"]))

    def test_summary_offsets(self):
        rows = Rows((10, "a"))
        self.assertEqual(answer(indexed(rows), "index")["entries"],
                         answer(indexed(rows, offset_tail=b"more"), "index")["entries"])
        data = indexed(rows)
        two = indexed(Rows((10, "a")), Rows((10, "b"), ref=2), streams={1: stream(), 2: stream(2)})
        self.assertEqual([1, 2], [row["stream_ref"]
                                  for row in answer(two, "state_at", t="9")["results"]])
        # a ClockBlock that nothing leads to would be passed over in silence
        hidden = indexed(rows, clock=clock_block(), listed=(0x04, 0x08, 0x09, 0x44))
        self.assertEqual("index-mismatch", answer(hidden, "index")["kind"])
        at = data.index(u(1, 0x48) + u(8, 17))
        cut = data[:at + 1] + u(8, 16) + data[at + 9:at + 25] + data[at + 26:]
        self.assertEqual("bad-length", answer(cut, "index")["kind"])
        outside = data[:at + 10] + u(8, 8) + data[at + 18:]
        self.assertEqual("bad-length", answer(outside, "index")["kind"])

    def test_the_index_must_lead_to_what_it_describes(self):
        def spoilt(offset=0, length=0, **changes):
            rows, other = Rows((10, "a")), Rows((10, "b"), ref=2)
            original = rows.entry
            for name, value in changes.items():
                setattr(rows, name, value)
            rows.entry = lambda at, prefix, tail: (
                lambda e: u(8, at + offset) + u(8, len(rows.bytes) + length) + e[16:])(
                    original(at, prefix, tail))
            return indexed(rows, other, streams={1: stream(), 2: stream(2)})

        self.assertEqual(("a", "exact", "10"), state(spoilt(), 15))
        for data in (spoilt(offset=9), spoilt(length=1), spoilt(offset=len(Rows((10, "a")).bytes)),
                     spoilt(count=2), spoilt(low=9), spoilt(high=11)):
            self.assertEqual("index-mismatch", answer(data, "state_at", t="15").get("kind"))
            self.assertIn("entries", answer(data, "index"))
        row = directory_row(1, 0, 1, 1)  # the entry of stream 2
        data = indexed(Rows((10, "a")), Rows((10, "b"), ref=2),
                       streams={1: stream(), 2: stream(2)}, replace={0x09: table(0x09, 73, [row])})
        self.assertEqual("index-mismatch", answer(data, "state_at", t="15", streams=[1])["kind"])

    def test_undeclared_streams(self):
        entry = Rows((10, "a"), ref=7).entry(8, 10)
        for groups in ({0x08: table(0x08, 56, [entry])},
                       {0x09: table(0x09, 73, [directory_row(7)])}):
            found = answer(indexed(replace=groups), "index")
            self.assertEqual(("unresolved-reference", 7), (found["kind"], found["stream_ref"]))
        for op in ("state_at", "window"):
            found = answer(indexed(Rows((10, "a"))), op, t="1", t1="2", t2="1", streams=[7])
            self.assertEqual("unresolved-reference", found["kind"])
        self.assertEqual("unresolved-reference", answer(
            indexed(streams={1: stream(schema_ref=4)}), "index")["kind"])
        self.assertIn("entries", answer(indexed(streams={1: stream(schema_ref=4)},
                                                replace={0x03: schema(4)}), "index"))


class Item10(unittest.TestCase):
    """The stored entry_size is the stride."""

    def test_larger_entries_are_stepped_over(self):
        streams = {1: stream(), 2: stream(2)}
        chunks = Rows((10, "a")), Rows((20, "b")), Rows((10, "c"), ref=2)
        plain = answer(indexed(*chunks, streams=streams), "index")
        wide = indexed(*chunks, streams=streams, entry_tail=b"\xff" * 8, prefix_tail=b"\xff" * 3)
        self.assertEqual([(row["stream_ref"], row["min_stamp_ns"]) for row in plain["entries"]],
                         [(1, "10"), (1, "20"), (2, "10")])
        found = answer(wide, "index")
        self.assertEqual((plain["entries"], plain["directory"]),
                         (found["entries"], found["directory"]))
        self.assertEqual(("b", "exact", "20"), state(wide, 25))

    def test_strings_of_any_length_in_the_directory(self):
        rows = [directory_row(1, domain=""), directory_row(2, domain="device-b"),
                directory_row(3, domain="x")]
        streams = {ref: stream(ref) for ref in (1, 2, 3)}
        found = answer(indexed(streams=streams, replace={0x09: table(0x09, 73, rows)}), "index")
        self.assertEqual(["", "device-b", "x"], [row["sync_domain"] for row in found["directory"]])

    def test_sizes_and_counts_that_do_not_fit(self):
        entry, row = Rows((10, "a")).entry(8, 10), directory_row(1)
        short = row[:72] + row[73:]
        for kind, group in [
            ("bad-entry-size", table(0x08, 55, [entry[:55]])),
            ("bad-entry-size", table(0x08, 0, [])),
            ("bad-entry-size", table(0x09, 72, [short])), ("bad-length", table(0x09, 73, [short])),
            ("bad-length", record(0x08, u(4, 56) + u(4, 2) + entry)),
            ("bad-length", record(0x08, u(4, 64) + u(4, 1) + entry)),
            ("bad-length", record(0x08, u(4, 2**32 - 1) + u(4, 2**32 - 1) + entry)),
            ("bad-length", record(0x09, u(4, 73) + u(4, 2) + row)),
            ("bad-length", record(0x08, u(4, 56))),
            ("bad-utf8", table(0x09, 73, [directory_row(1, domain=b"\xff")])),
        ]:
            self.assertEqual(kind, answer(indexed(replace={group[0]: group}), "index").get("kind"))

    def test_bytes_behind_the_last_entry_are_ignored(self):
        entry = Rows((10, "a")).entry(8, 10)
        groups = {0x08: table(0x08, 56, [entry], b"12345678"),
                  0x09: table(0x09, 73, [directory_row(1)], b"12345678")}
        found = answer(indexed(replace=groups), "index")
        self.assertEqual((1, 1), (len(found["entries"]), len(found["directory"])))

    def test_message_offsets_change_nothing(self):
        for first, second in ((0, 5), (5, 0)):
            offsets = record(0x49, u(8, 8) + u(4, 4) + u(4, 2) + u(4, first) + u(4, second))
            data = indexed(Rows((10, "a"), (20, "b")), replace={0x49: offsets})
            self.assertEqual(("b", "exact", "20"), state(data, 25))


class Item11(unittest.TestCase):
    """The state at an instant where chunks are in order."""

    def test_the_last_at_or_before(self):
        data = indexed(Rows((100, "e"), (120, "f")), Rows((0, "a"), (20, "b")),
                       Rows((50, "c"), (60, "d")))  # the later chunk written first
        for t, payload in [(0, "a"), (19, "a"), (20, "b"), (49, "b"), (50, "c"), (70, "d"),
                           (99, "d"), (100, "e"), (119, "e"), (120, "f"), (2**64 - 1, "f")]:
            self.assertEqual(payload, state(data, t)[0], t)
        found = answer(data, "state_at", t="70", streams=[1])
        self.assertEqual(1, len(found["chunks_read"]))

    def test_before_the_first(self):
        self.assertEqual((None, "exact", None), state(indexed(Rows((10, "a"))), 9))
        self.assertEqual((None, "exact", None), state(indexed(), 9))

    def test_disorder_and_ties_inside_a_chunk(self):
        data = indexed(Rows((10, "a"), (30, "b"), (20, "c")))
        self.assertEqual(["a", "c", "b"], [state(data, t)[0] for t in (15, 25, 35)])
        self.assertEqual("b", state(indexed(Rows((20, "a"), (20, "b"), flags=1)), 20)[0])

    def test_each_stream_has_its_own_part_of_the_index(self):
        streams = {1: stream(), 2: stream(2), 3: stream(3), 4: stream(4)}
        data = indexed(Rows((10, "a")), Rows((5, "b"), ref=2), Rows((40, "c"), ref=2),
                       Rows((20, "d"), ref=4), streams=streams)
        found = answer(data, "state_at", t="30")
        self.assertEqual([(1, "61"), (2, "62"), (3, None), (4, "64")],
                         [(r["stream_ref"], r["message"] and r["message"]["payload"])
                          for r in found["results"]])
        found = answer(data, "state_at", t="30", streams=[4, 2, 4])
        self.assertEqual([2, 4], [r["stream_ref"] for r in found["results"]])
        self.assertEqual([], answer(data, "state_at", t="30", streams=[])["results"])

    def test_the_message_is_unaltered(self):
        rows = Rows((10, "a", 7))
        found = answer(indexed(rows), "state_at", t="15")["results"][0]
        self.assertEqual({"stream_ref": 1, "monotonic_timestamp_ns": "10", "record_ts_ns": None,
                          "wall_clock_ns": None, "source_timestamp_ns": None, "sequence": 7,
                          "payload": "61"}, found["message"])
        self.assertEqual([], found["degraded"])

    def test_columnar_chunks(self):
        rows = Rows((10, "a"), (20, "b"))
        rows.bytes = columnar(u(8, 0) + u(8, 10), b"ab", 1, count=2, low=10, high=20)
        self.assertEqual("b", state(indexed(rows, head=header(4)), 20)[0])


class Item12(unittest.TestCase):
    """The state at an instant where chunks overlap."""

    NESTED = (Rows((0, "a"), (80, "b"), (90, "c")), Rows((10, "d"), (20, "e")),
              Rows((40, "f"), (60, "g")), Rows((95, "h"), (99, "i")))
    STAMPS = {0: "a", 10: "d", 20: "e", 40: "f", 60: "g", 80: "b", 90: "c", 95: "h", 99: "i"}

    def test_at_every_instant(self):
        data = indexed(*self.NESTED, overlap=(1,))
        for t in range(102):
            latest = max(stamp for stamp in self.STAMPS if stamp <= t)
            self.assertEqual(self.STAMPS[latest], state(data, t)[0], t)

    def test_without_a_directory_they_may_overlap(self):
        self.assertEqual("b", state(indexed(*self.NESTED, replace={0x09: None}), 85)[0])

    def test_the_bit_chooses_the_path(self):
        self.assertEqual("g", state(indexed(*self.NESTED), 85)[0])  # as the false bit says
        other = indexed(*self.NESTED, streams={1: stream(), 2: stream(2)}, overlap=(2,))
        self.assertEqual("g", state(other, 85)[0])

    def test_how_far_back_it_looks(self):
        data = indexed(*self.NESTED, overlap=(1,))
        offsets = [e["chunk_offset"] for e in answer(data, "index")["entries"]]
        self.assertEqual(["90", "90", "90", "99"], [
            e["prefix_max_stamp_ns"] for e in answer(data, "index")["entries"]])
        # 85: 60 of the third, prefix 90 goes on to 20 and 80. 95: found 95, prefix 90 stops.
        for t, read in [(85, offsets[:3]), (95, offsets[3:]), (5, offsets[:1])]:
            self.assertEqual(read, answer(data, "state_at", t=str(t))["chunks_read"])

    def test_a_prefix_that_only_equals_the_best_stops(self):
        data = indexed(Rows((0, "a"), (50, "b")), Rows((50, "c"), (60, "d")), overlap=(1,))
        found = answer(data, "state_at", t="50")
        self.assertEqual(("63", 1), (found["results"][0]["message"]["payload"],
                                     len(found["chunks_read"])))

    def test_ties_between_chunks_go_to_the_later_entry(self):
        data = indexed(Rows((0, "a"), (50, "b"), (90, "x")), Rows((50, "c"), (60, "d")),
                       overlap=(1,))
        self.assertEqual("c", state(data, 50)[0])

    def test_the_prefix_starts_anew_with_each_stream(self):
        data = indexed(Rows((0, "a"), (90, "b")), Rows((5, "c"), ref=2), Rows((7, "d"), ref=2),
                       streams={1: stream(), 2: stream(2)}, overlap=(1, 2))
        found = answer(data, "state_at", t="8", streams=[2])
        self.assertEqual(("64", 1), (found["results"][0]["message"]["payload"],
                                     len(found["chunks_read"])))


class Item13(unittest.TestCase):
    """Gaps and losses."""

    def verdict(self, *chunks, streams=None, ref=1):
        found = answer(indexed(*chunks, streams=streams, overlap=(1,)), "loss")["streams"]
        row = {row["stream_ref"]: row for row in found}[ref]
        return row["verdict"], row["missing"]

    def run_of(self, *sequences):
        return Rows(*((10 * (i + 1), "x", s) for i, s in enumerate(sequences)))

    def test_a_stream_alone_on_its_topic(self):
        top = 2**32 - 1
        for sequences, expected in [
            ((1, 2, 3), ("none", "0")), ((1, 2, 5), ("loss", "2")), ((7,), ("none", "0")),
            ((top - 1, top, 1), ("none", "0")), ((top - 1, 2), ("loss", "2")),
            ((1, 2, 4, 3), ("none", "0")), ((1, 2, 5, 3), ("loss", "1")),
            ((1, 1, 2), ("none", "0")),
            ((top, 2, 1, 4), ("loss", "1")), ((None, None), ("indeterminate", None)),
            ((1, None, 2), ("none", "0")), ((1, None, 5), ("indeterminate", None)),
        ]:
            self.assertEqual(expected, self.verdict(self.run_of(*sequences)), sequences)

    def test_gaps_between_chunks_and_late_chunks(self):
        self.assertEqual(("loss", "1"), self.verdict(Rows((1, "a", 1), (2, "b", 2)),
                                                     Rows((3, "c", 4))))
        self.assertEqual(("none", "0"), self.verdict(Rows((1, "a", 1), (4, "b", 4)),
                                                     Rows((2, "c", 2), (3, "d", 3))))

    def test_a_shared_topic_is_no_evidence(self):
        gap, whole = self.run_of(1, 5), self.run_of(1, 2)
        shared, apart = {1: stream(), 2: stream(2)}, {1: stream(), 2: stream(2, topic="u")}
        self.assertEqual(("indeterminate", None), self.verdict(gap, streams=shared))
        self.assertEqual(("loss", "3"), self.verdict(gap, streams=apart))
        self.assertEqual(("none", "0"), self.verdict(whole, streams=shared))
        self.assertEqual(("indeterminate", None), self.verdict(whole, streams=shared, ref=2))

    def test_every_declared_stream_is_named(self):
        found = answer(indexed(streams={1: stream(), 2: stream(2, topic="u")}), "loss")
        self.assertEqual([(1, "t"), (2, "u")],
                         [(row["stream_ref"], row["topic"]) for row in found["streams"]])


class Item14(unittest.TestCase):
    """Windows."""

    def window(self, data, t1, t2, *refs):
        return payloads(answer(data, "window", t1=str(t1), t2=str(t2), streams=list(refs or (1,))))

    def test_selection_and_ends(self):
        data = indexed(Rows((0, "a"), (10, "b")), Rows((20, "c"), (30, "d")),
                       Rows((40, "e"), (50, "f")))
        for t1, t2, expected in [(10, 20, "bc"), (11, 19, ""), (0, 0, "a"), (0, 50, "abcdef"),
                                 (29, 41, "de"), (20, 10, ""), (51, 99, "")]:
            self.assertEqual(expected, self.window(data, t1, t2), (t1, t2))
        found = answer(data, "window", t1="10", t2="20", streams=[1])
        self.assertEqual(2, len(found["chunks_read"]))
        self.assertEqual([], answer(data, "window", t1="20", t2="10", streams=[1])["chunks_read"])

    def test_by_stamp_across_overlapping_chunks(self):
        data = indexed(Rows((40, "d"), (10, "a")), Rows((20, "b"), (30, "c"), (40, "e")),
                       overlap=(1,))
        self.assertEqual(["abcde"] * 3, [self.window(data, 0, 99) for _ in range(3)])

    def test_streams_come_as_they_are_asked_for(self):
        data = indexed(Rows((10, "a")), Rows((5, "b"), ref=2), streams={1: stream(), 2: stream(2)})
        self.assertEqual(["ab", "ba", ""], [self.window(data, 0, 99, 1, 2),
                                            self.window(data, 0, 99, 2, 1),
                                            payloads(answer(data, "window", t1="0", t2="9",
                                                            streams=[]))])

    def test_no_chunk_of_another_stream_is_fetched(self):
        one, two = Rows((10, "a" * 40)), Rows((10, "b" * 40), ref=2)
        two.bytes = two.bytes[:-1] + b"?"  # its checksum no longer holds
        data = indexed(one, two, streams={1: stream(), 2: stream(2)})
        where = data.index(b"b" * 39)
        source = Recorded(data)
        found = ask(source, {"op": "window", "t1": "0", "t2": "99", "streams": [1]})
        self.assertEqual("a" * 40, payloads(protocol_form(found)))
        self.assertEqual([data.index(one.bytes)], found["chunks_read"])
        self.assertFalse([f for f in source.fetches if f[0] < where + 39 and f[1] > where])
        report = answer(data, "window", t1="0", t2="99", streams=[2])
        self.assertEqual(("bad-crc", str(data.index(two.bytes))),
                         (report["kind"], report["offset"]))


class Item15(unittest.TestCase):
    """The mapping, its inverse, and the basis of every result."""

    def test_forward(self):
        for stamp, mapping, expected in [
            (5000, Mapping(1000, 0, 0), 6000), (5, Mapping(-10, 0, 0), 0),
            (0, Mapping(0, 1000, 10**9), 0), (0, Mapping(5000, 1000, 10**9), 4000),
            (10**15, Mapping(0, 10**6, 0), 10**15 + 10**12),
            (2**63 + 5, Mapping(10, 0, 0), 2**63 + 15),
            (3 * 10**9, Mapping(-5, 2, 10**9), 3 * 10**9 - 1),
        ]:
            self.assertEqual(expected, map_to_reference(stamp, mapping))
        self.assertEqual([0, 0, 1, -1, 10**12], [drift(-1, 1), drift(1, -1), drift(10**9, 1),
                                                 drift(-1999999999, 1), drift(10**15, 10**6)])

    def test_inverse(self):
        for t, mapping, expected in [
            (6000, Mapping(1000, 0, 0), 5000), (10, Mapping(1000, 0, 0), 0),
            # s = 0.001: (1002000 - 1000) / 1.001 = 1000000
            (1002000, Mapping(1000, 10**6, 0), 10**6),
            # s = 1: t / 2, and (t + 1000) / 2 about 1000: halves go up, away from zero
            (3, Mapping(0, 10**9, 0), 2), (5, Mapping(0, 10**9, 0), 3),
            (4, Mapping(0, 10**9, 0), 2),
            (2001, Mapping(0, 10**9, 1000), 1501),
            # s = 2/3 (666666667 ppb): 1 / 1.666666667 = 0.59..; s = 1.5: 1 / 2.5 = 0.4
            (1, Mapping(0, 666666667, 0), 1), (1, Mapping(0, 15 * 10**8, 0), 0),
            # s = -1/2: (t - 500) / 0.5 about 1000
            (1500, Mapping(0, -5 * 10**8, 1000), 2000),
            # 2^54 + 1 and s = 1: 2^53 and a half, where a double has no fraction left
            (2**54 + 1, Mapping(0, 10**9, 0), 2**53 + 1),
        ]:
            self.assertEqual(expected, inverse_map(t, mapping), (t, mapping))

    def file(self, clock, *streams, stamp=5000, head=None):
        streams = {1: stream(), **{ref: s for ref, s in enumerate(streams, 2)}}
        chunks = [Rows((stamp, "a"), ref=ref) for ref in streams]
        return indexed(*chunks, streams=streams, clock=clock, head=head)

    def test_a_peer_is_found_through_its_mapping(self):
        data = self.file(clock_block(domain("peer", offset=1000)), peer())
        self.assertEqual(("a", "exact", "5000"), state(data, 5000))
        self.assertEqual((None, "ok", None), state(data, 5999, 2))
        self.assertEqual(("a", "ok", "6000"), state(data, 6000, 2))
        self.assertEqual("5000", answer(data, "index")["entries"][1]["min_stamp_ns"])
        found = answer(data, "window", t1="6000", t2="6000", streams=[1, 2])["messages"]
        self.assertEqual([(2, "5000", "6000", "ok", [])],
                         [(m["stream_ref"], m["monotonic_timestamp_ns"], m["time"], m["basis"],
                           m["degraded"]) for m in found])

    def test_every_field_of_the_block_counts(self):
        # 5000 - 5 + (5000 - 10^9) * 10^6 / 10^9 = 4995 - 999995 = below zero; from 2 * 10^9:
        # 2000000000 - 5 + 10^9 * 10^6 / 10^9 = 2000999995
        clock = clock_block(domain("peer", offset=-5, skew=10**6, origin=10**9), tail=b"more")
        data = self.file(clock, peer(), stamp=2 * 10**9)
        self.assertEqual(("a", "ok", "2000999995"), state(data, 2000999995, 2))
        self.assertEqual((None, "ok", None), state(data, 2000999993, 2))
        self.assertEqual(("a", "ok", "0"), state(self.file(clock, peer()), 10**9, 2))

    def test_basis_words(self):
        for block, expected in [
            (clock_block(domain("peer", quality=2)), "ok"),
            (clock_block(domain("peer", quality=1)), "degraded"),
            (clock_block(domain("peer", quality=0, offset=9)), "unmapped"),
            (clock_block(domain("peer", quality=9, offset=9)), "unmapped"),
            (clock_block(domain("peer", skew=-10**9)), "unmapped"),
            (clock_block(domain("peer", skew=-2**63)), "unmapped"),
            (clock_block(domain("other")), "unmapped"), (clock_block(), "unmapped"),
            (None, "unmapped"),
        ]:
            data = self.file(block, peer())
            found = answer(data, "state_at", t="5000", streams=[2])["results"][0]
            self.assertEqual((expected, "5000"), (found["basis"], found["time"]))
            self.assertEqual(expected != "ok", found["degraded"] != [])
            self.assertEqual(expected, state(data, 1, 2)[1])  # without a message too

    def test_what_a_domain_matches(self):
        def bases(clock, *streams):
            data = self.file(clock, *streams)
            return [state(data, 10**6, ref)[1] for ref in range(2, 2 + len(streams))]

        self.assertEqual(["ok", "unmapped"], bases(clock_block(domain("p")), peer(2, "p"),
                                                   peer(3, "q")))
        self.assertEqual(["ok"], bases(clock_block(domain("p", kind=2)), peer(2, "p")))
        self.assertEqual(["unmapped"], bases(clock_block(domain("p", kind=0)), peer(2, "p")))
        self.assertEqual(["unmapped"], bases(clock_block(domain("p", kind=3)), peer(2, "p")))
        self.assertEqual(["unmapped"], bases(clock_block(domain("", kind=0)), peer(2, "p")))
        # a device's line maps its own stamps, never those of the host that publishes them
        device = clock_block(domain("dev", kind=0), domain("p", offset=7))
        self.assertEqual(["unmapped"], bases(clock_block(domain("dev", kind=0)),
                                             peer(2, "p", device="dev")))
        self.assertEqual("5007", state(self.file(device, peer(2, "p", device="dev")), 10**6, 2)[2])
        twice = clock_block(domain("peer", offset=1000), domain("peer", offset=2000))
        self.assertEqual("6000", state(self.file(twice, peer()), 10**6, 2)[2])

    def test_a_host_and_its_boots(self):
        self.assertEqual("unmapped", state(self.file(None, peer(host="host", epoch="e2")), 9, 2)[1])
        block = clock_block(domain("host", kind=2))
        data = self.file(block, peer(host="host", epoch="e2"))
        self.assertEqual(["exact", "unmapped"], [state(data, 9, ref)[1] for ref in (1, 2)])
        both = self.file(clock_block(domain("p")), peer(2, "p", epoch="1"), peer(3, "p", epoch="2"))
        self.assertEqual(["unmapped"] * 2, [state(both, 9, ref)[1] for ref in (2, 3)])

    def test_the_reference_need_not_be_the_headers(self):
        block = clock_block(domain("host", offset=10), host="peer", epoch="boot")
        data = self.file(block, peer())
        self.assertEqual(("a", "ok", "5010"), state(data, 5010))
        self.assertEqual(("a", "exact", "5000"), state(data, 5000, 2))

    def test_results_that_leave_64_bits(self):
        # s = 1: (2^64 - 1) / 2 is half below 2^63 and goes up to it, whose own time is 2^64
        data = self.file(clock_block(domain("peer", skew=10**9)), peer(), stamp=2**63)
        for op in ("state_at", "window"):
            last = str(2**64 - 1)
            self.assertEqual("limit-exceeded", answer(
                data, op, t=last, t1=last, t2=last, streams=[2]).get("kind"))
        data = self.file(clock_block(domain("peer", offset=10)), peer(), stamp=2**63 + 5)
        self.assertEqual(str(2**63 + 15), state(data, 2**64 - 1, 2)[2])

    def test_damaged_blocks(self):
        whole = clock_block(domain("peer"))[9:]
        for content in (whole[:-5], u(4, 9) + whole[4:], whole[:-4] + u(4, 1)):
            found = answer(self.file(record(0x0A, content), peer()), "state_at", t="1")
            self.assertIn(found.get("kind"), ("bad-length", "bad-utf8"))


class Item16(unittest.TestCase):
    """Every record of the data section is met, by its frame."""

    OPERATIONS = [("index", {}), ("state_at", {"t": "15"}), ("loss", {}),
                  ("window", {"t1": "0", "t2": "99", "streams": [1]})]

    def test_what_must_be_understood(self):
        for kind, opcode in [("unknown-opcode", 0x2A), ("unknown-opcode", 0x80),
                             ("reserved-opcode", 0x0C), ("invalid-opcode", 0x00),
                             ("bad-order", 0x02)]:
            data = indexed(Rows((10, "a")), data=record(opcode, b"???"))
            for op, arguments in self.OPERATIONS:
                found = answer(data, op, **arguments)
                self.assertEqual(kind, found.get("kind"))
                self.assertEqual(str(data.index(record(opcode, b"???"))), found["offset"])
        late = indexed(Rows((10, "a")), replace={0xBF: record(0xBF)})
        self.assertEqual("unknown-opcode", answer(late, "index")["kind"])

    def test_what_may_be_skipped(self):
        for opcode in (0x41, 0x60, 0xC0, 0x4A):
            data = indexed(Rows((10, "a")), data=record(opcode, record(0x2A)))
            self.assertEqual("walked", answer(data, "index")["spine"])
            self.assertEqual(("a", "exact", "10"), state(data, 15))

    def test_a_frame_that_passes_the_summary(self):
        broken = u(1, 0x4A) + u(8, 10**6)
        self.assertEqual("bad-length", answer(indexed(data=broken), "index")["kind"])

    def test_contents_are_not_fetched(self):
        rows = Rows((10, "a" * 50))
        rows.bytes = rows.bytes[:-1] + b"?"
        source = Recorded(indexed(rows))
        self.assertEqual(1, len(ask(source, {"op": "index"})["entries"]))
        blob = source.data.index(rows.bytes) + HEAD
        self.assertFalse([f for f in source.fetches if f[0] < blob + 50 and f[1] > blob])

    def test_features_come_first(self):
        found = answer(indexed(head=header(1 << 40), data=record(0x2A)), "index")
        self.assertEqual(("unsupported-feature", [40]), (found["kind"], found["bits"]))


class Ranges(http.server.BaseHTTPRequestHandler):
    """One range a request, as the protocol has it."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.send(200, b"", len(self.server.data))

    def do_GET(self):
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        self.server.asked.append((int(first), int(last) + 1))
        part = self.server.data[int(first):int(last) + 1]
        self.send(self.server.status, part, len(part))

    def send(self, status, body, length):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OverHttp(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        self.server.asked, self.server.status = [], 206
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/x.ca3"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def ask(self, op, **arguments):
        return respond({"op": op, "url": self.url, **arguments})

    def test_only_what_is_wanted_is_fetched(self):
        one, two = Rows((10, "a" * 40)), Rows((10, "b" * 40), ref=2)
        self.server.data = data = indexed(one, two, streams={1: stream(), 2: stream(2)})
        found = self.ask("state_at", t="15", streams=[1])
        self.assertEqual("ok", found["status"])
        self.assertEqual([str(data.index(one.bytes))], found["result"]["chunks_read"])
        blob = data.index(two.bytes) + HEAD
        self.assertFalse([r for r in self.server.asked if r[0] < blob + 42 and r[1] > blob])
        self.assertEqual((0, 25), self.server.asked[0])  # §3.3: 25 bytes decide first

    def test_as_from_a_file(self):
        self.server.data = indexed(Rows((10, "a"), (20, "b")))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.ca3")
            with open(path, "wb") as file:
                file.write(self.server.data)
            for op, arguments in [("read", {}), *Item16.OPERATIONS]:
                self.assertEqual(respond({"op": op, "path": path, **arguments}),
                                 self.ask(op, **arguments))

    def test_servers_that_fail(self):
        self.server.data = indexed(Rows((10, "a")))
        self.server.status = 200
        self.assertEqual("refused", self.ask("index")["status"])
        self.server.data, self.server.status = b"", 206
        self.assertEqual("bad-magic", self.ask("index")["error"]["kind"])
        self.assertEqual("bad-magic", self.ask("read")["error"]["kind"])
        for url in ("http://127.0.0.1:1/x", "file:///etc/hostname", 5):
            self.assertEqual("refused", respond({"op": "index", "url": url})["status"])


class Protocol(unittest.TestCase):
    def test_by_path_from_another_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.ca3")
            with open(path, "wb") as file:
                file.write(indexed(Rows((10, "a"))))
            lines = [{"id": 1, "op": "hello"}, {"id": 2, "op": "state_at", "path": path, "t": "10"},
                     {"id": 3, "op": "state_at", "path": path, "t": "-1"},
                     {"id": 4, "op": "window", "path": path, "t1": "0", "t2": "9", "streams": [9]},
                     {"id": 5, "op": "index", "path": folder}, {"id": 6, "op": "index"}]
            done = subprocess.run([sys.executable, ca3_reader.__file__], capture_output=True,
                                  input="".join(json.dumps(line) + "\n" for line in lines).encode(),
                                  timeout=60, cwd=folder)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(["ok", "ok"] + ["refused"] * 4, [a["status"] for a in answers])
        self.assertEqual((4, ["file", "http"]), (answers[0]["result"]["level"],
                                                 answers[0]["result"]["io"]))
        self.assertEqual(b"", done.stderr)

    def test_any_changed_byte_is_answered(self):
        data = indexed(Rows((10, "a", 1), (20, "b", 3)), Rows((5, "c"), ref=2),
                       streams={1: stream(), 2: peer()}, clock=clock_block(domain("peer")))
        crc_at, sections = len(data) - 12, [int.from_bytes(data[at:at + 8], "little")
                                            for at in (len(data) - 36, len(data) - 28)]
        for at in range(len(data)):
            spoilt = data[:at] + bytes([(0x00, 0x7F, 0xFF)[at % 3]]) + data[at + 1:]
            if sections[0] <= at < sections[1]:  # or the checksum would hide what comes of it
                crc = crc32c(spoilt[sections[0]:sections[1]])
                spoilt = spoilt[:crc_at] + u(4, crc) + spoilt[crc_at + 4:]
            for op, arguments in Item16.OPERATIONS:
                answer(spoilt, op, **arguments)


if __name__ == "__main__":
    unittest.main()
