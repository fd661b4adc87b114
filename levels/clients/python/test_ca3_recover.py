"""Level 4 against files assembled by hand from the document: python3 -m unittest

Every expected number was worked out from the document, none with the client.
"""
from __future__ import annotations

import http.server
import json
import os
import random
import tempfile
import threading
import unittest
from unittest import mock

import ca3_checkpoint
from ca3_checkpoint import Checksums
from ca3_reader import HELLO, MAGIC, Violation, crc32c, protocol_form, respond
from ca3_recover import ask
from test_ca3_level2 import (Ranges, Recorded, Rows, clock_block, directory_row, domain, indexed,
                             seal, table)
from test_ca3_reader import (chunk, columnar, header, message, record, schema, session, stream,
                             string, u)

NONE_LOST = {"dropped_by_queue": None, "never_arrived": None, "reordered": None,
             "sync_quality": None, "sync_domain": None}


def recover(data: bytes) -> dict:
    try:
        return protocol_form(ask(Recorded(data), {"op": "recover"}))
    except Violation as violation:
        return {"refused": protocol_form(violation.report)}


class File:
    """A recording in the making. Checkpoints state what came since the one before."""

    def __init__(self, head=None):
        self.data = MAGIC + (header() if head is None else head)
        self.schemas, self.streams, self.entries = [], [], []
        self.previous, self.seq, self.ends = 0, 0, []
        self.at: list[int] = []  # where each record begins

    def add(self, *records: bytes) -> File:
        for one in records:
            self.at.append(len(self.data))
            self.data += one
            if one[0] == 0x03:
                self.schemas.append(one[9:])
            elif one[0] == 0x04:
                self.streams.append(one[9:])
        return self

    def rows(self, *rows, prefix=0, **more) -> File:
        made = Rows(*rows, **more)
        self.entries.append(made.entry(len(self.data), prefix))
        return self.add(made.bytes)

    def checkpoint(self, clock=b"", flags=0, reserved=0, entry_size=56, own=None, prev=None,
                   seq_copy=None, crc=None, sentinel=b"CA3POINT", body=None, tail=b"",
                   **replaced) -> File:
        self.seq += 1
        own = len(self.data) if own is None else own
        stated = {"schemas": self.schemas, "streams": self.streams, "entries": self.entries,
                  **replaced}
        if body is None:
            body = (u(8, self.seq) + u(4, flags) + u(4, reserved) + u(8, 7) + u(8, 8)
                    + array(stated["schemas"]) + array(stated["streams"]) + u(4, entry_size)
                    + u(4, len(stated["entries"])) + b"".join(stated["entries"])
                    + string(clock[9:]))
        trailer = (sentinel + u(8, own) + u(8, self.previous if prev is None else prev)
                   + u(8, self.seq if seq_copy is None else seq_copy)
                   + u(4, crc32c(body) if crc is None else crc(body)))
        self.previous = len(self.data)
        self.schemas, self.streams, self.entries = [], [], []
        return self.add(record(0x07, body + trailer + tail))


def array(contents) -> bytes:
    return u(4, len(contents)) + b"".join(string(content) for content in contents)


def messages(found: dict) -> str:
    return "".join(bytes.fromhex(one["payload"]).decode() for one in found["messages"])


def summed(found: dict):
    """What tells of the way that was taken."""
    return (found["method"], [int(one["checkpoint_seq"]) for one in found["checkpoints"]],
            messages(found))


def kinds(found: dict) -> list:
    return [problem["kind"] for problem in found["problems"]]


def entries(found: dict) -> list:
    return [tuple(int(entry[name]) for name in ("stream_ref", "min_stamp_ns", "max_stamp_ns",
                                                "prefix_max_stamp_ns"))
            for entry in found["entries"]]


def recording() -> File:
    """Two checkpoints, and a chunk behind each and ahead of the first."""
    file = File().add(schema(), stream(1, 1), session(study="first"))
    file.rows((10, "a"), (20, "b", 5)).checkpoint(clock_block(domain("d", offset=1)))
    file.add(stream(2)).rows((5, "c"), ref=2).checkpoint(clock_block(domain("d", offset=2)))
    return file.rows((30, "d"))


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def sealed_file(file: File, last=None, start=None, spoil=False, groups=None) -> bytes:
    """With a summary of a directory alone, unless other groups are given."""
    summary = groups or record(0x09, u(4, 73) + u(4, 0)) + record(0x44)
    crc = crc32c(summary) ^ spoil
    footer = (u(8, len(file.data) if start is None else start) + u(8, 0)
              + u(8, file.previous if last is None else last) + u(4, crc))
    return file.data + summary + record(0x02, footer) + MAGIC


