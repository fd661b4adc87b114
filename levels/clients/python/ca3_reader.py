#!/usr/bin/env python3
"""A reader of CA3 recordings. This file is level 1: the whole file, walked from front to back.

Written from the format document alone, and meant to be copied; § numbers are the
document's. From the top down: Reader (the walk over records), the record layouts,
Chunk (messages), Cursor and the other primitives, the protocol. Level 2 stands on it:
ca3_index (what the summary says), ca3_query (what is asked of it), ca3_clock (time),
ca3_source (bytes that are fetched only where they are needed). Level 3 stands on both:
ca3_time (clocks and samples), ca3_delay, ca3_evidence, ca3_estimator, ca3_messages. Level 4 needs
the first two: ca3_recover (what can be saved), ca3_checkpoint, ca3_rebuilt.

A violation refuses a sealed file. In an unsealed one, whose writer may have been
killed, what came before it is kept and the violation is reported. Bytes are taken only
where they exist: no length that a file claims is ever allocated.
"""
from __future__ import annotations

import contextlib
import hashlib
import io
import json
import struct
import sys
import traceback
from collections import namedtuple
from typing import Callable, Iterator

try:
    import zstandard
except ImportError:  # then feature bit 0 is not offered: files that set it are refused
    zstandard = None

MAGIC = b"\x89CA31\r\n\x1a"  # §2.1: the first eight bytes, and the last eight of a sealed file
FRAME = struct.Struct("<BQ")  # §3: opcode, content_length
FEATURES_END = len(MAGIC) + FRAME.size + 8  # §3.3: required_features stands at offset 17
FOOTER_BYTES = 28  # §13.1: the one record that never grows
FOOTER_FROM_END = FRAME.size + FOOTER_BYTES + len(MAGIC)

HEADER, FOOTER, SCHEMA, STREAM, CHUNK, SESSION, CHECKPOINT = range(0x01, 0x08)
CHUNK_INDEX, STREAM_DIRECTORY, CLOCK_BLOCK, COLUMNAR_CHUNK = 0x08, 0x09, 0x0A, 0x0E
SUMMARY_OFFSET, PADDING = 0x48, 0x4A
# §2.4: the index and the clocks are known and serve the queries of level 2; the others may be
# skipped. Level 1 returns nothing of either.
PASSED_OVER = {CHUNK_INDEX, STREAM_DIRECTORY, CLOCK_BLOCK, 0x40, 0x42, 0x44, 0x45,
               SUMMARY_OFFSET, 0x49, PADDING}
DEFINED = {HEADER, FOOTER, SCHEMA, STREAM, CHUNK, SESSION, CHECKPOINT, COLUMNAR_CHUNK, *PASSED_OVER}
RESERVED = {0x0B: "ErasedChunk", 0x0C: "Tombstone", 0x0D: "StreamCrypto",  # §15
            0x41: "MetadataIndex", 0x43: "AttachmentIndex", 0x46: "Integrity"}
FEATURES = [0, 2] if zstandard else [2]  # §15: bit 0 is zstd, bit 2 ColumnarChunk
FEATURE_NAMES = {1: "StreamCrypto", 2: "ColumnarChunk"}
PLAIN, ZSTD = 0, 1  # §6.1: the only codecs

# A limit of this program, not of the format: no line of the protocol is longer, so a
# recording that one answer cannot hold is refused before memory is spent on it.
ANSWER_LIMIT = 64 << 20
MESSAGE_OVERHEAD = 256  # about the JSON around one payload

REFUSES_FILE = {"unknown-codec", "unsupported-feature", "limit-exceeded"}  # sealed or not
WITHHELD_ALONE = {CHUNK, COLUMNAR_CHUNK, CHECKPOINT}  # the walk goes on behind a faulty one


class Violation(Exception):
    """Bytes that break the format: a kind of the protocol, and what must be named."""

    def __init__(self, kind: str, message: str, **named):
        super().__init__(message)
        self.report = {"kind": kind, "message": message, **named}


