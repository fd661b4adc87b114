"""Item 24: recovery step by step, and what is rebuilt at its end."""
from __future__ import annotations

import ca3_checkpoint
import ca3_rebuilt
import ca3_recover
import ca3_walk
from ca3_index import ENTRY_BYTES, ENTRY_FIELDS
from ca3_reader import (HEADER, SCHEMA, SCHEMA_FIELDS, SESSION, STREAM, STREAM_FIELDS, Cursor,
                        require)
from ca3_recover import Recovery
from ca3_walk import DamagedFile
from level4 import (head_walk_takes, is_chain, is_damaged, on_chain, on_checkpoint, on_recovered,
                    recovered_nothing_where, refused_where)
from registry import around, faults_of

fault = faults_of(24)


# ------------------------------------------------------------------ the layout (§1.2, §8.1)


@fault("Steps from one definition of a checkpoint to the next by what it has read of it.", "1.2-06")
def definitions_not_stepped_by_length(ca3):
    def definitions(cursor):
        layout = STREAM_FIELDS if hasattr(cursor, "met_schemas") else SCHEMA_FIELDS
        cursor.met_schemas = True
        found = []
        for _ in range(cursor.u32()):
            cursor.u32()
            start = cursor.at
            cursor.fields(layout)
            found.append(cursor.data[start:cursor.at])
        return found

    ca3_checkpoint.definitions = definitions


@fault("Takes the length of a checkpoint's definition for one of 64 bits.", "1.2-06", "8.1-01")
def definitions_with_long_lengths(ca3):
    ca3_checkpoint.definitions = lambda cursor: cursor.array(
        lambda cursor: cursor.take(cursor.u64()))


@fault("Knows no reserved word in a checkpoint.", "8.1-01")
def checkpoint_without_reserved_word(ca3):
    ca3_checkpoint.HEAD_FIELDS = ca3_checkpoint.HEAD_FIELDS.replace("reserved:u32 ", "")


@fault("Knows no wall clock in a checkpoint.", "8.1-01")
def checkpoint_without_wall_clock(ca3):
    ca3_checkpoint.HEAD_FIELDS = ca3_checkpoint.HEAD_FIELDS.replace(" wall_ns:u64", "")


@fault("Objects to a value in the reserved word.", "8.1-02")
def reserved_word_refused(ca3):
    def make(decode):
        def changed(data, candidate):
            stored = data[candidate.offset + 21:candidate.offset + 25]
            require(stored == bytes(4), "other", "the reserved word is not zero")
            return decode(data, candidate)
        return changed

    around(ca3_recover, "decode", make)
    around(ca3_walk, "decode", make)


@fault("Strides the entries of a checkpoint by 56.", "8.1-04")
def checkpoint_entries_strided_by_56(ca3):
    def index_entries(cursor):
        entry_size, count = cursor.u32(), cursor.u32()
        require(entry_size >= ENTRY_BYTES, "bad-entry-size", "an entry is too short")
        entries = Cursor(cursor.take(entry_size * count))
        return [Cursor(entries.take(ENTRY_BYTES)).fields(ENTRY_FIELDS) for _ in range(count)]

    ca3_checkpoint.index_entries = index_entries


@fault("Takes entries that are too short, as if zeros stood behind them.", "8.1-04")
def short_checkpoint_entries_taken(ca3):
    def index_entries(cursor):
        entry_size, count = cursor.u32(), cursor.u32()
        return [Cursor(cursor.take(entry_size).ljust(ENTRY_BYTES, b"\0")).fields(ENTRY_FIELDS)
                for _ in range(count)]

    ca3_checkpoint.index_entries = index_entries


@fault("Takes an empty clock block for damage.", "8.1-05")
def empty_clock_block_is_damage(ca3):
    ca3_checkpoint.clock_of = ca3_checkpoint.decode_clock_block


@fault("Expects no length ahead of an empty clock block.", "8.1-05")
def empty_clock_block_has_no_length(ca3):
    def make(decode):
        def changed(data, candidate):
            checkpoint = decode(data, candidate)
            require(checkpoint.clock is not None, "bad-length", "four bytes too many")
            return checkpoint
        return changed

    around(ca3_recover, "decode", make)
    around(ca3_walk, "decode", make)


# ------------------------------------------------------------------ step 1


