"""Item 10: tables whose entries have grown, their counts, and the offsets of messages."""
from __future__ import annotations

import ca3_index
from ca3_index import ENTRY_BYTES, ENTRY_FIELDS, PREFIX_BYTES, PREFIX_FIELDS, IndexedReader
from ca3_reader import CHUNK_HEAD, FRAME, PLAIN_TAIL, Chunk, Cursor, Violation, message_extent
from registry import around, faults_of, on_record

fault = faults_of(10)
METADATA, MESSAGE_OFFSETS = 0x40, 0x49
BLOB = FRAME.size + CHUNK_HEAD.size + PLAIN_TAIL.size  # from a chunk's opcode to its messages


# ------------------------------------------------------------------ entry_size (§7.1, §7.3)


@fault("Strides the index by 56.", "7.1-02")
def index_strides_by_56(ca3):
    ca3_index.stride = lambda entry_size: ENTRY_BYTES


@fault("Refuses entries that have grown.", "7.1-02", "7.3-02")
def grown_entries_refused(ca3):
    ca3_index.check_entry_size = lambda stored, known: ca3.require(
        stored == known, "bad-entry-size", f"entry_size {stored}", value=stored)


@fault("Rounds the stride up to a boundary of eight.", "7.1-02")
def stride_rounded_up(ca3):
    ca3_index.stride = lambda entry_size: (entry_size + 7) // 8 * 8


@fault("Multiplies entry_size and entry_count in 32 bits.", "7.1-02")
def table_size_in_32_bits(ca3):
    def decode(content):
        cursor = Cursor(content)
        entry_size, count = cursor.u32(), cursor.u32()
        ca3_index.check_entry_size(entry_size, ENTRY_BYTES)
        table = cursor.take(entry_size * count % 2**32)
        step = len(table) // count if count else 0
        return [Cursor(table[i * step:]).fields(ENTRY_FIELDS) for i in range(count)]

    ca3_index.decode_index = decode


@fault("Reads the string at 73.", "7.3-02")
def string_read_at_73(ca3):
    ca3_index.prefix_size = lambda entry_size: PREFIX_BYTES


@fault("Strides the directory by entry_size.", "7.3-01", "7.3-02")
def directory_strided(ca3):
    def decode(content):
        entry_size, count = (lambda cursor: (cursor.u32(), cursor.u32()))(Cursor(content))
        ca3_index.check_entry_size(entry_size, PREFIX_BYTES)
        return [ca3_index.directory_row(Cursor(content[8 + i * entry_size:]), entry_size)
                for i in range(count)]

    ca3_index.decode_directory = decode


@fault("Takes entry_size to cover the string.", "7.3-01", "7.3-02")
def entry_size_covers_the_string(ca3):
    def row(cursor, entry_size):
        entry = Cursor(cursor.take(entry_size))
        return {**entry.fields(PREFIX_FIELDS), "sync_domain": entry.string()}

    ca3_index.directory_row = row


@fault("Fills entries that are too short with zeros.", "7.1-03", "7.3-03")
def short_entries_filled(ca3):
    ca3_index.check_entry_size = lambda stored, known: None

    def decode_index(content):
        cursor = Cursor(content)
        entry_size, count = cursor.u32(), cursor.u32()
        return [Cursor(cursor.take(entry_size).ljust(ENTRY_BYTES, b"\0")).fields(ENTRY_FIELDS)
                for _ in range(count)]

    def directory_row(cursor, entry_size):
        prefix = Cursor(cursor.take(entry_size).ljust(PREFIX_BYTES, b"\0"))
        return {**prefix.fields(PREFIX_FIELDS), "sync_domain": cursor.string()}

    ca3_index.decode_index, ca3_index.directory_row = decode_index, directory_row


@fault("Reads 56 bytes of each entry, whatever entry_size is.", "7.1-03")
def entry_size_of_the_index_unchecked(ca3):
    ca3_index.check_entry_size = lambda stored, known: None
    ca3_index.stride = lambda entry_size: ENTRY_BYTES


@fault("Reads 73 bytes of each prefix, whatever entry_size is.", "7.3-03")
def entry_size_of_the_directory_unchecked(ca3):
    ca3_index.check_entry_size = lambda stored, known: None

    def directory_row(cursor, entry_size):
        prefix = Cursor(cursor.data[cursor.at:cursor.at + PREFIX_BYTES])
        cursor.take(entry_size)
        return {**prefix.fields(PREFIX_FIELDS), "sync_domain": cursor.string()}

    ca3_index.directory_row = directory_row


