#!/usr/bin/env python3
"""Hostile input for the programs that take files from strangers.

    ci/hostile.py [FOLDER-OF-PROGRAMS] [--rounds N] [--seed N] [--only GROUP]

gives `ca3-validate` (as JSON, as text, and its `dump`), `ca3-reader` (over its
line protocol) and `ca3-convert recover` files that lie, that are cut, that
explode, and that are no files, from outside and under caps: memory, processor
time, the clock. The files are assembled here, by an encoder of its own.

What must hold for each run:

- it ends by itself, within the caps, with an exit code that `--help` documents:
  no signal, no panic, nothing that hangs;
- where `ca3-validate` could not judge, standard error says so, a line for each
  input, and the exit code is 3; else standard error is empty;
- the report as JSON is JSON and agrees with the exit code and with the text;
- `ca3-reader` answers every request, in order, and ends with its input;
- `ca3-convert` never touches its source, writes a whole file or none, and leaves
  nothing else behind; what it wrote, recovered once more, loses nothing.

Exit codes: 0 all held; 1 something did not, and the files are kept; 2 usage.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MIB = 1 << 20
MAX64 = (1 << 64) - 1
MAX32 = (1 << 32) - 1

# What a child may take. The programs are told to keep to an eighth of it: what
# they hold besides (decoder windows, the report, themselves) must fit the rest.
ADDRESS_SPACE = 512 * MIB
MEMORY_LIMIT = 64 * MIB
CPU_SECONDS = 20
WALL_SECONDS = 60

JUDGED, FAULTY, UNREAD = 0, 1, 3
NOBODY = 65534


# --- The format, as far as it is needed to lie in it ------------------------

MAGIC = b"\x89CA31\r\n\x1a"
HEADER, FOOTER, SCHEMA, STREAM, CHUNK, SESSION, CHECKPOINT = range(1, 8)
CHUNK_INDEX, DIRECTORY, CLOCK_BLOCK, COLUMNAR = 8, 9, 0x0A, 0x0E
METADATA, ATTACHMENT, STATISTICS, ANNOTATIONS = 0x40, 0x42, 0x44, 0x45
SUMMARY_OFFSET, MESSAGE_OFFSETS, PADDING, UNKNOWN = 0x48, 0x49, 0x4A, 0x7F
FOOTER_BYTES = 9 + 28 + 8


def u8(value):
    return value.to_bytes(1, "little")


def u16(value):
    return value.to_bytes(2, "little")


def u32(value):
    return value.to_bytes(4, "little")


def u64(value):
    return value.to_bytes(8, "little")


def string(text):
    return u32(len(text)) + text.encode()


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    crc = MAX32
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ MAX32


def record(opcode, content, claimed=None):
    """A framed record; `claimed` is what its length says instead of the truth."""
    return u8(opcode) + u64(len(content) if claimed is None else claimed) + content


def header(features=1):
    texts = string("") * 2 + string("host") + string("boot") + string("CLOCK_BOOTTIME")
    return record(HEADER, u64(features) + texts + u64(0) * 2 + string("") + u32(0))


def stream(reference=1):
    front = u32(reference) + u32(0) + string("topic") + string("node") + u8(1)
    clock = string("") + string("host") + string("boot")
    grant = string("") + u8(0) + string("") + u64(0) * 3
    return record(STREAM, front + clock + grant + u8(0) + u32(0) + u32(0) + u32(0) * 2)


def chunk(blob, codec=0, messages=1, plain=0, length=None, crc=None, last=1):
    """A row-wise chunk of stream 1 whose messages have stamps and nothing else."""
    front = u32(1) + u8(codec) + u16(0) + u16(1) + u32(messages)
    stamps = u64(0) + u64(last) + u64(0) * 3 + u32(0)
    check = u32(crc32c(blob) if crc is None else crc)
    size = u64(len(blob) if length is None else length)
    return record(CHUNK, front + stamps + u64(plain) + check + size + blob)


def columnar(columns, blocks, messages=1, width=0, codec=0, lengths=None):
    """A column-wise chunk of stream 1."""
    front = u32(1) + u8(codec) + u16(0) + u16(1) + u32(messages)
    stamps = u64(0) * 5 + u32(0)
    first, second = lengths or (len(columns), len(blocks))
    sizes = u32(width) + u64(first) + u64(second)
    return record(COLUMNAR, front + stamps + sizes + u32(crc32c(columns + blocks)) + columns + blocks)


def unsealed(*records):
    """Magic, Header, a stream, and these records."""
    return MAGIC + header(features=5) + stream() + b"".join(records)


def sealed(data=b"", summary=b"", **lies):
    """A sealed file; `lies` replace members of its Footer, and are given its
    true members where they are functions."""
    front = unsealed(data)
    start = len(front)
    end = start + len(summary)
    crc = lies["crc"] if "crc" in lies else crc32c(summary)
    truth = {"start": start, "offsets": end, "checkpoint": 0, "crc": crc, "footer": end}
    said = {name: lies.get(name, value) for name, value in truth.items()}
    said = {name: it(truth) if callable(it) else it for name, it in said.items()}
    footer = u64(said["start"]) + u64(said["offsets"]) + u64(said["checkpoint"]) + u32(said["crc"])
    return front + summary + record(FOOTER, footer) + MAGIC


def index_entry(offset, length, reference=1):
    return u64(offset) + u64(length) + u64(0) * 3 + u32(1) + u32(reference) + u32(0) * 2


def checkpoint(at=0, before=0):
    """A checkpoint that claims to restate everything, and restates nothing."""
    front = u64(1) + u32(1) + u32(0) + u64(0) * 2 + u32(0) * 2 + u32(56) + u32(0) + u32(0)
    return record(CHECKPOINT, front + b"CA3POINT" + u64(at) + u64(before) + u64(1) + u32(crc32c(front)))


# --- zstd frames by hand ----------------------------------------------------
#
# The densest block that the format allows is an RLE block: three bytes of
# header and one of content, which stand for at most 128 KiB; a compressed block
# is bound to the same 128 KiB and takes more bytes. So no frame comes to more
# than 32 KiB for each of its bytes: 4 GiB take one of 128 KiB, and 200 bytes
# come to about 6 MiB. What 200 bytes can do is claim 4 GiB, or a window of it.

ZSTD = b"\x28\xb5\x2f\xfd"
BLOCK_MAX = 128 << 10


def rle(byte, count, last=False):
    return (count << 3 | 1 << 1 | last).to_bytes(3, "little") + u8(byte)


def frame(blocks, size=None, window_log=20):
    """A frame of these blocks, which says `size` of its content if anything."""
    window = u8((window_log - 10) << 3)
    if size is None:
        return ZSTD + u8(0) + window + blocks
    return ZSTD + u8(3 << 6) + window + u64(size) + blocks


def rle_frame(size, byte=0, claimed=None, window_log=20):
    """A frame that is `size` times one byte."""
    whole, rest = divmod(size, BLOCK_MAX)
    blocks = rle(byte, BLOCK_MAX) * whole + rle(byte, rest, last=True)
    return frame(blocks, size=claimed, window_log=window_log)


# --- Groups of files --------------------------------------------------------


@dataclass
class Case:
    """Bytes for a file, and the exit codes that `ca3-validate` may give it."""

    name: str
    data: bytes
    codes: set = field(default_factory=lambda: {FAULTY, UNREAD})


def any_code(name, data):
    return Case(name, data, {JUDGED, FAULTY, UNREAD})


def bombs():
    """Little that stands for much."""
    four_gib = 4 << 30
    small = 46 * BLOCK_MAX  # in about 200 bytes
    big = rle_frame(four_gib)
    many = chunk(rle_frame(small), codec=1, plain=small)
    # Byte 1 over and over: each message is one byte long and has the stamp 1.
    ones, count = 4 * MIB, 2 * MIB
    rows = rle_frame(ones, byte=1)
    return [
        Case("4-gib-honest", unsealed(chunk(big, codec=1, plain=four_gib)), {UNREAD}),
        Case("4-gib-said-to-be-100-bytes", unsealed(chunk(big, codec=1, plain=100))),
        Case("4-gib-said-to-be-nothing", unsealed(chunk(big, codec=1))),
        Case("4-gib-said-to-be-2^64-1", unsealed(chunk(big, codec=1, plain=MAX64))),
        Case("6-mib-in-200-bytes", unsealed(chunk(rle_frame(small), codec=1, plain=small))),
        Case("6-mib-said-to-be-100-bytes", unsealed(chunk(rle_frame(small), codec=1, plain=100)), {FAULTY}),
        Case("50-times-6-mib", unsealed(many * 50)),
        any_code("2-million-messages", unsealed(chunk(rows, codec=1, messages=count, plain=ones))),
        Case("columns-of-2^32-1-empty-messages", unsealed(columnar(rle_frame(four_gib), rle_frame(0), MAX32, codec=1))),
        any_code("columns-of-a-million-empty-messages", unsealed(columnar(rle_frame(8 * MIB), rle_frame(0), MIB, codec=1))),
        Case("columns-of-a-million-empty-messages-lying", unsealed(columnar(rle_frame(8 * MIB + 1), rle_frame(0), MIB, codec=1))),
        Case("block-region-of-4-gib", unsealed(columnar(rle_frame(8), big, 1, MAX32, codec=1))),
    ]


def zstd_lies():
    """Frames that say something else than they hold."""
    one = rle(7, 1, last=True)
    cases = {
        "claims-4-gib-holds-a-byte": frame(one, size=4 << 30),
        "claims-2^64-1": frame(one, size=MAX64),
        "claims-nothing": frame(one, size=0),
        "claims-less": rle_frame(1000, claimed=999),
        "claims-more": rle_frame(1000, claimed=1001),
        "window-of-128-mib": frame(one, window_log=27),
        "window-of-256-mib": frame(one, window_log=28),
        "window-of-3.75-tib": ZSTD + u8(0) + u8(0xFF) + one,
        "single-segment-of-2^64-1": ZSTD + u8(0xE0) + u64(MAX64) + one,
        "dictionary-asked-for": ZSTD + u8(3) + u8(0) + u32(7) + one,
        "reserved-block-type": frame((1 << 3 | 3 << 1 | 1).to_bytes(3, "little") + b"x"),
        "block-past-the-end": frame((1000 << 3 | 1).to_bytes(3, "little") + b"x"),
        "block-over-128-kib": frame((0x1FFFFF << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"x"),
        "never-a-last-block": frame(rle(0, 1) * 50),
        "empty-blocks": frame(rle(0, 0) * 20_000 + rle(0, 1, last=True)),
        "skippable-frame": b"\x50\x2a\x4d\x18" + u32(4) + b"skip",
        "skippable-of-4-gib": b"\x50\x2a\x4d\x18" + u32(MAX32),
        "two-frames": rle_frame(1) * 2,
        "no-frame": b"",
        "magic-alone": ZSTD,
    }
    return [
        Case(f"{name}-said-{plain}", unsealed(chunk(stored, codec=1, plain=plain)))
        for name, stored in cases.items()
        for plain in (1, 1000, MAX64)
    ]


def counts():
    """Tables that claim more entries than there are bytes."""
    most = u32(MAX32)
    tables = {
        "index": (CHUNK_INDEX, u32(56) + most),
        "index-of-no-stride": (CHUNK_INDEX, u32(0) + most),
        "index-of-all-stride": (CHUNK_INDEX, most * 2),
        "directory": (DIRECTORY, u32(73) + most),
        "directory-of-no-stride": (DIRECTORY, u32(0) + most),
        "directory-of-all-stride": (DIRECTORY, most * 2),
        "message-offsets": (MESSAGE_OFFSETS, u64(8) + u32(4) + most),
        "message-offsets-of-no-stride": (MESSAGE_OFFSETS, u64(8) + u32(0) + most),
        "annotation-keys": (ANNOTATIONS, most),
        "annotation-entries": (ANNOTATIONS, u32(0) * 2 + u32(40) + most),
        "annotation-entries-of-no-stride": (ANNOTATIONS, u32(0) * 2 + u32(0) + most),
        "metadata": (METADATA, string("n") + most),
        "attachment": (ATTACHMENT, string("n") + string("m") + u64(0) + u64(MAX64) + u32(0)),
        "statistics": (STATISTICS, u64(0) * 2 + u32(0) * 4 + u64(0) * 2 + u32(40) + most),
        "statistics-of-no-stride": (STATISTICS, u64(0) * 2 + u32(0) * 4 + u64(0) * 2 + u32(0) + most),
        "clock-domains": (CLOCK_BLOCK, string("h") + string("e") + most),
        "degraded-intervals": (CLOCK_BLOCK, string("h") + string("e") + u32(0) + most),
        "checkpoint-schemas": (CHECKPOINT, u64(1) + u32(0) * 2 + u64(0) * 2 + most),
        "checkpoint-index": (CHECKPOINT, u64(1) + u32(0) * 2 + u64(0) * 2 + u32(0) * 2 + u32(0) + most),
        "session": (SESSION, most * 4),
        "schema": (SCHEMA, u32(1) + most * 3),
        "stream": (STREAM, u32(2) + u32(0) + most),
    }
    cases = []
    for name, (opcode, content) in tables.items():
        for tail in (0, 4096):
            it = record(opcode, content + bytes(tail))
            cases.append(any_code(f"{name}-in-the-data-{tail}", unsealed(it)))
            cases.append(any_code(f"{name}-in-the-summary-{tail}", sealed(summary=it)))
    plain = b"\x01\x01"
    cases += [
        Case("chunk-of-2^32-1-messages", unsealed(chunk(plain, messages=MAX32)), {FAULTY}),
        Case("chunk-of-2^64-1-bytes", unsealed(chunk(plain, length=MAX64)), {FAULTY}),
        Case("columns-of-2^32-1-messages", unsealed(columnar(b"", b"", MAX32, MAX32)), {FAULTY}),
        Case("columns-of-2^64-1-bytes", unsealed(columnar(b"", b"", 1, 8, lengths=(MAX64, MAX64))), {FAULTY}),
    ]
    return cases


def lengths():
    """Records that say that they are longer, or shorter, than they are."""
    stated = [MAX64, MAX64 - 8, MAX64 - 9, MAX64 - 16, 1 << 63, (1 << 63) - 1, (1 << 63) - 9]
    stated += [(1 << 63) + 1, (1 << 62), MAX32, MAX32 + 1, 1 << 31, (1 << 31) - 1, 0, 1]
    cases = []
    for opcode in (HEADER, STREAM, CHUNK, COLUMNAR, CHUNK_INDEX, ATTACHMENT, PADDING, UNKNOWN, FOOTER):
        for value in stated:
            it = record(opcode, bytes(40), claimed=value)
            cases.append(any_code(f"{opcode:02x}-says-{value}", unsealed(it)))
            cases.append(Case(f"{opcode:02x}-says-{value}-sealed", sealed(it)))
    for value in stated:
        cases.append(any_code(f"header-says-{value}", MAGIC + record(HEADER, bytes(60), claimed=value)))
    return cases


def crowds():
    """More records than anybody means."""
    ones = {
        "padding": record(PADDING, b"x"),
        "unknown": record(UNKNOWN, b"x"),
        "schemas": record(SCHEMA, b"x"),
        "metadata": record(METADATA, b"x"),
        "footers": record(FOOTER, b"x"),
        "headers": record(HEADER, b"x"),
        "private": record(0xFF, b"x"),
        "chunks": record(CHUNK, b"x"),
        "empty": record(UNKNOWN, b""),
        "zeros": bytes(9),
    }
    cases = [any_code(f"5000-{name}", unsealed(one * 5_000)) for name, one in ones.items()]
    cases += [any_code(f"5000-{name}-sealed", sealed(one * 5_000)) for name, one in ones.items()]
    cases += [any_code(f"5000-{name}-in-the-summary", sealed(summary=one * 5_000)) for name, one in ones.items()]
    streams = b"".join(stream(number) for number in range(2, 5_000))
    cases.append(any_code("5000-streams", unsealed(streams)))
    cases.append(any_code("5000-times-one-stream", unsealed(stream() * 5_000)))
    cases.append(any_code("5000-real-chunks", unsealed(chunk(b"\x01\x01") * 5_000)))
    alternating = (record(METADATA, b"x") + record(ATTACHMENT, b"x")) * 2_500
    cases.append(any_code("5000-groups", sealed(summary=alternating)))
    # Each of many against each of many.
    big = chunk(rle_frame(4 * MIB, byte=1), codec=1, messages=2 * MIB, plain=4 * MIB)
    table = record(MESSAGE_OFFSETS, u64(len(unsealed())) + u32(4) + u32(1) + u32(0))
    cases.append(any_code("5000-tables-of-one-chunk", unsealed(big + table * 5_000)))
    cases.append(any_code("5000-checkpoints-of-as-many-streams", unsealed(streams + checkpoint() * 5_000)))
    index = u32(56) + u32(300_000) + index_entry(7, 7) * 300_000
    cases.append(any_code("300000-index-entries-wrong", sealed(summary=record(CHUNK_INDEX, index), crc=0)))
    return cases


# --- Descriptor sets and payloads (protobuf), as far as lies need them --------

FLOAT, MESSAGE, BYTES = 2, 11, 12


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + u8(value)


def counted(number, body):
    body = body.encode() if isinstance(body, str) else body
    return varint(number << 3 | 2) + varint(len(body)) + body


def number(at, value):
    return varint(at << 3) + varint(value)


def declared(name, at, kind, of="", repeated=False, options=b""):
    label = 3 if repeated else 1
    body = counted(1, name) + number(3, at) + number(4, label) + number(5, kind)
    body += counted(6, "." + of) if of else b""
    return counted(2, body + (counted(8, options) if options else b""))


def message(name, *inside):
    return counted(4, counted(1, name) + b"".join(inside))


def proto(name, *inside, imports=()):
    imported = b"".join(counted(3, it) for it in imports)
    return counted(1, counted(1, name) + counted(2, "p") + imported + b"".join(inside) + counted(12, "proto3"))


def described(descriptor, *payloads, name="p.M", claim=1):
    """A file of one stream of such a schema, and a chunk of these payloads."""
    schema = record(SCHEMA, u32(1) + string(name) + string("protobuf") + u64(len(descriptor)) + descriptor)
    front = u32(1) + u32(1) + string("topic") + string("node") + u8(1)
    clock = string("") + string("host") + string("boot")
    grant = string("") + u8(0) + string("") + u64(0) * 3
    stream = record(STREAM, front + clock + grant + u8(claim) + u32(0) + u32(0) + u32(1) + u32(3))
    blob = b"".join(varint(len(it) + 1) + b"\0" + it for it in payloads)
    return MAGIC + header(features=5) + schema + stream + chunk(blob, messages=len(payloads), plain=len(blob), last=0)


def schemas():
    """Descriptor sets that are large, deep, circular or made by nobody's compiler,
    and payloads that are not what they say."""
    field = declared("x", 1, FLOAT)
    plain = proto("a.proto", message("M", field, declared("m", 2, MESSAGE, "p.M")))
    sizes = {
        "20000-fields": proto("a.proto", message("M", *(declared(f"f{n}", n, FLOAT) for n in range(1, 18_000)))),
        "20000-messages": proto("a.proto", message("M"), *(message(f"N{n}", field) for n in range(20_000))),
        "20000-in-a-chain": proto(
            "a.proto", message("M", declared("n", 1, MESSAGE, "p.N0")),
            *(message(f"N{n}", declared("n", 1, MESSAGE, f"p.N{n + 1}")) for n in range(10_000)), message("N10000")),
        "diamonds": proto(
            "a.proto", message("M", declared("n", 1, MESSAGE, "p.N0")),
            *(message(f"N{n}", *(declared(f"n{k}", k, MESSAGE, f"p.N{n + 1}") for k in (1, 2, 3))) for n in range(60)),
            message("N60", field)),
        "itself": plain,
        "empty-fields": proto("a.proto", counted(4, counted(1, "M") + counted(2, b"") * 200_000)),
        "empty-messages": proto("a.proto", counted(4, b"") * 200_000),
        "empty-values": proto("a.proto", message("M"), counted(5, counted(1, "E") + counted(2, b"") * 200_000)),
        "empty-locations": proto("a.proto", message("M"), counted(9, counted(1, b"") * 500_000)),
        "long-name": proto("a.proto", message("M" * MIB)),
        "many-imports": proto("a.proto", message("M"), imports=[f"{n}.proto" for n in range(20_000)]),
        "imports-in-a-circle": proto("a.proto", message("M"), imports=["b.proto"]) + proto("b.proto", imports=["a.proto"]),
        "public-imports": b"".join(
            proto(f"{n}.proto", *([message("M")] if n == 0 else []), number(10, 0), imports=[f"{n + 1}.proto"])
            for n in range(2_000)) + proto("2000.proto"),
        "unknown-syntax": counted(1, counted(1, "a.proto") + message("M") + counted(12, "proto9")),
        "uninterpreted": proto("a.proto", message("M", counted(7, counted(999, counted(8, "[" * 100_000))))),
        "half-a-map": proto("a.proto", message("M", declared("m", 1, MESSAGE, "p.M.E", True), counted(3, counted(1, "E") + counted(7, number(7, 1))))),
        "moved-cursor": proto("a.proto", message("M", declared("\x1b[2J\u202e", 1, FLOAT))),
        "not-utf-8": proto("a.proto", message(b"\xff\xfe")),
        "no-set": bytes(range(256)) * 40,
        "16-mib-of-nothing": bytes(16 * MIB),
    }
    nested = counted(1, "M")
    for _ in range(3_000):
        nested = counted(1, "M") + counted(3, nested)
    sizes["nested-3000-deep"] = proto("a.proto", counted(4, nested))
    cases = [any_code(name, described(set, b"\x0d\0\0\0\0")) for name, set in sizes.items()]
    cases += [any_code(f"{name}-sealed", sealed(record(SCHEMA, u32(1) + string("p.M") + string("protobuf") + u64(len(set)) + set)))
              for name, set in list(sizes.items())[:4]]
    deep = b""
    for _ in range(5_000):
        deep = counted(2, deep)
    payloads = {
        "deep": [deep],
        "deep-groups": [b"\x1b" * 100_000],
        "cut": [b"\x0d\0\0"] * 100_000,
        "another-wire-type": [b"\x08\x01"] * 100_000,
        "pieces": [counted(2, b"\x0d\0\0\0\0") * 50_000],
        "long-varint": [b"\x08" + b"\xff" * 100_000],
        "empty": [b""] * 100_000,
    }
    cases += [any_code(f"payload-{name}", described(plain, *them)) for name, them in payloads.items()]
    of_many = record(SCHEMA, u32(1) + string("p.M") + string("protobuf") + u64(len(plain)) + plain)
    cases.append(any_code("5000-times-one-schema", unsealed(of_many * 5_000)))
    each = b"".join(
        record(SCHEMA, u32(n) + string("p.M") + string("protobuf") + u64(len(plain)) + plain) for n in range(1, 5_000))
    cases.append(any_code("5000-schemas", unsealed(each)))
    return cases


def rings():
    """Offsets that point at themselves, at each other, backwards, and beyond."""

    def table(offset):
        return record(CHUNK_INDEX, u32(56) + u32(1) + index_entry(offset, 73))

    def places(truth):
        return {
            "itself": truth["footer"],
            "the-magic-behind": truth["footer"] + 37,
            "the-end": truth["footer"] + 45,
            "beyond-the-end": truth["footer"] + 46,
            "the-first-byte": 0,
            "the-header": 8,
            "inside-the-header": 17,
            "in-front-of-itself": truth["footer"] - 1,
            "2^63": 1 << 63,
            "2^64-1": MAX64,
        }

    names = places({"footer": 0})
    cases = []
    for name in names:
        here = lambda truth, name=name: places(truth)[name]
        for member in ("start", "offsets", "checkpoint"):
            cases.append(any_code(f"{member}-at-{name}", sealed(chunk(b"\x01\x01"), table(0), **{member: here})))
        cases.append(any_code(f"all-at-{name}", sealed(b"", table(0), start=here, offsets=here, checkpoint=here)))
    swapped = {"start": lambda truth: truth["footer"], "offsets": lambda truth: truth["start"]}
    cases.append(Case("start-behind-offsets", sealed(chunk(b"\x01\x01"), table(0), **swapped)))

    own = len(unsealed())
    for name, offset in {"itself": own, "the-footer": own + 73, "nothing": 0, "2^64-1": MAX64}.items():
        cases.append(Case(f"index-at-{name}", sealed(summary=table(offset))))
        group = record(SUMMARY_OFFSET, u8(CHUNK_INDEX) + u64(offset) + u64(MAX64))
        cases.append(Case(f"group-at-{name}", sealed(summary=table(offset) + group, offsets=own + 73)))
        offsets = record(MESSAGE_OFFSETS, u64(offset) + u32(4) + u32(2) + u32(0) * 2)
        cases.append(any_code(f"message-offsets-at-{name}", sealed(summary=offsets)))

    for name, (at, before) in {
        "at-itself": (own, own),
        "behind": (own, own + 1),
        "elsewhere": (MAX64, MAX64),
    }.items():
        two = checkpoint(at, before) + checkpoint(at, before)
        cases.append(any_code(f"checkpoint-{name}", unsealed(two)))
        cases.append(any_code(f"checkpoint-{name}-sealed", sealed(two, checkpoint=own)))
    return cases


def stubs():
    """Every size from nothing to more than a Footer."""
    model = sealed(chunk(b"\x01\x01"))
    tail = model[-FOOTER_BYTES:]
    cases = []
    for size in range(61):
        forms = {
            "zeros": bytes(size),
            "ones": b"\xff" * size,
            "magic": (MAGIC + bytes(size))[:size],
            "magic-over-and-over": (MAGIC * 8)[:size],
            "beginning": model[:size],
            "end": model[-size:] if size else b"",
            "magic-and-end": (MAGIC + tail)[:size],
            "magic-and-end-of-end": MAGIC + tail[-size:] if size else MAGIC,
        }
        cases += [any_code(f"{size}-bytes-{name}", data) for name, data in forms.items()]
    return cases


def corpus_variants(seed, rounds):
    """The committed vectors, cut and perturbed at places that the seed draws."""
    draw = random.Random(seed)
    paths = sorted((ROOT / "corpus" / "ca3").rglob("*.ca3"))
    if not paths:
        sys.exit(f"hostile.py: no vectors below {ROOT / 'corpus' / 'ca3'}")
    cases = []
    for path in paths:
        data = path.read_bytes()
        stem = "-".join(path.relative_to(ROOT / "corpus" / "ca3").with_suffix("").parts)
        for number in range(2 * rounds):
            cut = draw.randrange(len(data)) if data else 0
            cases.append(any_code(f"{stem}-cut-{number}-at-{cut}", data[:cut]))
            spoilt = bytearray(data)
            for _ in range(draw.randint(1, 4) if data else 0):
                spoilt[draw.randrange(len(data))] = draw.choice([0, 0xFF, draw.randrange(256)])
            cases.append(any_code(f"{stem}-spoilt-{number}", bytes(spoilt)))
    return cases


# --- Running a program under caps -------------------------------------------


@dataclass
class Ended:
    """What a run came to."""

    command: list
    code: int  # negative: the signal that ended it
    timed_out: bool
    out: bytes
    err: bytes
    seconds: float
    rss: int  # bytes


class Broken(Exception):
    """Something that had to hold and did not."""


class Bench:
    """Where runs happen, and what is kept of them."""

    def __init__(self, programs, scratch):
        self.validate = str(programs / "ca3-validate")
        self.reader = str(programs / "ca3-reader")
        self.convert = str(programs / "ca3-convert")
        self.scratch = scratch
        self.runs = 0
        self.slowest = Ended([], 0, False, b"", b"", 0.0, 0)
        self.largest = self.slowest

    def run(self, command, stdin=b"", stdout=None, stderr=None, as_nobody=False, meanwhile=None):
        """Runs a command; `stdin` is bytes or a file, `stdout` and `stderr` are
        files where they are not collected."""
        paths = [self.scratch / name for name in ("in", "out", "err")]
        if isinstance(stdin, bytes):
            paths[0].write_bytes(stdin)
            stdin = open(paths[0], "rb")
        out, err = stdout or open(paths[1], "wb"), stderr or open(paths[2], "wb")
        start = time.monotonic()
        child = subprocess.Popen(
            command, stdin=stdin, stdout=out, stderr=err, preexec_fn=lambda: caps(as_nobody)
        )
        for stream_ in (stdin, out, err):
            stream_.close()
        if meanwhile:
            meanwhile()
        status, usage, timed_out = wait(child.pid, start + WALL_SECONDS)
        child.returncode = os.waitstatus_to_exitcode(status)
        ended = Ended(
            command=[os.fsdecode(word) for word in command],
            code=child.returncode,
            timed_out=timed_out,
            out=b"" if stdout else paths[1].read_bytes(),
            err=b"" if stderr else paths[2].read_bytes(),
            seconds=time.monotonic() - start,
            rss=usage.ru_maxrss * 1024,
        )
        self.runs += 1
        self.slowest = max(self.slowest, ended, key=lambda it: it.seconds)
        self.largest = max(self.largest, ended, key=lambda it: it.rss)
        sound(ended)
        return ended


def caps(as_nobody):
    """In the child, before the program is there."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if as_nobody:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def wait(pid, deadline):
    """Waits for a child, and kills it at the deadline: status, usage, whether killed."""
    pause = 0.0005
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return status, usage, False
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
            return status, usage, True
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def sound(ended):
    """What holds for every run of any program."""
    if ended.timed_out:
        raise Broken(f"did not end within {WALL_SECONDS} s")
    if b"panicked" in ended.err:
        raise Broken(f"panicked: {last_line(ended.err)}")
    if ended.code < 0:
        name = signal.Signals(-ended.code).name
        raise Broken(f"was ended by {name}: {last_line(ended.err)}")


