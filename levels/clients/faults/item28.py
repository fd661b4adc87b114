"""Item 28: a length that passes the end of the file."""
from __future__ import annotations

from ca3_reader import FRAME
from ca3_walk import DamagedFile
from level4 import recovered_nothing_where, refused_where
from registry import around, faults_of

fault = faults_of(28)


def lengths_by(change) -> None:
    """Lets `change(length, room)` say how long a record is that does not fit."""
    def make(extent):
        def changed(recovery, offset, end):
            head = recovery.data[offset:offset + FRAME.size]
            if len(head) == FRAME.size and FRAME.unpack(head)[1] > end - offset - FRAME.size:
                opcode, length = FRAME.unpack(head)
                recovery.check_opcode(opcode, offset)
                length = change(length, end - offset - FRAME.size)
                if length is not None:
                    return opcode, length
            return extent(recovery, offset, end)
        return changed

    around(DamagedFile, "extent", make)


@fault("Reads what is left where a length passes the end.", "16-06", "8.3-10")
def long_record_read_as_what_is_left(ca3):
    lengths_by(lambda length, room: room)


@fault("Takes a length for one of 32 bits.", "16-06")
def long_length_cut_to_32_bits(ca3):
    lengths_by(lambda length, room: length % 2**32 if length % 2**32 <= room else None)


@fault("Takes a length with its highest bit set for none.", "16-06")
def negative_length_is_empty(ca3):
    lengths_by(lambda length, room: 0 if length >> 63 else None)


@fault("Adds lengths up in 64 bits, and steps over a record that ends ahead of its beginning.",
       "16-06")
def long_length_wraps(ca3):
    lengths_by(lambda length, room: 0 if length + FRAME.size >= 2**64 else None)


@fault("Refuses a file whose last record passes its end.", "16-06", "16-07", "8.3-10")
def long_record_refused(ca3):
    refused_where(lambda recovery, result: (
        result["stop_reason"] in ("truncated-record", "bad-length")), "bad-length")


@fault("Finds nothing in a file whose last record passes its end.", "16-06", "16-07")
def long_record_gives_nothing(ca3):
    recovered_nothing_where(lambda recovery, result: (
        result["stop_reason"] in ("truncated-record", "bad-length")))


@fault("Takes a record that passes the end for the end of a whole file.", "16-06", "8.3-22")
def long_record_is_the_end(ca3):
    def make(walk_on):
        def changed(recovery, start):
            stop = walk_on(recovery, start)
            if stop.reason in ("truncated-record", "bad-length"):
                recovery.problems.clear()
                return stop._replace(offset=len(recovery.data), reason="end-of-file")
            return stop
        return changed

    around(DamagedFile, "walk_on", make)
