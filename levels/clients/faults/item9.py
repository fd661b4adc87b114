"""Item 9: the Footer, the summary and its groups, the index and the directory as they stand."""
from __future__ import annotations

import ca3_index
from ca3_index import Footer, Group, IndexedReader
from ca3_query import Query
from ca3_reader import CHUNK_INDEX, CLOCK_BLOCK, PADDING, SCHEMA, SESSION, STREAM, STREAM_DIRECTORY
from level2 import (after_open, decode_all_chunks, entries_by, is_columnar, on_entries, on_index,
                    on_tables, overlap_bits, running_maximum, without_columns)
from registry import around, faults_of, on_record

fault = faults_of(9)
SUMMARY_GROUPS = (SCHEMA, STREAM, SESSION, CHUNK_INDEX, STREAM_DIRECTORY, CLOCK_BLOCK, 0x44)


# ------------------------------------------------------------------ the Footer (§2.4, §13.1)


def footer(change) -> None:
    """Lets `change(reader, footer)` alter what the Footer says."""
    around(IndexedReader, "read_footer", lambda read: lambda reader: change(reader, read(reader)))


@fault("Looks at the length of the Footer and not at its opcode.", "2.4-10", "2.4-08")
def footer_opcode_unchecked(ca3):
    def end_of_records(reader):
        end = len(reader.data) - ca3.FOOTER_FROM_END if reader.sealed else len(reader.data)
        ca3.require(not reader.sealed or reader.frame_at(end)[1] == ca3.FOOTER_BYTES,
                    "bad-length", "a Footer has 28 bytes", offset=end)
        return end

    ca3.Reader.end_of_records = end_of_records


@fault("Looks at the opcode of the Footer and not at its length.", "13.1-03")
def footer_length_unchecked(ca3):
    def end_of_records(reader):
        end = len(reader.data) - ca3.FOOTER_FROM_END if reader.sealed else len(reader.data)
        ca3.require(not reader.sealed or reader.frame_at(end)[0] == ca3.FOOTER,
                    "other", "no Footer", offset=end)
        return end

    ca3.Reader.end_of_records = end_of_records


@fault("Takes whatever is in the Footer's place for a Footer.", "2.4-08", "2.4-10", "13.1-01")
def footer_unchecked(ca3):
    ca3.Reader.end_of_records = lambda reader: (
        len(reader.data) - ca3.FOOTER_FROM_END if reader.sealed else len(reader.data))


def footer_found(search) -> None:
    """Lets `search(data, frame)` find the Footer by its opcode and length."""
    def changed(end_of_records):
        def by_search(reader):
            if not reader.sealed:
                return end_of_records(reader)
            found = search(bytes(reader.data[:]), b"\x02\x1c" + bytes(7))
            ca3_index.require(found >= 0, "other", "no Footer")
            return found
        return by_search

    around(IndexedReader, "end_of_records", changed)


@fault("Scans the file for a Footer.", "16-04")
def first_footer_taken(ca3):
    footer_found(lambda data, frame: data.find(frame))


@fault("Scans backwards for a Footer, however far.", "13.1-01", "2.4-08", "2.4-10")
def last_footer_taken(ca3):
    footer_found(lambda data, frame: data.rfind(frame))
    ca3.Reader.end_of_records = IndexedReader.end_of_records


@fault("Reads a Footer that has grown.", "13.1-03")
def grown_footer_accepted(ca3):
    def end_of_records(reader):
        for length in (28, 32) if reader.sealed else ():
            at = len(reader.data) - len(ca3.MAGIC) - ca3.FRAME.size - length
            if reader.frame_at(at) == (ca3.FOOTER, length):
                return at
        ca3.require(not reader.sealed, "other", "no Footer")
        return len(reader.data)

    ca3.Reader.end_of_records = end_of_records


@fault("Takes a sealed file without a Footer for one without a summary.", "2.4-08", "2.4-10")
def missing_footer_passed_over(ca3):
    def make(end_of_records):
        def changed(reader):
            try:
                return end_of_records(reader)
            except ca3.Violation:
                return len(reader.data) - len(ca3.MAGIC)
        return changed

    around(ca3.Reader, "end_of_records", make)
    around(IndexedReader, "read_footer", lambda read: lambda reader: (
        read(reader) if reader.end == len(reader.data) - ca3.FOOTER_FROM_END
        else Footer(reader.end, 0, 0, 0)))


