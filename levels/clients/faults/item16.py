"""Item 16: the spine is walked, or it is said not to be."""
from __future__ import annotations

import ca3_query
from ca3_index import IndexedReader
from ca3_reader import CHUNK, COLUMNAR_CHUNK, RESERVED
from level2 import walk_to
from registry import around, faults_of

fault = faults_of(16)


def tolerated(opcodes) -> None:
    """Lets the walk at open pass over `opcodes`, as if they were skippable."""
    around(IndexedReader, "check_opcode", lambda check: lambda reader, opcode, offset: (
        None if opcode in opcodes else check(reader, opcode, offset)))


def header_alone(reader, place) -> bool:
    return True


def walk_only_for(wanted) -> None:
    """Walks where `wanted(operation)` says so, and claims it always."""
    walked = IndexedReader.walk_spine, IndexedReader.chunk_place
    walk_to(header_alone)
    unwalked = IndexedReader.walk_spine, IndexedReader.chunk_place

    def make(ask):
        def changed(source, request):
            IndexedReader.walk_spine, IndexedReader.chunk_place = (
                walked if wanted(request["op"]) else unwalked)
            return ask(source, request)
        return changed

    around(ca3_query, "ask", make)


@fault("Claims a walk that it does not make.", "16-02", "16-03")
def walk_only_claimed(ca3):
    walk_to(header_alone)


@fault("Walks from frame to frame and looks at no opcode.", "16-02", "16-03")
def walk_without_opcodes(ca3):
    tolerated(range(256))


@fault("Passes over unknown must-understand records.", "16-02", "16-03")
def walk_over_unknown(ca3):
    tolerated(set(range(0x0F, 0x40)))


@fault("Passes over reserved records.", "16-02")
def walk_over_reserved(ca3):
    tolerated(set(RESERVED))


@fault("Passes over opcode 0x00.", "16-02")
def walk_over_zero(ca3):
    tolerated({0})


@fault("Passes over private must-understand records.", "16-02")
def walk_over_private(ca3):
    tolerated(set(range(0x80, 0xC0)))


@fault("Walks up to the first chunk.", "16-02")
def walk_to_the_first_chunk(ca3):
    walk_to(lambda reader, place: place.opcode in (CHUNK, COLUMNAR_CHUNK))


@fault("Begins the walk at the first chunk.", "16-02")
def walk_from_the_first_chunk(ca3):
    def make(check):
        def changed(reader, opcode, offset):
            reader.met_chunk = getattr(reader, "met_chunk", False) or opcode == CHUNK
            if reader.met_chunk:
                check(reader, opcode, offset)
        return changed

    around(IndexedReader, "check_opcode", make)


@fault("Walks as far as the index has chunks.", "16-02")
def walk_to_the_last_chunk(ca3):
    def make(walk):
        def changed(reader):
            met = IndexedReader.check_opcode
            IndexedReader.check_opcode = lambda *place: None
            try:
                walk(reader)
            finally:
                IndexedReader.check_opcode = met
            last = max(reader.chunks, default=0)
            for place in reader.spine:
                if place.offset <= last:
                    reader.check_opcode(place.opcode, place.offset)
        return changed

    around(IndexedReader, "walk_spine", make)


@fault("Walks for index alone.", "16-02", "16-03")
def walk_for_index_only(ca3):
    walk_only_for(lambda operation: operation == "index")


@fault("Walks for queries and not for index.", "16-02", "16-03")
def walk_for_queries_only(ca3):
    walk_only_for(lambda operation: operation != "index")


@fault("Takes a read, whatever came of it, for the walk of every later answer.", "16-03")
def walk_left_to_read(ca3):
    been_read = []
    walk_only_for(lambda operation: not been_read)
    around(ca3, "read_file", lambda read_file: lambda path: (
        been_read.append(path), read_file(path))[1])