@fault("Rebuilds a sealed file whose summary verifies.", "8.3-01")
def sound_summary_not_used(ca3):
    Recovery.find_summary = lambda recovery: None


@fault("Uses a summary without a look at its checksum.", "8.3-01", "8.3-02", "8.3-20")
def summary_unverified(ca3):
    def summary_verifies(recovery):
        try:
            recovery.check_sections()
        except ca3.Violation:
            return False
        return True

    Recovery.summary_verifies = summary_verifies


@fault("Refuses a sealed file whose summary does not verify, or is not there.", "8.3-02", "8.3-03")
def damaged_summary_refused(ca3):
    refused_where(is_damaged)


@fault("Finds nothing in a sealed file whose summary does not verify, or is not there.", "8.3-02",
       "8.3-03")
def damaged_summary_gives_nothing(ca3):
    recovered_nothing_where(is_damaged)


@fault("Takes a summary_start of 0 for a place.", "8.3-02")
def no_summary_is_damage(ca3):
    refused_where(lambda recovery, result: (
        recovery.footer is not None and recovery.footer.summary_start == 0), "bad-length")


@fault("Refuses a file whose magic stands behind no Footer.", "8.3-17")
def missing_footer_refused(ca3):
    refused_where(lambda recovery, result: recovery.sealed and recovery.footer is None)


@fault("Leaves the checkpoints of a file alone whose magic stands behind no Footer.", "8.3-17")
def missing_footer_leaves_the_spine(ca3):
    around(Recovery, "find_chain", lambda find: lambda recovery: (
        None if recovery.sealed and recovery.footer is None else find(recovery)))


# ------------------------------------------------------------------ step 2, by the Footer


@fault("Leaves the checkpoints of a sealed file alone.", "8.3-02", "8.3-03", "13.1-05")
def damaged_summary_leaves_the_spine(ca3):
    around(Recovery, "find_chain", lambda find: lambda recovery: (
        None if recovery.sealed else find(recovery)))


@fault("Takes last_checkpoint_offset for the place of the trailer.", "13.1-05", "8.3-03")
def footer_leads_to_the_trailer(ca3):
    def last_checkpoint(recovery):
        if recovery.footer is None or recovery.footer.last_checkpoint_offset == 0:
            return ca3_recover.newest(recovery.data, recovery.end, recovery.checksums)
        found = ca3_checkpoint.candidate_by_sentinel(
            recovery.data, recovery.footer.last_checkpoint_offset)
        is_sound = found and ca3_checkpoint.is_sound(recovery.data, found, recovery.checksums)
        return found if is_sound else None

    Recovery.last_checkpoint = last_checkpoint


@fault("Finds nothing where last_checkpoint_offset leads to no checkpoint.", "13.1-05", "8.3-18")
def dead_offset_gives_nothing(ca3):
    recovered_nothing_where(lambda recovery, result: (
        is_damaged(recovery, result) and not is_chain(recovery, result)
        and recovery.footer is not None and recovery.footer.last_checkpoint_offset != 0))


# ------------------------------------------------------------------ step 3


@fault("Takes the last checkpoint for all of the chain.", "8.3-06", "8.1-07")
def newest_checkpoint_alone(ca3):
    head_walk_takes({HEADER, SESSION})
    on_chain(lambda data, last, checksums, chain_from: [last])


@fault("Follows the chain by one step.", "8.3-06", "8.3-07")
def chain_followed_one_step(ca3):
    head_walk_takes({HEADER, SESSION})
    on_chain(lambda data, last, checksums, chain_from: (
        chain_from(data, last, checksums) or [])[:2] or None)


@fault("Takes the first checkpoint of the chain for all of it.", "8.3-06")
def oldest_checkpoint_alone(ca3):
    on_chain(lambda data, last, checksums, chain_from: (
        chain_from(data, last, checksums) or [])[-1:] or None)


@fault("Takes entries from the chain and no definitions.", "8.3-06", "8.1-01")
def definitions_of_the_chain_lost(ca3):
    head_walk_takes({HEADER, SESSION})
    on_checkpoint(lambda checkpoint: checkpoint._replace(schemas=[], streams=[]))


@fault("Takes definitions from the chain and no entries.", "8.3-06", "8.1-01")
def entries_of_the_chain_lost(ca3):
    on_checkpoint(lambda checkpoint: checkpoint._replace(entries=[]))


