"""Ways to spoil level 4 that faults of several items share."""
from __future__ import annotations

from typing import Callable

import ca3_checkpoint
import ca3_recover
from ca3_reader import Violation
from ca3_recover import BY_CHAIN, Recovery
from ca3_walk import DamagedFile
from registry import around

NOTHING = {"session": None, "schemas": [], "streams": [], "entries": [], "directory": [],
           "messages": [], "checkpoints": [], "clock": None}


def on_recovered(change: Callable) -> None:
    """Lets `change(recovery, result)` alter a finished answer."""
    def make(recover):
        def changed(recovery):
            result = recover(recovery)
            change(recovery, result)
            return result
        return changed

    around(Recovery, "recover", make)


def recovered_nothing_where(gives_up: Callable) -> None:
    """Answers with nothing in it where `gives_up(recovery, result)` says so."""
    on_recovered(lambda recovery, result: (
        result.update(NOTHING) if gives_up(recovery, result) else None))


def refused_where(refuses: Callable, kind: str = "other") -> None:
    """Refuses the file where `refuses(recovery, result)` says so."""
    def change(recovery, result):
        if refuses(recovery, result):
            raise Violation(kind, "given up")

    on_recovered(change)


def on_chain(change: Callable) -> None:
    """Lets `change(data, last, checksums, chain_from)` follow the chain."""
    around(ca3_recover, "chain_from", lambda chain_from: lambda data, last, checksums: change(
        data, last, checksums, chain_from))


def on_candidate(change: Callable) -> None:
    """Lets `change(candidate)` alter what every candidate's trailer says."""
    around(ca3_checkpoint, "candidate_by_sentinel", lambda find: lambda data, at: (
        None if (found := find(data, at)) is None else change(found)))


def unchecked(*checks: str) -> None:
    """Leaves checks of §8.2 out."""
    for check in checks:
        setattr(ca3_checkpoint, check, lambda *arguments: True)


def on_checkpoint(change: Callable) -> None:
    """Lets `change(checkpoint)` alter each checkpoint as it is decoded for the chain."""
    around(Recovery, "decoded", lambda decoded: lambda recovery, link: change(
        decoded(recovery, link)))


def on_walked(takes: Callable) -> None:
    """Lets the forward walk take a record only where `takes(recovery, place)` says so."""
    around(DamagedFile, "take_record", lambda take: lambda recovery, place: (
        take(recovery, place) if takes(recovery, place) else None))


def head_walk_takes(opcodes) -> None:
    """Lets the walk beside the chain take records of these opcodes alone."""
    around(DamagedFile, "walk_head", lambda walk: lambda recovery, end, take: walk(
        recovery, end, lambda place: (
            take(place) if place.opcode in opcodes or not recovery.chain else None)))


def is_chain(recovery, result) -> bool:
    return result["method"] == BY_CHAIN


def is_damaged(recovery, result) -> bool:
    """Sealed, and not recovered through its summary."""
    return recovery.sealed and result["method"] != ca3_recover.BY_SUMMARY