def require(holds: bool, kind: str, message: str, **named) -> None:
    if not holds:
        raise Violation(kind, message, **named)


class Reader:
    """Walks one file and collects what it says. `data` may be anything that is measured and
    sliced as bytes are."""

    def __init__(self, data: bytes):
        self.data = data
        self.sealed = False
        self.header = self.session = None
        self.schemas: dict[int, dict] = {}
        self.streams: dict[int, dict] = {}
        self.declared_at: dict[tuple[str, int], int] = {}
        self.messages, self.skipped, self.problems = [], [], []
        self.budget = ANSWER_LIMIT

    def read(self) -> dict:
        self.open()
        stopped_at = self.walk(len(MAGIC), self.end_of_records())
        self.check_schemas()
        return {
            "sealed": self.sealed,
            "complete": self.sealed,  # a sealed file with a fault never comes this far
            "stopped_at": None if self.sealed else stopped_at,
            "header": self.header,
            "calendar_time": self.calendar_time(),
            "session": self.session,
            "schemas": [self.schemas[ref] for ref in sorted(self.schemas)],
            "streams": [self.streams[ref] for ref in sorted(self.streams)],
            "messages": self.messages,
            "skipped": self.skipped,
            "problems": self.problems,
        }

    def open(self) -> None:
        require(is_magic(self.data[:len(MAGIC)]), "bad-magic", "no magic in front", offset=0)
        self.check_features()
        self.sealed = self.is_sealed()

    def check_features(self) -> None:
        """§3.3: the first 25 bytes decide, before anything else is believed."""
        first = self.data[len(MAGIC):len(MAGIC) + 1]
        require(first in (b"", bytes([HEADER])), "bad-order", "the first record is no Header",
                offset=len(MAGIC))
        require(len(self.data) >= FEATURES_END, "truncated-record", "the Header is cut",
                offset=len(MAGIC))
        self.refuse_missing_features()

    def refuse_missing_features(self) -> None:
        stored = self.data[FEATURES_END - 8:FEATURES_END]
        bits = self.missing_features(Cursor(stored).u64())
        require(not bits, "unsupported-feature", f"feature bits not implemented: {bits}",
                bits=bits, names=[FEATURE_NAMES.get(bit) for bit in bits], offset=len(MAGIC))

    def missing_features(self, required: int) -> list[int]:
        return [bit for bit in range(64) if required >> bit & 1 and bit not in FEATURES]

    def is_sealed(self) -> bool:
        """§2.1: by the trailing magic, in a file that has room for a Footer as well."""
        long_enough = len(self.data) >= len(MAGIC) + FOOTER_FROM_END
        return long_enough and is_magic(self.data[-len(MAGIC):])

    def end_of_records(self) -> int:
        """§13.1: the Footer of a sealed file is found by arithmetic; the walk ends before it.
        Its fields locate what level 1 walks anyway."""
        if not self.sealed:
            return len(self.data)
        end = len(self.data) - FOOTER_FROM_END
        require(self.frame_at(end) == (FOOTER, FOOTER_BYTES), "other",
                "sealed, and no Footer at its place", offset=end)
        return end

    def walk(self, offset: int, end: int) -> int:
        """Takes one record after another; returns the offset where that stopped."""
        while offset < end:
            content = None
            try:
                content = self.frame(offset, end)
                self.record(self.data[offset], offset, content)
            except Violation as violation:
                self.tolerate(violation, offset)
                if content is None or self.data[offset] not in WITHHELD_ALONE:
                    break
            offset += FRAME.size + len(content)
        return offset

    def tolerate(self, violation: Violation, offset: int) -> None:
        """Reports a violation in an unsealed file; anywhere else it refuses the file."""
        violation.report.setdefault("offset", offset)
        if self.sealed or self.header is None or violation.report["kind"] in REFUSES_FILE:
            raise violation
        self.problems.append(violation.report)

    def frame(self, offset: int, end: int) -> bytes:
        _, length = self.extent(offset, end)
        return self.data[offset + FRAME.size:offset + FRAME.size + length]

    def extent(self, offset: int, end: int) -> tuple[int, int]:
        """§3: opcode u8, content_length u64, content. A cut is no malformation (§2.4)."""
        cut = "bad-length" if self.sealed else "truncated-record"
        require(end - offset >= FRAME.size, cut, "the records end inside a frame")
        opcode, length = self.frame_at(offset)
        self.check_opcode(opcode, offset)
        require(length <= end - offset - FRAME.size, cut,
                f"content_length {length} passes the last record's end")
        return opcode, length

    def frame_at(self, offset: int) -> tuple[int, int]:
        return FRAME.unpack_from(self.data[offset:offset + FRAME.size])

    def check_opcode(self, opcode: int, offset: int) -> None:
        """§3.1, §3.4: what is not defined stops the reader, unless its class is skippable."""
        if opcode not in DEFINED and not is_skippable(opcode):
            require(opcode != 0, "invalid-opcode", "opcode 0x00", opcode=opcode)
            name = RESERVED.get(opcode)
            raise Violation("reserved-opcode" if name else "unknown-opcode",
                            f"must-understand record 0x{opcode:02X}", opcode=opcode, name=name)

    def record(self, opcode: int, offset: int, content: bytes) -> None:
        if opcode == HEADER:
            require(offset == len(MAGIC), "bad-order", "a second Header")
            self.header = Cursor(content).fields(HEADER_FIELDS)
        elif opcode == FOOTER:
            self.check_footer(offset, content)
        elif opcode == SCHEMA:
            self.define(self.schemas, "schema_ref", decode_schema(content), offset)
        elif opcode == STREAM:
            self.define(self.streams, "stream_ref", decode_stream(content), offset)
        elif opcode == SESSION:  # §11: the last one is in force, whole
            self.session = Cursor(content).fields(SESSION_FIELDS)
        elif opcode == CHECKPOINT:  # at level 1 just another place where definitions stand
            schemas, streams = decode_checkpoint(offset, content)
            for schema in schemas:
                self.define(self.schemas, "schema_ref", decode_schema(schema), offset)
            for stream in streams:
                self.define(self.streams, "stream_ref", decode_stream(stream), offset)
        elif opcode in (CHUNK, COLUMNAR_CHUNK):
            self.take_chunk(opcode, content)
        elif opcode not in PASSED_OVER:
            self.skip(opcode, offset)

    def check_footer(self, offset: int, content: bytes) -> None:
        """§13.1: the walk meets it only where the trailing magic is cut off or damaged."""
        end = offset + FRAME.size + len(content)
        behind = self.data[end:end + len(MAGIC)]
        require(not self.sealed and MAGIC.startswith(behind), "bad-order", "a Footer too early")
        require(len(content) == FOOTER_BYTES, "bad-length", "a Footer has 28 bytes")

    def skip(self, opcode: int, offset: int) -> None:
        """§3.1, §3.4: what is passed over is reported, a reserved record by its name."""
        self.skipped.append({"opcode": opcode, "offset": offset, "name": RESERVED.get(opcode)})

    def define(self, table: dict, ref_name: str, entry: dict, offset: int) -> None:
        """§5: a reference names one thing; checkpoints and the summary restate it as it is."""
        ref = entry[ref_name]
        require(ref != 0, "zero-reference", f"{ref_name} 0 is declared", **{ref_name: ref})
        require(table.setdefault(ref, entry) == entry, "duplicate-reference",
                f"{ref_name} {ref} has another definition", **{ref_name: ref})
        self.declared_at.setdefault((ref_name, ref), offset)

    def take_chunk(self, opcode: int, content: bytes) -> None:
        self.messages += self.chunk_messages(opcode, content)

    def chunk_messages(self, opcode: int, content: bytes) -> list[dict]:
        """§6: all of a chunk's messages, or none of them."""
        cursor = Cursor(content)
        chunk = Chunk(*cursor.unpack(CHUNK_HEAD))
        self.resolve_stream(chunk.stream_ref)
        messages = []
        rows = chunk.plain_rows(cursor) if opcode == CHUNK else chunk.columnar_rows(cursor)
        for i, row in enumerate(rows):
            self.afford(row.payload)
            messages.append(chunk.message(i, row))
        return messages

    def afford(self, payload: bytes) -> None:
        self.budget = spent(self.budget, payload)

    def resolve_stream(self, ref: int) -> None:
        """§5: the Stream and the Schema it names stand ahead of the first chunk."""
        require(ref in self.streams, "unresolved-reference", f"no stream {ref}", stream_ref=ref)
        self.resolve_schema(self.streams[ref])

    def resolve_schema(self, stream: dict) -> None:
        ref = stream["schema_ref"]  # §5.7: 0 is an undescribed payload
        require(ref == 0 or ref in self.schemas, "unresolved-reference", f"no schema {ref}",
                stream_ref=stream["stream_ref"], schema_ref=ref)

    def check_schemas(self) -> None:
        """The same for streams without a chunk, once everything has been read."""
        for ref, stream in self.streams.items():
            try:
                self.resolve_schema(stream)
            except Violation as violation:
                self.tolerate(violation, self.declared_at["stream_ref", ref])

    def calendar_time(self) -> str:
        """§4.2: the wall half of the anchor decides; no other clock replaces it."""
        return "known" if self.header["anchor_wall_unix_ns"] != 0 else "none"