@fault("Exchanges summary_start and summary_offset_start.", "13.1-02")
def footer_fields_exchanged(ca3):
    footer(lambda reader, found: found._replace(
        summary_start=found.summary_offset_start, summary_offset_start=found.summary_start))


@fault("Puts summary_start and summary_offset_start in order.", "13.1-02")
def footer_fields_put_in_order(ca3):
    def change(reader, found):
        if not found.summary_offset_start:
            return found
        start, offsets = sorted(found[:2])
        return found._replace(summary_start=start, summary_offset_start=offsets)

    footer(change)


@fault("Reads last_checkpoint_offset in front of the two starts.", "13.1-02")
def checkpoint_offset_first(ca3):
    footer(lambda reader, found: Footer(found[1], found[2], found[0], found.crc))


@fault("Takes summary_start 0 for an empty summary.", "13.1-10")
def no_summary_is_empty(ca3):
    footer(lambda reader, found: found if found.summary_start else Footer(reader.end, 0, 0, 0))
    around(IndexedReader, "entries_of", lambda entries_of: lambda reader, ref: (
        entries_of(reader, ref) if reader.entries else []))


@fault("Refuses to read a sealed file without a summary.", "13.1-04")
def no_summary_refused(ca3):
    def make(end_of_records):
        def changed(reader):
            end = end_of_records(reader)
            ca3.require(not reader.sealed or any(reader.data[end + 9:end + 17]), "other",
                        "no summary")
            return end
        return changed

    around(ca3.Reader, "end_of_records", make)


@fault("Takes summary_start 0 for the file's first byte.", "13.1-04")
def no_summary_starts_at_0(ca3):
    def make(end_of_records):
        def changed(reader):
            end = end_of_records(reader)
            if not reader.sealed:
                return end
            start = int.from_bytes(reader.data[end + 9:end + 17], "little")
            ca3.require(reader.data[start:start + 1] != ca3.MAGIC[:1], "unknown-opcode",
                        "no record where the summary starts", offset=start)
            return end
        return changed

    around(ca3.Reader, "end_of_records", make)


# ------------------------------------------------------------------ its checksum


@fault("Checks no CRC of the summary.", "13.1-06", "13.1-07")
def summary_crc_ignored(ca3):
    IndexedReader.check_summary = lambda reader: None


@fault("Checks the summary without an offset section by no CRC.", "13.1-07")
def crc_only_beside_offsets(ca3):
    around(IndexedReader, "check_summary", lambda check: lambda reader: (
        check(reader) if reader.has_offsets() else None))


def crc_over(start, end) -> None:
    IndexedReader.check_summary = lambda reader: ca3_index.check_crc(
        reader.data[start(reader):end(reader)], reader.footer.crc)


@fault("Takes summary_crc over the SummaryOffsets as well.", "13.1-08", "13.1-06")
def crc_over_the_offsets(ca3):
    crc_over(lambda reader: reader.footer.summary_start, lambda reader: reader.end)


@fault("Accepts summary_crc over the SummaryOffsets as well.", "13.1-08")
def crc_over_either(ca3):
    def check_summary(reader):
        start = reader.footer.summary_start
        whole = ca3.crc32c(reader.data[start:reader.end])
        if whole != reader.footer.crc:
            ca3_index.check_crc(reader.data[start:reader.summary_end()], reader.footer.crc)

    IndexedReader.check_summary = check_summary


@fault("Takes summary_crc a byte short.", "13.1-06")
def crc_a_byte_short(ca3):
    crc_over(lambda reader: reader.footer.summary_start, lambda reader: reader.summary_end() - 1)


# ------------------------------------------------------------------ groups (§2, §2.4, §13.4)


@fault("Lists the SummaryOffsets as a group of their own.", "2-01")
def offsets_are_a_group(ca3):
    on_index(lambda reader, result: result["summary_groups"].append({
        "opcode": 0x48, "start": reader.footer.summary_offset_start,
        "length": reader.end - reader.footer.summary_offset_start}))


@fault("Lists only the groups that it makes use of.", "2-01")
def groups_of_use_alone(ca3):
    on_index(lambda reader, result: result.update(summary_groups=[
        group for group in result["summary_groups"]
        if group["opcode"] in (CHUNK_INDEX, STREAM_DIRECTORY)]))


@fault("Decodes the first record of a group.", "2.2-03")
def first_record_of_a_group(ca3):
    around(IndexedReader, "group", lambda group: lambda reader, opcode: group(reader, opcode)[:1])


