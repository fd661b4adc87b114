"""Item 25: the last checkpoint is found by its trailer, and each candidate has four checks."""
from __future__ import annotations

import zlib

import ca3_checkpoint
import ca3_recover
from ca3_checkpoint import SENTINEL, candidate_by_sentinel, end_of, is_sound, length_at
from ca3_reader import CHECKPOINT, FRAME, HEADER, crc32c
from level4 import on_candidate, on_recovered, unchecked
from registry import around, faults_of

fault = faults_of(25)


# ------------------------------------------------------------------ the trailer (§8.1, §14)


@fault("Reads prev_offset ahead of self_offset.", "8.1-06")
def trailer_self_and_prev_swapped(ca3):
    on_candidate(lambda found: found._replace(
        offset=found.trailer.prev_offset,
        trailer=found.trailer._replace(prev_offset=found.trailer.self_offset)))


@fault("Follows the sequence number as if it were prev_offset.", "8.1-06", "8.1-07")
def trailer_prev_and_seq_swapped(ca3):
    on_candidate(lambda found: found._replace(trailer=found.trailer._replace(
        prev_offset=found.trailer.checkpoint_seq)))


@fault("Looks for a checkpoint at offset 0, in front of the first.", "8.1-07")
def chain_goes_on_at_zero(ca3):
    ca3_checkpoint.is_first = lambda link: False


@fault("Lists the checkpoints of the chain oldest first.", "8.1-07", "8.3-04")
def checkpoints_oldest_first(ca3):
    on_recovered(lambda recovery, result: result["checkpoints"].reverse())


@fault("Lets a checkpoint go on behind its trailer.", "14-08")
def bytes_behind_the_trailer(ca3):
    ca3_checkpoint.leads_back = lambda data, candidate: (
        candidate.offset + FRAME.size + length_at(data, candidate.offset) >= end_of(candidate))


# ------------------------------------------------------------------ the four checks (§8.2)


def sentinels_like(make_alike, sentinel) -> None:
    """Finds what is `sentinel` in `make_alike(data)`."""
    def sentinels(data, end):
        alike = make_alike(data)
        at = alike.rfind(sentinel, 0, end)
        while at >= 0:
            yield at
            at = alike.rfind(sentinel, 0, at)

    ca3_checkpoint.sentinels = sentinels
    unchecked("has_sentinel")


@fault("Finds the sentinel in capitals or not.", "8.2-01")
def sentinel_in_any_case(ca3):
    sentinels_like(bytes.upper, SENTINEL)


@fault("Compares seven bytes of the sentinel.", "8.2-01")
def sentinel_of_seven_bytes(ca3):
    sentinels_like(bytes, SENTINEL[:7])


@fault("Takes a self_offset behind the sentinel, with a length that leads back round 64 bits.",
       "8.2-02")
def self_offset_past_the_sentinel(ca3):
    unchecked("is_ahead_of_sentinel")
    ca3_checkpoint.leads_back = lambda data, candidate: (
        (candidate.offset + FRAME.size + length_at(data, candidate.offset)) % 2**64
        == end_of(candidate))


@fault("Does not look at the byte at self_offset.", "8.2-04")
def candidate_opcode_unchecked(ca3):
    unchecked("begins_checkpoint")


@fault("Does not look at the length at self_offset.", "8.2-05")
def candidate_length_unchecked(ca3):
    unchecked("leads_back")


@fault("Checks no checkpoint's CRC.", "8.2-06", "8.3-07")
def checkpoint_crc_unchecked(ca3):
    unchecked("checksum_holds")


@fault("Believes a sentinel as soon as a checkpoint's byte stands ahead of it.", "8.2-05", "8.2-06")
def candidate_by_its_first_byte(ca3):
    unchecked("leads_back", "checksum_holds")


@fault("Believes every sentinel.", "8.2-02", "8.2-03", "8.2-04", "8.2-05", "8.2-06", "8.2-08")
def every_sentinel_believed(ca3):
    unchecked("is_ahead_of_sentinel", "is_behind_magic", "begins_checkpoint", "leads_back",
              "checksum_holds")


def checksum_over(stretch) -> None:
    """Lets `stretch(candidate)` say from where to where content_crc covers."""
    ca3_checkpoint.checksum_holds = lambda candidate, checksums: (
        checksums.of(*stretch(candidate)) == candidate.trailer.content_crc)


@fault("Takes a checkpoint's CRC over the sentinel too.", "8.2-07")
def checkpoint_crc_over_the_sentinel(ca3):
    checksum_over(lambda candidate: (candidate.offset + FRAME.size,
                                     candidate.sentinel_at + len(SENTINEL)))