def spent(budget: int, payload: bytes) -> int:
    budget -= MESSAGE_OVERHEAD + 2 * len(payload)
    require(budget >= 0, "limit-exceeded", "more messages than an answer can hold")
    return budget


def is_magic(found: bytes) -> bool:
    return found == MAGIC  # all eight bytes, the major version among them


def is_skippable(opcode: int) -> bool:
    return 0x40 <= opcode <= 0x7F or 0xC0 <= opcode <= 0xFF  # §3.1: the opcode alone decides


# Record layouts (§4, §5.1, §5.7, §5.9, §11): each field with the Cursor method that takes it.
# Bytes behind the last field are a later version's, and ignored (§14).
HEADER_FIELDS = """required_features:u64 profile:string library:string host_id:string
    host_clock_epoch:string monotonic_source:string anchor_monotonic_ns:u64
    anchor_wall_unix_ns:u64 anchor_wall_source:string attributes:map"""
SCHEMA_FIELDS = "schema_ref:u32 schema_id:string encoding:string descriptor_sha256:digest64"
STREAM_FIELDS = """stream_ref:u32 schema_ref:u32 topic:string node:string origin:u8
    source_clock_domain:string host_id:string host_clock_epoch:string operator_reference:string
    operator_asserted_by:assertion authorisation_reference:string authorisation_from_unix_ns:u64
    authorisation_until_unix_ns:u64 nominal_rate_millihz:u64 schema_conformance:conformance
    flags:u32 metadata:map"""