@fault("Goes back in the chain as far as a checkpoint that restates every definition.", "8.3-18",
       "8.3-06")
def chain_ends_at_bit_0(ca3):
    def change(data, last, checksums, chain_from):
        links = chain_from(data, last, checksums) or []
        restates = [data[link.offset + 17] & 1 for link in links]
        end = restates.index(1) + 1 if 1 in restates else len(links)
        return links[:end] or None

    on_chain(change)


@fault("Takes the clock block of the last checkpoint, empty or not.", "8.3-08")
def clock_of_the_last_checkpoint(ca3):
    around(Recovery, "newest_clock", lambda newest: lambda recovery: (
        recovery.chain[0].clock if recovery.chain else newest(recovery)))


@fault("Takes the oldest clock block.", "8.3-08")
def oldest_clock_block(ca3):
    around(Recovery, "newest_clock", lambda newest: lambda recovery: (
        [one.clock for one in recovery.chain if one.clock] or [newest(recovery)])[-1])


@fault("Recovers no clock.", "8.3-08")
def clock_block_lost(ca3):
    Recovery.newest_clock = lambda recovery: None


@fault("Recovers no Session along the chain.", "8.3-18")
def session_lost_by_the_chain(ca3):
    head_walk_takes({HEADER, SCHEMA, STREAM})


@fault("Recovers no Header along the chain.", "8.3-18")
def header_lost_by_the_chain(ca3):
    head_walk_takes({SESSION, SCHEMA, STREAM})


# ------------------------------------------------------------------ step 4


@fault("Walks over records that must be understood and are not.", "8.3-24", "16-07")
def recovery_passes_over_unknown(ca3):
    around(DamagedFile, "check_opcode", lambda check: lambda recovery, opcode, offset: (
        check(recovery, opcode, offset) if opcode == 0 else None))


@fault("Refuses a file in whose tail an unknown record must be understood.", "8.3-24", "16-07")
def recovery_refuses_unknown(ca3):
    refused_where(lambda recovery, result: (
        result["stop_reason"] in ("unknown-opcode", "reserved-opcode")), "unknown-opcode")


# ------------------------------------------------------------------ step 5


@fault("Leaves recovered entries in the order in which chunks were closed.", "8.3-12")
def recovered_entries_unsorted(ca3):
    ca3_rebuilt.in_table_order = lambda entries: entries


@fault("Sorts recovered entries by stamp, over all streams.", "8.3-12")
def recovered_entries_sorted_by_stamp(ca3):
    ca3_rebuilt.in_table_order = lambda entries: sorted(
        entries, key=lambda entry: entry["min_stamp_ns"])


@fault("Sorts recovered entries by stream, and within one by place.", "8.3-12")
def recovered_entries_sorted_by_place(ca3):
    ca3_rebuilt.in_table_order = lambda entries: sorted(
        entries, key=lambda entry: (entry["stream_ref"], entry["chunk_offset"]))


@fault("Sorts recovered entries by the text of their stream's number.", "8.3-12")
def recovered_entries_sorted_by_text(ca3):
    ca3_rebuilt.in_table_order = lambda entries: sorted(
        entries, key=lambda entry: (str(entry["stream_ref"]), entry["min_stamp_ns"]))


@fault("Sorts recovered entries by the lower half of their stream's number.", "8.3-12")
def recovered_entries_sorted_by_16_bits(ca3):
    ca3_rebuilt.in_table_order = lambda entries: sorted(
        entries, key=lambda entry: (entry["stream_ref"] % 2**16, entry["min_stamp_ns"]))


@fault("Takes a chunk's first and last stamp for its least and greatest.", "8.3-12", "8.3-13")
def rebuilt_span_of_first_and_last(ca3):
    def make(entry_of):
        def changed(place, head, messages):
            entry = entry_of(place, head, messages)
            if messages:
                first, last = (messages[at]["monotonic_timestamp_ns"] for at in (0, -1))
                entry.update(min_stamp_ns=first, max_stamp_ns=last, prefix_max_stamp_ns=last)
            return entry
        return changed

    around(ca3_walk, "entry_of", make)


@fault("Keeps prefix_max_stamp_ns as checkpoints have it.", "8.3-13")
def prefix_not_recomputed(ca3):
    ca3_rebuilt.with_running_maxima = lambda entries: entries