@fault("Takes a group's length for that of one record's content.", "2.2-03", "13.4-01")
def group_length_without_frames(ca3):
    around(IndexedReader, "stated_groups", lambda stated: lambda reader: [
        group._replace(length=group.length + ca3.FRAME.size) for group in stated(reader)])


@fault("Reads length ahead of start.", "13.4-01")
def group_length_first(ca3):
    ca3_index.GROUP_FIELDS = "opcode:u8 length:u64 start:u64"


@fault("Does without a SummaryOffset's length.", "13.4-01")
def group_length_optional(ca3):
    def stated_groups(reader):
        groups = []
        for place in reader.places(reader.footer.summary_offset_start, reader.end):
            content = reader.content(place)
            if place.opcode == ca3.SUMMARY_OFFSET:
                groups.append(Group(**ca3.Cursor(content.ljust(17, b"\0")).fields(
                    ca3_index.GROUP_FIELDS)))
        return groups

    IndexedReader.stated_groups = stated_groups
    IndexedReader.check_groups = lambda reader: None


def wanted(opcode: int) -> None:
    """Refuses a file whose SummaryOffsets do not lead to a group of `opcode`."""
    around(IndexedReader, "check_groups", lambda check: lambda reader: (
        check(reader),
        ca3_index.require(any(group.opcode == opcode for group in reader.groups), "other",
                          f"no group 0x{opcode:02X}")))


@fault("Wants Schemas in every summary.", "2.4-05", "2.4-02")
def schemas_wanted(ca3):
    wanted(SCHEMA)


@fault("Wants Streams in every summary.", "2.4-05", "2.4-02")
def streams_wanted(ca3):
    wanted(STREAM)


@fault("Wants a Session in every summary.", "2.4-05")
def session_wanted(ca3):
    wanted(SESSION)


@fault("Wants a ClockBlock in every summary.", "2.4-05")
def clock_block_wanted(ca3):
    wanted(CLOCK_BLOCK)


@fault("Wants a ClockBlock where there is a Session.", "2.4-05")
def session_brings_clocks(ca3):
    def check(reader):
        there = {group.opcode for group in reader.groups}
        ca3_index.require(SESSION not in there or CLOCK_BLOCK in there, "other", "no clocks")

    around(IndexedReader, "check_groups", lambda before: lambda reader: (
        before(reader), check(reader)))


@fault("Takes groups by their place and not by their opcode.", "2.4-05")
def groups_by_place(ca3):
    around(IndexedReader, "locate_groups", lambda locate: lambda reader: [
        group._replace(opcode=opcode) for opcode, group in zip(SUMMARY_GROUPS, locate(reader))])


@fault("Knows the streams that have chunks, and no others.", "2.4-05")
def streams_from_the_index(ca3):
    Query.declared = lambda query: sorted({entry["stream_ref"] for entry in query.reader.entries})


@fault("Makes up a stream 1 where none is declared.", "2.4-02", "2.4-05")
def stream_made_up(ca3):
    around(Query, "state_at", lambda state_at: lambda query, t, refs: {
        **state_at(query, t, refs), **({} if refs else {"results": [
            {"stream_ref": 1, "message": None, "basis": "exact", "time": None, "degraded": []}]})})


def counted(table: str) -> None:
    """Takes as many entries of a table as are there, whatever is counted."""
    def changed(decode):
        def lenient(content):
            while True:
                try:
                    return decode(content)
                except ca3_index.Violation:
                    count = int.from_bytes(content[4:8], "little")
                    if count == 0:
                        raise
                    content = content[:4] + (count - 1).to_bytes(4, "little") + content[8:]
        return lenient

    around(ca3_index, table, changed)


@fault("Takes an index for empty that counts an entry it has not.", "2.4-02")
def missing_index_entry_in_silence(ca3):
    counted("decode_index")


@fault("Takes a directory for empty that counts an entry it has not.", "2.4-02")
def missing_directory_entry_in_silence(ca3):
    counted("decode_directory")


@fault("Lists Padding as a group.", "13.4-03")
def padding_is_a_group(ca3):
    on_index(lambda reader, result: result["summary_groups"].extend(
        {"opcode": PADDING, "start": place.offset, "length": ca3.FRAME.size + place.length}
        for place in reader.summary_places() if place.opcode == PADDING))