# ------------------------------------------------------------------ entry_count (§7.1, §14)


@fault("Reads entry_count ahead of entry_size.", "7.1-01")
def count_before_size(ca3):
    around(ca3_index, "decode_index", lambda decode: lambda content: decode(
        content[4:8] + content[:4] + content[8:]))


@fault("Takes as many entries as there are, where fewer are there than counted.", "7.1-01")
def count_clamped(ca3):
    def decode(content):
        entry_size, count = (lambda cursor: (cursor.u32(), cursor.u32()))(Cursor(content))
        ca3_index.check_entry_size(entry_size, ENTRY_BYTES)
        return [Cursor(content[8 + i * entry_size:]).fields(ENTRY_FIELDS)
                for i in range(min(count, (len(content) - 8) // entry_size))]

    ca3_index.decode_index = decode


@fault("Reads index entries to the end of the record.", "14-06")
def index_to_its_end(ca3):
    def decode(content):
        cursor = Cursor(content)
        entry_size, _ = cursor.u32(), cursor.u32()
        ca3_index.check_entry_size(entry_size, ENTRY_BYTES)
        entries = []
        while cursor.left():
            entries.append(Cursor(cursor.take(entry_size)).fields(ENTRY_FIELDS))
        return entries

    ca3_index.decode_index = decode


@fault("Reads directory entries to the end of the record.", "14-06")
def directory_to_its_end(ca3):
    def decode(content):
        cursor = Cursor(content)
        entry_size, _ = cursor.u32(), cursor.u32()
        ca3_index.check_entry_size(entry_size, PREFIX_BYTES)
        rows = []
        while cursor.left():
            rows.append(ca3_index.directory_row(cursor, entry_size))
        return rows

    ca3_index.decode_directory = decode


def filled(decode_name: str, layout) -> None:
    """Wants `layout(decoded, content)` bytes in a table's record, and no more."""
    around(ca3_index, decode_name, lambda decode: lambda content: (lambda decoded: (
        ca3_index.require(len(content) == layout(decoded, content), "bad-length", "bytes behind"),
        decoded)[1])(decode(content)))


@fault("Refuses bytes behind the index.", "14-06")
def bytes_behind_the_index_refused(ca3):
    filled("decode_index", lambda entries, content: (
        8 + len(entries) * int.from_bytes(content[:4], "little")))


@fault("Refuses bytes behind the directory.", "14-06")
def bytes_behind_the_directory_refused(ca3):
    filled("decode_directory", lambda rows, content: 8 + sum(
        int.from_bytes(content[:4], "little") + 4 + len(row["sync_domain"].encode())
        for row in rows))


@fault("Refuses a SummaryOffset that has grown.", "14-07")
def grown_summary_offset_refused(ca3):
    def make(stated_groups):
        def changed(reader):
            for place in reader.places(reader.footer.summary_offset_start, reader.end):
                ca3.require(place.length == 17, "bad-length", "a SummaryOffset has 17 bytes")
            return stated_groups(reader)
        return changed

    around(IndexedReader, "stated_groups", make)


@fault("Reads SummaryOffsets at a stride of 26.", "14-07")
def summary_offsets_strided(ca3):
    def stated_groups(reader):
        section = reader.data[reader.footer.summary_offset_start:reader.end]
        return [ca3_index.Group(**Cursor(section[at + FRAME.size:]).fields(ca3_index.GROUP_FIELDS))
                for at in range(0, len(section) - 25, 26)]

    IndexedReader.stated_groups = stated_groups


# ------------------------------------------------------------------ MessageOffsets (§7.5, §14)


def table_of(content: bytes, stride=None, count=None) -> tuple[int, list[int]]:
    """A chunk's offset, and those of its messages."""
    cursor = Cursor(content)
    chunk_offset, entry_size, entry_count = cursor.u64(), cursor.u32(), cursor.u32()
    entry_count = entry_count if count is None else count(len(content) - 16, entry_size)
    step = stride or entry_size
    return chunk_offset, [int.from_bytes(content[16 + i * step:20 + i * step], "little")
                          for i in range(min(entry_count, 2**16))]


def rows_by_start(whole, starts):
    """Each message from its start, by its own length."""
    for start in starts:
        yield whole, *message_extent(whole, start)


def rows_by_next(whole, starts):
    """Each message from its start to the next one's, whatever its own length says."""
    for start, end in zip(starts, [*starts[1:], len(whole)]):
        at, _ = message_extent(whole, start)
        yield whole, at, end


def by_table(origin=BLOB, rows=rows_by_start, lenient=False, **reading) -> None:
    """Lets a client find messages by their table, counted from `origin(chunk_offset)`."""
    def make(messages_of):
        def changed(reader, entry):
            tables = dict(table_of(reader.content(place), **reading)
                          for place in reader.group(MESSAGE_OFFSETS))
            starts = tables.get(entry["chunk_offset"])
            if starts is None:
                return messages_of(reader, entry)
            place = reader.chunk_place(entry)
            chunk = Chunk(*Cursor(reader.fetch_chunk(place)).unpack(CHUNK_HEAD))
            whole = reader.data[:place.offset + FRAME.size + place.length]
            first = entry["chunk_offset"] + origin if origin is not None else 0
            messages = []
            try:
                for i, row in enumerate(rows(whole, [first + start for start in starts])):
                    messages.append(chunk.message(i, chunk.decode_row(*row)))
            except Violation:
                if not lenient:
                    raise
            return messages
        return changed

    around(IndexedReader, "messages_of", make)


@fault("Counts the offsets of messages from the file's start.", "7.5-02")
def offsets_from_the_file(ca3):
    by_table(origin=None)


@fault("Counts the offsets of messages from the chunk's opcode.", "7.5-02")
def offsets_from_the_record(ca3):
    by_table(origin=0)


@fault("Counts the offsets of messages from the chunk's content.", "7.5-02")
def offsets_from_the_content(ca3):
    by_table(origin=FRAME.size)


@fault("Strides the offsets of messages by 4.", "7.5-02")
def offsets_strided_by_4(ca3):
    by_table(stride=4, lenient=True)


@fault("Takes as many messages as a table counts, and no fault for one.", "7.5-02")
def miscounted_table_believed(ca3):
    by_table(rows=rows_by_next, lenient=True)


@fault("Takes the number of messages from the length of their table.", "14-07")
def message_table_to_its_end(ca3):
    by_table(count=lambda room, entry_size: -(-room // max(1, entry_size)))


@fault("Refuses bytes behind the last offset.", "14-07")
def grown_message_table_refused(ca3):
    def check(content):
        _, starts = table_of(content)
        ca3.require(len(content) == 16 + len(starts) * int.from_bytes(content[8:12], "little"),
                    "bad-length", "bytes behind the offsets")

    around(IndexedReader, "load_tables", lambda load: lambda reader: (load(reader), [
        check(reader.content(place)) for place in reader.group(MESSAGE_OFFSETS)]))


@fault("Takes narrow offsets for wide ones, and ends where that goes wrong.", "7.5-03")
def narrow_offsets_believed(ca3):
    by_table(lenient=True)


@fault("Takes a table for right whatever order it is in.", "7.5-04")
def disordered_table_believed(ca3):
    by_table(rows=rows_by_next, lenient=True)


def sound(content: bytes) -> bool:
    chunk_offset, starts = table_of(content)
    return all(a < b for a, b in zip(starts, starts[1:])) and content[8:12] >= b"\4\0\0\0"


@fault("Gives no message of a chunk whose table is faulty.", "7.5-03", "7.5-04", "7.5-08")
def faulty_table_loses_messages(ca3):
    def make(messages_of):
        def changed(reader, entry):
            tables = [reader.content(place) for place in reader.group(MESSAGE_OFFSETS)]
            faulty = any(table_of(table)[0] == entry["chunk_offset"] and not sound(table)
                         for table in tables)
            return [] if faulty else messages_of(reader, entry)
        return changed

    around(IndexedReader, "messages_of", make)


@fault("Refuses a file whose Metadata is faulty.", "7.5-08")
def faulty_metadata_refuses_the_file(ca3):
    on_record(ca3, lambda reader, opcode, offset, content: (
        opcode == METADATA and Cursor(content).fields("name:string values:map") and False))


@fault("Refuses a file whose table of messages is faulty.", "7.5-08")
def faulty_table_refuses_the_file(ca3):
    around(IndexedReader, "load_tables", lambda load: lambda reader: (load(reader), ca3.require(
        all(sound(reader.content(place)) for place in reader.group(MESSAGE_OFFSETS)),
        "bad-order", "offsets do not rise")))
