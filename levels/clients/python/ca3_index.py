"""What the summary of a sealed file says: its groups, the chunk index, the stream directory, the
definitions and the clocks (§7, §13). Of the data section only frames are read, until a query
wants a chunk.
"""
from __future__ import annotations

import contextlib
import struct
from collections import namedtuple
from typing import Callable, Iterator

from ca3_clock import Clocks, decode_clock_block
from ca3_reader import (ANSWER_LIMIT, CHECKPOINT, CHUNK, CHUNK_HEAD, CHUNK_INDEX, CLOCK_BLOCK,
                        COLUMNAR_CHUNK, FEATURES_END, FOOTER, FOOTER_BYTES, FOOTER_FROM_END, FRAME,
                        HEADER, MAGIC, PADDING, SCHEMA, STREAM, STREAM_DIRECTORY, SUMMARY_OFFSET,
                        Chunk, Cursor, Reader, Violation, check_crc, is_skippable, require)

FOOTER_LAYOUT = struct.Struct("<QQQI")  # §13.1
Footer = namedtuple("Footer", "summary_start summary_offset_start last_checkpoint_offset crc")
Place = namedtuple("Place", "opcode offset length")  # of a record; the length is its content's
Group = namedtuple("Group", "opcode start length")  # of records of one kind, with their frames

ENTRY_FIELDS = """chunk_offset:u64 chunk_length:u64 min_stamp_ns:u64 max_stamp_ns:u64
    prefix_max_stamp_ns:u64 message_count:u32 stream_ref:u32 seq_first:u32 seq_last:u32"""
PREFIX_FIELDS = """stream_ref:u32 flags:u32 first_index:u32 index_count:u32 message_count:u64
    chunk_count:u64 first_stamp_ns:u64 last_stamp_ns:u64 dropped_by_queue:u64 never_arrived:u64
    reordered:u64 sync_quality:u8"""
ENTRY_BYTES, PREFIX_BYTES = 56, 73  # what these fields take; a later version's take more
NEVER_IN_SUMMARY = {HEADER, FOOTER, CHUNK, COLUMNAR_CHUNK, CHECKPOINT}
GROUP_FIELDS = "opcode:u8 start:u64 length:u64"


