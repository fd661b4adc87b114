"""The three messages in which the evidence of §10 travels, package ca3.time.v1, and as much of
protobuf as they need.

The document names observations (§10.7), delays (§10.9) and events (§10.10) and gives none of
them a record: they are payloads of ordinary streams. What their numbers and types are is a reading.
A field that does not stand has its default, one with an unknown number is passed over, the last of
a single field counts. Everything else that is no such message is a Violation.
"""
from __future__ import annotations

from collections import namedtuple

from ca3_reader import Violation, require, utf8, zigzag_decode

VARINT, FIXED64, LENGTH, START_GROUP, END_GROUP, FIXED32 = range(6)  # protobuf's wire types
LARGEST_NUMBER = 2**29 - 1
REPEATED_LIMIT = 1 << 18  # a limit of this program: two bytes can claim a message

Shape = namedtuple("Shape", "name fields")  # a message's full name, and its fields by number
Field = namedtuple("Field", "name type default")  # a Shape as type: any number of messages


def one(name: str, type: str) -> Field:
    return Field(name, type, "" if type == "string" else 0)


CLOCK_OBSERVATION = Shape("ca3.time.v1.ClockObservation", {
    1: one("source_ns", "fixed64"),
    2: one("receipt_ns", "fixed64"),
    3: Field("sent_ns", "fixed64", None),  # there for a round trip, and for nothing else
})
CONFIG_ENTRY = Shape("map entry", {1: one("key", "string"), 2: one("value", "string")})
DEVICE_DELAY = Shape("ca3.time.v1.DeviceDelay", {
    1: one("device_ref", "uint32"),
    2: one("stream_ref", "uint32"),
    3: one("delay_ns", "sint64"),
    4: one("uncertainty_ns", "fixed64"),
    5: one("method", "string"),
    6: one("measured_unix_ns", "fixed64"),
    7: one("measured_by", "string"),
    8: one("valid_firmware", "string"),
    9: Field("valid_config", CONFIG_ENTRY, None),
})
SIGHT = Shape("ca3.time.v1.AlignmentEvent.Observation", {
    1: one("stream_ref", "uint32"),
    2: one("stamp_ns", "fixed64"),
    3: one("uncertainty_ns", "fixed64"),
})
ALIGNMENT_EVENT = Shape("ca3.time.v1.AlignmentEvent", {
    1: one("event_id", "uint32"),
    2: one("kind", "uint32"),
    3: one("method", "string"),
    4: one("observed_by", "string"),
    5: Field("observations", SIGHT, None),
})

WIRE_TYPES = {"uint32": VARINT, "sint64": VARINT, "fixed64": FIXED64, "string": LENGTH}


def decode(shape: Shape, payload: bytes) -> dict:
    found = {field.name: [] if is_repeated(field) else field.default
             for field in shape.fields.values()}
    for number, wire_type, raw in fields_of(payload):
        field = shape.fields.get(number)
        if field is None:
            continue
        require(wire_type == wire_type_of(field), "other",
                f"{shape.name}: {field.name} of another wire type")
        if is_repeated(field):
            require(len(found[field.name]) < REPEATED_LIMIT, "limit-exceeded",
                    f"{shape.name}: too many {field.name}")
            found[field.name].append(decode(field.type, raw))
        else:
            found[field.name] = VALUES[field.type](raw)
    return found


def is_repeated(field: Field) -> bool:
    return isinstance(field.type, Shape)


def wire_type_of(field: Field) -> int:
    return LENGTH if is_repeated(field) else WIRE_TYPES[field.type]


def uint32(raw: int) -> int:
    return raw & 0xFFFFFFFF  # protobuf drops what is above


def sint64(raw: int) -> int:
    return zigzag_decode(raw)  # signed: a device may report early


def fixed64(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


VALUES = {"uint32": uint32, "sint64": sint64, "fixed64": fixed64, "string": utf8}


def fields_of(data: bytes):
    """Number, wire type and raw value of each field. Of a group, which no field here is, only the
    beginning is told. What stands inside is stepped over without recursion."""
    at, groups = 0, []
    while at < len(data):
        number, wire_type, at = read_tag(data, at)
        if wire_type == END_GROUP:
            require(groups and groups.pop() == number, "other", "a group ends that is not open")
            continue
        raw, at = read_value(data, at, wire_type)
        if not groups:
            yield number, wire_type, raw
        if wire_type == START_GROUP:
            groups.append(number)
    require(not groups, "bad-length", "a group does not end")


def read_tag(data: bytes, at: int) -> tuple[int, int, int]:
    tag, at = read_base128(data, at)
    require(1 <= tag >> 3 <= LARGEST_NUMBER, "other", "a field number that there is not")
    return tag >> 3, tag & 7, at


def read_value(data: bytes, at: int, wire_type: int):
    if wire_type == VARINT:
        return read_base128(data, at)
    if wire_type == START_GROUP:
        return None, at
    require(wire_type in (FIXED64, LENGTH, FIXED32), "other", f"wire type {wire_type}")
    length = {FIXED64: 8, FIXED32: 4}.get(wire_type)
    if length is None:
        length, at = read_base128(data, at)
    require(length <= len(data) - at, "bad-length", "a field passes the end of its message")
    return data[at:at + length], at + length


def read_base128(data: bytes, at: int) -> tuple[int, int]:
    """Protobuf's varint. Unlike the container's (§1.4) it need not be the shortest, and what is
    above 64 bits is dropped."""
    value = 0
    for index in range(10):
        require(at < len(data), "bad-length", "a varint passes the end of its message")
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value & 2**64 - 1, at
    raise Violation("varint-too-long", "a varint has more than ten bytes")