ALIGNMENT_FIELDS = "block_alignment:u32 block_offset:u32"
SESSION_FIELDS = """session_id:string study:string participant_code:string operator:string
    operator_asserted_by:assertion profile_name:string profile_version:u32 security_tier:u32
    app_name:string app_version:string created_unix_ns:u64 devices:devices custom:map"""
DEVICE_FIELDS = "device_ref:u32 kind:string serial:string firmware:string clock_domain:string"


def decode_schema(content: bytes) -> dict:
    return Cursor(content).fields(SCHEMA_FIELDS)


def decode_stream(content: bytes) -> dict:
    """§5.7, §5.9: the two alignment fields were appended later. A Stream that ends at metadata
    claims none, one that goes on has both, and nothing is inferred from where bytes lie."""
    cursor = Cursor(content)
    stream = {**cursor.fields(STREAM_FIELDS), "block_alignment": 0, "block_offset": 0}
    if cursor.left() > 0:
        stream.update(cursor.fields(ALIGNMENT_FIELDS))
    require(is_alignment(stream["block_alignment"]), "bad-alignment",
            "block_alignment is no power of two up to 4096", stream_ref=stream["stream_ref"])
    return stream


def is_alignment(value: int) -> bool:
    return value <= 4096 and value & (value - 1) == 0  # zero is no claim


