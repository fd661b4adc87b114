"""Item 7: chunks and messages."""
from registry import around, faults_of, within

fault = faults_of(7)


# ------------------------------------------------------------------ varint and zigzag


@fault("Decodes zigzag as sign and magnitude.", "1.4-06")
def zigzag_sign_magnitude(ca3):
    ca3.zigzag_decode = lambda u: -(u >> 1) if u & 1 else u >> 1


@fault("Decodes zigzag through a double.", "1.4-06")
def zigzag_as_double(ca3):
    around(ca3, "zigzag_decode", lambda decode: lambda u: int(float(decode(u))))


@fault("Reads zero for a field that a message has no room for.", "6.2-02", "6.2-03", "6.3-07")
def missing_field_is_zero(ca3):
    strict = ca3.read_varint
    within(ca3.Chunk, "decode_row", ca3, "read_varint",
           lambda data, at, end: strict(data, at, end) if at < end else (0, at))


# ------------------------------------------------------------------ the blob


@fault("Expects a record frame in front of every message but the first.", "6.2-05")
def message_frame_expected(ca3):
    around(ca3, "message_extent", lambda extent: lambda blob, at: (
        extent(blob, at + 9 if at else 0)))


@fault("Cuts a message that passes its blob to what is there.", "6.2-01", "6.2-06")
def message_clamped_to_blob(ca3):
    def extent(blob, at):
        length, at = ca3.read_varint(blob, at, len(blob))
        return at, min(at + length, len(blob))

    ca3.message_extent = extent


def blob_split(ca3, done):
    """Takes messages until `done(chunk, taken, at, blob)`, and looks at nothing else."""
    def split_blob(chunk, blob):
        taken = at = 0
        while not done(chunk, taken, at, blob):
            at, end = ca3.message_extent(blob, at)
            yield chunk.decode_row(blob, at, end)
            taken, at = taken + 1, end

    ca3.Chunk.split_blob = split_blob


@fault("Ignores bytes left in the blob behind message_count messages.", "6.1-04", "6.1-19")
def leftover_blob_ignored(ca3):
    blob_split(ca3, lambda chunk, taken, at, blob: taken == chunk.message_count)


@fault("Takes messages until the blob ends, whatever message_count says.", "6.1-04", "6.1-19")
def message_count_ignored(ca3):
    blob_split(ca3, lambda chunk, taken, at, blob: at == len(blob))


@fault("Ignores content behind the records blob.", "6.1-03")
def content_behind_blob_ignored(ca3):
    def make(plain_rows):
        def changed(chunk, cursor):
            records_length = int.from_bytes(cursor.data[69:77], "little")
            cursor.data = cursor.data[:77 + records_length]
            return plain_rows(chunk, cursor)
        return changed

    around(ca3.Chunk, "plain_rows", make)


@fault("Checks no CRC.", "6.1-05", "6.5-15")
def crc_ignored(ca3):
    ca3.check_crc = lambda stored, expected: None


@fault("Takes the bytes of an unassigned codec as they stand.", "6.1-08", "6.5-17")
def unknown_codec_is_plain(ca3):
    around(ca3.Chunk, "check_coding", lambda check: lambda chunk, bits: (
        check(chunk if chunk.codec == ca3.ZSTD else chunk._replace(codec=ca3.PLAIN), bits)))


@fault("Decompresses one frame after another.", "6.1-22")
def several_frames_accepted(ca3):
    def decompress(stored, expected):
        out = b""
        while stored:
            frame = ca3.zstandard.ZstdDecompressor().decompressobj()
            out += frame.decompress(stored)
            ca3.require(frame.eof, "decompress-failed", "the zstd frame is cut")
            stored = frame.unused_data
        ca3.check_length("zstd", len(out), expected)
        return out

    ca3.decompress = decompress


# ------------------------------------------------------------------ flags and field_mask


