"""Checkpoints (§8.1, §8.2): their layout, the four checks that a candidate has to pass, the
backward scan for the last one, and the chain from there to the first.

    Checkpoint = frame, body, trailer of 36 bytes
    frame        S      0x07, content_length        S + 9 + content_length = P + 36
    body         S + 9  what content_crc covers
    trailer      P      "CA3POINT", self_offset = S, prev_offset, checkpoint_seq, content_crc

S and P are the offsets of the opcode byte and of the sentinel. Here `data` is all of the file.
"""
from __future__ import annotations

import functools
from collections import namedtuple
from typing import Iterator

from ca3_clock import decode_clock_block
from ca3_index import index_entries
from ca3_reader import (CHECKPOINT, CHECKPOINT_TRAILER, FRAME, Cursor, check_length, crc32c,
                        decode_schema, decode_stream)

SENTINEL = b"CA3POINT"
LEAST_OFFSET = 9  # §8.2: what the document asks of self_offset
HEAD_FIELDS = "checkpoint_seq:u64 flags:u32 reserved:u32 record_ts_ns:u64 wall_ns:u64"

Trailer = namedtuple("Trailer", "sentinel self_offset prev_offset checkpoint_seq content_crc")
Candidate = namedtuple("Candidate", "offset sentinel_at trailer")  # offset is S, sentinel_at is P
Checkpoint = namedtuple("Checkpoint", "offset end checkpoint_seq schemas streams entries clock")


# The four checks of §8.2. Each holds for any bytes: none of them reads where nothing is.


def is_sound(data: bytes, candidate: Candidate, checksums: Checksums) -> bool:
    """The checksum comes last, as it alone costs more than a few bytes."""
    return (has_sentinel(candidate) and is_ahead_of_sentinel(candidate)
            and is_behind_magic(candidate) and begins_checkpoint(data, candidate)
            and leads_back(data, candidate) and checksum_holds(candidate, checksums))


def has_sentinel(candidate: Candidate) -> bool:
    return candidate.trailer.sentinel == SENTINEL  # check 1


def is_ahead_of_sentinel(candidate: Candidate) -> bool:
    return candidate.offset < candidate.sentinel_at  # check 2, from above


def is_behind_magic(candidate: Candidate) -> bool:
    return candidate.offset >= LEAST_OFFSET  # check 2, from below


def begins_checkpoint(data: bytes, candidate: Candidate) -> bool:
    """Check 3, the opcode."""
    return data[candidate.offset:candidate.offset + 1] == bytes([CHECKPOINT])


def leads_back(data: bytes, candidate: Candidate) -> bool:
    """Check 3, the length. Python's sum does not wrap where 64 bits would."""
    length = length_at(data, candidate.offset)
    return candidate.offset + FRAME.size + length == end_of(candidate) <= len(data)


def checksum_holds(candidate: Candidate, checksums: Checksums) -> bool:
    """Check 4: over the content ahead of the sentinel."""
    start = candidate.offset + FRAME.size
    return checksums.of(start, candidate.sentinel_at) == candidate.trailer.content_crc


def end_of(candidate: Candidate) -> int:
    return candidate.sentinel_at + CHECKPOINT_TRAILER.size


def length_at(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset + 1:offset + FRAME.size], "little")


# Two ways to a candidate: by its sentinel, and by its first byte


def candidate_by_sentinel(data: bytes, at: int) -> Candidate | None:
    """The one whose trailer stands at P, which says where it begins."""
    stored = data[at:at + CHECKPOINT_TRAILER.size]
    if len(stored) < CHECKPOINT_TRAILER.size:
        return None  # the trailer is cut
    trailer = Trailer(*CHECKPOINT_TRAILER.unpack(stored))
    return Candidate(trailer.self_offset, at, trailer)


def candidate_at(data: bytes, offset: int) -> Candidate | None:
    """The one that begins at S, whose length says where its trailer stands."""
    at = offset + FRAME.size + length_at(data, offset) - CHECKPOINT_TRAILER.size
    found = candidate_by_sentinel(data, at) if at >= offset + FRAME.size else None
    return found if found is not None and found.offset == offset else None


def sound_at(data: bytes, offset: int, checksums: Checksums) -> Candidate | None:
    found = candidate_at(data, offset)
    return found if found is not None and is_sound(data, found, checksums) else None


# §8.3, step 2: the backward scan