CHECKPOINT_TRAILER = struct.Struct("<8sQQQI")  # sentinel, self_offset, prev_offset, seq, crc


def decode_checkpoint(offset: int, content: bytes) -> tuple[list[bytes], list[bytes]]:
    """§8.1: the contents of the Schemas and Streams it restates. Behind them stand index
    entries and a clock block, then a trailer that is found from the record's end."""
    body_length = len(content) - CHECKPOINT_TRAILER.size
    require(body_length >= 0, "bad-length", "a Checkpoint without room for its trailer")
    sentinel, self_offset, _, _, crc = CHECKPOINT_TRAILER.unpack_from(content, body_length)
    require(sentinel == b"CA3POINT" and self_offset == offset, "other", "a misplaced trailer")
    check_crc(content[:body_length], crc)
    cursor = Cursor(content[:body_length])
    cursor.take(32)  # checkpoint_seq, flags, reserved, record_ts_ns, wall_ns
    return cursor.array(Cursor.bytes32), cursor.array(Cursor.bytes32)


CHUNK_HEAD = struct.Struct("<IBHHIQQQQQI")  # what both layouts begin with, 57 bytes
PLAIN_TAIL = struct.Struct("<QIQ")  # uncompressed_bytes, records_crc32c, records_length
COLUMNAR_TAIL = struct.Struct("<IQQI")  # block_bytes, columns_length, blocks_length, payload_crc32c
COLUMN_WIDTHS = (8, 8, 8, 4)  # of mask bits 0 to 3 (§6.5)

# One message as stored, in either layout. `coded` holds the values of mask bits 0 to 3,
# None where the bit is clear.
Row = namedtuple("Row", "stamp_delta coded payload")


