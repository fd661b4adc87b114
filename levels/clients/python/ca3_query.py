"""What is asked of an indexed file (§7.4, §9): the index itself, the state at an instant, a
window, and what the sequences say of losses.
"""
from __future__ import annotations

from bisect import bisect_right

from ca3_clock import StreamClock, reasons_at
from ca3_index import IndexedReader
from ca3_reader import ANSWER_LIMIT, require, spent

LARGEST_SEQUENCE = 2**32 - 1  # §6.4: 1 comes after it
SPINE = "walked"  # §16 item 16: IndexedReader.walk_spine meets every record at open


def ask(source, request: dict) -> dict:
    reader = IndexedReader(source)
    reader.open()
    return OPERATIONS[request["op"]](Query(reader), request)


class Query:
    def __init__(self, reader: IndexedReader):
        self.reader = reader
        self.budget = ANSWER_LIMIT  # for the messages of the answer

    def index(self) -> dict:
        """The tables as they are stored."""
        groups = [group._asdict() for group in self.reader.stated]
        return {"entries": self.reader.entries, "directory": self.reader.directory,
                "summary_groups": groups, "spine": SPINE}

    def state_at(self, t: int, refs: list[int]) -> dict:
        return self.found(results=[self.state_of(ref, t) for ref in sorted(set(refs))])

    def window(self, t1: int, t2: int, refs: list[int]) -> dict:
        return self.found(messages=[message for ref in refs
                                    for message in self.window_of(ref, t1, t2)])

    def loss(self) -> dict:
        return {"streams": [self.loss_of(ref) for ref in self.declared()]}

    def declared(self) -> list[int]:
        return sorted(self.reader.streams)

    def found(self, **result) -> dict:
        return {**result, "chunks_read": sorted(self.reader.fetched), "spine": SPINE}

    def afford(self, messages: list[dict]) -> None:
        for message in messages:
            self.budget = spent(self.budget, message["payload"])

    def afford_texts(self, *texts: str) -> None:
        for text in texts:
            self.budget = spent(self.budget, text.encode())

    # Time. The query is moved onto the stream's clock, the index is never mapped (§9.1), and no
    # result goes out without its basis (§10.12).

    def clock_of(self, ref: int) -> StreamClock:
        self.reader.resolve_stream(ref)
        return self.reader.clocks.of(self.reader.streams[ref])

    def label(self, message: dict | None, clock: StreamClock) -> dict:
        time = message and in_range(clock.to_reference(stamp_of(message)))
        within = self.reasons_of(message) if message else []
        return {"basis": clock.basis, "time": time, "degraded": within + clock.reasons()}

    def reasons_of(self, message: dict) -> list[str]:
        """§10.12: of the degraded intervals of the message's stream that hold its stamp."""
        intervals = self.reader.clocks.intervals_of(message["stream_ref"])
        reasons = reasons_at(intervals, stamp_of(message))
        self.afford_texts(*reasons)
        return reasons

    # §9.1

    def state_of(self, ref: int, t: int) -> dict:
        clock = self.clock_of(ref)
        message = self.last_message(ref, clock.to_stream(t))
        self.afford([message] if message else [])
        return {"stream_ref": ref, "message": message, **self.label(message, clock)}

    def last_message(self, ref: int, t: int) -> dict | None:
        """The last one of a stream at or before an instant of its own clock."""
        entries = self.reader.entries_of(ref)
        at = last_started(entries, t)
        if at < 0:
            return None
        if self.reader.chunks_overlap(ref):
            return self.scan_back(entries, at, t)
        return self.last_in_chunk(entries[at], t)

    def scan_back(self, entries: list[dict], at: int, t: int) -> dict | None:
        """Where chunks overlap, an earlier one may hold a later message."""
        best = self.last_in_chunk(entries[at], t)
        while at > 0 and may_hold_later(entries[at - 1], best):
            at -= 1
            found = self.last_in_chunk(entries[at], t)
            if is_later(found, best):
                best = found
        return best

    def last_in_chunk(self, entry: dict, t: int) -> dict | None:
        """All of the chunk is looked at: its sorted bit would only save time (§6.1)."""
        best = None
        for message in self.reader.messages_of(entry):
            if is_reached(stamp_of(message), t) and replaces(message, best):
                best = message
        return best

    # §9.2

    def window_of(self, ref: int, t1: int, t2: int) -> list[dict]:
        clock = self.clock_of(ref)
        if t1 > t2:
            return []
        low, high = clock.to_stream(t1), clock.to_stream(t2)
        runs = [self.part_of(entry, low, high) for entry in self.reader.entries_of(ref)
                if reaches_into(entry, low, high)]
        return [{**message, **self.label(message, clock)} for message in merge(runs)]

    def part_of(self, entry: dict, low: int, high: int) -> list[dict]:
        part = [message for message in self.reader.messages_of(entry)
                if is_inside(stamp_of(message), low, high)]
        self.afford(part)
        return part

    # §7.4

    def loss_of(self, ref: int) -> dict:
        stream = self.reader.streams[ref]
        sequences = self.sequences_of(ref)
        alone = self.streams_on(stream["topic"]) == 1
        verdict, missing = judge_loss(sequences, alone)
        return {"stream_ref": ref, "topic": stream["topic"], "missing": missing, "verdict": verdict}

    def streams_on(self, topic: str) -> int:
        """Counted from the Stream records: one that never sent anything counts as well."""
        return sum(stream["topic"] == topic for stream in self.reader.streams.values())

    def sequences_of(self, ref: int) -> list[int | None]:
        """Over all chunks, by stamp: what came late stands where it belongs."""
        runs = [[(stamp_of(message), message["sequence"])
                 for message in self.reader.messages_of(entry)]
                for entry in self.reader.entries_of(ref)]
        pairs = sorted((pair for run in runs for pair in run), key=lambda pair: pair[0])
        return [sequence for _, sequence in pairs]