@fault("Returns the messages of a chunk with the sorted bit in reverse.", "6.1-09")
def sorted_bit_reverses(ca3):
    around(ca3.Chunk, "split_blob", lambda split: lambda chunk, blob: (
        list(split(chunk, blob))[::-1] if chunk.flags & 1 else split(chunk, blob)))


@fault("Refuses a chunk whose sorted bit is clear.", "6.1-09")
def unsorted_chunk_refused(ca3):
    around(ca3.Chunk, "check_coding", lambda check: lambda chunk, bits: (
        ca3.require(chunk.flags & 1 == 1, "bad-order", "not sorted"), check(chunk, bits)))


@fault("Returns every chunk's messages in order of stamp.", "6.1-09")
def messages_sorted_by_stamp(ca3):
    around(ca3.Chunk, "split_blob", lambda split: lambda chunk, blob: (
        sorted(split(chunk, blob), key=lambda row: row.stamp_delta)))


@fault("Checks uncompressed_bytes of chunks that are not compressed.", "6.1-07")
def uncompressed_bytes_always_checked(ca3):
    def make(plain_rows):
        def changed(chunk, cursor):
            stated = int.from_bytes(cursor.data[57:65], "little")
            if chunk.codec == ca3.PLAIN:
                ca3.check_length("uncompressed_bytes", stated, len(cursor.data) - 77)
            return plain_rows(chunk, cursor)
        return changed

    around(ca3.Chunk, "plain_rows", make)


@fault("Reads payloads as text.", "6.2-04")
def payload_as_text(ca3):
    around(ca3.Chunk, "decode_row", lambda decode: lambda chunk, blob, at, end: (
        lambda row: row._replace(payload=row.payload.decode("utf-8", "replace").encode()))(
            decode(chunk, blob, at, end)))


@fault("Refuses an empty block region that is stored as a frame.", "6.5-25")
def empty_frame_refused(ca3):
    around(ca3.Chunk, "region", lambda region: lambda chunk, name, stored, width: (
        ca3.check_length(name, len(stored), 0) if width == 0 else None,
        region(chunk, name, stored, width))[1])


@fault("Refuses a chunk with a reserved flag.", "6.1-18")
def reserved_flags_refused(ca3):
    around(ca3.Chunk, "check_coding", lambda check: lambda chunk, bits: (
        ca3.require(chunk.flags <= 1, "other", "a reserved flag"), check(chunk, bits)))


@fault("Ignores mask bits 4 to 7.", "6.3-06", "6.5-09")
def mask_bits_4_to_7_ignored(ca3):
    around(ca3.Chunk, "check_coding", lambda check: lambda chunk, bits: check(chunk, bits & 0xFF00))


@fault("Leaves the fields of mask bits 8 to 15 in the payload.", "6.3-07")
def mask_bits_8_to_15_not_skipped(ca3):
    ca3.Chunk.skip_unknown_fields = lambda chunk, blob, at, end: at


# ------------------------------------------------------------------ times


@fault("Lets a time wrap around 64 bits.", "6.2-07", "6.3-12")
def times_wrap(ca3):
    ca3.in_u64 = lambda value: value % 2**64


@fault("Takes 0 in bit 0's field for absent.", "6.3-01", "6.5-05")
def record_ts_zero_absent(ca3):
    around(ca3.Chunk, "record_ts", lambda decode: lambda chunk, v: decode(chunk, v or None))


@fault("Forgets stamp_delta in the wall clock.", "6.3-02")
def wall_without_delta(ca3):
    around(ca3.Chunk, "wall_clock", lambda decode: lambda chunk, delta, v: decode(chunk, 0, v))


@fault("Does not lower the wall clock's value by one.", "6.3-02")
def wall_not_lowered(ca3):
    around(ca3.Chunk, "wall_clock", lambda decode: lambda chunk, delta, v: (
        decode(chunk, delta, v and v + 1)))


@fault("Gives the base for an absent wall clock.", "6.3-02", "6.5-06", "6.5-19")
def wall_absent_is_base(ca3):
    around(ca3.Chunk, "wall_clock", lambda decode: lambda chunk, delta, v: (
        chunk.wall_base_ns if v == 0 else decode(chunk, delta, v)))