class Chunk(namedtuple("ChunkHead", """stream_ref codec field_mask flags message_count min_stamp_ns
        max_stamp_ns record_ts_base_ns wall_base_ns source_base_ns seq_first""")):
    """§6.1, §6.5. `flags` never decides a message: bit 0 only speeds up queries."""

    def plain_rows(self, cursor: Cursor) -> Iterator[Row]:
        """§6.1: the blob fills the record, and is checked as it is stored."""
        uncompressed_bytes, crc, records_length = cursor.unpack(PLAIN_TAIL)
        blob = cursor.rest()
        check_length("records blob", len(blob), records_length)
        self.check_coding(0x00F0)  # §6.3: bits 4-7 are must-understand
        check_crc(blob, crc)
        return self.split_blob(decompress(blob, uncompressed_bytes) if self.codec == ZSTD else blob)

    def check_coding(self, refused_bits: int) -> None:
        """§6.1, §6.3: named, refused, and never read as something else."""
        require(not self.field_mask & refused_bits, "reserved-mask-bit",
                f"field_mask 0x{self.field_mask:04X}", value=self.field_mask)
        require(self.codec in (PLAIN, ZSTD), "unknown-codec", "codec is not assigned",
                value=self.codec)

    def split_blob(self, blob: bytes) -> Iterator[Row]:
        """§6.2: messages back to back, exactly message_count of them."""
        at = 0
        for _ in range(self.message_count):
            at, end = message_extent(blob, at)
            yield self.decode_row(blob, at, end)
            at = end
        check_length("messages", at, len(blob))

    def decode_row(self, blob: bytes, at: int, end: int) -> Row:
        """§6.2: stamp_delta, the fields by rising bit, and what is left is the payload."""
        stamp_delta, at = read_varint(blob, at, end)
        coded = [None] * 4
        for bit in range(4):
            if self.field_mask >> bit & 1:
                coded[bit], at = read_varint(blob, at, end)
        at = self.skip_unknown_fields(blob, at, end)
        return Row(stamp_delta, coded, blob[at:end])

    def skip_unknown_fields(self, blob: bytes, at: int, end: int) -> int:
        """§6.3: bits 8-15 are one varint each, whatever they will come to mean."""
        for bit in range(8, 16):
            if self.field_mask >> bit & 1:
                _, at = read_varint(blob, at, end)
        return at

    def columnar_rows(self, cursor: Cursor) -> Iterator[Row]:
        """§6.5: a column a field, then the payloads, all of one length."""
        block_bytes, columns_length, blocks_length, crc = cursor.unpack(COLUMNAR_TAIL)
        regions = cursor.rest()
        check_length("regions", len(regions), columns_length + blocks_length)
        self.check_coding(0xFFF0)  # bits 8-15 have no width in this layout
        check_crc(regions, crc)
        columns = self.region("columns", regions[:columns_length], sum(self.column_widths()))
        blocks = self.region("blocks", regions[columns_length:], block_bytes)
        return self.split_columns(Cursor(columns), blocks, block_bytes)

    def column_widths(self) -> list[int]:
        """§6.5: the stamp, then the set bits in rising order."""
        return [8] + [COLUMN_WIDTHS[bit] for bit in range(4) if self.field_mask >> bit & 1]

    def region(self, name: str, stored: bytes, bytes_per_message: int) -> bytes:
        """§6.5: as long as the widths say, after decompression where there is any."""
        expected = self.message_count * bytes_per_message
        if self.codec == ZSTD and (stored or expected):  # an empty region needs no frame
            stored = decompress(stored, expected)
        check_length(name, len(stored), expected)
        return stored

    def split_columns(self, columns: Cursor, blocks: bytes, block_bytes: int) -> Iterator[Row]:
        stamps = self.column(columns, 8)
        coded = [self.column(columns, COLUMN_WIDTHS[bit]) if self.field_mask >> bit & 1 else None
                 for bit in range(4)]
        for i in range(self.message_count):
            yield Row(stamps[i], [column and column[i] for column in coded],
                      blocks[i * block_bytes:(i + 1) * block_bytes])

    def column(self, columns: Cursor, width: int) -> tuple[int, ...]:
        values = columns.take(self.message_count * width)
        return struct.unpack(f"<{self.message_count}{'Q' if width == 8 else 'I'}", values)

    def message(self, i: int, row: Row) -> dict:
        record, wall, source, number = row.coded
        return {
            "stream_ref": self.stream_ref,
            "monotonic_timestamp_ns": in_u64(self.min_stamp_ns + row.stamp_delta),
            "record_ts_ns": self.record_ts(record),
            "wall_clock_ns": self.wall_clock(row.stamp_delta, wall),
            "source_timestamp_ns": self.source_timestamp(row.stamp_delta, source),
            "sequence": self.sequence(i, number),
            "payload": row.payload,
        }

    # §6.3, a method a bit. `v` is None where the bit is clear, and the field then absent
    # throughout the chunk. Bits 1 to 3 store an absent field as 0, others one higher.

    def record_ts(self, v: int | None) -> int | None:
        return None if v is None else in_u64(self.record_ts_base_ns + v)

    def wall_clock(self, stamp_delta: int, v: int | None) -> int | None:
        """A skew against the monotonic clock, so stamp_delta comes in."""
        return in_u64(self.wall_base_ns + stamp_delta + zigzag_decode(v - 1)) if v else None

    def source_timestamp(self, stamp_delta: int, v: int | None) -> int | None:
        """On a clock of its own: stamp_delta has no part in it."""
        return in_u64(self.source_base_ns + zigzag_decode(v - 1)) if v else None

    def sequence(self, i: int, v: int | None) -> int | None:
        """§6.4: i counts from zero; with the bit clear seq_first decides for the whole chunk."""
        if v is None:
            return wrap(self.seq_first + i) if self.seq_first != 0 else None
        return wrap(self.seq_first + i + zigzag_decode(v - 1)) if v != 0 else None