def stamp_of(message: dict) -> int:
    return message["monotonic_timestamp_ns"]


def in_range(time: int) -> int:
    """A time that 64 bits cannot hold is reported, neither wrapped nor cut down to them."""
    require(0 <= time < 2**64, "limit-exceeded", f"a time outside 64 bits: {time}")
    return time


def last_started(entries: list[dict], t: int) -> int:
    """The place of the last entry with min_stamp_ns at or before t, -1 where there is none."""
    return bisect_right([entry["min_stamp_ns"] for entry in entries], t) - 1


def may_hold_later(entry: dict, best: dict | None) -> bool:
    """§9.1: whether this entry or one before it reaches past the best stamp found."""
    return best is None or entry["prefix_max_stamp_ns"] > stamp_of(best)


def is_later(found: dict | None, best: dict | None) -> bool:
    """Between chunks: at equal stamps the entry later in the table, found first, stays."""
    return found is not None and (best is None or stamp_of(found) > stamp_of(best))


def is_reached(stamp: int, t: int) -> bool:
    return stamp <= t


def replaces(message: dict, best: dict | None) -> bool:
    """Within a chunk: at equal stamps the later record."""
    return best is None or stamp_of(message) >= stamp_of(best)


def reaches_into(entry: dict, low: int, high: int) -> bool:
    return entry["max_stamp_ns"] >= low and entry["min_stamp_ns"] <= high


def is_inside(stamp: int, low: int, high: int) -> bool:
    return low <= stamp <= high


def merge(runs: list[list[dict]]) -> list[dict]:
    """By stamp over all of a stream's chunks. Python's sort keeps the order of equals: that of
    the table, and within a chunk that of the records."""
    return sorted((message for run in runs for message in run), key=stamp_of)


def judge_loss(sequences: list[int | None], alone: bool) -> tuple[str, int | None]:
    """§7.4: a gap is a loss only where the stream is the only one on its topic."""
    known = [sequence for sequence in sequences if sequence is not None]
    if not known:
        return "indeterminate", None
    missing = count_missing(known)
    if missing == 0:
        return "none", 0
    if not alone or len(known) < len(sequences):
        return "indeterminate", None
    return "loss", missing


def count_missing(sequences: list[int]) -> int:
    """How many numbers between the first and the last are nobody's. Each is given a position on
    an endless line, so that the step from the largest number to 1 is one step."""
    position, held = 0, {0}
    for before, after in zip(sequences, sequences[1:]):
        position += step(before, after)
        held.add(position)
    return max(held) - min(held) + 1 - len(held)


def step(before: int, after: int) -> int:
    """§6.4: by the shorter way round; a step back is a message that came late."""
    forward = (after - before) % LARGEST_SEQUENCE
    return forward if forward <= LARGEST_SEQUENCE // 2 else forward - LARGEST_SEQUENCE


def instant(value) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    require(is_number or isinstance(value, str) and is_decimal(value), "other",
            "no instant in nanoseconds")
    return int(value)


def is_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 20  # as long as 64 bits ever get


def references(query: Query, value) -> list[int]:
    if value is None:
        return query.declared()
    require(isinstance(value, list), "other", "streams is no list")
    return [instant(ref) for ref in value]


OPERATIONS = {
    "index": lambda query, request: query.index(),
    "state_at": lambda query, request: query.state_at(
        instant(request.get("t")), references(query, request.get("streams"))),
    "window": lambda query, request: query.window(
        instant(request.get("t1")), instant(request.get("t2")),
        references(query, request.get("streams"))),
    "loss": lambda query, request: query.loss(),
}
