"""Level 4: what can be saved of a file whose writer was killed, or that is damaged (§8.3).

A Recovery takes one of three ways: through the summary, along the chain of checkpoints and on from
the last of them, or over all records from the Header on. Each collects definitions and the places
of chunks; the chunks are decoded when all of it is known. Behind the magic and the features
nothing refuses the file: what does not hold is left out and named in a problem.
"""
from __future__ import annotations

from collections import namedtuple

from ca3_checkpoint import Candidate, Checkpoint, chain_from, decode, newest, sound_at
from ca3_clock import decode_clock_block, told
from ca3_index import Footer, decode_directory, decode_index
from ca3_rebuilt import rebuilt_directory, rebuilt_index
from ca3_reader import (CHUNK_INDEX, CLOCK_BLOCK, FEATURES_END, FOOTER, FOOTER_BYTES,
                        FOOTER_FROM_END, MAGIC, SCHEMA, SESSION, STREAM, STREAM_DIRECTORY, Reader,
                        Violation)
from ca3_walk import DamagedFile, Stop

BY_SUMMARY, BY_CHAIN, BY_SPINE = "summary", "checkpoint-chain", "spine-walk"

Summary = namedtuple("Summary", "definitions entries directory clock")


def ask(source, request: dict) -> dict:
    return OPERATIONS[request["op"]](source)


