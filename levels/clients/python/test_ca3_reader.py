"""The client against files assembled by hand from the document: python3 -m unittest"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest

import ca3_reader
from ca3_reader import MAGIC, Reader, Violation, crc32c, protocol_form


def u(size: int, value: int) -> bytes:
    return value.to_bytes(size, "little")


def string(text) -> bytes:
    raw = text if isinstance(text, bytes) else text.encode()
    return u(4, len(raw)) + raw


def pairs(*entries) -> bytes:
    return u(4, len(entries)) + b"".join(string(key) + string(value) for key, value in entries)


def record(opcode: int, content: bytes = b"") -> bytes:
    return u(1, opcode) + u(8, len(content)) + content


def header(features=0, wall=1_700_000_000 * 10**9, monotonic=5, source="call", attributes=pairs(),
           tail=b"") -> bytes:
    return record(0x01, u(8, features) + string("") + string("lib") + string("host")
                  + string("boot") + string(source) + u(8, monotonic) + u(8, wall)
                  + string("wall") + attributes + tail)


def schema(ref=1, schema_id="p.M", encoding="protobuf", descriptor=b"d" * 40, tail=b"") -> bytes:
    return record(0x03, u(4, ref) + string(schema_id) + string(encoding) + u(8, len(descriptor))
                  + descriptor + tail)


def stream(ref=1, schema_ref=0, topic="t", origin=1, device="", host="host", epoch="boot",
           asserted=0, rate=0, conformance=0, metadata=pairs(), tail=b"") -> bytes:
    return record(0x04, u(4, ref) + u(4, schema_ref) + string(topic) + string("n") + u(1, origin)
                  + string(device) + string(host) + string(epoch) + string("") + u(1, asserted)
                  + string("") + u(8, 10) + u(8, 20) + u(8, rate) + u(1, conformance) + u(4, 0)
                  + metadata + tail)


def session(study="s", operator="op", asserted=1, devices=b"\0\0\0\0", custom=pairs()) -> bytes:
    return record(0x06, string("id") + string(study) + string("p1") + string(operator)
                  + u(1, asserted) + string("prof") + u(4, 2) + u(4, 1) + string("app")
                  + string("1.0") + u(8, 99) + devices + custom)


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + u(1, value & 0x7F | 0x80), value >> 7
    return out + u(1, value)


def message(delta=0, *fields: int, payload=b"x") -> bytes:
    body = b"".join(varint(field) for field in (delta, *fields)) + payload
    return varint(len(body)) + body


def chunk_head(ref=1, codec=0, mask=0, flags=1, count=1, low=0, high=None, record_base=0,
               wall_base=0, source_base=0, first=0) -> bytes:
    return (u(4, ref) + u(1, codec) + u(2, mask) + u(2, flags) + u(4, count) + u(8, low)
            + u(8, low if high is None else high) + u(8, record_base) + u(8, wall_base)
            + u(8, source_base) + u(4, first))


def chunk(*messages: bytes, blob=None, size=None, crc=None, tail=b"", **head) -> bytes:
    blob = b"".join(messages) if blob is None else blob
    head.setdefault("count", len(messages))
    return record(0x05, chunk_head(**head) + u(8, len(blob) if size is None else size)
                  + u(4, crc32c(blob) if crc is None else crc) + u(8, len(blob)) + blob + tail)


def columnar(columns: bytes, blocks: bytes, block_bytes: int, crc=None, lengths=None, tail=b"",
             **head) -> bytes:
    stored = columns + blocks
    lengths = lengths or (len(columns), len(blocks))
    return record(0x0E, chunk_head(**head) + u(4, block_bytes) + u(8, lengths[0]) + u(8, lengths[1])
                  + u(4, crc32c(stored) if crc is None else crc) + stored + tail)


def checkpoint(offset: int, schemas=(), streams=(), flip=0) -> bytes:
    contents = [[definition[9:] for definition in group] for group in (schemas, streams)]
    body = u(8, 1) + bytes(24) + b"".join(
        u(4, len(group)) + b"".join(string(content) for content in group) for group in contents)
    body += u(4, 56) + u(4, 0) + u(4, 0)
    return record(0x07, body + b"CA3POINT" + u(8, offset) + u(8, 0) + u(8, 1)
                  + u(4, crc32c(body) ^ flip))


def unsealed(*records: bytes) -> bytes:
    return MAGIC + b"".join(records)


def sealed(*records: bytes, summary: bytes = b"") -> bytes:
    summary += record(0x08, u(4, 56) + u(4, 0)) + record(0x09, u(4, 73) + u(4, 0)) + record(0x44)
    body = unsealed(*records)
    footer = u(8, len(body)) + u(8, 0) + u(8, 0) + u(4, crc32c(summary))
    return body + summary + record(0x02, footer) + MAGIC


def read(data: bytes) -> dict:
    try:
        return protocol_form(Reader(data).read())
    except Violation as violation:
        return violation.report


class Accepted(unittest.TestCase):
    def test_smallest_files(self):
        answer = read(sealed(header()))
        self.assertEqual([True, True, None],
                         [answer[k] for k in ("sealed", "complete", "stopped_at")])
        data = unsealed(header())
        answer = read(data)
        self.assertEqual([False, False, str(len(data)), []],
                         [answer[k] for k in ("sealed", "complete", "stopped_at", "problems")])

    def test_every_field_of_a_message(self):
        rows = chunk(message(10, 3, 20, 3, 1), message(0, 0, 0, 0, 0, payload=b""), mask=0x0F,
                     low=1000, record_base=100, wall_base=0, source_base=500, first=2**32 - 1)
        first, second = read(sealed(header(), stream(), rows))["messages"]
        self.assertEqual({"stream_ref": 1, "monotonic_timestamp_ns": "1010", "record_ts_ns": "103",
                          "wall_clock_ns": "0", "source_timestamp_ns": "501",
                          "sequence": 2**32 - 1, "payload": "78"}, first)
        self.assertEqual(["100", None, None, None, ""], [second[k] for k in (
            "record_ts_ns", "wall_clock_ns", "source_timestamp_ns", "sequence", "payload")])

    def test_both_layouts_agree(self):
        head = {"mask": 0x0F, "low": 7, "wall_base": 50, "source_base": 60, "first": 5}
        plain = chunk(message(0, 1, 2, 3, 1, payload=b"ab"),
                      message(300, 0, 0, 0, 0, payload=b"cd"), **head)
        columns = b"".join(u(8, v) for v in (0, 300, 1, 0, 2, 0, 3, 0)) + u(4, 1) + u(4, 0)
        twin = columnar(columns, b"abcd", 2, count=2, **head)
        self.assertEqual(read(sealed(header(), stream(), plain))["messages"],
                         read(sealed(header(4), stream(), twin))["messages"])

    @unittest.skipUnless(ca3_reader.zstandard, "needs zstandard")
    def test_zstd(self):
        blob = message(payload=b"z" * 5000)
        frame = ca3_reader.zstandard.ZstdCompressor().compress(blob)
        good = chunk(blob=frame, codec=1, count=1, size=len(blob))
        self.assertEqual(1, len(read(sealed(header(1), stream(), good))["messages"]))
        for bad in (chunk(blob=frame, codec=1, count=1, size=len(blob) + 1),
                    chunk(blob=frame + frame, codec=1, count=1, size=len(blob)),
                    chunk(blob=frame[:-1], codec=1, count=1, size=len(blob))):
            self.assertIn(read(sealed(header(1), stream(), bad))["kind"],
                          ("bad-length", "decompress-failed"))

    def test_definitions_may_stand_in_a_checkpoint(self):
        head = header()
        point = checkpoint(8 + len(head), [schema()], [stream(schema_ref=1)])
        self.assertEqual(1, len(read(unsealed(head, point, chunk(message())))["messages"]))

    def test_the_last_session_is_in_force(self):
        answer = read(unsealed(header(), session("a", "x"), session("b", "", asserted=9)))
        self.assertEqual(["b", "", 0], [answer["session"][k] for k in (
            "study", "operator", "operator_asserted_by")])

    def test_what_is_skipped_is_named(self):
        data = sealed(header(), record(0x41, b"?"), record(0x7F, record(0) + MAGIC), record(0x4A))
        self.assertEqual([(0x41, "MetadataIndex"), (0x7F, None)],
                         [(entry["opcode"], entry["name"]) for entry in read(data)["skipped"]])


class Refused(unittest.TestCase):
    def test_kinds(self):
        def body(*messages, **head):
            return sealed(header(), stream(), chunk(*messages, **head))

        for kind, data in [
            ("bad-magic", b""), ("bad-magic", MAGIC[:7]), ("truncated-record", MAGIC),
            ("bad-magic", sealed(header()).replace(b"CA31", b"CA32")),
            ("unsupported-feature", sealed(header(1 << 63 | 1 << 5))),
            ("invalid-opcode", sealed(header(), record(0))),
            ("unknown-opcode", sealed(header(), record(0xBF))),
            ("reserved-opcode", sealed(header(), record(0x0C))),
            ("bad-order", sealed(header(), header())),
            ("map-order", sealed(header(attributes=pairs(("b", ""), ("a", ""))))),
            ("map-order", sealed(header(attributes=pairs(("\U00010000", ""), ("\uff5e", ""))))),
            ("bad-utf8", sealed(header(), stream(topic=b"\xed\xa0\x80"))),
            ("bad-length", sealed(header(), stream(tail=b"\0\0\0"))),
            ("bad-alignment", sealed(header(), stream(tail=u(4, 48) + u(4, 0)))),
            ("zero-reference", sealed(header(), stream(ref=0))),
            ("duplicate-reference", sealed(header(), stream(), stream(topic="other"))),
            ("unresolved-reference", sealed(header(), stream(schema_ref=5))),
            ("unresolved-reference", sealed(header(), chunk(message()))),
            ("varint-not-canonical", body(b"\x03\x85\x00x")),
            ("varint-too-long", body(varint(12) + b"\x80" * 10 + b"\x01x")),
            ("varint-too-long", body(varint(11) + b"\xff" * 9 + b"\x02x")),
            ("other", body(message(10), low=2**64 - 10)),
            ("other", body(message(0, 22), mask=2, wall_base=10)),
            ("reserved-mask-bit", body(message(0, 0), mask=0x11)),
            ("unknown-codec", body(message(), codec=2)),
            ("bad-crc", body(message(), crc=0)),
            ("bad-length", body(message(), count=2)), ("bad-length", body(message(), count=0)),
            ("bad-length", body(b"\x00")), ("bad-length", body(message(), tail=b"\0")),
            ("bad-length", sealed(header(4), stream(), columnar(bytes(15), bytes(9), 4, count=2))),
            ("reserved-mask-bit",
             sealed(header(4), stream(), columnar(bytes(24), b"x", 1, mask=0x100))),
        ]:
            with self.subTest(kind=kind, data=data.hex()):
                self.assertEqual(kind, read(data).get("kind"))

    def test_unsealed_files_keep_what_came_before(self):
        head = (header(), stream(), chunk(message()))
        bad = chunk(message(), crc=0)
        for tail, kind, kept in [(chunk(message())[:-1], "truncated-record", 1),
                                 (record(0x2A), "unknown-opcode", 1),
                                 (bad + chunk(message()), "bad-crc", 2)]:
            answer = read(unsealed(*head, tail))
            self.assertEqual([False, kind, kept], [
                answer["complete"], answer["problems"][0]["kind"], len(answer["messages"])])

    def test_any_cut_and_any_changed_byte_is_answered(self):
        data = sealed(header(4, attributes=pairs(("a", "b"))), schema(), stream(schema_ref=1),
                      session(), chunk(message(1, 2, 3, 4, 5), mask=0x0F),
                      columnar(bytes(8), b"x", 1))
        for at in range(len(data)):
            self.assertIsNot(True, read(data[:at]).get("complete"))
            for value in (0x00, 0x7F, 0xFF):
                read(data[:at] + bytes([value]) + data[at + 1:])


class Protocol(unittest.TestCase):
    def test_one_line_for_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            open(path, "wb").close()
            lines = [{"id": 1, "op": "hello"}, {"id": 2, "op": "read", "path": path},
                     {"id": 3, "op": "read", "path": folder}, {"id": 4, "op": "repair"},
                     {"id": 5, "op": "read"}]
            asked = "".join(json.dumps(line) + "\n" for line in lines) + "garbage\n[]\n"
            done = subprocess.run([sys.executable, ca3_reader.__file__], input=asked.encode(),
                                  capture_output=True, timeout=60)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(0, done.returncode)
        self.assertEqual([1, 2, 3, 4, 5, None, None], [a["id"] for a in answers])
        self.assertEqual(["ok", "refused", "refused", "unsupported", "refused", "unsupported",
                          "unsupported"], [a["status"] for a in answers])

    def test_crc32c(self):
        self.assertEqual(0xE3069283, crc32c(b"123456789"))


if __name__ == "__main__":
    unittest.main()
