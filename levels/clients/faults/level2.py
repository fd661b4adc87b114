"""Ways to spoil level 2 that faults of several items share."""
from __future__ import annotations

from typing import Callable

import ca3_index
from ca3_index import IndexedReader, Place
from ca3_query import Query
from ca3_reader import CHUNK_HEAD, COLUMNAR_CHUNK, FRAME, HEADER, MAGIC, Chunk, Cursor
from registry import around

LARGEST_SIGNED = 2**63 - 1


def on_index(change: Callable) -> None:
    """Lets `change(reader, result)` alter what `index` says."""
    def make(index):
        def changed(query):
            result = index(query)
            result["entries"] = [dict(entry) for entry in result["entries"]]
            result["directory"] = [dict(row) for row in result["directory"]]
            change(query.reader, result)
            return result
        return changed

    around(Query, "index", make)


def on_tables(change: Callable) -> None:
    """Lets `change(reader)` alter the tables as soon as they are loaded."""
    around(IndexedReader, "load_tables", lambda load: lambda reader: (load(reader), change(reader)))


def on_entries(change: Callable) -> None:
    """Lets `change(reader, ref, entries)` alter a stream's part of the index."""
    around(IndexedReader, "entries_of", lambda entries_of: lambda reader, ref: change(
        reader, ref, entries_of(reader, ref)))


def entries_by(select: Callable) -> None:
    """Lets `select(reader, row)` choose a stream's entries, and nothing check them."""
    def entries_of(reader, ref):
        row = reader.directory_entry(ref)
        return select(reader, row) if row else []

    IndexedReader.entries_of = entries_of


def without_columns(reader, ref, entries):
    return [entry for entry in entries if not is_columnar(reader, entry)]


def is_columnar(reader, entry) -> bool:
    return reader.chunk_place(entry).opcode == COLUMNAR_CHUNK


def head_of(reader, entry) -> Chunk:
    return Chunk(*Cursor(reader.fetch_chunk(reader.chunk_place(entry))).unpack(CHUNK_HEAD))


def signed(value: int) -> int:
    return value - 2**64 if value > LARGEST_SIGNED else value


def running_maximum(entries: list[dict]) -> None:
    """Recomputes prefix_max_stamp_ns in the order given, over whatever streams there are."""
    highest = 0
    for entry in entries:
        highest = max(highest, entry["max_stamp_ns"])
        entry["prefix_max_stamp_ns"] = highest


def overlap_bits(reader, overlap: Callable) -> None:
    """Recomputes chunks_overlap by `overlap(entry before, entry)`."""
    for row in reader.directory:
        entries = ca3_index.sub_array(reader.entries, row)
        bit = any(overlap(before, entry) for before, entry in zip(entries, entries[1:]))
        row["flags"] = row["flags"] & ~1 | bit


def decode_all_chunks(reader) -> None:
    for entry in reader.entries:
        reader.messages_of(entry)


def after_open(act: Callable) -> None:
    around(IndexedReader, "open", lambda open_: lambda reader: (open_(reader), act(reader))[0])


def walk_to(last: Callable) -> None:
    """Walks the spine only while `last(reader, place)` is false. Chunks behind are found by their
    entries."""
    def walk_spine(reader):
        reader.spine = []
        for place in reader.places(len(MAGIC), reader.footer.summary_start):
            reader.spine.append(place)
            if last(reader, place):
                break
        reader.record(HEADER, reader.spine[0].offset, reader.content(reader.spine[0]))
        reader.chunks = {}

    def chunk_place(reader, entry):
        opcode, length = FRAME.unpack(reader.data[entry["chunk_offset"]:][:FRAME.size])
        return Place(opcode, entry["chunk_offset"], length)

    IndexedReader.walk_spine, IndexedReader.chunk_place = walk_spine, chunk_place