def last_line(data):
    lines = data.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing on standard error"


def expect_code(ended, codes):
    if ended.code not in codes:
        wanted = " or ".join(str(code) for code in sorted(codes))
        raise Broken(f"exit code {ended.code}, not {wanted}: {last_line(ended.err)}")


# --- What must hold for each program ----------------------------------------


def judge_json(bench, paths, extra=(), **how):
    """Judges files as JSON, and returns the exit code and the files' reports."""
    command = [bench.validate, "--json", "--limit", f"memory={MEMORY_LIMIT}", *extra, *paths]
    ended = bench.run(command, **how)
    expect_code(ended, {JUDGED, FAULTY, UNREAD})
    try:
        files = json.loads(ended.out)["files"]
    except (ValueError, KeyError) as why:
        raise Broken(f"the report is not JSON: {why}") from why
    unread = [it for it in files if not it["scan_complete"]]
    errors = sum(it["counts"]["error"] for it in files)
    expect_code(ended, {UNREAD} if unread else {FAULTY} if errors else {JUDGED})
    told(ended, len(unread))
    return ended.code, files


def judge_text(bench, paths, **how):
    """Judges files as text, and returns the exit code."""
    ended = bench.run([bench.validate, "--limit", f"memory={MEMORY_LIMIT}", *paths], **how)
    expect_code(ended, {JUDGED, FAULTY, UNREAD})
    if not ended.out.strip():
        raise Broken("the report is empty")
    if any(byte < 0x20 and byte != 0x0A for byte in ended.out):
        raise Broken("the report holds control characters")
    if (ended.code == UNREAD) != bool(ended.err.strip()):
        raise Broken("standard error and the exit code disagree")
    return ended.code