def newest(data: bytes, end: int, checksums: Checksums) -> Candidate | None:
    """The last sound candidate. One that is not sound proves nothing of those before it."""
    for at in sentinels(data, end):
        found = candidate_by_sentinel(data, at)
        if found is not None and is_sound(data, found, checksums):
            return found
    return None


def sentinels(data: bytes, end: int) -> Iterator[int]:
    """From the last to the first. No two overlap, so that each byte is passed once."""
    at = data.rfind(SENTINEL, 0, end)
    while at >= 0:
        yield at
        at = data.rfind(SENTINEL, 0, at)


# §8.3, step 3: the chain


def chain_from(data: bytes, last: Candidate, checksums: Checksums) -> list[Candidate] | None:
    """Newest first, up to the one that names none before it; None where the chain is broken."""
    links = [last]
    while not is_first(links[-1]):
        before = sound_at(data, links[-1].trailer.prev_offset, checksums)
        if before is None or not is_before(before, links[-1]):
            return None
        links.append(before)
    return links


def is_first(link: Candidate) -> bool:
    return link.trailer.prev_offset == 0


def is_before(link: Candidate, later: Candidate) -> bool:
    """Records do not overlap. With this no chain goes round in circles."""
    return end_of(link) <= later.offset


# §8.1: what a checkpoint holds


def decode(data: bytes, candidate: Candidate) -> Checkpoint:
    """All of it, or a Violation. It cannot grow (§14), so nothing is left ahead of the trailer."""
    cursor = Cursor(data[candidate.offset + FRAME.size:candidate.sentinel_at])
    head = cursor.fields(HEAD_FIELDS)  # flags and the reserved word decide nothing
    schemas = [decode_schema(content) for content in definitions(cursor)]
    streams = [decode_stream(content) for content in definitions(cursor)]
    entries = index_entries(cursor)
    clock = clock_of(cursor.bytes32())
    check_length("behind the clock block", cursor.left(), 0)
    return Checkpoint(candidate.offset, end_of(candidate), head["checkpoint_seq"], schemas,
                      streams, entries, clock)


def definitions(cursor: Cursor) -> list[bytes]:
    return cursor.array(Cursor.bytes32)  # each with a length of its own (§1.2)


def clock_of(content: bytes) -> dict | None:
    """Empty where there was no clock relationship yet."""
    return decode_clock_block(content) if content else None


# Checksums of many stretches of one file


class Checksums:
    """CRC-32C of any stretch. In a hostile file candidates lie inside one another, a new one every
    few bytes. Once as many bytes were summed up as the file has, a stretch's checksum is therefore
    taken from those of the two prefixes that it lies between, which are built once."""

    BLOCK = 256

    def __init__(self, data: bytes):
        self.data, self.summed_up = data, 0
        self.prefixes = [0]  # at every BLOCK bytes

    def of(self, start: int, end: int) -> int:
        self.summed_up += end - start
        if self.summed_up <= len(self.data):
            return crc32c(self.data[start:end])
        return self.prefix(end) ^ shifted(self.prefix(start), end - start)

    def prefix(self, end: int) -> int:
        blocks = end // self.BLOCK
        while len(self.prefixes) <= blocks:
            start = (len(self.prefixes) - 1) * self.BLOCK
            self.prefixes.append(self.joined(self.prefixes[-1], start, start + self.BLOCK))
        return self.joined(self.prefixes[blocks], blocks * self.BLOCK, end)

    def joined(self, crc: int, start: int, end: int) -> int:
        """The checksum of what `crc` covers and of the bytes behind it."""
        return shifted(crc, end - start) ^ crc32c(self.data[start:end])


def shifted(crc: int, count: int) -> int:
    """What a checksum becomes with `count` bytes behind those that it covers, all else apart."""
    return multiplied(crc, byte_power(count))


@functools.lru_cache(maxsize=1024)
def byte_power(count: int) -> int:
    """x^(8 count) modulo the polynomial, by squaring."""
    power, square = 1 << 31, 1 << 23  # 1 and x^8: the highest bit is the lowest power
    while count:
        if count & 1:
            power = multiplied(power, square)
        square, count = multiplied(square, square), count >> 1
    return power


def multiplied(a: int, b: int) -> int:
    """The product of two polynomials modulo Castagnoli's, reflected."""
    product = 0
    while a:
        if a & 1 << 31:
            product ^= b
        a = a << 1 & 0xFFFFFFFF
        b = b >> 1 ^ (0x82F63B78 if b & 1 else 0)
    return product
