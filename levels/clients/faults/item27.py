"""Item 27: a walk over all records where the chain fails, and saying so."""
from __future__ import annotations

import ca3_checkpoint
import ca3_recover
from ca3_reader import CHECKPOINT, CHUNK, COLUMNAR_CHUNK
from ca3_recover import BY_CHAIN, BY_SPINE, BY_SUMMARY, Recovery
from level4 import on_chain, on_recovered, on_walked, recovered_nothing_where, refused_where
from registry import faults_of

fault = faults_of(27)


def is_spine(recovery, result) -> bool:
    return result["method"] == BY_SPINE


# ------------------------------------------------------------------ said so (§16)


@fault("Falls back without a word.", "16-05", "8.3-05", "8.3-07")
def fallback_said_to_be_the_chain(ca3):
    ca3_recover.BY_SPINE = BY_CHAIN


@fault("Says that it read the summary, where it walked.", "16-05", "8.3-05", "8.3-07")
def fallback_said_to_be_the_summary(ca3):
    def change(recovery, result):
        if is_spine(recovery, result):
            result["method"] = BY_SUMMARY

    on_recovered(change)


@fault("Says that it walked, whatever it did.", "16-05")
def always_said_to_be_a_walk(ca3):
    ca3_recover.BY_CHAIN = BY_SPINE


@fault("Walks over all records, whatever checkpoints there are.", "16-05", "8.3-07")
def chain_never_used(ca3):
    Recovery.find_chain = lambda recovery: None


# ------------------------------------------------------------------ no candidate (§8.3, step 2)


@fault("Finds nothing in a file without a checkpoint.", "8.3-05")
def no_checkpoint_gives_nothing(ca3):
    recovered_nothing_where(lambda recovery, result: (
        is_spine(recovery, result) and not recovery.sealed and not result["checkpoints"]))


@fault("Refuses a file without a checkpoint.", "8.3-05", "8.3-15")
def no_checkpoint_refused(ca3):
    refused_where(lambda recovery, result: (
        is_spine(recovery, result) and not recovery.sealed and not result["checkpoints"]))


@fault("Lists a checkpoint whose CRC does not hold, where it walks.", "8.3-05", "8.2-06")
def failed_checkpoints_listed(ca3):
    def make_listed(recovery, place):
        if place.opcode == CHECKPOINT:
            recovery.seen = getattr(recovery, "seen", [])
            recovery.seen.insert(0, place.offset)
        return True

    def change(recovery, result):
        if is_spine(recovery, result):
            result["checkpoints"] = [{"offset": offset, "checkpoint_seq": int.from_bytes(
                recovery.data[offset + 9:offset + 17], "little")}
                for offset in getattr(recovery, "seen", [])]

    on_walked(make_listed)
    on_recovered(change)


# ------------------------------------------------------------------ a broken chain (step 3)


def links_up_to_the_break(data, last, checksums) -> list:
    links = [last]
    while links[-1].trailer.prev_offset != 0:
        before = ca3_checkpoint.sound_at(data, links[-1].trailer.prev_offset, checksums)
        if before is None or end_passes(before, links[-1]):
            break
        links.append(before)
    return links


def end_passes(link, later) -> bool:
    return not ca3_checkpoint.is_before(link, later)


@fault("Takes a broken chain for one that begins behind the break.", "8.3-07", "16-05", "8.1-07",
       "8.3-06")
def broken_chain_kept(ca3):
    on_chain(lambda data, last, checksums, chain_from: (
        links_up_to_the_break(data, last, checksums)))


@fault("Says that it walked where the chain is broken, and has the entries behind the break alone.",
       "8.3-07", "8.3-06")
def broken_chain_kept_as_a_walk(ca3):
    def change(data, last, checksums, chain_from):
        is_whole = chain_from(data, last, checksums) is not None
        ca3_recover.BY_CHAIN = BY_CHAIN if is_whole else BY_SPINE
        return links_up_to_the_break(data, last, checksums)

    on_chain(change)


@fault("Follows prev_offset through a checkpoint whose CRC does not hold.", "8.3-07")
def chain_through_a_failed_checkpoint(ca3):
    def follow(data, last, checksums, chain_from):
        links = [last]
        while links[-1].trailer.prev_offset != 0:
            before = ca3_checkpoint.candidate_at(data, links[-1].trailer.prev_offset)
            if before is None or end_passes(before, links[-1]):
                return None
            links.append(before)
        return links

    on_chain(follow)


@fault("Finds nothing where the chain is broken.", "8.3-07", "8.3-06", "8.1-07")
def broken_chain_gives_nothing(ca3):
    recovered_nothing_where(lambda recovery, result: (
        is_spine(recovery, result) and bool(result["checkpoints"])))


@fault("Refuses a file whose chain is broken.", "8.3-07", "8.1-07")
def broken_chain_refused(ca3):
    refused_where(lambda recovery, result: (
        is_spine(recovery, result) and bool(result["checkpoints"])), "bad-crc")


# ------------------------------------------------------------------ from the Header on (step 6)


@fault("Begins the last walk at the first chunk.", "8.3-15", "8.3-05")
def spine_from_the_first_chunk(ca3):
    def start_of_spine(recovery):
        chunks = []
        recovery.walk_frames(8, recovery.end, lambda place: (
            chunks.append(place.offset) if place.opcode in (CHUNK, COLUMNAR_CHUNK) else None))
        return chunks[0] if chunks else 8

    Recovery.start_of_spine = start_of_spine


@fault("Ends the last walk at the first chunk.", "8.3-15", "8.3-05")
def spine_to_the_first_chunk(ca3):
    on_walked(lambda recovery, place: bool(recovery.chain) or not recovery.met)


@fault("Takes definitions on the last walk from checkpoints alone.", "8.3-15", "8.3-05")
def spine_without_definitions(ca3):
    on_walked(lambda recovery, place: bool(recovery.chain) or place.opcode not in (0x03, 0x04))