class IndexedReader(Reader):
    """Opens a sealed file from its end. `data` fetches what is looked at, and nothing else."""

    def __init__(self, data):
        super().__init__(data)
        self.fetched: set[int] = set()  # offsets of the chunks whose content was fetched

    def open(self) -> None:
        self.data.keep(0, FEATURES_END)  # §3.3: 25 bytes decide
        super().open()
        require(self.sealed, "truncated-record", "not sealed: there is no summary to go by")
        self.data.keep(len(self.data) - FOOTER_FROM_END, len(self.data))
        self.end = self.end_of_records()
        self.footer = self.read_footer()
        self.check_sections()
        self.walk_spine()
        self.data.keep(self.footer.summary_start, self.end)
        self.check_summary()
        self.stated = self.stated_groups() if self.has_offsets() else []
        self.groups = self.locate_groups()
        self.check_groups()
        self.load_definitions()
        self.load_tables()
        self.load_clocks()

    # The Footer and the sections (§2.2, §13.1)

    def read_footer(self) -> Footer:
        start = self.end + FRAME.size
        return Footer(*FOOTER_LAYOUT.unpack(self.data[start:start + FOOTER_BYTES]))

    def check_sections(self) -> None:
        start = self.footer.summary_start
        require(start != 0, "other", "the file has no summary", offset=self.end)
        require(len(MAGIC) <= start <= self.summary_end() <= self.end, "bad-length",
                "the Footer's offsets are no sections of this file", offset=self.end)

    def summary_end(self) -> int:
        """The offset section is no part of the summary; where there is none, the Footer ends it."""
        return self.footer.summary_offset_start or self.end

    def check_summary(self) -> None:
        start = self.footer.summary_start
        check_crc(self.data[start:self.summary_end()], self.footer.crc)

    # Records in a stretch of the file, by their frames alone

    def places(self, offset: int, end: int) -> Iterator[Place]:
        while offset < end:
            with blamed_on(offset):
                opcode, length = self.extent(offset, end)
            yield Place(opcode, offset, length)
            offset += FRAME.size + length

    def content(self, place: Place) -> bytes:
        start = place.offset + FRAME.size
        return self.data[start:start + place.length]

    def walk_spine(self) -> None:
        """§16 item 16: every record of the data section is met, so none is passed over that must
        be understood. The walk has to end where the summary starts."""
        self.spine = list(self.places(len(MAGIC), self.footer.summary_start))
        for place in self.spine[1:]:
            require(place.opcode not in (HEADER, FOOTER), "bad-order",
                    "a Header or Footer inside the data section", offset=place.offset)
        require(self.spine != [], "bad-order", "no Header ahead of the summary")
        self.record(HEADER, self.spine[0].offset, self.content(self.spine[0]))
        self.chunks = {place.offset: place for place in self.spine
                       if place.opcode in (CHUNK, COLUMNAR_CHUNK)}

    # Summary groups (§13.4)

    def locate_groups(self) -> list[Group]:
        return self.stated if self.has_offsets() else self.met_groups()

    def has_offsets(self) -> bool:
        return self.footer.summary_offset_start != 0

    def stated_groups(self) -> list[Group]:
        """As the SummaryOffset records say."""
        groups = []
        for place in self.places(self.footer.summary_offset_start, self.end):
            require(is_skippable(place.opcode), "bad-order", "a record behind the summary",
                    offset=place.offset)
            if place.opcode == SUMMARY_OFFSET:
                with blamed_on(place.offset):
                    groups.append(Group(**Cursor(self.content(place)).fields(GROUP_FIELDS)))
        return groups

    def met_groups(self) -> list[Group]:
        """Without an offset section: as the records stand, a group for each."""
        return [Group(place.opcode, place.offset, FRAME.size + place.length)
                for place in self.summary_places() if place.opcode != PADDING]

    def summary_places(self) -> Iterator[Place]:
        return self.places(self.footer.summary_start, self.summary_end())

    def check_groups(self) -> None:
        """Any group may be absent. One that is there and that no SummaryOffset leads to would be
        passed over, which must not happen to a record that must be understood (§3.1)."""
        for group in self.groups:
            require(self.is_inside_summary(group), "bad-length", "a group outside the summary",
                    offset=group.start)
        for place in self.summary_places():
            require(place.opcode not in NEVER_IN_SUMMARY, "bad-order",
                    "a record of the data section in the summary", offset=place.offset)
            require(is_skippable(place.opcode) or self.is_listed(place), "index-mismatch",
                    "a record that no SummaryOffset leads to", opcode=place.opcode,
                    offset=place.offset)

    def is_inside_summary(self, group: Group) -> bool:
        start, end = group.start, group.start + group.length
        return self.footer.summary_start <= start and end <= self.summary_end()

    def is_listed(self, place: Place) -> bool:
        return any(group.opcode == place.opcode
                   and group.start <= place.offset < group.start + group.length
                   for group in self.groups)

    def group(self, opcode: int) -> list[Place]:
        """The records of one kind, [] where the summary has none of it."""
        found = []
        for group in self.groups:
            if group.opcode == opcode:
                found += self.places(group.start, group.start + group.length)
        for place in found:
            require(place.opcode == opcode, "index-mismatch", "a group with another kind in it",
                    offset=place.offset)
        return found

    def single(self, opcode: int, decode: Callable, absent):
        """What a record says that stands once or not at all."""
        found = self.group(opcode)
        require(len(found) <= 1, "index-mismatch", "a table stands twice", opcode=opcode)
        for place in found:
            with blamed_on(place.offset):
                return decode(self.content(place))
        return absent

    # What the groups hold

    def load_definitions(self) -> None:
        """§5: the summary restates them. A summary without the group leaves the data section."""
        for opcode in (SCHEMA, STREAM):
            in_data = [place for place in self.spine if place.opcode == opcode]
            for place in self.group(opcode) or in_data:
                with blamed_on(place.offset):
                    self.record(opcode, place.offset, self.content(place))
        self.check_schemas()

    def load_tables(self) -> None:
        self.entries = self.single(CHUNK_INDEX, decode_index, absent=[])
        self.directory = self.single(STREAM_DIRECTORY, decode_directory, absent=[])
        for row in self.entries + self.directory:
            self.resolve_stream(row["stream_ref"])

    def load_clocks(self) -> None:
        block = self.single(CLOCK_BLOCK, decode_clock_block, absent=None)
        self.clocks = Clocks(self.header, block, self.streams)

    # One stream's part of the index (§7.3)

    def directory_entry(self, ref: int) -> dict | None:
        return next((row for row in self.directory if row["stream_ref"] == ref), None)

    def entries_of(self, ref: int) -> list[dict]:
        """In table order: by min_stamp_ns (§7.1). Chunks without a table are not no chunks."""
        require(self.group(CHUNK_INDEX) or not self.chunks, "index-mismatch",
                "chunks, and no index of them")
        row = self.directory_entry(ref)
        if row is None:
            return [entry for entry in self.entries if entry["stream_ref"] == ref]
        entries = sub_array(self.entries, row)
        require(len(entries) == row["index_count"]
                and all(entry["stream_ref"] == ref for entry in entries), "index-mismatch",
                "the directory leads to entries of another stream", stream_ref=ref)
        return entries

    def chunks_overlap(self, ref: int) -> bool:
        """Where nothing says that they do not, they may."""
        row = self.directory_entry(ref)
        return row is None or has_overlap_bit(row["flags"])

    # One chunk

    def messages_of(self, entry: dict) -> list[dict]:
        """The messages of the chunk that an entry leads to, in stored order."""
        with blamed_on(entry["chunk_offset"]):
            place = self.chunk_place(entry)
            content = self.fetch_chunk(place)
            check_entry(entry, Chunk(*Cursor(content).unpack(CHUNK_HEAD)))
            self.budget = ANSWER_LIMIT  # each chunk's own: what a query keeps is counted there
            return self.chunk_messages(place.opcode, content)

    def chunk_place(self, entry: dict) -> Place:
        place = self.chunks.get(entry["chunk_offset"])
        require(place is not None and entry["chunk_length"] == FRAME.size + place.length,
                "index-mismatch", "no such chunk where the index says",
                stream_ref=entry["stream_ref"])
        return place

    def fetch_chunk(self, place: Place) -> bytes:
        self.fetched.add(place.offset)
        return self.content(place)


