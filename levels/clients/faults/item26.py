"""Item 26: the walk from the last checkpoint to the end of the file."""
from __future__ import annotations

from ca3_index import Place
from ca3_reader import CHUNK, CHUNK_HEAD, COLUMNAR_CHUNK, FRAME, SCHEMA, STREAM, Chunk, Cursor
from ca3_rebuilt import entry_of, rebuilt_index
from ca3_walk import DamagedFile, Stop
from level4 import on_recovered, on_walked
from registry import around, faults_of

fault = faults_of(26)
CHUNKS = (CHUNK, COLUMNAR_CHUNK)


def walks_on_by(walk) -> None:
    """Lets `walk(recovery, start, walk_on)` go on behind the last checkpoint of a chain."""
    around(DamagedFile, "walk_on", lambda walk_on: lambda recovery, start: (
        walk(recovery, start, walk_on) if recovery.chain else walk_on(recovery, start)))


# ------------------------------------------------------------------ to the end (§8.3, step 4)


@fault("Stops at the last checkpoint.", "8.3-09")
def no_walk_behind_the_last_checkpoint(ca3):
    walks_on_by(lambda recovery, start, walk_on: (
        Stop() if recovery.sealed else Stop(start, "end-of-file")))


@fault("Says that it walked on behind the last checkpoint, and takes nothing there.", "8.3-09")
def walk_behind_takes_nothing(ca3):
    on_walked(lambda recovery, place: not recovery.chain)


@fault("Takes one chunk behind the last checkpoint.", "8.3-09")
def one_chunk_behind_the_last_checkpoint(ca3):
    on_walked(lambda recovery, place: not (
        recovery.chain and recovery.met and place.opcode in CHUNKS))


@fault("Begins the walk behind the record that follows the last checkpoint.", "8.3-09")
def walk_behind_begins_too_late(ca3):
    def walk(recovery, start, walk_on):
        head = recovery.data[start:start + FRAME.size]
        length = FRAME.unpack(head)[1] if len(head) == FRAME.size else 0
        late = start + FRAME.size + length
        return walk_on(recovery, late if late <= recovery.end else start)

    walks_on_by(walk)


@fault("Checks no chunk's CRC where it recovers.", "8.3-09")
def recovered_chunks_unchecked(ca3):
    ca3.check_crc = lambda stored, expected: None


# ------------------------------------------------------------------ complete chunks


@fault("Lists the chunk that the end of the file cuts.", "8.3-10")
def cut_chunk_listed(ca3):
    def change(recovery, result):
        offset = result["stopped_at"]
        head = recovery.data[offset:][:FRAME.size + CHUNK_HEAD.size] if offset else b""
        if len(head) == FRAME.size + CHUNK_HEAD.size and head[0] in CHUNKS:
            place = Place(head[0], offset, FRAME.unpack_from(head)[1])
            entry = entry_of(place, Chunk(*Cursor(head[FRAME.size:]).unpack(CHUNK_HEAD)), None)
            result["entries"] = rebuilt_index([*result["entries"], entry])

    on_recovered(change)


@fault("Leaves the last chunk out, complete or not.", "8.3-10", "8.3-09")
def last_chunk_left_out(ca3):
    around(DamagedFile, "take_chunks", lambda take: lambda recovery: (
        recovery.met.popitem() if recovery.met and not recovery.sealed else None,
        take(recovery))[1])


# ------------------------------------------------------------------ definitions behind


@fault("Looks behind the last checkpoint for chunks and for nothing else.", "8.3-11")
def definitions_behind_ignored(ca3):
    on_walked(lambda recovery, place: not recovery.chain or place.opcode in CHUNKS)


@fault("Looks for Schemas behind the last checkpoint, and not for Streams.", "8.3-11")
def streams_behind_ignored(ca3):
    on_walked(lambda recovery, place: not recovery.chain or place.opcode != STREAM)


@fault("Looks for Streams behind the last checkpoint, and not for Schemas.", "8.3-11")
def schemas_behind_ignored(ca3):
    on_walked(lambda recovery, place: not recovery.chain or place.opcode != SCHEMA)


@fault("Recovers the messages of streams that nothing declares.", "8.3-11")
def undeclared_streams_recovered(ca3):
    DamagedFile.resolve_stream = lambda recovery, ref: None


@fault("Recovers no stream that only the walk met, and the messages of it all the same.", "8.3-11")
def streams_behind_left_out(ca3):
    def change(recovery, result):
        stated = {stream["stream_ref"] for one in recovery.chain for stream in one.streams}
        if recovery.chain:
            result["streams"] = [one for one in result["streams"] if one["stream_ref"] in stated]

    on_recovered(change)
