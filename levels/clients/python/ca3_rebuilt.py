"""Step 5 of §8.3: what recovery derives anew. A checkpoint holds entries in the order in which
chunks were closed, and a walk meets them in that order, so the order of the table, the running
maxima and the overlap bits are computed from what was recovered, never taken over.
"""
from __future__ import annotations

from ca3_index import Place
from ca3_reader import FRAME, Chunk, wrap

SEQUENCE_BIT = 8  # §6.3
# What only the recorder knew (§7.3). Zero would claim that nothing was lost.
UNKNOWN_COLUMNS = dict.fromkeys(("dropped_by_queue", "never_arrived", "reordered", "sync_quality",
                                 "sync_domain"))


def entry_of(place: Place, head: Chunk, messages: list[dict] | None) -> dict:
    """What the index says of a chunk (§7.1), but for the running maximum."""
    return {
        "chunk_offset": place.offset,
        "chunk_length": FRAME.size + place.length,
        "min_stamp_ns": head.min_stamp_ns,
        "max_stamp_ns": head.max_stamp_ns,
        "prefix_max_stamp_ns": head.max_stamp_ns,
        "message_count": head.message_count,
        "stream_ref": head.stream_ref,
        "seq_first": head.seq_first,
        "seq_last": last_sequence(head, messages),
    }


def last_sequence(head: Chunk, messages: list[dict] | None) -> int:
    """Of the last stored message, 0 where it has none. Without the messages the header alone can
    tell it, where the numbers run on (§6.4)."""
    if messages is not None:
        return (messages[-1]["sequence"] or 0) if messages else 0
    if head.field_mask & SEQUENCE_BIT or head.seq_first == 0 or head.message_count == 0:
        return 0
    return wrap(head.seq_first + head.message_count - 1)


def rebuilt_index(entries: list[dict]) -> list[dict]:
    return with_running_maxima(in_table_order(entries))


def in_table_order(entries: list[dict]) -> list[dict]:
    """§7.1; entries of one stream and one stamp as their chunks stand in the file."""
    return sorted(entries, key=lambda entry: (entry["stream_ref"], entry["min_stamp_ns"],
                                              entry["chunk_offset"]))


def with_running_maxima(entries: list[dict]) -> list[dict]:
    """prefix_max_stamp_ns over each stream's entries, in table order."""
    highest: dict[int, int] = {}
    rebuilt = []
    for entry in entries:
        ref = entry["stream_ref"]
        highest[ref] = max(highest.get(ref, 0), entry["max_stamp_ns"])
        rebuilt.append({**entry, "prefix_max_stamp_ns": highest[ref]})
    return rebuilt


def rebuilt_directory(index: list[dict], refs: list[int]) -> list[dict]:
    """One row for each declared stream, with chunks or without."""
    places: dict[int, list[int]] = {}
    for at, entry in enumerate(index):
        places.setdefault(entry["stream_ref"], []).append(at)
    return [directory_row(ref, index, places.get(ref, [])) for ref in refs]


def directory_row(ref: int, index: list[dict], places: list[int]) -> dict:
    entries = [index[at] for at in places]
    return {
        "stream_ref": ref,
        "flags": overlap_flag(entries),
        "first_index": places[0] if places else 0,
        "index_count": len(entries),
        "message_count": sum(entry["message_count"] for entry in entries),
        "chunk_count": len(entries),
        "first_stamp_ns": min((entry["min_stamp_ns"] for entry in entries), default=0),
        "last_stamp_ns": max((entry["max_stamp_ns"] for entry in entries), default=0),
        **UNKNOWN_COLUMNS,
    }


def overlap_flag(entries: list[dict]) -> int:
    """§7.3, bit 0. Where any two of a stream's chunks overlap, two neighbours do."""
    return int(any(overlap(before, entry) for before, entry in zip(entries, entries[1:])))


def overlap(before: dict, entry: dict) -> bool:
    """§7.2: one shared stamp is enough."""
    return entry["min_stamp_ns"] <= before["max_stamp_ns"]