class Recovery(DamagedFile):
    """§8.3, step by step."""

    def __init__(self, data: bytes):
        super().__init__(data)
        self.chain: list[Checkpoint] = []  # newest first

    def recover(self) -> dict:
        self.open()
        summary = self.find_summary()
        chain = self.find_chain() if summary is None else None
        if summary is not None:
            method, stop = BY_SUMMARY, self.take_summary(summary)
        elif chain is not None:
            method, stop = BY_CHAIN, self.take_chain(chain)
        else:
            method, stop = BY_SPINE, self.take_spine()
        entries = rebuilt_index(self.take_chunks())
        self.check_schemas()
        refs = sorted(self.streams)
        return {
            "sealed": self.sealed,
            "truncated": self.is_truncated(),
            "complete": self.is_complete(method),
            "method": method,
            "checkpoints": [{"offset": one.offset, "checkpoint_seq": one.checkpoint_seq}
                            for one in self.lenders(method)],
            "stopped_at": stop.offset,
            "stop_reason": stop.reason,
            "header": self.header,
            "session": self.session,
            "schemas": [self.schemas[ref] for ref in sorted(self.schemas)],
            "streams": [self.streams[ref] for ref in refs],
            "entries": summary.entries if summary else entries,
            "directory": summary.directory if summary else rebuilt_directory(entries, refs),
            "messages": self.messages,
            "clock": clock_told(summary.clock if summary else self.newest_clock()),
            "problems": self.problems,
        }

    def is_truncated(self) -> bool:
        """§8.4. A sealed file is whole to its end, however damaged."""
        return not self.sealed

    def is_complete(self, method: str) -> bool:
        """§8.4: what was recovered otherwise may always lack something."""
        return method == BY_SUMMARY and not self.problems

    def lenders(self, method: str) -> list[Checkpoint]:
        """The checkpoints of the chain; of another method, those that said something."""
        if method == BY_CHAIN:
            return self.chain
        return [one for one in reversed(self.met_checkpoints) if lends(one)]

    def newest_clock(self) -> dict | None:
        """§8.3, step 3: the newest block that is not empty."""
        return next((one.clock for one in [*self.chain, *reversed(self.met_checkpoints)]
                     if one.clock is not None), self.met_clock)

    # Step 1: sealed, and the summary verifies

    def open(self) -> None:
        Reader.open(self)
        self.footer = self.find_footer()
        self.end = self.end_of_walk()

    def check_features(self) -> None:
        """§3.3, §2.4: the features refuse. A cut or damaged Header does not."""
        if len(self.data) >= FEATURES_END:
            self.refuse_missing_features()

    def find_footer(self) -> Footer | None:
        self.end = len(self.data) - FOOTER_FROM_END
        has_footer = self.sealed and self.frame_at(self.end) == (FOOTER, FOOTER_BYTES)
        return self.read_footer() if has_footer else None

    def end_of_walk(self) -> int:
        """Ahead of the Footer, or of a trailing magic that has none."""
        if self.footer is not None:
            return len(self.data) - FOOTER_FROM_END
        return len(self.data) - (len(MAGIC) if self.sealed else 0)

    def find_summary(self) -> Summary | None:
        """None falls through to step 2."""
        if self.footer is None or not self.summary_verifies():
            return None
        try:
            return self.read_summary()
        except Violation as violation:
            self.tolerate(violation, self.footer.summary_start)
            return None

    def summary_verifies(self) -> bool:
        try:
            self.check_sections()
            self.check_summary()
        except Violation:
            return False
        return True

    def read_summary(self) -> Summary:
        self.stated = self.stated_groups() if self.has_offsets() else []
        self.groups = self.locate_groups()
        self.check_groups()
        definitions = [place for opcode in (SCHEMA, STREAM, SESSION)
                       for place in self.group(opcode)]
        return Summary(definitions, self.single(CHUNK_INDEX, decode_index, absent=[]),
                       self.single(STREAM_DIRECTORY, decode_directory, absent=[]),
                       self.single(CLOCK_BLOCK, decode_clock_block, absent=None))

    def take_summary(self, summary: Summary) -> Stop:
        """Chunks that no entry names are met by the walk: they are part of the recording."""
        self.walk_head(self.footer.summary_start, self.take_head_and_chunks)
        for place in summary.definitions:
            self.take_statement(place)
        self.list_entries(summary.entries)
        return Stop()

    # Steps 2 and 3: the last checkpoint, and the chain from there

    def find_chain(self) -> list[Checkpoint] | None:
        """None leads to step 6."""
        last = self.last_checkpoint()
        links = chain_from(self.data, last, self.checksums) if last is not None else None
        if links is None:
            return None
        try:
            return [self.decoded(link) for link in links]
        except Violation as violation:
            self.tolerate(violation, last.offset)
            return None

    def last_checkpoint(self) -> Candidate | None:
        """By the Footer, where it names one; otherwise by its sentinel."""
        if self.footer is not None and self.footer.last_checkpoint_offset != 0:
            return sound_at(self.data, self.footer.last_checkpoint_offset, self.checksums)
        return newest(self.data, self.end, self.checksums)

    def decoded(self, link: Candidate) -> Checkpoint:
        try:
            return decode(self.data, link)
        except Violation as violation:
            violation.report.setdefault("offset", link.offset)
            raise

    def take_chain(self, chain: list[Checkpoint]) -> Stop:
        """Header and Session stand in no checkpoint, so the frames ahead of the last are walked
        for them."""
        self.chain = chain
        self.walk_head(chain[0].offset, self.take_statement)
        for checkpoint in reversed(chain):
            self.take_definitions(checkpoint)
            self.list_entries(checkpoint.entries)
        return self.walk_on(self.behind_last(chain))

    def behind_last(self, chain: list[Checkpoint]) -> int:
        return chain[0].end

    # Step 6

    def take_spine(self) -> Stop:
        return self.walk_on(self.start_of_spine())

    def start_of_spine(self) -> int:
        return len(MAGIC)


def lends(checkpoint: Checkpoint) -> bool:
    return bool(checkpoint.schemas or checkpoint.streams or checkpoint.clock)


def clock_told(block: dict | None) -> dict | None:
    if block is None:
        return None
    return {"reference": {"host_id": block["reference_host_id"],
                          "host_clock_epoch": block["reference_host_clock_epoch"]},
            "domains": [told(domain) for domain in block["domains"]]}


OPERATIONS = {"recover": lambda source: Recovery(source[:]).recover()}