def told(ended, unread):
    """A line on standard error for each input that was not judged, and no other."""
    lines = ended.err.decode(errors="replace").splitlines()
    if len(lines) != unread:
        raise Broken(f"{unread} inputs were not judged, {len(lines)} lines on standard error say so")
    for line in lines:
        if not line.startswith("ca3-validate: ") or ": " not in line[14:] or len(line) > 1000:
            raise Broken(f"standard error says {line[:200]!r}")


def dump(bench, path, **how):
    """Shows a file's bytes; nothing is judged."""
    expect_code(bench.run([bench.validate, "dump", path], **how), {0, UNREAD})


def save(bench, path):
    """Recovers a file, and what that gave once more."""
    folder = bench.scratch / "saved"
    folder.mkdir(exist_ok=True)
    before, source = path.read_bytes(), path
    for name, codes in (("once.ca3", {0, 1, UNREAD}), ("twice.ca3", {0})):
        out = folder / name
        command = [bench.convert, "recover", source, "-o", out, "--force", "--json"]
        ended = bench.run([*command, "--limit", f"memory={MEMORY_LIMIT}"])
        expect_code(ended, codes)
        if ended.code == UNREAD:
            if not ended.err.strip() or ended.out.strip():
                raise Broken("a file is not saved, and standard error does not say why")
            break
        try:
            json.loads(ended.out)
        except ValueError as why:
            raise Broken(f"the statement is not JSON: {why}") from why
        source = out
    left = sorted(it.name for it in folder.iterdir())
    shutil.rmtree(folder)
    if left not in ([], ["once.ca3", "twice.ca3"]):
        raise Broken(f"left behind: {left}")
    if path.read_bytes() != before:
        raise Broken("the source was changed")