def message_extent(blob: bytes, at: int) -> tuple[int, int]:
    """§6.2: len counts the bytes behind itself."""
    length, at = read_varint(blob, at, len(blob))
    require(length <= len(blob) - at, "bad-length", "a message passes the end of its blob")
    return at, at + length


def wrap(x: int) -> int:
    """§6.4: 1 to 2^32 - 1, never 0. Python's remainder is never negative; where a language's
    is, add the modulus."""
    return (x - 1) % (2**32 - 1) + 1


def in_u64(value: int) -> int:
    require(0 <= value < 2**64, "other", f"a time outside 64 bits: {value}")  # never wrapped
    return value


def check_length(what: str, found: int, expected: int) -> None:
    require(found == expected, "bad-length", f"{what}: {found} bytes, {expected} expected")


def check_crc(stored: bytes, expected: int) -> None:
    require(crc32c(stored) == expected, "bad-crc", "CRC-32C does not match the stored bytes")


class Cursor:
    """Takes fields from the front of one record's content, never from behind its end (§1.2)."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        require(count <= self.left(), "bad-length", f"{count} bytes wanted, {self.left()} left")
        self.at += count
        return self.data[self.at - count:self.at]

    def rest(self) -> bytes:
        return self.take(self.left())

    def unpack(self, layout: struct.Struct) -> tuple:
        return layout.unpack(self.take(layout.size))

    def fields(self, layout: str) -> dict:
        pairs = (field.split(":") for field in layout.split())
        return {name: getattr(self, method)() for name, method in pairs}

    def u8(self) -> int:
        return self.take(1)[0]

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def i64(self) -> int:
        return int.from_bytes(self.take(8), "little", signed=True)

    def bytes32(self) -> bytes:
        return self.take(self.u32())

    def string(self) -> str:
        return utf8(self.bytes32())

    def digest64(self) -> str:
        return hashlib.sha256(self.take(self.u64())).hexdigest()

    def array(self, element: Callable) -> list:
        return [element(self) for _ in range(self.u32())]

    def devices(self) -> list[dict]:
        return self.array(lambda cursor: cursor.fields(DEVICE_FIELDS))

    def map(self) -> dict[str, str]:
        entries, previous = {}, None
        for _ in range(self.u32()):
            key, value = self.bytes32(), self.string()
            require(previous is None or in_order(previous, key), "map-order", "keys do not ascend")
            entries[utf8(key)], previous = value, key
        return entries

    def conformance(self) -> int:
        """§5.7: 2 is retired and reads as 1; what is not defined claims nothing."""
        return {1: 1, 2: 1}.get(self.u8(), 0)

    def assertion(self) -> int:
        """§11.3: 0 to 4 are five different statements, every other byte is unspecified."""
        stored = self.u8()
        return stored if stored <= 4 else 0


def utf8(raw: bytes) -> str:
    """§1.2. Python's decoder is strict: it takes neither overlong forms nor surrogates."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Violation("bad-utf8", f"a string is not UTF-8: {error.reason}") from None


def in_order(previous: bytes, key: bytes) -> bool:
    return previous < key  # §1.3: as unsigned bytes, and unique


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """§1.4: unsigned LEB128 in its shortest form. Returns the value and the offset behind it."""
    value = 0
    for index in range(10):
        require(at < end, "bad-length", "a varint passes the end of its message")
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            require(byte != 0 or index == 0, "varint-not-canonical", "a varint has a shorter form")
            require(value < 2**64, "varint-too-long", "a varint does not fit 64 bits")
            return value, at
    raise Violation("varint-too-long", "a varint has more than ten bytes")


def zigzag_decode(u: int) -> int:
    return u >> 1 ^ -(u & 1)