class Answer(unittest.TestCase):
    """Every member of one answer."""

    def test_a_chain(self):
        file = recording()
        found = recover(file.data)
        self.assertEqual((False, True, False, "checkpoint-chain", str(len(file.data)),
                          "end-of-file", []),
                         tuple(found[name] for name in ("sealed", "truncated", "complete", "method",
                                                        "stopped_at", "stop_reason", "problems")))
        self.assertEqual([{"offset": str(file.at[7]), "checkpoint_seq": "2"},
                          {"offset": str(file.at[4]), "checkpoint_seq": "1"}],
                         found["checkpoints"])
        self.assertEqual("host", found["header"]["host_id"])
        self.assertEqual("first", found["session"]["study"])
        self.assertEqual([1], [one["schema_ref"] for one in found["schemas"]])
        self.assertEqual([1, 2], [one["stream_ref"] for one in found["streams"]])
        self.assertEqual("abcd", messages(found))
        self.assertEqual({"host_id": "host", "host_clock_epoch": "boot"},
                         found["clock"]["reference"])
        self.assertEqual(["2"], [one["offset_ns"] for one in found["clock"]["domains"]])
        self.assertNotIn("verification", found["clock"]["domains"][0])
        self.assertEqual([
            {"chunk_offset": str(file.at[3]), "chunk_length": str(file.at[4] - file.at[3]),
             "min_stamp_ns": "10", "max_stamp_ns": "20", "prefix_max_stamp_ns": "20",
             "message_count": "2", "stream_ref": 1, "seq_first": 0, "seq_last": 5},
            {"chunk_offset": str(file.at[8]), "chunk_length": str(len(file.data) - file.at[8]),
             "min_stamp_ns": "30", "max_stamp_ns": "30", "prefix_max_stamp_ns": "30",
             "message_count": "1", "stream_ref": 1, "seq_first": 0, "seq_last": 0},
            {"chunk_offset": str(file.at[6]), "chunk_length": str(file.at[7] - file.at[6]),
             "min_stamp_ns": "5", "max_stamp_ns": "5", "prefix_max_stamp_ns": "5",
             "message_count": "1", "stream_ref": 2, "seq_first": 0, "seq_last": 0},
        ], found["entries"])
        self.assertEqual([
            {"stream_ref": 1, "flags": 0, "first_index": 0, "index_count": 2,
             "message_count": "3", "chunk_count": "2", "first_stamp_ns": "10",
             "last_stamp_ns": "30", **NONE_LOST},
            {"stream_ref": 2, "flags": 0, "first_index": 2, "index_count": 1,
             "message_count": "1", "chunk_count": "1", "first_stamp_ns": "5",
             "last_stamp_ns": "5", **NONE_LOST}], found["directory"])

    def test_over_the_protocol(self):
        self.assertEqual((4, True), (HELLO["level"], "recover" in HELLO["ops"]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file.ca3")
            with open(path, "wb") as file:
                file.write(recording().data)
            found = respond({"op": "recover", "path": path})
            self.assertEqual("ok", found["status"])
            self.assertEqual("abcd", messages(json.loads(json.dumps(found["result"]))))
            self.assertEqual("refused", respond({"op": "recover", "path": path + "x"})["status"])

    def test_over_http(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
        server.asked, server.status, server.data = [], 206, recording().data
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}/x.ca3"
            found = respond({"op": "recover", "url": url})
            self.assertEqual(("ok", "abcd"), (found["status"], messages(found["result"])))
        finally:
            server.shutdown()
            server.server_close()

    def test_columns(self):
        file = File(header(1 << 2)).add(stream(), columnar(
            u(8, 0) + u(8, 5) + u(4, 1) + u(4, 3), b"xy", 1, count=2, mask=8, low=10, high=15,
            first=7))
        found = recover(file.data)
        self.assertEqual(("xy", [(1, 10, 15, 15)], [9]), (messages(found), entries(found), [
            entry["seq_last"] for entry in found["entries"]]))

    def test_what_is_refused(self):
        data = recording().data
        self.assertEqual("bad-magic", recover(b"")["refused"]["kind"])
        self.assertEqual("bad-magic", recover(flipped(data, 4))["refused"]["kind"])
        missing = recover(File(header(1 << 1 | 1 << 9)).data)["refused"]
        self.assertEqual(("unsupported-feature", [1, 9], ["StreamCrypto", None]),
                         (missing["kind"], missing["bits"], missing["names"]))
        self.assertEqual("unsupported-feature",
                         recover(File(header(1 << 9)).data[:25])["refused"]["kind"])


class Step1(unittest.TestCase):
    """A sealed file whose summary verifies is read through it."""

    def test_summary(self):
        data = indexed(Rows((30, "b")), Rows((10, "a")), clock=clock_block(domain("d", offset=3)))
        found = recover(data)
        self.assertEqual((True, False, True, "summary", [], None, None, []),
                         tuple(found[name] for name in ("sealed", "truncated", "complete", "method",
                                                        "checkpoints", "stopped_at", "stop_reason",
                                                        "problems")))
        self.assertEqual("ba", messages(found))
        self.assertEqual([(1, 10, 10, 10), (1, 30, 30, 30)], entries(found))
        self.assertEqual(["3"], [one["offset_ns"] for one in found["clock"]["domains"]])
        self.assertEqual(("0", 0, ""), tuple(found["directory"][0][name] for name in (
            "dropped_by_queue", "sync_quality", "sync_domain")))

    def test_its_tables_are_those_of_the_file(self):
        rows = Rows((10, "a"))
        body = MAGIC + header() + stream()
        group = [(0x04, stream()), (0x08, table(0x08, 56, [rows.entry(len(body), 77)])),
                 (0x09, table(0x09, 73, [directory_row(1, flags=1, lost=(4, 5, 6))]))]
        found = recover(seal(body + rows.bytes, group))
        self.assertEqual([(1, 10, 10, 77)], entries(found))
        self.assertEqual((1, "4", True), (found["directory"][0]["flags"],
                                          found["directory"][0]["dropped_by_queue"],
                                          found["complete"]))

    def test_the_session_in_force_is_the_summary_s(self):
        data = seal(MAGIC + header() + session(study="early"), [(0x06, session(study="late"))])
        self.assertEqual("late", recover(data)["session"]["study"])
        self.assertEqual("early", recover(seal(MAGIC + header() + session(study="early"),
                                               [(0x44, record(0x44))]))["session"]["study"])

    def test_a_damaged_chunk_is_withheld(self):
        bad = Rows((10, "a"))
        bad.bytes = flipped(bad.bytes, len(bad.bytes) - 1)
        found = recover(indexed(bad, Rows((20, "b"))))
        self.assertEqual(("summary", [], "b"), summed(found))
        self.assertEqual((False, ["bad-crc"], 2),
                         (found["complete"], kinds(found), len(found["entries"])))

    def test_entries_that_lead_nowhere(self):
        body = MAGIC + header() + stream()
        for at in (0, 8, len(body) - 3, 10**6, 2**64 - 1):
            found = recover(seal(body, [(0x08, table(0x08, 56, [Rows((10, "a")).entry(at, 10)]))]))
            self.assertEqual(("summary", False, ["index-mismatch"], ""), (
                found["method"], found["complete"], kinds(found), messages(found)))

    def test_damage_falls_through(self):
        whole = recording()
        for data in (sealed_file(whole, spoil=True), sealed_file(whole, start=0),
                     sealed_file(whole, start=2**64 - 1), sealed_file(whole, start=30)):
            found = recover(data)
            self.assertEqual(("checkpoint-chain", [2, 1], "abcd"), summed(found))
            self.assertEqual((True, False, False, None, None, []),
                             tuple(found[name] for name in ("sealed", "truncated", "complete",
                                                            "stopped_at", "stop_reason",
                                                            "problems")))

    def test_a_summary_that_verifies_and_does_not_decode(self):
        data = sealed_file(recording(), groups=record(0x08, u(4, 48) + u(4, 0)))
        found = recover(data)
        self.assertEqual(("checkpoint-chain", [2, 1], "abcd"), summed(found))
        self.assertEqual(["bad-entry-size"], kinds(found))

    def test_the_magic_without_a_footer(self):
        data = recording().data
        for tail in (MAGIC, record(0x44) + MAGIC, record(0x08, u(4, 56) + u(4, 0)) + MAGIC):
            found = recover(data + tail)
            self.assertEqual(("checkpoint-chain", [2, 1], "abcd"), summed(found))
            self.assertEqual((True, False, False, None), (found["sealed"], found["truncated"],
                                                          found["complete"], found["stopped_at"]))

    def test_too_short_for_a_footer(self):
        found = recover(MAGIC + MAGIC)
        self.assertEqual((False, "8", "truncated-record"),
                         (found["sealed"], found["stopped_at"], found["stop_reason"]))


class Step2(unittest.TestCase):
    """The last checkpoint, by the Footer or by its sentinel."""

    def test_the_footer_leads_there(self):
        file = recording()
        first = recover(sealed_file(file, last=file.at[4], spoil=True))
        self.assertEqual(("checkpoint-chain", [1], "abcd"), summed(first))

    def test_an_offset_that_leads_to_no_checkpoint_leaves_the_spine(self):
        file = recording()
        for last in (8, file.at[3], file.previous + 9, 2**64 - 1, 10**9):
            found = recover(sealed_file(file, last=last, spoil=True))
            self.assertEqual(("spine-walk", [2, 1], "abcd"), summed(found))

    def test_no_offset_leaves_the_scan(self):
        self.assertEqual(("checkpoint-chain", [2, 1], "abcd"),
                         summed(recover(sealed_file(recording(), last=0, spoil=True))))

    def test_no_candidate_leaves_the_spine(self):
        self.assertEqual(("spine-walk", [], "ab"), summed(recover(
            File().add(stream()).rows((10, "a")).rows((20, "b")).data)))

    def test_a_cut_trailer_is_no_candidate(self):
        file = recording()
        end = file.at[8]
        for missing in range(1, 37):
            found = recover(file.data[:end - missing])
            self.assertEqual(("checkpoint-chain", [1], "abc"), summed(found))
            self.assertEqual(str(file.at[7]), found["stopped_at"])


class FourChecks(unittest.TestCase):
    """§8.2: a candidate that fails one is none, and the one before it is found."""

    def spoilt(self, **fault):
        file = File().add(stream()).rows((10, "a")).checkpoint().rows((20, "b"))
        file.checkpoint(**fault).rows((30, "c"))
        found = recover(file.data)
        self.assertEqual(("checkpoint-chain", [1], "abc"), summed(found))
        self.assertEqual([], kinds(found))

    def test_each_fault_of_a_checkpoint(self):
        self.spoilt(sentinel=b"CA3POINt")
        self.spoilt(own=0)
        self.spoilt(own=8)
        self.spoilt(own=2**64 - 1)
        self.spoilt(own=100)
        self.spoilt(crc=lambda body: crc32c(body) ^ 1)
        self.spoilt(crc=lambda body: crc32c(body + b"CA3POINT"))
        self.spoilt(tail=b"more")

    def test_self_and_prev_swapped(self):
        file = File().add(stream()).rows((10, "a")).checkpoint()
        self.spoilt(own=file.previous, prev=len(file.data))

    def test_a_copied_sequence_is_no_check(self):
        file = File().add(stream()).rows((10, "a")).checkpoint(seq_copy=9)
        self.assertEqual(("checkpoint-chain", [1], "a"), summed(recover(file.data)))

    def decoy(self, payload: bytes):
        """In a chunk behind the last checkpoint."""
        file = File().add(stream()).rows((10, "a")).checkpoint()
        file.add(chunk(message(payload=payload), low=20))
        found = recover(file.data)
        self.assertEqual(("checkpoint-chain", ["1"], 2), (found["method"], [
            one["checkpoint_seq"] for one in found["checkpoints"]], len(found["messages"])))

    def test_decoys(self):
        good = File().add(stream()).rows((10, "a")).checkpoint()
        trailer = good.data[-36:]
        self.decoy(b"CA3POINT")
        self.decoy(b"CA3POINT" * 9)
        self.decoy(trailer)  # leads to the real one, whose length ends elsewhere
        self.decoy(good.data)  # a recording within a recording
        self.decoy(b"CA3POINT" + u(8, 2**63) + bytes(20))
        self.decoy(b"CA3POINT" + u(8, 8) + bytes(20))

    def test_a_decoy_that_leads_to_another_record(self):
        """A chunk that ends as a checkpoint does, checksum and all."""
        file = File().add(stream()).rows((10, "a")).checkpoint()
        start = len(file.data)
        content = chunk(message(payload=bytes(36)), low=20)[9:-36]
        file.add(record(0x05, content + b"CA3POINT" + u(8, start) + u(8, 0) + u(8, 1)
                        + u(4, crc32c(content))))
        found = recover(file.data)
        self.assertEqual(("checkpoint-chain", [1]), summed(found)[:2])
        self.assertEqual(["bad-crc"], kinds(found))


    def crafted(self, data: bytes, method: str):
        """A candidate that fails one check and no other."""
        found = recover(data)
        self.assertEqual((method, []), (found["method"], kinds(found)))
        return found["checkpoints"]

    def test_check_2_from_above_alone(self):
        """The length goes round 64 bits, and the content would be of less than no bytes."""
        file = File().add(stream()).rows((10, "a")).checkpoint()
        at = len(file.data) + 9
        behind = at + 36
        trailer = b"CA3POINT" + u(8, behind) + u(8, 0) + u(8, 2) + u(4, crc32c(b""))
        data = file.add(record(0x7E, trailer + u(1, 7) + u(8, 2**64 - 9))).data
        self.assertEqual(1, len(self.crafted(data, "checkpoint-chain")))

    def test_check_2_from_below(self):
        """The Header for a checkpoint: bytes behind its last field are ignored (§14)."""
        content = header()[9:]
        trailer = b"CA3POINT" + u(8, 8) + u(8, 0) + u(8, 1) + u(4, crc32c(content))
        file = File(record(0x01, content + trailer)).add(stream()).rows((10, "a"))
        self.assertEqual([], self.crafted(file.data, "spine-walk"))

    def test_check_3_by_length_alone(self):
        file = File().add(stream()).rows((10, "a")).checkpoint()
        start, at = file.previous, len(file.data) + 9
        front = file.data[start + 9:] + u(1, 0x7E) + u(8, 36)
        trailer = b"CA3POINT" + u(8, start) + u(8, 0) + u(8, 1) + u(4, crc32c(front))
        data = file.add(record(0x7E, trailer)).data
        self.assertEqual(at + 36, len(data))
        self.assertEqual(1, len(self.crafted(data, "checkpoint-chain")))


class Chain(unittest.TestCase):
    """Step 3."""

    def three(self, second=None, third=None) -> File:
        file = File().add(stream()).rows((10, "a")).checkpoint().add(stream(2))
        file.rows((20, "b")).checkpoint(**(second or {})).rows((30, "c"), ref=2)
        return file.checkpoint(**(third or {})).rows((40, "d"))

    def test_all_of_it_is_merged(self):
        self.assertEqual(("checkpoint-chain", [3, 2, 1], "abcd"), summed(recover(
            self.three().data)))

    def test_entries_come_from_the_chain_alone(self):
        file = File().add(stream()).rows((10, "a"))
        file.entries = []
        self.assertEqual(("checkpoint-chain", [1], ""), summed(recover(file.checkpoint().data)))

    def test_definitions_come_from_the_chain(self):
        """The head is damaged behind the Header; the checkpoint restates all."""
        file = File().add(schema(), stream(1, 1)).rows((10, "a")).checkpoint().rows((20, "b"))
        at = file.at[0]
        found = recover(file.data[:at] + b"\0" + file.data[at + 1:])
        self.assertEqual(("checkpoint-chain", [1], "ab"), summed(found))
        self.assertEqual(("host", ["invalid-opcode"], [str(at)]), (
            found["header"]["host_id"], kinds(found),
            [problem["offset"] for problem in found["problems"]]))

    def test_a_broken_chain_leaves_the_spine(self):
        file = self.three()
        first, second, third = file.at[2], file.at[5], file.at[7]
        for data, met in ((flipped(file.data, second + 12), [1]),
                          (flipped(file.data, first + 12), [2]),
                          (self.three(third={"prev": third}).data, [2, 1]),
                          (self.three(third={"prev": third + 1}).data, [2, 1]),
                          (self.three(third={"prev": 2**64 - 1}).data, [2, 1]),
                          (self.three(third={"prev": 8}).data, [2, 1]),
                          (self.three(third={"prev": second + 3}).data, [2, 1]),
                          (self.three(second={"prev": third}).data, [2, 1])):
            found = recover(data)
            self.assertEqual(("spine-walk", met, "abcd"), summed(found))
            self.assertEqual([], kinds(found))

    def test_a_checkpoint_that_does_not_decode(self):
        for fault in ({"entry_size": 55, "entries": [bytes(55)]}, {"body": b"short"},
                      {"body": bytes(32) + u(4, 2**32 - 1)}, {"streams": [b"\1"]},
                      {"clock": record(0x0A, b"?")},
                      {"body": bytes(32) + array([]) * 2 + u(4, 56) + bytes(8) + b"x"}):
            found = recover(self.three(second=fault).data)
            self.assertEqual(("spine-walk", [1], "abcd"), summed(found))
            self.assertEqual(1, len(kinds(found)))

    def test_a_layout_with_something_missing(self):
        made = File().add(schema(), stream(1, 1)).rows((10, "a"))
        head, seq = bytes(16), u(8, 2) + bytes(4)
        tables = array(made.schemas), array(made.streams)
        index = u(4, 56) + u(4, 1) + made.entries[0]
        short = u(4, 1) + u(4, len(made.schemas[0]) - 1) + made.schemas[0]
        for body in (seq + head + b"".join(tables) + index + bytes(4),  # no reserved word
                     seq + bytes(4) + head + tables[0] + index + bytes(4),  # no streams
                     seq + bytes(4) + head + b"".join(tables) + index,  # no clock block
                     seq + bytes(4) + head + short + tables[1] + index + bytes(4)):
            found = recover(self.three(second={"body": body}).data)
            self.assertEqual(("spine-walk", [1], "abcd"), summed(found))
            self.assertEqual(1, len(kinds(found)))

    def test_reserved_and_flags_are_read_by_nobody(self):
        file = self.three(second={"reserved": 2**32 - 1, "flags": 2**32 - 1})
        self.assertEqual(("checkpoint-chain", [3, 2, 1], "abcd"), summed(recover(file.data)))

    def test_wider_entries(self):
        file = File().add(stream()).rows((10, "a")).rows((20, "b"))
        wide = [entry + b"\xff" * 8 for entry in file.entries]
        found = recover(file.checkpoint(entries=wide, entry_size=64).data)
        self.assertEqual(("checkpoint-chain", [1], "ab"), summed(found))
        self.assertEqual([(1, 10, 10, 10), (1, 20, 20, 20)], entries(found))

    def test_the_newest_clock_block_that_is_not_empty(self):
        old, new = clock_block(domain("d", offset=10)), clock_block(domain("d", offset=20))
        for blocks, expected in (((old, new, b""), 20), ((old, b"", b""), 10),
                                 ((b"", b"", new), 20)):
            file = File()
            for block in blocks:
                file.checkpoint(block)
            found = recover(file.data)
            self.assertEqual([str(expected)], [one["offset_ns"]
                                               for one in found["clock"]["domains"]])
        self.assertIsNone(recover(File().checkpoint().data)["clock"])
        self.assertEqual(["20"], [one["offset_ns"] for one in recover(
            File().checkpoint().add(new).data)["clock"]["domains"]])
        self.assertEqual(["10"], [one["offset_ns"] for one in recover(
            File().checkpoint(old).add(new).data)["clock"]["domains"]])

    def test_an_entry_and_its_chunk_differ(self):
        file = File().add(stream()).rows((10, "a"))
        entry = file.entries[0]
        file.checkpoint(entries=[entry[:24] + u(8, 99) + entry[32:]])
        found = recover(file.data)
        self.assertEqual(("checkpoint-chain", [1], "a"), summed(found))
        self.assertEqual((["index-mismatch"], [(1, 10, 10, 10)]), (kinds(found), entries(found)))

    def test_an_entry_without_a_chunk(self):
        file = File().add(stream()).rows((10, "a"))
        entry = file.entries[0]
        for at in (0, 8, 20, 2**64 - 1):
            other = File().add(stream()).rows((10, "a"))
            found = recover(other.checkpoint(entries=[entry, u(8, at) + entry[8:]]).data)
            self.assertEqual((("checkpoint-chain", [1], "a"), ["index-mismatch"], 1),
                             (summed(found), kinds(found), len(found["entries"])))

    def test_a_chunk_comes_back_once(self):
        file = File().add(stream()).rows((10, "a"))
        entry = file.entries[0]
        file.checkpoint(entries=[entry, entry]).checkpoint(entries=[entry])
        found = recover(file.data)
        self.assertEqual((("checkpoint-chain", [2, 1], "a"), 1),
                         (summed(found), len(found["entries"])))

    def test_a_definition_that_differs(self):
        file = File().add(stream(topic="one")).checkpoint(streams=[stream(topic="two")[9:]])
        found = recover(file.data)
        self.assertEqual((["one"], ["duplicate-reference"]),
                         ([one["topic"] for one in found["streams"]], kinds(found)))


class Walk(unittest.TestCase):
    """Steps 4 and 6: forward, to the end or to what is no record."""

    def test_what_stands_behind_the_last_checkpoint(self):
        file = recording().add(stream(3), session(study="second")).rows((1, "e"), ref=3)
        found = recover(file.data)
        self.assertEqual(("checkpoint-chain", [2, 1], "abcde"), summed(found))
        self.assertEqual(("second", [1, 2, 3]), (found["session"]["study"], [
            one["stream_ref"] for one in found["streams"]]))

    def test_where_it_stops(self):
        tail = Rows((50, "z")).bytes
        for stops, bad in (("truncated-record", tail[:-1]), ("truncated-record", tail[:9]),
                           ("truncated-record", b"\5\0\0"), ("truncated-record", bytes(8)),
                           ("truncated-record", u(1, 5) + u(8, 2**63) + tail),
                           ("truncated-record", u(1, 5) + u(8, 2**64 - 9) + tail),
                           ("invalid-opcode", bytes(64)), ("unknown-opcode", record(0x2A) + tail),
                           ("unknown-opcode", record(0x80) + tail),
                           ("reserved-opcode", record(0x0C) + tail)):
            for file in (recording(), File().add(stream(), session(study="first")).rows(
                    (10, "a")).rows((20, "b")).rows((30, "c")).rows((40, "d"))):
                found = recover(file.data + bad)
                self.assertEqual(("abcd", str(len(file.data)), stops, True, False), (
                    messages(found), found["stopped_at"], found["stop_reason"],
                    found["truncated"], found["complete"]))
                self.assertEqual([stops], kinds(found))
        self.assertEqual("Tombstone", found["problems"][0]["name"])

    def test_what_may_be_skipped_is(self):
        file = recording().add(record(0x7F, b"new"), record(0xC0), record(0x46),
                               record(0x4A, b"\0"))
        found = recover(file.rows((60, "e")).data)
        self.assertEqual(("abcde", "end-of-file", []), (messages(found), found["stop_reason"],
                                                        found["problems"]))

    def test_a_chunk_that_does_not_hold_is_withheld(self):
        long_way = u(1, 3) + b"\x80\0" + b"x"  # a stamp_delta that has a shorter form
        for kind, bad in (("bad-crc", chunk(message(), crc=1)),
                          ("varint-not-canonical", chunk(blob=long_way, count=1)),
                          ("unknown-codec", chunk(message(), codec=9)),
                          ("reserved-mask-bit", chunk(message(), mask=16)),
                          ("bad-length", chunk(message(), count=2)),
                          ("limit-exceeded", chunk(message(), codec=1, size=2**63)),
                          ("bad-crc", columnar(bytes(8), b"x", 1, crc=1))):
            file = File().add(stream()).rows((10, "a")).add(bad).rows((30, "c"))
            found = recover(file.data)
            self.assertEqual((("spine-walk", [], "ac"), 3), (summed(found), len(found["entries"])))
            self.assertIn(kinds(found), ([kind], ["unsupported-feature"]))
            self.assertEqual(str(file.at[2]), found["problems"][0]["offset"])
            self.assertEqual("end-of-file", found["stop_reason"])

    def test_a_withheld_chunk_keeps_its_entry(self):
        for bits, first, last in ((0, 5, 7), (0, 0, 0), (8, 5, 0), (0, 2**32 - 1, 2)):
            file = File().add(stream(), chunk(message(), message(), message(), mask=bits,
                                              first=first, crc=1))
            self.assertEqual([last], [one["seq_last"] for one in recover(file.data)["entries"]])
        file = File().add(stream()).rows((10, "a", 4), (11, "b", 6)).checkpoint()
        found = recover(flipped(file.data, file.at[2] - 1))
        self.assertEqual((["bad-crc"], [6], ""), (kinds(found), [
            one["seq_last"] for one in found["entries"]], messages(found)))

    def test_a_chunk_without_a_stream(self):
        file = recording().rows((60, "e"), ref=9)
        found = recover(file.data)
        self.assertEqual(("abcd", [("unresolved-reference", 9)]), (messages(found), [
            (one["kind"], one["stream_ref"]) for one in found["problems"]]))
        self.assertEqual([1, 2], [one["stream_ref"] for one in found["directory"]])

    def test_a_stream_without_a_schema(self):
        found = recover(File().add(stream(1, 7), stream(2, 8)).data)
        self.assertEqual([("unresolved-reference", 1), ("unresolved-reference", 2)],
                         [(one["kind"], one["stream_ref"]) for one in found["problems"]])

    def test_a_record_that_does_not_hold_is_left_out(self):
        for bad in (record(0x04, b"\1"), record(0x06), record(0x03, bytes(3)), header(),
                    stream(0), record(0x0A, b"?"), stream(1, topic="another")):
            file = File().add(stream(), session(study="kept"), bad).rows((10, "a"))
            found = recover(file.data)
            self.assertEqual(("a", "kept", "end-of-file", 1), (
                messages(found), found["session"]["study"], found["stop_reason"],
                len(kinds(found))))
            self.assertEqual([1], [one["stream_ref"] for one in found["streams"]])

    def test_a_header_that_does_not_hold(self):
        file = File(record(0x01, u(8, 0) + string(b"\xff") + bytes(40)))
        found = recover(file.add(stream()).rows((10, "a")).checkpoint().data)
        self.assertEqual((None, ["bad-utf8"], ("checkpoint-chain", [1], "a")),
                         (found["header"], kinds(found), summed(found)))

    def test_a_sealed_file_ends_where_its_summary_begins(self):
        plain = File().add(stream()).rows((10, "a"))
        restated = stream() + session(study="late") + record(0x08, u(4, 56) + u(4, 0))
        found = recover(sealed_file(plain, last=0, spoil=True, groups=restated))
        self.assertEqual((("spine-walk", [], "a"), None, None, None), (
            summed(found), found["session"], found["stopped_at"], found["stop_reason"]))
        # a summary_start inside the data section does not end it
        early = recover(sealed_file(plain, last=0, start=plain.at[0], spoil=True, groups=restated))
        self.assertEqual(("a", None), (messages(early), early["stopped_at"]))
        # a record that is broken inside the summary is none of its concern
        broken = recover(sealed_file(plain, last=0, spoil=True, groups=restated + record(0) * 3))
        self.assertEqual(("a", None), (messages(broken), broken["stopped_at"]))

    def test_a_sealed_file_that_is_damaged_in_its_data(self):
        plain = File().add(stream()).rows((10, "a")).add(record(0x2A)).rows((20, "b"))
        found = recover(sealed_file(plain, last=0, spoil=True))
        self.assertEqual(("a", str(plain.at[2]), "unknown-opcode", True, False), (
            messages(found), found["stopped_at"], found["stop_reason"], found["sealed"],
            found["truncated"]))

    def test_a_summary_that_lost_its_end(self):
        data = indexed(Rows((10, "a")), clock=clock_block(domain("d", offset=3)))
        for missing in (1, 8, 20, 45, 46):
            found = recover(data[:-missing])
            self.assertEqual((("spine-walk", [], "a"), ["3"], 1), (
                summed(found), [one["offset_ns"] for one in found["clock"]["domains"]],
                len(found["streams"])))
            self.assertEqual({"truncated-record"}, {*kinds(found), "truncated-record"})


class Rebuilt(unittest.TestCase):
    """Step 5."""

    def test_disordered_chunks(self):
        for prefix in (0, 99):
            file = File().add(stream(), stream(2))
            file.rows((60, "a"), (90, "b"), prefix=prefix).rows((10, "c"), ref=2)
            file.checkpoint().rows((10, "d"), (70, "e"), prefix=prefix).rows((5, "f"), ref=2)
            for data in (file.data, file.checkpoint().data):
                found = recover(data)
                self.assertEqual([(1, 10, 70, 70), (1, 60, 90, 90), (2, 5, 5, 5), (2, 10, 10, 10)],
                                 entries(found))
                self.assertEqual([(1, 1, 0, 2, "10", "90"), (2, 0, 2, 2, "5", "10")], [
                    tuple(row[name] for name in ("stream_ref", "flags", "first_index",
                                                 "index_count", "first_stamp_ns", "last_stamp_ns"))
                    for row in found["directory"]])
                self.assertEqual("abcdef", messages(found))

    def test_the_maximum_runs(self):
        file = File().add(stream()).rows((10, "a"), (90, "b")).rows((20, "c")).rows((30, "d"))
        found = recover(file.data)
        self.assertEqual([(1, 10, 90, 90), (1, 20, 20, 90), (1, 30, 30, 90)], entries(found))
        self.assertEqual(1, found["directory"][0]["flags"])

    def test_one_shared_stamp_overlaps(self):
        for second, bit in ((20, 1), (21, 0)):
            file = File().add(stream()).rows((10, "a"), (20, "b")).rows((second, "c"))
            self.assertEqual(bit, recover(file.data)["directory"][0]["flags"])

    def test_one_stamp_twice_stays_in_file_order(self):
        file = File().add(stream()).rows((10, "a"), (30, "b")).rows((10, "c"))
        self.assertEqual([(1, 10, 30, 30), (1, 10, 10, 30)], entries(recover(file.data)))

    def test_a_stream_without_chunks(self):
        row = recover(File().add(stream(3)).data)["directory"]
        self.assertEqual([{"stream_ref": 3, "flags": 0, "first_index": 0, "index_count": 0,
                           "message_count": "0", "chunk_count": "0", "first_stamp_ns": "0",
                           "last_stamp_ns": "0", **NONE_LOST}], row)


class Hostile(unittest.TestCase):
    def test_a_cut_at_every_byte(self):
        whole = recording()
        for end in range(len(MAGIC), len(whole.data)):
            found = recover(whole.data[:end])
            self.assertNotIn("refused", found)
            self.assertTrue("abcd".startswith(messages(found)))
            self.assertEqual((True, False), (found["truncated"], found["complete"]))
            self.assertLessEqual(int(found["stopped_at"]), end)
            self.assertIn(found["stop_reason"], ("end-of-file", "truncated-record"))
            self.assertLessEqual(set(kinds(found)), {"truncated-record"})
            complete = sum(at + 9 + int.from_bytes(whole.data[at + 1:at + 9], "little") <= end
                           for at in (whole.at[3], whole.at[6], whole.at[8]))
            self.assertEqual(["", "ab", "abc", "abcd"][complete], messages(found))

    def test_a_cut_of_a_sealed_file(self):
        data = sealed_file(recording())
        for end in range(len(recording().data), len(data)):
            found = recover(data[:end])
            self.assertEqual(("checkpoint-chain", [2, 1], "abcd"), summed(found))
            self.assertEqual((True, False), (found["truncated"], found["complete"]))

    def test_any_byte_changed(self):
        random.seed(8)
        for data in (sealed_file(recording()), sealed_file(recording(), spoil=True),
                     indexed(Rows((10, "a")), Rows((20, "b")))):
            for at in range(8, len(data), 4):
                changed = data[:at] + bytes([random.randrange(256)]) + data[at + 1:]
                found = recover(changed)
                if "refused" in found:
                    self.assertEqual("unsupported-feature", found["refused"]["kind"])

    def test_random_stretches(self):
        random.seed(16)
        data = sealed_file(recording())
        for _ in range(500):
            at, size = random.randrange(8, len(data)), random.randrange(40)
            filler = random.choice((bytes(size), b"\xff" * size, random.randbytes(size)))
            recover(data[:at] + filler + data[at + random.randrange(40):])

    def test_lengths_and_counts_of_every_size(self):
        file = recording()
        for at in range(len(MAGIC) + 25, len(file.data) - 8, 5):
            for value in (2**63, 2**64 - 1, 2**32 - 1, 0):
                recover(file.data[:at] + u(8, value) + file.data[at + 8:])

    def bytes_summed_up(self, data: bytes) -> int:
        """By checksums of checkpoints."""
        with mock.patch.object(ca3_checkpoint, "crc32c", wraps=crc32c) as summing:
            self.assertEqual(("spine-walk", [], ""), summed(recover(data)))
        return sum(len(call.args[0]) for call in summing.call_args_list)

    def test_many_sentinels(self):
        self.assertEqual(0, self.bytes_summed_up(File().data + b"CA3POINT" * 100_000))

    def test_candidates_within_one_another(self):
        """Each passes the checks but the last, and holds half of the file."""
        count = 1000
        start = len(File().data)
        total = count * 45
        front = b"".join(u(1, 7) + u(8, total - 9 * (i + 1) - 36 * i) for i in range(count))
        back = b"".join(b"CA3POINT" + u(8, start + 9 * i) + bytes(20)
                        for i in reversed(range(count)))
        data = File().data + front + back
        self.assertLess(self.bytes_summed_up(data), 20 * len(data))

    def test_a_chunk_inside_another(self):
        inner = chunk(message(payload=b"i"), low=5)
        file = File().add(stream())
        at = len(file.data)
        outer = chunk(message(payload=inner), low=10)
        entry = Rows((5, "i")).entry(at + outer.index(inner), 5)
        found = recover(file.add(outer).checkpoint(entries=[
            Rows((10, inner.decode("latin-1"))).entry(at, 10)[:8] + u(8, len(outer))
            + Rows((10, "x")).entry(at, 10)[16:], entry]).data)
        self.assertEqual((1, ["index-mismatch"]), (len(found["messages"]), kinds(found)))

    def test_checksums_of_any_stretch(self):
        random.seed(24)
        data = random.randbytes(3000)
        sums = Checksums(data)
        for _ in range(300):
            start, end = sorted(random.choices(range(3001), k=2))
            self.assertEqual(crc32c(data[start:end]), sums.of(start, end))


if __name__ == "__main__":
    unittest.main()