@fault("Computes prefix_max_stamp_ns ahead of the sort.", "8.3-13")
def prefix_recomputed_before_the_sort(ca3):
    around(ca3_rebuilt, "in_table_order", lambda order: lambda entries: order(
        ca3_rebuilt.with_running_maxima(entries)))
    around(ca3_recover, "rebuilt_index", lambda rebuilt: lambda entries: (
        ca3_rebuilt.in_table_order(entries)))


@fault("Lets prefix_max_stamp_ns run on from one stream to the next.", "8.3-13")
def prefix_over_all_streams(ca3):
    def with_running_maxima(entries):
        highest, rebuilt = 0, []
        for entry in entries:
            highest = max(highest, entry["max_stamp_ns"])
            rebuilt.append({**entry, "prefix_max_stamp_ns": highest})
        return rebuilt

    ca3_rebuilt.with_running_maxima = with_running_maxima


def signed(stamp: int) -> int:
    return stamp - 2**64 if stamp >= 2**63 else stamp


@fault("Computes prefix_max_stamp_ns of signed stamps.", "8.3-13")
def prefix_by_signed_stamps(ca3):
    def with_running_maxima(entries):
        highest, rebuilt = {}, []
        for entry in entries:
            ref, stamp = entry["stream_ref"], entry["max_stamp_ns"]
            highest[ref] = max(highest.get(ref, stamp), stamp, key=signed)
            rebuilt.append({**entry, "prefix_max_stamp_ns": highest[ref]})
        return rebuilt

    ca3_rebuilt.with_running_maxima = with_running_maxima


@fault("Compares spans by signed stamps where it rebuilds a directory.", "8.3-14")
def rebuilt_overlap_signed(ca3):
    ca3_rebuilt.overlap = lambda before, entry: (
        signed(entry["min_stamp_ns"]) <= signed(before["max_stamp_ns"]))


@fault("Never sets chunks_overlap in a rebuilt directory.", "8.3-14")
def rebuilt_overlap_never_set(ca3):
    ca3_rebuilt.overlap = lambda before, entry: False


@fault("Sets chunks_overlap for every stream of a rebuilt directory.", "8.3-14")
def rebuilt_overlap_always_set(ca3):
    ca3_rebuilt.overlap_flag = lambda entries: 1


@fault("Takes chunks that were only written out of order for ones that overlap.", "8.3-14")
def rebuilt_overlap_by_place(ca3):
    around(ca3_rebuilt, "overlap_flag", lambda flag: lambda entries: flag(
        sorted(entries, key=lambda entry: entry["chunk_offset"])))


@fault("Rebuilds no directory.", "8.3-14", "8.3-16")
def directory_not_rebuilt(ca3):
    ca3_recover.rebuilt_directory = lambda index, refs: []


@fault("Says that nothing was lost, where only the recorder knew.", "8.3-16")
def rebuilt_counters_zero(ca3):
    ca3_rebuilt.UNKNOWN_COLUMNS = {"dropped_by_queue": 0, "never_arrived": 0, "reordered": 0,
                                   "sync_quality": 0, "sync_domain": ""}


@fault("Gives a stream without chunks the index of the next stream's.", "8.3-16")
def first_index_without_chunks(ca3):
    def make(directory_row):
        def changed(ref, index, places):
            row = directory_row(ref, index, places)
            if not places:
                row["first_index"] = sum(entry["stream_ref"] < ref for entry in index)
            return row
        return changed

    around(ca3_rebuilt, "directory_row", make)


@fault("Counts seq_last on from seq_first.", "8.3-16")
def rebuilt_seq_last_counted(ca3):
    ca3_rebuilt.last_sequence = lambda head, messages: (
        ca3.wrap(head.seq_first + head.message_count - 1) if head.seq_first else 0)


@fault("Leaves streams without chunks out of a rebuilt directory.", "8.3-16")
def rebuilt_directory_of_chunks(ca3):
    def change(recovery, result):
        if result["method"] != ca3_recover.BY_SUMMARY:
            result["directory"] = [row for row in result["directory"] if row["chunk_count"]]

    on_recovered(change)


@fault("Gives an empty clock block where no checkpoint has one.", "8.3-08")
def no_block_as_an_empty_one(ca3):
    def change(recovery, result):
        if result["clock"] is None:
            result["clock"] = {"reference": {"host_id": "", "host_clock_epoch": ""}, "domains": []}

    on_recovered(change)