@contextlib.contextmanager
def blamed_on(offset: int):
    """Names the record at fault in what goes wrong meanwhile."""
    try:
        yield
    except Violation as violation:
        violation.report.setdefault("offset", offset)
        raise


def decode_index(content: bytes) -> list[dict]:
    return index_entries(Cursor(content))


def index_entries(cursor: Cursor) -> list[dict]:
    """§7.1, §8.1: entries of one stated size, of which the leading bytes are known."""
    entry_size, count = cursor.u32(), cursor.u32()
    check_entry_size(entry_size, ENTRY_BYTES)
    return [Cursor(cursor.take(stride(entry_size))).fields(ENTRY_FIELDS) for _ in range(count)]


def stride(entry_size: int) -> int:
    return entry_size  # as stored, never a constant


def decode_directory(content: bytes) -> list[dict]:
    """§7.3: here the stated size is that of a prefix, and a string follows each."""
    cursor = Cursor(content)
    entry_size, count = cursor.u32(), cursor.u32()
    check_entry_size(entry_size, PREFIX_BYTES)
    return [directory_row(cursor, entry_size) for _ in range(count)]


def directory_row(cursor: Cursor, entry_size: int) -> dict:
    prefix = Cursor(cursor.take(prefix_size(entry_size)))
    return {**prefix.fields(PREFIX_FIELDS), "sync_domain": cursor.string()}


def prefix_size(entry_size: int) -> int:
    return entry_size


def check_entry_size(stored: int, known: int) -> None:
    require(stored >= known, "bad-entry-size", f"entry_size {stored}, below {known}", value=stored)


def sub_array(entries: list[dict], row: dict) -> list[dict]:
    return entries[row["first_index"]:row["first_index"] + row["index_count"]]


def has_overlap_bit(flags: int) -> bool:
    return flags & 1 == 1


def check_entry(entry: dict, chunk: Chunk) -> None:
    """A chunk that is not the one described must not answer for it."""
    for field in ("stream_ref", "message_count", "min_stamp_ns", "max_stamp_ns"):
        require(entry[field] == getattr(chunk, field), "index-mismatch",
                f"the index and its chunk differ in {field}", stream_ref=entry["stream_ref"])