# What is asked of a file besides `read`.
INDEXED = [
    {"op": "index"},
    {"op": "state_at", "t": "18446744073709551615"},
    {"op": "window", "t1": "0", "t2": "18446744073709551615", "streams": [1]},
    {"op": "loss"},
    {"op": "clock"},
    {"op": "times", "stream_ref": 1},
    {"op": "recover"},
]


def read_all(bench, paths, asked=({"op": "read"},), **how):
    """Asks the reader these things of files, one after another in one process."""
    requests = [{"id": 1, "op": "hello", "protocol": 1, "kit": "hostile"}]
    for path in paths:
        for question in asked:
            requests.append({"id": len(requests) + 1, "path": str(path), **question})
    requests.append({"id": len(requests) + 1, "op": "hello"})
    lines = b"".join(json.dumps(it).encode() + b"\n" for it in requests)
    return converse(bench, lines, [it["id"] for it in requests], **how)


def converse(bench, lines, ids, **how):
    """Sends lines to the reader, whose answers must have these ids."""
    ended = bench.run([bench.reader, "--memory", str(MEMORY_LIMIT)], stdin=lines, **how)
    expect_code(ended, {0})
    try:
        answers = [json.loads(line) for line in ended.out.splitlines()]
    except ValueError as why:
        raise Broken(f"an answer is not JSON: {why}") from why
    if [answer.get("id") for answer in answers] != ids:
        raise Broken(f"{len(answers)} answers to {len(ids)} requests, or out of order")
    for answer in answers:
        if answer["status"] not in ("ok", "refused", "unsupported"):
            raise Broken(f"the status {answer['status']!r}")
        if answer["status"] == "refused" and not answer["error"]["message"]:
            raise Broken("a refusal that says nothing")
    if ended.err:
        raise Broken(f"standard error says {last_line(ended.err)}")
    return answers