@fault("Refuses records between summary groups that no SummaryOffset leads to.", "13.4-03")
def padding_between_groups_refused(ca3):
    around(IndexedReader, "check_groups", lambda check: lambda reader: (
        check(reader), ca3_index.require(
            all(reader.is_listed(place) for place in reader.summary_places()), "index-mismatch",
            "a record that no SummaryOffset leads to")))


@fault("Wants the summary's records by rising opcode.", "13.4-03")
def summary_wanted_in_order(ca3):
    def check(reader):
        opcodes = [place.opcode for place in reader.summary_places()]
        ca3_index.require(opcodes == sorted(opcodes), "bad-order", "records out of order")

    around(IndexedReader, "check_groups", lambda before: lambda reader: (
        before(reader), check(reader)))


# ------------------------------------------------------------------ Session (§11)


@fault("Keeps the Session that the data section begins with.", "11-07")
def session_of_the_beginning(ca3):
    on_record(ca3, lambda reader, opcode, offset, content: (
        None if opcode == ca3.SESSION and reader.session else False))


# ------------------------------------------------------------------ the chunk index (§7.1, §6.5)


def on_rows(table: str, change) -> None:
    """Lets `change(row)` alter each row that `index` lists."""
    on_index(lambda reader, result: [change(row) for row in result[table]])


@fault("Leaves columnar chunks out of the queries.", "6.5-24")
def columnar_not_found(ca3):
    on_entries(without_columns)


@fault("Leaves columnar chunks out of the index.", "6.5-24")
def columnar_not_listed(ca3):
    on_index(lambda reader, result: result.update(entries=[
        entry for entry in result["entries"] if not is_columnar(reader, entry)]))


@fault("Takes 0 for the stamps of a columnar chunk.", "6.5-24")
def columnar_without_stamps(ca3):
    on_tables(lambda reader: [entry.update(min_stamp_ns=0, max_stamp_ns=0)
                              for entry in reader.entries if is_columnar(reader, entry)])


@fault("Gives no number where seq_first is 0.", "7.1-08")
def absent_sequence_is_null(ca3):
    on_rows("entries", lambda row: row.update(
        seq_first=row["seq_first"] or None, seq_last=row["seq_last"] or None))


@fault("Gives 1 where seq_first is 0.", "7.1-08")
def absent_sequence_is_one(ca3):
    on_rows("entries", lambda row: row.update(
        seq_first=row["seq_first"] or 1, seq_last=row["seq_last"] or row["message_count"]))


def entry_fields(one: str, other: str) -> None:
    """Reads two fields of an entry under one another's names."""
    names = ca3_index.ENTRY_FIELDS.split()
    i, j = (next(k for k, name in enumerate(names) if name.startswith(f"{field}:"))
            for field in (one, other))
    names[i], names[j] = names[j], names[i]
    ca3_index.ENTRY_FIELDS = " ".join(names)


@fault("Reads an entry's stream ahead of its count.", "7.1-04")
def stream_before_count(ca3):
    entry_fields("stream_ref", "message_count")


@fault("Reads the running maximum ahead of the maximum.", "7.1-04")
def running_maximum_first(ca3):
    entry_fields("max_stamp_ns", "prefix_max_stamp_ns")


@fault("Reads seq_last ahead of seq_first.", "7.1-04")
def last_sequence_first(ca3):
    entry_fields("seq_first", "seq_last")


@fault("Does not ask whether an entry's stream is declared.", "7.1-04")
def entry_of_any_stream(ca3):
    def load_tables(reader):
        reader.entries = reader.single(CHUNK_INDEX, ca3_index.decode_index, absent=[])
        reader.directory = reader.single(STREAM_DIRECTORY, ca3_index.decode_directory, absent=[])

    IndexedReader.load_tables = load_tables


def on_places(change) -> None:
    """Lets `change(entry)` alter where each entry leads."""
    around(ca3_index, "decode_index", lambda decode: lambda content: [
        {**entry, **change(entry)} for entry in decode(content)])


@fault("Takes chunk_offset for that of the content.", "7.1-05")
def chunk_offset_of_the_content(ca3):
    on_places(lambda entry: {"chunk_offset": entry["chunk_offset"] - 9})


@fault("Gives the offset of a chunk's content.", "7.1-05")
def offset_of_the_content_listed(ca3):
    on_rows("entries", lambda row: row.update(chunk_offset=row["chunk_offset"] + 9))