@fault("Takes a checkpoint's CRC over the trailer too.", "8.2-07")
def checkpoint_crc_over_the_trailer(ca3):
    checksum_over(lambda candidate: (candidate.offset + FRAME.size, end_of(candidate) - 4))


@fault("Takes a checkpoint's CRC over its frame too.", "8.2-07")
def checkpoint_crc_over_the_frame(ca3):
    checksum_over(lambda candidate: (candidate.offset, candidate.sentinel_at))


@fault("Takes CRC-32 for a checkpoint's CRC-32C.", "8.2-07")
def checkpoint_crc_of_zip(ca3):
    ca3_checkpoint.checksum_holds = lambda candidate, checksums: (
        zlib.crc32(checksums.data[candidate.offset + FRAME.size:candidate.sentinel_at])
        == candidate.trailer.content_crc)


@fault("Takes a checkpoint's CRC over the content, or else over content and sentinel.", "8.2-07")
def checkpoint_crc_over_either(ca3):
    def checksum_holds(candidate, checksums):
        start = candidate.offset + FRAME.size
        return candidate.trailer.content_crc in (
            crc32c(checksums.data[start:candidate.sentinel_at]),
            crc32c(checksums.data[start:candidate.sentinel_at + len(SENTINEL)]))

    ca3_checkpoint.checksum_holds = checksum_holds


# ------------------------------------------------------------------ the scan (§8.3, step 2)


@fault("Gives the scan up at the first candidate that fails.", "8.2-08", "8.3-04")
def scan_ends_at_a_failed_candidate(ca3):
    def newest(data, end, checksums):
        for at in ca3_checkpoint.sentinels(data, end):
            found = candidate_by_sentinel(data, at)
            return found if found and is_sound(data, found, checksums) else None

    ca3_recover.newest = newest


@fault("Scans from the front, and takes the first checkpoint for the last.", "8.3-04")
def scan_finds_the_first_checkpoint(ca3):
    around(ca3_checkpoint, "sentinels", lambda sentinels: lambda data, end: reversed(
        list(sentinels(data, end))))


@fault("Looks for a checkpoint at the end of the file and nowhere else.", "8.3-04", "8.2-08")
def scan_of_the_end_alone(ca3):
    around(ca3_checkpoint, "sentinels", lambda sentinels: lambda data, end: (
        at for at in sentinels(data, end) if at == end - 36))


@fault("Looks for a checkpoint in the last 64 KiB of a file.", "8.3-04")
def scan_of_the_last_64_kib(ca3):
    around(ca3_checkpoint, "sentinels", lambda sentinels: lambda data, end: (
        at for at in sentinels(data, end) if at >= end - 2**16))


def found_byte_by_byte(data, sought: bytes) -> list:
    """Where a search that never looks twice at a byte ends with `sought`."""
    ends, matched = [], 0
    for at, byte in enumerate(data):
        matched = matched + 1 if byte == sought[matched] else 0
        if matched == len(sought):
            ends.append(at + 1)
            matched = 0
    return ends


@fault("Looks for the sentinel from the front and never twice at a byte.", "8.3-04")
def sentinel_sought_forward_byte_by_byte(ca3):
    ca3_checkpoint.sentinels = lambda data, end: [
        at - len(SENTINEL) for at in reversed(found_byte_by_byte(data[:end], SENTINEL))]


@fault("Looks for the sentinel from the end and never twice at a byte.", "8.3-04")
def sentinel_sought_backward_byte_by_byte(ca3):
    ca3_checkpoint.sentinels = lambda data, end: [
        end - at for at in found_byte_by_byte(data[:end][::-1], SENTINEL[::-1])]


@fault("Scans no file for a checkpoint.", "8.3-04")
def no_scan(ca3):
    ca3_recover.newest = lambda data, end, checksums: None


@fault("Takes a checkpoint wherever its length and checksum fit, whatever self_offset says.",
       "8.2-05", "8.2-08")
def checkpoint_of_another_recording(ca3):
    def make(find):
        def changed(data, at):
            found = find(data, at)
            if found is None:
                return None
            for offset in range(at - 1, 8, -1):
                length = ca3_checkpoint.length_at(data, offset)
                ends = offset + ca3.FRAME.size + length == at + ca3.CHECKPOINT_TRAILER.size
                if data[offset] == ca3.CHECKPOINT and ends:
                    return found._replace(offset=offset)
            return found
        return changed

    around(ca3_checkpoint, "candidate_by_sentinel", make)
