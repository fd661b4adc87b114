"""Item 3: framing, opcodes, the order of records, and what stands in them."""
from registry import around, faults_of, on_record, result_of, with_data

fault = faults_of(3)

METADATA, ATTACHMENT, STATISTICS, ANNOTATIONS, OFFSETS, PADDING = 0x40, 0x42, 0x44, 0x45, 0x49, 0x4A


def passing(ca3, passes):
    """Lets opcodes through for which `passes(reader, opcode, offset)` holds."""
    around(ca3.Reader, "check_opcode", lambda check: lambda reader, opcode, offset: (
        None if passes(reader, opcode, offset) else check(reader, opcode, offset)))


def stopping(ca3, opcodes, kind):
    """Stops at opcodes that a reader passes over."""
    def act(reader, opcode, offset, content):
        ca3.require(opcode not in opcodes, kind, "not implemented", opcode=opcode)
        return False

    on_record(ca3, act)


# ------------------------------------------------------------------ opcodes


@fault("Skips opcode 0x00.", "3.1-01")
def opcode_zero_skipped(ca3):
    passing(ca3, lambda reader, opcode, offset: opcode == 0x00)


@fault("Skips an unknown must-understand record of the format.", "3.1-02")
def unknown_must_understand_skipped(ca3):
    passing(ca3, lambda reader, opcode, offset: 0 < opcode < 0x40 and opcode not in ca3.RESERVED)


@fault("Skips a private must-understand record.", "3.1-05")
def private_must_understand_skipped(ca3):
    passing(ca3, lambda reader, opcode, offset: 0x80 <= opcode <= 0xBF)


@fault("Steps over an unknown must-understand record where the file is not sealed.", "3.1-08")
def unsealed_oddity_skipped(ca3):
    passing(ca3, lambda reader, opcode, offset: not reader.sealed)


@fault("Refuses an unknown record without naming its opcode.", "3.1-02")
def unknown_opcode_not_named(ca3):
    def make(tolerate):
        def changed(reader, violation, offset):
            violation.report.pop("opcode", None)
            tolerate(reader, violation, offset)
        return changed

    around(ca3.Reader, "tolerate", make)


@fault("Applies the partition in the data section only, and skips anything in the summary.",
       "3.1-07")
def partition_not_in_summary(ca3):
    def in_summary(reader, opcode, offset):
        footer = len(reader.data) - ca3.FOOTER_FROM_END + ca3.FRAME.size
        return reader.sealed and offset >= ca3.Cursor(reader.data[footer:]).u64() > 0

    passing(ca3, in_summary)


@fault("Calls reserved records unknown.", "3.4-01", "15-01", "15-02", "15-03", "15-04", "15-05",
       "15-06")
def reserved_called_unknown(ca3):
    ca3.RESERVED.clear()


@fault("Skips reserved must-understand records, by name.", "3.4-01", "15-01", "15-02", "15-03")
def reserved_must_understand_skipped(ca3):
    passing(ca3, lambda reader, opcode, offset: opcode in ca3.RESERVED)


@fault("Stops at reserved skippable records.", "15-04", "15-05", "15-06")
def reserved_skippable_refused(ca3):
    stopping(ca3, ca3.RESERVED, "reserved-opcode")


@fault("Reports nothing of what it skips.", "3.1-04", "15-04", "15-05", "15-06")
def skipped_unreported(ca3):
    ca3.Reader.skip = lambda reader, opcode, offset: None


@fault("Reports a skipped record at its content instead of its opcode.", "3.1-04")
def skipped_at_content(ca3):
    around(ca3.Reader, "skip", lambda skip: lambda reader, opcode, offset: (
        skip(reader, opcode, offset + ca3.FRAME.size)))


@fault("Looks for records inside a record that it skips.", "3.1-03")
def skipped_content_parsed(ca3):
    def act(reader, opcode, offset, content):
        if opcode in ca3.DEFINED:
            return False
        reader.skip(opcode, offset)
        reader.walk(offset + ca3.FRAME.size, offset + ca3.FRAME.size + len(content))

    on_record(ca3, act)


@fault("Takes the first magic behind the leading one for the end of the file.", "3.1-03",
       "13.4-02")
def first_magic_ends_the_file(ca3):
    with_data(ca3, lambda data: data[:data.find(ca3.MAGIC, 8) + 8] if data.count(ca3.MAGIC) > 1
              else data)


# ------------------------------------------------------------------ records that may be ignored


@fault("Lists records that version 1 defines as unknown.", "3.4-02", "3.4-03", "12-01")
def defined_records_called_unknown(ca3):
    ca3.PASSED_OVER -= {METADATA, ATTACHMENT, ANNOTATIONS, OFFSETS, PADDING}


@fault("Lists records that version 1 defines under the names of reserved ones.", "3.4-02",
       "3.4-03", "12-01")
def defined_records_called_reserved(ca3):
    ca3.PASSED_OVER -= {METADATA, ATTACHMENT, ANNOTATIONS}
    ca3.RESERVED.update({METADATA: "MetadataIndex", ATTACHMENT: "AttachmentIndex",
                         ANNOTATIONS: "Integrity"})


@fault("Refuses the defined records that it does not decode.", "7.5-01", "12-01", "13.3-01")
def defined_records_refused(ca3):
    stopping(ca3, {METADATA, ATTACHMENT, ANNOTATIONS, OFFSETS}, "unknown-opcode")


@fault("Takes the first Metadata, Attachment, Annotations, MessageOffsets or Padding for the end "
       "of the data section.", "12-01", "13.3-01", "5.9-12")