def crc_step(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


CRC_TABLE = [crc_step(byte) for byte in range(256)]  # CRC-32C: Castagnoli, reflected


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def decompress(stored: bytes, expected: int) -> bytes:
    """Exactly one zstd frame of exactly `expected` bytes. It is fed in small pieces, since
    each piece's output is bounded: a frame that grows too far is stopped in time."""
    require(zstandard is not None, "unsupported-feature", "a zstd chunk", bits=[0], names=[None])
    require(expected <= ANSWER_LIMIT, "limit-exceeded", f"{expected} bytes after decompression")
    require(stored[:4] == b"\x28\xb5\x2f\xfd", "decompress-failed", "no zstd frame")
    frame = zstandard.ZstdDecompressor(max_window_size=ANSWER_LIMIT).decompressobj()
    source, out = io.BytesIO(stored), bytearray()
    try:
        while not frame.eof and len(out) <= expected and (piece := source.read(256)):
            out += frame.decompress(piece)
    except zstandard.ZstdError as error:
        raise Violation("decompress-failed", str(error)) from None
    require(frame.eof or len(out) > expected, "decompress-failed", "the zstd frame is cut")
    check_length("zstd frame's content", len(out), expected)
    check_length("behind the zstd frame", len(frame.unused_data) + len(source.read()), 0)
    return bytes(out)


HELLO = {"name": "ca3-reader-python", "version": "1.3", "language": "python", "level": 4,
         "features": FEATURES, "formats": ["ca3"], "io": ["file", "http"],
         "ops": ["hello", "read", "index", "state_at", "window", "loss", "clock", "times",
                 "recover"]}
# Integers of 64 bits travel as decimal strings: every time (_ns), and these.
WIDE = {"required_features", "nominal_rate_millihz", "offset", "stopped_at", "chunk_offset",
        "chunk_length", "message_count", "chunk_count", "dropped_by_queue", "never_arrived",
        "reordered", "start", "length", "time", "chunks_read", "missing", "skew_ppb",
        "skew_uncertainty_ppb", "observation_count", "low", "high", "checkpoint_seq"}


def protocol_form(value, name: str = ""):
    if isinstance(value, dict):
        return {key: protocol_form(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [protocol_form(item, name) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    wide = isinstance(value, int) and (name in WIDE or name.endswith("_ns"))
    return str(value) if wide else value


def read_file(path) -> dict:
    require(isinstance(path, str), "other", "path is no string")  # a number would name a stream
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        raise Violation("other", f"cannot read the file: {error}") from None
    return Reader(data).read()


def perform(request: dict) -> dict:
    """What level 1 does not need is loaded with the first request for it."""
    if request["op"] == "read" and "url" not in request:
        return read_file(request.get("path"))
    import ca3_query
    import ca3_recover
    import ca3_source
    import ca3_time
    opened = ca3_source.open_source(request.get("path"), request.get("url"))
    with contextlib.closing(opened) as source:
        if request["op"] == "read":
            return Reader(source[:]).read()
        level = next(module for module in (ca3_query, ca3_time, ca3_recover)
                     if request["op"] in module.OPERATIONS)
        return level.ask(source, request)


def respond(request: dict) -> dict:
    if request.get("op") == "hello":
        return {"status": "ok", "result": HELLO}
    if request.get("op") not in HELLO["ops"]:
        return {"status": "unsupported", "reason": f"this reader has {HELLO['ops']}"}
    try:
        return {"status": "ok", "result": protocol_form(perform(request))}
    except Violation as violation:
        return {"status": "refused", "error": protocol_form(violation.report)}


def answer(line: bytes) -> str:
    """One line for one line, whatever happens. A fault of this program is no verdict on a file."""
    request_id = None
    try:
        request = json.loads(line)
        request_id = request["id"]
        return json.dumps({"id": request_id, **respond(request)})
    except Exception as error:
        traceback.print_exc()  # to standard error
        reason = f"{type(error).__name__}: {error}"
        return json.dumps({"id": request_id, "status": "unsupported", "reason": reason})


def main() -> None:
    for line in sys.stdin.buffer:
        if line.strip():
            print(answer(line), flush=True)


if __name__ == "__main__":
    sys.modules["ca3_reader"] = sys.modules["__main__"]  # level 2 builds on this copy, not another
    main()