@fault("Adds stamp_delta to the source time.", "6.3-03")
def source_with_delta(ca3):
    around(ca3.Chunk, "source_timestamp", lambda decode: lambda chunk, delta, v: (
        decode(chunk._replace(source_base_ns=chunk.source_base_ns + delta), delta, v)))


@fault("Gives the base for an absent source time.", "6.3-03", "6.5-06", "6.5-19")
def source_absent_is_base(ca3):
    around(ca3.Chunk, "source_timestamp", lambda decode: lambda chunk, delta, v: (
        chunk.source_base_ns if v == 0 else decode(chunk, delta, v)))


@fault("Gives the bases for fields whose bit is clear.", "6.3-05")
def clear_bits_give_bases(ca3):
    around(ca3.Chunk, "record_ts", lambda decode: lambda chunk, v: decode(chunk, v or 0))
    for name, base in ("wall_clock", "wall_base_ns"), ("source_timestamp", "source_base_ns"):
        around(ca3.Chunk, name, lambda decode, base=base: lambda chunk, delta, v: (
            getattr(chunk, base) if v is None else decode(chunk, delta, v)))


# ------------------------------------------------------------------ sequences


def sequences(ca3, change):
    """Lets `change(decode, chunk, i, v)` give the sequence."""
    around(ca3.Chunk, "sequence", lambda decode: lambda chunk, i, v: change(decode, chunk, i, v))


@fault("Gives 0 for an absent sequence.", "6.3-04", "6.5-07", "6.5-19")
def sequence_absent_is_zero(ca3):
    sequences(ca3, lambda decode, chunk, i, v: 0 if v == 0 else decode(chunk, i, v))


@fault("Counts the messages of a chunk from one.", "6.4-01")
def index_from_one(ca3):
    sequences(ca3, lambda decode, chunk, i, v: decode(chunk, i + 1, v))


@fault("Wraps sequences at 2^32, through 0.", "6.4-02")
def wrap_through_zero(ca3):
    ca3.wrap = lambda x: x % 2**32


@fault("Wraps sequences one too early.", "6.4-02")
def wrap_too_early(ca3):
    ca3.wrap = lambda x: (x - 1) % (2**32 - 2) + 1


@fault("Wraps with a remainder that keeps the sign.", "6.4-06")
def wrap_negative_remainder(ca3):
    around(ca3, "wrap", lambda wrap: lambda x: wrap(x) if x > 0 else 1 - (1 - x) % (2**32 - 1))


@fault("Makes up a run from 1 where no message has a sequence.", "6.4-03")
def sequence_invented(ca3):
    sequences(ca3, lambda decode, chunk, i, v: (
        ca3.wrap(1 + i) if v is None and chunk.seq_first == 0 else decode(chunk, i, v)))


@fault("Gives no sequence where bit 3 is clear.", "6.4-04", "6.5-08")
def clear_bit_3_is_absent(ca3):
    sequences(ca3, lambda decode, chunk, i, v: None if v is None else decode(chunk, i, v))


@fault("Forgets i where bit 3 is set.", "6.4-05")
def sequence_without_i(ca3):
    sequences(ca3, lambda decode, chunk, i, v: decode(chunk, i if v is None else 0, v))


@fault("Gives no sequence where seq_first is 0, although bit 3 is set.", "6.4-07")
def seq_first_zero_is_absent(ca3):
    sequences(ca3, lambda decode, chunk, i, v: decode(chunk, i, v) if chunk.seq_first else None)


# ------------------------------------------------------------------ ColumnarChunk


def regions(ca3, name, accept):
    """Lets `accept(stored, expected)` stand for a region's length check."""
    def make(region):
        def changed(chunk, which, stored, size):
            if which == name and chunk.codec == ca3.PLAIN:
                stored = accept(stored, chunk.message_count * size)
            return region(chunk, which, stored, size)
        return changed

    around(ca3.Chunk, "region", make)