def data_ends_at_first_annotation(ca3):
    def act(reader, opcode, offset, content):
        if opcode in (METADATA, ATTACHMENT, ANNOTATIONS, OFFSETS, PADDING):
            reader.take_chunk = lambda opcode, content: None
        return False

    on_record(ca3, act)


@fault("Parses Statistics by a layout of its own, and refuses what does not fit.", "13.2-01")
def statistics_parsed(ca3):
    def act(reader, opcode, offset, content):
        if opcode == STATISTICS:
            cursor = ca3.Cursor(content)
            cursor.take(48)
            entry_size, entry_count = cursor.u32(), cursor.u32()
            ca3.check_length("Statistics", cursor.left(), entry_size * entry_count)
        return False

    on_record(ca3, act)


# ------------------------------------------------------------------ framing and fields


@fault("Gives the fields that a record is too short for a zero or an empty value.", "3-03",
       "11-03")
def missing_fields_defaulted(ca3):
    around(ca3.Cursor, "take", lambda take: lambda cursor, count: (
        take(cursor, count) if cursor.left() or count > 8 else bytes(count)))


@fault("Rejects bytes behind the last known field of Header, Schema, Stream and Session.",
       "14-01", "14-02", "14-03", "14-04")
def trailing_bytes_rejected(ca3):
    layouts = ca3.HEADER_FIELDS, ca3.SCHEMA_FIELDS, ca3.ALIGNMENT_FIELDS, ca3.SESSION_FIELDS

    def make(fields):
        def changed(cursor, layout):
            values = fields(cursor, layout)
            ca3.require(layout not in layouts or cursor.left() == 0, "bad-length", "trailing bytes")
            return values
        return changed

    around(ca3.Cursor, "fields", make)


# ------------------------------------------------------------------ Header


@fault("Steps over skippable records ahead of the Header.", "4-01")
def records_before_header_accepted(ca3):
    def change(data):
        if data[8:9] not in (bytes([METADATA]), bytes([PADDING])):
            return data
        return data[:8] + data[17 + int.from_bytes(data[9:17], "little"):]

    with_data(ca3, change)


@fault("Reads a file without a Header as though it had an empty one.", "2.4-01", "4-01")
def missing_header_accepted(ca3):
    empty = ca3.FRAME.pack(ca3.HEADER, 52) + bytes(52)
    with_data(ca3, lambda data: data[:8] + empty + data[8:] if data[8:9] != b"\x01" else data)


@fault("Lets a second Header replace the first.", "4-02")
def second_header_replaces(ca3):
    def act(reader, opcode, offset, content):
        if opcode != ca3.HEADER:
            return False
        reader.header = ca3.Cursor(content).fields(ca3.HEADER_FIELDS)

    on_record(ca3, act)


@fault("Exchanges the two halves of the anchor.", "4-05")
def anchors_exchanged(ca3):
    ca3.HEADER_FIELDS = (ca3.HEADER_FIELDS.replace("anchor_wall_unix_ns", "?")
                         .replace("anchor_monotonic_ns", "anchor_wall_unix_ns")
                         .replace("?", "anchor_monotonic_ns"))


# ------------------------------------------------------------------ Session


def second_session(ca3, settle):
    """Lets `settle(first, second)` decide between two Session records."""
    def act(reader, opcode, offset, content):
        if opcode != ca3.SESSION or reader.session is None:
            return False
        reader.session = settle(reader.session, ca3.Cursor(content).fields(ca3.SESSION_FIELDS))

    on_record(ca3, act)


@fault("Keeps the first Session.", "11-04")
def first_session_wins(ca3):
    second_session(ca3, lambda first, second: first)


@fault("Fills the empty fields of a later Session from an earlier one.", "11-06")
def sessions_merged(ca3):
    second_session(ca3, lambda first, second: {
        name: second[name] or first[name] for name in second})


@fault("Refuses a second Session.", "11-05")
def second_session_refused(ca3):
    def settle(first, second):
        raise ca3.Violation("duplicate-reference", "a second Session")

    second_session(ca3, settle)


@fault("Passes over a Session that it cannot decode.", "11-03")
def broken_session_is_null(ca3):
    def act(reader, opcode, offset, content):
        if opcode != ca3.SESSION:
            return False
        try:
            reader.session = ca3.Cursor(content).fields(ca3.SESSION_FIELDS)
        except ca3.Violation:
            reader.session = None

    on_record(ca3, act)


@fault("Refuses a file with streams and no message.", "2.4-01")
def file_without_messages_refused(ca3):
    def change(reader, result):
        if reader.streams and not reader.messages:
            raise ca3.Violation("other", "no messages")

    result_of(ca3, change)


@fault("Takes the low four bytes of a record's length.", "3-01")
def length_as_32_bits(ca3):
    frame = ca3.FRAME

    class Narrow:
        size, pack = frame.size, frame.pack

        def unpack_from(self, data, offset=0):
            opcode, length = frame.unpack_from(data, offset)
            return opcode, length & 0xFFFFFFFF

    ca3.FRAME = Narrow()


@fault("Does not know the Checkpoint.", "3.1-02")
def checkpoint_is_unknown(ca3):
    ca3.DEFINED.discard(ca3.CHECKPOINT)


@fault("Does not know the ClockBlock.", "3.1-02")
def clock_block_is_unknown(ca3):
    ca3.DEFINED.discard(0x0A)


@fault("Gives the end of a sealed file as the place where it stopped.", "2.4-01")
def stopped_at_the_end(ca3):
    result_of(ca3, lambda reader, result: result.update(stopped_at=len(reader.data)))