# --- Files, many at a time --------------------------------------------------

BATCH = 200


class Tally:
    """What ran, and what broke."""

    def __init__(self, keep):
        self.keep = keep
        self.cases = defaultdict(int)
        self.broken = []

    @contextmanager
    def case(self, group, name, path=None, count=1):
        """Counts a case, and notes what breaks in it."""
        self.cases[group] += count
        try:
            yield
        except Broken as why:
            self.note(group, name, why, path)

    def note(self, group, name, why, path=None):
        kept = ""
        if path is not None and path.is_file():
            self.keep.mkdir(parents=True, exist_ok=True)
            kept = self.keep / f"{group}-{name}.ca3"
            shutil.copyfile(path, kept)
        self.broken.append((group, name, str(why), str(kept)))


def try_files(bench, tally, group, cases):
    """Every case of a group, many files a process; what breaks is narrowed
    down to the file that breaks it."""
    folder = bench.scratch / group
    folder.mkdir()
    for start in range(0, len(cases), BATCH):
        batch = cases[start : start + BATCH]
        paths = []
        for case in batch:
            path = folder / f"{len(paths)}.ca3"
            path.write_bytes(case.data)
            paths.append(path)
        tally.cases[group] += len(batch)
        narrow(bench, tally, group, batch, paths)
    shutil.rmtree(folder)


