"""Walking over a file that may be damaged, and taking what its records say (§3, §8.3).

Bytes that do not add up to a record end a walk. A record that does not hold is left out and named
in a problem, and the walk goes on behind it.
"""
from __future__ import annotations

from collections import namedtuple
from typing import Callable

from ca3_checkpoint import Checkpoint, Checksums, decode, sound_at
from ca3_clock import decode_clock_block
from ca3_index import IndexedReader, Place, check_entry
from ca3_rebuilt import entry_of
from ca3_reader import (CHECKPOINT, CHUNK, CHUNK_HEAD, CHUNK_INDEX, CLOCK_BLOCK, COLUMNAR_CHUNK,
                        FOOTER, FRAME, HEADER, MAGIC, SCHEMA, SESSION, STREAM, STREAM_DIRECTORY,
                        SUMMARY_OFFSET, Chunk, Cursor, Violation, require, spent)

END_OF_FILE = "end-of-file"
CHUNKS = {CHUNK, COLUMNAR_CHUNK}
STATEMENTS = {HEADER, SCHEMA, STREAM, SESSION, FOOTER}  # what any walk takes
ONLY_IN_DATA = {*CHUNKS, CHECKPOINT}
# One of these tells that the summary has begun. What stands there ahead of it, the data section
# has as well.
ONLY_IN_SUMMARY = {CHUNK_INDEX, STREAM_DIRECTORY, CLOCK_BLOCK, 0x44, SUMMARY_OFFSET, 0x49}

Stop = namedtuple("Stop", "offset reason", defaults=(None, None))  # of the forward walk