@fault("Does not check columns_length.", "6.5-12")
def columns_length_unchecked(ca3):
    regions(ca3, "columns", lambda stored, expected: stored[:expected].ljust(expected, b"\0"))
    regions(ca3, "blocks", lambda stored, expected: stored[-expected:])


@fault("Does not check blocks_length.", "6.5-13", "6.5-14")
def blocks_length_unchecked(ca3):
    regions(ca3, "blocks", lambda stored, expected: stored[:expected].ljust(expected, b"\0"))


@fault("Reads the columns in falling bit order.", "6.5-03")
def columns_in_falling_order(ca3):
    def split(chunk, columns, blocks, block_bytes):
        stamps, coded = chunk.column(columns, 8), [None] * 4
        for bit in (3, 2, 1, 0):
            if chunk.field_mask >> bit & 1:
                coded[bit] = chunk.column(columns, ca3.COLUMN_WIDTHS[bit])
        for i in range(chunk.message_count):
            yield ca3.Row(stamps[i], [column and column[i] for column in coded],
                          blocks[i * block_bytes:(i + 1) * block_bytes])

    ca3.Chunk.split_columns = split


@fault("Reads the numbers in columns as LEB128.", "6.5-05")
def columns_as_leb128(ca3):
    def leb128(value):
        groups = value.to_bytes(8, "little")
        return groups[0] & 0x7F | (leb128(value >> 8) << 7 if groups[0] & 0x80 else 0)

    around(ca3.Chunk, "column", lambda column: lambda chunk, columns, width: (
        tuple(leb128(value) for value in column(chunk, columns, width))))


@fault("Takes the wall and source columns for plain differences.", "6.5-06")
def columns_hold_differences(ca3):
    def make(split):
        def changed(chunk, *regions):
            for row in split(chunk, *regions):
                record, wall, source, number = row.coded
                yield row._replace(coded=[record, wall and 2 * wall + 1, source and 2 * source + 1,
                                          number])
        return changed

    around(ca3.Chunk, "split_columns", make)


@fault("Takes the sequence column's value for the sequence.", "6.5-07")
def sequence_column_raw(ca3):
    def make(message):
        def changed(chunk, i, row):
            result = message(chunk, i, row)
            if isinstance(row, ColumnarRow) and row.coded[3] is not None:
                result["sequence"] = row.coded[3] or None
            return result
        return changed

    class ColumnarRow(ca3.Row):
        """Tells the message where it came from."""

    around(ca3.Chunk, "split_columns", lambda split: lambda chunk, *regions: (
        ColumnarRow(*row) for row in split(chunk, *regions)))
    around(ca3.Chunk, "message", make)


@fault("Wants a zstd frame even for an empty region.", "6.5-25")
def empty_region_refused(ca3):
    around(ca3.Chunk, "region", lambda region: lambda chunk, name, stored, size: (
        ca3.require(stored or chunk.codec == ca3.PLAIN, "decompress-failed", "no zstd frame"),
        region(chunk, name, stored, size))[1])


@fault("Decodes zigzag in signed 64 bits, shifting the sign in.", "1.4-06")
def zigzag_shifts_sign(ca3):
    def decode(u):
        signed = u - 2**64 if u >= 2**63 else u
        return signed >> 1 ^ -(signed & 1)

    ca3.zigzag_decode = decode


@fault("Returns the rows of a ColumnarChunk in order of stamp.", "6.5-14")
def rows_sorted_by_stamp(ca3):
    around(ca3.Chunk, "split_columns", lambda split: lambda chunk, *regions: (
        sorted(split(chunk, *regions), key=lambda row: row.stamp_delta)))


@fault("Refuses a ColumnarChunk of no messages.", "6.5-12")
def columnar_of_no_rows_refused(ca3):
    around(ca3.Chunk, "column_widths", lambda widths: lambda chunk: (
        ca3.require(chunk.message_count > 0, "bad-length", "no messages"), widths(chunk))[1])