def narrow(bench, tally, group, cases, paths):
    try:
        try_batch(bench, cases, paths)
    except Broken as why:
        if len(cases) == 1:
            tally.note(group, cases[0].name, why, paths[0])
            return
        middle = len(cases) // 2
        before = len(tally.broken)
        narrow(bench, tally, group, cases[:middle], paths[:middle])
        narrow(bench, tally, group, cases[middle:], paths[middle:])
        if len(tally.broken) == before:
            tally.note(group, f"{cases[0].name}-and-{len(cases) - 1}-more-together", why)


def try_batch(bench, cases, paths):
    code, files = judge_json(bench, paths)
    for case, path, report in zip(cases, paths, files):
        if report["path"] != str(path):
            raise Broken(f"the report of {path} is about {report['path']}")
        own = UNREAD if not report["scan_complete"] else min(report["counts"]["error"], FAULTY)
        if own not in case.codes:
            raise Broken(f"{case.name}: judged {own}, not one of {sorted(case.codes)}")
    if judge_text(bench, paths) != code:
        raise Broken("text and JSON end with different exit codes")
    read_all(bench, paths)
    read_all(bench, paths, INDEXED)
    # Each of these is a process of its own: a few of a batch will do.
    for path in paths[:: max(1, len(paths) // 8)]:
        dump(bench, path)
        save(bench, path)


# --- What is no file, and what does not stay one ----------------------------


def try_places(bench, tally):
    """Paths that lead to no file that can be read."""
    folder = bench.scratch / "places"
    folder.mkdir()
    sound_file = folder / "sound.ca3"
    sound_file.write_bytes(sealed())
    os.mkfifo(folder / "pipe.ca3")
    (folder / "folder.ca3").mkdir()
    (folder / "ring.ca3").symlink_to("ring.ca3")
    (folder / "dangling.ca3").symlink_to("nowhere")
    (folder / "into-a-ring").symlink_to(".")
    odd = os.fsencode(folder) + b"/not-utf-8-\xff\xfe.ca3"
    Path(os.fsdecode(odd)).write_bytes(b"no")
    control = folder / "line\nfeed\x1b[31m.ca3"
    control.write_bytes(b"no")
    unread = {
        "fifo-without-a-writer": folder / "pipe.ca3",
        "folder-without-files": folder / "folder.ca3",
        "ring-of-links": folder / "ring.ca3",
        "dangling-link": folder / "dangling.ca3",
        "missing": folder / "missing.ca3",
        "missing-with-a-line-feed": folder / "a\nb\x1b.ca3",
        "below-a-file": sound_file / "x.ca3",
        "name-too-long": folder / ("x" * 5000),
        "/dev/zero": Path("/dev/zero"),
        "/dev/null": Path("/dev/null"),
        "/dev/full": Path("/dev/full"),
    }
    for name, path in unread.items():
        with tally.case("places", name):
            code, files = judge_json(bench, [path])
            if code != UNREAD or not files[0].get("incomplete"):
                raise Broken(f"exit code {code}, not {UNREAD} with a reason")
            if judge_text(bench, [path]) != UNREAD:
                raise Broken("text and JSON end with different exit codes")
            expect_code(bench.run([bench.validate, "dump", path]), {UNREAD})
            _, answer, _ = read_all(bench, [path])
            if answer["status"] != "refused":
                raise Broken(f"the reader says {answer['status']}")
    for name, path in {"name-not-utf-8": odd, "name-with-a-line-feed": control}.items():
        with tally.case("places", name):
            code, _ = judge_json(bench, [path])
            if (code, judge_text(bench, [path])) != (FAULTY, FAULTY):
                raise Broken(f"exit code {code}, not {FAULTY}")
    with tally.case("places", "folder-of-all-these"):
        code, files = judge_json(bench, [folder])
        if code != UNREAD or len(files) < 6:
            raise Broken(f"exit code {code}, {len(files)} files")
    with tally.case("places", "standard-input-is-a-folder"):
        descriptor = os.open(folder, os.O_RDONLY)
        judge_json(bench, ["-"], stdin=Descriptor(descriptor))
    shutil.rmtree(folder)


class Descriptor:
    """A descriptor that is no Python file, for a child to inherit."""

    def __init__(self, number):
        self.number = number

    def fileno(self):
        return self.number

    def close(self):
        os.close(self.number)


def try_permission(bench, tally):
    """A file that may not be read; as root, by a child that is nobody."""
    root = os.geteuid() == 0
    folder = bench.scratch / "permission"
    folder.mkdir()
    secret = folder / "secret.ca3"
    secret.write_bytes(sealed())
    secret.chmod(0)
    for place in (bench.scratch, folder):
        place.chmod(place.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    programs = Bench(folder, bench.scratch) if root else bench
    if root:
        # Nobody may not get to where the programs are.
        for program in (bench.validate, bench.reader):
            shutil.copy(program, folder)
    try:
        with tally.case("places", "no-permission"):
            code, _ = judge_json(programs, [secret], as_nobody=root)
            if code != UNREAD:
                raise Broken(f"exit code {code}, not {UNREAD}")
            _, answer, _ = read_all(programs, [secret], as_nobody=root)
            if answer["status"] != "refused":
                raise Broken(f"the reader says {answer['status']}")
    except (PermissionError, subprocess.SubprocessError) as why:
        print(f"left out: a file without permission ({why})")
    shutil.rmtree(folder)


def try_shrinking(bench, tally, seed):
    """A file that gets shorter, and longer again, while it is read."""
    draw = random.Random(seed)
    path = bench.scratch / "shrinking.ca3"
    message = b"\x65\x01" + bytes(100)
    data = sealed(chunk(message * 200, messages=200) * 150)

    def shrink(delay):
        time.sleep(delay)
        os.truncate(path, draw.randrange(len(data)))
        time.sleep(delay)
        os.truncate(path, 2 * len(data))

    ways = {
        "json": lambda **how: judge_json(bench, [path], extra=["--digest"], **how),
        "text": lambda **how: judge_text(bench, [path], **how),
        "dump": lambda **how: dump(bench, path, **how),
        "reader": lambda **how: read_all(bench, [path] * 2, **how),
    }
    for name, way in ways.items():
        for number in range(3):
            path.write_bytes(data)
            thread = threading.Thread(target=shrink, args=[draw.uniform(0.001, 0.01)])
            with tally.case("shrinking", f"{name}-{number}", path):
                way(meanwhile=thread.start)
            thread.join()
    path.unlink()


def try_outputs(bench, tally):
    """Output that cannot be written, or that nobody reads."""
    folder = bench.scratch / "outputs"
    folder.mkdir()
    good, bad = folder / "good.ca3", folder / "bad.ca3"
    model = ROOT / "corpus/ca3/3-framing/smallest-sealed-file.valid.ca3"
    shutil.copyfile(model, good)
    bad.write_bytes(b"no")
    hello = b'{"id":1,"op":"hello"}\n' * 100
    full = lambda: open("/dev/full", "wb")
    # Command, standard input, standard output, exit codes, whether it must be said why.
    table = [
        ("json-to-a-full-device", [bench.validate, "--json", good], b"", full, {UNREAD}, True),
        ("text-to-a-full-device", [bench.validate, good], b"", full, {UNREAD}, True),
        ("dump-to-a-full-device", [bench.validate, "dump", good], b"", full, {UNREAD}, True),
        ("rules-to-a-full-device", [bench.validate, "rules"], b"", full, {UNREAD}, True),
        ("reader-to-a-full-device", [bench.reader], hello, full, {1}, True),
        ("good-to-nobody", [bench.validate, "--json", good], b"", closed_pipe, {JUDGED}, False),
        ("bad-to-nobody", [bench.validate, "--json", bad], b"", closed_pipe, {FAULTY}, False),
        ("bad-as-text-to-nobody", [bench.validate, bad], b"", closed_pipe, {FAULTY}, False),
        ("missing-to-nobody", [bench.validate, folder / "none"], b"", closed_pipe, {UNREAD}, True),
        ("rules-to-nobody", [bench.validate, "rules", "--json"], b"", closed_pipe, {0}, False),
        ("reader-to-nobody", [bench.reader], hello, closed_pipe, {0}, False),
    ]
    for name, command, given, output, codes, said in table:
        with tally.case("outputs", name):
            ended = bench.run(command, stdin=given, stdout=output())
            expect_code(ended, codes)
            if bool(ended.err.strip()) != said or len(ended.err.splitlines()) > 1:
                raise Broken(f"standard error says {last_line(ended.err)}")
        with tally.case("outputs", f"{name}-errors-too"):
            ended = bench.run(command, stdin=given, stdout=output(), stderr=full())
            expect_code(ended, codes)
    shutil.rmtree(folder)


def closed_pipe():
    """The end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return Descriptor(writing)


def try_requests(bench, tally):
    """Lines for the reader that are no requests."""
    deep = b"[" * 100_000
    table = {
        "not-utf-8": b'{"id":1,"op":"read","path":"\xff\xfe"}\n',
        "a-zero-in-the-path": b'{"id":1,"op":"read","path":"a\\u0000b"}\n',
        "half-a-surrogate": b'{"id":1,"op":"read","path":"\\ud800"}\n',
        "deep": deep + b"\n",
        "deep-objects": b'{"a":' * 100_000 + b"\n",
        "no-line-end": b'{"id":1,"op":"read"',
        "huge-id": b'{"id":99999999999999999999999,"op":"hello"}\n',
        "long-line": b'{"id":1,"op":"read","path":"' + b"x" * (4 * MIB) + b'"}\n',
        "zeros": bytes(100_000) + b"\n",
        "empty-path": b'{"id":1,"op":"read","path":""}\n',
    }
    for name, lines in table.items():
        with tally.case("requests", name):
            ended = bench.run([bench.reader, "--memory", str(MEMORY_LIMIT)], stdin=lines)
            expect_code(ended, {0})
            answers = [json.loads(line) for line in ended.out.splitlines()]
            if [answer["status"] for answer in answers] != ["refused"]:
                raise Broken(f"{len(answers)} answers, or no refusal")


# --- The run ----------------------------------------------------------------

PROGRAMS = ("ca3-validate", "ca3-reader", "ca3-convert")


def default_programs():
    for profile in ("release", "debug"):
        folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / profile
        if all((folder / name).exists() for name in PROGRAMS):
            return folder
    return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("programs", nargs="?", type=Path, default=default_programs(),
                        help="the folder of the three programs (target/release or target/debug)")
    parser.add_argument("--rounds", type=int, default=1, help="how often the corpus is cut and perturbed anew")
    parser.add_argument("--seed", type=int, default=1, help="what cuts and perturbations are drawn from")
    parser.add_argument("--only", metavar="GROUP", help="one group alone")
    parser.add_argument("--keep", type=Path, default=ROOT / "target" / "hostile",
                        help="where files that broke something are kept (target/hostile)")
    given = parser.parse_args()
    if given.programs is None or not all((given.programs / name).exists() for name in PROGRAMS):
        parser.error("not all of the programs are there; build it: cargo build --release -p ca3-validate -p ca3-reader -p ca3-convert")
    return given


def main():
    given = arguments()
    with tempfile.TemporaryDirectory(prefix="ca3-hostile-") as scratch:
        bench = Bench(given.programs.resolve(), Path(scratch))
        tally = Tally(given.keep)
        files = lambda make: lambda group: try_files(bench, tally, group, make())
        groups = {
            "bombs": files(bombs),
            "zstd": files(zstd_lies),
            "counts": files(counts),
            "lengths": files(lengths),
            "crowds": files(crowds),
            "schemas": files(schemas),
            "rings": files(rings),
            "stubs": files(stubs),
            "corpus": files(lambda: corpus_variants(given.seed, given.rounds)),
            "places": lambda _: (try_places(bench, tally), try_permission(bench, tally)),
            "shrinking": lambda _: try_shrinking(bench, tally, given.seed),
            "outputs": lambda _: try_outputs(bench, tally),
            "requests": lambda _: try_requests(bench, tally),
        }
        if given.only and given.only not in groups:
            sys.exit(f"hostile.py: no group {given.only}; there are {', '.join(groups)}")
        for group, run in groups.items():
            if given.only in (None, group):
                start = time.monotonic()
                run(group)
                print(f"{group:<10} {tally.cases[group]:>6} cases  {time.monotonic() - start:5.1f} s", flush=True)
    return report(bench, tally)


def report(bench, tally):
    def brief(ended):
        return " ".join(word[-40:] for word in ended.command[:6])

    total = sum(tally.cases.values())
    print(f"{total} cases, {bench.runs} runs")
    print(f"slowest: {bench.slowest.seconds:.2f} s ({brief(bench.slowest)})")
    print(f"largest: {bench.largest.rss / MIB:.0f} MiB ({brief(bench.largest)})")
    for group, name, why, kept in tally.broken:
        print(f"BROKEN {group}/{name}: {why}" + (f"\n       kept as {kept}" if kept else ""))
    if tally.broken:
        print(f"{len(tally.broken)} broken")
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