class DamagedFile(IndexedReader):
    """`data` is all of the file: recovery may have to look at every byte of it."""

    def __init__(self, data: bytes):
        super().__init__(data)
        self.footer, self.end = None, len(data)
        self.checksums = Checksums(data)
        self.reported: set[tuple] = set()
        self.met_checkpoints: list[Checkpoint] = []  # oldest first
        self.met_clock = None  # of a ClockBlock record
        self.met: dict[int, Place] = {}  # chunks
        self.listed: dict[int, dict] = {}  # entries, by the offsets of their chunks
        self.taken_to = 0  # where the last chunk that was taken ends

    # What is wrong stands in the answer

    def tolerate(self, violation: Violation, offset: int) -> None:
        """A record that is met on several ways is named once."""
        report = violation.report
        report.setdefault("offset", offset)
        fault = report["kind"], report["offset"], report.get("stream_ref")
        if fault not in self.reported:
            self.reported.add(fault)
            self.budget = spent(self.budget, b"")
            self.problems.append(report)

    def skip(self, opcode: int, offset: int) -> None:
        """Recovery lists no record that may be skipped."""

    # Walks from frame to frame (§3), the forward one of steps 4 and 6 among them

    def walk_on(self, start: int) -> Stop:
        """To the end of the data section, or to the first bytes that are no record."""
        offset, violation = self.walk_frames(start, self.end_of_data(start), self.take_record)
        if violation is not None:
            self.tolerate(violation, offset)
            return Stop(offset, violation.report["kind"])
        return Stop() if self.sealed else Stop(offset, END_OF_FILE)

    def walk_head(self, end: int, take: Callable) -> None:
        """A walk beside the forward one: where it stops, a problem tells and nothing else."""
        offset, violation = self.walk_frames(len(MAGIC), end, take)
        if violation is not None:
            self.tolerate(violation, offset)

    def walk_frames(self, offset: int, end: int,
                    take: Callable) -> tuple[int, Violation | None]:
        while offset < end:
            try:
                opcode, length = self.extent(offset, end)
            except Violation as violation:
                return offset, violation
            take(Place(opcode, offset, length))
            offset += FRAME.size + length
        return offset, None

    def end_of_data(self, start: int) -> int:
        """Where the summary of a sealed file begins: as the Footer says, if a record begins there
        and no chunk or checkpoint stands behind. Else behind the last of these, ahead of the
        first record that only a summary has."""
        stated = found = None

        def look(place: Place) -> None:
            nonlocal stated, found
            if self.footer is not None and place.offset == self.footer.summary_start:
                stated = place.offset
            if place.opcode in ONLY_IN_DATA:
                stated = found = None
            elif place.opcode in ONLY_IN_SUMMARY and found is None:
                found = place.offset

        if self.sealed:
            self.walk_frames(start, self.end, look)
        return next((offset for offset in (stated, found) if offset is not None), self.end)

    # One record

    def take_statement(self, place: Place) -> None:
        if place.opcode not in STATEMENTS:
            return
        try:
            self.record(place.opcode, place.offset, self.content(place))
        except Violation as violation:
            self.tolerate(violation, place.offset)

    def take_head_and_chunks(self, place: Place) -> None:
        if place.opcode in CHUNKS:
            self.met[place.offset] = place
        self.take_statement(place)

    def take_record(self, place: Place) -> None:
        self.take_head_and_chunks(place)
        if place.opcode == CHECKPOINT:
            self.meet_checkpoint(place)
        elif place.opcode == CLOCK_BLOCK:
            self.meet_clock(place)

    def meet_checkpoint(self, place: Place) -> None:
        """One that fails a check is none; one that passes and does not decode is named."""
        found = sound_at(self.data, place.offset, self.checksums)
        if found is None:
            return
        try:
            checkpoint = decode(self.data, found)
        except Violation as violation:
            self.tolerate(violation, place.offset)
            return
        self.take_definitions(checkpoint)
        self.met_checkpoints.append(checkpoint)

    def take_definitions(self, checkpoint: Checkpoint) -> None:
        for table, name, stated in ((self.schemas, "schema_ref", checkpoint.schemas),
                                    (self.streams, "stream_ref", checkpoint.streams)):
            for entry in stated:
                try:
                    self.define(table, name, entry, checkpoint.offset)
                except Violation as violation:
                    self.tolerate(violation, checkpoint.offset)

    def meet_clock(self, place: Place) -> None:
        try:
            self.met_clock = decode_clock_block(self.content(place))
        except Violation as violation:
            self.tolerate(violation, place.offset)

    def list_entries(self, entries: list[dict]) -> None:
        """However often a chunk is listed, it comes back once."""
        for entry in entries:
            self.budget = spent(self.budget, b"")
            self.listed.setdefault(entry["chunk_offset"], entry)

    # The chunks, once all that is declared is known

    def take_chunks(self) -> list[dict]:
        """Takes the messages in file order; returns an entry for each chunk that is there."""
        taken = [self.take_chunk_at(offset) for offset in sorted({*self.met, *self.listed})]
        return [entry for entry in taken if entry is not None]

    def take_chunk_at(self, offset: int) -> dict | None:
        listed = self.listed.get(offset)
        try:
            place = self.met.get(offset) or self.listed_place(offset)
            require(offset >= self.taken_to, "index-mismatch", "a chunk inside another")
        except Violation as violation:
            self.tolerate(violation, offset)
            return None
        self.taken_to = offset + FRAME.size + place.length
        content = self.content(place)
        try:
            head = Chunk(*Cursor(content).unpack(CHUNK_HEAD))
        except Violation as violation:
            self.tolerate(violation, offset)
            return listed
        messages = self.sound_messages(place, content)
        self.budget = spent(self.budget, b"")
        return self.entry(place, head, messages, listed)

    def listed_place(self, offset: int) -> Place:
        """An entry may lead anywhere."""
        require(len(MAGIC) <= offset <= self.end - FRAME.size, "index-mismatch",
                "no chunk where an entry says")
        opcode, length = self.frame_at(offset)
        require(opcode in CHUNKS and length <= self.end - FRAME.size - offset, "index-mismatch",
                "no whole chunk where an entry says")
        return Place(opcode, offset, length)

    def sound_messages(self, place: Place, content: bytes) -> list[dict] | None:
        """All of a chunk's messages. None of them, where anything in it does not hold."""
        budget = self.budget
        try:
            messages = self.chunk_messages(place.opcode, content)
        except Violation as violation:
            self.budget = budget
            self.tolerate(violation, place.offset)
            return None
        self.messages += messages
        return messages

    def entry(self, place: Place, head: Chunk, messages: list[dict] | None,
              listed: dict | None) -> dict:
        """As it is listed. The chunk is right where the two differ."""
        found = entry_of(place, head, messages)
        if listed is None:
            return found
        try:
            check_entry(listed, head)
            require(listed["chunk_length"] == found["chunk_length"]
                    and listed["seq_first"] == found["seq_first"], "index-mismatch",
                    "an entry and its chunk differ", stream_ref=head.stream_ref)
        except Violation as violation:
            self.tolerate(violation, place.offset)
            return found
        return listed