@fault("Takes chunk_length for that of the content.", "7.1-05")
def chunk_length_of_the_content(ca3):
    on_places(lambda entry: {"chunk_length": entry["chunk_length"] + 9})


@fault("Reads a chunk wherever its entry leads, by the length that the entry states.", "7.1-05")
def entries_followed_blindly(ca3):
    IndexedReader.chunk_place = lambda reader, entry: ca3_index.Place(
        ca3.CHUNK, entry["chunk_offset"], entry["chunk_length"] - 9)
    around(IndexedReader, "messages_of", lambda messages_of: lambda reader, entry: (
        blind(ca3, messages_of, reader, entry)))


def blind(ca3, messages_of, reader, entry) -> list:
    try:
        return messages_of(reader, entry)
    except ca3.Violation:
        return []


@fault("Repairs a wrong running maximum in silence.", "7.1-12")
def running_maximum_repaired(ca3):
    on_index(lambda reader, result: [running_maximum(
        [entry for entry in result["entries"] if entry["stream_ref"] == ref])
        for ref in reader.streams])


@fault("Repairs a wrong overlap bit in silence.", "7.1-12")
def overlap_bit_repaired(ca3):
    on_tables(lambda reader: overlap_bits(reader, lambda before, entry: (
        before["prefix_max_stamp_ns"] >= entry["min_stamp_ns"])))


@fault("Repairs a wrong message count in silence.", "7.1-12")
def message_count_repaired(ca3):
    def change(reader, result):
        for row in result["directory"]:
            row["message_count"] = sum(entry["message_count"] for entry in result["entries"]
                                       if entry["stream_ref"] == row["stream_ref"])

    on_index(change)


@fault("Lists groups by opcode where they stand in another order.", "7.1-12")
def groups_sorted_by_opcode(ca3):
    on_index(lambda reader, result: result["summary_groups"].sort(
        key=lambda group: group["opcode"]))


# ------------------------------------------------------------------ the directory (§7.3)


def directory_fields(one: str, other: str) -> None:
    names = ca3_index.PREFIX_FIELDS.split()
    i, j = (next(k for k, name in enumerate(names) if name.startswith(f"{field}:"))
            for field in (one, other))
    names[i], names[j] = names[j], names[i]
    ca3_index.PREFIX_FIELDS = " ".join(names)


@fault("Reads the two counts of a directory entry under one another's names.", "7.3-04")
def directory_counts_exchanged(ca3):
    directory_fields("message_count", "chunk_count")


@fault("Reads sync_quality ahead of the three counters.", "7.3-04")
def sync_quality_first(ca3):
    directory_fields("sync_quality", "dropped_by_queue")


@fault("Exchanges the two counters of loss.", "7.3-07", "7.3-04")
def loss_counters_exchanged(ca3):
    directory_fields("dropped_by_queue", "never_arrived")


@fault("Gives the sum of the two counters of loss.", "7.3-07")
def loss_counters_summed(ca3):
    on_rows("directory", lambda row: row.update(
        dropped_by_queue=row["dropped_by_queue"] + row["never_arrived"], never_arrived=0))


@fault("Takes the entries from first_index to the end of the index.", "7.3-05")
def index_count_ignored(ca3):
    entries_by(lambda reader, row: reader.entries[row["first_index"]:])


@fault("Counts first_index from 1.", "7.3-05")
def first_index_from_one(ca3):
    entries_by(lambda reader, row: reader.entries[max(0, row["first_index"] - 1):]
               [:row["index_count"]])


@fault("Takes index_count for the place of the last entry.", "7.3-05")
def index_count_is_a_place(ca3):
    entries_by(lambda reader, row: reader.entries[row["first_index"]:row["index_count"]])


@fault("Leaves out the last entry of a stream.", "7.3-05")
def last_entry_left_out(ca3):
    entries_by(lambda reader, row: reader.entries[row["first_index"]:]
               [:max(0, row["index_count"] - 1)])


@fault("Decodes the chunks for what the directory says.", "7.3-08")
def directory_from_the_chunks(ca3):
    after_open(decode_all_chunks)


@fault("Takes the streams from the data section and not from the summary.", "7.3-08")
def streams_from_the_data_section(ca3):
    def make(load):
        def changed(reader):
            load(reader)
            reader.streams = {
                stream["stream_ref"]: stream for place in reader.spine if place.opcode == STREAM
                for stream in [ca3.decode_stream(reader.content(place))]}
        return changed

    around(IndexedReader, "load_definitions", make)
